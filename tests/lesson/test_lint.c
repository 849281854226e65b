/* Each folder of lint/ is a pack with a fault: its files laid over those of lint/good; `expected` says what lint finds, a line a finding. */
#include <dirent.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "lesson/course.h"
#include "loop/loop.h"

static const char lint_cases[] = KT_TEST_CASES "/lint";
static const char glossary[] = KT_SOURCE "/assets/glossary.tsv";

static char copy_from[512], copy_to[128]; /* nftw's callback has no argument of its own */

static int copy_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
    char to[768];
    (void)status;
    (void)at;
    snprintf(to, sizeof to, "%s%s", copy_to, path + strlen(copy_from));
    if (type == FTW_D)
        return file_make_folder(to, 0755, NULL) ? 0 : -1;
    size_t length;
    char *bytes = file_read(path, 1 << 20, &length, NULL);
    bool ok = bytes != NULL && file_write(to, bytes, length, 0644, NULL);
    mem_free(bytes);
    return ok ? 0 : -1;
}

static int drop_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

/* A fresh folder with the good pack and the case's files over it; removed with drop_pack. */
static void make_pack(const char *name)
{
    snprintf(copy_to, sizeof copy_to, "/tmp/kubetutor-lint-XXXXXX");
    assert_non_null(mkdtemp(copy_to));
    const char *const layers[] = {"good", name};
    for (size_t i = 0; i < 2; i++) {
        snprintf(copy_from, sizeof copy_from, "%s/%s", lint_cases, layers[i]);
        assert_int_equal(nftw(copy_from, copy_one, 16, FTW_PHYS), 0);
    }
}

static void drop_pack(void)
{
    assert_int_equal(nftw(copy_to, drop_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static char *findings_of(const char *lesson)
{
    struct error err = ERROR_INIT;
    struct loop *loop = loop_new(&err);
    struct buf text = buf_make(1 << 20);
    struct vec findings;
    assert_non_null(loop);
    assert_true(lesson_lint(loop, copy_to, lesson, glossary, &findings, &err));
    for (size_t i = 0; i < findings.length; i++) {
        const struct lint_finding *finding = findings.items[i];
        buf_printf(&text, "%s: %s%s\n", finding->where, finding->is_error ? "" : "warning: ", finding->message);
    }
    vec_free(&findings);
    loop_free(loop);
    char *all = buf_take(&text, NULL);
    assert_non_null(all);
    return all;
}

static void one_case(const char *name)
{
    char path[512];
    make_pack(name);
    char *found = findings_of("sample");
    snprintf(path, sizeof path, "%s/%s/expected", lint_cases, name);
    char *expected = file_exists(path) ? file_read(path, 1 << 20, NULL, NULL) : mem_string("");
    if (expected == NULL || strcmp(found, expected) != 0)
        print_error("case lint/%s finds:\n%s", name, found);
    assert_non_null(expected);
    assert_string_equal(found, expected);
    mem_free(expected);
    mem_free(found);
    drop_pack();
}

static void lint_finds_in_each_case_what_is_expected(void **state)
{
    (void)state;
    DIR *folder = opendir(lint_cases);
    int cases = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.') {
            one_case(entry->d_name);
            cases++;
        }
    closedir(folder);
    assert_true(cases > 10);
}

static void a_lesson_that_is_not_there_is_a_finding(void **state)
{
    (void)state;
    make_pack("good");
    char *found = findings_of("nowhere");
    assert_string_equal(found, "course.lua: there is no lesson \"nowhere\"\n");
    mem_free(found);
    drop_pack();
}

static void a_glossary_that_cannot_be_read_is_an_error(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    struct loop *loop = loop_new(&err);
    struct vec findings;
    make_pack("good");
    assert_false(lesson_lint(loop, copy_to, "sample", "/nowhere/glossary.tsv", &findings, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    vec_free(&findings);
    loop_free(loop);
    drop_pack();
}

/* Wherever memory fails, lint says so or goes on, and leaves nothing behind (the sanitizer looks). */
static void without_memory_lint_says_so(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    struct loop *loop = loop_new(&err);
    assert_non_null(loop);
    make_pack("images-and-needs");
    int refused = 0;
    for (int nth = 1; nth < 20000; nth += nth < 200 ? 1 : 37) {
        struct vec findings;
        err = ERROR_INIT;
        mem_fail_at(nth);
        bool ok = lesson_lint(loop, copy_to, "sample", glossary, &findings, &err);
        mem_fail_at(0);
        refused += !ok;
        vec_free(&findings);
    }
    assert_true(refused > 10);
    loop_free(loop);
    drop_pack();
}

int test_lint(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lint_finds_in_each_case_what_is_expected),
        cmocka_unit_test(a_lesson_that_is_not_there_is_a_finding),
        cmocka_unit_test(a_glossary_that_cannot_be_read_is_an_error),
        cmocka_unit_test(without_memory_lint_says_so),
    };
    return cmocka_run_group_tests_name("lint", tests, NULL, NULL);
}
