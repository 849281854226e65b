/* node_world.h: the whole server with nodes and the fake runtime on a loop; what happens to Pods is written down line by line.
 */
#ifndef KT_TESTS_NODE_WORLD_H
#define KT_TESTS_NODE_WORLD_H

#include "base/buf.h"
#include "base/clock.h"
#include "fake_runtime.h"
#include "practice/node/nodes.h"
#include "serve_world.h"

struct node_world {
    struct serve_world world;
    struct client *client; /* may everything */
    struct place_of_work place;
    struct fake fake;
    struct nodes *nodes;
    struct informer *events;
    struct pods_follower *follower;
    struct buf trace;      /* a line for each version of a Pod and each event */
    int64_t start_ms;      /* what times in it count from */
    int count;             /* of nodes */
};

extern const struct client_resource pods_, configmaps_, secrets_, nodes_, events_, services_, accounts_, claims_, volumes_, leases_;

void node_open(struct node_world *node, const char *path); /* NULL: nothing is kept */
void node_reopen(struct node_world *node, const char *path); /* at the same path once more */
void node_close(struct node_world *node);
void node_start(struct node_world *node); /* the nodes, when they were stopped */
void node_stop(struct node_world *node);
/* JSON with ' for ". */
void node_make(struct node_world *node, const struct client_resource *resource, const char *ns, const char *text);
void node_patch(struct node_world *node, const struct client_resource *resource, const char *sub, const char *ns, const char *name, const char *text);
void node_delete(struct node_world *node, const struct client_resource *resource, const char *ns, const char *name);
bool node_has(struct node_world *node, const struct client_resource *resource, const char *ns, const char *name);
/* The compact JSON of what is at a path ("status.conditions.0.type"), "" if there is nothing; of the last few calls. */
const char *node_text(struct node_world *node, const struct client_resource *resource, const char *ns, const char *name, const char *path);
/* Lets the cluster's clock go on by ms, and all happen that happens meanwhile. */
void node_step(struct node_world *node, int64_t ms);
bool node_seen(const struct node_world *node, const char *line); /* somewhere in the trace */

#endif
