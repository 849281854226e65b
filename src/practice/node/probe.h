/* probe.h: startup, readiness and liveness probes of a container's run, and the handlers that probes and hooks have in common (exec, httpGet, tcpSocket, grpc, sleep).
 */
#ifndef KT_PRACTICE_NODE_PROBE_H
#define KT_PRACTICE_NODE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "data/value.h"

struct pod_instance;
struct pod_container;
struct probe;

enum probe_kind { PROBE_STARTUP, PROBE_READINESS, PROBE_LIVENESS };

/* Begins the probes that the container's spec has; the instance runs now. False: no memory. */
bool probes_begin(struct pod_instance *instance, const struct value *spec);
/* The Pod is being ended: startup and liveness are not looked at any more. all: nor is readiness. */
void probes_stop(struct pod_instance *instance, bool all);
void probe_free(struct probe *probe); /* NULL is fine */
/* It runs and its startup probe, if it has one, succeeded; it is started and its readiness probe, if it has one, succeeded. */
bool instance_started(const struct pod_instance *instance);
bool instance_ready(const struct pod_instance *instance);

/* ---- handlers ---- */

enum handler_outcome {
    HANDLER_DONE,
    HANDLER_FAILED, /* text says why, as a failed probe's message does */
    HANDLER_BROKE,  /* it could not even be tried (no such command); text is the runtime's */
};
struct handler_result {
    enum handler_outcome outcome;
    const char *text;    /* what a probe's event says after "probe failed: " */
    const char *output;  /* of a command: stdout and stderr, at most HANDLER_OUTPUT bytes */
    int code;            /* of a command; the HTTP status of a request */
    bool timed_out;
};
enum { HANDLER_OUTPUT = 10 << 10 };
struct handler_run;
/* Runs {"exec": ...} or another in or against an instance's container, on behalf of spec (named ports). timeout_ms 0: none. Never calls done from inside. NULL: no memory. */
struct handler_run *handler_start(struct pod_instance *instance, const struct value *spec, const struct value *handler, int64_t timeout_ms, void (*done)(void *data, const struct handler_result *result),
                                  void *data) __attribute__((warn_unused_result));
void handler_cancel(struct handler_run *run); /* NULL is fine; not after done */

/* ---- hook.c: postStart and preStop ---- */
struct hook;
/* NULL: there is none (*none), or no memory. done: message NULL for success, else the status' message; the kubelet's words. */
struct hook *hook_start(struct pod_instance *instance, const struct value *spec, const char *which, void (*done)(void *data, const char *message), void *data, bool *none) __attribute__((warn_unused_result));
void hook_cancel(struct hook *hook); /* NULL is fine; not after done */

#endif
