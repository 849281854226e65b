/* What every cluster has and gets back: accounts, the root CA, roles, counted quotas; after a reset, too; and sleep. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cluster.h"

static int open_cluster(void **state)
{
    struct cluster *cluster = mem_zero(1, sizeof *cluster);
    cluster_open(cluster);
    *state = cluster;
    return 0;
}

static int close_cluster(void **state)
{
    cluster_close(*state);
    mem_free(*state);
    return 0;
}

static bool has_both(struct cluster *cluster, const char *ns)
{
    return cluster_has(cluster, &accounts, ns, "default") && cluster_has(cluster, &configmaps, ns, "kube-root-ca.crt");
}

static void every_namespace_has_an_account_and_the_root_ca_and_gets_them_back(void **state)
{
    struct cluster *cluster = *state;
    UNTIL(cluster, has_both(cluster, "default") && has_both(cluster, "kube-system"));
    cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'fresh'}}");
    UNTIL(cluster, has_both(cluster, "fresh"));
    const char *uid = cluster_text(cluster, &accounts, "fresh", "default", "metadata.uid");
    cluster_delete(cluster, &accounts, "fresh", "default", PROPAGATION_BACKGROUND);
    cluster_delete(cluster, &configmaps, "fresh", "kube-root-ca.crt", PROPAGATION_BACKGROUND);
    UNTIL(cluster, has_both(cluster, "fresh"));
    assert_string_not_equal(cluster_text(cluster, &accounts, "fresh", "default", "metadata.uid"), uid);
}

static void the_root_ca_is_made_whole_again_after_an_edit(void **state)
{
    struct cluster *cluster = *state;
    UNTIL(cluster, has_both(cluster, "default"));
    const char *whole = cluster_text(cluster, &configmaps, "default", "kube-root-ca.crt", "data");
    assert_non_null(strstr(whole, "BEGIN CERTIFICATE"));
    cluster_patch(cluster, &configmaps, "default", "kube-root-ca.crt", "{'data':{'ca.crt':'forged','more':'x'},'metadata':{'labels':{'own':'stays'},'annotations':null}}");
    UNTIL(cluster, strcmp(cluster_text(cluster, &configmaps, "default", "kube-root-ca.crt", "data"), whole) == 0);
    assert_non_null(strstr(cluster_text(cluster, &configmaps, "default", "kube-root-ca.crt", "metadata.annotations"), "Contains a CA bundle that can be used to verify"));
    assert_string_equal(cluster_text(cluster, &configmaps, "default", "kube-root-ca.crt", "metadata.labels.own"), "\"stays\"");
    /* the annotation alone counts, too, but its words are its owner's */
    cluster_patch(cluster, &configmaps, "default", "kube-root-ca.crt", "{'metadata':{'annotations':{'kubernetes.io/description':'mine'}}}");
    cluster_settle(cluster);
    assert_non_null(strstr(cluster_text(cluster, &configmaps, "default", "kube-root-ca.crt", "metadata.annotations"), "mine"));
}

static void an_account_that_was_refused_is_tried_again(void **state)
{
    struct cluster *cluster = *state;
    cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'full'}}");
    cluster_make(cluster, &quotas, "full", "{'metadata':{'name':'none'},'spec':{'hard':{'count/serviceaccounts':'0'}}}");
    UNTIL(cluster, strcmp(cluster_text(cluster, &quotas, "full", "none", "status.hard"), "") != 0);
    if (cluster_has(cluster, &accounts, "full", "default"))
        cluster_delete(cluster, &accounts, "full", "default", PROPAGATION_BACKGROUND);
    UNTIL(cluster, strcmp(cluster_text(cluster, &quotas, "full", "none", "status.used"), "{\"count/serviceaccounts\":\"0\"}") == 0);
    assert_false(cluster_has(cluster, &accounts, "full", "default"));
    cluster_patch(cluster, &quotas, "full", "none", "{'spec':{'hard':{'count/serviceaccounts':'5'}}}");
    UNTIL(cluster, cluster_has(cluster, &accounts, "full", "default"));
}

static void roles_are_gathered_and_thinned_again(void **state)
{
    struct cluster *cluster = *state;
    cluster_make(cluster, &clusterroles, "", "{'metadata':{'name':'sum'},'aggregationRule':{'clusterRoleSelectors':[{'matchLabels':{'part':'of-sum'}}]}}");
    cluster_make(cluster, &clusterroles, "", "{'metadata':{'name':'part-a','labels':{'part':'of-sum'}},'rules':[{'apiGroups':[''],'resources':['pods'],'verbs':['get']}]}");
    cluster_make(cluster, &clusterroles, "", "{'metadata':{'name':'part-b','labels':{'part':'of-sum'}},'rules':[{'apiGroups':[''],'resources':['secrets'],'verbs':['get']}]}");
    UNTIL(cluster, strcmp(cluster_text(cluster, &clusterroles, "", "sum", "rules"),
                          "[{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]},{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"secrets\"]}]") == 0);
    cluster_delete(cluster, &clusterroles, "", "part-a", PROPAGATION_BACKGROUND);
    UNTIL(cluster, strstr(cluster_text(cluster, &clusterroles, "", "sum", "rules"), "pods") == NULL);
    assert_non_null(strstr(cluster_text(cluster, &clusterroles, "", "sum", "rules"), "secrets"));
    cluster_patch(cluster, &clusterroles, "", "part-b", "{'metadata':{'labels':null}}");
    UNTIL(cluster, strstr(cluster_text(cluster, &clusterroles, "", "sum", "rules"), "secrets") == NULL);
}

