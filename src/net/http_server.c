#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/http_internal.h"

enum {
    BACKLOG = 1024,
    ACCEPTS = 16,           /* connections taken in a row, so that others are served too */
    ACCEPT_AGAIN_MS = 200,  /* after a lack of descriptors or memory */
    LINGER_MS = 2000,
    MOMENT_MS = 1000,       /* that a connection may be silent, whoever else wants its place */
    TURN_US = 400,          /* with a piece that takes long to compress at its end, still below what others may wait */
    HEAD_ROOM = 128 * 1024, /* of an answer's head with a small body behind it */
};

/* --- its life --- */

void server_hold(struct http_server *server)
{
    server->holders++;
}

void server_release(struct http_server *server)
{
    if (--server->holders > 0)
        return;
    tls_context_free(server->tls);
    buf_free(&server->head);
    mem_free(server);
}

static int64_t or_else(int64_t given, int64_t usual)
{
    return given > 0 ? given : usual;
}

static void set_limits(struct http_server *server, const struct http_options *options)
{
    server->options = (struct http_options){
        .head_maximum = options->head_maximum > 0 ? options->head_maximum : HTTP_HEAD_MOST,
        .body_maximum = options->body_maximum > 0 ? options->body_maximum : 3 * 1024 * 1024,
        .connections_maximum = options->connections_maximum > 0 ? options->connections_maximum : 2048,
        .request = options->request,
        .data = options->data,
        .log = options->log,
    };
    server->span[WAIT_HEAD] = or_else(options->head_ms, 10000);
    server->span[WAIT_BODY] = or_else(options->body_ms, 30000);
    server->span[WAIT_IDLE] = or_else(options->idle_ms, 120000);
    server->span[WAIT_WRITE] = or_else(options->write_ms, 60000);
    server->span[WAIT_QUIET] = or_else(options->quiet_ms, 4 * 3600 * 1000);
    server->span[WAIT_LINGER] = LINGER_MS;
}

struct address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } of;
    socklen_t length;
};

static bool read_address(struct address *address, const char *text, uint16_t port)
{
    memset(address, 0, sizeof *address);
    if (inet_pton(AF_INET, text, &address->of.v4.sin_addr) == 1) {
        address->of.v4.sin_family = AF_INET;
        address->of.v4.sin_port = htons(port);
        address->length = sizeof address->of.v4;
        return ntohl(address->of.v4.sin_addr.s_addr) >> 24 == 127;
    }
    address->of.v6.sin6_family = AF_INET6;
    address->of.v6.sin6_port = htons(port);
    address->length = sizeof address->of.v6;
    return inet_pton(AF_INET6, text, &address->of.v6.sin6_addr) == 1 && IN6_IS_ADDR_LOOPBACK(&address->of.v6.sin6_addr);
}

