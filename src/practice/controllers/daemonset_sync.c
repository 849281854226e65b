/* daemonset_sync.c: a DaemonSet's Pods come to nodes that have none, and go from those where they do not belong, have ended or are too many. */
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/daemonset.h"

enum { DAEMONSET_BURST = 250, FAILURE_FIRST_MS = 1000, FAILURE_LONGEST_MS = 15 * 60 * 1000, FAILURES_KEPT = 1000 };

struct failure {
    int64_t wait_ms, since_ms;
};

bool daemon_is_updated(const struct spread *spread, const struct pod_view *pod)
{
    const char *hash = object_label(pod->object, DAEMONSET_HASH_LABEL), *generation = object_label(pod->object, "pod-template-generation");
    return (hash != NULL && strcmp(hash, spread->hash) == 0) || (generation != NULL && spread->generation != NULL && strcmp(generation, spread->generation) == 0);
}

bool daemon_is_available(const struct spread *spread, const struct pod_view *pod)
{
    return pod_is_available(pod, spread->min_ready_ms, spread->now_ms);
}

/* ---- doing it ---- */

static bool make_one(struct spread *spread, const char *node, struct error *err)
{
    struct value *pod = maker_pod(&spread->maker, spread->template, NULL);
    if (pod == NULL || !daemon_aim(value_get(pod, "spec"), node)) {
        value_free(pod);
        return error_memory(err);
    }
    return maker_create(&spread->maker, pod, err) || maker_namespace_ends(err);
}

/* A few at first, twice as many each time that all went well. */
static bool make_all(struct spread *spread, const struct vec *nodes, size_t count)
{
    size_t done = 0, tried = 0;
    bool ok = true;
    for (size_t batch = 1; ok && tried < count; batch *= 2)
        for (size_t i = 0; i < batch && tried < count; i++, tried++) {
            struct error err = ERROR_INIT;
            bool made = make_one(spread, nodes->items[tried], &err);
            done += made;
            ok = ok && made;
        }
    for (; done < count; done++) /* nobody will tell of those */
        expectations_saw_creation(spread->controller->pending.expectations, spread->key);
    return ok;
}

static bool delete_all(struct spread *spread, const struct vec *deletions, size_t count)
{
    struct pending *pending = &spread->controller->pending;
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        const struct pod_view *pod = deletions->items[i];
        bool noted = pending_will_delete(pending, pod), done = noted && maker_delete(&spread->maker, pod, NULL);
        ok = ok && done;
        if (done)
            continue;
        if (noted)
            pending_did_not_delete(pending, pod);
        expectations_saw_deletion(pending->expectations, spread->key);
    }
    return ok;
}

bool spread_change(struct spread *spread, struct vec *deletions, struct vec *nodes)
{
    size_t delete = deletions->length < DAEMONSET_BURST ? deletions->length : DAEMONSET_BURST, create = nodes->length < DAEMONSET_BURST ? nodes->length : DAEMONSET_BURST;
    if (delete == 0 && create == 0)
        return true;
    if (!expectations_set(spread->controller->pending.expectations, spread->key, (int)create, (int)delete))
        return false;
    bool made = make_all(spread, nodes, create), deleted = delete_all(spread, deletions, delete);
    return made && deleted;
}

/* ---- failed ones ---- */

static bool is_forgotten(const struct spread *spread, const struct failure *failure)
{
    return spread->now_ms - failure->since_ms > 2 * (int64_t)FAILURE_LONGEST_MS;
}

/* Those of long ago are forgotten when there are many. */
static void tidy_failures(struct spread *spread)
{
    struct map *failures = &spread->controller->failures;
    const struct map_entry *entry;
    for (size_t cursor = 0; failures->count > FAILURES_KEPT && (entry = map_next(failures, &cursor)) != NULL;)
        if (is_forgotten(spread, entry->value))
            map_remove(failures, entry->key);
}

/* A Pod that fails again and again is replaced after 1 s, 2 s, 4 s ... wait_ms 0: now. False: no memory. */
static bool wait_for_failure(struct spread *spread, const char *node, int64_t *wait_ms)
{
    struct map *failures = &spread->controller->failures;
    char *key = mem_printf("%s/%lld/%s", spread->uid, (long long)value_find_int(spread->document, 0, "status", "observedGeneration", NULL), node);
    struct failure *failure = key != NULL ? map_get(failures, key) : NULL;
    bool ok = key != NULL;
    *wait_ms = 0;
    if (failure != NULL && spread->now_ms - failure->since_ms < failure->wait_ms) {
        *wait_ms = failure->wait_ms;
    } else if (failure != NULL && !is_forgotten(spread, failure)) {
        *failure = (struct failure){failure->wait_ms * 2 < FAILURE_LONGEST_MS ? failure->wait_ms * 2 : FAILURE_LONGEST_MS, spread->now_ms};
    } else if (ok) {
        tidy_failures(spread);
        failure = mem_zero(1, sizeof *failure);
        if (failure != NULL)
            *failure = (struct failure){FAILURE_FIRST_MS, spread->now_ms};
        ok = failure != NULL && map_set(failures, key, failure);
    }
    mem_free(key);
    return ok;
}

