#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glob.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/yaml.h"
#include "practice/schema/crd.h"
#include "practice/schema/decode.h"
#include "practice/schema/rules.h"

/* Plays crd/ *.case, which a real server answered (see record-crd, which tells the format). */

enum { MOST_FILE = 1 << 24, MOST_TEXT = 1 << 22, MOST_LINES = 1000 };

struct play {
    const char *path;
    char *name; /* of the case */
    struct value *definition;
    struct crd *crd;
    const struct schema_kind *kind; /* the stored version */
    struct value *last;             /* the object that was created last */
    size_t count;
    int failures;
};

static bool set_default(struct value *object, const char *key, struct value *made)
{
    if (value_get(object, key) != NULL) {
        value_free(made);
        return true;
    }
    return value_set(object, key, made);
}

static struct value *parse_yaml(const char *text, const char *path)
{
    struct error err = ERROR_INIT;
    struct value *first = yaml_parse(text, strlen(text), path, YAML_DUPLICATES_LAST, &err);
    if (first == NULL)
        fail_msg("%s: %s", path, err.message);
    return first;
}

static void move(struct value *to, struct value *from, const char *key)
{
    struct value *entry = value_get(from, key);
    if (entry == NULL)
        return;
    assert_true(value_set(to, key, value_copy(entry)));
    value_remove(from, key);
}

/* The short form of a case made whole, as record-crd does. */
static struct value *definition_of(const char *text, struct play *play)
{
    static const char *const keys[] = {"subresources", "additionalPrinterColumns", "selectableFields", "deprecated",
                                       "deprecationWarning"};
    struct value *given = parse_yaml(text, play->path), *whole = value_object();
    char buffer[600];
    if (value_get(given, "definition") != NULL) {
        value_free(whole);
        whole = value_copy(value_get(given, "definition"));
        value_free(given);
    } else {
        assert_true(value_set(whole, "spec", given));
    }
    struct value *spec = value_get(whole, "spec"), *names = parse_yaml("{plural: things, kind: Thing}", "names");
    snprintf(buffer, sizeof buffer, "kt-%s.example.com", play->name);
    assert_true(set_default(spec, "group", value_string(buffer)) && set_default(spec, "scope", value_string("Namespaced")) &&
                set_default(spec, "names", names));
    if (value_get(spec, "schema") != NULL) {
        struct value *version = parse_yaml("{name: v1, served: true, storage: true, schema: {}}", "version"),
                     *list = value_array();
        assert_true(value_set(value_get(version, "schema"), "openAPIV3Schema", value_copy(value_get(spec, "schema"))));
        value_remove(spec, "schema");
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            move(version, spec, keys[i]);
        assert_true(value_append(list, version) && value_set(spec, "versions", list));
    }
    const char *plural = value_find_text(spec, "names", "plural", NULL), *group = value_find_text(spec, "group", NULL);
    snprintf(buffer, sizeof buffer, "{name: %s.%s}", plural != NULL ? plural : "None", group != NULL ? group : "None");
    assert_true(set_default(whole, "metadata", parse_yaml(buffer, "metadata")) &&
                set_default(whole, "apiVersion", value_string("apiextensions.k8s.io/v1")) &&
                set_default(whole, "kind", value_string("CustomResourceDefinition")));
    return whole;
}

/* ---- answers ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void say_problems(const struct problems *problems, struct vec *lines)
{
    struct vec sorted = vec_make(MOST_LINES, mem_free);
    for (size_t i = 0; i < problems->list.length; i++) {
        const struct problem *problem = problems->list.items[i];
        assert_true(
            vec_push(&sorted, mem_printf("%s | %s | %s", problem->field, problem_reason(problem->type), problem->message)));
    }
    vec_sort(&sorted, by_text);
    for (size_t i = 0; i < sorted.length; i++)
        assert_true(vec_push_string(lines, sorted.items[i]));
    vec_free(&sorted);
}

static void say_warnings(const struct vec *warnings, struct vec *lines)
{
    struct vec sorted = vec_make(MOST_LINES, mem_free);
    for (size_t i = 0; i < warnings->length; i++)
        if (strstr(warnings->items[i], "the practice cluster") == NULL)
            assert_true(vec_push(&sorted, mem_printf("Warning: %s", (const char *)warnings->items[i])));
    vec_sort(&sorted, by_text);
    for (size_t i = 0; i < sorted.length; i++)
        assert_true(vec_push_string(lines, sorted.items[i]));
    vec_free(&sorted);
}

static void say_code(int code, struct vec *lines)
{
    assert_true(vec_push(lines, mem_printf("-- %d", code)));
}

static void sort_all(struct value *v)
{
    static const struct schema sorted = {.type = SCHEMA_ANY, .flags = SCHEMA_CUSTOM};
    struct error err = ERROR_INIT;
    assert_true(schema_normalise(v, &sorted, NULL, &err));
}

static void say_json(const struct value *v, struct vec *lines)
{
    assert_true(vec_push(lines, json_text(v, MOST_TEXT)));
}

/* ---- what is asked ---- */

