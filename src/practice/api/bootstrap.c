#include "practice/api/bootstrap.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "net/crypto.h"
#include "practice/api/access.h"
#include "practice/api/user.h"

#define SERVER_VERSION "v1.37.2"

enum { TEXT = 16 << 10 };

/* Who makes it: the server itself, which may everything. */
struct maker {
    struct api *api;
    struct user user;
    struct error *err;
};

/* One call from inside. Takes body over. */
static bool run(struct maker *maker, struct call *call, struct value *body)
{
    struct answer answer = {0};
    call->user = &maker->user;
    call->user_agent = "";
    call->body = body;
    call->grace = -1;
    api_run(maker->api, call, &answer);
    value_free(call->body);
    bool done = answer.failure.code == 0 || status_as_error(&answer.failure, "bootstrap", maker->err);
    answer_free(&answer);
    return done;
}

/* Creates an object unless it is there. Takes it over. */
static bool make(struct maker *maker, const char *group, const char *plural, const char *manager, struct value *object)
{
    struct api *api = maker->api;
    const struct schema_kind *kind = registry_find(api->registry, group, "v1", plural);
    const char *name = value_find_text(object, "metadata", "name", NULL), *ns = value_find_text(object, "metadata", "namespace", NULL);
    if (kind == NULL || name == NULL) {
        value_free(object);
        return object == NULL ? error_memory(maker->err) : error_set(maker->err, ERROR_INTERNAL, "bootstrap", "%s are not served", plural);
    }
    if (state_get(api->state, registry_resource(api->registry, kind), ns != NULL ? ns : "", name) != NULL) {
        value_free(object);
        return true;
    }
    char *place = mem_string(ns != NULL ? ns : "");
    struct call call = {.verb = VERB_CREATE, .kind = kind, .ns = place, .manager = manager};
    if (place == NULL)
        value_free(object);
    bool made = place != NULL ? run(maker, &call, object) : error_memory(maker->err);
    mem_free(place);
    return made;
}

static struct value *parse(const struct buf *text)
{
    return buf_ok(text) ? json_parse(text->bytes, text->length, "bootstrap", NULL) : NULL;
}

static bool make_text(struct maker *maker, const char *group, const char *plural, const char *manager, struct buf *text)
{
    struct value *object = parse(text);
    buf_clear(text);
    return object != NULL ? make(maker, group, plural, manager, object) : error_memory(maker->err);
}

static bool make_namespaces(struct maker *maker, struct buf *text)
{
    static const char *const names[] = {"kube-system", "kube-public", "kube-node-lease", "default"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        buf_printf(text, "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%s\"}}", names[i]);
        if (!make_text(maker, "", "namespaces", "kube-apiserver", text))
            return false;
    }
    return true;
}

static bool add_policy(void *data, const char *plural, struct value *object, struct error *err)
{
    (void)err; /* the maker has it */
    return make(data, "rbac.authorization.k8s.io", plural, "kube-apiserver", object);
}

static bool make_priorities(struct maker *maker, struct buf *text)
{
    static const struct {
        const char *name, *description;
        long value;
    } classes[] = {
        {"system-node-critical", "Used for system critical pods that must not be moved from their current node.", 2000001000},
        {"system-cluster-critical", "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
         2000000000},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        buf_printf(text,
                   "{\"apiVersion\":\"scheduling.k8s.io/"
                   "v1\",\"kind\":\"PriorityClass\",\"metadata\":{\"name\":\"%s\"},\"value\":%ld,\"description\":\"%s\"}",
                   classes[i].name, classes[i].value, classes[i].description);
        if (!make_text(maker, "scheduling.k8s.io", "priorityclasses", "kube-apiserver", text))
            return false;
    }
    return true;
}

static void print_condition(struct buf *out, const char *type, const char *status, const char *reason, const char *message, const char *now)
{
    buf_printf(out,
               "{\"type\":\"%s\",\"status\":\"%s\",\"lastHeartbeatTime\":\"%s\",\"lastTransitionTime\":\"%s\",\"reason\":\"%s\",\"message\":\"%s\"}",
               type, status, now, now, reason, message);
}

