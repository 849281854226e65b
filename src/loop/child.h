/* child.h: child processes and ptys on the loop.
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
    const char *const *argv;        /* NULL-terminated; argv[0] is looked up in PATH unless it has a slash */
    const char *const *environment; /* NULL-terminated "NAME=value" that are added or replaced; NULL: none */
    const char *folder;             /* working folder; NULL: ours */
    const char *input;              /* bytes for its stdin, then end of file; NULL: /dev/null */
    size_t input_length;
    size_t maximum;        /* bytes of stdout and of stderr, each, that are kept; more ends the child with ERROR_LIMIT */
    int64_t timeout_ms;    /* after which it is killed and the error is ERROR_TIMEOUT; 0: never */
    bool inherit_terminal; /* stdin and stderr are ours (credential plugins that ask questions) */
    bool merge_output;     /* stderr goes where stdout goes, in order */
};

struct child_result {
    int exit_code;       /* -1 if it ended by a signal */
    int signal_number;   /* or 0 */
    const char *output;  /* borrowed for the callback, NUL-terminated */
    size_t output_length;
    const char *errors;  /* stderr, likewise */
    size_t errors_length;
    const struct error *error; /* NULL, or why it could not run or was ended */
};

/* Starts it; `done` is called once, from the loop, when it has ended and its output was read (or its pipes stayed open for 1 s after its
 * end). The child is a process group of its own; ending it (time-out, child_cancel) sends TERM to the group, KILL 2 s later. */
struct child *child_start(struct loop *loop, const struct child_options *options, void (*done)(void *data, const struct child_result *result),
                          void *data, struct error *err) __attribute__((warn_unused_result));
void child_cancel(struct child *child); /* `done` will not be called; the process is ended and reaped by the loop */

/* A program in a pty, for the shell pane. read_fn gets bytes as they come; exit_fn once, after the last bytes. */
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
/* Queues bytes for the program, at most 1 MiB waiting; false if that is full. */
bool pty_write(struct pty *pty, const char *bytes, size_t length);
void pty_resize(struct pty *pty, unsigned short columns, unsigned short rows);
void pty_pause(struct pty *pty, bool paused); /* flow control: paused, nothing is read */
pid_t pty_pid(const struct pty *pty);
void pty_free(struct pty *pty); /* sends HUP to the session and closes; reaps without blocking */

#endif
