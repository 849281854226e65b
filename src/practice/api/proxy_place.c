/* "web", "web:80", "https:web:http": what the name of a proxy's path means. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/lookup.h"
#include "practice/api/proxy.h"

enum { KUBELET_PORT = 10250, NAME = 512 };

void proxy_place_free(struct proxy_place *place)
{
    mem_free(place->pod);
}

struct asked {
    char name[NAME], port[NAME];
    bool tls;
};

/* SCHEME:NAME:PORT, NAME:PORT or NAME. */
static bool split(struct exchange *x, const char *what, struct asked *asked)
{
    const char *id = x->route.name, *first = strchr(id, ':'), *second = first != NULL ? strchr(first + 1, ':') : NULL;
    bool fine = strlen(id) < NAME && (second == NULL || strchr(second + 1, ':') == NULL);
    size_t scheme = second != NULL ? (size_t)(first - id) : 0;
    *asked = (struct asked){.tls = scheme == 5 && memcmp(id, "https", 5) == 0};
    fine = fine && (scheme == 0 || asked->tls || (scheme == 4 && memcmp(id, "http", 4) == 0));
    if (fine) {
        const char *name = second != NULL ? first + 1 : id, *end = second != NULL ? second : first;
        snprintf(asked->name, sizeof asked->name, "%.*s", (int)(end != NULL ? (size_t)(end - name) : strlen(name)), name);
        snprintf(asked->port, sizeof asked->port, "%s", end != NULL ? end + 1 : "");
    }
    return (fine && asked->name[0] != '\0') || status_bad_request(&x->failure, "invalid %s request \"%s\"", what, id);
}

static bool is_number(const char *text)
{
    return text[0] != '\0' && strlen(text) < 6 && text[strspn(text, "0123456789")] == '\0';
}

static struct value *find(struct exchange *x, const char *plural, const char *ns, const char *name)
{
    const struct object *found = lookup(&x->server->api, "", plural, ns, name);
    if (found == NULL) {
        status_not_found(&x->failure, lookup_kind(&x->server->api, "", plural), name);
        return NULL;
    }
    struct value *value = lookup_value(found);
    if (value == NULL)
        status_error(&x->failure, &(struct error){.kind = ERROR_MEMORY});
    return value;
}

/* --- Pods --- */

/* The number of a container's port by its name, or, where none is asked for, of the first one. */
static int64_t port_of(const struct value *pod, const char *name)
{
    for (const struct value *container = value_first(value_find(pod, "spec", "containers", NULL)); container != NULL; container = value_next(container))
        for (const struct value *port = value_first(value_get(container, "ports")); port != NULL; port = value_next(port)) {
            const char *called = value_find_text(port, "name", NULL);
            if (name[0] == '\0' || (called != NULL && strcmp(called, name) == 0))
                return value_find_int(port, 0, "containerPort", NULL);
        }
    return 0;
}

static bool take_address(struct exchange *x, struct proxy_place *place, const char *pod, const char *ip, int64_t port)
{
    snprintf(place->address, sizeof place->address, strchr(ip, ':') != NULL ? "[%s]:%lld" : "%s:%lld", ip, (long long)port);
    place->port = (uint16_t)port;
    place->pod = mem_string(pod);
    return place->pod != NULL || status_error(&x->failure, &(struct error){.kind = ERROR_MEMORY});
}

static bool find_pod(struct exchange *x, struct proxy_place *place)
{
    struct asked asked;
    if (!split(x, "pod", &asked))
        return false;
    struct value *pod = find(x, "pods", x->route.ns, asked.name);
    if (pod == NULL)
        return false;
    const char *ip = value_find_text(pod, "status", "podIP", NULL);
    int64_t port = is_number(asked.port) ? atoi(asked.port) : port_of(pod, asked.port);
    place->tls = asked.tls;
    bool fine = ip != NULL && ip[0] != '\0';
    if (!fine)
        status_bad_request(&x->failure, "address not allowed");
    else if (port == 0 && asked.port[0] != '\0')
        fine = status_set(&x->failure, 503, "ServiceUnavailable", "error trying to reach service: dial tcp: lookup tcp/%s: unknown port", asked.port);
    else
        fine = take_address(x, place, asked.name, ip, port > 0 && port <= UINT16_MAX ? port : asked.tls ? 443 : 80);
    value_free(pod);
    return fine;
}

/* --- Services --- */

/* A port's number among the Service's becomes its name. */
static bool name_port(struct exchange *x, struct asked *asked)
{
    if (!is_number(asked->port))
        return true;
    int64_t number = atoi(asked->port);
    struct value *service = find(x, "services", x->route.ns, asked->name);
    if (service == NULL)
        return false;
    bool found = false;
    for (const struct value *port = value_first(value_find(service, "spec", "ports", NULL)); port != NULL && !found; port = value_next(port))
        if (value_find_int(port, 0, "port", NULL) == number) {
            const char *name = value_find_text(port, "name", NULL);
            snprintf(asked->port, sizeof asked->port, "%s", name != NULL ? name : "");
            found = true;
        }
    value_free(service);
    return found || status_set(&x->failure, 503, "ServiceUnavailable", "no service port %lld found for service \"%s\"", (long long)number, asked->name);
}

