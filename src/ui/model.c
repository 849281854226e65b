/* model.c: what is shown, and how it reacts to the cluster and the lesson. */
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/mem.h"
#include "base/xdg.h"
#include "ui/internal.h"
#include "ui/views.h"

enum { RETRY_FIRST_MS = 2000, RETRY_MOST_MS = 30000, PAST_MAXIMUM = sizeof((struct ui){0}.past) / sizeof(bool) };

/* ---- asking the model ---- */

enum run_phase ui_phase(const struct ui *ui)
{
    return ui->run != NULL ? lesson_run_phase(ui->run) : RUN_IDLE;
}

const struct lesson_step *ui_step(const struct ui *ui)
{
    return ui->lesson->steps.items[ui->step];
}

bool ui_step_done(const struct ui *ui)
{
    enum run_phase phase = ui_phase(ui);
    return phase == RUN_PASSED || phase == RUN_READING || (ui->step < PAST_MAXIMUM && ui->past[ui->step]);
}

const char *ui_choice(const struct ui *ui)
{
    return ui->run != NULL && ui->begun ? lesson_run_choice(ui->run) : NULL;
}

int ui_hints_shown(const struct ui *ui)
{
    int shown = ui->run != NULL && ui->begun ? lesson_run_hints_shown(ui->run) : 0;
    return shown > ui->free_hints ? shown : ui->free_hints;
}

/* What was done counts where it was done; before a cluster is known, what was done anywhere. */
static bool place_known(const struct ui *ui)
{
    return ui->uid != NULL && ui->ns != NULL && ui->uid[0] != '\0' && ui->ns[0] != '\0';
}

static bool kept_as_passed(const struct ui *ui, const struct lesson *lesson, size_t step)
{
    const struct progress_key key = {.cluster = ui->uid, .ns = ui->ns, .lesson = lesson->id, .step = ((const struct lesson_step *)lesson->steps.items[step])->id};
    struct progress_step record = {0};
    bool passed = progress_get(ui->options.progress, &key, &record, NULL) && record.state == PROGRESS_PASSED;
    progress_step_free(&record);
    return passed;
}

static void recall_past(struct ui *ui)
{
    for (size_t i = 0; i < PAST_MAXIMUM; i++)
        ui->past[i] = place_known(ui) && i < ui->lesson->steps.length && kept_as_passed(ui, ui->lesson, i);
}

int ui_steps_passed(const struct ui *ui)
{
    int passed = 0;
    if (!place_known(ui))
        return ui_lesson_passed(ui, ui->lesson);
    for (size_t i = 0; i < ui->lesson->steps.length && i < PAST_MAXIMUM; i++)
        passed += ui->past[i];
    return passed;
}

bool ui_step_passed(const struct ui *ui, int step)
{
    return step < PAST_MAXIMUM && ui->past[step];
}

int ui_lesson_passed(const struct ui *ui, const struct lesson *lesson)
{
    int passed = 0, all = (int)lesson->steps.length;
    if (place_known(ui) && strcmp(lesson->id, ui->lesson->id) == 0)
        return ui_steps_passed(ui);
    if (!place_known(ui))
        passed = progress_passed_anywhere(ui->options.progress, lesson->id);
    else
        for (size_t i = 0; i < lesson->steps.length; i++)
            passed += kept_as_passed(ui, lesson, i);
    return passed < all ? passed : all;
}

void ui_stale(struct ui *ui)
{
    for (int i = 0; i < PANE_COUNT; i++)
        ui->panes[i].stale = true;
}

void ui_notice(struct ui *ui, const char *text)
{
    error_set(&ui->notice, ERROR_INPUT, NULL, "%s", text);
}

/* ---- facts of the program: where the learner is ---- */

static void remember_place(struct ui *ui)
{
    char *name = mem_printf("step:%s", ui->lesson->id);
    (void)!progress_set_fact(ui->options.progress, "", "last-lesson", ui->lesson->id, NULL);
    if (name != NULL)
        (void)!progress_set_fact(ui->options.progress, "", name, ui_step(ui)->id, NULL);
    mem_free(name);
}

static int find_step(const struct lesson *lesson, const char *id)
{
    for (size_t i = 0; id != NULL && i < lesson->steps.length; i++)
        if (strcmp(((const struct lesson_step *)lesson->steps.items[i])->id, id) == 0)
            return (int)i;
    return -1;
}

