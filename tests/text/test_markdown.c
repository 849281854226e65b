/* Markdown laid out. tests/text/markdown/NAME.md is rendered at each width for which there is NAME.WIDTH.txt (the plain lines)
 * or NAME.WIDTH.tags (the same with each span's styles before it, as in {strong+code}). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cases.h"
#include "text/markdown.h"
#include "text/width.h"

static const char *const style_names[] = {"strong", "emphasis", "code", "heading", "link", "quote", "muted"};

static void append_tag(struct buf *out, unsigned style)
{
    const char *before = "{";
    for (size_t i = 0; i < sizeof style_names / sizeof *style_names; i++)
        if (style & (1u << i)) {
            buf_printf(out, "%s%s", before, style_names[i]);
            before = "+";
        }
    buf_append_string(out, style == STYLE_NORMAL ? "{}" : "}");
}

static void append_tagged(struct buf *out, const struct styled_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        const struct styled_line *line = &lines->lines[i];
        for (size_t s = 0; s < line->span_count; s++) {
            append_tag(out, line->spans[s].style);
            buf_append(out, line->text.bytes + line->spans[s].start, line->spans[s].length);
        }
        buf_append(out, "\n", 1);
    }
}

static int expectations; /* met for the file at hand */

/* One NAME.WIDTH.txt or .tags beside the source. */
static void run_expectation(const char *source, const char *expected_path, size_t columns, bool tags)
{
    struct error err = ERROR_INIT;
    struct styled_lines lines;
    struct buf got = buf_make(1 << 20);
    char *expected = file_read(expected_path, 1 << 20, NULL, &err);
    assert_non_null(expected);
    assert_true(markdown_render(source, strlen(source), columns, &lines, &err));
    if (tags)
        append_tagged(&got, &lines);
    else
        styled_lines_print(&lines, false, &got);
    if (strcmp(expected, got.bytes != NULL ? got.bytes : "") != 0)
        fail_msg("%s expects:\n%s\n  got:\n%s", expected_path, expected, got.bytes);
    buf_free(&got);
    styled_lines_free(&lines);
    mem_free(expected);
    expectations++;
}

static void run_markdown(const char *path, char *source)
{
    static const char *const kinds[] = {"txt", "tags"};
    expectations = 0;
    for (size_t columns = 10; columns <= 120; columns++)
        for (size_t kind = 0; kind < 2; kind++) {
            char *expected = mem_printf("%.*s.%zu.%s", (int)strlen(path) - 3, path, columns, kinds[kind]);
            if (file_exists(expected))
                run_expectation(source, expected, columns, kind == 1);
            mem_free(expected);
        }
    if (expectations == 0)
        fail_msg("%s has no expectation beside it", path);
}

static void the_cases_hold(void **state)
{
    (void)state;
    each_case("markdown", ".md", run_markdown);
}

static void assert_line_is_sound(const struct styled_line *line, size_t columns)
{
    size_t covered = 0;
    for (size_t i = 0; i < line->span_count; i++) {
        assert_int_equal(line->spans[i].start, covered);
        assert_true(line->spans[i].length > 0);
        covered += line->spans[i].length;
    }
    assert_int_equal(covered, line->text.length);
    bool code = line->span_count > 0 && line->spans[line->span_count - 1].style == STYLE_CODE;
    assert_true(code || width_text(line->text.bytes, line->text.length) <= columns);
}

static void check_widths(const char *path, char *source)
{
    (void)path;
    for (size_t columns = 10; columns <= 100; columns++) {
        struct styled_lines lines;
        assert_true(markdown_render(source, strlen(source), columns, &lines, NULL));
        for (size_t i = 0; i < lines.count; i++)
            assert_line_is_sound(&lines.lines[i], columns);
        styled_lines_free(&lines);
    }
}

static void every_line_fits_at_every_width(void **state)
{
    (void)state;
    each_case("markdown", ".md", check_widths);
}

static bool renders(const char *piece, size_t times, const char *last, struct error *err)
{
    struct buf source = buf_make(4 << 20);
    struct styled_lines lines;
    for (size_t i = 0; i < times; i++)
        buf_append_string(&source, piece);
    buf_append_string(&source, last);
    bool ok = markdown_render(source.bytes, source.length, 100, &lines, err);
    if (ok)
        styled_lines_free(&lines);
    else
        assert_null(lines.lines);
    buf_free(&source);
    return ok;
}

