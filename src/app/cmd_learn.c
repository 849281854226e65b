/* cmd_learn.c: the tutor in the terminal: course, session and screen put together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/internal.h"
#include "base/lang.h"
#include "base/mem.h"
#include "base/xdg.h"
#include "text/safe.h"
#include "ui/ui.h"

struct learning {
    struct app *app;
    struct ui *ui;
};

/* A credential plugin wants to ask the person something. */
static void on_terminal(void *data, bool taken)
{
    struct learning *learning = data;
    ui_suspend(learning->ui, taken);
}

/* The screen is told what the session knows. */
static void session_changed(void *data)
{
    static const enum ui_cluster_state states[] = {
        [SESSION_CONNECTING] = UI_CLUSTER_CONNECTING, [SESSION_ASKING] = UI_CLUSTER_ASKING, [SESSION_READY] = UI_CLUSTER_READY, [SESSION_FAILED] = UI_CLUSTER_FAILED,
    };
    struct learning *learning = data;
    struct session *session = learning->app->session;
    struct ui_cluster cluster = {
        .state = states[session_state(session)], .name = session_cluster_name(session), .server = session_server(session), .version = session_version(session),
        .uid = session_uid(session), .ns = session_namespace(session), .user = session_user(session), .client = session_client(session),
        .error = *session_error(session), .notice = session_notice(session),
    };
    char *shell = cluster.state == UI_CLUSTER_READY ? write_shell(kube_client_config(cluster.client), cluster.uid, cluster.ns, NULL) : NULL;
    const char *home = xdg_home();
    bool at_home = shell != NULL && home != NULL && strncmp(shell, home, strlen(home)) == 0;
    char *shown = at_home ? mem_printf("~%s", shell + strlen(home)) : NULL;
    cluster.shell = shown != NULL ? shown : shell;
    ui_set_cluster(learning->ui, &cluster);
    mem_free(shell);
    mem_free(shown);
}

static void consent(void *data, bool yes)
{
    struct learning *learning = data;
    session_consent(learning->app->session, yes);
}

static void retry(void *data)
{
    struct learning *learning = data;
    session_retry(learning->app->session);
}

static char *folder_of(void *data, const char *lesson)
{
    struct learning *learning = data;
    char *files = mem_printf("%s/%s", learning->app->pack, lesson);
    char *folder = files != NULL ? work_folder(files, lesson, NULL) : NULL;
    mem_free(files);
    return folder;
}

/* True where the locale names another character set than UTF-8. */
static bool ascii_only(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]), *set = value != NULL ? strchr(value, '.') : NULL;
        if (value == NULL || value[0] == '\0')
            continue;
        return set != NULL && strncasecmp(set, ".utf8", 5) != 0 && strncasecmp(set, ".utf-8", 6) != 0;
    }
    return false;
}

/* The language chosen with L last time, unless the command line says another. */
static void choose_language(const struct app *app)
{
    char *kept = app->values[OPTION_LANG] == NULL ? progress_fact(app->progress, "", "lang") : NULL;
    enum lang lang;
    if (kept != NULL && lang_parse(kept, &lang))
        lang_set(lang);
    mem_free(kept);
}

/* The log would spoil the screen: it goes to a file. */
static void move_log(struct app *app)
{
    char *path = app->values[OPTION_VERBOSE] != NULL ? xdg_file(XDG_STATE, "log", NULL) : NULL;
    app->log = log_to(NULL);
    if (path != NULL)
        (void)!log_open(&app->log, path, NULL);
    mem_free(path);
}

static bool start_session(struct learning *learning, struct error *err)
{
    struct app *app = learning->app;
    struct session_options options = {
        .kubeconfig = app->values[OPTION_KUBECONFIG], .context = app->values[OPTION_CONTEXT], .ns = app->values[OPTION_NAMESPACE],
        .practice = app->values[OPTION_PRACTICE] != NULL, .yes = app->values[OPTION_YES] != NULL, .writes = true, .log = &app->log,
        .on_terminal = on_terminal,
    };
    app->session = session_new(app->loop, app->progress, &options, session_changed, learning);
    return app->session != NULL || error_memory(err);
}

static int learn(struct learning *learning, const struct lesson_name *name, struct error *err)
{
    struct app *app = learning->app;
    struct ui_options options = {
        .loop = app->loop, .course = app->course, .progress = app->progress, .lesson = name->lesson, .step = name->step, .work_folder = folder_of, .trusted = pack_is_trusted(app),
        .colour = app->colour_out, .ascii = ascii_only(), .consent = consent, .retry = retry, .warning = app->warning.kind != ERROR_NONE ? &app->warning : NULL,
        .data = learning,
    };
    learning->ui = ui_new(&options, err);
    if (learning->ui == NULL) {
        if (err->kind == ERROR_NOT_FOUND && name->lesson != NULL && name->step == NULL)
            lesson_free(app_lesson(app, name->lesson, err)); /* says the nearest name, if it was that */
        return exit_code_of(err);
    }
    for (size_t i = 0; i < sizeof app->signals / sizeof *app->signals; i++) { /* the screen has its own: it must give the terminal back */
        loop_drop(app->signals[i]);
        app->signals[i] = NULL;
    }
    if (!start_session(learning, err))
        return EXIT_LESSON;
    return ui_run(learning->ui);
}

int command_learn(struct app *app)
{
    struct error err = ERROR_INIT;
    struct lesson_name name = {0};
    struct learning learning = {.app = app};
    char *farewell = NULL;
    int code = EXIT_LESSON;
    choose_language(app);
    move_log(app);
    if (app->arguments.length > 0 && !lesson_name_parse(app->arguments.items[0], &name))
        error_memory(&err);
    if (err.kind == ERROR_NONE && app_course(app, &err))
        code = learn(&learning, &name, &err);
    if (app->session != NULL && session_client(app->session) != NULL) /* a plugin that is ended now has no screen to give back any more */
        kube_client_on_terminal(session_client(app->session), NULL, NULL);
    ui_free(learning.ui, &farewell);
    if (farewell != NULL)
        printf("%s", farewell);
    mem_free(farewell);
    if (err.kind != ERROR_NONE)
        say_error(app, &err);
    lesson_name_free(&name);
    return code;
}
