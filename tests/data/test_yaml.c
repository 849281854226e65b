#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/yaml.h"
#include "failing.h"

static const char mark[] = "\n=====\n";

/* kubectl prints one indented JSON object after the other. */
static int compare_answers(const char *name, const char *answer, const struct vec *documents)
{
    size_t n = 0;
    int wrong = 0;
    for (const char *end; (end = strstr(answer, "\n}\n")) != NULL; answer = end + 3, n++) {
        struct value *expected = json_parse(answer, (size_t)(end + 2 - answer), "kubectl", NULL);
        struct value *got = n < documents->length ? documents->items[n] : NULL;
        assert_non_null(expected);
        if (got == NULL || !value_equal(expected, got)) {
            char *text = json_text(got, 100000), *wanted = json_text(expected, 100000);
            fprintf(stderr, "%s, document %zu:\n got    %s\n wanted %s\n", name, n, text, wanted);
            mem_free(text);
            mem_free(wanted);
            wrong++;
        }
        value_free(expected);
    }
    if (n != documents->length) {
        fprintf(stderr, "%s: %zu documents instead of %zu\n", name, documents->length, n);
        wrong++;
    }
    return wrong;
}

static int check_case(const char *name, char *text, size_t length)
{
    char *answer = memmem(text, length, mark, strlen(mark));
    struct vec documents;
    struct error err = ERROR_INIT;
    int wrong = 0;
    assert_non_null(answer);
    bool ok = yaml_parse_all(text, (size_t)(answer - text) + 1, name, YAML_DUPLICATES_LAST, &documents, &err);
    answer += strlen(mark);
    if (strncmp(answer, "error", 5) == 0) {
        if (ok || err.kind != ERROR_INPUT || strstr(err.where, name) == NULL) {
            fprintf(stderr, "%s: should be refused: %s %s\n", name, err.where, err.message);
            wrong++;
        }
    } else if (!ok) {
        fprintf(stderr, "%s: refused: %s: %s\n", name, err.where, err.message);
        wrong++;
    } else {
        wrong += compare_answers(name, answer, &documents);
    }
    if (ok)
        vec_free(&documents);
    return wrong;
}

static void everything_reads_as_kubectl_reads_it(void **state)
{
    (void)state;
    DIR *folder = opendir(KT_TEST_CASES "/yaml");
    int cases = 0, wrong = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strstr(entry->d_name, ".case") == NULL)
            continue;
        char path[512];
        size_t length;
        snprintf(path, sizeof path, "%s/yaml/%s", KT_TEST_CASES, entry->d_name);
        char *text = file_read(path, 1 << 20, &length, NULL);
        assert_non_null(text);
        wrong += check_case(entry->d_name, text, length);
        mem_free(text);
        cases++;
    }
    closedir(folder);
    assert_int_equal(wrong, 0);
    assert_true(cases > 60);
}

static void a_duplicate_key_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where; /* NULL: fine */
    } rows[] = {
        {"a: 1\nb:\n  c: 1\n  c: 2\n", "f:4:3"},
        {"a: 1\na: 1\n", "f:2:1"},
        {"{a: 1, b: 2, \"a\": 3}", "f:1:14"},
        {"1: a\n\"1\": b\n", "f:2:1"},
        {"yes: a\ntrue: b\n", "f:2:1"},
        {"x: &x {a: 1}\ny: {<<: *x, a: 2}\n", NULL},
        {"x: &x {a: 1}\ny: {<<: *x, a: 2, a: 3}\n", "f:2:19"},
        {"x: &x {a: 1}\ny: {a: 2, <<: *x, a: 3}\n", "f:2:19"},
        {"x: &x {a: 1}\ny: {<<: *x, <<: *x}\n", NULL},
        {"a: {b: 1}\nc: {b: 1}\n", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct error err = ERROR_INIT;
        struct value *v = yaml_parse(rows[i].text, strlen(rows[i].text), "f", YAML_DUPLICATES_REFUSE, &err);
        if ((v == NULL) != (rows[i].where != NULL) ||
            (v == NULL && (strcmp(err.where, rows[i].where) != 0 || strstr(err.message, "twice") == NULL)))
            fail_msg("%s: %s %s", rows[i].text, err.where, err.message);
        value_free(v);
    }
}

