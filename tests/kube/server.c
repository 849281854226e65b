#include "kube/server.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/listener.h>
#include <openssl/ssl.h>

/* Memory of its own comes from malloc, not from base/mem; libevent's does not, so tests that make allocations fail (mem_fail_at) do
 * that around calls of the client, or run the server in a process of its own. */

struct rule {
    struct rule *next;
    char *method, *path, *headers, *body;
    int code;
    bool once, used;
    void (*fn)(void *data, struct exchange *x);
    void *data;
};

struct connection {
    struct connection *next;
    struct server *server;
    struct bufferevent *bev; /* NULL: closed */
    struct exchange *current;
    bool closing;
};

struct exchange {
    struct exchange *next;
    struct connection *connection;
    char *method, *path, *query, *headers, *body;
    size_t body_length;
    bool chunked, finished;
    void (*gone)(void *data);
    void *gone_data;
    void (*raw)(void *data, struct exchange *x, const char *bytes, size_t length);
    void *raw_data;
};

struct server {
    struct event_base *base;
    struct evconnlistener *listener;
    SSL_CTX *tls;
    struct rule *rules;
    struct connection *connections;
    struct exchange *exchanges;
    struct vec log;
    char url[64];
    unsigned short port;
    unsigned accepted;
    bool frozen;
};

static void *must(void *memory)
{
    assert_non_null(memory);
    return memory;
}

static char *copy(const char *text, size_t length)
{
    char *bytes = must(malloc(length + 1));
    memcpy(bytes, text, length);
    bytes[length] = '\0';
    return bytes;
}

static char *copy_text(const char *text)
{
    return text != NULL ? copy(text, strlen(text)) : NULL;
}

static void connection_end(struct connection *c)
{
    if (c->bev == NULL)
        return;
    bufferevent_free(c->bev);
    c->bev = NULL;
    struct exchange *x = c->current;
    if (x != NULL && x->gone != NULL)
        x->gone(x->gone_data);
}

/* Answers by the newest rule that fits; one that counts once is used up. */
static void answer(struct exchange *x)
{
    struct server *server = x->connection->server;
    for (int once = 1; once >= 0; once--)
        for (struct rule *rule = server->rules; rule != NULL; rule = rule->next) {
            size_t length = strlen(rule->path);
            bool prefix = length > 0 && rule->path[length - 1] == '*';
            if (rule->once != (once == 1) || rule->used || (rule->method != NULL && strcmp(rule->method, x->method) != 0) ||
                (prefix ? strncmp(rule->path, x->path, length - 1) : strcmp(rule->path, x->path)) != 0)
                continue;
            rule->used = rule->once;
            if (rule->fn != NULL)
                rule->fn(rule->data, x);
            else
                exchange_reply(x, rule->code, rule->headers, rule->body);
            return;
        }
    exchange_reply(x, 404, NULL, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"NotFound\",\"code\":404,"
                                 "\"message\":\"the test's server has no such path\"}");
}

