/* ui.h: the learner's screen (ncursesw): lesson text, live checks, the tree of the lesson's objects, hints, solution, next step.
 *
 * The UI draws before any cluster has answered, never blocks, and restores the terminal on every exit (fatal signals included). It knows nothing of how a cluster
 * is chosen: app/ fills struct ui_cluster and tells when it changes.
 */
#ifndef KT_UI_UI_H
#define KT_UI_UI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "kube/client.h"
#include "lesson/course.h"
#include "store/progress.h"

enum ui_cluster_state {
    UI_CLUSTER_CONNECTING, /* text is shown, checks wait */
    UI_CLUSTER_ASKING,     /* reachable; the first write needs the learner's word (consent) */
    UI_CLUSTER_READY,
    UI_CLUSTER_FAILED,     /* error says why; text stays readable; `retry` tries again */
};
struct ui_cluster { /* borrowed strings; copied by ui_set_cluster */
    enum ui_cluster_state state;
    const char *name, *server, *version, *uid, *ns, *user;
    const char *shell;          /* a script that opens a shell for the lesson in another terminal; NULL: none could be written */
    const char *notice;         /* what a learner should know of it, told once; NULL: nothing */
    struct kube_client *client; /* valid while READY */
    struct error error;
};

struct ui_options {
    struct loop *loop;
    const struct course *course;
    struct progress *progress;
    const char *lesson;      /* id to open; NULL: where the learner left off (progress fact "last-lesson"), else the first */
    const char *step;        /* id; NULL: where the learner left off */
    char *(*work_folder)(void *data, const char *lesson); /* makes the folder with a lesson's files; the UI frees the path. NULL: there is none */
    bool trusted;            /* the pack may run commands on this machine (k:sh) */
    bool colour;             /* false: NO_COLOR, --color=never */
    bool ascii;              /* the locale is not UTF-8 */
    void (*consent)(void *data, bool yes); /* the answer to ASKING */
    void (*retry)(void *data);             /* the learner wants to connect again */
    const struct error *warning;           /* told once at start (progress is not kept, ...); NULL: none */
    void *data;
};

struct ui;
/* Takes the terminal and draws the first frame. ERROR_USAGE: no terminal, or TERM is not usable (the message says what to run instead); ERROR_NOT_FOUND: no such lesson. */
struct ui *ui_new(const struct ui_options *options, struct error *err) __attribute__((warn_unused_result));
void ui_set_cluster(struct ui *ui, const struct ui_cluster *cluster);
/* Runs the loop until the learner quits or a signal ends it. Returns the exit code: 0, or 130 when interrupted. */
int ui_run(struct ui *ui);
/* Gives the terminal back; *farewell, if not NULL, gets what to print afterwards (what was done, how to come back; caller frees). */
void ui_free(struct ui *ui, char **farewell);
/* For credential plugins that need the terminal (kube_client_on_terminal): gives it away and takes it back. */
void ui_suspend(struct ui *ui, bool suspended);

#endif
