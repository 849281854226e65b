/* replicaset.c: ReplicaSets have as many Pods as they say (kube-controller-manager's replicaset controller), and ReplicationControllers by the same code, as there. */
#include "practice/controllers/replicaset.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "practice/controllers/internal.h"
#include "practice/controllers/owned.h"
#include "practice/controllers/pending.h"
#include "practice/controllers/workload.h"

enum {
    REPLICAS_BURST = 500,     /* made or deleted before their events are waited for */
    REPLICAS_PODS = 1000000,
    REPLICAS_PER_MS = 100,    /* a set with many Pods tells only after so long what became of them: together, not one by one */
};

/* What the two kinds differ in. */
struct flavour {
    const char *component, *api_version, *kind;
    struct client_resource resource;
    bool plain;       /* the selector is a map of labels */
    bool terminating; /* status.terminatingReplicas */
};

struct replicas {
    const struct flavour *flavour;
    struct place_of_work place;
    struct recorder *recorder;
    struct workqueue *queue;
    struct owned *sets;
    struct pods_follower *follower;
    struct pending pending;
    struct map tallies; /* by uid of the set */
    bool begun;         /* all was told once */
};

/* One look at a set. */
struct sync {
    struct replicas *controller;
    const char *key;
    const struct value *document;
    struct maker maker;
    struct tally *tally;
    int64_t now_ms, min_ready_ms;
    int32_t wanted, available;
    int64_t next_ms; /* when the next one becomes available; 0: none */
};

/* ---- whom to look at ---- */

static const struct owned_object *set_of(const struct replicas *controller, const struct pod_view *pod)
{
    if (strcmp(pod->owner_kind, controller->flavour->kind) != 0)
        return NULL;
    const struct owned_object *set = owned_find(controller->sets, pod->object->ns, pod->owner_name);
    return set != NULL && strcmp(set->object->uid, pod->owner_uid) == 0 ? set : NULL;
}

static void add(struct replicas *controller, const struct object *set)
{
    char *key = mem_printf("%s/%s", set->ns, set->name);
    if (key != NULL)
        workqueue_add_after(controller->queue, key, (int64_t)pods_count_owned(controller->place.pods, set->uid) / REPLICAS_PER_MS);
    else
        workqueue_add(controller->queue, WORKQUEUE_ALL);
    mem_free(key);
}

static struct label_selector *selector_of(const struct replicas *controller, const struct value *document)
{
    const struct value *selector = value_find(document, "spec", "selector", NULL);
    return controller->flavour->plain ? label_selector_of_map(selector, NULL) : label_selector_new(selector, NULL);
}

/* They look for Pods to take. */
static void add_to_claim(struct replicas *controller, const struct object *set)
{
    struct tally *tally = map_get(&controller->tallies, set->uid);
    if (tally != NULL)
        tally->claim = true;
    key_add(controller->queue, set);
}

/* A Pod that nobody controls: the sets that would have it. */
static void add_matching(struct replicas *controller, const struct object *pod)
{
    const struct informer *informer = owned_informer(controller->sets);
    for (const struct object *set = NULL; (set = informer_next(informer, pod->ns, set)) != NULL;) {
        struct value *document = informer_value(informer, set);
        struct label_selector *selector = document != NULL ? selector_of(controller, document) : NULL;
        if (document == NULL)
            add_to_claim(controller, set); /* it may be one */
        else if (selector != NULL && label_selector_matches(selector, pod))
            add_to_claim(controller, set);
        label_selector_free(selector);
        value_free(document);
    }
}

static void pod_changed(void *data, const struct pods_event *event)
{
    struct replicas *controller = data;
    const struct pod_view *pod = event->pod, *previous = event->previous;
    const struct owned_object *now = pod != NULL ? set_of(controller, pod) : NULL, *was = previous != NULL ? set_of(controller, previous) : NULL;
    pending_observe(&controller->pending, event);
    tallies_follow(&controller->tallies, event);
    if (was != NULL)
        add(controller, was->object);
    if (now != NULL && now != was)
        add(controller, now->object);
    if (!pod_goes(event) && pod->owner_uid[0] == '\0' && (previous == NULL || previous->owner_uid[0] != '\0' || pod_has_other_labels(event)))
        add_matching(controller, pod->object);
}

