/* statefulset.c: StatefulSets have Pods with names of their own (kube-controller-manager's statefulset controller): whom to look at, and which Pods are whose. */
#include "practice/controllers/statefulset.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const struct client_resource statefulsets_resource = {"apps", "v1", "statefulsets"};
static const struct client_resource pods_resource = {"", "v1", "pods"}, claims_resource = {"", "v1", "persistentvolumeclaims"};
enum { ORDINAL_DIGITS = 10, STATEFULSET_REPLICAS = 1000000 };

int64_t member_ordinal(const char *set, const char *name)
{
    size_t length = strlen(set);
    if (strncmp(name, set, length) != 0 || name[length] != '-')
        return -1;
    const char *digits = name + length + 1;
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > ORDINAL_DIGITS || digits[count] != '\0')
        return -1;
    int64_t ordinal = strtoll(digits, NULL, 10);
    return ordinal <= INT32_MAX ? ordinal : -1;
}

/* ---- whom to look at ---- */

static const struct object *set_of(const struct statefulsets *controller, const struct pod_view *pod)
{
    const struct object *set = strcmp(pod->owner_kind, "StatefulSet") == 0 ? informer_get(controller->informer, pod->object->ns, pod->owner_name) : NULL;
    return set != NULL && strcmp(set->uid, pod->owner_uid) == 0 ? set : NULL;
}

static void set_changed(void *data, const struct informer_event *event)
{
    struct statefulsets *controller = data;
    if (event->object != NULL)
        key_add(controller->queue, event->object);
}

/* A Pod that nobody controls, with a name that a set's Pods have: the set looks whether it is its own. */
static void add_namesake(struct statefulsets *controller, const struct object *pod)
{
    const char *dash = strrchr(pod->name, '-');
    char *name = dash != NULL ? mem_string_n(pod->name, (size_t)(dash - pod->name)) : NULL;
    const struct object *set = name != NULL ? informer_get(controller->informer, pod->ns, name) : NULL;
    if (set != NULL)
        key_add(controller->queue, set);
    mem_free(name);
}

static void pod_changed(void *data, const struct pods_event *event)
{
    struct statefulsets *controller = data;
    const struct pod_view *pod = event->pod, *previous = event->previous;
    const struct object *now = pod != NULL ? set_of(controller, pod) : NULL, *was = previous != NULL ? set_of(controller, previous) : NULL;
    pending_observe(&controller->pending, event);
    if (was != NULL)
        key_add(controller->queue, was);
    if (now != NULL && now != was)
        key_add(controller->queue, now);
    if (pod != NULL && pod->owner_uid[0] == '\0' && !pod->deleting)
        add_namesake(controller, pod->object);
}

/* A claim that went with an old Pod held up the new one of that name. */
static void claim_changed(void *data, const struct informer_event *event)
{
    struct statefulsets *controller = data;
    for (const struct object *set = NULL; event->object == NULL && (set = informer_next(controller->informer, event->previous->ns, set)) != NULL;)
        key_add(controller->queue, set);
}

/* Revisions do not call for a look. */
static void revision_changed(void *data, const struct owned_event *event)
{
    (void)data;
    (void)event;
}

/* ---- whose Pods ---- */

static bool belongs(const struct ordering *ordering, const struct label_selector *selector, const struct pod_view *pod)
{
    return member_ordinal(ordering->name, pod->object->name) >= 0 && label_selector_matches(selector, pod->object);
}

/* Lets go what does not belong any more, takes what does and has nobody. waits: something was taken, whose event is to come. False: try again. */
static bool claim_pods(struct ordering *ordering, const struct label_selector *selector, bool *waits)
{
    const struct place_of_work *place = &ordering->controller->place;
    const char *uid = value_find_text(ordering->document, "metadata", "uid", NULL);
    bool ok = true, asked = false;
    if (workload_is_going(ordering->document))
        return true;
    for (const struct pod_view *pod = NULL; (pod = pods_next_owned(place->pods, uid, pod)) != NULL;)
        if (!belongs(ordering, selector, pod))
            ok = maker_release(&ordering->maker, &pods_resource, pod->object, NULL) && ok;
    for (const struct pod_view *pod = NULL; (pod = pods_next_owned(place->pods, "", pod)) != NULL;) {
        if (strcmp(pod->object->ns, ordering->ns) != 0 || pod->deleting || !belongs(ordering, selector, pod))
            continue;
        if (!asked && !maker_may_adopt(&ordering->maker, NULL))
            return false;
        asked = *waits = true;
        struct value *taken = maker_adopt(&ordering->maker, &pods_resource, pod->object, NULL);
        ok = ok && taken != NULL;
        value_free(taken);
    }
    return ok;
}

