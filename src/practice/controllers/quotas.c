/* quotas.c: what stands in a ResourceQuota's status is counted anew when it, or what it counts, changes (kube-controller-manager's resourcequota controller). Creations need no
 * counting: admission charged them before they were written. */
#include <string.h>

#include "base/mem.h"
#include "practice/api/quota.h"
#include "practice/controllers/internal.h"

enum { QUOTA_AGAIN_MS = 50 };
static const char other_kinds[] = "kinds"; /* among the keys of the queue, which have a slash: look which kinds there are */

static const struct client_resource quotas = {"", "v1", "resourcequotas"};

struct counted { /* one resource that quotas may count */
    struct quotas *controller;
    char *group, *version, *plural;
    bool there;
    struct informer *informer;
};

struct quotas {
    struct api *api;
    struct client *client, *reader;
    struct workqueue *queue; /* of quotas' keys, and other_kinds */
    struct informer *informer, *definitions;
    struct vec counted; /* of struct counted, owned */
};

static void counted_free(void *data)
{
    struct counted *counted = data;
    informer_free(counted->informer);
    mem_free(counted->group);
    mem_free(counted->version);
    mem_free(counted->plural);
    mem_free(counted);
}

static bool differs(const struct counted *counted, const struct informer_event *event)
{
    const struct schema_kind *kind = registry_find(counted->controller->api->registry, counted->group, counted->version, counted->plural);
    struct value *now = informer_value(counted->informer, event->object), *before = informer_value(counted->informer, event->previous);
    bool different = kind == NULL || now == NULL || before == NULL || quota_differs(kind, now, before, client_now_ms(counted->controller->client));
    value_free(now);
    value_free(before);
    return different;
}

static void object_changed(void *data, const struct informer_event *event)
{
    struct counted *counted = data;
    struct quotas *controller = counted->controller;
    const char *ns = (event->object != NULL ? event->object : event->previous)->ns;
    const struct object *quota = informer_next(controller->informer, ns, NULL);
    if (event->previous == NULL || quota == NULL || (event->object != NULL && !differs(counted, event)))
        return;
    for (; quota != NULL; quota = informer_next(controller->informer, ns, quota))
        key_add(controller->queue, quota);
}

static bool follow_kind(void *data, const struct schema_kind *kind)
{
    struct quotas *controller = data;
    struct error err = ERROR_INIT;
    if (!kind->namespaced || !quota_counts(kind))
        return true;
    for (size_t i = 0; i < controller->counted.length; i++) {
        struct counted *counted = controller->counted.items[i];
        if (strcmp(counted->group, kind->group) == 0 && strcmp(counted->plural, kind->plural) == 0) {
            counted->there = true;
            return true;
        }
    }
    struct counted *counted = mem_zero(1, sizeof *counted);
    if (counted == NULL)
        return false;
    *counted = (struct counted){.controller = controller, .group = mem_string(kind->group), .version = mem_string(kind->version), .plural = mem_string(kind->plural), .there = true};
    const struct client_resource resource = {counted->group, counted->version, counted->plural};
    if (counted->group != NULL && counted->version != NULL && counted->plural != NULL)
        counted->informer = informer_new(controller->reader, &resource, object_changed, counted, &err);
    if (counted->informer == NULL) {
        counted_free(counted);
        return false;
    }
    return vec_push(&controller->counted, counted);
}

static bool follow_kinds(struct quotas *controller)
{
    for (size_t i = 0; i < controller->counted.length; i++)
        ((struct counted *)controller->counted.items[i])->there = false;
    if (!client_each_kind(controller->client, VERB_LIST | VERB_WATCH | VERB_DELETE, follow_kind, controller))
        return false;
    for (size_t i = controller->counted.length; i-- > 0;)
        if (!((struct counted *)controller->counted.items[i])->there)
            vec_remove(&controller->counted, i);
    return true;
}

static bool count_anew(struct quotas *controller, const struct object *there)
{
    struct error err = ERROR_INIT;
    struct value *quota = informer_value(controller->informer, there);
    struct value *status = quota != NULL ? quota_count(controller->api, quota, there->ns, &err) : NULL;
    bool ok = status != NULL;
    if (ok && value_equal(status, value_get(quota, "status"))) {
        value_free(status);
        value_free(quota);
        return true;
    }
    if (ok && value_set(quota, "status", status)) {
        struct value *done = client_update(controller->client, &quotas, "status", quota, &err);
        value_free(done);
        return done != NULL || err.kind == ERROR_NOT_FOUND;
    }
    value_free(quota);
    return false;
}

static bool work(void *data, const char *text)
{
    struct quotas *controller = data;
    struct key key;
    if (strcmp(text, WORKQUEUE_ALL) == 0 || strcmp(text, other_kinds) == 0) {
        queue_all(controller->queue, controller->informer); /* there may be objects to count of kinds that came or went */
        return follow_kinds(controller);
    }
    if (!key_parse(text, &key))
        return false;
    const struct object *there = informer_get(controller->informer, key.ns, key.name);
    bool ok = there == NULL || count_anew(controller, there);
    key_free(&key);
    return ok;
}

static void quota_changed(void *data, const struct informer_event *event)
{
    struct quotas *controller = data;
    if (event->object != NULL)
        key_add(controller->queue, event->object);
}

static void definitions_changed(void *data, const struct informer_event *event)
{
    struct quotas *controller = data;
    (void)event;
    workqueue_add_after(controller->queue, other_kinds, QUOTA_AGAIN_MS);
}

static void stop(void *data)
{
    struct quotas *controller = data;
    vec_free(&controller->counted);
    informer_free(controller->informer);
    informer_free(controller->definitions);
    workqueue_free(controller->queue);
    mem_free(controller);
}

static void *start(const struct place_of_work *place, struct error *err)
{
    static const struct client_resource definitions = {"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
    struct quotas *controller = mem_zero(1, sizeof *controller);
    if (controller == NULL) {
        error_memory(err);
        return NULL;
    }
    *controller = (struct quotas){.api = place->api, .client = place->client, .reader = place->reader, .counted = vec_make(STATE_RESOURCES, counted_free)};
    if ((controller->queue = workqueue_new(place->api->loop, place->api->state, work, controller, err)) != NULL && (controller->informer = informer_new(place->reader, &quotas, quota_changed, controller, err)) != NULL &&
        (controller->definitions = informer_new(place->reader, &definitions, definitions_changed, controller, err)) != NULL) {
        if (follow_kinds(controller))
            return controller;
        error_memory(err);
    }
    stop(controller);
    return NULL;
}

const struct controller_type quota_controller = {"resourcequota-controller", start, stop};
