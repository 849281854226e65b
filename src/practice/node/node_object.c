/* Node objects and their Leases, as a kubelet writes them. A heartbeat that nobody looks at is not written: status and Lease are renewed when there is something to say (the node begins, its images change).
 * Who wants to know whether a node lives looks at the annotation that nodes_set_power leaves at its Lease. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "net/crypto.h"
#include "practice/node/node.h"

enum { NODE_TEXT = 256 << 10 };
#define LEASES_NAMESPACE "kube-node-lease"

static const struct client_resource nodes_resource = {"", "v1", "nodes"}, leases_resource = {"coordination.k8s.io", "v1", "leases"},
                                    namespaces_resource = {"", "v1", "namespaces"};

static const char resources[] = "{\"cpu\":\"4\",\"ephemeral-storage\":\"107374182400\",\"hugepages-1Gi\":\"0\",\"hugepages-2Mi\":\"0\",\"memory\":\"8388608Ki\",\"pods\":\"110\"}";
static const struct {
    const char *type, *status, *reason, *message, *event;
} conditions[] = {{"MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available", "NodeHasSufficientMemory"},
                  {"DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure", "NodeHasNoDiskPressure"},
                  {"PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available", "NodeHasSufficientPID"},
                  {"Ready", "True", "KubeletReady", "kubelet is posting ready status", "NodeReady"}};
enum { CONDITIONS = sizeof conditions / sizeof *conditions };

/* ---- */

static struct value *parse(struct buf *text)
{
    struct value *object = buf_ok(text) ? json_parse(text->bytes, text->length, "a node", NULL) : NULL;
    buf_clear(text);
    return object;
}

static const struct value *condition_of(const struct value *object, const char *type)
{
    for (const struct value *item = value_first(value_find(object, "status", "conditions", NULL)); item != NULL; item = value_next(item)) {
        const char *found = value_find_text(item, "type", NULL);
        if (found != NULL && strcmp(found, type) == 0)
            return item;
    }
    return NULL;
}

static void print_conditions(struct buf *out, const struct value *object, const char *now)
{
    for (size_t i = 0; i < CONDITIONS; i++) {
        const struct value *before = condition_of(object, conditions[i].type);
        const char *was = value_find_text(before, "status", NULL), *since = value_find_text(before, "lastTransitionTime", NULL);
        if (was == NULL || since == NULL || strcmp(was, conditions[i].status) != 0)
            since = now;
        buf_printf(out, "%s{\"type\":\"%s\",\"status\":\"%s\",\"lastHeartbeatTime\":\"%s\",\"lastTransitionTime\":\"%s\",\"reason\":\"%s\",\"message\":\"%s\"}", i > 0 ? "," : "", conditions[i].type,
                   conditions[i].status, now, since, conditions[i].reason, conditions[i].message);
    }
}

static int by_size(const void *a, const void *b)
{
    const struct image_name *left = a, *right = b;
    return left->size > right->size ? -1 : left->size < right->size;
}

/* The largest first. What has the same id is one image of several names. */
static void print_images(struct buf *out, const struct node *node)
{
    struct vec sorted = vec_make(node->images.length + 1, NULL);
    bool ok = true;
    for (size_t i = 0; i < node->images.length && ok; i++)
        ok = vec_push(&sorted, node->images.items[i]);
    if (!ok)
        buf_fail(out);
    vec_sort(&sorted, by_size);
    size_t shown = 0;
    for (size_t i = 0; i < sorted.length && shown < NODE_IMAGES; i++) {
        const struct image_name *image = sorted.items[i];
        if (image == NULL)
            continue;
        buf_printf(out, "%s{\"names\":[\"%s\",\"%s\"", shown++ > 0 ? "," : "", image->id, image->reference);
        for (size_t j = i + 1; j < sorted.length; j++) {
            const struct image_name *other = sorted.items[j];
            if (other == NULL || strcmp(other->id, image->id) != 0)
                continue;
            buf_printf(out, ",\"%s\"", other->reference);
            sorted.items[j] = NULL;
        }
        buf_printf(out, "],\"sizeBytes\":%lld}", (long long)image->size);
    }
    vec_free(&sorted);
}

