/* The cases of table/: what a real server made of objects as rows of Tables (recorded by record-table, which says their form), made of the same objects by ours. Descriptions are our own and are not
 * compared, but there is one for each column. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/json.h"
#include "practice/api/describe.h"
#include "practice/schema/crd.h"

enum { CASE = 8 << 20, ROW = 4 << 20 };

struct recorded {
    const char *file;
    const struct schema_kind *kind;
    int64_t now_ms;
    size_t rows, wrong;
};

static void same(struct recorded *recorded, const char *what, const struct value *wanted, const struct value *got)
{
    if (value_equal(wanted, got))
        return;
    char *a = json_text(wanted, ROW), *b = json_text(got, ROW);
    print_error("%s, row %zu, %s of %s:\n  wanted %s\n  got    %s\n", recorded->file, recorded->rows, what, recorded->kind->kind, a, b);
    mem_free(a);
    mem_free(b);
    recorded->wrong++;
}

/* {...} of `text` between braces. */
static struct value *parsed(struct buf *text)
{
    struct error err = ERROR_INIT;
    assert_true(buf_ok(text));
    struct value *document = json_parse(text->bytes, text->length, "table", &err);
    assert_non_null(document);
    buf_free(text);
    return document;
}

static void compare_columns(struct recorded *recorded, const struct value *wanted)
{
    static const char *const parts[] = {"name", "type", "format", "priority"};
    struct buf text = buf_make(ROW);
    buf_append_string(&text, "{");
    table_columns(recorded->kind, &text);
    buf_append_string(&text, "}");
    struct value *table = parsed(&text), *got = value_array();
    for (const struct value *column = value_first(value_get(table, "columnDefinitions")); column != NULL; column = value_next(column)) {
        struct value *four = value_array();
        for (size_t i = 0; i < 4; i++)
            assert_true(value_append(four, value_copy(value_get(column, parts[i]))));
        assert_true(value_append(got, four));
        assert_true(value_find_text(column, "description", NULL)[0] != '\0');
    }
    same(recorded, "columns", wanted, got);
    value_free(table);
    value_free(got);
}

static void compare_row(struct recorded *recorded, const struct value *line)
{
    struct error err = ERROR_INIT;
    struct buf text = buf_make(ROW);
    assert_true(table_row(recorded->kind, value_get(line, "object"), NULL, INCLUDE_METADATA, recorded->now_ms, &text, &err));
    struct value *row = parsed(&text);
    recorded->rows++;
    same(recorded, "cells", value_get(line, "row"), value_get(row, "cells"));
    same(recorded, "metadata", value_find(line, "object", "metadata", NULL), value_find(row, "object", "metadata", NULL));
    if (value_type(value_get(line, "conditions")) == VALUE_NULL)
        assert_null(value_get(row, "conditions"));
    else
        same(recorded, "conditions", value_get(line, "conditions"), value_get(row, "conditions"));
    value_free(row);
}

static void run_line(struct recorded *recorded, const char *line, size_t length)
{
    struct error err = ERROR_INIT;
    struct value *said = json_parse(line, length, recorded->file, &err);
    assert_non_null(said);
    const struct value *kind = value_get(said, "kind");
    if (kind != NULL) {
        recorded->kind = schema_kind_of(value_text(value_item(kind, 0)), value_text(value_item(kind, 1)), value_text(value_item(kind, 2)));
        assert_non_null(recorded->kind);
        compare_columns(recorded, value_get(said, "columns"));
    } else if (value_get(said, "row") != NULL)
        compare_row(recorded, said);
    else
        assert_true(value_as_int(value_get(said, "now"), &recorded->now_ms));
    value_free(said);
}

static void run_case(const char *name, size_t *rows, size_t *wrong)
{
    struct error err = ERROR_INIT;
    char *path = mem_printf(KT_TEST_CASES "/table/%s", name);
    char *text = file_read(path, CASE, NULL, &err);
    assert_non_null(text);
    const char *at = strstr(text, "\n====\n");
    assert_non_null(at);
    struct recorded recorded = {.file = name};
    for (at += 6; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        run_line(&recorded, at, length);
        at += length + (at[length] == '\n');
    }
    *rows += recorded.rows;
    *wrong += recorded.wrong;
    mem_free(text);
    mem_free(path);
}

static void rows_are_those_of_a_real_server(void **state)
{
    (void)state;
    size_t rows = 0, wrong = 0;
    DIR *folder = opendir(KT_TEST_CASES "/table");
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        if (strstr(entry->d_name, ".case") != NULL)
            run_case(entry->d_name, &rows, &wrong);
    closedir(folder);
    assert_int_equal(wrong, 0);
    assert_true(rows > 80);
}

