#include "practice/schema/rules.h"

#include <string.h>

#include "base/mem.h"
#include "practice/schema/crd.h"
#include "practice/schema/decode.h"
#include "practice/schema/defaults.h"
#include "practice/schema/rules_internal.h"

static const struct rules *const tables[] = {
    pod_rules,  workload_rules, stateful_rules, batch_rules,   service_rules, config_rules, storage_rules, class_rules, networking_rules,
    rbac_rules, quota_rules,    scaling_rules, policy_rules,  node_rules,   endpoint_rules, event_rules, definition_rules,
};

const struct rules *rules_of(const struct schema_kind *kind)
{
    static const struct rules none = {.group = "", .kind = ""};
    if (kind->crd != NULL)
        return crd_rules_of(kind);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (const struct rules *rules = tables[i]; rules->kind != NULL; rules++)
            if (strcmp(rules->kind, kind->kind) == 0 && strcmp(rules->group, kind->group) == 0)
                return rules;
    return &none;
}

bool rules_default(const struct schema_kind *kind, struct value *object)
{
    const struct rules *rules = rules_of(kind);
    struct error err = ERROR_INIT;
    return (rules->defaults == NULL || rules->defaults(object)) && schema_apply_defaults(object, kind->schema) &&
           schema_normalise(object, kind->schema, NULL, &err);
}

/* Afterwards fields stand in the table's order again. */
static bool arrange(const struct schema_kind *kind, struct value *object)
{
    struct error err = ERROR_INIT;
    return schema_normalise(object, kind->schema, NULL, &err);
}

bool put_generation(struct value *object, int64_t generation)
{
    struct value *metadata = value_child(object, "metadata");
    return metadata != NULL && put_int(metadata, "generation", generation);
}

bool rules_prepare_create(const struct schema_kind *kind, struct value *object)
{
    const struct rules *rules = rules_of(kind);
    struct value *metadata = value_get(object, "metadata");
    value_remove(metadata, "deletionTimestamp");
    value_remove(metadata, "deletionGracePeriodSeconds");
    if (!kind->namespaced)
        value_remove(metadata, "namespace");
    if ((rules->flags & RULES_STATUS) != 0)
        value_remove(object, "status");
    if ((rules->flags & RULES_GENERATION) != 0 && !put_generation(object, 1))
        return false;
    return (rules->prepare_create == NULL || rules->prepare_create(object)) && arrange(kind, object);
}

/* Anything but metadata, status and the type. */
static bool spec_changed(const struct value *object, const struct value *old)
{
    static const char *const aside[] = {"metadata", "status", "apiVersion", "kind", NULL};
    EACH (entry, object)
        if (!one_of(value_key(entry), aside) && !same_at(object, old, value_key(entry)))
            return true;
    EACH (entry, old)
        if (!one_of(value_key(entry), aside) && !has(object, value_key(entry)) && has(old, value_key(entry)))
            return true;
    return false;
}

static bool keep_metadata(struct value *object, const struct value *old, const char *key)
{
    struct value *metadata = value_child(object, "metadata");
    const struct value *kept = value_find(old, "metadata", key, NULL);
    return metadata != NULL && (kept == NULL || put_copy(metadata, key, kept));
}

/* What the server fills in on every update: the client's values count for nothing, but for a uid, which must then be the right one. */
static bool keep_system_metadata(struct value *object, const struct value *old)
{
    const struct value *metadata = value_get(object, "metadata");
    return keep_metadata(object, old, "creationTimestamp") && keep_metadata(object, old, "deletionTimestamp") &&
           (has(metadata, "deletionGracePeriodSeconds") || keep_metadata(object, old, "deletionGracePeriodSeconds")) &&
           (*text_of(metadata, "uid") != '\0' || keep_metadata(object, old, "uid"));
}

bool rules_prepare_update(const struct schema_kind *kind, struct value *object, const struct value *old)
{
    const struct rules *rules = rules_of(kind);
    int64_t generation = value_find_int(old, 0, "metadata", "generation", NULL);
    if ((rules->flags & RULES_STATUS) != 0 && !put_copy(object, "status", value_get(old, "status")))
        return false;
    if (value_find(old, "metadata", "generation", NULL) != NULL && !put_generation(object, generation))
        return false;
    if (rules->prepare_update != NULL && !rules->prepare_update(object, old))
        return false;
    if (!arrange(kind, object))
        return false;
    bool counts = (rules->flags & RULES_GENERATION) != 0;
    bool changed = counts && (spec_changed(object, old) ||
                              ((rules->flags & RULES_COUNT_ANNOTATIONS) != 0 &&
                               !same(value_find(object, "metadata", "annotations", NULL), value_find(old, "metadata", "annotations", NULL))));
    return (!changed || put_generation(object, generation + 1)) && keep_system_metadata(object, old) && arrange(kind, object);
}

