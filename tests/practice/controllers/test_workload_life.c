/* What becomes of workloads when something is in the way: failures, deletions, restarts, taints, other people's objects, many Pods, no memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


#include "base/mem.h"
#include "kubelet.h"
#include "practice/controllers/owned.h"

static const struct client_resource deployments = {"apps", "v1", "deployments"}, replicasets = {"apps", "v1", "replicasets"}, statefulsets = {"apps", "v1", "statefulsets"},
                                    daemonsets = {"apps", "v1", "daemonsets"}, nodes = {"", "v1", "nodes"}, claims = {"", "v1", "persistentvolumeclaims"};

#define TEMPLATE(image) "'selector':{'matchLabels':{'app':'web'}},'template':{'metadata':{'labels':{'app':'web'}},'spec':{'containers':[{'name':'c','image':'" image "'}]}}"

static bool is(struct cluster *cluster, const struct client_resource *resource, const char *path, const char *wanted)
{
    return strcmp(cluster_text(cluster, resource, "default", "web", path), wanted) == 0;
}

static const struct pod_view *next_pod(struct cluster *cluster, const struct pod_view *after)
{
    return pods_next_in(cluster->place.pods, "default", after);
}

static size_t count_pods(struct cluster *cluster)
{
    size_t count = 0;
    for (const struct pod_view *pod = NULL; (pod = next_pod(cluster, pod)) != NULL;)
        count++;
    return count;
}

static size_t count_objects(struct cluster *cluster, const char *group, const char *plural)
{
    struct got got;
    char path[128];
    snprintf(path, sizeof path, "/%s/namespaces/default/%s", group, plural);
    serve_ask(&cluster->world, "GET", path, "", NULL, &got);
    size_t count = value_length(value_get(got.json, "items"));
    got_free(&got);
    return count;
}

/* Events of a reason. */
static size_t count_events(struct cluster *cluster, const char *reason)
{
    struct got got;
    size_t count = 0;
    serve_ask(&cluster->world, "GET", "/api/v1/namespaces/default/events", "", NULL, &got);
    for (const struct value *event = value_first(value_get(got.json, "items")); event != NULL; event = value_next(event))
        count += strcmp(value_find_text(event, "reason", NULL), reason) == 0;
    got_free(&got);
    return count;
}

static void pass(struct cluster *cluster, int64_t ms)
{
    kubelet_pass(cluster, ms);
    cluster_settle(cluster);
}

/* ---- Deployments ---- */

static void a_deleted_deployment_takes_its_replicasets_and_pods_with_it(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &deployments, "default", "{'metadata':{'name':'web'},'spec':{'replicas':2," TEMPLATE("nginx") "}}");
    UNTIL(cluster, is(cluster, &deployments, "status.availableReplicas", "2"));
    cluster_delete(cluster, &deployments, "default", "web", PROPAGATION_BACKGROUND);
    UNTIL(cluster, count_pods(cluster) == 0 && count_objects(cluster, "apis/apps/v1", "replicasets") == 0);
    cluster_make(cluster, &deployments, "default", "{'metadata':{'name':'web'},'spec':{'replicas':2," TEMPLATE("nginx") "}}");
    UNTIL(cluster, is(cluster, &deployments, "status.availableReplicas", "2"));
    cluster_delete(cluster, &deployments, "default", "web", PROPAGATION_FOREGROUND);
    UNTIL(cluster, count_pods(cluster) == 0 && !cluster_has(cluster, &deployments, "default", "web"));
}

static void a_rollout_goes_on_where_the_controllers_were_stopped(void **state)
{
    struct busy_cluster *busy = *state;
    struct cluster *cluster = &busy->cluster;
    cluster_make(cluster, &deployments, "default", "{'metadata':{'name':'web'},'spec':{'replicas':4," TEMPLATE("nginx") "}}");
    UNTIL(cluster, is(cluster, &deployments, "status.availableReplicas", "4"));
    cluster_patch(cluster, &deployments, "default", "web", "{'spec':{'template':{'metadata':{'labels':{'more':'x'}}}}}");
    UNTIL(cluster, is(cluster, &deployments, "status.updatedReplicas", "1") || is(cluster, &deployments, "status.updatedReplicas", "2"));
    kubelet_stop(busy->kubelet);
    cluster_stop(cluster);
    cluster_start(cluster);
    busy->kubelet = kubelet_start(cluster);
    UNTIL(cluster, is(cluster, &deployments, "status.updatedReplicas", "4") && is(cluster, &deployments, "status.replicas", "4"));
    UNTIL(cluster, count_pods(cluster) == 4);
    cluster_settle(cluster);
    assert_int_equal(count_pods(cluster), 4);
    assert_true(is(cluster, &deployments, "status.availableReplicas", "4"));
}

