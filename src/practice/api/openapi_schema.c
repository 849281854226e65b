/* openapi_schema.c: nodes of the schema table as OpenAPI schemas. */
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/api/openapi.h"
#include "practice/schema/crd.h"

enum { OPENAPI_DEFINITIONS = 5000 };

/* Types that have a definition of their own. */
static const struct scalar {
    enum schema_type type;
    const char *name, *v3, *v2;
} scalars[] = {
    {SCHEMA_QUANTITY, "io.k8s.apimachinery.pkg.api.resource.Quantity", "\"oneOf\":[{\"type\":\"string\"},{\"type\":\"number\"}]", "\"type\":\"string\""},
    {SCHEMA_INT_OR_STRING, "io.k8s.apimachinery.pkg.util.intstr.IntOrString", "\"format\":\"int-or-string\",\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]", "\"type\":\"string\",\"format\":\"int-or-string\""},
    {SCHEMA_TIME, "io.k8s.apimachinery.pkg.apis.meta.v1.Time", "\"type\":\"string\",\"format\":\"date-time\"", "\"type\":\"string\",\"format\":\"date-time\""},
    {SCHEMA_MICRO_TIME, "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime", "\"type\":\"string\",\"format\":\"date-time\"", "\"type\":\"string\",\"format\":\"date-time\""},
    {SCHEMA_DURATION, "io.k8s.apimachinery.pkg.apis.meta.v1.Duration", "\"type\":\"string\"", "\"type\":\"string\""},
    {SCHEMA_FIELDS, "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", "\"type\":\"object\"", "\"type\":\"object\""},
    {SCHEMA_RAW, "io.k8s.apimachinery.pkg.runtime.RawExtension", "\"type\":\"object\"", "\"type\":\"object\""},
};

static const struct scalar *scalar_of(enum schema_type type)
{
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (scalars[i].type == type)
            return &scalars[i];
    return NULL;
}

/* ---- which definitions ---- */

struct openapi_set openapi_set_make(void)
{
    return (struct openapi_set){.schemas = vec_make(OPENAPI_DEFINITIONS, NULL)};
}

void openapi_set_free(struct openapi_set *set)
{
    vec_free(&set->schemas);
}

static bool holds(const struct openapi_set *set, const struct schema *schema)
{
    for (size_t i = 0; i < set->schemas.length; i++)
        if (set->schemas.items[i] == schema)
            return true;
    return false;
}

bool openapi_set_add(struct openapi_set *set, const struct schema *schema)
{
    if (schema == NULL)
        return true;
    if (scalar_of(schema->type) != NULL)
        set->scalars[schema->type] = true;
    if (schema->type == SCHEMA_ARRAY || schema->type == SCHEMA_MAP)
        return openapi_set_add(set, schema->items);
    if (schema->type != SCHEMA_OBJECT || holds(set, schema))
        return true;
    if (schema->name != NULL && !vec_push(&set->schemas, (void *)(uintptr_t)schema))
        return false;
    for (size_t i = 0; i < schema->field_count; i++)
        if (!openapi_set_add(set, schema->fields[i].schema))
            return false;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct schema *)a)->name, ((const struct schema *)b)->name);
}

static bool add_named(struct openapi_set *set, const char *prefix, const char *name)
{
    char *whole = mem_printf("%s%s", prefix, name);
    bool ok = whole != NULL && openapi_set_add(set, schema_definition(whole));
    mem_free(whole);
    return ok;
}

bool openapi_is_of(const struct schema_kind *kind, const char *group, const char *version)
{
    return group == NULL || (strcmp(kind->group, group) == 0 && strcmp(kind->version, version) == 0);
}

bool openapi_collect(const struct api *api, const char *group, const char *version, struct openapi_set *set)
{
    size_t count;
    const struct schema_kind *const *kinds = registry_kinds(api->registry, &count);
    bool ok = add_named(set, OPENAPI_META, "DeleteOptions") && add_named(set, OPENAPI_META, "Status") && add_named(set, OPENAPI_META, "ObjectMeta") && add_named(set, OPENAPI_META, "ListMeta");
    for (size_t i = 0; i < count && ok; i++) {
        if (!openapi_is_of(kinds[i], group, version) || kinds[i]->crd != NULL)
            continue;
        ok = openapi_set_add(set, kinds[i]->schema) && (kinds[i]->schema == NULL || kinds[i]->schema->name == NULL || add_named(set, kinds[i]->schema->name, "List"));
        for (const struct schema_subresource *sub = kinds[i]->subresources; sub != NULL && sub->name != NULL && ok; sub++)
            ok = openapi_set_add(set, sub->schema);
    }
    vec_sort(&set->schemas, by_name);
    return ok;
}

