/* allocate: the addresses and node ports of Services, given out so that no two have the same. What is taken is read from the Services themselves:
 * there is no second book that could disagree. Addresses stand in their index, node ports are looked for in the texts of those Services that have
 * any.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "practice/api/verbs.h"

/* 10.96.0.0/16, as kubeadm has it; its lowest 256 addresses are left to those who ask for one. */
enum { RANGE_FIRST = 0x0a600000, RANGE_SIZE = 0x10000, RANGE_KEPT = 256, PORT_FIRST = 30000, PORT_LAST = 32767, ADDRESS_TEXT = 16, ATTEMPTS = 64 };

struct allocation {
    struct write *write;
    struct value *spec;
    const struct value *old; /* the old spec; NULL: creation */
    struct problems problems;
    const struct place *place; /* "spec" */
};

/* The Service's field that the index has at `number`. */
static const char *field_at(const struct object *object, unsigned number)
{
    const char *field = object->fields;
    if (number >= object->field_count)
        return "";
    while (number-- > 0)
        field += strlen(field) + 1;
    return field;
}

static unsigned field_number(const struct write *write, const char *selector)
{
    unsigned number = 0;
    const char *const *selectors = write->rules->selectors;
    while (selectors != NULL && selectors[number] != NULL && strcmp(selectors[number], selector) != 0)
        number++;
    return number;
}

static const struct object *next_service(const struct write *write, const struct object *after)
{
    return after == NULL ? state_next(write->api->state, write->resource, NULL, NULL, NULL)
                         : state_next(write->api->state, write->resource, NULL, after->ns, after->name);
}

static bool is_other(const struct write *write, const struct object *object)
{
    return write->old == NULL || strcmp(object->uid, write->old->uid) != 0;
}

static bool address_is_taken(const struct write *write, const char *address)
{
    unsigned number = field_number(write, "spec.clusterIP");
    for (const struct object *object = next_service(write, NULL); object != NULL; object = next_service(write, object))
        if (is_other(write, object) && strcmp(field_at(object, number), address) == 0)
            return true;
    return false;
}

/* `"nodePort":30080` or the port of health checks, in a text. */
static bool text_has_port(const char *text, const char *key, int port)
{
    char wanted[64];
    int length = snprintf(wanted, sizeof wanted, "\"%s\":%d", key, port);
    for (const char *at = strstr(text, wanted); at != NULL; at = strstr(at + 1, wanted))
        if (at[length] < '0' || at[length] > '9')
            return true;
    return false;
}

static bool port_is_taken(const struct write *write, int port)
{
    unsigned number = field_number(write, "spec.type");
    for (const struct object *object = next_service(write, NULL); object != NULL; object = next_service(write, object)) {
        const char *type = field_at(object, number);
        bool has_ports = strcmp(type, "NodePort") == 0 || strcmp(type, "LoadBalancer") == 0;
        if (has_ports && is_other(write, object) &&
            (text_has_port(object->text, "nodePort", port) || text_has_port(object->text, "healthCheckNodePort", port)))
            return true;
    }
    return false;
}

/* A number below `size`; after many vain attempts the first that is free from there on. */
static unsigned random_below(unsigned size)
{
    unsigned random = 0;
    return getrandom(&random, sizeof random, 0) == (ssize_t)sizeof random ? random % size : 0;
}

static bool put_address(struct allocation *allocation, const char *address)
{
    struct value *list = value_array();
    if (list == NULL || !value_append(list, value_string(address))) {
        value_free(list);
        return write_no_memory(allocation->write);
    }
    return (value_set(allocation->spec, "clusterIP", value_string(address)) && value_set(allocation->spec, "clusterIPs", list)) ||
           write_no_memory(allocation->write);
}

static bool give_address(struct allocation *allocation)
{
    char address[ADDRESS_TEXT];
    unsigned at = RANGE_KEPT + random_below(RANGE_SIZE - RANGE_KEPT - 1);
    for (unsigned i = 0; i < RANGE_SIZE;
         i++, at = i < ATTEMPTS ? RANGE_KEPT + random_below(RANGE_SIZE - RANGE_KEPT - 1) : at % (RANGE_SIZE - 2) + 1) {
        unsigned number = RANGE_FIRST + at;
        snprintf(address, sizeof address, "%u.%u.%u.%u", number >> 24, number >> 16 & 255, number >> 8 & 255, number & 255);
        if (!address_is_taken(allocation->write, address))
            return put_address(allocation, address);
    }
    return status_set(FAILURE(allocation->write), 500, "InternalError", "Internal error occurred: failed to allocate a serviceIP: range is full");
}

