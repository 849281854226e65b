/* How checks live: watches that are shared, changes that are followed, doing, cancelling, memory. Against the fake server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "support.h"

static const char reading[] = "return {\n"
                              "  one = function(k) k:get('pods', 'web-a'):expect { status = { phase = 'Running' } } end,\n"
                              "  same = function(k) k:get('pods', 'web-a') k:get('pods', 'web-a'):condition 'Ready' k:get('pod', 'web-a') end,\n"
                              "  labelled = function(k) k:list('pods', { labels = { app = 'web', old = false } }):expect_count(2) end,\n"
                              "  turned = function(k) k:list('pods', { labels = { old = false, app = 'web' } }) end,\n"
                              "  settings = function(k) k:get('configmaps', 'settings') end,\n"
                              "}\n";

static void the_same_selection_is_one_watch(void **state)
{
    (void)state;
    struct world world;
    struct watching a, b, c, d;
    world_start(&world);
    world_load(&world, "reading.lua", reading);
    watching_start(&a, &world, "one");
    watching_start(&b, &world, "same");
    world_until_watches(&world, "pods", 1);
    assert_int_equal(fake_requests(world.fake, "GET /api/v1/namespaces/learn/pods?"), 2); /* a list and a watch */
    watching_start(&c, &world, "labelled");
    watching_start(&d, &world, "turned");
    world_until_watches(&world, "pods", 2);
    watching_end(&a);
    watching_end(&c);
    ran_again(&b.ran, "same", BIND_CHECK); /* still watched: no request */
    ran_wait(&b.ran);
    assert_int_equal(fake_requests(world.fake, "GET /api/v1/namespaces/learn/pods?"), 4);
    assert_int_equal(fake_watches(world.fake, "pods"), 2);
    watching_end(&b);
    watching_end(&d);
    world_until_watches(&world, "pods", 0);
    world_end(&world);
}

static void what_a_check_no_longer_reads_is_no_longer_watched(void **state)
{
    (void)state;
    struct world world;
    struct watching a;
    world_start(&world);
    world_load(&world, "reading.lua", reading);
    watching_start(&a, &world, "settings");
    world_until_watches(&world, "configmaps", 1);
    ran_again(&a.ran, "one", BIND_CHECK);
    ran_wait(&a.ran);
    world_until_watches(&world, "configmaps", 0);
    world_until_watches(&world, "pods", 1);
    ran_again(&a.ran, "same", BIND_CHECK); /* what stays is not stopped in between */
    ran_wait(&a.ran);
    assert_int_equal(fake_requests(world.fake, "GET /api/v1/namespaces/learn/pods?"), 2);
    watching_end(&a);
    world_end(&world);
}

static void a_burst_of_changes_is_told_once_and_others_not_at_all(void **state)
{
    (void)state;
    struct world world;
    struct watching a, other;
    world_start(&world);
    world_load(&world, "reading.lua", reading);
    watching_start(&a, &world, "one");
    watching_start(&other, &world, "settings");
    for (int i = 0; i < 5; i++)
        fake_merge(world.fake, "configmaps", "learn", "settings", i % 2 == 0 ? "{\"data\":{\"colour\":\"red\"}}" : "{\"data\":{\"colour\":\"blue\"}}");
    fake_merge(world.fake, "pods", "learn", "web-b", "{\"status\":{\"phase\":\"Running\"}}"); /* another Pod */
    watching_next(&other);
    assert_int_equal(other.changes, 1);
    assert_int_equal(a.changes, 0);
    fake_merge(world.fake, "pods", "learn", "web-a", "{\"status\":{\"phase\":\"Failed\"}}");
    watching_next(&a);
    assert_int_equal(a.changes, 1);
    assert_int_equal(other.changes, 1);
    assert_int_equal(a.ran.verdict->outcome, OUTCOME_FAILED);
    assert_string_equal(ran_expectation(&a.ran, 0)->actual, "\"Failed\"");
    fake_remove(world.fake, "pods", "learn", "web-a");
    watching_next(&a);
    assert_string_equal(ran_expectation(&a.ran, 0)->actual, "missing");
    watching_end(&a);
    fake_put(world.fake, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web-a\"}}");
    fake_merge(world.fake, "configmaps", "learn", "settings", "{\"data\":{\"colour\":\"green\"}}");
    watching_next(&other);
    assert_int_equal(a.changes, 2); /* not followed any more */
    watching_end(&other);
    world_end(&world);
}

