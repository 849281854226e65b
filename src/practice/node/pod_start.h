/* pod_start.h: containers are started one after the other: back-off, image, environment and mounts, the runtime, postStart.
 */
#ifndef KT_PRACTICE_NODE_POD_START_H
#define KT_PRACTICE_NODE_POD_START_H

#include "practice/node/pod.h"

/* Starts what is wanted. True: nothing more is (each is started, or waits for a reason); false: something takes its time, the worker is woken. */
bool pod_start_go(struct pod_worker *worker, const struct value *document);
/* The one that is being started is not any more. True: done; false: it must be waited for (a hook runs, the runtime is at it). */
bool pod_start_stop(struct pod_worker *worker);
/* Its back-off's end, 0 if it is not in one. */
int64_t container_backoff_end(const struct pod_container *container);

/* ---- container_config.c ---- */
struct container_config {
    struct runtime_container_config config;
    struct vec command, args, env, paths; /* what config borrows; paths: expanded ones of mounts */
    struct runtime_mount *mounts;
};
void container_config_free(struct container_config *made);
/* False: why is the message of CreateContainerConfigError. made is to be freed in any case. */
bool container_config_make(struct pod_container *container, const struct value *document, const struct runtime_image *image, struct container_config *made, char why[static 512]) __attribute__((warn_unused_result));

#endif
