/* network_model: Services, EndpointSlices and NetworkPolicies taken apart into what routing asks. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/node/network_internal.h"

static char *copy(const struct value *document, const char *key)
{
    const char *text = value_find_text(document, key, NULL);
    return mem_string(text != NULL ? text : "");
}

static char *key_of(const struct value *document)
{
    const char *ns = value_find_text(document, "metadata", "namespace", NULL),
               *name = value_find_text(document, "metadata", "name", NULL);
    return mem_printf("%s/%s", ns != NULL ? ns : "", name != NULL ? name : "");
}

static bool says(const struct value *document, const char *key, const char *wanted)
{
    const char *text = value_find_text(document, key, NULL);
    return text != NULL && strcmp(text, wanted) == 0;
}

static bool push_texts(struct vec *to, const struct value *list)
{
    bool whole = true;
    for (const struct value *item = value_first(list); item != NULL && whole; item = value_next(item))
        whole = value_text(item) == NULL || vec_push_string(to, value_text(item));
    return whole;
}

/* ---- ports ---- */

static void port_free(void *data)
{
    struct net_port *port = data;
    mem_free(port->name);
    mem_free(port);
}

static struct vec read_ports(const struct value *list, bool *whole)
{
    struct vec ports = vec_make(NETWORK_PARTS, port_free);
    for (const struct value *item = value_first(list); item != NULL && *whole; item = value_next(item)) {
        struct net_port *port = mem_zero(1, sizeof *port);
        *whole = port != NULL && (port->name = copy(item, "name")) != NULL;
        if (!*whole) {
            mem_free(port);
            break;
        }
        port->port = (uint16_t)value_find_int(item, 0, "port", NULL);
        port->node_port = (uint16_t)value_find_int(item, 0, "nodePort", NULL);
        port->udp = says(item, "protocol", "UDP");
        port->any = value_get(item, "port") == NULL;
        *whole = vec_push(&ports, port);
    }
    return ports;
}

/* ---- Services ---- */

static void kept_free(void *data)
{
    struct net_kept *kept = data;
    mem_free(kept->ip);
    mem_free(kept);
}

static bool read_addresses(struct net_service *service, const struct value *document)
{
    const struct value *spec = value_get(document, "spec");
    const struct value *ips = value_get(spec, "clusterIPs");
    bool whole = push_texts(&service->addresses, ips);
    service->own_addresses = service->addresses.length;
    whole = whole && push_texts(&service->addresses, value_get(spec, "externalIPs"));
    const struct value *ingress = value_first(value_find(document, "status", "loadBalancer", "ingress", NULL));
    for (; ingress != NULL && whole; ingress = value_next(ingress))
        whole = value_find_text(ingress, "ip", NULL) == NULL ||
                vec_push_string(&service->addresses, value_find_text(ingress, "ip", NULL));
    return whole;
}

struct net_service *net_service_new(const struct value *document)
{
    struct net_service *service = mem_zero(1, sizeof *service);
    const struct value *spec = value_get(document, "spec"), *metadata = value_get(document, "metadata");
    bool whole = true;
    if (service == NULL)
        return NULL;
    service->addresses = vec_make(NETWORK_PARTS, mem_free);
    service->slices = vec_make(NETWORK_OBJECTS, NULL);
    service->kept = map_make(NETWORK_PARTS, kept_free);
    service->ports = read_ports(value_get(spec, "ports"), &whole);
    service->key = key_of(document);
    service->ns = copy(metadata, "namespace");
    service->name = copy(metadata, "name");
    service->external_name = says(spec, "type", "ExternalName") ? copy(spec, "externalName") : mem_string("");
    service->headless = says(spec, "clusterIP", "None");
    service->local = says(spec, "internalTrafficPolicy", "Local");
    if (says(spec, "sessionAffinity", "ClientIP"))
        service->sticky_ms = 1000 * value_find_int(spec, 10800, "sessionAffinityConfig", "clientIP", "timeoutSeconds", NULL);
    if (whole && service->key != NULL && service->ns != NULL && service->name != NULL && service->external_name != NULL &&
        (service->headless || read_addresses(service, document)))
        return service;
    net_service_free(service);
    return NULL;
}

