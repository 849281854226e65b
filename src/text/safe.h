/* safe.h: untrusted text made safe to draw, once, and a type that says so (docs/terminal-safety.md).
 *
 * Names, events, logs, error messages, lesson text, manifests: everything that a person sees passes here. Drawing functions
 * take struct safe_text and nothing else.
 */
#ifndef KT_TEXT_SAFE_H
#define KT_TEXT_SAFE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { SAFE_COMBINING = 4 }; /* combining marks kept on one base character */

struct safe_text {
    char *bytes; /* owned; valid UTF-8 without anything that a terminal would obey; NUL-terminated */
    size_t length;
};

enum safe_options {
    SAFE_ONE_LINE = 0, /* newlines and tabs are shown too, as ^J and ^I */
    SAFE_NEWLINES = 1, /* keeps \n, and \t as it is (drawing expands it) */
};

/* Makes a safe copy: C0, DEL, C1 (as code points and as raw bytes), invalid UTF-8 (each bad byte one U+FFFD), bidi and
 * invisible characters are shown, like <U+202E> or ^[ ; combining marks are capped, and one with nothing before it gets a
 * dotted circle. A lone CR is shown; CR LF is a newline. The safe form of a safe text is the text itself. It is at most four
 * times as long. No memory: bytes is NULL, length 0 (drawing takes that as empty). The caller frees with safe_free. */
struct safe_text safe_make(const char *bytes, size_t length, enum safe_options options);
struct safe_text safe_string(const char *string); /* one line; NULL is empty */
void safe_free(struct safe_text *text);
/* Appends the safe form to a buffer; same rules. Text may come in pieces, cut between characters: marks are counted across
 * them. */
void safe_append(struct buf *out, const char *bytes, size_t length, enum safe_options options);

/* True if the code point is never sent as it is. */
bool safe_is_hidden(unsigned code_point);

/* A log line's colours: SGR sequences (ESC [ digits and ; m) are parsed to spans, everything else is made safe. */
struct safe_span {
    size_t start, length; /* bytes in the safe text */
    unsigned char bold, dim, italic, underline, reverse;
    signed short foreground, background; /* -1 default, 0..255 palette; RGB is mapped to the 6x6x6 cube */
};
/* One line of a log, its line end left out and its tabs expanded. spans: up to `room` (>= 1; further changes are left out),
 * *count are used; together they cover the text. No memory: as safe_make. The caller frees with safe_free. */
struct safe_text safe_log_line(const char *bytes, size_t length, struct safe_span *spans, size_t room, size_t *count);

#endif
