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
#include "practice/schema/decode.h"

enum { MOST_FILE = 1 << 26, MOST_TEXT = 1 << 22 };

static const struct schema *schema_of(const struct schema_type_meta *meta)
{
    const struct schema_kind *kind = schema_kind_at(meta->api_version, meta->kind);
    return kind != NULL ? kind->schema : NULL;
}

/* What is recorded of a body, as lines: = OBJECT or ! ERROR, ? COMPLAINT. The caller frees; NULL: its kind is not served. */
static char *decoded(const char *body)
{
    struct error err = ERROR_INIT;
    struct schema_type_meta meta;
    struct vec complaints = vec_make(SCHEMA_COMPLAINTS, mem_free);
    struct buf out = buf_make(MOST_TEXT);
    struct value *object = NULL;
    const struct schema *schema = NULL;
    if (schema_type_meta(body, strlen(body), &meta, &err)) {
        schema = schema_of(&meta);
        if (schema == NULL)
            return NULL;
        object = schema_decode(body, strlen(body), schema, &complaints, &err);
    }
    if (object == NULL) {
        buf_printf(&out, "! %s\n", err.message);
    } else {
        buf_append_string(&out, "= ");
        json_print(object, false, &out);
        buf_append_string(&out, "\n");
        for (size_t i = 0; i < complaints.length; i++)
            buf_printf(&out, "? %s\n", (char *)complaints.items[i]);
        char *once = json_text(object, MOST_TEXT);
        assert_true(schema_normalise(object, schema, NULL, &err));
        char *twice = json_text(object, MOST_TEXT);
        assert_string_equal(once, twice);
        mem_free(once);
        mem_free(twice);
    }
    value_free(object);
    vec_free(&complaints);
    return buf_take(&out, NULL);
}

static int wrong, cases;

static void check(const char *body, const char *recorded)
{
    char *got = decoded(body);
    if (got == NULL)
        return;
    cases++;
    if (strcmp(got, recorded) != 0 && wrong++ < 20)
        print_error("%s\nwanted\n%sgot\n%s\n", body, recorded, got);
    mem_free(got);
}

/* Bodies and, below each, what is recorded; # begins a comment. */
static void check_file(const char *path)
{
    char *text = file_read(path, MOST_FILE, NULL, NULL), *rest = text, *body = NULL;
    assert_non_null(text);
    struct buf recorded = buf_make(MOST_TEXT);
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (strchr("=!?", line[0]) != NULL && line[0] != '\0') {
            buf_printf(&recorded, "%s\n", line);
            continue;
        }
        if (body != NULL)
            check(body, recorded.bytes);
        buf_clear(&recorded);
        body = line[0] == '#' || line[0] == '\0' ? NULL : line;
    }
    if (body != NULL)
        check(body, recorded.bytes);
    buf_free(&recorded);
    mem_free(text);
}

