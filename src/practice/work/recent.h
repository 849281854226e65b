/* recent.h: the things that were asked for last, by a number (a hash of what they are): a table that forgets the one that was
 * asked for longest ago when it is full. For recorders, and only for this folder.
 */
#ifndef KT_PRACTICE_WORK_RECENT_H
#define KT_PRACTICE_WORK_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recent_entry;

struct recent {
    size_t maximum, size; /* entries; bytes of a thing */
    struct recent_entry **chains;
    size_t room, count;
    struct recent_entry *first, *last; /* first: asked for last */
};

/* Allocates nothing yet. */
struct recent recent_make(size_t maximum, size_t size);
void recent_free(struct recent *recent);
/* The thing of this number, new and zeroed if it was not there. NULL: no memory. Valid until the next call. */
void *recent_get(struct recent *recent, uint64_t key) __attribute__((warn_unused_result));

#endif
