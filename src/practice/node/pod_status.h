/* pod_status.h: a Pod's status as the kubelet writes it.
 */
#ifndef KT_PRACTICE_NODE_POD_STATUS_H
#define KT_PRACTICE_NODE_POD_STATUS_H

#include "practice/node/pod.h"

/* Which of a Pod's statuses. */
enum status_moment {
    STATUS_NOW,           /* as things stand */
    STATUS_SANDBOX_READY, /* the same, but for the address, which the kubelet learns later */
    STATUS_LAST,          /* its containers have ended, whatever their restart policy; what never began counts as failed */
};

/* Writes what changed of it, if anything; worker->phase is what it makes of it all. False: it could not be written (err); again later. One whose Pod is gone counts as written. */
bool pod_status_write(struct pod_worker *worker, enum status_moment moment, struct error *err) __attribute__((warn_unused_result));
/* worker->phase alone. The document must be there. False: no memory. */
bool pod_status_look(struct pod_worker *worker) __attribute__((warn_unused_result));
/* A Pod that the node does not take: phase Failed and why, nothing else. */
bool pod_status_reject(struct pod_worker *worker, const char *reason, const char *message, struct error *err) __attribute__((warn_unused_result));

/* ---- container_status.c ---- */
/* A container as its status shows it. */
struct shown {
    const struct pod_container *container;
    enum pod_container_state state;
    const char *reason, *message;               /* of a waiting one; message NULL: none */
    const struct pod_instance *ended, *last;    /* of a terminated one, and of its last state; NULL: none */
    bool unknown;                               /* terminated, and nobody knows how (ended NULL) */
    bool started, ready;
};
void container_show(const struct pod_container *container, const struct value *document, struct shown *shown);
/* Its entry of the status' list; NULL: no memory. */
struct value *container_status(const struct shown *shown, const struct value *spec) __attribute__((warn_unused_result));
enum pod_phase containers_phase(const struct shown *shown, size_t count, const struct value *document, bool ended);

#endif
