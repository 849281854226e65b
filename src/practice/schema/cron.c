#include "practice/schema/cron.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { FIELDS = 5, FIELD_TEXT = 256 };

struct bounds {
    long least, most;
    const char *const *names; /* from the least on; NULL: none */
};

static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", NULL};
static const char *const days[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat", NULL};
static const struct bounds bounds_of[FIELDS] = {{0, 59, NULL}, {0, 23, NULL}, {1, 31, NULL}, {1, 12, months}, {0, 6, days}};

#define COMPLAIN(...) (snprintf(complaint, CRON_TEXT, __VA_ARGS__), false)

static bool read_number(const char *text, const struct bounds *bounds, long *number, char complaint[static CRON_TEXT])
{
    for (size_t i = 0; bounds != NULL && bounds->names != NULL && bounds->names[i] != NULL; i++) {
        if (strcasecmp(text, bounds->names[i]) == 0) {
            *number = bounds->least + (long)i;
            return true;
        }
    }
    char *end;
    errno = 0;
    *number = strtol(text, &end, 10);
    size_t sign = *text == '-' || *text == '+';
    if (text[sign] == '\0' || text[sign + strspn(text + sign, "0123456789")] != '\0')
        return COMPLAIN("failed to parse int from %.100s: strconv.Atoi: parsing \"%.100s\": invalid syntax", text, text);
    if (errno == ERANGE)
        return COMPLAIN("failed to parse int from %.100s: strconv.Atoi: parsing \"%.100s\": value out of range", text, text);
    if (*number < 0)
        return COMPLAIN("negative number (%ld) not allowed: %.100s", *number, text);
    return true;
}

/* Cuts at the first `separator` and answers what is behind it, or NULL. */
static char *cut(char *text, char separator)
{
    char *at = strchr(text, separator);
    if (at != NULL)
        *at++ = '\0';
    return at;
}

static bool check_range(const char *expression, const struct bounds *bounds, char complaint[static CRON_TEXT])
{
    char text[FIELD_TEXT];
    long start = bounds->least, end = bounds->most, step = 1;
    snprintf(text, sizeof text, "%.200s", expression);
    char *step_text = cut(text, '/'), *high = cut(text, '-');
    bool star = strcmp(text, "*") == 0 || strcmp(text, "?") == 0;
    if (!star) {
        if (!read_number(text, bounds, &start, complaint))
            return false;
        end = start;
        if (high != NULL && strchr(high, '-') != NULL)
            return COMPLAIN("too many hyphens: %.200s", expression);
        if (high != NULL && !read_number(high, bounds, &end, complaint))
            return false;
    }
    if (step_text != NULL) {
        if (strchr(step_text, '/') != NULL)
            return COMPLAIN("too many slashes: %.200s", expression);
        if (!read_number(step_text, NULL, &step, complaint))
            return false;
        if (high == NULL)
            end = bounds->most;
    }
    if (start < bounds->least)
        return COMPLAIN("beginning of range (%ld) below minimum (%ld): %.200s", start, bounds->least, expression);
    if (end > bounds->most)
        return COMPLAIN("end of range (%ld) above maximum (%ld): %.200s", end, bounds->most, expression);
    if (start > end)
        return COMPLAIN("beginning of range (%ld) beyond end of range (%ld): %.200s", start, end, expression);
    if (step == 0)
        return COMPLAIN("step of range should be a positive number: %.200s", expression);
    return true;
}

static bool check_field(char *field, const struct bounds *bounds, char complaint[static CRON_TEXT])
{
    for (char *range = field, *next; range != NULL; range = next) {
        next = cut(range, ',');
        if (*range != '\0' && !check_range(range, bounds, complaint))
            return false;
    }
    return true;
}

/* Go's time.ParseDuration, which takes a sign and runs of numbers with units. */
static bool check_duration(const char *text, char complaint[static CRON_TEXT])
{
    static const char *const units[] = {"ns", "us", "ms", "s", "m", "h", "\xc2\xb5s", "\xce\xbcs", NULL};
    const char *at = text + (*text == '-' || *text == '+');
    if (strcmp(at, "0") == 0)
        return true;
    if (*at == '\0')
        return COMPLAIN("time: invalid duration \"%.100s\"", text);
    while (*at != '\0') {
        size_t whole = strspn(at, "0123456789"), fraction = at[whole] == '.' ? strspn(at + whole + 1, "0123456789") : 0;
        if (whole + fraction == 0)
            return COMPLAIN("time: invalid duration \"%.100s\"", text);
        at += whole + (at[whole] == '.' ? 1 + fraction : 0);
        size_t length = strcspn(at, ".0123456789"), i = 0;
        if (length == 0)
            return COMPLAIN("time: missing unit in duration \"%.100s\"", text);
        while (units[i] != NULL && (strlen(units[i]) != length || strncmp(units[i], at, length) != 0))
            i++;
        if (units[i] == NULL)
            return COMPLAIN("time: unknown unit \"%.*s\" in duration \"%.100s\"", (int)(length < 50 ? length : 50), at, text);
        at += length;
    }
    return true;
}

static bool check_descriptor(const char *text, char complaint[static CRON_TEXT])
{
    static const char *const known[] = {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", NULL};
    char inner[CRON_TEXT];
    for (size_t i = 0; known[i] != NULL; i++)
        if (strcmp(known[i], text) == 0)
            return true;
    if (strncmp(text, "@every ", 7) != 0)
        return COMPLAIN("unrecognized descriptor: %.200s", text);
    if (check_duration(text + 7, inner))
        return true;
    return COMPLAIN("failed to parse duration %.150s: %.300s", text, inner);
}

static bool check_fields(const char *schedule, char complaint[static CRON_TEXT])
{
    char fields[FIELDS][FIELD_TEXT], list[CRON_TEXT] = "";
    size_t count = 0, length = 0;
    for (const char *at = schedule + strspn(schedule, " \t\r\n"); *at != '\0';) {
        size_t field = strcspn(at, " \t\r\n");
        if (count < FIELDS)
            snprintf(fields[count], FIELD_TEXT, "%.*s", (int)(field < 200 ? field : 200), at);
        if (length < sizeof list - 1)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%.*s", count == 0 ? "" : " ", (int)(field < 100 ? field : 100), at);
        count++;
        at += field;
        at += strspn(at, " \t\r\n");
    }
    if (count != FIELDS)
        return COMPLAIN("expected exactly 5 fields, found %zu: [%.400s]", count, list);
    for (size_t i = 0; i < FIELDS; i++)
        if (!check_field(fields[i], &bounds_of[i], complaint))
            return false;
    return true;
}

bool cron_check(const char *schedule, char complaint[static CRON_TEXT])
{
    if (*schedule == '\0')
        return COMPLAIN("empty spec string");
    if (strncmp(schedule, "TZ=", 3) == 0 || strncmp(schedule, "CRON_TZ=", 8) == 0) {
        char zone[100];
        const char *space = strchr(schedule, ' '), *equals = strchr(schedule, '=');
        if (space == NULL)
            return COMPLAIN("invalid schedule format: runtime error: slice bounds out of range [%zu:-1]", (size_t)(equals - schedule) + 1);
        snprintf(zone, sizeof zone, "%.*s", (int)(space - equals - 1 < 90 ? space - equals - 1 : 90), equals + 1);
        if (!cron_zone_known(zone))
            return COMPLAIN("provided bad location %s: unknown time zone %s", zone, zone);
        schedule = space + strspn(space, " \t\r\n");
    }
    return *schedule == '@' ? check_descriptor(schedule, complaint) : check_fields(schedule, complaint);
}

bool cron_zone_known(const char *name)
{
    static const char directory[] = "/usr/share/zoneinfo";
    char path[256];
    if (*name == '\0' || strcmp(name, "UTC") == 0 || strcmp(name, "Local") == 0)
        return true;
    if (strstr(name, "..") != NULL || name[0] == '/' || strchr(name, '\\') != NULL || strlen(name) > 100)
        return false;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return access(directory, R_OK) != 0 || access(path, R_OK) == 0;
}
