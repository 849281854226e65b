/* cases/NAME.json describes a report; beside it stand what must come out: NAME.txt, NAME.out.json, NAME.xml, and where there is something to
 * see NAME.colour, NAME.ascii (locale C) and NAME.zh. KT_GOLDEN=write in the environment writes them anew. */
#include "report/report.h"

#include <dirent.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "data/json.h"
#include "text/width.h"

enum { OUT = 4 << 20 };

/* ---- a report from its description */

static char *text_of(const struct value *v, const char *key)
{
    const char *text = value_find_text(v, key, NULL);
    return mem_string(text != NULL ? text : "");
}

static char *text_or_null(const struct value *v, const char *key)
{
    const char *text = value_find_text(v, key, NULL);
    return text != NULL ? mem_string(text) : NULL;
}

static bool add_expectation(struct verdict *verdict, const struct value *v)
{
    struct expectation *e = mem_zero(1, sizeof *e);
    if (e == NULL)
        return false;
    *e = (struct expectation){.holds = value_is_true(value_get(v, "holds")),
                              .history = value_is_true(value_get(v, "history")),
                              .hidden = value_is_true(value_get(v, "hidden")),
                              .points = (int)value_find_int(v, 1, "points", NULL),
                              .kind = text_of(v, "kind"),
                              .name = text_of(v, "name"),
                              .resource = text_of(v, "resource"),
                              .uid = text_of(v, "uid"),
                              .resource_version = text_of(v, "resourceVersion"),
                              .path = text_of(v, "path"),
                              .expected = text_of(v, "expected"),
                              .actual = text_of(v, "actual"),
                              .text = {text_or_null(v, "en"), text_or_null(v, "zh")},
                              .where = text_of(v, "where"),
                              .why = text_of(v, "why")};
    return vec_push(&verdict->expectations, e);
}

static struct verdict *verdict_from(const struct value *v)
{
    struct verdict *verdict = verdict_new();
    assert_non_null(verdict);
    bool known = false;
    for (int i = 0; i <= OUTCOME_SKIPPED; i++) {
        if (strcmp(outcome_name((enum outcome)i), value_find_text(v, "outcome", NULL)) == 0) {
            verdict->outcome = (enum outcome)i;
            known = true;
        }
    }
    assert_true(known);
    const struct value *error = value_get(v, "error");
    if (error != NULL) {
        char *message = text_of(error, "message"), *where = text_of(error, "where"), *cause = text_of(error, "cause");
        error_set(&verdict->error, ERROR_INPUT, where, "%s", message);
        snprintf(verdict->error.cause, sizeof verdict->error.cause, "%s", cause);
        mem_free(message);
        mem_free(where);
        mem_free(cause);
    }
    for (const struct value *e = value_first(value_get(v, "expectations")); e != NULL; e = value_next(e))
        assert_true(add_expectation(verdict, e));
    return verdict;
}

static void report_from(const struct value *v, struct report *report)
{
    report_init(report);
    report->command = text_of(v, "command");
    report->cluster_name = text_of(v, "cluster");
    report->cluster_server = text_of(v, "server");
    report->cluster_version = text_of(v, "version");
    report->cluster_uid = text_or_null(v, "uid");
    report->ns = text_or_null(v, "namespace");
    report->started_ms = 1767323045000; /* 2026-01-02T03:04:05Z */
    report->duration_ms = value_find_int(v, 0, "duration_ms", NULL);
    for (const struct value *s = value_first(value_get(v, "steps")); s != NULL; s = value_next(s))
        assert_true(report_add(report, value_find_text(s, "lesson", NULL), value_find_text(s, "step", NULL), value_find_text(s, "title", NULL),
                               verdict_from(s), value_find_int(s, 0, "duration_ms", NULL)));
}

/* ---- what comes out, against what should */

static char *print(const struct report *report, enum report_format format, bool colour)
{
    struct buf out = buf_make(OUT);
    report_print(report, format, colour, &out);
    char *text = buf_take(&out, NULL);
    assert_non_null(text);
    return text;
}

/* "kubetutor 0.1.0" is "kubetutor V" in the files. */
static void hide_version(char *text)
{
    char *at = strstr(text, "\"kubetutor " KT_VERSION "\"");
    if (at == NULL)
        return;
    char *behind = mem_string(at + strlen("\"kubetutor " KT_VERSION));
    assert_true(strlen(KT_VERSION) < strlen(behind));
    sprintf(at, "\"kubetutor V%s", behind);
    mem_free(behind);
}

