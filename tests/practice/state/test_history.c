#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/clock.h"
#include "support.h"

enum { MIB = 1 << 20 };

static struct state_watch *watch(struct place *place, state_resource resource, const char *only_ns, uint64_t from, int *calls)
{
    struct state_watch *made = state_watch_new(place->state, resource, only_ns, from, calls != NULL ? count_call : nothing, calls, NULL);
    assert_non_null(made);
    return made;
}

/* Lets the loop run until the version is forgotten. */
static void until_oldest(struct place *place, uint64_t version)
{
    for (int i = 0; i < 10000 && state_oldest(place->state) < version; i++)
        loop_once(place->loop, 10);
    assert_int_equal(state_oldest(place->state), version);
}

static void versions_are_forgotten_when_they_are_old_and_current_objects_stay(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    put(place->state, pods, "n", "a", "1"); /* 1 */
    put(place->state, pods, "n", "b", "1"); /* 2 */
    put(place->state, pods, "n", "a", "2"); /* 3 */
    drop(place->state, pods, "n", "b");     /* 4 */
    place_round(place);
    place->now_ms += STATE_KEEP_MS - 1;
    put(place->state, pods, "n", "a", "3"); /* 5 */
    place_round(place);
    assert_int_equal(state_oldest(place->state), 0);
    place->now_ms += 1;
    put(place->state, pods, "n", "c", "1"); /* 6 */
    place_round(place);
    until_oldest(place, 4);
    assert_string_equal(listed(place->state, pods, NULL, 3), "expired");
    assert_string_equal(listed(place->state, pods, NULL, 4), "n/a=2");
    assert_string_equal(listed(place->state, pods, NULL, 5), "n/a=3");
    assert_int_equal(sql_number(place->state, "SELECT count(*) FROM versions"), 3); /* a=2, a=3, c=1 */
    place->now_ms += 2 * STATE_KEEP_MS;
    place_close(place);
    place_open(place); /* what was due meanwhile is forgotten without a write */
    until_oldest(place, 6);
    assert_int_equal(sql_number(place->state, "SELECT count(*) FROM versions"), 2);
    assert_string_equal(listed(place->state, pods, NULL, 6), "n/a=3 n/c=1");
    struct state_numbers numbers;
    state_numbers(place->state, &numbers);
    assert_int_equal(numbers.history_bytes, 0);
}

static void a_version_is_not_used_again_when_the_newest_were_forgotten(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    put(place->state, pods, "n", "a", "1");
    assert_int_equal(drop(place->state, pods, "n", "a"), 2);
    place_round(place);
    place->now_ms += STATE_KEEP_MS;
    place_close(place);
    place_open(place);
    until_oldest(place, 2);
    assert_int_equal(sql_number(place->state, "SELECT count(*) FROM versions"), 0);
    place_close(place);
    place_open(place);
    assert_int_equal(state_version(place->state), 2);
    assert_int_equal(put(place->state, pods, "n", "a", "2")->version, 3);
}

static void a_clock_that_was_far_ahead_keeps_nothing_for_ever(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    int64_t now = place->now_ms;
    place->now_ms += INT64_C(86400000) * 365;
    put(place->state, pods, "n", "a", "1");
    place_round(place);
    place->now_ms = now;
    put(place->state, pods, "n", "a", "2");
    place_round(place);
    until_oldest(place, 1);
    loop_once(place->loop, 0);
    assert_int_equal(state_oldest(place->state), 1);
}

