/* managers.h: the entries of metadata.managedFields as sets, for managed.c and managed_apply.c.
 */
#ifndef KT_PRACTICE_SCHEMA_MANAGERS_H
#define KT_PRACTICE_SCHEMA_MANAGERS_H

#include "practice/schema/managed.h"
#include "practice/schema/typed.h"

struct manager {
    const char *name, *api_version, *subresource; /* "" for none; borrowed */
    bool applied, has_time;
    int64_t time_ms;
    const struct fieldset *set;
    struct manager *next;
};

/* All of an object's, in any order; in an arena with their sets. */
struct managers {
    struct arena arena;
    const struct schema *schema;
    struct manager *first;
};

/* Reads what an object has; names are borrowed from it. False: malformed (then there are none); arena.failed tells a lack of
 * memory. */
bool managers_read(struct managers *managers, const struct value *object) __attribute__((warn_unused_result));
/* The one with this identity (an applier's version is no part of it), or NULL. */
struct manager *managers_find(const struct managers *managers, const struct managed_by *by, bool applied);
/* Gives the manager of a request a set: found or new. NULL: no memory. */
struct manager *managers_set(struct managers *managers, const struct managed_by *by, bool applied, const struct fieldset *set);
/* Removes those that own nothing. */
void managers_prune(struct managers *managers);
/* Drops a manager. */
void managers_drop(struct managers *managers, const struct manager *gone);
/* Of more than ten updates, the oldest become one ("ancient-changes") for each version. */
void managers_cap(struct managers *managers);
/* The identity as text, as the real server sorts by it; in the arena. NULL: no memory. */
const char *managers_identity(struct managers *managers, const struct manager *manager);
/* Appends metadata.managedFields as text; nothing if there are none. */
bool managers_print(struct managers *managers, struct buf *text, struct error *err) __attribute__((warn_unused_result));
/* Writes metadata.managedFields, or removes it if there are none. */
bool managers_write(struct managers *managers, struct value *object, struct error *err) __attribute__((warn_unused_result));

/* Fields that this request cannot set: those are nobody's (the status of a kind by its main resource, the spec by status ...).
 */
const struct fieldset *managers_filter(struct managers *managers, const struct managed_by *by, const struct fieldset *set);
/* Without what belongs to nobody: name, uid, resourceVersion ... */
const struct fieldset *managers_strip(struct managers *managers, const struct fieldset *set);
/* What an object of the kind is that says nothing: fields that are always there. NULL: no memory; the arena owns it. */
const struct value *managers_empty(struct managers *managers);
/* What an update by `by` makes of the managers: new against old (NULL: it is a creation). False: cannot be told, err says
 * why; nothing was changed. */
bool managers_update(struct managers *managers, const struct value *old, const struct value *new, const struct managed_by *by,
                     struct error *err) __attribute__((warn_unused_result));

#endif
