#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ui/layout.h"
#include "ui/theme.h"

static bool inside(const struct rect *r, int rows, int columns)
{
    return r->height == 0 || (r->y >= 0 && r->x >= 0 && r->width > 0 && r->y + r->height <= rows && r->x + r->width <= columns);
}

static bool apart(const struct rect *a, const struct rect *b)
{
    return a->height == 0 || b->height == 0 || a->y + a->height <= b->y || b->y + b->height <= a->y || a->x + a->width <= b->x || b->x + b->width <= a->x;
}

static void everything_fits_and_nothing_overlaps_at_every_size(void **state)
{
    (void)state;
    for (int rows = LAYOUT_LEAST_ROWS; rows <= 100; rows++)
        for (int columns = LAYOUT_LEAST_COLUMNS; columns <= 300; columns += 1 + columns / 40)
            for (int variant = 0; variant < 36; variant++) {
                int checks = variant % 3 * 10, banner = variant / 3 % 4;
                struct layout l = layout_compute(rows, columns, checks, banner, (enum pane)(variant / 12));
                const struct rect *all[] = {&l.title, &l.banner, &l.panes[0], &l.panes[1], &l.panes[2], &l.status};
                assert_false(l.too_small);
                for (int i = 0; i < 6; i++) {
                    assert_true(inside(all[i], rows, columns));
                    for (int k = 0; k < i; k++)
                        assert_true(apart(all[i], all[k]));
                }
                assert_true(l.panes[PANE_CHECKS].height >= 2 && l.panes[PANE_CHECKS].height <= rows / 2);
                assert_true(l.panes[PANE_LESSON].height >= 4 || (variant / 12 == PANE_LIVE && !l.wide));
                assert_true(l.panes[PANE_LESSON].width >= 48 && l.panes[PANE_LESSON].width <= 98);
            }
}

static void smaller_is_too_small(void **state)
{
    (void)state;
    assert_true(layout_compute(LAYOUT_LEAST_ROWS - 1, 200, 3, 0, PANE_LESSON).too_small);
    assert_true(layout_compute(100, LAYOUT_LEAST_COLUMNS - 1, 3, 0, PANE_LESSON).too_small);
    assert_false(layout_compute(LAYOUT_LEAST_ROWS, LAYOUT_LEAST_COLUMNS, 3, 0, PANE_LESSON).too_small);
}

static void the_live_pane_stands_beside_or_takes_the_lessons_place(void **state)
{
    (void)state;
    assert_true(layout_compute(24, LAYOUT_WIDE, 3, 0, PANE_LESSON).panes[PANE_LIVE].height > 0);
    struct layout narrow = layout_compute(24, LAYOUT_WIDE - 1, 3, 0, PANE_LESSON), live = layout_compute(24, LAYOUT_WIDE - 1, 3, 0, PANE_LIVE);
    assert_int_equal(narrow.panes[PANE_LIVE].height, 0);
    assert_int_equal(live.panes[PANE_LIVE].height, narrow.panes[PANE_LESSON].height);
    assert_int_equal(live.panes[PANE_CHECKS].height, narrow.panes[PANE_CHECKS].height);
}

static void the_theme_follows_the_terminal_unless_one_is_asked_for_that_it_can_show(void **state)
{
    (void)state;
    static const struct {
        int colours;
        const char *asked, *background, *wanted;
    } cases[] = {
        {0, NULL, NULL, "mono"},      {0, "dark", "15;0", "mono"},  {8, NULL, NULL, "16"},         {8, "dark", NULL, "16"},          {256, NULL, NULL, "16"},
        {256, NULL, "15;0", "dark"},  {256, NULL, "0;15", "light"}, {256, NULL, "0;default;7", "light"}, {256, "light", "15;0", "light"}, {256, "mono", NULL, "mono"},
        {256, "no such", NULL, "16"}, {16, NULL, "0;15", "16"},     {256, NULL, "garbage", "16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(theme_choose(cases[i].colours, cases[i].asked, cases[i].background)->name, cases[i].wanted);
}

int test_layout(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_fits_and_nothing_overlaps_at_every_size),
        cmocka_unit_test(smaller_is_too_small),
        cmocka_unit_test(the_live_pane_stands_beside_or_takes_the_lessons_place),
        cmocka_unit_test(the_theme_follows_the_terminal_unless_one_is_asked_for_that_it_can_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
