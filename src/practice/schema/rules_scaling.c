/* HorizontalPodAutoscalers, of v2; those of v1 are looked at as v2 (convert.h) but for their defaults. */
#include <string.h>

#include "base/mem.h"
#include "practice/schema/convert.h"
#include "practice/schema/rules_internal.h"

static const struct place spec_place = {.key = "spec"}, status_place = {.key = "status"};

enum { PERIOD_MOST = 1800, WINDOW_MOST = 3600, CPU_UTILIZATION = 80 };

static bool is_v1(const struct value *object)
{
    return text_is(object, "apiVersion", "autoscaling/v1");
}

static bool put_policy(struct value *policies, const char *type, int64_t number)
{
    struct value *policy = value_object();
    if (policy == NULL || !put_text(policy, "type", type) || !put_int(policy, "value", number) || !put_int(policy, "periodSeconds", 15)) {
        value_free(policy);
        return false;
    }
    return value_append(policies, policy);
}

static bool direction_defaults(struct value *behavior, const char *key)
{
    bool up = strcmp(key, "scaleUp") == 0;
    struct value *rules = value_child(behavior, key);
    if (rules == NULL || !default_text(rules, "selectPolicy", "Max") || (up && !default_int(rules, "stabilizationWindowSeconds", 0)))
        return false;
    if (has(rules, "policies"))
        return true;
    if (!value_set(rules, "policies", value_array()))
        return false;
    struct value *policies = value_get(rules, "policies");
    return (!up || put_policy(policies, "Pods", 4)) && put_policy(policies, "Percent", 100);
}

static bool default_metric(struct value *spec)
{
    struct value *metrics = value_array(), *metric = value_object();
    struct value *resource = metric != NULL ? value_child(metric, "resource") : NULL,
                 *target = resource != NULL ? value_child(resource, "target") : NULL;
    bool ok = metrics != NULL && target != NULL && put_text(metric, "type", "Resource") && put_text(resource, "name", "cpu") &&
              put_text(target, "type", "Utilization") && put_int(target, "averageUtilization", CPU_UTILIZATION);
    if (!ok) {
        value_free(metric);
        value_free(metrics);
        return false;
    }
    if (!value_append(metrics, metric)) {
        value_free(metrics);
        return false;
    }
    return value_set(spec, "metrics", metrics);
}

static bool defaults(struct value *object)
{
    struct value *spec = value_child(object, "spec"), *behavior = value_get(spec, "behavior");
    if (spec == NULL || !default_int(spec, "minReplicas", 1))
        return false;
    if (is_v1(object))
        return true;
    if (value_first(value_get(spec, "metrics")) == NULL && !default_metric(spec))
        return false;
    return behavior == NULL || (direction_defaults(behavior, "scaleUp") && direction_defaults(behavior, "scaleDown"));
}

static void check_version(const struct value *ref, const struct place *place, bool any_group, struct problems *problems)
{
    const struct place at = place_key(place, "apiVersion");
    const char *version = text_of(ref, "apiVersion"), *slash = strchr(version, '/');
    if (slash != NULL && strchr(slash + 1, '/') != NULL)
        problem_invalid(problems, &at, version, "unexpected GroupVersion string: %s", version);
    else if ((slash == NULL || slash == version) && !any_group)
        problem_invalid(problems, &at, version, "apiVersion must specify API group");
}

static void check_target_ref(const struct value *ref, const struct place *place, struct problems *problems)
{
    check_name(problems, ref, place, "kind", name_path_segment, true);
    check_name(problems, ref, place, "name", name_path_segment, true);
}

static void check_positive(const struct value *target, const struct place *place, const char *key, struct problems *problems)
{
    const struct place at = place_key(place, key);
    const char *text = text_of(target, key);
    if (has(target, key) && (quantity_negative(text) || quantity_zero(text)))
        problem_invalid(problems, &at, text, "must be positive");
}

