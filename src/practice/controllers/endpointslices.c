/* endpointslices.c: EndpointSlices of Services (kube-controller-manager's endpointslice-controller): a hundred endpoints a
 * slice, what is there is changed as little as possible. */
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/endpoint_pods.h"
#include "practice/controllers/workload.h"

enum { MOST = 100 };
#define MANAGER "endpointslice-controller.k8s.io"
#define MANAGED_BY "endpointslice.kubernetes.io/managed-by"
#define SERVICE_NAME "kubernetes.io/service-name"

static const struct client_resource slices_of = {"discovery.k8s.io", "v1", "endpointslices"}, nodes_of = {"", "v1", "nodes"};

struct endpointslices {
    struct place_of_work place;
    struct workqueue *queue;
    struct endpoint_pods behind;
    struct informer *informer, *nodes;
};

/* A slice that is there, or is to be. */
struct slice {
    struct value *document; /* NULL endpoints: to be made */
    const struct object *object;
    struct value *ports;
    struct value *endpoints;
    size_t count;
};

static void slice_free(void *data)
{
    struct slice *slice = data;
    value_free(slice->document);
    value_free(slice->ports);
    value_free(slice->endpoints);
    mem_free(slice);
}

static struct value *conditions_of(const struct endpoint *endpoint)
{
    struct value *conditions = value_object();
    if (conditions != NULL && value_set(conditions, "ready", value_bool(endpoint->ready)) &&
        value_set(conditions, "serving", value_bool(endpoint->serving)) &&
        value_set(conditions, "terminating", value_bool(endpoint->terminating)))
        return conditions;
    value_free(conditions);
    return NULL;
}

static struct value *shown(const struct endpointslices *controller, const struct endpoint *endpoint)
{
    const struct object *node = informer_get(controller->nodes, "", endpoint->pod->node);
    const char *zone = node != NULL ? object_label(node, "topology.kubernetes.io/zone") : NULL;
    struct value *made = value_object(), *addresses = value_array();
    bool ok = addresses != NULL && value_append(addresses, value_string(endpoint->pod->ip));
    ok = value_set(made, "addresses", addresses) && ok;
    ok = ok && value_set(made, "conditions", conditions_of(endpoint)) &&
         (endpoint->hostname[0] == '\0' || value_set(made, "hostname", value_string(endpoint->hostname))) &&
         value_set(made, "targetRef", endpoint_reference(endpoint)) &&
         (endpoint->pod->node[0] == '\0' || value_set(made, "nodeName", value_string(endpoint->pod->node))) &&
         (zone == NULL || value_set(made, "zone", value_string(zone)));
    if (ok)
        return made;
    value_free(made);
    return NULL;
}

static bool is_ours(const struct object *object, const char *service)
{
    const char *name = object_label(object, SERVICE_NAME), *manager = object_label(object, MANAGED_BY);
    return name != NULL && strcmp(name, service) == 0 && manager != NULL && strcmp(manager, MANAGER) == 0;
}

/* Those that are there, without endpoints yet. False: no memory. */
static bool read_slices(const struct endpointslices *controller, const struct key *key, struct vec *slices)
{
    for (const struct object *object = NULL; (object = informer_next(controller->informer, key->ns, object)) != NULL;) {
        if (!is_ours(object, key->name))
            continue;
        struct slice *slice = mem_zero(1, sizeof *slice);
        if (slice == NULL || !vec_push(slices, slice))
            return false;
        slice->object = object;
        slice->document = informer_value(controller->informer, object);
        const struct value *ports = value_get(slice->document, "ports");
        slice->ports = ports != NULL && value_type(ports) == VALUE_ARRAY ? value_copy(ports) : value_array();
        slice->endpoints = value_array();
        if (slice->document == NULL || slice->ports == NULL || slice->endpoints == NULL)
            return false;
    }
    return true;
}

static bool has_address(const struct slice *slice, const char *ip)
{
    for (const struct value *item = value_first(value_get(slice->document, "endpoints")); item != NULL;
         item = value_next(item)) {
        const char *has = value_text(value_first(value_get(item, "addresses")));
        if (has != NULL && strcmp(has, ip) == 0)
            return true;
    }
    return false;
}

