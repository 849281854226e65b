/* Endpoints and EndpointSlices. */
#include <string.h>

#include "base/mem.h"
#include "practice/schema/addresses.h"
#include "practice/schema/rules_internal.h"

enum { ENDPOINTS_MOST = 1000, PORTS_MOST = 20000, ADDRESSES_MOST = 100, HINTS_MOST = 8, TOPOLOGY_MOST = 16 };

/* Endpoints */
static bool endpoints_defaults(struct value *object)
{
    EACH_OF (subset, value_get(object, "subsets"))
        EACH_OF (port, value_get(subset, "ports"))
            if (!default_text(port, "protocol", "TCP"))
                return false;
    return true;
}

static void check_address(const struct value *address, const struct place *place, struct problems *problems)
{
    const struct place ip = place_key(place, "ip");
    address_problems(problems, &ip, text_of(address, "ip"), NULL);
    check_name(problems, address, place, "hostname", name_label, false);
    if (has(address, "nodeName"))
        name_problems_of(problems, place, "nodeName", text_of(address, "nodeName"), name_subdomain);
    address_endpoint_problems(problems, &ip, text_of(address, "ip"));
}

static void check_ports(const struct value *ports, const struct place *place, struct problems *problems)
{
    bool several = value_length(ports) > 1;
    size_t i = 0;
    EACH (port, ports) {
        const struct place at = place_index(place, i++);
        check_name(problems, port, &at, "name", name_label, several);
        check_port_number(problems, port, &at, "port");
        check_protocol(problems, port, &at, "protocol");
        if (has(port, "appProtocol"))
            name_problems_of(problems, &at, "appProtocol", text_of(port, "appProtocol"), name_qualified);
    }
}

static void validate_endpoints(const struct value *object, struct problems *problems)
{
    static const char *const lists[] = {"addresses", "notReadyAddresses", NULL};
    const struct place all = place_key(NULL, "subsets");
    size_t i = 0;
    EACH (subset, value_get(object, "subsets")) {
        const struct place at = place_index(&all, i++), ports = place_key(&at, "ports");
        if (value_first(value_get(subset, "addresses")) == NULL && value_first(value_get(subset, "notReadyAddresses")) == NULL)
            problem_required(problems, &at, NULL, "must specify `addresses` or `notReadyAddresses`");
        for (size_t k = 0; lists[k] != NULL; k++) {
            const struct place list = place_key(&at, lists[k]);
            size_t a = 0;
            EACH (address, value_get(subset, lists[k])) {
                const struct place address_at = place_index(&list, a++);
                check_address(address, &address_at, problems);
            }
        }
        check_ports(value_get(subset, "ports"), &ports, problems);
    }
}

static void warn_endpoints(const struct value *object, const struct value *old, struct vec *warnings)
{
    static const char *const lists[] = {"addresses", "notReadyAddresses", NULL};
    const struct place all = place_key(NULL, "subsets");
    size_t i = 0;
    (void)old;
    EACH (subset, value_get(object, "subsets")) {
        const struct place at = place_index(&all, i++);
        for (size_t k = 0; lists[k] != NULL; k++) {
            const struct place list = place_key(&at, lists[k]);
            size_t a = 0;
            EACH (address, value_get(subset, lists[k])) {
                const struct place address_at = place_index(&list, a++), ip = place_key(&address_at, "ip");
                address_warn(warnings, &ip, text_of(address, "ip"));
            }
        }
    }
}

/* EndpointSlice */
static bool slice_defaults(struct value *object)
{
    EACH_OF (port, value_get(object, "ports"))
        if ((!has(port, "name") && !put_text(port, "name", "")) || !default_text(port, "protocol", "TCP"))
            return false;
    return true;
}

