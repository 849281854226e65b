/* garbage.c: objects whose owners are gone go, too (kube-controller-manager's garbage collector: background, foreground, orphan). */
#include "practice/controllers/garbage.h"

#include <string.h>

#include "base/mem.h"
#include "practice/controllers/internal.h"

enum { GARBAGE_AGAIN_MS = 500 };
static const char foreground[] = "foregroundDeletion", orphan[] = "orphan";

struct source { /* one resource that is watched */
    struct garbage *garbage;
    char *group, *version, *plural;
    bool there; /* while kinds are compared */
    struct informer *informer;
};

struct garbage {
    struct api *api;
    struct client *client, *reader;
    struct workqueue *queue; /* of uids; "" stands for: look which kinds there are */
    struct graph graph;
    struct vec sources; /* of struct source, owned */
    struct informer *definitions;
};

static void source_free(void *data)
{
    struct source *source = data;
    informer_free(source->informer);
    mem_free(source->group);
    mem_free(source->version);
    mem_free(source->plural);
    mem_free(source);
}

static bool has_text(const struct value *list, const char *text)
{
    for (const struct value *entry = value_first(list); entry != NULL; entry = value_next(entry))
        if (value_text(entry) != NULL && strcmp(value_text(entry), text) == 0)
            return true;
    return false;
}

static bool has_finalizer(const struct value *object, const char *name)
{
    return has_text(value_find(object, "metadata", "finalizers", NULL), name);
}

static void queue_dependents(struct garbage *garbage, const struct node *node)
{
    for (size_t i = 0; i < node->dependents.length; i++)
        (void)workqueue_add(garbage->queue, ((struct node *)node->dependents.items[i])->uid);
}

/* ---- what happens in the cluster ---- */

/* The kind that an ownerReference names, in any of its versions. */
static const struct schema_kind *kind_of(const struct garbage *garbage, const char *api_version, const char *kind)
{
    const char *slash = strchr(api_version, '/');
    char *group = mem_string_n(api_version, slash != NULL ? (size_t)(slash - api_version) : 0);
    const struct schema_kind *found = group != NULL ? registry_find_kind(garbage->api->registry, group, slash != NULL ? slash + 1 : api_version, kind) : NULL;
    mem_free(group);
    return found;
}

static struct node *owner_node(struct garbage *garbage, const struct value *reference, const char *ns)
{
    const char *uid = value_find_text(reference, "uid", NULL), *name = value_find_text(reference, "name", NULL);
    const char *version = value_find_text(reference, "apiVersion", NULL), *kind = value_find_text(reference, "kind", NULL);
    if (uid == NULL || name == NULL || version == NULL || kind == NULL)
        return NULL;
    const struct schema_kind *served = kind_of(garbage, version, kind);
    return graph_node(&garbage->graph, uid, served != NULL ? served->group : NULL, served != NULL ? served->version : NULL, served != NULL ? served->plural : NULL,
                      served == NULL || served->namespaced ? ns : "", name);
}

static bool note_owners(struct garbage *garbage, struct node *node, const struct value *references)
{
    size_t room = value_length(references), count = 0;
    struct node **owners = mem_zero(room + 1, sizeof(struct node *));
    bool *blocks = mem_zero(room + 1, sizeof *blocks), ok = owners != NULL && blocks != NULL;
    for (const struct value *entry = value_first(references); entry != NULL && ok; entry = value_next(entry)) {
        struct node *owner = owner_node(garbage, entry, node->ns);
        ok = owner != NULL;
        if (!ok)
            break;
        owners[count] = owner;
        blocks[count++] = value_is_true(value_get(entry, "blockOwnerDeletion"));
        if (!owner->seen) /* is it there at all? */
            ok = workqueue_add(garbage->queue, owner->uid);
    }
    struct vec before = vec_make(GRAPH_OWNERS, NULL);
    for (size_t i = 0; i < node->owners.length && ok; i++)
        ok = vec_push(&before, node->owners.items[i]);
    ok = ok && graph_set_owners(node, owners, blocks, count);
    for (size_t i = 0; i < before.length; i++) { /* one that waits for its dependents may have lost the last */
        struct node *owner = before.items[i];
        if (owner->waits)
            (void)workqueue_add(garbage->queue, owner->uid);
        if (owner != node)
            graph_tidy(&garbage->graph, owner);
    }
    vec_free(&before);
    mem_free(owners);
    mem_free(blocks);
    return ok;
}

