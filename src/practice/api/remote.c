/* exec and attach: a process of the backend's on one side, channels of a client's on the other. */
#include "practice/api/remote.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/api/connect.h"

enum { COMMAND_WORDS = 4096, STATUS = 1 << 20, SIZES = 256 /* bytes of one size of a terminal */ };

struct remote {
    struct open_stream open;
    struct exchange *exchange;
    const struct backend_ops *ops;
    struct backend_process *process; /* NULL: it has ended, and was let go */
    struct remote_wire *wire;
    struct backend_exec_options options;
    struct value *pod;
    struct vec command;
    const char *protocol;
    bool upgraded;              /* the exchange is answered: 101 */
    bool ready;                 /* output can be sent */
    bool holds_output, holds_input;
    bool ended;                 /* `status` is what is left to be sent */
    struct buf status;
    size_t status_at;
    char size[SIZES];
    size_t size_length;
};

/* --- its end --- */

static void free_remote(struct remote *remote)
{
    if (remote->process != NULL)
        remote->ops->process_free(remote->process);
    if (remote->upgraded) {
        connect_close(&remote->open);
        exchange_end(remote->exchange, 101);
    }
    value_free(remote->pod);
    vec_free(&remote->command);
    buf_free(&remote->status);
    mem_free(remote);
}

static void finish(struct remote *remote)
{
    remote->wire->ops->finish(remote->wire);
    free_remote(remote);
}

static void cut(struct open_stream *open)
{
    finish((struct remote *)open); /* its first field */
}

/* Sends what is left of the status; then it is over. */
static void send_status(struct remote *remote)
{
    if (!remote->ended || !remote->ready)
        return;
    size_t left = remote->status.length - remote->status_at;
    if (left > 0)
        remote->status_at += remote->wire->ops->send(remote->wire, BACKEND_ERROR, remote->status.bytes + remote->status_at, left);
    if (remote->status_at == remote->status.length)
        finish(remote);
}

/* --- the process --- */

static size_t on_output(void *data, enum backend_stream stream, const void *bytes, size_t length)
{
    struct remote *remote = data;
    bool wanted = stream == BACKEND_STDOUT ? remote->options.output : remote->options.error;
    if (!wanted)
        return length;
    size_t taken = remote->ready ? remote->wire->ops->send(remote->wire, stream, bytes, length) : 0;
    remote->holds_output |= taken < length;
    return taken;
}

static void on_input_ready(void *data)
{
    struct remote *remote = data;
    if (remote->holds_input && remote->wire != NULL)
        remote->wire->ops->resume(remote->wire);
    remote->holds_input = false;
}

/* With v5 the real API server reads the kubelet's Status, and tells in one of its own what it read. */
static void print_retold(const struct value *status, const char *message, struct buf *out)
{
    const char *reason = value_find_text(status, "reason", NULL), *code = value_find_text(value_first(value_find(status, "details", "causes", NULL)), "message", NULL);
    bool exited = reason != NULL && strcmp(reason, "NonZeroExitCode") == 0;
    char *text = exited ? mem_printf("command terminated with non-zero exit code: command terminated with exit code %s", code != NULL ? code : "") : mem_printf("Internal error occurred: %s", message);
    if (text == NULL)
        buf_fail(out);
    buf_append_string(out, "{\"metadata\":{},\"status\":\"Failure\",\"message\":");
    json_quote(text != NULL ? text : "", out);
    buf_printf(out, ",\"reason\":\"%s\",\"details\":{\"causes\":[{%s\"message\":", exited ? "NonZeroExitCode" : "InternalError", exited ? "\"reason\":\"ExitCode\"," : "");
    json_quote(exited && code != NULL ? code : message, out);
    buf_append_string(out, exited ? "}]}}" : "}]},\"code\":500}");
    mem_free(text);
}

