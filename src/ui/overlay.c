/* overlay.c: boxes above the panes: help, map, hints, solution, why, and questions. */
#include <dirent.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "ui/internal.h"
#include "ui/screen.h"
#include "ui/views.h"

enum { OVERLAY_WIDEST = 78, OVERLAY_FILE = 65536, OVERLAY_FRAME = 4 };

struct overlay_kind {
    const char *title, *footer; /* message ids */
    void (*build)(struct ui *ui, struct vec *lines, size_t columns);
    bool (*key)(struct ui *ui, int key); /* true: it was one of its own */
    bool closes;                         /* Esc, q and Enter close it */
    bool low;                            /* stands at the bottom, so that the lesson's text stays readable */
    const char *(*footer_now)(const struct ui *ui); /* a message id, where it depends; NULL: footer */
};

static struct lines_shape shape_of(size_t columns, enum role role)
{
    return (struct lines_shape){.columns = columns, .role = role, .prefix_role = role, .target = -1};
}

static void say(struct vec *lines, size_t columns, enum role role, const char *words)
{
    struct lines_shape shape = shape_of(columns, role);
    lines_text(lines, words, &shape);
}

/* ---- help ---- */

static void build_help(struct ui *ui, struct vec *lines, size_t columns)
{
    const struct key_binding *binding;
    (void)ui;
    for (size_t i = 0; (binding = ui_binding(i)) != NULL; i++) {
        const char *name = ui_binding_name(binding);
        int letters = 0;
        for (const char *c = name; *c != '\0'; c++)
            letters += ((unsigned char)*c & 0xc0) != 0x80;
        char *first = mem_printf("%s%*s", name, letters < 11 ? 11 - letters : 1, "");
        struct lines_shape shape = {.columns = columns, .first = first, .rest = "           ", .role = ROLE_TEXT, .prefix_role = ROLE_KEY, .target = -1};
        lines_text(lines, _(ui_binding_help(binding)), &shape);
        mem_free(first);
    }
}

/* ---- map ---- */

/* The levels that a lesson may have, for the catalogue. */
static const char *const levels[] = {N_("beginner"), N_("intermediate"), N_("advanced")};

static const char *level_words(const char *level)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcmp(levels[i], level) == 0)
            return _(levels[i]);
    return level;
}

static void build_map(struct ui *ui, struct vec *lines, size_t columns)
{
    const struct course_chapter *chapter = NULL;
    for (size_t i = 0; i < ui->map.length; i++) {
        const struct map_entry_lesson *entry = ui->map.items[i];
        if (entry->chapter != chapter) {
            chapter = entry->chapter;
            lines_blank(lines);
            say(lines, columns, ROLE_HEADING, both_text(&chapter->title));
        }
        bool here = strcmp(entry->id, ui->lesson->id) == 0;
        size_t steps = entry->lesson != NULL ? entry->lesson->steps.length : 0;
        int passed = entry->lesson != NULL ? ui_lesson_passed(ui, entry->lesson) : 0;
        bool all = steps > 0 && passed >= (int)steps;
        char *text = entry->lesson != NULL ? mem_printf(_("%s · %d of %zu · %d min · %s"), entry->lesson->text[lang_get()]->title, passed, steps,
                                                        entry->lesson->minutes, level_words(entry->lesson->level))
                                           : mem_string(entry->id);
        struct lines_shape shape = {.columns = columns, .first = all ? " ✓ " : here ? " ▸ " : "   ", .rest = "     ", .role = ROLE_TEXT,
                                    .prefix_role = all ? ROLE_GOOD : ROLE_KEY, .target = (int)i};
        if (text != NULL)
            lines_text(lines, text, &shape);
        mem_free(text);
    }
}

static bool key_map(struct ui *ui, int key)
{
    int length = (int)ui->map.length;
    if (key == KEY_CODE_UP || key == 'k')
        ui->overlay_selected -= ui->overlay_selected > 0;
    else if (key == KEY_CODE_DOWN || key == 'j')
        ui->overlay_selected += ui->overlay_selected + 1 < length;
    else if (key == KEY_CODE_ENTER && ui->overlay_selected < length) {
        const struct map_entry_lesson *entry = ui->map.items[ui->overlay_selected];
        char *id = mem_string(entry->id);
        struct error err = ERROR_INIT;
        overlay_close(ui);
        if (id != NULL && (ui->run == NULL || strcmp(id, ui->lesson->id) != 0) && !ui_open(ui, id, NULL, &err))
            ui->notice = err;
        mem_free(id);
    } else
        return false;
    return true;
}

