/* admission.h: what happens to an object between decoding and storing: the admission plug-ins that a real API server runs by default and that learners meet.
 * NamespaceLifecycle, ServiceAccount, LimitRanger, ResourceQuota, Priority, DefaultTolerationSeconds, DefaultStorageClass, DefaultIngressClass, StorageObjectInUseProtection,
 * PersistentVolumeClaimResize, RuntimeClass, TaintNodesByCondition, PodSecurity, ExtendedResourceToleration(off) ... in the real order.
 */
#ifndef KT_PRACTICE_API_ADMISSION_H
#define KT_PRACTICE_API_ADMISSION_H

#include <stdbool.h>

#include "practice/api/api.h"

/* Changes and refuses before validation; old NULL: creation. False: *failure says why. */
bool admission_mutate(struct api *api, const struct call *call, struct value *object, const struct value *old, struct vec *warnings, struct status *failure);
/* Refuses after validation; quota is counted here (dry runs count nothing). */
bool admission_validate(struct api *api, const struct call *call, const struct value *object, const struct value *old, struct vec *warnings, struct status *failure);
/* Refuses a deletion (namespaces default, kube-system, ...). */
bool admission_delete(struct api *api, const struct call *call, const struct object *object, struct status *failure);

#endif
