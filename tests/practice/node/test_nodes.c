#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "node_world.h"

static int open_world(void **state)
{
    struct node_world *node = mem_zero(1, sizeof *node);
    node_open(node, NULL);
    *state = node;
    return 0;
}

static int close_world(void **state)
{
    node_close(*state);
    mem_free(*state);
    return 0;
}

static void make_pod(struct node_world *node, const char *name, const char *on, const char *more)
{
    char *text = mem_printf("{'metadata':{'name':'%s'},'spec':{'nodeName':'%s',%s}}", name, on, more);
    node_make(node, &pods_, "default", text);
    mem_free(text);
}

static const char *pod_text(struct node_world *node, const char *name, const char *path)
{
    return node_text(node, &pods_, "default", name, path);
}

static const char runs[] = "'containers':[{'name':'c','image':'busybox'}]", deaf[] = "'containers':[{'name':'c','image':'busybox','command':['sleep']}]";

static void a_node_says_what_a_kubelet_says_of_its_machine(void **state)
{
    struct node_world *node = *state;
    assert_string_equal(node_text(node, &nodes_, "", "node1", "status.addresses.0.address"), "\"10.77.0.1\"");
    assert_string_equal(node_text(node, &nodes_, "", "node1", "spec.podCIDR"), "\"10.244.1.0/24\"");
    assert_string_equal(node_text(node, &nodes_, "", "node1", "status.allocatable.pods"), "\"110\"");
    assert_string_equal(node_text(node, &nodes_, "", "node1", "status.conditions.3.type"), "\"Ready\"");
    assert_string_equal(node_text(node, &nodes_, "", "node1", "status.conditions.3.status"), "\"True\"");
    assert_string_equal(node_text(node, &nodes_, "", "node1", "status.nodeInfo.kubeletVersion"), "\"v1.37.2\"");
    assert_string_equal(node_text(node, &leases_, "kube-node-lease", "node1", "spec.holderIdentity"), "\"node1\"");
    make_pod(node, "p", "node1", runs);
    node_step(node, 15000);
    assert_non_null(strstr(node_text(node, &nodes_, "", "node1", "status.images"), "docker.io/library/busybox:latest"));
}

static void without_power_containers_end_without_a_word_and_start_again_with_it(void **state)
{
    struct node_world *node = *state;
    make_pod(node, "p", "node1", deaf);
    make_pod(node, "once", "node1", "'restartPolicy':'Never','containers':[{'name':'c','image':'busybox'}]");
    node_step(node, 1000);
    assert_string_equal(pod_text(node, "p", "status.phase"), "\"Running\"");
    assert_true(nodes_set_power(node->nodes, "node1", false));
    assert_false(nodes_set_power(node->nodes, "nowhere", false));
    assert_null(node->fake.containers);
    make_pod(node, "later", "node1", runs);
    node_delete(node, &pods_, "default", "once");
    node_step(node, 60000);
    assert_string_equal(pod_text(node, "p", "status.phase"), "\"Running\"");
    assert_string_equal(pod_text(node, "later", "status.phase"), "\"Pending\"");
    assert_true(node_has(node, &pods_, "default", "once"));
    assert_string_equal(node_text(node, &leases_, "kube-node-lease", "node1", "metadata.annotations"), "{\"kubetutor.dev/power\":\"off\"}");
    assert_true(nodes_set_power(node->nodes, "node1", true));
    node_step(node, 1000);
    assert_string_equal(node_text(node, &leases_, "kube-node-lease", "node1", "metadata.annotations"), "");
    assert_string_equal(pod_text(node, "p", "status.containerStatuses.0.restartCount"), "1");
    assert_string_equal(pod_text(node, "p", "status.containerStatuses.0.lastState.terminated.exitCode"), "255");
    assert_string_equal(pod_text(node, "p", "status.containerStatuses.0.lastState.terminated.reason"), "\"Unknown\"");
    assert_string_equal(pod_text(node, "p", "status.containerStatuses.0.ready"), "true");
    assert_true(node_seen(node, "Normal SandboxChanged x1 'Pod sandbox changed, it will be killed and re-created.'"));
    assert_string_equal(pod_text(node, "later", "status.phase"), "\"Running\"");
    assert_false(node_has(node, &pods_, "default", "once"));
}

