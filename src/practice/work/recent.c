#include "practice/work/recent.h"

#include "base/mem.h"

enum { FIRST_ROOM = 16 };

struct recent_entry {
    uint64_t key;
    struct recent_entry *chain;
    struct recent_entry *before, *after; /* in the order of use */
    max_align_t thing[];
};

struct recent recent_make(size_t maximum, size_t size)
{
    return (struct recent){.maximum = maximum, .size = size};
}

void recent_free(struct recent *recent)
{
    for (struct recent_entry *entry = recent->first, *after; entry != NULL; entry = after) {
        after = entry->after;
        mem_free(entry);
    }
    mem_free(recent->chains);
    *recent = recent_make(recent->maximum, recent->size);
}

static struct recent_entry **chain_of(const struct recent *recent, uint64_t key)
{
    return &recent->chains[(key ^ (key >> 32)) & (recent->room - 1)];
}

static struct recent_entry *find(const struct recent *recent, uint64_t key)
{
    struct recent_entry *entry = recent->room > 0 ? *chain_of(recent, key) : NULL;
    while (entry != NULL && entry->key != key)
        entry = entry->chain;
    return entry;
}

static void take_out(struct recent *recent, struct recent_entry *entry)
{
    *(entry->before != NULL ? &entry->before->after : &recent->first) = entry->after;
    *(entry->after != NULL ? &entry->after->before : &recent->last) = entry->before;
}

static void put_first(struct recent *recent, struct recent_entry *entry)
{
    entry->before = NULL;
    entry->after = recent->first;
    *(recent->first != NULL ? &recent->first->before : &recent->last) = entry;
    recent->first = entry;
}

static void drop(struct recent *recent, struct recent_entry *entry)
{
    struct recent_entry **at = chain_of(recent, entry->key);
    while (*at != entry)
        at = &(*at)->chain;
    *at = entry->chain;
    take_out(recent, entry);
    mem_free(entry);
    recent->count--;
}

/* Longer chains are no harm; none at all is. */
static bool reserve(struct recent *recent)
{
    if (recent->count < recent->room)
        return true;
    size_t room = recent->room > 0 ? 2 * recent->room : FIRST_ROOM;
    struct recent_entry **chains = mem_zero(room, sizeof(struct recent_entry *));
    if (chains == NULL)
        return recent->room > 0;
    mem_free(recent->chains);
    recent->chains = chains;
    recent->room = room;
    for (struct recent_entry *entry = recent->first; entry != NULL; entry = entry->after) {
        struct recent_entry **chain = chain_of(recent, entry->key);
        entry->chain = *chain;
        *chain = entry;
    }
    return true;
}

void *recent_get(struct recent *recent, uint64_t key)
{
    struct recent_entry *entry = find(recent, key);
    if (entry != NULL) {
        take_out(recent, entry);
        put_first(recent, entry);
        return entry->thing;
    }
    entry = reserve(recent) ? mem_zero(1, sizeof *entry + recent->size) : NULL;
    if (entry == NULL)
        return NULL;
    if (recent->count == recent->maximum)
        drop(recent, recent->last);
    entry->key = key;
    struct recent_entry **chain = chain_of(recent, key);
    entry->chain = *chain;
    *chain = entry;
    put_first(recent, entry);
    recent->count++;
    return entry->thing;
}
