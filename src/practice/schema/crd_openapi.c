/* crd_openapi: a version's schema for OpenAPI documents. */
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/crd_internal.h"

enum { TEXT = 8 << 20 };

#define OBJECT_META "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

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

static void print_meta(const struct printing *printing, const char *name, const char *description, bool *first)
{
    struct buf *out = printing->out;
    bool is_metadata = strcmp(name, "metadata") == 0;
    const char *root = printing->v2 ? "#/definitions/" : "#/components/schemas/";
    print_key(out, first, name);
    buf_append_string(out, "{\"description\":");
    json_quote(description, out);
    if (!is_metadata)
        buf_append_string(out, ",\"type\":\"string\"}");
    else if (printing->v2)
        buf_printf(out, ",\"$ref\":\"%s" OBJECT_META "\"}", root);
    else
        buf_printf(out, ",\"allOf\":[{\"$ref\":\"%s" OBJECT_META "\"}]}", root);
}

static void print_properties(const struct printing *printing, const struct crd_node *node, bool is_resource)
{
    static const char *const names[] = {"apiVersion", "kind", "metadata"};
    static const char *const words[] = {
        "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may "
        "reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources",
        "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot "
        "be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds",
        "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"};
    struct buf *out = printing->out;
    bool first = true;
    buf_append_string(out, "{");
    for (size_t i = 0; is_resource && i < 3; i++)
        print_meta(printing, names[i], words[i], &first);
    for (size_t i = 0; i < node->property_count; i++) {
        if (is_resource && crd_is_meta(node->properties[i].name))
            continue;
        print_key(out, &first, node->properties[i].name);
        print_node(printing, node->properties[i].node, false);
    }
    buf_append_string(out, "}");
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
    return strcmp(key, "properties") == 0;
}

static void print_entry(const struct printing *printing, const struct crd_node *node, const struct value *entry)
{
    static const struct {
        const char *key;
        size_t offset;
    } lists[] = {{"allOf", offsetof(struct crd_node, all)}, {"anyOf", offsetof(struct crd_node, any)}, {"oneOf", offsetof(struct crd_node, one)}};
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

static void print_node(const struct printing *printing, const struct crd_node *node, bool is_root)
{
    struct buf *out = printing->out;
    bool first = true, is_resource = is_root || node->embedded;
    buf_append_string(out, "{");
    /* v2 has no way to say "null, too", nor "one of two types": then nothing is said of the type */
    bool vague = printing->v2 && (node->nullable || node->int_or_string);
    for (const struct value *entry = value_first(node->json); entry != NULL; entry = value_next(entry)) {
        const char *key = value_key(entry);
        bool of_type = strcmp(key, "type") == 0 || strcmp(key, "items") == 0 || strcmp(key, "additionalProperties") == 0 || strcmp(key, "format") == 0;
        if (is_left_out(key, printing->v2) || (vague && of_type))
            continue;
        print_key(out, &first, key);
        print_entry(printing, node, entry);
    }
    if ((node->property_count > 0 && !(printing->v2 && node->nullable)) || is_resource) {
        print_key(out, &first, "properties");
        print_properties(printing, node, is_resource);
    }
    if (is_root) {
        print_key(out, &first, "x-kubernetes-group-version-kind");
        buf_append_string(out, "[{\"group\":");
        json_quote(printing->kind->group, out);
        buf_append_string(out, ",\"kind\":");
        json_quote(printing->kind->kind, out);
        buf_append_string(out, ",\"version\":");
        json_quote(printing->kind->version, out);
        buf_append_string(out, "}]");
    }
    buf_append_string(out, "}");
}

bool crd_openapi(const struct schema_kind *kind, bool v2, struct buf *out)
{
    const struct printing printing = {.out = out, .v2 = v2, .kind = kind};
    print_node(&printing, crd_version_of(kind)->root, true);
    return buf_ok(out);
}
