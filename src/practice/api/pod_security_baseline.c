/* The checks of the level baseline, one function each. */
#include "practice/api/pod_security_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"

/* Of seccomp and AppArmor; none is allowed, too. */
static bool profile_allowed(const char *type)
{
    return type == NULL || strcmp(type, "RuntimeDefault") == 0 || strcmp(type, "Localhost") == 0;
}

static bool app_armor_of(struct security *security, const struct value *container, struct vec *words)
{
    const char *type = value_find_text(security_context(container), "appArmorProfile", "type", NULL);
    if (profile_allowed(type))
        return true;
    security_note(security, words, type);
    return false;
}

void security_check_app_armor(struct security *security)
{
    static const char prefix[] = "container.apparmor.security.beta.kubernetes.io/";
    struct security_lists lists = security_lists_make();
    struct vec annotations = vec_make(SECURITY_NAMES, mem_free);
    bool pod = !app_armor_of(security, security->spec, &lists.words);
    security_each(security, app_armor_of, &lists.bad, &lists.words);
    for (const struct value *entry = value_first(value_find(security->pod, "metadata", "annotations", NULL)); entry != NULL;
         entry = value_next(entry)) {
        const char *text = value_text(entry);
        if (strncmp(value_key(entry), prefix, sizeof prefix - 1) != 0 || text == NULL || *text == '\0' ||
            strcmp(text, "runtime/default") == 0 || strncmp(text, "localhost/", 10) == 0)
            continue;
        char *line = mem_printf("%s=\"%s\"", value_key(entry), text);
        if (line == NULL || !vec_push(&annotations, line))
            security->failed = true;
    }
    vec_sort(&lists.words, security_by_text);
    vec_sort(&annotations, security_by_text);
    for (size_t i = 0; i < annotations.length; i++)
        security_note(security, &lists.words, annotations.items[i]);
    if (lists.words.length > 0) {
        security_forbid(security, lists.words.length == 1 ? "forbidden AppArmor profile" : "forbidden AppArmor profiles");
        security_setters(&security->detail, pod, &lists.bad);
        if (annotations.length > 0)
            buf_printf(&security->detail, "%s%s", pod || lists.bad.length > 0 ? " and " : "",
                       annotations.length == 1 ? "annotation" : "annotations");
        buf_append_string(&security->detail, " must not set AppArmor profile type to ");
        security_quote(&security->detail, &lists.words);
    }
    security_lists_free(&lists);
    vec_free(&annotations);
}

static bool capabilities_of(struct security *security, const struct value *container, struct vec *words)
{
    static const char *const allowed[] = {"AUDIT_WRITE", "CHOWN",  "DAC_OVERRIDE",     "FOWNER",  "FSETID",
                                          "KILL",        "MKNOD",  "NET_BIND_SERVICE", "SETFCAP", "SETGID",
                                          "SETPCAP",     "SETUID", "SYS_CHROOT",       NULL};
    bool ok = true;
    for (const struct value *word = value_first(value_find(security_context(container), "capabilities", "add", NULL));
         word != NULL; word = value_next(word)) {
        if (value_text(word) == NULL || security_listed(allowed, value_text(word)))
            continue;
        security_note(security, words, value_text(word));
        ok = false;
    }
    return ok;
}

void security_check_capabilities(struct security *security)
{
    struct security_lists lists = security_lists_make();
    security_each(security, capabilities_of, &lists.bad, &lists.words);
    if (lists.bad.length > 0) {
        security_forbid(security, "non-default capabilities");
        security_added(security, &lists);
    }
    security_lists_free(&lists);
}

void security_check_host_namespaces(struct security *security)
{
    static const char *const fields[] = {"hostNetwork", "hostPID", "hostIPC"};
    for (size_t i = 0; i < 3; i++) {
        if (!value_is_true(value_get(security->spec, fields[i])))
            continue;
        security_forbid(security, "host namespaces");
        buf_printf(&security->detail, "%s%s=true", security->detail.length > 0 ? ", " : "", fields[i]);
    }
}

