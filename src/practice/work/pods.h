/* pods.h: one view of all Pods for controllers, scheduler, nodes and network: each version is parsed once, whoever asks; found
 * by owner, by node, by namespace, by address.
 */
#ifndef KT_PRACTICE_WORK_PODS_H
#define KT_PRACTICE_WORK_PODS_H

#include <stdbool.h>
#include <stdint.h>

#include "practice/api/client.h"
#include "practice/api/amount.h"

struct pods;

enum pod_phase { POD_PENDING, POD_RUNNING, POD_SUCCEEDED, POD_FAILED, POD_UNKNOWN };
extern const char *const pod_phase_names[]; /* "Pending" ... */

/* A Pod as it is now. Texts are never NULL ("" for none) and, like the view, borrowed until the Pod's next event was told;
 * pods_value has the whole document. */
struct pod_view {
    const struct object *object; /* ns, name, uid, version, labels (object_label) are there */
    const char *owner_uid, *owner_kind, *owner_name, *owner_version; /* of ownerReferences the one with controller: true */
    const char *node;                                                /* spec.nodeName */
    const char *nominated;                                           /* status.nominatedNodeName */
    const char *ip;                                                  /* status.podIP */
    const char *scheduler;                                           /* spec.schedulerName */
    enum pod_phase phase;
    bool ready;    /* condition Ready */
    bool deleting; /* has a deletionTimestamp */
    bool gated;    /* has schedulingGates */
    bool host_network;
    bool never; /* restartPolicy Never */
    int32_t priority;
    int32_t restarts; /* of all containers, init ones included */
    int64_t created_ms, ready_ms, started_ms,
        deleted_ms;          /* creationTimestamp; Ready's lastTransitionTime; status.startTime; deletionTimestamp; 0: none */
    struct amounts requests; /* what it takes of a node (amounts_of_pod with overhead), the one Pod itself not counted */
};

struct pods_event {
    const struct pod_view *pod;      /* NULL: gone */
    const struct pod_view *previous; /* NULL: new */
    const struct value *document;    /* pod's, or where it is gone its last one, without managedFields; borrowed for the call */
};

/* Through the reader. */
struct pods *pods_new(struct client *reader, struct error *err) __attribute__((warn_unused_result));
void pods_free(struct pods *pods);          /* who follows must have stopped; NULL is fine */
bool pods_current(const struct pods *pods); /* as informer_current */

/* From now on fn is told of every Pod that there is (at once, from inside this call, in no order) and of each change after its
 * commit, from the loop. */
struct pods_follower;
struct pods_follower *pods_follow(struct pods *pods, void (*fn)(void *data, const struct pods_event *event), void *data,
                                  struct error *err) __attribute__((warn_unused_result));
void pods_unfollow(struct pods_follower *follower); /* NULL is fine */

const struct pod_view *pods_get(const struct pods *pods, const char *ns, const char *name);
const struct pod_view *pods_by_uid(const struct pods *pods, const char *uid);
const struct pod_view *pods_by_ip(const struct pods *pods,
                                  const char *ip); /* not those of the host's network, and none that has ended */
/* Walks: `after` NULL is the start, NULL the end. The Pods that an owner's uid controls ("": that nobody controls); of a node
 * ("": that have none); of a namespace, by name. */
const struct pod_view *pods_next_owned(const struct pods *pods, const char *uid, const struct pod_view *after);
const struct pod_view *pods_next_on(const struct pods *pods, const char *node, const struct pod_view *after);
const struct pod_view *pods_next_in(const struct pods *pods, const char *ns, const struct pod_view *after);
size_t pods_count_owned(const struct pods *pods, const char *uid);
size_t pods_count_on(const struct pods *pods, const char *node);
/* The document; the caller frees. NULL: no memory. */
struct value *pods_value(const struct pods *pods, const struct pod_view *pod) __attribute__((warn_unused_result));

/* Running or waiting to run: neither ended nor being deleted (controllers' "active"). */
bool pod_is_active(const struct pod_view *pod);
bool pod_has_ended(const struct pod_view *pod); /* Succeeded or Failed */
/* Ready for at least so long (Deployments' minReadySeconds). */
bool pod_is_available(const struct pod_view *pod, int64_t min_ready_ms, int64_t now_ms);

#endif