void openapi_join(void *data, const struct buf *text)
{
    struct openapi_joined *joined = data;
    if (text == NULL || !buf_ok(text)) {
        joined->failed = true;
        return;
    }
    buf_append(joined->out, ",", joined->any);
    buf_append(joined->out, text->bytes, text->length);
    joined->any = true;
}

/* ---- one node ---- */

static void words(const char *key, const char *const *list, struct buf *out)
{
    buf_printf(out, ",\"%s\":[", key);
    for (size_t i = 0; list[i] != NULL; i++) {
        buf_append_string(out, i > 0 ? "," : "");
        json_quote(list[i], out);
    }
    buf_append_string(out, "]");
}

static void extensions(const struct schema *schema, struct buf *out)
{
    static const char *const lists[] = {[SCHEMA_GRANULAR] = NULL, [SCHEMA_ATOMIC] = "atomic", [SCHEMA_SET] = "set", [SCHEMA_KEYED] = "map"};
    if (schema->type == SCHEMA_ARRAY && schema->keys != NULL)
        words("x-kubernetes-list-map-keys", schema->keys, out);
    if (lists[schema->list] != NULL)
        buf_printf(out, ",\"%s\":\"%s\"", schema->type == SCHEMA_ARRAY ? "x-kubernetes-list-type" : "x-kubernetes-map-type", lists[schema->list]);
    if (schema->merge_key != NULL)
        buf_printf(out, ",\"x-kubernetes-patch-merge-key\":\"%s\"", schema->merge_key);
    if ((schema->flags & (SCHEMA_MERGE | SCHEMA_RETAIN_KEYS)) != 0)
        buf_printf(out, ",\"x-kubernetes-patch-strategy\":\"%s%s%s\"", (schema->flags & SCHEMA_MERGE) != 0 ? "merge" : "",
                   (schema->flags & (SCHEMA_MERGE | SCHEMA_RETAIN_KEYS)) == (SCHEMA_MERGE | SCHEMA_RETAIN_KEYS) ? "," : "", (schema->flags & SCHEMA_RETAIN_KEYS) != 0 ? "retainKeys" : "");
}

static const char *reference_name(const struct schema *schema)
{
    const struct scalar *scalar = scalar_of(schema->type);
    return scalar != NULL ? scalar->name : schema->type == SCHEMA_OBJECT ? schema->name : NULL;
}

static void properties(const struct schema *schema, const struct openapi_form *form, struct buf *out);

/* The inside of a node's braces, without a comma before it. */
static void body(const struct schema *schema, const struct openapi_form *form, struct buf *out)
{
    static const char *const plain[] = {
        [SCHEMA_STRING] = "\"type\":\"string\"",
        [SCHEMA_BOOL] = "\"type\":\"boolean\"",
        [SCHEMA_INT32] = "\"type\":\"integer\",\"format\":\"int32\"",
        [SCHEMA_INT64] = "\"type\":\"integer\",\"format\":\"int64\"",
        [SCHEMA_DOUBLE] = "\"type\":\"number\",\"format\":\"double\"",
        [SCHEMA_BYTES] = "\"type\":\"string\",\"format\":\"byte\"",
    };
    if (schema->type == SCHEMA_ARRAY || schema->type == SCHEMA_MAP) {
        buf_printf(out, "\"type\":\"%s\",\"%s\":", schema->type == SCHEMA_ARRAY ? "array" : "object", schema->type == SCHEMA_ARRAY ? "items" : "additionalProperties");
        openapi_node(schema->items, form, out);
        extensions(schema, out);
    } else if (schema->type == SCHEMA_OBJECT)
        properties(schema, form, out);
    else if (schema->type == SCHEMA_ANY)
        buf_append_string(out, "\"x-kubernetes-preserve-unknown-fields\":true");
    else if (schema->type < sizeof plain / sizeof *plain && plain[schema->type] != NULL) {
        buf_append_string(out, plain[schema->type]);
        if (schema->format != NULL && schema->type == SCHEMA_STRING)
            buf_printf(out, ",\"format\":\"%s\"", schema->format);
        if (schema->values != NULL)
            words("enum", schema->values, out);
    }
}

