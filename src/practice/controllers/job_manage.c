/* job_manage.c: makes and deletes Pods of a Job that goes on. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/job.h"
#include "practice/controllers/workload.h"

enum { GENERATED_NAME = 58 }; /* of 63, what stands before the five letters */

/* ---- deleting ---- */

bool job_delete_active(struct job_sync *sync, int32_t *deleted)
{
    bool ok = true;
    for (size_t i = 0; i < sync->count; i++) {
        const struct job_pod *pod = &sync->pods[i];
        if (!pod->active)
            continue;
        bool done = maker_delete(&sync->maker, pod->pod, NULL);
        *deleted += done;
        sync->ready -= pod->pod->ready;
        ok = ok && done;
    }
    sync->active -= *deleted;
    sync->terminating += *deleted;
    return ok;
}

/* Which goes first: without a node, not running, not ready, ready or made more recently, often restarted. */
static int by_loss(const void *a, const void *b)
{
    const struct pod_view *left = (*(const struct job_pod *const *)a)->pod, *right = (*(const struct job_pod *const *)b)->pod;
    if ((left->node[0] == '\0') != (right->node[0] == '\0'))
        return left->node[0] == '\0' ? -1 : 1;
    if (left->phase != right->phase && (left->phase == POD_PENDING || right->phase == POD_PENDING))
        return left->phase == POD_PENDING ? -1 : 1;
    if (left->ready != right->ready)
        return left->ready ? 1 : -1;
    if (left->ready && left->ready_ms != right->ready_ms)
        return left->ready_ms > right->ready_ms ? -1 : 1;
    if (left->restarts != right->restarts)
        return left->restarts > right->restarts ? -1 : 1;
    return left->created_ms > right->created_ms ? -1 : left->created_ms < right->created_ms;
}

/* Puts those to the front that may not be: without an index, with one beyond the end, or with another's. How many. */
static size_t front_of_doubles(const struct job_sync *sync, const struct job_pod **list, size_t count)
{
    const struct job_pod **kept = mem_zero(count + 1, sizeof *kept);
    size_t front = 0, left = 0;
    if (kept == NULL)
        return 0; /* the next look finds them */
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && list[end]->facts->index == list[i]->facts->index;)
            end++;
        qsort(&list[i], end - i, sizeof *list, by_loss);
        if (job_counts_index(sync, list[i]))
            kept[left++] = list[end - 1];
        for (size_t k = i; k < end - (job_counts_index(sync, list[i]) ? 1 : 0); k++)
            list[front++] = list[k];
    }
    memcpy(&list[front], kept, left * sizeof *list);
    mem_free(kept);
    return front;
}

static bool delete_one(struct job_sync *sync, const struct job_pod *pod)
{
    struct pending *pending = &sync->jobs->pending;
    bool noted = pending_will_delete(pending, pod->pod);
    if (noted && job_release_pod(sync->jobs, pod->pod) && maker_delete(&sync->maker, pod->pod, NULL)) {
        sync->active--;
        sync->terminating++;
        sync->ready -= pod->pod->ready;
        return true;
    }
    if (noted)
        pending_did_not_delete(pending, pod->pod);
    expectations_saw_deletion(pending->expectations, sync->key);
    return false;
}

/* At least so many active ones. *any: some are to be deleted. */
static bool delete_surplus(struct job_sync *sync, size_t least, bool *any)
{
    const struct job_pod **list = mem_zero(sync->count + 1, sizeof *list);
    size_t count = 0;
    if (list == NULL)
        return false;
    for (size_t i = 0; i < sync->count; i++)
        if (sync->pods[i].active)
            list[count++] = &sync->pods[i];
    size_t number = sync->indexed ? front_of_doubles(sync, list, count) : 0;
    if (number < least) {
        qsort(&list[number], count - number, sizeof *list, by_loss);
        number = least;
    }
    if (number > JOB_PODS_AT_ONCE && !sync->suspended)
        number = JOB_PODS_AT_ONCE;
    *any = number > 0;
    bool ok = number == 0 || expectations_set(sync->jobs->pending.expectations, sync->key, 0, (int)number);
    bool all = ok;
    for (size_t i = 0; i < number && ok; i++)
        all = delete_one(sync, list[i]) && all;
    mem_free(list);
    return all;
}

/* ---- making ---- */