/* The slice it stands in already, else one with room, else a new one. NULL: no memory. */
static struct slice *slice_for(struct vec *slices, const struct endpoint *endpoint, bool only_kept)
{
    struct slice *roomy = NULL;
    for (size_t i = 0; i < slices->length; i++) {
        struct slice *slice = slices->items[i];
        if (!value_equal(slice->ports, endpoint->ports))
            continue;
        if (slice->object != NULL && has_address(slice, endpoint->pod->ip))
            return slice;
        if (slice->count < MOST && roomy == NULL)
            roomy = slice;
    }
    if (only_kept)
        return NULL;
    for (size_t i = 0; roomy == NULL && i < slices->length; i++) { /* one that nobody is in takes other ports */
        struct slice *slice = slices->items[i];
        struct value *ports = slice->count == 0 ? value_copy(endpoint->ports) : NULL;
        if (ports == NULL)
            continue;
        value_free(slice->ports);
        slice->ports = ports;
        roomy = slice;
    }
    if (roomy != NULL)
        return roomy;
    struct slice *slice = mem_zero(1, sizeof *slice);
    if (slice == NULL || !vec_push(slices, slice))
        return NULL;
    slice->ports = value_copy(endpoint->ports);
    slice->endpoints = value_array();
    return slice->ports != NULL && slice->endpoints != NULL ? slice : NULL;
}

static bool fill(const struct endpointslices *controller, const struct vec *endpoints, struct vec *slices)
{
    for (int turn = 0; turn < 2; turn++) /* first who stays where it is */
        for (size_t i = 0; i < endpoints->length; i++) {
            const struct endpoint *endpoint = endpoints->items[i];
            bool kept = slice_for(slices, endpoint, true) != NULL;
            if (kept != (turn == 0))
                continue;
            struct slice *slice = slice_for(slices, endpoint, false);
            if (slice == NULL || !value_append(slice->endpoints, shown(controller, endpoint)))
                return false;
            slice->count++;
        }
    if (slices->length > 0) /* without anybody one stands for the Service all the same */
        return true;
    struct slice *slice = mem_zero(1, sizeof *slice);
    if (slice == NULL || !vec_push(slices, slice))
        return false;
    slice->ports = value_array();
    slice->endpoints = value_array();
    return slice->ports != NULL && slice->endpoints != NULL;
}

/* ---- writing ---- */

static struct value *labels_of(const struct endpoint_service *service, const char *name)
{
    const struct value *labels = value_find(service->document, "metadata", "labels", NULL);
    struct value *own = labels != NULL ? value_copy(labels) : value_object();
    if (own != NULL && value_set(own, MANAGED_BY, value_string(MANAGER)) && value_set(own, SERVICE_NAME, value_string(name)) &&
        (!endpoint_is_headless(service) || value_set(own, "service.kubernetes.io/headless", value_string(""))))
        return own;
    value_free(own);
    return NULL;
}

static struct value *owner_of(const struct endpoint_service *service, const char *name)
{
    struct value *list = value_array(), *owner = value_object();
    const char *uid = value_find_text(service->document, "metadata", "uid", NULL);
    bool ok = owner != NULL && value_set(owner, "apiVersion", value_string("v1")) &&
              value_set(owner, "kind", value_string("Service")) && value_set(owner, "name", value_string(name)) &&
              value_set(owner, "uid", value_string(uid != NULL ? uid : "")) &&
              value_set(owner, "controller", value_bool(true)) && value_set(owner, "blockOwnerDeletion", value_bool(true));
    ok = value_append(list, owner) && ok;
    if (ok)
        return list;
    value_free(list);
    return NULL;
}

/* An empty list is null, as Go writes it. */
static bool put_list(struct value *document, const char *key, const struct value *list)
{
    return value_set(document, key, value_first(list) != NULL ? value_copy(list) : value_null());
}

static struct value *document_of(const struct slice *slice, const struct key *key, const struct endpoint_service *service,
                                 const char *changed)
{
    struct value *made = slice->document != NULL ? value_copy(slice->document) : value_object(),
                 *metadata = made != NULL ? value_child(made, "metadata") : NULL,
                 *annotations = metadata != NULL ? value_child(metadata, "annotations") : NULL;
    bool ok = annotations != NULL && value_set(annotations, ENDPOINT_CHANGED, value_string(changed)) &&
              value_set(metadata, "labels", labels_of(service, key->name)) && put_list(made, "endpoints", slice->endpoints) &&
              put_list(made, "ports", slice->ports);
    char *prefix = mem_printf("%s-", key->name);
    if (ok && slice->document == NULL)
        ok = prefix != NULL && value_set(metadata, "generateName", value_string(prefix)) &&
             value_set(metadata, "namespace", value_string(key->ns)) &&
             value_set(metadata, "ownerReferences", owner_of(service, key->name)) &&
             value_set(made, "addressType", value_string("IPv4"));
    mem_free(prefix);
    if (ok)
        return made;
    value_free(made);
    return NULL;
}

