#include "practice/schema/typed.h"

#include <string.h>

#include "base/mem.h"

struct merging {
    struct arena *arena;
    struct error *err;
    bool failed; /* err says why */
};

/* NULL: nothing is left, or m->failed. */
static struct value *merge(struct merging *m, const struct value *under, const struct value *over, const struct schema *schema,
                           size_t depth);

static struct value *no_memory(struct merging *m)
{
    m->failed = true;
    error_memory(m->err);
    return NULL;
}

static struct value *merge_maps(struct merging *m, const struct value *under, const struct value *over,
                                const struct schema *schema, size_t depth)
{
    struct value *out = value_object();
    const struct value **left, **right;
    size_t lefts = typed_entries(m->arena, under, &left), rights = typed_entries(m->arena, over, &right);
    bool ok = out != NULL && !m->arena->failed;
    for (size_t i = 0, j = 0; ok && (i < lefts || j < rights);) {
        int order = i >= lefts ? 1 : j >= rights ? -1 : strcmp(value_key(left[i]), value_key(right[j]));
        const struct value *a = order <= 0 ? left[i++] : NULL, *b = order >= 0 ? right[j++] : NULL;
        const char *key = value_key(b != NULL ? b : a);
        bool declared;
        struct value *child = merge(m, a, b, typed_below(schema, key, &declared), depth + 1);
        ok = child != NULL ? value_set(out, key, child) : !m->failed;
    }
    if (!ok && !m->failed)
        no_memory(m);
    if (ok && value_first(out) != NULL)
        return out;
    value_free(out);
    return NULL;
}

/* A list as it is merged. */
struct side {
    struct typed_item *items, **sorted;
    size_t count, at;
};

