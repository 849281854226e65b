/* snapshot.h: the file that state_save writes and state_load reads; only for files of this folder, its tests and fuzz target.
 *
 *     "kubetutor state\n"  format  version  names  objects     numbers of 8 bytes, little-endian; `version` is the newest when it was saved
 *     names times: length, bytes                               the first name is resource 1 of this file
 *     objects times: SNAPSHOT_NUMBERS numbers, then the object's tail (object.h) without the last NUL
 *     checksum                                                 over everything before
 *
 * Written beside its place, synced and renamed. No SQLite: these files go from one person to another, and 200 lines can be looked through and fuzzed.
 */
#ifndef KT_PRACTICE_STATE_SNAPSHOT_H
#define KT_PRACTICE_STATE_SNAPSHOT_H

#include <stdio.h>

#include "practice/state/object.h"

enum { SNAPSHOT_FORMAT = 1 };

struct snapshot { /* what is saved; borrowed */
    uint64_t version;
    const char *const *names; /* [number - 1]; NULL: there is none with this number */
    size_t name_count;
    struct object *const *objects;
    size_t object_count;
};

/* Looks at nothing else, so that a thread may do it while the objects' reference counts change. */
bool snapshot_write(const char *path, const struct snapshot *snapshot, struct error *err) __attribute__((warn_unused_result));

/* Told in this order; one that returns false ends the reading. */
struct snapshot_reader {
    bool (*start)(void *data, uint64_t version, struct error *err);
    state_resource (*resource)(void *data, const char *name);                   /* its number here; 0: no memory */
    bool (*names)(void *data, struct error *err);                               /* all were told */
    bool (*object)(void *data, struct object *object, struct error *err);       /* a reference; version is that of the file, resource the number here */
    void *data;
};
/* The whole file, `size` bytes; only after it returned true is what was told known to be undamaged. */
bool snapshot_read(FILE *file, uint64_t size, const char *path, const struct snapshot_reader *reader, struct error *err) __attribute__((warn_unused_result));

#endif
