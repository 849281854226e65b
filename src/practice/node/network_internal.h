/* network_internal.h: what the network knows, for network*.c: Services, EndpointSlices and NetworkPolicies taken apart once a
 * version.
 */
#ifndef KT_PRACTICE_NODE_NETWORK_INTERNAL_H
#define KT_PRACTICE_NODE_NETWORK_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "practice/node/network.h"
#include "practice/schema/addresses.h"
#include "practice/work/label_selector.h"

enum { NETWORK_OBJECTS = 100000, NETWORK_PARTS = 1000 /* ports of a Service, endpoints of a slice, rules of a policy */ };

struct net_port {
    char *name; /* "" for none */
    uint16_t port, node_port;
    bool udp;
    bool any; /* a slice's port without a number: all of them */
};

struct net_service {
    char *key; /* "ns/name" */
    char *ns, *name;
    char *external_name; /* type ExternalName; "" else */
    bool headless;
    bool local;           /* internalTrafficPolicy Local */
    int64_t sticky_ms;    /* sessionAffinity ClientIP; 0: none */
    struct vec addresses; /* strings: clusterIPs, externalIPs, the load balancer's */
    size_t own_addresses; /* the clusterIPs among them: those that names lead to */
    struct vec ports;     /* struct net_port */
    struct vec slices;    /* struct net_slice, borrowed */
    struct map kept;      /* a client's address -> struct net_kept, where sticky */
};

struct net_kept {
    char *ip;
    int64_t until_ms;
};

struct net_endpoint {
    struct vec addresses; /* strings */
    char *hostname, *node;
    bool ready;
};

struct net_slice {
    char *key, *service; /* "ns/name" of itself, and of its Service */
    struct vec endpoints, ports;
};

struct net_policy_port {
    char *name;           /* a named port; NULL: by number */
    uint16_t first, last; /* 0: all */
    bool udp;
};
struct net_peer {
    struct label_selector *pods, *namespaces; /* NULL: the policy's own namespace, all Pods */
    bool block;                               /* an ipBlock, with what is taken out of it */
    struct cidr cidr;
    struct vec except; /* struct cidr */
};
struct net_rule {
    struct vec ports, peers; /* none: any */
};
struct net_policy {
    char *key, *ns;
    struct label_selector *pods;
    bool guards[2];      /* NET_IN, NET_OUT */
    struct vec rules[2]; /* struct net_rule */
};
enum { NET_IN, NET_OUT };

struct network {
    const struct place_of_work *place; /* borrowed */
    struct place_of_work own;
    struct informer *services, *slices, *policies, *namespaces, *nodes;
    struct map by_key;       /* "ns/name" -> struct net_service, owned */
    struct map by_address;   /* an address -> struct net_service, borrowed */
    struct map by_node_port; /* "tcp/30080" -> struct net_service, borrowed */
    struct map slice_by_key; /* -> struct net_slice, owned */
    struct map policy_by_key;
    struct map node_ips;   /* a node's name -> its address, a string; owned */
    struct map node_names; /* the other way; owned */
    uint32_t random;
};

/* network_model.c: an object taken apart. NULL: no memory. */
struct net_service *net_service_new(const struct value *document) __attribute__((warn_unused_result));
void net_service_free(void *service);
struct net_slice *net_slice_new(const struct value *document) __attribute__((warn_unused_result));
void net_slice_free(void *slice);
struct net_policy *net_policy_new(const struct value *document) __attribute__((warn_unused_result));
void net_policy_free(void *policy);

/* network_policy.c: whether policies let a connection through. Either Pod may be NULL: an address that is no Pod's. port is the
 * target's own. */
struct net_end {
    const struct pod_view *pod;
    const char *ip;
};
bool net_allowed(const struct network *network, const struct net_end *from, const struct net_end *to, uint16_t port, bool udp);

#endif
