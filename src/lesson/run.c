/* run.c: the step machine. */
#include "lesson/run.h"

#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/mem.h"
#include "data/json.h"
#include "lesson/internal.h"

enum { VERIFY_AGAIN_MS = 5000, VERIFY_TRIES = 60, RESET_MS = 120000 };

static void start_check(struct lesson_run *run);
static void start_invariant(struct lesson_run *run);
static void start_verify(struct lesson_run *run);
static void work(struct lesson_run *run);

void run_tell(struct lesson_run *run, enum run_event event)
{
    if (run->listener != NULL)
        run->listener(run->listener_data, event);
}

static void set_phase(struct lesson_run *run, enum run_phase phase)
{
    run->phase = phase;
    run_tell(run, RUN_EVENT_PHASE);
}

struct lesson_step *run_step(const struct lesson_run *run)
{
    return run->step >= 0 ? run->lesson->steps.items[run->step] : NULL;
}

struct progress_key run_key(const struct lesson_run *run, int step)
{
    const struct lesson_step *s = run->lesson->steps.items[step];
    return (struct progress_key){.cluster = run->cluster, .ns = run->ns, .lesson = run->lesson->id, .step = s->id};
}

void run_save(struct lesson_run *run)
{
    struct progress_key key = run_key(run, run->step);
    (void)!progress_put(run->progress, &key, &run->record, NULL);
}

void run_fail(struct lesson_run *run, const struct error *error)
{
    run->error = *error;
    set_phase(run, RUN_FAILED);
}

static void trouble(void *data, const struct error *error, int64_t retry_ms)
{
    struct lesson_run *run = data;
    run->trouble = error != NULL ? *error : ERROR_INIT;
    run->trouble_retry_ms = error != NULL ? clock_monotonic_ms() + retry_ms : 0;
    run_tell(run, RUN_EVENT_TROUBLE);
}

static void made(void *data, const char *resource, const char *ns, const char *name, const char *uid)
{
    struct lesson_run *run = data;
    (void)!progress_ledger_add(run->progress, run->cluster, run->lesson->id, resource, ns, name, uid, NULL);
    if (run->gallery != NULL)
        gallery_add(run->gallery, resource);
}

/* ---- a step's end ---- */

static void stop_explaining(struct lesson_run *run)
{
    explain_free(run->explaining);
    run->explaining = NULL;
}


static void stop_run(struct bind_run **slot)
{
    bind_cancel(*slot);
    *slot = NULL;
}

static void stop_checks(struct lesson_run *run)
{
    stop_run(&run->checking);
    stop_run(&run->verifying);
    stop_run(&run->watching_invariant);
    bind_unfollow(run->lesson->bind, &run->check_key);
    bind_unfollow(run->lesson->bind, &run->verify_key);
    bind_unfollow(run->lesson->bind, &run->invariant_key);
    loop_set_timer(run->again, -1);
    loop_set_timer(run->verify_again, -1);
    loop_set_timer(run->settle, -1);
    run->check_dirty = run->check_held = run->invariant_dirty = run->settling = false;
    verdict_free(run->held);
    run->held = NULL;
}

void run_stop_step(struct lesson_run *run)
{
    stop_checks(run);
    stop_run(&run->setting_up);
    stop_run(&run->hinting);
    stop_run(&run->doing.run);
    run->doing = (struct doing){0};
    run->hint = (struct asked_hint){0};
    stop_explaining(run);
    if (run->resolving != 0)
        kube_resolve_cancel(run->client, run->resolving);
    kube_call_cancel(run->asking);
    run->resolving = 0;
    run->asking = NULL;
    mem_free(run->asking_needs);
    run->asking_needs = NULL;
}

static void pass(struct lesson_run *run)
{
    stop_checks(run);
    stop_explaining(run);
    run->record.state = PROGRESS_PASSED;
    run->record.passed_ms = clock_wall_ms();
    run_save(run);
    set_phase(run, RUN_PASSED);
}

/* ---- verdicts ---- */

static void explained(void *data, bool found)
{
    struct lesson_run *run = data;
    stop_explaining(run);
    if (found)
        run_tell(run, RUN_EVENT_VERDICT);
}

static void publish(struct lesson_run *run, struct verdict *verdict)
{
    bool same = verdict_same(run->verdict, verdict);
    if (same && run->verdict != NULL) { /* keeps the whys that were found */
        run->verdict->again_ms = verdict->again_ms;
        verdict_free(verdict);
        return;
    }
    stop_explaining(run);
    verdict_free(run->verdict);
    run->verdict = verdict;
    run_tell(run, RUN_EVENT_VERDICT);
    if (run->verdict == verdict && verdict->outcome == OUTCOME_FAILED && !run->no_why)
        run->explaining = explain_start(run, verdict, explained, run);
}

