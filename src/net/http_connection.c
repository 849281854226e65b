#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/http_internal.h"

enum {
    CUT_AT_ONCE = 16,           /* pipelined requests handled in a row, so that others are served too */
    READ_AT_ONCE = 4,           /* records */
    WRITE_AT_ONCE = 256 * 1024, /* bytes */
    SEND_AT_ONCE = 64 * 1024,   /* the same, from inside a handler */
};

static void on_fd(void *data, int what);

/* --- its life --- */

void connection_new(struct http_server *server, int fd)
{
    struct connection *connection = mem_zero(1, sizeof *connection);
    struct tls *tls = connection != NULL ? tls_new(server->tls, fd) : NULL;
    struct loop_event *event = tls != NULL ? loop_add_fd(server->loop, fd, LOOP_READ, on_fd, connection) : NULL;
    if (event == NULL) {
        tls_free(tls);
        mem_free(connection);
        close(fd);
        return;
    }
    connection->server = server;
    connection->fd = fd;
    connection->tls = tls;
    connection->event = event;
    connection->unparsed = buf_make(HTTP_UNPARSED + TLS_RECORD);
    connection->reading.connection = connection->writing.connection = connection;
    queue_init(&connection->queue);
    server_hold(server);
    server->count++;
    TAILQ_INSERT_TAIL(&server->all, connection, all);
    server_wait(&connection->reading, WAIT_HEAD);
}

void connection_enter(struct connection *connection)
{
    connection->frames++;
}

void connection_leave(struct connection *connection)
{
    if (--connection->frames > 0 || !connection->dead)
        return;
    peer_release(connection->peer);
    server_release(connection->server);
    mem_free(connection);
}

void connection_destroy(struct connection *connection)
{
    if (connection->dead)
        return;
    connection_enter(connection);
    connection->dead = true;
    server_forget(connection);
    loop_drop(connection->event);
    tls_free(connection->tls);
    close(connection->fd);
    http_parse_free(connection->parse);
    buf_free(&connection->unparsed);
    queue_free(&connection->queue);
    struct http_request *request = connection->request;
    connection->request = NULL;
    if (request != NULL)
        answer_lost(request);
    connection_leave(connection);
}

/* Closes our half in order, and waits for the other one: closing both while bytes still come would reset the connection, and the other side could lose
 * the answer. */
static void linger(struct connection *connection)
{
    tls_close_notify(connection->tls);
    if (connection->ended) {
        connection_destroy(connection);
        return;
    }
    tls_free(connection->tls);
    connection->tls = NULL;
    connection->lingering = true;
    buf_free(&connection->unparsed);
    connection->unparsed_at = 0;
    shutdown(connection->fd, SHUT_WR);
    server_wait(&connection->reading, WAIT_LINGER);
    server_wait(&connection->writing, WAIT_NONE);
    loop_set_fd(connection->event, LOOP_READ);
}

/* --- bytes out --- */

static bool is_upgraded(const struct connection *connection)
{
    return connection->request != NULL && connection->request->upgraded;
}

/* Writes as much as can be written at once, at most about `most`; says how much it was. */
static size_t write_now(struct connection *connection, const char *bytes, size_t length, size_t most)
{
    size_t at = 0, written;
    while (at < length && at < most && !connection->broken) {
        enum tls_result result = tls_write(connection->tls, bytes + at, length - at, &written);
        if (result == TLS_AGAIN)
            break;
        if (result == TLS_DONE)
            at += written;
        else
            connection->broken = true;
    }
    connection->sent += at;
    if (at > 0 && is_upgraded(connection))
        server_wait(&connection->reading, WAIT_QUIET);
    return at;
}

static bool may_send(const struct connection *connection)
{
    return !connection->dead && !connection->broken && !connection->lingering;
}

