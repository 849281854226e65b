/* Any bytes as a body, of any type: a document or a refusal. What our parser takes has no fault in Go's words. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/api/body.h"
#include "practice/schema/decode.h"

static void read(const struct body *body, bool (*reader)(const struct body *body, struct call *call, struct vec *duplicates, struct status *failure),
                 enum schema_verb verb)
{
    struct status failure = {0};
    struct vec duplicates = vec_make(BODY_DUPLICATES, mem_free);
    struct call call = {.verb = verb, .kind = schema_kind_of("", "v1", "ConfigMap")};
    bool taken = reader(body, &call, &duplicates, &failure);
    if (taken != (failure.code == 0))
        abort();
    value_free(call.body);
    vec_free(&duplicates);
    status_free(&failure);
}

static bool read_delete(const struct body *body, struct call *call, struct vec *duplicates, struct status *failure)
{
    (void)duplicates;
    return body_read_delete(body, call, failure);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {NULL, "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"};
    static const char *const patches[] = {"application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json",
                                          "application/apply-patch+yaml"};
    char *text = mem_string_n((const char *)data, size); /* a NUL behind it, as HTTP bodies have one */
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct body body = {.type = types[i], .bytes = text, .length = size};
        read(&body, body_read, VERB_CREATE);
        read(&body, read_delete, VERB_DELETE);
    }
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++)
        read(&(struct body){.type = patches[i], .bytes = text, .length = size}, body_read_patch, VERB_PATCH);
    char fault[256];
    struct value *parsed = json_parse(text, size, "body", NULL);
    bool marked = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0; /* of byte order: Go takes none */
    if (schema_syntax_error(text, size, fault, sizeof fault) && parsed != NULL && !marked)
        abort();
    value_free(parsed);
    mem_free(text);
    return 0;
}
