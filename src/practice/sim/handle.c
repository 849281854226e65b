#include "practice/sim/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/fs.h"
#include "practice/sim/kernel.h"

/* ---- waiting ---- */

void wait_add(struct wait_queue *queue, struct waiter *waiter)
{
    waiter->queue = queue;
    waiter->next = NULL;
    waiter->previous = queue->last;
    *(queue->last ? &queue->last->next : &queue->first) = waiter;
    queue->last = waiter;
}

void wait_remove(struct waiter *waiter)
{
    struct wait_queue *queue = waiter->queue;
    if (!queue)
        return;
    *(waiter->previous ? &waiter->previous->next : &queue->first) = waiter->next;
    *(waiter->next ? &waiter->next->previous : &queue->last) = waiter->previous;
    waiter->queue = NULL;
}

void wait_wake(struct wait_queue *queue)
{
    for (struct waiter *waiter = queue->first, *next; waiter; waiter = next) {
        next = waiter->next;
        if (waiter->fn)
            waiter->fn(waiter);
        else
            task_wake(waiter->task);
    }
}

/* ---- handles ---- */

struct handle *handle_new(const struct handle_ops *ops, void *self, int flags, const char *name)
{
    struct handle *handle = mem_zero(1, sizeof *handle);
    char *copy = handle ? mem_string(name) : NULL;
    if (!copy) {
        mem_free(handle);
        return NULL;
    }
    *handle = (struct handle){.ops = ops, .references = 1, .flags = flags, .self = self, .name = copy};
    return handle;
}

struct handle *handle_ref(struct handle *handle)
{
    if (handle)
        handle->references++;
    return handle;
}

void handle_free(struct handle *handle)
{
    if (!handle || --handle->references > 0)
        return;
    if (handle->ops->close)
        handle->ops->close(handle);
    fs_node_free(handle->node);
    mem_free(handle->name);
    mem_free(handle);
}

unsigned handle_ready(const struct handle *handle)
{
    return handle->ops->ready ? handle->ops->ready(handle) : HANDLE_READ | HANDLE_WRITE;
}

/* ---- pipes ---- */

struct pipe {
    struct wait_queue waiters; /* of both ends */
    char *bytes;               /* a ring that grows to PIPE_ROOM */
    size_t room, start, length;
    bool reader, writer;       /* open ends */
};

static ssize_t pipe_read(struct handle *handle, void *bytes, size_t length)
{
    struct pipe *pipe = handle->self;
    if (pipe->length == 0)
        return pipe->writer ? -EAGAIN : 0;
    length = length < pipe->length ? length : pipe->length;
    size_t first = pipe->room - pipe->start;
    first = first < length ? first : length;
    memcpy(bytes, pipe->bytes + pipe->start, first);
    memcpy((char *)bytes + first, pipe->bytes, length - first);
    pipe->start = (pipe->start + length) % pipe->room;
    pipe->length -= length;
    wait_wake(&pipe->waiters);
    return (ssize_t)length;
}

static bool grow(struct pipe *pipe, size_t wanted)
{
    size_t room = pipe->room ? pipe->room : 512;
    while (room < wanted && room < PIPE_ROOM)
        room *= 2;
    if (room == pipe->room)
        return true;
    char *bytes = mem_alloc(room);
    if (!bytes)
        return false;
    if (pipe->length > 0) {
        size_t first = pipe->room - pipe->start;
        first = first < pipe->length ? first : pipe->length;
        memcpy(bytes, pipe->bytes + pipe->start, first);
        memcpy(bytes + first, pipe->bytes, pipe->length - first);
    }
    mem_free(pipe->bytes);
    pipe->bytes = bytes;
    pipe->room = room;
    pipe->start = 0;
    return true;
}

static ssize_t pipe_write(struct handle *handle, const void *bytes, size_t length)
{
    struct pipe *pipe = handle->self;
    if (!pipe->reader)
        return -EPIPE;
    if (pipe->length == PIPE_ROOM)
        return -EAGAIN;
    if (!grow(pipe, pipe->length + length))
        return -ENOMEM;
    size_t free_room = pipe->room - pipe->length;
    length = length < free_room ? length : free_room;
    size_t end = (pipe->start + pipe->length) % pipe->room, first = pipe->room - end;
    first = first < length ? first : length;
    memcpy(pipe->bytes + end, bytes, first);
    memcpy(pipe->bytes, (const char *)bytes + first, length - first);
    pipe->length += length;
    wait_wake(&pipe->waiters);
    return (ssize_t)length;
}

static unsigned reader_ready(const struct handle *handle)
{
    const struct pipe *pipe = handle->self;
    return (pipe->length > 0 || !pipe->writer ? HANDLE_READ : 0u) | (pipe->writer ? 0u : HANDLE_HUNG);
}

static unsigned writer_ready(const struct handle *handle)
{
    const struct pipe *pipe = handle->self;
    return (pipe->length < PIPE_ROOM || !pipe->reader ? HANDLE_WRITE : 0u) | (pipe->reader ? 0u : HANDLE_HUNG);
}

static void close_end(struct pipe *pipe, bool *end)
{
    *end = false;
    wait_wake(&pipe->waiters);
    if (pipe->reader || pipe->writer)
        return;
    mem_free(pipe->bytes);
    mem_free(pipe);
}

static void reader_close(struct handle *handle)
{
    struct pipe *pipe = handle->self;
    close_end(pipe, &pipe->reader);
}

static void writer_close(struct handle *handle)
{
    struct pipe *pipe = handle->self;
    close_end(pipe, &pipe->writer);
}

static const struct handle_ops reader_ops = {.read = pipe_read, .ready = reader_ready, .close = reader_close};
static const struct handle_ops writer_ops = {.write = pipe_write, .ready = writer_ready, .close = writer_close};

bool pipe_new(struct handle **reader, struct handle **writer)
{
    struct pipe *pipe = mem_zero(1, sizeof *pipe);
    if (!pipe)
        return false;
    char name[40] = "pipe:[";
    size_t at = strlen(name);
    for (uintptr_t number = (uintptr_t)pipe >> 4 & 0xFFFFFF; number > 0; number /= 10)
        name[at++] = (char)('0' + number % 10);
    memcpy(name + at, "]", 2);
    struct handle *in = handle_new(&reader_ops, pipe, O_RDONLY, name), *out = in ? handle_new(&writer_ops, pipe, O_WRONLY, name) : NULL;
    if (!out) {
        if (in) {
            in->ops = &(const struct handle_ops){0}; /* nothing to close yet */
            handle_free(in);
        }
        mem_free(pipe);
        return false;
    }
    pipe->reader = pipe->writer = true;
    in->waiters = out->waiters = &pipe->waiters;
    *reader = in;
    *writer = out;
    return true;
}

/* ---- nothing ---- */

static ssize_t null_read(struct handle *handle, void *bytes, size_t length)
{
    (void)handle, (void)bytes, (void)length;
    return 0;
}

static ssize_t null_write(struct handle *handle, const void *bytes, size_t length)
{
    (void)handle, (void)bytes;
    return (ssize_t)length;
}

static const struct handle_ops null_ops = {.read = null_read, .write = null_write};

struct handle *null_new(int flags)
{
    return handle_new(&null_ops, NULL, flags, "/dev/null");
}
