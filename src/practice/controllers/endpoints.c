/* endpoints.c: Endpoints of Services, the form from before EndpointSlices (kube-controller-manager's endpoint-controller). */
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/endpoint_pods.h"

enum { MOST = 1000 /* addresses; the real one cuts there, too */ };

static const struct client_resource endpoints_of = {"", "v1", "endpoints"};

struct endpoints {
    struct place_of_work place;
    struct workqueue *queue;
    struct endpoint_pods behind;
    struct informer *informer;
};

/* A port as Endpoints show it: without a name that is "". */
static struct value *plain_ports(const struct value *ports)
{
    struct value *out = value_array();
    bool ok = out != NULL;
    for (const struct value *port = value_first(ports); ok && port != NULL; port = value_next(port)) {
        struct value *made = value_copy(port);
        const char *name = value_find_text(made, "name", NULL);
        if (name != NULL && name[0] == '\0')
            value_remove(made, "name");
        ok = value_append(out, made);
    }
    if (ok)
        return out;
    value_free(out);
    return NULL;
}

static struct value *address_of(const struct endpoint *endpoint)
{
    struct value *address = value_object();
    bool ok = address != NULL && value_set(address, "ip", value_string(endpoint->pod->ip)) &&
              (endpoint->hostname[0] == '\0' || value_set(address, "hostname", value_string(endpoint->hostname))) &&
              (endpoint->pod->node[0] == '\0' || value_set(address, "nodeName", value_string(endpoint->pod->node))) &&
              value_set(address, "targetRef", endpoint_reference(endpoint));
    if (ok)
        return address;
    value_free(address);
    return NULL;
}

/* The subset of these ports, made where there is none yet. */
static struct value *subset_for(struct value *subsets, const struct value *ports)
{
    for (struct value *subset = value_first(subsets); subset != NULL; subset = value_next(subset))
        if (value_equal(value_get(subset, "ports"), ports) ||
            (value_first(ports) == NULL && value_get(subset, "ports") == NULL))
            return subset;
    struct value *subset = value_object();
    if (subset == NULL || (value_first(ports) != NULL && !value_set(subset, "ports", value_copy(ports)))) {
        value_free(subset);
        return NULL;
    }
    return value_append(subsets, subset) ? subset : NULL;
}

/* Ports that only some Pods have are subsets of their own. NULL: no memory. */
static struct value *subsets_of(const struct vec *endpoints)
{
    struct value *subsets = value_array();
    bool ok = subsets != NULL;
    for (size_t i = 0; ok && i < endpoints->length && i < MOST; i++) {
        const struct endpoint *endpoint = endpoints->items[i];
        struct value *ports = plain_ports(endpoint->ports), *subset = ports != NULL ? subset_for(subsets, ports) : NULL;
        const char *list = endpoint->ready ? "addresses" : "notReadyAddresses";
        struct value *addresses = subset != NULL ? value_get(subset, list) : NULL;
        value_free(ports);
        ok = subset != NULL && (addresses != NULL || value_set(subset, list, value_array()));
        ok = ok && value_append(value_get(subset, list), address_of(endpoint));
    }
    if (ok)
        return subsets;
    value_free(subsets);
    return NULL;
}

static bool label(struct value *metadata, const struct endpoint_service *service)
{
    const struct value *labels = value_find(service->document, "metadata", "labels", NULL);
    struct value *own = labels != NULL ? value_copy(labels) : value_object();
    bool ok = own != NULL && value_set(own, "endpoints.kubernetes.io/managed-by", value_string("endpoint-controller")) &&
              (!endpoint_is_headless(service) || value_set(own, "service.kubernetes.io/headless", value_string("")));
    return value_set(metadata, "labels", own) && ok;
}

