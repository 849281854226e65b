/* deployment_status.c: a Deployment's numbers and conditions, its progress and the deadline for it. */
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/deployment.h"

bool deployment_put_condition(struct rollout *rollout, const char *type, const char *status, const char *reason, char *message)
{
    struct condition condition = {type, status, reason, message, 0};
    bool ok = message != NULL && condition_put(value_child(rollout->document, "status"), &condition, true, rollout->now_ms);
    mem_free(message);
    return ok;
}

bool deployment_write_status(struct rollout *rollout)
{
    struct value *copy = value_copy(rollout->document);
    struct value *written = copy != NULL ? client_update(rollout->controller->place.client, &deployments_resource, "status", copy, NULL) : NULL;
    if (written == NULL)
        return false;
    value_free(rollout->document);
    rollout->document = written;
    rollout->maker.owner = written;
    return true;
}

bool deployment_say_paused(struct rollout *rollout)
{
    const struct value *progressing = condition_find(value_get(rollout->document, "status"), "Progressing");
    bool said = condition_has_reason(progressing, "DeploymentPaused");
    if (rollout->deadline_s < 0 || condition_has_reason(progressing, "ProgressDeadlineExceeded") || rollout->paused == said)
        return true;
    return deployment_put_condition(rollout, "Progressing", "Unknown", rollout->paused ? "DeploymentPaused" : "DeploymentResumed",
                      mem_string(rollout->paused ? "Deployment is paused" : "Deployment is resumed")) &&
           deployment_write_status(rollout);
}

/* ---- numbers ---- */

struct numbers {
    int64_t wanted, active, ready, available, terminating;
    bool knows_terminating;
};

static void add_up(const struct rollout *rollout, struct numbers *numbers)
{
    *numbers = (struct numbers){.knows_terminating = true};
    for (size_t i = 0; i < rollout->count; i++) {
        const struct replica_set *set = &rollout->sets[i];
        const struct value *status = value_get(set->document, "status");
        int64_t terminating = value_find_int(status, -1, "terminatingReplicas", NULL);
        numbers->wanted += set->was;
        numbers->active += set->active;
        numbers->ready += set->ready;
        numbers->available += set->available;
        if (terminating >= 0)
            numbers->terminating += terminating;
        else if (value_find_int(status, 0, "observedGeneration", NULL) != 0)
            numbers->knows_terminating = false;
    }
}

/* The status that its sets make. NULL: no memory. */
static struct value *status_of(const struct rollout *rollout)
{
    struct numbers numbers;
    add_up(rollout, &numbers);
    const struct value *before = value_get(rollout->document, "status");
    struct value *status = before != NULL ? value_copy(before) : value_object();
    bool enough = numbers.available >= rollout->wanted - rollout->unavailable;
    struct condition available = {"Available", enough ? "True" : "False", enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                                  enough ? "Deployment has minimum availability." : "Deployment does not have minimum availability.", 0};
    int64_t missing = numbers.wanted > numbers.available ? numbers.wanted - numbers.available : 0;
    bool ok = status != NULL && workload_number(status, "observedGeneration", value_find_int(rollout->document, 0, "metadata", "generation", NULL), false) &&
              workload_number(status, "replicas", numbers.active, false) && workload_number(status, "updatedReplicas", rollout->fresh != NULL ? rollout->fresh->active : 0, false) &&
              workload_number(status, "readyReplicas", numbers.ready, false) && workload_number(status, "availableReplicas", numbers.available, false) &&
              workload_number(status, "unavailableReplicas", missing, false) && workload_number(status, "terminatingReplicas", numbers.terminating, numbers.knows_terminating) &&
              condition_put(status, &available, true, rollout->now_ms);
    if (ok)
        return status;
    value_free(status);
    return NULL;
}

/* Writes it if it is another; takes it over. */
static bool tell(struct rollout *rollout, struct value *status, bool *changed)
{
    *changed = !value_equal(status, value_get(rollout->document, "status"));
    if (!*changed) {
        value_free(status);
        return true;
    }
    return value_set(rollout->document, "status", status) && deployment_write_status(rollout);
}

bool deployment_sync_status(struct rollout *rollout)
{
    struct value *status = status_of(rollout);
    bool changed;
    return status != NULL && tell(rollout, status, &changed);
}

/* ---- progress ---- */

static int64_t number(const struct value *status, const char *key)
{
    return value_find_int(status, 0, key, NULL);
}

bool deployment_is_complete(const struct rollout *rollout, const struct value *status)
{
    return number(status, "updatedReplicas") == rollout->wanted && number(status, "replicas") == rollout->wanted && number(status, "availableReplicas") == rollout->wanted &&
           number(status, "observedGeneration") >= value_find_int(rollout->document, 0, "metadata", "generation", NULL);
}

/* More Pods are new, ready or available, or less are old. */
static bool has_progressed(const struct value *before, const struct value *status)
{
    int64_t old_before = number(before, "replicas") - number(before, "updatedReplicas"), old = number(status, "replicas") - number(status, "updatedReplicas");
    return number(status, "updatedReplicas") > number(before, "updatedReplicas") || old < old_before || number(status, "readyReplicas") > number(before, "readyReplicas") ||
           number(status, "availableReplicas") > number(before, "availableReplicas");
}

