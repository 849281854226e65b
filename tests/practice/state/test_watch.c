#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support.h"

static struct state_watch *watch(struct place *place, state_resource resource, const char *only_ns, uint64_t from)
{
    struct error err = ERROR_INIT;
    struct state_watch *made = state_watch_new(place->state, resource, only_ns, from, nothing, NULL, &err);
    assert_string_equal(err.message, "");
    assert_non_null(made);
    return made;
}

static void events_are_seen_in_order_once_they_are_committed(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods"), other = state_resource_of(place->state, "other");
    put(place->state, pods, "n", "a", "1");
    struct state_watch *from_0 = watch(place, pods, NULL, 0), *from_1 = watch(place, pods, NULL, 1), *only_m = watch(place, pods, "m", 0);
    assert_string_equal(next(from_0), "wait");
    place_round(place);
    assert_string_equal(next(from_0), "+n/a=1");
    assert_string_equal(next(from_0), "wait");
    assert_string_equal(next(from_1), "wait");
    put(place->state, pods, "n", "a", "2");
    put(place->state, other, "n", "a", "other");
    put(place->state, pods, "m", "b", "1");
    drop(place->state, pods, "n", "a");
    put(place->state, pods, "n", "a", "3");
    assert_string_equal(next(from_0), "wait");
    place_round(place);
    struct state_watch *all[] = {from_0, from_1};
    for (int i = 0; i < 2; i++) {
        assert_string_equal(next(all[i]), "*n/a=2(1)");
        assert_int_equal(state_watch_version(all[i]), 2);
        assert_string_equal(next(all[i]), "+m/b=1");
        assert_string_equal(next(all[i]), "-n/a=2(2)");
        assert_string_equal(next(all[i]), "+n/a=3");
        assert_string_equal(next(all[i]), "wait");
        assert_int_equal(state_watch_version(all[i]), 6);
        state_watch_free(all[i]);
    }
    assert_string_equal(next(only_m), "+m/b=1");
    assert_string_equal(next(only_m), "wait");
    put(place->state, other, "n", "a", "other");
    assert_int_equal(state_watch_version(only_m), 6);
    place_round(place);
    assert_int_equal(state_watch_version(only_m), 7); /* nothing of others is missing */
    state_watch_free(only_m);
    state_watch_free(NULL);
}

static void a_deletion_has_the_last_state_that_was_given(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    const struct object *old = put(place->state, pods, "n", "a", "1");
    struct object_new last = {.resource = pods, .ns = "n", .name = "a", .uid = "uid-a", .text = "last", .length = 4};
    uint64_t version;
    assert_true(state_delete(place->state, old, &last, &version, NULL));
    assert_int_equal(version, 2);
    assert_null(state_get(place->state, pods, "n", "a"));
    place_round(place);
    struct state_watch *now = watch(place, pods, NULL, 1);
    assert_string_equal(next(now), "-n/a=last(1)");
    state_watch_free(now);
    place_close(place);
    place_open(place);
    assert_null(state_get(place->state, pods, "n", "a"));
    now = watch(place, pods, NULL, 0);
    assert_string_equal(next(now), "+n/a=1"); /* from the file */
    assert_string_equal(next(now), "-n/a=last(1)");
    assert_string_equal(next(now), "wait");
    state_watch_free(now);
}

static void ready_is_called_once_from_the_loop_and_only_for_what_concerns_the_watch(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods"), other = state_resource_of(place->state, "other");
    int calls = 0, calls_m = 0;
    struct state_watch *all = state_watch_new(place->state, pods, NULL, 0, count_call, &calls, NULL);
    struct state_watch *only_m = state_watch_new(place->state, pods, "m", 0, count_call, &calls_m, NULL);
    put(place->state, pods, "n", "a", "1");
    place_round(place);
    assert_int_equal(calls, 0); /* it was never told to wait */
    assert_string_equal(next(all), "+n/a=1");
    assert_string_equal(next(all), "wait");
    assert_string_equal(next(only_m), "wait");
    put(place->state, other, "m", "a", "1");
    place_round(place);
    loop_once(place->loop, 0);
    assert_int_equal(calls + calls_m, 0);
    put(place->state, pods, "n", "a", "2");
    put(place->state, pods, "n", "a", "3");
    assert_true(state_commit(place->state, NULL));
    assert_int_equal(calls, 0);
    put(place->state, pods, "n", "a", "4");
    place_round(place);
    loop_once(place->loop, 0);
    assert_int_equal(calls, 1);
    assert_int_equal(calls_m, 0);
    assert_string_equal(next(all), "*n/a=2(1)");
    put(place->state, pods, "n", "a", "5");
    place_round(place);
    loop_once(place->loop, 0);
    assert_int_equal(calls, 1); /* it has not waited since */
    put(place->state, pods, "m", "a", "1");
    place_round(place);
    loop_once(place->loop, 0);
    assert_int_equal(calls_m, 1);
    state_watch_free(all);
    state_watch_free(only_m);
}

