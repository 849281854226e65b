/* tree.c: the gallery's objects as rows: owners first, what they own below them. */
#include "lesson/tree.h"

#include <stdio.h>
#include <string.h>

#include "base/lang.h"
#include "base/mem.h"
#include "lesson/internal.h"

enum { TREE_ROWS = 20000, TREE_DEPTH = 8 };

/* ---- one line about an object ---- */

typedef enum tree_health summary(const struct value *object, char *out, size_t room);

static long long number(const struct value *object, const char *part, const char *field)
{
    return (long long)value_find_int(object, 0, part, field, NULL);
}

static enum tree_health workload(const struct value *object, char *out, size_t room)
{
    long long wanted = (long long)value_find_int(object, 1, "spec", "replicas", NULL), ready = number(object, "status", "readyReplicas");
    long long updated = number(object, "status", "updatedReplicas");
    bool behind = value_find_int(object, 0, "status", "observedGeneration", NULL) < value_find_int(object, 0, "metadata", "generation", NULL);
    bool settled = ready == wanted && !behind && (value_find(object, "status", "updatedReplicas", NULL) == NULL || updated == wanted);
    snprintf(out, room, "%lld/%lld%s%s", ready, wanted, settled ? "" : " ", settled ? "" : _("updating"));
    return settled ? TREE_GOOD : TREE_BUSY;
}

static enum tree_health replicaset(const struct value *object, char *out, size_t room)
{
    long long wanted = (long long)value_find_int(object, 1, "spec", "replicas", NULL), ready = number(object, "status", "readyReplicas");
    snprintf(out, room, "%lld/%lld", ready, wanted);
    return wanted == 0 ? TREE_PLAIN : ready == wanted ? TREE_GOOD : TREE_BUSY;
}

/* The first reason that a container gives for not running. */
static const char *waiting_reason(const struct value *statuses)
{
    for (const struct value *c = value_first(statuses); c != NULL; c = value_next(c)) {
        const char *reason = value_find_text(c, "state", "waiting", "reason", NULL);
        if (reason != NULL && strcmp(reason, "PodInitializing") != 0 && strcmp(reason, "ContainerCreating") != 0)
            return reason;
    }
    return NULL;
}

static bool is_ready(const struct value *object)
{
    for (const struct value *c = value_first(value_find(object, "status", "conditions", NULL)); c != NULL; c = value_next(c)) {
        const char *type = value_find_text(c, "type", NULL), *status = value_find_text(c, "status", NULL);
        if (type != NULL && status != NULL && strcmp(type, "Ready") == 0)
            return strcmp(status, "True") == 0;
    }
    return false;
}

static enum tree_health pod(const struct value *object, char *out, size_t room)
{
    const char *phase = value_find_text(object, "status", "phase", NULL);
    const char *init = waiting_reason(value_find(object, "status", "initContainerStatuses", NULL));
    const char *reason = init != NULL ? init : waiting_reason(value_find(object, "status", "containerStatuses", NULL));
    long long restarts = 0, done = 0, all = (long long)value_length(value_find(object, "spec", "initContainers", NULL));
    for (const struct value *c = value_first(value_find(object, "status", "containerStatuses", NULL)); c != NULL; c = value_next(c))
        restarts += (long long)value_find_int(c, 0, "restartCount", NULL);
    for (const struct value *c = value_first(value_find(object, "status", "initContainerStatuses", NULL)); c != NULL; c = value_next(c))
        done += value_is_true(value_get(c, "ready"));
    bool pending = phase != NULL && strcmp(phase, "Pending") == 0, ready = is_ready(object);
    int used = snprintf(out, room, "%s%s%s", phase != NULL ? phase : "", reason != NULL ? ": " : "", reason != NULL ? reason : "");
    if (pending && reason == NULL && all > 0 && used > 0 && (size_t)used < room)
        used += snprintf(out + used, room - (size_t)used, " Init:%lld/%lld", done, all);
    if (phase != NULL && strcmp(phase, "Running") == 0 && !ready && reason == NULL && used > 0 && (size_t)used < room)
        used += snprintf(out + used, room - (size_t)used, ", %s", _("not ready"));
    if (restarts > 0 && used > 0 && (size_t)used < room)
        snprintf(out + used, room - (size_t)used, _(", restarts %lld"), restarts);
    bool ended = phase != NULL && strcmp(phase, "Succeeded") == 0;
    return ready || ended ? TREE_GOOD : reason != NULL || (phase != NULL && strcmp(phase, "Failed") == 0) ? TREE_BAD : TREE_BUSY;
}