static void a_label_that_is_taken_away_takes_the_object_out_of_the_set(void **state)
{
    (void)state;
    struct world world;
    struct watching a;
    world_start(&world);
    world_load(&world, "reading.lua", reading);
    watching_start(&a, &world, "labelled");
    assert_int_equal(a.ran.verdict->outcome, OUTCOME_PASSED);
    fake_merge(world.fake, "pods", "learn", "web-b", "{\"metadata\":{\"labels\":{\"app\":null}}}");
    watching_next(&a);
    assert_string_equal(ran_expectation(&a.ran, 0)->actual, "1");
    watching_end(&a);
    world_end(&world);
}

static void a_kind_that_comes_later_runs_the_check_again(void **state)
{
    (void)state;
    static const char text[] = "return { run = function(k) k:get('widgets.demo.kubetutor.dev', 'first'):expect { spec = { size = 3 } } end }\n";
    struct world world;
    struct watching a;
    world_start(&world);
    world_load(&world, "later.lua", text);
    watching_start(&a, &world, "run");
    assert_string_equal(ran_expectation(&a.ran, 0)->actual, "a kind that this cluster does not have");
    char *crd = mem_string("{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\",\"metadata\":{\"name\":\"widgets.demo.kubetutor.dev\"},"
                           "\"spec\":{\"group\":\"demo.kubetutor.dev\",\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"singular\":\"widget\",\"kind\":\"Widget\"},"
                           "\"versions\":[{\"name\":\"v1\"}]}}");
    if (a.ran.verdict->again_ms >= 0) { /* the definition's watch was not up yet: time tells */
        ran_again(&a.ran, "run", BIND_CHECK);
        ran_wait(&a.ran);
        world_until(&world, &a.changed);
        ran_again(&a.ran, "run", BIND_CHECK);
        ran_wait(&a.ran);
        a.changed = false;
    }
    assert_true(a.ran.verdict->again_ms < 0); /* from here on nothing is asked again and again */
    fake_put(world.fake, crd);
    mem_free(crd);
    watching_next(&a);
    assert_string_equal(ran_expectation(&a.ran, 0)->actual, "missing");
    fake_put(world.fake, "{\"apiVersion\":\"demo.kubetutor.dev/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"first\"},\"spec\":{\"size\":3}}");
    while (a.ran.verdict->outcome != OUTCOME_PASSED)
        watching_next(&a);
    watching_end(&a);
    world_end(&world);
}

/* ---- trouble ---- */

struct heard {
    int begun, over;
    bool any, well;
    struct error last;
};

static void on_trouble(void *data, const struct error *error, int64_t retry_ms)
{
    struct heard *heard = data;
    (void)retry_ms;
    heard->any = heard->any || error != NULL;
    heard->well = error == NULL;
    if (error != NULL) {
        heard->begun++;
        heard->last = *error;
    } else
        heard->over++;
}

static void trouble_is_told_and_its_end_and_nothing_is_missed(void **state)
{
    (void)state;
    struct world world;
    struct watching a;
    struct heard heard = {0};
    world_start(&world);
    world_load(&world, "reading.lua", reading);
    bind_on_trouble(world.bind, on_trouble, &heard);
    watching_start(&a, &world, "one");
    world_until_watches(&world, "pods", 1);
    fake_down(world.fake);
    fake_merge(world.fake, "pods", "learn", "web-a", "{\"status\":{\"phase\":\"Failed\"}}");
    world_until(&world, &heard.any);
    assert_int_equal(heard.last.kind, ERROR_UNREACHABLE);
    ran_again(&a.ran, "one", BIND_CHECK); /* what was read is still there to be judged */
    ran_wait(&a.ran);
    assert_int_equal(a.ran.verdict->outcome, OUTCOME_PASSED);
    fake_mend(world.fake);
    world_until(&world, &heard.well);
    while (a.ran.verdict->outcome != OUTCOME_FAILED)
        watching_next(&a);
    assert_string_equal(ran_expectation(&a.ran, 0)->actual, "\"Failed\"");
    watching_end(&a);
    world_end(&world);
}