/* Takes one whole request out of the input; false if more bytes are needed. */
static bool take_request(struct connection *c)
{
    struct evbuffer *input = bufferevent_get_input(c->bev);
    const unsigned char *first = evbuffer_pullup(input, 1);
    if (first != NULL && (*first < 'A' || *first > 'Z')) { /* TLS where none is spoken: real servers say this, too */
        static const char refusal[] = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
        bufferevent_write(c->bev, refusal, sizeof refusal - 1);
        c->closing = true;
        return false;
    }
    struct evbuffer_ptr end = evbuffer_search(input, "\r\n\r\n", 4, NULL);
    if (end.pos < 0)
        return false;
    size_t head_length = (size_t)end.pos + 4;
    char *head = copy((const char *)evbuffer_pullup(input, (ev_ssize_t)head_length), head_length);
    struct exchange *x = must(calloc(1, sizeof *x));
    x->headers = head;
    const char *length_text = exchange_header(x, "Content-Length");
    x->body_length = length_text != NULL ? strtoul(length_text, NULL, 10) : 0;
    if (evbuffer_get_length(input) < head_length + x->body_length) {
        free(head);
        free(x);
        return false;
    }
    evbuffer_drain(input, head_length);
    x->body = must(malloc(x->body_length + 1));
    evbuffer_remove(input, x->body, x->body_length);
    x->body[x->body_length] = '\0';
    const char *space = strchr(head, ' ');
    assert_non_null(space);
    const char *target = space + 1;
    size_t target_length = strcspn(target, " \r"), path_length = strcspn(target, " ?\r");
    x->method = copy(head, (size_t)(space - head));
    x->path = copy(target, path_length);
    x->query = target[path_length] == '?' ? copy(target + path_length + 1, target_length - path_length - 1) : copy("", 0);
    char line[4096];
    snprintf(line, sizeof line, "%s %.*s", x->method, (int)target_length, target);
    struct vec *log = &c->server->log; /* grown by hand: vec_push could be the allocation that is made to fail */
    log->items = must(realloc(log->items, (log->length + 1) * sizeof *log->items));
    log->items[log->length++] = copy_text(line);
    x->connection = c;
    x->next = c->server->exchanges;
    c->server->exchanges = x;
    c->current = x;
    answer(x);
    return true;
}

static void on_read(struct bufferevent *bev, void *data)
{
    struct connection *c = data;
    (void)bev;
    while (c->bev != NULL && !c->closing && !c->server->frozen) {
        struct exchange *x = c->current;
        if (x != NULL && x->raw != NULL) {
            char bytes[16384];
            size_t length = bufferevent_read(c->bev, bytes, sizeof bytes);
            if (length == 0)
                return;
            x->raw(x->raw_data, x, bytes, length);
        } else if ((x != NULL && !x->finished) || !take_request(c)) /* the next one waits until this one is answered */
            return;
    }
}

static void on_write(struct bufferevent *bev, void *data)
{
    struct connection *c = data;
    if (c->closing && evbuffer_get_length(bufferevent_get_output(bev)) == 0)
        connection_end(c);
}

static void on_event(struct bufferevent *bev, short what, void *data)
{
    (void)bev;
    if ((what & (BEV_EVENT_EOF | BEV_EVENT_ERROR)) != 0)
        connection_end(data);
}

static void on_accept(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *address, int length, void *data)
{
    (void)listener, (void)address, (void)length;
    struct server *server = data;
    struct connection *c = must(calloc(1, sizeof *c));
    c->server = server;
    c->next = server->connections;
    server->connections = c;
    server->accepted++;
    if (server->tls != NULL) {
        c->bev = bufferevent_openssl_socket_new(server->base, fd, SSL_new(server->tls), BUFFEREVENT_SSL_ACCEPTING, BEV_OPT_CLOSE_ON_FREE);
        bufferevent_openssl_set_allow_dirty_shutdown(must(c->bev), 1);
    } else
        c->bev = bufferevent_socket_new(server->base, fd, BEV_OPT_CLOSE_ON_FREE);
    assert_non_null(c->bev);
    bufferevent_setcb(c->bev, on_read, on_write, on_event, c);
    bufferevent_enable(c->bev, server->frozen ? 0 : EV_READ | EV_WRITE);
}

static SSL_CTX *tls_context(const struct server_tls *tls)
{
    SSL_CTX *context = must(SSL_CTX_new(TLS_server_method()));
    assert_int_equal(SSL_CTX_use_certificate_chain_file(context, tls->certificate), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey_file(context, tls->key, SSL_FILETYPE_PEM), 1);
    if (tls->client_ca != NULL) {
        assert_int_equal(SSL_CTX_load_verify_locations(context, tls->client_ca, NULL), 1);
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    }
    return context;
}

