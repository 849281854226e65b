#include "ui/layout.h"

enum { LESSON_WIDEST = 86, CHECKS_LEAST = 2 };

static int clamp(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

struct layout layout_compute(int rows, int columns, int checks, int banner, enum pane focus)
{
    struct layout l = {.rows = rows, .columns = columns};
    if (rows < LAYOUT_LEAST_ROWS || columns < LAYOUT_LEAST_COLUMNS) {
        l.too_small = true;
        return l;
    }
    l.wide = columns >= LAYOUT_WIDE;
    l.boxed = l.wide;
    int top = 1 + banner, bottom = l.boxed ? rows - 3 : rows - 1; /* rows of the panes: top to bottom - 1 */
    int height = bottom - top, left = l.boxed ? 2 : 1;
    l.split = l.wide ? clamp(columns * 11 / 20, 52, LESSON_WIDEST + 3) : columns;
    int width = l.wide ? l.split - left - 1 : columns - 2;
    int checks_height = clamp(checks, CHECKS_LEAST, (height - 1) / 2);
    l.title = (struct rect){.y = 0, .x = l.boxed ? 1 : 0, .height = 1, .width = l.boxed ? columns - 2 : columns};
    l.banner = (struct rect){.y = 1, .x = left, .height = banner, .width = columns - 2 * left};
    l.divider = bottom - checks_height - 1;
    l.panes[PANE_LESSON] = (struct rect){.y = top, .x = left, .height = l.divider - top, .width = width};
    l.panes[PANE_CHECKS] = (struct rect){.y = l.divider + 1, .x = left, .height = checks_height, .width = width};
    if (l.wide)
        l.panes[PANE_LIVE] = (struct rect){.y = top, .x = l.split + 2, .height = height, .width = columns - l.split - 4};
    else if (focus == PANE_LIVE) {
        l.panes[PANE_LIVE] = l.panes[PANE_LESSON];
        l.panes[PANE_LESSON].height = 0;
    }
    l.status = (struct rect){.y = l.boxed ? rows - 2 : rows - 1, .x = l.boxed ? 2 : 1, .height = 1, .width = columns - (l.boxed ? 4 : 2)};
    return l;
}
