/* gallery.c: the objects of the kinds that a lesson names, in the learner's namespace: for the tree, and for the ledger. */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "lesson/internal.h"

enum { GALLERY_KINDS = 32, GALLERY_OBJECTS = 20000, DISCOVERY_MS = 1000 };

#define DEFINITIONS "customresourcedefinitions.apiextensions.k8s.io"

struct exhibit {
    struct gallery *gallery;
    char *kind; /* full name, as the lesson wrote it */
    const struct kube_resource *resource;
    unsigned resolving;
    struct kube_watch *watch;
    struct kube_watch *definition; /* of a kind that the cluster does not serve yet: its CustomResourceDefinition, by name */
    struct loop_event *again;      /* the kind is asked for once more, a moment after its definition was established */
    bool before; /* the first list is still coming: what it shows was there before */
    bool definition_before;
};

struct gallery {
    struct lesson_run *run;
    struct vec exhibits; /* of struct exhibit */
    struct map made;     /* uids of what appeared while the lesson was open, whoever made it */
    struct map changed;  /* uid -> time of the last change */
    struct loop_event *tell;
};

struct stamp {
    int64_t ms;
};

static void free_exhibit(void *item)
{
    struct exhibit *exhibit = item;
    if (exhibit == NULL)
        return;
    if (exhibit->resolving != 0)
        kube_resolve_cancel(exhibit->gallery->run->client, exhibit->resolving);
    if (exhibit->watch != NULL)
        kube_watch_stop(exhibit->watch);
    if (exhibit->definition != NULL)
        kube_watch_stop(exhibit->definition);
    loop_drop(exhibit->again);
    mem_free(exhibit->kind);
    mem_free(exhibit);
}

void gallery_free(struct gallery *gallery)
{
    if (gallery == NULL)
        return;
    vec_free(&gallery->exhibits);
    map_free(&gallery->made);
    map_free(&gallery->changed);
    loop_drop(gallery->tell);
    mem_free(gallery);
}

static void tell(void *data)
{
    struct gallery *gallery = data;
    run_tell(gallery->run, RUN_EVENT_OBJECTS);
}

static const struct value *controller_of(const struct value *object)
{
    for (const struct value *owner = value_first(value_find(object, "metadata", "ownerReferences", NULL)); owner != NULL; owner = value_next(owner))
        if (value_is_true(value_get(owner, "controller")))
            return owner;
    return NULL;
}

static const struct value *find_uid(const struct gallery *gallery, const char *uid)
{
    for (size_t i = 0; uid != NULL && i < gallery->exhibits.length; i++) {
        const struct exhibit *exhibit = gallery->exhibits.items[i];
        size_t cursor = 0;
        for (const struct value *object; exhibit->watch != NULL && (object = kube_watch_next(exhibit->watch, &cursor)) != NULL;) {
            const char *other = value_find_text(object, "metadata", "uid", NULL);
            if (other != NULL && strcmp(other, uid) == 0)
                return object;
        }
    }
    return NULL;
}

/* An object that lost its controller (a Pod whose label was changed) goes with nobody any more. It is the lesson's to remove if the owner that it had
 * came from the lesson: by our label on the uppermost one, or because it was made while the lesson was open. */
static bool was_ours(const struct gallery *gallery, const struct value *old)
{
    const char *uid = value_find_text(old, "metadata", "uid", NULL);
    const struct value *owner;
    bool ours = map_has(&gallery->made, uid);
    for (int level = 0; !ours && level < 5 && (owner = controller_of(old)) != NULL && (old = find_uid(gallery, value_find_text(owner, "uid", NULL))) != NULL; level++) {
        const char *manager = value_find_text(old, "metadata", "labels", BIND_LABEL_MANAGED, NULL);
        ours = manager != NULL && strcmp(manager, BIND_MANAGER) == 0;
    }
    return ours;
}

bool gallery_is_somebodys(const struct kube_resource *resource, const struct value *object)
{
    if (controller_of(object) != NULL)
        return false;
    const char *name = value_find_text(object, "metadata", "name", NULL), *plural = resource->plural;
    return !(strcmp(plural, "configmaps") == 0 && strcmp(name, "kube-root-ca.crt") == 0) &&
           !(strcmp(plural, "serviceaccounts") == 0 && strcmp(name, "default") == 0) && strcmp(plural, "events") != 0 && strcmp(plural, "endpoints") != 0;
}