static void check_domain(const char *text, const struct place *place, struct problems *problems)
{
    char *name = mem_string(text);
    if (name == NULL) {
        problems->failed = true;
        return;
    }
    size_t length = strlen(name);
    if (length > 1 && name[length - 1] == '.')
        name[length - 1] = '\0';
    if (*name == '\0')
        problem_required(problems, place, NULL, NULL);
    else if (!name_problems(problems, place, name, name_subdomain(name)))
        ;
    else if (strchr(name, '.') == NULL)
        problem_invalid(problems, place, name, "should be a domain with at least two segments separated by dots");
    mem_free(name);
}

static void check_slice_address(const char *type, const char *address, const struct place *list, const struct place *at, struct problems *problems)
{
    if (strcmp(type, "FQDN") == 0) {
        check_domain(address, at, problems);
        return;
    }
    bool v6 = strcmp(type, "IPv6") == 0;
    if (!v6 && strcmp(type, "IPv4") != 0)
        return;
    if (v6 ? !address_problems_strict(problems, at, address) : !address_problems(problems, at, address, NULL))
        return;
    if (address_is_v6(address) != v6)
        problem_invalid(problems, list, address, "must be an %s address", type);
    address_endpoint_problems(problems, at, address);
}

static void check_hints(const struct value *hints, const struct place *place, struct problems *problems)
{
    static const char *const kinds[] = {"forZones", "forNodes", NULL};
    for (size_t k = 0; kinds[k] != NULL; k++) {
        const struct value *list = value_get(hints, kinds[k]);
        const struct place all = place_key(place, kinds[k]);
        size_t i = 0;
        if (value_length(list) > HINTS_MOST) {
            problem_too_many(problems, &all, value_length(list), HINTS_MOST);
            return;
        }
        EACH (hint, list) {
            const struct place at = place_index(&all, i++), name = place_key(&at, "name");
            const char *text = text_of(hint, "name");
            if (seen_before(list, hint, "name"))
                problem_string(problems, &name, PROBLEM_DUPLICATE, text);
            name_problems(problems, &name, text, k == 0 ? name_label_value(text) : name_subdomain(text));
        }
    }
}

static void check_endpoints(const struct value *object, struct problems *problems)
{
    const struct value *endpoints = value_get(object, "endpoints");
    const struct place all = place_key(NULL, "endpoints");
    size_t i = 0;
    if (value_length(endpoints) > ENDPOINTS_MOST) {
        problem_too_many(problems, &all, value_length(endpoints), ENDPOINTS_MOST);
        return;
    }
    EACH (endpoint, endpoints) {
        const struct place at = place_index(&all, i++), addresses = place_key(&at, "addresses"), topology = place_key(&at, "deprecatedTopology"),
                           hints = place_key(&at, "hints");
        size_t a = 0;
        EACH (address, value_get(endpoint, "addresses")) {
            const struct place address_at = place_index(&addresses, a++);
            check_slice_address(text_of(object, "addressType"), value_text(address), &addresses, &address_at, problems);
        }
        if (has(endpoint, "nodeName"))
            name_problems_of(problems, &at, "nodeName", text_of(endpoint, "nodeName"), name_subdomain);
        if (value_length(value_get(endpoint, "deprecatedTopology")) > TOPOLOGY_MOST)
            problem_too_many(problems, &topology, value_length(value_get(endpoint, "deprecatedTopology")), TOPOLOGY_MOST);
        check_labels(problems, value_get(endpoint, "deprecatedTopology"), &topology);
        if (has(endpoint, "hostname"))
            name_problems_of(problems, &at, "hostname", text_of(endpoint, "hostname"), name_label);
        check_hints(value_get(endpoint, "hints"), &hints, problems);
    }
}

