/* crd_openapi: a version's schema for OpenAPI documents. */
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/crd_internal.h"

enum { TEXT = 8 << 20 };

#define META "io.k8s.apimachinery.pkg.apis.meta.v1."
#define OBJECT_META META "ObjectMeta"

struct printing {
    struct buf *out;
    bool v2;
    const struct schema_kind *kind;
};

static void print_node(const struct printing *printing, const struct crd_node *node, bool is_root);

static void print_key(struct buf *out, bool *first, const char *key)
{
    if (!*first)
        buf_append_string(out, ",");
    *first = false;
    json_quote(key, out);
    buf_append_string(out, ":");
}

/* A field that every object has, in the words of the built-in kinds. */
static void print_meta(const struct printing *printing, const char *name, bool *first)
{
    const struct schema_field *field = schema_field(schema_definition(META "PartialObjectMetadata"), name);
    struct buf *out = printing->out;
    bool is_metadata = strcmp(name, "metadata") == 0;
    const char *root = printing->v2 ? "#/definitions/" : "#/components/schemas/";
    print_key(out, first, name);
    buf_append_string(out, "{\"description\":");
    json_quote(field->description, out);
    if (!is_metadata)
        buf_append_string(out, ",\"type\":\"string\"}");
    else if (printing->v2)
        buf_printf(out, ",\"$ref\":\"%s" OBJECT_META "\"}", root);
    else
        buf_printf(out, ",\"allOf\":[{\"$ref\":\"%s" OBJECT_META "\"}]}", root);
}

/* How each resource begins. */
static void print_resource(const struct printing *printing, bool *first)
{
    static const char *const names[] = {"apiVersion", "kind", "metadata"};
    for (size_t i = 0; i < 3; i++)
        print_meta(printing, names[i], first);
}

static void print_properties(const struct printing *printing, const struct crd_node *node, bool is_root)
{
    bool first = true, is_resource = is_root || node->embedded;
    buf_append_string(printing->out, "{");
    if (is_resource)
        print_resource(printing, &first);
    for (size_t i = 0; i < node->property_count; i++) {
        if (is_resource && crd_is_meta(node->properties[i].name))
            continue;
        print_key(printing->out, &first, node->properties[i].name);
        print_node(printing, node->properties[i].node, false);
    }
    buf_append_string(printing->out, "}");
}

/* What must be there: for v2 not what may be null; of an embedded resource its type, too. Nothing is printed where nothing
 * must. */
static void print_required(const struct printing *printing, const struct crd_node *node, bool is_embedded, bool *first)
{
    const char *before = "[";
    struct buf list = buf_make(TEXT);
    bool open = printing->v2 && node->additional != NULL && node->additional->nullable;
    for (const struct value *name = value_first(value_get(node->json, "required")); name != NULL && !open;
         name = value_next(name)) {
        const char *text = value_text(name) != NULL ? value_text(name) : "";
        const struct crd_node *property = crd_node_property(node, text);
        bool is_type = is_embedded && (strcmp(text, "kind") == 0 || strcmp(text, "apiVersion") == 0);
        if (is_type || (printing->v2 && property != NULL && property->nullable))
            continue;
        buf_append_string(&list, before);
        json_quote(text, &list);
        before = ",";
    }
    if (is_embedded)
        buf_printf(&list, "%s\"kind\",\"apiVersion\"", before);
    if (list.length > 0) {
        print_key(printing->out, first, "required");
        buf_append(printing->out, list.bytes, list.length);
        buf_append_string(printing->out, "]");
    }
    if (!buf_ok(&list))
        printing->out->failed = true;
    buf_free(&list);
}

static void print_list(const struct printing *printing, const struct crd_nodes *nodes)
{
    buf_append_string(printing->out, "[");
    for (size_t i = 0; i < nodes->count; i++) {
        if (i > 0)
            buf_append_string(printing->out, ",");
        print_node(printing, nodes->list[i], false);
    }
    buf_append_string(printing->out, "]");
}

