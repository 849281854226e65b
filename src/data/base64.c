/* base64 of units.h. */
#include <string.h>

#include "base/mem.h"
#include "data/units.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* Line ends are passed over anywhere, as Go's decoder does: people paste wrapped base64. */
bool base64_valid(const char *text, size_t length)
{
    size_t digits = 0, padding = 0;
    for (size_t i = 0; i < length; i++) {
        if (is_line_end(text[i]))
            continue;
        if (text[i] == '=')
            padding++;
        else if (digit_of(text[i]) < 0 || padding > 0)
            return false;
        else
            digits++;
    }
    size_t rest = digits % 4;
    return rest != 1 && (padding == 0 || (rest > 1 && rest + padding == 4));
}

char *base64_decode(const char *text, size_t length, size_t *decoded)
{
    char *bytes = base64_valid(text, length) ? mem_alloc(length / 4 * 3 + 4) : NULL, *to = bytes;
    unsigned long bits = 0;
    size_t digits = 0;
    if (bytes == NULL)
        return NULL;
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        if (is_line_end(text[i]))
            continue;
        bits = bits << 6 | (unsigned long)digit_of(text[i]);
        if (++digits % 4 == 0) {
            *to++ = (char)(bits >> 16);
            *to++ = (char)(bits >> 8);
            *to++ = (char)bits;
        }
    }
    size_t rest = digits % 4;
    if (rest >= 2)
        *to++ = (char)(bits >> (rest == 2 ? 4 : 10));
    if (rest == 3)
        *to++ = (char)(bits >> 2);
    *to = '\0';
    *decoded = (size_t)(to - bytes);
    return bytes;
}

char *base64_encode(const void *bytes, size_t length)
{
    const unsigned char *from = bytes;
    char *text = length < PTRDIFF_MAX / 2 ? mem_alloc((length + 2) / 3 * 4 + 1) : NULL, *to = text;
    if (text == NULL)
        return NULL;
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        unsigned long bits = (unsigned long)from[i] << 16;
        bits |= left > 1 ? (unsigned long)from[i + 1] << 8 : 0;
        bits |= left > 2 ? from[i + 2] : 0;
        *to++ = alphabet[bits >> 18];
        *to++ = alphabet[bits >> 12 & 63];
        *to++ = left > 1 ? alphabet[bits >> 6 & 63] : '=';
        *to++ = left > 2 ? alphabet[bits & 63] : '=';
    }
    *to = '\0';
    return text;
}
