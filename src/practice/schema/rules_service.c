/* Services (pkg/apis/core/validation, pkg/registry/core/service). Addresses and node ports are allocated by the API. What
 * is filled in before they are judged: service_prepare.c. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/schema/addresses.h"
#include "practice/schema/rules_internal.h"
#include "practice/schema/service_internal.h"

static const struct place spec_place = {.key = "spec"}, metadata_place = {.key = "metadata"}, status_place = {.key = "status"};

#define HINTS "service.kubernetes.io/topology-aware-hints"
#define TOPOLOGY_MODE "service.kubernetes.io/topology-mode"
#define SOURCE_RANGES "service.beta.kubernetes.io/load-balancer-source-ranges"

enum { AFFINITY_SECONDS_MOST = 86400 };

static void check_ports(const struct value *spec, struct problems *problems)
{
    const struct value *ports = value_get(spec, "ports");
    const struct place all = place_key(&spec_place, "ports");
    bool several = value_length(ports) > 1;
    size_t i = 0;
    EACH (port, ports) {
        const struct place at = place_index(&all, i++), name = place_key(&at, "name");
        const char *text = text_of(port, "name");
        if (several && *text == '\0')
            problem_required(problems, &name, NULL, NULL);
        else if (*text != '\0') {
            name_problems(problems, &name, text, name_label(text));
            if (seen_before(ports, port, "name"))
                problem_string(problems, &name, PROBLEM_DUPLICATE, text);
        }
        check_port_number(problems, port, &at, "port");
        check_protocol(problems, port, &at, "protocol");
        check_port(problems, port, &at, "targetPort");
        if (has(port, "appProtocol"))
            name_problems_of(problems, &at, "appProtocol", text_of(port, "appProtocol"), name_qualified);
    }
}

static bool repeats(const struct value *ports, const struct value *port, const char *key)
{
    for (const struct value *other = value_first(ports); other != NULL && other != port; other = value_next(other))
        if (same_at(other, port, key) && same_at(other, port, "protocol"))
            return true;
    return false;
}

static void check_port_sets(const struct value *spec, struct problems *problems)
{
    const struct value *ports = value_get(spec, "ports");
    const struct place all = place_key(&spec_place, "ports");
    size_t i = 0;
    EACH (port, service_is(spec, "ClusterIP") ? ports : NULL) {
        const struct place at = place_index(&all, i++);
        if (int_of(port, "nodePort", 0) != 0)
            problem_forbidden(problems, &at, "nodePort", "may not be used when `type` is 'ClusterIP'");
    }
    i = 0;
    EACH (port, ports) {
        const struct place at = place_index(&all, i++), node = place_key(&at, "nodePort");
        if (int_of(port, "nodePort", 0) != 0 && repeats(ports, port, "nodePort"))
            problem_add(problems, &node, PROBLEM_DUPLICATE, value_get(port, "nodePort"), "%s", "");
    }
    i = 0;
    EACH (port, ports) {
        const struct place at = place_index(&all, i++);
        char key[256];
        snprintf(key, sizeof key, "{\"Name\":\"\",\"Protocol\":\"%.32s\",\"AppProtocol\":null,\"Port\":%lld,\"TargetPort\":0,\"NodePort\":0}",
                 text_of(port, "protocol"), (long long)int_of(port, "port", 0));
        if (repeats(ports, port, "port"))
            problem_text(problems, &at, PROBLEM_DUPLICATE, key, NULL);
    }
}

static void check_type(const struct value *spec, struct problems *problems)
{
    const struct place addresses = place_key(&spec_place, "clusterIPs"), first = place_index(&addresses, 0),
                       name_at = place_key(&spec_place, "externalName");
    if ((service_is(spec, "LoadBalancer") || service_is(spec, "NodePort")) && service_is_headless(spec))
        problem_invalid(problems, &first, "None", "may not be set to 'None' for %s services", text_of(spec, "type"));
    if (!service_is(spec, "ExternalName"))
        return;
    if (value_first(value_get(spec, "clusterIPs")) != NULL)
        problem_forbidden(problems, &addresses, NULL, "may not be set for ExternalName services");
    if (value_first(value_get(spec, "ipFamilies")) != NULL)
        problem_forbidden(problems, &spec_place, "ipFamilies", "may not be set for ExternalName services");
    if (has(spec, "ipFamilyPolicy"))
        problem_forbidden(problems, &spec_place, "ipFamilyPolicy", "may not be set for ExternalName services");
    char *name = mem_string(text_of(spec, "externalName"));
    if (name == NULL) {
        problems->failed = true;
        return;
    }
    size_t length = strlen(name);
    if (length > 0 && name[length - 1] == '.')
        name[length - 1] = '\0';
    if (*name == '\0')
        problem_required(problems, &name_at, NULL, NULL);
    else
        name_problems(problems, &name_at, name, name_subdomain(name));
    mem_free(name);
}

static void check_affinity(const struct value *spec, struct problems *problems)
{
    static const char *const kinds[] = {"ClientIP", "None", NULL};
    const struct value *config = value_get(spec, "sessionAffinityConfig"), *client = value_get(config, "clientIP");
    const struct place at = place_key(&spec_place, "sessionAffinityConfig"), client_at = place_key(&at, "clientIP"),
                       timeout = place_key(&client_at, "timeoutSeconds");
    int64_t seconds = int_of(client, "timeoutSeconds", 0);
    check_choice(problems, spec, &spec_place, "sessionAffinity", kinds, true);
    if (text_is(spec, "sessionAffinity", "ClientIP")) {
        if (seconds <= 0 || seconds > AFFINITY_SECONDS_MOST)
            problem_number(problems, &timeout, seconds, "must be greater than 0 and less than %d", AFFINITY_SECONDS_MOST);
    } else if (text_is(spec, "sessionAffinity", "None") && config != NULL) {
        problem_forbidden(problems, &at, NULL, "must not be set when session affinity is None");
    }
}

static void check_families(const struct value *spec, struct problems *problems)
{
    static const char *const families[] = {"IPv4", "IPv6", NULL}, *const policies[] = {"PreferDualStack", "RequireDualStack", "SingleStack", NULL};
    const struct value *list = value_get(spec, "ipFamilies");
    const struct place at = place_key(&spec_place, "ipFamilies");
    size_t i = 0;
    EACH (family, list) {
        const struct place family_at = place_index(&at, i++);
        if (!one_of(value_text(family), families))
            problem_unsupported(problems, &family_at, value_text(family), families);
        if (seen_before(list, family, NULL))
            problem_string(problems, &family_at, PROBLEM_DUPLICATE, value_text(family));
    }
    check_choice(problems, spec, &spec_place, "ipFamilyPolicy", policies, false);
}

static void check_address_families(const struct value *spec, struct problems *problems)
{
    const struct value *addresses = value_get(spec, "clusterIPs"), *family = value_first(value_get(spec, "ipFamilies"));
    const struct place at = place_key(&spec_place, "clusterIPs");
    size_t i = 0;
    if (value_length(addresses) > 1 && address_is_v6(value_text(value_first(addresses))) == address_is_v6(value_text(value_item(addresses, 1))))
        problem_add(problems, &at, PROBLEM_INVALID, addresses, "may specify no more than one IP for each IP family");
    if (service_is_headless(spec))
        return;
    for (const struct value *address = value_first(addresses); address != NULL && family != NULL;
         address = value_next(address), family = value_next(family), i++) {
        const struct place address_at = place_index(&at, i);
        bool v6 = address_is_v6(value_text(address));
        if ((strcmp(value_text(family), "IPv4") == 0 && v6) || (strcmp(value_text(family), "IPv6") == 0 && !v6))
            problem_invalid(problems, &address_at, value_text(address), "expected an %s value as indicated by `ipFamilies[%zu]`", value_text(family),
                            i);
    }
}

static void check_cluster_addresses(const struct value *spec, struct problems *problems)
{
    const struct value *addresses = value_get(spec, "clusterIPs"), *first = value_first(addresses);
    const struct place at = place_key(&spec_place, "clusterIPs");
    const char *address = text_of(spec, "clusterIP");
    bool invalid = false;
    size_t i = 0;
    if (service_is(spec, "ExternalName"))
        return;
    if (*address != '\0' && first == NULL)
        problem_required(problems, &at, NULL, NULL);
    else if (*address != '\0' && strcmp(value_text(first), address) != 0)
        problem_add(problems, &at, PROBLEM_INVALID, addresses, "first value must match `clusterIP`");
    else if (*address == '\0' && first != NULL)
        problem_add(problems, &at, PROBLEM_INVALID, addresses, "must be empty when `clusterIP` is not specified");
    check_families(spec, problems);
    EACH (item, addresses) {
        const struct place address_at = place_index(&at, i++);
        if (i == 1 && strcmp(value_text(item), "None") == 0) {
            if (value_next(item) != NULL) {
                invalid = true;
                problem_add(problems, &at, PROBLEM_INVALID, addresses, "'None' must be the first and only value");
            }
            continue;
        }
        invalid = !address_problems(problems, &address_at, value_text(item), NULL) || invalid;
    }
    if (i > 2)
        problem_add(problems, &at, PROBLEM_INVALID, addresses, "may only hold up to 2 values");
    if (!invalid)
        check_address_families(spec, problems);
}

/* Addresses are allocated before anything else is looked at: a request that asks for what cannot be is refused for that alone. */
static void check_allocation(const struct value *object, struct problems *problems)
{
    check_cluster_addresses(value_get(object, "spec"), problems);
}

