#include "app/app.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/internal.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "text/markdown.h"
#include "text/safe.h"

#define PLAY_OPTIONS (OPTION_BIT(OPTION_PACE) | OPTION_BIT(OPTION_KEEP) | OPTION_BIT(OPTION_WAIT))
#define CHECK_OPTIONS (OPTION_BIT(OPTION_WAIT) | OPTION_BIT(OPTION_OUTPUT))
#define CLUSTER_OPTIONS (OPTION_BIT(OPTION_EPHEMERAL) | OPTION_BIT(OPTION_IDLE) | OPTION_BIT(OPTION_PORT) | OPTION_BIT(OPTION_MERGE) | OPTION_BIT(OPTION_NODES) | \
                         OPTION_BIT(OPTION_SPEED) | OPTION_BIT(OPTION_CLOCK_RATE) | OPTION_BIT(OPTION_API_ONLY))

const struct command commands[] = {
    {"learn", "[LESSON[/STEP]]", N_("the tutor in the terminal, at the lesson or where you left off"), "  kubetutor\n  kubetutor learn init-containers --lang zh\n", 0, command_learn, 0, 1, false},
    {"list", "", N_("the course: chapters, lessons, minutes, progress"), "  kubetutor list\n  kubetutor list -o json\n", OPTION_BIT(OPTION_OUTPUT), command_list, 0, 0, false},
    {"show", "LESSON[/STEP]", N_("a lesson's text in the terminal"), "  kubetutor show nginx\n  kubetutor show nginx/reach --lang zh\n", 0, command_show, 1, 1, false},
    {"play", "LESSON[/STEP]", N_("the lesson performs itself: says, does, waits, verifies"), "  kubetutor play nginx\n  kubetutor --yes play nginx --keep\n", PLAY_OPTIONS, command_play, 1, 1, false},
    {"check", "[LESSON[/STEP]...]", N_("verify what is in the cluster"), "  kubetutor check nginx\n  kubetutor check nginx/scale --wait 30s -o junit=result.xml -o text\n", CHECK_OPTIONS, command_check, 0, -1, false},
    {"solve", "LESSON[/STEP]", N_("do a step's solution"), "  kubetutor solve nginx/create\n", OPTION_BIT(OPTION_WAIT), command_solve, 1, 1, false},
    {"reset", "LESSON", N_("remove what the lesson and you in it made, and nothing else"), "  kubetutor reset nginx\n  kubetutor reset --all\n", OPTION_BIT(OPTION_ALL), command_reset, 0, 1, false},
    {"selftest", "[LESSON...]", N_("prove the lessons: checks fail before, pass after, cleanup leaves nothing"), "  kubetutor --yes selftest nginx --mutants\n", OPTION_BIT(OPTION_MUTANTS) | OPTION_BIT(OPTION_OUTPUT), command_selftest, 0, -1, false},
    {"lint", "[PACK]", N_("look for faults in lessons, without a cluster"), "  kubetutor lint\n  kubetutor lint ~/my-lessons\n", 0, command_lint, 0, 1, false},
    {"new", "PACK/LESSON", N_("a skeleton of a new lesson"), "  kubetutor new ~/my-lessons/first\n", 0, command_new, 1, 1, false},
    {"progress", "export|import FILE", N_("take your progress elsewhere (- is standard input or output)"), "  kubetutor progress export progress.json\n", 0, command_progress, 2, 2, false},
    {"doctor", "", N_("look at machine, terminal, kubectl and cluster, and say what to do"), "  kubetutor doctor\n", 0, command_doctor, 0, 0, false},
    {"cluster", "up|down|status|reset|kubeconfig|save FILE|load FILE|clock [step DURATION]|serve", N_("the practice cluster, for those who have no other"), "  kubetutor cluster up\n  kubetutor cluster kubeconfig --merge\n  kubetutor cluster save before-lunch.db\n  kubetutor cluster clock step 5m\n", CLUSTER_OPTIONS, command_cluster, 1, 3, false},
    {"completion", "bash|zsh|fish", N_("a completion script for your shell"), "  source <(kubetutor completion bash)\n", 0, command_completion, 1, 1, false},
    {"help", "[COMMAND]", N_("what there is to do, or what one command does, with examples"), "  kubetutor help play\n", 0, command_help, 0, 1, false},
    {"version", "", N_("the version"), NULL, 0, command_version, 0, 0, false},
};
const size_t command_count = sizeof commands / sizeof *commands;

