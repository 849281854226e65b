/* network_policy: who may speak to whom. A Pod that no policy selects for a direction is open in it; one that is selected may
 * do what any of its policies allows. */
#include <string.h>

#include "practice/node/network_internal.h"

static bool in_block(const struct net_peer *peer, const char *ip)
{
    struct address address;
    if (!address_read(ip, &address) || !cidr_contains(&peer->cidr, &address))
        return false;
    for (size_t i = 0; i < peer->except.length; i++)
        if (cidr_contains(peer->except.items[i], &address))
            return false;
    return true;
}

static bool is_peer(const struct network *network, const struct net_policy *policy, const struct net_peer *peer,
                    const struct net_end *end)
{
    if (peer->block)
        return in_block(peer, end->ip);
    if (end->pod == NULL || end->pod->host_network)
        return false;
    const char *ns = end->pod->object->ns;
    if (peer->namespaces != NULL) {
        const struct object *object = informer_get(network->namespaces, "", ns);
        if (object == NULL || !label_selector_matches(peer->namespaces, object))
            return false;
    } else if (strcmp(ns, policy->ns) != 0) {
        return false;
    }
    return peer->pods == NULL || label_selector_matches(peer->pods, end->pod->object);
}

/* The number of a Pod's port of this name; 0: it has none. */
static uint16_t named_port(const struct network *network, const struct pod_view *pod, const char *name, bool udp)
{
    uint16_t found = 0;
    struct value *document = pod != NULL ? pods_value(network->place->pods, pod) : NULL;
    const struct value *containers = value_find(document, "spec", "containers", NULL);
    for (const struct value *container = value_first(containers); container != NULL; container = value_next(container))
        for (const struct value *port = value_first(value_get(container, "ports")); port != NULL; port = value_next(port)) {
            const char *has = value_find_text(port, "name", NULL), *protocol = value_find_text(port, "protocol", NULL);
            bool is_udp = protocol != NULL && strcmp(protocol, "UDP") == 0;
            if (found == 0 && has != NULL && strcmp(has, name) == 0 && is_udp == udp)
                found = (uint16_t)value_find_int(port, 0, "containerPort", NULL);
        }
    value_free(document);
    return found;
}

static bool is_port(const struct network *network, const struct net_policy_port *wanted, const struct net_end *to,
                    uint16_t port, bool udp)
{
    if (wanted->udp != udp)
        return false;
    if (wanted->name != NULL)
        return named_port(network, to->pod, wanted->name, udp) == port;
    return wanted->first == 0 || (port >= wanted->first && port <= wanted->last);
}

static bool rule_allows(const struct network *network, const struct net_policy *policy, const struct net_rule *rule,
                        const struct net_end *other, const struct net_end *to, uint16_t port, bool udp)
{
    bool fits = rule->ports.length == 0, known = rule->peers.length == 0;
    for (size_t i = 0; i < rule->ports.length && !fits; i++)
        fits = is_port(network, rule->ports.items[i], to, port, udp);
    for (size_t i = 0; i < rule->peers.length && fits && !known; i++)
        known = is_peer(network, policy, rule->peers.items[i], other);
    return fits && known;
}

static bool one_way(const struct network *network, int way, const struct net_end *guarded, const struct net_end *other,
                    const struct net_end *to, uint16_t port, bool udp)
{
    bool selected = false;
    size_t cursor = 0;
    if (guarded->pod == NULL || guarded->pod->host_network) /* policies do not reach the host's network */
        return true;
    for (const struct map_entry *entry; (entry = map_next(&network->policy_by_key, &cursor)) != NULL;) {
        const struct net_policy *policy = entry->value;
        if (!policy->guards[way] || strcmp(policy->ns, guarded->pod->object->ns) != 0 ||
            !label_selector_matches(policy->pods, guarded->pod->object))
            continue;
        selected = true;
        for (size_t i = 0; i < policy->rules[way].length; i++)
            if (rule_allows(network, policy, policy->rules[way].items[i], other, to, port, udp))
                return true;
    }
    return !selected;
}

bool net_allowed(const struct network *network, const struct net_end *from, const struct net_end *to, uint16_t port, bool udp)
{
    if (from->pod != NULL && from->pod == to->pod) /* a Pod always reaches itself */
        return true;
    return one_way(network, NET_OUT, from, to, to, port, udp) && one_way(network, NET_IN, to, from, to, port, udp);
}