static bool in_range(const char *address)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    char end = '\0';
    return sscanf(address, "%3u.%3u.%3u.%3u%c", &a, &b, &c, &d, &end) == 4 && a == RANGE_FIRST >> 24 && b == (RANGE_FIRST >> 16 & 255) && c < 256 &&
           d < 256;
}

/* One that was asked for. What is no address at all is validation's to refuse. */
static void check_address(struct allocation *allocation, const char *address)
{
    const struct value *list = value_get(allocation->spec, "clusterIPs");
    const struct place at = place_key(allocation->place, "clusterIPs");
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (sscanf(address, "%3u.%3u.%3u.%3u", &a, &b, &c, &d) != 4)
        return;
    if (!in_range(address))
        problem_add(&allocation->problems, &at, PROBLEM_INVALID, list,
                    "failed to allocate IP %s: the provided network does not match the current range", address);
    else if (address_is_taken(allocation->write, address))
        problem_add(&allocation->problems, &at, PROBLEM_INVALID, list, "failed to allocate IP %s: provided IP is already allocated", address);
}

/* This cluster speaks IPv4 alone. */
static void check_families(struct allocation *allocation)
{
    const struct place policy_at = place_key(allocation->place, "ipFamilyPolicy"), families_at = place_key(allocation->place, "ipFamilies");
    const char *policy = value_find_text(allocation->spec, "ipFamilyPolicy", NULL), *address = value_find_text(allocation->spec, "clusterIP", NULL);
    bool headless = address != NULL && strcmp(address, "None") == 0 && value_first(value_get(allocation->spec, "selector")) == NULL;
    size_t index = 0;
    if (headless) /* whoever writes its endpoints decides */
        return;
    for (const struct value *family = value_first(value_get(allocation->spec, "ipFamilies")); family != NULL; family = value_next(family), index++) {
        const struct place at = place_index(&families_at, index);
        if (value_text(family) != NULL && strcmp(value_text(family), "IPv6") == 0)
            problem_invalid(&allocation->problems, &at, "IPv6", "not configured on this cluster");
    }
    if (policy != NULL && strcmp(policy, "RequireDualStack") == 0)
        problem_invalid(&allocation->problems, &policy_at, policy, "this cluster is not configured for dual-stack services");
}

static int64_t port_of(const struct value *port, const char *key)
{
    return value_find_int(port, 0, key, NULL);
}

static bool old_has(const struct allocation *allocation, int64_t number)
{
    for (const struct value *port = value_first(value_get(allocation->old, "ports")); port != NULL; port = value_next(port))
        if (port_of(port, "nodePort") == number)
            return true;
    return port_of(allocation->old, "healthCheckNodePort") == number;
}

/* Another port of the same Service before `upto` has the number; with another protocol it may. */
static bool own_has(const struct allocation *allocation, int64_t number, const struct value *upto)
{
    const char *protocol = value_find_text(upto, "protocol", NULL);
    for (const struct value *port = value_first(value_get(allocation->spec, "ports")); port != NULL && port != upto; port = value_next(port)) {
        const char *other = value_find_text(port, "protocol", NULL);
        if (port_of(port, "nodePort") == number && (protocol == NULL || other == NULL || strcmp(protocol, other) == 0))
            return true;
    }
    return false;
}

/* 0: all are taken. */
static int free_port(struct allocation *allocation)
{
    enum { COUNT = PORT_LAST - PORT_FIRST + 1 };
    int at = (int)random_below(COUNT);
    for (int i = 0; i < COUNT; i++, at = i < ATTEMPTS ? (int)random_below(COUNT) : (at + 1) % COUNT)
        if (!port_is_taken(allocation->write, PORT_FIRST + at) && !own_has(allocation, PORT_FIRST + at, NULL))
            return PORT_FIRST + at;
    return 0;
}

