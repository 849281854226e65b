#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/problem.h"

static const struct problem *only(const struct problems *problems)
{
    assert_int_equal(problems->list.length, 1);
    return problems->list.items[0];
}

/* The only problem says this; the list is freed. */
static void says(struct problems *problems, const char *field, const char *message)
{
    assert_string_equal(only(problems)->field, field);
    assert_string_equal(only(problems)->message, message);
    problems_free(problems);
}

static void places_are_told_as_paths(void **state)
{
    const struct place root = PLACE_ROOT, spec = place_key(&root, "spec"), ports = place_key(&spec, "ports"), port = place_index(&ports, 2), name = place_key(&port, "name");
    const struct place metadata = place_key(NULL, "metadata"), labels = place_key(&metadata, "labels"), label = place_map(&labels, "a.b/c"), list = place_index(&root, 0);
    static const char *const wanted[] = {"spec.ports[2].name", "metadata.labels[a.b/c]", "[0]", "<nil>"};
    const struct place *const places[] = {&name, &label, &list, &root};
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct problems problems = problems_make();
        problem_required(&problems, places[i], NULL, NULL);
        says(&problems, wanted[i], "Required value");
    }
}

static void each_type_is_worded_as_the_server_words_it(void **state)
{
    static const char *const supported[] = {"A", "B", NULL};
    const struct place at = place_key(NULL, "f");
    struct error err = ERROR_INIT;
    struct value *object = json_parse("{\"a\":[1,\"<x>\"]}", 15, "value", &err);
    struct problems p = problems_make();
    (void)state;
    problem_invalid(&p, &at, "a\"b", "must be %d", 3);
    says(&p, "f", "Invalid value: \"a\\\"b\": must be 3");
    problem_unsupported(&p, &at, "x", supported);
    says(&p, "f", "Unsupported value: \"x\": supported values: \"A\", \"B\"");
    problem_number(&p, &at, -1, "must be more");
    says(&p, "f", "Invalid value: -1: must be more");
    problem_string(&p, &at, PROBLEM_DUPLICATE, "x");
    says(&p, "f", "Duplicate value: \"x\"");
    problem_string(&p, &at, PROBLEM_NOT_FOUND, "x");
    says(&p, "f", "Not found: \"x\"");
    problem_required(&p, NULL, "f", "of course");
    says(&p, "f", "Required value: of course");
    problem_forbidden(&p, NULL, "f", "never");
    says(&p, "f", "Forbidden: never");
    problem_too_long(&p, &at, 63);
    says(&p, "f", "Too long: may not be more than 63 bytes");
    problem_too_many(&p, &at, 5, 4);
    says(&p, "f", "Too many: 5: must have at most 4 items");
    problem_add(&p, &at, PROBLEM_INVALID, object, "%s", "no");
    says(&p, "f", "Invalid value: {\"a\":[1,\"\\u003cx\\u003e\"]}: no");
    problem_add(&p, &at, PROBLEM_INVALID, NULL, "%s", "no");
    says(&p, "f", "Invalid value: null: no");
    value_free(object);
}

static void the_same_is_told_once(void **state)
{
    const struct place a = place_key(NULL, "a"), b = place_key(NULL, "b");
    struct problems p = problems_make();
    (void)state;
    assert_true(problems_none(&p));
    problem_required(&p, &a, NULL, NULL);
    problem_required(&p, &a, NULL, NULL);
    problem_required(&p, &b, NULL, NULL);
    problem_required(&p, &a, NULL, "x");
    assert_int_equal(p.list.length, 3);
    assert_false(problems_none(&p));
    problems_free(&p);
}

static void a_list_has_an_end(void **state)
{
    const struct place all = place_key(NULL, "all");
    struct problems p = problems_make();
    (void)state;
    for (size_t i = 0; i < PROBLEMS + 5; i++) {
        const struct place at = place_index(&all, i);
        problem_required(&p, &at, NULL, NULL);
    }
    assert_int_equal(p.list.length, PROBLEMS);
    assert_false(p.failed);
    problems_free(&p);
}

static void a_problem_that_finds_no_memory_fails_the_list(void **state)
{
    const struct place at = place_key(NULL, "f");
    struct value *value = value_string("x");
    int nth = 0;
    (void)state;
    for (bool whole = false; !whole;) {
        struct problems p = problems_make();
        mem_fail_at(++nth);
        problem_add(&p, &at, PROBLEM_INVALID, value, "must not be %s", "x");
        mem_fail_at(0);
        whole = p.list.length == 1;
        assert_true(whole != p.failed);
        assert_false(problems_none(&p));
        problems_free(&p);
    }
    assert_true(nth > 3);
    value_free(value);
}

static void warnings_have_their_place_before_them(void **state)
{
    const struct place spec = place_key(NULL, "spec");
    struct vec warnings = vec_make(10, mem_free);
    (void)state;
    warning_at(&warnings, &spec, "is %s", "old");
    assert_int_equal(warnings.length, 1);
    assert_string_equal(warnings.items[0], "spec: is old");
    vec_free(&warnings);
}

int test_problem(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_told_as_paths),
        cmocka_unit_test(each_type_is_worded_as_the_server_words_it),
        cmocka_unit_test(the_same_is_told_once),
        cmocka_unit_test(a_list_has_an_end),
        cmocka_unit_test(a_problem_that_finds_no_memory_fails_the_list),
        cmocka_unit_test(warnings_have_their_place_before_them),
    };
    return cmocka_run_group_tests_name("problem", tests, NULL, NULL);
}
