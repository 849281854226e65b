/* Any bytes: parsing ends in documents or an error, and what was parsed prints and reads back the same. */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "data/yaml.h"

static void parse_again(const struct value *v)
{
    struct buf out = buf_make(SIZE_MAX);
    struct error err = ERROR_INIT;
    yaml_print(v, &out);
    if (!buf_ok(&out))
        abort();
    struct value *again = yaml_parse(out.bytes, out.length, "printed", YAML_DUPLICATES_REFUSE, &err);
    /* What aliases made may be too large to be written out, and reading it back has bounds of its own. */
    if (!value_equal(v, again) && err.kind != ERROR_LIMIT)
        abort();
    value_free(again);
    buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct vec documents, refused;
    struct error err = ERROR_INIT;
    bool ok = yaml_parse_all((const char *)data, size, "input", YAML_DUPLICATES_LAST, &documents, &err);
    if (ok != (err.kind == ERROR_NONE))
        abort();
    bool strict = yaml_parse_all((const char *)data, size, "input", YAML_DUPLICATES_REFUSE, &refused, NULL);
    if (strict)
        vec_free(&refused);
    if (strict && !ok)
        abort();
    if (!ok)
        return 0;
    for (size_t i = 0; i < documents.length; i++)
        parse_again(documents.items[i]);
    vec_free(&documents);
    return 0;
}
