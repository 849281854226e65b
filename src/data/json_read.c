#include "data/json_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/number.h"
#include "data/plain.h"
#include "data/utf8.h"

enum {
    SHORT_NUMBER = 64, /* literals that are copied to the stack */
};

/* A string as it will be kept: either a plain run of the text itself, or decoded. */
struct string {
    const char *bytes;
    size_t length;
    char *decoded; /* owned; NULL: bytes points into the text */
};

struct reader {
    const unsigned char *text, *at, *end;
    size_t depth;
    struct string key; /* of the entry that is read next; bytes are NULL outside objects */
    const char *name;
    struct error *err;
};

static bool fail(struct reader *r, enum error_kind kind, const unsigned char *at, const char *message)
{
    size_t line = 1, column = 1;
    for (const unsigned char *p = r->text; p < at; p++) {
        if (*p == '\n') {
            line++;
            column = 1;
        } else if ((*p & 0xC0) != 0x80) {
            column++;
        }
    }
    char where[sizeof r->err->where];
    snprintf(where, sizeof where, "%.120s:%zu:%zu", r->name, line, column);
    return error_set(r->err, kind, where, "%s", message);
}

static void skip_space(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
}

static void drop_string(struct string *string)
{
    mem_free(string->decoded);
    *string = (struct string){0};
}

/* A node, and behind it in the same block its key (r->key, which is used up) and its text. The flags tell cJSON not to free
 * those two by themselves. One allocation instead of three: that is half of the time that reading takes. */
static cJSON *make(struct reader *r, int type, const char *text, size_t length)
{
    size_t key_room = r->key.bytes != NULL ? r->key.length + 1 : 0, text_room = text != NULL ? length + 1 : 0;
    cJSON *node = node_block(type, key_room + text_room);
    if (node == NULL) {
        error_memory(r->err);
        return NULL;
    }
    char *room = (char *)(node + 1);
    if (key_room > 0) {
        node->string = memcpy(room, r->key.bytes, r->key.length);
        node->string[r->key.length] = '\0';
        node->type |= cJSON_StringIsConst;
        room += key_room;
        drop_string(&r->key);
    }
    if (text_room > 0) {
        node->valuestring = memcpy(room, text, length);
        node->valuestring[length] = '\0';
        node->type |= cJSON_IsReference;
    }
    return node;
}

static cJSON *make_number(struct reader *r, double d)
{
    cJSON *node = make(r, cJSON_Number, NULL, 0);
    if (node != NULL)
        node->valuedouble = d;
    return node;
}

/* Reads the four digits of \uXXXX, r->at behind the u. */
static bool read_hex(struct reader *r, unsigned *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        unsigned char c = r->at < r->end ? *r->at : 0;
        unsigned char low = c | 0x20;
        if (c >= '0' && c <= '9')
            *unit = *unit * 16 + (unsigned)(c - '0');
        else if (low >= 'a' && low <= 'f')
            *unit = *unit * 16 + (unsigned)(low - 'a' + 10);
        else
            return fail(r, ERROR_INPUT, r->at, "four hexadecimal digits were expected after \\u");
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

/* \uXXXX, or two of them for one character; halves that stand alone and NUL become U+FFFD. */
static bool read_unicode(struct reader *r, char **to)
{
    unsigned unit, second;
    if (!read_hex(r, &unit))
        return false;
    unsigned long point = unit;
    if (is_high_half(unit) && r->end - r->at >= 2 && r->at[0] == '\\' && r->at[1] == 'u') {
        const unsigned char *before = r->at;
        r->at += 2;
        if (!read_hex(r, &second))
            return false;
        if (is_low_half(second))
            point = 0x10000UL + ((unit - 0xD800UL) << 10) + (second - 0xDC00UL);
        else
            r->at = before; /* it is looked at again, by itself */
    }
    if (point == 0 || is_high_half((unsigned)point) || is_low_half((unsigned)point))
        point = 0xFFFD;
    *to += utf8_write(point, *to);
    return true;
}

static bool read_escape(struct reader *r, char **to)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const unsigned char *from = r->at++;
    unsigned char c = r->at < r->end ? *r->at : 0;
    const char *name = c != 0 ? strchr(names, c) : NULL;
    r->at++;
    if (c == 'u')
        return read_unicode(r, to);
    if (name == NULL)
        return fail(r, ERROR_INPUT, from, "no such escape in a JSON string");
    *(*to)++ = meanings[name - names];
    return true;
}

