/* yaml_resolve.h: what an unquoted YAML scalar is, as go-yaml v2 (which kubectl uses) decides it.
 */
#ifndef KT_DATA_YAML_RESOLVE_H
#define KT_DATA_YAML_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "data/number.h"

enum yaml_type { YAML_NULL_TYPE, YAML_BOOL_TYPE, YAML_INT_TYPE, YAML_FLOAT_TYPE, YAML_TIME_TYPE, YAML_STRING_TYPE };

struct yaml_scalar {
    enum yaml_type type; /* times stay the text that they are, but are no strings to a tag */
    bool truth;
    struct number_integer integer;
    double real;
};

/* A plain scalar. False: no memory. */
bool yaml_resolve(const char *text, size_t length, struct yaml_scalar *out);
/* A scalar with one of the tags that resolve (a type's name behind "tag:yaml.org,2002:"). Sets *known to false for any other tag:
 * such scalars are strings. ERROR_INPUT in err where text and tag do not fit. */
bool yaml_resolve_tagged(const char *tag, const char *text, size_t length, struct yaml_scalar *out, bool *known, struct error *err);
/* The key that a scalar becomes in JSON: 1 is "1", yes is "true", 1.50 is "1.5". False where kubectl has none: null, and integers
 * beyond 2^63. */
bool yaml_key(const struct yaml_scalar *scalar, const char *text, size_t length, struct buf *out);
/* True if a string that is printed without quotes reads back as itself (but for what the emitter looks at: indicators, spaces). */
bool yaml_plain_is_string(const char *text);

#endif
