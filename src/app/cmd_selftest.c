/* cmd_selftest.c: proves lessons on a cluster: every check fails before its step is done and passes after, running setup again changes nothing of that, named wrong
 * states are refused, and cleanup leaves nothing. */
#include <stdio.h>
#include <string.h>

#include "app/internal.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/mem.h"
#include "kube/verbs.h"
#include "report/report.h"

enum { STEP_MS = 240000, REFUSE_MS = 12000, RESET_MS = 150000, SETTLE_MS = 300, CENSUS_MS = 30000, CENSUS_LOOKS = 10, CENSUS_PAUSE_MS = 1000 };

struct proving {
    struct app *app;
    struct lesson_run *run;
    struct report *report;
    const char *lesson;
    bool first_verdict; /* a verdict came since the step began */
    bool did;
    struct error error;
};

static void event(void *data, enum run_event what)
{
    struct proving *p = data;
    if (what == RUN_EVENT_VERDICT)
        p->first_verdict = true;
}

static void did(void *data, const struct error *error)
{
    struct proving *p = data;
    p->did = true;
    if (error != NULL)
        p->error = *error;
}

static void reset_done(void *data, const struct error *error, int removed)
{
    (void)removed;
    did(data, error);
}

static bool wait_did(struct proving *p, int64_t ms)
{
    if (!loop_until(p->app->loop, &p->did, ms) && p->error.kind == ERROR_NONE)
        error_set(&p->error, p->app->interrupted ? ERROR_CANCELLED : ERROR_TIMEOUT, NULL, "%s", p->app->interrupted ? _("interrupted") : "it took too long");
    return p->error.kind == ERROR_NONE;
}

static bool wait_phase(struct proving *p, unsigned phases, int64_t ms)
{
    int64_t end = clock_monotonic_ms() + ms;
    while (!p->app->interrupted && (phases & (1u << lesson_run_phase(p->run))) == 0) {
        int64_t left = end - clock_monotonic_ms();
        if (left <= 0)
            return false;
        loop_once(p->app->loop, left);
    }
    return !p->app->interrupted;
}

/* Adds one proof to the report: what was tried ("nginx/create: fails before"), and whether it came out. */
static bool conclude(struct proving *p, const char *step, const char *what, bool holds, int64_t began, const struct error *error)
{
    struct verdict *verdict = verdict_new();
    const struct verdict *seen = lesson_run_verdict(p->run);
    if (verdict == NULL)
        return false;
    verdict->outcome = error != NULL && error->kind != ERROR_NONE ? (exit_code_of(error) == EXIT_CLUSTER && error->kind != ERROR_TIMEOUT ? OUTCOME_UNREACHABLE : OUTCOME_ERROR)
                       : holds                                     ? OUTCOME_PASSED
                                                                   : OUTCOME_FAILED;
    if (error != NULL)
        verdict->error = *error;
    if (!holds && verdict->error.kind == ERROR_NONE) {
        struct buf words = buf_make(400);
        for (size_t i = 0; seen != NULL && i < seen->expectations.length && words.length < 200; i++)
            if (!((const struct expectation *)seen->expectations.items[i])->holds) {
                buf_append_string(&words, words.length > 0 ? "; " : "");
                expectation_print(seen->expectations.items[i], &words);
            }
        error_set(&verdict->error, ERROR_INVALID, NULL, "%s%s%s", what, words.length > 0 ? ": " : "", words.length > 0 ? words.bytes : "");
        buf_free(&words);
    }
    char *title = mem_printf("%s: %s", step, what);
    fprintf(stderr, "%s %s/%s: %s\n", holds ? "✓" : "✗", p->lesson, step, what);
    bool ok = report_add(p->report, p->lesson, step, title != NULL ? title : "", verdict, clock_monotonic_ms() - began);
    mem_free(title);
    return ok && holds;
}

static const unsigned ended = 1u << RUN_PASSED | 1u << RUN_FAILED | 1u << RUN_BROKEN | 1u << RUN_READING;

/* Setup, question, and the first verdict. False if the step could not begin. */
static bool begin_step(struct proving *p, int index)
{
    const struct lesson_step *step = lesson_run_lesson(p->run)->steps.items[index];
    p->error = ERROR_INIT;
    p->first_verdict = false;
    lesson_run_begin(p->run, index, false);
    wait_phase(p, ended | 1u << RUN_QUESTION | 1u << RUN_WORK | 1u << RUN_VERIFY, STEP_MS);
    if (lesson_run_phase(p->run) == RUN_QUESTION)
        lesson_run_answer(p->run, step->answer);
    if (step->check != 0 && lesson_run_phase(p->run) == RUN_WORK)
        loop_until(p->app->loop, &p->first_verdict, STEP_MS);
    const struct error *error = lesson_run_error(p->run);
    if (error != NULL)
        p->error = *error;
    return error == NULL && !p->app->interrupted;
}

