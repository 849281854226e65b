#include "practice/state/state.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "practice/state/internal.h"

enum {
    OPEN_BYTES = 8 << 20, /* of open writes; more are committed before the next one */
    QUIET_MS = 20,        /* until forgetting looks again, while the log is brought to its end */
    RETRY_MS = 1000,      /* after forgetting failed (no room) */
};

struct callback {
    struct callback *next;
    void (*fn)(void *data, const struct error *err);
    void *data;
    enum { WRITTEN, COMMITTED, UNDONE } outcome;
};

/* ---- resources */

struct resource *state_row(const struct state *state, state_resource number)
{
    return number >= 1 && number <= STATE_RESOURCES ? state->resources[number - 1] : NULL;
}

bool state_save_resources(struct state *state, struct error *err)
{
    bool ok = true;
    for (state_resource number = 1; number <= STATE_RESOURCES && state->unsaved > 0 && ok; number++) {
        struct resource *resource = state->resources[number - 1];
        if (resource == NULL || resource->saved || resource->saving)
            continue;
        ok = disk_add_resource(state->disk, number, resource->name, err);
        resource->saving = ok;
    }
    return ok;
}

void state_resources_saved(struct state *state, bool committed)
{
    for (size_t i = 0; i < STATE_RESOURCES && state->unsaved > 0; i++) {
        struct resource *resource = state->resources[i];
        if (resource == NULL || !resource->saving)
            continue;
        resource->saving = false;
        resource->saved = committed;
        state->unsaved -= committed;
    }
}

/* ---- forgetting */

int64_t state_now(const struct state *state)
{
    return state->now_ms != NULL ? state->now_ms(state->now_data) : clock_wall_ms();
}

static void set_forget(struct state *state, enum forgetting forgetting, int64_t wait_ms)
{
    state->forgetting = forgetting;
    loop_set_timer(state->forget, forgetting == FORGET_NEVER ? -1 : wait_ms);
}

/* Sets the timer for what is to be forgotten next, unless it is set already. */
void state_look_for_history(struct state *state)
{
    if (state->eldest_ms == 0)
        return;
    int64_t wait = state->eldest_ms + STATE_KEEP_MS - state_now(state);
    if (wait <= 0 || wait > 2 * STATE_KEEP_MS || state->numbers.history_bytes > STATE_HISTORY) {
        if (state->forgetting != FORGET_NOW)
            set_forget(state, FORGET_NOW, 0);
    } else if (state->forgetting == FORGET_NEVER) {
        set_forget(state, FORGET_LATER, wait < STATE_KEEP_MS ? wait : STATE_KEEP_MS);
    }
}

/* One bounded step in a transaction of its own; others have their turn before the next. */
void state_on_forget(void *data)
{
    struct state *state = data;
    state->forgetting = FORGET_NEVER;
    if (disk_wants_quiet(state->disk)) {
        set_forget(state, FORGET_LATER, QUIET_MS);
        return;
    }
    state_commit(state, NULL);
    if (disk_forget(state->disk, state_now(state), &state->oldest, &state->numbers.history_bytes, &state->eldest_ms, NULL)) {
        watch_check_expired(state);
        state_look_for_history(state);
    } else {
        set_forget(state, FORGET_LATER, RETRY_MS);
    }
}

/* ---- commit */

void state_wake(struct state *state)
{
    if (!state->is_round_set)
        loop_set_timer(state->round, 0);
    state->is_round_set = true;
}

void state_count_object(struct state *state, const struct object *object, bool there)
{
    if (there) {
        state->numbers.objects++;
        state->numbers.object_bytes += object->length;
    } else {
        state->numbers.objects--;
        state->numbers.object_bytes -= object->length;
    }
}

static struct event *event_at(const struct state *state, size_t index, struct resource **resource)
{
    const struct ring_place *place = deque_at(&state->ring.order, index);
    *resource = state->resources[place->resource - 1];
    return deque_at(&(*resource)->row.events, (size_t)(place->nth - (*resource)->row.dropped));
}

