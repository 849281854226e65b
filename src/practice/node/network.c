#include "practice/node/network.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "net/crypto.h"
#include "practice/node/network_internal.h"

static const struct client_resource services_of = {"", "v1", "services"},
                                    slices_of = {"discovery.k8s.io", "v1", "endpointslices"},
                                    policies_of = {"networking.k8s.io", "v1", "networkpolicies"},
                                    namespaces_of = {"", "v1", "namespaces"}, nodes_of = {"", "v1", "nodes"};

/* ---- what there is ---- */

static void node_port_key(const struct net_port *port, char out[static 16])
{
    snprintf(out, 16, "%s/%u", port->udp ? "udp" : "tcp", port->node_port);
}

/* Takes a Service out of the indexes, where it is still the one. */
static void unlist(struct network *network, const struct net_service *service)
{
    for (size_t i = 0; i < service->addresses.length; i++)
        if (map_get(&network->by_address, service->addresses.items[i]) == service)
            map_remove(&network->by_address, service->addresses.items[i]);
    for (size_t i = 0; i < service->ports.length; i++) {
        char key[16];
        node_port_key(service->ports.items[i], key);
        if (map_get(&network->by_node_port, key) == service)
            map_remove(&network->by_node_port, key);
    }
}

static bool list(struct network *network, struct net_service *service)
{
    bool whole = true;
    for (size_t i = 0; i < service->addresses.length && whole; i++)
        whole = map_set(&network->by_address, service->addresses.items[i], service);
    for (size_t i = 0; i < service->ports.length && whole; i++) {
        const struct net_port *port = service->ports.items[i];
        char key[16];
        node_port_key(port, key);
        whole = port->node_port == 0 || map_set(&network->by_node_port, key, service);
    }
    size_t cursor = 0;
    for (const struct map_entry *entry; whole && (entry = map_next(&network->slice_by_key, &cursor)) != NULL;) {
        struct net_slice *slice = entry->value;
        if (strcmp(slice->service, service->key) == 0)
            whole = vec_push(&service->slices, slice);
    }
    return whole;
}

/* Without memory a Service or a policy is left as it was known before: the next change mends it. */
static void service_changed(void *data, const struct informer_event *event)
{
    struct network *network = data;
    const struct object *object = event->object != NULL ? event->object : event->previous;
    char *key = mem_printf("%s/%s", object->ns, object->name);
    struct value *document = event->object != NULL ? informer_value(network->services, event->object) : NULL;
    struct net_service *service = document != NULL ? net_service_new(document) : NULL,
                       *old = key != NULL ? map_get(&network->by_key, key) : NULL;
    value_free(document);
    if (key != NULL && (service != NULL || event->object == NULL)) {
        if (old != NULL) {
            unlist(network, old);
            map_remove(&network->by_key, key);
        }
        if (service != NULL && map_set(&network->by_key, key, service) && !list(network, service)) {
            unlist(network, service);
            map_remove(&network->by_key, key);
        }
    } else {
        net_service_free(service);
    }
    mem_free(key);
}

static void drop_slice(struct network *network, const char *key)
{
    struct net_slice *old = map_take(&network->slice_by_key, key);
    struct net_service *service = old != NULL ? map_get(&network->by_key, old->service) : NULL;
    for (size_t i = service != NULL ? service->slices.length : 0; i-- > 0;)
        if (service->slices.items[i] == old)
            vec_remove(&service->slices, i);
    net_slice_free(old);
}

static void slice_changed(void *data, const struct informer_event *event)
{
    struct network *network = data;
    const struct object *object = event->object != NULL ? event->object : event->previous;
    char *key = mem_printf("%s/%s", object->ns, object->name);
    struct value *document = event->object != NULL ? informer_value(network->slices, event->object) : NULL;
    struct net_slice *slice = document != NULL ? net_slice_new(document) : NULL;
    value_free(document);
    if (key != NULL && (slice != NULL || event->object == NULL)) {
        drop_slice(network, key);
        struct net_service *service = slice != NULL ? map_get(&network->by_key, slice->service) : NULL;
        if (slice != NULL && map_set(&network->slice_by_key, key, slice) && service != NULL &&
            !vec_push(&service->slices, slice))
            drop_slice(network, key);
    } else {
        net_slice_free(slice);
    }
    mem_free(key);
}

static void policy_changed(void *data, const struct informer_event *event)
{
    struct network *network = data;
    const struct object *object = event->object != NULL ? event->object : event->previous;
    char *key = mem_printf("%s/%s", object->ns, object->name);
    struct value *document = event->object != NULL ? informer_value(network->policies, event->object) : NULL;
    struct net_policy *policy = document != NULL ? net_policy_new(document) : NULL;
    value_free(document);
    if (key != NULL && event->object == NULL)
        map_remove(&network->policy_by_key, key);
    else if (key == NULL || policy == NULL || !map_set(&network->policy_by_key, key, policy))
        net_policy_free(key == NULL ? policy : NULL); /* else the map has dropped it */
    mem_free(key);
}

