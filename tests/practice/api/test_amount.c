#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/api/amount.h"

static struct amount read(const char *text)
{
    struct amount amount;
    assert_true(amount_read(text, &amount));
    return amount;
}

static void expect(struct amount amount, const char *wanted)
{
    char text[QUANTITY_TEXT];
    amount_print(amount, text);
    assert_string_equal(text, wanted);
}

static void sums_are_printed_as_the_first_part_was_written(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *sum, *difference;
    } cases[] = {
        {"100m", "200m", "300m", "-100m"},
        {"1", "500m", "1500m", "500m"},
        {"0.1", "0.9", "1", "-800m"},
        {"1Gi", "512Mi", "1536Mi", "512Mi"},
        {"1Gi", "1", "1073741825", "1073741823"},
        {"0", "1Gi", "1Gi", "-1Gi"},
        {"1Gi", "1G", "2073741824", "73741824"},
        {"500Mi", "500Mi", "1000Mi", "0"},
        {"1k", "24", "1024", "976"},
        {"2e3", "1e3", "3e3", "1e3"},
        {"1n", "1n", "2n", "0"},
        {"9E", "1", "9000000000000000001", "8999999999999999999"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect(amount_add(read(cases[i].a), read(cases[i].b)), cases[i].sum);
        expect(amount_subtract(read(cases[i].a), read(cases[i].b)), cases[i].difference);
    }
}

static void amounts_compare_by_value(void **state)
{
    (void)state;
    assert_int_equal(amount_compare(read("1"), read("1000m")), 0);
    assert_int_equal(amount_compare(read("1Ki"), read("1024")), 0);
    assert_int_equal(amount_compare(read("1G"), read("1Gi")), -1);
    assert_int_equal(amount_compare(read("1e3"), read("999")), 1);
    assert_int_equal(amount_whole(read("1.1")), 2);
    assert_int_equal(amount_whole(read("-1.1")), -1);
    struct amount none;
    assert_false(amount_read("", &none));
    assert_false(amount_read("1X", &none));
    assert_false(amount_read("nonsense", &none));
}

static struct value *parse(const char *text)
{
    struct value *value = json_parse(text, strlen(text), "case", NULL);
    assert_non_null(value);
    return value;
}

/* What a pod asks for, as JSON; the caller frees. */
static char *pod(const char *spec, bool overhead)
{
    struct value *document = parse(spec);
    struct amounts list = {0};
    amounts_of_pod(document, "requests", overhead, &list);
    struct value *value = amounts_value(&list);
    char *text = json_text(value, 1000);
    value_free(value);
    value_free(document);
    amounts_free(&list);
    return text;
}

static void a_pod_asks_for_what_its_containers_need_at_once(void **state)
{
    (void)state;
#define NEEDS(cpu) "\"resources\":{\"requests\":{\"cpu\":\"" cpu "\"}}"
    static const struct {
        const char *spec, *wanted;
        bool overhead;
    } cases[] = {
        {"{\"spec\":{\"containers\":[{" NEEDS("100m") "},{" NEEDS("200m") "},{}]}}", "{\"cpu\":\"300m\"}", false},
        {"{\"spec\":{\"containers\":[{" NEEDS("100m") "}],\"initContainers\":[{" NEEDS("50m") "},{" NEEDS("1") "}]}}",
         "{\"cpu\":\"1\"}", false},
        /* a sidecar runs beside all that come after it */
        {"{\"spec\":{\"containers\":[{" NEEDS("100m") "}],\"initContainers\":[{\"restartPolicy\":\"Always\"," NEEDS(
             "50m") "},{" NEEDS("1") "}]}}",
         "{\"cpu\":\"1050m\"}", false},
        {"{\"spec\":{\"containers\":[{" NEEDS("1") "}],\"initContainers\":[{\"restartPolicy\":\"Always\"," NEEDS("50m") "}]}}",
         "{\"cpu\":\"1050m\"}", false},
        {"{\"spec\":{\"overhead\":{\"cpu\":\"10m\",\"memory\":\"1Mi\"},\"containers\":[{" NEEDS("1") "}]}}",
         "{\"cpu\":\"1010m\",\"memory\":\"1Mi\"}", true},
        {"{\"spec\":{\"overhead\":{\"cpu\":\"10m\"},\"containers\":[{" NEEDS("1") "}]}}", "{\"cpu\":\"1\"}", false},
        {"{\"spec\":{" NEEDS("5") ",\"containers\":[{" NEEDS("1") "}]}}", "{\"cpu\":\"5\"}", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = pod(cases[i].spec, cases[i].overhead);
        assert_string_equal(text, cases[i].wanted);
        mem_free(text);
    }
}

static void a_list_without_memory_says_so(void **state)
{
    (void)state;
    bool whole = false;
    int nth = 0;
    while (!whole && nth < 1000) {
        struct amounts list = {0};
        mem_fail_at(++nth);
        for (int i = 0; i < 20; i++) {
            char name[3] = {(char)('a' + i), 'x', '\0'};
            amounts_add(&list, name, amount_of(i));
            amounts_add(&list, name, amount_of(1));
        }
        mem_fail_at(0);
        whole = !list.failed;
        assert_true(!whole || list.count == 20);
        for (size_t i = 1; i < list.count; i++)
            assert_true(strcmp(list.items[i - 1].name, list.items[i].name) < 0);
        amounts_free(&list);
    }
    assert_true(whole);
    assert_true(nth > 20);
}

int test_amount(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_printed_as_the_first_part_was_written),
        cmocka_unit_test(amounts_compare_by_value),
        cmocka_unit_test(a_pod_asks_for_what_its_containers_need_at_once),
        cmocka_unit_test(a_list_without_memory_says_so),
    };
    return cmocka_run_group_tests_name("practice/api/amount", tests, NULL, NULL);
}
