#include "loop/child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "loop/process.h"

enum { PIPES_GRACE_MS = 1000, CHUNK = 65536 };

/* One of its outputs. */
struct stream {
    struct child *child;
    int fd; /* -1: at its end, or not read at all */
    struct loop_event *event;
    struct buf bytes;
};

struct child {
    struct process *process; /* NULL once released */
    struct stream output, errors;
    struct loop_event *timer; /* the time-out; after its end, the grace for its pipes */
    char *name;
    int64_t timeout_ms;
    struct error error; /* the first reason why it was ended */
    bool in_done;
    void (*done)(void *data, const struct child_result *result);
    void *data;
};

static void stream_close(struct stream *stream)
{
    loop_drop(stream->event);
    stream->event = NULL;
    if (stream->fd >= 0)
        close(stream->fd);
    stream->fd = -1;
}

static void child_free(struct child *child)
{
    stream_close(&child->output);
    stream_close(&child->errors);
    buf_free(&child->output.bytes);
    buf_free(&child->errors.bytes);
    loop_drop(child->timer);
    mem_free(child->name);
    mem_free(child);
}

static const char *text_of(const struct stream *stream)
{
    return stream->bytes.bytes != NULL ? stream->bytes.bytes : "";
}

static void finish(struct child *child)
{
    struct child_result result = {
        .output = text_of(&child->output),
        .output_length = child->output.bytes.length,
        .errors = text_of(&child->errors),
        .errors_length = child->errors.bytes.length,
        .error = child->error.kind != ERROR_NONE ? &child->error : NULL,
    };
    process_status(child->process, &result.exit_code, &result.signal_number);
    process_release(child->process, child->error.kind != ERROR_NONE);
    child->process = NULL;
    child->in_done = true;
    child->done(child->data, &result);
    child_free(child);
}

static void finish_if_over(struct child *child)
{
    if (process_ended(child->process) && child->output.fd < 0 && child->errors.fd < 0)
        finish(child);
}

/* Its end is told by its exit as ever; child->error was set by the caller. */
static void end(struct child *child)
{
    if (!process_ended(child->process))
        process_end(child->process, SIGTERM);
}

static void on_timer(void *data)
{
    struct child *child = data;
    if (process_ended(child->process)) {
        finish(child);
        return;
    }
    if (child->error.kind == ERROR_NONE)
        error_set(&child->error, ERROR_TIMEOUT, child->name, "%s did not finish within %g s", child->name,
                  (double)child->timeout_ms / 1000);
    end(child);
}

static void on_ended(void *data)
{
    struct child *child = data;
    loop_set_timer(child->timer, PIPES_GRACE_MS);
    finish_if_over(child);
}

/* Keeps what fits; the first byte that does not ends the child. Later ones are read and dropped, so that it can end in peace.
 */
static void keep(struct stream *stream, const char *bytes, size_t length)
{
    struct child *child = stream->child;
    struct buf *buf = &stream->bytes;
    if (child->error.kind != ERROR_NONE)
        return;
    size_t room = buf->maximum - buf->length;
    buf_append(buf, bytes, length < room ? length : room);
    if (!buf_ok(buf))
        error_memory(&child->error);
    else if (length > room)
        error_set(&child->error, ERROR_LIMIT, child->name, "%s wrote more than the %zu bytes allowed", child->name,
                  buf->maximum);
    else
        return;
    end(child);
}

static void on_readable(void *data, int what)
{
    (void)what;
    struct stream *stream = data;
    char chunk[CHUNK];
    ssize_t got = read(stream->fd, chunk, sizeof chunk);
    if (got > 0)
        keep(stream, chunk, (size_t)got);
    else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        stream_close(stream);
        finish_if_over(stream->child);
    }
}

/* Its stdin is a file in memory: nothing to feed, no SIGPIPE, and a program that never reads it does no harm. Returns -1 with
 * errno. */
