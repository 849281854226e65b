/* Answers patches, a line of JSON each (../schema/patching.h): {"result": {...}} or {"code": 422, "message": "...", "causes":
 * [[field, message]]}. compare.py beside it asks a real server the same. With --time it measures what a line's update costs,
 * and a creation of its patch. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "data/json.h"
#include "patching.h"

static void print_answer(const struct value *result, const struct vec *conflicts, const struct error *err, struct buf *out)
{
    if (result != NULL) {
        buf_append_string(out, "{\"result\":");
        json_print(result, false, out);
        buf_append_string(out, "}\n");
        return;
    }
    char *sentence = err->kind == ERROR_CONFLICT ? managed_sentence(conflicts) : NULL;
    buf_printf(out, "{\"code\":%d,\"message\":", patching_code(err));
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
    struct patching_question q;
    if (line == NULL || !patching_read(line, NULL, &q)) {
        fprintf(stderr, "no question: %.*s\n", (int)length, text);
        exit(2);
    }
    struct value *result = patching_answer(&q, &conflicts, &err);
    print_answer(result, &conflicts, &err, out);
    vec_free(&conflicts);
    value_free(result);
    value_free(line);
}

/* Microseconds that a function takes on a question's object. */
static void measure(const struct value *line)
{
    enum { TIMES = 20000 };
    struct patching_question q;
    struct timespec start, end;
    double best[2] = {1e9, 1e9};
    if (!patching_read(line, NULL, &q))
        exit(2);
    for (int i = 0; i < TIMES; i++)
        for (int created = 0; created < 2; created++) {
            struct value *object = value_copy(q.patch);
            value_remove(value_get(object, "metadata"), "managedFields");
            clock_gettime(CLOCK_MONOTONIC, &start);
            if (!managed_update(object, created ? NULL : q.live, q.kind->schema, &q.by, NULL))
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