static void drop_event(struct state *state, struct event *event)
{
    state->ring.bytes -= event_frees(event) + sizeof *event;
    object_unref(event->object);
    object_unref(event->previous);
}

void state_trim(struct state *state, uint64_t most)
{
    struct ring *ring = &state->ring;
    while (ring->order.length > ring->open && ring->bytes > most) {
        struct resource *resource;
        struct event *event = event_at(state, 0, &resource);
        resource->row.floor = event->version;
        resource->row.dropped++;
        drop_event(state, event);
        deque_drop_first(&resource->row.events);
        deque_drop_first(&ring->order);
    }
}

bool state_blame_file(struct error *err)
{
    if (err == NULL)
        return false;
    if (err->kind == ERROR_LIMIT) {
        struct error full = *err;
        return error_set(err, ERROR_LIMIT, full.where, "%.400s; make room on that disk and try again", full.message);
    }
    if (err->kind != ERROR_MEMORY && err->kind != ERROR_BUSY)
        err->kind = ERROR_INTERNAL;
    return false;
}

/* All that is open, in one transaction. */
static bool write_open(struct state *state, struct error *err)
{
    bool ok = disk_begin(state->disk, err) && state_save_resources(state, err);
    for (size_t i = state->ring.order.length - state->ring.open; i < state->ring.order.length && ok; i++) {
        struct resource *resource;
        const struct event *event = event_at(state, i, &resource);
        const struct disk_change change = {event_change(event), event->previous != NULL ? event->previous->version : 0, event->time_ms, event_frees(event)};
        ok = disk_add(state->disk, event->object, &change, err);
    }
    ok = ok && disk_commit(state->disk, err);
    if (!ok)
        disk_rollback(state->disk);
    return ok;
}

static void finish_open(struct state *state)
{
    struct ring *ring = &state->ring;
    state->committed = state->version;
    for (; ring->open > 0; ring->open--) {
        struct resource *resource;
        struct event *event = event_at(state, ring->order.length - ring->open, &resource);
        set_node_free(event->removed);
        event->removed = NULL;
        watch_committed(resource, event);
    }
    state_trim(state, STATE_RING);
}

static void undo(struct state *state, struct resource *resource, struct event *event)
{
    struct set_node *node = event->removed;
    if (!event->deleted) {
        node = set_find(&resource->set, event->object->ns, event->object->name);
        state_count_object(state, event->object, false);
    }
    if (event->deleted) {
        set_put(&resource->set, node);
    } else if (event->previous == NULL) {
        set_take(&resource->set, node);
        set_node_free(node);
    } else {
        set_change(&resource->set, node, object_ref(event->previous));
    }
    if (event->previous != NULL)
        state_count_object(state, event->previous, true);
    state->numbers.history_bytes -= event_frees(event);
    drop_event(state, event);
}

static void undo_open(struct state *state)
{
    struct ring *ring = &state->ring;
    for (; ring->open > 0; ring->open--) {
        struct resource *resource;
        struct event *event = event_at(state, ring->order.length - 1, &resource);
        undo(state, resource, event);
        resource->row.events.length--;
        ring->order.length--;
    }
    state->version = state->committed;
}

bool state_commit(struct state *state, struct error *err)
{
    struct error why = ERROR_INIT;
    if (state->ring.open == 0 && state->unsaved == 0)
        return true;
    bool ok = write_open(state, &why);
    state_resources_saved(state, ok);
    if (ok) {
        finish_open(state);
        state->numbers.commits++;
        state_look_for_history(state);
    } else {
        undo_open(state);
        state_blame_file(&why);
        state->failure = why;
        if (err != NULL)
            *err = why;
    }
    state->open_bytes = 0;
    for (struct callback *callback = state->callbacks; callback != NULL; callback = callback->next)
        if (callback->outcome == WRITTEN)
            callback->outcome = ok ? COMMITTED : UNDONE;
    if (state->callbacks != NULL || state->ready.after != &state->ready)
        state_wake(state);
    return ok;
}

