/* replicaset.h: which of a ReplicaSet's Pods go first when there are too many.
 */
#ifndef KT_PRACTICE_CONTROLLERS_REPLICASET_H
#define KT_PRACTICE_CONTROLLERS_REPLICASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "practice/work/pods.h"

/* How many active Pods of a family (all ReplicaSets of a Deployment) a node has; data is the caller's. */
typedef size_t pods_on_node(const void *data, const char *node);

/* Puts the Pods into the order in which they go: without a node, pending, not ready, of a lower deletion cost, with more of the family on its node, ready or made more recently (to a power of
 * two of its age), often restarted. False: no memory. */
bool replicas_rank(const struct pods *pods, const struct pod_view **list, size_t count, pods_on_node *on_node, const void *data, int64_t now_ms) __attribute__((warn_unused_result));

#endif
