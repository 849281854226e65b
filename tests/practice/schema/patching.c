#include "patching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json.h"
#include "data/patch.h"
#include "data/units.h"
#include "practice/schema/decode.h"
#include "practice/schema/patch.h"
#include "practice/schema/rules.h"

bool patching_read(const struct value *line, const struct value *live, struct patching_question *q)
{
    char kind[256];
    snprintf(kind, sizeof kind, "%s", value_find_text(line, "kind", NULL) != NULL ? value_find_text(line, "kind", NULL) : "");
    char *space = strchr(kind, ' '), *slash = strchr(kind, '/');
    if (space == NULL)
        return false;
    *space = '\0';
    if (slash != NULL)
        *slash = '\0';
    const struct schema_kind *known = schema_kind_of(slash != NULL ? kind : "", slash != NULL ? slash + 1 : kind, space + 1);
    live = live != NULL ? live : value_get(line, "live");
    const char *type = value_find_text(line, "type", NULL);
    *q = (struct patching_question){.type = type,
                                    .kind = known,
                                    .live = value_type(live) == VALUE_OBJECT ? live : NULL,
                                    .patch = value_get(line, "patch"),
                                    .force = value_is_true(value_get(line, "force")),
                                    .by = {.manager = value_find_text(line, "manager", NULL),
                                           .subresource = value_find_text(line, "subresource", NULL),
                                           .api_version = value_find_text(line, "version", NULL)}};
    const char *time = value_find_text(line, "time", NULL);
    return known != NULL && type != NULL && q->by.api_version != NULL && time != NULL && time_parse(time, &q->by.time_ms);
}

int patching_code(const struct error *err)
{
    switch (err->kind) {
    case ERROR_INPUT:
        return 400;
    case ERROR_INVALID:
        return 422;
    case ERROR_CONFLICT:
        return 409;
    case ERROR_LIMIT:
        return 413;
    default:
        return 500;
    }
}

/* Typed decoding knows what it decodes. */
static bool set_missing(struct value *object, const char *key, const char *text)
{
    return value_type(object) != VALUE_OBJECT || value_get(object, key) != NULL || value_set(object, key, value_string(text));
}

/* managed_update, and for a creation managed_create as well: both must say the same. */
static bool manage(const struct patching_question *q, struct value *made, struct error *err)
{
    if (q->live != NULL)
        return managed_update(made, q->live, q->kind->schema, &q->by, err);
    struct buf text = buf_make(SIZE_MAX), other = buf_make(SIZE_MAX);
    struct value *copy = value_copy(made);
    bool ok = copy != NULL && managed_create(copy, q->kind->schema, &q->by, &text, err) && managed_update(made, NULL, q->kind->schema, &q->by, err);
    const struct value *managed = value_find(made, "metadata", "managedFields", NULL);
    if (ok && managed != NULL)
        json_print(managed, false, &other);
    ok = (ok && buf_ok(&other)) || error_memory(err);
    if (ok && (text.length != other.length || memcmp(text.length > 0 ? text.bytes : "", other.length > 0 ? other.bytes : "", text.length) != 0))
        ok = error_set(err, ERROR_INTERNAL, "", "managed fields as text: %.400s", text.length > 0 ? text.bytes : "none");
    if (ok && value_find(copy, "metadata", "managedFields", NULL) != NULL)
        ok = error_set(err, ERROR_INTERNAL, "", "managed fields are in the document, too");
    value_free(copy);
    buf_free(&text);
    buf_free(&other);
    return ok;
}

struct value *patching_answer(const struct patching_question *q, struct vec *conflicts, struct error *err)
{
    *conflicts = vec_make(0, NULL);
    struct value *made = strcmp(q->type, "json") == 0        ? patch_json(q->live, q->patch, err)
                         : strcmp(q->type, "merge") == 0     ? patch_merge(q->live, q->patch, err)
                         : strcmp(q->type, "strategic") == 0 ? patch_strategic(q->live, q->patch, q->kind->schema, err)
                         : strcmp(q->type, "apply") == 0
                             ? managed_apply(q->live, q->patch, q->kind->schema, &q->by, q->force, conflicts, err)
                             : value_copy(q->patch);
    if (made == NULL)
        return NULL;
    bool ok = set_missing(made, "apiVersion", q->by.api_version) && set_missing(made, "kind", q->kind->kind) &&
              schema_normalise(made, q->kind->schema, NULL, err);
    if (!ok && err->kind == ERROR_INPUT)
        err->kind = ERROR_INVALID;
    ok = ok && (rules_default(q->kind, made) || error_memory(err)) && schema_normalise(made, q->kind->schema, NULL, err);
    if (ok && strcmp(q->type, "apply") != 0)
        ok = manage(q, made, err);
    if (ok && q->live != NULL)
        ok = managed_settle(made, q->live);
    if (ok)
        return made;
    value_free(made);
    return NULL;
}