static void gone(struct garbage *garbage, const char *uid)
{
    struct node *node = graph_find(&garbage->graph, uid);
    if (node == NULL)
        return;
    node->seen = node->waits = false;
    queue_dependents(garbage, node);
    (void)note_owners(garbage, node, NULL);
    graph_tidy(&garbage->graph, node);
}

static void changed(void *data, const struct informer_event *event)
{
    struct source *source = data;
    struct garbage *garbage = source->garbage;
    const struct object *object = event->object;
    if (object == NULL) {
        gone(garbage, event->previous->uid);
        return;
    }
    if (event->previous != NULL && strcmp(event->previous->uid, object->uid) != 0)
        gone(garbage, event->previous->uid);
    struct node *node = graph_find(&garbage->graph, object->uid);
    unsigned both = OBJECT_DELETING | OBJECT_HAS_FINALIZERS;
    bool leaving = (object->flags & both) == both;
    if (node == NULL && (object->flags & OBJECT_HAS_OWNERS) == 0 && !leaving)
        return;
    struct value *document = informer_value(source->informer, object);
    node = document != NULL ? graph_node(&garbage->graph, object->uid, source->group, source->version, source->plural, object->ns, object->name) : NULL;
    if (node != NULL) {
        node->seen = true;
        node->waits = leaving && (has_finalizer(document, foreground) || has_finalizer(document, orphan));
        if (!note_owners(garbage, node, value_find(document, "metadata", "ownerReferences", NULL)) || node->waits || (node->owners.length > 0 && event->previous == NULL))
            (void)workqueue_add(garbage->queue, object->uid);
        graph_tidy(&garbage->graph, node);
    }
    value_free(document);
}

/* ---- what is to be done with one ---- */

static struct client_resource resource_of(const struct node *node)
{
    return (struct client_resource){node->group, node->version, node->plural};
}

/* The object as it is now; NULL with ERROR_NOT_FOUND if it, or the one of this uid, is gone. */
static struct value *live(struct garbage *garbage, const struct node *node, struct error *err)
{
    struct client_resource resource = resource_of(node);
    if (node->plural == NULL) { /* a kind that is not served: nobody can say that it is gone */
        error_set(err, ERROR_UNREACHABLE, NULL, "unknown kind");
        return NULL;
    }
    struct value *object = client_get(garbage->client, &resource, node->ns, node->name, err);
    const char *uid = value_find_text(object, "metadata", "uid", NULL);
    if (object == NULL || (uid != NULL && strcmp(uid, node->uid) == 0))
        return object;
    value_free(object);
    error_set(err, ERROR_NOT_FOUND, NULL, "another one has its name");
    return NULL;
}

static bool update(struct garbage *garbage, const struct node *node, struct value *object)
{
    struct client_resource resource = resource_of(node);
    struct error err = ERROR_INIT;
    struct value *done = client_update(garbage->client, &resource, "", object, &err);
    value_free(done);
    return done != NULL || err.kind == ERROR_NOT_FOUND;
}

static bool drop_finalizer(struct garbage *garbage, const struct node *node, const struct value *object, const char *name)
{
    struct value *fresh = value_copy(object), *list = value_find(fresh, "metadata", "finalizers", NULL);
    for (struct value *entry = value_first(list), *next; entry != NULL; entry = next) {
        next = value_next(entry);
        if (value_text(entry) != NULL && strcmp(value_text(entry), name) == 0)
            value_free(value_take(list, entry));
    }
    return fresh != NULL && update(garbage, node, fresh);
}

