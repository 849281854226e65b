/* selection.c: watches shared by everything that reads the same selection, with the history of a step. */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bind/objects.h"
#include "bind/op.h"
#include "data/json.h"

struct gone {
    int64_t since; /* monotonic ms */
};

static void free_seen(void *item)
{
    struct seen *seen = item;
    if (seen == NULL)
        return;
    mem_free(seen->name);
    mem_free(seen->text);
    mem_free(seen);
}

static void remember(struct selection *selection, const char *name, const struct value *object)
{
    struct seen *seen = mem_zero(1, sizeof *seen);
    if (seen == NULL)
        return; /* history is a help, not the truth: without memory it has a hole */
    seen->name = mem_string(name);
    seen->text = object != NULL ? json_text(object, SELECTION_HISTORY_BYTES / 4) : NULL;
    if (seen->name == NULL || (object != NULL && seen->text == NULL)) {
        free_seen(seen);
        return;
    }
    size_t size = seen->text != NULL ? strlen(seen->text) : 0;
    while (selection->history.length > 0 &&
           (selection->history.length >= SELECTION_HISTORY || selection->history_bytes + size > SELECTION_HISTORY_BYTES)) {
        const struct seen *oldest = selection->history.items[0];
        selection->history_bytes -= oldest->text != NULL ? strlen(oldest->text) : 0;
        selection->history_first++;
        vec_remove(&selection->history, 0);
    }
    if (vec_push(&selection->history, seen))
        selection->history_bytes += size;
}

static void changed(void *data, enum kube_change change, const struct value *object, const struct value *old)
{
    struct selection *selection = data;
    const char *name = value_find_text(object, "metadata", "name", NULL);
    (void)old;
    if (name == NULL)
        return;
    if (change == KUBE_DELETED) {
        struct gone *gone = mem_zero(1, sizeof *gone);
        if (gone != NULL) {
            gone->since = clock_monotonic_ms();
            if (!map_set(&selection->gone, name, gone))
                gone = NULL;
        }
    } else
        map_remove(&selection->gone, name);
    remember(selection, name, change == KUBE_DELETED ? NULL : object);
    if (kube_watch_synced(selection->watch))
        bind_changed(selection->bind, selection);
}

static void synced(void *data)
{
    struct selection *selection = data;
    while (selection->waiting.length > 0)
        op_end(selection->waiting.items[0], NULL); /* takes itself off the list */
    bind_changed(selection->bind, selection);
}

static void trouble(void *data, const struct error *error, int64_t retry_ms)
{
    struct selection *selection = data;
    struct bind *bind = selection->bind;
    if (error != NULL && !kube_watch_synced(selection->watch))
        for (size_t i = selection->waiting.length; i > 0; i--) /* nothing was ever read: the reader is told instead of waiting for ever */
            op_end(selection->waiting.items[i - 1], error);
    if (bind->trouble != NULL)
        bind->trouble(bind->trouble_data, error, retry_ms);
}

int64_t selection_absent_since(const struct selection *selection, const char *name)
{
    if (kube_watch_find(selection->watch, selection->ns, name) != NULL)
        return -1;
    const struct gone *gone = map_get(&selection->gone, name);
    int64_t began = selection->bind->step_began;
    return gone != NULL && gone->since > began ? gone->since : began;
}

void selection_begin_step(struct selection *selection)
{
    vec_clear(&selection->history);
    selection->history_bytes = 0;
    map_free(&selection->gone);
    size_t cursor = 0;
    for (const struct value *object; (object = kube_watch_next(selection->watch, &cursor)) != NULL;)
        remember(selection, value_find_text(object, "metadata", "name", NULL), object);
}

void selection_free(void *item)
{
    struct selection *selection = item;
    if (selection == NULL)
        return;
    if (selection->watch != NULL)
        kube_watch_stop(selection->watch);
    for (size_t i = 0; i < selection->waiting.length; i++)
        ((struct op *)selection->waiting.items[i])->selection = NULL;
    vec_free(&selection->waiting);
    vec_free(&selection->history);
    map_free(&selection->gone);
    mem_free(selection->ns);
    mem_free(selection->key);
    mem_free(selection);
}

static struct selection *start(struct bind *bind, const char *key, const struct kube_resource *resource, const char *ns, const char *labels,
                               const char *fields, struct error *err)
{
    static const struct kube_watch_listener listener = {.changed = changed, .synced = synced, .trouble = trouble};
    struct selection *selection = mem_zero(1, sizeof *selection);
    if (selection == NULL) {
        error_memory(err);
        return NULL;
    }
    selection->bind = bind;
    selection->resource = resource;
    selection->waiting = vec_make(BIND_READS, NULL);
    selection->history = vec_make(SELECTION_HISTORY, free_seen);
    selection->gone = map_make(SELECTION_HISTORY, mem_free);
    selection->key = mem_string(key);
    selection->ns = ns != NULL ? mem_string(ns) : NULL;
    struct kube_watch_options options = {.resource = resource, .ns = ns, .labels = labels, .fields = fields};
    if (selection->key == NULL || (ns != NULL && selection->ns == NULL))
        error_memory(err);
    else
        selection->watch = kube_watch_start(bind->client, &options, &listener, selection, err);
    if (selection->watch == NULL) {
        selection_free(selection);
        return NULL;
    }
    return selection;
}

struct selection *selection_take(struct bind *bind, const struct kube_resource *resource, const char *ns, const char *labels, const char *fields,
                                 struct error *err)
{
    struct buf key = buf_make(4096);
    if (!resource->namespaced)
        ns = NULL;
    kube_resource_name(resource, &key);
    buf_printf(&key, "|%s|%s|%s|%s", resource->version, ns != NULL ? ns : "", labels != NULL ? labels : "", fields != NULL ? fields : "");
    struct selection *selection = NULL;
    if (!buf_ok(&key))
        error_set(err, ERROR_LIMIT, NULL, "the selector is too long");
    else if ((selection = map_get(&bind->selections, key.bytes)) == NULL) {
        selection = start(bind, key.bytes, resource, ns, labels, fields, err);
        if (selection != NULL && !map_set(&bind->selections, key.bytes, selection)) { /* dropped by the map */
            error_set(err, ERROR_LIMIT, NULL, "the lesson reads too many different selections");
            selection = NULL;
        }
    }
    buf_free(&key);
    if (selection != NULL)
        selection->references++;
    return selection;
}

void selection_release(struct selection *selection)
{
    if (--selection->references == 0)
        map_remove(&selection->bind->selections, selection->key);
}
