/* describe.h: what the server says about itself: discovery, OpenAPI v2 and v3, built from the registry and kept until its generation changes; and Tables.
 */
#ifndef KT_PRACTICE_API_DESCRIBE_H
#define KT_PRACTICE_API_DESCRIBE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "practice/api/api.h"

struct describe;

struct describe *describe_new(struct api *api, struct error *err) __attribute__((warn_unused_result));
void describe_free(struct describe *describe);

/* A document of /api, /api/v1, /apis, /apis/GROUP, /apis/GROUP/VERSION, /openapi/v2, /openapi/v3, /openapi/v3/apis/..., /version. */
struct described {
    const char *bytes; /* borrowed until the registry's generation changes or the next call */
    size_t length;
    const char *type;  /* Content-Type */
    char etag[80];     /* quoted; "" for none */
};
/* path as in the request, accept its Accept header (NULL: none). False: not one of these paths (failure empty), or refused (404, 406) with *failure filled. */
bool describe_answer(struct describe *describe, const char *path, const char *accept, struct described *out, struct status *failure);

/* Tables. Which part of each object goes into its row. */
enum include_object { INCLUDE_METADATA, INCLUDE_OBJECT, INCLUDE_NONE };
/* Appends `"columnDefinitions":[...]` of a kind. */
void table_columns(const struct schema_kind *kind, struct buf *out);
/* Appends one row, `{"cells":[...],"object":{...}}`. document is the object in the kind's version (for include, text is printed from `object` where that is not NULL). now_ms: for ages (which
 * are words, "5m", as the real server prints them). */
bool table_row(const struct schema_kind *kind, const struct value *document, const struct object *object, enum include_object include, int64_t now_ms, struct buf *out,
               struct error *err) __attribute__((warn_unused_result));

#endif
