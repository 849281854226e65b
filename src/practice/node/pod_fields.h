/* pod_fields.h: what the downward API tells of a Pod: to environment variables and to files.
 */
#ifndef KT_PRACTICE_NODE_POD_FIELDS_H
#define KT_PRACTICE_NODE_POD_FIELDS_H

#include "practice/node/pod.h"

/* "metadata.labels['x']", "status.podIP" ...: the caller frees. NULL: no memory, or there is no such field. */
char *pod_field(const struct pod_worker *worker, const struct value *document, const char *path) __attribute__((warn_unused_result));
/* {"resource": "limits.cpu", "divisor": "1m"} of a container: what a limit is that is not set, the node has. The caller frees; NULL as above. */
char *pod_resource(const struct pod_worker *worker, const struct value *container, const struct value *reference) __attribute__((warn_unused_result));

#endif
