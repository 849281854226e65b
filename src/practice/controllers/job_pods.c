/* job_pods.c: the Pods of a Job and what each counts as. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/job.h"
#include "practice/controllers/workload.h"

enum { BACKOFF_FIRST_MS = 10 * 1000, BACKOFF_MOST_MS = 10 * 60 * 1000 };

void job_facts_free(void *data)
{
    struct job_facts *facts = data;
    mem_free(facts->match.message);
    mem_free(facts);
}

bool job_has_finalizer(const struct value *pod)
{
    for (const struct value *entry = value_first(value_find(pod, "metadata", "finalizers", NULL)); entry != NULL; entry = value_next(entry))
        if (value_text(entry) != NULL && strcmp(value_text(entry), JOB_TRACKING) == 0)
            return true;
    return false;
}

/* ---- what a document says ---- */

static int64_t number_of(const struct value *pod, const char *annotation, int64_t otherwise)
{
    const char *text = workload_annotation(pod, annotation);
    char *end;
    if (text == NULL || *text == '\0')
        return otherwise;
    long number = strtol(text, &end, 10);
    return *end == '\0' && number >= 0 && number <= INT32_MAX ? number : otherwise;
}

static bool is_sidecar(const struct value *pod, const char *name)
{
    for (const struct value *entry = value_first(value_find(pod, "spec", "initContainers", NULL)); entry != NULL; entry = value_next(entry)) {
        const char *its = value_find_text(entry, "name", NULL), *policy = value_find_text(entry, "restartPolicy", NULL);
        if (its != NULL && name != NULL && strcmp(its, name) == 0)
            return policy != NULL && strcmp(policy, "Always") == 0;
    }
    return false;
}

/* When the last of the containers ended; 0: not all of them did. */
static int64_t ended_of(const struct value *pod, const char *list, int64_t since_ms)
{
    for (const struct value *entry = value_first(value_find(pod, "status", list, NULL)); entry != NULL; entry = value_next(entry)) {
        int64_t ms = workload_time(value_find(entry, "state", "terminated", "finishedAt", NULL));
        if (list[0] == 'i' && !is_sidecar(pod, value_find_text(entry, "name", NULL)))
            continue;
        if (ms == 0)
            return 0;
        since_ms = ms > since_ms ? ms : since_ms;
    }
    return since_ms;
}

static int64_t finished_of(const struct value *pod)
{
    int64_t ms = ended_of(pod, "containerStatuses", 0);
    ms = ended_of(pod, "initContainerStatuses", ms);
    if (ms != 0)
        return ms;
    const struct value *ready = condition_find(value_get(pod, "status"), "Ready");
    const char *status = value_find_text(ready, "status", NULL);
    if (status != NULL && strcmp(status, "False") == 0 && (ms = workload_time(value_get(ready, "lastTransitionTime"))) != 0)
        return ms;
    if ((ms = workload_time(value_find(pod, "metadata", "deletionTimestamp", NULL))) != 0)
        return ms - value_find_int(pod, 0, "metadata", "deletionGracePeriodSeconds", NULL) * 1000;
    return workload_time(value_find(pod, "metadata", "creationTimestamp", NULL));
}

/* NULL: no memory. */
static const struct job_facts *facts_of(const struct job_sync *sync, const struct pod_view *pod)
{
    struct jobs *jobs = sync->jobs;
    struct job_facts *facts = map_get(&jobs->facts, pod->object->uid);
    if (facts != NULL && facts->version == pod->object->version)
        return facts;
    struct value *document = pods_value(jobs->place.pods, pod);
    facts = document != NULL ? mem_zero(1, sizeof *facts) : NULL;
    bool ok = facts != NULL;
    if (ok) {
        *facts = (struct job_facts){.version = pod->object->version,
                                    .finalizer = job_has_finalizer(document),
                                    .index = number_of(document, JOB_INDEX, -1),
                                    .failures = (int32_t)number_of(document, JOB_INDEX_FAILURES, 0),
                                    .ignored = (int32_t)number_of(document, JOB_INDEX_IGNORED, 0),
                                    .finished_ms = finished_of(document)};
        ok = job_policy_match(value_get(sync->spec, "podFailurePolicy"), document, &facts->match);
        if (!ok)
            job_facts_free(facts);
    }
    value_free(document);
    return ok && map_set(&jobs->facts, pod->object->uid, facts) ? facts : NULL;
}

/* ---- all of them ---- */

bool job_counts_index(const struct job_sync *sync, const struct job_pod *pod)
{
    return !sync->indexed || (pod->facts->index >= 0 && pod->facts->index < sync->completions);
}

static int by_index(const void *a, const void *b)
{
    const struct job_pod *left = a, *right = b;
    if (left->facts->index != right->facts->index)
        return left->facts->index < right->facts->index ? -1 : 1;
    return strcmp(left->pod->object->name, right->pod->object->name);
}

static bool note_uids(const struct value *status, const char *key, struct map *uids)
{
    *uids = map_make(JOB_MAXIMUM, NULL);
    for (const struct value *entry = value_first(value_find(status, "uncountedTerminatedPods", key, NULL)); entry != NULL; entry = value_next(entry))
        if (value_text(entry) != NULL && !map_set(uids, value_text(entry), uids))
            return false;
    return true;
}

