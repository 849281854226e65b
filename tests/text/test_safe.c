/* Untrusted text made safe: tests/text/safe/ has the cases; here is what no file can say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cases.h"
#include "text/safe.h"
#include "text/width.h"

enum { SPANS = 16 };

/* A span as the case files write it: "0+5 bold red-ish": start+length, then what differs from plain. */
static void describe(const struct safe_span *span, struct buf *out)
{
    const struct {
        bool on;
        const char *name;
    } flags[] = {{span->bold, " bold"},
                 {span->dim, " dim"},
                 {span->italic, " italic"},
                 {span->underline, " underline"},
                 {span->reverse, " reverse"}};
    buf_printf(out, "%zu+%zu", span->start, span->length);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].on)
            buf_append_string(out, flags[i].name);
    if (span->foreground >= 0)
        buf_printf(out, " fg%d", span->foreground);
    if (span->background >= 0)
        buf_printf(out, " bg%d", span->background);
}

struct safe_case {
    char *input;
    size_t length;
    struct safe_span spans[SPANS];
    size_t count, next;
};

static bool expect(const char *path, struct safe_case *at, const char *line)
{
    const char *wanted;
    struct safe_text text = {NULL, 0};
    if ((wanted = case_argument(line, "one")) != NULL)
        text = safe_make(at->input, at->length, SAFE_ONE_LINE);
    else if ((wanted = case_argument(line, "lines")) != NULL)
        text = safe_make(at->input, at->length, SAFE_NEWLINES);
    else if ((wanted = case_argument(line, "log")) != NULL) {
        if (at->next != at->count)
            fail_msg("%s: a span is not mentioned before: %s", path, line);
        text = safe_log_line(at->input, at->length, at->spans, SPANS, &at->count);
        at->next = 0;
    } else
        return false;
    char *expected = mem_string(wanted);
    size_t length = case_unescape(expected);
    if (text.bytes == NULL || text.length != length || memcmp(text.bytes, expected, length) != 0)
        fail_msg("%s: %s\n  got: %s", path, line, text.bytes);
    mem_free(expected);
    safe_free(&text);
    return true;
}

static void run_case(const char *path, char *contents)
{
    struct safe_case at = {0};
    for (char *line; (line = case_line(&contents)) != NULL;) {
        const char *argument;
        if (line[0] == '#' || line[0] == '\0')
            continue;
        if ((argument = case_argument(line, "input")) != NULL) {
            at.input = line + (argument - line);
            at.length = case_unescape(at.input);
        } else if ((argument = case_argument(line, "span")) != NULL) {
            struct buf got = buf_make(200);
            if (at.next < at.count)
                describe(&at.spans[at.next++], &got);
            if (got.bytes == NULL || strcmp(got.bytes, argument) != 0)
                fail_msg("%s: span %s\n  got: %s", path, argument, got.bytes != NULL ? got.bytes : "none");
            buf_free(&got);
        } else if (at.input == NULL || !expect(path, &at, line)) {
            fail_msg("%s: not understood: %s", path, line);
        }
    }
    if (at.next != at.count)
        fail_msg("%s: the last log line has spans that are not mentioned", path);
}

static void the_cases_hold(void **state)
{
    (void)state;
    each_case("safe", ".case", run_case);
}

static void every_hidden_code_point_is_written_out(void **state)
{
    (void)state;
    unsigned count = 0;
    for (unsigned code_point = 0; code_point <= 0x10FFFF; code_point++) {
        if (!safe_is_hidden(code_point) || (code_point >= 0xD800 && code_point <= 0xDFFF))
            continue;
        char bytes[4];
        struct safe_text text = safe_make(bytes, utf8_encode(code_point, bytes), SAFE_ONE_LINE);
        for (size_t i = 0; i < text.length; i++)
            assert_in_range(text.bytes[i], ' ', '~');
        assert_true(text.length >= 2);
        safe_free(&text);
        count++;
    }
    assert_true(count > 65 + 128);
}

static void what_the_design_names_is_hidden(void **state)
{
    (void)state;
    static const unsigned named[] = {0x00,   0x1B,   0x7F,   0x80,   0x9B,   0x9F,   0x061C,  0x200B,
                                     0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E,  0x2066,
                                     0x2067, 0x2068, 0x2069, 0xFEFF, 0x00AD, 0xD800, 0x110000};
    static const unsigned shown[] = {' ', '~', 0xA0, 0x0301, 0x200C, 0x200D, 0x4F60, 0xFE0F, 0x1F600};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        assert_true(safe_is_hidden(named[i]));
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        assert_false(safe_is_hidden(shown[i]));
}

static void marks_are_capped_across_pieces(void **state)
{
    (void)state;
    struct buf out = buf_make(100);
    safe_append(&out, "e", 1, SAFE_ONE_LINE);
    for (int i = 0; i < 10; i++)
        safe_append(&out, "\xCC\x81", 2, SAFE_ONE_LINE);
    assert_int_equal(out.length, 1 + 2 * SAFE_COMBINING);
    safe_append(&out, "x\xCC\x81", 3, SAFE_ONE_LINE);
    assert_int_equal(out.length, 1 + 2 * SAFE_COMBINING + 3);
    buf_free(&out);
}

static void no_text_is_an_empty_text(void **state)
{
    (void)state;
    struct safe_text text = safe_string(NULL);
    assert_string_equal(text.bytes, "");
    assert_int_equal(text.length, 0);
    safe_free(&text);
}

static void spans_that_find_no_room_grow_the_last(void **state)
{
    (void)state;
    static const char line[] = "\033[31ma\033[32mb\033[33mc";
    struct safe_span spans[2];
    size_t count;
    struct safe_text text = safe_log_line(line, sizeof line - 1, spans, 2, &count);
    assert_string_equal(text.bytes, "abc");
    assert_int_equal(count, 2);
    assert_int_equal(spans[1].start, 1);
    assert_int_equal(spans[1].length, 2);
    assert_int_equal(spans[1].foreground, 2);
    safe_free(&text);
}

static void a_failed_allocation_gives_an_empty_text(void **state)
{
    (void)state;
    char input[300];
    memset(input, '\033', sizeof input);
    int nth = 0;
    for (bool ok = false; !ok;) {
        struct safe_span spans[SPANS];
        size_t count;
        mem_fail_at(++nth);
        struct safe_text text = safe_make(input, sizeof input, SAFE_ONE_LINE);
        mem_fail_at(nth);
        struct safe_text log = safe_log_line(input, sizeof input, spans, SPANS, &count);
        mem_fail_at(0);
        ok = text.bytes != NULL && log.bytes != NULL;
        assert_int_equal(text.length, text.bytes != NULL ? 2 * sizeof input : 0);
        assert_int_equal(log.length, log.bytes != NULL ? 2 * sizeof input : 0);
        assert_int_equal(count, log.bytes != NULL);
        safe_free(&text);
        safe_free(&log);
    }
    assert_true(nth > 2);
}

int test_safe(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cases_hold),
        cmocka_unit_test(every_hidden_code_point_is_written_out),
        cmocka_unit_test(what_the_design_names_is_hidden),
        cmocka_unit_test(marks_are_capped_across_pieces),
        cmocka_unit_test(no_text_is_an_empty_text),
        cmocka_unit_test(spans_that_find_no_room_grow_the_last),
        cmocka_unit_test(a_failed_allocation_gives_an_empty_text),
    };
    return cmocka_run_group_tests_name("text/safe", tests, NULL, NULL);
}
