/* shape_node.h: what a shape is made of, for shape.c (making, describing) and shape_match.c (matching).
 */
#ifndef KT_DATA_SHAPE_NODE_H
#define KT_DATA_SHAPE_NODE_H

#include "base/vec.h"
#include "data/pattern.h"
#include "data/shape.h"

enum shape_kind {
    SHAPE_VALUE,
    SHAPE_OBJECT,
    SHAPE_LIST,
    SHAPE_ANY,
    SHAPE_ABSENT,
    SHAPE_AT_LEAST,
    SHAPE_MATCHES,
    SHAPE_ONE_OF,
    SHAPE_CONTAINS,
    SHAPE_EACH,
    SHAPE_BASE64_JSON,
    SHAPE_CALL,
    SHAPE_SECRET,
    SHAPE_KINDS
};

enum { SHAPE_DEPTH = 200, SHAPE_CHILDREN = 100000 };

struct shape {
    enum shape_kind kind;
    struct value *value;     /* VALUE, AT_LEAST */
    struct vec children;     /* shapes: OBJECT, LIST, ONE_OF, CONTAINS; EACH, BASE64_JSON and SECRET have one */
    struct vec keys;         /* OBJECT: a string for each child */
    char *words;             /* MATCHES: the expression; CALL: what is wanted */
    struct pattern *pattern; /* MATCHES */
    bool (*holds)(void *data, const struct value *v, struct error *err);
    void *data; /* borrowed */
};

static inline const struct shape *shape_child(const struct shape *shape, size_t index)
{
    return shape->children.items[index];
}

/* True if there is a secret in it, so that no value which it was held against may be printed. */
bool shape_hides(const struct shape *shape);

#endif
