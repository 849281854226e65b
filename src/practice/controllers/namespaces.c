/* namespaces.c: a namespace that is being deleted is emptied, then let go (kube-controller-manager's namespace controller). Not as there: it begins at once instead of five seconds later, and
 * looks again after one second instead of up to sixteen. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "data/units.h"
#include "practice/controllers/internal.h"

enum { NAMESPACE_PART = 200 /* objects that are deleted in one go */, NAMESPACE_AGAIN_MS = 1000, NAMESPACE_MESSAGE = 32 << 10, NAMESPACE_LINES = 10000 };

static const struct client_resource namespaces = {"", "v1", "namespaces"};

struct namespaces {
    struct api *api;
    struct client *client;
    struct workqueue *queue;
    struct informer *informer;
};

/* What is left in one. */
struct remains {
    struct api *api;
    struct client *client;
    const char *ns;
    bool only_pods;         /* they go first: the rest may serve them to the end */
    size_t budget;
    size_t left, stuck;     /* of all; of those of the kind at hand: without finalizers, and not in their time of grace */
    size_t of_kind;
    const struct schema_kind *kind;
    struct vec kinds;       /* "pods. has 2 resource instances" */
    struct map finalizers;  /* name -> size_t */
    struct vec errors;
};

static bool is_pods(const struct schema_kind *kind)
{
    return kind->group[0] == '\0' && strcmp(kind->plural, "pods") == 0;
}

static bool count_finalizer(struct remains *remains, const char *name)
{
    size_t *count = map_get(&remains->finalizers, name);
    if (count == NULL) {
        count = mem_zero(1, sizeof *count);
        if (count == NULL || !map_set(&remains->finalizers, name, count))
            return false;
    }
    ++*count;
    return true;
}

/* A pod that is stopping has time until its deletionTimestamp. */
static bool in_grace(const struct remains *remains, const struct value *document)
{
    const char *text = value_find_text(document, "metadata", "deletionTimestamp", NULL);
    int64_t at;
    return is_pods(remains->kind) && text != NULL && time_parse(text, &at) && client_now_ms(remains->client) < at;
}

static bool stays(void *data, const struct object *object)
{
    struct remains *remains = data;
    remains->of_kind++;
    if ((object->flags & OBJECT_DELETING) == 0) /* its turn comes */
        return true;
    struct value *document = api_value(remains->api, object, remains->kind);
    bool ok = document != NULL, any = false;
    for (const struct value *entry = value_first(value_find(document, "metadata", "finalizers", NULL)); entry != NULL && ok; entry = value_next(entry)) {
        any = true;
        ok = value_text(entry) == NULL || count_finalizer(remains, value_text(entry));
    }
    remains->stuck += !any && !in_grace(remains, document);
    value_free(document);
    return ok;
}

static bool push(struct vec *list, char *text)
{
    return text != NULL && vec_push(list, text);
}

static bool empty_kind(void *data, const struct schema_kind *kind)
{
    struct remains *remains = data;
    const struct client_resource resource = {kind->group, kind->version, kind->plural};
    struct error err = ERROR_INIT;
    if (!kind->namespaced || is_pods(kind) != remains->only_pods)
        return true;
    remains->kind = kind;
    remains->of_kind = remains->stuck = 0;
    bool deleted = client_delete_some(remains->client, &resource, remains->ns, &remains->budget, stays, remains, &err);
    if (!deleted && (err.kind == ERROR_MEMORY || !push(&remains->errors, mem_string(err.message))))
        return false;
    if (deleted && remains->stuck > 0 &&
        !push(&remains->errors, mem_printf("unexpected items still remain in namespace: %s for gvr: %s/%s, Resource=%s", remains->ns, kind->group, kind->version, kind->plural)))
        return false;
    remains->left += remains->of_kind;
    return remains->of_kind == 0 || push(&remains->kinds, mem_printf("%s.%s has %zu resource instances", kind->plural, kind->group, remains->of_kind));
}