static bool same_list(const struct value *a, const struct value *b)
{
    return value_first(a) == NULL ? value_first(b) == NULL : value_equal(a, b);
}

static bool same(const struct value *old, const struct value *made)
{
    return same_list(value_get(old, "endpoints"), value_get(made, "endpoints")) &&
           same_list(value_get(old, "ports"), value_get(made, "ports")) &&
           value_equal(value_find(old, "metadata", "labels", NULL), value_find(made, "metadata", "labels", NULL));
}

static bool write_slice(struct endpointslices *controller, const struct slice *slice, const struct key *key,
                        const struct endpoint_service *service, const char *changed, bool needed)
{
    struct error err = ERROR_INIT;
    struct client *client = controller->place.client;
    if (!needed)
        return slice->object == NULL ||
               client_delete(client, &slices_of, key->ns, slice->object->name, slice->object->uid, PROPAGATION_DEFAULT, &err) ||
               err.kind == ERROR_NOT_FOUND;
    struct value *made = document_of(slice, key, service, changed), *done = NULL;
    if (made == NULL)
        return false;
    if (slice->document != NULL && same(slice->document, made)) {
        value_free(made);
        return true;
    }
    done = slice->document == NULL ? client_create(client, &slices_of, key->ns, made, &err)
                                   : client_update(client, &slices_of, "", made, &err);
    value_free(done);
    return done != NULL || err.kind == ERROR_DENIED; /* a namespace that ends */
}

static bool sync(struct endpointslices *controller, const struct key *key, const struct endpoint_service *service)
{
    struct vec endpoints, slices = vec_make(ENDPOINT_SERVICES, slice_free);
    char changed[21];
    bool ok = endpoint_pods_of(&controller->behind, service, &endpoints) && read_slices(controller, key, &slices) &&
              fill(controller, &endpoints, &slices);
    bool any = endpoints.length > 0, first = true;
    if (ok)
        endpoint_changed_at(service, &endpoints, changed);
    for (size_t i = 0; ok && i < slices.length; i++) {
        const struct slice *slice = slices.items[i];
        bool needed = slice->count > 0 || (!any && first);
        first = first && !needed;
        ok = write_slice(controller, slice, key, service, changed, needed);
    }
    vec_free(&endpoints);
    vec_free(&slices);
    return ok;
}

static bool work(void *data, const char *text)
{
    struct endpointslices *controller = data;
    struct key key;
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
    bool ok = service != NULL ? service->selector == NULL || sync(controller, &key, service)
                              : informer_get(controller->behind.informer, key.ns, key.name) ==
                                    NULL; /* gone: its slices go as its dependents */
    key_free(&key);
    return ok;
}

static void changed(void *data, const struct informer_event *event)
{
    struct endpointslices *controller = data;
    const struct object *object = event->object != NULL ? event->object : event->previous;
    const char *service = object_label(object, SERVICE_NAME);
    if (event->previous != NULL && service != NULL && informer_get(controller->behind.informer, object->ns, service) != NULL)
        key_add_name(controller->queue, object->ns, service);
}

static void nothing(void *data, const struct informer_event *event)
{
    (void)data;
    (void)event;
}

static void stop(void *data)
{
    struct endpointslices *controller = data;
    endpoint_pods_stop(&controller->behind);
    informer_free(controller->informer);
    informer_free(controller->nodes);
    workqueue_free(controller->queue);
    mem_free(controller);
}

static void *start(const struct place_of_work *place, struct error *err)
{
    struct endpointslices *controller = mem_zero(1, sizeof *controller);
    if (controller == NULL) {
        error_memory(err);
        return NULL;
    }
    controller->place = *place;
    if ((controller->queue = workqueue_new(place->api->clock, place->api->state, work, controller, err)) != NULL &&
        (controller->nodes = informer_new(place->reader, &nodes_of, nothing, NULL, err)) != NULL &&
        endpoint_pods_start(&controller->behind, &controller->place, controller->queue, err) &&
        (controller->informer = informer_new(place->reader, &slices_of, changed, controller, err)) != NULL)
        return controller;
    stop(controller);
    return NULL;
}

const struct controller_type endpointslice_controller = {"endpointslice-controller", start, stop};
