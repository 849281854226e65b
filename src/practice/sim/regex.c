#include "practice/sim/regex.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "practice/sim/applet.h"

struct regex {
    struct pattern *pattern;
};

/* [...] is copied as it is, but for what only the other form takes specially inside: \ and [. */
static const char *copy_set(const char *at, struct buf *out)
{
    buf_append(out, "[", 1);
    at++;
    if (*at == '^')
        buf_append(out, at++, 1);
    for (bool first = true; *at && (*at != ']' || first); first = false) {
        const char *end = at[0] == '[' && at[1] && strchr(":.=", at[1]) ? strchr(at + 2, at[1]) : NULL;
        if (end && end[1] == ']') {
            if (at[1] == ':')
                buf_append(out, at, (size_t)(end + 2 - at));
            else
                buf_append(out, at + 2, (size_t)(end - at) - 2);
            at = end + 2;
            continue;
        }
        if (*at == '\\' && at[1] && strchr("ntrsSwWdD]", at[1]) == NULL)
            buf_append(out, "\\\\", 2);
        else if (*at == '\\' && at[1] == ']')
            buf_append(out, "\\\\", 2);
        else if (*at == '\\')
            buf_append(out, at, 1), buf_append(out, ++at, 1);
        else if (*at == '[' || (*at == ']' && first))
            buf_append(out, "\\", 1), buf_append(out, at, 1);
        else
            buf_append(out, at, 1);
        at++;
    }
    if (!*at)
        return NULL;
    buf_append(out, "]", 1);
    return at + 1;
}

/* Characters that mean something only after a backslash in basic ones, and only without in extended ones. */
static const char swapped[] = "(){}|+?";

static bool translate(const char *expression, bool extended, struct buf *out)
{
    bool start = true; /* of an expression or of a group: a * there is itself */
    for (const char *at = expression; at && *at;) {
        if (*at == '[') {
            at = copy_set(at, out);
            start = false;
            continue;
        }
        bool escaped = *at == '\\' && at[1];
        char byte = escaped ? at[1] : *at;
        at += escaped ? 2 : 1;
        if (escaped && byte >= '1' && byte <= '9') {
            buf_printf(out, "\\g{%c}", byte);
        } else if (escaped && strchr("wWsSbB<>n", byte)) {
            buf_append_string(out, byte == '<' ? "\\b(?=\\w)" : byte == '>' ? "\\b(?<=\\w)" : (char[]){'\\', byte, '\0'});
        } else if (strchr(swapped, byte) && escaped != extended) {
            if (byte == '{' && (!isdigit((unsigned char)*at) && *at != ','))
                buf_append(out, "\\", 1);
            if (byte == '{' && *at == ',')
                buf_append(out, "{0", 2);
            else
                buf_append(out, &byte, 1);
            start = byte == '(' || byte == '|';
            continue;
        } else if (byte == '*' && !escaped && start) {
            buf_append_string(out, "\\*");
        } else if (byte == '^' && !escaped && (start || extended)) {
            buf_append_string(out, "^");
            continue;
        } else if (byte == '$' && !escaped && (*at == '\0' || extended || (at[0] == '\\' && (at[1] == ')' || at[1] == '|')))) {
            buf_append_string(out, "\\z");
        } else if (!escaped && strchr("*.", byte)) {
            buf_append(out, &byte, 1);
        } else {
            if (strchr("\\^$.[]|()?*+{}", byte))
                buf_append(out, "\\", 1);
            buf_append(out, &byte, 1);
        }
        start = false;
    }
    return buf_ok(out);
}

static bool closed_sets(const char *expression)
{
    struct buf out = buf_make(2 * REGEX_LENGTH);
    const char *at = expression;
    while (at && *at)
        at = *at == '\\' && at[1] ? at + 2 : *at == '[' ? copy_set(at, &out) : at + 1;
    buf_free(&out);
    return at != NULL;
}

struct regex *regex_new(const char *expression, unsigned flags, struct task *task)
{
    struct buf text = buf_make(8 * REGEX_LENGTH);
    struct error err = ERROR_INIT;
    buf_append_string(&text, flags & REGEX_IGNORE_CASE ? "(?i)" : "");
    buf_append_string(&text, flags & REGEX_WHOLE_LINE ? "\\A(?:" : flags & REGEX_WORD ? "(?<!\\w)(?:" : "");
    bool ok = strlen(expression) <= REGEX_LENGTH;
    if (ok && (flags & REGEX_FIXED)) {
        for (const char *at = expression; *at; at++) {
            if (strchr("\\^$.[]|()?*+{}", *at))
                buf_append(&text, "\\", 1);
            buf_append(&text, at, 1);
        }
    } else if (ok) {
        ok = closed_sets(expression);
        if (!ok)
            error_set(&err, ERROR_INPUT, "", "unmatched [");
        else
            ok = translate(expression, (flags & REGEX_EXTENDED) != 0, &text);
    }
    buf_append_string(&text, flags & REGEX_WHOLE_LINE ? ")\\z" : flags & REGEX_WORD ? ")(?!\\w)" : "");
    struct regex *regex = ok && buf_ok(&text) ? mem_zero(1, sizeof *regex) : NULL;
    if (regex && !(regex->pattern = pattern_new(text.bytes ? text.bytes : "", &err))) {
        mem_free(regex);
        regex = NULL;
    }
    buf_free(&text);
    if (!regex && task)
        applet_say(task, "bad regex '%s': %s", expression, *err.message ? err.message : "too long");
    return regex;
}

void regex_free(struct regex *regex)
{
    if (regex)
        pattern_free(regex->pattern);
    mem_free(regex);
}

bool regex_find(const struct regex *regex, const char *text, size_t length, size_t from, struct pattern_spans *spans)
{
    return pattern_search(regex->pattern, text, length, from, spans, NULL) == PATTERN_YES;
}
