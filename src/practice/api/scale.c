/* scale: the subresource that shows any workload as a number of replicas (autoscaling/v1 Scale). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/label_selector.h"
#include "practice/api/verbs.h"
#include "practice/schema/crd.h"
#include "practice/schema/managed.h"

/* A LabelSelector, a map of labels (a ReplicationController's) or a text, as "app=x,e,k in (a,b)". NULL: no memory. */
static char *selector_text(const struct value *selector)
{
    struct error err = ERROR_INIT;
    if (value_text(selector) != NULL)
        return mem_string(value_text(selector));
    bool structured = value_type(value_get(selector, "matchLabels")) == VALUE_OBJECT || value_type(value_get(selector, "matchExpressions")) == VALUE_ARRAY;
    struct label_selector *parsed = structured ? label_selector_new(selector, &err) : label_selector_of_map(selector, &err);
    char *text = parsed != NULL ? label_selector_text(parsed) : err.kind == ERROR_INVALID ? mem_string("") : NULL;
    label_selector_free(parsed);
    return text;
}

/* Where a kind keeps its numbers: built-in workloads all in the same places, custom ones where their definition says. */
static struct crd_scale paths_of(const struct schema_kind *kind)
{
    const struct crd_scale *custom = kind->crd != NULL ? crd_scale_of(kind) : NULL;
    return custom != NULL
               ? *custom
               : (struct crd_scale){.spec_replicas = ".spec.replicas", .status_replicas = ".status.replicas", .selector = ".spec.selector"};
}

/* The value at ".spec.a.b"; make: objects on the way are made. NULL: none, or no memory. The last key is copied to `last`. */
enum { KEY = 256 };
static struct value *parent_at(struct value *document, const char *path, bool make, char last[static KEY])
{
    struct value *at = document;
    while (at != NULL && *path == '.') {
        size_t length = strcspn(++path, ".");
        if (length >= KEY)
            return NULL;
        memcpy(last, path, length);
        last[length] = '\0';
        path += length;
        if (*path == '.')
            at = make ? value_child(at, last) : value_get(at, last);
    }
    return at;
}

static const struct value *value_at(const struct value *document, const char *path)
{
    char key[KEY] = "";
    struct value *at = path != NULL ? parent_at((struct value *)(uintptr_t)document, path, false, key) : NULL;
    return value_get(at, key);
}

static bool set_at(struct value *document, const char *path, struct value *child)
{
    char key[KEY] = "";
    struct value *at = parent_at(document, path, true, key);
    if (at == NULL) {
        value_free(child);
        return false;
    }
    return value_set(at, key, child);
}

