#include "data/units.h"
#include "practice/schema/convert_internal.h"
#include "practice/schema/rules_internal.h"

/* The annotation's names and those of v2. */
static const struct {
    const char *v1, *v2;
} directions[] = {{"ScaleUp", "scaleUp"}, {"ScaleDown", "scaleDown"}},
  scalars[] = {{"StabilizationWindowSeconds", "stabilizationWindowSeconds"}, {"SelectPolicy", "selectPolicy"}},
  policy_fields[] = {{"Type", "type"}, {"Value", "value"}, {"PeriodSeconds", "periodSeconds"}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool put_or_null(struct value *object, const char *key, const struct value *value)
{
    return value != NULL ? put_copy(object, key, value) : value_set(object, key, value_null());
}

static bool policies_to_v1(struct value *out, const struct value *policies)
{
    struct value *all = value_array();
    bool ok = value_set(out, "Policies", all);
    EACH (policy, policies) {
        struct value *made = ok ? value_object() : NULL;
        for (size_t i = 0; made != NULL && i < COUNT(policy_fields); i++)
            ok = ok && (i == 0 ? put_text(made, policy_fields[i].v1, text_of(policy, policy_fields[i].v2))
                               : put_int(made, policy_fields[i].v1, int_of(policy, policy_fields[i].v2, 0)));
        if (ok)
            ok = value_append(all, made);
        else
            value_free(made);
    }
    return ok;
}

static bool direction_to_v1(struct value *out, const char *key, const struct value *rules)
{
    if (rules == NULL)
        return value_set(out, key, value_null());
    struct value *made = value_child(out, key);
    bool ok = made != NULL;
    for (size_t i = 0; ok && i < COUNT(scalars); i++)
        ok = put_or_null(made, scalars[i].v1, value_get(rules, scalars[i].v2));
    const struct value *policies = value_get(rules, "policies");
    ok = ok && (policies != NULL ? policies_to_v1(made, policies) : value_set(made, "Policies", value_null()));
    return ok && put_or_null(made, "Tolerance", value_get(rules, "tolerance"));
}

struct value *behavior_to_v1(const struct value *behavior)
{
    struct value *made = value_object();
    bool ok = made != NULL;
    for (size_t i = 0; ok && i < COUNT(directions); i++)
        ok = direction_to_v1(made, directions[i].v1, value_get(behavior, directions[i].v2));
    if (ok)
        return made;
    value_free(made);
    return NULL;
}

static bool policies_to_v2(struct value *out, const struct value *policies)
{
    struct value *all = value_array();
    bool ok = value_set(out, "policies", all);
    EACH (policy, policies) {
        struct value *made = ok ? value_object() : NULL;
        int64_t number;
        ok = made != NULL;
        for (size_t i = 0; ok && i < COUNT(policy_fields); i++) {
            const struct value *from = field_of(policy, policy_fields[i].v1);
            if (i == 0)
                ok = put_text(made, policy_fields[i].v2, from != NULL ? value_text(from) : "");
            else
                ok = put_int(made, policy_fields[i].v2, value_as_int(from, &number) ? number : 0);
        }
        if (ok)
            ok = value_append(all, made);
        else
            value_free(made);
    }
    return ok;
}

static bool direction_to_v2(struct value *out, const char *key, const struct value *rules)
{
    char canonical[QUANTITY_TEXT];
    struct value *made = value_child(out, key);
    bool ok = made != NULL;
    for (size_t i = 0; ok && i < COUNT(scalars); i++)
        ok = put_copy(made, scalars[i].v2, field_of(rules, scalars[i].v1));
    const struct value *policies = field_of(rules, "Policies"), *tolerance = field_of(rules, "Tolerance");
    ok = ok && (policies == NULL || policies_to_v2(made, policies));
    return ok && (tolerance == NULL || !quantity_canonical(value_text(tolerance), QUANTITY_NANO, canonical) || put_text(made, "tolerance", canonical));
}

struct value *behavior_to_v2(const struct value *behavior)
{
    struct value *made = value_object();
    bool ok = made != NULL;
    for (size_t i = 0; ok && i < COUNT(directions); i++) {
        const struct value *rules = field_of(behavior, directions[i].v1);
        ok = rules == NULL || direction_to_v2(made, directions[i].v2, rules);
    }
    if (ok)
        return made;
    value_free(made);
    return NULL;
}

static bool is_number(const struct value *value)
{
    int64_t number;
    return value == NULL || (value_as_int(value, &number) && number >= INT32_MIN && number <= INT32_MAX);
}

static bool is_text(const struct value *value)
{
    return value == NULL || value_text(value) != NULL;
}

static bool direction_is_readable(const struct value *rules)
{
    const struct value *policies = field_of(rules, "Policies"), *tolerance = field_of(rules, "Tolerance");
    bool ok = value_type(rules) == VALUE_OBJECT && is_number(field_of(rules, scalars[0].v1)) && is_text(field_of(rules, scalars[1].v1)) &&
              (policies == NULL || value_type(policies) == VALUE_ARRAY) &&
              (tolerance == NULL || (value_text(tolerance) != NULL && quantity_valid(value_text(tolerance))));
    EACH (policy, policies)
        ok = ok && value_type(policy) == VALUE_OBJECT && is_text(field_of(policy, "Type")) && is_number(field_of(policy, "Value")) &&
             is_number(field_of(policy, "PeriodSeconds"));
    return ok;
}

bool behavior_is_readable(const struct value *behavior)
{
    bool ok = value_type(behavior) == VALUE_OBJECT;
    for (size_t i = 0; ok && i < COUNT(directions); i++) {
        const struct value *rules = field_of(behavior, directions[i].v1);
        ok = rules == NULL || direction_is_readable(rules);
    }
    return ok;
}

bool behavior_is_empty(const struct value *behavior)
{
    return field_of(behavior, directions[0].v1) == NULL && field_of(behavior, directions[1].v1) == NULL;
}
