#include "practice/schema/patch_internal.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "practice/schema/go_print.h"

static const char directive[] = "$patch", retain_keys[] = "$retainKeys", delete_list[] = "$deleteFromPrimitiveList",
                  element_order[] = "$setElementOrder";

bool patch_refuse(struct patching *p, enum error_kind kind, const char *message)
{
    return error_set(p->err, kind, "", "%s", message);
}

bool patch_misfit(struct patching *p)
{
    return patch_refuse(p, ERROR_INVALID, "the server rejected our request due to an error in our request");
}

bool patch_panic(struct patching *p)
{
    return patch_refuse(p, ERROR_INTERNAL, "This request caused apiserver to panic. Look in the logs for details.");
}

bool patch_tell(struct patching *p, const char *before, const struct value *v, const char *after)
{
    struct buf text = buf_make(SIZE_MAX);
    go_print(v, &text);
    bool ok = buf_ok(&text);
    if (ok)
        error_set(p->err, ERROR_INTERNAL, "", "%s%s%s", before, text.bytes, after);
    else
        error_memory(p->err);
    buf_free(&text);
    return false;
}

bool patch_no_key(struct patching *p, const struct value *map, const char *merge_key)
{
    char after[128];
    snprintf(after, sizeof after, " does not contain declared merge key: %s", merge_key);
    return patch_tell(p, "map: ", map, after);
}

bool patch_wrong_type(struct patching *p, const char *expected, const struct value *actual)
{
    return error_set(p->err, ERROR_INTERNAL, "", "expected a %s, but received a %s", expected, go_type(actual));
}

static bool starts(const char *key, const char *prefix)
{
    return strncmp(key, prefix, strlen(prefix)) == 0;
}

/* What stands behind "PREFIX/". NULL: nothing does. */
static const char *named_by(const char *key, const char *prefix)
{
    const char *rest = key + strlen(prefix);
    return *rest == '/' ? rest + 1 : NULL;
}

/* What Go calls the kind of a type. */
static const char *go_kind(const struct schema *schema)
{
    static const char *const kinds[] = {
        [SCHEMA_STRING] = "string",  [SCHEMA_BOOL] = "bool",   [SCHEMA_INT32] = "int32", [SCHEMA_INT64] = "int64",
        [SCHEMA_DOUBLE] = "float64", [SCHEMA_BYTES] = "slice", [SCHEMA_ARRAY] = "slice", [SCHEMA_MAP] = "map"};
    size_t count = sizeof kinds / sizeof kinds[0];
    return schema != NULL && schema->type < count && kinds[schema->type] != NULL ? kinds[schema->type] : "struct";
}

/* The last part of the name of its definition. */
static const char *struct_name(const struct schema *schema)
{
    static const char *const special[] = {[SCHEMA_QUANTITY] = "Quantity",
                                          [SCHEMA_INT_OR_STRING] = "IntOrString",
                                          [SCHEMA_TIME] = "Time",
                                          [SCHEMA_MICRO_TIME] = "MicroTime",
                                          [SCHEMA_DURATION] = "Duration",
                                          [SCHEMA_FIELDS] = "FieldsV1",
                                          [SCHEMA_RAW] = "RawExtension",
                                          [SCHEMA_ANY] = "JSON",
                                          [SCHEMA_OBJECT] = ""};
    const char *name = schema->name != NULL ? schema->name : special[schema->type], *dot = strrchr(name, '.');
    return dot != NULL ? dot + 1 : name;
}

/* A field as Go's JSON finds it: exactly, else whatever the case. NULL with an error. */
static const struct schema_field *field_of(struct patching *p, const struct schema *schema, const char *key)
{
    if (strcmp(go_kind(schema), "struct") != 0) {
        error_set(p->err, ERROR_INTERNAL, "", "merging an object in json but data type is not struct, instead is: %s",
                  go_kind(schema));
        return NULL;
    }
    const struct schema_field *field = schema_field(schema, key);
    for (size_t i = 0; field == NULL && schema->type == SCHEMA_OBJECT && i < schema->field_count; i++)
        field = strcasecmp(schema->fields[i].name, key) == 0 ? &schema->fields[i] : NULL;
    if (field == NULL) {
        struct buf quoted = buf_make(SIZE_MAX);
        go_quote(key, &quoted);
        if (buf_ok(&quoted))
            error_set(p->err, ERROR_INTERNAL, "", "unable to find api field in struct %s for the json field %s",
                      struct_name(schema), quoted.bytes);
        else
            error_memory(p->err);
        buf_free(&quoted);
    }
    return field;
}

