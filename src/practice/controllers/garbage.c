/* garbage.c: objects whose owners are gone go, too (kube-controller-manager's garbage collector: background, foreground, orphan).
 *
 * The graph says whom to look at when something changed. Whether an owner is there is then asked of the API, by what the object's own references say: they name a kind and a name in the object's
 * own namespace (or in none), and only the object of that place with that uid is the owner. */
#include "practice/controllers/garbage.h"

#include <string.h>

#include "base/mem.h"
#include "practice/controllers/kinds.h"

enum { GARBAGE_AGAIN_MS = 50, GARBAGE_BEHIND_MS = 5 };
static const char foreground[] = "foregroundDeletion", orphan[] = "orphan";
static const char other_kinds[] = "kinds"; /* among the uids of the queue: look which kinds there are */

struct garbage {
    struct api *api;
    struct client *client;
    struct workqueue *queue; /* of uids, and other_kinds */
    struct graph graph;
    bool torn; /* an event could not be kept (no memory): the graph is to be made anew */
    struct following sources;
};

static bool has_finalizer(const struct value *object, const char *name)
{
    for (const struct value *entry = value_first(value_find(object, "metadata", "finalizers", NULL)); entry != NULL; entry = value_next(entry))
        if (value_text(entry) != NULL && strcmp(value_text(entry), name) == 0)
            return true;
    return false;
}

static bool is_deleting(const struct value *object)
{
    return value_find(object, "metadata", "deletionTimestamp", NULL) != NULL;
}

static void queue_dependents(struct garbage *garbage, const struct node *node)
{
    for (size_t i = 0; i < node->dependents.length; i++)
        workqueue_add(garbage->queue, ((struct node *)node->dependents.items[i])->uid);
}

/* ---- what happens in the cluster ---- */

/* Nodes for the owners, and which of them have blockOwnerDeletion. False: no memory. */
static bool owner_nodes(struct garbage *garbage, const struct value *references, struct node **owners, bool *blocks, size_t *count)
{
    *count = 0;
    for (const struct value *entry = value_first(references); entry != NULL; entry = value_next(entry)) {
        const char *uid = value_find_text(entry, "uid", NULL);
        if (uid == NULL)
            continue;
        owners[*count] = graph_node(&garbage->graph, uid);
        if (owners[*count] == NULL)
            return false;
        blocks[(*count)++] = value_is_true(value_get(entry, "blockOwnerDeletion"));
    }
    return true;
}

/* False: no memory. */
static bool note_owners(struct garbage *garbage, struct node *node, const struct value *references)
{
    size_t room = value_length(references) + 1, count;
    struct node **owners = mem_zero(room, sizeof *owners);
    bool *blocks = mem_zero(room, sizeof *blocks);
    struct vec before = vec_make(GRAPH_OWNERS, NULL);
    bool ok = owners != NULL && blocks != NULL && owner_nodes(garbage, references, owners, blocks, &count);
    for (size_t i = 0; i < node->owners.length && ok; i++)
        ok = vec_push(&before, node->owners.items[i]);
    ok = ok && graph_set_owners(node, owners, blocks, count);
    for (size_t i = 0; i < before.length; i++) { /* one that waits for its dependents may have lost the last */
        struct node *owner = before.items[i];
        if (owner->waits && !graph_blocks(node, owner))
            workqueue_add(garbage->queue, owner->uid);
        if (owner != node)
            graph_tidy(&garbage->graph, owner);
    }
    vec_free(&before);
    mem_free(owners);
    mem_free(blocks);
    return ok;
}

/* Something of what happened could not be kept: from the start. */
static void tear(struct garbage *garbage)
{
    garbage->torn = true;
    workqueue_add_after(garbage->queue, WORKQUEUE_ALL, GARBAGE_AGAIN_MS);
}

static void gone(struct garbage *garbage, const char *uid)
{
    struct node *node = graph_find(&garbage->graph, uid);
    if (node == NULL)
        return;
    graph_unsee(node);
    queue_dependents(garbage, node);
    if (!note_owners(garbage, node, NULL))
        tear(garbage);
    else
        graph_tidy(&garbage->graph, node);
}

/* True if it is to be looked at because of its owners: it is new, or they are others. */
static bool has_new_owners(const struct followed *source, const struct informer_event *event, const struct value *references)
{
    const struct object *previous = event->previous;
    if (value_first(references) == NULL)
        return false;
    if (previous == NULL || (previous->flags & OBJECT_HAS_OWNERS) == 0 || strcmp(previous->uid, event->object->uid) != 0)
        return true;
    struct value *before = informer_value(source->informer, previous);
    bool same = before != NULL && value_equal(value_find(before, "metadata", "ownerReferences", NULL), references);
    value_free(before);
    return !same;
}