static void a_slow_watch_reads_from_the_file_what_left_the_ring(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods"), other = state_resource_of(place->state, "other");
    char expected[64];
    put(place->state, pods, "n", "a", "1");
    put(place->state, pods, "m", "b", "1");
    place_round(place);
    struct state_watch *slow = watch(place, pods, NULL, 0, NULL), *only_m = watch(place, pods, "m", 0, NULL), *idle = watch(place, pods, "m", 2, NULL);
    assert_string_equal(next(slow), "+n/a=1");
    assert_string_equal(next(idle), "wait");
    for (unsigned i = 0; i < 40; i++) {
        put_large(place->state, pods, "n", "a", MIB, (char)('a' + i % 26));
        place_round(place);
    }
    for (unsigned i = 0; i < 2000; i++) /* more than one look at the file goes over */
        put(place->state, other, "n", "a", "x");
    put(place->state, pods, "m", "b", "2");
    for (unsigned i = 0; i < 40; i++)
        put_large(place->state, other, "n", "b", MIB, (char)('a' + i % 26));
    place_round(place);
    struct state_numbers numbers;
    state_numbers(place->state, &numbers);
    assert_true(numbers.ring_bytes <= STATE_RING);
    assert_string_equal(next(slow), "+m/b=1");
    assert_string_equal(next(slow), "*n/a=a1048576(1)");
    for (unsigned i = 1; i < 40; i++) {
        snprintf(expected, sizeof expected, "*n/a=%c1048576(%c1048576)", (char)('a' + i % 26), (char)('a' + (i - 1) % 26));
        assert_string_equal(next(slow), expected);
    }
    struct state_watch *all[] = {slow, only_m};
    for (int i = 0; i < 2; i++) {
        const char *event = next(all[i]);
        for (int round = 0; round < 100 && strcmp(event, "wait") == 0; round++) { /* it goes on by itself, a bounded look a round */
            loop_once(place->loop, 1000);
            event = next(all[i]);
        }
        if (i == 1) {
            assert_string_equal(event, "+m/b=1");
            while (strcmp(event = next(all[i]), "wait") == 0)
                loop_once(place->loop, 1000);
        }
        assert_string_equal(event, "*m/b=2(1)");
        assert_string_equal(next(all[i]), "wait");
        loop_once(place->loop, 0);
        assert_string_equal(next(all[i]), "wait");
        assert_int_equal(state_watch_version(all[i]), state_version(place->state));
    }
    assert_string_equal(next(idle), "*m/b=2(1)"); /* one that waited lost nothing of its own */
    for (uint64_t version = 3; version < 43; version += 13) {
        snprintf(expected, sizeof expected, "m/b=1 n/a=%c1048576", (char)('a' + (version - 3) % 26));
        assert_string_equal(listed(place->state, pods, NULL, version), expected);
    }
    state_watch_free(slow);
    state_watch_free(only_m);
    state_watch_free(idle);
}

static void a_watch_that_falls_off_the_history_is_told_so_and_a_quiet_one_goes_on(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods"), other = state_resource_of(place->state, "other");
    int slow_calls = 0, quiet_calls = 0, waiting_calls = 0;
    put(place->state, pods, "n", "a", "1");
    put(place->state, other, "n", "a", "1");
    place_round(place);
    struct state_watch *slow = watch(place, pods, NULL, 1, &slow_calls), *quiet = watch(place, other, NULL, 2, &quiet_calls);
    struct state_watch *waiting = watch(place, pods, "m", 2, &waiting_calls);
    assert_string_equal(next(waiting), "wait");
    for (unsigned i = 0; i < 40; i++) {
        put_large(place->state, pods, "n", "a", MIB, 'x');
        place_round(place);
    }
    uint64_t then = state_version(place->state);
    place->now_ms += STATE_KEEP_MS;
    put(place->state, pods, "n", "a", "2");
    place_round(place);
    until_oldest(place, then);
    loop_once(place->loop, 0);
    assert_true(slow_calls == 1 && quiet_calls == 0 && waiting_calls == 0);
    assert_string_equal(next(slow), "expired");
    assert_string_equal(next(slow), "expired");
    assert_string_equal(next(quiet), "wait");
    assert_string_equal(next(waiting), "wait");
    put(place->state, other, "n", "a", "2");
    put(place->state, pods, "m", "b", "1");
    place_round(place);
    loop_once(place->loop, 0);
    assert_true(slow_calls == 1 && quiet_calls == 1 && waiting_calls == 1);
    assert_string_equal(next(quiet), "*n/a=2(1)");
    assert_string_equal(next(waiting), "+m/b=1");
    state_watch_free(slow);
    state_watch_free(quiet);
    state_watch_free(waiting);
}

