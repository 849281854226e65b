#include "practice/scheduler/scheduler.h"

#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/scheduler/internal.h"
#include "practice/work/keys.h"

/* Who found no place is tried again when something changed that may help, not before its back-off is over; and after five
 * minutes in any case. */
enum { BACKOFF_FIRST_MS = 1000, BACKOFF_MOST_MS = 10000, FLUSH_MS = 5 * 60 * 1000 };

const struct client_resource scheduler_pods = {"", "v1", "pods"};
static const struct client_resource budgets_of = {"policy", "v1", "poddisruptionbudgets"};
static const char wake_key[] = "wake"; /* Pods' keys have a slash */

struct waiting {
    unsigned helps;   /* which changes may */
    unsigned pending; /* that came */
    int32_t priority;
    int attempts;
    int64_t tried_ms;
};

static int64_t now_ms(const struct scheduler *scheduler)
{
    return client_now_ms(scheduler->place.client);
}

void scheduler_wake(struct scheduler *scheduler, unsigned changed)
{
    bool any = false;
    size_t cursor = 0;
    if (scheduler->waiting.count == 0)
        return;
    for (const struct map_entry *entry; (entry = map_next(&scheduler->waiting, &cursor)) != NULL;) {
        struct waiting *waiting = entry->value;
        waiting->pending |= changed & waiting->helps;
        any = any || waiting->pending != 0;
    }
    if (any)
        workqueue_add(scheduler->queue, wake_key);
}

struct woken {
    const char *key;
    const struct waiting *waiting;
};

static int by_priority(const void *a, const void *b)
{
    const struct waiting *left = ((const struct woken *)a)->waiting, *right = ((const struct woken *)b)->waiting;
    if (left->priority != right->priority)
        return left->priority > right->priority ? -1 : 1;
    return left->tried_ms < right->tried_ms ? -1 : left->tried_ms > right->tried_ms;
}

/* Those whom the changes may help, the most important ones first. */
static bool wake_all(struct scheduler *scheduler)
{
    struct vec woken = vec_make(SCHEDULER_PODS, mem_free);
    int64_t now = now_ms(scheduler);
    bool ok = true;
    size_t cursor = 0;
    for (const struct map_entry *entry; ok && (entry = map_next(&scheduler->waiting, &cursor)) != NULL;) {
        struct waiting *waiting = entry->value;
        struct woken *one = waiting->pending != 0 ? mem_zero(1, sizeof *one) : NULL;
        if (waiting->pending == 0)
            continue;
        ok = one != NULL;
        if (ok) {
            *one = (struct woken){entry->key, waiting};
            ok = vec_push(&woken, one);
        }
    }
    vec_sort(&woken, by_priority);
    for (size_t i = 0; ok && i < woken.length; i++) {
        const struct woken *one = woken.items[i];
        int64_t wait = (int64_t)BACKOFF_FIRST_MS << (one->waiting->attempts < 5 ? one->waiting->attempts - 1 : 4), left = 0;
        left = one->waiting->tried_ms + (wait < BACKOFF_MOST_MS ? wait : BACKOFF_MOST_MS) - now;
        workqueue_add_after(scheduler->queue, one->key, left > 0 ? left : 0);
    }
    vec_free(&woken);
    return ok;
}

/* ---- what comes out ---- */

static const struct value *condition_of(const struct value *pod, const char *type)
{
    for (const struct value *item = value_first(value_find(pod, "status", "conditions", NULL)); item != NULL;
         item = value_next(item)) {
        const char *has = value_find_text(item, "type", NULL);
        if (has != NULL && strcmp(has, type) == 0)
            return item;
    }
    return NULL;
}

static bool says(const struct value *object, const char *key, const char *wanted)
{
    const char *text = value_find_text(object, key, NULL);
    return strcmp(text != NULL ? text : "", wanted) == 0;
}

/* PodScheduled False, and the node that was promised (NULL: as it was). */
static bool tell(struct scheduler *scheduler, const struct wish *wish, const char *message, const char *nominated)
{
    const struct value *old = condition_of(wish->document, "PodScheduled");
    const char *promised = value_find_text(wish->document, "status", "nominatedNodeName", NULL);
    int64_t generation = value_find_int(wish->document, 0, "metadata", "generation", NULL);
    if (old != NULL && says(old, "reason", "Unschedulable") && says(old, "message", message) &&
        value_find_int(old, 0, "observedGeneration", NULL) == generation &&
        (nominated == NULL || (promised != NULL && strcmp(promised, nominated) == 0)))
        return true;
    char now[21];
    const char *since = old != NULL && says(old, "status", "False") ? value_find_text(old, "lastTransitionTime", NULL) : NULL;
    struct value *patch = value_object(), *status = value_object(), *conditions = value_array(), *condition = value_object();
    time_print(now_ms(scheduler), now);
    bool ok = condition != NULL && value_set(condition, "type", value_string("PodScheduled")) &&
              value_set(condition, "observedGeneration", value_int(generation)) &&
              value_set(condition, "status", value_string("False")) &&
              value_set(condition, "reason", value_string("Unschedulable")) &&
              value_set(condition, "message", value_string(message)) && value_set(condition, "lastProbeTime", value_null()) &&
              value_set(condition, "lastTransitionTime", value_string(since != NULL ? since : now));
    ok = value_append(conditions, condition) && ok;
    ok = value_set(status, "conditions", conditions) && ok;
    ok = ok && (nominated == NULL || value_set(status, "nominatedNodeName", value_string(nominated)));
    ok = value_set(patch, "status", status) && ok;
    if (!ok) {
        value_free(patch);
        return false;
    }
    struct error err = ERROR_INIT;
    struct value *done =
        client_patch(scheduler->place.client, &scheduler_pods, "status", wish->ns, wish->name, PATCH_STRATEGIC, patch, &err);
    value_free(done);
    return done != NULL || err.kind == ERROR_NOT_FOUND;
}

