/* crd_node: from a JSON schema to the tree of nodes. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/schema/crd_internal.h"

static void *zeroed(struct arena *arena, size_t count, size_t size)
{
    void *memory = arena_get(arena, count * size);
    if (memory != NULL)
        memset(memory, 0, count * size);
    return memory;
}

static const char *text_at(const struct value *json, const char *key)
{
    const char *text = value_text(value_get(json, key));
    return text != NULL ? text : "";
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct crd_property *)a)->name, ((const struct crd_property *)b)->name);
}

static bool read_properties(struct crd_tree *tree, struct crd_node *node, struct error *err)
{
    const struct value *properties = value_get(node->json, "properties");
    node->properties = zeroed(&tree->arena, value_length(properties), sizeof *node->properties);
    if (node->properties == NULL)
        return error_memory(err);
    for (const struct value *entry = value_first(properties); entry != NULL; entry = value_next(entry)) {
        struct crd_property *property = &node->properties[node->property_count];
        *property = (struct crd_property){.name = value_key(entry), .node = crd_node_new(tree, entry, err)};
        if (property->node == NULL)
            return false;
        node->property_count++;
    }
    qsort(node->properties, node->property_count, sizeof *node->properties, by_name);
    return true;
}

static bool read_list(struct crd_tree *tree, const struct value *json, const char *key, struct crd_nodes *out,
                      struct error *err)
{
    const struct value *list = value_get(json, key);
    out->list = zeroed(&tree->arena, value_length(list), sizeof(struct crd_node *));
    if (out->list == NULL)
        return error_memory(err);
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item)) {
        const struct crd_node *node = crd_node_new(tree, item, err);
        if (node == NULL)
            return false;
        out->list[out->count++] = node;
    }
    return true;
}

static bool read_one(struct crd_tree *tree, const struct value *json, const char *key, const struct crd_node **out,
                     struct error *err)
{
    const struct value *below = value_get(json, key);
    if (value_type(below) != VALUE_OBJECT)
        return true;
    *out = crd_node_new(tree, below, err);
    return *out != NULL;
}

static bool read_list_type(struct crd_tree *tree, struct crd_node *node)
{
    const char *list = text_at(node->json, "x-kubernetes-list-type");
    bool is_array = strcmp(node->type, "array") == 0;
    node->list = strcmp(list, "set") == 0   ? SCHEMA_SET
                 : strcmp(list, "map") == 0 ? SCHEMA_KEYED
                 : is_array                 ? SCHEMA_ATOMIC
                                            : SCHEMA_GRANULAR;
    if (strcmp(text_at(node->json, "x-kubernetes-map-type"), "atomic") == 0)
        node->list = SCHEMA_ATOMIC;
    const struct value *keys = value_get(node->json, "x-kubernetes-list-map-keys");
    const char **names = zeroed(&tree->arena, value_length(keys) + 1, sizeof *names);
    size_t count = 0;
    for (const struct value *key = value_first(keys); names != NULL && key != NULL; key = value_next(key))
        if (value_text(key) != NULL)
            names[count++] = value_text(key);
    node->keys = names;
    return names != NULL;
}

static bool read_pattern(struct crd_tree *tree, struct crd_node *node, struct error *err)
{
    const char *pattern = text_at(node->json, "pattern");
    if (pattern[0] == '\0')
        return true;
    node->pattern = crd_pattern_new(pattern, err);
    if (node->pattern == NULL)
        return false;
    node->next_pattern = tree->patterns;
    tree->patterns = node;
    return true;
}

const struct crd_node *crd_node_new(struct crd_tree *tree, const struct value *json, struct error *err)
{
    struct crd_node *node = zeroed(&tree->arena, 1, sizeof *node);
    if (node == NULL) {
        error_memory(err);
        return NULL;
    }
    const struct value *additional = value_get(json, "additionalProperties");
    *node = (struct crd_node){
        .json = json,
        .type = text_at(json, "type"),
        .format = text_at(json, "format"),
        .int_or_string = value_is_true(value_get(json, "x-kubernetes-int-or-string")),
        .nullable = value_is_true(value_get(json, "nullable")),
        .preserve = value_is_true(value_get(json, "x-kubernetes-preserve-unknown-fields")),
        .embedded = value_is_true(value_get(json, "x-kubernetes-embedded-resource")),
        .closed = value_type(additional) == VALUE_BOOL && !value_is_true(additional),
    };
    if (!read_list_type(tree, node)) {
        error_memory(err);
        return NULL;
    }
    bool ok = read_pattern(tree, node, err) && read_properties(tree, node, err) &&
              read_one(tree, json, "additionalProperties", &node->additional, err) &&
              read_one(tree, json, "items", &node->items, err) && read_one(tree, json, "not", &node->not, err) &&
              read_list(tree, json, "allOf", &node->all, err) && read_list(tree, json, "anyOf", &node->any, err) &&
              read_list(tree, json, "oneOf", &node->one, err);
    if (!ok)
        return NULL;
    const struct value *fallback = value_get(json, "default");
    if (value_type(fallback) != VALUE_NULL && fallback != NULL) {
        struct value *copy = arena_own(&tree->arena, value_copy(fallback));
        if (copy == NULL || !crd_prune(copy, node, false, NULL)) {
            error_memory(err);
            return NULL;
        }
        node->fallback = copy;
    }
    return node;
}

void crd_tree_free(struct crd_tree *tree)
{
    for (struct crd_node *node = tree->patterns; node != NULL; node = node->next_pattern)
        pattern_free(node->pattern);
    tree->patterns = NULL;
    arena_free(&tree->arena);
}

const struct crd_node *crd_node_property(const struct crd_node *node, const char *name)
{
    size_t low = 0, high = node != NULL ? node->property_count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, node->properties[middle].name);
        if (order == 0)
            return node->properties[middle].node;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct crd_node *crd_node_below(const struct crd_node *node, const char *key)
{
    const struct crd_node *property = crd_node_property(node, key);
    return property != NULL || node == NULL ? property : node->additional;
}

bool crd_is_meta(const char *key)
{
    return strcmp(key, "apiVersion") == 0 || strcmp(key, "kind") == 0 || strcmp(key, "metadata") == 0;
}