static void forget(struct play *play)
{
    crd_free(play->crd);
    value_free(play->definition);
    value_free(play->last);
    play->crd = NULL;
    play->definition = play->last = NULL;
    play->kind = NULL;
}

static void compile(struct play *play)
{
    struct error err = ERROR_INIT;
    size_t count = 0;
    play->crd = crd_new(play->definition, &err);
    if (play->crd == NULL)
        fail_msg("%s: %s", play->path, err.message);
    const struct schema_kind *const *kinds = crd_kinds(play->crd, &count);
    assert_true(count > 0);
    play->kind = kinds[0]->storage;
}

static void play_definition(struct play *play, const char *text, struct vec *lines)
{
    const struct schema_kind *kind = schema_kind_of("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    struct vec complaints = vec_make(SCHEMA_COMPLAINTS, mem_free);
    struct problems problems = problems_make();
    struct error err = ERROR_INIT;
    forget(play);
    play->definition = definition_of(text, play);
    if (!schema_normalise(play->definition, kind->schema, &complaints, &err)) {
        say_code(400, lines);
        assert_true(vec_push(
            lines, mem_printf("CustomResourceDefinition in version \"v1\" cannot be handled as a CustomResourceDefinition: %s",
                              err.message)));
        vec_free(&complaints);
        return;
    }
    assert_true(rules_default(kind, play->definition) && rules_prepare_create(kind, play->definition));
    rules_validate_create(kind, play->definition, &problems);
    bool fine = problems_none(&problems);
    if (fine)
        rules_of(kind)->warn(play->definition, NULL, &complaints);
    say_code(fine ? 201 : 422, lines);
    say_warnings(&complaints, lines);
    if (fine) {
        struct value *spec = value_copy(value_get(play->definition, "spec"));
        sort_all(spec);
        say_json(spec, lines);
        value_free(spec);
        compile(play);
    } else {
        say_problems(&problems, lines);
    }
    problems_free(&problems);
    vec_free(&complaints);
}

static bool has_status(const struct schema_kind *kind)
{
    return kind->subresources != NULL && strcmp(kind->subresources[0].name, "status") == 0;
}

static void put_back(struct value *object, const struct value *old, const char *key)
{
    value_remove(object, key);
    if (value_get(old, key) != NULL)
        assert_true(value_set(object, key, value_copy(value_get(old, key))));
}

/* What the API does around validation (verbs_update.c). */
static void prepare(struct play *play, const char *what, struct value *object)
{
    if (strcmp(what, "create") == 0 && has_status(play->kind))
        value_remove(object, "status");
    if (strcmp(what, "update") == 0 && has_status(play->kind))
        put_back(object, play->last, "status");
    if (strcmp(what, "status") == 0)
        put_back(object, play->last, "spec");
}

static struct value *object_of(struct play *play, const char *what, const char *text)
{
    struct value *object = parse_yaml(text, play->path), *metadata = value_child(object, "metadata");
    char buffer[600];
    if (value_type(object) == VALUE_NULL) {
        value_free(object);
        object = value_object();
        metadata = value_child(object, "metadata");
    }
    snprintf(buffer, sizeof buffer, "%s/%s", play->kind->group, play->kind->version);
    assert_true(set_default(object, "apiVersion", value_string(buffer)) &&
                set_default(object, "kind", value_string(play->kind->kind)));
    snprintf(buffer, sizeof buffer, "t%zu", ++play->count);
    assert_true(set_default(metadata, "name", value_string(buffer)) &&
                set_default(metadata, "namespace", value_string("default")));
    if (strcmp(what, "create") != 0)
        assert_true(value_set(metadata, "name", value_copy(value_find(play->last, "metadata", "name", NULL))));
    return object;
}

static void play_object(struct play *play, const char *what, const char *text, struct vec *lines)
{
    struct vec complaints = vec_make(SCHEMA_COMPLAINTS, mem_free);
    struct problems problems = problems_make();
    struct error err = ERROR_INIT;
    struct value *object = object_of(play, what, text);
    bool creates = strcmp(what, "create") == 0;
    if (!crd_decode(play->kind, object, &complaints, &err)) {
        say_code(400, lines);
        assert_true(vec_push(lines, mem_printf("%s in version \"%s\" cannot be handled as a %s: %s", play->kind->kind,
                                               play->kind->version, play->kind->kind, err.message)));
        goto done;
    }
    assert_true(crd_default(play->kind, object));
    prepare(play, what, object);
    if (creates)
        rules_validate_create(play->kind, object, &problems);
    crd_validate_object(play->kind, object, creates ? NULL : play->last, strcmp(what, "status") == 0, &problems);
    bool fine = problems_none(&problems);
    say_code(!fine ? 422 : creates ? 201 : 200, lines);
    say_warnings(&complaints, lines);
    say_problems(&problems, lines);
    if (fine) {
        struct value *shown = value_copy(object);
        value_remove(shown, "metadata");
        value_remove(shown, "apiVersion");
        value_remove(shown, "kind");
        say_json(shown, lines);
        value_free(shown);
        value_free(play->last);
        play->last = object;
        object = NULL;
    }
done:
    value_free(object);
    problems_free(&problems);
    vec_free(&complaints);
}

static void play_cells(struct play *play, struct vec *lines)
{
    const struct crd_column *columns = NULL;
    size_t count = crd_columns(play->kind, &columns);
    struct buf heads = buf_make(MOST_TEXT), cells = buf_make(MOST_TEXT);
    say_code(200, lines);
    for (size_t i = 0; i < count; i++) {
        buf_append_string(&heads, i > 0 ? ",{\"description\":" : "[{\"description\":");
        json_quote(columns[i].description, &heads);
        buf_append_string(&heads, ",\"format\":");
        json_quote(columns[i].format, &heads);
        buf_append_string(&heads, ",\"name\":");
        json_quote(columns[i].name, &heads);
        buf_printf(&heads, ",\"priority\":%d,\"type\":", columns[i].priority);
        json_quote(columns[i].type, &heads);
        buf_append_string(&heads, "}");
        buf_append_string(&cells, i > 0 ? "," : "[");
        assert_true(crd_cell(play->kind, i, play->last, 1800000000000, &cells));
    }
    buf_append_string(&heads, "]");
    buf_append_string(&cells, "]");
    assert_true(vec_push(lines, buf_take(&heads, NULL)) && vec_push(lines, buf_take(&cells, NULL)));
}

static void play_openapi(struct play *play, bool v2, struct vec *lines)
{
    struct buf text = buf_make(MOST_TEXT);
    struct error err = ERROR_INIT;
    assert_true(crd_openapi(play->kind, v2, &text));
    struct value *v = json_parse(text.bytes, text.length, "openapi", &err);
    if (v == NULL)
        fail_msg("%s: %s in %s", play->path, err.message, text.bytes);
    buf_free(&text);
    sort_all(v);
    say_code(200, lines);
    say_json(v, lines);
    value_free(v);
}

/* The same text, or the same JSON (numbers may be written in several ways). */
static bool same_line(const char *a, size_t length, const char *b)
{
    if (strlen(b) == length && memcmp(a, b, length) == 0)
        return true;
    struct value *x = json_parse(a, length, "a", NULL), *y = json_parse(b, strlen(b), "b", NULL);
    bool same = x != NULL && y != NULL && value_equal(x, y);
    value_free(x);
    value_free(y);
    return same;
}

static void compare(struct play *play, const char *what, const char *request, const char *expected, const struct vec *lines)
{
    const char *at = expected;
    size_t i = 0;
    bool same = true;
    for (; same && *at != '\0' && i < lines->length; i++) {
        size_t length = strcspn(at, "\n");
        same = same_line(at, length, lines->items[i]);
        at += length + (at[length] == '\n');
    }
    if (same && *at == '\0' && i == lines->length)
        return;
    play->failures++;
    fprintf(stderr, "%s: %s\n%s", play->path, what, request);
    for (const char *line = expected; *line != '\0'; line += strcspn(line, "\n") + 1) {
        bool found = false;
        size_t length = strcspn(line, "\n");
        for (size_t j = 0; j < lines->length; j++)
            found = found || same_line(line, length, lines->items[j]);
        if (!found)
            fprintf(stderr, "  - %.*s\n", (int)length, line);
    }
    for (size_t j = 0; j < lines->length; j++) {
        bool found = false;
        for (const char *line = expected; *line != '\0'; line += strcspn(line, "\n") + 1)
            found = found || same_line(line, strcspn(line, "\n"), lines->items[j]);
        if (!found)
            fprintf(stderr, "  + %s\n", (const char *)lines->items[j]);
    }
}

/* One part: "WHAT\nREQUEST-- ANSWER". */
static void play_part(struct play *play, char *part)
{
    char *body = strchr(part, '\n'), *answer = body;
    assert_non_null(body);
    *body++ = '\0';
    answer = strncmp(body, "-- ", 3) == 0 ? body : strstr(body, "\n-- ");
    if (answer == NULL)
        fail_msg("%s: not recorded", play->path);
    if (answer != body)
        answer++;
    char *request = mem_string_n(body, (size_t)(answer - body));
    assert_non_null(request);
    struct vec lines = vec_make(MOST_LINES, mem_free);
    if (strcmp(part, "definition") == 0)
        play_definition(play, request, &lines);
    else if (play->kind == NULL)
        fail_msg("%s: the definition before was refused", play->path);
    else if (strcmp(part, "cells") == 0)
        play_cells(play, &lines);
    else if (strncmp(part, "openapi ", 8) == 0)
        play_openapi(play, strcmp(part + 8, "v2") == 0, &lines);
    else
        play_object(play, part, request, &lines);
    compare(play, part, request, answer, &lines);
    vec_free(&lines);
    mem_free(request);
}

static int play_file(const char *path)
{
    struct error err = ERROR_INIT;
    char *text = file_read(path, MOST_FILE, NULL, &err);
    if (text == NULL)
        fail_msg("%s: %s", path, err.message);
    const char *slash = strrchr(path, '/');
    struct play play = {.path = path, .name = mem_string_n(slash + 1, strcspn(slash + 1, "."))};
    char *at = strncmp(text, "== ", 3) == 0 ? text : strstr(text, "\n== ");
    assert_non_null(at);
    while (at != NULL) {
        char *start = at + (*at == '\n') + 3, *next = strstr(start, "\n== ");
        if (next != NULL)
            next[0] = '\0';
        char *part = next != NULL ? mem_printf("%s\n", start) : mem_string(start);
        if (next != NULL)
            next[0] = '\n';
        play_part(&play, part);
        mem_free(part);
        at = next;
    }
    forget(&play);
    mem_free(play.name);
    mem_free(text);
    return play.failures;
}

static void what_a_real_server_says_is_said(void **state)
{
    (void)state;
    glob_t found;
    int failures = 0;
    assert_int_equal(glob(KT_TEST_CASES "/crd/*.case", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        failures += play_file(found.gl_pathv[i]);
    globfree(&found);
    assert_int_equal(failures, 0);
}

static const char small[] = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: "
                            "things.example.com}, spec: {group: example.com, scope: Namespaced, names: {plural: things, "
                            "kind: Thing, shortNames: [t]}, versions: [{name: v1, served: true, storage: true, "
                            "additionalPrinterColumns: [{name: A, type: string, jsonPath: '.spec.l[?(@.n==\"a\")].v'}], "
                            "subresources: {status: {}, scale: {specReplicasPath: .spec.n, statusReplicasPath: .status.n}}, "
                            "selectableFields: [{jsonPath: .spec.s}], schema: {openAPIV3Schema: {type: object, "
                            "properties: {spec: {type: object, properties: {n: {type: integer, default: 1, maximum: 5}, s: "
                            "{type: string, pattern: '^a+$', enum: [a, aa]}, e: {type: object, "
                            "x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}, l: {type: "
                            "array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [n], items: {type: "
                            "object, required: [n], properties: {n: {type: string}, v: {type: string}}}}, o: {type: integer, "
                            "oneOf: [{minimum: 3}, {maximum: 1}]}}}, status: {type: object, properties: {n: "
                            "{type: integer}}}}}}}, {name: v1beta1, served: true, storage: false, deprecated: true, schema: "
                            "{openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}";
static const char object[] = "{apiVersion: example.com/v1, kind: Thing, metadata: {name: x, namespace: here, labels: {a: b}, "
                             "bad: 1}, spec: {s: b, o: 2, x: 1, l: [{n: a, v: q}, {n: a}], e: "
                             "{apiVersion: v1, kind: Pod, metadata: {name: z, bad: 2}}}}";

/* Everything once; false when memory ran out somewhere. */
static bool run_all(const struct value *definition, const struct value *thing)
{
    struct error err = ERROR_INIT;
    struct problems problems = problems_make(), judged = problems_make();
    struct vec unknown = vec_make(SCHEMA_COMPLAINTS, mem_free), warnings = vec_make(100, mem_free);
    struct buf out = buf_make(MOST_TEXT);
    struct value *copy = value_copy(thing);
    size_t count = 0;
    crd_validate(definition, NULL, &judged);
    bool ok = !judged.failed && crd_warn(definition, &warnings);
    struct crd *crd = crd_new(definition, &err);
    if (crd != NULL && copy != NULL) {
        const struct schema_kind *kind = crd_kinds(crd, &count)[0];
        ok = ok && crd_decode(kind, copy, &unknown, &err) && crd_default(kind, copy);
        if (ok)
            crd_validate_object(kind, copy, NULL, false, &problems);
        ok = ok && !problems.failed && crd_cell(kind, 0, copy, 0, &out) && crd_openapi(kind, true, &out) &&
             crd_openapi(kind, false, &out);
    }
    ok = ok && crd != NULL && copy != NULL;
    crd_free(crd);
    value_free(copy);
    buf_free(&out);
    problems_free(&problems);
    problems_free(&judged);
    vec_free(&unknown);
    vec_free(&warnings);
    return ok;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    struct value *definition = parse_yaml(small, "small"), *thing = parse_yaml(object, "object");
    enum { QUIET = 60 }; /* QUIET runs without a failure end the test: in some places a lack of memory counts as no */
    int failed = 0, quiet = 0;
    for (int nth = 1; quiet < QUIET && nth < 20000; nth += 1 + nth / 40) { /* every one of the first, then fewer */
        mem_fail_at(nth);
        bool ok = run_all(definition, thing);
        mem_fail_at(0);
        failed += !ok;
        quiet = ok ? quiet + 1 : 0;
    }
    assert_true(failed > 100);
    assert_true(run_all(definition, thing));
    value_free(definition);
    value_free(thing);
}

static void versions_are_kinds_of_one_storage(void **state)
{
    (void)state;
    struct value *definition = parse_yaml(small, "small");
    struct error err = ERROR_INIT;
    size_t count = 0;
    struct crd *crd = crd_new(definition, &err);
    value_free(definition); /* the kinds keep what they need */
    assert_non_null(crd);
    const struct schema_kind *const *kinds = crd_kinds(crd, &count);
    assert_int_equal(count, 2);
    assert_ptr_equal(kinds[0]->storage, kinds[0]);
    assert_ptr_equal(kinds[1]->storage, kinds[0]);
    assert_string_equal(kinds[1]->version, "v1beta1");
    assert_null(crd_deprecation(kinds[0]));
    assert_string_equal(crd_deprecation(kinds[1]), "example.com/v1beta1 Thing is deprecated; use example.com/v1 Thing");
    assert_string_equal(crd_scale_of(kinds[0])->spec_replicas, ".spec.n");
    assert_null(crd_scale_of(kinds[0])->selector);
    assert_null(crd_scale_of(kinds[1]));
    assert_string_equal(rules_of(kinds[0])->selectors[0], "spec.s");
    crd_free(crd);
}

int test_crd(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_real_server_says_is_said),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(versions_are_kinds_of_one_storage),
    };
    return cmocka_run_group_tests_name("crd", tests, NULL, NULL);
}