static void nodes_that_others_make_are_run_if_they_are_marked(void **state)
{
    struct node_world *node = *state;
    for (int i = 0; i < 300; i++) {
        char text[256];
        snprintf(text, sizeof text, "{'metadata':{'name':'sim-%d','annotations':{'kubetutor.dev/simulated':'%s'}}}", i, i == 7 ? "false" : "true");
        node_make(node, &nodes_, "", text);
    }
    node_step(node, 1000);
    assert_string_equal(node_text(node, &nodes_, "", "sim-0", "status.conditions.3.status"), "\"True\"");
    assert_string_equal(node_text(node, &nodes_, "", "sim-299", "status.conditions.3.reason"), "\"KubeletReady\"");
    assert_string_equal(node_text(node, &nodes_, "", "sim-7", "status.conditions"), "");
    assert_int_equal(strncmp(node_text(node, &nodes_, "", "sim-299", "spec.podCIDR"), "\"10.128.", 8), 0);
    make_pod(node, "p", "sim-299", runs);
    make_pod(node, "q", "sim-7", runs);
    node_step(node, 1000);
    assert_string_equal(pod_text(node, "p", "status.phase"), "\"Running\"");
    assert_string_equal(pod_text(node, "q", "status.phase"), "\"Pending\"");
    assert_int_equal(strncmp(pod_text(node, "p", "status.podIP"), "\"10.128.", 8), 0);
    node_delete(node, &nodes_, "", "sim-299");
    node_step(node, 100);
    assert_null(node->fake.containers); /* nobody runs them any more */
    node_delete(node, &nodes_, "", "node1"); /* a node of our own stays away until its kubelet starts again */
    node_step(node, 100);
    assert_false(node_has(node, &nodes_, "", "node1"));
}

static void a_process_that_begins_anew_takes_up_what_was(void **state)
{
    struct node_world *node = *state;
    make_pod(node, "always", "node1", runs);
    make_pod(node, "never", "node1", "'restartPolicy':'Never','containers':[{'name':'c','image':'busybox'}]");
    make_pod(node, "done", "node1", "'restartPolicy':'Never','containers':[{'name':'c','image':'busybox','command':['exit','0','0']}]");
    make_pod(node, "init", "node1", "'initContainers':[{'name':'i','image':'busybox','command':['exit','0','1000']}],'containers':[{'name':'c','image':'busybox'}]");
    make_pod(node, "ending", "node1", deaf);
    make_pod(node, "pulls", "node1", "'containers':[{'name':'c','image':'slow:1'}]");
    node_step(node, 2000);
    node_delete(node, &pods_, "default", "ending");
    node_step(node, 500);
    char *ip = mem_string(pod_text(node, "always", "status.podIP"));
    node_stop(node);
    assert_null(node->fake.containers);
    node_start(node);
    node_step(node, 20000);
    assert_string_equal(pod_text(node, "always", "status.phase"), "\"Running\"");
    assert_string_equal(pod_text(node, "always", "status.podIP"), ip);
    assert_string_equal(pod_text(node, "always", "status.containerStatuses.0.restartCount"), "1");
    assert_string_equal(pod_text(node, "never", "status.phase"), "\"Failed\"");
    assert_string_equal(pod_text(node, "done", "status.phase"), "\"Succeeded\"");
    assert_string_equal(pod_text(node, "done", "status.containerStatuses.0.restartCount"), "0");
    assert_string_equal(pod_text(node, "init", "status.initContainerStatuses.0.restartCount"), "1");
    assert_string_equal(pod_text(node, "init", "status.phase"), "\"Running\"");
    assert_string_equal(pod_text(node, "pulls", "status.phase"), "\"Running\"");
    assert_false(node_has(node, &pods_, "default", "ending"));
    node_delete(node, &pods_, "default", "done");
    node_delete(node, &pods_, "default", "never");
    node_step(node, 100);
    assert_false(node_has(node, &pods_, "default", "done"));
    assert_false(node_has(node, &pods_, "default", "never"));
    mem_free(ip);
}

static void a_pod_that_is_deleted_by_force_is_gone_at_once(void **state)
{
    struct node_world *node = *state;
    struct error err = ERROR_INIT;
    make_pod(node, "p", "node1", deaf);
    node_step(node, 1000);
    assert_true(client_delete_now(node->client, &pods_, "default", "p", NULL, &err));
    node_step(node, 100);
    assert_null(node->fake.containers);
    assert_int_equal(node->fake.sandboxes, 0);
}

static void a_shorter_grace_period_counts_from_when_it_is_asked_for(void **state)
{
    struct node_world *node = *state;
    make_pod(node, "p", "node1", "'terminationGracePeriodSeconds':300,'containers':[{'name':'c','image':'busybox','command':['sleep']}]");
    node_step(node, 1000);
    node_delete(node, &pods_, "default", "p");
    node_step(node, 5000);
    serve_do(&node->world, "DELETE", "/api/v1/namespaces/default/pods/p", "{\"gracePeriodSeconds\":60}", 200);
    node_step(node, 40000);
    assert_true(node_has(node, &pods_, "default", "p"));
    node_step(node, 21000);
    assert_false(node_has(node, &pods_, "default", "p"));
}

static void a_full_node_takes_no_more_pods(void **state)
{
    struct node_world *node = *state;
    char name[32];
    node->fake.pull_ms = 0;
    for (int i = 0; i < 111; i++) {
        snprintf(name, sizeof name, "p%d", i);
        make_pod(node, name, "node1", runs);
    }
    node_step(node, 3000);
    int running = 0, refused = 0;
    for (int i = 0; i < 111; i++) {
        snprintf(name, sizeof name, "p%d", i);
        running += strcmp(pod_text(node, name, "status.phase"), "\"Running\"") == 0;
        refused += strcmp(pod_text(node, name, "status.reason"), "\"OutOfpods\"") == 0;
    }
    assert_int_equal(running, 110);
    assert_int_equal(refused, 1);
    assert_true(node_seen(node, "Node didn't have enough resource: pods, requested: 1, used: 110, capacity: 110"));
}

