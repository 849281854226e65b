/* disk.h: the file: one row for each version of an object, only ever added and forgotten; only for files of this folder and its tests.
 *
 *     versions(version, previous, ...)   a row replaces `previous` (0: it is the first of its object); change STATE_DELETED: the last of its object
 *     kept(oldest)                       one row: versions up to it may be missing, but for those that are current or `previous` of a younger row
 *     resource(number, name)
 *
 * So what is current are the rows that no younger row names as previous, without the deletions; and the counter goes on above the larger of `oldest` and the
 * youngest row. Everything runs in the one open transaction, if there is one. Functions that fail fill err as store_error does.
 */
#ifndef KT_PRACTICE_STATE_DISK_H
#define KT_PRACTICE_STATE_DISK_H

#include "practice/state/object.h"

struct disk;
struct sqlite3;

/* path NULL: a temporary file without a name. Errors as state_open says, but for the lock. */
struct disk *disk_open(const char *path, struct error *err) __attribute__((warn_unused_result));
void disk_close(struct disk *disk); /* NULL is fine */

bool disk_begin(struct disk *disk, struct error *err) __attribute__((warn_unused_result));
bool disk_commit(struct disk *disk, struct error *err) __attribute__((warn_unused_result));
void disk_rollback(struct disk *disk);
/* See checkpoint.h; without a log there is no descriptor (-1), and quiet is never wanted. */
bool disk_wants_quiet(const struct disk *disk);
int disk_calm_fd(const struct disk *disk);
void disk_is_calm(struct disk *disk);
uint64_t disk_log_pages(const struct disk *disk);
struct sqlite3 *disk_db(struct disk *disk); /* for tests */

struct disk_change {
    enum state_change change;
    uint64_t previous;
    int64_t time_ms;
    uint64_t frees; /* bytes that go when it is forgotten */
};
bool disk_add(struct disk *disk, const struct object *object, const struct disk_change *change, struct error *err) __attribute__((warn_unused_result));

/* What a start needs to know besides the objects. */
struct disk_start {
    uint64_t newest, oldest, history_bytes;
    int64_t first_ms; /* when the first change above `oldest` was made; 0: there is none */
};
bool disk_start(struct disk *disk, struct disk_start *start, struct error *err) __attribute__((warn_unused_result));
/* Hands every current object to fn (a reference each), ascending by version, as long as fn returns true. */
bool disk_current(struct disk *disk, uint64_t oldest, bool (*fn)(void *data, struct object *object, struct error *err), void *data, struct error *err)
    __attribute__((warn_unused_result));
/* The first change of a resource with a version in (after, until], of one namespace if only_ns is not NULL; new references in *event; *found: there is one. */
bool disk_event(struct disk *disk, state_resource resource, const char *only_ns, uint64_t after, uint64_t until, struct state_event *event, bool *found,
                struct error *err) __attribute__((warn_unused_result));
/* What changes above `version` replaced that stood then: objects without their texts (text NULL), in no order, pushed to `past`. */
bool disk_past(struct disk *disk, state_resource resource, const char *only_ns, uint64_t version, struct vec *past, struct error *err)
    __attribute__((warn_unused_result));
struct object *disk_object(struct disk *disk, uint64_t version, struct error *err) __attribute__((warn_unused_result)); /* whole; NULL: failed */

/* Forgets changes above *oldest, eldest first, that are older than STATE_KEEP_MS, and others as long as *bytes is above STATE_HISTORY; at most DISK_STEP
 * of them and little more than DISK_STEP_BYTES, in a transaction of its own. On success *oldest and *bytes are what is left, *next_ms the time of the
 * eldest change left (0: none). */
enum { DISK_STEP = 128, DISK_STEP_BYTES = 1 << 20 };
bool disk_forget(struct disk *disk, int64_t now_ms, uint64_t *oldest, uint64_t *bytes, int64_t *next_ms, struct error *err)
    __attribute__((warn_unused_result));
/* Drops every version. */
bool disk_clear(struct disk *disk, struct error *err) __attribute__((warn_unused_result));
/* Sets `oldest`, above which the counter goes on. */
bool disk_keep(struct disk *disk, uint64_t oldest, struct error *err) __attribute__((warn_unused_result));
/* Gives room that is not needed back to the file system, if it can. */
void disk_shrink(struct disk *disk);

bool disk_resources(struct disk *disk, bool (*fn)(void *data, state_resource number, const char *name, struct error *err), void *data, struct error *err)
    __attribute__((warn_unused_result));
bool disk_add_resource(struct disk *disk, state_resource number, const char *name, struct error *err) __attribute__((warn_unused_result));

#endif
