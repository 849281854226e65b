/* cmd_doctor.c: looks at everything that the tutor stands on, a line each; what is wrong comes with what to do. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "app/internal.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "base/xdg.h"
#include "data/json.h"
#include "data/units.h"
#include "data/value.h"
#include "kube/verbs.h"
#include "loop/child.h"
#include "text/safe.h"

enum {
    DOCTOR_LINE = 1024,
    LEAST_COLUMNS = 60, LEAST_ROWS = 18,
    LEAST_KUBECTL = 24, /* minor version */
    KUBECTL_MS = 10000, KUBECTL_BYTES = 64 << 10,
    REQUEST_MS = 15000,
    CLOCK_SKEW_MS = 30000, /* certificates and tokens begin to fail somewhere above */
    LEAST_FREE_MIB = 20,
};

enum mark { MARK_GOOD, MARK_WARNING, MARK_BAD };

struct doctor {
    struct app *app;
    int code;
    int kubectl_minor, server_minor; /* 0: unknown */
    struct error error;              /* of the request that was just made */
    char text[256];                  /* of its answer */
    bool allowed;
    int64_t server_ms; /* the server's clock, 0: not told */
};

/* One line. What outside bytes are in it is made safe. */
static void say(const struct doctor *doctor, enum mark mark, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(const struct doctor *doctor, enum mark mark, const char *format, ...)
{
    static const char *const signs[] = {"✓", "!", "✗"}, *const colours[] = {"\033[32m", "\033[33m", "\033[31m"};
    char line[DOCTOR_LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    struct safe_text safe = safe_string(line);
    bool colour = doctor->app->colour_out;
    printf("%s%s%s %s\n", colour ? colours[mark] : "", signs[mark], colour ? "\033[0m" : "", safe.bytes != NULL ? safe.bytes : "");
    safe_free(&safe);
    fflush(stdout); /* the next one may take its time */
}

/* What to do about the line above. */
static void advise(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void advise(const char *format, ...)
{
    char line[DOCTOR_LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    struct safe_text safe = safe_string(line);
    printf("    %s\n", safe.bytes != NULL ? safe.bytes : "");
    safe_free(&safe);
}

static void failed(struct doctor *doctor, int code)
{
    doctor->code = code > doctor->code ? code : doctor->code;
}

/* "v1.37.2" -> 37; 0 if it is no version. */
static int minor_of(const char *version)
{
    int major = 0, minor = 0;
    return version != NULL && sscanf(version, "v%d.%d", &major, &minor) == 2 && major == 1 ? minor : 0;
}

/* ---- this machine ---- */

/* A line NAME=value of /etc/os-release, without quotes; false if there is none. */
static bool os_field(const char *text, const char *name, char *out, size_t room)
{
    size_t length = strlen(name);
    for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n') != NULL ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, name, length) == 0 && line[length] == '=') {
            const char *value = line + length + 1 + (line[length + 1] == '"');
            snprintf(out, room, "%.*s", (int)strcspn(value, "\"\n"), value);
            return true;
        }
    return false;
}

static void look_at_machine(const struct doctor *doctor)
{
    char name[128] = "", id[64] = "", version[64] = "";
    struct utsname machine = {0};
    char *text = file_read("/etc/os-release", 64 << 10, NULL, NULL);
    uname(&machine);
    bool debian = os_field(text, "ID", id, sizeof id) && strcmp(id, "debian") == 0 && os_field(text, "VERSION_ID", version, sizeof version) && atoi(version) >= 12;
    if (!os_field(text, "PRETTY_NAME", name, sizeof name))
        snprintf(name, sizeof name, "%s", machine.sysname);
    say(doctor, debian ? MARK_GOOD : MARK_WARNING, _("machine: %s, %s"), name, machine.machine);
    if (!debian)
        advise("%s", _("kubetutor is made and tested for Debian 12; elsewhere it may work"));
    mem_free(text);
}

/* The terminal's description, where ncurses looks for it. */
static bool terminal_known(const char *term)
{
    const char *own = getenv("TERMINFO"), *home = xdg_home();
    char *at_home = home != NULL ? mem_printf("%s/.terminfo", home) : NULL;
    const char *const places[] = {own, at_home, "/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/local/share/terminfo"};
    bool known = false;
    for (size_t i = 0; i < sizeof places / sizeof *places && !known; i++) {
        char *path = places[i] != NULL ? mem_printf("%s/%c/%s", places[i], term[0], term) : NULL;
        known = path != NULL && file_exists(path);
        mem_free(path);
    }
    mem_free(at_home);
    return known;
}

static void look_at_terminal(const struct doctor *doctor)
{
    const char *term = getenv("TERM"), *colours = getenv("COLORTERM"), *no_colour = getenv("NO_COLOR");
    struct winsize size = {0};
    bool any = false;
    for (int fd = 0; fd <= 2 && !any; fd++)
        any = isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0;
    if (!any) {
        say(doctor, MARK_WARNING, "%s", _("terminal: none here"));
        advise("%s", _("the tutor's screen needs one; check, play and the other commands do not"));
        return;
    }
    if (term == NULL || term[0] == '\0' || strchr(term, '/') != NULL || !terminal_known(term)) {
        say(doctor, MARK_WARNING, _("terminal: TERM is \"%s\", which is not known here"), term != NULL ? term : "");
        advise("%s", _("set TERM, to xterm-256color for example, or install the package ncurses-term"));
        return;
    }
    const char *depth = no_colour != NULL && no_colour[0] != '\0' ? _("no colours: NO_COLOR is set") : colours != NULL || strstr(term, "256") != NULL ? _("256 colours or more") : _("a few colours");
    bool fits = size.ws_col >= LEAST_COLUMNS && size.ws_row >= LEAST_ROWS;
    say(doctor, fits ? MARK_GOOD : MARK_WARNING, _("terminal: %s, %d×%d, %s"), term, size.ws_col, size.ws_row, depth);
    if (!fits)
        advise(_("make the window larger: the tutor's screen wants %d×%d"), LEAST_COLUMNS, LEAST_ROWS);
}

static void look_at_language(const struct doctor *doctor)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (size_t i = 0; i < 3 && (locale == NULL || locale[0] == '\0'); i++)
        locale = getenv(variables[i]);
    bool utf8 = locale != NULL && (strcasestr(locale, "UTF-8") != NULL || strcasestr(locale, "UTF8") != NULL);
    char *catalogues = find_catalogues(), *chinese = catalogues != NULL ? mem_printf("%s/zh_CN/LC_MESSAGES/kubetutor.mo", catalogues) : NULL;
    bool translated = lang_get() == LANG_EN || (chinese != NULL && file_exists(chinese));
    say(doctor, utf8 && translated ? MARK_GOOD : MARK_WARNING, _("language: %s, locale %s"), lang_name(lang_get()), locale != NULL && locale[0] != '\0' ? locale : "C");
    if (!utf8)
        advise("%s", _("kubetutor goes on in C.UTF-8; your shell and terminal should speak UTF-8, too: LANG=C.UTF-8"));
    if (!translated)
        advise("%s", _("the program's own messages stay English: its catalogue is not installed"));
    mem_free(catalogues);
    mem_free(chinese);
}

static void look_at_state(const struct doctor *doctor)
{
    struct error err = ERROR_INIT;
    struct statvfs space;
    char *folder = xdg_folder(XDG_STATE, &err);
    bool kept = progress_is_kept(doctor->app->progress), room = true;
    if (folder == NULL)
        say(doctor, MARK_WARNING, _("progress: %s"), err.message);
    else if (!kept)
        say(doctor, MARK_WARNING, _("progress: is not kept: %s"), doctor->app->warning.message);
    else if (statvfs(folder, &space) == 0 && (room = space.f_bavail * (space.f_frsize / 1024) / 1024 >= LEAST_FREE_MIB) == false)
        say(doctor, MARK_WARNING, _("progress: less than %d MiB are free for %s"), LEAST_FREE_MIB, folder);
    else
        say(doctor, MARK_GOOD, _("progress: kept in %s"), folder);
    if (folder == NULL || !kept || !room)
        advise("%s", _("everything works, but what you did is forgotten at the end; make room there, or set XDG_STATE_HOME to a folder of yours"));
    mem_free(folder);
}

/* ---- kubectl ---- */

static void kubectl_ended(void *data, const struct child_result *result)
{
    struct doctor *doctor = data;
    struct value *answer = result->error == NULL ? json_parse(result->output, result->output_length, "kubectl version", NULL) : NULL;
    const char *version = value_find_text(answer, "clientVersion", "gitVersion", NULL);
    if (result->error != NULL)
        doctor->error = *result->error;
    snprintf(doctor->text, sizeof doctor->text, "%s", version != NULL ? version : "");
    value_free(answer);
    doctor->app->done = true;
}

static void look_at_kubectl(struct doctor *doctor)
{
    static const char *const argv[] = {"kubectl", "version", "--client", "-o", "json", NULL};
    struct child_options options = {.argv = argv, .maximum = KUBECTL_BYTES, .timeout_ms = KUBECTL_MS};
    doctor->error = ERROR_INIT;
    doctor->app->done = false;
    struct child *child = child_start(doctor->app->loop, &options, kubectl_ended, doctor, &doctor->error);
    if (child != NULL && !app_wait(doctor->app, -1)) {
        child_cancel(child);
        return;
    }
    doctor->kubectl_minor = child != NULL ? minor_of(doctor->text) : 0;
    if (child != NULL && doctor->kubectl_minor >= LEAST_KUBECTL) {
        say(doctor, MARK_GOOD, "kubectl: %s", doctor->text);
        return;
    }
    failed(doctor, EXIT_FAILED);
    if (child == NULL && doctor->error.kind == ERROR_NOT_FOUND)
        say(doctor, MARK_BAD, "%s", _("kubectl: not found on your PATH"));
    else if (doctor->error.kind != ERROR_NONE)
        say(doctor, MARK_BAD, "kubectl: %s", doctor->error.message);
    else if (doctor->kubectl_minor > 0)
        say(doctor, MARK_BAD, _("kubectl: %s is too old"), doctor->text);
    else
        say(doctor, MARK_BAD, "%s", _("kubectl: it does not tell its version"));
    advise("%s", _("the lessons want kubectl 1.24 or newer: scripts/start fetches one; or see \"Install Tools\" in the Kubernetes documentation"));
}

/* ---- the cluster ---- */

static bool look_at_kubeconfig(struct doctor *doctor)
{
    static const char *const origins[] = {
        [KUBE_CONFIG_FLAG] = "--kubeconfig", [KUBE_CONFIG_ENVIRONMENT] = "$KUBECONFIG", [KUBE_CONFIG_HOME] = "~/.kube/config", [KUBE_CONFIG_IN_CLUSTER] = N_("the Pod's service account"),
    };
    struct error err = ERROR_INIT;
    struct kube_config *config = NULL;
    struct kube_config_options options = {.file = doctor->app->values[OPTION_KUBECONFIG], .context = doctor->app->values[OPTION_CONTEXT]};
    if (!kube_config_load(&options, &config, &err)) {
        say(doctor, MARK_BAD, "kubeconfig: %s%s%s%s", err.where, err.where[0] != '\0' ? ": " : "", err.message, "");
        if (err.cause[0] != '\0')
            advise("%s", err.cause);
        failed(doctor, EXIT_CLUSTER);
        return false;
    }
    if (config == NULL) {
        say(doctor, MARK_GOOD, "%s", _("kubeconfig: none, so the practice cluster is used; kubetutor starts it when a lesson needs it"));
        advise("%s", _("for another cluster give --kubeconfig FILE, set KUBECONFIG, or put a kubeconfig at ~/.kube/config"));
        return false;
    }
    say(doctor, MARK_GOOD, _("kubeconfig: %s (from %s), context %s, user %s"), config->files.length > 0 ? (const char *)config->files.items[0] : "-", _(origins[config->origin]),
        config->context_name != NULL && config->context_name[0] != '\0' ? config->context_name : "-", config->user_name != NULL ? config->user_name : "-");
    kube_config_free(config);
    return true;
}

static void session_moved(void *data)
{
    struct doctor *doctor = data;
    enum session_state state = session_state(doctor->app->session);
    doctor->app->done = state == SESSION_READY || state == SESSION_FAILED;
}

/* What helps against an error of the connection. */
static const char *remedy(enum error_kind kind)
{
    switch (kind) {
    case ERROR_UNREACHABLE:
    case ERROR_TIMEOUT:
        return N_("is the cluster running, and is the address right? kubectl cluster-info asks the same server");
    case ERROR_UNAUTHENTICATED:
        return N_("the credentials are refused: log in again, or ask for a new kubeconfig");
    case ERROR_DENIED:
        return N_("ask whoever runs the cluster for the permission, or choose a namespace of yours with -n");
    default:
        return N_("kubetutor -v doctor shows each request");
    }
}

static bool look_at_server(struct doctor *doctor)
{
    struct app *app = doctor->app;
    struct session_options options = {.kubeconfig = app->values[OPTION_KUBECONFIG], .context = app->values[OPTION_CONTEXT], .ns = app->values[OPTION_NAMESPACE],
                                      .practice = app->values[OPTION_PRACTICE] != NULL, .yes = true, .log = &app->log};
    app->done = false;
    app->session = session_new(app->loop, app->progress, &options, session_moved, doctor);
    if (app->session == NULL || !app_wait(app, -1))
        return false;
    const struct vec *warnings = session_client(app->session) != NULL ? kube_client_warnings(session_client(app->session)) : NULL;
    for (size_t i = 0; warnings != NULL && i < warnings->length; i++)
        say(doctor, MARK_WARNING, "kubeconfig: %s", (const char *)warnings->items[i]);
    if (session_state(app->session) == SESSION_FAILED) {
        const struct error *error = session_error(app->session);
        say(doctor, MARK_BAD, _("cluster: %s"), error->message);
        if (error->cause[0] != '\0')
            advise("%s", error->cause);
        advise("%s", _(remedy(error->kind)));
        failed(doctor, EXIT_CLUSTER);
        return false;
    }
    doctor->server_minor = minor_of(session_version(app->session));
    return true;
}

static void answered(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct doctor *doctor = data;
    (void)status;
    if (error != NULL)
        doctor->error = *error;
    const char *name = value_find_text(object, "status", "userInfo", "username", NULL), *made = value_find_text(object, "metadata", "creationTimestamp", NULL);
    snprintf(doctor->text, sizeof doctor->text, "%s", name != NULL ? name : "");
    doctor->allowed = value_is_true(value_find(object, "status", "allowed", NULL));
    if (made == NULL || !time_parse(made, &doctor->server_ms))
        doctor->server_ms = 0;
    value_free(object);
    doctor->app->done = true;
}

/* Waits for the answer of a request that was sent; false: it failed, or was interrupted. */
static bool wait_for(struct doctor *doctor, bool sent)
{
    if (sent && !app_wait(doctor->app, REQUEST_MS) && doctor->error.kind == ERROR_NONE)
        error_set(&doctor->error, ERROR_TIMEOUT, NULL, "%s", _("the server takes too long to answer"));
    return doctor->error.kind == ERROR_NONE;
}

static void begin(struct doctor *doctor)
{
    doctor->error = ERROR_INIT;
    doctor->app->done = false;
}

static void look_at_answer_time(struct doctor *doctor)
{
    struct app *app = doctor->app;
    int64_t began = clock_monotonic_us();
    begin(doctor);
    bool sent = kube_get_path(session_client(app->session), "/version", answered, doctor, &doctor->error) != NULL;
    if (!wait_for(doctor, sent)) {
        say(doctor, MARK_BAD, _("cluster: %s"), doctor->error.message);
        failed(doctor, EXIT_CLUSTER);
        return;
    }
    double ms = (double)(clock_monotonic_us() - began) / 1000;
    int apart = doctor->kubectl_minor - doctor->server_minor;
    bool skewed = doctor->kubectl_minor > 0 && doctor->server_minor > 0 && (apart > 1 || apart < -1);
    say(doctor, ms < 1000 ? MARK_GOOD : MARK_WARNING, _("cluster: %s at %s, %s, answers in %.0f ms"), session_cluster_name(app->session), session_server(app->session), session_version(app->session), ms);
    if (ms >= 1000)
        advise("%s", _("that is slow: checks will lag behind what you do"));
    if (skewed) {
        say(doctor, MARK_WARNING, _("kubectl: 1.%d and a server of 1.%d are more than one minor version apart"), doctor->kubectl_minor, doctor->server_minor);
        advise("%s", _("that is outside of what Kubernetes supports (\"Version Skew Policy\"); most of it works"));
    }
}

static void look_at_user_and_clock(struct doctor *doctor)
{
    char skew[16];
    begin(doctor);
    if (!wait_for(doctor, kube_who_am_i(session_client(doctor->app->session), answered, doctor, &doctor->error))) {
        say(doctor, MARK_WARNING, _("user: the server does not tell: %s"), doctor->error.message);
        return;
    }
    say(doctor, MARK_GOOD, _("user: %s"), doctor->text);
    if (doctor->server_ms == 0)
        return;
    int64_t apart = clock_wall_ms() - doctor->server_ms, size = apart < 0 ? -apart : apart;
    duration_print(size, skew);
    if (size < CLOCK_SKEW_MS) {
        say(doctor, MARK_GOOD, "%s", _("clock: agrees with the server's"));
        return;
    }
    say(doctor, MARK_WARNING, apart > 0 ? _("clock: %s ahead of the server's") : _("clock: %s behind the server's"), skew);
    advise("%s", _("ages look wrong, and certificates may seem expired: set the clock (timedatectl)"));
}

static void look_at_permissions(struct doctor *doctor)
{
    static const struct kube_resource wanted[] = {
        {.group = "apps", .version = "v1", .plural = "deployments", .singular = "deployment", .kind = "Deployment", .namespaced = true},
        {.group = "", .version = "v1", .plural = "pods", .singular = "pod", .kind = "Pod", .namespaced = true},
        {.group = "", .version = "v1", .plural = "services", .singular = "service", .kind = "Service", .namespaced = true},
    };
    const char *ns = session_namespace(doctor->app->session);
    struct buf missing = buf_make(DOCTOR_LINE / 2);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct kube_target target = {.resource = &wanted[i], .ns = ns};
        begin(doctor);
        if (!wait_for(doctor, kube_can_i(session_client(doctor->app->session), "create", &target, answered, doctor, &doctor->error) != NULL)) {
            bool refused = doctor->error.kind == ERROR_DENIED || doctor->error.kind == ERROR_UNAUTHENTICATED; /* everybody may ask what he may do */
            say(doctor, refused ? MARK_BAD : MARK_WARNING, _("permissions: the server does not tell: %s"), doctor->error.message);
            if (refused) {
                advise("%s", _(remedy(ERROR_UNAUTHENTICATED)));
                failed(doctor, EXIT_CLUSTER);
            }
            buf_free(&missing);
            return;
        }
        if (!doctor->allowed)
            buf_printf(&missing, "%s%s", missing.length > 0 ? ", " : "", wanted[i].plural);
    }
    if (missing.length == 0)
        say(doctor, MARK_GOOD, _("permissions: Deployments, Pods and Services may be made in namespace %s"), ns);
    else {
        say(doctor, MARK_BAD, _("permissions: not allowed in namespace %s: create %s"), ns, buf_ok(&missing) ? missing.bytes : "");
        advise("%s", _(remedy(ERROR_DENIED)));
        failed(doctor, EXIT_CLUSTER);
    }
    buf_free(&missing);
}

int command_doctor(struct app *app)
{
    struct doctor doctor = {.app = app};
    look_at_machine(&doctor);
    look_at_terminal(&doctor);
    look_at_language(&doctor);
    look_at_state(&doctor);
    look_at_kubectl(&doctor);
    if (!app->interrupted && look_at_kubeconfig(&doctor) && look_at_server(&doctor)) {
        look_at_answer_time(&doctor);
        if (doctor.error.kind == ERROR_NONE)
            look_at_user_and_clock(&doctor);
        if (!app->interrupted)
            look_at_permissions(&doctor);
    }
    return app->interrupted ? EXIT_INTERRUPTED : doctor.code;
}
