/* Services before they are judged: defaults, and what an update keeps or drops (pkg/registry/core/service). */
#include <string.h>

#include "practice/schema/addresses.h"
#include "practice/schema/rules_internal.h"
#include "practice/schema/service_internal.h"

enum { AFFINITY_SECONDS = 10800 };

bool service_is(const struct value *spec, const char *type)
{
    return text_is(spec, "type", type);
}

bool service_is_headless(const struct value *spec)
{
    const struct value *addresses = value_get(spec, "clusterIPs"), *first = value_first(addresses);
    return first != NULL && value_next(first) == NULL && value_text(first) != NULL && strcmp(value_text(first), "None") == 0;
}

bool service_is_external(const struct value *spec)
{
    return service_is(spec, "LoadBalancer") || service_is(spec, "NodePort") ||
           (service_is(spec, "ClusterIP") && value_first(value_get(spec, "externalIPs")) != NULL);
}

bool service_wants_health_check(const struct value *spec)
{
    return service_is(spec, "LoadBalancer") && text_is(spec, "externalTrafficPolicy", "Local");
}

static bool affinity_defaults(struct value *spec)
{
    if (!default_text(spec, "sessionAffinity", "None"))
        return false;
    if (text_is(spec, "sessionAffinity", "None"))
        value_remove(spec, "sessionAffinityConfig");
    if (!text_is(spec, "sessionAffinity", "ClientIP"))
        return true;
    struct value *config = value_child(spec, "sessionAffinityConfig"), *client = config != NULL ? value_child(config, "clientIP") : NULL;
    return client != NULL && default_int(client, "timeoutSeconds", AFFINITY_SECONDS);
}

bool service_defaults(struct value *object)
{
    struct value *spec = value_child(object, "spec");
    if (spec == NULL || !affinity_defaults(spec) || !default_text(spec, "type", "ClusterIP"))
        return false;
    EACH_OF (port, value_get(spec, "ports")) {
        const struct value *target = value_get(port, "targetPort");
        bool none = !has(port, "targetPort") || (value_text(target) != NULL ? *value_text(target) == '\0' : int_of(port, "targetPort", 0) == 0);
        if (!default_text(port, "protocol", "TCP") || (none && !put_int(port, "targetPort", int_of(port, "port", 0))))
            return false;
    }
    if (service_is_external(spec) && !default_text(spec, "externalTrafficPolicy", "Cluster"))
        return false;
    if ((service_is(spec, "NodePort") || service_is(spec, "LoadBalancer") || service_is(spec, "ClusterIP")) &&
        !default_text(spec, "internalTrafficPolicy", "Cluster"))
        return false;
    if (service_is(spec, "LoadBalancer") && !default_bool(spec, "allocateLoadBalancerNodePorts", true))
        return false;
    EACH_OF (ingress, service_is(spec, "LoadBalancer") ? value_find(object, "status", "loadBalancer", "ingress", NULL) : NULL)
        if (*text_of(ingress, "ip") != '\0' && !default_text(ingress, "ipMode", "VIP"))
            return false;
    return true;
}

static bool put_list(struct value *spec, const char *key, const char *text)
{
    return value_set(spec, key, value_array()) && value_append(value_get(spec, key), value_string(text));
}

/* The families of a cluster with IPv4 only. */
static bool family_defaults(struct value *spec)
{
    bool headless_without = text_is(spec, "clusterIP", "None") && value_first(value_get(spec, "selector")) == NULL;
    if (service_is(spec, "ExternalName"))
        return true;
    if (!default_text(spec, "ipFamilyPolicy", headless_without ? "RequireDualStack" : "SingleStack"))
        return false;
    const struct value *families = value_get(spec, "ipFamilies"), *first = value_first(families);
    if (first != NULL)
        return true;
    if (!put_list(spec, "ipFamilies", address_is_v6(text_of(spec, "clusterIP")) ? "IPv6" : "IPv4"))
        return false;
    return !headless_without || text_is(spec, "ipFamilyPolicy", "SingleStack") || value_append(value_get(spec, "ipFamilies"), value_string("IPv6"));
}

bool service_prepare_create(struct value *object)
{
    struct value *spec = value_child(object, "spec");
    const char *address = text_of(spec, "clusterIP");
    if (spec == NULL)
        return false;
    if (*address != '\0' && value_first(value_get(spec, "clusterIPs")) == NULL && !put_list(spec, "clusterIPs", address))
        return false;
    return family_defaults(spec);
}

static bool wants_node_ports(const struct value *spec)
{
    const struct value *allocate = value_get(spec, "allocateLoadBalancerNodePorts");
    return service_is(spec, "NodePort") || (service_is(spec, "LoadBalancer") && (allocate == NULL || value_is_true(allocate)));
}

