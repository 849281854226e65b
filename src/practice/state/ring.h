/* ring.h: the newest changes, in memory: for each resource its own row of events, and the order among all; only for files of this folder and its tests.
 *
 * The last `open` events are not committed yet: they can be taken back, and never fall off. Of the others the eldest fall off when more than STATE_RING bytes
 * of superseded objects (and the events themselves) are held.
 */
#ifndef KT_PRACTICE_STATE_RING_H
#define KT_PRACTICE_STATE_RING_H

#include "practice/state/set.h"

/* A deque of items of one size; all zero but for `size`: empty. */
struct deque {
    char *items;
    size_t size, room, first, length;
};

bool deque_reserve(struct deque *deque) __attribute__((warn_unused_result)); /* room for one more; false: no memory */
void *deque_push(struct deque *deque);                                       /* a new last item, for which room was reserved */
void *deque_at(const struct deque *deque, size_t index);                     /* 0: the first */
void deque_drop_first(struct deque *deque);                                  /* may give memory back */
void deque_free(struct deque *deque);

struct event {
    uint64_t version;
    int64_t time_ms;
    struct object *object, *previous; /* references; previous NULL: added */
    struct set_node *removed;         /* of a deletion that is open: the node that stood in the set */
    bool deleted;
};

/* What an event alone keeps from being freed, in memory and (as disk_change's frees) in the file. */
uint64_t event_frees(const struct event *event);
enum state_change event_change(const struct event *event);

struct ring_row { /* of one resource */
    struct deque events;
    uint64_t dropped; /* how many fell off so far */
    uint64_t floor;   /* all its changes above this version are in `events` */
};

struct ring_place { /* where an event stands */
    state_resource resource;
    uint64_t nth; /* of all that its row ever had */
};

struct ring {
    struct deque order; /* the places of all events, eldest first */
    size_t open;
    uint64_t bytes;
};

#endif
