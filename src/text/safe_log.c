/* Log lines with their colours: of all that a terminal obeys only SGR is understood, and it becomes attributes. */
#include "text/safe.h"

#include <string.h>

#include "text/width.h"

enum {
    SGR_NUMBERS = 32, /* in one sequence; a longer one is shown, not obeyed */
    SGR_MOST = 9999,
    TAB = 8,
};

static struct safe_span plain_span(void)
{
    return (struct safe_span){.foreground = -1, .background = -1};
}

/* Reads ESC [ digits and ; m. Returns its bytes, 0 when it is anything else. */
static size_t read_sgr(const char *bytes, size_t length, unsigned *numbers, size_t *count)
{
    size_t at = 2;
    *count = 1;
    numbers[0] = 0;
    if (length < 3 || bytes[0] != '\033' || bytes[1] != '[')
        return 0;
    for (; at < length && *count <= SGR_NUMBERS; at++) {
        unsigned *number = &numbers[*count - 1];
        if (bytes[at] == 'm')
            return at + 1;
        if (bytes[at] >= '0' && bytes[at] <= '9' && *number <= SGR_MOST / 10)
            *number = *number * 10 + (unsigned)(bytes[at] - '0');
        else if (bytes[at] == ';' && *count < SGR_NUMBERS)
            numbers[(*count)++] = 0;
        else
            return 0;
    }
    return 0;
}

static signed short cube(unsigned red, unsigned green, unsigned blue)
{
    unsigned parts[] = {red, green, blue};
    unsigned place = 0;
    for (size_t i = 0; i < 3; i++)
        place = place * 6 + ((parts[i] < 255 ? parts[i] : 255) * 5 + 127) / 255;
    return (signed short)(16 + place);
}

/* 38 and 48: "5;N" or "2;R;G;B" follow. Returns how many numbers belong to it. */
static size_t extended_colour(const unsigned *numbers, size_t count, signed short *colour)
{
    if (count >= 2 && numbers[0] == 5) {
        if (numbers[1] <= 255)
            *colour = (signed short)numbers[1];
        return 2;
    }
    if (count >= 4 && numbers[0] == 2) {
        *colour = cube(numbers[1], numbers[2], numbers[3]);
        return 4;
    }
    return count;
}

static void set_colour(unsigned number, struct safe_span *style)
{
    static const struct {
        unsigned first, base;
        bool background;
    } colours[] = {{30, 0, false}, {40, 0, true}, {90, 8, false}, {100, 8, true}};
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        if (number >= colours[i].first && number <= colours[i].first + 7)
            *(colours[i].background ? &style->background : &style->foreground) =
                (signed short)(number - colours[i].first + colours[i].base);
}

static void obey(const unsigned *numbers, size_t count, struct safe_span *style)
{
    for (size_t i = 0; i < count; i++) {
        /* clang-format off */
        switch (numbers[i]) {
        case 0: *style = plain_span(); break;
        case 1: style->bold = 1; break;
        case 2: style->dim = 1; break;
        case 3: style->italic = 1; break;
        case 4: style->underline = 1; break;
        case 7: style->reverse = 1; break;
        case 22: style->bold = style->dim = 0; break;
        case 23: style->italic = 0; break;
        case 24: style->underline = 0; break;
        case 27: style->reverse = 0; break;
        case 38: i += extended_colour(numbers + i + 1, count - i - 1, &style->foreground); break;
        case 39: style->foreground = -1; break;
        case 48: i += extended_colour(numbers + i + 1, count - i - 1, &style->background); break;
        case 49: style->background = -1; break;
        default: set_colour(numbers[i], style); break;
        }
        /* clang-format on */
    }
}

static bool same_style(const struct safe_span *a, const struct safe_span *b)
{
    return a->bold == b->bold && a->dim == b->dim && a->italic == b->italic && a->underline == b->underline &&
           a->reverse == b->reverse && a->foreground == b->foreground && a->background == b->background;
}

/* Gives the bytes from the last span's end to `end` to `style`; with no room left the last span grows. */
static void cover(struct safe_span *spans, size_t room, size_t *count, const struct safe_span *style, size_t end)
{
    size_t start = *count > 0 ? spans[*count - 1].start + spans[*count - 1].length : 0;
    if (end == start || room == 0)
        return;
    if (*count > 0 && (*count == room || same_style(&spans[*count - 1], style))) {
        spans[*count - 1].length += end - start;
        return;
    }
    spans[*count] = *style;
    spans[*count].start = start;
    spans[*count].length = end - start;
    (*count)++;
}

/* Appends what stands before the next tab or sequence, and the tab as spaces. Returns its bytes. */
static size_t append_stretch(struct buf *out, const char *bytes, size_t length, size_t *column)
{
    if (bytes[0] == '\t') {
        size_t spaces = TAB - *column % TAB;
        buf_append(out, "        ", spaces);
        *column += spaces;
        return 1;
    }
    size_t stretch = 1;
    while (stretch < length && bytes[stretch] != '\t' && bytes[stretch] != '\033')
        stretch++;
    size_t before = out->length;
    safe_append(out, bytes, stretch, SAFE_ONE_LINE);
    if (out->length > before)
        *column += width_text(out->bytes + before, out->length - before);
    return stretch;
}

struct safe_text safe_log_line(const char *bytes, size_t length, struct safe_span *spans, size_t room, size_t *count)
{
    struct safe_text text = {NULL, 0};
    struct buf out = buf_make(length < (size_t)-1 / 16 ? length * TAB : (size_t)-1);
    struct safe_span style = plain_span();
    size_t column = 0;
    *count = 0;
    if (length > 0 && bytes[length - 1] == '\n')
        length--;
    if (length > 0 && bytes[length - 1] == '\r')
        length--;
    for (size_t at = 0; at < length;) {
        unsigned numbers[SGR_NUMBERS];
        size_t numbers_count;
        size_t used = read_sgr(bytes + at, length - at, numbers, &numbers_count);
        if (used > 0) {
            cover(spans, room, count, &style, out.length);
            obey(numbers, numbers_count, &style);
        } else {
            used = append_stretch(&out, bytes + at, length - at, &column);
        }
        at += used;
    }
    cover(spans, room, count, &style, out.length);
    text.bytes = buf_take(&out, &text.length);
    if (text.bytes == NULL)
        *count = 0;
    return text;
}
