/* place.h: what a controller, the scheduler and the nodes get to work with.
 */
#ifndef KT_PRACTICE_WORK_PLACE_H
#define KT_PRACTICE_WORK_PLACE_H

#include <stdbool.h>

#include "base/error.h"
#include "practice/api/api.h"
#include "practice/api/client.h"
#include "practice/work/pods.h"

/* Informers are the reader's (system:kube-controller-manager, who may see everything), as in the real one; writes are the
 * worker's own, under the rights that its user has. */
struct place_of_work {
    struct api *api; /* its loop, clock, registry; not to write past the client */
    struct client *client, *reader;
    struct pods *pods; /* all Pods, shared */
};

/* Makes the reader and the view of Pods; client stays NULL: place_for fills it. False: nothing is left to close. */
bool place_open(struct place_of_work *place, struct api *api, struct error *err) __attribute__((warn_unused_result));
void place_close(struct place_of_work *place); /* also one that is all zero */
/* The same place for a worker of its own identity: user as client_new takes it. Its client is the caller's to free. */
bool place_for(const struct place_of_work *place, const char *user, const char *manager, struct place_of_work *own,
               struct error *err) __attribute__((warn_unused_result));

#endif
