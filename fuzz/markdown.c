/* Markdown: whatever is written, the lines hold nothing hidden, are covered by their spans, and fit but for code. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/markdown.h"
#include "text/width.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_text(const struct safe_text *text)
{
    size_t marks = 0;
    must(text->bytes != NULL && strlen(text->bytes) == text->length);
    for (size_t at = 0; at < text->length;) {
        unsigned code_point;
        size_t used = utf8_decode(text->bytes + at, text->length - at, &code_point);
        must(used > 1 || (unsigned char)text->bytes[at] < 0x80);
        must(!safe_is_hidden(code_point));
        marks = width_of(code_point) == 0 ? marks + 1 : 0;
        must(marks <= SAFE_COMBINING);
        at += used;
    }
}

static void check_line(const struct styled_line *line, size_t columns)
{
    size_t covered = 0;
    check_text(&line->text);
    for (size_t i = 0; i < line->span_count; i++) {
        must(line->spans[i].start == covered && line->spans[i].length > 0);
        must(i == 0 || line->spans[i].style != line->spans[i - 1].style);
        covered += line->spans[i].length;
    }
    must(covered == line->text.length);
    bool code = line->span_count > 0 && line->spans[line->span_count - 1].style == STYLE_CODE;
    must(code || width_text(line->text.bytes, line->text.length) <= columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length)
{
    if (length < 1)
        return 0;
    size_t columns = 10 + input[0] % 100;
    struct styled_lines lines;
    struct error err = ERROR_INIT;
    if (!markdown_render((const char *)input + 1, length - 1, columns, &lines, &err)) {
        must(err.kind == ERROR_LIMIT && lines.lines == NULL);
        return 0;
    }
    struct buf printed = buf_make(64 << 20);
    for (size_t i = 0; i < lines.count; i++)
        check_line(&lines.lines[i], columns);
    styled_lines_print(&lines, true, &printed);
    must(buf_ok(&printed));
    buf_free(&printed);
    styled_lines_free(&lines);
    return 0;
}