void security_check_host_paths(struct security *security)
{
    struct vec bad = vec_make(SECURITY_NAMES, NULL);
    for (const struct value *volume = value_first(value_get(security->spec, "volumes")); volume != NULL;
         volume = value_next(volume))
        if (value_get(volume, "hostPath") != NULL)
            security_note(security, &bad,
                          value_find_text(volume, "name", NULL) != NULL ? value_find_text(volume, "name", NULL) : "");
    if (bad.length > 0) {
        security_forbid(security, "hostPath volumes");
        security_list(&security->detail, "volume", "volumes", &bad);
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

void security_check_host_ports(struct security *security)
{
    struct security_lists lists = {.bad = vec_make(SECURITY_NAMES, NULL), .words = vec_make(SECURITY_NAMES, mem_free)};
    security_each(security, host_ports_of, &lists.bad, &lists.words);
    if (lists.bad.length > 0) {
        vec_sort(&lists.words, security_by_text);
        security_forbid(security, "hostPort");
        security_containers(&security->detail, &lists.bad);
        buf_printf(&security->detail, " %s %s ", lists.bad.length == 1 ? "uses" : "use",
                   lists.words.length == 1 ? "hostPort" : "hostPorts");
        for (size_t i = 0; i < lists.words.length; i++)
            buf_printf(&security->detail, "%s%s", i > 0 ? ", " : "", (const char *)lists.words.items[i]);
    }
    security_lists_free(&lists);
}

static bool host_probes_of(struct security *security, const struct value *container, struct vec *words)
{
    static const char *const probes[] = {"livenessProbe", "readinessProbe", "startupProbe"},
                             *const hooks[] = {"postStart", "preStop"}, *const ways[] = {"httpGet", "tcpSocket"};
    bool ok = true;
    for (size_t i = 0; i < 5; i++) {
        const struct value *probe =
            i < 3 ? value_get(container, probes[i]) : value_find(container, "lifecycle", hooks[i - 3], NULL);
        for (size_t j = 0; j < 2; j++) {
            const char *host = value_find_text(probe, ways[j], "host", NULL);
            if (host == NULL || *host == '\0')
                continue;
            security_note(security, words, host);
            ok = false;
        }
    }
    return ok;
}

void security_check_host_probes(struct security *security)
{
    struct security_lists lists = security_lists_make();
    security_each(security, host_probes_of, &lists.bad, &lists.words);
    if (lists.bad.length > 0) {
        vec_sort(&lists.bad, security_by_text);
        vec_sort(&lists.words, security_by_text);
        security_forbid(security, "probe or lifecycle host");
        security_containers(&security->detail, &lists.bad);
        buf_append_string(&security->detail, lists.bad.length == 1 ? " uses " : " use ");
        security_list(&security->detail, "probe or lifecycle host", "probe or lifecycle hosts", &lists.words);
    }
    security_lists_free(&lists);
}

static bool privileged_of(struct security *security, const struct value *container, struct vec *words)
{
    (void)security;
    (void)words;
    return !value_is_true(value_get(security_context(container), "privileged"));
}

void security_check_privileged(struct security *security)
{
    struct security_lists lists = security_lists_make();
    security_each(security, privileged_of, &lists.bad, NULL);
    if (lists.bad.length > 0) {
        security_forbid(security, "privileged");
        security_containers(&security->detail, &lists.bad);
        buf_append_string(&security->detail, " must not set securityContext.privileged=true");
    }
    security_lists_free(&lists);
}

static bool proc_mount_of(struct security *security, const struct value *container, struct vec *words)
{
    const char *type = value_find_text(security_context(container), "procMount", NULL);
    if (type == NULL || strcmp(type, "Default") == 0)
        return true;
    security_note(security, words, type);
    return false;
}

void security_check_proc_mount_strictly(struct security *security)
{
    struct security_lists lists = security_lists_make();
    security_each(security, proc_mount_of, &lists.bad, &lists.words);
    if (lists.bad.length > 0) {
        vec_sort(&lists.words, security_by_text);
        security_forbid(security, "procMount");
        security_containers(&security->detail, &lists.bad);
        buf_append_string(&security->detail, " must not set securityContext.procMount to ");
        security_quote(&security->detail, &lists.words);
    }
    security_lists_free(&lists);
}

void security_check_proc_mount(struct security *security)
{
    if (!security_is_relaxed(security))
        security_check_proc_mount_strictly(security);
}

static bool selinux_of(struct security *security, const struct value *container, struct vec *words)
{
    static const char *const types[] = {"", "container_t", "container_init_t", "container_kvm_t", NULL};
    const struct value *options = value_get(security_context(container), "seLinuxOptions");
    const char *type = value_find_text(options, "type", NULL), *user = value_find_text(options, "user", NULL),
               *role = value_find_text(options, "role", NULL);
    bool ok = true;
    if (type != NULL && !security_listed(types, type) && !(security->minor >= 31 && strcmp(type, "container_engine_t") == 0)) {
        security_note(security, words, type);
        ok = false;
    }
    return ok && (user == NULL || *user == '\0') && (role == NULL || *role == '\0');
}

static bool sets_selinux(const struct security *security, const char *field)
{
    const char *text = value_find_text(security->spec, "securityContext", "seLinuxOptions", field, NULL);
    bool set = text != NULL && *text != '\0';
    for (size_t i = 0; i < 3; i++) {
        for (const struct value *container = value_first(value_get(security->spec, security_fields[i])); container != NULL;
             container = value_next(container)) {
            text = value_find_text(security_context(container), "seLinuxOptions", field, NULL);
            set = set || (text != NULL && *text != '\0');
        }
    }
    return set;
}

void security_check_selinux(struct security *security)
{
    struct security_lists lists = security_lists_make();
    bool pod = !selinux_of(security, security->spec, &lists.words);
    security_each(security, selinux_of, &lists.bad, &lists.words);
    if (pod || lists.bad.length > 0) {
        bool user = sets_selinux(security, "user"), role = sets_selinux(security, "role");
        security_forbid(security, "seLinuxOptions");
        security_setters(&security->detail, pod, &lists.bad);
        buf_append_string(&security->detail, " set forbidden securityContext.seLinuxOptions: ");
        vec_sort(&lists.words, security_by_text);
        if (lists.words.length > 0)
            security_list(&security->detail, "type", "types", &lists.words);
        buf_append_string(&security->detail, user && lists.words.length > 0 ? "; " : "");
        buf_append_string(&security->detail, user ? "user may not be set" : "");
        buf_append_string(&security->detail, role && (user || lists.words.length > 0) ? "; " : "");
        buf_append_string(&security->detail, role ? "role may not be set" : "");
    }
    security_lists_free(&lists);
}

static bool seccomp_of(struct security *security, const struct value *container, struct vec *words)
{
    const char *type = value_find_text(security_context(container), "seccompProfile", "type", NULL);
    if (profile_allowed(type))
        return true;
    security_note(security, words, type);
    return false;
}

void security_check_seccomp(struct security *security)
{
    struct security_lists lists = security_lists_make();
    bool pod = !seccomp_of(security, security->spec, &lists.words);
    security_each(security, seccomp_of, &lists.bad, &lists.words);
    if (pod || lists.bad.length > 0) {
        vec_sort(&lists.words, security_by_text);
        security_forbid(security, "seccompProfile");
        security_setters(&security->detail, pod, &lists.bad);
        buf_append_string(&security->detail, " must not set securityContext.seccompProfile.type to ");
        security_quote(&security->detail, &lists.words);
    }
    security_lists_free(&lists);
}

void security_check_sysctls(struct security *security)
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
    for (const struct value *sysctl = value_first(value_find(security->spec, "securityContext", "sysctls", NULL));
         sysctl != NULL; sysctl = value_next(sysctl)) {
        const char *name = value_find_text(sysctl, "name", NULL);
        bool ok = name == NULL;
        for (size_t i = 0; !ok && i < sizeof allowed / sizeof allowed[0]; i++)
            ok = strcmp(allowed[i].name, name) == 0 && security->minor >= allowed[i].since;
        if (ok)
            continue;
        security_forbid(security, "forbidden sysctls");
        buf_printf(&security->detail, "%s%s", security->detail.length > 0 ? ", " : "", name);
    }
}

static bool host_process_of(struct security *security, const struct value *container, struct vec *words)
{
    (void)security;
    (void)words;
    return !value_is_true(value_find(security_context(container), "windowsOptions", "hostProcess", NULL));
}

void security_check_host_process(struct security *security)
{
    struct security_lists lists = security_lists_make();
    bool pod = !host_process_of(security, security->spec, NULL);
    security_each(security, host_process_of, &lists.bad, NULL);
    if (pod || lists.bad.length > 0) {
        security_forbid(security, "hostProcess");
        security_setters(&security->detail, pod, &lists.bad);
        buf_append_string(&security->detail, " must not set securityContext.windowsOptions.hostProcess=true");
    }
    security_lists_free(&lists);
}