static int input_file(const char *bytes, size_t length)
{
    int fd = process_high(memfd_create("input", MFD_CLOEXEC));
    if (fd < 0)
        return -1;
    for (size_t at = 0; at < length;) {
        ssize_t put = write(fd, bytes + at, length - at);
        if (put < 0 && errno != EINTR) {
            int failure = errno;
            close(fd);
            errno = failure;
            return -1;
        }
        at += put > 0 ? (size_t)put : 0;
    }
    lseek(fd, 0, SEEK_SET);
    return fd;
}

/* Opens what the child's three descriptors will be; `theirs` are closed by the caller. Returns 0 or an errno. */
static int open_stdio(struct child *child, const struct child_options *options, int theirs[3])
{
    int ends[2] = {-1, -1};
    bool opened = process_pipe(ends);
    child->output.fd = ends[0];
    theirs[1] = ends[1];
    if (opened && !options->inherit_terminal && !options->merge_output) {
        ends[0] = ends[1] = -1;
        opened = process_pipe(ends);
        child->errors.fd = ends[0];
        theirs[2] = ends[1];
    }
    if (!opened)
        return errno;
    if (options->input != NULL && !options->inherit_terminal) {
        theirs[0] = input_file(options->input, options->input_length);
        if (theirs[0] < 0)
            return errno;
    }
    return 0;
}

static bool add_events(struct child *child, struct loop *loop)
{
    struct stream *streams[] = {&child->output, &child->errors};
    for (int i = 0; i < 2; i++) {
        if (streams[i]->fd < 0)
            continue;
        streams[i]->event = loop_add_fd(loop, streams[i]->fd, LOOP_READ, on_readable, streams[i]);
        if (streams[i]->event == NULL)
            return false;
    }
    child->timer = loop_add_timer(loop, child->timeout_ms > 0 ? child->timeout_ms : -1, on_timer, child);
    return child->timer != NULL;
}

static struct child *child_make(const struct child_options *options, void (*done)(void *, const struct child_result *),
                                void *data)
{
    struct child *child = mem_zero(1, sizeof *child);
    char *name = mem_string(options->argv[0]);
    if (child == NULL || name == NULL) {
        mem_free(child);
        mem_free(name);
        return NULL;
    }
    *child = (struct child){.name = name, .timeout_ms = options->timeout_ms, .done = done, .data = data};
    child->output = (struct stream){.child = child, .fd = -1, .bytes = buf_make(options->maximum)};
    child->errors = (struct stream){.child = child, .fd = -1, .bytes = buf_make(options->maximum)};
    return child;
}

struct child *child_start(struct loop *loop, const struct child_options *options,
                          void (*done)(void *data, const struct child_result *result), void *data, struct error *err)
{
    struct child *child = child_make(options, done, data);
    if (child == NULL) {
        error_memory(err);
        return NULL;
    }
    int theirs[3] = {-1, -1, -1};
    int failure = open_stdio(child, options, theirs);
    if (failure != 0)
        error_set(err, failure == ENOMEM ? ERROR_MEMORY : ERROR_LIMIT, child->name, "cannot start %s: %s", child->name,
                  strerror(failure));
    else if (!add_events(child, loop))
        error_memory(err);
    else {
        struct process_options process = {
            .argv = options->argv,
            .environment = options->environment,
            .folder = options->folder,
            .stdio = {options->inherit_terminal ? PROCESS_OURS : theirs[0], theirs[1],
                      options->inherit_terminal ? PROCESS_OURS
                      : options->merge_output   ? theirs[1]
                                                : theirs[2]},
            .our_group = options->inherit_terminal,
        };
        child->process = process_start(loop, &process, on_ended, child, err);
    }
    for (int i = 0; i < 3; i++)
        if (theirs[i] >= 0)
            close(theirs[i]);
    if (child->process == NULL) {
        child_free(child);
        return NULL;
    }
    return child;
}

void child_cancel(struct child *child)
{
    if (child == NULL || child->in_done)
        return;
    end(child);
    process_release(child->process, true);
    child_free(child);
}