bool state_is_clean(const struct state *state)
{
    return state->ring.open == 0;
}

bool state_after_commit(struct state *state, void (*fn)(void *data, const struct error *err), void *data)
{
    struct callback *callback = state->is_closing ? NULL : mem_alloc(sizeof *callback);
    if (callback == NULL)
        return false;
    *callback = (struct callback){.fn = fn, .data = data, .outcome = state->ring.open > 0 ? WRITTEN : COMMITTED};
    *state->callbacks_end = callback;
    state->callbacks_end = &callback->next;
    state_wake(state);
    return true;
}

/* Those that are due; what they add themselves waits for the next round. */
void state_call_back(struct state *state)
{
    struct callback *due = state->callbacks, *next;
    struct callback **end = &due;
    while (*end != NULL && (*end)->outcome != WRITTEN)
        end = &(*end)->next;
    state->callbacks = *end;
    if (state->callbacks == NULL)
        state->callbacks_end = &state->callbacks;
    *end = NULL;
    for (; due != NULL; due = next) {
        next = due->next;
        struct error failure = state->failure;
        due->fn(due->data, due->outcome == UNDONE ? &failure : NULL);
        mem_free(due);
    }
}

/* While the end of a long log is waited for, what is open stays so: state_on_calm goes on. */
void state_on_round(void *data)
{
    struct state *state = data;
    state->is_round_set = false;
    if (!disk_wants_quiet(state->disk))
        state_commit(state, NULL);
    state_call_back(state);
    watch_call_ready(state);
}

void state_on_calm(void *data, int what)
{
    (void)what;
    struct state *state = data;
    disk_is_calm(state->disk);
    state_wake(state);
}

/* ---- writing, in memory: the file follows with the commit */

struct write {
    struct resource *resource;
    struct set_node *node; /* of the object: there already, or new */
    struct object *object; /* taken over */
    enum state_change change;
};

/* Cannot fail: room was reserved. */
static void apply(struct state *state, const struct write *write)
{
    struct resource *resource = write->resource;
    struct event *event = deque_push(&resource->row.events);
    *event = (struct event){.version = write->object->version, .time_ms = state_now(state), .object = write->object};
    event->deleted = write->change == STATE_DELETED;
    event->removed = event->deleted ? write->node : NULL;
    event->previous = write->change != STATE_ADDED ? object_ref(write->node->object) : NULL;
    *(struct ring_place *)deque_push(&state->ring.order) =
        (struct ring_place){resource->number, resource->row.dropped + resource->row.events.length - 1};
    state->ring.open++;
    state->ring.bytes += event_frees(event) + sizeof *event;
    state->numbers.history_bytes += event_frees(event);
    state->open_bytes += write->object->length;
    if (event->previous != NULL)
        state_count_object(state, event->previous, false);
    if (!event->deleted)
        state_count_object(state, write->object, true);
    if (write->change == STATE_ADDED)
        set_put(&resource->set, write->node);
    if (write->change == STATE_DELETED)
        set_take(&resource->set, write->node);
    if (write->change == STATE_MODIFIED)
        set_change(&resource->set, write->node, object_ref(write->object));
    state->counter = state->version = write->object->version;
    state->eldest_ms = state->eldest_ms == 0 ? event->time_ms : state->eldest_ms;
    state_wake(state);
}

static bool reserve(struct state *state, struct resource *resource, struct error *err)
{
    return (deque_reserve(&resource->row.events) && deque_reserve(&state->ring.order)) || error_memory(err);
}

