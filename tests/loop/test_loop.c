#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

#include "base/clock.h"
#include "loop/internal.h"

/* The wall clock of this test program can be made to jump: these stand before libc's for libevent and for us. */
static int64_t wall_jump_s;

int clock_gettime(clockid_t id, struct timespec *now)
{
    int result = (int)syscall(SYS_clock_gettime, id, now);
    if (id == CLOCK_REALTIME)
        now->tv_sec += wall_jump_s;
    return result;
}

int gettimeofday(struct timeval *now, void *zone)
{
    (void)zone;
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    *now = (struct timeval){.tv_sec = precise.tv_sec, .tv_usec = precise.tv_nsec / 1000};
    return 0;
}

static void set_flag(void *data)
{
    *(bool *)data = true;
}

static void never(void *data)
{
    (void)data;
    fail_msg("a dropped event was called");
}

static void never_fd(void *data, int what)
{
    (void)what;
    never(data);
}

static void a_timer_fires_once_and_not_early(void **state)
{
    (void)state;
    struct loop *loop = new_loop();
    bool fired = false;
    int64_t start = clock_monotonic_us();
    struct loop_event *timer = loop_add_timer(loop, 20, set_flag, &fired);
    wait_for(loop, &fired);
    assert_true(clock_monotonic_us() - start >= 20000);
    fired = false;
    assert_false(loop_until(loop, &fired, 60));
    loop_set_timer(timer, 0);
    wait_for(loop, &fired);
    loop_drop(timer);
    loop_free(loop);
}

static void a_stopped_timer_does_not_fire_and_can_start_again(void **state)
{
    (void)state;
    struct loop *loop = new_loop();
    bool fired = false, other = false;
    struct loop_event *timer = loop_add_timer(loop, 0, set_flag, &fired);
    struct loop_event *idle = loop_add_timer(loop, -1, never, NULL);
    struct loop_event *later = loop_add_timer(loop, 30, set_flag, &other);
    loop_set_timer(timer, -1);
    wait_for(loop, &other);
    assert_false(fired);
    loop_set_timer(timer, INT64_MAX);
    loop_once(loop, 0);
    assert_false(fired);
    loop_set_timer(timer, 1);
    wait_for(loop, &fired);
    loop_drop(timer);
    loop_drop(idle);
    loop_drop(later);
    loop_free(loop);
}

static void a_wall_clock_that_jumps_moves_no_timer(void **state)
{
    (void)state;
    const int64_t jumps[] = {86400, -86400};
    for (int i = 0; i < 2; i++) {
        struct loop *loop = new_loop();
        bool fired = false, far = false;
        int64_t start = clock_monotonic_us(), wall = clock_wall_ms();
        struct loop_event *near = loop_add_timer(loop, 30, set_flag, &fired);
        struct loop_event *tomorrow = loop_add_timer(loop, 3600 * 1000, set_flag, &far);
        wall_jump_s = jumps[i];
        assert_true(llabs(clock_wall_ms() - wall) > 3600 * 1000); /* the jump is seen by who asks for the time of day */
        wait_for(loop, &fired);
        assert_true(clock_monotonic_us() - start >= 30000);
        assert_false(far);
        wall_jump_s = 0;
        loop_drop(near);
        loop_drop(tomorrow);
        loop_free(loop);
    }
}

struct pair {
    struct loop *loop;
    struct loop_event *mine, *other;
    int fds[2];
    int calls;
    bool done;
};

static void drop_both(void *data)
{
    struct pair *pair = data;
    pair->calls++;
    loop_drop(pair->mine);
    loop_drop(pair->other);
    pair->done = true;
}

static void drop_both_fd(void *data, int what)
{
    (void)what;
    drop_both(data);
}

static void drop_both_signal(void *data, int signal_number)
{
    assert_int_equal(signal_number, SIGUSR1);
    drop_both(data);
}

