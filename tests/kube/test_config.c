#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "kube/config.h"

#define CASES KT_TEST_CASES "/config"

static char folder[] = "/tmp/kubetutor-test-config-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int drop_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static char *path_of(const char *name)
{
    static char paths[4][4096];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static char *write_file(const char *name, const char *text)
{
    char *path = path_of(name);
    assert_true(file_write(path, text, strlen(text), 0600, NULL));
    return path;
}

/* No variable of the machine that the test runs on counts. */
static void clear_environment(void)
{
    unsetenv("KUBECONFIG");
    unsetenv("KUBERNETES_SERVICE_HOST");
    unsetenv("KUBERNETES_SERVICE_PORT");
    setenv("HOME", folder, 1);
}

/* --- the data files --- */

static bool has(const struct vec *strings, const char *wanted)
{
    return vec_has_string(strings, wanted);
}

static const char *or_none(const char *text)
{
    return text != NULL ? text : "-";
}

/* Does the field have the value? Files are compared by their end, PEM texts by their first line. */
static bool field_is(const struct kube_config *config, const char *name, const char *wanted)
{
    const struct {
        const char *name, *value;
    } texts[] = {{"server", config->server}, {"context", config->context_name}, {"cluster", config->cluster_name}, {"user", config->user_name},
                 {"namespace", config->context_namespace}, {"token", config->token}, {"username", config->username},
                 {"password", config->password}, {"tls-server-name", config->tls_server_name}, {"proxy", config->proxy_url},
                 {"as", config->impersonate}, {"as-uid", config->impersonate_uid}, {"exec-mode", config->exec.interactive_mode},
                 {"exec-hint", config->exec.install_hint}, {"exec-cluster", config->exec.cluster_config},
                 {"insecure", config->insecure_skip_tls_verify ? "yes" : "no"}, {"no-compression", config->disable_compression ? "yes" : "no"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].name, name) == 0)
            return strcmp(or_none(texts[i].value), wanted) == 0;
    const struct {
        const char *name, *value;
    } pems[] = {{"ca", config->ca}, {"certificate", config->client_certificate}, {"key", config->client_key}};
    for (size_t i = 0; i < sizeof pems / sizeof *pems; i++)
        if (strcmp(pems[i].name, name) == 0)
            return strncmp(or_none(pems[i].value), wanted, strlen(wanted)) == 0;
    const struct {
        const char *name;
        const struct vec *values;
    } lists[] = {{"as-group", &config->impersonate_groups}, {"as-extra", &config->impersonate_extra}, {"exec-argument", &config->exec.arguments},
                 {"exec-variable", &config->exec.environment}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strcmp(lists[i].name, name) == 0)
            return has(lists[i].values, wanted);
    char expected[4096];
    if (strncmp(wanted, "./", 2) == 0 || strcmp(name, "token-file") == 0) { /* relative to the file that names it */
        snprintf(expected, sizeof expected, "%s/%s", CASES, wanted);
        wanted = expected;
    }
    const char *value = strcmp(name, "token-file") == 0 ? config->token_file : strcmp(name, "exec") == 0 ? config->exec.command : "(no such field)";
    return strcmp(or_none(value), wanted) == 0;
}

/* One "# key: value" line of a case; returns how many expectations it was. */
static unsigned expect_line(const char *file, char *line, const struct kube_config *config, const struct error *err)
{
    if (strncmp(line, "# field: ", 9) == 0) {
        char *equals = strstr(line, " = ");
        assert_non_null(equals);
        *equals = '\0';
        if (config == NULL)
            fail_msg("%s: %s (%s)", file, err->message, err->where);
        if (!field_is(config, line + 9, equals + 3))
            fail_msg("%s: %s is not %s", file, line + 9, equals + 3);
        return 1;
    }
    if (strncmp(line, "# error: ", 9) == 0) {
        char *bar = strstr(line, " | ");
        assert_non_null(bar);
        *bar = '\0';
        if (config != NULL)
            fail_msg("%s: no error", file);
        if (err->kind != ERROR_INPUT || strstr(err->where, line + 9) == NULL || strstr(err->message, bar + 3) == NULL)
            fail_msg("%s: kind %d, \"%s\" | \"%s\"", file, err->kind, err->where, err->message);
        return 1;
    }
    return 0;
}

