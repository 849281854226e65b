/* crd_object: the checks of a custom object beside its schema's: sets and keyed lists, embedded resources, numbers of the scale
 * subresource. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/crd_internal.h"
#include "practice/schema/go_print.h"
#include "practice/schema/rules_internal.h"

/* ---- list types ---- */

/* What an item is known by: itself, or its keys as an object. */
static struct value *identity(const struct crd_node *node, const struct value *item)
{
    if (node->list == SCHEMA_SET)
        return value_copy(item);
    struct value *keys = value_object();
    for (size_t i = 0; keys != NULL && node->keys[i] != NULL; i++) {
        const struct value *key = value_get(item, node->keys[i]);
        if (key != NULL && !value_set(keys, node->keys[i], value_copy(key))) {
            value_free(keys);
            return NULL;
        }
    }
    return keys;
}

/* Each value that stands more than once is told once, at its second place. */
static void check_twice(const struct crd_node *node, const struct value *list, const struct place *place,
                        struct problems *problems)
{
    struct value *seen = value_array();
    size_t index = 0;
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item), index++) {
        struct value *id = identity(node, item);
        size_t times = 0;
        for (const struct value *other = value_first(seen); id != NULL && other != NULL; other = value_next(other))
            times += value_equal(other, id);
        const struct place at = place_index(place, index);
        if (times == 1)
            problem_add(problems, &at, PROBLEM_DUPLICATE, id, "%s", "");
        if (!value_append(seen, id)) {
            problems->failed = true;
            break;
        }
    }
    value_free(seen);
}

static bool all_objects(const struct value *list, const struct place *place, struct problems *problems)
{
    size_t index = 0;
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item), index++) {
        const struct place at = place_index(place, index);
        if (value_type(item) != VALUE_OBJECT && value_type(item) != VALUE_NULL) {
            problem_add(problems, &at, PROBLEM_INVALID, item, "must be an object for an array of list-type map");
            return false;
        }
    }
    return true;
}

void crd_check_lists(const struct crd_node *node, const struct value *v, const struct place *place, struct problems *problems)
{
    size_t index = 0;
    if (node == NULL)
        return;
    if (value_type(v) == VALUE_ARRAY) {
        if (node->list == SCHEMA_SET || (node->list == SCHEMA_KEYED && all_objects(v, place, problems)))
            check_twice(node, v, place, problems);
        for (const struct value *item = value_first(v); item != NULL; item = value_next(item), index++) {
            const struct place at = place_index(place, index);
            crd_check_lists(node->items, item, &at, problems);
        }
    } else if (value_type(v) == VALUE_OBJECT) {
        for (const struct value *entry = value_first(v); entry != NULL; entry = value_next(entry)) {
            const struct crd_node *property = crd_node_property(node, value_key(entry));
            const struct place at = property != NULL ? place_key(place, value_key(entry)) : place_map(place, value_key(entry));
            crd_check_lists(property != NULL ? property : node->additional, entry, &at, problems);
        }
    }
}

/* ---- embedded resources ---- */

static void check_version_text(const char *text, const struct place *at, struct problems *problems)
{
    const char *slash = strchr(text, '/');
    if (text[0] == '\0')
        problem_invalid(problems, at, text, "must not be empty");
    else if (slash != NULL && strchr(slash + 1, '/') != NULL)
        problem_invalid(problems, at, text, "unexpected GroupVersion string: %s", text);
}

static void check_kind_text(const char *text, const struct place *at, struct problems *problems)
{
    char lower[256];
    size_t length = strlen(text);
    if (length == 0) {
        problem_invalid(problems, at, text, "must not be empty");
        return;
    }
    for (size_t i = 0; i <= length && i < sizeof lower; i++)
        lower[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 'a' - 'A') : text[i];
    lower[sizeof lower - 1] = '\0';
    struct complaints complaints = name_label_1035(lower);
    for (size_t i = 0; i < complaints.count; i++)
        problem_invalid(problems, at, text, "may have mixed case, but should otherwise match: %s", complaints.text[i]);
}

static void check_resource(const struct value *v, const struct place *place, struct problems *problems)
{
    static const char *const texts[] = {"apiVersion", "kind"};
    for (int i = 0; i < 2; i++) {
        const struct value *entry = value_get(v, texts[i]);
        const struct place at = place_key(place, texts[i]);
        if (entry == NULL)
            problem_required(problems, place, texts[i], NULL);
        else if (value_text(entry) == NULL)
            problem_add(problems, &at, PROBLEM_INVALID, entry, "must be a string");
        else if (i == 0)
            check_version_text(value_text(entry), &at, problems);
        else
            check_kind_text(value_text(entry), &at, problems);
    }
    const struct place metadata = place_key(place, "metadata"), labels = place_key(&metadata, "labels"),
                       annotations = place_key(&metadata, "annotations");
    check_labels(problems, value_find(v, "metadata", "labels", NULL), &labels);
    check_annotations(problems, value_find(v, "metadata", "annotations", NULL), &annotations);
}

