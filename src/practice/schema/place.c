#include <stdio.h>
#include <string.h>

#include "practice/schema/internal.h"
#include "practice/schema/table.h"

enum { GO_TYPE_TEXT = 256 };

static size_t put(char out[static PLACE_TEXT], size_t length, const char *format, const char *text, size_t index)
{
    if (length >= PLACE_TEXT - 1)
        return length;
    int more = text != NULL ? snprintf(out + length, PLACE_TEXT - length, format, text) : snprintf(out + length, PLACE_TEXT - length, "[%zu]", index);
    return length + (size_t)(more < 0 ? 0 : more);
}

static size_t put_path(const struct place *place, char out[static PLACE_TEXT])
{
    if (place == NULL)
        return 0;
    size_t length = put_path(place->up, out);
    const char *name = place->field != NULL ? place->field->name : place->key;
    return put(out, length, length == 0 ? "%s" : ".%s", name, place->index);
}

void place_path(const struct place *place, char out[static PLACE_TEXT])
{
    out[0] = '\0';
    put_path(place, out);
}

/* Go's name of the struct that a field stands in though JSON does not show it; NULL: none. */
static const char *inline_name(const struct place *place)
{
    unsigned outer = place->field->number >> 8;
    const char *name = place->field->name;
    if (place->field->number == 0 && (strcmp(name, "kind") == 0 || strcmp(name, "apiVersion") == 0))
        return "TypeMeta";
    for (const struct schema_inline *one = schema_table_inlines; outer > 0 && one->definition != NULL; one++) {
        if (one->number == outer && place->object->name != NULL && strcmp(one->definition, place->object->name) == 0)
            return one->name;
    }
    return NULL;
}

/* Fields only: Go's errors say neither indexes nor keys. */
static size_t put_go_path(const struct place *place, char out[static PLACE_TEXT])
{
    if (place == NULL)
        return 0;
    size_t length = put_go_path(place->up, out);
    if (place->field == NULL)
        return length;
    const char *inside = inline_name(place);
    if (inside != NULL)
        length = put(out, length, length == 0 ? "%s" : ".%s", inside, 0);
    return put(out, length, length == 0 ? "%s" : ".%s", place->field->name, 0);
}

/* "io.k8s.api.core.v1.PodSpec" from its last dot but `dots`. */
static const char *tail(const char *name, int dots)
{
    const char *at = name + strlen(name);
    while (at > name && (at[-1] != '.' || dots-- > 0))
        at--;
    return at;
}

static void put_go_type(const struct schema *schema, size_t length, char out[static GO_TYPE_TEXT])
{
    static const char *const names[] = {
        [SCHEMA_STRING] = "string",        [SCHEMA_BOOL] = "bool",        [SCHEMA_INT32] = "int32",
        [SCHEMA_INT64] = "int64",          [SCHEMA_DOUBLE] = "float64",   [SCHEMA_BYTES] = "[]uint8",
        [SCHEMA_QUANTITY] = "resource.Quantity", [SCHEMA_INT_OR_STRING] = "intstr.IntOrString", [SCHEMA_TIME] = "v1.Time",
        [SCHEMA_MICRO_TIME] = "v1.MicroTime", [SCHEMA_DURATION] = "v1.Duration", [SCHEMA_FIELDS] = "v1.FieldsV1",
        [SCHEMA_RAW] = "runtime.RawExtension", [SCHEMA_ANY] = "v1.JSON",  [SCHEMA_OBJECT] = "struct {}",
        [SCHEMA_ARRAY] = "[]",             [SCHEMA_MAP] = "map[string]",
    };
    if (length >= GO_TYPE_TEXT - 1)
        return;
    const char *name = schema->go_name != NULL ? schema->go_name : schema->type == SCHEMA_OBJECT && schema->name != NULL ? tail(schema->name, 1) : NULL;
    int more = snprintf(out + length, GO_TYPE_TEXT - length, "%s", name != NULL ? name : names[schema->type]);
    if (name == NULL && schema->items != NULL && (schema->type == SCHEMA_ARRAY || schema->type == SCHEMA_MAP))
        put_go_type(schema->items, length + (size_t)more, out);
}

void place_wrong_type(struct reading *r, const struct place *place, const char *what, const struct schema *schema, const char *type)
{
    char path[PLACE_TEXT] = "", go_type[GO_TYPE_TEXT];
    if (r->wrong && type == NULL)
        return;
    r->wrong = true;
    if (type == NULL) {
        put_go_type(schema, 0, go_type);
        type = go_type;
    }
    put_go_path(place, path);
    while (place != NULL && place->field == NULL)
        place = place->up;
    if (place == NULL || place->object->name == NULL)
        error_set(&r->err, ERROR_INPUT, "", "json: cannot unmarshal %s into Go value of type %s", what, type);
    else
        error_set(&r->err, ERROR_INPUT, "", "json: cannot unmarshal %s into Go struct field %s.%s of type %s", what, tail(place->object->name, 0), path, type);
}