static void a_history_that_the_server_forgot_is_listed_anew(void **state)
{
    (void)state;
    struct world world;
    struct watching a;
    world_start(&world);
    world_load(&world, "reading.lua", reading);
    watching_start(&a, &world, "labelled");
    world_until_watches(&world, "pods", 1);
    fake_close_watches(world.fake);
    fake_remove(world.fake, "pods", "learn", "web-b");
    fake_forget_history(world.fake);
    while (a.ran.verdict->outcome != OUTCOME_FAILED)
        watching_next(&a);
    assert_string_equal(ran_expectation(&a.ran, 0)->actual, "1");
    watching_end(&a);
    world_end(&world);
}

/* ---- doing ---- */

struct made {
    struct buf lines;
};

static void note_made(void *data, const char *resource, const char *ns, const char *name, const char *uid)
{
    struct made *made = data;
    assert_true(uid[0] != '\0');
    buf_printf(&made->lines, "%s %s/%s\n", resource, ns, name);
}

static void what_is_made_is_told_but_not_what_is_shared(void **state)
{
    (void)state;
    static const char text[] = "return { run = function(k)\n"
                               "  k:apply 'two.yaml'\n"
                               "  k:create { apiVersion = 'apps/v1', kind = 'Deployment', metadata = { name = 'd' } }\n"
                               "  k:apply { apiVersion = 'v1', kind = 'Namespace', metadata = { name = 'n' } }\n"
                               "  k:shared_crd 'crd.yaml'\n"
                               "end }\n";
    struct world world;
    struct made made = {.lines = buf_make(4096)};
    world_start(&world);
    world_load(&world, "made.lua", text);
    bind_on_made(world.bind, note_made, &made);
    struct ran ran = ran_to_end(&world, "run", BIND_DO);
    assert_int_equal(ran.verdict->outcome, OUTCOME_PASSED);
    assert_string_equal(made.lines.bytes, "configmaps learn/one\nconfigmaps learn/two\ndeployments.apps learn/d\nnamespaces /n\n");
    ran_forget(&ran);
    buf_free(&made.lines);
    world_end(&world);
}

static struct ran release(struct world *world)
{
    struct ran ran = {.world = world};
    assert_true(value_set(value_child(world->table, "release"), "$function", value_int(bind_release_function(world->bind))));
    ran_again(&ran, "release", BIND_DO);
    ran_wait(&ran);
    return ran;
}

static void a_shared_definition_goes_with_its_last_user(void **state)
{
    (void)state;
    static const char text[] = "return { run = function(k) k:shared_crd 'crd.yaml' end }\n";
    const char *kind = "customresourcedefinitions.apiextensions.k8s.io", *name = "widgets.demo.kubetutor.dev";
    struct world world;
    world_start(&world);
    world_load(&world, "shared.lua", text);
    for (int others = 1; others >= 0; others--) {
        struct ran ran = ran_to_end(&world, "run", BIND_DO);
        assert_int_equal(ran.verdict->outcome, OUTCOME_PASSED);
        ran_forget(&ran);
        fake_merge(world.fake, kind, NULL, name, others ? "{\"metadata\":{\"annotations\":{\"used-by.kubetutor.dev/bob.demo\":\"yes\"}}}"
                                                        : "{\"metadata\":{\"annotations\":{\"used-by.kubetutor.dev/bob.demo\":null}}}");
        ran = release(&world);
        assert_int_equal(ran.verdict->outcome, OUTCOME_PASSED);
        ran_forget(&ran);
        const struct value *left = fake_find(world.fake, kind, NULL, name);
        assert_true((left != NULL) == (others > 0));
        assert_null(value_find(left, "metadata", "annotations", "used-by.kubetutor.dev/learn.demo", NULL));
    }
    world_end(&world);
}

