/* proxy of Pods, Services and nodes: a request is sent on to a port of a Pod, its answer streamed back; after a 101 bytes go both ways. */
#include "practice/api/proxy.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "net/http_reply.h"

enum { BODY = 128 << 10 /* of the answer that waits here */, REQUEST = 16 << 20, LOOK_MS = 10000, PREFIX = 4096 };

struct proxy {
    struct open_stream open;
    struct exchange *exchange;
    const struct backend_ops *ops;
    struct backend_connection *connection; /* NULL: it is closed */
    struct proxy_place place;
    char *prefix, *upgrade; /* upgrade: the protocol that the client asks for; NULL: none */
    struct buf out;         /* the request, and in a tunnel nothing; out_at bytes are sent */
    size_t out_at;
    struct http_reply *reply;
    struct buf body;        /* of the answer, for the client */
    struct loop_event *look; /* whether the client still waits */
    bool answering;         /* the client has the head: the request is a stream's */
    bool tunnel;            /* it is a byte stream's */
    bool held;              /* the Pod's bytes were not all taken */
    bool whole, broken;
    bool reading, gone;     /* freed while it reads: only its memory is left, until that is over */
    int status;
};

/* --- its end --- */

static void close_connection(struct proxy *proxy)
{
    if (proxy->connection != NULL)
        proxy->ops->connection_free(proxy->connection);
    proxy->connection = NULL;
}

/* Frees it; what became of the request is the caller's to know. */
static void free_proxy(struct proxy *proxy)
{
    close_connection(proxy);
    connect_close(&proxy->open);
    proxy_place_free(&proxy->place);
    loop_drop(proxy->look);
    http_reply_free(proxy->reply);
    buf_free(&proxy->out);
    buf_free(&proxy->body);
    mem_free(proxy->prefix);
    mem_free(proxy->upgrade);
    proxy->gone = true;
    if (!proxy->reading)
        mem_free(proxy);
}

/* Before there is an answer. */
static void fail(struct proxy *proxy, const char *why)
{
    struct exchange *x = proxy->exchange;
    if (proxy->upgrade != NULL)
        status_set(&x->failure, 500, NULL, "error dialing backend: %s", why);
    else
        status_set(&x->failure, 503, "ServiceUnavailable", "error trying to reach service: %s", why);
    free_proxy(proxy);
    exchange_fail(x);
}

/* The answer, or the tunnel, cannot go on. */
static void give_up(struct proxy *proxy)
{
    struct exchange *x = proxy->exchange;
    if (proxy->tunnel) {
        http_leave(x->request);
        free_proxy(proxy);
        exchange_end(x, 101);
        return;
    }
    close_connection(proxy);
    if (!proxy->answering) {
        fail(proxy, "EOF");
        return;
    }
    proxy->broken = !proxy->whole;
    http_wake(x->request); /* the stream's end frees it */
}

static void cut(struct open_stream *open)
{
    connect_close(open);
    give_up((struct proxy *)open); /* its first field */
}

/* --- the answer --- */

static enum http_more more(void *data, struct http_request *request)
{
    struct proxy *proxy = data;
    bool some = proxy->body.length > 0;
    if (some)
        http_write(request, proxy->body.bytes, proxy->body.length);
    buf_free(&proxy->body);
    if (proxy->broken)
        return HTTP_CUT;
    if (proxy->whole)
        return HTTP_DONE;
    if (proxy->held && proxy->connection != NULL) {
        proxy->held = false;
        proxy->ops->connection_resume(proxy->connection);
    }
    return HTTP_WAIT;
}

static void stream_closed(void *data)
{
    struct proxy *proxy = data;
    struct exchange *x = proxy->exchange;
    int status = proxy->status;
    free_proxy(proxy);
    exchange_end(x, status);
}

static void copy_fields(struct proxy *proxy)
{
    size_t count;
    const struct http_field *fields = http_reply_fields(proxy->reply, &count);
    struct http_request *request = proxy->exchange->request;
    for (size_t i = 0; i < count; i++) {
        struct buf moved = buf_make(HTTP_HEAD_MOST + PREFIX);
        const char *value = fields[i].value;
        if (strcasecmp(fields[i].name, "Location") == 0) {
            proxy_location(value, http_header(request, "Host"), proxy->place.address, proxy->prefix, &moved);
            value = buf_ok(&moved) && moved.bytes != NULL ? moved.bytes : value;
        }
        if (!proxy_drops(fields[i].name) && strcasecmp(fields[i].name, "Content-Type") != 0)
            http_add_header(request, fields[i].name, value);
        buf_free(&moved);
    }
}

