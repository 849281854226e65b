/* Why a text is no JSON, in the words of Go's encoding/json, which people search for. */
#include <stdio.h>
#include <string.h>

#include "data/json.h"
#include "practice/schema/internal.h"

struct syntax {
    const char *at, *end;
    const char *context; /* what was expected where the text went wrong; NULL: the text ends too early */
    size_t depth;
};

/* At the end Go looks whether a space would do: within words, numbers and escapes it does not, and that is what it says then. */
static bool wrong(struct syntax *s, const char *context)
{
    bool strict = context != NULL && (strstr(context, "literal") != NULL || strstr(context, "escape") != NULL);
    s->context = s->at < s->end || strict ? context : NULL;
    return false;
}

static bool is_digit(const struct syntax *s)
{
    return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static void skip_space(struct syntax *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
        s->at++;
}

static bool read_escape(struct syntax *s)
{
    s->at++;
    if (s->at == s->end || *s->at == '\0' || strchr("bfnrt\\/\"u", *s->at) == NULL)
        return wrong(s, "in string escape code");
    if (*s->at++ != 'u')
        return true;
    for (int i = 0; i < 4; i++, s->at++) {
        if (s->at == s->end || *s->at == '\0' || strchr("0123456789abcdefABCDEF", *s->at) == NULL)
            return wrong(s, "in \\u hexadecimal character escape");
    }
    return true;
}

static bool read_string(struct syntax *s)
{
    s->at++;
    while (s->at < s->end && *s->at != '"') {
        if ((unsigned char)*s->at < 0x20)
            return wrong(s, "in string literal");
        if (*s->at != '\\')
            s->at++;
        else if (!read_escape(s))
            return false;
    }
    if (s->at == s->end)
        return wrong(s, NULL);
    s->at++;
    return true;
}

static bool read_digits(struct syntax *s, const char *context)
{
    if (!is_digit(s))
        return wrong(s, context);
    while (is_digit(s))
        s->at++;
    return true;
}

static bool read_number(struct syntax *s)
{
    s->at += *s->at == '-';
    if (!is_digit(s))
        return wrong(s, "in numeric literal");
    if (*s->at == '0')
        s->at++;
    else
        (void)read_digits(s, "");
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        if (!read_digits(s, "after decimal point in numeric literal"))
            return false;
    }
    if (s->at == s->end || (*s->at != 'e' && *s->at != 'E'))
        return true;
    s->at++;
    s->at += s->at < s->end && (*s->at == '+' || *s->at == '-');
    return read_digits(s, "in exponent of numeric literal");
}

static bool read_word(struct syntax *s)
{
    static const struct {
        const char *word, *contexts[4];
    } words[] = {
        {"true", {"in literal true (expecting 'r')", "in literal true (expecting 'u')", "in literal true (expecting 'e')", NULL}},
        {"false", {"in literal false (expecting 'a')", "in literal false (expecting 'l')", "in literal false (expecting 's')",
                   "in literal false (expecting 'e')"}},
        {"null", {"in literal null (expecting 'u')", "in literal null (expecting 'l')", "in literal null (expecting 'l')", NULL}},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (*s->at != words[i].word[0])
            continue;
        s->at++;
        for (size_t c = 1; words[i].word[c] != '\0'; c++, s->at++) {
            if (s->at == s->end || *s->at != words[i].word[c])
                return wrong(s, words[i].contexts[c - 1]);
        }
        return true;
    }
    return wrong(s, "looking for beginning of value");
}

static bool read_value(struct syntax *s);

static bool read_key(struct syntax *s)
{
    skip_space(s);
    if (s->at == s->end || *s->at != '"')
        return wrong(s, "looking for beginning of object key string");
    if (!read_string(s))
        return false;
    skip_space(s);
    if (s->at == s->end || *s->at != ':')
        return wrong(s, "after object key");
    s->at++;
    return true;
}

static bool read_container(struct syntax *s, bool object)
{
    char close = object ? '}' : ']';
    s->at++;
    skip_space(s);
    if (s->at < s->end && *s->at == close) {
        s->at++;
        return true;
    }
    for (;;) {
        if ((object && !read_key(s)) || !read_value(s))
            return false;
        skip_space(s);
        if (s->at == s->end || (*s->at != ',' && *s->at != close))
            return wrong(s, object ? "after object key:value pair" : "after array element");
        if (*s->at++ == close)
            return true;
    }
}

static bool read_value(struct syntax *s)
{
    skip_space(s);
    if (s->at == s->end || s->depth > JSON_DEPTH)
        return wrong(s, "looking for beginning of value");
    s->depth++;
    bool ok;
    if (*s->at == '{' || *s->at == '[')
        ok = read_container(s, *s->at == '{');
    else if (*s->at == '"')
        ok = read_string(s);
    else
        ok = *s->at == '-' || is_digit(s) ? read_number(s) : read_word(s);
    s->depth--;
    return ok;
}

/* A character as Go quotes it; bytes of longer ones singly, as it reads them. */
static void quote(unsigned char c, char out[static 12])
{
    if (c == '\'' || c == '\\')
        snprintf(out, 12, "'\\%c'", c);
    else if (c >= 0x20 && c < 0x7F)
        snprintf(out, 12, "'%c'", c);
    else if (c == '\n' || c == '\t' || c == '\r')
        snprintf(out, 12, "'\\%c'", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
    else if (c >= 0xA1 && c != 0xAD)
        snprintf(out, 12, "'%c%c'", 0xC0 | c >> 6, 0x80 | (c & 0x3F));
    else
        snprintf(out, 12, c < 0x80 ? "'\\x%02x'" : "'\\u%04x'", c);
}

bool syntax_error(const char *text, size_t length, char *out, size_t room)
{
    struct syntax s = {.at = text, .end = text + length};
    char character[12];
    bool ok = read_value(&s);
    skip_space(&s);
    if (ok && s.at == s.end)
        return false;
    if (ok)
        s.context = "after top-level value";
    if (s.context == NULL) {
        snprintf(out, room, "unexpected end of JSON input");
        return true;
    }
    quote(s.at < s.end ? (unsigned char)*s.at : ' ', character);
    snprintf(out, room, "invalid character %s %s", character, s.context);
    return true;
}
