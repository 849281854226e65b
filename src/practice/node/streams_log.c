/* A container's log as a kubelet gives it: lines of the runtime's, from where `tail` says, younger than `since`, with their times in front, so many bytes at most. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "practice/node/streams.h"

enum { PIECE = 64 << 10, REST = 4 << 20 /* what is kept of a container that is forgotten while somebody follows it */ };

struct backend_log {
    struct streams *streams;
    struct runtime_container *handle; /* NULL: it is gone, `rest` is all there is */
    struct pod_instance *instance;
    struct pod_listener listener;
    struct runtime_log_follow *follow;
    void (*fn)(void *data);
    void *data;
    uint64_t cursor;
    int64_t since_us, left;           /* left: bytes that may still be told; -1: any number */
    bool follows, timestamps, in_line;
    struct buf rest;
};

/* --- reading --- */

/* RFC 3339 with nanoseconds, in UTC. */
static void print_time(int64_t us, struct buf *out)
{
    time_t seconds = (time_t)(us / 1000000);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    buf_printf(out, "%04d-%02d-%02dT%02d:%02d:%02d.%06d000Z ", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, (int)(us % 1000000));
}

/* Cuts what was appended to the bytes that are left. */
static void spend(struct backend_log *log, struct buf *out, size_t from)
{
    if (log->left < 0)
        return;
    size_t added = out->length - from;
    if (added > (size_t)log->left) {
        out->length = from + (size_t)log->left;
        out->bytes[out->length] = '\0';
        added = (size_t)log->left;
    }
    log->left -= (int64_t)added;
}

/* The next lines, PIECE bytes or so. True: there are others now. */
static bool read_lines(struct backend_log *log, struct buf *out)
{
    struct runtime_log_line line;
    while (log->left != 0) {
        if (out->length >= PIECE)
            return true;
        if (!log->streams->runtime->ops->log_next(log->handle, &log->cursor, &line))
            return false;
        if (line.time_us < log->since_us)
            continue;
        size_t from = out->length;
        if (log->timestamps && !log->in_line)
            print_time(line.time_us, out);
        buf_append(out, line.text, line.length);
        if (!line.partial)
            buf_append(out, "\n", 1);
        log->in_line = line.partial;
        if (buf_ok(out))
            spend(log, out, from);
    }
    return false;
}

bool streams_log_read(struct backend_log *log, struct buf *out)
{
    if (log->handle == NULL) {
        if (log->rest.length > 0)
            buf_append(out, log->rest.bytes, log->rest.length);
        return false;
    }
    bool goes_on = log->follows && pod_instance_runs(log->instance); /* looked at first: what comes after it is read all the same */
    bool more = read_lines(log, out);
    return more || (goes_on && log->left != 0);
}

/* --- its life --- */

/* The runtime forgets the container: what was not read yet is kept. */
static void gone(void *data)
{
    struct backend_log *log = data;
    while (log->rest.length < REST - 2 * PIECE) {
        struct buf piece = buf_make(REST);
        bool more = read_lines(log, &piece);
        buf_append(&log->rest, piece.bytes != NULL ? piece.bytes : "", piece.length);
        buf_free(&piece);
        if (!more)
            break;
    }
    if (log->follow != NULL)
        log->streams->runtime->ops->log_unfollow(log->follow);
    log->follow = NULL;
    log->handle = NULL;
    log->fn(log->data);
}

static void changed(void *data)
{
    struct backend_log *log = data;
    log->fn(log->data);
}

void streams_log_free(struct backend_log *log)
{
    pod_unlisten(&log->listener);
    if (log->follow != NULL)
        log->streams->runtime->ops->log_unfollow(log->follow);
    buf_free(&log->rest);
    mem_free(log);
}

/* Puts the cursor where the last `tail` lines begin. */
static void skip_to_tail(struct backend_log *log, int64_t tail)
{
    const struct runtime_ops *ops = log->streams->runtime->ops;
    struct runtime_log_line line;
    uint64_t cursor = 0;
    int64_t count = 0;
    while (ops->log_next(log->handle, &cursor, &line))
        count++;
    for (; count > tail; count--)
        if (!ops->log_next(log->handle, &log->cursor, &line))
            break;
}

/* The instance that is meant. NULL: why not, in a kubelet's words. */
static struct pod_instance *choose(const struct pod_container *container, const char *pod, bool previous, struct status *failure)
{
    static const struct {
        const char *reason, *words;
    } waits[] = {{"ErrImagePull", "image can't be pulled"}, {"ImagePullBackOff", "trying and failing to pull image"}};
    const char *name = pod_container_name(container), *reason;
    struct pod_instance *current = pod_container_current(container), *before = pod_container_previous(container);
    enum pod_container_state state = pod_container_state(container, &reason);
    if (previous) {
        struct pod_instance *last = state == POD_WAITING && current != NULL && !pod_instance_runs(current) ? current : before;
        if (last == NULL)
            status_bad_request(failure, "previous terminated container \"%s\" in pod \"%s\" not found", name, pod);
        return last;
    }
    if (state != POD_WAITING || (current != NULL && !pod_instance_runs(current))) {
        if (current == NULL)
            status_bad_request(failure, "container \"%s\" in pod \"%s\" is terminated", name, pod);
        return current;
    }
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        if (strcmp(waits[i].reason, reason) == 0)
            reason = waits[i].words;
    status_bad_request(failure, "container \"%s\" in pod \"%s\" is waiting to start: %s", name, pod, reason);
    return NULL;
}

struct backend_log *streams_log(void *self, const char *ns, const char *pod, const struct backend_log_options *options, void (*fn)(void *data), void *data, struct status *failure)
{
    struct streams *streams = self;
    struct pod_container *container = streams_container(streams, ns, pod, options->container, failure);
    struct pod_instance *instance = container != NULL ? choose(container, pod, options->previous, failure) : NULL;
    if (instance == NULL)
        return NULL;
    struct backend_log *log = mem_zero(1, sizeof *log);
    if (log == NULL) {
        status_error(failure, &(struct error){.kind = ERROR_MEMORY});
        return NULL;
    }
    *log = (struct backend_log){.streams = streams, .handle = pod_instance_handle(instance), .instance = instance, .listener = {.gone = gone, .data = log}, .fn = fn, .data = data};
    log->since_us = options->since_ms * 1000;
    log->left = options->limit > 0 ? options->limit : -1;
    log->follows = options->follow;
    log->timestamps = options->timestamps;
    log->rest = buf_make(REST);
    if (log->handle == NULL) { /* of a time before this process */
        buf_printf(&log->rest, "unable to retrieve container logs for containerd://%s", instance->id != NULL ? instance->id : "");
        return log;
    }
    if (options->tail >= 0)
        skip_to_tail(log, options->tail);
    if (log->follows && (log->follow = streams->runtime->ops->log_follow(log->handle, changed, log)) == NULL) {
        streams_log_free(log);
        status_error(failure, &(struct error){.kind = ERROR_MEMORY});
        return NULL;
    }
    pod_instance_listen(instance, &log->listener);
    return log;
}
