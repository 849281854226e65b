/* cmd_play.c: a lesson performs itself: says, does, waits, verifies. The demo, and the smoke test. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/internal.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/mem.h"
#include "report/report.h"
#include "text/safe.h"
#include "text/width.h"

enum { PLAY_SLOW_MS = 2500, PLAY_RESET_MS = 150000 };

enum pace { PACE_FAST, PACE_SLOW, PACE_KEY };

struct play {
    struct app *app;
    struct lesson_run *run;
    enum pace pace;
    int64_t step_ms;  /* the most that each part of a step may take */
    bool solved;      /* the solution has run */
    struct error error;
};

static void key_pressed(void *data, int what)
{
    struct app *app = data;
    char bytes[256];
    (void)what;
    if (read(STDIN_FILENO, bytes, sizeof bytes) >= 0)
        app->done = true;
}

/* Lets people read. */
static void pause_a_little(struct play *play)
{
    struct app *app = play->app;
    if (play->pace == PACE_FAST || app->interrupted)
        return;
    fflush(stdout);
    app->done = false;
    struct loop_event *key = NULL;
    if (play->pace == PACE_KEY) {
        fprintf(stderr, "%s", _("[Enter]"));
        key = loop_add_fd(app->loop, STDIN_FILENO, LOOP_READ, key_pressed, app);
    }
    app_wait(app, key != NULL ? -1 : PLAY_SLOW_MS);
    loop_drop(key);
}

static void say_filled(const struct play *play, const char *text)
{
    char *filled = lesson_fill(text, lesson_run_state(play->run));
    if (filled != NULL)
        print_markdown(play->app, filled, false);
    mem_free(filled);
}

static void say_blocks(const struct play *play, const struct text_step *step, enum block_kind kind, const char *id)
{
    const struct text_block *block;
    for (size_t i = 0; (block = text_step_block(step, kind, id, i)) != NULL; i++) {
        say_filled(play, block->text);
        printf("\n");
    }
}

static void say_step(struct play *play, const struct lesson_step *step)
{
    const struct text_step *text = step->text[lang_get()];
    char *heading = mem_printf("## %s", text->heading);
    printf("\n");
    if (heading != NULL)
        print_markdown(play->app, heading, false);
    mem_free(heading);
    for (size_t i = 0; i < text->blocks.length; i++) {
        const struct text_block *block = text->blocks.items[i];
        if (block->kind == BLOCK_PROSE) {
            printf("\n");
            say_filled(play, block->text);
            pause_a_little(play);
        } else if (block->kind == BLOCK_RUN) {
            char *filled = lesson_fill(block->text, lesson_run_state(play->run));
            print_safe(stdout, "\n    $ %s", filled != NULL ? filled : "");
            mem_free(filled);
        }
    }
    printf("\n");
}

/* Progress while it waits, on a terminal only: what is not yet so. */
static void show_waiting(void *data, int64_t since)
{
    const struct play *play = data;
    const struct expectation *e = first_failing(lesson_run_verdict(play->run));
    if (!isatty(STDERR_FILENO))
        return;
    if (e != NULL) {
        struct buf line = buf_make(4096), cut = buf_make(4096);
        expectation_print(e, &line);
        struct safe_text safe = safe_string(buf_ok(&line) && line.bytes != NULL ? line.bytes : "");
        width_cut(safe.bytes, safe.length, (size_t)terminal_columns() - 12, &cut);
        fprintf(stderr, "\r\033[K  … %llds %s", (long long)((clock_monotonic_ms() - since) / 1000), buf_ok(&cut) && cut.bytes != NULL ? cut.bytes : "");
        safe_free(&safe);
        buf_free(&cut);
        buf_free(&line);
        return;
    }
    fprintf(stderr, "\r\033[K  … %llds", (long long)((clock_monotonic_ms() - since) / 1000));
}

