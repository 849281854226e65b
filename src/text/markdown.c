/* md4c reads, one pass over its callbacks lays out: `containers` is the way from the document to where the text stands, each
 * with what it puts before every line; `text` collects a paragraph until its end is known; pages and tables do the rest.
 *
 * The source is made safe before md4c sees it: so md4c, a library that trusts much, reads valid UTF-8 without controls, and
 * only character references can bring something hidden in afterwards (rich_append looks at everything again). */
#include "text/markdown.h"

#include <stdio.h>
#include <string.h>

#include "text/renderer.h"
#include "text/width.h"

enum { COLUMNS_LEAST = 10, COLUMNS_MOST = 1000 };

void renderer_fail(struct renderer *r, enum error_kind kind)
{
    if (r->page.failed == ERROR_NONE)
        r->page.failed = kind;
}

static struct container *top(struct renderer *r)
{
    return &r->containers[r->depth < DEPTH ? r->depth - 1 : DEPTH - 1];
}

/* Appends to `line` what stands before a line's text, and draws pending marks unless the line is blank. */
static void start_line(struct renderer *r, bool blank)
{
    size_t count = r->depth < DEPTH ? r->depth : DEPTH;
    rich_clear(&r->line);
    for (size_t i = 0; i < count; i++) {
        struct container *container = &r->containers[i];
        if (container->indent == 0)
            continue;
        if (container->kind == IN_QUOTE) {
            rich_append_string(&r->line, "│ ", STYLE_QUOTE);
        } else if (container->mark_pending && !blank) {
            rich_append_string(&r->line, container->mark, STYLE_NORMAL);
            container->mark_pending = false;
        } else {
            rich_pad(&r->line, container->indent, STYLE_NORMAL);
        }
    }
}

static void end_line(struct renderer *r, bool trim)
{
    if (trim)
        rich_trim(&r->line);
    page_add(&r->page, &r->line);
}

/* Called before the first line of each block: sets it off from what stands before it. */
static void begin_block(struct renderer *r)
{
    struct container *in = top(r);
    if (in->has_block && !in->tight && r->depth <= DEPTH) { /* below that nothing tells whether it is a container's first */
        start_line(r, true);
        end_line(r, true);
    }
    in->has_block = true;
}

static size_t text_columns(const struct renderer *r)
{
    return r->columns - r->indent;
}

/* Ends the paragraph at hand, if there is one. */
static void flush_text(struct renderer *r)
{
    r->soft_break = false;
    if (r->in_table || r->text.text.length == 0)
        return;
    size_t at = 0, start, end;
    begin_block(r);
    while (r->page.failed == ERROR_NONE && rich_next_line(&r->text, text_columns(r), &at, &start, &end)) {
        start_line(r, false);
        rich_append_slice(&r->line, &r->text, start, end, STYLE_NORMAL);
        end_line(r, true);
    }
    rich_clear(&r->text);
}

static void push(struct renderer *r, struct container container)
{
    size_t width = width_text(container.mark, strlen(container.mark));
    if (r->depth < DEPTH) {
        if (r->indent + width > r->columns / 2) /* so deep that the text would have no room: no further */
            width = 0;
        container.indent = width;
        r->indent += width;
        container.mark_pending = container.kind == IN_ITEM && width > 0;
        r->containers[r->depth] = container;
    }
    r->depth++;
}

static void pop(struct renderer *r)
{
    struct container *in = top(r);
    if (r->depth <= DEPTH) {
        if (in->mark_pending) { /* an empty item */
            start_line(r, false);
            end_line(r, true);
        }
        r->indent -= in->indent;
    }
    r->depth--;
}

/* Makes the item's mark: a bullet, its number, a task's box. */
static void push_item(struct renderer *r, const MD_BLOCK_LI_DETAIL *detail)
{
    struct container *list = top(r);
    struct container item = {.kind = IN_ITEM, .tight = list->tight};
    const char *task = !detail->is_task ? "" : detail->task_mark == ' ' ? "[ ] " : "[x] ";
    if (list->kind == IN_NUMBERED)
        snprintf(item.mark, sizeof item.mark, "%u%c %s", list->number++, list->delimiter, task);
    else if (detail->is_task)
        snprintf(item.mark, sizeof item.mark, "%s", task);
    else
        snprintf(item.mark, sizeof item.mark, "%s ", r->lists % 2 == 1 ? "•" : "◦");
    begin_block(r);
    push(r, item);
}

static void draw_rule(struct renderer *r)
{
    begin_block(r);
    start_line(r, false);
    for (size_t i = 0; i < text_columns(r); i++)
        rich_append_string(&r->line, "─", STYLE_MUTED);
    end_line(r, false);
}

