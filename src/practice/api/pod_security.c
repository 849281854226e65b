/* What the checks share, and the table that says which of them count when (k8s.io/pod-security-admission/policy has the facts).
 */
#include "practice/api/pod_security_internal.h"

#include <string.h>

const char *const security_fields[3] = {
    "initContainers", "containers",
    "ephemeralContainers"}; /* Calls fn for each container; those for which it answers false are listed. */
void security_each(struct security *security,
                   bool (*fn)(struct security *security, const struct value *container, struct vec *words), struct vec *bad,
                   struct vec *words)
{
    for (size_t i = 0; i < 3; i++) {
        for (const struct value *container = value_first(value_get(security->spec, security_fields[i])); container != NULL;
             container = value_next(container)) {
            const char *name = value_find_text(container, "name", NULL);
            if (!fn(security, container, words) && !vec_push(bad, (void *)(uintptr_t)(name != NULL ? name : "")))
                security->failed = true;
        }
    }
}
int security_by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}
void security_note(struct security *security, struct vec *words, const char *word)
{
    if (!vec_has_string(words, word) && !vec_push(words, (void *)(uintptr_t)word))
        security->failed = true;
} /* "a", "b" */
void security_quote(struct buf *out, const struct vec *words)
{
    for (size_t i = 0; i < words->length; i++) {
        buf_append_string(out, i > 0 ? ", " : "");
        buf_printf(out, "\"%s\"", (const char *)words->items[i]);
    }
} /* container "a", or containers "a", "b" */
void security_list(struct buf *out, const char *one, const char *many, const struct vec *words)
{
    buf_printf(out, "%s ", words->length == 1 ? one : many);
    security_quote(out, words);
}
void security_containers(struct buf *out, const struct vec *names)
{
    security_list(out, "container", "containers", names);
} /* pod and containers "a", "b" */
void security_setters(struct buf *out, bool pod, const struct vec *names)
{
    buf_append_string(out, pod ? "pod" : "");
    buf_append_string(out, pod && names->length > 0 ? " and " : "");
    if (names->length > 0)
        security_containers(out, names);
}
void security_forbid(struct security *security, const char *reason)
{
    security->forbidden = true;
    security->reason = reason;
}
const struct value *security_context(const struct value *container)
{
    return value_get(container, "securityContext");
}
bool security_is_windows(const struct security *security)
{
    const char *os = value_find_text(security->spec, "os", "name", NULL);
    return os != NULL && strcmp(os, "windows") == 0;
} /* Pods in a user namespace of their own may do more, since 1.35. */
bool security_is_relaxed(const struct security *security)
{
    const struct value *host_users = value_get(security->spec, "hostUsers");
    return security->minor >= 35 && value_type(host_users) == VALUE_BOOL && !value_is_true(host_users);
}
bool security_listed(const char *const *list, const char *word)
{
    for (; *list != NULL; list++)
        if (strcmp(*list, word) == 0)
            return true;
    return false;
}
struct security_lists security_lists_make(void)
{
    return (struct security_lists){.bad = vec_make(SECURITY_NAMES, NULL), .words = vec_make(SECURITY_NAMES, NULL)};
}
void security_lists_free(struct security_lists *lists)
{
    vec_free(&lists->bad);
    vec_free(&lists->words);
}

void security_added(struct security *security, struct security_lists *lists)
{
    vec_sort(&lists->words, security_by_text);
    security_containers(&security->detail, &lists->bad);
    buf_append_string(&security->detail, " must not include ");
    security_quote(&security->detail, &lists->words);
    buf_append_string(&security->detail, " in securityContext.capabilities.add");
}

/* In the order in which they are told. A baseline check is replaced by a restricted one from the minor version `replaced` on.
 */
static const struct check {
    enum security_level level;
    int since, replaced;
    void (*run)(struct security *security);
} checks[] = {
    {SECURITY_BASELINE, 0, SECURITY_LATEST + 1, security_check_app_armor},
    {SECURITY_BASELINE, 0, 22, security_check_capabilities},
    {SECURITY_BASELINE, 0, SECURITY_LATEST + 1, security_check_host_namespaces},
    {SECURITY_BASELINE, 0, 0, security_check_host_paths},
    {SECURITY_BASELINE, 0, SECURITY_LATEST + 1, security_check_host_ports},
    {SECURITY_BASELINE, 34, SECURITY_LATEST + 1, security_check_host_probes},
    {SECURITY_BASELINE, 0, SECURITY_LATEST + 1, security_check_privileged},
    {SECURITY_BASELINE, 0, 35, security_check_proc_mount},
    {SECURITY_BASELINE, 0, SECURITY_LATEST + 1, security_check_selinux},
    {SECURITY_BASELINE, 19, 19, security_check_seccomp},
    {SECURITY_BASELINE, 0, SECURITY_LATEST + 1, security_check_sysctls},
    {SECURITY_BASELINE, 0, SECURITY_LATEST + 1, security_check_host_process},
    {SECURITY_RESTRICTED, 8, 0, security_check_escalation},
    {SECURITY_RESTRICTED, 22, 0, security_check_all_dropped},
    {SECURITY_RESTRICTED, 35, 0, security_check_proc_mount_strictly},
    {SECURITY_RESTRICTED, 0, 0, security_check_volumes},
    {SECURITY_RESTRICTED, 0, 0, security_check_non_root},
    {SECURITY_RESTRICTED, 23, 0, security_check_user},
    {SECURITY_RESTRICTED, 19, 0, security_check_seccomp_set},
};

static bool counts(const struct check *check, enum security_level level, int minor)
{
    if (check->level > level || minor < check->since)
        return false;
    return check->level == level || check->level == SECURITY_RESTRICTED || minor < check->replaced;
}

bool pod_security_allows(const struct value *pod, enum security_level level, int minor, struct buf *reasons,
                         struct buf *details)
{
    bool allowed = true;
    if (level == SECURITY_PRIVILEGED)
        return true;
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        if (!counts(&checks[i], level, minor))
            continue;
        struct security security = {
            .pod = pod, .spec = value_get(pod, "spec"), .minor = minor, .detail = buf_make(SECURITY_TEXT)};
        checks[i].run(&security);
        if (security.failed || !buf_ok(&security.detail)) {
            allowed = false;
            if (details != NULL)
                buf_fail(details);
        }
        if (security.forbidden && reasons != NULL)
            buf_printf(reasons, "%s%s", allowed ? "" : ", ", security.reason);
        if (security.forbidden && details != NULL)
            buf_printf(details, "%s%s (%s)", allowed ? "" : ", ", security.reason, security.detail.bytes);
        allowed = allowed && !security.forbidden;
        buf_free(&security.detail);
    }
    return allowed;
}
