#include "practice/api/definitions.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "practice/api/client_internal.h"
#include "practice/api/definitions_internal.h"
#include "practice/api/user.h"
#include "practice/schema/crd.h"

enum { DEFINITIONS = 10000, SETTLE_STEPS = 100000 };

static const struct client_resource definitions_resource = {"apiextensions.k8s.io", "v1", "customresourcedefinitions"};

/* One definition whose kinds are served, or whose objects are being removed. */
struct served {
    struct value *made_of;       /* spec and accepted names that the registry's kinds were made of; NULL: they are not there */
    struct state_watch *objects; /* while it goes: what is left of its objects */
    struct definitions *owner;
    char *name;
};

struct definitions {
    struct api *api;
    struct client *client;
    const struct schema_kind *kind;
    state_resource resource;
    struct state_watch *watch;
    struct loop_event *timer;
    struct map known; /* name to struct served */
    struct map dirty; /* names to be looked at */
};

static void free_served(void *item)
{
    struct served *served = item;
    state_watch_free(served->objects);
    value_free(served->made_of);
    mem_free(served->name);
    mem_free(served);
}

static bool mark_dirty(struct definitions *definitions, const char *name)
{
    loop_set_timer(definitions->timer, 0);
    return map_has(&definitions->dirty, name) || map_set(&definitions->dirty, name, NULL);
}

/* All definitions there are, and those that were. */
static bool mark_all(struct definitions *definitions)
{
    size_t cursor = 0;
    bool ok = true;
    for (const struct map_entry *entry = map_next(&definitions->known, &cursor); entry != NULL;
         entry = map_next(&definitions->known, &cursor))
        ok = mark_dirty(definitions, entry->key) && ok;
    const struct object *object = NULL;
    while ((object = state_next(definitions->api->state, definitions->resource, NULL, "",
                                object != NULL ? object->name : NULL)) != NULL)
        ok = mark_dirty(definitions, object->name) && ok;
    return ok;
}

static struct served *served_of(struct definitions *definitions, const char *name)
{
    struct served *served = map_get(&definitions->known, name);
    if (served != NULL)
        return served;
    served = mem_zero(1, sizeof *served);
    if (served == NULL)
        return NULL;
    served->owner = definitions;
    served->name = mem_string(name);
    if (served->name == NULL) {
        mem_free(served);
        return NULL;
    }
    return map_set(&definitions->known, name, served) ? served : NULL;
}

/* ---- serving ---- */

static void free_kinds(void *owner)
{
    crd_free(owner);
}

/* Spec and accepted names: while they are the same, so are the kinds. */
static struct value *parts_of(const struct value *definition)
{
    struct value *parts = value_object();
    if (parts != NULL && value_set(parts, "spec", value_copy(value_get(definition, "spec"))) &&
        value_set(parts, "names", value_copy(value_find(definition, "status", "acceptedNames", NULL))))
        return parts;
    value_free(parts);
    return NULL;
}

static bool serve(struct definitions *definitions, const char *name, const struct value *definition, struct error *err)
{
    struct served *served = served_of(definitions, name);
    struct value *parts = parts_of(definition);
    size_t count = 0;
    if (served == NULL || parts == NULL) {
        value_free(parts);
        return error_memory(err);
    }
    if (served->made_of != NULL && value_equal(served->made_of, parts)) {
        value_free(parts);
        return true;
    }
    struct crd *crd = crd_new(definition, err);
    if (crd == NULL) {
        value_free(parts);
        return false;
    }
    crd_begin(crd, state_version(definitions->api->state));
    const struct schema_kind *const *kinds = crd_kinds(crd, &count);
    if (!registry_set(definitions->api->registry, name, kinds, count, crd, free_kinds, err)) {
        value_free(parts);
        return false;
    }
    value_free(served->made_of);
    served->made_of = parts;
    return true;
}

static bool withdraw(struct definitions *definitions, const char *name, struct error *err)
{
    map_remove(&definitions->known, name);
    return registry_set(definitions->api->registry, name, NULL, 0, NULL, free_kinds, err);
}

/* ---- removing ---- */

enum { PART = 200 /* objects that are deleted in one round */ };

static void objects_changed(void *data)
{
    struct served *served = data;
    (void)mark_dirty(served->owner, served->name); /* without memory the next change of an object asks again */
}