bool rules_prepare_status(const struct schema_kind *kind, struct value *object, const struct value *old)
{
    static const char *const aside[] = {"metadata", "status", "apiVersion", "kind", NULL};
    const struct rules *rules = rules_of(kind);
    for (struct value *entry = value_first(object), *next; entry != NULL; entry = next) {
        next = value_next(entry);
        if (!one_of(value_key(entry), aside))
            value_free(value_take(object, entry));
    }
    EACH (entry, old)
        if (!one_of(value_key(entry), aside) && !put_copy(object, value_key(entry), entry))
            return false;
    if (!keep_metadata(object, old, "generation") || (rules->prepare_status != NULL && !rules->prepare_status(object, old)))
        return false;
    return keep_system_metadata(object, old) && arrange(kind, object);
}

static bool passes_first(const struct rules *rules, const struct value *object, struct problems *problems)
{
    if (rules->validate_first != NULL)
        rules->validate_first(object, problems);
    return problems_none(problems);
}

void rules_validate_create(const struct schema_kind *kind, const struct value *object, struct problems *problems)
{
    const struct rules *rules = rules_of(kind);
    bool loose = (rules->flags & RULES_LOOSE_NAME) != 0;
    if (!passes_first(rules, object, problems))
        return;
    if (!loose)
        meta_validate(kind, rules, object, true, problems);
    if (!loose && (rules->flags & RULES_PLAIN_FINALIZERS) == 0)
        meta_kube_finalizers(value_get(object, "metadata"), problems);
    if (rules->validate != NULL)
        rules->validate(object, problems);
    if (rules->validate_create != NULL)
        rules->validate_create(object, problems);
    if (problems_none(problems))
        meta_validate(kind, rules, object, false, problems);
}

void rules_validate_update(const struct schema_kind *kind, const struct value *object, const struct value *old, struct problems *problems)
{
    const struct rules *rules = rules_of(kind);
    if (!passes_first(rules, object, problems))
        return;
    meta_validate(kind, rules, object, false, problems);
    meta_validate_update(object, old, problems);
    if ((rules->flags & (RULES_LOOSE_NAME | RULES_PLAIN_FINALIZERS)) == 0)
        meta_kube_finalizers(value_get(object, "metadata"), problems);
    if (rules->validate != NULL)
        rules->validate(object, problems);
    if (rules->validate_update != NULL)
        rules->validate_update(object, old, problems);
}

void rules_validate_status(const struct schema_kind *kind, const struct value *object, const struct value *old, struct problems *problems)
{
    const struct rules *rules = rules_of(kind);
    meta_validate(kind, rules, object, false, problems);
    meta_validate_update(object, old, problems);
    if (rules->validate_status != NULL)
        rules->validate_status(object, old, problems);
}

/* Field selectors of built-in kinds that are not just a path. */
static const struct {
    const char *selector;
    const char *path[2];    /* the first that is there counts */
    const char *absent;     /* what it is where none is */
} special_fields[] = {
    {"source", {"source.component", "reportingComponent"}, ""},
    {"spec.hostNetwork", {"spec.hostNetwork"}, "false"},
    {"spec.unschedulable", {"spec.unschedulable"}, "false"},
    {"status.replicas", {"status.replicas"}, "0"},
    {"status.successful", {"status.succeeded"}, "0"},
};

static const struct value *at_path(const struct value *object, const char *path)
{
    for (const char *part = path; object != NULL && *part != '\0';) {
        size_t length = strcspn(part, ".");
        char key[64];
        if (length >= sizeof key)
            return NULL;
        memcpy(key, part, length);
        key[length] = '\0';
        object = value_get(object, key);
        part += length + (part[length] == '.');
    }
    return object;
}

/* False where nothing is there. */
static bool put_field(const struct value *object, const char *path, struct buf *out)
{
    const struct value *at = at_path(object, path);
    const char *text = value_text(at);
    int64_t number;
    if (text != NULL)
        buf_append_string(out, text);
    else if (value_type(at) == VALUE_BOOL)
        buf_append_string(out, value_is_true(at) ? "true" : "false");
    else if (value_as_int(at, &number))
        buf_printf(out, "%lld", (long long)number);
    else
        return false;
    return text == NULL || *text != '\0';
}

void rules_field(const struct schema_kind *kind, const struct value *object, const char *selector, struct buf *out)
{
    for (size_t i = 0; kind->crd == NULL && i < sizeof special_fields / sizeof *special_fields; i++) {
        const char *const *path = special_fields[i].path;
        if (strcmp(selector, special_fields[i].selector) != 0)
            continue;
        if (!put_field(object, path[0], out) && (path[1] == NULL || !put_field(object, path[1], out)))
            buf_append_string(out, special_fields[i].absent);
        return;
    }
    put_field(object, selector, out);
}
