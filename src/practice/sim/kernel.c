/* kernel: turns. In each round of the loop what can run runs, for some milliseconds at most; a container that computes without end falls behind, so that the server lives on and the
 * machine stays cool. */
#include "practice/sim/kernel_internal.h"

#include <errno.h>

#include "base/clock.h"
#include "base/mem.h"
#include "loop/loop.h"

enum {
    TURN_US = 4000,          /* of one round of the loop */
    SLICE = 1000,            /* units (task_step) until others run */
    DEBT_US = 500000,        /* what a container may compute at full speed ... */
    DEBT_SHARE = 3,          /* ... and then of each 3 us one ... */
    LONG_US = 10000000,      /* ... and after so much */
    LONG_SHARE = 20,         /* of each 20 one */
    LOOK_AGAIN_MS = 10,
};

int64_t kernel_now(const struct kernel *kernel)
{
    return cluster_clock_ms(kernel->clock);
}

struct cluster_clock *kernel_clock(const struct kernel *kernel)
{
    return kernel->clock;
}

/* ---- queues ---- */

static void push(struct task_queue *queue, struct task *task)
{
    task->queue_next = NULL;
    task->queue_previous = queue->last;
    *(queue->last ? &queue->last->queue_next : &queue->first) = task;
    queue->last = task;
}

static void take(struct task_queue *queue, struct task *task)
{
    *(task->queue_previous ? &task->queue_previous->queue_next : &queue->first) = task->queue_next;
    *(task->queue_next ? &task->queue_next->queue_previous : &queue->last) = task->queue_previous;
    task->queue_next = task->queue_previous = NULL;
}

static void arm(struct kernel *kernel)
{
    bool soon = kernel->runnable.first || kernel->first_work;
    if (soon != kernel->held) {
        kernel->held = soon;
        (soon ? cluster_clock_hold : cluster_clock_let_go)(kernel->clock);
    }
    if (soon && !kernel->armed)
        loop_set_timer(kernel->turn, 0);
    else if (!soon && kernel->spinning.first)
        loop_set_timer(kernel->turn, LOOK_AGAIN_MS);
    kernel->armed = soon;
}

/* What the container owes shrinks with time. */
static int64_t debt(struct box *box)
{
    int64_t now = clock_monotonic_us();
    int64_t paid = (now - box->debt_at_us) / (box->long_us > LONG_US ? LONG_SHARE : DEBT_SHARE);
    if (paid > 0) {
        box->debt_us = box->debt_us > paid ? box->debt_us - paid : 0;
        box->debt_at_us = now;
    }
    if (box->debt_us == 0)
        box->long_us = 0;
    return box->debt_us;
}

void kernel_enqueue(struct task *task)
{
    struct kernel *kernel = task->kernel;
    if (task->queued && task->spinning && task->dying)
        kernel_dequeue(task);
    if (task->queued)
        return;
    task->queued = true;
    task->spinning = !task->dying && debt(task->box) > DEBT_US;
    push(task->spinning ? &kernel->spinning : &kernel->runnable, task);
    arm(kernel);
}

void kernel_dequeue(struct task *task)
{
    if (!task->queued)
        return;
    task->queued = false;
    take(task->spinning ? &task->kernel->spinning : &task->kernel->runnable, task);
    arm(task->kernel);
}

void kernel_defer(struct kernel *kernel, struct kernel_work *work)
{
    if (work->kernel)
        return;
    work->kernel = kernel;
    work->next = NULL;
    work->previous = kernel->last_work;
    *(kernel->last_work ? &kernel->last_work->next : &kernel->first_work) = work;
    kernel->last_work = work;
    arm(kernel);
}

void kernel_forget(struct kernel_work *work)
{
    struct kernel *kernel = work->kernel;
    if (!kernel)
        return;
    *(work->previous ? &work->previous->next : &kernel->first_work) = work->next;
    *(work->next ? &work->next->previous : &kernel->last_work) = work->previous;
    work->kernel = NULL;
    arm(kernel);
}

/* ---- turns ---- */

void kernel_run_task(struct task *task)
{
    struct kernel *kernel = task->kernel;
    if (!task->coroutine) { /* a daemon is only here to end */
        task_finish(task);
        return;
    }
    int64_t start = clock_monotonic_us();
    kernel->current = task;
    task->steps = 0;
    task->state = TASK_RUNNABLE;
    bool more = coroutine_run(task->coroutine);
    kernel->current = NULL;
    int64_t spent = clock_monotonic_us() - start;
    task->busy_us += spent;
    task->box->debt_us += spent;
    task->box->long_us += spent;
    if (!more)
        task_finish(task);
    else if (task->state == TASK_RUNNABLE)
        kernel_enqueue(task);
}

static void turn(void *data)
{
    struct kernel *kernel = data;
    int64_t end = clock_monotonic_us() + TURN_US;
    kernel->armed = false;
    struct kernel_work *last = kernel->last_work;
    for (struct kernel_work *work = kernel->first_work; last && work; work = kernel->first_work) {
        bool final = work == last;
        void (*fn)(void *data) = work->fn;
        void *of = work->data;
        kernel_forget(work);
        fn(of);
        if (final || clock_monotonic_us() > end)
            break;
    }
    for (struct task *task = kernel->spinning.first, *next; task; task = next) {
        next = task->queue_next;
        if (debt(task->box) <= DEBT_US) {
            kernel_dequeue(task);
            kernel_enqueue(task);
        }
    }
    do {
        struct task *task = kernel->runnable.first;
        if (!task)
            break;
        kernel_dequeue(task);
        kernel_run_task(task);
    } while (clock_monotonic_us() < end);
    arm(kernel);
}

