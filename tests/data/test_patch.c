/* tests/data/patch/FILE.case: a case a line: what it is about, the document, the patch, and the result or the error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/patch.h"

typedef struct value *(*patcher)(const struct value *document, const struct value *patch, struct error *err);

static enum error_kind kind_of(const char *word)
{
    return word == NULL                 ? ERROR_NONE
           : strcmp(word, "input") == 0 ? ERROR_INPUT
           : strcmp(word, "limit") == 0 ? ERROR_LIMIT
                                        : ERROR_INVALID;
}

static bool says(const char *what, const char *wanted, const char *is)
{
    if (wanted == NULL || strcmp(wanted, is) == 0)
        return true;
    print_error("the %s is: %s\n", what, is);
    return false;
}

static bool holds(const struct value *row, patcher patch)
{
    const struct value *document = value_get(row, "document");
    struct value *before = value_copy(document);
    struct error err = ERROR_INIT;
    struct value *result = patch(document, value_get(row, "patch"), &err);
    bool ok = err.kind == kind_of(value_find_text(row, "error", NULL)) && (result == NULL) == (err.kind != ERROR_NONE) &&
              value_equal(document, before) && (result == NULL || value_equal(result, value_get(row, "result"))) &&
              says("message", value_find_text(row, "message", NULL), err.message) &&
              says("cause", value_find_text(row, "cause", NULL), err.cause);
    if (!ok) {
        char *text = json_text(result, SIZE_MAX);
        print_error("%s: %s %s (%s)\n", value_find_text(row, "about", NULL), text != NULL ? text : "", err.message, err.cause);
        mem_free(text);
    }
    value_free(result);
    value_free(before);
    return ok;
}

static void for_each_case(const char *name, bool (*check)(const struct value *row, patcher patch), patcher patch)
{
    char *path = mem_printf("%s/patch/%s.case", KT_TEST_CASES, name);
    char *text = file_read(path, 1 << 20, NULL, NULL);
    assert_non_null(text);
    size_t failed = 0, rows = 0;
    for (char *line = text, *next; *line != '\0'; line = next, rows++) {
        next = line + strcspn(line, "\n");
        struct value *row = json_parse(line, (size_t)(next - line), name, NULL);
        assert_non_null(row);
        failed += !check(row, patch);
        value_free(row);
        next += *next == '\n';
    }
    mem_free(text);
    mem_free(path);
    assert_true(rows > 10);
    assert_int_equal(failed, 0);
}

static void json_patches_do_what_the_server_does(void **state)
{
    (void)state;
    for_each_case("json", holds, patch_json);
}

static void merge_patches_do_what_the_server_does(void **state)
{
    (void)state;
    for_each_case("merge", holds, patch_merge);
}

static bool survives(const struct value *row, patcher patch)
{
    for (int nth = 1;; nth++) {
        struct error err = ERROR_INIT;
        mem_fail_at(nth);
        struct value *result = patch(value_get(row, "document"), value_get(row, "patch"), &err);
        mem_fail_at(0);
        bool right =
            (result == NULL) == (err.kind != ERROR_NONE) && (result == NULL || value_equal(result, value_get(row, "result")));
        value_free(result);
        if (!right || err.kind != ERROR_MEMORY)
            return right;
    }
}

static void no_memory_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    for_each_case("json", survives, patch_json);
    for_each_case("merge", survives, patch_merge);
}

static struct value *parse(const char *text)
{
    struct value *v = json_parse(text, strlen(text), "text", NULL);
    assert_non_null(v);
    return v;
}

static void operations_are_counted(void **state)
{
    (void)state;
    struct value *document = value_object(), *operations = value_array();
    struct error err = ERROR_INIT;
    for (int i = 0; i < PATCH_OPERATIONS; i++)
        assert_true(value_append(operations, parse("{\"op\":\"test\",\"path\":\"/a\"}")));
    struct value *result = patch_json(document, operations, &err);
    assert_non_null(result);
    value_free(result);
    assert_true(value_append(operations, parse("{\"op\":\"test\",\"path\":\"/a\"}")));
    assert_null(patch_json(document, operations, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_string_equal(err.message, "The allowed maximum operations in a JSON patch is 10000, got 10001");
    value_free(operations);
    value_free(document);
}

static void copies_that_grow_without_end_are_refused(void **state)
{
    (void)state;
    struct value *document = parse("{\"a\":[\"some text to begin with\"]}"), *operations = value_array();
    struct error err = ERROR_INIT;
    for (int i = 0; i < 40; i++)
        assert_true(value_append(operations, parse("{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/-\"}")));
    assert_null(patch_json(document, operations, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    assert_string_equal(err.cause, "copy: the accumulated size of what is copied exceeds the limit");
    value_free(operations);
    value_free(document);
}

static void nothing_is_put_deeper_than_a_document_may_be(void **state)
{
    (void)state;
    struct value *document = parse("{\"a\":{}}"), *operations = value_array();
    struct error err = ERROR_INIT;
    for (int i = 0; i < JSON_DEPTH + 1; i++)
        assert_true(value_append(operations, parse("{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/a\"}")));
    assert_null(patch_json(document, operations, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    assert_string_equal(err.cause, "copy: too deep");
    value_free(operations);
    value_free(document);
}

static void every_misfit_has_the_servers_one_sentence(void **state)
{
    (void)state;
    struct value *document = value_object(), *operations = parse("[{\"op\":\"remove\",\"path\":\"/nope\"}]");
    struct error err = ERROR_INIT;
    assert_null(patch_json(document, operations, &err));
    assert_string_equal(err.message, "the server rejected our request due to an error in our request");
    assert_string_equal(err.where, "/nope");
    value_free(operations);
    value_free(document);
}

int test_patch(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_patches_do_what_the_server_does),
        cmocka_unit_test(merge_patches_do_what_the_server_does),
        cmocka_unit_test(no_memory_is_an_error_and_leaks_nothing),
        cmocka_unit_test(operations_are_counted),
        cmocka_unit_test(copies_that_grow_without_end_are_refused),
        cmocka_unit_test(nothing_is_put_deeper_than_a_document_may_be),
        cmocka_unit_test(every_misfit_has_the_servers_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
