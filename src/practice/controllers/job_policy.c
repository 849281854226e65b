/* job_policy.c: what a podFailurePolicy says of a Pod. */
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/job.h"

static bool same(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static bool code_matches(const struct value *wanted, int64_t code)
{
    bool listed = false;
    for (const struct value *entry = value_first(value_get(wanted, "values")); entry != NULL; entry = value_next(entry)) {
        int64_t number;
        listed = listed || (value_as_int(entry, &number) && number == code);
    }
    return same(value_find_text(wanted, "operator", NULL), "In") ? listed : !listed;
}

/* The first container that ended with such a code. */
static const struct value *container_of(const struct value *statuses, const struct value *wanted)
{
    const char *name = value_find_text(wanted, "containerName", NULL);
    for (const struct value *entry = value_first(statuses); entry != NULL; entry = value_next(entry)) {
        int64_t code = value_find_int(entry, 0, "state", "terminated", "exitCode", NULL);
        if (code != 0 && (name == NULL || same(name, value_find_text(entry, "name", NULL))) && code_matches(wanted, code))
            return entry;
    }
    return NULL;
}

static const struct value *condition_of(const struct value *conditions, const struct value *patterns)
{
    for (const struct value *entry = value_first(conditions); entry != NULL; entry = value_next(entry))
        for (const struct value *pattern = value_first(patterns); pattern != NULL; pattern = value_next(pattern))
            if (same(value_find_text(entry, "type", NULL), value_find_text(pattern, "type", NULL)) &&
                same(value_find_text(entry, "status", NULL), value_find_text(pattern, "status", NULL)))
                return entry;
    return NULL;
}

static bool matched(struct job_match *match, const char *action, char *message)
{
    static const char *const actions[] = {[JOB_COUNT] = "Count", [JOB_IGNORE] = "Ignore", [JOB_FAIL_JOB] = "FailJob", [JOB_FAIL_INDEX] = "FailIndex"};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (same(actions[i], action))
            match->action = (enum job_action)i;
    bool ok = message != NULL;
    if (match->action == JOB_FAIL_JOB)
        match->message = message;
    else
        mem_free(message);
    return ok;
}

bool job_policy_match(const struct value *policy, const struct value *pod, struct job_match *match)
{
    const struct value *status = value_get(pod, "status"), *found;
    const char *ns = value_find_text(pod, "metadata", "namespace", NULL), *name = value_find_text(pod, "metadata", "name", NULL);
    int index = 0;
    for (const struct value *rule = value_first(value_get(policy, "rules")); rule != NULL; rule = value_next(rule), index++) {
        const struct value *codes = value_get(rule, "onExitCodes"), *conditions = value_get(rule, "onPodConditions");
        const char *action = value_find_text(rule, "action", NULL);
        if (codes != NULL) {
            found = container_of(value_get(status, "containerStatuses"), codes);
            found = found != NULL ? found : container_of(value_get(status, "initContainerStatuses"), codes);
            if (found != NULL)
                return matched(match, action, mem_printf("Container %s for pod %s/%s failed with exit code %lld matching %s rule at index %d", value_find_text(found, "name", NULL), ns, name,
                                                         (long long)value_find_int(found, 0, "state", "terminated", "exitCode", NULL), action, index));
        } else if ((found = condition_of(value_get(status, "conditions"), conditions)) != NULL) {
            return matched(match, action, mem_printf("Pod %s/%s has condition %s matching %s rule at index %d", ns, name, value_find_text(found, "type", NULL), action, index));
        }
    }
    return true;
}
