/* draw.c: the model as a frame. */
#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/mem.h"
#include "lesson/tree.h"
#include "text/width.h"
#include "ui/internal.h"
#include "ui/screen.h"
#include "ui/views.h"

enum { FRAME_MS = 16, DRAW_TEXT = 2000, TICK_MS = 1000, BAR_CELLS = 10, BANNER_ROWS = 2 };

/* Draws a message of ours, outside words in it made safe; returns its columns. */
__attribute__((format(printf, 5, 6))) static int put(int y, int x, int width, enum role role, const char *format, ...)
{
    char text[DRAW_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct safe_text safe = safe_string(text);
    int columns = screen_text_width(&safe);
    if (width > 0)
        screen_text(y, x, width, &safe, role);
    safe_free(&safe);
    return columns < width ? columns : width > 0 ? width : 0;
}

/* ---- lines of the panes ---- */

static bool rebuild(struct pane_state *pane, int width)
{
    size_t columns = width > 0 ? (size_t)width : 0;
    if (!pane->stale && pane->columns == columns)
        return false;
    vec_free(&pane->lines);
    pane->lines = lines_make();
    pane->columns = columns;
    pane->stale = false;
    return true;
}

static void build_lesson(struct ui *ui, int width)
{
    if (!rebuild(&ui->panes[PANE_LESSON], width))
        return;
    enum run_phase phase = ui_phase(ui);
    struct lesson_view view = {
        .lesson = ui->lesson, .step = ui->step, .state = ui->run != NULL ? lesson_run_state(ui->run) : NULL, .choice = ui_choice(ui),
        .question = phase == RUN_QUESTION, .selected = ui->selected, .passed = ui_step_done(ui), .reading = phase == RUN_READING, .columns = (size_t)width,
        .shell = ui->shell,
    };
    lesson_view_build(&ui->panes[PANE_LESSON].lines, &view, &ui->why_line);
}

/* Whether the answers stand in the text's first `height` lines: whoever scrolls changes nothing about that. */
static void note_choices(struct ui *ui, int height)
{
    const struct pane_state *pane = &ui->panes[PANE_LESSON];
    bool away = false;
    for (int i = height; i < (int)pane->lines.length; i++)
        away = away || ((const struct line *)pane->lines.items[i])->target >= 0;
    if (away != ui->choices_away)
        ui->panes[PANE_CHECKS].stale = true;
    ui->choices_away = away;
}

static void build_checks(struct ui *ui, int width)
{
    if (!rebuild(&ui->panes[PANE_CHECKS], width))
        return;
    const struct lesson_step *step = ui_step(ui);
    struct checks_view view = {
        .phase = ui_phase(ui), .connected = ui->run != NULL, .refused = ui->refused, .solving = ui->solving, .verdict = ui->run != NULL ? lesson_run_verdict(ui->run) : NULL,
        .has_check = step->check != 0, .choices = (int)step->choices.length, .columns = (size_t)width,
        .text = ui->choices_away ? step->text[lang_get()] : NULL, .state = ui->run != NULL ? lesson_run_state(ui->run) : NULL,
    };
    checks_view_build(&ui->panes[PANE_CHECKS].lines, &view);
}

static void build_live(struct ui *ui, int width)
{
    if (width <= 0 || !rebuild(&ui->panes[PANE_LIVE], width))
        return;
    struct vec *lines = &ui->panes[PANE_LIVE].lines;
    size_t count = 0;
    const struct tree_row *rows = ui->run != NULL ? lesson_tree(ui->run, &count) : NULL;
    int64_t now = clock_monotonic_ms(), ends = tree_view_build(lines, rows, count, now, (size_t)width);
    if (ends >= 0)
        loop_set_timer(ui->flash, ends - now);
    if (count == 0) {
        struct lines_shape shape = {.columns = (size_t)width, .role = ROLE_MUTED, .target = -1};
        lines_text(lines, _("What the lesson touches in the cluster appears here."), &shape);
    }
}

/* ---- the banner ---- */

static void add_countdown(struct buf *text, int64_t at_ms)
{
    int64_t left = (at_ms - clock_monotonic_ms() + TICK_MS - 1) / TICK_MS;
    if (left > 0)
        buf_printf(text, _("next try in %lld s"), (long long)left);
    else
        buf_printf(text, "%s", _("trying again…"));
}

static const struct error *banner_error(const struct ui *ui, int64_t *at_ms)
{
    if (ui->notice.kind != ERROR_NONE && ui->answers_key)
        return &ui->notice;
    const struct error *trouble = ui->run != NULL ? lesson_run_trouble(ui->run, at_ms) : NULL;
    const struct error *failure = ui->run != NULL ? lesson_run_error(ui->run) : NULL;
    if (ui->trouble.kind != ERROR_NONE || failure != NULL) {
        *at_ms = ui->retry_at_ms;
        return ui->trouble.kind != ERROR_NONE ? &ui->trouble : failure;
    }
    return trouble != NULL ? trouble : ui->notice.kind != ERROR_NONE ? &ui->notice : NULL;
}

/* What is said of an error, and what can be done about it. True if a countdown is in it. */
static bool banner_texts(const struct ui *ui, struct buf *what, struct buf *then)
{
    int64_t at_ms = 0;
    const struct error *error = banner_error(ui, &at_ms);
    if (error == NULL)
        return false;
    buf_append_string(what, error->message);
    if (error->where[0] != '\0' && strstr(error->message, error->where) == NULL && error->kind == ERROR_INPUT)
        buf_printf(what, " (%s)", error->where);
    if (error->cause[0] != '\0' && error->kind != ERROR_UNREACHABLE && strstr(error->message, error->cause) == NULL)
        buf_printf(what, ": %s", error->cause);
    if (error == &ui->notice)
        return false;
    bool own = error == &ui->trouble || (ui->run != NULL && error == lesson_run_error(ui->run));
    bool counts = !own || ui->retry_at_ms != 0 || ui->state == UI_CLUSTER_CONNECTING;
    if (counts)
        add_countdown(then, at_ms);
    if (own)
        buf_printf(then, "%s%s", counts ? " · " : "", ui->refused ? _("r: ask again") : error == &ui->trouble || counts ? _("r: try now") : _("r: begin the step again"));
    return counts;
}

/* What is to be done stands in the last row, and is never cut off. */
bool ui_banner(const struct ui *ui, struct vec *lines, size_t columns)
{
    struct buf what = buf_make(DRAW_TEXT), then = buf_make(DRAW_TEXT);
    bool counts = banner_texts(ui, &what, &then);
    struct lines_shape shape = {.columns = columns, .first = " ! ", .rest = "   ", .role = ROLE_BANNER, .prefix_role = ROLE_BANNER, .target = -1};
    if (what.length > 0)
        lines_text(lines, what.bytes, &shape);
    while (lines->length > BANNER_ROWS)
        vec_remove(lines, lines->length - 1);
    shape.first = "   ";
    if (then.length > 0)
        lines_text(lines, then.bytes, &shape);
    buf_free(&what);
    buf_free(&then);
    return counts;
}

/* ---- pieces ---- */

static void draw_pane(struct ui *ui, enum pane which, const struct rect *rect)
{
    struct pane_state *pane = &ui->panes[which];
    pane->height = rect->height;
    ui_scroll(ui, pane, 0);
    for (int i = 0; i < rect->height && pane->top + i < (int)pane->lines.length; i++) {
        const struct line *line = pane->lines.items[pane->top + i];
        if (which == PANE_LESSON && line->target >= 0 && line->target == ui->selected)
            screen_line_as(rect->y + i, rect->x, rect->width, line, ROLE_SELECTED);
        else
            screen_line(rect->y + i, rect->x, rect->width, line, false);
    }
}

void ui_scroll(struct ui *ui, struct pane_state *pane, int lines)
{
    int most = (int)pane->lines.length - pane->height;
    (void)ui;
    pane->top += lines;
    pane->top = pane->top > most ? most : pane->top;
    pane->top = pane->top < 0 ? 0 : pane->top;
}

static enum role frame_role(const struct ui *ui, enum pane pane)
{
    return ui->focus == pane ? ROLE_FOCUS : ROLE_FRAME;
}

static enum role label_role(const struct ui *ui, enum pane pane)
{
    return ui->focus == pane ? ROLE_FOCUS : ROLE_STATUS;
}

static bool unreached(const struct error *trouble)
{
    return trouble->kind == ERROR_UNREACHABLE || trouble->kind == ERROR_TIMEOUT || trouble->kind == ERROR_BUSY;
}

static struct safe_text made_safe(char *words)
{
    struct safe_text safe = safe_string(words);
    mem_free(words);
    return safe;
}

/* "cluster live v1.37.2 · ns learn" in so many columns: what a command is about to work on, the namespace, goes last. */
static struct safe_text place_words(const struct ui *ui, const char *label, const char *name, int most)
{
    const char *ns = ui->ns[0] != '\0' ? ui->ns : "-";
    struct safe_text words = made_safe(mem_printf(_(" %s%s %s · ns %s "), label, name, ui->version, ns));
    if (screen_text_width(&words) <= most)
        return words;
    safe_free(&words);
    words = made_safe(mem_printf(_(" %s · ns %s "), name, ns));
    if (screen_text_width(&words) <= most)
        return words;
    safe_free(&words);
    struct safe_text bare = made_safe(mem_printf(_(" %s · ns %s "), "", ns)), whole = safe_string(name);
    int room = most - screen_text_width(&bare);
    struct buf cut = buf_make(DRAW_TEXT);
    if (room > 1 && whole.bytes != NULL)
        width_cut(whole.bytes, whole.length, (size_t)room, &cut);
    words = made_safe(cut.length > 0 ? mem_printf(_(" %s · ns %s "), cut.bytes, ns) : mem_printf(_(" ns %s "), ns));
    buf_free(&cut);
    safe_free(&bare);
    safe_free(&whole);
    return words;
}

/* What stands at the right of the title. The caller frees. */
static struct safe_text cluster_words(const struct ui *ui, bool brief, int most)
{
    const char *name = ui->name != NULL && ui->name[0] != '\0' ? ui->name : "-", *label = brief ? "" : _("cluster ");
    if (ui->state == UI_CLUSTER_READY || ui->state == UI_CLUSTER_ASKING)
        return place_words(ui, label, name, most);
    char *words = ui->refused && ui->trouble.kind != ERROR_NONE ? mem_printf(_(" %s%s: you said no "), label, name)
                  : ui->trouble.kind != ERROR_NONE ? mem_printf(unreached(&ui->trouble) ? _(" %s%s: not reached ") : _(" %s%s: not used "), label, name)
                                                   : mem_string(_(" looking for the cluster… "));
    return made_safe(words);
}

static void draw_title(const struct ui *ui, const struct layout *l)
{
    enum role role = label_role(ui, l->wide || ui->focus != PANE_LIVE ? PANE_LESSON : PANE_LIVE);
    int end = l->wide ? l->split : l->columns, x = l->boxed ? 2 : 1, most = l->wide ? l->columns - l->split - 4 : l->columns / 2;
    struct safe_text cluster = cluster_words(ui, !l->wide, most);
    int about = screen_text_width(&cluster);
    screen_frame(0, 0, l->columns, false, FRAME_HORIZONTAL, ROLE_FRAME);
    if (!l->wide) /* the cluster stands at the right end of the same row */
        end = l->columns - (about < most ? about : most) - 1;
    screen_text(0, l->wide ? l->split + 2 : end, l->wide ? l->columns - l->split - 4 : l->columns - end - 1, &cluster, ui->trouble.kind != ERROR_NONE || ui->unsafe ? ROLE_BAD : ROLE_STATUS);
    char *words = mem_printf(_(" step %d of %zu "), ui->step + 1, ui->lesson->steps.length);
    struct safe_text step = safe_string(words);
    int step_width = screen_text_width(&step);
    x += put(0, x, 1, role, " ");
    x += put(0, x, end - x - step_width - 3, role, "%s", ui->lesson->text[lang_get()]->title);
    x += put(0, x, 1, role, " ") + 1;
    if (x + step_width < end)
        screen_text(0, x, step_width, &step, role);
    safe_free(&step);
    mem_free(words);
    safe_free(&cluster);
}

static void draw_frames(const struct ui *ui, const struct layout *l)
{
    int left = l->wide ? l->split : l->columns, bottom = l->rows - 3;
    screen_frame(l->divider, 0, left, false, FRAME_HORIZONTAL, ROLE_FRAME);
    if (!l->boxed)
        return;
    screen_frame(1, 0, l->rows - 2, true, FRAME_VERTICAL, ROLE_FRAME);
    screen_frame(1, l->columns - 1, l->rows - 2, true, FRAME_VERTICAL, ROLE_FRAME);
    screen_frame(l->banner.y + l->banner.height, l->split, bottom - 1 - l->banner.height, true, FRAME_VERTICAL, frame_role(ui, PANE_LIVE));
    screen_frame(bottom, 1, l->columns - 2, false, FRAME_HORIZONTAL, ROLE_FRAME);
    screen_frame(l->rows - 1, 1, l->columns - 2, false, FRAME_HORIZONTAL, ROLE_FRAME);
    const struct {
        int y, x;
        enum frame_piece piece;
    } corners[] = {
        {0, 0, FRAME_TOP_LEFT}, {0, l->split, l->banner.height > 0 ? FRAME_HORIZONTAL : FRAME_TOP_TEE}, {0, l->columns - 1, FRAME_TOP_RIGHT}, {l->divider, 0, FRAME_LEFT_TEE}, {l->divider, l->split, FRAME_RIGHT_TEE},
        {bottom, 0, FRAME_LEFT_TEE}, {bottom, l->split, FRAME_BOTTOM_TEE}, {bottom, l->columns - 1, FRAME_RIGHT_TEE},
        {l->rows - 1, 0, FRAME_BOTTOM_LEFT}, {l->rows - 1, l->columns - 1, FRAME_BOTTOM_RIGHT},
    };
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++)
        screen_frame(corners[i].y, corners[i].x, 1, false, corners[i].piece, ROLE_FRAME);
}