static bool is_fine(const struct object_new *wanted, const struct object *object, struct error *err)
{
    if (strchr(object->ns, '/') != NULL || object->name[0] == '\0' || object->gap > object->length)
        return error_set(err, ERROR_INVALID, wanted->name, "an object without a name, with a slash in its namespace or a gap outside of its text");
    if (object->name - object->ns > OBJECT_NAME || object->uid - object->name > OBJECT_NAME || object->labels - object->uid > OBJECT_NAME ||
        object_labels_length(object) > OBJECT_INDEX || object_fields_length(object) > OBJECT_INDEX)
        return error_set(err, ERROR_LIMIT, wanted->name, "names or labels of an object are too large");
    return true;
}

/* The new version; NULL: failed. What was open too long is committed before. */
static struct object *make(struct state *state, const struct object_new *wanted, struct error *err)
{
    if (wanted->length > STATE_OBJECT || wanted->length == 0) {
        error_set(err, ERROR_LIMIT, wanted->name, "an object may have up to %d bytes, this one has %zu", STATE_OBJECT, wanted->length);
        return NULL;
    }
    struct object *object = object_new(wanted, state->counter + 1);
    if (object == NULL)
        error_memory(err);
    if (object == NULL || is_fine(wanted, object, err))
        return object;
    object_unref(object);
    return NULL;
}

static bool commit_if_full(struct state *state, struct error *err)
{
    return (state->ring.open < STATE_BATCH && state->open_bytes < OPEN_BYTES) || state_commit(state, err);
}

/* The node of `old`, which must be the newest. NULL: it is not. */
static struct set_node *node_of(const struct resource *resource, const struct object *old, struct error *err)
{
    struct set_node *node = resource != NULL ? set_find(&resource->set, old->ns, old->name) : NULL;
    if (node != NULL && node->object->version == old->version)
        return node;
    error_set(err, ERROR_CONFLICT, old->name, "the object has been modified");
    return NULL;
}

static bool is_same(const struct object_new *wanted, const struct object *old, struct error *err)
{
    if (wanted->resource == old->resource && strcmp(wanted->ns, old->ns) == 0 && strcmp(wanted->name, old->name) == 0 && strcmp(wanted->uid, old->uid) == 0)
        return true;
    return error_set(err, ERROR_CONFLICT, wanted->name, "the name, namespace or uid is not that of the object");
}

const struct object *state_put(struct state *state, const struct object_new *wanted, const struct object *old, struct error *err)
{
    struct write write = {.resource = state_row(state, wanted->resource), .change = old == NULL ? STATE_ADDED : STATE_MODIFIED};
    if (write.resource == NULL) {
        error_set(err, ERROR_INTERNAL, wanted->name, "no such resource: %u", wanted->resource);
        return NULL;
    }
    if (old == NULL && set_find(&write.resource->set, wanted->ns, wanted->name) != NULL) {
        error_set(err, ERROR_EXISTS, wanted->name, "the object exists");
        return NULL;
    }
    if (old != NULL && (!is_same(wanted, old, err) || (write.node = node_of(write.resource, old, err)) == NULL))
        return NULL;
    if (!commit_if_full(state, err) || !reserve(state, write.resource, err) || (write.object = make(state, wanted, err)) == NULL)
        return NULL;
    if (old == NULL && (write.node = set_node_new(&write.resource->set, object_ref(write.object))) == NULL) {
        object_unref(write.object);
        error_memory(err);
        return NULL;
    }
    apply(state, &write);
    return write.object;
}

bool state_delete(struct state *state, const struct object *old, const struct object_new *last, uint64_t *version, struct error *err)
{
    struct write write = {.resource = state_row(state, old->resource), .change = STATE_DELETED};
    if ((write.node = node_of(write.resource, old, err)) == NULL || (last != NULL && !is_same(last, old, err)))
        return false;
    if (!commit_if_full(state, err) || !reserve(state, write.resource, err))
        return false;
    write.object = last != NULL ? make(state, last, err) : object_again(write.node->object, state->counter + 1);
    if (write.object == NULL)
        return last != NULL ? false : error_memory(err);
    apply(state, &write);
    if (version != NULL)
        *version = write.object->version;
    return true;
}
