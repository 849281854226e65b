/* set.h: the current objects of one resource: found by key in constant time (a hash table), walked in the order of object_compare (a skip list); for
 * files of this folder and its tests, and for the API's informers.
 *
 * Nodes are made before they are needed, so that putting in and taking out never fail. A node holds a reference to its object.
 */
#ifndef KT_PRACTICE_STATE_SET_H
#define KT_PRACTICE_STATE_SET_H

#include "practice/state/labels.h"
#include "practice/state/object.h"

enum { SET_LEVELS = 12 };

struct set_node {
    struct object *object;
    struct set_node *chain;
    struct label_links *labels; /* of the set's label index */
    uint32_t hash;
    unsigned height;
    struct set_node *next[]; /* `height` of them; next[0] is the next in order */
};

struct set { /* all zero: an empty one */
    struct set_node *first[SET_LEVELS];
    struct set_node **buckets; /* a power of two; few ones only when memory is short */
    size_t room, count;
    uint64_t dice;
    struct label_index *labels; /* NULL: nobody asked yet, or memory was short */
};

/* Takes over the caller's reference to the object, even when it fails: NULL, no memory. */
struct set_node *set_node_new(struct set *set, struct object *object) __attribute__((warn_unused_result));
void set_node_free(struct set_node *node); /* of one that is in no set; NULL is fine */

void set_put(struct set *set, struct set_node *node); /* nothing with its key may be there */
void set_take(struct set *set, struct set_node *node);
/* Puts another object of the same key in the place of a node's; takes the reference over. */
void set_change(struct set *set, struct set_node *node, struct object *object);
void set_free(struct set *set); /* drops all; empty afterwards */

struct set_node *set_find(const struct set *set, const char *ns, const char *name); /* NULL: not there */
struct set_node *set_after(const struct set *set, const char *ns, const char *name); /* the first with a key above; NULL: none */
/* Nodes by label, from now on. NULL: no memory. */
const struct label_index *set_labels(struct set *set);
#define set_start(set) ((set)->first[0])

#endif