/* The line between lesson and checks says how far the step is, and that there is more text below. */
static void draw_divider(const struct ui *ui, const struct layout *l)
{
    size_t held, all;
    int x = l->boxed ? 2 : 1, end = (l->wide ? l->split : l->columns) - 1;
    enum run_phase phase = ui_phase(ui);
    checks_count(ui->run != NULL ? lesson_run_verdict(ui->run) : NULL, &held, &all);
    if (phase == RUN_PASSED)
        x += put(l->divider, x, end - x, ROLE_GOOD, "%s", _(" ✓ step done · n goes on "));
    else if (ui->run != NULL && all > 0)
        x += put(l->divider, x, end - x, label_role(ui, PANE_CHECKS), _(" checks %zu of %zu "), held, all);
    else
        x += put(l->divider, x, end - x, label_role(ui, PANE_CHECKS), "%s", _(" checks "));
    const struct pane_state *pane = &ui->panes[ui->focus == PANE_LIVE && !l->wide ? PANE_LIVE : PANE_LESSON];
    int below = (int)pane->lines.length - pane->top - pane->height;
    if (below <= 0)
        return;
    bool why = pane == &ui->panes[PANE_LESSON] && ui->why_line >= pane->top + pane->height;
    struct buf more = buf_make(200);
    buf_printf(&more, why ? _(" ▼ why (%d lines, Space) ") : _(" ▼ %d more (Space) "), below);
    struct safe_text safe = safe_string(more.bytes);
    int width = screen_text_width(&safe);
    if (x + width < end)
        screen_text(l->divider, end - width, width, &safe, why ? ROLE_GOOD : ROLE_KEY);
    safe_free(&safe);
    buf_free(&more);
}

