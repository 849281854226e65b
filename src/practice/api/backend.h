/* backend.h: what the API server asks of whoever runs Pods (in a real cluster: the kubelet's own server): logs, exec, attach, port-forward, proxies, usage. practice/node is one.
 *
 * Calls return at once; callbacks come from the loop, never from inside a call. After a handle was freed no callback comes; it may be freed from inside each of its callbacks but output
 * and received. A failure at the start is a Status, worded as clients
 * know it (`container web in pod a is waiting to start: ContainerCreating`).
 */
#ifndef KT_PRACTICE_API_BACKEND_H
#define KT_PRACTICE_API_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"
#include "data/value.h"
#include "practice/api/status.h"

enum backend_stream { BACKEND_STDIN, BACKEND_STDOUT, BACKEND_STDERR, BACKEND_ERROR /* the Status at the end */, BACKEND_RESIZE };

/* ---- logs ---- */
struct backend_log_options {
    const char *container; /* NULL: the only one, or the one of annotation kubectl.kubernetes.io/default-container */
    bool follow, previous, timestamps;
    int64_t tail;          /* lines; -1: all */
    int64_t since_ms;      /* the cluster's time; 0: all */
    int64_t limit;         /* bytes; 0: none */
    const char *stream;    /* "All", "Stdout", "Stderr" */
};
struct backend_log; /* where one stands */

/* ---- exec and attach ---- */
struct backend_exec_options {
    const char *container;
    const struct vec *command; /* strings; NULL: attach */
    bool input, output, error, tty;
};
struct backend_process_events {
    size_t (*output)(void *data, enum backend_stream stream, const void *bytes, size_t length); /* the number taken; fewer: until process_resume */
    void (*input_ready)(void *data);
    void (*ended)(void *data, const struct value *status); /* once, after all output: the Status that goes to the error stream (Success, or NonZeroExitCode with its cause) */
    void *data;
};
struct backend_process;

/* ---- byte streams to a port ---- */
struct backend_peer {
    void (*connected)(void *data, const struct error *err);
    size_t (*received)(void *data, const void *bytes, size_t length);
    void (*room)(void *data);
    void (*closed)(void *data);
    void *data;
};
struct backend_connection;

struct backend_usage {
    int64_t cpu;    /* thousandths of a core */
    int64_t memory; /* bytes */
};

struct backend_ops {
    /* fn: there is more to read, or the end came. NULL with *failure. */
    struct backend_log *(*log)(void *self, const char *ns, const char *pod, const struct backend_log_options *options, void (*fn)(void *data), void *data, struct status *failure);
    /* Appends some 64 KiB at most. False: that is all there will be (an error on the way is appended as text, as a kubelet does). */
    bool (*log_read)(struct backend_log *log, struct buf *out);
    void (*log_free)(struct backend_log *log);

    struct backend_process *(*process)(void *self, const char *ns, const char *pod, const struct backend_exec_options *options, const struct backend_process_events *events, struct status *failure);
    size_t (*process_write)(struct backend_process *process, const void *bytes, size_t length);
    void (*process_close_input)(struct backend_process *process);
    void (*process_resize)(struct backend_process *process, unsigned columns, unsigned rows);
    void (*process_resume)(struct backend_process *process);
    void (*process_free)(struct backend_process *process);

    /* To a port of a Pod (port-forward; proxies of Pods and Services, which the API resolves to a Pod first). */
    struct backend_connection *(*connect)(void *self, const char *ns, const char *pod, uint16_t port, const struct backend_peer *peer, struct status *failure);
    size_t (*connection_write)(struct backend_connection *connection, const void *bytes, size_t length);
    void (*connection_shutdown)(struct backend_connection *connection);
    void (*connection_resume)(struct backend_connection *connection);
    void (*connection_free)(struct backend_connection *connection);

    /* For metrics.k8s.io. False: not known (yet). container NULL: the Pod as a whole. */
    bool (*usage)(void *self, const char *ns, const char *pod, const char *container, struct backend_usage *usage);
    bool (*node_usage)(void *self, const char *node, struct backend_usage *usage);
};

struct backend {
    const struct backend_ops *ops;
    void *self;
};

struct api;
/* Who runs Pods from now on; NULL: nobody. What is open of the one before is cut off first: a backend that is freed before the server says api_set_backend(api, NULL). */
void api_set_backend(struct api *api, const struct backend *backend);

#endif
