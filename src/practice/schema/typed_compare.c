#include "practice/schema/typed.h"

#include <string.h>

/* The three sets of one comparison as they grow. */
struct growing {
    struct fieldset_list removed, modified, added;
};

/* What became of a path itself. */
enum fate { FATE_SAME, FATE_REMOVED, FATE_MODIFIED, FATE_ADDED };

struct comparison {
    struct arena *arena;
    struct error *err;
    bool failed;
};

static bool is_empty(const struct value *v)
{
    return value_first(v) == NULL;
}

static enum fate compare(struct comparison *c, const struct value *old, const struct value *new, const struct schema *schema, size_t depth,
                         struct typed_changes *below);

static void compare_entry(struct comparison *c, const struct field_element *element, const struct value *old, const struct value *new,
                          const struct schema *schema, size_t depth, struct growing *growing)
{
    struct typed_changes below = {.removed = NULL};
    enum fate fate = compare(c, old, new, schema, depth + 1, &below);
    fieldset_add(c->arena, &growing->removed, element, fate == FATE_REMOVED, below.removed);
    fieldset_add(c->arena, &growing->modified, element, fate == FATE_MODIFIED, below.modified);
    fieldset_add(c->arena, &growing->added, element, fate == FATE_ADDED, below.added);
}

static void compare_maps(struct comparison *c, const struct value *old, const struct value *new, const struct schema *schema, size_t depth,
                         struct growing *growing)
{
    const struct value **left, **right;
    size_t lefts = typed_entries(c->arena, old, &left), rights = typed_entries(c->arena, new, &right);
    for (size_t i = 0, j = 0; i < lefts || j < rights;) {
        int order = i >= lefts ? 1 : j >= rights ? -1 : strcmp(value_key(left[i]), value_key(right[j]));
        const struct value *a = order <= 0 ? left[i++] : NULL, *b = order >= 0 ? right[j++] : NULL;
        struct field_element element = {.type = FIELD_NAME, .name = value_key(b != NULL ? b : a)};
        bool declared;
        compare_entry(c, &element, a, b, typed_below(schema, element.name, &declared), depth, growing);
    }
}

/* Items that are there more than once are one field together. */
static bool same_items(struct typed_item *const *left, size_t lefts, struct typed_item *const *right, size_t rights)
{
    bool same = lefts == rights;
    for (size_t i = 0; same && i < lefts; i++)
        same = value_equal(left[i]->value, right[i]->value);
    return same;
}

/* All items with one element on either side. */
static void compare_items(struct comparison *c, struct typed_item *const *left, size_t lefts, struct typed_item *const *right, size_t rights,
                          const struct schema *items, size_t depth, struct growing *growing)
{
    const struct field_element *element = &(lefts > 0 ? left : right)[0]->element;
    struct typed_changes below = {.removed = NULL};
    if (lefts <= 1 && rights <= 1) {
        compare_entry(c, element, lefts > 0 ? left[0]->value : NULL, rights > 0 ? right[0]->value : NULL, items, depth, growing);
        return;
    }
    if (lefts >= 2 && rights >= 2) {
        fieldset_add(c->arena, &growing->modified, element, !same_items(left, lefts, right, rights), NULL);
        return;
    }
    enum fate fate = FATE_SAME;
    if (lefts >= 2 && rights == 1)
        fate = compare(c, NULL, right[0]->value, items, depth + 1, &below);
    else if (rights >= 2 && lefts == 1)
        fate = compare(c, left[0]->value, NULL, items, depth + 1, &below);
    fieldset_add(c->arena, &growing->removed, element, lefts >= 2 || fate == FATE_REMOVED, below.removed);
    fieldset_add(c->arena, &growing->modified, element, fate == FATE_MODIFIED, below.modified);
    fieldset_add(c->arena, &growing->added, element, rights >= 2 || fate == FATE_ADDED, below.added);
}

static size_t equal_run(struct typed_item *const *items, size_t at, size_t count)
{
    size_t end = at + 1;
    while (end < count && field_compare(&items[end]->element, &items[at]->element) == 0)
        end++;
    return end - at;
}