/* The same for a node in each life: made from its uid. */
static void print_info(struct buf *out, const char *uid)
{
    char machine[65], boot[37], digest[65];
    crypto_sha256_hex(uid, strlen(uid), digest);
    snprintf(machine, sizeof machine, "%.32s", digest);
    snprintf(boot, sizeof boot, "%.8s-%.4s-4%.3s-a%.3s-%.12s", digest + 32, digest + 40, digest + 44, digest + 47, digest + 50);
    buf_printf(out,
               "{\"machineID\":\"%s\",\"systemUUID\":\"%s\",\"bootID\":\"%s\",\"kernelVersion\":\"6.12.0-practice\",\"osImage\":\"Debian GNU/Linux 12 (bookworm)\","
               "\"containerRuntimeVersion\":\"containerd://2.1.4\",\"kubeletVersion\":\"v1.37.2\",\"kubeProxyVersion\":\"\",\"operatingSystem\":\"linux\",\"architecture\":\"amd64\","
               "\"runningInUserNamespace\":false}",
               machine, machine, boot);
}

static void print_amounts(struct buf *out, const struct value *object, const char *key)
{
    const struct value *own = value_find(object, "status", key, NULL);
    if (value_first(own) != NULL)
        json_print(own, false, out);
    else
        buf_append_string(out, resources);
}

static void print_status(struct buf *out, const struct node *node, const struct value *object, const char *uid, const char *now)
{
    buf_append_string(out, "{\"status\":{\"addresses\":[");
    buf_printf(out, "{\"type\":\"InternalIP\",\"address\":\"%s\"},{\"type\":\"Hostname\",\"address\":\"%s\"}],\"capacity\":", node->ip, node->name);
    print_amounts(out, object, "capacity");
    buf_append_string(out, ",\"allocatable\":");
    print_amounts(out, object, value_first(value_find(object, "status", "allocatable", NULL)) != NULL ? "allocatable" : "capacity");
    buf_append_string(out, ",\"conditions\":[");
    print_conditions(out, object, now);
    buf_append_string(out, "],\"daemonEndpoints\":{\"kubeletEndpoint\":{\"Port\":10250}},\"features\":{\"supplementalGroupsPolicy\":true},\"images\":[");
    print_images(out, node);
    buf_append_string(out, "],\"nodeInfo\":");
    print_info(out, uid);
    buf_append_string(out, ",\"runtimeHandlers\":[{\"name\":\"\",\"features\":{\"recursiveReadOnlyMounts\":true,\"userNamespaces\":false}},"
                           "{\"name\":\"runc\",\"features\":{\"recursiveReadOnlyMounts\":true,\"userNamespaces\":false}}]}}");
}

/* ---- */

static struct value *create(struct node *node, struct buf *text, struct error *err)
{
    char range[32];
    if (!node_number(node, NULL)) {
        error_memory(err);
        return NULL;
    }
    node_range(node, range);
    buf_printf(text,
               "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\",\"labels\":{\"beta.kubernetes.io/arch\":\"amd64\",\"beta.kubernetes.io/os\":\"linux\","
               "\"kubernetes.io/arch\":\"amd64\",\"kubernetes.io/hostname\":\"%s\",\"kubernetes.io/os\":\"linux\"},\"annotations\":{\"node.alpha.kubernetes.io/ttl\":\"0\","
               "\"volumes.kubernetes.io/controller-managed-attach-detach\":\"true\"}},\"spec\":{\"podCIDR\":\"%s\",\"podCIDRs\":[\"%s\"]}}",
               node->name, node->name, range, range);
    struct value *object = parse(text);
    if (object == NULL) {
        error_memory(err);
        return NULL;
    }
    return client_create(node->client, &nodes_resource, "", object, err);
}

static bool patch(struct node *node, const char *sub, struct buf *text, struct error *err)
{
    struct value *body = parse(text);
    struct value *answer = body != NULL ? client_patch(node->client, &nodes_resource, sub, "", node->name, PATCH_MERGE, body, err) : NULL;
    if (body == NULL)
        error_memory(err);
    value_free(answer);
    return answer != NULL;
}

/* One that somebody else made has no range yet. */
static bool give_range(struct node *node, const struct value *object, struct buf *text, struct error *err)
{
    char range[32];
    if (!node_number(node, value_find_text(object, "spec", "podCIDR", NULL)))
        return error_memory(err);
    if (value_find_text(object, "spec", "podCIDR", NULL) != NULL)
        return true;
    node_range(node, range);
    buf_printf(text, "{\"spec\":{\"podCIDR\":\"%s\",\"podCIDRs\":[\"%s\"]}}", range, range);
    return patch(node, "", text, err);
}

