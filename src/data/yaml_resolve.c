#include "data/yaml_resolve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const struct {
    const char *text;
    struct yaml_scalar scalar;
} words[] = {
    {"y", {.type = YAML_BOOL_TYPE, .truth = true}},
    {"Y", {.type = YAML_BOOL_TYPE, .truth = true}},
    {"yes", {.type = YAML_BOOL_TYPE, .truth = true}},
    {"Yes", {.type = YAML_BOOL_TYPE, .truth = true}},
    {"YES", {.type = YAML_BOOL_TYPE, .truth = true}},
    {"true", {.type = YAML_BOOL_TYPE, .truth = true}},
    {"True", {.type = YAML_BOOL_TYPE, .truth = true}},
    {"TRUE", {.type = YAML_BOOL_TYPE, .truth = true}},
    {"on", {.type = YAML_BOOL_TYPE, .truth = true}},
    {"On", {.type = YAML_BOOL_TYPE, .truth = true}},
    {"ON", {.type = YAML_BOOL_TYPE, .truth = true}},
    {"n", {.type = YAML_BOOL_TYPE}},
    {"N", {.type = YAML_BOOL_TYPE}},
    {"no", {.type = YAML_BOOL_TYPE}},
    {"No", {.type = YAML_BOOL_TYPE}},
    {"NO", {.type = YAML_BOOL_TYPE}},
    {"false", {.type = YAML_BOOL_TYPE}},
    {"False", {.type = YAML_BOOL_TYPE}},
    {"FALSE", {.type = YAML_BOOL_TYPE}},
    {"off", {.type = YAML_BOOL_TYPE}},
    {"Off", {.type = YAML_BOOL_TYPE}},
    {"OFF", {.type = YAML_BOOL_TYPE}},
    {"", {.type = YAML_NULL_TYPE}},
    {"~", {.type = YAML_NULL_TYPE}},
    {"null", {.type = YAML_NULL_TYPE}},
    {"Null", {.type = YAML_NULL_TYPE}},
    {"NULL", {.type = YAML_NULL_TYPE}},
    {".nan", {.type = YAML_FLOAT_TYPE, .real = (double)NAN}},
    {".NaN", {.type = YAML_FLOAT_TYPE, .real = (double)NAN}},
    {".NAN", {.type = YAML_FLOAT_TYPE, .real = (double)NAN}},
    {".inf", {.type = YAML_FLOAT_TYPE, .real = (double)INFINITY}},
    {".Inf", {.type = YAML_FLOAT_TYPE, .real = (double)INFINITY}},
    {".INF", {.type = YAML_FLOAT_TYPE, .real = (double)INFINITY}},
    {"+.inf", {.type = YAML_FLOAT_TYPE, .real = (double)INFINITY}},
    {"+.Inf", {.type = YAML_FLOAT_TYPE, .real = (double)INFINITY}},
    {"+.INF", {.type = YAML_FLOAT_TYPE, .real = (double)INFINITY}},
    {"-.inf", {.type = YAML_FLOAT_TYPE, .real = -(double)INFINITY}},
    {"-.Inf", {.type = YAML_FLOAT_TYPE, .real = -(double)INFINITY}},
    {"-.INF", {.type = YAML_FLOAT_TYPE, .real = -(double)INFINITY}},
};

enum { LONGEST_WORD = 5 };

static bool find_word(const char *text, size_t length, struct yaml_scalar *out)
{
    for (size_t i = 0; length <= LONGEST_WORD && i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i].text) == length && memcmp(words[i].text, text, length) == 0) {
            *out = words[i].scalar;
            return true;
        }
    }
    return false;
}

static size_t digits_at(const char *text)
{
    return strspn(text, "0123456789");
}

/* One of Go's layouts "2006-1-2T15:4:5.999999999Z07:00", with a small t, "2006-1-2 15:4:5.999999999" and "2006-1-2". */
static bool is_clock(const char *at, bool zone)
{
    static const int most[] = {23, 59, 59};
    for (int i = 0; i < 3; i++) {
        size_t digits = digits_at(at);
        if (digits < 1 || digits > 2 || atoi(at) > most[i])
            return false;
        at += digits;
        if (i < 2 && *at++ != ':')
            return false;
    }
    if (*at == '.' || *at == ',') {
        size_t digits = digits_at(at + 1);
        if (digits == 0)
            return false;
        at += digits + 1;
    }
    if (!zone || strcmp(at, "Z") == 0)
        return zone ? true : *at == '\0';
    return (*at == '+' || *at == '-') && strlen(at) == 6 && digits_at(at + 1) == 2 && at[3] == ':' && digits_at(at + 4) == 2 &&
           atoi(at + 1) <= 24 && atoi(at + 4) <= 60;
}

