#include "practice/schema/typed.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/go_print.h"

enum { FEW = 24, COMPLAINTS = 100 };

/* The list type; lists of built-in kinds that have none are told by how they are patched. */
static enum schema_list list_of(const struct schema *schema)
{
    if (schema->list != SCHEMA_GRANULAR)
        return schema->list;
    if ((schema->flags & SCHEMA_MERGE) == 0)
        return SCHEMA_ATOMIC;
    return schema->merge_key != NULL ? SCHEMA_KEYED : SCHEMA_SET;
}

static bool by_value(const struct schema *schema)
{
    return schema == NULL || schema->type == SCHEMA_ANY || schema->type == SCHEMA_FIELDS;
}

enum typed_shape typed_shape(const struct schema *schema, const struct value *v)
{
    if (by_value(schema))
        return value_type(v) == VALUE_OBJECT ? TYPED_MAP : TYPED_LEAF;
    if (schema->type == SCHEMA_OBJECT || schema->type == SCHEMA_MAP)
        return schema->list == SCHEMA_ATOMIC ? TYPED_LEAF : TYPED_MAP;
    if (schema->type != SCHEMA_ARRAY)
        return TYPED_LEAF;
    enum schema_list list = list_of(schema);
    return list == SCHEMA_SET ? TYPED_SET : list == SCHEMA_KEYED ? TYPED_KEYED : TYPED_LEAF;
}

const struct schema *typed_below(const struct schema *schema, const char *key, bool *declared)
{
    const struct schema_field *field = by_value(schema) ? NULL : schema_field(schema, key);
    *declared = field != NULL;
    if (field != NULL)
        return field->schema;
    return !by_value(schema) && schema->type == SCHEMA_MAP ? schema->items : NULL;
}

const struct schema_field *typed_next_field(const struct schema *schema, const char *key, size_t *cursor)
{
    if (by_value(schema) || schema->type != SCHEMA_OBJECT)
        return NULL;
    for (; *cursor < schema->field_count; ++*cursor) {
        const struct schema_field *field = &schema->fields[schema->by_name[*cursor]];
        int order = typed_name_order(field->name, key);
        if (order >= 0)
            return order == 0 ? field : NULL;
    }
    return NULL;
}

static int by_key(const void *a, const void *b)
{
    const struct value *const *x = a, *const *y = b;
    return strcmp(value_key(*x), value_key(*y));
}

size_t typed_entries(struct arena *arena, const struct value *object, const struct value ***entries)
{
    size_t count = value_type(object) == VALUE_OBJECT ? value_length(object) : 0, i = 0;
    const struct value **made = arena_get(arena, count * sizeof *made);
    *entries = made;
    if (made == NULL)
        return 0;
    for (const struct value *entry = value_first(object); i < count; entry = value_next(entry), i++) {
        size_t at = i;
        for (; count <= FEW && at > 0 && typed_name_order(value_key(made[at - 1]), value_key(entry)) > 0; at--)
            made[at] = made[at - 1];
        made[at] = entry;
    }
    if (count > FEW)
        qsort(made, count, sizeof *made, by_key);
    return count;
}

/* What a key counts as that an item does not say: its default, the zero of a field that is always there, or NULL. */
static const struct value *key_default(struct arena *arena, const struct schema *items, const char *key)
{
    const struct schema_field *field = schema_field(items, key);
    if (field == NULL)
        return NULL;
    if (field->default_json != NULL)
        return arena_own(arena, json_parse(field->default_json, strlen(field->default_json), "default", NULL));
    /* The one key whose default ("") the table does not have, since it makes no difference in Go's decoding: OpenAPI says it.
     */
    bool reference = items->name != NULL && strcmp(items->name, "io.k8s.api.core.v1.LocalObjectReference") == 0;
    if (!reference && ((field->flags & SCHEMA_ALWAYS) == 0 || (field->flags & SCHEMA_POINTER) != 0))
        return NULL;
    switch (field->schema->type) {
    case SCHEMA_STRING:
        return arena_own(arena, value_string(""));
    case SCHEMA_BOOL:
        return arena_own(arena, value_bool(false));
    case SCHEMA_INT32:
    case SCHEMA_INT64:
    case SCHEMA_DOUBLE:
        return arena_own(arena, value_int(0));
    default:
        return NULL;
    }
}

static const char *no_keys(struct arena *arena, const char *const *keys)
{
    struct buf text = buf_make(SIZE_MAX);
    buf_append_string(&text, "associative list with keys has an element that omits all key fields [");
    for (size_t i = 0; keys[i] != NULL; i++) {
        buf_append_string(&text, i > 0 ? " " : "");
        go_quote(keys[i], &text);
    }
    buf_append_string(&text, "] (and doesn't have default values for any key fields)");
    char *kept = buf_ok(&text) ? arena_get(arena, text.length + 1) : NULL;
    if (kept != NULL)
        memcpy(kept, text.bytes, text.length + 1);
    buf_free(&text);
    return kept != NULL ? kept : "associative list with keys has an element that omits all key fields";
}

