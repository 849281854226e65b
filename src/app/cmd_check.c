/* cmd_check.c: check, solve and reset: the headless verbs on a lesson in a cluster. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/internal.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "data/units.h"
#include "report/report.h"

enum { SOLVE_MS = 300000, RESET_MS = 150000 };

struct doing {
    struct app *app;
    struct lesson_run *run;
    struct verdict *verdict;
    struct error error;
    int removed;
};

static void event(void *data, enum run_event what)
{
    struct doing *doing = data;
    (void)what;
    if (doing->run != NULL && lesson_run_phase(doing->run) == RUN_FAILED) {
        doing->error = *lesson_run_error(doing->run);
        doing->app->done = true;
    }
}

static void judged(void *data, struct verdict *verdict)
{
    struct doing *doing = data;
    doing->verdict = verdict;
    doing->app->done = true;
}

static struct verdict *verdict_of(const struct error *error)
{
    struct verdict *verdict = verdict_new();
    if (verdict == NULL)
        return NULL;
    verdict->error = *error;
    verdict->outcome = exit_code_of(error) == EXIT_CLUSTER ? OUTCOME_UNREACHABLE : OUTCOME_ERROR;
    return verdict;
}

static bool judge(struct app *app, struct report *report, const char *lesson, int step, int64_t wait_ms, struct error *err)
{
    struct doing doing = {.app = app};
    int64_t began = clock_monotonic_ms();
    doing.run = app_run(app, lesson, false, event, &doing, err);
    if (doing.run == NULL)
        return false;
    const struct lesson_step *s = lesson_run_lesson(doing.run)->steps.items[step];
    app->done = false;
    lesson_run_judge(doing.run, step, wait_ms, judged, &doing);
    if (!app_wait(app, -1))
        error_set(&doing.error, ERROR_CANCELLED, NULL, "%s", _("interrupted"));
    if (doing.verdict == NULL)
        doing.verdict = verdict_of(&doing.error);
    bool ok = doing.verdict != NULL && report_add(report, lesson, s->id, s->text[lang_get()]->heading, doing.verdict, clock_monotonic_ms() - began);
    lesson_run_free(doing.run);
    return ok || error_memory(err);
}

/* One argument: a step, or the final steps of a lesson. */
static bool check_one(struct app *app, struct report *report, const char *argument, int64_t wait_ms, struct error *err)
{
    struct lesson_name name = {0};
    if (!lesson_name_parse(argument, &name))
        return error_memory(err);
    struct lesson *lesson = app_lesson(app, name.lesson, err);
    bool ok = lesson != NULL;
    if (ok && name.step != NULL) {
        int step = app_step(lesson, name.step, err);
        ok = step >= 0 && judge(app, report, name.lesson, step, wait_ms, err);
    } else if (ok)
        for (int step = -1; ok && !app->interrupted && (step = lesson_final_step(lesson, step)) >= 0;)
            ok = judge(app, report, name.lesson, step, wait_ms, err);
    lesson_free(lesson);
    lesson_name_free(&name);
    return ok;
}

bool app_write_reports(struct app *app, const struct report *report, struct error *err)
{
    size_t count = app->outputs.length > 0 ? app->outputs.length : 1;
    for (size_t i = 0; i < count; i++) {
        const char *wanted = app->outputs.length > 0 ? app->outputs.items[i] : "text", *file = strchr(wanted, '=');
        char name[32];
        enum report_format format;
        snprintf(name, sizeof name, "%.*s", file != NULL ? (int)(file - wanted) : (int)strlen(wanted), wanted);
        if (!report_format_parse(name, &format))
            return error_set(err, ERROR_NOT_FOUND, NULL, _("-o is text, json or junit, perhaps with =FILE; not %s"), wanted);
        struct buf out = buf_make(64 << 20);
        report_print(report, format, file == NULL && app->colour_out, &out);
        bool ok = buf_ok(&out);
        if (!ok)
            error_memory(err);
        else if (file != NULL)
            ok = file_write(file + 1, out.bytes, out.length, 0644, err);
        else
            fwrite(out.bytes, 1, out.length, stdout);
        buf_free(&out);
        if (!ok)
            return false;
    }
    return true;
}

