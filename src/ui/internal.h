/* internal.h: what the files of the screen share.
 *
 * model.c knows what is shown and reacts to cluster and lesson; draw.c turns that into a frame; keys.c and overlay.c change it. All on the one loop.
 */
#ifndef KT_UI_INTERNAL_H
#define KT_UI_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "lesson/run.h"
#include "loop/loop.h"
#include "ui/layout.h"
#include "ui/lines.h"
#include "ui/ui.h"

enum overlay {
    OVERLAY_NONE,
    OVERLAY_HELP,
    OVERLAY_MAP,
    OVERLAY_HINT,
    OVERLAY_SOLUTION,
    OVERLAY_WHY,
    OVERLAY_CONSENT,
    OVERLAY_RESTART,
    OVERLAY_SKIP,
    OVERLAY_END,
    OVERLAY_QUIT,
    OVERLAY_COUNT,
};

/* A pane's lines, rebuilt when `stale` or when the width differs. */
struct pane_state {
    struct vec lines;
    int top;        /* first line shown */
    int height;     /* rows, as last drawn */
    size_t columns; /* for which the lines were built */
    bool stale;
};

/* The map's entries, loaded one a round, so that a large course does not stop the screen. */
struct map_entry_lesson {
    char *id;
    const struct course_chapter *chapter;
    struct lesson *lesson; /* NULL: not loaded yet, or faulty */
};

struct ui {
    struct ui_options options; /* lesson, step and warning are not valid after ui_new */
    struct loop *loop;
    bool opened; /* the terminal is ours */
    bool suspended;

    /* what is shown */
    struct lesson *lesson; /* for its text; without a cluster */
    int step;
    struct lesson_run *run; /* NULL: no cluster yet */
    enum ui_cluster_state state;
    char *name, *server, *version, *uid, *ns, *user, *shell;
    struct kube_client *client;
    bool unsafe;          /* the connection is one that the client warns of */
    struct error trouble; /* why there is no cluster, kept until there is one */
    struct error notice;  /* said once, until the next key */
    bool answers_key;     /* the notice answers the last key: it comes before any trouble */
    bool solving;
    bool begun;      /* the run's step was begun */
    bool anew;       /* begun again, and not yet kept so: a new try begins it again as well */
    bool refused;    /* the learner said no to this cluster */
    bool past[64];   /* steps known to be passed, for the bar */
    int selected;    /* of the choices, -1: none */

    /* the screen */
    enum pane focus;
    struct pane_state panes[PANE_COUNT];
    bool choices_away; /* the question's answers do not stand in the first window of the text */
    int why_line;      /* of the lesson pane, -1: none */
    bool why_seen;
    enum overlay overlay;
    int overlay_top, overlay_selected, overlay_height;
    struct both hint; /* chosen by the mistake seen; empty: none */
    int free_hints;   /* shown without a cluster */
    bool no_more_hints;
    struct vec map; /* of struct map_entry_lesson */
    size_t map_loaded;

    /* events */
    struct loop_event *input, *frame, *tick, *retry, *flash, *map_timer, *signals[4];
    int64_t drawn_ms, retry_at_ms;
    int retries;
    bool frame_due;
    bool quit, interrupted;
};

/* ---- model.c ---- */
bool ui_open(struct ui *ui, const char *lesson, const char *step, struct error *err); /* another lesson; step NULL: where it was left */
void ui_go(struct ui *ui, int step);
void ui_begin_again(struct ui *ui);
void ui_retry(struct ui *ui);
void ui_connected(struct ui *ui);
void ui_disconnect(struct ui *ui); /* drops the run */
enum run_phase ui_phase(const struct ui *ui);
bool ui_step_done(const struct ui *ui); /* now or earlier, and not begun again since */
const struct lesson_step *ui_step(const struct ui *ui);
const char *ui_choice(const struct ui *ui);
int ui_hints_shown(const struct ui *ui);
void ui_hint(struct ui *ui);
void ui_solve(struct ui *ui);
void ui_stale(struct ui *ui); /* everything is built anew */
int ui_steps_passed(const struct ui *ui);
bool ui_step_passed(const struct ui *ui, int step); /* as the bar counts; before a cluster is known, false */
int ui_lesson_passed(const struct ui *ui, const struct lesson *lesson); /* of any lesson, as the bar counts */
void ui_notice(struct ui *ui, const char *text);
char *ui_farewell(const struct ui *ui);
void ui_load_map(struct ui *ui);
void ui_free_map(struct ui *ui);
/* ---- draw.c ---- */
void ui_draw(struct ui *ui);    /* now */
void ui_draw_soon(struct ui *ui); /* at most 60 frames a second */
/* Lines of the banner for so many columns; true if a countdown is in it. */
bool ui_banner(const struct ui *ui, struct vec *lines, size_t columns);
void ui_scroll(struct ui *ui, struct pane_state *pane, int lines);
/* ---- keys.c ---- */
void ui_key(struct ui *ui, int key);
/* The keys of a place as the table has them: name and help (message ids); NULL after the last. */
struct key_binding;
const struct key_binding *ui_binding(size_t index);
const char *ui_binding_name(const struct key_binding *binding);
const char *ui_binding_help(const struct key_binding *binding);
const char *ui_binding_label(const struct key_binding *binding); /* short, for the status line; NULL: not there */
void ui_quit(struct ui *ui, bool interrupted);
void ui_next_step(struct ui *ui); /* without asking */
/* ---- overlay.c ---- */
void overlay_open(struct ui *ui, enum overlay overlay);
void overlay_close(struct ui *ui);
void overlay_key(struct ui *ui, int key);
void overlay_draw(struct ui *ui, const struct layout *layout);
const char *overlay_footer(const struct ui *ui);

#endif
