/* loop.h: the one event loop (libevent): timers, descriptors, signals. Children and ptys are in child.h.
 *
 * Everything runs in one thread; callbacks may add and drop anything, themselves too. A loop with nothing to do sleeps: no polling.
 */
#ifndef KT_LOOP_LOOP_H
#define KT_LOOP_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct loop;
struct loop_event; /* a timer, a watched descriptor or a signal */
struct event_base; /* libevent's, for folders that may use it */

struct loop *loop_new(struct error *err) __attribute__((warn_unused_result));
/* Every event must have been dropped, every child cancelled or done, every pty freed before. Waits for children that are still being
 * ended, which takes no longer than their two seconds until KILL. NULL is fine. */
void loop_free(struct loop *loop);
struct event_base *loop_base(struct loop *loop);

/* Calls fn once, `ms` milliseconds from now (monotonic; 0: in the next round; negative: not yet). The event is then idle; loop_set_timer
 * starts it again. The functions that add return NULL when memory is short (or the descriptor cannot be watched). */
struct loop_event *loop_add_timer(struct loop *loop, int64_t ms, void (*fn)(void *data), void *data) __attribute__((warn_unused_result));
/* (Re)starts it; a negative ms stops it. If memory is short it fires in the next round: a time-out that comes early is better than one
 * that never comes. */
void loop_set_timer(struct loop_event *timer, int64_t ms);

enum { LOOP_READ = 1, LOOP_WRITE = 2 };
/* Calls fn as long as the descriptor is ready, with what it is ready for. The descriptor stays the caller's. */
struct loop_event *loop_add_fd(struct loop *loop, int fd, int what, void (*fn)(void *data, int what), void *data) __attribute__((warn_unused_result));
void loop_set_fd(struct loop_event *event, int what); /* 0 pauses */

struct loop_event *loop_add_signal(struct loop *loop, int signal_number, void (*fn)(void *data, int signal_number), void *data)
    __attribute__((warn_unused_result));

void loop_drop(struct loop_event *event); /* ends it; also from inside its own callback; NULL is fine */

/* Runs until loop_stop. */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);
/* Runs one round: waits for at least one event, at most `ms` (negative: for ever), and calls what is due. */
void loop_once(struct loop *loop, int64_t ms);
/* Runs until *done is true, loop_stop, or `ms` have gone (negative: for ever). True if *done. Not from inside a callback. */
bool loop_until(struct loop *loop, const bool *done, int64_t ms);
/* True once loop_stop was called (a signal asked to end); loop_clear_stop forgets it, so that cleaning up can run the loop again. */
bool loop_stopped(const struct loop *loop);
void loop_clear_stop(struct loop *loop);

#endif
