/* pod_kill.h: a container is ended: preStop, its turn (sidecars after the others), its stop signal, KILL when the grace period is over.
 */
#ifndef KT_PRACTICE_NODE_POD_KILL_H
#define KT_PRACTICE_NODE_POD_KILL_H

#include "practice/node/pod.h"

/* Begins it for a container that runs; says Killing (message NULL: "Stopping container NAME"). ordered: with the whole Pod. False: no memory. The worker is woken when the instance has ended; container->kill is
 * there until pod_kill_look finds that. */
bool pod_kill(struct pod_container *container, const struct value *document, const char *message, int64_t grace_ms, bool ordered) __attribute__((warn_unused_result));
/* Goes on where it can. True: over (or none was under way). */
bool pod_kill_look(struct pod_container *container);
void pod_kill_hurry(struct pod_container *container, int64_t grace_ms); /* from now on, if that is earlier */
void pod_kill_free(struct pod_container *container);

#endif