static void set_changed(void *data, const struct owned_event *event)
{
    struct replicas *controller = data;
    if (event == NULL) {
        workqueue_add(controller->queue, WORKQUEUE_ALL);
        return;
    }
    const struct object *object = event->now != NULL ? event->now->object : event->was->object;
    if (event->was != NULL && (event->now == NULL || strcmp(event->now->object->uid, event->was->object->uid) != 0))
        map_remove(&controller->tallies, event->was->object->uid);
    key_add(controller->queue, object);
}

/* ---- counting ---- */

/* With minReadySeconds it is a question of time. */
static void count_available(struct sync *sync, const char *uid)
{
    const struct pods *pods = sync->controller->place.pods;
    if (sync->min_ready_ms == 0) {
        sync->available = sync->tally->ready;
        return;
    }
    for (const struct pod_view *pod = NULL; (pod = pods_next_owned(pods, uid, pod)) != NULL;) {
        if (!pod->ready || !pod_is_active(pod) || !label_selector_matches(sync->tally->selector, pod->object))
            continue;
        int64_t at = pod->ready_ms + sync->min_ready_ms;
        if (pod_is_available(pod, sync->min_ready_ms, sync->now_ms))
            sync->available++;
        else if (pod->ready_ms != 0 && (sync->next_ms == 0 || at < sync->next_ms))
            sync->next_ms = at;
    }
}

/* ---- making and deleting ---- */

/* A few at first, twice as many each time that all went well: where nothing can be made, that is found out with one. */
static bool make_pods(struct sync *sync, int32_t missing, struct error *err)
{
    struct replicas *controller = sync->controller;
    const struct value *template = value_find(sync->document, "spec", "template", NULL);
    int32_t made = 0, tried = 0;
    bool ok = true;
    if (missing > REPLICAS_BURST)
        missing = REPLICAS_BURST;
    if (!expectations_set(controller->pending.expectations, sync->key, missing, 0))
        return error_memory(err);
    for (int32_t batch = 1; ok && tried < missing; batch *= 2)
        for (int32_t i = 0; i < batch && tried < missing; i++, tried++) {
            struct error why = ERROR_INIT;
            struct value *pod = maker_pod(&sync->maker, template, NULL);
            bool done = pod != NULL ? maker_create(&sync->maker, pod, &why) : error_memory(&why);
            done = done || maker_namespace_ends(&why);
            made += done;
            if (!done && ok && err != NULL)
                *err = why;
            ok = ok && done;
        }
    for (; made < missing; made++) /* nobody will tell of those */
        expectations_saw_creation(controller->pending.expectations, sync->key);
    return ok;
}

/* The active Pods, of a number known; false: no memory. */
static bool list_active(const struct sync *sync, const char *uid, const struct pod_view **list)
{
    const struct pods *pods = sync->controller->place.pods;
    size_t count = 0;
    for (const struct pod_view *pod = NULL; (pod = pods_next_owned(pods, uid, pod)) != NULL;)
        if (pod_is_active(pod) && label_selector_matches(sync->tally->selector, pod->object))
            list[count++] = pod;
    return count == (size_t)sync->tally->active;
}

static size_t on_node(const void *data, const char *node)
{
    return (size_t)(uintptr_t)map_get(data, node);
}

/* How many active Pods of all sets with the same controller each node has: a map of numbers. False: no memory. */
static bool count_family(const struct sync *sync, struct map *nodes)
{
    const struct replicas *controller = sync->controller;
    const char *family = value_find_text(workload_controller(sync->document), "uid", NULL);
    for (const struct owned_object *set = NULL; family != NULL && (set = owned_next(controller->sets, family, set)) != NULL;)
        for (const struct pod_view *pod = NULL; (pod = pods_next_owned(controller->place.pods, set->object->uid, pod)) != NULL;)
            if (pod_is_active(pod) && !map_set(nodes, pod->node, (void *)(uintptr_t)(on_node(nodes, pod->node) + 1)))
                return false;
    return true;
}

static bool delete_pod(struct sync *sync, const struct pod_view *pod, struct error *err)
{
    struct replicas *controller = sync->controller;
    if (!pending_will_delete(&controller->pending, pod)) {
        expectations_saw_deletion(controller->pending.expectations, sync->key);
        return error_memory(err);
    }
    if (maker_delete(&sync->maker, pod, err))
        return true;
    pending_did_not_delete(&controller->pending, pod);
    expectations_saw_deletion(controller->pending.expectations, sync->key);
    return false;
}