static bool is_time(const char *text)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (digits_at(text) != 4 || text[4] != '-')
        return false;
    int year = atoi(text), month = atoi(text + 5);
    size_t month_digits = digits_at(text + 5);
    const char *at = text + 5 + month_digits;
    if (month_digits < 1 || month_digits > 2 || *at++ != '-' || month < 1 || month > 12)
        return false;
    int day = atoi(at), leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    size_t day_digits = digits_at(at);
    if (day_digits < 1 || day_digits > 2 || day < 1 || day > days[month - 1] + (month == 2 && leap))
        return false;
    at += day_digits;
    if (*at == '\0')
        return true;
    return *at == ' ' ? is_clock(at + 1, false) : (*at == 'T' || *at == 't') && is_clock(at + 1, true);
}

/* Digits of a base, with no sign; false if they are none or beyond 64 bits. */
static bool read_base(const char *digits, unsigned base, uint64_t *out)
{
    *out = 0;
    if (*digits == '\0')
        return false;
    for (; *digits != '\0'; digits++) {
        char low = (char)(*digits | 0x20);
        unsigned digit = *digits >= '0' && *digits <= '9' ? (unsigned)(*digits - '0')
                         : low >= 'a' && low <= 'f'       ? (unsigned)(low - 'a' + 10)
                                                          : 99;
        if (digit >= base || *out > (UINT64_MAX - digit) / base)
            return false;
        *out = *out * base + digit;
    }
    return true;
}

/* Go's ParseInt with base 0, then ParseUint: 0x, 0o, 0b and a leading 0 for octal; only without a sign up to 2^64-1. */
static bool read_integer(const char *text, struct number_integer *out)
{
    bool sign = *text == '-' || *text == '+', negative = *text == '-';
    const char *digits = text + sign;
    char prefix = digits[0] == '0' ? (char)(digits[1] | 0x20) : '\0';
    unsigned base = prefix == 'x' ? 16 : prefix == 'o' ? 8 : prefix == 'b' ? 2 : 10;
    if (base != 10) {
        digits += 2;
    } else if (digits[0] == '0' && digits[1] != '\0') {
        base = 8;
        digits++;
    }
    uint64_t magnitude;
    if (prefix == 'b' && !sign && (*digits == '-' || *digits == '+')) { /* 0b-101, by the way go-yaml tries that once more */
        sign = true;
        negative = *digits++ == '-';
    }
    if (!read_base(digits, base, &magnitude) || (sign && magnitude > (uint64_t)INT64_MAX + negative))
        return false;
    *out = (struct number_integer){.negative = negative && magnitude > 0, .magnitude = magnitude};
    return true;
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? and finite */
static bool read_real(const char *text, double *out)
{
    const char *at = text + (*text == '-' || *text == '+');
    size_t whole = digits_at(at), fraction = 0;
    at += whole;
    if (*at == '.') {
        fraction = digits_at(++at);
        at += fraction;
    }
    if (whole + fraction == 0)
        return false;
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '-' || *at == '+';
        size_t digits = digits_at(at);
        if (digits == 0)
            return false;
        at += digits;
    }
    if (*at != '\0')
        return false;
    *out = number_read_double(text, NULL);
    return isfinite(*out);
}

/* Behind a leading point, underscores stand between digits only; behind a digit or a sign they may stand anywhere. */
static bool underscores_fit(const char *text)
{
    for (const char *at = text; *text == '.' && *at != '\0'; at++)
        if (*at == '_' && (digits_at(at - 1) != 1 || digits_at(at + 1) == 0))
            return false;
    return true;
}

/* Numbers and times; `text` has no NUL inside. plain is room for a copy of it. */
static bool resolve_number(const char *text, bool times, char *plain, struct yaml_scalar *out)
{
    *out = (struct yaml_scalar){.type = YAML_TIME_TYPE};
    if (times && is_time(text))
        return true;
    char *to = plain;
    for (const char *at = text; *at != '\0'; at++)
        if (*at != '_')
            *to++ = *at;
    *to = '\0';
    if (*text != '.') {
        out->type = YAML_INT_TYPE;
        if (read_integer(plain, &out->integer))
            return true;
    }
    out->type = YAML_FLOAT_TYPE;
    return underscores_fit(text) && read_real(plain, &out->real);
}

