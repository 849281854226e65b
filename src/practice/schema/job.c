/* Jobs: policies of failure and success, what may change, status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/units.h"
#include "practice/schema/job_internal.h"

static const struct place spec_place = {.key = "spec"}, status_place = {.key = "status"};

enum { RULES_MOST = 20, EXIT_CODES_MOST = 255, PATTERNS_MOST = 20, INDEXES_TEXT_MOST = 64 * 1024 };

static bool names_container(const struct value *spec, const char *name)
{
    static const char *const lists[] = {"containers", "initContainers", NULL};
    for (size_t i = 0; lists[i] != NULL; i++)
        EACH (container, value_find(spec, "template", "spec", lists[i], NULL))
            if (text_is(container, "name", name))
                return true;
    return false;
}

static void check_code_values(const struct value *codes, const struct place *place, struct problems *problems)
{
    const struct value *values = value_get(codes, "values"), *before = NULL;
    const struct place all = place_key(place, "values");
    bool ordered = true;
    size_t i = 0;
    if (value_first(values) == NULL)
        problem_text(problems, &all, PROBLEM_INVALID, values == NULL ? "null" : "[]", "at least one value is required");
    else if (value_length(values) > EXIT_CODES_MOST)
        problem_too_many(problems, &all, value_length(values), EXIT_CODES_MOST);
    EACH (item, values) {
        const struct place at = place_index(&all, i++);
        int64_t code = 0, previous = INT64_MIN;
        bool known = false;
        bool read = value_as_int(item, &code) && (before == NULL || value_as_int(before, &previous));
        for (const struct value *other = value_first(values); other != item; other = value_next(other))
            known = known || value_equal(other, item);
        if (read && text_is(codes, "operator", "In") && code == 0)
            problem_number(problems, &at, code, "must not be 0 for the In operator");
        if (known)
            problem_add(problems, &at, PROBLEM_DUPLICATE, item, "%s", "");
        ordered = ordered && previous <= code;
        before = item;
    }
    if (!ordered)
        problem_add(problems, &all, PROBLEM_INVALID, values, "must be ordered");
}

static void check_codes(const struct value *spec, const struct value *codes, const struct place *place, struct problems *problems)
{
    static const char *const operators[] = {"In", "NotIn", NULL};
    const struct place operator_at = place_key(place, "operator"), container = place_key(place, "containerName");
    const char *operator= text_of(codes, "operator");
    if (*operator== '\0')
        problem_required(problems, &operator_at, NULL, "valid values: [\"In\" \"NotIn\"]");
    else if (!one_of(operator, operators))
        problem_unsupported(problems, &operator_at, operator, operators);
    if (has(codes, "containerName") && !names_container(spec, text_of(codes, "containerName")))
        problem_invalid(problems, &container, text_of(codes, "containerName"),
                        "must be one of the container or initContainer names in the pod template");
    check_code_values(codes, place, problems);
}

static void check_conditions(const struct value *patterns, const struct place *place, struct problems *problems)
{
    static const char *const statuses[] = {"False", "True", "Unknown", NULL};
    size_t i = 0;
    if (value_length(patterns) > PATTERNS_MOST)
        problem_too_many(problems, place, value_length(patterns), PATTERNS_MOST);
    EACH (pattern, patterns) {
        const struct place at = place_index(place, i++), status = place_key(&at, "status");
        name_problems_of(problems, &at, "type", text_of(pattern, "type"), name_qualified);
        if (*text_of(pattern, "status") == '\0')
            problem_required(problems, &status, NULL, "valid values: [\"False\" \"True\" \"Unknown\"]");
        else if (!one_of(text_of(pattern, "status"), statuses))
            problem_unsupported(problems, &status, text_of(pattern, "status"), statuses);
    }
}

static void check_rule(const struct value *spec, const struct value *rule, const struct place *place, struct problems *problems)
{
    static const char *const actions[] = {"Count", "FailIndex", "FailJob", "Ignore", NULL};
    const struct place action_at = place_key(place, "action"), codes = place_key(place, "onExitCodes"),
                       conditions = place_key(place, "onPodConditions");
    const char *action = text_of(rule, "action");
    bool has_conditions = value_first(value_get(rule, "onPodConditions")) != NULL;
    if (*action == '\0')
        problem_required(problems, &action_at, NULL, "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]");
    else if (strcmp(action, "FailIndex") == 0 && !has(spec, "backoffLimitPerIndex"))
        problem_invalid(problems, &action_at, action, "requires the backoffLimitPerIndex to be set");
    else if (!one_of(action, actions))
        problem_unsupported(problems, &action_at, action, actions);
    if (has(rule, "onExitCodes"))
        check_codes(spec, value_get(rule, "onExitCodes"), &codes, problems);
    if (has_conditions)
        check_conditions(value_get(rule, "onPodConditions"), &conditions, problems);
    if (has(rule, "onExitCodes") && has_conditions)
        problem_text(problems, place, PROBLEM_INVALID, NULL, "specifying both OnExitCodes and OnPodConditions is not supported");
    if (!has(rule, "onExitCodes") && !has_conditions)
        problem_text(problems, place, PROBLEM_INVALID, NULL, "specifying one of OnExitCodes and OnPodConditions is required");
}

void job_check_failure_policy(const struct value *spec, const struct place *place, struct problems *problems)
{
    const struct value *rules = value_find(spec, "podFailurePolicy", "rules", NULL);
    const struct place policy = place_key(place, "podFailurePolicy"), all = place_key(&policy, "rules");
    size_t i = 0;
    if (value_length(rules) > RULES_MOST)
        problem_too_many(problems, &all, value_length(rules), RULES_MOST);
    EACH (rule, rules) {
        const struct place at = place_index(&all, i++);
        check_rule(spec, rule, &at, problems);
    }
}

/* One number of "1-3"; false: complaint. */
static bool read_index(const char *text, size_t length, int64_t completions, int64_t *index, char complaint[static 256])
{
    char number[32], *end = NULL;
    snprintf(number, sizeof number, "%.*s", (int)(length < 30 ? length : 30), text);
    *index = strtoll(number, &end, 10);
    if (length == 0 || length >= 30 || *end != '\0' || number[strspn(number, "+0123456789")] != '\0') {
        snprintf(complaint, 256, "cannot convert string to integer for index: \"%s\"", number);
        return false;
    }
    if (*index >= completions) {
        snprintf(complaint, 256, "too large index: \"%s\"", number);
        return false;
    }
    return true;
}

