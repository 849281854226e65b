/* patch.h: JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7386) on documents.
 */
#ifndef KT_DATA_PATCH_H
#define KT_DATA_PATCH_H

#include "base/error.h"
#include "data/value.h"

enum { PATCH_OPERATIONS = 10000 }; /* of one JSON patch, as kube-apiserver's limit */

/* The document with all operations done, a new value, or nothing done. Works like the library that kube-apiserver uses where the RFC leaves room (null values, "-", missing parents,
 * removing what is not there; see tests/data/patch). ERROR_INPUT: not a JSON patch (400); ERROR_INVALID: an operation that does not fit, a failed test (422); ERROR_LIMIT: too many operations or
 * the copies grow too large; ERROR_MEMORY. */
struct value *patch_json(const struct value *document, const struct value *operations, struct error *err) __attribute__((warn_unused_result));

/* RFC 7386; a new value. NULL: ERROR_INPUT (the patch is no object), ERROR_MEMORY. */
struct value *patch_merge(const struct value *document, const struct value *patch, struct error *err) __attribute__((warn_unused_result));

#endif