static const struct schema_kind *any_kind(const struct definitions *definitions, const struct value *definition)
{
    const char *group = value_find_text(definition, "spec", "group", NULL),
               *plural = value_find_text(definition, "status", "acceptedNames", "plural", NULL);
    for (const struct value *version = value_first(value_find(definition, "spec", "versions", NULL));
         version != NULL && group != NULL && plural != NULL; version = value_next(version)) {
        const char *name = value_find_text(version, "name", NULL);
        const struct schema_kind *kind = name != NULL ? registry_find(definitions->api->registry, group, name, plural) : NULL;
        if (kind != NULL)
            return kind;
    }
    return NULL;
}

/* Deletes some of the objects that nobody deletes yet. *deleted: how many; *left: how many are there still. */
static bool delete_part(struct definitions *definitions, const struct schema_kind *kind, size_t *deleted, size_t *left,
                        struct error *err)
{
    struct state *state = definitions->api->state;
    state_resource resource = registry_resource(definitions->api->registry, kind);
    struct vec objects = vec_make(0x7fffffff, NULL);
    bool ok = true;
    *deleted = 0;
    for (const struct object *object = state_next(state, resource, NULL, "", NULL);
         ok && object != NULL && objects.length < PART; object = state_next(state, resource, NULL, object->ns, object->name))
        if ((object->flags & OBJECT_DELETING) == 0)
            ok = vec_push(&objects, object_ref(object));
    for (size_t i = 0; ok && i < objects.length; i++) {
        struct answer answer = {0};
        struct object *object = objects.items[i];
        struct call call = {.user = &definitions->client->user,
                            .user_agent = "",
                            .verb = VERB_DELETE,
                            .kind = kind,
                            .ns = object->ns,
                            .name = object->name,
                            .manager = definitions->client->manager,
                            .grace = -1};
        if (!api_delete(definitions->api, &call, object, &answer) && answer.failure.code >= 500)
            ok = status_as_error(&answer.failure, NULL, err);
        *deleted += 1;
        answer_free(&answer);
    }
    for (size_t i = 0; i < objects.length; i++)
        object_unref(objects.items[i]);
    vec_free(&objects);
    *left = state_count(state, resource, NULL);
    return ok;
}

/* Without a version that is served nobody can see the objects; they go at once. */
static bool drop_unseen(struct definitions *definitions, const char *name, size_t *deleted, size_t *left, struct error *err)
{
    struct state *state = definitions->api->state;
    state_resource resource = state_resource_of(state, name);
    const struct object *object = NULL;
    *deleted = 0;
    *left = 0;
    if (resource == 0)
        return error_memory(err);
    while (*deleted < PART && (object = state_next(state, resource, NULL, "", NULL)) != NULL) {
        if (!state_delete(state, object, NULL, NULL, err))
            return false;
        *deleted += 1;
    }
    *left = state_count(state, resource, NULL);
    return true;
}

static bool write_status(struct definitions *definitions, struct value *definition, struct error *err)
{
    struct error why = ERROR_INIT;
    struct value *answer = client_update(definitions->client, &definitions_resource, "status", definition, &why);
    value_free(answer);
    if (answer != NULL || why.kind == ERROR_CONFLICT || why.kind == ERROR_NOT_FOUND)
        return true; /* changed meanwhile: that change comes as an event */
    if (err != NULL)
        *err = why;
    return false;
}

/* Waits for objects that have finalizers of their own. */
static bool await_objects(struct definitions *definitions, const char *name, const struct schema_kind *kind, struct error *err)
{
    struct served *served = served_of(definitions, name);
    struct state_event event;
    if (served == NULL)
        return error_memory(err);
    if (served->objects == NULL)
        served->objects = state_watch_new(definitions->api->state, registry_resource(definitions->api->registry, kind), NULL,
                                          state_committed(definitions->api->state), objects_changed, served, err);
    if (served->objects == NULL)
        return false;
    enum state_step step = STATE_EVENT;
    while (step == STATE_EVENT)
        step = state_watch_next(served->objects, &event);
    if (step == STATE_EXPIRED) {
        state_watch_free(served->objects);
        served->objects = NULL;
        return mark_dirty(definitions, name) || error_memory(err);
    }
    return true;
}

