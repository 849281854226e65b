/* Answers patches, a line of JSON each, as the practice cluster's API does: {"kind": "apps/v1 Deployment", "type": "json|merge|strategic|apply|update", "live": {...} or null,
 * "patch": ..., "manager": "m", "time": "2026-01-02T03:04:05Z", "version": "apps/v1", "subresource": "status", "force": false} gives {"result": {...}} or {"code": 422, "message": "...", "causes": [[field, message]]}. An update's patch is the
 * whole new object. compare.py beside it asks a real server the same. With --time it measures what a line's update costs. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/patch.h"
#include "data/units.h"
#include "practice/schema/decode.h"
#include "practice/schema/defaults.h"
#include "practice/schema/managed.h"
#include "practice/schema/patch.h"

struct question {
    const struct schema *schema;
    const char *type, *kind;
    const struct value *live, *patch;
    struct managed_by by;
    bool force;
};

static bool read_question(const struct value *line, struct question *q)
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
    const struct value *live = value_get(line, "live");
    const char *type = value_find_text(line, "type", NULL);
    *q = (struct question){.schema = known != NULL ? known->schema : NULL, .type = type, .kind = known != NULL ? known->kind : NULL, .live = value_type(live) == VALUE_OBJECT ? live : NULL,
                           .patch = value_get(line, "patch"), .force = value_is_true(value_get(line, "force")),
                           .by = {.manager = value_find_text(line, "manager", NULL), .subresource = value_find_text(line, "subresource", NULL),
                                  .api_version = value_find_text(line, "version", NULL)}};
    const char *time = value_find_text(line, "time", NULL);
    return known != NULL && type != NULL && q->by.api_version != NULL && time != NULL && time_parse(time, &q->by.time_ms);
}

static int code_of(const struct error *err)
{
    switch (err->kind) {
    case ERROR_INPUT: return 400;
    case ERROR_INVALID: return 422;
    case ERROR_CONFLICT: return 409;
    case ERROR_LIMIT: return 413;
    default: return 500;
    }
}

/* Typed decoding knows what it decodes. */
static bool set_missing(struct value *object, const char *key, const char *text)
{
    return value_type(object) != VALUE_OBJECT || value_get(object, key) != NULL || value_set(object, key, value_string(text));
}

/* What a patch makes, as it would be stored. */
static struct value *patched(const struct question *q, struct vec *conflicts, struct error *err)
{
    struct value *made = strcmp(q->type, "json") == 0        ? patch_json(q->live, q->patch, err)
                         : strcmp(q->type, "merge") == 0     ? patch_merge(q->live, q->patch, err)
                         : strcmp(q->type, "strategic") == 0 ? patch_strategic(q->live, q->patch, q->schema, err)
                         : strcmp(q->type, "apply") == 0     ? managed_apply(q->live, q->patch, q->schema, &q->by, q->force, conflicts, err)
                                                             : value_copy(q->patch);
    if (made == NULL)
        return NULL;
    bool ok = set_missing(made, "apiVersion", q->by.api_version) && set_missing(made, "kind", q->kind) && schema_normalise(made, q->schema, NULL, err);
    if (!ok && err->kind == ERROR_INPUT)
        err->kind = ERROR_INVALID;
    ok = ok && schema_apply_defaults(made, q->schema) && schema_normalise(made, q->schema, NULL, err);
    if (ok && strcmp(q->type, "apply") != 0)
        ok = managed_update(made, q->live, q->schema, &q->by, err);
    if (ok && q->live != NULL)
        ok = managed_settle(made, q->live);
    if (ok)
        return made;
    value_free(made);
    return NULL;
}

static void print_answer(const struct value *result, const struct vec *conflicts, const struct error *err, struct buf *out)
{
    if (result != NULL) {
        buf_append_string(out, "{\"result\":");
        json_print(result, false, out);
        buf_append_string(out, "}\n");
        return;
    }
    char *sentence = err->kind == ERROR_CONFLICT ? managed_sentence(conflicts) : NULL;
    buf_printf(out, "{\"code\":%d,\"message\":", code_of(err));
    json_quote(sentence != NULL ? sentence : err->message, out);
    buf_append_string(out, ",\"causes\":[");
    for (size_t i = 0; i < conflicts->length; i++) {
        const struct managed_conflict *conflict = conflicts->items[i];
        buf_append_string(out, i > 0 ? ",[" : "[");
        json_quote(conflict->field, out);
        buf_append_string(out, ",");
        json_quote(conflict->message, out);
        buf_append_string(out, "]");
    }
    buf_append_string(out, "]}\n");
    mem_free(sentence);
}

static void answer(const char *text, size_t length, struct buf *out)
{
    struct error err = ERROR_INIT;
    struct vec conflicts = vec_make(0, NULL);
    struct value *line = json_parse(text, length, "question", &err);
    struct question q;
    if (line == NULL || !read_question(line, &q)) {
        fprintf(stderr, "no question: %.*s\n", (int)length, text);
        exit(2);
    }
    struct value *result = patched(&q, &conflicts, &err);
    print_answer(result, &conflicts, &err, out);
    vec_free(&conflicts);
    value_free(result);
    value_free(line);
}

/* Microseconds that a function takes on a question's object. */
static void measure(const struct value *line)
{
    enum { TIMES = 20000 };
    struct question q;
    struct timespec start, end;
    double best[2] = {1e9, 1e9};
    if (!read_question(line, &q))
        exit(2);
    for (int i = 0; i < TIMES; i++)
        for (int created = 0; created < 2; created++) {
            struct value *object = value_copy(q.patch);
            value_remove(value_get(object, "metadata"), "managedFields");
            clock_gettime(CLOCK_MONOTONIC, &start);
            if (!managed_update(object, created ? NULL : q.live, q.schema, &q.by, NULL))
                exit(2);
            clock_gettime(CLOCK_MONOTONIC, &end);
            double took = (double)(end.tv_sec - start.tv_sec) * 1e6 + (double)(end.tv_nsec - start.tv_nsec) / 1e3;
            best[created] = took < best[created] ? took : best[created];
            value_free(object);
        }
    char *text = json_text(q.patch, SIZE_MAX);
    printf("%zu bytes: creation %.1f us, update %.1f us (best of %d)\n", strlen(text), best[1], best[0], TIMES);
    mem_free(text);
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t room = 0;
    bool timing = argc > 1 && strcmp(argv[1], "--time") == 0;
    for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
        struct buf out = buf_make(SIZE_MAX);
        if (timing) {
            struct value *question = json_parse(line, (size_t)length, "question", NULL);
            measure(question);
            value_free(question);
        } else
            answer(line, (size_t)length, &out);
        if (out.length > 0)
            fwrite(out.bytes, 1, out.length, stdout);
        fflush(stdout);
        buf_free(&out);
    }
    free(line);
    return 0;
}
