/* keys.h: what stands in work queues: an object's "ns/name", or "name" where it is cluster-scoped.
 */
#ifndef KT_PRACTICE_WORK_KEYS_H
#define KT_PRACTICE_WORK_KEYS_H

#include <stdbool.h>

#include "practice/api/client.h"
#include "practice/work/workqueue.h"

/* Puts an object's key into a queue (without memory WORKQUEUE_ALL, a little later); those of all objects of an informer (for
 * WORKQUEUE_ALL). */
void key_add(struct workqueue *queue, const struct object *object);
void queue_all(struct workqueue *queue, const struct informer *informer);
/* The same for a name that no object stands behind (an owner by reference). */
void key_add_name(struct workqueue *queue, const char *ns, const char *name);

/* A key apart again. */
struct key {
    char *ns, *name; /* ns "": cluster-scoped */
};
bool key_parse(const char *text, struct key *key) __attribute__((warn_unused_result)); /* false: no memory */
void key_free(struct key *key);

#endif