bool task_step(struct task *task, unsigned n)
{
    task->steps += n;
    if (task->steps > SLICE && !task->dying && task->kernel->current == task) {
        task->steps = 0;
        coroutine_yield(task->kernel->coroutines);
    }
    return !task->dying;
}

bool task_dying(const struct task *task)
{
    return task->dying;
}

size_t task_stack_left(const struct task *task)
{
    return coroutine_stack_left(task->coroutine);
}

/* ---- waiting ---- */

static int interrupted(const struct task *task)
{
    return task->dying || (task->pending & task->caught) ? -EINTR : 0;
}

void task_wake(struct task *task)
{
    if (task->state != TASK_WAITING)
        return;
    task->state = TASK_RUNNABLE;
    kernel_enqueue(task);
}

static void time_over(void *data)
{
    task_wake(data);
}

int task_block(struct task *task, struct wait_queue *queue, int64_t deadline_ms)
{
    if (interrupted(task) != 0)
        return -EINTR;
    if (deadline_ms >= 0 && kernel_now(task->kernel) >= deadline_ms)
        return -ETIMEDOUT;
    if (deadline_ms >= 0 && !task->timer && !(task->timer = cluster_timer_new(task->kernel->clock, time_over, task)))
        return -ENOMEM;
    if (deadline_ms >= 0)
        cluster_timer_set(task->timer, deadline_ms);
    struct waiter waiter = {.task = task};
    if (queue)
        wait_add(queue, &waiter);
    task->state = TASK_WAITING;
    coroutine_yield(task->kernel->coroutines);
    wait_remove(&waiter);
    if (deadline_ms >= 0)
        cluster_timer_stop(task->timer);
    return interrupted(task);
}

int task_sleep(struct task *task, int64_t ms)
{
    int64_t until = kernel_now(task->kernel) + (ms > 0 ? ms : 0);
    int got;
    do
        got = task_block(task, NULL, until);
    while (got == 0);
    return got == -ETIMEDOUT ? 0 : got;
}

int task_poll(struct task *task, struct task_poll *polls, size_t count, int64_t deadline_ms)
{
    enum { MOST = TASK_FDS };
    struct waiter waiters[MOST];
    if (count > MOST)
        return -EINVAL;
    for (;;) {
        int ready = 0;
        for (size_t i = 0; i < count; i++) {
            struct handle *handle = task_handle(task, polls[i].fd);
            polls[i].ready = handle ? handle_ready(handle) & (polls[i].wanted | HANDLE_HUNG) : (unsigned)HANDLE_HUNG;
            ready += polls[i].ready != 0;
        }
        if (ready > 0)
            return ready;
        for (size_t i = 0; i < count; i++) {
            struct handle *handle = task_handle(task, polls[i].fd);
            waiters[i] = (struct waiter){.task = task};
            if (handle->waiters)
                wait_add(handle->waiters, &waiters[i]);
        }
        int got = task_block(task, NULL, deadline_ms);
        for (size_t i = 0; i < count; i++)
            wait_remove(&waiters[i]);
        if (got != 0)
            return got == -ETIMEDOUT ? 0 : got;
    }
}

int64_t kernel_box_busy(const struct box *box)
{
    int64_t busy = 0;
    for (const struct task *task = box->pids->first; task; task = task->next)
        busy += task->box == box && task->queued && task->spinning ? 1000 : 0;
    return busy > 0 ? busy : box->tasks > 0;
}

/* ---- whole containers, whole kernels ---- */

void kernel_end_box(struct box *box)
{
    box->ending = true;
    box_kill_all(box);
    for (;;) {
        struct task *task = box->pids->first;
        while (task && (task->box != box || task->state == TASK_ZOMBIE))
            task = task->next;
        if (!task)
            break;
        kernel_dequeue(task);
        kernel_run_task(task);
    }
    for (struct task *task = box->pids->first, *next; task; task = next) {
        next = task->next;
        if (task->box == box)
            task_reap(task);
    }
}

struct kernel *kernel_new(struct cluster_clock *clock, struct error *err)
{
    struct kernel *kernel = mem_zero(1, sizeof *kernel);
    if (!kernel || !(kernel->coroutines = coroutines_new(TASK_MOST)) || !(kernel->turn = loop_add_timer(cluster_clock_loop(clock), -1, turn, kernel))) {
        if (kernel)
            coroutines_free(kernel->coroutines);
        mem_free(kernel);
        error_memory(err);
        return NULL;
    }
    kernel->clock = clock;
    return kernel;
}

void kernel_free(struct kernel *kernel)
{
    if (!kernel)
        return;
    while (kernel->first_work)
        kernel_forget(kernel->first_work);
    loop_drop(kernel->turn);
    coroutines_free(kernel->coroutines);
    mem_free(kernel);
}