static int left_off(const struct ui *ui, const struct lesson *lesson)
{
    char *name = mem_printf("step:%s", lesson->id);
    char *id = name != NULL ? progress_fact(ui->options.progress, "", name) : NULL;
    int step = find_step(lesson, id);
    mem_free(name);
    mem_free(id);
    return step >= 0 ? step : 0;
}

/* ---- what the lesson tells ---- */

static void schedule_retry(struct ui *ui, const struct error *error)
{
    if (error->kind != ERROR_UNREACHABLE && error->kind != ERROR_TIMEOUT && error->kind != ERROR_BUSY)
        return;
    int64_t wait = (int64_t)RETRY_FIRST_MS << (ui->retries < 4 ? ui->retries : 4);
    wait = wait < RETRY_MOST_MS ? wait : RETRY_MOST_MS;
    ui->retries++;
    ui->retry_at_ms = clock_monotonic_ms() + wait;
    loop_set_timer(ui->retry, wait);
}

static void stop_retry(struct ui *ui)
{
    ui->retry_at_ms = 0;
    loop_set_timer(ui->retry, -1);
}

static void phase_changed(struct ui *ui)
{
    enum run_phase phase = ui_phase(ui);
    ui->panes[PANE_LESSON].stale = true;
    if (phase == RUN_PASSED && ui->step < PAST_MAXIMUM)
        ui->past[ui->step] = true;
    if (phase == RUN_QUESTION || phase == RUN_WORK || phase == RUN_PASSED)
        ui->anew = false;
    if (phase == RUN_FAILED)
        schedule_retry(ui, lesson_run_error(ui->run));
    else if (phase != RUN_NEEDS && phase != RUN_IDLE) {
        ui->retries = 0;
        stop_retry(ui);
    }
}

static void told(void *data, enum run_event event)
{
    struct ui *ui = data;
    if (ui->run == NULL) /* it is being made */
        return;
    if (event == RUN_EVENT_PHASE)
        phase_changed(ui);
    if (event == RUN_EVENT_OBJECTS)
        ui->panes[PANE_LIVE].stale = true;
    else
        ui->panes[PANE_CHECKS].stale = true;
    struct error warning = ERROR_INIT;
    if (progress_warning(ui->options.progress, &warning))
        ui->notice = warning;
    ui_draw_soon(ui);
}

/* ---- the run ---- */

static void fresh_step(struct ui *ui)
{
    both_free(&ui->hint);
    ui->hint = (struct both){0};
    ui->no_more_hints = false;
    ui->free_hints = 0;
    ui->selected = -1;
    ui->why_line = -1;
    ui->why_seen = false;
    ui->solving = false;
    ui->panes[PANE_LESSON].top = ui->panes[PANE_CHECKS].top = 0;
    ui_stale(ui);
}

void ui_disconnect(struct ui *ui)
{
    struct lesson_run *run = ui->run;
    ui->run = NULL;
    ui->begun = ui->solving = false;
    lesson_run_free(run);
}

static void begin(struct ui *ui, bool resume)
{
    stop_retry(ui);
    ui->begun = true;
    ui->anew = !resume;
    if (ui->anew && ui->step < PAST_MAXIMUM)
        ui->past[ui->step] = false;
    lesson_run_begin(ui->run, ui->step, resume);
}

void ui_connected(struct ui *ui)
{
    char *work = ui->options.work_folder != NULL ? ui->options.work_folder(ui->options.data, ui->lesson->id) : NULL;
    struct lesson_run_options options = {
        .client = ui->client, .progress = ui->options.progress, .cluster = ui->uid, .ns = ui->ns, .user = ui->user, .work_folder = work, .trusted = ui->options.trusted, .ledger = true,
        .tree = true, .listener = told, .data = ui,
    };
    ui_disconnect(ui);
    struct error err = ERROR_INIT;
    struct lesson_run *run = lesson_run_new(ui->loop, ui->options.course->folder, ui->lesson->id, &options, &err);
    mem_free(work);
    ui_stale(ui);
    if (run != NULL && lesson_run_lesson(run)->steps.length != ui->lesson->steps.length) { /* an author has just saved it */
        error_set(&err, ERROR_CONFLICT, NULL, "%s", _("the lesson's file was changed meanwhile; open it again from the map"));
        lesson_run_free(run);
        run = NULL;
    }
    if (run == NULL) {
        ui->notice = err;
        return;
    }
    ui->run = run;
    recall_past(ui);
    begin(ui, !ui->anew);
}