/* What OpenAPI v2 does not know is left out there. */
static bool is_left_out(const char *key, bool v2)
{
    static const char *const unknown[] = {"nullable", "anyOf", "oneOf", "not", "default", "allOf", NULL};
    for (size_t i = 0; v2 && unknown[i] != NULL; i++)
        if (strcmp(key, unknown[i]) == 0)
            return true;
    return strcmp(key, "properties") == 0 || strcmp(key, "required") == 0;
}

static void print_entry(const struct printing *printing, const struct crd_node *node, const struct value *entry)
{
    static const struct {
        const char *key;
        size_t offset;
    } lists[] = {{"allOf", offsetof(struct crd_node, all)},
                 {"anyOf", offsetof(struct crd_node, any)},
                 {"oneOf", offsetof(struct crd_node, one)}};
    const char *key = value_key(entry);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strcmp(key, lists[i].key) == 0) {
            print_list(printing, (const struct crd_nodes *)(const void *)((const char *)node + lists[i].offset));
            return;
        }
    if (strcmp(key, "items") == 0 && node->items != NULL)
        print_node(printing, node->items, false);
    else if (strcmp(key, "additionalProperties") == 0 && node->additional != NULL)
        print_node(printing, node->additional, false);
    else if (strcmp(key, "not") == 0 && node->not != NULL)
        print_node(printing, node->not, false);
    else
        json_print(entry, false, printing->out);
}

/* The end of a kind's schema. */
static void print_group(const struct printing *printing)
{
    struct buf *out = printing->out;
    buf_append_string(out, ",\"x-kubernetes-group-version-kind\":[{\"group\":");
    json_quote(printing->kind->group, out);
    buf_append_string(out, ",\"kind\":");
    json_quote(printing->kind->kind, out);
    buf_append_string(out, ",\"version\":");
    json_quote(printing->kind->version, out);
    buf_append_string(out, "}]}");
}

/* v2 has no way to say "null, too", "anything else, too" or "one of two types": then the type and what hangs on it are not
 * said. */
static bool is_unsaid(const struct printing *printing, const struct crd_node *node, const char *key)
{
    bool vague = printing->v2 && (node->nullable || node->preserve);
    if (strcmp(key, "items") == 0)
        return vague;
    if (strcmp(key, "type") != 0)
        return false;
    bool is_array = strcmp(node->type, "array") == 0, is_object = strcmp(node->type, "object") == 0;
    return printing->v2 && (node->nullable || node->int_or_string || (node->preserve && (is_array || is_object)));
}

static void print_node(const struct printing *printing, const struct crd_node *node, bool is_root)
{
    struct buf *out = printing->out;
    bool first = true, is_loose = printing->v2 && (node->nullable || node->preserve),
         is_embedded = node->embedded && !is_root && !is_loose;
    buf_append_string(out, "{");
    for (const struct value *entry = value_first(node->json); entry != NULL; entry = value_next(entry)) {
        const char *key = value_key(entry);
        if (is_left_out(key, printing->v2) || is_unsaid(printing, node, key))
            continue;
        print_key(out, &first, key);
        print_entry(printing, node, entry);
    }
    print_required(printing, node, is_embedded, &first);
    if (node->int_or_string && !printing->v2 && value_get(node->json, "anyOf") == NULL &&
        value_get(node->json, "allOf") == NULL) {
        print_key(out, &first, "anyOf");
        buf_append_string(out, "[{\"type\":\"integer\"},{\"type\":\"string\"}]");
    }
    if (is_root || is_embedded || (node->property_count > 0 && !is_loose)) {
        print_key(out, &first, "properties");
        print_properties(printing, node, is_root);
    }
    if (is_root)
        print_group(printing);
    else
        buf_append_string(out, "}");
}

bool crd_openapi(const struct schema_kind *kind, bool v2, struct buf *out)
{
    const struct printing printing = {.out = out, .v2 = v2, .kind = kind};
    const struct crd_node *root = crd_version_of(kind)->root;
    if (v2 && root->preserve) { /* nothing is said of it at all */
        buf_append_string(out, "{\"type\":\"object\"");
        print_group(&printing);
    } else {
        print_node(&printing, root, true);
    }
    return buf_ok(out);
}
