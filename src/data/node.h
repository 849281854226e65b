/* node.h: what a value is inside this folder: a cJSON node. Nobody else knows.
 *
 * Numbers that a double holds exactly, or that are no integers, are cJSON_Number. Integers of 64 bits beyond 2^53 are cJSON_Raw
 * with their decimal digits as the text, which is how they stay exact (see number.h).
 *
 * A node may hold its key and its text in its own block (cJSON_StringIsConst, cJSON_IsReference): they are never freed or changed
 * by themselves; node_name gives another key.
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

/* Gives an entry its key; takes `key` (mem_alloc'ed) over. */
void node_name(cJSON *node, char *key);
/* Of keys that stand more than once in an object, drops all but the last. False: no memory. */
bool node_drop_duplicates(cJSON *object);

#endif
