/* Roles and bindings (pkg/apis/rbac/validation). What the server's newer rules tell comes last. */
#include <string.h>

#include "practice/schema/rules_internal.h"

#define GROUP "rbac.authorization.k8s.io"

static void check_segment(const char *name, bool prefix, struct problems *problems, const struct place *place)
{
    (void)prefix;
    name_problems(problems, place, name, name_path_segment(name));
}

static void check_rule(const struct value *rule, const struct place *place, bool namespaced, struct problems *problems)
{
    const struct value *urls = value_get(rule, "nonResourceURLs");
    const struct place at = place_key(place, "nonResourceURLs");
    if (value_first(urls) == NULL) {
        if (value_first(value_get(rule, "apiGroups")) == NULL)
            problem_required(problems, place, "apiGroups", "resource rules must supply at least one api group");
        if (value_first(value_get(rule, "resources")) == NULL)
            problem_required(problems, place, "resources", "resource rules must supply at least one resource");
        return;
    }
    if (namespaced)
        problem_add(problems, &at, PROBLEM_INVALID, urls, "namespaced rules cannot apply to non-resource URLs");
    if (value_first(value_get(rule, "apiGroups")) != NULL || value_first(value_get(rule, "resources")) != NULL ||
        value_first(value_get(rule, "resourceNames")) != NULL)
        problem_add(problems, &at, PROBLEM_INVALID, urls, "rules cannot apply to both regular resources and non-resource URLs");
}

static void check_rules(const struct value *object, bool namespaced, struct problems *problems)
{
    const struct place all = place_key(NULL, "rules");
    size_t i = 0;
    EACH (rule, value_get(object, "rules")) {
        const struct place at = place_index(&all, i++);
        check_rule(rule, &at, namespaced, problems);
    }
}

static void check_verbs(const struct value *object, struct problems *problems)
{
    const struct place all = place_key(NULL, "rules");
    size_t i = 0;
    EACH (rule, value_get(object, "rules")) {
        const struct place at = place_index(&all, i++);
        if (value_first(value_get(rule, "verbs")) == NULL)
            problem_required(problems, &at, "verbs", NULL);
    }
}

static void validate_role(const struct value *object, struct problems *problems)
{
    check_rules(object, true, problems);
    check_verbs(object, problems);
}

static void validate_cluster_role(const struct value *object, struct problems *problems)
{
    const struct value *aggregation = value_get(object, "aggregationRule"), *selectors = value_get(aggregation, "clusterRoleSelectors");
    const struct place rule = place_key(NULL, "aggregationRule"), all = place_key(&rule, "clusterRoleSelectors");
    size_t i = 0;
    check_rules(object, false, problems);
    if (aggregation != NULL && value_first(selectors) == NULL)
        problem_required(problems, &all, NULL, "at least one clusterRoleSelector required if aggregationRule is non-nil");
    EACH (selector, selectors) {
        const struct place at = place_index(&all, i++);
        check_selector(problems, selector, &at);
        if (!selector_is_valid(selector))
            problem_text(problems, &at, PROBLEM_INVALID, "null", "invalid label selector.");
    }
    check_verbs(object, problems);
}

/* Bindings */
static bool binding_defaults(struct value *object)
{
    struct value *role = value_child(object, "roleRef");
    if (role == NULL || !default_text(role, "apiGroup", GROUP))
        return false;
    EACH_OF (subject, value_get(object, "subjects"))
        if ((text_is(subject, "kind", "User") || text_is(subject, "kind", "Group")) && !default_text(subject, "apiGroup", GROUP))
            return false;
    return true;
}

static void check_subject(const struct value *subject, const struct place *place, bool namespaced, struct problems *problems)
{
    static const char *const kinds[] = {"ServiceAccount", "User", "Group", NULL}, *const core[] = {"", NULL}, *const rbac[] = {GROUP, NULL};
    const char *kind = text_of(subject, "kind"), *group = text_of(subject, "apiGroup");
    const struct place group_at = place_key(place, "apiGroup"), kind_at = place_key(place, "kind");
    if (strcmp(kind, "ServiceAccount") == 0) {
        check_name(problems, subject, place, "name", name_subdomain, false);
        if (*group != '\0')
            problem_unsupported(problems, &group_at, group, core);
        if (!namespaced && *text_of(subject, "namespace") == '\0')
            problem_required(problems, place, "namespace", NULL);
    } else if (strcmp(kind, "User") == 0 || strcmp(kind, "Group") == 0) {
        if (strcmp(group, GROUP) != 0)
            problem_unsupported(problems, &group_at, group, rbac);
    } else {
        problem_unsupported(problems, &kind_at, kind, kinds);
    }
}

static void check_binding(const struct value *object, bool namespaced, struct problems *problems)
{
    static const char *const kinds[] = {"Role", "ClusterRole", NULL}, *const rbac[] = {GROUP, NULL};
    const struct value *role = value_get(object, "roleRef");
    const struct place at = place_key(NULL, "roleRef"), group = place_key(&at, "apiGroup"), kind = place_key(&at, "kind"),
                       all = place_key(NULL, "subjects");
    const char *const *known = namespaced ? kinds : kinds + 1;
    size_t i = 0;
    if (!text_is(role, "apiGroup", GROUP))
        problem_unsupported(problems, &group, text_of(role, "apiGroup"), rbac);
    if (!one_of(text_of(role, "kind"), known))
        problem_unsupported(problems, &kind, text_of(role, "kind"), known);
    check_name(problems, role, &at, "name", name_path_segment, false);
    EACH (subject, value_get(object, "subjects")) {
        const struct place subject_at = place_index(&all, i++);
        check_subject(subject, &subject_at, namespaced, problems);
    }
    i = 0;
    EACH (subject, value_get(object, "subjects")) {
        const struct place subject_at = place_index(&all, i++);
        if (*text_of(subject, "name") == '\0')
            problem_required(problems, &subject_at, "name", NULL);
    }
    if (*text_of(role, "name") == '\0')
        problem_required(problems, &at, "name", NULL);
}

static void validate_binding(const struct value *object, struct problems *problems)
{
    check_binding(object, true, problems);
}

static void validate_cluster_binding(const struct value *object, struct problems *problems)
{
    check_binding(object, false, problems);
}

static void binding_update(const struct value *object, const struct value *old, struct problems *problems)
{
    const struct place at = place_key(NULL, "roleRef");
    if (!same_at(object, old, "roleRef"))
        problem_internal(problems, &at, PROBLEM_INVALID, "RoleRef", value_get(object, "roleRef"), "field is immutable");
}

const struct rules rbac_rules[] = {
    {.group = GROUP, .kind = "Role", .flags = RULES_CREATE_BY_UPDATE, .check_name = check_segment, .validate = validate_role},
    {.group = GROUP, .kind = "ClusterRole", .flags = RULES_CREATE_BY_UPDATE, .check_name = check_segment, .validate = validate_cluster_role},
    {.group = GROUP,
     .kind = "RoleBinding",
     .flags = RULES_CREATE_BY_UPDATE,
     .defaults = binding_defaults,
     .check_name = check_segment,
     .validate = validate_binding,
     .validate_update = binding_update},
    {.group = GROUP,
     .kind = "ClusterRoleBinding",
     .flags = RULES_CREATE_BY_UPDATE,
     .defaults = binding_defaults,
     .check_name = check_segment,
     .validate = validate_cluster_binding,
     .validate_update = binding_update},
    {0},
};