/* ---- the status tells how far it is, in the words that the real controller has */

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* start, then the lines in order, with commas; the caller frees. NULL: no memory. */
static char *join(char *start, struct vec *lines)
{
    struct buf text = buf_make(NAMESPACE_MESSAGE);
    vec_sort(lines, compare);
    buf_append_string(&text, start != NULL ? start : "");
    for (size_t i = 0; i < lines->length; i++) {
        struct buf line = buf_make(NAMESPACE_MESSAGE);
        buf_printf(&line, "%s%s", i > 0 ? ", " : "", (const char *)lines->items[i]);
        if (buf_ok(&line) && text.length + line.length < NAMESPACE_MESSAGE) /* a longer one is cut */
            buf_append_string(&text, line.bytes);
        buf_free(&line);
    }
    bool ok = start != NULL && buf_ok(&text);
    mem_free(start);
    if (ok)
        return buf_take(&text, NULL);
    buf_free(&text);
    return NULL;
}

static bool finalizer_lines(const struct remains *remains, struct vec *lines)
{
    const struct map_entry *entry;
    for (size_t cursor = 0; (entry = map_next(&remains->finalizers, &cursor)) != NULL;)
        if (!push(lines, mem_printf("%s in %zu resource instances", entry->key, *(size_t *)entry->value)))
            return false;
    return true;
}

static struct value *find_condition(struct value *conditions, const char *type)
{
    for (struct value *entry = value_first(conditions); entry != NULL; entry = value_next(entry)) {
        const char *its = value_find_text(entry, "type", NULL);
        if (its != NULL && strcmp(its, type) == 0)
            return entry;
    }
    return NULL;
}

/* message NULL: no memory. Takes it over. */
static bool set_condition(struct value *conditions, const char *type, bool is, const char *reason, char *message, int64_t now_ms)
{
    char time[21];
    struct value *condition = find_condition(conditions, type);
    if (condition == NULL) {
        condition = value_object();
        if (condition == NULL || !value_append(conditions, condition)) {
            mem_free(message);
            return false;
        }
    }
    const char *status = is ? "True" : "False", *before = value_find_text(condition, "status", NULL);
    bool same = before != NULL && strcmp(before, status) == 0;
    time_print(now_ms, time);
    bool ok = message != NULL && value_set(condition, "type", value_string(type)) && value_set(condition, "status", value_string(status)) &&
              (same || value_set(condition, "lastTransitionTime", value_string(time))) && value_set(condition, "reason", value_string(reason)) &&
              value_set(condition, "message", value_string(message));
    mem_free(message);
    return ok;
}

static bool set_conditions(struct value *conditions, struct remains *remains, bool totals, int64_t now)
{
    struct vec lines = vec_make(NAMESPACE_LINES, mem_free);
    size_t errors = remains->errors.length;
    bool some = totals && remains->kinds.length > 0, held = totals && remains->finalizers.count > 0;
    bool ok = finalizer_lines(remains, &lines) &&
              set_condition(conditions, "NamespaceDeletionDiscoveryFailure", false, "ResourcesDiscovered", mem_string("All resources successfully discovered"), now) &&
              set_condition(conditions, "NamespaceDeletionGroupVersionParsingFailure", false, "ParsedGroupVersions", mem_string("All legacy kube types successfully parsed"), now) &&
              set_condition(conditions, "NamespaceDeletionContentFailure", errors > 0, errors > 0 ? "ContentDeletionFailed" : "ContentDeleted",
                            errors > 0 ? join(mem_printf("Failed to delete all resource types, %zu remaining: ", errors), &remains->errors)
                                       : mem_string("All content successfully deleted, may be waiting on finalization"),
                            now) &&
              set_condition(conditions, "NamespaceContentRemaining", some, some ? "SomeResourcesRemain" : "ContentRemoved",
                            some ? join(mem_string("Some resources are remaining: "), &remains->kinds) : mem_string("All content successfully removed"), now) &&
              set_condition(conditions, "NamespaceFinalizersRemaining", held, held ? "SomeFinalizersRemain" : "ContentHasNoFinalizers",
                            held ? join(mem_string("Some content in the namespace has finalizers remaining: "), &lines) : mem_string("All content-preserving finalizers finished"), now);
    vec_free(&lines);
    return ok;
}

static bool tell(struct namespaces *controller, const struct value *namespace, struct remains *remains)
{
    struct error err = ERROR_INIT;
    struct value *object = value_copy(namespace), *status = object != NULL ? value_child(object, "status") : NULL;
    bool ok = status != NULL && (value_get(status, "conditions") != NULL || value_set(status, "conditions", value_array()));
    /* as the real one, which says nothing of what remains while it waits for pods */
    ok = ok && set_conditions(value_get(status, "conditions"), remains, !remains->only_pods, client_now_ms(controller->client));
    if (!ok || value_equal(object, namespace)) {
        value_free(object);
        return ok;
    }
    struct value *told = client_update(controller->client, &namespaces, "status", object, &err);
    value_free(told);
    return told != NULL || err.kind == ERROR_NOT_FOUND;
}

