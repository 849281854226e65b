/* handle.h: open files as processes hold them (what Unix calls an open file description), and queues in which one waits.
 *
 * A handle's operations never block: they say -EAGAIN, and task_read and task_write (kernel.h) wait in the handle's queue and try again. Whoever makes bytes or room calls wait_wake on it.
 * Numbers below zero are -errno everywhere in this folder.
 */
#ifndef KT_PRACTICE_SIM_HANDLE_H
#define KT_PRACTICE_SIM_HANDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- waiting ---- */

struct task;
struct waiter;
struct wait_queue { /* zeroed: empty. Must be empty when its memory is freed */
    struct waiter *first, *last;
};
struct waiter { /* zeroed: in no queue */
    struct waiter *next, *previous;
    struct wait_queue *queue;
    struct task *task;                        /* becomes runnable; or, where fn is set: */
    void (*fn)(struct waiter *waiter);        /* called inside wait_wake: it may take itself out and defer work (kernel.h), nothing else */
    void *data;
};
void wait_add(struct wait_queue *queue, struct waiter *waiter);
void wait_remove(struct waiter *waiter); /* in none: nothing */
void wait_wake(struct wait_queue *queue); /* all of them; they stay until they take themselves out */

/* ---- handles ---- */

enum { HANDLE_READ = 1, HANDLE_WRITE = 2, HANDLE_HUNG = 4 };

struct handle;
struct tty;
struct fs_node;
struct handle_ops {
    ssize_t (*read)(struct handle *handle, void *bytes, size_t length);        /* 0: the end. NULL: -EBADF */
    ssize_t (*write)(struct handle *handle, const void *bytes, size_t length); /* may take fewer. NULL: -EBADF. -EPIPE: the writer also gets SIGPIPE */
    unsigned (*ready)(const struct handle *handle);                            /* NULL: always for both */
    int64_t (*seek)(struct handle *handle, int64_t offset, int whence);        /* NULL: -ESPIPE */
    void (*close)(struct handle *handle);                                      /* with the last reference; NULL is fine */
};
struct handle {
    const struct handle_ops *ops;
    unsigned references;
    int flags; /* O_ACCMODE, O_APPEND, O_NONBLOCK */
    struct wait_queue *waiters; /* where its users wait (its own, or one that both ends share); NULL: its operations never say -EAGAIN */
    void *self;
    struct fs_node *node;  /* a reference, or NULL; what fstat sees */
    struct tty *tty;       /* borrowed: it is this terminal's */
    char *name;            /* where /proc/PID/fd/N points: "/tmp/x", "pipe:[12]"; owned */
    int64_t offset;
};
/* One reference. name is copied. NULL: no memory. */
struct handle *handle_new(const struct handle_ops *ops, void *self, int flags, const char *name) __attribute__((warn_unused_result));
struct handle *handle_ref(struct handle *handle); /* returns it; NULL is fine */
void handle_free(struct handle *handle);          /* one reference less; NULL is fine */
unsigned handle_ready(const struct handle *handle);

/* Two new handles, the end to read from and the one to write to; PIPE_ROOM bytes between them. */
enum { PIPE_ROOM = 64 << 10 };
bool pipe_new(struct handle **reader, struct handle **writer) __attribute__((warn_unused_result));
/* The same handle as /dev/null has. */
struct handle *null_new(int flags) __attribute__((warn_unused_result));

#endif
