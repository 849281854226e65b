/* A JSON body becomes an object that its own JSON gives again, with nothing left to complain about, or an error; with defaults, too. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/decode.h"
#include "practice/schema/defaults.h"

enum { MOST = 1 << 26 };

static struct value *decode(const char *text, size_t length, const struct schema *schema, size_t *complaints)
{
    struct error err = ERROR_INIT;
    struct vec list = vec_make(SCHEMA_COMPLAINTS, mem_free);
    struct value *v = schema_decode(text, length, schema, &list, &err);
    if ((v == NULL) != (err.kind != ERROR_NONE))
        abort();
    *complaints = list.length;
    vec_free(&list);
    return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct schema_type_meta meta;
    size_t complaints;
    const char *body = (const char *)data;
    if (!schema_type_meta(body, size, &meta, NULL))
        return 0;
    const struct schema_kind *kind = schema_kind_at(meta.api_version, meta.kind);
    const struct schema *schema = kind != NULL ? kind->schema : schema_definition("io.k8s.api.core.v1.Pod");
    struct value *v = decode(body, size, schema, &complaints);
    if (v == NULL)
        return 0;
    char *text = json_text(v, MOST);
    struct value *again = text != NULL ? decode(text, strlen(text), schema, &complaints) : NULL;
    char *same = again != NULL ? json_text(again, MOST) : NULL;
    if (same == NULL || strcmp(text, same) != 0 || complaints > 0)
        abort();
    if (!schema_apply_defaults(v, schema) || !schema_normalise(v, schema, NULL, NULL))
        abort();
    mem_free(text);
    mem_free(same);
    value_free(again);
    value_free(v);
    return 0;
}
