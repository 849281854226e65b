#include "kube/watch_cache.h"

#include <string.h>

#include "base/mem.h"

enum { MAXIMUM_OBJECTS = 200000, FIRST_ROOM = 16 };

void watch_cache_free(struct watch_cache *cache)
{
    for (size_t i = 0; i < cache->count; i++)
        value_free(cache->items[i].object);
    mem_free(cache->items);
    cache->items = NULL;
    cache->count = cache->room = 0;
}

static const char *text_of(const struct value *object, const char *key)
{
    const char *text = value_find_text(object, "metadata", key, NULL);
    return text != NULL ? text : "";
}

static struct cached describe(struct value *object, unsigned round)
{
    return (struct cached){.object = object,
                           .ns = text_of(object, "namespace"),
                           .name = text_of(object, "name"),
                           .uid = text_of(object, "uid"),
                           .version = text_of(object, "resourceVersion"),
                           .round = round};
}

static int order(const struct cached *item, const char *ns, const char *name)
{
    int by_namespace = strcmp(item->ns, ns);
    return by_namespace != 0 ? by_namespace : strcmp(item->name, name);
}

/* Where it stands (*found), or would have to. */
static size_t place_of(const struct watch_cache *cache, const char *ns, const char *name, bool *found)
{
    size_t low = 0, high = cache->count;
    *found = false;
    if (high > 0 && order(&cache->items[high - 1], ns, name) < 0)
        return high; /* lists come in order */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int o = order(&cache->items[middle], ns, name);
        if (o == 0) {
            *found = true;
            return middle;
        }
        if (o < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct cached *watch_cache_find(const struct watch_cache *cache, const char *ns, const char *name)
{
    bool found;
    size_t at = place_of(cache, ns != NULL ? ns : "", name, &found);
    return found ? &cache->items[at] : NULL;
}

static void tell(struct watch_cache *cache, enum kube_change change, const struct value *object, const struct value *old)
{
    if (!cache->stopped)
        cache->tell(cache->data, change, object, old);
}

static bool insert(struct watch_cache *cache, size_t at, const struct cached *item, struct error *err)
{
    if (cache->count == MAXIMUM_OBJECTS)
        return error_set(err, ERROR_LIMIT, NULL, "more than %d objects would have to be held", (int)MAXIMUM_OBJECTS);
    if (cache->count == cache->room) {
        size_t room = cache->room > 0 ? cache->room * 2 : FIRST_ROOM;
        struct cached *items = mem_resize(cache->items, room * sizeof *items);
        if (items == NULL)
            return error_memory(err);
        cache->items = items;
        cache->room = room;
    }
    memmove(cache->items + at + 1, cache->items + at, (cache->count - at) * sizeof *cache->items);
    cache->items[at] = *item;
    cache->count++;
    return true;
}

static struct value *take_out(struct watch_cache *cache, size_t at)
{
    struct value *object = cache->items[at].object;
    cache->count--;
    memmove(cache->items + at, cache->items + at + 1, (cache->count - at) * sizeof *cache->items);
    return object;
}

static size_t digits(const char *text)
{
    size_t n = strspn(text, "0123456789");
    return text[n] == '\0' ? n : 0;
}

bool version_at_most(const char *a, const char *b)
{
    size_t n = digits(a), m = digits(b);
    if (n == 0 || m == 0)
        return false;
    return n != m ? n < m : strcmp(a, b) <= 0;
}

/* From a watch, what is not newer is an echo. From a list, which is true as it is, another version is another state, even a
 * lower one (a cluster that was restored from a backup). */
static bool is_news(const struct cached *item, const struct cached *old, bool from_list)
{
    if (strcmp(item->version, old->version) == 0)
        return item->version[0] == '\0'; /* versionless objects: nobody can tell */
    return from_list || !version_at_most(item->version, old->version);
}

static bool put(struct watch_cache *cache, struct value *object, bool from_list, struct error *err)
{
    if (!cache->managed_fields)
        value_remove(value_get(object, "metadata"), "managedFields");
    struct cached item = describe(object, cache->round);
    if (item.name[0] == '\0') {
        value_free(object);
        return error_set(err, ERROR_INTERNAL, NULL, "the server sent an object without a name");
    }
    bool found;
    size_t at = place_of(cache, item.ns, item.name, &found);
    if (found && strcmp(cache->items[at].uid, item.uid) == 0) {
        cache->items[at].round = cache->round;
        if (!is_news(&item, &cache->items[at], from_list)) {
            value_free(object);
            return true;
        }
        struct value *old = cache->items[at].object;
        cache->items[at] = item;
        tell(cache, KUBE_MODIFIED, object, old);
        value_free(old);
        return true;
    }
    if (found) { /* deleted and made again, and nobody told us of the first */
        if (!from_list && version_at_most(item.version, cache->items[at].version)) {
            value_free(object);
            return true;
        }
        struct value *old = take_out(cache, at);
        tell(cache, KUBE_DELETED, old, old);
        value_free(old);
    }
    if (cache->stopped || !insert(cache, at, &item, err)) {
        value_free(object);
        return cache->stopped;
    }
    tell(cache, KUBE_ADDED, object, NULL);
    return true;
}

bool watch_cache_list_item(struct watch_cache *cache, struct value *object, struct error *err)
{
    return put(cache, object, true, err);
}

bool watch_cache_put(struct watch_cache *cache, struct value *object, struct error *err)
{
    return put(cache, object, false, err);
}

void watch_cache_delete(struct watch_cache *cache, struct value *object)
{
    if (!cache->managed_fields)
        value_remove(value_get(object, "metadata"), "managedFields");
    struct cached item = describe(object, 0);
    bool found;
    size_t at = place_of(cache, item.ns, item.name, &found);
    if (found && strcmp(cache->items[at].uid, item.uid) == 0) {
        struct value *old = take_out(cache, at);
        tell(cache, KUBE_DELETED, object, old);
        value_free(old);
    }
    value_free(object);
}

void watch_cache_sweep(struct watch_cache *cache)
{
    for (size_t i = 0; i < cache->count && !cache->stopped;) {
        if (cache->items[i].round == cache->round) {
            i++;
            continue;
        }
        struct value *old = take_out(cache, i);
        tell(cache, KUBE_DELETED, old, old);
        value_free(old);
    }
}
