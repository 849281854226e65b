/* kernel.h: processes. Each is a task: a program of ours that runs on a stack of its own and gives the processor up where it would block, or, for daemons that only serve, a set of callbacks
 * without a stack. Everything is the loop's one thread: nothing changes while a task runs but by its own calls.
 *
 * A task that is killed unwinds by itself: from then on every call that could block fails with -EINTR at once and task_dying is true; its main frees what it holds and returns. So a main
 * treats any failing read or write as the end, and asks task_step in loops that do without. Memory is base/mem's.
 */
#ifndef KT_PRACTICE_SIM_KERNEL_H
#define KT_PRACTICE_SIM_KERNEL_H

#include <signal.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"
#include "practice/clock/clock.h"
#include "practice/sim/fs.h"
#include "practice/sim/handle.h"

enum {
    TASK_FDS = 32,
    TASK_MOST = 16384,      /* processes of the kernel that have a stack at the same time; fork says -EAGAIN then */
    TASK_BOX_MOST = 1024,   /* processes of one container (pids limit) */
    TASK_ARGUMENTS = 128 << 10, /* bytes of arguments and of environment: -E2BIG */
};

/* ---- the kernel ---- */

struct kernel;
struct kernel *kernel_new(struct cluster_clock *clock, struct error *err) __attribute__((warn_unused_result));
void kernel_free(struct kernel *kernel); /* every task must have ended */
int64_t kernel_now(const struct kernel *kernel); /* the cluster's clock, ms */
struct cluster_clock *kernel_clock(const struct kernel *kernel);

/* Something to do on the main stack, in the next round of the loop: callbacks to the world outside are never made from a task's stack. Zeroed but for fn and data; deferring twice is once. */
struct kernel_work {
    struct kernel_work *next, *previous;
    struct kernel *kernel;
    void (*fn)(void *data);
    void *data;
};
void kernel_defer(struct kernel *kernel, struct kernel_work *work);
void kernel_forget(struct kernel_work *work); /* before its memory goes */

/* ---- programs ---- */

struct daemon_ops { /* all on the main stack; the task's own part is task->self */
    void (*start)(struct task *task, int argc, char **argv); /* may call task_end */
    bool (*signal)(struct task *task, int signal);           /* true: seen to. False or NULL: the default action */
    void (*stop)(struct task *task);                         /* it ends, for whatever reason: drop waiters, timers, self */
};
struct program {
    const char *name; /* what an executable file names (fs_put_program) */
    int (*main)(struct task *task, int argc, char **argv); /* the exit code; or */
    const struct daemon_ops *daemon;
    int64_t memory;   /* bytes that it is said to use */
    bool server;      /* stands only in images that name it, not beside the shell's tools */
    bool multi_call;  /* busybox: it is the program that argv[0] names, or argv[1] where argv[0] names itself */
};
/* The tables are listed in programs.c. */
const struct program *program_find(const char *name);
void program_names(struct vec *names); /* all of them, borrowed */

/* ---- a container as the kernel sees it; who fills it: box.h ---- */
struct box;

/* ---- tasks ---- */

enum task_state { TASK_RUNNABLE, TASK_WAITING, TASK_ZOMBIE };
struct coroutine;

struct task {
    struct kernel *kernel;
    struct box *box;
    struct fs_who who;      /* uid, gid, cwd, the container's files */
    struct task *next, *previous;             /* of the box's process namespace */
    struct task *queue_next, *queue_previous; /* of the run queue */
    struct task *parent;    /* NULL: from outside (process 1, exec) */
    int pid, group;
    enum task_state state;
    const struct program *program;
    char **argv, **env;     /* owned; NULL-terminated */
    unsigned umask;
    struct handle *fds[TASK_FDS];
    uint32_t close_on_exec; /* a bit a descriptor */
    struct tty *tty;        /* its controlling terminal, or NULL */
    uint64_t caught, ignored, pending; /* a bit a signal */
    bool dying, queued, spinning;
    int code, killed_by;    /* how it ended: exit code, or the signal */
    int64_t started_ms, memory;
    void *self;             /* a daemon's own */
    struct buf out;         /* applet_print's */
    /* the kernel's part */
    struct coroutine *coroutine;
    struct cluster_timer *timer;
    struct wait_queue children; /* waits for a child to end */
    struct kernel_work work;
    struct spawn_next *next_program; /* task_exec */
    unsigned steps;
    int64_t busy_us;
    void (*ended)(struct task *task, void *data); /* for a task without a parent: on the main stack, once; the task is gone after it */
    void *ended_data;
};

