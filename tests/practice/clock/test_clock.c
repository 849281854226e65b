/* The cluster's clock: timers in order, rates, steps that go through what is due. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "practice/clock/clock.h"

enum { MINUTE = 60 * 1000, LONG_MS = 60000 };

struct bench {
    struct loop *loop;
    struct cluster_clock *clock;
    struct cluster_timer *timers[4];
    int64_t fired[64]; /* when, in ms after the start */
    int which[64];
    size_t count;
    int64_t start;
    bool done, again;
};

struct mark {
    struct bench *bench;
    int number;
};
static struct mark marks[4];

static void fire(void *data)
{
    const struct mark *mark = data;
    struct bench *bench = mark->bench;
    assert_true(bench->count < 64);
    bench->fired[bench->count] = cluster_clock_ms(bench->clock) - bench->start;
    bench->which[bench->count++] = mark->number;
    if (bench->again)
        cluster_timer_set_after(bench->timers[mark->number], MINUTE);
}

static void open_bench(struct bench *bench)
{
    *bench = (struct bench){.loop = loop_new(NULL)};
    bench->clock = cluster_clock_new(bench->loop, 0, NULL);
    assert_non_null(bench->clock);
    for (int i = 0; i < 4; i++) {
        marks[i] = (struct mark){bench, i};
        bench->timers[i] = cluster_timer_new(bench->clock, fire, &marks[i]);
        assert_non_null(bench->timers[i]);
    }
    bench->start = cluster_clock_ms(bench->clock);
}

static void close_bench(struct bench *bench)
{
    for (int i = 0; i < 4; i++)
        cluster_timer_free(bench->timers[i]);
    cluster_clock_free(bench->clock);
    loop_free(bench->loop);
}

static void stepped(void *data)
{
    ((struct bench *)data)->done = true;
}

static void step(struct bench *bench, int64_t ms)
{
    bench->done = false;
    assert_true(cluster_clock_step(bench->clock, ms, stepped, bench, NULL));
    assert_true(loop_until(bench->loop, &bench->done, LONG_MS));
}

static void timers_fire_in_the_order_of_their_time(void **state)
{
    struct bench bench;
    (void)state;
    open_bench(&bench);
    cluster_timer_set_after(bench.timers[0], 30);
    cluster_timer_set_after(bench.timers[1], 10);
    cluster_timer_set_after(bench.timers[2], 20);
    cluster_timer_set_after(bench.timers[3], 15);
    cluster_timer_stop(bench.timers[3]);
    int64_t until = clock_monotonic_ms() + LONG_MS;
    while (bench.count < 3 && clock_monotonic_ms() < until)
        loop_once(bench.loop, 1000);
    assert_int_equal(bench.count, 3);
    assert_int_equal(bench.which[0], 1);
    assert_int_equal(bench.which[1], 2);
    assert_int_equal(bench.which[2], 0);
    assert_true(bench.fired[0] >= 10 && bench.fired[1] >= 20 && bench.fired[2] >= 30);
    assert_false(cluster_timer_is_set(bench.timers[0]));
    close_bench(&bench);
}