/* ---- hints ---- */

static const char question_words[] = N_("This step asks a question; look, and answer it. Any answer goes on.");

static bool only_a_question(const struct ui *ui)
{
    return ui_step(ui)->check == 0 && ui_step(ui)->choices.length > 0;
}

/* True if one of the fixed hints was not given yet. */
static bool more_hints(const struct ui *ui)
{
    return !ui->no_more_hints && text_step_block(ui_step(ui)->text[lang_get()], BLOCK_HINT, NULL, (size_t)ui_hints_shown(ui)) != NULL;
}

static void add_hint(struct ui *ui, struct vec *lines, size_t columns, const char *label, const char *text)
{
    struct lines_shape shape = shape_of(columns, ROLE_TEXT);
    char *filled = ui->run != NULL ? lesson_fill(text, lesson_run_state(ui->run)) : mem_string(text);
    lines_blank(lines);
    say(lines, columns, ROLE_HEADING, label);
    if (filled != NULL)
        lines_markdown(lines, filled, &shape);
    mem_free(filled);
}

static void build_hint(struct ui *ui, struct vec *lines, size_t columns)
{
    const struct text_step *text = ui_step(ui)->text[lang_get()];
    const struct text_block *block;
    const char *seen = both_text(&ui->hint);
    int shown = ui_hints_shown(ui);
    bool fixed = false; /* the last one given stands in the lesson's text */
    for (int i = 0; i < shown && (block = text_step_block(text, BLOCK_HINT, NULL, (size_t)i)) != NULL; i++) {
        char *label = mem_printf(_("Hint %d"), i + 1), *filled = ui->run != NULL ? lesson_fill(block->text, lesson_run_state(ui->run)) : NULL;
        add_hint(ui, lines, columns, label != NULL ? label : "", block->text);
        fixed = fixed || (filled != NULL && strcmp(filled, seen) == 0);
        mem_free(label);
        mem_free(filled);
    }
    if (!fixed && seen[0] != '\0')
        add_hint(ui, lines, columns, _("About what you have now"), seen);
    bool none = shown == 0 && seen[0] == '\0';
    if (ui->no_more_hints || (!none && !more_hints(ui))) {
        lines_blank(lines);
        say(lines, columns, ROLE_MUTED, !none ? _("These are all the hints. s shows the solution.") : only_a_question(ui) ? _(question_words) : _("This step has no hints. s shows the solution."));
    }
}

static const char *footer_hint(const struct ui *ui)
{
    return more_hints(ui) ? N_("h: one more · s: the solution · Esc: close") : N_("s: the solution · Esc: close");
}

static bool key_hint(struct ui *ui, int key)
{
    if (key == 's')
        overlay_open(ui, OVERLAY_SOLUTION);
    else if (key == 'h') {
        ui_hint(ui);
        ui->overlay_top = LINES_MAXIMUM; /* the newest is the last */
    } else
        return false;
    return true;
}

/* ---- solution ---- */

