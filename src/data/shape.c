#include "data/shape.h"

#include <string.h>

#include "base/lang.h"
#include "base/mem.h"
#include "data/describe.h"
#include "data/shape_node.h"

static void free_shape(void *shape)
{
    shape_free(shape);
}

static struct shape *make(enum shape_kind kind)
{
    struct shape *shape = mem_zero(1, sizeof *shape);
    if (shape == NULL)
        return NULL;
    shape->kind = kind;
    shape->children = vec_make(SHAPE_CHILDREN, free_shape);
    shape->keys = vec_make(SHAPE_CHILDREN, mem_free);
    return shape;
}

static struct shape *make_with_value(enum shape_kind kind, struct value *v)
{
    struct shape *shape = v != NULL ? make(kind) : NULL;
    if (shape == NULL) {
        value_free(v);
        return NULL;
    }
    shape->value = v;
    return shape;
}

static struct shape *make_around(enum shape_kind kind, struct shape *inner)
{
    struct shape *shape = inner != NULL ? make(kind) : NULL;
    if (shape == NULL) {
        shape_free(inner);
        return NULL;
    }
    if (!vec_push(&shape->children, inner)) {
        shape_free(shape);
        return NULL;
    }
    return shape;
}

struct shape *shape_value(struct value *v)
{
    return make_with_value(SHAPE_VALUE, v);
}

struct shape *shape_object(void)
{
    return make(SHAPE_OBJECT);
}

bool shape_object_add(struct shape *object, const char *key, struct shape *child)
{
    if (object == NULL || child == NULL || object->kind != SHAPE_OBJECT || !vec_push_string(&object->keys, key)) {
        shape_free(child);
        return false;
    }
    if (vec_push(&object->children, child))
        return true;
    vec_remove(&object->keys, object->keys.length - 1);
    return false;
}

struct shape *shape_list(void)
{
    return make(SHAPE_LIST);
}

bool shape_list_add(struct shape *list, struct shape *child)
{
    bool takes = list != NULL && (list->kind == SHAPE_LIST || list->kind == SHAPE_ONE_OF || list->kind == SHAPE_CONTAINS);
    if (!takes || child == NULL) {
        shape_free(child);
        return false;
    }
    return vec_push(&list->children, child);
}

struct shape *shape_any(void)
{
    return make(SHAPE_ANY);
}

struct shape *shape_absent(void)
{
    return make(SHAPE_ABSENT);
}

struct shape *shape_at_least(struct value *least)
{
    return make_with_value(SHAPE_AT_LEAST, least);
}

struct shape *shape_matches(const char *pattern, struct error *err)
{
    struct shape *shape = make(SHAPE_MATCHES);
    if (shape == NULL || (shape->words = mem_string(pattern)) == NULL) {
        error_memory(err);
        shape_free(shape);
        return NULL;
    }
    shape->pattern = pattern_new(pattern, err);
    if (shape->pattern == NULL) {
        shape_free(shape);
        return NULL;
    }
    return shape;
}

struct shape *shape_one_of(void)
{
    return make(SHAPE_ONE_OF);
}

struct shape *shape_contains(void)
{
    return make(SHAPE_CONTAINS);
}

struct shape *shape_each(struct shape *item)
{
    return make_around(SHAPE_EACH, item);
}

struct shape *shape_base64_json(struct shape *inner)
{
    return make_around(SHAPE_BASE64_JSON, inner);
}

struct shape *shape_call(bool (*holds)(void *data, const struct value *v, struct error *err), void *data, const char *describe)
{
    struct shape *shape = make(SHAPE_CALL);
    if (shape == NULL || (shape->words = mem_string(describe)) == NULL) {
        shape_free(shape);
        return NULL;
    }
    shape->holds = holds;
    shape->data = data;
    return shape;
}

struct shape *shape_secret(struct shape *inner)
{
    return make_around(SHAPE_SECRET, inner);
}

void shape_free(struct shape *shape)
{
    if (shape == NULL)
        return;
    value_free(shape->value);
    vec_free(&shape->children);
    vec_free(&shape->keys);
    mem_free(shape->words);
    pattern_free(shape->pattern);
    mem_free(shape);
}

bool shape_hides(const struct shape *shape)
{
    bool hides = shape->kind == SHAPE_SECRET;
    for (size_t i = 0; i < shape->children.length && !hides; i++)
        hides = shape_hides(shape_child(shape, i));
    return hides;
}

static void put_shape(struct words *w, const struct shape *shape, size_t depth);

static void put_children(struct words *w, const struct shape *shape, const char *separator, size_t depth)
{
    for (size_t i = 0; i < shape->children.length && !w->cut; i++) {
        if (i > 0)
            words_put(w, separator);
        if (shape->kind == SHAPE_OBJECT) {
            words_put_quoted(w, shape->keys.items[i]);
            words_put(w, ":");
        }
        put_shape(w, shape_child(shape, i), depth + 1);
    }
}

static void put_shape(struct words *w, const struct shape *shape, size_t depth)
{
    static const struct {
        const char *before, *separator, *after; /* around the children */
    } forms[SHAPE_KINDS] = {
        [SHAPE_OBJECT] = {"{", ",", "}"},          [SHAPE_LIST] = {"[", ",", "]"},     [SHAPE_ANY] = {N_("present"), "", ""},
        [SHAPE_ABSENT] = {N_("absent"), "", ""},   [SHAPE_AT_LEAST] = {N_("at least "), "", ""},
        [SHAPE_MATCHES] = {N_("matches "), "", ""}, [SHAPE_ONE_OF] = {N_("one of "), ", ", ""},
        [SHAPE_CONTAINS] = {N_("a list with "), ", ", ""}, [SHAPE_EACH] = {N_("a list, each "), "", ""},
        [SHAPE_BASE64_JSON] = {N_("base64 of "), "", ""}, [SHAPE_SECRET] = {N_("(hidden)"), "", ""},
    };
    if (w->cut || depth > SHAPE_DEPTH)
        return;
    if (forms[shape->kind].before != NULL)
        words_put(w, _(forms[shape->kind].before));
    if (shape->kind == SHAPE_SECRET)
        return;
    if (shape->value != NULL)
        words_put_value(w, shape->value);
    if (shape->words != NULL)
        words_put(w, shape->words);
    if (shape->children.length > 0)
        put_children(w, shape, forms[shape->kind].separator, depth);
    if (forms[shape->kind].after != NULL)
        words_put(w, forms[shape->kind].after);
}

void shape_describe(const struct shape *shape, size_t maximum, struct buf *out)
{
    struct words w = words_make(maximum);
    put_shape(&w, shape, 0);
    words_end(&w, out);
}
