#include "fake_backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/json.h"

enum { MOST = 64 << 20, LONG_LOG = 4 << 20, LARGE = 6 << 20, LATE_MS = 50, FOLLOW_MS = 20, FOLLOWED = 5, STUCK_TAKES = 64 << 10 };

struct fake {
    struct backend backend;
    struct loop *loop;
    int open;
    size_t flooded;
    char asked[256];
    struct buf input, kept; /* kept: tar's */
    bool input_ended;
};

/* --- logs --- */

struct backend_log {
    struct fake *fake;
    struct loop_event *timer;
    void (*fn)(void *data);
    void *data;
    bool follow, more, timestamps;
    int64_t tail, limit, next, last;
    size_t left; /* of a long one */
};

static void next_line(void *data)
{
    struct backend_log *log = data;
    log->last++;
    if (log->last < FOLLOWED + 3)
        loop_set_timer(log->timer, FOLLOW_MS);
    else
        log->follow = false;
    log->fn(log->data);
}

static struct backend_log *fake_log(void *self, const char *ns, const char *pod, const struct backend_log_options *options, void (*fn)(void *data), void *data, struct status *failure)
{
    struct fake *fake = self;
    (void)ns;
    if (options->previous) {
        status_bad_request(failure, "previous terminated container \"%s\" in pod \"%s\" not found", options->container, pod);
        return NULL;
    }
    struct backend_log *log = mem_zero(1, sizeof *log);
    if (log == NULL)
        return NULL;
    *log = (struct backend_log){.fake = fake, .fn = fn, .data = data, .follow = options->follow, .timestamps = options->timestamps, .tail = options->tail, .limit = options->limit, .next = 1, .last = 3};
    log->left = strcmp(options->container, "long") == 0 ? LONG_LOG : 0;
    if (log->tail >= 0 && log->tail < log->last)
        log->next = log->last - log->tail + 1;
    log->timer = loop_add_timer(fake->loop, log->follow ? FOLLOW_MS : -1, next_line, log);
    if (log->timer == NULL) {
        mem_free(log);
        return NULL;
    }
    fake->open++;
    return log;
}

static bool fake_log_read(struct backend_log *log, struct buf *out)
{
    static const char filler[64 << 10] = "\n";
    if (log->left > 0) {
        buf_append(out, filler, sizeof filler);
        log->left -= sizeof filler;
        log->fake->flooded += sizeof filler;
        return true;
    }
    for (; log->next <= log->last; log->next++)
        buf_printf(out, "%sline %d\n", log->timestamps ? "2026-01-01T00:00:00.000000000Z " : "", (int)log->next);
    return log->follow;
}

static void fake_log_free(struct backend_log *log)
{
    log->fake->open--;
    loop_drop(log->timer);
    mem_free(log);
}

/* --- processes --- */

struct backend_process {
    struct fake *fake;
    struct backend_process_events events;
    struct loop_event *again;
    char word[32];
    struct buf out, line;
    size_t out_at;
    bool tty, input_ended, over, told_room, held;
    int code;
    char failure[256];
};

static struct value *status_of(const struct backend_process *process)
{
    char text[1024];
    if (process->failure[0] != '\0')
        snprintf(text, sizeof text, "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"%s\",\"reason\":\"InternalError\",\"details\":{\"causes\":[{\"message\":\"%s\"}]},\"code\":500}", process->failure, process->failure);
    else if (process->code != 0)
        snprintf(text, sizeof text,
                 "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"command terminated with non-zero exit code: error executing command [x], exit code %d\","
                 "\"reason\":\"NonZeroExitCode\",\"details\":{\"causes\":[{\"reason\":\"ExitCode\",\"message\":\"%d\"}]}}",
                 process->code, process->code);
    else
        snprintf(text, sizeof text, "{\"metadata\":{},\"status\":\"Success\"}");
    return json_parse(text, strlen(text), "status", NULL);
}

static void process_free(struct backend_process *process)
{
    process->fake->open--;
    loop_drop(process->again);
    buf_free(&process->out);
    buf_free(&process->line);
    mem_free(process);
}

