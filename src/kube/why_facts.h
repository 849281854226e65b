/* why_facts.h: what a diagnosis knows, and how it asks for more. The diagnosis itself is a pure function of the facts: it is
 * called again each time that what it asked for has come, until it asks for nothing new. So a case of a test is a file, and
 * why.c is all that talks to the cluster.
 */
#ifndef KT_KUBE_WHY_FACTS_H
#define KT_KUBE_WHY_FACTS_H

#include "data/value.h"
#include "kube/why.h"

enum why_list {
    WHY_PODS,
    WHY_REPLICASETS,
    WHY_EVENTS,
    WHY_CONFIGMAPS,
    WHY_CLAIMS,
    WHY_SIBLINGS /* objects of the target's kind */,
    WHY_LISTS
};

struct why_facts {
    const char *kind, *ns, *name;         /* of the target; ns NULL: cluster-scoped */
    const struct value *target;           /* NULL: it does not exist */
    const struct value *lists[WHY_LISTS]; /* arrays of the namespace's objects; NULL: not asked for, or not to be had */
    bool wanted[WHY_LISTS];
    bool denied[WHY_LISTS];
    const char *log; /* the last line of the log that was asked for; NULL: not asked for, or none */
    bool log_wanted, log_previous, log_denied;
    char log_pod[256], log_container[256];
};

/* Fills why (emptied first). */
void why_diagnose(struct why_facts *facts, struct kube_why *why);

/* --- why_facts.c: for the diagnoses --- */

/* A list of the namespace, or NULL for now: it is then asked for. */
const struct value *why_list(struct why_facts *facts, enum why_list list);
/* The last line of a container's log, or NULL for now. One container a diagnosis. */
const char *why_log(struct why_facts *facts, const struct value *pod, const char *container, bool previous);
const struct value *why_named(struct why_facts *facts, enum why_list list, const char *name);
/* The newest event about an object whose reason is one of `reasons` (NULL-terminated) and whose message begins with `start`
 * (NULL: any). */
const struct value *why_event(struct why_facts *facts, const struct value *object, const char *const *reasons,
                              const char *start);

/* Adds a link; `format` is a message in the current language. Further ones than KUBE_WHY_LINKS are dropped. */
void why_add(struct kube_why *why, const char *kind, const char *name, const char *evidence, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Looking at objects: never NULL, "" where there is nothing. */
const char *why_text(const struct value *v, const char *key);
const char *why_name(const struct value *object);
const char *why_kind(const struct value *object);
const struct value *why_condition(const struct value *object, const char *type); /* of status.conditions */
bool why_condition_is(const struct value *object, const char *type, const char *status);
bool why_owned_by(const struct value *object, const struct value *owner);
bool why_selects(const struct value *labels_wanted,
                 const struct value *object); /* an equality selector; an empty one selects nothing */
/* Appends "app=web,tier=front"; at most `room` bytes with the NUL. */
void why_labels(const struct value *labels, char *out, size_t room);
/* The name of a list that is nearest to one that does not exist, or NULL. */
const char *why_nearest(const struct value *list, const char *name);

/* --- the diagnoses: each adds links and says whether it found something --- */

bool why_pod(struct why_facts *facts, const struct value *pod, struct kube_why *why); /* why_pod.c */
bool why_worst_pod(struct why_facts *facts, const struct value *owner,
                   struct kube_why *why); /* of the Pods that an object owns */
bool why_workload(struct why_facts *facts, const struct value *object,
                  struct kube_why *why); /* why_workload.c: Deployment, ReplicaSet, ... */
bool why_job(struct why_facts *facts, const struct value *job, struct kube_why *why);
bool why_service(struct why_facts *facts, const struct value *service, struct kube_why *why); /* why_network.c */
bool why_claim(struct why_facts *facts, const struct value *claim, struct kube_why *why);     /* why_storage.c */
/* A message like `configmap "settings" not found` about an object that a container wants. */
bool why_reference(struct why_facts *facts, const struct value *pod, const char *container, const char *message,
                   struct kube_why *why);
bool why_conditions(const struct value *object, struct kube_why *why); /* why_any.c: any kind */
bool why_deletion(const struct value *object, struct kube_why *why);

#endif
