/* serve.h: inside the server: one request on its way, and who does which part of it (server.c, exchange.c, list.c, watch.c, health.c).
 *
 * The commit rule: what was written is told only once it is on disk. A write is done at once in memory, its answer leaves after the commit. What is
 * read may not be more than what is on disk either: a get waits for the commit like a write; lists and watches read at the committed version.
 */
#ifndef KT_PRACTICE_API_SERVE_H
#define KT_PRACTICE_API_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/http.h"
#include "practice/api/api.h"
#include "practice/api/call.h"
#include "practice/api/definitions.h"
#include "practice/api/describe.h"
#include "practice/api/metrics.h"
#include "practice/api/negotiate.h"
#include "practice/api/options.h"
#include "practice/api/print.h"
#include "practice/api/route.h"
#include "practice/api/server.h"

struct collection;
struct event_life;
struct keeper;
struct watch;

struct server {
    struct api api;
    struct server_options options; /* texts in it are not kept */
    char *authority, *host;
    struct crypto_key *token_key;
    struct describe *describe;
    struct definitions *definitions;
    struct keeper *keeper;
    struct event_life *event_life;
    struct http_server *http;
    struct metrics metrics;
    struct state_watch *crds; /* tells when kinds may have changed */
    struct watch *watches;    /* all that are open, a list */
    size_t open;              /* requests that are not answered yet, streams included */
    uint64_t number;          /* of the newest request, for Audit-Id */
    uint64_t salt;            /* the other half of it */
    int64_t started_ms;       /* wall */
};

enum { EXCHANGE_TEXT = 1 << 30 /* bytes of an answer that is made in one piece */ };

/* One request. Everything in it is owned but for the kinds. */
struct exchange {
    struct server *server;
    struct http_request *request;
    const char *method;
    struct query query;
    struct route route;
    struct user user;
    struct format format;
    struct list_options list;
    struct call call;
    struct vec duplicates;
    struct answer answer;
    struct status failure;
    struct buf body; /* JSON that is to be sent; empty: the answer is */
    struct collection *collection;
    struct loop_event *again; /* the next part of a long deletion */
};

/* Sends a failure (a Status in the exchange's format) and ends the exchange. */
void exchange_fail(struct exchange *exchange);
/* Sends exchange->answer and ends the exchange. */
void exchange_answer(struct exchange *exchange);
/* A text; type NULL: plain. Ends the exchange. */
void exchange_text(struct exchange *exchange, int code, const char *type, const char *text, size_t length);
/* Counts and forgets a request that was answered. */
void exchange_end(struct exchange *exchange, int code);
/* A document is made an answer's body in the exchange's format (pretty, YAML); takes the JSON text over and leaves the body in it. False: no memory.
 */
bool exchange_shape(const struct format *format, struct buf *json) __attribute__((warn_unused_result));
const char *exchange_type(const struct format *format); /* Content-Type */
/* 406 for a form that does not fit: a list asked for as one PartialObjectMetadata, and the other way round. */
bool exchange_check_form(struct exchange *exchange, bool list);
/* includeObject; false: 400. */
bool exchange_include(struct exchange *exchange, enum include_object *include);

/* Runs a resource's request from here on: body, options, call; ends the exchange. */
void exchange_run(struct exchange *exchange);
/* GET of a collection, and watches; end the exchange. */
void list_serve(struct exchange *exchange);
void watch_serve(struct exchange *exchange);
/* The next one of the server's list. */
const struct watch *watch_next(const struct watch *watch);
size_t server_watches(const struct server *server);
/* Kinds may have changed: watches of those that are gone end. */
void watch_check_kinds(struct server *server);

/* Appends the beginning of a list in the given form, up to and with `"items":[` or `"rows":[`. */
bool list_head(struct print *print, uint64_t version, const char *continue_from, int64_t remaining, struct buf *out)
    __attribute__((warn_unused_result));
/* A list of objects (borrowed, in a vec) as an answer's text; for what fits in memory. */
bool list_print(struct print *print, const struct vec *objects, uint64_t version, struct buf *out) __attribute__((warn_unused_result));

/* Paths that are no resources: health, metrics, discovery; end the exchange. */
void other_serve(struct exchange *exchange);
/* /healthz, /livez, /readyz, and what is below them. False: not one of these paths. */
bool health_serve(struct exchange *exchange);

#endif
