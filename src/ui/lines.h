/* lines.h: what a pane shows: lines of safe text with roles, of no more columns than the pane has. Internal to this folder.
 *
 * Views build lines from what is known (lesson, verdict, tree); screen.c draws them. Nothing here knows curses, so that views can be tested without a terminal.
 * A line for which there is no memory is left out.
 */
#ifndef KT_UI_LINES_H
#define KT_UI_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "text/safe.h"

/* What a piece of text is; the theme says how that looks. */
enum role {
    ROLE_TEXT,
    ROLE_STRONG,
    ROLE_EMPHASIS,
    ROLE_CODE,
    ROLE_HEADING,
    ROLE_LINK,
    ROLE_MUTED,
    ROLE_COMMAND,
    ROLE_CHOICE,   /* an answer that can be chosen */
    ROLE_SELECTED, /* the one under the cursor */
    ROLE_GOOD,
    ROLE_BUSY,
    ROLE_BAD,
    ROLE_WHY,
    ROLE_FRAME,
    ROLE_FOCUS, /* frame and title of the pane that has the focus */
    ROLE_STATUS,
    ROLE_KEY,
    ROLE_BANNER,
    ROLE_FLASH, /* just changed */
    ROLE_COUNT,
};

struct role_span {
    size_t start, length; /* bytes; spans are in order and do not overlap; what none covers is ROLE_TEXT */
    enum role role;
};
struct line {
    struct safe_text text;
    struct role_span *spans;
    size_t span_count;
    int target; /* what Enter means here (the number of a choice, a lesson), -1: nothing */
};

enum { LINES_MAXIMUM = 20000 };
/* A list of struct line. */
struct vec lines_make(void);

/* How a text becomes lines. Prefixes are words of the program itself or made safe before. */
struct lines_shape {
    size_t columns;           /* prefix included */
    const char *first, *rest; /* before the first line and before the others; NULL: nothing */
    enum role role, prefix_role;
    int target;
    bool wrap;   /* lines_code: a long line goes on in the next, after a mark; else it is cut by the drawer */
    size_t most; /* lines of a text, the last one then ends in an ellipsis; 0: as many as it takes */
};
/* Appends a text of any origin: made safe here, wrapped, a line end in it ends a line. */
void lines_text(struct vec *lines, const char *text, const struct lines_shape *shape);
/* Appends Markdown. Spans keep their own look where it differs from plain text; plain text gets shape's role. Where it cannot be rendered it is shown as it is. */
void lines_markdown(struct vec *lines, const char *markdown, const struct lines_shape *shape);
/* Appends code as it is. <placeholders> stand out. */
void lines_code(struct vec *lines, const char *code, const struct lines_shape *shape);
void lines_blank(struct vec *lines); /* no second one after a blank line, none at the top */

#endif
