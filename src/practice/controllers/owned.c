/* owned.c: an informer, and for each object an entry that stands in a row with those that have the same controller. */
#include "practice/controllers/owned.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "practice/api/api.h"
#include "practice/controllers/workload.h"

enum { OWNED = 1000000, OWNED_KEY = 1024 };

struct group {
    char *key; /* the uid, or "ns/" of those that nobody controls */
    struct entry *first;
};

struct entry {
    struct owned_object seen; /* the first: whoever has one has the other */
    struct object *kept; /* its object, a reference */
    struct group *group;      /* NULL: in none */
    struct entry *before, *after;
    char *texts; /* kind, name and uid of the controller, each with its NUL; NULL: it has none */
};

struct owned {
    struct informer *informer;
    void (*changed)(void *data, const struct owned_event *event);
    void *data;
    struct client_resource resource;
    struct map entries; /* "ns/name" -> struct entry */
    struct map groups;  /* key -> struct group */
    bool torn;          /* an entry is missing */
};

static void free_group(void *data)
{
    struct group *group = data;
    mem_free(group->key);
    mem_free(group);
}

static void free_entry(void *data)
{
    struct entry *entry = data;
    object_unref(entry->kept);
    mem_free(entry->texts);
    mem_free(entry);
}

static void key_of(const char *ns, const char *name, char key[static OWNED_KEY])
{
    snprintf(key, OWNED_KEY, "%s/%s", ns, name);
}

/* Out of its row; the group goes with the last. */
static void leave(struct owned *owned, struct entry *entry)
{
    struct group *group = entry->group;
    if (group == NULL)
        return;
    if (entry->before != NULL)
        entry->before->after = entry->after;
    else
        group->first = entry->after;
    if (entry->after != NULL)
        entry->after->before = entry->before;
    if (group->first == NULL)
        map_remove(&owned->groups, group->key);
    entry->group = NULL;
}

/* NULL: no memory. */
static struct group *group_of(struct owned *owned, const char *key)
{
    struct group *group = map_get(&owned->groups, key);
    if (group != NULL)
        return group;
    group = mem_zero(1, sizeof *group);
    if (group == NULL || (group->key = mem_string(key)) == NULL) {
        mem_free(group);
        return NULL;
    }
    return map_set(&owned->groups, key, group) ? group : NULL;
}

static bool join(struct owned *owned, struct entry *entry)
{
    char key[OWNED_KEY];
    key_of(entry->seen.object->ns, "", key);
    struct group *group = group_of(owned, entry->seen.uid[0] != '\0' ? entry->seen.uid : key);
    if (group == NULL)
        return false;
    entry->group = group;
    entry->after = group->first;
    if (group->first != NULL)
        group->first->before = entry;
    group->first = entry;
    return true;
}

/* Reads the controller of its object. False: no memory. */
static bool read_owner(const struct owned *owned, struct entry *entry)
{
    if ((entry->seen.object->flags & OBJECT_HAS_OWNERS) == 0)
        return true;
    struct value *document = informer_value(owned->informer, entry->seen.object);
    const struct value *owner = workload_controller(document);
    const char *kind = value_find_text(owner, "kind", NULL), *name = value_find_text(owner, "name", NULL), *uid = value_find_text(owner, "uid", NULL);
    bool ok = document != NULL;
    if (kind != NULL && name != NULL && uid != NULL) {
        size_t kind_room = strlen(kind) + 1, name_room = strlen(name) + 1, uid_room = strlen(uid) + 1;
        char *texts = entry->texts = mem_alloc(kind_room + name_room + uid_room);
        ok = texts != NULL;
        if (ok) {
            entry->seen.kind = memcpy(texts, kind, kind_room);
            entry->seen.name = memcpy(texts + kind_room, name, name_room);
            entry->seen.uid = memcpy(texts + kind_room + name_room, uid, uid_room);
        }
    }
    value_free(document);
    return ok;
}

/* Takes an object's entry out; the caller frees it. NULL: there is none. */
static struct entry *take_out(struct owned *owned, const struct object *object)
{
    char key[OWNED_KEY];
    key_of(object->ns, object->name, key);
    struct entry *entry = map_take(&owned->entries, key);
    if (entry != NULL)
        leave(owned, entry);
    return entry;
}

/* An entry for an object that has none. NULL: no memory. */
static struct entry *put_in(struct owned *owned, const struct object *object)
{
    char key[OWNED_KEY];
    key_of(object->ns, object->name, key);
    struct entry *entry = mem_zero(1, sizeof *entry);
    if (entry == NULL)
        return NULL;
    entry->kept = object_ref(object);
    entry->seen = (struct owned_object){entry->kept, "", "", ""};
    if (!map_set(&owned->entries, key, entry))
        return NULL;
    if (read_owner(owned, entry) && join(owned, entry))
        return entry;
    map_remove(&owned->entries, key);
    return NULL;
}