static void history_is_bounded_by_its_bytes_and_so_is_the_file(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    struct state_numbers numbers;
    struct stat status;
    for (int i = 0; i < STATE_HISTORY / (4 * MIB) + 12; i++) {
        put_large(place->state, pods, "n", "a", 4 * MIB, 'x');
        place_round(place);
        loop_once(place->loop, 0);
    }
    for (int i = 0; i < 1000; i++)
        loop_once(place->loop, 0);
    state_numbers(place->state, &numbers);
    assert_true(numbers.history_bytes <= STATE_HISTORY && numbers.history_bytes > STATE_HISTORY - 8 * MIB);
    assert_true(state_oldest(place->state) >= 10);
    place_close(place); /* the log goes into the file */
    assert_int_equal(stat(place->path, &status), 0);
    assert_true(status.st_size < STATE_HISTORY + 64 * MIB);
}

static void many_old_versions_are_forgotten_in_small_steps(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    char name[16];
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "p%d", i % 700);
        put(place->state, pods, "n", name, "x");
    }
    place_round(place);
    place->now_ms += STATE_KEEP_MS;
    put(place->state, pods, "n", "p0", "y");
    place_round(place);
    uint64_t before = state_oldest(place->state);
    for (int i = 0; i < 10000 && before < 3000; i++) {
        loop_once(place->loop, 10);
        assert_true(state_oldest(place->state) <= before + 128);
        before = state_oldest(place->state);
    }
    assert_int_equal(before, 3000);
    assert_int_equal(sql_number(place->state, "SELECT count(*) FROM versions"), 701);
    assert_int_equal(state_count(place->state, pods, NULL), 700);
}

static void with_nothing_to_do_nothing_is_done(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    put(place->state, pods, "n", "a", "1");
    place_round(place);
    loop_once(place->loop, 0);
    int64_t start = clock_monotonic_ms();
    loop_once(place->loop, 300); /* a timer that is due, or a descriptor, would end it at once */
    assert_true(clock_monotonic_ms() - start >= 290);
}

/* More is written in rounds of the loop than a log may hold. */
static void the_log_begins_anew_under_writes_that_never_pause(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    struct state_numbers numbers;
    uint64_t before = 0, most = 0;
    int begun = 0;
    for (int i = 0; i < 400 && begun < 2; i++) {
        put_large(place->state, pods, "n", "a", MIB, 'x');
        place_round(place);
        state_numbers(place->state, &numbers);
        begun += numbers.log_pages < before;
        before = numbers.log_pages;
        most = before > most ? before : most;
    }
    assert_int_equal(begun, 2);
    assert_true(most < 65536);
    assert_int_equal(state_version(place->state), state_committed(place->state));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, place_setup, place_teardown)

int test_history(void)
{
    const struct CMUnitTest tests[] = {
        TEST(versions_are_forgotten_when_they_are_old_and_current_objects_stay),
        TEST(a_version_is_not_used_again_when_the_newest_were_forgotten),
        TEST(a_clock_that_was_far_ahead_keeps_nothing_for_ever),
        TEST(a_slow_watch_reads_from_the_file_what_left_the_ring),
        TEST(a_watch_that_falls_off_the_history_is_told_so_and_a_quiet_one_goes_on),
        TEST(history_is_bounded_by_its_bytes_and_so_is_the_file),
        TEST(many_old_versions_are_forgotten_in_small_steps),
        TEST(with_nothing_to_do_nothing_is_done),
        TEST(the_log_begins_anew_under_writes_that_never_pause),
    };
    return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