/* Takes owners out of an object's references: those for which `out` says so. */
static bool drop_owners(struct garbage *garbage, const struct node *node, const struct value *object, bool (*out)(const struct value *reference, const void *data), const void *data)
{
    struct value *fresh = value_copy(object), *list = value_find(fresh, "metadata", "ownerReferences", NULL);
    bool any = false;
    for (struct value *entry = value_first(list), *next; entry != NULL; entry = next) {
        next = value_next(entry);
        if (out(entry, data)) {
            value_free(value_take(list, entry));
            any = true;
        }
    }
    if (fresh != NULL && any)
        return update(garbage, node, fresh);
    value_free(fresh);
    return fresh != NULL;
}

static bool is_uid(const struct value *reference, const void *data)
{
    const char *uid = value_find_text(reference, "uid", NULL);
    return uid != NULL && strcmp(uid, data) == 0;
}

static bool orphan_dependents(struct garbage *garbage, const struct node *node, const struct value *object)
{
    bool ok = true;
    for (size_t i = 0; i < node->dependents.length; i++) {
        const struct node *dependent = node->dependents.items[i];
        struct error err = ERROR_INIT;
        struct value *document = live(garbage, dependent, &err);
        if (document != NULL)
            ok = drop_owners(garbage, dependent, document, is_uid, node->uid) && ok;
        else
            ok = ok && err.kind == ERROR_NOT_FOUND;
        value_free(document);
    }
    return ok && drop_finalizer(garbage, node, object, orphan);
}

static bool wait_for_dependents(struct garbage *garbage, const struct node *node, const struct value *object)
{
    bool blocked = false;
    for (size_t i = 0; i < node->dependents.length; i++) {
        const struct node *dependent = node->dependents.items[i];
        for (size_t j = 0; j < dependent->blocks.length; j++)
            blocked = blocked || dependent->blocks.items[j] == node;
    }
    if (!blocked)
        return drop_finalizer(garbage, node, object, foreground);
    queue_dependents(garbage, node);
    return true;
}

/* What its owners are: there, gone, or waiting for it. */
struct owners {
    size_t solid, dangling, waiting;
    struct vec out; /* uids of those that are not solid, borrowed */
};

static bool is_out(const struct value *reference, const void *data)
{
    const char *uid = value_find_text(reference, "uid", NULL);
    return uid != NULL && vec_has_string(data, uid);
}

static bool look_at_owners(struct garbage *garbage, const struct node *node, struct owners *owners)
{
    for (size_t i = 0; i < node->owners.length; i++) {
        struct node *owner = node->owners.items[i];
        struct error err = ERROR_INIT;
        struct value *document = live(garbage, owner, &err);
        if (document == NULL && err.kind == ERROR_NOT_FOUND)
            owners->dangling++;
        else if (document != NULL && value_find(document, "metadata", "deletionTimestamp", NULL) != NULL && has_finalizer(document, foreground))
            owners->waiting++;
        else {
            owners->solid++;
            owner->seen = owner->seen || document != NULL;
            value_free(document);
            continue;
        }
        value_free(document);
        if (!vec_push(&owners->out, owner->uid))
            return false;
    }
    return true;
}

static bool collect(struct garbage *garbage, const struct node *node, const struct value *object)
{
    struct owners owners = {.out = vec_make(GRAPH_OWNERS, NULL)};
    struct client_resource resource = resource_of(node);
    struct error err = ERROR_INIT;
    bool ok = look_at_owners(garbage, node, &owners);
    if (ok && owners.solid > 0)
        ok = owners.out.length == 0 || drop_owners(garbage, node, object, is_out, &owners.out);
    else if (ok && owners.dangling + owners.waiting > 0) {
        enum propagation how = has_finalizer(object, orphan) ? PROPAGATION_ORPHAN : has_finalizer(object, foreground) || (owners.waiting > 0 && node->dependents.length > 0) ? PROPAGATION_FOREGROUND : PROPAGATION_BACKGROUND;
        ok = client_delete(garbage->client, &resource, node->ns, node->name, node->uid, how, &err) || err.kind == ERROR_NOT_FOUND || err.kind == ERROR_CONFLICT;
    }
    vec_free(&owners.out);
    return ok;
}

