/* crd_keywords: the rules of a schema's keywords (apiextensions-apiserver, pkg/apis/apiextensions/validation:
 * ValidateCustomResourceDefinitionOpenAPISchema), and of its defaults. */
#include <string.h>

#include "base/mem.h"
#include "practice/schema/crd_internal.h"
#include "practice/schema/crd_judge.h"
#include "practice/schema/rules_internal.h"

/* Where we are: below metadata of a resource, and why defaults may not stand here (NULL: they may). */
struct where {
    bool in_meta, is_root;
    const char *no_defaults;
};

static bool is_set(const struct value *schema, const char *key)
{
    const struct value *v = value_get(schema, key);
    return v != NULL && value_type(v) != VALUE_NULL;
}

static void judge_supported(const struct value *schema, const struct where *where, const struct place *place,
                            struct problems *problems)
{
    static const char *const types[] = {"array", "boolean", "integer", "number", "object", "string", NULL};
    static const struct {
        const char *key, *words;
    } unsupported[] = {{"id", "id is not supported"},
                       {"additionalItems", "additionalItems is not supported"},
                       {"patternProperties", "patternProperties is not supported"},
                       {"definitions", "definitions is not supported"},
                       {"dependencies", "dependencies is not supported"},
                       {"$ref", "$ref is not supported"}};
    const struct place type = place_key(place, "type");
    if (*text_of(schema, "type") != '\0' && !one_of(text_of(schema, "type"), types))
        problem_unsupported(problems, &type, text_of(schema, "type"), types);
    if (is_set(schema, "default") && where->no_defaults != NULL)
        problem_forbidden(problems, place, "default", where->no_defaults);
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++)
        if (is_set(schema, unsupported[i].key))
            problem_forbidden(problems, place, unsupported[i].key, unsupported[i].words);
    if (text_is(schema, "type", "null"))
        problem_forbidden(problems, place, "type", "type cannot be set to null, use nullable as an alternative");
    if (value_type(value_get(schema, "items")) == VALUE_ARRAY)
        problem_forbidden(problems, place, "items", "items must be a schema object and not an array");
    if (where->in_meta && is_true(schema, "x-kubernetes-embedded-resource"))
        problem_forbidden(problems, place, "x-kubernetes-embedded-resource", "must not be used inside of resource meta");
    if (is_true(schema, "uniqueItems"))
        problem_forbidden(problems, place, "uniqueItems",
                          "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
}

/* type must be TYPE where a keyword stands. */
static bool judge_needed_type(const struct value *schema, const char *key, const char *type, const struct place *place,
                              struct problems *problems)
{
    const struct place at = place_key(place, "type");
    char *detail = mem_printf("must be %s if %s is specified", type, key);
    bool wrong = is_set(schema, key) && !text_is(schema, "type", type);
    if (detail == NULL)
        problems->failed = true;
    else if (wrong && *text_of(schema, "type") == '\0')
        problem_required(problems, place, "type", detail);
    else if (wrong)
        problem_invalid(problems, &at, text_of(schema, "type"), "%s", detail);
    mem_free(detail);
    return !wrong;
}

/* Items of a set are one value each. */
static void judge_set(const struct value *items, const struct place *place, struct problems *problems)
{
    static const char *const words = "must be atomic as item of a list with x-kubernetes-list-type=set";
    const struct place below = place_key(place, "items"), list = place_key(&below, "x-kubernetes-list-type"),
                       map = place_key(&below, "x-kubernetes-map-type");
    const struct value *own = value_get(items, "x-kubernetes-list-type");
    if (text_is(items, "type", "array") && own != NULL && !text_is(items, "x-kubernetes-list-type", "atomic"))
        problem_add(problems, &list, PROBLEM_INVALID, own, "%s", words);
    if (text_is(items, "type", "object") && !text_is(items, "x-kubernetes-map-type", "atomic"))
        problem_add(problems, &map, PROBLEM_INVALID, own, "%s", words);
}

