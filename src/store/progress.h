/* progress.h: what a learner has done, and what is ours in which cluster. One file, $XDG_STATE_HOME/kubetutor/progress.db; two programs may
 * use it at once.
 *
 * When the file cannot be opened or written (disk full, read-only, damaged, newer) the tutor goes on in memory, with what can be read of the
 * file, and says so once: at opening through `warning`, later through progress_warning. progress_close then tries once more to bring what
 * was done to the file. A failed call therefore means no memory, or a file that another program does not let go (ERROR_BUSY after 5 s).
 */
#ifndef KT_STORE_PROGRESS_H
#define KT_STORE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"

struct progress;

/* path NULL: the usual place. On trouble with the file an in-memory progress is returned and *warning says why; NULL only without memory. */
struct progress *progress_open(const char *path, struct error *warning) __attribute__((warn_unused_result));
void progress_close(struct progress *progress);
bool progress_is_kept(const struct progress *progress); /* false: in memory only */
/* True once after the file was given up while the program ran; *warning says why. For the next line that a person sees. */
bool progress_warning(struct progress *progress, struct error *warning);

/* A step's record. cluster is the uid of kube-system, ns the namespace, lesson and step ids. */
struct progress_key {
    const char *cluster, *ns, *lesson, *step;
};
enum progress_state { PROGRESS_NONE, PROGRESS_STARTED, PROGRESS_PASSED };
struct progress_step {
    enum progress_state state;
    char *state_json; /* setup's table; NULL: setup did not run. Owned by the record */
    char *choice;     /* answer given, or NULL */
    int hints_shown;
    bool solved;      /* the solution was run for the learner */
    int64_t started_ms, passed_ms; /* wall, 0: not */
};
/* Reads; an absent record is all zero. progress_step_free frees its strings. */
bool progress_get(struct progress *progress, const struct progress_key *key, struct progress_step *step, struct error *err) __attribute__((warn_unused_result));
bool progress_put(struct progress *progress, const struct progress_key *key, const struct progress_step *step, struct error *err) __attribute__((warn_unused_result));
void progress_step_free(struct progress_step *step);
/* Forgets the steps of a lesson (lesson NULL: of all) in this cluster and namespace. What was once passed stays known to progress_passed_anywhere. */
bool progress_forget(struct progress *progress, const char *cluster, const char *ns, const char *lesson, struct error *err);
/* How many steps of a lesson were ever passed, anywhere; for the map. */
int progress_passed_anywhere(struct progress *progress, const char *lesson);

/* The ledger: what a learner made while a lesson was open. */
struct ledger_entry {
    char *lesson, *resource, *ns, *name, *uid; /* resource: "deployments.apps"; ns "" for cluster-scoped */
};
bool progress_ledger_add(struct progress *progress, const char *cluster, const char *lesson, const char *resource, const char *ns, const char *name,
                         const char *uid, struct error *err) __attribute__((warn_unused_result)); /* twice is once */
/* entries gets struct ledger_entry items (vec made here; vec_free frees all). lesson NULL: all lessons. */
bool progress_ledger_list(struct progress *progress, const char *cluster, const char *lesson, struct vec *entries, struct error *err) __attribute__((warn_unused_result));
bool progress_ledger_remove(struct progress *progress, const char *cluster, const char *uid, struct error *err);

/* Facts kept by cluster uid ("consent" = "yes", "namespace" = "kubetutor-ann", "namespace-created" = "yes") or, with cluster "", for the program
 * ("last-lesson", "lang"). The caller frees the value; NULL: none. Setting NULL forgets. */
char *progress_fact(struct progress *progress, const char *cluster, const char *name);
bool progress_set_fact(struct progress *progress, const char *cluster, const char *name, const char *value, struct error *err);

/* Everything as one JSON text, and back (adds; newer wins; all of it or nothing). For `progress export|import`. At most PROGRESS_TEXT bytes;
 * import refuses what is not as export writes it, and takes no permission from a file: the facts "consent" and "namespace-created" stay. */
enum { PROGRESS_TEXT = 16 << 20, PROGRESS_STATE = 1 << 20 /* bytes of state_json, choice or a fact's value: ERROR_LIMIT */ };
char *progress_export(struct progress *progress, struct error *err) __attribute__((warn_unused_result));
bool progress_import(struct progress *progress, const char *text, size_t length, struct error *err) __attribute__((warn_unused_result));

#endif