/* Protocols before v4 tell a failure in words, and nothing of success. */
static void print_status(struct remote *remote, const struct value *status)
{
    const char *how = value_find_text(status, "status", NULL), *message = value_find_text(status, "message", NULL);
    bool fine = how != NULL && strcmp(how, "Success") == 0;
    if (strcmp(remote->protocol, "v5.channel.k8s.io") == 0 && !fine)
        print_retold(status, message != NULL ? message : "out of memory", &remote->status);
    else if (remote->protocol[0] == 'v' && remote->protocol[1] >= '4')
        json_print(status, false, &remote->status);
    else if (!fine)
        buf_append_string(&remote->status, message != NULL ? message : "unknown");
    if (!buf_ok(&remote->status))
        buf_free(&remote->status);
}

static void on_ended(void *data, const struct value *status)
{
    struct remote *remote = data;
    print_status(remote, status);
    remote->ended = true;
    remote->ops->process_free(remote->process);
    remote->process = NULL;
    if (remote->holds_input && remote->wire != NULL)
        remote->wire->ops->resume(remote->wire);
    send_status(remote);
}

/* --- the client --- */

/* A size as {"Width":80,"Height":24}; several may come in a row, cut anywhere. */
static void take_size(struct remote *remote, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (remote->size_length == SIZES - 1)
            remote->size_length = 0; /* no size is so long */
        remote->size[remote->size_length++] = bytes[i];
        if (bytes[i] != '}')
            continue;
        struct value *size = json_parse(remote->size, remote->size_length, "the terminal's size", NULL);
        int64_t columns = value_find_int(size, 0, "Width", NULL), rows = value_find_int(size, 0, "Height", NULL);
        value_free(size);
        remote->size_length = 0;
        if (columns > 0 && columns <= UINT16_MAX && rows > 0 && rows <= UINT16_MAX && remote->process != NULL)
            remote->ops->process_resize(remote->process, (unsigned)columns, (unsigned)rows);
    }
}

static size_t on_received(void *data, unsigned channel, const void *bytes, size_t length)
{
    struct remote *remote = data;
    if (channel == BACKEND_RESIZE && remote->options.tty)
        take_size(remote, bytes, length);
    if (channel != BACKEND_STDIN || !remote->options.input || remote->process == NULL)
        return length;
    size_t taken = remote->ops->process_write(remote->process, bytes, length);
    remote->holds_input = taken < length;
    return taken;
}

static void on_half(void *data, unsigned channel)
{
    struct remote *remote = data;
    if (channel == BACKEND_STDIN && remote->process != NULL)
        remote->ops->process_close_input(remote->process);
}

static void on_room(void *data)
{
    struct remote *remote = data;
    if (remote->ended) {
        send_status(remote);
        return;
    }
    if (remote->holds_output) {
        remote->holds_output = false;
        remote->ops->process_resume(remote->process);
    }
}

static void on_ready(void *data)
{
    struct remote *remote = data;
    remote->ready = true;
    on_room(remote);
}

static void on_closed(void *data)
{
    free_remote(data);
}

/* --- the request --- */

static bool read_options(struct exchange *x, struct remote *remote)
{
    bool exec = strcmp(x->route.subresource, "exec") == 0;
    remote->options = (struct backend_exec_options){
        .command = exec ? &remote->command : NULL,
        .input = query_is_true(&x->query, "stdin"),
        .output = query_is_true(&x->query, "stdout"),
        .error = query_is_true(&x->query, "stderr"),
        .tty = query_is_true(&x->query, "tty"),
    };
    if (exec && !query_all(http_query(x->request), "command", &remote->command))
        return status_error(&x->failure, &(struct error){.kind = ERROR_MEMORY});
    const char *container = query_get(&x->query, "container");
    return connect_may_create(x) && connect_pod(x, &remote->pod) && connect_container(remote->pod, container != NULL ? container : "", &remote->options.container, &x->failure) &&
           connect_needs_node(remote->pod, &x->failure);
}

