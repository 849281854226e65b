/* garbage.h: who owns whom, as the garbage collector knows it; only for garbage*.c and tests.
 *
 * A node stands for an object that has owners, or that is named as one. All others are not worth remembering.
 */
#ifndef KT_PRACTICE_CONTROLLERS_GARBAGE_H
#define KT_PRACTICE_CONTROLLERS_GARBAGE_H

#include <stdbool.h>

#include "base/map.h"
#include "base/vec.h"
#include "data/value.h"

struct node {
    char *uid, *group, *version, *plural; /* version and plural NULL: nobody knows where it is served */
    char *ns, *name;
    bool seen;              /* it is there: an event or an answer said so. Else only somebody's reference did */
    bool waits;             /* being deleted, but not before something was done about its dependents (finalizers foregroundDeletion, orphan) */
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
/* The node of this uid, made if there is none; where it is served is filled in if it was not known. NULL: no memory. */
struct node *graph_node(struct graph *graph, const char *uid, const char *group, const char *version, const char *plural, const char *ns, const char *name) __attribute__((warn_unused_result));
/* From now on these are its owners (an array of nodes, and which of them it blocks). False: no memory. */
bool graph_set_owners(struct node *node, struct node *const *owners, const bool *blocks, size_t count) __attribute__((warn_unused_result));
/* Forgets it, if nobody has it as an owner, it has none, and it does not wait. */
void graph_tidy(struct graph *graph, struct node *node);

#endif
