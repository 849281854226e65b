/* Channels as SPDY streams, which the client opens, each with its name in the header streamtype. */
#include <string.h>

#include "base/mem.h"
#include "practice/api/backend.h"
#include "practice/api/remote.h"
#include "practice/api/spdy_line.h"

enum { STREAMS_MS = 30000, GOODBYE_MS = 5000 };

static const char *const names[REMOTE_CHANNELS] = {
    [BACKEND_STDIN] = "stdin", [BACKEND_STDOUT] = "stdout", [BACKEND_STDERR] = "stderr", [BACKEND_ERROR] = "error", [BACKEND_RESIZE] = "resize"};

struct spdy_wire {
    struct remote_wire wire;
    struct spdy_line *line;
    struct remote_events events;
    void *data;
    struct loop_event *timer; /* until the streams are there; and for the client's goodbye */
    struct spdy_stream *streams[REMOTE_CHANNELS];
    bool wants[REMOTE_CHANNELS];
    bool ready, over; /* over: finished here, and nobody listens any more */
};

static void free_wire(struct spdy_wire *wire)
{
    loop_drop(wire->timer);
    mem_free(wire);
}

static size_t send(struct remote_wire *from, unsigned channel, const void *bytes, size_t length)
{
    struct spdy_wire *wire = (struct spdy_wire *)from;
    struct spdy_stream *stream = wire->streams[channel];
    if (stream == NULL)
        return length;
    size_t taken = spdy_write(stream, bytes, length);
    spdy_line_flush(wire->line);
    return taken;
}

static void resume(struct remote_wire *from)
{
    spdy_line_resume(((struct spdy_wire *)from)->line);
}

/* Ends every stream and lets the client close the connection: older ones lose what comes right before its end. */
static void finish(struct remote_wire *from)
{
    struct spdy_wire *wire = (struct spdy_wire *)from;
    wire->over = true;
    for (size_t i = 0; i < REMOTE_CHANNELS; i++)
        if (wire->streams[i] != NULL)
            spdy_finish(wire->streams[i]);
    spdy_line_flush(wire->line);
    spdy_line_resume(wire->line);
    loop_set_timer(wire->timer, GOODBYE_MS);
}

static unsigned channel_of(const struct spdy_wire *wire, const struct spdy_stream *stream)
{
    unsigned channel = 0;
    while (channel < REMOTE_CHANNELS && wire->streams[channel] != stream)
        channel++;
    return channel;
}

static void on_opened(void *data, struct spdy_stream *stream)
{
    struct spdy_wire *wire = data;
    const char *type = spdy_header(stream, "streamtype");
    unsigned channel = 0;
    while (channel < REMOTE_CHANNELS && (type == NULL || strcmp(names[channel], type) != 0))
        channel++;
    if (wire->over || channel == REMOTE_CHANNELS || wire->streams[channel] != NULL) {
        spdy_drop(stream);
        return;
    }
    wire->streams[channel] = stream;
    spdy_accept(stream);
    bool ready = true;
    for (size_t i = 0; i < REMOTE_CHANNELS; i++)
        ready = ready && (!wire->wants[i] || wire->streams[i] != NULL);
    if (!ready || wire->ready)
        return;
    wire->ready = true;
    loop_set_timer(wire->timer, -1);
    wire->events.ready(wire->data);
}

static size_t on_received(void *data, struct spdy_stream *stream, const void *bytes, size_t length)
{
    struct spdy_wire *wire = data;
    unsigned channel = channel_of(wire, stream);
    return wire->over || channel == REMOTE_CHANNELS ? length : wire->events.received(wire->data, channel, bytes, length);
}

static void on_finished(void *data, struct spdy_stream *stream)
{
    struct spdy_wire *wire = data;
    unsigned channel = channel_of(wire, stream);
    if (!wire->over && channel < REMOTE_CHANNELS)
        wire->events.ended(wire->data, channel);
}

static void on_reset(void *data, struct spdy_stream *stream)
{
    struct spdy_wire *wire = data;
    unsigned channel = channel_of(wire, stream);
    spdy_drop(stream);
    if (channel == REMOTE_CHANNELS)
        return;
    wire->streams[channel] = NULL;
    if (!wire->over)
        wire->events.ended(wire->data, channel);
}

static void on_room(void *data)
{
    struct spdy_wire *wire = data;
    if (!wire->over)
        wire->events.room(wire->data);
}

static void on_closed(void *data)
{
    struct spdy_wire *wire = data;
    struct remote_events events = wire->events;
    void *to = wire->data;
    bool over = wire->over;
    free_wire(wire);
    if (!over)
        events.closed(to);
}

static void on_timer(void *data)
{
    struct spdy_wire *wire = data;
    struct spdy_line *line = wire->line;
    on_closed(wire);
    spdy_line_finish(line);
}

struct remote_wire *remote_spdy_new(const struct remote_setup *setup, const char **refusal)
{
    static const struct remote_wire_ops ops = {send, resume, finish};
    static const struct spdy_line_events events = {on_opened, on_received, on_finished, on_reset, on_room, on_closed};
    struct spdy_wire *wire = mem_zero(1, sizeof *wire);
    *refusal = NULL;
    if (wire == NULL)
        return NULL;
    wire->wire.ops = &ops;
    wire->events = *setup->events;
    wire->data = setup->data;
    memcpy(wire->wants, setup->wants, sizeof wire->wants);
    wire->timer = loop_add_timer(setup->loop, STREAMS_MS, on_timer, wire);
    if (wire->timer != NULL)
        wire->line = spdy_line_new(setup->loop, setup->request, NULL, &events, wire, refusal);
    if (wire->line != NULL)
        return &wire->wire;
    free_wire(wire);
    return NULL;
}
