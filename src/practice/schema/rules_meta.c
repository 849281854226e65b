/* Metadata: names, labels, annotations, owners, finalizers, what may not change (apimachinery's api/validation/objectmeta.go). */
#include <string.h>

#include "base/mem.h"
#include "practice/schema/go_print.h"
#include "practice/schema/rules_internal.h"

static const struct place metadata_place = {.key = "metadata"};

static void check_owner(const struct value *owner, const struct place *place, struct problems *problems)
{
    static const char *const required[] = {"kind", "name", "uid", NULL};
    const char *version = text_of(owner, "apiVersion");
    const char *slash = strchr(version, '/');
    if (*version == '\0')
        problem_required(problems, place, "apiVersion", "must not be empty");
    else if (slash != NULL && (strchr(slash + 1, '/') != NULL || slash[1] == '\0')) {
        const struct place at = place_key(place, "apiVersion");
        problem_invalid(problems, &at, version, "must be <group>/<version> or <version>");
    }
    for (size_t i = 0; required[i] != NULL; i++)
        if (*text_of(owner, required[i]) == '\0')
            problem_required(problems, place, required[i], "must not be empty");
    if (strcmp(version, "v1") == 0 && text_is(owner, "kind", "Event"))
        problem_add(problems, place, PROBLEM_INVALID, owner, "/v1, Kind=Event is disallowed from being an owner");
}

static void check_owners(const struct value *owners, struct problems *problems)
{
    const struct place place = place_key(&metadata_place, "ownerReferences");
    const struct value *controller = NULL;
    size_t i = 0;
    EACH (owner, owners) {
        const struct place at = place_index(&place, i++);
        check_owner(owner, &at, problems);
        if (!is_true(owner, "controller"))
            continue;
        if (controller != NULL)
            problem_add(problems, &place, PROBLEM_INVALID, owners,
                        "Only one reference can have Controller set to true. Found \"true\" in references for %s/%s and %s/%s",
                        text_of(controller, "kind"), text_of(controller, "name"), text_of(owner, "kind"), text_of(owner, "name"));
        else
            controller = owner;
    }
}

static void check_finalizers(const struct value *finalizers, struct problems *problems)
{
    const struct place place = place_key(&metadata_place, "finalizers");
    bool orphan = false, foreground = false;
    EACH (finalizer, finalizers) {
        const char *name = value_text(finalizer);
        name_problems(problems, &place, name, name_qualified(name));
        orphan = orphan || strcmp(name, "orphan") == 0;
        foreground = foreground || strcmp(name, "foregroundDeletion") == 0;
    }
    if (orphan && foreground)
        problem_add(problems, &place, PROBLEM_INVALID, finalizers, "finalizer orphan and foregroundDeletion cannot be both set");
}

void meta_kube_finalizers(const struct value *metadata, struct problems *problems)
{
    static const char *const standard[] = {"kubernetes", "orphan", "foregroundDeletion", NULL};
    const struct place place = place_key(&metadata_place, "finalizers");
    size_t i = 0;
    EACH (finalizer, value_get(metadata, "finalizers")) {
        const struct place at = place_index(&place, i++);
        const char *name = value_text(finalizer);
        if (strchr(name, '/') == NULL && !one_of(name, standard))
            problem_invalid(problems, &at, name, "name is neither a standard finalizer name nor is it fully qualified");
    }
}

static void check_parts(const struct value *metadata, struct problems *problems)
{
    const struct place labels = place_key(&metadata_place, "labels"), annotations = place_key(&metadata_place, "annotations");
    check_nonnegative(problems, metadata, &metadata_place, "generation");
    check_labels(problems, value_get(metadata, "labels"), &labels);
    check_annotations(problems, value_get(metadata, "annotations"), &annotations);
    check_owners(value_get(metadata, "ownerReferences"), problems);
}

static void subdomain_name(const char *name, bool prefix, struct problems *problems, const struct place *place)
{
    char *masked = prefix ? name_mask_prefix(name) : mem_string(name);
    if (masked == NULL)
        problems->failed = true;
    else
        name_problems(problems, place, name, name_subdomain(masked));
    mem_free(masked);
}

static void segment_name(const char *name, bool prefix, struct problems *problems, const struct place *place)
{
    name_problems(problems, place, name, prefix ? name_path_prefix(name) : name_path_segment(name));
}