/* One step of a definition's end. Takes the document over. */
static bool remove_definition(struct definitions *definitions, const char *name, struct value *definition, struct error *err)
{
    size_t deleted = 0, left = 0;
    const struct schema_kind *kind = any_kind(definitions, definition);
    bool established = definition_is_true(definition, "Established"), ok = true;
    const char *reason = definition_reason(definition, "Terminating");
    if (strcmp(reason, "InstanceDeletionInProgress") != 0) {
        ok = definition_condition(definition, "Terminating", "True", "InstanceDeletionInProgress",
                                  "CustomResource deletion is in progress", api_now_ms(definitions->api)) ||
             error_memory(err);
        if (ok)
            return write_status(definitions, definition, err) && (mark_dirty(definitions, name) || error_memory(err));
        value_free(definition);
        return false;
    }
    if (established)
        ok = kind != NULL ? delete_part(definitions, kind, &deleted, &left, err)
                          : drop_unseen(definitions, name, &deleted, &left, err);
    if (!ok || left > 0) {
        value_free(definition);
        if (!ok)
            return false;
        if (deleted > 0 || kind == NULL)
            return mark_dirty(definitions, name) || error_memory(err);
        return await_objects(definitions, name, kind, err);
    }
    if (definition_finish(definition, established, api_now_ms(definitions->api)))
        return write_status(definitions, definition, err) && (mark_dirty(definitions, name) || error_memory(err));
    value_free(definition);
    return error_memory(err);
}

/* ---- what is to be done about one ---- */

/* The names that others of the group have, in two sets. */
static bool taken_names(struct definitions *definitions, const char *group, struct definition_names *taken)
{
    const struct object *object = NULL;
    bool ok = true;
    while (ok && (object = state_next(definitions->api->state, definitions->resource, NULL, "",
                                      object != NULL ? object->name : NULL)) != NULL) {
        struct value *other = api_value(definitions->api, object, definitions->kind);
        const char *has = value_find_text(other, "spec", "group", NULL);
        ok = other != NULL && (has == NULL || strcmp(has, group) != 0 || definition_names_add(taken, other));
        value_free(other);
    }
    return ok;
}

/* Takes the document over. */
static bool name_definition(struct definitions *definitions, struct value *definition, bool *changed, struct error *err)
{
    struct definition_names taken = definition_names_make();
    const char *group = value_find_text(definition, "spec", "group", NULL);
    bool ok = taken_names(definitions, group != NULL ? group : "", &taken) &&
              definition_accept(definition, &taken, api_now_ms(definitions->api), changed);
    definition_names_free(&taken);
    if (!ok || !*changed) {
        value_free(definition);
        return ok || error_memory(err);
    }
    return write_status(definitions, definition, err) && (mark_all(definitions) || error_memory(err));
}

static bool look_at(struct definitions *definitions, const char *name, struct error *err)
{
    const struct object *object = state_get(definitions->api->state, definitions->resource, "", name);
    if (object == NULL) {
        bool was_known = map_has(&definitions->known, name);
        return withdraw(definitions, name, err) &&
               (!was_known || mark_all(definitions) || error_memory(err)); /* its names are free */
    }
    bool is_going = (object->flags & OBJECT_DELETING) != 0, changed = false;
    struct value *definition = api_value(definitions->api, object, definitions->kind);
    if (definition == NULL || served_of(definitions, name) == NULL) {
        value_free(definition);
        return error_memory(err);
    }
    if (definition_is_true(definition, "Established") && !serve(definitions, name, definition, err)) {
        value_free(definition);
        return false;
    }
    if (is_going && definition_has_finalizer(definition))
        return remove_definition(definitions, name, definition, err);
    if (!definition_approve(definition, api_now_ms(definitions->api), &changed)) {
        value_free(definition);
        return error_memory(err);
    }
    if (!changed && definition_is_true(definition, "NamesAccepted") && !definition_is_true(definition, "Established")) {
        changed = true;
        if (!definition_condition(definition, "Established", "True", "InitialNamesAccepted",
                                  "the initial names have been accepted", api_now_ms(definitions->api))) {
            value_free(definition);
            return error_memory(err);
        }
    }
    if (changed)
        return write_status(definitions, definition, err) && (mark_dirty(definitions, name) || error_memory(err));
    return name_definition(definitions, definition, &changed, err);
}