static bool step_names(const struct text_step *text, const char *file)
{
    for (size_t i = 0; i < text->blocks.length; i++) {
        const struct text_block *block = text->blocks.items[i];
        if (strstr(block->text, file) != NULL || strcmp(block->id, file) == 0)
            return true;
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The names of the files in both solution/ and files/, sorted. solution/ holds wrong states for tests as well: a solution is one that has the name of a file
 * which the learner was given. */
static struct vec solution_names(const struct lesson *lesson)
{
    struct vec names = vec_make(100, mem_free);
    char *solutions = file_join(lesson->folder, "solution"), *given = file_join(lesson->folder, "files");
    DIR *folder = solutions != NULL && given != NULL ? opendir(solutions) : NULL;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char *other = file_join(given, entry->d_name);
        if (other != NULL && entry->d_name[0] != '.' && file_exists(other))
            (void)!vec_push_string(&names, entry->d_name);
        mem_free(other);
    }
    if (folder != NULL)
        closedir(folder);
    mem_free(solutions);
    mem_free(given);
    vec_sort(&names, by_name);
    return names;
}

static bool add_files(struct ui *ui, struct vec *lines, size_t columns)
{
    const struct text_step *text = ui_step(ui)->text[lang_get()];
    struct vec names = solution_names(ui->lesson);
    bool any = false;
    for (size_t i = 0; i < names.length; i++) {
        const char *name = names.items[i];
        char *path = mem_printf("solution/%s", name);
        char *bytes = path != NULL && step_names(text, name) ? file_read_below(ui->lesson->folder, path, OVERLAY_FILE, NULL, NULL) : NULL;
        struct lines_shape shape = {.columns = columns, .first = "  ", .rest = "  ", .role = ROLE_CODE, .prefix_role = ROLE_MUTED, .target = -1, .wrap = true};
        if (bytes != NULL) {
            any = true;
            lines_blank(lines);
            say(lines, columns, ROLE_HEADING, name);
            lines_code(lines, bytes, &shape);
        }
        mem_free(bytes);
        mem_free(path);
    }
    vec_free(&names);
    return any;
}

/* True if Markdown is a command and nothing else: a code block, or one code span. */
static bool is_command(const char *markdown)
{
    const char *start = markdown + strspn(markdown, " \n");
    size_t length = strlen(start);
    while (length > 0 && strchr(" \n", start[length - 1]) != NULL)
        length--;
    return length > 2 && start[0] == '`' && (strncmp(start, "```", 3) == 0 || memchr(start + 1, '`', length - 1) == start + length - 1);
}

static void build_solution(struct ui *ui, struct vec *lines, size_t columns)
{
    const struct lesson_step *step = ui_step(ui);
    const struct text_step *text = step->text[lang_get()];
    const struct text_block *last = NULL, *block;
    if (step->check == 0) {
        say(lines, columns, ROLE_TEXT, only_a_question(ui) ? _(question_words) : _("There is nothing to do in this step."));
        return;
    }
    for (size_t i = 0; (block = text_step_block(text, BLOCK_HINT, NULL, i)) != NULL; i++)
        last = block; /* hints go from vague to exact */
    bool told = last != NULL && is_command(last->text);
    if (!told && step->solve != 0) /* what follows is not all of it */
        say(lines, columns, ROLE_STRONG, _("Press S and kubetutor does it for you."));
    if (last != NULL)
        add_hint(ui, lines, columns, _("The last hint"), last->text);
    add_files(ui, lines, columns);
    lines_blank(lines);
    if (told || step->solve == 0)
        say(lines, columns, ROLE_TEXT, step->solve != 0 ? _("Press S and kubetutor does it for you.") : _("kubetutor cannot do this step for you."));
}

static bool key_solution(struct ui *ui, int key)
{
    if (key != 'S')
        return false;
    if (ui_step(ui)->solve == 0) /* the box says so */
        return true;
    overlay_close(ui);
    ui_solve(ui);
    return true;
}

static const char *footer_solution(const struct ui *ui)
{
    return ui_step(ui)->solve != 0 ? N_("S: do it for me · Esc: close") : N_("Esc: close");
}

/* ---- why ---- */

static void build_why(struct ui *ui, struct vec *lines, size_t columns)
{
    why_view_build(lines, ui->run != NULL ? lesson_run_verdict(ui->run) : NULL, columns);
}

/* ---- questions ---- */

static void build_consent(struct ui *ui, struct vec *lines, size_t columns)
{
    char *where = mem_printf(_("kubetutor would like to create things in cluster %s (%s, %s), in a namespace for learning."), ui->name, ui->server, ui->version);
    say(lines, columns, ROLE_TEXT, where != NULL ? where : "");
    lines_blank(lines);
    say(lines, columns, ROLE_STRONG, _("Is this a cluster for learning?"));
    lines_blank(lines);
    say(lines, columns, ROLE_TEXT, _("y: yes, go on · n: no, change nothing there"));
    mem_free(where);
}

static bool key_consent(struct ui *ui, int key)
{
    if (key == 'q')
        ui_quit(ui, false);
    else if (key == 'y' || key == 'Y' || key == 'n' || key == 'N') {
        overlay_close(ui);
        ui->state = UI_CLUSTER_CONNECTING;
        ui->refused = key == 'n' || key == 'N';
        ui->options.consent(ui->options.data, key == 'y' || key == 'Y');
    } else if (key == 'L') {
        lang_set(lang_get() == LANG_EN ? LANG_ZH : LANG_EN);
        ui_stale(ui);
    } else
        return false;
    return true;
}

static void build_restart(struct ui *ui, struct vec *lines, size_t columns)
{
    (void)ui;
    say(lines, columns, ROLE_TEXT, _("Begin this step again? Its starting state is made anew; your answer and hints of this step are forgotten."));
}

static bool key_restart(struct ui *ui, int key)
{
    if (key != KEY_CODE_ENTER && key != 'r' && key != 'y')
        return false;
    overlay_close(ui);
    ui_begin_again(ui);
    return true;
}

static void build_skip(struct ui *ui, struct vec *lines, size_t columns)
{
    say(lines, columns, ROLE_TEXT, ui_phase(ui) == RUN_QUESTION ? _("The question of this step is not answered yet.") : _("This step is not done yet; h gives a hint."));
    lines_blank(lines);
    say(lines, columns, ROLE_TEXT, _("n: go on all the same · Esc: stay"));
}

static bool key_skip(struct ui *ui, int key)
{
    if (key != 'n' && key != 'h')
        return false;
    overlay_close(ui);
    if (key == 'n')
        ui_next_step(ui);
    else {
        overlay_open(ui, OVERLAY_HINT);
        ui_hint(ui);
    }
    return true;
}

/* Which steps are left, by their headings. */
static void add_undone(const struct ui *ui, struct vec *lines, size_t columns)
{
    int known = 0;
    for (int i = 0; i < (int)ui->lesson->steps.length; i++)
        known += ui_step_passed(ui, i);
    if (known != ui_steps_passed(ui)) /* done somewhere else: which ones they were is not known here */
        return;
    say(lines, columns, ROLE_TEXT, _("Not done yet:"));
    for (int i = 0; i < (int)ui->lesson->steps.length; i++) {
        const struct lesson_step *step = ui->lesson->steps.items[i];
        char *first = mem_printf("  %d ", i + 1);
        struct lines_shape shape = {.columns = columns, .first = first, .rest = "    ", .role = ROLE_TEXT, .prefix_role = ROLE_MUTED, .target = -1};
        if (ui_step_passed(ui, i) || first == NULL) {
            mem_free(first);
            continue;
        }
        lines_text(lines, step->text[lang_get()]->heading, &shape);
        mem_free(first);
    }
}

static void build_end(struct ui *ui, struct vec *lines, size_t columns)
{
    const char *next = course_next(ui->options.course, ui->lesson->id);
    int passed = ui_steps_passed(ui), all = (int)ui->lesson->steps.length;
    const char *title = ui->lesson->text[lang_get()]->title;
    char *said = passed >= all ? mem_printf(_("You have done every step of \"%s\"."), title)
                               : mem_printf(_("That was the last step of \"%s\"; %d of %d are done."), title, passed, all);
    say(lines, columns, passed >= all ? ROLE_GOOD : ROLE_TEXT, said != NULL ? said : "");
    mem_free(said);
    if (passed < all)
        add_undone(ui, lines, columns);
    lines_blank(lines);
    char *kept = ui->run != NULL ? mem_printf(_("What it made stays in namespace %s until kubetutor reset %s removes it."), ui->ns, ui->lesson->id) : NULL;
    if (kept != NULL)
        say(lines, columns, ROLE_MUTED, kept);
    mem_free(kept);
    lines_blank(lines);
    say(lines, columns, ROLE_TEXT, next != NULL ? _("n: the next lesson · m: the map · q: quit · Esc: stay") : _("This was the last lesson of the course. m: the map · q: quit · Esc: stay"));
}

static bool key_end(struct ui *ui, int key)
{
    const char *next = course_next(ui->options.course, ui->lesson->id);
    struct error err = ERROR_INIT;
    if (key == 'q')
        ui_quit(ui, false);
    else if (key == 'm')
        overlay_open(ui, OVERLAY_MAP);
    else if (key == 'n' && next != NULL) {
        overlay_close(ui);
        if (!ui_open(ui, next, NULL, &err))
            ui->notice = err;
    } else
        return false;
    return true;
}

static void build_quit(struct ui *ui, struct vec *lines, size_t columns)
{
    if (ui->solving || ui_phase(ui) == RUN_SETUP)
        say(lines, columns, ROLE_TEXT, _("kubetutor is making things in the cluster right now; they would be left half done."));
    if (!progress_is_kept(ui->options.progress))
        say(lines, columns, ROLE_TEXT, _("Your progress of this time would be lost: its file cannot be written."));
    lines_blank(lines);
    say(lines, columns, ROLE_TEXT, _("q: quit all the same · Esc: stay"));
}

static bool key_quit(struct ui *ui, int key)
{
    if (key != 'q' && key != 'y')
        return false;
    ui_quit(ui, false);
    return true;
}

/* ---- the table ---- */

static const struct overlay_kind kinds[OVERLAY_COUNT] = {
    [OVERLAY_HELP] = {N_("Keys"), N_("Esc: close"), build_help, NULL, true, false, NULL},
    [OVERLAY_MAP] = {N_("Map"), N_("arrows: choose · Enter: go there · Esc: close"), build_map, key_map, true, false, NULL},
    [OVERLAY_HINT] = {N_("Hints"), NULL, build_hint, key_hint, true, true, footer_hint},
    [OVERLAY_SOLUTION] = {N_("Solution"), NULL, build_solution, key_solution, true, true, footer_solution},
    [OVERLAY_WHY] = {N_("Why"), N_("Esc: close"), build_why, NULL, true, false, NULL},
    [OVERLAY_CONSENT] = {N_("May I?"), N_("y: yes · n: no · q: quit"), build_consent, key_consent, false, true, NULL},
    [OVERLAY_RESTART] = {N_("Again"), N_("Enter: begin again · Esc: stay"), build_restart, key_restart, true, true, NULL},
    [OVERLAY_SKIP] = {N_("Not done yet"), N_("n: go on · h: a hint · Esc: stay"), build_skip, key_skip, true, true, NULL},
    [OVERLAY_END] = {N_("The end of the lesson"), N_("m: map · q: quit · Esc: stay"), build_end, key_end, true, true, NULL},
    [OVERLAY_QUIT] = {N_("Quit?"), N_("q: quit · Esc: stay"), build_quit, key_quit, true, true, NULL},
};

const char *overlay_footer(const struct ui *ui)
{
    const struct overlay_kind *kind = &kinds[ui->overlay];
    return _(kind->footer_now != NULL ? kind->footer_now(ui) : kind->footer);
}

void overlay_open(struct ui *ui, enum overlay overlay)
{
    ui->overlay = overlay;
    ui->overlay_top = 0;
    if (overlay == OVERLAY_HINT)
        ui->overlay_top = LINES_MAXIMUM;
    if (overlay != OVERLAY_MAP)
        return;
    ui_load_map(ui);
    ui->overlay_selected = 0;
    for (size_t i = 0; i < ui->map.length; i++)
        if (strcmp(((const struct map_entry_lesson *)ui->map.items[i])->id, ui->lesson->id) == 0)
            ui->overlay_selected = (int)i;
}

void overlay_close(struct ui *ui)
{
    if (ui->overlay == OVERLAY_MAP)
        ui_free_map(ui);
    ui->overlay = ui->state == UI_CLUSTER_ASKING && ui->overlay != OVERLAY_CONSENT ? OVERLAY_CONSENT : OVERLAY_NONE;
}

void overlay_key(struct ui *ui, int key)
{
    static const struct {
        int key, lines, pages;
    } moves[] = {{KEY_CODE_UP, -1, 0}, {'k', -1, 0}, {KEY_CODE_DOWN, 1, 0}, {'j', 1, 0}, {KEY_CODE_PAGE_UP, 0, -1}, {KEY_CODE_PAGE_DOWN, 0, 1}, {' ', 0, 1}};
    const struct overlay_kind *kind = &kinds[ui->overlay];
    if (kind->key != NULL && kind->key(ui, key))
        return;
    if (kind->closes && (key == KEY_CODE_ESCAPE || key == 'q' || key == KEY_CODE_ENTER)) {
        overlay_close(ui);
        return;
    }
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        if (moves[i].key == key)
            ui->overlay_top += moves[i].lines + moves[i].pages * (ui->overlay_height > 2 ? ui->overlay_height - 1 : 1);
    ui->overlay_top = ui->overlay_top < 0 ? 0 : ui->overlay_top; /* the lower bound is known when it is drawn */
}

/* ---- drawing ---- */

static void draw_box(const struct rect *box, const char *title)
{
    int y = box->y, x = box->x, bottom = y + box->height - 1, right = x + box->width - 1;
    struct line empty = {.text = {.bytes = NULL, .length = 0}};
    for (int i = y; i <= bottom; i++)
        screen_line(i, x, box->width, &empty, true);
    screen_frame(y, x, box->width, false, FRAME_HORIZONTAL, ROLE_FOCUS);
    screen_frame(bottom, x, box->width, false, FRAME_HORIZONTAL, ROLE_FOCUS);
    screen_frame(y, x, box->height, true, FRAME_VERTICAL, ROLE_FOCUS);
    screen_frame(y, right, box->height, true, FRAME_VERTICAL, ROLE_FOCUS);
    screen_frame(y, x, 1, false, FRAME_TOP_LEFT, ROLE_FOCUS);
    screen_frame(y, right, 1, false, FRAME_TOP_RIGHT, ROLE_FOCUS);
    screen_frame(bottom, x, 1, false, FRAME_BOTTOM_LEFT, ROLE_FOCUS);
    screen_frame(bottom, right, 1, false, FRAME_BOTTOM_RIGHT, ROLE_FOCUS);
    char *padded = mem_printf(" %s ", title);
    struct safe_text safe = safe_string(padded);
    screen_text(y, x + 2, box->width - 4, &safe, ROLE_FOCUS);
    safe_free(&safe);
    mem_free(padded);
}

/* A selection is kept in view. */
static void follow_selection(struct ui *ui, const struct vec *lines, int height)
{
    for (size_t i = 0; ui->overlay == OVERLAY_MAP && i < lines->length; i++) {
        if (((const struct line *)lines->items[i])->target != ui->overlay_selected)
            continue;
        if ((int)i < ui->overlay_top)
            ui->overlay_top = (int)i;
        if ((int)i >= ui->overlay_top + height)
            ui->overlay_top = (int)i - height + 1;
    }
}

void overlay_draw(struct ui *ui, const struct layout *layout)
{
    const struct overlay_kind *kind = &kinds[ui->overlay];
    struct vec lines = lines_make();
    int width = layout->columns - 4 < OVERLAY_WIDEST ? layout->columns - 4 : OVERLAY_WIDEST, most = layout->rows - 4;
    kind->build(ui, &lines, (size_t)(width - OVERLAY_FRAME));
    int height = (int)lines.length < most - 2 ? (int)lines.length : most - 2, y = (layout->rows - height - 2) / 2;
    if (kind->low)
        y = layout->status.y - height - 2 - (layout->boxed ? 1 : 0);
    struct rect box = {.y = y < 1 ? 1 : y, .x = kind->low ? layout->panes[PANE_LESSON].x : (layout->columns - width) / 2, .height = height + 2, .width = width};
    int last = (int)lines.length - height;
    ui->overlay_height = height;
    ui->overlay_top = ui->overlay_top > last ? last : ui->overlay_top;
    follow_selection(ui, &lines, height);
    draw_box(&box, _(kind->title));
    for (int i = 0; i < height; i++) {
        const struct line *line = lines.items[ui->overlay_top + i];
        if (ui->overlay == OVERLAY_MAP && line->target == ui->overlay_selected)
            screen_line_as(box.y + 1 + i, box.x + 2, width - OVERLAY_FRAME, line, ROLE_SELECTED);
        else
            screen_line(box.y + 1 + i, box.x + 2, width - OVERLAY_FRAME, line, false);
    }
    if (ui->overlay_top < last)
        screen_frame(box.y + box.height - 1, box.x + width - 4, 1, false, FRAME_MORE, ROLE_KEY);
    vec_free(&lines);
}
