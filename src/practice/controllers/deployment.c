/* deployment.c: Deployments bring their template out through ReplicaSets (kube-controller-manager's deployment controller): whom to look at, and what to do with one. */
#include "practice/controllers/deployment.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const struct client_resource deployments_resource = {"apps", "v1", "deployments"}, replicasets_resource = {"apps", "v1", "replicasets"};
static const char desired_key[] = "deployment.kubernetes.io/desired-replicas";

/* ---- whom to look at ---- */

static void add_owner(struct deployments *controller, const char *ns, const char *kind, const char *name, const char *uid)
{
    const struct object *deployment = strcmp(kind, "Deployment") == 0 ? informer_get(controller->informer, ns, name) : NULL;
    if (deployment != NULL && strcmp(deployment->uid, uid) == 0)
        key_add(controller->queue, deployment);
}

static void deployment_changed(void *data, const struct informer_event *event)
{
    struct deployments *controller = data;
    key_add(controller->queue, event->object != NULL ? event->object : event->previous);
}

/* A set that nobody controls: the Deployments that would have it. */
static void add_matching(struct deployments *controller, const struct object *set)
{
    for (const struct object *deployment = NULL; (deployment = informer_next(controller->informer, set->ns, deployment)) != NULL;) {
        struct value *document = informer_value(controller->informer, deployment);
        struct label_selector *selector = document != NULL ? label_selector_new(value_find(document, "spec", "selector", NULL), NULL) : NULL;
        if (document == NULL)
            workqueue_add(controller->queue, WORKQUEUE_ALL);
        else if (selector != NULL && !label_selector_is_empty(selector) && label_selector_matches(selector, set))
            key_add(controller->queue, deployment);
        label_selector_free(selector);
        value_free(document);
    }
}

static void set_changed(void *data, const struct owned_event *event)
{
    struct deployments *controller = data;
    if (event == NULL) {
        workqueue_add(controller->queue, WORKQUEUE_ALL);
        return;
    }
    const struct owned_object *now = event->now, *was = event->was;
    if (was != NULL && (now == NULL || strcmp(now->uid, was->uid) != 0))
        add_owner(controller, was->object->ns, was->kind, was->name, was->uid);
    if (now == NULL)
        return;
    if (now->uid[0] != '\0')
        add_owner(controller, now->object->ns, now->kind, now->name, now->uid);
    else if ((now->object->flags & OBJECT_DELETING) == 0)
        add_matching(controller, now->object);
}

/* One that recreates waits until its old Pods are gone. */
static void pod_changed(void *data, const struct pods_event *event)
{
    struct deployments *controller = data;
    const struct pod_view *pod = event->previous;
    if (event->pod != NULL || strcmp(pod->owner_kind, "ReplicaSet") != 0)
        return;
    const struct owned_object *set = owned_find(controller->sets, pod->object->ns, pod->owner_name);
    if (set != NULL && strcmp(set->object->uid, pod->owner_uid) == 0)
        add_owner(controller, pod->object->ns, set->kind, set->name, set->uid);
}

/* ---- what to do ---- */

/* Of its sets one was made for another number of replicas: it was scaled, which is no rollout. */
static bool was_scaled(const struct rollout *rollout)
{
    for (size_t i = 0; i < rollout->count; i++) {
        const char *text = rollout->sets[i].replicas > 0 ? workload_annotation(rollout->sets[i].document, desired_key) : NULL;
        char *end = NULL;
        long desired = text != NULL && text[0] >= '0' && text[0] <= '9' ? strtol(text, &end, 10) : -1;
        if (desired >= 0 && desired <= INT32_MAX && *end == '\0' && desired != rollout->wanted)
            return true;
    }
    return false;
}

static bool scale(struct rollout *rollout)
{
    return deployment_scale(rollout) && (!rollout->paused || sets_clean_up(rollout)) && deployment_sync_status(rollout);
}

