/* Any bytes: a label selector, a line's end, a field selector. Parsing ends in a selector, which can be held against objects, or in a refusal (400).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/selector.h"

static const struct object objects[] = {
    {.ns = "default",
     .name = "a",
     .labels = "app\0web\0n\0"
               "5\0\0",
     .fields = "node1\0Running\0",
     .field_count = 2},
    {.ns = "", .name = "b", .labels = "\0", .fields = NULL},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *labels = mem_string_n((const char *)data, size), *fields = strchr(labels, '\n');
    struct status failure = {0};
    if (fields != NULL)
        *fields++ = '\0';
    struct selector *selector = selector_new(labels, fields, schema_kind_of("", "v1", "Pod"), &failure);
    if ((selector == NULL) != (failure.code == 400))
        abort();
    if (selector != NULL) {
        bool all = true;
        for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
            all = selector_matches(selector, &objects[i]) && all;
        if (selector_is_empty(selector) && !all)
            abort();
    } else if (failure.message == NULL) {
        abort();
    }
    selector_free(selector);
    status_free(&failure);
    mem_free(labels);
    return 0;
}
