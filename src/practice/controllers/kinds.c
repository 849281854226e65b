#include "practice/controllers/kinds.h"

#include <string.h>

#include "base/mem.h"

enum { KINDS_AGAIN_MS = 50 };

static void followed_free(void *data)
{
    struct followed *followed = data;
    informer_free(followed->informer);
    mem_free(followed->group);
    mem_free(followed->version);
    mem_free(followed->plural);
    mem_free(followed);
}

static struct followed *followed_new(const struct following *following, const struct schema_kind *kind)
{
    struct followed *followed = mem_zero(1, sizeof *followed);
    if (followed == NULL)
        return NULL;
    *followed = (struct followed){.owner = following->owner, .round = following->round, .group = mem_string(kind->group), .version = mem_string(kind->version), .plural = mem_string(kind->plural)};
    const struct client_resource resource = {followed->group, followed->version, followed->plural};
    if (followed->group != NULL && followed->version != NULL && followed->plural != NULL)
        followed->informer = informer_new(following->reader, &resource, following->changed, followed, NULL);
    if (followed->informer != NULL)
        return followed;
    followed_free(followed);
    return NULL;
}

/* The version that is spoken may go while the kind stays. */
static bool keep(struct followed *followed, const struct following *following, const struct schema_kind *kind)
{
    followed->round = following->round;
    if (registry_find(following->api->registry, followed->group, followed->version, followed->plural) != NULL)
        return true;
    char *version = mem_string(kind->version);
    if (version == NULL)
        return false;
    mem_free(followed->version);
    followed->version = version;
    return true;
}

static bool follow(void *data, const struct schema_kind *kind)
{
    struct following *following = data;
    if (!following->wants(kind))
        return true;
    char *key = mem_printf("%s.%s", kind->plural, kind->group);
    struct followed *followed = key != NULL ? map_get(&following->followed, key) : NULL;
    bool ok = key != NULL;
    if (followed != NULL) {
        ok = keep(followed, following, kind);
    } else if (ok) {
        followed = followed_new(following, kind);
        ok = followed != NULL && map_set(&following->followed, key, followed);
    }
    mem_free(key);
    return ok;
}

bool kinds_follow(struct following *following)
{
    uint64_t generation = client_kinds_generation(following->reader);
    const struct map_entry *entry;
    following->round++;
    if (!client_each_kind(following->reader, VERB_LIST | VERB_WATCH | VERB_DELETE, follow, following))
        return false;
    for (size_t cursor = 0; (entry = map_next(&following->followed, &cursor)) != NULL;) {
        const struct followed *followed = entry->value;
        if (followed->round == following->round)
            continue;
        if (following->ends != NULL)
            following->ends(following->owner, followed);
        map_remove(&following->followed, entry->key);
    }
    following->generation = generation;
    return true;
}

bool kinds_current(struct following *following)
{
    const struct map_entry *entry;
    if (following->generation != client_kinds_generation(following->reader)) {
        workqueue_add(following->queue, following->key);
        return false;
    }
    for (size_t cursor = 0; (entry = map_next(&following->followed, &cursor)) != NULL;)
        if (!informer_current(((const struct followed *)entry->value)->informer))
            return false;
    return true;
}

static void definitions_changed(void *data, const struct informer_event *event)
{
    struct following *following = data;
    (void)event;
    workqueue_add_after(following->queue, following->key, KINDS_AGAIN_MS);
}

bool kinds_start(struct following *following, struct error *err)
{
    static const struct client_resource definitions = {"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
    following->followed = map_make(STATE_RESOURCES, followed_free);
    following->definitions = informer_new(following->reader, &definitions, definitions_changed, following, err);
    return following->definitions != NULL && (kinds_follow(following) || error_memory(err));
}

void kinds_forget(struct following *following)
{
    map_free(&following->followed);
}

void kinds_stop(struct following *following)
{
    kinds_forget(following);
    informer_free(following->definitions);
    following->definitions = NULL;
}
