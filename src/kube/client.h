/* client.h: requests to one API server (libcurl's multi interface on the loop; HTTP/2 multiplexed).
 *
 * What goes to the log (-v): method, path, query, status, duration. Never: headers, bodies, credentials, exec plugins' output.
 */
#ifndef KT_KUBE_CLIENT_H
#define KT_KUBE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "kube/config.h"
#include "kube/status.h"
#include "loop/loop.h"

struct kube_client;
struct kube_call; /* a request under way */

/* Takes config over. log may be NULL. Nothing is connected yet. The first warning (insecure-skip-tls-verify, a kubeconfig readable by
 * others) is told through kube_client_warnings. */
struct kube_client *kube_client_new(struct loop *loop, struct kube_config *config, struct log *log, struct error *err)
    __attribute__((warn_unused_result));
void kube_client_free(struct kube_client *client); /* every call ends without its callback */
const struct kube_config *kube_client_config(const struct kube_client *client);
struct loop *kube_client_loop(const struct kube_client *client);
const struct vec *kube_client_warnings(const struct kube_client *client); /* of strings; borrowed */
/* Called around an exec credential plugin that wants the terminal (interactiveMode), so that the UI can step aside. It may not free the client. */
void kube_client_on_terminal(struct kube_client *client, void (*fn)(void *data, bool taken), void *data);
/* Called for every Warning header of an answer (de-duplicated for the life of the client). */
void kube_client_on_warning(struct kube_client *client, void (*fn)(void *data, const char *text), void *data);

struct kube_request {
    const char *method;       /* "GET", ... */
    const char *path;         /* "/api/v1/namespaces/x/pods"; parts already escaped (kube_path) */
    const char *query;        /* "limit=500&labelSelector=..." escaped, or NULL */
    const char *accept;       /* NULL: application/json */
    const char *content_type; /* NULL: application/json where there is a body */
    const char *body;         /* copied; NULL: none */
    size_t body_length;
    size_t maximum;           /* bytes of answer that are taken, 0: 64 MiB; more is ERROR_LIMIT */
    int64_t timeout_ms;       /* for the whole request, 0: 30 s; negative: no limit (streams) */
    int64_t idle_ms;          /* end with ERROR_TIMEOUT when nothing came for so long; 0: never */
    bool no_retry;            /* else 429 and 503 with Retry-After, and a connection that was refused or reset before any byte of the answer for GETs, are
                                 tried again up to 3 times, waiting at most 10 s in all */
};

struct kube_answer {
    int code;                 /* HTTP status; 0: none came */
    const char *content_type; /* borrowed; "" if unknown */
    const char *body;         /* borrowed, NUL-terminated; empty when on_data took it */
    size_t length;
};

/* Sends. Exactly one of: `done` is called later from the loop (never before kube_send returns); or NULL with err when it could not even be queued.
 * error is NULL for a 2xx answer. For other codes error tells the Status in a sentence, status has the details. status is never NULL.
 * on_data, if not NULL, gets the body of a 2xx answer as it comes, instead of collecting it; it may cancel the call.
 * The call is gone after `done`. */
struct kube_call *kube_send(struct kube_client *client, const struct kube_request *request,
                            void (*on_data)(void *data, const char *bytes, size_t length),
                            void (*done)(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status),
                            void *data, struct error *err);
void kube_call_cancel(struct kube_call *call); /* done will not be called; NULL is fine; also from inside on_data */

/* An upgraded connection (exec, port-forward): a WebSocket's, HTTP/1.1, the same TLS and credentials. After a valid 101 answer `open` is called
 * once; frames are the caller's work (net/ws.h). See exec.h, its only user. All callbacks come from the loop, never from inside these functions,
 * and may call any of them. */
struct kube_stream;
struct kube_stream_callbacks {
    void (*open)(void *data, const char *protocol); /* Sec-WebSocket-Protocol that the server chose, one of those offered */
    void (*bytes)(void *data, const char *bytes, size_t length);
    /* Once, last; error NULL: the peer closed. Also when it never opened (then error is never NULL). The stream is still the caller's to close. */
    void (*closed)(void *data, const struct error *error);
};
struct kube_stream *kube_stream_open(struct kube_client *client, const char *path, const char *query, const char *const *protocols,
                                     const struct kube_stream_callbacks *callbacks, void *data, struct error *err);
bool kube_stream_write(struct kube_stream *stream, const void *bytes, size_t length, struct error *err); /* queued; at most 4 MiB waiting */
size_t kube_stream_waiting(const struct kube_stream *stream); /* bytes queued and not yet sent */
void kube_stream_close(struct kube_stream *stream); /* no callback any more; frees; NULL is fine; not after kube_client_free, which does the same */

/* Builds a path: kube_path(out, "/api/v1/namespaces", ns, "pods", name, NULL) escapes each part after the first. */
struct buf;
void kube_path(struct buf *out, const char *root, ...) __attribute__((sentinel));
/* Appends "&key=value" (or without & at the start), escaped; nothing when value is NULL. */
void kube_query(struct buf *out, const char *key, const char *value);

#endif
