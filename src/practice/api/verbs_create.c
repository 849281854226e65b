/* verbs_create: a new object, by POST, or by a PUT or an apply of one that is not there. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/api/access.h"
#include "practice/api/admission.h"
#include "practice/api/verbs.h"
#include "practice/schema/crd.h"
#include "practice/schema/managed.h"

bool write_no_memory(struct write *write)
{
    return status_error(FAILURE(write), &(struct error){.kind = ERROR_MEMORY});
}

bool write_start(struct write *write, struct api *api, struct call *call, struct answer *answer)
{
    *write = (struct write){.api = api, .call = call, .answer = answer, .kind = call->kind, .way = &write_object, .managed = buf_make(STATE_OBJECT)};
    write->rules = rules_of(call->kind->storage);
    write->resource = registry_resource(api->registry, call->kind);
    write->ns = call->kind->namespaced ? call->ns : "";
    write->name = call->name;
    if (write->name != NULL) {
        const struct object *found = state_get(api->state, write->resource, write->ns, write->name);
        write->old = found != NULL ? object_ref(found) : NULL;
    }
    return write->resource != 0 || write_no_memory(write);
}

void write_end(struct write *write)
{
    if (write->old != NULL)
        object_unref(write->old);
    value_free(write->was);
    value_free(write->object);
    buf_free(&write->managed);
}

/* Custom resources have no rules of their own: generation counts, and status is apart if it is a subresource. */
bool kind_has_status(const struct schema_kind *kind)
{
    if (kind->crd == NULL)
        return (rules_of(kind->storage)->flags & RULES_STATUS) != 0;
    for (const struct schema_subresource *sub = kind->subresources; sub != NULL && sub->name != NULL; sub++)
        if (strcmp(sub->name, "status") == 0)
            return true;
    return false;
}

static bool prepare_create(const struct api *api, const struct schema_kind *kind, struct value *object)
{
    if (!rules_prepare_create(kind, object))
        return false;
    if (kind->crd == NULL) {
        char now[21];
        if (strcmp(kind->kind, "PersistentVolume") != 0 || kind->group[0] != '\0')
            return true;
        time_print(api_now_ms(api), now); /* its phase begins with it; rules have no clock */
        return value_set(value_get(object, "status"), "lastPhaseTransitionTime", value_string(now));
    }
    if (kind_has_status(kind))
        value_remove(object, "status");
    return value_set(metadata_of(object), "generation", value_int(1));
}

bool write_managed(struct write *write)
{
    char manager[MANAGER_NAME + 1], version[512];
    struct error err = ERROR_INIT;
    manager_name(write->call, manager);
    snprintf(version, sizeof version, "%s%s%s", write->kind->group, write->kind->group[0] != '\0' ? "/" : "", write->kind->version);
    if (!write->way->reset(write->object, write->was, kind_has_status(write->kind)))
        return write_no_memory(write);
    if (write->applies)
        return true;
    struct managed_by by = {.manager = manager, .subresource = write->subresource, .api_version = version, .time_ms = api_now_ms(write->api)};
    bool apart = write->was == NULL && write->kind->crd == NULL && !write->call->dry_run;
    return (apart ? managed_create(write->object, write->kind->schema, &by, &write->managed, &err)
                  : managed_update(write->object, write->was, write->kind->schema, &by, &err)) ||
           status_error(FAILURE(write), &err);
}

static bool grants(struct write *write, const struct value *object, const struct value *old)
{
    struct api *api = write->api;
    if (api->access == NULL || strcmp(write->kind->group, "rbac.authorization.k8s.io") != 0)
        return true;
    return access_may_grant(api->access, write->call, object, old, FAILURE(write));
}

bool write_may_create(struct write *write)
{
    const struct call *call = write->call;
    if (write->api->access == NULL)
        return true;
    struct attributes what = {.verb = "create",
                              .group = write->kind->group,
                              .version = write->kind->version,
                              .resource = write->kind->plural,
                              .ns = write->ns,
                              .name = write->name};
    return access_allowed(write->api->access, call->user, &what, NULL) || access_refuse(call->user, &what, FAILURE(write));
}