static bool resolve(const char *text, size_t length, bool times, struct yaml_scalar *out)
{
    *out = (struct yaml_scalar){.type = YAML_STRING_TYPE};
    if (find_word(text, length, out) || strchr("+-.0123456789", *text) == NULL || memchr(text, '\0', length) != NULL)
        return true;
    char *plain = mem_alloc(length + 1);
    if (plain == NULL)
        return false;
    if (!resolve_number(text, times, plain, out))
        *out = (struct yaml_scalar){.type = YAML_STRING_TYPE};
    mem_free(plain);
    return true;
}

bool yaml_resolve(const char *text, size_t length, struct yaml_scalar *out)
{
    return resolve(text, length, true, out);
}

bool yaml_resolve_tagged(const char *tag, const char *text, size_t length, struct yaml_scalar *out, bool *known,
                         struct error *err)
{
    static const char prefix[] = "tag:yaml.org,2002:";
    static const struct {
        const char *tag;
        enum yaml_type type;
    } tags[] = {
        {"str", YAML_STRING_TYPE}, {"bool", YAML_BOOL_TYPE}, {"int", YAML_INT_TYPE},
        {"float", YAML_FLOAT_TYPE}, {"null", YAML_NULL_TYPE}, {"timestamp", YAML_TIME_TYPE},
    };
    size_t i = 0, count = sizeof tags / sizeof tags[0];
    *out = (struct yaml_scalar){.type = YAML_STRING_TYPE};
    const char *name = strncmp(tag, prefix, strlen(prefix)) == 0 ? tag + strlen(prefix) : "";
    while (i < count && strcmp(name, tags[i].tag) != 0)
        i++;
    *known = i < count;
    if (!*known || tags[i].type == YAML_STRING_TYPE)
        return true;
    if (!resolve(text, length, tags[i].type == YAML_TIME_TYPE, out))
        return error_memory(err);
    int64_t fits;
    if (tags[i].type == YAML_FLOAT_TYPE && out->type == YAML_INT_TYPE && number_to_int(out->integer, &fits)) {
        out->type = YAML_FLOAT_TYPE;
        out->real = (double)fits;
    }
    return out->type == tags[i].type || error_set(err, ERROR_INPUT, NULL, "\"%.40s\" is no !!%s", text, name);
}

bool yaml_key(const struct yaml_scalar *scalar, const char *text, size_t length, struct buf *out)
{
    char number[NUMBER_TEXT];
    int64_t fits;
    switch (scalar->type) {
    case YAML_NULL_TYPE: return false;
    case YAML_BOOL_TYPE: buf_append_string(out, scalar->truth ? "true" : "false"); return true;
    case YAML_FLOAT_TYPE:
        number_print_key(scalar->real, number);
        buf_append_string(out, number);
        return true;
    case YAML_INT_TYPE:
        number_print_integer(scalar->integer, number);
        buf_append_string(out, number);
        return number_to_int(scalar->integer, &fits);
    case YAML_TIME_TYPE:
    case YAML_STRING_TYPE:
    default: buf_append(out, text, length); return true;
    }
}

/* 1:30 and the like are numbers to YAML 1.1, not to go-yaml, which quotes them for the sake of others. */
static bool is_base_sixty(const char *text)
{
    const char *at = text + (*text == '-' || *text == '+');
    size_t digits = strspn(at, "0123456789_");
    if (digits == 0 || *at == '_' || at[digits] != ':')
        return false;
    at += digits;
    while (*at == ':') {
        digits = digits_at(at + 1);
        if (digits < 1 || digits > 2 || (digits == 2 && at[1] > '5'))
            return false;
        at += digits + 1;
    }
    if (*at == '.')
        at += 1 + strspn(at + 1, "0123456789_");
    return *at == '\0';
}

bool yaml_plain_is_string(const char *text)
{
    struct yaml_scalar scalar;
    return yaml_resolve(text, strlen(text), &scalar) && scalar.type == YAML_STRING_TYPE && !is_base_sixty(text);
}
