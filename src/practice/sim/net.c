/* net: connections, listeners, and the way from one sandbox to another. */
#include "practice/sim/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/sim_internal.h"

enum { CONNECT_MS = 130 * 1000 };

struct net_side {
    struct net_link *link;
    struct wait_queue waiters;
    char *bytes;         /* that came, from start on */
    size_t start, length;
    bool shut, closed;
    char ip[NETWORK_ADDRESS]; /* its own */
};
struct net_link {
    struct net_side sides[2];
    struct sandbox_net *net; /* of the sandbox that was connected to; NULL: it ended */
};

struct net_listener {
    struct net_listener *next;
    struct sandbox_net *net;
    uint16_t port;
    void (*accept)(void *data, struct net_side *side);
    void *data;
};
struct sandbox_net {
    struct net_listener *listeners;
    size_t connections;
    bool dropped; /* the sandbox is gone; freed with the last connection */
};

static struct net_side *other(struct net_side *side)
{
    return &side->link->sides[side == &side->link->sides[0]];
}

ssize_t net_read(struct net_side *side, void *bytes, size_t length)
{
    struct net_side *peer = other(side);
    size_t there = side->length - side->start;
    if (there == 0)
        return peer->shut || peer->closed ? 0 : -EAGAIN;
    length = length < there ? length : there;
    memcpy(bytes, side->bytes + side->start, length);
    side->start += length;
    if (side->start == side->length)
        side->start = side->length = 0;
    if (!peer->closed)
        wait_wake(&peer->waiters);
    return (ssize_t)length;
}

ssize_t net_write(struct net_side *side, const void *bytes, size_t length)
{
    struct net_side *peer = other(side);
    if (peer->closed || side->shut)
        return -EPIPE;
    if (!peer->bytes && !(peer->bytes = mem_alloc(NET_ROOM)))
        return -ENOMEM;
    if (peer->start > 0) {
        memmove(peer->bytes, peer->bytes + peer->start, peer->length - peer->start);
        peer->length -= peer->start;
        peer->start = 0;
    }
    size_t room = NET_ROOM - peer->length;
    length = length < room ? length : room;
    if (length == 0)
        return -EAGAIN;
    memcpy(peer->bytes + peer->length, bytes, length);
    peer->length += length;
    wait_wake(&peer->waiters);
    return (ssize_t)length;
}

void net_shut(struct net_side *side)
{
    side->shut = true;
    if (!other(side)->closed)
        wait_wake(&other(side)->waiters);
}

static void net_release(struct sandbox_net *net)
{
    if (net->dropped && net->connections == 0)
        mem_free(net);
}

void net_close(struct net_side *side)
{
    if (!side)
        return;
    struct net_link *link = side->link;
    side->closed = true;
    mem_free(side->bytes);
    side->bytes = NULL;
    side->start = side->length = 0;
    if (!other(side)->closed) {
        wait_wake(&other(side)->waiters);
        return;
    }
    link->net->connections--;
    net_release(link->net);
    mem_free(link);
}

struct wait_queue *net_waiters(struct net_side *side)
{
    return &side->waiters;
}

const char *net_peer_ip(const struct net_side *side)
{
    return side->link->sides[side == &side->link->sides[0]].ip;
}

/* ---- handles ---- */

static ssize_t side_read(struct handle *handle, void *bytes, size_t length)
{
    return net_read(handle->self, bytes, length);
}

static ssize_t side_write(struct handle *handle, const void *bytes, size_t length)
{
    return net_write(handle->self, bytes, length);
}

static unsigned side_ready(const struct handle *handle)
{
    struct net_side *side = handle->self, *peer = other(side);
    bool ended = peer->shut || peer->closed;
    return (side->length > side->start || ended ? HANDLE_READ : 0u) | (peer->closed || peer->length - peer->start < NET_ROOM ? HANDLE_WRITE : 0u) |
           (peer->closed ? HANDLE_HUNG : 0u);
}

static void side_close(struct handle *handle)
{
    net_close(handle->self);
}

static const struct handle_ops side_ops = {.read = side_read, .write = side_write, .ready = side_ready, .close = side_close};

struct handle *net_handle(struct net_side *side)
{
    struct handle *handle = handle_new(&side_ops, side, O_RDWR, "socket:[1]");
    if (handle)
        handle->waiters = &side->waiters;
    else
        net_close(side);
    return handle;
}

/* ---- listening ---- */

static struct sandbox_net *net_of(struct sandbox *sandbox)
{
    if (!sandbox->net)
        sandbox->net = mem_zero(1, sizeof *sandbox->net);
    return sandbox->net;
}

static struct net_listener *listener_at(const struct sandbox *sandbox, uint16_t port)
{
    struct net_listener *listener = sandbox->net ? sandbox->net->listeners : NULL;
    while (listener && listener->port != port)
        listener = listener->next;
    return listener;
}

