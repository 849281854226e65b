/* A namespace that is deleted is emptied and let go; it says in the real words what keeps it. */
#include <string.h>

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

static void an_emptied_namespace_goes(void **state)
{
    struct cluster *cluster = *state;
    cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'plain'}}");
    cluster_make(cluster, &configmaps, "plain", "{'metadata':{'name':'a'}}");
    cluster_make(cluster, &secrets, "plain", "{'metadata':{'name':'a'}}");
    cluster_make(cluster, &configmaps, "default", "{'metadata':{'name':'elsewhere'}}");
    cluster_delete(cluster, &namespaces_, "", "plain", PROPAGATION_BACKGROUND);
    assert_string_equal(cluster_text(cluster, &namespaces_, "", "plain", "status.phase"), "\"Terminating\"");
    UNTIL(cluster, !cluster_has(cluster, &namespaces_, "", "plain"));
    assert_false(cluster_has(cluster, &configmaps, "plain", "a"));
    assert_false(cluster_has(cluster, &configmaps, "plain", "kube-root-ca.crt"));
    assert_true(cluster_has(cluster, &configmaps, "default", "elsewhere"));
}

static void a_thousand_objects_go_with_it(void **state)
{
    struct cluster *cluster = *state;
    cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'many'}}");
    for (int i = 0; i < 1000; i++)
        cluster_make(cluster, &configmaps, "many", "{'metadata':{'name':'c%d'}}", i);
    cluster_delete(cluster, &namespaces_, "", "many", PROPAGATION_BACKGROUND);
    UNTIL(cluster, !cluster_has(cluster, &namespaces_, "", "many"));
    assert_false(cluster_has(cluster, &configmaps, "many", "c999"));
}

/* The condition's status, reason and message, one after the other. */
static bool condition_is(struct cluster *cluster, const char *ns, const char *type, const char *status, const char *reason, const char *message)
{
    struct value *object = client_get(cluster->client, &namespaces_, "", ns, NULL);
    bool is = false;
    for (const struct value *entry = value_first(value_find(object, "status", "conditions", NULL)); entry != NULL; entry = value_next(entry))
        is = is || (strcmp(value_find_text(entry, "type", NULL), type) == 0 && strcmp(value_find_text(entry, "status", NULL), status) == 0 &&
                    strcmp(value_find_text(entry, "reason", NULL), reason) == 0 && strcmp(value_find_text(entry, "message", NULL), message) == 0);
    value_free(object);
    return is;
}

static void what_keeps_it_is_told_in_conditions(void **state)
{
    struct cluster *cluster = *state;
    cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'held'}}");
    cluster_make(cluster, &configmaps, "held", "{'metadata':{'name':'a','finalizers':['example.com/one','example.com/two']}}");
    cluster_make(cluster, &configmaps, "held", "{'metadata':{'name':'b','finalizers':['example.com/one']}}");
    cluster_make(cluster, &secrets, "held", "{'metadata':{'name':'c','finalizers':['example.com/two']}}");
    cluster_delete(cluster, &namespaces_, "", "held", PROPAGATION_BACKGROUND);
    UNTIL(cluster, condition_is(cluster, "held", "NamespaceContentRemaining", "True", "SomeResourcesRemain",
                                "Some resources are remaining: configmaps. has 2 resource instances, secrets. has 1 resource instances"));
    assert_true(condition_is(cluster, "held", "NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain",
                             "Some content in the namespace has finalizers remaining: example.com/one in 2 resource instances, example.com/two in 2 resource instances"));
    assert_true(condition_is(cluster, "held", "NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered", "All resources successfully discovered"));
    assert_true(condition_is(cluster, "held", "NamespaceDeletionGroupVersionParsingFailure", "False", "ParsedGroupVersions", "All legacy kube types successfully parsed"));
    assert_true(condition_is(cluster, "held", "NamespaceDeletionContentFailure", "False", "ContentDeleted", "All content successfully deleted, may be waiting on finalization"));
    const char *version = cluster_text(cluster, &namespaces_, "", "held", "metadata.resourceVersion");
    for (int64_t end = clock_monotonic_ms() + 1500; clock_monotonic_ms() < end;) /* it looks again, and has nothing new to say */
        loop_once(cluster->world.loop, 100);
    assert_string_equal(cluster_text(cluster, &namespaces_, "", "held", "metadata.resourceVersion"), version);
    cluster_patch(cluster, &configmaps, "held", "a", "{'metadata':{'finalizers':null}}");
    cluster_patch(cluster, &configmaps, "held", "b", "{'metadata':{'finalizers':null}}");
    UNTIL(cluster, condition_is(cluster, "held", "NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain",
                                "Some content in the namespace has finalizers remaining: example.com/two in 1 resource instances"));
    assert_false(cluster_has(cluster, &configmaps, "held", "a"));
    cluster_patch(cluster, &secrets, "held", "c", "{'metadata':{'finalizers':null}}");
    UNTIL(cluster, !cluster_has(cluster, &namespaces_, "", "held"));
}

