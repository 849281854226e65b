/* server.h: a scripted HTTP/1.1 server on the test's own loop, on 127.0.0.1, plain or with TLS.
 *
 * A test says what each path answers, runs the loop, and looks at what was asked. Nothing here waits: a "slow" server is one whose
 * exchange the test answers later, from an event. An exchange stays valid until server_free; once its connection is gone (either
 * side), what is sent to it is dropped, so that tests may keep pointers. Any failure inside is a failed assertion.
 *
 *     struct server *server = server_new(loop, NULL);
 *     server_answer(server, "GET", "/api/v1/pods", 200, NULL, "{...}");         every time
 *     server_answer_once(server, "GET", "/api/v1/pods", 429, "Retry-After: 1\r\n", "");   the next time only, before the rule above
 *     server_on(server, "GET", "/apis*", fn, data);                             fn decides; "*" at the end: any rest
 */
#ifndef KT_TESTS_KUBE_SERVER_H
#define KT_TESTS_KUBE_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "loop/loop.h"

struct server;
struct exchange; /* one request and its answer */

struct server_tls {
    const char *certificate, *key; /* PEM files */
    const char *client_ca;         /* PEM file; a client certificate is then demanded; NULL: none is asked for */
};
struct server *server_new(struct loop *loop, const struct server_tls *tls); /* tls NULL: plain */
void server_free(struct server *server);
const char *server_url(const struct server *server); /* "http://127.0.0.1:PORT" or "https://..." */
unsigned short server_port(const struct server *server);
void server_stop_listening(struct server *server); /* later connections are refused; those there stay */
/* Accepts connections and never reads from them (a stopped process). */
void server_freeze(struct server *server);

/* Rules: newest first; method NULL: any. `path` is compared without the query. headers: "Name: value\r\n" each, or NULL (then application/json).
 * What no rule names is answered 404 with a Status. */
void server_on(struct server *server, const char *method, const char *path, void (*fn)(void *data, struct exchange *x), void *data);
void server_answer(struct server *server, const char *method, const char *path, int code, const char *headers, const char *body);
void server_answer_once(struct server *server, const char *method, const char *path, int code, const char *headers, const char *body);

/* What was asked. */
const struct vec *server_log(const struct server *server); /* of strings: "GET /api/v1/pods?limit=500" */
unsigned server_connections(const struct server *server);  /* accepted so far */
const char *exchange_method(const struct exchange *x);
const char *exchange_path(const struct exchange *x);  /* without the query */
const char *exchange_query(const struct exchange *x); /* "" if none */
const char *exchange_header(const struct exchange *x, const char *name); /* NULL: not sent; any case */
const char *exchange_body(const struct exchange *x, size_t *length);     /* length may be NULL */
bool exchange_gone(const struct exchange *x); /* the connection is closed */
/* Called when the client closes or resets while x is the connection's current exchange. */
void exchange_on_gone(struct exchange *x, void (*fn)(void *data), void *data);

/* Answering. Whole: */
void exchange_reply(struct exchange *x, int code, const char *headers, const char *body);
/* In pieces (chunked): begin, send any number of times, end. For watches and logs. */
void exchange_begin(struct exchange *x, int code, const char *headers);
void exchange_send(struct exchange *x, const char *bytes, size_t length);
void exchange_send_text(struct exchange *x, const char *text);
void exchange_end(struct exchange *x);
/* Bytes as they are, for malformed answers and for upgraded connections, whose bytes from the client go to `fn`. */
void exchange_raw(struct exchange *x, const char *bytes, size_t length);
void exchange_take_over(struct exchange *x, void (*fn)(void *data, struct exchange *x, const char *bytes, size_t length), void *data);
void exchange_close(struct exchange *x); /* after what was sent has left */
void exchange_reset(struct exchange *x); /* at once, with RST */

#endif
