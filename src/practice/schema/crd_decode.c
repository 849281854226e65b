/* crd_decode: what becomes of a custom object before it is looked at: pruning, metadata, nulls, defaults. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/crd_internal.h"
#include "practice/schema/decode.h"

enum { PATH = 1 << 16, UNKNOWN = 10000 };

#define OBJECT_META "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

struct pruning {
    struct vec *unknown; /* paths; NULL: not wanted */
    struct buf path;
    bool failed;
};

static void note(struct pruning *pruning, const char *key)
{
    if (pruning->unknown == NULL || pruning->unknown->length >= SCHEMA_COMPLAINTS)
        return;
    char *text =
        mem_printf("%s%s%s", pruning->path.length > 0 ? pruning->path.bytes : "", pruning->path.length > 0 ? "." : "", key);
    if (text == NULL || !vec_push(pruning->unknown, text))
        pruning->failed = true;
}

static void step_back(struct buf *path, size_t length)
{
    path->length = length;
    if (path->bytes != NULL)
        path->bytes[length] = '\0';
}

static void prune(struct pruning *pruning, struct value *v, const struct crd_node *node, bool is_resource, bool skipped);

static void prune_entry(struct pruning *pruning, struct value *entry, const struct crd_node *below, size_t index)
{
    size_t length = pruning->path.length;
    if (value_key(entry) != NULL)
        buf_printf(&pruning->path, "%s%s", length > 0 ? "." : "", value_key(entry));
    else
        buf_printf(&pruning->path, "[%zu]", index);
    prune(pruning, entry, below, below != NULL && below->embedded, false);
    step_back(&pruning->path, length);
}

static void prune_object(struct pruning *pruning, struct value *v, const struct crd_node *node, bool is_resource, bool keeps)
{
    for (struct value *entry = value_first(v), *next; entry != NULL; entry = next) {
        const char *key = value_key(entry);
        next = value_next(entry);
        if (is_resource && crd_is_meta(key))
            continue;
        const struct crd_node *below = crd_node_below(node, key);
        bool open = node != NULL && value_is_true(value_get(node->json, "additionalProperties"));
        if (below != NULL || open) {
            prune_entry(pruning, entry, below, 0);
        } else if (!keeps) {
            if (node == NULL || !crd_is_meta(key) || pruning->path.length > 0)
                note(pruning, key);
            value_free(value_take(v, entry));
        }
    }
}

/* Items of what is kept as it is are kept so, too: only what a schema tells below them is pruned. */
static void prune_items(struct pruning *pruning, struct value *v, const struct crd_node *node, bool keeps)
{
    size_t index = 0, length = pruning->path.length;
    const struct crd_node *items = node != NULL ? node->items : NULL;
    for (struct value *item = value_first(v); item != NULL; item = value_next(item), index++) {
        buf_printf(&pruning->path, "[%zu]", index);
        if (!keeps || items != NULL)
            prune(pruning, item, items, items != NULL && items->embedded, keeps);
        step_back(&pruning->path, length);
    }
}

