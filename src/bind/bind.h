/* bind.h: the cluster as a lesson's Lua sees it: `k`, handles, sets, expectations, actions (docs/lua.md).
 *
 * One bind belongs to one script and one run of a lesson. It keeps the watches that checks read, shared between checks and narrow (one
 * object, one selector), the history that expect_seen and :saw need, and what the lesson made.
 */
#ifndef KT_BIND_BIND_H
#define KT_BIND_BIND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "bind/verdict.h"
#include "kube/client.h"
#include "kube/resource.h"
#include "script/script.h"

struct bind;

struct bind_options {
    struct kube_client *client;
    const char *ns;          /* the learner's namespace */
    const char *user;        /* for names of cluster-scoped things; a DNS label */
    const char *lesson;      /* id; value of the label */
    const char *folder;      /* the lesson's folder, below which k:apply and others read files; NULL: none */
    const char *work_folder; /* the learner's work folder for the lesson, or NULL: k:workfile finds nothing */
    bool trusted;            /* k:sh may run commands on this machine */
};

#define BIND_LABEL_MANAGED "app.kubernetes.io/managed-by"
#define BIND_MANAGER "kubetutor"
#define BIND_LABEL_LESSON "kubetutor.dev/lesson"

/* Adds t, expect, any, absent, at_least, matches, one_of, contains, each, base64_json, secret to the script's environment. options are copied.
 * The script's context (script_set_context) is the bind. NULL options->client: reading only the lesson's description (list, lint); every
 * use of k is then an error. */
struct bind *bind_new(struct script *script, const struct bind_options *options, struct error *err) __attribute__((warn_unused_result));
void bind_free(struct bind *bind); /* before script_free; stops the watches */

/* Runs a file of the pack (course.lua, ID/lesson.lua) and hands its result over as plain data: functions are kept in the script and stand there as
 * {"$function": id, "$parameters": n} (255 for ...); t{} as {"en":, "zh":}; step "x" {...} has "id" and "$line"; lesson{} and course{} have "$type". The caller frees. Errors: ERROR_INPUT with
 * file and line. */
struct value;
struct value *bind_load(struct bind *bind, const char *path, struct error *err) __attribute__((warn_unused_result));

/* What a function of the lesson may do with its k. */
enum bind_mode {
    BIND_CHECK,  /* check, invariant, hint: read the watched cluster, state expectations; waits only for a first list */
    BIND_VERIFY, /* the same, and exec, http, dns, logs, wait */
    BIND_DO,     /* setup, solve, mutants, cleanup: everything; reads are fresh requests */
};

/* Runs a kept function of the lesson (script_keep) as fn(k, state). state_json: the step's state (an object's text, NULL: {}), read-only for
 * the function unless BIND_DO.
 * done is called once, unless cancelled: with the verdict (owned by the receiver), the first result as JSON text when it is a table of plain
 * values (setup's state) else NULL, and as text when it is a t{} or string (hint) else {NULL,NULL}; both borrowed. A Lua error, budget or memory is
 * OUTCOME_ERROR; a cluster that cannot be reached OUTCOME_UNREACHABLE. */
struct bind_run;
struct bind_result {
    struct verdict *verdict;
    const char *json;
    const struct both *text;
    bool truthy; /* the first result was neither nil nor false */
    struct bind_run *run; /* for bind_follow, during done only */
};
struct bind_run *bind_start(struct bind *bind, int function_id, enum bind_mode mode, const char *state_json,
                            void (*done)(void *data, const struct bind_result *result), void *data, struct error *err);
void bind_cancel(struct bind_run *run);

/* bind_follow is called from a run's done: from then on the key stands for what that run read, instead of what an earlier one did. fn of bind_on_change is
 * called from the loop, once for all changes of a round, when any of that changes. The key is any address of the caller's. */
void bind_follow(struct bind *bind, struct bind_run *run, const void *key);
void bind_on_change(struct bind *bind, const void *key, void (*fn)(void *data), void *data);
void bind_unfollow(struct bind *bind, const void *key); /* drops the watches that only this key read */

/* The kept function that gives up the lesson's use of shared CRDs (k:shared_crd) and removes those that nobody uses any more; for bind_start with BIND_DO. */
int bind_release_function(const struct bind *bind);

/* A step begins: history for expect_seen, :saw and expect_absent starts here. */
void bind_begin_step(struct bind *bind);

/* Trouble with the cluster as the watches see it (error, next try), NULL: all is well. */
void bind_on_trouble(struct bind *bind, void (*fn)(void *data, const struct error *error, int64_t retry_ms), void *data);
/* Everything that a DO function created or changed is told, for the tree and for the ledger: kind's full name, name, uid. */
void bind_on_made(struct bind *bind, void (*fn)(void *data, const char *resource, const char *ns, const char *name, const char *uid), void *data);

#endif