static void informed(void *data, const struct informer_event *event)
{
    struct owned *owned = data;
    struct entry *was = take_out(owned, event->object != NULL ? event->object : event->previous);
    struct entry *now = event->object != NULL ? put_in(owned, event->object) : NULL;
    struct owned_event told = {.now = now != NULL ? &now->seen : NULL, .was = was != NULL ? &was->seen : NULL};
    bool missed = (event->object != NULL && now == NULL) || (event->previous != NULL && was == NULL);
    owned->torn = owned->torn || (event->object != NULL && now == NULL);
    owned->changed(owned->data, missed ? NULL : &told);
    if (was != NULL)
        free_entry(was);
}

struct owned *owned_new(struct client *reader, const struct client_resource *resource, void (*changed)(void *data, const struct owned_event *event), void *data, struct error *err)
{
    struct owned *owned = mem_zero(1, sizeof *owned);
    if (owned == NULL) {
        error_memory(err);
        return NULL;
    }
    *owned = (struct owned){.changed = changed, .data = data, .resource = *resource, .entries = map_make(OWNED, free_entry), .groups = map_make(OWNED, free_group)};
    owned->informer = informer_new(reader, resource, informed, owned, err);
    if (owned->informer != NULL)
        return owned;
    mem_free(owned);
    return NULL;
}

void owned_free(struct owned *owned)
{
    if (owned == NULL)
        return;
    informer_free(owned->informer);
    map_free(&owned->entries);
    map_free(&owned->groups);
    mem_free(owned);
}

const struct informer *owned_informer(const struct owned *owned)
{
    return owned->informer;
}

const struct owned_object *owned_find(const struct owned *owned, const char *ns, const char *name)
{
    char key[OWNED_KEY];
    key_of(ns, name, key);
    const struct entry *entry = map_get(&owned->entries, key);
    return entry != NULL ? &entry->seen : NULL;
}

struct value *owned_value(const struct owned *owned, const struct object *object)
{
    return informer_value(owned->informer, object);
}

const struct owned_object *owned_next(const struct owned *owned, const char *uid, const struct owned_object *after)
{
    const struct group *group = after == NULL ? map_get(&owned->groups, uid) : NULL;
    const struct entry *next = after != NULL ? ((const struct entry *)(const void *)after)->after : group != NULL ? group->first : NULL;
    return next != NULL ? &next->seen : NULL;
}

const struct owned_object *owned_next_orphan(const struct owned *owned, const char *ns, const struct owned_object *after)
{
    char key[OWNED_KEY];
    key_of(ns, "", key);
    return owned_next(owned, key, after);
}

/* Entries that memory was missing for. False: it still is. */
static bool mend(struct owned *owned)
{
    for (const struct object *object = NULL; owned->torn && (object = informer_next(owned->informer, NULL, object)) != NULL;)
        if (owned_find(owned, object->ns, object->name) == NULL && put_in(owned, object) == NULL)
            return false;
    owned->torn = false;
    return true;
}

/* ---- taking and letting go ---- */

static void free_document(void *document)
{
    value_free(document);
}

/* Those that it controls. */
static bool claim_own(const struct owned *owned, const struct maker *maker, const struct label_selector *selector, struct vec *claimed, struct error *err)
{
    const char *uid = value_find_text(maker->owner, "metadata", "uid", NULL);
    bool ok = true;
    for (const struct owned_object *entry = NULL; (entry = owned_next(owned, uid, entry)) != NULL;) {
        if (label_selector_matches(selector, entry->object)) {
            struct value *document = owned_value(owned, entry->object);
            if (document == NULL || !vec_push(claimed, document))
                return error_memory(err);
        } else if (!workload_is_going(maker->owner)) {
            ok = maker_release(maker, &owned->resource, entry->object, err) && ok;
        }
    }
    return ok;
}

/* Those that nobody controls. */
static bool claim_orphans(const struct owned *owned, const struct maker *maker, const struct label_selector *selector, struct vec *claimed, struct error *err)
{
    const char *ns = value_find_text(maker->owner, "metadata", "namespace", NULL);
    bool asked = false, ok = true;
    for (const struct owned_object *entry = NULL; (entry = owned_next_orphan(owned, ns, entry)) != NULL;) {
        struct error why = ERROR_INIT;
        if ((entry->object->flags & OBJECT_DELETING) != 0 || !label_selector_matches(selector, entry->object))
            continue;
        if (!asked && !maker_may_adopt(maker, err))
            return false;
        asked = true;
        struct value *adopted = maker_adopt(maker, &owned->resource, entry->object, &why);
        if (adopted != NULL && !vec_push(claimed, adopted))
            return error_memory(err);
        if (adopted == NULL && why.kind != ERROR_NOT_FOUND) {
            ok = false;
            if (err != NULL)
                *err = why;
        }
    }
    return ok;
}

bool owned_claim(struct owned *owned, const struct maker *maker, const struct label_selector *selector, struct vec *claimed, struct error *err)
{
    *claimed = vec_make(OWNED, free_document);
    if (!mend(owned))
        return error_memory(err);
    bool ok = claim_own(owned, maker, selector, claimed, err);
    return (workload_is_going(maker->owner) || claim_orphans(owned, maker, selector, claimed, err)) && ok;
}
