/* daemonset.c: DaemonSets have a Pod on every node that they fit (kube-controller-manager's daemon controller): whom to look at, and one look. */
#include "practice/controllers/daemonset.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const struct client_resource daemonsets_resource = {"apps", "v1", "daemonsets"};
static const struct client_resource nodes_resource = {"", "v1", "nodes"};
enum {
    DAEMONSET_THINGS = 1000000,
    DAEMONSET_PER_MS = 100,  /* a set with many Pods looks at all nodes again only after so long: at what became of them together, not one by one */
    DAEMONSET_NODES_MS = 10, /* and all sets do when there were new nodes, which come in numbers */
};

static void free_value(void *value)
{
    value_free(value);
}

/* ---- whom to look at ---- */

static const struct object *set_of(const struct daemonsets *controller, const struct pod_view *pod)
{
    const struct object *set = strcmp(pod->owner_kind, "DaemonSet") == 0 ? informer_get(controller->informer, pod->object->ns, pod->owner_name) : NULL;
    return set != NULL && strcmp(set->uid, pod->owner_uid) == 0 ? set : NULL;
}

static void set_changed(void *data, const struct informer_event *event)
{
    struct daemonsets *controller = data;
    key_add(controller->queue, event->object != NULL ? event->object : event->previous);
}

/* A Pod that nobody controls: the sets that would have it. */
static void add_matching(struct daemonsets *controller, const struct object *pod)
{
    for (const struct object *set = NULL; (set = informer_next(controller->informer, pod->ns, set)) != NULL;) {
        struct value *document = informer_value(controller->informer, set);
        struct label_selector *selector = document != NULL ? label_selector_new(value_find(document, "spec", "selector", NULL), NULL) : NULL;
        if (document == NULL)
            workqueue_add(controller->queue, WORKQUEUE_ALL);
        else if (selector != NULL && label_selector_matches(selector, pod))
            key_add(controller->queue, set);
        label_selector_free(selector);
        value_free(document);
    }
}

static void add(struct daemonsets *controller, const struct object *set)
{
    char *key = mem_printf("%s/%s", set->ns, set->name);
    if (key != NULL)
        workqueue_add_after(controller->queue, key, (int64_t)pods_count_owned(controller->place.pods, set->uid) / DAEMONSET_PER_MS);
    else
        workqueue_add(controller->queue, WORKQUEUE_ALL);
    mem_free(key);
}

static void pod_changed(void *data, const struct pods_event *event)
{
    struct daemonsets *controller = data;
    const struct pod_view *pod = event->pod, *previous = event->previous;
    const struct object *now = pod != NULL ? set_of(controller, pod) : NULL, *was = previous != NULL ? set_of(controller, previous) : NULL;
    pending_observe(&controller->pending, event);
    if (pod == NULL || pod->node[0] != '\0')
        map_remove(&controller->targets, (pod != NULL ? pod : previous)->object->uid);
    if (was != NULL)
        add(controller, was);
    if (now != NULL && now != was)
        add(controller, now);
    if (!pod_goes(event) && pod->owner_uid[0] == '\0' && (previous == NULL || previous->owner_uid[0] != '\0' || pod_has_other_labels(event)))
        add_matching(controller, pod->object);
}

/* Keeps its taints. False: no memory. */
static bool note_taints(struct daemonsets *controller, const struct object *node, bool *changed)
{
    struct value *document = informer_value(controller->nodes, node), *taints = value_find(document, "spec", "taints", NULL);
    const struct value *before = map_get(&controller->taints, node->name);
    bool ok = document != NULL;
    *changed = taints == NULL ? before != NULL : before == NULL || !value_equal(taints, before);
    if (ok && *changed && taints == NULL)
        map_remove(&controller->taints, node->name);
    else if (ok && *changed)
        ok = map_set(&controller->taints, node->name, value_take(value_get(document, "spec"), taints));
    value_free(document);
    controller->torn = controller->torn || !ok;
    return ok;
}

/* A node that is new, or has other labels or taints, concerns all sets; what else happens to one, and its end, none: its Pods' end does. */
static void node_changed(void *data, const struct informer_event *event)
{
    struct daemonsets *controller = data;
    bool changed = false;
    if (event->object == NULL)
        map_remove(&controller->taints, event->previous->name);
    else if (!note_taints(controller, event->object, &changed) || changed || event->previous == NULL || !workload_same_labels(event->object, event->previous))
        workqueue_add_after(controller->queue, WORKQUEUE_ALL, DAEMONSET_NODES_MS);
}

