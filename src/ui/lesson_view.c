#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/mem.h"
#include "ui/views.h"

enum { FILLED_TEXT = 1 << 20 };

struct building {
    struct vec *lines;
    const struct lesson_view *view;
    const struct lesson_step *step;
    const struct text_step *text;
};

/* Before the state is known its {{names}} are dots. */
static char *dotted(const char *text)
{
    struct buf out = buf_make(FILLED_TEXT);
    for (const char *open; (open = strstr(text, "{{")) != NULL && strstr(open, "}}") != NULL; text = strstr(open, "}}") + 2) {
        buf_append(&out, text, (size_t)(open - text));
        buf_append_string(&out, "…");
    }
    buf_append_string(&out, text);
    return buf_take(&out, NULL);
}

/* A block's text with the state filled in; the caller frees. NULL: no memory. */
static char *filled(const struct building *b, const struct text_block *block)
{
    return b->view->state != NULL ? lesson_fill(block->text, b->view->state) : dotted(block->text);
}

static void add_markdown(const struct building *b, const struct text_block *block, const struct lines_shape *shape)
{
    char *text = filled(b, block);
    if (text != NULL)
        lines_markdown(b->lines, text, shape);
    mem_free(text);
}

static struct lines_shape plain(const struct building *b, enum role role)
{
    return (struct lines_shape){.columns = b->view->columns, .role = role, .prefix_role = role, .target = -1};
}

static void add_prose(const struct building *b, const struct text_block *block)
{
    struct lines_shape shape = plain(b, ROLE_TEXT);
    lines_blank(b->lines);
    add_markdown(b, block, &shape);
}

static void add_code_block(const struct building *b, const struct text_block *block, const char *first, const char *rest, enum role role)
{
    struct lines_shape shape = {.columns = b->view->columns, .first = first, .rest = rest, .role = role, .prefix_role = ROLE_MUTED, .target = -1};
    char *text = filled(b, block);
    if (text != NULL)
        lines_code(b->lines, text, &shape);
    mem_free(text);
}

/* Where commands are to be typed, once a step: the person's own terminal does not know the lesson's cluster and namespace. */
static void add_shell(const struct building *b)
{
    struct lines_shape shape = plain(b, ROLE_MUTED);
    char *line = mem_printf(_("Type it in another terminal, after: %s %s"), b->view->shell, b->view->lesson->id);
    lines_blank(b->lines);
    if (line != NULL)
        lines_text(b->lines, line, &shape);
    mem_free(line);
}

static void add_run(const struct building *b, const struct text_block *block)
{
    lines_blank(b->lines);
    add_code_block(b, block, "  $ ", "    ", ROLE_COMMAND);
    if (b->view->shell != NULL && b->view->shell[0] != '\0' && text_step_block(b->text, BLOCK_RUN, NULL, 0) == block)
        add_shell(b);
}

static void add_file(const struct building *b, const struct text_block *block)
{
    struct lines_shape name = plain(b, ROLE_MUTED);
    lines_blank(b->lines);
    lines_text(b->lines, block->id, &name);
    add_code_block(b, block, "  ", "  ", ROLE_CODE);
}

/* Choices are numbered as they stand in the text. */
static int number_of(const struct building *b, const struct text_block *choice)
{
    int number = 0;
    for (size_t i = 0; i < b->text->blocks.length; i++) {
        const struct text_block *block = b->text->blocks.items[i];
        if (block == choice)
            break;
        number += block->kind == BLOCK_CHOICE;
    }
    return number;
}

static void add_choice(const struct building *b, const struct text_block *block)
{
    const struct lesson_view *view = b->view;
    int number = number_of(b, block);
    bool open = view->question && number == view->selected, given = view->choice != NULL && strcmp(view->choice, block->id) == 0;
    enum role role = view->question || given ? ROLE_CHOICE : ROLE_MUTED;
    char first[16], digit = number < 9 ? (char)('1' + number) : ' ';
    snprintf(first, sizeof first, " %s %c ", open ? "▸" : given ? "●" : " ", digit);
    struct lines_shape shape = {.columns = view->columns, .first = first, .rest = "     ", .role = role, .prefix_role = given || open ? ROLE_KEY : ROLE_MUTED,
                                .target = view->question ? number : -1};
    if (number == 0)
        lines_blank(b->lines);
    add_markdown(b, block, &shape);
}

static void add_source(const struct building *b, const struct text_block *block)
{
    const char *source = _("source:");
    char *label = mem_printf("%s%s", source, ends_wide(source) ? "" : " ");
    struct lines_shape shape = {.columns = b->view->columns, .first = label, .rest = "  ", .role = ROLE_MUTED, .prefix_role = ROLE_MUTED, .target = -1};
    lines_blank(b->lines);
    add_markdown(b, block, &shape);
    mem_free(label);
}

/* What is shown where it stands; hints, whys, becauses and notes have their own time. */
static const struct {
    enum block_kind kind;
    void (*add)(const struct building *b, const struct text_block *block);
} adders[] = {{BLOCK_PROSE, add_prose}, {BLOCK_RUN, add_run}, {BLOCK_FILE, add_file}, {BLOCK_CHOICE, add_choice}, {BLOCK_SOURCE, add_source}};

static void add_after(const struct building *b, enum block_kind kind, const char *id)
{
    struct lines_shape shape = {.columns = b->view->columns, .first = "│ ", .rest = "│ ", .role = ROLE_TEXT, .prefix_role = ROLE_GOOD, .target = -1};
    const struct text_block *block;
    for (size_t i = 0; (block = text_step_block(b->text, kind, id, i)) != NULL; i++) {
        lines_blank(b->lines);
        add_markdown(b, block, &shape);
    }
}

static bool has_after(const struct building *b)
{
    return text_step_block(b->text, BLOCK_WHY, NULL, 0) != NULL ||
           (b->view->choice != NULL && text_step_block(b->text, BLOCK_BECAUSE, b->view->choice, 0) != NULL);
}

void lesson_view_build(struct vec *lines, const struct lesson_view *view, int *why)
{
    struct building b = {.lines = lines, .view = view, .step = view->lesson->steps.items[view->step]};
    enum lang lang = lang_get();
    b.text = b.step->text[lang];
    *why = -1;
    struct lines_shape heading = plain(&b, ROLE_HEADING), text = plain(&b, ROLE_TEXT), muted = plain(&b, ROLE_MUTED);
    if (view->step == 0) {
        lines_text(lines, view->lesson->text[lang]->title, &heading);
        lines_blank(lines);
        lines_markdown(lines, view->lesson->text[lang]->opening, &text);
        lines_blank(lines);
    }
    if (view->step != 0 || strcmp(b.text->heading, view->lesson->text[lang]->title) != 0) /* not twice the same words */
        lines_text(lines, b.text->heading, &heading);
    if (view->reading) {
        lines_blank(lines);
        lines_text(lines, _("(this server is older than the step needs: reading only)"), &muted);
    }
    for (size_t i = 0; i < b.text->blocks.length; i++) {
        const struct text_block *block = b.text->blocks.items[i];
        for (size_t k = 0; k < sizeof adders / sizeof *adders; k++)
            if (adders[k].kind == block->kind)
                adders[k].add(&b, block);
    }
    if (!view->passed || !has_after(&b))
        return;
    lines_blank(lines);
    *why = (int)lines->length;
    if (view->choice != NULL)
        add_after(&b, BLOCK_BECAUSE, view->choice);
    add_after(&b, BLOCK_WHY, NULL);
}
