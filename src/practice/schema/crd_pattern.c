/* crd_pattern: Go's regular expressions (RE2) by way of PCRE. What RE2 has not is refused in its words; `$` is the very end of
 * the text, as it is there. */
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "practice/schema/crd_internal.h"

enum { EXPRESSION = 1 << 20 };

static bool refuse(struct error *err, const char *what, const char *at, size_t length)
{
    return error_set(err, ERROR_INPUT, NULL, "error parsing regexp: %s: `%.*s`", what, (int)length, at);
}

/* A group's beginning, after "(": names and flags are taken, what looks around is not. */
static bool check_group(const char *at, bool *multiline, struct error *err)
{
    if (at[1] != '?')
        return true;
    const char *p = at + 2;
    if (p[0] == 'P' && p[1] == '<')
        return true;
    if (p[0] == '<' && p[1] != '=' && p[1] != '!')
        return true;
    if (p[0] == '<')
        return refuse(err, "invalid named capture", at, strlen(at));
    size_t flags = strspn(p, "imsU-");
    if (p[flags] != ':' && p[flags] != ')')
        return refuse(err, "invalid or unsupported Perl syntax", at, flags + (p[flags] != '\0' ? 3 : 2));
    const char *minus = memchr(p, '-', flags), *m = memchr(p, 'm', flags);
    if (m != NULL && (minus == NULL || m < minus))
        *multiline = true;
    return true;
}

static bool check_escape(const char *at, struct error *err)
{
    if (at[1] == '\0')
        return error_set(err, ERROR_INPUT, NULL, "error parsing regexp: trailing backslash at end of expression: ``");
    bool ok = !isalnum((unsigned char)at[1]) || strchr("AbBzdDsSwWpPQECafnrtvx01234567", at[1]) != NULL;
    if (at[1] >= '1' && at[1] <= '9')
        ok = at[1] <= '7' && at[2] >= '0' && at[2] <= '7'; /* octal, never a reference back */
    if (at[1] == 'C')
        ok = false;
    return ok || refuse(err, "invalid escape sequence", at, 2);
}

/* The length of a class from its "[": what stands in it means the same to both. */
static size_t class_length(const char *at)
{
    size_t i = 1;
    if (at[i] == '^')
        i++;
    if (at[i] == ']')
        i++;
    for (; at[i] != '\0' && at[i] != ']'; i++) {
        if (at[i] == '\\' && at[i + 1] != '\0')
            i++;
        else if (at[i] == '[' && at[i + 1] == ':') {
            const char *end = strstr(at + i, ":]");
            if (end != NULL)
                i = (size_t)(end - at) + 1;
        }
    }
    return at[i] == ']' ? i + 1 : 0;
}

static bool translate(const char *expression, struct buf *out, struct error *err)
{
    bool multiline = false;
    for (const char *p = expression; *p != '\0';) {
        size_t length = 1;
        if (*p == '\\') {
            if (!check_escape(p, err))
                return false;
            length = 2;
        } else if (*p == '[') {
            length = class_length(p);
            if (length == 0)
                return refuse(err, "missing closing ]", p, strlen(p));
        } else if (*p == '(' && !check_group(p, &multiline, err)) {
            return false;
        } else if (*p == '$' && !multiline) {
            buf_append_string(out, "\\z");
            p++;
            continue;
        } else if (strchr("*+?}", *p) != NULL && p > expression && p[1] == '+') {
            return refuse(err, "invalid nested repetition operator", p, 2);
        }
        buf_append(out, p, length);
        p += length;
    }
    return true;
}

struct pattern *crd_pattern_new(const char *expression, struct error *err)
{
    struct buf text = buf_make(EXPRESSION);
    struct error why = ERROR_INIT;
    struct pattern *pattern = NULL;
    if (translate(expression, &text, err)) {
        char *pcre = buf_take(&text, NULL);
        if (pcre == NULL)
            error_memory(err);
        else if ((pattern = pattern_new(pcre, &why)) == NULL) {
            if (why.kind == ERROR_INPUT)
                error_set(err, ERROR_INPUT, NULL, "error parsing regexp: %s", why.message);
            else if (err != NULL)
                *err = why;
        }
        mem_free(pcre);
    }
    buf_free(&text);
    return pattern;
}
