/* openapi.h: the schema table as OpenAPI; only for describe.c and openapi*.c.
 */
#ifndef KT_PRACTICE_API_OPENAPI_H
#define KT_PRACTICE_API_OPENAPI_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/vec.h"
#include "data/value.h"
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

/* Documents are made of pieces `"NAME":{...}`, each given to its reader once and then forgotten: nobody needs the whole as a tree. */
enum { OPENAPI_PIECE = 8 << 20 };
typedef void openapi_piece(void *data, const struct buf *text); /* text NULL, or failed: no memory */
/* The reader that writes them one after the other. */
struct openapi_joined {
    struct buf *out;
    bool any, failed;
};
void openapi_join(void *data, const struct buf *text);

/* All definitions of a set, and those of custom kinds. */
void openapi_definitions(const struct api *api, const struct openapi_set *set, const struct openapi_form *form, openapi_piece *piece, void *data);
void openapi_custom_definitions(const struct schema_kind *kind, const struct openapi_form *form, openapi_piece *piece, void *data);
/* openapi_path.c: what can be done with a kind's objects. */
void openapi_paths(const struct schema_kind *kind, const struct openapi_form *form, openapi_piece *piece, void *data);

#define OPENAPI_META "io.k8s.apimachinery.pkg.apis.meta.v1."
/* Appends `{"$ref":"..."}`. */
void openapi_reference(const char *prefix, const char *name, const struct openapi_form *form, struct buf *out);
/* The definition's name of a custom kind, which has none in the table: com.example.menu.v1.Dish. The caller frees. */
char *openapi_custom_name(const struct schema_kind *kind, const char *suffix) __attribute__((warn_unused_result));
/* All that the kinds of one group version lead to; group NULL: those of all. */
bool openapi_collect(const struct api *api, const char *group, const char *version, struct openapi_set *set) __attribute__((warn_unused_result));
/* Appends the schema of one field or item. */
void openapi_node(const struct schema *schema, const struct openapi_form *form, struct buf *out);
/* Appends `{"group":"apps","kind":"Deployment","version":"v1"}`. */
void openapi_kind(const char *group, const char *version, const char *kind, struct buf *out);

/* Is it one of the group version's? group NULL: of any. */
bool openapi_is_of(const struct schema_kind *kind, const char *group, const char *version);

/* openapi2.c: /openapi/v2, as JSON or in protobuf (gnostic's OpenAPIv2.proto, which kubectl asks for). */
void openapi2_document(const struct api *api, bool protobuf, struct buf *out);
/* openapi2_protobuf.c: appends a part of a document, one field of the message Paths (a path) or Definitions (a schema); false: no memory. */
bool openapi2_path(const char *name, const struct value *item, struct buf *out) __attribute__((warn_unused_result));
bool openapi2_definition(const char *name, const struct value *schema, struct buf *out) __attribute__((warn_unused_result));
/* Appends a field of bytes. */
void openapi2_bytes(unsigned number, const void *bytes, size_t length, struct buf *out);

/* openapi3.c: /openapi/v3; /openapi/v3/api/v1, /openapi/v3/apis/GROUP/VERSION (false: not served). */
void openapi3_index(const struct api *api, struct buf *out);
bool openapi3_document(const struct api *api, const char *group, const char *version, struct buf *out);

#endif
