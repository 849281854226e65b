/* PodDisruptionBudgets, PriorityClasses, Leases, RuntimeClasses. */
#include <string.h>

#include "practice/schema/rules_internal.h"

static const struct place spec_place = {.key = "spec"}, status_place = {.key = "status"};

enum { USER_PRIORITY_MOST = 1000000000 };

/* PodDisruptionBudget */
static void validate_budget(const struct value *object, struct problems *problems)
{
    static const char *const policies[] = {"AlwaysAllow", "IfHealthyBudget", NULL}, *const numbers[] = {"minAvailable", "maxUnavailable", NULL};
    const struct value *spec = value_get(object, "spec");
    const struct place selector = place_key(&spec_place, "selector");
    if (has(spec, "minAvailable") && has(spec, "maxUnavailable"))
        problem_internal(problems, &spec_place, PROBLEM_INVALID, "PodDisruptionBudgetSpec", spec, "minAvailable and maxUnavailable cannot be both set");
    for (size_t i = 0; numbers[i] != NULL; i++) {
        check_percent(problems, spec, &spec_place, numbers[i]);
        check_at_most_100(problems, spec, &spec_place, numbers[i]);
    }
    check_selector(problems, value_get(spec, "selector"), &selector);
    check_choice(problems, spec, &spec_place, "unhealthyPodEvictionPolicy", policies, false);
}

static void check_conditions(const struct value *conditions, const struct place *place, struct problems *problems)
{
    static const char *const statuses[] = {"False", "True", "Unknown", NULL};
    size_t i = 0;
    EACH (condition, conditions) {
        const struct place at = place_index(place, i++), status = place_key(&at, "status");
        check_name(problems, condition, &at, "type", name_qualified, false);
        check_name(problems, condition, &at, "reason", name_condition_reason, false);
        if (*text_of(condition, "type") == '\0')
            problem_required(problems, &at, "type", "is required");
        if (*text_of(condition, "status") == '\0')
            problem_required(problems, &status, NULL, NULL);
        else if (!one_of(text_of(condition, "status"), statuses))
            problem_unsupported(problems, &status, text_of(condition, "status"), statuses);
        if (!has(condition, "lastTransitionTime"))
            problem_required(problems, &at, "lastTransitionTime", NULL);
        if (*text_of(condition, "reason") == '\0')
            problem_required(problems, &at, "reason", NULL);
    }
}

