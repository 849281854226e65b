#include "loop/loop.h"

#include <assert.h>

#include "base/clock.h"
#include "base/mem.h"
#include "loop/internal.h"

struct loop_event {
    struct loop *loop;
    struct event event;
    union {
        void (*timer)(void *data);
        void (*fd)(void *data, int what);
        void (*signal)(void *data, int signal_number);
    } fn;
    void *data;
    int what; /* of a descriptor: what it is watched for now */
};

/* libevent's words would go to stderr, in the middle of the screen; what fails is returned to the caller anyway. */
static void be_silent(int severity, const char *message)
{
    (void)severity, (void)message;
}

struct loop *loop_new(struct error *err)
{
    event_set_mem_functions(mem_alloc, mem_resize,
                            mem_free); /* the same ones each time, so that a second loop changes nothing */
    event_set_log_callback(be_silent);
    struct loop *loop = mem_zero(1, sizeof *loop);
    struct event_config *config = loop != NULL ? event_config_new() : NULL;
    if (config != NULL) {
        /* Exact timers: the coarse clock is up to 4 ms late, a time cached at the start of a round as late as its callbacks are
         * slow. */
        event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
        event_config_set_flag(config, EVENT_BASE_FLAG_NO_CACHE_TIME);
        event_config_set_flag(config, EVENT_BASE_FLAG_IGNORE_ENV);
        loop->base = event_base_new_with_config(config);
        event_config_free(config);
    }
    if (loop == NULL || loop->base == NULL) {
        mem_free(loop);
        error_memory(err);
        return NULL;
    }
    return loop;
}

void loop_free(struct loop *loop)
{
    if (loop == NULL)
        return;
    process_wait_released(loop);
    assert(loop->events == 0 && loop->processes == NULL);
    event_base_free(loop->base);
    mem_free(loop);
}

struct event_base *loop_base(struct loop *loop)
{
    return loop->base;
}

static struct timeval to_timeval(int64_t ms)
{
    const int64_t most = INT64_C(100) * 365 * 86400 * 1000; /* a century, so that no sum of times wraps */
    ms = ms < most ? ms : most;
    return (struct timeval){.tv_sec = (time_t)(ms / 1000), .tv_usec = (suseconds_t)(ms % 1000 * 1000)};
}

/* The last thing that each of these does is to call, because the callback may drop the event. */
static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct loop_event *event = arg;
    event->fn.timer(event->data);
}

static void on_fd(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    struct loop_event *event = arg;
    event->fn.fd(event->data, (what & EV_READ ? LOOP_READ : 0) | (what & EV_WRITE ? LOOP_WRITE : 0));
}

static void on_signal(evutil_socket_t signal_number, short what, void *arg)
{
    (void)what;
    struct loop_event *event = arg;
    event->fn.signal(event->data, (int)signal_number);
}

static struct loop_event *event_make(struct loop *loop, void *data)
{
    struct loop_event *event = mem_zero(1, sizeof *event);
    if (event == NULL)
        return NULL;
    event->loop = loop;
    event->data = data;
    loop->events++;
    return event;
}

static struct loop_event *event_or_null(struct loop_event *event, int result)
{
    if (result == 0)
        return event;
    loop_drop(event);
    return NULL;
}

struct loop_event *loop_add_timer(struct loop *loop, int64_t ms, void (*fn)(void *data), void *data)
{
    struct loop_event *event = event_make(loop, data);
    if (event == NULL)
        return NULL;
    event->fn.timer = fn;
    evtimer_assign(&event->event, loop->base, on_timer, event);
    struct timeval wait = to_timeval(ms);
    return event_or_null(event, ms >= 0 ? event_add(&event->event, &wait) : 0);
}

void loop_set_timer(struct loop_event *timer, int64_t ms)
{
    event_del(&timer->event); /* also where it is due in this very round */
    struct timeval wait = to_timeval(ms);
    if (ms >= 0 && event_add(&timer->event, &wait) != 0)
        event_active(&timer->event, EV_TIMEOUT, 0);
}

static int watch(struct loop_event *event, evutil_socket_t fd, int what)
{
    short flags = (short)((what & LOOP_READ ? EV_READ : 0) | (what & LOOP_WRITE ? EV_WRITE : 0));
    event->what = what;
    event_assign(&event->event, event->loop->base, fd, (short)(flags | EV_PERSIST), on_fd, event);
    return flags != 0 ? event_add(&event->event, NULL) : 0;
}

struct loop_event *loop_add_fd(struct loop *loop, int fd, int what, void (*fn)(void *data, int what), void *data)
{
    struct loop_event *event = event_make(loop, data);
    if (event == NULL)
        return NULL;
    event->fn.fd = fn;
    return event_or_null(event, watch(event, fd, what));
}

void loop_set_fd(struct loop_event *event, int what)
{
    if (event->what == what)
        return;
    event_del(&event->event);
    if (watch(event, event_get_fd(&event->event), what) != 0)
        event_active(&event->event, (short)(what & LOOP_READ ? EV_READ : EV_WRITE), 0); /* its owner meets the fault at once */
}

struct loop_event *loop_add_signal(struct loop *loop, int signal_number, void (*fn)(void *data, int signal_number), void *data)
{
    struct loop_event *event = event_make(loop, data);
    if (event == NULL)
        return NULL;
    event->fn.signal = fn;
    evsignal_assign(&event->event, loop->base, signal_number, on_signal, event);
    return event_or_null(event, event_add(&event->event, NULL));
}

void loop_drop(struct loop_event *event)
{
    if (event == NULL)
        return;
    event_del(&event->event);
    event->loop->events--;
    mem_free(event);
}

void loop_run(struct loop *loop)
{
    while (!loop->stopped && event_base_loop(loop->base, EVLOOP_NO_EXIT_ON_EMPTY) >= 0)
        ;
}

void loop_stop(struct loop *loop)
{
    loop->stopped = true;
    event_base_loopbreak(loop->base);
}

static void on_round_over(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what, (void)arg; /* that it became due is what ends the wait */
}

void loop_once(struct loop *loop, int64_t ms)
{
    if (ms <= 0) { /* NONBLOCK alone would go on as long as anything is ready */
        event_base_loop(loop->base, EVLOOP_NO_EXIT_ON_EMPTY | EVLOOP_ONCE | (ms == 0 ? EVLOOP_NONBLOCK : 0));
        return;
    }
    struct timeval wait = to_timeval(ms);
    evtimer_assign(&loop->round, loop->base, on_round_over, NULL);
    if (event_add(&loop->round, &wait) != 0)
        event_active(&loop->round, EV_TIMEOUT, 0);
    event_base_loop(loop->base, EVLOOP_NO_EXIT_ON_EMPTY | EVLOOP_ONCE);
    event_del(&loop->round);
}

bool loop_until(struct loop *loop, const bool *done, int64_t ms)
{
    int64_t start = clock_monotonic_ms();
    while (!*done && !loop->stopped) {
        int64_t left = ms < 0 ? -1 : ms - (clock_monotonic_ms() - start);
        if (ms >= 0 && left <= 0) {
            loop_once(loop, 0); /* what is due already still counts */
            break;
        }
        loop_once(loop, left);
    }
    return *done;
}

bool loop_stopped(const struct loop *loop)
{
    return loop->stopped;
}

void loop_clear_stop(struct loop *loop)
{
    loop->stopped = false;
}