struct spawn {
    const char *path;        /* the executable; or, for a part of the parent's own program (a subshell): */
    int (*main)(struct task *task, void *data);
    void (*drop)(void *data); /* data's end, once, whether it ran or not */
    void *data;
    char **argv, **env;      /* copied; NULL: the parent's */
    bool new_group;
    struct handle **fds;     /* TASK_FDS of them, referenced anew; NULL: the parent's (with path without close_on_exec) */
};
/* A child of `parent`. NULL: *error is -ENOENT, -EACCES, -ENOEXEC (a text without #!), -EAGAIN, -ENOMEM, -E2BIG, -ELOOP. */
struct task *task_spawn(struct task *parent, const struct spawn *spawn, int *error) __attribute__((warn_unused_result));
/* Replaces the program once the running main has returned (its return value is ignored then): `return task_exec(...)`. 0, or as above: nothing happened. */
int task_exec(struct task *task, const char *path, char *const *argv, char *const *env);
/* Where a word leads by PATH of env (NULL: the task's): the file's path in `out`, or -ENOENT, -EACCES. A word with a slash is itself. */
int task_find(const struct task *task, const char *word, char *const *env, char out[static FS_PATH]);
void task_end(struct task *task, int code); /* a daemon's exit */

char **task_copy_strings(char *const *strings); /* a NULL-terminated list; NULL: no memory */
void task_free_strings(char **strings);
const char *task_env(const struct task *task, const char *name); /* the value or NULL */

/* ---- blocking; from its own stack only. -EINTR: a caught signal is pending, or it is dying ---- */

bool task_dying(const struct task *task);
/* n units of work were done (a unit is about a microsecond). Others run once the slice is over. False: it is dying. */
bool task_step(struct task *task, unsigned n);
/* Waits until somebody wakes the queue (or task_wake). deadline_ms of the cluster's clock, -1 for none: -ETIMEDOUT. NULL: only time and signals. */
int task_block(struct task *task, struct wait_queue *queue, int64_t deadline_ms);
void task_wake(struct task *task);
int task_sleep(struct task *task, int64_t ms);

ssize_t task_read(struct task *task, int fd, void *bytes, size_t length);
ssize_t task_write(struct task *task, int fd, const void *bytes, size_t length); /* all of it, or an error (SIGPIPE has been sent with -EPIPE) */
struct task_poll {
    int fd;
    unsigned wanted, ready; /* HANDLE_READ ...; HANDLE_HUNG is always looked for */
};
int task_poll(struct task *task, struct task_poll *polls, size_t count, int64_t deadline_ms); /* how many are ready; 0: the deadline */

/* ---- descriptors ---- */

struct handle *task_handle(const struct task *task, int fd); /* borrowed; NULL: -EBADF */
int task_open(struct task *task, const char *path, int flags, unsigned mode); /* the lowest free descriptor */
int task_install(struct task *task, struct handle *handle, int lowest, bool close_on_exec); /* takes the reference; -EMFILE frees it */
int task_dup2(struct task *task, int from, int to);
int task_close(struct task *task, int fd);
int task_pipe(struct task *task, int ends[static 2]);

/* ---- signals and children ---- */

int task_kill(struct task *task, int pid, int signal); /* pid as kill(2): 0 and below are groups, -1 all; signal 0 only looks. -ESRCH, -EPERM */
void task_signal(struct task *task, int signal, bool outside); /* outside: from no process of its namespace, so KILL works on process 1 */
void task_catch(struct task *task, int signal, bool caught);
void task_ignore(struct task *task, int signal, bool ignored);
int task_caught(struct task *task); /* takes the next pending caught signal; 0: none */
struct task_status {
    int pid, code, signal;
};
/* pid -1: any child. 0 with hang false: none has ended yet. -ECHILD. On success the pid. */
int task_wait(struct task *task, int pid, bool hang, struct task_status *status);
struct task *task_by_pid(const struct task *task, int pid); /* of its namespace; NULL */

/* ---- resources ---- */

/* Bytes that the program says it uses now, beside its table's. More than the container may have: it is killed (false). */
bool task_memory(struct task *task, int64_t bytes);
size_t task_stack_left(const struct task *task); /* bytes; recursive programs stop in time */

#endif