static void compare(const char *name, const char *extension, char *got, bool needed)
{
    char path[512];
    snprintf(path, sizeof path, KT_TEST_CASES "/cases/%s.%s", name, extension);
    hide_version(got);
    const char *golden = getenv("KT_GOLDEN");
    if (golden != NULL && strcmp(golden, "write") == 0 && (needed || file_exists(path)))
        assert_true(file_write(path, got, strlen(got), 0644, NULL));
    if (needed || file_exists(path)) {
        char *want = file_read(path, OUT, NULL, NULL);
        assert_non_null(want);
        if (strcmp(got, want) != 0)
            print_error("%s:\n%s\n", path, got);
        assert_string_equal(got, want);
        mem_free(want);
    }
    mem_free(got);
}

static struct value *read_case(const char *name)
{
    char path[512];
    size_t length;
    struct error err = ERROR_INIT;
    snprintf(path, sizeof path, KT_TEST_CASES "/cases/%s.json", name);
    char *text = file_read(path, OUT, &length, &err);
    struct value *v = text != NULL ? json_parse(text, length, path, &err) : NULL;
    assert_string_equal(err.message, "");
    mem_free(text);
    return v;
}

static void check_case(const char *name)
{
    struct report report;
    struct value *v = read_case(name);
    report_from(v, &report);
    assert_int_equal(report_exit_code(&report), value_find_int(v, -1, "exit", NULL));
    compare(name, "txt", print(&report, REPORT_TEXT, false), true);
    compare(name, "out.json", print(&report, REPORT_JSON, false), true);
    compare(name, "xml", print(&report, REPORT_JUNIT, false), true);
    compare(name, "colour", print(&report, REPORT_TEXT, true), false);
    setlocale(LC_ALL, "C");
    compare(name, "ascii", print(&report, REPORT_TEXT, false), false);
    setlocale(LC_ALL, "C.UTF-8");
    lang_set(LANG_ZH);
    compare(name, "zh", print(&report, REPORT_TEXT, false), false);
    lang_set(LANG_EN);
    report_free(&report);
    value_free(v);
}

/* Calls body for each case; returns how many there are. */
static int each_case(void (*body)(const char *name))
{
    int cases = 0;
    DIR *folder = opendir(KT_TEST_CASES "/cases");
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[256];
        const char *dot = strchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".json") != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(dot - entry->d_name), entry->d_name);
        body(name);
        cases++;
    }
    closedir(folder);
    return cases;
}

static void every_case_comes_out_as_written_down(void **state)
{
    (void)state;
    assert_true(each_case(check_case) >= 5);
}

/* ---- validity, whatever the strings hold */

/* Python's parser reads it, and finds as many failures, errors and skipped cases as the counts say. */
static void assert_junit(const char *xml)
{
    static const char program[] =
        "import sys, xml.etree.ElementTree as E\n"
        "r = E.parse(sys.argv[1]).getroot()\n"
        "assert r.tag == 'testsuites', r.tag\n"
        "for n in [r] + list(r):\n"
        "    for tag, key in (('testcase', 'tests'), ('failure', 'failures'), ('error', 'errors'), ('skipped', 'skipped')):\n"
        "        assert int(n.get(key)) == len(n.findall('.//' + tag)), (n.get('name'), key)\n"
        "    float(n.get('time'))\n"
        "for c in r.iter('testcase'):\n"
        "    assert c.get('name') is not None and c.get('classname') is not None\n";
    char path[] = "/tmp/kubetutor-junit-XXXXXX", command[2048];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, xml, strlen(xml)), strlen(xml));
    close(fd);
    snprintf(command, sizeof command, "python3 -c \"%s\" %s", program, path);
    int code = system(command);
    if (code != 0)
        print_error("%s\n", xml);
    assert_int_equal(code, 0);
    unlink(path);
}

static void assert_json(const char *json)
{
    struct error err = ERROR_INIT;
    struct value *v = json_parse(json, strlen(json), "report", &err);
    assert_string_equal(err.message, "");
    assert_int_equal(value_find_int(v, 0, "version", NULL), 1);
    value_free(v);
}