static void changed(void *data, enum kube_change change, const struct value *object, const struct value *old)
{
    struct exhibit *exhibit = data;
    struct gallery *gallery = exhibit->gallery;
    struct lesson_run *run = gallery->run;
    const char *uid = value_find_text(object, "metadata", "uid", NULL), *name = value_find_text(object, "metadata", "name", NULL);
    const char *ns = value_find_text(object, "metadata", "namespace", NULL);
    if (uid == NULL || name == NULL)
        return;
    bool orphaned = change == KUBE_MODIFIED && controller_of(old) != NULL && controller_of(object) == NULL && was_ours(gallery, old);
    bool fresh = change == KUBE_ADDED && !exhibit->before;
    if (fresh)
        (void)!map_set(&gallery->made, uid, NULL); /* more than it can hold: only what loses its owner later is missed */
    if (change == KUBE_DELETED) {
        map_remove(&gallery->changed, uid);
        map_remove(&gallery->made, uid);
    } else if (!exhibit->before) {
        struct stamp *stamp = mem_zero(1, sizeof *stamp);
        if (stamp != NULL) {
            stamp->ms = clock_monotonic_ms();
            (void)!map_set(&gallery->changed, uid, stamp);
        }
    }
    if ((fresh || orphaned) && run->ledger && gallery_is_somebodys(exhibit->resource, object))
        (void)!progress_ledger_add(run->progress, run->cluster, run->lesson->id, exhibit->kind, ns != NULL ? ns : "", name, uid, NULL);
    loop_set_timer(gallery->tell, 0);
}

static void synced(void *data)
{
    struct exhibit *exhibit = data;
    exhibit->before = false;
    loop_set_timer(exhibit->gallery->tell, 0);
}

static void trouble(void *data, const struct error *error, int64_t retry_ms)
{
    struct exhibit *exhibit = data;
    struct lesson_run *run = exhibit->gallery->run;
    if (error != NULL && error->kind == ERROR_DENIED)
        return; /* what may not be seen is not shown */
    run->trouble = error != NULL ? *error : ERROR_INIT;
    run->trouble_retry_ms = error != NULL ? clock_monotonic_ms() + retry_ms : 0;
    run_tell(run, RUN_EVENT_TROUBLE);
}

/* ---- kinds that the lesson or the learner defines on the way ---- */

static void resolve(void *data);

static void definition_changed(void *data, enum kube_change change, const struct value *object, const struct value *old)
{
    struct exhibit *exhibit = data;
    struct lesson_run *run = exhibit->gallery->run;
    const char *uid = value_find_text(object, "metadata", "uid", NULL), *manager = value_find_text(object, "metadata", "labels", BIND_LABEL_MANAGED, NULL);
    (void)old;
    if (change == KUBE_DELETED)
        return;
    bool shared = manager != NULL && strcmp(manager, BIND_MANAGER) == 0; /* k:shared_crd keeps count of its users */
    if (change == KUBE_ADDED && !exhibit->definition_before && !shared && run->ledger && uid != NULL)
        (void)!progress_ledger_add(run->progress, run->cluster, run->lesson->id, DEFINITIONS, "", exhibit->kind, uid, NULL);
    if (exhibit->watch == NULL)
        loop_set_timer(exhibit->again, DISCOVERY_MS);
}

static void definition_synced(void *data)
{
    ((struct exhibit *)data)->definition_before = false;
}

static void definition_trouble(void *data, const struct error *error, int64_t retry_ms)
{
    (void)data; /* who may not see definitions is not shown kinds that come later; all else works */
    (void)error;
    (void)retry_ms;
}

static void watch_definition(struct exhibit *exhibit)
{
    static const struct kube_watch_listener listener = {.changed = definition_changed, .synced = definition_synced, .trouble = definition_trouble};
    struct kube_client *client = exhibit->gallery->run->client;
    const struct kube_resource *definitions = kube_resource_known(client, DEFINITIONS);
    if (exhibit->definition != NULL || definitions == NULL || strchr(exhibit->kind, '.') == NULL)
        return;
    char *fields = mem_printf("metadata.name=%s", exhibit->kind);
    if (exhibit->again == NULL)
        exhibit->again = loop_add_timer(exhibit->gallery->run->loop, -1, resolve, exhibit);
    struct kube_watch_options options = {.resource = definitions, .fields = fields};
    exhibit->definition_before = true;
    if (fields != NULL && exhibit->again != NULL)
        exhibit->definition = kube_watch_start(client, &options, &listener, exhibit, NULL);
    mem_free(fields);
}