static bool keyed_element(struct arena *arena, const struct value *item, const struct schema *list,
                          struct field_element *element, const char **why)
{
    const char *const alone[] = {list->merge_key, NULL}, *const *names = list->keys != NULL ? list->keys : alone;
    unsigned count = 0, known = 0;
    while (names[count] != NULL)
        count++;
    *why = value_type(item) == VALUE_NULL     ? "associative list with keys may not have a null element"
           : value_type(item) != VALUE_OBJECT ? "associative list with keys may not have non-map elements"
                                              : NULL;
    if (*why != NULL)
        return false;
    struct field_key *keys = arena_get(arena, count * sizeof *keys);
    for (unsigned i = 0; keys != NULL && i < count; i++) {
        const struct value *v = value_get(item, names[i]);
        v = v != NULL ? v : key_default(arena, list->items, names[i]);
        if (v == NULL)
            continue;
        unsigned at = known++;
        for (; at > 0 && strcmp(keys[at - 1].name, names[i]) > 0; at--)
            keys[at] = keys[at - 1];
        keys[at] = (struct field_key){.name = names[i], .value = v};
    }
    if (known == 0)
        *why = no_keys(arena, names);
    *element = (struct field_element){.type = FIELD_KEYS, .keys = keys, .key_count = known};
    return known > 0;
}

bool typed_element(struct arena *arena, const struct value *item, const struct schema *list, struct field_element *element,
                   const char **why)
{
    if (list_of(list) == SCHEMA_KEYED)
        return keyed_element(arena, item, list, element, why);
    static const char *const refused[] = {[VALUE_OBJECT] = "associative list without keys has an element that's a map type",
                                          [VALUE_ARRAY] = "not supported: associative list with lists as elements",
                                          [VALUE_NULL] =
                                              "associative list without keys has an element that's an explicit null"};
    *element = (struct field_element){.type = FIELD_VALUE, .value = item};
    *why = refused[value_type(item)];
    return *why == NULL;
}

static int by_element(const void *a, const void *b)
{
    const struct typed_item *const *x = a, *const *y = b;
    int order = field_compare(&(*x)->element, &(*y)->element);
    return order != 0 ? order : (*x)->at < (*y)->at ? -1 : 1;
}

bool typed_items(struct arena *arena, const struct value *list, const struct schema *schema, struct typed_item **items,
                 struct typed_item ***sorted, size_t *count, struct error *err)
{
    size_t length = value_type(list) == VALUE_ARRAY ? value_length(list) : 0, i = 0;
    *items = arena_get(arena, length * sizeof **items);
    *sorted = arena_get(arena, length * sizeof **sorted);
    *count = *items != NULL && *sorted != NULL ? length : 0;
    for (const struct value *item = value_first(list); i < *count; item = value_next(item), i++) {
        const char *why;
        (*items)[i] = (struct typed_item){.value = item, .at = i};
        (*sorted)[i] = &(*items)[i];
        if (!typed_element(arena, item, schema, &(*items)[i].element, &why))
            return arena->failed ? error_memory(err) : error_set(err, ERROR_INTERNAL, "", "element %zu: %s", i, why);
    }
    if (*count > 1)
        qsort(*sorted, *count, sizeof **sorted, by_element);
    return true;
}

/* ---- validation ---- */

struct validation {
    struct arena *arena;
    struct vec *complaints;
    struct buf path;
};

static void complain(struct validation *validation, const char *format, const char *word, const struct value *v)
{
    struct buf text = buf_make(SIZE_MAX);
    if (validation->path.length > 0)
        buf_printf(&text, "%s: ", validation->path.bytes);
    buf_append_string(&text, format);
    buf_append_string(&text, word);
    if (v != NULL) {
        buf_append_string(&text, "&{");
        go_print(v, &text);
        buf_append_string(&text, "}");
    }
    char *line = buf_take(&text, NULL);
    if (line == NULL || (validation->complaints->length < COMPLAINTS && !vec_push(validation->complaints, line)))
        validation->arena->failed = true;
    else if (validation->complaints->length >= COMPLAINTS)
        mem_free(line);
}

static bool is_scalar(const struct value *v)
{
    enum value_type type = value_type(v);
    return type != VALUE_OBJECT && type != VALUE_ARRAY;
}

