/* process.h: one process: started, watched, ended, reaped. Internal to this folder; child.c and pty.c are built on it.
 *
 * An ended process stays unreaped until its owner releases it. So its number cannot go to another process, and ending "its
 * group" never hits a stranger.
 */
#ifndef KT_LOOP_PROCESS_H
#define KT_LOOP_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "loop/loop.h"

struct process;

struct process_options {
    const char *const *argv; /* these three as in child.h */
    const char *const *environment;
    const char *folder;
    int stdio[3]; /* descriptors (3 or higher) for the process, -1: /dev/null, PROCESS_OURS: the one that we have */
    const char
        *terminal;  /* path of a tty that becomes all three and the controlling terminal of a new session; NULL: a new group */
    bool our_group; /* neither: it stays in ours */
};
enum { PROCESS_OURS = -2 };

/* Starts it with default signals, an empty signal mask and no descriptors but the three. ended_fn is called once, from the
 * loop, when it has ended, and may release it. */
struct process *process_start(struct loop *loop, const struct process_options *options, void (*ended_fn)(void *data),
                              void *data, struct error *err) __attribute__((warn_unused_result));
pid_t process_pid(const struct process *process);
bool process_ended(const struct process *process);
/* Of an ended one: the code (else -1) and the signal (else 0). */
void process_status(const struct process *process, int *exit_code, int *signal_number);

/* Sends a signal to its group (to it alone where it stays in ours), and KILL two seconds later. */
void process_end(struct process *process, int signal_number);

/* The owner's last call: ended_fn is not called any more, the loop reaps it when it ends. With kill_rest, what is left of its
 * group then is killed. */
void process_release(struct process *process, bool kill_rest);

/* Moves a new descriptor to 3 or higher, closed on exec, so that it is not in the way of a child's first three (we may have
 * been started without them). Takes -1 too; -1 with errno on failure, the old one is closed then. */
int process_high(int fd) __attribute__((warn_unused_result));

/* A pair of descriptors from pipe(2), such as process_high gives, the read end not blocking. On failure false, errno says why,
 * and what is not -1 is the caller's to close. */
bool process_pipe(int ends[2]) __attribute__((warn_unused_result));

#endif