/* Nothing that a terminal would obey but line breaks (and tabs, in a file), and valid UTF-8. */
static void assert_safe(const char *text, bool tabs)
{
    size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        unsigned code_point;
        size_t used = utf8_decode(text + at, length - at, &code_point);
        assert_true(used > 1 || (unsigned char)text[at] < 0x80);
        assert_true(code_point == '\n' || (tabs && code_point == '\t') || (code_point >= 0x20 && !(code_point >= 0x7f && code_point <= 0x9f) && code_point != 0x202e));
        at += used;
    }
}

/* Bytes `first`, `first` + 1, ... (0 left out) in every string that comes from outside. */
static void hostile_report(struct report *report, enum outcome outcome, unsigned first, char bytes[static 33])
{
    for (unsigned i = 0; i < 32; i++)
        bytes[i] = (char)((first + i) % 256 != 0 ? (first + i) % 256 : 1);
    bytes[32] = '\0';
    report_init(report);
    report->command = mem_string("check");
    report->cluster_name = mem_string(bytes);
    report->cluster_server = mem_string(bytes);
    report->cluster_version = mem_string(bytes);
    report->cluster_uid = mem_string(bytes);
    report->ns = mem_string(bytes);
    struct verdict *verdict = verdict_new();
    struct value *e = value_object();
    verdict->outcome = outcome;
    error_set(&verdict->error, ERROR_INPUT, bytes, "%s", bytes);
    snprintf(verdict->error.cause, sizeof verdict->error.cause, "%s", bytes);
    assert_true(add_expectation(verdict, e));
    struct expectation *expectation = verdict->expectations.items[0];
    char **fields[] = {&expectation->kind, &expectation->name, &expectation->resource, &expectation->uid, &expectation->resource_version,
                       &expectation->path, &expectation->expected, &expectation->actual, &expectation->where, &expectation->why,
                       &expectation->text.zh};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        mem_free(*fields[i]);
        *fields[i] = mem_string(bytes);
    }
    value_free(e);
    assert_true(report_add(report, bytes, bytes, bytes, verdict, 1));
}

static void no_bytes_break_a_format(void **state)
{
    (void)state;
    for (int outcome = 0; outcome <= OUTCOME_SKIPPED; outcome++) {
        for (unsigned first = 0; first < 256; first += 32) {
            char bytes[33];
            struct report report;
            hostile_report(&report, (enum outcome)outcome, first, bytes);
            char *text = print(&report, REPORT_TEXT, false), *json = print(&report, REPORT_JSON, false);
            char *xml = print(&report, REPORT_JUNIT, false);
            assert_safe(text, false);
            assert_json(json);
            assert_safe(xml, true);
            assert_junit(xml);
            mem_free(text);
            mem_free(json);
            mem_free(xml);
            report_free(&report);
        }
    }
}

static void junit_of(const char *name)
{
    struct report report;
    struct value *v = read_case(name);
    report_from(v, &report);
    char *xml = print(&report, REPORT_JUNIT, false), *json = print(&report, REPORT_JSON, false);
    assert_junit(xml);
    assert_json(json);
    mem_free(xml);
    mem_free(json);
    report_free(&report);
    value_free(v);
}

static void python_reads_the_junit_of_every_case(void **state)
{
    (void)state;
    each_case(junit_of);
}

/* ---- exit codes, names, memory */