/* Which changes may help: taking Pods away does not give a node a label. */
static unsigned helps(const struct wish *wish, const struct map *refusals)
{
    bool room = false;
    size_t cursor = 0;
    for (const struct map_entry *entry; (entry = map_next(refusals, &cursor)) != NULL;)
        room = room || !((const struct refusal *)entry->value)->hopeless;
    bool neighbourly = wish->near.length + wish->apart.length + wish->spread.length > 0;
    return CHANGED_NODE | CHANGED_VOLUME | (room || neighbourly ? CHANGED_ROOM : 0) | (neighbourly ? CHANGED_POD : 0);
}

static bool wait_for_change(struct scheduler *scheduler, const char *key, const struct wish *wish, const struct map *refusals)
{
    struct waiting *waiting = map_get(&scheduler->waiting, key);
    if (waiting == NULL) {
        waiting = mem_zero(1, sizeof *waiting);
        if (waiting == NULL || !map_set(&scheduler->waiting, key, waiting))
            return false;
    }
    waiting->helps = helps(wish, refusals);
    waiting->pending = 0;
    waiting->priority = wish->priority;
    waiting->attempts++;
    waiting->tried_ms = now_ms(scheduler);
    workqueue_add_after(scheduler->queue, key, FLUSH_MS);
    return true;
}

static bool found_none(struct scheduler *scheduler, const char *key, const struct wish *wish, char *why,
                       const struct map *refusals)
{
    char *message = NULL, *nominated = NULL, *whole = NULL;
    if (why == NULL)
        return false; /* no memory */
    if (refusals->count > 0) {
        nominated = preempt(scheduler, wish, refusals, &message);
        whole = message != NULL ? mem_printf("%s preemption: %s", why, message) : mem_string(why);
    } else {
        whole = mem_string(why);
    }
    mem_free(message);
    bool ok = whole != NULL && wait_for_change(scheduler, key, wish, refusals);
    if (ok) {
        const struct recorder_about about = recorder_about(wish->document, "v1", "Pod");
        recorder_say(scheduler->recorder, &about, true, "FailedScheduling", "Scheduling", "%s", whole);
        ok = tell(scheduler, wish, whole, nominated);
    }
    mem_free(whole);
    mem_free(nominated);
    return ok;
}

static struct value *binding_of(const struct wish *wish, const char *node)
{
    struct value *binding = value_object(), *metadata = value_object(), *target = value_object();
    bool ok = metadata != NULL && value_set(metadata, "name", value_string(wish->name)) &&
              value_set(metadata, "namespace", value_string(wish->ns)) && value_set(metadata, "uid", value_string(wish->uid));
    ok = ok && target != NULL && value_set(target, "kind", value_string("Node")) &&
         value_set(target, "name", value_string(node));
    ok = value_set(binding, "metadata", metadata) && ok;
    ok = value_set(binding, "target", target) && ok;
    if (ok)
        return binding;
    value_free(binding);
    return NULL;
}

static bool bind(struct scheduler *scheduler, const char *key, const struct wish *wish, struct node *node)
{
    struct error err = ERROR_INIT;
    if (!claims_bind(scheduler->volumes, scheduler->place.client, wish, node)) {
        const struct map none = map_make(1, NULL);
        return wait_for_change(scheduler, key, wish, &none); /* for its volumes */
    }
    struct value *binding = binding_of(wish, node->name);
    if (binding == NULL || !cluster_assume(&scheduler->cluster, wish, node)) {
        value_free(binding);
        return false;
    }
    struct value *done =
        client_create_sub(scheduler->place.client, &scheduler_pods, "binding", wish->ns, wish->name, binding, &err);
    if (done == NULL) {
        cluster_forget(&scheduler->cluster, wish->uid);
        return err.kind == ERROR_NOT_FOUND || err.kind == ERROR_CONFLICT; /* gone, or somebody else was quicker */
    }
    value_free(done);
    map_remove(&scheduler->waiting, key);
    const struct recorder_about about = recorder_about(wish->document, "v1", "Pod");
    recorder_say(scheduler->recorder, &about, false, "Scheduled", "Binding", "Successfully assigned %s/%s to %s", wish->ns,
                 wish->name, node->name);
    return true;
}

