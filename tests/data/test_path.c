#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/path.h"

static const char pod[] =
    "{\"metadata\":{\"labels\":{\"app.kubernetes.io/name\":\"web\",\"a\\\"b\\\\\":1}},"
    "\"spec\":{\"containers\":[{\"name\":\"side\",\"image\":\"s:1\"},"
    "{\"name\":\"web\",\"image\":\"w:1\",\"ports\":[{\"containerPort\":80,\"on\":true},{\"containerPort\":8080}]}]}}";

static void finds_what_people_write(void **state)
{
    (void)state;
    static const struct {
        const char *path, *found;
    } rows[] = {
        {"spec.containers[0].image", "\"s:1\""},
        {".spec.containers[1].image", "\"w:1\""},
        {"spec.containers[-1].name", "\"web\""},
        {"spec.containers[-2].name", "\"side\""},
        {"spec.containers[-3].name", NULL},
        {"spec.containers[2]", NULL},
        {"spec.containers[name=web].image", "\"w:1\""},
        {"spec.containers[name=\"web\"].image", "\"w:1\""},
        {"spec.containers[name=db].image", NULL},
        {"spec.containers[name=].image", NULL},
        {"spec.containers[name=web].ports[containerPort=8080]", "{\"containerPort\":8080}"},
        {"spec.containers[name=web].ports[on=true].containerPort", "80"},
        {"metadata.labels[\"app.kubernetes.io/name\"]", "\"web\""},
        {"metadata.labels['app.kubernetes.io/name']", "\"web\""},
        {"metadata.labels[\"a\\\"b\\\\\"]", "1"},
        {"[\"metadata\"].labels['a\"b\\\\']", "1"},
        {"spec.nothing.at.all[0]", NULL},
        {"spec[0]", NULL},
        {"spec.containers.name", NULL},
        {"Spec", NULL},
    };
    struct value *v = json_parse(pod, strlen(pod), "pod", NULL), *found;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct error err = ERROR_INIT;
        if (!path_find(v, rows[i].path, &found, &err))
            fail_msg("%s: %s", rows[i].path, err.message);
        char *text = found != NULL ? json_text(found, 1000) : NULL;
        if ((text != NULL) != (rows[i].found != NULL) || (text != NULL && strcmp(text, rows[i].found) != 0))
            fail_msg("%s: found %s", rows[i].path, text);
        mem_free(text);
    }
    assert_true(path_find(v, "", &found, NULL));
    assert_ptr_equal(found, v);
    assert_true(path_find(NULL, "a.b", &found, NULL));
    assert_null(found);
    value_free(v);
}

static void says_what_was_expected_and_where(void **state)
{
    (void)state;
    static const struct {
        const char *path, *message;
    } rows[] = {
        {"spec.", "a key was expected at the end"},
        {"spec..x", "a key was expected at character 6"},
        {"a[", "an index, a quoted key or name=value was expected at the end"},
        {"a[]", "an index, a quoted key or name=value was expected at character 3"},
        {"a[0", "] was expected at the end"},
        {"a[0x]", "] was expected at character 4"},
        {"a[-]", "a digit was expected at character 4"},
        {"a[1234567890]", "at most nine digits"},
        {"a[name]", "= was expected at character 7"},
        {"a[name=web", "] was expected at the end"},
        {"a['b]", "a closing ' was expected at the end"},
        {"a[\"b\\", "a closing \" was expected at the end"},
        {"a[\"b\"c]", "] was expected at character 6"},
        {"a[0]b", ". or [ was expected at character 5"},
        {"a b", ". or [ was expected at character 2"},
        {"]", "a key was expected at character 1"},
        {".", "a key was expected at the end"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct error err = ERROR_INIT;
        if (path_valid(rows[i].path, &err) || err.kind != ERROR_INPUT || strstr(err.message, rows[i].message) == NULL)
            fail_msg("%s: %s", rows[i].path, err.message);
    }
}

static void a_path_that_is_written_reads_as_people_write_it(void **state)
{
    (void)state;
    struct buf path = buf_make(1000);
    path_append_key(&path, "metadata");
    path_append_key(&path, "labels");
    path_append_key(&path, "app.kubernetes.io/name");
    path_append_index(&path, 3);
    path_append_key(&path, "a\"\\b");
    path_append_key(&path, "");
    path_append_key(&path, "x-y_z");
    assert_string_equal(path.bytes, "metadata.labels[\"app.kubernetes.io/name\"][3][\"a\\\"\\\\b\"][\"\"].x-y_z");
    assert_true(path_valid(path.bytes, NULL));
    buf_free(&path);
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    struct value *v = json_parse(pod, strlen(pod), "pod", NULL), *found = NULL;
    struct error err = ERROR_INIT;
    mem_fail_at(1);
    assert_false(path_find(v, "spec", &found, &err));
    mem_fail_at(0);
    assert_int_equal(err.kind, ERROR_MEMORY);
    value_free(v);
}

int test_path(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_people_write),
        cmocka_unit_test(says_what_was_expected_and_where),
        cmocka_unit_test(a_path_that_is_written_reads_as_people_write_it),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("data/path", tests, NULL, NULL);
}
