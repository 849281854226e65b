/* Quantities, exactly: a decimal mantissa of any length (within QUANTITY_DIGITS) and a power of ten. */
#include <stdlib.h>
#include <string.h>

#include "data/units.h"

enum {
    QUANTITY_DIGITS = 200, /* of the text; longer ones count as malformed */
    QUANTITY_ROOM = QUANTITY_DIGITS + 20, /* 2^60 adds 19 digits */
    NANO = -9,
    FAST_DIGITS = 18, /* resource.Quantity's own fast way: what it takes, it reads more leniently */
};

/* digits * 10^scale; no digits: zero. No zero stands first or last. */
struct quantity {
    bool negative;
    size_t count;
    int64_t scale;
    unsigned char digits[QUANTITY_ROOM];
};

static const struct suffix {
    const char *text;
    int base, exponent;
} suffixes[] = {
    {"", 10, 0},   {"n", 10, -9}, {"u", 10, -6}, {"m", 10, -3}, {"k", 10, 3},  {"M", 10, 6},  {"G", 10, 9},  {"T", 10, 12},
    {"P", 10, 15}, {"E", 10, 18}, {"Ki", 2, 10}, {"Mi", 2, 20}, {"Gi", 2, 30}, {"Ti", 2, 40}, {"Pi", 2, 50}, {"Ei", 2, 60},
};

/* e5, E-3: the sign may be missing, the digits may not. Wraps at 32 bits as the original does. */
static bool read_exponent(const char *text, struct suffix *out)
{
    const char *digits = text + 1 + (text[1] == '-' || text[1] == '+');
    size_t length = strspn(digits, "0123456789");
    if ((text[0] != 'e' && text[0] != 'E') || length == 0 || length > FAST_DIGITS || digits[length] != '\0')
        return false;
    *out = (struct suffix){.text = text, .base = 10, .exponent = (int)(int32_t)strtoll(text + 1, NULL, 10)};
    return true;
}

static bool read_suffix(const char *text, struct suffix *out)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (strcmp(text, suffixes[i].text) == 0) {
            *out = suffixes[i];
            return true;
        }
    }
    return read_exponent(text, out);
}

static void normalize(struct quantity *q)
{
    size_t zeros = 0;
    while (zeros < q->count && q->digits[zeros] == 0)
        zeros++;
    memmove(q->digits, q->digits + zeros, q->count - zeros);
    q->count -= zeros;
    while (q->count > 0 && q->digits[q->count - 1] == 0) {
        q->count--;
        q->scale++;
    }
    if (q->count == 0) {
        q->scale = 0;
        q->negative = false;
    }
}

static void multiply(struct quantity *q, unsigned factor)
{
    unsigned char product[QUANTITY_ROOM];
    size_t at = sizeof product;
    unsigned carry = 0;
    for (size_t i = q->count; i > 0 || carry > 0;) {
        carry += i > 0 ? q->digits[--i] * factor : 0;
        product[--at] = (unsigned char)(carry % 10);
        carry /= 10;
    }
    q->count = sizeof product - at;
    memcpy(q->digits, product + at, q->count);
}

/* Away from zero, to whole billionths: who asks for a little gets a little. */
static void round_up_to_nano(struct quantity *q)
{
    if (q->count == 0 || q->scale >= NANO)
        return;
    int64_t dropped = NANO - q->scale;
    q->count = (int64_t)q->count > dropped ? q->count - (size_t)dropped : 0;
    q->scale = NANO;
    size_t i = q->count; /* add one: what was dropped was not zero, since no zero stands last */
    while (i > 0 && q->digits[i - 1] == 9)
        q->digits[--i] = 0;
    if (i > 0) {
        q->digits[i - 1]++;
    } else {
        memmove(q->digits + 1, q->digits, q->count);
        q->digits[0] = 1;
        q->count++;
    }
    normalize(q);
}

static int compare_magnitude(const struct quantity *a, const struct quantity *b)
{
    if (a->count == 0 || b->count == 0)
        return (a->count > 0) - (b->count > 0);
    int64_t top_a = a->scale + (int64_t)a->count, top_b = b->scale + (int64_t)b->count;
    if (top_a != top_b)
        return top_a < top_b ? -1 : 1;
    size_t both = a->count < b->count ? a->count : b->count;
    int order = memcmp(a->digits, b->digits, both);
    return order != 0 ? order : (a->count > b->count) - (a->count < b->count);
}

/* Binary quantities end at 2^63-1; decimal ones do not. */
static void cap(struct quantity *q)
{
    static const struct quantity most = {.count = 19, .digits = {9, 2, 2, 3, 3, 7, 2, 0, 3, 6, 8, 5, 4, 7, 7, 5, 8, 0, 7}};
    if (compare_magnitude(q, &most) <= 0)
        return;
    bool negative = q->negative;
    *q = most;
    q->negative = negative;
}

static bool append_digits(struct quantity *q, const char *digits, size_t count)
{
    if (count > QUANTITY_DIGITS - q->count)
        return false;
    for (size_t i = 0; i < count; i++)
        q->digits[q->count++] = (unsigned char)(digits[i] - '0');
    return true;
}

static bool read_quantity(const char *text, struct quantity *q)
{
    *q = (struct quantity){.negative = *text == '-'};
    if (*text == '\0')
        return false;
    const char *whole = text + (*text == '-' || *text == '+');
    size_t whole_count = strspn(whole, "0123456789");
    const char *fraction = whole + whole_count;
    bool point = *fraction == '.';
    fraction += point;
    size_t fraction_count = point ? strspn(fraction, "0123456789") : 0;
    struct suffix suffix;
    if (!append_digits(q, whole, whole_count) || !append_digits(q, fraction, fraction_count) ||
        !read_suffix(fraction + fraction_count, &suffix))
        return false;
    q->scale = -(int64_t)fraction_count;
    if (suffix.base == 10) {
        q->scale += suffix.exponent;
        /* "m" alone is zero there, but "e-10" is not a number: only the fast way forgives that there are no digits. */
        if (whole_count + fraction_count == 0 && q->scale < NANO)
            return false;
    }
    for (int bits = suffix.base == 2 ? suffix.exponent : 0; bits > 0; bits -= 10)
        multiply(q, 1024);
    normalize(q);
    round_up_to_nano(q);
    if (suffix.base == 2)
        cap(q);
    return true;
}

bool quantity_compare(const char *a, const char *b, int *order)
{
    struct quantity qa, qb;
    if (!read_quantity(a, &qa) || !read_quantity(b, &qb))
        return false;
    if (qa.negative != qb.negative)
        *order = qa.negative ? -1 : 1;
    else
        *order = qa.negative ? -compare_magnitude(&qa, &qb) : compare_magnitude(&qa, &qb);
    return true;
}

bool quantity_valid(const char *text)
{
    struct quantity q;
    return read_quantity(text, &q);
}
