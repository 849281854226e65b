/* number.h: decimal texts and numbers, exact and in no locale but C (a decimal point is a point whatever LC_NUMERIC says).
 */
#ifndef KT_DATA_NUMBER_H
#define KT_DATA_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An integer from -2^63 to 2^64-1. Zero is never negative. */
struct number_integer {
    bool negative;
    uint64_t magnitude;
};

enum { NUMBER_TEXT = 40 }; /* bytes that any number's text takes, NUL included */

/* Reads `length` characters, an optional sign and decimal digits. False if there is anything else or it is out of range. */
bool number_read(const char *digits, size_t length, struct number_integer *out);
/* The integer that a double is; false for fractions, infinities and what is out of range. */
bool number_from_double(double d, struct number_integer *out);
double number_to_double(struct number_integer integer);
/* False if it does not fit. */
bool number_to_int(struct number_integer integer, int64_t *out);
/* True if a double cannot tell this integer from its neighbours (beyond 2^53). */
bool number_needs_text(struct number_integer integer);
void number_print_integer(struct number_integer integer, char out[static NUMBER_TEXT]);

/* strtod in the C locale. */
double number_read_double(const char *text, char **end);
/* The shortest of the usual forms that reads back as the same double; JSON's syntax. Infinities and NaN give "null". */
void number_print(double d, char out[static NUMBER_TEXT]);
/* The text that Go's FormatFloat(d, 'g', -1, 32) makes, which is what kubectl's YAML makes of a key like 1.50; .inf and .nan too. */
void number_print_key(double d, char out[static NUMBER_TEXT]);

#endif
