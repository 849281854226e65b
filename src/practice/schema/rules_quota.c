/* ResourceQuotas and LimitRanges. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/schema/rules_internal.h"

static const struct place spec_place = {.key = "spec"}, status_place = {.key = "status"};

/* ResourceQuota */
static void check_amounts(const struct value *amounts, const struct place *place, struct problems *problems)
{
    EACH (amount, amounts) {
        const struct place at = place_map(place, value_key(amount));
        check_quota_resource_name(problems, value_key(amount), &at);
        check_quantity(problems, value_key(amount), amount, &at);
    }
}

static const char *const quota_scopes[] = {
    "Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity", "VolumeAttributesClass", NULL};

static bool is_quota_resource(const char *name)
{
    struct problems problems = problems_make();
    const struct place place = place_key(NULL, "");
    bool plain = strchr(name, '/') == NULL;
    check_quota_resource_name(&problems, name, &place);
    bool known = plain && problems_none(&problems);
    problems_free(&problems);
    return known;
}

static bool scope_fits(const char *scope, const char *resource)
{
    static const char *const computes[] = {"cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory", NULL};
    static const char *const claims[] = {"persistentvolumeclaims", "requests.storage", NULL};
    if (!one_of(scope, quota_scopes))
        return true;
    if (strcmp(scope, "VolumeAttributesClass") == 0)
        return one_of(resource, claims);
    return strcmp(resource, "pods") == 0 || (strcmp(scope, "BestEffort") != 0 && one_of(resource, computes));
}

static bool scopes_conflict(const struct value *scopes, const char *key)
{
    static const char *const pairs[][2] = {{"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"}};
    for (size_t i = 0; i < 2; i++) {
        bool first = false, second = false;
        EACH (scope, scopes) {
            const char *text = key != NULL ? text_of(scope, key) : value_text(scope);
            first = first || strcmp(text, pairs[i][0]) == 0;
            second = second || strcmp(text, pairs[i][1]) == 0;
        }
        if (first && second)
            return true;
    }
    return false;
}

static void check_scopes(const struct value *spec, struct problems *problems)
{
    const struct value *scopes = value_get(spec, "scopes");
    const struct place at = place_key(&spec_place, "scopes");
    EACH (scope, scopes) {
        if (!one_of(value_text(scope), quota_scopes))
            problem_add(problems, &at, PROBLEM_INVALID, scopes, "unsupported scope");
        EACH (amount, value_get(spec, "hard"))
            if (is_quota_resource(value_key(amount)) && !scope_fits(value_text(scope), value_key(amount)))
                problem_add(problems, &at, PROBLEM_INVALID, scopes, "unsupported scope applied to resource");
    }
    if (scopes_conflict(scopes, NULL))
        problem_add(problems, &at, PROBLEM_INVALID, scopes, "conflicting scopes");
}

