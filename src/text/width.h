/* width.h: how many columns text takes, and where it may be broken.
 *
 * Widths are those of Unicode 15's East Asian Width with ambiguous characters narrow, emoji presentation wide, combining marks
 * and variation selectors 0 (from glibc's wcwidth where it agrees; see width.c for the exceptions and their reason).
 */
#ifndef KT_TEXT_WIDTH_H
#define KT_TEXT_WIDTH_H

#include <stddef.h>

#include "text/safe.h"

/* Decodes one code point of valid or invalid UTF-8 (invalid: U+FFFD, one byte). Returns bytes used; 0 at length 0. */
size_t utf8_decode(const char *bytes, size_t length, unsigned *code_point);
size_t utf8_encode(unsigned code_point, char out[static 4]);

int width_of(unsigned code_point);                   /* 0, 1 or 2 */
size_t width_text(const char *bytes, size_t length); /* columns; a tab counts to the next multiple of 8 from the start */
/* Bytes of the longest prefix that fits into `columns` (whole grapheme: base with its marks); *used gets its columns. */
size_t width_fit(const char *bytes, size_t length, size_t columns, size_t *used);
/* Shortens to `columns` with a final "…" where needed; appends to out. */
void width_cut(const char *bytes, size_t length, size_t columns, struct buf *out);

/* Finds where the next line of a paragraph (no newline in it) ends: breaks at spaces, between Han/kana/hangul characters, never
 * before closing or after opening CJK punctuation (a Unicode-line-breaking subset), inside an over-long word only when it must.
 * Returns bytes that belong on this line, spaces at the end of the line not included; *next is where the following line starts.
 * columns >= 2. */
size_t width_wrap(const char *bytes, size_t length, size_t columns, size_t *next);

#endif
