#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/units.h"

static char verdict(const char *a, const char *b)
{
    int order;
    if (!quantity_valid(a))
        return '!';
    return !quantity_compare(a, b, &order) ? '?' : order < 0 ? '<' : order > 0 ? '>' : '=';
}

static void quantities_compare_as_kubernetes_compares_them(void **state)
{
    (void)state;
    char *text = file_read(KT_TEST_CASES "/units/quantities.txt", 1 << 20, NULL, NULL), *rest = text;
    assert_non_null(text);
    int cases = 0, wrong = 0;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (*line == '#' || *line == '\0')
            continue;
        char *a = strsep(&line, "|"), *order = strsep(&line, "|"), *b = line;
        if (verdict(a, b) != *order) {
            print_error("'%s' %s '%s', got %c\n", a, order, b, verdict(a, b));
            wrong++;
        }
        cases++;
    }
    mem_free(text);
    assert_int_equal(wrong, 0);
    assert_true(cases > 500);
}

static bool is_canonical(const char *text, const char *nano, const char *milli)
{
    char out[QUANTITY_TEXT];
    if (*nano == '!')
        return !quantity_canonical(text, QUANTITY_NANO, out) && strcmp(quantity_fault(text), nano + 1) == 0;
    if (!quantity_canonical(text, QUANTITY_NANO, out) || strcmp(out, nano) != 0 || quantity_fault(text) != NULL)
        return false;
    return quantity_canonical(text, QUANTITY_MILLI, out) && strcmp(out, milli) == 0;
}

static void quantities_are_printed_as_kubernetes_prints_them(void **state)
{
    (void)state;
    char *text = file_read(KT_TEST_CASES "/units/canonical.txt", 1 << 20, NULL, NULL), *rest = text;
    assert_non_null(text);
    int cases = 0, wrong = 0;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (*line == '#' || *line == '\0')
            continue;
        char *quantity = mem_string(strsep(&line, "|")), *nano = strsep(&line, "|"), *milli = line, out[QUANTITY_TEXT] = "?";
        assert_non_null(quantity); /* by itself, so that a look beside it is found */
        if (!is_canonical(quantity, nano, milli)) {
            (void)!quantity_canonical(quantity, QUANTITY_NANO, out);
            print_error("'%s' is '%s' and '%s', got '%s'\n", quantity, nano, milli, out);
            wrong++;
        }
        mem_free(quantity);
        cases++;
    }
    mem_free(text);
    assert_int_equal(wrong, 0);
    assert_true(cases > 1000);
}

static void a_malformed_or_endless_quantity_is_refused(void **state)
{
    (void)state;
    char digits[400];
    int order;
    memset(digits, '1', sizeof digits - 1);
    digits[sizeof digits - 1] = '\0';
    assert_false(quantity_valid(digits));
    assert_false(quantity_compare("1", "x", &order));
    assert_false(quantity_compare("x", "1", &order));
}

static void times_are_read_and_printed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
        const char *printed;
    } rows[] = {
        {"1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z"},
        {"2026-01-02T03:04:05Z", INT64_C(1767323045000), "2026-01-02T03:04:05Z"},
        {"2026-01-02T03:04:05.678901Z", INT64_C(1767323045678), "2026-01-02T03:04:05Z"},
        {"2026-01-02T03:04:05.5+02:30", INT64_C(1767314045500), "2026-01-02T00:34:05Z"},
        {"2026-01-02T03:04:05-00:01", INT64_C(1767323105000), "2026-01-02T03:05:05Z"},
        {"2024-02-29T23:59:59Z", INT64_C(1709251199000), "2024-02-29T23:59:59Z"},
        {"1969-12-31T23:59:59.999Z", -1, "1969-12-31T23:59:59Z"},
        {"0000-01-01T00:00:00Z", INT64_C(-62167219200000), "0000-01-01T00:00:00Z"},
        {"9999-12-31T23:59:59Z", INT64_C(253402300799000), "9999-12-31T23:59:59Z"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t ms = 12345;
        char text[21];
        assert_true(time_parse(rows[i].text, &ms));
        assert_true(ms == rows[i].ms);
        time_print(ms, text);
        assert_string_equal(text, rows[i].printed);
    }
    char text[21];
    time_print(INT64_MAX, text);
    assert_string_equal(text, "9999-12-31T23:59:59Z");
    time_print(INT64_MIN, text);
    assert_string_equal(text, "0000-01-01T00:00:00Z");
}

static void malformed_times_are_refused(void **state)
{
    (void)state;
    static const char *const rows[] = {"",
                                       "2026",
                                       "2026-01-02",
                                       "2026-01-02T03:04:05",
                                       "2026-01-02 03:04:05Z",
                                       "2026-13-01T00:00:00Z",
                                       "2026-00-01T00:00:00Z",
                                       "2026-02-29T00:00:00Z",
                                       "2026-04-31T00:00:00Z",
                                       "2026-01-01T24:00:00Z",
                                       "2026-01-01T00:60:00Z",
                                       "2026-01-01T00:00:60Z",
                                       "2026-01-01T00:00:00.Z",
                                       "2026-01-01T00:00:00+2:00",
                                       "2026-01-01T00:00:00+24:00",
                                       "2026-01-01T00:00:00Zx",
                                       "26-01-01T00:00:00Z",
                                       "2026-1-01T00:00:00Z"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t ms;
        if (time_parse(rows[i], &ms))
            fail_msg("%s was taken", rows[i]);
    }
}

