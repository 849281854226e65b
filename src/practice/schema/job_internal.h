/* job_internal.h: parts of Jobs' validation, for rules_batch.c and job.c only. */
#ifndef KT_PRACTICE_SCHEMA_JOB_INTERNAL_H
#define KT_PRACTICE_SCHEMA_JOB_INTERNAL_H

#include "practice/schema/rules_internal.h"

void job_check_failure_policy(const struct value *spec, const struct place *place, struct problems *problems);
void job_check_success_policy(const struct value *spec, const struct place *place, struct problems *problems);
void job_check_changes(const struct value *object, const struct value *old, struct problems *problems);
void job_validate_status(const struct value *object, const struct value *old, struct problems *problems);

#endif
