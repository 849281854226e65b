/* map.h: a hash table from strings to pointers, with a maximum; keeps the order of insertion.
 */
#ifndef KT_BASE_MAP_H
#define KT_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
    char *key;   /* owned by the map; NULL: a removed entry, to be passed over */
    void *value; /* owned if the map has a free_value */
    uint64_t hash;
};

struct map {
    struct map_entry *entries; /* in order of insertion, `used` of them, removed ones included */
    size_t used;
    size_t room;
    uint32_t *index; /* open addressing: 0 empty, else entry number + 1 */
    size_t index_room;
    size_t count;   /* live entries */
    size_t maximum; /* live entries that it may ever hold */
    void (*free_value)(void *);
};

/* An empty map; allocates nothing. */
struct map map_make(size_t maximum, void (*free_value)(void *));
void map_free(struct map *map); /* drops everything; usable again afterwards */

/* The value, or NULL. A map whose values may be NULL is asked with map_has. */
void *map_get(const struct map *map, const char *key);
bool map_has(const struct map *map, const char *key);
/* Sets; an old value under the key is dropped. On failure (no memory, or full) the new value is dropped and false returned. */
bool map_set(struct map *map, const char *key, void *value) __attribute__((warn_unused_result));
/* Takes a value out; it belongs to the caller. NULL if there was none. */
void *map_take(struct map *map, const char *key);
void map_remove(struct map *map, const char *key);
/* Walks in order: *cursor starts at 0; NULL at the end. The map may not be added to meanwhile; the entry shown may be removed. */
const struct map_entry *map_next(const struct map *map, size_t *cursor);

#endif