static struct value *wanted(const struct value *old, const struct key *key, const struct endpoint_service *service,
                            const struct vec *endpoints)
{
    char changed[21];
    struct value *made = old != NULL ? value_copy(old) : value_object(),
                 *metadata = made != NULL ? value_child(made, "metadata") : NULL,
                 *annotations = metadata != NULL ? value_child(metadata, "annotations") : NULL,
                 *subsets = subsets_of(endpoints);
    endpoint_changed_at(service, endpoints, changed);
    bool ok = annotations != NULL && subsets != NULL && value_set(metadata, "name", value_string(key->name)) &&
              value_set(metadata, "namespace", value_string(key->ns)) &&
              value_set(annotations, ENDPOINT_CHANGED, value_string(changed)) && label(metadata, service);
    if (ok && endpoints->length > MOST)
        ok = value_set(annotations, "endpoints.kubernetes.io/over-capacity", value_string("truncated"));
    if (made != NULL)
        value_remove(made, "subsets");
    if (ok && value_first(subsets) != NULL) {
        ok = value_set(made, "subsets", subsets);
        subsets = NULL;
    }
    value_free(subsets);
    if (ok)
        return made;
    value_free(made);
    return NULL;
}

static bool same(const struct value *old, const struct value *made)
{
    return old != NULL && value_equal(value_get(old, "subsets"), value_get(made, "subsets")) &&
           value_equal(value_find(old, "metadata", "labels", NULL), value_find(made, "metadata", "labels", NULL));
}

static bool sync(struct endpoints *controller, const struct key *key, const struct endpoint_service *service)
{
    struct error err = ERROR_INIT;
    struct vec endpoints;
    const struct object *there = informer_get(controller->informer, key->ns, key->name);
    struct value *old = there != NULL ? informer_value(controller->informer, there) : NULL;
    bool ok = (there == NULL || old != NULL) && endpoint_pods_of(&controller->behind, service, &endpoints);
    struct value *made = ok ? wanted(old, key, service, &endpoints) : NULL, *done = NULL;
    ok = made != NULL;
    if (ok && same(old, made)) {
        value_free(made);
    } else if (ok) {
        done = there == NULL ? client_create(controller->place.client, &endpoints_of, key->ns, made, &err)
                             : client_update(controller->place.client, &endpoints_of, "", made, &err);
        ok = done != NULL || err.kind == ERROR_DENIED; /* a namespace that ends */
    }
    value_free(done);
    value_free(old);
    vec_free(&endpoints);
    return ok;
}

static bool work(void *data, const char *text)
{
    struct endpoints *controller = data;
    struct key key;
    struct error err = ERROR_INIT;
    if (strcmp(text, WORKQUEUE_ALL) == 0) {
        queue_all(controller->queue, controller->behind.informer);
        return true;
    }
    if (!pods_current(controller->place.pods) || !informer_current(controller->informer)) {
        workqueue_add_after(controller->queue, text, 1);
        return true;
    }
    if (!key_parse(text, &key))
        return false;
    const struct endpoint_service *service = map_get(&controller->behind.services, text);
    bool ok = true;
    if (service != NULL)
        ok = service->selector == NULL || sync(controller, &key, service);
    else if (informer_get(controller->behind.informer, key.ns, key.name) != NULL)
        ok = false; /* it could not be read for want of memory */
    else if (informer_get(controller->informer, key.ns, key.name) != NULL)
        ok = client_delete(controller->place.client, &endpoints_of, key.ns, key.name, NULL, PROPAGATION_DEFAULT, &err) ||
             err.kind == ERROR_NOT_FOUND;
    key_free(&key);
    return ok;
}

/* Somebody else changed or deleted them: they are made as they should be. */
static void changed(void *data, const struct informer_event *event)
{
    struct endpoints *controller = data;
    const struct object *object = event->object != NULL ? event->object : event->previous;
    if (event->previous != NULL && informer_get(controller->behind.informer, object->ns, object->name) != NULL)
        key_add(controller->queue, object);
}

static void stop(void *data)
{
    struct endpoints *controller = data;
    endpoint_pods_stop(&controller->behind);
    informer_free(controller->informer);
    workqueue_free(controller->queue);
    mem_free(controller);
}

static void *start(const struct place_of_work *place, struct error *err)
{
    struct endpoints *controller = mem_zero(1, sizeof *controller);
    if (controller == NULL) {
        error_memory(err);
        return NULL;
    }
    controller->place = *place;
    if ((controller->queue = workqueue_new(place->api->clock, place->api->state, work, controller, err)) != NULL &&
        endpoint_pods_start(&controller->behind, &controller->place, controller->queue, err) &&
        (controller->informer = informer_new(place->reader, &endpoints_of, changed, controller, err)) != NULL)
        return controller;
    stop(controller);
    return NULL;
}

const struct controller_type endpoint_controller = {"endpoint-controller", start, stop};
