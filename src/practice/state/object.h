/* object.h: how objects are made; only for files of this folder and its tests, and (object_compare) for those that use set.h.
 *
 * An object is one block: the struct, then its tail: ns, name, uid, each with a NUL; labels; fields; text and a NUL. The tail is what files hold, too.
 */
#ifndef KT_PRACTICE_STATE_OBJECT_H
#define KT_PRACTICE_STATE_OBJECT_H

#include "practice/state/state.h"

enum { OBJECT_NAME = 1 << 16, OBJECT_INDEX = 4 << 20 }; /* bytes of ns, name and uid each; of labels and of fields */

/* Lengths of the parts: strings without their NULs, labels and fields as they stand in the tail. */
struct object_sizes {
    size_t ns, name, uid, labels, fields, text;
    bool has_fields; /* false: fields is NULL */
};

/* A block with room for the parts, one reference, pointers set, numbers and tail not yet. NULL: no memory. */
struct object *object_room(const struct object_sizes *sizes) __attribute__((warn_unused_result));
/* Fits what a file gave: strings without NULs inside, pairs of labels whole and sorted, gap within the text. Sets field_count. */
bool object_settle(struct object *object, const struct object_sizes *sizes) __attribute__((warn_unused_result));
/* What a put says, with a version. NULL: no memory. */
struct object *object_new(const struct object_new *wanted, uint64_t version) __attribute__((warn_unused_result));
/* The same with another version. NULL: no memory. */
struct object *object_again(const struct object *object, uint64_t version) __attribute__((warn_unused_result));

/* Bytes of memory that it takes. */
size_t object_bytes(const struct object *object);
size_t object_labels_length(const struct object *object);
size_t object_fields_length(const struct object *object);

/* The order of everything: the bytes of "ns/name" (ns itself has no slash). Below, at or above 0. */
int object_compare_keys(const char *ns_a, const char *name_a, const char *ns_b, const char *name_b);
int object_compare(const void *a, const void *b); /* two objects, for vec_sort */
void object_drop(void *object);                   /* object_unref, for lists */

#endif
