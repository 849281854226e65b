/* The parts of the workload controllers by themselves: shares, conditions, which Pod goes first, which node fits, the hashes of revisions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/controllers/daemonset.h"
#include "practice/controllers/replicaset.h"
#include "practice/controllers/statefulset.h"
#include "practice/controllers/workload.h"

/* JSON with ' for ". */
static struct value *parse(const char *text)
{
    char copy[4096];
    struct error err = ERROR_INIT;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *at = copy; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    struct value *value = json_parse(copy, strlen(copy), "test", &err);
    if (value == NULL)
        fail_msg("%s: %s", text, err.message);
    return value;
}

static void shares_are_rounded_as_asked(void **state)
{
    static const struct {
        const char *share;
        int32_t total, up, down;
    } cases[] = {{"2", 10, 2, 2}, {"'25%'", 10, 3, 2}, {"'25%'", 3, 1, 0}, {"'0%'", 7, 0, 0}, {"'100%'", 7, 7, 7}, {"'x%'", 7, 0, 0}, {"'5'", 7, 0, 0}, {"null", 7, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct value *share = parse(cases[i].share);
        assert_int_equal(workload_share(share, cases[i].total, true), cases[i].up);
        assert_int_equal(workload_share(share, cases[i].total, false), cases[i].down);
        value_free(share);
    }
    assert_int_equal(workload_share(NULL, 5, true), 0);
}

static void a_condition_keeps_its_time_while_its_status_stays(void **state)
{
    (void)state;
    struct value *status = value_object();
    struct condition first = {"Available", "False", "A", "one", 0}, second = {"Available", "False", "B", "two", 0}, third = {"Available", "True", "B", "three", 0};
    struct condition other = {"Progressing", "True", "P", "", 0};
    assert_true(condition_put(status, &first, true, 1000) && condition_put(status, &other, true, 1000) && condition_put(status, &second, true, 61000));
    struct value *condition = condition_find(status, "Available");
    assert_string_equal(value_find_text(condition, "lastTransitionTime", NULL), "1970-01-01T00:00:01Z");
    assert_string_equal(value_find_text(condition, "lastUpdateTime", NULL), "1970-01-01T00:01:01Z");
    assert_null(value_next(condition)); /* it went to the end */
    assert_true(condition_put(status, &third, true, 121000));
    assert_string_equal(value_find_text(condition_find(status, "Available"), "lastTransitionTime", NULL), "1970-01-01T00:02:01Z");
    struct condition same = {"Available", "True", "B", "not looked at", 0};
    assert_true(condition_put(status, &same, true, 500000));
    assert_string_equal(value_find_text(condition_find(status, "Available"), "message", NULL), "three");
    condition_drop(status, "Available");
    condition_drop(status, "Progressing");
    assert_null(value_get(status, "conditions"));
    value_free(status);
}

static void templates_are_the_same_but_for_their_hash(void **state)
{
    (void)state;
    struct value *a = parse("{'metadata':{'labels':{'a':'b','pod-template-hash':'x'}},'spec':{'n':1}}"), *b = parse("{'metadata':{'labels':{'a':'b'},'annotations':{}},'spec':{'n':1}}"),
                 *c = parse("{'metadata':{'labels':{'a':'b','c':'d'}},'spec':{'n':1}}"), *d = parse("{'metadata':{'labels':{'a':'b'},'annotations':{'x':'y'}},'spec':{'n':1}}");
    assert_true(workload_same_template(a, b, "pod-template-hash"));
    assert_false(workload_same_template(a, c, "pod-template-hash"));
    assert_false(workload_same_template(c, a, "pod-template-hash"));
    assert_false(workload_same_template(a, d, "pod-template-hash"));
    assert_false(workload_same_template(d, a, "pod-template-hash"));
    value_free(a);
    value_free(b);
    value_free(c);
    value_free(d);
}

/* ---- which Pod goes first ---- */

static size_t family(const void *data, const char *node)
{
    (void)data;
    return strcmp(node, "crowded") == 0 ? 3 : 1;
}

static void pods_go_in_the_order_of_their_worth(void **state)
{
    enum { NOW = 1000000000 };
    static const struct object objects[] = {{.uid = "a", .text = ""}, {.uid = "b", .text = ""}, {.uid = "c", .text = ""}, {.uid = "d", .text = ""}, {.uid = "e", .text = ""},
                                            {.uid = "f", .text = ""}, {.uid = "g", .text = ""}, {.uid = "h", .text = ""}};
    const struct pod_view wanted[] = {
        {.object = &objects[0], .node = "", .phase = POD_PENDING, .created_ms = NOW - 90000},                                      /* has no node */
        {.object = &objects[1], .node = "n", .phase = POD_PENDING, .created_ms = NOW - 90000},                                     /* does not run */
        {.object = &objects[2], .node = "n", .phase = POD_RUNNING, .created_ms = NOW - 90000},                                     /* is not ready */
        {.object = &objects[3], .node = "crowded", .phase = POD_RUNNING, .ready = true, .ready_ms = NOW - 900000, .created_ms = NOW - 900000}, /* has others beside it */
        {.object = &objects[4], .node = "n", .phase = POD_RUNNING, .ready = true, .ready_ms = NOW - 1000, .created_ms = NOW - 900000},         /* became ready last */
        {.object = &objects[5], .node = "n", .phase = POD_RUNNING, .ready = true, .ready_ms = NOW - 800000, .created_ms = NOW - 900000},
        {.object = &objects[6], .node = "n", .phase = POD_RUNNING, .ready = true, .ready_ms = NOW - 830000, .created_ms = NOW - 900000}, /* of like age, by uid */
        {.object = &objects[7], .node = "n", .phase = POD_RUNNING, .ready = true, .ready_ms = NOW - 80000000, .created_ms = NOW - 80000000},
    };
    enum { COUNT = sizeof wanted / sizeof *wanted };
    const struct pod_view *list[COUNT];
    (void)state;
    for (size_t shift = 0; shift < COUNT; shift++) {
        for (size_t i = 0; i < COUNT; i++)
            list[(i * 5 + shift) % COUNT] = &wanted[i];
        assert_true(replicas_rank(NULL, list, COUNT, family, NULL, NOW));
        for (size_t i = 0; i < COUNT; i++)
            assert_ptr_equal(list[i], &wanted[i]);
    }
}

/* ---- which node fits ---- */

static void nodes_fit_by_name_labels_affinity_and_taints(void **state)
{
    static const char labels[] = "cores\0"
                                 "8\0"
                                 "zone\0"
                                 "a\0";
#define REQUIRED(terms) "{'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[" terms "]}}}}"
    static const struct {
        const char *spec, *taints;
        bool runs, stays;
    } cases[] = {
        {"{}", NULL, true, true},
        {"{'nodeName':'n1'}", NULL, true, true},
        {"{'nodeName':'n2'}", NULL, false, false},
        {"{'nodeSelector':{'zone':'a'}}", NULL, true, true},
        {"{'nodeSelector':{'zone':'a','cores':'9'}}", NULL, false, false},
        {REQUIRED("{'matchExpressions':[{'key':'zone','operator':'In','values':['b','a']},{'key':'cores','operator':'Gt','values':['7']}]}"), NULL, true, true},
        {REQUIRED("{'matchExpressions':[{'key':'cores','operator':'Lt','values':['8']}]}"), NULL, false, false},
        {REQUIRED("{'matchExpressions':[{'key':'zone','operator':'NotIn','values':['a']}]},{'matchExpressions':[{'key':'none','operator':'DoesNotExist'}]}"), NULL, true, true},
        {REQUIRED("{'matchExpressions':[{'key':'none','operator':'NotIn','values':['a']},{'key':'zone','operator':'Exists'}]}"), NULL, true, true},
        {REQUIRED("{'matchFields':[{'key':'metadata.name','operator':'In','values':['n1']}]}"), NULL, true, true},
        {REQUIRED("{'matchFields':[{'key':'metadata.name','operator':'In','values':['n2']}]}"), NULL, false, false},
        {REQUIRED("{}"), NULL, false, false},
        {"{}", "[{'key':'k','effect':'PreferNoSchedule'}]", true, true},
        {"{}", "[{'key':'k','value':'v','effect':'NoSchedule'}]", false, true},
        {"{}", "[{'key':'k','value':'v','effect':'NoExecute'}]", false, false},
        {"{'tolerations':[{'key':'k','value':'v','effect':'NoExecute'}]}", "[{'key':'k','value':'v','effect':'NoExecute'}]", true, true},
        {"{'tolerations':[{'key':'k','operator':'Equal','value':'w'}]}", "[{'key':'k','value':'v','effect':'NoExecute'}]", false, false},
        {"{'tolerations':[{'key':'k','operator':'Exists'}]}", "[{'key':'k','value':'v','effect':'NoSchedule'}]", true, true},
        {"{'tolerations':[{'operator':'Exists','effect':'NoSchedule'}]}", "[{'key':'k','effect':'NoSchedule'},{'key':'l','effect':'NoExecute'}]", false, false},
        {"{'tolerations':[{'operator':'Exists'}]}", "[{'key':'k','effect':'NoSchedule'},{'key':'l','effect':'NoExecute'}]", true, true},
    };
    const struct object node = {.ns = "", .name = "n1", .labels = labels};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct daemonsets controller = {.taints = map_make(10, NULL)};
        struct value *template = value_object(), *taints = cases[i].taints != NULL ? parse(cases[i].taints) : NULL;
        assert_true(value_set(template, "spec", parse(cases[i].spec)));
        if (taints != NULL)
            assert_true(map_set(&controller.taints, "n1", taints));
        struct spread spread = {.controller = &controller, .template = template, .tolerations = value_find(template, "spec", "tolerations", NULL)};
        struct ground ground = {.node = &node, .name = "n1"};
        ground_judge(&spread, &ground);
        if (ground.runs != cases[i].runs || ground.stays != cases[i].stays)
            fail_msg("%s with %s: %d %d", cases[i].spec, cases[i].taints != NULL ? cases[i].taints : "no taints", ground.runs, ground.stays);
        map_free(&controller.taints);
        value_free(taints);
        value_free(template);
    }
}