static bool schedule(struct scheduler *scheduler, const char *key, const struct pod_view *pod)
{
    struct map refusals = map_make(SCHEDULER_NODES, mem_free);
    struct value *document = pods_value(scheduler->place.pods, pod);
    struct wish *wish = document != NULL ? wish_new(document) : NULL;
    char *why = NULL;
    bool ok = wish != NULL;
    if (ok) {
        struct node *node = choose(scheduler, wish, &why, &refusals);
        ok = node != NULL ? bind(scheduler, key, wish, node) : found_none(scheduler, key, wish, why, &refusals);
    }
    mem_free(why);
    wish_free(wish);
    map_free(&refusals);
    return ok;
}

/* ---- the queue ---- */

static bool is_ours(const struct pod_view *pod)
{
    return pod->node[0] == '\0' && strcmp(pod->scheduler, "default-scheduler") == 0 && !pod->gated && !pod->deleting &&
           !pod_has_ended(pod);
}

static bool work(void *data, const char *text)
{
    struct scheduler *scheduler = data;
    struct key key;
    if (strcmp(text, wake_key) == 0)
        return wake_all(scheduler);
    if (strcmp(text, WORKQUEUE_ALL) == 0) {
        for (const struct pod_view *pod = NULL; (pod = pods_next_on(scheduler->place.pods, "", pod)) != NULL;)
            if (is_ours(pod))
                key_add(scheduler->queue, pod->object);
        return true;
    }
    if (!pods_current(scheduler->place.pods) ||
        !informer_current(scheduler->cluster.informer)) { /* who is where is not known yet */
        workqueue_add_after(scheduler->queue, text, 1);
        return true;
    }
    if (!key_parse(text, &key))
        return false;
    const struct pod_view *pod = pods_get(scheduler->place.pods, key.ns, key.name);
    bool ok = true;
    if (pod == NULL || !is_ours(pod))
        map_remove(&scheduler->waiting, text);
    else if (!map_has(&scheduler->cluster.placed, pod->object->uid)) /* it was given a node, its event is on the way */
        ok = schedule(scheduler, text, pod);
    key_free(&key);
    return ok;
}

static void pod_changed(void *data, const struct pods_event *event)
{
    struct scheduler *scheduler = data;
    const struct pod_view *pod = event->pod, *was = event->previous;
    if (pod == NULL) {
        char *key = mem_printf("%s/%s", was->object->ns, was->object->name);
        if (key != NULL && scheduler->waiting.count > 0)
            map_remove(&scheduler->waiting, key);
        mem_free(key);
    } else if (is_ours(pod)) {
        const int64_t generation = value_find_int(event->document, 0, "metadata", "generation", NULL);
        const struct value *told = condition_of(event->document, "PodScheduled");
        if (was == NULL || !is_ours(was) || told == NULL ||
            value_find_int(told, generation, "observedGeneration", NULL) != generation) /* new, or what it wants changed */
            key_add(scheduler->queue, pod->object);
    }
}

static void nothing(void *data, const struct informer_event *event)
{
    (void)data;
    (void)event;
}

struct scheduler *scheduler_new(const struct place_of_work *place, struct error *err)
{
    struct scheduler *scheduler = mem_zero(1, sizeof *scheduler);
    if (scheduler == NULL) {
        error_memory(err);
        return NULL;
    }
    scheduler->waiting = map_make(SCHEDULER_PODS, mem_free);
    const struct recorder_options events = {.component = "default-scheduler", .modern = true};
    scheduler->random = (uint32_t)cluster_clock_ms(place->api->clock);
    if (place_for(place, "system:kube-scheduler", "kube-scheduler", &scheduler->place, err) &&
        (scheduler->recorder = recorder_new(scheduler->place.client, &events, err)) != NULL &&
        (scheduler->queue = workqueue_new(place->api->clock, place->api->state, work, scheduler, err)) != NULL &&
        (scheduler->volumes = claims_new(scheduler, place, err)) != NULL &&
        (scheduler->budgets = informer_new(place->reader, &budgets_of, nothing, NULL, err)) != NULL &&
        cluster_start(&scheduler->cluster, scheduler, place, err) &&
        (scheduler->follower = pods_follow(place->pods, pod_changed, scheduler, err)) != NULL)
        return scheduler;
    scheduler_free(scheduler);
    return NULL;
}

void scheduler_free(struct scheduler *scheduler)
{
    if (scheduler == NULL)
        return;
    pods_unfollow(scheduler->follower);
    cluster_stop(&scheduler->cluster);
    claims_free(scheduler->volumes);
    informer_free(scheduler->budgets);
    workqueue_free(scheduler->queue);
    recorder_free(scheduler->recorder);
    map_free(&scheduler->waiting);
    client_free(scheduler->place.client);
    mem_free(scheduler);
}