void openapi_node(const struct schema *schema, const struct openapi_form *form, struct buf *out)
{
    const char *name = reference_name(schema);
    buf_append_string(out, "{");
    if (name != NULL)
        buf_printf(out, "\"$ref\":\"%s%s\"", form->reference, name);
    else
        body(schema, form, out);
    buf_append_string(out, "}");
}

/* A field that refers to a definition and says something of its own: in v3 through allOf, for a reference has no neighbours there. */
static void field(const struct schema_field *field, const struct openapi_form *form, struct buf *out)
{
    const char *name = reference_name(field->schema);
    bool bare = field->description == NULL && field->default_json == NULL && (field->schema->flags & (SCHEMA_MERGE | SCHEMA_RETAIN_KEYS)) == 0;
    json_quote(field->name, out);
    buf_append_string(out, ":{");
    if (name == NULL)
        body(field->schema, form, out);
    else if (bare || form->v2)
        buf_printf(out, "\"$ref\":\"%s%s\"", form->reference, name);
    else
        buf_printf(out, "\"allOf\":[{\"$ref\":\"%s%s\"}]", form->reference, name);
    if (name != NULL && !bare && (field->schema->flags & (SCHEMA_MERGE | SCHEMA_RETAIN_KEYS)) != 0)
        extensions(field->schema, out);
    if (field->description != NULL) {
        buf_append_string(out, ",\"description\":");
        json_quote(field->description, out);
    }
    if (field->default_json != NULL && !form->v2)
        buf_printf(out, ",\"default\":%s", field->default_json);
    buf_append_string(out, "}");
}

static void properties(const struct schema *schema, const struct openapi_form *form, struct buf *out)
{
    const char *comma = "";
    buf_append_string(out, "\"type\":\"object\"");
    for (size_t i = 0; i < schema->field_count; i++)
        if ((schema->fields[i].flags & SCHEMA_REQUIRED) != 0) {
            buf_printf(out, "%s\"%s\"", comma[0] == '\0' ? ",\"required\":[" : ",", schema->fields[i].name);
            comma = ",";
        }
    buf_append_string(out, comma[0] != '\0' ? "]" : "");
    if (schema->field_count > 0)
        buf_append_string(out, ",\"properties\":{");
    for (size_t i = 0; i < schema->field_count; i++) {
        buf_append_string(out, i > 0 ? "," : "");
        field(&schema->fields[schema->by_name != NULL ? schema->by_name[i] : i], form, out);
    }
    buf_append_string(out, schema->field_count > 0 ? "}" : "");
    if (schema->list == SCHEMA_ATOMIC)
        buf_append_string(out, ",\"x-kubernetes-map-type\":\"atomic\"");
}

/* ---- definitions ---- */

void openapi_kind(const char *group, const char *version, const char *kind, struct buf *out)
{
    buf_printf(out, "{\"group\":\"%s\",\"kind\":\"%s\",\"version\":\"%s\"}", group, kind, version);
}

/* The kinds whose documents have this shape: of an object, and of its list, which is named after it. */
static void kinds_of(const struct api *api, const struct schema *schema, struct buf *out)
{
    size_t count;
    const struct schema_kind *const *kinds = registry_kinds(api->registry, &count);
    const char *comma = "";
    size_t length = strlen(schema->name);
    for (size_t i = 0; i < count; i++) {
        const struct schema_kind *kind = kinds[i];
        const char *own = kind->schema != NULL ? kind->schema->name : NULL;
        bool is = kind->schema == schema, is_list = own != NULL && length == strlen(own) + 4 && strncmp(schema->name, own, length - 4) == 0 && strcmp(schema->name + length - 4, "List") == 0;
        for (const struct schema_subresource *sub = kind->subresources; sub != NULL && sub->name != NULL; sub++)
            if (sub->schema == schema && !is && comma[0] == '\0') {
                buf_append_string(out, ",\"x-kubernetes-group-version-kind\":[");
                openapi_kind(sub->group, sub->version, sub->kind, out);
                comma = ",";
            }
        if (!is && !is_list)
            continue;
        buf_append_string(out, comma[0] == '\0' ? ",\"x-kubernetes-group-version-kind\":[" : comma);
        openapi_kind(kind->group, kind->version, is ? kind->kind : kind->list_kind, out);
        comma = ",";
    }
    buf_append_string(out, comma[0] != '\0' ? "]" : "");
}

