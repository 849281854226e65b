#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"
#include "data/pattern.h"

static enum pattern_answer search(const char *expression, const char *subject, struct pattern_spans *spans)
{
    struct pattern *p = pattern_new(expression, NULL);
    assert_non_null(p);
    enum pattern_answer answer = pattern_search(p, subject, strlen(subject), 0, spans, NULL);
    pattern_free(p);
    return answer;
}

static void finds_and_tells_the_groups(void **state)
{
    (void)state;
    struct pattern_spans spans;
    assert_int_equal(search("v(\\d+)\\.(\\d+)(-x)?", "is v1.34 now", &spans), PATTERN_YES);
    assert_int_equal(spans.count, 4);
    assert_int_equal(spans.at[0].start, 3);
    assert_int_equal(spans.at[0].end, 8);
    assert_int_equal(spans.at[2].start, 6);
    assert_true(spans.at[3].start == (size_t)-1);
    assert_int_equal(search("^v\\d", "is v1", NULL), PATTERN_NO);
    assert_int_equal(search("^.$", "\xE4\xB8\xAD", NULL), PATTERN_YES); /* one character, three bytes */
}

static void bytes_that_are_not_utf8_match_as_replacement_characters(void **state)
{
    (void)state;
    struct pattern_spans spans;
    assert_int_equal(search("a(\\x{FFFD}+)(z)", "\xFF" "a\xE4\xB8z", &spans), PATTERN_YES);
    assert_int_equal(spans.at[0].start, 1); /* places are those of the original */
    assert_int_equal(spans.at[0].end, 5);
    assert_int_equal(spans.at[2].start, 4);
    struct pattern *p = pattern_new("z", NULL);
    assert_int_equal(pattern_search(p, "z\xFFz\xFF", 4, 1, &spans, NULL), PATTERN_YES);
    assert_int_equal(spans.at[0].start, 2);
    assert_int_equal(pattern_search(p, "z", 1, 2, &spans, NULL), PATTERN_NO);
    assert_int_equal(pattern_search(p, "\xE4\xB8\xADz", 4, 1, &spans, NULL), PATTERN_YES);
    assert_int_equal(spans.at[0].start, 3);
    pattern_free(p);
}

static void a_malformed_pattern_says_what_is_wrong_and_where(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    assert_null(pattern_new("ab(c", &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_non_null(strstr(err.message, "missing closing parenthesis"));
    assert_non_null(strstr(err.message, "at character 5"));
    assert_null(pattern_new("\xFF", &err));
    assert_int_equal(err.kind, ERROR_INPUT);
}

static void catastrophic_patterns_end_with_an_error_in_time(void **state)
{
    (void)state;
    static const char *const expressions[] = {"(a+)+$",        "(a|aa)+$",       "(?:a*)*b?[cd]",      "a*[xy]",
                                              "(?:a|b)*+[xy]", "((a*)*)*z?[xy]", "(.*)(.*)(.*)(.*)\\d"};
    size_t length = 1 << 20;
    char *subject = mem_alloc(length + 1);
    memset(subject, 'a', length);
    memcpy(subject + length - 1, "!", 2);
    for (size_t i = 0; i < sizeof expressions / sizeof expressions[0]; i++) {
        struct error err = ERROR_INIT;
        struct pattern *p = pattern_new(expressions[i], &err);
        assert_non_null(p);
        clock_t before = clock();
        if (pattern_search(p, subject, length, 0, NULL, &err) != PATTERN_FAILED || err.kind != ERROR_LIMIT)
            fail_msg("%s ended without the limit", expressions[i]);
        assert_true((clock() - before) / CLOCKS_PER_SEC < 20); /* with sanitizers; a tenth of it without */
        pattern_free(p);
    }
    mem_free(subject);
}

static void a_long_text_is_searched_without_reaching_a_limit(void **state)
{
    (void)state;
    size_t length = 1 << 20;
    char *subject = mem_alloc(length + 1);
    memset(subject, 'a', length);
    memcpy(subject + length - 5, "error", 6);
    assert_int_equal(search("err[o]r$", subject, NULL), PATTERN_YES);
    assert_int_equal(search("^a+error", subject, NULL), PATTERN_YES);
    assert_int_equal(search("warning", subject, NULL), PATTERN_NO);
    mem_free(subject);
}

static void byte_patterns_know_nothing_of_characters(void **state)
{
    (void)state;
    struct pattern_spans spans;
    struct pattern *p = pattern_new_bytes("\0.", 2, true, NULL);
    assert_int_equal(pattern_search(p, "x\0\xFF", 3, 0, NULL, NULL), PATTERN_NO);
    assert_int_equal(pattern_search(p, "x\0\xFF", 3, 1, &spans, NULL), PATTERN_YES);
    assert_int_equal(spans.at[0].end, 3);
    pattern_free(p);
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    int nth = 0;
    for (bool ok = false; !ok;) {
        struct error err = ERROR_INIT;
        mem_fail_at(++nth);
        struct pattern *p = pattern_new("((a|b)*c)+", &err);
        ok = p != NULL && pattern_search(p, "\xFF" "abababc", 8, 0, NULL, &err) == PATTERN_YES;
        mem_fail_at(0);
        assert_true(ok || err.kind == ERROR_MEMORY);
        pattern_free(p);
    }
    assert_true(nth > 5);
}

int test_pattern(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_and_tells_the_groups),
        cmocka_unit_test(bytes_that_are_not_utf8_match_as_replacement_characters),
        cmocka_unit_test(a_malformed_pattern_says_what_is_wrong_and_where),
        cmocka_unit_test(catastrophic_patterns_end_with_an_error_in_time),
        cmocka_unit_test(a_long_text_is_searched_without_reaching_a_limit),
        cmocka_unit_test(byte_patterns_know_nothing_of_characters),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("data/pattern", tests, NULL, NULL);
}
