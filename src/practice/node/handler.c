/* Handlers: a command in a container, a request or a connection to a port of its Pod, or a pause; what probes and hooks do. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "practice/node/pod.h"
#include "practice/node/probe.h"

enum { HANDLER_ANSWER = 10 << 10, HANDLER_TEXT = 1024 };

struct handler_run {
    struct pod_instance *instance;
    void (*done)(void *data, const struct handler_result *result);
    void *data;
    struct cluster_timer *timer; /* the time-out, the end of a pause, or what could not even begin */
    struct runtime_process *process;
    struct runtime_connection *connection;
    int64_t timeout_ms;
    enum { RUN_EXEC, RUN_HTTP, RUN_TCP, RUN_GRPC, RUN_SLEEP, RUN_NOTHING } kind;
    struct buf output;  /* of the command; the answer */
    struct buf request; /* what is to be sent */
    size_t sent;
    char *words;        /* the command's, joined by spaces; the URL; "IP:PORT" */
    char *broken;       /* why it could not begin */
};

static void run_free(struct handler_run *run)
{
    const struct runtime_ops *ops = run->instance->container->worker->node->nodes->runtime.ops;
    if (run->process != NULL)
        ops->process_free(run->process);
    if (run->connection != NULL)
        ops->connection_free(run->connection);
    cluster_timer_free(run->timer);
    buf_free(&run->output);
    buf_free(&run->request);
    mem_free(run->words);
    mem_free(run->broken);
    mem_free(run);
}

void handler_cancel(struct handler_run *run)
{
    if (run != NULL)
        run_free(run);
}

/* The last that is done with it. */
static void finish(struct handler_run *run, struct handler_result *result)
{
    result->output = run->output.bytes != NULL ? run->output.bytes : "";
    run->done(run->data, result);
    run_free(run);
}

