/* kubelet.h: plays scheduler and kubelet for tests of controllers: Pods come to node1, or where their affinity says, and run at once, are Ready, and end as soon as they are to be deleted. By its image a Pod does otherwise:
 * "missing..." never runs, "unready..." runs but is not Ready, "failing..." fails. Their claims' volumes do not bind: with one a Pod stays pending without a node.
 */
#ifndef KT_TESTS_KUBELET_H
#define KT_TESTS_KUBELET_H

#include "cluster.h"

struct kubelet;

struct kubelet *kubelet_start(struct cluster *cluster); /* makes node1, too */
void kubelet_stop(struct kubelet *kubelet);
void kubelet_hold(struct kubelet *kubelet, bool hold); /* Pods that are to be deleted stay until it is let go (those of namespace default) */
void kubelet_pass(struct cluster *cluster, int64_t ms); /* lets so much time pass */

/* A cluster with one, for cmocka. */
struct busy_cluster {
    struct cluster cluster;
    struct kubelet *kubelet;
};
int busy_cluster_open(void **state);
int busy_cluster_close(void **state);

#endif