static void exit_codes_put_the_lessons_fault_before_an_outage_before_a_failure(void **state)
{
    (void)state;
    static const struct {
        enum outcome outcomes[4];
        size_t count;
        int code;
    } cases[] = {
        {{OUTCOME_PASSED}, 0, 0},
        {{OUTCOME_PASSED}, 1, 0},
        {{OUTCOME_PASSED, OUTCOME_SKIPPED}, 2, 0},
        {{OUTCOME_SKIPPED, OUTCOME_SKIPPED}, 2, 1},
        {{OUTCOME_FAILED, OUTCOME_PASSED}, 2, 1},
        {{OUTCOME_FAILED, OUTCOME_SKIPPED}, 2, 1},
        {{OUTCOME_PASSED, OUTCOME_UNREACHABLE}, 2, 4},
        {{OUTCOME_UNREACHABLE, OUTCOME_FAILED, OUTCOME_PASSED}, 3, 4},
        {{OUTCOME_UNREACHABLE, OUTCOME_SKIPPED}, 2, 4},
        {{OUTCOME_ERROR, OUTCOME_PASSED}, 2, 3},
        {{OUTCOME_UNREACHABLE, OUTCOME_ERROR, OUTCOME_FAILED, OUTCOME_PASSED}, 4, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct report report;
        report_init(&report);
        for (size_t j = 0; j < cases[i].count; j++) {
            struct verdict *verdict = verdict_new();
            verdict->outcome = cases[i].outcomes[j];
            assert_true(report_add(&report, "l", "s", "", verdict, 0));
        }
        assert_int_equal(report_exit_code(&report), cases[i].code);
        report_free(&report);
    }
}

static void exit_codes_of_several_things_come_to_the_worst(void **state)
{
    (void)state;
    static const int order[] = {0, 1, 4, 3, 2, 130};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (size_t j = 0; j <= i; j++) {
            assert_int_equal(report_join_codes(order[i], order[j]), order[i]);
            assert_int_equal(report_join_codes(order[j], order[i]), order[i]);
        }
}

static void formats_are_known_by_name(void **state)
{
    (void)state;
    enum report_format format = REPORT_TEXT;
    assert_true(report_format_parse("json", &format));
    assert_int_equal(format, REPORT_JSON);
    assert_true(report_format_parse("junit", &format));
    assert_int_equal(format, REPORT_JUNIT);
    assert_true(report_format_parse("text", &format));
    assert_int_equal(format, REPORT_TEXT);
    assert_false(report_format_parse("", &format));
    assert_false(report_format_parse("JSON", &format));
    assert_false(report_format_parse("yaml", &format));
}

static void numbers_are_written_with_a_point_in_every_locale(void **state)
{
    (void)state;
    struct report report;
    report_init(&report);
    report.duration_ms = 1250;
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is installed */
    char *xml = print(&report, REPORT_JUNIT, false), *text = print(&report, REPORT_TEXT, false);
    setlocale(LC_ALL, "C.UTF-8");
    assert_non_null(strstr(xml, "time=\"1.250\""));
    assert_string_equal(text, "\nnothing was checked (1.3 s)\n");
    mem_free(xml);
    mem_free(text);
    report_free(&report);
}

static void a_step_without_memory_frees_its_verdict(void **state)
{
    (void)state;
    struct report report;
    report_init(&report);
    int nth = 0;
    for (bool added = false; !added; nth++) {
        struct verdict *verdict = verdict_new();
        mem_fail_at(nth + 1);
        added = report_add(&report, "l", "s", "t", verdict, 0);
        mem_fail_at(0);
        assert_int_equal(report.steps.length, added ? 1 : 0);
    }
    assert_int_equal(nth - 1, 5); /* step, three strings, the list */
    assert_false(report_add(&report, "l", "s", "t", NULL, 0));
    report_free(&report);
}

static void a_report_is_whole_or_known_to_be_not(void **state)
{
    (void)state;
    struct report report;
    struct value *v = read_case("failed");
    report_from(v, &report);
    for (int format = REPORT_TEXT; format <= REPORT_JUNIT; format++) {
        char *whole = print(&report, (enum report_format)format, true);
        int broken = 0;
        for (bool done = false; !done;) {
            struct buf out = buf_make(OUT);
            mem_fail_at(broken + 1);
            report_print(&report, (enum report_format)format, true, &out);
            mem_fail_at(0);
            done = buf_ok(&out);
            if (done)
                assert_string_equal(out.bytes, whole);
            else
                broken++;
            buf_free(&out);
        }
        assert_true(broken > 3);
        mem_free(whole);
    }
    report_free(&report);
    value_free(v);
}

int test_report(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_comes_out_as_written_down),
        cmocka_unit_test(no_bytes_break_a_format),
        cmocka_unit_test(python_reads_the_junit_of_every_case),
        cmocka_unit_test(exit_codes_put_the_lessons_fault_before_an_outage_before_a_failure),
        cmocka_unit_test(exit_codes_of_several_things_come_to_the_worst),
        cmocka_unit_test(formats_are_known_by_name),
        cmocka_unit_test(numbers_are_written_with_a_point_in_every_locale),
        cmocka_unit_test(a_step_without_memory_frees_its_verdict),
        cmocka_unit_test(a_report_is_whole_or_known_to_be_not),
    };
    setlocale(LC_ALL, "C.UTF-8");
    lang_set(LANG_EN);
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
