#include "practice/sim/web.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "data/units.h"

enum { REQUEST = 64 << 10, ANSWER = 8 << 20, LINES = 200 };

struct connection {
    struct connection *next;
    struct web *web;
    struct net_side *side;
    struct waiter waiter;
    struct kernel_work work;
    struct buf in, out;
    size_t sent;
    bool last; /* ends after this answer */
};

struct web {
    struct task *task;
    struct net_listener *listener;
    const char *server;
    web_handler *handler;
    void *data;
    struct connection *connections;
};

const char *web_reason(int code)
{
    static const struct {
        int code;
        const char *reason;
    } known[] = {{200, "OK"}, {301, "Moved Permanently"}, {400, "Bad Request"}, {403, "Forbidden"}, {404, "Not Found"}, {405, "Not Allowed"}, {500, "Internal Server Error"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == code)
            return known[i].reason;
    return "Unknown";
}

char *web_header(const char *head, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = head; *line;) {
        const char *end = strchr(line, '\n');
        end = end ? end : line + strlen(line);
        if (strncasecmp(line, name, length) == 0 && line[length] == ':') {
            const char *from = line + length + 1, *to = end;
            while (from < to && isspace((unsigned char)*from))
                from++;
            while (to > from && isspace((unsigned char)to[-1]))
                to--;
            return mem_string_n(from, (size_t)(to - from));
        }
        line = *end ? end + 1 : end;
    }
    return NULL;
}

static void connection_end(struct connection *connection)
{
    struct connection **at = &connection->web->connections;
    while (*at != connection)
        at = &(*at)->next;
    *at = connection->next;
    kernel_forget(&connection->work);
    wait_remove(&connection->waiter);
    net_close(connection->side);
    buf_free(&connection->in);
    buf_free(&connection->out);
    mem_free(connection);
}

static void answer(struct connection *connection, const struct web_request *request, bool keep)
{
    struct web *web = connection->web;
    struct web_answer made = {.code = 200, .type = "text/html", .body = buf_make(ANSWER)};
    web->handler(web->data, request, &made);
    if (!buf_ok(&made.body))
        made.code = 500;
    size_t length = buf_ok(&made.body) ? made.body.length : 0;
    buf_printf(&connection->out, "HTTP/1.1 %d %s\r\nServer: %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: %s\r\n%s\r\n", made.code, web_reason(made.code), web->server, made.type,
               length, keep ? "keep-alive" : "close", made.more ? made.more : "");
    if (length > 0 && strcmp(request->method, "HEAD") != 0)
        buf_append(&connection->out, made.body.bytes, length);
    buf_free(&made.body);
    connection->last = connection->last || !keep || !buf_ok(&connection->out);
}

/* False: no memory for what follows. */
static bool drop_front(struct buf *buf, size_t length)
{
    char *rest = length < buf->length ? mem_string_n(buf->bytes + length, buf->length - length) : NULL;
    size_t left = length < buf->length ? buf->length - length : 0;
    buf_clear(buf);
    if (rest)
        buf_append(buf, rest, left);
    mem_free(rest);
    return left == 0 || (buf_ok(buf) && buf->length == left);
}

/* Takes one request out of what came. False: it is not whole yet. */
static bool take_request(struct connection *connection)
{
    char *text = connection->in.bytes, *end = text ? strstr(text, "\r\n\r\n") : NULL;
    if (!end)
        return false;
    size_t head_length = (size_t)(end - text) + 4;
    char *head = mem_string_n(text, head_length), *length_text = head ? web_header(head, "Content-Length") : NULL;
    size_t body = length_text ? (size_t)strtoul(length_text, NULL, 10) : 0;
    mem_free(length_text);
    if (head && body < REQUEST && connection->in.length < head_length + body) {
        mem_free(head);
        return false;
    }
    char *rest = NULL, *line = head ? strtok_r(head, "\r\n", &rest) : NULL, *words = NULL;
    char *method = line ? strtok_r(line, " ", &words) : NULL, *target = method ? strtok_r(NULL, " ", &words) : NULL, *version = target ? strtok_r(NULL, " ", &words) : NULL;
    char *query = target ? strchr(target, '?') : NULL;
    if (query)
        *query++ = '\0';
    bool old = !version || strcmp(version, "HTTP/1.0") == 0;
    const char *lines = rest ? rest : "";
    char *wish = web_header(lines, "Connection");
    bool keep = wish ? strcasecmp(wish, "close") != 0 && (!old || strcasecmp(wish, "keep-alive") == 0) : !old;
    mem_free(wish);
    if (!target || body >= REQUEST) {
        connection->last = true;
        buf_append_string(&connection->out, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    } else {
        const struct web_request request = {.method = method, .path = target, .query = query ? query : "", .head = lines, .body = text + head_length, .body_length = body,
            .peer = net_peer_ip(connection->side)};
        answer(connection, &request, keep);
    }
    mem_free(head);
    return drop_front(&connection->in, head_length + body) && !connection->last;
}

/* False: the connection is to end. */
static bool read_some(struct connection *connection)
{
    char bytes[4096];
    for (;;) {
        ssize_t got = net_read(connection->side, bytes, sizeof bytes);
        if (got == -EAGAIN)
            return true;
        if (got <= 0)
            return connection->out.length > connection->sent;
        buf_append(&connection->in, bytes, (size_t)got);
        if (!buf_ok(&connection->in))
            return false;
    }
}

static bool write_some(struct connection *connection)
{
    while (connection->sent < connection->out.length) {
        ssize_t took = net_write(connection->side, connection->out.bytes + connection->sent, connection->out.length - connection->sent);
        if (took == -EAGAIN)
            return true;
        if (took <= 0)
            return false;
        connection->sent += (size_t)took;
    }
    buf_clear(&connection->out);
    connection->sent = 0;
    return !connection->last;
}

static void run(void *data)
{
    struct connection *connection = data;
    bool ok = read_some(connection);
    while (ok && !connection->last && take_request(connection))
        ;
    if (!ok || !write_some(connection))
        connection_end(connection);
}

static void woken(struct waiter *waiter)
{
    struct connection *connection = waiter->data;
    kernel_defer(connection->web->task->kernel, &connection->work);
}

static void accept_one(void *data, struct net_side *side)
{
    struct web *web = data;
    struct connection *connection = mem_zero(1, sizeof *connection);
    if (!connection) {
        net_close(side);
        return;
    }
    *connection = (struct connection){.next = web->connections, .web = web, .side = side, .in = buf_make(2 * REQUEST), .out = buf_make(ANSWER + REQUEST)};
    connection->work = (struct kernel_work){.fn = run, .data = connection};
    connection->waiter = (struct waiter){.fn = woken, .data = connection};
    web->connections = connection;
    wait_add(net_waiters(side), &connection->waiter);
}

struct web *web_new(struct task *task, uint16_t port, const char *server, web_handler *handler, void *data, int *error)
{
    struct web *web = mem_zero(1, sizeof *web);
    *error = -ENOMEM;
    if (!web)
        return NULL;
    *web = (struct web){.task = task, .server = server, .handler = handler, .data = data};
    web->listener = net_listen(task->box->sandbox, port, accept_one, web, error);
    if (web->listener)
        return web;
    mem_free(web);
    return NULL;
}

void web_free(struct web *web)
{
    if (!web)
        return;
    net_unlisten(web->listener);
    while (web->connections)
        connection_end(web->connections);
    mem_free(web);
}
