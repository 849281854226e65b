/* internal.h: what the files of this folder share.
 */
#ifndef KT_PRACTICE_CONTROLLERS_INTERNAL_H
#define KT_PRACTICE_CONTROLLERS_INTERNAL_H

#include <stdbool.h>

#include "base/error.h"
#include "practice/api/api.h"
#include "practice/api/client.h"
#include "practice/work/keys.h"
#include "practice/work/place.h"
#include "practice/work/workqueue.h"

/* A controller: its file makes one and frees it. */
struct controller_type {
    const char *name; /* of its user: system:serviceaccount:kube-system:NAME */
    void *(*start)(const struct place_of_work *place, struct error *err);
    void (*stop)(void *controller);
};
extern const struct controller_type accounts_controller, root_ca_controller, namespace_controller, garbage_controller, quota_controller, aggregation_controller;
extern const struct controller_type deployment_controller, replicaset_controller, replication_controller, statefulset_controller, daemonset_controller;
extern const struct controller_type endpoint_controller, endpointslice_controller;
extern const struct controller_type job_controller, ttl_controller;

#endif
