/* node.h: what a value is inside this folder: a cJSON node. Nobody else knows.
 *
 * Numbers that a double holds exactly, or that are no integers, are cJSON_Number. Integers of 64 bits beyond 2^53 are cJSON_Raw
 * with their decimal digits as the text, which is how they stay exact (see number.h).
 *
 * A node may hold its key and its text in its own block, or a key that lives longer than it (cJSON_StringIsConst, cJSON_IsReference): they are
 * never freed or changed by themselves; node_name and node_call give another key. valueint is no number here but what value_brand keeps.
 */
#ifndef KT_DATA_NODE_H
#define KT_DATA_NODE_H

#include <stdint.h>

#include <cjson/cJSON.h>

#include "data/value.h"

/* Nesting that functions which walk a whole tree follow. Parsers stay far below it; who builds deeper trees by hand cannot print them. */
enum { NODE_DEPTH = 1000 };

static inline cJSON *node_of(const struct value *v)
{
    return (cJSON *)(uintptr_t)v; /* as cJSON itself: looking at a document that may be changed gives parts that may be */
}

static inline struct value *node_value(cJSON *node)
{
    return (struct value *)node;
}

static inline int node_kind(const cJSON *node)
{
    return node->type & 0xFF; /* the rest are flags */
}

/* A node, and `more` bytes behind it in its block. NULL: no memory. */
cJSON *node_block(int type, size_t more);
/* A node with a copy of its text (NULL: none). NULL: no memory. */
cJSON *node_fresh(int type, const char *text, size_t length);
/* Frees it and all below it, but not what stands beside it. */
void node_release(cJSON *node);
/* Gives an entry its key; takes `key` (mem_alloc'ed) over. */
void node_name(cJSON *node, char *key);
/* The same with a copy, for which most nodes have room. False: no memory. */
bool node_call(cJSON *node, const char *key);
/* A copy of it and all below it, without its own key. NULL: no memory. */
cJSON *node_copy(const cJSON *node);
/* Hangs it in at the end. */
static inline void node_add(cJSON *container, cJSON *entry)
{
    cJSON *first = container->child;
    entry->next = NULL;
    if (first == NULL) {
        container->child = entry->prev = entry;
        return;
    }
    entry->prev = first->prev; /* cJSON keeps the last entry there */
    entry->prev->next = entry;
    first->prev = entry;
}

/* Of keys that stand more than once in an object, drops all but the last. False: no memory. */
bool node_drop_duplicates(cJSON *object);

#endif
