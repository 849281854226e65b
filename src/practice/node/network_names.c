/* network_names: what the cluster's DNS says (CoreDNS' kubernetes plug-in, `pods insecure`). A name that has others below it is
 * there, without data of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/node/network_internal.h"

enum { LABELS = 8 };

/* A name in labels, from its end: what stands before the domain is parts[count-1] ... parts[0]. */
struct name {
    char text[NETWORK_NAME];
    char *parts[LABELS];
    size_t count;
};

static bool lower(const char *from, char out[static NETWORK_NAME])
{
    size_t length = strlen(from);
    if (length == 0 || length >= NETWORK_NAME)
        return false;
    for (size_t i = 0; i <= length; i++)
        out[i] = (char)(from[i] >= 'A' && from[i] <= 'Z' ? from[i] - 'A' + 'a' : from[i]);
    return true;
}

/* Cuts ".suffix" off and takes the rest apart. False: it does not end so, or has too many labels. */
static bool take_apart(struct name *name, const char *suffix)
{
    size_t length = strlen(name->text), end = strlen(suffix);
    name->count = 0;
    if (length == end)
        return strcmp(name->text, suffix) == 0;
    if (length < end + 2 || name->text[length - end - 1] != '.' || strcmp(name->text + length - end, suffix) != 0)
        return false;
    name->text[length - end - 1] = '\0';
    for (char *at = name->text; at != NULL;) {
        if (name->count == LABELS || *at == '\0' || *at == '.')
            return false;
        name->parts[name->count++] = at;
        if ((at = strchr(at, '.')) != NULL)
            *at++ = '\0';
    }
    return true;
}

static enum network_answer say(struct vec *records, const char *text)
{
    return vec_push_string(records, text) ? NETWORK_FOUND : NETWORK_NO_DATA;
}

static bool is_of_type(const char *ip, enum network_type type)
{
    return type == (address_is_v6(ip) ? NETWORK_AAAA : NETWORK_A);
}

static void dashed(const char *ip, char out[static NETWORK_ADDRESS])
{
    size_t length = strlen(ip) < NETWORK_ADDRESS ? strlen(ip) : NETWORK_ADDRESS - 1;
    memcpy(out, ip, length);
    out[length] = '\0';
    for (char *at = out; *at != '\0'; at++)
        if (*at == '.' || *at == ':')
            *at = '-';
}

static bool is_called(const struct net_endpoint *endpoint, const char *ip, const char *label)
{
    char name[NETWORK_ADDRESS];
    if (endpoint->hostname[0] != '\0')
        return strcmp(endpoint->hostname, label) == 0;
    dashed(ip, name);
    return strcmp(name, label) == 0;
}

/* The endpoints' addresses of a headless Service, or of one of its Pods. */
static enum network_answer endpoint_addresses(const struct net_service *service, const char *only, enum network_type type,
                                              struct vec *records)
{
    bool there = only == NULL;
    for (size_t s = 0; s < service->slices.length; s++) {
        const struct net_slice *slice = service->slices.items[s];
        for (size_t e = 0; e < slice->endpoints.length; e++) {
            const struct net_endpoint *endpoint = slice->endpoints.items[e];
            const char *ip = endpoint->ready && endpoint->addresses.length > 0 ? endpoint->addresses.items[0] : NULL;
            if (ip == NULL || (only != NULL && !is_called(endpoint, ip, only)))
                continue;
            there = true;
            if (is_of_type(ip, type) && !vec_push_string(records, ip))
                return NETWORK_NO_DATA;
        }
    }
    /* CoreDNS answers NXDOMAIN for a headless Service without ready endpoints */
    return records->length > 0 ? NETWORK_FOUND : there && only != NULL ? NETWORK_NO_DATA : NETWORK_NO_NAME;
}

static enum network_answer service_ports(const struct net_service *service, const char *port_name, bool udp, bool all,
                                         struct vec *records)
{
    for (size_t i = 0; i < service->ports.length; i++) {
        const struct net_port *port = service->ports.items[i];
        if (!all && (port->udp != udp || strcmp(port->name, port_name) != 0))
            continue;
        if (!service->headless) {
            char *record = mem_printf("0 100 %u %s.%s.svc." NETWORK_DOMAIN, port->port, service->name, service->ns);
            bool whole = record != NULL && vec_push_string(records, record);
            mem_free(record);
            if (!whole)
                return NETWORK_NO_DATA;
            continue;
        }
        for (size_t s = 0; s < service->slices.length; s++) {
            const struct net_slice *slice = service->slices.items[s];
            for (size_t e = 0; e < slice->endpoints.length; e++) {
                const struct net_endpoint *endpoint = slice->endpoints.items[e];
                char label[NETWORK_ADDRESS];
                if (!endpoint->ready || endpoint->addresses.length == 0)
                    continue;
                dashed(endpoint->addresses.items[0], label);
                char *record =
                    mem_printf("0 100 %u %s.%s.%s.svc." NETWORK_DOMAIN, port->port,
                               endpoint->hostname[0] != '\0' ? endpoint->hostname : label, service->name, service->ns);
                bool whole = record != NULL && vec_push_string(records, record);
                mem_free(record);
                if (!whole)
                    return NETWORK_NO_DATA;
            }
        }
    }
    return records->length > 0 ? NETWORK_FOUND : NETWORK_NO_NAME;
}