struct pair {
    struct state_watch *watches[2];
    int calls;
};

static void free_both(void *data)
{
    struct pair *pair = data;
    pair->calls++;
    for (int i = 0; i < 2; i++) {
        state_watch_free(pair->watches[i]);
        pair->watches[i] = NULL;
    }
}

static void a_watch_may_be_freed_while_it_is_called_and_another_that_is_due(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    struct pair pair = {.calls = 0};
    for (int i = 0; i < 2; i++) {
        pair.watches[i] = state_watch_new(place->state, pods, NULL, 0, free_both, &pair, NULL);
        assert_string_equal(next(pair.watches[i]), "wait");
    }
    put(place->state, pods, "n", "a", "1");
    place_round(place);
    loop_once(place->loop, 0);
    assert_int_equal(pair.calls, 1);
    struct state_numbers numbers;
    state_numbers(place->state, &numbers);
    assert_int_equal(numbers.watches, 0);
}

static void what_an_event_shows_lives_until_the_next_call(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    put(place->state, pods, "n", "a", "1");
    put(place->state, pods, "n", "a", "2");
    place_round(place);
    struct state_watch *now = watch(place, pods, NULL, 1);
    struct state_event event;
    assert_int_equal(state_watch_next(now, &event), STATE_EVENT);
    for (int i = 0; i < 3 * (STATE_RING >> 20); i++) /* it falls off the ring */
        put_large(place->state, pods, "n", "a", 1 << 20, 'x');
    drop(place->state, pods, "n", "a");
    assert_true(state_commit(place->state, NULL));
    assert_string_equal(event.object->text, "2");
    assert_string_equal(event.previous->text, "1");
    struct object *kept = object_ref(event.object);
    state_watch_free(now);
    place_close(place);
    assert_string_equal(kept->text, "2"); /* references outlive the state */
    object_unref(kept);
}

static void a_watch_starts_at_what_is_known_only(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    struct error err = ERROR_INIT;
    put(place->state, pods, "n", "a", "1");
    assert_null(state_watch_new(place->state, pods, NULL, 2, nothing, NULL, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    assert_null(state_watch_new(place->state, 99, NULL, 0, nothing, NULL, &err));
    assert_true(state_reset(place->state, NULL));
    assert_null(state_watch_new(place->state, pods, NULL, 1, nothing, NULL, &err));
    assert_int_equal(err.kind, ERROR_EXPIRED);
    struct state_watch *now = watch(place, pods, NULL, state_version(place->state));
    assert_string_equal(next(now), "wait");
    state_watch_free(now);
}

static void undone_events_are_never_seen(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    put_large(place->state, pods, "n", "a", 100, 'a');
    place_round(place);
    struct state_watch *now = watch(place, pods, NULL, 1);
    assert_string_equal(next(now), "wait");
    fill_disk(place->state, true);
    put_large(place->state, pods, "n", "a", 100000, 'b');
    struct state_watch *ahead = watch(place, pods, NULL, 2);
    drop(place->state, pods, "n", "a");
    assert_false(state_commit(place->state, NULL));
    fill_disk(place->state, false);
    assert_string_equal(next(now), "wait");
    assert_int_equal(state_watch_version(now), 1);
    put(place->state, pods, "n", "a", "c");
    place_round(place);
    assert_string_equal(next(now), "*n/a=c(a100)");
    assert_int_equal(state_watch_version(now), 4);
    assert_string_equal(next(ahead), "*n/a=c(a100)");
    state_watch_free(now);
    state_watch_free(ahead);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, place_setup, place_teardown)

int test_watch(void)
{
    const struct CMUnitTest tests[] = {
        TEST(events_are_seen_in_order_once_they_are_committed),
        TEST(a_deletion_has_the_last_state_that_was_given),
        TEST(ready_is_called_once_from_the_loop_and_only_for_what_concerns_the_watch),
        TEST(a_watch_may_be_freed_while_it_is_called_and_another_that_is_due),
        TEST(what_an_event_shows_lives_until_the_next_call),
        TEST(a_watch_starts_at_what_is_known_only),
        TEST(undone_events_are_never_seen),
    };
    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