static void forget_node(struct network *network, const char *name)
{
    char *ip = map_take(&network->node_ips, name);
    if (ip != NULL)
        map_remove(&network->node_names, ip);
    mem_free(ip);
}

static void node_changed(void *data, const struct informer_event *event)
{
    struct network *network = data;
    if (event->object == NULL) {
        forget_node(network, event->previous->name);
        return;
    }
    struct value *document = informer_value(network->nodes, event->object);
    const struct value *addresses = value_find(document, "status", "addresses", NULL);
    const char *found = NULL, *known = map_get(&network->node_ips, event->object->name);
    for (const struct value *item = value_first(addresses); item != NULL && found == NULL; item = value_next(item)) {
        const char *type = value_find_text(item, "type", NULL);
        found = type != NULL && strcmp(type, "InternalIP") == 0 ? value_find_text(item, "address", NULL) : NULL;
    }
    if (found != NULL && (known == NULL || strcmp(known, found) != 0)) {
        char *ip = mem_string(found), *name = mem_string(event->object->name);
        forget_node(network, event->object->name);
        if (ip == NULL || name == NULL) {
            mem_free(ip);
            mem_free(name);
        } else if (!map_set(&network->node_names, ip, name)) {
            mem_free(ip);
        } else if (!map_set(&network->node_ips, event->object->name, ip)) {
            map_remove(&network->node_names, found);
        }
    }
    value_free(document);
}

static void nothing(void *data, const struct informer_event *event)
{
    (void)data;
    (void)event;
}

struct network *network_new(const struct place_of_work *place, struct error *err)
{
    struct network *network = mem_zero(1, sizeof *network);
    if (network == NULL) {
        error_memory(err);
        return NULL;
    }
    network->own = *place;
    network->place = &network->own;
    network->by_key = map_make(NETWORK_OBJECTS, net_service_free);
    network->by_address = map_make(NETWORK_OBJECTS, NULL);
    network->by_node_port = map_make(NETWORK_OBJECTS, NULL);
    network->slice_by_key = map_make(NETWORK_OBJECTS, net_slice_free);
    network->policy_by_key = map_make(NETWORK_OBJECTS, net_policy_free);
    network->node_ips = map_make(NETWORK_OBJECTS, mem_free);
    network->node_names = map_make(NETWORK_OBJECTS, mem_free);
    if (crypto_random(&network->random, sizeof network->random, err) &&
        (network->slices = informer_new(place->reader, &slices_of, slice_changed, network, err)) != NULL &&
        (network->services = informer_new(place->reader, &services_of, service_changed, network, err)) != NULL &&
        (network->policies = informer_new(place->reader, &policies_of, policy_changed, network, err)) != NULL &&
        (network->namespaces = informer_new(place->reader, &namespaces_of, nothing, network, err)) != NULL &&
        (network->nodes = informer_new(place->reader, &nodes_of, node_changed, network, err)) != NULL)
        return network;
    network_free(network);
    return NULL;
}

void network_free(struct network *network)
{
    if (network == NULL)
        return;
    informer_free(network->services);
    informer_free(network->slices);
    informer_free(network->policies);
    informer_free(network->namespaces);
    informer_free(network->nodes);
    map_free(&network->by_address);
    map_free(&network->by_node_port);
    map_free(&network->by_key);
    map_free(&network->slice_by_key);
    map_free(&network->policy_by_key);
    map_free(&network->node_ips);
    map_free(&network->node_names);
    mem_free(network);
}

const char *network_node_ip(const struct network *network, const char *node)
{
    const char *ip = map_get(&network->node_ips, node);
    return ip != NULL ? ip : "";
}

/* ---- ways ---- */

static void lead(struct network_way *way, enum network_outcome outcome, const char *ip, uint16_t port)
{
    way->outcome = outcome;
    way->port = port;
    snprintf(way->ip, sizeof way->ip, "%s", ip);
}

static uint32_t any_of(struct network *network, uint32_t count)
{
    network->random =
        network->random * 1664525 + 1013904223; /* Numerical Recipes' generator: fair enough to spread connections */
    return (uint32_t)(((uint64_t)network->random * count) >> 32);
}

/* The slice's port that a Service's port leads to: the one of the same name. */
static const struct net_port *target_of(const struct net_slice *slice, const struct net_port *port)
{
    for (size_t i = 0; i < slice->ports.length; i++) {
        const struct net_port *candidate = slice->ports.items[i];
        if (candidate->udp == port->udp && strcmp(candidate->name, port->name) == 0)
            return candidate;
    }
    return NULL;
}

struct choice {
    const char *ip;
    uint16_t port;
};

/* Goes through the endpoints that take this port; the nth of them, or with nth -1 the one at `ip`. The number of those there
 * are. */
