#include "data/describe.h"

#include <stdint.h>
#include <string.h>

#include "base/lang.h"
#include "data/json.h"
#include "data/node.h"
#include "data/shape.h"

static const char ellipsis[] = "\xE2\x80\xA6";

struct words words_make(size_t maximum)
{
    return (struct words){.text = buf_make(maximum)};
}

void words_put_n(struct words *w, const char *text, size_t length)
{
    size_t room = w->text.maximum - w->text.length;
    if (w->cut)
        return;
    w->cut = length > room;
    buf_append(&w->text, text, w->cut ? room : length);
}

void words_put(struct words *w, const char *text)
{
    words_put_n(w, text, strlen(text));
}

void words_put_quoted(struct words *w, const char *string)
{
    /* A megabyte is not quoted to show a line of it: each byte becomes at least one. */
    size_t length = strnlen(string, w->text.maximum + 1);
    struct buf start = buf_make(length), quoted = buf_make(SIZE_MAX);
    if (w->cut)
        return;
    buf_append(&start, string, length);
    if (buf_ok(&start))
        json_quote(start.bytes, &quoted);
    if (buf_ok(&start) && buf_ok(&quoted))
        words_put_n(w, quoted.bytes, quoted.length);
    else
        buf_fail(&w->text);
    buf_free(&start);
    buf_free(&quoted);
}

static void put_value(struct words *w, const struct value *v, size_t depth)
{
    enum value_type type = value_type(v);
    bool object = type == VALUE_OBJECT;
    if (w->cut || depth > NODE_DEPTH)
        return;
    if (type == VALUE_MISSING) {
        words_put(w, _("missing"));
    } else if (type == VALUE_STRING) {
        words_put_quoted(w, value_text(v));
    } else if (!object && type != VALUE_ARRAY) {
        struct buf text = buf_make(SIZE_MAX);
        json_print(v, false, &text);
        w->text.failed = w->text.failed || !buf_ok(&text);
        words_put_n(w, text.bytes, text.length);
        buf_free(&text);
    } else {
        words_put(w, object ? "{" : "[");
        for (const struct value *entry = value_first(v); entry != NULL && !w->cut; entry = value_next(entry)) {
            if (entry != value_first(v))
                words_put(w, ",");
            if (object) {
                words_put_quoted(w, value_key(entry));
                words_put(w, ":");
            }
            put_value(w, entry, depth + 1);
        }
        words_put(w, object ? "}" : "]");
    }
}

void words_put_value(struct words *w, const struct value *v)
{
    put_value(w, v, 0);
}

void words_end(struct words *w, struct buf *out)
{
    size_t length = w->text.length, mark = sizeof ellipsis - 1;
    if (w->cut) {
        length = w->text.maximum >= mark && length > 0 ? w->text.maximum - mark : 0;
        while (length > 0 && ((unsigned char)w->text.bytes[length] & 0xC0) == 0x80)
            length--; /* the byte behind the cut continues a character: give that up, too */
    }
    buf_append(out, w->text.bytes, length);
    if (w->cut && w->text.maximum >= mark)
        buf_append_string(out, ellipsis);
    if (!buf_ok(&w->text))
        buf_fail(out);
    buf_free(&w->text);
}

void value_describe(const struct value *v, size_t maximum, struct buf *out)
{
    struct words w = words_make(maximum);
    words_put_value(&w, v);
    words_end(&w, out);
}
