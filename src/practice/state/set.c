#include "practice/state/set.h"

#include <string.h>

#include "base/mem.h"

enum { SET_FIRST_ROOM = 16 };

/* FNV-1a over "ns/name", folded to 32 bits. */
static uint32_t hash_of(const char *ns, const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *ns != '\0'; ns++)
        hash = (hash ^ (unsigned char)*ns) * 0x100000001b3u;
    hash = (hash ^ '/') * 0x100000001b3u;
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return (uint32_t)(hash ^ hash >> 32);
}

/* A quarter of the nodes reaches each next level. */
static unsigned throw_height(struct set *set)
{
    set->dice = set->dice * 6364136223846793005u + 1442695040888963407u;
    uint64_t bits = set->dice >> 33;
    unsigned height = 1;
    for (; height < SET_LEVELS && (bits & 3) == 0; bits >>= 2)
        height++;
    return height;
}

struct set_node *set_node_new(struct set *set, struct object *object)
{
    unsigned height = throw_height(set);
    struct set_node *node = mem_alloc(sizeof *node + height * sizeof node->next[0]);
    if (node == NULL) {
        object_unref(object);
        return NULL;
    }
    *node = (struct set_node){.object = object, .hash = hash_of(object->ns, object->name), .height = height};
    return node;
}

void set_node_free(struct set_node *node)
{
    if (node == NULL)
        return;
    object_unref(node->object);
    mem_free(node);
}

/* Longer chains are the price of no memory. */
static void make_buckets(struct set *set)
{
    size_t room = set->room > 0 ? set->room * 2 : SET_FIRST_ROOM;
    struct set_node **buckets = mem_zero(room, sizeof *buckets);
    if (buckets == NULL)
        return;
    for (struct set_node *node = set_start(set); node != NULL; node = node->next[0]) {
        struct set_node **bucket = &buckets[node->hash & (room - 1)];
        node->chain = *bucket;
        *bucket = node;
    }
    mem_free(set->buckets);
    set->buckets = buckets;
    set->room = room;
}

/* Fills links[level] with the place that points at the first node not below the key. */
static void find_links(struct set *set, const char *ns, const char *name, struct set_node ***links)
{
    struct set_node **row = set->first;
    for (unsigned level = SET_LEVELS; level-- > 0;) {
        while (row[level] != NULL && object_compare_keys(row[level]->object->ns, row[level]->object->name, ns, name) < 0)
            row = row[level]->next;
        links[level] = &row[level];
    }
}

static void forget_labels(struct set *set)
{
    label_index_free(set->labels, set);
    set->labels = NULL;
}

const struct label_index *set_labels(struct set *set)
{
    if (set->labels == NULL)
        set->labels = label_index_new(set);
    return set->labels;
}

void set_put(struct set *set, struct set_node *node)
{
    struct set_node **links[SET_LEVELS];
    if (set->count >= set->room)
        make_buckets(set);
    find_links(set, node->object->ns, node->object->name, links);
    for (unsigned level = 0; level < node->height; level++) {
        node->next[level] = *links[level];
        *links[level] = node;
    }
    set->count++;
    if (set->labels != NULL && !label_index_put(set->labels, node))
        forget_labels(set);
    if (set->room == 0)
        return;
    struct set_node **bucket = &set->buckets[node->hash & (set->room - 1)];
    node->chain = *bucket;
    *bucket = node;
}

void set_take(struct set *set, struct set_node *node)
{
    struct set_node **links[SET_LEVELS];
    find_links(set, node->object->ns, node->object->name, links);
    for (unsigned level = 0; level < node->height; level++)
        *links[level] = node->next[level];
    set->count--;
    if (set->labels != NULL)
        label_index_take(set->labels, node);
    struct set_node **bucket = set->room > 0 ? &set->buckets[node->hash & (set->room - 1)] : NULL;
    while (bucket != NULL && *bucket != node)
        bucket = &(*bucket)->chain;
    if (bucket != NULL)
        *bucket = node->chain;
}

static bool same_labels(const struct object *a, const struct object *b)
{
    size_t length = object_labels_length(a);
    return length == object_labels_length(b) && memcmp(a->labels, b->labels, length) == 0;
}

void set_change(struct set *set, struct set_node *node, struct object *object)
{
    struct object *before = node->object;
    bool same = set->labels == NULL || same_labels(before, object);
    if (!same)
        label_index_take(set->labels, node);
    node->object = object;
    if (!same && !label_index_put(set->labels, node))
        forget_labels(set);
    object_unref(before);
}

void set_free(struct set *set)
{
    forget_labels(set);
    struct set_node *next;
    for (struct set_node *node = set_start(set); node != NULL; node = next) {
        next = node->next[0];
        set_node_free(node);
    }
    mem_free(set->buckets);
    *set = (struct set){.dice = set->dice};
}

struct set_node *set_after(const struct set *set, const char *ns, const char *name)
{
    struct set_node *const *row = set->first;
    for (unsigned level = SET_LEVELS; level-- > 0;)
        while (row[level] != NULL && object_compare_keys(row[level]->object->ns, row[level]->object->name, ns, name) <= 0)
            row = row[level]->next;
    return row[0];
}

/* Without a table: the list's own search. */
static struct set_node *find_by_order(const struct set *set, const char *ns, const char *name)
{
    struct set_node *const *row = set->first;
    for (unsigned level = SET_LEVELS; level-- > 0;)
        while (row[level] != NULL && object_compare_keys(row[level]->object->ns, row[level]->object->name, ns, name) < 0)
            row = row[level]->next;
    struct set_node *node = row[0];
    return node != NULL && object_compare_keys(node->object->ns, node->object->name, ns, name) == 0 ? node : NULL;
}

struct set_node *set_find(const struct set *set, const char *ns, const char *name)
{
    if (set->room == 0)
        return find_by_order(set, ns, name);
    uint32_t hash = hash_of(ns, name);
    struct set_node *node = set->buckets[hash & (set->room - 1)];
    while (node != NULL && (node->hash != hash || strcmp(node->object->name, name) != 0 || strcmp(node->object->ns, ns) != 0))
        node = node->chain;
    return node;
}