static void duplicates_of_the_first_document_are_told_by_line(void **state)
{
    static const char text[] = "---\nb:\n  c: 1\n  c: 2\n  c: 3\n1: a\n1: b\n\"x\\\"y\": 1\n'x\"y': 2\n---\nd: 1\nd: 2\n";
    static const char *const wanted[] = {"line 4: key \"c\" already set in map", "line 5: key \"c\" already set in map", "line 7: key 1 already set in map",
                                         "line 9: key \"x\\\"y\" already set in map"};
    (void)state;
    for (size_t room = 0; room < 6; room++) {
        struct vec twice = vec_make(room, mem_free), documents;
        struct error err = ERROR_INIT;
        assert_true(yaml_parse_telling(text, strlen(text), "f", &twice, &documents, &err));
        assert_int_equal(documents.length, 2);
        assert_int_equal(value_find_int(documents.items[0], 0, "b", "c", NULL), 3);
        assert_int_equal(twice.length, room < 4 ? room : 4);
        for (size_t i = 0; i < twice.length; i++)
            assert_string_equal(twice.items[i], wanted[i]);
        vec_free(&documents);
        vec_free(&twice);
    }
}

static void tell_without_memory(void *argument)
{
    struct vec twice = vec_make(10, mem_free), documents;
    struct error err = ERROR_INIT;
    (void)argument;
    if (yaml_parse_telling("a: 1\na: 2\n", 10, "f", &twice, &documents, &err)) {
        assert_int_equal(twice.length, 1);
        vec_free(&documents);
    } else {
        assert_int_equal(err.kind, ERROR_MEMORY);
    }
    vec_free(&twice);
}

static void duplicates_survive_every_allocation_failing(void **state)
{
    (void)state;
    each_allocation_failing(tell_without_memory, NULL);
}

static void integers_of_64_bits_stay_exact(void **state)
{
    (void)state;
    static const char text[] =
        "[9007199254740993, 18446744073709551615, -9223372036854775808, 0xFFFFFFFFFFFFFFFF, 18446744073709551616]";
    struct value *v = yaml_parse(text, strlen(text), "f", YAML_DUPLICATES_REFUSE, NULL);
    char *json = json_text(v, 1000);
    assert_string_equal(
        json, "[9007199254740993,18446744073709551615,-9223372036854775808,18446744073709551615,1.8446744073709552e+19]");
    mem_free(json);
    value_free(v);
}

