/* job_sync.c: what becomes of a Job: it fails by a policy, a limit or its deadline, succeeds by a policy or because enough Pods did, or goes on. */
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/controllers/job.h"
#include "practice/controllers/workload.h"

bool job_finish(struct job_sync *sync, const char *type, const char *reason, const char *message)
{
    char *its_reason = mem_string(reason != NULL ? reason : ""), *its_message = mem_string(message != NULL ? message : "");
    mem_free(sync->reason);
    mem_free(sync->message);
    sync->finish = type;
    sync->reason = its_reason;
    sync->message = its_message;
    return its_reason != NULL && its_message != NULL;
}

/* A condition that is True. */
static const struct value *true_condition(const struct job_sync *sync, const char *type)
{
    const struct value *condition = condition_find(value_get(sync->document, "status"), type);
    const char *status = value_find_text(condition, "status", NULL);
    return status != NULL && strcmp(status, "True") == 0 ? condition : NULL;
}

/* What a look before this one decided, or the policy says. */
static bool judge_before(struct job_sync *sync)
{
    const struct value *condition = true_condition(sync, "SuccessCriteriaMet");
    const char *finish = "SuccessCriteriaMet";
    if (condition == NULL) {
        condition = true_condition(sync, "FailureTarget");
        finish = "Failed";
    }
    if (condition != NULL)
        return job_finish(sync, finish, value_find_text(condition, "reason", NULL), value_find_text(condition, "message", NULL));
    for (size_t i = 0; i < sync->count; i++)
        if (sync->pods[i].failed && sync->pods[i].facts->match.action == JOB_FAIL_JOB)
            return job_finish(sync, "FailureTarget", "PodFailurePolicy", sync->pods[i].facts->match.message);
    return true;
}

/* With restartPolicy OnFailure containers fail, not Pods. */
static bool restarts_too_often(const struct job_sync *sync)
{
    const char *policy = value_find_text(sync->spec, "template", "spec", "restartPolicy", NULL);
    int64_t restarts = 0;
    if (policy == NULL || strcmp(policy, "OnFailure") != 0)
        return false;
    for (size_t i = 0; i < sync->count; i++)
        if (sync->pods[i].pod->phase == POD_RUNNING || sync->pods[i].pod->phase == POD_PENDING)
            restarts += sync->pods[i].pod->restarts;
    return sync->backoff_limit == 0 ? restarts > 0 : restarts >= sync->backoff_limit;
}

static bool judge_limits(struct job_sync *sync)
{
    const struct value *status = value_get(sync->document, "status");
    int64_t deadline_ms = value_find_int(sync->spec, -1, "activeDeadlineSeconds", NULL) * 1000, start_ms = workload_time(value_get(status, "startTime"));
    if (sync->failed > sync->backoff_limit || restarts_too_often(sync))
        return job_finish(sync, "FailureTarget", "BackoffLimitExceeded", "Job has reached the specified backoff limit");
    if (deadline_ms < 0 || sync->suspended || start_ms == 0)
        return true;
    if (sync->now_ms - start_ms >= deadline_ms)
        return job_finish(sync, "FailureTarget", "DeadlineExceeded", "Job was active longer than specified deadline");
    workqueue_add_after(sync->jobs->queue, sync->key, start_ms + deadline_ms - sync->now_ms);
    return true;
}

/* ---- indexes ---- */

static bool index_failed(const struct job_sync *sync, const struct job_pod *pod)
{
    if (!pod->failed || pod->facts->match.action == JOB_IGNORE)
        return false;
    return pod->facts->match.action == JOB_FAIL_INDEX || pod->facts->failures >= value_find_int(sync->spec, 0, "backoffLimitPerIndex", NULL);
}

static bool read_indexes(struct job_sync *sync)
{
    const struct value *status = value_get(sync->document, "status");
    const char *done = value_find_text(status, "completedIndexes", NULL), *lost = value_find_text(status, "failedIndexes", NULL);
    bool ok = job_indexes_read(&sync->before, done, sync->completions) && job_indexes_read(&sync->done, done, sync->completions) &&
              (!sync->per_index || job_indexes_read(&sync->lost, lost, sync->completions));
    for (size_t i = 0; i < sync->count && ok; i++) {
        const struct job_pod *pod = &sync->pods[i];
        if (!pod->facts->finalizer || !job_counts_index(sync, pod))
            continue;
        if (pod->pod->phase == POD_SUCCEEDED)
            ok = job_indexes_add(&sync->done, pod->facts->index);
        if (ok && sync->per_index && index_failed(sync, pod))
            ok = job_indexes_add(&sync->lost, pod->facts->index);
    }
    sync->succeeded = (int32_t)job_indexes_total(&sync->done);
    return ok;
}

