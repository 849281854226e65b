#include "data/json.h"

#include <string.h>

#include "base/mem.h"
#include "data/json_read.h"
#include "data/node.h"
#include "data/number.h"
#include "data/plain.h"
#include "data/utf8.h"

struct value *json_parse(const char *text, size_t length, const char *name, struct error *err)
{
    return node_value(json_read(text, length, name, err));
}

static const char *escape_of(unsigned char c, char room[static 8])
{
    static const char *const named[] = {['"'] = "\\\"", ['\\'] = "\\\\", ['\b'] = "\\b", ['\f'] = "\\f",
                                        ['\n'] = "\\n", ['\r'] = "\\r",  ['\t'] = "\\t"};
    if (c < sizeof named / sizeof named[0] && named[c] != NULL)
        return named[c];
    static const char hex[] = "0123456789abcdef";
    memcpy(room, "\\u00", 4);
    room[4] = hex[c >> 4];
    room[5] = hex[c & 15];
    room[6] = '\0';
    return room;
}

static void escape_slowly(const char *string, struct buf *out)
{
    const unsigned char *at = (const unsigned char *)string, *run = at, *end = at + strlen(string);
    char room[8];
    while (at < end) {
        if (is_plain(*at)) {
            at++;
            continue;
        }
        size_t length = utf8_length(at, (size_t)(end - at));
        if (length > 1 || (length == 1 && *at >= 0x20 && *at != '"' && *at != '\\')) {
            at += length;
            continue;
        }
        buf_append(out, run, (size_t)(at - run));
        buf_append_string(out, length == 0 ? UTF8_REPLACEMENT : escape_of(*at, room));
        run = ++at;
    }
    buf_append(out, run, (size_t)(at - run));
}

/* Texts of a byte or two. */
struct sign {
    char bytes[3];
    unsigned char length;
};

static const struct sign nothing = {"", 0}, comma = {",", 1}, brace = {"{", 1}, bracket = {"[", 1}, colon = {":", 1}, wide_colon = {": ", 2};

static char *write_sign(char *to, const struct sign *sign)
{
    for (unsigned i = 0; i < sign->length; i++)
        *to++ = sign->bytes[i];
    return to;
}

/* A string with what stands before and after it: plain ones, which nearly all are, in one piece. */
static void quote_between(const struct sign *before, const char *string, const struct sign *after, struct buf *out)
{
    size_t length = strlen(string);
    if (plain_length(string, length) < length) {
        buf_append(out, before->bytes, before->length);
        buf_append(out, "\"", 1);
        escape_slowly(string, out);
        buf_append(out, "\"", 1);
        buf_append(out, after->bytes, after->length);
        return;
    }
    char *to = buf_extend(out, before->length + length + 2 + after->length);
    if (to == NULL)
        return;
    to = write_sign(to, before);
    *to++ = '"';
    to = mempcpy(to, string, length);
    *to++ = '"';
    write_sign(to, after);
}

void json_quote(const char *string, struct buf *out)
{
    quote_between(&nothing, string, &nothing, out);
}

void json_escape(const char *string, struct buf *out)
{
    size_t length = strlen(string);
    if (plain_length(string, length) == length)
        buf_append(out, string, length);
    else
        escape_slowly(string, out);
}

static void new_line(size_t depth, struct buf *out)
{
    static const char spaces[] = "                                ";
    buf_append(out, "\n", 1);
    for (size_t left = 2 * depth; left > 0;) {
        size_t most = left < sizeof spaces - 1 ? left : sizeof spaces - 1;
        buf_append(out, spaces, most);
        left -= most;
    }
}

static void print(const cJSON *node, size_t depth, bool indented, struct buf *out);

static void print_entries(const cJSON *node, size_t depth, bool indented, struct buf *out)
{
    bool object = node_kind(node) == cJSON_Object;
    const struct sign *before = object ? &brace : &bracket;
    for (const cJSON *entry = node->child; entry != NULL; entry = entry->next, before = &comma) {
        if (indented || !object)
            buf_append(out, before->bytes, before->length);
        if (indented)
            new_line(depth + 1, out);
        if (object)
            quote_between(indented ? &nothing : before, entry->string, indented ? &wide_colon : &colon, out);
        print(entry, depth + 1, indented, out);
    }
    if (node->child == NULL)
        buf_append(out, before->bytes, before->length);
    else if (indented)
        new_line(depth, out);
    char *end = buf_extend(out, 1);
    if (end != NULL)
        *end = object ? '}' : ']';
}

static void print(const cJSON *node, size_t depth, bool indented, struct buf *out)
{
    char number[NUMBER_TEXT];
    if (depth > NODE_DEPTH) {
        buf_fail(out);
        return;
    }
    switch (node_kind(node)) {
    case cJSON_True: buf_append(out, "true", 4); break;
    case cJSON_False: buf_append(out, "false", 5); break;
    case cJSON_Raw: buf_append_string(out, node->valuestring); break;
    case cJSON_String: json_quote(node->valuestring, out); break;
    case cJSON_Array:
    case cJSON_Object: print_entries(node, depth, indented, out); break;
    case cJSON_Number:
        number_print(node->valuedouble, number);
        buf_append_string(out, number);
        break;
    default: buf_append(out, "null", 4); break;
    }
}

void json_print(const struct value *v, bool indented, struct buf *out)
{
    if (v == NULL)
        buf_append_string(out, "null");
    else
        print(node_of(v), 0, indented, out);
}

char *json_text(const struct value *v, size_t maximum)
{
    struct buf out = buf_make(maximum);
    json_print(v, false, &out);
    return buf_take(&out, NULL);
}
