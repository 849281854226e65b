/* Lessons that are faulty in one way each: every folder of tests/lesson/load is a lesson, and its file `expected` says what loading it says:
 *     ok, or KIND WHERE: MESSAGE
 * With KT_RECORD set, a folder that has none gets its own; read it. */
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
#include "lesson/course.h"
#include "loop/loop.h"

#define FOLDER KT_TEST_CASES "/load"

static const char *kind_name(enum error_kind kind)
{
    static const struct {
        enum error_kind kind;
        const char *name;
    } names[] = {{ERROR_INPUT, "input"}, {ERROR_LIMIT, "limit"}, {ERROR_NOT_FOUND, "not found"}, {ERROR_DENIED, "denied"}, {ERROR_MEMORY, "memory"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].kind == kind)
            return names[i].name;
    return "another kind";
}

static bool load_one(struct loop *loop, const char *name)
{
    struct error err = ERROR_INIT;
    char said[1200], *path = mem_printf("%s/%s/expected", FOLDER, name);
    char *expected = file_read(path, 65536, NULL, NULL);
    struct lesson *lesson = lesson_load(loop, FOLDER, name, NULL, &err);
    if (lesson != NULL)
        snprintf(said, sizeof said, "ok\n");
    else
        snprintf(said, sizeof said, "%s %s%s%s\n", kind_name(err.kind), err.where, err.where[0] != '\0' ? ": " : "", err.message);
    for (char *at; (at = strstr(said, KT_TEST_CASES "/")) != NULL;) /* where the sources stand is no matter */
        memmove(at, at + strlen(KT_TEST_CASES "/"), strlen(at + strlen(KT_TEST_CASES "/")) + 1);
    bool good = expected != NULL && strcmp(said, expected) == 0;
    if (expected == NULL && getenv("KT_RECORD") != NULL)
        assert_true(file_write(path, said, strlen(said), 0644, NULL));
    else if (!good)
        print_error("%s: expected %sgot %s", name, expected != NULL ? expected : "nothing\n", said);
    lesson_free(lesson);
    mem_free(expected);
    mem_free(path);
    return good;
}

static void every_fault_is_told_with_its_place(void **state)
{
    (void)state;
    int count = 0, bad = 0;
    const char *only = getenv("KT_ONLY");
    struct loop *loop = loop_new(NULL);
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.' || (only != NULL && strstr(entry->d_name, only) == NULL))
            continue;
        bad += !load_one(loop, entry->d_name);
        count++;
    }
    closedir(folder);
    loop_free(loop);
    assert_int_equal(bad, 0);
    assert_true(only != NULL || count >= 50);
}

static void odd_names_are_no_lessons(void **state)
{
    (void)state;
    static const char *const names[] = {"", ".", "..", "../load", "good/../good", "Good", "good\n", "a/b", "x*"};
    struct loop *loop = loop_new(NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct error err = ERROR_INIT;
        assert_null(lesson_load(loop, FOLDER, names[i], NULL, &err));
        assert_int_equal(err.kind, ERROR_NOT_FOUND);
    }
    loop_free(loop);
}

static void a_good_lesson_is_read_whole(void **state)
{
    (void)state;
    struct loop *loop = loop_new(NULL);
    struct error err = ERROR_INIT;
    struct lesson *lesson = lesson_load(loop, KT_TEST_CASES "/packs", "flow", NULL, &err);
    assert_non_null(lesson);
    assert_string_equal(lesson->id, "flow");
    assert_int_equal(lesson->minutes, 5);
    assert_int_equal(lesson->needs.length, 4);
    assert_int_equal(lesson->steps.length, 7);
    const struct lesson_step *paint = lesson_find_step(lesson, "paint"), *keep = lesson_find_step(lesson, "keep");
    assert_int_equal(paint->line, 9);
    assert_true(paint->setup != 0 && paint->check != 0 && paint->hint != 0 && paint->solve != 0 && paint->verify == 0 && paint->invariant == 0);
    assert_int_equal(paint->mutants.length, 3);
    assert_string_equal(paint->text[0]->heading, "Step paint");
    assert_int_equal(keep->choices.length, 2);
    assert_string_equal(keep->answer, "less");
    assert_null(lesson_find_step(lesson, "nothing"));
    assert_int_equal(lesson_final_step(lesson, -1), 5); /* the one that is marked */
    assert_int_equal(lesson_final_step(lesson, 5), -1);
    lesson_free(lesson);
    lesson = lesson_load(loop, KT_TEST_CASES "/packs", "modern", NULL, &err);
    assert_int_equal(lesson_final_step(lesson, -1), 1); /* else the last with a check */
    lesson_free(lesson);
    loop_free(loop);
}

static void survives_every_allocation_failing_at_load(void **state)
{
    (void)state;
    struct loop *loop = loop_new(NULL);
    struct lesson *lesson = NULL;
    int nth = 0, step = 1;
    while (lesson == NULL) {
        struct error err = ERROR_INIT;
        nth += step;
        step = nth > 300 ? 7 : 1; /* the first ones are the loader's own, the rest mostly Lua's */
        mem_fail_at(nth); /* one alone: Lua collects its garbage and may go on */
        lesson_free(lesson_load(loop, FOLDER, "good", NULL, &err));
        mem_fail_from(nth);
        lesson = lesson_load(loop, FOLDER, "good", NULL, &err);
        mem_fail_from(0);
        if (lesson == NULL && err.kind == ERROR_NONE)
            fail_msg("from allocation %d on all failed and nothing was said", nth);
    }
    assert_true(nth > 500);
    lesson_free(lesson);
    loop_free(loop);
}

int test_load(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_is_told_with_its_place),
        cmocka_unit_test(odd_names_are_no_lessons),
        cmocka_unit_test(a_good_lesson_is_read_whole),
        cmocka_unit_test(survives_every_allocation_failing_at_load),
    };
    return cmocka_run_group_tests_name("lesson/load", tests, NULL, NULL);
}
