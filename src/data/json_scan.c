#include "data/json_scan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/json.h"
#include "data/number.h"
#include "data/utf8.h"

enum {
    CJSON_NUMBER = 60,  /* longest literal that cJSON reads (its buffer has 64 bytes) */
    EXACT_DIGITS = 16,  /* shorter integers always fit a double */
};

struct scan {
    const unsigned char *text, *at, *end;
    const unsigned char *copied; /* what stands before it is in clean already */
    struct buf *clean;
    size_t depth;
    const char *name;
    struct error *err;
};

static bool fail(struct scan *s, enum error_kind kind, const unsigned char *at, const char *message)
{
    size_t line = 1, column = 1;
    for (const unsigned char *p = s->text; p < at; p++) {
        if (*p == '\n') {
            line++;
            column = 1;
        } else if ((*p & 0xC0) != 0x80) {
            column++;
        }
    }
    char where[sizeof s->err->where];
    snprintf(where, sizeof where, "%.120s:%zu:%zu", s->name, line, column);
    return error_set(s->err, kind, where, "%s", message);
}

/* Puts `instead` in the place of the bytes from `from` to s->at. */
static void rewrite(struct scan *s, const unsigned char *from, const char *instead)
{
    buf_append(s->clean, s->copied, (size_t)(from - s->copied));
    buf_append_string(s->clean, instead);
    s->copied = s->at;
}

static void skip_space(struct scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r'))
        s->at++;
}

/* Reads the four digits of \uXXXX, s->at behind the u. */
static bool read_hex(struct scan *s, unsigned *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++, s->at++) {
        unsigned char c = s->at < s->end ? *s->at : 0;
        unsigned char low = c | 0x20;
        if (c >= '0' && c <= '9')
            *unit = *unit * 16 + (unsigned)(c - '0');
        else if (low >= 'a' && low <= 'f')
            *unit = *unit * 16 + (unsigned)(low - 'a' + 10);
        else
            return fail(s, ERROR_INPUT, s->at, "four hexadecimal digits were expected after \\u");
    }
    return true;
}

static bool is_high_half(unsigned unit)
{
    return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low_half(unsigned unit)
{
    return unit >= 0xDC00 && unit < 0xE000;
}

static bool scan_unicode(struct scan *s, const unsigned char *from)
{
    unsigned unit, second;
    if (!read_hex(s, &unit))
        return false;
    if (is_high_half(unit) && s->end - s->at >= 2 && s->at[0] == '\\' && s->at[1] == 'u') {
        const unsigned char *before = s->at;
        s->at += 2;
        if (!read_hex(s, &second))
            return false;
        if (is_low_half(second))
            return true;
        s->at = before; /* it is looked at again, by itself */
    }
    if (unit == 0 || is_high_half(unit) || is_low_half(unit))
        rewrite(s, from, UTF8_REPLACEMENT);
    return true;
}

static bool scan_escape(struct scan *s)
{
    const unsigned char *from = s->at++;
    unsigned char c = s->at < s->end ? *s->at : 0;
    if (c == 'u') {
        s->at++;
        return scan_unicode(s, from);
    }
    if (c == 0 || strchr("\"\\/bfnrt", c) == NULL)
        return fail(s, ERROR_INPUT, from, "no such escape in a JSON string");
    s->at++;
    return true;
}

/* Bytes that need no look in a string: ASCII but for controls, the quote and the backslash. */
static inline bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

static bool scan_string(struct scan *s)
{
    const unsigned char *quote = s->at++;
    for (;;) {
        while (s->at < s->end && is_plain(*s->at))
            s->at++;
        if (s->at == s->end)
            return fail(s, ERROR_INPUT, quote, "this string has no end");
        if (*s->at == '"') {
            s->at++;
            return true;
        }
        if (*s->at == '\\') {
            if (!scan_escape(s))
                return false;
            continue;
        }
        if (*s->at < 0x20)
            return fail(s, ERROR_INPUT, s->at, "a control character or the end of the line in a JSON string");
        size_t length = utf8_length(s->at, (size_t)(s->end - s->at));
        s->at += length > 0 ? length : 1;
        if (length == 0)
            rewrite(s, s->at - 1, UTF8_REPLACEMENT);
    }
}

static size_t skip_digits(struct scan *s)
{
    const unsigned char *from = s->at;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return (size_t)(s->at - from);
}

/* Numbers that cJSON reads as they are need nothing; the others become an exact text or a shorter literal. */
static bool mend_number(struct scan *s, const unsigned char *from, bool whole, bool exponent)
{
    size_t length = (size_t)(s->at - from);
    if (length < EXACT_DIGITS && !exponent)
        return true;
    struct number_integer integer;
    char text[NUMBER_TEXT], quoted[NUMBER_TEXT + 4];
    if (whole && number_read((const char *)from, length, &integer)) {
        if (!number_needs_text(integer))
            return true;
        number_print_integer(integer, text);
        char *to = quoted;
        *to++ = '"';
        *to++ = (char)JSON_EXACT_MARK;
        to = stpcpy(to, text);
        memcpy(to, "\"", 2);
        rewrite(s, from, quoted);
        return true;
    }
    if (length <= CJSON_NUMBER && !exponent)
        return true;
    struct buf literal = buf_make(length); /* strtod needs an end */
    buf_append(&literal, from, length);
    bool ok = buf_ok(&literal);
    double d = ok ? number_read_double(literal.bytes, NULL) : 0;
    buf_free(&literal);
    if (!ok)
        return error_memory(s->err);
    if (!isfinite(d))
        return fail(s, ERROR_INPUT, from, "a number that is too large");
    if (length > CJSON_NUMBER) {
        number_print(d, text);
        rewrite(s, from, text);
    }
    return true;
}

static bool scan_number(struct scan *s)
{
    const unsigned char *from = s->at;
    bool whole = true, exponent = false;
    if (*s->at == '-')
        s->at++;
    const unsigned char *first = s->at;
    size_t digits = skip_digits(s);
    if (digits == 0)
        return fail(s, ERROR_INPUT, s->at, "a digit was expected");
    if (digits > 1 && *first == '0')
        return fail(s, ERROR_INPUT, from, "a JSON number does not begin with 0");
    if (s->at < s->end && *s->at == '.') {
        whole = false;
        s->at++;
        if (skip_digits(s) == 0)
            return fail(s, ERROR_INPUT, s->at, "a digit was expected after the point");
    }
    if (s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
        whole = false;
        exponent = true;
        s->at++;
        if (s->at < s->end && (*s->at == '+' || *s->at == '-'))
            s->at++;
        if (skip_digits(s) == 0)
            return fail(s, ERROR_INPUT, s->at, "a digit was expected in the exponent");
    }
    return mend_number(s, from, whole, exponent);
}

static bool scan_word(struct scan *s, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0)
        return fail(s, ERROR_INPUT, s->at, "a value was expected");
    s->at += length;
    return true;
}