static void revision_changed(void *data, const struct owned_event *event)
{
    (void)data;
    (void)event;
}

/* ---- the Pods by node ---- */

/* Where a Pod without a node is meant to go; read once. ok: false for want of memory. */
static const char *target_of(struct daemonsets *controller, const struct pod_view *pod, bool *ok)
{
    const char *known = map_get(&controller->targets, pod->object->uid);
    if (known != NULL)
        return known;
    struct value *document = pods_value(controller->place.pods, pod);
    const char *target = daemon_target(document);
    char *copy = target != NULL ? mem_string(target) : NULL;
    *ok = *ok && document != NULL && (target == NULL || (copy != NULL && map_set(&controller->targets, pod->object->uid, copy)));
    value_free(document);
    return *ok ? map_get(&controller->targets, pod->object->uid) : NULL;
}

/* By node (those without one last), then those that are there first, then by age. */
static int compare_daemons(const void *first, const void *second)
{
    const struct daemon *a = first, *b = second;
    int order = a->node == NULL || b->node == NULL ? (a->node == NULL) - (b->node == NULL) : strcmp(a->node, b->node);
    if (order == 0)
        order = (a->pod->node[0] == '\0') - (b->pod->node[0] == '\0');
    if (order == 0 && a->pod->created_ms != b->pod->created_ms)
        order = a->pod->created_ms < b->pod->created_ms ? -1 : 1;
    return order != 0 ? order : strcmp(a->pod->object->name, b->pod->object->name);
}

static bool list_daemons(struct spread *spread, const struct label_selector *selector)
{
    struct daemonsets *controller = spread->controller;
    const struct pods *pods = controller->place.pods;
    bool ok = (spread->daemons = mem_zero(pods_count_owned(pods, spread->uid) + 1, sizeof *spread->daemons)) != NULL;
    for (const struct pod_view *pod = NULL; ok && (pod = pods_next_owned(pods, spread->uid, pod)) != NULL;) {
        bool over = pod_has_ended(pod) && pod->deleting; /* somebody else's, but for its revision */
        if (!label_selector_matches(selector, pod->object))
            continue;
        spread->daemons[spread->daemon_count++] = (struct daemon){pod, over ? NULL : pod->node[0] != '\0' ? pod->node : target_of(controller, pod, &ok)};
    }
    if (ok)
        qsort(spread->daemons, spread->daemon_count, sizeof *spread->daemons, compare_daemons);
    return ok;
}

/* One more ground, with the Pods from *next on that belong there. */
static void add_ground(struct spread *spread, const struct object *node, const char *name, size_t *next)
{
    struct ground *ground = &spread->grounds[spread->ground_count++];
    *ground = (struct ground){.node = node, .name = name, .daemons = &spread->daemons[*next]};
    while (*next < spread->daemon_count && spread->daemons[*next].node != NULL && strcmp(spread->daemons[*next].node, name) == 0) {
        ++*next;
        ground->count++;
    }
    if (node != NULL)
        ground_judge(spread, ground);
}

/* Nodes and Pods come in the same order. */
static bool list_grounds(struct spread *spread)
{
    struct informer *nodes = spread->controller->nodes;
    size_t count = spread->daemon_count + 1, next = 0;
    for (const struct object *node = NULL; (node = informer_next(nodes, NULL, node)) != NULL;)
        count++;
    if ((spread->grounds = mem_zero(count, sizeof *spread->grounds)) == NULL)
        return false;
    const struct object *node = informer_next(nodes, NULL, NULL);
    while (node != NULL || (next < spread->daemon_count && spread->daemons[next].node != NULL)) {
        const char *name = next < spread->daemon_count ? spread->daemons[next].node : NULL;
        bool there = node != NULL && (name == NULL || strcmp(node->name, name) <= 0);
        add_ground(spread, there ? node : NULL, there ? node->name : name, &next);
        if (there)
            node = informer_next(nodes, NULL, node);
    }
    return true;
}

/* ---- the status ---- */

