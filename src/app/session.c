#include "app/session.h"

#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "app/practice.h"
#include "base/buf.h"
#include "base/lang.h"
#include "base/mem.h"
#include "data/value.h"
#include "kube/verbs.h"
#include "text/safe.h"

enum { SESSION_ACCOUNT_TRIES = 100, SESSION_ACCOUNT_MS = 100 };

struct session {
    struct loop *loop;
    struct progress *progress;
    char *kubeconfig, *context, *asked_ns;
    bool yes, writes, practice;
    struct log *log;
    void (*changed)(void *data), (*on_terminal)(void *data, bool taken);
    void *data;

    enum session_state state;
    struct error error;
    struct kube_client *client;
    char *version, *uid, *ns, *user, *line;
    struct practice_start *starting; /* of the practice cluster */
    bool on_practice;    /* it is ours: no question before the first write, and the namespace is learn */
    bool connected;      /* version and uid are known */
    bool made_namespace; /* by us, in this run */
    bool chosen;         /* the namespace was asked for, or is remembered: it is not our own proposal */
    bool unreadable;     /* the account may not look at the namespace itself, so that it may be there */
    int account_tries;
    struct kube_call *call;
    struct loop_event *timer;
    bool settled; /* for session_wait */
};

static void ask_version(struct session *session);
static void choose_namespace(struct session *session);
static void look_for_namespace(struct session *session);
static void wait_for_account(void *data);

static void set_state(struct session *session, enum session_state state)
{
    session->state = state;
    session->settled = state != SESSION_CONNECTING;
    if (session->changed != NULL)
        session->changed(session->data);
}

static void fail(struct session *session, const struct error *error)
{
    session->error = *error;
    set_state(session, SESSION_FAILED);
}

static bool replace(char **where, const char *text)
{
    char *fresh = mem_string(text);
    if (fresh == NULL)
        return false;
    mem_free(*where);
    *where = fresh;
    return true;
}

/* The login name as a DNS label: lower case, others become "-", at most 40 characters. */
static char *user_label(void)
{
    const struct passwd *user = getpwuid(geteuid());
    char label[41];
    size_t length = 0;
    for (const char *c = user != NULL ? user->pw_name : "learner"; *c != '\0' && length < sizeof label - 1; c++) {
        bool plain = isascii(*c) && isalnum((unsigned char)*c);
        if (plain || (length > 0 && label[length - 1] != '-'))
            label[length++] = plain ? (char)tolower((unsigned char)*c) : '-';
    }
    while (length > 0 && label[length - 1] == '-')
        length--;
    label[length] = '\0';
    return mem_string(length > 0 ? label : "learner");
}

static void describe(struct session *session)
{
    mem_free(session->line);
    session->line = mem_printf(_("cluster %s (%s, %s), namespace %s"), session_cluster_name(session), session_server(session), session_version(session),
                               session->ns != NULL ? session->ns : "-");
}

/* ---- 4: the namespace is there ---- */

static void ready(struct session *session)
{
    if (session->writes) {
        (void)!progress_set_fact(session->progress, session->uid, "namespace", session->ns, NULL);
        if (session->made_namespace)
            (void)!progress_set_fact(session->progress, session->uid, "namespace-created", session->ns, NULL);
    }
    describe(session);
    set_state(session, SESSION_READY);
}

/* A new namespace has no ServiceAccount for a moment, and without it no Pod can be made. */
static void account_known(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct session *session = data;
    (void)status;
    session->call = NULL;
    value_free(object);
    if (error != NULL && error->kind == ERROR_NOT_FOUND && ++session->account_tries < SESSION_ACCOUNT_TRIES)
        loop_set_timer(session->timer, SESSION_ACCOUNT_MS);
    else if (error != NULL && error->kind != ERROR_NOT_FOUND && error->kind != ERROR_DENIED)
        fail(session, error);
    else
        ready(session);
}

static struct kube_call *get_core(struct session *session, const char *root, const char *ns, const char *plural, const char *name, kube_done *done,
                                  struct error *err)
{
    struct buf path = buf_make(600);
    struct kube_call *call = NULL;
    if (ns != NULL)
        kube_path(&path, root, "namespaces", ns, plural, name, NULL);
    else
        kube_path(&path, root, plural, name, NULL);
    if (buf_ok(&path))
        call = kube_get_path(session->client, path.bytes, done, session, err);
    else
        error_memory(err);
    buf_free(&path);
    return call;
}

static void wait_for_account(void *data)
{
    struct session *session = data;
    struct error err = ERROR_INIT;
    session->call = get_core(session, "/api/v1", session->ns, "serviceaccounts", "default", account_known, &err);
    if (session->call == NULL)
        fail(session, &err);
}

