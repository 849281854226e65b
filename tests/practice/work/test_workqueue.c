/* The work queue: each key once, failures later and later, nothing lost without memory, sleep when nothing is due. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "practice/work/workqueue.h"
#include "practice/state/state.h"

struct bench {
    struct loop *loop;
    struct cluster_clock *clock;
    struct workqueue *queue;
    char order[4096];   /* the keys as they came, each with a comma */
    int calls, failing; /* so many calls fail */
    const char *again;  /* added from inside work, once */
    bool ends;          /* frees the queue from inside */
};

static bool work(void *data, const char *key)
{
    struct bench *bench = data;
    size_t length = strlen(bench->order);
    snprintf(bench->order + length, sizeof bench->order - length, "%s,", key);
    bench->calls++;
    if (bench->again != NULL)
        workqueue_add(bench->queue, bench->again);
    bench->again = NULL;
    if (bench->ends) {
        workqueue_free(bench->queue);
        bench->queue = NULL;
    }
    return bench->failing == 0 || bench->failing-- == 0;
}

static struct bench begin(void)
{
    struct loop *loop = loop_new(NULL);
    return (struct bench){.loop = loop, .clock = cluster_clock_new(loop, 0, NULL)};
}

static void open_queue(struct bench *bench)
{
    bench->queue = workqueue_new(bench->clock, NULL, work, bench, NULL);
    assert_non_null(bench->queue);
}

static void end(struct bench *bench)
{
    workqueue_free(bench->queue);
    cluster_clock_free(bench->clock);
    loop_free(bench->loop);
}

static void run(struct bench *bench)
{
    int64_t until = clock_monotonic_ms() + 60000;
    while (workqueue_length(bench->queue) > 0) {
        assert_true(clock_monotonic_ms() < until);
        loop_once(bench->loop, 1000);
    }
}

static void a_key_is_in_it_once_and_they_come_in_order(void **state)
{
    (void)state;
    struct bench bench = begin();
    open_queue(&bench);
    workqueue_add(bench.queue, "b");
    workqueue_add(bench.queue, "a");
    workqueue_add(bench.queue, "b");
    assert_int_equal(workqueue_length(bench.queue), 2);
    assert_int_equal(bench.calls, 0); /* never from inside */
    run(&bench);
    assert_string_equal(bench.order, "b,a,");
    end(&bench);
}

static void a_key_that_is_added_while_its_work_is_done_comes_again(void **state)
{
    (void)state;
    struct bench bench = begin();
    bench.again = "a";
    open_queue(&bench);
    workqueue_add(bench.queue, "a");
    workqueue_add(bench.queue, "b");
    run(&bench);
    assert_string_equal(bench.order, "a,b,a,");
    end(&bench);
}

static void a_failure_comes_later_and_later_and_success_forgets(void **state)
{
    (void)state;
    struct bench bench = begin();
    bench.failing = 5;
    open_queue(&bench);
    int64_t from = clock_monotonic_ms();
    workqueue_add(bench.queue, "a");
    run(&bench);
    assert_int_equal(bench.calls, 6);
    assert_true(clock_monotonic_ms() - from >= 5 + 10 + 20 + 40 + 80 - 5);
    bench.failing = 1;
    from = clock_monotonic_ms();
    workqueue_add(bench.queue, "a");
    loop_once(bench.loop, 1000);
    assert_int_equal(workqueue_length(bench.queue), 1); /* in 5 ms, not 160 */
    loop_once(bench.loop, 1000);
    assert_int_equal(bench.calls, 8);
    end(&bench);
}

