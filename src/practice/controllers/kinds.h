/* kinds.h: informers of every kind that something is asked of, those of CRDs as they come and go; only for controllers and tests.
 */
#ifndef KT_PRACTICE_CONTROLLERS_KINDS_H
#define KT_PRACTICE_CONTROLLERS_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "practice/controllers/internal.h"

struct followed { /* one resource */
    void *owner; /* who follows it */
    char *group, *version, *plural;
    uint64_t round; /* the last comparison that found it */
    struct informer *informer;
};

/* Filled by who follows, but for what is below. */
struct following {
    struct api *api;
    struct client *reader;
    struct workqueue *queue;
    const char *key; /* what goes into the queue, a little later, when there may be other kinds; kinds_follow is to be called then */
    bool (*wants)(const struct schema_kind *kind); /* of those that can be listed, watched and deleted */
    void (*changed)(void *followed, const struct informer_event *event); /* data is the struct followed */
    void (*ends)(void *owner, const struct followed *followed); /* the kind is gone; NULL: nothing to do then */
    void *owner;

    struct map followed; /* "plural.group" -> struct followed, owned */
    uint64_t generation; /* of the kinds that they are of */
    uint64_t round;
    struct informer *definitions;
};

/* Follows what there is. False: no memory, kinds_stop is due all the same. */
bool kinds_start(struct following *following, struct error *err) __attribute__((warn_unused_result));
/* Compares what is followed with the kinds that there are now. False: no memory; to be tried again. */
bool kinds_follow(struct following *following) __attribute__((warn_unused_result));
/* True if every kind has an informer, and each has told what is committed by now. Kinds that came or went are looked for at once. */
bool kinds_current(struct following *following);
/* Follows none any more, without a call of ends; kinds_follow begins anew. */
void kinds_forget(struct following *following);
void kinds_stop(struct following *following); /* also one that is all zero */

#endif
