/* event_life.h: Events are gone an hour after they were last written (the real server's --event-ttl, which every write renews;
 * so does a start, as etcd's leases do).
 */
#ifndef KT_PRACTICE_API_EVENT_LIFE_H
#define KT_PRACTICE_API_EVENT_LIFE_H

#include "base/error.h"
#include "practice/api/api.h"

struct event_life;

enum { EVENT_LIFE_MS = 60 * 60 * 1000, EVENT_LIFE_GRAIN_MS = 10 * 1000 /* later than that by so much at most */ };

/* Follows the state from now on; one timer of the cluster's clock is set while there are Events. */
struct event_life *event_life_new(struct api *api, struct error *err) __attribute__((warn_unused_result));
void event_life_free(struct event_life *life); /* NULL is fine */

#endif