static bool scan_value(struct scan *s);

static bool scan_key(struct scan *s)
{
    if (s->at == s->end || *s->at != '"')
        return fail(s, ERROR_INPUT, s->at, "a key in double quotes was expected");
    if (!scan_string(s))
        return false;
    skip_space(s);
    if (s->at == s->end || *s->at != ':')
        return fail(s, ERROR_INPUT, s->at, "':' was expected after the key");
    s->at++;
    return true;
}

/* An object or an array: entries, commas between them, the closing bracket. */
static bool scan_container(struct scan *s, bool object)
{
    unsigned char close = object ? '}' : ']';
    if (++s->depth > JSON_DEPTH)
        return fail(s, ERROR_LIMIT, s->at, "nested too deeply");
    s->at++;
    skip_space(s);
    if (s->at < s->end && *s->at == close) {
        s->at++;
        s->depth--;
        return true;
    }
    for (;;) {
        skip_space(s);
        if ((object && !scan_key(s)) || !scan_value(s))
            return false;
        skip_space(s);
        if (s->at < s->end && *s->at == ',') {
            s->at++;
            continue;
        }
        if (s->at == s->end || *s->at != close)
            return fail(s, ERROR_INPUT, s->at, object ? "',' or '}' was expected" : "',' or ']' was expected");
        s->at++;
        s->depth--;
        return true;
    }
}

static bool scan_value(struct scan *s)
{
    skip_space(s);
    if (s->at == s->end)
        return fail(s, ERROR_INPUT, s->at, "the text ends where a value was expected");
    switch (*s->at) {
    case '{': return scan_container(s, true);
    case '[': return scan_container(s, false);
    case '"': return scan_string(s);
    case 't': return scan_word(s, "true");
    case 'f': return scan_word(s, "false");
    case 'n': return scan_word(s, "null");
    default: break;
    }
    if (*s->at == '-' || (*s->at >= '0' && *s->at <= '9'))
        return scan_number(s);
    return fail(s, ERROR_INPUT, s->at, "a value was expected");
}

bool json_scan(const char *text, size_t length, const char *name, struct buf *clean, struct error *err)
{
    struct error unused;
    const unsigned char *bytes = (const unsigned char *)text;
    struct scan s = {.text = bytes, .at = bytes, .end = bytes + length, .copied = bytes, .clean = clean, .name = name,
                     .err = err != NULL ? err : &unused};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        s.at += 3; /* a byte order mark; cJSON skips it, too */
    if (!scan_value(&s))
        return false;
    skip_space(&s);
    if (s.at != s.end)
        return fail(&s, ERROR_INPUT, s.at, "something follows the end of the JSON document");
    if (s.copied != bytes)
        rewrite(&s, s.end, "");
    return buf_ok(clean) || error_memory(err);
}