static void check_external_addresses(const struct value *spec, struct problems *problems)
{
    const struct place at = place_key(&spec_place, "externalIPs");
    size_t i = 0;
    EACH (item, value_get(spec, "externalIPs")) {
        const struct place address_at = place_index(&at, i++);
        if (address_problems(problems, &address_at, value_text(item), NULL))
            address_endpoint_problems(problems, &address_at, value_text(item));
    }
}

static void check_source_ranges(const struct value *object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec"), *ranges = value_get(spec, "loadBalancerSourceRanges");
    const struct place at = place_key(&spec_place, "LoadBalancerSourceRanges"), annotations = place_key(&metadata_place, "annotations");
    const struct place annotation_at = place_map(&annotations, SOURCE_RANGES);
    const char *annotation = annotation_of(object, SOURCE_RANGES);
    size_t i = 0;
    if ((value_first(ranges) != NULL || annotation != NULL) && !service_is(spec, "LoadBalancer"))
        problem_forbidden(problems, value_first(ranges) != NULL ? &at : &annotation_at, NULL, "may only be used when `type` is 'LoadBalancer'");
    EACH (range, ranges) {
        const struct place range_at = place_index(&at, i++);
        char text[128];
        const char *start = value_text(range) + strspn(value_text(range), " \t\r\n");
        snprintf(text, sizeof text, "%.*s", (int)strcspn(start, " \t\r\n"), start);
        cidr_problems(problems, &range_at, text, NULL);
    }
    for (const char *part = value_first(ranges) == NULL && annotation != NULL && *annotation != '\0' ? annotation : NULL; part != NULL;) {
        char text[128];
        part += strspn(part, " \t\r\n");
        snprintf(text, sizeof text, "%.*s", (int)strcspn(part, ", \t\r\n"), part);
        cidr_problems(problems, &annotation_at, text, NULL);
        part = strchr(part, ',') != NULL ? strchr(part, ',') + 1 : NULL;
    }
}

