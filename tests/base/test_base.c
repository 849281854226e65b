/* Vectors, maps, files and paths of base/. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "base/xdg.h"

static void a_map_finds_what_was_set_and_forgets_what_was_removed(void **state)
{
    (void)state;
    struct map map = map_make(1000, mem_free);
    char key[16];
    for (int i = 0; i < 500; i++) {
        snprintf(key, sizeof key, "k%d", i);
        assert_true(map_set(&map, key, mem_printf("%d", i)));
    }
    for (int i = 0; i < 500; i += 2) {
        snprintf(key, sizeof key, "k%d", i);
        map_remove(&map, key);
    }
    for (int i = 500; i < 900; i++) {
        snprintf(key, sizeof key, "k%d", i);
        assert_true(map_set(&map, key, mem_printf("%d", i)));
    }
    for (int i = 0; i < 900; i++) {
        snprintf(key, sizeof key, "k%d", i);
        const char *value = map_get(&map, key);
        if (i < 500 && i % 2 == 0)
            assert_null(value);
        else
            assert_int_equal(atoi(value), i);
    }
    size_t cursor = 0, seen = 0;
    int last = -1;
    for (const struct map_entry *entry; (entry = map_next(&map, &cursor)) != NULL; seen++) {
        assert_true(atoi(entry->value) > last); /* order of insertion */
        last = atoi(entry->value);
    }
    assert_int_equal(seen, 650);
    assert_int_equal(map.count, 650);
    map_free(&map);
}

static void a_full_map_refuses_and_keeps_what_it_has(void **state)
{
    (void)state;
    struct map map = map_make(2, mem_free);
    assert_true(map_set(&map, "a", mem_string("1")));
    assert_true(map_set(&map, "b", mem_string("2")));
    assert_false(map_set(&map, "c", mem_string("3")));
    assert_true(map_set(&map, "a", mem_string("4")));
    assert_string_equal(map_get(&map, "a"), "4");
    map_free(&map);
}

static int by_first_letter(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

static void sorting_is_stable_with_memory_and_without(void **state)
{
    (void)state;
    for (int starve = 0; starve < 2; starve++) {
        struct vec vec = vec_make(10, mem_free);
        const char *words[] = {"b1", "a1", "c1", "a2", "b2", "a3"};
        for (size_t i = 0; i < 6; i++)
            assert_true(vec_push_string(&vec, words[i]));
        mem_fail_at(starve);
        vec_sort(&vec, by_first_letter);
        mem_fail_at(0);
        const char *sorted[] = {"a1", "a2", "a3", "b1", "b2", "c1"};
        for (size_t i = 0; i < 6; i++)
            assert_string_equal(vec.items[i], sorted[i]);
        vec_free(&vec);
    }
}

static void an_error_is_cut_at_a_character_boundary(void **state)
{
    (void)state;
    char text[1000];
    struct error err = ERROR_INIT;
    for (size_t i = 0; i + 3 < sizeof text; i += 3)
        memcpy(text + i, "服", 3);
    text[999] = '\0';
    assert_false(error_set(&err, ERROR_INPUT, text, "%s", text));
    assert_int_equal(strlen(err.message) % 3, 0);
    assert_int_equal(strlen(err.where) % 3, 0);
    assert_false(error_context(&err, "above: %s", err.where));
    assert_memory_equal(err.message, "above: 服", 10);
    assert_memory_equal(err.cause, "服", 3);
}

static void files_below_a_folder_stay_below_it(void **state)
{
    (void)state;
    char folder[] = "/tmp/kt-base-XXXXXX", path[64], link[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/in", folder);
    assert_true(file_make_folder(path, 0700, NULL));
    snprintf(path, sizeof path, "%s/in/f", folder);
    assert_true(file_write(path, "hello", 5, 0600, NULL));
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(symlink("in/f", link), 0);
    struct error err = ERROR_INIT;
    size_t length;
    char *bytes = file_read_below(folder, "in/f", 100, &length, &err);
    assert_string_equal(bytes, "hello");
    mem_free(bytes);
    const char *refused[] = {"/etc/passwd", "../x", "in/../in/f", "link", "", "in//f", "in"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_null(file_read_below(folder, refused[i], 100, NULL, &err));
    assert_null(file_read(path, 4, NULL, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    unlink(link);
    unlink(path);
    snprintf(path, sizeof path, "%s/in", folder);
    rmdir(path);
    rmdir(folder);
}

static void a_relative_xdg_variable_is_ignored(void **state)
{
    (void)state;
    char home[] = "/tmp/kt-home-XXXXXX", expected[64];
    assert_non_null(mkdtemp(home));
    setenv("HOME", home, 1);
    setenv("XDG_STATE_HOME", "relative", 1);
    char *path = xdg_folder(XDG_STATE, NULL);
    snprintf(expected, sizeof expected, "%s/.local/state/kubetutor", home);
    assert_string_equal(path, expected);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    mem_free(path);
}

int test_base(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_finds_what_was_set_and_forgets_what_was_removed),
        cmocka_unit_test(a_full_map_refuses_and_keeps_what_it_has),
        cmocka_unit_test(sorting_is_stable_with_memory_and_without),
        cmocka_unit_test(an_error_is_cut_at_a_character_boundary),
        cmocka_unit_test(files_below_a_folder_stay_below_it),
        cmocka_unit_test(a_relative_xdg_variable_is_ignored),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
