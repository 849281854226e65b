/* Port-forward over SPDY: for each connection the client opens a pair of streams with the same request's number, "error" and "data". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/forward.h"
#include "practice/api/spdy_line.h"

enum { REQUEST = 64, DATA = 0, ERRORS = 1 };

struct pair {
    struct port port;
    LIST_ENTRY(pair) entry;
    struct session *session;
    char request[REQUEST];
    struct spdy_stream *streams[2]; /* data, errors; NULL: not there yet, or gone */
    bool there[2];                  /* the client has ended its half */
    bool came[2];
    bool begun, over;               /* over: nothing more goes to the client */
};

struct session {
    struct forward forward;
    struct spdy_line *line; /* NULL: gone */
    LIST_HEAD(pairs, pair) pairs;
};

/* --- its end --- */

/* Frees it once both streams are gone. */
static void look(struct pair *pair)
{
    for (size_t i = 0; i < 2; i++)
        if (pair->over && pair->there[i] && pair->streams[i] != NULL) {
            spdy_drop(pair->streams[i]);
            pair->streams[i] = NULL;
        }
    if (pair->streams[DATA] != NULL || pair->streams[ERRORS] != NULL)
        return;
    port_close(&pair->port);
    LIST_REMOVE(pair, entry);
    mem_free(pair);
}

static void free_session(struct session *session)
{
    struct pair *pair;
    while ((pair = LIST_FIRST(&session->pairs)) != NULL) {
        port_close(&pair->port);
        LIST_REMOVE(pair, entry);
        mem_free(pair);
    }
    connect_close(&session->forward.open);
    exchange_end(session->forward.exchange, 101);
    mem_free(session);
}

static void cut(struct open_stream *open)
{
    struct session *session = (struct session *)open; /* its first field's first one */
    spdy_line_finish(session->line);
    free_session(session);
}

/* --- the Pod's side --- */

static struct pair *pair_of(struct port *port)
{
    return (struct pair *)port; /* its first field */
}

static size_t send(struct port *port, const void *bytes, size_t length)
{
    struct pair *pair = pair_of(port);
    if (pair->streams[DATA] == NULL)
        return length;
    size_t taken = spdy_write(pair->streams[DATA], bytes, length);
    spdy_line_flush(pair->session->line);
    return taken;
}

static void end(struct port *port, const char *failure)
{
    struct pair *pair = pair_of(port);
    struct spdy_line *line = pair->session->line;
    pair->over = true;
    size_t length = failure != NULL ? strlen(failure) : 0;
    if (length > 0 && pair->streams[ERRORS] != NULL && spdy_write(pair->streams[ERRORS], failure, length) < length)
        pair->there[ERRORS] = true; /* no room for a word: the reset says enough */
    for (size_t i = 0; i < 2; i++) {
        if (pair->streams[i] != NULL && failure == NULL)
            spdy_finish(pair->streams[i]);
        pair->there[i] |= failure != NULL; /* what is dropped half open is reset */
    }
    look(pair);
    spdy_line_flush(line);
}

static void resume(struct port *port)
{
    spdy_line_resume(pair_of(port)->session->line);
}

/* --- the client's side --- */

static struct pair *find(struct session *session, const char *request)
{
    struct pair *pair;
    LIST_FOREACH(pair, &session->pairs, entry)
        if (strcmp(pair->request, request) == 0 && !pair->over)
            return pair;
    pair = mem_zero(1, sizeof *pair);
    if (pair == NULL)
        return NULL;
    pair->session = session;
    snprintf(pair->request, sizeof pair->request, "%s", request);
    LIST_INSERT_HEAD(&session->pairs, pair, entry);
    return pair;
}

/* Older clients give no number: the stream of errors comes first, the one of data right after it. */
static void request_of(const struct spdy_stream *stream, int which, char out[static REQUEST])
{
    const char *given = spdy_header(stream, "requestid");
    if (given != NULL && given[0] != '\0')
        snprintf(out, REQUEST, "%s", given);
    else
        snprintf(out, REQUEST, "%u", spdy_id(stream) - (which == DATA ? 2 : 0));
}