static void bodies_are_read_as_the_real_server_reads_them(void **state)
{
    (void)state;
    const char *more = getenv("KT_DECODE_CASES"); /* a file of many more, made by record-decode.go */
    glob_t found;
    assert_int_equal(glob(KT_TEST_CASES "/decode/*.txt", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        check_file(found.gl_pathv[i]);
    globfree(&found);
    if (more != NULL)
        check_file(more);
    print_message("%d bodies\n", cases);
    assert_int_equal(wrong, 0);
    assert_true(cases > 10);
}

/* Three lines a case: the kind that is served there, the body, the answer. */
static void refusals_are_worded_as_the_real_server_words_them(void **state)
{
    (void)state;
    char *text = file_read(KT_TEST_CASES "/refusals/live.txt", MOST_FILE, NULL, NULL), *rest = text;
    int seen = 0;
    assert_non_null(text);
    for (char *served; (served = strsep(&rest, "\n")) != NULL && served[0] != '\0';) {
        if (served[0] == '#')
            continue;
        char *body = strsep(&rest, "\n"), *answer = strsep(&rest, "\n");
        struct error err = ERROR_INIT;
        struct schema_type_meta meta;
        const struct schema *schema = schema_type_meta(body, strlen(body), &meta, &err) ? schema_of(&meta) : NULL;
        assert_null(schema != NULL ? schema_decode(body, strlen(body), schema, NULL, &err) : NULL);
        assert_true(err.message[0] != '\0' && strstr(answer, err.message) != NULL); /* the API says the rest */
        seen++;
    }
    mem_free(text);
    assert_true(seen > 50);
}

static void capitals_in_kind_are_forgiven_when_looking_for_it_only(void **state)
{
    (void)state;
    static const char body[] = "{\"apiversion\":\"v1\",\"Kind\":\"ConfigMap\"}";
    struct schema_type_meta meta;
    struct vec complaints = vec_make(SCHEMA_COMPLAINTS, mem_free);
    assert_true(schema_type_meta(body, strlen(body), &meta, NULL));
    assert_string_equal(meta.kind, "ConfigMap");
    assert_string_equal(meta.api_version, "v1");
    value_free(schema_decode(body, strlen(body), schema_of(&meta), &complaints, NULL));
    assert_int_equal(complaints.length, 2);
    assert_string_equal(complaints.items[1], "unknown field \"Kind\"");
    vec_free(&complaints);
}

static char *normalised(const char *json, const struct schema *schema, struct vec *complaints)
{
    struct value *v = json_parse(json, strlen(json), "test", NULL);
    assert_non_null(v);
    assert_true(schema_normalise(v, schema, complaints, NULL));
    char *text = json_text(v, MOST_TEXT);
    value_free(v);
    return text;
}

static void a_value_without_a_text_is_complained_about_too(void **state)
{
    (void)state;
    struct vec complaints = vec_make(SCHEMA_COMPLAINTS, mem_free);
    char *text = normalised("{\"kind\":\"Pod\",\"spec\":{\"x\":1,\"containers\":[{\"name\":\"a\"},{\"name\":\"b\",\"y\":[]}]}}",
                            schema_kind_of("", "v1", "Pod")->schema, &complaints);
    assert_int_equal(complaints.length, 2);
    assert_string_equal(complaints.items[0], "unknown field \"spec.x\"");
    assert_string_equal(complaints.items[1], "unknown field \"spec.containers[1].y\"");
    mem_free(text);
    vec_free(&complaints);
}

static void complaints_come_to_an_end(void **state)
{
    (void)state;
    struct vec complaints = vec_make(SCHEMA_COMPLAINTS, mem_free);
    struct buf body = buf_make(MOST_TEXT);
    buf_append_string(&body, "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\"");
    for (int i = 0; i < 500; i++)
        buf_printf(&body, ",\"x%d\":%d", i, i);
    buf_append_string(&body, "}");
    struct value *v = schema_decode(body.bytes, body.length, schema_kind_of("", "v1", "ConfigMap")->schema, &complaints, NULL);
    assert_non_null(v);
    assert_int_equal(complaints.length, SCHEMA_COMPLAINTS);
    value_free(v);
    buf_free(&body);
    vec_free(&complaints);
}

/* A custom kind: spec.{count: integer, name: string}, unknown fields of spec.free kept. */
static void custom_objects_are_pruned_and_in_alphabetical_order_but_not_judged(void **state)
{
    (void)state;
    static const struct schema string = {.type = SCHEMA_STRING, .flags = SCHEMA_CUSTOM}, integer = {.type = SCHEMA_INT64, .flags = SCHEMA_CUSTOM};
    static const struct schema nullable = {.type = SCHEMA_STRING, .flags = SCHEMA_CUSTOM | SCHEMA_NULLABLE};
    static const struct schema open = {.type = SCHEMA_OBJECT, .flags = SCHEMA_CUSTOM | SCHEMA_PRESERVE};
    static const struct schema strings = {.type = SCHEMA_ARRAY, .flags = SCHEMA_CUSTOM, .items = &string};
    static const struct schema_field inner[] = {
        {.name = "count", .schema = &integer}, {.name = "free", .schema = &open}, {.name = "list", .schema = &strings},
        {.name = "name", .schema = &string},   {.name = "null", .schema = &nullable},
    };
    static const uint16_t inner_names[] = {0, 1, 2, 3, 4};
    static const struct schema spec = {.type = SCHEMA_OBJECT, .flags = SCHEMA_CUSTOM, .fields = inner, .by_name = inner_names, .field_count = 5};
    struct schema_field outer[] = {{.name = "apiVersion", .schema = &string}, {.name = "kind", .schema = &string},
                                   {.name = "metadata", .schema = schema_definition("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")},
                                   {.name = "spec", .schema = &spec}};
    static const uint16_t outer_names[] = {0, 1, 2, 3};
    struct schema root = {.type = SCHEMA_OBJECT, .flags = SCHEMA_CUSTOM, .fields = outer, .by_name = outer_names, .field_count = 4};
    struct vec complaints = vec_make(SCHEMA_COMPLAINTS, mem_free);
    char *text = normalised("{\"spec\":{\"null\":null,\"name\":null,\"list\":[null,5],\"free\":{\"z\":null,\"a\":{\"c\":1.50,\"b\":[]}},\"count\":\"x\","
                            "\"gone\":1},\"metadata\":{\"uid\":\"u\",\"name\":\"n\",\"x\":1},\"kind\":\"A\",\"apiVersion\":\"b/v1\"}",
                            &root, &complaints);
    assert_string_equal(text, "{\"apiVersion\":\"b/v1\",\"kind\":\"A\",\"metadata\":{\"name\":\"n\",\"uid\":\"u\"},\"spec\":{\"count\":\"x\","
                              "\"free\":{\"a\":{\"b\":[],\"c\":1.5},\"z\":null},\"list\":[null,5],\"null\":null}}");
    assert_int_equal(complaints.length, 2);
    assert_string_equal(complaints.items[0], "unknown field \"spec.gone\"");
    assert_string_equal(complaints.items[1], "unknown field \"metadata.x\"");
    mem_free(text);
    vec_free(&complaints);
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    static const char body[] = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"x\":1,\"metadata\":{\"labels\":{\"b\":null,\"a\":\"\",\"a\":\"x\"}},\"spec\":{"
                               "\"activeDeadlineSeconds\":5,\"containers\":[{\"name\":\"a\",\"resources\":{\"limits\":{\"cpu\":1.0}}},null]}}";
    const struct schema *schema = schema_kind_of("", "v1", "Pod")->schema;
    int nth = 0;
    for (bool ok = false; !ok;) {
        struct vec complaints = vec_make(SCHEMA_COMPLAINTS, mem_free);
        struct error err = ERROR_INIT;
        mem_fail_at(++nth);
        struct value *v = schema_decode(body, strlen(body), schema, &complaints, &err);
        mem_fail_at(0);
        ok = v != NULL;
        assert_true(ok ? complaints.length == 2 : err.kind == ERROR_MEMORY);
        value_free(v);
        vec_free(&complaints);
    }
    assert_true(nth > 20);
}

int test_decode(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_read_as_the_real_server_reads_them),
        cmocka_unit_test(refusals_are_worded_as_the_real_server_words_them),
        cmocka_unit_test(capitals_in_kind_are_forgiven_when_looking_for_it_only),
        cmocka_unit_test(a_value_without_a_text_is_complained_about_too),
        cmocka_unit_test(complaints_come_to_an_end),
        cmocka_unit_test(custom_objects_are_pruned_and_in_alphabetical_order_but_not_judged),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("practice/schema/decode", tests, NULL, NULL);
}
