#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/json.h"

/* {xx} becomes a byte; in place. */
static size_t unescape(char *text)
{
    char *to = text;
    for (const char *at = text; *at != '\0'; to++) {
        char *end, hex[3] = {0};
        if (at[0] == '{' && strlen(at) >= 4 && at[3] == '}') {
            memcpy(hex, at + 1, 2);
            unsigned long byte = strtoul(hex, &end, 16);
            if (*end == '\0') {
                *to = (char)byte;
                at += 4;
                continue;
            }
        }
        *to = *at++;
    }
    return (size_t)(to - text);
}

static void check_case(char *line)
{
    char *arrow = strstr(line, " ==> "), *expected = arrow + 5;
    assert_non_null(arrow);
    char *original = mem_string(line);
    *arrow = '\0';
    size_t length = unescape(line);
    struct error err = ERROR_INIT;
    struct value *v = json_parse(line, length, "case", &err);
    if (*expected == '!') {
        char where[64], *words = strchr(expected + 2, ' ');
        *words++ = '\0';
        snprintf(where, sizeof where, "case:%s", expected + 2);
        if (v != NULL || err.kind != ERROR_INPUT || strcmp(err.where, where) != 0 || strstr(err.message, words) == NULL)
            fail_msg("%s: got %s: %s", original, err.where, err.message);
    } else {
        char *text = json_text(v, 1000);
        if (v == NULL || strcmp(text, expected) != 0)
            fail_msg("%s: got %s (%s: %s)", original, text, err.where, err.message);
        mem_free(text);
    }
    value_free(v);
    mem_free(original);
}

static void every_case_in_the_file_holds(void **state)
{
    (void)state;
    char *text = file_read(KT_TEST_CASES "/json/cases.txt", 1 << 20, NULL, NULL), *rest = text;
    assert_non_null(text);
    int cases = 0;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (*line == '#' || *line == '\0')
            continue;
        check_case(line);
        cases++;
    }
    assert_true(cases > 70);
    mem_free(text);
}

static char *nested(int depth)
{
    char *text = mem_alloc((size_t)depth * 2 + 1);
    memset(text, '[', (size_t)depth);
    memset(text + depth, ']', (size_t)depth);
    text[depth * 2] = '\0';
    return text;
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    char *fits = nested(JSON_DEPTH), *deep = nested(JSON_DEPTH + 1), *hostile = nested(1000000);
    struct value *v = json_parse(fits, strlen(fits), "fits", &err);
    assert_non_null(v);
    value_free(v);
    assert_null(json_parse(deep, strlen(deep), "deep", &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_null(json_parse(hostile, strlen(hostile), "hostile", NULL));
    mem_free(fits);
    mem_free(deep);
    mem_free(hostile);
}

static void an_object_with_very_many_repeated_keys_is_read_in_time(void **state)
{
    (void)state;
    struct buf text = buf_make(SIZE_MAX);
    buf_append_string(&text, "{");
    for (int i = 0; i < 200000; i++)
        buf_printf(&text, "\"k%d\":%d,", i % 100000, i);
    buf_append_string(&text, "\"last\":1}");
    struct value *v = json_parse(text.bytes, text.length, "many", NULL);
    assert_int_equal(value_length(v), 100001);
    assert_int_equal(value_find_int(v, 0, "k99999", NULL), 199999);
    value_free(v);
    buf_free(&text);
}

static void indented_text_has_two_spaces_a_level(void **state)
{
    (void)state;
    static const char in[] = "{\"a\":[1,{\"b\":{}}],\"c\":[]}";
    struct value *v = json_parse(in, strlen(in), "in", NULL);
    struct buf out = buf_make(1000);
    json_print(v, true, &out);
    assert_string_equal(out.bytes, "{\n  \"a\": [\n    1,\n    {\n      \"b\": {}\n    }\n  ],\n  \"c\": []\n}");
    buf_free(&out);
    value_free(v);
}

static void what_is_not_utf8_is_printed_as_replacement_characters(void **state)
{
    (void)state;
    struct value *v = value_string("a\xFF\xE4\xB8z");
    char *text = json_text(v, 100);
    assert_string_equal(text, "\"a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\"");
    mem_free(text);
    value_free(v);
}

static void a_text_longer_than_its_maximum_is_not_given(void **state)
{
    (void)state;
    struct value *v = value_string("12345678");
    char *text = json_text(v, 10);
    assert_string_equal(text, "\"12345678\"");
    assert_null(json_text(v, 9));
    mem_free(text);
    value_free(v);
}

static void a_document_built_too_deep_is_not_printed(void **state)
{
    (void)state;
    struct value *v = value_array();
    for (int i = 0; i < 5000; i++) {
        struct value *outer = value_array();
        assert_true(value_append(outer, v));
        v = outer;
    }
    assert_null(json_text(v, SIZE_MAX));
    value_free(v);
}

static void a_decimal_comma_in_the_locale_changes_nothing(void **state)
{
    (void)state;
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL)
        skip();
    struct value *v = json_parse("[1.5,1e-3]", 10, "in", NULL);
    char *text = json_text(v, 100);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(text, "[1.5,0.001]");
    mem_free(text);
    value_free(v);
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    struct buf text = buf_make(SIZE_MAX);
    buf_append_string(&text, "{\"exact\":9007199254740993,\"\\u0000\":[1,true,null,\"x\\ud800\"],\"many\":{");
    for (int i = 0; i < 40; i++)
        buf_printf(&text, "%s\"k%d\":%d", i > 0 ? "," : "", i % 20, i);
    buf_append_string(&text, "},\"long\":0.12345678901234567890123456789012345678901234567890123456789012345}");
    int nth = 0;
    for (bool ok = false; !ok;) {
        struct error err = ERROR_INIT;
        mem_fail_at(++nth);
        struct value *v = json_parse(text.bytes, text.length, "in", &err);
        char *out = v != NULL ? json_text(v, SIZE_MAX) : NULL;
        mem_fail_at(0);
        assert_true(v != NULL || err.kind == ERROR_MEMORY);
        ok = out != NULL;
        mem_free(out);
        value_free(v);
    }
    assert_true(nth > 50);
    buf_free(&text);
}

int test_json(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_in_the_file_holds),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(an_object_with_very_many_repeated_keys_is_read_in_time),
        cmocka_unit_test(indented_text_has_two_spaces_a_level),
        cmocka_unit_test(what_is_not_utf8_is_printed_as_replacement_characters),
        cmocka_unit_test(a_text_longer_than_its_maximum_is_not_given),
        cmocka_unit_test(a_document_built_too_deep_is_not_printed),
        cmocka_unit_test(a_decimal_comma_in_the_locale_changes_nothing),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("data/json", tests, NULL, NULL);
}
