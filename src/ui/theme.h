/* theme.h: how roles look. Const tables. Internal to this folder. */
#ifndef KT_UI_THEME_H
#define KT_UI_THEME_H

#include <stdbool.h>

#include "ui/lines.h"

enum look_bits { LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_UNDERLINE = 4, LOOK_REVERSE = 8, LOOK_ITALIC = 16 };
struct look {
    short foreground, background; /* of the 256-colour palette, -1: the terminal's own */
    unsigned char bits;
};
struct theme {
    const char *name;
    int colours; /* that the terminal must have */
    struct look looks[ROLE_COUNT];
};

/* The theme for a terminal of so many colours: the one asked for by name if the terminal can show it, else dark or light by COLORFGBG ("15;0") where the terminal
 * tells it, else one of 16 colours that is readable on both. colours 0: mono. Never NULL. */
const struct theme *theme_choose(int colours, const char *asked, const char *colorfgbg);

#endif