struct server *server_new(struct loop *loop, const struct server_tls *tls)
{
    struct server *server = must(calloc(1, sizeof *server));
    server->base = loop_base(loop);
    server->tls = tls != NULL ? tls_context(tls) : NULL;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    server->listener = must(evconnlistener_new_bind(server->base, on_accept, server, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 128,
                                                    (struct sockaddr *)&address, sizeof address));
    socklen_t length = sizeof address;
    assert_int_equal(getsockname(evconnlistener_get_fd(server->listener), (struct sockaddr *)&address, &length), 0);
    server->port = ntohs(address.sin_port);
    snprintf(server->url, sizeof server->url, "%s://127.0.0.1:%u", tls != NULL ? "https" : "http", server->port);
    return server;
}

void server_free(struct server *server)
{
    if (server == NULL)
        return;
    server_stop_listening(server);
    for (struct exchange *x = server->exchanges, *next; x != NULL; x = next) {
        next = x->next;
        free(x->method), free(x->path), free(x->query), free(x->headers), free(x->body), free(x);
    }
    for (struct connection *c = server->connections, *next; c != NULL; c = next) {
        next = c->next;
        if (c->bev != NULL)
            bufferevent_free(c->bev);
        free(c);
    }
    for (struct rule *rule = server->rules, *next; rule != NULL; rule = next) {
        next = rule->next;
        free(rule->method), free(rule->path), free(rule->headers), free(rule->body), free(rule);
    }
    for (size_t i = 0; i < server->log.length; i++)
        free(server->log.items[i]);
    free(server->log.items);
    SSL_CTX_free(server->tls);
    free(server);
}

const char *server_url(const struct server *server)
{
    return server->url;
}

unsigned short server_port(const struct server *server)
{
    return server->port;
}

void server_stop_listening(struct server *server)
{
    if (server->listener != NULL)
        evconnlistener_free(server->listener);
    server->listener = NULL;
}

void server_freeze(struct server *server)
{
    server->frozen = true;
    for (struct connection *c = server->connections; c != NULL; c = c->next)
        if (c->bev != NULL)
            bufferevent_disable(c->bev, EV_READ | EV_WRITE);
}

static struct rule *add_rule(struct server *server, const char *method, const char *path)
{
    struct rule *rule = must(calloc(1, sizeof *rule));
    rule->method = copy_text(method);
    rule->path = copy_text(path);
    rule->next = server->rules;
    server->rules = rule;
    return rule;
}

void server_on(struct server *server, const char *method, const char *path, void (*fn)(void *data, struct exchange *x), void *data)
{
    struct rule *rule = add_rule(server, method, path);
    rule->fn = fn;
    rule->data = data;
}

void server_answer(struct server *server, const char *method, const char *path, int code, const char *headers, const char *body)
{
    struct rule *rule = add_rule(server, method, path);
    rule->code = code;
    rule->headers = copy_text(headers);
    rule->body = copy_text(body);
}

/* Those that count once are served in the order in which they were added: such a rule goes to the end of the list. */
void server_answer_once(struct server *server, const char *method, const char *path, int code, const char *headers, const char *body)
{
    server_answer(server, method, path, code, headers, body);
    struct rule *rule = server->rules, **end = &server->rules;
    rule->once = true;
    while (*end != NULL)
        end = &(*end)->next;
    if (end != &rule->next) {
        server->rules = rule->next;
        *end = rule;
        rule->next = NULL;
    }
}

const struct vec *server_log(const struct server *server)
{
    return &server->log;
}

unsigned server_connections(const struct server *server)
{
    return server->accepted;
}

const char *exchange_method(const struct exchange *x)
{
    return x->method;
}

const char *exchange_path(const struct exchange *x)
{
    return x->path;
}

const char *exchange_query(const struct exchange *x)
{
    return x->query;
}

