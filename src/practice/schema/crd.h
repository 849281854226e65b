/* crd.h: a CustomResourceDefinition made into kinds, and what holds for its objects (apiextensions-apiserver's behaviour).
 * Pure: documents in, documents and problems out; who serves them is api/definitions.h.
 */
#ifndef KT_PRACTICE_SCHEMA_CRD_H
#define KT_PRACTICE_SCHEMA_CRD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"
#include "data/value.h"
#include "practice/schema/problem.h"
#include "practice/schema/schema.h"

struct crd;

/* ---- the definition itself ---- */

/* Is it right? Names, versions, structural schemas, defaults that fit, printer columns, subresources; old NULL: creation.
 * Called by the rules of the kind CustomResourceDefinition. */
void crd_validate(const struct value *definition, const struct value *old, struct problems *problems);
/* What holds for a write of its status. */
void crd_validate_status(const struct value *definition, struct problems *problems);
/* Words for Warning headers: x-kubernetes-validations are not enforced here, formats that mean nothing ... */
bool crd_warn(const struct value *definition, struct vec *warnings) __attribute__((warn_unused_result));

/* Compiles a definition that is right. The result and all its kinds live until crd_free; NULL without memory. */
struct crd *crd_new(const struct value *definition, struct error *err) __attribute__((warn_unused_result));
void crd_free(struct crd *crd); /* NULL is fine */
/* The kinds of its served versions; each has kind->crd, and kind->storage is the stored version's (which may not be served
 * itself). Borrowed. */
const struct schema_kind *const *crd_kinds(const struct crd *crd, size_t *count);

/* The words for a Warning header that each use of a deprecated version gets; NULL: it is not deprecated. */
const char *crd_deprecation(const struct schema_kind *kind);
/* For rules_of: field selectors of selectableFields (of the stored version), warnings about finalizers. */
struct rules;
const struct rules *crd_rules_of(const struct schema_kind *kind);

/* ---- its objects; kind->crd is not NULL ---- */

/* Decodes in place: types are left to validation, unknown fields are dropped by the structural schema and named in `unknown`
 * (`unknown field "spec.x"`, made by the caller; NULL: not wanted), apiVersion, kind and metadata are taken as ObjectMeta,
 * embedded resources too. ERROR_INPUT for what cannot be metadata (the real server's words); ERROR_MEMORY. */
bool crd_decode(const struct schema_kind *kind, struct value *object, struct vec *unknown, struct error *err)
    __attribute__((warn_unused_result));
/* A stored object as a version shows it: what the stored version's schema has come to not know is gone, its defaults are there, and what the version
 * `as` does not know is gone. Changes it in place. */
bool crd_read(const struct schema_kind *as, struct value *object) __attribute__((warn_unused_result));
/* Would that change nothing in an object that was written at a version of the state? So it is behind the one at which this definition's kinds came to be
 * (crd_begin), in the stored version. */
bool crd_shows(const struct schema_kind *as, uint64_t version);
void crd_begin(struct crd *crd, uint64_t version);
/* Defaults of the schema, deep; nulls that may not be are dropped first. */
bool crd_default(const struct schema_kind *kind, struct value *object) __attribute__((warn_unused_result));
/* Validation against the schema (types, required, bounds, patterns, enum, formats, allOf/anyOf/oneOf/not, list types), old
 * NULL: creation. `status`: it is the status subresource's write. */
void crd_validate_object(const struct schema_kind *kind, const struct value *object, const struct value *old, bool status,
                         struct problems *problems);
/* Does it have the subresource? And where its replicas, their count and selector are (paths such as ".spec.portions"; NULL:
 * none). */
struct crd_scale {
    const char *spec_replicas, *status_replicas, *selector;
};
const struct crd_scale *crd_scale_of(const struct schema_kind *kind);

/* additionalPrinterColumns (with Age, where none are given), for Tables. */
struct crd_column {
    const char *name, *type, *format, *description; /* "" where not given */
    int priority;
};
size_t crd_columns(const struct schema_kind *kind, const struct crd_column **columns);
/* Appends the cell of a column as JSON (`"text"`, 3, true, null), ages in words. */
bool crd_cell(const struct schema_kind *kind, size_t column, const struct value *object, int64_t now_ms, struct buf *out)
    __attribute__((warn_unused_result));

/* Appends the version's schema as OpenAPI v3 (for /openapi/v3 and, simplified, v2), with metadata's reference: JSON. */
bool crd_openapi(const struct schema_kind *kind, bool v2, struct buf *out) __attribute__((warn_unused_result));

#endif
