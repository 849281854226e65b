#include "data/json.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "data/json_read.h"
#include "data/node.h"
#include "data/number.h"
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

/* ASCII that stands for itself: most of what is ever printed. */
static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

static void quote_slowly(const char *string, struct buf *out)
{
    const unsigned char *at = (const unsigned char *)string, *run = at, *end = at + strlen(string);
    char room[8];
    buf_append(out, "\"", 1);
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
    buf_append(out, "\"", 1);
}

/* A string with what stands before and after it (two bytes at most each): short plain ones, which nearly all are, in one piece. */
static void quote_between(const char *before, const char *string, const char *after, struct buf *out)
{
    char piece[128];
    size_t length = 0, most = sizeof piece - 4;
    while (*before != '\0')
        piece[length++] = *before++;
    size_t front = length;
    piece[length++] = '"';
    while (length < most && is_plain((unsigned char)*string))
        piece[length++] = *string++;
    if (*string == '\0') {
        piece[length++] = '"';
        while (*after != '\0')
            piece[length++] = *after++;
        buf_append(out, piece, length);
        return;
    }
    string -= length - front - 1;
    buf_append(out, piece, front);
    quote_slowly(string, out);
    buf_append_string(out, after);
}

void json_quote(const char *string, struct buf *out)
{
    quote_between("", string, "", out);
}

static void new_line(size_t depth, bool indented, struct buf *out)
{
    static const char spaces[] = "                                ";
    if (!indented)
        return;
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
    bool object = cJSON_IsObject(node);
    buf_append(out, object ? "{" : "[", 1);
    for (const cJSON *entry = node->child; entry != NULL; entry = entry->next) {
        const char *comma = entry != node->child ? "," : "";
        if (indented || !object)
            buf_append_string(out, comma);
        new_line(depth + 1, indented, out);
        if (object)
            quote_between(indented ? "" : comma, entry->string, indented ? ": " : ":", out);
        print(entry, depth + 1, indented, out);
    }
    if (node->child != NULL)
        new_line(depth, indented, out);
    buf_append(out, object ? "}" : "]", 1);
}

static void print(const cJSON *node, size_t depth, bool indented, struct buf *out)
{
    char number[NUMBER_TEXT];
    if (depth > NODE_DEPTH) {
        buf_fail(out);
        return;
    }
    switch (node_kind(node)) {
    case cJSON_True: buf_append_string(out, "true"); break;
    case cJSON_False: buf_append_string(out, "false"); break;
    case cJSON_Raw: buf_append_string(out, node->valuestring); break;
    case cJSON_String: json_quote(node->valuestring, out); break;
    case cJSON_Array:
    case cJSON_Object: print_entries(node, depth, indented, out); break;
    case cJSON_Number:
        number_print(node->valuedouble, number);
        buf_append_string(out, number);
        break;
    default: buf_append_string(out, "null"); break;
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
