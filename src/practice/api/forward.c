#include "practice/api/forward.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { WAITING = 256 << 10, FAILURE = 2048 };

/* --- one port --- */

void port_close(struct port *port)
{
    if (port->connection != NULL)
        port->forward->backend->ops->connection_free(port->connection);
    port->connection = NULL;
    buf_free(&port->waiting);
}

static void end(struct port *port, const char *failure)
{
    port_close(port);
    port->ops->end(port, failure);
}

/* `error forwarding port 81 to pod ID, uid : ...`: the runtime's words, with the sandbox's number where it says one. */
static void fail(struct port *port, const char *sandbox, const char *message)
{
    char text[FAILURE];
    snprintf(text, sizeof text, "error forwarding port %u to pod %s, uid : %s", port->number, sandbox, message);
    end(port, text);
}

/* Gives the Pod what waits for it. */
static void write_waiting(struct port *port)
{
    const struct backend_ops *ops = port->forward->backend->ops;
    struct buf *waiting = &port->waiting;
    if (!port->connected)
        return;
    if (waiting->length > 0) {
        size_t taken = ops->connection_write(port->connection, waiting->bytes, waiting->length);
        memmove(waiting->bytes, waiting->bytes + taken, waiting->length - taken);
        waiting->length -= taken;
    }
    if (waiting->length > 0)
        return;
    buf_free(waiting);
    if (port->ended)
        ops->connection_shutdown(port->connection);
    if (port->refused) {
        port->refused = false;
        port->ops->resume(port);
    }
}

static void on_connected(void *data, const struct error *err)
{
    struct port *port = data;
    if (err != NULL) {
        fail(port, err->where[0] != '\0' ? err->where : port->forward->exchange->route.name, err->message);
        return;
    }
    port->connected = true;
    write_waiting(port);
}

static size_t on_received(void *data, const void *bytes, size_t length)
{
    struct port *port = data;
    size_t taken = port->ops->send(port, bytes, length);
    port->holds_output |= taken < length;
    return taken;
}

static void on_room(void *data)
{
    write_waiting(data);
}

static void on_closed(void *data)
{
    end(data, NULL);
}

void port_open(struct port *port, struct forward *forward, uint16_t number, const struct port_ops *ops)
{
    struct exchange *x = forward->exchange;
    const struct backend_peer peer = {on_connected, on_received, on_room, on_closed, port};
    struct status failure = {0};
    port->ops = ops;
    port->forward = forward;
    port->number = number;
    port->waiting = buf_make(WAITING);
    port->connection = forward->backend->ops->connect(forward->backend->self, x->route.ns, x->route.name, number, &peer, &failure);
    if (port->connection == NULL)
        fail(port, x->route.name, failure.message != NULL ? failure.message : "out of memory");
    status_free(&failure);
}

size_t port_received(struct port *port, const void *bytes, size_t length)
{
    size_t at = 0;
    if (port->connection == NULL)
        return length;
    if (port->connected && port->waiting.length == 0)
        at = port->forward->backend->ops->connection_write(port->connection, bytes, length);
    size_t room = WAITING - port->waiting.length, most = length - at < room ? length - at : room;
    buf_append(&port->waiting, (const char *)bytes + at, most);
    if (!buf_ok(&port->waiting)) {
        fail(port, port->forward->exchange->route.name, "out of memory");
        return length;
    }
    port->refused = at + most < length;
    return at + most;
}

void port_ended(struct port *port)
{
    port->ended = true;
    if (port->connection != NULL && port->waiting.length == 0)
        write_waiting(port);
}

void port_room(struct port *port)
{
    if (!port->holds_output || port->connection == NULL)
        return;
    port->holds_output = false;
    port->forward->backend->ops->connection_resume(port->connection);
}

/* --- the request --- */

bool forward_ports(struct exchange *x, uint16_t ports[static FORWARD_PORTS], size_t *count)
{
    struct vec values = vec_make(FORWARD_PORTS, mem_free);
    bool fine = query_all(http_query(x->request), "ports", &values) || status_bad_request(&x->failure, "too many ports");
    *count = 0;
    for (size_t i = 0; fine && i < values.length; i++)
        for (char *at = values.items[i], *next; fine && at != NULL; at = next) {
            next = strchr(at, ',');
            if (next != NULL)
                *next++ = '\0';
            size_t digits = strspn(at, "0123456789");
            unsigned long number = strtoul(at, NULL, 10);
            if (digits == 0 || at[digits] != '\0')
                fine = status_bad_request(&x->failure, "cannot convert to []int32: strconv.ParseUint: parsing \"%s\": invalid syntax", at);
            else if (number > UINT16_MAX || *count == FORWARD_PORTS)
                fine = status_bad_request(&x->failure, "cannot convert to []int32: strconv.ParseUint: parsing \"%s\": value out of range", at);
            else
                ports[(*count)++] = (uint16_t)number;
        }
    vec_free(&values);
    return fine;
}

/* The first of the client's protocols that is SPDY inside a WebSocket, without its front; in `out`. */
static bool tunnelled(const char *theirs, char out[static 64])
{
    static const char front[] = "SPDY/3.1+", back[] = ".k8s.io";
    while (theirs != NULL && *theirs != '\0') {
        theirs += strspn(theirs, " \t,");
        size_t length = strcspn(theirs, ", \t");
        if (length > sizeof front + sizeof back - 2 && length < 64 && strncmp(theirs, front, sizeof front - 1) == 0 &&
            strncmp(theirs + length - (sizeof back - 1), back, sizeof back - 1) == 0) {
            snprintf(out, 64, "%.*s", (int)(length - (sizeof front - 1)), theirs + sizeof front - 1);
            return true;
        }
        theirs += length;
    }
    return false;
}

static void start(struct exchange *x)
{
    static const char *const by_spdy[] = {"portforward.k8s.io", NULL};
    static const char *const by_websocket[] = {"v4.channel.k8s.io", "v4.base64.channel.k8s.io", NULL};
    char inner[64];
    bool websocket = http_wants_upgrade(x->request, "websocket");
    const char *theirs = http_header(x->request, websocket ? "Sec-WebSocket-Protocol" : "X-Stream-Protocol-Version");
    if (!websocket && !http_wants_upgrade(x->request, "SPDY/3.1")) {
        status_bad_request(&x->failure, "Upgrade request required");
        exchange_fail(x);
        return;
    }
    bool tunnel = websocket && tunnelled(theirs, inner);
    if (websocket && !tunnel) {
        const char *protocol = connect_negotiate(theirs, by_websocket);
        if (protocol != NULL || theirs == NULL || theirs[0] == '\0')
            forward_ws(x, protocol != NULL ? protocol : "");
        else
            exchange_text(x, 403, NULL, "", 0);
        return;
    }
    const char *protocol = connect_negotiate(tunnel ? inner : theirs, by_spdy);
    if (protocol == NULL) {
        connect_refuse_protocol(x, tunnel ? inner : theirs, by_spdy);
        return;
    }
    if (!tunnel)
        http_add_header(x->request, "X-Stream-Protocol-Version", protocol);
    forward_spdy(x, tunnel ? "SPDY/3.1+portforward.k8s.io" : NULL);
}

void forward_serve(struct exchange *x)
{
    uint16_t ports[FORWARD_PORTS];
    size_t count;
    struct value *pod = NULL;
    bool fine = forward_ports(x, ports, &count) && connect_may_create(x) && connect_pod(x, &pod) && connect_needs_node(pod, &x->failure);
    value_free(pod);
    if (fine)
        start(x);
    else
        exchange_fail(x);
}