static bool delete_pods(struct sync *sync, int32_t surplus, const char *uid, struct error *err)
{
    struct replicas *controller = sync->controller;
    const struct pod_view **list = mem_zero((size_t)sync->tally->active, sizeof *list);
    struct map nodes = map_make(REPLICAS_PODS, NULL);
    if (surplus > REPLICAS_BURST)
        surplus = REPLICAS_BURST;
    bool ok = list != NULL && list_active(sync, uid, list) && (surplus >= sync->tally->active ||
              (count_family(sync, &nodes) && replicas_rank(controller->place.pods, list, (size_t)sync->tally->active, on_node, &nodes, sync->now_ms)));
    ok = (ok && expectations_set(controller->pending.expectations, sync->key, 0, surplus)) || error_memory(err);
    bool all = ok;
    for (int32_t i = 0; ok && i < surplus; i++) {
        struct error why = ERROR_INIT;
        if (!delete_pod(sync, list[i], &why) && all) {
            all = false;
            if (err != NULL)
                *err = why;
        }
    }
    map_free(&nodes);
    mem_free(list);
    return all;
}

/* ---- the status ---- */

static struct value *status_of(const struct sync *sync, const struct error *failure)
{
    const struct flavour *flavour = sync->controller->flavour;
    const struct value *before = value_get(sync->document, "status");
    struct value *status = before != NULL ? value_copy(before) : value_object();
    bool ok = status != NULL;
    if (failure->kind != ERROR_NONE && condition_find(before, "ReplicaFailure") == NULL) {
        struct condition condition = {"ReplicaFailure", "True", sync->tally->active < sync->wanted ? "FailedCreate" : "FailedDelete", failure->message, 0};
        ok = ok && condition_put_anew(status, &condition, sync->now_ms);
    } else if (failure->kind == ERROR_NONE && ok) {
        condition_drop(status, "ReplicaFailure");
    }
    ok = ok && workload_number(status, "replicas", sync->tally->active, true) && workload_number(status, "fullyLabeledReplicas", sync->tally->labeled, false) &&
         workload_number(status, "readyReplicas", sync->tally->ready, false) && workload_number(status, "availableReplicas", sync->available, false) &&
         (!flavour->terminating || workload_number(status, "terminatingReplicas", sync->tally->terminating, true)) &&
         workload_number(status, "observedGeneration", value_find_int(sync->document, 0, "metadata", "generation", NULL), false);
    if (ok)
        return status;
    value_free(status);
    return NULL;
}

static bool tell(const struct sync *sync, const struct error *failure)
{
    struct error err = ERROR_INIT;
    struct value *status = status_of(sync, failure);
    if (status == NULL || value_equal(status, value_get(sync->document, "status"))) {
        bool same = status != NULL;
        value_free(status);
        return same;
    }
    struct value *written = workload_write_status(sync->controller->place.client, &sync->controller->flavour->resource, sync->document, status, &err);
    value_free(written);
    return written != NULL || err.kind == ERROR_NOT_FOUND;
}

/* ---- */

/* An orphan that is about to be taken: it counts only when its event was told. */
static bool finds_orphan(const struct sync *sync, const char *ns)
{
    for (const struct pod_view *pod = NULL; (pod = pods_next_owned(sync->controller->place.pods, "", pod)) != NULL;)
        if (strcmp(pod->object->ns, ns) == 0 && pod_is_active(pod) && label_selector_matches(sync->tally->selector, pod->object))
            return true;
    return false;
}

/* Takes and lets go. False: try again. */
static bool claim(struct sync *sync, const struct object *set, bool *waits)
{
    if (!sync->tally->claim && sync->tally->strangers == 0)
        return true;
    *waits = finds_orphan(sync, set->ns);
    if (!maker_claim(&sync->maker, sync->tally->selector, NULL))
        return false;
    sync->tally->claim = false;
    return true;
}