bool app_outputs_fit(const struct app *app)
{
    for (size_t i = 0; i < app->outputs.length; i++) {
        char name[32];
        enum report_format format;
        const char *wanted = app->outputs.items[i];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(wanted, "="), wanted);
        if (!report_format_parse(name, &format)) {
            fprintf(stderr, "kubetutor: ");
            fprintf(stderr, _("-o is text, json or junit, perhaps with =FILE; not %s"), wanted);
            fprintf(stderr, "\n");
            return false;
        }
    }
    return true;
}

void app_begin_report(struct app *app, const char *command, struct report *report)
{
    report_init(report);
    report->command = mem_string(command);
    report->started_ms = clock_wall_ms();
    report->cluster_name = mem_string(session_cluster_name(app->session));
    report->cluster_server = mem_string(session_server(app->session));
    report->cluster_version = mem_string(session_version(app->session));
    report->cluster_uid = mem_string(session_uid(app->session));
    report->ns = mem_string(session_namespace(app->session));
}

/* Without arguments: the lesson that was last open. */
static const char *last_lesson(struct app *app, char **owned)
{
    *owned = progress_fact(app->progress, "", "last-lesson");
    if (*owned == NULL)
        fprintf(stderr, "kubetutor: %s\n", _("which lesson? kubetutor list shows them"));
    return *owned;
}

int command_check(struct app *app)
{
    struct error err = ERROR_INIT;
    struct report report;
    char *owned = NULL;
    int64_t wait_ms = 0, began = clock_monotonic_ms();
    const char *wait = app->values[OPTION_WAIT];
    if (!app_outputs_fit(app))
        return EXIT_USAGE;
    if (wait != NULL && !duration_parse(wait, &wait_ms)) {
        fprintf(stderr, "kubetutor: --wait wants a duration such as 30s or 2m, not %s\n", wait);
        return EXIT_USAGE;
    }
    if (app->arguments.length == 0 && (last_lesson(app, &owned) == NULL || !vec_push(&app->arguments, owned)))
        return EXIT_USAGE;
    for (size_t i = 0; i < app->arguments.length; i++) { /* wrong names are told before a cluster is asked */
        struct lesson_name name = {0};
        struct lesson *lesson = lesson_name_parse(app->arguments.items[i], &name) ? app_lesson(app, name.lesson, &err) : NULL;
        bool known = lesson != NULL && (name.step == NULL || app_step(lesson, name.step, &err) >= 0);
        lesson_free(lesson);
        lesson_name_free(&name);
        if (!known) {
            mem_free(owned);
            return say_error(app, &err);
        }
    }
    bool connected = app_session(app, false, &err), ok = true;
    int code = EXIT_OK;
    app_begin_report(app, "check", &report);
    for (size_t i = 0; connected && ok && !app->interrupted && i < app->arguments.length; i++)
        ok = check_one(app, &report, app->arguments.items[i], wait_ms, &err);
    if (!connected || !ok) {
        code = say_error(app, &err);
        if (!connected && !report_add(&report, app->arguments.items[0], "", "", verdict_of(&err), 0))
            code = EXIT_LESSON;
    }
    report.duration_ms = clock_monotonic_ms() - began;
    if ((connected || app->outputs.length > 0) && !app_write_reports(app, &report, &err))
        code = say_error(app, &err);
    if (code == EXIT_OK)
        code = report_exit_code(&report);
    report_free(&report);
    mem_free(owned);
    return app->interrupted ? EXIT_INTERRUPTED : code;
}

/* ---- solve ---- */

static void did(void *data, const struct error *error)
{
    struct doing *doing = data;
    if (error != NULL)
        doing->error = *error;
    doing->app->done = true;
}

static void step_event(void *data, enum run_event what)
{
    struct doing *doing = data;
    enum run_phase phase = doing->run != NULL ? lesson_run_phase(doing->run) : RUN_IDLE;
    (void)what;
    if (phase == RUN_FAILED)
        doing->error = *lesson_run_error(doing->run);
    if (phase == RUN_FAILED || phase == RUN_PASSED || phase == RUN_BROKEN || phase == RUN_READING || phase == RUN_WORK || phase == RUN_VERIFY || phase == RUN_QUESTION)
        doing->app->done = true;
}

