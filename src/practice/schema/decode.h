/* decode.h: bodies of requests, read as the real server reads them: Go's typed decoding, then what encoding again would give.
 *
 * What comes out is an object as answers show it: fields in the table's order; null is absent; what cannot be told from absent is absent
 * (SCHEMA_OMIT_ZERO), what is always there is there (SCHEMA_ALWAYS); quantities, times and base64 in their one canonical form; unknown
 * fields are dropped (but for SCHEMA_PRESERVE). It holds for built-in kinds and for those of CRDs; values of a CRD that are not what its
 * schema says are left to its validation (crd.h).
 *
 * Complaints are what fieldValidation is about, worded as in the server's answers: unknown field "spec.foo", duplicate field "metadata.name".
 * They are strings in a list made with vec_make(SCHEMA_COMPLAINTS, mem_free); NULL: nobody wants to know (fieldValidation=Ignore), which is
 * a little faster. Strict: refuse with `strict decoding error: ` and the complaints with ", " between them. Warn: a warning each.
 *
 * Errors (ERROR_INPUT) have the server's message, without what it puts in front: "json: cannot unmarshal string into Go struct field
 * Container.spec.containers.command of type []string"; it answers 400 `KIND in version "VERSION" cannot be handled as a KIND: MESSAGE`.
 *
 * Known differences: of a key that stands twice only the last value is read (Go reads both, and makes one of two objects); base64 given as a list of
 * numbers is a wrong type.
 */
#ifndef KT_PRACTICE_SCHEMA_DECODE_H
#define KT_PRACTICE_SCHEMA_DECODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/vec.h"
#include "data/value.h"
#include "practice/schema/schema.h"

enum { SCHEMA_COMPLAINTS = 100 }; /* later ones are dropped, as the server does */

/* Reads one JSON document. The caller frees the result. NULL: ERROR_INPUT, ERROR_LIMIT (too deep), ERROR_MEMORY. */
struct value *schema_decode(const char *text, size_t length, const struct schema *schema, struct vec *complaints, struct error *err)
    __attribute__((warn_unused_result));

/* The same for an object that was just parsed from that text, which is NULL where it was another form. What a parsed document does not tell is looked up
 * there: keys that stood twice, the order of complaints, that 3.0 is no integer. After false the object is good for value_free only. */
bool schema_read(struct value *object, const char *text, size_t length, const struct schema *schema, struct vec *complaints, struct error *err)
    __attribute__((warn_unused_result));

/* The same for an object that is there already: a patched one, one that a controller made, one that was changed since it was decoded (fields
 * that were added stand in their place afterwards). Done twice it changes nothing. After false the object is good for value_free only. */
bool schema_normalise(struct value *object, const struct schema *schema, struct vec *complaints, struct error *err)
    __attribute__((warn_unused_result));

/* apiVersion and kind of a body: "" where they are missing. False: ERROR_INPUT for what is no JSON object or has another type there; then, and when
 * schema_decode meets what is no JSON, err->where is SCHEMA_NO_JSON, and the message is "couldn't get version/kind; json parse error: ...". */
#define SCHEMA_NO_JSON "no JSON"
struct schema_type_meta {
    char api_version[128], kind[128]; /* longer ones are cut: nothing is called so */
};
bool schema_type_meta(const char *text, size_t length, struct schema_type_meta *out, struct error *err) __attribute__((warn_unused_result));

/* Why a text is no JSON, in the words of Go's encoding/json that refusals quote: "invalid character '}' looking for beginning of object key string". False: Go
 * would take it, though it may be too deep for json_parse. */
bool schema_syntax_error(const char *text, size_t length, char *out, size_t room);

#endif
