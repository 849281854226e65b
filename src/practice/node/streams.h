/* streams.h: what the files of streams share (streams.c, streams_log.c, streams_process.c, streams_port.c): backend.h's calls over the runtime's, with a kubelet's words where something is not to be had.
 */
#ifndef KT_PRACTICE_NODE_STREAMS_H
#define KT_PRACTICE_NODE_STREAMS_H

#include "loop/loop.h"
#include "practice/api/backend.h"
#include "practice/node/pod.h"

struct streams {
    struct nodes *nodes;
    const struct runtime *runtime;
    struct loop *loop;
    struct cluster_clock *clock;
    struct backend backend;
};

/* The container, and the Pod that it is of. NULL: the failure says why not, as the API server's who found no kubelet. */
struct pod_container *streams_container(const struct streams *streams, const char *ns, const char *pod, const char *name, struct status *failure);
struct pod_worker *streams_worker(const struct streams *streams, const char *ns, const char *pod, struct status *failure);
/* 64 hex digits that stand for a Pod's sandbox in messages. */
enum { SANDBOX_ID = 65 };
void streams_sandbox_id(const struct pod_worker *worker, char out[static SANDBOX_ID]);

/* ---- streams_log.c ---- */
struct backend_log *streams_log(void *self, const char *ns, const char *pod, const struct backend_log_options *options, void (*fn)(void *data), void *data, struct status *failure);
bool streams_log_read(struct backend_log *log, struct buf *out);
void streams_log_free(struct backend_log *log);
/* ---- streams_process.c ---- */
struct backend_process *streams_process(void *self, const char *ns, const char *pod, const struct backend_exec_options *options, const struct backend_process_events *events, struct status *failure);
size_t streams_process_write(struct backend_process *process, const void *bytes, size_t length);
void streams_process_close_input(struct backend_process *process);
void streams_process_resize(struct backend_process *process, unsigned columns, unsigned rows);
void streams_process_resume(struct backend_process *process);
void streams_process_free(struct backend_process *process);
/* ---- streams_port.c ---- */
struct backend_connection *streams_connect(void *self, const char *ns, const char *pod, uint16_t port, const struct backend_peer *peer, struct status *failure);
size_t streams_connection_write(struct backend_connection *connection, const void *bytes, size_t length);
void streams_connection_shutdown(struct backend_connection *connection);
void streams_connection_resume(struct backend_connection *connection);
void streams_connection_free(struct backend_connection *connection);

#endif
