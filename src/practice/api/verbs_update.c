/* verbs_update: an object takes the place of another: PUT, and the second half of every patch. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/access.h"
#include "practice/api/admission.h"
#include "practice/api/verbs.h"
#include "practice/schema/crd.h"

static bool reset_object(struct value *object, const struct value *was, bool status_apart)
{
    if (!status_apart)
        return true;
    return value_put_back(object, was, "status");
}

static bool reset_status(struct value *object, const struct value *was, bool status_apart)
{
    (void)status_apart;
    for (struct value *entry = value_first(object), *next = NULL; entry != NULL; entry = next) {
        const char *key = value_key(entry);
        next = value_next(entry);
        if (strcmp(key, "metadata") != 0 && strcmp(key, "status") != 0 && value_get(was, key) == NULL)
            value_remove(object, key);
    }
    for (const struct value *entry = value_first(was); entry != NULL; entry = value_next(entry)) {
        const char *key = value_key(entry);
        if (strcmp(key, "metadata") != 0 && strcmp(key, "status") != 0 && !value_put_back(object, was, key))
            return false;
    }
    return true;
}

/* A custom resource's generation counts changes of all but metadata and, where that is apart, status. */
static bool same_spec(const struct value *a, const struct value *b, bool status_apart)
{
    const struct value *const both[2][2] = {{a, b}, {b, a}};
    for (int i = 0; i < 2; i++)
        for (const struct value *entry = value_first(both[i][0]); entry != NULL; entry = value_next(entry)) {
            const char *key = value_key(entry);
            bool counts = strcmp(key, "metadata") != 0 && strcmp(key, "apiVersion") != 0 && !(status_apart && strcmp(key, "status") == 0);
            if (counts && !value_equal(entry, value_get(both[i][1], key)))
                return false;
        }
    return true;
}

static bool prepare_object(const struct schema_kind *kind, struct value *object, const struct value *old)
{
    if (!rules_prepare_update(kind, object, old))
        return false;
    if (kind->crd == NULL)
        return true;
    if (kind_has_status(kind) && !value_put_back(object, old, "status"))
        return false;
    return same_spec(object, old, kind_has_status(kind)) || metadata_bump(object);
}

static bool prepare_status(const struct schema_kind *kind, struct value *object, const struct value *old)
{
    if (kind->crd == NULL)
        return rules_prepare_status(kind, object, old);
    struct value *managed = value_copy(value_find(object, "metadata", "managedFields", NULL));
    if (!value_put_back(object, old, "metadata") || !reset_status(object, old, true)) {
        value_free(managed);
        return false;
    }
    if (managed == NULL) {
        value_remove(metadata_of(object), "managedFields");
        return true;
    }
    return value_set(metadata_of(object), "managedFields", managed);
}

static void validate_object(const struct schema_kind *kind, const struct value *object, const struct value *old, struct problems *problems)
{
    rules_validate_update(kind, object, old, problems);
    if (kind->crd != NULL)
        crd_validate_object(kind, object, old, false, problems);
}

static void validate_status(const struct schema_kind *kind, const struct value *object, const struct value *old, struct problems *problems)
{
    rules_validate_status(kind, object, old, problems);
    if (kind->crd != NULL)
        crd_validate_object(kind, object, old, true, problems);
}

const struct write_way write_object = {.reset = reset_object, .prepare = prepare_object, .validate = validate_object, .warns = true};
const struct write_way write_status = {.reset = reset_status, .prepare = prepare_status, .validate = validate_status};

bool write_load(struct write *write)
{
    write->was = api_value(write->api, write->old, write->kind);
    return write->was != NULL || write_no_memory(write);
}

/* The version that a body names: 0 for none. False: it is no number. */
static bool version_of(struct write *write, const struct value *object, uint64_t *version)
{
    const char *text = value_find_text(object, "metadata", "resourceVersion", NULL);
    *version = 0;
    if (text == NULL || text[0] == '\0')
        return true;
    char *end = NULL;
    errno = 0;
    *version = strtoull(text, &end, 10);
    if (errno == ERANGE)
        return status_set(FAILURE(write), 500, NULL, "strconv.ParseUint: parsing \"%s\": value out of range", text);
    if (*end != '\0' || text[0] < '0' || text[0] > '9')
        return status_set(FAILURE(write), 500, NULL, "strconv.ParseUint: parsing \"%s\": invalid syntax", text);
    return true;
}

