/* net_outside: connections from outside into a sandbox: probes, port-forward, proxies. */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/net.h"
#include "practice/sim/sim_internal.h"

enum { PIECE = 16 << 10 };

struct runtime_connection {
    struct net_side *side; /* NULL: refused */
    struct runtime_peer peer;
    struct waiter waiter;
    struct kernel_work work;
    struct kernel *kernel;
    uint16_t port;
    bool told, ended, wants_room, paused;
    size_t kept; /* bytes in `bytes` that were not taken yet */
    char bytes[PIECE];
    bool freed, busy;
};

static void free_now(struct runtime_connection *connection)
{
    kernel_forget(&connection->work);
    wait_remove(&connection->waiter);
    net_close(connection->side);
    mem_free(connection);
}

/* Hands on what came. False: it was freed by a callback. */
static bool hand_on(struct runtime_connection *connection)
{
    while (!connection->freed && !connection->paused && !connection->ended) {
        if (connection->kept == 0) {
            ssize_t got = net_read(connection->side, connection->bytes, sizeof connection->bytes);
            if (got == -EAGAIN)
                break;
            if (got <= 0) {
                connection->ended = true;
                connection->peer.closed(connection->peer.data);
                break;
            }
            connection->kept = (size_t)got;
        }
        size_t taken = connection->peer.received(connection->peer.data, connection->bytes, connection->kept);
        if (connection->freed)
            break;
        memmove(connection->bytes, connection->bytes + taken, connection->kept - taken);
        connection->kept -= taken;
        connection->paused = connection->kept > 0;
    }
    return !connection->freed;
}

static void run(void *data)
{
    struct runtime_connection *connection = data;
    connection->busy = true;
    if (!connection->told) {
        struct error err = ERROR_INIT;
        connection->told = true;
        if (!connection->side)
            error_set(&err, ERROR_UNREACHABLE, NULL, "connect: connection refused");
        connection->peer.connected(connection->peer.data, connection->side ? NULL : &err);
    }
    if (!connection->freed && connection->side && hand_on(connection) && connection->wants_room) {
        connection->wants_room = false;
        connection->peer.room(connection->peer.data);
    }
    connection->busy = false;
    if (connection->freed)
        free_now(connection);
}

static void woken(struct waiter *waiter)
{
    struct runtime_connection *connection = waiter->data;
    kernel_defer(connection->kernel, &connection->work);
}

struct runtime_connection *outside_new(struct runtime_sandbox *sandbox, uint16_t port, const struct runtime_peer *peer, struct error *err)
{
    struct runtime_connection *connection = mem_zero(1, sizeof *connection);
    int error;
    if (!connection) {
        error_memory(err);
        return NULL;
    }
    connection->peer = *peer;
    connection->port = port;
    connection->kernel = sandbox->sim->kernel;
    connection->work = (struct kernel_work){.fn = run, .data = connection};
    connection->waiter = (struct waiter){.fn = woken, .data = connection};
    connection->side = net_connect_to(&sandbox->sandbox, port, "10.244.0.1", &error);
    if (connection->side)
        wait_add(net_waiters(connection->side), &connection->waiter);
    kernel_defer(connection->kernel, &connection->work);
    return connection;
}

size_t outside_write(struct runtime_connection *connection, const void *bytes, size_t length)
{
    ssize_t taken = connection->side ? net_write(connection->side, bytes, length) : -EPIPE;
    if (taken == -EPIPE) /* nobody reads it: it is lost, and the end is told */
        return length;
    connection->wants_room = taken < (ssize_t)length;
    return taken > 0 ? (size_t)taken : 0;
}

void outside_shutdown(struct runtime_connection *connection)
{
    if (connection->side)
        net_shut(connection->side);
}

void outside_resume(struct runtime_connection *connection)
{
    connection->paused = false;
    kernel_defer(connection->kernel, &connection->work);
}

void outside_free(struct runtime_connection *connection)
{
    if (!connection)
        return;
    connection->freed = true;
    if (!connection->busy)
        free_now(connection);
}
