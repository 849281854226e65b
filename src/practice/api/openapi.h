/* openapi.h: the schema table as OpenAPI; only for describe.c and openapi*.c.
 */
#ifndef KT_PRACTICE_API_OPENAPI_H
#define KT_PRACTICE_API_OPENAPI_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/vec.h"
#include "practice/api/api.h"

/* Names that two spellings of OpenAPI differ in. */
struct openapi_form {
    bool v2;
    const char *reference; /* "#/components/schemas/" or "#/definitions/" */
};

/* The definitions that schemas lead to, each once, sorted by name when all are in: struct schema, borrowed. */
struct openapi_set {
    struct vec schemas; /* objects with a name */
    bool scalars[16];   /* by enum schema_type: Quantity, Time ... are referred to */
};
struct openapi_set openapi_set_make(void);
void openapi_set_free(struct openapi_set *set);
bool openapi_set_add(struct openapi_set *set, const struct schema *schema) __attribute__((warn_unused_result)); /* and all below it; false: no memory */
void openapi_set_sort(struct openapi_set *set);

/* Appends `"NAME":{...},...`: all definitions of a set. */
void openapi_definitions(const struct api *api, const struct openapi_set *set, const struct openapi_form *form, struct buf *out);
/* Appends the schema of one field or item. */
void openapi_node(const struct schema *schema, const struct openapi_form *form, struct buf *out);
/* Appends `{"group":"apps","kind":"Deployment","version":"v1"}`. */
void openapi_kind(const char *group, const char *version, const char *kind, struct buf *out);

/* openapi3.c: /openapi/v3; /openapi/v3/api/v1, /openapi/v3/apis/GROUP/VERSION (false: not served). */
void openapi3_index(const struct api *api, struct buf *out);
bool openapi3_document(const struct api *api, const char *group, const char *version, struct buf *out);

#endif
