/* Times and base64 as Go reads them, errors included. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/schema/internal.h"

enum { QUOTED = 160 };

struct clock {
    const char *text, *at;
    const char *layout;
    int year, month, day, hour, minute, second;
    long billionths, east; /* seconds east of UTC */
    struct error *err;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* As Go's package time quotes: what is not plain ASCII byte by byte. Cut if it is too long for a message. */
static void quote(const char *text, char out[static QUOTED])
{
    size_t at = 0;
    out[at++] = '"';
    for (; *text != '\0' && at < QUOTED - 6; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c >= 0x80)
            at += (size_t)snprintf(out + at, 5, "\\x%02x", c);
        else if (c == '"' || c == '\\')
            at += (size_t)snprintf(out + at, 3, "\\%c", c);
        else
            out[at++] = (char)c;
    }
    out[at++] = '"';
    out[at] = '\0';
}

static bool cannot_parse(const struct clock *c, const char *at, const char *element)
{
    char all[QUOTED], rest[QUOTED];
    quote(c->text, all);
    quote(at, rest);
    return error_set(c->err, ERROR_INPUT, "", "parsing time %s as \"%s\": cannot parse %s as \"%s\"", all, c->layout, rest, element);
}

static bool out_of_range(const struct clock *c, const char *what)
{
    char all[QUOTED];
    quote(c->text, all);
    return error_set(c->err, ERROR_INPUT, "", "parsing time %s: %s out of range", all, what);
}

static bool extra_text(const struct clock *c)
{
    char all[QUOTED], rest[QUOTED];
    quote(c->text, all);
    quote(c->at, rest);
    return error_set(c->err, ERROR_INPUT, "", "parsing time %s: extra text: %s", all, rest);
}

/* A number of `least` to 2 digits. */
static bool two_digits(struct clock *c, int least, const char *element, int *out)
{
    const char *from = c->at;
    if (!is_digit(from[0]) || (!is_digit(from[1]) && least == 2))
        return cannot_parse(c, from, element);
    int digits = is_digit(from[1]) ? 2 : 1;
    *out = digits == 2 ? (from[0] - '0') * 10 + (from[1] - '0') : from[0] - '0';
    c->at += digits;
    return true;
}

static bool literal(struct clock *c, const char *expected)
{
    if (*c->at != *expected)
        return cannot_parse(c, c->at, expected);
    c->at++;
    return true;
}

static bool read_date(struct clock *c)
{
    const char *from = c->at;
    c->year = 0;
    for (int i = 0; i < 4; i++) {
        if (!is_digit(from[i]))
            return cannot_parse(c, from, "2006");
        c->year = c->year * 10 + (from[i] - '0');
    }
    c->at += 4;
    if (!literal(c, "-") || !two_digits(c, 2, "01", &c->month))
        return false;
    if (c->month < 1 || c->month > 12)
        return out_of_range(c, "month");
    return literal(c, "-") && two_digits(c, 2, "02", &c->day);
}

/* Behind the seconds: any number of digits behind a point or comma, or exactly six. */
static bool read_fraction(struct clock *c, bool micro)
{
    long unit = 100000000;
    bool mark = *c->at == '.' || *c->at == ',';
    if (micro && (!mark || strspn(c->at + 1, "0123456789") < 6))
        return cannot_parse(c, c->at, ".000000");
    if (!mark || !is_digit(c->at[1]))
        return true;
    c->at++;
    for (int i = 0; is_digit(*c->at) && (!micro || i < 6); i++, unit /= 10)
        c->billionths += (*c->at++ - '0') * unit;
    return true;
}

static bool read_zone(struct clock *c)
{
    const char *at = c->at;
    int hours, minutes;
    if (*at == 'Z') {
        c->at++;
        return true;
    }
    if (strlen(at) < 6 || (at[0] != '+' && at[0] != '-') || at[3] != ':' || !is_digit(at[1]) || !is_digit(at[2]) || !is_digit(at[4]) || !is_digit(at[5]))
        return cannot_parse(c, at, "Z07:00");
    hours = (at[1] - '0') * 10 + (at[2] - '0');
    minutes = (at[4] - '0') * 10 + (at[5] - '0');
    if (hours > 24)
        return out_of_range(c, "time zone offset hour");
    if (minutes > 60)
        return out_of_range(c, "time zone offset minute");
    c->east = (hours * 3600L + minutes * 60L) * (at[0] == '-' ? -1 : 1);
    c->at += 6;
    return true;
}