static bool judge_lost(struct job_sync *sync)
{
    int64_t lost = job_indexes_total(&sync->lost), most = value_find_int(sync->spec, -1, "maxFailedIndexes", NULL);
    if (most >= 0 && lost > most)
        return job_finish(sync, "FailureTarget", "MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
    if (lost > 0 && lost + job_indexes_total(&sync->done) >= sync->completions)
        return job_finish(sync, "FailureTarget", "FailedIndexes", "Job has failed indexes");
    return true;
}

static bool rule_met(const struct job_sync *sync, const struct value *rule, bool *ok)
{
    const char *text = value_find_text(rule, "succeededIndexes", NULL);
    int64_t count = value_find_int(rule, -1, "succeededCount", NULL);
    if (text == NULL)
        return count >= 0 && job_indexes_total(&sync->done) >= count;
    struct job_indexes wanted = {0};
    *ok = job_indexes_read(&wanted, text, sync->completions);
    int64_t common = job_indexes_common(&wanted, &sync->done);
    bool met = *ok && wanted.count > 0 && (common == job_indexes_total(&wanted) || (count >= 0 && common >= count));
    job_indexes_free(&wanted);
    return met;
}

static bool judge_success_policy(struct job_sync *sync)
{
    int index = 0;
    bool ok = true;
    for (const struct value *rule = value_first(value_find(sync->spec, "successPolicy", "rules", NULL)); rule != NULL && ok; rule = value_next(rule), index++) {
        if (!rule_met(sync, rule, &ok))
            continue;
        char *message = mem_printf("Matched rules at index %d", index);
        ok = message != NULL && job_finish(sync, "SuccessCriteriaMet", "SuccessPolicy", message);
        mem_free(message);
        return ok;
    }
    return ok;
}

static bool judge_indexes(struct job_sync *sync)
{
    if (!read_indexes(sync))
        return false;
    if (sync->per_index && sync->finish == NULL && !judge_lost(sync))
        return false;
    if (sync->per_index && !job_find_delayed(sync))
        return false;
    return sync->finish != NULL || judge_success_policy(sync);
}

/* ---- going on ---- */

static void say(const struct job_sync *sync, const char *reason, const char *message)
{
    struct recorder_about about = recorder_about(sync->job, "batch/v1", "Job");
    recorder_say(sync->jobs->recorder, &about, false, reason, NULL, "%s", message);
}

static bool set_start(struct value *status, int64_t now_ms)
{
    char text[21];
    time_print(now_ms, text);
    return value_set(status, "startTime", value_string(text));
}

static bool note_suspension(struct job_sync *sync, bool *changed)
{
    struct value *status = value_get(sync->document, "status");
    if (sync->suspended) {
        if (!job_condition(status, "Suspended", "True", "JobSuspended", "Job suspended", sync->now_ms, changed))
            return false;
        if (*changed) {
            say(sync, "Suspended", "Job suspended");
            value_remove(status, "startTime");
        }
        return true;
    }
    if (!job_condition(status, "Suspended", "False", "JobResumed", "Job resumed", sync->now_ms, changed))
        return false;
    if (!*changed)
        return true;
    say(sync, "Resumed", "Job resumed");
    return set_start(status, sync->now_ms); /* the deadline is of the time that it is active in one go */
}

/* acted: all went well. False: no memory. */
static bool go_on(struct job_sync *sync, bool met, bool *changed, bool *acted)
{
    bool managed = met && !sync->going;
    if (managed)
        *acted = job_manage(sync);
    bool complete = sync->active == 0 && (sync->completions < 0 ? sync->succeeded > 0 : sync->succeeded >= sync->completions);
    if (complete)
        return job_finish(sync, "SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods");
    return !managed || note_suspension(sync, changed);
}

static bool stop_pods(struct job_sync *sync, bool met)
{
    int32_t deleted = 0, active = sync->active;
    bool ok = job_delete_active(sync, &deleted);
    if (deleted != active || !met)
        sync->finish = NULL; /* not before all have gone and all are known */
    return ok;
}

static bool set_counts(struct job_sync *sync, bool *changed)
{
    struct value *status = value_get(sync->document, "status");
    *changed = *changed || sync->active != value_find_int(status, 0, "active", NULL) || sync->ready != value_find_int(status, -1, "ready", NULL) ||
               sync->terminating != value_find_int(status, -1, "terminating", NULL);
    return workload_number(status, "active", sync->active, false) && workload_number(status, "ready", sync->ready, true) && workload_number(status, "terminating", sync->terminating, true);
}

bool job_look(struct job_sync *sync)
{
    bool met = expectations_met(sync->jobs->pending.expectations, sync->key), changed = false, acted = true;
    struct value *status = value_child(sync->document, "status");
    if (status == NULL || value_child(status, "uncountedTerminatedPods") == NULL || !job_gather(sync))
        return false;
    if (value_get(status, "startTime") == NULL && !sync->suspended && !set_start(status, sync->now_ms))
        return false;
    if (!judge_before(sync) || (sync->finish == NULL && !judge_limits(sync)) || (sync->indexed && !judge_indexes(sync)))
        return false;
    if (sync->finish != NULL)
        acted = stop_pods(sync, met);
    else if (!go_on(sync, met, &changed, &acted))
        return false;
    return set_counts(sync, &changed) && job_track(sync, changed) && acted;
}
