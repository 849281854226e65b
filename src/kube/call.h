/* call.h: between client.c (what all requests share), call.c (one request) and stream.c (one upgraded connection).
 *
 * curl's callbacks only note what came. Everything that others are told is told by call_serve, after curl has returned; so any callback may
 * send, cancel and free anything.
 */
#ifndef KT_KUBE_CALL_H
#define KT_KUBE_CALL_H

#include "base/map.h"
#include "kube/auth.h"
#include "kube/client.h"
#include "kube/easy.h"
#include "kube/internal.h"
#include "kube/transport.h"

enum {
    CONTACT_MS = 9500, /* a server that cannot be reached is told of after so long, retries and all */
    SILENCE_MS = 5000, /* after so long without a byte the server is asked whether it lives */
    PROBE_MS = 4500,   /* and has so long to answer */
    RETRIES = 3,
    RETRY_WAIT_MS = 10000,            /* waiting between the tries, in all */
    WARNINGS_KEPT = 256,              /* different ones of a client's life */
    WARNINGS_A_CALL = 16,
    HEAD_MAXIMUM = 256 << 10,         /* bytes of an answer's head */
    FAILURE_MAXIMUM = 1 << 20,        /* bytes of the body of an answer that is not 2xx */
    BODY_MAXIMUM = 64 << 20,          /* where the request says nothing */
    DEFAULT_TIMEOUT_MS = 30000,
};

/* What CURLOPT_PRIVATE points at: the first member of kube_call and kube_stream. */
struct transfer {
    bool is_stream;
};

struct kube_client {
    struct loop *loop;
    struct kube_config *config;
    struct log *log;
    struct endpoint endpoint;
    struct transport *transport;
    struct auth *auth;
    struct vec warnings;
    struct map told; /* Warning headers */
    struct kube_discovery *discovery;
    struct kube_call *calls; /* doubly linked, newest first */
    struct kube_call *ready, *ready_last; /* those with something to tell, in order */
    struct kube_stream *streams;
    struct loop_event *kick; /* has the ready ones served in the next round */
    bool serving;
    bool *freed;       /* set when the client is freed while it serves */
    int64_t heard_at;  /* when a byte last came, for any call */
    int64_t probed_at; /* when the probe began */
    struct kube_call *probe;
    int64_t contact_ms, silence_ms, probe_ms; /* CONTACT_MS and so on, but in tests */
    void (*on_terminal)(void *data, bool taken);
    void *terminal_data;
    void (*on_warning)(void *data, const char *text);
    void *warning_data;
};

enum call_state {
    CALL_NEW,
    CALL_NEEDS_CREDENTIALS, /* a plugin runs */
    CALL_RUNS,              /* curl has it */
    CALL_PAUSES,            /* until its next try */
    CALL_ENDED,
};

struct kube_call {
    struct transfer transfer;
    struct kube_client *client;
    struct kube_call *previous, *next;             /* of the client's calls */
    struct kube_call *ready_previous, *ready_next; /* of the ready ones */
    bool is_ready;
    /* the request */
    char *method, *path, *query, *accept, *content_type, *body;
    size_t body_length, maximum;
    int64_t timeout_ms, idle_ms;
    bool no_retry;
    void (*on_data)(void *data, const char *bytes, size_t length);
    void (*done)(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status);
    void (*on_head)(void *data);
    void *data, *owned;
    void (*drop_owned)(void *owned);
    /* this try */
    enum call_state state;
    struct easy easy;
    struct loop_event *timer;
    unsigned generation; /* of the credentials */
    int64_t began_at;    /* the first try, credentials at hand */
    int64_t try_at, byte_at, probed_at, again_at;
    /* the answer so far */
    int code;
    char content_type_came[128];
    size_t head_bytes, body_bytes;
    int64_t retry_after_ms;
    struct buf collected, pending; /* pending is for on_data */
    struct vec warnings;
    bool head_done, head_told, too_large, no_memory;
    /* between the tries */
    unsigned tries;
    int64_t waited_ms;
    bool refreshed; /* credentials, after a 401 */
    bool curl_ended; /* result counts */
    CURLcode result;
    struct error failure; /* kind ERROR_NONE: none of ours */
    bool *gone;           /* set when the call is freed while it is served */
    bool finishing;       /* inside done */
};

/* client.c */
void client_make_ready(struct kube_call *call); /* call_serve is called in this round's end or the next */
void client_probe(struct kube_client *client);  /* asks whether the server lives, unless that is under way */
void client_warn(struct kube_client *client, const char *text);
void client_link(struct kube_call *call);
void client_unlink(struct kube_call *call); /* also from the ready ones */

/* call.c */
struct kube_call *call_new(struct kube_client *client, const struct kube_request *request, struct error *err);
void call_begin(struct kube_call *call);                       /* asks for credentials and starts the first try */
void call_serve(struct kube_call *call);                       /* the call, or the client, may be gone afterwards */
void call_credentials(struct kube_call *call, const struct error *error); /* the plugin has ended */
void call_fail(struct kube_call *call, const struct error *error); /* ends it with this, when it is served */
void call_free(struct kube_call *call);                        /* `done` is not called, what it owns is dropped */

/* stream.c */
void stream_curl_done(struct kube_stream *stream, CURLcode result);
void stream_credentials_all(struct kube_client *client, const struct error *error);
void stream_fail_all(struct kube_client *client, const struct error *error); /* each is told, in the next round */
void stream_free_all(struct kube_client *client);

#endif