static bool check_version(struct write *write)
{
    uint64_t version = 0;
    if (!version_of(write, write->object, &version))
        return false;
    if (version == write->old->version || (version == 0 && (write->rules->flags & RULES_NEEDS_VERSION) == 0 && write->kind->crd == NULL))
        return true;
    if (version != 0)
        return status_conflict(FAILURE(write), write->kind, write->name,
                               "the object has been modified; please apply your changes to the latest version and try again");
    struct problems problems = problems_make();
    struct value *zero = value_int(0);
    const struct place root = PLACE_ROOT, metadata = place_key(&root, "metadata"), place = place_key(&metadata, "resourceVersion");
    problem_add(&problems, &place, PROBLEM_INVALID, zero, "must be specified for an update");
    value_free(zero);
    status_invalid_as(FAILURE(write), write->kind->group, write->kind->plural, write->name, &problems);
    problems_free(&problems);
    return false;
}

static bool validate(struct write *write, const struct value *object, const struct value *old)
{
    struct problems problems = problems_make();
    write->way->validate(write->kind->crd != NULL ? write->kind : write->kind->storage, object, old, &problems);
    bool fine = problems_none(&problems);
    if (!fine)
        status_invalid(FAILURE(write), write->kind, value_find_text(object, "metadata", "name", NULL), &problems);
    else if (write->way->warns && write->rules->warn != NULL)
        write->rules->warn(object, old, &write->answer->warnings);
    problems_free(&problems);
    return fine;
}

static bool grants(struct write *write, const struct value *object, const struct value *old)
{
    if (write->api->access == NULL || strcmp(write->kind->group, "rbac.authorization.k8s.io") != 0)
        return true;
    return access_may_grant(write->api->access, write->call, object, old, FAILURE(write));
}

/* An update takes the last finalizer away: what was only waiting for that is gone. Namespaces have finalizers of their own beside those of metadata.
 */
static bool is_finished(const struct write *write, const struct value *object, const struct value *old)
{
    if ((write->old->flags & OBJECT_DELETING) == 0 || value_first(value_find(object, "metadata", "finalizers", NULL)) != NULL)
        return false;
    if (value_find_int(old, 0, "metadata", "deletionGracePeriodSeconds", NULL) != 0)
        return false;
    bool is_namespace = strcmp(write->kind->plural, "namespaces") == 0 && write->kind->group[0] == '\0';
    return !is_namespace || value_first(value_find(object, "spec", "finalizers", NULL)) == NULL;
}

/* The answer is what was sent, at the version that it had. */
static bool remove_finished(struct write *write, struct value *object)
{
    struct object_build build;
    struct error err = ERROR_INIT;
    char version[24];
    snprintf(version, sizeof version, "%llu", (unsigned long long)write->old->version);
    if (!object_build(&build, write->kind->storage, write->resource, object, NULL)) {
        value_free(object);
        return write_no_memory(write);
    }
    bool done = write->call->dry_run || state_delete(write->api->state, write->old, &build.wanted, NULL, &err) || status_error(FAILURE(write), &err);
    object_build_free(&build);
    if (!done || !metadata_set_text(object, "resourceVersion", version)) {
        value_free(object);
        return done ? write_no_memory(write) : false;
    }
    write->answer->value = document_convert(object, write->kind->storage, write->kind, FAILURE(write));
    if (write->answer->value == NULL)
        return false;
    write_after(write);
    return true;
}

/* Both documents in the stored version; takes object over. */
static bool update_stored(struct write *write, struct value *object, const struct value *old)
{
    struct api *api = write->api;
    const struct schema_kind *storage = write->kind->storage;
    struct status *failure = FAILURE(write);
    if (!admission_mutate(api, write->call, object, old, &write->answer->warnings, failure) || !grants(write, object, old))
        goto failed;
    if (!metadata_dedup_owners(object, true, write->answer) || !metadata_keep(object, old) || !write->way->prepare(storage, object, old)) {
        write_no_memory(write);
        goto failed;
    }
    if (write->way == &write_object && !service_allocate(write, object, old))
        goto failed;
    if (!validate(write, object, old) || !admission_validate(api, write->call, object, old, &write->answer->warnings, failure))
        goto failed;
    write->answer->code = 200;
    if (is_finished(write, object, old))
        return remove_finished(write, object);
    if (!metadata_same_document(object, old) || !api_is_same(api, write->old, write->kind->storage))
        return write_store(write, object);
    value_free(object); /* nothing changes: neither does the version */
    write->answer->object = object_ref(write->old);
    return true;
failed:
    value_free(object);
    return false;
}