static bool is_ascii(const char *text)
{
    while (*text != '\0' && (unsigned char)*text < 0x80)
        text++;
    return *text == '\0';
}

static void draw_status(const struct ui *ui, const struct layout *l)
{
    int y = l->status.y, x = l->status.x, end = l->status.x + l->status.width, steps = (int)ui->lesson->steps.length, passed = ui_steps_passed(ui);
    int full = steps > 0 ? BAR_CELLS * passed / steps : 0;
    if (ui->overlay != OVERLAY_NONE) {
        put(y, x, end - x, ROLE_KEY, "%s", overlay_footer(ui));
        return;
    }
    for (int i = 0; i < BAR_CELLS; i++)
        put(y, x + i, 1, i < full ? ROLE_GOOD : ROLE_MUTED, "%s", i < full ? "▓" : "░");
    x += BAR_CELLS + 1;
    x += put(y, x, end - x, ROLE_STATUS, "%d/%d ", passed, steps);
    x += put(y, x, end - x, ROLE_MUTED, "· ");
    const struct key_binding *binding;
    for (size_t i = 0; (binding = ui_binding(i)) != NULL; i++) {
        const char *label = ui_binding_label(binding), *key = ui_binding_name(binding);
        struct safe_text safe = safe_string(label != NULL ? _(label) : "");
        int width = screen_text_width(&safe);
        bool shown = label != NULL && (!ui->options.ascii || is_ascii(_(label)));
        if (shown && x + (int)strlen(key) + 1 + width <= end) {
            bool next = strcmp(key, "n") == 0 && ui_phase(ui) == RUN_PASSED;
            x += put(y, x, end - x, next ? ROLE_GOOD : ROLE_KEY, "%s ", key);
            screen_text(y, x, width, &safe, next ? ROLE_GOOD : ROLE_STATUS);
            x += width + 2;
        }
        safe_free(&safe);
    }
}

