/* cmd_check.c: check and solve: the headless verbs on a lesson in a cluster. */
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

struct doing {
    struct app *app;
    struct lesson_run *run;
    struct verdict *verdict;
    struct error error;
    bool solved;
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

/* What check goes by: the report, --wait, and why there is no cluster to look at (NULL: there is one). */
struct checking {
    struct report *report;
    int64_t wait_ms;
    const struct error *lost;
};

static bool judge(struct app *app, const struct checking *checking, const char *lesson, int step, struct error *err)
{
    struct doing doing = {.app = app};
    int64_t began = clock_monotonic_ms();
    doing.run = app_run(app, lesson, false, event, &doing, err);
    if (doing.run == NULL)
        return false;
    const struct lesson_step *s = lesson_run_lesson(doing.run)->steps.items[step];
    app->done = false;
    lesson_run_judge(doing.run, step, checking->wait_ms, judged, &doing);
    if (!app_wait(app, -1))
        error_set(&doing.error, ERROR_CANCELLED, NULL, "%s", _("interrupted"));
    if (doing.verdict == NULL)
        doing.verdict = verdict_of(&doing.error);
    bool ok = doing.verdict != NULL && report_add(checking->report, lesson, s->id, s->text[lang_get()]->heading, doing.verdict, clock_monotonic_ms() - began);
    lesson_run_free(doing.run);
    return ok || error_memory(err);
}

static bool judge_step(struct app *app, const struct checking *checking, const struct lesson *lesson, int step, struct error *err)
{
    const struct lesson_step *s = lesson->steps.items[step];
    if (checking->lost == NULL)
        return judge(app, checking, lesson->id, step, err);
    return report_add(checking->report, lesson->id, s->id, s->text[lang_get()]->heading, verdict_of(checking->lost), 0) || error_memory(err);
}

/* One argument: a step, or the final steps of a lesson. */
static bool check_one(struct app *app, const struct checking *checking, const char *argument, struct error *err)
{
    struct lesson_name name = {0};
    if (!lesson_name_parse(argument, &name))
        return error_memory(err);
    struct lesson *lesson = app_lesson(app, name.lesson, err);
    bool ok = lesson != NULL;
    if (ok && name.step != NULL) {
        int step = app_step(lesson, name.step, err);
        ok = step >= 0 && judge_step(app, checking, lesson, step, err);
    } else if (ok)
        for (int step = -1; ok && !app->interrupted && (step = lesson_final_step(lesson, step)) >= 0;)
            ok = judge_step(app, checking, lesson, step, err);
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
            return error_set(err, ERROR_USAGE, NULL, _("-o is text, json or junit, perhaps with =FILE; not %s"), wanted);
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
            say_usage(_("-o is text, json or junit, perhaps with =FILE; not %s"), wanted);
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
    struct checking checking = {.report = &report};
    int64_t began = clock_monotonic_ms();
    const char *wait = app->values[OPTION_WAIT];
    if (!app_outputs_fit(app))
        return EXIT_USAGE;
    if (wait != NULL && !duration_parse(wait, &checking.wait_ms))
        return say_usage(_("--wait wants a duration such as 30s or 2m, not %s"), wait);
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
    struct error lost = ERROR_INIT;
    bool connected = app_session(app, false, &lost), ok = true;
    int code = connected ? EXIT_OK : say_error(app, &lost);
    checking.lost = connected ? NULL : &lost;
    app_begin_report(app, "check", &report);
    for (size_t i = 0; ok && !app->interrupted && i < app->arguments.length; i++)
        ok = check_one(app, &checking, app->arguments.items[i], &err);
    if (!ok)
        code = report_join_codes(code, say_error(app, &err));
    report.duration_ms = clock_monotonic_ms() - began;
    if ((connected || app->outputs.length > 0) && !app_write_reports(app, &report, &err))
        code = report_join_codes(code, say_error(app, &err));
    code = report_join_codes(code, report_exit_code(&report));
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
    doing->solved = true;
}

/* Begins the step, answers its question, and does what the learner would do. */
static int solve_step(struct doing *doing, int index, int64_t ms)
{
    const unsigned ended = 1u << RUN_PASSED | 1u << RUN_FAILED | 1u << RUN_BROKEN | 1u << RUN_READING, begun = ended | 1u << RUN_WORK | 1u << RUN_VERIFY;
    struct app *app = doing->app;
    struct lesson_run *run = doing->run;
    const struct lesson_step *step = lesson_run_lesson(run)->steps.items[index];
    struct error err = ERROR_INIT;
    lesson_run_begin(run, index, true);
    enum followed followed = follow(app, run, begun | 1u << RUN_QUESTION, NULL, ms, NULL, NULL, &err);
    if (followed == FOLLOWED && lesson_run_phase(run) == RUN_QUESTION) {
        lesson_run_answer(run, step->answer);
        followed = follow(app, run, begun, NULL, ms, NULL, NULL, &err);
    }
    if (followed == FOLLOWED && step->solve != 0 && (lesson_run_phase(run) == RUN_PASSED || (ended & (1u << lesson_run_phase(run))) == 0)) {
        doing->solved = false;
        lesson_run_solve(run, did, doing);
        followed = follow(app, run, 0, &doing->solved, ms, NULL, NULL, &err);
    }
    if (followed == FOLLOWED && doing->error.kind == ERROR_NONE && step->check != 0)
        followed = follow(app, run, ended, NULL, ms, NULL, NULL, &err);
    if (lesson_run_error(run) != NULL)
        doing->error = *lesson_run_error(run);
    if (lesson_run_verdict(run) != NULL)
        print_verdict(app, lesson_run_verdict(run));
    if (doing->error.kind != ERROR_NONE)
        return say_error(app, &doing->error);
    if (followed != FOLLOWED)
        return say_followed(app, followed, &err);
    if (lesson_run_phase(run) == RUN_READING)
        fprintf(stderr, "kubetutor: %s\n", _("this server is older than the step needs"));
    return lesson_run_phase(run) == RUN_PASSED || step->check == 0 ? EXIT_OK : EXIT_FAILED;
}

int command_solve(struct app *app)
{
    struct error err = ERROR_INIT;
    struct lesson_name name = {0};
    struct doing doing = {.app = app};
    int step = 0, code = EXIT_OK;
    int64_t ms = 0;
    if (!step_time(app, &ms))
        return EXIT_USAGE;
    struct lesson *lesson = lesson_name_parse(app->arguments.items[0], &name) ? app_lesson(app, name.lesson, &err) : NULL;
    if (lesson != NULL && name.step != NULL)
        step = app_step(lesson, name.step, &err);
    int last = name.step != NULL || lesson == NULL ? step : (int)lesson->steps.length - 1;
    lesson_free(lesson);
    if (err.kind == ERROR_NONE && app_session(app, true, &err))
        doing.run = app_run(app, name.lesson, true, NULL, NULL, &err);
    if (doing.run == NULL)
        code = say_error(app, &err);
    for (int i = step; doing.run != NULL && i <= last && code == EXIT_OK; i++) {
        const struct lesson_step *s = lesson_run_lesson(doing.run)->steps.items[i];
        printf("%s/%s\n", name.lesson, s->id);
        code = solve_step(&doing, i, ms);
    }
    lesson_run_free(doing.run);
    lesson_name_free(&name);
    return code;
}