/* After something was queued, or not for want of memory. */
static void queued(struct connection *connection, bool done)
{
    if (!done)
        connection->broken = true;
    if (connection->queue.length == 0 || connection->writing.kind != WAIT_NONE || is_upgraded(connection))
        return;
    const struct http_request *request = connection->request;
    connection->sent_then = connection->sent;
    server_wait(&connection->writing, request != NULL && request->streaming && request->source.patient ? WAIT_QUIET : WAIT_WRITE);
}

void connection_send(struct connection *connection, const char *bytes, size_t length)
{
    if (!may_send(connection))
        return;
    size_t at = connection->queue.length == 0 ? write_now(connection, bytes, length, SEND_AT_ONCE) : 0;
    queued(connection, queue_copy(&connection->queue, bytes + at, length - at));
}

void connection_send_buf(struct connection *connection, struct buf *buf)
{
    size_t at = 0, length = buf->length;
    if (may_send(connection) && connection->queue.length == 0)
        at = write_now(connection, buf->bytes, length, SEND_AT_ONCE);
    if (at == length || !may_send(connection)) {
        buf_clear(buf);
        return;
    }
    char *bytes = buf_take(buf, NULL);
    queued(connection, bytes != NULL && queue_take(&connection->queue, bytes, at, length - at));
}

static void flush(struct connection *connection)
{
    size_t length, total = 0;
    for (const char *bytes; total < WRITE_AT_ONCE && (bytes = queue_first(&connection->queue, &length)) != NULL;) {
        size_t written = write_now(connection, bytes, length, WRITE_AT_ONCE);
        queue_drop(&connection->queue, written);
        total += written;
        if (written < length)
            return;
    }
}

/* --- bytes in --- */

static bool may_cut(const struct connection *connection)
{
    return !connection->dead && !connection->broken && !connection->closing && connection->request == NULL &&
           connection->queue.length <= HTTP_UNSENT;
}

static size_t unparsed(const struct connection *connection)
{
    return connection->unparsed.length - connection->unparsed_at;
}

static void refuse(struct connection *connection, int status, const char *message)
{
    server_hold_body(connection, 0);
    http_parse_free(connection->parse);
    connection->parse = NULL;
    buf_free(&connection->unparsed);
    connection->unparsed_at = 0;
    connection->closing = true;
    answer_refusal(connection, status, message);
}

/* Takes bytes into the request that is coming. True if it is complete; the bytes behind it are left then. */
static bool cut(struct connection *connection, const char *bytes, size_t length, size_t *used)
{
    const struct http_options *limits = &connection->server->options;
    *used = 0;
    if (connection->parse == NULL && (connection->parse = http_parse_new(limits->head_maximum, limits->body_maximum)) == NULL) {
        connection->broken = true;
        return false;
    }
    while (*used < length) {
        size_t taken;
        enum http_parse_result result = http_parse_feed(connection->parse, bytes + *used, length - *used, &taken);
        *used += taken;
        if (result == HTTP_PARSE_WHOLE)
            return true;
        if (result == HTTP_PARSE_REFUSED) {
            struct http_refusal refusal = http_parse_refusal(connection->parse);
            refuse(connection, refusal.status, refusal.message);
            *used = length;
            return false;
        }
        if (result == HTTP_PARSE_HEAD) {
            static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
            connection->in_body = true;
            if (http_parse_request(connection->parse)->wants_continue && *used == length)
                connection_send(connection, go_on, sizeof go_on - 1);
        }
    }
    if (connection->in_body) {
        server_wait(&connection->reading, WAIT_BODY);
        server_hold_body(connection, *used);
    } else if (connection->reading.kind != WAIT_HEAD)
        server_wait(&connection->reading, WAIT_HEAD);
    return false;
}

/* Gives the complete request to the handler. */
static void deliver(struct connection *connection)
{
    struct http_server *server = connection->server;
    server_wait(&connection->reading, WAIT_NONE);
    server_hold_body(connection, 0);
    connection->request = request_new(connection, connection->parse);
    connection->parse = NULL;
    connection->in_body = false;
    if (connection->request == NULL)
        refuse(connection, 500, "no memory for the request");
    else
        server->options.request(server->options.data, connection->request);
}