void crd_check_embedded(const struct crd_node *node, const struct value *v, bool is_root, const struct place *place,
                        struct problems *problems)
{
    bool is_object = value_type(v) == VALUE_OBJECT;
    size_t index = 0;
    if (node == NULL)
        return;
    if (is_object && (node->embedded && !is_root))
        check_resource(v, place, problems);
    for (const struct value *entry = value_first(v); entry != NULL; entry = value_next(entry), index++) {
        const struct crd_node *property = is_object ? crd_node_property(node, value_key(entry)) : NULL;
        const struct place at = !is_object         ? place_index(place, index)
                                : property != NULL ? place_key(place, value_key(entry))
                                                   : place_map(place, value_key(entry));
        crd_check_embedded(!is_object         ? node->items
                           : property != NULL ? property
                                              : node->additional,
                           entry, false, &at, problems);
    }
}

/* ---- scale ---- */

/* What stands at ".spec.replicas"; *stopped is what is in the way. */
static const struct value *at_path(const struct value *v, const char *path, const struct value **stopped)
{
    const char *part = path + (path[0] == '.');
    *stopped = NULL;
    for (;;) {
        size_t size = strcspn(part, ".");
        char *key = mem_string_n(part, size);
        const struct value *below = key != NULL ? value_get(v, key) : NULL;
        mem_free(key);
        if (below == NULL || part[size] == '\0')
            return below;
        part += size + 1;
        if (value_type(below) != VALUE_OBJECT) {
            *stopped = below;
            return NULL;
        }
        v = below;
    }
}

static void say_access(const char *path, const struct value *wrong, const char *zero, const char *type,
                       struct problems *problems)
{
    const struct place root = PLACE_ROOT, at = place_key(&root, path);
    struct buf detail = buf_make(1 << 16);
    buf_printf(&detail, "%s accessor error: ", path);
    go_print(wrong, &detail);
    buf_printf(&detail, " is of the type %s, expected %s", go_type(wrong), type);
    if (buf_ok(&detail))
        problem_text(problems, &at, PROBLEM_INVALID, zero, detail.bytes);
    else
        problems->failed = true;
    buf_free(&detail);
}

static void check_scale_number(const struct value *object, const char *path, struct problems *problems)
{
    const struct place root = PLACE_ROOT, at = place_key(&root, path);
    const struct value *stopped;
    int64_t number = 0;
    const struct value *v = at_path(object, path, &stopped);
    if (stopped != NULL)
        say_access(path, stopped, "0", "map[string]interface{}", problems);
    else if (v != NULL && !value_as_int(v, &number))
        say_access(path, v, "0", "int64", problems);
    else if (number < 0)
        problem_number(problems, &at, number, "should be a non-negative integer");
    else if (number > INT32_MAX)
        problem_number(problems, &at, number, "should be less than or equal to %d", INT32_MAX);
}

static void check_scale_selector(const struct value *object, const char *path, struct problems *problems)
{
    const struct value *stopped, *v = at_path(object, path, &stopped);
    if (stopped != NULL)
        say_access(path, stopped, "\"\"", "map[string]interface{}", problems);
    else if (v != NULL && value_text(v) == NULL)
        say_access(path, v, "\"\"", "string", problems);
}

static bool has_rules(const struct value *json)
{
    if (value_type(json) == VALUE_OBJECT && value_first(value_get(json, "x-kubernetes-validations")) != NULL)
        return true;
    for (const struct value *entry = value_first(json); entry != NULL; entry = value_next(entry))
        if (has_rules(entry))
            return true;
    return false;
}

/* The real server says so where rules of its own language were passed over. */
static void mention_rules(const struct crd_node *root, const struct place *at, struct problems *problems)
{
    static const enum problem_type blocking[] = {PROBLEM_NOT_SUPPORTED, PROBLEM_REQUIRED, PROBLEM_TOO_LONG, PROBLEM_TOO_MANY,
                                                 PROBLEM_TYPE};
    bool blocked = false;
    for (size_t i = 0; i < problems->list.length; i++)
        for (size_t j = 0; j < sizeof blocking / sizeof *blocking; j++)
            blocked = blocked || ((const struct problem *)problems->list.items[i])->type == blocking[j];
    if (blocked && has_rules(root->json))
        problem_add(problems, at, PROBLEM_INVALID, NULL,
                    "some validation rules were not checked because the object was invalid; correct the existing errors to "
                    "complete validation");
}

void crd_validate_object(const struct schema_kind *kind, const struct value *object, const struct value *old, bool status,
                         struct problems *problems)
{
    const struct crd_version *version = crd_version_of(kind);
    const struct place root = PLACE_ROOT, at = place_key(&root, "status");
    const struct value *part = value_get(object, "status");
    if (!status)
        crd_check(version->root, object, old, &root, "", problems);
    else if (part != NULL && crd_node_property(version->root, "status") != NULL)
        crd_check(crd_node_property(version->root, "status"), part, value_get(old, "status"), &at, "status", problems);
    if (version->has_scale && !status)
        check_scale_number(object, version->scale.spec_replicas, problems);
    if (version->has_scale)
        check_scale_number(object, version->scale.status_replicas, problems);
    if (version->has_scale && version->scale.selector != NULL)
        check_scale_selector(object, version->scale.selector, problems);
    crd_check_embedded(version->root, object, true, &root, problems);
    struct problems before = problems_make();
    if (old != NULL)
        crd_check_lists(version->root, old, &root, &before);
    if (problems_none(&before))
        crd_check_lists(version->root, object, &root, problems);
    problems->failed = problems->failed || before.failed;
    problems_free(&before);
    mention_rules(version->root, &root, problems);
}
