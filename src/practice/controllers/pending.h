/* pending.h: what a controller did to Pods and has not seen yet: it counts them only when it has. Beside how many (expectations of pod_maker.h) it knows which are to go, so that Pods which
 * others delete meanwhile do not count as its own.
 */
#ifndef KT_PRACTICE_CONTROLLERS_PENDING_H
#define KT_PRACTICE_CONTROLLERS_PENDING_H

#include <stdbool.h>

#include "base/map.h"
#include "practice/work/pod_maker.h"

struct pending {
    const char *kind; /* of the owners; keys are their "ns/name" */
    struct expectations *expectations;
    struct map deletions; /* uids */
};

bool pending_start(struct pending *pending, const char *kind, struct cluster_clock *clock, struct error *err) __attribute__((warn_unused_result));
void pending_stop(struct pending *pending); /* also one that is all zero */
/* To be told of every change of a Pod, before anything else is done about it. */
void pending_observe(struct pending *pending, const struct pods_event *event);
/* Before and, where it failed, after a deletion. False: no memory, not to be tried. */
bool pending_will_delete(struct pending *pending, const struct pod_view *pod) __attribute__((warn_unused_result));
void pending_did_not_delete(struct pending *pending, const struct pod_view *pod);

/* Of a Pod and what it was before: does it go, or did it; has it other labels? */
bool pod_goes(const struct pods_event *event);
bool pod_has_other_labels(const struct pods_event *event);

#endif
