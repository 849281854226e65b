/* look.c: what can be asked of a run, without changing it. */
#include "lesson/internal.h"

const struct lesson *lesson_run_lesson(const struct lesson_run *run)
{
    return run->lesson;
}

int lesson_run_step(const struct lesson_run *run)
{
    return run->step;
}

enum run_phase lesson_run_phase(const struct lesson_run *run)
{
    return run->phase;
}

const struct error *lesson_run_error(const struct lesson_run *run)
{
    return run->phase == RUN_FAILED || run->phase == RUN_BROKEN ? &run->error : NULL;
}

const struct error *lesson_run_trouble(const struct lesson_run *run, int64_t *retry_ms)
{
    if (retry_ms != NULL)
        *retry_ms = run->trouble_retry_ms;
    return run->trouble.kind != ERROR_NONE ? &run->trouble : NULL;
}

const struct verdict *lesson_run_verdict(const struct lesson_run *run)
{
    return run->verdict;
}

const struct value *lesson_run_state(const struct lesson_run *run)
{
    return run->state;
}

const char *lesson_run_choice(const struct lesson_run *run)
{
    return run->record.choice;
}

int lesson_run_hints_shown(const struct lesson_run *run)
{
    return run->record.hints_shown;
}

bool lesson_run_step_passed(const struct lesson_run *run, int step)
{
    struct progress_step record = {0};
    struct progress_key key = run_key(run, step);
    bool passed = progress_get(run->progress, &key, &record, NULL) && record.state == PROGRESS_PASSED;
    progress_step_free(&record);
    return passed || (step == run->step && run->phase == RUN_PASSED);
}