static void a_quota_that_is_lifted_lets_the_rest_be_made(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &quotas, "default", "{'metadata':{'name':'one'},'spec':{'hard':{'pods':'1'}}}");
    UNTIL(cluster, strcmp(cluster_text(cluster, &quotas, "default", "one", "status.hard.pods"), "\"1\"") == 0);
    cluster_make(cluster, &deployments, "default", "{'metadata':{'name':'web'},'spec':{'replicas':3," TEMPLATE("nginx") "}}");
    UNTIL(cluster, strstr(cluster_text(cluster, &deployments, "default", "web", "status.conditions"), "ReplicaFailure") != NULL);
    assert_int_equal(count_pods(cluster), 1);
    cluster_delete(cluster, &quotas, "default", "one", PROPAGATION_BACKGROUND);
    pass(cluster, 60000);
    UNTIL(cluster, is(cluster, &deployments, "status.availableReplicas", "3"));
    UNTIL(cluster, strstr(cluster_text(cluster, &deployments, "default", "web", "status.conditions"), "ReplicaFailure") == NULL);
}

static void a_replicaset_of_somebody_else_with_the_name_makes_a_collision(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    char name[256] = "";
    cluster_make(cluster, &deployments, "default", "{'metadata':{'name':'web'},'spec':{'replicas':1," TEMPLATE("nginx") "}}");
    UNTIL(cluster, is(cluster, &deployments, "status.availableReplicas", "1"));
    snprintf(name, sizeof name, "%s", next_pod(cluster, NULL)->owner_name);
    cluster_delete(cluster, &deployments, "default", "web", PROPAGATION_BACKGROUND);
    UNTIL(cluster, count_pods(cluster) == 0 && !cluster_has(cluster, &replicasets, "default", name));
    cluster_make(cluster, &replicasets, "default",
                 "{'metadata':{'name':'%s'},'spec':{'replicas':0,'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c',"
                 "'image':'nginx'}]}}}}",
                 name);
    cluster_make(cluster, &deployments, "default", "{'metadata':{'name':'web'},'spec':{'replicas':1," TEMPLATE("nginx") "}}");
    UNTIL(cluster, is(cluster, &deployments, "status.availableReplicas", "1"));
    assert_true(is(cluster, &deployments, "status.collisionCount", "1"));
    assert_string_not_equal(next_pod(cluster, NULL)->owner_name, name);
}

/* ---- ReplicaSets ---- */

static void the_pod_that_costs_least_goes_first(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    char cheap[256], dear[256];
    cluster_make(cluster, &replicasets, "default", "{'metadata':{'name':'web'},'spec':{'replicas':4," TEMPLATE("nginx") "}}");
    UNTIL(cluster, is(cluster, &replicasets, "status.availableReplicas", "4"));
    const struct pod_view *pod = next_pod(cluster, next_pod(cluster, NULL));
    snprintf(cheap, sizeof cheap, "%s", pod->object->name);
    snprintf(dear, sizeof dear, "%s", next_pod(cluster, pod)->object->name);
    cluster_patch(cluster, &pods, "default", cheap, "{'metadata':{'annotations':{'controller.kubernetes.io/pod-deletion-cost':'-3'}}}");
    cluster_patch(cluster, &pods, "default", dear, "{'metadata':{'annotations':{'controller.kubernetes.io/pod-deletion-cost':'7'}}}");
    cluster_settle(cluster);
    cluster_patch(cluster, &replicasets, "default", "web", "{'spec':{'replicas':3}}");
    UNTIL(cluster, count_pods(cluster) == 3);
    assert_false(cluster_has(cluster, &pods, "default", cheap));
    cluster_patch(cluster, &replicasets, "default", "web", "{'spec':{'replicas':1}}");
    UNTIL(cluster, count_pods(cluster) == 1);
    assert_true(cluster_has(cluster, &pods, "default", dear));
}

