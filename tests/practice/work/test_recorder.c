/* Events: once, again, too often, in other words; modern series; what waits is not lost but where there is no memory. */
#include <stdio.h>
#include <string.h>

#include "../../failing.h"
#include "data/units.h"
#include "practice/work/recorder.h"
#include "work_world.h"

static int open_world(void **state)
{
    static struct work_world world;
    work_open(&world);
    *state = &world;
    return 0;
}

static int close_world(void **state)
{
    work_close(*state);
    return 0;
}

static const struct recorder_about web = {.kind = "Pod",
                                          .api_version = "v1",
                                          .ns = "default",
                                          .name = "web",
                                          .uid = "u1",
                                          .version = "7",
                                          .field_path = "spec.containers{c}"};

static struct recorder *open_recorder(struct work_world *world, const char *component, const char *host, bool modern)
{
    const struct recorder_options options = {.component = component, .host = host, .modern = modern};
    struct recorder *recorder = recorder_new(world->place.client, &options, NULL);
    assert_non_null(recorder);
    return recorder;
}

/* Events of namespace default, in no order; each with its document. */
static struct value *events_of(struct work_world *world)
{
    struct api *api = world->place.api;
    const struct schema_kind *kind = registry_find(api->registry, "", "v1", "events");
    struct value *all = value_array();
    for (const struct object *object = NULL;
         (object = state_next(api->state, registry_resource(api->registry, kind), "default", object != NULL ? object->ns : NULL,
                              object != NULL ? object->name : NULL)) != NULL;)
        assert_true(value_append(all, api_value(api, object, kind)));
    return all;
}

static void expect_text(const struct value *event, const char *key, const char *inner, const char *text)
{
    const struct value *at = inner != NULL ? value_find(event, key, inner, NULL) : value_get(event, key);
    assert_non_null(value_text(at));
    assert_string_equal(value_text(at), text);
}

static void what_happened_once_is_an_event(void **state)
{
    struct work_world *world = *state;
    struct recorder *recorder = open_recorder(world, "kubelet", "node1", false);
    recorder_say(recorder, &web, false, "Pulled", NULL, "Successfully pulled image \"%s\"", "nginx");
    struct value *events = events_of(world);
    assert_int_equal(value_length(events), 0); /* in the next round, not before */
    value_free(events);
    work_run(world);
    events = events_of(world);
    assert_int_equal(value_length(events), 1);
    const struct value *event = value_first(events);
    const char *name = value_find_text(event, "metadata", "name", NULL);
    assert_int_equal(strncmp(name, "web.", 4), 0);
    assert_int_equal(strlen(name), 4 + 16);
    assert_int_equal(strspn(name + 4, "0123456789abcdef"), 16);
    expect_text(event, "involvedObject", "kind", "Pod");
    expect_text(event, "involvedObject", "namespace", "default");
    expect_text(event, "involvedObject", "uid", "u1");
    expect_text(event, "involvedObject", "apiVersion", "v1");
    expect_text(event, "involvedObject", "resourceVersion", "7");
    expect_text(event, "involvedObject", "fieldPath", "spec.containers{c}");
    expect_text(event, "source", "component", "kubelet");
    expect_text(event, "source", "host", "node1");
    expect_text(event, "reportingComponent", NULL, "kubelet");
    expect_text(event, "reportingInstance", NULL, "node1");
    expect_text(event, "type", NULL, "Normal");
    expect_text(event, "reason", NULL, "Pulled");
    expect_text(event, "message", NULL, "Successfully pulled image \"nginx\"");
    assert_int_equal(value_find_int(event, 0, "count", NULL), 1);
    assert_string_equal(value_text(value_get(event, "firstTimestamp")), value_text(value_get(event, "lastTimestamp")));
    assert_int_equal(value_type(value_get(event, "eventTime")), VALUE_NULL);
    value_free(events);
    recorder_free(recorder);
}

