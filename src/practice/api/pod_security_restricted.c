/* The checks that the level restricted adds. */
#include "practice/api/pod_security_internal.h"

#include <string.h>

static bool escalation_of(struct security *security, const struct value *container, struct vec *words)
{
    (void)security;
    (void)words;
    const struct value *allow = value_get(security_context(container), "allowPrivilegeEscalation");
    return value_type(allow) == VALUE_BOOL && !value_is_true(allow);
}

void security_check_escalation(struct security *security)
{
    struct security_lists lists = security_lists_make();
    if (!(security->minor >= 25 && security_is_windows(security)))
        security_each(security, escalation_of, &lists.bad, NULL);
    if (lists.bad.length > 0) {
        security_forbid(security, "allowPrivilegeEscalation != false");
        security_containers(&security->detail, &lists.bad);
        buf_append_string(&security->detail, " must set securityContext.allowPrivilegeEscalation=false");
    }
    security_lists_free(&lists);
}

static bool drops_all(struct security *security, const struct value *container, struct vec *words)
{
    (void)security;
    (void)words;
    for (const struct value *word = value_first(value_find(security_context(container), "capabilities", "drop", NULL));
         word != NULL; word = value_next(word))
        if (value_text(word) != NULL && strcmp(value_text(word), "ALL") == 0)
            return true;
    return false;
}

static bool adds_little(struct security *security, const struct value *container, struct vec *words)
{
    bool ok = true;
    for (const struct value *word = value_first(value_find(security_context(container), "capabilities", "add", NULL));
         word != NULL; word = value_next(word)) {
        if (value_text(word) == NULL || strcmp(value_text(word), "NET_BIND_SERVICE") == 0)
            continue;
        security_note(security, words, value_text(word));
        ok = false;
    }
    return ok;
}

void security_check_all_dropped(struct security *security)
{
    struct security_lists lists = security_lists_make();
    struct vec keep = vec_make(SECURITY_NAMES, NULL);
    if (!(security->minor >= 25 && security_is_windows(security))) {
        security_each(security, drops_all, &keep, NULL);
        security_each(security, adds_little, &lists.bad, &lists.words);
    }
    if (keep.length > 0) {
        security_containers(&security->detail, &keep);
        buf_append_string(&security->detail, " must set securityContext.capabilities.drop=[\"ALL\"]");
    }
    buf_append_string(&security->detail, keep.length > 0 && lists.bad.length > 0 ? "; " : "");
    if (lists.bad.length > 0)
        security_added(security, &lists);
    if (keep.length > 0 || lists.bad.length > 0)
        security_forbid(security, "unrestricted capabilities");
    vec_free(&keep);
    security_lists_free(&lists);
}

void security_check_volumes(struct security *security)
{
    static const char *const allowed[] = {"configMap", "csi",   "downwardAPI",           "emptyDir",
                                          "ephemeral", "image", "persistentVolumeClaim", "projected",
                                          "secret",    NULL};
    struct security_lists lists = security_lists_make();
    for (const struct value *volume = value_first(value_get(security->spec, "volumes")); volume != NULL;
         volume = value_next(volume)) {
        const char *type = "unknown", *name = value_find_text(volume, "name", NULL);
        bool ok = false;
        for (const struct value *field = value_first(volume); field != NULL; field = value_next(field)) {
            if (strcmp(value_key(field), "name") == 0)
                continue;
            type = value_key(field);
            ok = ok || security_listed(allowed, type);
        }
        if (ok)
            continue;
        security_note(security, &lists.bad, name != NULL ? name : "");
        security_note(security, &lists.words, type);
    }
    if (lists.bad.length > 0) {
        vec_sort(&lists.words, security_by_text);
        security_forbid(security, "restricted volume types");
        security_list(&security->detail, "volume", "volumes", &lists.bad);
        buf_append_string(&security->detail, lists.bad.length == 1 ? " uses " : " use ");
        security_list(&security->detail, "restricted volume type", "restricted volume types", &lists.words);
    }
    security_lists_free(&lists);
}

static bool non_root_of(struct security *security, const struct value *container, struct vec *words)
{
    (void)security;
    (void)words;
    const struct value *non_root = value_get(security_context(container), "runAsNonRoot");
    return value_type(non_root) != VALUE_BOOL || value_is_true(non_root);
}

static bool says_non_root(struct security *security, const struct value *container, struct vec *words)
{
    (void)security;
    (void)words;
    return value_type(value_get(security_context(container), "runAsNonRoot")) == VALUE_BOOL;
}

void security_check_non_root(struct security *security)
{
    struct security_lists lists = security_lists_make();
    bool pod = !non_root_of(security, security->spec, NULL), safe = says_non_root(security, security->spec, NULL) && !pod;
    if (!security_is_relaxed(security)) {
        security_each(security, non_root_of, &lists.bad, NULL);
        if (!safe)
            security_each(security, says_non_root, &lists.words, NULL);
    } else {
        pod = false;
    }
    if (pod || lists.bad.length > 0) {
        security_setters(&security->detail, pod, &lists.bad);
        buf_append_string(&security->detail, " must not set securityContext.runAsNonRoot=false");
        security_forbid(security, "runAsNonRoot != true");
    } else if (lists.words.length > 0) {
        buf_append_string(&security->detail, "pod or ");
        security_containers(&security->detail, &lists.words);
        buf_append_string(&security->detail, " must set securityContext.runAsNonRoot=true");
        security_forbid(security, "runAsNonRoot != true");
    }
    security_lists_free(&lists);
}

static bool user_of(struct security *security, const struct value *container, struct vec *words)
{
    (void)security;
    (void)words;
    return value_find_int(security_context(container), 1, "runAsUser", NULL) != 0;
}

void security_check_user(struct security *security)
{
    struct security_lists lists = security_lists_make();
    bool pod = !user_of(security, security->spec, NULL) && !security_is_relaxed(security);
    if (!security_is_relaxed(security))
        security_each(security, user_of, &lists.bad, NULL);
    if (pod || lists.bad.length > 0) {
        security_setters(&security->detail, pod, &lists.bad);
        buf_append_string(&security->detail, " must not set runAsUser=0");
        security_forbid(security, "runAsUser=0");
    }
    security_lists_free(&lists);
}

static bool says_seccomp(struct security *security, const struct value *container, struct vec *words)
{
    (void)security;
    (void)words;
    return value_get(security_context(container), "seccompProfile") != NULL;
}

void security_check_seccomp_set(struct security *security)
{
    struct security_lists lists = security_lists_make();
    if (security->minor >= 25 && security_is_windows(security))
        return;
    security_check_seccomp(security);
    if (!security->forbidden && !says_seccomp(security, security->spec, NULL)) {
        security_each(security, says_seccomp, &lists.bad, NULL);
        if (lists.bad.length > 0) {
            security_forbid(security, "seccompProfile");
            buf_append_string(&security->detail, "pod or ");
            security_containers(&security->detail, &lists.bad);
            buf_append_string(&security->detail,
                              " must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"");
        }
    }
    security_lists_free(&lists);
}
