/* Why a text is no JSON, in the words of Go's encoding/json, which people search for. */
#include <stdio.h>
#include <string.h>

#include "practice/schema/decode.h"

enum { GO_DEPTH = 10000 };

struct syntax {
    const char *at, *end;
    const char *context; /* what was expected where the text went wrong; NULL: the text ends too early */
    unsigned char objects[GO_DEPTH / 8 + 1]; /* a bit for each open container: 1 is an object */
    size_t depth;
    bool too_deep;
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

static bool open_container(struct syntax *s, bool object)
{
    unsigned bit = 1u << s->depth % 8;
    s->too_deep = s->depth == GO_DEPTH;
    if (s->too_deep)
        return false;
    unsigned char *byte = &s->objects[s->depth++ / 8];
    *byte = (unsigned char)(object ? *byte | bit : *byte & ~bit);
    s->at++;
    return true;
}

static bool in_object(const struct syntax *s)
{
    return (s->objects[(s->depth - 1) / 8] >> (s->depth - 1) % 8 & 1) != 0;
}

/* The beginning of a value; a scalar is read whole. *opened: a container was opened instead. */
static bool read_start(struct syntax *s, bool *opened)
{
    skip_space(s);
    char c = s->at < s->end ? *s->at : '\0';
    *opened = c == '{' || c == '[';
    if (*opened)
        return open_container(s, c == '{');
    if (s->at == s->end)
        return wrong(s, "looking for beginning of value");
    if (c == '"')
        return read_string(s);
    return c == '-' || is_digit(s) ? read_number(s) : read_word(s);
}

/* What follows a value or the opening of a container, until the next value begins. *more: one does. */
static bool read_end(struct syntax *s, bool opened, bool *more)
{
    for (;; opened = false) {
        skip_space(s);
        *more = s->depth > 0;
        if (!*more)
            return s->at == s->end || wrong(s, "after top-level value");
        bool object = in_object(s);
        if (s->at < s->end && *s->at == (object ? '}' : ']')) {
            s->at++;
            s->depth--;
            continue;
        }
        if (!opened && (s->at == s->end || *s->at != ','))
            return wrong(s, object ? "after object key:value pair" : "after array element");
        s->at += !opened;
        return !object || read_key(s);
    }
}

/* A character as Go quotes it; bytes of longer ones singly, as it reads them. */
static void quote(unsigned char c, char out[static 12])
{
    static const char letters[] = {['\a'] = 'a', ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\v'] = 'v', ['\f'] = 'f', ['\r'] = 'r'};
    if (c == '\'' || c == '\\')
        snprintf(out, 12, "'\\%c'", c);
    else if (c >= 0x20 && c < 0x7F)
        snprintf(out, 12, "'%c'", c);
    else if (c < sizeof letters && letters[c] != '\0')
        snprintf(out, 12, "'\\%c'", letters[c]);
    else if (c >= 0xA1 && c != 0xAD)
        snprintf(out, 12, "'%c%c'", 0xC0 | c >> 6, 0x80 | (c & 0x3F));
    else
        snprintf(out, 12, c < 0x80 ? "'\\x%02x'" : "'\\u%04x'", c);
}

bool schema_syntax_error(const char *text, size_t length, char *out, size_t room)
{
    struct syntax s = {.at = text, .end = text + length};
    char character[12];
    bool more = true, opened;
    while (more && read_start(&s, &opened) && read_end(&s, opened, &more))
        ;
    if (!more && s.context == NULL && s.at == s.end)
        return false;
    quote(s.at < s.end ? (unsigned char)*s.at : ' ', character);
    if (s.too_deep)
        snprintf(out, room, "exceeded max depth");
    else if (s.context == NULL)
        snprintf(out, room, "unexpected end of JSON input");
    else
        snprintf(out, room, "invalid character %s %s", character, s.context);
    return true;
}
