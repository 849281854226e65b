/* checkpoint.h: moves the write-ahead log into the file, in a thread with a connection of its own, so that the loop never waits for the disk; only for
 * files of this folder and its tests.
 *
 * Its checkpoints never make a writer wait (PASSIVE). Under writes that never pause they never reach the log's end either, and the log grows. Past
 * CHECKPOINT_HARD pages the thread comes as near to the end as it can and then asks for quiet: writers that can should hold their transactions back for
 * the moment that the rest takes. Past CHECKPOINT_MOST, which only writers reach that cannot, the writer has to do it.
 */
#ifndef KT_PRACTICE_STATE_CHECKPOINT_H
#define KT_PRACTICE_STATE_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum {
    CHECKPOINT_PAGES = 1000, /* log pages after which one is worth it */
    CHECKPOINT_HARD = 8192,
    CHECKPOINT_MOST = 65536,
};

struct checkpoint;

/* Starts nothing yet: the thread is made with the first log that is large. NULL: failed. */
struct checkpoint *checkpoint_new(const char *path, struct error *err) __attribute__((warn_unused_result));
/* Waits for one that is under way. NULL is fine. */
void checkpoint_free(struct checkpoint *checkpoint);

/* After each commit: the log's pages. Cheap; if the thread cannot be started it is tried again later. False: the log is too long, the caller has to move it
 * (none is under way). */
bool checkpoint_look(struct checkpoint *checkpoint, uint64_t pages);
/* True: no transaction, please, until the descriptor is readable; checkpoint_is_calm reads it. */
bool checkpoint_wants_quiet(struct checkpoint *checkpoint);
int checkpoint_fd(const struct checkpoint *checkpoint);
void checkpoint_is_calm(struct checkpoint *checkpoint);

#endif
