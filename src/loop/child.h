/* child.h: child processes and ptys on the loop.
 *
 * A child gets default signals and none of our descriptors but its first three. Everything given is copied or done with when the start
 * functions return. They fail with ERROR_NOT_FOUND (no such program or folder), ERROR_DENIED (may not be run), ERROR_LIMIT (no descriptor
 * or process left), ERROR_MEMORY or ERROR_INPUT; nothing is left behind then and nothing is called.
 */
#ifndef KT_LOOP_CHILD_H
#define KT_LOOP_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "loop/loop.h"

struct child;

struct child_options {
    const char *const *argv;        /* NULL-terminated; argv[0] is looked up in our PATH unless it has a slash */
    const char *const *environment; /* NULL-terminated "NAME=value" that are added or replaced; NULL: none */
    const char *folder;             /* working folder; NULL: ours */
    const char *input;              /* bytes for its stdin, then end of file; NULL: /dev/null */
    size_t input_length;
    size_t maximum;        /* bytes of stdout and of stderr, each, that are kept; more ends the child with ERROR_LIMIT */
    int64_t timeout_ms;    /* after which it is killed and the error is ERROR_TIMEOUT; 0: never */
    bool inherit_terminal; /* stdin and stderr are ours (credential plugins that ask questions); it then stays in our process group, so
                              that it may read the terminal and Ctrl-C reaches both, and ending it ends only itself */
    bool merge_output;     /* stderr goes where stdout goes, in order */
};

struct child_result {
    int exit_code;       /* -1 if it ended by a signal */
    int signal_number;   /* or 0 */
    const char *output;  /* borrowed for the callback, NUL-terminated */
    size_t output_length;
    const char *errors;  /* stderr, likewise */
    size_t errors_length;
    const struct error *error; /* NULL, or why it was ended (ERROR_TIMEOUT, ERROR_LIMIT, ERROR_MEMORY); what it wrote is there still */
};

/* Starts it, or returns NULL. `done` is called once, from the loop, when it has ended and its output was read (or its pipes stayed open for 1 s after its
 * end). The child is a process group of its own; ending it (time-out, too much output, child_cancel) sends TERM to the group, and KILL to
 * what is left of it 2 s later, or when the child itself is gone. It may be cancelled, and others started, from inside `done`. */
struct child *child_start(struct loop *loop, const struct child_options *options, void (*done)(void *data, const struct child_result *result),
                          void *data, struct error *err) __attribute__((warn_unused_result));
void child_cancel(struct child *child); /* `done` will not be called; the process is ended and reaped by the loop */

/* A program in a pty, for the shell pane: leader of a session of its own, whose controlling terminal the pty is. read_fn gets bytes as they
 * come, at most 64 KiB at once; exit_fn once, after the last bytes (or when others held the pty for 1 s after the program's end; a paused
 * pty tells its end after it was resumed). Both may call any of these functions, pty_free too. */
struct pty;
struct pty_options {
    const char *const *argv;
    const char *const *environment;
    const char *folder;
    unsigned short columns, rows;
};
struct pty *pty_start(struct loop *loop, const struct pty_options *options, void (*read_fn)(void *data, const char *bytes, size_t length),
                      void (*exit_fn)(void *data, int exit_code, int signal_number), void *data, struct error *err)
    __attribute__((warn_unused_result));
/* Queues bytes for the program, at most 1 MiB waiting; false if that is full (or memory is), and nothing of them is taken then. Bytes for
 * a program that has ended are dropped. */
bool pty_write(struct pty *pty, const char *bytes, size_t length);
void pty_resize(struct pty *pty, unsigned short columns, unsigned short rows);
void pty_pause(struct pty *pty, bool paused); /* flow control: paused, nothing is read */
pid_t pty_pid(const struct pty *pty); /* 0 once exit_fn was called */
void pty_free(struct pty *pty); /* sends HUP to the session (KILL 2 s later) and closes; reaps without blocking; NULL is fine */

#endif
