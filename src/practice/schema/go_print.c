#include "practice/schema/go_print.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "data/json.h"

static int by_key(const void *a, const void *b)
{
    return strcmp(value_key(a), value_key(b));
}

/* Entries in the order of their keys, a printer for each. */
static void print_object(const struct value *object, void (*print)(const struct value *entry, struct buf *out),
                         const char *between, struct buf *out)
{
    struct vec entries = vec_make(SIZE_MAX, NULL);
    bool ok = true;
    for (struct value *entry = value_first(object); ok && entry != NULL; entry = value_next(entry))
        ok = vec_push(&entries, entry);
    out->failed |= !ok;
    vec_sort(&entries, by_key);
    for (size_t i = 0; i < entries.length; i++) {
        buf_append_string(out, i > 0 ? between : "");
        print(entries.items[i], out);
    }
    vec_free(&entries);
}

static void print_entry(const struct value *entry, struct buf *out)
{
    buf_printf(out, "%s:", value_key(entry));
    go_print(entry, out);
}

static void print_list(const struct value *list, void (*print)(const struct value *item, struct buf *out), const char *between,
                       struct buf *out)
{
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item)) {
        buf_append_string(out, item != value_first(list) ? between : "");
        print(item, out);
    }
}

void go_print(const struct value *v, struct buf *out)
{
    switch (value_type(v)) {
    case VALUE_MISSING:
    case VALUE_NULL:
        buf_append_string(out, "<nil>");
        break;
    case VALUE_BOOL:
    case VALUE_NUMBER:
        json_print(v, false, out);
        break;
    case VALUE_STRING:
        buf_append_string(out, value_text(v));
        break;
    case VALUE_OBJECT:
        buf_append_string(out, "map[");
        print_object(v, print_entry, " ", out);
        buf_append_string(out, "]");
        break;
    case VALUE_ARRAY:
        buf_append_string(out, "[");
        print_list(v, go_print, " ", out);
        buf_append_string(out, "]");
        break;
    }
}

static void print_syntax_entry(const struct value *entry, struct buf *out)
{
    go_quote(value_key(entry), out);
    buf_append_string(out, ":");
    go_print_syntax(entry, out);
}

void go_print_syntax(const struct value *v, struct buf *out)
{
    switch (value_type(v)) {
    case VALUE_MISSING:
    case VALUE_NULL:
        buf_append_string(out, "interface {}(nil)");
        break;
    case VALUE_BOOL:
    case VALUE_NUMBER:
        json_print(v, false, out);
        break;
    case VALUE_STRING:
        go_quote(value_text(v), out);
        break;
    case VALUE_OBJECT:
        buf_append_string(out, "map[string]interface {}{");
        print_object(v, print_syntax_entry, ", ", out);
        buf_append_string(out, "}");
        break;
    case VALUE_ARRAY:
        buf_append_string(out, "[]interface {}{");
        print_list(v, go_print_syntax, ", ", out);
        buf_append_string(out, "}");
        break;
    }
}

void go_quote(const char *text, struct buf *out)
{
    static const char *const named[] = {['\a'] = "\\a", ['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n",  ['\v'] = "\\v",
                                        ['\f'] = "\\f", ['\r'] = "\\r", ['"'] = "\\\"", ['\\'] = "\\\\", ['\x7f'] = "\\x7f"};
    buf_append_string(out, "\"");
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < sizeof named / sizeof named[0] && named[c] != NULL)
            buf_append_string(out, named[c]);
        else if (c < 0x20)
            buf_printf(out, "\\x%02x", c);
        else
            buf_append(out, text, 1);
    }
    buf_append_string(out, "\"");
}

const char *go_type(const struct value *v)
{
    static const char *const names[] = {
        [VALUE_MISSING] = "%!s(<nil>)", [VALUE_NULL] = "%!s(<nil>)",      [VALUE_BOOL] = "bool",
        [VALUE_STRING] = "string",      [VALUE_ARRAY] = "[]interface {}", [VALUE_OBJECT] = "map[string]interface {}"};
    int64_t whole;
    enum value_type type = value_type(v);
    return type != VALUE_NUMBER ? names[type] : value_as_int(v, &whole) ? "int64" : "float64";
}
