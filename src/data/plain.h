/* plain.h: bytes of JSON strings that stand for themselves: ASCII but for controls, the quote and the backslash; for this folder only.
 */
#ifndef KT_DATA_PLAIN_H
#define KT_DATA_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Eight bytes at once: bits that are set where one of them is smaller than n (128 at most), or equal to c; right up to the first one in memory's order
 * of a little-endian machine. */
#define EACH_BYTE(c) (UINT64_C(0x0101010101010101) * (c))
#define SMALLER(bytes, n) (((bytes) - EACH_BYTE(n)) & ~(bytes) & EACH_BYTE(0x80))
#define EQUAL(bytes, c) SMALLER((bytes) ^ EACH_BYTE(c), 1)

/* Not 0 if one of eight bytes is not plain. */
static inline uint64_t not_plain(const char *string)
{
    uint64_t eight;
    memcpy(&eight, string, sizeof eight);
    return SMALLER(eight, 0x20) | EQUAL(eight, '"') | EQUAL(eight, '\\') | (eight & EACH_BYTE(0x80));
}

/* How many bytes, of at most `most`, are plain. */
static inline size_t plain_length(const char *bytes, size_t most)
{
    size_t length = 0;
    while (length + 8 <= most && not_plain(bytes + length) == 0)
        length += 8;
    while (length < most && is_plain((unsigned char)bytes[length]))
        length++;
    return length;
}

#endif
