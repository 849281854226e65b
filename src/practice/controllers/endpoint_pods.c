#include "practice/controllers/endpoint_pods.h"

#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/controllers/workload.h"

static const struct client_resource services_of = {"", "v1", "services"};

struct endpoint_named {
    char *name;
    bool udp, sctp;
    int64_t port;
};

static bool is(const char *text, const char *wanted)
{
    return text != NULL && strcmp(text, wanted) == 0;
}

/* ---- Pods' facts ---- */

static void named_free(void *data)
{
    struct endpoint_named *named = data;
    mem_free(named->name);
    mem_free(named);
}

static void facts_free(void *data)
{
    struct endpoint_facts *facts = data;
    mem_free(facts->hostname);
    mem_free(facts->subdomain);
    vec_free(&facts->ports);
    mem_free(facts);
}

static bool read_named(struct endpoint_facts *facts, const struct value *port)
{
    const char *name = value_find_text(port, "name", NULL), *protocol = value_find_text(port, "protocol", NULL);
    if (name == NULL)
        return true;
    struct endpoint_named *named = mem_zero(1, sizeof *named);
    if (named == NULL || (named->name = mem_string(name)) == NULL) {
        mem_free(named);
        return false;
    }
    named->udp = is(protocol, "UDP");
    named->sctp = is(protocol, "SCTP");
    named->port = value_find_int(port, 0, "containerPort", NULL);
    return vec_push(&facts->ports, named);
}

static struct endpoint_facts *facts_of(const struct value *pod)
{
    static const char *const lists[] = {"containers", "initContainers"};
    struct endpoint_facts *facts = mem_zero(1, sizeof *facts);
    const struct value *spec = value_get(pod, "spec");
    if (facts == NULL)
        return NULL;
    const char *hostname = value_find_text(spec, "hostname", NULL), *subdomain = value_find_text(spec, "subdomain", NULL);
    facts->ports = vec_make(ENDPOINT_PORTS, named_free);
    facts->hostname = mem_string(hostname != NULL ? hostname : "");
    facts->subdomain = mem_string(subdomain != NULL ? subdomain : "");
    bool ok = facts->hostname != NULL && facts->subdomain != NULL;
    for (size_t i = 0; i < 2; i++)
        for (const struct value *item = value_first(value_get(spec, lists[i])); ok && item != NULL; item = value_next(item)) {
            if (i == 1 && !is(value_find_text(item, "restartPolicy", NULL), "Always"))
                continue;
            for (const struct value *port = value_first(value_get(item, "ports")); ok && port != NULL; port = value_next(port))
                ok = read_named(facts, port);
        }
    if (ok)
        return facts;
    facts_free(facts);
    return NULL;
}

/* ---- Services ---- */

static void service_free(void *data)
{
    struct endpoint_service *service = data;
    value_free(service->document);
    label_selector_free(service->selector);
    mem_free(service);
}

static struct endpoint_service *service_new(struct value *document)
{
    struct endpoint_service *service = mem_zero(1, sizeof *service);
    if (service == NULL || document == NULL) {
        value_free(document);
        mem_free(service);
        return NULL;
    }
    service->document = document;
    const struct value *selector = value_find(document, "spec", "selector", NULL);
    if (value_first(selector) == NULL || is(value_find_text(document, "spec", "type", NULL), "ExternalName"))
        return service;
    service->selector = label_selector_of_map(selector, NULL);
    if (service->selector != NULL)
        return service;
    service_free(service);
    return NULL;
}

static void service_changed(void *data, const struct informer_event *event)
{
    struct endpoint_pods *behind = data;
    const struct object *object = event->object != NULL ? event->object : event->previous;
    char *key = mem_printf("%s/%s", object->ns, object->name);
    if (key == NULL) {
        workqueue_add_after(behind->queue, WORKQUEUE_ALL, 100);
        return;
    }
    struct endpoint_service *service =
        event->object != NULL ? service_new(informer_value(behind->informer, event->object)) : NULL;
    if (service != NULL)
        (void)!map_set(&behind->services, key, service); /* without memory it is looked for again with its key */
    else if (event->object == NULL)
        map_remove(&behind->services, key);
    workqueue_add(behind->queue, key);
    mem_free(key);
}

