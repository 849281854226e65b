/* The reviews: may I, may somebody, what may I, who am I, whose token is this. */
#include "practice/api/access_internal.h"

#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/api/user.h"
#include "practice/api/verbs.h"
#include "practice/schema/problem.h"

#define AUTHENTICATION "authentication.k8s.io"
#define AUTHORIZATION "authorization.k8s.io"

bool access_is_review(const struct call *call)
{
    const char *group = call->kind->group;
    if (call->sub != NULL)
        return *group == '\0' && strcmp(call->kind->kind, "ServiceAccount") == 0 && strcmp(call->sub->name, "token") == 0;
    return strcmp(group, AUTHORIZATION) == 0 || strcmp(group, AUTHENTICATION) == 0;
}

static const char *text_of(const struct value *object, const char *key)
{
    const char *text = value_text(value_get(object, key));
    return text != NULL ? text : "";
}

/* {"kind":...,"apiVersion":...,"metadata":M,"spec":S} from the request; the status is to come. */
static struct value *answer_start(const struct call *call, const char *keep_spec)
{
    struct value *out = value_object();
    const struct value *metadata = value_get(call->body, "metadata"),
                       *spec = keep_spec != NULL ? value_get(call->body, keep_spec) : NULL;
    char *version = mem_printf("%s/%s", call->kind->group, call->kind->version);
    bool ok = out != NULL && version != NULL && value_set(out, "kind", value_string(call->kind->kind)) &&
              value_set(out, "apiVersion", value_string(version)) &&
              value_set(out, "metadata", metadata != NULL ? value_copy(metadata) : value_object()) &&
              value_set(out, "spec", spec != NULL ? value_copy(spec) : value_object());
    mem_free(version);
    if (ok)
        return out;
    value_free(out);
    return NULL;
}

static void finish(struct answer *answer, struct value *out, bool ok)
{
    if (ok) {
        answer->value = out;
        answer->code = 201;
        return;
    }
    value_free(out);
    access_no_memory(&answer->failure);
}

/* The request's paths as Go prints its own struct. */
static struct value *go_path(const struct value *attributes)
{
    if (attributes == NULL)
        return value_null();
    struct value *out = value_object();
    if (out != NULL && value_set(out, "Path", value_string(text_of(attributes, "path"))) &&
        value_set(out, "Verb", value_string(text_of(attributes, "verb"))))
        return out;
    value_free(out);
    return NULL;
}

/* True if there is something in the metadata but what the server puts there itself, and (local reviews) a namespace. */
static bool has_metadata(const struct value *body, bool local)
{
    for (const struct value *entry = value_first(value_get(body, "metadata")); entry != NULL; entry = value_next(entry)) {
        const char *key = value_key(entry);
        if (strcmp(key, "managedFields") != 0 && value_type(entry) != VALUE_NULL && !(local && strcmp(key, "namespace") == 0))
            return true;
    }
    return false;
}

static bool check_access_review(const struct call *call, bool self, struct status *failure)
{
    struct problems problems = problems_make();
    const struct value *spec = value_get(call->body, "spec"), *resource = value_get(spec, "resourceAttributes"),
                       *path = value_get(spec, "nonResourceAttributes");
    const struct place at_spec = place_key(NULL, "spec"), at_metadata = place_key(NULL, "metadata"),
                       at_user = place_key(&at_spec, "user");
    const struct place at_resource = place_key(&at_spec, "resourceAttributes"),
                       at_namespace = place_key(&at_resource, "namespace");
    const struct place at_path = place_key(&at_spec, "nonResourceAttributes");
    bool local = *call->ns != '\0';
    struct value *shown = go_path(path), *empty = value_object();
    if (shown == NULL || empty == NULL)
        problems.failed = true;
    if ((resource != NULL) == (path != NULL))
        problem_add(&problems, &at_spec, PROBLEM_INVALID, shown,
                    "exactly one of nonResourceAttributes or resourceAttributes must be specified");
    if (!self && *text_of(spec, "user") == '\0' && value_first(value_get(spec, "groups")) == NULL)
        problem_invalid(&problems, &at_user, "", "at least one of user or group must be specified");
    if (has_metadata(call->body, local))
        problem_add(&problems, &at_metadata, PROBLEM_INVALID, value_get(call->body, "metadata"),
                    local ? "must be empty except for namespace" : "must be empty");
    if (local && resource != NULL &&
        strcmp(text_of(resource, "namespace"), text_of(value_get(call->body, "metadata"), "namespace")) != 0)
        problem_invalid(&problems, &at_namespace, text_of(resource, "namespace"), "must match metadata.namespace");
    if (local && path != NULL)
        problem_add(&problems, &at_path, PROBLEM_INVALID, shown, "disallowed on this kind of request");
    value_free(shown);
    value_free(empty);
    bool ok = problems_none(&problems);
    if (!ok)
        status_invalid_as(failure, AUTHORIZATION, "", "", &problems);
    problems_free(&problems);
    return ok;
}