static bool add_index_variable(struct value *containers)
{
    bool ok = true;
    for (struct value *container = value_first(containers); container != NULL && ok; container = value_next(container)) {
        bool there = false;
        for (const struct value *entry = value_first(value_get(container, "env")); entry != NULL; entry = value_next(entry)) {
            const char *name = value_find_text(entry, "name", NULL);
            there = there || (name != NULL && strcmp(name, "JOB_COMPLETION_INDEX") == 0);
        }
        if (there)
            continue;
        if (value_get(container, "env") == NULL && !value_set(container, "env", value_array()))
            return false;
        struct value *entry = value_object(), *from = entry != NULL && value_set(entry, "name", value_string("JOB_COMPLETION_INDEX")) ? value_child(entry, "valueFrom") : NULL,
                     *field = from != NULL ? value_child(from, "fieldRef") : NULL;
        ok = field != NULL && value_set(field, "fieldPath", value_string("metadata.labels['" JOB_INDEX "']"));
        if (ok)
            ok = value_append(value_get(container, "env"), entry);
        else
            value_free(entry);
    }
    return ok;
}

static bool annotate_number(struct value *pod, const char *key, int64_t number)
{
    char *text = mem_printf("%lld", (long long)number);
    bool ok = text != NULL && workload_annotate(pod, key, text);
    mem_free(text);
    return ok;
}

/* How often its index failed, from the Pod that it replaces. */
static bool add_failures(const struct job_sync *sync, struct value *pod, int64_t index)
{
    const struct job_pod *replaced = job_delayed(sync, index);
    int32_t failures = replaced != NULL ? replaced->facts->failures : 0, ignored = replaced != NULL ? replaced->facts->ignored : 0;
    if (replaced != NULL && replaced->facts->match.action == JOB_IGNORE)
        ignored++;
    else if (replaced != NULL)
        failures++;
    return annotate_number(pod, JOB_INDEX_FAILURES, failures) && (ignored == 0 || annotate_number(pod, JOB_INDEX_IGNORED, ignored));
}

static bool add_index(const struct job_sync *sync, struct value *pod, int64_t index)
{
    const char *name = value_find_text(sync->job, "metadata", "name", NULL);
    struct value *metadata = value_child(pod, "metadata"), *labels = metadata != NULL ? value_child(metadata, "labels") : NULL, *spec = value_get(pod, "spec");
    char *tail = mem_printf("-%lld-", (long long)index), *number = mem_printf("%lld", (long long)index), *hostname = mem_printf("%s-%lld", name, (long long)index);
    bool ok = labels != NULL && tail != NULL && number != NULL && hostname != NULL && workload_annotate(pod, JOB_INDEX, number) && value_set(labels, JOB_INDEX, value_string(number)) &&
              value_set(spec, "hostname", value_string(hostname)) && add_index_variable(value_get(spec, "initContainers")) && add_index_variable(value_get(spec, "containers")) &&
              (!sync->per_index || add_failures(sync, pod, index));
    if (ok) {
        size_t room = GENERATED_NAME - strlen(tail), length = strlen(name) < room ? strlen(name) : room;
        char *prefix = mem_printf("%.*s%s", (int)length, name, tail);
        ok = prefix != NULL && value_set(metadata, "generateName", value_string(prefix));
        mem_free(prefix);
    }
    mem_free(tail);
    mem_free(number);
    mem_free(hostname);
    return ok;
}

static bool add_finalizer(struct value *pod)
{
    struct value *metadata = value_get(pod, "metadata");
    if (job_has_finalizer(pod))
        return true;
    if (value_get(metadata, "finalizers") == NULL && !value_set(metadata, "finalizers", value_array()))
        return false;
    return value_append(value_get(metadata, "finalizers"), value_string(JOB_TRACKING));
}

/* index -1: none. */
static bool make_one(struct job_sync *sync, int64_t index, struct error *err)
{
    struct value *pod = maker_pod(&sync->maker, value_get(sync->spec, "template"), NULL);
    if (pod == NULL || !add_finalizer(pod) || (index >= 0 && !add_index(sync, pod, index))) {
        value_free(pod);
        return error_memory(err);
    }
    return maker_create(&sync->maker, pod, err) || maker_namespace_ends(err);
}