static void pods_go_first(void **state)
{
    struct cluster *cluster = *state;
    cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'podded'}}");
    cluster_make(cluster, &configmaps, "podded", "{'metadata':{'name':'read-by-pod'}}");
    UNTIL(cluster, cluster_has(cluster, &accounts, "podded", "default"));
    cluster_make(cluster, &pods, "podded", "{'metadata':{'name':'p','finalizers':['example.com/one']},'spec':{'containers':[{'name':'c','image':'i'}]}}");
    cluster_delete(cluster, &namespaces_, "", "podded", PROPAGATION_BACKGROUND);
    UNTIL(cluster, strstr(cluster_text(cluster, &namespaces_, "", "podded", "status.conditions"), "NamespaceContentRemaining") != NULL);
    assert_true(cluster_has(cluster, &configmaps, "podded", "read-by-pod"));
    assert_true(condition_is(cluster, "podded", "NamespaceContentRemaining", "False", "ContentRemoved", "All content successfully removed")); /* as the real one says */
    cluster_patch(cluster, &pods, "podded", "p", "{'metadata':{'finalizers':null}}");
    UNTIL(cluster, !cluster_has(cluster, &namespaces_, "", "podded"));
}

static void a_finalizer_of_the_namespace_itself_keeps_it_after_its_content(void **state)
{
    struct cluster *cluster = *state;
    cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'own','finalizers':['example.com/own']}}");
    cluster_make(cluster, &configmaps, "own", "{'metadata':{'name':'a'}}");
    cluster_delete(cluster, &namespaces_, "", "own", PROPAGATION_BACKGROUND);
    UNTIL(cluster, strcmp(cluster_text(cluster, &namespaces_, "", "own", "spec.finalizers.0"), "") == 0 && !cluster_has(cluster, &configmaps, "own", "a"));
    cluster_settle(cluster);
    assert_true(cluster_has(cluster, &namespaces_, "", "own"));
    cluster_patch(cluster, &namespaces_, "", "own", "{'metadata':{'finalizers':null}}");
    UNTIL(cluster, !cluster_has(cluster, &namespaces_, "", "own"));
}

static void one_that_was_being_deleted_before_the_controllers_ran_goes(void **state)
{
    struct cluster *cluster = *state;
    cluster_stop(cluster);
    cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'early'}}");
    cluster_make(cluster, &configmaps, "early", "{'metadata':{'name':'a'}}");
    cluster_delete(cluster, &namespaces_, "", "early", PROPAGATION_BACKGROUND);
    cluster_start(cluster);
    UNTIL(cluster, !cluster_has(cluster, &namespaces_, "", "early"));
}

static void custom_objects_go_with_it_too(void **state)
{
    struct cluster *cluster = *state;
    cluster_define(cluster);
    cluster_make(cluster, &namespaces_, "", "{'metadata':{'name':'custom'}}");
    cluster_make(cluster, &widgets, "custom", "{'apiVersion':'example.com/v1','kind':'Widget','metadata':{'name':'w','finalizers':['example.com/x']}}");
    cluster_delete(cluster, &namespaces_, "", "custom", PROPAGATION_BACKGROUND);
    UNTIL(cluster, condition_is(cluster, "custom", "NamespaceContentRemaining", "True", "SomeResourcesRemain", "Some resources are remaining: widgets.example.com has 1 resource instances"));
    cluster_patch(cluster, &widgets, "custom", "w", "{'metadata':{'finalizers':null}}");
    UNTIL(cluster, !cluster_has(cluster, &namespaces_, "", "custom"));
    cluster_delete(cluster, &definitions, "", "widgets.example.com", PROPAGATION_BACKGROUND);
}

int test_namespaces(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_emptied_namespace_goes),
        cmocka_unit_test(a_thousand_objects_go_with_it),
        cmocka_unit_test(what_keeps_it_is_told_in_conditions),
        cmocka_unit_test(pods_go_first),
        cmocka_unit_test(a_finalizer_of_the_namespace_itself_keeps_it_after_its_content),
        cmocka_unit_test(one_that_was_being_deleted_before_the_controllers_ran_goes),
        cmocka_unit_test(custom_objects_go_with_it_too),
    };
    return cmocka_run_group_tests(tests, open_cluster, close_cluster);
}
