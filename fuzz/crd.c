/* Fuzzes definitions and their objects: YAML documents, the first of which is a CustomResourceDefinition and the others
 * objects. What is right can be compiled; an object that was decoded once is decoded the same a second time; a default that was
 * filled in stays. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/yaml.h"
#include "practice/schema/crd.h"
#include "practice/schema/decode.h"
#include "practice/schema/rules.h"

enum { INPUT = 1 << 16, DOCUMENTS = 8, MOST = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void free_value(void *v)
{
    value_free(v);
}

static void play(const struct schema_kind *kind, struct value *object)
{
    struct vec unknown = vec_make(SCHEMA_COMPLAINTS, mem_free);
    struct problems problems = problems_make();
    struct buf out = buf_make(MOST);
    struct error err = ERROR_INIT;
    const struct crd_column *columns = NULL;
    if (value_type(object) == VALUE_OBJECT && crd_decode(kind, object, &unknown, &err) && crd_default(kind, object)) {
        struct value *again = value_copy(object);
        if (again == NULL || !crd_decode(kind, again, NULL, &err) || !crd_default(kind, again) || !value_equal(again, object))
            abort();
        crd_validate_object(kind, object, NULL, false, &problems);
        crd_validate_object(kind, object, again, true, &problems);
        size_t count = crd_columns(kind, &columns);
        for (size_t i = 0; i < count; i++)
            if (!crd_cell(kind, i, object, 0, &out))
                break;
        value_free(again);
    }
    buf_free(&out);
    problems_free(&problems);
    vec_free(&unknown);
}

static void define(struct value *definition, const struct vec *documents)
{
    const struct schema_kind *kind = schema_kind_of("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    struct problems problems = problems_make();
    struct vec warnings = vec_make(1000, mem_free);
    struct error err = ERROR_INIT;
    if (!schema_normalise(definition, kind->schema, NULL, &err) || !rules_default(kind, definition) ||
        !rules_prepare_create(kind, definition))
        goto out;
    rules_validate_create(kind, definition, &problems);
    if (!problems_none(&problems))
        goto out;
    struct crd *crd = crd_new(definition, &err);
    if (crd == NULL || !crd_warn(definition, &warnings))
        abort(); /* a definition that is right can be compiled */
    size_t count = 0;
    const struct schema_kind *const *kinds = crd_kinds(crd, &count);
    for (size_t i = 0; i < count; i++) {
        struct buf text = buf_make(MOST);
        (void)!crd_openapi(kinds[i], i % 2 == 1, &text);
        buf_free(&text);
        for (size_t j = 1; j < documents->length; j++)
            play(kinds[i], documents->items[j]);
    }
    crd_free(crd);
out:
    vec_free(&warnings);
    problems_free(&problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct vec documents = vec_make(DOCUMENTS, free_value);
    struct error err = ERROR_INIT;
    if (size <= INPUT && yaml_parse_all((const char *)data, size, "input", YAML_DUPLICATES_LAST, &documents, &err) &&
        documents.length > 0 && value_type(documents.items[0]) == VALUE_OBJECT)
        define(documents.items[0], &documents);
    vec_free(&documents);
    return 0;
}
