/* Port-forward in WebSocket messages: two channels a port of the query, data and errors, in their order. */
#include <string.h>

#include "base/mem.h"
#include "practice/api/carrier.h"
#include "practice/api/forward.h"

enum { FAILURE = 2048 };

struct ws_port {
    struct port port;
    size_t number;              /* of the port in the query */
    char failure[FAILURE];      /* that finds no room yet */
};

struct session {
    struct forward forward;
    struct carrier *carrier;
    struct loop_event *start;
    size_t count, channel; /* channel: of the message that is coming */
    struct ws_port ports[FORWARD_PORTS];
};

static void free_session(struct session *session)
{
    for (size_t i = 0; i < session->count; i++)
        if (session->ports[i].port.ops != NULL)
            port_close(&session->ports[i].port);
    loop_drop(session->start);
    connect_close(&session->forward.open);
    exchange_end(session->forward.exchange, 101);
    mem_free(session);
}

static void cut(struct open_stream *open)
{
    struct session *session = (struct session *)open; /* its first field's first one */
    carrier_finish(session->carrier);
    free_session(session);
}

static size_t send_on(struct session *session, size_t channel, const void *bytes, size_t length)
{
    char message[CARRIER_PIECE + 1];
    size_t at = 0;
    while (at < length) {
        size_t piece = length - at < CARRIER_PIECE ? length - at : CARRIER_PIECE;
        message[0] = (char)channel;
        memcpy(message + 1, (const char *)bytes + at, piece);
        if (carrier_send(session->carrier, message, piece + 1) == 0)
            break;
        at += piece;
    }
    return at;
}

static struct session *session_of(struct port *port)
{
    return (struct session *)port->forward; /* its first field */
}

static size_t send(struct port *port, const void *bytes, size_t length)
{
    return send_on(session_of(port), 2 * ((struct ws_port *)port)->number, bytes, length);
}

static void tell_failure(struct session *session, struct ws_port *port)
{
    size_t length = strlen(port->failure);
    if (length > 0 && send_on(session, 2 * port->number + 1, port->failure, length) == length)
        port->failure[0] = '\0';
}

static void end(struct port *port, const char *failure)
{
    struct ws_port *of = (struct ws_port *)port;
    if (failure == NULL) /* a channel has no end; the client sees that nothing comes */
        return;
    memcpy(of->failure, failure, strlen(failure) < FAILURE ? strlen(failure) : FAILURE - 1);
    tell_failure(session_of(port), of);
}

static void resume(struct port *port)
{
    carrier_resume(session_of(port)->carrier);
}

static size_t on_received(void *data, const void *bytes, size_t length, bool begins)
{
    struct session *session = data;
    const unsigned char *at = bytes;
    if (begins)
        session->channel = *at;
    size_t skipped = begins ? 1 : 0, left = length - skipped, number = session->channel / 2;
    if (left == 0 || session->channel % 2 != 0 || number >= session->count)
        return length;
    struct port *port = &session->ports[number].port;
    return port->ops == NULL ? skipped : skipped + port_received(port, at + skipped, left);
}

static void on_room(void *data)
{
    struct session *session = data;
    for (size_t i = 0; i < session->count; i++) {
        tell_failure(session, &session->ports[i]);
        if (session->ports[i].port.ops != NULL)
            port_room(&session->ports[i].port);
    }
}

static void on_closed(void *data)
{
    free_session(data);
}

/* Each channel begins with the number of its port, little end first. */
static void on_start(void *data)
{
    static const struct port_ops ops = {send, end, resume};
    struct session *session = data;
    for (size_t i = 0; i < session->count; i++) {
        uint16_t port = session->ports[i].port.number;
        unsigned char number[2] = {(unsigned char)port, (unsigned char)(port >> 8)};
        if (send_on(session, 2 * i, number, 2) + send_on(session, 2 * i + 1, number, 2) < 4)
            return; /* cannot be: nothing else waits */
    }
    for (size_t i = 0; i < session->count; i++)
        port_open(&session->ports[i].port, &session->forward, session->ports[i].port.number, &ops);
    carrier_resume(session->carrier);
}

void forward_ws(struct exchange *x, const char *protocol)
{
    static const struct carrier_events events = {on_received, on_room, on_closed, NULL};
    const char *refusal = NULL;
    uint16_t ports[FORWARD_PORTS];
    struct session *session = mem_zero(1, sizeof *session);
    if (session == NULL || !forward_ports(x, ports, &session->count)) {
        mem_free(session);
        exchange_fail(x);
        return;
    }
    if (session->count == 0) {
        mem_free(session);
        connect_refuse(x, 400, "query parameter \"port\" is required");
        return;
    }
    session->forward.exchange = x;
    session->forward.backend = x->server->api.backend;
    for (size_t i = 0; i < session->count; i++) {
        session->ports[i].number = i;
        session->ports[i].port.number = ports[i];
    }
    session->start = loop_add_timer(x->server->api.loop, 0, on_start, session);
    enum carrier_kind kind = strstr(protocol, "base64") != NULL ? CARRIER_BASE64 : CARRIER_BINARY;
    if (session->start != NULL)
        session->carrier = carrier_new(x->server->api.loop, x->request, kind, protocol, &events, session, &refusal);
    if (session->carrier != NULL) {
        connect_open(&x->server->api, &session->forward.open, cut);
        return;
    }
    loop_drop(session->start);
    mem_free(session);
    if (refusal != NULL)
        connect_refuse(x, 400, "%s", refusal);
    else
        exchange_fail(x);
}
