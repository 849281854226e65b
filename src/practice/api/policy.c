/* The default policy as documents, and the aggregation of roles. */
#include <string.h>

#include "base/mem.h"
#include "practice/api/access_internal.h"
#include "practice/api/label_selector.h"
#include "practice/api/lookup.h"
#include "practice/api/policy_table.h"
#include "practice/api/user.h"

#define RBAC_GROUP "rbac.authorization.k8s.io"
#define RBAC_VERSION RBAC_GROUP "/v1"
#define AGGREGATOR "system:serviceaccount:kube-system:clusterrole-aggregation-controller"

enum { POLICY_SELECTORS = 10000 /* of one role */ };

static const char controller_prefix[] = "system:controller:";

/* Cuts the next part off *text, up to a separator or the end. NULL: no memory. */
static char *next_part(const char **text, const char *separators)
{
    size_t length = strcspn(*text, separators);
    char *part = mem_string_n(*text, length);
    *text += length;
    if (**text != '\0')
        ++*text;
    return part;
}

static bool set_words(struct value *rule, const char *key, const char *words)
{
    if (!value_set(rule, key, value_array()))
        return false;
    while (*words != '\0') {
        char *word = next_part(&words, ",");
        bool ok = word != NULL && value_append(value_get(rule, key), value_string(strcmp(word, "core") == 0 ? "" : word));
        mem_free(word);
        if (!ok)
            return false;
    }
    return true;
}

/* One line to a rule. */
static struct value *read_rule(const char *line)
{
    static const char *const resource_fields[] = {"verbs", "apiGroups", "resources", "resourceNames"}, *const path_fields[] = {
                                                                                                           "verbs",
                                                                                                           "nonResourceURLs"};
    size_t spaces = 0;
    for (const char *at = line; *at != '\0'; at++)
        spaces += *at == ' ' ? 1 : 0;
    const char *const *fields = spaces == 1 ? path_fields : resource_fields;
    struct value *rule = value_object();
    bool ok = rule != NULL;
    for (size_t i = 0; ok && i <= spaces; i++) {
        char *part = next_part(&line, " ");
        ok = part != NULL && set_words(rule, fields[i], part);
        mem_free(part);
    }
    if (ok)
        return rule;
    value_free(rule);
    return NULL;
}

static bool has_equal(const struct value *list, const struct value *value)
{
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item))
        if (value_equal(item, value))
            return true;
    return false;
}

/* Adds a rule that is not there yet; takes it over. */
static bool add_rule(struct value *rules, struct value *rule)
{
    if (rule == NULL)
        return false;
    if (has_equal(rules, rule)) {
        value_free(rule);
        return true;
    }
    return value_append(rules, rule);
}

static bool add_lines(struct value *rules, const char *lines)
{
    while (*lines != '\0') {
        char *line = next_part(&lines, "\n");
        bool ok = line != NULL && add_rule(rules, read_rule(line));
        mem_free(line);
        if (!ok)
            return false;
    }
    return true;
}

static bool add_rules_of(struct value *rules, const struct policy_role *role)
{
    if (role->aggregate_from == NULL)
        return add_lines(rules, role->rules);
    for (const struct policy_role *part = policy_roles; part->name != NULL; part++)
        if (part->aggregate_to != NULL && strcmp(part->aggregate_to, role->aggregate_from) == 0 && !add_rules_of(rules, part))
            return false;
    return true;
}

static struct value *document(const char *kind, const char *name)
{
    struct value *out = value_object(), *metadata = out != NULL ? value_object() : NULL;
    bool ok =
        metadata != NULL && value_set(metadata, "name", value_string(name)) && value_set(metadata, "labels", value_object()) &&
        value_set(value_get(metadata, "labels"), "kubernetes.io/bootstrapping", value_string("rbac-defaults")) &&
        value_set(metadata, "annotations", value_object()) &&
        value_set(value_get(metadata, "annotations"), "rbac.authorization.kubernetes.io/autoupdate", value_string("true")) &&
        value_set(out, "kind", value_string(kind)) && value_set(out, "apiVersion", value_string(RBAC_VERSION));
    if (ok && value_set(out, "metadata", metadata))
        return out;
    if (!ok)
        value_free(metadata);
    value_free(out);
    return NULL;
}

/* {"clusterRoleSelectors":[{"matchLabels":{"...aggregate-to-X":"true"}}]} */
static bool set_aggregation(struct value *role, const char *label)
{
    struct value *labels = value_object(), *selector = value_object(), *list = value_array(), *rule = value_object();
    char *key = mem_printf(RBAC_GROUP "/aggregate-to-%s", label);
    bool ok = labels != NULL && selector != NULL && list != NULL && rule != NULL && key != NULL &&
              value_set(labels, key, value_string("true"));
    mem_free(key);
    if (!ok) {
        value_free(labels);
        value_free(selector);
        value_free(list);
        value_free(rule);
        return false;
    }
    ok = value_set(selector, "matchLabels", labels); /* each takes its part over, also when it fails */
    ok = value_append(list, selector) && ok;
    ok = value_set(rule, "clusterRoleSelectors", list) && ok;
    return value_set(role, "aggregationRule", rule) && ok;
}