static struct value *status_of(const struct spread *spread, bool observed)
{
    int64_t desired = 0, current = 0, misplaced = 0, ready = 0, updated = 0, available = 0;
    for (size_t i = 0; i < spread->ground_count; i++) {
        const struct ground *ground = &spread->grounds[i];
        if (ground->node == NULL)
            continue;
        desired += ground->runs;
        misplaced += !ground->runs && ground->count > 0;
        if (!ground->runs || ground->count == 0)
            continue;
        const struct pod_view *pod = ground->daemons[0].pod;
        current++;
        ready += pod->ready;
        available += pod->ready && daemon_is_available(spread, pod);
        updated += daemon_is_updated(spread, pod);
    }
    const struct value *before = value_get(spread->document, "status");
    struct value *status = before != NULL ? value_copy(before) : value_object();
    bool ok = (!observed || workload_number(status, "observedGeneration", value_find_int(spread->document, 0, "metadata", "generation", NULL), false)) &&
              workload_number(status, "desiredNumberScheduled", desired, true) && workload_number(status, "currentNumberScheduled", current, true) &&
              workload_number(status, "numberMisscheduled", misplaced, true) && workload_number(status, "numberReady", ready, true) &&
              workload_number(status, "updatedNumberScheduled", updated, false) && workload_number(status, "numberAvailable", available, false) &&
              workload_number(status, "numberUnavailable", desired - available, false);
    if (ok && spread->min_ready_ms > 0 && ready != available)
        workqueue_add_after(spread->controller->queue, spread->key, spread->min_ready_ms);
    if (ok)
        return status;
    value_free(status);
    return NULL;
}

static bool tell(const struct spread *spread, bool observed)
{
    struct error err = ERROR_INIT;
    struct value *status = status_of(spread, observed);
    if (status == NULL || value_equal(status, value_get(spread->document, "status"))) {
        bool same = status != NULL;
        value_free(status);
        return same;
    }
    struct value *written = workload_write_status(spread->controller->place.client, &daemonsets_resource, spread->document, status, &err);
    value_free(written);
    return written != NULL || err.kind == ERROR_NOT_FOUND;
}

/* ---- one look ---- */

/* The template as Pods get it. */
static bool make_template(struct spread *spread, const char *hash)
{
    struct value *template = spread->template = value_copy(value_find(spread->document, "spec", "template", NULL)), *labels = value_child(value_child(template, "metadata"), "labels");
    struct value *spec = value_child(template, "spec");
    const char *generation = workload_annotation(spread->document, "deprecated.daemonset.template.generation");
    char *end = NULL;
    long long number = generation != NULL ? strtoll(generation, &end, 10) : 0;
    if (generation != NULL && end != generation && *end == '\0' && (spread->generation = mem_printf("%lld", number)) == NULL)
        return false;
    bool ok = value_set(labels, DAEMONSET_HASH_LABEL, value_string(hash)) && (spread->generation == NULL || value_set(labels, "pod-template-generation", value_string(spread->generation))) &&
              daemon_tolerate(spec);
    spread->tolerations = value_get(spec, "tolerations");
    spread->hash = value_find_text(labels, DAEMONSET_HASH_LABEL, NULL);
    return ok;
}

static bool act(struct spread *spread, struct vec *old)
{
    const char *type = value_find_text(spread->document, "spec", "updateStrategy", "type", NULL);
    bool rolls = type != NULL && strcmp(type, "RollingUpdate") == 0;
    return spread_manage(spread) && (!rolls || !expectations_met(spread->controller->pending.expectations, spread->key) || spread_roll(spread)) && spread_trim_revisions(spread, old);
}

static bool look(struct spread *spread, const struct label_selector *selector)
{
    struct daemonsets *controller = spread->controller;
    struct value *present = NULL;
    if (!owned_claim(controller->revisions, &spread->maker, selector, &spread->revisions, NULL) || !maker_claim(&spread->maker, selector, NULL))
        return false;
    struct vec old = vec_make(spread->revisions.maximum, NULL);
    bool ok = spread_find_revision(spread, &present, &old) && make_template(spread, value_find_text(present, "metadata", "labels", DAEMONSET_HASH_LABEL, NULL)) &&
              list_daemons(spread, selector) && list_grounds(spread);
    if (ok && !expectations_met(controller->pending.expectations, spread->key)) {
        ok = tell(spread, false);
    } else if (ok) {
        bool acted = act(spread, &old);
        ok = tell(spread, true) && acted;
    }
    vec_free(&old);
    return ok;
}

