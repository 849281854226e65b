/* clock.h: the cluster's clock, and timers that go by it. Everything that the API calls a duration (back-offs, grace periods,
 * deadlines, schedules), what a container sleeps, and every timestamp in an object is this clock's. It goes with the wall, but
 * for a rate and for steps: a lesson or a test lets five minutes pass at once.
 *
 * A step goes through what is due on the way: time stands at the earliest timer's moment, it fires, what follows from it is
 * done (see cluster_clock_hold), then comes the next one. So a Pod that crashes and backs off five times does so five times
 * within one step, each at its time.
 */
#ifndef KT_PRACTICE_CLOCK_CLOCK_H
#define KT_PRACTICE_CLOCK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "loop/loop.h"

struct cluster_clock;
struct cluster_timer;

/* Begins at the wall's time and `offset_ms`, which is 0 or what a clock before had (cluster_clock_offset), so that a restarted
 * cluster does not go back. */
struct cluster_clock *cluster_clock_new(struct loop *loop, int64_t offset_ms, struct error *err)
    __attribute__((warn_unused_result));
void cluster_clock_free(struct cluster_clock *clock); /* every timer must be freed before; NULL is fine. A step that is under
                                                         way ends without its done */
struct loop *cluster_clock_loop(const struct cluster_clock *clock);

/* ms since 1970. Goes back only where the wall does. */
int64_t cluster_clock_ms(const struct cluster_clock *clock);
int64_t cluster_clock_offset(const struct cluster_clock *clock); /* ms that it is ahead of the wall now */
/* From now on so many seconds a second (1 to CLUSTER_CLOCK_RATE); ERROR_INPUT for others. What went ahead stays ahead. */
enum { CLUSTER_CLOCK_RATE = 1000 };
bool cluster_clock_set_rate(struct cluster_clock *clock, double rate, struct error *err);
/* Goes forward by ms (more than 0, at most CLUSTER_CLOCK_STEP) as told above; done is called from the loop at the end.
 * ERROR_EXISTS: another step is under way. */
#define CLUSTER_CLOCK_STEP (400LL * 24 * 3600 * 1000)
bool cluster_clock_step(struct cluster_clock *clock, int64_t ms, void (*done)(void *data), void *data, struct error *err)
    __attribute__((warn_unused_result));
bool cluster_clock_stepping(const struct cluster_clock *clock);

/* Who has work that must be done before time goes on in a step (keys in a queue, a process that can run, a request that was not
 * answered) holds the clock; each hold is let go once. Outside of a step it costs nothing. Commits, and the events that follow
 * them, need no hold: a step waits for some quiet rounds of the loop each time. */
void cluster_clock_hold(struct cluster_clock *clock);
void cluster_clock_let_go(struct cluster_clock *clock);

/* A timer that is not set. fn is called from the loop; it may set and free any timer, its own too. NULL: no memory. */
struct cluster_timer *cluster_timer_new(struct cluster_clock *clock, void (*fn)(void *data), void *data)
    __attribute__((warn_unused_result));
/* Fires once when the clock comes to at_ms (past: in the next round), again only when set again. Setting replaces. It needs no
 * memory. */
void cluster_timer_set(struct cluster_timer *timer, int64_t at_ms);
void cluster_timer_set_after(struct cluster_timer *timer, int64_t ms);
void cluster_timer_stop(struct cluster_timer *timer);
bool cluster_timer_is_set(const struct cluster_timer *timer);
void cluster_timer_free(struct cluster_timer *timer); /* NULL is fine */

#endif