/* Goes on with what came behind the last request. */
static void advance(struct connection *connection)
{
    for (int i = 0; may_cut(connection) && unparsed(connection) > 0; i++) {
        if (i == CUT_AT_ONCE) {
            server_ready(connection);
            return;
        }
        size_t used;
        bool whole = cut(connection, connection->unparsed.bytes + connection->unparsed_at, unparsed(connection), &used);
        if (connection->closing)
            return;
        connection->unparsed_at += used;
        if (unparsed(connection) == 0) {
            buf_free(&connection->unparsed);
            connection->unparsed_at = 0;
        }
        if (whole)
            deliver(connection);
    }
}

static void keep(struct connection *connection, const char *bytes, size_t length)
{
    if (length == 0 || connection->closing || connection->broken)
        return;
    if (connection->unparsed_at > 0) {
        memmove(connection->unparsed.bytes, connection->unparsed.bytes + connection->unparsed_at, unparsed(connection));
        connection->unparsed.length -= connection->unparsed_at;
        connection->unparsed_at = 0;
    }
    buf_append(&connection->unparsed, bytes, length);
    if (!buf_ok(&connection->unparsed))
        connection->broken = true;
}

static void take(struct connection *connection, const char *bytes, size_t length)
{
    size_t used = 0;
    bool whole = may_cut(connection) && unparsed(connection) == 0 && cut(connection, bytes, length, &used);
    keep(connection, bytes + used, length - used); /* before the handler runs, who may run the loop and so use `input` again */
    if (whole)
        deliver(connection);
    advance(connection);
}

static bool may_read(const struct connection *connection)
{
    return !connection->dead && !connection->broken && !connection->closing && !connection->ended && unparsed(connection) < HTTP_UNPARSED;
}

static void read_some(struct connection *connection)
{
    char *input = connection->server->input;
    size_t length = TLS_RECORD;
    for (int i = 0; i < READ_AT_ONCE && length == TLS_RECORD && may_read(connection); i++) {
        enum tls_result result = tls_read(connection->tls, input, TLS_RECORD, &length);
        if (result == TLS_AGAIN)
            return;
        if (result == TLS_DONE) {
            take(connection, input, length);
            if (is_upgraded(connection))
                server_wait(&connection->reading, WAIT_QUIET);
        } else if (result == TLS_END)
            connection->ended = true;
        else
            connection->broken = true;
    }
}