/* A WebSocket's protocol, or SPDY's; false: answered. */
static bool agree(struct exchange *x, struct remote *remote, bool websocket)
{
    static const char *const by_websocket[] = {"v5.channel.k8s.io", "v4.channel.k8s.io", "v4.base64.channel.k8s.io", "channel.k8s.io", "base64.channel.k8s.io", NULL};
    static const char *const by_spdy[] = {"v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io", NULL};
    const char *theirs = http_header(x->request, websocket ? "Sec-WebSocket-Protocol" : "X-Stream-Protocol-Version");
    remote->protocol = connect_negotiate(theirs, websocket ? by_websocket : by_spdy);
    if (remote->protocol == NULL && websocket && (theirs == NULL || theirs[0] == '\0'))
        remote->protocol = "";
    if (remote->protocol != NULL) {
        if (!websocket)
            http_add_header(x->request, "X-Stream-Protocol-Version", remote->protocol);
        return true;
    }
    if (websocket)
        exchange_text(x, 403, NULL, "", 0);
    else
        connect_refuse_protocol(x, theirs, by_spdy);
    return false;
}

static bool upgrade(struct exchange *x, struct remote *remote, bool websocket, const char **refusal)
{
    static const struct remote_events events = {on_ready, on_received, on_half, on_room, on_closed};
    const struct backend_exec_options *options = &remote->options;
    struct remote_setup setup = {
        .loop = x->server->api.loop,
        .request = x->request,
        .protocol = remote->protocol,
        .wants = {[BACKEND_STDIN] = options->input, [BACKEND_STDOUT] = options->output, [BACKEND_STDERR] = options->error, [BACKEND_ERROR] = true,
                  [BACKEND_RESIZE] = options->tty && (remote->protocol[0] == 'v' && remote->protocol[1] >= '3')},
        .events = &events,
        .data = remote,
    };
    remote->wire = (websocket ? remote_ws_new : remote_spdy_new)(&setup, refusal);
    remote->upgraded = remote->wire != NULL;
    if (remote->upgraded)
        connect_open(&x->server->api, &remote->open, cut);
    return remote->upgraded;
}

static void start(struct exchange *x, struct remote *remote)
{
    const struct backend *backend = x->server->api.backend;
    const struct backend_process_events events = {.output = on_output, .input_ready = on_input_ready, .ended = on_ended, .data = remote};
    struct backend_exec_options *options = &remote->options;
    bool websocket = http_wants_upgrade(x->request, "websocket");
    const char *refusal = NULL;
    if (!websocket && !http_wants_upgrade(x->request, "SPDY/3.1")) {
        status_bad_request(&x->failure, "Upgrade request required");
        exchange_fail(x);
    } else if (options->error = options->error && !options->tty, !options->input && !options->output && !options->error) {
        connect_refuse(x, 400, "you must specify at least 1 of stdin, stdout, stderr");
    } else if (!agree(x, remote, websocket)) {
        ; /* answered */
    } else if ((remote->process = backend->ops->process(backend->self, x->route.ns, x->route.name, options, &events, &x->failure)) == NULL) {
        connect_refuse_status(x);
    } else if (upgrade(x, remote, websocket, &refusal)) {
        return;
    } else if (refusal != NULL) {
        connect_refuse(x, 400, "%s", refusal);
    } else {
        exchange_fail(x);
    }
    free_remote(remote);
}

void remote_serve(struct exchange *x)
{
    struct remote *remote = mem_zero(1, sizeof *remote);
    if (remote == NULL) {
        exchange_fail(x);
        return;
    }
    remote->exchange = x;
    remote->ops = x->server->api.backend->ops;
    remote->command = vec_make(COMMAND_WORDS, mem_free);
    remote->status = buf_make(STATUS);
    if (read_options(x, remote)) {
        start(x, remote);
        return;
    }
    free_remote(remote);
    exchange_fail(x);
}