static void found(void *data, const struct kube_resource *resource, const struct error *error)
{
    static const struct kube_watch_listener listener = {.changed = changed, .synced = synced, .trouble = trouble};
    struct exhibit *exhibit = data;
    exhibit->resolving = 0;
    if (resource == NULL && error->kind == ERROR_NOT_FOUND)
        watch_definition(exhibit);
    if (resource == NULL || !resource->namespaced || exhibit->watch != NULL)
        return;
    struct kube_watch_options options = {.resource = resource, .ns = exhibit->gallery->run->ns};
    exhibit->resource = resource;
    exhibit->before = true;
    exhibit->watch = kube_watch_start(exhibit->gallery->run->client, &options, &listener, exhibit, NULL);
}

static void ask(struct exhibit *exhibit)
{
    unsigned number = kube_resolve(exhibit->gallery->run->client, exhibit->kind, found, exhibit);
    if (number != 0 && exhibit->watch == NULL)
        exhibit->resolving = number;
}

static void resolve(void *data)
{
    struct exhibit *exhibit = data;
    if (exhibit->watch != NULL || exhibit->resolving != 0)
        return;
    kube_discovery_forget(exhibit->gallery->run->client);
    ask(exhibit);
}

void gallery_add(struct gallery *gallery, const char *kind)
{
    char name[256];
    size_t length = strcspn(kind, ":");
    if (length == 0 || length >= sizeof name)
        return;
    memcpy(name, kind, length);
    name[length] = '\0';
    struct exhibit *exhibit = NULL;
    for (size_t i = 0; i < gallery->exhibits.length && exhibit == NULL; i++)
        if (strcmp(((struct exhibit *)gallery->exhibits.items[i])->kind, name) == 0)
            exhibit = gallery->exhibits.items[i];
    if (exhibit != NULL && (exhibit->watch != NULL || exhibit->resolving != 0))
        return;
    if (exhibit == NULL) {
        exhibit = mem_zero(1, sizeof *exhibit);
        if (exhibit == NULL)
            return;
        exhibit->gallery = gallery;
        exhibit->kind = mem_string(name);
        bool named = exhibit->kind != NULL;
        if (!named) {
            free_exhibit(exhibit);
            return;
        }
        if (!vec_push(&gallery->exhibits, exhibit))
            return;
    }
    ask(exhibit);
}

struct gallery *gallery_new(struct lesson_run *run, struct error *err)
{
    struct gallery *gallery = mem_zero(1, sizeof *gallery);
    if (gallery == NULL) {
        error_memory(err);
        return NULL;
    }
    gallery->run = run;
    gallery->exhibits = vec_make(GALLERY_KINDS, free_exhibit);
    gallery->made = map_make(GALLERY_OBJECTS, NULL);
    gallery->changed = map_make(GALLERY_OBJECTS, mem_free);
    gallery->tell = loop_add_timer(run->loop, 0, tell, gallery);
    if (gallery->tell == NULL) {
        gallery_free(gallery);
        error_memory(err);
        return NULL;
    }
    loop_set_timer(gallery->tell, -1);
    for (size_t i = 0; i < run->lesson->needs.length; i++)
        gallery_add(gallery, run->lesson->needs.items[i]);
    return gallery;
}

size_t gallery_watches(const struct gallery *gallery)
{
    return gallery->exhibits.length;
}

struct kube_watch *gallery_watch(const struct gallery *gallery, size_t index, const struct kube_resource **resource)
{
    const struct exhibit *exhibit = gallery->exhibits.items[index];
    *resource = exhibit->resource;
    return exhibit->watch;
}

int64_t gallery_changed(const struct gallery *gallery, const char *uid)
{
    const struct stamp *stamp = map_get(&gallery->changed, uid);
    return stamp != NULL ? stamp->ms : 0;
}
