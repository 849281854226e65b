#include "data/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MOST 9007199254740992.0 /* 2^53 */
#define TWO_64 18446744073709551616.0

/* glibc keeps the C locale as a constant: nothing is allocated and nothing need be freed. */
static locale_t c_locale(void)
{
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

bool number_read(const char *digits, size_t length, struct number_integer *out)
{
    const char *end = digits + length;
    bool negative = length > 0 && *digits == '-';
    if (length > 0 && (*digits == '-' || *digits == '+'))
        digits++;
    if (digits == end)
        return false;
    uint64_t magnitude = 0;
    for (; digits < end; digits++) {
        if (*digits < '0' || *digits > '9')
            return false;
        uint64_t digit = (uint64_t)(*digits - '0');
        if (magnitude > (UINT64_MAX - digit) / 10)
            return false;
        magnitude = magnitude * 10 + digit;
    }
    if (negative && magnitude > (uint64_t)INT64_MAX + 1)
        return false;
    *out = (struct number_integer){.negative = negative && magnitude > 0, .magnitude = magnitude};
    return true;
}

bool number_from_double(double d, struct number_integer *out)
{
    if (!(d >= -TWO_64 / 2 && d < TWO_64) || d != trunc(d))
        return false;
    *out = (struct number_integer){.negative = d < 0, .magnitude = (uint64_t)fabs(d)};
    return true;
}

double number_to_double(struct number_integer integer)
{
    double d = (double)integer.magnitude;
    return integer.negative ? -d : d;
}

bool number_to_int(struct number_integer integer, int64_t *out)
{
    if (integer.negative) {
        *out = integer.magnitude > (uint64_t)INT64_MAX ? INT64_MIN : -(int64_t)integer.magnitude;
        return true;
    }
    if (integer.magnitude > (uint64_t)INT64_MAX)
        return false;
    *out = (int64_t)integer.magnitude;
    return true;
}

bool number_needs_text(struct number_integer integer)
{
    return integer.magnitude > (uint64_t)EXACT_MOST;
}

void number_print_integer(struct number_integer integer, char out[static NUMBER_TEXT])
{
    char digits[NUMBER_TEXT];
    size_t first = sizeof digits;
    digits[--first] = '\0';
    do
        digits[--first] = (char)('0' + integer.magnitude % 10);
    while ((integer.magnitude /= 10) > 0);
    if (integer.negative)
        digits[--first] = '-';
    memcpy(out, digits + first, sizeof digits - first);
}

double number_read_double(const char *text, char **end)
{
    return strtod_l(text, end, c_locale());
}

void number_print(double d, char out[static NUMBER_TEXT])
{
    struct number_integer integer;
    if (!isfinite(d)) {
        snprintf(out, NUMBER_TEXT, "null");
        return;
    }
    if (number_from_double(d, &integer)) {
        number_print_integer(integer, out);
        return;
    }
    locale_t before = uselocale(c_locale());
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, NUMBER_TEXT, "%.*g", digits, d);
        if (strtod(out, NULL) == d)
            break;
    }
    uselocale(before);
}

void number_print_key(double d, char out[static NUMBER_TEXT])
{
    float f = (float)d;
    int digits = 0;
    if (isnan(d) || isinf(f)) {
        snprintf(out, NUMBER_TEXT, "%s", isnan(d) ? ".nan" : d < 0 ? "-.inf" : ".inf");
        return;
    }
    locale_t before = uselocale(c_locale());
    do
        snprintf(out, NUMBER_TEXT, "%.*e", digits, (double)f);
    while (++digits < 9 && strtof(out, NULL) != f);
    int exponent = atoi(strchr(out, 'e') + 1);
    if (exponent >= -4 && exponent < 6)
        snprintf(out, NUMBER_TEXT, "%.*f", digits - 1 > exponent ? digits - 1 - exponent : 0, (double)f);
    uselocale(before);
}
