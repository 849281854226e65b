#include "script/luapattern.h"

#include <string.h>

#include "base/buf.h"
#include "data/pattern.h"

enum { EXPRESSION_MAX = 1 << 20 /* bytes of the regular expression; a set of 4 bytes may become 128 ranges */ };

enum capture_state { CAPTURE_OPEN, CAPTURE_CLOSED, CAPTURE_POSITION };

struct reader {
    const char *p, *end;
    struct buf out;
    struct luapattern *result;
    enum capture_state captures[LUAPATTERN_CAPTURES];
    bool first_known; /* an item that says what a match begins with, or that nothing does, was read */
    struct error *err;
};

bool byte_set_has(const struct byte_set *set, unsigned byte)
{
    return (set->bits[byte / 8] >> (byte % 8) & 1) != 0;
}

static void add(struct byte_set *set, unsigned byte)
{
    set->bits[byte / 8] = (uint8_t)(set->bits[byte / 8] | 1u << (byte % 8));
}

static void invert(struct byte_set *set)
{
    for (size_t i = 0; i < sizeof set->bits; i++)
        set->bits[i] = (uint8_t)~set->bits[i];
}

static bool between(unsigned c, char low, char high)
{
    return c >= (unsigned char)low && c <= (unsigned char)high;
}

static bool is_alpha(unsigned c)
{
    return between(c, 'a', 'z') || between(c, 'A', 'Z');
}

static bool is_digit(unsigned c)
{
    return between(c, '0', '9');
}

static bool is_graph(unsigned c)
{
    return between(c, '!', '~');
}

/* The classes of the C locale, whatever the process's is. */
static bool in_class(unsigned c, char letter)
{
    switch (letter) {
    case 'a':
        return is_alpha(c);
    case 'c':
        return c < 32 || c == 127;
    case 'd':
        return is_digit(c);
    case 'g':
        return is_graph(c);
    case 'l':
        return between(c, 'a', 'z');
    case 'p':
        return is_graph(c) && !is_alpha(c) && !is_digit(c);
    case 's':
        return c == ' ' || between(c, '\t', '\r');
    case 'u':
        return between(c, 'A', 'Z');
    case 'w':
        return is_alpha(c) || is_digit(c);
    case 'z': /* no longer in the manual, still in the library */
        return c == 0;
    default: /* x */
        return is_digit(c) || between(c, 'a', 'f') || between(c, 'A', 'F');
    }
}

/* Adds what % and this character stand for. */
static void add_escaped(struct byte_set *set, char letter)
{
    bool upper = between((unsigned char)letter, 'A', 'Z');
    char lower = upper ? (char)(letter + ('a' - 'A')) : letter;
    if (lower == '\0' || strchr("acdglpsuwxz", lower) == NULL) {
        add(set, (unsigned char)letter);
        return;
    }
    for (unsigned c = 0; c < 256; c++)
        if (in_class(c, lower) != upper)
            add(set, c);
}

static bool refuse(struct reader *r, const char *why)
{
    return error_set(r->err, ERROR_INPUT, NULL, "%s", why);
}

/* Where the ] of a set is; NULL: nowhere. The first character is never the end, and % hides the one after it. */
static const char *set_end(const struct reader *r)
{
    const char *p = r->p;
    do {
        if (p == r->end)
            return NULL;
        if (*p++ == '%' && p < r->end)
            p++;
    } while (p == r->end || *p != ']');
    return p;
}

/* Reads a [set]; p stands behind the bracket. */
static bool read_set(struct reader *r, struct byte_set *set)
{
    bool negated = r->p < r->end && *r->p == '^';
    if (negated)
        r->p++;
    const char *end = set_end(r);
    if (end == NULL)
        return refuse(r, "malformed pattern (missing ']')");
    while (r->p < end) {
        if (*r->p == '%') {
            add_escaped(set, r->p[1]);
            r->p += 2;
        } else if (end - r->p > 2 && r->p[1] == '-') {
            for (unsigned c = (unsigned char)r->p[0]; c <= (unsigned char)r->p[2]; c++)
                add(set, c);
            r->p += 3;
        } else {
            add(set, (unsigned char)*r->p++);
        }
    }
    r->p = end + 1;
    if (negated)
        invert(set);
    return true;
}

/* Reads what stands for one byte: x . %x [set] */
static bool read_single(struct reader *r, struct byte_set *set)
{
    memset(set, 0, sizeof *set);
    char c = *r->p++;
    if (c == '.') {
        invert(set);
    } else if (c == '[') {
        return read_set(r, set);
    } else if (c == '%') {
        if (r->p == r->end)
            return refuse(r, "malformed pattern (ends with '%')");
        add_escaped(set, *r->p++);
    } else {
        add(set, (unsigned char)c);
    }
    return true;
}

/* The members as the ranges of a character class. */
static void put_ranges(struct buf *out, const struct byte_set *set)
{
    for (unsigned c = 0; c < 256; c++) {
        unsigned from = c;
        if (!byte_set_has(set, c))
            continue;
        while (c < 255 && byte_set_has(set, c + 1))
            c++;
        buf_printf(out, c > from ? "\\x%02x-\\x%02x" : "\\x%02x", from, c);
    }
}

static bool is_empty(const struct byte_set *set)
{
    static const struct byte_set none;
    return memcmp(set, &none, sizeof none) == 0;
}