/* When the time for progress is up; 0: it does not count now. */
static int64_t deadline_ms(const struct rollout *rollout, const struct value *status)
{
    const struct value *condition = condition_find(status, "Progressing");
    return condition != NULL ? workload_time(value_get(condition, "lastUpdateTime")) + rollout->deadline_s * 1000 : 0;
}

static bool has_timed_out(const struct rollout *rollout, const struct value *status)
{
    const struct value *condition = condition_find(status, "Progressing");
    if (condition == NULL || condition_has_reason(condition, "NewReplicaSetAvailable"))
        return false;
    return condition_has_reason(condition, "ProgressDeadlineExceeded") || deadline_ms(rollout, status) < rollout->now_ms;
}

static bool put_progress(const struct rollout *rollout, struct value *status, const char *is, const char *reason, const char *what)
{
    const char *name = rollout->fresh != NULL ? rollout->fresh->name : value_find_text(rollout->document, "metadata", "name", NULL);
    char *message = mem_printf("%s \"%s\" %s", rollout->fresh != NULL ? "ReplicaSet" : "Deployment", name, what);
    struct condition condition = {"Progressing", is, reason, message, 0};
    bool ok = message != NULL && condition_put(status, &condition, true, rollout->now_ms);
    mem_free(message);
    return ok;
}

/* Every sign of progress is noted by its time, though the condition says the same as before. */
static bool put_moving(const struct rollout *rollout, struct value *status)
{
    const struct value *before = condition_find(value_get(rollout->document, "status"), "Progressing");
    const char *was = value_find_text(before, "status", NULL);
    condition_drop(status, "Progressing");
    if (!put_progress(rollout, status, "True", "ReplicaSetUpdated", "is progressing."))
        return false;
    const struct value *since = was != NULL && strcmp(was, "True") == 0 ? value_get(before, "lastTransitionTime") : NULL;
    struct value *copy = since != NULL ? value_copy(since) : NULL;
    return since == NULL || value_set(condition_find(status, "Progressing"), "lastTransitionTime", copy);
}

static bool judge_progress(const struct rollout *rollout, struct value *status)
{
    const struct value *before = value_get(rollout->document, "status");
    bool over = number(status, "replicas") == number(status, "updatedReplicas") && condition_has_reason(condition_find(before, "Progressing"), "NewReplicaSetAvailable");
    if (rollout->deadline_s < 0) {
        condition_drop(status, "Progressing");
        return true;
    }
    if (over)
        return true;
    if (deployment_is_complete(rollout, status))
        return put_progress(rollout, status, "True", "NewReplicaSetAvailable", "has successfully progressed.");
    if (has_progressed(before, status))
        return put_moving(rollout, status);
    return !has_timed_out(rollout, status) || put_progress(rollout, status, "False", "ProgressDeadlineExceeded", "has timed out progressing.");
}

/* What a set could not do; the new one's counts first. */
static const struct value *failure_of(const struct rollout *rollout)
{
    const struct value *failure = rollout->fresh != NULL ? condition_find(value_get(rollout->fresh->document, "status"), "ReplicaFailure") : NULL;
    for (size_t i = 0; i < rollout->count && failure == NULL; i++)
        failure = condition_find(value_get(rollout->sets[i].document, "status"), "ReplicaFailure");
    return failure;
}

static bool judge_failure(const struct rollout *rollout, struct value *status)
{
    const struct value *failure = failure_of(rollout);
    if (failure == NULL) {
        condition_drop(status, "ReplicaFailure");
        return true;
    }
    const char *is = value_find_text(failure, "status", NULL), *reason = value_find_text(failure, "reason", NULL), *message = value_find_text(failure, "message", NULL);
    struct condition condition = {"ReplicaFailure", is != NULL ? is : "True", reason != NULL ? reason : "", message != NULL ? message : "", workload_time(value_get(failure, "lastTransitionTime"))};
    return condition_put(status, &condition, true, rollout->now_ms);
}

/* It comes back when its time for progress is up, if nothing happens before. */
static void wait_for_deadline(const struct rollout *rollout)
{
    const struct value *status = value_get(rollout->document, "status"), *condition = condition_find(status, "Progressing");
    if (rollout->deadline_s < 0 || condition == NULL || deployment_is_complete(rollout, status) || condition_has_reason(condition, "ProgressDeadlineExceeded"))
        return;
    int64_t left = deadline_ms(rollout, status) - rollout->now_ms;
    workqueue_add_after(rollout->controller->queue, rollout->key, left < 0 ? 1000 : left + 1000);
}

bool deployment_sync_progress(struct rollout *rollout)
{
    struct value *status = status_of(rollout);
    bool changed;
    if (status == NULL || !judge_progress(rollout, status) || !judge_failure(rollout, status)) {
        value_free(status);
        return false;
    }
    if (!tell(rollout, status, &changed))
        return false;
    if (!changed)
        wait_for_deadline(rollout);
    return true;
}
