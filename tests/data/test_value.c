#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/value.h"

static void everything_may_be_asked_of_a_missing_part(void **state)
{
    (void)state;
    int64_t i = 5;
    assert_int_equal(value_type(NULL), VALUE_MISSING);
    assert_null(value_get(NULL, "a"));
    assert_null(value_item(NULL, 0));
    assert_null(value_first(NULL));
    assert_null(value_next(NULL));
    assert_null(value_key(NULL));
    assert_null(value_text(NULL));
    assert_null(value_copy(NULL));
    assert_false(value_is_true(NULL));
    assert_false(value_as_int(NULL, &i));
    assert_int_equal(i, 5);
    assert_int_equal(value_length(NULL), 0);
    assert_null(value_find(NULL, "a", "b", NULL));
    assert_int_equal(value_find_int(NULL, 7, "a", NULL), 7);
    value_free(NULL);
}

static void integers_of_64_bits_stay_exact(void **state)
{
    (void)state;
    static const int64_t samples[] = {
        0,         1,         -1,           INT64_C(9007199254740992), INT64_C(9007199254740993), -INT64_C(9007199254740993),
        INT64_MAX, INT64_MIN, INT64_MAX - 1};
    for (size_t n = 0; n < sizeof samples / sizeof samples[0]; n++) {
        struct value *v = value_int(samples[n]), *copy = value_copy(v);
        int64_t back = 1;
        char digits[32];
        snprintf(digits, sizeof digits, "%lld", (long long)samples[n]);
        char *text = json_text(copy, SIZE_MAX);
        assert_int_equal(value_type(v), VALUE_NUMBER);
        assert_true(value_as_int(copy, &back));
        assert_true(back == samples[n]);
        assert_string_equal(text, digits);
        assert_true(value_equal(v, copy));
        mem_free(text);
        value_free(copy);
        value_free(v);
    }
    struct value *most = value_uint(UINT64_MAX);
    int64_t i;
    uint64_t u;
    double d;
    assert_false(value_as_int(most, &i));
    assert_true(value_as_uint(most, &u) && u == UINT64_MAX);
    assert_true(value_as_double(most, &d) && d > 1.8e19);
    value_free(most);
}

static void numbers_equal_by_value_however_they_are_written(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool equal;
    } rows[] = {
        {"1", "1.0", true},
        {"100", "1e2", true},
        {"9007199254740993", "9007199254740992", false},
        {"100000000000000000", "1e17", true},
        {"100000000000000001", "1e17", false},
        {"0.1", "0.10", true},
        {"0.1", "0.2", false},
        {"1", "\"1\"", false},
        {"-0", "0", true},
        {"{\"a\":1,\"b\":[1,2]}", "{\"b\":[1,2],\"a\":1}", true},
        {"{\"a\":1}", "{\"a\":1,\"b\":null}", false},
        {"{\"a\":1,\"b\":2}", "{\"a\":1,\"c\":2}", false},
        {"[1,2]", "[2,1]", false},
        {"[1,2]", "[1,2,3]", false},
        {"[]", "{}", false},
        {"null", "false", false},
        {"true", "true", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct value *a = json_parse(rows[i].a, strlen(rows[i].a), "a", NULL),
                     *b = json_parse(rows[i].b, strlen(rows[i].b), "b", NULL);
        if (value_equal(a, b) != rows[i].equal || value_equal(b, a) != rows[i].equal)
            fail_msg("%s and %s should%s be equal", rows[i].a, rows[i].b, rows[i].equal ? "" : " not");
        value_free(a);
        value_free(b);
    }
}

static void only_whole_numbers_in_range_are_integers(void **state)
{
    (void)state;
    struct value *half = value_double(1.5), *whole = value_double(-3), *huge = value_double(1e30);
    int64_t i;
    assert_false(value_as_int(half, &i));
    assert_true(value_as_int(whole, &i) && i == -3);
    assert_false(value_as_int(huge, &i));
    value_free(half);
    value_free(whole);
    value_free(huge);
}

static void setting_replaces_and_keeps_the_place(void **state)
{
    (void)state;
    struct value *o = value_object();
    assert_true(value_set(o, "a", value_int(1)));
    assert_true(value_set(o, "b", value_int(2)));
    assert_true(value_set(o, "a", value_string("new")));
    assert_true(value_set(o, "A", value_null()));
    char *text = json_text(o, 100);
    assert_string_equal(text, "{\"a\":\"new\",\"b\":2,\"A\":null}");
    mem_free(text);
    value_remove(o, "b");
    value_remove(o, "never there");
    assert_int_equal(value_length(o), 2);
    value_free(o);
}

static void a_part_that_is_taken_can_be_put_elsewhere(void **state)
{
    (void)state;
    struct value *o = value_object(), *list = value_array();
    assert_true(value_set(o, "a", value_int(1)));
    struct value *taken = value_take(o, value_get(o, "a"));
    assert_null(value_key(taken));
    assert_true(value_append(list, taken));
    assert_null(value_key(value_first(list)));
    assert_true(value_set(o, "list", list));
    char *text = json_text(o, 100);
    assert_string_equal(text, "{\"list\":[1]}");
    mem_free(text);
    value_free(o);
}