/* ---- 3: which namespace ---- */

static void namespace_refused(struct session *session, const struct error *error)
{
    const struct kube_config *config = kube_client_config(session->client);
    if (session->asked_ns != NULL) {
        struct error err = *error;
        error_context(&err, _("namespace %s cannot be made"), session->asked_ns);
        fail(session, &err);
        return;
    }
    /* not ours to make one: the context's own */
    if (!replace(&session->ns, config->context_namespace != NULL ? config->context_namespace : "default")) {
        struct error err = ERROR_INIT;
        error_memory(&err);
        fail(session, &err);
        return;
    }
    ready(session);
}

static void namespace_made(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct session *session = data;
    (void)status;
    session->call = NULL;
    value_free(object);
    if (error != NULL && error->kind == ERROR_DENIED && session->unreadable && session->chosen)
        ready(session); /* an account of this namespace alone: what it may do will be seen */
    else if (error != NULL && error->kind == ERROR_DENIED)
        namespace_refused(session, error);
    else if (error != NULL && error->kind != ERROR_EXISTS)
        fail(session, error);
    else {
        session->made_namespace = error == NULL;
        wait_for_account(session);
    }
}

static void make_namespace(struct session *session)
{
    static const struct kube_resource namespaces = {.group = "", .version = "v1", .plural = "namespaces", .singular = "namespace", .kind = "Namespace"};
    struct error err = ERROR_INIT;
    struct value *object = value_object(), *metadata = object != NULL ? value_child(object, "metadata") : NULL;
    struct value *labels = metadata != NULL ? value_child(metadata, "labels") : NULL;
    bool ok = labels != NULL && value_set(object, "apiVersion", value_string("v1")) && value_set(object, "kind", value_string("Namespace")) &&
              value_set(metadata, "name", value_string(session->ns)) && value_set(labels, "app.kubernetes.io/managed-by", value_string("kubetutor"));
    if (ok)
        session->call = kube_create(session->client, &(struct kube_target){.resource = &namespaces}, object, NULL, namespace_made, session, &err);
    else
        error_memory(&err);
    value_free(object);
    if (session->call == NULL)
        fail(session, &err);
}

static void namespace_known(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct session *session = data;
    (void)status;
    session->call = NULL;
    bool going = value_find(object, "metadata", "deletionTimestamp", NULL) != NULL;
    value_free(object);
    if (going) {
        struct error err = ERROR_INIT;
        error_set(&err, ERROR_CONFLICT, NULL, _("namespace %s is being deleted; wait a little, or choose another with -n"), session->ns);
        fail(session, &err);
    } else if (error == NULL)
        ready(session);
    else if (error->kind != ERROR_NOT_FOUND && error->kind != ERROR_DENIED)
        fail(session, error);
    else if (session->writes) {
        session->unreadable = error->kind == ERROR_DENIED;
        make_namespace(session);
    } else if (session->chosen || error->kind == ERROR_NOT_FOUND)
        ready(session); /* reading: what is not there will be said by the checks */
    else
        namespace_refused(session, error);
}

static void look_for_namespace(struct session *session)
{
    struct error err = ERROR_INIT;
    session->call = get_core(session, "/api/v1", NULL, "namespaces", session->ns, namespace_known, &err);
    if (session->call == NULL)
        fail(session, &err);
}

static void choose_namespace(struct session *session)
{
    char *kept = session->asked_ns == NULL ? progress_fact(session->progress, session->uid, "namespace") : NULL;
    mem_free(session->ns);
    session->chosen = session->asked_ns != NULL || kept != NULL;
    session->ns = session->asked_ns != NULL ? mem_string(session->asked_ns) : kept != NULL ? mem_string(kept) :
                  session->on_practice  ? mem_string("learn") : mem_printf("kubetutor-%s", session->user);
    mem_free(kept);
    if (session->ns != NULL) {
        look_for_namespace(session);
        return;
    }
    struct error err = ERROR_INIT;
    error_memory(&err);
    fail(session, &err);
}

/* ---- 2: may we write? ---- */

static void ask_consent(struct session *session)
{
    char *kept = progress_fact(session->progress, session->uid, "consent");
    bool given = kept != NULL && strcmp(kept, "yes") == 0;
    mem_free(kept);
    session->connected = true;
    describe(session);
    if (!session->writes || given)
        choose_namespace(session);
    else if (session->yes || session->on_practice)
        session_consent(session, true);
    else
        set_state(session, SESSION_ASKING);
}