/* Reads "1,3-5"; false: complaint says what is wrong. */
static bool read_indexes(const char *text, int64_t completions, int64_t *total, char complaint[static 256])
{
    int64_t last = -1, x, y;
    *total = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, ",");
        const char *dash = memchr(text, '-', length);
        if (dash != NULL && memchr(dash + 1, '-', length - (size_t)(dash - text) - 1) != NULL) {
            snprintf(complaint, 256,
                     "the fragment \"%.*s\" violates the requirement that an index interval can have at most two parts separated by '-'",
                     (int)(length < 60 ? length : 60), text);
            return false;
        }
        if (!read_index(text, dash != NULL ? (size_t)(dash - text) : length, completions, &x, complaint))
            return false;
        y = x;
        if (dash != NULL && !read_index(dash + 1, length - (size_t)(dash - text) - 1, completions, &y, complaint))
            return false;
        if (dash != NULL && x >= y) {
            snprintf(complaint, 256, "non-increasing order, previous: %lld, current: %lld", (long long)x, (long long)y);
            return false;
        }
        if (last >= x) {
            snprintf(complaint, 256, "non-increasing order, previous: %lld, current: %lld", (long long)last, (long long)x);
            return false;
        }
        *total += y - x + 1;
        last = y;
        text += length + (text[length] == ',');
    }
    return true;
}