static void changes_that_make_no_sense_are_refused_and_free_the_child(void **state)
{
    (void)state;
    struct value *number = value_int(1), *object = value_object();
    assert_false(value_set(number, "a", value_int(1)));
    assert_false(value_set(NULL, "a", value_int(1)));
    assert_false(value_set(object, "a", NULL));
    assert_false(value_append(object, value_int(1)));
    assert_true(value_set(object, "text", value_string("x")));
    assert_null(value_child(object, "text"));
    assert_non_null(value_child(object, "fresh"));
    assert_ptr_equal(value_child(object, "fresh"), value_get(object, "fresh"));
    value_free(number);
    value_free(object);
}

static void nul_bytes_in_a_text_become_replacement_characters(void **state)
{
    (void)state;
    struct value *v = value_string_n("a\0b", 3);
    assert_string_equal(value_text(v), "a\xEF\xBF\xBD" "b");
    value_free(v);
}

static void entries_change_places_and_values(void **state)
{
    (void)state;
    struct value *o = value_object();
    assert_true(value_set(o, "a", value_int(1)) && value_set(o, "b", value_int(2)) && value_set(o, "c", value_int(3)));
    struct value *order[] = {value_get(o, "c"), value_get(o, "a"), value_get(o, "b")};
    value_arrange(o, order, 3);
    assert_true(value_replace(o, value_get(o, "a"), value_string("x")));
    assert_false(value_replace(o, value_get(o, "a"), NULL));
    assert_true(value_set(o, "d", value_null()));
    char *text = json_text(o, 1000);
    assert_string_equal(text, "{\"c\":3,\"a\":\"x\",\"b\":2,\"d\":null}");
    mem_free(text);
    value_free(o);
}

static void a_key_of_any_length_is_kept_and_changed(void **state)
{
    (void)state;
    char longest[100] = "";
    struct value *o = value_object(), *other = value_object(), *v = value_string("x");
    memset(longest, 'k', sizeof longest - 1);
    assert_true(value_set(o, "short", v));
    assert_string_equal(value_key(v), "short");
    for (size_t length = 0; length < sizeof longest; length++) { /* whether there is room for it or not */
        const char *key = longest + length;
        v = value_take(o, v);
        assert_null(value_key(v));
        assert_true(value_set(o, key, v));
        assert_string_equal(value_key(v), key);
        assert_true(value_replace(o, v, value_string("y")));
        v = value_get(o, key);
        assert_string_equal(value_text(v), "y");
        assert_true(value_set(other, value_key(v), value_copy(v)));
        assert_ptr_equal(value_get(o, key), v);
    }
    assert_int_equal(value_length(other), sizeof longest);
    value_free(o);
    value_free(other);
}

static void a_brand_lasts_as_long_as_the_key(void **state)
{
    (void)state;
    static const char name[] = "name";
    struct value *o = json_parse("{\"name\":{\"name\":1}}", 19, "text", NULL), *v = value_get(o, "name");
    assert_int_equal(value_brand_of(v), 0);
    assert_int_equal(value_brand_of(NULL), 0);
    value_brand(v, name, 7);
    assert_ptr_equal(value_key(v), name);
    assert_int_equal(value_brand_of(v), 7);
    struct value *copy = value_copy(o);
    value_free(o);
    v = value_get(copy, "name");
    assert_ptr_equal(value_key(v), name);
    assert_int_equal(value_brand_of(v), 7);
    assert_true(value_replace(copy, v, value_int(3)));
    assert_int_equal(value_brand_of(value_get(copy, "name")), 0);
    value_brand(value_get(copy, "name"), name, 1);
    v = value_take(copy, value_get(copy, "name"));
    assert_int_equal(value_brand_of(v), 0);
    assert_true(value_set(copy, "other", v));
    assert_int_equal(value_brand_of(v), 0);
    value_free(copy);
}

static bool build(void)
{
    struct value *o = value_object(), *copy = NULL;
    struct value *list = value_child(o, "child") != NULL ? value_array() : NULL;
    bool ok = value_append(list, value_int(INT64_MAX)) && value_append(list, value_string_n("x", 1)) &&
              value_append(list, value_bool(true));
    ok = value_set(o, "list", list) && ok && (copy = value_copy(o)) != NULL;
    assert_true(!ok || value_equal(o, copy));
    value_free(copy);
    value_free(o);
    return ok;
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    int nth = 0;
    for (bool ok = false; !ok;) {
        mem_fail_at(++nth);
        ok = build();
        mem_fail_at(0);
    }
    assert_true(nth > 10);
}

int test_value(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_may_be_asked_of_a_missing_part),
        cmocka_unit_test(integers_of_64_bits_stay_exact),
        cmocka_unit_test(numbers_equal_by_value_however_they_are_written),
        cmocka_unit_test(only_whole_numbers_in_range_are_integers),
        cmocka_unit_test(setting_replaces_and_keeps_the_place),
        cmocka_unit_test(a_part_that_is_taken_can_be_put_elsewhere),
        cmocka_unit_test(changes_that_make_no_sense_are_refused_and_free_the_child),
        cmocka_unit_test(nul_bytes_in_a_text_become_replacement_characters),
        cmocka_unit_test(entries_change_places_and_values),
        cmocka_unit_test(a_key_of_any_length_is_kept_and_changed),
        cmocka_unit_test(a_brand_lasts_as_long_as_the_key),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("data/value", tests, NULL, NULL);
}