/* ---- saying ---- */

int terminal_columns(void)
{
    struct winsize size;
    int columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
    const char *variable = getenv("COLUMNS");
    if (columns == 0 && variable != NULL)
        columns = atoi(variable);
    return columns < 20 ? 80 : columns > 100 ? 100 : columns; /* longer lines are hard to read */
}

int exit_code_of(const struct error *err)
{
    switch (err->kind) {
    case ERROR_NONE:
        return EXIT_OK;
    case ERROR_UNREACHABLE:
    case ERROR_DENIED:
    case ERROR_UNAUTHENTICATED:
    case ERROR_BUSY:
    case ERROR_TIMEOUT:
        return EXIT_CLUSTER;
    case ERROR_USAGE:
        return EXIT_USAGE;
    case ERROR_CANCELLED:
        return EXIT_INTERRUPTED;
    default:
        return EXIT_LESSON;
    }
}

int say_error(const struct app *app, const struct error *err)
{
    const char *red = app->colour_err ? "\033[31m" : "", *off = app->colour_err ? "\033[0m" : "";
    struct safe_text message = safe_string(err->message), where = safe_string(err->where), cause = safe_string(err->cause);
    bool place = where.length > 0 && strstr(message.bytes != NULL ? message.bytes : "", where.bytes) == NULL;
    fprintf(stderr, "%skubetutor: %s%s%s%s\n", red, off, place ? where.bytes : "", place ? ": " : "", message.bytes != NULL ? message.bytes : _("out of memory"));
    if (cause.length > 0)
        fprintf(stderr, "  %s\n", cause.bytes);
    safe_free(&message);
    safe_free(&where);
    safe_free(&cause);
    return exit_code_of(err);
}

void print_safe(FILE *to, const char *format, const char *text)
{
    struct safe_text safe = safe_make(text, strlen(text), SAFE_NEWLINES);
    fprintf(to, format, safe.bytes != NULL ? safe.bytes : "");
    safe_free(&safe);
}

void print_markdown(const struct app *app, const char *markdown, bool to_stderr)
{
    struct styled_lines lines = {0};
    struct error err = ERROR_INIT;
    struct buf out = buf_make(4 << 20);
    if (!markdown_render(markdown, strlen(markdown), (size_t)terminal_columns(), &lines, &err)) {
        say_error(app, &err);
        return;
    }
    styled_lines_print(&lines, to_stderr ? app->colour_err : app->colour_out, &out);
    if (buf_ok(&out) && out.bytes != NULL)
        fputs(out.bytes, to_stderr ? stderr : stdout);
    styled_lines_free(&lines);
    buf_free(&out);
}

void print_verdict(const struct app *app, const struct verdict *verdict)
{
    const char *green = app->colour_out ? "\033[32m" : "", *red = app->colour_out ? "\033[31m" : "", *off = app->colour_out ? "\033[0m" : "";
    for (size_t i = 0; i < verdict->expectations.length; i++) {
        const struct expectation *e = verdict->expectations.items[i];
        struct buf line = buf_make(4096);
        expectation_print(e, &line);
        struct safe_text safe = safe_string(buf_ok(&line) && line.bytes != NULL ? line.bytes : ""), why = safe_make(e->why, strlen(e->why), SAFE_NEWLINES);
        printf("  %s%s%s %s\n", e->holds ? green : red, e->holds ? "✓" : "✗", off, safe.bytes != NULL ? safe.bytes : "");
        const char *line_of = why.length > 0 ? why.bytes : NULL;
        while (line_of != NULL && !e->holds) {
            size_t length = strcspn(line_of, "\n");
            printf("    %s %.*s\n", line_of == why.bytes ? _("why:") : "  <-", (int)length, line_of);
            line_of = line_of[length] == '\n' ? line_of + length + 1 : NULL;
        }
        safe_free(&safe);
        safe_free(&why);
        buf_free(&line);
    }
}

/* ---- the parts that commands ask for ---- */

bool app_course(struct app *app, struct error *err)
{
    if (app->course == NULL)
        app->course = course_load(app->loop, app->pack, err);
    return app->course != NULL;
}

static void session_changed(void *data)
{
    (void)data; /* headless commands wait instead */
}

