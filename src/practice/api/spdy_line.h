/* spdy_line.h: SPDY/3.1 over a connection: bare after `Upgrade: SPDY/3.1`, or inside WebSocket messages (protocol SPDY/3.1+portforward.k8s.io).
 */
#ifndef KT_PRACTICE_API_SPDY_LINE_H
#define KT_PRACTICE_API_SPDY_LINE_H

#include <stdbool.h>

#include "net/spdy.h"
#include "practice/api/carrier.h"

struct spdy_line;

struct spdy_line_events {
    void (*opened)(void *data, struct spdy_stream *stream);
    size_t (*received)(void *data, struct spdy_stream *stream, const void *bytes, size_t length); /* fewer than all: until spdy_line_resume */
    void (*finished)(void *data, struct spdy_stream *stream);
    void (*reset)(void *data, struct spdy_stream *stream); /* its owner must drop it */
    void (*room)(void *data);   /* streams can be written again */
    void (*closed)(void *data); /* the other side has closed, goes or is gone; there is no line any more, nor streams */
};

/* tunnel: the WebSocket's protocol; NULL: bare. Otherwise as carrier_new. */
struct spdy_line *spdy_line_new(struct loop *loop, struct http_request *request, const char *tunnel, const struct spdy_line_events *events, void *data, const char **refusal) __attribute__((warn_unused_result));
/* To be called after streams were written, accepted, finished or dropped from outside of a callback. */
void spdy_line_flush(struct spdy_line *line);
void spdy_line_resume(struct spdy_line *line);
/* Sends what waits, closes, and frees it with all streams. */
void spdy_line_finish(struct spdy_line *line);

#endif