static void what_happens_again_raises_the_count(void **state)
{
    struct work_world *world = *state;
    struct recorder *recorder = open_recorder(world, "kubelet", "node1", false);
    for (int i = 0; i < 3; i++) {
        recorder_say(recorder, &web, true, "BackOff", NULL, "Back-off restarting failed container");
        work_run(world);
        work_step(world, 10000);
    }
    struct recorder_about other = web;
    other.field_path = "spec.containers{d}";
    recorder_say(recorder, &other, true, "BackOff", NULL, "Back-off restarting failed container");
    work_run(world);
    struct value *events = events_of(world);
    assert_int_equal(value_length(events), 2);
    for (const struct value *event = value_first(events); event != NULL; event = value_next(event)) {
        bool first = strcmp(value_find_text(event, "involvedObject", "fieldPath", NULL), "spec.containers{c}") == 0;
        assert_int_equal(value_find_int(event, 0, "count", NULL), first ? 3 : 1);
        int64_t from = 0, to = 0;
        assert_true(time_parse(value_text(value_get(event, "firstTimestamp")), &from) &&
                    time_parse(value_text(value_get(event, "lastTimestamp")), &to));
        assert_int_equal(to - from, first ? 20000 : 0);
    }
    value_free(events);
    recorder_free(recorder);
}

static void one_that_was_deleted_meanwhile_is_made_again_with_its_count(void **state)
{
    struct work_world *world = *state;
    struct recorder *recorder = open_recorder(world, "kubelet", NULL, false);
    recorder_say(recorder, &web, true, "BackOff", NULL, "again");
    work_run(world);
    struct value *events = events_of(world);
    work_delete(world, &work_events, value_find_text(value_first(events), "metadata", "name", NULL));
    value_free(events);
    recorder_say(recorder, &web, true, "BackOff", NULL, "again");
    work_run(world);
    events = events_of(world);
    assert_int_equal(value_length(events), 1);
    assert_int_equal(value_find_int(value_first(events), 0, "count", NULL), 2);
    value_free(events);
    recorder_free(recorder);
}

static void ten_that_differ_in_words_become_one(void **state)
{
    struct work_world *world = *state;
    struct recorder *recorder = open_recorder(world, "replicaset-controller", NULL, false);
    for (int i = 0; i < 12; i++)
        recorder_say(recorder, &web, false, "SuccessfulCreate", NULL, "Created pod: web-%d", i);
    work_run(world);
    struct value *events = events_of(world);
    assert_int_equal(value_length(events), 10); /* nine, and the one for the rest */
    int combined = 0;
    for (const struct value *event = value_first(events); event != NULL; event = value_next(event))
        if (strncmp(value_text(value_get(event, "message")), "(combined", 9) == 0) {
            combined++;
            expect_text(event, "message", NULL, "(combined from similar events): Created pod: web-11");
            assert_int_equal(value_find_int(event, 0, "count", NULL), 3);
            expect_text(event, "reportingComponent", NULL, "");
            expect_text(event, "source", "component", "replicaset-controller");
        }
    assert_int_equal(combined, 1);
    value_free(events);
    work_step(world, 601000); /* ten minutes without: they are told apart again */
    recorder_say(recorder, &web, false, "SuccessfulCreate", NULL, "Created pod: web-later");
    work_run(world);
    events = events_of(world);
    assert_int_equal(value_length(events), 11);
    value_free(events);
    recorder_free(recorder);
}

static void a_source_may_write_25_about_an_object_and_then_one_every_five_minutes(void **state)
{
    struct work_world *world = *state;
    struct recorder *recorder = open_recorder(world, "kubelet", NULL, false);
    for (int i = 0; i < 40; i++) {
        char reason[16];
        snprintf(reason, sizeof reason, "Reason%d", i);
        recorder_say(recorder, &web, false, reason, NULL, "x");
    }
    recorder_say(recorder, &web, true, "Warned", NULL, "x"); /* warnings are counted by themselves */
    work_run(world);
    struct value *events = events_of(world);
    assert_int_equal(value_length(events), 26);
    value_free(events);
    for (int i = 0; i < 2; i++) {
        work_step(world, 301000);
        recorder_say(recorder, &web, false, "Later", NULL, "x%d", i);
        recorder_say(recorder, &web, false, "Lost", NULL, "x%d", i);
    }
    work_run(world);
    events = events_of(world);
    assert_int_equal(value_length(events), 28);
    value_free(events);
    recorder_free(recorder);
}

static void what_is_about_no_namespace_stands_in_default_and_odd_names_are_replaced(void **state)
{
    struct work_world *world = *state;
    struct recorder *recorder = open_recorder(world, "node-controller", NULL, false);
    const struct recorder_about role = {.kind = "ClusterRole",
                                        .api_version = "rbac.authorization.k8s.io/v1",
                                        .ns = "",
                                        .name = "system:odd",
                                        .uid = "u",
                                        .version = ""};
    recorder_say(recorder, &role, false, "Odd", NULL, "odd");
    work_run(world);
    struct value *events = events_of(world);
    assert_int_equal(value_length(events), 1);
    assert_int_equal(strlen(value_find_text(value_first(events), "metadata", "name", NULL)), 36);
    assert_null(value_find(value_first(events), "involvedObject", "namespace", NULL));
    assert_null(value_find(value_first(events), "involvedObject", "resourceVersion", NULL));
    value_free(events);
    recorder_free(recorder);
}