static void check_scope_operator(const struct value *requirement, const struct place *place, struct problems *problems)
{
    const char *scope = text_of(requirement, "scopeName"), *operator= text_of(requirement, "operator");
    const struct place operator_at = place_key(place, "operator"), values_at = place_key(place, "values");
    bool in = strcmp(operator, "In") == 0 || strcmp(operator, "NotIn") == 0,
         exists = strcmp(operator, "Exists") == 0 || strcmp(operator, "DoesNotExist") == 0;
    bool any = value_first(value_get(requirement, "values")) != NULL,
         only_exists = one_of(scope, quota_scopes) && strcmp(scope, "PriorityClass") != 0 && strcmp(scope, "VolumeAttributesClass") != 0;
    if (only_exists && strcmp(operator, "Exists") != 0)
        problem_invalid(problems, &operator_at, operator,
                        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
                        "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity");
    if (in && !any)
        problem_required(problems, &values_at, NULL, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
    else if (exists && any)
        problem_add(problems, &values_at, PROBLEM_INVALID, value_get(requirement, "values"),
                    "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
    else if (!in && !exists)
        problem_invalid(problems, &operator_at, operator, "not a valid selector operator");
}

static void check_scope_selector(const struct value *spec, struct problems *problems)
{
    const struct value *selector = value_get(spec, "scopeSelector"), *requirements = value_get(selector, "matchExpressions");
    const struct place selector_at = place_key(&spec_place, "scopeSelector"), at = place_key(&selector_at, "matchExpressions"),
                       name = place_key(&at, "scopeName");
    EACH (requirement, requirements) {
        if (!one_of(text_of(requirement, "scopeName"), quota_scopes))
            problem_invalid(problems, &name, text_of(requirement, "scopeName"), "unsupported scope");
        EACH (amount, value_get(spec, "hard"))
            if (is_quota_resource(value_key(amount)) && !scope_fits(text_of(requirement, "scopeName"), value_key(amount)))
                problem_internal(problems, &at, PROBLEM_INVALID, "ScopeSelector", selector, "unsupported scope applied to resource");
        check_scope_operator(requirement, &at, problems);
    }
    if (scopes_conflict(requirements, "scopeName"))
        problem_internal(problems, &at, PROBLEM_INVALID, "[]none", value_get(spec, "scopes"), "conflicting scopes");
}

static void validate_quota(const struct value *object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec");
    const struct place hard = place_key(&spec_place, "hard");
    check_amounts(value_get(spec, "hard"), &hard, problems);
    check_scopes(spec, problems);
    if (has(spec, "scopeSelector"))
        check_scope_selector(spec, problems);
}

static bool same_scopes(const struct value *a, const struct value *b)
{
    EACH (scope, a) {
        bool found = false;
        EACH (other, b)
            found = found || value_equal(scope, other);
        if (!found)
            return false;
    }
    return true;
}

static void quota_update(const struct value *object, const struct value *old, struct problems *problems)
{
    const struct value *now = value_find(object, "spec", "scopes", NULL), *before = value_find(old, "spec", "scopes", NULL);
    const struct place at = place_key(&spec_place, "scopes");
    if (!same_scopes(now, before) || !same_scopes(before, now))
        problem_add(problems, &at, PROBLEM_INVALID, now, "field is immutable");
}

static void quota_status(const struct value *object, const struct value *old, struct problems *problems)
{
    const struct place hard = place_key(&status_place, "hard"), used = place_key(&status_place, "used");
    (void)old;
    check_amounts(value_find(object, "status", "hard", NULL), &hard, problems);
    check_amounts(value_find(object, "status", "used", NULL), &used, problems);
}

/* LimitRange */
static bool copy_missing(struct value *to, const struct value *from)
{
    EACH (amount, from)
        if (!has(to, value_key(amount)) && !put_copy(to, value_key(amount), amount))
            return false;
    return true;
}

static bool range_defaults(struct value *object)
{
    EACH_OF (limit, value_find(object, "spec", "limits", NULL)) {
        struct value *given = NULL, *requests = NULL;
        if (!text_is(limit, "type", "Container"))
            continue;
        given = value_child(limit, "default");
        requests = value_child(limit, "defaultRequest");
        if (given == NULL || requests == NULL || !copy_missing(given, value_get(limit, "max")) || !copy_missing(requests, given) ||
            !copy_missing(requests, value_get(limit, "min")))
            return false;
    }
    return true;
}

static void check_limit_names(const struct value *limit, const char *key, const struct place *place, struct problems *problems)
{
    const struct place all = place_key(place, key);
    bool container = text_is(limit, "type", "Pod") || text_is(limit, "type", "Container");
    EACH (amount, value_get(limit, key)) {
        const struct place at = place_map(&all, value_key(amount));
        (container ? check_container_resource_name : check_resource_name)(problems, value_key(amount), &at);
    }
}

struct order {
    const char *less, *more; /* keys: the first may not be greater */
    const char *at, *value;  /* where the complaint stands, and whose value it shows */
    const char *words, *other;
};

static const struct order orders[] = {
    {"min", "max", "min", "min", "min value", "max value"},
    {"min", "defaultRequest", "defaultRequest", "defaultRequest", "min value", "default request value"},
    {"defaultRequest", "max", "defaultRequest", "defaultRequest", "default request value", "max value"},
    {"defaultRequest", "default", "defaultRequest", "defaultRequest", "default request value", "default limit value"},
    {"min", "default", "default", "min", "min value", "default value"},
    {"default", "max", "default", "max", "default value", "max value"},
};

static void check_ratio(const struct value *limit, const char *name, const struct place *place, struct problems *problems)
{
    const char *ratio = value_text(value_get(value_get(limit, "maxLimitRequestRatio"), name)),
               *least = value_text(value_get(value_get(limit, "min"), name));
    const char *most = value_text(value_get(value_get(limit, "max"), name));
    const struct place all = place_key(place, "maxLimitRequestRatio"), at = place_map(&all, name);
    int order;
    if (ratio == NULL)
        return;
    if (quantity_compare(ratio, "1", &order) && order < 0)
        problem_invalid(problems, &at, ratio, "ratio %s is less than 1", ratio);
    if (least == NULL || most == NULL)
        return;
    double bound = quantity_double(most) / quantity_double(least);
    if (quantity_double(ratio) > bound)
        problem_invalid(problems, &at, ratio, "ratio %s is greater than max/min = %f", ratio, bound);
}

static void check_limit_orders(const struct value *limit, const char *name, const struct place *place, struct problems *problems)
{
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        const char *less = value_text(value_get(value_get(limit, orders[i].less), name)),
                   *more = value_text(value_get(value_get(limit, orders[i].more), name));
        const char *shown = value_text(value_get(value_get(limit, orders[i].value), name));
        const struct place all = place_key(place, orders[i].at), at = place_map(&all, name);
        int order;
        if (less != NULL && more != NULL && shown != NULL && quantity_compare(less, more, &order) && order > 0)
            problem_invalid(problems, &at, shown, "%s %s is greater than %s %s", orders[i].words, less, orders[i].other, more);
    }
    check_ratio(limit, name, place, problems);
    const char *given = value_text(value_get(value_get(limit, "default"), name)),
               *request = value_text(value_get(value_get(limit, "defaultRequest"), name));
    const struct place all = place_key(place, "defaultRequest"), at = place_map(&all, name);
    int order;
    if (!resource_may_overcommit(name) && given != NULL && request != NULL && quantity_compare(given, request, &order) && order != 0)
        problem_invalid(problems, &at, request, "default value %s must equal to defaultRequest value %s in %s", given, request, name);
}

static void check_limit(const struct value *limit, const struct place *at, struct problems *problems)
{
    static const char *const lists[] = {"max", "min", "default", "defaultRequest", "maxLimitRequestRatio", NULL};
    bool pod = text_is(limit, "type", "Pod"), claim = text_is(limit, "type", "PersistentVolumeClaim");
    check_limit_names(limit, "max", at, problems);
    check_limit_names(limit, "min", at, problems);
    for (size_t i = 2; i < 4; i++) {
        if (!pod)
            check_limit_names(limit, lists[i], at, problems);
        else if (value_first(value_get(limit, lists[i])) != NULL)
            problem_forbidden(problems, at, lists[i], "may not be specified when `type` is 'Pod'");
    }
    if (claim && !has(value_get(limit, "min"), "storage") && !has(value_get(limit, "max"), "storage"))
        problem_required(problems, at, "limits", "either minimum or maximum storage value is required, but neither was provided");
    check_limit_names(limit, "maxLimitRequestRatio", at, problems);
    for (size_t i = 0; lists[i] != NULL; i++) {
        EACH (amount, value_get(limit, lists[i])) {
            bool earlier = false;
            for (size_t k = 0; k < i; k++)
                earlier = earlier || has(value_get(limit, lists[k]), value_key(amount));
            if (!earlier && !(pod && (i == 2 || i == 3)))
                check_limit_orders(limit, value_key(amount), at, problems);
        }
    }
}

static void validate_range(const struct value *object, struct problems *problems)
{
    static const char *const limit_types[] = {"Pod", "Container", "PersistentVolumeClaim", NULL};
    const struct value *limits = value_find(object, "spec", "limits", NULL);
    const struct place all = place_key(&spec_place, "limits");
    size_t i = 0;
    EACH (limit, limits) {
        const struct place at = place_index(&all, i++), type_at = place_key(&at, "type");
        const char *type = text_of(limit, "type");
        if (name_problems(problems, &type_at, type, name_qualified(type)) && strchr(type, '/') == NULL && !one_of(type, limit_types))
            problem_invalid(problems, &type_at, type, "must be a standard limit type or fully qualified");
        if (seen_before(limits, limit, "type"))
            problem_string(problems, &type_at, PROBLEM_DUPLICATE, type);
        check_limit(limit, &at, problems);
    }
}

const struct rules quota_rules[] = {
    {.group = "",
     .kind = "ResourceQuota",
     .flags = RULES_STATUS,
     .validate = validate_quota,
     .validate_update = quota_update,
     .validate_status = quota_status},
    {.group = "", .kind = "LimitRange", .flags = RULES_CREATE_BY_UPDATE, .defaults = range_defaults, .validate = validate_range},
    {0},
};
