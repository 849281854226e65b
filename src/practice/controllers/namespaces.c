/* namespaces.c: a namespace that is being deleted is emptied, then let go (kube-controller-manager's namespace controller). */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/units.h"
#include "practice/controllers/internal.h"

enum { NAMESPACE_PART = 200, NAMESPACE_AGAIN_MS = 100, NAMESPACE_MESSAGE = 8192 };

static const struct client_resource namespaces = {"", "v1", "namespaces"};

struct namespaces {
    struct client *client;
    struct workqueue *queue;
    struct informer *informer;
};

/* What is left in one, by kind. */
struct remains {
    struct client *client;
    const char *ns;
    size_t budget, left;
    struct buf words; /* "pods. has 2 resource instances, ..." */
    struct error error;
};

static bool empty_kind(void *data, const struct schema_kind *kind)
{
    struct remains *remains = data;
    const struct client_resource resource = {kind->group, kind->version, kind->plural};
    size_t left = 0;
    if (!kind->namespaced)
        return true;
    if (!client_delete_some(remains->client, &resource, remains->ns, remains->budget, &left, &remains->error) && remains->error.kind == ERROR_MEMORY)
        return false;
    if (left > 0)
        buf_printf(&remains->words, "%s%s.%s has %zu resource instances", remains->words.length > 0 ? ", " : "", kind->plural, kind->group, left);
    remains->left += left;
    return true;
}

static bool set_condition(struct value *conditions, const char *type, bool is, const char *reason, const char *message, int64_t now_ms)
{
    char time[21];
    struct value *condition = NULL;
    for (struct value *entry = value_first(conditions); entry != NULL && condition == NULL; entry = value_next(entry)) {
        const char *its = value_find_text(entry, "type", NULL);
        condition = its != NULL && strcmp(its, type) == 0 ? entry : NULL;
    }
    if (condition == NULL) {
        condition = value_object();
        if (!value_append(conditions, condition))
            return false;
    }
    const char *status = is ? "True" : "False", *before = value_find_text(condition, "status", NULL);
    bool same = before != NULL && strcmp(before, status) == 0;
    time_print(now_ms, time);
    return value_set(condition, "type", value_string(type)) && value_set(condition, "status", value_string(status)) &&
           (same || value_set(condition, "lastTransitionTime", value_string(time))) && value_set(condition, "reason", value_string(reason)) &&
           value_set(condition, "message", value_string(message));
}

/* The status tells how far it is, in the words that the real controller has. */
static bool tell(struct namespaces *controller, const struct value *namespace, const struct remains *remains)
{
    struct error err = ERROR_INIT;
    struct value *object = value_copy(namespace), *status = object != NULL ? value_child(object, "status") : NULL, *conditions;
    int64_t now = client_now_ms(controller->client);
    char *some = mem_printf("Some resources are remaining: %s", remains->words.length > 0 ? remains->words.bytes : "");
    if (status != NULL && value_get(status, "conditions") == NULL && !value_set(status, "conditions", value_array()))
        status = NULL;
    conditions = value_get(status, "conditions");
    bool left = remains->left > 0;
    bool ok = some != NULL && conditions != NULL && set_condition(conditions, "NamespaceDeletionDiscoveryFailure", false, "ResourcesDiscovered", "All resources successfully discovered", now) &&
              set_condition(conditions, "NamespaceDeletionGroupVersionParsingFailure", false, "ParsedGroupVersions", "All legacy kube types successfully parsed", now) &&
              set_condition(conditions, "NamespaceDeletionContentFailure", false, "ContentDeleted", "All content successfully deleted, may be waiting on finalization", now) &&
              set_condition(conditions, "NamespaceContentRemaining", left, left ? "SomeResourcesRemain" : "ContentRemoved", left ? some : "All content successfully removed", now) &&
              set_condition(conditions, "NamespaceFinalizersRemaining", false, "ContentHasNoFinalizers", "All content-preserving finalizers finished", now);
    mem_free(some);
    if (!ok) {
        value_free(object);
        return false;
    }
    struct value *told = client_update(controller->client, &namespaces, "status", object, &err);
    value_free(told);
    return told != NULL || err.kind == ERROR_NOT_FOUND || err.kind == ERROR_CONFLICT;
}

/* Nothing is left: our finalizer goes, and with it the namespace, if nobody else has one there. */
static bool let_go(struct namespaces *controller, const char *name)
{
    struct error err = ERROR_INIT;
    struct value *object = client_get(controller->client, &namespaces, "", name, &err);
    struct value *finalizers = value_find(object, "spec", "finalizers", NULL);
    if (object == NULL)
        return err.kind == ERROR_NOT_FOUND;
    for (struct value *entry = value_first(finalizers), *next; entry != NULL; entry = next) {
        next = value_next(entry);
        if (strcmp(value_text(entry) != NULL ? value_text(entry) : "", "kubernetes") == 0)
            value_free(value_take(finalizers, entry));
    }
    struct value *done = client_update(controller->client, &namespaces, "finalize", object, &err);
    value_free(done);
    return done != NULL || err.kind == ERROR_NOT_FOUND;
}

static bool work(void *data, const char *name)
{
    struct namespaces *controller = data;
    const struct object *there = informer_get(controller->informer, "", name);
    if (there == NULL || (there->flags & OBJECT_DELETING) == 0)
        return true;
    struct value *namespace = informer_value(controller->informer, there);
    if (namespace == NULL)
        return false;
    struct remains remains = {.client = controller->client, .ns = name, .budget = NAMESPACE_PART, .words = buf_make(NAMESPACE_MESSAGE)};
    bool ok = client_each_kind(controller->client, VERB_LIST | VERB_DELETE, empty_kind, &remains);
    if (ok && remains.left > 0)
        ok = tell(controller, namespace, &remains) && workqueue_add_after(controller->queue, name, NAMESPACE_AGAIN_MS);
    else if (ok)
        ok = let_go(controller, name);
    buf_free(&remains.words);
    value_free(namespace);
    return ok;
}

static void changed(void *data, const struct informer_event *event)
{
    struct namespaces *controller = data;
    if (event->object != NULL && (event->object->flags & OBJECT_DELETING) != 0 && (event->previous == NULL || (event->previous->flags & OBJECT_DELETING) == 0))
        (void)workqueue_add(controller->queue, event->object->name);
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
    controller->client = place->client;
    if ((controller->queue = workqueue_new(place->api->loop, work, controller, err)) != NULL && (controller->informer = informer_new(place->reader, &namespaces, changed, controller, err)) != NULL)
        return controller;
    stop(controller);
    return NULL;
}

const struct controller_type namespace_controller = {"namespace-controller", start, stop};