static void invariant_done(void *data, const struct bind_result *result)
{
    struct lesson_run *run = data;
    run->watching_invariant = NULL;
    bind_follow(run->lesson->bind, result->run, &run->invariant_key);
    if (result->verdict->outcome == OUTCOME_FAILED) {
        stop_checks(run);
        publish(run, result->verdict);
        error_set(&run->error, ERROR_INVALID, NULL, "%s", _("what had to hold all through the step was broken; begin the step again"));
        set_phase(run, RUN_BROKEN);
        return;
    }
    struct error error = result->verdict->error;
    bool failed = result->verdict->outcome == OUTCOME_ERROR;
    verdict_free(result->verdict);
    if (failed)
        run_fail(run, &error);
    else if (run->invariant_dirty)
        start_invariant(run);
}

/* Starts one of the step's functions; an error at the start is the lesson's failure. */
static void start(struct lesson_run *run, int function, enum bind_mode mode, void (*done)(void *data, const struct bind_result *result),
                              struct bind_run **slot)
{
    struct error err = ERROR_INIT;
    struct bind_run *started = bind_start(run->lesson->bind, function, mode, run->record.state_json, done, run, &err);
    if (started != NULL)
        *slot = started;
    else if (err.kind != ERROR_NONE) /* else it ended at once, and done has seen to all */
        run_fail(run, &err);
}

static void start_invariant(struct lesson_run *run)
{
    run->invariant_dirty = false;
    start(run, run_step(run)->invariant, BIND_CHECK, invariant_done, &run->watching_invariant);
}

static void invariant_changed(void *data)
{
    struct lesson_run *run = data;
    if (run->watching_invariant != NULL)
        run->invariant_dirty = true;
    else
        start_invariant(run);
}

/* Keeps what check found while verify has the word. */
static void hold(struct lesson_run *run, struct verdict *verdict)
{
    verdict_free(run->held);
    run->held = verdict;
}

static void check_done(void *data, const struct bind_result *result)
{
    struct lesson_run *run = data;
    struct verdict *verdict = result->verdict;
    run->checking = NULL;
    bind_follow(run->lesson->bind, result->run, &run->check_key);
    int64_t again = verdict->again_ms;
    if (verdict->outcome == OUTCOME_ERROR) {
        struct error error = verdict->error;
        stop_checks(run);
        publish(run, verdict);
        run_fail(run, &error);
        return;
    }
    run->check_held = verdict->outcome == OUTCOME_PASSED;
    bool unreachable = verdict->outcome == OUTCOME_UNREACHABLE;
    if (unreachable || run->check_troubled)
        trouble(run, unreachable ? &verdict->error : NULL, VERIFY_AGAIN_MS);
    run->check_troubled = unreachable;
    /* while a verify that failed explains why the step is not done, "all holds" would hide it */
    if (run->check_held && run_step(run)->verify != 0 && run->verdict != NULL && run->phase == RUN_VERIFY)
        hold(run, verdict);
    else
        publish(run, verdict);
    if (run->check_dirty) {
        start_check(run);
        return;
    }
    if (unreachable)
        again = clock_monotonic_ms() + VERIFY_AGAIN_MS;
    if (again >= 0) {
        int64_t wait = again - clock_monotonic_ms();
        loop_set_timer(run->again, wait > 0 ? wait : 0);
    }
    if (run->doing.judged_after || run->settling)
        return; /* its end starts the check again */
    if (!run->check_held) {
        if (run->phase == RUN_VERIFY) {
            stop_run(&run->verifying);
            set_phase(run, RUN_WORK);
        }
    } else if (run_step(run)->verify == 0)
        pass(run);
    else if (run->verifying == NULL)
        start_verify(run);
}

static void start_check(struct lesson_run *run)
{
    run->check_dirty = false;
    loop_set_timer(run->again, -1);
    start(run, run_step(run)->check, BIND_CHECK, check_done, &run->checking);
}

static void check_changed(void *data)
{
    run_check_again(data);
}

void run_check_again(struct lesson_run *run)
{
    if (run->phase != RUN_WORK && run->phase != RUN_VERIFY)
        return;
    if (run->checking != NULL)
        run->check_dirty = true;
    else
        start_check(run);
}

void run_soften(struct verdict *verdict)
{
    static const enum error_kind soft[] = {ERROR_TIMEOUT, ERROR_NOT_FOUND, ERROR_INVALID, ERROR_CONFLICT};
    for (size_t i = 0; i < sizeof soft / sizeof *soft; i++)
        if (verdict->outcome == OUTCOME_ERROR && verdict->error.kind == soft[i])
            verdict->outcome = OUTCOME_FAILED;
}

