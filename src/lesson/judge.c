/* judge.c: one step judged outside the flow, for headless `check`. What only the step's own history could answer is answered from recorded progress. */
#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/mem.h"
#include "lesson/internal.h"

struct judging {
    struct lesson_run *run;
    int step;
    struct progress_step record;
    struct bind_run *running;
    bool verifying;
    struct loop_event *timer; /* the wait's end, or the next look */
    int64_t deadline;         /* monotonic ms; 0: judged once */
    bool dirty;
    char key, verify_key;
    struct verdict *held;    /* check's, while verify tries */
    struct verdict *verdict; /* the final one, while it is being explained */
    struct explaining *explaining;
    void (*done)(void *data, struct verdict *verdict);
    void *data;
};

static void look(struct judging *j);

void judging_free(struct judging *j)
{
    if (j == NULL)
        return;
    bind_cancel(j->running);
    bind_unfollow(j->run->lesson->bind, &j->key);
    bind_unfollow(j->run->lesson->bind, &j->verify_key);
    verdict_free(j->held);
    loop_drop(j->timer);
    explain_free(j->explaining);
    verdict_free(j->verdict);
    progress_step_free(&j->record);
    mem_free(j);
}

static void skip(struct verdict *verdict, const char *reason)
{
    verdict->outcome = OUTCOME_SKIPPED;
    error_set(&verdict->error, ERROR_NOT_FOUND, NULL, "%s", reason);
}

/* Expectations about what was seen hold if the step is recorded as passed; without a record they cannot be judged. */
static void answer_history(const struct judging *j, struct verdict *verdict)
{
    bool recorded = j->record.state == PROGRESS_PASSED, failed = false, unknown = false;
    if (verdict->outcome != OUTCOME_FAILED || verdict->error.kind != ERROR_NONE) /* an error is no expectation's */
        return;
    for (size_t i = 0; i < verdict->expectations.length; i++) {
        struct expectation *e = verdict->expectations.items[i];
        if (!e->holds && e->history && recorded)
            e->holds = true;
        unknown = unknown || (!e->holds && e->history);
        failed = failed || (!e->holds && !e->history);
    }
    if (!failed && !unknown)
        verdict->outcome = OUTCOME_PASSED;
    else if (!failed)
        skip(verdict, _("what this step asks about happened earlier and was not recorded; do the step with kubetutor"));
}

static void hand_over(struct judging *j)
{
    void (*done)(void *data, struct verdict *verdict) = j->done;
    void *data = j->data;
    struct verdict *verdict = j->verdict;
    j->verdict = NULL;
    j->run->judging = NULL;
    judging_free(j);
    done(data, verdict);
}

static void explained(void *data, bool found)
{
    (void)found;
    hand_over(data);
}

static void finish(struct judging *j, struct verdict *verdict)
{
    j->verdict = verdict;
    bind_unfollow(j->run->lesson->bind, &j->key); /* it is decided: changes come too late */
    bind_unfollow(j->run->lesson->bind, &j->verify_key);
    loop_set_timer(j->timer, -1);
    if (verdict != NULL)
        answer_history(j, verdict);
    if (verdict != NULL && verdict->outcome == OUTCOME_FAILED && !j->run->no_why)
        j->explaining = explain_start(j->run, verdict, explained, j);
    if (j->explaining == NULL)
        hand_over(j);
}

static void judged(void *data, const struct bind_result *result)
{
    struct judging *j = data;
    struct verdict *verdict = result->verdict;
    const struct lesson_step *step = j->run->lesson->steps.items[j->step];
    int64_t now = clock_monotonic_ms();
    j->running = NULL;
    bool verified = j->verifying;
    bind_follow(j->run->lesson->bind, result->run, verified ? &j->verify_key : &j->key);
    if (verdict->outcome == OUTCOME_PASSED && !verified && step->verify != 0) {
        j->held = verdict;
        j->verifying = true;
        look(j);
        return;
    }
    j->verifying = false;
    if (verified) {
        run_soften(verdict);
        verdict_prepend(verdict, j->held);
        j->held = NULL;
    }
    if (verdict->outcome != OUTCOME_FAILED || now >= j->deadline) {
        finish(j, verdict);
        return;
    }
    int64_t again = verdict->again_ms >= 0 ? verdict->again_ms : verified ? now + j->run->verify_again_ms : j->deadline;
    again = again < j->deadline ? again : j->deadline;
    verdict_free(verdict);
    loop_set_timer(j->timer, again > now ? again - now : 0);
    if (j->dirty)
        look(j);
}

static void look(struct judging *j)
{
    const struct lesson_step *step = j->run->lesson->steps.items[j->step];
    struct error err = ERROR_INIT;
    j->dirty = false;
    struct bind_run *started = bind_start(j->run->lesson->bind, j->verifying ? step->verify : step->check, j->verifying ? BIND_VERIFY : BIND_CHECK,
                                          j->record.state_json, judged, j, &err);
    if (started != NULL)
        j->running = started;
    else if (err.kind != ERROR_NONE) {
        struct verdict *verdict = verdict_new();
        if (verdict != NULL) {
            verdict->outcome = OUTCOME_ERROR;
            verdict->error = err;
        }
        finish(j, verdict);
    }
}

static void changed(void *data)
{
    struct judging *j = data;
    if (j->running != NULL)
        j->dirty = true;
    else
        look(j);
}

static void timer_due(void *data)
{
    struct judging *j = data;
    if (j->running == NULL)
        look(j); /* past the deadline this one decides */
}

static void begin(struct lesson_run *run)
{
    struct judging *j = run->judging;
    const struct lesson_step *step = run->lesson->steps.items[j->step];
    struct verdict *verdict = NULL;
    bool unknown_start = step->setup != 0 && step->check_wants_state && j->record.state_json == NULL;
    if (step->check != 0 && !unknown_start && !run_too_old(run)) {
        bind_begin_step(run->lesson->bind);
        bind_on_change(run->lesson->bind, &j->key, changed, j);
        bind_on_change(run->lesson->bind, &j->verify_key, changed, j);
        look(j);
        return;
    }
    verdict = verdict_new();
    if (verdict != NULL)
        skip(verdict, step->check == 0    ? _("the step has nothing to check")
                      : unknown_start     ? _("the step compares with a starting state that was not recorded here; do it with kubetutor first")
                                          : _("the server is older than the step needs"));
    finish(j, verdict);
}

void lesson_run_judge(struct lesson_run *run, int step, int64_t wait_ms, void (*done)(void *data, struct verdict *verdict), void *data)
{
    struct judging *j = mem_zero(1, sizeof *j);
    struct progress_key key = run_key(run, step);
    if (j == NULL || run->judging != NULL) {
        mem_free(j);
        done(data, NULL);
        return;
    }
    run_stop_step(run);
    run->step = step;
    run->judging = j;
    *j = (struct judging){.run = run, .step = step, .done = done, .data = data, .deadline = wait_ms > 0 ? clock_monotonic_ms() + wait_ms : 0};
    j->timer = loop_add_timer(run->loop, 0, timer_due, j);
    if (j->timer == NULL) {
        run->judging = NULL;
        judging_free(j);
        done(data, NULL);
        return;
    }
    loop_set_timer(j->timer, -1);
    if (!progress_get(run->progress, &key, &j->record, NULL))
        j->record = (struct progress_step){0};
    run_needs(run, begin);
}
