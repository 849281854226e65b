#include <string.h>

#include "base/mem.h"
#include "practice/state/internal.h"

enum { SCAN = 512 }; /* versions looked at in the file before others have their turn */

struct state_watch {
    struct link link; /* in its resource's waiting, in the state's ready, or in no list. The first member: see watch_of */
    struct link all;  /* in the state's watches */
    struct state *state;
    state_resource resource;
    char *only_ns;
    uint64_t version; /* everything up to it was seen; see catch_up */
    struct object *object, *previous; /* of the last event, borrowed to the caller */
    void (*ready)(void *data);
    void *data;
    bool waits; /* in its resource's waiting: there is nothing for it up to the last commit */
    bool expired;
};

/* ---- lists */

void link_start(struct link *link)
{
    link->before = link->after = link;
}

void link_add(struct link *list, struct link *link)
{
    link->before = list->before;
    link->after = list;
    list->before->after = link;
    list->before = link;
}

void link_take(struct link *link)
{
    link->before->after = link->after;
    link->after->before = link->before;
    link_start(link);
}

static struct state_watch *watch_of(struct link *link)
{
    return (struct state_watch *)link;
}

static struct state_watch *watch_of_all(struct link *all)
{
    return (struct state_watch *)(void *)((char *)all - offsetof(struct state_watch, all));
}

static struct resource *row_of(const struct state_watch *watch)
{
    return watch->state->resources[watch->resource - 1];
}

/* Others' events do not touch a watch that waits, so its version is brought up to date when somebody looks. */
static void catch_up(struct state_watch *watch)
{
    if (watch->waits && watch->version < watch->state->committed)
        watch->version = watch->state->committed;
}

/* ---- waking */

static bool concerns(const struct state_watch *watch, const struct object *object)
{
    return watch->only_ns == NULL || strcmp(watch->only_ns, object->ns) == 0;
}

static void make_ready(struct state_watch *watch)
{
    watch->waits = false;
    link_take(&watch->link);
    link_add(&watch->state->ready, &watch->link);
    state_wake(watch->state);
}

void watch_committed(struct resource *resource, const struct event *event)
{
    struct link *next;
    for (struct link *link = resource->waiting.after; link != &resource->waiting; link = next) {
        struct state_watch *watch = watch_of(link);
        next = link->after;
        if (!concerns(watch, event->object))
            continue;
        if (watch->version < event->version - 1) /* nothing before was for it */
            watch->version = event->version - 1;
        make_ready(watch);
    }
}

/* One that has seen all that left the ring misses nothing, however old its version. */
static bool fell_off(const struct state_watch *watch)
{
    return !watch->waits && watch->version < watch->state->oldest && watch->version < row_of(watch)->row.floor;
}

static void expire(struct state_watch *watch)
{
    if (!watch->expired)
        make_ready(watch);
    watch->expired = true;
}

void watch_check_expired(struct state *state)
{
    for (struct link *all = state->watches.after; all != &state->watches; all = all->after)
        if (fell_off(watch_of_all(all)))
            expire(watch_of_all(all));
}

void watch_expire_all(struct state *state)
{
    for (struct link *all = state->watches.after; all != &state->watches; all = all->after)
        expire(watch_of_all(all));
}

void watch_call_ready(struct state *state)
{
    struct link due; /* those that become ready meanwhile wait for the next round */
    link_start(&due);
    while (state->ready.after != &state->ready) {
        struct link *link = state->ready.after;
        link_take(link);
        link_add(&due, link);
    }
    while (due.after != &due) {
        struct state_watch *watch = watch_of(due.after);
        link_take(&watch->link);
        watch->ready(watch->data);
    }
}

/* ---- watches */

struct state_watch *state_watch_new(struct state *state, state_resource resource, const char *only_ns, uint64_t from, void (*ready)(void *data), void *data,
                                    struct error *err)
{
    if (state_row(state, resource) == NULL) {
        error_set(err, ERROR_INTERNAL, NULL, "no such resource: %u", resource);
        return NULL;
    }
    if (from < state->oldest || from > state->version) {
        error_set(err, from < state->oldest ? ERROR_EXPIRED : ERROR_INVALID, NULL, "version %llu is not kept any more, or not there yet",
                  (unsigned long long)from);
        return NULL;
    }
    struct state_watch *watch = mem_zero(1, sizeof *watch);
    if (watch == NULL || (only_ns != NULL && (watch->only_ns = mem_string(only_ns)) == NULL)) {
        mem_free(watch);
        error_memory(err);
        return NULL;
    }
    watch->state = state;
    watch->resource = resource;
    watch->version = from;
    watch->ready = ready;
    watch->data = data;
    link_start(&watch->link);
    link_add(&state->watches, &watch->all);
    state->numbers.watches++;
    return watch;
}

static void give_back(struct state_watch *watch)
{
    object_unref(watch->object);
    object_unref(watch->previous);
    watch->object = watch->previous = NULL;
}

void state_watch_free(struct state_watch *watch)
{
    if (watch == NULL)
        return;
    give_back(watch);
    link_take(&watch->link);
    link_take(&watch->all);
    watch->state->numbers.watches--;
    mem_free(watch->only_ns);
    mem_free(watch);
}

/* From the ring. False: no more for now; everything that is committed was seen. */
static bool next_in_ring(struct state_watch *watch, struct state_event *event)
{
    const struct ring_row *row = &row_of(watch)->row;
    for (size_t i = ring_row_above(row, watch->version); i < row->events.length; i++) {
        const struct event *found = deque_at(&row->events, i);
        if (found->version > watch->state->committed)
            break;
        watch->version = found->version;
        if (!concerns(watch, found->object))
            continue;
        *event = (struct state_event){event_change(found), found->version, object_ref(found->object), NULL};
        if (found->previous != NULL)
            event->previous = object_ref(found->previous);
        return true;
    }
    if (watch->version < watch->state->committed)
        watch->version = watch->state->committed;
    return false;
}

/* From the file, a bounded number of versions at a time. False: none among them. A file that cannot be read ends the watch. */
static bool next_in_file(struct state_watch *watch, struct state_event *event)
{
    uint64_t floor = row_of(watch)->row.floor, until = floor - watch->version > SCAN ? watch->version + SCAN : floor;
    bool found;
    if (!disk_event(watch->state->disk, watch->resource, watch->only_ns, watch->version, until, event, &found, NULL))
        watch->expired = true;
    else
        watch->version = found ? event->version : until;
    return found && !watch->expired;
}

enum state_step state_watch_next(struct state_watch *watch, struct state_event *event)
{
    give_back(watch);
    catch_up(watch);
    link_take(&watch->link);
    watch->waits = false;
    bool found;
    if (fell_off(watch))
        watch->expired = true;
    if (watch->expired)
        return STATE_EXPIRED;
    if (watch->version >= row_of(watch)->row.floor) {
        found = next_in_ring(watch, event);
        watch->waits = !found;
        if (!found)
            link_add(&row_of(watch)->waiting, &watch->link);
    } else {
        found = next_in_file(watch, event);
        if (!found && !watch->expired)
            make_ready(watch); /* in the next round it goes on there */
    }
    if (watch->expired)
        return STATE_EXPIRED;
    if (!found)
        return STATE_WAIT;
    watch->object = (struct object *)(uintptr_t)event->object;
    watch->previous = (struct object *)(uintptr_t)event->previous;
    return STATE_EVENT;
}

uint64_t state_watch_version(const struct state_watch *watch)
{
    return watch->waits && watch->version < watch->state->committed ? watch->state->committed : watch->version;
}
