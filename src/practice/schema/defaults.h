/* defaults.h: the defaults that hold whatever else an object says (schema_field.default_json). Those that depend on other fields, and those of kinds,
 * are rules (rules.h).
 */
#ifndef KT_PRACTICE_SCHEMA_DEFAULTS_H
#define KT_PRACTICE_SCHEMA_DEFAULTS_H

#include <stdbool.h>

#include "data/value.h"
#include "practice/schema/schema.h"

/* Adds what is absent, in all that is there (and in structs that always are: SCHEMA_ALWAYS without SCHEMA_POINTER). Values are decoded ones
 * (decode.h); added fields stand last until schema_normalise. CRDs' defaults hold here too. False: no memory. */
bool schema_apply_defaults(struct value *object, const struct schema *schema) __attribute__((warn_unused_result));

#endif
