/* keys.c: the key table, and what its keys do in the panes. Overlays have their own few (overlay.c). */
#include <string.h>

#include "base/lang.h"
#include "ui/internal.h"
#include "ui/screen.h"
#include "ui/views.h"

enum { CTRL_C = 3, CTRL_L = 12, CTRL_Z = 26, MANY = 1 << 20, CHOICES_BY_DIGIT = 9 };

struct key_binding {
    int key, other; /* other: a second key that does the same, 0: none */
    const char *name;
    void (*act)(struct ui *ui, int key);
    const char *help;  /* message id */
    const char *label; /* for the status line, in order of the table; NULL: not there */
};

/* ---- steps ---- */

void ui_quit(struct ui *ui, bool interrupted)
{
    ui->quit = true;
    ui->interrupted = interrupted;
    loop_stop(ui->loop);
}

void ui_next_step(struct ui *ui)
{
    if (ui->step + 1 < (int)ui->lesson->steps.length)
        ui_go(ui, ui->step + 1);
    else
        overlay_open(ui, OVERLAY_END);
}

/* Goes on; but what comes after the deed is read first. */
static void next(struct ui *ui, int key)
{
    (void)key;
    if (ui->run != NULL && !ui_step_done(ui)) {
        overlay_open(ui, OVERLAY_SKIP);
        return;
    }
    if (ui->why_line >= 0 && !ui->why_seen) {
        struct pane_state *pane = &ui->panes[PANE_LESSON];
        ui_scroll(ui, pane, ui->why_line - pane->top);
        ui->why_seen = true;
        return;
    }
    ui_next_step(ui);
}

static void back(struct ui *ui, int key)
{
    (void)key;
    if (ui->step > 0)
        ui_go(ui, ui->step - 1);
    else
        ui_notice(ui, _("this is the lesson's first step; m shows the other lessons"));
}

static void hint(struct ui *ui, int key)
{
    (void)key;
    overlay_open(ui, OVERLAY_HINT);
    ui_hint(ui);
}

static void solution(struct ui *ui, int key)
{
    (void)key;
    overlay_open(ui, OVERLAY_SOLUTION);
}

static void again(struct ui *ui, int key)
{
    (void)key;
    enum run_phase phase = ui_phase(ui);
    if (ui->state == UI_CLUSTER_FAILED || ui->retry_at_ms != 0)
        ui_retry(ui);
    else if (ui->run == NULL)
        ui_notice(ui, _("the step begins when the cluster answers"));
    else if (phase == RUN_FAILED || phase == RUN_BROKEN)
        ui_begin_again(ui);
    else
        overlay_open(ui, OVERLAY_RESTART);
}

static void why(struct ui *ui, int key)
{
    (void)key;
    overlay_open(ui, OVERLAY_WHY);
}

static void map(struct ui *ui, int key)
{
    (void)key;
    overlay_open(ui, OVERLAY_MAP);
}

static void help(struct ui *ui, int key)
{
    (void)key;
    overlay_open(ui, OVERLAY_HELP);
}

static void language(struct ui *ui, int key)
{
    (void)key;
    lang_set(lang_get() == LANG_EN ? LANG_ZH : LANG_EN);
    (void)!progress_set_fact(ui->options.progress, "", "lang", lang_name(lang_get()), NULL);
    if (ui->run != NULL)
        lesson_run_reword(ui->run);
    ui_stale(ui);
}

/* True if something that cannot be done again is under way. */
static bool would_lose(const struct ui *ui)
{
    return ui->solving || ui_phase(ui) == RUN_SETUP || !progress_is_kept(ui->options.progress);
}

static void quit(struct ui *ui, int key)
{
    (void)key;
    if (would_lose(ui) && ui->overlay != OVERLAY_QUIT)
        overlay_open(ui, OVERLAY_QUIT);
    else
        ui_quit(ui, false);
}

static void redraw(struct ui *ui, int key)
{
    (void)ui;
    (void)key;
    screen_forget();
}

static void stop(struct ui *ui, int key)
{
    (void)ui;
    (void)key;
    screen_stop();
}

/* ---- moving ---- */

static void focus(struct ui *ui, int key)
{
    unsigned by = key == KEY_CODE_BACK_TAB ? PANE_COUNT - 1 : 1;
    ui->focus = (enum pane)((ui->focus + by) % PANE_COUNT);
}

/* The lines of a choice that are in view: their number, or 0. */
static int choice_in_view(const struct pane_state *pane, int choice)
{
    int lines = 0;
    for (int i = pane->top; i < pane->top + pane->height && i < (int)pane->lines.length; i++)
        lines += ((const struct line *)pane->lines.items[i])->target == choice;
    return lines;
}

static void show_choice(struct ui *ui, int choice)
{
    struct pane_state *pane = &ui->panes[PANE_LESSON];
    int first = -1, last = -1;
    for (int i = 0; i < (int)pane->lines.length; i++)
        if (((const struct line *)pane->lines.items[i])->target == choice) {
            first = first < 0 ? i : first;
            last = i;
        }
    if (last >= pane->top + pane->height)
        ui_scroll(ui, pane, last - pane->top - pane->height + 1);
    if (first >= 0 && first < pane->top)
        ui_scroll(ui, pane, first - pane->top);
}