static bool note(struct followed *source, const struct informer_event *event, const struct value *document)
{
    struct garbage *garbage = source->owner;
    const struct object *object = event->object;
    const struct value *references = value_find(document, "metadata", "ownerReferences", NULL);
    struct node *node = document != NULL ? graph_node(&garbage->graph, object->uid) : NULL;
    if (node == NULL || !graph_see(node, source, object->ns, object->name))
        return false;
    node->deleting = (object->flags & OBJECT_DELETING) != 0;
    node->waits = node->deleting && (has_finalizer(document, foreground) || has_finalizer(document, orphan));
    if (!note_owners(garbage, node, references))
        return false;
    if (node->waits || has_new_owners(source, event, references))
        workqueue_add(garbage->queue, object->uid);
    if (node->waits && has_finalizer(document, foreground))
        queue_dependents(garbage, node);
    graph_tidy(&garbage->graph, node);
    return true;
}

static void changed(void *data, const struct informer_event *event)
{
    struct followed *source = data;
    struct garbage *garbage = source->owner;
    const struct object *object = event->object;
    if (event->previous != NULL && (object == NULL || strcmp(event->previous->uid, object->uid) != 0))
        gone(garbage, event->previous->uid);
    if (object == NULL)
        return;
    unsigned both = OBJECT_DELETING | OBJECT_HAS_FINALIZERS;
    if (graph_find(&garbage->graph, object->uid) == NULL && (object->flags & OBJECT_HAS_OWNERS) == 0 && (object->flags & both) != both)
        return;
    struct value *document = informer_value(source->informer, object);
    if (!note(source, event, document))
        tear(garbage);
    value_free(document);
}

/* ---- what is to be done with one ---- */

static struct client_resource resource_of(const struct node *node)
{
    const struct followed *source = node->source;
    return (struct client_resource){source->group, source->version, source->plural};
}

/* The object of a name, if it is the one of this uid; else ERROR_NOT_FOUND. The kind is served. */
static struct value *live(struct garbage *garbage, const struct client_resource *resource, const char *ns, const char *name, const char *uid, struct error *err)
{
    struct value *object = client_get(garbage->client, resource, ns, name, err);
    const char *its = value_find_text(object, "metadata", "uid", NULL);
    if (object == NULL || (its != NULL && strcmp(its, uid) == 0))
        return object;
    value_free(object);
    error_set(err, ERROR_NOT_FOUND, NULL, "another one has its name");
    return NULL;
}

static struct value *live_node(struct garbage *garbage, const struct node *node, struct error *err)
{
    struct client_resource resource = resource_of(node);
    return live(garbage, &resource, node->ns, node->name, node->uid, err);
}

/* Takes object over. */
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
    if (fresh != NULL && value_first(list) == NULL)
        value_remove(value_get(fresh, "metadata"), "finalizers");
    return fresh != NULL && update(garbage, node, fresh);
}

/* Takes the references to these uids out of an object. */
static bool drop_owners(struct garbage *garbage, const struct node *node, const struct value *object, const struct vec *uids)
{
    struct value *fresh = value_copy(object), *list = value_find(fresh, "metadata", "ownerReferences", NULL);
    bool any = false;
    for (struct value *entry = value_first(list), *next; entry != NULL; entry = next) {
        next = value_next(entry);
        const char *uid = value_find_text(entry, "uid", NULL);
        if (uid != NULL && vec_has_string(uids, uid)) {
            value_free(value_take(list, entry));
            any = true;
        }
    }
    if (fresh != NULL && value_first(list) == NULL)
        value_remove(value_get(fresh, "metadata"), "ownerReferences");
    if (fresh != NULL && any)
        return update(garbage, node, fresh);
    value_free(fresh);
    return fresh != NULL;
}

/* Its owners need not wait for it any more. */
static bool unblock_owners(struct garbage *garbage, const struct node *node, const struct value *object)
{
    struct value *fresh = value_copy(object);
    bool ok = fresh != NULL;
    for (struct value *entry = value_first(value_find(fresh, "metadata", "ownerReferences", NULL)); entry != NULL && ok; entry = value_next(entry))
        if (value_is_true(value_get(entry, "blockOwnerDeletion")))
            ok = value_set(entry, "blockOwnerDeletion", value_bool(false));
    if (ok)
        return update(garbage, node, fresh);
    value_free(fresh);
    return false;
}

