/* fieldset.h: sets of fields, as metadata.managedFields and server-side apply have them (structured-merge-diff's
 * fieldpath.Set). For this folder only.
 *
 * A set is a tree of path elements, sorted; NULL is the empty set. A node that is a member says "this field"; its children
 * speak of what is below. Sets are never changed once made, so they may share parts. They live in an arena and borrow the
 * names and values of the documents that they were made from: both must outlive them. An arena that found no memory says so
 * at the end (`failed`); until then functions answer with some set.
 */
#ifndef KT_PRACTICE_SCHEMA_FIELDSET_H
#define KT_PRACTICE_SCHEMA_FIELDSET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "data/value.h"

enum { FIELD_DEPTH = 100 }; /* path elements that are told apart; what is below belongs to the last */

/* Memory that is freed at once. */
struct arena {
    struct arena_block *blocks;
    struct arena_value *values; /* documents that it owns */
    char *at, *end;
    bool failed;
};

struct arena arena_make(void);
void arena_free(struct arena *arena);
void *arena_get(struct arena *arena, size_t size);             /* aligned for pointers; NULL: no memory, and failed is set */
struct value *arena_own(struct arena *arena, struct value *v); /* NULL sets failed */

enum field_type { FIELD_NAME, FIELD_KEYS, FIELD_VALUE, FIELD_INDEX }; /* in the order that sets have */

struct field_key {
    const char *name;
    const struct value *value;
};

/* One step of a path: a field or a map's key, the keys of a list's item, the item of a set. */
struct field_element {
    enum field_type type;
    unsigned key_count;
    const char *name;             /* FIELD_NAME */
    const struct field_key *keys; /* FIELD_KEYS: sorted by name */
    const struct value *value;    /* FIELD_VALUE */
    long index;                   /* FIELD_INDEX */
};

struct fieldset {
    struct field_element element;
    const struct fieldset *children, *next;
    bool member;
};

int field_compare(const struct field_element *a, const struct field_element *b);
int field_value_compare(const struct value *a, const struct value *b); /* of any types, in a fixed order */

/* Nodes one after the other, which must come in their order. */
struct fieldset_list {
    const struct fieldset *first;
    struct fieldset *last;
};
/* Adds one; nothing is added that is no member and has no children. */
void fieldset_add(struct arena *arena, struct fieldset_list *list, const struct field_element *element, bool member,
                  const struct fieldset *children);

const struct fieldset *fieldset_union(struct arena *arena, const struct fieldset *a, const struct fieldset *b);
const struct fieldset *fieldset_intersection(struct arena *arena, const struct fieldset *a, const struct fieldset *b);
/* What is in a and not in b: a member of b takes nothing of what is below it. */
const struct fieldset *fieldset_difference(struct arena *arena, const struct fieldset *a, const struct fieldset *b);
const struct fieldset *fieldset_find(const struct fieldset *set,
                                     const struct field_element *element); /* among the first elements, or NULL */

/* FieldsV1: a new value. NULL: no memory. */
struct value *fieldset_value(const struct fieldset *set) __attribute__((warn_unused_result));
/* The same as compact JSON. */
void fieldset_print(const struct fieldset *set, struct buf *out);
/* FieldsV1 as a document. False: malformed. The arena copies what it must. */
bool fieldset_read(struct arena *arena, const struct value *fields, const struct fieldset **set)
    __attribute__((warn_unused_result));

/* An element as people read it: .spec, [name="nginx"], [="finalizer"]. */
void field_describe(const struct field_element *element, struct buf *out);

#endif