/* What a kubelet tells of its machine. The size is the same everywhere, so that lessons that schedule by it are, too. */
static void print_node_status(struct buf *out, const char *now, const char *machine)
{
    static const char resources[] =
        "{\"cpu\":\"4\",\"ephemeral-storage\":\"100Gi\",\"hugepages-1Gi\":\"0\",\"hugepages-2Mi\":\"0\",\"memory\":\"8Gi\",\"pods\":\"110\"}";
    buf_printf(out, "{\"status\":{\"capacity\":%s,\"allocatable\":%s,\"conditions\":[", resources, resources);
    print_condition(out, "MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available", now);
    buf_append_string(out, ",");
    print_condition(out, "DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure", now);
    buf_append_string(out, ",");
    print_condition(out, "PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available", now);
    buf_append_string(out, ",");
    print_condition(out, "Ready", "True", "KubeletReady", "kubelet is posting ready status", now);
    buf_printf(
        out,
        "],\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"" BOOTSTRAP_NODE_ADDRESS "\"},{\"type\":\"Hostname\",\"address\":\"" BOOTSTRAP_NODE
        "\"}],"
        "\"daemonEndpoints\":{\"kubeletEndpoint\":{\"Port\":10250}},\"nodeInfo\":{\"machineID\":\"%s\",\"systemUUID\":\"%s\",\"bootID\":\"%s\","
        "\"kernelVersion\":\"6.1.0-practice\",\"osImage\":\"kubetutor practice node\",\"containerRuntimeVersion\":\"kubetutor://" KT_VERSION "\","
        "\"kubeletVersion\":\"" SERVER_VERSION "\",\"kubeProxyVersion\":\"\",\"operatingSystem\":\"linux\",\"architecture\":\"amd64\"}}}",
        machine, machine, machine);
}

static const struct schema_subresource *find_sub(const struct schema_kind *kind, const char *name)
{
    const struct schema_subresource *sub = kind->subresources;
    while (sub != NULL && sub->name != NULL && strcmp(sub->name, name) != 0)
        sub++;
    return sub != NULL && sub->name != NULL ? sub : NULL;
}

/* Lays a merge patch over an object or its status. */
static bool patch(struct maker *maker, const char *group, const char *plural, const char *sub, const char *ns, const char *name, const char *manager,
                  struct buf *text)
{
    const struct schema_kind *kind = registry_find(maker->api->registry, group, "v1", plural);
    struct call call = {.verb = VERB_PATCH, .kind = kind, .ns = ns, .name = name, .patch = PATCH_MERGE, .manager = manager};
    call.sub = sub != NULL ? find_sub(kind, sub) : NULL;
    struct value *body = parse(text);
    buf_clear(text);
    return body != NULL ? run(maker, &call, body) : error_memory(maker->err);
}

static bool make_node(struct maker *maker, struct buf *text)
{
    struct api *api = maker->api;
    const struct schema_kind *kind = registry_find(api->registry, "", "v1", "nodes");
    unsigned char random[16];
    char machine[33], now[21];
    if (kind != NULL && state_get(api->state, registry_resource(api->registry, kind), "", BOOTSTRAP_NODE) != NULL)
        return true;
    if (!crypto_random(random, sizeof random, maker->err))
        return false;
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(machine + 2 * i, 3, "%02x", random[i]);
    time_print(api_now_ms(api), now);
    buf_append_string(
        text,
        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"" BOOTSTRAP_NODE "\",\"labels\":{\"beta.kubernetes.io/arch\":\"amd64\","
        "\"beta.kubernetes.io/os\":\"linux\",\"kubernetes.io/arch\":\"amd64\",\"kubernetes.io/hostname\":\"" BOOTSTRAP_NODE
        "\",\"kubernetes.io/os\":\"linux\"},"
        "\"annotations\":{\"node.alpha.kubernetes.io/ttl\":\"0\",\"volumes.kubernetes.io/controller-managed-attach-detach\":\"true\"}}}");
    if (!make_text(maker, "", "nodes", "kubelet", text))
        return false;
    print_node_status(text, now, machine);
    if (!patch(maker, "", "nodes", "status", "", BOOTSTRAP_NODE, "kubelet", text))
        return false;
    buf_append_string(text, "{\"spec\":{\"taints\":null}}"); /* the one that admission gives to a node that is not ready yet */
    if (!patch(maker, "", "nodes", NULL, "", BOOTSTRAP_NODE, "kube-controller-manager", text))
        return false;
    buf_printf(text,
               "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":\"" BOOTSTRAP_NODE
               "\",\"namespace\":\"kube-node-lease\"},"
               "\"spec\":{\"holderIdentity\":\"" BOOTSTRAP_NODE "\",\"leaseDurationSeconds\":40,\"renewTime\":\"%.19s.000000Z\"}}",
               now);
    return make_text(maker, "coordination.k8s.io", "leases", "kubelet", text);
}

