#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/json.h"
#include "kube/status.h"

#define CASES KT_TEST_CASES "/status"

static const char *const kinds[] = {
    [ERROR_INVALID] = "INVALID", [ERROR_NOT_FOUND] = "NOT_FOUND", [ERROR_EXISTS] = "EXISTS", [ERROR_CONFLICT] = "CONFLICT", [ERROR_EXPIRED] = "EXPIRED",
    [ERROR_UNAUTHENTICATED] = "UNAUTHENTICATED", [ERROR_DENIED] = "DENIED", [ERROR_BUSY] = "BUSY", [ERROR_UNREACHABLE] = "UNREACHABLE",
    [ERROR_TIMEOUT] = "TIMEOUT", [ERROR_INTERNAL] = "INTERNAL",
};

static void same(const char *file, const char *what, const char *is, const char *wanted)
{
    if (strcmp(is, wanted) != 0)
        fail_msg("%s: %s is \"%s\", not \"%s\"", file, what, is, wanted);
}

static void check_line(const char *file, const char *key, const char *wanted, const struct kube_status *status, const struct error *err, size_t *cause)
{
    char text[1024];
    if (strcmp(key, "kind") == 0)
        same(file, key, kinds[err->kind] != NULL ? kinds[err->kind] : "?", wanted);
    else if (strcmp(key, "sentence") == 0)
        same(file, key, err->message, wanted);
    else if (strcmp(key, "reason") == 0)
        same(file, key, status->reason, wanted);
    else if (strcmp(key, "name") == 0)
        same(file, key, status->name, wanted);
    else if (strcmp(key, "uid") == 0)
        same(file, key, status->uid, wanted);
    else if (strcmp(key, "retry") == 0)
        assert_int_equal(status->retry_after_ms, atoi(wanted));
    else if (strcmp(key, "causes") == 0)
        assert_int_equal(status->cause_count, atoi(wanted));
    else if (strcmp(key, "cause") == 0) {
        assert_true(*cause < status->cause_count);
        snprintf(text, sizeof text, "%s | %s | %s", status->causes[*cause].reason, status->causes[*cause].field, status->causes[*cause].message);
        same(file, key, text, wanted);
        ++*cause;
    } else if (strcmp(key, "code") != 0 && strcmp(key, "type") != 0)
        fail_msg("%s: unknown line %s", file, key);
}

static void run_case(const char *file)
{
    char path[4096], type[128], key[32], wanted[1024];
    int code;
    snprintf(path, sizeof path, "%s/%s", CASES, file);
    char *text = file_read(path, 1 << 20, NULL, NULL);
    assert_non_null(text);
    assert_int_equal(sscanf(text, "code: %d\ntype: %127[^\n]", &code, type), 2);
    char *body = strstr(text, "---\n");
    assert_non_null(body);
    *body = '\0';
    body += 4;
    struct kube_status status;
    struct error err = ERROR_INIT;
    kube_status_read(&status, code, strcmp(type, "-") != 0 ? type : NULL, body, strlen(body));
    assert_int_equal(status.code, code);
    assert_false(kube_status_error(&status, "create", "pods web in namespace learn", &err));
    size_t cause = 0;
    unsigned lines = 0;
    for (char *save = NULL, *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save), lines++) {
        assert_int_equal(sscanf(line, "%31[^:]: %1023[^\n]", key, wanted), 2);
        check_line(file, key, wanted, &status, &err, &cause);
    }
    assert_true(lines >= 4);
    mem_free(text);
}

static void every_case_file_gives_what_its_head_says(void **state)
{
    (void)state;
    DIR *dir = opendir(CASES);
    assert_non_null(dir);
    unsigned count = 0;
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (strstr(entry->d_name, ".case") != NULL) {
            run_case(entry->d_name);
            count++;
        }
    closedir(dir);
    assert_true(count >= 25);
}

static void an_event_of_a_watch_brings_its_own_code(void **state)
{
    (void)state;
    static const char text[] = "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"too old resource version: 1 (5)\"}";
    struct value *object = json_parse(text, strlen(text), "test", NULL);
    struct kube_status status;
    struct error err = ERROR_INIT;
    kube_status_from(&status, object);
    assert_int_equal(status.code, 410);
    kube_status_error(&status, "watch", "pods", &err);
    assert_int_equal(err.kind, ERROR_EXPIRED);
    value_free(object);
    kube_status_from(&status, NULL);
    assert_int_equal(status.code, 0);
}

static void long_words_are_cut_at_a_character(void **state)
{
    (void)state;
    char text[4096];
    struct kube_status status;
    for (size_t pad = 0; pad < 3; pad++) {
        size_t length = pad;
        memset(text, 'a', pad);
        while (length + 3 < sizeof text) {
            memcpy(text + length, "\xE4\xB8\xAD", 3);
            length += 3;
        }
        kube_status_read(&status, 400, "text/plain", text, length);
        size_t kept = strlen(status.message);
        assert_in_range(kept, sizeof status.message - 4, sizeof status.message - 1);
        assert_int_equal((kept - pad) % 3, 0);
    }
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    static const char body[] = "{\"kind\":\"Status\",\"message\":\"m\",\"reason\":\"NotFound\",\"details\":{\"name\":\"n\"}}";
    bool seen = false;
    for (int nth = 1; nth < 200; nth++) {
        struct kube_status status;
        mem_fail_at(nth);
        kube_status_read(&status, 404, "application/json", body, strlen(body));
        mem_fail_at(0);
        assert_int_equal(status.code, 404);
        assert_string_not_equal(status.message, "");
        seen = seen || strcmp(status.reason, "NotFound") == 0;
    }
    assert_true(seen);
}

int test_status(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_file_gives_what_its_head_says),
        cmocka_unit_test(an_event_of_a_watch_brings_its_own_code),
        cmocka_unit_test(long_words_are_cut_at_a_character),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("kube/status", tests, NULL, NULL);
}