struct net_listener *net_listen(struct sandbox *sandbox, uint16_t port, void (*accept)(void *data, struct net_side *side), void *data, int *error)
{
    struct sandbox_net *net = net_of(sandbox);
    *error = !net ? -ENOMEM : listener_at(sandbox, port) ? -EADDRINUSE : 0;
    struct net_listener *listener = *error == 0 ? mem_zero(1, sizeof *listener) : NULL;
    if (!listener) {
        *error = *error ? *error : -ENOMEM;
        return NULL;
    }
    *listener = (struct net_listener){.next = net->listeners, .net = net, .port = port, .accept = accept, .data = data};
    net->listeners = listener;
    return listener;
}

void net_unlisten(struct net_listener *listener)
{
    if (!listener)
        return;
    struct net_listener **at = &listener->net->listeners;
    while (*at != listener)
        at = &(*at)->next;
    *at = listener->next;
    mem_free(listener);
}

void net_drop(struct sandbox *sandbox)
{
    struct sandbox_net *net = sandbox->net;
    if (!net)
        return;
    while (net->listeners)
        net_unlisten(net->listeners);
    sandbox->net = NULL;
    net->dropped = true;
    net_release(net);
}

/* ---- connecting ---- */

struct net_side *net_connect_to(struct sandbox *sandbox, uint16_t port, const char *ip, int *error)
{
    struct net_listener *listener = listener_at(sandbox, port);
    *error = !listener || listener->net->connections >= NET_CONNECTIONS ? -ECONNREFUSED : 0;
    struct net_link *link = *error == 0 ? mem_zero(1, sizeof *link) : NULL;
    if (!link) {
        *error = *error ? *error : -ENOMEM;
        return NULL;
    }
    link->net = listener->net;
    link->net->connections++;
    link->sides[0].link = link->sides[1].link = link;
    snprintf(link->sides[0].ip, NETWORK_ADDRESS, "%s", ip);
    snprintf(link->sides[1].ip, NETWORK_ADDRESS, "%s", sandbox->ip);
    listener->accept(listener->data, &link->sides[1]);
    return &link->sides[0];
}

bool net_is_address(const char *text)
{
    struct in6_addr six;
    struct in_addr four;
    return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1;
}

/* The sandbox with this address and somebody at this port, or the first with the address. */
static struct sandbox *sandbox_at(struct sim *sim, const char *ip, uint16_t port)
{
    struct sandbox *found = NULL;
    for (struct runtime_sandbox *sandbox = sim->sandboxes; sandbox; sandbox = sandbox->next) {
        if (strcmp(sandbox->sandbox.ip, ip) != 0)
            continue;
        if (listener_at(&sandbox->sandbox, port))
            return &sandbox->sandbox;
        found = found ? found : &sandbox->sandbox;
    }
    return found;
}

static bool is_own(const struct sandbox *sandbox, const char *ip)
{
    return strncmp(ip, "127.", 4) == 0 || strcmp(ip, "::1") == 0 || strcmp(ip, "0.0.0.0") == 0 || strcmp(ip, sandbox->ip) == 0;
}

/* Nobody answers: the time passes. */
static int wait_in_vain(struct task *task, int64_t deadline_ms)
{
    int64_t until = deadline_ms >= 0 ? deadline_ms : kernel_now(task->kernel) + CONNECT_MS;
    int error = task_block(task, NULL, until);
    return error == -EINTR ? -EINTR : -ETIMEDOUT;
}

int task_connect(struct task *task, const char *ip, uint16_t port, int64_t deadline_ms, struct net_side **out, bool *api)
{
    struct sandbox *own = task->box->sandbox, *target = NULL;
    const struct sim_options *options = sim_options_of(own->sim);
    struct network_way way = {.outcome = NETWORK_OUTSIDE, .port = port};
    int error = 0;
    *out = NULL;
    *api = false;
    if (is_own(own, ip)) {
        target = own;
    } else if (options->network) {
        network_route(options->network, own->ip, own->node, ip, port, false, &way);
        if (way.outcome == NETWORK_API || way.outcome == NETWORK_NAMES) {
            *api = way.outcome == NETWORK_API;
            return *api ? 0 : -ECONNREFUSED;
        }
        if (way.outcome == NETWORK_REFUSED)
            return -ECONNREFUSED;
        if (way.outcome == NETWORK_POD)
            target = sandbox_at(own->sim, way.ip, way.port);
    }
    if (!target)
        return way.outcome == NETWORK_POD ? -ECONNREFUSED : wait_in_vain(task, deadline_ms);
    *out = net_connect_to(target, target == own && is_own(own, ip) ? port : way.port, own->ip, &error);
    return error;
}