static void put_class(struct buf *out, const struct byte_set *set, bool inverted)
{
    struct byte_set shown = *set;
    if (inverted)
        invert(&shown);
    if (is_empty(&shown)) {
        buf_append_string(out, "[^\\x00-\\xff]"); /* an empty class cannot be written */
        return;
    }
    buf_append_string(out, "[");
    put_ranges(out, &shown);
    buf_append_string(out, "]");
}

static bool open_capture(struct reader *r)
{
    struct luapattern *result = r->result;
    if (result->captures >= LUAPATTERN_CAPTURES)
        return refuse(r, "too many captures");
    r->p++;
    if (r->p < r->end && *r->p == ')') {
        r->p++;
        result->positions |= UINT32_C(1) << result->captures;
        r->captures[result->captures++] = CAPTURE_POSITION;
        buf_append_string(&r->out, "()");
        return true;
    }
    r->captures[result->captures++] = CAPTURE_OPEN;
    buf_append_string(&r->out, "(");
    return true;
}

static bool close_capture(struct reader *r)
{
    r->p++;
    for (int i = r->result->captures - 1; i >= 0; i--) {
        if (r->captures[i] == CAPTURE_OPEN) {
            r->captures[i] = CAPTURE_CLOSED;
            buf_append_string(&r->out, ")");
            return true;
        }
    }
    return refuse(r, "invalid pattern capture");
}

/* %1: the same bytes again. A position never matches again, as in the real library. */
static bool read_back_reference(struct reader *r)
{
    int index = r->p[1] - '1';
    if (index < 0 || index >= r->result->captures || r->captures[index] == CAPTURE_OPEN)
        return error_set(r->err, ERROR_INPUT, NULL, "invalid capture index %%%d in pattern", index + 1);
    r->p += 2;
    r->first_known = true;
    if (r->captures[index] == CAPTURE_POSITION)
        buf_append_string(&r->out, "(?!)");
    else
        buf_printf(&r->out, "\\g{%d}", index + 1);
    return true;
}

/* %f[set]: from outside the set into it; the subject's edges count as \0. */
static bool read_frontier(struct reader *r)
{
    struct byte_set set = {{0}};
    r->p += 2;
    if (r->p >= r->end || *r->p != '[')
        return refuse(r, "missing '[' after '%f' in pattern");
    r->p++;
    if (!read_set(r, &set))
        return false;
    bool edge_inside = byte_set_has(&set, 0);
    buf_append_string(&r->out, edge_inside ? "(?<=" : "(?<!");
    put_class(&r->out, &set, edge_inside);
    buf_append_string(&r->out, edge_inside ? ")(?!" : ")(?=");
    put_class(&r->out, &set, edge_inside);
    buf_append_string(&r->out, ")");
    return true;
}

static bool read_item(struct reader *r)
{
    struct byte_set set;
    if (!read_single(r, &set))
        return false;
    put_class(&r->out, &set, false);
    char repeat = r->p < r->end ? *r->p : '\0';
    bool optional = repeat == '*' || repeat == '-' || repeat == '?';
    if (optional || repeat == '+') {
        r->p++;
        buf_append_string(&r->out, repeat == '*' ? "*" : repeat == '+' ? "+" : repeat == '-' ? "*?" : "?");
    }
    if (!r->first_known && !optional) {
        r->result->has_first = true;
        r->result->first = set;
    }
    r->first_known = true;
    return true;
}

static bool read_next(struct reader *r)
{
    char c = *r->p, following = r->end - r->p > 1 ? r->p[1] : '\0';
    if (c == '(')
        return open_capture(r);
    if (c == ')')
        return close_capture(r);
    if (c == '$' && r->end - r->p == 1) {
        r->p++;
        buf_append_string(&r->out, "\\z");
        return true;
    }
    if (c == '%' && following == 'b')
        return refuse(r, "%b is not available in patterns here");
    if (c == '%' && following == 'f')
        return read_frontier(r);
    if (c == '%' && between((unsigned char)following, '0', '9'))
        return read_back_reference(r);
    return read_item(r);
}

bool luapattern_make(struct luapattern *out, const char *pattern, size_t length, bool caret, struct error *err)
{
    *out = (struct luapattern){.compiled = NULL};
    if (length > LUAPATTERN_MAX)
        return error_set(err, ERROR_LIMIT, NULL, "the pattern is longer than %d bytes", LUAPATTERN_MAX);
    struct reader r = {.p = pattern, .end = pattern + length, .out = buf_make(EXPRESSION_MAX), .result = out, .err = err};
    if (caret && length > 0 && *pattern == '^') {
        out->anchored = true;
        r.p++;
    }
    bool ok = true;
    while (ok && r.p < r.end)
        ok = read_next(&r);
    for (int i = 0; ok && i < out->captures; i++)
        if (r.captures[i] == CAPTURE_OPEN)
            ok = refuse(&r, "unfinished capture");
    if (ok && !buf_ok(&r.out))
        ok = error_memory(err);
    if (ok) {
        out->compiled = pattern_new_bytes(r.out.bytes != NULL ? r.out.bytes : "", r.out.length, true, err);
        ok = out->compiled != NULL;
    }
    buf_free(&r.out);
    return ok;
}

void luapattern_done(struct luapattern *pattern)
{
    pattern_free(pattern->compiled);
    pattern->compiled = NULL;
}