static int compare_ordinals(const void *a, const void *b)
{
    int64_t left = ((const struct member *)a)->ordinal, right = ((const struct member *)b)->ordinal;
    return left > right ? -1 : left < right;
}

/* Sorts the Pods into those that are wanted and those that are not. False: no memory. */
static bool sort_pods(struct ordering *ordering, const struct label_selector *selector)
{
    const struct pods *pods = ordering->controller->place.pods;
    const char *uid = value_find_text(ordering->document, "metadata", "uid", NULL);
    ordering->replicas = mem_zero((size_t)ordering->wanted + 1, sizeof *ordering->replicas);
    ordering->condemned = mem_zero(pods_count_owned(pods, uid) + 1, sizeof *ordering->condemned);
    if (ordering->replicas == NULL || ordering->condemned == NULL)
        return false;
    for (int64_t i = 0; i < ordering->wanted; i++)
        ordering->replicas[i].ordinal = ordering->start + i;
    for (const struct pod_view *pod = NULL; (pod = pods_next_owned(pods, uid, pod)) != NULL;) {
        const char *revision = object_label(pod->object, STATEFULSET_REVISION_LABEL);
        int64_t ordinal = member_ordinal(ordering->name, pod->object->name);
        struct member member = {ordinal, pod, revision != NULL ? revision : ""};
        if (!belongs(ordering, selector, pod))
            continue;
        if (ordinal >= ordering->start && ordinal < ordering->start + ordering->wanted)
            ordering->replicas[ordinal - ordering->start] = member;
        else
            ordering->condemned[ordering->condemned_count++] = member;
    }
    qsort(ordering->condemned, ordering->condemned_count, sizeof *ordering->condemned, compare_ordinals);
    return true;
}

/* ---- one look ---- */

static bool tell(struct ordering *ordering)
{
    struct error err = ERROR_INIT;
    struct value *status = ordering_status(ordering);
    if (status == NULL || value_equal(status, value_get(ordering->document, "status"))) {
        bool same = status != NULL;
        value_free(status);
        return same;
    }
    struct value *written = workload_write_status(ordering->controller->place.client, &statefulsets_resource, ordering->document, status, &err);
    value_free(written);
    return written != NULL || err.kind == ERROR_NOT_FOUND;
}

/* Comes back when the next Pod has been ready for long enough. */
static void wait_for_available(const struct ordering *ordering, const char *key)
{
    int64_t next = 0;
    for (size_t i = 0; i < (size_t)ordering->wanted + ordering->condemned_count && ordering->min_ready_ms > 0; i++) {
        const struct member *member = i < (size_t)ordering->wanted ? &ordering->replicas[i] : &ordering->condemned[i - (size_t)ordering->wanted];
        int64_t at = member->pod != NULL && member->pod->ready && member->pod->ready_ms != 0 ? member->pod->ready_ms + ordering->min_ready_ms : 0;
        if (at > ordering->now_ms && (next == 0 || at < next))
            next = at;
    }
    if (next != 0)
        workqueue_add_after(ordering->controller->queue, key, next - ordering->now_ms);
}

static bool look(struct ordering *ordering, const char *key, const struct label_selector *selector)
{
    bool waits = false;
    if (!owned_claim(ordering->controller->revisions, &ordering->maker, selector, &ordering->revisions, NULL) || !claim_pods(ordering, selector, &waits))
        return false;
    if (waits)
        return true;
    revisions_sort(&ordering->revisions);
    if (!sort_pods(ordering, selector) || !ordering_find_revisions(ordering))
        return false;
    bool acted = ordering_act(ordering), told = tell(ordering);
    bool noted = (ordering->made == 0 && ordering->deleted == 0) || expectations_set(ordering->controller->pending.expectations, key, ordering->made, ordering->deleted);
    wait_for_available(ordering, key);
    return ordering_trim_revisions(ordering) && acted && told && noted;
}

