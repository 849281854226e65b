/* deployment.h: what the files of the Deployment controller share: one look at a Deployment with its ReplicaSets.
 */
#ifndef KT_PRACTICE_CONTROLLERS_DEPLOYMENT_H
#define KT_PRACTICE_CONTROLLERS_DEPLOYMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "practice/controllers/internal.h"
#include "practice/controllers/owned.h"
#include "practice/controllers/workload.h"

extern const struct client_resource deployments_resource, replicasets_resource;
#define DEPLOYMENT_HASH_LABEL "pod-template-hash"
#define DEPLOYMENT_REVISION "deployment.kubernetes.io/revision"

struct deployments {
    struct place_of_work place;
    struct recorder *recorder;
    struct workqueue *queue;
    struct informer *informer;
    struct owned *sets;
    struct pods_follower *follower;
    bool begun; /* all was told once */
};

/* One of its ReplicaSets. */
struct replica_set {
    struct value *document; /* owned; as it is after the last write here */
    const char *name, *uid; /* the document's */
    int32_t replicas;                     /* spec, as it is after the last write here */
    int32_t was;                          /* spec, as it was found: statuses count these */
    int32_t active, ready, available;     /* status */
    int64_t created_ms;
    bool deleting;
};

struct rollout {
    struct deployments *controller;
    const char *key;
    struct value *document; /* the Deployment; owned; as it is after the last write here */
    struct maker maker;
    struct replica_set *sets; /* by age, the oldest first, with room for one more; owned */
    size_t count;
    struct replica_set *fresh; /* of them the one with the Deployment's template; NULL: none yet */
    int64_t now_ms;
    /* of the spec */
    int32_t wanted, surge, unavailable; /* the last two 0 unless it is rolling */
    bool rolling, paused;
    int64_t deadline_s; /* -1: none */
    bool ended;         /* the namespace ends: nothing is to be tried again */
};

/* deployment_sets.c. Every function that answers with a bool: false means try again. */
bool sets_read(struct rollout *rollout); /* finds, adopts and lets go; fills the list and fresh. To be freed by sets_free either way */
void sets_free(struct rollout *rollout);
/* Brings the new set's revision and annotations, and the Deployment's revision, up to date; makes the set where there is none, if `make`. */
bool sets_renew(struct rollout *rollout, bool make);
/* Gives a set so many replicas and says so; scaled: it has others than before. always: the annotations count, too. */
bool sets_scale(struct rollout *rollout, struct replica_set *set, int32_t replicas, bool always, bool *scaled);
/* Deletes the oldest revisions that are beyond the limit. */
bool sets_clean_up(struct rollout *rollout);
/* The old sets with more than no replicas, and the new one at the end where `with_fresh`: pointers, in the order of age. The caller frees. NULL: no memory. */
struct replica_set **sets_active(const struct rollout *rollout, bool with_fresh, size_t *count) __attribute__((warn_unused_result));

/* deployment_scale.c */
bool deployment_scale(struct rollout *rollout);
bool deployment_roll(struct rollout *rollout);
bool deployment_recreate(struct rollout *rollout);

/* deployment_status.c */
bool deployment_sync_status(struct rollout *rollout);         /* the numbers and Available */
bool deployment_sync_progress(struct rollout *rollout); /* progress and failures, too; comes back for the deadline */
bool deployment_say_paused(struct rollout *rollout);        /* says that it was paused or resumed */
/* Puts a condition into the Deployment's document. */
bool deployment_put_condition(struct rollout *rollout, const char *type, const char *status, const char *reason, char *message); /* takes message over; NULL: no memory */
/* Writes the Deployment's annotations and status as they stand in the document. */
bool deployment_write_status(struct rollout *rollout);
bool deployment_is_complete(const struct rollout *rollout, const struct value *status);

#endif
