/* Times and durations of units.h. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "data/units.h"

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)
#define DURATION_MOST (INT64_C(3653) * 24 * 3600 * NS_PER_S) /* ten years */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Exactly `count` digits; moves *at behind them. */
static bool read_fixed(const char **at, int count, int *out)
{
    *out = 0;
    for (; count > 0; count--, (*at)++) {
        if (!is_digit(**at))
            return false;
        *out = *out * 10 + (**at - '0');
    }
    return true;
}

static bool read_char(const char **at, char c)
{
    if (**at != c)
        return false;
    (*at)++;
    return true;
}

/* Digits behind a point, as billionths; digits beyond the ninth are dropped. At least one must be there. */
static bool read_fraction(const char **at, int64_t *billionths)
{
    int64_t unit = NS_PER_S / 10;
    if (!is_digit(**at))
        return false;
    for (*billionths = 0; is_digit(**at); (*at)++, unit /= 10)
        *billionths += (**at - '0') * unit;
    return true;
}

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static bool is_day(int year, int month, int day)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + (month == 2 && is_leap(year));
}

static bool read_zone(const char **at, int *seconds_east)
{
    int hours, minutes, sign = **at == '-' ? -1 : 1;
    *seconds_east = 0;
    if (read_char(at, 'Z'))
        return true;
    if (!read_char(at, '+') && !read_char(at, '-'))
        return false;
    if (!read_fixed(at, 2, &hours) || !read_char(at, ':') || !read_fixed(at, 2, &minutes) || hours > 23 || minutes > 59)
        return false;
    *seconds_east = sign * (hours * 3600 + minutes * 60);
    return true;
}

bool time_parse(const char *text, int64_t *ms)
{
    struct tm tm = {0};
    int year, month, east;
    int64_t billionths = 0;
    const char *at = text;
    if (!read_fixed(&at, 4, &year) || !read_char(&at, '-') || !read_fixed(&at, 2, &month) || !read_char(&at, '-') ||
        !read_fixed(&at, 2, &tm.tm_mday) || !read_char(&at, 'T') || !read_fixed(&at, 2, &tm.tm_hour) || !read_char(&at, ':') ||
        !read_fixed(&at, 2, &tm.tm_min) || !read_char(&at, ':') || !read_fixed(&at, 2, &tm.tm_sec))
        return false;
    if (read_char(&at, '.') && !read_fraction(&at, &billionths))
        return false;
    if (!read_zone(&at, &east) || *at != '\0')
        return false;
    if (!is_day(year, month, tm.tm_mday) || tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 59)
        return false;
    tm.tm_year = year - 1900;
    tm.tm_mon = month - 1;
    *ms = ((int64_t)timegm(&tm) - east) * 1000 + billionths / NS_PER_MS;
    return true;
}

static char *write_fixed(char *to, int digits, int number, char behind)
{
    for (int i = digits - 1; i >= 0; i--, number /= 10)
        to[i] = (char)('0' + number % 10);
    to[digits] = behind;
    return to + digits + 1;
}

void time_print(int64_t ms, char out[static 21])
{
    static const int64_t first = INT64_C(-62167219200), last = INT64_C(253402300799); /* years 0000 to 9999 */
    int64_t seconds = ms / 1000 - (ms % 1000 < 0);
    time_t clamped = (time_t)(seconds < first ? first : seconds > last ? last : seconds);
    struct tm tm;
    gmtime_r(&clamped, &tm);
    char *to = write_fixed(out, 4, tm.tm_year + 1900, '-');
    to = write_fixed(to, 2, tm.tm_mon + 1, '-');
    to = write_fixed(to, 2, tm.tm_mday, 'T');
    to = write_fixed(to, 2, tm.tm_hour, ':');
    to = write_fixed(to, 2, tm.tm_min, ':');
    to = write_fixed(to, 2, tm.tm_sec, 'Z');
    *to = '\0';
}

static const struct {
    const char *name;
    int64_t ns;
} units[] = { /* a name that begins another one stands behind it */
    {"ns", 1},          {"us", 1000},        {"\xC2\xB5s", 1000},     {"\xCE\xBCs", 1000},
    {"ms", NS_PER_MS},  {"s", NS_PER_S},     {"m", 60 * NS_PER_S},    {"h", 3600 * NS_PER_S},
};

static bool read_unit(const char **at, int64_t *ns)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t length = strlen(units[i].name);
        if (strncmp(*at, units[i].name, length) == 0) {
            *ns = units[i].ns;
            *at += length;
            return true;
        }
    }
    return false;
}

/* A number and its unit, added to *total (ns). A bare number is seconds if nothing else stands there. */
static bool read_part(const char **at, bool first, int64_t *total)
{
    int64_t whole = 0, billionths = 0, unit = NS_PER_S;
    const char *from = *at;
    for (; is_digit(**at); (*at)++) {
        whole = whole * 10 + (**at - '0');
        if (whole > DURATION_MOST)
            return false;
    }
    bool digits = *at > from;
    if (read_char(at, '.') && !read_fraction(at, &billionths))
        return false;
    if (!digits && *at == from)
        return false;
    if (!(first && **at == '\0') && !read_unit(at, &unit))
        return false;
    if (whole > DURATION_MOST / unit)
        return false;
    int64_t fraction = billionths / 1000 * unit / 1000000 + billionths % 1000 * unit / NS_PER_S;
    *total += whole * unit + fraction;
    return *total <= DURATION_MOST;
}

bool duration_parse(const char *text, int64_t *ms)
{
    int64_t total = 0;
    const char *at = text;
    do {
        if (!read_part(&at, at == text, &total))
            return false;
    } while (*at != '\0');
    *ms = total / NS_PER_MS;
    return true;
}

/* "3m20s", or "3m" where the smaller part is zero. */
static void print_two(int64_t large, char large_unit, int64_t small, char small_unit, char out[static 16])
{
    char text[48] = ""; /* any two numbers fit */
    if (small == 0)
        snprintf(text, sizeof text, "%lld%c", (long long)large, large_unit);
    else
        snprintf(text, sizeof text, "%lld%c%d%c", (long long)large, large_unit, (int)small, small_unit);
    memcpy(out, text, 15);
    out[15] = '\0';
}

/* k8s.io/apimachinery, util/duration/duration.go, HumanDuration. */
void duration_print(int64_t ms, char out[static 16])
{
    int64_t seconds = ms / 1000, minutes = seconds / 60, hours = minutes / 60, days = hours / 24;
    if (seconds < -1)
        snprintf(out, 16, "<invalid>");
    else if (seconds < 120)
        print_two(seconds < 0 ? 0 : seconds, 's', 0, 's', out);
    else if (minutes < 10)
        print_two(minutes, 'm', seconds % 60, 's', out);
    else if (minutes < 180)
        print_two(minutes, 'm', 0, 's', out);
    else if (hours < 8)
        print_two(hours, 'h', minutes % 60, 'm', out);
    else if (hours < 48)
        print_two(hours, 'h', 0, 'm', out);
    else if (hours < 24 * 8)
        print_two(days, 'd', hours % 24, 'h', out);
    else if (hours < 24 * 365 * 2)
        print_two(days, 'd', 0, 'h', out);
    else if (hours < 24 * 365 * 8)
        print_two(days / 365, 'y', days % 365, 'd', out);
    else
        print_two(days / 365, 'y', 0, 'd', out);
}
