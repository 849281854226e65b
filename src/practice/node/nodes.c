#include "practice/node/nodes.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/node/pod.h"
#include "practice/node/pod_volumes.h"

static const struct client_resource nodes_of = {"", "v1", "nodes"}, configmaps_of = {"", "v1", "configmaps"}, secrets_of = {"", "v1", "secrets"}, services_of = {"", "v1", "services"},
                                    claims_of = {"", "v1", "persistentvolumeclaims"}, volumes_of = {"", "v1", "persistentvolumes"}, leases_of = {"coordination.k8s.io", "v1", "leases"};

/* ---- Pods ---- */

static struct node *node_of(const struct nodes *nodes, const char *name)
{
    struct node *node = name[0] != '\0' ? map_get(&nodes->table, name) : NULL;
    return node != NULL && node->on && node->known ? node : NULL;
}

/* A Pod that a node has and that needs a worker: one that has not ended, or one that has and is to be deleted. */
static bool begin_pod(struct node *node, const struct pod_view *view, const struct value *document)
{
    struct nodes *nodes = node->nodes;
    struct error err = ERROR_INIT;
    if (pod_has_ended(view) && !view->deleting)
        return true;
    struct pod_worker *worker = pod_new(node, view, document, &err);
    if (worker == NULL)
        return false;
    if (!map_set(&nodes->workers, worker->uid, worker)) {
        pod_free(worker);
        return false;
    }
    pod_wake(worker);
    return true;
}

/* Those that the node has already. False: no memory. */
static bool begin_pods(struct node *node)
{
    const struct pods *pods = node->nodes->place.pods;
    bool whole = true;
    for (const struct pod_view *view = NULL; (view = pods_next_on(pods, node->name, view)) != NULL;) {
        if (map_has(&node->nodes->workers, view->object->uid))
            continue;
        struct value *document = pods_value(pods, view);
        whole = document != NULL && begin_pod(node, view, document) && whole;
        value_free(document);
    }
    return whole;
}

static void pod_event(void *data, const struct pods_event *event)
{
    struct nodes *nodes = data;
    const struct pod_view *view = event->pod != NULL ? event->pod : event->previous;
    struct pod_worker *worker = map_get(&nodes->workers, view->object->uid);
    if (event->pod == NULL) {
        map_remove(&nodes->workers, view->object->uid);
        pod_free(worker);
        return;
    }
    struct node *node = node_of(nodes, view->node);
    if (worker != NULL)
        pod_changed(worker, view, event->document);
    else if (node != NULL && !begin_pod(node, view, event->document))
        workqueue_add_after(nodes->pods, WORKQUEUE_ALL, POD_RELIST_MS);
}

/* Something was lost for want of memory, or a commit was undone: everything is looked at. */
static bool work_on_all(struct nodes *nodes)
{
    bool whole = true;
    size_t cursor = 0;
    for (const struct map_entry *entry; (entry = map_next(&nodes->table, &cursor)) != NULL;) {
        struct node *node = entry->value;
        if (node->on && node->known)
            whole = begin_pods(node) && whole;
    }
    cursor = 0;
    for (const struct map_entry *entry; (entry = map_next(&nodes->workers, &cursor)) != NULL;) {
        struct pod_worker *worker = entry->value;
        worker->version = 0; /* what it wrote may be undone */
        if (!worker->passing)
            pod_forget_document(worker);
        pod_wake(worker);
    }
    return whole;
}

static bool work_on_pod(void *data, const char *uid)
{
    struct nodes *nodes = data;
    if (uid[0] == '\0')
        return work_on_all(nodes);
    struct pod_worker *worker = map_get(&nodes->workers, uid);
    return worker == NULL || pod_work(worker);
}

/* ---- nodes ---- */

static void stop_pods(struct node *node)
{
    while (node->workers != NULL) {
        struct pod_worker *worker = node->workers;
        map_remove(&node->nodes->workers, worker->uid);
        pod_free(worker);
    }
}

static bool is_managed(const struct value *document)
{
    const char *text = value_find_text(document, "metadata", "annotations", NODES_MANAGED, NULL);
    return text != NULL && strcmp(text, "true") == 0;
}

/* What the object says of range, address and size. False: no memory. */
static bool learn(struct node *node, const struct value *document)
{
    const char *range = value_find_text(document, "spec", "podCIDR", NULL);
    const struct value *allocatable = value_find(document, "status", "allocatable", NULL);
    if (range == NULL || value_first(allocatable) == NULL)
        return true; /* node_write has something to do */
    for (const struct value *item = value_first(value_find(document, "status", "addresses", NULL)); item != NULL && node->ip[0] == '\0'; item = value_next(item)) {
        const char *type = value_find_text(item, "type", NULL), *address = value_find_text(item, "address", NULL);
        if (type != NULL && address != NULL && strcmp(type, "InternalIP") == 0)
            snprintf(node->ip, sizeof node->ip, "%s", address);
    }
    if (!node_number(node, range))
        return false;
    amounts_free(&node->allocatable);
    amounts_read(&node->allocatable, allocatable);
    if (node->allocatable.failed)
        return false;
    bool began = node->known;
    node->known = true;
    return began || !node->on || begin_pods(node);
}

