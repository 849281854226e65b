/* workqueue.h: the work queue that every controller runs on (client-go's workqueue): a key is in it once however often it is added, is not handed out twice at a time, and comes back later after a failure.
 */
#ifndef KT_PRACTICE_WORK_WORKQUEUE_H
#define KT_PRACTICE_WORK_WORKQUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "practice/clock/clock.h"

struct workqueue;
struct state;

/* What work is called with when a key could not be kept (no memory): look at everything. It never fails to come. Controllers add it themselves where they must look at all. */
#define WORKQUEUE_ALL ""

/* work is called from the loop with one key at a time ("ns/name"), a few a round so that requests are served in between; false: it failed, the key comes back after 5 ms, doubling up to 1000 s
 * (as the real one's default limiter) with each failure in a row. A key that is added while its work is done comes again. A queue with nothing due sleeps. All times
 * are the cluster clock's; a queue with keys to be done holds it.
 * When what was written in its work cannot be committed (a full disk), and so was undone, WORKQUEUE_ALL comes, too. state NULL: nothing is written. The state is closed later than the queue. */
struct workqueue *workqueue_new(struct cluster_clock *clock, struct state *state, bool (*work)(void *data, const char *key), void *data, struct error *err) __attribute__((warn_unused_result));
void workqueue_free(struct workqueue *queue); /* also from inside work */
/* Without memory, or with WORKQUEUE_KEYS of them, WORKQUEUE_ALL comes a little later instead. */
void workqueue_add(struct workqueue *queue, const char *key);
void workqueue_add_after(struct workqueue *queue, const char *key, int64_t ms); /* of several times the earliest counts */
/* The number of keys that wait or are due later. */
int workqueue_length(const struct workqueue *queue);
enum { WORKQUEUE_KEYS = 1000000 };

#endif