static void throw_away(struct connection *connection)
{
    for (int i = 0; i < READ_AT_ONCE; i++) {
        ssize_t got = recv(connection->fd, connection->server->input, TLS_RECORD, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (got <= 0) {
            connection->broken = true;
            return;
        }
    }
}

static void handshake(struct connection *connection)
{
    static const char plain[] = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"; /* as the real one says */
    enum tls_result result = tls_handshake(connection->tls);
    if (result == TLS_DONE) {
        connection->open = true;
        connection->broken = !tls_peer(connection->tls, &connection->peer);
        server_wait(&connection->reading, WAIT_IDLE);
    } else if (result == TLS_PLAIN)
        send(connection->fd, plain, sizeof plain - 1, MSG_NOSIGNAL);
    if (result == TLS_END)
        connection->broken = true;
    else if (result != TLS_DONE && result != TLS_AGAIN)
        linger(connection); /* so that the other side sees why */
}

/* --- what follows from the state --- */

static void set_interest(struct connection *connection)
{
    bool handshaking = !connection->open, wants_write = tls_wants_write(connection->tls);
    int read = handshaking ? (wants_write ? 0 : LOOP_READ) : (may_read(connection) ? LOOP_READ : 0);
    loop_set_fd(connection->event, read | (wants_write || connection->queue.length > 0 ? LOOP_WRITE : 0));
}

static void settle_upgraded(struct connection *connection)
{
    struct http_request *request = connection->request;
    if (request->ending && !request->end_sent && connection->queue.length == 0) {
        request->end_sent = true;
        tls_close_notify(connection->tls);
        shutdown(connection->fd, SHUT_WR);
    }
    if (request->wants_room && connection->queue.length <= HTTP_LOW)
        server_ready(connection);
}

/* The last thing that every frame does. */
static void settle(struct connection *connection)
{
    if (connection->dead)
        return;
    const struct http_request *request = connection->request;
    if (connection->ended && request == NULL && unparsed(connection) == 0)
        connection->closing = true;
    /* Who reads a stream that is silent and closes its half is taken for gone: the two look alike, and watches would stay for ever. */
    bool gone = connection->ended && request != NULL && request->streaming && request->asleep;
    if (connection->broken || gone) {
        connection_destroy(connection);
        return;
    }
    if (connection->lingering)
        return;
    if (connection->closing && request == NULL && connection->queue.length == 0) {
        linger(connection);
        return;
    }
    if (is_upgraded(connection))
        settle_upgraded(connection);
    if (request != NULL && request->streaming && !request->asleep && connection->queue.length <= HTTP_LOW)
        server_ready(connection);
    set_interest(connection);
}

static void on_fd(void *data, int what)
{
    struct connection *connection = data;
    connection_enter(connection);
    if (connection->lingering)
        throw_away(connection);
    else if (!connection->open)
        handshake(connection);
    else {
        if (what & LOOP_WRITE)
            flush(connection);
        if ((what & LOOP_READ) || tls_wants_write(connection->tls))
            read_some(connection);
        if (is_upgraded(connection) && !connection->broken)
            upgrade_pump(connection);
        advance(connection);
    }
    settle(connection);
    connection_leave(connection);
}

void connection_turn(struct connection *connection)
{
    connection_enter(connection);
    if (!connection->broken && connection->request != NULL && connection->request->streaming)
        answer_pump(connection);
    else if (!connection->broken && is_upgraded(connection))
        upgrade_pump(connection);
    if (!connection->dead && !connection->lingering)
        advance(connection);
    settle(connection);
    connection_leave(connection);
}

void connection_expired(struct connection *connection, enum wait kind)
{
    connection_enter(connection);
    bool writes = kind == WAIT_WRITE || (kind == WAIT_QUIET && !is_upgraded(connection));
    bool written = writes && (connection->queue.length == 0 || connection->sent != connection->sent_then);
    if (written)
        queued(connection, true);
    else if (!connection->open || kind == WAIT_LINGER || kind == WAIT_QUIET || writes)
        connection->broken = true;
    else if (kind == WAIT_IDLE)
        connection->closing = true;
    else
        refuse(connection, 408, "the request did not come in time");
    settle(connection);
    connection_leave(connection);
}

const char *connection_unparsed(const struct connection *connection, size_t *length)
{
    *length = connection->dead ? 0 : unparsed(connection);
    return *length > 0 ? connection->unparsed.bytes + connection->unparsed_at : NULL;
}

void connection_take_unparsed(struct connection *connection, size_t length)
{
    connection->unparsed_at += length;
    if (unparsed(connection) > 0)
        return;
    buf_free(&connection->unparsed);
    connection->unparsed_at = 0;
}

void connection_left(struct connection *connection)
{
    connection->unparsed_at = connection->unparsed.length; /* not freed: the handler may be looking at them */
    server_wait(&connection->reading, WAIT_NONE);
    queued(connection, true);
    connection_changed(connection);
}

void connection_give_up(struct connection *connection)
{
    if (connection->open && connection->tls != NULL)
        tls_close_notify(connection->tls);
    connection_destroy(connection);
}

void connection_changed(struct connection *connection)
{
    if (connection->frames > 0 || connection->dead)
        return; /* the frame settles it */
    if (connection->broken || connection->closing || connection->ended || unparsed(connection) > 0)
        server_ready(connection);
    else
        set_interest(connection);
}

void connection_answered(struct connection *connection, bool last)
{
    connection->request = NULL;
    if (last)
        connection->closing = true;
    else
        server_wait(&connection->reading, WAIT_IDLE);
}
