/* A protobuf body becomes an object that its own JSON gives again, or an error. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/decode.h"
#include "practice/schema/protobuf.h"

enum { MOST = 1 << 26 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = ERROR_INIT;
    struct protobuf_envelope envelope;
    if (!protobuf_open(data, size, &envelope, &err))
        return 0;
    const struct schema_kind *kind = schema_kind_at(envelope.api_version, envelope.kind);
    const struct schema *schema = kind != NULL ? kind->schema : schema_definition("io.k8s.api.core.v1.PodList");
    struct value *v = protobuf_decode(&envelope, schema, &err);
    if ((v == NULL) != (err.kind != ERROR_NONE))
        abort();
    if (v == NULL)
        return 0;
    char *text = json_text(v, MOST);
    struct value *again = text != NULL ? schema_decode(text, strlen(text), schema, NULL, &err) : NULL;
    char *same = again != NULL ? json_text(again, MOST) : NULL;
    if (same == NULL || strcmp(text, same) != 0)
        abort();
    mem_free(text);
    mem_free(same);
    value_free(again);
    value_free(v);
    return 0;
}