/* An open question whose answers are in view takes the arrows. */
static bool select_choice(struct ui *ui, int by)
{
    int choices = (int)ui_step(ui)->choices.length, wanted = ui->selected < 0 && by > 0 ? 0 : ui->selected + by;
    if (ui->focus != PANE_LESSON || ui_phase(ui) != RUN_QUESTION || wanted < 0 || wanted >= choices)
        return false;
    if (choice_in_view(&ui->panes[PANE_LESSON], wanted) == 0 && (ui->selected < 0 || choice_in_view(&ui->panes[PANE_LESSON], ui->selected) == 0))
        return false;
    ui->selected = wanted;
    ui->panes[PANE_LESSON].stale = true;
    show_choice(ui, wanted);
    return true;
}

static void arrow(struct ui *ui, int key)
{
    int by = key == KEY_CODE_DOWN || key == 'j' ? 1 : -1;
    if ((key == 'j' || key == 'k') || !select_choice(ui, by))
        ui_scroll(ui, &ui->panes[ui->focus], by);
}

static void page(struct ui *ui, int key)
{
    struct pane_state *pane = &ui->panes[ui->focus];
    int by = pane->height > 2 ? pane->height - 2 : 1;
    ui_scroll(ui, pane, key == KEY_CODE_PAGE_UP ? -by : by);
}

static void ends(struct ui *ui, int key)
{
    ui_scroll(ui, &ui->panes[ui->focus], key == KEY_CODE_HOME || key == 'g' ? -MANY : MANY);
}

static void answer(struct ui *ui, int choice)
{
    if (ui->run == NULL && ui_step(ui)->choices.length > 0)
        ui_notice(ui, ui->refused ? refused_words() : _("the step begins when the cluster answers"));
    const struct text_block *block = choice >= 0 ? text_step_block(ui_step(ui)->text[lang_get()], BLOCK_CHOICE, NULL, (size_t)choice) : NULL;
    if (block != NULL && ui_phase(ui) == RUN_QUESTION)
        lesson_run_answer(ui->run, block->id);
}

static void enter(struct ui *ui, int key)
{
    (void)key;
    answer(ui, ui->selected);
}

static void digit(struct ui *ui, int key)
{
    answer(ui, key - '1');
}

/* ---- the table ---- */

static const struct key_binding bindings[] = {
    {'n', 0, "n", next, N_("go on: to the why, the next step, the next lesson"), N_("next")},
    {'h', 0, "h", hint, N_("a hint; each time a more exact one"), N_("hint")},
    {'s', 'S', "s", solution, N_("the solution of this step"), N_("solution")},
    {'?', 0, "?", help, N_("these keys"), N_("keys")},
    {'q', CTRL_C, "q", quit, N_("quit; your place is kept"), N_("quit")},
    {'L', 0, "L", language, N_("中文 / English"), N_("中文")},
    {'\t', KEY_CODE_BACK_TAB, "Tab", focus, N_("lesson, checks, live objects: the next pane"), N_("pane")},
    {'m', 0, "m", map, N_("the map: chapters and lessons, to jump"), N_("map")},
    {'w', 0, "w", why, N_("why a check does not hold, in full"), N_("why")},
    {'b', 0, "b", back, N_("back to the step before"), N_("back")},
    {'r', 0, "r", again, N_("begin the step again; without a cluster: try to reach it now"), N_("again")},
    {'1', 0, "1..9", digit, N_("answer the step's question"), NULL},
    {KEY_CODE_ENTER, 0, "Enter", enter, N_("answer with the choice under the cursor"), NULL},
    {KEY_CODE_UP, KEY_CODE_DOWN, "↑ ↓", arrow, N_("choose an answer, or scroll"), NULL},
    {'k', 'j', "k j", arrow, N_("scroll a line"), NULL},
    {KEY_CODE_PAGE_UP, KEY_CODE_PAGE_DOWN, "PgUp PgDn", page, N_("scroll a page"), NULL},
    {' ', 0, "Space", page, N_("scroll a page down"), NULL},
    {KEY_CODE_HOME, KEY_CODE_END, "Home End", ends, N_("to the top, to the end"), NULL},
    {'g', 'G', "g G", ends, N_("to the top, to the end"), NULL},
    {CTRL_L, 0, "Ctrl-L", redraw, N_("draw the screen anew"), NULL},
    {CTRL_Z, 0, "Ctrl-Z", stop, N_("stop kubetutor; fg brings it back"), NULL},
};
enum { BINDINGS = sizeof bindings / sizeof *bindings };

const struct key_binding *ui_binding(size_t index)
{
    return index < BINDINGS ? &bindings[index] : NULL;
}

const char *ui_binding_name(const struct key_binding *binding)
{
    return binding->name;
}

const char *ui_binding_help(const struct key_binding *binding)
{
    return binding->help;
}

const char *ui_binding_label(const struct key_binding *binding)
{
    return binding->label;
}

static void pane_key(struct ui *ui, int key)
{
    int first = key >= '1' && key < '1' + CHOICES_BY_DIGIT ? '1' : key;
    for (size_t i = 0; i < BINDINGS; i++)
        if (bindings[i].key == first || (bindings[i].other != 0 && bindings[i].other == first)) {
            bindings[i].act(ui, key);
            return;
        }
}

void ui_key(struct ui *ui, int key)
{
    bool small;
    int rows, columns;
    screen_size(&rows, &columns);
    small = layout_compute(rows, columns, 0, 0, ui->focus).too_small;
    ui->notice = ERROR_INIT;
    ui->answers_key = true;
    if (key == CTRL_L || key == CTRL_Z)
        pane_key(ui, key);
    else if (key == CTRL_C || (small && key == 'q'))
        quit(ui, key);
    else if (small)
        return; /* what is not seen is not done */
    else if (ui->overlay != OVERLAY_NONE)
        overlay_key(ui, key);
    else
        pane_key(ui, key);
}
