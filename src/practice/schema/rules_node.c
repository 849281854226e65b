/* Nodes. */
#include <string.h>

#include "practice/schema/addresses.h"
#include "practice/schema/rules_internal.h"

static const struct place spec_place = {.key = "spec"}, status_place = {.key = "status"}, metadata_place = {.key = "metadata"};

static bool defaults(struct value *object)
{
    struct value *spec = value_get(object, "spec"), *status = value_get(object, "status");
    const char *range = text_of(spec, "podCIDR");
    if (status != NULL && !has(status, "allocatable") && has(status, "capacity") && !put_copy(status, "allocatable", value_get(status, "capacity")))
        return false;
    /* podCIDR and the first of podCIDRs are one. */
    const struct value *first = value_first(value_get(spec, "podCIDRs"));
    if (first != NULL)
        return put_copy(spec, "podCIDR", first);
    return *range == '\0' ||
           (value_set(spec, "podCIDRs", value_array()) && value_append(value_get(spec, "podCIDRs"), value_copy(value_get(spec, "podCIDR"))));
}

static bool create(struct value *object)
{
    value_remove(value_get(object, "spec"), "configSource");
    return true;
}

static bool update(struct value *object, const struct value *old)
{
    (void)old;
    return create(object);
}

static void check_taints(const struct value *taints, struct problems *problems)
{
    static const char *const effects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute", NULL};
    const struct place all = place_key(&metadata_place, "taints");
    size_t i = 0;
    EACH (taint, taints) {
        const struct place at = place_index(&all, i++), key = place_key(&at, "key"), value_at = place_key(&at, "value");
        struct complaints found = name_label_value(text_of(taint, "value"));
        bool repeated = false;
        name_problems(problems, &key, text_of(taint, "key"), name_qualified(text_of(taint, "key")));
        name_problems(problems, &value_at, text_of(taint, "value"), found);
        check_choice(problems, taint, &at, "effect", effects, true);
        for (const struct value *other = value_first(taints); other != taint; other = value_next(other))
            repeated = repeated ||
                       (strcmp(text_of(other, "key"), text_of(taint, "key")) == 0 && strcmp(text_of(other, "effect"), text_of(taint, "effect")) == 0);
        if (repeated)
            problem_internal(problems, &at, PROBLEM_DUPLICATE, "Taint", taint, "taints must be unique by key and effect pair");
    }
}

static void check_amounts(const struct value *status, const char *key, struct problems *problems)
{
    const struct place list = place_key(&status_place, key);
    EACH (amount, value_get(status, key)) {
        const struct place at = place_key(&list, value_key(amount));
        check_quantity(problems, value_key(amount), amount, &at);
    }
}

static void check_ranges(const struct value *spec, struct problems *problems)
{
    const struct value *ranges = value_get(spec, "podCIDRs");
    const struct place all = place_key(&spec_place, "podCIDRs");
    struct cidr first, second;
    size_t i = 0;
    EACH (range, ranges) {
        const struct place at = place_index(&all, i++);
        cidr_problems(problems, &at, value_text(range), NULL);
    }
    bool dual = i == 2 && cidr_read(value_text(value_first(ranges)), &first) && cidr_read(value_text(value_item(ranges, 1)), &second) &&
                first.address.v4 != second.address.v4;
    if (i > 1 && !dual)
        problem_add(problems, &all, PROBLEM_INVALID, ranges, "may specify no more than one CIDR for each IP family");
}

static void validate(const struct value *object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec"), *status = value_get(object, "status");
    check_taints(value_get(spec, "taints"), problems);
    check_amounts(status, "capacity", problems);
    check_amounts(status, "allocatable", problems);
    check_ranges(spec, problems);
}

static void check_addresses(const struct value *status, struct problems *problems)
{
    const struct value *addresses = value_get(status, "addresses");
    const struct place all = place_key(&status_place, "addresses");
    size_t i = 0;
    EACH (address, addresses) {
        const struct place at = place_index(&all, i++);
        for (const struct value *other = value_first(addresses); other != address; other = value_next(other))
            if (value_equal(other, address))
                problem_internal(problems, &at, PROBLEM_DUPLICATE, "NodeAddress", address, NULL);
    }
}

static void check_changes(const struct value *object, const struct value *old_object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec"), *old = value_get(old_object, "spec");
    const struct place provider = place_key(&spec_place, "providerID");
    const char *before = text_of(old, "providerID"), *now = text_of(spec, "providerID");
    check_addresses(value_get(object, "status"), problems);
    if (value_first(value_get(old, "podCIDRs")) != NULL && !same_at(spec, old, "podCIDRs"))
        problem_forbidden(problems, &spec_place, "podCIDRs", "node updates may not change podCIDR except from \"\" to valid");
    if (*before != '\0' && strcmp(now, before) != 0)
        problem_text(problems, &provider, PROBLEM_INVALID, "null",
                     *now != '\0' ? "field cannot be modified once set" : "field cannot be cleared once set");
    check_taints(value_get(spec, "taints"), problems);
    if (strcmp(text_of(spec, "externalID"), text_of(old, "externalID")) != 0)
        problem_forbidden(problems, &spec_place, "externalID", "may not be updated");
}

static void validate_status(const struct value *object, const struct value *old, struct problems *problems)
{
    check_amounts(value_get(object, "status"), "capacity", problems);
    check_amounts(value_get(object, "status"), "allocatable", problems);
    check_changes(object, old, problems);
}

static void warn(const struct value *object, const struct value *old, struct vec *warnings)
{
    const struct value *spec = value_get(object, "spec");
    const struct place external = place_key(&spec_place, "externalID"), all = place_key(&spec_place, "podCIDRs");
    size_t i = 0;
    (void)old;
    if (*text_of(spec, "externalID") != '\0')
        warning_at(warnings, &external, "this field is deprecated, and is unused by Kubernetes");
    EACH (range, value_get(spec, "podCIDRs")) {
        const struct place at = place_index(&all, i++);
        cidr_warn(warnings, &at, value_text(range));
    }
}

static const char *const selectors[] = {"spec.unschedulable", NULL};

const struct rules node_rules[] = {
    {.group = "",
     .kind = "Node",
     .defaults = defaults,
     .prepare_create = create,
     .prepare_update = update,
     .validate = validate,
     .validate_update = check_changes,
     .validate_status = validate_status,
     .warn = warn,
     .selectors = selectors},
    {0},
};