static void a_step_goes_through_what_is_due_on_the_way_each_at_its_time(void **state)
{
    struct bench bench;
    (void)state;
    open_bench(&bench);
    bench.again = true;
    cluster_timer_set(bench.timers[0], bench.start + MINUTE);
    step(&bench, 5 * MINUTE + 500);
    assert_int_equal(bench.count, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(bench.fired[i], (i + 1) * MINUTE);
    assert_true(cluster_clock_offset(bench.clock) >= 5 * MINUTE);
    assert_true(cluster_clock_ms(bench.clock) - bench.start < 6 * MINUTE);
    close_bench(&bench);
}

static void let_go(void *data)
{
    cluster_clock_let_go(((struct bench *)data)->clock);
}

static void who_holds_the_clock_is_waited_for(void **state)
{
    struct bench bench;
    (void)state;
    open_bench(&bench);
    struct loop_event *timer = loop_add_timer(bench.loop, 40, let_go, &bench);
    cluster_timer_set(bench.timers[0], bench.start + MINUTE);
    cluster_clock_hold(bench.clock);
    int64_t before = clock_monotonic_ms();
    step(&bench, 2 * MINUTE);
    assert_int_equal(bench.count, 1);
    assert_true(clock_monotonic_ms() - before >= 39);
    loop_drop(timer);
    close_bench(&bench);
}

static void a_clock_that_runs_fast_fires_early(void **state)
{
    struct bench bench;
    struct error err = ERROR_INIT;
    (void)state;
    open_bench(&bench);
    assert_true(cluster_clock_set_rate(bench.clock, 1000, NULL));
    cluster_timer_set(bench.timers[0], bench.start + 20 * 1000);
    int64_t before = clock_monotonic_ms();
    while (bench.count < 1 && clock_monotonic_ms() < before + LONG_MS)
        loop_once(bench.loop, 1000);
    assert_true(bench.count == 1 && bench.fired[0] >= 20 * 1000);
    assert_true(clock_monotonic_ms() - before < 20 * 1000);
    assert_true(cluster_clock_set_rate(bench.clock, 1, NULL));
    assert_true(cluster_clock_offset(bench.clock) > 19 * 1000);
    assert_false(cluster_clock_set_rate(bench.clock, 0.5, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    close_bench(&bench);
}

static void steps_go_forward_and_one_at_a_time(void **state)
{
    struct bench bench;
    struct error err = ERROR_INIT;
    (void)state;
    open_bench(&bench);
    assert_false(cluster_clock_step(bench.clock, 0, stepped, &bench, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_true(cluster_clock_step(bench.clock, MINUTE, stepped, &bench, NULL));
    assert_true(cluster_clock_stepping(bench.clock));
    assert_false(cluster_clock_step(bench.clock, MINUTE, stepped, &bench, &err));
    assert_int_equal(err.kind, ERROR_EXISTS);
    assert_true(loop_until(bench.loop, &bench.done, LONG_MS));
    close_bench(&bench);
}

static void many_timers_set_and_stopped_in_any_order_come_sorted(void **state)
{
    struct bench bench;
    uint32_t random = 1;
    enum { MANY = 500 };
    struct cluster_timer *timers[MANY];
    (void)state;
    open_bench(&bench);
    for (int i = 0; i < MANY; i++) {
        timers[i] = cluster_timer_new(bench.clock, fire, &marks[0]);
        assert_non_null(timers[i]);
    }
    for (int i = 0; i < 5 * MANY; i++) {
        random = random * 1664525 + 1013904223;
        struct cluster_timer *timer = timers[(random >> 8) % MANY];
        if ((random >> 4) % 3 == 0)
            cluster_timer_stop(timer);
        else
            cluster_timer_set(timer, bench.start + MINUTE + (int64_t)((random >> 12) % 1000) * 100);
    }
    int set = 0;
    for (int i = 0; i < MANY; i++)
        if (cluster_timer_is_set(timers[i]) && ++set > 60) /* as many as the bench can note */
            cluster_timer_stop(timers[i]);
    step(&bench, 10 * MINUTE);
    assert_int_equal(bench.count, 60);
    for (size_t i = 1; i < bench.count; i++)
        assert_true(bench.fired[i - 1] <= bench.fired[i]);
    for (int i = 0; i < MANY; i++)
        cluster_timer_free(timers[i]);
    close_bench(&bench);
}

static void without_memory_there_is_no_clock_and_no_timer(void **state)
{
    (void)state;
    struct loop *loop = loop_new(NULL);
    struct cluster_clock *clock = NULL;
    int failed = 0;
    for (int nth = 1; clock == NULL; nth++) {
        struct error err = ERROR_INIT;
        mem_fail_at(nth);
        clock = cluster_clock_new(loop, 0, &err);
        mem_fail_at(0);
        assert_true(clock != NULL || err.kind == ERROR_MEMORY);
        failed += clock == NULL;
    }
    assert_true(failed > 0);
    mem_fail_at(1);
    assert_null(cluster_timer_new(clock, fire, NULL));
    mem_fail_at(0);
    cluster_clock_free(clock);
    loop_free(loop);
}

int test_clock(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_fire_in_the_order_of_their_time),
        cmocka_unit_test(a_step_goes_through_what_is_due_on_the_way_each_at_its_time),
        cmocka_unit_test(who_holds_the_clock_is_waited_for),
        cmocka_unit_test(a_clock_that_runs_fast_fires_early),
        cmocka_unit_test(steps_go_forward_and_one_at_a_time),
        cmocka_unit_test(many_timers_set_and_stopped_in_any_order_come_sorted),
        cmocka_unit_test(without_memory_there_is_no_clock_and_no_timer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