/* An endpoint counts if it is ready and a Pod that has the address. */
static const char *pod_behind(struct exchange *x, const struct value *endpoint, const char **ip)
{
    const struct value *ready = value_find(endpoint, "conditions", "ready", NULL);
    const char *name = value_find_text(endpoint, "targetRef", "name", NULL), *ns = value_find_text(endpoint, "targetRef", "namespace", NULL);
    *ip = value_text(value_first(value_get(endpoint, "addresses")));
    if ((ready != NULL && !value_is_true(ready)) || name == NULL || ns == NULL || *ip == NULL || strcmp(ns, x->route.ns) != 0)
        return NULL;
    const struct object *object = lookup(&x->server->api, "", "pods", ns, name);
    struct value *pod = object != NULL ? lookup_value(object) : NULL;
    bool has = false;
    for (const struct value *of = value_first(value_find(pod, "status", "podIPs", NULL)); of != NULL; of = value_next(of)) {
        const char *its = value_find_text(of, "ip", NULL);
        has = has || (its != NULL && strcmp(its, *ip) == 0);
    }
    value_free(pod);
    return has ? name : NULL;
}

/* Looks through one slice; true: found, or failed. */
static bool look_in(struct exchange *x, const struct value *slice, const struct asked *asked, size_t *skip, struct proxy_place *place, bool *fine)
{
    for (const struct value *port = value_first(value_get(slice, "ports")); port != NULL; port = value_next(port)) {
        const char *name = value_find_text(port, "name", NULL), *ip, *pod;
        int64_t number = value_find_int(port, 0, "port", NULL);
        if (strcmp(name != NULL ? name : "", asked->port) != 0 || number <= 0)
            continue;
        for (const struct value *endpoint = value_first(value_get(slice, "endpoints")); endpoint != NULL; endpoint = value_next(endpoint))
            if ((pod = pod_behind(x, endpoint, &ip)) != NULL && (*skip)-- == 0) {
                *fine = take_address(x, place, pod, ip, number);
                return true;
            }
    }
    return false;
}

/* The endpoint that is the `skip`th that would do; false: there are not so many. */
static bool find_endpoint(struct exchange *x, const struct asked *asked, size_t *skip, struct proxy_place *place, bool *fine)
{
    bool found = false;
    for (const struct object *at = NULL; !found && (at = lookup_next(&x->server->api, "discovery.k8s.io", "endpointslices", x->route.ns, at)) != NULL;) {
        struct value *slice = lookup_value(at);
        const char *of = value_find_text(slice, "metadata", "labels", "kubernetes.io/service-name", NULL), *type = value_find_text(slice, "addressType", NULL);
        if (of != NULL && strcmp(of, asked->name) == 0 && type != NULL && strcmp(type, "IPv4") == 0)
            found = look_in(x, slice, asked, skip, place, fine);
        value_free(slice);
    }
    return found;
}

static bool find_service(struct exchange *x, struct proxy_place *place)
{
    struct asked asked;
    bool fine = false;
    if (!split(x, "service", &asked) || !name_port(x, &asked))
        return false;
    place->tls = asked.tls;
    size_t turn = (size_t)(x->server->number % 4), skip = turn; /* another one each time, as chance would have it */
    if (find_endpoint(x, &asked, &skip, place, &fine))
        return fine;
    if (turn > skip) { /* there were turn - skip of them, less than `turn` */
        size_t again = skip % (turn - skip);
        if (find_endpoint(x, &asked, &again, place, &fine))
            return fine;
    }
    return status_set(&x->failure, 503, "ServiceUnavailable", "no endpoints available for service \"%s\"", asked.name);
}

/* --- nodes --- */

static bool find_node(struct exchange *x, struct proxy_place *place)
{
    struct asked asked;
    if (!split(x, "node", &asked))
        return false;
    struct value *node = find(x, "nodes", "", asked.name);
    if (node == NULL)
        return false;
    const char *ip = "";
    for (const struct value *address = value_first(value_find(node, "status", "addresses", NULL)); address != NULL; address = value_next(address)) {
        const char *type = value_find_text(address, "type", NULL), *text = value_find_text(address, "address", NULL);
        if (type != NULL && text != NULL && strcmp(type, "InternalIP") == 0)
            ip = text;
    }
    int port = is_number(asked.port) ? atoi(asked.port) : KUBELET_PORT;
    place->tls = asked.tls;
    place->kubelet = asked.port[0] == '\0' || port == KUBELET_PORT;
    snprintf(place->address, sizeof place->address, "%s:%d", ip, port);
    value_free(node);
    return true;
}

bool proxy_find(struct exchange *x, struct proxy_place *place)
{
    static const struct {
        const char *plural;
        bool (*find)(struct exchange *x, struct proxy_place *place);
    } finders[] = {{"pods", find_pod}, {"services", find_service}, {"nodes", find_node}};
    *place = (struct proxy_place){0};
    for (size_t i = 0; i < sizeof finders / sizeof *finders; i++)
        if (strcmp(finders[i].plural, x->route.kind->plural) == 0)
            return finders[i].find(x, place);
    return status_no_such_path(&x->failure);
}
