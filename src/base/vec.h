/* vec.h: a growable list of pointers with a maximum, and of strings that it owns.
 */
#ifndef KT_BASE_VEC_H
#define KT_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

struct vec {
    void **items; /* owned array; what the items point at is owned only if free_item is set */
    size_t length;
    size_t room;
    size_t maximum;            /* items that it may ever hold */
    void (*free_item)(void *); /* called for each item that is dropped; NULL: items are only borrowed */
};

/* An empty list; allocates nothing. Callers may read the fields; only these functions write them. */
struct vec vec_make(size_t maximum, void (*free_item)(void *));
void vec_free(struct vec *vec);  /* drops every item; usable again afterwards */
void vec_clear(struct vec *vec); /* drops every item, keeps the memory */

/* Appends. On failure (no memory, or full) the item is dropped with free_item, and false returned: the list owns it either way. */
bool vec_push(struct vec *vec, void *item) __attribute__((warn_unused_result));
/* Appends a copy of a string; for lists made with free_item = mem_free. */
bool vec_push_string(struct vec *vec, const char *string) __attribute__((warn_unused_result));
/* Takes an item out, keeping the order of the others; it then belongs to the caller. index < length. */
void *vec_take(struct vec *vec, size_t index);
/* Drops an item. */
void vec_remove(struct vec *vec, size_t index);
/* True if a list of strings holds this one. */
bool vec_has_string(const struct vec *vec, const char *string);
/* Sorts, keeping the order of equal items; compare is given the two items themselves. */
void vec_sort(struct vec *vec, int (*compare)(const void *, const void *));

#endif