static void compare_lists(struct comparison *c, const struct value *old, const struct value *new, const struct schema *schema, size_t depth,
                          struct growing *growing)
{
    struct typed_item *items, **left, **right;
    size_t lefts, rights;
    if (c->failed || !typed_items(c->arena, old, schema, &items, &left, &lefts, c->err) ||
        !typed_items(c->arena, new, schema, &items, &right, &rights, c->err)) {
        c->failed = true;
        return;
    }
    for (size_t i = 0, j = 0; i < lefts || j < rights;) {
        int order = i >= lefts ? 1 : j >= rights ? -1 : field_compare(&left[i]->element, &right[j]->element);
        size_t n = order <= 0 ? equal_run(left, i, lefts) : 0, m = order >= 0 ? equal_run(right, j, rights) : 0;
        compare_items(c, left + i, n, right + j, m, schema->items, depth, growing);
        i += n;
        j += m;
    }
}

static enum fate compare(struct comparison *c, const struct value *old, const struct value *new, const struct schema *schema, size_t depth,
                         struct typed_changes *below)
{
    enum typed_shape shape = typed_shape(schema, value_type(new) > VALUE_NULL ? new : old);
    bool leaf = shape == TYPED_LEAF || depth >= FIELD_DEPTH || (is_empty(old) && is_empty(new));
    struct growing growing = {.removed = {.first = NULL}};
    if (!leaf && shape == TYPED_MAP)
        compare_maps(c, old, new, schema, depth, &growing);
    else if (!leaf)
        compare_lists(c, old, new, schema, depth, &growing);
    *below = (struct typed_changes){.removed = growing.removed.first, .modified = growing.modified.first, .added = growing.added.first};
    return old == NULL ? FATE_ADDED : new == NULL ? FATE_REMOVED : leaf && !value_equal(old, new) ? FATE_MODIFIED : FATE_SAME;
}

bool typed_compare(struct arena *arena, const struct value *old, const struct value *new, const struct schema *schema, struct typed_changes *changes,
                   struct error *err)
{
    struct comparison c = {.arena = arena, .err = err};
    compare(&c, old, new, schema, 0, changes);
    return !c.failed;
}

static const struct fieldset *fields(struct arena *arena, const struct value *v, const struct schema *schema, size_t depth, bool *self);

static const struct fieldset *fields_of_map(struct arena *arena, const struct value *v, const struct schema *schema, size_t depth)
{
    const struct value **entries;
    size_t count = typed_entries(arena, v, &entries);
    struct fieldset_list list = {.first = NULL};
    for (size_t i = 0; i < count; i++) {
        struct field_element element = {.type = FIELD_NAME, .name = value_key(entries[i])};
        bool declared, self, empty = value_type(entries[i]) == VALUE_NULL || (value_type(entries[i]) == VALUE_OBJECT && is_empty(entries[i]));
        const struct schema *below = typed_below(schema, element.name, &declared);
        const struct fieldset *children = fields(arena, entries[i], below, depth + 1, &self);
        fieldset_add(arena, &list, &element, self || empty || !declared, children);
    }
    return list.first;
}

static const struct fieldset *fields_of_list(struct arena *arena, const struct value *v, const struct schema *schema, size_t depth)
{
    struct typed_item *items, **sorted;
    size_t count;
    struct fieldset_list list = {.first = NULL};
    if (!typed_items(arena, v, schema, &items, &sorted, &count, NULL))
        return NULL;
    for (size_t i = 0, same; i < count; i += same) {
        bool self;
        same = equal_run(sorted, i, count);
        fieldset_add(arena, &list, &sorted[i]->element, true, same > 1 ? NULL : fields(arena, sorted[i]->value, schema->items, depth + 1, &self));
    }
    return list.first;
}

/* What is below a value; *self: it is a field itself. */
static const struct fieldset *fields(struct arena *arena, const struct value *v, const struct schema *schema, size_t depth, bool *self)
{
    enum typed_shape shape = depth >= FIELD_DEPTH ? TYPED_LEAF : typed_shape(schema, v);
    *self = shape == TYPED_LEAF;
    if (shape == TYPED_LEAF)
        return NULL;
    return shape == TYPED_MAP ? fields_of_map(arena, v, schema, depth) : fields_of_list(arena, v, schema, depth);
}

const struct fieldset *typed_fields(struct arena *arena, const struct value *v, const struct schema *schema)
{
    bool self;
    return fields(arena, v, schema, 0, &self);
}
