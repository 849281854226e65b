/* convert.h: the same object in another version of its kind: HorizontalPodAutoscaler autoscaling/v1 and v2, Event v1 and events.k8s.io/v1.
 *
 * What v1 of an autoscaler has no fields for (metrics but that of CPU utilization, behavior, conditions) stands in its annotations
 * autoscaling.alpha.kubernetes.io/..., as JSON; nothing is lost on the way there and back. An annotation that cannot be read is dropped.
 */
#ifndef KT_PRACTICE_SCHEMA_CONVERT_H
#define KT_PRACTICE_SCHEMA_CONVERT_H

#include "data/value.h"
#include "practice/schema/schema.h"

/* A new document of `to`, its fields in the table's order, no defaults added (but an autoscaler always has a metric in v2). Kinds that need no
 * conversion are copied and get the version. NULL: no memory. */
struct value *schema_convert(const struct schema_kind *to, const struct schema_kind *from, const struct value *object)
    __attribute__((warn_unused_result));

/* The autoscaler's: to v2, else to v1. */
struct value *convert_autoscaler(const struct value *object, bool to_v2) __attribute__((warn_unused_result));

#endif