static void run_case(const char *name)
{
    char path[4096], context[64] = "";
    snprintf(path, sizeof path, "%s/%s", CASES, name);
    char *text = file_read(path, 1 << 20, NULL, NULL);
    assert_non_null(text);
    if (sscanf(text, "# context: %63s", context) != 1)
        context[0] = '\0';
    struct kube_config *config = NULL;
    struct error err = ERROR_INIT;
    bool ok = kube_config_load(&(struct kube_config_options){.file = path, .context = context[0] != '\0' ? context : NULL}, &config, &err);
    if (ok != (config != NULL))
        fail_msg("%s: true without a config", name);
    unsigned expectations = 0;
    for (char *save = NULL, *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save))
        expectations += expect_line(name, line, config, &err);
    if (expectations == 0)
        fail_msg("%s: expects nothing", name);
    kube_config_free(config);
    mem_free(text);
}

static void every_case_file_gives_what_its_head_says(void **state)
{
    (void)state;
    clear_environment();
    DIR *dir = opendir(CASES);
    assert_non_null(dir);
    unsigned count = 0;
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0) {
            run_case(entry->d_name);
            count++;
        }
    }
    closedir(dir);
    assert_true(count >= 100);
}

/* --- where it is looked for --- */

static const char one[] = "clusters:\n- {name: red, cluster: {server: \"https://one\"}}\nusers:\n- {name: u, user: {token: one}}\n"
                          "contexts:\n- {name: x, context: {cluster: red, user: u}}\n";
static const char two[] = "clusters:\n- {name: red, cluster: {server: \"https://two\", tls-server-name: two}}\n- {name: blue, cluster: {server: \"https://blue\"}}\n"
                          "users:\n- {name: u, user: {username: two}}\n- {name: v, user: {token: v}}\n"
                          "contexts:\n- {name: yy, context: {cluster: red, user: u}}\n- {name: z, context: {cluster: blue, user: v}}\ncurrent-context: yy\n";

static struct kube_config *load(const char *context)
{
    struct kube_config *config = NULL;
    struct error err = ERROR_INIT;
    if (!kube_config_load(&(struct kube_config_options){.context = context}, &config, &err))
        fail_msg("%s | %s", err.where, err.message);
    return config;
}

static void set_list(const char *a, const char *b)
{
    char list[9000];
    snprintf(list, sizeof list, "%s:%s", a, b);
    setenv("KUBECONFIG", list, 1);
}

static void of_several_files_the_first_wins_and_missing_ones_are_passed_over(void **state)
{
    (void)state;
    clear_environment();
    char list[16000];
    const char *first = write_file("one", one), *second = write_file("two", two);
    snprintf(list, sizeof list, ":%s:%s::%s:%s:", path_of("missing"), first, second, first);
    setenv("KUBECONFIG", list, 1);
    struct kube_config *config = load(NULL);
    assert_int_equal(config->origin, KUBE_CONFIG_ENVIRONMENT);
    assert_string_equal(config->context_name, "yy");        /* only the second file says what is current */
    assert_string_equal(config->server, "https://one");    /* the first file's red ... */
    assert_null(config->tls_server_name);                  /* ... whole, nothing of the second's */
    assert_string_equal(config->token, "one");
    assert_null(config->username);
    assert_int_equal(config->files.length, 3);
    kube_config_free(config);
    config = load("z");
    assert_string_equal(config->server, "https://blue");
    assert_string_equal(config->token, "v");
    kube_config_free(config);
}

static void home_is_read_only_without_a_variable(void **state)
{
    (void)state;
    clear_environment();
    assert_true(file_make_folder(path_of(".kube"), 0700, NULL));
    char text[1000];
    snprintf(text, sizeof text, "%scurrent-context: x\n", one);
    write_file(".kube/config", text);
    struct kube_config *config = load(NULL);
    assert_int_equal(config->origin, KUBE_CONFIG_HOME);
    assert_string_equal(config->server, "https://one");
    kube_config_free(config);
    setenv("KUBECONFIG", path_of("missing"), 1);
    config = load(NULL);
    assert_null(config);
    setenv("KUBECONFIG", "", 1);
    config = load(NULL);
    assert_non_null(config);
    kube_config_free(config);
    assert_int_equal(unlink(path_of(".kube/config")), 0);
    config = load(NULL);
    assert_null(config); /* nothing anywhere: no error */
}

static void a_missing_file_that_was_asked_for_is_an_error(void **state)
{
    (void)state;
    clear_environment();
    struct kube_config *config;
    struct error err = ERROR_INIT;
    assert_false(kube_config_load(&(struct kube_config_options){.file = path_of("missing")}, &config, &err));
    assert_null(config);
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_non_null(strstr(err.message, "missing"));
}

static void a_relative_name_becomes_absolute(void **state)
{
    (void)state;
    clear_environment();
    write_file("two", two);
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    struct kube_config *config = NULL;
    bool ok = kube_config_load(&(struct kube_config_options){.file = "two"}, &config, NULL);
    assert_int_equal(chdir(before), 0);
    assert_true(ok);
    assert_string_equal(config->files.items[0], path_of("two"));
    kube_config_free(config);
}

