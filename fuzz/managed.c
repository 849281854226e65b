/* Lines: an object, and another one of its kind (apiVersion and kind say which; else Deployment). Whatever they are, a
 * strategic patch, an update and applies end in a value or an error, and what belongs to whom can be read again: a second
 * update that changes nothing changes no managedFields. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/json.h"
#include "practice/schema/managed.h"
#include "practice/schema/patch.h"

static const struct schema *schema_of(const struct value *object)
{
    const char *version = value_find_text(object, "apiVersion", NULL), *kind = value_find_text(object, "kind", NULL);
    size_t count;
    const struct schema_kind *const *kinds = schema_kinds(&count);
    for (size_t i = 0; version != NULL && kind != NULL && i < count; i++)
        if (strcmp(kinds[i]->kind, kind) == 0 && strstr(version, kinds[i]->version) != NULL)
            return kinds[i]->schema;
    return schema_kind_of("apps", "v1", "Deployment")->schema;
}

static void check(const struct value *result, const struct error *err)
{
    if ((result == NULL) != (err->kind != ERROR_NONE))
        abort();
}

static void apply(const struct value *live, const struct value *config, const struct schema *schema,
                  const struct managed_by *by, bool force)
{
    struct vec conflicts, more;
    struct error err = ERROR_INIT;
    struct value *object = managed_apply(live, config, schema, by, force, &conflicts, &err);
    check(object, &err);
    if ((err.kind == ERROR_CONFLICT) != (conflicts.length > 0))
        abort();
    vec_free(&conflicts);
    if (object == NULL)
        return;
    err = ERROR_INIT;
    struct value *second = managed_apply(object, config, schema, by, force, &more, &err);
    check(second, &err);
    vec_free(&more);
    value_free(second);
    value_free(object);
}

/* An update that changes nothing, later; the result is a new value. */
static struct value *again(const struct value *object, const struct schema *schema, const struct managed_by *by)
{
    struct managed_by later = *by;
    struct value *same = value_copy(object);
    later.time_ms += 1000;
    value_remove(value_get(same, "metadata"), "managedFields");
    if (!managed_update(same, object, schema, &later, NULL) || !managed_settle(same, object))
        abort();
    return same;
}

static void update(const struct value *old, const struct value *new, const struct schema *schema, const struct managed_by *by)
{
    struct value *object = value_copy(new);
    if (!managed_update(object, old, schema, by, NULL))
        abort();
    /* What somebody made up, and could not be looked at first, is in order after the second one. */
    struct value *second = again(object, schema, by), *third = again(second, schema, by);
    if (!value_equal(second, third))
        abort();
    value_free(object);
    value_free(second);
    value_free(third);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *line = memchr(text, '\n', size);
    size_t length = line != NULL ? (size_t)(line - text) : size;
    struct value *one = json_parse(text, length, "one", NULL),
                 *other = line != NULL ? json_parse(line + 1, size - length - 1, "other", NULL) : NULL;
    if (value_type(one) == VALUE_OBJECT && value_type(other) == VALUE_OBJECT &&
        value_type(value_get(one, "metadata")) == VALUE_OBJECT) {
        const struct schema *schema = schema_of(one);
        const char *version = value_find_text(one, "apiVersion", NULL);
        struct managed_by by = {
            .manager = "kubectl", .api_version = version != NULL ? version : "apps/v1", .time_ms = 1700000000000};
        struct error err = ERROR_INIT;
        struct value *patched = patch_strategic(one, other, schema, &err);
        check(patched, &err);
        value_free(patched);
        update(NULL, one, schema, &by);
        if (value_type(value_get(other, "metadata")) == VALUE_OBJECT)
            update(one, other, schema, &by);
        apply(NULL, one, schema, &by, false);
        apply(one, other, schema, &by, false);
        apply(one, other, schema, &by, true);
    }
    value_free(one);
    value_free(other);
    return 0;
}