static bool sync_set(struct statefulsets *controller, const char *key, const struct object *object)
{
    struct value *document = informer_value(controller->informer, object);
    const struct value *spec = value_get(document, "spec");
    const char *policy = value_find_text(spec, "podManagementPolicy", NULL);
    struct label_selector *selector = document != NULL ? label_selector_new(value_get(spec, "selector"), NULL) : NULL;
    struct ordering ordering = {.controller = controller,
                                .document = document,
                                .maker = {.place = &controller->place, .recorder = controller->recorder, .api_version = "apps/v1", .kind = "StatefulSet", .owner = document},
                                .now_ms = client_now_ms(controller->place.client),
                                .min_ready_ms = value_find_int(spec, 0, "minReadySeconds", NULL) * 1000,
                                .name = object->name,
                                .ns = object->ns,
                                .start = value_find_int(spec, 0, "ordinals", "start", NULL),
                                .wanted = value_find_int(spec, 1, "replicas", NULL),
                                .collisions = value_find_int(document, 0, "status", "collisionCount", NULL),
                                .parallel = policy != NULL && strcmp(policy, "Parallel") == 0};
    bool ok = selector != NULL && ordering.wanted <= STATEFULSET_REPLICAS && look(&ordering, key, selector);
    label_selector_free(selector);
    vec_free(&ordering.revisions);
    value_free(ordering.current_template);
    value_free(ordering.update_template);
    mem_free(ordering.replicas);
    mem_free(ordering.condemned);
    value_free(document);
    return ok;
}

static bool work(void *data, const char *text)
{
    struct statefulsets *controller = data;
    struct key key;
    controller->begun = controller->begun || (pods_current(controller->place.pods) && informer_current(controller->informer) && informer_current(controller->claims) &&
                                              informer_current(owned_informer(controller->revisions)));
    if (!controller->begun)
        return false; /* what it does not know of yet it would make again */
    if (strcmp(text, WORKQUEUE_ALL) == 0) {
        queue_all(controller->queue, controller->informer);
        return true;
    }
    if (!key_parse(text, &key))
        return false;
    const struct object *object = informer_get(controller->informer, key.ns, key.name);
    struct object *kept = object != NULL ? object_ref(object) : NULL;
    bool ok = true;
    if (kept == NULL)
        expectations_forget(controller->pending.expectations, text);
    else if (expectations_met(controller->pending.expectations, text)) /* else what it waits for brings it back */
        ok = sync_set(controller, text, kept);
    object_unref(kept);
    key_free(&key);
    return ok;
}

static void stop(void *data)
{
    struct statefulsets *controller = data;
    pods_unfollow(controller->follower);
    owned_free(controller->revisions);
    informer_free(controller->claims);
    informer_free(controller->informer);
    workqueue_free(controller->queue);
    recorder_free(controller->recorder);
    pending_stop(&controller->pending);
    mem_free(controller);
}

static void *start(const struct place_of_work *place, struct error *err)
{
    static const struct recorder_options options = {.component = "statefulset-controller"};
    struct statefulsets *controller = mem_zero(1, sizeof *controller);
    if (controller == NULL) {
        error_memory(err);
        return NULL;
    }
    controller->place = *place;
    if ((controller->recorder = recorder_new(place->client, &options, err)) != NULL &&
        pending_start(&controller->pending, "StatefulSet", place->api->clock, err) &&
        (controller->queue = workqueue_new(place->api->clock, place->api->state, work, controller, err)) != NULL &&
        (controller->informer = informer_new(place->reader, &statefulsets_resource, set_changed, controller, err)) != NULL &&
        (controller->claims = informer_new(place->reader, &claims_resource, claim_changed, controller, err)) != NULL &&
        (controller->revisions = owned_new(place->reader, &revisions_resource, revision_changed, controller, err)) != NULL &&
        (controller->follower = pods_follow(place->pods, pod_changed, controller, err)) != NULL)
        return controller;
    stop(controller);
    return NULL;
}

const struct controller_type statefulset_controller = {"statefulset-controller", start, stop};