static void validate_scalar(struct validation *validation, const struct value *v, const struct schema *schema)
{
    enum value_type type = value_type(v);
    bool plain = schema->format == NULL || strcmp(schema->format, "byte") == 0;
    switch (schema->type) {
    case SCHEMA_INT32:
    case SCHEMA_INT64:
    case SCHEMA_DOUBLE:
        if (type != VALUE_NUMBER)
            complain(validation, "expected numeric (int or float), got ", go_type(v), NULL);
        return;
    case SCHEMA_BOOL:
        if (type != VALUE_BOOL)
            complain(validation, "expected boolean, got ", "", v);
        return;
    case SCHEMA_STRING:
    case SCHEMA_BYTES:
    case SCHEMA_DURATION:
        if (plain && type != VALUE_STRING) {
            struct buf text = buf_make(SIZE_MAX);
            go_print_syntax(v, &text);
            buf_append_string(&text, "}");
            complain(validation, "expected string, got &value.valueUnstructured{Value:", buf_ok(&text) ? text.bytes : "", NULL);
            buf_free(&text);
            return;
        }
        break;
    default:
        break;
    }
    if (!is_scalar(v))
        complain(validation, "expected any scalar, got ", "", v);
}

static void validate(struct validation *validation, const struct value *v, const struct schema *schema);

static void validate_below(struct validation *validation, const struct field_element *element, const struct value *v,
                           const struct schema *schema)
{
    size_t length = validation->path.length;
    field_describe(element, &validation->path);
    validate(validation, v, schema);
    if (validation->path.bytes != NULL)
        validation->path.bytes[length] = '\0';
    validation->path.length = length;
}

static void validate_map(struct validation *validation, const struct value *v, const struct schema *schema)
{
    for (const struct value *entry = value_first(v); entry != NULL; entry = value_next(entry)) {
        struct field_element element = {.type = FIELD_NAME, .name = value_key(entry)};
        bool declared;
        const struct schema *below = typed_below(schema, element.name, &declared);
        if (!declared && schema->type == SCHEMA_OBJECT && (schema->flags & SCHEMA_PRESERVE) == 0) {
            size_t length = validation->path.length;
            field_describe(&element, &validation->path);
            complain(validation, "field not declared in schema", "", NULL);
            if (validation->path.bytes != NULL)
                validation->path.bytes[length] = '\0';
            validation->path.length = length;
            return; /* the real one looks no further here, either */
        }
        validate_below(validation, &element, entry, below);
    }
}

static void validate_list(struct validation *validation, const struct value *list, const struct schema *schema)
{
    enum typed_shape shape = typed_shape(schema, list);
    size_t count = value_length(list), at = 0;
    struct typed_item *items = arena_get(validation->arena, count * sizeof *items),
                      **sorted = arena_get(validation->arena, count * sizeof *sorted);
    for (const struct value *item = value_first(list); items != NULL && sorted != NULL && item != NULL;
         item = value_next(item), at++) {
        const char *why = NULL;
        items[at] = (struct typed_item){.element = {.type = FIELD_INDEX, .index = (long)at}, .value = item, .at = at};
        sorted[at] = &items[at];
        if (shape != TYPED_LEAF && !typed_element(validation->arena, item, schema, &items[at].element, &why)) {
            char before[64];
            snprintf(before, sizeof before, "element %zu: ", at);
            complain(validation, before, why, NULL);
            return;
        }
        validate_below(validation, &items[at].element, item, schema->items);
    }
    if (shape == TYPED_LEAF || at < 2)
        return;
    qsort(sorted, at, sizeof *sorted, by_element);
    for (size_t i = 1; i < at; i++) {
        if (field_compare(&sorted[i - 1]->element, &sorted[i]->element) != 0)
            continue;
        struct buf text = buf_make(SIZE_MAX);
        field_describe(&sorted[i]->element, &text);
        complain(validation, "duplicate entries for key ", buf_ok(&text) ? text.bytes : "", NULL);
        buf_free(&text);
    }
}

static void validate(struct validation *validation, const struct value *v, const struct schema *schema)
{
    if (value_type(v) == VALUE_NULL || by_value(schema) || schema->type == SCHEMA_RAW)
        return;
    bool list = schema->type == SCHEMA_ARRAY, map = schema->type == SCHEMA_OBJECT || schema->type == SCHEMA_MAP;
    if (list && value_type(v) != VALUE_ARRAY)
        complain(validation, "expected list, got ", "", v);
    else if (list)
        validate_list(validation, v, schema);
    else if (map && value_type(v) != VALUE_OBJECT)
        complain(validation, "expected map, got ", "", v);
    else if (map)
        validate_map(validation, v, schema);
    else
        validate_scalar(validation, v, schema);
}

void typed_validate(struct arena *arena, const struct value *v, const struct schema *schema, struct vec *complaints)
{
    struct validation validation = {.arena = arena, .complaints = complaints, .path = buf_make(SIZE_MAX)};
    validate(&validation, v, schema);
    arena->failed |= !buf_ok(&validation.path);
    buf_free(&validation.path);
}
