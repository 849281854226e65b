/* screen.h: the terminal: taking it, drawing on it, giving it back. The only place that knows curses, with keys.c. Internal to this folder.
 *
 * There is one terminal a process, and curses keeps its state in globals; so does this file (the way back, for fatal signals).
 */
#ifndef KT_UI_SCREEN_H
#define KT_UI_SCREEN_H

#include <stdbool.h>

#include "base/error.h"
#include "ui/lines.h"

/* Takes the terminal: alternate screen, raw keys, cursor hidden. ERROR_NOT_FOUND when there is none that can be used. Fatal signals restore it from now on. */
bool screen_open(bool colour, bool ascii, struct error *err) __attribute__((warn_unused_result));
void screen_close(void); /* gives it back; may be called twice */
void screen_suspend(bool suspended);
/* Stops the process as Ctrl-Z does, and takes the terminal again afterwards. */
void screen_stop(void);

void screen_size(int *rows, int *columns);
void screen_resized(void); /* asks the terminal for its size */
void screen_forget(void);  /* the next frame is drawn from nothing (Ctrl-L) */

/* A frame: begin clears, end sends what differs from the last one. */
void screen_begin(void);
void screen_end(void);
/* Draws in `width` columns from y, x; longer text is cut with an ellipsis, shorter is filled up with blanks if `fill`. */
void screen_line(int y, int x, int width, const struct line *line, bool fill);
/* One role for all; the one given replaces those of the line (a selected row). */
void screen_line_as(int y, int x, int width, const struct line *line, enum role role);
void screen_text(int y, int x, int width, const struct safe_text *text, enum role role);
int screen_text_width(const struct safe_text *text);

/* Pieces of frames, for rows and columns of lines. */
enum frame_piece { FRAME_HORIZONTAL, FRAME_VERTICAL, FRAME_TOP_LEFT, FRAME_TOP_RIGHT, FRAME_BOTTOM_LEFT, FRAME_BOTTOM_RIGHT, FRAME_LEFT_TEE, FRAME_RIGHT_TEE,
                   FRAME_TOP_TEE, FRAME_BOTTOM_TEE, FRAME_MORE };
void screen_frame(int y, int x, int count, bool down, enum frame_piece piece, enum role role);

/* The next key that was pressed, without waiting; -1: none now. *gone: the terminal is. Codes: KEY_CODE_* or the byte. */
int screen_key(bool *gone);
enum key_code {
    KEY_CODE_UP = 0x1000, KEY_CODE_DOWN, KEY_CODE_LEFT, KEY_CODE_RIGHT, KEY_CODE_PAGE_UP, KEY_CODE_PAGE_DOWN, KEY_CODE_HOME, KEY_CODE_END, KEY_CODE_BACK_TAB,
    KEY_CODE_OTHER,
    KEY_CODE_ENTER = '\r', KEY_CODE_ESCAPE = 27,
};

#endif
