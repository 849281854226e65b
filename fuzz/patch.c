/* Lines: a document and a patch. Whatever they are, each kind of patch ends in a value or an error, the two given stay as
 * they were, and merging a result a third time changes nothing. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/json.h"
#include "data/patch.h"

typedef struct value *(*patcher)(const struct value *document, const struct value *patch, struct error *err);

static struct value *patched(patcher patch, const struct value *document, const struct value *with)
{
    struct value *document_before = value_copy(document), *with_before = value_copy(with);
    struct error err = ERROR_INIT;
    struct value *result = patch(document, with, &err);
    if ((result == NULL) != (err.kind != ERROR_NONE) || !value_equal(document, document_before) ||
        !value_equal(with, with_before))
        abort();
    value_free(document_before);
    value_free(with_before);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *line = memchr(text, '\n', size);
    size_t length = line != NULL ? (size_t)(line - text) : size;
    struct value *document = json_parse(text, length, "document", NULL);
    struct value *with = line != NULL ? json_parse(line + 1, size - length - 1, "patch", NULL) : NULL;
    if (document != NULL && with != NULL) {
        value_free(patched(patch_json, document, with));
        struct value *merged = patched(patch_merge, document, with);
        /* A list that takes an object's place keeps its nulls, and loses them when it takes a list's. */
        struct value *again = merged != NULL ? patched(patch_merge, merged, with) : NULL;
        struct value *third = merged != NULL ? patched(patch_merge, again, with) : NULL;
        if (merged != NULL && !value_equal(again, third))
            abort();
        value_free(merged);
        value_free(again);
        value_free(third);
    }
    value_free(document);
    value_free(with);
    return 0;
}
