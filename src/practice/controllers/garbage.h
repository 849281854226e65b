/* garbage.h: who owns whom, as the garbage collector knows it; only for garbage*.c and tests.
 *
 * A node stands for an object that has owners or waits for its dependents, or for a uid that somebody names as an owner's. All others are not worth remembering.
 */
#ifndef KT_PRACTICE_CONTROLLERS_GARBAGE_H
#define KT_PRACTICE_CONTROLLERS_GARBAGE_H

#include <stdbool.h>

#include "base/map.h"
#include "base/vec.h"
#include "data/value.h"

struct node {
    char *uid;
    const void *source;     /* whose informer told of it; NULL: only somebody's reference did */
    char *ns, *name;        /* NULL without source: what references say of it may be wrong, and each may say something else */
    bool deleting;          /* has a deletionTimestamp */
    bool waits;             /* and is not let go before something was done about its dependents (finalizers foregroundDeletion, orphan) */
    bool puzzled;           /* an owner's kind is not served: nobody can say whether it is there */
    struct vec owners;      /* borrowed nodes */
    struct vec blocks;      /* of the owners those that must wait for this one (blockOwnerDeletion) */
    struct vec dependents;  /* borrowed nodes: who has this one among owners */
};

struct graph {
    struct map nodes; /* uid -> struct node */
};
enum { GRAPH_NODES = 1000000, GRAPH_OWNERS = 1000 };

struct graph graph_make(void);
void graph_free(struct graph *graph);
struct node *graph_find(const struct graph *graph, const char *uid);
/* The node of this uid, made if there is none. NULL: no memory. */
struct node *graph_node(struct graph *graph, const char *uid) __attribute__((warn_unused_result));
/* It is there, where its informer says. False: no memory, nothing changed. */
bool graph_see(struct node *node, const void *source, const char *ns, const char *name) __attribute__((warn_unused_result));
/* It is gone: only references speak of it now. */
void graph_unsee(struct node *node);
/* From now on these are its owners (an array of nodes, and which of them it blocks; one twice counts once). False: no memory; then it has only some of them. */
bool graph_set_owners(struct node *node, struct node *const *owners, const bool *blocks, size_t count) __attribute__((warn_unused_result));
bool graph_blocks(const struct node *dependent, const struct node *owner);
/* Forgets it, if nobody has it as an owner, it has none, and it does not wait. */
void graph_tidy(struct graph *graph, struct node *node);

#endif
