/* replicaset.h: the Pods of a ReplicaSet: how many there are, kept up with every change instead of counted each time, and which go first when there are too many.
 */
#ifndef KT_PRACTICE_CONTROLLERS_REPLICASET_H
#define KT_PRACTICE_CONTROLLERS_REPLICASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "practice/work/label_selector.h"
#include "practice/work/pods.h"

/* How many active Pods of a family (all ReplicaSets of a Deployment) a node has; data is the caller's. */
typedef size_t pods_on_node(const void *data, const char *node);

/* Puts the Pods into the order in which they go: without a node, pending, not ready, of a lower deletion cost, with more of the family on its node, ready or made more recently (to a power of
 * two of its age), often restarted. False: no memory. */
bool replicas_rank(const struct pods *pods, const struct pod_view **list, size_t count, pods_on_node *on_node, const void *data, int64_t now_ms) __attribute__((warn_unused_result));

/* Of one set. Active Pods are counted where the selector finds them; those that it does not find any more are strangers, to be let go. */
struct tally {
    int64_t generation; /* of the set's spec */
    struct label_selector *selector, *labels; /* labels: of the template, all of them */
    int32_t active, ready, labeled, terminating, strangers;
    bool claim; /* there may be Pods to be taken: the set is new or changed, or one came that nobody controls */
};
/* Tallies by the uid of their set. */
struct map tallies_make(void);
/* The tally of a set, counted if it is new or another generation's; plain: its selector is a map of labels. NULL: no memory, or no selector. Borrowed. */
struct tally *tally_of(struct map *tallies, const struct pods *pods, const struct value *set, bool plain) __attribute__((warn_unused_result));
/* To be told of every change of a Pod. */
void tallies_follow(struct map *tallies, const struct pods_event *event);

#endif
