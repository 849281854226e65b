/* workload.h: what the controllers of workloads share: shares of a number, statuses and their conditions, annotations, writes that say what came of them.
 */
#ifndef KT_PRACTICE_CONTROLLERS_WORKLOAD_H
#define KT_PRACTICE_CONTROLLERS_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "practice/api/client.h"

/* An IntOrString of so many: 2, or "25%" of total, rounded up or down. Missing or wrong: 0. */
int32_t workload_share(const struct value *share, int32_t total, bool up);

/* A number of a status: one that is 0 is left out, unless `zero` says that it is shown. */
bool workload_number(struct value *status, const char *key, int64_t number, bool zero) __attribute__((warn_unused_result));

/* Conditions of {type, status, reason, message, lastTransitionTime} and, where updated is true, lastUpdateTime. since_ms 0: now. */
struct condition {
    const char *type, *status, *reason, *message;
    int64_t since_ms;
};
struct value *condition_find(const struct value *status, const char *type);
bool condition_has_reason(const struct value *condition, const char *reason); /* condition NULL: no */
/* Puts it at the end, in the place of one of its type. Nothing changes if that one has its status and reason; if only its status, its lastTransitionTime stays. False: no memory. */
bool condition_put(struct value *status, const struct condition *condition, bool updated, int64_t now_ms) __attribute__((warn_unused_result));
/* The same for ReplicaSets, where lastTransitionTime is the time of every change. */
bool condition_put_anew(struct value *status, const struct condition *condition, int64_t now_ms) __attribute__((warn_unused_result));
void condition_drop(struct value *status, const char *type);

/* NULL: it has none such. */
const char *workload_annotation(const struct value *document, const char *key);
bool workload_annotate(struct value *document, const char *key, const char *text) __attribute__((warn_unused_result));

/* Of ownerReferences the one with controller: true, or NULL. */
const struct value *workload_controller(const struct value *document);
bool workload_is_controlled_by(const struct value *document, const char *uid);
/* ms since 1970 of a time in a document, 0 for none. */
int64_t workload_time(const struct value *text);
bool workload_is_going(const struct value *document);
bool workload_same_labels(const struct object *a, const struct object *b);

/* Pod templates are the same but for the label that their hash is in. */
bool workload_same_template(const struct value *a, const struct value *b, const char *label);

/* Writes document's copy with this status (taken over); if somebody changed it meanwhile, once more over what is there then, as the real controllers do. The object afterwards, or NULL. */
struct value *workload_write_status(struct client *client, const struct client_resource *resource, const struct value *document, struct value *status, struct error *err)
    __attribute__((warn_unused_result));

#endif