/* The Scale that a workload's document shows. NULL: no memory. */
static struct value *scale_of(const struct schema_kind *kind, const struct value *document)
{
    static const char *const keys[] = {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"};
    const struct crd_scale paths = paths_of(kind);
    struct value *scale = value_object();
    char *selector = selector_text(value_at(document, paths.selector));
    int64_t replicas = 0, running = 0;
    if (!value_as_int(value_at(document, paths.spec_replicas), &replicas))
        replicas = 0;
    if (!value_as_int(value_at(document, paths.status_replicas), &running))
        running = 0;
    bool whole = scale != NULL && value_set(scale, "kind", value_string("Scale")) && value_set(scale, "apiVersion", value_string("autoscaling/v1")) &&
                 value_set(scale, "metadata", value_object()) && value_set(scale, "spec", value_object()) &&
                 value_set(scale, "status", value_object());
    for (size_t i = 0; whole && i < sizeof keys / sizeof *keys; i++) {
        const struct value *entry = value_find(document, "metadata", keys[i], NULL);
        whole = entry == NULL || value_set(value_get(scale, "metadata"), keys[i], value_copy(entry));
    }
    whole = whole && selector != NULL && (replicas == 0 || value_set(value_get(scale, "spec"), "replicas", value_int(replicas))) &&
            value_set(value_get(scale, "status"), "replicas", value_int(running)) &&
            (selector[0] == '\0' || value_set(value_get(scale, "status"), "selector", value_string(selector)));
    mem_free(selector);
    if (whole)
        return scale;
    value_free(scale);
    return NULL;
}

/* The answer shows the Scale of what was read or written. */
static void show_scale(struct write *write)
{
    struct answer *answer = write->answer;
    struct value *document = answer->value != NULL ? answer->value : api_value(write->api, answer->object, write->kind);
    struct value *scale = document != NULL ? scale_of(write->kind, document) : NULL;
    value_free(document);
    answer->value = scale;
    if (answer->object != NULL)
        object_unref(answer->object);
    answer->object = NULL;
    if (scale == NULL)
        write_no_memory(write);
}

static bool validate_scale(struct write *write, const struct value *scale)
{
    struct problems problems = problems_make();
    const struct place root = PLACE_ROOT, spec = place_key(&root, "spec"), replicas = place_key(&spec, "replicas");
    const struct value *number = value_find(scale, "spec", "replicas", NULL);
    if (value_find_int(scale, 0, "spec", "replicas", NULL) < 0)
        problem_add(&problems, &replicas, PROBLEM_INVALID, number, "must be greater than or equal to 0");
    bool fine = problems_none(&problems);
    if (!fine)
        status_invalid_as(FAILURE(write), "autoscaling", "Scale", write->call->name, &problems);
    problems_free(&problems);
    return fine;
}

/* The set of fields that an entry of managedFields has at the parent of `path`, and the last key with it ("f:replicas"). NULL: none. */
static struct value *owned_at(struct value *entry, const char *path, char last[static KEY])
{
    struct value *at = value_get(entry, "fieldsV1");
    while (at != NULL && *path == '.') {
        size_t length = strcspn(++path, ".");
        if (length + 3 > KEY)
            return NULL;
        memcpy(last, "f:", 2);
        memcpy(last + 2, path, length);
        last[length + 2] = '\0';
        path += length;
        if (*path == '.')
            at = value_get(at, last);
    }
    return value_get(at, last) != NULL ? at : NULL;
}

static bool is_owned(const struct value *document, const char *path)
{
    char key[KEY];
    for (struct value *entry = value_first(value_find(document, "metadata", "managedFields", NULL)); entry != NULL; entry = value_next(entry))
        if (owned_at(entry, path, key) != NULL)
            return true;
    return false;
}

/* What is owned by way of a Scale has no time. */
static void drop_time(struct value *document, const char *manager)
{
    for (struct value *entry = value_first(value_find(document, "metadata", "managedFields", NULL)); entry != NULL; entry = value_next(entry)) {
        const char *by = value_find_text(entry, "manager", NULL), *sub = value_find_text(entry, "subresource", NULL);
        if (by != NULL && sub != NULL && strcmp(by, manager) == 0 && strcmp(sub, "scale") == 0)
            value_remove(entry, "time");
    }
}

/* The workload with the number of a Scale, and its preconditions. */
static bool use_scale(struct write *write, const struct value *scale)
{
    const char *version = value_find_text(scale, "metadata", "resourceVersion", NULL), *uid = value_find_text(scale, "metadata", "uid", NULL);
    int64_t replicas = value_find_int(scale, 0, "spec", "replicas", NULL);
    const char *path = paths_of(write->kind).spec_replicas;
    write->object = value_copy(write->was);
    if (write->object == NULL || !set_at(write->object, path, value_int(replicas)) ||
        !metadata_set_text(write->object, "resourceVersion", version != NULL ? version : ""))
        return write_no_memory(write);
    if (uid != NULL && uid[0] != '\0' && !metadata_set_text(write->object, "uid", uid))
        return write_no_memory(write);
    if (!write_check_uid(write))
        return false;
    if (!is_owned(write->was, path)) /* then nobody gets it: who owns what a Scale shows is only followed once somebody does */
        return true;
    char manager[MANAGER_NAME + 1];
    manager_name(write->call, manager);
    if (!write_managed(write))
        return false;
    drop_time(write->object, manager);
    return true;
}

static const struct type_name scale_type = {"autoscaling", "v1", "Scale", NULL};

static bool take_scale(struct write *write, struct value *scale)
{
    bool fine = scale != NULL && metadata_namespace(scale, write->ns, FAILURE(write)) &&
                metadata_name(scale, write->call->name, write->ns, FAILURE(write)) && validate_scale(write, scale) && use_scale(write, scale);
    value_free(scale);
    return fine;
}

/* A number that nobody owns is kept from another one by what the real server calls before-first-apply. */
static bool refuse_apply(struct write *write)
{
    static const char owner[] = "conflict with \"before-first-apply\" with subresource \"scale\" using autoscaling/v1";
    const char *path = paths_of(write->kind).spec_replicas;
    struct value *causes = value_array(), *cause = value_object();
    status_set(FAILURE(write), 409, "Conflict", "Apply failed with 1 conflict: %s: %s", owner, path);
    bool whole = causes != NULL && cause != NULL && value_set(cause, "reason", value_string("FieldManagerConflict")) &&
                 value_set(cause, "message", value_string(owner)) && value_set(cause, "field", value_string(path));
    if (whole) {
        whole = value_append(causes, cause);
        cause = NULL;
    }
    if (!whole) {
        value_free(cause);
        value_free(causes);
        causes = NULL;
    }
    FAILURE(write)->causes = causes;
    return false;
}

/* In conflicts of Scales their own version is named, not the workload's. */
static char *name_version(char *message, const char *version)
{
    char *found = NULL;
    if (message == NULL)
        return NULL;
    for (char *at = strstr(message, " using "); at != NULL; at = strstr(at + 1, " using "))
        if (strncmp(at + 7, version, strlen(version)) == 0)
            found = at;
    if (found == NULL)
        return message;
    char *named = mem_printf("%.*s using autoscaling/v1%s", (int)(found - message), message, found + 7 + strlen(version));
    mem_free(message);
    return named;
}

static void name_versions(struct status *failure, const char *version)
{
    failure->message = name_version(failure->message, version);
    for (struct value *cause = value_first(failure->causes); cause != NULL; cause = value_next(cause)) {
        const char *text = value_find_text(cause, "message", NULL);
        char *named = text != NULL ? name_version(mem_string(text), version) : NULL;
        if (named != NULL && !value_set(cause, "message", value_string(named)))
            failure->code = 500;
        mem_free(named);
    }
}

/* An applied Scale is an apply to the workload's one field. */
static bool apply_scale(struct write *write)
{
    struct call *call = write->call;
    const struct schema_kind *kind = write->kind;
    struct type_name type = type_of(kind);
    const struct value *replicas = value_find(call->body, "spec", "replicas", NULL), *name = value_find(call->body, "metadata", "name", NULL);
    char manager[MANAGER_NAME + 1];
    char *version = mem_printf("%s%s%s", kind->group, kind->group[0] != '\0' ? "/" : "", kind->version);
    struct value *body = value_object();
    bool whole = version != NULL && body != NULL && value_set(body, "apiVersion", value_string(version)) &&
                 value_set(body, "kind", value_string(kind->kind)) && (name == NULL || value_set(metadata_of(body), "name", value_copy(name))) &&
                 (replicas == NULL || set_at(body, paths_of(kind).spec_replicas, value_copy(replicas)));
    if (!whole) {
        mem_free(version);
        value_free(body);
        return write_no_memory(write);
    }
    value_free(call->body);
    call->body = body;
    const char *path = paths_of(kind).spec_replicas;
    if (!call->force && value_at(body, path) != NULL && !is_owned(write->was, path) &&
        !value_equal(value_at(body, path), value_at(write->was, path))) {
        mem_free(version);
        return refuse_apply(write);
    }
    manager_name(call, manager);
    struct managed_by by = {.manager = manager, .subresource = "scale", .api_version = version, .time_ms = api_now_ms(write->api)};
    write->applies = true;
    write->object = apply_document(call, write->was, &type, kind->schema, &by, write->answer);
    if (write->object == NULL && FAILURE(write)->code == 409)
        name_versions(FAILURE(write), version);
    mem_free(version);
    drop_time(write->object, manager);
    return write->object != NULL && metadata_namespace(write->object, write->ns, FAILURE(write)) &&
           metadata_name(write->object, call->name, write->ns, FAILURE(write));
}

static bool patch_scale(struct write *write)
{
    if (write->call->patch == PATCH_APPLY)
        return apply_scale(write);
    struct value *scale = scale_of(write->kind, write->was);
    if (scale == NULL)
        return write_no_memory(write);
    struct value *patched = patch_document(write->call, scale, &scale_type, write->call->sub->schema, write->answer);
    value_free(scale);
    return take_scale(write, patched);
}

void scale_run(struct api *api, struct call *call, struct answer *answer)
{
    struct write write;
    struct value *body = NULL;
    if (!write_start(&write, api, call, answer))
        goto done;
    write.subresource = "scale";
    if (call->verb == VERB_UPDATE) {
        body = body_decode(call, &scale_type, call->sub->schema, answer);
        if (body == NULL)
            goto done;
        if (!metadata_name(body, call->name, write.ns, &answer->failure))
            goto done;
    }
    if (write.old == NULL) {
        status_not_found(&answer->failure, call->kind, call->name);
        goto done;
    }
    if (call->verb == VERB_GET) {
        answer->code = 200;
        answer->object = object_ref(write.old);
        show_scale(&write);
        goto done;
    }
    if (!write_load(&write))
        goto done;
    bool ready = false;
    if (call->verb == VERB_UPDATE) {
        ready = take_scale(&write, body);
        body = NULL;
    } else if (call->verb == VERB_PATCH) {
        ready = patch_scale(&write);
    } else {
        status_method_not_allowed(&answer->failure, NULL, "create");
    }
    if (ready && write_update(&write))
        show_scale(&write);
done:
    value_free(body);
    write_end(&write);
}
