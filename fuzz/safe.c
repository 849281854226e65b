/* Untrusted text: what comes out is valid UTF-8 with nothing hidden in it, whole and in pieces; wrapping loses nothing and
 * fits. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/safe.h"
#include "text/width.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_safe(const char *bytes, size_t length, enum safe_options options)
{
    size_t marks = 0;
    for (size_t at = 0; at < length;) {
        unsigned code_point;
        size_t used = utf8_decode(bytes + at, length - at, &code_point);
        bool kept = options == SAFE_NEWLINES && (code_point == '\n' || code_point == '\t');
        must(used > 1 || (unsigned char)bytes[at] < 0x80);
        must(kept || !safe_is_hidden(code_point));
        marks = !kept && width_of(code_point) == 0 ? marks + 1 : 0;
        must(marks <= SAFE_COMBINING && marks < at + used);
        at += used;
    }
}

static bool same(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return a_length == b_length && (a_length == 0 || memcmp(a, b, a_length) == 0);
}

static void check_options(const char *bytes, size_t length, enum safe_options options)
{
    struct safe_text text = safe_make(bytes, length, options);
    must(text.bytes != NULL && strlen(text.bytes) == text.length);
    check_safe(text.bytes, text.length, options);
    struct safe_text again = safe_make(text.bytes, text.length, options);
    must(same(text.bytes, text.length, again.bytes, again.length));
    safe_free(&again);
    safe_free(&text);
}

static void check_log(const char *bytes, size_t length)
{
    struct safe_span spans[8];
    size_t count, covered = 0;
    struct safe_text text = safe_log_line(bytes, length, spans, 1 + length % 8, &count);
    must(text.bytes != NULL);
    check_safe(text.bytes, text.length, SAFE_ONE_LINE);
    for (size_t i = 0; i < count; i++) {
        must(spans[i].start == covered && spans[i].length > 0);
        must(spans[i].foreground >= -1 && spans[i].foreground <= 255 && spans[i].background >= -1 &&
             spans[i].background <= 255);
        covered += spans[i].length;
    }
    must(covered == text.length);
    safe_free(&text);
}

/* Of the text everything comes out, in order, but for spaces at the ends of lines. */
static void check_wrap(const char *bytes, size_t length, size_t columns)
{
    for (size_t at = 0; at < length;) {
        size_t next = 0;
        size_t line = width_wrap(bytes + at, length - at, columns, &next);
        must(next > 0 && next <= length - at && line <= next);
        must(width_text(bytes + at, line) <= columns);
        for (size_t i = line; i < next; i++)
            must(bytes[at + i] == ' ' || bytes[at + i] == '\t' || bytes[at + i] == '\n');
        at += next;
    }
}

static void check_cut(const char *bytes, size_t length, size_t columns)
{
    struct buf out = buf_make(length + 4);
    size_t used;
    size_t fitting = width_fit(bytes, length, columns, &used);
    must(fitting <= length && used <= columns && used == width_text(bytes, fitting));
    width_cut(bytes, length, columns, &out);
    must(buf_ok(&out) && (out.length == 0 || width_text(out.bytes, out.length) <= columns));
    buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length)
{
    if (length < 1)
        return 0;
    size_t columns = 8 + input[0] % 100; /* a tab takes up to 8 */
    const char *bytes = (const char *)input + 1;
    length--;
    check_options(bytes, length, SAFE_ONE_LINE);
    check_options(bytes, length, SAFE_NEWLINES);
    check_log(bytes, length);
    struct safe_text text = safe_make(bytes, length, SAFE_NEWLINES);
    check_wrap(text.bytes, text.length, columns);
    check_cut(text.bytes, text.length, columns);
    check_wrap(bytes, length, columns); /* not safe yet: still no harm */
    check_cut(bytes, length, columns);
    safe_free(&text);
    return 0;
}
