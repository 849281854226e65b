/* informer: one cache a resource, filled by a list and followed by a cursor into the history; every informer of the resource is told from it. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/client_internal.h"
#include "practice/api/verbs.h"
#include "practice/state/set.h"

enum {
    PART = 200,               /* objects or events that are told in one round of the loop */
    WRITTEN = 32,             /* documents that are kept from their writing to their event */
    WRITTEN_TEXT = 64 << 10,  /* larger ones are not */
};

struct informers {
    struct cache *caches; /* a list */
    struct written {
        struct object *object; /* a reference; NULL: none */
        struct value *document;
    } written[WRITTEN];
    size_t next_written;
};

struct cache {
    struct cache *next;
    struct api *api;
    const struct schema_kind *kind; /* held */
    state_resource resource;
    struct set set;
    bool wants_documents; /* somebody asked informer_written */
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

static void run(void *data);

/* True if an informer's own walk of the start has passed this object: it is told of what happens to it. */
static bool follows(const struct informer *informer, const struct object *object)
{
    return informer->synced || (informer->last != NULL && object_compare(object, informer->last) <= 0);
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
    struct set_node *node = set_find(&cache->set, key->ns, key->name);
    struct object *old = node != NULL ? object_ref(node->object) : NULL;
    bool fine = true;
    if (object != NULL && old != NULL && old->version == object->version) {
        object_unref(old);
        return true;
    }
    if (object != NULL && old != NULL) {
        set_change(&cache->set, node, object_ref(object));
    } else if (object != NULL) {
        node = set_node_new(&cache->set, object_ref(object));
        fine = node != NULL;
        if (fine)
            set_put(&cache->set, node);
    } else if (old != NULL) {
        set_take(&cache->set, node);
        set_node_free(node);
    }
    if (fine && (object != NULL || old != NULL))
        tell(cache, object, object != NULL ? old : last);
    object_unref(old);
    return fine;
}

/* Takes out what a list does not have any more; both are in the same order. */
static bool drop_missing(struct cache *cache, const struct vec *objects)
{
    size_t next = 0;
    for (struct set_node *node = set_start(&cache->set), *after; node != NULL; node = after) {
        int order = 1;
        after = node->next[0];
        for (; next < objects->length; next++) {
            order = object_compare(objects->items[next], node->object);
            if (order >= 0)
                break;
        }
        if (next < objects->length && order == 0)
            continue;
        struct object *kept = object_ref(node->object);
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
            const struct object *last = informer->last;
            const struct set_node *node = last != NULL ? set_after(&cache->set, last->ns, last->name) : set_start(&cache->set);
            if (node == NULL) {
                informer->synced = true;
                break;
            }
            object_unref(informer->last);
            informer->last = object_ref(node->object);
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

/* Documents of a resource's objects that nobody took. */
static void forget_written(struct informers *informers, state_resource resource)
{
    for (size_t i = 0; i < WRITTEN; i++) {
        struct written *written = &informers->written[i];
        if (written->object == NULL || written->object->resource != resource)
            continue;
        value_free(written->document);
        object_unref(written->object);
        *written = (struct written){NULL, NULL};
    }
}

static void free_cache(struct cache *cache)
{
    struct cache **at = &cache->api->informers->caches;
    while (*at != cache)
        at = &(*at)->next;
    *at = cache->next;
    state_watch_free(cache->cursor);
    set_free(&cache->set);
    forget_written(cache->api->informers, cache->resource);
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
    if (!more && cache->wants_documents)
        forget_written(cache->api->informers, cache->resource);
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
    const struct set_node *node = set_find(&informer->cache->set, ns, name);
    return node != NULL ? node->object : NULL;
}

const struct object *informer_next(const struct informer *informer, const char *only_ns, const struct object *after)
{
    const struct set *set = &informer->cache->set;
    const struct set_node *at = after != NULL ? set_find(set, after->ns, after->name) : NULL, *node;
    if (at != NULL)
        node = at->next[0];
    else if (after != NULL)
        node = set_after(set, after->ns, after->name);
    else
        node = only_ns != NULL ? set_after(set, only_ns, "") : set_start(set);
    return node != NULL && (only_ns == NULL || strcmp(node->object->ns, only_ns) == 0) ? node->object : NULL;
}

struct value *informer_value(const struct informer *informer, const struct object *object)
{
    return api_value(informer->cache->api, object, informer->cache->kind);
}

void informers_wrote(struct api *api, const struct object *object, struct value *document)
{
    struct cache *cache = api->informers != NULL ? api->informers->caches : NULL;
    while (cache != NULL && cache->resource != object->resource)
        cache = cache->next;
    if (cache == NULL || !cache->wants_documents || object->length > WRITTEN_TEXT) {
        value_free(document);
        return;
    }
    struct written *written = &api->informers->written[api->informers->next_written++ % WRITTEN];
    value_free(written->document);
    object_unref(written->object);
    *written = (struct written){object_ref(object), document};
}

/* As its text would be read. */
static bool complete(struct value *document, const struct object *object, const struct schema_kind *kind)
{
    char version[24];
    snprintf(version, sizeof version, "%llu", (unsigned long long)object->version);
    value_remove(value_get(document, "metadata"), "managedFields");
    return metadata_set_text(document, "resourceVersion", version) && document_set_kind(document, kind);
}

struct value *informer_written(struct informer *informer, const struct object *object)
{
    struct cache *cache = informer->cache;
    struct written *written = cache->api->informers->written, *end = written + WRITTEN;
    cache->wants_documents = true;
    while (written < end && written->object != object)
        written++;
    if (written == end)
        return NULL;
    struct value *document = written->document;
    object_unref(written->object);
    *written = (struct written){NULL, NULL};
    if (complete(document, object, cache->kind->storage))
        return document;
    value_free(document);
    return NULL;
}
