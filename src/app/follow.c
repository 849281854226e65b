/* follow.c: waiting for a step of a lesson, with all that may come in between: an interruption, a cluster that goes away, and
 * the end of the time. */
#include <stdio.h>
#include <string.h>

#include "app/internal.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/mem.h"
#include "data/units.h"

enum { FOLLOW_OUTAGE_MS = 20000, FOLLOW_TICK_MS = 1000, FOLLOW_STEP_MS = 180000, FOLLOW_LEFT = 8 };

bool step_time(const struct app *app, int64_t *ms)
{
    const char *asked = app->values[OPTION_WAIT];
    *ms = FOLLOW_STEP_MS;
    if (asked == NULL || duration_parse(asked, ms))
        return true;
    say_usage(_("--wait wants a duration such as 30s or 2m, not %s"), asked);
    return false;
}

/* What the cluster's client complains of right now, or NULL. */
static const struct error *outage(const struct lesson_run *run)
{
    const struct error *trouble = lesson_run_trouble(run, NULL);
    if (trouble != NULL && (exit_code_of(trouble) != EXIT_CLUSTER || trouble->kind == ERROR_DENIED))
        trouble = NULL; /* what may not be looked at is no outage: the checks that need it say so */
    const struct verdict *verdict = lesson_run_verdict(run);
    if (trouble != NULL)
        return trouble;
    return verdict != NULL && verdict->outcome == OUTCOME_UNREACHABLE ? &verdict->error : NULL;
}

const struct expectation *first_failing(const struct verdict *verdict)
{
    for (size_t i = 0; verdict != NULL && i < verdict->expectations.length; i++)
        if (!((const struct expectation *)verdict->expectations.items[i])->holds)
            return verdict->expectations.items[i];
    return NULL;
}

static bool late(const struct lesson_run *run, bool solving, int64_t ms, struct error *err)
{
    static const char *const words[] = {
        [RUN_NEEDS] = N_("what the cluster serves and permits"),
        [RUN_SETUP] = N_("its starting state"),
        [RUN_WORK] = N_("the cluster's answers"),
        [RUN_VERIFY] = N_("the trial of what was made"),
    };
    const struct lesson_step *step = lesson_run_lesson(run)->steps.items[lesson_run_step(run)];
    enum run_phase phase = lesson_run_phase(run);
    const struct expectation *failing = first_failing(lesson_run_verdict(run));
    struct buf line = buf_make(4096);
    if (solving)
        buf_append_string(&line, _("the end of its solution"));
    else if (failing != NULL)
        expectation_print(failing, &line);
    else
        buf_append_string(&line, phase < sizeof words / sizeof *words && words[phase] != NULL ? _(words[phase]) : "-");
    error_set(err, ERROR_TIMEOUT, NULL, _("step %s is not done after %d s; it waited for this: %s"), step->id, (int)(ms / 1000),
              buf_ok(&line) && line.bytes != NULL ? line.bytes : "");
    buf_free(&line);
    return false;
}

enum followed follow(struct app *app, struct lesson_run *run, unsigned phases, const bool *solved, int64_t ms,
                     void (*tick)(void *data, int64_t since), void *data, struct error *err)
{
    int64_t since = clock_monotonic_ms(), lost_since = -1;
    while (!app->interrupted) {
        int64_t now = clock_monotonic_ms(), left = since + ms - now;
        const struct error *lost = outage(run);
        if (solved != NULL ? *solved : (phases & (1u << lesson_run_phase(run))) != 0)
            return FOLLOWED;
        lost_since = lost == NULL ? -1 : lost_since < 0 ? now : lost_since;
        if (lost != NULL && (now - lost_since >= FOLLOW_OUTAGE_MS || left <= 0)) {
            if (lost->kind == ERROR_DENIED || lost->kind == ERROR_UNAUTHENTICATED) /* it answers, but not to us */
                *err = *lost;
            else
                error_set(err, lost->kind, NULL, _("the cluster has been out of reach for %d s: %s"),
                          (int)((now - lost_since) / 1000), lost->message);
            return FOLLOW_LOST;
        }
        if (left <= 0) {
            late(run, solved != NULL, ms, err);
            return FOLLOW_LATE;
        }
        loop_once(app->loop, left < FOLLOW_TICK_MS ? left : FOLLOW_TICK_MS);
        if (tick != NULL)
            tick(data, since);
    }
    return FOLLOW_INTERRUPTED;
}

int say_followed(const struct app *app, enum followed followed, const struct error *err)
{
    static const int codes[] = {[FOLLOWED] = EXIT_OK,
                                [FOLLOW_INTERRUPTED] = EXIT_INTERRUPTED,
                                [FOLLOW_LATE] = EXIT_FAILED,
                                [FOLLOW_LOST] = EXIT_CLUSTER};
    if (followed == FOLLOW_LATE || followed == FOLLOW_LOST)
        say_error(app, err);
    return codes[followed];
}

void say_left(struct app *app, const char *lesson)
{
    struct vec entries;
    struct buf names = buf_make(2000);
    size_t count = 0;
    if (!progress_ledger_list(app->progress, session_uid(app->session), lesson, &entries, NULL))
        return;
    for (size_t i = 0; i < entries.length; i++) {
        const struct ledger_entry *entry = entries.items[i];
        bool here = entry->ns[0] == '\0' || strcmp(entry->ns, session_namespace(app->session)) == 0;
        if (here && ++count <= FOLLOW_LEFT)
            buf_printf(&names, "%s%s/%s", count > 1 ? ", " : "", entry->resource, entry->name);
    }
    if (count > FOLLOW_LEFT)
        buf_append_string(&names, ", ...");
    char *text = count > 0 ? mem_printf(_("left in the cluster: %s; kubetutor reset %s removes it"),
                                        buf_ok(&names) && names.bytes != NULL ? names.bytes : "", lesson)
                           : mem_printf(_("something may be left in namespace %s; kubetutor reset %s removes it"),
                                        session_namespace(app->session), lesson);
    if (text != NULL)
        print_safe(stderr, "kubetutor: %s\n", text);
    mem_free(text);
    buf_free(&names);
    vec_free(&entries);
}
