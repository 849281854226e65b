#include "ui/lines.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "text/markdown.h"
#include "text/width.h"

enum { LINES_TEXT = 1 << 16, LINES_LEAST_COLUMNS = 10 };

static void line_free(void *item)
{
    struct line *line = item;
    if (line == NULL)
        return;
    safe_free(&line->text);
    mem_free(line->spans);
    mem_free(line);
}

struct vec lines_make(void)
{
    return vec_make(LINES_MAXIMUM, line_free);
}

static size_t prefix_length(const char *prefix)
{
    return prefix != NULL ? strlen(prefix) : 0;
}

/* A line of prefix and text with room for `spans` more spans than the prefix's own; NULL: no memory. */
static struct line *make(const char *prefix, enum role prefix_role, const char *bytes, size_t length, size_t spans, int target)
{
    struct line *line = mem_zero(1, sizeof *line);
    size_t before = prefix_length(prefix);
    char *text = mem_alloc(before + length + 1);
    struct role_span *places = mem_zero(spans + 1, sizeof *places);
    if (line == NULL || text == NULL || places == NULL) {
        mem_free(line);
        mem_free(text);
        mem_free(places);
        return NULL;
    }
    if (before > 0)
        memcpy(text, prefix, before);
    if (length > 0)
        memcpy(text + before, bytes, length);
    text[before + length] = '\0';
    *line = (struct line){.text = {.bytes = text, .length = before + length}, .spans = places, .target = target};
    if (before > 0)
        line->spans[line->span_count++] = (struct role_span){.start = 0, .length = before, .role = prefix_role};
    return line;
}

static void push(struct vec *lines, struct line *line)
{
    if (line != NULL)
        (void)!vec_push(lines, line);
}

static const char *prefix_of(const struct lines_shape *shape, bool first)
{
    return first ? shape->first : shape->rest;
}

static size_t room_of(const struct lines_shape *shape)
{
    size_t first = shape->first != NULL ? width_text(shape->first, strlen(shape->first)) : 0;
    size_t rest = shape->rest != NULL ? width_text(shape->rest, strlen(shape->rest)) : 0, widest = first > rest ? first : rest;
    return shape->columns > widest + LINES_LEAST_COLUMNS ? shape->columns - widest : LINES_LEAST_COLUMNS;
}

static void add_plain(struct vec *lines, const char *bytes, size_t length, const struct lines_shape *shape, bool first)
{
    const char *prefix = prefix_of(shape, first);
    struct line *line = make(prefix, shape->prefix_role, bytes, length, 1, shape->target);
    if (line != NULL && length > 0)
        line->spans[line->span_count++] = (struct role_span){.start = prefix_length(prefix), .length = length, .role = shape->role};
    push(lines, line);
}

/* The last line that is allowed, with an ellipsis for what is left out. */
static void add_cut(struct vec *lines, const char *bytes, size_t length, size_t columns, const struct lines_shape *shape, bool first)
{
    struct buf cut = buf_make(LINES_TEXT);
    width_cut(bytes, length, columns, &cut);
    if (buf_ok(&cut) && cut.bytes != NULL)
        add_plain(lines, cut.bytes, cut.length, shape, first);
    buf_free(&cut);
}

void lines_text(struct vec *lines, const char *text, const struct lines_shape *shape)
{
    struct safe_text safe = safe_make(text, strlen(text), SAFE_NEWLINES);
    size_t columns = room_of(shape), at = 0, count = 0;
    while (at < safe.length || count == 0) {
        const char *rest = safe.bytes != NULL ? safe.bytes + at : "";
        size_t paragraph = strcspn(rest, "\n"), done = 0;
        do {
            size_t next = 0, used = width_wrap(rest + done, paragraph - done, columns, &next);
            count++;
            if (count == shape->most && at + done + next < safe.length) {
                add_cut(lines, rest + done, next < paragraph - done ? paragraph - done : used, columns, shape, count == 1);
                safe_free(&safe);
                return;
            }
            add_plain(lines, rest + done, used, shape, count == 1);
            done += next;
        } while (done < paragraph);
        at += paragraph + 1;
    }
    safe_free(&safe);
}

static enum role role_of(unsigned style, enum role plain)
{
    static const struct {
        unsigned style;
        enum role role;
    } roles[] = {
        {STYLE_HEADING, ROLE_HEADING}, {STYLE_CODE, ROLE_CODE},   {STYLE_STRONG, ROLE_STRONG}, {STYLE_EMPHASIS, ROLE_EMPHASIS},
        {STYLE_LINK, ROLE_LINK},       {STYLE_MUTED, ROLE_MUTED},
    };
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if ((style & roles[i].style) != 0)
            return roles[i].role;
    return plain;
}