static void what_is_due_later_comes_in_the_order_of_time_and_the_earliest_counts(void **state)
{
    (void)state;
    struct bench bench = begin();
    open_queue(&bench);
    workqueue_add_after(bench.queue, "d", 80);
    workqueue_add_after(bench.queue, "c", 60);
    workqueue_add_after(bench.queue, "b", 40);
    workqueue_add_after(bench.queue, "x", 100000);
    workqueue_add_after(bench.queue, "x", 1);
    workqueue_add_after(bench.queue, "x", 100000);
    workqueue_add_after(bench.queue, "now", 100000);
    workqueue_add(bench.queue, "now");
    workqueue_add_after(bench.queue, "now", 1);
    assert_int_equal(workqueue_length(bench.queue), 5);
    run(&bench);
    assert_string_equal(bench.order, "now,x,b,c,d,");
    end(&bench);
}

static void many_times_in_any_order_come_sorted(void **state)
{
    (void)state;
    struct bench bench = begin();
    open_queue(&bench);
    char key[16], expected[1024] = "";
    for (int i = 0; i < 60; i++) {
        snprintf(key, sizeof key, "%02d", i * 37 % 60);
        workqueue_add_after(bench.queue, key, 10 + 5 * (i * 37 % 60));
    }
    for (int i = 0; i < 60; i += 3) { /* some out of the middle */
        snprintf(key, sizeof key, "%02d", i);
        workqueue_add(bench.queue, key);
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%02d,", i);
    }
    for (int i = 0; i < 60; i++)
        if (i % 3 != 0)
            snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%02d,", i);
    run(&bench);
    assert_string_equal(bench.order, expected);
    end(&bench);
}

static void a_round_is_short_so_that_others_get_their_turn(void **state)
{
    (void)state;
    struct bench bench = begin();
    open_queue(&bench);
    char key[16];
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "%d", i);
        workqueue_add(bench.queue, key);
    }
    loop_once(bench.loop, 1000);
    assert_true(bench.calls > 0 && bench.calls <= 20);
    run(&bench);
    assert_int_equal(bench.calls, 100);
    end(&bench);
}

static void the_queue_may_end_inside_its_work(void **state)
{
    (void)state;
    struct bench bench = begin();
    bench.ends = true;
    open_queue(&bench);
    workqueue_add(bench.queue, "a");
    workqueue_add(bench.queue, "b");
    loop_once(bench.loop, 1000);
    assert_int_equal(bench.calls, 1);
    end(&bench);
}

static void with_nothing_due_it_sleeps(void **state)
{
    (void)state;
    struct bench bench = begin();
    open_queue(&bench);
    workqueue_add(bench.queue, "a");
    run(&bench);
    int64_t from = clock_monotonic_ms();
    loop_once(bench.loop, 200);
    assert_true(clock_monotonic_ms() - from >= 200);
    end(&bench);
}

static void a_key_that_cannot_be_kept_makes_it_look_at_everything(void **state)
{
    (void)state;
    int failed = 0;
    for (int nth = 1;; nth++) {
        struct bench bench = begin();
        open_queue(&bench);
        for (int i = 0; i < 40; i++) { /* the rooms are not empty */
            char key[16];
            snprintf(key, sizeof key, "%d", i);
            workqueue_add_after(bench.queue, key, 100000);
        }
        mem_fail_at(nth);
        workqueue_add(bench.queue, "wanted");
        void *probe = mem_zero(1, 1);
        mem_fail_at(0);
        mem_free(probe);
        int64_t until = clock_monotonic_ms() + 60000;
        while (bench.calls == 0) {
            assert_true(clock_monotonic_ms() < until);
            loop_once(bench.loop, 1000);
        }
        bool lost = strcmp(bench.order, ",") == 0; /* WORKQUEUE_ALL */
        assert_true(lost || strcmp(bench.order, "wanted,") == 0);
        failed += lost;
        end(&bench);
        if (probe == NULL)
            break;
    }
    assert_true(failed > 0);
}