const char *exchange_header(const struct exchange *x, const char *name)
{
    static char value[16384];
    size_t length = strlen(name);
    for (const char *line = strstr(x->headers, "\r\n"); line != NULL && line[2] != '\r'; line = strstr(line + 2, "\r\n"))
        if (strncasecmp(line + 2, name, length) == 0 && line[2 + length] == ':') {
            const char *start = line + 3 + length;
            start += strspn(start, " ");
            snprintf(value, sizeof value, "%.*s", (int)strcspn(start, "\r"), start);
            return value;
        }
    return NULL;
}

const char *exchange_body(const struct exchange *x, size_t *length)
{
    if (length != NULL)
        *length = x->body_length;
    return x->body;
}

bool exchange_gone(const struct exchange *x)
{
    return x->connection->bev == NULL;
}

void exchange_on_gone(struct exchange *x, void (*fn)(void *data), void *data)
{
    x->gone = fn;
    x->gone_data = data;
}

void exchange_raw(struct exchange *x, const char *bytes, size_t length)
{
    if (!exchange_gone(x))
        assert_int_equal(bufferevent_write(x->connection->bev, bytes, length), 0);
}

static void write_head(struct exchange *x, int code, const char *headers, const char *framing)
{
    char head[8192];
    int length = snprintf(head, sizeof head, "HTTP/1.1 %d Code\r\n%s%s\r\n", code, headers != NULL ? headers : "Content-Type: application/json\r\n", framing);
    assert_in_range(length, 1, sizeof head - 1);
    exchange_raw(x, head, (size_t)length);
}

/* The connection's next request may already be waiting. */
static void finish(struct exchange *x)
{
    x->finished = true;
    if (!exchange_gone(x) && evbuffer_get_length(bufferevent_get_input(x->connection->bev)) > 0)
        bufferevent_trigger(x->connection->bev, EV_READ, BEV_TRIG_IGNORE_WATERMARKS | BEV_TRIG_DEFER_CALLBACKS);
}

void exchange_reply(struct exchange *x, int code, const char *headers, const char *body)
{
    char framing[64];
    size_t length = body != NULL ? strlen(body) : 0;
    snprintf(framing, sizeof framing, "Content-Length: %zu\r\n", length);
    write_head(x, code, headers, framing);
    if (strcmp(x->method, "HEAD") != 0)
        exchange_raw(x, body != NULL ? body : "", length);
    finish(x);
}

void exchange_begin(struct exchange *x, int code, const char *headers)
{
    x->chunked = true;
    write_head(x, code, headers, "Transfer-Encoding: chunked\r\n");
}

void exchange_send(struct exchange *x, const char *bytes, size_t length)
{
    char size[32];
    if (length == 0) /* an empty chunk would end the answer */
        return;
    snprintf(size, sizeof size, "%zx\r\n", length);
    exchange_raw(x, size, strlen(size));
    exchange_raw(x, bytes, length);
    exchange_raw(x, "\r\n", 2);
}

void exchange_send_text(struct exchange *x, const char *text)
{
    exchange_send(x, text, strlen(text));
}

void exchange_end(struct exchange *x)
{
    exchange_raw(x, "0\r\n\r\n", 5);
    finish(x);
}

void exchange_take_over(struct exchange *x, void (*fn)(void *data, struct exchange *x, const char *bytes, size_t length), void *data)
{
    x->raw = fn;
    x->raw_data = data;
}

void exchange_close(struct exchange *x)
{
    struct connection *c = x->connection;
    c->closing = true;
    if (c->bev != NULL && evbuffer_get_length(bufferevent_get_output(c->bev)) == 0)
        connection_end(c);
}

void exchange_reset(struct exchange *x)
{
    struct connection *c = x->connection;
    if (c->bev == NULL)
        return;
    struct linger linger = {.l_onoff = 1};
    assert_int_equal(setsockopt(bufferevent_getfd(c->bev), SOL_SOCKET, SO_LINGER, &linger, sizeof linger), 0);
    connection_end(c);
}
