#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "practice/state/internal.h"
#include "practice/state/snapshot.h"

/* What a snapshot needs, apart from the state: the thread looks at nothing else. */
struct save {
    struct link link; /* in the state's saves; the first member */
    struct vec objects;
    const char **names; /* borrowed from the resources, which stay until the end */
    char *path;
    struct snapshot snapshot;
    void (*fn)(void *data, const struct error *err);
    void *data;
    pthread_t thread;
    int done_fd; /* readable once the thread is through; -1: none */
    struct loop_event *done;
    bool ok;
    struct error why;
};

static void save_free(struct save *save)
{
    if (save == NULL)
        return;
    loop_drop(save->done);
    if (save->done_fd >= 0)
        close(save->done_fd);
    vec_free(&save->objects);
    mem_free(save->names);
    mem_free(save->path);
    mem_free(save);
}

static int by_version(const void *a, const void *b)
{
    const struct object *left = a, *right = b;
    return (left->version > right->version) - (left->version < right->version);
}

static bool collect(const struct state *state, struct save *save)
{
    for (size_t i = 0; i < STATE_RESOURCES; i++) {
        const struct resource *resource = state->resources[i];
        if (resource == NULL)
            continue;
        save->names[i] = resource->name;
        save->snapshot.name_count = i + 1;
        for (const struct set_node *node = set_start(&resource->set); node != NULL; node = node->next[0])
            if (!vec_push(&save->objects, object_ref(node->object)))
                return false;
    }
    vec_sort(&save->objects, by_version); /* loaded ones keep the order of their making */
    return true;
}

/* What is committed by now, and nothing open. NULL: failed. */
static struct save *save_new(struct state *state, const char *path, struct error *err)
{
    if (!state_commit(state, err))
        return NULL;
    struct save *save = mem_zero(1, sizeof *save);
    if (save != NULL) {
        save->done_fd = -1;
        save->objects = vec_make((size_t)-1, object_drop);
        save->path = mem_string(path);
        save->names = mem_zero(STATE_RESOURCES, sizeof *save->names);
    }
    if (save == NULL || save->path == NULL || save->names == NULL || !collect(state, save)) {
        save_free(save);
        error_memory(err);
        return NULL;
    }
    save->snapshot.version = state->version;
    save->snapshot.names = save->names;
    save->snapshot.objects = (struct object *const *)save->objects.items;
    save->snapshot.object_count = save->objects.length;
    return save;
}

/* ---- in a thread */

static void *work(void *data)
{
    struct save *save = data;
    save->ok = snapshot_write(save->path, &save->snapshot, &save->why);
    eventfd_write(save->done_fd, 1);
    return NULL;
}

static void finish(struct save *save)
{
    pthread_join(save->thread, NULL);
    link_take(&save->link);
    save->fn(save->data, save->ok ? NULL : &save->why);
    save_free(save);
}

static void on_done(void *data, int what)
{
    (void)what;
    finish(data);
}

void save_finish_all(struct state *state)
{
    while (state->saves.after != &state->saves)
        finish((struct save *)state->saves.after);
}

/* Signals are the main thread's. */
static int start(struct save *save)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int code = pthread_create(&save->thread, NULL, work, save);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return code;
}

bool state_save(struct state *state, const char *path, void (*fn)(void *data, const struct error *err), void *data, struct error *err)
{
    struct save *save = save_new(state, path, err);
    if (save == NULL)
        return false;
    save->fn = fn;
    save->data = data;
    save->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bool ok = save->done_fd >= 0 || file_error(err, errno, "write", path);
    if (ok)
        ok = (save->done = loop_add_fd(state->loop, save->done_fd, LOOP_READ, on_done, save)) != NULL || error_memory(err);
    int code = ok ? start(save) : 0;
    if (code != 0)
        ok = file_error(err, code, "write", path);
    if (!ok) {
        save_free(save);
        return false;
    }
    link_add(&state->saves, &save->link);
    return true;
}
