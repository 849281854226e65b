/* What a step has seen: expect_seen, :saw, expect_absent, and that a step begins anew. Against the fake server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "support.h"

static const char history[] =
    "return {\n"
    "  saw = function(k) k:get('deployments.apps', 'web'):saw('spec.replicas', { 3, 5, 3 }) end,\n"
    "  seen = function(k) k:expect_seen('deployments.apps', 'web', { spec = { replicas = at_least(9) } }) end,\n"
    "  seen_labelled = function(k) k:expect_seen('pods', { labels = { app = 'web' } }, { status = { phase = 'Failed' } }) end,\n"
    "  gone = function(k) k:expect_absent('pods', 'web-b', { for_seconds = 0.2 }) end,\n"
    "  none = function(k) k:expect_absent('pods', 'nobody', { for_seconds = 0.1 }) end,\n"
    "}\n";

static void scale(struct watching *w, int replicas)
{
    char patch[64];
    snprintf(patch, sizeof patch, "{\"spec\":{\"replicas\":%d}}", replicas);
    fake_merge(w->ran.world->fake, "deployments.apps", "learn", "web", patch);
    watching_next(w);
}

static void values_are_seen_in_their_order_and_a_new_step_begins_anew(void **state)
{
    (void)state;
    struct world world;
    struct watching a;
    world_start(&world);
    world_load(&world, "history.lua", history);
    watching_start(&a, &world, "saw");
    assert_string_equal(ran_expectation(&a.ran, 0)->actual, "[3]");
    scale(&a, 5);
    fake_merge(world.fake, "deployments.apps", "learn", "web", "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}"); /* the same value again is no new one */
    watching_next(&a);
    assert_string_equal(ran_expectation(&a.ran, 0)->actual, "[3,5]");
    assert_int_equal(a.ran.verdict->outcome, OUTCOME_FAILED);
    scale(&a, 3);
    assert_string_equal(ran_expectation(&a.ran, 0)->actual, "[3,5,3]");
    assert_int_equal(a.ran.verdict->outcome, OUTCOME_PASSED);
    scale(&a, 7);
    assert_int_equal(a.ran.verdict->outcome, OUTCOME_PASSED); /* more may follow */
    bind_begin_step(world.bind);
    ran_again(&a.ran, "saw", BIND_CHECK);
    ran_wait(&a.ran);
    assert_string_equal(ran_expectation(&a.ran, 0)->actual, "[7]");
    assert_int_equal(a.ran.verdict->outcome, OUTCOME_FAILED);
    watching_end(&a);
    world_end(&world);
}

static void the_wrong_order_is_not_the_order(void **state)
{
    (void)state;
    struct world world;
    struct watching a;
    world_start(&world);
    fake_merge(world.fake, "deployments.apps", "learn", "web", "{\"spec\":{\"replicas\":5}}");
    world_load(&world, "history.lua", history);
    watching_start(&a, &world, "saw");
    scale(&a, 3);
    assert_string_equal(ran_expectation(&a.ran, 0)->actual, "[5,3]");
    assert_int_equal(a.ran.verdict->outcome, OUTCOME_FAILED);
    scale(&a, 5);
    assert_int_equal(a.ran.verdict->outcome, OUTCOME_FAILED);
    scale(&a, 3);
    assert_int_equal(a.ran.verdict->outcome, OUTCOME_PASSED);
    watching_end(&a);
    world_end(&world);
}