static void commands_answer_and_names_are_asked_from_inside(void **state)
{
    (void)state;
    static const struct fake_command commands[] = {
        {"command=nslookup&command=web", "Server:\t10.96.0.10\nAddress:\t10.96.0.10:53\n\nName:\tweb.learn.svc.cluster.local\nAddress: 10.96.4.2\n", NULL, 0},
        {"command=nslookup", "Server:\t10.96.0.10\nAddress:\t10.96.0.10:53\n\n** server can't find it: NXDOMAIN\n", NULL, 1},
        {"command=wget", "hello", NULL, 0},
        {"command=false", "out", "err", 3},
        {NULL, NULL, NULL, 0},
    };
    static const char text[] = "return { run = function(k)\n"
                               "  local answer = k:exec('web-a', { 'false' }, { container = 'web', timeout = 5 })\n"
                               "  expect(answer.code == 3 and answer.out == 'out' and answer.err == 'err', 'exec')\n"
                               "  answer = k:exec(k:get('pods', 'web-a'), { 'wget' })\n"
                               "  expect(answer.code == 0 and answer.out == 'hello' and answer.err == '', 'exec of an object')\n"
                               "  local found = k:dns 'web'\n"
                               "  expect(found.found and #found.addresses == 1 and found.addresses[1] == '10.96.4.2', 'found')\n"
                               "  expect(not k:dns('nobody').found, 'not found')\n"
                               "  local page = k:fetch 'http://web/'\n"
                               "  expect(page.ok and page.body == 'hello', 'fetched')\n"
                               "end }\n";
    struct world world;
    struct buf said = buf_make(65536);
    world_start(&world);
    fake_set_commands(world.fake, commands);
    fake_put(world.fake, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"kubetutor-client\"},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}");
    world_load(&world, "commands.lua", text);
    struct ran ran = ran_to_end(&world, "run", BIND_VERIFY);
    ran_describe(&ran, &said);
    if (ran.verdict->outcome != OUTCOME_PASSED)
        fail_msg("%s", said.bytes);
    assert_int_equal(ran.verdict->expectations.length, 5);
    assert_string_equal(fake_writes(world.fake), ""); /* the client was there */
    ran_forget(&ran);
    fake_remove(world.fake, "pods", "learn", "kubetutor-client");
    ran_start(&ran, &world, "run", BIND_VERIFY, NULL);
    while (fake_writes(world.fake)[0] == '\0') /* now it is made, although verify may write nothing else */
        loop_once(world.loop, 100);
    assert_non_null(strstr(fake_writes(world.fake), "PATCH /api/v1/namespaces/learn/pods/kubetutor-client "));
    fake_merge(world.fake, "pods", "learn", "kubetutor-client", "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}");
    ran_wait(&ran);
    assert_int_equal(ran.verdict->outcome, OUTCOME_PASSED);
    ran_forget(&ran);
    buf_free(&said);
    world_end(&world);
}

static void a_filter_that_is_lost_deletes_nothing(void **state)
{
    (void)state;
    static const char text[] = "return {\n"
                               "  run = function(k) k:delete_all('pods', { labels = { app = 'none' } }) end,\n"
                               "  without = function(k) k:delete_all('pods', { labels = { old = true, app = false } }) end,\n"
                               "}\n";
    struct world world;
    world_start(&world);
    fake_ignore_selectors(world.fake);
    world_load(&world, "filter.lua", text);
    static const char *const functions[] = {"run", "without"};
    for (size_t i = 0; i < 2; i++) {
        struct ran ran = ran_to_end(&world, functions[i], BIND_DO);
        assert_int_equal(ran.verdict->outcome, OUTCOME_ERROR);
        assert_int_equal(fake_count(world.fake, "pods"), 3);
        ran_forget(&ran);
    }
    world_end(&world);
}