static void check_traffic(const struct value *spec, struct problems *problems)
{
    static const char *const policies[] = {"Cluster", "Local", NULL}, *const distributions[] = {"PreferClose", "PreferSameZone", "PreferSameNode",
                                                                                                NULL};
    const struct place external = place_key(&spec_place, "externalTrafficPolicy"), health = place_key(&spec_place, "healthCheckNodePort");
    bool needs_policy = service_is(spec, "NodePort") || service_is(spec, "LoadBalancer") || service_is(spec, "ClusterIP");
    if (service_is_external(spec))
        check_choice(problems, spec, &spec_place, "externalTrafficPolicy", policies, true);
    else if (*text_of(spec, "externalTrafficPolicy") != '\0')
        problem_invalid(problems, &external, text_of(spec, "externalTrafficPolicy"), "may only be set for externally-accessible services");
    int64_t port = int_of(spec, "healthCheckNodePort", 0);
    if (!service_wants_health_check(spec) && port != 0)
        problem_number(problems, &health, port, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
    else if (service_wants_health_check(spec) && port != 0)
        check_port_number(problems, spec, &spec_place, "healthCheckNodePort");
    check_choice(problems, spec, &spec_place, "internalTrafficPolicy", policies, needs_policy && !has(spec, "internalTrafficPolicy"));
    check_choice(problems, spec, &spec_place, "trafficDistribution", distributions, false);
}

static void check_balancer_class(const struct value *spec, struct problems *problems)
{
    if (!has(spec, "loadBalancerClass"))
        return;
    if (service_is(spec, "LoadBalancer"))
        name_problems_of(problems, &spec_place, "loadBalancerClass", text_of(spec, "loadBalancerClass"), name_qualified);
    else
        problem_forbidden(problems, &spec_place, "loadBalancerClass", "may only be used when `type` is 'LoadBalancer'");
}

static void check_service(const struct value *object, struct problems *problems)
{
    static const char *const service_types[] = {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort", NULL};
    const struct value *spec = value_get(object, "spec");
    const struct place annotations = place_key(&metadata_place, "annotations"), mode = place_map(&annotations, TOPOLOGY_MODE),
                       selector = place_key(&spec_place, "selector");
    const char *hints = annotation_of(object, HINTS), *topology = annotation_of(object, TOPOLOGY_MODE);
    if (hints != NULL && topology != NULL && strcmp(hints, topology) != 0)
        problem_invalid(problems, &mode, topology, "must match annotations[" HINTS "] when both are specified");
    if (value_first(value_get(spec, "ports")) == NULL && !service_is_headless(spec) && !service_is(spec, "ExternalName"))
        problem_required(problems, &spec_place, "ports", NULL);
    check_type(spec, problems);
    check_ports(spec, problems);
    check_labels(problems, value_get(spec, "selector"), &selector);
    check_affinity(spec, problems);
    check_external_addresses(spec, problems);
    check_choice(problems, spec, &spec_place, "type", service_types, true);
    check_port_sets(spec, problems);
    check_source_ranges(object, problems);
    if (has(spec, "allocateLoadBalancerNodePorts") && !service_is(spec, "LoadBalancer"))
        problem_forbidden(problems, &spec_place, "allocateLoadBalancerNodePorts", "may only be used when `type` is 'LoadBalancer'");
    check_balancer_class(spec, problems);
    check_traffic(spec, problems);
}

static void check_address_changes(const struct value *spec, const struct value *old, struct problems *problems)
{
    const struct value *now = value_get(spec, "clusterIPs"), *before = value_get(old, "clusterIPs");
    const struct place at = place_key(&spec_place, "clusterIPs"), first_at = place_index(&at, 0);
    size_t i = 0;
    if (service_is(spec, "ExternalName") || service_is(old, "ExternalName") || (service_is_headless(spec) && service_is_headless(old)))
        return;
    if (value_length(now) == value_length(before)) {
        for (const struct value *a = value_first(now), *b = value_first(before); a != NULL; a = value_next(a), b = value_next(b), i++) {
            const struct place address_at = place_index(&at, i);
            if (!value_equal(a, b))
                problem_add(problems, &address_at, PROBLEM_INVALID, now, "may not change once set");
        }
    } else if (value_first(now) == NULL) {
        problem_text(problems, &first_at, PROBLEM_INVALID, "null", "primary clusterIP can not be unset");
    } else if (value_first(before) != NULL && !value_equal(value_first(now), value_first(before))) {
        problem_add(problems, &first_at, PROBLEM_INVALID, now, "may not change once set");
    }
}

static void check_family_changes(const struct value *spec, const struct value *old, struct problems *problems)
{
    const struct value *now = value_get(spec, "ipFamilies"), *before = value_get(old, "ipFamilies");
    const struct place at = place_key(&spec_place, "ipFamilies"), first = place_index(&at, 0);
    if (service_is(spec, "ExternalName") || service_is(old, "ExternalName") || service_is_headless(spec) || service_is_headless(old))
        return;
    if (value_first(now) != NULL && value_first(before) != NULL && !value_equal(value_first(now), value_first(before)))
        problem_add(problems, &first, PROBLEM_INVALID, value_length(now) == value_length(before) ? now : value_get(spec, "clusterIPs"),
                    "may not change once set");
}

static void validate_update(const struct value *object, const struct value *old_object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec"), *old = value_get(old_object, "spec");
    const struct place class_at = place_key(&spec_place, "loadBalancerClass");
    check_address_changes(spec, old, problems);
    check_family_changes(spec, old, problems);
    if (service_is(spec, "LoadBalancer") && service_is(old, "LoadBalancer") && !same_at(spec, old, "loadBalancerClass"))
        problem_add(problems, &class_at, PROBLEM_INVALID, value_get(spec, "loadBalancerClass"), "may not change once set");
    if (service_wants_health_check(spec) && service_wants_health_check(old) && !same_at(spec, old, "healthCheckNodePort"))
        problem_forbidden(problems, &spec_place, "healthCheckNodePort", "field is immutable");
    check_service(object, problems);
}

static void check_ingress_host(struct problems *problems, const struct value *ingress, const struct place *place)
{
    const struct place at = place_key(place, "hostname");
    const char *name = text_of(ingress, "hostname");
    struct address address;
    if (*name == '\0')
        return;
    name_problems(problems, &at, name, name_subdomain(name));
    if (address_read(name, &address))
        problem_invalid(problems, &at, name, "must be a DNS name, not an IP address");
}

static void validate_status(const struct value *object, const struct value *old, struct problems *problems)
{
    static const char *const modes[] = {"Proxy", "VIP", NULL};
    const struct value *list = value_find(object, "status", "loadBalancer", "ingress", NULL);
    const struct place balancer = place_key(&status_place, "loadBalancer"), all = place_key(&balancer, "ingress");
    size_t i = 0;
    (void)old;
    if (!service_is(value_get(object, "spec"), "LoadBalancer") && value_first(list) != NULL) {
        problem_forbidden(problems, &all, NULL, "may only be used when `spec.type` is 'LoadBalancer'");
        return;
    }
    EACH (ingress, list) {
        const struct place at = place_index(&all, i++), ip_at = place_key(&at, "ip"), mode = place_key(&at, "ipMode");
        const char *ip = text_of(ingress, "ip");
        if (*ip != '\0')
            address_problems(problems, &ip_at, ip, NULL);
        if (!has(ingress, "ipMode")) {
            if (*ip != '\0')
                problem_required(problems, &mode, NULL, "must be specified when `ip` is set");
        } else if (*ip == '\0') {
            problem_forbidden(problems, &mode, NULL, "may not be specified when `ip` is not set");
        } else if (!one_of(text_of(ingress, "ipMode"), modes)) {
            problem_unsupported(problems, &mode, text_of(ingress, "ipMode"), modes);
        }
        check_ingress_host(problems, ingress, &at);
    }
}

static void say(struct vec *warnings, const char *text)
{
    bool kept = vec_push_string(warnings, text);
    (void)kept; /* a warning less is no reason to fail */
}

static void warn_addresses(const struct value *list, const char *key, struct vec *warnings)
{
    const struct place all = place_key(&spec_place, key);
    size_t i = 0;
    EACH (item, list) {
        const struct place at = place_index(&all, i++);
        address_warn(warnings, &at, value_text(item));
    }
}

static void warn(const struct value *object, const struct value *old, struct vec *warnings)
{
    const struct value *spec = value_get(object, "spec");
    bool headless = service_is(spec, "ClusterIP") && text_is(spec, "clusterIP", "None"), external = value_first(value_get(spec, "externalIPs")) != NULL;
    const struct place balancer = place_key(&spec_place, "loadBalancerIP"), ranges = place_key(&spec_place, "loadBalancerSourceRanges");
    size_t i = 0;
    (void)old;
    if (annotation_of(object, HINTS) != NULL)
        say(warnings, "annotation " HINTS " is deprecated, please use " TOPOLOGY_MODE " instead");
    if (*text_of(spec, "clusterIP") != '\0' && !text_is(spec, "clusterIP", "None"))
        warn_addresses(value_get(spec, "clusterIPs"), "clusterIPs", warnings);
    if (headless && *text_of(spec, "loadBalancerIP") != '\0')
        say(warnings, "spec.loadBalancerIP is ignored for headless services");
    if (headless && external)
        say(warnings, "spec.externalIPs is ignored for headless services");
    if (headless && !text_is(spec, "sessionAffinity", "None"))
        say(warnings, "spec.SessionAffinity is ignored for headless services");
    warn_addresses(value_get(spec, "externalIPs"), "externalIPs", warnings);
    if (external && !headless && !service_is(spec, "ExternalName"))
        say(warnings, "spec.externalIPs is deprecated and may no longer be implemented in some clusters");
    if (*text_of(spec, "loadBalancerIP") != '\0')
        address_warn(warnings, &balancer, text_of(spec, "loadBalancerIP"));
    EACH (range, value_get(spec, "loadBalancerSourceRanges")) {
        const struct place at = place_index(&ranges, i++);
        cidr_warn(warnings, &at, value_text(range));
    }
    if (service_is(spec, "ExternalName") && external)
        say(warnings, "spec.externalIPs is ignored when spec.type is \"ExternalName\"");
    if (!service_is(spec, "ExternalName") && *text_of(spec, "externalName") != '\0')
        say(warnings, "spec.externalName is ignored when spec.type is not \"ExternalName\"");
    if (text_is(spec, "trafficDistribution", "PreferClose"))
        say(warnings, "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
}

static const char *const selectors[] = {"spec.clusterIP", "spec.type", NULL};

const struct rules service_rules[] = {
    {.group = "", .kind = "Service", .flags = RULES_STATUS | RULES_CREATE_BY_UPDATE, .defaults = service_defaults,
     .prepare_create = service_prepare_create, .prepare_update = service_prepare_update, .check_name = check_label_name, .validate_first = check_allocation, .validate_create = check_service, .validate_update = validate_update,
     .validate_status = validate_status, .warn = warn, .selectors = selectors},
    {0},
};
