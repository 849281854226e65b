/* Widths, cutting, and where lines are broken (cases in tests/text/wrap/). No locale is needed or touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cases.h"
#include "text/width.h"

static void decoding_undoes_encoding(void **state)
{
    (void)state;
    for (unsigned code_point = 0; code_point <= 0x10FFFF; code_point++) {
        char bytes[4];
        unsigned got;
        size_t length = utf8_encode(code_point, bytes);
        assert_int_equal(utf8_decode(bytes, length, &got), length);
        assert_int_equal(got, code_point >= 0xD800 && code_point <= 0xDFFF ? 0xFFFD : code_point);
        if (length > 1) { /* a cut sequence is invalid, a byte at a time */
            assert_int_equal(utf8_decode(bytes, length - 1, &got), 1);
            assert_int_equal(got, 0xFFFD);
        }
    }
    unsigned none;
    assert_int_equal(utf8_decode("", 0, &none), 0);
}

static void widths_are_those_of_unicode(void **state)
{
    (void)state;
    static const struct {
        unsigned code_point;
        int width;
    } known[] = {
        {'a', 1},     {' ', 1},     {0x00, 0},    {0x1B, 0},    {0x7F, 0},    {0x9B, 0},   {0xA0, 1},    {0xE9, 1},
        {0x0301, 0},  {0x0903, 1},  {0x0E31, 0},  {0x1100, 2},  {0x1161, 0},  {0x11A8, 0}, {0x200D, 0},  {0x2014, 1},
        {0x201C, 1},  {0x2026, 1},  {0x2500, 1},  {0x231A, 2},  {0x2603, 1},  {0x26A1, 2}, {0x2764, 1},  {0x3000, 2},
        {0x3001, 2},  {0x3042, 2},  {0x3099, 0},  {0x4E00, 2},  {0x9FFF, 2},  {0xA000, 2}, {0xAC00, 2},  {0xE000, 1},
        {0xF900, 2},  {0x4DC0, 2},  {0xFE0F, 0},  {0xFF01, 2},  {0xFF61, 1},  {0xFFFD, 1}, {0x1F1E6, 1}, {0x1F600, 2},
        {0x1FAE8, 2}, {0x1FAFF, 2}, {0x20000, 2}, {0x3FFFD, 2}, {0xE0100, 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (width_of(known[i].code_point) != known[i].width)
            fail_msg("U+%04X: %d, not %d", known[i].code_point, width_of(known[i].code_point), known[i].width);
}

static void a_tab_reaches_the_next_multiple_of_eight(void **state)
{
    (void)state;
    assert_int_equal(width_text("\t", 1), 8);
    assert_int_equal(width_text("a\tb", 3), 9);
    assert_int_equal(width_text("你好吗\tb", 11), 9);
    assert_int_equal(width_text("12345678\t", 9), 16);
}

static void fitting_never_tears_a_character(void **state)
{
    (void)state;
    static const char text[] = "e\xCC\x81你x";
    static const size_t bytes[] = {0, 3, 3, 6, 7}, columns[] = {0, 1, 1, 3, 4};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        size_t used;
        assert_int_equal(width_fit(text, sizeof text - 1, i, &used), bytes[i]);
        assert_int_equal(used, columns[i]);
    }
}

static void cutting_says_that_it_cut(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t columns;
        const char *cut;
    } cases[] = {
        {"nginx", 5, "nginx"},       {"nginx", 4, "ngi…"},       {"nginx", 1, "…"},        {"nginx", 0, ""},
        {"你好世界", 8, "你好世界"}, {"你好世界", 7, "你好世…"}, {"你好世界", 6, "你好…"}, {"", 3, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf out = buf_make(100);
        width_cut(cases[i].text, strlen(cases[i].text), cases[i].columns, &out);
        assert_string_equal(out.bytes != NULL ? out.bytes : "", cases[i].cut);
        buf_free(&out);
    }
}

/* A case is "columns N", "text ...", and a "line ..." for each line expected; a next "text" begins the next case. */
struct wrap_case {
    size_t columns;
    const char *text;
    size_t left;
};

static void finish(const char *path, const struct wrap_case *at)
{
    if (at->text != NULL && at->left > 0)
        fail_msg("%s: left over: \"%s\"", path, at->text);
}

static void expect_line(const char *path, struct wrap_case *at, char *wanted)
{
    size_t next = 0;
    wanted[case_unescape(wanted)] = '\0';
    size_t length = width_wrap(at->text, at->left, at->columns, &next);
    if (length != strlen(wanted) || memcmp(at->text, wanted, length) != 0)
        fail_msg("%s: line \"%s\"\n  got: \"%.*s\"", path, wanted, (int)length, at->text);
    at->text += next;
    at->left -= next;
}

static void run_wrap_case(const char *path, char *contents)
{
    struct wrap_case at = {0};
    for (char *line; (line = case_line(&contents)) != NULL;) {
        const char *argument;
        if (line[0] == '#' || line[0] == '\0')
            continue;
        if ((argument = case_argument(line, "columns")) != NULL) {
            at.columns = (size_t)strtoul(argument, NULL, 10);
        } else if ((argument = case_argument(line, "text")) != NULL) {
            finish(path, &at);
            at.text = argument;
            at.left = case_unescape(line + (argument - line));
        } else if ((argument = case_argument(line, "line")) != NULL && at.text != NULL) {
            expect_line(path, &at, line + (argument - line));
        } else {
            fail_msg("%s: not understood: %s", path, line);
        }
    }
    finish(path, &at);
}

static void the_wrapping_cases_hold(void **state)
{
    (void)state;
    each_case("wrap", ".case", run_wrap_case);
}

/* The rules of punctuation over a long text and every width: none may be broken while a line has room for two signs and a word.
 */
static void no_width_puts_punctuation_where_it_may_not_stand(void **state)
{
    (void)state;
    static const char text[] =
        "在“集群”里，控制器（controller）会观察《对象》：如果 Pod 少了，就创建；如果多了，就删除！真的吗？"
        "是的……【注意】「副本数」是 3 个、『期望』的状态由 spec 给出，约 100 MiB。完";
    static const char *const closing[] = {"，", "。", "、", "；", "：", "？", "！", "）",
                                          "」", "』", "】", "》", "”",  "’",  "…"};
    static const char *const opening[] = {"（", "「", "『", "【", "《", "“", "‘"};
    for (size_t columns = 12; columns <= 120; columns++) {
        const char *at = text;
        for (size_t left = sizeof text - 1; left > 0;) {
            size_t next = 0;
            size_t length = width_wrap(at, left, columns, &next);
            assert_in_range(next, 1, left);
            assert_true(width_text(at, length) <= columns);
            for (size_t i = 0; i < sizeof closing / sizeof *closing; i++)
                if (length >= strlen(closing[i]) && memcmp(at, closing[i], strlen(closing[i])) == 0)
                    fail_msg("at %zu columns a line starts with %s", columns, closing[i]);
            for (size_t i = 0; i < sizeof opening / sizeof *opening; i++) {
                size_t sign = strlen(opening[i]);
                if (length >= sign && memcmp(at + length - sign, opening[i], sign) == 0)
                    fail_msg("at %zu columns a line ends with %s", columns, opening[i]);
            }
            at += next;
            left -= next;
        }
    }
}

int test_width(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoding_undoes_encoding),
        cmocka_unit_test(widths_are_those_of_unicode),
        cmocka_unit_test(a_tab_reaches_the_next_multiple_of_eight),
        cmocka_unit_test(fitting_never_tears_a_character),
        cmocka_unit_test(cutting_says_that_it_cut),
        cmocka_unit_test(the_wrapping_cases_hold),
        cmocka_unit_test(no_width_puts_punctuation_where_it_may_not_stand),
    };
    return cmocka_run_group_tests_name("text/width", tests, NULL, NULL);
}
