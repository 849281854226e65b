/* One function a check; the table at the end says which count when (k8s.io/pod-security-admission/policy has the facts). */
#include "practice/api/pod_security.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "data/json.h"

enum { NAMES = 10000 };

struct security {
    const struct value *pod, *spec;
    int minor;
    bool forbidden, failed;
    const char *reason;
    struct buf detail;
};

static const char *const container_fields[] = {"initContainers", "containers", "ephemeralContainers"};

/* Calls fn for each container; those for which it answers false are listed. */
static void each_container(struct security *security, bool (*fn)(struct security *security, const struct value *container, struct vec *words), struct vec *bad, struct vec *words)
{
    for (size_t i = 0; i < 3; i++) {
        for (const struct value *container = value_first(value_get(security->spec, container_fields[i])); container != NULL; container = value_next(container)) {
            const char *name = value_find_text(container, "name", NULL);
            if (!fn(security, container, words) && !vec_push(bad, (void *)(uintptr_t)(name != NULL ? name : "")))
                security->failed = true;
        }
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void note(struct security *security, struct vec *words, const char *word)
{
    if (!vec_has_string(words, word) && !vec_push(words, (void *)(uintptr_t)word))
        security->failed = true;
}

/* "a", "b" */
static void print_quoted(struct buf *out, const struct vec *words)
{
    for (size_t i = 0; i < words->length; i++) {
        buf_append_string(out, i > 0 ? ", " : "");
        buf_printf(out, "\"%s\"", (const char *)words->items[i]);
    }
}

/* container "a", or containers "a", "b" */
static void print_list(struct buf *out, const char *one, const char *many, const struct vec *words)
{
    buf_printf(out, "%s ", words->length == 1 ? one : many);
    print_quoted(out, words);
}

static void print_containers(struct buf *out, const struct vec *names)
{
    print_list(out, "container", "containers", names);
}

/* pod and containers "a", "b" */
static void print_setters(struct buf *out, bool pod, const struct vec *names)
{
    buf_append_string(out, pod ? "pod" : "");
    buf_append_string(out, pod && names->length > 0 ? " and " : "");
    if (names->length > 0)
        print_containers(out, names);
}

static void forbid(struct security *security, const char *reason)
{
    security->forbidden = true;
    security->reason = reason;
}

static const struct value *context_of(const struct value *container)
{
    return value_get(container, "securityContext");
}

static bool is_windows(const struct security *security)
{
    const char *os = value_find_text(security->spec, "os", "name", NULL);
    return os != NULL && strcmp(os, "windows") == 0;
}

/* Pods in a user namespace of their own may do more, since 1.35. */
static bool is_relaxed(const struct security *security)
{
    const struct value *host_users = value_get(security->spec, "hostUsers");
    return security->minor >= 35 && value_type(host_users) == VALUE_BOOL && !value_is_true(host_users);
}

static bool listed(const char *const *list, const char *word)
{
    for (; *list != NULL; list++)
        if (strcmp(*list, word) == 0)
            return true;
    return false;
}

/* Two lists and what is to be said: many checks have this shape. */
struct lists {
    struct vec bad, words;
};

static struct lists lists_make(void)
{
    return (struct lists){.bad = vec_make(NAMES, NULL), .words = vec_make(NAMES, NULL)};
}

static void lists_free(struct lists *lists)
{
    vec_free(&lists->bad);
    vec_free(&lists->words);
}

static bool profile_allowed(const char *type)
{
    return type == NULL || strcmp(type, "RuntimeDefault") == 0 || strcmp(type, "Localhost") == 0;
}

static bool app_armor_of(struct security *security, const struct value *container, struct vec *words)
{
    const char *type = value_find_text(context_of(container), "appArmorProfile", "type", NULL);
    if (profile_allowed(type))
        return true;
    note(security, words, type);
    return false;
}

static void check_app_armor(struct security *security)
{
    static const char prefix[] = "container.apparmor.security.beta.kubernetes.io/";
    struct lists lists = lists_make();
    struct vec annotations = vec_make(NAMES, mem_free);
    bool pod = !app_armor_of(security, security->spec, &lists.words);
    each_container(security, app_armor_of, &lists.bad, &lists.words);
    for (const struct value *entry = value_first(value_find(security->pod, "metadata", "annotations", NULL)); entry != NULL; entry = value_next(entry)) {
        const char *text = value_text(entry);
        if (strncmp(value_key(entry), prefix, sizeof prefix - 1) != 0 || text == NULL || *text == '\0' || strcmp(text, "runtime/default") == 0 || strncmp(text, "localhost/", 10) == 0)
            continue;
        char *line = mem_printf("%s=\"%s\"", value_key(entry), text);
        if (line == NULL || !vec_push(&annotations, line))
            security->failed = true;
    }
    vec_sort(&lists.words, by_text);
    vec_sort(&annotations, by_text);
    for (size_t i = 0; i < annotations.length; i++)
        note(security, &lists.words, annotations.items[i]);
    if (lists.words.length > 0) {
        forbid(security, lists.words.length == 1 ? "forbidden AppArmor profile" : "forbidden AppArmor profiles");
        print_setters(&security->detail, pod, &lists.bad);
        if (annotations.length > 0)
            buf_printf(&security->detail, "%s%s", pod || lists.bad.length > 0 ? " and " : "", annotations.length == 1 ? "annotation" : "annotations");
        buf_append_string(&security->detail, " must not set AppArmor profile type to ");
        print_quoted(&security->detail, &lists.words);
    }
    lists_free(&lists);
    vec_free(&annotations);
}

static bool capabilities_of(struct security *security, const struct value *container, struct vec *words)
{
    static const char *const allowed[] = {"AUDIT_WRITE", "CHOWN",   "DAC_OVERRIDE", "FOWNER",  "FSETID", "KILL",       "MKNOD", "NET_BIND_SERVICE",
                                          "SETFCAP",     "SETGID", "SETPCAP",      "SETUID", "SYS_CHROOT", NULL};
    bool ok = true;
    for (const struct value *word = value_first(value_find(context_of(container), "capabilities", "add", NULL)); word != NULL; word = value_next(word)) {
        if (value_text(word) == NULL || listed(allowed, value_text(word)))
            continue;
        note(security, words, value_text(word));
        ok = false;
    }
    return ok;
}

static void print_added(struct security *security, struct lists *lists)
{
    vec_sort(&lists->words, by_text);
    print_containers(&security->detail, &lists->bad);
    buf_append_string(&security->detail, " must not include ");
    print_quoted(&security->detail, &lists->words);
    buf_append_string(&security->detail, " in securityContext.capabilities.add");
}

static void check_capabilities(struct security *security)
{
    struct lists lists = lists_make();
    each_container(security, capabilities_of, &lists.bad, &lists.words);
    if (lists.bad.length > 0) {
        forbid(security, "non-default capabilities");
        print_added(security, &lists);
    }
    lists_free(&lists);
}

static void check_host_namespaces(struct security *security)
{
    static const char *const fields[] = {"hostNetwork", "hostPID", "hostIPC"};
    for (size_t i = 0; i < 3; i++) {
        if (!value_is_true(value_get(security->spec, fields[i])))
            continue;
        forbid(security, "host namespaces");
        buf_printf(&security->detail, "%s%s=true", security->detail.length > 0 ? ", " : "", fields[i]);
    }
}

static void check_host_paths(struct security *security)
{
    struct vec bad = vec_make(NAMES, NULL);
    for (const struct value *volume = value_first(value_get(security->spec, "volumes")); volume != NULL; volume = value_next(volume))
        if (value_get(volume, "hostPath") != NULL)
            note(security, &bad, value_find_text(volume, "name", NULL) != NULL ? value_find_text(volume, "name", NULL) : "");
    if (bad.length > 0) {
        forbid(security, "hostPath volumes");
        print_list(&security->detail, "volume", "volumes", &bad);
    }
    vec_free(&bad);
}

static bool host_ports_of(struct security *security, const struct value *container, struct vec *words)
{
    bool ok = true;
    for (const struct value *port = value_first(value_get(container, "ports")); port != NULL; port = value_next(port)) {
        int64_t number = value_find_int(port, 0, "hostPort", NULL);
        if (number == 0)
            continue;
        ok = false;
        char *text = mem_printf("%" PRId64, number);
        if (text == NULL || vec_has_string(words, text)) {
            security->failed = security->failed || text == NULL;
            mem_free(text);
        } else if (!vec_push(words, text)) {
            security->failed = true;
        }
    }
    return ok;
}

static void check_host_ports(struct security *security)
{
    struct lists lists = {.bad = vec_make(NAMES, NULL), .words = vec_make(NAMES, mem_free)};
    each_container(security, host_ports_of, &lists.bad, &lists.words);
    if (lists.bad.length > 0) {
        vec_sort(&lists.words, by_text);
        forbid(security, "hostPort");
        print_containers(&security->detail, &lists.bad);
        buf_printf(&security->detail, " %s %s ", lists.bad.length == 1 ? "uses" : "use", lists.words.length == 1 ? "hostPort" : "hostPorts");
        for (size_t i = 0; i < lists.words.length; i++)
            buf_printf(&security->detail, "%s%s", i > 0 ? ", " : "", (const char *)lists.words.items[i]);
    }
    lists_free(&lists);
}

static bool host_probes_of(struct security *security, const struct value *container, struct vec *words)
{
    static const char *const probes[] = {"livenessProbe", "readinessProbe", "startupProbe"}, *const hooks[] = {"postStart", "preStop"}, *const ways[] = {"httpGet", "tcpSocket"};
    bool ok = true;
    for (size_t i = 0; i < 5; i++) {
        const struct value *probe = i < 3 ? value_get(container, probes[i]) : value_find(container, "lifecycle", hooks[i - 3], NULL);
        for (size_t j = 0; j < 2; j++) {
            const char *host = value_find_text(probe, ways[j], "host", NULL);
            if (host == NULL || *host == '\0')
                continue;
            note(security, words, host);
            ok = false;
        }
    }
    return ok;
}

static void check_host_probes(struct security *security)
{
    struct lists lists = lists_make();
    each_container(security, host_probes_of, &lists.bad, &lists.words);
    if (lists.bad.length > 0) {
        vec_sort(&lists.bad, by_text);
        vec_sort(&lists.words, by_text);
        forbid(security, "probe or lifecycle host");
        print_containers(&security->detail, &lists.bad);
        buf_append_string(&security->detail, lists.bad.length == 1 ? " uses " : " use ");
        print_list(&security->detail, "probe or lifecycle host", "probe or lifecycle hosts", &lists.words);
    }
    lists_free(&lists);
}

static bool privileged_of(struct security *security, const struct value *container, struct vec *words)
{
    (void)security;
    (void)words;
    return !value_is_true(value_get(context_of(container), "privileged"));
}

static void check_privileged(struct security *security)
{
    struct lists lists = lists_make();
    each_container(security, privileged_of, &lists.bad, NULL);
    if (lists.bad.length > 0) {
        forbid(security, "privileged");
        print_containers(&security->detail, &lists.bad);
        buf_append_string(&security->detail, " must not set securityContext.privileged=true");
    }
    lists_free(&lists);
}

static bool proc_mount_of(struct security *security, const struct value *container, struct vec *words)
{
    const char *type = value_find_text(context_of(container), "procMount", NULL);
    if (type == NULL || strcmp(type, "Default") == 0)
        return true;
    note(security, words, type);
    return false;
}

static void check_proc_mount_strictly(struct security *security)
{
    struct lists lists = lists_make();
    each_container(security, proc_mount_of, &lists.bad, &lists.words);
    if (lists.bad.length > 0) {
        vec_sort(&lists.words, by_text);
        forbid(security, "procMount");
        print_containers(&security->detail, &lists.bad);
        buf_append_string(&security->detail, " must not set securityContext.procMount to ");
        print_quoted(&security->detail, &lists.words);
    }
    lists_free(&lists);
}

static void check_proc_mount(struct security *security)
{
    if (!is_relaxed(security))
        check_proc_mount_strictly(security);
}

static bool selinux_of(struct security *security, const struct value *container, struct vec *words)
{
    static const char *const types[] = {"", "container_t", "container_init_t", "container_kvm_t", NULL};
    const struct value *options = value_get(context_of(container), "seLinuxOptions");
    const char *type = value_find_text(options, "type", NULL), *user = value_find_text(options, "user", NULL), *role = value_find_text(options, "role", NULL);
    bool ok = true;
    if (type != NULL && !listed(types, type) && !(security->minor >= 31 && strcmp(type, "container_engine_t") == 0)) {
        note(security, words, type);
        ok = false;
    }
    return ok && (user == NULL || *user == '\0') && (role == NULL || *role == '\0');
}

static bool sets_selinux(const struct security *security, const char *field)
{
    const char *text = value_find_text(security->spec, "securityContext", "seLinuxOptions", field, NULL);
    bool set = text != NULL && *text != '\0';
    for (size_t i = 0; i < 3; i++) {
        for (const struct value *container = value_first(value_get(security->spec, container_fields[i])); container != NULL; container = value_next(container)) {
            text = value_find_text(context_of(container), "seLinuxOptions", field, NULL);
            set = set || (text != NULL && *text != '\0');
        }
    }
    return set;
}

static void check_selinux(struct security *security)
{
    struct lists lists = lists_make();
    bool pod = !selinux_of(security, security->spec, &lists.words);
    each_container(security, selinux_of, &lists.bad, &lists.words);
    if (pod || lists.bad.length > 0) {
        bool user = sets_selinux(security, "user"), role = sets_selinux(security, "role");
        forbid(security, "seLinuxOptions");
        print_setters(&security->detail, pod, &lists.bad);
        buf_append_string(&security->detail, " set forbidden securityContext.seLinuxOptions: ");
        vec_sort(&lists.words, by_text);
        if (lists.words.length > 0)
            print_list(&security->detail, "type", "types", &lists.words);
        buf_append_string(&security->detail, user && lists.words.length > 0 ? "; " : "");
        buf_append_string(&security->detail, user ? "user may not be set" : "");
        buf_append_string(&security->detail, role && (user || lists.words.length > 0) ? "; " : "");
        buf_append_string(&security->detail, role ? "role may not be set" : "");
    }
    lists_free(&lists);
}

static bool seccomp_of(struct security *security, const struct value *container, struct vec *words)
{
    const char *type = value_find_text(context_of(container), "seccompProfile", "type", NULL);
    if (profile_allowed(type))
        return true;
    note(security, words, type);
    return false;
}

static void check_seccomp(struct security *security)
{
    struct lists lists = lists_make();
    bool pod = !seccomp_of(security, security->spec, &lists.words);
    each_container(security, seccomp_of, &lists.bad, &lists.words);
    if (pod || lists.bad.length > 0) {
        vec_sort(&lists.words, by_text);
        forbid(security, "seccompProfile");
        print_setters(&security->detail, pod, &lists.bad);
        buf_append_string(&security->detail, " must not set securityContext.seccompProfile.type to ");
        print_quoted(&security->detail, &lists.words);
    }
    lists_free(&lists);
}

static void check_sysctls(struct security *security)
{
    static const struct {
        const char *name;
        int since;
    } allowed[] = {
        {"kernel.shm_rmid_forced", 0},
        {"net.ipv4.ip_local_port_range", 0},
        {"net.ipv4.tcp_syncookies", 0},
        {"net.ipv4.ping_group_range", 0},
        {"net.ipv4.ip_unprivileged_port_start", 0},
        {"net.ipv4.ip_local_reserved_ports", 27},
        {"net.ipv4.tcp_keepalive_time", 29},
        {"net.ipv4.tcp_fin_timeout", 29},
        {"net.ipv4.tcp_keepalive_intvl", 29},
        {"net.ipv4.tcp_keepalive_probes", 29},
        {"net.ipv4.tcp_rmem", 32},
        {"net.ipv4.tcp_wmem", 32},
        {"net.ipv4.tcp_slow_start_after_idle", 37},
        {"net.ipv4.tcp_notsent_lowat", 37},
    };
    for (const struct value *sysctl = value_first(value_find(security->spec, "securityContext", "sysctls", NULL)); sysctl != NULL; sysctl = value_next(sysctl)) {
        const char *name = value_find_text(sysctl, "name", NULL);
        bool ok = name == NULL;
        for (size_t i = 0; !ok && i < sizeof allowed / sizeof allowed[0]; i++)
            ok = strcmp(allowed[i].name, name) == 0 && security->minor >= allowed[i].since;
        if (ok)
            continue;
        forbid(security, "forbidden sysctls");
        buf_printf(&security->detail, "%s%s", security->detail.length > 0 ? ", " : "", name);
    }
}

static bool host_process_of(struct security *security, const struct value *container, struct vec *words)
{
    (void)security;
    (void)words;
    return !value_is_true(value_find(context_of(container), "windowsOptions", "hostProcess", NULL));
}

static void check_host_process(struct security *security)
{
    struct lists lists = lists_make();
    bool pod = !host_process_of(security, security->spec, NULL);
    each_container(security, host_process_of, &lists.bad, NULL);
    if (pod || lists.bad.length > 0) {
        forbid(security, "hostProcess");
        print_setters(&security->detail, pod, &lists.bad);
        buf_append_string(&security->detail, " must not set securityContext.windowsOptions.hostProcess=true");
    }
    lists_free(&lists);
}

static bool escalation_of(struct security *security, const struct value *container, struct vec *words)
{
    (void)security;
    (void)words;
    const struct value *allow = value_get(context_of(container), "allowPrivilegeEscalation");
    return value_type(allow) == VALUE_BOOL && !value_is_true(allow);
}

static void check_escalation(struct security *security)
{
    struct lists lists = lists_make();
    if (!(security->minor >= 25 && is_windows(security)))
        each_container(security, escalation_of, &lists.bad, NULL);
    if (lists.bad.length > 0) {
        forbid(security, "allowPrivilegeEscalation != false");
        print_containers(&security->detail, &lists.bad);
        buf_append_string(&security->detail, " must set securityContext.allowPrivilegeEscalation=false");
    }
    lists_free(&lists);
}

static bool drops_all(struct security *security, const struct value *container, struct vec *words)
{
    (void)security;
    (void)words;
    for (const struct value *word = value_first(value_find(context_of(container), "capabilities", "drop", NULL)); word != NULL; word = value_next(word))
        if (value_text(word) != NULL && strcmp(value_text(word), "ALL") == 0)
            return true;
    return false;
}

static bool adds_little(struct security *security, const struct value *container, struct vec *words)
{
    bool ok = true;
    for (const struct value *word = value_first(value_find(context_of(container), "capabilities", "add", NULL)); word != NULL; word = value_next(word)) {
        if (value_text(word) == NULL || strcmp(value_text(word), "NET_BIND_SERVICE") == 0)
            continue;
        note(security, words, value_text(word));
        ok = false;
    }
    return ok;
}

static void check_all_dropped(struct security *security)
{
    struct lists lists = lists_make();
    struct vec keep = vec_make(NAMES, NULL);
    if (!(security->minor >= 25 && is_windows(security))) {
        each_container(security, drops_all, &keep, NULL);
        each_container(security, adds_little, &lists.bad, &lists.words);
    }
    if (keep.length > 0) {
        print_containers(&security->detail, &keep);
        buf_append_string(&security->detail, " must set securityContext.capabilities.drop=[\"ALL\"]");
    }
    buf_append_string(&security->detail, keep.length > 0 && lists.bad.length > 0 ? "; " : "");
    if (lists.bad.length > 0)
        print_added(security, &lists);
    if (keep.length > 0 || lists.bad.length > 0)
        forbid(security, "unrestricted capabilities");
    vec_free(&keep);
    lists_free(&lists);
}

static void check_volumes(struct security *security)
{
    static const char *const allowed[] = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected", "secret", NULL};
    struct lists lists = lists_make();
    for (const struct value *volume = value_first(value_get(security->spec, "volumes")); volume != NULL; volume = value_next(volume)) {
        const char *type = "unknown", *name = value_find_text(volume, "name", NULL);
        bool ok = false;
        for (const struct value *field = value_first(volume); field != NULL; field = value_next(field)) {
            if (strcmp(value_key(field), "name") == 0)
                continue;
            type = value_key(field);
            ok = ok || listed(allowed, type);
        }
        if (ok)
            continue;
        note(security, &lists.bad, name != NULL ? name : "");
        note(security, &lists.words, type);
    }
    if (lists.bad.length > 0) {
        vec_sort(&lists.words, by_text);
        forbid(security, "restricted volume types");
        print_list(&security->detail, "volume", "volumes", &lists.bad);
        buf_append_string(&security->detail, lists.bad.length == 1 ? " uses " : " use ");
        print_list(&security->detail, "restricted volume type", "restricted volume types", &lists.words);
    }
    lists_free(&lists);
}

static bool non_root_of(struct security *security, const struct value *container, struct vec *words)
{
    (void)security;
    (void)words;
    const struct value *non_root = value_get(context_of(container), "runAsNonRoot");
    return value_type(non_root) != VALUE_BOOL || value_is_true(non_root);
}

static bool says_non_root(struct security *security, const struct value *container, struct vec *words)
{
    (void)security;
    (void)words;
    return value_type(value_get(context_of(container), "runAsNonRoot")) == VALUE_BOOL;
}

static void check_non_root(struct security *security)
{
    struct lists lists = lists_make();
    bool pod = !non_root_of(security, security->spec, NULL), safe = says_non_root(security, security->spec, NULL) && !pod;
    if (!is_relaxed(security)) {
        each_container(security, non_root_of, &lists.bad, NULL);
        if (!safe)
            each_container(security, says_non_root, &lists.words, NULL);
    } else {
        pod = false;
    }
    if (pod || lists.bad.length > 0) {
        print_setters(&security->detail, pod, &lists.bad);
        buf_append_string(&security->detail, " must not set securityContext.runAsNonRoot=false");
        forbid(security, "runAsNonRoot != true");
    } else if (lists.words.length > 0) {
        buf_append_string(&security->detail, "pod or ");
        print_containers(&security->detail, &lists.words);
        buf_append_string(&security->detail, " must set securityContext.runAsNonRoot=true");
        forbid(security, "runAsNonRoot != true");
    }
    lists_free(&lists);
}

static bool user_of(struct security *security, const struct value *container, struct vec *words)
{
    (void)security;
    (void)words;
    return value_find_int(context_of(container), 1, "runAsUser", NULL) != 0;
}

static void check_user(struct security *security)
{
    struct lists lists = lists_make();
    bool pod = !user_of(security, security->spec, NULL) && !is_relaxed(security);
    if (!is_relaxed(security))
        each_container(security, user_of, &lists.bad, NULL);
    if (pod || lists.bad.length > 0) {
        print_setters(&security->detail, pod, &lists.bad);
        buf_append_string(&security->detail, " must not set runAsUser=0");
        forbid(security, "runAsUser=0");
    }
    lists_free(&lists);
}

static bool says_seccomp(struct security *security, const struct value *container, struct vec *words)
{
    (void)security;
    (void)words;
    return value_get(context_of(container), "seccompProfile") != NULL;
}

static void check_seccomp_set(struct security *security)
{
    struct lists lists = lists_make();
    if (security->minor >= 25 && is_windows(security))
        return;
    check_seccomp(security);
    if (!security->forbidden && !says_seccomp(security, security->spec, NULL)) {
        each_container(security, says_seccomp, &lists.bad, NULL);
        if (lists.bad.length > 0) {
            forbid(security, "seccompProfile");
            buf_append_string(&security->detail, "pod or ");
            print_containers(&security->detail, &lists.bad);
            buf_append_string(&security->detail, " must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"");
        }
    }
    lists_free(&lists);
}

/* In the order in which they are told. A baseline check is replaced by a restricted one from the minor version `replaced` on. */
static const struct check {
    enum security_level level;
    int since, replaced;
    void (*run)(struct security *security);
} checks[] = {
    {SECURITY_BASELINE, 0, SECURITY_LATEST + 1, check_app_armor},
    {SECURITY_BASELINE, 0, 22, check_capabilities},
    {SECURITY_BASELINE, 0, SECURITY_LATEST + 1, check_host_namespaces},
    {SECURITY_BASELINE, 0, 0, check_host_paths},
    {SECURITY_BASELINE, 0, SECURITY_LATEST + 1, check_host_ports},
    {SECURITY_BASELINE, 34, SECURITY_LATEST + 1, check_host_probes},
    {SECURITY_BASELINE, 0, SECURITY_LATEST + 1, check_privileged},
    {SECURITY_BASELINE, 0, 35, check_proc_mount},
    {SECURITY_BASELINE, 0, SECURITY_LATEST + 1, check_selinux},
    {SECURITY_BASELINE, 19, 19, check_seccomp},
    {SECURITY_BASELINE, 0, SECURITY_LATEST + 1, check_sysctls},
    {SECURITY_BASELINE, 0, SECURITY_LATEST + 1, check_host_process},
    {SECURITY_RESTRICTED, 8, 0, check_escalation},
    {SECURITY_RESTRICTED, 22, 0, check_all_dropped},
    {SECURITY_RESTRICTED, 35, 0, check_proc_mount_strictly},
    {SECURITY_RESTRICTED, 0, 0, check_volumes},
    {SECURITY_RESTRICTED, 0, 0, check_non_root},
    {SECURITY_RESTRICTED, 23, 0, check_user},
    {SECURITY_RESTRICTED, 19, 0, check_seccomp_set},
};

static bool counts(const struct check *check, enum security_level level, int minor)
{
    if (check->level > level || minor < check->since)
        return false;
    return check->level == level || check->level == SECURITY_RESTRICTED || minor < check->replaced;
}

bool pod_security_allows(const struct value *pod, enum security_level level, int minor, struct buf *reasons, struct buf *details)
{
    bool allowed = true;
    if (level == SECURITY_PRIVILEGED)
        return true;
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        if (!counts(&checks[i], level, minor))
            continue;
        struct security security = {.pod = pod, .spec = value_get(pod, "spec"), .minor = minor, .detail = buf_make(SECURITY_TEXT)};
        checks[i].run(&security);
        if (security.failed || !buf_ok(&security.detail)) {
            allowed = false;
            if (details != NULL)
                details->failed = true;
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