static bool listen_at(struct http_server *server, const struct http_options *options, struct error *err)
{
    struct address address;
    if (!read_address(&address, options->address, options->port))
        return error_set(err, ERROR_INPUT, options->address, "the server listens on a loopback address only");
    const int on = 1;
    server->fd = socket(address.of.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server->fd < 0 || setsockopt(server->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(server->fd, &address.of.any, address.length) != 0 || listen(server->fd, BACKLOG) != 0 ||
        getsockname(server->fd, &address.of.any, &address.length) != 0) {
        enum error_kind kind = errno == EADDRINUSE ? ERROR_EXISTS : errno == EACCES ? ERROR_DENIED : ERROR_INPUT;
        error_set(err, kind, options->address, kind == ERROR_EXISTS ? "port %u is taken" : "cannot listen on port %u", options->port);
        if (err != NULL)
            snprintf(err->cause, sizeof err->cause, "%s", strerror(errno));
        return false;
    }
    server->port = ntohs(address.of.any.sa_family == AF_INET ? address.of.v4.sin_port : address.of.v6.sin6_port);
    return true;
}

static void on_connections(void *data, int what);
static void on_timer(void *data);
static void on_turn(void *data);

static bool add_events(struct http_server *server, struct error *err)
{
    server->timer = loop_add_timer(server->loop, -1, on_timer, server);
    server->turn = loop_add_timer(server->loop, -1, on_turn, server);
    server->listener = loop_add_fd(server->loop, server->fd, LOOP_READ, on_connections, server);
    return (server->timer != NULL && server->turn != NULL && server->listener != NULL) || error_memory(err);
}

struct http_server *http_server_new(struct loop *loop, const struct http_options *options, struct error *err)
{
    struct http_server *server = mem_zero(1, sizeof *server);
    if (server == NULL) {
        error_memory(err);
        return NULL;
    }
    server->loop = loop;
    server->holders = 1;
    server->fd = -1;
    server->accepting = true;
    server->accept_again = server->timer_at = INT64_MAX;
    server->head = buf_make(HEAD_ROOM);
    TAILQ_INIT(&server->all);
    TAILQ_INIT(&server->turns);
    for (int kind = 0; kind < WAIT_KINDS; kind++)
        TAILQ_INIT(&server->waits[kind]);
    set_limits(server, options);
    server->tls = tls_context_new(options->certificate, options->key, options->client_authority, err);
    if (server->tls != NULL && listen_at(server, options, err) && add_events(server, err))
        return server;
    http_server_free(server);
    return NULL;
}

uint16_t http_server_port(const struct http_server *server)
{
    return server->port;
}

size_t http_server_connections(const struct http_server *server)
{
    return server->count;
}

void http_server_free(struct http_server *server)
{
    if (server == NULL)
        return;
    server->over = true;
    loop_drop(server->listener);
    loop_drop(server->timer);
    loop_drop(server->turn);
    server->listener = server->timer = server->turn = NULL;
    if (server->fd >= 0)
        close(server->fd);
    while (!TAILQ_EMPTY(&server->all))
        connection_destroy(TAILQ_FIRST(&server->all));
    server_release(server);
}

/* --- time-outs: one timer, set for the earliest of the lists' first ones --- */

static int64_t earliest(const struct http_server *server)
{
    int64_t first = server->accept_again;
    for (int kind = 0; kind < WAIT_KINDS; kind++) {
        const struct waiting *waiting = TAILQ_FIRST(&server->waits[kind]);
        if (waiting != NULL && waiting->until < first)
            first = waiting->until;
    }
    return first;
}

/* A timer that fires too early is cheap, and looks again; so it is only ever set earlier. */
static void set_timer(struct http_server *server, int64_t at)
{
    if (at >= server->timer_at || server->over)
        return;
    int64_t left = at - clock_monotonic_ms();
    server->timer_at = at;
    loop_set_timer(server->timer, left > 0 ? left : 0);
}

static void accept_more(struct http_server *server, bool more)
{
    if (server->over || server->accepting == more)
        return;
    server->accepting = more;
    server->accept_again = INT64_MAX;
    loop_set_fd(server->listener, more ? LOOP_READ : 0);
}

void server_wait(struct waiting *waiting, enum wait kind)
{
    struct http_server *server = waiting->connection->server;
    if (waiting->kind != WAIT_NONE)
        TAILQ_REMOVE(&server->waits[waiting->kind], waiting, entry);
    waiting->kind = kind;
    if (kind == WAIT_NONE)
        return;
    waiting->until = clock_monotonic_ms() + server->span[kind];
    TAILQ_INSERT_TAIL(&server->waits[kind], waiting, entry);
    set_timer(server, waiting->until);
    if (server->accept_again == INT64_MAX)
        accept_more(server, true); /* it was full of busy ones: this one could give way */
}

static void on_timer(void *data)
{
    struct http_server *server = data;
    int64_t now = clock_monotonic_ms();
    server_hold(server);
    server->timer_at = INT64_MAX;
    if (server->accept_again <= now)
        accept_more(server, true);
    for (int kind = 0; kind < WAIT_KINDS; kind++)
        for (struct waiting *first; (first = TAILQ_FIRST(&server->waits[kind])) != NULL && first->until <= now;) {
            server_wait(first, WAIT_NONE);
            connection_expired(first->connection, (enum wait)kind);
        }
    if (!server->over)
        set_timer(server, earliest(server));
    server_release(server);
}

/* --- turns: what is done for a connection from the loop --- */

void server_ready(struct connection *connection)
{
    struct http_server *server = connection->server;
    if (connection->ready || connection->dead)
        return;
    connection->ready = true;
    TAILQ_INSERT_TAIL(&server->turns, connection, turn);
    loop_set_timer(server->turn, 0);
}

static void on_turn(void *data)
{
    struct http_server *server = data;
    struct connection *connection;
    size_t left = 0;
    server_hold(server);
    server->turn_until = clock_monotonic_us() + TURN_US;
    TAILQ_FOREACH(connection, &server->turns, turn)
        left++; /* who is ready again during the turn waits for the next one, so that descriptors are looked at between */
    for (; left > 0 && (connection = TAILQ_FIRST(&server->turns)) != NULL; left--) {
        TAILQ_REMOVE(&server->turns, connection, turn);
        connection->ready = false;
        connection_turn(connection);
        if (clock_monotonic_us() >= server->turn_until)
            break;
    }
    if (!server->over && !TAILQ_EMPTY(&server->turns))
        loop_set_timer(server->turn, 0);
    server_release(server);
}

void server_hold_body(struct connection *connection, size_t length)
{
    struct http_server *server = connection->server;
    if (length == 0) {
        server->held -= connection->held;
        connection->held = 0;
        return;
    }
    server->held += length;
    connection->held += length;
    while (server->held > HTTP_BODIES) {
        const struct waiting *slow = TAILQ_FIRST(&server->waits[WAIT_BODY]);
        if (slow == NULL || slow->connection == connection)
            return;
        connection_give_up(slow->connection);
    }
}

void server_forget(struct connection *connection)
{
    struct http_server *server = connection->server;
    server_hold_body(connection, 0);
    server_wait(&connection->reading, WAIT_NONE);
    server_wait(&connection->writing, WAIT_NONE);
    if (connection->ready)
        TAILQ_REMOVE(&server->turns, connection, turn);
    connection->ready = false;
    TAILQ_REMOVE(&server->all, connection, all);
    server->count--;
    accept_more(server, true);
}

/* --- new connections --- */

static int64_t silent_ms(const struct http_server *server, const struct waiting *waiting)
{
    return waiting != NULL ? clock_monotonic_ms() - (waiting->until - server->span[waiting->kind]) : -1;
}

/* Who gives way to a new one: whose handshake or head does not come, or who has paused longest with anything else. A moment is nobody's fault: then it is
 * who came first of those that never asked for anything, so that a rush of connections wears down itself. NULL: all are busy. */
static struct connection *most_silent(const struct http_server *server)
{
    static const enum wait others[] = {WAIT_BODY, WAIT_IDLE, WAIT_LINGER};
    const struct waiting *head = TAILQ_FIRST(&server->waits[WAIT_HEAD]), *other = NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct waiting *first = TAILQ_FIRST(&server->waits[others[i]]);
        if (silent_ms(server, first) > silent_ms(server, other))
            other = first;
    }
    bool is_head = head != NULL && (other == NULL || silent_ms(server, head) >= MOMENT_MS || silent_ms(server, other) < MOMENT_MS);
    const struct waiting *longest = is_head ? head : other;
    return longest != NULL ? longest->connection : NULL;
}

static bool is_full(const struct http_server *server)
{
    return server->count >= server->options.connections_maximum;
}

static void on_connections(void *data, int what)
{
    (void)what;
    struct http_server *server = data;
    server_hold(server);
    for (int i = 0; i < ACCEPTS && server->accepting; i++) {
        const int on = 1;
        if (is_full(server) && most_silent(server) == NULL) {
            accept_more(server, false);
            break;
        }
        int fd = accept4(server->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
            /* The connection stays in the kernel's queue and the descriptor readable: looking again at once would only burn time. */
            accept_more(server, false);
            server->accept_again = clock_monotonic_ms() + ACCEPT_AGAIN_MS;
            set_timer(server, server->accept_again);
        }
        if (fd < 0)
            break;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (is_full(server))
            connection_give_up(most_silent(server)); /* thousands that say nothing keep nobody else out */
        connection_new(server, fd);
    }
    server_release(server);
}