static struct value *make_role(const struct policy_role *role)
{
    struct value *out = document("ClusterRole", role->name);
    bool ok = out != NULL;
    if (ok && role->aggregate_to != NULL) {
        char *key = mem_printf(RBAC_GROUP "/aggregate-to-%s", role->aggregate_to);
        ok = key != NULL && value_set(value_get(value_get(out, "metadata"), "labels"), key, value_string("true"));
        mem_free(key);
    }
    ok = ok && value_set(out, "rules", value_array()) && add_rules_of(value_get(out, "rules"), role);
    if (ok && role->aggregate_from != NULL)
        ok = set_aggregation(out, role->aggregate_from);
    if (ok)
        return out;
    value_free(out);
    return NULL;
}

/* "Group NAME" and the like. */
static struct value *make_subject(const char *line)
{
    const char *name = strchr(line, ' ') + 1, *slash = strchr(line, '/');
    bool account = *line == 'S';
    struct value *out = value_object();
    char *kind = mem_string_n(line, (size_t)(name - line) - 1),
         *ns = account ? mem_string_n(name, (size_t)(slash - name)) : NULL;
    bool ok = out != NULL && kind != NULL && value_set(out, "kind", value_string(kind));
    if (ok && account)
        ok = ns != NULL && value_set(out, "name", value_string(slash + 1)) && value_set(out, "namespace", value_string(ns));
    else if (ok)
        ok = value_set(out, "apiGroup", value_string(RBAC_GROUP)) && value_set(out, "name", value_string(name));
    mem_free(kind);
    mem_free(ns);
    if (ok)
        return out;
    value_free(out);
    return NULL;
}

static struct value *make_binding(const char *name, const char *role, const char *subjects)
{
    struct value *out = document("ClusterRoleBinding", name);
    bool ok = out != NULL && (*subjects == '\0' || value_set(out, "subjects", value_array()));
    while (ok && *subjects != '\0') {
        char *line = next_part(&subjects, "\n");
        ok = line != NULL && value_append(value_get(out, "subjects"), make_subject(line));
        mem_free(line);
    }
    ok = ok && value_set(out, "roleRef", value_object());
    struct value *reference = value_get(out, "roleRef");
    ok = ok && value_set(reference, "apiGroup", value_string(RBAC_GROUP)) &&
         value_set(reference, "kind", value_string("ClusterRole")) && value_set(reference, "name", value_string(role));
    if (ok)
        return out;
    value_free(out);
    return NULL;
}

static struct value *make_controller_binding(const char *role)
{
    char *subject = mem_printf("ServiceAccount kube-system/%s", role + sizeof controller_prefix - 1);
    struct value *out = subject != NULL ? make_binding(role, role, subject) : NULL;
    mem_free(subject);
    return out;
}

static bool add_role(const struct policy_role *role, access_policy_add *add, void *data, struct error *err)
{
    struct value *object = make_role(role);
    return object != NULL ? add(data, "clusterroles", object, err) : error_memory(err);
}

static bool add_binding(struct value *binding, access_policy_add *add, void *data, struct error *err)
{
    return binding != NULL ? add(data, "clusterrolebindings", binding, err) : error_memory(err);
}

/* Aggregated roles come last and those that they gather first, so that none is found wanting on the way: view, edit, admin. */
bool access_default_policy(access_policy_add *add, void *data, struct error *err)
{
    size_t count = 0;
    for (const struct policy_role *role = policy_roles; role->name != NULL; role++, count++) {
        if (role->aggregate_from == NULL && !add_role(role, add, data, err))
            return false;
        if (strncmp(role->name, controller_prefix, sizeof controller_prefix - 1) == 0 &&
            !add_binding(make_controller_binding(role->name), add, data, err))
            return false;
    }
    for (size_t i = count; i > 0; i--)
        if (policy_roles[i - 1].aggregate_from != NULL && !add_role(&policy_roles[i - 1], add, data, err))
            return false;
    for (const struct policy_binding *binding = policy_bindings; binding->name != NULL; binding++)
        if (!add_binding(make_binding(binding->name, binding->role, binding->subjects), add, data, err))
            return false;
    return true;
}

static void free_selector(void *selector)
{
    label_selector_free(selector);
}

/* What selects nothing, since it is malformed, is left out. False: no memory. */
static bool read_selectors(const struct value *list, struct vec *selectors)
{
    for (const struct value *entry = value_first(list); entry != NULL; entry = value_next(entry)) {
        struct error err = ERROR_INIT;
        struct label_selector *selector = label_selector_new(entry, &err);
        if (selector != NULL ? !vec_push(selectors, selector) : err.kind == ERROR_MEMORY)
            return false;
    }
    return true;
}