/* Takes the name, checks that it is free; generated names are tried again. */
static bool find_room(struct write *write, struct value *object, bool generated)
{
    enum { ATTEMPTS = 8 };
    const char *prefix = value_find_text(object, "metadata", "generateName", NULL), *name = value_find_text(object, "metadata", "name", NULL);
    const struct object *taken = NULL;
    for (int i = 0; i < ATTEMPTS; i++) {
        taken = state_get(write->api->state, write->resource, write->ns, name);
        if (taken == NULL || !generated || i == ATTEMPTS - 1)
            break;
        if (!metadata_generate_name(object))
            return write_no_memory(write);
        name = value_find_text(object, "metadata", "name", NULL);
    }
    if (taken == NULL)
        return true;
    struct status *failure = FAILURE(write);
    status_exists(failure, write->kind, name);
    const char *mark = (taken->flags & OBJECT_DELETING) != 0 ? "object is being deleted: " : "";
    const char *more = prefix != NULL && prefix[0] != '\0' ? ", the server was not able to generate a unique name for the object" : "";
    char *message = failure->message != NULL ? mem_printf("%s%s%s", mark, failure->message, more) : NULL;
    mem_free(failure->message);
    failure->message = message;
    failure->retry_after_s = more[0] != '\0';
    return false;
}

static bool validate(struct write *write, const struct value *object)
{
    struct problems problems = problems_make();
    rules_validate_create(write->kind->storage, object, &problems);
    if (write->kind->crd != NULL)
        crd_validate_object(write->kind, object, NULL, false, &problems);
    bool fine = problems_none(&problems);
    if (!fine)
        status_invalid(FAILURE(write), write->kind, value_find_text(object, "metadata", "name", NULL), &problems);
    else if (write->rules->warn != NULL)
        write->rules->warn(object, NULL, &write->answer->warnings);
    problems_free(&problems);
    return fine;
}

/* A definition that is going lets nothing new in. */
static bool is_open(struct write *write, const struct value *object)
{
    const struct schema_kind *kind = write->kind;
    if (kind->crd == NULL)
        return true;
    struct api *api = write->api;
    const struct schema_kind *definitions = registry_find(api->registry, "apiextensions.k8s.io", "v1", "customresourcedefinitions");
    char *name = mem_printf("%s.%s", kind->plural, kind->group);
    if (name == NULL)
        return write_no_memory(write);
    const struct object *definition = state_get(api->state, registry_resource(api->registry, definitions), "", name);
    mem_free(name);
    if (definition == NULL || (definition->flags & OBJECT_DELETING) == 0)
        return true;
    const char *own = value_find_text(object, "metadata", "name", NULL);
    return status_forbidden(FAILURE(write), kind->group, kind->plural, own != NULL ? own : "",
                            "create not allowed while custom resource definition is terminating");
}

/* The document in the stored version from admission on. */
static bool create_stored(struct write *write, struct value *object)
{
    struct api *api = write->api;
    const struct schema_kind *storage = write->kind->storage;
    const char *prefix = value_find_text(object, "metadata", "generateName", NULL), *name = value_find_text(object, "metadata", "name", NULL);
    const char *version = value_find_text(object, "metadata", "resourceVersion", NULL);
    if (!is_open(write, object) || !admission_mutate(api, write->call, object, NULL, &write->answer->warnings, FAILURE(write)) ||
        !grants(write, object, NULL))
        return false;
    if (!metadata_dedup_owners(object, true, write->answer) || !metadata_fill(api, object))
        return write_no_memory(write);
    bool generates = prefix != NULL && prefix[0] != '\0' && (name == NULL || name[0] == '\0');
    if ((generates && !metadata_generate_name(object)) || !prepare_create(write->api, storage, object))
        return write_no_memory(write);
    if (!service_allocate(write, object, NULL) || !validate(write, object) ||
        !admission_validate(api, write->call, object, NULL, &write->answer->warnings, FAILURE(write)))
        return false;
    if (version != NULL && version[0] != '\0' && strcmp(version, "0") != 0)
        return status_set(FAILURE(write), 500, NULL, "resourceVersion should not be set on objects to be created");
    return find_room(write, object, generates);
}

bool write_create(struct write *write)
{
    if (!write_managed(write))
        return false;
    struct value *object = write->object;
    write->object = NULL;
    object = document_convert(object, write->kind, write->kind->storage, FAILURE(write));
    if (object == NULL)
        return false;
    if (!create_stored(write, object)) {
        value_free(object);
        return false;
    }
    write->answer->code = 201;
    return write_store(write, object);
}

void verb_create(struct api *api, struct call *call, struct answer *answer)
{
    struct write write;
    struct type_name type = type_of(call->kind);
    if (!write_start(&write, api, call, answer))
        goto done;
    write.object = body_decode(call, &type, call->kind->schema, answer);
    if (write.object == NULL)
        goto done;
    metadata_wipe(write.object);
    if (metadata_of(write.object) == NULL || !document_default(call->kind, write.object)) {
        write_no_memory(&write);
        goto done;
    }
    if (!metadata_namespace(write.object, write.ns, &answer->failure))
        goto done;
    if (!metadata_dedup_owners(write.object, false, answer)) {
        write_no_memory(&write);
        goto done;
    }
    write_create(&write);
done:
    write_end(&write);
}