/* Begins the step, answers its question, and does what the learner would do. */
static int solve_step(struct doing *doing, int index)
{
    struct app *app = doing->app;
    const struct lesson_step *step = lesson_run_lesson(doing->run)->steps.items[index];
    app->done = false;
    lesson_run_begin(doing->run, index, true);
    app_wait(app, SOLVE_MS);
    if (lesson_run_phase(doing->run) == RUN_QUESTION)
        lesson_run_answer(doing->run, step->answer);
    if (doing->error.kind == ERROR_NONE && !app->interrupted && step->solve != 0) {
        app->done = false;
        lesson_run_solve(doing->run, did, doing);
        while (app_wait(app, SOLVE_MS) && doing->error.kind == ERROR_NONE && lesson_run_phase(doing->run) != RUN_PASSED && lesson_run_phase(doing->run) != RUN_BROKEN)
            app->done = false;
    }
    if (doing->error.kind != ERROR_NONE)
        return say_error(app, &doing->error);
    if (lesson_run_verdict(doing->run) != NULL)
        print_verdict(app, lesson_run_verdict(doing->run));
    return lesson_run_phase(doing->run) == RUN_PASSED || step->check == 0 ? EXIT_OK : app->interrupted ? EXIT_INTERRUPTED : EXIT_FAILED;
}

int command_solve(struct app *app)
{
    struct error err = ERROR_INIT;
    struct lesson_name name = {0};
    struct doing doing = {.app = app};
    int step = 0, code = EXIT_OK;
    struct lesson *lesson = lesson_name_parse(app->arguments.items[0], &name) ? app_lesson(app, name.lesson, &err) : NULL;
    if (lesson != NULL && name.step != NULL)
        step = app_step(lesson, name.step, &err);
    int last = name.step != NULL || lesson == NULL ? step : (int)lesson->steps.length - 1;
    lesson_free(lesson);
    if (err.kind == ERROR_NONE && app_session(app, true, &err))
        doing.run = app_run(app, name.lesson, true, step_event, &doing, &err);
    if (doing.run == NULL)
        code = say_error(app, &err);
    for (int i = step; doing.run != NULL && i <= last && code == EXIT_OK; i++) {
        const struct lesson_step *s = lesson_run_lesson(doing.run)->steps.items[i];
        printf("%s/%s\n", name.lesson, s->id);
        code = solve_step(&doing, i);
    }
    lesson_run_free(doing.run);
    lesson_name_free(&name);
    return code;
}

/* ---- reset ---- */

static void removed_one(void *data, const char *object)
{
    (void)data;
    print_safe(stdout, _("removed %s\n"), object);
}

static void reset_done(void *data, const struct error *error, int removed)
{
    struct doing *doing = data;
    if (error != NULL)
        doing->error = *error;
    doing->removed = removed;
    doing->app->done = true;
}

static int reset_lesson(struct app *app, const char *lesson)
{
    struct error err = ERROR_INIT;
    struct doing doing = {.app = app};
    doing.run = app_run(app, lesson, false, NULL, NULL, &err);
    if (doing.run == NULL)
        return say_error(app, &err);
    app->done = false;
    lesson_run_reset(doing.run, removed_one, reset_done, &doing);
    if (!app_wait(app, RESET_MS))
        error_set(&doing.error, ERROR_CANCELLED, NULL, "%s", _("interrupted"));
    lesson_run_free(doing.run);
    if (doing.error.kind != ERROR_NONE)
        return say_error(app, &doing.error);
    printf(lang_plural("%s: %d object removed\n", "%s: %d objects removed\n", (unsigned long)doing.removed), lesson, doing.removed);
    return EXIT_OK;
}

int command_reset(struct app *app)
{
    struct error err = ERROR_INIT;
    bool all = app->values[OPTION_ALL] != NULL;
    if (all == (app->arguments.length > 0)) {
        fprintf(stderr, "kubetutor: %s\n", _("reset wants one LESSON, or --all"));
        return EXIT_USAGE;
    }
    struct lesson *lesson = all ? NULL : app_lesson(app, app->arguments.items[0], &err);
    lesson_free(lesson);
    if ((!all && lesson == NULL) || !app_course(app, &err) || !app_session(app, false, &err))
        return say_error(app, &err);
    if (!all)
        return reset_lesson(app, app->arguments.items[0]);
    int code = EXIT_OK;
    for (size_t i = 0; i < app->course->chapters.length; i++) {
        const struct course_chapter *chapter = app->course->chapters.items[i];
        for (size_t j = 0; j < chapter->lessons.length && !app->interrupted; j++) {
            int one = reset_lesson(app, chapter->lessons.items[j]);
            code = one > code ? one : code;
        }
    }
    return code;
}
