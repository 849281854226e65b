#include "store/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "failing.h"
#include "progress_fill.h"
#include "support.h"

static struct progress *open_ok(const char *path)
{
    struct error warning = ERROR_INIT;
    struct progress *progress = progress_open(path, &warning);
    assert_non_null(progress);
    assert_string_equal(warning.message, "");
    assert_int_equal(progress_is_kept(progress), strcmp(path, ":memory:") != 0);
    return progress;
}

static void what_was_never_done_is_all_zero(void **state)
{
    (void)state;
    struct progress *progress = open_ok(":memory:");
    struct progress_step step;
    memset(&step, 0xff, sizeof step);
    assert_true(progress_get(progress, &(struct progress_key){"c", "n", "l", "s"}, &step, NULL));
    assert_int_equal(step.state, PROGRESS_NONE);
    assert_null(step.state_json);
    assert_null(step.choice);
    assert_int_equal(step.hints_shown, 0);
    assert_false(step.solved);
    assert_int_equal(step.started_ms, 0);
    assert_null(progress_fact(progress, "c", "consent"));
    assert_int_equal(progress_passed_anywhere(progress, "l"), 0);
    assert_false(progress_warning(progress, NULL));
    progress_close(progress);
}

static void what_was_done_is_there_after_the_program_ends(void **state)
{
    const char *path = in_folder(state, "kept.db");
    struct progress *progress = open_ok(path);
    progress_fill(progress);
    progress_close(progress);
    progress = open_ok(path);
    progress_filled(progress);
    progress_close(progress);
}

/* samples/progress-N.db was made by progress_fill of the kubetutor that wrote format N. */
static void files_of_every_format_are_read_as_they_were_written(void **state)
{
    for (int format = 1; format <= 1; format++) {
        char sample[256];
        size_t length;
        snprintf(sample, sizeof sample, KT_TEST_CASES "/samples/progress-%d.db", format);
        char *bytes = bytes_of(sample, &length);
        assert_true(length > 0);
        const char *path = in_folder(state, "sample.db");
        write_bytes(path, bytes, length);
        mem_free(bytes);
        struct progress *progress = open_ok(path);
        progress_filled(progress);
        progress_close(progress);
    }
}

static void the_usual_place_is_the_state_folder(void **state)
{
    assert_int_equal(setenv("XDG_STATE_HOME", *state, 1), 0);
    struct error warning = ERROR_INIT;
    struct progress *progress = progress_open(NULL, &warning);
    assert_true(progress_is_kept(progress));
    progress_close(progress);
    assert_true(file_exists(in_folder(state, "kubetutor/progress.db")));
    unsetenv("XDG_STATE_HOME");
}

static void a_record_belongs_to_its_cluster_namespace_lesson_and_step(void **state)
{
    (void)state;
    struct progress *progress = open_ok(":memory:");
    const struct progress_key key = {"c", "n", "l", "s"};
    const struct progress_key others[] = {{"C", "n", "l", "s"}, {"c", "N", "l", "s"}, {"c", "n", "L", "s"}, {"c", "n", "l", "S"}, {"c", "", "l", "s"}};
    assert_true(progress_put(progress, &key, &(struct progress_step){.state = PROGRESS_STARTED}, NULL));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct progress_step step;
        assert_true(progress_get(progress, &others[i], &step, NULL));
        assert_int_equal(step.state, PROGRESS_NONE);
    }
    progress_close(progress);
}

static void forgetting_a_lesson_leaves_the_others_and_what_was_once_passed(void **state)
{
    (void)state;
    struct progress *progress = open_ok(":memory:");
    struct progress_step step, passed = {.state = PROGRESS_PASSED, .passed_ms = 5};
    const struct progress_key a = {"c", "n", "a", "s"}, b = {"c", "n", "b", "s"}, elsewhere = {"c", "m", "a", "s"};
    assert_true(progress_put(progress, &a, &passed, NULL));
    assert_true(progress_put(progress, &b, &passed, NULL));
    assert_true(progress_put(progress, &elsewhere, &passed, NULL));
    assert_true(progress_forget(progress, "c", "n", "a", NULL));
    assert_true(progress_get(progress, &a, &step, NULL));
    assert_int_equal(step.state, PROGRESS_NONE);
    assert_true(progress_get(progress, &b, &step, NULL));
    assert_int_equal(step.state, PROGRESS_PASSED);
    assert_true(progress_forget(progress, "c", "n", NULL, NULL));
    assert_true(progress_get(progress, &b, &step, NULL));
    assert_int_equal(step.state, PROGRESS_NONE);
    assert_true(progress_get(progress, &elsewhere, &step, NULL));
    assert_int_equal(step.state, PROGRESS_PASSED);
    assert_int_equal(progress_passed_anywhere(progress, "a"), 1);
    assert_int_equal(progress_passed_anywhere(progress, "b"), 1);
    progress_close(progress);
}

static void a_step_passed_twice_counts_once(void **state)
{
    (void)state;
    struct progress *progress = open_ok(":memory:");
    const struct progress_key here = {"c", "n", "l", "s"}, there = {"d", "n", "l", "s"};
    struct progress_step passed = {.state = PROGRESS_PASSED, .passed_ms = 5};
    assert_true(progress_put(progress, &here, &passed, NULL));
    assert_true(progress_put(progress, &here, &passed, NULL));
    assert_true(progress_put(progress, &there, &passed, NULL));
    assert_int_equal(progress_passed_anywhere(progress, "l"), 1);
    progress_close(progress);
}

static size_t entries(struct progress *progress, const char *cluster, const char *lesson)
{
    struct vec found;
    assert_true(progress_ledger_list(progress, cluster, lesson, &found, NULL));
    size_t count = found.length;
    vec_free(&found);
    return count;
}