static bool read_user(const struct value *spec, struct user *user)
{
    bool ok = user_start(user, text_of(spec, "user"));
    for (const struct value *group = value_first(value_get(spec, "groups")); ok && group != NULL; group = value_next(group))
        if (value_text(group) != NULL)
            ok = vec_push_string(&user->groups, value_text(group));
    if (ok && *text_of(spec, "uid") != '\0')
        ok = (user->uid = mem_string(text_of(spec, "uid"))) != NULL;
    if (ok && value_get(spec, "extra") != NULL)
        ok = (user->extra = value_copy(value_get(spec, "extra"))) != NULL;
    return ok;
}

static void review_access(struct access *access, struct call *call, struct answer *answer, bool self)
{
    if (*call->ns != '\0' && value_find_text(call->body, "metadata", "namespace", NULL) == NULL) {
        struct value *metadata = value_child(call->body, "metadata"); /* as every body gets it from the path */
        if (metadata == NULL || !value_set(metadata, "namespace", value_string(call->ns))) {
            access_no_memory(&answer->failure);
            return;
        }
    }
    if (!check_access_review(call, self, &answer->failure))
        return;
    const struct value *spec = value_get(call->body, "spec"), *resource = value_get(spec, "resourceAttributes"),
                       *path = value_get(spec, "nonResourceAttributes");
    struct attributes what = {.verb = text_of(resource != NULL ? resource : path, "verb"), .path = text_of(path, "path")};
    if (resource != NULL) {
        what.group = text_of(resource, "group");
        what.version = text_of(resource, "version");
        what.resource = text_of(resource, "resource");
        what.subresource = text_of(resource, "subresource");
        what.ns = text_of(resource, "namespace");
        what.name = text_of(resource, "name");
    }
    struct user other = {0};
    struct buf reason = buf_make(RBAC_REASON);
    bool ok = self || read_user(spec, &other);
    bool allowed = ok && access_allowed(access, self ? call->user : &other, &what, &reason);
    user_free(&other);
    struct value *out = ok ? answer_start(call, "spec") : NULL;
    struct value *status = out != NULL && value_set(out, "status", value_object()) ? value_get(out, "status") : NULL;
    ok = status != NULL && buf_ok(&reason) && value_set(status, "allowed", value_bool(allowed)) &&
         (reason.length == 0 || value_set(status, "reason", value_string(reason.bytes)));
    buf_free(&reason);
    finish(answer, out, ok);
}

static void review_self(struct access *access, struct call *call, struct answer *answer)
{
    review_access(access, call, answer, true);
}

static void review_other(struct access *access, struct call *call, struct answer *answer)
{
    review_access(access, call, answer, false);
}

struct rules_list {
    struct value *resources, *paths;
    bool ok;
};

static bool add_words(struct value *object, const char *key, const char *const *words)
{
    if (*words == NULL)
        return true;
    if (!value_set(object, key, value_array()))
        return false;
    for (; *words != NULL; words++)
        if (!value_append(value_get(object, key), value_string(*words)))
            return false;
    return true;
}

static bool list_rule(void *data, const struct rbac_rule *rule, const struct rbac_grant *grant)
{
    (void)grant;
    struct rules_list *list = data;
    if (*rule->resources != NULL) {
        struct value *out = value_object();
        list->ok = out != NULL && add_words(out, "verbs", rule->verbs) && add_words(out, "apiGroups", rule->groups) &&
                   add_words(out, "resources", rule->resources) && add_words(out, "resourceNames", rule->names);
        if (!list->ok)
            value_free(out);
        else
            list->ok = value_append(list->resources, out);
    }
    if (list->ok && *rule->urls != NULL) {
        struct value *out = value_object();
        list->ok = out != NULL && add_words(out, "verbs", rule->verbs) && add_words(out, "nonResourceURLs", rule->urls);
        if (!list->ok)
            value_free(out);
        else
            list->ok = value_append(list->paths, out);
    }
    return list->ok;
}

static bool print_trouble(struct value *status, const struct vec *problems)
{
    if (problems->length == 0)
        return true;
    struct buf text = buf_make(RBAC_REASON);
    buf_append_string(&text, problems->length > 1 ? "[" : "");
    for (size_t i = 0; i < problems->length; i++)
        buf_printf(&text, "%s%s", i > 0 ? ", " : "", (const char *)problems->items[i]);
    buf_append_string(&text, problems->length > 1 ? "]" : "");
    bool ok = buf_ok(&text) && value_set(status, "evaluationError", value_string(text.bytes));
    buf_free(&text);
    return ok;
}