static bool write_lease(struct node *node, const char *uid, const char *now, struct buf *text, struct error *err)
{
    struct error why = ERROR_INIT;
    buf_printf(text,
               "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"" LEASES_NAMESPACE "\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Node\","
               "\"name\":\"%s\",\"uid\":\"%s\"}]},\"spec\":{\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":40,\"renewTime\":\"%.19s.000000Z\"}}",
               node->name, node->name, uid, node->name, now);
    struct value *lease = parse(text), *made = lease != NULL ? client_create(node->client, &leases_resource, LEASES_NAMESPACE, lease, &why) : NULL;
    if (made == NULL && why.kind == ERROR_EXISTS) {
        buf_printf(text, "{\"metadata\":{\"annotations\":{\"" NODES_POWER "\":null}},\"spec\":{\"renewTime\":\"%.19s.000000Z\"}}", now);
        lease = parse(text);
        made = lease != NULL ? client_patch(node->client, &leases_resource, "", LEASES_NAMESPACE, node->name, PATCH_MERGE, lease, err) : NULL;
    } else if (made == NULL) {
        *err = why;
    }
    value_free(made);
    return made != NULL || (lease == NULL && error_memory(err));
}

static void say_start(struct node *node, const char *uid, bool ready_before)
{
    /* as the kubelet does it: what it says before it knows its object has no uid */
    struct recorder_about about = {.kind = "Node", .api_version = "v1", .ns = "", .name = node->name, .uid = "", .version = ""};
    recorder_say(node->recorder, &about, false, "Starting", NULL, "Starting kubelet.");
    for (size_t i = 0; i < CONDITIONS; i++) {
        bool last = i == CONDITIONS - 1;
        if (last && ready_before)
            continue;
        about.uid = last ? uid : "";
        recorder_say(node->recorder, &about, false, conditions[i].event, NULL, "Node %s status is now: %s", node->name, conditions[i].event);
    }
}

static void adopt_address(struct node *node, const struct value *object)
{
    for (const struct value *item = value_first(value_find(object, "status", "addresses", NULL)); item != NULL && node->ip[0] == '\0'; item = value_next(item)) {
        const char *type = value_find_text(item, "type", NULL), *address = value_find_text(item, "address", NULL);
        if (type != NULL && address != NULL && strcmp(type, "InternalIP") == 0)
            snprintf(node->ip, sizeof node->ip, "%s", address);
    }
}

/* A node that somebody deleted stays away until its kubelet starts again; but a cluster that was reset has never had it. */
static void notice_new_cluster(struct node *node)
{
    struct nodes *nodes = node->nodes;
    struct value *system = client_get(nodes->place.reader, &namespaces_resource, "", "kube-system", NULL);
    const char *uid = value_find_text(system, "metadata", "uid", NULL);
    if (uid != NULL && nodes->cluster[0] == '\0')
        snprintf(nodes->cluster, sizeof nodes->cluster, "%s", uid);
    if (uid != NULL && strcmp(nodes->cluster, uid) != 0) {
        size_t cursor = 0;
        snprintf(nodes->cluster, sizeof nodes->cluster, "%s", uid);
        for (const struct map_entry *entry; (entry = map_next(&nodes->table, &cursor)) != NULL;)
            ((struct node *)entry->value)->registered = false;
    }
    value_free(system);
}

bool node_write(struct node *node, struct error *err)
{
    const struct object *known = informer_get(node->nodes->objects, "", node->name);
    struct buf text = buf_make(NODE_TEXT);
    char now[21], uid[64] = "";
    if (node->own && known == NULL)
        notice_new_cluster(node);
    bool ok = node_ready(node, err), begins = !node->registered;
    struct value *object = NULL;
    if (!ok || (!begins && !node->images_changed) || (!node->own && known == NULL))
        goto out;
    struct error why = ERROR_INIT;
    object = client_get(node->client, &nodes_resource, "", node->name, &why);
    if (object == NULL && why.kind == ERROR_NOT_FOUND && node->own)
        object = create(node, &text, err);
    else if (object == NULL)
        *err = why;
    ok = object != NULL;
    if (!ok)
        goto out;
    adopt_address(node, object);
    time_print(cluster_clock_ms(node->nodes->clock), now);
    snprintf(uid, sizeof uid, "%s", value_find_text(object, "metadata", "uid", NULL));
    const char *ready = value_find_text(condition_of(object, "Ready"), "status", NULL);
    bool was_ready = ready != NULL && strcmp(ready, "True") == 0;
    ok = give_range(node, object, &text, err);
    if (ok) {
        print_status(&text, node, object, uid, now);
        ok = patch(node, "status", &text, err);
    }
    ok = ok && (!begins || write_lease(node, uid, now, &text, err));
    if (ok && begins && node->own && !node->said) {
        say_start(node, uid, was_ready);
        node->said = true;
    }
    if (ok) {
        node->registered = true;
        node->images_changed = false;
    }
out:
    value_free(object);
    buf_free(&text);
    return ok;
}