static void verify_done(void *data, const struct bind_result *result)
{
    struct lesson_run *run = data;
    struct verdict *verdict = result->verdict;
    run->verifying = NULL;
    bind_follow(run->lesson->bind, result->run, &run->verify_key);
    run_soften(verdict);
    if (run->verdict != NULL && run->verdict->outcome == OUTCOME_PASSED) {
        hold(run, run->verdict);
        run->verdict = NULL;
    }
    if (verdict->outcome == OUTCOME_PASSED && run->check_held) {
        verdict_prepend(verdict, run->held); /* what check found stands before what trying showed */
        run->held = NULL;
        publish(run, verdict);
        pass(run);
        return;
    }
    struct error error = verdict->error;
    bool failed = verdict->outcome == OUTCOME_ERROR;
    publish(run, verdict);
    if (failed) {
        stop_checks(run);
        run_fail(run, &error);
        return;
    }
    set_phase(run, RUN_WORK);
    if (++run->verify_tries < VERIFY_TRIES)
        loop_set_timer(run->verify_again, run->verify_again_ms);
}

static void start_verify(struct lesson_run *run)
{
    loop_set_timer(run->verify_again, -1);
    if (run->phase != RUN_VERIFY)
        set_phase(run, RUN_VERIFY);
    start(run, run_step(run)->verify, BIND_VERIFY, verify_done, &run->verifying);
}

static void verify_due(void *data)
{
    struct lesson_run *run = data;
    if (run->phase == RUN_WORK && run->check_held && run->verifying == NULL && run->checking == NULL)
        start_verify(run);
}

/* The words of a passed step once more. What only its history could answer stays as it was said then. */
static void reworded(void *data, const struct bind_result *result)
{
    struct lesson_run *run = data;
    struct verdict *fresh = result->verdict, *old = run->verdict;
    run->checking = NULL;
    if (fresh->outcome != OUTCOME_PASSED || old == NULL || run->phase != RUN_PASSED) {
        verdict_free(fresh);
        return;
    }
    size_t checks = fresh->expectations.length;
    while (old->expectations.length > checks && vec_push(&fresh->expectations, vec_take(&old->expectations, checks)))
        ; /* verify's: in the lesson's own words, which are in both languages */
    publish(run, fresh);
}

void lesson_run_reword(struct lesson_run *run)
{
    const struct lesson_step *step = run_step(run);
    if (step == NULL || step->check == 0)
        return;
    if (run->phase == RUN_PASSED) {
        stop_run(&run->checking); /* it may speak the language before this one */
        start(run, step->check, BIND_CHECK, reworded, &run->checking);
    } else
        check_changed(run);
}

static void verify_changed(void *data)
{
    struct lesson_run *run = data;
    run->verify_tries = 0;
    verify_due(run);
}

/* ---- a step's beginning ---- */

static void work(struct lesson_run *run)
{
    const struct lesson_step *step = run_step(run);
    struct bind *bind = run->lesson->bind;
    if (run->record.started_ms == 0)
        run->record.started_ms = clock_wall_ms();
    if (run->record.state == PROGRESS_NONE)
        run->record.state = PROGRESS_STARTED;
    run_save(run);
    if (step->choices.length > 0 && run->record.choice == NULL) {
        set_phase(run, RUN_QUESTION);
        return;
    }
    if (step->check == 0) {
        pass(run);
        return;
    }
    bind_begin_step(bind);
    run->verify_tries = 0;
    set_phase(run, RUN_WORK);
    bind_on_change(bind, &run->check_key, check_changed, run);
    bind_on_change(bind, &run->verify_key, verify_changed, run);
    bind_on_change(bind, &run->invariant_key, invariant_changed, run);
    if (step->invariant != 0)
        start_invariant(run);
    if (run->phase == RUN_WORK)
        start_check(run);
}

/* Makes a document of the stored text, for {{name}}. */
static void read_state(struct lesson_run *run)
{
    value_free(run->state);
    run->state = run->record.state_json != NULL ? json_parse(run->record.state_json, strlen(run->record.state_json), "the step's state", NULL) : NULL;
}

static void setup_done(void *data, const struct bind_result *result)
{
    struct lesson_run *run = data;
    enum outcome outcome = result->verdict->outcome;
    struct error error = result->verdict->error;
    run->setting_up = NULL;
    verdict_free(result->verdict);
    if (outcome == OUTCOME_ERROR || outcome == OUTCOME_UNREACHABLE) {
        run_fail(run, &error);
        return;
    }
    mem_free(run->record.state_json);
    run->record.state_json = mem_string(result->json != NULL ? result->json : "{}");
    read_state(run);
    work(run);
}

