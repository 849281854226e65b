/* Security contexts of pods and containers. */
#include <string.h>

#include "practice/schema/pod_internal.h"

enum { PROFILE_MOST = 4095, SYSCTL_MOST = 253 };

static const char *const profile_types[] = {"Localhost", "RuntimeDefault", "Unconfined", NULL};

static void check_id(struct problems *problems, const struct value *context, const struct place *place, const char *key)
{
    check_range(problems, context, place, key, 0, INT32_MAX);
}

static void check_seccomp(struct problems *problems, const struct value *context, const struct place *up)
{
    const struct value *profile = value_get(context, "seccompProfile");
    const struct place place = place_key(up, "seccompProfile"), type = place_key(&place, "type"), path = place_key(&place, "localhostProfile");
    const char *text = text_of(profile, "type"), *localhost = text_of(profile, "localhostProfile");
    if (profile == NULL)
        return;
    if (*text == '\0')
        problem_required(problems, &type, NULL, "type is required when seccompProfile is set");
    else if (!one_of(text, profile_types))
        problem_unsupported(problems, &type, text, profile_types);
    if (strcmp(text, "Localhost") != 0) {
        if (has(profile, "localhostProfile"))
            problem_internal(problems, &path, PROBLEM_INVALID, "SeccompProfile", profile, "can only be set when seccomp type is Localhost");
    } else if (!has(profile, "localhostProfile")) {
        problem_required(problems, &path, NULL, "must be set when seccomp type is Localhost");
    } else {
        if (localhost[0] == '/')
            problem_invalid(problems, &path, localhost, "must be a relative path");
        check_path_backsteps(problems, localhost, &path);
    }
}

static void check_apparmor_path(struct problems *problems, const struct value *profile, const struct place *path)
{
    const char *text = text_of(profile, "localhostProfile");
    size_t length = strlen(text);
    if (!has(profile, "localhostProfile") || length == 0)
        problem_required(problems, path, NULL, "must be set when AppArmor type is Localhost");
    else if (strchr(" \t\r\n\v\f", text[0]) != NULL || strchr(" \t\r\n\v\f", text[length - 1]) != NULL)
        problem_invalid(problems, path, text, "must not be padded with whitespace");
    if (length > PROFILE_MOST)
        problem_too_long(problems, path, PROFILE_MOST);
}

static void check_apparmor(struct problems *problems, const struct value *context, const struct place *up)
{
    const struct value *profile = value_get(context, "appArmorProfile");
    const struct place place = place_key(up, "appArmorProfile"), type = place_key(&place, "type"), path = place_key(&place, "localhostProfile");
    const char *text = text_of(profile, "type");
    if (profile == NULL)
        return;
    if (strcmp(text, "Localhost") == 0)
        check_apparmor_path(problems, profile, &path);
    else if (*text == '\0')
        problem_required(problems, &type, NULL, "type is required when appArmorProfile is set");
    else if (!one_of(text, profile_types))
        problem_unsupported(problems, &type, text, profile_types);
    else if (has(profile, "localhostProfile"))
        problem_invalid(problems, &path, text_of(profile, "localhostProfile"), "can only be set when AppArmor type is Localhost");
}

