/* sed.h: a sed script as it was read, for applet_sed.c (which runs it) and sed_script.c (which reads it).
 */
#ifndef KT_PRACTICE_SIM_SED_H
#define KT_PRACTICE_SIM_SED_H

#include "base/buf.h"
#include "base/vec.h"
#include "practice/sim/applet.h"
#include "practice/sim/regex.h"

enum { SED_COMMANDS = 512, SED_SPACE = 4 << 20 };

struct address {
    char kind; /* 0 none, 'n' a line, '$' the last, '/' an expression, '~' every nth, '+' lines after the first address */
    int64_t line, step;
    struct regex *regex; /* NULL: the last one that was used */
};
struct command {
    struct address first, second;
    bool negate, in_range;
    int64_t range_end;
    char letter;
    struct regex *regex;   /* s */
    char *text;            /* s: the replacement; a, i, c: the text; y: from and to; b, t, :: the label; r, w: the file */
    char *other;           /* y */
    bool global, print, ignore;
    int64_t which;         /* s///2 */
    size_t jump;           /* {: behind the matching }; b, t: where; */
};
struct sed {
    struct task *task;
    struct command commands[SED_COMMANDS];
    size_t count;
    bool quiet, extended, in_place, separate, quit, failed;
    int status;
    struct buf pattern, hold, appended;
    const struct regex *last_regex;
    int64_t line;
    /* input */
    char **files;
    int files_left, out;
    struct applet_lines lines;
    bool open, has_next, newline, next_newline;
    struct buf next;
};

/* Reads a script to the end of what sed has; a fault is told, and sed->failed says so. */
void sed_read_script(struct sed *sed, const char *text);

#endif
