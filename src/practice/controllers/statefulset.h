/* statefulset.h: what the files of the StatefulSet controller share: one look at a StatefulSet with its Pods.
 */
#ifndef KT_PRACTICE_CONTROLLERS_STATEFULSET_H
#define KT_PRACTICE_CONTROLLERS_STATEFULSET_H

#include <stdbool.h>
#include <stdint.h>

#include "practice/controllers/internal.h"
#include "practice/controllers/owned.h"
#include "practice/controllers/pending.h"
#include "practice/controllers/revisions.h"
#include "practice/controllers/workload.h"

extern const struct client_resource statefulsets_resource;
#define STATEFULSET_REVISION_LABEL "controller-revision-hash"

struct statefulsets {
    struct place_of_work place;
    struct recorder *recorder;
    struct workqueue *queue;
    struct informer *informer, *claims;
    struct owned *revisions;
    struct pods_follower *follower;
    struct pending pending; /* a set waits until it sees what it did before it looks again */
    bool begun;             /* all was told once */
};

/* One of its Pods, there or to be made. */
struct member {
    int64_t ordinal;
    const struct pod_view *pod; /* NULL: it is not there */
    const char *revision;       /* its label; of one that is not there, what it will have */
};

struct ordering {
    struct statefulsets *controller;
    const struct value *document;
    struct maker maker;
    struct vec revisions;           /* documents, in their order */
    const struct value *current, *update; /* of them */
    struct value *current_template, *update_template; /* owned */
    int64_t collisions;
    int64_t now_ms, min_ready_ms;
    const char *name, *ns;
    int64_t start, wanted;
    bool parallel;
    struct member *replicas;        /* those of the wanted ordinals, `wanted` of them; owned */
    struct member *condemned;       /* others, the highest first; owned */
    size_t condemned_count;
    const struct member *unwell;    /* the first that is not available */
    int64_t replaced;               /* deleted for a new revision in this look */
    int made, deleted;              /* in this look */
};

/* The ordinal of a Pod's name, which is the set's with a dash and digits; -1: it is none of its names. */
int64_t member_ordinal(const char *set, const char *name);
bool member_is_available(const struct ordering *ordering, const struct member *member);
bool member_is_going(const struct member *member);
bool member_is_ready(const struct member *member);

/* statefulset_revisions.c. Of everything below, false means: try again. */
bool ordering_find_revisions(struct ordering *ordering);
bool ordering_trim_revisions(struct ordering *ordering);

/* statefulset_pods.c: with events */
bool member_make(struct ordering *ordering, const struct member *member);
bool member_delete(struct ordering *ordering, const struct member *member);
/* Its label with its name, its volumes and its claims' owners are as they should be, or made so. */
bool member_mend(struct ordering *ordering, const struct member *member);
void member_say(struct ordering *ordering, const char *verb, const char *name, const struct error *err); /* "Create"; err NULL: it went well */

/* statefulset_claims.c */
bool claims_make(struct ordering *ordering, const struct member *member, struct error *err);
/* A Pod of the same name that is gone still holds one, which goes with it. False also: no memory. */
bool claims_are_fresh(const struct ordering *ordering, const struct member *member);
/* Are their owners what the retention policy says? */
bool claims_are_kept(struct ordering *ordering, const struct member *member);
/* Makes them so. */
bool claims_keep(struct ordering *ordering, const struct member *member, struct error *err);
const struct value *claim_templates(const struct ordering *ordering); /* the first, or NULL */
char *claim_name(const struct ordering *ordering, const struct value *template, int64_t ordinal); /* the caller frees */

/* statefulset_sync.c */
bool ordering_act(struct ordering *ordering);
/* Of all members. NULL: no memory. */
struct value *ordering_status(const struct ordering *ordering);

#endif