static void check_escalation(struct problems *problems, const struct value *context, const struct place *place)
{
    const struct value *escalation = value_get(context, "allowPrivilegeEscalation");
    if (value_type(escalation) != VALUE_BOOL || value_is_true(escalation))
        return;
    if (is_true(context, "privileged"))
        problem_internal(problems, place, PROBLEM_INVALID, "SecurityContext", context,
                         "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    EACH (capability, value_find(context, "capabilities", "add", NULL))
        if (strcmp(value_text(capability), "CAP_SYS_ADMIN") == 0)
            problem_internal(problems, place, PROBLEM_INVALID, "SecurityContext", context,
                             "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
}

void pod_check_security(const struct pod_check *check, const struct value *container, const struct place *place)
{
    static const char *const mounts[] = {"Default", "Unmasked", NULL};
    const struct value *context = value_get(container, "securityContext");
    const struct place at = place_key(place, "securityContext"), mount = place_key(&at, "procMount");
    const struct value *users = value_get(check->spec, "hostUsers");
    if (context == NULL)
        return;
    check_id(check->problems, context, &at, "runAsUser");
    check_id(check->problems, context, &at, "runAsGroup");
    if (has(context, "procMount") && !one_of(text_of(context, "procMount"), mounts))
        problem_unsupported(check->problems, &mount, text_of(context, "procMount"), mounts);
    if (text_is(context, "procMount", "Unmasked") && (users == NULL || value_is_true(users)))
        problem_invalid(check->problems, &mount, "Unmasked", "`hostUsers` must be false to use `Unmasked`");
    check_seccomp(check->problems, context, &at);
    check_escalation(check->problems, context, &at);
    check_apparmor(check->problems, context, &at);
}

static bool is_sysctl(const char *name)
{
    bool edge = true;
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'), separator = c == '.' || c == '/';
        bool end = i + 1 == length || name[i + 1] == '.' || name[i + 1] == '/';
        if (separator ? edge : !alphanumeric && (edge || end || (c != '-' && c != '_')))
            return false;
        edge = separator;
    }
    return length > 0 && length <= SYSCTL_MOST && !edge;
}

static void check_sysctls(const struct pod_check *check, const struct value *context, const struct place *up)
{
    const struct place all = place_key(up, "sysctls");
    const struct value *list = value_get(context, "sysctls");
    size_t i = 0;
    EACH (sysctl, list) {
        const struct place at = place_index(&all, i++), name = place_key(&at, "name");
        const char *text = text_of(sysctl, "name");
        if (*text == '\0')
            problem_required(check->problems, &name, NULL, NULL);
        else if (!is_sysctl(text))
            problem_invalid(check->problems, &name, text, "must have at most 253 characters and match regex %s",
                            "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$");
        else if (seen_before(list, sysctl, "name"))
            problem_string(check->problems, &name, PROBLEM_DUPLICATE, text);
        bool net = starts_with(text, "net."), ipc = starts_with(text, "kernel.shm") || starts_with(text, "kernel.msg") ||
                                                    starts_with(text, "kernel.sem") || starts_with(text, "fs.mqueue.");
        if (is_true(check->spec, "hostNetwork") && net)
            problem_invalid(check->problems, &name, text, "may not be specified when 'hostNetwork' is true");
        else if (is_true(check->spec, "hostIPC") && ipc)
            problem_invalid(check->problems, &name, text, "may not be specified when 'hostIPC' is true");
    }
}

void pod_check_pod_security(const struct pod_check *check, const struct place *spec)
{
    static const char *const change_policies[] = {"Always", "OnRootMismatch", NULL}, *const group_policies[] = {"Merge", "Strict", NULL};
    static const char *const selinux_policies[] = {"MountOption", "Recursive", NULL};
    const struct value *context = value_get(check->spec, "securityContext");
    const struct place at = place_key(spec, "securityContext"), groups = place_key(&at, "supplementalGroups");
    if (context == NULL)
        return;
    check_id(check->problems, context, &at, "fsGroup");
    check_id(check->problems, context, &at, "runAsUser");
    check_id(check->problems, context, &at, "runAsGroup");
    size_t i = 0;
    EACH (group, value_get(context, "supplementalGroups")) {
        const struct place group_at = place_index(&groups, i++);
        int64_t number;
        if (value_as_int(group, &number) && (number < 0 || number > INT32_MAX))
            problem_number(check->problems, &group_at, number, "must be between 0 and 2147483647, inclusive");
    }
    check_sysctls(check, context, &at);
    check_choice(check->problems, context, &at, "fsGroupChangePolicy", change_policies, false);
    check_seccomp(check->problems, context, &at);
    check_apparmor(check->problems, context, &at);
    check_choice(check->problems, context, &at, "supplementalGroupsPolicy", group_policies, false);
    check_choice(check->problems, context, &at, "seLinuxChangePolicy", selinux_policies, false);
}