static void definition(const struct api *api, const struct schema *schema, const struct openapi_form *form, struct buf *out)
{
    buf_printf(out, "\"%s\":{", schema->name);
    if (schema->description != NULL) {
        buf_append_string(out, "\"description\":");
        json_quote(schema->description, out);
        buf_append_string(out, ",");
    }
    properties(schema, form, out);
    kinds_of(api, schema, out);
    buf_append_string(out, "}");
}

/* What discovery and watches answer has no schema in the table: nobody writes it. */
static void other_definitions(const struct openapi_form *form, struct buf *out, openapi_piece *piece, void *data)
{
    static const char *const others[][2] = {
        {OPENAPI_META "Patch", "\"type\":\"object\""},
        {OPENAPI_META "WatchEvent", "\"type\":\"object\",\"required\":[\"type\",\"object\"],\"properties\":{\"object\":{\"$ref\":\"%sio.k8s.apimachinery.pkg.runtime.RawExtension\"},\"type\":{\"type\":\"string\"}}"},
        {OPENAPI_META "APIResource", "\"type\":\"object\",\"required\":[\"name\",\"singularName\",\"namespaced\",\"kind\",\"verbs\"],\"properties\":{\"kind\":{\"type\":\"string\"},"
                                     "\"name\":{\"type\":\"string\"},\"namespaced\":{\"type\":\"boolean\"},\"singularName\":{\"type\":\"string\"},\"verbs\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}"},
        {OPENAPI_META "APIResourceList", "\"type\":\"object\",\"required\":[\"groupVersion\",\"resources\"],\"properties\":{\"apiVersion\":{\"type\":\"string\"},\"groupVersion\":{\"type\":\"string\"},"
                                         "\"kind\":{\"type\":\"string\"},\"resources\":{\"type\":\"array\",\"items\":{\"$ref\":\"%s" OPENAPI_META "APIResource\"}}},"
                                         "\"x-kubernetes-group-version-kind\":[{\"group\":\"\",\"kind\":\"APIResourceList\",\"version\":\"v1\"}]"},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const char *body = others[i][1], *mark = strstr(body, "%s");
        buf_clear(out);
        buf_printf(out, "\"%s\":{", others[i][0]);
        buf_append(out, body, mark != NULL ? (size_t)(mark - body) : strlen(body));
        if (mark != NULL) {
            buf_append_string(out, form->reference);
            buf_append_string(out, mark + 2);
        }
        buf_append_string(out, "}");
        piece(data, out);
    }
}

void openapi_definitions(const struct api *api, const struct openapi_set *set, const struct openapi_form *form, openapi_piece *piece, void *data)
{
    struct buf text = buf_make(OPENAPI_PIECE);
    for (size_t i = 0; i < set->schemas.length; i++) {
        buf_clear(&text);
        definition(api, set->schemas.items[i], form, &text);
        piece(data, &text);
    }
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (set->scalars[scalars[i].type] || scalars[i].type == SCHEMA_RAW) {
            buf_clear(&text);
            buf_printf(&text, "\"%s\":{%s}", scalars[i].name, form->v2 ? scalars[i].v2 : scalars[i].v3);
            piece(data, &text);
        }
    other_definitions(form, &text, piece, data);
    buf_free(&text);
}

/* Of its objects, and of their list. */
void openapi_custom_definitions(const struct schema_kind *kind, const struct openapi_form *form, openapi_piece *piece, void *data)
{
    char *name = openapi_custom_name(kind, ""), *list = openapi_custom_name(kind, "List");
    struct buf text = buf_make(OPENAPI_PIECE);
    if (name == NULL || list == NULL || (buf_printf(&text, "\"%s\":", name), !crd_openapi(kind, form->v2, &text)))
        buf_free(&text);
    piece(data, text.length > 0 ? &text : NULL);
    buf_clear(&text);
    if (name != NULL && list != NULL) {
        buf_printf(&text, "\"%s\":{\"type\":\"object\",\"required\":[\"items\"],\"properties\":{\"apiVersion\":{\"type\":\"string\"},\"items\":{\"type\":\"array\",\"items\":", list);
        openapi_reference("", name, form, &text);
        buf_append_string(&text, "},\"kind\":{\"type\":\"string\"},\"metadata\":");
        openapi_reference(OPENAPI_META, "ListMeta", form, &text);
        buf_append_string(&text, "},\"x-kubernetes-group-version-kind\":[");
        openapi_kind(kind->group, kind->version, kind->list_kind, &text);
        buf_append_string(&text, "]}");
        piece(data, &text);
    }
    buf_free(&text);
    mem_free(name);
    mem_free(list);
}