bool app_session(struct app *app, bool writes, struct error *err)
{
    struct session_options options = {
        .kubeconfig = app->values[OPTION_KUBECONFIG], .context = app->values[OPTION_CONTEXT], .ns = app->values[OPTION_NAMESPACE],
        .practice = app->values[OPTION_PRACTICE] != NULL, .yes = app->values[OPTION_YES] != NULL, .writes = writes, .log = &app->log,
    };
    app->session = session_new(app->loop, app->progress, &options, session_changed, app);
    if (app->session == NULL)
        return error_memory(err);
    return session_wait(app->session, err);
}

bool app_wait(struct app *app, int64_t ms)
{
    return loop_until(app->loop, &app->done, ms);
}

bool lesson_name_parse(const char *text, struct lesson_name *name)
{
    const char *slash = strchr(text, '/');
    name->lesson = mem_string_n(text, slash != NULL ? (size_t)(slash - text) : strlen(text));
    name->step = slash != NULL && slash[1] != '\0' ? mem_string(slash + 1) : NULL;
    return name->lesson != NULL && (slash == NULL || slash[1] == '\0' || name->step != NULL);
}

void lesson_name_free(struct lesson_name *name)
{
    mem_free(name->lesson);
    mem_free(name->step);
    *name = (struct lesson_name){0};
}

/* A wrong name on the command line gets the nearest one told; any other missing file is the lesson's fault. */
static void suggest(struct app *app, const char *lesson, struct error *err)
{
    char *folder = err->kind == ERROR_NOT_FOUND ? mem_printf("%s/%s", app->pack, lesson) : NULL;
    if (folder == NULL)
        return;
    const char *near = app_course(app, NULL) ? course_near(app->course, lesson) : NULL;
    if (file_exists(folder))
        err->kind = ERROR_INPUT;
    else if (near != NULL)
        error_set(err, ERROR_USAGE, NULL, _("there is no lesson \"%s\" (did you mean %s?)"), lesson, near);
    else
        error_set(err, ERROR_USAGE, NULL, _("there is no lesson \"%s\"; kubetutor list shows them"), lesson);
    mem_free(folder);
}

struct lesson *app_lesson(struct app *app, const char *lesson, struct error *err)
{
    struct lesson *loaded = lesson_load(app->loop, app->pack, lesson, NULL, err);
    if (loaded == NULL)
        suggest(app, lesson, err);
    return loaded;
}

struct lesson_run *app_run(struct app *app, const char *lesson, bool ledger, void (*listener)(void *data, enum run_event event), void *data, struct error *err)
{
    char *folder = mem_printf("%s/%s", app->pack, lesson), *work = NULL;
    if (folder != NULL && ledger)
        work = work_folder(folder, lesson, NULL);
    struct lesson_run_options options = {
        .client = session_client(app->session), .progress = app->progress, .cluster = session_uid(app->session), .ns = session_namespace(app->session),
        .user = session_user(app->session), .work_folder = work, .trusted = pack_is_trusted(app), .ledger = ledger, .listener = listener, .data = data,
    };
    struct lesson_run *run = lesson_run_new(app->loop, app->pack, lesson, &options, err);
    if (run == NULL)
        suggest(app, lesson, err);
    mem_free(folder);
    mem_free(work);
    return run;
}

int app_step(const struct lesson *lesson, const char *step, struct error *err)
{
    struct buf names = buf_make(2000);
    for (size_t i = 0; i < lesson->steps.length; i++) {
        const struct lesson_step *s = lesson->steps.items[i];
        if (strcmp(s->id, step) == 0) {
            buf_free(&names);
            return (int)i;
        }
        buf_printf(&names, "%s%s", i > 0 ? ", " : "", s->id);
    }
    error_set(err, ERROR_USAGE, NULL, _("lesson %s has no step \"%s\"; it has: %s"), lesson->id, step, buf_ok(&names) && names.bytes != NULL ? names.bytes : "");
    buf_free(&names);
    return -1;
}

/* ---- the process ---- */

static void interrupted(void *data, int signal_number)
{
    struct app *app = data;
    (void)signal_number;
    if (app->interrupted) /* the second time: no more tidying up */
        _exit(EXIT_INTERRUPTED);
    app->interrupted = true;
    loop_stop(app->loop);
}

