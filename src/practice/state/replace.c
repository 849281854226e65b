#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "practice/state/internal.h"
#include "practice/state/snapshot.h"

/* The new objects stand beside the old ones until all of them are committed. */
struct replacement {
    struct state *state;
    struct set *sets; /* [number - 1] */
    const struct state_keep *keep;
    uint64_t version; /* the last one given to a new object */
    int64_t now_ms;
};

static bool replacement_start(struct replacement *replacement, struct state *state, struct error *err)
{
    *replacement = (struct replacement){.state = state, .sets = mem_zero(STATE_RESOURCES, sizeof *replacement->sets), .version = state->counter + 1};
    replacement->now_ms = state_now(state);
    return replacement->sets != NULL || error_memory(err);
}

static void replacement_drop(struct replacement *replacement)
{
    for (size_t i = 0; i < STATE_RESOURCES && replacement->sets != NULL; i++)
        set_free(&replacement->sets[i]);
    mem_free(replacement->sets);
}

/* An object's row and its place in the new set; takes the reference over. */
static bool add(struct replacement *replacement, struct object *object, struct error *err)
{
    struct set *set = &replacement->sets[object->resource - 1];
    const struct disk_change change = {.change = STATE_ADDED, .time_ms = replacement->now_ms};
    struct set_node *node = set_node_new(set, object);
    if (node == NULL)
        return error_memory(err);
    if (!disk_add(replacement->state->disk, object, &change, err)) {
        set_node_free(node);
        return false;
    }
    set_put(set, node);
    return true;
}

static bool add_kept(struct replacement *replacement, struct error *err)
{
    bool ok = true;
    for (const struct state_keep *keep = replacement->keep; keep != NULL && keep->resource != 0 && ok; keep++) {
        const struct object *object = state_get(replacement->state, keep->resource, keep->ns, keep->name);
        if (object != NULL && set_find(&replacement->sets[keep->resource - 1], keep->ns, keep->name) == NULL)
            ok = add(replacement, object_ref(object), err);
    }
    return ok;
}

/* ---- what a snapshot tells */

static bool on_start(void *data, uint64_t version, struct error *err)
{
    struct replacement *replacement = data;
    if (replacement->version <= version)
        replacement->version = version + 1;
    return disk_clear(replacement->state->disk, err) && add_kept(replacement, err);
}

static state_resource on_resource(void *data, const char *name)
{
    struct replacement *replacement = data;
    return state_resource_of(replacement->state, name);
}

static bool on_names(void *data, struct error *err)
{
    struct replacement *replacement = data;
    return state_save_resources(replacement->state, err);
}

static bool on_object(void *data, struct object *object, struct error *err)
{
    struct replacement *replacement = data;
    const struct set_node *there = set_find(&replacement->sets[object->resource - 1], object->ns, object->name);
    if (there == NULL) {
        object->version = ++replacement->version;
        return add(replacement, object, err);
    }
    object_unref(object);
    return there->object->version <= replacement->state->counter /* kept: it stays as it is */ ||
           error_set(err, ERROR_INPUT, NULL, "a saved state that has an object twice");
}

static bool read_snapshot(struct replacement *replacement, const char *path, struct error *err)
{
    const struct snapshot_reader reader = {on_start, on_resource, on_names, on_object, replacement};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* no waiting for the other end of a pipe */
    struct stat status;
    FILE *file = fd >= 0 && fstat(fd, &status) == 0 ? fdopen(fd, "r") : NULL;
    if (file == NULL) {
        file_error(err, errno, "read", path);
        if (fd >= 0)
            close(fd);
        return false;
    }
    bool ok = S_ISREG(status.st_mode) ? snapshot_read(file, (uint64_t)status.st_size, path, &reader, err)
                                      : error_set(err, ERROR_INPUT, path, "%s is not a regular file", path);
    fclose(file);
    return ok;
}

/* ---- the exchange */

/* The transaction is complete but for its end. */
static bool commit(struct replacement *replacement, struct error *err)
{
    struct state *state = replacement->state;
    if (!disk_keep(state->disk, replacement->version, err) || !disk_commit(state->disk, err))
        return false;
    state_resources_saved(state, true);
    state->numbers.objects = state->numbers.object_bytes = 0;
    for (size_t i = 0; i < STATE_RESOURCES; i++) {
        if (state->resources[i] == NULL)
            continue;
        set_free(&state->resources[i]->set);
        state->resources[i]->set = replacement->sets[i];
        replacement->sets[i] = (struct set){.count = 0};
        for (const struct set_node *node = set_start(&state->resources[i]->set); node != NULL; node = node->next[0])
            state_count_object(state, node->object, true);
    }
    state_begin_anew(state, replacement->version);
    return true;
}

static bool end(struct replacement *replacement, bool ok, struct error *err)
{
    struct state *state = replacement->state;
    ok = ok && commit(replacement, err);
    if (!ok) {
        disk_rollback(state->disk);
        state_resources_saved(state, false);
    }
    replacement_drop(replacement);
    return ok;
}

bool state_load(struct state *state, const char *path, const struct state_keep *keep, struct error *err)
{
    struct replacement replacement;
    if (!state_commit(state, err) || !replacement_start(&replacement, state, err))
        return false;
    replacement.keep = keep;
    return end(&replacement, disk_begin(state->disk, err) && read_snapshot(&replacement, path, err), err);
}

bool state_reset(struct state *state, struct error *err)
{
    struct replacement replacement;
    if (!state_commit(state, err) || !replacement_start(&replacement, state, err))
        return false;
    bool ok = disk_begin(state->disk, err) && disk_clear(state->disk, err);
    if (!end(&replacement, ok, err))
        return false;
    disk_shrink(state->disk);
    return true;
}