static void begin_answer(struct proxy *proxy)
{
    static const struct http_source source = {.more = more, .closed = stream_closed, .patient = true};
    struct http_request *request = proxy->exchange->request;
    uint64_t length;
    copy_fields(proxy);
    if (http_reply_length(proxy->reply, &length))
        http_set_length(request, length);
    proxy->answering = true;
    proxy->status = http_reply_status(proxy->reply);
    loop_set_timer(proxy->look, -1);
    http_stream(request, proxy->status, http_reply_header(proxy->reply, "Content-Type"), false, &source, proxy);
}

/* --- the tunnel --- */

static size_t tunnel_received(void *data, const void *bytes, size_t length)
{
    struct proxy *proxy = data;
    return proxy->ops->connection_write(proxy->connection, bytes, length);
}

static void tunnel_room(void *data)
{
    struct proxy *proxy = data;
    if (!proxy->held)
        return;
    proxy->held = false;
    proxy->ops->connection_resume(proxy->connection);
}

static void tunnel_ended(void *data)
{
    struct proxy *proxy = data;
    proxy->ops->connection_shutdown(proxy->connection);
}

static void tunnel_closed(void *data)
{
    struct proxy *proxy = data;
    struct exchange *x = proxy->exchange;
    free_proxy(proxy);
    exchange_end(x, 101);
}

static void begin_tunnel(struct proxy *proxy)
{
    static const struct http_upgraded upgraded = {tunnel_received, tunnel_room, tunnel_ended, tunnel_closed};
    const char *protocol = http_reply_header(proxy->reply, "Upgrade");
    copy_fields(proxy);
    proxy->tunnel = true;
    loop_set_timer(proxy->look, -1);
    http_upgrade(proxy->exchange->request, protocol != NULL ? protocol : proxy->upgrade, &upgraded, proxy);
}

/* --- the Pod's side --- */

static void write_request(struct proxy *proxy)
{
    size_t left = proxy->out.length - proxy->out_at;
    if (left > 0)
        proxy->out_at += proxy->ops->connection_write(proxy->connection, proxy->out.bytes + proxy->out_at, left);
}

static void on_connected(void *data, const struct error *err)
{
    struct proxy *proxy = data;
    char why[256];
    if (err != NULL) {
        snprintf(why, sizeof why, "dial tcp %s: %s", proxy->place.address, err->kind == ERROR_TIMEOUT ? "i/o timeout" : "connect: connection refused");
        fail(proxy, why);
    } else if (proxy->place.tls) /* nothing behind a Pod's port speaks TLS to us */
        fail(proxy, "tls: first record does not look like a TLS handshake");
    else
        write_request(proxy);
}

static void on_room(void *data)
{
    struct proxy *proxy = data;
    write_request(proxy);
    if (proxy->tunnel)
        http_resume(proxy->exchange->request);
}

/* One step of reading the answer; true: there is another. The proxy may be gone afterwards. */
static bool read_reply(struct proxy *proxy, const char *bytes, size_t length, size_t *at)
{
    const char *body;
    size_t taken, body_length, room = BODY - proxy->body.length, most = length - *at < room ? length - *at : room;
    proxy->held = most == 0 && *at < length;
    if (proxy->held)
        return false;
    enum http_reply_result result = http_reply_feed(proxy->reply, bytes + *at, most, &taken, &body, &body_length);
    *at += taken;
    if (result == HTTP_REPLY_BODY) {
        buf_append(&proxy->body, body, body_length);
        proxy->broken = !buf_ok(&proxy->body);
        return !proxy->broken;
    }
    if (result == HTTP_REPLY_MORE)
        return *at < length;
    bool switches = result == HTTP_REPLY_HEAD && http_reply_status(proxy->reply) == 101;
    if (switches && proxy->upgrade != NULL)
        begin_tunnel(proxy);
    else if (result == HTTP_REPLY_HEAD && !switches) {
        begin_answer(proxy);
        return true;
    }
    proxy->whole = result == HTTP_REPLY_DONE;
    proxy->broken = result == HTTP_REPLY_BROKEN || switches;
    return false;
}