static void check_success_rule(const struct value *spec, const struct value *rule, const struct place *place, struct problems *problems)
{
    const struct place indexes = place_key(place, "succeededIndexes"), count_at = place_key(place, "succeededCount");
    const char *text = text_of(rule, "succeededIndexes");
    int64_t completions = int_of(spec, "completions", 0), count = int_of(rule, "succeededCount", 0), total = 0;
    char complaint[256];
    if (!has(rule, "succeededCount") && !has(rule, "succeededIndexes"))
        problem_required(problems, place, NULL, "at least one of succeededCount or succeededIndexes must be specified");
    if (strlen(text) > INDEXES_TEXT_MOST)
        problem_too_long(problems, &indexes, INDEXES_TEXT_MOST);
    if (has(rule, "succeededIndexes") && !read_indexes(text, completions, &total, complaint)) {
        problem_invalid(problems, &indexes, text, "error parsing succeededIndexes: %s", complaint);
        total = 0;
    }
    check_nonnegative(problems, rule, place, "succeededCount");
    if (has(rule, "succeededCount") && count > completions)
        problem_number(problems, &count_at, count, "must be less than or equal to %lld (the number of specified completions)", (long long)completions);
    if (has(rule, "succeededCount") && has(rule, "succeededIndexes") && count > total)
        problem_number(problems, &count_at, count,
                       "must be less than or equal to %lld (the number of indexes in the specified succeededIndexes field)", (long long)total);
}

void job_check_success_policy(const struct value *spec, const struct place *place, struct problems *problems)
{
    const struct value *rules = value_find(spec, "successPolicy", "rules", NULL);
    const struct place policy = place_key(place, "successPolicy"), all = place_key(&policy, "rules");
    size_t i = 0;
    if (value_first(rules) == NULL)
        problem_required(problems, &all, NULL, "at least one rules must be specified when the successPolicy is specified");
    if (value_length(rules) > RULES_MOST)
        problem_too_many(problems, &all, value_length(rules), RULES_MOST);
    EACH (rule, rules) {
        const struct place at = place_index(&all, i++);
        check_success_rule(spec, rule, &at, problems);
    }
}

static bool condition_is(const struct value *job, const char *type, const char *status)
{
    EACH (condition, value_find(job, "status", "conditions", NULL))
        if (text_is(condition, "type", type) && text_is(condition, "status", status))
            return true;
    return false;
}

/* A suspended Job that has not begun may get other resources and other places to run. False: no memory. */
static bool forgive(struct value *old, const struct value *spec)
{
    static const char *const lists[] = {"containers", "initContainers", NULL}, *const directives[] = {"nodeSelector", "tolerations",
                                                                                                      "schedulingGates", NULL};
    const struct value *pod = value_get(spec, "spec");
    struct value *before = value_get(old, "spec"), *metadata = value_child(old, "metadata"), *affinity = value_get(before, "affinity");
    const struct value *node = value_find(pod, "affinity", "nodeAffinity", NULL);
    bool ok = metadata != NULL;
    for (size_t i = 0; ok && directives[i] != NULL; i++)
        ok = put_copy(before, directives[i], value_get(pod, directives[i]));
    if (ok && affinity == NULL && node != NULL)
        ok = (affinity = value_child(before, "affinity")) != NULL;
    ok = ok && (affinity == NULL || put_copy(affinity, "nodeAffinity", node));
    if (ok && affinity != NULL && value_first(affinity) == NULL && !has(pod, "affinity"))
        value_remove(before, "affinity");
    ok = ok && put_copy(metadata, "annotations", value_find(spec, "metadata", "annotations", NULL)) &&
         put_copy(metadata, "labels", value_find(spec, "metadata", "labels", NULL));
    for (size_t k = 0; ok && lists[k] != NULL; k++) {
        const struct value *now = value_first(value_get(pod, lists[k]));
        if (value_length(value_get(pod, lists[k])) != value_length(value_get(before, lists[k])))
            continue;
        for (struct value *item = value_first(value_get(before, lists[k])); ok && item != NULL && now != NULL;
             item = value_next(item), now = value_next(now))
            ok = !same_at(item, now, "name") || put_copy(item, "resources", value_get(now, "resources"));
    }
    return ok;
}