/* Where the string that begins at r->at (behind its quote) ends, at its closing quote or the text's end. */
static const unsigned char *string_end(const struct reader *r, const unsigned char *at)
{
    while (at < r->end && *at != '"')
        at += *at == '\\' && r->end - at > 1 ? 2 : 1;
    return at;
}

/* A string that holds more than plain bytes. Each byte becomes at most three. */
static bool read_rich_string(struct reader *r, const unsigned char *quote, struct string *out)
{
    size_t most = (size_t)(string_end(r, r->at) - r->at);
    char *text = most < SIZE_MAX / 3 ? mem_alloc(most * 3 + 1) : NULL, *to = text;
    bool ok = text != NULL || error_memory(r->err);
    while (ok && r->at < r->end && *r->at != '"') {
        size_t length = utf8_length(r->at, (size_t)(r->end - r->at));
        if (*r->at == '\\') {
            ok = read_escape(r, &to);
        } else if (*r->at < 0x20) {
            ok = fail(r, ERROR_INPUT, r->at, "a control character or the end of the line in a JSON string");
        } else {
            to = length > 0 ? mempcpy(to, r->at, length) : stpcpy(to, UTF8_REPLACEMENT);
            r->at += length > 0 ? length : 1;
        }
    }
    if (ok && r->at == r->end)
        ok = fail(r, ERROR_INPUT, quote, "this string has no end");
    if (!ok) {
        mem_free(text);
        return false;
    }
    r->at++;
    *out = (struct string){.bytes = text, .length = (size_t)(to - text), .decoded = text};
    return true;
}

static bool read_string(struct reader *r, struct string *out)
{
    const unsigned char *quote = r->at++, *from = r->at, *at = from + plain_length((const char *)from, (size_t)(r->end - from));
    if (at == r->end || *at != '"')
        return read_rich_string(r, quote, out);
    r->at = at + 1;
    *out = (struct string){.bytes = (const char *)from, .length = (size_t)(at - from)};
    return true;
}

static size_t skip_digits(struct reader *r)
{
    const unsigned char *from = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return (size_t)(r->at - from);
}

/* The literal that ends at r->at has a double's value. */
static cJSON *make_double(struct reader *r, const unsigned char *from)
{
    char room[SHORT_NUMBER];
    size_t length = (size_t)(r->at - from);
    char *literal = length < sizeof room ? room : mem_alloc(length + 1); /* strtod needs an end */
    if (literal == NULL) {
        error_memory(r->err);
        return NULL;
    }
    memcpy(literal, from, length);
    literal[length] = '\0';
    double d = number_read_double(literal, NULL);
    if (literal != room)
        mem_free(literal);
    if (!isfinite(d)) {
        fail(r, ERROR_INPUT, from, "a number that is too large");
        return NULL;
    }
    return make_number(r, d);
}

/* Checks the literal at r->at and moves behind it. */
static bool skip_number(struct reader *r, bool *whole)
{
    const unsigned char *from = r->at;
    r->at += *r->at == '-';
    const unsigned char *first = r->at;
    size_t digits = skip_digits(r);
    *whole = true;
    if (digits == 0)
        return fail(r, ERROR_INPUT, r->at, "a digit was expected");
    if (digits > 1 && *first == '0')
        return fail(r, ERROR_INPUT, from, "a JSON number does not begin with 0");
    if (r->at < r->end && *r->at == '.') {
        *whole = false;
        r->at++;
        if (skip_digits(r) == 0)
            return fail(r, ERROR_INPUT, r->at, "a digit was expected after the point");
    }
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        *whole = false;
        r->at++;
        if (r->at < r->end && (*r->at == '+' || *r->at == '-'))
            r->at++;
        if (skip_digits(r) == 0)
            return fail(r, ERROR_INPUT, r->at, "a digit was expected in the exponent");
    }
    return true;
}