static enum tree_health service(const struct value *object, char *out, size_t room)
{
    const char *ip = value_find_text(object, "spec", "clusterIP", NULL), *type = value_find_text(object, "spec", "type", NULL);
    const struct value *port = value_first(value_find(object, "spec", "ports", NULL));
    snprintf(out, room, "%s:%lld%s%s", ip != NULL ? ip : "", (long long)value_find_int(port, 0, "port", NULL), type != NULL && strcmp(type, "ClusterIP") != 0 ? " " : "",
             type != NULL && strcmp(type, "ClusterIP") != 0 ? type : "");
    return TREE_PLAIN;
}

static enum tree_health slice(const struct value *object, char *out, size_t room)
{
    size_t ready = 0, all = 0;
    for (const struct value *e = value_first(value_get(object, "endpoints")); e != NULL; e = value_next(e), all++) {
        const struct value *condition = value_find(e, "conditions", "ready", NULL);
        ready += condition == NULL || value_is_true(condition);
    }
    snprintf(out, room, _("%zu of %zu endpoints ready"), ready, all);
    return ready == 0 ? TREE_BUSY : TREE_GOOD;
}

static enum tree_health job(const struct value *object, char *out, size_t room)
{
    long long wanted = (long long)value_find_int(object, 1, "spec", "completions", NULL), succeeded = number(object, "status", "succeeded");
    snprintf(out, room, "%lld/%lld", succeeded, wanted);
    return succeeded >= wanted ? TREE_GOOD : TREE_BUSY;
}

static enum tree_health claim(const struct value *object, char *out, size_t room)
{
    const char *phase = value_find_text(object, "status", "phase", NULL);
    snprintf(out, room, "%s", phase != NULL ? phase : "");
    return phase != NULL && strcmp(phase, "Bound") == 0 ? TREE_GOOD : TREE_BUSY;
}

static enum tree_health data_keys(const struct value *object, char *out, size_t room)
{
    size_t keys = value_length(value_get(object, "data"));
    snprintf(out, room, lang_plural("%zu key", "%zu keys", keys), keys);
    return TREE_PLAIN;
}

/* Any other kind: the conditions that are False, else the first plain words of its status. */
static enum tree_health other(const struct value *object, char *out, size_t room)
{
    const char *phase = value_find_text(object, "status", "phase", NULL);
    out[0] = '\0';
    for (const struct value *c = value_first(value_find(object, "status", "conditions", NULL)); c != NULL; c = value_next(c)) {
        const char *type = value_find_text(c, "type", NULL), *status = value_find_text(c, "status", NULL), *message = value_find_text(c, "message", NULL);
        if (type != NULL && status != NULL && strcmp(status, "False") == 0) {
            snprintf(out, room, "%s=False%s%.80s", type, message != NULL ? ": " : "", message != NULL ? message : "");
            return TREE_BUSY;
        }
    }
    if (phase != NULL)
        snprintf(out, room, "%s", phase);
    return is_ready(object) ? TREE_GOOD : TREE_PLAIN;
}

static const struct {
    const char *kind;
    summary *summarize;
} summaries[] = {
    {"Deployment", workload}, {"StatefulSet", workload}, {"ReplicaSet", replicaset}, {"ReplicationController", replicaset},
    {"Pod", pod},             {"Service", service},      {"EndpointSlice", slice},   {"Job", job},
    {"ConfigMap", data_keys}, {"Secret", data_keys},     {"PersistentVolumeClaim", claim},
};

/* ---- rows ---- */

struct node {
    const struct value *object;
    const struct kube_resource *resource;
    const char *uid, *owner; /* owner: uid of the owner that is in the tree, or NULL */
    size_t first_child, next_sibling; /* index + 1 */
};

