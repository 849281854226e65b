/* kernel_internal.h: what kernel.c, task.c and signal.c share.
 */
#ifndef KT_PRACTICE_SIM_KERNEL_INTERNAL_H
#define KT_PRACTICE_SIM_KERNEL_INTERNAL_H

#include "practice/sim/box.h"
#include "practice/sim/coroutine.h"
#include "practice/sim/kernel.h"

struct task_queue {
    struct task *first, *last;
};

struct kernel {
    struct cluster_clock *clock;
    struct coroutines *coroutines;
    struct task *current;          /* whose stack is the processor's, or NULL */
    struct task_queue runnable, spinning; /* those whose container computed too long wait in the second */
    struct kernel_work *first_work, *last_work;
    struct loop_event *turn;
    bool armed, held;
};

/* What a task will run, or runs next. */
struct spawn_next {
    const struct program *program; /* or, for a subshell: */
    int (*main)(struct task *task, void *data);
    void (*drop)(void *data);
    void *data;
    char **argv, **env;
};
/* Finds the executable, follows #!, and copies arguments. 0 or -errno. */
int task_load(const struct task *task, const char *path, char *const *argv, char *const *env, struct spawn_next *out);
void task_next_drop(struct spawn_next *next);

void kernel_enqueue(struct task *task);  /* it can run, or it must end */
void kernel_dequeue(struct task *task);
void kernel_run_task(struct task *task); /* one slice, on the main stack */
void task_finish(struct task *task);     /* on the main stack: it has returned or is killed */
void task_reap(struct task *task);       /* a zombie's memory */
void task_default_signal(struct task *task, int signal);

#endif
