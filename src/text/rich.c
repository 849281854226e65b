#include "text/rich.h"

#include <string.h>

#include "base/mem.h"
#include "text/width.h"

struct rich rich_make(size_t maximum)
{
    return (struct rich){.text = buf_make(maximum)};
}

void rich_free(struct rich *rich)
{
    buf_free(&rich->text);
    mem_free(rich->runs);
    rich->runs = NULL;
    rich->count = rich->room = 0;
}

void rich_clear(struct rich *rich)
{
    buf_clear(&rich->text);
    rich->count = 0;
}

bool rich_ok(const struct rich *rich)
{
    return buf_ok(&rich->text);
}

/* Gives the bytes that no run covers yet to `style`. */
static void cover(struct rich *rich, unsigned style)
{
    struct styled_span *last = rich->count > 0 ? &rich->runs[rich->count - 1] : NULL;
    size_t start = last != NULL ? last->start + last->length : 0;
    if (start == rich->text.length)
        return;
    if (last != NULL && last->style == style) {
        last->length = rich->text.length - last->start;
        return;
    }
    if (rich->count == rich->room) {
        size_t room = rich->room > 0 ? rich->room * 2 : 4;
        struct styled_span *runs = mem_resize(rich->runs, room * sizeof *runs);
        if (runs == NULL) {
            buf_fail(&rich->text);
            return;
        }
        rich->runs = runs;
        rich->room = room;
    }
    rich->runs[rich->count++] = (struct styled_span){start, rich->text.length - start, style};
}

void rich_append(struct rich *rich, const char *bytes, size_t length, unsigned style)
{
    for (size_t at = 0; at < length;) {
        const char *tab = memchr(bytes + at, '\t', length - at);
        size_t stretch = tab != NULL ? (size_t)(tab - bytes) - at : length - at;
        safe_append(&rich->text, bytes + at, stretch, SAFE_ONE_LINE);
        if (tab != NULL)
            buf_append(&rich->text, " ", 1);
        at += stretch + (tab != NULL);
    }
    cover(rich, style);
}

void rich_append_string(struct rich *rich, const char *string, unsigned style)
{
    rich_append(rich, string, strlen(string), style);
}

void rich_break(struct rich *rich, unsigned style)
{
    buf_append(&rich->text, "\n", 1);
    cover(rich, style);
}

/* The first run that reaches beyond `at`. */
static size_t run_at(const struct rich *rich, size_t at)
{
    size_t low = 0, high = rich->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rich->runs[middle].start + rich->runs[middle].length <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void rich_append_slice(struct rich *rich, const struct rich *from, size_t start, size_t end, unsigned style)
{
    for (size_t i = run_at(from, start); i < from->count && from->runs[i].start < end; i++) {
        const struct styled_span *run = &from->runs[i];
        size_t first = run->start > start ? run->start : start;
        size_t last = run->start + run->length < end ? run->start + run->length : end;
        buf_append(&rich->text, from->text.bytes + first, last - first);
        cover(rich, run->style | style);
    }
}

void rich_pad(struct rich *rich, size_t columns, unsigned style)
{
    static const char spaces[] = "                ";
    for (size_t left = columns, some; left > 0; left -= some) {
        some = left < sizeof spaces - 1 ? left : sizeof spaces - 1;
        buf_append(&rich->text, spaces, some);
    }
    cover(rich, style);
}

void rich_trim(struct rich *rich)
{
    struct buf *text = &rich->text;
    while (rich_ok(rich) && text->length > 0 && text->bytes[text->length - 1] == ' ') {
        text->bytes[--text->length] = '\0';
        if (--rich->runs[rich->count - 1].length == 0)
            rich->count--;
    }
}

size_t rich_width(const struct rich *rich)
{
    return width_text(rich->text.bytes, rich->text.length);
}

bool rich_next_line(const struct rich *rich, size_t columns, size_t *at, size_t *start, size_t *end)
{
    const struct buf *text = &rich->text;
    if (*at >= text->length)
        return false;
    const char *newline = memchr(text->bytes + *at, '\n', text->length - *at);
    size_t stretch = newline != NULL ? (size_t)(newline - text->bytes) - *at : text->length - *at;
    size_t next;
    *start = *at;
    *end = *at + width_wrap(text->bytes + *at, stretch, columns, &next);
    *at += next;
    if (next == stretch && newline != NULL)
        (*at)++;
    return true;
}

static bool copy_line(const struct rich *from, struct styled_line *line)
{
    *line = (struct styled_line){.text = {mem_string_n(from->text.length > 0 ? from->text.bytes : "", from->text.length), 0}};
    if (line->text.bytes == NULL)
        return false;
    line->text.length = from->text.length;
    if (from->count == 0)
        return true;
    line->spans = mem_alloc(from->count * sizeof *line->spans);
    if (line->spans == NULL) {
        safe_free(&line->text);
        return false;
    }
    memcpy(line->spans, from->runs, from->count * sizeof *line->spans);
    line->span_count = from->count;
    return true;
}

static bool make_room(struct page *page)
{
    if (page->lines->count < page->room)
        return true;
    size_t room = page->room > 0 ? page->room * 2 : 32;
    struct styled_line *lines = mem_resize(page->lines->lines, room * sizeof *lines);
    if (lines == NULL)
        return false;
    page->lines->lines = lines;
    page->room = room;
    return true;
}

void page_add(struct page *page, const struct rich *line)
{
    if (page->failed != ERROR_NONE)
        return;
    if (page->lines->count == PAGE_LINES)
        page->failed = ERROR_LIMIT;
    else if (!rich_ok(line) || !make_room(page) || !copy_line(line, &page->lines->lines[page->lines->count]))
        page->failed = ERROR_MEMORY;
    else
        page->lines->count++;
}
