#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support.h"
#include "ui/lines.h"

static void expect_dump(const struct vec *lines, bool roles, const char *wanted)
{
    char *dump = lines_dump(lines, roles);
    assert_string_equal(dump, wanted);
    mem_free(dump);
}

static void wraps_with_its_prefixes(void **state)
{
    (void)state;
    struct vec lines = lines_make();
    lines_text(&lines, "one two three four\nfive", &(struct lines_shape){.columns = 14, .first = "* ", .rest = "  ", .role = ROLE_WHY, .prefix_role = ROLE_BAD, .target = 3});
    expect_dump(&lines, true, "[bad:* ][why:one two]\n[bad:  ][why:three four]\n[bad:  ][why:five]\n");
    assert_int_equal(((const struct line *)lines.items[2])->target, 3);
    vec_free(&lines);
}

static void shows_what_would_drive_a_terminal(void **state)
{
    (void)state;
    struct vec lines = lines_make();
    lines_text(&lines, "a\033[2Jb\x9b" "c\xe2\x80\xae" "d\xff", &(struct lines_shape){.columns = 60, .target = -1});
    lines_code(&lines, "kubectl\033]0;x\a get", &(struct lines_shape){.columns = 60, .target = -1});
    lines_markdown(&lines, "x \033[31m y", &(struct lines_shape){.columns = 60, .target = -1});
    char *dump = lines_dump(&lines, false);
    for (const char *c = dump; *c != '\0'; c++)
        assert_true(*c == '\n' || (unsigned char)*c >= 0x20);
    assert_non_null(strstr(dump, "<U+202E>"));
    mem_free(dump);
    vec_free(&lines);
}

static void a_text_that_may_take_so_many_lines_ends_in_an_ellipsis(void **state)
{
    (void)state;
    struct vec lines = lines_make();
    struct lines_shape shape = {.columns = 12, .target = -1, .most = 2};
    lines_text(&lines, "aaaa bbbb cccc dddd eeee ffff", &shape);
    lines_text(&lines, "aaaa bbbb cccc dddd", &shape);
    lines_text(&lines, "first\nsecond\nthird", &shape);
    char *dump = lines_dump(&lines, false);
    assert_string_equal(dump, "aaaa bbbb\ncccc dddd e…\naaaa bbbb\ncccc dddd\nfirst\nsecond\n");
    mem_free(dump);
    assert_true(lines_sound(&lines, 12));
    vec_free(&lines);
}

static void markdown_keeps_its_looks_and_takes_the_role_for_the_rest(void **state)
{
    (void)state;
    struct vec lines = lines_make();
    lines_markdown(&lines, "is **strong** and `code`", &(struct lines_shape){.columns = 40, .first = "> ", .rest = "> ", .role = ROLE_MUTED, .prefix_role = ROLE_KEY, .target = -1});
    expect_dump(&lines, true, "[key:> ][muted:is ][strong:strong][muted: and ][code:code]\n");
    vec_free(&lines);
}

static void commands_stand_under_their_prompt_and_placeholders_stand_out(void **state)
{
    (void)state;
    struct vec lines = lines_make();
    lines_code(&lines, "kubectl get <pod-name> \\\n  -o <x>\ncat < y > z\n", &(struct lines_shape){.columns = 40, .first = "$ ", .rest = "  ", .role = ROLE_COMMAND,
                                                                                             .prefix_role = ROLE_MUTED, .target = -1});
    expect_dump(&lines, true, "[muted:$ ][command:kubectl get ][emphasis:<pod-name>][command: \\]\n[muted:  ][command:  -o ][emphasis:<x>]\n[muted:$ ][command:cat < y > z]\n");
    vec_free(&lines);
}

static void blank_lines_come_alone_and_never_first(void **state)
{
    (void)state;
    struct vec lines = lines_make();
    struct lines_shape shape = {.columns = 20, .target = -1};
    lines_blank(&lines);
    lines_text(&lines, "a", &shape);
    lines_blank(&lines);
    lines_blank(&lines);
    lines_text(&lines, "b", &shape);
    expect_dump(&lines, false, "a\n\nb\n");
    vec_free(&lines);
}

static void chinese_fills_the_columns_and_no_more(void **state)
{
    (void)state;
    for (size_t columns = 12; columns < 50; columns++) {
        struct vec lines = lines_make();
        lines_text(&lines, "汉字之间没有空格，所以换行要按字来；“引号”也一样。kubectl apply 也在其中。", &(struct lines_shape){.columns = columns, .first = "✗ ", .rest = "  ", .target = -1});
        assert_true(lines_sound(&lines, columns));
        assert_true(lines.length > 1);
        vec_free(&lines);
    }
}

static void long_code_goes_on_after_a_mark_and_keeps_its_blanks(void **state)
{
    (void)state;
    struct vec lines = lines_make();
    struct lines_shape shape = {.columns = 20, .first = "  ", .rest = "  ", .target = -1, .wrap = true};
    lines_code(&lines, "a: b\n  image: registry.example/a/b\nc: d", &shape);
    expect_dump(&lines, false, "  a: b\n    image: registr\n  ↳ y.example/a/b\n  c: d\n");
    assert_true(lines_sound(&lines, 20));
    vec_free(&lines);
}

static void a_line_without_memory_is_left_out(void **state)
{
    (void)state;
    int nth = 0, worked = 0;
    for (bool ok = false; !ok; nth++) {
        mem_fail_at(nth + 1);
        struct vec lines = lines_make();
        struct lines_shape shape = {.columns = 20, .first = "- ", .rest = "  ", .target = -1, .most = 2};
        lines_text(&lines, "some words that need more lines than there may be", &shape);
        lines_markdown(&lines, "and **some** Markdown", &shape);
        shape.wrap = true;
        lines_code(&lines, "kubectl get pods <name>", &shape);
        mem_fail_at(0);
        assert_true(lines_sound(&lines, 20));
        ok = lines.length == 6;
        worked += lines.length > 0;
        vec_free(&lines);
        assert_true(nth < 200);
    }
    assert_true(nth > 5 && worked > 1);
}

int test_lines(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wraps_with_its_prefixes),
        cmocka_unit_test(shows_what_would_drive_a_terminal),
        cmocka_unit_test(a_text_that_may_take_so_many_lines_ends_in_an_ellipsis),
        cmocka_unit_test(markdown_keeps_its_looks_and_takes_the_role_for_the_rest),
        cmocka_unit_test(commands_stand_under_their_prompt_and_placeholders_stand_out),
        cmocka_unit_test(blank_lines_come_alone_and_never_first),
        cmocka_unit_test(chinese_fills_the_columns_and_no_more),
        cmocka_unit_test(long_code_goes_on_after_a_mark_and_keeps_its_blanks),
        cmocka_unit_test(a_line_without_memory_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