static void prune(struct pruning *pruning, struct value *v, const struct crd_node *node, bool is_resource, bool skipped)
{
    bool keeps = skipped || (node != NULL && node->preserve);
    if (value_type(v) == VALUE_OBJECT)
        prune_object(pruning, v, node, is_resource, keeps);
    else if (value_type(v) == VALUE_ARRAY)
        prune_items(pruning, v, node, keeps);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool complain(struct vec *out, const char *prefix, const char *path)
{
    if (out->length >= SCHEMA_COMPLAINTS)
        return true;
    char *text = mem_printf("unknown field \"%s%s\"", prefix, path);
    if (text == NULL)
        return false;
    if (!vec_has_string(out, text))
        return vec_push(out, text);
    mem_free(text);
    return true;
}

bool crd_prune(struct value *v, const struct crd_node *node, bool is_root, struct vec *unknown)
{
    struct vec paths = vec_make(UNKNOWN, mem_free);
    struct pruning pruning = {.unknown = unknown != NULL ? &paths : NULL, .path = buf_make(PATH)};
    prune(&pruning, v, node, is_root || node->embedded, false);
    vec_sort(&paths, by_text);
    for (size_t i = 0; !pruning.failed && i < paths.length; i++)
        pruning.failed = !complain(unknown, "", paths.items[i]);
    buf_free(&pruning.path);
    vec_free(&paths);
    return !pruning.failed;
}

void crd_drop_nulls(struct value *v, const struct crd_node *node)
{
    bool is_object = value_type(v) == VALUE_OBJECT;
    for (struct value *entry = value_first(v), *next; entry != NULL; entry = next) {
        const struct crd_node *below = node == NULL ? NULL : is_object ? crd_node_below(node, value_key(entry)) : node->items;
        next = value_next(entry);
        if (is_object && value_type(entry) == VALUE_NULL && below != NULL && !below->nullable && below->fallback == NULL)
            value_free(value_take(v, entry));
        else
            crd_drop_nulls(entry, below);
    }
}

/* Metadata in its one form; unknown fields are named with the path of their object before them. */
static bool read_metadata(struct value *object, const char *path, struct vec *unknown, struct error *err)
{
    struct value *metadata = value_get(object, "metadata");
    struct vec fields = vec_make(SCHEMA_COMPLAINTS, mem_free);
    if (metadata == NULL)
        return true;
    if (value_type(metadata) == VALUE_NULL)
        return value_set(object, "metadata", value_object()) || error_memory(err);
    bool ok = schema_normalise(metadata, schema_definition(OBJECT_META), unknown != NULL ? &fields : NULL, err);
    for (size_t i = 0; ok && i < fields.length; i++) {
        char *text = fields.items[i], *quote = strchr(text, '"');
        if (quote == NULL || strncmp(text, "unknown field", 13) != 0)
            continue;
        quote[strlen(quote) - 1] = '\0';
        char *prefix = mem_printf("%s%smetadata.", path, path[0] != '\0' ? "." : "");
        ok = (prefix != NULL && complain(unknown, prefix, quote + 1)) || error_memory(err);
        mem_free(prefix);
    }
    vec_free(&fields);
    return ok;
}

static bool coerce(struct value *v, const struct crd_node *node, bool is_resource, struct buf *path, struct vec *unknown,
                   struct error *err);

static bool coerce_meta(struct value *v, const struct buf *path, struct vec *unknown, struct error *err)
{
    static const char *const texts[] = {"apiVersion", "kind"};
    const char *at = path->length > 0 ? path->bytes : "", *dot = path->length > 0 ? "." : "";
    for (int i = 0; i < 2; i++) {
        const struct value *entry = value_get(v, texts[i]);
        if (entry == NULL || value_type(entry) == VALUE_STRING)
            continue;
        char *shown = json_text(entry, 256);
        error_set(err, ERROR_INPUT, NULL, "%s%s%s: Invalid value: %s: must be a string", at, dot, texts[i],
                  shown != NULL ? shown : "");
        mem_free(shown);
        return false;
    }
    struct error why = ERROR_INIT;
    if (read_metadata(v, at, unknown, &why))
        return true;
    if (why.kind != ERROR_INPUT) {
        if (err != NULL)
            *err = why;
        return false;
    }
    char *shown = json_text(value_get(v, "metadata"), 4096);
    error_set(err, ERROR_INPUT, NULL, "%s%smetadata: Invalid value: %s: %s", at, dot, shown != NULL ? shown : "", why.message);
    mem_free(shown);
    return false;
}

static bool coerce(struct value *v, const struct crd_node *node, bool is_resource, struct buf *path, struct vec *unknown,
                   struct error *err)
{
    bool is_object = value_type(v) == VALUE_OBJECT;
    size_t index = 0, length = path->length;
    if (node == NULL)
        return true;
    if (is_object && is_resource && !coerce_meta(v, path, unknown, err))
        return false;
    for (struct value *entry = value_first(v); entry != NULL; entry = value_next(entry), index++) {
        const struct crd_node *below = is_object ? crd_node_below(node, value_key(entry)) : node->items;
        if (below == NULL)
            continue;
        if (!is_object)
            buf_printf(path, "[%zu]", index);
        else if (crd_node_property(node, value_key(entry)) != NULL)
            buf_printf(path, "%s%s", length > 0 ? "." : "", value_key(entry));
        else
            buf_printf(path, "[%s]", value_key(entry));
        if (!coerce(entry, below, below->embedded, path, unknown, err))
            return false;
        step_back(path, length);
    }
    return true;
}

bool crd_coerce(struct value *v, const struct crd_node *node, bool is_root, struct vec *unknown, struct error *err)
{
    struct buf path = buf_make(PATH);
    bool ok = coerce(v, node, is_root || node->embedded, &path, unknown, err);
    buf_free(&path);
    return ok;
}

static bool sort_keys(struct value *object, struct error *err)
{
    static const struct schema sorted = {.type = SCHEMA_ANY, .flags = SCHEMA_CUSTOM};
    return schema_normalise(object, &sorted, NULL, err);
}

bool crd_decode(const struct schema_kind *kind, struct value *object, struct vec *unknown, struct error *err)
{
    const struct crd_node *root = crd_version_of(kind)->root;
    static const char *const texts[] = {"kind", "apiVersion"};
    for (int i = 0; i < 2; i++) {
        const struct value *entry = value_get(object, texts[i]);
        if (entry != NULL && value_type(entry) != VALUE_STRING)
            return error_set(err, ERROR_INPUT, NULL, ".%s accessor error: the value is of the wrong type, expected string",
                             texts[i]);
    }
    if (!read_metadata(object, "", unknown, err))
        return false;
    if (!crd_prune(object, root, true, unknown))
        return error_memory(err);
    crd_drop_nulls(object, root);
    return crd_coerce(object, root, false, unknown, err) && sort_keys(object, err);
}

static bool is_bare_null(const struct value *v, const struct crd_node *node)
{
    return value_type(v) == VALUE_NULL && node != NULL && !node->nullable;
}

static bool fill_entries(struct value *v, const struct crd_node *node)
{
    bool is_object = value_type(v) == VALUE_OBJECT;
    for (struct value *entry = value_first(v), *next; entry != NULL; entry = next) {
        next = value_next(entry);
        const struct crd_node *below = is_object ? crd_node_below(node, value_key(entry)) : node->items;
        if (is_bare_null(entry, below) && below->fallback != NULL) {
            struct value *fresh = value_copy(below->fallback);
            if (!value_replace(v, entry, fresh))
                return false;
            entry = fresh;
        }
        if (!crd_fill_defaults(entry, below))
            return false;
    }
    return true;
}

bool crd_fill_defaults(struct value *v, const struct crd_node *node)
{
    if (node == NULL)
        return true;
    if (value_type(v) == VALUE_OBJECT) {
        for (size_t i = 0; i < node->property_count; i++) {
            const struct crd_property *property = &node->properties[i];
            if (property->node->fallback == NULL || value_get(v, property->name) != NULL)
                continue;
            if (!value_set(v, property->name, value_copy(property->node->fallback)))
                return false;
        }
    }
    return fill_entries(v, node);
}

bool crd_default(const struct schema_kind *kind, struct value *object)
{
    struct error err = ERROR_INIT;
    return crd_fill_defaults(object, crd_version_of(kind)->root) && sort_keys(object, &err);
}

bool crd_read(const struct schema_kind *as, struct value *object)
{
    return crd_prune(object, crd_version_of(as->storage)->root, true, NULL) && crd_default(as->storage, object) &&
           (as == as->storage || crd_prune(object, crd_version_of(as)->root, true, NULL));
}