static void a_pod_that_goes_is_replaced_before_it_is_gone(void **state)
{
    struct busy_cluster *busy = *state;
    struct cluster *cluster = &busy->cluster;
    cluster_make(cluster, &replicasets, "default", "{'metadata':{'name':'web'},'spec':{'replicas':2," TEMPLATE("nginx") "}}");
    UNTIL(cluster, is(cluster, &replicasets, "status.availableReplicas", "2"));
    kubelet_hold(busy->kubelet, true);
    cluster_delete(cluster, &pods, "default", next_pod(cluster, NULL)->object->name, PROPAGATION_BACKGROUND);
    UNTIL(cluster, is(cluster, &replicasets, "status.terminatingReplicas", "1") && is(cluster, &replicasets, "status.availableReplicas", "2"));
    assert_int_equal(count_pods(cluster), 3);
    kubelet_hold(busy->kubelet, false);
    UNTIL(cluster, is(cluster, &replicasets, "status.terminatingReplicas", "0") && count_pods(cluster) == 2);
}

/* Each look goes over all Pods, and each status is a version: there may be far fewer of either than Pods. */
static void many_pods_are_made_in_a_few_looks(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &replicasets, "default", "{'metadata':{'name':'web'},'spec':{'replicas':1200," TEMPLATE("nginx") "}}");
    struct line *watch = watch_open(&cluster->world, "/apis/apps/v1/namespaces/default/replicasets?watch=1", 0);
    UNTIL(cluster, is(cluster, &replicasets, "status.availableReplicas", "1200"));
    size_t versions = 0;
    for (bool done = false; !done; versions++) {
        struct value *event = watch_event(watch);
        done = value_find_int(event, 0, "object", "status", "availableReplicas", NULL) == 1200;
        value_free(event);
    }
    line_close(watch);
    assert_true(versions < 300);
    assert_int_equal(count_pods(cluster), 1200);
    cluster_patch(cluster, &replicasets, "default", "web", "{'spec':{'replicas':0}}");
    UNTIL(cluster, count_pods(cluster) == 0 && is(cluster, &replicasets, "status.replicas", "0"));
}

/* ---- StatefulSets ---- */

static void a_failed_pod_of_a_statefulset_comes_back_under_its_name(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &statefulsets, "default", "{'metadata':{'name':'web'},'spec':{'replicas':2,'serviceName':'web'," TEMPLATE("nginx") "}}");
    UNTIL(cluster, is(cluster, &statefulsets, "status.availableReplicas", "2"));
    char *uid = mem_string(cluster_text(cluster, &pods, "default", "web-0", "metadata.uid"));
    struct error err = ERROR_INIT;
    struct value *phase = value_object();
    assert_true(value_set(value_child(phase, "status"), "phase", value_string("Failed")));
    value_free(client_patch(cluster->client, &pods, "status", "default", "web-0", PATCH_MERGE, phase, &err));
    assert_int_equal(err.kind, ERROR_NONE);
    UNTIL(cluster, cluster_has(cluster, &pods, "default", "web-0") && strcmp(cluster_text(cluster, &pods, "default", "web-0", "metadata.uid"), uid) != 0);
    UNTIL(cluster, is(cluster, &statefulsets, "status.availableReplicas", "2"));
    mem_free(uid);
}

