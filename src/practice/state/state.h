/* state.h: the practice cluster's objects: current versions in memory, every version of the last minutes in history, all of it in one SQLite file.
 *
 * An object here is a text and an index; what they mean is the API's business. Versions (resourceVersion) are one counter for everything; none is ever
 * used twice.
 *
 * Writing: state_put and state_delete change memory at once; the file follows in one transaction at the end of the loop's round (or after STATE_BATCH
 * writes). Only then state_after_commit's callbacks run, watches see the events, and readers should answer. If the commit fails (disk full), memory goes
 * back to what it was, and the callbacks get the error: nothing was acknowledged, nothing is half there; the versions of what was undone are not used again
 * by this process. No room is ERROR_LIMIT, any other failure of the file ERROR_INTERNAL: a file that was deleted or replaced under us, too. Under writes that never pause, the commit of a round is put off now and then until the log has been brought to its end.
 *
 * History: the newest versions stand in memory as a ring of events (STATE_RING bytes of superseded text at most), older ones are read from the file for
 * STATE_KEEP_MS (bounded by STATE_HISTORY bytes, too); before that a version is expired. No timer runs when there is nothing to forget.
 *
 * Checkpoints of the write-ahead log run in a thread with a connection of its own (docs/measured.md, "State").
 */
#ifndef KT_PRACTICE_STATE_STATE_H
#define KT_PRACTICE_STATE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"
#include "loop/loop.h"

enum {
    STATE_BATCH = 256,
    STATE_RING = 16 << 20,
    STATE_KEEP_MS = 5 * 60 * 1000,
    STATE_HISTORY = 256 << 20,
};

struct state;

enum { STATE_OBJECT = 8 << 20 /* bytes of one object's text */ };

typedef unsigned state_resource; /* a number for "pods", "deployments.apps"; see state_resource_of */

/* One version of one object; never changed once made, reference-counted, in one block of memory. */
struct object {
    unsigned references;
    state_resource resource;
    uint64_t version;
    const char *ns, *name, *uid; /* ns "" for cluster-scoped ones */
    const char *text;            /* `"metadata":{...},"spec":...}`: compact JSON without the first brace, kind and apiVersion, and without the digits of the */
    size_t length;               /* resourceVersion, which belong at `gap` (between two quotes that are there) */
    size_t gap;
    const char *labels;          /* pairs of NUL-terminated key and value, sorted by key, then an empty key */
    const char *fields;          /* NUL-terminated values in the order that the resource's API says; NULL: none */
    unsigned field_count;
    uint32_t flags;              /* the API's own marks (kept in the file): being deleted, has finalizers, ... */
    int64_t time_ms;             /* the API's own time mark (creation), kept in the file */
};

struct object *object_ref(const struct object *object);
void object_unref(struct object *object); /* NULL is fine */
/* The value of a label, or NULL. */
const char *object_label(const struct object *object, const char *key);
/* Appends the whole JSON: head is what stands before the text, `{"kind":"Pod","apiVersion":"v1",` or `{`. Look at buf_ok afterwards. */
void object_print(const struct object *object, const char *head, struct buf *out);

/* Opens or makes the file at `path` (0600). NULL: keeps nothing (a temporary file without a name). Of two processes only one gets it (a lock on
 * `path`.lock; ERROR_EXISTS). ERROR_INVALID: a newer format, not touched. ERROR_INPUT: damaged. now_ms is the clock that history ages by (wall clock ms), for tests. */
struct state *state_open(const char *path, struct loop *loop, int64_t (*now_ms)(void *data), void *data, struct error *err)
    __attribute__((warn_unused_result));
/* Commits what is open, and calls what state_after_commit and state_save still owe (whose own calls of state_after_commit are refused then). Every
 * watch must be freed, other references to objects may live on. Not from inside a callback of this state. NULL is fine. */
void state_close(struct state *state);

/* The number of a resource, given one if it is new; the same for ever in this file. 0 is never a number: no memory, or STATE_RESOURCES are there. */
enum { STATE_RESOURCES = 4096 };
state_resource state_resource_of(struct state *state, const char *name);

/* The version of the newest write; the newest that is committed; and the oldest that list and watch still know (an older one is expired). */
uint64_t state_version(const struct state *state);
uint64_t state_committed(const struct state *state);
uint64_t state_oldest(const struct state *state);

/* Looks at the newest versions. Results are borrowed until the next write; object_ref keeps them. Order: the bytes of "ns/name". */
const struct object *state_get(struct state *state, state_resource resource, const char *ns, const char *name);
/* The first object after (ns, name), of one namespace (only_ns not NULL) or of all; after_name NULL: from the start. NULL: no more. */
const struct object *state_next(struct state *state, state_resource resource, const char *only_ns, const char *after_ns, const char *after_name);
size_t state_count(struct state *state, state_resource resource, const char *only_ns); /* only_ns NULL: all; a namespace's number costs a walk */

/* The objects of a resource as they were at `version` (0: newest, open writes included), in order, at most `maximum` of them (0: all) after (after_ns,
 * after_name): references in `objects` (made here; vec_free drops them). keep, if not NULL, says which count (selectors). *more: others follow.
 * ERROR_EXPIRED; ERROR_INVALID: in the future. */
