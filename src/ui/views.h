/* views.h: what is known, as lines. Pure: nothing here knows curses or the loop. Internal to this folder. */
#ifndef KT_UI_VIEWS_H
#define KT_UI_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bind/verdict.h"
#include "lesson/course.h"
#include "lesson/run.h"
#include "lesson/tree.h"
#include "ui/lines.h"

/* True if a label ends in a full-width mark: no blank comes after it. */
bool ends_wide(const char *label);

/* The lesson pane: title and opening (first step only), heading, blocks in order; because and why once the step was passed. */
struct lesson_view {
    const struct lesson *lesson;
    int step;
    const struct value *state;  /* for {{name}}; NULL: none yet */
    const char *choice;         /* the answer given, or NULL */
    bool question;              /* waits for an answer: choices can be selected */
    int selected;               /* of the choices, as they stand in the text, -1: none */
    bool passed;
    bool reading;               /* the server is too old for the step */
    size_t columns;
    const char *shell;          /* the script that opens a shell for the lesson, or "" or NULL: not to be shown */
};
/* *why: the line where what comes after the deed begins, -1: it is not there. Lines of a choice have its number as target. */
void lesson_view_build(struct vec *lines, const struct lesson_view *view, int *why);

/* Why nothing happens, where the learner said no. */
const char *refused_words(void);

/* The checks pane. */
struct checks_view {
    enum run_phase phase;
    bool connected;                /* there is a run; else its phase means nothing */
    bool refused;                  /* the learner said no to this cluster */
    bool solving;
    const struct verdict *verdict; /* or NULL */
    bool has_check;                /* the step has one; else it is done when answered */
    int choices;
    const struct text_step *text;  /* where the answers stand, to be listed while the question is open; NULL: they are in view above */
    const struct value *state;     /* for {{name}}, or NULL */
    size_t columns;
};
void checks_view_build(struct vec *lines, const struct checks_view *view);
/* *held of *all expectations hold. */
void checks_count(const struct verdict *verdict, size_t *held, size_t *all);

/* What was wanted, found and why, in full, for the overlay. */
void why_view_build(struct vec *lines, const struct verdict *verdict, size_t columns);

enum { TREE_FLASH_MS = 1000 };
/* The live pane. `now`: monotonic ms. Returns when the first flash ends, -1: none is on. */
int64_t tree_view_build(struct vec *lines, const struct tree_row *rows, size_t count, int64_t now, size_t columns);

#endif
