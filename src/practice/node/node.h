/* node.h: a node and what all nodes share, for the files of this folder.
 */
#ifndef KT_PRACTICE_NODE_NODE_H
#define KT_PRACTICE_NODE_NODE_H

#include "base/map.h"
#include "practice/node/nodes.h"
#include "practice/work/recorder.h"
#include "practice/work/workqueue.h"

enum { NODE_ADDRESSES = 254 /* of a range: .1 is the node's own */, NODES_PODS = 1000000, NODE_IMAGES = 50 /* in its status, as the kubelet's default */ };

struct pod_worker;
struct streams;
struct pod_pull;

/* An image that containers have; one for each there is. */
struct image_name {
    char *reference; /* "docker.io/library/nginx:1.27" */
    char *id;        /* "docker.io/library/nginx@sha256:..." */
    int64_t size;
};

struct node {
    struct nodes *nodes;
    char *name;
    char ip[NETWORK_ADDRESS];
    unsigned number;           /* which range its Pods' addresses are from: 1 and up; 0: not known yet */
    bool on;                   /* has power */
    bool own;                  /* this process makes its object if there is none */
    bool registered;           /* its status was written by this process */
    bool known;                /* its object was seen with range, address and size: Pods can begin */
    bool said;                 /* that its kubelet started */
    bool images_changed;
    struct client *client;     /* NULL until it writes */
    struct recorder *recorder;
    struct pod_worker *workers;
    size_t admitted;           /* Pods that take room */
    struct amounts used, allocatable;
    unsigned char taken[32];   /* a bit for each address */
    unsigned last_address;
    struct pod_pull *pulls, **pulls_end; /* one at a time, in this order */
    struct vec images;         /* of struct image_name, borrowed: what was pulled here, newest last */
};

struct nodes {
    struct place_of_work place;
    struct runtime runtime;
    struct network *network;
    struct cluster_clock *clock;
    struct map table;          /* name -> struct node */
    struct map workers;        /* uid -> struct pod_worker, the node's */
    struct map images;         /* reference -> struct image_name */
    struct map links;          /* namespace -> what its Services give to environments; "": Service kubernetes */
    struct node **numbers;     /* by number; NULL: free */
    size_t numbers_room, first_free;
    struct pods_follower *follower;
    struct informer *objects;  /* of nodes */
    struct informer *configmaps, *secrets, *services, *claims, *volumes;
    struct workqueue *pods;    /* uids */
    struct workqueue *writes;  /* nodes' names */
    struct streams *streams;
    char cluster[64];          /* uid of namespace kube-system when nodes were registered: another one is a new cluster */
};

/* ---- node.c ---- */
struct node *node_new(struct nodes *nodes, const char *name); /* NULL: no memory */
void node_free(void *node);
bool node_ready(struct node *node, struct error *err) __attribute__((warn_unused_result)); /* has client and recorder from now on */
/* Gives it a number, the one that its Pods' range says if that is free; its address follows. False: no memory. */
bool node_number(struct node *node, const char *range) __attribute__((warn_unused_result));
void node_range(const struct node *node, char out[static 32]); /* "10.244.1.0/24" */
/* An address for a Pod: its number in the range, or -1 (none left); ip gets its text. */
int node_take_address(struct node *node, char ip[static NETWORK_ADDRESS]);
bool node_take_this(struct node *node, const char *ip, int *number); /* that a Pod had already */
void node_give_address(struct node *node, int address);
void node_has_image(struct node *node, const struct image_name *image);
/* ---- service_links.c ---- */
void service_links_init(struct nodes *nodes);
void service_links_changed(struct nodes *nodes, const char *ns);
/* ---- node_object.c ---- */
bool node_write(struct node *node, struct error *err) __attribute__((warn_unused_result)); /* makes the Node, or writes what it must say */
/* ---- image_names.c ---- */
/* The reference and id of a runtime's image, or, where id is a whole one already ("nginx@sha256:..."), of a status. NULL: no memory. */
const struct image_name *image_name_of(struct nodes *nodes, const struct runtime_image *image);
void image_name_free(void *name);

#endif