static bool read_clock(struct clock *c, bool micro)
{
    if (!literal(c, "T") || !two_digits(c, 1, "15", &c->hour))
        return false;
    if (c->hour > 23)
        return out_of_range(c, "hour");
    if (!literal(c, ":") || !two_digits(c, 2, "04", &c->minute))
        return false;
    if (c->minute > 59)
        return out_of_range(c, "minute");
    if (!literal(c, ":") || !two_digits(c, 2, "05", &c->second))
        return false;
    if (c->second > 59)
        return out_of_range(c, "second");
    return read_fraction(c, micro) && read_zone(c);
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

bool scalar_time(const char *text, bool micro, char out[static TIME_TEXT], bool *zero, struct error *err)
{
    struct clock c = {.text = text, .at = text, .err = err, .layout = micro ? "2006-01-02T15:04:05.000000Z07:00" : "2006-01-02T15:04:05Z07:00"};
    if (!read_date(&c) || !read_clock(&c, micro))
        return false;
    if (*c.at != '\0')
        return extra_text(&c);
    if (c.day < 1 || c.day > days_in(c.year, c.month))
        return out_of_range(&c, "day");
    char whole[TIME_TEXT];
    int64_t ms;
    snprintf(whole, sizeof whole, "%04d-%02d-%02dT%02d:%02d:%02dZ", c.year, c.month, c.day, c.hour, c.minute, c.second);
    if (c.east != 0 && time_parse(whole, &ms))
        time_print(ms - c.east * 1000, whole);
    *zero = strcmp(whole, "0001-01-01T00:00:00Z") == 0 && c.billionths == 0;
    if (micro)
        snprintf(out, TIME_TEXT, "%.19s.%06ldZ", whole, c.billionths / 1000);
    else
        snprintf(out, TIME_TEXT, "%.20s", whole);
    return true;
}

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (is_digit(c))
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool illegal(size_t at, struct error *err)
{
    return error_set(err, ERROR_INPUT, "", "illegal base64 data at input byte %zu", at);
}

static size_t skip_line_ends(const char *text, size_t at)
{
    while (text[at] == '\n' || text[at] == '\r')
        at++;
    return at;
}

/* The end, from a '=' behind `in_group` digits of the last four. */
static bool read_padding(const char *text, size_t at, size_t in_group, struct error *err)
{
    if (in_group < 2)
        return illegal(at, err);
    size_t next = skip_line_ends(text, at + 1);
    if (in_group == 2) {
        if (text[next] != '=')
            return illegal(text[next] == '\0' ? next : next - 1, err);
        next = skip_line_ends(text, next + 1);
    }
    return text[next] == '\0' || illegal(next, err);
}

bool scalar_base64(const char *text, char **out, bool *changed, struct error *err)
{
    size_t in_group = 0, at = 0; /* digits since the last whole four */
    int digit = 0;
    bool line_ends = false;
    for (; text[at] != '\0' && text[at] != '='; at++) {
        if (text[at] == '\n' || text[at] == '\r') {
            line_ends = true;
            continue;
        }
        digit = base64_digit(text[at]);
        if (digit < 0)
            return illegal(at, err);
        in_group = (in_group + 1) % 4;
    }
    if (text[at] == '=' && !read_padding(text, at, in_group, err))
        return false;
    if (text[at] == '\0' && in_group != 0)
        return illegal(at - in_group, err);
    *changed = line_ends || strpbrk(text + at, "\r\n") != NULL || (in_group == 2 && (digit & 15) != 0) || (in_group == 3 && (digit & 3) != 0);
    if (!*changed)
        return true;
    size_t length;
    char *bytes = base64_decode(text, strlen(text), &length);
    *out = bytes != NULL ? base64_encode(bytes, length) : NULL;
    mem_free(bytes);
    return *out != NULL || error_memory(err);
}