static void finish_with(struct handler_run *run, enum handler_outcome outcome, int code, bool timed_out, const char *format, ...) __attribute__((format(printf, 5, 6)));
static void finish_with(struct handler_run *run, enum handler_outcome outcome, int code, bool timed_out, const char *format, ...)
{
    char text[HANDLER_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct handler_result result = {.outcome = outcome, .text = text, .code = code, .timed_out = timed_out};
    finish(run, &result);
}

/* Go's way to print a duration of whole or broken seconds. */
static const char *seconds(int64_t ms, char out[static 32])
{
    if (ms >= 60000)
        snprintf(out, 32, "%lldm%llds", (long long)(ms / 60000), (long long)(ms / 1000 % 60));
    else
        snprintf(out, 32, "%llds", (long long)(ms / 1000));
    return out;
}

static void timer_fired(void *data)
{
    struct handler_run *run = data;
    char text[32];
    switch (run->kind) {
    case RUN_SLEEP: finish_with(run, HANDLER_DONE, 0, false, "%s", ""); break;
    case RUN_NOTHING: finish_with(run, HANDLER_BROKE, 0, false, "%s", run->broken != NULL ? run->broken : ""); break;
    case RUN_EXEC: finish_with(run, HANDLER_FAILED, 0, true, "command timed out: \"%s\" timed out after %s", run->words, seconds(run->timeout_ms, text)); break;
    case RUN_HTTP:
        finish_with(run, HANDLER_FAILED, 0, true, "Get \"%s\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)", run->words);
        break;
    case RUN_TCP: finish_with(run, HANDLER_FAILED, 0, true, "dial tcp %s: i/o timeout", run->words); break;
    case RUN_GRPC:
        finish_with(run, HANDLER_FAILED, 0, true, "timeout: failed to connect service \"%s\" within %s: context deadline exceeded", run->words, seconds(run->timeout_ms, text));
        break;
    }
}

/* It cannot begin: told a round later, since done is never called from inside handler_start. */
static struct handler_run *broken(struct handler_run *run, const char *why)
{
    run->kind = RUN_NOTHING;
    run->broken = mem_string(why);
    cluster_timer_set_after(run->timer, 0);
    return run;
}

/* ---- commands ---- */

static size_t exec_output(void *data, enum runtime_stream stream, const void *bytes, size_t length)
{
    struct handler_run *run = data;
    size_t room = HANDLER_OUTPUT - run->output.length;
    (void)stream;
    buf_append(&run->output, bytes, length < room ? length : room);
    return length;
}

static void exec_room(void *data)
{
    (void)data;
}

static void exec_ended(void *data, int code, const struct error *err)
{
    struct handler_run *run = data;
    const char *output = run->output.bytes != NULL ? run->output.bytes : "";
    if (err != NULL && err->kind != ERROR_NONE)
        finish_with(run, HANDLER_BROKE, code, false,
                    "rpc error: code = Unknown desc = failed to exec in container: failed to start exec \"%.16s%s\": OCI runtime exec failed: exec failed: unable to start container process: %s",
                    run->instance->id != NULL ? run->instance->id + 16 : "", run->instance->id != NULL ? run->instance->id : "", err->message);
    else if (code == 0)
        finish_with(run, HANDLER_DONE, 0, false, "%s", output);
    else {
        struct handler_result result = {.outcome = HANDLER_FAILED, .text = output, .code = code};
        finish(run, &result);
    }
}

static struct handler_run *start_exec(struct handler_run *run, const struct value *command)
{
    const struct runtime_ops *ops = run->instance->container->worker->node->nodes->runtime.ops;
    const struct runtime_io io = {exec_output, exec_room, exec_ended, run};
    struct vec argv = vec_make(10000, mem_free);
    struct buf words = buf_make(HANDLER_TEXT);
    struct error err = ERROR_INIT;
    bool ok = true;
    for (const struct value *item = value_first(command); item != NULL && ok; item = value_next(item)) {
        const char *word = value_text(item) != NULL ? value_text(item) : "";
        buf_printf(&words, "%s%s", words.length > 0 ? " " : "", word);
        ok = vec_push_string(&argv, word);
    }
    run->kind = RUN_EXEC;
    run->words = buf_ok(&words) ? buf_take(&words, NULL) : mem_string("");
    if (ok && run->instance->handle != NULL)
        run->process = ops->exec(run->instance->handle, &argv, false, false, &io, &err);
    vec_free(&argv);
    buf_free(&words);
    if (run->process == NULL || run->words == NULL)
        return broken(run, err.message);
    return run;
}

/* ---- connections ---- */

static void send_more(struct handler_run *run)
{
    const struct runtime_ops *ops = run->instance->container->worker->node->nodes->runtime.ops;
    run->sent += ops->connection_write(run->connection, run->request.bytes + run->sent, run->request.length - run->sent);
}

static void peer_connected(void *data, const struct error *err)
{
    struct handler_run *run = data;
    bool failed = err != NULL && err->kind != ERROR_NONE;
    if (failed && err->kind == ERROR_TIMEOUT)
        return; /* it hangs until our own time-out */
    if (run->kind == RUN_HTTP) {
        const char *host = strstr(run->words, "://") + 3;
        if (failed)
            finish_with(run, HANDLER_FAILED, 0, false, "Get \"%s\": dial tcp %.*s: connect: connection refused", run->words, (int)strcspn(host, "/"), host);
        else
            send_more(run);
        return;
    }
    if (!failed)
        finish_with(run, HANDLER_DONE, 0, false, "%s", "");
    else if (run->kind == RUN_TCP)
        finish_with(run, HANDLER_FAILED, 0, false, "dial tcp %s: connect: connection refused", run->words);
    /* else: grpc's client tries again until the time-out */
}

/* "HTTP/1.1 200 OK". 0: not yet whole; -1: no such line. */
static int status_of(const struct buf *answer)
{
    if (answer->length < 13)
        return memcmp(answer->bytes != NULL ? answer->bytes : "", "HTTP/", answer->length < 5 ? answer->length : 5) == 0 ? 0 : -1;
    if (strncmp(answer->bytes, "HTTP/1.", 7) != 0)
        return -1;
    return atoi(answer->bytes + 9);
}

static void judge(struct handler_run *run, bool ended)
{
    int status = status_of(&run->output);
    bool secure = strncmp(run->words, "https", 5) == 0;
    if (status == 0 && !ended)
        return;
    if (secure && status != 0)
        finish_with(run, HANDLER_FAILED, 0, false, "Get \"%s\": http: server gave HTTP response to HTTPS client", run->words);
    else if (status <= 0)
        finish_with(run, HANDLER_FAILED, 0, false, status == 0 ? "Get \"%s\": EOF" : "Get \"%s\": net/http: HTTP/1.x transport connection broken: malformed HTTP response", run->words);
    else if (status >= 200 && status < 400)
        finish_with(run, HANDLER_DONE, status, false, "%s", "");
    else
        finish_with(run, HANDLER_FAILED, status, false, "HTTP probe failed with statuscode: %d", status);
}

static size_t peer_received(void *data, const void *bytes, size_t length)
{
    struct handler_run *run = data;
    if (run->kind != RUN_HTTP)
        return length;
    size_t room = HANDLER_ANSWER - run->output.length;
    buf_append(&run->output, bytes, length < room ? length : room);
    judge(run, false);
    return length;
}

static void peer_room(void *data)
{
    struct handler_run *run = data;
    if (run->kind == RUN_HTTP)
        send_more(run);
}

static void peer_closed(void *data)
{
    struct handler_run *run = data;
    if (run->kind == RUN_HTTP)
        judge(run, true);
}

/* A port by number or by the name that it has in the container's spec; 0: there is none. */
static uint16_t port_of(const struct value *port, const struct value *spec)
{
    int64_t number = 0;
    const char *name = value_text(port);
    if (name == NULL)
        return value_as_int(port, &number) && number > 0 && number < 65536 ? (uint16_t)number : 0;
    for (const struct value *item = value_first(value_get(spec, "ports")); item != NULL; item = value_next(item)) {
        const char *other = value_find_text(item, "name", NULL);
        if (other != NULL && strcmp(other, name) == 0)
            return (uint16_t)value_find_int(item, 0, "containerPort", NULL);
    }
    number = atoi(name);
    return number > 0 && number < 65536 ? (uint16_t)number : 0;
}

static void print_request(struct handler_run *run, const struct value *get, const char *path, const char *host)
{
    bool has_host = false, has_agent = false, accepts = false;
    buf_printf(&run->request, "GET %s HTTP/1.1\r\n", path);
    for (const struct value *header = value_first(value_get(get, "httpHeaders")); header != NULL; header = value_next(header)) {
        const char *name = value_find_text(header, "name", NULL), *text = value_find_text(header, "value", NULL);
        if (name == NULL || text == NULL)
            continue;
        has_host = has_host || strcasecmp(name, "Host") == 0;
        has_agent = has_agent || strcasecmp(name, "User-Agent") == 0;
        accepts = accepts || strcasecmp(name, "Accept") == 0;
        buf_printf(&run->request, "%s: %s\r\n", name, text);
    }
    if (!has_host)
        buf_printf(&run->request, "Host: %s\r\n", host);
    buf_printf(&run->request, "%s%sConnection: close\r\n\r\n", has_agent ? "" : "User-Agent: kube-probe/1.37\r\n", accepts ? "" : "Accept: */*\r\n");
}

static struct handler_run *start_connection(struct handler_run *run, const struct value *spec, const struct value *what, int kind)
{
    struct pod_worker *worker = run->instance->container->worker;
    const struct runtime_ops *ops = worker->node->nodes->runtime.ops;
    const struct runtime_peer peer = {peer_connected, peer_received, peer_room, peer_closed, run};
    const char *path = value_find_text(what, "path", NULL), *scheme = value_find_text(what, "scheme", NULL), *host = value_find_text(what, "host", NULL);
    struct error err = ERROR_INIT;
    uint16_t port = port_of(value_get(what, "port"), spec);
    char at[NETWORK_ADDRESS + 8];
    snprintf(at, sizeof at, "%.*s:%u", NETWORK_ADDRESS - 1, worker->ip, port);
    if (port == 0)
        return broken(run, "couldn't find port");
    run->kind = kind == RUN_HTTP ? RUN_HTTP : kind == RUN_TCP ? RUN_TCP : RUN_GRPC;
    if (path == NULL || path[0] == '\0')
        path = "/";
    if (kind == RUN_HTTP) {
        run->words = mem_printf("%s://%s%s%s", scheme != NULL && strcmp(scheme, "HTTPS") == 0 ? "https" : "http", at, path[0] == '/' ? "" : "/", path);
        print_request(run, what, path, host != NULL && host[0] != '\0' ? host : at);
    } else {
        run->words = mem_string(at);
    }
    if (run->words != NULL && buf_ok(&run->request) && worker->sandbox != NULL)
        run->connection = ops->connect(worker->sandbox, port, &peer, &err);
    return run->connection != NULL ? run : broken(run, err.message);
}

/* ---- */

struct handler_run *handler_start(struct pod_instance *instance, const struct value *spec, const struct value *handler, int64_t timeout_ms, void (*done)(void *data, const struct handler_result *result),
                                  void *data)
{
    struct handler_run *run = mem_zero(1, sizeof *run);
    if (run == NULL)
        return NULL;
    *run = (struct handler_run){.instance = instance, .done = done, .data = data, .timeout_ms = timeout_ms, .output = buf_make(HANDLER_ANSWER + 1), .request = buf_make(64 << 10)};
    run->timer = cluster_timer_new(instance->container->worker->node->nodes->clock, timer_fired, run);
    if (run->timer == NULL) {
        run_free(run);
        return NULL;
    }
    if (timeout_ms > 0)
        cluster_timer_set_after(run->timer, timeout_ms);
    const struct value *what;
    if ((what = value_get(handler, "exec")) != NULL)
        return start_exec(run, value_get(what, "command"));
    if ((what = value_get(handler, "httpGet")) != NULL)
        return start_connection(run, spec, what, RUN_HTTP);
    if ((what = value_get(handler, "tcpSocket")) != NULL)
        return start_connection(run, spec, what, RUN_TCP);
    if ((what = value_get(handler, "grpc")) != NULL)
        return start_connection(run, spec, what, RUN_GRPC);
    if ((what = value_get(handler, "sleep")) == NULL)
        return broken(run, "invalid handler");
    run->kind = RUN_SLEEP;
    cluster_timer_set_after(run->timer, 1000 * value_find_int(what, 0, "seconds", NULL));
    return run;
}