static void an_object_added_to_the_ledger_twice_is_there_once(void **state)
{
    (void)state;
    struct progress *progress = open_ok(":memory:");
    assert_true(progress_ledger_add(progress, "c", "nginx", "deployments.apps", "learn", "web", "u1", NULL));
    assert_true(progress_ledger_add(progress, "c", "nginx", "deployments.apps", "learn", "web", "u1", NULL));
    assert_true(progress_ledger_add(progress, "c", "other", "deployments.apps", "learn", "web", "u1", NULL));
    assert_int_equal(entries(progress, "c", NULL), 1);
    assert_int_equal(entries(progress, "c", "nginx"), 1);
    assert_int_equal(entries(progress, "c", "other"), 0);
    assert_true(progress_ledger_add(progress, "c", "nginx", "deployments.apps", "learn", "web", "u2", NULL)); /* made again: another object */
    assert_true(progress_ledger_add(progress, "d", "nginx", "deployments.apps", "learn", "web", "u1", NULL));
    assert_int_equal(entries(progress, "c", "nginx"), 2);
    assert_true(progress_ledger_remove(progress, "c", "u1", NULL));
    assert_true(progress_ledger_remove(progress, "c", "u1", NULL));
    assert_int_equal(entries(progress, "c", "nginx"), 1);
    assert_int_equal(entries(progress, "d", "nginx"), 1);
    progress_close(progress);
}

static void a_fact_is_replaced_and_forgotten(void **state)
{
    (void)state;
    struct progress *progress = open_ok(":memory:");
    assert_true(progress_set_fact(progress, "", "lang", "zh", NULL));
    assert_true(progress_set_fact(progress, "", "lang", "en", NULL));
    char *value = progress_fact(progress, "", "lang");
    assert_string_equal(value, "en");
    mem_free(value);
    assert_null(progress_fact(progress, "c", "lang"));
    assert_true(progress_set_fact(progress, "", "lang", NULL, NULL));
    assert_null(progress_fact(progress, "", "lang"));
    progress_close(progress);
}

static void a_state_beyond_the_limit_is_refused_and_the_old_one_stays(void **state)
{
    (void)state;
    struct progress *progress = open_ok(":memory:");
    const struct progress_key key = {"c", "n", "l", "s"};
    char small[] = "{}", *large = mem_alloc(PROGRESS_STATE + 2);
    memset(large, ' ', PROGRESS_STATE + 1);
    large[PROGRESS_STATE + 1] = '\0';
    struct error err = ERROR_INIT;
    struct progress_step step = {.state = PROGRESS_STARTED, .state_json = small};
    assert_true(progress_put(progress, &key, &step, NULL));
    step.state_json = large;
    assert_false(progress_put(progress, &key, &step, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_true(progress_get(progress, &key, &step, NULL));
    assert_string_equal(step.state_json, "{}");
    progress_step_free(&step);
    mem_free(large);
    progress_close(progress);
}

static void use_all(void *path)
{
    struct error warning = ERROR_INIT;
    struct progress *progress = progress_open(path, &warning);
    if (progress == NULL)
        return;
    const struct progress_key key = {"c", "n", "l", "s"};
    char data[] = "{\"a\":1}";
    struct progress_step step = {.state = PROGRESS_PASSED, .state_json = data, .passed_ms = 1}, read;
    struct error err = ERROR_INIT;
    bool put = progress_put(progress, &key, &step, &err);
    assert_true(put || err.kind == ERROR_MEMORY);
    err = ERROR_INIT;
    if (progress_get(progress, &key, &read, &err)) {
        if (put) {
            assert_int_equal(read.state, PROGRESS_PASSED);
            assert_string_equal(read.state_json, data);
        }
        progress_step_free(&read);
    } else {
        assert_int_equal(err.kind, ERROR_MEMORY);
    }
    assert_true(progress_ledger_add(progress, "c", "l", "pods", "n", "a", "u", &err) || err.kind == ERROR_MEMORY);
    struct vec found;
    if (progress_ledger_list(progress, "c", NULL, &found, &err))
        vec_free(&found);
    mem_free(progress_fact(progress, "c", "consent"));
    char *text = progress_export(progress, &err);
    if (text != NULL) {
        err = ERROR_INIT;
        assert_true(progress_import(progress, text, strlen(text), &err) || err.kind == ERROR_MEMORY);
    }
    mem_free(text);
    progress_close(progress);
}

static void no_allocation_that_fails_does_harm(void **state)
{
    char path[256];
    snprintf(path, sizeof path, "%s", in_folder(state, "memory.db"));
    each_allocation_failing(use_all, path);
    struct progress *progress = open_ok(path);
    assert_int_equal(progress_passed_anywhere(progress, "l"), 1);
    progress_close(progress);
}

int test_progress(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_never_done_is_all_zero),
        cmocka_unit_test(what_was_done_is_there_after_the_program_ends),
        cmocka_unit_test(files_of_every_format_are_read_as_they_were_written),
        cmocka_unit_test(the_usual_place_is_the_state_folder),
        cmocka_unit_test(a_record_belongs_to_its_cluster_namespace_lesson_and_step),
        cmocka_unit_test(forgetting_a_lesson_leaves_the_others_and_what_was_once_passed),
        cmocka_unit_test(a_step_passed_twice_counts_once),
        cmocka_unit_test(an_object_added_to_the_ledger_twice_is_there_once),
        cmocka_unit_test(a_fact_is_replaced_and_forgotten),
        cmocka_unit_test(a_state_beyond_the_limit_is_refused_and_the_old_one_stays),
        cmocka_unit_test(no_allocation_that_fails_does_harm),
    };
    return cmocka_run_group_tests_name("progress", tests, folder_setup, folder_teardown);
}