static void a_callback_may_drop_itself_and_others_that_are_due(void **state)
{
    (void)state;
    struct loop *loop = new_loop();
    struct pair timers = {.loop = loop};
    timers.mine = loop_add_timer(loop, 0, drop_both, &timers);
    timers.other = loop_add_timer(loop, 0, never, NULL);
    wait_for(loop, &timers.done);

    struct pair fds = {.loop = loop};
    assert_int_equal(pipe(fds.fds), 0);
    fds.mine = loop_add_fd(loop, fds.fds[1], LOOP_WRITE, drop_both_fd, &fds);
    fds.other = loop_add_fd(loop, fds.fds[1], LOOP_WRITE, drop_both_fd, &fds); /* whichever comes first ends both */
    wait_for(loop, &fds.done);
    loop_once(loop, 0);
    assert_int_equal(fds.calls, 1);

    struct pair signals = {.loop = loop};
    signals.mine = loop_add_signal(loop, SIGUSR1, drop_both_signal, &signals);
    signals.other = loop_add_signal(loop, SIGUSR1, drop_both_signal, &signals);
    kill(getpid(), SIGUSR1);
    wait_for(loop, &signals.done);
    loop_once(loop, 0);
    assert_int_equal(signals.calls, 1);
    close(fds.fds[0]);
    close(fds.fds[1]);
    loop_free(loop);
}

struct chain {
    struct loop *loop;
    struct loop_event *timer;
    int left;
    bool done;
};

static void add_next(void *data)
{
    struct chain *chain = data;
    loop_drop(chain->timer);
    chain->timer = NULL;
    chain->done = --chain->left == 0;
    if (!chain->done)
        chain->timer = loop_add_timer(chain->loop, 0, add_next, chain);
}

static void a_callback_may_add_others_and_a_round_still_ends(void **state)
{
    (void)state;
    struct loop *loop = new_loop();
    struct chain chain = {.loop = loop, .left = 100};
    chain.timer = loop_add_timer(loop, 0, add_next, &chain);
    loop_once(loop, -1);
    assert_int_equal(chain.left, 99); /* what a callback adds is for the next round: nothing else is starved */
    wait_for(loop, &chain.done);
    loop_free(loop);
}

struct watched {
    int what;
    bool called;
};

static void note(void *data, int what)
{
    struct watched *watched = data;
    watched->what |= what;
    watched->called = true;
}

static void a_descriptor_tells_what_it_is_ready_for_and_pauses(void **state)
{
    (void)state;
    struct loop *loop = new_loop();
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    struct watched reader = {.what = 0}, writer = {.what = 0};
    struct loop_event *in = loop_add_fd(loop, fds[0], LOOP_READ, note, &reader);
    struct loop_event *out = loop_add_fd(loop, fds[1], LOOP_READ | LOOP_WRITE, note, &writer);
    wait_for(loop, &writer.called);
    assert_int_equal(writer.what, LOOP_WRITE);
    assert_false(reader.called);
    loop_set_fd(out, 0);
    assert_int_equal(write(fds[1], "x", 1), 1);
    wait_for(loop, &reader.called);
    assert_int_equal(reader.what, LOOP_READ);
    loop_set_fd(in, 0);
    reader.called = writer.called = false;
    loop_once(loop, 20);
    assert_false(reader.called || writer.called);
    loop_set_fd(in, LOOP_READ);
    wait_for(loop, &reader.called); /* it was ready all the time */
    loop_drop(in);
    loop_drop(out);
    close(fds[0]);
    close(fds[1]);
    loop_free(loop);
}

static void what_cannot_be_watched_is_refused(void **state)
{
    (void)state;
    struct loop *loop = new_loop();
    int fd = open("/proc/self/exe", O_RDONLY);
    assert_null(loop_add_fd(loop, fd, LOOP_READ, never_fd, NULL)); /* epoll takes no plain files */
    close(fd);
    assert_null(loop_add_fd(loop, fd, LOOP_READ, never_fd, NULL));
    assert_int_equal(loop->events, 0);
    loop_free(loop);
}

static void stop_it(void *data)
{
    loop_stop(data);
}

static void stop_ends_run_and_is_remembered(void **state)
{
    (void)state;
    struct loop *loop = new_loop();
    struct loop_event *timer = loop_add_timer(loop, 1, stop_it, loop);
    loop_run(loop);
    assert_true(loop_stopped(loop));
    bool never_true = false;
    assert_false(loop_until(loop, &never_true, -1)); /* does not wait for ever: the loop was told to end */
    loop_run(loop);
    loop_clear_stop(loop);
    assert_false(loop_stopped(loop));
    bool fired = false;
    struct loop_event *again = loop_add_timer(loop, 1, set_flag, &fired);
    wait_for(loop, &fired);
    loop_drop(timer);
    loop_drop(again);
    loop_free(loop);
}

