/* Nobody gives rights that they do not have: writes of roles and bindings are held against the writer's own rules (unless they
 * may "escalate" or "bind"). */
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/api/access_internal.h"
#include "practice/api/user.h"

enum { GRANT_RULES = 1 << 20, GRANT_TEXT = 1 << 20 };

/* A right that is missing: one group, resource and name, or one path; verbs grow as further ones are missing. */
struct missing {
    const char *group, *resource, *name, *path; /* borrowed from the role */
    struct vec verbs;                           /* borrowed */
};

static void free_missing(void *data)
{
    struct missing *missing = data;
    vec_free(&missing->verbs);
    mem_free(missing);
}

static bool has(const char *const *words, const char *word)
{
    for (; *words != NULL; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

static bool covers_path(const char *const *own, const char *path)
{
    for (; *own != NULL; own++) {
        size_t length = strlen(*own);
        if (strcmp(*own, path) == 0)
            return true;
        if (length == 0 || (*own)[length - 1] != '*')
            continue;
        while (length > 0 && (*own)[length - 1] == '*')
            length--;
        if (strncmp(*own, path, length) == 0)
            return true;
    }
    return false;
}

static bool covers_resource(const char *const *own, const char *resource)
{
    if (has(own, "*") || has(own, resource))
        return true;
    const char *slash = strchr(resource, '/');
    for (; slash != NULL && *own != NULL; own++)
        if (strncmp(*own, "*/", 2) == 0 && strcmp(*own + 1, slash) == 0)
            return true;
    return false;
}

/* Does one rule give the whole of one right? */
static bool covers(const struct rbac_rule *own, const struct missing *right, const char *verb)
{
    if (!has(own->verbs, "*") && !has(own->verbs, verb))
        return false;
    if (right->path != NULL)
        return covers_path(own->urls, right->path) && own->names[0] == NULL;
    if (!has(own->groups, "*") && !has(own->groups, right->group))
        return false;
    return covers_resource(own->resources, right->resource) &&
           (own->names[0] == NULL || (right->name != NULL && has(own->names, right->name)));
}

static bool collect(void *data, const struct rbac_rule *rule, const struct rbac_grant *grant)
{
    (void)grant;
    struct vec *own = data;
    return vec_push(own, (void *)(uintptr_t)rule);
}

struct check {
    struct vec own;     /* of const struct rbac_rule */
    struct vec missing; /* of struct missing */
    bool ok;
};

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Adds the right if no own rule covers it; rights to the same thing become one, paths stay apart, as the real server tells
 * them. */
static void check_right(struct check *check, const struct missing *right, const char *verb)
{
    for (size_t i = 0; i < check->own.length; i++)
        if (covers(check->own.items[i], right, verb))
            return;
    for (size_t i = check->missing.length; right->path == NULL && i > 0; i--) {
        struct missing *old = check->missing.items[i - 1];
        if (old->path == NULL && is_same(old->group, right->group) && is_same(old->resource, right->resource) &&
            is_same(old->name, right->name)) {
            check->ok = vec_push(&old->verbs, (void *)(uintptr_t)verb) && check->ok;
            return;
        }
    }
    struct missing *fresh = mem_alloc(sizeof *fresh);
    if (fresh == NULL) {
        check->ok = false;
        return;
    }
    *fresh = *right;
    fresh->verbs = vec_make(GRANT_RULES, NULL);
    check->ok = vec_push(&fresh->verbs, (void *)(uintptr_t)verb) && check->ok;
    check->ok = vec_push(&check->missing, fresh) && check->ok;
}

static void check_rule(struct check *check, const struct rbac_rule *rule)
{
    for (const char *const *group = rule->groups; *group != NULL; group++) {
        for (const char *const *resource = rule->resources; *resource != NULL; resource++) {
            for (const char *const *verb = rule->verbs; *verb != NULL; verb++) {
                struct missing right = {.group = *group, .resource = *resource};
                if (rule->names[0] == NULL)
                    check_right(check, &right, *verb);
                for (const char *const *name = rule->names; *name != NULL; name++) {
                    right.name = *name;
                    check_right(check, &right, *verb);
                }
            }
        }
    }
    for (const char *const *path = rule->urls; *path != NULL; path++) {
        for (const char *const *verb = rule->verbs; *verb != NULL; verb++) {
            struct missing right = {.path = *path};
            check_right(check, &right, *verb);
        }
    }
}

static void print_one(struct buf *out, const char *label, const char *word)
{
    if (word == NULL)
        return;
    buf_printf(out, "%s:[", label);
    json_quote(word, out);
    buf_append_string(out, "], ");
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* {APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]} a line, sorted. */
static bool print_missing(const struct check *check, struct buf *out)
{
    struct vec lines = vec_make(GRANT_RULES, mem_free);
    bool ok = true;
    for (size_t i = 0; ok && i < check->missing.length; i++) {
        const struct missing *missing = check->missing.items[i];
        struct buf line = buf_make(GRANT_TEXT);
        buf_append_string(&line, "{");
        print_one(&line, "APIGroups", missing->group);
        print_one(&line, "Resources", missing->resource);
        print_one(&line, "NonResourceURLs", missing->path);
        print_one(&line, "ResourceNames", missing->name);
        buf_append_string(&line, "Verbs:[");
        for (size_t v = 0; v < missing->verbs.length; v++) {
            buf_append_string(&line, v > 0 ? " " : "");
            json_quote(missing->verbs.items[v], &line);
        }
        buf_append_string(&line, "]}");
        char *text = buf_take(&line, NULL);
        ok = text != NULL && vec_push(&lines, text);
    }
    vec_sort(&lines, by_text);
    for (size_t i = 0; i < lines.length; i++)
        if (i == 0 || strcmp(lines.items[i], lines.items[i - 1]) != 0)
            buf_printf(out, "\n%s", (const char *)lines.items[i]);
    vec_free(&lines);
    return ok && buf_ok(out);
}

static void print_user(const struct user *user, struct buf *out)
{
    buf_append_string(out, "user ");
    json_quote(user->name, out);
    buf_append_string(out, " (groups=[");
    for (size_t i = 0; i < user->groups.length; i++) {
        buf_append_string(out, i > 0 ? " " : "");
        json_quote(user->groups.items[i], out);
    }
    buf_append_string(out, "])");
}

/* False: not all rules are the user's own (`out` says which), or memory ran out (out is not ok). */
static bool holds(struct access *access, const struct user *user, const char *ns, const struct rbac_role *role, struct buf *out)
{
    struct vec problems = vec_make(64, mem_free);
    struct check check = {.own = vec_make(GRANT_RULES, NULL), .missing = vec_make(GRANT_RULES, free_missing)};
    check.ok = rbac_visit(access->rbac, user, ns, collect, &check.own, &problems);
    for (size_t i = 0; check.ok && i < role->count; i++)
        check_rule(&check, &role->rules[i]);
    bool all = check.ok && check.missing.length == 0;
    if (check.ok && !all) {
        print_user(user, out);
        buf_append_string(out, " is attempting to grant RBAC permissions not currently held:");
        check.ok = print_missing(&check, out);
        for (size_t i = 0; i < problems.length; i++)
            buf_printf(out, "%s%s", i == 0 ? "; resolution errors: [" : ", ", (const char *)problems.items[i]);
        buf_append_string(out, problems.length > 0 ? "]" : "");
    }
    if (!check.ok)
        buf_fail(out);
    vec_free(&check.own);
    vec_free(&check.missing);
    vec_free(&problems);
    return all;
}

static bool refuse(const struct call *call, const char *name, struct buf *text, struct status *failure)
{
    if (buf_ok(text))
        status_forbidden(failure, call->kind->group, call->kind->plural, name, "%s", text->bytes);
    else
        access_no_memory(failure);
    return false;
}

/* All of a cluster: what an aggregation rule may gather. */
static bool holds_everything(struct access *access, const struct user *user)
{
    static const char *const all[] = {"*", NULL}, *const none[] = {NULL};
    struct rbac_rule rules[] = {{.verbs = all, .groups = all, .resources = all, .names = none, .urls = none},
                                {.verbs = all, .groups = none, .resources = none, .names = none, .urls = all}};
    const struct rbac_role role = {.rules = rules, .count = 2};
    struct buf text = buf_make(GRANT_TEXT);
    bool ok = holds(access, user, "", &role, &text);
    buf_free(&text);
    return ok;
}

static bool aggregates(const struct value *role)
{
    return value_first(value_find(role, "aggregationRule", "clusterRoleSelectors", NULL)) != NULL;
}

static bool may_write_role(struct access *access, const struct call *call, const struct value *object, const struct value *old,
                           const char *name, struct status *failure)
{
    const struct attributes escalate = {.verb = "escalate",
                                        .group = call->kind->group,
                                        .version = "*",
                                        .resource = call->kind->plural,
                                        .ns = call->ns,
                                        .name = call->name != NULL ? call->name : ""};
    if (access_allowed(access, call->user, &escalate, NULL))
        return true;
    struct rbac_role role;
    if (!rbac_role_read(object, &role))
        return access_no_memory(failure);
    struct buf text = buf_make(GRANT_TEXT);
    bool ok = holds(access, call->user, call->ns, &role, &text) || refuse(call, name, &text, failure);
    buf_free(&text);
    rbac_role_free(&role);
    if (ok && (aggregates(object) || aggregates(old)) && !holds_everything(access, call->user))
        return status_forbidden(failure, call->kind->group, call->kind->plural, name,
                                "must have cluster-admin privileges to use the aggregationRule");
    return ok;
}

static bool may_write_binding(struct access *access, const struct call *call, const struct value *object, const char *name,
                              struct status *failure)
{
    const char *kind = value_find_text(object, "roleRef", "kind", NULL),
               *role_name = value_find_text(object, "roleRef", "name", NULL);
    const char *group = value_find_text(object, "roleRef", "apiGroup", NULL);
    if (kind == NULL || role_name == NULL || (strcmp(kind, "Role") != 0 && strcmp(kind, "ClusterRole") != 0))
        return true; /* validation refuses it */
    const struct attributes bind = {.verb = "bind",
                                    .group = group != NULL ? group : "",
                                    .version = "*",
                                    .resource = *kind == 'R' ? "roles" : "clusterroles",
                                    .ns = call->ns,
                                    .name = role_name};
    if (access_allowed(access, call->user, &bind, NULL))
        return true;
    const struct rbac_role *role = rbac_find(access->rbac, kind, call->ns, role_name);
    if (role == NULL)
        return status_not_found(failure, call->kind, role_name);
    struct buf text = buf_make(GRANT_TEXT);
    bool ok = holds(access, call->user, call->ns, role, &text) || refuse(call, name, &text, failure);
    buf_free(&text);
    return ok;
}

/* True if nothing but what lets the collector delete it is different: owner references and finalizers. */
static bool only_collecting(const struct value *object, const struct value *old)
{
    static const char *const free_fields[] = {"ownerReferences", "finalizers", "managedFields", "resourceVersion"};
    struct value *a = value_copy(object), *b = value_copy(old);
    for (size_t i = 0; i < sizeof free_fields / sizeof free_fields[0]; i++) {
        value_remove(value_get(a, "metadata"), free_fields[i]);
        value_remove(value_get(b, "metadata"), free_fields[i]);
    }
    bool same = a != NULL && b != NULL && value_equal(a, b);
    value_free(a);
    value_free(b);
    return same;
}

bool access_may_grant(struct access *access, const struct call *call, const struct value *object, const struct value *old,
                      struct status *failure)
{
    const char *name = value_find_text(object, "metadata", "name", NULL);
    if (strcmp(call->kind->group, "rbac.authorization.k8s.io") != 0 || user_has_group(call->user, USER_MASTERS) ||
        (old != NULL && only_collecting(object, old)))
        return true;
    if (value_find(object, "roleRef", NULL) != NULL)
        return may_write_binding(access, call, object, name, failure);
    return may_write_role(access, call, object, old, name, failure);
}