bool state_list(struct state *state, state_resource resource, const char *only_ns, uint64_t version, const char *after_ns, const char *after_name,
                size_t maximum, bool (*keep)(const struct object *object, const void *data), const void *data, struct vec *objects, bool *more,
                struct error *err) __attribute__((warn_unused_result));

/* The same for objects that have all of these labels (key, value, ..., NULL; `keep` must look at them, too): costs what is found, not what is there. */
bool state_list_labelled(struct state *state, state_resource resource, const char *only_ns, uint64_t version, const char *after_ns,
                         const char *after_name, size_t maximum, const char *const *labels,
                         bool (*keep)(const struct object *object, const void *data), const void *data, struct vec *objects, bool *more,
                         struct error *err) __attribute__((warn_unused_result));

/* What is written. The strings are copied. */
struct object_new {
    state_resource resource;
    const char *ns, *name, *uid;
    const char *text; /* as in struct object: without the version's digits */
    size_t length, gap;
    const char *const *labels; /* key, value, key, value, NULL; any order; NULL: none */
    const char *const *fields; /* field_count of them */
    unsigned field_count;
    uint32_t flags;
    int64_t time_ms;
};

/* Creates (old NULL: ERROR_EXISTS if there is one) or replaces (ERROR_CONFLICT if `old` is not the newest any more; the uid must be the same). The result is
 * borrowed until the next write; its version is new. NULL: nothing changed; ERROR_LIMIT: too large; ERROR_MEMORY; ERROR_INVALID: no name, a slash in ns. After
 * STATE_BATCH open writes they are committed first, and if that fails, its error is the answer. */
const struct object *state_put(struct state *state, const struct object_new *wanted, const struct object *old, struct error *err)
    __attribute__((warn_unused_result));
/* Removes it; `last` is its last state as watchers get it (text with the same uid), and takes a version of its own. last NULL: the state before, with
 * the new version. */
bool state_delete(struct state *state, const struct object *old, const struct object_new *last, uint64_t *version, struct error *err)
    __attribute__((warn_unused_result));
/* Calls fn once everything written so far is committed (err NULL) or was undone (err says why): in the order of the calls, from the loop, never from inside
 * this call; at once in the next round if nothing is open. False: no memory, nothing will be called. */
bool state_after_commit(struct state *state, void (*fn)(void *data, const struct error *err), void *data) __attribute__((warn_unused_result));
/* True if nothing is waiting to be committed: what is read now is what is on disk. */
bool state_is_clean(const struct state *state);
/* Commits now. For the end of the program and for tests. */
bool state_commit(struct state *state, struct error *err);

/* Watches: a cursor into the history that everybody shares; it holds no events of its own. */
enum state_change { STATE_ADDED, STATE_MODIFIED, STATE_DELETED };
struct state_event {
    enum state_change change;
    uint64_t version;
    const struct object *object;   /* the new state (of a deletion: the last) */
    const struct object *previous; /* what was there before; NULL for STATE_ADDED */
};
struct state_watch;
enum state_step { STATE_EVENT, STATE_WAIT, STATE_EXPIRED };
/* Events with a version above `from`, of one resource (and one namespace if only_ns is not NULL). ready is called from the loop when events came after
 * STATE_WAIT was answered (once for any number of them), and when the watch expires. from 0 is not special here. ERROR_EXPIRED: too old; ERROR_INVALID: in
 * the future. */
struct state_watch *state_watch_new(struct state *state, state_resource resource, const char *only_ns, uint64_t from, void (*ready)(void *data), void *data,
                                    struct error *err) __attribute__((warn_unused_result));
/* The next event; its parts are borrowed until the next call on this watch. STATE_EXPIRED: it fell off the history, or the state was loaded or reset, or
 * the file cannot be read: over. One that is far behind may be told STATE_WAIT between two pieces of the file; ready follows in the next round. */
enum state_step state_watch_next(struct state_watch *watch, struct state_event *event);
/* Up to which version this watch has seen everything (for bookmarks). */
uint64_t state_watch_version(const struct state_watch *watch);
void state_watch_free(struct state_watch *watch); /* NULL is fine; also from inside ready */

/* Snapshots of the objects, and of committed ones only: what is open is committed before. Saving is online: others go on while a thread writes the file; then
 * fn is called from the loop (err NULL: saved). False: nothing will be called. load replaces all objects by those of such a file, each with a new version above
 * every one used so far in either; keep (resource, ns, name), NULL-terminated by resource 0, lists objects that stay as they are now; every watch expires. reset
 * forgets all objects. Both are all or nothing, also across kill -9. ERROR_INVALID: a newer format; ERROR_INPUT: not such a file, or damaged: nothing changed. */
struct state_keep {
    state_resource resource;
    const char *ns, *name;
};
bool state_save(struct state *state, const char *path, void (*fn)(void *data, const struct error *err), void *data, struct error *err)
    __attribute__((warn_unused_result));
bool state_load(struct state *state, const char *path, const struct state_keep *keep, struct error *err) __attribute__((warn_unused_result));
bool state_reset(struct state *state, struct error *err) __attribute__((warn_unused_result));

/* For /metrics and tests. */
struct state_numbers {
    size_t objects, object_bytes, events, ring_bytes, watches;
    uint64_t commits, history_bytes, log_pages;
};
void state_numbers(const struct state *state, struct state_numbers *out);

#endif
