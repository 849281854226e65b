/* job_track.c: counts ended Pods exactly once: their uids are written into the status, then they lose their finalizer, then the counters grow and the uids go; and ends the Job when all are
 * counted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/controllers/job.h"
#include "practice/controllers/workload.h"

static const struct client_resource jobs_resource = {"batch", "v1", "jobs"}, pods_resource = {"", "v1", "pods"};

/* ---- conditions ---- */

static struct value *condition_new(const char *type, const char *value, const char *reason, const char *message, int64_t now_ms)
{
    char now[21];
    time_print(now_ms, now);
    struct value *entry = value_object();
    if (entry != NULL && value_set(entry, "type", value_string(type)) && value_set(entry, "status", value_string(value)) && value_set(entry, "lastProbeTime", value_string(now)) &&
        value_set(entry, "lastTransitionTime", value_string(now)) && value_set(entry, "reason", value_string(reason)) && value_set(entry, "message", value_string(message)))
        return entry;
    value_free(entry);
    return NULL;
}

bool job_condition(struct value *status, const char *type, const char *value, const char *reason, const char *message, int64_t now_ms, bool *changed)
{
    struct value *before = condition_find(status, type), *conditions = value_get(status, "conditions");
    const char *was = value_find_text(before, "status", NULL), *words = value_find_text(before, "message", NULL);
    *changed = false;
    if (before == NULL && strcmp(value, "False") == 0)
        return true;
    if (was != NULL && words != NULL && strcmp(was, value) == 0 && condition_has_reason(before, reason) && strcmp(words, message) == 0)
        return true;
    *changed = true;
    if (before != NULL)
        return value_replace(conditions, before, condition_new(type, value, reason, message, now_ms));
    if (conditions == NULL && !value_set(status, "conditions", value_array()))
        return false;
    return value_append(value_get(status, "conditions"), condition_new(type, value, reason, message, now_ms));
}

const struct value *job_finished(const struct value *job)
{
    static const char *const types[] = {"Complete", "Failed"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const struct value *condition = condition_find(value_get(job, "status"), types[i]);
        const char *status = value_find_text(condition, "status", NULL);
        if (status != NULL && strcmp(status, "True") == 0)
            return condition;
    }
    return NULL;
}

/* ---- writing ---- */

bool job_release_pod(struct jobs *jobs, const struct pod_view *pod)
{
    struct error why = ERROR_INIT;
    struct value *patch = value_object(), *metadata = patch != NULL ? value_child(patch, "metadata") : NULL, *names = value_array();
    bool ok = metadata != NULL && names != NULL && value_append(names, value_string(JOB_TRACKING)) && map_set(&jobs->released, pod->object->uid, jobs);
    if (!ok)
        value_free(names);
    if (!ok || !value_set(metadata, "$deleteFromPrimitiveList/finalizers", names)) {
        value_free(patch);
        map_remove(&jobs->released, pod->object->uid);
        return false;
    }
    if (client_patch_quietly(jobs->place.client, &pods_resource, "", pod->object->ns, pod->object->name, PATCH_STRATEGIC, patch, NULL, &why) || why.kind == ERROR_NOT_FOUND)
        return true;
    map_remove(&jobs->released, pod->object->uid);
    return false;
}

/* Writes the status as it is now; the document is the server's answer then. */
static bool flush(struct job_sync *sync)
{
    struct error err = ERROR_INIT;
    struct value *copy = value_copy(sync->document);
    struct value *written = copy != NULL ? client_update(sync->jobs->place.client, &jobs_resource, "status", copy, &err) : NULL;
    struct job_memory *memory = map_get(&sync->jobs->memories, sync->key);
    if (written == NULL || memory == NULL) {
        value_free(written);
        return false;
    }
    const char *version = value_find_text(written, "metadata", "resourceVersion", NULL);
    memory->written = version != NULL ? strtoull(version, NULL, 10) : 0;
    value_free(sync->document);
    sync->document = written;
    struct value *status = value_child(written, "status");
    return status != NULL && value_child(status, "uncountedTerminatedPods") != NULL;
}

/* ---- counting ---- */

struct tracking {
    struct map wearing;            /* uids of Pods that have the finalizer */
    const struct job_pod **ending; /* those that are to lose it */
    size_t ending_count, added;
    bool full;                     /* more would be too many for one status */
    bool write;
};