static void durations_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms; /* -1: malformed */
    } rows[] = {
        {"30s", 30000},
        {"1m30s", 90000},
        {"250ms", 250},
        {"2h", 7200000},
        {"15", 15000},
        {"1.5", 1500},
        {"0", 0},
        {"0s", 0},
        {"1.5h", 5400000},
        {".5s", 500},
        {"1h0m0.25s", 3600250},
        {"999us", 0},
        {"1500us", 1},
        {"1\xC2\xB5s", 0},
        {"1000000ns", 1},
        {"87660h", INT64_C(315576000000)},
        {"0.123456789123h", 444444},
        {"", -1},
        {"-1s", -1},
        {"+1s", -1},
        {"s", -1},
        {".s", -1},
        {"1x", -1},
        {"1m30", -1},
        {"1 s", -1},
        {"1.s", -1},
        {"1d", -1},
        {"100000h", -1},
        {"99999999999999999999s", -1},
        {".", -1},
        {"60000h60000h", -1},
        {"315619201", -1},
        {"1sx", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t ms = -1;
        bool ok = duration_parse(rows[i].text, &ms);
        if (ok != (rows[i].ms >= 0) || (ok && ms != rows[i].ms))
            fail_msg("%s: %d, %lld ms", rows[i].text, ok, (long long)ms);
    }
}

static void ages_read_as_kubectl_shows_them(void **state)
{
    (void)state;
    static const struct {
        int64_t seconds;
        const char *text;
    } rows[] = {
        {-2, "<invalid>"},     {-1, "0s"},        {0, "0s"},          {45, "45s"},        {119, "119s"},    {120, "2m"},
        {200, "3m20s"},        {599, "9m59s"},    {600, "10m"},       {659, "10m"},       {10799, "179m"},  {10800, "3h"},
        {10860, "3h1m"},       {28799, "7h59m"},  {28800, "8h"},      {172799, "47h"},    {172800, "2d"},   {176400, "2d1h"},
        {691199, "7d23h"},     {691200, "8d"},    {1036800, "12d"},   {63071999, "729d"}, {63072000, "2y"}, {63158400, "2y1d"},
        {252287999, "7y364d"}, {252288000, "8y"}, {400000000, "12y"},
    };
    char text[16];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        duration_print(rows[i].seconds * 1000, text);
        assert_string_equal(text, rows[i].text);
    }
    duration_print(INT64_MAX, text);
    assert_string_equal(text, "292471208y");
    duration_print(INT64_MIN, text);
    assert_string_equal(text, "<invalid>");
}

static void base64_of_any_bytes_comes_back(void **state)
{
    (void)state;
    unsigned char bytes[64];
    for (size_t length = 0; length <= sizeof bytes; length++) {
        size_t decoded = 99;
        for (size_t i = 0; i < length; i++)
            bytes[i] = (unsigned char)(i * 37 + length * 101);
        char *text = base64_encode(bytes, length), *back = base64_decode(text, strlen(text), &decoded);
        assert_int_equal(decoded, length);
        assert_memory_equal(back, bytes, length);
        assert_int_equal(back[length], 0);
        mem_free(text);
        mem_free(back);
    }
}

static void base64_is_read_with_and_without_padding_and_line_ends(void **state)
{
    (void)state;
    static const struct {
        const char *text, *decoded; /* NULL: malformed */
    } rows[] = {
        {"", ""},           {"YQ==", "a"},   {"YQ", "a"},           {"YWI=", "ab"},
        {"YWI", "ab"},      {"YWJj", "abc"}, {"YW\r\nJj\n", "abc"}, {"YQ=", NULL},
        {"YQ===", NULL},    {"Y", NULL},     {"YWJjZ", NULL},       {"YW-_", NULL},
        {"YQ==YQ==", NULL}, {"=", NULL},     {"YWJj=", NULL},       {"Y Q=", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t length = 0;
        char *back = base64_decode(rows[i].text, strlen(rows[i].text), &length);
        if ((back != NULL) != (rows[i].decoded != NULL) || (back != NULL && strcmp(back, rows[i].decoded) != 0))
            fail_msg("%s: %s", rows[i].text, back);
        mem_free(back);
    }
    mem_fail_at(1);
    assert_null(base64_encode("a", 1));
    mem_fail_at(1);
    assert_null(base64_decode("YQ", 2, &(size_t){0}));
    mem_fail_at(0);
}

int test_units(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_compare_as_kubernetes_compares_them),
        cmocka_unit_test(quantities_are_printed_as_kubernetes_prints_them),
        cmocka_unit_test(a_malformed_or_endless_quantity_is_refused),
        cmocka_unit_test(times_are_read_and_printed),
        cmocka_unit_test(malformed_times_are_refused),
        cmocka_unit_test(durations_are_read),
        cmocka_unit_test(ages_read_as_kubectl_shows_them),
        cmocka_unit_test(base64_of_any_bytes_comes_back),
        cmocka_unit_test(base64_is_read_with_and_without_padding_and_line_ends),
    };
    return cmocka_run_group_tests_name("data/units", tests, NULL, NULL);
}
