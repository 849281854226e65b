#include "practice/api/json_fault.h"

#include <string.h>

enum { DEPTH = 10000 };

struct scan {
    const unsigned char *at, *end;
    unsigned char nesting[DEPTH / 8 + 1]; /* a bit for each open container: 1 is an object */
    size_t depth;
    const char *wrong; /* where the character at `at` stands; NULL with failed: the text ended */
    char literal[48];  /* room for a `wrong` that names a letter */
    bool failed;
};

static bool fail(struct scan *s, const char *where)
{
    s->failed = true;
    s->wrong = s->at < s->end ? where : NULL;
    return false;
}

static void skip_space(struct scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\r' || *s->at == '\n'))
        s->at++;
}

static bool is_digit(const struct scan *s)
{
    return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static bool is_hex(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool read_escape(struct scan *s)
{
    s->at++;
    if (s->at == s->end || *s->at == '\0' || strchr("\"\\/bfnrtu", *s->at) == NULL)
        return fail(s, "in string escape code");
    if (*s->at++ != 'u')
        return true;
    for (int i = 0; i < 4; i++, s->at++)
        if (s->at == s->end || !is_hex(*s->at))
            return fail(s, "in \\u hexadecimal character escape");
    return true;
}

static bool read_string(struct scan *s)
{
    s->at++;
    while (s->at < s->end && *s->at != '"') {
        if (*s->at == '\\') {
            if (!read_escape(s))
                return false;
        } else if (*s->at < ' ') {
            return fail(s, "in string literal");
        } else {
            s->at++;
        }
    }
    if (s->at == s->end)
        return fail(s, "");
    s->at++;
    return true;
}

static bool read_digits(struct scan *s, const char *where)
{
    if (!is_digit(s))
        return fail(s, where);
    while (is_digit(s))
        s->at++;
    return true;
}

static bool read_number(struct scan *s)
{
    s->at += *s->at == '-';
    if (!is_digit(s))
        return fail(s, "in numeric literal");
    if (*s->at == '0')
        s->at++;
    else
        read_digits(s, "");
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        if (!read_digits(s, "after decimal point in numeric literal"))
            return false;
    }
    if (s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
        s->at++;
        s->at += s->at < s->end && (*s->at == '+' || *s->at == '-');
        return read_digits(s, "in exponent of numeric literal");
    }
    return true;
}

static bool read_literal(struct scan *s, const char *word)
{
    for (const char *letter = word; *letter != '\0'; letter++, s->at++)
        if (s->at == s->end || *s->at != (unsigned char)*letter) {
            struct buf text = buf_make(sizeof s->literal - 1);
            buf_printf(&text, "in literal %s (expecting '%c')", word, *letter);
            memcpy(s->literal, buf_ok(&text) ? text.bytes : "", text.length + 1);
            buf_free(&text);
            return fail(s, s->literal);
        }
    return true;
}

static bool open_container(struct scan *s, bool object)
{
    if (s->depth == DEPTH)
        return fail(s, "exceeded max depth");
    size_t bit = s->depth++;
    s->nesting[bit / 8] = (unsigned char)((s->nesting[bit / 8] & ~(1u << bit % 8)) | (unsigned)object << bit % 8);
    s->at++;
    return true;
}

static bool in_object(const struct scan *s)
{
    size_t bit = s->depth - 1;
    return (s->nesting[bit / 8] >> bit % 8 & 1) != 0;
}

/* A name and its colon. */
static bool read_name(struct scan *s)
{
    skip_space(s);
    if (s->at == s->end || *s->at != '"')
        return fail(s, "looking for beginning of object key string");
    if (!read_string(s))
        return false;
    skip_space(s);
    if (s->at == s->end || *s->at != ':')
        return fail(s, "after object key");
    s->at++;
    return true;
}

/* The beginning of a value; a scalar is read whole. *opened: a container was opened instead. */
static bool read_start(struct scan *s, bool *opened)
{
    static const struct {
        char first;
        const char *word;
    } literals[] = {{'t', "true"}, {'f', "false"}, {'n', "null"}};
    *opened = false;
    skip_space(s);
    unsigned char c = s->at < s->end ? *s->at : 0;
    if (c == '{' || c == '[') {
        *opened = true;
        return open_container(s, c == '{');
    }
    if (c == '"')
        return read_string(s);
    if (c == '-' || is_digit(s))
        return read_number(s);
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++)
        if (c == (unsigned char)literals[i].first)
            return read_literal(s, literals[i].word);
    return fail(s, "looking for beginning of value");
}

/* What follows a value, until the next one begins. *more: it does. */
static bool read_end(struct scan *s, bool opened, bool *more)
{
    for (;;) {
        skip_space(s);
        *more = false;
        if (s->depth == 0)
            return s->at == s->end || fail(s, "after top-level value");
        bool object = in_object(s);
        unsigned char c = s->at < s->end ? *s->at : 0, closing = object ? '}' : ']';
        if (s->at < s->end && c == closing) {
            s->at++;
            s->depth--;
            opened = false;
            continue;
        }
        *more = true;
        if (opened)
            return !object || read_name(s);
        if (s->at == s->end || c != ',')
            return fail(s, object ? "after object key:value pair" : "after array element");
        s->at++;
        return !object || read_name(s);
    }
}

/* As strconv quotes a character. */
static void quote(unsigned char c, struct buf *out)
{
    static const char letters[] = {['\a'] = 'a', ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\v'] = 'v', ['\f'] = 'f', ['\r'] = 'r'};
    if (c == '\'' || c == '\\')
        buf_printf(out, "'\\%c'", c);
    else if (c < sizeof letters && letters[c] != 0)
        buf_printf(out, "'\\%c'", letters[c]);
    else if (c < ' ' || c == 0x7f)
        buf_printf(out, "'\\x%02x'", c);
    else if (c < 0x80)
        buf_printf(out, "'%c'", c);
    else if (c < 0xa1 || c == 0xad)
        buf_printf(out, "'\\u%04x'", c);
    else
        buf_printf(out, "'%c%c'", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
}

bool json_fault(const char *text, size_t length, struct buf *out)
{
    struct scan s = {.at = (const unsigned char *)text, .end = (const unsigned char *)text + length};
    bool more = true, opened;
    while (more && read_start(&s, &opened) && read_end(&s, opened, &more))
        ;
    if (!s.failed)
        return false;
    if (s.wrong == NULL) {
        buf_append_string(out, "unexpected end of JSON input");
    } else {
        buf_append_string(out, s.depth == DEPTH ? "" : "invalid character ");
        if (s.depth < DEPTH)
            quote(*s.at, out);
        buf_printf(out, "%s%s", s.depth == DEPTH ? "" : " ", s.wrong);
    }
    return true;
}
