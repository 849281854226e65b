/* http.h: an HTTP/1.1 server on TLS, for the practice cluster: connections, limits, whole requests in, whole or streamed answers out.
 *
 * OpenSSL carries the bytes, http-parser cuts them (docs/measured.md, "HTTP server"). Keep-alive and pipelining: requests of a connection are given to
 * the handler one at a time, in order, the next one when the one before was answered. Bodies come with Content-Length or chunked; `Expect: 100-continue` is
 * answered once the head is accepted. A client that closes its half after a request gets its answer. Errors that are the protocol's are answered here,
 * with a Kubernetes Status as the body: 400 malformed, 408 too slow, 413 body, 431 head, 501 transfer coding.
 *
 * Bodies that are coming hold 192 MiB together at most: then those that pause longest are given up.
 *
 * What a client can hold: one head (head_maximum), one body (body_maximum), and HTTP_UNSENT bytes of answers; a streamed source is only asked for more
 * below that. A client that reads nothing for write_ms while bytes wait is cut off, of a patient stream or an upgraded connection after quiet_ms.
 *
 * An upgraded connection (101) is a byte stream of the handler's, bounded both ways: http_upgrade.
 */
#ifndef KT_NET_HTTP_H
#define KT_NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"
#include "loop/loop.h"

struct http_server;
struct http_request;

enum { HTTP_UNSENT = 256 * 1024 };

struct http_options {
    const char *address;          /* a loopback address; another one is refused (ERROR_INPUT) */
    uint16_t port;                /* 0: any that is free */
    const char *certificate, *key; /* PEM */
    const char *client_authority; /* PEM; who shows a certificate signed by it is told by http_peer; another certificate ends the handshake. NULL: none asked */
    size_t head_maximum;          /* bytes of request line and headers; 0: 64 KiB */
    size_t body_maximum;          /* 0: 3 MiB */
    size_t connections_maximum;   /* 0: 2048; for a further one who was silent longest gives way (no handshake, no request, no rest of a body), and */
                                  /* where all are busy it waits in the kernel's queue */
    int64_t head_ms;              /* from the first byte of a head (or TLS handshake) to its end; 0: 10 s */
    int64_t body_ms;              /* longest pause inside a body; 0: 30 s */
    int64_t idle_ms;              /* a kept connection without a request; 0: 120 s */
    int64_t write_ms;             /* see above; 0: 60 s */
    int64_t quiet_ms;             /* an upgraded connection on which nothing moves; 0: 4 h, which is a kubelet's */
    void (*request)(void *data, struct http_request *request); /* a whole request; must be answered once, now or later */
    void *data;
    struct log *log;              /* a line a request: method, path without query's secrets, status, bytes, ms; NULL: none */
};

/* Listens. What the options point at is copied, but for log. ERROR_EXISTS: the port is taken. */
struct http_server *http_server_new(struct loop *loop, const struct http_options *options, struct error *err) __attribute__((warn_unused_result));
uint16_t http_server_port(const struct http_server *server);
size_t http_server_connections(const struct http_server *server);
/* Closes all; sources' closed is called. Requests that are not answered yet may still be answered: that only frees them. */
void http_server_free(struct http_server *server);

/* The request, borrowed until it is answered. */
const char *http_method(const struct http_request *request);
const char *http_path(const struct http_request *request);   /* as sent, before the question mark; escapes are not resolved */
const char *http_query(const struct http_request *request);  /* after it; "" for none */
const char *http_header(const struct http_request *request, const char *name); /* case ignored; several of a name are joined with ", "; NULL: none */
/* All headers, in order and each as it came; *cursor starts at 0. False at the end. */
bool http_next_header(const struct http_request *request, size_t *cursor, const char **name, const char **value);
const char *http_body(const struct http_request *request, size_t *length);     /* a NUL follows; "" for none */
/* The peer's certificate: common name, and organizations as a NULL-terminated list; NULL: it showed none. */
const char *http_peer(const struct http_request *request, const char *const **organizations);
/* False once the connection is gone: what is answered goes nowhere. */
bool http_alive(const struct http_request *request);

/* True if the client has closed its end, too, as far as the kernel knows: whoever keeps a request waiting for long without reading or writing learns only so that nobody waits for the answer. */
bool http_gone(const struct http_request *request);