/* A check that would turn green by itself a moment later is as wrong as one that is green at once. */
static bool stays_open(struct proving *p, int64_t ms)
{
    wait_phase(p, ended | 1u << RUN_VERIFY, ms);
    return !p->app->interrupted && lesson_run_phase(p->run) == RUN_WORK;
}

static bool fix_state(struct proving *p)
{
    p->did = false;
    p->error = ERROR_INIT;
    lesson_run_reset(p->run, NULL, reset_done, p);
    return wait_did(p, RESET_MS);
}

static bool prove_mutant(struct proving *p, int index, const char *name)
{
    const struct lesson_step *step = lesson_run_lesson(p->run)->steps.items[index];
    int64_t began = clock_monotonic_ms();
    char what[128];
    snprintf(what, sizeof what, "refuses %s", name);
    if (!begin_step(p, index))
        return conclude(p, step->id, what, false, began, &p->error);
    p->did = false;
    lesson_run_mutant(p->run, name, did, p);
    if (!wait_did(p, STEP_MS))
        return conclude(p, step->id, what, false, began, &p->error);
    wait_phase(p, ended, REFUSE_MS);
    bool refused = lesson_run_phase(p->run) != RUN_PASSED && lesson_run_phase(p->run) != RUN_FAILED;
    return conclude(p, step->id, what, refused, began, lesson_run_phase(p->run) == RUN_FAILED ? lesson_run_error(p->run) : NULL);
}

static bool solve(struct proving *p, int index)
{
    const struct lesson_step *step = lesson_run_lesson(p->run)->steps.items[index];
    p->did = step->solve == 0;
    if (step->solve != 0)
        lesson_run_solve(p->run, did, p);
    if (!wait_did(p, STEP_MS))
        return false;
    wait_phase(p, ended, STEP_MS);
    const struct error *error = lesson_run_error(p->run);
    if (error != NULL)
        p->error = *error;
    return lesson_run_phase(p->run) == RUN_PASSED || lesson_run_phase(p->run) == RUN_READING;
}

static bool prove_step(struct proving *p, int index)
{
    const struct lesson_step *step = lesson_run_lesson(p->run)->steps.items[index];
    int64_t began = clock_monotonic_ms();
    bool ok = begin_step(p, index);
    if (!ok)
        return conclude(p, step->id, "begins", false, began, &p->error);
    if (lesson_run_phase(p->run) == RUN_READING)
        return conclude(p, step->id, "is for newer servers: reading only", true, began, NULL);
    if (step->check != 0 && !step->observe)
        ok = conclude(p, step->id, "fails before", stays_open(p, SETTLE_MS), began, NULL);
    began = clock_monotonic_ms();
    bool passed = solve(p, index);
    return conclude(p, step->id, "passes after", passed, began, &p->error) && ok;
}

/* In a lesson a step builds on the ones before it, so a mutant is tried from where those leave off. */
static bool prove_mutants(struct proving *p)
{
    const struct lesson *lesson = lesson_run_lesson(p->run);
    bool ok = true;
    for (int i = 0; i < (int)lesson->steps.length && !p->app->interrupted; i++) {
        const struct lesson_step *step = lesson->steps.items[i];
        for (size_t m = 0; m < step->mutants.length && !p->app->interrupted; m++) {
            bool there = fix_state(p);
            for (int before = 0; there && before < i; before++)
                there = begin_step(p, before) && solve(p, before);
            if (!there)
                return conclude(p, step->id, "can be reached", false, clock_monotonic_ms(), &p->error);
            ok = prove_mutant(p, i, ((const struct lesson_mutant *)step->mutants.items[m])->name) && ok;
        }
    }
    return ok;
}

/* ---- what is there: for "leaves nothing" ---- */

struct census {
    struct app *app;
    const struct kube_resource *resource;
    struct vec seen; /* of strings: "deployments.apps/nginx uid" */
    const char *kind;
};

static void counted(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct census *c = data;
    (void)error; /* a kind that is gone, or that may not be listed, has nothing of ours */
    (void)status;
    for (const struct value *item = value_first(value_get(object, "items")); item != NULL; item = value_next(item)) {
        const char *name = value_find_text(item, "metadata", "name", NULL), *uid = value_find_text(item, "metadata", "uid", NULL);
        char *line = mem_printf("%s/%s %s", c->kind, name != NULL ? name : "", uid != NULL ? uid : "");
        if (line != NULL)
            (void)!vec_push(&c->seen, line);
    }
    value_free(object);
    c->app->done = true;
}

static void kind_found(void *data, const struct kube_resource *resource, const struct error *error)
{
    struct census *c = data;
    (void)error;
    c->resource = resource;
    c->app->done = true;
}