static void modern_ones_are_series_that_end_after_six_quiet_minutes(void **state)
{
    struct work_world *world = *state;
    struct recorder *recorder = open_recorder(world, "default-scheduler", "host", true);
    for (int i = 0; i < 4; i++) {
        recorder_say(recorder, &web, true, "FailedScheduling", "Scheduling", "0/%d nodes are available", i);
        work_run(world);
    }
    struct value *events = events_of(world);
    assert_int_equal(value_length(events), 1);
    const struct value *event = value_first(events);
    expect_text(event, "message", NULL, "0/0 nodes are available");
    expect_text(event, "action", NULL, "Scheduling");
    expect_text(event, "reportingComponent", NULL, "default-scheduler");
    expect_text(event, "reportingInstance", NULL, "default-scheduler-host");
    assert_int_equal(value_find_int(event, 0, "series", "count", NULL), 2); /* the rest is only counted */
    assert_int_equal(strlen(value_text(value_get(event, "eventTime"))), strlen("2026-01-01T00:00:00.123456Z"));
    assert_int_equal(value_type(value_get(event, "firstTimestamp")), VALUE_NULL);
    assert_int_equal(value_length(value_get(event, "source")), 0);
    assert_null(value_get(event, "count"));
    value_free(events);
    work_step(world, 13 * 60 * 1000);
    events = events_of(world);
    assert_int_equal(value_find_int(value_first(events), 0, "series", "count", NULL), 4);
    value_free(events);
    recorder_say(recorder, &web, true, "FailedScheduling", "Scheduling", "anew");
    work_run(world);
    events = events_of(world);
    assert_int_equal(value_length(events), 2);
    value_free(events);
    recorder_free(recorder);
}

static void say_some(void *data)
{
    struct work_world *world = data;
    const struct recorder_options core = {.component = "kubelet", .host = "n"},
                                  modern = {.component = "default-scheduler", .modern = true};
    struct recorder *recorders[] = {recorder_new(world->place.client, &core, NULL),
                                    recorder_new(world->place.client, &modern, NULL)};
    for (int i = 0; i < 2; i++) {
        if (recorders[i] == NULL)
            continue;
        for (int k = 0; k < 3; k++)
            recorder_say(recorders[i], &web, false, "Reason", "Action", "words %d", k / 2);
        for (int k = 0; k < 3; k++)
            loop_once(world->serve.loop, 0);
        recorder_say(recorders[i], &web, false, "Reason", "Action", "waits");
        recorder_free(recorders[i]);
    }
}

static void without_memory_events_are_lost_but_nothing_else(void **state)
{
    struct work_world *world = *state;
    each_allocation_failing(say_some, world);
    work_run(world);
    struct recorder *recorder = open_recorder(world, "kubelet", NULL, false);
    recorder_say(recorder, &web, false, "Fine", NULL, "fine");
    work_run(world);
    struct value *events = events_of(world);
    bool found = false;
    for (const struct value *event = value_first(events); event != NULL; event = value_next(event))
        found = found || strcmp(value_text(value_get(event, "reason")), "Fine") == 0;
    assert_true(found);
    value_free(events);
    recorder_free(recorder);
}

int test_recorder(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_happened_once_is_an_event, open_world, close_world),
        cmocka_unit_test_setup_teardown(what_happens_again_raises_the_count, open_world, close_world),
        cmocka_unit_test_setup_teardown(one_that_was_deleted_meanwhile_is_made_again_with_its_count, open_world, close_world),
        cmocka_unit_test_setup_teardown(ten_that_differ_in_words_become_one, open_world, close_world),
        cmocka_unit_test_setup_teardown(a_source_may_write_25_about_an_object_and_then_one_every_five_minutes, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(what_is_about_no_namespace_stands_in_default_and_odd_names_are_replaced, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(modern_ones_are_series_that_end_after_six_quiet_minutes, open_world, close_world),
        cmocka_unit_test_setup_teardown(without_memory_events_are_lost_but_nothing_else, open_world, close_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