static void check_names(const struct rules *rules, const struct value *metadata, bool kind_name, struct problems *problems)
{
    const struct place name = place_key(&metadata_place, "name"), generate = place_key(&metadata_place, "generateName");
    void (*check)(const char *, bool, struct problems *, const struct place *) = segment_name;
    if (kind_name)
        check = rules->check_name != NULL ? rules->check_name : subdomain_name;
    if (*text_of(metadata, "generateName") != '\0')
        check(text_of(metadata, "generateName"), true, problems, &generate);
    if (*text_of(metadata, "name") == '\0')
        problem_required(problems, &name, NULL, "name or generateName is required");
    else
        check(text_of(metadata, "name"), false, problems, &name);
}

void meta_validate(const struct schema_kind *kind, const struct rules *rules, const struct value *object, bool kind_name, struct problems *problems)
{
    const struct value *metadata = value_get(object, "metadata");
    check_names(rules, metadata, kind_name, problems);
    const char *space = text_of(metadata, "namespace");
    if (kind->namespaced)
        check_name(problems, metadata, &metadata_place, "namespace", name_label, true);
    else if (*space != '\0')
        problem_forbidden(problems, &metadata_place, "namespace", "not allowed on this type");
    check_parts(metadata, problems);
    check_finalizers(value_get(metadata, "finalizers"), problems);
}

/* Finalizers that a deleted object did not have, sorted as the server tells them: []string{"a", "b"}. */
static void check_new_finalizers(const struct value *metadata, const struct value *old, struct problems *problems)
{
    struct vec extra = vec_make(1000, mem_free);
    struct buf list = buf_make(64 * 1024);
    const struct value *before = value_get(old, "finalizers");
    EACH (finalizer, value_get(metadata, "finalizers")) {
        bool known = false;
        EACH (other, before)
            known = known || value_equal(other, finalizer);
        if (!known && !vec_has_string(&extra, value_text(finalizer)) && !vec_push_string(&extra, value_text(finalizer)))
            problems->failed = true;
    }
    vec_sort(&extra, (int (*)(const void *, const void *))strcmp);
    for (size_t i = 0; i < extra.length; i++) {
        buf_append_string(&list, i == 0 ? "" : ", ");
        go_quote(extra.items[i], &list);
    }
    const struct place place = place_key(&metadata_place, "finalizers");
    if (extra.length > 0 && buf_ok(&list)) {
        struct buf detail = buf_make(64 * 1024);
        buf_printf(&detail, "no new finalizers can be added if the object is being deleted, found new finalizers []string{%s}", list.bytes);
        if (buf_ok(&detail))
            problem_forbidden(problems, &place, NULL, detail.bytes);
        buf_free(&detail);
    }
    buf_free(&list);
    vec_free(&extra);
}

void meta_validate_update(const struct value *object, const struct value *old_object, struct problems *problems)
{
    static const char *const fixed[] = {"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", NULL};
    const struct value *metadata = value_get(object, "metadata"), *old = value_get(old_object, "metadata");
    if (has(old, "deletionTimestamp"))
        check_new_finalizers(metadata, old, problems);
    const struct place version = place_key(&metadata_place, "resourceVersion"), generation = place_key(&metadata_place, "generation");
    if (*text_of(metadata, "resourceVersion") == '\0')
        problem_invalid(problems, &version, "", "must be specified for an update");
    if (int_of(metadata, "generation", 0) < int_of(old, "generation", 0))
        problem_number(problems, &generation, int_of(metadata, "generation", 0), "must not be decremented");
    for (size_t i = 0; fixed[i] != NULL; i++)
        check_immutable(problems, metadata, old, &metadata_place, fixed[i]);
}

void meta_warn_name(const struct value *object, const char *words, struct vec *warnings)
{
    const struct value *metadata = value_get(object, "metadata");
    const struct place place = place_key(&metadata_place, "name");
    struct complaints found = name_label(text_of(metadata, "name"));
    if (found.count == 0)
        return;
    struct buf list = buf_make(4096);
    for (size_t i = 0; i < found.count; i++)
        buf_printf(&list, "%s%s", i == 0 ? "" : " ", found.text[i]);
    if (buf_ok(&list))
        warning_at(warnings, &place, "%s; a DNS label is recommended: [%s]", words, list.bytes);
    buf_free(&list);
}
