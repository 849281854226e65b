/* Where pods may run: node selectors, affinity, tolerations, spreading. Also their DNS. */
#include <stdlib.h>
#include <string.h>

#include "practice/schema/pod_internal.h"

enum { NAMESERVERS_MOST = 3, SEARCHES_MOST = 32, SEARCH_TEXT_MOST = 2048 };

static void check_node_requirement(struct problems *problems, const struct value *requirement, const struct place *place, bool values_count)
{
    const struct value *values = value_get(requirement, "values");
    const struct place operator_at = place_key(place, "operator"), values_at = place_key(place, "values");
    const char *operator= text_of(requirement, "operator");
    if (strcmp(operator, "In") == 0 || strcmp(operator, "NotIn") == 0) {
        if (value_first(values) == NULL)
            problem_required(problems, &values_at, NULL, "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (strcmp(operator, "Exists") == 0 || strcmp(operator, "DoesNotExist") == 0) {
        if (value_first(values) != NULL)
            problem_forbidden(problems, &values_at, NULL, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    } else if (strcmp(operator, "Gt") == 0 || strcmp(operator, "Lt") == 0) {
        if (value_length(values) != 1)
            problem_required(problems, &values_at, NULL, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    } else {
        problem_invalid(problems, &operator_at, operator, "not a valid selector operator");
    }
    name_problems_of(problems, place, "key", text_of(requirement, "key"), name_qualified);
    size_t i = 0;
    EACH (item, values_count ? values : NULL) {
        const struct place at = place_index(&values_at, i++);
        name_problems(problems, &at, value_text(item), name_label_value(value_text(item)));
    }
}

static void check_field_requirement(struct problems *problems, const struct value *requirement, const struct place *place)
{
    const struct value *values = value_get(requirement, "values");
    const struct place operator_at = place_key(place, "operator"), values_at = place_key(place, "values"), key = place_key(place, "key");
    const char *operator= text_of(requirement, "operator");
    if (strcmp(operator, "In") != 0 && strcmp(operator, "NotIn") != 0)
        problem_invalid(problems, &operator_at, operator, "not a valid selector operator");
    else if (value_length(values) != 1)
        problem_required(problems, &values_at, NULL, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
    if (!text_is(requirement, "key", "metadata.name")) {
        problem_invalid(problems, &key, text_of(requirement, "key"), "not a valid field selector key");
        return;
    }
    size_t i = 0;
    EACH (item, values) {
        const struct place at = place_index(&values_at, i++);
        name_problems(problems, &at, value_text(item), name_subdomain(value_text(item)));
    }
}

static void check_term(struct problems *problems, const struct value *term, const struct place *place, bool values_count)
{
    const struct place expressions = place_key(place, "matchExpressions"), fields = place_key(place, "matchFields");
    size_t i = 0;
    EACH (requirement, value_get(term, "matchExpressions")) {
        const struct place at = place_index(&expressions, i++);
        check_node_requirement(problems, requirement, &at, values_count);
    }
    i = 0;
    EACH (requirement, value_get(term, "matchFields")) {
        const struct place at = place_index(&fields, i++);
        check_field_requirement(problems, requirement, &at);
    }
}

void check_node_selector(const struct value *selector, const struct place *place, struct problems *problems)
{
    const struct place terms = place_key(place, "nodeSelectorTerms");
    if (value_first(value_get(selector, "nodeSelectorTerms")) == NULL)
        problem_required(problems, &terms, NULL, "must have at least one node selector term");
    size_t i = 0;
    EACH (term, value_get(selector, "nodeSelectorTerms")) {
        const struct place at = place_index(&terms, i++);
        check_term(problems, term, &at, true);
    }
}

static void check_weight(struct problems *problems, const struct value *term, const struct place *place)
{
    const struct place at = place_key(place, "weight");
    int64_t weight = int_of(term, "weight", 0);
    if (weight <= 0 || weight > 100)
        problem_number(problems, &at, weight, "must be in the range 1-100");
}

/* Keys of labels that are told from or compared with the pod's own. */
static void check_label_keys(struct problems *problems, const struct value *term, const struct place *place, const char *key)
{
    const struct place keys = place_key(place, key);
    size_t i = 0;
    if (value_first(value_get(term, key)) == NULL)
        return;
    if (!has(term, "labelSelector")) {
        problem_forbidden(problems, &keys, NULL, "must not be specified when labelSelector is not set");
        return;
    }
    EACH (item, value_get(term, key)) {
        const struct place at = place_index(&keys, i++);
        name_problems(problems, &at, value_text(item), name_qualified(value_text(item)));
    }
}

static bool holds(const struct value *list, const char *text)
{
    EACH (item, list)
        if (strcmp(value_text(item), text) == 0)
            return true;
    return false;
}

static void check_match_keys(struct problems *problems, const struct value *term, const struct place *place)
{
    const struct value *keys = value_get(term, "matchLabelKeys"), *selector = value_get(term, "labelSelector");
    const struct value *expressions = value_get(selector, "matchExpressions");
    const struct place keys_at = place_key(place, "matchLabelKeys");
    check_label_keys(problems, term, place, "matchLabelKeys");
    check_label_keys(problems, term, place, "mismatchLabelKeys");
    EACH (expression, expressions) {
        const char *key = text_of(expression, "key");
        bool known = has(value_get(selector, "matchLabels"), key) || seen_before(expressions, expression, "key");
        size_t i = 0;
        EACH (item, keys) {
            const struct place at = place_index(place, i++);
            if (known && strcmp(value_text(item), key) == 0)
                problem_invalid(problems, &at, key, "exists in both matchLabelKeys and labelSelector");
        }
    }
    size_t i = 0;
    EACH (item, keys) {
        const struct place at = place_index(&keys_at, i++);
        if (holds(value_get(term, "mismatchLabelKeys"), value_text(item)))
            problem_invalid(problems, &at, value_text(item), "exists in both matchLabelKeys and mismatchLabelKeys");
    }
}

static void check_pod_term(struct problems *problems, const struct value *term, const struct place *place)
{
    const struct place selector = place_key(place, "labelSelector"), spaces = place_key(place, "namespaceSelector"),
                       space = place_key(place, "namespace");
    const struct place key = place_key(place, "topologyKey");
    check_selector(problems, value_get(term, "labelSelector"), &selector);
    check_selector(problems, value_get(term, "namespaceSelector"), &spaces);
    EACH (name, value_get(term, "namespaces"))
        name_problems(problems, &space, value_text(name), name_label(value_text(name)));
    check_match_keys(problems, term, place);
    if (*text_of(term, "topologyKey") == '\0')
        problem_required(problems, &key, NULL, "can not be empty");
    name_problems(problems, &key, text_of(term, "topologyKey"), name_qualified(text_of(term, "topologyKey")));
}

static void check_pod_affinity(struct problems *problems, const struct value *affinity, const struct place *place)
{
    const struct place required = place_key(place, "requiredDuringSchedulingIgnoredDuringExecution");
    const struct place preferred = place_key(place, "preferredDuringSchedulingIgnoredDuringExecution");
    size_t i = 0;
    EACH (term, value_get(affinity, required.key)) {
        const struct place at = place_index(&required, i++);
        check_pod_term(problems, term, &at);
    }
    i = 0;
    EACH (term, value_get(affinity, preferred.key)) {
        const struct place at = place_index(&preferred, i++), inner = place_key(&at, "podAffinityTerm");
        check_weight(problems, term, &at);
        check_pod_term(problems, value_get(term, "podAffinityTerm"), &inner);
    }
}

void pod_check_scheduling(const struct pod_check *check, const struct place *spec)
{
    const struct value *affinity = value_get(check->spec, "affinity"), *node = value_get(affinity, "nodeAffinity");
    const struct place at = place_key(spec, "affinity"), node_at = place_key(&at, "nodeAffinity"), pod_at = place_key(&at, "podAffinity");
    const struct place anti_at = place_key(&at, "podAntiAffinity");
    const struct place required = place_key(&node_at, "requiredDuringSchedulingIgnoredDuringExecution");
    const struct place preferred = place_key(&node_at, "preferredDuringSchedulingIgnoredDuringExecution");
    if (has(node, required.key))
        check_node_selector(value_get(node, required.key), &required, check->problems);
    size_t i = 0;
    EACH (term, value_get(node, preferred.key)) {
        const struct place term_at = place_index(&preferred, i++), preference = place_key(&term_at, "preference");
        check_weight(check->problems, term, &term_at);
        check_term(check->problems, value_get(term, "preference"), &preference, false);
    }
    check_pod_affinity(check->problems, value_get(affinity, "podAffinity"), &pod_at);
    check_pod_affinity(check->problems, value_get(affinity, "podAntiAffinity"), &anti_at);
}

/* The complaints of a text in one sentence, as some rules tell them. */
static void problem_joined(struct problems *problems, const struct place *place, const char *value, struct complaints found)
{
    struct buf words = buf_make(4096);
    for (size_t i = 0; i < found.count; i++)
        buf_printf(&words, "%s%s", i == 0 ? "" : ";", found.text[i]);
    if (!buf_ok(&words))
        problems->failed = true;
    else if (found.count > 0)
        problem_invalid(problems, place, value, "%s", words.bytes);
    buf_free(&words);
}

static void check_toleration_value(struct problems *problems, const struct value *toleration, const struct place *place)
{
    static const char *const operators[] = {"Equal", "Exists", NULL}, *const with_numbers[] = {"Equal", "Exists", "Lt", "Gt", NULL};
    const struct place at = place_key(place, "operator");
    const char *operator= text_of(toleration, "operator"), *text = text_of(toleration, "value");
    if (*operator== '\0' || strcmp(operator, "Equal") == 0)
        problem_joined(problems, &at, text, name_label_value(text));
    else if (strcmp(operator, "Exists") == 0) {
        if (*text != '\0')
            problem_invalid(problems, &at, text, "value must be empty when `operator` is 'Exists'");
    } else {
        bool number = strcmp(operator, "Lt") == 0 || strcmp(operator, "Gt") == 0;
        problem_unsupported(problems, &at, operator, number ? with_numbers : operators);
    }
}

void pod_validate_tolerations(const struct value *tolerations, const struct place *place, struct problems *problems)
{
    static const char *const effects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute", NULL};
    size_t i = 0;
    EACH (toleration, tolerations) {
        const struct place at = place_index(place, i++), operator_at = place_key(&at, "operator"), effect_at = place_key(&at, "effect");
        const char *key = text_of(toleration, "key"), *effect = text_of(toleration, "effect"), *operator= text_of(toleration, "operator");
        check_name(problems, toleration, &at, "key", name_qualified, false);
        if (*key == '\0' && strcmp(operator, "Exists") != 0)
            problem_invalid(problems, &operator_at, operator,
                            "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
        if (has(toleration, "tolerationSeconds") && strcmp(effect, "NoExecute") != 0)
            problem_invalid(problems, &effect_at, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
        check_toleration_value(problems, toleration, &at);
        if (*effect != '\0' && !one_of(effect, effects))
            problem_unsupported(problems, &effect_at, effect, effects);
    }
}

static bool repeats(const struct value *constraint)
{
    for (const struct value *other = value_next(constraint); other != NULL; other = value_next(other))
        if (same_at(constraint, other, "topologyKey") && same_at(constraint, other, "whenUnsatisfiable"))
            return true;
    return false;
}

static void check_constraint(struct problems *problems, const struct value *constraint, const struct place *at)
{
    static const char *const actions[] = {"DoNotSchedule", "ScheduleAnyway", NULL}, *const policies[] = {"Honor", "Ignore", NULL};
    const struct place skew = place_key(at, "maxSkew"), key = place_key(at, "topologyKey"), when = place_key(at, "whenUnsatisfiable");
    const struct place both = place_key(at, "{topologyKey, whenUnsatisfiable}"), domains = place_key(at, "minDomains"),
                       selector = place_key(at, "labelSelector");
    const char *action = text_of(constraint, "whenUnsatisfiable"), *topology = text_of(constraint, "topologyKey");
    if (int_of(constraint, "maxSkew", 0) <= 0)
        problem_number(problems, &skew, int_of(constraint, "maxSkew", 0), "must be greater than zero");
    if (*topology == '\0')
        problem_required(problems, &key, NULL, "can not be empty");
    if (!one_of(action, actions))
        problem_unsupported(problems, &when, action, actions);
    if (repeats(constraint)) {
        struct buf pair = buf_make(4096);
        buf_printf(&pair, "{%s, %s}", topology, action);
        if (buf_ok(&pair))
            problem_string(problems, &both, PROBLEM_DUPLICATE, pair.bytes);
        buf_free(&pair);
    }
    if (has(constraint, "minDomains")) {
        int64_t number = int_of(constraint, "minDomains", 0);
        if (number <= 0)
            problem_number(problems, &domains, number, "must be greater than zero");
        if (strcmp(action, "DoNotSchedule") != 0)
            problem_number(problems, &domains, number, "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not %s", action);
    }
    check_choice(problems, constraint, at, "nodeAffinityPolicy", policies, false);
    check_choice(problems, constraint, at, "nodeTaintsPolicy", policies, false);
    check_match_keys(problems, constraint, at);
    check_selector(problems, value_get(constraint, "labelSelector"), &selector);
}

void pod_check_spread(const struct pod_check *check, const struct place *spec)
{
    const struct place all = place_key(spec, "topologySpreadConstraints");
    size_t i = 0;
    EACH (constraint, value_get(check->spec, "topologySpreadConstraints")) {
        const struct place at = place_index(&all, i++);
        check_constraint(check->problems, constraint, &at);
    }
}
