/* support.h: a lesson of tests/lesson/packs being done on the fake server.
 */
#ifndef KT_TESTS_LESSON_SUPPORT_H
#define KT_TESTS_LESSON_SUPPORT_H

#include "fake/fake.h"
#include "lesson/run.h"
#include "lesson/tree.h"
#include "store/progress.h"

struct play {
    struct loop *loop;
    struct fake *fake;
    struct kube_client *client;
    struct progress *progress;
    struct lesson_run *run;
    struct lesson_run_options options;
    char file[64]; /* the progress */
    int phases, verdicts, troubles, objects; /* events so far */
    enum run_phase seen[64];                 /* the phases in their order */
};
/* options NULL: the usual ones. web.yaml is in the cluster. */
void play_start(struct play *play, const char *lesson, const struct lesson_run_options *options);
void play_end(struct play *play);
/* Another run of the lesson, with the progress read anew from its file. */
void play_again(struct play *play, const char *lesson);
void play_begin(struct play *play, const char *step, bool resume);
void play_until_phase(struct play *play, enum run_phase phase);
void play_until(struct play *play, const bool *done);
int play_step(const struct play *play, const char *step);
/* The newest verdict's expectation that speaks of this path ("" the whole). */
const struct expectation *play_expectation(const struct play *play, const char *path);
/* Waits until the newest verdict has this outcome. */
void play_until_outcome(struct play *play, enum outcome outcome);

struct ended { /* of solve, mutants, reset */
    bool done;
    struct error error; /* kind ERROR_NONE: well */
    int removed;
    char told[1024];
};
void ended_done(void *ended, const struct error *error);
void ended_told(void *ended, const char *object);
void ended_reset(void *ended, const struct error *error, int removed);
struct ended play_reset(struct play *play);

/* What a judge said. The caller frees. */
struct verdict *play_judge(struct play *play, const char *step, int64_t wait_ms);
/* Lines "resource ns/name" of the ledger. */
void play_ledger(const struct play *play, const char *lesson, char *out, size_t room);

#endif