/* The three objects that say where the server is. */
static const struct {
    const char *group, *plural, *text; /* %u: the port */
    const char *patch;
} kubernetes[] = {
    {"", "services",
     "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"kubernetes\",\"namespace\":\"default\",\"labels\":{\"component\":"
     "\"apiserver\",\"provider\":\"kubernetes\"}},"
     "\"spec\":{\"type\":\"ClusterIP\",\"clusterIP\":\"" BOOTSTRAP_SERVICE_ADDRESS "\",\"clusterIPs\":[\"" BOOTSTRAP_SERVICE_ADDRESS
     "\"],\"ipFamilies\":[\"IPv4\"],"
     "\"ipFamilyPolicy\":\"SingleStack\",\"sessionAffinity\":\"None\",\"ports\":[{\"name\":\"https\",\"protocol\":\"TCP\",\"port\":443,"
     "\"targetPort\":%u}]}}",
     "{\"spec\":{\"ports\":[{\"name\":\"https\",\"protocol\":\"TCP\",\"port\":443,\"targetPort\":%u}]}}"},
    {"", "endpoints",
     "{\"apiVersion\":\"v1\",\"kind\":\"Endpoints\",\"metadata\":{\"name\":\"kubernetes\",\"namespace\":\"default\",\"labels\":{\"endpointslice."
     "kubernetes.io/skip-mirror\":\"true\"}},"
     "\"subsets\":[{\"addresses\":[{\"ip\":\"" BOOTSTRAP_NODE_ADDRESS "\"}],\"ports\":[{\"name\":\"https\",\"port\":%u,\"protocol\":\"TCP\"}]}]}",
     "{\"subsets\":[{\"addresses\":[{\"ip\":\"" BOOTSTRAP_NODE_ADDRESS "\"}],\"ports\":[{\"name\":\"https\",\"port\":%u,\"protocol\":\"TCP\"}]}]}"},
    {"discovery.k8s.io", "endpointslices",
     "{\"apiVersion\":\"discovery.k8s.io/"
     "v1\",\"kind\":\"EndpointSlice\",\"metadata\":{\"name\":\"kubernetes\",\"namespace\":\"default\",\"labels\":{\"kubernetes.io/service-name\":"
     "\"kubernetes\"}},\"addressType\":\"IPv4\",\"endpoints\":[{\"addresses\":[\"" BOOTSTRAP_NODE_ADDRESS "\"],\"conditions\":{\"ready\":true}}],"
     "\"ports\":[{\"name\":\"https\",\"port\":%u,\"protocol\":\"TCP\"}]}",
     "{\"ports\":[{\"name\":\"https\",\"port\":%u,\"protocol\":\"TCP\"}]}"},
};

/* True if the object is there and names another port than ours. */
static bool is_stale(const struct maker *maker, const char *group, const char *plural)
{
    const struct api *api = maker->api;
    const struct schema_kind *kind = registry_find(api->registry, group, "v1", plural);
    const struct object *object = kind != NULL ? state_get(api->state, registry_resource(api->registry, kind), "default", "kubernetes") : NULL;
    char port[32];
    snprintf(port, sizeof port, "ort\":%u", (unsigned)api->port); /* "port" or "targetPort" */
    return object != NULL && memmem(object->text, object->length, port, strlen(port)) == NULL;
}

static bool make_kubernetes(struct maker *maker, struct buf *text)
{
    unsigned port = maker->api->port;
    for (size_t i = 0; i < sizeof kubernetes / sizeof *kubernetes; i++) {
        if (is_stale(maker, kubernetes[i].group, kubernetes[i].plural)) {
            buf_printf(text, kubernetes[i].patch, port);
            if (!patch(maker, kubernetes[i].group, kubernetes[i].plural, NULL, "default", "kubernetes", "kube-apiserver", text))
                return false;
        }
        buf_printf(text, kubernetes[i].text, port);
        if (!make_text(maker, kubernetes[i].group, kubernetes[i].plural, "kube-apiserver", text))
            return false;
    }
    return true;
}

static bool start(struct maker *maker, struct api *api, struct error *err)
{
    *maker = (struct maker){.api = api, .err = err};
    return (user_start(&maker->user, "system:apiserver") && user_add_group(&maker->user, USER_MASTERS)) || error_memory(err);
}

bool bootstrap_kubernetes(struct api *api, struct error *err)
{
    struct maker maker;
    struct buf text = buf_make(TEXT);
    bool made = start(&maker, api, err) && make_kubernetes(&maker, &text);
    buf_free(&text);
    user_free(&maker.user);
    return made;
}

bool bootstrap(struct api *api, struct error *err)
{
    struct maker maker;
    struct buf text = buf_make(TEXT);
    bool made = start(&maker, api, err) && make_namespaces(&maker, &text) && access_default_policy(add_policy, &maker, err) &&
                make_priorities(&maker, &text) && make_node(&maker, &text) && make_kubernetes(&maker, &text);
    buf_free(&text);
    user_free(&maker.user);
    return made;
}