bool write_update(struct write *write)
{
    if (!check_version(write))
        return false;
    struct value *object = write->object;
    const struct schema_kind *storage = write->kind->storage;
    write->object = NULL;
    if (write->kind == storage || write->kind->crd != NULL) {
        object = document_convert(object, write->kind, storage, FAILURE(write));
        return object != NULL && update_stored(write, object, write->was);
    }
    struct value *old = api_value(write->api, write->old, storage);
    object = document_convert(object, write->kind, storage, FAILURE(write));
    if (old == NULL && object != NULL)
        write_no_memory(write);
    bool done = false;
    if (old != NULL && object != NULL)
        done = update_stored(write, object, old);
    else
        value_free(object);
    value_free(old);
    return done;
}

bool write_store(struct write *write, struct value *stored)
{
    struct api *api = write->api;
    struct answer *answer = write->answer;
    const struct schema_kind *storage = write->kind->storage;
    if (write->call->dry_run) {
        char version[24] = "";
        if (write->old != NULL)
            snprintf(version, sizeof version, "%llu", (unsigned long long)write->old->version);
        else
            value_remove(value_get(stored, "metadata"), "resourceVersion");
        if (write->old != NULL && !metadata_set_text(stored, "resourceVersion", version)) {
            value_free(stored);
            return write_no_memory(write);
        }
        answer->value = document_convert(stored, storage, write->kind, FAILURE(write));
        return answer->value != NULL;
    }
    struct object_build build;
    struct error err = ERROR_INIT;
    const struct object *put = NULL;
    bool built = object_build(&build, storage, write->resource, stored, &write->managed);
    if (built) {
        put = state_put(api->state, &build.wanted, write->old, &err);
        object_build_free(&build);
    } else {
        error_memory(&err);
    }
    if (put == NULL) {
        value_free(stored);
        return status_error(FAILURE(write), &err);
    }
    informers_wrote(api, put, stored);
    answer->object = object_ref(put);
    write_after(write);
    return true;
}

bool write_check_uid(struct write *write)
{
    const char *uid = value_find_text(write->object, "metadata", "uid", NULL);
    const struct call *call = write->call;
    if (uid == NULL || uid[0] == '\0')
        return true;
    const char *has = write->old != NULL ? write->old->uid : "";
    if (strcmp(uid, has) == 0)
        return true;
    return status_conflict(FAILURE(write), write->kind, call->name,
                           "StorageError: invalid object, Code: 4, Key: /registry/%s%s%s/%s, ResourceVersion: 0, AdditionalErrorMsg: Precondition "
                           "failed: UID in precondition: %s, UID in "
                           "object meta: %s",
                           write->kind->plural, write->ns[0] != '\0' ? "/" : "", write->ns, call->name, uid, has);
}

static void put_missing(struct write *write)
{
    if (write->way != &write_object || (write->rules->flags & RULES_CREATE_BY_UPDATE) == 0) {
        status_not_found(FAILURE(write), write->kind, write->call->name);
        return;
    }
    if (!write_check_uid(write))
        return;
    metadata_wipe(write->object);
    value_remove(metadata_of(write->object), "resourceVersion"); /* of what is not there: not looked at */
    if (write_may_create(write))
        write_create(write);
}

void verb_update(struct api *api, struct call *call, struct answer *answer)
{
    struct write write;
    const struct write_way *way = call->sub != NULL ? way_of(call) : &write_object;
    struct type_name type = type_of(call->kind);
    if (way == NULL) {
        status_method_not_allowed(&answer->failure, NULL, "update");
        return;
    }
    if (!write_start(&write, api, call, answer))
        goto done;
    write.way = way;
    write.subresource = call->sub != NULL ? call->sub->name : NULL;
    write.object = body_decode(call, &type, call->kind->schema, answer);
    if (write.object == NULL)
        goto done;
    if (metadata_of(write.object) == NULL || !document_default(call->kind, write.object) || !metadata_dedup_owners(write.object, false, answer)) {
        write_no_memory(&write);
        goto done;
    }
    if (!metadata_namespace(write.object, write.ns, &answer->failure) || !metadata_name(write.object, call->name, write.ns, &answer->failure))
        goto done;
    if (write.old == NULL) {
        put_missing(&write);
        goto done;
    }
    if (write_check_uid(&write) && write_load(&write) && write_managed(&write))
        write_update(&write);
done:
    write_end(&write);
}
