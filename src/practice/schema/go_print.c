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

/* How Go writes a value: %v for people, %#v as its source would have it. */
struct manner {
    const char *nothing, *object, *object_end, *array, *array_end, *between;
    bool quoted;
};

static const struct manner plain = {"<nil>", "map[", "]", "[", "]", " ", false};
static const struct manner syntax = {"interface {}(nil)", "map[string]interface {}{", "}", "[]interface {}{", "}", ", ", true};

static void print(const struct value *v, const struct manner *manner, struct buf *out);

static void print_text(const char *text, const struct manner *manner, struct buf *out)
{
    if (manner->quoted)
        go_quote(text, out);
    else
        buf_append_string(out, text);
}

static void print_object(const struct value *object, const struct manner *manner, struct buf *out)
{
    struct vec entries = vec_make(SIZE_MAX, NULL);
    bool ok = true;
    for (struct value *entry = value_first(object); ok && entry != NULL; entry = value_next(entry))
        ok = vec_push(&entries, entry);
    out->failed |= !ok;
    vec_sort(&entries, by_key);
    buf_append_string(out, manner->object);
    for (size_t i = 0; i < entries.length; i++) {
        buf_append_string(out, i > 0 ? manner->between : "");
        print_text(value_key(entries.items[i]), manner, out);
        buf_append_string(out, ":");
        print(entries.items[i], manner, out);
    }
    buf_append_string(out, manner->object_end);
    vec_free(&entries);
}

static void print_array(const struct value *array, const struct manner *manner, struct buf *out)
{
    buf_append_string(out, manner->array);
    for (const struct value *item = value_first(array); item != NULL; item = value_next(item)) {
        buf_append_string(out, item != value_first(array) ? manner->between : "");
        print(item, manner, out);
    }
    buf_append_string(out, manner->array_end);
}

static void print(const struct value *v, const struct manner *manner, struct buf *out)
{
    switch (value_type(v)) {
    case VALUE_MISSING:
    case VALUE_NULL:
        buf_append_string(out, manner->nothing);
        break;
    case VALUE_BOOL:
    case VALUE_NUMBER:
        json_print(v, false, out);
        break;
    case VALUE_STRING:
        print_text(value_text(v), manner, out);
        break;
    case VALUE_OBJECT:
        print_object(v, manner, out);
        break;
    case VALUE_ARRAY:
        print_array(v, manner, out);
        break;
    }
}

void go_print(const struct value *v, struct buf *out)
{
    print(v, &plain, out);
}

void go_print_syntax(const struct value *v, struct buf *out)
{
    print(v, &syntax, out);
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