bool ui_open(struct ui *ui, const char *lesson, const char *step, struct error *err)
{
    struct lesson *loaded = lesson_load(ui->loop, ui->options.course->folder, lesson, NULL, err);
    if (loaded == NULL)
        return false;
    int index = step != NULL ? find_step(loaded, step) : left_off(ui, loaded);
    if (loaded->steps.length == 0 || index < 0) {
        error_set(err, ERROR_NOT_FOUND, NULL, _("lesson %s has no step \"%s\""), lesson, step != NULL ? step : "");
        lesson_free(loaded);
        return false;
    }
    ui_disconnect(ui);
    lesson_free(ui->lesson);
    ui->lesson = loaded;
    ui->step = index;
    ui->anew = false;
    recall_past(ui);
    fresh_step(ui);
    remember_place(ui);
    if (ui->state == UI_CLUSTER_READY)
        ui_connected(ui);
    return true;
}

void ui_go(struct ui *ui, int step)
{
    if (step < 0 || step >= (int)ui->lesson->steps.length)
        return;
    ui->step = step;
    ui->anew = false;
    fresh_step(ui);
    remember_place(ui);
    if (ui->run != NULL)
        begin(ui, true);
}

void ui_begin_again(struct ui *ui)
{
    fresh_step(ui);
    if (ui->run != NULL)
        begin(ui, false);
}

void ui_retry(struct ui *ui)
{
    stop_retry(ui);
    if (ui->state == UI_CLUSTER_FAILED) {
        ui->state = UI_CLUSTER_CONNECTING;
        ui->options.retry(ui->options.data);
    } else if (ui_phase(ui) == RUN_FAILED)
        begin(ui, !ui->anew);
    ui_stale(ui);
}

static bool copy(char **to, const char *from)
{
    char *fresh = mem_string(from != NULL ? from : "");
    if (fresh == NULL)
        return false;
    mem_free(*to);
    *to = fresh;
    return true;
}

void ui_set_cluster(struct ui *ui, const struct ui_cluster *cluster)
{
    bool copied = copy(&ui->name, cluster->name) && copy(&ui->server, cluster->server) && copy(&ui->version, cluster->version) && copy(&ui->uid, cluster->uid) &&
                  copy(&ui->ns, cluster->ns) && copy(&ui->user, cluster->user) && copy(&ui->shell, cluster->shell);
    ui->state = copied ? cluster->state : UI_CLUSTER_FAILED;
    ui->refused = ui->refused && ui->state == UI_CLUSTER_FAILED;
    ui->client = cluster->client;
    ui_stale(ui);
    if (ui->overlay == OVERLAY_CONSENT && ui->state != UI_CLUSTER_ASKING)
        overlay_close(ui);
    switch (ui->state) {
    case UI_CLUSTER_CONNECTING:
        break;
    case UI_CLUSTER_ASKING:
        ui->trouble = ERROR_INIT;
        overlay_open(ui, OVERLAY_CONSENT);
        break;
    case UI_CLUSTER_READY: {
        const struct vec *warnings = kube_client_warnings(ui->client);
        ui->trouble = ERROR_INIT;
        ui->retries = 0;
        ui->unsafe = warnings->length > 0;
        if (ui->unsafe || cluster->notice != NULL)
            ui_notice(ui, ui->unsafe ? warnings->items[0] : cluster->notice);
        ui_connected(ui);
        break;
    }
    case UI_CLUSTER_FAILED:
        ui_disconnect(ui);
        ui->trouble = cluster->error;
        if (!copied)
            error_memory(&ui->trouble);
        schedule_retry(ui, &ui->trouble);
        break;
    }
    ui_draw_soon(ui);
}

/* ---- hints and solutions ---- */

/* The next of the fixed hints, from the lesson's text. */
static void fixed_hint(struct ui *ui)
{
    int shown = ui_hints_shown(ui);
    if (text_step_block(ui_step(ui)->text[lang_get()], BLOCK_HINT, NULL, (size_t)shown) != NULL)
        ui->free_hints = shown + 1;
    else
        ui->no_more_hints = true;
}

