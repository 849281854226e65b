/* cluster: the nodes, and the Pods that take room on them. A Pod that was given a node counts from that moment on, before its
 * event came. */
#include <string.h>

#include "base/mem.h"
#include "practice/scheduler/internal.h"

static const struct client_resource nodes_of = {"", "v1", "nodes"}, namespaces_of = {"", "v1", "namespaces"};

const char *node_label(const struct node *node, const char *key)
{
    return node->object != NULL ? object_label(node->object, key) : NULL;
}

/* ---- sums ---- */

static void add(struct need *sum, const struct need *part, int sign)
{
    sum->cpu += sign * part->cpu;
    sum->memory += sign * part->memory;
    sum->guess_cpu += sign * part->guess_cpu;
    sum->guess_memory += sign * part->guess_memory;
    for (size_t i = 0; i < part->others.count; i++) {
        struct amount amount = part->others.items[i].amount;
        if (sign < 0)
            amount.nano = -amount.nano;
        amounts_add(&sum->others, part->others.items[i].name, amount);
    }
}

static void node_free(void *data)
{
    struct node *node = data;
    mem_free(node->name);
    if (node->object != NULL)
        object_unref(node->object);
    value_free(node->document);
    need_free(&node->room);
    need_free(&node->used);
    vec_free(&node->placed);
    mem_free(node);
}

static void placed_free(void *data)
{
    struct placed *placed = data;
    mem_free(placed->uid);
    mem_free(placed->ns);
    if (placed->object != NULL)
        object_unref(placed->object);
    value_free(placed->labels);
    need_free(&placed->need);
    vec_free(&placed->ports);
    vec_free(&placed->apart);
    mem_free(placed);
}

static struct node *node_of(struct cluster *cluster, const char *name)
{
    struct node *node = map_get(&cluster->nodes, name);
    if (node != NULL)
        return node;
    node = mem_zero(1, sizeof *node);
    if (node == NULL)
        return NULL;
    node->placed = vec_make(SCHEDULER_PODS, NULL);
    node->gone = true;
    node->name = mem_string(name);
    if (node->name != NULL && map_set(&cluster->nodes, name, node))
        return node;
    if (node->name == NULL)
        node_free(node);
    return NULL;
}

static void take_off(struct cluster *cluster, struct placed *placed)
{
    struct node *node = placed->node;
    if (node == NULL)
        return;
    for (size_t i = node->placed.length; i-- > 0;)
        if (node->placed.items[i] == placed)
            vec_remove(&node->placed, i);
    add(&node->used, &placed->need, -1);
    node->pod_count--;
    cluster->with_terms -= placed->apart.length > 0;
    placed->node = NULL;
    if (node->gone && node->placed.length == 0)
        map_remove(&cluster->nodes, node->name);
}

static bool put_on(struct cluster *cluster, struct placed *placed, struct node *node)
{
    if (!vec_push(&node->placed, placed))
        return false;
    add(&node->used, &placed->need, 1);
    node->pod_count++;
    cluster->with_terms += placed->apart.length > 0;
    placed->node = node;
    return true;
}

/* ---- Pods ---- */

