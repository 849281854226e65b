#include "practice/state/labels.h"

#include <string.h>

#include "base/mem.h"
#include "practice/state/set.h"

enum { FIRST_ROOM = 64 };

struct label_index {
    struct label_link **buckets;
    size_t room, count; /* a power of two; links */
};

/* FNV-1a over "key=value", folded to 32 bits; a value has no end of its own to mix up. */
static uint32_t hash_of(const char *key, const char *value)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *key != '\0'; key++)
        hash = (hash ^ (unsigned char)*key) * 0x100000001b3u;
    hash = (hash ^ '=') * 0x100000001b3u;
    for (; *value != '\0'; value++)
        hash = (hash ^ (unsigned char)*value) * 0x100000001b3u;
    return (uint32_t)(hash ^ hash >> 32);
}

static void hang_in(struct label_link **bucket, struct label_link *link)
{
    link->next = *bucket;
    link->from = bucket;
    if (link->next != NULL)
        link->next->from = &link->next;
    *bucket = link;
}

/* Longer chains are the price of no memory. */
static void widen(struct label_index *index)
{
    size_t room = index->room * 2;
    struct label_link **buckets = mem_zero(room, sizeof *buckets);
    if (buckets == NULL)
        return;
    for (size_t i = 0; i < index->room; i++) {
        for (struct label_link *link = index->buckets[i], *next; link != NULL; link = next) {
            next = link->next;
            hang_in(&buckets[link->hash & (room - 1)], link);
        }
    }
    mem_free(index->buckets);
    index->buckets = buckets;
    index->room = room;
}

bool label_index_put(struct label_index *index, struct set_node *node)
{
    size_t count = 0;
    for (const char *at = node->object->labels; *at != '\0'; at += strlen(at) + 1, at += strlen(at) + 1)
        count++;
    if (count == 0)
        return true;
    node->labels = mem_alloc(sizeof *node->labels + count * sizeof node->labels->links[0]);
    if (node->labels == NULL)
        return false;
    node->labels->count = 0;
    for (const char *at = node->object->labels, *value; *at != '\0'; at = value + strlen(value) + 1) {
        value = at + strlen(at) + 1;
        struct label_link *link = &node->labels->links[node->labels->count++];
        *link = (struct label_link){.node = node, .hash = hash_of(at, value)};
        if (index->count >= index->room)
            widen(index);
        hang_in(&index->buckets[link->hash & (index->room - 1)], link);
        index->count++;
    }
    return true;
}

void label_index_take(struct label_index *index, struct set_node *node)
{
    for (size_t i = 0; node->labels != NULL && i < node->labels->count; i++) {
        struct label_link *link = &node->labels->links[i];
        *link->from = link->next;
        if (link->next != NULL)
            link->next->from = link->from;
        index->count--;
    }
    mem_free(node->labels);
    node->labels = NULL;
}

struct label_index *label_index_new(const struct set *set)
{
    struct label_index *index = mem_zero(1, sizeof *index);
    if (index == NULL)
        return NULL;
    index->room = FIRST_ROOM;
    index->buckets = mem_zero(index->room, sizeof *index->buckets);
    bool ok = index->buckets != NULL;
    for (struct set_node *node = set_start(set); ok && node != NULL; node = node->next[0])
        ok = label_index_put(index, node);
    if (ok)
        return index;
    label_index_free(index, set);
    return NULL;
}

void label_index_free(struct label_index *index, const struct set *set)
{
    if (index == NULL)
        return;
    for (struct set_node *node = set_start(set); node != NULL; node = node->next[0]) {
        mem_free(node->labels);
        node->labels = NULL;
    }
    mem_free(index->buckets);
    mem_free(index);
}

static const struct label_link *at_hash(const struct label_link *link, uint32_t hash)
{
    while (link != NULL && link->hash != hash)
        link = link->next;
    return link;
}

const struct label_link *label_index_next(const struct label_link *link)
{
    return at_hash(link->next, link->hash);
}

/* Two chains are walked side by side: the one that ends first is the shorter one. */
static const struct label_link *shorter(const struct label_link *a, const struct label_link *b)
{
    const struct label_link *at_a = a, *at_b = b;
    while (at_a != NULL && at_b != NULL) {
        at_a = label_index_next(at_a);
        at_b = label_index_next(at_b);
    }
    return at_a == NULL ? a : b;
}

const struct label_link *label_index_find(const struct label_index *index, const char *const *labels)
{
    const struct label_link *best = NULL;
    for (size_t i = 0; labels[i] != NULL; i += 2) {
        uint32_t hash = hash_of(labels[i], labels[i + 1]);
        const struct label_link *first = at_hash(index->buckets[hash & (index->room - 1)], hash);
        best = i == 0 ? first : shorter(best, first);
    }
    return best;
}