static void the_service_account_of_a_pod_is_found(void **state)
{
    (void)state;
    clear_environment();
    struct kube_config_options options = {.cluster_root = folder};
    struct kube_config *config = NULL;
    struct error err = ERROR_INIT;
    setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
    setenv("KUBERNETES_SERVICE_PORT", "443", 1);
    assert_true(kube_config_load(&options, &config, &err));
    assert_null(config); /* no token: not in a Pod */
    write_file("token", "t\n");
    assert_false(kube_config_load(&options, &config, &err));
    assert_non_null(strstr(err.message, "ca.crt"));
    write_file("ca.crt", "-----BEGIN CERTIFICATE-----\n");
    write_file("namespace", "learn\n");
    assert_true(kube_config_load(&options, &config, &err));
    assert_int_equal(config->origin, KUBE_CONFIG_IN_CLUSTER);
    assert_string_equal(config->server, "https://[fd00::1]:443");
    assert_string_equal(config->token_file, path_of("token"));
    assert_string_equal(config->context_namespace, "learn");
    assert_string_equal(config->context_name, "");
    struct error write_error = ERROR_INIT;
    char *list = kube_config_write_overlay(config, "mine", path_of("overlay"), &write_error);
    assert_non_null(list);
    assert_string_equal(list, path_of("overlay"));
    kube_config_free(config);
    clear_environment();
    setenv("KUBECONFIG", list, 1);
    config = load(NULL);
    assert_string_equal(config->server, "https://[fd00::1]:443");
    assert_string_equal(config->token_file, path_of("token"));
    assert_string_equal(config->context_namespace, "mine");
    assert_non_null(config->ca);
    kube_config_free(config);
    mem_free(list);
}

static void an_overlay_changes_the_namespace_and_holds_no_secret(void **state)
{
    (void)state;
    clear_environment();
    const char *first = write_file("one", one), *second = write_file("two", two);
    set_list(first, second);
    struct kube_config *config = load(NULL);
    char *list = kube_config_write_overlay(config, "learn", path_of("overlay"), NULL);
    assert_non_null(list);
    struct stat status;
    assert_int_equal(stat(path_of("overlay"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    char *text = file_read(path_of("overlay"), 10000, NULL, NULL);
    assert_null(strstr(text, "token"));
    assert_null(strstr(text, "https://"));
    mem_free(text);
    kube_config_free(config);
    setenv("KUBECONFIG", list, 1);
    mem_free(list);
    config = load(NULL);
    assert_string_equal(config->context_name, "yy");
    assert_string_equal(config->context_namespace, "learn");
    assert_string_equal(config->server, "https://one");
    assert_string_equal(config->token, "one");
    kube_config_free(config);
}

static void a_large_file_is_refused(void **state)
{
    (void)state;
    clear_environment();
    char *path = path_of("large");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 5 << 20; i++)
        fputc('#', file);
    fclose(file);
    struct kube_config *config;
    struct error err = ERROR_INIT;
    assert_false(kube_config_load(&(struct kube_config_options){.file = path}, &config, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    clear_environment();
    static const char *const cases[] = {"exec.yaml", "certificates-as-files.yaml", "impersonation.yaml", "bad-context-user.yaml", "token-file.yaml"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", CASES, cases[i]);
        int nth = 0;
        for (bool over = false; !over; nth++) {
            struct kube_config *config = NULL;
            struct error err = ERROR_INIT;
            mem_fail_at(nth + 1);
            bool ok = kube_config_load(&(struct kube_config_options){.file = path}, &config, &err);
            char *list = ok ? kube_config_write_overlay(config, "n", path_of("overlay"), &err) : NULL;
            mem_fail_at(0);
            over = list != NULL || err.kind == ERROR_INPUT;
            if (!over)
                assert_int_equal(err.kind, ERROR_MEMORY);
            mem_free(list);
            kube_config_free(config);
        }
        assert_true(nth > 10);
    }
}

int test_config(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_file_gives_what_its_head_says),
        cmocka_unit_test(of_several_files_the_first_wins_and_missing_ones_are_passed_over),
        cmocka_unit_test(home_is_read_only_without_a_variable),
        cmocka_unit_test(a_missing_file_that_was_asked_for_is_an_error),
        cmocka_unit_test(a_relative_name_becomes_absolute),
        cmocka_unit_test(the_service_account_of_a_pod_is_found),
        cmocka_unit_test(an_overlay_changes_the_namespace_and_holds_no_secret),
        cmocka_unit_test(a_large_file_is_refused),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("kube/config", tests, make_folder, drop_folder);
}