static struct placed *placed_new(const struct value *document)
{
    struct placed *placed = mem_zero(1, sizeof *placed);
    const struct value *metadata = value_get(document, "metadata"), *labels = value_get(metadata, "labels");
    const struct value *terms =
        value_find(document, "spec", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution", NULL);
    const char *uid = value_find_text(metadata, "uid", NULL), *ns = value_find_text(metadata, "namespace", NULL);
    if (placed == NULL)
        return NULL;
    placed->ports = vec_make(SCHEDULER_PARTS, mem_free);
    placed->apart = vec_make(SCHEDULER_PARTS, pod_term_free);
    placed->uid = mem_string(uid != NULL ? uid : "");
    placed->ns = mem_string(ns != NULL ? ns : "");
    placed->labels = labels != NULL ? value_copy(labels) : value_object();
    placed->priority = (int32_t)value_find_int(document, 0, "spec", "priority", NULL);
    if (placed->uid != NULL && placed->ns != NULL && placed->labels != NULL && need_of(document, &placed->need) &&
        wish_read_ports(document, &placed->ports) && wish_read_terms(terms, false, placed->ns, &placed->apart))
        return placed;
    placed_free(placed);
    return NULL;
}

static bool place_pod(struct cluster *cluster, const struct value *document, const struct object *object, struct node *node,
                      bool assumed)
{
    struct placed *placed = placed_new(document), *old = placed != NULL ? map_get(&cluster->placed, placed->uid) : NULL;
    if (placed == NULL)
        return false;
    if (old != NULL) {
        take_off(cluster, old);
        map_remove(&cluster->placed, placed->uid);
        node = map_get(&cluster->nodes, node->name); /* one that is gone may have gone with its last Pod */
    }
    placed->object = object != NULL ? object_ref(object) : NULL;
    placed->assumed = assumed;
    if (node == NULL || !map_set(&cluster->placed, placed->uid, placed)) {
        if (node == NULL)
            placed_free(placed);
        return false;
    }
    if (put_on(cluster, placed, node))
        return true;
    map_remove(&cluster->placed, placed->uid);
    return false;
}

bool cluster_assume(struct cluster *cluster, const struct wish *wish, struct node *node)
{
    return place_pod(cluster, wish->document, NULL, node, true);
}

void cluster_forget(struct cluster *cluster, const char *uid)
{
    struct placed *placed = map_get(&cluster->placed, uid);
    if (placed == NULL)
        return;
    take_off(cluster, placed);
    map_remove(&cluster->placed, uid);
}

void cluster_lift(struct cluster *cluster, struct placed *placed)
{
    struct node *node = placed->node;
    for (size_t i = node->placed.length; i-- > 0;)
        if (node->placed.items[i] == placed)
            vec_take(&node->placed, i);
    add(&node->used, &placed->need, -1);
    node->pod_count--;
    cluster->with_terms -= placed->apart.length > 0;
}

void cluster_put_back(struct cluster *cluster, struct placed *placed, struct node *node)
{
    (void)!put_on(cluster, placed, node); /* there is room in the list: it was taken out of it */
}

static void pod_changed(void *data, const struct pods_event *event)
{
    struct cluster *cluster = data;
    const struct pod_view *pod = event->pod, *was = event->previous;
    const char *uid = (pod != NULL ? pod : was)->object->uid;
    struct placed *placed = map_get(&cluster->placed, uid);
    if (pod == NULL || pod_has_ended(pod) || pod->node[0] == '\0') {
        if (placed != NULL && (!placed->assumed || pod == NULL || pod_has_ended(pod))) {
            cluster_forget(cluster, uid);
            scheduler_wake(cluster->scheduler, CHANGED_ROOM);
        }
        return;
    }
    bool same_spec = placed != NULL && placed->object != NULL && was != NULL && strcmp(was->node, pod->node) == 0;
    if (same_spec) { /* most events: only its status changed */
        const struct value *labels = value_find(event->document, "metadata", "labels", NULL);
        placed->deleting = pod->deleting;
        placed->started_ms = pod->started_ms;
        if (labels != NULL && value_equal(labels, placed->labels))
            return;
    }
    struct node *node = node_of(cluster, pod->node);
    if (node == NULL || !place_pod(cluster, event->document, pod->object, node, false))
        return; /* without memory it counts when it changes next */
    placed = map_get(&cluster->placed, uid);
    placed->deleting = pod->deleting;
    placed->started_ms = pod->started_ms;
    scheduler_wake(cluster->scheduler, CHANGED_POD);
}

/* ---- nodes ---- */

static bool read_room(struct node *node)
{
    struct amounts all = {0};
    need_free(&node->room);
    node->room = (struct need){0};
    amounts_read(&all, value_find(node->document, "status", "allocatable", NULL));
    const struct amount_item *cpu = amounts_find(&all, "cpu"), *memory = amounts_find(&all, "memory"),
                             *pods = amounts_find(&all, "pods");
    node->room.cpu = cpu != NULL ? (int64_t)(cpu->amount.nano / 1000000) : 0;
    node->room.memory = memory != NULL ? amount_whole(memory->amount) : 0;
    node->pods_room = pods != NULL ? amount_whole(pods->amount) : 0;
    if (all.failed) {
        amounts_free(&all);
        return false;
    }
    node->room.others = all;
    return true;
}

static void unlist(struct cluster *cluster, const struct node *node)
{
    for (size_t i = cluster->order.length; i-- > 0;)
        if (cluster->order.items[i] == node)
            vec_remove(&cluster->order, i);
}

/* Whether something that filters look at is other than before: a heartbeat wakes nobody. */
static bool differs(const struct value *a, const struct value *b)
{
    return !value_equal(value_get(a, "spec"), value_get(b, "spec")) ||
           !value_equal(value_find(a, "metadata", "labels", NULL), value_find(b, "metadata", "labels", NULL)) ||
           !value_equal(value_find(a, "status", "allocatable", NULL), value_find(b, "status", "allocatable", NULL));
}

static void node_changed(void *data, const struct informer_event *event)
{
    struct cluster *cluster = data;
    const char *name = (event->object != NULL ? event->object : event->previous)->name;
    struct node *node = event->object != NULL ? node_of(cluster, name) : map_get(&cluster->nodes, name);
    if (node == NULL)
        return;
    if (event->object == NULL) {
        unlist(cluster, node);
        node->gone = true;
        if (node->placed.length == 0)
            map_remove(&cluster->nodes, name);
        scheduler_wake(cluster->scheduler, CHANGED_NODE);
        return;
    }
    struct value *document = informer_value(cluster->informer, event->object), *old = node->document;
    if (document == NULL)
        return;
    bool other = old == NULL || differs(old, document);
    node->document = document;
    if (node->object != NULL)
        object_unref(node->object);
    node->object = object_ref(event->object);
    value_free(old);
    if (other && !read_room(node))
        node->pods_room = 0; /* without memory nothing comes to it until it changes next */
    if (node->gone && vec_push(&cluster->order, node))
        node->gone = false;
    if (other)
        scheduler_wake(cluster->scheduler, CHANGED_NODE);
}

static void nothing(void *data, const struct informer_event *event)
{
    (void)data;
    (void)event;
}

bool cluster_start(struct cluster *cluster, struct scheduler *scheduler, const struct place_of_work *place, struct error *err)
{
    *cluster = (struct cluster){.scheduler = scheduler, .place = place};
    cluster->nodes = map_make(SCHEDULER_NODES, node_free);
    cluster->placed = map_make(SCHEDULER_PODS, placed_free);
    cluster->order = vec_make(SCHEDULER_NODES, NULL);
    return (cluster->namespaces = informer_new(place->reader, &namespaces_of, nothing, NULL, err)) != NULL &&
           (cluster->informer = informer_new(place->reader, &nodes_of, node_changed, cluster, err)) != NULL &&
           (cluster->follower = pods_follow(place->pods, pod_changed, cluster, err)) != NULL;
}

void cluster_stop(struct cluster *cluster)
{
    pods_unfollow(cluster->follower);
    informer_free(cluster->informer);
    informer_free(cluster->namespaces);
    vec_free(&cluster->order);
    map_free(&cluster->placed);
    map_free(&cluster->nodes);
    *cluster = (struct cluster){0};
}

bool pod_term_matches(const struct cluster *cluster, const struct pod_term *term, const char *ns, const struct value *labels)
{
    bool in = vec_has_string(&term->ns, ns);
    if (!in && term->namespaces != NULL) {
        const struct object *object = informer_get(cluster->namespaces, "", ns);
        in = object != NULL && label_selector_matches(term->namespaces, object);
    }
    return in && term->selector != NULL && label_selector_matches_labels(term->selector, labels);
}
