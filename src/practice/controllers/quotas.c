/* quotas.c: what stands in a ResourceQuota's status is counted anew when it, or what it counts, changes (kube-controller-manager's resourcequota controller). Creations need no
 * counting: admission charged them before they were written. */
#include <string.h>

#include "base/mem.h"
#include "practice/api/quota.h"
#include "practice/controllers/kinds.h"

static const char other_kinds[] = "kinds"; /* among the keys of the queue, which have a slash: look which kinds there are */

static const struct client_resource quotas = {"", "v1", "resourcequotas"};

struct quotas {
    struct api *api;
    struct client *client;
    struct workqueue *queue; /* of quotas' keys, and other_kinds */
    struct informer *informer;
    struct following counted; /* what quotas may count */
};

static bool differs(const struct followed *counted, const struct informer_event *event)
{
    const struct quotas *controller = counted->owner;
    const struct schema_kind *kind = registry_find(controller->api->registry, counted->group, counted->version, counted->plural);
    struct value *now = informer_value(counted->informer, event->object), *before = informer_value(counted->informer, event->previous);
    bool different = kind == NULL || now == NULL || before == NULL || quota_differs(kind, now, before, client_now_ms(controller->client));
    value_free(now);
    value_free(before);
    return different;
}

static void object_changed(void *data, const struct informer_event *event)
{
    const struct followed *counted = data;
    const struct quotas *controller = counted->owner;
    const char *ns = (event->object != NULL ? event->object : event->previous)->ns;
    const struct object *quota = informer_next(controller->informer, ns, NULL);
    if (event->previous == NULL || quota == NULL || (event->object != NULL && !differs(counted, event)))
        return;
    for (; quota != NULL; quota = informer_next(controller->informer, ns, quota))
        key_add(controller->queue, quota);
}

static bool may_be_counted(const struct schema_kind *kind)
{
    return kind->namespaced && quota_counts(kind);
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
        return kinds_follow(&controller->counted);
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

static void stop(void *data)
{
    struct quotas *controller = data;
    kinds_stop(&controller->counted);
    informer_free(controller->informer);
    workqueue_free(controller->queue);
    mem_free(controller);
}

static void *start(const struct place_of_work *place, struct error *err)
{
    struct quotas *controller = mem_zero(1, sizeof *controller);
    if (controller == NULL) {
        error_memory(err);
        return NULL;
    }
    *controller = (struct quotas){.api = place->api, .client = place->client};
    if ((controller->queue = workqueue_new(place->api->clock, place->api->state, work, controller, err)) != NULL &&
        (controller->informer = informer_new(place->reader, &quotas, quota_changed, controller, err)) != NULL) {
        controller->counted = (struct following){.api = place->api, .reader = place->reader, .queue = controller->queue, .key = other_kinds, .wants = may_be_counted,
                                                 .changed = object_changed, .owner = controller};
        if (kinds_start(&controller->counted, err))
            return controller;
    }
    stop(controller);
    return NULL;
}

const struct controller_type quota_controller = {"resourcequota-controller", start, stop};