static bool wants_colour(const struct app *app, int fd)
{
    const char *when = app->values[OPTION_COLOR], *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (when != NULL && strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    return isatty(fd) && (no == NULL || no[0] == '\0') && term != NULL && strcmp(term, "dumb") != 0;
}

/* False: a message was printed, usage. */
static bool set_language_and_colour(struct app *app)
{
    enum lang lang = lang_get();
    const char *asked = app->values[OPTION_LANG], *when = app->values[OPTION_COLOR];
    if (asked != NULL && !lang_parse(asked, &lang)) {
        say_usage(_("--lang is en or zh, not %s"), asked);
        return false;
    }
    lang_set(lang);
    if (when != NULL && strcmp(when, "auto") != 0 && strcmp(when, "always") != 0 && strcmp(when, "never") != 0) {
        say_usage(_("--color is auto, always or never, not %s"), when);
        return false;
    }
    app->colour_out = wants_colour(app, STDOUT_FILENO);
    app->colour_err = wants_colour(app, STDERR_FILENO);
    return true;
}

static bool works_without_lessons(const struct command *command)
{
    int (*const runs[])(struct app *app) = {command_lint, command_new, command_progress, command_doctor, command_cluster};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (command->run == runs[i])
            return true;
    return false;
}

static bool open_parts(struct app *app, struct error *err)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    app->log = log_to(app->values[OPTION_VERBOSE] != NULL ? stderr : NULL);
    app->loop = loop_new(err);
    if (app->loop == NULL)
        return false;
    for (size_t i = 0; i < 3; i++)
        if ((app->signals[i] = loop_add_signal(app->loop, signals[i], interrupted, app)) == NULL)
            return error_memory(err);
    if (app->values[OPTION_PACK] != NULL)
        app->pack = mem_string(app->values[OPTION_PACK]);
    else {
        app->data_folder = find_data_folder(err);
        if (app->data_folder == NULL && !works_without_lessons(app->command))
            return false;
        app->pack = mem_printf("%s/lessons", app->data_folder != NULL ? app->data_folder : ".");
    }
    if (app->pack == NULL)
        return error_memory(err);
    struct error warning = ERROR_INIT;
    app->progress = progress_open(NULL, &warning);
    if (app->progress == NULL)
        return error_memory(err);
    app->warning = warning;
    if (warning.kind != ERROR_NONE && app->command->run != command_learn) /* the screen says it itself */
        say_error(app, &warning);
    return true;
}

static void close_parts(struct app *app)
{
    session_free(app->session);
    course_free(app->course);
    if (app->progress != NULL)
        progress_close(app->progress);
    for (size_t i = 0; i < 3; i++)
        loop_drop(app->signals[i]);
    loop_free(app->loop);
    vec_free(&app->outputs);
    vec_free(&app->arguments);
    mem_free(app->pack);
    mem_free(app->data_folder);
    log_close(&app->log);
}

static int run_command(struct app *app)
{
    struct error err = ERROR_INIT;
    if (app->values[OPTION_HELP] != NULL) {
        print_help(app, app->command);
        return EXIT_OK;
    }
    if (app->command->run == command_version || app->command->run == command_completion || app->command->run == command_help)
        return app->command->run(app);
    int code = open_parts(app, &err) ? app->command->run(app) : say_error(app, &err);
    return app->interrupted && code != EXIT_OK ? EXIT_INTERRUPTED : code;
}

/* A first descriptor that is closed would become some file of ours, and what is printed would go into the progress. Writing to a closed stdout still
 * fails: it is opened for reading. */
static void open_first_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0)
            _exit(EXIT_LESSON);
}

int app_main(int argc, char **argv)
{
    struct app app = {.outputs = vec_make(8, NULL), .arguments = vec_make(100, NULL)};
    char *catalogues = find_catalogues();
    enum lang lang = lang_from_environment(); /* before lang_init, which sets LANGUAGE for gettext */
    open_first_descriptors();
    signal(SIGPIPE, SIG_IGN);
    lang_init(catalogues);
    lang_set(lang);
    mem_free(catalogues);
    int code = EXIT_USAGE;
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        code = command_version(&app);
    else if (options_parse(&app, argc, argv) && set_language_and_colour(&app))
        code = run_command(&app);
    if ((fflush(stdout) != 0 || ferror(stdout) != 0) && code == EXIT_OK) { /* a full disk behind a redirection must not look like success */
        fprintf(stderr, "kubetutor: %s\n", _("cannot write the output"));
        code = EXIT_LESSON;
    }
    close_parts(&app);
    return code;
}