static void judge_keys(const struct value *schema, const struct place *place, struct problems *problems)
{
    const struct value *items = value_get(schema, "items"), *keys = value_get(schema, "x-kubernetes-list-map-keys");
    const struct place below = place_key(place, "items"), type = place_key(&below, "type"),
                       properties = place_key(&below, "properties");
    const struct place list = place_key(place, "x-kubernetes-list-map-keys");
    if (value_first(keys) == NULL)
        problem_required(problems, place, "x-kubernetes-list-map-keys", "must not be empty if x-kubernetes-list-type is map");
    if (!is_set(schema, "items"))
        problem_required(problems, place, "items", "must have a schema if x-kubernetes-list-type is map");
    if (value_type(items) == VALUE_OBJECT && !text_is(items, "type", "object"))
        problem_invalid(problems, &type, text_of(items, "type"),
                        "must be object if parent array's x-kubernetes-list-type is map");
    if (!text_is(items, "type", "object"))
        return;
    EACH(key, keys)
    {
        const char *name = value_text(key) != NULL ? value_text(key) : "";
        const struct value *property = value_find(items, "properties", name, NULL);
        const struct place at = place_map(&properties, name), own = place_key(&at, "type");
        if (property == NULL)
            problem_add(problems, &list, PROBLEM_INVALID, keys, "entries must all be names of item properties");
        else if (text_is(property, "type", "array") || text_is(property, "type", "object"))
            problem_invalid(problems, &own, text_of(items, "type"),
                            "must be a scalar type if parent array's x-kubernetes-list-type is map");
        if (seen_before(keys, key, NULL))
            problem_add(problems, &list, PROBLEM_INVALID, keys, "must not contain duplicate entries");
    }
}

