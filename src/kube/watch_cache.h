/* watch_cache.h: the objects of one watch, in order of namespace and name, and how each arrival changes them.
 *
 * Every function that takes an object owns it from then on. `tell` is called after the cache has changed, with what watch.h
 * says of `changed`; it may set `stopped`, after which nothing more is told.
 */
#ifndef KT_KUBE_WATCH_CACHE_H
#define KT_KUBE_WATCH_CACHE_H

#include "base/error.h"
#include "data/value.h"
#include "kube/watch.h"

struct cached { /* the texts stand in the object */
    struct value *object;
    const char *ns, *name, *uid, *version; /* never NULL */
    unsigned round;                        /* the list that saw it last */
};

struct watch_cache {
    struct cached *items;
    size_t count, room;
    bool managed_fields;
    unsigned round;
    bool stopped;
    void (*tell)(void *data, enum kube_change change, const struct value *object, const struct value *old);
    void *data;
};

void watch_cache_free(struct watch_cache *cache);
const struct cached *watch_cache_find(const struct watch_cache *cache, const char *ns, const char *name);

/* An item of the list that is being read: tells what differs. False: no memory, too many objects, or it has no name. */
bool watch_cache_list_item(struct watch_cache *cache, struct value *object, struct error *err)
    __attribute__((warn_unused_result));
/* The list is complete: what it did not have is told as deleted. */
void watch_cache_sweep(struct watch_cache *cache);

/* An ADDED or MODIFIED event; one that tells nothing new is dropped. */
bool watch_cache_put(struct watch_cache *cache, struct value *object, struct error *err) __attribute__((warn_unused_result));
void watch_cache_delete(struct watch_cache *cache, struct value *object);

/* Compares resource versions: both are numbers (of any length) and a is at most b. Of others nothing is known but whether they
 * are equal: false. */
bool version_at_most(const char *a, const char *b);

#endif