/* The back-off starts anew with each Pod that succeeds. */
static void count_failures(struct job_sync *sync)
{
    int64_t success_ms = 0;
    for (size_t i = 0; i < sync->count; i++) {
        const struct job_pod *pod = &sync->pods[i];
        if (pod->tracked && pod->pod->phase == POD_SUCCEEDED && !map_has(&sync->uncounted_succeeded, pod->pod->object->uid) && job_counts_index(sync, pod) &&
            pod->facts->finished_ms > success_ms)
            success_ms = pod->facts->finished_ms;
    }
    if (success_ms != 0)
        sync->failures = (struct job_failures){0};
    int64_t last_ms = 0;
    for (size_t i = 0; i < sync->count; i++) {
        const struct job_pod *pod = &sync->pods[i];
        if (!pod->tracked || !pod->failed || map_has(&sync->uncounted_failed, pod->pod->object->uid) || !job_counts_index(sync, pod) || pod->facts->finished_ms <= success_ms)
            continue;
        sync->failures.count++;
        if (pod->facts->finished_ms > last_ms)
            sync->failures.last_ms = last_ms = pod->facts->finished_ms;
    }
}

static void count_pods(struct job_sync *sync)
{
    const struct value *status = value_get(sync->document, "status");
    sync->succeeded = (int32_t)(value_find_int(status, 0, "succeeded", NULL) + (int64_t)sync->uncounted_succeeded.count);
    sync->failed = (int32_t)(value_find_int(status, 0, "failed", NULL) + (int64_t)sync->uncounted_failed.count);
    for (size_t i = 0; i < sync->count; i++) {
        const struct job_pod *pod = &sync->pods[i];
        const char *uid = pod->pod->object->uid;
        sync->active += pod->active;
        sync->ready += pod->active && pod->pod->ready;
        sync->terminating += pod->terminating;
        if (!pod->tracked || !job_counts_index(sync, pod))
            continue;
        sync->succeeded += pod->pod->phase == POD_SUCCEEDED && !map_has(&sync->uncounted_succeeded, uid);
        sync->failed += pod->failed && pod->facts->match.action != JOB_IGNORE && !map_has(&sync->uncounted_failed, uid);
    }
    count_failures(sync);
}

bool job_gather(struct job_sync *sync)
{
    const struct pods *pods = sync->jobs->place.pods;
    const char *uid = value_find_text(sync->job, "metadata", "uid", NULL);
    const struct value *status = value_get(sync->document, "status");
    sync->pods = mem_zero(pods_count_owned(pods, uid) + 1, sizeof *sync->pods);
    if (sync->pods == NULL || !note_uids(status, "succeeded", &sync->uncounted_succeeded) || !note_uids(status, "failed", &sync->uncounted_failed))
        return false;
    for (const struct pod_view *pod = NULL; (pod = pods_next_owned(pods, uid, pod)) != NULL;) {
        const struct job_facts *facts = label_selector_matches(sync->selector, pod->object) ? facts_of(sync, pod) : NULL;
        if (!label_selector_matches(sync->selector, pod->object))
            continue;
        if (facts == NULL)
            return false;
        sync->pods[sync->count++] = (struct job_pod){.pod = pod,
                                                     .facts = facts,
                                                     .tracked = facts->finalizer && !map_has(&sync->jobs->released, pod->object->uid),
                                                     .failed = pod->phase == POD_FAILED || (!sync->failed_only && pod->deleting && pod->phase != POD_SUCCEEDED),
                                                     .active = pod_is_active(pod),
                                                     .terminating = pod->deleting && !pod_has_ended(pod)};
    }
    if (sync->indexed)
        qsort(sync->pods, sync->count, sizeof *sync->pods, by_index);
    count_pods(sync);
    return true;
}

/* ---- back-off ---- */

int64_t job_backoff_left(const struct job_failures *failures, int64_t now_ms)
{
    if (failures->count == 0)
        return 0;
    int64_t wait = BACKOFF_FIRST_MS;
    for (int32_t i = 1; i < failures->count && wait < BACKOFF_MOST_MS; i++)
        wait = wait * 2 < BACKOFF_MOST_MS ? wait * 2 : BACKOFF_MOST_MS;
    int64_t left = failures->last_ms + wait - now_ms;
    return left > 0 ? left : 0;
}

struct job_pod *job_delayed(const struct job_sync *sync, int64_t index)
{
    for (size_t i = 0; i < sync->delayed_count; i++)
        if (sync->delayed[i]->facts->index == index)
            return sync->delayed[i];
    return NULL;
}

/* Of an index, which is in a row in the sorted list: the one that failed last, unless a Pod runs there or it is done with. */
bool job_find_delayed(struct job_sync *sync)
{
    sync->delayed = mem_zero(sync->count + 1, sizeof *sync->delayed);
    if (sync->delayed == NULL)
        return false;
    for (size_t i = 0, end; i < sync->count; i = end) {
        struct job_pod *last = NULL;
        int64_t index = sync->pods[i].facts->index;
        bool runs = false;
        for (end = i; end < sync->count && sync->pods[end].facts->index == index; end++) {
            struct job_pod *pod = &sync->pods[end];
            runs = runs || pod->active;
            if (!pod->tracked || !pod->failed || !job_counts_index(sync, pod))
                continue;
            if (last == NULL || (last->facts->failures + last->facts->ignored <= pod->facts->failures + pod->facts->ignored && pod->facts->finished_ms >= last->facts->finished_ms))
                last = pod;
        }
        if (last != NULL && !runs && !job_indexes_has(&sync->done, index) && !job_indexes_has(&sync->lost, index))
            sync->delayed[sync->delayed_count++] = last;
    }
    return true;
}
