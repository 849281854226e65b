/* OpenAPI: parts of documents, in both spellings and in protobuf. That kubectl understands the whole is held by tests/kubectl. */
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/api/openapi.h"

enum { TEXT = 4 << 20 };

static struct value *parsed(const char *text)
{
    struct error err = ERROR_INIT;
    struct value *document = json_parse(text, strlen(text), "part", &err);
    assert_non_null(document);
    return document;
}

static void schemas_have_gnostic_numbers_in_protobuf(void **state)
{
    (void)state;
    /* additional_properties = 1 {name = 1, value = 2 {type = 22 {value = 1}, required = 19, properties = 25 {1 {1, 2 {$ref = 1}}}, additional_properties = 21 {schema = 1 {format = 2}}, x- = 31 {1, 2 {yaml = 2}}}} */
    static const char wanted[] = "\x0a\x4f\x0a\x01" "A" "\x12\x4a"
                                 "\xb2\x01\x08\x0a\x06" "object"
                                 "\x9a\x01\x01" "b"
                                 "\xca\x01\x0c\x0a\x0a\x0a\x01" "b" "\x12\x05\x0a\x03" "#/C"
                                 "\xaa\x01\x05\x0a\x03\x12\x01" "f"
                                 "\xfa\x01\x21\x0a\x09" "x-k-group" "\x12\x14\x12\x12" "[{\"kind\":\"Apple\"}]";
    struct value *document = parsed("{\"A\":{\"type\":\"object\",\"required\":[\"b\"],\"properties\":{\"b\":{\"$ref\":\"#/C\"}},\"additionalProperties\":{\"format\":\"f\"},\"unknown\":1,\"x-k-group\":[{\"kind\":\"Apple\"}]}}");
    struct buf out = buf_make(TEXT);
    assert_true(openapi2_definition("A", value_first(document), &out));
    assert_int_equal(out.length, sizeof wanted - 1);
    assert_memory_equal(out.bytes, wanted, sizeof wanted - 1);
    buf_free(&out);
    value_free(document);
}

static void parameters_are_told_apart_by_their_place(void **state)
{
    (void)state;
    /* path = 2 {name = 1, value = 2 {parameters = 9 {parameter = 1 {body = 1 {in = 3}}}, 9 {1 {non body = 2 {query = 3 {in = 2, unique = 20}}}}, 9 {1 {2 {path = 4 {in = 2, required = 1}}}}}} */
    static const char wanted[] = "\x12\x34\x0a\x02" "/p" "\x12\x2e"
                                 "\x4a\x0a\x0a\x08\x0a\x06\x1a\x04" "body"
                                 "\x4a\x10\x0a\x0e\x12\x0c\x1a\x0a\x12\x05" "query" "\xa0\x01\x01"
                                 "\x4a\x0e\x0a\x0c\x12\x0a\x22\x08\x12\x04" "path" "\x08\x01";
    struct value *document = parsed("{\"/p\":{\"parameters\":[{\"in\":\"body\"},{\"in\":\"query\",\"uniqueItems\":true},{\"in\":\"path\",\"required\":true}]}}");
    struct buf out = buf_make(TEXT);
    assert_true(openapi2_path("/p", value_first(document), &out));
    assert_int_equal(out.length, sizeof wanted - 1);
    assert_memory_equal(out.bytes, wanted, sizeof wanted - 1);
    buf_free(&out);
    value_free(document);
}

static void a_lack_of_memory_in_protobuf_is_told(void **state)
{
    (void)state;
    struct value *document = parsed("{\"/p\":{\"get\":{\"tags\":[\"a\"],\"responses\":{\"200\":{\"description\":\"OK\",\"schema\":{\"type\":\"string\",\"enum\":[\"a\"]}}},\"x-k\":{\"a\":1}},\"parameters\":[{\"in\":\"query\"}]}}");
    bool put = false;
    size_t refused = 0;
    for (int nth = 1; !put; nth++) {
        struct buf out = buf_make(TEXT);
        mem_fail_at(nth);
        put = openapi2_path("/p", value_first(document), &out);
        mem_fail_at(0);
        refused += !put;
        buf_free(&out);
    }
    assert_true(refused > 10);
    value_free(document);
}

/* What was found in pieces. */
struct seen {
    size_t pieces, everywhere, dry_run, bodies;
    bool v2;
};

static void look(void *data, const struct buf *text)
{
    struct seen *seen = data;
    assert_true(text != NULL && buf_ok(text));
    char *whole = mem_printf("{%s}", text->bytes);
    struct value *document = parsed(whole);
    const struct value *patch = value_get(value_first(document), "patch");
    for (const struct value *p = value_first(value_get(patch, "parameters")); p != NULL; p = value_next(p)) {
        seen->dry_run += strcmp(value_find_text(p, "name", NULL), "dryRun") == 0 && (value_get(p, "schema") == NULL) == seen->v2;
        seen->bodies += strcmp(value_find_text(p, "in", NULL), "body") == 0;
    }
    seen->bodies += value_get(patch, "requestBody") != NULL;
    seen->pieces++;
    seen->everywhere += value_find(document, "/apis/apps/v1/deployments", "get", NULL) != NULL;
    value_free(document);
    mem_free(whole);
}

static void paths_say_dry_run_and_bodies_in_both_spellings(void **state)
{
    (void)state;
    static const struct openapi_form forms[] = {{false, "#/components/schemas/"}, {true, "#/definitions/"}};
    for (size_t i = 0; i < 2; i++) {
        struct seen seen = {.v2 = forms[i].v2};
        openapi_paths(schema_kind_of("apps", "v1", "Deployment"), &forms[i], look, &seen);
        assert_int_equal(seen.pieces, 5); /* collection, that of all namespaces, item, scale, status */
        assert_int_equal(seen.everywhere, 1);
        assert_int_equal(seen.dry_run, 3);
        assert_int_equal(seen.bodies, 3);
    }
}

static void a_custom_kind_is_named_after_its_group_backwards(void **state)
{
    (void)state;
    const struct schema_kind kind = {.group = "menu.example.com", .version = "v1", .kind = "Dish"};
    char *name = openapi_custom_name(&kind, "List");
    assert_string_equal(name, "com.example.menu.v1.DishList");
    mem_free(name);
}

int test_describe(void);
int test_describe(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemas_have_gnostic_numbers_in_protobuf),
        cmocka_unit_test(parameters_are_told_apart_by_their_place),
        cmocka_unit_test(a_lack_of_memory_in_protobuf_is_told),
        cmocka_unit_test(paths_say_dry_run_and_bodies_in_both_spellings),
        cmocka_unit_test(a_custom_kind_is_named_after_its_group_backwards),
    };
    return cmocka_run_group_tests_name("api/describe", tests, NULL, NULL);
}