static bool list_of(struct patching *p, const struct schema *schema, const char *key, struct patch_list *how)
{
    const struct schema_field *field = field_of(p, schema, key);
    if (field == NULL)
        return false;
    bool array = field->schema->type == SCHEMA_ARRAY;
    if (!array && (field->flags & SCHEMA_POINTER) == 0)
        return error_set(p->err, ERROR_INTERNAL, "", "expected slice or array type, but got: %s", go_kind(schema));
    *how = (struct patch_list){.items = array ? field->schema->items : field->schema,
                               .merge_key = field->schema->merge_key,
                               .merge = ((field->flags | field->schema->flags) & SCHEMA_MERGE) != 0};
    return true;
}

struct value *patch_without_directives(struct value *v)
{
    if (value_get(v, directive) != NULL) {
        value_free(v);
        return NULL;
    }
    for (struct value *entry = value_first(v), *next; entry != NULL; entry = next) {
        next = value_next(entry);
        if (value_get(entry, directive) != NULL)
            value_free(value_take(v, entry));
        else
            patch_without_directives(entry); /* not marked: it stays where it is */
    }
    return v;
}

static void drop_nulls(struct value *v)
{
    bool object = value_type(v) == VALUE_OBJECT;
    for (struct value *entry = value_first(v), *next; entry != NULL; entry = next) {
        next = value_next(entry);
        if (object && value_type(entry) == VALUE_NULL)
            value_free(value_take(v, entry));
        else
            drop_nulls(entry);
    }
}

/* $patch in an object. Uses both up. */
static struct value *directed(struct patching *p, struct value *original, struct value *patch)
{
    const char *word = value_text(value_get(patch, directive));
    value_free(original);
    if (word != NULL && strcmp(word, "replace") == 0) {
        value_remove(patch, directive);
        return patch;
    }
    struct buf before = buf_make(SIZE_MAX);
    buf_append_string(&before, "unknown patch type: ");
    go_print(value_get(patch, directive), &before);
    buf_append_string(&before, " in map: ");
    bool empties = word != NULL && strcmp(word, "delete") == 0;
    struct value *empty = empties ? value_object() : NULL;
    if (!buf_ok(&before) || (empties && empty == NULL))
        error_memory(p->err);
    else if (!empties)
        patch_tell(p, before.bytes, patch, "");
    buf_free(&before);
    value_free(patch);
    return empty;
}

/* $retainKeys: what is not in the list goes; what the patch sets must be in it. */
static bool retain(struct patching *p, struct value *original, struct value *patch)
{
    struct value *list = value_get(patch, retain_keys);
    if (list == NULL)
        return true;
    struct map kept = map_make(SIZE_MAX, NULL);
    bool ok = value_type(list) == VALUE_ARRAY || patch_refuse(p, ERROR_INPUT, "invalid patch format of retainKeys");
    for (const struct value *key = value_first(list); ok && key != NULL; key = value_next(key))
        if (value_type(key) == VALUE_OBJECT || value_type(key) == VALUE_ARRAY)
            ok = patch_panic(p);
        else if (value_text(key) != NULL)
            ok = map_set(&kept, value_text(key), list) || error_memory(p->err);
    for (const struct value *entry = value_first(patch); ok && entry != NULL; entry = value_next(entry)) {
        const char *key = value_key(entry);
        bool sets =
            entry != list && value_type(entry) != VALUE_NULL && !starts(key, delete_list) && !starts(key, element_order);
        ok = !sets || map_has(&kept, key) || patch_refuse(p, ERROR_INPUT, "invalid patch format of retainKeys");
    }
    for (struct value *entry = value_first(original), *next; ok && entry != NULL; entry = next) {
        next = value_next(entry);
        if (!map_has(&kept, value_key(entry)))
            value_free(value_take(original, entry));
    }
    map_free(&kept);
    value_free(value_take(patch, list));
    return ok;
}

