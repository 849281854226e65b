/* daemonset.h: what the files of the DaemonSet controller share: one look at a DaemonSet over all nodes.
 */
#ifndef KT_PRACTICE_CONTROLLERS_DAEMONSET_H
#define KT_PRACTICE_CONTROLLERS_DAEMONSET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "practice/controllers/internal.h"
#include "practice/controllers/owned.h"
#include "practice/controllers/pending.h"
#include "practice/controllers/revisions.h"
#include "practice/controllers/workload.h"

extern const struct client_resource daemonsets_resource;
#define DAEMONSET_HASH_LABEL "controller-revision-hash"

struct daemonsets {
    struct place_of_work place;
    struct recorder *recorder;
    struct workqueue *queue;
    struct informer *informer, *nodes;
    struct owned *revisions;
    struct pods_follower *follower;
    struct pending pending;
    struct map taints;    /* node's name -> its taints (struct value), owned; one without has none */
    struct map targets;   /* uid of a Pod without a node -> the name of the one that it is meant for, owned */
    struct map failures;  /* "uid/generation/node" -> struct failure, owned: how long a failed Pod stays before it is replaced */
    bool begun, torn;     /* all was told once; taints are missing for want of memory */
};

/* One of its Pods, and the node that it is on or meant for. */
struct daemon {
    const struct pod_view *pod;
    const char *node;
};

/* A node, and its Pods: a part of the list. */
struct ground {
    const struct object *node; /* NULL: there is no such node */
    const char *name;
    bool runs, stays; /* a Pod is to be there; one that is there may stay */
    struct daemon *daemons;
    size_t count;
};

struct spread {
    struct daemonsets *controller;
    const char *key;
    const struct value *document;
    struct maker maker;
    const char *ns, *uid;
    int64_t now_ms, min_ready_ms;
    struct vec revisions;           /* documents */
    const char *hash;               /* of the present one */
    char *generation;               /* of the template, as text; NULL: none; owned */
    struct value *template;         /* as Pods get it, but for the node; owned */
    struct value *tolerations;      /* of template, borrowed */
    bool surges;                    /* a new Pod may stand beside an old one */
    struct daemon *daemons;         /* owned, by node and age */
    size_t daemon_count;
    struct ground *grounds;         /* owned, by name; those of nodes that are not there, too */
    size_t ground_count;
};

/* daemonset_nodes.c. Does a Pod of this template fit the node: what nodeName, nodeSelector, node affinity and taints (not those of resources) say. */
void ground_judge(const struct spread *spread, struct ground *ground);
/* The tolerations that every daemon has. False: no memory. */
bool daemon_tolerate(struct value *spec) __attribute__((warn_unused_result));
/* Puts a node's name in place of what the template's required node affinity says. */
bool daemon_aim(struct value *spec, const char *node) __attribute__((warn_unused_result));
/* The node that a Pod without one is meant for, or NULL; of its document. */
const char *daemon_target(const struct value *pod);

/* daemonset_revisions.c. Of everything below, false means: try again. */
bool spread_find_revision(struct spread *spread, struct value **present, struct vec *old); /* present borrows from revisions, as does the list */
bool spread_trim_revisions(struct spread *spread, struct vec *old);

/* daemonset_sync.c */
bool spread_manage(struct spread *spread);
/* daemonset_roll.c */
bool spread_roll(struct spread *spread);
/* Deletes and makes; what cannot be done is said in events. */
bool spread_change(struct spread *spread, struct vec *deletions, struct vec *nodes);
bool daemon_is_updated(const struct spread *spread, const struct pod_view *pod);
bool daemon_is_available(const struct spread *spread, const struct pod_view *pod);

#endif
