#include "practice/api/spdy_line.h"

#include "base/mem.h"

struct spdy_line {
    struct carrier *carrier;
    struct spdy *spdy;
    struct spdy_line_events events;
    void *data;
    bool blocked;   /* the carrier took not all */
    bool finishing; /* what waits is sent, then it ends */
    unsigned frames;
    bool dead;
};

static void release(struct spdy_line *line)
{
    if (--line->frames > 0 || !line->dead)
        return;
    spdy_free(line->spdy);
    mem_free(line);
}

/* Passes on what SPDY has to say. */
static void flush(struct spdy_line *line)
{
    size_t length;
    for (const char *bytes; !line->dead && (bytes = spdy_output(line->spdy, &length)) != NULL;) {
        size_t piece = length < CARRIER_PIECE ? length : CARRIER_PIECE, sent = carrier_send(line->carrier, bytes, piece);
        spdy_output_sent(line->spdy, sent);
        line->blocked = sent < piece;
        if (line->blocked)
            return;
    }
    if (!line->dead && spdy_failed(line->spdy))
        carrier_fail(line->carrier);
    if (line->finishing && !line->dead) {
        line->dead = true;
        carrier_finish(line->carrier);
    }
}

void spdy_line_flush(struct spdy_line *line)
{
    line->frames++;
    flush(line);
    release(line);
}

void spdy_line_resume(struct spdy_line *line)
{
    if (!line->dead)
        carrier_resume(line->carrier);
}

void spdy_line_finish(struct spdy_line *line)
{
    line->finishing = true;
    spdy_line_flush(line);
}

/* The connection is of no more use. */
static void fail(struct spdy_line *line)
{
    if (line->dead)
        return;
    bool tell = !line->finishing;
    line->dead = true;
    carrier_finish(line->carrier);
    if (tell)
        line->events.closed(line->data);
}

static void opened(void *data, struct spdy_stream *stream)
{
    struct spdy_line *line = data;
    if (line->finishing)
        spdy_drop(stream);
    else
        line->events.opened(line->data, stream);
}

static size_t received(void *data, struct spdy_stream *stream, const void *bytes, size_t length)
{
    struct spdy_line *line = data;
    return line->finishing || line->dead ? length : line->events.received(line->data, stream, bytes, length);
}

static void finished(void *data, struct spdy_stream *stream)
{
    struct spdy_line *line = data;
    if (!line->finishing && !line->dead)
        line->events.finished(line->data, stream);
}

static void reset(void *data, struct spdy_stream *stream)
{
    struct spdy_line *line = data;
    if (line->finishing || line->dead)
        spdy_drop(stream);
    else
        line->events.reset(line->data, stream);
}

static size_t on_received(void *data, const void *bytes, size_t length, bool begins)
{
    struct spdy_line *line = data;
    size_t taken;
    (void)begins;
    line->frames++;
    bool fine = spdy_feed(line->spdy, bytes, length, &taken, NULL);
    flush(line);
    if (!fine) {
        fail(line);
        taken = length;
    }
    release(line);
    return taken;
}

static void on_room(void *data)
{
    struct spdy_line *line = data;
    line->frames++;
    line->blocked = false;
    flush(line);
    if (!line->blocked && !line->finishing && !line->dead)
        line->events.room(line->data);
    flush(line);
    release(line);
}

static void on_look(void *data)
{
    struct spdy_line *line = data;
    spdy_ping(line->spdy);
    spdy_line_flush(line);
}

static void on_closed(void *data)
{
    struct spdy_line *line = data;
    line->frames++;
    bool tell = !line->finishing && !line->dead;
    line->dead = true;
    if (tell)
        line->events.closed(line->data);
    release(line);
}

struct spdy_line *spdy_line_new(struct loop *loop, struct http_request *request, const char *tunnel, const struct spdy_line_events *events, void *data, const char **refusal)
{
    static const struct carrier_events carrying = {on_received, on_room, on_closed, on_look};
    static const struct spdy_callbacks callbacks = {.opened = opened, .received = received, .finished = finished, .reset = reset};
    *refusal = NULL;
    struct spdy_line *line = mem_zero(1, sizeof *line);
    if (line == NULL)
        return NULL;
    line->events = *events;
    line->data = data;
    line->spdy = spdy_new(SPDY_SERVER, &callbacks, line, NULL);
    line->carrier = line->spdy != NULL ? carrier_new(loop, request, tunnel != NULL ? CARRIER_BINARY : CARRIER_BYTES, tunnel, &carrying, line, refusal) : NULL;
    if (line->carrier != NULL)
        return line;
    spdy_free(line->spdy);
    mem_free(line);
    return NULL;
}
