/* convert_internal.h: metrics of autoscalers, told as v1's annotations and as v2's fields. Made values belong to the caller; NULL: no memory.
 */
#ifndef KT_PRACTICE_SCHEMA_CONVERT_INTERNAL_H
#define KT_PRACTICE_SCHEMA_CONVERT_INTERNAL_H

#include "data/value.h"

struct value *metric_to_v1(const struct value *metric, bool is_status) __attribute__((warn_unused_result));
struct value *metric_to_v2(const struct value *metric, bool is_status) __attribute__((warn_unused_result));
/* Whether v1's text in an annotation has the types that its reader wants. */
bool metric_is_readable(const struct value *metric, bool is_status);
/* Behavior as the annotation has it (the server's internal names), and back; *readable says whether it could be read. */
struct value *behavior_to_v1(const struct value *behavior) __attribute__((warn_unused_result));
struct value *behavior_to_v2(const struct value *behavior) __attribute__((warn_unused_result));
bool behavior_is_readable(const struct value *behavior);
bool behavior_is_empty(const struct value *behavior);
/* A field whatever its letters' case, as Go finds it. */
struct value *field_of(const struct value *object, const char *key);

#endif