/* The item with an element; *twice: there are several. */
static const struct typed_item *observed(const struct side *side, const struct field_element *element, bool *twice)
{
    size_t low = 0, high = side->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (field_compare(&side->sorted[middle]->element, element) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *twice = low + 1 < side->count && field_compare(&side->sorted[low + 1]->element, element) == 0;
    return low < side->count && field_compare(&side->sorted[low]->element, element) == 0 ? side->sorted[low] : NULL;
}

static bool has(const struct side *side, const struct field_element *element)
{
    bool twice;
    return observed(side, element, &twice) != NULL;
}

static bool same(const struct field_element *a, const struct field_element *b)
{
    return a != NULL && b != NULL && field_compare(a, b) == 0;
}

/* The next item of `over` from `at` on that `under` has, too. */
static const struct field_element *shared_from(const struct side *under, const struct side *over, size_t *at)
{
    while (*at < over->count) {
        const struct field_element *element = &over->items[(*at)++].element;
        if (has(under, element))
            return element;
    }
    return NULL;
}

static bool put(struct merging *m, struct value *out, struct value *child)
{
    if (child == NULL)
        return !m->failed;
    if (value_append(out, child))
        return true;
    no_memory(m);
    return false;
}

/* An item of `over` with what `under` has of it; what it has twice counts as null. */
static bool put_over(struct merging *m, struct value *out, const struct side *under, const struct typed_item *item,
                     const struct schema *items, size_t depth, const struct value *null)
{
    bool twice = false;
    const struct typed_item *there = observed(under, &item->element, &twice);
    return put(m, out, merge(m, there == NULL ? NULL : twice ? null : there->value, item->value, items, depth + 1));
}

/* The order of both lists as far as they agree, else that of `over`: the steps are those of structured-merge-diff, whose
 * outcome is looked at by people. */
static bool weave(struct merging *m, struct value *out, struct side *under, struct side *over, const struct schema *items,
                  size_t depth, const struct value *null)
{
    size_t shared_at = 0;
    const struct field_element *shared = shared_from(under, over, &shared_at);
    bool ok = true;
    while (ok && (under->at < under->count || over->at < over->count)) {
        const struct typed_item *left = under->at < under->count ? &under->items[under->at] : NULL;
        const struct typed_item *right = over->at < over->count ? &over->items[over->at] : NULL;
        if (left != NULL && right != NULL && same(&left->element, &right->element)) {
            ok = put_over(m, out, under, right, items, depth, null);
            under->at++;
            over->at++;
            shared = shared_from(under, over, &shared_at);
            continue;
        }
        bool both = left != NULL && has(over, &left->element);
        if (left != NULL && right != NULL && both && shared != NULL && !same(shared, &left->element)) {
            under->at++; /* comes later in the other's order, or came already */
            continue;
        }
        if (left != NULL && !both) {
            ok = put(m, out, merge(m, left->value, NULL, items, depth + 1));
            under->at++;
            continue;
        }
        bool twice;
        if (left != NULL && observed(over, &left->element, &twice)->at < over->at)
            under->at++; /* merged already */
        if (right != NULL) {
            ok = put_over(m, out, under, right, items, depth, null);
            over->at++;
            if (same(shared, &right->element))
                shared = shared_from(under, over, &shared_at);
        }
    }
    return ok;
}

static struct value *merge_lists(struct merging *m, const struct value *under, const struct value *over,
                                 const struct schema *schema, size_t depth)
{
    struct side left = {.at = 0}, right = {.at = 0};
    if (!typed_items(m->arena, over, schema, &right.items, &right.sorted, &right.count, m->err) ||
        !typed_items(m->arena, under, schema, &left.items, &left.sorted, &left.count, m->err)) {
        m->failed = true;
        return NULL;
    }
    struct value *out = value_array(), *null = value_null();
    bool ok = out != NULL && null != NULL && !m->arena->failed;
    if (!ok)
        no_memory(m);
    ok = ok && weave(m, out, &left, &right, schema->items, depth, null);
    value_free(null);
    if (ok && value_first(out) != NULL)
        return out;
    value_free(out);
    return NULL;
}

static struct value *merge(struct merging *m, const struct value *under, const struct value *over, const struct schema *schema,
                           size_t depth)
{
    const struct value *telling = value_type(over) > VALUE_NULL ? over : under;
    enum typed_shape shape = typed_shape(schema, telling);
    bool leaf = shape == TYPED_LEAF || depth >= FIELD_DEPTH || (value_first(under) == NULL && value_first(over) == NULL);
    if (!leaf)
        return shape == TYPED_MAP ? merge_maps(m, under, over, schema, depth) : merge_lists(m, under, over, schema, depth);
    struct value *copy = value_copy(over != NULL ? over : under);
    return copy != NULL ? copy : no_memory(m);
}

struct value *typed_merge(struct arena *arena, const struct value *under, const struct value *over, const struct schema *schema,
                          struct error *err)
{
    struct merging m = {.arena = arena, .err = err};
    struct value *merged = merge(&m, under, over, schema, 0);
    if (merged == NULL && !m.failed) {
        merged = value_object();
        if (merged == NULL)
            error_memory(err);
    }
    return merged;
}

/* NULL: no memory. */
static struct value *remove_items(struct arena *arena, const struct value *v, const struct schema *schema,
                                  const struct fieldset *items, size_t depth)
{
    enum typed_shape shape = typed_shape(schema, v);
    bool map = shape == TYPED_MAP && value_type(v) == VALUE_OBJECT, list = shape > TYPED_MAP && value_type(v) == VALUE_ARRAY;
    if (items == NULL || depth >= FIELD_DEPTH)
        return value_copy(v);
    if (!map && !list) /* a scalar is not below itself; of what is one field as a whole nothing is left */
        return value_type(v) == VALUE_OBJECT || value_type(v) == VALUE_ARRAY ? value_null() : value_copy(v);
    struct value *out = map ? value_object() : value_array();
    bool ok = out != NULL;
    for (const struct value *entry = value_first(v); ok && entry != NULL; entry = value_next(entry)) {
        struct field_element element = {.type = FIELD_NAME, .name = value_key(entry)};
        const char *why;
        bool declared, known = map || typed_element(arena, entry, schema, &element, &why);
        const struct fieldset *there = known ? fieldset_find(items, &element) : NULL;
        if (there != NULL && there->member)
            continue;
        const struct schema *below = map ? typed_below(schema, element.name, &declared) : schema->items;
        struct value *child = there != NULL ? remove_items(arena, entry, below, there->children, depth + 1) : value_copy(entry);
        ok = map ? value_set(out, element.name, child) : value_append(out, child);
    }
    if (ok && value_first(out) != NULL)
        return out;
    value_free(out);
    return ok ? value_null() : NULL;
}

struct value *typed_remove(struct arena *arena, const struct value *v, const struct schema *schema,
                           const struct fieldset *items)
{
    return remove_items(arena, v, schema, items, 0);
}

/* The schema of what a set's element leads to; NULL: none that is known. */
static const struct schema *schema_at(const struct schema *schema, const struct field_element *element, bool *declared)
{
    *declared = false;
    if (schema == NULL)
        return NULL;
    if (element->type == FIELD_NAME)
        return typed_below(schema, element->name, declared);
    return element->type == FIELD_KEYS && schema->type == SCHEMA_ARRAY ? schema->items : NULL;
}

const struct fieldset *typed_with_named(struct arena *arena, const struct fieldset *set, const struct schema *schema)
{
    struct fieldset_list list = {.first = NULL};
    for (; set != NULL; set = set->next) {
        bool declared;
        const struct schema *below = schema_at(schema, &set->element, &declared);
        fieldset_add(arena, &list, &set->element, set->member || declared, typed_with_named(arena, set->children, below));
    }
    return list.first;
}

const struct fieldset *typed_reconcile(struct arena *arena, const struct fieldset *set, const struct schema *schema)
{
    struct fieldset_list list = {.first = NULL};
    if (schema == NULL)
        return set;
    for (; set != NULL; set = set->next) {
        bool declared, container;
        const struct schema *below = schema_at(schema, &set->element, &declared);
        container = below != NULL && (below->type == SCHEMA_OBJECT || below->type == SCHEMA_MAP || below->type == SCHEMA_ARRAY);
        bool whole = set->children != NULL && container && typed_shape(below, NULL) == TYPED_LEAF;
        fieldset_add(arena, &list, &set->element, set->member || whole,
                     whole ? NULL : typed_reconcile(arena, set->children, below));
    }
    return list.first;
}
