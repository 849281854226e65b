#include "text/safe.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "text/width.h"
#include "text/width_internal.h"

enum { SAFE_GROWTH = 4 }; /* most bytes made of one: U+00AD, two bytes, becomes <U+00AD>, eight */

struct code_range {
    unsigned first, last;
};

/* Characters that show nothing, turn the direction of what follows or end a line for some terminals. Ordered. */
/* clang-format off */
static const struct code_range hidden[] = {
    {0x0000, 0x001F},   {0x007F, 0x009F},   /* C0, DEL, C1 */
    {0x00AD, 0x00AD},                       /* soft hyphen */
    {0x061C, 0x061C},                       /* Arabic letter mark */
    {0x115F, 0x1160},                       /* Hangul fillers */
    {0x180E, 0x180E},                       /* Mongolian vowel separator */
    {0x200B, 0x200B},   {0x200E, 0x200F},   /* zero width space, direction marks (not the joiners between: scripts need them) */
    {0x2028, 0x202E},                       /* line and paragraph separator, bidirectional embeddings and overrides */
    {0x2060, 0x206F},                       /* word joiner, invisible operators, isolates, deprecated formats */
    {0x3164, 0x3164},                       /* Hangul filler */
    {0xD800, 0xDFFF},                       /* surrogates */
    {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   /* byte order mark, half-width Hangul filler */
    {0xFFF9, 0xFFFB},                       /* interlinear annotation */
    {0x1D173, 0x1D17A},                     /* musical formats */
    {0xE0000, 0xE007F},                     /* tags: text that nobody sees */
};
/* clang-format on */

bool safe_is_hidden(unsigned code_point)
{
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden && code_point >= hidden[i].first; i++)
        if (code_point <= hidden[i].last)
            return true;
    return code_point > 0x10FFFF;
}

/* Counts the marks at the end of what is there already, so that text that comes in pieces is capped like text in one piece.
 * *bare: nothing precedes that a mark could be drawn on. */
static size_t marks_at_end(const struct buf *out, bool *bare)
{
    size_t marks = 0, end = out->length;
    while (end > 0 && marks <= SAFE_COMBINING) {
        size_t start = end - 1;
        while (start > 0 && end - start < 4 && ((unsigned char)out->bytes[start] & 0xC0) == 0x80)
            start--;
        unsigned code_point;
        utf8_decode(out->bytes + start, end - start, &code_point);
        if (!width_is_mark(code_point))
            break;
        marks++;
        end = start;
    }
    *bare = end == 0 || out->bytes[end - 1] == '\n';
    return marks;
}

static void append_shown(struct buf *out, unsigned code_point)
{
    if (code_point < 0x20)
        buf_append(out, (char[]){'^', (char)(code_point + '@')}, 2);
    else if (code_point == 0x7F)
        buf_append_string(out, "^?");
    else
        buf_printf(out, "<U+%04X>", code_point);
}

static size_t printable_ascii(const char *bytes, size_t length)
{
    size_t at = 0;
    while (at < length && bytes[at] >= 0x20 && bytes[at] < 0x7F)
        at++;
    return at;
}

/* A mark with nothing to stand on would be drawn on whatever the screen has before the text: it gets a dotted circle. Those
 * above the cap are dropped. */
static void append_mark(struct buf *out, const char *bytes, size_t length)
{
    bool bare;
    size_t marks = marks_at_end(out, &bare);
    if (marks >= SAFE_COMBINING)
        return;
    if (bare && marks == 0)
        buf_append_string(out, "◌");
    buf_append(out, bytes, length);
}

void safe_append(struct buf *out, const char *bytes, size_t length, enum safe_options options)
{
    bool lines = options & SAFE_NEWLINES;
    for (size_t at = 0; at < length;) {
        size_t plain = printable_ascii(bytes + at, length - at);
        buf_append(out, bytes + at, plain);
        at += plain;
        unsigned code_point;
        size_t used = utf8_decode(bytes + at, length - at, &code_point);
        if (used == 0)
            break;
        bool line_end = code_point == '\r' && at + 1 < length && bytes[at + 1] == '\n';
        if (lines && line_end)
            ; /* the newline itself comes next */
        else if (lines && (code_point == '\n' || code_point == '\t'))
            buf_append(out, bytes + at, 1);
        else if (safe_is_hidden(code_point))
            append_shown(out, code_point);
        else if (width_is_mark(code_point))
            append_mark(out, bytes + at, used);
        else if (used == 1) /* not ASCII here, so not valid UTF-8 */
            buf_append_string(out, "\xEF\xBF\xBD");
        else
            buf_append(out, bytes + at, used);
        at += used;
    }
}

struct safe_text safe_make(const char *bytes, size_t length, enum safe_options options)
{
    struct safe_text text = {NULL, 0};
    struct buf out = buf_make(length < SIZE_MAX / (2 * SAFE_GROWTH) ? length * SAFE_GROWTH : SIZE_MAX);
    safe_append(&out, bytes, length, options);
    text.bytes = buf_take(&out, &text.length);
    return text;
}

struct safe_text safe_string(const char *string)
{
    return safe_make(string != NULL ? string : "", string != NULL ? strlen(string) : 0, SAFE_ONE_LINE);
}

void safe_free(struct safe_text *text)
{
    mem_free(text->bytes);
    *text = (struct safe_text){NULL, 0};
}
