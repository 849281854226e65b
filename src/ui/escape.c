#include "ui/escape.h"

enum { ESC = 27, BEL = 7, FINAL_FIRST = 0x40, FINAL_LAST = 0x7e, PARAMETER_FIRST = 0x20, MOUSE_BYTES = 3 };

bool escape_begins(struct escape *escape, int key)
{
    static const struct {
        char key;
        enum escape_state state;
    } starts[] = {{'[', ESCAPE_CSI_FIRST}, {'O', ESCAPE_CSI}, {']', ESCAPE_STRING}, {'P', ESCAPE_STRING}, {'_', ESCAPE_STRING}, {'^', ESCAPE_STRING}};
    for (unsigned i = 0; i < sizeof starts / sizeof *starts; i++)
        if (starts[i].key == key) {
            escape->state = starts[i].state; /* ESC O takes parameters from some terminals, then a final byte as ESC [ does */
            return true;
        }
    return false;
}

static bool sequence(struct escape *escape, int key)
{
    bool first = escape->state == ESCAPE_CSI_FIRST;
    if (first && key == '[') /* the Linux console: ESC [ [ A */
        escape->state = ESCAPE_ONE;
    else if (first && key == 'M') { /* the old mouse report: three bytes of any value */
        escape->state = ESCAPE_MOUSE;
        escape->left = MOUSE_BYTES;
    } else if (key >= FINAL_FIRST && key <= FINAL_LAST)
        escape->state = ESCAPE_NONE;
    else if (key >= PARAMETER_FIRST && key < FINAL_FIRST)
        escape->state = ESCAPE_CSI;
    else {
        escape->state = ESCAPE_NONE; /* broken off */
        return false;
    }
    return true;
}

bool escape_eats(struct escape *escape, int key)
{
    switch (escape->state) {
    case ESCAPE_NONE:
        return false;
    case ESCAPE_CSI_FIRST:
    case ESCAPE_CSI:
        return sequence(escape, key);
    case ESCAPE_ONE:
        escape->state = ESCAPE_NONE;
        return true;
    case ESCAPE_MOUSE:
        escape->state = --escape->left > 0 ? ESCAPE_MOUSE : ESCAPE_NONE;
        return true;
    case ESCAPE_STRING: /* to BEL, or to ESC and a backslash */
        escape->state = key == BEL ? ESCAPE_NONE : key == ESC ? ESCAPE_ONE : ESCAPE_STRING;
        return true;
    }
    return false;
}