static void budget_status(const struct value *object, const struct value *old, struct problems *problems)
{
    static const char *const numbers[] = {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods", NULL};
    const struct place conditions = place_key(&status_place, "conditions");
    (void)old;
    check_conditions(value_find(object, "status", "conditions", NULL), &conditions, problems);
    check_nonnegative_all(problems, value_get(object, "status"), &status_place, numbers);
}

/* PriorityClass */
static bool priority_defaults(struct value *object)
{
    return default_text(object, "preemptionPolicy", "PreemptLowerPriority");
}

static void check_system_class(const struct value *object, const char *name, struct problems *problems)
{
    static const struct {
        const char *name;
        int64_t value;
    } classes[] = {{"system-node-critical", 2000001000}, {"system-cluster-critical", 2000000000}};
    const struct place metadata = place_key(NULL, "metadata"), at = place_key(&metadata, "name");
    struct buf words = buf_make(1024);
    buf_printf(&words, "priority class names with 'system-' prefix are reserved for system use only. error: ");
    bool known = false, wrong = true;
    for (size_t i = 0; i < 2 && !known; i++) {
        known = strcmp(classes[i].name, name) == 0;
        if (known && int_of(object, "value", 0) != classes[i].value)
            buf_printf(&words, "value of %s PriorityClass must be %lld", name, (long long)classes[i].value);
        else if (known && is_true(object, "globalDefault"))
            buf_printf(&words, "globalDefault of %s PriorityClass must be false", name);
        else if (known)
            wrong = false;
    }
    if (!known)
        buf_printf(&words, "%s is not a known system priority class", name);
    if (wrong && buf_ok(&words))
        problem_forbidden(problems, &at, NULL, words.bytes);
    buf_free(&words);
}

static void check_preemption(const struct value *object, struct problems *problems)
{
    static const char *const policies[] = {"PreemptLowerPriority", "Never", NULL};
    check_choice(problems, object, NULL, "preemptionPolicy", policies, has(object, "preemptionPolicy"));
}

static void priority_create(const struct value *object, struct problems *problems)
{
    const char *name = text_of(value_get(object, "metadata"), "name");
    if (starts_with(name, "system-"))
        check_system_class(object, name, problems);
    else if (int_of(object, "value", 0) > USER_PRIORITY_MOST)
        problem_forbidden(problems, NULL, "value", "maximum allowed value of a user defined priority is 1000000000");
    check_preemption(object, problems);
}

/* Never counted up. */
static bool prepare_priority(struct value *object)
{
    return put_generation(object, 1);
}

static void priority_update(const struct value *object, const struct value *old, struct problems *problems)
{
    if (int_of(object, "value", 0) != int_of(old, "value", 0))
        problem_forbidden(problems, NULL, "value", "may not be changed in an update.");
    check_immutable(problems, object, old, NULL, "preemptionPolicy");
}

/* Lease. The feature of coordinated election is off: its fields are dropped. */
static bool prepare_lease(struct value *object)
{
    value_remove(value_get(object, "spec"), "strategy");
    value_remove(value_get(object, "spec"), "preferredHolder");
    return true;
}

static bool prepare_lease_update(struct value *object, const struct value *old)
{
    (void)old;
    return prepare_lease(object);
}

static void validate_lease(const struct value *object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec");
    const struct place duration = place_key(&spec_place, "leaseDurationSeconds"), transitions = place_key(&spec_place, "leaseTransitions");
    if (has(spec, "leaseDurationSeconds") && int_of(spec, "leaseDurationSeconds", 0) <= 0)
        problem_number(problems, &duration, int_of(spec, "leaseDurationSeconds", 0), "must be greater than 0");
    if (int_of(spec, "leaseTransitions", 0) < 0)
        problem_number(problems, &transitions, int_of(spec, "leaseTransitions", 0), "must be greater than or equal to 0");
}

/* RuntimeClass */
static void validate_runtime(const struct value *object, struct problems *problems)
{
    const struct place overhead = place_key(NULL, "overhead"), limits = place_key(&overhead, "limits"), scheduling = place_key(NULL, "scheduling");
    const struct place selector = place_key(&scheduling, "nodeSelector"), tolerations = place_key(&scheduling, "tolerations");
    const struct value *list = value_find(object, "scheduling", "tolerations", NULL);
    EACH (amount, value_find(object, "overhead", "podFixed", NULL)) {
        const struct place at = place_map(&limits, value_key(amount));
        check_container_resource_name(problems, value_key(amount), &at);
        check_quantity(problems, value_key(amount), amount, &at);
    }
    check_labels(problems, value_find(object, "scheduling", "nodeSelector", NULL), &selector);
    pod_validate_tolerations(list, &tolerations, problems);
    size_t i = 0;
    EACH (toleration, list) {
        const struct place at = place_index(&tolerations, i++);
        for (const struct value *other = value_first(list); other != toleration; other = value_next(other))
            if (same_at(other, toleration, "key") && same_at(other, toleration, "operator") && same_at(other, toleration, "value") &&
                same_at(other, toleration, "effect"))
                problem_internal(problems, &at, PROBLEM_DUPLICATE, "Toleration", toleration, NULL);
    }
    check_name(problems, object, NULL, "handler", name_label, true);
}

static void runtime_update(const struct value *object, const struct value *old, struct problems *problems)
{
    check_unchanged(problems, object, old, NULL, "handler");
}

static void warn_runtime(const struct value *object, const struct value *old, struct vec *warnings)
{
    const struct place scheduling = place_key(NULL, "scheduling"), selector = place_key(&scheduling, "nodeSelector");
    (void)old;
    EACH (label, value_find(object, "scheduling", "nodeSelector", NULL)) {
        const struct place at = place_map(&selector, value_key(label));
        check_label_warn(warnings, value_key(label), &at, false);
    }
}

const struct rules policy_rules[] = {
    {.group = "policy",
     .kind = "PodDisruptionBudget",
     .flags = RULES_GENERATION | RULES_STATUS | RULES_LOOSE_NAME | RULES_NEEDS_VERSION,
     .validate = validate_budget,
     .validate_status = budget_status},
    {.group = "scheduling.k8s.io",
     .kind = "PriorityClass",
     .defaults = priority_defaults,
     .prepare_create = prepare_priority,
     .validate_create = priority_create,
     .validate_update = priority_update},
    {.group = "coordination.k8s.io",
     .kind = "Lease",
     .flags = RULES_CREATE_BY_UPDATE | RULES_PLAIN_FINALIZERS | RULES_NEEDS_VERSION,
     .prepare_create = prepare_lease,
     .prepare_update = prepare_lease_update,
     .validate = validate_lease},
    {.group = "node.k8s.io", .kind = "RuntimeClass", .flags = RULES_NEEDS_VERSION, .validate_create = validate_runtime, .validate_update = runtime_update, .warn = warn_runtime},
    {0},
};
