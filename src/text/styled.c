/* Styled lines after they are made: given back, or written as text for a terminal. */
#include "text/markdown.h"

#include "base/mem.h"

void styled_lines_free(struct styled_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        safe_free(&lines->lines[i].text);
        mem_free(lines->lines[i].spans);
    }
    mem_free(lines->lines);
    *lines = (struct styled_lines){NULL, 0};
}

/* What each style is in SGR; those that are together add up. */
static const struct {
    unsigned style;
    const char *sgr;
} colours[] = {
    {STYLE_STRONG, ";1"}, {STYLE_EMPHASIS, ";3"}, {STYLE_CODE, ";36"}, {STYLE_HEADING, ";1;34"},
    {STYLE_LINK, ";4"},   {STYLE_QUOTE, ";32"},   {STYLE_MUTED, ";2"},
};

static void print_coloured(const struct styled_line *line, struct buf *out)
{
    for (size_t i = 0; i < line->span_count; i++) {
        const struct styled_span *span = &line->spans[i];
        if (span->style != STYLE_NORMAL) {
            buf_append_string(out, "\033[0");
            for (size_t c = 0; c < sizeof colours / sizeof *colours; c++)
                if (span->style & colours[c].style)
                    buf_append_string(out, colours[c].sgr);
            buf_append_string(out, "m");
        }
        buf_append(out, line->text.bytes + span->start, span->length);
        if (span->style != STYLE_NORMAL)
            buf_append_string(out, "\033[0m");
    }
}

void styled_lines_print(const struct styled_lines *lines, bool colour, struct buf *out)
{
    for (size_t i = 0; i < lines->count; i++) {
        const struct styled_line *line = &lines->lines[i];
        if (colour)
            print_coloured(line, out);
        else
            buf_append(out, line->text.bytes, line->text.length);
        buf_append(out, "\n", 1);
    }
}
