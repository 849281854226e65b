/* scheduler.h: which node each Pod comes to (kube-scheduler's default profile): filters, scores, preemption; FailedScheduling in the real words.
 */
#ifndef KT_PRACTICE_SCHEDULER_SCHEDULER_H
#define KT_PRACTICE_SCHEDULER_SCHEDULER_H

#include "base/error.h"
#include "practice/work/place.h"

struct scheduler;

/* Works as system:kube-scheduler from now on. */
struct scheduler *scheduler_new(const struct place_of_work *place, struct error *err) __attribute__((warn_unused_result));
void scheduler_free(struct scheduler *scheduler); /* NULL is fine */

#endif