bool endpoint_is_headless(const struct endpoint_service *service)
{
    return is(value_find_text(service->document, "spec", "clusterIP", NULL), "None");
}

/* ---- changes of Pods ---- */

static bool counts(const struct pod_view *pod)
{
    return pod->ip[0] != '\0' && !pod_has_ended(pod);
}

static bool same(const struct pod_view *a, const struct pod_view *b)
{
    return a->ready == b->ready && a->deleting == b->deleting && strcmp(a->ip, b->ip) == 0 && strcmp(a->node, b->node) == 0 &&
           counts(a) == counts(b) && workload_same_labels(a->object, b->object);
}

static void concern(struct endpoint_pods *behind, const struct pod_view *pod)
{
    for (const struct object *object = NULL; (object = informer_next(behind->informer, pod->object->ns, object)) != NULL;) {
        char *key = mem_printf("%s/%s", object->ns, object->name);
        const struct endpoint_service *service = key != NULL ? map_get(&behind->services, key) : NULL;
        if (key == NULL)
            workqueue_add_after(behind->queue, WORKQUEUE_ALL, 100);
        else if (service != NULL && service->selector != NULL && label_selector_matches(service->selector, pod->object))
            workqueue_add(behind->queue, key);
        mem_free(key);
    }
}

static void pod_changed(void *data, const struct pods_event *event)
{
    struct endpoint_pods *behind = data;
    const struct pod_view *pod = event->pod, *was = event->previous;
    if (pod != NULL && !map_has(&behind->facts, pod->object->uid)) {
        struct endpoint_facts *facts = facts_of(event->document);
        if (facts == NULL || !map_set(&behind->facts, pod->object->uid, facts))
            workqueue_add_after(behind->queue, WORKQUEUE_ALL, 100);
    }
    if (pod == NULL)
        map_remove(&behind->facts, was->object->uid);
    if (pod != NULL && was != NULL && same(pod, was))
        return;
    if (was != NULL && counts(was))
        concern(behind, was);
    if (pod != NULL && counts(pod))
        concern(behind, pod);
}

bool endpoint_pods_start(struct endpoint_pods *behind, const struct place_of_work *place, struct workqueue *queue,
                         struct error *err)
{
    *behind = (struct endpoint_pods){.place = place, .queue = queue};
    behind->services = map_make(ENDPOINT_SERVICES, service_free);
    behind->facts = map_make(ENDPOINT_PODS, facts_free);
    return (behind->informer = informer_new(place->reader, &services_of, service_changed, behind, err)) != NULL &&
           (behind->follower = pods_follow(place->pods, pod_changed, behind, err)) != NULL;
}

void endpoint_pods_stop(struct endpoint_pods *behind)
{
    pods_unfollow(behind->follower);
    informer_free(behind->informer);
    map_free(&behind->services);
    map_free(&behind->facts);
    *behind = (struct endpoint_pods){0};
}

/* ---- who is behind one ---- */

void endpoint_pod_free(void *data)
{
    struct endpoint *endpoint = data;
    value_free(endpoint->ports);
    mem_free(endpoint);
}

/* The number of a Service's port on this Pod; 0: it has none of that name. */
static int64_t target_port(const struct value *port, const struct endpoint_facts *facts)
{
    const struct value *target = value_get(port, "targetPort");
    const char *name = value_text(target), *protocol = value_find_text(port, "protocol", NULL);
    int64_t number = 0;
    if (name == NULL)
        return value_as_int(target, &number) && number != 0 ? number : value_find_int(port, 0, "port", NULL);
    for (size_t i = 0; i < facts->ports.length; i++) {
        const struct endpoint_named *named = facts->ports.items[i];
        if (strcmp(named->name, name) == 0 && named->udp == is(protocol, "UDP") && named->sctp == is(protocol, "SCTP"))
            return named->port;
    }
    return 0;
}