static bool read_port(const char *text, uint16_t *port)
{
    if (text == NULL || text[0] == '\0' || text[strspn(text, "0123456789")] != '\0' || strlen(text) > 5)
        return false;
    long number = strtol(text, NULL, 10);
    *port = (uint16_t)number;
    return number >= 1 && number <= UINT16_MAX;
}

static void on_opened(void *data, struct spdy_stream *stream)
{
    static const struct port_ops ops = {send, end, resume};
    struct session *session = data;
    const char *type = spdy_header(stream, "streamtype");
    uint16_t port;
    char request[REQUEST];
    int which = type == NULL ? -1 : strcmp(type, "data") == 0 ? DATA : strcmp(type, "error") == 0 ? ERRORS : -1;
    if (!read_port(spdy_header(stream, "port"), &port) || which < 0) {
        spdy_drop(stream);
        return;
    }
    request_of(stream, which, request);
    struct pair *pair = find(session, request);
    if (pair == NULL || pair->came[which]) {
        spdy_drop(stream);
        return;
    }
    pair->streams[which] = stream;
    pair->came[which] = true;
    spdy_set_owner(stream, pair);
    spdy_accept(stream);
    if (!pair->came[DATA] || !pair->came[ERRORS] || pair->begun)
        return;
    pair->begun = true;
    port_open(&pair->port, &session->forward, port, &ops);
}

static size_t on_received(void *data, struct spdy_stream *stream, const void *bytes, size_t length)
{
    (void)data;
    struct pair *pair = spdy_owner(stream);
    if (stream != pair->streams[DATA] || pair->over)
        return length;
    return pair->begun ? port_received(&pair->port, bytes, length) : 0;
}

static void on_finished(void *data, struct spdy_stream *stream)
{
    (void)data;
    struct pair *pair = spdy_owner(stream);
    int which = stream == pair->streams[DATA] ? DATA : ERRORS;
    pair->there[which] = true;
    if (which == DATA && !pair->over && pair->begun)
        port_ended(&pair->port);
    if (pair->over)
        look(pair);
}

static void on_reset(void *data, struct spdy_stream *stream)
{
    (void)data;
    struct pair *pair = spdy_owner(stream);
    int which = stream == pair->streams[DATA] ? DATA : ERRORS;
    spdy_drop(stream);
    pair->streams[which] = NULL;
    if (which == DATA) { /* the connection is given up */
        pair->over = true;
        port_close(&pair->port);
        if (pair->streams[ERRORS] != NULL)
            spdy_finish(pair->streams[ERRORS]);
    }
    look(pair);
}

static void on_room(void *data)
{
    struct session *session = data;
    struct pair *pair;
    LIST_FOREACH(pair, &session->pairs, entry)
        if (pair->begun && !pair->over)
            port_room(&pair->port);
}

static void on_closed(void *data)
{
    free_session(data);
}

void forward_spdy(struct exchange *x, const char *tunnel)
{
    static const struct spdy_line_events events = {on_opened, on_received, on_finished, on_reset, on_room, on_closed};
    struct session *session = mem_zero(1, sizeof *session);
    const char *refusal = NULL;
    if (session != NULL) {
        session->forward.exchange = x;
        session->forward.backend = x->server->api.backend;
        LIST_INIT(&session->pairs);
        session->line = spdy_line_new(x->server->api.loop, x->request, tunnel, &events, session, &refusal);
    }
    if (session != NULL && session->line != NULL) {
        connect_open(&x->server->api, &session->forward.open, cut);
        return;
    }
    mem_free(session);
    if (refusal != NULL)
        connect_refuse(x, 400, "%s", refusal);
    else
        exchange_fail(x);
}