static bool follow_kinds(struct garbage *garbage);

static bool work(void *data, const char *uid)
{
    struct garbage *garbage = data;
    if (uid[0] == '\0')
        return follow_kinds(garbage);
    struct node *node = graph_find(&garbage->graph, uid);
    struct error err = ERROR_INIT;
    if (node == NULL)
        return true;
    struct value *object = live(garbage, node, &err);
    if (object == NULL) {
        if (err.kind != ERROR_NOT_FOUND)
            return err.kind == ERROR_UNREACHABLE;
        gone(garbage, uid);
        return true;
    }
    node->seen = true;
    bool deleting = value_find(object, "metadata", "deletionTimestamp", NULL) != NULL, ok;
    if (deleting && has_finalizer(object, orphan))
        ok = orphan_dependents(garbage, node, object);
    else if (deleting && has_finalizer(object, foreground))
        ok = wait_for_dependents(garbage, node, object);
    else
        ok = deleting || node->owners.length == 0 || collect(garbage, node, object);
    value_free(object);
    return ok;
}

/* ---- which kinds there are ---- */

static bool follow_kind(void *data, const struct schema_kind *kind)
{
    struct garbage *garbage = data;
    struct error err = ERROR_INIT;
    for (size_t i = 0; i < garbage->sources.length; i++) {
        struct source *source = garbage->sources.items[i];
        if (strcmp(source->group, kind->group) == 0 && strcmp(source->plural, kind->plural) == 0) {
            source->there = true;
            return true;
        }
    }
    struct source *source = mem_zero(1, sizeof *source);
    if (source == NULL)
        return false;
    *source = (struct source){.garbage = garbage, .group = mem_string(kind->group), .version = mem_string(kind->version), .plural = mem_string(kind->plural), .there = true};
    const struct client_resource resource = {source->group, source->version, source->plural};
    if (source->group != NULL && source->version != NULL && source->plural != NULL)
        source->informer = informer_new(garbage->reader, &resource, changed, source, &err);
    if (source->informer == NULL) {
        source_free(source);
        return false;
    }
    return vec_push(&garbage->sources, source);
}

static bool follow_kinds(struct garbage *garbage)
{
    for (size_t i = 0; i < garbage->sources.length; i++)
        ((struct source *)garbage->sources.items[i])->there = false;
    if (!client_each_kind(garbage->client, VERB_LIST | VERB_WATCH | VERB_DELETE, follow_kind, garbage))
        return false;
    for (size_t i = garbage->sources.length; i-- > 0;)
        if (!((struct source *)garbage->sources.items[i])->there)
            vec_remove(&garbage->sources, i);
    return true;
}

static void definitions_changed(void *data, const struct informer_event *event)
{
    struct garbage *garbage = data;
    (void)event;
    (void)workqueue_add_after(garbage->queue, "", GARBAGE_AGAIN_MS); /* the kind is served a moment after its definition was written */
}

static void stop(void *data)
{
    struct garbage *garbage = data;
    vec_free(&garbage->sources);
    informer_free(garbage->definitions);
    workqueue_free(garbage->queue);
    graph_free(&garbage->graph);
    mem_free(garbage);
}

static void *start(const struct place_of_work *place, struct error *err)
{
    static const struct client_resource definitions = {"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
    struct garbage *garbage = mem_zero(1, sizeof *garbage);
    if (garbage == NULL) {
        error_memory(err);
        return NULL;
    }
    *garbage = (struct garbage){.api = place->api, .client = place->client, .reader = place->reader, .graph = graph_make(), .sources = vec_make(STATE_RESOURCES, source_free)};
    if ((garbage->queue = workqueue_new(place->api->loop, work, garbage, err)) != NULL && (garbage->definitions = informer_new(place->reader, &definitions, definitions_changed, garbage, err)) != NULL) {
        if (follow_kinds(garbage))
            return garbage;
        error_memory(err);
    }
    stop(garbage);
    return NULL;
}

const struct controller_type garbage_controller = {"generic-garbage-collector", start, stop};