static void draw_too_small(const struct layout *l)
{
    put(0, 0, l->columns, ROLE_STRONG, _("The window is %dx%d."), l->columns, l->rows);
    if (l->rows > 1)
        put(1, 0, l->columns, ROLE_TEXT, _("kubetutor needs %dx%d."), LAYOUT_LEAST_COLUMNS, LAYOUT_LEAST_ROWS);
    if (l->rows > 2)
        put(2, 0, l->columns, ROLE_MUTED, "%s", _("Make it larger; q quits."));
}

/* Failing checks are brought into view where the pane is too low for all; a learner who reads there is not disturbed. */
static void show_failing(struct ui *ui, int height)
{
    struct pane_state *pane = &ui->panes[PANE_CHECKS];
    if (ui->focus == PANE_CHECKS || (int)pane->lines.length <= height)
        return;
    for (size_t i = 0; i < pane->lines.length; i++) {
        const struct line *line = pane->lines.items[i];
        if (line->span_count > 0 && line->spans[0].role == ROLE_BAD) {
            pane->top = (int)i;
            return;
        }
    }
    pane->top = 0;
}

static void note_why(struct ui *ui)
{
    const struct pane_state *pane = &ui->panes[PANE_LESSON];
    if (ui->why_line >= 0 && pane->height > 0 && (pane->top >= ui->why_line || pane->top + pane->height >= (int)pane->lines.length))
        ui->why_seen = true;
}

