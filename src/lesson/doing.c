/* doing.c: what is done for the learner: hints, solutions; and the wrong states of a self-test. */
#include <string.h>

#include "base/lang.h"
#include "base/mem.h"
#include "lesson/internal.h"

enum { SETTLE_MS = 1500 };

static void give_hint(struct lesson_run *run)
{
    struct asked_hint asked = run->hint;
    const struct lesson_step *step = run_step(run);
    struct both text = {0};
    const struct text_block *en = text_step_block(step->text[LANG_EN], BLOCK_HINT, NULL, (size_t)run->record.hints_shown);
    const struct text_block *zh = text_step_block(step->text[LANG_ZH], BLOCK_HINT, NULL, (size_t)run->record.hints_shown);
    run->hint = (struct asked_hint){0};
    if (en != NULL && zh != NULL) {
        run->record.hints_shown++;
        run_save(run);
        text.en = lesson_fill(en->text, run->state);
        text.zh = lesson_fill(zh->text, run->state);
    }
    asked.done(asked.data, text.en != NULL ? &text : NULL);
    both_free(&text);
}

static void hint_done(void *data, const struct bind_result *result)
{
    struct lesson_run *run = data;
    struct asked_hint asked = run->hint;
    bool has = result->text != NULL && result->verdict->outcome != OUTCOME_ERROR;
    run->hinting = NULL;
    verdict_free(result->verdict);
    if (!has) {
        give_hint(run);
        return;
    }
    run->hint = (struct asked_hint){0};
    asked.done(asked.data, result->text);
}

void lesson_run_hint(struct lesson_run *run, void (*done)(void *data, const struct both *text), void *data)
{
    const struct lesson_step *step = run_step(run);
    if (step == NULL || run->hint.done != NULL) {
        done(data, NULL);
        return;
    }
    run->hint = (struct asked_hint){.done = done, .data = data};
    if (step->hint == 0 || run->phase != RUN_WORK)
        give_hint(run);
    else {
        struct error err = ERROR_INIT;
        struct bind_run *started = bind_start(run->lesson->bind, step->hint, BIND_CHECK, run->record.state_json, hint_done, run, &err);
        if (started != NULL)
            run->hinting = started;
        else if (err.kind != ERROR_NONE)
            give_hint(run);
    }
}

static void doing_done(void *data, const struct bind_result *result)
{
    struct lesson_run *run = data;
    struct doing doing = run->doing;
    enum outcome outcome = result->verdict->outcome;
    struct error error = result->verdict->error;
    run->doing = (struct doing){0};
    verdict_free(result->verdict);
    if (doing.judged_after) { /* the watch may be a moment behind what was written last */
        run->settling = true;
        loop_set_timer(run->settle, SETTLE_MS);
    }
    doing.done(doing.data, outcome == OUTCOME_ERROR || outcome == OUTCOME_UNREACHABLE ? &error : NULL);
}

static void do_it(struct lesson_run *run, int function, bool judged_after, void (*done)(void *data, const struct error *error), void *data)
{
    struct error err = ERROR_INIT;
    if (run->doing.done != NULL) {
        error_set(&err, ERROR_BUSY, NULL, "%s", _("something is being done already"));
        done(data, &err);
        return;
    }
    run->doing = (struct doing){.done = done, .data = data, .judged_after = judged_after};
    struct bind_run *started = bind_start(run->lesson->bind, function, BIND_DO, run->record.state_json, doing_done, run, &err);
    if (started != NULL)
        run->doing.run = started;
    else if (err.kind != ERROR_NONE) {
        run->doing = (struct doing){0};
        done(data, &err);
    }
}

void lesson_run_solve(struct lesson_run *run, void (*done)(void *data, const struct error *error), void *data)
{
    const struct lesson_step *step = run_step(run);
    struct error err = ERROR_INIT;
    if (step != NULL && step->solve != 0) {
        run->record.solved = true;
        run_save(run);
        do_it(run, step->solve, false, done, data);
        return;
    }
    error_set(&err, ERROR_NOT_FOUND, NULL, "%s", _("this step has nothing to solve"));
    done(data, step == NULL || step->check != 0 ? &err : NULL);
}

void lesson_run_mutant(struct lesson_run *run, const char *name, void (*done)(void *data, const struct error *error), void *data)
{
    const struct lesson_step *step = run_step(run);
    struct error err = ERROR_INIT;
    for (size_t i = 0; step != NULL && i < step->mutants.length; i++) {
        const struct lesson_mutant *mutant = step->mutants.items[i];
        if (strcmp(mutant->name, name) == 0) {
            do_it(run, mutant->function, true, done, data);
            return;
        }
    }
    error_set(&err, ERROR_NOT_FOUND, NULL, "the step has no mutant \"%s\"", name);
    done(data, &err);
}
