/* Channels in WebSocket messages: a byte that is the channel's number, then its bytes. v5 adds [255, channel]: the end of a half. */
#include <string.h>

#include "base/mem.h"
#include "practice/api/backend.h"
#include "practice/api/carrier.h"
#include "practice/api/remote.h"

enum { CLOSE = 255 };

struct ws_wire {
    struct remote_wire wire;
    struct carrier *carrier;
    struct remote_events events;
    void *data;
    struct loop_event *start;
    bool wants[REMOTE_CHANNELS];
    bool halves;      /* v5 */
    unsigned channel; /* of the message that is coming */
};

static void free_wire(struct ws_wire *wire)
{
    loop_drop(wire->start);
    mem_free(wire);
}

static size_t send(struct remote_wire *from, unsigned channel, const void *bytes, size_t length)
{
    struct ws_wire *wire = (struct ws_wire *)from;
    char message[CARRIER_PIECE + 1];
    size_t at = 0;
    while (at < length) {
        size_t piece = length - at < CARRIER_PIECE ? length - at : CARRIER_PIECE;
        message[0] = (char)channel;
        memcpy(message + 1, (const char *)bytes + at, piece);
        if (carrier_send(wire->carrier, message, piece + 1) == 0)
            break;
        at += piece;
    }
    return at;
}

static void resume(struct remote_wire *from)
{
    carrier_resume(((struct ws_wire *)from)->carrier);
}

static void finish(struct remote_wire *from)
{
    struct ws_wire *wire = (struct ws_wire *)from;
    carrier_finish(wire->carrier);
    free_wire(wire);
}

static size_t on_received(void *data, const void *bytes, size_t length, bool begins)
{
    struct ws_wire *wire = data;
    const unsigned char *at = bytes;
    if (begins) {
        wire->channel = *at++;
        if (wire->halves && wire->channel == CLOSE) {
            if (length == 2 && *at < REMOTE_CHANNELS)
                wire->events.ended(wire->data, *at);
            return length;
        }
    }
    size_t skipped = begins ? 1 : 0, left = length - skipped;
    if (wire->channel >= REMOTE_CHANNELS || left == 0)
        return length;
    size_t taken = wire->events.received(wire->data, wire->channel, at, left);
    return skipped + taken;
}

static void on_room(void *data)
{
    struct ws_wire *wire = data;
    wire->events.room(wire->data);
}

static void on_closed(void *data)
{
    struct ws_wire *wire = data;
    struct remote_events events = wire->events;
    void *to = wire->data;
    free_wire(wire);
    events.closed(to);
}

/* An empty message on the first channel that is written tells clients that it goes on. */
static void on_start(void *data)
{
    struct ws_wire *wire = data;
    char first = (char)(wire->wants[BACKEND_STDOUT] ? BACKEND_STDOUT : wire->wants[BACKEND_STDERR] ? BACKEND_STDERR : BACKEND_ERROR);
    if (carrier_send(wire->carrier, &first, 1) == 1)
        wire->events.ready(wire->data);
}

struct remote_wire *remote_ws_new(const struct remote_setup *setup, const char **refusal)
{
    static const struct remote_wire_ops ops = {send, resume, finish};
    static const struct carrier_events carrying = {on_received, on_room, on_closed, NULL};
    struct ws_wire *wire = mem_zero(1, sizeof *wire);
    *refusal = NULL;
    if (wire == NULL)
        return NULL;
    wire->wire.ops = &ops;
    wire->events = *setup->events;
    wire->data = setup->data;
    wire->halves = strcmp(setup->protocol, "v5.channel.k8s.io") == 0;
    memcpy(wire->wants, setup->wants, sizeof wire->wants);
    wire->start = loop_add_timer(setup->loop, 0, on_start, wire);
    enum carrier_kind kind = strstr(setup->protocol, "base64") != NULL ? CARRIER_BASE64 : CARRIER_BINARY;
    if (wire->start != NULL)
        wire->carrier = carrier_new(setup->loop, setup->request, kind, setup->protocol, &carrying, wire, refusal);
    if (wire->carrier != NULL)
        return &wire->wire;
    free_wire(wire);
    return NULL;
}