/* Code keeps its lines; a tab reaches to the next multiple of 8 from the code's own start. */
static void draw_code(struct renderer *r)
{
    enum { INDENT = 2, TAB = 8 };
    const struct buf *code = &r->code.text;
    for (size_t at = 0; at < code->length && r->page.failed == ERROR_NONE;) {
        const char *line = code->bytes + at;
        const char *newline = memchr(line, '\n', code->length - at);
        size_t length = newline != NULL ? (size_t)(newline - line) : code->length - at;
        start_line(r, false);
        rich_pad(&r->line, INDENT, STYLE_CODE);
        for (size_t from = 0, column = 0; from < length;) {
            const char *tab = memchr(line + from, '\t', length - from);
            size_t stretch = tab != NULL ? (size_t)(tab - line) - from : length - from;
            rich_append(&r->line, line + from, stretch, STYLE_CODE);
            column += width_text(line + from, stretch);
            if (tab != NULL)
                rich_pad(&r->line, TAB - column % TAB, STYLE_CODE);
            column += tab != NULL ? TAB - column % TAB : 0;
            from += stretch + (tab != NULL);
        }
        end_line(r, length == 0);
        at += length + 1;
    }
    rich_clear(&r->code);
}

static bool emit_table_line(void *context, const struct rich *line)
{
    struct renderer *r = context;
    start_line(r, false);
    rich_append_slice(&r->line, line, 0, line->text.length, STYLE_NORMAL);
    end_line(r, true);
    return r->page.failed == ERROR_NONE;
}

static void draw_table(struct renderer *r)
{
    r->in_table = false;
    begin_block(r);
    if (!table_lay_out(&r->table, text_columns(r), emit_table_line, r))
        renderer_fail(r, ERROR_MEMORY);
    table_free(&r->table);
}

static void end_cell(struct renderer *r)
{
    r->soft_break = false;
    if (!rich_ok(&r->text))
        renderer_fail(r, ERROR_MEMORY);
    enum error_kind failed = table_add(&r->table, &r->text, r->align);
    if (failed != ERROR_NONE)
        renderer_fail(r, failed);
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *userdata)
{
    struct renderer *r = userdata;
    flush_text(r);
    switch (type) {
    case MD_BLOCK_QUOTE:
        begin_block(r);
        push(r, (struct container){.kind = IN_QUOTE, .mark = "│ "});
        r->quotes++;
        break;
    case MD_BLOCK_UL:
        begin_block(r);
        push(r, (struct container){.kind = IN_LIST, .tight = ((MD_BLOCK_UL_DETAIL *)detail)->is_tight});
        r->lists++;
        break;
    case MD_BLOCK_OL: {
        const MD_BLOCK_OL_DETAIL *list = detail;
        begin_block(r);
        struct container numbered = {.kind = IN_NUMBERED, .tight = list->is_tight, .number = list->start};
        numbered.delimiter = list->mark_delimiter;
        push(r, numbered);
        r->lists++;
        break;
    }
    case MD_BLOCK_LI:
        push_item(r, detail);
        break;
    case MD_BLOCK_HR:
        draw_rule(r);
        break;
    case MD_BLOCK_H:
        r->headings = ((MD_BLOCK_H_DETAIL *)detail)->level;
        break;
    case MD_BLOCK_CODE:
        begin_block(r);
        r->in_code = true;
        break;
    case MD_BLOCK_TABLE:
        r->in_table = true;
        r->table.columns = ((MD_BLOCK_TABLE_DETAIL *)detail)->col_count;
        break;
    case MD_BLOCK_TH:
        r->strong++; /* fall through */
    case MD_BLOCK_TD: {
        MD_ALIGN align = ((MD_BLOCK_TD_DETAIL *)detail)->align;
        r->align = align == MD_ALIGN_RIGHT ? TABLE_RIGHT : align == MD_ALIGN_CENTER ? TABLE_CENTRE : TABLE_LEFT;
        break;
    }
    default:
        break;
    }
    return r->page.failed != ERROR_NONE;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *userdata)
{
    struct renderer *r = userdata;
    (void)detail;
    flush_text(r);
    switch (type) {
    case MD_BLOCK_QUOTE:
        pop(r);
        r->quotes--;
        break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
        pop(r);
        r->lists--;
        break;
    case MD_BLOCK_LI:
        pop(r);
        break;
    case MD_BLOCK_H:
        r->headings = 0;
        break;
    case MD_BLOCK_CODE:
        r->in_code = false;
        draw_code(r);
        break;
    case MD_BLOCK_TABLE:
        draw_table(r);
        break;
    case MD_BLOCK_TH:
        r->strong--; /* fall through */
    case MD_BLOCK_TD:
        end_cell(r);
        break;
    default:
        break;
    }
    return r->page.failed != ERROR_NONE;
}