/* Of the uids of a list those go, and are counted, that do not wear the finalizer. */
static bool settle_list(struct job_sync *sync, struct tracking *tracking, const char *key)
{
    struct value *status = value_get(sync->document, "status"), *uncounted = value_get(status, "uncountedTerminatedPods"), *list = value_get(uncounted, key);
    int64_t counted = 0;
    for (struct value *entry = value_first(list), *next; entry != NULL; entry = next) {
        next = value_next(entry);
        if (value_text(entry) != NULL && map_has(&tracking->wearing, value_text(entry)))
            continue;
        value_free(value_take(list, entry));
        counted++;
    }
    if (list != NULL && value_first(list) == NULL)
        value_remove(uncounted, key);
    tracking->write = tracking->write || counted > 0;
    return counted == 0 || workload_number(status, key, value_find_int(status, 0, key, NULL) + counted, false);
}

static bool settle(struct job_sync *sync, struct tracking *tracking)
{
    return settle_list(sync, tracking, "succeeded") && settle_list(sync, tracking, "failed");
}

static bool add_uid(struct job_sync *sync, struct tracking *tracking, const char *key, const char *uid)
{
    struct value *uncounted = value_find(sync->document, "status", "uncountedTerminatedPods", NULL);
    tracking->write = true;
    tracking->added++;
    if (value_get(uncounted, key) == NULL && !value_set(uncounted, key, value_array()))
        return false;
    return value_append(value_get(uncounted, key), value_string(uid));
}

static bool may_end(const struct job_sync *sync, const struct job_pod *pod)
{
    if (sync->going || sync->finish != NULL || pod->pod->phase == POD_SUCCEEDED)
        return true;
    return pod->failed && (!sync->per_index || job_delayed(sync, pod->facts->index) != pod);
}

static bool succeeds(const struct job_sync *sync)
{
    return sync->finish != NULL && strcmp(sync->finish, "SuccessCriteriaMet") == 0;
}

/* A Pod that is to lose its finalizer: as what it counts. */
static bool note_end(struct job_sync *sync, struct tracking *tracking, const struct job_pod *pod)
{
    const char *uid = pod->pod->object->uid;
    tracking->ending[tracking->ending_count++] = pod;
    if (pod->pod->phase == POD_SUCCEEDED && !map_has(&sync->uncounted_failed, uid)) {
        if (sync->indexed) { /* its index says enough */
            bool fresh = job_counts_index(sync, pod) && !job_indexes_has(&sync->before, pod->facts->index);
            tracking->write = tracking->write || fresh;
            tracking->added += fresh;
            return true;
        }
        return map_has(&sync->uncounted_succeeded, uid) || add_uid(sync, tracking, "succeeded", uid);
    }
    if (!pod->failed && (sync->finish == NULL || succeeds(sync)))
        return true;
    bool counts = !map_has(&sync->uncounted_failed, uid) && job_counts_index(sync, pod) && pod->facts->match.action != JOB_IGNORE;
    return !counts || add_uid(sync, tracking, "failed", uid);
}

static bool note_ends(struct job_sync *sync, struct tracking *tracking)
{
    for (size_t i = 0; i < sync->count; i++)
        if (sync->pods[i].tracked && !map_set(&tracking->wearing, sync->pods[i].pod->object->uid, sync))
            return false;
    if (!settle(sync, tracking))
        return false;
    tracking->added = value_length(value_find(sync->document, "status", "uncountedTerminatedPods", "succeeded", NULL)) +
                      value_length(value_find(sync->document, "status", "uncountedTerminatedPods", "failed", NULL));
    for (size_t i = 0; i < sync->count && !tracking->full; i++) {
        const struct job_pod *pod = &sync->pods[i];
        if (!pod->tracked || !may_end(sync, pod))
            continue;
        if (!note_end(sync, tracking, pod))
            return false;
        tracking->full = tracking->added >= JOB_UNCOUNTED;
    }
    return true;
}

/* ---- indexes and conditions ---- */

