/* crd_schema: a definition's tree as the nodes that everything else reads (schema.h). */
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/crd_internal.h"

enum { DEFAULT_TEXT = 1 << 20 };

static const struct schema any_text = {.type = SCHEMA_STRING, .flags = SCHEMA_CUSTOM};

static void *zeroed(struct arena *arena, size_t count, size_t size)
{
    void *memory = arena_get(arena, count * size);
    if (memory != NULL)
        memset(memory, 0, count * size);
    return memory;
}

static enum schema_type scalar_type(const struct crd_node *node)
{
    static const struct {
        const char *name;
        enum schema_type type;
    } types[] = {{"string", SCHEMA_STRING}, {"boolean", SCHEMA_BOOL}, {"number", SCHEMA_DOUBLE}, {"array", SCHEMA_ARRAY}};
    if (node->int_or_string)
        return SCHEMA_INT_OR_STRING;
    if (strcmp(node->type, "integer") == 0)
        return strcmp(node->format, "int32") == 0 ? SCHEMA_INT32 : SCHEMA_INT64;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(node->type, types[i].name) == 0)
            return types[i].type;
    return SCHEMA_ANY;
}

static const char *default_text(struct arena *arena, const struct value *fallback)
{
    char *text = fallback != NULL ? json_text(fallback, DEFAULT_TEXT) : NULL;
    if (text == NULL)
        return NULL;
    size_t length = strlen(text) + 1;
    char *kept = arena_get(arena, length);
    if (kept != NULL)
        memcpy(kept, text, length);
    mem_free(text);
    return kept;
}

static bool is_required(const struct crd_node *node, const char *name)
{
    for (const struct value *entry = value_first(value_get(node->json, "required")); entry != NULL; entry = value_next(entry))
        if (value_text(entry) != NULL && strcmp(value_text(entry), name) == 0)
            return true;
    return false;
}

static const struct schema *convert(struct arena *arena, const struct crd_node *node, bool is_root);

/* Properties, and what every resource has, in alphabetical order. */
static bool add_fields(struct arena *arena, const struct crd_node *node, bool is_resource, struct schema *schema)
{
    static const char *const meta[] = {"apiVersion", "kind", "metadata"};
    size_t extra = is_resource ? 3 : 0, at = 0, next = 0, count = 0;
    struct schema_field *fields = zeroed(arena, node->property_count + extra, sizeof *fields);
    uint16_t *by_name = zeroed(arena, node->property_count + extra, sizeof *by_name);
    if (fields == NULL || by_name == NULL)
        return false;
    while (at < node->property_count || next < extra) {
        int order = at == node->property_count ? 1 : next == extra ? -1 : strcmp(node->properties[at].name, meta[next]);
        struct schema_field *field = &fields[count];
        by_name[count] = (uint16_t)count;
        count++;
        const struct crd_node *below = order <= 0 ? node->properties[at].node : NULL;
        field->name = order <= 0 ? node->properties[at].name : meta[next];
        if (order >= 0 && strcmp(meta[next], "metadata") == 0)
            field->schema = schema_definition("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
        else
            field->schema = below != NULL && order < 0 ? convert(arena, below, false) : &any_text;
        if (field->schema == NULL)
            return false;
        if (below != NULL && order < 0) {
            field->description = field->schema->description;
            field->default_json = default_text(arena, below->fallback);
            field->flags = is_required(node, field->name) ? SCHEMA_REQUIRED : 0;
        } else {
            static const char *const words[] = {"APIVersion defines which form this document has: group and version, as apps/v1",
                                                "What kind of object this is",
                                                "Standard object's metadata: name, namespace, labels and the rest of what every object has"};
            field->description = words[next];
        }
        at += order <= 0;
        next += order >= 0;
    }
    schema->type = SCHEMA_OBJECT;
    schema->fields = fields;
    schema->by_name = by_name;
    schema->field_count = (uint16_t)count;
    return true;
}

static const char *const *enum_of(struct arena *arena, const struct crd_node *node, bool *failed)
{
    const struct value *list = value_get(node->json, "enum");
    const char **values = list != NULL ? zeroed(arena, value_length(list) + 1, sizeof *values) : NULL;
    size_t count = 0;
    *failed = list != NULL && values == NULL;
    for (const struct value *entry = value_first(list); values != NULL && entry != NULL; entry = value_next(entry)) {
        const char *text = value_text(entry);
        if (text == NULL)
            return NULL; /* of other things than texts: only its own rules tell them */
        size_t at = count++;
        for (; at > 0 && strcmp(values[at - 1], text) > 0; at--)
            values[at] = values[at - 1];
        values[at] = text;
    }
    return values;
}

static const struct schema *convert(struct arena *arena, const struct crd_node *node, bool is_root)
{
    struct schema *schema = zeroed(arena, 1, sizeof *schema);
    bool failed = false;
    if (schema == NULL)
        return NULL;
    schema->type = scalar_type(node);
    schema->flags = (uint16_t)(SCHEMA_CUSTOM | (node->nullable ? SCHEMA_NULLABLE : 0) | (node->preserve ? SCHEMA_PRESERVE : 0) |
                               (node->embedded ? SCHEMA_EMBEDDED : 0));
    schema->description = value_text(value_get(node->json, "description"));
    schema->format =
        node->format[0] != '\0' && schema->type != SCHEMA_INT32 && schema->type != SCHEMA_INT64 ? node->format : NULL;
    schema->list = node->list;
    schema->keys = node->list == SCHEMA_KEYED ? node->keys : NULL;
    schema->values = enum_of(arena, node, &failed);
    if (failed)
        return NULL;
    bool is_object = is_root || strcmp(node->type, "object") == 0;
    if (is_object && (node->additional != NULL && node->property_count == 0 && !is_root && !node->embedded)) {
        schema->type = SCHEMA_MAP;
        schema->items = convert(arena, node->additional, false);
    } else if (is_object && !is_root && node->preserve && node->property_count == 0 && !node->embedded) {
        schema->type = SCHEMA_ANY;
    } else if (is_object) {
        if (node->additional != NULL)
            schema->flags |= SCHEMA_PRESERVE;
        return add_fields(arena, node, is_root || node->embedded, schema) ? schema : NULL;
    } else if (schema->type == SCHEMA_ARRAY) {
        static const struct schema anything = {.type = SCHEMA_ANY, .flags = SCHEMA_CUSTOM | SCHEMA_PRESERVE};
        schema->items = node->items != NULL ? convert(arena, node->items, false) : &anything;
    }
    return schema->items != NULL || (schema->type != SCHEMA_ARRAY && schema->type != SCHEMA_MAP) ? schema : NULL;
}

const struct schema *crd_schema(struct arena *arena, const struct crd_node *root)
{
    return convert(arena, root, true);
}
