#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/shape.h"

static char my_data[] = "my data";

static bool is_even(void *data, const struct value *v, struct error *err)
{
    int64_t i;
    assert_string_equal(data, "my data");
    if (value_text(v) != NULL)
        return error_set(err, ERROR_INPUT, NULL, "the function failed");
    return value_as_int(v, &i) && i % 2 == 0;
}

static struct shape *shape_of(const struct value *v);

static struct shape *add_all(struct shape *list, const struct value *items)
{
    for (const struct value *item = value_first(items); item != NULL; item = value_next(item)) {
        if (!shape_list_add(list, shape_of(item))) {
            shape_free(list);
            return NULL;
        }
    }
    return list;
}

static struct shape *special(const char *name, const struct value *v)
{
    if (strcmp(name, "$any") == 0)
        return shape_any();
    if (strcmp(name, "$absent") == 0)
        return shape_absent();
    if (strcmp(name, "$equal") == 0)
        return shape_value(value_copy(v));
    if (strcmp(name, "$at_least") == 0)
        return shape_at_least(value_copy(v));
    if (strcmp(name, "$matches") == 0)
        return shape_matches(value_text(v), NULL);
    if (strcmp(name, "$one_of") == 0)
        return add_all(shape_one_of(), v);
    if (strcmp(name, "$contains") == 0)
        return add_all(shape_contains(), v);
    if (strcmp(name, "$each") == 0)
        return shape_each(shape_of(v));
    if (strcmp(name, "$base64_json") == 0)
        return shape_base64_json(shape_of(v));
    if (strcmp(name, "$secret") == 0)
        return shape_secret(shape_of(v));
    assert_string_equal(name, "$call");
    return shape_call(is_even, my_data, value_text(v));
}

static struct shape *shape_of(const struct value *v)
{
    const char *first = value_key(value_first(v));
    if (first != NULL && first[0] == '$')
        return special(first, value_first(v));
    if (value_type(v) == VALUE_ARRAY)
        return add_all(shape_list(), v);
    if (value_type(v) != VALUE_OBJECT)
        return shape_value(value_copy(v));
    struct shape *object = shape_object();
    for (const struct value *entry = value_first(v); entry != NULL; entry = value_next(entry)) {
        if (!shape_object_add(object, value_key(entry), shape_of(entry))) {
            shape_free(object);
            return NULL;
        }
    }
    return object;
}

static void note(void *data, const struct shape_difference *d)
{
    buf_printf(data, "%s%s: %s, %s", ((struct buf *)data)->length > 0 ? "; " : "", d->path, d->expected, d->actual);
    assert_true(d->value == NULL || strcmp(d->actual, "(hidden)") != 0);
}

static char *cut_at(char **rest)
{
    char *from = *rest, *mark = strstr(from, " ##");
    assert_non_null(mark);
    *mark = '\0';
    *rest = mark + 3 + (mark[3] == ' ');
    return from;
}

static void check_case(char *line)
{
    char *rest = line, *shape_text = cut_at(&rest), *document = cut_at(&rest);
    struct value *source = json_parse(shape_text, strlen(shape_text), "shape", NULL);
    struct value *v = *document != '\0' ? json_parse(document, strlen(document), "document", NULL) : NULL;
    struct shape *shape = shape_of(source);
    struct buf seen = buf_make(SIZE_MAX);
    struct error err = {.kind = ERROR_INTERNAL};
    assert_non_null(shape);
    buf_append_string(&seen, "");
    bool matches = shape_match(shape, v, note, &seen, &err);
    if (*rest == '!') {
        if (matches || err.kind == ERROR_NONE || strstr(err.message, rest + 2) == NULL)
            fail_msg("%s, %s: %s", shape_text, document, err.message);
    } else if (matches != (*rest == '\0') || err.kind != ERROR_NONE || strcmp(seen.bytes, rest) != 0) {
        fail_msg("%s, %s:\n got    %s\n wanted %s", shape_text, document, seen.bytes, rest);
    }
    if (shape_match(shape, v, NULL, NULL, NULL) != matches)
        fail_msg("%s, %s: another answer without a report", shape_text, document);
    shape_free(shape);
    value_free(source);
    value_free(v);
    buf_free(&seen);
}

