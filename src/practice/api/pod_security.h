/* pod_security.h: the Pod Security Standards: what the levels baseline and restricted forbid, by version of the standard.
 */
#ifndef KT_PRACTICE_API_POD_SECURITY_H
#define KT_PRACTICE_API_POD_SECURITY_H

#include <stdbool.h>

#include "base/buf.h"
#include "data/value.h"

enum security_level { SECURITY_PRIVILEGED, SECURITY_BASELINE, SECURITY_RESTRICTED };
enum { SECURITY_LATEST = 1 << 20 /* a minor version above every other */, SECURITY_TEXT = 64 << 10 };

/* Holds a pod (or a pod's template: metadata and spec) against a level. False: it is forbidden; `reasons` (may be NULL) gets `privileged, host namespaces`, `details` (may be NULL)
 * the same with what is wrong in each: `privileged (container "c" must not set securityContext.privileged=true), ...`. Look at buf_ok: a lack of memory forbids, too. */
bool pod_security_allows(const struct value *pod, enum security_level level, int minor, struct buf *reasons, struct buf *details);

#endif