static void too_much_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *piece;
        size_t times;
        const char *last;
    } cases[] = {
        {"x", (1 << 20) + 1, ""},          /* source */
        {"a\n\n", 10001, ""},              /* lines, with the blank ones */
        {"|a|b|\n|---|---|\n", 10001, ""}, /* cells */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = ERROR_INIT;
        assert_false(renders(cases[i].piece, cases[i].times, cases[i].last, &err));
        assert_int_equal(err.kind, ERROR_LIMIT);
    }
    assert_true(renders("x", 1 << 20, "", NULL));
    assert_true(renders("a\n\n", 10000, "", NULL));
}

static void a_definition_used_again_and_again_ends_at_the_limit(void **state)
{
    (void)state;
    struct buf source = buf_make(1 << 20);
    buf_append_string(&source, "[a]: http://h/");
    for (int i = 0; i < 20000; i++)
        buf_append_string(&source, "xxxxxxxxxx");
    buf_append_string(&source, "\n\n");
    for (int i = 0; i < 1000; i++)
        buf_append_string(&source, "[a] ");
    struct styled_lines lines;
    struct error err = ERROR_INIT;
    assert_false(markdown_render(source.bytes, source.length, 80, &lines, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    buf_free(&source);
}

static void assert_lines(const char *piece, size_t times, const char *last, size_t count)
{
    struct buf source = buf_make(1 << 20);
    struct styled_lines lines;
    for (size_t i = 0; i < times; i++)
        buf_append_string(&source, piece);
    buf_append_string(&source, last);
    assert_true(markdown_render(source.bytes, source.length, 40, &lines, NULL));
    assert_int_equal(lines.count, count);
    for (size_t i = 0; i < lines.count; i++)
        assert_line_is_sound(&lines.lines[i], 40);
    styled_lines_free(&lines);
    buf_free(&source);
}

static void deep_nesting_leaves_room_for_the_text(void **state)
{
    (void)state;
    assert_lines("> ", 5000, "deep", 1);
    assert_lines("- ", 300, "deep", 1);
    assert_lines("> - ", 300, "some words that need more than half of the line", 3);
    assert_lines("![", 100, "x](u)](u)](u)", 6); /* most of the brackets stay text */
}

static void colour_is_written_only_where_it_is_wanted(void **state)
{
    (void)state;
    static const char source[] = "# A\n\nb **c** `d`";
    struct styled_lines lines;
    struct buf plain = buf_make(200), coloured = buf_make(200);
    assert_true(markdown_render(source, sizeof source - 1, 40, &lines, NULL));
    styled_lines_print(&lines, false, &plain);
    styled_lines_print(&lines, true, &coloured);
    assert_string_equal(plain.bytes, "A\n\nb c d\n");
    assert_string_equal(coloured.bytes, "\033[0;1;1;34mA\033[0m\n\nb \033[0;1mc\033[0m \033[0;36md\033[0m\n");
    buf_free(&plain);
    buf_free(&coloured);
    styled_lines_free(&lines);
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    static const char source[] =
        "# H\n\n1. a **b** [c](d)\n   - e\n\n> q `x`\n\n```\ncode\n```\n\n|a|b|c|d|\n|---|---|---|---|\n|e|f|g|h|\n";
    for (size_t columns = 10; columns <= 40; columns += 30) { /* the table as pairs, and in columns */
        int nth = 0;
        for (bool ok = false; !ok;) {
            struct styled_lines lines;
            struct error err = ERROR_INIT;
            mem_fail_at(++nth);
            ok = markdown_render(source, sizeof source - 1, columns, &lines, &err);
            mem_fail_at(0);
            assert_true(ok || (err.kind == ERROR_MEMORY && lines.lines == NULL && lines.count == 0));
            assert_true(!ok || lines.count == (columns == 10 ? 14 : 12));
            styled_lines_free(&lines);
        }
        assert_true(nth > 30);
    }
}

int test_markdown(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cases_hold),
        cmocka_unit_test(every_line_fits_at_every_width),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(a_definition_used_again_and_again_ends_at_the_limit),
        cmocka_unit_test(deep_nesting_leaves_room_for_the_text),
        cmocka_unit_test(colour_is_written_only_where_it_is_wanted),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("text/markdown", tests, NULL, NULL);
}
