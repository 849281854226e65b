/* patch_internal.h: how the files of strategic merge patch share it: patch.c walks objects, patch_list.c puts lists together.
 *
 * Everything that is passed along is used up: what a function is given it owns, also when it fails.
 */
#ifndef KT_PRACTICE_SCHEMA_PATCH_INTERNAL_H
#define KT_PRACTICE_SCHEMA_PATCH_INTERNAL_H

#include "practice/schema/patch.h"

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"

struct patching {
    struct error *err;
    struct buf key; /* of patch_key */
};

/* What the field of a list says about how it is merged. */
struct patch_list {
    const struct schema *items;
    const char *merge_key; /* NULL: none */
    bool merge;            /* else the patch's list takes the other's place */
};

/* Ends with one of the server's answers. All return false. */
bool patch_refuse(struct patching *p, enum error_kind kind, const char *message);
bool patch_misfit(struct patching *p); /* 422, which says nothing more */
bool patch_panic(struct patching *p);  /* where the real server's program breaks */
bool patch_no_key(struct patching *p, const struct value *map,
                  const char *merge_key); /* "... does not contain declared merge key" */
bool patch_wrong_type(struct patching *p, const char *expected,
                      const struct value *actual); /* "expected a %s, but received a %s" */
bool patch_tell(struct patching *p, const char *before, const struct value *v,
                const char *after); /* a message with a value in the middle */

/* patch.c: an object with a patch laid over it. NULL with an error. */
struct value *patch_object(struct patching *p, struct value *original, struct value *patch, const struct schema *schema);
/* A patch's value where there is nothing to lay it over: without what $patch marks. NULL: marked itself (no error). */
struct value *patch_without_directives(struct value *v);

/* patch_list.c: lists of owned values. */
void patch_take_items(struct value *array, struct vec *out, bool *ok);
struct value *patch_array_of(struct patching *p, struct vec *items); /* empties it */
/* Two lists in one, as their field says. delete_list: the second holds what is to go. */
bool patch_lists(struct patching *p, struct vec *original, struct vec *patch, const struct patch_list *how, bool delete_list,
                 struct vec *out);
/* $setElementOrder: checks the patch's list against it. */
bool patch_check_order(struct patching *p, const struct value *patch, const struct value *order, const char *merge_key);
/* Puts a merged list into $setElementOrder's order, and what only the server has where it stood. original and patch: the
 * lists as they were, for types and places. */
bool patch_order(struct patching *p, struct vec *merged, const struct value *order, const struct value *original,
                 const struct value *patch, const char *merge_key);

#endif
