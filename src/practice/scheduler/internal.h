/* internal.h: what the files of the scheduler share.
 *
 * cluster.c keeps the nodes and what is placed on them, wish.c takes a Pod apart, filters.c, neighbours.c and claims.c say where it cannot go, scores.c where it should, preempt.c who would have to make
 * room, choose.c puts these together; scheduler.c is the queue.
 */
#ifndef KT_PRACTICE_SCHEDULER_INTERNAL_H
#define KT_PRACTICE_SCHEDULER_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "practice/api/amount.h"
#include "practice/work/label_selector.h"
#include "practice/work/place.h"
#include "practice/work/recorder.h"

enum { SCHEDULER_NODES = 100000, SCHEDULER_PODS = 1000000, SCHEDULER_PARTS = 1000 };

/* ---- what a Pod takes ---- */

struct need {
    int64_t cpu, memory;               /* thousandths, bytes */
    int64_t guess_cpu, guess_memory;   /* the same where nothing was asked for: what scores count (100m and 200 MB a container) */
    struct amounts others;             /* all but cpu and memory */
};
bool need_of(const struct value *pod, struct need *need) __attribute__((warn_unused_result)); /* false: no memory */
void need_free(struct need *need);

struct host_port {
    const char *protocol; /* borrowed from the table of three */
    char ip[46];
    uint16_t port;
};

/* A term of pod affinity. */
struct pod_term {
    struct label_selector *selector;   /* owned; NULL: none matches */
    struct label_selector *namespaces; /* namespaceSelector, or NULL */
    struct vec ns;                     /* strings; empty without namespaces: its own Pod's */
    char *topology;
    int weight;
};

/* ---- wish.c: a Pod to be placed ---- */

struct wish {
    char *ns, *name, *uid;
    struct value *document; /* owned */
    const struct value *spec;
    struct need need;
    struct vec ports;                     /* struct host_port */
    struct vec near, apart;               /* required; struct pod_term */
    struct vec near_wished, apart_wished; /* preferred */
    struct vec spread;                    /* struct spread */
    int32_t priority;
    bool never_preempts;
};
struct spread {
    struct label_selector *selector;
    char *topology;
    int64_t max_skew, min_domains; /* min_domains 0: not said */
    bool hard;                     /* DoNotSchedule */
    bool honour_affinity, honour_taints;
};
/* Takes document over. NULL: no memory. */
struct wish *wish_new(struct value *document) __attribute__((warn_unused_result));
void wish_free(struct wish *wish);
/* For Pods that are placed already: their terms of required anti-affinity, host ports. */
bool wish_read_terms(const struct value *list, bool weighted, const char *ns, struct vec *terms) __attribute__((warn_unused_result));
bool wish_read_ports(const struct value *pod, struct vec *ports) __attribute__((warn_unused_result));
void pod_term_free(void *term);

/* ---- cluster.c ---- */

struct node;

struct placed { /* a Pod that takes room on a node */
    char *uid;
    struct object *object; /* held; NULL while it is only assumed */
    char *ns;
    struct value *labels;        /* owned */
    struct need need;
    struct vec ports, apart;     /* as in struct wish */
    int32_t priority;
    int64_t started_ms;
    bool deleting, assumed;
    struct node *node;
};

struct node {
    char *name;
    struct object *object; /* held */
    struct value *document;
    struct need room;            /* allocatable */
    int64_t pods_room;
    struct need used;
    size_t pod_count;
    struct vec placed;           /* struct placed, borrowed */
    bool gone;                   /* no object, but Pods still name it */
};

struct cluster {
    struct scheduler *scheduler;
    const struct place_of_work *place;
    struct map nodes;  /* name -> struct node, owned */
    struct map placed; /* uid -> struct placed, owned */
    struct vec order;  /* nodes that are there, borrowed */
    size_t with_terms; /* placed Pods with required anti-affinity */
    struct informer *informer, *namespaces;
    struct pods_follower *follower;
};
/* What changed, for who waits: bits. */
enum { CHANGED_NODE = 1, CHANGED_ROOM = 2 /* somebody left */, CHANGED_POD = 4 /* somebody came or has other labels */, CHANGED_VOLUME = 8 };
bool cluster_start(struct cluster *cluster, struct scheduler *scheduler, const struct place_of_work *place, struct error *err) __attribute__((warn_unused_result));
void cluster_stop(struct cluster *cluster);
/* It will be there: counted until its event comes, or cluster_forget. */
bool cluster_assume(struct cluster *cluster, const struct wish *wish, struct node *node) __attribute__((warn_unused_result));
void cluster_forget(struct cluster *cluster, const char *uid);
/* What if it were not there? Taken away from its node, and put back. */
void cluster_lift(struct cluster *cluster, struct placed *placed);
void cluster_put_back(struct cluster *cluster, struct placed *placed, struct node *node);
const char *node_label(const struct node *node, const char *key); /* NULL: none */
bool pod_term_matches(const struct cluster *cluster, const struct pod_term *term, const char *ns, const struct value *labels);