/* Takes an entry's value out and makes a list of it. */
static bool take_list(struct patching *p, struct value *object, struct value *entry, struct vec *items)
{
    bool ok = true;
    *items = vec_make(SIZE_MAX, (void (*)(void *))value_free);
    if (entry != NULL)
        patch_take_items(value_take(object, entry), items, &ok);
    return ok || error_memory(p->err);
}

/* Gives an object's field a list. */
static bool give_list(struct patching *p, struct value *object, const char *key, struct vec *items)
{
    struct value *array = patch_array_of(p, items);
    return array != NULL && (value_set(object, key, array) || error_memory(p->err));
}

/* The list that an order is for, with the patch's list in it if there is one. */
static bool ordered(struct patching *p, struct value *original, struct value *patch, const char *key, const struct value *order,
                    const struct patch_list *how)
{
    struct value *there = value_get(original, key), *new = value_get(patch, key);
    struct value *there_before = value_copy(there), *new_before = value_copy(new);
    struct vec first, second, merged = vec_make(SIZE_MAX, (void (*)(void *))value_free);
    bool ok = (there_before != NULL || there == NULL) && (new_before != NULL || new == NULL);
    if (!ok)
        error_memory(p->err);
    if (there == NULL && new != NULL)
        patch_without_directives(new);
    ok &= take_list(p, original, there, &first);
    ok &= take_list(p, patch, new, &second);
    if (ok && there != NULL && new != NULL)
        ok = patch_lists(p, &first, &second, how, false, &merged);
    else if (ok) {
        struct vec *only = there != NULL ? &first : &second;
        vec_free(&merged);
        merged = *only;
        *only = vec_make(SIZE_MAX, (void (*)(void *))value_free);
    }
    ok = ok && patch_order(p, &merged, order, there_before, new_before, how->merge_key) && give_list(p, original, key, &merged);
    vec_free(&first);
    vec_free(&second);
    vec_free(&merged);
    value_free(there_before);
    value_free(new_before);
    return ok;
}

/* One $setElementOrder/KEY, taken out of the patch: the list that it is for is done here. */
static bool order_one(struct patching *p, struct value *original, struct value *patch, const char *whole,
                      const struct value *order, const struct schema *schema)
{
    static const char list[] = "[]interface {}";
    const char *key = named_by(whole, element_order);
    struct patch_list how;
    if (value_type(order) != VALUE_ARRAY)
        return patch_wrong_type(p, list, order);
    if (key == NULL)
        return patch_refuse(p, ERROR_INPUT, "invalid patch format of setElementOrder list");
    const struct value *there = value_get(original, key), *new = value_get(patch, key);
    if (there != NULL && value_type(there) != VALUE_ARRAY)
        return patch_wrong_type(p, list, there);
    if (new != NULL && value_type(new) != VALUE_ARRAY)
        return patch_wrong_type(p, list, new);
    if (!list_of(p, schema, key, &how) || !patch_check_order(p, new, order, how.merge_key))
        return false;
    return (there == NULL && new == NULL) || ordered(p, original, patch, key, order, &how);
}

static bool order_all(struct patching *p, struct value *original, struct value *patch, const struct schema *schema)
{
    bool ok = true;
    for (struct value *entry = value_first(patch); ok && entry != NULL;) {
        if (!starts(value_key(entry), element_order)) {
            entry = value_next(entry);
            continue;
        }
        char *key = mem_string(value_key(entry));
        struct value *order = value_take(patch, entry);
        ok = key != NULL ? order_one(p, original, patch, key, order, schema) : error_memory(p->err);
        value_free(order);
        mem_free(key);
        entry = value_first(patch); /* the list is gone, too: begin anew */
    }
    return ok;
}

/* Takes the patch's value over. */
static bool set_plain(struct patching *p, struct value *original, const char *key, struct value *new)
{
    drop_nulls(new);
    new = patch_without_directives(new);
    if (new != NULL)
        return value_set(original, key, new) || error_memory(p->err);
    value_remove(original, key);
    return true;
}