/* What it has to say, and its end. */
static void process_again(void *data)
{
    struct backend_process *process = data;
    bool endless = strcmp(process->word, "yes") == 0;
    if (endless && process->out.length - process->out_at < 4096) {
        buf_clear(&process->out);
        process->out_at = 0;
        for (int i = 0; i < 4096; i++)
            buf_append_string(&process->out, "y\n");
    }
    size_t left = process->out.length - process->out_at;
    if (left > 0) {
        size_t taken = process->events.output(process->events.data, BACKEND_STDOUT, process->out.bytes + process->out_at, left);
        process->out_at += taken;
        process->fake->flooded += taken;
        process->held = taken < left;
        if (process->held)
            return;
    }
    if (endless) {
        loop_set_timer(process->again, 0);
        return;
    }
    if (process->told_room) {
        process->told_room = false;
        process->events.input_ready(process->events.data);
    }
    if (process->over) {
        struct value *status = status_of(process);
        process->events.ended(process->events.data, status);
        value_free(status);
    }
}

static void soon(struct backend_process *process)
{
    if (!process->held)
        loop_set_timer(process->again, 0);
}

static void say(struct backend_process *process, const void *bytes, size_t length)
{
    buf_append(&process->out, bytes, length);
    soon(process);
}

static void finish(struct backend_process *process, int code)
{
    process->over = true;
    process->code = code;
    soon(process);
}

static void begin(struct backend_process *process, const struct vec *words)
{
    for (size_t i = 1; strcmp(process->word, "echo") == 0 && i < words->length; i++) {
        buf_printf(&process->out, "%s%s", (char *)words->items[i], i + 1 < words->length ? " " : "\n");
        process->over = true;
    }
    if (strcmp(process->word, "exit") == 0)
        finish(process, words->length > 1 ? atoi(words->items[1]) : 0);
    else if (strcmp(process->word, "test") == 0)
        finish(process, 1);
    else if (strcmp(process->word, "sh") == 0)
        say(process, "$ ", 2);
    else if (strcmp(process->word, "tar") == 0 && words->length > 1 && strchr(words->items[1], 'c') != NULL) {
        say(process, process->fake->kept.bytes != NULL ? process->fake->kept.bytes : "", process->fake->kept.length);
        finish(process, 0);
    } else if (strcmp(process->word, "tar") == 0)
        buf_clear(&process->fake->kept);
}

static struct backend_process *fake_process(void *self, const char *ns, const char *pod, const struct backend_exec_options *options, const struct backend_process_events *events, struct status *failure)
{
    static const char *const known[] = {"echo", "cat", "yes", "exit", "stuck", "size", "sh", "tar", "test"};
    struct fake *fake = self;
    (void)ns, (void)pod;
    if (strcmp(options->container, "gone") == 0) {
        status_set(failure, 500, "InternalError", "container not found (\"%s\")", options->container);
        return NULL;
    }
    struct backend_process *process = mem_zero(1, sizeof *process);
    if (process == NULL)
        return NULL;
    *process = (struct backend_process){.fake = fake, .events = *events, .tty = options->tty, .out = buf_make(MOST), .line = buf_make(1000)};
    process->again = loop_add_timer(fake->loop, -1, process_again, process);
    if (process->again == NULL) {
        mem_free(process);
        return NULL;
    }
    fake->open++;
    snprintf(fake->asked, sizeof fake->asked, "stdin=%d stdout=%d stderr=%d tty=%d container=%s", options->input, options->output, options->error, options->tty, options->container);
    buf_clear(&fake->input);
    fake->input_ended = false;
    bool late = options->command != NULL && options->command->length > 1 && strcmp(options->command->items[0], "late") == 0, found = options->command == NULL;
    struct vec words = options->command != NULL ? *options->command : vec_make(0, NULL);
    if (late)
        words.items++, words.length--;
    snprintf(process->word, sizeof process->word, "%s", words.length > 0 ? (char *)words.items[0] : "cat");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        found = found || strcmp(known[i], process->word) == 0;
    if (!found) {
        process->over = true;
        snprintf(process->failure, sizeof process->failure, "Internal error occurred: exec failed: exec: %s: executable file not found in $PATH", process->word);
    } else if (options->command == NULL)
        say(process, "attached\n", 9);
    else
        begin(process, &words);
    loop_set_timer(process->again, late ? LATE_MS : 0);
    return process;
}

static void take_line(struct backend_process *process, char c)
{
    if (c == 3) { /* Ctrl-C */
        say(process, "^C\r\n$ ", 6);
        buf_clear(&process->line);
        return;
    }
    if (c != '\r' && c != '\n') {
        buf_append(&process->line, &c, 1);
        if (process->tty)
            say(process, &c, 1);
        return;
    }
    const char *line = process->line.bytes != NULL ? process->line.bytes : "";
    if (strncmp(line, "exit", 4) == 0) {
        if (process->tty)
            say(process, "\r\n", 2);
        finish(process, atoi(line + 4));
        return;
    }
    buf_printf(&process->out, "%sran %s%s$ ", process->tty ? "\r\n" : "", line, process->tty ? "\r\n" : "\n");
    buf_clear(&process->line);
    soon(process);
}

