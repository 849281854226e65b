/* rich.h: text with styles while it is put together, cut into lines, and laid out; inside text/ only.
 *
 * A rich text is safe (it is built with safe_append) and holds no tab; its only control is the newline of a hard line break. A
 * failed append (no memory, or past the maximum) sticks, as in a buf: one look at rich_ok() at the end is enough.
 */
#ifndef KT_TEXT_RICH_H
#define KT_TEXT_RICH_H

#include "text/markdown.h"

struct rich {
    struct buf text;
    struct styled_span *runs; /* owned; cover the text in order, neighbours differ in style */
    size_t count, room;
};

struct rich rich_make(size_t maximum);
void rich_free(struct rich *rich);
void rich_clear(struct rich *rich); /* keeps the memory */
bool rich_ok(const struct rich *rich) __attribute__((warn_unused_result));

/* Appends the safe form; a tab becomes one space. */
void rich_append(struct rich *rich, const char *bytes, size_t length, unsigned style);
void rich_append_string(struct rich *rich, const char *string, unsigned style);
void rich_break(struct rich *rich, unsigned style); /* a hard line break */
/* Appends bytes start..end of another, with its styles and `style` besides. */
void rich_append_slice(struct rich *rich, const struct rich *from, size_t start, size_t end, unsigned style);
void rich_pad(struct rich *rich, size_t columns, unsigned style); /* spaces */
void rich_trim(struct rich *rich);                                /* drops spaces at the end */
size_t rich_width(const struct rich *rich);

/* Cuts the next line of at most `columns` off: bytes *start..*end, and *at moves behind. False when nothing is left. */
bool rich_next_line(const struct rich *rich, size_t columns, size_t *at, size_t *start, size_t *end);

/* The lines made so far. */
struct page {
    struct styled_lines *lines;
    size_t room;
    enum error_kind failed; /* ERROR_NONE, ERROR_MEMORY or ERROR_LIMIT; once set, nothing more is added */
};

enum { PAGE_LINES = 20000 };

/* Adds a copy of a text without line breaks as a line. */
void page_add(struct page *page, const struct rich *line);

#endif