static void review_rules(struct access *access, struct call *call, struct answer *answer)
{
    const char *ns = value_find_text(call->body, "spec", "namespace", NULL);
    if (ns == NULL || *ns == '\0') {
        status_bad_request(&answer->failure, "no namespace on request");
        return;
    }
    struct value *out = answer_start(call, NULL);
    struct value *status = out != NULL && value_set(out, "status", value_object()) ? value_get(out, "status") : NULL;
    bool ok = status != NULL && value_set(status, "resourceRules", value_array()) &&
              value_set(status, "nonResourceRules", value_array()) && value_set(status, "incomplete", value_bool(false));
    struct rules_list list = {
        .resources = value_get(status, "resourceRules"), .paths = value_get(status, "nonResourceRules"), .ok = ok};
    struct vec problems = vec_make(64, mem_free);
    if (ok)
        ok = rbac_visit(access->rbac, call->user, ns, list_rule, &list, &problems) && list.ok &&
             print_trouble(status, &problems);
    vec_free(&problems);
    finish(answer, out, ok);
}

static void review_me(struct access *access, struct call *call, struct answer *answer)
{
    char now[21];
    time_print(api_now_ms(access->api), now);
    struct value *out = answer_start(call, NULL);
    if (out != NULL)
        value_remove(out, "spec");
    bool ok = out != NULL && value_set(value_get(out, "metadata"), "creationTimestamp", value_string(now)) &&
              value_set(out, "status", value_object()) &&
              value_set(value_get(out, "status"), "userInfo", user_value(call->user));
    finish(answer, out, ok);
}

static void review_token(struct access *access, struct call *call, struct answer *answer)
{
    const struct value *spec = value_get(call->body, "spec"), *audiences = value_get(spec, "audiences");
    if (value_first(audiences) == NULL)
        audiences = NULL;
    if (*text_of(spec, "token") == '\0') {
        status_bad_request(&answer->failure, "token is required for TokenReview in authentication");
        return;
    }
    struct user user = {0};
    struct buf why = buf_make(RBAC_REASON);
    int found = token_user(access, text_of(spec, "token"), audiences, &user, &why);
    struct value *out = found >= 0 ? answer_start(call, "spec") : NULL;
    struct value *status = out != NULL && value_set(out, "status", value_object()) ? value_get(out, "status") : NULL;
    bool ok = status != NULL && buf_ok(&why);
    if (ok && found == 1)
        ok = value_set(status, "authenticated", value_bool(true)) && value_set(status, "user", user_value(&user)) &&
             value_set(status, "audiences", token_audiences(access, text_of(spec, "token"), audiences));
    else if (ok)
        ok = value_set(status, "user", value_object()) && value_set(status, "error", value_string(why.bytes));
    buf_free(&why);
    user_free(&user);
    finish(answer, out, ok);
}

static const struct review {
    const char *group, *kind;
    void (*run)(struct access *access, struct call *call, struct answer *answer);
} reviews[] = {
    {AUTHORIZATION, "SelfSubjectAccessReview", review_self},
    {AUTHORIZATION, "SubjectAccessReview", review_other},
    {AUTHORIZATION, "LocalSubjectAccessReview", review_other},
    {AUTHORIZATION, "SelfSubjectRulesReview", review_rules},
    {AUTHENTICATION, "SelfSubjectReview", review_me},
    {AUTHENTICATION, "TokenReview", review_token},
    {"", "ServiceAccount", token_request},
};

/* Reads the body by its schema; false: the failure says what is wrong with it. */
static bool decode(struct call *call, struct answer *answer)
{
    const struct schema_subresource *sub = call->sub;
    const struct type_name type = {.group = sub != NULL ? sub->group : call->kind->group,
                                   .version = sub != NULL ? sub->version : call->kind->version,
                                   .kind = sub != NULL ? sub->kind : call->kind->kind};
    call->body = body_decode(call, &type, sub != NULL ? sub->schema : call->kind->schema, answer);
    return call->body != NULL;
}

void access_review(struct access *access, struct call *call, struct answer *answer)
{
    if (!decode(call, answer))
        return;
    for (size_t i = 0; i < sizeof reviews / sizeof reviews[0]; i++) {
        if (strcmp(reviews[i].group, call->kind->group) == 0 && strcmp(reviews[i].kind, call->kind->kind) == 0) {
            reviews[i].run(access, call, answer);
            return;
        }
    }
    status_no_such_path(&answer->failure);
}