static void one_document_or_none_is_taken_where_one_is_asked_for(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    struct value *v = yaml_parse("# nothing\n", 10, "f", YAML_DUPLICATES_REFUSE, &err);
    assert_int_equal(value_type(v), VALUE_NULL);
    value_free(v);
    v = yaml_parse("", 0, "f", YAML_DUPLICATES_REFUSE, &err);
    assert_int_equal(value_type(v), VALUE_NULL);
    value_free(v);
    v = yaml_parse("---\n---\na: 1\n---\n", 17, "f", YAML_DUPLICATES_REFUSE, &err);
    assert_int_equal(value_find_int(v, 0, "a", NULL), 1);
    value_free(v);
    assert_null(yaml_parse("a: 1\n---\nb: 1\n", 14, "f", YAML_DUPLICATES_REFUSE, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_string_equal(err.where, "f:4:1");
}

static void bombs_end_with_the_bound_that_they_met(void **state)
{
    (void)state;
    struct buf laughs = buf_make(SIZE_MAX), deep = buf_make(SIZE_MAX), long_text = buf_make(SIZE_MAX),
               merges = buf_make(SIZE_MAX);
    buf_append_string(&laughs, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    buf_append_string(&merges, "m0: &m0 {a: 1}\n");
    for (int i = 1; i < 12; i++) {
        buf_printf(&laughs, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i - 1, i - 1, i - 1,
                   i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
        buf_printf(&merges, "m%d: &m%d {<<: [*m%d, *m%d, *m%d, *m%d, *m%d, *m%d, *m%d, *m%d]", i, i, i - 1, i - 1, i - 1, i - 1,
                   i - 1, i - 1, i - 1, i - 1);
        for (int k = 0; k < 2000; k++)
            buf_printf(&merges, ", k%d-%d: 1", i, k);
        buf_append_string(&merges, "}\n");
    }
    for (int i = 0; i < 100000; i++)
        buf_append_string(&deep, "[");
    buf_append_string(&long_text, "a: &a ");
    for (int i = 0; i < 100000; i++)
        buf_append_string(&long_text, "0123456789");
    buf_append_string(&long_text, "\nb:\n");
    for (int i = 0; i < 100; i++)
        buf_append_string(&long_text, "- *a\n");
    const struct {
        struct buf *text;
        const char *words;
    } rows[] = {{&laughs, "more than a million values"},
                {&merges, "more than a million values"},
                {&deep, "nested too deeply"},
                {&long_text, "64 MiB"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct error err = ERROR_INIT;
        assert_true(buf_ok(rows[i].text));
        assert_null(yaml_parse(rows[i].text->bytes, rows[i].text->length, "bomb", YAML_DUPLICATES_REFUSE, &err));
        if (err.kind != ERROR_LIMIT || strstr(err.message, rows[i].words) == NULL)
            fail_msg("bomb %zu: %s: %s", i, err.where, err.message);
        buf_free(rows[i].text);
    }
}

static void prints_as_kubectl_prints(void **state)
{
    (void)state;
    char *text = file_read(KT_TEST_CASES "/yaml/printed.json", 1 << 20, NULL, NULL);
    char *expected = file_read(KT_TEST_CASES "/yaml/printed.yaml", 1 << 20, NULL, NULL);
    assert_non_null(text);
    assert_non_null(expected);
    struct value *v = json_parse(text, strlen(text), "printed.json", NULL);
    struct buf out = buf_make(SIZE_MAX);
    yaml_print(v, &out);
    assert_true(buf_ok(&out));
    if (strcmp(out.bytes, expected) != 0)
        fprintf(stderr, "printed:\n%s\n", out.bytes); /* the message below is cut */
    assert_string_equal(out.bytes, expected);
    buf_free(&out);
    value_free(v);
    mem_free(text);
    mem_free(expected);
}

static const char *const pieces[] = {"a",
                                     "yes",
                                     "0",
                                     "1",
                                     "0x1",
                                     " ",
                                     "  ",
                                     "\n",
                                     "\n\n",
                                     "\t",
                                     ":",
                                     ": ",
                                     "#",
                                     " #",
                                     "-",
                                     "- ",
                                     "?",
                                     "|",
                                     ">",
                                     "'",
                                     "\"",
                                     "\\",
                                     "{",
                                     "}",
                                     "[",
                                     "]",
                                     ",",
                                     "&",
                                     "*",
                                     "!",
                                     "%",
                                     "@",
                                     "`",
                                     "~",
                                     "null",
                                     "---",
                                     "...",
                                     "\xE4\xB8\xAD",
                                     "\xC2\x85",
                                     "\xE2\x80\xA8",
                                     "\xEF\xBB\xBF",
                                     "\x07",
                                     "\x7F",
                                     "\r",
                                     "\r\n",
                                     "<<",
                                     "=",
                                     "1:30",
                                     "2001-01-01",
                                     "e3",
                                     ".",
                                     "+",
                                     "long words here ",
                                     "\xF0\x9F\x98\x80",
                                     "_",
                                     "\xC2\xA0"};

static struct value *random_text(unsigned *seed)
{
    struct buf text = buf_make(SIZE_MAX);
    buf_append_string(&text, "");
    for (int n = rand_r(seed) % (rand_r(seed) % 8 == 0 ? 40 : 5); n > 0; n--)
        buf_append_string(&text, pieces[(size_t)rand_r(seed) % (sizeof pieces / sizeof pieces[0])]);
    struct value *v = value_string(text.bytes);
    buf_free(&text);
    return v;
}

static struct value *random_value(unsigned *seed, int depth)
{
    int choice = rand_r(seed) % (depth > 4 ? 5 : 8);
    uint64_t bits = (uint64_t)rand_r(seed) << 33 ^ (uint64_t)rand_r(seed) << 12 ^ (uint64_t)rand_r(seed);
    switch (choice) {
    case 0: return rand_r(seed) % 2 ? value_null() : value_bool(rand_r(seed) % 2);
    case 1: return value_int((int64_t)(bits >> rand_r(seed) % 64) * (rand_r(seed) % 2 ? 1 : -1));
    case 2: return value_double((double)(int64_t)bits / (1 + rand_r(seed) % 1000) * (rand_r(seed) % 2 ? 1e-12 : 1e9));
    case 3:
    case 4: return random_text(seed);
    default: break;
    }
    struct value *container = choice == 5 ? value_array() : value_object();
    for (int n = rand_r(seed) % 5; n > 0; n--) {
        struct value *key = random_text(seed);
        bool ok = choice == 5 ? value_append(container, random_value(seed, depth + 1))
                              : value_set(container, value_text(key), random_value(seed, depth + 1));
        assert_true(ok);
        value_free(key);
    }
    return container;
}

static void what_is_printed_reads_back_the_same(void **state)
{
    (void)state;
    /* valgrind computes long doubles with 64 bits, so that printf's last digit is not what strtod reads: there, a tenth of it, which meets none. */
    for (unsigned i = 0; i < (getenv("UNDER_VALGRIND") != NULL ? 2000 : 20000); i++) {
        unsigned seed = i;
        struct value *v = random_value(&seed, 0);
        struct buf out = buf_make(SIZE_MAX);
        struct error err = ERROR_INIT;
        yaml_print(v, &out);
        assert_true(buf_ok(&out));
        struct value *back = yaml_parse(out.bytes, out.length, "printed", YAML_DUPLICATES_REFUSE, &err);
        if (!value_equal(v, back)) {
            char *text = json_text(v, SIZE_MAX), *got = json_text(back, SIZE_MAX);
            fail_msg("seed %u (%s: %s)\n%s\nprinted as\n%s\nread as\n%s", i, err.where, err.message, text, out.bytes, got);
        }
        value_free(back);
        value_free(v);
        buf_free(&out);
    }
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    static const char text[] =
        "a: &a {x: 1, y: [yes, !!binary aGk=, 0x10, 1.5]}\nb: {<<: *a, z: *a}\n---\n? \"k\"\n: 18446744073709551615\n2: *a\n";
    int nth = 0;
    for (bool ok = false; !ok;) {
        struct error err = ERROR_INIT;
        struct vec documents;
        mem_fail_at(++nth);
        ok = yaml_parse_all(text, strlen(text) - 6, "f", YAML_DUPLICATES_REFUSE, &documents, &err);
        mem_fail_at(0);
        assert_true(ok || err.kind == ERROR_MEMORY);
        if (ok) {
            assert_int_equal(documents.length, 2);
            vec_free(&documents);
        }
    }
    assert_true(nth > 50);
    struct value *v = yaml_parse("a: [zz, x]\n", 11, "f", YAML_DUPLICATES_REFUSE, NULL);
    nth = 0;
    for (bool ok = false; !ok;) {
        struct buf out = buf_make(SIZE_MAX);
        mem_fail_at(++nth);
        yaml_print(v, &out);
        mem_fail_at(0);
        ok = buf_ok(&out);
        buf_free(&out);
    }
    assert_true(nth > 3);
    value_free(v);
}

int test_yaml(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_reads_as_kubectl_reads_it),
        cmocka_unit_test(a_duplicate_key_is_refused_with_its_place),
        cmocka_unit_test(duplicates_of_the_first_document_are_told_by_line),
        cmocka_unit_test(duplicates_survive_every_allocation_failing),
        cmocka_unit_test(integers_of_64_bits_stay_exact),
        cmocka_unit_test(one_document_or_none_is_taken_where_one_is_asked_for),
        cmocka_unit_test(bombs_end_with_the_bound_that_they_met),
        cmocka_unit_test(prints_as_kubectl_prints),
        cmocka_unit_test(what_is_printed_reads_back_the_same),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("data/yaml", tests, NULL, NULL);
}
