/* Any bytes: parsing ends in a value or an error, and what was parsed prints and parses back to the same. */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "data/json.h"

static void parse_again(const struct value *v, bool indented)
{
    struct buf out = buf_make(SIZE_MAX);
    json_print(v, indented, &out);
    struct value *again = json_parse(out.bytes, out.length, "printed", NULL);
    if (!value_equal(v, again))
        abort();
    value_free(again);
    buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = ERROR_INIT;
    struct value *v = json_parse((const char *)data, size, "input", &err);
    if ((v == NULL) != (err.kind != ERROR_NONE))
        abort();
    if (v == NULL)
        return 0;
    parse_again(v, false);
    parse_again(v, true);
    struct value *copy = value_copy(v);
    if (!value_equal(v, copy))
        abort();
    value_free(copy);
    value_free(v);
    return 0;
}
