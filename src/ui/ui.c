/* ui.c: life and events of the screen. */
#include "ui/ui.h"

#include <signal.h>
#include <unistd.h>

#include "base/lang.h"
#include "base/mem.h"
#include "ui/internal.h"
#include "ui/screen.h"

enum { UI_EXIT_INTERRUPTED = 130 };

/* ---- events ---- */

/* Every key that waits is taken, then one frame shows what came of them. */
static void input(void *data, int what)
{
    struct ui *ui = data;
    bool gone = false;
    (void)what;
    for (int key; !ui->quit && (key = screen_key(&gone)) >= 0;)
        ui_key(ui, key);
    if (gone)
        ui_quit(ui, true);
    else if (!ui->quit)
        ui_draw(ui);
}

static void signalled(void *data, int signal_number)
{
    struct ui *ui = data;
    if (signal_number == SIGWINCH) {
        screen_resized();
            ui_draw(ui);
    } else
        ui_quit(ui, true);
}

static void frame(void *data)
{
    ui_draw(data);
}

static void tick(void *data)
{
    ui_draw(data);
}

static void flash_over(void *data)
{
    struct ui *ui = data;
    ui->panes[PANE_LIVE].stale = true;
    ui_draw_soon(ui);
}

static void retry_due(void *data)
{
    struct ui *ui = data;
    ui_retry(ui);
    ui_draw_soon(ui);
}

static void map_due(void *data)
{
    struct ui *ui = data;
    ui_load_map(ui);
    ui_draw_soon(ui);
}

/* ---- life ---- */

static bool add_timer(struct ui *ui, struct loop_event **timer, void (*fn)(void *data))
{
    *timer = loop_add_timer(ui->loop, -1, fn, ui);
    return *timer != NULL;
}

/* Before curses, which then leaves these signals to us. */
static bool add_events(struct ui *ui)
{
    static const int numbers[] = {SIGWINCH, SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if ((ui->signals[i] = loop_add_signal(ui->loop, numbers[i], signalled, ui)) == NULL)
            return false;
    return add_timer(ui, &ui->frame, frame) && add_timer(ui, &ui->tick, tick) && add_timer(ui, &ui->retry, retry_due) && add_timer(ui, &ui->flash, flash_over) &&
           add_timer(ui, &ui->map_timer, map_due);
}

/* The lesson asked for, else the one of last time if it is still there, else the course's first. */
static bool open_first(struct ui *ui, struct error *err)
{
    if (ui->options.lesson != NULL)
        return ui_open(ui, ui->options.lesson, ui->options.step, err);
    char *last = progress_fact(ui->options.progress, "", "last-lesson");
    bool ok = last != NULL && ui_open(ui, last, NULL, NULL);
    mem_free(last);
    const struct vec *chapters = &ui->options.course->chapters;
    const struct course_chapter *chapter = chapters->length > 0 ? chapters->items[0] : NULL;
    if (ok)
        return true;
    if (chapter == NULL || chapter->lessons.length == 0)
        return error_set(err, ERROR_INPUT, ui->options.course->folder, "%s", _("this course has no lessons"));
    return ui_open(ui, chapter->lessons.items[0], NULL, err);
}

struct ui *ui_new(const struct ui_options *options, struct error *err)
{
    struct ui *ui = mem_zero(1, sizeof *ui);
    if (ui == NULL) {
        error_memory(err);
        return NULL;
    }
    ui->options = *options;
    ui->loop = options->loop;
    ui->state = UI_CLUSTER_CONNECTING;
    ui->selected = ui->why_line = -1;
    if (options->warning != NULL)
        ui->notice = *options->warning;
    if (!add_events(ui))
        error_memory(err);
    else if (open_first(ui, err) && screen_open(options->colour, options->ascii, err)) {
        ui->opened = true;
        ui->input = loop_add_fd(ui->loop, STDIN_FILENO, LOOP_READ, input, ui);
        if (ui->input != NULL) {
            ui_draw(ui);
            return ui;
        }
        error_memory(err);
    }
    ui_free(ui, NULL);
    return NULL;
}

int ui_run(struct ui *ui)
{
    loop_run(ui->loop);
    return ui->quit && !ui->interrupted ? 0 : UI_EXIT_INTERRUPTED;
}

void ui_suspend(struct ui *ui, bool suspended)
{
    ui->suspended = suspended;
    loop_set_fd(ui->input, suspended ? 0 : LOOP_READ);
    screen_suspend(suspended);
    ui_draw(ui);
}

void ui_free(struct ui *ui, char **farewell)
{
    if (farewell != NULL)
        *farewell = NULL;
    if (ui == NULL)
        return;
    if (farewell != NULL)
        *farewell = ui_farewell(ui);
    if (ui->opened)
        screen_close();
    ui_disconnect(ui);
    lesson_free(ui->lesson);
    vec_free(&ui->map);
    for (int i = 0; i < PANE_COUNT; i++)
        vec_free(&ui->panes[i].lines);
    struct loop_event *const events[] = {ui->input, ui->frame, ui->tick, ui->retry, ui->flash, ui->map_timer,
                                         ui->signals[0], ui->signals[1], ui->signals[2], ui->signals[3]};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        loop_drop(events[i]);
    both_free(&ui->hint);
    char *const owned[] = {ui->name, ui->server, ui->version, ui->uid, ui->ns, ui->user, ui->shell};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        mem_free(owned[i]);
    mem_free(ui);
}