static bool look(struct sync *sync, const struct object *set)
{
    struct replicas *controller = sync->controller;
    struct error failure = ERROR_INIT;
    bool goes = (set->flags & OBJECT_DELETING) != 0, met = expectations_met(controller->pending.expectations, sync->key), waits = false, ok = true;
    if (!goes && !claim(sync, set, &waits))
        return false;
    count_available(sync, set->uid);
    int32_t missing = sync->wanted - sync->tally->active;
    if (met && !goes && !waits && missing > 0)
        ok = make_pods(sync, missing, &failure);
    else if (met && !goes && !waits && missing < 0)
        ok = delete_pods(sync, -missing, set->uid, &failure);
    if (!tell(sync, &failure))
        return false;
    if (sync->next_ms != 0)
        workqueue_add_after(controller->queue, sync->key, sync->next_ms - sync->now_ms);
    return ok;
}

static bool sync_set(struct replicas *controller, const char *key, const struct object *set)
{
    const struct flavour *flavour = controller->flavour;
    struct value *document = owned_value(controller->sets, set);
    if (document == NULL)
        return false;
    struct sync sync = {.controller = controller,
                        .key = key,
                        .document = document,
                        .tally = tally_of(&controller->tallies, controller->place.pods, document, flavour->plain),
                        .now_ms = client_now_ms(controller->place.client),
                        .min_ready_ms = value_find_int(document, 0, "spec", "minReadySeconds", NULL) * 1000,
                        .wanted = (int32_t)value_find_int(document, 0, "spec", "replicas", NULL)};
    sync.maker = (struct maker){.place = &controller->place, .recorder = controller->recorder, .api_version = flavour->api_version, .kind = flavour->kind, .owner = document, .active_only = true};
    bool ok = sync.tally != NULL && look(&sync, set);
    value_free(document);
    return ok;
}

static bool work(void *data, const char *text)
{
    struct replicas *controller = data;
    struct key key;
    controller->begun = controller->begun || (pods_current(controller->place.pods) && informer_current(owned_informer(controller->sets)));
    if (!controller->begun)
        return false; /* what it does not know of yet it would make again */
    if (strcmp(text, WORKQUEUE_ALL) == 0) {
        queue_all(controller->queue, owned_informer(controller->sets));
        return true;
    }
    if (!key_parse(text, &key))
        return false;
    const struct object *set = informer_get(owned_informer(controller->sets), key.ns, key.name);
    key_free(&key);
    if (set != NULL)
        return sync_set(controller, text, set);
    expectations_forget(controller->pending.expectations, text);
    return true;
}

static void stop(void *data)
{
    struct replicas *controller = data;
    pods_unfollow(controller->follower);
    owned_free(controller->sets);
    workqueue_free(controller->queue);
    recorder_free(controller->recorder);
    pending_stop(&controller->pending);
    map_free(&controller->tallies);
    mem_free(controller);
}

static void *start(const struct place_of_work *place, const struct flavour *flavour, struct error *err)
{
    struct replicas *controller = mem_zero(1, sizeof *controller);
    if (controller == NULL) {
        error_memory(err);
        return NULL;
    }
    controller->flavour = flavour;
    controller->place = *place;
    controller->tallies = tallies_make();
    const struct recorder_options options = {.component = flavour->component};
    if ((controller->recorder = recorder_new(place->client, &options, err)) != NULL &&
        pending_start(&controller->pending, flavour->kind, place->api->clock, err) &&
        (controller->queue = workqueue_new(place->api->clock, place->api->state, work, controller, err)) != NULL &&
        (controller->sets = owned_new(place->reader, &flavour->resource, set_changed, controller, err)) != NULL &&
        (controller->follower = pods_follow(place->pods, pod_changed, controller, err)) != NULL)
        return controller;
    stop(controller);
    return NULL;
}

static void *start_sets(const struct place_of_work *place, struct error *err)
{
    static const struct flavour flavour = {"replicaset-controller", "apps/v1", "ReplicaSet", {"apps", "v1", "replicasets"}, .terminating = true};
    return start(place, &flavour, err);
}

static void *start_controllers(const struct place_of_work *place, struct error *err)
{
    static const struct flavour flavour = {"replication-controller", "v1", "ReplicationController", {"", "v1", "replicationcontrollers"}, .plain = true};
    return start(place, &flavour, err);
}

const struct controller_type replicaset_controller = {"replicaset-controller", start_sets, stop};
const struct controller_type replication_controller = {"replication-controller", start_controllers, stop};
