/* internal.h: how the files of lesson/ share the run of a lesson. */
#ifndef KT_LESSON_INTERNAL_H
#define KT_LESSON_INTERNAL_H

#include "base/buf.h"
#include "base/map.h"
#include "bind/bind.h"
#include "data/value.h"
#include "kube/resource.h"
#include "kube/verbs.h"
#include "kube/watch.h"
#include "kube/why.h"
#include "lesson/run.h"
#include "lesson/tree.h"
#include "store/progress.h"

/* ---- gallery.c: the objects of the kinds that the lesson names, in the learner's namespace ---- */

struct gallery;
/* False for what a controller made, which goes with its owner (EndpointSlices even bear the labels of their Service), and for what the control plane puts
 * into every namespace. */
bool gallery_is_somebodys(const struct kube_resource *resource, const struct value *object);
/* Starts watching when the kinds are known. ledger: new objects are written down. */
struct gallery *gallery_new(struct lesson_run *run, struct error *err);
void gallery_free(struct gallery *gallery); /* NULL is fine */
/* Adds a kind by its full name; nothing if it is there already, cluster-scoped or unknown. */
void gallery_add(struct gallery *gallery, const char *kind);
size_t gallery_watches(const struct gallery *gallery);
struct kube_watch *gallery_watch(const struct gallery *gallery, size_t index, const struct kube_resource **resource);
int64_t gallery_changed(const struct gallery *gallery, const char *uid); /* monotonic ms of the last change, 0: never */

/* ---- run.c ---- */

struct judging; /* judge.c */
struct reset;   /* reset.c */
struct asking;  /* needs.c */
struct explaining; /* explain.c */

struct asked_hint {
    void (*done)(void *data, const struct both *text);
    void *data;
};
struct doing { /* solve or a mutant */
    void (*done)(void *data, const struct error *error);
    void *data;
    struct bind_run *run;
    bool judged_after; /* a mutant may pass through right states on its way: the check decides when it is there */
};

struct lesson_run {
    struct loop *loop;
    struct lesson *lesson;
    struct kube_client *client;
    struct progress *progress;
    char *cluster, *ns, *user;
    bool ledger, tree, no_why;
    int64_t reset_ms, verify_again_ms;
    void (*listener)(void *data, enum run_event event);
    void *listener_data;

    int step;
    enum run_phase phase;
    struct error error, trouble;
    int64_t trouble_retry_ms;
    struct verdict *verdict;
    struct verdict *held; /* check's, which holds, while verify's is shown */
    struct progress_step record;
    struct value *state;
    bool needs_met;
    size_t needs_asked;
    struct asking *asking_needs; /* needs.c */
    unsigned resolving;
    struct kube_call *asking;
    char *server_version; /* "1.37", asked once */

    struct bind_run *setting_up, *checking, *verifying, *watching_invariant, *hinting;
    bool check_dirty, check_held, invariant_dirty;
    bool check_troubled; /* `trouble` is what the last check met */
    bool settling;                   /* a mutant has just been made: the watch may not have told all of it yet */
    struct loop_event *settle;       /* the end of that */
    struct loop_event *again;        /* time alone may change the verdict */
    struct loop_event *verify_again; /* a verify that failed is tried again */
    int verify_tries;
    char check_key, verify_key, invariant_key; /* their addresses are the followers' keys */

    struct explaining *explaining; /* of verdict */

    struct asked_hint hint;
    struct doing doing;
    struct gallery *gallery;
    struct tree_row *rows;
    size_t row_room;
    struct judging *judging;
    struct reset *reset;
};

void run_tell(struct lesson_run *run, enum run_event event);
struct lesson_step *run_step(const struct lesson_run *run);
struct progress_key run_key(const struct lesson_run *run, int step);
void run_save(struct lesson_run *run); /* writes the step's record; trouble with the disk is not the lesson's */
void run_stop_step(struct lesson_run *run);
void run_fail(struct lesson_run *run, const struct error *error);
/* What only trying shows may fail by time-out or refusal: such an error of verify's is told as a failure of the step, not of the lesson. */
void run_soften(struct verdict *verdict);
void run_check_again(struct lesson_run *run); /* what the check read may have changed */

/* explain.c: fills in `why` of the first failing expectation that is about a named object. NULL: there is nothing to ask. `done` comes later, from the
 * loop, and the receiver then frees. The verdict must live until then. */
struct explaining *explain_start(struct lesson_run *run, struct verdict *verdict, void (*done)(void *data, bool found), void *data);
void explain_free(struct explaining *explaining); /* NULL is fine; done is not called any more */

/* Runs `needs`, then next(run); on a missing kind or permission run_fail. */
void run_needs(struct lesson_run *run, void (*next)(struct lesson_run *run));
bool run_too_old(const struct lesson_run *run); /* the server is older than the lesson's or the step's `since` */
void judging_free(struct judging *judging);
void reset_free(struct reset *reset);

#endif
