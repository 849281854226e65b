/* remote.h: what carries the channels of an exec or an attach: WebSocket messages or SPDY streams. Channels are numbered as in enum backend_stream.
 */
#ifndef KT_PRACTICE_API_REMOTE_H
#define KT_PRACTICE_API_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "loop/loop.h"
#include "net/http.h"

enum { REMOTE_CHANNELS = 5 };

/* From the loop only. After `closed` there is no wire. */
struct remote_events {
    void (*ready)(void *data);                                                                   /* the client can be written to */
    size_t (*received)(void *data, unsigned channel, const void *bytes, size_t length);          /* fewer than all: until resume */
    void (*ended)(void *data, unsigned channel);                                                 /* the client's half of it */
    void (*room)(void *data);
    void (*closed)(void *data);
};

struct remote_wire; /* begins with its ops */
struct remote_wire_ops {
    size_t (*send)(struct remote_wire *wire, unsigned channel, const void *bytes, size_t length);
    void (*resume)(struct remote_wire *wire);
    void (*finish)(struct remote_wire *wire); /* sends what waits, closes and frees it; no event any more */
};
struct remote_wire {
    const struct remote_wire_ops *ops;
};

struct remote_setup {
    struct loop *loop;
    struct http_request *request;
    const char *protocol; /* "v4.channel.k8s.io"; "" for a WebSocket without one */
    bool wants[REMOTE_CHANNELS];
    const struct remote_events *events;
    void *data;
};
/* As carrier_new. */
struct remote_wire *remote_ws_new(const struct remote_setup *setup, const char **refusal) __attribute__((warn_unused_result));
struct remote_wire *remote_spdy_new(const struct remote_setup *setup, const char **refusal) __attribute__((warn_unused_result));

#endif