/* A few at first, twice as many each time that all went well. indexes NULL: without. */
static bool make_pods(struct job_sync *sync, const int64_t *indexes, int32_t number)
{
    struct expectations *expectations = sync->jobs->pending.expectations;
    int32_t made = 0, tried = 0;
    bool ok = number == 0 || expectations_set(expectations, sync->key, number, 0);
    if (!ok)
        return false;
    for (int32_t batch = 1; ok && tried < number; batch *= 2)
        for (int32_t i = 0; i < batch && tried < number; i++, tried++) {
            struct error why = ERROR_INIT;
            bool done = make_one(sync, indexes != NULL ? indexes[tried] : -1, &why);
            made += done;
            ok = ok && done;
        }
    sync->active += made;
    for (; made < number; made++) /* nobody will tell of those */
        expectations_saw_creation(expectations, sync->key);
    return ok;
}

/* The first `number` indexes that have no Pod and are not done with. False: no memory. */
static bool pending_indexes(const struct job_sync *sync, int64_t *indexes, int32_t *number)
{
    struct job_indexes taken = {0};
    bool ok = job_indexes_add_all(&taken, &sync->done) && job_indexes_add_all(&taken, &sync->lost);
    for (size_t i = 0; i < sync->count && ok; i++)
        if (sync->pods[i].facts->index >= 0 && (sync->pods[i].active || (sync->failed_only && sync->pods[i].terminating)))
            ok = job_indexes_add(&taken, sync->pods[i].facts->index);
    int32_t found = 0;
    int64_t index = 0;
    for (size_t i = 0; i <= taken.count && ok; i++) {
        int64_t end = i < taken.count ? taken.ranges[i].first : sync->completions;
        for (; index < end && index < sync->completions && found < *number; index++)
            indexes[found++] = index;
        if (i < taken.count)
            index = taken.ranges[i].last + 1;
    }
    *number = found;
    job_indexes_free(&taken);
    return ok;
}

/* Keeps those whose own back-off is over; *wait_ms: of the others the shortest, where none is left. */
static void drop_backing_off(const struct job_sync *sync, int64_t *indexes, int32_t *number, int64_t *wait_ms)
{
    int32_t left = 0;
    for (int32_t i = 0; i < *number; i++) {
        const struct job_pod *pod = job_delayed(sync, indexes[i]);
        struct job_failures failures = pod != NULL ? (struct job_failures){pod->facts->failures + pod->facts->ignored + 1, pod->facts->finished_ms} : (struct job_failures){0};
        int64_t wait = job_backoff_left(&failures, sync->now_ms);
        if (wait == 0)
            indexes[left++] = indexes[i];
        else if (*wait_ms == 0 || wait < *wait_ms)
            *wait_ms = wait;
    }
    if (left > 0)
        *wait_ms = 0;
    *number = left;
}

static void come_back(const struct job_sync *sync, int64_t ms)
{
    workqueue_add_after(sync->jobs->queue, sync->key, ms < JOB_BATCH_MS ? JOB_BATCH_MS : ms);
}

static bool make_missing(struct job_sync *sync, int32_t number)
{
    int64_t wait_ms = sync->per_index ? 0 : job_backoff_left(&sync->failures, sync->now_ms);
    if (wait_ms > 0) {
        come_back(sync, wait_ms);
        return true;
    }
    if (number > JOB_PODS_AT_ONCE)
        number = JOB_PODS_AT_ONCE;
    if (!sync->indexed)
        return make_pods(sync, NULL, number);
    int64_t *indexes = mem_zero((size_t)number, sizeof *indexes);
    bool ok = indexes != NULL && pending_indexes(sync, indexes, &number);
    if (ok && sync->per_index)
        drop_backing_off(sync, indexes, &number, &wait_ms);
    if (wait_ms > 0)
        come_back(sync, wait_ms);
    else
        ok = ok && make_pods(sync, indexes, number);
    mem_free(indexes);
    return ok;
}

bool job_manage(struct job_sync *sync)
{
    bool any = false;
    if (sync->suspended)
        return delete_surplus(sync, (size_t)sync->active, &any);
    int64_t wanted = sync->parallelism;
    if (sync->completions < 0 && sync->succeeded > 0)
        wanted = sync->active; /* what runs may run */
    else if (sync->completions >= 0 && wanted > sync->completions - sync->succeeded)
        wanted = sync->completions > sync->succeeded ? sync->completions - sync->succeeded : 0;
    bool ok = delete_surplus(sync, sync->active > wanted ? (size_t)(sync->active - wanted) : 0, &any);
    if (any || !ok)
        return ok;
    int64_t missing = wanted - sync->active - (sync->failed_only ? sync->terminating : 0);
    return missing <= 0 || make_missing(sync, (int32_t)missing);
}