/* One header of the answer to come; copied. The name must be a token and the value of printable characters (others are replaced by '?'): no answer can be
 * split. Without memory the answer becomes a 500. */
void http_add_header(struct http_request *request, const char *name, const char *value);

/* Answers with a whole body (copied) and ends the request: the pointer is dead afterwards. Head and body leave in one write. A body over 128 KiB is compressed
 * where the client takes gzip and the type is text or JSON or protobuf. type NULL: no body (204, 304). HEAD sends the head alone. */
void http_answer(struct http_request *request, int status, const char *type, const void *body, size_t length);
/* The same; the bytes of the buffer are moved out of it, not copied. */
void http_answer_buf(struct http_request *request, int status, const char *type, struct buf *body);

/* Streamed answers. A client that closes its half gets the rest of it, but for one whose source waits (a watch): nobody can tell it from a client that is
 * gone, and it is ended. */
enum http_more {
    HTTP_MORE, /* bytes were written, ask again when there is room */
    HTTP_WAIT, /* nothing now: http_wake says when */
    HTTP_DONE, /* the answer is complete: ends it properly */
    HTTP_CUT,  /* it cannot be completed: the connection is closed, so that the client sees that it is not whole */
};
struct http_source {
    /* Writes the next part with http_write, about 64 KiB at a time. Called from the loop, never from inside http_stream or http_wake. */
    enum http_more (*more)(void *data, struct http_request *request);
    bool patient; /* who reads may pause for long: a log in a pager */
    /* Called exactly once, at the end or when the connection is gone; the request is dead then. Frees data.
     * From the loop, or from inside http_server_free; from inside http_stream if the connection is gone already. */
    void (*closed)(void *data);
};
/* Sends the head (chunked for HTTP/1.1, until the connection's end for 1.0) and asks the source whenever there is room. gzip: compress where the client takes it
 * (lists; never watches). */
void http_stream(struct http_request *request, int status, const char *type, bool gzip, const struct http_source *source, void *data);
/* Before http_stream: the body will have exactly so many bytes, which is said as Content-Length; nothing is compressed then. A source that gives another number cuts the connection. */
void http_set_length(struct http_request *request, uint64_t length);
/* For the source only, inside more. The bytes are copied. */
void http_write(struct http_request *request, const void *bytes, size_t length);
/* Ask the source again (after HTTP_WAIT); cheap when asked already. */
void http_wake(struct http_request *request);
/* Bytes that wait to be written. */
size_t http_unsent(const struct http_request *request);

/* Upgrades. True if the client asks for this protocol ("websocket"; case is ignored) in place of HTTP/1.1. */
bool http_wants_upgrade(const struct http_request *request, const char *protocol);

/* Called from the loop, never from inside the functions below. After http_leave none is called. */
struct http_upgraded {
    size_t (*received)(void *data, const void *bytes, size_t length); /* the number that was taken; fewer: the rest waits for http_resume, and the client is not read meanwhile */
    void (*room)(void *data);   /* after an http_send that did not take all */
    void (*ended)(void *data);  /* the client sends no more (or is gone, which looks alike); bytes can still be sent. After all that was received */
    void (*closed)(void *data); /* the connection is gone, the request is dead. From the loop or http_server_free; from inside http_upgrade where it is gone already */
};
/* Sends 101 with the protocol and the headers that were added; from now on the request stands for the connection, until `closed` or http_leave. Without memory, or where
 * a header could not be added, the connection is closed. */
void http_upgrade(struct http_request *request, const char *protocol, const struct http_upgraded *upgraded, void *data);
/* Sends bytes (copied); the number that was taken: no more than HTTP_UNSENT wait at a time. */
size_t http_send(struct http_request *request, const void *bytes, size_t length) __attribute__((warn_unused_result));
void http_resume(struct http_request *request); /* offers again what `received` left */
void http_send_end(struct http_request *request); /* nothing more will be sent: closes our half after what waits */
void http_leave(struct http_request *request); /* lets go: what waits is sent, then the connection is closed. The request is dead. `closed` is not called */

/* Decodes %XX (and, in a query, '+') of `length` bytes; the caller frees. NULL: malformed, a NUL in it, not UTF-8 (errno is EINVAL), or no
 * memory (ENOMEM). */
char *http_unescape(const char *text, size_t length, bool query) __attribute__((warn_unused_result));

#endif
