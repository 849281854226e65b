#include "ui/theme.h"

#include <stdlib.h>
#include <string.h>

static const struct theme themes[] = {
    {"dark", 256, {
        [ROLE_TEXT] = {-1, -1, 0}, [ROLE_STRONG] = {-1, -1, LOOK_BOLD}, [ROLE_EMPHASIS] = {-1, -1, LOOK_UNDERLINE}, [ROLE_CODE] = {151, -1, 0},
        [ROLE_HEADING] = {117, -1, LOOK_BOLD}, [ROLE_LINK] = {117, -1, LOOK_UNDERLINE}, [ROLE_MUTED] = {245, -1, 0}, [ROLE_COMMAND] = {150, -1, LOOK_BOLD},
        [ROLE_CHOICE] = {-1, -1, 0}, [ROLE_SELECTED] = {16, 117, LOOK_BOLD}, [ROLE_GOOD] = {114, -1, 0}, [ROLE_BUSY] = {221, -1, 0}, [ROLE_BAD] = {210, -1, 0},
        [ROLE_WHY] = {222, -1, 0}, [ROLE_FRAME] = {240, -1, 0}, [ROLE_FOCUS] = {117, -1, LOOK_BOLD}, [ROLE_STATUS] = {250, -1, 0},
        [ROLE_KEY] = {117, -1, LOOK_BOLD}, [ROLE_BANNER] = {16, 222, 0}, [ROLE_FLASH] = {16, 150, 0},
    }},
    {"light", 256, {
        [ROLE_TEXT] = {-1, -1, 0}, [ROLE_STRONG] = {-1, -1, LOOK_BOLD}, [ROLE_EMPHASIS] = {-1, -1, LOOK_UNDERLINE}, [ROLE_CODE] = {22, -1, 0},
        [ROLE_HEADING] = {25, -1, LOOK_BOLD}, [ROLE_LINK] = {25, -1, LOOK_UNDERLINE}, [ROLE_MUTED] = {242, -1, 0}, [ROLE_COMMAND] = {22, -1, LOOK_BOLD},
        [ROLE_CHOICE] = {-1, -1, 0}, [ROLE_SELECTED] = {231, 25, LOOK_BOLD}, [ROLE_GOOD] = {28, -1, 0}, [ROLE_BUSY] = {130, -1, 0}, [ROLE_BAD] = {160, -1, 0},
        [ROLE_WHY] = {94, -1, 0}, [ROLE_FRAME] = {248, -1, 0}, [ROLE_FOCUS] = {25, -1, LOOK_BOLD}, [ROLE_STATUS] = {238, -1, 0},
        [ROLE_KEY] = {25, -1, LOOK_BOLD}, [ROLE_BANNER] = {16, 222, 0}, [ROLE_FLASH] = {16, 151, 0},
    }},
    {"16", 8, {
        [ROLE_TEXT] = {-1, -1, 0}, [ROLE_STRONG] = {-1, -1, LOOK_BOLD}, [ROLE_EMPHASIS] = {-1, -1, LOOK_UNDERLINE}, [ROLE_CODE] = {6, -1, 0},
        [ROLE_HEADING] = {4, -1, LOOK_BOLD}, [ROLE_LINK] = {4, -1, LOOK_UNDERLINE}, [ROLE_MUTED] = {-1, -1, LOOK_DIM}, [ROLE_COMMAND] = {6, -1, LOOK_BOLD},
        [ROLE_CHOICE] = {-1, -1, 0}, [ROLE_SELECTED] = {-1, -1, LOOK_REVERSE | LOOK_BOLD}, [ROLE_GOOD] = {2, -1, 0}, [ROLE_BUSY] = {5, -1, 0},
        [ROLE_BAD] = {1, -1, LOOK_BOLD}, [ROLE_WHY] = {5, -1, 0}, [ROLE_FRAME] = {-1, -1, LOOK_DIM}, [ROLE_FOCUS] = {4, -1, LOOK_BOLD},
        [ROLE_STATUS] = {-1, -1, 0}, [ROLE_KEY] = {4, -1, LOOK_BOLD}, [ROLE_BANNER] = {1, -1, LOOK_REVERSE}, [ROLE_FLASH] = {2, -1, LOOK_REVERSE},
    }},
    {"mono", 0, {
        [ROLE_STRONG] = {-1, -1, LOOK_BOLD}, [ROLE_EMPHASIS] = {-1, -1, LOOK_UNDERLINE}, [ROLE_CODE] = {-1, -1, LOOK_BOLD},
        [ROLE_HEADING] = {-1, -1, LOOK_BOLD | LOOK_UNDERLINE}, [ROLE_LINK] = {-1, -1, LOOK_UNDERLINE}, [ROLE_MUTED] = {-1, -1, LOOK_DIM},
        [ROLE_COMMAND] = {-1, -1, LOOK_BOLD}, [ROLE_SELECTED] = {-1, -1, LOOK_REVERSE}, [ROLE_BAD] = {-1, -1, LOOK_BOLD}, [ROLE_WHY] = {-1, -1, 0},
        [ROLE_FOCUS] = {-1, -1, LOOK_BOLD}, [ROLE_KEY] = {-1, -1, LOOK_BOLD}, [ROLE_BANNER] = {-1, -1, LOOK_REVERSE}, [ROLE_FLASH] = {-1, -1, LOOK_BOLD},
    }},
};
enum { THEME_DARK, THEME_LIGHT, THEME_16, THEME_MONO, THEME_COUNT };

const struct theme *theme_choose(int colours, const char *asked, const char *colorfgbg)
{
    const char *background = colorfgbg != NULL ? strrchr(colorfgbg, ';') : NULL;
    for (size_t i = 0; asked != NULL && i < THEME_COUNT; i++)
        if (strcmp(asked, themes[i].name) == 0 && colours >= themes[i].colours)
            return &themes[i];
    if (colours < themes[THEME_16].colours)
        return &themes[THEME_MONO];
    if (colours < 256 || background == NULL)
        return &themes[THEME_16];
    int shade = atoi(background + 1);
    return &themes[shade == 7 || shade >= 9 ? THEME_LIGHT : THEME_DARK];
}