static enum network_answer whole_service(const struct net_service *service, enum network_type type, struct vec *records)
{
    if (service->external_name[0] != '\0')
        return type == NETWORK_SRV || type == NETWORK_PTR
                   ? NETWORK_NO_DATA
                   : say(records, service->external_name); /* a CNAME, whatever was asked */
    if (type == NETWORK_SRV)
        return service_ports(service, "", false, true, records);
    if (service->headless)
        return endpoint_addresses(service, NULL, type, records);
    for (size_t i = 0; i < service->own_addresses; i++)
        if (is_of_type(service->addresses.items[i], type))
            return say(records, service->addresses.items[i]);
    return NETWORK_NO_DATA;
}

static bool namespace_there(const struct network *network, const char *ns)
{
    return informer_get(network->namespaces, "", ns) != NULL;
}

/* [endpoint or _port._proto].service.namespace, before ".svc" */
static enum network_answer below_svc(const struct network *network, char *const *parts, size_t count, enum network_type type,
                                     struct vec *records)
{
    if (count == 0)
        return NETWORK_NO_DATA;
    const char *ns = parts[count - 1];
    if (count == 1)
        return namespace_there(network, ns) ? NETWORK_NO_DATA : NETWORK_NO_NAME;
    char *key = mem_printf("%s/%s", ns, parts[count - 2]);
    const struct net_service *service = key != NULL ? map_get(&network->by_key, key) : NULL;
    mem_free(key);
    if (service == NULL)
        return NETWORK_NO_NAME;
    if (count == 2)
        return whole_service(service, type, records);
    if (count == 3)
        return service->headless ? endpoint_addresses(service, parts[0], type, records) : NETWORK_NO_NAME;
    bool udp = strcmp(parts[1], "_udp") == 0;
    if (count == 4 && parts[0][0] == '_' && (udp || strcmp(parts[1], "_tcp") == 0) && type == NETWORK_SRV)
        return service_ports(service, parts[0] + 1, udp, false, records);
    return NETWORK_NO_NAME;
}

/* "10-244-0-5".namespace, before ".pod": the address that it says, whether a Pod has it or not */
static enum network_answer below_pod(const struct network *network, char *const *parts, size_t count, enum network_type type,
                                     struct vec *records)
{
    struct address address;
    char ip[NETWORK_ADDRESS];
    if (count == 0)
        return NETWORK_NO_DATA;
    if (!namespace_there(network, parts[count - 1]))
        return NETWORK_NO_NAME;
    if (count == 1)
        return NETWORK_NO_DATA;
    snprintf(ip, sizeof ip, "%s", parts[0]);
    bool v6 = strstr(ip, "--") != NULL;
    for (char *at = ip; *at != '\0'; at++)
        *at = *at == '-' ? (v6 ? ':' : '.') : *at;
    if (count != 2 || !address_read(ip, &address))
        return NETWORK_NO_NAME;
    return is_of_type(ip, type) ? say(records, ip) : NETWORK_NO_DATA;
}

/* d.c.b.a.in-addr.arpa: a Service's name, or that of a Pod behind a headless one. */
static enum network_answer reverse(const struct network *network, const struct name *name, enum network_type type,
                                   struct vec *records)
{
    char ip[4 * NETWORK_NAME];
    if (name->count != 4)
        return NETWORK_NO_NAME;
    snprintf(ip, sizeof ip, "%s.%s.%s.%s", name->parts[3], name->parts[2], name->parts[1], name->parts[0]);
    const struct net_service *service = map_get(&network->by_address, ip);
    char *record = service != NULL ? mem_printf("%s.%s.svc." NETWORK_DOMAIN, service->name, service->ns) : NULL;
    size_t cursor = 0;
    for (const struct map_entry *entry; record == NULL && (entry = map_next(&network->slice_by_key, &cursor)) != NULL;) {
        const struct net_slice *slice = entry->value;
        for (size_t e = 0; record == NULL && e < slice->endpoints.length; e++) {
            const struct net_endpoint *endpoint = slice->endpoints.items[e];
            char label[NETWORK_ADDRESS];
            if (!vec_has_string(&endpoint->addresses, ip))
                continue;
            const struct net_service *of = map_get(&network->by_key, slice->service);
            dashed(ip, label);
            if (of != NULL)
                record = mem_printf("%s.%s.%s.svc." NETWORK_DOMAIN, endpoint->hostname[0] != '\0' ? endpoint->hostname : label,
                                    of->name, of->ns);
        }
    }
    if (record == NULL)
        return NETWORK_NO_NAME;
    enum network_answer answer = type == NETWORK_PTR ? say(records, record) : NETWORK_NO_DATA;
    mem_free(record);
    return answer;
}

enum network_answer network_lookup(const struct network *network, const char *text, enum network_type type, struct vec *records)
{
    struct name name;
    if (!lower(text, name.text))
        return NETWORK_NO_NAME;
    if (take_apart(&name, "in-addr.arpa"))
        return reverse(network, &name, type, records);
    if (!lower(text, name.text) || !take_apart(&name, NETWORK_DOMAIN))
        return NETWORK_NO_NAME;
    if (name.count == 0)
        return NETWORK_NO_DATA;
    const char *zone = name.parts[name.count - 1];
    if (strcmp(zone, "svc") == 0)
        return below_svc(network, name.parts, name.count - 1, type, records);
    if (strcmp(zone, "pod") == 0)
        return below_pod(network, name.parts, name.count - 1, type, records);
    return NETWORK_NO_NAME;
}