static void a_wait_ends_when_what_it_waits_for_comes(void **state)
{
    (void)state;
    static const char text[] = "return { run = function(k) k:wait('pods', 'web-b', 'Ready', 10) k:wait_gone('pods', 'web-b', 10) end }\n";
    struct world world;
    struct ran ran;
    world_start(&world);
    world_load(&world, "wait.lua", text);
    ran_start(&ran, &world, "run", BIND_VERIFY, NULL);
    world_until_watches(&world, "pods", 1);
    fake_merge(world.fake, "pods", "learn", "web-b", "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}");
    world_until_watches(&world, "pods", 0);
    world_until_watches(&world, "pods", 1);
    assert_false(ran.done);
    fake_remove(world.fake, "pods", "learn", "web-b");
    ran_wait(&ran);
    assert_int_equal(ran.verdict->outcome, OUTCOME_PASSED);
    world_until_watches(&world, "pods", 0);
    ran_forget(&ran);
    world_end(&world);
}

/* ---- ends ---- */

static const char long_way[] = "return {\n"
                               "  check = function(k)\n"
                               "    k:get('deployments.apps', 'web'):expect { spec = { replicas = function(v) return v == 3 end } }\n"
                               "    k:list('pods', { labels = { app = 'web' } }):expect_gone { 'pod-a' }\n"
                               "    k:expect_absent('configmaps', 'none') k:service('web'):selects('deployments.apps', 'web')\n"
                               "    k:get('widgets.demo.kubetutor.dev', 'x'):expect {}\n"
                               "  end,\n"
                               "  act = function(k)\n"
                               "    k:apply 'two.yaml' k:apply 'crd-and-widget.yaml' k:scale('deployments.apps', 'web', 2) k:wait('pods', 'web-a', 'Ready', 5)\n"
                               "    k:delete_all('pods', { labels = { app = 'web' } }) k:wait_gone('pods', 'web-a', 5) k:sleep(0.01)\n"
                               "    k:logs('web-b') k:http('service/web:80', '/') return { uids = k:list('configmaps'):uids() }\n"
                               "  end,\n"
                               "}\n";

/* Ends the run after `rounds` of the loop, in each of four ways; true if it had ended by itself. */
static bool cut_short(const char *function, enum bind_mode mode, int rounds, int way)
{
    struct world world;
    struct ran ran;
    world_start(&world);
    world_load(&world, "long.lua", long_way);
    ran_start(&ran, &world, function, mode, NULL);
    for (int i = 0; i < rounds && !ran.done; i++)
        loop_once(world.loop, 1000);
    bool ended = ran.done;
    if (!ended && way == 0)
        bind_cancel(ran.run);
    else if (way == 1) {
        bind_free(world.bind);
        world.bind = NULL;
    } else if (!ended && way == 2) { /* another run goes on */
        struct ran other;
        ran_start(&other, &world, "check", BIND_CHECK, NULL);
        bind_cancel(ran.run);
        ran_wait(&other);
        assert_true(other.verdict->outcome == OUTCOME_FAILED);
        ran_forget(&other);
    }
    ran_forget(&ran);
    world_end(&world);
    return ended;
}

static void a_run_can_be_ended_at_any_moment(void **state)
{
    (void)state;
    int most = 0;
    for (int way = 0; way < 4; way++)
        for (int mode = 0; mode < 2; mode++) {
            int rounds = 0;
            while (!cut_short(mode == 0 ? "check" : "act", mode == 0 ? BIND_CHECK : BIND_DO, rounds, way))
                rounds += 1 + rounds / 16;
            most = rounds > most ? rounds : most;
        }
    assert_true(most > 10);
}