static void claims_go_with_the_pods_that_a_smaller_set_does_not_have(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &statefulsets, "default",
                 "{'metadata':{'name':'web'},'spec':{'replicas':2,'serviceName':'web','podManagementPolicy':'Parallel','persistentVolumeClaimRetentionPolicy':{'whenDeleted':'Retain',"
                 "'whenScaled':'Delete'},'volumeClaimTemplates':[{'metadata':{'name':'www'},'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}]," TEMPLATE(
                     "nginx") "}}");
    UNTIL(cluster, count_pods(cluster) == 2 && cluster_has(cluster, &claims, "default", "www-web-1"));
    assert_string_equal(cluster_text(cluster, &claims, "default", "www-web-1", "metadata.ownerReferences"), "");
    cluster_patch(cluster, &statefulsets, "default", "web", "{'spec':{'replicas':1}}");
    UNTIL(cluster, count_pods(cluster) == 1 && strcmp(cluster_text(cluster, &claims, "default", "www-web-1", "metadata.finalizers"), "") != 0);
    /* the claim's own finalizer is another controller's: here it goes by hand */
    if (cluster_has(cluster, &claims, "default", "www-web-1"))
        cluster_patch(cluster, &claims, "default", "www-web-1", "{'metadata':{'finalizers':null}}");
    UNTIL(cluster, !cluster_has(cluster, &claims, "default", "www-web-1"));
    assert_true(cluster_has(cluster, &claims, "default", "www-web-0"));
    cluster_patch(cluster, &statefulsets, "default", "web", "{'spec':{'replicas':2}}");
    UNTIL(cluster, count_pods(cluster) == 2 && cluster_has(cluster, &claims, "default", "www-web-1"));
}

static void a_pod_with_a_name_of_the_sets_is_taken_and_others_are_left_alone(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &pods, "default", "{'metadata':{'name':'web-0','labels':{'app':'web'}},'spec':{'containers':[{'name':'c','image':'nginx'}]}}");
    cluster_make(cluster, &pods, "default", "{'metadata':{'name':'other','labels':{'app':'web'}},'spec':{'containers':[{'name':'c','image':'nginx'}]}}");
    cluster_make(cluster, &statefulsets, "default", "{'metadata':{'name':'web'},'spec':{'replicas':1,'serviceName':'web'," TEMPLATE("nginx") "}}");
    UNTIL(cluster, strstr(cluster_text(cluster, &pods, "default", "web-0", "metadata.ownerReferences"), "StatefulSet") != NULL);
    UNTIL(cluster, is(cluster, &statefulsets, "status.availableReplicas", "1"));
    assert_string_equal(cluster_text(cluster, &pods, "default", "other", "metadata.ownerReferences"), "");
}

/* ---- DaemonSets ---- */

/* A new node has a taint until it is ready. */
static void make_node(struct cluster *cluster, const char *name, const char *taints)
{
    cluster_make(cluster, &nodes, "", "{'metadata':{'name':'%s','labels':{'disk':'ssd'}}}", name);
    cluster_patch(cluster, &nodes, "", name, "{'spec':{'taints':%s}}", taints);
}

static void daemons_follow_nodes_labels_and_taints(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    make_node(cluster, "node2", "null");
    cluster_make(cluster, &daemonsets, "default",
                 "{'metadata':{'name':'web'},'spec':{'selector':{'matchLabels':{'app':'web'}},'template':{'metadata':{'labels':{'app':'web'}},'spec':{'nodeSelector':{'disk':'ssd'},"
                 "'containers':[{'name':'c','image':'missing'}]}}}}");
    UNTIL(cluster, is(cluster, &daemonsets, "status.currentNumberScheduled", "1"));
    make_node(cluster, "node3", "null");
    UNTIL(cluster, is(cluster, &daemonsets, "status.currentNumberScheduled", "2"));
    cluster_patch(cluster, &nodes, "", "node3", "{'spec':{'taints':[{'key':'a','effect':'NoSchedule'}]}}");
    make_node(cluster, "node4", "[{'key':'a','value':'b','effect':'NoSchedule'}]");
    UNTIL(cluster, is(cluster, &daemonsets, "status.numberMisscheduled", "1"));
    assert_true(is(cluster, &daemonsets, "status.desiredNumberScheduled", "1"));
    assert_int_equal(count_pods(cluster), 2);
    cluster_patch(cluster, &nodes, "", "node3", "{'spec':{'taints':[{'key':'a','effect':'NoExecute'}]}}");
    UNTIL(cluster, is(cluster, &daemonsets, "status.numberMisscheduled", "0") && count_pods(cluster) == 1);
    cluster_patch(cluster, &nodes, "", "node2", "{'metadata':{'labels':{'disk':null}}}");
    UNTIL(cluster, is(cluster, &daemonsets, "status.desiredNumberScheduled", "0") && count_pods(cluster) == 0);
}

