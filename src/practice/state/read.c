#include <string.h>

#include "practice/state/internal.h"

const struct object *state_get(struct state *state, state_resource resource, const char *ns, const char *name)
{
    const struct resource *row = state_row(state, resource);
    const struct set_node *node = row != NULL ? set_find(&row->set, ns, name) : NULL;
    return node != NULL ? node->object : NULL;
}

/* The first one after a place (after_name NULL: from the start), of one namespace if only_ns is not NULL. */
static struct set_node *node_after(const struct set *set, const char *only_ns, const char *after_ns, const char *after_name)
{
    struct set_node *node;
    if (only_ns == NULL) {
        node = after_name != NULL ? set_after(set, after_ns, after_name) : set_start(set);
    } else {
        bool before = after_name == NULL || object_compare_keys(after_ns, after_name, only_ns, "") < 0;
        node = before ? set_after(set, only_ns, "") : set_after(set, after_ns, after_name);
    }
    return node != NULL && (only_ns == NULL || strcmp(node->object->ns, only_ns) == 0) ? node : NULL;
}

static struct set_node *next_node(const struct set_node *node, const char *only_ns)
{
    struct set_node *next = node->next[0];
    return next != NULL && (only_ns == NULL || strcmp(next->object->ns, only_ns) == 0) ? next : NULL;
}

const struct object *state_next(struct state *state, state_resource resource, const char *only_ns, const char *after_ns, const char *after_name)
{
    const struct resource *row = state_row(state, resource);
    if (row == NULL)
        return NULL;
    const struct set_node *node = NULL, *at = after_name != NULL ? set_find(&row->set, after_ns, after_name) : NULL;
    if (at != NULL && (only_ns == NULL || strcmp(after_ns, only_ns) == 0)) /* the usual walk */
        node = next_node(at, only_ns);
    else
        node = node_after(&row->set, only_ns, after_ns, after_name);
    return node != NULL ? node->object : NULL;
}

size_t state_count(struct state *state, state_resource resource, const char *only_ns)
{
    const struct resource *row = state_row(state, resource);
    if (row == NULL || only_ns == NULL)
        return row != NULL ? row->set.count : 0;
    size_t count = 0;
    for (const struct set_node *node = node_after(&row->set, only_ns, NULL, NULL); node != NULL; node = next_node(node, only_ns))
        count++;
    return count;
}

/* ---- lists */

