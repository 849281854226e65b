#include "practice/schema/defaults.h"

#include <string.h>

#include "data/json.h"

/* A field's default as a value; most are texts without escapes. */
static struct value *default_of(const char *json)
{
    size_t length = strlen(json);
    if (json[0] == '"' && length >= 2 && memchr(json, '\\', length) == NULL)
        return value_string_n(json + 1, length - 2);
    return json_parse(json, length, "a default", NULL);
}

/* Absent, or the null or "" that stands for absent in a field that is always there. */
static bool is_unset(const struct value *v, const struct schema_field *field)
{
    const char *text = value_text(v);
    return v == NULL || value_type(v) == VALUE_NULL || (text != NULL && text[0] == '\0' && (field->flags & SCHEMA_ALWAYS) != 0 &&
                                                        (field->flags & SCHEMA_POINTER) == 0);
}

static bool add_default(struct value *object, const struct schema *schema, const struct schema_field *field)
{
    struct value *fresh = default_of(field->default_json);
    if (!value_set(object, field->name, fresh))
        return false;
    schema_brand(schema, field, fresh);
    return true;
}

static bool default_fields(struct value *object, const struct schema *schema)
{
    uint64_t absent = schema->defaulted;
    for (struct value *entry = value_first(object); entry != NULL && absent != 0; entry = value_next(entry)) {
        const struct schema_field *field = schema_entry(schema, entry);
        if (field != NULL && !is_unset(entry, field))
            absent &= ~(UINT64_C(1) << (field - schema->fields));
    }
    for (size_t i = 0; absent != 0; i++, absent >>= 1)
        if ((absent & 1) != 0 && !add_default(object, schema, &schema->fields[i]))
            return false;
    for (struct value *entry = value_first(object); entry != NULL; entry = value_next(entry)) {
        const struct schema_field *field = schema_entry(schema, entry);
        if (field != NULL && !schema_apply_defaults(entry, field->schema))
            return false;
    }
    return true;
}

bool schema_apply_defaults(struct value *object, const struct schema *schema)
{
    if (object == NULL || schema == NULL)
        return true;
    enum value_type type = value_type(object);
    if (type == VALUE_OBJECT && schema->type == SCHEMA_OBJECT)
        return default_fields(object, schema);
    if (!(type == VALUE_OBJECT && schema->type == SCHEMA_MAP) && !(type == VALUE_ARRAY && schema->type == SCHEMA_ARRAY))
        return true;
    for (struct value *entry = value_first(object); entry != NULL; entry = value_next(entry))
        if (!schema_apply_defaults(entry, schema->items))
            return false;
    return true;
}
