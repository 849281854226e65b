/* Progress as JSON. import/NAME.json is what somebody may want to import, NAME.want the words of the refusal, or "taken". */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "progress_fill.h"
#include "store/progress.h"
#include "support.h"

static struct progress *open_memory(void)
{
    struct progress *progress = progress_open(":memory:", NULL);
    assert_non_null(progress);
    return progress;
}

static char *export_all(struct progress *progress)
{
    struct error err = ERROR_INIT;
    char *text = progress_export(progress, &err);
    assert_string_equal(err.message, "");
    assert_non_null(text);
    return text;
}

static void import_ok(struct progress *progress, const char *text)
{
    struct error err = ERROR_INIT;
    bool ok = progress_import(progress, text, strlen(text), &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
}

static void what_is_exported_is_all_there_after_the_import(void **state)
{
    (void)state;
    struct progress *from = open_memory(), *to = open_memory();
    progress_fill(from);
    char *text = export_all(from);
    import_ok(to, text);
    progress_filled(to);
    import_ok(to, text); /* again changes nothing */
    progress_filled(to);
    mem_free(text);
    progress_close(from);
    progress_close(to);
}

static const char record[] = "{\"kubetutor-progress\": 1, \"steps\": [{\"cluster\": \"c\", \"namespace\": \"n\", \"lesson\": \"l\", \"step\": \"s\", "
                             "\"state\": \"%s\", \"data\": null, \"choice\": null, \"hints\": %d, \"solved\": false, \"started_ms\": 1, "
                             "\"passed_ms\": 0, \"changed_ms\": %lld}], \"passed\": [], \"ledger\": [], \"facts\": []}";

static int hints(struct progress *progress)
{
    struct progress_step step;
    assert_true(progress_get(progress, &(struct progress_key){"c", "n", "l", "s"}, &step, NULL));
    int shown = step.hints_shown;
    progress_step_free(&step);
    return shown;
}

static void of_two_records_the_newer_one_stays(void **state)
{
    (void)state;
    struct progress *progress = open_memory();
    char text[2000];
    snprintf(text, sizeof text, record, "started", 1, 1000LL);
    import_ok(progress, text);
    assert_int_equal(hints(progress), 1);
    snprintf(text, sizeof text, record, "started", 2, 2000LL);
    import_ok(progress, text);
    assert_int_equal(hints(progress), 2);
    snprintf(text, sizeof text, record, "started", 3, 1500LL);
    import_ok(progress, text);
    assert_int_equal(hints(progress), 2);
    progress_close(progress);
}

static void a_record_of_the_future_does_not_beat_later_ones(void **state)
{
    (void)state;
    struct progress *progress = open_memory();
    char text[2000];
    snprintf(text, sizeof text, record, "started", 1, (long long)clock_wall_ms() + 1000LL * 3600 * 24 * 365);
    import_ok(progress, text);
    char *out = export_all(progress);
    const char *changed = strstr(out, "\"changed_ms\": ");
    long long ms = 0;
    assert_int_equal(sscanf(changed != NULL ? changed : "", "\"changed_ms\": %lld", &ms), 1);
    assert_true(ms <= clock_wall_ms());
    mem_free(out);
    progress_close(progress);
}

static void a_file_gives_no_permissions(void **state)
{
    (void)state;
    struct progress *from = open_memory(), *to = open_memory();
    assert_true(progress_set_fact(from, "c", "consent", "yes", NULL));
    assert_true(progress_set_fact(from, "c", "namespace-created", "yes", NULL));
    assert_true(progress_set_fact(from, "c", "namespace", "learn", NULL));
    char *text = export_all(from);
    import_ok(to, text);
    assert_null(progress_fact(to, "c", "consent"));
    assert_null(progress_fact(to, "c", "namespace-created"));
    char *ns = progress_fact(to, "c", "namespace");
    assert_string_equal(ns, "learn");
    mem_free(ns);
    mem_free(text);
    progress_close(from);
    progress_close(to);
}

static void import_case(const char *name)
{
    char path[512];
    size_t length, want_length;
    snprintf(path, sizeof path, KT_TEST_CASES "/import/%s.json", name);
    char *text = bytes_of(path, &length);
    snprintf(path, sizeof path, KT_TEST_CASES "/import/%s.want", name);
    char *want = bytes_of(path, &want_length);
    want[strcspn(want, "\n")] = '\0';
    struct progress *progress = open_memory();
    progress_fill(progress);
    struct error err = ERROR_INIT;
    bool taken = progress_import(progress, text, length, &err);
    if (want[0] == '\0' || strstr(taken ? "taken" : err.message, want) == NULL)
        fail_msg("%s: %s", name, taken ? "taken" : err.message);
    progress_filled(progress); /* what was there before is untouched either way */
    char *out = export_all(progress);
    if (!taken)
        assert_null(strstr(out, "hostile")); /* all or nothing: every case has a good entry of this name in front */
    mem_free(out);
    progress_close(progress);
    mem_free(text);
    mem_free(want);
}

static void files_that_are_not_as_export_writes_them_are_refused_whole(void **state)
{
    (void)state;
    DIR *folder = opendir(KT_TEST_CASES "/import");
    assert_non_null(folder);
    int cases = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[256];
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".json") != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(dot - entry->d_name), entry->d_name);
        import_case(name);
        cases++;
    }
    closedir(folder);
    assert_true(cases > 10);
}

static void more_than_the_maximum_is_refused(void **state)
{
    (void)state;
    struct progress *progress = open_memory();
    struct error err = ERROR_INIT;
    char *text = mem_alloc(PROGRESS_TEXT + 1);
    memset(text, ' ', PROGRESS_TEXT + 1);
    assert_false(progress_import(progress, text, PROGRESS_TEXT + 1, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    mem_free(text);
    char *state_json = mem_alloc(PROGRESS_STATE);
    memset(state_json, 'x', PROGRESS_STATE - 1);
    state_json[0] = state_json[PROGRESS_STATE - 2] = '"';
    state_json[PROGRESS_STATE - 1] = '\0';
    for (int i = 0; i < 17; i++) {
        char step[16];
        snprintf(step, sizeof step, "step-%d", i);
        const struct progress_key key = {"c", "n", "l", step};
        assert_true(progress_put(progress, &key, &(struct progress_step){.state = PROGRESS_STARTED, .state_json = state_json}, NULL));
    }
    assert_null(progress_export(progress, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    mem_free(state_json);
    progress_close(progress);
}

static void a_refused_import_does_not_give_the_file_up(void **state)
{
    struct progress *progress = progress_open(in_folder(state, "kept.db"), NULL);
    struct error err = ERROR_INIT;
    assert_false(progress_import(progress, "[]", 2, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_true(progress_is_kept(progress));
    assert_false(progress_warning(progress, NULL));
    progress_close(progress);
}

int test_transfer(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_exported_is_all_there_after_the_import),
        cmocka_unit_test(of_two_records_the_newer_one_stays),
        cmocka_unit_test(a_record_of_the_future_does_not_beat_later_ones),
        cmocka_unit_test(a_file_gives_no_permissions),
        cmocka_unit_test(files_that_are_not_as_export_writes_them_are_refused_whole),
        cmocka_unit_test(more_than_the_maximum_is_refused),
        cmocka_unit_test(a_refused_import_does_not_give_the_file_up),
    };
    return cmocka_run_group_tests_name("transfer", tests, folder_setup, folder_teardown);
}