static void check_slice_ports(const struct value *ports, struct problems *problems)
{
    const struct place all = place_key(NULL, "ports");
    size_t i = 0;
    if (value_length(ports) > PORTS_MOST) {
        problem_too_many(problems, &all, value_length(ports), PORTS_MOST);
        return;
    }
    EACH (port, ports) {
        const struct place at = place_index(&all, i++), name = place_key(&at, "name");
        check_name(problems, port, &at, "name", name_label, false);
        if (seen_before(ports, port, "name"))
            problem_string(problems, &name, PROBLEM_DUPLICATE, text_of(port, "name"));
        check_protocol(problems, port, &at, "protocol");
        if (has(port, "appProtocol"))
            name_problems_of(problems, &at, "appProtocol", text_of(port, "appProtocol"), name_qualified);
    }
}

/* What the server's newer rules tell, after everything else. */
static void check_slice_last(const struct value *object, struct problems *problems)
{
    static const char *const address_types[] = {"FQDN", "IPv4", "IPv6", NULL};
    const struct place type = place_key(NULL, "addressType"), all = place_key(NULL, "endpoints");
    size_t i = 0;
    if (*text_of(object, "addressType") == '\0')
        problem_required(problems, &type, NULL, NULL);
    else if (!one_of(text_of(object, "addressType"), address_types))
        problem_unsupported(problems, &type, text_of(object, "addressType"), address_types);
    EACH (endpoint, value_get(object, "endpoints")) {
        const struct place at = place_index(&all, i++), addresses = place_key(&at, "addresses");
        size_t count = value_length(value_get(endpoint, "addresses"));
        if (count == 0)
            problem_required(problems, &addresses, NULL, NULL);
        else if (count > ADDRESSES_MOST)
            problem_too_many(problems, &addresses, count, ADDRESSES_MOST);
    }
}

static void slice_create(const struct value *object, struct problems *problems)
{
    check_slice_ports(value_get(object, "ports"), problems);
    check_endpoints(object, problems);
    check_slice_last(object, problems);
}

/* Endpoints that stay as they are need no check. */
static void slice_update(const struct value *object, const struct value *old, struct problems *problems)
{
    check_slice_ports(value_get(object, "ports"), problems);
    if (!same_at(object, old, "endpoints"))
        check_endpoints(object, problems);
    check_slice_last(object, problems);
    check_unchanged(problems, object, old, NULL, "addressType");
}

static bool prepare_slice(struct value *object)
{
    return put_generation(object, 1);
}

/* Labels count, too. */
static bool prepare_slice_update(struct value *object, const struct value *old)
{
    bool changed = !same_at(value_get(object, "metadata"), value_get(old, "metadata"), "labels") || !same_at(object, old, "endpoints") ||
                   !same_at(object, old, "ports") || !same_at(object, old, "addressType");
    return put_generation(object, value_find_int(old, 0, "metadata", "generation", NULL) + changed);
}

static void warn_slice(const struct value *object, const struct value *old, struct vec *warnings)
{
    const struct place all = place_key(NULL, "endpoints");
    size_t i = 0;
    const struct place spec = place_key(NULL, "spec"), type = place_key(&spec, "addressType");
    if (old == NULL && text_is(object, "addressType", "FQDN"))
        warning_at(warnings, &type, "FQDN endpoints are deprecated");
    EACH (endpoint, text_is(object, "addressType", "FQDN") ? NULL : value_get(object, "endpoints")) {
        const struct place at = place_index(&all, i++), addresses = place_key(&at, "addresses");
        size_t a = 0;
        EACH (address, value_get(endpoint, "addresses")) {
            const struct place address_at = place_index(&addresses, a++);
            address_warn(warnings, &address_at, value_text(address));
        }
    }
}

const struct rules endpoint_rules[] = {
    {.group = "",
     .kind = "Endpoints",
     .flags = RULES_CREATE_BY_UPDATE,
     .defaults = endpoints_defaults,
     .validate = validate_endpoints,
     .warn = warn_endpoints},
    {.group = "discovery.k8s.io",
     .kind = "EndpointSlice",
     .defaults = slice_defaults,
     .prepare_create = prepare_slice,
     .prepare_update = prepare_slice_update,
     .validate_create = slice_create,
     .validate_update = slice_update,
     .warn = warn_slice},
    {0},
};
