/* spdy.h: SPDY/3.1 frames as Kubernetes uses them (exec, attach and port-forward of older clients; port-forward of all), for either end: frames, not connections.
 *
 * It does no I/O: the owner of the connection feeds the bytes that came and writes the bytes that are ready. What is used of the protocol is what github.com/moby/spdystream
 * does: streams with headers, halves that end, resets, pings. Windows are not kept: that library neither keeps nor answers them, so who waited for an update would wait for ever.
 * Whoever cannot take a stream's bytes holds up the whole connection, as there. Pings are answered; settings, window updates and priorities are passed over.
 *
 * Bounds: SPDY_STREAMS streams at a time (others are refused by a reset), SPDY_HEADERS bytes of headers a frame, packed and unpacked. Data is passed on as it comes. What waits to go
 * out is SPDY_QUEUE bytes of data, and as much again of answers to what came.
 *
 *     spdy_new; then: bytes came -> spdy_feed; connection writable -> spdy_output, write, spdy_output_sent; the connection ended or spdy_feed failed -> spdy_free.
 */
#ifndef KT_NET_SPDY_H
#define KT_NET_SPDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct spdy;
struct spdy_stream;

enum { SPDY_STREAMS = 1024, SPDY_HEADERS = 64 << 10, SPDY_FIELDS = 100, SPDY_QUEUE = 256 << 10 };

enum spdy_end { SPDY_CLIENT, SPDY_SERVER };

/* Called from inside spdy_feed. Each may write, drop streams and free the whole; none may call spdy_feed. */
struct spdy_callbacks {
    /* The other side opens a stream: it is the owner's, who calls spdy_accept or drops it. NULL: all are refused. */
    void (*opened)(void *data, struct spdy_stream *stream);
    void (*accepted)(void *data, struct spdy_stream *stream); /* the answer to spdy_open; NULL is fine */
    /* Bytes; the number that was taken. Fewer: spdy_feed stops there. */
    size_t (*received)(void *data, struct spdy_stream *stream, const void *bytes, size_t length);
    void (*finished)(void *data, struct spdy_stream *stream); /* the other side's half has ended, after all its bytes */
    void (*reset)(void *data, struct spdy_stream *stream);    /* both halves are dead; still to be dropped */
    void (*away)(void *data);                                 /* the other side opens no more and goes; NULL is fine */
};

/* The callbacks are copied. NULL: no memory. */
struct spdy *spdy_new(enum spdy_end end, const struct spdy_callbacks *callbacks, void *data, struct error *err) __attribute__((warn_unused_result));
/* With every stream. Also from inside a callback. NULL is fine. */
void spdy_free(struct spdy *spdy);

/* Takes bytes that came, cut anywhere; *taken says how many: fewer than length only where a stream took not all, and the rest is to be fed again later. False if the other side broke the
 * protocol (ERROR_INPUT), sent too much that wants an answer or headers that are too large (ERROR_LIMIT), or memory ran out: every later call fails the same way. If a callback freed it,
 * the result is true, and the caller must not touch it again. */
bool spdy_feed(struct spdy *spdy, const void *bytes, size_t length, size_t *taken, struct error *err) __attribute__((warn_unused_result));

/* Streams. */
struct spdy_field {
    const char *name, *value;
};
/* Opens one with these headers. NULL: ERROR_LIMIT, ERROR_MEMORY. */
struct spdy_stream *spdy_open(struct spdy *spdy, const struct spdy_field *fields, size_t count, struct error *err) __attribute__((warn_unused_result));
uint32_t spdy_id(const struct spdy_stream *stream);
const char *spdy_header(const struct spdy_stream *stream, const char *name); /* of those that it was opened with by the other side; case is ignored. NULL: none */
void spdy_set_owner(struct spdy_stream *stream, void *owner);
void *spdy_owner(const struct spdy_stream *stream); /* NULL until set */
void spdy_accept(struct spdy_stream *stream);
/* The number of bytes that was taken; fewer: there is room again once output was written. What is written to a half that has ended or was reset goes nowhere. */
size_t spdy_write(struct spdy_stream *stream, const void *bytes, size_t length) __attribute__((warn_unused_result));
void spdy_finish(struct spdy_stream *stream); /* nothing more is written to it */
void spdy_drop(struct spdy_stream *stream);   /* frees it; resets it where a half is still open. NULL is fine */

void spdy_ping(struct spdy *spdy); /* the answer shows only in that bytes come */

/* What is to be written, borrowed until the next call of any function; NULL and 0: nothing. */
const char *spdy_output(const struct spdy *spdy, size_t *length);
void spdy_output_sent(struct spdy *spdy, size_t length);
/* True once an answer could not be queued, for want of memory or because too much waits: the connection is of no more use. */
bool spdy_failed(const struct spdy *spdy);

#endif
