/* markdown.h: Markdown to styled blocks (md4c), and blocks to lines of a given width.
 *
 * CommonMark plus tables and task lists are read; HTML, images and raw links are shown as text. All text in the result is safe.
 * A soft line break between two Han characters (or full-width punctuation) is nothing, else a space.
 */
#ifndef KT_TEXT_MARKDOWN_H
#define KT_TEXT_MARKDOWN_H

#include "base/buf.h"
#include "base/error.h"
#include "text/safe.h"

enum style { /* bits */
             STYLE_NORMAL = 0,
             STYLE_STRONG = 1,
             STYLE_EMPHASIS = 2,
             STYLE_CODE = 4,
             STYLE_HEADING = 8,
             STYLE_LINK = 16,
             STYLE_QUOTE = 32,
             STYLE_MUTED = 64,
};

struct styled_span {
    size_t start, length; /* bytes of the line's text */
    unsigned style;
};

/* One line as it will be drawn. */
struct styled_line {
    struct safe_text text;
    struct styled_span *spans; /* cover the text from start to end, in order */
    size_t span_count;
};

struct styled_lines {
    struct styled_line *lines;
    size_t count;
};

/* Renders Markdown to lines of at most `columns` (10 to 1000). Code blocks keep their lines (the last span's style is
 * STYLE_CODE and nothing else; cut by the drawer, never wrapped); list items are indented under their mark; tables get columns,
 * or become "heading: cell" lines where those would be too narrow. Indentation takes half of the columns at most. At most 1 MiB
 * of source, 20,000 lines and 20,000 cells of a table: ERROR_LIMIT. On failure lines are empty; on success the caller frees
 * them. */
bool markdown_render(const char *source, size_t length, size_t columns, struct styled_lines *lines, struct error *err)
    __attribute__((warn_unused_result));
void styled_lines_free(struct styled_lines *lines);

/* Appends lines as text for a terminal, with SGR sequences where `colour`, plain else. */
void styled_lines_print(const struct styled_lines *lines, bool colour, struct buf *out);

#endif