static size_t fake_write(struct backend_process *process, const void *bytes, size_t length)
{
    struct fake *fake = process->fake;
    if (strcmp(process->word, "stuck") == 0) {
        size_t room = STUCK_TAKES - fake->input.length, most = length < room ? length : room;
        buf_append(&fake->input, bytes, most);
        return most;
    }
    if (strcmp(process->word, "cat") == 0 && process->out.length - process->out_at > (64 << 10)) {
        process->told_room = true;
        return 0;
    }
    buf_append(&fake->input, bytes, length);
    if (strcmp(process->word, "tar") == 0)
        buf_append(&fake->kept, bytes, length);
    for (size_t i = 0; strcmp(process->word, "sh") == 0 && i < length && !process->over; i++)
        take_line(process, ((const char *)bytes)[i]);
    if (strcmp(process->word, "cat") == 0) {
        if (process->out_at == process->out.length) {
            buf_clear(&process->out);
            process->out_at = 0;
        }
        say(process, bytes, length);
    }
    return length;
}

static void fake_close_input(struct backend_process *process)
{
    process->fake->input_ended = true;
    if (!process->over)
        finish(process, 0);
}

static void fake_resize(struct backend_process *process, unsigned columns, unsigned rows)
{
    if (strcmp(process->word, "size") == 0) {
        buf_printf(&process->out, "%ux%u\r\n", columns, rows);
        soon(process);
    }
}

static void fake_resume(struct backend_process *process)
{
    process->held = false;
    soon(process);
}

/* --- ports --- */

struct backend_connection {
    struct fake *fake;
    struct backend_peer peer;
    struct loop_event *again;
    uint16_t port;
    struct buf in, out;
    size_t out_at, large;
    bool connected, upgraded, close, held, told_room, ended;
};

static void connection_again(void *data)
{
    struct backend_connection *connection = data;
    if (!connection->connected) {
        connection->connected = true;
        bool refused = connection->port != 7 && connection->port != 9 && connection->port != 80 && (connection->port < 8081 || connection->port > 8085);
        struct error err = ERROR_INIT;
        if (refused)
            error_set(&err, ERROR_UNREACHABLE, "", "connection refused");
        loop_set_timer(connection->again, refused ? -1 : 0);
        connection->peer.connected(connection->peer.data, refused ? &err : NULL);
        return;
    }
    if (connection->port == 8084)
        connection->close = true;
    static const char filler[32 << 10];
    size_t left = connection->out.length - connection->out_at;
    if (left == 0 && connection->large > 0) {
        buf_clear(&connection->out);
        connection->out_at = 0;
        buf_append(&connection->out, filler, left = connection->large < sizeof filler ? connection->large : sizeof filler);
        connection->large -= left;
    }
    if (left > 0) {
        size_t taken = connection->peer.received(connection->peer.data, connection->out.bytes + connection->out_at, left);
        connection->out_at += taken;
        connection->fake->flooded += taken;
        connection->held = taken < left;
        if (connection->held)
            return;
    }
    if (connection->large > 0) {
        loop_set_timer(connection->again, 0);
        return;
    }
    if (connection->close)
        connection->peer.closed(connection->peer.data);
    else if (connection->told_room) {
        connection->told_room = false;
        connection->peer.room(connection->peer.data);
    }
}

static struct backend_connection *fake_connect(void *self, const char *ns, const char *pod, uint16_t port, const struct backend_peer *peer, struct status *failure)
{
    (void)ns, (void)pod, (void)failure;
    struct fake *fake = self;
    struct backend_connection *connection = mem_zero(1, sizeof *connection);
    if (connection == NULL)
        return NULL;
    *connection = (struct backend_connection){.fake = fake, .peer = *peer, .port = port, .in = buf_make(MOST), .out = buf_make(MOST)};
    connection->again = loop_add_timer(fake->loop, 0, connection_again, connection);
    if (connection->again == NULL) {
        mem_free(connection);
        return NULL;
    }
    fake->open++;
    return connection;
}