static void node_gone(struct nodes *nodes, const char *name)
{
    struct node *node = map_get(&nodes->table, name);
    if (node == NULL)
        return;
    if (!node->own) {
        map_remove(&nodes->table, name);
        return;
    }
    workqueue_add(nodes->writes, name); /* a new cluster wants it again */
}

static void node_event(void *data, const struct informer_event *event)
{
    struct nodes *nodes = data;
    const struct object *object = event->object;
    if (object == NULL) {
        node_gone(nodes, event->previous->name);
        return;
    }
    struct node *node = map_get(&nodes->table, object->name);
    struct value *document = informer_value(nodes->objects, object);
    bool whole = document != NULL;
    if (whole && node == NULL && is_managed(document)) {
        node = node_new(nodes, object->name);
        whole = node != NULL && map_set(&nodes->table, object->name, node);
        node = map_get(&nodes->table, object->name);
    }
    if (node != NULL && !node->registered)
        workqueue_add(nodes->writes, object->name);
    if (whole && node != NULL)
        whole = learn(node, document);
    if (!whole)
        workqueue_add_after(nodes->writes, object->name, POD_RELIST_MS);
    value_free(document);
}

/* What was lost of an event is made up for. */
static bool look_at_node(struct nodes *nodes, const char *name)
{
    const struct object *object = informer_get(nodes->objects, "", name);
    if (object != NULL)
        node_event(nodes, &(struct informer_event){.object = object, .previous = object});
    return object == NULL || map_has(&nodes->table, name);
}

static bool work_on_node(void *data, const char *name)
{
    struct nodes *nodes = data;
    struct error err = ERROR_INIT;
    if (name[0] == '\0') {
        size_t cursor = 0;
        for (const struct map_entry *entry; (entry = map_next(&nodes->table, &cursor)) != NULL;) {
            ((struct node *)entry->value)->registered = false;
            workqueue_add(nodes->writes, entry->key);
        }
        return true;
    }
    struct node *node = map_get(&nodes->table, name);
    if (node == NULL)
        return look_at_node(nodes, name);
    return !node->on || node_write(node, &err);
}

/* ---- what Pods show of other objects ---- */

static void source_changed(struct nodes *nodes, const struct informer_event *event, bool secret)
{
    const struct object *object = event->object != NULL ? event->object : event->previous;
    if (strcmp(object->name, "kube-root-ca.crt") == 0 && event->previous == NULL)
        return;
    for (const struct pod_view *view = NULL; (view = pods_next_in(nodes->place.pods, object->ns, view)) != NULL;) {
        struct pod_worker *worker = map_get(&nodes->workers, view->object->uid);
        if (worker == NULL || worker->stage != STAGE_RUN || !pod_volumes_may_change(worker))
            continue;
        struct value *document = pods_value(nodes->place.pods, view);
        if (document == NULL || pod_volumes_show(document, secret, object->name))
            pod_source_changed(worker);
        value_free(document);
    }
}

static void configmap_event(void *data, const struct informer_event *event)
{
    source_changed(data, event, false);
}

static void secret_event(void *data, const struct informer_event *event)
{
    source_changed(data, event, true);
}

static void service_event(void *data, const struct informer_event *event)
{
    service_links_changed(data, (event->object != NULL ? event->object : event->previous)->ns);
}

static void no_event(void *data, const struct informer_event *event)
{
    (void)data;
    (void)event;
}

/* ---- */

static bool follow(struct nodes *nodes, struct informer **informer, const struct client_resource *resource, void (*event)(void *data, const struct informer_event *event), struct error *err)
{
    *informer = informer_new(nodes->place.reader, resource, event, nodes, err);
    return *informer != NULL;
}

static bool make_own(struct nodes *nodes, int count, struct error *err)
{
    char name[32];
    for (int i = 1; i <= count && i <= NODES_MOST; i++) {
        snprintf(name, sizeof name, "node%d", i);
        struct node *node = node_new(nodes, name);
        if (node == NULL || !map_set(&nodes->table, name, node))
            return error_memory(err);
        node->own = true;
        workqueue_add(nodes->writes, name);
    }
    return true;
}