static void a_quota_is_counted_after_deletes_and_changes(void **state)
{
    struct cluster *cluster = *state;
    cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'counted'}}");
    UNTIL(cluster, has_both(cluster, "counted"));
    cluster_make(cluster, &configmaps, "counted", "{'metadata':{'name':'a'}}");
    cluster_make(cluster, &services, "counted", "{'metadata':{'name':'s'},'spec':{'type':'NodePort','ports':[{'port':80}]}}");
    cluster_make(cluster, &pods, "counted", "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':'250m'}}}]}}");
    cluster_make(cluster, &quotas, "counted", "{'metadata':{'name':'q'},'spec':{'hard':{'configmaps':'5','services.nodeports':'2','pods':'3','requests.cpu':'2'}}}");
    UNTIL(cluster, strcmp(cluster_text(cluster, &quotas, "counted", "q", "status.used"), "{\"configmaps\":\"2\",\"pods\":\"1\",\"requests.cpu\":\"250m\",\"services.nodeports\":\"1\"}") == 0);
    assert_string_equal(cluster_text(cluster, &quotas, "counted", "q", "status.hard"), "{\"configmaps\":\"5\",\"pods\":\"3\",\"requests.cpu\":\"2\",\"services.nodeports\":\"2\"}");
    cluster_delete(cluster, &configmaps, "counted", "a", PROPAGATION_BACKGROUND);
    UNTIL(cluster, strcmp(cluster_text(cluster, &quotas, "counted", "q", "status.used.configmaps"), "\"1\"") == 0);
    cluster_patch(cluster, &services, "counted", "s", "{'spec':{'type':'ClusterIP'}}");
    UNTIL(cluster, strcmp(cluster_text(cluster, &quotas, "counted", "q", "status.used"), "{\"configmaps\":\"1\",\"pods\":\"1\",\"requests.cpu\":\"250m\",\"services.nodeports\":\"0\"}") == 0);
    serve_do(&cluster->world, "PATCH", "/api/v1/namespaces/counted/pods/p/status", "{\"status\":{\"phase\":\"Succeeded\"}}", 200); /* a pod that ended needs nothing */
    UNTIL(cluster, strcmp(cluster_text(cluster, &quotas, "counted", "q", "status.used.pods"), "\"0\"") == 0);
    cluster_patch(cluster, &quotas, "counted", "q", "{'spec':{'hard':{'pods':'7','secrets':'1'}}}");
    UNTIL(cluster, strcmp(cluster_text(cluster, &quotas, "counted", "q", "status.hard.pods"), "\"7\"") == 0);
    assert_string_equal(cluster_text(cluster, &quotas, "counted", "q", "status.used.secrets"), "\"0\"");
}

static void after_a_reset_everything_is_right_again(void **state)
{
    struct cluster *cluster = *state;
    cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'before'}}");
    UNTIL(cluster, has_both(cluster, "before"));
    for (int i = 0; i < 2; i++) {
        assert_true(server_reset(cluster->world.server, NULL));
        cluster_let_in(cluster);
        UNTIL(cluster, has_both(cluster, "default") && has_both(cluster, "kube-public"));
        assert_false(cluster_has(cluster, &namespaces_, "", "before"));
        cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'after'}}");
        UNTIL(cluster, has_both(cluster, "after"));
        const char *owner = cluster_make(cluster, &configmaps, "after", "{'metadata':{'name':'owner'}}");
        cluster_make(cluster, &configmaps, "after", "{'metadata':{'name':'owned','ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'owner','uid':'%s'}]}}", owner);
        cluster_make(cluster, &quotas, "after", "{'metadata':{'name':'q'},'spec':{'hard':{'configmaps':'5'}}}");
        cluster_settle(cluster);
        assert_true(cluster_has(cluster, &configmaps, "after", "owned"));
        cluster_delete(cluster, &configmaps, "after", "owner", PROPAGATION_BACKGROUND);
        UNTIL(cluster, !cluster_has(cluster, &configmaps, "after", "owned"));
        UNTIL(cluster, strcmp(cluster_text(cluster, &quotas, "after", "q", "status.used.configmaps"), "\"1\"") == 0);
        cluster_delete(cluster, &namespaces_, "", "after", PROPAGATION_BACKGROUND);
        UNTIL(cluster, !cluster_has(cluster, &namespaces_, "", "after"));
    }
}

