/* shape.h: what a part of a document must look like, and readable words about where it does not.
 *
 * A shape is a tree built by its owner (bind/ builds it from a Lua table): plain values and partial objects, and the special forms
 * below. shape_match walks shape and document together and reports every place that differs. A list in a shape is matched item by
 * item and must have the same length; SHAPE_CONTAINS and SHAPE_EACH say it otherwise.
 */
#ifndef KT_DATA_SHAPE_H
#define KT_DATA_SHAPE_H

#include "base/buf.h"
#include "base/error.h"
#include "data/value.h"

struct shape; /* opaque */

/* Make. Every maker takes over the shapes and values that it is given, also on failure. NULL: no memory. */
struct shape *shape_value(struct value *v);                                 /* equal to (numbers by value; objects whole) */
struct shape *shape_object(void);                                           /* partial: the named keys match, others are free */
bool shape_object_add(struct shape *object, const char *key, struct shape *child) __attribute__((warn_unused_result));
struct shape *shape_list(void);                                             /* item by item, same length */
bool shape_list_add(struct shape *list, struct shape *child) __attribute__((warn_unused_result)); /* for list, one_of, contains */
struct shape *shape_any(void);                                              /* there, not null */
struct shape *shape_absent(void);                                           /* not there, or null */
struct shape *shape_at_least(struct value *least);                          /* numbers, or quantities as strings ("250m") */
struct shape *shape_matches(const char *pattern, struct error *err);        /* PCRE with match limits; ERROR_INPUT if malformed */
struct shape *shape_one_of(void);                                           /* any of those added */
struct shape *shape_contains(void);                                         /* a list with an item for each of those added */
struct shape *shape_each(struct shape *item);                               /* a list whose every item matches; not empty */
struct shape *shape_base64_json(struct shape *inner);                       /* a string holding base64 of a JSON document */
/* Asks a function: it answers whether v (NULL: missing) will do; words for "wanted" come from `describe`. data is borrowed. */
struct shape *shape_call(bool (*holds)(void *data, const struct value *v, struct error *err), void *data, const char *describe);
/* Nothing below this shape is ever printed: expected and actual read "(hidden)". */
struct shape *shape_secret(struct shape *inner);
void shape_free(struct shape *shape); /* NULL is fine */

/* One place that differs. All borrowed for the call. */
struct shape_difference {
    const char *path;           /* "spec.replicas"; "" is the document itself */
    const char *expected;       /* readable, bounded: `3`, `at least 2`, `absent`, `matches ^v1` */
    const char *actual;         /* readable, bounded: `2`, `missing`, `"Pending"` */
    const struct value *value;  /* what stands there, NULL if missing or hidden */
};

/* True if v (NULL: missing) has the shape. `report`, if not NULL, is called for every difference (up to 20). False with err of kind
 * ERROR_NONE means "does not match"; another kind means that matching itself failed (a function's error, match limit, memory). */
bool shape_match(const struct shape *shape, const struct value *v, void (*report)(void *data, const struct shape_difference *difference),
                 void *data, struct error *err) __attribute__((warn_unused_result));

/* Appends the readable form of a shape or a value, at most `maximum` bytes, cut at a character with "…". */
void shape_describe(const struct shape *shape, size_t maximum, struct buf *out);
void value_describe(const struct value *v, size_t maximum, struct buf *out);

#endif