void net_service_free(void *data)
{
    struct net_service *service = data;
    if (service == NULL)
        return;
    mem_free(service->key);
    mem_free(service->ns);
    mem_free(service->name);
    mem_free(service->external_name);
    vec_free(&service->addresses);
    vec_free(&service->ports);
    vec_free(&service->slices);
    map_free(&service->kept);
    mem_free(service);
}

/* ---- EndpointSlices ---- */

static void endpoint_free(void *data)
{
    struct net_endpoint *endpoint = data;
    vec_free(&endpoint->addresses);
    mem_free(endpoint->hostname);
    mem_free(endpoint->node);
    mem_free(endpoint);
}

static bool read_endpoint(struct net_slice *slice, const struct value *item)
{
    struct net_endpoint *endpoint = mem_zero(1, sizeof *endpoint);
    const struct value *ready = value_find(item, "conditions", "ready", NULL);
    if (endpoint == NULL)
        return false;
    endpoint->addresses = vec_make(NETWORK_PARTS, mem_free);
    endpoint->hostname = copy(item, "hostname");
    endpoint->node = copy(item, "nodeName");
    endpoint->ready = ready == NULL || value_is_true(ready); /* unknown counts as ready */
    if (endpoint->hostname != NULL && endpoint->node != NULL && push_texts(&endpoint->addresses, value_get(item, "addresses")))
        return vec_push(&slice->endpoints, endpoint);
    endpoint_free(endpoint);
    return false;
}

struct net_slice *net_slice_new(const struct value *document)
{
    struct net_slice *slice = mem_zero(1, sizeof *slice);
    const char *ns = value_find_text(document, "metadata", "namespace", NULL),
               *service = value_find_text(document, "metadata", "labels", "kubernetes.io/service-name", NULL);
    bool whole = true;
    if (slice == NULL)
        return NULL;
    slice->endpoints = vec_make(NETWORK_PARTS, endpoint_free);
    slice->ports = read_ports(value_get(document, "ports"), &whole);
    slice->key = key_of(document);
    slice->service = mem_printf("%s/%s", ns != NULL ? ns : "", service != NULL ? service : "");
    whole = whole && slice->key != NULL && slice->service != NULL;
    for (const struct value *item = value_first(value_get(document, "endpoints")); item != NULL && whole;
         item = value_next(item))
        whole = read_endpoint(slice, item);
    if (whole)
        return slice;
    net_slice_free(slice);
    return NULL;
}

void net_slice_free(void *data)
{
    struct net_slice *slice = data;
    if (slice == NULL)
        return;
    mem_free(slice->key);
    mem_free(slice->service);
    vec_free(&slice->endpoints);
    vec_free(&slice->ports);
    mem_free(slice);
}

/* ---- NetworkPolicies ---- */

static void policy_port_free(void *data)
{
    struct net_policy_port *port = data;
    mem_free(port->name);
    mem_free(port);
}

static void peer_free(void *data)
{
    struct net_peer *peer = data;
    label_selector_free(peer->pods);
    label_selector_free(peer->namespaces);
    vec_free(&peer->except);
    mem_free(peer);
}

static void rule_free(void *data)
{
    struct net_rule *rule = data;
    vec_free(&rule->ports);
    vec_free(&rule->peers);
    mem_free(rule);
}

static bool read_policy_port(struct net_rule *rule, const struct value *item)
{
    struct net_policy_port *port = mem_zero(1, sizeof *port);
    const struct value *number = value_get(item, "port");
    if (port == NULL)
        return false;
    port->udp = says(item, "protocol", "UDP");
    if (value_text(number) != NULL) {
        if ((port->name = mem_string(value_text(number))) == NULL) {
            mem_free(port);
            return false;
        }
    } else {
        port->first = (uint16_t)value_find_int(item, 0, "port", NULL);
        port->last = (uint16_t)value_find_int(item, port->first, "endPort", NULL);
    }
    return vec_push(&rule->ports, port);
}