static void what_ended_long_ago_makes_room_for_addresses(void **state)
{
    struct node_world *node = *state;
    char name[32];
    node->fake.pull_ms = 0;
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "p%d", i);
        make_pod(node, name, "node1", "'restartPolicy':'Never','containers':[{'name':'c','image':'busybox','command':['exit','0','0']}]");
        if (i % 50 == 0)
            node_step(node, 500);
    }
    node_step(node, 3000);
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "p%d", i);
        assert_string_equal(pod_text(node, name, "status.phase"), "\"Succeeded\"");
    }
}

/* What was lost is made up for by the wall's time, too. */
static void wait_and_step(struct node_world *node)
{
    int64_t end = clock_monotonic_ms() + 100;
    while (clock_monotonic_ms() < end)
        loop_once(node->world.loop, 20);
    node_step(node, 60000);
}

/* Everything that a Pod does, each allocation failing once: afterwards all is as it would have been. */
static void memory_that_runs_short_once_only_delays(void **state)
{
    struct node_world *node = *state;
    char name[32];
    for (int nth = 1; nth < 1500; nth += 7) {
        snprintf(name, sizeof name, "p%d", nth);
        make_pod(node, name, "node1",
                 "'initContainers':[{'name':'i','image':'busybox','command':['exit','0','0']}],'containers':[{'name':'c','image':'busybox','readinessProbe':{'exec':{'command':['true']}},"
                 "'lifecycle':{'preStop':{'exec':{'command':['true']}}}}]");
        assert_true(state_commit(server_api(node->world.server)->state, NULL));
        mem_fail_at(nth);
        node_step(node, 200);
        mem_fail_at(0);
        node_step(node, 30000);
        for (int i = 0; i < 20 && strcmp(pod_text(node, name, "status.containerStatuses.0.ready"), "true") != 0; i++)
            wait_and_step(node);
        if (strcmp(pod_text(node, name, "status.phase"), "\"Running\"") != 0 || strcmp(pod_text(node, name, "status.containerStatuses.0.ready"), "true") != 0)
            fail_msg("with allocation %d failing: %s", nth, pod_text(node, name, "status"));
        node_delete(node, &pods_, "default", name);
        assert_true(state_commit(server_api(node->world.server)->state, NULL));
        mem_fail_at(nth);
        node_step(node, 200);
        mem_fail_at(0);
        node_step(node, 60000);
        for (int i = 0; i < 20 && node_has(node, &pods_, "default", name); i++)
            wait_and_step(node);
        if (node_has(node, &pods_, "default", name))
            fail_msg("with allocation %d failing it stays: %s", nth, pod_text(node, name, "status"));
        buf_clear(&node->trace);
    }
}

static void a_process_that_was_killed_goes_on_where_its_file_stands(void **state)
{
    struct node_world node;
    char path[] = "/tmp/kt-node-XXXXXX", file[64];
    (void)state;
    assert_non_null(mkdtemp(path));
    snprintf(file, sizeof file, "%s/state", path);
    node_open(&node, file);
    make_pod(&node, "p", "node1", deaf);
    node_step(&node, 1000);
    node_delete(&node, &pods_, "default", "p");
    make_pod(&node, "q", "node1", runs);
    node_step(&node, 1000);
    node_close(&node);
    memset(&node, 0, sizeof node);
    node_reopen(&node, file);
    node_step(&node, 40000);
    assert_false(node_has(&node, &pods_, "default", "p"));
    assert_string_equal(pod_text(&node, "q", "status.containerStatuses.0.restartCount"), "1");
    assert_string_equal(pod_text(&node, "q", "status.phase"), "\"Running\"");
    node_close(&node);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", path);
    assert_int_equal(system(command), 0);
}

int test_nodes(void)
{
    if (getenv("KT_CASE") != NULL)
        return 0; /* one case of test_pods is wanted */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_node_says_what_a_kubelet_says_of_its_machine, open_world, close_world),
        cmocka_unit_test_setup_teardown(without_power_containers_end_without_a_word_and_start_again_with_it, open_world, close_world),
        cmocka_unit_test_setup_teardown(nodes_that_others_make_are_run_if_they_are_marked, open_world, close_world),
        cmocka_unit_test_setup_teardown(a_process_that_begins_anew_takes_up_what_was, open_world, close_world),
        cmocka_unit_test_setup_teardown(a_pod_that_is_deleted_by_force_is_gone_at_once, open_world, close_world),
        cmocka_unit_test_setup_teardown(a_shorter_grace_period_counts_from_when_it_is_asked_for, open_world, close_world),
        cmocka_unit_test_setup_teardown(a_full_node_takes_no_more_pods, open_world, close_world),
        cmocka_unit_test_setup_teardown(what_ended_long_ago_makes_room_for_addresses, open_world, close_world),
        cmocka_unit_test_setup_teardown(memory_that_runs_short_once_only_delays, open_world, close_world),
        cmocka_unit_test(a_process_that_was_killed_goes_on_where_its_file_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
