#include "practice/api/access_internal.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "practice/api/user.h"

enum { IMPERSONATORS = 1024 };

static void roles_changed(void *data)
{
    struct access *access = data;
    struct error err = ERROR_INIT;
    if (!access_aggregate(access, &err))
        log_line(access->api->log, "cannot aggregate roles: %s", err.message);
}

struct access *access_new(struct api *api, struct error *err)
{
    struct access *access = mem_zero(1, sizeof *access);
    if (access == NULL) {
        error_memory(err);
        return NULL;
    }
    access->api = api;
    access->impersonators = map_make(IMPERSONATORS, NULL);
    access->rbac = rbac_new(api, roles_changed, access, err);
    if (access->rbac == NULL) {
        mem_free(access);
        return NULL;
    }
    return access;
}

void access_free(struct access *access)
{
    if (access == NULL)
        return;
    rbac_free(access->rbac);
    map_free(&access->impersonators);
    mem_free(access);
}

bool access_no_memory(struct status *failure)
{
    struct error err = ERROR_INIT;
    error_memory(&err);
    return status_error(failure, &err);
}

/* The token of `Bearer TOKEN`, owned by the caller; NULL with *ok true: the header is about something else. */
static char *bearer(const char *header, bool *ok)
{
    static const char word[] = "bearer ";
    *ok = true;
    if (header == NULL)
        return NULL;
    while (*header == ' ')
        header++;
    if (strncasecmp(header, word, sizeof word - 1) != 0)
        return NULL;
    header += sizeof word - 1;
    size_t length = strcspn(header, " ");
    if (length == 0)
        return NULL;
    char *token = mem_string_n(header, length);
    *ok = token != NULL;
    return token;
}

static bool from_certificate(const struct credentials *credentials, struct user *user)
{
    bool ok = user_start(user, credentials->common_name);
    for (const char *const *group = credentials->organizations; ok && group != NULL && *group != NULL; group++)
        ok = user_add_group(user, *group);
    if (ok && credentials->fingerprint != NULL) {
        char *id = mem_printf("X509SHA256=%s", credentials->fingerprint);
        ok = id != NULL && user_add_extra(user, "authentication.kubernetes.io/credential-id", id);
        mem_free(id);
    }
    return ok && user_add_group(user, USER_AUTHENTICATED);
}

/* Who asks, without impersonation. */
static bool identify(struct access *access, const struct credentials *credentials, struct user *user, struct status *failure)
{
    if (credentials->common_name != NULL && *credentials->common_name != '\0')
        return from_certificate(credentials, user) || access_no_memory(failure);
    bool ok;
    char *token = bearer(credentials->authorization, &ok);
    if (token == NULL)
        return (ok && user_start(user, USER_ANONYMOUS) && user_add_group(user, USER_UNAUTHENTICATED)) ||
               access_no_memory(failure);
    int found = token_user(access, token, NULL, user, NULL);
    mem_free(token);
    if (found < 0)
        return access_no_memory(failure);
    return found == 1 || status_set(failure, 401, "Unauthorized", "Unauthorized");
}

bool access_authenticate(struct access *access, const struct credentials *credentials, struct user *user, struct user *really,
                         struct status *failure)
{
    *user = (struct user){0};
    if (really != NULL)
        *really = (struct user){0};
    if (identify(access, credentials, user, failure) &&
        (really == NULL || user_copy(really, user) || access_no_memory(failure)) &&
        impersonate(access, credentials, user, failure))
        return true;
    user_free(user);
    if (really != NULL)
        user_free(really);
    return false;
}

/* Requests for these are let through before anybody is asked; reviews do not know of it, as on the real server. */
static bool is_always_allowed(const struct attributes *what)
{
    static const char *const paths[] = {"/healthz", "/readyz", "/livez"};
    if (what->group != NULL || what->path == NULL || strcmp(what->verb, "get") != 0)
        return false;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (strcmp(what->path, paths[i]) == 0)
            return true;
    return false;
}

/* Nodes may do what the ClusterRole system:node says. The real server's node authorizer also looks at which pods run there. */
static bool node_may(struct access *access, const struct user *user, const struct attributes *what)
{
    if (!user_is_node(user->name) || !user_has_group(user, USER_NODES))
        return false;
    const struct rbac_role *role = rbac_find(access->rbac, "ClusterRole", "", "system:node");
    for (size_t i = 0; role != NULL && i < role->count; i++)
        if (rbac_rule_allows(&role->rules[i], what))
            return true;
    return false;
}

bool access_allowed(struct access *access, const struct user *user, const struct attributes *what, struct buf *reason)
{
    return user_has_group(user, USER_MASTERS) || node_may(access, user, what) || rbac_allows(access->rbac, user, what, reason);
}

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/* As the real server writes it: no byte of a request may look like a tag. */
static void append_safe(struct buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '&')
            buf_append_string(out, "&amp;");
        else if (*text == '<')
            buf_append_string(out, "&lt;");
        else if (*text == '>')
            buf_append_string(out, "&gt;");
        else if (*text == '"' || *text == '\\')
            buf_printf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ' || *text == 0x7f)
            buf_printf(out, "\\x%02x", (unsigned char)*text);
        else
            buf_append(out, text, 1);
    }
}

static bool refuse(const struct user *user, const struct attributes *what, const char *reason, struct status *failure)
{
    struct buf text = buf_make(RBAC_REASON);
    buf_append_string(&text, "User \"");
    append_safe(&text, user->name);
    buf_append_string(&text, "\" cannot ");
    append_safe(&text, or_empty(what->verb));
    if (what->group == NULL) {
        buf_append_string(&text, " path \"");
        append_safe(&text, or_empty(what->path));
        buf_append_string(&text, "\"");
    } else {
        buf_append_string(&text, " resource \"");
        append_safe(&text, or_empty(what->resource));
        if (*or_empty(what->subresource) != '\0') {
            buf_append_string(&text, "/");
            append_safe(&text, what->subresource);
        }
        buf_append_string(&text, "\" in API group \"");
        append_safe(&text, what->group);
        buf_append_string(&text, *or_empty(what->ns) != '\0' ? "\" in the namespace \"" : "\" at the cluster scope");
        append_safe(&text, or_empty(what->ns));
        if (*or_empty(what->ns) != '\0')
            buf_append_string(&text, "\"");
    }
    if (reason != NULL && *reason != '\0')
        buf_printf(&text, ": %s", reason);
    if (!buf_ok(&text)) {
        buf_free(&text);
        return access_no_memory(failure);
    }
    status_forbidden(failure, or_empty(what->group), what->group != NULL ? or_empty(what->resource) : "",
                     what->group != NULL ? what->name : NULL, "%s", text.bytes);
    if (what->group == NULL && failure->name == NULL)
        failure->name = mem_string(""); /* the details are there, and empty */
    buf_free(&text);
    return false;
}

bool access_refuse(const struct user *user, const struct attributes *what, struct status *failure)
{
    return refuse(user, what, NULL, failure);
}

bool access_require(struct access *access, const struct user *user, const struct attributes *what, struct status *failure)
{
    if (is_always_allowed(what) || access_allowed(access, user, what, NULL))
        return true;
    struct buf reason = buf_make(RBAC_REASON);
    bool allowed = rbac_allows(access->rbac, user, what, &reason); /* once more, for the reason: refusals are rare */
    if (!allowed)
        refuse(user, what, reason.bytes, failure);
    buf_free(&reason);
    return allowed;
}