static void check_target(const struct value *target, const struct place *place, struct problems *problems)
{
    static const char *const kinds[] = {"Utilization", "Value", "AverageValue", NULL};
    const struct place type = place_key(place, "type"), utilization = place_key(place, "averageUtilization");
    if (*text_of(target, "type") == '\0')
        problem_required(problems, &type, NULL, "must specify a metric target type");
    if (!one_of(text_of(target, "type"), kinds))
        problem_invalid(problems, &type, text_of(target, "type"), "must be either Utilization, Value, or AverageValue");
    check_positive(target, place, "value", problems);
    check_positive(target, place, "averageValue", problems);
    if (has(target, "averageUtilization") && int_of(target, "averageUtilization", 0) < 1)
        problem_number(problems, &utilization, int_of(target, "averageUtilization", 0), "must be greater than 0");
}

static void check_metric_name(const struct value *source, const struct place *place, struct problems *problems)
{
    const struct place metric = place_key(place, "metric");
    const char *name = text_of(value_get(source, "metric"), "name");
    if (*name == '\0')
        problem_required(problems, &metric, "name", "must specify a metric name");
    else
        name_problems_of(problems, &metric, "name", name, name_path_segment);
}

static void check_object(const struct value *source, const struct place *place, struct problems *problems)
{
    const struct value *target = value_get(source, "target");
    const struct place described = place_key(place, "describedObject"), target_at = place_key(place, "target");
    check_target_ref(value_get(source, "describedObject"), &described, problems);
    check_version(value_get(source, "describedObject"), &described, true, problems);
    check_metric_name(source, place, problems);
    check_target(target, &target_at, problems);
    if (!has(target, "value") && !has(target, "averageValue"))
        problem_required(problems, &target_at, "averageValue", "must set either a target value or averageValue");
}

static void check_external(const struct value *source, const struct place *place, struct problems *problems)
{
    const struct value *target = value_get(source, "target");
    const struct place target_at = place_key(place, "target");
    check_metric_name(source, place, problems);
    check_target(target, &target_at, problems);
    if (!has(target, "value") && !has(target, "averageValue"))
        problem_required(problems, &target_at, "averageValue", "must set either a target value for metric or a per-pod target");
    if (has(target, "value") && has(target, "averageValue"))
        problem_forbidden(problems, &target_at, "value", "may not set both a target value for metric and a per-pod target");
}

static void check_pods(const struct value *source, const struct place *place, struct problems *problems)
{
    const struct place target_at = place_key(place, "target");
    check_metric_name(source, place, problems);
    check_target(value_get(source, "target"), &target_at, problems);
    if (!has(value_get(source, "target"), "averageValue"))
        problem_required(problems, &target_at, "averageValue", "must specify a positive target averageValue");
}

static void check_raw_target(const struct value *target, const struct place *place, struct problems *problems)
{
    check_target(target, place, problems);
    if (!has(target, "averageUtilization") && !has(target, "averageValue"))
        problem_required(problems, place, "averageUtilization", "must set either a target raw value or a target utilization");
    if (has(target, "averageUtilization") && has(target, "averageValue"))
        problem_forbidden(problems, place, "averageValue", "may not set both a target raw value and a target utilization");
}

static void check_resource(const struct value *source, const struct place *place, struct problems *problems)
{
    const struct place target = place_key(place, "target");
    if (*text_of(source, "name") == '\0')
        problem_required(problems, place, "name", "must specify a resource name");
    check_raw_target(value_get(source, "target"), &target, problems);
}

static void check_container_resource(const struct value *source, const struct place *place, struct problems *problems)
{
    const struct place name = place_key(place, "name"), target = place_key(place, "target");
    if (*text_of(source, "name") == '\0')
        problem_required(problems, &name, NULL, "must specify a resource name");
    else
        check_container_resource_name(problems, text_of(source, "name"), &name);
    if (*text_of(source, "container") == '\0')
        problem_required(problems, place, "container", "must specify a container");
    else
        name_problems_of(problems, place, "container", text_of(source, "container"), name_label);
    check_raw_target(value_get(source, "target"), &target, problems);
}