struct nodes *nodes_new(const struct nodes_options *options, struct error *err)
{
    struct nodes *nodes = mem_zero(1, sizeof *nodes);
    if (nodes == NULL) {
        error_memory(err);
        return NULL;
    }
    struct api *api = options->place->api;
    nodes->place = *options->place;
    nodes->runtime = options->runtime;
    nodes->network = options->network;
    nodes->clock = api->clock;
    nodes->table = map_make(NODES_PODS, node_free);
    nodes->workers = map_make(NODES_PODS, NULL);
    nodes->images = map_make(NODES_PODS, image_name_free);
    service_links_init(nodes);
    if ((nodes->streams = streams_new(nodes, err)) != NULL && (nodes->pods = workqueue_new(nodes->clock, api->state, work_on_pod, nodes, err)) != NULL && (nodes->writes = workqueue_new(nodes->clock, api->state, work_on_node, nodes, err)) != NULL &&
        make_own(nodes, options->count, err) && follow(nodes, &nodes->configmaps, &configmaps_of, configmap_event, err) && follow(nodes, &nodes->secrets, &secrets_of, secret_event, err) &&
        follow(nodes, &nodes->services, &services_of, service_event, err) && follow(nodes, &nodes->claims, &claims_of, no_event, err) &&
        follow(nodes, &nodes->volumes, &volumes_of, no_event, err) && follow(nodes, &nodes->objects, &nodes_of, node_event, err) &&
        (nodes->follower = pods_follow(nodes->place.pods, pod_event, nodes, err)) != NULL)
        return nodes;
    nodes_free(nodes);
    return NULL;
}

void nodes_free(struct nodes *nodes)
{
    if (nodes == NULL)
        return;
    pods_unfollow(nodes->follower);
    streams_free(nodes->streams);
    map_free(&nodes->table);
    informer_free(nodes->objects);
    informer_free(nodes->volumes);
    informer_free(nodes->claims);
    informer_free(nodes->services);
    informer_free(nodes->secrets);
    informer_free(nodes->configmaps);
    workqueue_free(nodes->writes);
    workqueue_free(nodes->pods);
    map_free(&nodes->workers);
    map_free(&nodes->images);
    map_free(&nodes->links);
    mem_free(nodes->numbers);
    mem_free(nodes);
}

/* The Lease says for whoever watches over nodes that this one is off. */
static void mark_power(struct node *node)
{
    struct error err = ERROR_INIT;
    struct value *patch = value_object(), *metadata = patch != NULL ? value_child(patch, "metadata") : NULL, *notes = metadata != NULL ? value_child(metadata, "annotations") : NULL;
    if (node_ready(node, &err) && notes != NULL && value_set(notes, NODES_POWER, value_string("off")))
        value_free(client_patch(node->client, &leases_of, "", "kube-node-lease", node->name, PATCH_MERGE, patch, &err));
    else
        value_free(patch);
}

bool nodes_set_power(struct nodes *nodes, const char *name, bool on)
{
    struct node *node = map_get(&nodes->table, name);
    if (node == NULL)
        return false;
    if (node->on == on)
        return true;
    if (!on) {
        stop_pods(node);
        mark_power(node);
        node->on = false;
        return true;
    }
    node->on = true;
    node->registered = false;
    node->said = false;
    workqueue_add(nodes->writes, name);
    if (node->known && !begin_pods(node))
        workqueue_add_after(nodes->pods, WORKQUEUE_ALL, POD_RELIST_MS);
    return true;
}

/* ---- pod_table.h's ---- */

const struct place_of_work *nodes_place(const struct nodes *nodes)
{
    return &nodes->place;
}

const struct runtime *nodes_runtime(const struct nodes *nodes)
{
    return &nodes->runtime;
}

struct network *nodes_network(const struct nodes *nodes)
{
    return nodes->network;
}

struct pod_worker *pod_table_find(const struct nodes *nodes, const char *ns, const char *name)
{
    const struct pod_view *view = pods_get(nodes->place.pods, ns, name);
    return view != NULL ? map_get(&nodes->workers, view->object->uid) : NULL;
}

struct pod_worker *pod_table_next_on(const struct nodes *nodes, const char *node_name, const struct pod_worker *after)
{
    const struct node *node = after == NULL ? map_get(&nodes->table, node_name) : NULL;
    return after != NULL ? after->next : node != NULL ? node->workers : NULL;
}

const char *pod_worker_uid(const struct pod_worker *worker)
{
    return worker->uid;
}

const char *pod_worker_node(const struct pod_worker *worker)
{
    return worker->node->name;
}

struct runtime_sandbox *pod_worker_sandbox(const struct pod_worker *worker)
{
    return worker->sandbox_ready ? worker->sandbox : NULL;
}

const struct backend *nodes_backend(struct nodes *nodes)
{
    return streams_backend(nodes->streams);
}
