/* Events live for an hour after they were last written. */
#include <stdio.h>

#include "../../failing.h"
#include "practice/api/event_life.h"
#include "practice/work/recorder.h"
#include "work_world.h"

enum { MINUTE_MS = 60 * 1000 };

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

static void make_event(struct work_world *world, const char *name)
{
    work_make(world, &work_events,
              work_json("{'metadata':{'name':'%s'},'involvedObject':{'kind':'Pod','name':'web','namespace':'default'},'reason':"
                        "'R','message':'m','type':'Normal','count':1}",
                        name));
    work_run(world);
}

static size_t count_events(struct work_world *world)
{
    const struct api *api = world->place.api;
    return state_count(api->state, registry_resource(api->registry, registry_find(api->registry, "", "v1", "events")), NULL);
}

static void an_event_is_gone_an_hour_after_it_was_last_written(void **state)
{
    struct work_world *world = *state;
    make_event(world, "a");
    make_event(world, "b");
    work_step(world, 30 * MINUTE_MS);
    work_patch(world, &work_events, "", "b", work_json("{'count':2}"));
    make_event(world, "c");
    work_run(world);
    work_step(world, 30 * MINUTE_MS - 1000);
    assert_int_equal(count_events(world), 3);
    work_step(world, 1000 + EVENT_LIFE_GRAIN_MS);
    assert_int_equal(count_events(world), 2);
    assert_null(work_get(world, &work_events, "a"));
    work_step(world, 30 * MINUTE_MS);
    assert_int_equal(count_events(world), 0);
    make_event(world, "a"); /* the timer is set again */
    work_step(world, 2 * 60 * MINUTE_MS);
    assert_int_equal(count_events(world), 0);
}

static void watchers_see_it_go(void **state)
{
    struct work_world *world = *state;
    make_event(world, "a");
    struct line *watch = watch_open(&world->serve, "/api/v1/namespaces/default/events?watch=1", 0);
    watch_expect(watch, "ADDED", "a");
    work_step(world, 61 * MINUTE_MS);
    watch_expect(watch, "DELETED", "a");
    line_close(watch);
}

static void many_go_without_holding_the_loop_and_a_reset_begins_anew(void **state)
{
    struct work_world *world = *state;
    for (int i = 0; i < 1200; i++) {
        char name[16];
        snprintf(name, sizeof name, "e%d", i);
        work_make(world, &work_events,
                  work_json("{'metadata':{'name':'%s'},'involvedObject':{'kind':'Pod','name':'web','namespace':'default'},'"
                            "reason':'R','type':'Normal'}",
                            name));
    }
    work_run(world);
    work_step(world, 61 * MINUTE_MS);
    assert_int_equal(count_events(world), 0);
    make_event(world, "a");
    assert_true(server_reset(world->serve.server, NULL));
    work_settle_in(world);
    make_event(world, "b");
    assert_int_equal(count_events(world), 1);
    work_step(world, 59 * MINUTE_MS);
    assert_int_equal(count_events(world), 1);
    work_step(world, 2 * MINUTE_MS);
    assert_int_equal(count_events(world), 0);
}

static void begin_without_memory(void *data)
{
    struct work_world *world = data;
    event_life_free(event_life_new(world->place.api, NULL));
}

static void without_memory_none_begins_and_nothing_is_left(void **state)
{
    make_event(*state, "a");
    each_allocation_failing(begin_without_memory, *state);
}

int test_event_life(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_event_is_gone_an_hour_after_it_was_last_written, open_world, close_world),
        cmocka_unit_test_setup_teardown(watchers_see_it_go, open_world, close_world),
        cmocka_unit_test_setup_teardown(without_memory_none_begins_and_nothing_is_left, open_world, close_world),
        cmocka_unit_test_setup_teardown(many_go_without_holding_the_loop_and_a_reset_begins_anew, open_world, close_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