static void on_saved(void *data, const struct error *err)
{
    assert_null(err);
    *(bool *)data = true;
}

/* A snapshot that was taken in the middle of everything, while no controller ran. */
static void save_half_done(struct cluster *cluster, const char *path)
{
    cluster_settle(cluster);
    cluster_stop(cluster);
    cluster_define(cluster);
    cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'going'}}");
    cluster_make(cluster, &configmaps, "going", "{'metadata':{'name':'a'}}");
    cluster_delete(cluster, &namespaces_, "", "going", PROPAGATION_BACKGROUND);
    cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'fresh'}}");
    const char *owner = cluster_make(cluster, &configmaps, "fresh", "{'metadata':{'name':'parent'}}");
    cluster_make(cluster, &secrets, "fresh", "{'metadata':{'name':'orphan','ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'parent','uid':'%s'}]}}", owner);
    cluster_make(cluster, &widgets, "fresh",
                 "{'apiVersion':'example.com/v1','kind':'Widget','metadata':{'name':'orphan','ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'parent','uid':'%s'}]}}", owner);
    cluster_make(cluster, &secrets, "fresh", "{'metadata':{'name':'lost','ownerReferences':[{'apiVersion':'v1','kind':'Secret','name':'x','uid':'11111111-2222-3333-4444-555555555555'}]}}");
    cluster_make(cluster, &quotas, "fresh", "{'metadata':{'name':'q'},'spec':{'hard':{'secrets':'5','count/widgets.example.com':'3'}}}");
    cluster_delete(cluster, &configmaps, "fresh", "parent", PROPAGATION_ORPHAN);
    bool done = false;
    assert_true(server_save(cluster->world.server, path, on_saved, &done, NULL));
    assert_true(loop_until(cluster->world.loop, &done, 30000));
    cluster_start(cluster);
}

static void after_a_load_everything_is_right_again(void **state)
{
    struct cluster *cluster = *state;
    char path[] = "/tmp/kt-controllers-XXXXXX";
    assert_non_null(mkdtemp(path));
    char file[64];
    snprintf(file, sizeof file, "%s/saved", path);
    assert_true(server_reset(cluster->world.server, NULL));
    cluster_let_in(cluster);
    save_half_done(cluster, file);
    for (int round = 0; round < 3; round++) {
        if (round != 1) { /* onto an empty cluster, onto itself, onto one without the custom kind */
            assert_true(server_reset(cluster->world.server, NULL));
            cluster_let_in(cluster);
        }
        cluster_settle(cluster);
        assert_true(server_load(cluster->world.server, file, NULL));
        UNTIL(cluster, !cluster_has(cluster, &namespaces_, "", "going") && !cluster_has(cluster, &configmaps, "fresh", "parent") && !cluster_has(cluster, &secrets, "fresh", "lost"));
        UNTIL(cluster, has_both(cluster, "fresh") && has_both(cluster, "default"));
        UNTIL(cluster, strcmp(cluster_text(cluster, &quotas, "fresh", "q", "status.used"), "{\"count/widgets.example.com\":\"1\",\"secrets\":\"1\"}") == 0);
        cluster_settle(cluster);
        assert_string_equal(cluster_text(cluster, &secrets, "fresh", "orphan", "metadata.ownerReferences"), "");
        assert_string_equal(cluster_text(cluster, &widgets, "fresh", "orphan", "metadata.ownerReferences"), "");
        assert_true(cluster_has(cluster, &secrets, "fresh", "orphan"));
        assert_true(cluster_has(cluster, &widgets, "fresh", "orphan"));
    }
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(path), 0);
}

static void with_nothing_to_do_nothing_wakes_up(void **state)
{
    struct cluster *cluster = *state;
    cluster_settle(cluster);
    int64_t from = clock_monotonic_ms();
    loop_once(cluster->world.loop, 2500);
    assert_true(clock_monotonic_ms() - from >= 2500);
}

int test_controllers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_nothing_to_do_nothing_wakes_up),
        cmocka_unit_test(every_namespace_has_an_account_and_the_root_ca_and_gets_them_back),
        cmocka_unit_test(the_root_ca_is_made_whole_again_after_an_edit),
        cmocka_unit_test(an_account_that_was_refused_is_tried_again),
        cmocka_unit_test(roles_are_gathered_and_thinned_again),
        cmocka_unit_test(a_quota_is_counted_after_deletes_and_changes),
        cmocka_unit_test(after_a_reset_everything_is_right_again),
        cmocka_unit_test(after_a_load_everything_is_right_again),
    };
    return cmocka_run_group_tests(tests, open_cluster, close_cluster);
}
