/* informer: one cache a resource, filled by a list and followed by a cursor into the history; every informer of the resource is told from it. */
#include <string.h>

#include "base/mem.h"
#include "practice/api/client_internal.h"

enum { PART = 200 /* objects or events that are told in one round of the loop */ };

struct informers {
    struct cache *caches; /* a list */
};

struct cache {
    struct cache *next;
    struct api *api;
    const struct schema_kind *kind; /* held */
    state_resource resource;
    struct object **objects; /* references, in the order of their keys */
    size_t count, room;
    struct state_watch *cursor; /* NULL: it must be listed (again) */
    struct loop_event *round;
    struct informer *informers; /* a list */
    unsigned telling;           /* callbacks are on their way: nothing is freed under them */
};

struct informer {
    struct informer *next;
    struct cache *cache;
    void (*event)(void *data, const struct informer_event *event);
    void *data;
    struct object *last; /* until it is synced: the newest object of the start that was told, a reference */
    bool synced, dead;
};

/* The order of the state: the bytes of "ns/name". */
static int compare(const char *ns_a, const char *name_a, const char *ns_b, const char *name_b)
{
    size_t i = 0;
    while (ns_a[i] != '\0' && ns_a[i] == ns_b[i])
        i++;
    unsigned char a = ns_a[i] != '\0' ? (unsigned char)ns_a[i] : '/', b = ns_b[i] != '\0' ? (unsigned char)ns_b[i] : '/';
    return a != b ? (a < b ? -1 : 1) : strcmp(name_a, name_b);
}

