/* pod_sandbox.h: what a Pod's containers share: its name, address, /etc/hosts and /etc/resolv.conf.
 */
#ifndef KT_PRACTICE_NODE_POD_SANDBOX_H
#define KT_PRACTICE_NODE_POD_SANDBOX_H

#include "practice/node/pod.h"

/* Makes the worker's sandbox, and takes an address for it. */
bool pod_sandbox_make(struct pod_worker *worker, const struct value *document, struct error *err) __attribute__((warn_unused_result));
/* Who listens is told; then it ends. Containers must have been freed. */
void pod_sandbox_free(struct pod_worker *worker);

#endif