static bool sync_set(struct daemonsets *controller, const char *key, const struct object *object)
{
    struct value *document = informer_value(controller->informer, object);
    struct label_selector *selector = document != NULL ? label_selector_new(value_find(document, "spec", "selector", NULL), NULL) : NULL;
    const struct value *rolling = value_find(document, "spec", "updateStrategy", "rollingUpdate", NULL);
    struct spread spread = {.controller = controller,
                            .key = key,
                            .document = document,
                            .maker = {.place = &controller->place, .recorder = controller->recorder, .api_version = "apps/v1", .kind = "DaemonSet", .owner = document},
                            .ns = object->ns,
                            .uid = object->uid,
                            .now_ms = client_now_ms(controller->place.client),
                            .min_ready_ms = value_find_int(document, 0, "spec", "minReadySeconds", NULL) * 1000,
                            .surges = workload_share(value_get(rolling, "maxSurge"), 1, true) > 0};
    bool ok = selector != NULL && (workload_is_going(document) || look(&spread, selector));
    label_selector_free(selector);
    vec_free(&spread.revisions);
    mem_free(spread.generation);
    value_free(spread.template);
    mem_free(spread.daemons);
    mem_free(spread.grounds);
    value_free(document);
    return ok;
}

/* Taints that could not be kept, from all nodes. */
static bool mend_taints(struct daemonsets *controller)
{
    bool changed, ok = true;
    for (const struct object *node = NULL; ok && (node = informer_next(controller->nodes, NULL, node)) != NULL;)
        ok = note_taints(controller, node, &changed);
    controller->torn = !ok;
    return ok;
}

static bool work(void *data, const char *text)
{
    struct daemonsets *controller = data;
    struct key key;
    controller->begun = controller->begun || (pods_current(controller->place.pods) && informer_current(controller->informer) && informer_current(controller->nodes) &&
                                              informer_current(owned_informer(controller->revisions)));
    if (!controller->begun)
        return false; /* what it does not know of yet it would make again */
    if (strcmp(text, WORKQUEUE_ALL) == 0) {
        queue_all(controller->queue, controller->informer);
        return !controller->torn || mend_taints(controller);
    }
    if (!key_parse(text, &key))
        return false;
    const struct object *object = informer_get(controller->informer, key.ns, key.name);
    struct object *kept = object != NULL ? object_ref(object) : NULL;
    bool ok = kept == NULL || sync_set(controller, text, kept);
    if (kept == NULL)
        expectations_forget(controller->pending.expectations, text);
    object_unref(kept);
    key_free(&key);
    return ok;
}

static void stop(void *data)
{
    struct daemonsets *controller = data;
    pods_unfollow(controller->follower);
    owned_free(controller->revisions);
    informer_free(controller->nodes);
    informer_free(controller->informer);
    workqueue_free(controller->queue);
    recorder_free(controller->recorder);
    pending_stop(&controller->pending);
    map_free(&controller->taints);
    map_free(&controller->targets);
    map_free(&controller->failures);
    mem_free(controller);
}

static void *start(const struct place_of_work *place, struct error *err)
{
    static const struct recorder_options options = {.component = "daemonset-controller"};
    struct daemonsets *controller = mem_zero(1, sizeof *controller);
    if (controller == NULL) {
        error_memory(err);
        return NULL;
    }
    controller->place = *place;
    controller->taints = map_make(DAEMONSET_THINGS, free_value);
    controller->targets = map_make(DAEMONSET_THINGS, mem_free);
    controller->failures = map_make(DAEMONSET_THINGS, mem_free);
    if ((controller->recorder = recorder_new(place->client, &options, err)) != NULL && pending_start(&controller->pending, "DaemonSet", place->api->clock, err) &&
        (controller->queue = workqueue_new(place->api->clock, place->api->state, work, controller, err)) != NULL &&
        (controller->informer = informer_new(place->reader, &daemonsets_resource, set_changed, controller, err)) != NULL &&
        (controller->nodes = informer_new(place->reader, &nodes_resource, node_changed, controller, err)) != NULL &&
        (controller->revisions = owned_new(place->reader, &revisions_resource, revision_changed, controller, err)) != NULL &&
        (controller->follower = pods_follow(place->pods, pod_changed, controller, err)) != NULL)
        return controller;
    stop(controller);
    return NULL;
}

const struct controller_type daemonset_controller = {"daemon-set-controller", start, stop};