/* The place of a key, or where it would be. */
static size_t find(const struct cache *cache, const char *ns, const char *name, bool *there)
{
    size_t from = 0, to = cache->count;
    *there = false;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const struct object *object = cache->objects[middle];
        int order = compare(object->ns, object->name, ns, name);
        *there = order == 0;
        if (order == 0)
            return middle;
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static bool reserve(struct cache *cache)
{
    if (cache->count < cache->room)
        return true;
    size_t room = cache->room == 0 ? 64 : cache->room * 2;
    struct object **more = mem_resize(cache->objects, room * sizeof *more);
    if (more == NULL)
        return false;
    cache->objects = more;
    cache->room = room;
    return true;
}

static void run(void *data);

/* True if an informer's own walk of the start has passed this object: it is told of what happens to it. */
static bool follows(const struct informer *informer, const struct object *object)
{
    return informer->synced || (informer->last != NULL && compare(object->ns, object->name, informer->last->ns, informer->last->name) <= 0);
}

static void tell(struct cache *cache, const struct object *object, const struct object *previous)
{
    struct informer_event event = {.object = object, .previous = previous};
    cache->telling++;
    for (struct informer *informer = cache->informers; informer != NULL; informer = informer->next)
        if (!informer->dead && follows(informer, object != NULL ? object : previous))
            informer->event(informer->data, &event);
    cache->telling--;
}

/* Puts a new state of an object into the cache (NULL: it is gone; last: its last state), then tells. False: no memory, nothing done. */
static bool put(struct cache *cache, const struct object *object, const struct object *last)
{
    const struct object *key = object != NULL ? object : last;
    bool there;
    size_t at = find(cache, key->ns, key->name, &there);
    struct object *old = there ? cache->objects[at] : NULL;
    if (object != NULL && old != NULL && old->version == object->version)
        return true;
    if (object != NULL && old == NULL) {
        if (!reserve(cache))
            return false;
        memmove(&cache->objects[at + 1], &cache->objects[at], (cache->count - at) * sizeof *cache->objects);
        cache->count++;
    }
    if (object != NULL) {
        cache->objects[at] = object_ref(object);
    } else if (old != NULL) {
        cache->count--;
        memmove(&cache->objects[at], &cache->objects[at + 1], (cache->count - at) * sizeof *cache->objects);
    }
    if (object != NULL || old != NULL)
        tell(cache, object, object != NULL ? old : last);
    object_unref(old);
    return true;
}

/* Takes out what a list does not have any more; both are in the same order. */
static bool drop_missing(struct cache *cache, const struct vec *objects)
{
    size_t next = 0;
    for (size_t at = 0; at < cache->count;) {
        struct object *had = cache->objects[at];
        int order = 1;
        for (; next < objects->length; next++) {
            const struct object *has = objects->items[next];
            order = compare(has->ns, has->name, had->ns, had->name);
            if (order >= 0)
                break;
        }
        if (next < objects->length && order == 0) {
            at++;
            continue;
        }
        struct object *kept = object_ref(had);
        bool dropped = put(cache, NULL, kept);
        object_unref(kept);
        if (!dropped)
            return false;
    }
    return true;
}

/* Lists anew: what is gone, what is new, what is other. */
static bool list(struct cache *cache)
{
    struct state *state = cache->api->state;
    uint64_t version = state_committed(state);
    struct vec objects;
    bool others;
    if (!state_list(state, cache->resource, NULL, state_is_clean(state) ? 0 : version, NULL, NULL, 0, NULL, NULL, &objects, &others, NULL))
        return false;
    cache->cursor = state_watch_new(state, cache->resource, NULL, version, run, cache, NULL);
    bool fine = cache->cursor != NULL && drop_missing(cache, &objects);
    for (size_t i = 0; fine && i < objects.length; i++)
        fine = put(cache, objects.items[i], NULL);
    vec_free(&objects);
    if (!fine) {
        state_watch_free(cache->cursor);
        cache->cursor = NULL;
    }
    return fine;
}

/* Tells informers that began later of what is there. True: there is more. */
static bool walk(struct cache *cache)
{
    bool more = false;
    cache->telling++;
    for (struct informer *informer = cache->informers; informer != NULL; informer = informer->next) {
        for (int i = 0; i < PART && !informer->synced && !informer->dead; i++) {
            bool there = false;
            size_t at = informer->last != NULL ? find(cache, informer->last->ns, informer->last->name, &there) + there : 0;
            if (at >= cache->count) {
                informer->synced = true;
                break;
            }
            object_unref(informer->last);
            informer->last = object_ref(cache->objects[at]);
            struct informer_event event = {.object = informer->last};
            informer->event(informer->data, &event);
        }
        more = more || (!informer->synced && !informer->dead);
    }
    cache->telling--;
    return more;
}

/* Follows the history for a while. True: there is more. */
static bool follow(struct cache *cache)
{
    for (int i = 0; i < PART; i++) {
        struct state_event event;
        enum state_step step = state_watch_next(cache->cursor, &event);
        if (step == STATE_WAIT)
            return false;
        bool fine = step == STATE_EVENT && (event.change == STATE_DELETED ? put(cache, NULL, event.object) : put(cache, event.object, NULL));
        if (!fine) { /* expired, or no memory: from the start */
            state_watch_free(cache->cursor);
            cache->cursor = NULL;
            return true;
        }
    }
    return true;
}

static void free_cache(struct cache *cache)
{
    struct cache **at = &cache->api->informers->caches;
    while (*at != cache)
        at = &(*at)->next;
    *at = cache->next;
    state_watch_free(cache->cursor);
    for (size_t i = 0; i < cache->count; i++)
        object_unref(cache->objects[i]);
    mem_free(cache->objects);
    loop_drop(cache->round);
    registry_release(cache->api->registry, cache->kind);
    if (cache->api->informers->caches == NULL) {
        mem_free(cache->api->informers);
        cache->api->informers = NULL;
    }
    mem_free(cache);
}

/* Frees informers that were let go. True: none is left, and the cache is gone, too. */
static bool sweep(struct cache *cache)
{
    for (struct informer **at = &cache->informers; *at != NULL;) {
        struct informer *informer = *at;
        if (!informer->dead) {
            at = &informer->next;
            continue;
        }
        *at = informer->next;
        object_unref(informer->last);
        mem_free(informer);
    }
    if (cache->informers != NULL)
        return false;
    free_cache(cache);
    return true;
}

static void run(void *data)
{
    struct cache *cache = data;
    cache->telling++;
    bool listed = cache->cursor != NULL || list(cache), more = !listed;
    if (listed)
        more = follow(cache);
    if (listed && walk(cache))
        more = true;
    cache->telling--;
    if (!sweep(cache) && more)
        loop_set_timer(cache->round, listed ? 0 : 100); /* without memory: a little later */
}

static struct cache *cache_of(struct api *api, const struct schema_kind *kind)
{
    state_resource resource = registry_resource(api->registry, kind);
    if (api->informers == NULL && (api->informers = mem_zero(1, sizeof *api->informers)) == NULL)
        return NULL;
    for (struct cache *cache = api->informers->caches; cache != NULL; cache = cache->next)
        if (cache->resource == resource)
            return cache;
    struct cache *cache = mem_zero(1, sizeof *cache);
    if (cache == NULL)
        return NULL;
    cache->api = api;
    cache->kind = kind;
    cache->resource = resource;
    registry_hold(api->registry, kind);
    cache->next = api->informers->caches;
    api->informers->caches = cache;
    cache->round = loop_add_timer(api->loop, 0, run, cache);
    if (cache->round != NULL)
        return cache;
    free_cache(cache);
    return NULL;
}

struct informer *informer_new(struct client *client, const struct client_resource *resource,
                              void (*event)(void *data, const struct informer_event *event), void *data, struct error *err)
{
    const struct schema_kind *kind = client_kind(client, resource, err);
    if (kind == NULL || !client_allowed(client, resource, "list", "", "", "", err) || !client_allowed(client, resource, "watch", "", "", "", err))
        return NULL;
    struct cache *cache = cache_of(client->api, kind);
    struct informer *informer = cache != NULL ? mem_zero(1, sizeof *informer) : NULL;
    if (informer == NULL) {
        if (cache != NULL && cache->informers == NULL && cache->telling == 0)
            free_cache(cache);
        error_memory(err);
        return NULL;
    }
    informer->cache = cache;
    informer->event = event;
    informer->data = data;
    informer->next = cache->informers;
    cache->informers = informer;
    loop_set_timer(cache->round, 0);
    return informer;
}

bool informer_current(const struct informer *informer)
{
    const struct cache *cache = informer->cache;
    return informer->synced && cache->cursor != NULL && state_watch_version(cache->cursor) == state_committed(cache->api->state);
}

void informer_free(struct informer *informer)
{
    if (informer == NULL)
        return;
    informer->dead = true;
    if (informer->cache->telling == 0)
        sweep(informer->cache);
}

const struct object *informer_get(const struct informer *informer, const char *ns, const char *name)
{
    bool there;
    size_t at = find(informer->cache, ns, name, &there);
    return there ? informer->cache->objects[at] : NULL;
}

const struct object *informer_next(const struct informer *informer, const char *only_ns, const struct object *after)
{
    const struct cache *cache = informer->cache;
    bool there = false;
    size_t at = after != NULL ? find(cache, after->ns, after->name, &there) + there : only_ns != NULL ? find(cache, only_ns, "", &there) : 0;
    const struct object *object = at < cache->count ? cache->objects[at] : NULL;
    return object != NULL && (only_ns == NULL || strcmp(object->ns, only_ns) == 0) ? object : NULL;
}

struct value *informer_value(const struct informer *informer, const struct object *object)
{
    return api_value(informer->cache->api, object, informer->cache->kind);
}