static void clear_waiting(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

/* Waits for one of these phases, or for the solution's end; what came instead is told, and its exit code returned. */
static int wait_for(struct play *play, unsigned phases, const bool *solved)
{
    struct error err = ERROR_INIT;
    enum followed followed = follow(play->app, play->run, phases, solved, play->step_ms, show_waiting, play, &err);
    clear_waiting();
    if (followed == FOLLOW_LATE && lesson_run_verdict(play->run) != NULL)
        print_verdict(play->app, lesson_run_verdict(play->run));
    return say_followed(play->app, followed, &err);
}

static void solved(void *data, const struct error *error)
{
    struct play *play = data;
    play->solved = true;
    if (error != NULL)
        play->error = *error;
}

static int broken(struct play *play)
{
    const struct error *error = lesson_run_error(play->run);
    const struct verdict *verdict = lesson_run_verdict(play->run);
    if (verdict != NULL)
        print_verdict(play->app, verdict);
    return error != NULL ? say_error(play->app, error) : EXIT_FAILED;
}

/* One step; EXIT_OK when it passed. */
static int play_step(struct play *play, int index)
{
    const struct lesson *lesson = lesson_run_lesson(play->run);
    const struct lesson_step *step = lesson->steps.items[index];
    const struct text_step *text = step->text[lang_get()];
    const unsigned ended = 1u << RUN_PASSED | 1u << RUN_FAILED | 1u << RUN_BROKEN | 1u << RUN_READING;
    play->error = ERROR_INIT;
    play->solved = false;
    lesson_run_begin(play->run, index, false);
    int code = wait_for(play, ended | 1u << RUN_QUESTION | 1u << RUN_WORK | 1u << RUN_VERIFY, NULL);
    if (code != EXIT_OK)
        return code;
    if (lesson_run_phase(play->run) == RUN_FAILED)
        return broken(play);
    say_step(play, step);
    if (lesson_run_phase(play->run) == RUN_READING) {
        printf("%s\n", _("(this server is older than the step needs: reading only)"));
        return EXIT_OK;
    }
    if (lesson_run_phase(play->run) == RUN_QUESTION) {
        for (size_t i = 0; i < step->choices.length; i++) {
            const char *id = step->choices.items[i];
            const struct text_block *choice = text_step_block(text, BLOCK_CHOICE, id, 0);
            char *line = choice != NULL ? mem_printf("- %s", choice->text) : NULL;
            if (line != NULL)
                say_filled(play, line);
            mem_free(line);
        }
        printf("\n");
        pause_a_little(play);
        lesson_run_answer(play->run, step->answer);
    }
    code = wait_for(play, ended | 1u << RUN_WORK | 1u << RUN_VERIFY, NULL);
    if (code == EXIT_OK && step->solve != 0 && lesson_run_phase(play->run) != RUN_FAILED) {
        lesson_run_solve(play->run, solved, play);
        code = wait_for(play, 0, &play->solved);
        if (play->error.kind != ERROR_NONE)
            return say_error(play->app, &play->error);
    }
    if (code == EXIT_OK)
        code = wait_for(play, ended, NULL);
    if (code != EXIT_OK)
        return code;
    if (lesson_run_phase(play->run) != RUN_PASSED)
        return broken(play);
    if (lesson_run_verdict(play->run) != NULL)
        print_verdict(play->app, lesson_run_verdict(play->run));
    printf("\n");
    if (step->answer != NULL)
        say_blocks(play, text, BLOCK_BECAUSE, step->answer);
    say_blocks(play, text, BLOCK_WHY, NULL);
    pause_a_little(play);
    return EXIT_OK;
}

static void removed_one(void *data, const char *object)
{
    (void)data;
    print_safe(stderr, _("  removed %s\n"), object);
}

static void reset_done(void *data, const struct error *error, int removed)
{
    struct play *play = data;
    (void)removed;
    if (error != NULL)
        play->error = *error;
    play->app->done = true;
}

/* Also after an interruption: what was made must not stay behind. */
static int clean_up(struct play *play)
{
    loop_clear_stop(play->app->loop);
    play->app->done = false;
    play->error = ERROR_INIT;
    lesson_run_reset(play->run, removed_one, reset_done, play);
    if (!app_wait(play->app, PLAY_RESET_MS) && play->error.kind == ERROR_NONE)
        error_set(&play->error, ERROR_TIMEOUT, NULL, _("the clean-up did not end in %d s"), PLAY_RESET_MS / 1000);
    if (play->error.kind == ERROR_NONE)
        return EXIT_OK;
    int code = say_error(play->app, &play->error);
    say_left(play->app, lesson_run_lesson(play->run)->id);
    return code;
}

static bool parse_pace(const struct app *app, enum pace *pace)
{
    const char *asked = app->values[OPTION_PACE];
    *pace = asked == NULL && isatty(STDOUT_FILENO) ? PACE_SLOW : PACE_FAST;
    if (asked == NULL)
        return true;
    static const char *const names[] = {"fast", "slow", "key"};
    for (int i = 0; i < 3; i++)
        if (strcmp(asked, names[i]) == 0) {
            *pace = (enum pace)i;
            return true;
        }
    say_usage(_("--pace is slow, fast or key, not %s"), asked);
    return false;
}

static void say_kept(const struct play *play, const char *lesson)
{
    char *text = mem_printf(_("kept in namespace %s; kubetutor reset %s removes it"), session_namespace(play->app->session), lesson);
    print_safe(stderr, "%s\n", text != NULL ? text : "");
    mem_free(text);
}

static int play_lesson(struct play *play, const char *step)
{
    struct error err = ERROR_INIT;
    const struct lesson *lesson = lesson_run_lesson(play->run);
    int only = step != NULL ? app_step(lesson, step, &err) : -1, code = EXIT_OK;
    if (err.kind != ERROR_NONE)
        return say_error(play->app, &err);
    const struct lesson_text *text = lesson->text[lang_get()];
    char *head = mem_printf("# %s\n\n%s", text->title, text->opening);
    if (head != NULL)
        print_markdown(play->app, head, false);
    mem_free(head);
    pause_a_little(play);
    for (int i = 0; i < (int)lesson->steps.length && code == EXIT_OK && !play->app->interrupted; i++)
        if (only < 0 || only == i)
            code = play_step(play, i);
    if (play->app->interrupted)
        code = EXIT_INTERRUPTED;
    if (play->app->values[OPTION_KEEP] == NULL) {
        code = report_join_codes(code, clean_up(play));
    } else if (code == EXIT_OK)
        say_kept(play, lesson->id);
    return code;
}

int command_play(struct app *app)
{
    struct error err = ERROR_INIT;
    struct lesson_name name = {0};
    struct play play = {.app = app};
    if (!parse_pace(app, &play.pace) || !step_time(app, &play.step_ms))
        return EXIT_USAGE;
    if (!lesson_name_parse(app->arguments.items[0], &name))
        error_memory(&err);
    struct lesson *known = err.kind == ERROR_NONE ? app_lesson(app, name.lesson, &err) : NULL; /* a wrong name is told before a cluster is asked */
    bool is_known = known != NULL && (name.step == NULL || app_step(known, name.step, &err) >= 0);
    lesson_free(known);
    if (is_known && app_session(app, true, &err))
        play.run = app_run(app, name.lesson, true, NULL, NULL, &err);
    int code = play.run != NULL ? play_lesson(&play, name.step) : say_error(app, &err);
    lesson_run_free(play.run);
    lesson_name_free(&name);
    return code;
}