static void every_case_in_the_file_holds(void **state)
{
    (void)state;
    char *text = file_read(KT_TEST_CASES "/shape/cases.txt", 1 << 20, NULL, NULL), *rest = text;
    int cases = 0;
    assert_non_null(text);
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (*line == '#' || *line == '\0')
            continue;
        check_case(line);
        cases++;
    }
    assert_true(cases > 70);
    mem_free(text);
}

static void count(void *data, const struct shape_difference *d)
{
    (void)d;
    ++*(int *)data;
}

static void at_most_twenty_differences_are_told(void **state)
{
    (void)state;
    struct value *v = value_array();
    for (int i = 0; i < 100; i++)
        assert_true(value_append(v, value_int(i + 1)));
    struct shape *shape = shape_each(shape_value(value_int(0)));
    int told = 0;
    assert_false(shape_match(shape, v, count, &told, NULL));
    assert_int_equal(told, 20);
    shape_free(shape);
    value_free(v);
}

static void shapes_inside_shapes_without_end_are_refused(void **state)
{
    (void)state;
    struct shape *shape = shape_any();
    struct error err;
    for (int i = 0; i < 1000; i++)
        shape = shape_secret(shape);
    assert_false(shape_match(shape, NULL, NULL, NULL, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    shape_free(shape);
}

static void descriptions_are_cut_at_a_character(void **state)
{
    (void)state;
    struct value *v = value_string("\xE4\xB8\xAD\xE6\x96\x87\xE4\xB8\xAD\xE6\x96\x87");
    for (size_t maximum = 0; maximum < 20; maximum++) {
        struct buf out = buf_make(SIZE_MAX);
        value_describe(v, maximum, &out);
        assert_true(buf_ok(&out));
        assert_true(out.length <= maximum);
        struct value *check = value_string_n(out.bytes != NULL ? out.bytes : "", out.length);
        char *text = json_text(check, 100);
        assert_null(strstr(text, "\xEF\xBF\xBD"));
        mem_free(text);
        value_free(check);
        buf_free(&out);
    }
    value_free(v);
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":{\"$one_of\":[1,{\"$matches\":\"x\"}]},\"b\":{\"$at_least\":2},\"c\":{\"$secret\":{\"$"
                               "base64_json\":{\"d\":1}}},"
                               "\"e\":[{\"$each\":{\"$equal\":{\"f\":[1]}}}],\"g\":{\"$contains\":[{\"$call\":\"even\"}]}}";
    static const char document[] = "{\"a\":2,\"b\":\"1\",\"c\":\"eyJkIjoyfQ==\",\"e\":[[{\"f\":[2]}]],\"g\":[1]}";
    struct value *source = json_parse(text, strlen(text), "shape", NULL),
                 *v = json_parse(document, strlen(document), "document", NULL);
    assert_non_null(source);
    int nth = 0;
    for (bool ok = false; !ok;) {
        struct error err = ERROR_INIT;
        int told = 0;
        mem_fail_at(++nth);
        struct shape *shape = shape_of(source);
        bool matches = shape != NULL && shape_match(shape, v, count, &told, &err);
        mem_fail_at(0);
        assert_false(matches);
        ok = shape != NULL && err.kind == ERROR_NONE;
        assert_true(!ok || told == 5);
        assert_true(shape == NULL || ok || err.kind == ERROR_MEMORY);
        shape_free(shape);
    }
    assert_true(nth > 50);
    value_free(source);
    value_free(v);
}

int test_shape(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_in_the_file_holds),
        cmocka_unit_test(at_most_twenty_differences_are_told),
        cmocka_unit_test(shapes_inside_shapes_without_end_are_refused),
        cmocka_unit_test(descriptions_are_cut_at_a_character),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("data/shape", tests, NULL, NULL);
}
