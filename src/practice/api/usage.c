/* metrics.k8s.io: what nodes and Pods use, as metrics-server shows it, asked of the backend at each request. Without a backend the group is there and empty. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "practice/api/amount.h"
#include "practice/api/connect.h"
#include "practice/api/lookup.h"
#include "practice/api/selector.h"

enum { DOCUMENT = 1 << 20, LIST_TEXT = 256 << 20 };
static const char window[] = "15s"; /* between two looks of metrics-server */

bool usage_is(const struct server *server, const struct route *route)
{
    return server->api.backend != NULL && strcmp(route->kind->group, "metrics.k8s.io") == 0;
}

static bool is_pods(const struct exchange *x)
{
    return x->route.kind->namespaced;
}

/* {"cpu":"12m","memory":"34Mi"} */
static void print_usage(const struct backend_usage *usage, struct buf *out)
{
    char cpu[QUANTITY_TEXT], memory[QUANTITY_TEXT];
    struct amount cores = amount_of(0), bytes = amount_of(usage->memory);
    cores.nano = (amount_nano)usage->cpu * 1000000;
    bytes.format = AMOUNT_BINARY;
    amount_print(cores, cpu);
    amount_print(bytes, memory);
    buf_printf(out, "{\"cpu\":\"%s\",\"memory\":\"%s\"}", cpu, memory);
}

/* False: not known, or not all of it. */
static bool print_containers(const struct exchange *x, const struct value *pod, const struct object *object, struct buf *out)
{
    const struct backend *backend = x->server->api.backend;
    struct backend_usage usage;
    const char *comma = "";
    bool all = true;
    buf_append_string(out, ",\"containers\":[");
    for (const struct value *item = value_first(value_find(pod, "spec", "containers", NULL)); all && item != NULL; item = value_next(item), comma = ",") {
        const char *name = value_find_text(item, "name", NULL);
        all = backend->ops->usage(backend->self, object->ns, object->name, name, &usage);
        buf_printf(out, "%s{\"name\":\"%s\",\"usage\":", comma, name);
        if (all)
            print_usage(&usage, out);
        buf_append_string(out, "}");
    }
    buf_append_string(out, "]}");
    return all;
}

/* The document of a Pod or a node; NULL: nothing is known of it (or there is no memory: *failed). */
static struct value *metrics_of(const struct exchange *x, const struct object *object, bool *failed)
{
    const struct backend *backend = x->server->api.backend;
    struct backend_usage usage;
    struct buf text = buf_make(DOCUMENT);
    char now[21];
    struct value *of = lookup_value(object), *document = NULL;
    *failed = of == NULL;
    const struct value *labels = value_find(of, "metadata", "labels", NULL);
    time_print(api_now_ms(&x->server->api), now);
    buf_printf(&text, "{\"kind\":\"%s\",\"apiVersion\":\"metrics.k8s.io/v1beta1\",\"metadata\":{\"name\":\"%s\"", x->route.kind->kind, object->name);
    if (is_pods(x))
        buf_printf(&text, ",\"namespace\":\"%s\"", object->ns);
    buf_printf(&text, ",\"creationTimestamp\":\"%s\"", now);
    if (labels != NULL) {
        buf_append_string(&text, ",\"labels\":");
        json_print(labels, false, &text);
    }
    buf_printf(&text, "},\"timestamp\":\"%s\",\"window\":\"%s\"", now, window);
    bool known;
    if (is_pods(x))
        known = print_containers(x, of, object, &text);
    else if ((known = backend->ops->node_usage(backend->self, object->name, &usage))) {
        buf_append_string(&text, ",\"usage\":");
        print_usage(&usage, &text);
        buf_append_string(&text, "}");
    }
    if (known && buf_ok(&text))
        document = json_parse(text.bytes, text.length, "metrics", NULL);
    *failed = *failed || (known && document == NULL);
    buf_free(&text);
    value_free(of);
    return document;
}

static void serve_one(struct exchange *x)
{
    const struct object *object = lookup(&x->server->api, "", is_pods(x) ? "pods" : "nodes", is_pods(x) ? x->route.ns : "", x->route.name);
    bool failed = false;
    x->answer.as = x->route.kind;
    x->answer.value = object != NULL ? metrics_of(x, object, &failed) : NULL;
    if (x->answer.value != NULL) {
        exchange_answer(x);
        return;
    }
    char *name = is_pods(x) ? mem_printf("%s/%s", x->route.ns, x->route.name) : mem_string(x->route.name);
    if (!failed && name != NULL)
        status_not_found(&x->failure, x->route.kind, name);
    mem_free(name);
    exchange_fail(x);
}

/* Adds everything that the selector chooses. False: no memory. */
static bool print_all(struct exchange *x, const struct selector *selector, struct print *print, struct buf *out)
{
    const char *only = x->route.ns[0] != '\0' ? x->route.ns : NULL, *comma = "";
    struct error err = ERROR_INIT;
    bool fine = true, failed;
    for (const struct object *at = NULL; fine && (at = lookup_next(&x->server->api, "", is_pods(x) ? "pods" : "nodes", only, at)) != NULL;) {
        struct value *document = selector_matches(selector, at) ? metrics_of(x, at, &failed) : NULL;
        if (document == NULL)
            continue;
        buf_append_string(out, comma);
        fine = print_value(print, document, out, &err) && buf_ok(out);
        comma = ",";
        value_free(document);
    }
    return fine;
}

static void serve_list(struct exchange *x)
{
    struct print print;
    enum include_object include = INCLUDE_METADATA;
    struct selector *selector = selector_new(x->list.labels, x->list.fields, lookup_kind(&x->server->api, "", is_pods(x) ? "pods" : "nodes"), &x->failure);
    if (selector == NULL || !exchange_check_form(x, true) || !exchange_include(x, &include)) {
        selector_free(selector);
        exchange_fail(x);
        return;
    }
    x->body = buf_make(LIST_TEXT);
    bool made = print_start(&print, &x->server->api, x->route.kind, &x->format, true);
    print.include = include;
    made = made && list_head(&print, 0, NULL, -1, &x->body) && print_all(x, selector, &print, &x->body);
    buf_append_string(&x->body, "]}");
    print_end(&print);
    selector_free(selector);
    x->answer.code = 200;
    if (made && buf_ok(&x->body))
        exchange_answer(x);
    else
        exchange_fail(x);
}

void usage_serve(struct exchange *x)
{
    if (x->route.verb == VERB_LIST)
        serve_list(x);
    else
        serve_one(x);
}