static bool selected_by_any(const struct vec *selectors, const struct object *role)
{
    for (size_t i = 0; i < selectors->length; i++)
        if (label_selector_matches(selectors->items[i], role))
            return true;
    return false;
}

/* The rules of every selected role but itself, in the order of names; NULL: no memory. */
static struct value *gather(struct access *access, const struct value *list, const char *self)
{
    struct value *rules = value_array();
    struct vec selectors = vec_make(POLICY_SELECTORS, free_selector);
    bool ok = rules != NULL && read_selectors(list, &selectors);
    for (const struct object *role = NULL;
         ok && (role = lookup_next(access->api, RBAC_GROUP, "clusterroles", NULL, role)) != NULL;) {
        if (strcmp(role->name, self) == 0 || !selected_by_any(&selectors, role))
            continue;
        struct value *document = lookup_value(role);
        ok = document != NULL;
        for (const struct value *rule = value_first(value_get(document, "rules")); ok && rule != NULL; rule = value_next(rule))
            ok = add_rule(rules, value_copy(rule));
        value_free(document);
    }
    vec_free(&selectors);
    if (ok)
        return rules;
    value_free(rules);
    return NULL;
}

/* Writes the rules as the real controller does: by server-side apply. Takes rules over. */
static bool apply_rules(struct access *access, const char *name, struct value *rules, struct error *err)
{
    struct user user = {0};
    struct value *body = value_object();
    bool ok = body != NULL && value_set(body, "apiVersion", value_string(RBAC_VERSION)) &&
              value_set(body, "kind", value_string("ClusterRole")) && value_set(body, "metadata", value_object()) &&
              value_set(value_get(body, "metadata"), "name", value_string(name));
    if (!ok)
        value_free(rules);
    ok = ok && value_set(body, "rules", rules) && user_start(&user, AGGREGATOR) && user_add_group(&user, USER_MASTERS);
    if (!ok) {
        value_free(body);
        user_free(&user);
        return error_memory(err);
    }
    struct call call = {.user = &user,
                        .user_agent = "",
                        .verb = VERB_PATCH,
                        .kind = lookup_kind(access->api, RBAC_GROUP, "clusterroles"),
                        .ns = "",
                        .name = name,
                        .body = body,
                        .patch = PATCH_APPLY,
                        .force = true,
                        .manager = "clusterrole-aggregation-controller",
                        .grace = -1};
    struct answer answer = {0};
    api_run(access->api, &call, &answer);
    if (answer.failure.code != 0)
        ok = status_as_error(&answer.failure, name, err);
    answer_free(&answer);
    value_free(call.body);
    user_free(&user);
    return ok;
}

/* Looks at one role; *changed: its rules were written anew. */
static bool aggregate(struct access *access, const struct object *role, bool *changed, struct error *err)
{
    struct value *document = strstr(role->text, "\"aggregationRule\":") != NULL ? lookup_value(role) : NULL;
    const struct value *selectors = value_find(document, "aggregationRule", "clusterRoleSelectors", NULL);
    if (value_first(selectors) == NULL) {
        value_free(document);
        return true;
    }
    struct value *rules = gather(access, selectors, role->name);
    const struct value *now = value_get(document, "rules");
    bool ok = rules != NULL || error_memory(err);
    if (ok && (now != NULL ? value_equal(now, rules) : value_first(rules) == NULL)) {
        value_free(rules);
    } else if (ok) {
        char *name = mem_string(role->name); /* the role itself is gone once it is written */
        *changed = true;
        ok = name != NULL ? apply_rules(access, name, rules, err) : error_memory(err);
        if (name == NULL)
            value_free(rules);
        mem_free(name);
    }
    value_free(document);
    return ok;
}

static bool aggregate_all(struct access *access, struct error *err)
{
    bool ok = true;
    for (const struct object *at = NULL; ok && (at = lookup_next(access->api, RBAC_GROUP, "clusterroles", NULL, at)) != NULL;) {
        struct object *role = object_ref(at);
        bool changed = false;
        ok = aggregate(access, role, &changed, err);
        const struct object *again = changed && ok ? lookup(access->api, RBAC_GROUP, "clusterroles", "", role->name) : at;
        object_unref(role);
        at = again;
        if (at == NULL)
            break; /* cannot be: nobody else wrote meanwhile */
    }
    return ok;
}

/* A write of a role asks for this again: that is remembered and done afterwards, since a gathered role may be gathered itself.
 */
bool access_aggregate(struct access *access, struct error *err)
{
    enum { ROUNDS = 16 };
    access->again = true;
    if (access->aggregating)
        return true;
    access->aggregating = true;
    bool ok = true;
    for (int i = 0; ok && access->again && i < ROUNDS; i++) {
        access->again = false;
        ok = aggregate_all(access, err);
    }
    access->aggregating = false;
    return ok;
}