static bool drop_failed(struct spread *spread, const struct ground *ground, const struct pod_view *pod, struct vec *deletions)
{
    struct recorder_about about = recorder_about(spread->document, "apps/v1", "DaemonSet");
    int64_t wait_ms = 0;
    bool failed = pod->phase == POD_FAILED;
    if (failed && !wait_for_failure(spread, ground->name, &wait_ms))
        return false;
    if (wait_ms > 0) {
        workqueue_add_after(spread->controller->queue, spread->key, wait_ms);
        return true;
    }
    recorder_say(spread->controller->recorder, &about, failed, failed ? "FailedDaemonPod" : "SucceededDaemonPod", NULL, "Found %s daemon pod %s/%s on node %s, will try to %s it",
                 failed ? "failed" : "succeeded", pod->object->ns, pod->object->name, ground->name, failed ? "kill" : "delete");
    return vec_push(deletions, (void *)(uintptr_t)pod);
}

/* ---- what belongs where ---- */

static bool drop(struct vec *deletions, const struct pod_view *pod)
{
    return vec_push(deletions, (void *)(uintptr_t)pod);
}

/* Where a new one may stand beside an old one: one of each, and the old one goes when it is not ready or the new one is available. */
static bool thin_surge(const struct spread *spread, const struct ground *ground, struct vec *deletions)
{
    const struct pod_view *fresh = NULL, *old = NULL;
    for (size_t i = 0; i < ground->count; i++) {
        const struct pod_view *pod = ground->daemons[i].pod;
        const char *hash = object_label(pod->object, DAEMONSET_HASH_LABEL);
        const struct pod_view **place = hash != NULL && strcmp(hash, spread->hash) == 0 ? &fresh : &old;
        if (pod->deleting || pod_has_ended(pod))
            continue;
        if (*place == NULL)
            *place = pod;
        else if (!drop(deletions, pod))
            return false;
    }
    bool over = fresh != NULL && old != NULL && (!old->ready || daemon_is_available(spread, fresh));
    return !over || drop(deletions, old);
}

static bool thin(const struct spread *spread, const struct ground *ground, struct vec *deletions)
{
    size_t seen = 0;
    if (spread->surges)
        return thin_surge(spread, ground, deletions);
    for (size_t i = 0; i < ground->count; i++) {
        const struct pod_view *pod = ground->daemons[i].pod;
        if (!pod->deleting && !pod_has_ended(pod) && seen++ > 0 && !drop(deletions, pod))
            return false;
    }
    return true;
}

static bool stand(struct spread *spread, const struct ground *ground, struct vec *deletions, struct vec *nodes)
{
    size_t running = 0;
    for (size_t i = 0; i < ground->count; i++) {
        const struct pod_view *pod = ground->daemons[i].pod;
        if (pod->deleting)
            continue;
        if (pod_has_ended(pod) && !drop_failed(spread, ground, pod, deletions))
            return false;
        running += !pod_has_ended(pod);
    }
    if (running > 1)
        return thin(spread, ground, deletions);
    return running > 0 || !spread->surges || !ground->runs || vec_push(nodes, (void *)(uintptr_t)ground->name);
}

static bool look_at(struct spread *spread, const struct ground *ground, struct vec *deletions, struct vec *nodes)
{
    if (ground->node != NULL && ground->runs && ground->count == 0)
        return vec_push(nodes, (void *)(uintptr_t)ground->name);
    if (ground->node != NULL && ground->stays)
        return stand(spread, ground, deletions, nodes);
    for (size_t i = 0; i < ground->count; i++) { /* of a node that is not there only those that never came there */
        const struct pod_view *pod = ground->daemons[i].pod;
        bool goes = ground->node != NULL ? !pod->deleting : pod->node[0] == '\0';
        if (goes && !drop(deletions, pod))
            return false;
    }
    return true;
}

bool spread_manage(struct spread *spread)
{
    struct vec deletions = vec_make(spread->daemon_count + 1, NULL), nodes = vec_make(spread->ground_count + 1, NULL);
    bool ok = true;
    for (size_t i = 0; i < spread->ground_count && ok; i++)
        ok = look_at(spread, &spread->grounds[i], &deletions, &nodes);
    ok = ok && spread_change(spread, &deletions, &nodes);
    vec_free(&deletions);
    vec_free(&nodes);
    return ok;
}
