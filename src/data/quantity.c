/* Quantities, exactly: a decimal mantissa of any length (within QUANTITY_DIGITS) and a power of ten. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/units.h"

enum {
    QUANTITY_DIGITS = 200, /* of the text; longer ones count as malformed */
    QUANTITY_ROOM = QUANTITY_DIGITS + 20, /* 2^60 adds 19 digits */
    FAST_DIGITS = 18, /* resource.Quantity's own fast way: what it takes, it reads more leniently */
};

/* How it is written: 1.5k, 1Gi, 15e2. */
enum format { FORMAT_DECIMAL, FORMAT_BINARY, FORMAT_EXPONENT };

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

/* Away from zero, to a whole number of units: who asks for a little gets a little. */
static void round_up(struct quantity *q, int unit)
{
    if (q->count == 0 || q->scale >= unit)
        return;
    int64_t dropped = unit - q->scale;
    q->count = (int64_t)q->count > dropped ? q->count - (size_t)dropped : 0;
    q->scale = unit;
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
        if (whole_count + fraction_count == 0 && q->scale < QUANTITY_NANO)
            return false;
    }
    for (int bits = suffix.base == 2 ? suffix.exponent : 0; bits > 0; bits -= 10)
        multiply(q, 1024);
    normalize(q);
    round_up(q, QUANTITY_NANO);
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

/* A text in its parts, leading zeros left out. */
struct parts {
    const char *whole, *fraction;
    size_t whole_count, fraction_count;
    struct suffix suffix;
    enum format format;
};

static void split(const char *text, struct parts *out)
{
    const char *at = text + (*text == '-' || *text == '+');
    at += strspn(at, "0");
    out->whole = at;
    out->whole_count = strspn(at, "0123456789");
    at += out->whole_count;
    bool point = *at == '.';
    at += point;
    out->fraction = at;
    out->fraction_count = point ? strspn(at, "0123456789") : 0;
    (void)read_suffix(at + out->fraction_count, &out->suffix); /* it has been read before */
    bool exponent = out->suffix.base == 10 && out->suffix.text[0] != '\0' && out->suffix.text[1] != '\0';
    out->format = out->suffix.base == 2 ? FORMAT_BINARY : exponent ? FORMAT_EXPONENT : FORMAT_DECIMAL;
}

static bool ends_in_three_zeros(const struct parts *p)
{
    size_t zeros = 0, all = p->whole_count + p->fraction_count;
    for (; zeros < 3 && zeros < all; zeros++) {
        char c = zeros < p->fraction_count ? p->fraction[p->fraction_count - 1 - zeros] : p->whole[all - 1 - zeros];
        if (c != '0')
            return false;
    }
    return zeros == 3;
}

/* resource.Quantity keeps the text of numbers that it takes the fast way and believes to be canonical, even "+1" and "5.". */
static bool is_kept(const struct parts *p, enum quantity_unit unit)
{
    size_t digits = p->whole_count + p->fraction_count;
    if (p->whole_count == 0)
        return false;
    if (p->format == FORMAT_BINARY) {
        size_t precision = p->whole_count + (size_t)(p->suffix.exponent * 3 / 10) + 1;
        return p->fraction_count == 0 && precision <= 15 && strtoull(p->whole, NULL, 10) % 8 != 0;
    }
    int64_t scale = (int64_t)p->suffix.exponent - (int64_t)p->fraction_count;
    return digits <= FAST_DIGITS && scale >= (int64_t)unit && scale % 3 == 0 && !ends_in_three_zeros(p);
}

static void print_decimal(struct quantity *q, enum format format, char out[static QUANTITY_TEXT])
{
    static const char *const names[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    size_t length = 0;
    if (q->negative)
        out[length++] = '-';
    for (size_t i = 0; i < q->count; i++)
        out[length++] = (char)('0' + q->digits[i]);
    for (; q->scale % 3 != 0; q->scale--)
        out[length++] = '0';
    out[length] = '\0';
    int64_t name = q->scale / 3 + 3;
    if (format == FORMAT_EXPONENT && q->scale != 0)
        snprintf(out + length, 24, "e%" PRId64, q->scale);
    else if (format == FORMAT_DECIMAL && name >= 0 && name < (int64_t)(sizeof names / sizeof names[0]))
        snprintf(out + length, 24, "%s", names[name]);
}

/* False: it has a fraction, or less than 1024 in it. */
static bool print_binary(const struct quantity *q, char out[static QUANTITY_TEXT])
{
    static const char *const names[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    if (q->scale < 0)
        return false;
    uint64_t value = 0; /* it has been capped */
    for (size_t i = 0; i < q->count; i++)
        value = value * 10 + q->digits[i];
    for (int64_t i = 0; i < q->scale; i++)
        value *= 10;
    if (value < 1024)
        return false;
    size_t name = 0;
    for (; value % 1024 == 0; value /= 1024)
        name++;
    snprintf(out, QUANTITY_TEXT, "%s%" PRIu64 "%s", q->negative ? "-" : "", value, names[name]);
    return true;
}

/* What nearly everybody writes: one to three digits, 0 not the first, and perhaps a usual suffix: it is canonical already. */
static bool is_usual(const char *text, enum quantity_unit unit)
{
    size_t digits = strspn(text, "0123456789");
    const char *suffix = text + digits;
    if (digits < 1 || digits > 3 || text[0] == '0')
        return false;
    if (suffix[0] == '\0' || suffix[1] == '\0')
        return suffix[0] == '\0' || strchr("kMGTP", suffix[0]) != NULL || (suffix[0] == 'm' && unit <= QUANTITY_MILLI);
    return strchr("KMGTP", suffix[0]) != NULL && suffix[1] == 'i' && suffix[2] == '\0';
}

bool quantity_canonical(const char *text, enum quantity_unit unit, char out[static QUANTITY_TEXT])
{
    struct quantity q;
    struct parts parts;
    if (is_usual(text, unit)) {
        strcpy(out, text);
        return true;
    }
    if (!read_quantity(text, &q))
        return false;
    split(text, &parts);
    if (is_kept(&parts, unit)) {
        snprintf(out, QUANTITY_TEXT, "%s", text);
        return true;
    }
    round_up(&q, (int)unit);
    if (q.count == 0)
        snprintf(out, QUANTITY_TEXT, "0");
    else if (parts.format != FORMAT_BINARY)
        print_decimal(&q, parts.format, out);
    else if (!print_binary(&q, out))
        print_decimal(&q, FORMAT_DECIMAL, out);
    return true;
}

const char *quantity_fault(const char *text)
{
    const char *at = text + (*text == '-' || *text == '+');
    at += strspn(at, "0123456789");
    if (*at == '.')
        at += 1 + strspn(at + 1, "0123456789");
    const char *name = at;
    at += strspn(at, "eEinumkKMGTP");
    at += *at == '-' || *at == '+';
    at += strspn(at, "0123456789");
    if (*text == '\0' || *at != '\0')
        return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    if (quantity_valid(text))
        return NULL;
    struct suffix suffix;
    return read_suffix(name, &suffix) ? "unable to parse numeric part of quantity" : "unable to parse quantity's suffix";
}