static void append_code(struct renderer *r, const char *bytes, size_t length)
{
    buf_append(&r->code.text, bytes, length); /* safe already, and its tabs and newlines are wanted */
    if (!buf_ok(&r->code.text))
        renderer_fail(r, ERROR_MEMORY);
}

static int text(MD_TEXTTYPE type, const MD_CHAR *bytes, MD_SIZE length, void *userdata)
{
    struct renderer *r = userdata;
    if (r->in_code)
        append_code(r, bytes, length);
    else if (type == MD_TEXT_BR)
        inline_break(r);
    else if (type == MD_TEXT_SOFTBR)
        r->soft_break = true;
    else if (type == MD_TEXT_NULLCHAR)
        inline_text(r, "\xEF\xBF\xBD", 3);
    else if (type == MD_TEXT_ENTITY)
        inline_entity(r, bytes, length);
    else
        inline_text(r, bytes, length);
    return r->page.failed != ERROR_NONE;
}

/* +1 when a span begins, -1 when it ends. */
static void count_span(struct renderer *r, MD_SPANTYPE type, size_t step)
{
    switch (type) {
    case MD_SPAN_EM:
        r->emphasis += step;
        break;
    case MD_SPAN_STRONG:
        r->strong += step;
        break;
    case MD_SPAN_CODE:
        r->inline_code += step;
        break;
    case MD_SPAN_A:
        r->links += step;
        break;
    default:
        break;
    }
}

static int enter_span(MD_SPANTYPE type, void *detail, void *userdata)
{
    struct renderer *r = userdata;
    (void)detail;
    count_span(r, type, 1);
    if (type == MD_SPAN_A || type == MD_SPAN_IMG)
        inline_link_begins(r);
    return 0;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *userdata)
{
    struct renderer *r = userdata;
    count_span(r, type, (size_t)-1);
    if (type == MD_SPAN_A)
        inline_link_ends(r, &((MD_SPAN_A_DETAIL *)detail)->href);
    else if (type == MD_SPAN_IMG)
        inline_link_ends(r, &((MD_SPAN_IMG_DETAIL *)detail)->src);
    return r->page.failed != ERROR_NONE;
}

static enum error_kind render(const struct buf *source, size_t columns, struct styled_lines *lines)
{
    static const MD_PARSER parser = {
        .flags = MD_FLAG_TABLES | MD_FLAG_TASKLISTS | MD_FLAG_NOHTML,
        .enter_block = enter_block,
        .leave_block = leave_block,
        .enter_span = enter_span,
        .leave_span = leave_span,
        .text = text,
    };
    struct renderer r = {
        .page = {.lines = lines},
        .columns = columns,
        .depth = 1,
        .text = rich_make(2 * (size_t)TEXT_MAXIMUM),
        .line = rich_make(2 * (size_t)TEXT_MAXIMUM),
        .code = rich_make(TEXT_MAXIMUM),
        .text_left = TEXT_MAXIMUM,
    };
    int parsed = md_parse(source->length > 0 ? source->bytes : "", (MD_SIZE)source->length, &parser, &r);
    if (parsed != 0)
        renderer_fail(&r, ERROR_MEMORY); /* md4c has no other reason of its own */
    table_free(&r.table);
    rich_free(&r.code);
    rich_free(&r.line);
    rich_free(&r.text);
    return r.page.failed;
}

bool markdown_render(const char *source, size_t length, size_t columns, struct styled_lines *lines, struct error *err)
{
    *lines = (struct styled_lines){NULL, 0};
    if (length > SOURCE_MAXIMUM)
        return error_set(err, ERROR_LIMIT, NULL, "the text is larger than 1 MiB");
    columns = columns < COLUMNS_LEAST ? COLUMNS_LEAST : columns > COLUMNS_MOST ? COLUMNS_MOST : columns;
    struct buf safe = buf_make(SAFE_MAXIMUM);
    safe_append(&safe, source, length, SAFE_NEWLINES);
    enum error_kind failed = buf_ok(&safe) ? render(&safe, columns, lines) : ERROR_MEMORY;
    buf_free(&safe);
    if (failed == ERROR_NONE)
        return true;
    styled_lines_free(lines);
    if (failed == ERROR_MEMORY)
        return error_memory(err);
    return error_set(err, ERROR_LIMIT, NULL,
                     "the text is too long when laid out: at most %d lines, %d cells of a table, %d MiB", PAGE_LINES,
                     TABLE_CELLS, TEXT_MAXIMUM >> 20);
}
