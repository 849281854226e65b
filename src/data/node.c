#include "data/node.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"

enum { FEW_KEYS = 16 }; /* up to here, comparing every two keys is faster than a hash table */

/* cJSON is given its allocator before anything else runs: hooks that came later would free what others allocated. */
__attribute__((constructor)) static void give_allocator(void)
{
    cJSON_Hooks hooks = {.malloc_fn = mem_alloc, .free_fn = mem_free};
    cJSON_InitHooks(&hooks);
}

/* Beside cJSON's own flags in its type. */
enum {
    NODE_KEY_ROOM = 1024, /* KEY_ROOM bytes are behind it, and most keys fit */
    NODE_STEPS = 1 << 16, /* the block's size in 16 bytes, from this bit on; 0: large */
    KEY_ROOM = 24,
    STEP = 16,
    STEPS = 255,
};

cJSON *node_block(int type, size_t more)
{
    size_t size = sizeof(cJSON) + more, steps = (size + STEP - 1) / STEP;
    cJSON *node = more <= PTRDIFF_MAX / 2 ? mem_take(size) : NULL;
    if (node != NULL)
        *node = (cJSON){.type = type | (steps <= STEPS ? (int)steps * NODE_STEPS : 0)};
    return node;
}

static void free_block(cJSON *node)
{
    size_t steps = (size_t)(node->type / NODE_STEPS);
    if (steps > 0)
        mem_give(node, steps * STEP);
    else
        mem_free(node);
}

cJSON *node_fresh(int type, const char *text, size_t length)
{
    size_t room = text != NULL ? length + 1 : 0;
    cJSON *node = room <= PTRDIFF_MAX / 2 ? node_block(type | NODE_KEY_ROOM, KEY_ROOM + room) : NULL;
    if (node == NULL)
        return NULL;
    if (text != NULL) {
        node->type |= cJSON_IsReference;
        node->valuestring = (char *)(node + 1) + KEY_ROOM;
        memcpy(node->valuestring, text, length);
        node->valuestring[length] = '\0';
    }
    return node;
}

void node_release(cJSON *node)
{
    for (cJSON *entry = node->child, *next; entry != NULL; entry = next) {
        next = entry->next;
        node_release(entry);
    }
    if (node->valuestring != NULL && (node->type & cJSON_IsReference) == 0)
        mem_free(node->valuestring);
    if (node->string != NULL && (node->type & cJSON_StringIsConst) == 0)
        mem_free(node->string);
    free_block(node);
}

void node_name(cJSON *node, char *key)
{
    if (node->string != NULL && (node->type & cJSON_StringIsConst) == 0)
        mem_free(node->string);
    node->type &= ~cJSON_StringIsConst;
    node->string = key;
    node->valueint = 0;
}

bool node_call(cJSON *node, const char *key)
{
    size_t length = strlen(key);
    bool fits = (node->type & NODE_KEY_ROOM) != 0 && length < KEY_ROOM;
    char *name = fits ? (char *)(node + 1) : mem_alloc(length + 1);
    if (name == NULL)
        return false;
    memmove(name, key, length + 1); /* it may be the key that the node has now */
    if (node->string == name)
        return true;
    node_name(node, name);
    if (fits)
        node->type |= cJSON_StringIsConst;
    return true;
}

static cJSON *copy_one(const cJSON *node)
{
    cJSON *copy = node_fresh(node_kind(node), node->valuestring, node->valuestring != NULL ? strlen(node->valuestring) : 0);
    if (copy != NULL)
        copy->valuedouble = node->valuedouble;
    return copy;
}

/* The key, or the lasting one, which is shared. */
static bool copy_key(cJSON *copy, const cJSON *node)
{
    if (node->valueint == 0)
        return node_call(copy, node->string);
    copy->string = node->string;
    copy->type |= cJSON_StringIsConst;
    copy->valueint = node->valueint;
    return true;
}

cJSON *node_copy(const cJSON *node)
{
    cJSON *copy = copy_one(node);
    for (const cJSON *entry = node->child; copy != NULL && entry != NULL; entry = entry->next) {
        cJSON *child = node_copy(entry);
        if (child != NULL && (entry->string == NULL || copy_key(child, entry))) {
            node_add(copy, child);
            continue;
        }
        if (child != NULL)
            node_release(child);
        node_release(copy);
        copy = NULL;
    }
    return copy;
}

static void drop(cJSON *object, cJSON *entry)
{
    node_release(cJSON_DetachItemViaPointer(object, entry));
}

/* What two equal keys have in common, in one number: texts are compared only where it is the same. */
static size_t sketch(const char *key)
{
    size_t length = strlen(key);
    return length << 16 | (size_t)(unsigned char)key[0] << 8 | (length > 0 ? (unsigned char)key[length - 1] : 0);
}

static void drop_among_few(cJSON *object)
{
    size_t sketches[FEW_KEYS], count = 0;
    cJSON *entries[FEW_KEYS];
    for (cJSON *entry = object->child; entry != NULL; entry = entry->next) {
        entries[count] = entry;
        sketches[count++] = sketch(entry->string);
    }
    for (size_t later = 1; later < count; later++)
        for (size_t i = 0; i < later; i++)
            if (sketches[i] == sketches[later] && entries[i] != NULL &&
                strcmp(entries[i]->string, entries[later]->string) == 0) {
                drop(object, entries[i]);
                entries[i] = NULL;
            }
}

static bool drop_among_many(cJSON *object, size_t keys)
{
    struct map seen = map_make(keys, NULL);
    bool ok = true;
    for (cJSON *entry = object->child, *next; ok && entry != NULL; entry = next) {
        next = entry->next;
        cJSON *earlier = map_get(&seen, entry->string);
        ok = map_set(&seen, entry->string, entry);
        if (ok && earlier != NULL)
            drop(object, earlier);
    }
    map_free(&seen);
    return ok;
}

bool node_drop_duplicates(cJSON *object)
{
    size_t keys = value_length(node_value(object));
    if (keys > FEW_KEYS)
        return drop_among_many(object, keys);
    drop_among_few(object);
    return true;
}