static const char definition_text[] =
    "{\"metadata\":{\"name\":\"dishes.example.com\"},\"spec\":{\"group\":\"example.com\",\"scope\":\"Namespaced\",\"names\":{\"plural\":\"dishes\",\"singular\":\"dish\",\"kind\":\"Dish\",\"listKind\":\"DishList\"},"
    "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}},"
    "\"additionalPrinterColumns\":[{\"name\":\"Hot\",\"type\":\"boolean\",\"jsonPath\":\".spec.hot\"},{\"name\":\"Age\",\"type\":\"date\",\"jsonPath\":\".metadata.creationTimestamp\"}]}]}}";

static void custom_objects_have_the_columns_of_their_definition(void **state)
{
    (void)state;
    static const char text[] = "{\"metadata\":{\"name\":\"soup\",\"creationTimestamp\":\"1970-01-01T00:00:00Z\"},\"spec\":{\"hot\":true}}";
    struct error err = ERROR_INIT;
    struct value *definition = json_parse(definition_text, sizeof definition_text - 1, "definition", &err), *object = json_parse(text, sizeof text - 1, "object", &err);
    struct crd *crd = crd_new(definition, &err);
    size_t count;
    const struct schema_kind *kind = crd_kinds(crd, &count)[0];
    struct buf out = buf_make(ROW);
    table_columns(kind, &out);
    buf_append_string(&out, " ");
    assert_true(table_row(kind, object, NULL, INCLUDE_NONE, 90000, &out, &err));
    assert_string_equal(out.bytes, "\"columnDefinitions\":[{\"name\":\"Name\",\"type\":\"string\",\"format\":\"name\",\"description\":\"Name of the object\",\"priority\":0},"
                                   "{\"name\":\"Hot\",\"type\":\"boolean\",\"format\":\"\",\"description\":\"Custom resource definition column (in JSONPath format): .spec.hot\",\"priority\":0},"
                                   "{\"name\":\"Age\",\"type\":\"date\",\"format\":\"\",\"description\":\"Custom resource definition column (in JSONPath format): .metadata.creationTimestamp\",\"priority\":0}] "
                                   "{\"cells\":[\"soup\",true,\"90s\"],\"object\":null}");
    buf_free(&out);
    crd_free(crd);
    value_free(definition);
    value_free(object);
}

static void rows_hold_what_was_asked_for_of_the_object(void **state)
{
    (void)state;
    static const char text[] = "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v\"}}";
    struct error err = ERROR_INIT;
    struct value *object = json_parse(text, sizeof text - 1, "object", &err);
    const struct schema_kind *kind = schema_kind_of("", "v1", "ConfigMap");
    struct buf out = buf_make(ROW);
    assert_true(table_row(kind, object, NULL, INCLUDE_OBJECT, 0, &out, &err));
    assert_string_equal(out.bytes, "{\"cells\":[\"a\",1,\"<unknown>\"],\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v\"}}}");
    buf_clear(&out);
    assert_true(table_row(kind, object, NULL, INCLUDE_METADATA, 0, &out, &err));
    assert_string_equal(out.bytes, "{\"cells\":[\"a\",1,\"<unknown>\"],\"object\":{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"name\":\"a\"}}}");
    buf_free(&out);
    value_free(object);
}

static void a_lack_of_memory_anywhere_is_told(void **state)
{
    (void)state;
    static const char text[] = "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"selector\":{\"matchLabels\":{\"b\":\"c\"},\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"y\",\"x\"]}]},"
                               "\"template\":{\"spec\":{\"nodeSelector\":{\"d\":\"e\"},\"containers\":[{\"name\":\"n\",\"image\":\"i\"}]}}}}";
    struct error err = ERROR_INIT;
    struct value *object = json_parse(text, sizeof text - 1, "object", &err);
    const struct schema_kind *kind = schema_kind_of("apps", "v1", "DaemonSet");
    bool printed = false;
    size_t refused = 0;
    for (int nth = 1; !printed; nth++) {
        struct buf out = buf_make(ROW);
        struct error lack = ERROR_INIT;
        mem_fail_at(nth);
        printed = table_row(kind, object, NULL, INCLUDE_METADATA, 0, &out, &lack);
        mem_fail_at(0);
        if (!printed) {
            assert_int_equal(lack.kind, ERROR_MEMORY);
            refused++;
        } else
            assert_non_null(strstr(out.bytes, "\"a in (x,y),b=c\""));
        buf_free(&out);
    }
    assert_true(refused > 3);
    value_free(object);
}

int test_table(void);
int test_table(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_a_real_server),
        cmocka_unit_test(custom_objects_have_the_columns_of_their_definition),
        cmocka_unit_test(rows_hold_what_was_asked_for_of_the_object),
        cmocka_unit_test(a_lack_of_memory_anywhere_is_told),
    };
    return cmocka_run_group_tests_name("api/table", tests, NULL, NULL);
}
