/* Lesson texts: cases in tests/lesson/text/NAME.md, what comes of each beside it in NAME.expected. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/json.h"
#include "lesson/text.h"

static const char *const kinds[] = {"prose", "run", "file", "hint", "why", "source", "choice", "because", "note"};

/* The text as the .expected files write it. */
static void describe(const struct lesson_text *text, const struct error *err, struct buf *out)
{
    if (text == NULL) {
        buf_printf(out, "error %s: %s\n", err->where, err->message);
        return;
    }
    buf_printf(out, "title %s\nopening ", text->title);
    json_quote(text->opening, out);
    buf_append_string(out, "\n");
    for (size_t i = 0; i < text->steps.length; i++) {
        const struct text_step *step = text->steps.items[i];
        buf_printf(out, "step %s \"%s\" line %d\n", step->id, step->heading, step->line);
        for (size_t j = 0; j < step->blocks.length; j++) {
            const struct text_block *block = step->blocks.items[j];
            buf_printf(out, "  %d %s%s%s ", block->line, kinds[block->kind], block->id[0] != '\0' ? " " : "", block->id);
            json_quote(block->text, out);
            buf_append_string(out, "\n");
        }
    }
}

static void check_case(const char *path, const char *name)
{
    char *expected_path = mem_printf("%.*s.expected", (int)(strlen(path) - 3), path);
    size_t length;
    char *source = file_read(path, 1 << 20, &length, NULL), *expected = file_read(expected_path, 1 << 20, NULL, NULL);
    struct error err = ERROR_INIT;
    struct buf out = buf_make(1 << 20);
    assert_non_null(source);
    struct lesson_text *text = lesson_text_parse(source, length, name, &err);
    describe(text, &err, &out);
    if (expected == NULL && getenv("KT_RECORD") != NULL)
        assert_true(file_write(expected_path, out.bytes, out.length, 0644, NULL));
    else {
        assert_non_null(expected);
        assert_string_equal(out.bytes, expected);
    }
    lesson_text_free(text);
    buf_free(&out);
    mem_free(source);
    mem_free(expected);
    mem_free(expected_path);
}

static void texts_are_taken_apart_as_recorded(void **state)
{
    (void)state;
    int count = 0;
    DIR *folder = opendir(KT_TEST_CASES "/text");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 3, ".md") != 0)
            continue;
        char *path = mem_printf("%s/%s", KT_TEST_CASES "/text", entry->d_name);
        check_case(path, entry->d_name);
        mem_free(path);
        count++;
    }
    closedir(folder);
    assert_true(count >= 8);
}

static void names_are_filled_in_from_the_state(void **state)
{
    (void)state;
    const char *json = "{\"name\": \"web\", \"port\": 80, \"pod\": {\"ip\": \"10.0.0.1\"}}";
    struct value *v = json_parse(json, strlen(json), "state", NULL);
    static const struct {
        const char *text, *filled;
    } cases[] = {
        {"plain", "plain"},
        {"{{name}}:{{port}}", "web:80"},
        {"{{pod.ip}} and {{nothing}}", "10.0.0.1 and {{nothing}}"},
        {"{{ name }} {{", "{{ name }} {{"},
        {"{{pod}} }}{{name}}", "{{pod}} }}web"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *filled = lesson_fill(cases[i].text, v);
        assert_string_equal(filled, cases[i].filled);
        mem_free(filled);
    }
    value_free(v);
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    size_t length;
    char *source = file_read(KT_SOURCE "/lessons/nginx/zh.md", 1 << 20, &length, NULL);
    struct lesson_text *text = NULL;
    assert_non_null(source);
    int nth = 0;
    while (text == NULL) {
        struct error err = ERROR_INIT;
        mem_fail_at(++nth);
        text = lesson_text_parse(source, length, "zh.md", &err);
        mem_fail_at(0);
        if (text == NULL)
            assert_int_not_equal(err.kind, ERROR_NONE);
    }
    assert_true(nth > 20);
    lesson_text_free(text);
    mem_free(source);
}

int test_text(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_taken_apart_as_recorded),
        cmocka_unit_test(names_are_filled_in_from_the_state),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("lesson/text", tests, NULL, NULL);
}