void session_consent(struct session *session, bool yes)
{
    struct error err = ERROR_INIT;
    if (yes) {
        (void)!progress_set_fact(session->progress, session->uid, "consent", "yes", NULL);
        session->state = SESSION_CONNECTING;
        session->settled = false;
        choose_namespace(session);
        return;
    }
    error_set(&err, ERROR_DENIED, NULL, _("nothing was changed in cluster %s; choose another with --kubeconfig or --context"), session_cluster_name(session));
    fail(session, &err);
}

/* ---- 1: who is there ---- */

static void uid_known(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct session *session = data;
    struct error err = ERROR_INIT;
    (void)status;
    session->call = NULL;
    const char *uid = value_find_text(object, "metadata", "uid", NULL);
    bool unreadable = error != NULL && (error->kind == ERROR_DENIED || error->kind == ERROR_NOT_FOUND);
    if (error != NULL && !unreadable)
        fail(session, error);
    else {
        char *server = unreadable || uid == NULL ? mem_printf("server:%s", session_server(session)) : NULL;
        bool ok = replace(&session->uid, server != NULL ? server : uid != NULL ? uid : "");
        mem_free(server);
        error_memory(&err);
        if (ok)
            ask_consent(session);
        else
            fail(session, &err);
    }
    value_free(object);
}

static void version_known(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct session *session = data;
    struct error err = ERROR_INIT;
    (void)status;
    session->call = NULL;
    const char *version = value_find_text(object, "gitVersion", NULL);
    if (error != NULL)
        fail(session, error);
    else if (version == NULL) {
        error_set(&err, ERROR_INPUT, session_server(session), _("%s answers, but not as a Kubernetes API server does"), session_server(session));
        fail(session, &err);
    } else if (!replace(&session->version, version)) {
        error_memory(&err);
        fail(session, &err);
    } else {
        session->call = get_core(session, "/api/v1", NULL, "namespaces", "kube-system", uid_known, &err);
        if (session->call == NULL)
            fail(session, &err);
    }
    value_free(object);
}

static void ask_version(struct session *session)
{
    struct error err = ERROR_INIT;
    session->call = kube_get_path(session->client, "/version", version_known, session, &err);
    if (session->call == NULL)
        fail(session, &err);
}

static void log_warning(void *data, const char *text)
{
    const struct session *session = data;
    log_line(session->log, "warning from the server: %s", text);
}

static bool open_client(struct session *session, struct kube_config *config, struct error *err)
{
    session->client = kube_client_new(session->loop, config, session->log, err);
    if (session->client == NULL)
        return false;
    kube_client_on_warning(session->client, log_warning, session);
    if (session->on_terminal != NULL) /* before the first request, which may need a credential */
        kube_client_on_terminal(session->client, session->on_terminal, session->data);
    ask_version(session);
    return true;
}

static void practice_ready(void *data, const struct error *error)
{
    struct session *session = data;
    struct error err = error != NULL ? *error : ERROR_INIT;
    struct kube_config *config = NULL;
    session->starting = NULL;
    char *path = error == NULL ? practice_kubeconfig(&err) : NULL;
    struct kube_config_options options = {.file = path};
    bool ok = path != NULL && kube_config_load(&options, &config, &err) && config != NULL && open_client(session, config, &err);
    mem_free(path);
    if (!ok) {
        err.kind = err.kind == ERROR_MEMORY ? ERROR_MEMORY : ERROR_UNREACHABLE;
        fail(session, &err);
    }
}

static bool begin(struct session *session, struct error *err)
{
    struct kube_config_options options = {.file = session->kubeconfig, .context = session->context};
    struct kube_config *config = NULL;
    if (!session->practice && !kube_config_load(&options, &config, err)) {
        if (err->kind == ERROR_NOT_FOUND && session->kubeconfig != NULL)
            err->kind = ERROR_USAGE;
        return false;
    }
    if (config != NULL)
        return open_client(session, config, err);
    session->on_practice = true;
    session->starting = practice_start(session->loop, &(struct practice_options){0}, practice_ready, session, err);
    if (session->starting == NULL && err->kind != ERROR_MEMORY)
        err->kind = ERROR_UNREACHABLE; /* whatever is in its way, a cluster is what is missing */
    return session->starting != NULL;
}

static void start(void *data)
{
    struct session *session = data;
    struct error err = ERROR_INIT;
    if (session->connected && session->account_tries > 0)
        wait_for_account(session);
    else if (session->client != NULL && !session->on_practice)
        ask_version(session);
    else {
        kube_client_free(session->client); /* the practice cluster may have come back at another port */
        session->client = NULL;
        if (!begin(session, &err))
            fail(session, &err);
    }
}

void session_retry(struct session *session)
{
    if (session->state != SESSION_FAILED)
        return;
    practice_start_cancel(session->starting);
    session->starting = NULL;
    kube_call_cancel(session->call);
    session->call = NULL;
    session->account_tries = 0;
    session->connected = false;
    session->state = SESSION_CONNECTING;
    session->settled = false;
    loop_set_timer(session->timer, 0);
}

