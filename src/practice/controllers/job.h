/* job.h: one look at a Job, shared by the files of its controller: its Pods and what each counts as, what becomes of it (job_sync.c), which Pods are made and deleted (job_manage.c), and how
 * ended ones are counted, each exactly once, by the finalizer that they wear until then (job_track.c).
 */
#ifndef KT_PRACTICE_CONTROLLERS_JOB_H
#define KT_PRACTICE_CONTROLLERS_JOB_H

#include "base/map.h"
#include "practice/controllers/internal.h"
#include "practice/controllers/job_indexes.h"
#include "practice/controllers/pending.h"
#include "practice/work/pod_maker.h"

#define JOB_TRACKING "batch.kubernetes.io/job-tracking"
#define JOB_INDEX "batch.kubernetes.io/job-completion-index"
#define JOB_INDEX_FAILURES "batch.kubernetes.io/job-index-failure-count"
#define JOB_INDEX_IGNORED "batch.kubernetes.io/job-index-ignored-failure-count"

enum {
    JOB_BATCH_MS = 1000,          /* what happens to Pods and to the status is looked at together */
    JOB_PODS_AT_ONCE = 500,       /* made or deleted in one look */
    JOB_UNCOUNTED = 500,          /* in status.uncountedTerminatedPods */
    JOB_MAXIMUM = 1000000,
};

/* Pods that failed since one succeeded, for the back-off. */
struct job_failures {
    int32_t count;
    int64_t last_ms;
};

struct jobs {
    struct place_of_work place;
    struct recorder *recorder;
    struct workqueue *queue, *orphans; /* keys of Jobs; of Pods whose finalizer nobody will take else */
    struct informer *informer;
    struct pods_follower *follower;
    struct pending pending;
    struct map memories; /* "ns/name" of a Job -> struct job_memory */
    struct map facts;    /* uid of a Pod -> struct job_facts */
    struct map released; /* uids of Pods whose finalizer was taken, which was not told yet */
    bool begun;
};

struct job_memory {
    uint64_t written; /* version of the last status; older ones are not looked at */
    struct job_failures failures;
};

/* By the rule of the podFailurePolicy that a failed Pod matches. */
enum job_action { JOB_COUNT, JOB_IGNORE, JOB_FAIL_JOB, JOB_FAIL_INDEX };
struct job_match {
    enum job_action action;
    char *message; /* of JOB_FAIL_JOB; owned */
};
/* False: no memory. */
bool job_policy_match(const struct value *policy, const struct value *pod, struct job_match *match) __attribute__((warn_unused_result));

/* What of a Pod's document counts, of one version. */
struct job_facts {
    uint64_t version;
    bool finalizer;
    int64_t index; /* -1: none */
    int32_t failures, ignored;
    int64_t finished_ms;
    struct job_match match;
};
/* For a map. */
void job_facts_free(void *facts);
bool job_has_finalizer(const struct value *pod);

struct job_pod {
    const struct pod_view *pod;
    const struct job_facts *facts;
    bool tracked; /* wears the finalizer, which was not taken either */
    bool failed, active, terminating;
};

struct job_sync {
    struct jobs *jobs;
    const char *key;
    const struct value *job, *spec; /* as it was read */
    struct value *document;         /* as it becomes; its status is changed in place */
    struct maker maker;
    struct label_selector *selector;
    int64_t now_ms;
    bool going, suspended, indexed, per_index, failed_only; /* failed_only: Pods that go are replaced when they are gone */
    int64_t completions, parallelism, backoff_limit; /* completions -1: as soon as one succeeds */

    struct job_pod *pods;
    size_t count;
    struct map uncounted_succeeded, uncounted_failed; /* uids, as they were in the status at the start */
    struct job_indexes before, done, lost; /* status.completedIndexes, those with what ended since; failed ones */
    struct job_pod **delayed; /* per_index: failed ones that wait for their replacement, which is told how often its index failed; `delayed_count` of them */
    size_t delayed_count;
    struct job_failures failures;
    int32_t active, ready, terminating, succeeded, failed;

    const char *finish; /* "SuccessCriteriaMet", "FailureTarget", "Failed", "Complete"; NULL: it goes on */
    char *reason, *message;
};

/* job_pods.c: fills pods and what is counted of them; of an index the Pod whose end is delayed. */
bool job_gather(struct job_sync *sync) __attribute__((warn_unused_result));
bool job_counts_index(const struct job_sync *sync, const struct job_pod *pod); /* it has a valid one, or needs none */
struct job_pod *job_delayed(const struct job_sync *sync, int64_t index);
bool job_find_delayed(struct job_sync *sync) __attribute__((warn_unused_result));
int64_t job_backoff_left(const struct job_failures *failures, int64_t now_ms);
/* job_sync.c: false: try again. */
bool job_look(struct job_sync *sync);
bool job_finish(struct job_sync *sync, const char *type, const char *reason, const char *message) __attribute__((warn_unused_result));
/* job_manage.c */
bool job_delete_active(struct job_sync *sync, int32_t *deleted);
bool job_manage(struct job_sync *sync);
/* job_track.c: true, too, where it was not necessary to write anything. */
bool job_track(struct job_sync *sync, bool write);
/* Of {type, status, lastProbeTime, lastTransitionTime, reason, message}. changed: it was another, or is new. A new one that is False is not put in. */
bool job_condition(struct value *status, const char *type, const char *value, const char *reason, const char *message, int64_t now_ms, bool *changed) __attribute__((warn_unused_result));
bool job_release_pod(struct jobs *jobs, const struct pod_view *pod);
/* NULL: not finished; else the condition Complete or Failed. */
const struct value *job_finished(const struct value *job);

#endif