static bool lay_list(struct patching *p, struct value *original, struct value *there, const char *key, struct value *new,
                     const struct schema *schema, bool deletes)
{
    struct patch_list how;
    struct vec first, second, merged = vec_make(SIZE_MAX, (void (*)(void *))value_free);
    if (!list_of(p, schema, key, &how)) {
        value_free(new);
        return false;
    }
    bool ok = take_list(p, original, there, &first), taken = true;
    second = vec_make(SIZE_MAX, (void (*)(void *))value_free);
    patch_take_items(new, &second, &taken);
    if (!taken)
        error_memory(p->err);
    ok = ok && taken && patch_lists(p, &first, &second, &how, deletes, &merged) && give_list(p, original, key, &merged);
    vec_free(&first);
    vec_free(&second);
    vec_free(&merged);
    return ok;
}

static bool lay_object(struct patching *p, struct value *original, struct value *there, const char *key, struct value *new,
                       const struct schema *schema)
{
    const struct schema_field *field = field_of(p, schema, key);
    if (field == NULL) {
        value_free(new);
        return false;
    }
    /* PodDisruptionBudget's selector is the one field with patchStrategy "replace". */
    bool replaces = schema->name != NULL && strcmp(schema->name, "io.k8s.api.policy.v1.PodDisruptionBudgetSpec") == 0 &&
                    strcmp(key, "selector") == 0;
    struct value *merged = replaces ? new : patch_object(p, value_take(original, there), new, field->schema);
    return merged != NULL && (value_set(original, key, merged) || error_memory(p->err));
}

/* One entry of a patch. Takes the value over. */
static bool lay(struct patching *p, struct value *original, const char *whole, struct value *new, const struct schema *schema)
{
    bool deletes = starts(whole, delete_list);
    const char *key = deletes ? named_by(whole, delete_list) : whole;
    struct value *there = key != NULL ? value_get(original, key) : NULL;
    bool ok = key != NULL || patch_refuse(p, ERROR_INPUT, "invalid patch format of primitive list");
    enum value_type type = value_type(new);
    if (ok && type == VALUE_NULL)
        value_remove(original, key);
    else if (ok && (there == NULL || value_type(there) != type)) {
        if (!deletes)
            return set_plain(p, original, key, new);
    } else if (ok && type == VALUE_OBJECT)
        return lay_object(p, original, there, key, new, schema);
    else if (ok && type == VALUE_ARRAY)
        return lay_list(p, original, there, key, new, schema, deletes);
    else if (ok)
        return value_set(original, key, new) || error_memory(p->err);
    value_free(new);
    return ok;
}

struct value *patch_object(struct patching *p, struct value *original, struct value *patch, const struct schema *schema)
{
    if (value_get(patch, directive) != NULL)
        return directed(p, original, patch);
    bool ok = retain(p, original, patch) && order_all(p, original, patch, schema);
    while (ok && value_first(patch) != NULL) {
        struct value *entry = value_first(patch);
        char *key = mem_string(value_key(entry));
        ok = key != NULL ? lay(p, original, key, value_take(patch, entry), schema) : error_memory(p->err);
        mem_free(key);
    }
    value_free(patch);
    if (ok)
        return original;
    value_free(original);
    return NULL;
}

struct value *patch_strategic(const struct value *document, const struct value *patch, const struct schema *schema,
                              struct error *err)
{
    enum value_type type = value_type(patch);
    if (type != VALUE_OBJECT && type != VALUE_NULL) {
        error_set(err, ERROR_INPUT, "", "json: cannot unmarshal %s into Go value of type map[string]interface {}",
                  value_type_name(type));
        return NULL;
    }
    struct patching p = {.err = err, .key = buf_make(SIZE_MAX)};
    struct value *original = value_copy(document), *own = type == VALUE_NULL ? value_object() : value_copy(patch),
                 *result = NULL;
    if (original != NULL && own != NULL)
        result = patch_object(&p, original, own, schema);
    else {
        value_free(original);
        value_free(own);
        error_memory(err);
    }
    buf_free(&p.key);
    return result;
}
