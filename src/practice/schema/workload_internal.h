/* workload_internal.h: what kinds with a template of pods share (rules_workload.c).
 */
#ifndef KT_PRACTICE_SCHEMA_WORKLOAD_INTERNAL_H
#define KT_PRACTICE_SCHEMA_WORKLOAD_INTERNAL_H

#include "practice/schema/rules_internal.h"

/* Templates of long-running workloads: labels that the selector finds, restartPolicy Always, no deadline. */
void check_template_labels(const struct value *spec, struct problems *problems);
void check_template_runs(const struct value *spec, const char *kind, struct problems *problems);
void warn_template(const struct value *object, const struct value *old, struct vec *warnings);

bool selector_empty(const struct value *selector);
void problem_selector(const struct value *selector, const char *words, struct problems *problems);
/* Whether the server can make a selector of it; what else is wrong with it is told apart. */
bool selector_usable(const struct value *selector);

/* Numbers of a status that may not be more than another one. */
struct bound {
    const char *less, *more, *words;
};
#define THAN_REPLICAS "cannot be greater than status.replicas"
void check_bounds(const struct value *status, const struct bound *bounds, struct problems *problems);
void check_collisions(const struct value *object, const struct value *old, struct problems *problems);

#endif
