/* Connections to ports of Pods: port-forward and proxies. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/node/streams.h"

struct backend_connection {
    struct streams *streams;
    struct runtime_connection *connection; /* NULL: its Pod's sandbox is gone */
    struct backend_peer peer;
    struct pod_listener listener;
    struct loop_event *late;
    uint16_t port;
    bool connected;
    char sandbox[SANDBOX_ID];
};

/* Words that a port-forward shows after its own; `where` is the sandbox. */
static void refuse(struct backend_connection *connection, const struct error *why)
{
    struct error err = ERROR_INIT;
    const char *how = why->kind == ERROR_TIMEOUT ? "i/o timeout" : "connect: connection refused";
    error_set(&err, why->kind, connection->sandbox,
              "failed to execute portforward in network namespace \"/var/run/netns/cni-%.8s-%.4s-%.4s-%.4s-%.12s\": failed to connect to localhost:%u inside namespace \"%s\", IPv4: dial tcp4 127.0.0.1:%u: %s "
              "IPv6 dial tcp6: address localhost: no suitable address found ",
              connection->sandbox, connection->sandbox + 8, connection->sandbox + 12, connection->sandbox + 16, connection->sandbox + 20, connection->port, connection->sandbox, connection->port, how);
    connection->peer.connected(connection->peer.data, &err);
}

static void on_connected(void *data, const struct error *err)
{
    struct backend_connection *connection = data;
    connection->connected = err == NULL;
    if (err != NULL)
        refuse(connection, err);
    else
        connection->peer.connected(connection->peer.data, NULL);
}

static size_t on_received(void *data, const void *bytes, size_t length)
{
    struct backend_connection *connection = data;
    return connection->peer.received(connection->peer.data, bytes, length);
}

static void on_room(void *data)
{
    struct backend_connection *connection = data;
    connection->peer.room(connection->peer.data);
}

static void on_closed(void *data)
{
    struct backend_connection *connection = data;
    connection->peer.closed(connection->peer.data);
}

static void on_late(void *data)
{
    struct backend_connection *connection = data;
    const struct error err = {.kind = ERROR_UNREACHABLE};
    if (connection->connected)
        connection->peer.closed(connection->peer.data);
    else
        refuse(connection, &err);
}

static void gone(void *data)
{
    struct backend_connection *connection = data;
    connection->streams->runtime->ops->connection_free(connection->connection);
    connection->connection = NULL;
    loop_set_timer(connection->late, 0);
}

size_t streams_connection_write(struct backend_connection *connection, const void *bytes, size_t length)
{
    return connection->connection != NULL ? connection->streams->runtime->ops->connection_write(connection->connection, bytes, length) : length;
}

void streams_connection_shutdown(struct backend_connection *connection)
{
    if (connection->connection != NULL)
        connection->streams->runtime->ops->connection_shutdown(connection->connection);
}

void streams_connection_resume(struct backend_connection *connection)
{
    if (connection->connection != NULL)
        connection->streams->runtime->ops->connection_resume(connection->connection);
}

void streams_connection_free(struct backend_connection *connection)
{
    pod_unlisten(&connection->listener);
    if (connection->connection != NULL)
        connection->streams->runtime->ops->connection_free(connection->connection);
    loop_drop(connection->late);
    mem_free(connection);
}

struct backend_connection *streams_connect(void *self, const char *ns, const char *pod, uint16_t port, const struct backend_peer *peer, struct status *failure)
{
    struct streams *streams = self;
    struct error err = ERROR_INIT;
    struct pod_worker *worker = streams_worker(streams, ns, pod, failure);
    struct runtime_sandbox *sandbox = worker != NULL ? pod_worker_sandbox(worker) : NULL;
    if (worker != NULL && sandbox == NULL)
        status_set(failure, 500, "InternalError", "pod not found (\"%s_%s\")", pod, ns);
    if (sandbox == NULL)
        return NULL;
    struct backend_connection *connection = mem_zero(1, sizeof *connection);
    if (connection == NULL) {
        status_error(failure, &(struct error){.kind = ERROR_MEMORY});
        return NULL;
    }
    *connection = (struct backend_connection){.streams = streams, .peer = *peer, .listener = {.gone = gone, .data = connection}, .port = port};
    streams_sandbox_id(worker, connection->sandbox);
    const struct runtime_peer own = {on_connected, on_received, on_room, on_closed, connection};
    connection->late = loop_add_timer(streams->loop, -1, on_late, connection);
    if (connection->late != NULL)
        connection->connection = streams->runtime->ops->connect(sandbox, port, &own, &err);
    if (connection->connection != NULL) {
        pod_worker_listen(worker, &connection->listener);
        return connection;
    }
    streams_connection_free(connection);
    if (err.kind == ERROR_NONE)
        err.kind = ERROR_MEMORY;
    status_error(failure, &err);
    return NULL;
}