static void fill_row(struct lesson_run *run, const struct node *node, int depth, struct tree_row *row)
{
    *row = (struct tree_row){.depth = depth, .kind = node->resource->kind, .resource = node->resource->plural, .object = node->object};
    row->name = value_find_text(node->object, "metadata", "name", NULL);
    row->ns = value_find_text(node->object, "metadata", "namespace", NULL);
    row->changed_ms = gallery_changed(run->gallery, node->uid);
    summary *summarize = other;
    for (size_t i = 0; i < sizeof summaries / sizeof *summaries; i++)
        if (strcmp(summaries[i].kind, row->kind) == 0)
            summarize = summaries[i].summarize;
    row->health = summarize(node->object, row->summary, sizeof row->summary);
    if (value_find(node->object, "metadata", "deletionTimestamp", NULL) != NULL) {
        row->health = TREE_GOING;
        snprintf(row->summary, sizeof row->summary, "%s", _("being deleted"));
    }
}

/* The uid of the first owner (a controller before others) that the map of nodes has. A Service owns its EndpointSlices in this sense, too. */
static const char *owner_of(const struct value *object, const struct map *by_uid)
{
    for (const struct value *owner = value_first(value_find(object, "metadata", "ownerReferences", NULL)); owner != NULL; owner = value_next(owner)) {
        const char *uid = value_find_text(owner, "uid", NULL);
        if (uid != NULL && map_has(by_uid, uid))
            return uid;
    }
    return NULL;
}

struct building {
    struct lesson_run *run;
    struct node *nodes;
    size_t count, room;
    struct map by_uid; /* -> struct node index + 1, as a pointer-sized number */
    size_t rows;
};

static bool collect(struct building *b)
{
    const struct gallery *gallery = b->run->gallery;
    size_t total = 0;
    const struct kube_resource *resource;
    for (size_t i = 0; i < gallery_watches(gallery); i++) {
        struct kube_watch *watch = gallery_watch(gallery, i, &resource);
        total += watch != NULL ? kube_watch_count(watch) : 0;
    }
    b->room = total < TREE_ROWS ? total : TREE_ROWS;
    b->nodes = mem_zero(b->room, sizeof *b->nodes);
    if (b->nodes == NULL)
        return false;
    for (size_t i = 0; i < gallery_watches(gallery); i++) {
        struct kube_watch *watch = gallery_watch(gallery, i, &resource);
        size_t cursor = 0;
        for (const struct value *object; watch != NULL && b->count < b->room && (object = kube_watch_next(watch, &cursor)) != NULL;) {
            const char *uid = value_find_text(object, "metadata", "uid", NULL);
            if (uid == NULL)
                continue;
            b->nodes[b->count] = (struct node){.object = object, .resource = resource, .uid = uid};
            if (!map_set(&b->by_uid, uid, &b->nodes[b->count]))
                return false;
            b->count++;
        }
    }
    return true;
}

static void link_children(struct building *b, size_t *first_root)
{
    for (size_t i = b->count; i > 0; i--) { /* backwards, so that siblings end up in order */
        struct node *node = &b->nodes[i - 1];
        node->owner = owner_of(node->object, &b->by_uid);
        struct node *owner = node->owner != NULL ? map_get(&b->by_uid, node->owner) : NULL;
        size_t *list = owner != NULL && owner != node ? &owner->first_child : first_root;
        node->next_sibling = *list;
        *list = i;
    }
}

static void emit(struct building *b, size_t list, int depth)
{
    for (; list != 0 && depth < TREE_DEPTH; list = b->nodes[list - 1].next_sibling) {
        if (b->rows >= b->count)
            return; /* owner references in a ring */
        fill_row(b->run, &b->nodes[list - 1], depth, &b->run->rows[b->rows++]);
        emit(b, b->nodes[list - 1].first_child, depth + 1);
    }
}

const struct tree_row *lesson_tree(struct lesson_run *run, size_t *count)
{
    struct building b = {.run = run, .by_uid = map_make(TREE_ROWS, NULL)};
    size_t roots = 0;
    *count = 0;
    if (run->gallery == NULL)
        return NULL;
    bool ok = collect(&b);
    if (ok && b.count > run->row_room) {
        struct tree_row *rows = mem_resize(run->rows, b.count * sizeof *rows);
        ok = rows != NULL;
        if (ok) {
            run->rows = rows;
            run->row_room = b.count;
        }
    }
    if (ok && b.count > 0) {
        link_children(&b, &roots);
        emit(&b, roots, 0);
        *count = b.rows;
    }
    map_free(&b.by_uid);
    mem_free(b.nodes);
    return run->rows;
}