/* Keys of a list are always there, and none of its items is null. */
static void judge_nulls(const struct value *schema, const struct place *place, struct problems *problems)
{
    const struct value *items = value_get(schema, "items"), *required = value_get(items, "required");
    const char *list = text_of(schema, "x-kubernetes-list-type");
    const struct place below = place_key(place, "items"), properties = place_key(&below, "properties");
    bool is_map = strcmp(list, "map") == 0;
    if (value_type(items) != VALUE_OBJECT || (!is_map && strcmp(list, "set") != 0))
        return;
    if (is_true(items, "nullable"))
        problem_forbidden(problems, &below, "nullable",
                          is_map ? "cannot be nullable when x-kubernetes-list-type is map"
                                 : "cannot be nullable when x-kubernetes-list-type is set");
    if (!is_map)
        return;
    EACH(key, value_get(schema, "x-kubernetes-list-map-keys"))
    {
        const char *name = value_text(key) != NULL ? value_text(key) : "";
        const struct value *property = value_find(items, "properties", name, NULL);
        const struct place at = place_map(&properties, name);
        bool is_required = false;
        EACH(entry, required)
            is_required = is_required || (value_text(entry) != NULL && strcmp(value_text(entry), name) == 0);
        if (property != NULL && !is_required && !is_set(property, "default"))
            problem_required(
                problems, &at, "default",
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property");
        if (property != NULL && is_true(property, "nullable"))
            problem_forbidden(problems, &at, "nullable",
                              "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
    }
}

static void judge_lists(const struct value *schema, const struct place *place, struct problems *problems)
{
    static const char *const maps[] = {"atomic", "granular", NULL}, *const lists[] = {"atomic", "set", "map", NULL};
    const struct place map = place_key(place, "x-kubernetes-map-type"), list = place_key(place, "x-kubernetes-list-type");
    const char *map_type = text_of(schema, "x-kubernetes-map-type"), *list_type = text_of(schema, "x-kubernetes-list-type");
    const struct place preserve = place_key(place, "x-kubernetes-preserve-unknown-fields");
    const struct value *keeps = value_get(schema, "x-kubernetes-preserve-unknown-fields");
    if (value_type(keeps) == VALUE_BOOL && !value_is_true(keeps))
        problem_add(problems, &preserve, PROBLEM_INVALID, keeps, "must be true or undefined");
    judge_needed_type(schema, "x-kubernetes-map-type", "object", place, problems);
    if (is_set(schema, "x-kubernetes-map-type") && !one_of(map_type, maps))
        problem_unsupported(problems, &map, map_type, maps);
    if (judge_needed_type(schema, "x-kubernetes-list-type", "array", place, problems) && strcmp(list_type, "set") == 0)
        judge_set(value_get(schema, "items"), place, problems);
    if (is_set(schema, "x-kubernetes-list-type") && !one_of(list_type, lists))
        problem_unsupported(problems, &list, list_type, lists);
    if (value_first(value_get(schema, "x-kubernetes-list-map-keys")) != NULL) {
        if (!is_set(schema, "x-kubernetes-list-type"))
            problem_required(problems, place, "x-kubernetes-list-type",
                             "must be map if x-kubernetes-list-map-keys is non-empty");
        else if (strcmp(list_type, "map") != 0)
            problem_invalid(problems, &list, list_type, "must be map if x-kubernetes-list-map-keys is non-empty");
    }
    if (strcmp(list_type, "map") == 0)
        judge_keys(schema, place, problems);
    judge_nulls(schema, place, problems);
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n\v\f")] == '\0';
}

/* Of the rules in the server's own language only the form is looked at: see crd_warn. */
static void judge_rule(const struct value *rule, const struct place *place, struct problems *problems)
{
    static const char *const reasons[] = {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid",
                                          "FieldValueRequired", NULL};
    const char *text = text_of(rule, "rule"), *message = text_of(rule, "message"),
               *expression = text_of(rule, "messageExpression"), *path = text_of(rule, "fieldPath");
    const struct place message_at = place_key(place, "message"), reason_at = place_key(place, "reason"),
                       path_at = place_key(place, "fieldPath");
    if (is_blank(text))
        problem_required(problems, place, "rule", "rule is not specified");
    else if (*message != '\0' && is_blank(message))
        problem_invalid(problems, &message_at, message, "must be non-empty if specified");
    else if (strpbrk(message + strspn(message, " \t\r\n\v\f"), "\r\n") != NULL)
        problem_invalid(problems, &message_at, message, "must not contain line breaks");
    else if (strpbrk(text + strspn(text, " \t\r\n\v\f"), "\r\n") != NULL && is_blank(message))
        problem_required(problems, place, "message", "message must be specified if rule contains line breaks");
    if (*expression != '\0' && is_blank(expression))
        problem_required(problems, place, "messageExpression", "messageExpression must be non-empty if specified");
    if (is_set(rule, "reason") && !one_of(text_of(rule, "reason"), reasons))
        problem_unsupported(problems, &reason_at, text_of(rule, "reason"), reasons);
    if (*path != '\0' && is_blank(path))
        problem_invalid(problems, &path_at, path, "must be non-empty if specified");
    if (strpbrk(path, "\r\n") != NULL)
        problem_invalid(problems, &path_at, path, "must not contain line breaks");
}

static void judge_below(const struct value *schema, const struct where *where, const struct place *place,
                        struct problems *problems);

static void judge(const struct value *schema, const struct where *where, const struct place *place, struct problems *problems)
{
    const struct place rules = place_key(place, "x-kubernetes-validations");
    size_t index = 0;
    if (value_type(schema) != VALUE_OBJECT)
        return;
    judge_supported(schema, where, place, problems);
    judge_below(schema, where, place, problems);
    judge_lists(schema, place, problems);
    EACH(rule, value_get(schema, "x-kubernetes-validations"))
    {
        const struct place at = place_index(&rules, index++);
        judge_rule(rule, &at, problems);
    }
}

static const char *no_defaults_in(const char *property)
{
    return strcmp(property, "metadata") == 0 ? "must not be set in top-level metadata"
           : strcmp(property, "kind") == 0   ? "must not be set in top-level kind"
                                             : "must not be set in top-level apiVersion";
}

static void judge_below(const struct value *schema, const struct where *where, const struct place *place,
                        struct problems *problems)
{
    static const char *const lists[] = {"allOf", "oneOf", "anyOf"};
    const struct value *additional = value_get(schema, "additionalProperties"), *properties = value_get(schema, "properties");
    const struct place more = place_key(place, "additionalProperties"), fields = place_key(place, "properties"),
                       not = place_key(place, "not"), items = place_key(place, "items");
    struct where below = *where;
    below.is_root = false;
    if (is_set(schema, "additionalProperties")) {
        struct where inside = below;
        if (value_first(properties) != NULL && !value_is_true(additional))
            problem_forbidden(problems, place, "additionalProperties",
                              "additionalProperties and properties are mutual exclusive");
        if (where->in_meta)
            inside.no_defaults = "must not be set inside additionalProperties applying to object metadata";
        judge(additional, &inside, &more, problems);
    }
    EACH(entry, properties)
    {
        struct where inside = below;
        const struct place at = place_map(&fields, value_key(entry));
        if ((where->is_root || is_true(schema, "x-kubernetes-embedded-resource")) && crd_is_meta(value_key(entry))) {
            inside.in_meta = true;
            if (where->is_root)
                inside.no_defaults = no_defaults_in(value_key(entry));
        }
        judge(entry, &inside, &at, problems);
    }
    judge(value_get(schema, "not"), &below, &not, problems);
    for (int i = 0; i < 3; i++) {
        const struct place list = place_key(place, lists[i]);
        size_t index = 0;
        EACH(entry, value_get(schema, lists[i]))
        {
            const struct place at = place_index(&list, index++);
            judge(entry, &below, &at, problems);
        }
    }
    judge(value_get(schema, "items"), &below, &items, problems);
}

void crd_judge_keywords(const struct value *schema, const struct place *place, struct problems *problems)
{
    const struct where root = {.is_root = true};
    judge(schema, &root, place, problems);
}

/* ---- defaults ---- */

static void judge_default(const struct crd_node *node, const struct place *place, struct problems *problems)
{
    const struct place at = place_key(place, "default");
    const struct value *fallback = value_get(node->json, "default");
    struct value *copy = value_copy(fallback);
    struct buf path = buf_make(1 << 16);
    struct error err = ERROR_INIT;
    struct problems own = problems_make();
    place_print(&at, &path);
    if (copy == NULL || !buf_ok(&path)) {
        problems->failed = true;
    } else if (node->fallback != NULL && !value_equal(node->fallback, fallback)) {
        problem_add(problems, &at, PROBLEM_INVALID, fallback, "must not have unknown fields");
    }
    if (copy != NULL && !crd_coerce(copy, node, false, NULL, &err)) {
        if (err.kind == ERROR_MEMORY)
            problems->failed = true;
        else
            problem_add(problems, &at, PROBLEM_INVALID, fallback, "%s", err.message);
    } else if (copy != NULL && buf_ok(&path)) {
        crd_check_embedded(node, copy, false, &at, &own);
        bool fine = problems_none(&own);
        problems_free(&own);
        if (!fine)
            crd_check_embedded(node, copy, false, &at, problems);
        else
            crd_check(node, copy, NULL, &at, path.bytes, problems);
    }
    problems_free(&own);
    value_free(copy);
    buf_free(&path);
}

static void judge_tree(const struct crd_node *node, const struct place *place, struct problems *problems)
{
    const struct place items = place_key(place, "items"), properties = place_key(place, "properties");
    if (node == NULL)
        return;
    if (node->fallback != NULL)
        judge_default(node, place, problems);
    judge_tree(node->items, &items, problems);
    for (size_t i = 0; i < node->property_count; i++) {
        const struct place at = place_map(&properties, node->properties[i].name);
        judge_tree(node->properties[i].node, &at, problems);
    }
}

void crd_judge_defaults(const struct value *schema, const struct place *place, struct problems *problems)
{
    struct crd_tree tree = {.arena = arena_make()};
    struct error err = ERROR_INIT;
    const struct crd_node *root = crd_node_new(&tree, schema, &err);
    if (root == NULL)
        problems->failed = true;
    else
        judge_tree(root, place, problems);
    crd_tree_free(&tree);
}
