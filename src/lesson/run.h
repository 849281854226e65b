/* run.h: a lesson being done on a cluster: the step machine. Headless commands and the UI drive it the same way.
 *
 * All operations start something and return; what happens is told through the listener, from the loop. Checks run again by themselves when
 * what they read changes.
 */
#ifndef KT_LESSON_RUN_H
#define KT_LESSON_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "bind/verdict.h"
#include "lesson/course.h"

struct lesson_run;
struct progress;

enum run_phase {
    RUN_IDLE,     /* no step begun */
    RUN_NEEDS,    /* asking what the cluster serves and permits */
    RUN_SETUP,    /* the step's starting state is being made */
    RUN_QUESTION, /* waits for lesson_run_answer */
    RUN_WORK,     /* the learner works, checks are live */
    RUN_VERIFY,   /* check holds, verify is trying */
    RUN_PASSED,
    RUN_BROKEN,   /* the invariant was broken: lesson_run_begin again */
    RUN_FAILED,   /* the lesson itself or the cluster made it impossible: lesson_run_error */
    RUN_READING,  /* the server is older than `since`: text only */
};

enum run_event {
    RUN_EVENT_PHASE,   /* lesson_run_phase changed */
    RUN_EVENT_VERDICT, /* lesson_run_verdict changed (also a `why` that arrived) */
    RUN_EVENT_TROUBLE, /* lesson_run_trouble changed */
    RUN_EVENT_OBJECTS, /* the live tree changed (tree.h) */
};

struct lesson_run_options {
    struct kube_client *client;
    struct progress *progress;
    const char *cluster;   /* uid of kube-system */
    const char *ns, *user;
    const char *work_folder; /* NULL: none */
    bool trusted;          /* the pack may run commands on this machine (k:sh) */
    bool ledger;           /* write down what appears in the namespace while it is open (UI, not check) */
    bool tree;             /* keep the tree of objects */
    bool no_why;           /* do not ask for whys (benchmarks) */
    int64_t reset_ms;        /* for tests: the most that a reset takes; 0: 120 s */
    int64_t verify_again_ms; /* for tests: how long after a verify that failed it is tried again; 0: 5 s */
    void (*listener)(void *data, enum run_event event);
    void *data;
};

/* Loads the lesson for this cluster. Strings are copied. */
struct lesson_run *lesson_run_new(struct loop *loop, const char *pack, const char *lesson, const struct lesson_run_options *options, struct error *err)
    __attribute__((warn_unused_result));
void lesson_run_free(struct lesson_run *run);
const struct lesson *lesson_run_lesson(const struct lesson_run *run);

/* Begins a step (from 0): needs (the first time), setup unless its state is stored, the question, then live checks. resume: stored state is used;
 * else setup runs anew and the stored state is dropped. */
void lesson_run_begin(struct lesson_run *run, int step, bool resume);
int lesson_run_step(const struct lesson_run *run); /* -1: none */
enum run_phase lesson_run_phase(const struct lesson_run *run);
const struct error *lesson_run_error(const struct lesson_run *run);   /* of RUN_FAILED, RUN_BROKEN; NULL else */
const struct error *lesson_run_trouble(const struct lesson_run *run, int64_t *retry_ms); /* the cluster cannot be reached just now; NULL: it can */
const struct verdict *lesson_run_verdict(const struct lesson_run *run); /* the newest, NULL before the first; borrowed until the loop runs */
const struct value *lesson_run_state(const struct lesson_run *run);   /* the step's state, for {{name}} */
const char *lesson_run_choice(const struct lesson_run *run);          /* answer given to the question, or NULL */
int lesson_run_hints_shown(const struct lesson_run *run);
bool lesson_run_step_passed(const struct lesson_run *run, int step);  /* also earlier, from progress */

void lesson_run_answer(struct lesson_run *run, const char *choice);
/* The next hint: first one chosen by the mistake seen (hint function), then the fixed ones. done gets Markdown in both languages (borrowed), or NULL when there are
 * no more. */
void lesson_run_hint(struct lesson_run *run, void (*done)(void *data, const struct both *text), void *data);
/* Runs the step's solve. done: error NULL if it ran; the checks then go on by themselves. */
void lesson_run_solve(struct lesson_run *run, void (*done)(void *data, const struct error *error), void *data);
/* Runs one of the step's mutants (selftest). */
void lesson_run_mutant(struct lesson_run *run, const char *name, void (*done)(void *data, const struct error *error), void *data);
/* The language changed: what expectations say is said again. */
void lesson_run_reword(struct lesson_run *run);
/* Stops live checks and watches of the step (before cleanup, or to look at another lesson). */
void lesson_run_pause(struct lesson_run *run);

/* Removes what the lesson made and the learner made in it (label and ledger; uid preconditions), runs the lesson's cleanup, waits until all is gone (at most 120 s),
 * and forgets its progress. `told` gets a line for each object ("deployment.apps/nginx"). */
void lesson_run_reset(struct lesson_run *run, void (*told)(void *data, const char *object), void (*done)(void *data, const struct error *error, int removed), void *data);

/* One check run outside the flow, for headless `check`: check then verify of a step, waiting up to wait_ms for it to hold (0: judged once as soon as all is read).
 * done gets the verdict, owned (NULL only without memory). If needs are not met, the phase becomes RUN_FAILED instead and done is not called. */
void lesson_run_judge(struct lesson_run *run, int step, int64_t wait_ms, void (*done)(void *data, struct verdict *verdict), void *data);

#endif