/* In the order in which the server looks for them. */
static const struct {
    const char *type, *key;
    void (*check)(const struct value *source, const struct place *place, struct problems *problems);
} sources[] = {{"Object", "object", check_object},
               {"External", "external", check_external},
               {"Pods", "pods", check_pods},
               {"Resource", "resource", check_resource},
               {"ContainerResource", "containerResource", check_container_resource}};

static void check_metric(const struct value *metric, const struct place *place, struct problems *problems)
{
    static const char *const types[] = {"ContainerResource", "External", "Object", "Pods", "Resource", NULL};
    const struct place type_at = place_key(place, "type");
    const char *type = text_of(metric, "type"), *expected = NULL;
    size_t count = 0;
    if (*type == '\0')
        problem_required(problems, &type_at, NULL, "must specify a metric source type");
    if (!one_of(type, types))
        problem_unsupported(problems, &type_at, type, types);
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        const struct place at = place_key(place, sources[i].key);
        if (has(metric, sources[i].key) && count++ == 0)
            sources[i].check(value_get(metric, sources[i].key), &at, problems);
        if (strcmp(type, sources[i].type) == 0)
            expected = sources[i].key;
    }
    if (expected != NULL && !has(metric, expected))
        problem_required(problems, place, expected, "must populate information for the given metric source");
    for (size_t i = 0; count > 1 && i < sizeof sources / sizeof sources[0]; i++)
        if (has(metric, sources[i].key) && (expected == NULL || strcmp(sources[i].key, expected) != 0))
            problem_forbidden(problems, place, sources[i].key, "must populate the given metric source only");
}

static void check_direction(const struct value *behavior, const char *key, const struct place *up, struct problems *problems)
{
    static const char *const selects[] = {"Disabled", "Max", "Min", NULL}, *const types[] = {"Percent", "Pods", NULL};
    const struct value *rules = value_get(behavior, key);
    const struct place at = place_key(up, key), window_at = place_key(&at, "stabilizationWindowSeconds"), policies = place_key(&at, "policies"),
                       tolerance = place_key(&at, "tolerance");
    int64_t window = int_of(rules, "stabilizationWindowSeconds", 0);
    size_t i = 0;
    if (rules == NULL)
        return;
    if (window < 0)
        problem_number(problems, &window_at, window, "must be greater than or equal to zero");
    if (window > WINDOW_MOST)
        problem_number(problems, &window_at, window, "must be less than or equal to %d", WINDOW_MOST);
    check_choice(problems, rules, &at, "selectPolicy", selects, false);
    if (value_first(value_get(rules, "policies")) == NULL)
        problem_required(problems, &policies, NULL, "must specify at least one Policy");
    EACH (policy, value_get(rules, "policies")) {
        const struct place policy_at = place_index(&policies, i++), type = place_key(&policy_at, "type"), value_at = place_key(&policy_at, "value");
        const struct place period_at = place_key(&policy_at, "periodSeconds");
        int64_t period = int_of(policy, "periodSeconds", 0);
        if (!one_of(text_of(policy, "type"), types))
            problem_unsupported(problems, &type, text_of(policy, "type"), types);
        if (int_of(policy, "value", 0) <= 0)
            problem_number(problems, &value_at, int_of(policy, "value", 0), "must be greater than zero");
        if (period <= 0)
            problem_number(problems, &period_at, period, "must be greater than zero");
        if (period > PERIOD_MOST)
            problem_number(problems, &period_at, period, "must be less than or equal to %d", PERIOD_MOST);
    }
    if (quantity_negative(text_of(rules, "tolerance")))
        problem_invalid(problems, &tolerance, text_of(rules, "tolerance"), "must be greater than or equal to 0");
}