/* ---- */

/* Nothing is left: our finalizer goes, and with it the namespace, if nobody else has one there. */
static bool let_go(struct namespaces *controller, const char *name)
{
    struct error err = ERROR_INIT;
    struct value *object = client_get(controller->client, &namespaces, "", name, &err);
    struct value *finalizers = value_find(object, "spec", "finalizers", NULL);
    bool ours = false;
    if (object == NULL)
        return err.kind == ERROR_NOT_FOUND;
    for (struct value *entry = value_first(finalizers), *next; entry != NULL; entry = next) {
        next = value_next(entry);
        if (value_text(entry) != NULL && strcmp(value_text(entry), "kubernetes") == 0) {
            ours = true;
            value_free(value_take(finalizers, entry));
        }
    }
    if (!ours) {
        value_free(object);
        return true;
    }
    struct value *done = client_update(controller->client, &namespaces, "finalize", object, &err);
    value_free(done);
    return done != NULL || err.kind == ERROR_NOT_FOUND;
}

static bool empty(struct namespaces *controller, const char *name, const struct value *namespace)
{
    struct remains remains = {.api = controller->api, .client = controller->client, .ns = name, .budget = NAMESPACE_PART, .only_pods = true};
    remains.kinds = vec_make(NAMESPACE_LINES, mem_free);
    remains.errors = vec_make(NAMESPACE_LINES, mem_free);
    remains.finalizers = map_make(NAMESPACE_LINES, mem_free);
    bool ok = client_each_kind(controller->client, VERB_LIST | VERB_DELETE, empty_kind, &remains);
    if (ok && remains.left == 0) {
        remains.only_pods = false;
        ok = client_each_kind(controller->client, VERB_LIST | VERB_DELETE, empty_kind, &remains);
    }
    if (ok && remains.budget == 0 && remains.left > 0 && remains.errors.length == 0) /* there is more to do, and nothing to tell yet */
        workqueue_add(controller->queue, name);
    else if (ok) {
        ok = tell(controller, namespace, &remains);
        if (ok && remains.left == 0 && remains.errors.length == 0)
            ok = let_go(controller, name);
        else if (ok && remains.errors.length > 0)
            ok = false;
        else if (ok)
            workqueue_add_after(controller->queue, name, NAMESPACE_AGAIN_MS);
    }
    vec_free(&remains.kinds);
    vec_free(&remains.errors);
    map_free(&remains.finalizers);
    return ok;
}

static bool work(void *data, const char *name)
{
    struct namespaces *controller = data;
    struct error err = ERROR_INIT;
    if (name[0] == '\0') {
        queue_all(controller->queue, controller->informer);
        return true;
    }
    struct value *namespace = client_get(controller->client, &namespaces, "", name, &err);
    if (namespace == NULL)
        return err.kind == ERROR_NOT_FOUND;
    bool waits = value_find(namespace, "metadata", "deletionTimestamp", NULL) != NULL && value_first(value_find(namespace, "spec", "finalizers", NULL)) != NULL;
    bool ok = !waits || empty(controller, name, namespace);
    value_free(namespace);
    return ok;
}

static void changed(void *data, const struct informer_event *event)
{
    struct namespaces *controller = data;
    if (event->object != NULL && (event->object->flags & OBJECT_DELETING) != 0)
        workqueue_add(controller->queue, event->object->name);
}

static void stop(void *data)
{
    struct namespaces *controller = data;
    informer_free(controller->informer);
    workqueue_free(controller->queue);
    mem_free(controller);
}

static void *start(const struct place_of_work *place, struct error *err)
{
    struct namespaces *controller = mem_zero(1, sizeof *controller);
    if (controller == NULL) {
        error_memory(err);
        return NULL;
    }
    controller->api = place->api;
    controller->client = place->client;
    if ((controller->queue = workqueue_new(place->api->clock, place->api->state, work, controller, err)) != NULL && (controller->informer = informer_new(place->reader, &namespaces, changed, controller, err)) != NULL)
        return controller;
    stop(controller);
    return NULL;
}

const struct controller_type namespace_controller = {"namespace-controller", start, stop};
