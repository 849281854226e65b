/* bootstrap.h: what a cluster has from its first moment on, made through the API as by the real server and kubelet. What is there already stays as it
 * is, but for what must be true of this very server (its port).
 */
#ifndef KT_PRACTICE_API_BOOTSTRAP_H
#define KT_PRACTICE_API_BOOTSTRAP_H

#include <stdbool.h>

#include "base/error.h"
#include "practice/api/api.h"

#define BOOTSTRAP_NODE "node1"
#define BOOTSTRAP_NODE_ADDRESS "10.77.0.1"   /* where the cluster's network has the node; nothing listens there */
#define BOOTSTRAP_SERVICE_ADDRESS "10.96.0.1" /* Service default/kubernetes */

/* The state's writes are open afterwards: the caller commits. */
bool bootstrap(struct api *api, struct error *err) __attribute__((warn_unused_result));
/* Only Service default/kubernetes with its endpoints. */
bool bootstrap_kubernetes(struct api *api, struct error *err) __attribute__((warn_unused_result));

#endif
