#include "base/vec.h"

#include <string.h>

#include "base/mem.h"

enum { VEC_FIRST_ROOM = 8 };

struct vec vec_make(size_t maximum, void (*free_item)(void *))
{
    return (struct vec){.maximum = maximum, .free_item = free_item};
}

void vec_clear(struct vec *vec)
{
    for (size_t i = 0; i < vec->length && vec->free_item != NULL; i++)
        vec->free_item(vec->items[i]);
    vec->length = 0;
}

void vec_free(struct vec *vec)
{
    vec_clear(vec);
    mem_free(vec->items);
    *vec = vec_make(vec->maximum, vec->free_item);
}

static bool reserve_one(struct vec *vec)
{
    if (vec->length >= vec->maximum)
        return false;
    if (vec->length < vec->room)
        return true;
    size_t room = vec->room > 0 ? vec->room * 2 : VEC_FIRST_ROOM;
    if (room > vec->maximum)
        room = vec->maximum;
    void **items = room <= (size_t)-1 / sizeof *items ? mem_resize(vec->items, room * sizeof *items) : NULL;
    if (items == NULL)
        return false;
    vec->items = items;
    vec->room = room;
    return true;
}

bool vec_push(struct vec *vec, void *item)
{
    if (!reserve_one(vec)) {
        if (vec->free_item != NULL)
            vec->free_item(item);
        return false;
    }
    vec->items[vec->length++] = item;
    return true;
}

bool vec_push_string(struct vec *vec, const char *string)
{
    char *copy = mem_string(string);
    return copy != NULL && vec_push(vec, copy);
}

void *vec_take(struct vec *vec, size_t index)
{
    void *item = vec->items[index];
    vec->length--;
    memmove(vec->items + index, vec->items + index + 1, (vec->length - index) * sizeof *vec->items);
    return item;
}

void vec_remove(struct vec *vec, size_t index)
{
    void *item = vec_take(vec, index);
    if (vec->free_item != NULL)
        vec->free_item(item);
}

bool vec_has_string(const struct vec *vec, const char *string)
{
    for (size_t i = 0; i < vec->length; i++)
        if (strcmp(vec->items[i], string) == 0)
            return true;
    return false;
}

/* Stable; compare gets the items themselves, which qsort could not hand over. */
static void merge(void **items, void **spare, size_t length, int (*compare)(const void *, const void *))
{
    if (length < 2)
        return;
    size_t half = length / 2, left = 0, right = half;
    merge(items, spare, half, compare);
    merge(items + half, spare, length - half, compare);
    for (size_t i = 0; i < length; i++)
        spare[i] = right >= length || (left < half && compare(items[left], items[right]) <= 0) ? items[left++] : items[right++];
    memcpy(items, spare, length * sizeof *items);
}

void vec_sort(struct vec *vec, int (*compare)(const void *, const void *))
{
    void **spare = vec->length > 1 ? mem_alloc(vec->length * sizeof *spare) : NULL;
    if (spare != NULL) {
        merge(vec->items, spare, vec->length, compare);
        mem_free(spare);
        return;
    }
    for (size_t i = 1; i < vec->length; i++) /* no memory for the merge: slower, same result */
        for (size_t j = i; j > 0 && compare(vec->items[j - 1], vec->items[j]) > 0; j--) {
            void *swap = vec->items[j];
            vec->items[j] = vec->items[j - 1];
            vec->items[j - 1] = swap;
        }
}