static void check_template_stays(const struct value *spec, const struct value *old, const struct value *old_job, struct problems *problems)
{
    const struct place template = place_key(&spec_place, "template"), pod = place_key(&spec_place, "template.spec");
    bool suspended = is_true(old, "suspend"), fresh = !has(value_get(old_job, "status"), "startTime") || condition_is(old_job, "Suspended", "True");
    bool open = suspended && fresh && value_find_int(old_job, 0, "status", "active", NULL) == 0;
    struct value *before = value_copy(value_get(old, "template"));
    const struct value *now = value_get(spec, "template");
    if (before == NULL || (open && !forgive(before, now)))
        problems->failed = true;
    else if (!open && !same(now, before))
        problem_internal(problems, &template, PROBLEM_INVALID, "PodTemplateSpec", now, "field is immutable");
    else if (open && !same_at(now, before, "spec"))
        problem_internal(problems, &pod, PROBLEM_INVALID, "PodSpec", value_get(now, "spec"), "field is immutable");
    value_free(before);
}

static void check_completions(const struct value *spec, const struct value *old, struct problems *problems)
{
    const struct place at = place_key(&spec_place, "completions");
    if (!text_is(spec, "completionMode", "Indexed"))
        check_immutable(problems, spec, old, &spec_place, "completions");
    else if (!same_at(spec, old, "completions") && has(spec, "completions") && int_of(spec, "completions", 0) != int_of(spec, "parallelism", 0))
        problem_number(problems, &at, int_of(spec, "completions", 0), "can only be modified in tandem with spec.parallelism");
}

void job_check_changes(const struct value *object, const struct value *old_job, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec"), *old = value_get(old_job, "spec");
    const struct place failure = place_key(&spec_place, "podFailurePolicy"), success = place_key(&spec_place, "successPolicy");
    check_completions(spec, old, problems);
    check_immutable(problems, spec, old, &spec_place, "selector");
    check_template_stays(spec, old, old_job, problems);
    check_immutable(problems, spec, old, &spec_place, "completionMode");
    if (!same_at(spec, old, "podFailurePolicy"))
        problem_internal(problems, &failure, PROBLEM_INVALID, has(spec, "podFailurePolicy") ? "PodFailurePolicy" : "[]nil",
                         value_get(spec, "podFailurePolicy"), "field is immutable");
    check_immutable(problems, spec, old, &spec_place, "backoffLimitPerIndex");
    check_immutable(problems, spec, old, &spec_place, "managedBy");
    if (!same_at(spec, old, "successPolicy"))
        problem_internal(problems, &success, PROBLEM_INVALID, has(spec, "successPolicy") ? "SuccessPolicy" : "[]nil",
                         value_get(spec, "successPolicy"), "field is immutable");
}

/* Status */
struct job_state {
    bool complete, failed, failure_target, success, finished;
};

static struct job_state state_of(const struct value *job)
{
    struct job_state state = {.complete = condition_is(job, "Complete", "True"), .failed = condition_is(job, "Failed", "True"),
                              .failure_target = condition_is(job, "FailureTarget", "True"), .success = condition_is(job, "SuccessCriteriaMet", "True")};
    state.finished = state.complete || state.failed;
    return state;
}

static void problem_conditions(struct problems *problems, bool wrong, const char *words)
{
    const struct place at = place_key(&status_place, "conditions");
    if (wrong)
        problem_text(problems, &at, PROBLEM_INVALID, NULL, words);
}

static bool earlier(const char *a, const char *b)
{
    int64_t time_a, time_b;
    return time_parse(a, &time_a) && time_parse(b, &time_b) && time_a < time_b;
}

