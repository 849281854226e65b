#include "base/map.h"

#include <string.h>

#include "base/mem.h"

enum { MAP_FIRST_ROOM = 8 };

struct map map_make(size_t maximum, void (*free_value)(void *))
{
    return (struct map){.maximum = maximum < UINT32_MAX / 4 ? maximum : UINT32_MAX / 4, .free_value = free_value};
}

void map_free(struct map *map)
{
    for (size_t i = 0; i < map->used; i++) {
        if (map->entries[i].key == NULL)
            continue;
        mem_free(map->entries[i].key);
        if (map->free_value != NULL)
            map->free_value(map->entries[i].value);
    }
    mem_free(map->entries);
    mem_free(map->index);
    *map = map_make(map->maximum, map->free_value);
}

static uint64_t hash_of(const char *key) /* FNV-1a, 64 bits (RFC 9923) */
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *key != '\0'; key++)
        hash = (hash ^ (unsigned char)*key) * 0x100000001b3u;
    return hash;
}

/* The slot that holds key, or the empty one where it would go. index_room is a power of two and never full. */
static size_t slot_of(const struct map *map, const char *key, uint64_t hash)
{
    size_t mask = map->index_room - 1, slot = (size_t)hash & mask;
    while (map->index[slot] != 0) {
        const struct map_entry *entry = &map->entries[map->index[slot] - 1];
        if (entry->key != NULL && entry->hash == hash && strcmp(entry->key, key) == 0)
            break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

static struct map_entry *find(const struct map *map, const char *key)
{
    if (map->count == 0)
        return NULL;
    size_t slot = slot_of(map, key, hash_of(key));
    return map->index[slot] != 0 ? &map->entries[map->index[slot] - 1] : NULL;
}

void *map_get(const struct map *map, const char *key)
{
    const struct map_entry *entry = find(map, key);
    return entry != NULL ? entry->value : NULL;
}

bool map_has(const struct map *map, const char *key)
{
    return find(map, key) != NULL;
}

/* Squeezes removed entries out and makes room for one more. */
static bool reserve_one(struct map *map)
{
    if (map->used < map->room)
        return true;
    size_t room = map->count * 2 > MAP_FIRST_ROOM ? map->count * 2 : MAP_FIRST_ROOM, index_room = 2 * MAP_FIRST_ROOM;
    while (index_room < room * 2)
        index_room *= 2;
    struct map_entry *entries = mem_alloc(room * sizeof *entries);
    uint32_t *index = mem_zero(index_room, sizeof *index);
    if (entries == NULL || index == NULL) {
        mem_free(entries);
        mem_free(index);
        return false;
    }
    struct map fresh = *map;
    fresh.entries = entries;
    fresh.index = index;
    fresh.room = room;
    fresh.index_room = index_room;
    fresh.used = 0;
    for (size_t i = 0; i < map->used; i++) {
        if (map->entries[i].key == NULL)
            continue;
        entries[fresh.used] = map->entries[i];
        size_t slot = slot_of(&fresh, entries[fresh.used].key, entries[fresh.used].hash);
        index[slot] = (uint32_t)++fresh.used;
    }
    mem_free(map->entries);
    mem_free(map->index);
    *map = fresh;
    return true;
}

static bool refuse(struct map *map, void *value)
{
    if (map->free_value != NULL)
        map->free_value(value);
    return false;
}

bool map_set(struct map *map, const char *key, void *value)
{
    struct map_entry *old = find(map, key);
    if (old != NULL) {
        if (map->free_value != NULL && old->value != value)
            map->free_value(old->value);
        old->value = value;
        return true;
    }
    char *copy = map->count < map->maximum ? mem_string(key) : NULL;
    if (copy == NULL || !reserve_one(map)) {
        mem_free(copy);
        return refuse(map, value);
    }
    uint64_t hash = hash_of(copy);
    size_t slot = slot_of(map, copy, hash);
    map->entries[map->used] = (struct map_entry){.key = copy, .value = value, .hash = hash};
    map->index[slot] = (uint32_t)++map->used;
    map->count++;
    return true;
}

void *map_take(struct map *map, const char *key)
{
    struct map_entry *entry = find(map, key);
    if (entry == NULL)
        return NULL;
    void *value = entry->value;
    mem_free(entry->key); /* the index keeps pointing at the dead entry, so that probes go on past it */
    entry->key = NULL;
    entry->value = NULL;
    map->count--;
    return value;
}

void map_remove(struct map *map, const char *key)
{
    void *value = map_take(map, key);
    if (map->free_value != NULL && value != NULL)
        map->free_value(value);
}

const struct map_entry *map_next(const struct map *map, size_t *cursor)
{
    while (*cursor < map->used) {
        const struct map_entry *entry = &map->entries[(*cursor)++];
        if (entry->key != NULL)
            return entry;
    }
    return NULL;
}