static bool read_block(struct net_peer *peer, const struct value *block)
{
    const char *text = value_find_text(block, "cidr", NULL);
    peer->block = true;
    if (text == NULL || !cidr_read(text, &peer->cidr))
        peer->cidr =
            (struct cidr){.address.v4 = true, .bits = 32}; /* 0.0.0.0 alone: nobody; validation does not let it come to this */
    for (const struct value *item = value_first(value_get(block, "except")); item != NULL; item = value_next(item)) {
        struct cidr *cidr = mem_zero(1, sizeof *cidr);
        if (cidr == NULL)
            return false;
        if (value_text(item) == NULL || !cidr_read(value_text(item), cidr))
            mem_free(cidr);
        else if (!vec_push(&peer->except, cidr))
            return false;
    }
    return true;
}

static bool read_peer(struct net_rule *rule, const struct value *item)
{
    struct net_peer *peer = mem_zero(1, sizeof *peer);
    const struct value *pods = value_get(item, "podSelector"), *namespaces = value_get(item, "namespaceSelector"),
                       *block = value_get(item, "ipBlock");
    if (peer == NULL)
        return false;
    peer->except = vec_make(NETWORK_PARTS, mem_free);
    bool whole = (pods == NULL || (peer->pods = label_selector_new(pods, NULL)) != NULL) &&
                 (namespaces == NULL || (peer->namespaces = label_selector_new(namespaces, NULL)) != NULL) &&
                 (block == NULL || read_block(peer, block));
    if (whole)
        return vec_push(&rule->peers, peer);
    peer_free(peer);
    return false;
}

static bool read_rule(struct vec *rules, const struct value *item, const char *peers)
{
    struct net_rule *rule = mem_zero(1, sizeof *rule);
    if (rule == NULL)
        return false;
    rule->ports = vec_make(NETWORK_PARTS, policy_port_free);
    rule->peers = vec_make(NETWORK_PARTS, peer_free);
    bool whole = true;
    for (const struct value *port = value_first(value_get(item, "ports")); port != NULL && whole; port = value_next(port))
        whole = read_policy_port(rule, port);
    for (const struct value *peer = value_first(value_get(item, peers)); peer != NULL && whole; peer = value_next(peer))
        whole = read_peer(rule, peer);
    if (whole)
        return vec_push(rules, rule);
    rule_free(rule);
    return false;
}

struct net_policy *net_policy_new(const struct value *document)
{
    static const char *const lists[] = {"ingress", "egress"}, *const peers[] = {"from", "to"},
                             *const types[] = {"Ingress", "Egress"};
    struct net_policy *policy = mem_zero(1, sizeof *policy);
    const struct value *spec = value_get(document, "spec"), *selector = value_get(spec, "podSelector"), *nothing = NULL;
    struct value *empty = NULL;
    if (policy == NULL)
        return NULL;
    if (selector == NULL)
        nothing = empty = value_object();
    policy->key = key_of(document);
    policy->ns = copy(value_get(document, "metadata"), "namespace");
    policy->pods = label_selector_new(selector != NULL ? selector : nothing, NULL);
    value_free(empty);
    bool whole = policy->key != NULL && policy->ns != NULL && policy->pods != NULL;
    for (int way = NET_IN; way <= NET_OUT; way++) {
        policy->rules[way] = vec_make(NETWORK_PARTS, rule_free);
        for (const struct value *type = value_first(value_get(spec, "policyTypes")); type != NULL; type = value_next(type))
            policy->guards[way] =
                policy->guards[way] || (value_text(type) != NULL && strcmp(value_text(type), types[way]) == 0);
        for (const struct value *rule = value_first(value_get(spec, lists[way])); rule != NULL && whole;
             rule = value_next(rule))
            whole = read_rule(&policy->rules[way], rule, peers[way]);
    }
    if (whole)
        return policy;
    net_policy_free(policy);
    return NULL;
}

void net_policy_free(void *data)
{
    struct net_policy *policy = data;
    if (policy == NULL)
        return;
    mem_free(policy->key);
    mem_free(policy->ns);
    label_selector_free(policy->pods);
    vec_free(&policy->rules[NET_IN]);
    vec_free(&policy->rules[NET_OUT]);
    mem_free(policy);
}
