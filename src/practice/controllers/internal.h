/* internal.h: what the files of this folder share.
 */
#ifndef KT_PRACTICE_CONTROLLERS_INTERNAL_H
#define KT_PRACTICE_CONTROLLERS_INTERNAL_H

#include <stdbool.h>

#include "base/error.h"
#include "practice/api/api.h"
#include "practice/api/client.h"
#include "practice/controllers/workqueue.h"

/* What a controller gets to work with. Informers are the reader's (system:kube-controller-manager, who may see everything), as in the real one; writes are the controller's own, under the rights that its
 * ServiceAccount has. */
struct place_of_work {
    struct api *api;
    struct client *client, *reader;
};

/* A controller: its file makes one and frees it. */
struct controller_type {
    const char *name; /* of its user: system:serviceaccount:kube-system:NAME */
    void *(*start)(const struct place_of_work *place, struct error *err);
    void (*stop)(void *controller);
};
extern const struct controller_type accounts_controller, root_ca_controller, namespace_controller, garbage_controller, quota_controller, aggregation_controller;

/* An object's "ns/name" (or "name") goes into a queue; those of all objects of an informer (for WORKQUEUE_ALL); and such a key apart again. */
void key_add(struct workqueue *queue, const struct object *object);
void queue_all(struct workqueue *queue, const struct informer *informer);
struct key {
    char *ns, *name; /* ns "": cluster-scoped */
};
bool key_parse(const char *text, struct key *key) __attribute__((warn_unused_result)); /* false: no memory */
void key_free(struct key *key);

#endif
