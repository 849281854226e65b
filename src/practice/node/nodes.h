/* nodes.h: the cluster's nodes: their objects, heartbeats, and on each the life of its Pods (what a kubelet does).
 */
#ifndef KT_PRACTICE_NODE_NODES_H
#define KT_PRACTICE_NODE_NODES_H

#include <stdbool.h>

#include "base/error.h"
#include "practice/api/backend.h"
#include "practice/node/network.h"
#include "practice/node/runtime.h"
#include "practice/work/place.h"

struct nodes;

struct nodes_options {
    const struct place_of_work *place; /* its client is only asked for reading: each node writes as system:node:NAME */
    struct runtime runtime;            /* the caller's; lives longer */
    struct network *network;           /* the caller's; lives longer */
    int count;                         /* of nodes that this process runs: node1, node2, ...; 1 at least, NODES_MOST at most. Node objects that others make (kwok-like: annotated, 5,000 of them) are run, too,
                                        * if their annotation NODES_MANAGED says "true" */
};
enum { NODES_MOST = 5000 };
#define NODES_MANAGED "kubetutor.dev/simulated"

struct nodes *nodes_new(const struct nodes_options *options, struct error *err) __attribute__((warn_unused_result));
/* Containers end without a word, as when the power goes. What Pods were stays in the state: a new one starts their containers again, as a kubelet does after its machine came back. */
void nodes_free(struct nodes *nodes);
/* What subresources of Pods (log, exec ...) and of nodes are led to. */
const struct backend *nodes_backend(struct nodes *nodes);
/* Switches a node off and on for lessons: its containers end, nothing of it is written any more. False: there is none of this name.
 * Leases are not renewed for nobody (a built-in node's says little by its age); so that a life-cycle controller knows without being told from here, the Lease of a node without power gets the annotation
 * NODES_POWER "off", and loses it when the node is back. */
#define NODES_POWER "kubetutor.dev/power"
bool nodes_set_power(struct nodes *nodes, const char *name, bool on);

#endif
