/* clock: a heap of timers by the cluster's time, the earliest of them on a timerfd of the wall's clock. That one is told when
 * the wall is set or the machine wakes up, which timers of the loop (monotonic) would sleep through. */
#include "practice/clock/clock.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

/* Rounds of the loop without a hold before a step goes on: a commit at the end of one, watchers and informers in the next, what
 * they put into queues after that. */
enum { QUIET_ROUNDS = 4 };

struct cluster_timer {
    struct cluster_clock *clock;
    void (*fn)(void *data);
    void *data;
    int64_t at_ms;
    uint64_t order; /* of two at the same moment the one that was set first is first */
    size_t place;   /* in the heap, from 1; 0: not set */
};

struct cluster_clock {
    struct loop *loop;
    int64_t wall_ms, cluster_ms; /* the same moment on both */
    double rate;
    int fd;
    struct loop_event *due; /* the descriptor */
    struct cluster_timer **heap;
    size_t count, room, timers; /* room for each timer there is: setting one needs no memory */
    uint64_t order;
    unsigned holds;
    /* a step */
    bool stepping;
    int64_t now_ms, end_ms; /* time stands at now_ms */
    int quiet;
    struct loop_event *turn;
    void (*done)(void *data);
    void *data;
};

static int64_t wall_to_cluster(const struct cluster_clock *clock, int64_t wall_ms)
{
    return clock->cluster_ms + (int64_t)floor((double)(wall_ms - clock->wall_ms) * clock->rate);
}

int64_t cluster_clock_ms(const struct cluster_clock *clock)
{
    return clock->stepping ? clock->now_ms : wall_to_cluster(clock, clock_wall_ms());
}

int64_t cluster_clock_offset(const struct cluster_clock *clock)
{
    return cluster_clock_ms(clock) - clock_wall_ms();
}

struct loop *cluster_clock_loop(const struct cluster_clock *clock)
{
    return clock->loop;
}

/* ---- the heap ---- */

static bool before(const struct cluster_timer *a, const struct cluster_timer *b)
{
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->order < b->order;
}

static void put(struct cluster_clock *clock, size_t place, struct cluster_timer *timer)
{
    clock->heap[place - 1] = timer;
    timer->place = place;
}

static void up(struct cluster_clock *clock, struct cluster_timer *timer)
{
    size_t place = timer->place;
    for (; place > 1 && before(timer, clock->heap[place / 2 - 1]); place /= 2)
        put(clock, place, clock->heap[place / 2 - 1]);
    put(clock, place, timer);
}

static void down(struct cluster_clock *clock, struct cluster_timer *timer)
{
    size_t place = timer->place;
    for (size_t child; (child = 2 * place) <= clock->count; place = child) {
        if (child < clock->count && before(clock->heap[child], clock->heap[child - 1]))
            child++;
        if (!before(clock->heap[child - 1], timer))
            break;
        put(clock, place, clock->heap[child - 1]);
    }
    put(clock, place, timer);
}

static void take_out(struct cluster_timer *timer)
{
    struct cluster_clock *clock = timer->clock;
    struct cluster_timer *last = clock->heap[--clock->count];
    if (last != timer) {
        put(clock, timer->place, last);
        up(clock, last);
        down(clock, last);
    }
    timer->place = 0;
}

/* ---- what is due ---- */

static void arm(struct cluster_clock *clock)
{
    struct itimerspec when = {0};
    if (clock->count > 0 && !clock->stepping) {
        int64_t left = clock->heap[0]->at_ms - clock->cluster_ms,
                wall = clock->wall_ms + (int64_t)ceil((double)left / clock->rate);
        wall = wall > 0 ? wall : 1;
        when.it_value = (struct timespec){.tv_sec = wall / 1000, .tv_nsec = wall % 1000 * 1000000};
    }
    /* TFD_TIMER_CANCEL_ON_SET: reading fails with ECANCELED when the wall's clock was set, and it is armed anew */
    timerfd_settime(clock->fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &when, NULL);
}

static void fire_first(struct cluster_clock *clock)
{
    struct cluster_timer *timer = clock->heap[0];
    take_out(timer);
    timer->fn(timer->data);
}

static void fire(struct cluster_clock *clock)
{
    int64_t now = cluster_clock_ms(clock);
    uint64_t last =
        clock->order; /* those that are set now wait for the next round, else a timer that sets itself would keep the loop */
    while (clock->count > 0 && clock->heap[0]->at_ms <= now && clock->heap[0]->order <= last)
        fire_first(clock);
}

static void descriptor_ready(void *data, int what)
{
    struct cluster_clock *clock = data;
    uint64_t times;
    (void)what;
    ssize_t got = read(clock->fd, &times, sizeof times);
    (void)got; /* fired, cancelled or neither: what is due is told by the clock */
    if (clock->stepping)
        return;
    fire(clock);
    arm(clock);
}

/* ---- steps ---- */

static void end_step(struct cluster_clock *clock)
{
    clock->wall_ms = clock_wall_ms();
    clock->cluster_ms = clock->end_ms;
    clock->stepping = false;
    arm(clock);
    clock->done(clock->data);
}

