#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "practice/state/internal.h"

/* ---- resources */

static void resource_free(struct resource *resource)
{
    if (resource == NULL)
        return;
    set_free(&resource->set);
    deque_free(&resource->row.events);
    mem_free(resource->name);
    mem_free(resource);
}

bool state_add_resource(struct state *state, state_resource number, const char *name)
{
    struct resource *resource = mem_zero(1, sizeof *resource);
    if (resource == NULL || (resource->name = mem_string(name)) == NULL || !map_set(&state->names, name, resource)) {
        resource_free(resource);
        return false;
    }
    resource->number = number;
    resource->row.events.size = sizeof(struct event);
    link_start(&resource->waiting);
    state->resources[number - 1] = resource;
    state->unsaved++;
    return true;
}

state_resource state_resource_of(struct state *state, const char *name)
{
    const struct resource *known = map_get(&state->names, name);
    if (known != NULL)
        return known->number;
    state_resource number = 1;
    while (number <= STATE_RESOURCES && state->resources[number - 1] != NULL)
        number++;
    if (number > STATE_RESOURCES || !state_add_resource(state, number, name))
        return 0;
    state_wake(state);
    return number;
}

/* ---- opening */

static bool lock(struct state *state, const char *path, struct error *err)
{
    char *beside = mem_printf("%s.lock", path);
    if (beside == NULL)
        return error_memory(err);
    bool ok = true;
    state->lock = open(beside, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (state->lock < 0)
        ok = file_error(err, errno, "open", beside);
    else if (flock(state->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        ok = error_set(err, ERROR_EXISTS, path, "another practice cluster uses %s", path);
    mem_free(beside);
    return ok;
}

static bool load_resource(void *data, state_resource number, const char *name, struct error *err)
{
    struct state *state = data;
    if (!state_add_resource(state, number, name))
        return error_memory(err);
    state->resources[number - 1]->saved = true;
    state->resources[number - 1]->row.floor = state->version;
    state->unsaved--;
    return true;
}

static bool load_object(void *data, struct object *object, struct error *err)
{
    struct state *state = data;
    struct resource *resource = state_row(state, object->resource);
    if (resource == NULL || set_find(&resource->set, object->ns, object->name) != NULL) {
        error_set(err, ERROR_INPUT, object->name, "cannot read the state: it is damaged (an object without a resource, or twice)");
        object_unref(object);
        return false;
    }
    struct set_node *node = set_node_new(&resource->set, object);
    if (node == NULL)
        return error_memory(err);
    set_put(&resource->set, node);
    state_count_object(state, object, true);
    return true;
}

static bool load(struct state *state, struct error *err)
{
    struct disk_start start;
    if (!disk_start(state->disk, &start, err))
        return false;
    state->counter = state->version = state->committed = start.newest;
    state->oldest = start.oldest;
    state->numbers.history_bytes = start.history_bytes;
    state->eldest_ms = start.first_ms;
    return disk_resources(state->disk, load_resource, state, err) && disk_current(state->disk, start.oldest, load_object, state, err);
}

struct state *state_open(const char *path, struct loop *loop, int64_t (*now_ms)(void *data), void *data, struct error *err)
{
    struct state *state = mem_zero(1, sizeof *state);
    if (state == NULL) {
        error_memory(err);
        return NULL;
    }
    state->loop = loop;
    state->lock = -1;
    state->now_ms = now_ms;
    state->now_data = data;
    state->names = map_make(STATE_RESOURCES, NULL);
    state->ring.order.size = sizeof(struct ring_place);
    state->callbacks_end = &state->callbacks;
    link_start(&state->watches);
    link_start(&state->ready);
    link_start(&state->saves);
    state->round = loop_add_timer(loop, -1, state_on_round, state);
    state->forget = loop_add_timer(loop, -1, state_on_forget, state);
    bool ok = (state->round != NULL && state->forget != NULL) || error_memory(err);
    ok = ok && (path == NULL || lock(state, path, err)) && (state->disk = disk_open(path, err)) != NULL;
    if (ok && disk_calm_fd(state->disk) >= 0)
        ok = (state->calm = loop_add_fd(loop, disk_calm_fd(state->disk), LOOP_READ, state_on_calm, state)) != NULL || error_memory(err);
    if (ok && load(state, err)) {
        state_look_for_history(state);
        return state;
    }
    state_close(state);
    return NULL;
}

void state_close(struct state *state)
{
    if (state == NULL)
        return;
    assert(state->watches.after == &state->watches);
    state->is_closing = true;
    if (state->disk != NULL) {
        state_commit(state, NULL);
        save_finish_all(state);
        state_call_back(state);
        state_commit(state, NULL);
    }
    state_trim(state, 0);
    for (size_t i = 0; i < STATE_RESOURCES; i++)
        resource_free(state->resources[i]);
    deque_free(&state->ring.order);
    map_free(&state->names);
    loop_drop(state->round);
    loop_drop(state->forget);
    loop_drop(state->calm);
    disk_close(state->disk);
    if (state->lock >= 0)
        close(state->lock);
    mem_free(state);
}

void state_begin_anew(struct state *state, uint64_t version)
{
    state_trim(state, 0);
    for (size_t i = 0; i < STATE_RESOURCES; i++)
        if (state->resources[i] != NULL)
            state->resources[i]->row.floor = version;
    state->counter = state->version = state->committed = state->oldest = version;
    state->numbers.history_bytes = 0;
    state->eldest_ms = 0;
    watch_expire_all(state);
}

uint64_t state_version(const struct state *state)
{
    return state->version;
}

uint64_t state_committed(const struct state *state)
{
    return state->committed;
}

uint64_t state_oldest(const struct state *state)
{
    return state->oldest;
}

void state_numbers(const struct state *state, struct state_numbers *out)
{
    *out = state->numbers;
    out->events = state->ring.order.length;
    out->ring_bytes = (size_t)state->ring.bytes;
    out->log_pages = disk_log_pages(state->disk);
}