static bool uses_node_port(const struct value *spec, int64_t number)
{
    EACH (port, value_get(spec, "ports"))
        if (int_of(port, "nodePort", 0) == number)
            return true;
    return false;
}

/* What the client left out stays as it was allocated. */
static bool patch_allocated(struct value *spec, const struct value *old)
{
    bool needs = !service_is(spec, "ExternalName") && !service_is(old, "ExternalName");
    if (needs && *text_of(spec, "clusterIP") == '\0' && !put_copy(spec, "clusterIP", value_get(old, "clusterIP")))
        return false;
    if (needs && value_first(value_get(spec, "clusterIPs")) == NULL && !put_copy(spec, "clusterIPs", value_get(old, "clusterIPs")))
        return false;
    EACH_OF (port, wants_node_ports(old) && wants_node_ports(spec) ? value_get(spec, "ports") : NULL) {
        int64_t before = 0;
        EACH (other, value_get(old, "ports"))
            before = strcmp(text_of(other, "name"), text_of(port, "name")) == 0 ? int_of(other, "nodePort", 0) : before;
        if (int_of(port, "nodePort", 0) == 0 && before != 0 && !uses_node_port(spec, before) && !put_int(port, "nodePort", before))
            return false;
    }
    return !service_wants_health_check(old) || !service_wants_health_check(spec) || int_of(spec, "healthCheckNodePort", 0) != 0 ||
           put_copy(spec, "healthCheckNodePort", value_get(old, "healthCheckNodePort"));
}

static bool normalise_addresses(struct value *spec, const struct value *old)
{
    const char *now = text_of(spec, "clusterIP"), *before = text_of(old, "clusterIP");
    if (strcmp(now, before) == 0 || !same_at(spec, old, "clusterIPs"))
        return true;
    if (*now != '\0')
        return put_list(spec, "clusterIPs", now);
    value_remove(spec, "clusterIPs");
    return true;
}

/* Fields that the new type has no use for go, unless the client changed them on purpose. */
static void drop_dependent(struct value *spec, const struct value *old)
{
    if (!service_is(old, "ExternalName") && service_is(spec, "ExternalName")) {
        if (same_at(spec, old, "clusterIP") && same_at(spec, old, "clusterIPs")) {
            value_remove(spec, "clusterIP");
            value_remove(spec, "clusterIPs");
        }
        if (same_at(spec, old, "ipFamilies"))
            value_remove(spec, "ipFamilies");
        if (same_at(spec, old, "ipFamilyPolicy"))
            value_remove(spec, "ipFamilyPolicy");
    }
    bool had_ports = service_is(old, "NodePort") || service_is(old, "LoadBalancer"), ports = service_is(spec, "NodePort") || service_is(spec, "LoadBalancer"),
         known = true;
    EACH (port, value_get(spec, "ports"))
        known = known && (int_of(port, "nodePort", 0) == 0 || uses_node_port(old, int_of(port, "nodePort", 0)));
    EACH_OF (port, had_ports && !ports && known ? value_get(spec, "ports") : NULL)
        value_remove(port, "nodePort");
    if (service_wants_health_check(old) && !service_wants_health_check(spec) && same_at(spec, old, "healthCheckNodePort"))
        value_remove(spec, "healthCheckNodePort");
    bool balanced = service_is(old, "LoadBalancer") && !service_is(spec, "LoadBalancer");
    if (balanced && same_at(spec, old, "allocateLoadBalancerNodePorts"))
        value_remove(spec, "allocateLoadBalancerNodePorts");
    if (balanced && same_at(spec, old, "loadBalancerClass"))
        value_remove(spec, "loadBalancerClass");
    if (service_is_external(old) && !service_is_external(spec) && same_at(spec, old, "externalTrafficPolicy"))
        value_remove(spec, "externalTrafficPolicy");
}

bool service_prepare_update(struct value *object, const struct value *old_object)
{
    struct value *spec = value_child(object, "spec"), *status = value_get(object, "status");
    const struct value *old = value_get(old_object, "spec");
    if (spec == NULL || !patch_allocated(spec, old) || !normalise_addresses(spec, old))
        return false;
    if (!service_is(spec, "ExternalName") &&
        !default_text(spec, "ipFamilyPolicy", *text_of(old, "ipFamilyPolicy") != '\0' ? text_of(old, "ipFamilyPolicy") : "SingleStack"))
        return false;
    drop_dependent(spec, old);
    if (service_is(spec, "ExternalName"))
        value_remove(spec, "internalTrafficPolicy");
    if (!service_is(spec, "LoadBalancer") && status != NULL && !value_set(status, "loadBalancer", value_object()))
        return false;
    return family_defaults(spec);
}
