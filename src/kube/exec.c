#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "kube/internal.h"
#include "kube/streams.h"
#include "net/ws.h"

enum {
    MAXIMUM_TEXT = 65536,
    DEFAULT_MAXIMUM = 1024 * 1024,
    MAXIMUM_STATUS = 65536,
    DEFAULT_TIMEOUT_MS = 30 * 1000,
    PART = 32 * 1024,   /* of stdin, a message */
    AGAIN_MS = 10,      /* when the connection has enough waiting */
    FAREWELL_MS = 2000, /* for the server's close, once the command has ended */
};

enum channel { CHANNEL_INPUT = 0, CHANNEL_OUTPUT = 1, CHANNEL_ERRORS = 2, CHANNEL_STATUS = 3, CHANNEL_CLOSE = 255 };

struct kube_exec {
    struct kube_client *client;
    struct kube_stream *stream;
    struct ws *ws; /* NULL until the connection is open */
    struct loop_event *deadline, *again, *end;
    char *what;  /* "sh in pod web" */
    char *input; /* NULL: no stdin */
    size_t input_length, input_sent;
    bool half_close; /* v5: the end of stdin can be told */
    bool input_ended;
    size_t maximum;
    int64_t timeout_ms;
    struct buf output, errors, status;
    bool has_status;
    bool ended; /* nothing more is looked at; `end` calls done */
    struct error error;
    void (*done)(void *data, const struct kube_exec_result *result, const struct error *error);
    void *data;
};

static void exec_free(void *pointer) /* called when the stream goes (kube_stream_own), so that the client may go first */
{
    struct kube_exec *exec = pointer;
    ws_free(exec->ws);
    loop_drop(exec->deadline);
    loop_drop(exec->again);
    loop_drop(exec->end);
    buf_free(&exec->output);
    buf_free(&exec->errors);
    buf_free(&exec->status);
    mem_free(exec->input);
    mem_free(exec->what);
    mem_free(exec);
}

/* The end comes from the loop, not from inside a callback of the stream or the frames, so that both can be freed. error NULL:
 * the status says how it went. */
static void finish(struct kube_exec *exec, const struct error *error)
{
    if (exec->ended)
        return;
    exec->ended = true;
    if (error != NULL)
        exec->error = *error;
    loop_set_timer(exec->end, 0);
}

/* {"status": "Success"}, or "Failure" with a cause {"reason": "ExitCode", "message": "3"}, or a failure to start. */
static int read_status(const struct kube_exec *exec, struct error *err)
{
    struct value *status = json_parse(exec->status.bytes, exec->status.length, "the command's status", err);
    if (status == NULL)
        return -1;
    int code = -1;
    const char *word = value_find_text(status, "status", NULL), *message = value_find_text(status, "message", NULL);
    if (word != NULL && strcmp(word, "Success") == 0)
        code = 0;
    for (const struct value *c = value_first(value_find(status, "details", "causes", NULL)); c != NULL; c = value_next(c)) {
        const char *reason = value_find_text(c, "reason", NULL), *number = value_find_text(c, "message", NULL);
        if (reason != NULL && number != NULL && strcmp(reason, "ExitCode") == 0)
            code = atoi(number);
    }
    if (code < 0)
        error_set(err, ERROR_INVALID, NULL, "cannot run %s: %s", exec->what,
                  message != NULL ? message : "the server does not say why");
    value_free(status);
    return code;
}

static void on_end(void *data)
{
    struct kube_exec *exec = data;
    struct kube_exec_result result = {.exit_code = -1,
                                      .output = exec->output.bytes != NULL ? exec->output.bytes : "",
                                      .output_length = exec->output.length,
                                      .errors = exec->errors.bytes != NULL ? exec->errors.bytes : "",
                                      .errors_length = exec->errors.length};
    if (exec->error.kind == ERROR_NONE)
        result.exit_code = read_status(exec, &exec->error);
    exec->done(exec->data, &result, exec->error.kind != ERROR_NONE ? &exec->error : NULL);
    kube_stream_close(exec->stream);
}

static void on_deadline(void *data)
{
    struct kube_exec *exec = data;
    struct error err = ERROR_INIT;
    if (exec->has_status) { /* the command has ended, only the server's farewell is missing */
        finish(exec, NULL);
        return;
    }
    error_set(&err, ERROR_TIMEOUT, NULL, "%s did not end within %lld s%s", exec->what, (long long)(exec->timeout_ms / 1000),
              exec->input != NULL && !exec->half_close ? " (this server cannot be told where stdin ends)" : "");
    finish(exec, &err);
}

/* --- out: stdin --- */