static void a_daemon_is_aimed_at_its_node(void **state)
{
    (void)state;
    struct value *pod = parse("{'spec':{'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchExpressions':[]}]}},'podAffinity':{}}}}");
    assert_null(daemon_target(pod));
    assert_true(daemon_aim(value_get(pod, "spec"), "n7"));
    assert_string_equal(daemon_target(pod), "n7");
    assert_non_null(value_find(pod, "spec", "affinity", "podAffinity", NULL));
    value_free(pod);
}

/* ---- names ---- */

static void revisions_have_the_hashes_of_the_real_ones(void **state)
{
    /* a real StatefulSet's, whose revision was web-7fbfc4677c */
    static const char text[] =
        "{'metadata':{'labels':{'app':'web'},'annotations':{'a':'<b>&'}},'spec':{'containers':[{'name':'c','image':'registry.k8s.io/pause:3.10','command':['sh','-c','a && b > c'],"
        "'resources':{'requests':{'cpu':'100m'}},'terminationMessagePath':'/dev/termination-log','terminationMessagePolicy':'File','imagePullPolicy':'IfNotPresent'}],"
        "'restartPolicy':'Always','terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst','securityContext':{},'schedulerName':'default-scheduler'}}";
    char hash[REVISION_HASH];
    (void)state;
    struct value *template = parse(text), *data = revision_data(template);
    assert_true(revision_hash(data, 0, hash));
    assert_string_equal(hash, "7fbfc4677c");
    assert_true(revision_hash(data, 1, hash));
    assert_string_not_equal(hash, "7fbfc4677c");
    struct value *revision = value_object();
    assert_true(value_set(revision, "data", data));
    struct value *again = revision_template(revision);
    assert_true(value_equal(again, template));
    value_free(again);
    value_free(revision);
    value_free(template);
}

static void ordinals_are_read_off_names(void **state)
{
    (void)state;
    assert_int_equal(member_ordinal("web", "web-0"), 0);
    assert_int_equal(member_ordinal("web", "web-12"), 12);
    assert_int_equal(member_ordinal("web-1", "web-1-3"), 3);
    assert_int_equal(member_ordinal("web", "web-1-3"), -1);
    assert_int_equal(member_ordinal("web", "web-"), -1);
    assert_int_equal(member_ordinal("web", "web-x"), -1);
    assert_int_equal(member_ordinal("web", "webb-1"), -1);
    assert_int_equal(member_ordinal("web", "web-99999999999"), -1);
}

int test_workload_parts(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_rounded_as_asked),
        cmocka_unit_test(a_condition_keeps_its_time_while_its_status_stays),
        cmocka_unit_test(templates_are_the_same_but_for_their_hash),
        cmocka_unit_test(pods_go_in_the_order_of_their_worth),
        cmocka_unit_test(nodes_fit_by_name_labels_affinity_and_taints),
        cmocka_unit_test(a_daemon_is_aimed_at_its_node),
        cmocka_unit_test(revisions_have_the_hashes_of_the_real_ones),
        cmocka_unit_test(ordinals_are_read_off_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