static bool set_text(struct job_sync *sync, struct tracking *tracking, const char *key, const struct job_indexes *indexes, bool empty)
{
    struct value *status = value_get(sync->document, "status");
    const char *before = value_find_text(status, key, NULL);
    char *text = job_indexes_text(indexes);
    bool ok = text != NULL, shown = ok && (empty || text[0] != '\0');
    if (ok && (before == NULL ? shown : strcmp(before, text) != 0))
        tracking->write = true;
    if (shown)
        ok = value_set(status, key, value_string(text));
    else
        value_remove(status, key);
    mem_free(text);
    return ok;
}

static bool set_indexes(struct job_sync *sync, struct tracking *tracking)
{
    struct value *status = value_get(sync->document, "status");
    return !sync->indexed || (set_text(sync, tracking, "completedIndexes", &sync->done, false) && (!sync->per_index || set_text(sync, tracking, "failedIndexes", &sync->lost, true)) &&
                              workload_number(status, "succeeded", job_indexes_total(&sync->done), false));
}

/* Says first what it will come to, before the Pods may go. */
static bool announce(struct job_sync *sync, struct tracking *tracking)
{
    bool changed = false, fails = sync->finish != NULL && strcmp(sync->finish, "FailureTarget") == 0;
    if (!fails && !succeeds(sync))
        return true;
    if (!job_condition(value_get(sync->document, "status"), sync->finish, "True", sync->reason, sync->message, sync->now_ms, &changed))
        return false;
    tracking->write = tracking->write || changed;
    sync->finish = fails ? "Failed" : "Complete";
    return true;
}

static bool release_all(struct job_sync *sync, struct tracking *tracking)
{
    bool ok = true;
    for (size_t i = 0; i < tracking->ending_count; i++) {
        const struct job_pod *pod = tracking->ending[i];
        if (job_release_pod(sync->jobs, pod->pod))
            map_remove(&tracking->wearing, pod->pod->object->uid);
        else
            ok = false;
    }
    return ok;
}

/* Ended when everything is counted and nothing runs any more. False: no memory. */
static bool end(struct job_sync *sync, const struct tracking *tracking, bool *ended)
{
    struct value *status = value_get(sync->document, "status");
    bool changed;
    *ended = sync->finish != NULL && !tracking->full && value_first(value_get(status, "uncountedTerminatedPods")) == NULL && sync->terminating == 0;
    if (!*ended)
        return true;
    char now[21];
    time_print(sync->now_ms, now);
    return job_condition(status, sync->finish, "True", sync->reason, sync->message, sync->now_ms, &changed) &&
           (strcmp(sync->finish, "Complete") != 0 || value_set(status, "completionTime", value_string(now)));
}

static void say_end(const struct job_sync *sync)
{
    struct recorder_about about = recorder_about(sync->job, "batch/v1", "Job");
    struct recorder *recorder = sync->jobs->recorder;
    if (strcmp(sync->finish, "Complete") != 0) {
        recorder_say(recorder, &about, true, sync->reason, NULL, "%s", sync->message);
        return;
    }
    if (sync->completions >= 0 && value_find_int(sync->document, 0, "status", "succeeded", NULL) > sync->completions)
        recorder_say(recorder, &about, true, "TooManySucceededPods", NULL, "Too many succeeded pods running after completion count reached");
    recorder_say(recorder, &about, false, "Completed", NULL, "Job completed");
}

static bool track(struct job_sync *sync, struct tracking *tracking)
{
    struct job_memory *memory = map_get(&sync->jobs->memories, sync->key);
    if (tracking->ending == NULL || !note_ends(sync, tracking) || !set_indexes(sync, tracking) || !announce(sync, tracking))
        return false;
    if (tracking->write) {
        if (!flush(sync))
            return false;
        memory->failures = sync->failures;
        tracking->write = false;
    }
    bool released = release_all(sync, tracking), ended = false;
    if (!settle(sync, tracking))
        return false;
    if (!released) {
        if (tracking->write)
            (void)!flush(sync); /* what was done; the rest follows */
        return false;
    }
    if (!end(sync, tracking, &ended) || ((ended || tracking->write) && !flush(sync)))
        return false;
    if (ended)
        say_end(sync);
    return true;
}

bool job_track(struct job_sync *sync, bool write)
{
    struct tracking tracking = {.wearing = map_make(JOB_MAXIMUM, NULL), .ending = mem_zero(sync->count + 1, sizeof *tracking.ending), .write = write};
    bool ok = track(sync, &tracking);
    map_free(&tracking.wearing);
    mem_free(tracking.ending);
    return ok;
}