static bool send_input(struct kube_exec *exec, struct error *err)
{
    char part[PART + 1];
    while (exec->input != NULL && exec->input_sent < exec->input_length && ws_queued(exec->ws) < WS_QUEUE_MAXIMUM / 4) {
        size_t length = exec->input_length - exec->input_sent;
        length = length < PART ? length : PART;
        part[0] = CHANNEL_INPUT;
        memcpy(part + 1, exec->input + exec->input_sent, length);
        if (!ws_send_binary(exec->ws, part, length + 1, err))
            return false;
        exec->input_sent += length;
    }
    if (exec->input == NULL || exec->input_ended || exec->input_sent < exec->input_length)
        return true;
    exec->input_ended = true;
    static const unsigned char close_input[] = {CHANNEL_CLOSE, CHANNEL_INPUT};
    return !exec->half_close || ws_send_binary(exec->ws, close_input, sizeof close_input, err);
}

/* Moves what waits to the connection; a full one is tried again a little later. */
static void pump(struct kube_exec *exec)
{
    struct error err = ERROR_INIT;
    while (!exec->ended && exec->ws != NULL) {
        if (!exec->has_status && !ws_over(exec->ws) && !send_input(exec, &err))
            break;
        if (!ws_wants_write(exec->ws))
            return;
        size_t length;
        const char *bytes = ws_output(exec->ws, &length);
        if (!kube_stream_write(exec->stream, bytes, length, &err)) {
            if (err.kind != ERROR_LIMIT)
                break;
            loop_set_timer(exec->again, AGAIN_MS);
            return;
        }
        ws_output_sent(exec->ws, length);
    }
    if (exec->ended || exec->ws == NULL || exec->has_status ||
        err.kind == ERROR_CANCELLED) /* what cannot be sent any more matters no longer */
        return;
    finish(exec, &err);
}

static void on_again(void *data)
{
    pump(data);
}

/* --- in: stdout, stderr, status --- */

static void keep(struct kube_exec *exec, struct buf *to, const char *bytes, size_t length)
{
    struct error err = ERROR_INIT;
    size_t room = exec->maximum - exec->output.length - exec->errors.length;
    buf_append(to, bytes, length < room ? length : room);
    if (length > room)
        error_set(&err, ERROR_LIMIT, NULL, "%s wrote more than %zu bytes", exec->what, exec->maximum);
    else if (!buf_ok(to))
        error_memory(&err);
    if (err.kind != ERROR_NONE)
        finish(exec, &err);
}

static void on_message(void *data, enum ws_kind kind, const char *bytes, size_t length)
{
    (void)kind;
    struct kube_exec *exec = data;
    struct error err = ERROR_INIT;
    if (exec->ended || length == 0)
        return;
    switch ((unsigned char)bytes[0]) {
    case CHANNEL_OUTPUT:
        keep(exec, &exec->output, bytes + 1, length - 1);
        break;
    case CHANNEL_ERRORS:
        keep(exec, &exec->errors, bytes + 1, length - 1);
        break;
    case CHANNEL_STATUS: /* an empty message opens each channel */
        buf_append(&exec->status, bytes + 1, length - 1);
        if (!buf_ok(&exec->status)) {
            error_set(&err, ERROR_LIMIT, NULL, "the status of %s is too long", exec->what);
            finish(exec, &err);
        } else if (length > 1) {
            exec->has_status = true;
            ws_close(exec->ws, WS_CODE_NORMAL, NULL);
            loop_set_timer(exec->deadline, FAREWELL_MS);
        }
        break;
    default:
        break;
    }
}

static void ended_early(struct kube_exec *exec, const char *reason)
{
    struct error err = ERROR_INIT;
    error_set(&err, ERROR_UNREACHABLE, NULL, "the connection ended before %s did%s%s", exec->what,
              reason[0] != '\0' ? ": " : "", reason);
    finish(exec, exec->has_status ? NULL : &err);
}

static void on_ws_closed(void *data, unsigned code, const char *reason)
{
    (void)code;
    ended_early(data, reason);
}

static void on_open(void *data, const char *protocol)
{
    static const struct ws_callbacks callbacks = {.message = on_message, .closed = on_ws_closed};
    struct kube_exec *exec = data;
    struct error err = ERROR_INIT;
    if (exec->ended)
        return;
    exec->half_close = protocol != NULL && strcmp(protocol, "v5.channel.k8s.io") == 0;
    if (!exec->half_close && (protocol == NULL || strcmp(protocol, "v4.channel.k8s.io") != 0))
        error_set(&err, ERROR_UNREACHABLE, NULL,
                  "the server knows no way to run commands that kubetutor knows (it offers \"%.64s\")",
                  protocol != NULL ? protocol : "");
    else
        exec->ws = ws_new(WS_CLIENT, &callbacks, exec, &err);
    if (exec->ws != NULL)
        pump(exec);
    else
        finish(exec, &err);
}