static void count_kind(struct census *c, const char *need)
{
    char kind[256];
    snprintf(kind, sizeof kind, "%.*s", (int)strcspn(need, ":"), need);
    c->kind = kind;
    c->resource = NULL;
    c->app->done = false;
    kube_resolve(session_client(c->app->session), kind, kind_found, c);
    app_wait(c->app, CENSUS_MS);
    if (c->resource == NULL)
        return;
    struct kube_target target = {.resource = c->resource, .ns = c->resource->namespaced ? session_namespace(c->app->session) : NULL};
    c->app->done = false;
    if (kube_list(session_client(c->app->session), &target, NULL, NULL, counted, c, NULL) != NULL)
        app_wait(c->app, CENSUS_MS);
}

/* Every object of the kinds that the lesson names, and of those that are made along with them. */
static void take_census(struct proving *p, struct census *c)
{
    static const char *const always[] = {"pods", "configmaps", "secrets", "serviceaccounts", "persistentvolumeclaims"};
    const struct vec *needs = &lesson_run_lesson(p->run)->needs;
    *c = (struct census){.app = p->app, .seen = vec_make(10000, mem_free)};
    for (size_t i = 0; i < needs->length; i++)
        count_kind(c, needs->items[i]);
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (!vec_has_string(needs, always[i]))
            count_kind(c, always[i]);
}

/* Controllers tidy up a moment after the owner has gone, so a few looks. Fills err with what is left. */
static bool nothing_new(struct proving *p, const struct census *before, struct error *err)
{
    for (int look = 0; look < CENSUS_LOOKS; look++) {
        struct census now;
        take_census(p, &now);
        const char *left = NULL;
        for (size_t i = 0; i < now.seen.length && left == NULL; i++)
            if (!vec_has_string(&before->seen, now.seen.items[i]))
                left = now.seen.items[i];
        if (left != NULL)
            error_set(err, ERROR_INVALID, NULL, "%s is left", left);
        vec_free(&now.seen);
        if (left == NULL)
            return true;
        p->app->done = false;
        app_wait(p->app, CENSUS_PAUSE_MS);
    }
    return false;
}

static bool prove_lesson(struct proving *p, struct error *err)
{
    p->run = app_run(p->app, p->lesson, true, event, p, err);
    if (p->run == NULL)
        return false;
    const struct lesson *lesson = lesson_run_lesson(p->run);
    bool ok = true;
    int64_t began = clock_monotonic_ms();
    struct census before;
    if (!fix_state(p))
        conclude(p, "start", "starts clean", false, began, &p->error);
    take_census(p, &before);
    for (int i = 0; i < (int)lesson->steps.length && ok && !p->app->interrupted; i++)
        ok = prove_step(p, i);
    if (ok && p->app->values[OPTION_MUTANTS] != NULL)
        prove_mutants(p);
    loop_clear_stop(p->app->loop);
    began = clock_monotonic_ms();
    bool clean = fix_state(p) && nothing_new(p, &before, &p->error);
    conclude(p, "cleanup", "leaves nothing", clean, began, &p->error);
    vec_free(&before.seen);
    lesson_run_free(p->run);
    p->run = NULL;
    return true;
}

int command_selftest(struct app *app)
{
    struct error err = ERROR_INIT;
    struct report report;
    int64_t began = clock_monotonic_ms();
    if (!app_outputs_fit(app))
        return EXIT_USAGE;
    if (!app_course(app, &err))
        return say_error(app, &err);
    for (size_t i = 0; i < app->arguments.length; i++) { /* wrong names are told before a cluster is asked */
        struct lesson *lesson = app_lesson(app, app->arguments.items[i], &err);
        lesson_free(lesson);
        if (lesson == NULL)
            return say_error(app, &err);
    }
    if (app->arguments.length == 0)
        for (size_t i = 0; i < app->course->chapters.length; i++) {
            const struct vec *lessons = &((const struct course_chapter *)app->course->chapters.items[i])->lessons;
            for (size_t j = 0; j < lessons->length; j++)
                if (!vec_push(&app->arguments, lessons->items[j]))
                    return EXIT_LESSON;
        }
    if (!app_session(app, true, &err))
        return say_error(app, &err);
    app_begin_report(app, "selftest", &report);
    int code = EXIT_OK;
    for (size_t i = 0; i < app->arguments.length && !app->interrupted && code == EXIT_OK; i++) {
        struct proving p = {.app = app, .report = &report, .lesson = app->arguments.items[i]};
        if (!prove_lesson(&p, &err))
            code = say_error(app, &err);
    }
    report.duration_ms = clock_monotonic_ms() - began;
    if (!app_write_reports(app, &report, &err))
        code = say_error(app, &err);
    if (code == EXIT_OK)
        code = report_exit_code(&report);
    report_free(&report);
    return app->interrupted ? EXIT_INTERRUPTED : code;
}
