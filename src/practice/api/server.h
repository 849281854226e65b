/* server.h: the API over HTTPS: requests to calls, answers to bytes; lists and watches as streams.
 */
#ifndef KT_PRACTICE_API_SERVER_H
#define KT_PRACTICE_API_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"
#include "loop/loop.h"
#include "practice/api/api.h"

struct server;
struct exchange; /* a request that waits for its answer */

struct server_options {
    const char *state_path;  /* NULL: ephemeral */
    const char *address;     /* "127.0.0.1" */
    uint16_t port;           /* 0: any that is free */
    const char *certificate, *key;   /* the server's, PEM */
    const char *authority;           /* the CA's certificate, PEM */
    const char *token_key;           /* PEM */
    int64_t clock_offset_ms;         /* that the cluster's clock is ahead of the wall (clock.h) */
    struct log *log;
    void (*activity)(void *data);    /* called at each request (for --idle); may be NULL */
    /* POST /kubetutor/WHAT?QUERY, for those who may everything (RBAC: post on that path): does it and tells server_answer, now or later, how it went. NULL: 404. */
    void (*control)(void *data, const char *what, const char *query, struct exchange *asked);
    void *data;
};

/* Opens the state, makes what must be there from the start (namespaces, policy, Service kubernetes, node ...: bootstrap.h), listens. */
struct server *server_new(struct loop *loop, const struct server_options *options, struct error *err) __attribute__((warn_unused_result));
uint16_t server_port(const struct server *server);
struct api *server_api(struct server *server);
/* The answer to what control was asked, JSON; once. A `json` that failed is answered as a lack of memory. */
void server_answer(struct exchange *asked, int code, const struct buf *json);
/* Snapshots (state.h), with what must be there afterwards. All or nothing. load keeps the cluster's uid, reset makes a new one. save calls fn as state_save does. */
bool server_save(struct server *server, const char *path, void (*fn)(void *data, const struct error *err), void *data, struct error *err)
    __attribute__((warn_unused_result));
bool server_load(struct server *server, const char *path, struct error *err) __attribute__((warn_unused_result));
bool server_reset(struct server *server, struct error *err) __attribute__((warn_unused_result));
/* Requests and watches that are open now. */
size_t server_open_requests(const struct server *server);
void server_free(struct server *server); /* commits */

#endif
