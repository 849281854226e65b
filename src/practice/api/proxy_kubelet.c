/* nodes/NAME/proxy/PATH: what people ask of a kubelet: whether it is well, its Pods, what they use. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "practice/api/lookup.h"
#include "practice/api/proxy.h"

enum { TEXT = 64 << 20 };

static const struct object *next_pod(struct exchange *x, const struct object *after, const char *node, struct value **pod)
{
    while ((after = lookup_next(&x->server->api, "", "pods", NULL, after)) != NULL) {
        *pod = lookup_value(after);
        const char *on = value_find_text(*pod, "spec", "nodeName", NULL);
        if (on != NULL && strcmp(on, node) == 0)
            return after;
        value_free(*pod);
    }
    return NULL;
}

static void print_pods(struct exchange *x, const char *node, struct buf *out)
{
    struct value *pod;
    const char *comma = "";
    buf_append_string(out, "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[");
    for (const struct object *at = NULL; (at = next_pod(x, at, node, &pod)) != NULL; comma = ",") {
        buf_append_string(out, comma);
        json_print(pod, false, out);
        value_free(pod);
    }
    buf_append_string(out, "]}\n");
}

static void print_usage(const char *time, const struct backend_usage *usage, struct buf *out)
{
    buf_printf(out, "\"cpu\":{\"time\":\"%s\",\"usageNanoCores\":%lld},\"memory\":{\"time\":\"%s\",\"workingSetBytes\":%lld}", time, (long long)usage->cpu * 1000000, time, (long long)usage->memory);
}

static void print_containers(struct exchange *x, const struct value *pod, const char *time, struct buf *out)
{
    const struct backend *backend = x->server->api.backend;
    const char *ns = value_find_text(pod, "metadata", "namespace", NULL), *name = value_find_text(pod, "metadata", "name", NULL), *comma = "";
    struct backend_usage usage;
    buf_append_string(out, "\"containers\":[");
    for (const struct value *item = value_first(value_find(pod, "spec", "containers", NULL)); item != NULL; item = value_next(item)) {
        const char *container = value_find_text(item, "name", NULL);
        if (!backend->ops->usage(backend->self, ns, name, container, &usage))
            continue;
        buf_printf(out, "%s{\"name\":\"%s\",", comma, container);
        print_usage(time, &usage, out);
        buf_append_string(out, "}");
        comma = ",";
    }
    buf_append_string(out, "],");
    if (!backend->ops->usage(backend->self, ns, name, NULL, &usage))
        usage = (struct backend_usage){0};
    print_usage(time, &usage, out);
}

static void print_summary(struct exchange *x, const char *node, struct buf *out)
{
    const struct backend *backend = x->server->api.backend;
    struct backend_usage usage = {0};
    struct value *pod;
    char time[21];
    const char *comma = "";
    time_print(api_now_ms(&x->server->api), time);
    backend->ops->node_usage(backend->self, node, &usage);
    buf_printf(out, "{\"node\":{\"nodeName\":\"%s\",", node);
    print_usage(time, &usage, out);
    buf_append_string(out, "},\"pods\":[");
    for (const struct object *at = NULL; (at = next_pod(x, at, node, &pod)) != NULL; comma = ",") {
        buf_printf(out, "%s{\"podRef\":{\"name\":\"%s\",\"namespace\":\"%s\",\"uid\":\"%s\"},", comma, at->name, at->ns, at->uid);
        print_containers(x, pod, time, out);
        buf_append_string(out, "}");
        value_free(pod);
    }
    buf_append_string(out, "]}\n");
}

void proxy_kubelet(struct exchange *x, const char *rest)
{
    char node[512];
    const char *id = x->route.name;
    size_t scheme = strncmp(id, "https:", 6) == 0 ? 6 : strncmp(id, "http:", 5) == 0 ? 5 : 0;
    snprintf(node, sizeof node, "%.*s", (int)strcspn(id + scheme, ":"), id + scheme);
    struct buf out = buf_make(TEXT);
    bool reads = strcmp(x->method, "GET") == 0 || strcmp(x->method, "HEAD") == 0;
    if (reads && strcmp(rest, "/healthz") == 0)
        exchange_text(x, 200, NULL, "ok", 2);
    else if (reads && (strcmp(rest, "/pods") == 0 || strcmp(rest, "/pods/") == 0 || strcmp(rest, "/stats/summary") == 0)) {
        if (strcmp(rest, "/stats/summary") == 0)
            print_summary(x, node, &out);
        else
            print_pods(x, node, &out);
        if (buf_ok(&out))
            exchange_text(x, 200, "application/json", out.bytes, out.length);
        else
            exchange_fail(x);
    } else
        exchange_text(x, 404, NULL, "404 page not found\n", 19);
    buf_free(&out);
}
