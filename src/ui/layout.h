/* layout.h: where things stand on a screen of a given size. Pure. Internal to this folder. */
#ifndef KT_UI_LAYOUT_H
#define KT_UI_LAYOUT_H

#include <stdbool.h>

enum { LAYOUT_LEAST_COLUMNS = 60, LAYOUT_LEAST_ROWS = 18, LAYOUT_WIDE = 100 };

enum pane { PANE_LESSON, PANE_CHECKS, PANE_LIVE, PANE_COUNT };

struct rect {
    int y, x, height, width; /* text only: frames and padding are outside */
};
struct layout {
    int rows, columns;
    bool too_small; /* nothing else is set then */
    bool wide;      /* the live pane stands beside the lesson; else it takes the lesson's place while it has the focus */
    int split;      /* column of the line between them, wide only */
    struct rect title, banner, panes[PANE_COUNT], status;
    int divider;    /* row of the line between lesson and checks */
    bool boxed;     /* frame at the sides and the bottom */
};
/* `checks`: lines that the checks would like to have; they get at least two and at most half. `banner`: rows of it, 0: none.
 * The shell pane will take the lower part of the live pane's column (wide), or a tab of its own. */
struct layout layout_compute(int rows, int columns, int checks, int banner, enum pane focus);

#endif
