/* utf8.h: telling valid UTF-8 from the rest (RFC 3629: no surrogates, no overlong forms, nothing above U+10FFFF).
 */
#ifndef KT_DATA_UTF8_H
#define KT_DATA_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define UTF8_REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* Bytes of the character at `at`, `left` of them readable; 0 if it is not valid UTF-8. */
static inline size_t utf8_length(const unsigned char *at, size_t left)
{
    if (left == 0)
        return 0;
    if (at[0] < 0x80)
        return 1;
    if (at[0] < 0xC2 || at[0] > 0xF4)
        return 0;
    size_t length = at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
    if (left < length)
        return 0;
    unsigned char low = at[0] == 0xE0 ? 0xA0 : at[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = at[0] == 0xED ? 0x9F : at[0] == 0xF4 ? 0x8F : 0xBF;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

/* Writes a code point (no surrogate) and returns its bytes, at most 4. */
static inline size_t utf8_write(unsigned long point, char *out)
{
    static const unsigned char marks[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (point & 0x3F));
        point >>= 6;
    }
    out[0] = (char)(marks[length] | point);
    return length;
}

/* True if all of it is. */
bool utf8_valid(const char *text, size_t length);
/* Appends the text, each byte that is not UTF-8 replaced by U+FFFD. */
void utf8_repair(const char *text, size_t length, struct buf *out);

#endif