static void a_state_that_has_passed_was_seen(void **state)
{
    (void)state;
    struct world world;
    struct watching a, b;
    world_start(&world);
    world_load(&world, "history.lua", history);
    watching_start(&a, &world, "seen");
    watching_start(&b, &world, "seen_labelled");
    assert_int_equal(a.ran.verdict->outcome, OUTCOME_FAILED);
    fake_merge(world.fake, "deployments.apps", "learn", "web", "{\"spec\":{\"replicas\":9}}");
    fake_merge(world.fake, "deployments.apps", "learn", "web", "{\"spec\":{\"replicas\":1}}");
    watching_next(&a);
    assert_int_equal(a.ran.verdict->outcome, OUTCOME_PASSED);
    assert_true(ran_expectation(&a.ran, 0)->history);
    fake_put(world.fake, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"brief\",\"labels\":{\"app\":\"web\"}},\"status\":{\"phase\":\"Failed\"}}");
    fake_remove(world.fake, "pods", "learn", "brief");
    watching_next(&b);
    assert_int_equal(b.ran.verdict->outcome, OUTCOME_PASSED); /* also of an object that is gone */
    bind_begin_step(world.bind);
    ran_again(&a.ran, "seen", BIND_CHECK);
    ran_wait(&a.ran);
    assert_int_equal(a.ran.verdict->outcome, OUTCOME_FAILED);
    watching_end(&a);
    watching_end(&b);
    world_end(&world);
}

static void wait_until(struct world *world, int64_t monotonic_ms)
{
    while (clock_monotonic_ms() < monotonic_ms)
        loop_once(world->loop, monotonic_ms - clock_monotonic_ms());
}

static void absence_takes_its_time_and_says_when_to_look_again(void **state)
{
    (void)state;
    struct world world;
    struct watching a;
    world_start(&world);
    world_load(&world, "history.lua", history);
    watching_start(&a, &world, "gone");
    assert_string_equal(ran_expectation(&a.ran, 0)->actual, "there");
    assert_true(a.ran.verdict->again_ms < 0); /* only a change can help */
    int64_t removed = clock_monotonic_ms();
    fake_remove(world.fake, "pods", "learn", "web-b");
    watching_next(&a);
    assert_int_equal(a.ran.verdict->outcome, OUTCOME_FAILED);
    assert_string_equal(ran_expectation(&a.ran, 0)->actual, "gone, but not for so long yet");
    assert_true(a.ran.verdict->again_ms >= removed + 200 && a.ran.verdict->again_ms < removed + 2000);
    wait_until(&world, a.ran.verdict->again_ms);
    ran_again(&a.ran, "gone", BIND_CHECK);
    ran_wait(&a.ran);
    assert_int_equal(a.ran.verdict->outcome, OUTCOME_PASSED);
    fake_put(world.fake, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web-b\"}}"); /* back again: the time begins anew */
    watching_next(&a);
    assert_string_equal(ran_expectation(&a.ran, 0)->actual, "there");
    watching_end(&a);
    world_end(&world);
}

static void absence_counts_from_the_steps_beginning(void **state)
{
    (void)state;
    struct world world;
    world_start(&world);
    world_load(&world, "history.lua", history);
    int64_t began = clock_monotonic_ms();
    bind_begin_step(world.bind);
    struct ran ran = ran_to_end(&world, "none", BIND_CHECK);
    assert_true(ran.verdict->outcome == OUTCOME_FAILED || clock_monotonic_ms() >= began + 100);
    wait_until(&world, clock_monotonic_ms() + 110);
    ran_forget(&ran);
    ran = ran_to_end(&world, "none", BIND_CHECK);
    assert_int_equal(ran.verdict->outcome, OUTCOME_PASSED);
    bind_begin_step(world.bind);
    ran_forget(&ran);
    ran = ran_to_end(&world, "none", BIND_CHECK);
    assert_int_equal(ran.verdict->outcome, OUTCOME_FAILED);
    assert_true(ran.verdict->again_ms > 0);
    ran_forget(&ran);
    world_end(&world);
}

int test_history(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_seen_in_their_order_and_a_new_step_begins_anew),
        cmocka_unit_test(the_wrong_order_is_not_the_order),
        cmocka_unit_test(a_state_that_has_passed_was_seen),
        cmocka_unit_test(absence_takes_its_time_and_says_when_to_look_again),
        cmocka_unit_test(absence_counts_from_the_steps_beginning),
    };
    return cmocka_run_group_tests_name("bind/history", tests, NULL, NULL);
}
