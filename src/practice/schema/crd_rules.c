/* crd_rules: the rules of the kind CustomResourceDefinition, and those of its objects. */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "practice/schema/crd_internal.h"
#include "practice/schema/rules_internal.h"

static bool default_names(struct value *spec)
{
    struct value *names = value_get(spec, "names");
    const char *kind = text_of(names, "kind");
    char *lower = mem_string(kind), *list = mem_printf("%sList", kind);
    bool ok = lower != NULL && list != NULL;
    for (char *p = lower; p != NULL && *p != '\0'; p++)
        *p = (char)tolower((unsigned char)*p);
    if (ok && names != NULL && kind[0] != '\0')
        ok = default_text(names, "singular", lower) && default_text(names, "listKind", list);
    mem_free(lower);
    mem_free(list);
    return ok;
}

static bool default_port(struct value *conversion)
{
    struct value *service = value_find(conversion, "webhook", "clientConfig", "service", NULL);
    return service == NULL || default_int(service, "port", 443);
}

/* The version that objects are stored in is among the stored ones. */
static bool note_storage(struct value *object)
{
    struct value *status = value_child(object, "status"), *list = value_get(status, "storedVersions");
    if (status == NULL)
        return false;
    EACH(version, value_find(object, "spec", "versions", NULL))
    {
        if (!is_true(version, "storage"))
            continue;
        EACH(entry, list)
            if (value_text(entry) != NULL && text_is(version, "name", value_text(entry)))
                return true;
        if (value_type(list) != VALUE_ARRAY) {
            list = value_array();
            if (!value_set(status, "storedVersions", list))
                return false;
        }
        return value_append(list, value_string(text_of(version, "name")));
    }
    return true;
}

static bool definition_defaults(struct value *object)
{
    struct value *spec = value_get(object, "spec");
    if (spec == NULL)
        return true;
    if (!default_names(spec))
        return false;
    if (!has(spec, "conversion")) {
        struct value *conversion = value_child(spec, "conversion");
        if (conversion == NULL || !put_text(conversion, "strategy", "None"))
            return false;
    }
    return default_port(value_get(spec, "conversion")) &&
           (value_first(value_find(object, "status", "storedVersions", NULL)) != NULL || note_storage(object));
}

static bool definition_update(struct value *object, const struct value *old)
{
    (void)old;
    return note_storage(object);
}

static void validate_create(const struct value *object, struct problems *problems)
{
    crd_validate(object, NULL, problems);
}

static void validate_update(const struct value *object, const struct value *old, struct problems *problems)
{
    crd_validate(object, old, problems);
}

static void validate_status(const struct value *object, const struct value *old, struct problems *problems)
{
    (void)old;
    crd_validate_status(object, problems);
}

/* Only what an update brings is worth a word. */
static void definition_warn(const struct value *object, const struct value *old, struct vec *warnings)
{
    enum { WARNINGS = 1000 };
    struct vec before = vec_make(WARNINGS, mem_free), now = vec_make(WARNINGS, mem_free);
    bool ok = (old == NULL || crd_warn(old, &before)) && crd_warn(object, &now);
    for (size_t i = 0; ok && i < now.length; i++)
        if (!vec_has_string(&before, now.items[i]))
            ok = vec_push_string(warnings, now.items[i]);
    vec_free(&before);
    vec_free(&now);
}

const struct rules definition_rules[] = {
    {.group = "apiextensions.k8s.io",
     .kind = "CustomResourceDefinition",
     .flags = RULES_GENERATION | RULES_STATUS | RULES_NEEDS_VERSION | RULES_PLAIN_FINALIZERS,
     .defaults = definition_defaults,
     .prepare_create = note_storage,
     .prepare_update = definition_update,
     .validate_create = validate_create,
     .validate_update = validate_update,
     .validate_status = validate_status,
     .warn = definition_warn},
    {0},
};

/* ---- of its objects ---- */

/* Finalizers that others might use as well. */
static void object_warn(const struct value *object, const struct value *old, struct vec *warnings)
{
    static const char *const standard[] = {"orphan", "foregroundDeletion", "kubernetes", NULL};
    const struct value *list = value_find(object, "metadata", "finalizers", NULL),
                       *before = value_find(old, "metadata", "finalizers", NULL);
    const struct place metadata = place_key(NULL, "metadata"), place = place_key(&metadata, "finalizers");
    EACH(entry, list)
    {
        const char *name = value_text(entry);
        bool known = name == NULL || seen_before(list, entry, NULL);
        EACH(other, before)
            known = known || (value_text(other) != NULL && strcmp(value_text(other), name) == 0);
        if (known)
            continue;
        struct complaints complaints = name_qualified(name);
        for (size_t i = 0; i < complaints.count; i++)
            warning_at(warnings, &place, "\"%s\": %s", name, complaints.text[i]);
        if (strchr(name, '/') != NULL || one_of(name, standard))
            continue;
        warning_at(
            warnings, &place,
            "\"%s\": prefer a domain-qualified finalizer name%s to avoid accidental conflicts with other finalizer writers",
            name, strchr(name, '.') != NULL ? " including a path (/)" : "");
    }
}

struct rules crd_object_rules(const char *const *selectors)
{
    return (struct rules){.group = "",
                          .kind = "",
                          .flags = RULES_NEEDS_VERSION | RULES_PLAIN_FINALIZERS,
                          .warn = object_warn,
                          .selectors = selectors};
}

const struct rules *crd_rules_of(const struct schema_kind *kind)
{
    return &crd_version_of(kind)->rules;
}
