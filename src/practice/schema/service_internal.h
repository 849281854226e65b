/* service_internal.h: what the rules of Services are made of. For this folder only.
 */
#ifndef KT_PRACTICE_SCHEMA_SERVICE_INTERNAL_H
#define KT_PRACTICE_SCHEMA_SERVICE_INTERNAL_H

#include <stdbool.h>

#include "data/value.h"

/* Of a spec. */
bool service_is(const struct value *spec, const char *type);
bool service_is_headless(const struct value *spec);
bool service_is_external(const struct value *spec); /* reachable from outside the cluster, by itself or by its external addresses */
bool service_wants_health_check(const struct value *spec);

/* See struct rules. */
bool service_defaults(struct value *object);
bool service_prepare_create(struct value *object);
bool service_prepare_update(struct value *object, const struct value *old);

#endif