static bool orphan_dependents(struct garbage *garbage, const struct node *node, const struct value *object)
{
    struct vec uid = vec_make(1, NULL);
    bool ok = vec_push(&uid, node->uid);
    for (size_t i = 0; i < node->dependents.length && ok; i++) {
        const struct node *dependent = node->dependents.items[i];
        struct error err = ERROR_INIT;
        if (dependent->source == NULL)
            continue;
        struct value *document = live_node(garbage, dependent, &err);
        ok = document != NULL ? drop_owners(garbage, dependent, document, &uid) : err.kind == ERROR_NOT_FOUND;
        value_free(document);
    }
    vec_free(&uid);
    return ok && drop_finalizer(garbage, node, object, orphan);
}

static bool wait_for_dependents(struct garbage *garbage, const struct node *node, const struct value *object)
{
    bool blocked = false;
    for (size_t i = 0; i < node->dependents.length; i++) {
        const struct node *dependent = node->dependents.items[i];
        if (!graph_blocks(dependent, node))
            continue;
        blocked = true;
        if (!dependent->deleting)
            workqueue_add(garbage->queue, dependent->uid);
    }
    return blocked || drop_finalizer(garbage, node, object, foreground);
}

/* What its owners are: there, gone, or waiting for it. */
struct owners {
    size_t solid, dangling, waiting;
    bool unknown, wrong; /* a kind that is not served; a namespaced owner of a cluster-scoped object */
    struct vec out;      /* uids of those that are not solid, borrowed */
};

/* The kind that an ownerReference names. */
static const struct schema_kind *kind_of(const struct garbage *garbage, const char *api_version, const char *kind, bool *ok)
{
    const char *slash = strchr(api_version, '/');
    char *group = mem_string_n(api_version, slash != NULL ? (size_t)(slash - api_version) : 0);
    const struct schema_kind *found = group != NULL ? registry_find_kind(garbage->api->registry, group, slash != NULL ? slash + 1 : api_version, kind) : NULL;
    *ok = group != NULL;
    mem_free(group);
    return found;
}

static bool look_at_owner(struct garbage *garbage, const struct node *node, const struct value *reference, struct owners *owners)
{
    const char *uid = value_find_text(reference, "uid", NULL), *name = value_find_text(reference, "name", NULL);
    const char *version = value_find_text(reference, "apiVersion", NULL), *kind = value_find_text(reference, "kind", NULL);
    struct error err = ERROR_INIT;
    bool ok = true;
    const struct schema_kind *served = uid != NULL && name != NULL && version != NULL && kind != NULL ? kind_of(garbage, version, kind, &ok) : NULL;
    if (!ok)
        return false;
    owners->unknown = owners->unknown || served == NULL;
    owners->wrong = owners->wrong || (served != NULL && served->namespaced && node->ns[0] == '\0');
    if (owners->unknown || owners->wrong)
        return true;
    const struct client_resource resource = {served->group, served->version, served->plural};
    struct value *owner = live(garbage, &resource, served->namespaced ? node->ns : "", name, uid, &err);
    if (owner == NULL && err.kind != ERROR_NOT_FOUND)
        return false;
    bool waiting = owner != NULL && is_deleting(owner) && has_finalizer(owner, foreground), solid = owner != NULL && !waiting;
    value_free(owner);
    owners->solid += solid;
    owners->waiting += waiting;
    owners->dangling += owner == NULL;
    return solid || vec_push(&owners->out, (char *)(uintptr_t)uid);
}

/* No owner is left to it. */
static bool remove_it(struct garbage *garbage, const struct node *node, const struct value *object, const struct owners *owners)
{
    struct client_resource resource = resource_of(node);
    struct error err = ERROR_INIT;
    enum propagation how = has_finalizer(object, orphan) ? PROPAGATION_ORPHAN : has_finalizer(object, foreground) ? PROPAGATION_FOREGROUND : PROPAGATION_BACKGROUND;
    if (owners->waiting > 0 && node->dependents.length > 0) {
        how = PROPAGATION_FOREGROUND;
        bool circle = false;
        for (size_t i = 0; i < node->dependents.length && !circle; i++) {
            const struct node *dependent = node->dependents.items[i];
            circle = dependent->deleting && dependent->waits;
        }
        if (circle && !unblock_owners(garbage, node, object)) /* else they would wait for each other */
            return false;
    }
    return client_delete(garbage->client, &resource, node->ns, node->name, node->uid, how, &err) || err.kind == ERROR_NOT_FOUND;
}