static void on_bytes(void *data, const char *bytes, size_t length)
{
    struct kube_exec *exec = data;
    struct error err = ERROR_INIT;
    if (exec->ended || exec->ws == NULL)
        return;
    if (!ws_feed(exec->ws, bytes, length, &err) && !exec->has_status)
        finish(exec, &err);
    pump(exec);
}

static void on_stream_closed(void *data, const struct error *error)
{
    struct kube_exec *exec = data;
    if (exec->has_status || error == NULL) {
        ended_early(exec, "");
        return;
    }
    struct error err = *error;
    if (exec->ws == NULL)
        error_context(&err, "cannot run %s: %.300s", exec->what, error->message);
    finish(exec, &err);
}

/* --- start --- */

static bool exec_path(const struct kube_exec_options *options, struct buf *path, struct buf *query, struct error *err)
{
    static const struct kube_resource pods = {.group = "", .version = "v1", .plural = "pods", .namespaced = true};
    struct kube_target target = {.resource = &pods, .ns = options->ns, .name = options->pod, .subresource = "exec"};
    if (!kube_target_path(&target, path, err))
        return false;
    kube_query(query, "container", options->container);
    for (size_t i = 0; options->argv[i] != NULL; i++)
        kube_query(query, "command", options->argv[i]);
    kube_query(query, "stdin", options->input != NULL ? "true" : NULL);
    kube_query(query, "stdout", "true");
    kube_query(query, "stderr", options->tty ? NULL : "true"); /* a terminal has one output */
    kube_query(query, "tty", options->tty ? "true" : NULL);
    return buf_ok(query) || error_set(err, ERROR_LIMIT, NULL, "the command is longer than %d bytes", (int)MAXIMUM_TEXT);
}

static bool prepare(struct kube_exec *exec, const struct kube_exec_options *options)
{
    struct loop *loop = kube_client_loop(exec->client);
    exec->maximum = options->maximum > 0 ? options->maximum : DEFAULT_MAXIMUM;
    exec->timeout_ms = options->timeout_ms > 0 ? options->timeout_ms : DEFAULT_TIMEOUT_MS;
    exec->output = buf_make(exec->maximum);
    exec->errors = buf_make(exec->maximum);
    exec->status = buf_make(MAXIMUM_STATUS);
    exec->what = mem_printf("%s in pod %s", options->argv[0] != NULL ? options->argv[0] : "nothing", options->pod);
    exec->deadline = loop_add_timer(loop, exec->timeout_ms, on_deadline, exec);
    exec->again = loop_add_timer(loop, -1, on_again, exec);
    exec->end = loop_add_timer(loop, -1, on_end, exec);
    if (options->input != NULL) {
        exec->input = mem_string_n(options->input, options->input_length);
        exec->input_length = options->input_length;
    }
    return exec->what != NULL && exec->deadline != NULL && exec->again != NULL && exec->end != NULL &&
           (exec->input != NULL || options->input == NULL);
}

struct kube_exec *kube_exec_start(struct kube_client *client, const struct kube_exec_options *options,
                                  void (*done)(void *data, const struct kube_exec_result *result, const struct error *error),
                                  void *data, struct error *err)
{
    static const char *const protocols[] = {"v5.channel.k8s.io", "v4.channel.k8s.io", NULL};
    static const struct kube_stream_callbacks callbacks = {.open = on_open, .bytes = on_bytes, .closed = on_stream_closed};
    struct kube_exec *exec = mem_zero(1, sizeof *exec);
    struct buf path = buf_make(MAXIMUM_TEXT), query = buf_make(MAXIMUM_TEXT);
    if (exec == NULL) {
        error_memory(err);
        return NULL;
    }
    exec->client = client;
    exec->done = done;
    exec->data = data;
    if (!prepare(exec, options))
        error_memory(err);
    else if (exec_path(options, &path, &query, err))
        exec->stream = kube_stream_open(client, path.bytes, query.bytes, protocols, &callbacks, exec, err);
    buf_free(&query);
    buf_free(&path);
    if (exec->stream == NULL) {
        exec_free(exec);
        return NULL;
    }
    kube_stream_own(exec->stream, exec, exec_free);
    return exec;
}

void kube_exec_cancel(struct kube_exec *exec)
{
    if (exec != NULL)
        kube_stream_close(exec->stream);
}