static bool give_port(struct allocation *allocation, struct value *to, const char *key)
{
    int number = free_port(allocation);
    if (number == 0)
        return status_set(FAILURE(allocation->write), 500, "InternalError", "Internal error occurred: failed to allocate a nodePort: range is full");
    return value_set(to, key, value_int(number)) || write_no_memory(allocation->write);
}

static void check_port(struct allocation *allocation, const struct value *port, const struct place *place)
{
    const struct place at = place_key(place, "nodePort");
    int64_t number = port_of(port, "nodePort");
    if (old_has(allocation, number))
        return;
    if (number < PORT_FIRST || number > PORT_LAST)
        problem_add(&allocation->problems, &at, PROBLEM_INVALID, value_get(port, "nodePort"),
                    "provided port is not in the valid range. The range of valid ports is %d-%d", PORT_FIRST, PORT_LAST);
    else if (port_is_taken(allocation->write, (int)number) || own_has(allocation, number, port))
        problem_add(&allocation->problems, &at, PROBLEM_INVALID, value_get(port, "nodePort"), "provided port is already allocated");
}

/* The same port with another protocol shares the number. */
static bool share_port(struct allocation *allocation, struct value *port)
{
    for (const struct value *other = value_first(value_get(allocation->spec, "ports")); other != NULL; other = value_next(other))
        if (other != port && port_of(other, "port") == port_of(port, "port") && port_of(other, "nodePort") != 0)
            return value_set(port, "nodePort", value_int(port_of(other, "nodePort")));
    return false;
}

static bool allocate_ports(struct allocation *allocation, const char *type)
{
    bool balancer = strcmp(type, "LoadBalancer") == 0;
    const struct value *wish = value_get(allocation->spec, "allocateLoadBalancerNodePorts");
    const char *policy = value_find_text(allocation->spec, "externalTrafficPolicy", NULL);
    const struct place list = place_key(allocation->place, "ports");
    size_t index = 0;
    if (!balancer && strcmp(type, "NodePort") != 0)
        return true;
    for (struct value *port = value_first(value_get(allocation->spec, "ports")); port != NULL; port = value_next(port), index++) {
        const struct place at = place_index(&list, index);
        if (port_of(port, "nodePort") != 0)
            check_port(allocation, port, &at);
        else if ((!balancer || wish == NULL || value_is_true(wish)) && !share_port(allocation, port) && !give_port(allocation, port, "nodePort"))
            return false;
    }
    if (balancer && policy != NULL && strcmp(policy, "Local") == 0 && port_of(allocation->spec, "healthCheckNodePort") == 0)
        return give_port(allocation, allocation->spec, "healthCheckNodePort");
    return true;
}

static bool allocate(struct allocation *allocation, const char *type)
{
    const char *address = value_find_text(allocation->spec, "clusterIP", NULL), *before = value_find_text(allocation->old, "clusterIP", NULL);
    check_families(allocation);
    if (allocation->problems.list.length > 0)
        return true;
    if (address == NULL || address[0] == '\0') {
        if (!give_address(allocation))
            return false;
    } else if (strcmp(address, "None") != 0 && (before == NULL || before[0] == '\0')) {
        check_address(allocation, address);
    }
    return allocation->problems.list.length > 0 || allocate_ports(allocation, type);
}

bool service_allocate(struct write *write, struct value *service, const struct value *old)
{
    const struct place root = PLACE_ROOT, place = place_key(&root, "spec");
    struct allocation allocation = {
        .write = write, .spec = value_get(service, "spec"), .old = value_get(old, "spec"), .problems = problems_make(), .place = &place};
    const char *type = value_find_text(allocation.spec, "type", NULL);
    if (allocation.spec == NULL || type == NULL || strcmp(type, "ExternalName") == 0 || strcmp(write->kind->plural, "services") != 0 ||
        write->kind->group[0] != '\0')
        return true;
    bool fine = allocate(&allocation, type);
    if (fine && !problems_none(&allocation.problems))
        fine = status_invalid(FAILURE(write), write->kind, value_find_text(service, "metadata", "name", NULL), &allocation.problems);
    problems_free(&allocation.problems);
    return fine;
}
