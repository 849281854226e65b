/* patching.h: a patch as a line of JSON asks for it, answered as the API does: {"kind": "apps/v1 Deployment", "version":
 * "apps/v1", "type": "json|merge|strategic|apply|update", "live": {...}, "patch": ..., "manager": "m", "time":
 * "2026-01-02T03:04:05Z", "subresource": "status", "force": false}. An update's patch is the whole new object.
 */
#ifndef KT_TESTS_PATCHING_H
#define KT_TESTS_PATCHING_H

#include <stdbool.h>

#include "practice/schema/managed.h"

struct patching_question {
    const struct schema_kind *kind;
    const char *type;
    const struct value *live, *patch; /* live NULL: there is none */
    struct managed_by by;
    bool force;
};

/* live: instead of the line's, if not NULL. False: it is no question. */
bool patching_read(const struct value *line, const struct value *live, struct patching_question *q);
/* What the patch makes, decoded, defaulted, with managedFields. NULL with err; conflicts as managed_apply makes them, else
 * empty (vec_free). */
struct value *patching_answer(const struct patching_question *q, struct vec *conflicts, struct error *err);
/* The HTTP status of a refusal. */
int patching_code(const struct error *err);

#endif