static void hinted(void *data, const struct both *text)
{
    struct ui *ui = data;
    if (text == NULL)
        ui->no_more_hints = true;
    else if (strcmp(both_text(text), both_text(&ui->hint)) == 0) /* the mistake is still there; whoever asks again wants to hear more */
        fixed_hint(ui);
    else { /* a fixed one is found again in the lesson's text */
        both_free(&ui->hint);
        ui->hint = (struct both){.en = text->en != NULL ? mem_string(text->en) : NULL, .zh = text->zh != NULL ? mem_string(text->zh) : NULL};
    }
    ui_draw_soon(ui);
}

void ui_hint(struct ui *ui)
{
    if (ui->run != NULL && ui->begun)
        lesson_run_hint(ui->run, hinted, ui);
    else
        fixed_hint(ui);
}

static void solved(void *data, const struct error *error)
{
    struct ui *ui = data;
    ui->solving = false;
    ui->panes[PANE_CHECKS].stale = true;
    if (error != NULL)
        ui->notice = *error;
    ui_draw_soon(ui);
}

void ui_solve(struct ui *ui)
{
    enum run_phase phase = ui_phase(ui);
    if (ui->solving)
        return;
    if (ui->refused) {
        ui_notice(ui, refused_words());
        return;
    }
    if (phase != RUN_WORK && phase != RUN_VERIFY) {
        ui_notice(ui, phase == RUN_QUESTION ? _("answer the question first") : phase == RUN_PASSED ? _("this step is done already") : _("not now: the step has not begun"));
        return;
    }
    ui->solving = true;
    ui->panes[PANE_CHECKS].stale = true;
    lesson_run_solve(ui->run, solved, ui);
}

/* ---- the map ---- */

static void map_entry_free(void *item)
{
    struct map_entry_lesson *entry = item;
    mem_free(entry->id);
    lesson_free(entry->lesson);
    mem_free(entry);
}

static void map_list(struct ui *ui)
{
    const struct course *course = ui->options.course;
    ui->map = vec_make(1000, map_entry_free);
    for (size_t c = 0; c < course->chapters.length; c++) {
        const struct course_chapter *chapter = course->chapters.items[c];
        for (size_t i = 0; i < chapter->lessons.length; i++) {
            struct map_entry_lesson *entry = mem_zero(1, sizeof *entry);
            if (entry == NULL)
                return;
            entry->id = mem_string(chapter->lessons.items[i]);
            entry->chapter = chapter;
            if (entry->id == NULL) {
                mem_free(entry);
                return;
            }
            (void)!vec_push(&ui->map, entry);
        }
    }
}

void ui_load_map(struct ui *ui)
{
    if (ui->map.length == 0)
        map_list(ui);
    if (ui->map_loaded >= ui->map.length)
        return;
    struct map_entry_lesson *entry = ui->map.items[ui->map_loaded++];
    entry->lesson = lesson_load(ui->loop, ui->options.course->folder, entry->id, NULL, NULL);
    loop_set_timer(ui->map_timer, 0);
}

void ui_free_map(struct ui *ui)
{
    vec_free(&ui->map);
    ui->map_loaded = 0;
    loop_set_timer(ui->map_timer, -1);
}

/* ---- goodbye ---- */

char *ui_farewell(const struct ui *ui)
{
    struct buf text = buf_make(8000);
    if (ui->lesson == NULL)
        return NULL;
    struct safe_text title = safe_string(ui->lesson->text[lang_get()]->title), ns = safe_string(ui->ns), name = safe_string(ui->name);
    buf_printf(&text, _("%s: %d of %zu steps done.\n"), title.bytes != NULL ? title.bytes : "", ui_steps_passed(ui), ui->lesson->steps.length);
    char *path = xdg_file(XDG_STATE, "progress.db", NULL);
    if (progress_is_kept(ui->options.progress) && path != NULL)
        buf_printf(&text, _("Your progress is kept in %s.\n"), path);
    else
        buf_printf(&text, "%s\n", _("Your progress of this time is not kept: its file could not be written."));
    mem_free(path);
    buf_printf(&text, _("kubetutor brings you back to this place.\n"));
    if (ui->run != NULL)
        buf_printf(&text, _("What was made stays in namespace %s of cluster %s; kubetutor reset %s removes it.\n"), ns.bytes != NULL ? ns.bytes : "",
                   name.bytes != NULL ? name.bytes : "", ui->lesson->id);
    safe_free(&title);
    safe_free(&ns);
    safe_free(&name);
    return buf_take(&text, NULL);
}
