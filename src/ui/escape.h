/* escape.h: escape sequences that the terminal's description does not know (reports of the mouse, keys with modifiers), kept away from the keys: a digit inside of one is no
 * answer. Pure. Internal to this folder.
 */
#ifndef KT_UI_ESCAPE_H
#define KT_UI_ESCAPE_H

#include <stdbool.h>

enum escape_state { ESCAPE_NONE, ESCAPE_CSI_FIRST, ESCAPE_CSI, ESCAPE_ONE, ESCAPE_MOUSE, ESCAPE_STRING };
struct escape { /* all zero at first */
    enum escape_state state;
    int left; /* bytes still to come, of a mouse report */
};

/* True if `key` after an ESC begins a sequence (ESC [, ESC O, ESC ] and the other strings): what follows is for escape_eats. */
bool escape_begins(struct escape *escape, int key);
/* True if `key` (a byte, or a code of curses from 256 on) belongs to the sequence that was begun. */
bool escape_eats(struct escape *escape, int key);

#endif