/* ---- life ---- */

static bool copy(char **to, const char *from)
{
    *to = from != NULL ? mem_string(from) : NULL;
    return from == NULL || *to != NULL;
}

struct session *session_new(struct loop *loop, struct progress *progress, const struct session_options *options, void (*changed)(void *data), void *data)
{
    struct session *session = mem_zero(1, sizeof *session);
    if (session == NULL)
        return NULL;
    session->loop = loop;
    session->progress = progress;
    session->yes = options->yes;
    session->writes = options->writes;
    session->practice = options->practice;
    session->log = options->log;
    session->on_terminal = options->on_terminal;
    session->changed = changed;
    session->data = data;
    session->user = user_label();
    session->timer = loop_add_timer(loop, 0, start, session);
    if (session->user == NULL || session->timer == NULL || !copy(&session->kubeconfig, options->kubeconfig) || !copy(&session->context, options->context) ||
        !copy(&session->asked_ns, options->ns)) {
        session_free(session);
        return NULL;
    }
    return session;
}

void session_free(struct session *session)
{
    if (session == NULL)
        return;
    practice_start_cancel(session->starting);
    kube_call_cancel(session->call);
    kube_client_free(session->client);
    loop_drop(session->timer);
    char *const owned[] = {session->kubeconfig, session->context, session->asked_ns, session->version, session->uid, session->ns, session->user, session->line};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        mem_free(owned[i]);
    mem_free(session);
}

enum session_state session_state(const struct session *session)
{
    return session->state;
}

const struct error *session_error(const struct session *session)
{
    return &session->error;
}

struct kube_client *session_client(struct session *session)
{
    return session->client;
}

const char *session_cluster_name(const struct session *session)
{
    const struct kube_config *config = session->client != NULL ? kube_client_config(session->client) : NULL;
    return config != NULL && config->cluster_name != NULL ? config->cluster_name : "";
}

const char *session_server(const struct session *session)
{
    const struct kube_config *config = session->client != NULL ? kube_client_config(session->client) : NULL;
    return config != NULL && config->server != NULL ? config->server : "";
}

const char *session_version(const struct session *session)
{
    return session->version != NULL ? session->version : "";
}

const char *session_uid(const struct session *session)
{
    return session->uid != NULL ? session->uid : "";
}

const char *session_namespace(const struct session *session)
{
    return session->ns != NULL ? session->ns : "";
}

const char *session_user(const struct session *session)
{
    return session->user;
}

const char *session_line(const struct session *session)
{
    return session->line != NULL ? session->line : "";
}

const char *session_notice(const struct session *session)
{
    return session->on_practice ? _("containers on the practice cluster are simulated; what one cannot do there stands in its log") : NULL;
}

static void say(const char *text)
{
    struct safe_text safe = safe_string(text);
    fprintf(stderr, "kubetutor: %s\n", safe.bytes != NULL ? safe.bytes : "");
    safe_free(&safe);
}

/* The question before the first write, on the terminal. */
static bool ask_on_terminal(const struct session *session)
{
    char answer[16] = "";
    struct safe_text line = safe_string(session_line(session));
    fprintf(stderr, _("kubetutor is about to create things in %s.\nIs this a cluster for learning? [y/N] "), line.bytes != NULL ? line.bytes : "");
    safe_free(&line);
    fflush(stderr);
    if (fgets(answer, sizeof answer, stdin) == NULL)
        return false;
    return strncasecmp(answer, "y", 1) == 0 || strncmp(answer, "是", 3) == 0;
}

bool session_wait(struct session *session, struct error *err)
{
    loop_until(session->loop, &session->settled, -1);
    if (session->state == SESSION_ASKING) {
        if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
            error_set(&session->error, ERROR_DENIED, NULL, _("nothing was ever created by kubetutor in %s: say --yes if this cluster is meant for learning"),
                      session_line(session));
            session->state = SESSION_FAILED;
        } else {
            session_consent(session, ask_on_terminal(session));
            loop_until(session->loop, &session->settled, -1);
        }
    }
    if (session->state == SESSION_READY) {
        say(session_line(session));
        if (session_notice(session) != NULL)
            say(session_notice(session));
        const struct vec *warnings = kube_client_warnings(session->client);
        for (size_t i = 0; i < warnings->length; i++)
            say(warnings->items[i]);
        return true;
    }
    if (session->state == SESSION_FAILED)
        *err = session->error;
    else
        error_set(err, ERROR_CANCELLED, NULL, "%s", _("interrupted"));
    return false;
}