static uint32_t endpoints(const struct net_service *service, const struct net_port *port, const char *node, int64_t nth,
                          const char *ip, struct choice *choice)
{
    uint32_t count = 0;
    for (size_t s = 0; s < service->slices.length; s++) {
        const struct net_slice *slice = service->slices.items[s];
        const struct net_port *target = target_of(slice, port);
        for (size_t e = 0; target != NULL && e < slice->endpoints.length; e++) {
            const struct net_endpoint *endpoint = slice->endpoints.items[e];
            if (!endpoint->ready || endpoint->addresses.length == 0 ||
                (service->local && node != NULL && strcmp(endpoint->node, node) != 0))
                continue;
            const char *address = endpoint->addresses.items[0]; /* kube-proxy, too, looks at the first only */
            if (nth == (int64_t)count || (nth < 0 && ip != NULL && strcmp(ip, address) == 0))
                *choice = (struct choice){address, target->any ? port->port : target->port};
            count++;
        }
    }
    return count;
}

static bool choose(struct network *network, struct net_service *service, const struct net_port *port, const char *from,
                   const char *node, struct choice *choice)
{
    const struct net_kept *kept = service->sticky_ms > 0 && from != NULL ? map_get(&service->kept, from) : NULL;
    int64_t now = cluster_clock_ms(network->place->api->clock);
    uint32_t count = endpoints(service, port, node, -1, kept != NULL && kept->until_ms > now ? kept->ip : NULL, choice);
    if (count == 0)
        return false;
    if (choice->ip == NULL)
        endpoints(service, port, node, any_of(network, count), NULL, choice);
    if (service->sticky_ms > 0 && from != NULL) {
        struct net_kept *next = mem_zero(1, sizeof *next);
        if (next != NULL && (next->ip = mem_string(choice->ip)) != NULL) {
            next->until_ms = now + service->sticky_ms;
            if (!map_set(&service->kept, from, next)) { /* as many clients as it remembers: it begins anew */
                map_free(&service->kept);
            }
        } else {
            mem_free(next);
        }
    }
    return true;
}

static const struct net_port *port_of(const struct net_service *service, uint16_t port, bool udp, bool node_port)
{
    for (size_t i = 0; i < service->ports.length; i++) {
        const struct net_port *candidate = service->ports.items[i];
        if (candidate->udp == udp && (node_port ? candidate->node_port : candidate->port) == port)
            return candidate;
    }
    return NULL;
}

/* At an address of the cluster, behind any Service: a Pod's, a node's, or nobody's. */
static void arrive(struct network *network, const struct net_end *from, const char *ip, uint16_t port, bool udp,
                   struct network_way *way)
{
    const struct net_end to = {.pod = pods_by_ip(network->place->pods, ip), .ip = ip};
    struct address address;
    bool node = map_has(&network->node_names, ip);
    if ((from->pod != NULL || to.pod != NULL) && !net_allowed(network, from, &to, port, udp))
        lead(way, NETWORK_DROPPED, ip, port);
    else if (strcmp(ip, network->place->api->host) == 0 && port == network->place->api->port)
        lead(way, NETWORK_API, ip, port);
    else if (to.pod != NULL || node)
        lead(way, NETWORK_POD, ip, port);
    else if (address_read(ip, &address) && address.v4 &&
             address.bytes[12] == 10) /* of Pods, Services or nodes that are not there */
        lead(way, NETWORK_DROPPED, ip, port);
    else
        lead(way, NETWORK_OUTSIDE, ip, port);
}

void network_route(struct network *network, const char *from, const char *node, const char *to, uint16_t port, bool udp,
                   struct network_way *way)
{
    const struct net_end source = {.pod = from != NULL ? pods_by_ip(network->place->pods, from) : NULL,
                                   .ip = from != NULL ? from : ""};
    const struct net_port *wanted = NULL;
    struct choice choice = {0};
    bool at_node = map_has(&network->node_names, to);
    struct net_service *service = map_get(&network->by_address, to);
    if (service == NULL && at_node) {
        char key[16];
        node_port_key(&(struct net_port){.node_port = port, .udp = udp}, key);
        service = map_get(&network->by_node_port, key);
    }
    if (service != NULL)
        wanted = port_of(service, port, udp, at_node);
    if (strcmp(to, NETWORK_DNS) == 0 && port == 53) {
        const struct net_end names = {.ip = NETWORK_DNS};
        lead(way, net_allowed(network, &source, &names, port, udp) ? NETWORK_NAMES : NETWORK_DROPPED, to, port);
    } else if (service == NULL) {
        arrive(network, &source, to, port, udp, way);
    } else if (wanted == NULL) {
        lead(way, NETWORK_DROPPED, to, port); /* kube-proxy has no rule for it */
    } else if (strcmp(service->key, "default/kubernetes") == 0) {
        const struct net_end api = {.ip = to};
        lead(way, net_allowed(network, &source, &api, port, udp) ? NETWORK_API : NETWORK_DROPPED, to, port);
    } else if (!choose(network, service, wanted, from, node, &choice)) {
        lead(way, service->local ? NETWORK_DROPPED : NETWORK_REFUSED, to, port);
    } else {
        arrive(network, &source, choice.ip, choice.port, udp, way);
    }
}