static bool collect(struct garbage *garbage, struct node *node, const struct value *object)
{
    struct owners owners = {.out = vec_make(GRAPH_OWNERS, NULL)};
    bool ok = true;
    for (const struct value *entry = value_first(value_find(object, "metadata", "ownerReferences", NULL)); entry != NULL && ok; entry = value_next(entry))
        ok = look_at_owner(garbage, node, entry, &owners);
    node->puzzled = owners.unknown; /* it is looked at again when there are other kinds */
    if (ok && !owners.unknown && !owners.wrong) {
        if (owners.solid > 0)
            ok = owners.out.length == 0 || drop_owners(garbage, node, object, &owners.out);
        else if (owners.out.length > 0)
            ok = remove_it(garbage, node, object, &owners);
    }
    vec_free(&owners.out);
    return ok;
}

static bool look_at(struct garbage *garbage, struct node *node, const struct value *object)
{
    bool orphans = has_finalizer(object, orphan), waits = has_finalizer(object, foreground);
    if (!is_deleting(object))
        return collect(garbage, node, object);
    if (!orphans && !waits)
        return true;
    if (garbage->torn || !kinds_current(&garbage->sources)) { /* there may be dependents that the graph does not know yet */
        workqueue_add_after(garbage->queue, node->uid, GARBAGE_BEHIND_MS);
        return true;
    }
    return orphans ? orphan_dependents(garbage, node, object) : wait_for_dependents(garbage, node, object);
}

static bool look_again(struct garbage *garbage, bool all);

static bool work(void *data, const char *uid)
{
    struct garbage *garbage = data;
    bool all = strcmp(uid, WORKQUEUE_ALL) == 0;
    if (all || strcmp(uid, other_kinds) == 0)
        return look_again(garbage, all);
    struct node *node = graph_find(&garbage->graph, uid);
    struct error err = ERROR_INIT;
    if (node == NULL || node->source == NULL)
        return true;
    const struct followed *source = node->source;
    if (registry_find(garbage->api->registry, source->group, source->version, source->plural) == NULL)
        return true; /* the kind goes, and its objects with it: that will be told */
    struct value *object = live_node(garbage, node, &err);
    if (object == NULL)
        return err.kind == ERROR_NOT_FOUND; /* that will be told */
    bool ok = look_at(garbage, node, object);
    value_free(object);
    return ok;
}

/* ---- which kinds there are ---- */

/* What its informer told of is not known any more. */
static void forget_source(void *data, const struct followed *source)
{
    struct garbage *garbage = data;
    const struct map_entry *entry;
    struct vec uids = vec_make(GRAPH_NODES, mem_free); /* nodes may go with others */
    bool ok = true;
    for (size_t cursor = 0; ok && (entry = map_next(&garbage->graph.nodes, &cursor)) != NULL;)
        if (((const struct node *)entry->value)->source == source)
            ok = vec_push_string(&uids, entry->key);
    for (size_t i = 0; ok && i < uids.length; i++)
        gone(garbage, uids.items[i]);
    vec_free(&uids);
    if (!ok)
        tear(garbage);
}

/* All that may need it is looked at again, or only those that wait for a kind. */
static bool look_again(struct garbage *garbage, bool all)
{
    if (garbage->torn) {
        kinds_forget(&garbage->sources);
        graph_free(&garbage->graph);
        garbage->graph = graph_make();
        garbage->torn = false;
    }
    if (!kinds_follow(&garbage->sources))
        return false;
    const struct map_entry *entry;
    for (size_t cursor = 0; (entry = map_next(&garbage->graph.nodes, &cursor)) != NULL;) {
        const struct node *node = entry->value;
        if (all ? node->source != NULL : node->puzzled)
            workqueue_add(garbage->queue, entry->key);
    }
    return true;
}

/* Events are too many, and nobody owns them. */
static bool may_have_owners(const struct schema_kind *kind)
{
    return strcmp(kind->plural, "events") != 0;
}

static void stop(void *data)
{
    struct garbage *garbage = data;
    kinds_stop(&garbage->sources);
    workqueue_free(garbage->queue);
    graph_free(&garbage->graph);
    mem_free(garbage);
}

static void *start(const struct place_of_work *place, struct error *err)
{
    struct garbage *garbage = mem_zero(1, sizeof *garbage);
    if (garbage == NULL) {
        error_memory(err);
        return NULL;
    }
    *garbage = (struct garbage){.api = place->api, .client = place->client, .graph = graph_make()};
    if ((garbage->queue = workqueue_new(place->api->clock, place->api->state, work, garbage, err)) != NULL) {
        garbage->sources = (struct following){.api = place->api, .reader = place->reader, .queue = garbage->queue, .key = other_kinds, .wants = may_have_owners,
                                              .changed = changed, .ends = forget_source, .owner = garbage};
        if (kinds_start(&garbage->sources, err))
            return garbage;
    }
    stop(garbage);
    return NULL;
}

const struct controller_type garbage_controller = {"generic-garbage-collector", start, stop};
