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

bool schema_apply_defaults(struct value *object, const struct schema *schema)
{
    if (object == NULL || schema == NULL)
        return true;
    enum value_type type = value_type(object);
    if (type == VALUE_OBJECT && schema->type == SCHEMA_OBJECT) {
        for (size_t i = 0; i < schema->field_count; i++) {
            const struct schema_field *field = &schema->fields[i];
            if (field->default_json == NULL || !is_unset(value_get(object, field->name), field))
                continue;
            if (!value_set(object, field->name, default_of(field->default_json)))
                return false;
        }
    }
    if ((type != VALUE_OBJECT && type != VALUE_ARRAY) || (type == VALUE_ARRAY && schema->type != SCHEMA_ARRAY))
        return true;
    for (struct value *entry = value_first(object); entry != NULL; entry = value_next(entry)) {
        const struct schema *below = type == VALUE_ARRAY ? schema->items : schema_below(schema, value_key(entry));
        if (!schema_apply_defaults(entry, below))
            return false;
    }
    return true;
}
