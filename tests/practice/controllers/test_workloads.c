/* Deployments, ReplicaSets, ReplicationControllers, StatefulSets and DaemonSets end up as on a real cluster (workloads/, recorded by record-workloads). */
#include "play.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

/* Lines of one that the other does not have as often, told with a sign. */
static size_t tell_more(const struct vec *lines, const struct vec *others, char sign)
{
    size_t told = 0, j = 0;
    for (size_t i = 0; i < lines->length; i++) {
        int order = 1;
        while (j < others->length && (order = strcmp(others->items[j], lines->items[i])) < 0)
            j++;
        if (j < others->length && order == 0) {
            j++;
            continue;
        }
        print_error("    %c %s\n", sign, (const char *)lines->items[i]);
        told++;
    }
    return told;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

static struct vec read_lines(const char *file)
{
    struct error err = ERROR_INIT;
    char *text = file_read(file, 1 << 20, NULL, &err);
    struct vec lines = vec_make(100000, mem_free);
    if (text == NULL)
        fail_msg("%s: %s", file, err.message);
    for (const char *at = text; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n')
        assert_true(vec_push(&lines, mem_string_n(at, strcspn(at, "\n"))));
    mem_free(text);
    return lines;
}

static bool run_case(struct cluster *cluster, const char *name)
{
    char file[1024], want[1024], ns[256];
    snprintf(file, sizeof file, "%s/workloads/%s.case", KT_TEST_CASES, name);
    snprintf(want, sizeof want, "%s/workloads/%s.want", KT_TEST_CASES, name);
    snprintf(ns, sizeof ns, "kt-wl-%s", name);
    if (!play(cluster, file, ns))
        return false;
    struct vec wanted = read_lines(want), got = play_look(cluster, ns);
    vec_sort(&wanted, compare_texts);
    vec_sort(&got, compare_texts);
    size_t differences = tell_more(&wanted, &got, '-') + tell_more(&got, &wanted, '+');
    if (differences > 0)
        print_error("%s: %zu lines differ (- real, + ours)\n", name, differences);
    vec_free(&wanted);
    vec_free(&got);
    return differences == 0;
}

static void workloads_end_up_as_on_a_real_cluster(void **state)
{
    struct busy_cluster *busy = *state;
    const char *only = getenv("KT_CASE");
    DIR *folder = opendir(KT_TEST_CASES "/workloads");
    assert_non_null(folder);
    size_t run = 0, failed = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[256];
        size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".case") != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(length - 5), entry->d_name);
        if (only != NULL && strcmp(only, name) != 0)
            continue;
        run++;
        failed += !run_case(&busy->cluster, name);
    }
    closedir(folder);
    assert_true(run > 0);
    assert_int_equal(failed, 0);
}

int test_workloads(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(workloads_end_up_as_on_a_real_cluster, busy_cluster_open, busy_cluster_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