static void a_round_ends_in_time_with_nothing_to_do(void **state)
{
    (void)state;
    struct loop *loop = new_loop();
    int64_t start = clock_monotonic_us();
    loop_once(loop, 0);
    assert_true(clock_monotonic_us() - start < 1000000);
    loop_once(loop, 15);
    assert_true(clock_monotonic_us() - start >= 15000);
    bool done = false;
    assert_false(loop_until(loop, &done, 15));
    assert_true(clock_monotonic_us() - start >= 30000);
    loop_free(loop);
}

static void a_loop_with_nothing_due_uses_no_processor(void **state)
{
    (void)state;
    struct loop *loop = new_loop();
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    struct loop_event *in = loop_add_fd(loop, fds[0], LOOP_READ, never_fd, NULL);
    struct loop_event *timer = loop_add_timer(loop, 3600 * 1000, never, NULL);
    struct timespec before, after;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    bool done = false;
    assert_false(loop_until(loop, &done, 300));
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    int64_t used_us = (after.tv_sec - before.tv_sec) * 1000000 + (after.tv_nsec - before.tv_nsec) / 1000;
    assert_true(used_us < 100000); /* a poll without wait would have used all 300 ms */
    loop_drop(in);
    loop_drop(timer);
    close(fds[0]);
    close(fds[1]);
    loop_free(loop);
}

static void a_restart_without_memory_fires_at_once(void **state)
{
    (void)state;
    struct loop *loop = new_loop();
    struct loop_event *timers[64];
    size_t count = 0;
    bool fired = false;
    struct loop_event *last = loop_add_timer(loop, -1, set_flag, &fired);
    mem_fail_at(0);
    for (; !fired && count < 64; count++) { /* sooner or later libevent's heap is full and must grow */
        timers[count] = loop_add_timer(loop, 3600 * 1000, never, NULL);
        assert_non_null(timers[count]);
        mem_fail_from(1);
        loop_set_timer(last, 3600 * 1000);
        mem_fail_at(0);
        loop_once(loop, 0);
        loop_set_timer(last, -1);
    }
    assert_true(fired);
    while (count > 0)
        loop_drop(timers[--count]);
    loop_drop(last);
    loop_free(loop);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    int failures = 0, before = open_descriptors();
    bool whole = false;
    for (int nth = 1; nth <= 60; nth++) { /* not until the first success: libevent gets over some failures */
        int fds[2];
        assert_int_equal(pipe(fds), 0);
        bool fired = false;
        struct watched writer = {.what = 0};
        struct error err = ERROR_INIT;
        mem_fail_at(nth);
        struct loop *loop = loop_new(&err);
        assert_int_equal(err.kind, loop != NULL ? ERROR_NONE : ERROR_MEMORY);
        struct loop_event *timer = loop != NULL ? loop_add_timer(loop, 0, set_flag, &fired) : NULL;
        struct loop_event *fd = loop != NULL ? loop_add_fd(loop, fds[1], LOOP_WRITE, note, &writer) : NULL;
        struct loop_event *signals = loop != NULL ? loop_add_signal(loop, SIGUSR2, note, &writer) : NULL;
        mem_fail_at(0);
        whole = timer != NULL && fd != NULL && signals != NULL;
        failures += !whole;
        if (loop != NULL)
            loop_once(loop, 0);
        assert_int_equal(fired, timer != NULL);
        assert_int_equal(writer.called, fd != NULL);
        loop_drop(timer);
        loop_drop(fd);
        loop_drop(signals);
        loop_free(loop);
        close(fds[0]);
        close(fds[1]);
    }
    assert_true(failures > 5 && whole);
    assert_int_equal(open_descriptors(), before);
}

int test_loop(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timer_fires_once_and_not_early),
        cmocka_unit_test(a_stopped_timer_does_not_fire_and_can_start_again),
        cmocka_unit_test(a_wall_clock_that_jumps_moves_no_timer),
        cmocka_unit_test(a_callback_may_drop_itself_and_others_that_are_due),
        cmocka_unit_test(a_callback_may_add_others_and_a_round_still_ends),
        cmocka_unit_test(a_descriptor_tells_what_it_is_ready_for_and_pauses),
        cmocka_unit_test(what_cannot_be_watched_is_refused),
        cmocka_unit_test(stop_ends_run_and_is_remembered),
        cmocka_unit_test(a_round_ends_in_time_with_nothing_to_do),
        cmocka_unit_test(a_loop_with_nothing_due_uses_no_processor),
        cmocka_unit_test(a_restart_without_memory_fires_at_once),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("loop/loop", tests, NULL, NULL);
}