static void without_a_cluster_nothing_of_k_works(void **state)
{
    (void)state;
    static const char text[] = "return { run = function(k) k:get('pods', 'x') end, field = function(k) return k.namespace end, fine = function() expect(true) end }\n";
    struct world world;
    world_start(&world);
    kube_client_free(world.client);
    world.client = NULL;
    world_load(&world, "none.lua", text);
    static const char *const functions[] = {"run", "field"};
    for (size_t i = 0; i < 2; i++) {
        struct ran ran = ran_to_end(&world, functions[i], BIND_CHECK);
        assert_int_equal(ran.verdict->outcome, OUTCOME_ERROR);
        assert_string_equal(ran.verdict->error.message, "there is no cluster here: the lesson is only described");
        ran_forget(&ran);
    }
    struct ran ran = ran_to_end(&world, "fine", BIND_CHECK);
    assert_int_equal(ran.verdict->outcome, OUTCOME_PASSED);
    ran_forget(&ran);
    world_end(&world);
}

/* ---- memory ---- */

static void a_set_of_ten_thousand_is_not_held_in_the_lesson_but_a_big_table_is(void **state)
{
    (void)state;
    static const char text[] = "return {\n"
                               "  count = function(k) k:list('configmaps', { labels = { many = 'yes' } }):expect_count(10000) end,\n"
                               "  big = function(k) local t = k:get('configmaps', 'big'):at 'data' return t end,\n"
                               "}\n";
    struct world world;
    world_start(&world);
    struct buf object = buf_make(32 << 20);
    for (int i = 0; i < 10000; i++) { /* 1 KiB each: more than the cap in all */
        buf_clear(&object);
        buf_printf(&object, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c-%05d\",\"labels\":{\"many\":\"yes\"}},\"data\":{\"x\":\"%01000d\"}}", i, 0);
        fake_put(world.fake, object.bytes);
    }
    buf_clear(&object);
    buf_append_string(&object, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"big\"},\"data\":{");
    for (int i = 0; i < 9000; i++)
        buf_printf(&object, "%s\"k%d\":\"%01000d\"", i > 0 ? "," : "", i, i);
    buf_append_string(&object, "}}");
    assert_true(buf_ok(&object));
    fake_put(world.fake, object.bytes);
    buf_free(&object);
    world_load(&world, "many.lua", text);
    struct ran ran = ran_to_end(&world, "count", BIND_CHECK);
    assert_int_equal(ran.verdict->outcome, OUTCOME_PASSED);
    ran_forget(&ran);
    ran = ran_to_end(&world, "big", BIND_CHECK);
    assert_int_equal(ran.verdict->outcome, OUTCOME_ERROR);
    assert_int_equal(ran.verdict->error.kind, ERROR_LIMIT);
    ran_forget(&ran);
    ran = ran_to_end(&world, "count", BIND_CHECK); /* and it goes on */
    assert_int_equal(ran.verdict->outcome, OUTCOME_PASSED);
    ran_forget(&ran);
    world_end(&world);
}

int test_bind(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_selection_is_one_watch),
        cmocka_unit_test(what_a_check_no_longer_reads_is_no_longer_watched),
        cmocka_unit_test(a_burst_of_changes_is_told_once_and_others_not_at_all),
        cmocka_unit_test(a_label_that_is_taken_away_takes_the_object_out_of_the_set),
        cmocka_unit_test(a_kind_that_comes_later_runs_the_check_again),
        cmocka_unit_test(trouble_is_told_and_its_end_and_nothing_is_missed),
        cmocka_unit_test(a_history_that_the_server_forgot_is_listed_anew),
        cmocka_unit_test(what_is_made_is_told_but_not_what_is_shared),
        cmocka_unit_test(a_shared_definition_goes_with_its_last_user),
        cmocka_unit_test(commands_answer_and_names_are_asked_from_inside),
        cmocka_unit_test(a_filter_that_is_lost_deletes_nothing),
        cmocka_unit_test(a_wait_ends_when_what_it_waits_for_comes),
        cmocka_unit_test(a_run_can_be_ended_at_any_moment),
        cmocka_unit_test(without_a_cluster_nothing_of_k_works),
        cmocka_unit_test(a_set_of_ten_thousand_is_not_held_in_the_lesson_but_a_big_table_is),
    };
    return cmocka_run_group_tests_name("bind", tests, NULL, NULL);
}
