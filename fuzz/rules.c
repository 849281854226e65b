/* One or two JSON bodies of a kind, one a line: the whole way of a creation, and of an update of the second to the first. Whatever was decoded is judged without a fault,
 * and defaults that are set once stay as they are. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/convert.h"
#include "practice/schema/decode.h"
#include "practice/schema/rules.h"

enum { MOST = 1 << 26 };

static struct value *decode(const char *text, size_t length, const struct schema_kind *kind)
{
    struct value *v = schema_decode(text, length, kind->schema, NULL, NULL), *metadata;
    if (v == NULL)
        return NULL;
    metadata = value_child(v, "metadata");
    if (metadata == NULL || !value_set(metadata, "uid", value_string("00000000-0000-0000-0000-000000000001")) || !rules_default(kind, v))
        abort();
    return v;
}

static void check_defaults(const struct schema_kind *kind, const struct value *v)
{
    struct value *again = value_copy(v);
    if (again == NULL || !rules_default(kind, again))
        abort();
    char *once = json_text(v, MOST), *twice = json_text(again, MOST);
    if (once == NULL || twice == NULL || strcmp(once, twice) != 0)
        abort();
    mem_free(once);
    mem_free(twice);
    value_free(again);
}

static void warn(const struct rules *rules, const struct value *v, const struct value *old)
{
    struct vec warnings = vec_make(1000, mem_free);
    if (rules->warn != NULL)
        rules->warn(v, old, &warnings);
    vec_free(&warnings);
}

static void create(const struct schema_kind *kind, struct value *v)
{
    const struct rules *rules = rules_of(kind);
    struct problems problems = problems_make();
    struct buf field = buf_make(MOST);
    if (!rules_prepare_create(kind, v))
        abort();
    rules_validate_create(kind, v, &problems);
    if (problems.failed)
        abort();
    warn(rules, v, NULL);
    for (size_t i = 0; rules->selectors != NULL && rules->selectors[i] != NULL; i++)
        rules_field(kind, v, rules->selectors[i], &field);
    if (rules->grace != NULL)
        (void)rules->grace(v);
    buf_free(&field);
    problems_free(&problems);
}

static void update(const struct schema_kind *kind, const struct value *v, const struct value *old)
{
    struct problems problems = problems_make();
    struct value *now = value_copy(v), *status = value_copy(v);
    if (now == NULL || status == NULL || !rules_prepare_update(kind, now, old) || !rules_prepare_status(kind, status, old))
        abort();
    rules_validate_update(kind, now, old, &problems);
    rules_validate_status(kind, status, old, &problems);
    warn(rules_of(kind), now, old);
    if (problems.failed)
        abort();
    value_free(now);
    value_free(status);
    problems_free(&problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct schema_type_meta meta;
    const char *body = (const char *)data, *line = size > 0 ? memchr(body, '\n', size) : NULL;
    size_t first = line != NULL ? (size_t)(line - body) : size;
    if (!schema_type_meta(body, first, &meta, NULL))
        return 0;
    const struct schema_kind *kind = schema_kind_at(meta.api_version, meta.kind);
    struct value *v = kind != NULL ? decode(body, first, kind) : NULL, *old = v != NULL && line != NULL ? decode(line + 1, size - first - 1, kind) : NULL;
    if (v == NULL)
        return 0;
    check_defaults(kind, v);
    if (kind->storage != kind) {
        struct value *stored = schema_convert(kind->storage, kind, v);
        if (stored == NULL)
            abort();
        value_free(stored);
    }
    if (old != NULL)
        update(kind, v, old);
    update(kind, v, v);
    create(kind, v);
    value_free(v);
    value_free(old);
    return 0;
}
