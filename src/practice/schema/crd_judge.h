/* crd_judge.h: what the files share that tell whether a definition is right. For this folder only.
 */
#ifndef KT_PRACTICE_SCHEMA_CRD_JUDGE_H
#define KT_PRACTICE_SCHEMA_CRD_JUDGE_H

#include <stdbool.h>

#include "base/buf.h"
#include "data/value.h"
#include "practice/schema/names.h"
#include "practice/schema/problem.h"

/* Is a schema structural (apiextensions-apiserver's ValidateStructural)? In the order of the messages, as there. */
void crd_judge_structure(const struct value *schema, const struct place *place, struct problems *problems);
/* What keeps it from being read as a structural schema at all, in the server's words; NULL: nothing. */
const char *crd_judge_reading(const struct value *schema);
/* The rules of a schema's keywords, one by one. */
void crd_judge_keywords(const struct value *schema, const struct place *place, struct problems *problems);
/* Defaults must be right by their own schema, and have no unknown fields. Only for a structural schema. */
void crd_judge_defaults(const struct value *schema, const struct place *place, struct problems *problems);

/* All that is wrong with a text, in one sentence. */
void crd_judge_joined(const struct place *place, const char *value, const char *before, struct complaints complaints, struct problems *problems);

/* Go's JSON of the internal types that some refusals show. */
void crd_form_schema(const struct value *schema, struct buf *out);
/* Of spec.versions; lifted ones are the parts that all versions have in common: those are not shown. */
struct crd_lifted {
    bool schema, subresources, columns, selectable;
};
void crd_form_versions(const struct value *versions, const struct crd_lifted *lifted, struct buf *out);
/* spec.versions one by one, but for what is lifted; and what is lifted. `spec` is where they stand (crd_version.c). */
void crd_judge_versions(const struct value *versions, const struct crd_lifted *lifted, const struct place *spec, struct problems *problems);
void crd_judge_lifted(const struct value *versions, const struct crd_lifted *lifted, const struct place *spec, struct problems *problems);

#endif
