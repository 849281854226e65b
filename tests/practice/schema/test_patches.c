/* patches/TYPE-KIND.case and managed/TYPE-KIND.case hold what a real server answered to random patches (../patches/compare.py
 * --keep writes them): a line with the live object, then a line for each patch of it, with the answer: `changes` as a merge
 * patch of the live object, or `code` and `message` ("" if it repeats the whole object). Times of managedFields are "T". */
#include <dirent.h>
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
#include "data/patch.h"
#include "patching.h"
#include "practice/schema/patch.h"

enum { EVERY = 12 }; /* of the cases, one in so many is run with every allocation failing */

static struct value *must(struct value *v)
{
    assert_non_null(v);
    return v;
}

static struct value *parse(const char *text)
{
    return must(json_parse(text, strlen(text), "text", NULL));
}

/* Without what no patch decides. */
static void blank(struct value *object, bool status)
{
    struct value *metadata = value_get(object, "metadata");
    for (struct value *entry = value_first(value_get(metadata, "managedFields")); entry != NULL; entry = value_next(entry))
        if (value_get(entry, "time") != NULL)
            assert_true(value_set(entry, "time", value_string("T")));
    value_remove(metadata, "generation");
    value_remove(metadata, "resourceVersion");
    if (!status)
        value_remove(object, "status");
}

static bool agrees(const struct value *row, const struct value *live, const struct value *result, const struct vec *conflicts,
                   const struct error *err)
{
    const struct value *changes = value_get(row, "changes");
    if ((changes == NULL) != (result == NULL))
        return false;
    if (result == NULL) {
        char *sentence = err->kind == ERROR_CONFLICT ? managed_sentence(conflicts) : mem_string(err->message);
        const char *message = value_find_text(row, "message", NULL);
        bool ok =
            patching_code(err) == value_find_int(row, 0, "code", NULL) && (*message == '\0' || strcmp(message, sentence) == 0);
        mem_free(sentence);
        return ok;
    }
    bool status = value_get(row, "subresource") != NULL;
    struct value *from = must(value_copy(live)), *made = must(value_copy(result));
    blank(from, status);
    blank(made, status);
    struct value *wanted = must(patch_merge(from, changes, NULL));
    bool ok = value_equal(wanted, made);
    value_free(wanted);
    value_free(made);
    value_free(from);
    return ok;
}

static bool holds(const struct value *row, const struct value *live, const char *name)
{
    struct patching_question q;
    struct error err = ERROR_INIT;
    struct vec conflicts;
    struct value *before = must(value_copy(live));
    assert_true(patching_read(row, live, &q));
    struct value *result = patching_answer(&q, &conflicts, &err);
    bool ok = agrees(row, live, result, &conflicts, &err) && value_equal(live, before);
    if (!ok) {
        char *patch = json_text(q.patch, SIZE_MAX), *text = json_text(result, SIZE_MAX);
        print_error("%s: %s\n  gives %s %s\n", name, patch, text != NULL ? text : "", err.message);
        mem_free(patch);
        mem_free(text);
    }
    vec_free(&conflicts);
    value_free(result);
    value_free(before);
    return ok;
}

static bool survives(const struct value *row, const struct value *live, const char *name)
{
    (void)name;
    for (int nth = 1;; nth++) {
        struct patching_question q;
        struct error err = ERROR_INIT;
        struct vec conflicts;
        assert_true(patching_read(row, live, &q));
        mem_fail_at(nth);
        struct value *result = patching_answer(&q, &conflicts, &err);
        mem_fail_at(0);
        bool over = err.kind != ERROR_MEMORY, right = !over || agrees(row, live, result, &conflicts, &err);
        right = right && (result == NULL) == (err.kind != ERROR_NONE);
        vec_free(&conflicts);
        value_free(result);
        if (over || !right)
            return right;
    }
}

static size_t for_each_line(const char *path,
                            bool (*check)(const struct value *row, const struct value *live, const char *name), size_t every,
                            size_t *failed)
{
    char *text = file_read(path, 1 << 24, NULL, NULL);
    assert_non_null(text);
    struct value *live = NULL;
    size_t rows = 0;
    for (char *line = text, *next; *line != '\0'; line = next) {
        next = line + strcspn(line, "\n");
        struct value *row = must(json_parse(line, (size_t)(next - line), path, NULL));
        next += *next == '\n';
        if (value_get(row, "live") != NULL) {
            value_free(live);
            live = must(value_copy(value_get(row, "live")));
        } else if (rows++ % every == 0)
            *failed += !check(row, live, strrchr(path, '/') + 1);
        value_free(row);
    }
    value_free(live);
    mem_free(text);
    return rows;
}

static void for_each_case(const char *folder,
                          bool (*check)(const struct value *row, const struct value *live, const char *name), size_t every)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", KT_TEST_CASES, folder);
    DIR *open = opendir(path);
    assert_non_null(open);
    size_t rows = 0, failed = 0;
    for (const struct dirent *entry; (entry = readdir(open)) != NULL;) {
        if (strstr(entry->d_name, ".case") == NULL)
            continue;
        snprintf(path, sizeof path, "%s/%s/%s", KT_TEST_CASES, folder, entry->d_name);
        rows += for_each_line(path, check, every, &failed);
    }
    closedir(open);
    assert_true(rows > 50);
    assert_int_equal(failed, 0);
}

static void patches_do_what_they_do_on_a_real_server(void **state)
{
    (void)state;
    for_each_case("patches", holds, 1);
}

static void applies_do_what_they_do_on_a_real_server(void **state)
{
    (void)state;
    for_each_case("managed", holds, 1);
}

static void no_memory_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    for_each_case("patches", survives, EVERY);
    for_each_case("managed", survives, EVERY);
}

static void lists_of_many_items_keep_the_order_that_is_asked_for(void **state)
{
    (void)state;
    enum { MANY = 60 };
    const struct schema *schema = schema_kind_of("", "v1", "Pod")->schema;
    struct buf document = buf_make(1 << 20), patch = buf_make(1 << 20);
    buf_append_string(&document, "{\"spec\":{\"containers\":[");
    buf_append_string(&patch, "{\"spec\":{\"$setElementOrder/containers\":[");
    for (int i = 0; i < MANY; i++) {
        buf_printf(&document, "%s{\"name\":\"c%d\"}", i > 0 ? "," : "", i);
        buf_printf(&patch, "%s{\"name\":\"c%d\"}", i > 0 ? "," : "", MANY - 1 - i);
    }
    buf_append_string(&document, "]}}");
    buf_append_string(&patch, "]}}");
    struct value *one = parse(document.bytes), *other = parse(patch.bytes);
    struct value *result = must(patch_strategic(one, other, schema, NULL));
    int at = MANY;
    for (const struct value *item = value_first(value_find(result, "spec", "containers", NULL)); item != NULL;
         item = value_next(item)) {
        char name[16];
        snprintf(name, sizeof name, "c%d", --at);
        assert_string_equal(value_find_text(item, "name", NULL), name);
    }
    assert_int_equal(at, 0);
    value_free(result);
    value_free(one);
    value_free(other);
    buf_free(&document);
    buf_free(&patch);
}

int test_patches(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_do_what_they_do_on_a_real_server),
        cmocka_unit_test(applies_do_what_they_do_on_a_real_server),
        cmocka_unit_test(no_memory_is_an_error_and_leaks_nothing),
        cmocka_unit_test(lists_of_many_items_keep_the_order_that_is_asked_for),
    };
    return cmocka_run_group_tests_name("practice/schema/patches", tests, NULL, NULL);
}