static void add_styled(struct vec *lines, const struct styled_line *styled, const struct lines_shape *shape, bool first)
{
    const char *prefix = prefix_of(shape, first);
    struct line *line = make(prefix, shape->prefix_role, styled->text.bytes, styled->text.length, styled->span_count, shape->target);
    for (size_t i = 0; line != NULL && i < styled->span_count; i++) {
        const struct styled_span *span = &styled->spans[i];
        line->spans[line->span_count++] =
            (struct role_span){.start = prefix_length(prefix) + span->start, .length = span->length, .role = role_of(span->style, shape->role)};
    }
    push(lines, line);
}

void lines_markdown(struct vec *lines, const char *markdown, const struct lines_shape *shape)
{
    struct styled_lines rendered = {0};
    if (!markdown_render(markdown, strlen(markdown), room_of(shape), &rendered, NULL)) {
        lines_text(lines, markdown, shape);
        return;
    }
    for (size_t i = 0; i < rendered.count; i++)
        add_styled(lines, &rendered.lines[i], shape, i == 0);
    styled_lines_free(&rendered);
}

/* "<pod-name>" from `bytes` on: its length, or 0. */
static size_t placeholder(const char *bytes, size_t length)
{
    size_t i = 1;
    if (length == 0 || bytes[0] != '<')
        return 0;
    while (i < length && ((bytes[i] >= 'a' && bytes[i] <= 'z') || (i > 1 && (bytes[i] == '-' || (bytes[i] >= '0' && bytes[i] <= '9')))))
        i++;
    return i > 1 && i < length && bytes[i] == '>' ? i + 1 : 0;
}

static void add_code(struct vec *lines, const char *bytes, size_t length, const struct lines_shape *shape, bool first)
{
    const char *prefix = prefix_of(shape, first);
    size_t before = prefix_length(prefix), marks = 0, plain = 0;
    for (size_t i = 0; i < length; i++)
        marks += placeholder(bytes + i, length - i) > 0;
    struct line *line = make(prefix, shape->prefix_role, bytes, length, 2 * marks + 1, shape->target);
    for (size_t i = 0; line != NULL && i <= length;) {
        size_t mark = i < length ? placeholder(bytes + i, length - i) : 0;
        if ((mark > 0 || i == length) && i > plain)
            line->spans[line->span_count++] = (struct role_span){.start = before + plain, .length = i - plain, .role = shape->role};
        if (mark > 0)
            line->spans[line->span_count++] = (struct role_span){.start = before + i, .length = mark, .role = ROLE_EMPHASIS};
        plain = mark > 0 ? i + mark : plain;
        i += mark > 0 ? mark : 1;
    }
    push(lines, line);
}

/* A line of code that is wider than the pane, in pieces: spaces are kept, and a mark says that no new line begins. */
static void add_long_code(struct vec *lines, const char *bytes, size_t length, const struct lines_shape *shape)
{
    struct lines_shape more = *shape;
    char *mark = mem_printf("%s↳ ", shape->rest != NULL ? shape->rest : "");
    more.rest = mark;
    for (size_t done = 0, columns; done < length;) {
        size_t used = width_fit(bytes + done, length - done, room_of(&more), &columns);
        add_code(lines, bytes + done, used > 0 ? used : length - done, &more, done == 0);
        done += used > 0 ? used : length - done;
    }
    mem_free(mark);
}

void lines_code(struct vec *lines, const char *code, const struct lines_shape *shape)
{
    struct safe_text safe = safe_make(code, strlen(code), SAFE_NEWLINES);
    bool first = true, continued = false;
    for (size_t at = 0; at < safe.length;) {
        size_t length = strcspn(safe.bytes + at, "\n");
        if (shape->wrap && width_text(safe.bytes + at, length) > room_of(shape))
            add_long_code(lines, safe.bytes + at, length, shape);
        else if (length > 0 || at + 1 < safe.length)
            add_code(lines, safe.bytes + at, length, shape, first || !continued);
        continued = length > 0 && safe.bytes[at + length - 1] == '\\'; /* the shell's own continuation: no second prompt */
        first = false;
        at += length + 1;
    }
    safe_free(&safe);
}

void lines_blank(struct vec *lines)
{
    const struct line *last = lines->length > 0 ? lines->items[lines->length - 1] : NULL;
    if (last != NULL && last->text.length > 0)
        push(lines, make(NULL, ROLE_TEXT, "", 0, 0, -1));
}