static void step_round(void *data)
{
    struct cluster_clock *clock = data;
    bool due = clock->count > 0 && clock->heap[0]->at_ms <= clock->now_ms;
    clock->quiet = clock->holds > 0 || due ? 0 : clock->quiet + 1;
    if (due) {
        fire(clock);
    } else if (clock->quiet >= QUIET_ROUNDS) {
        clock->quiet = 0;
        if (clock->count == 0 || clock->heap[0]->at_ms > clock->end_ms) {
            clock->now_ms = clock->end_ms;
            end_step(clock);
            return;
        }
        clock->now_ms = clock->heap[0]->at_ms;
        fire(clock);
    }
    loop_set_timer(clock->turn, 0);
}

bool cluster_clock_step(struct cluster_clock *clock, int64_t ms, void (*done)(void *data), void *data, struct error *err)
{
    if (clock->stepping)
        return error_set(err, ERROR_EXISTS, NULL, "the clock is being stepped already");
    if (ms <= 0 || ms > CLUSTER_CLOCK_STEP)
        return error_set(err, ERROR_INPUT, NULL, "the clock goes forward only, by 400 days at most");
    clock->now_ms = cluster_clock_ms(clock);
    clock->end_ms = clock->now_ms + ms;
    clock->stepping = true;
    clock->quiet = 0;
    clock->done = done;
    clock->data = data;
    arm(clock);
    loop_set_timer(clock->turn, 0);
    return true;
}

bool cluster_clock_stepping(const struct cluster_clock *clock)
{
    return clock->stepping;
}

void cluster_clock_hold(struct cluster_clock *clock)
{
    clock->holds++;
}

void cluster_clock_let_go(struct cluster_clock *clock)
{
    clock->holds--;
}

bool cluster_clock_set_rate(struct cluster_clock *clock, double rate, struct error *err)
{
    if (!(rate >= 1 && rate <= CLUSTER_CLOCK_RATE))
        return error_set(err, ERROR_INPUT, NULL, "a clock's rate is between 1 and %d", CLUSTER_CLOCK_RATE);
    int64_t wall = clock_wall_ms();
    clock->cluster_ms = wall_to_cluster(clock, wall); /* a step sets both at its end */
    clock->wall_ms = wall;
    clock->rate = rate;
    arm(clock);
    return true;
}

/* ---- timers ---- */

struct cluster_timer *cluster_timer_new(struct cluster_clock *clock, void (*fn)(void *data), void *data)
{
    if (clock->timers == clock->room) {
        size_t room = clock->room == 0 ? 64 : clock->room * 2;
        struct cluster_timer **heap = mem_resize(clock->heap, room * sizeof *heap);
        if (heap == NULL)
            return NULL;
        clock->heap = heap;
        clock->room = room;
    }
    struct cluster_timer *timer = mem_zero(1, sizeof *timer);
    if (timer == NULL)
        return NULL;
    *timer = (struct cluster_timer){.clock = clock, .fn = fn, .data = data};
    clock->timers++;
    return timer;
}

void cluster_timer_set(struct cluster_timer *timer, int64_t at_ms)
{
    struct cluster_clock *clock = timer->clock;
    const struct cluster_timer *first = clock->count > 0 ? clock->heap[0] : NULL;
    int64_t first_ms = first != NULL ? first->at_ms : 0;
    if (timer->place != 0)
        take_out(timer);
    timer->at_ms = at_ms;
    timer->order = ++clock->order;
    timer->place = ++clock->count;
    up(clock, timer);
    if (clock->heap[0] != first || clock->heap[0]->at_ms != first_ms)
        arm(clock);
}

void cluster_timer_set_after(struct cluster_timer *timer, int64_t ms)
{
    cluster_timer_set(timer, cluster_clock_ms(timer->clock) + ms);
}

/* The descriptor is left as it is: it fires for nothing at most once. */
void cluster_timer_stop(struct cluster_timer *timer)
{
    if (timer->place != 0)
        take_out(timer);
}

bool cluster_timer_is_set(const struct cluster_timer *timer)
{
    return timer->place != 0;
}

void cluster_timer_free(struct cluster_timer *timer)
{
    if (timer == NULL)
        return;
    cluster_timer_stop(timer);
    timer->clock->timers--;
    mem_free(timer);
}

/* ---- */

struct cluster_clock *cluster_clock_new(struct loop *loop, int64_t offset_ms, struct error *err)
{
    struct cluster_clock *clock = mem_zero(1, sizeof *clock);
    if (clock == NULL) {
        error_memory(err);
        return NULL;
    }
    int64_t wall = clock_wall_ms();
    *clock = (struct cluster_clock){.loop = loop, .wall_ms = wall, .cluster_ms = wall + offset_ms, .rate = 1};
    clock->fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (clock->fd < 0) {
        error_set(err, ERROR_INTERNAL, NULL, "the cluster's clock could not be made: %s", strerror(errno));
    } else if ((clock->due = loop_add_fd(loop, clock->fd, LOOP_READ, descriptor_ready, clock)) != NULL &&
               (clock->turn = loop_add_timer(loop, -1, step_round, clock)) != NULL) {
        return clock;
    } else {
        error_memory(err);
    }
    cluster_clock_free(clock);
    return NULL;
}

void cluster_clock_free(struct cluster_clock *clock)
{
    if (clock == NULL)
        return;
    loop_drop(clock->due);
    loop_drop(clock->turn);
    if (clock->fd >= 0)
        close(clock->fd);
    mem_free(clock->heap);
    mem_free(clock);
}