static void check_spec(const struct value *spec, const struct value *old, struct problems *problems)
{
    const struct value *ref = value_get(spec, "scaleTargetRef"), *old_ref = value_get(old, "scaleTargetRef"), *behavior = value_get(spec, "behavior");
    const struct place most = place_key(&spec_place, "maxReplicas"), least = place_key(&spec_place, "minReplicas"),
                       ref_at = place_key(&spec_place, "scaleTargetRef");
    const struct place all = place_key(&spec_place, "metrics"), behavior_at = place_key(&spec_place, "behavior");
    bool scales_to_zero = false, known_ref = old != NULL && same_at(ref, old_ref, "apiVersion") && same_at(ref, old_ref, "kind");
    size_t i = 0;
    if (has(spec, "minReplicas") && int_of(spec, "maxReplicas", 0) < int_of(spec, "minReplicas", 0))
        problem_number(problems, &most, int_of(spec, "maxReplicas", 0), "must be greater than or equal to `minReplicas`");
    check_name(problems, ref, &ref_at, "kind", name_path_segment, true);
    check_name(problems, ref, &ref_at, "name", name_path_segment, true);
    if (!known_ref)
        check_version(ref, &ref_at, text_is(ref, "kind", "ReplicationController"), problems);
    EACH (metric, value_get(spec, "metrics")) {
        const struct place at = place_index(&all, i++);
        check_metric(metric, &at, problems);
        scales_to_zero = scales_to_zero || text_is(metric, "type", "Object") || text_is(metric, "type", "External");
    }
    if (has(spec, "minReplicas") && int_of(spec, "minReplicas", 0) == 0 && !scales_to_zero)
        problem_forbidden(problems, &all, NULL, "must specify at least one Object or External metric to support scaling to zero replicas");
    check_direction(behavior, "scaleUp", &behavior_at, problems);
    check_direction(behavior, "scaleDown", &behavior_at, problems);
    /* The server's newer rules come last. */
    if (int_of(spec, "minReplicas", 0) < 0)
        problem_number(problems, &least, int_of(spec, "minReplicas", 0), "must be greater than or equal to 0");
    if (int_of(spec, "maxReplicas", 0) == 0)
        problem_required(problems, &most, NULL, NULL);
    else if (int_of(spec, "maxReplicas", 0) < 1)
        problem_number(problems, &most, int_of(spec, "maxReplicas", 0), "must be greater than or equal to 1");
}

/* The spec as v2 has it; *made is to be freed. */
static const struct value *spec_of(const struct value *object, struct value **made, struct problems *problems)
{
    *made = NULL;
    if (!is_v1(object))
        return value_get(object, "spec");
    *made = convert_autoscaler(object, true);
    if (*made == NULL)
        problems->failed = true;
    return value_get(*made, "spec");
}

static void create(const struct value *object, struct problems *problems)
{
    struct value *made;
    const struct value *spec = spec_of(object, &made, problems);
    if (!problems->failed)
        check_spec(spec, NULL, problems);
    value_free(made);
}

static void update(const struct value *object, const struct value *old, struct problems *problems)
{
    struct value *made, *made_old;
    const struct value *spec = spec_of(object, &made, problems), *before = spec_of(old, &made_old, problems);
    if (!problems->failed)
        check_spec(spec, before, problems);
    value_free(made);
    value_free(made_old);
}

static void status(const struct value *object, const struct value *old, struct problems *problems)
{
    const struct place all = place_key(&status_place, "conditions");
    size_t i = 0;
    (void)old;
    EACH (condition, value_find(object, "status", "conditions", NULL)) {
        const struct place at = place_index(&all, i++);
        check_nonnegative(problems, condition, &at, "observedGeneration");
    }
    check_nonnegative(problems, value_get(object, "status"), &status_place, "currentReplicas");
    check_nonnegative(problems, value_get(object, "status"), &status_place, "desiredReplicas");
}

const struct rules scaling_rules[] = {
    {.group = "autoscaling",
     .kind = "HorizontalPodAutoscaler",
     .flags = RULES_GENERATION | RULES_STATUS,
     .defaults = defaults,
     .validate_create = create,
     .validate_update = update,
     .validate_status = status},
    {0},
};
