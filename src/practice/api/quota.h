/* quota.h: what objects use of a ResourceQuota: shared by admission, which charges, and the controller, which counts anew.
 *
 * Names as in spec.hard: "pods", "requests.cpu", "count/deployments.apps", "gold.storageclass.storage.k8s.io/requests.storage" ...
 */
#ifndef KT_PRACTICE_API_QUOTA_H
#define KT_PRACTICE_API_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "practice/api/amount.h"
#include "practice/api/api.h"

/* False: objects of this kind are never counted (events, reviews, what is not namespaced). */
bool quota_counts(const struct schema_kind *kind);
/* Is this name about objects of this kind? */
bool quota_tracks(const struct schema_kind *kind, const char *name);
/* Adds what one object uses, under every name that it counts for. now_ms: a pod whose grace is over is only counted as an object. Look at out->failed. */
void quota_usage(const struct schema_kind *kind, const struct value *object, int64_t now_ms, struct amounts *out);
/* Do the quota's scopes (spec.scopes, spec.scopeSelector) hold the object? Without any: yes. */
bool quota_in_scope(const struct value *quota, const struct schema_kind *kind, const struct value *object);
/* True if two states of an object may differ for quotas, so that the controller must count (a pod that ended, a service's type ...). */
bool quota_differs(const struct schema_kind *kind, const struct value *object, const struct value *old, int64_t now_ms);

/* {"hard":{...},"used":{...}}: the status that a quota should have now: spec.hard, and everything counted. The caller frees. NULL: no memory. */
struct value *quota_count(struct api *api, const struct value *quota, const char *ns, struct error *err) __attribute__((warn_unused_result));

#endif