static void set_up(struct lesson_run *run)
{
    const struct lesson_step *step = run_step(run);
    if ((run->tree || run->ledger) && run->gallery == NULL)
        run->gallery = gallery_new(run, NULL);
    if (run_too_old(run)) {
        set_phase(run, RUN_READING);
        return;
    }
    if (step->setup == 0 || run->record.state_json != NULL) {
        read_state(run);
        work(run);
        return;
    }
    set_phase(run, RUN_SETUP);
    start(run, step->setup, BIND_DO, setup_done, &run->setting_up);
}

void lesson_run_begin(struct lesson_run *run, int step, bool resume)
{
    run_stop_step(run);
    verdict_free(run->verdict);
    run->verdict = NULL;
    value_free(run->state);
    run->state = NULL;
    run->error = ERROR_INIT;
    run->trouble = ERROR_INIT; /* of what the last step read; what is still so is told again */
    run->check_troubled = false;
    run->step = step;
    progress_step_free(&run->record);
    struct progress_key key = run_key(run, step);
    if (!resume || !progress_get(run->progress, &key, &run->record, NULL))
        run->record = (struct progress_step){0};
    run_needs(run, set_up);
}

void lesson_run_answer(struct lesson_run *run, const char *choice)
{
    if (run->phase != RUN_QUESTION || !vec_has_string(&run_step(run)->choices, choice))
        return;
    mem_free(run->record.choice);
    run->record.choice = mem_string(choice);
    if (run->record.choice != NULL)
        work(run);
}

void lesson_run_pause(struct lesson_run *run)
{
    run_stop_step(run);
    run->step = -1;
    set_phase(run, RUN_IDLE);
}

/* ---- life ---- */

static void again_due(void *data)
{
    check_changed(data);
}

static void settled(void *data)
{
    struct lesson_run *run = data;
    run->settling = false;
    check_changed(run);
}

static void *fail_new(struct lesson_run *run)
{
    lesson_run_free(run);
    return NULL;
}

struct lesson_run *lesson_run_new(struct loop *loop, const char *pack, const char *lesson, const struct lesson_run_options *options, struct error *err)
{
    struct lesson_run *run = mem_zero(1, sizeof *run);
    if (run == NULL) {
        error_memory(err);
        return NULL;
    }
    run->loop = loop;
    run->client = options->client;
    run->progress = options->progress;
    run->ledger = options->ledger;
    run->tree = options->tree;
    run->no_why = options->no_why;
    run->reset_ms = options->reset_ms > 0 ? options->reset_ms : RESET_MS;
    run->verify_again_ms = options->verify_again_ms > 0 ? options->verify_again_ms : VERIFY_AGAIN_MS;
    run->listener = options->listener;
    run->listener_data = options->data;
    run->step = -1;
    run->cluster = mem_string(options->cluster);
    run->ns = mem_string(options->ns);
    run->user = mem_string(options->user);
    run->again = loop_add_timer(loop, 0, again_due, run);
    run->verify_again = loop_add_timer(loop, 0, verify_due, run);
    run->settle = loop_add_timer(loop, -1, settled, run);
    if (run->cluster == NULL || run->ns == NULL || run->user == NULL || run->again == NULL || run->verify_again == NULL || run->settle == NULL) {
        error_memory(err);
        return fail_new(run);
    }
    loop_set_timer(run->again, -1);
    loop_set_timer(run->verify_again, -1);
    struct lesson_world world = {.client = options->client, .ns = options->ns, .user = options->user, .work_folder = options->work_folder, .trusted = options->trusted};
    run->lesson = lesson_load(loop, pack, lesson, &world, err);
    if (run->lesson == NULL)
        return fail_new(run);
    bind_on_trouble(run->lesson->bind, trouble, run);
    bind_on_made(run->lesson->bind, made, run);
    return run;
}

void lesson_run_free(struct lesson_run *run)
{
    if (run == NULL)
        return;
    run->listener = NULL;
    if (run->lesson != NULL)
        run_stop_step(run);
    judging_free(run->judging);
    reset_free(run->reset);
    gallery_free(run->gallery);
    loop_drop(run->again);
    loop_drop(run->verify_again);
    loop_drop(run->settle);
    lesson_free(run->lesson);
    verdict_free(run->verdict);
    progress_step_free(&run->record);
    value_free(run->state);
    mem_free(run->rows);
    mem_free(run->server_version);
    mem_free(run->cluster);
    mem_free(run->ns);
    mem_free(run->user);
    mem_free(run);
}