static size_t on_received(void *data, const void *bytes, size_t length)
{
    struct proxy *proxy = data;
    size_t at = 0;
    proxy->reading = true;
    while (!proxy->tunnel && !proxy->whole && !proxy->broken && read_reply(proxy, bytes, length, &at) && !proxy->gone)
        ;
    proxy->reading = false;
    if (proxy->gone) {
        mem_free(proxy);
        return length;
    }
    if (proxy->tunnel) {
        size_t sent = at < length ? http_send(proxy->exchange->request, (const char *)bytes + at, length - at) : 0;
        proxy->held = at + sent < length;
        return at + sent;
    }
    if (proxy->answering)
        http_wake(proxy->exchange->request);
    else if (proxy->broken)
        loop_set_timer(proxy->look, 0); /* not from inside of this: the connection is freed there */
    return proxy->whole || proxy->broken ? length : at;
}

static void on_closed(void *data)
{
    struct proxy *proxy = data;
    proxy->whole = http_reply_end(proxy->reply);
    if (!proxy->tunnel && !proxy->answering && proxy->broken)
        return; /* on_look tells it */
    give_up(proxy);
}

/* --- the request --- */

/* Whoever has gone meanwhile is not waited for. */
static void on_look(void *data)
{
    struct proxy *proxy = data;
    if (proxy->broken)
        fail(proxy, "net/http: HTTP/1.x transport connection broken: malformed HTTP response");
    else if (http_gone(proxy->exchange->request))
        fail(proxy, "context canceled");
    else
        loop_set_timer(proxy->look, LOOK_MS);
}

/* Where the path goes on behind /proxy, as it came. */
static const char *rest_of(const struct exchange *x)
{
    const char *at = http_path(x->request);
    for (int parts = x->route.kind->namespaced ? 7 : 5; parts > 0; parts--)
        at += 1 + strcspn(at + 1, "/");
    return at;
}

static struct proxy *make(struct exchange *x, const char *rest)
{
    const char *path = http_path(x->request), *upgrade = http_header(x->request, "Upgrade");
    struct proxy *proxy = mem_zero(1, sizeof *proxy);
    if (proxy == NULL)
        return NULL;
    proxy->exchange = x;
    proxy->ops = x->server->api.backend->ops;
    proxy->out = buf_make(REQUEST);
    proxy->body = buf_make(BODY);
    connect_open(&x->server->api, &proxy->open, cut);
    proxy->prefix = mem_string_n(path, (size_t)(rest - path));
    bool upgrades = upgrade != NULL && http_wants_upgrade(x->request, upgrade);
    proxy->upgrade = upgrades ? mem_string(upgrade) : NULL;
    proxy->reply = http_reply_new(strcmp(x->method, "HEAD") == 0);
    proxy->look = loop_add_timer(x->server->api.loop, LOOK_MS, on_look, proxy);
    if (proxy->prefix != NULL && proxy->reply != NULL && proxy->look != NULL && (!upgrades || proxy->upgrade != NULL) && proxy_request(x, proxy->prefix, rest, proxy->upgrade, &proxy->out))
        return proxy;
    free_proxy(proxy);
    return NULL;
}

static void start(struct exchange *x, struct proxy_place *place, const char *rest)
{
    const struct backend *backend = x->server->api.backend;
    struct proxy *proxy = make(x, rest);
    if (proxy == NULL) {
        proxy_place_free(place);
        exchange_fail(x);
        return;
    }
    const struct backend_peer peer = {on_connected, on_received, on_room, on_closed, proxy};
    proxy->place = *place;
    proxy->connection = backend->ops->connect(backend->self, x->route.ns, place->pod, place->port, &peer, &x->failure);
    if (proxy->connection != NULL)
        return;
    char why[512];
    snprintf(why, sizeof why, "dial tcp %s: connect: no route to host", place->address);
    fail(proxy, why);
}

void proxy_serve(struct exchange *x)
{
    const char *rest = rest_of(x);
    struct proxy_place place;
    bool reads = strcmp(x->method, "GET") == 0 || strcmp(x->method, "HEAD") == 0;
    if (!proxy_find(x, &place)) {
        proxy_place_free(&place);
        exchange_fail(x);
    } else if (rest[0] == '\0' && reads && http_header(x->request, "Upgrade") == NULL) {
        const char *query = http_query(x->request);
        char *location = mem_printf("%s/%s%s", http_path(x->request), query[0] != '\0' ? "?" : "", query);
        proxy_place_free(&place);
        if (location != NULL)
            http_add_header(x->request, "Location", location);
        mem_free(location);
        http_answer(x->request, 301, NULL, "", 0);
        exchange_end(x, 301);
    } else if (place.kubelet) {
        proxy_kubelet(x, rest);
    } else if (place.pod == NULL) {
        status_set(&x->failure, 503, "ServiceUnavailable", "error trying to reach service: dial tcp %s: connect: connection refused", place.address);
        exchange_fail(x);
    } else
        start(x, &place, rest);
}
