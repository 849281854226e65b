/* labels.h: which objects of a set have a label: kept once somebody asks; only for set.c and read.c.
 *
 * A table of links, one for each label of each object. Objects with the same label stand in one chain, perhaps with others of that bucket; links know
 * the full hash, and who walks a chain holds the object itself against the label.
 */
#ifndef KT_PRACTICE_STATE_LABELS_H
#define KT_PRACTICE_STATE_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct set;
struct set_node;
struct label_index;

struct label_link {
    struct label_link *next, **from; /* in the chain */
    struct set_node *node;
    uint32_t hash;
};

/* A node's links, in its `labels`; NULL: none. */
struct label_links {
    size_t count;
    struct label_link links[];
};

/* Of all nodes of a set. NULL: no memory. */
struct label_index *label_index_new(const struct set *set) __attribute__((warn_unused_result));
void label_index_free(struct label_index *index, const struct set *set); /* and the links of its nodes; NULL is fine */
/* A node comes or goes. False: no memory; the index is incomplete and must be freed. */
bool label_index_put(struct label_index *index, struct set_node *node) __attribute__((warn_unused_result));
void label_index_take(struct label_index *index, struct set_node *node);
/* The shortest chain that holds all nodes with all of these labels (key, value, key, value, NULL; at least one), besides others; and how it goes on. */
const struct label_link *label_index_find(const struct label_index *index, const char *const *labels);
const struct label_link *label_index_next(const struct label_link *link);

#endif