static bool draw_all(struct ui *ui)
{
    int rows, columns;
    struct vec banner = lines_make();
    screen_size(&rows, &columns);
    screen_begin();
    struct layout l = layout_compute(rows, columns, 0, 0, ui->focus);
    if (l.too_small) {
        draw_too_small(&l);
        return false;
    }
    bool counts = ui_banner(ui, &banner, (size_t)l.banner.width);
    int banner_rows = banner.length <= BANNER_ROWS ? (int)banner.length : BANNER_ROWS + 1;
    build_lesson(ui, l.panes[PANE_LESSON].width);
    l = layout_compute(rows, columns, 0, banner_rows, PANE_LESSON);
    note_choices(ui, l.panes[PANE_LESSON].height);
    build_checks(ui, l.panes[PANE_CHECKS].width);
    l = layout_compute(rows, columns, (int)ui->panes[PANE_CHECKS].lines.length, banner_rows, ui->focus);
    build_live(ui, l.panes[PANE_LIVE].width);
    draw_title(ui, &l);
    draw_frames(ui, &l);
    for (int i = 0; i < banner_rows; i++)
        screen_line_as(l.banner.y + i, l.banner.x, l.banner.width, banner.items[i], ROLE_BANNER);
    vec_free(&banner);
    show_failing(ui, l.panes[PANE_CHECKS].height);
    for (int i = 0; i < PANE_COUNT; i++)
        if (l.panes[i].height > 0 && l.panes[i].width > 0)
            draw_pane(ui, (enum pane)i, &l.panes[i]);
    note_why(ui);
    draw_divider(ui, &l);
    draw_status(ui, &l);
    if (ui->overlay != OVERLAY_NONE)
        overlay_draw(ui, &l);
    return counts;
}

/* ---- when ---- */

void ui_draw(struct ui *ui)
{
    if (!ui->opened || ui->suspended)
        return;
    bool counts = draw_all(ui);
    screen_end();
    ui->drawn_ms = clock_monotonic_ms();
    ui->frame_due = false;
    loop_set_timer(ui->frame, -1);
    loop_set_timer(ui->tick, counts ? TICK_MS : -1);
}

void ui_draw_soon(struct ui *ui)
{
    if (ui->frame_due)
        return;
    int64_t wait = ui->drawn_ms + FRAME_MS - clock_monotonic_ms();
    ui->frame_due = true;
    loop_set_timer(ui->frame, wait > 0 ? wait : 0);
}