static struct value *ports_of(const struct value *service, const struct endpoint_facts *facts)
{
    struct value *ports = value_array();
    bool ok = ports != NULL;
    for (const struct value *port = value_first(value_find(service, "spec", "ports", NULL)); ok && port != NULL;
         port = value_next(port)) {
        int64_t number = target_port(port, facts);
        const char *name = value_find_text(port, "name", NULL), *protocol = value_find_text(port, "protocol", NULL),
                   *application = value_find_text(port, "appProtocol", NULL);
        if (number == 0)
            continue;
        struct value *made = value_object();
        ok = made != NULL && value_set(made, "name", value_string(name != NULL ? name : "")) &&
             value_set(made, "port", value_int(number)) &&
             value_set(made, "protocol", value_string(protocol != NULL ? protocol : "TCP")) &&
             (application == NULL || value_set(made, "appProtocol", value_string(application)));
        ok = value_append(ports, made) && ok;
    }
    if (ok)
        return ports;
    value_free(ports);
    return NULL;
}

bool endpoint_pods_of(const struct endpoint_pods *behind, const struct endpoint_service *service, struct vec *out)
{
    const char *ns = value_find_text(service->document, "metadata", "namespace", NULL),
               *name = value_find_text(service->document, "metadata", "name", NULL);
    bool publish = value_is_true(value_find(service->document, "spec", "publishNotReadyAddresses", NULL)), ok = true;
    bool wants_ports = value_first(value_find(service->document, "spec", "ports", NULL)) != NULL;
    *out = vec_make(ENDPOINT_PODS, endpoint_pod_free);
    for (const struct pod_view *pod = NULL; ok && (pod = pods_next_in(behind->place->pods, ns, pod)) != NULL;) {
        const struct endpoint_facts *facts = map_get(&behind->facts, pod->object->uid);
        if (!counts(pod) || !label_selector_matches(service->selector, pod->object))
            continue;
        struct endpoint *endpoint = facts != NULL ? mem_zero(1, sizeof *endpoint) : NULL;
        if (endpoint == NULL)
            return false;
        *endpoint = (struct endpoint){
            .pod = pod, .serving = pod->ready, .terminating = pod->deleting, .ports = ports_of(service->document, facts)};
        endpoint->hostname = facts->hostname[0] != '\0' && strcmp(facts->subdomain, name) == 0 ? facts->hostname : "";
        endpoint->ready = publish || (pod->ready && !pod->deleting);
        ok = endpoint->ports != NULL;
        if (ok && wants_ports && value_first(endpoint->ports) == NULL)
            endpoint_pod_free(endpoint); /* none of the Service's ports is there */
        else
            ok = vec_push(out, endpoint) && ok;
    }
    return ok;
}

struct value *endpoint_reference(const struct endpoint *endpoint)
{
    const struct object *object = endpoint->pod->object;
    struct value *reference = value_object();
    if (reference != NULL && value_set(reference, "kind", value_string("Pod")) &&
        value_set(reference, "namespace", value_string(object->ns)) &&
        value_set(reference, "name", value_string(object->name)) && value_set(reference, "uid", value_string(object->uid)))
        return reference;
    value_free(reference);
    return NULL;
}

void endpoint_changed_at(const struct endpoint_service *service, const struct vec *endpoints, char out[static 21])
{
    int64_t last = workload_time(value_find(service->document, "metadata", "creationTimestamp", NULL));
    for (size_t i = 0; i < endpoints->length; i++) {
        const struct endpoint *endpoint = endpoints->items[i];
        last = endpoint->pod->ready_ms > last ? endpoint->pod->ready_ms : last;
    }
    time_print(last, out);
}
