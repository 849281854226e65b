/* network.h: the cluster's network, as kube-proxy, the cluster's DNS and an enforcing network plug-in make it from Services,
 * EndpointSlices, Pods and NetworkPolicies. It moves no bytes: it says where a name or an address leads, and whether one may go
 * there. A runtime that simulates sockets asks it.
 */
#ifndef KT_PRACTICE_NODE_NETWORK_H
#define KT_PRACTICE_NODE_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "practice/work/place.h"

struct network;

struct network *network_new(const struct place_of_work *place, struct error *err) __attribute__((warn_unused_result));
void network_free(struct network *network);

enum { NETWORK_ADDRESS = 46, NETWORK_NAME = 254 };

/* ---- names ---- */

enum network_answer {
    NETWORK_FOUND,
    NETWORK_NO_NAME /* NXDOMAIN */,
    NETWORK_NO_DATA /* the name is there, not of this type */
};
enum network_type { NETWORK_A, NETWORK_AAAA, NETWORK_CNAME, NETWORK_SRV, NETWORK_PTR };
/* One whole name without the final dot ("web.shop.svc.cluster.local"; search domains are the caller's). Services (ClusterIP,
 * headless with ready or publishNotReadyAddresses endpoints, ExternalName), Pods by hostname and subdomain, by dashed address;
 * CoreDNS's kubernetes plug-in. An ExternalName is found as the name it stands for, whatever address was asked for (it is a
 * CNAME). Records are texts: an address, a name, "priority weight port target". The list is made with vec_make(..., mem_free).
 */
enum network_answer network_lookup(const struct network *network, const char *name, enum network_type type,
                                   struct vec *records);
#define NETWORK_DOMAIN "cluster.local"
#define NETWORK_DNS "10.96.0.10" /* Service kube-system/kube-dns */

/* ---- ways ---- */

enum network_outcome {
    NETWORK_POD,     /* at ip, port: a Pod's, or the node's own for host_network */
    NETWORK_API,     /* the API server itself (Service default/kubernetes, or its endpoint) */
    NETWORK_NAMES,   /* the cluster's DNS server */
    NETWORK_REFUSED, /* a Service without endpoints; whether a Pod's port refuses is for the runtime to tell */
    NETWORK_DROPPED, /* it would hang until a time-out: a policy, an address of the cluster behind which nobody is, a port that
                        a Service does not have */
    NETWORK_OUTSIDE, /* an address that is not the cluster's: a simulated network has nothing there */
};
struct network_way {
    enum network_outcome outcome;
    char ip[NETWORK_ADDRESS];
    uint16_t port;
};
/* Where a connection leads. from: the Pod's address, or NULL for the node's own processes (probes, port-forward), which
 * policies let in. udp: else TCP. Of several endpoints one is chosen as kube-proxy would (at random; sessionAffinity ClientIP
 * keeps to one; internalTrafficPolicy). node: where `from` runs. */
void network_route(struct network *network, const char *from, const char *node, const char *to, uint16_t port, bool udp,
                   struct network_way *way);
/* The address of a node ("10.77.0.N"), "" for none. */
const char *network_node_ip(const struct network *network, const char *node);

#endif