/* Looks at everything that is waiting now; what it makes waits for another time. */
static bool look_around(struct definitions *definitions, struct error *err)
{
    struct map now = definitions->dirty;
    definitions->dirty = map_make(DEFINITIONS, NULL);
    size_t cursor = 0;
    bool ok = true;
    for (const struct map_entry *entry = map_next(&now, &cursor); entry != NULL; entry = map_next(&now, &cursor))
        ok = look_at(definitions, entry->key, ok ? err : NULL) && ok;
    map_free(&now);
    return ok;
}

static bool follow(struct definitions *definitions, struct error *err);

static void round_of(void *data)
{
    enum { AGAIN_MS = 1000 };
    struct definitions *definitions = data;
    struct error err = ERROR_INIT;
    if (!look_around(definitions, &err)) {
        if (definitions->api->log != NULL)
            log_line(definitions->api->log, "definitions: %s", err.message);
        (void)mark_all(definitions);
        loop_set_timer(definitions->timer, AGAIN_MS);
    }
}

static void changed(void *data)
{
    struct definitions *definitions = data;
    struct state_event event;
    enum state_step step;
    while ((step = state_watch_next(definitions->watch, &event)) == STATE_EVENT)
        if (!mark_dirty(definitions, event.object->name))
            (void)mark_all(definitions);
    if (step == STATE_EXPIRED && follow(definitions, NULL))
        (void)mark_all(definitions);
}

static bool follow(struct definitions *definitions, struct error *err)
{
    state_watch_free(definitions->watch);
    definitions->watch = state_watch_new(definitions->api->state, definitions->resource, NULL,
                                         state_committed(definitions->api->state), changed, definitions, err);
    struct state_event event;
    while (definitions->watch != NULL &&
           state_watch_next(definitions->watch, &event) == STATE_EVENT) /* it calls after it was told to wait */
        if (!mark_dirty(definitions, event.object->name))
            return error_memory(err);
    return definitions->watch != NULL;
}

static bool start(struct definitions *definitions, struct error *err)
{
    struct api *api = definitions->api;
    definitions->kind =
        registry_find(api->registry, definitions_resource.group, definitions_resource.version, definitions_resource.plural);
    if (definitions->kind == NULL)
        return error_set(err, ERROR_INTERNAL, NULL, "CustomResourceDefinition is not among the built-in kinds");
    definitions->resource = registry_resource(api->registry, definitions->kind);
    definitions->client = client_new(api, "system:apiserver", "kube-apiserver", err);
    if (definitions->client == NULL)
        return false;
    definitions->timer = loop_add_timer(api->loop, -1, round_of, definitions);
    if (definitions->timer == NULL || !user_add_group(&definitions->client->user, USER_MASTERS))
        return error_memory(err);
    return follow(definitions, err);
}

struct definitions *definitions_new(struct api *api, struct error *err)
{
    struct definitions *definitions = mem_zero(1, sizeof *definitions);
    if (definitions == NULL) {
        error_memory(err);
        return NULL;
    }
    definitions->api = api;
    definitions->known = map_make(DEFINITIONS, free_served);
    definitions->dirty = map_make(DEFINITIONS, NULL);
    if (start(definitions, err))
        return definitions;
    definitions_free(definitions);
    return NULL;
}

void definitions_free(struct definitions *definitions)
{
    if (definitions == NULL)
        return;
    state_watch_free(definitions->watch);
    loop_drop(definitions->timer);
    map_free(&definitions->known);
    map_free(&definitions->dirty);
    client_free(definitions->client);
    mem_free(definitions);
}

bool definitions_settle(struct definitions *definitions, struct error *err)
{
    if (!follow(definitions, err))
        return false;
    size_t cursor = 0;
    for (const struct map_entry *entry = map_next(&definitions->known, &cursor); entry != NULL;
         entry = map_next(&definitions->known, &cursor)) {
        struct served *served = entry->value;
        state_watch_free(served->objects); /* of a state that may be gone */
        served->objects = NULL;
    }
    if (!mark_all(definitions))
        return error_memory(err);
    for (size_t i = 0; i < SETTLE_STEPS && definitions->dirty.count > 0; i++)
        if (!look_around(definitions, err))
            return false;
    return true;
}
