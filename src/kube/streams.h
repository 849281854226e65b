/* streams.h: logs, exec, and requests to Pods and Services through the API server.
 */
#ifndef KT_KUBE_STREAMS_H
#define KT_KUBE_STREAMS_H

#include "kube/client.h"

struct kube_logs_options {
    const char *ns, *pod;
    const char *container; /* NULL: the default one */
    bool follow, previous, timestamps;
    int64_t tail_lines; /* -1: all */
    size_t maximum;     /* bytes in all; 0: 16 MiB, or without end when following */
};
/* Lines come as they do, bytes in any cut; more than `maximum` ends it with ERROR_LIMIT. */
struct kube_call *kube_logs(struct kube_client *client, const struct kube_logs_options *options,
                            void (*bytes)(void *data, const char *bytes, size_t length),
                            void (*done)(void *data, const struct error *error), void *data, struct error *err);

struct kube_exec;
struct kube_exec_options {
    const char *ns, *pod, *container; /* container NULL: the default one */
    const char *const *argv;          /* NULL-terminated */
    const char *input;                /* bytes for stdin, then its end; NULL: no stdin */
    size_t input_length;
    bool tty;
    size_t maximum;     /* bytes of stdout and stderr that are kept, 0: 1 MiB; more ends it with ERROR_LIMIT */
    int64_t timeout_ms; /* 0: 30 s */
};
struct kube_exec_result {
    int exit_code; /* 0.. as the command ended; -1 if it never ran (error says why) */
    const char *output;
    size_t output_length; /* stdout, borrowed, NUL-terminated */
    const char *errors;
    size_t errors_length;
};
/* v5.channel.k8s.io, falling back to v4 (docs/measured.md, "WebSocket"). error NULL: the command ran, whatever its exit code.
 */
struct kube_exec *kube_exec_start(struct kube_client *client, const struct kube_exec_options *options,
                                  void (*done)(void *data, const struct kube_exec_result *result, const struct error *error),
                                  void *data, struct error *err) __attribute__((warn_unused_result));
void kube_exec_cancel(struct kube_exec *exec); /* done will not be called; NULL is fine */

/* One HTTP GET (or another method) to a Pod or Service through the API server's proxy. kind is "pods" or "services"; port a
 * number or name or NULL. The answer's code is the backend's; a backend that cannot be reached is 502/503 with the API server's
 * Status: told as ERROR_UNREACHABLE. */
struct kube_call *kube_proxy(struct kube_client *client, const char *ns, const char *kind, const char *name, const char *port,
                             const char *method, const char *path,
                             void (*done)(void *data, const struct kube_answer *answer, const struct error *error), void *data,
                             struct error *err);

#endif
