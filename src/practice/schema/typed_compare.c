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

/* The schema of an entry: of a field, or what any entry of a map has. */
static const struct schema *below(const struct schema *schema, const struct schema_field *field)
{
    return field != NULL ? field->schema : schema != NULL && schema->type == SCHEMA_MAP ? schema->items : NULL;
}

static enum fate compare(struct comparison *c, const struct value *old, const struct value *new, const struct schema *schema,
                         size_t depth, struct typed_changes *changes);

static void compare_entry(struct comparison *c, const struct field_element *element, const struct value *old,
                          const struct value *new, const struct schema *schema, size_t depth, struct growing *growing)
{
    struct typed_changes deeper = {.removed = NULL};
    enum fate fate = compare(c, old, new, schema, depth + 1, &deeper);
    fieldset_add(c->arena, &growing->removed, element, fate == FATE_REMOVED, deeper.removed);
    fieldset_add(c->arena, &growing->modified, element, fate == FATE_MODIFIED, deeper.modified);
    fieldset_add(c->arena, &growing->added, element, fate == FATE_ADDED, deeper.added);
}

static void compare_maps(struct comparison *c, const struct value *old, const struct value *new, const struct schema *schema,
                         size_t depth, struct growing *growing)
{
    const struct value **left, **right;
    size_t lefts = typed_entries(c->arena, old, &left), rights = typed_entries(c->arena, new, &right), cursor = 0;
    for (size_t i = 0, j = 0; i < lefts || j < rights;) {
        int order = i >= lefts ? 1 : j >= rights ? -1 : typed_name_order(value_key(left[i]), value_key(right[j]));
        const struct value *a = order <= 0 ? left[i++] : NULL, *b = order >= 0 ? right[j++] : NULL;
        struct field_element element = {.type = FIELD_NAME, .name = value_key(b != NULL ? b : a)};
        compare_entry(c, &element, a, b, below(schema, typed_next_field(schema, element.name, &cursor)), depth, growing);
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
static void compare_items(struct comparison *c, struct typed_item *const *left, size_t lefts, struct typed_item *const *right,
                          size_t rights, const struct schema *items, size_t depth, struct growing *growing)
{
    const struct field_element *element = &(lefts > 0 ? left : right)[0]->element;
    struct typed_changes deeper = {.removed = NULL};
    if (lefts <= 1 && rights <= 1) {
        compare_entry(c, element, lefts > 0 ? left[0]->value : NULL, rights > 0 ? right[0]->value : NULL, items, depth,
                      growing);
        return;
    }
    if (lefts >= 2 && rights >= 2) {
        fieldset_add(c->arena, &growing->modified, element, !same_items(left, lefts, right, rights), NULL);
        return;
    }
    enum fate fate = FATE_SAME;
    if (lefts >= 2 && rights == 1)
        fate = compare(c, NULL, right[0]->value, items, depth + 1, &deeper);
    else if (rights >= 2 && lefts == 1)
        fate = compare(c, left[0]->value, NULL, items, depth + 1, &deeper);
    fieldset_add(c->arena, &growing->removed, element, lefts >= 2 || fate == FATE_REMOVED, deeper.removed);
    fieldset_add(c->arena, &growing->modified, element, fate == FATE_MODIFIED, deeper.modified);
    fieldset_add(c->arena, &growing->added, element, rights >= 2 || fate == FATE_ADDED, deeper.added);
}

static size_t equal_run(struct typed_item *const *items, size_t at, size_t count)
{
    size_t end = at + 1;
    while (end < count && field_compare(&items[end]->element, &items[at]->element) == 0)
        end++;
    return end - at;
}

static void compare_lists(struct comparison *c, const struct value *old, const struct value *new, const struct schema *schema,
                          size_t depth, struct growing *growing)
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

static enum fate compare(struct comparison *c, const struct value *old, const struct value *new, const struct schema *schema,
                         size_t depth, struct typed_changes *changes)
{
    enum typed_shape shape = typed_shape(schema, value_type(new) > VALUE_NULL ? new : old);
    bool leaf = shape == TYPED_LEAF || depth >= FIELD_DEPTH || (is_empty(old) && is_empty(new));
    struct growing growing = {.removed = {.first = NULL}};
    if (!leaf && shape == TYPED_MAP)
        compare_maps(c, old, new, schema, depth, &growing);
    else if (!leaf)
        compare_lists(c, old, new, schema, depth, &growing);
    *changes = (struct typed_changes){
        .removed = growing.removed.first, .modified = growing.modified.first, .added = growing.added.first};
    return old == NULL ? FATE_ADDED : new == NULL ? FATE_REMOVED : leaf && !value_equal(old, new) ? FATE_MODIFIED : FATE_SAME;
}

bool typed_compare(struct arena *arena, const struct value *old, const struct value *new, const struct schema *schema,
                   struct typed_changes *changes, struct error *err)
{
    struct comparison c = {.arena = arena, .err = err};
    compare(&c, old, new, schema, 0, changes);
    return !c.failed;
}

/* ---- a new object ---- */

/* What a field is in an object that says nothing. */
static bool is_zero(const struct value *v, const struct schema_field *field)
{
    int64_t number;
    const char *text = value_text(v);
    if ((field->flags & SCHEMA_POINTER) != 0)
        return value_type(v) == VALUE_NULL;
    switch (field->schema->type) {
    case SCHEMA_STRING:
        return text != NULL && *text == '\0';
    case SCHEMA_BOOL:
        return value_type(v) == VALUE_BOOL && !value_is_true(v);
    case SCHEMA_INT32:
    case SCHEMA_INT64:
    case SCHEMA_DOUBLE:
    case SCHEMA_INT_OR_STRING:
        return value_as_int(v, &number) && number == 0;
    case SCHEMA_QUANTITY:
        return text != NULL && strcmp(text, "0") == 0;
    case SCHEMA_DURATION:
        return text != NULL && strcmp(text, "0s") == 0;
    case SCHEMA_OBJECT:
        return value_type(v) == VALUE_OBJECT && is_empty(v);
    default:
        return value_type(v) == VALUE_NULL;
    }
}

/* zero: the field, where the object that says nothing has it; NULL: it has not. Answers what is below; *self: the path itself
 * is set. */
static const struct fieldset *created(struct comparison *c, const struct value *v, const struct schema *schema,
                                      const struct schema_field *zero, size_t depth, bool *self);

static const struct fieldset *created_map(struct comparison *c, const struct value *v, const struct schema *schema, bool always,
                                          size_t depth)
{
    const struct value **entries;
    size_t count = typed_entries(c->arena, v, &entries), cursor = 0;
    struct fieldset_list list = {.first = NULL};
    for (size_t i = 0; i < count; i++) {
        struct field_element element = {.type = FIELD_NAME, .name = value_key(entries[i])};
        const struct schema_field *field = typed_next_field(schema, element.name, &cursor);
        bool self, zero = always && field != NULL && (field->flags & SCHEMA_ALWAYS) != 0;
        const struct fieldset *children = created(c, entries[i], below(schema, field), zero ? field : NULL, depth + 1, &self);
        fieldset_add(c->arena, &list, &element, self, children);
    }
    return list.first;
}

static const struct fieldset *created_list(struct comparison *c, const struct value *v, const struct schema *schema,
                                           size_t depth)
{
    struct typed_item *items, **sorted;
    size_t count;
    struct fieldset_list list = {.first = NULL};
    if (c->failed || !typed_items(c->arena, v, schema, &items, &sorted, &count, c->err)) {
        c->failed = true;
        return NULL;
    }
    for (size_t i = 0, same; i < count; i += same) {
        bool self;
        same = equal_run(sorted, i, count);
        fieldset_add(c->arena, &list, &sorted[i]->element, true,
                     same > 1 ? NULL : created(c, sorted[i]->value, schema->items, NULL, depth + 1, &self));
    }
    return list.first;
}

static const struct fieldset *created(struct comparison *c, const struct value *v, const struct schema *schema,
                                      const struct schema_field *zero, size_t depth, bool *self)
{
    enum typed_shape shape = typed_shape(schema, v);
    bool leaf = shape == TYPED_LEAF || depth >= FIELD_DEPTH || is_empty(v);
    *self = zero == NULL || (leaf && !is_zero(v, zero));
    if (leaf)
        return NULL;
    if (shape == TYPED_MAP)
        return created_map(c, v, schema, zero != NULL && schema->type == SCHEMA_OBJECT && (zero->flags & SCHEMA_POINTER) == 0,
                           depth);
    return created_list(c, v, schema, depth);
}

bool typed_created(struct arena *arena, const struct value *new, const struct schema *schema, const struct fieldset **set,
                   struct error *err)
{
    struct comparison c = {.arena = arena, .err = err};
    *set = created_map(&c, new, schema, true, 0);
    return !c.failed;
}

/* ---- all that a document speaks of ---- */

static const struct fieldset *fields(struct arena *arena, const struct value *v, const struct schema *schema, size_t depth,
                                     bool *self);

static const struct fieldset *fields_of_map(struct arena *arena, const struct value *v, const struct schema *schema,
                                            size_t depth)
{
    const struct value **entries;
    size_t count = typed_entries(arena, v, &entries), cursor = 0;
    struct fieldset_list list = {.first = NULL};
    for (size_t i = 0; i < count; i++) {
        struct field_element element = {.type = FIELD_NAME, .name = value_key(entries[i])};
        const struct schema_field *field = typed_next_field(schema, element.name, &cursor);
        bool self,
            empty = value_type(entries[i]) == VALUE_NULL || (value_type(entries[i]) == VALUE_OBJECT && is_empty(entries[i]));
        const struct fieldset *children = fields(arena, entries[i], below(schema, field), depth + 1, &self);
        fieldset_add(arena, &list, &element, self || empty || field == NULL, children);
    }
    return list.first;
}

static const struct fieldset *fields_of_list(struct arena *arena, const struct value *v, const struct schema *schema,
                                             size_t depth)
{
    struct typed_item *items, **sorted;
    size_t count;
    struct fieldset_list list = {.first = NULL};
    if (!typed_items(arena, v, schema, &items, &sorted, &count, NULL))
        return NULL;
    for (size_t i = 0, same; i < count; i += same) {
        bool self;
        same = equal_run(sorted, i, count);
        fieldset_add(arena, &list, &sorted[i]->element, true,
                     same > 1 ? NULL : fields(arena, sorted[i]->value, schema->items, depth + 1, &self));
    }
    return list.first;
}

/* What is below a value; *self: it is a field itself. */
static const struct fieldset *fields(struct arena *arena, const struct value *v, const struct schema *schema, size_t depth,
                                     bool *self)
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