static void a_daemon_that_fails_is_replaced_more_and_more_slowly(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &daemonsets, "default", "{'metadata':{'name':'web'},'spec':{" TEMPLATE("failing") "}}");
    UNTIL(cluster, count_events(cluster, "FailedDaemonPod") > 0);
    pass(cluster, 60000);
    uint64_t replaced = count_events(cluster, "SuccessfulCreate"); /* at 0, 1, 3, 7, 15, 31 s and so on; those of other names are other events until they are put together */
    assert_in_range(replaced, 4, 12);
}

/* ---- */

static void without_memory_everything_is_done_a_little_later(void **state)
{
    struct cluster *cluster = &((struct busy_cluster *)*state)->cluster;
    cluster_make(cluster, &deployments, "default", "{'metadata':{'name':'web'},'spec':{'replicas':2," TEMPLATE("nginx") "}}");
    cluster_make(cluster, &statefulsets, "default",
                 "{'metadata':{'name':'web'},'spec':{'replicas':1,'serviceName':'web','selector':{'matchLabels':{'app':'s'}},'template':{'metadata':{'labels':{'app':'s'}},'spec':{"
                 "'containers':[{'name':'c','image':'nginx'}]}}}}");
    cluster_make(cluster, &daemonsets, "default",
                 "{'metadata':{'name':'web'},'spec':{'selector':{'matchLabels':{'app':'d'}},'template':{'metadata':{'labels':{'app':'d'}},'spec':{'containers':[{'name':'c',"
                 "'image':'nginx'}]}}}}");
    int round = 0;
    for (int nth = 1; nth < 40000; nth += 1 + nth / 5, round++) {
        static const struct client_resource *const all[] = {&deployments, &statefulsets, &daemonsets};
        for (int i = 0; i < 3; i++)
            cluster_patch(cluster, all[i], "default", "web", "{'spec':{'template':{'metadata':{'annotations':{'round':'%d'}}}}}", round);
        UNTIL(cluster, state_is_clean(cluster->place.api->state)); /* what could not be kept would be undone */
        mem_fail_at(nth);
        for (int i = 0; i < 30; i++)
            loop_once(cluster->world.loop, 1);
        mem_fail_at(0);
        pass(cluster, 2000);
        UNTIL(cluster, is(cluster, &deployments, "status.updatedReplicas", "2") && is(cluster, &deployments, "status.availableReplicas", "2") && is(cluster, &deployments, "status.replicas", "2"));
        UNTIL(cluster, is(cluster, &statefulsets, "status.updatedReplicas", "1") && is(cluster, &statefulsets, "status.availableReplicas", "1"));
        UNTIL(cluster, is(cluster, &daemonsets, "status.updatedNumberScheduled", "1") && is(cluster, &daemonsets, "status.numberAvailable", "1"));
    }
    UNTIL(cluster, count_pods(cluster) == 4);
}

#define BUSY(test) cmocka_unit_test_setup_teardown(test, busy_cluster_open, busy_cluster_close)

int test_workload_life(void)
{
    const struct CMUnitTest tests[] = {
        BUSY(a_deleted_deployment_takes_its_replicasets_and_pods_with_it),
        BUSY(a_rollout_goes_on_where_the_controllers_were_stopped),
        BUSY(a_quota_that_is_lifted_lets_the_rest_be_made),
        BUSY(a_replicaset_of_somebody_else_with_the_name_makes_a_collision),
        BUSY(the_pod_that_costs_least_goes_first),
        BUSY(a_pod_that_goes_is_replaced_before_it_is_gone),
        BUSY(many_pods_are_made_in_a_few_looks),
        BUSY(a_failed_pod_of_a_statefulset_comes_back_under_its_name),
        BUSY(claims_go_with_the_pods_that_a_smaller_set_does_not_have),
        BUSY(a_pod_with_a_name_of_the_sets_is_taken_and_others_are_left_alone),
        BUSY(daemons_follow_nodes_labels_and_taints),
        BUSY(a_daemon_that_fails_is_replaced_more_and_more_slowly),
        BUSY(without_memory_everything_is_done_a_little_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
