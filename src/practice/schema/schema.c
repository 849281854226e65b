#include "practice/schema/schema.h"

#include <string.h>

#include "practice/schema/table.h"

const struct schema_field *schema_field(const struct schema *object, const char *name)
{
    if (object == NULL || object->type != SCHEMA_OBJECT)
        return NULL;
    size_t low = 0, high = object->field_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct schema_field *field = &object->fields[object->by_name[middle]];
        int order = (unsigned char)name[0] - (unsigned char)field->name[0]; /* mostly enough, and a call less */
        if (order == 0)
            order = strcmp(name, field->name);
        if (order == 0)
            return field;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct schema_field *schema_entry(const struct schema *object, const struct value *entry)
{
    int number = value_brand_of(entry);
    if (number > 0 && object != NULL && number <= object->field_count && object->fields[number - 1].name == value_key(entry))
        return &object->fields[number - 1];
    return schema_field(object, value_key(entry));
}

void schema_brand(const struct schema *object, const struct schema_field *field, struct value *entry)
{
    if ((object->flags & SCHEMA_CUSTOM) == 0 && value_key(entry) != field->name)
        value_brand(entry, field->name, (int)(field - object->fields) + 1);
}

const struct schema *schema_below(const struct schema *schema, const char *key)
{
    if (schema == NULL)
        return NULL;
    const struct schema_field *field = schema_field(schema, key);
    if (field != NULL)
        return field->schema;
    return schema->type == SCHEMA_MAP ? schema->items : NULL;
}

const struct schema *schema_definition(const char *name)
{
    size_t low = 0, high = schema_table_definitions_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, schema_table_definitions[middle]->name);
        if (order == 0)
            return schema_table_definitions[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct schema *const *schema_definitions(size_t *count)
{
    *count = schema_table_definitions_count;
    return schema_table_definitions;
}

const struct schema_kind *const *schema_kinds(size_t *count)
{
    *count = schema_table_kinds_count;
    return schema_table_kinds;
}

static int compare(const char *group, const char *version, const char *kind, const struct schema_kind *with)
{
    int order = strcmp(kind, with->kind);
    if (order == 0)
        order = strcmp(group, with->group);
    return order != 0 ? order : strcmp(version, with->version);
}

const struct schema_kind *schema_kind_of(const char *group, const char *version, const char *kind)
{
    size_t low = 0, high = schema_table_kinds_by_name_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare(group, version, kind, schema_table_kinds_by_name[middle]);
        if (order == 0)
            return schema_table_kinds_by_name[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct schema_kind *schema_kind_at(const char *api_version, const char *kind)
{
    char group[256];
    const char *slash = strchr(api_version, '/');
    size_t length = slash != NULL ? (size_t)(slash - api_version) : 0;
    if (length >= sizeof group)
        return NULL;
    memcpy(group, api_version, length);
    group[length] = '\0';
    return schema_kind_of(group, slash != NULL ? slash + 1 : api_version, kind);
}
