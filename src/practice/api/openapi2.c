/* openapi2.c: /openapi/v2: everything that is served in one document. It is made piece by piece; for protobuf each piece is read back and written again, so that both say the same. */
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/api/openapi.h"

static const struct openapi_form v2 = {true, "#/definitions/"};

enum { DOCUMENT_INFO = 2, DOCUMENT_PATHS = 8, DOCUMENT_DEFINITIONS = 9, PART = 32 << 20 };

/* A part of the document in protobuf, while its pieces come. */
struct part {
    bool (*put)(const char *name, const struct value *piece, struct buf *out);
    struct buf out, text;
    bool failed;
};

static void put_piece(void *data, const struct buf *text)
{
    struct part *part = data;
    struct error err = ERROR_INIT;
    if (text == NULL || !buf_ok(text)) {
        part->failed = true;
        return;
    }
    buf_clear(&part->text);
    buf_append_string(&part->text, "{");
    buf_append(&part->text, text->bytes, text->length);
    buf_append_string(&part->text, "}");
    struct value *object = buf_ok(&part->text) ? json_parse(part->text.bytes, part->text.length, "openapi", &err) : NULL;
    const struct value *piece = value_first(object);
    if (piece == NULL || !part->put(value_key(piece), piece, &part->out))
        part->failed = true;
    value_free(object);
}

static void put_part(unsigned number, struct part *part, struct buf *out)
{
    if (part->failed || !buf_ok(&part->out))
        buf_fail(out); /* memory ran out: describe.c answers 500 */
    openapi2_bytes(number, part->out.bytes, part->out.length, out);
    buf_free(&part->out);
    buf_free(&part->text);
}

static void all_paths(const struct api *api, openapi_piece *piece, void *data)
{
    size_t count;
    const struct schema_kind *const *kinds = registry_kinds(api->registry, &count);
    for (size_t i = 0; i < count; i++)
        openapi_paths(kinds[i], &v2, piece, data);
}

static void all_definitions(const struct api *api, openapi_piece *piece, void *data)
{
    size_t count;
    const struct schema_kind *const *kinds = registry_kinds(api->registry, &count);
    struct openapi_set set = openapi_set_make();
    if (openapi_collect(api, NULL, NULL, &set))
        openapi_definitions(api, &set, &v2, piece, data);
    else
        piece(data, NULL);
    for (size_t i = 0; i < count; i++)
        if (kinds[i]->crd != NULL)
            openapi_custom_definitions(kinds[i], &v2, piece, data);
    openapi_set_free(&set);
}

static void json_document(const struct api *api, struct buf *out)
{
    struct openapi_joined joined = {.out = out};
    buf_append_string(out, "{\"swagger\":\"2.0\",\"info\":{\"title\":\"Kubernetes\",\"version\":\"1.37\"},\"paths\":{");
    all_paths(api, openapi_join, &joined);
    buf_append_string(out, "},\"definitions\":{");
    joined.any = false;
    all_definitions(api, openapi_join, &joined);
    buf_append_string(out, "},\"securityDefinitions\":{\"BearerToken\":{\"type\":\"apiKey\",\"name\":\"authorization\",\"in\":\"header\"}},\"security\":[{\"BearerToken\":[]}]}");
    if (joined.failed)
        buf_fail(out); /* as above */
}

void openapi2_document(const struct api *api, bool protobuf, struct buf *out)
{
    static const char info[] = "\x0a\x0aKubernetes\x12\x04" "1.37"; /* title, version */
    if (!protobuf) {
        json_document(api, out);
        return;
    }
    struct part paths = {.put = openapi2_path, .out = buf_make(PART), .text = buf_make(OPENAPI_PIECE + 2)};
    struct part definitions = {.put = openapi2_definition, .out = buf_make(PART), .text = buf_make(OPENAPI_PIECE + 2)};
    openapi2_bytes(1, "2.0", 3, out);
    openapi2_bytes(DOCUMENT_INFO, info, sizeof info - 1, out);
    all_paths(api, put_piece, &paths);
    put_part(DOCUMENT_PATHS, &paths, out);
    all_definitions(api, put_piece, &definitions);
    put_part(DOCUMENT_DEFINITIONS, &definitions, out);
}