static void a_queue_without_memory_is_none(void **state)
{
    (void)state;
    struct loop *loop = loop_new(NULL);
    struct cluster_clock *clock = cluster_clock_new(loop, 0, NULL);
    assert_non_null(clock);
    for (int nth = 1;; nth++) {
        struct error err = ERROR_INIT;
        mem_fail_at(nth);
        struct workqueue *queue = workqueue_new(clock, NULL, work, NULL, &err);
        mem_fail_at(0);
        if (queue != NULL) {
            assert_true(nth > 2);
            workqueue_free(queue);
            break;
        }
        assert_int_equal(err.kind, ERROR_MEMORY);
    }
    cluster_clock_free(clock);
    loop_free(loop);
}

struct writer {
    struct state *state;
    state_resource resource;
    struct workqueue *queue;
    int all; /* how often it was to look at everything */
    bool wrote;
};

static bool write_one(void *data, const char *key)
{
    static const char text[] = "\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"\"}}";
    struct writer *writer = data;
    writer->all += strcmp(key, WORKQUEUE_ALL) == 0;
    const struct object *old = state_get(writer->state, writer->resource, "", "a");
    const struct object_new wanted = {.resource = writer->resource, .ns = "", .name = "a", .uid = "u", .text = text, .length = sizeof text - 1, .gap = sizeof text - 4};
    writer->wrote = state_put(writer->state, &wanted, old, NULL) != NULL;
    assert_true(writer->wrote);
    return true;
}

static int64_t now(void *data)
{
    (void)data;
    return clock_wall_ms();
}

/* A commit that fails undoes what work wrote, which believed to be done with it. */
static void what_could_not_be_committed_makes_it_look_at_everything(void **state)
{
    (void)state;
    int undone = 0;
    struct loop *loop = loop_new(NULL);
    struct writer writer = {.state = state_open(NULL, loop, now, NULL, NULL)};
    assert_non_null(writer.state);
    writer.resource = state_resource_of(writer.state, "things");
    struct cluster_clock *clock = cluster_clock_new(loop, 0, NULL);
    assert_non_null(clock);
    writer.queue = workqueue_new(clock, writer.state, write_one, &writer, NULL);
    assert_non_null(writer.queue);
    for (int nth = 1; nth < 40 && undone < 2; nth++) {
        writer.wrote = false;
        writer.all = 0;
        workqueue_add(writer.queue, "a");
        while (!writer.wrote)
            loop_once(loop, 1000);
        if (state_is_clean(writer.state))
            continue;
        mem_fail_at(nth);
        bool committed = state_commit(writer.state, NULL);
        mem_fail_at(0);
        int64_t until = clock_monotonic_ms() + 60000;
        while (!committed && writer.all == 0) {
            assert_true(clock_monotonic_ms() < until);
            loop_once(loop, 2000);
        }
        undone += !committed;
    }
    assert_true(undone > 0);
    workqueue_add(writer.queue, "a");
    writer.wrote = false;
    while (!writer.wrote)
        loop_once(loop, 1000);
    workqueue_free(writer.queue); /* while the state still owes it a call */
    state_close(writer.state);
    cluster_clock_free(clock);
    loop_free(loop);
}

int test_workqueue(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_in_it_once_and_they_come_in_order),
        cmocka_unit_test(a_key_that_is_added_while_its_work_is_done_comes_again),
        cmocka_unit_test(a_failure_comes_later_and_later_and_success_forgets),
        cmocka_unit_test(what_is_due_later_comes_in_the_order_of_time_and_the_earliest_counts),
        cmocka_unit_test(many_times_in_any_order_come_sorted),
        cmocka_unit_test(a_round_is_short_so_that_others_get_their_turn),
        cmocka_unit_test(the_queue_may_end_inside_its_work),
        cmocka_unit_test(with_nothing_due_it_sleeps),
        cmocka_unit_test(a_key_that_cannot_be_kept_makes_it_look_at_everything),
        cmocka_unit_test(a_queue_without_memory_is_none),
        cmocka_unit_test(what_could_not_be_committed_makes_it_look_at_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