/* ---- why not ---- */

enum { REASON = 256 };
struct refusal {
    char reasons[4][REASON]; /* each counts for itself in the message */
    size_t count;
    bool hopeless;           /* taking Pods away would not help */
};
void refuse(struct refusal *refusal, bool hopeless, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* filters.c; each true if it may go there, else the reasons. In the order of the real one's default profile. */
bool filter_node(const struct wish *wish, const struct node *node, struct refusal *refusal);
/* The parts that scores use, too. */
bool node_terms_match(const struct value *terms, const struct node *node);
bool node_term_matches(const struct value *term, const struct node *node);
const struct value *untolerated_taint(const struct wish *wish, const struct node *node, const char *effect);
int untolerated_preferences(const struct wish *wish, const struct node *node); /* PreferNoSchedule */
bool node_affinity_matches(const struct wish *wish, const struct node *node);
bool fits(const struct wish *wish, const struct node *node, struct refusal *refusal);

/* neighbours.c: what Pods want of each other. Counted once for a wish, then asked for each node. */
struct neighbours;
struct neighbours *neighbours_new(struct cluster *cluster, const struct wish *wish) __attribute__((warn_unused_result)); /* NULL: no memory */
void neighbours_free(struct neighbours *neighbours);
bool neighbours_allow(const struct neighbours *neighbours, const struct wish *wish, const struct node *node, struct refusal *refusal);
int64_t neighbours_affinity_score(const struct neighbours *neighbours, const struct node *node); /* raw */
int64_t neighbours_spread_score(const struct neighbours *neighbours, const struct node *node);   /* raw: fewer are better */

/* claims.c */
struct claims;
struct claims *claims_new(struct scheduler *scheduler, const struct place_of_work *place, struct error *err) __attribute__((warn_unused_result));
void claims_free(struct claims *volumes);
/* Whatever the node: false with the whole message ("pod has unbound immediate PersistentVolumeClaims"). */
bool claims_ready(const struct claims *volumes, const struct wish *wish, char out[static REASON]);
bool claims_allow(const struct claims *volumes, const struct wish *wish, const struct node *node, struct refusal *refusal);
/* Claims that wait for their first consumer are told the node. True: all are bound, the Pod may be; false: later. */
bool claims_bind(const struct claims *volumes, struct client *client, const struct wish *wish, const struct node *node);

/* scores.c: of nodes that would do, the best one. */
struct node *best_node(const struct wish *wish, const struct neighbours *neighbours, struct node *const *nodes, size_t count, uint32_t *random);

/* preempt.c: makes room by deleting Pods of lower priority, where that helps: the node's name (the caller frees), or NULL and in *message what is said behind "preemption: " (the caller frees). */
char *preempt(struct scheduler *scheduler, const struct wish *wish, const struct map *refusals, char **message);

/* ---- scheduler.c ---- */

struct scheduler {
    struct place_of_work place;
    struct cluster cluster;
    struct claims *volumes;
    struct informer *budgets;
    struct pods_follower *follower;
    struct recorder *recorder;
    struct workqueue *queue;
    struct map waiting; /* key -> struct waiting, owned: who found no place */
    uint32_t random;
    size_t start;       /* where the next walk over the nodes begins */
};
/* Something happened that may help those who wait. */
void scheduler_wake(struct scheduler *scheduler, unsigned changed);
extern const struct client_resource scheduler_pods;

/* choose.c: whether it may go there (and why not); a node for a wish; NULL: none, *why the whole message (the caller frees), *refusals for preemption (name -> struct refusal, owned). */
bool allowed(const struct scheduler *scheduler, const struct wish *wish, const struct neighbours *neighbours, const struct node *node, struct refusal *refusal);
struct node *choose(struct scheduler *scheduler, const struct wish *wish, char **why, struct map *refusals);

#endif