/* Answers a whole request. */
static void answer_http(struct backend_connection *connection)
{
    const char *end = connection->in.bytes != NULL ? strstr(connection->in.bytes, "\r\n\r\n") : NULL;
    if (end == NULL)
        return;
    const char *sized = strcasestr(connection->in.bytes, "\r\nContent-Length: ");
    size_t head = (size_t)(end - connection->in.bytes) + 4, body = sized != NULL && sized < end ? strtoul(sized + 18, NULL, 10) : 0;
    if (connection->in.length < head + body)
        return;
    struct buf *out = &connection->out;
    bool is_head = strncmp(connection->in.bytes, "HEAD ", 5) == 0;
    if (connection->port == 80)
        buf_printf(out, "HTTP/1.1 200 OK\r\nServer: fake\r\nContent-Type: text/plain\r\nConnection: keep-alive\r\nContent-Length: %zu\r\n\r\n%s", connection->in.length, is_head ? "" : connection->in.bytes);
    if (connection->port == 8081)
        buf_printf(out, "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\nX-A: 2\r\n\r\n5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: x\r\n\r\n");
    if (connection->port == 8082) {
        buf_printf(out, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: thing\r\nX-B: 3\r\n\r\nearly ");
        connection->upgraded = true;
    }
    if (connection->port == 8083)
        buf_printf(out, "HTTP/1.0 302 Found\r\nLocation: /there?x=1\r\n\r\nuntil the end");
    if (connection->port == 8085) {
        buf_printf(out, "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: %d\r\n\r\n", LARGE);
        connection->large = LARGE;
    }
    connection->close = connection->port == 8083;
    buf_clear(&connection->in);
}

static size_t fake_connection_write(struct backend_connection *connection, const void *bytes, size_t length)
{
    if (connection->port == 9)
        return 0;
    if (connection->port == 7 || connection->upgraded) {
        if (connection->out.length - connection->out_at > (128 << 10)) {
            connection->told_room = true;
            return 0;
        }
        if (connection->out_at == connection->out.length) {
            buf_clear(&connection->out);
            connection->out_at = 0;
        }
        buf_append(&connection->out, bytes, length);
    } else {
        buf_append(&connection->in, bytes, length);
        answer_http(connection);
    }
    if (!connection->held)
        loop_set_timer(connection->again, 0);
    return length;
}

static void fake_connection_shutdown(struct backend_connection *connection)
{
    connection->close = true;
    if (!connection->held)
        loop_set_timer(connection->again, 0);
}

static void fake_connection_resume(struct backend_connection *connection)
{
    connection->held = false;
    loop_set_timer(connection->again, 0);
}

static void fake_connection_free(struct backend_connection *connection)
{
    connection->fake->open--;
    loop_drop(connection->again);
    buf_free(&connection->in);
    buf_free(&connection->out);
    mem_free(connection);
}

static bool fake_usage(void *self, const char *ns, const char *pod, const char *container, struct backend_usage *usage)
{
    (void)self, (void)ns, (void)pod, (void)container;
    *usage = (struct backend_usage){.cpu = 12, .memory = 34 << 20};
    return true;
}

static bool fake_node_usage(void *self, const char *node, struct backend_usage *usage)
{
    (void)self, (void)node;
    *usage = (struct backend_usage){.cpu = 250, .memory = 512 << 20};
    return true;
}

/* --- all of it --- */

struct fake *fake_new(struct loop *loop)
{
    static const struct backend_ops ops = {
        .log = fake_log, .log_read = fake_log_read, .log_free = fake_log_free,
        .process = fake_process, .process_write = fake_write, .process_close_input = fake_close_input, .process_resize = fake_resize, .process_resume = fake_resume, .process_free = process_free,
        .connect = fake_connect, .connection_write = fake_connection_write, .connection_shutdown = fake_connection_shutdown, .connection_resume = fake_connection_resume,
        .connection_free = fake_connection_free, .usage = fake_usage, .node_usage = fake_node_usage,
    };
    struct fake *fake = mem_zero(1, sizeof *fake);
    if (fake == NULL)
        return NULL;
    fake->loop = loop;
    fake->input = buf_make(MOST);
    fake->kept = buf_make(MOST);
    fake->backend = (struct backend){.ops = &ops, .self = fake};
    return fake;
}

void fake_free(struct fake *fake)
{
    buf_free(&fake->input);
    buf_free(&fake->kept);
    mem_free(fake);
}

const struct backend *fake_backend(const struct fake *fake)
{
    return &fake->backend;
}

int fake_open(const struct fake *fake)
{
    return fake->open;
}

size_t fake_flooded(const struct fake *fake)
{
    return fake->flooded;
}

const char *fake_asked(const struct fake *fake)
{
    return fake->asked;
}

const char *fake_input(const struct fake *fake, size_t *length, bool *ended)
{
    *length = fake->input.length;
    *ended = fake->input_ended;
    return fake->input.bytes != NULL ? fake->input.bytes : "";
}