static bool act(struct rollout *rollout)
{
    if (workload_is_going(rollout->document))
        return sets_renew(rollout, false) && deployment_sync_status(rollout);
    if (!deployment_say_paused(rollout) || !sets_renew(rollout, false))
        return false;
    if (rollout->paused || was_scaled(rollout))
        return scale(rollout);
    return rollout->rolling ? deployment_roll(rollout) : deployment_recreate(rollout);
}

static void read_spec(struct rollout *rollout)
{
    const struct value *spec = value_get(rollout->document, "spec"), *strategy = value_get(spec, "strategy"), *rolling = value_get(strategy, "rollingUpdate");
    const char *type = value_find_text(strategy, "type", NULL);
    rollout->wanted = (int32_t)value_find_int(spec, 1, "replicas", NULL);
    rollout->paused = value_is_true(value_get(spec, "paused"));
    rollout->rolling = type != NULL && strcmp(type, "RollingUpdate") == 0;
    rollout->deadline_s = value_find_int(spec, -1, "progressDeadlineSeconds", NULL);
    if (rollout->deadline_s == INT32_MAX)
        rollout->deadline_s = -1;
    if (!rollout->rolling)
        return;
    rollout->surge = workload_share(value_get(rolling, "maxSurge"), rollout->wanted, true);
    rollout->unavailable = workload_share(value_get(rolling, "maxUnavailable"), rollout->wanted, false);
    if (rollout->surge == 0 && rollout->unavailable == 0)
        rollout->unavailable = 1; /* rounded down to nothing; it would never move */
    if (rollout->unavailable > rollout->wanted)
        rollout->unavailable = rollout->wanted;
}

static bool sync_deployment(struct deployments *controller, const char *key, const struct object *object)
{
    struct rollout rollout = {.controller = controller, .key = key, .now_ms = client_now_ms(controller->place.client)};
    rollout.document = informer_value(controller->informer, object);
    if (rollout.document == NULL)
        return false;
    rollout.maker = (struct maker){.place = &controller->place, .recorder = controller->recorder, .api_version = "apps/v1", .kind = "Deployment", .owner = rollout.document};
    read_spec(&rollout);
    bool ok = (sets_read(&rollout) && act(&rollout)) || rollout.ended;
    sets_free(&rollout);
    value_free(rollout.document);
    return ok;
}

static bool work(void *data, const char *text)
{
    struct deployments *controller = data;
    struct key key;
    controller->begun =
        controller->begun || (informer_current(controller->informer) && informer_current(owned_informer(controller->sets)) && pods_current(controller->place.pods));
    if (!controller->begun)
        return false; /* what it does not know of yet it would make again */
    if (strcmp(text, WORKQUEUE_ALL) == 0) {
        queue_all(controller->queue, controller->informer);
        return true;
    }
    if (!key_parse(text, &key))
        return false;
    const struct object *object = informer_get(controller->informer, key.ns, key.name);
    bool ok = object == NULL || sync_deployment(controller, text, object);
    key_free(&key);
    return ok;
}

static void stop(void *data)
{
    struct deployments *controller = data;
    pods_unfollow(controller->follower);
    owned_free(controller->sets);
    informer_free(controller->informer);
    workqueue_free(controller->queue);
    recorder_free(controller->recorder);
    mem_free(controller);
}

static void *start(const struct place_of_work *place, struct error *err)
{
    static const struct recorder_options options = {.component = "deployment-controller"};
    struct deployments *controller = mem_zero(1, sizeof *controller);
    if (controller == NULL) {
        error_memory(err);
        return NULL;
    }
    controller->place = *place;
    if ((controller->recorder = recorder_new(place->client, &options, err)) != NULL &&
        (controller->queue = workqueue_new(place->api->clock, place->api->state, work, controller, err)) != NULL &&
        (controller->informer = informer_new(place->reader, &deployments_resource, deployment_changed, controller, err)) != NULL &&
        (controller->sets = owned_new(place->reader, &replicasets_resource, set_changed, controller, err)) != NULL &&
        (controller->follower = pods_follow(place->pods, pod_changed, controller, err)) != NULL)
        return controller;
    stop(controller);
    return NULL;
}

const struct controller_type deployment_controller = {"deployment-controller", start, stop};