static cJSON *read_number(struct reader *r)
{
    const unsigned char *from = r->at;
    bool whole;
    struct number_integer integer;
    if (!skip_number(r, &whole))
        return NULL;
    if (!whole || !number_read((const char *)from, (size_t)(r->at - from), &integer))
        return make_double(r, from);
    if (!number_needs_text(integer))
        return make_number(r, number_to_double(integer));
    char text[NUMBER_TEXT];
    number_print_integer(integer, text);
    return make(r, cJSON_Raw, text, strlen(text));
}

static cJSON *read_word(struct reader *r, const char *word, int type)
{
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) {
        fail(r, ERROR_INPUT, r->at, "a value was expected");
        return NULL;
    }
    r->at += length;
    return make(r, type, NULL, 0);
}

static cJSON *read_value(struct reader *r);

static bool read_key(struct reader *r)
{
    if (r->at == r->end || *r->at != '"')
        return fail(r, ERROR_INPUT, r->at, "a key in double quotes was expected");
    if (!read_string(r, &r->key))
        return false;
    skip_space(r);
    if (r->at == r->end || *r->at != ':')
        return fail(r, ERROR_INPUT, r->at, "':' was expected after the key");
    r->at++;
    return true;
}

/* Reads one entry and hangs it in. */
static bool read_entry(struct reader *r, cJSON *container, bool object)
{
    skip_space(r);
    cJSON *entry = !object || read_key(r) ? read_value(r) : NULL;
    drop_string(&r->key); /* still there if something failed */
    if (entry == NULL)
        return false;
    node_add(container, entry);
    return true;
}

/* Entries, commas between them, the closing bracket. */
static bool read_entries(struct reader *r, cJSON *container, bool object)
{
    unsigned char close = object ? '}' : ']';
    r->at++;
    skip_space(r);
    if (r->at < r->end && *r->at == close) {
        r->at++;
        return true;
    }
    for (;;) {
        if (!read_entry(r, container, object))
            return false;
        skip_space(r);
        if (r->at < r->end && *r->at == ',') {
            r->at++;
            continue;
        }
        if (r->at == r->end || *r->at != close)
            return fail(r, ERROR_INPUT, r->at, object ? "',' or '}' was expected" : "',' or ']' was expected");
        r->at++;
        return !object || node_drop_duplicates(container) || error_memory(r->err);
    }
}

static cJSON *read_container(struct reader *r, bool object)
{
    if (r->depth == JSON_DEPTH) {
        fail(r, ERROR_LIMIT, r->at, "nested too deeply");
        return NULL;
    }
    cJSON *container = make(r, object ? cJSON_Object : cJSON_Array, NULL, 0);
    if (container == NULL)
        return NULL;
    r->depth++;
    bool ok = read_entries(r, container, object);
    r->depth--;
    if (ok)
        return container;
    node_release(container);
    return NULL;
}

static cJSON *read_text(struct reader *r)
{
    struct string text;
    if (!read_string(r, &text))
        return NULL;
    cJSON *node = make(r, cJSON_String, text.bytes, text.length);
    drop_string(&text);
    return node;
}

static cJSON *read_value(struct reader *r)
{
    skip_space(r);
    if (r->at == r->end) {
        fail(r, ERROR_INPUT, r->at, "the text ends where a value was expected");
        return NULL;
    }
    switch (*r->at) {
    case '{': return read_container(r, true);
    case '[': return read_container(r, false);
    case '"': return read_text(r);
    case 't': return read_word(r, "true", cJSON_True);
    case 'f': return read_word(r, "false", cJSON_False);
    case 'n': return read_word(r, "null", cJSON_NULL);
    default: break;
    }
    if (*r->at == '-' || (*r->at >= '0' && *r->at <= '9'))
        return read_number(r);
    fail(r, ERROR_INPUT, r->at, "a value was expected");
    return NULL;
}

cJSON *json_read(const char *text, size_t length, const char *name, struct error *err)
{
    struct error unused;
    const unsigned char *bytes = (const unsigned char *)text;
    struct reader r = {.text = bytes, .at = bytes, .end = bytes + length, .name = name, .err = err != NULL ? err : &unused};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        r.at += 3; /* a byte order mark */
    cJSON *node = read_value(&r);
    if (node == NULL)
        return NULL;
    skip_space(&r);
    if (r.at == r.end)
        return node;
    node_release(node);
    fail(&r, ERROR_INPUT, r.at, "something follows the end of the JSON document");
    return NULL;
}