size_t ring_row_above(const struct ring_row *row, uint64_t version)
{
    size_t low = 0, high = row->events.length;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct event *event = deque_at(&row->events, middle);
        if (event->version <= version)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What stood at `version` and was replaced or deleted since, in order: of each object the first change since tells. From the file come objects without
 * texts. */
static bool find_past(struct state *state, const struct resource *resource, const char *only_ns, uint64_t version, struct vec *past,
                      struct error *err)
{
    const struct ring_row *row = &resource->row;
    bool from_file = version < row->floor;
    if (from_file && !disk_past(state->disk, resource->number, only_ns, version, past, err))
        return false;
    for (size_t i = ring_row_above(row, from_file ? state->committed : version); i < row->events.length; i++) {
        const struct event *event = deque_at(&row->events, i);
        bool counts = event->previous != NULL && event->previous->version <= version;
        if (counts && (only_ns == NULL || strcmp(event->object->ns, only_ns) == 0) && !vec_push(past, object_ref(event->previous)))
            return error_memory(err);
    }
    vec_sort(past, object_compare);
    return true;
}

/* Two rows in order, the newest objects that are no newer than `version`, and what stood there besides. */
struct merge {
    struct set_node *node; /* the next one */
    const char *only_ns;
    uint64_t version;
    struct vec past;
    size_t at;
};

static bool is_past_next(const struct merge *merge)
{
    const struct object *past = merge->at < merge->past.length ? merge->past.items[merge->at] : NULL;
    return past != NULL && (merge->node == NULL || object_compare(past, merge->node->object) < 0);
}

/* A reference to the next object; NULL: the end, or *ok turned false. */
static struct object *merge_next(struct state *state, struct merge *merge, bool *ok, struct error *err)
{
    while (merge->node != NULL && merge->node->object->version > merge->version)
        merge->node = next_node(merge->node, merge->only_ns);
    if (is_past_next(merge)) {
        const struct object *past = merge->past.items[merge->at++];
        if (past->text != NULL)
            return object_ref(past);
        struct object *whole = disk_object(state->disk, past->version, err);
        *ok = whole != NULL;
        return whole;
    }
    if (merge->node == NULL)
        return NULL;
    struct object *object = object_ref(merge->node->object);
    merge->node = next_node(merge->node, merge->only_ns);
    return object;
}

bool state_list(struct state *state, state_resource resource, const char *only_ns, uint64_t version, const char *after_ns, const char *after_name,
                size_t maximum, bool (*keep)(const struct object *object, const void *data), const void *data, struct vec *objects, bool *more,
                struct error *err)
{
    const struct resource *row = state_row(state, resource);
    *objects = vec_make((size_t)-1, object_drop);
    *more = false;
    if (version > state->version)
        return error_set(err, ERROR_INVALID, NULL, "version %llu is not there yet", (unsigned long long)version);
    if (version != 0 && version < state->oldest)
        return error_set(err, ERROR_EXPIRED, NULL, "version %llu is not kept any more", (unsigned long long)version);
    if (row == NULL)
        return true;
    struct merge merge = {.node = node_after(&row->set, only_ns, after_ns, after_name), .only_ns = only_ns};
    merge.version = version != 0 ? version : state->version;
    merge.past = vec_make((size_t)-1, object_drop);
    bool ok = version == 0 || version == state->version || find_past(state, row, only_ns, version, &merge.past, err);
    while (after_name != NULL && merge.at < merge.past.length) {
        const struct object *past = merge.past.items[merge.at];
        if (object_compare_keys(past->ns, past->name, after_ns, after_name) > 0)
            break;
        merge.at++;
    }
    for (struct object *object; ok && !*more && (object = merge_next(state, &merge, &ok, err)) != NULL;) {
        if (keep != NULL && !keep(object, data)) {
            object_unref(object);
        } else if (maximum != 0 && objects->length == maximum) {
            *more = true;
            object_unref(object);
        } else {
            ok = vec_push(objects, object) || error_memory(err);
        }
    }
    vec_free(&merge.past);
    if (!ok) {
        vec_free(objects);
        state_blame_file(err);
    }
    return ok;
}

/* ---- lists by label */

enum { FEW = 256 /* objects that are walked as quickly */ };

/* What a labelled list is made of. */
struct wanted {
    const char *only_ns, *after_ns, *after_name;
    uint64_t version;
    bool (*keep)(const struct object *object, const void *data);
    const void *data;
};

static bool is_wanted(const struct wanted *wanted, const struct object *object)
{
    return object->version <= wanted->version && (wanted->only_ns == NULL || strcmp(object->ns, wanted->only_ns) == 0) &&
           (wanted->after_name == NULL || object_compare_keys(object->ns, object->name, wanted->after_ns, wanted->after_name) > 0) &&
           wanted->keep(object, wanted->data);
}

static bool collect(const struct wanted *wanted, const struct label_link *link, const struct vec *past, struct vec *objects)
{
    bool ok = true;
    for (; ok && link != NULL; link = label_index_next(link))
        ok = !is_wanted(wanted, link->node->object) || vec_push(objects, object_ref(link->node->object));
    for (size_t i = 0; ok && i < past->length; i++)
        ok = !is_wanted(wanted, past->items[i]) || vec_push(objects, object_ref(past->items[i]));
    return ok;
}

bool state_list_labelled(struct state *state, state_resource resource, const char *only_ns, uint64_t version, const char *after_ns,
                         const char *after_name, size_t maximum, const char *const *labels,
                         bool (*keep)(const struct object *object, const void *data), const void *data, struct vec *objects, bool *more,
                         struct error *err)
{
    struct resource *row = state_row(state, resource);
    const struct wanted wanted = {only_ns, after_ns, after_name, version != 0 ? version : state->version, keep, data};
    bool in_memory = row != NULL && wanted.version <= state->version && wanted.version >= row->row.floor && wanted.version >= state->oldest;
    const struct label_index *index = in_memory && row->set.count >= FEW ? set_labels(&row->set) : NULL;
    if (index == NULL)
        return state_list(state, resource, only_ns, version, after_ns, after_name, maximum, keep, data, objects, more, err);
    struct vec past = vec_make((size_t)-1, object_drop);
    *objects = vec_make((size_t)-1, object_drop);
    bool ok = (wanted.version == state->version || find_past(state, row, only_ns, wanted.version, &past, err)) &&
              (collect(&wanted, label_index_find(index, labels), &past, objects) || error_memory(err));
    vec_free(&past);
    vec_sort(objects, object_compare);
    *more = maximum != 0 && objects->length > maximum;
    while (*more && objects->length > maximum)
        object_drop(objects->items[--objects->length]);
    if (!ok)
        vec_free(objects);
    return ok;
}
