#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/json.h"
#include "practice/schema/decode.h"
#include "practice/schema/defaults.h"

static const struct schema *schema_of(const char *body)
{
    struct schema_type_meta meta;
    assert_true(schema_type_meta(body, strlen(body), &meta, NULL));
    const struct schema_kind *kind = schema_kind_at(meta.api_version, meta.kind);
    assert_non_null(kind);
    return kind->schema;
}

/* The first field of ours that the server's answer has not, or has otherwise; NULL: none. Lists of the server may go on. */
static const char *first_difference(const struct value *ours, const struct value *live)
{
    if (value_type(ours) != value_type(live))
        return "type";
    if (value_type(ours) != VALUE_OBJECT && value_type(ours) != VALUE_ARRAY)
        return value_equal(ours, live) ? NULL : "value";
    const struct value *other = value_first(live);
    for (const struct value *entry = value_first(ours); entry != NULL; entry = value_next(entry)) {
        bool object = value_type(ours) == VALUE_OBJECT;
        /* what depends on other fields is not ours to say */
        bool elsewhere = object && (strcmp(value_key(entry), "targetPort") == 0 || strcmp(value_key(entry), "storedVersions") == 0);
        const char *different = elsewhere ? NULL : first_difference(entry, object ? value_get(live, value_key(entry)) : other);
        if (different != NULL)
            return object ? value_key(entry) : different;
        other = value_next(other);
    }
    return NULL;
}

static void defaults_are_those_of_the_real_server(void **state)
{
    (void)state;
    char *text = file_read(KT_TEST_CASES "/defaults/live.txt", 1 << 20, NULL, NULL), *rest = text, *body = NULL;
    int cases = 0, wrong = 0;
    assert_non_null(text);
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (line[0] != '=') {
            body = line;
            continue;
        }
        const struct schema *schema = schema_of(body);
        struct value *ours = schema_decode(body, strlen(body), schema, NULL, NULL), *live = json_parse(line + 2, strlen(line + 2), "live", NULL);
        assert_true(ours != NULL && live != NULL);
        assert_true(schema_apply_defaults(ours, schema));
        assert_true(schema_normalise(ours, schema, NULL, NULL));
        const char *different = first_difference(ours, live);
        if (different != NULL) {
            print_error("%s: %s differs\n", schema->name, different);
            wrong++;
        }
        value_free(ours);
        value_free(live);
        cases++;
    }
    mem_free(text);
    assert_int_equal(wrong, 0);
    assert_true(cases > 30);
}

static char *with_defaults(const char *body)
{
    const struct schema *schema = schema_of(body);
    struct value *v = schema_decode(body, strlen(body), schema, NULL, NULL);
    bool ok = v != NULL && schema_apply_defaults(v, schema) && schema_normalise(v, schema, NULL, NULL);
    char *text = ok ? json_text(v, 100000) : NULL;
    value_free(v);
    return text;
}

static void what_is_said_is_kept_and_what_is_added_stands_in_its_place(void **state)
{
    (void)state;
    char *text = with_defaults("{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\",\"spec\":{\"volumeMode\":\"Block\"}}");
    assert_string_equal(text, "{\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\",\"metadata\":{},\"spec\":{\"resources\":{},\"volumeMode\":\"Block\"},"
                              "\"status\":{\"phase\":\"Pending\"}}");
    mem_free(text);
    text = with_defaults("{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"RoleBinding\",\"roleRef\":{\"name\":\"x\",\"kind\":\"Role\"}}");
    assert_string_equal(text, "{\"kind\":\"RoleBinding\",\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"metadata\":{},"
                              "\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"Role\",\"name\":\"x\"}}");
    mem_free(text);
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    int nth = 0;
    char *text = NULL;
    const char *body = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"spec\":{\"containers\":[{\"name\":\"a\",\"ports\":[{\"containerPort\":1}]}]}}";
    while (text == NULL) {
        const struct schema *schema = schema_of(body);
        mem_fail_at(++nth);
        struct value *v = schema_decode(body, strlen(body), schema, NULL, NULL);
        bool ok = v != NULL && schema_apply_defaults(v, schema) && schema_normalise(v, schema, NULL, NULL);
        mem_fail_at(0);
        text = ok ? json_text(v, 100000) : NULL;
        value_free(v);
    }
    assert_non_null(strstr(text, "\"protocol\":\"TCP\""));
    mem_free(text);
    assert_true(nth > 20);
}

int test_defaults(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_real_server),
        cmocka_unit_test(what_is_said_is_kept_and_what_is_added_stands_in_its_place),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("practice/schema/defaults", tests, NULL, NULL);
}