static void check_times(const struct value *status, const struct value *before, struct job_state now, struct job_state was, struct problems *problems)
{
    const struct place completion = place_key(&status_place, "completionTime");
    bool changed = !same_at(status, before, "completionTime"), started = !same_at(status, before, "startTime");
    const char *time = text_of(status, "completionTime");
    if ((now.complete != was.complete || changed) && has(status, "completionTime") && !now.complete)
        problem_invalid(problems, &completion, time, "cannot set completionTime when there is no Complete=True condition");
    if ((now.complete != was.complete || changed) && !has(status, "completionTime") && now.complete)
        problem_required(problems, &completion, NULL, "completionTime is required for Complete jobs");
    if ((started || changed) && has(status, "startTime") && earlier(time, text_of(status, "startTime")))
        problem_invalid(problems, &completion, time, "must be equal to or after `startTime`");
}

static void check_finished(const struct value *job, const struct value *before, struct job_state now, struct job_state was, struct problems *problems)
{
    const struct value *status = value_get(job, "status"), *uncounted = value_get(status, "uncountedTerminatedPods");
    const struct place active = place_key(&status_place, "active"), pods = place_key(&status_place, "uncountedTerminatedPods");
    bool changed = now.finished != was.finished;
    bool empty_suspended = is_true(value_get(job, "spec"), "suspend") && value_find_int(job, 1, "spec", "completions", NULL) == 0;
    problem_conditions(problems, (now.failed != was.failed || !same_at(status, before, "failedIndexes")) && now.failed && !now.failure_target,
                       "cannot set Failed=True condition without the FailureTarget=true condition");
    problem_conditions(problems, (now.complete != was.complete || now.success != was.success) && now.complete && !now.success,
                       "cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
    if ((changed || !same_at(status, before, "active")) && int_of(status, "active", 0) > 0 && now.finished)
        problem_number(problems, &active, int_of(status, "active", 0), "active>0 is invalid for finished job");
    if ((changed || !same_at(status, before, "startTime")) && !empty_suspended && !has(status, "startTime") && now.finished)
        problem_required(problems, &status_place, "startTime", "startTime is required for finished job");
    if ((changed || !same_at(status, before, "uncountedTerminatedPods")) && now.finished &&
        (value_first(value_get(uncounted, "failed")) != NULL || value_first(value_get(uncounted, "succeeded")) != NULL))
        problem_internal(problems, &pods, PROBLEM_INVALID, "UncountedTerminatedPods", uncounted, "must be empty for finished job");
}

static void check_status_indexes(const struct value *job, const struct value *before, struct problems *problems)
{
    const struct value *spec = value_get(job, "spec"), *status = value_get(job, "status");
    const struct place completed = place_key(&status_place, "completedIndexes"), failed = place_key(&status_place, "failedIndexes");
    bool completed_changed = strcmp(text_of(status, "completedIndexes"), text_of(before, "completedIndexes")) != 0;
    bool failed_changed = !same_at(status, before, "failedIndexes");
    int64_t total;
    char complaint[256];
    if (completed_changed && has(spec, "completions") &&
        !read_indexes(text_of(status, "completedIndexes"), int_of(spec, "completions", 0), &total, complaint))
        problem_invalid(problems, &completed, text_of(status, "completedIndexes"), "error parsing completedIndexes: %s", complaint);
    if (failed_changed && has(spec, "completions") && has(spec, "backoffLimitPerIndex") &&
        !read_indexes(text_of(status, "failedIndexes"), int_of(spec, "completions", 0), &total, complaint))
        problem_invalid(problems, &failed, text_of(status, "failedIndexes"), "error parsing failedIndexes: %s", complaint);
    if (completed_changed && *text_of(status, "completedIndexes") != '\0' && !text_is(spec, "completionMode", "Indexed"))
        problem_invalid(problems, &completed, text_of(status, "completedIndexes"),
                        "cannot set non-empty completedIndexes when non-indexed completion mode");
    if (failed_changed && !has(spec, "backoffLimitPerIndex") && has(status, "failedIndexes"))
        problem_invalid(problems, &failed, text_of(status, "failedIndexes"), "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
}

static void check_terminal(const struct value *job, const struct value *old, struct job_state now, struct job_state was, struct problems *problems)
{
    const struct value *spec = value_get(job, "spec"), *status = value_get(job, "status"), *before = value_get(old, "status");
    const struct place failed = place_key(&status_place, "failed"), succeeded = place_key(&status_place, "succeeded");
    const struct place completion = place_key(&status_place, "completionTime"), start = place_key(&status_place, "startTime");
    bool elastic = text_is(spec, "completionMode", "Indexed") && same_at(spec, spec, "completions") &&
                   int_of(spec, "completions", -1) == int_of(spec, "parallelism", -2);
    bool resuming = condition_is(old, "Suspended", "True") && condition_is(job, "Suspended", "False");
    problem_conditions(problems, was.failed && !now.failed, "cannot disable the terminal Failed=True condition");
    problem_conditions(problems, was.complete && !now.complete, "cannot disable the terminal Complete=True condition");
    problem_conditions(problems, was.failure_target && !now.failure_target, "cannot disable the terminal FailureTarget=True condition");
    if (int_of(status, "failed", 0) < int_of(before, "failed", 0))
        problem_number(problems, &failed, int_of(status, "failed", 0), "cannot decrease the failed counter");
    if (!elastic && int_of(status, "succeeded", 0) < int_of(before, "succeeded", 0))
        problem_number(problems, &succeeded, int_of(status, "succeeded", 0), "cannot decrease the succeeded counter");
    if (has(status, "completionTime") && has(before, "completionTime") && !same_at(status, before, "completionTime"))
        problem_add(problems, &completion, PROBLEM_INVALID, value_get(status, "completionTime"), "field is immutable");
    if (!resuming && has(before, "startTime") && !same_at(status, before, "startTime") && !is_true(spec, "suspend"))
        problem_add(problems, &start, PROBLEM_INVALID, value_get(status, "startTime"), "field is immutable for unsuspended job once set");
    problem_conditions(problems, was.success && !now.success, "cannot disable the SuccessCriteriaMet=True condition");
    problem_conditions(problems, was.complete && !was.success && now.success,
                       "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
}

void job_validate_status(const struct value *object, const struct value *old, struct problems *problems)
{
    static const char *const numbers[] = {"active", "succeeded", "failed", "ready", "terminating", NULL};
    const struct value *status = value_get(object, "status"), *before = value_get(old, "status");
    const struct place terminating = place_key(&status_place, "terminating"), ready = place_key(&status_place, "ready");
    struct job_state now = state_of(object), was = state_of(old);
    bool finished_changed = now.finished != was.finished;
    check_nonnegative_all(problems, status, &status_place, numbers);
    problem_conditions(problems, (now.complete != was.complete || now.failed != was.failed) && now.complete && now.failed,
                       "cannot set Complete=True and Failed=true conditions");
    problem_conditions(problems, (now.complete != was.complete || now.failure_target != was.failure_target) && now.complete && now.failure_target,
                       "cannot set Complete=True and FailureTarget=true conditions");
    check_times(status, before, now, was, problems);
    check_finished(object, before, now, was, problems);
    check_status_indexes(object, before, problems);
    if ((finished_changed || !same_at(status, before, "terminating")) && int_of(status, "terminating", 0) > 0 && now.finished)
        problem_number(problems, &terminating, int_of(status, "terminating", 0), "terminating>0 is invalid for finished job");
    if ((!same_at(status, before, "ready") || !same_at(status, before, "active")) && has(status, "ready") &&
        int_of(status, "ready", 0) > int_of(status, "active", 0))
        problem_number(problems, &ready, int_of(status, "ready", 0), "cannot set more ready pods than active");
    problem_conditions(problems, now.success && now.failed, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
    problem_conditions(problems, now.success && now.failure_target, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
    problem_conditions(problems, has(value_get(object, "spec"), "successPolicy") && !now.success && now.complete,
                       "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
    check_terminal(object, old, now, was, problems);
}
