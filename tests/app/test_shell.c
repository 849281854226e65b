/* The learner's shell: what it is given, and what it never overwrites. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/internal.h"
#include "base/file.h"
#include "base/mem.h"

int test_shell(void);

static char home[64];

static int make_home(void **state)
{
    (void)state;
    snprintf(home, sizeof home, "/tmp/kubetutor-shell-XXXXXX");
    return mkdtemp(home) != NULL && setenv("HOME", home, 1) == 0 && unsetenv("XDG_STATE_HOME") == 0 ? 0 : -1;
}

static int remove_home(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    return system(command);
}

static struct kube_config *config(void)
{
    static const char text[] =
        "apiVersion: v1\nkind: Config\ncurrent-context: one\ncontexts: [{name: one, context: {cluster: c, user: u}}]\n"
        "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\nusers: [{name: u, user: {token: secret}}]\n";
    struct error err = ERROR_INIT;
    struct kube_config *made = kube_config_parse(text, sizeof text - 1, "test", &err);
    assert_non_null(made);
    return made;
}

/* The first file of the script's KUBECONFIG. The caller frees. */
static char *overlay_of(const char *script)
{
    char *text = file_read(script, 1 << 16, NULL, NULL);
    assert_non_null(text);
    const char *at = strstr(text, "KUBECONFIG='");
    assert_non_null(at);
    at += strlen("KUBECONFIG='");
    char *overlay = mem_string_n(at, strcspn(at, ":'"));
    mem_free(text);
    return overlay;
}

static char *written(const struct kube_config *from, const char *cluster, const char *ns)
{
    struct error err = ERROR_INIT;
    char *path = write_shell(from, cluster, ns, &err);
    assert_string_equal(err.message, "");
    assert_non_null(path);
    char *overlay = overlay_of(path);
    mem_free(path);
    return overlay;
}

static void two_tutors_do_not_share_an_overlay(void **state)
{
    (void)state;
    struct kube_config *from = config();
    char *a = written(from, "uid-1", "a"), *b = written(from, "uid-1", "b"), *other = written(from, "uid-2", "a"),
         *again = written(from, "uid-1", "a");
    char *text = file_read(a, 1 << 16, NULL, NULL);
    assert_string_not_equal(a, b);
    assert_string_not_equal(a, other);
    assert_string_equal(a, again);
    assert_non_null(text);
    assert_non_null(strstr(text, "namespace: a"));
    assert_null(strstr(text, "secret"));
    char *const owned[] = {a, b, other, again, text};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        mem_free(owned[i]);
    kube_config_free(from);
}

static void a_file_of_somebody_else_stays(void **state)
{
    (void)state;
    static const char theirs[] = "#!/bin/sh\necho mine\n";
    struct kube_config *from = config();
    struct error err = ERROR_INIT;
    char *path = mem_printf("%s/kubetutor/shell", home), *folder = mem_printf("%s/kubetutor", home);
    assert_true(file_make_folder(folder, 0755, &err));
    assert_true(file_write(path, theirs, sizeof theirs - 1, 0755, &err));
    assert_null(write_shell(from, "uid-1", "a", &err));
    assert_int_equal(err.kind, ERROR_EXISTS);
    char *text = file_read(path, 1 << 16, NULL, NULL);
    assert_string_equal(text, theirs);
    mem_free(text);
    mem_free(path);
    mem_free(folder);
    kube_config_free(from);
}

static void a_folder_in_its_place_stays(void **state)
{
    (void)state;
    struct kube_config *from = config();
    struct error err = ERROR_INIT;
    char *path = mem_printf("%s/kubetutor/shell", home);
    assert_true(file_make_folder(path, 0755, &err));
    assert_null(write_shell(from, "uid-1", "a", &err));
    assert_int_equal(err.kind, ERROR_EXISTS);
    mem_free(path);
    kube_config_free(from);
}

int test_shell(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_tutors_do_not_share_an_overlay, make_home, remove_home),
        cmocka_unit_test_setup_teardown(a_file_of_somebody_else_stays, make_home, remove_home),
        cmocka_unit_test_setup_teardown(a_folder_in_its_place_stays, make_home, remove_home),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
