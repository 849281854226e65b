/* wish: what a Pod asks of the node that it comes to. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/scheduler/internal.h"

enum { GUESS_CPU = 100, GUESS_MEMORY = 200 * 1024 * 1024 };

static char *copy(const struct value *document, const char *key)
{
    const char *text = value_find_text(document, key, NULL);
    return mem_string(text != NULL ? text : "");
}

static int64_t whole(struct amount amount, int64_t unit_nano)
{
    amount_nano rounded = (amount.nano + unit_nano - 1) / unit_nano;
    return rounded > INT64_MAX ? INT64_MAX : (int64_t)rounded;
}

void need_free(struct need *need)
{
    amounts_free(&need->others);
}

/* Of each container that asks for nothing a little is expected. */
static void guess(const struct value *pod, struct need *need)
{
    const struct value *containers = value_find(pod, "spec", "containers", NULL);
    need->guess_cpu = need->cpu;
    need->guess_memory = need->memory;
    for (const struct value *item = value_first(containers); item != NULL; item = value_next(item)) {
        const struct value *requests = value_find(item, "resources", "requests", NULL);
        need->guess_cpu += value_get(requests, "cpu") == NULL ? GUESS_CPU : 0;
        need->guess_memory += value_get(requests, "memory") == NULL ? GUESS_MEMORY : 0;
    }
}

bool need_of(const struct value *pod, struct need *need)
{
    struct amounts all = {0};
    *need = (struct need){0};
    amounts_of_pod(pod, "requests", true, &all);
    for (size_t i = 0; i < all.count; i++) {
        if (strcmp(all.items[i].name, "cpu") == 0)
            need->cpu = whole(all.items[i].amount, 1000000);
        else if (strcmp(all.items[i].name, "memory") == 0)
            need->memory = whole(all.items[i].amount, 1000000000);
        else if (all.items[i].amount.nano > 0)
            amounts_set(&need->others, all.items[i].name, all.items[i].amount);
    }
    bool ok = !all.failed && !need->others.failed;
    amounts_free(&all);
    guess(pod, need);
    if (!ok)
        need_free(need);
    return ok;
}

/* ---- host ports ---- */

static const char *protocol_of(const struct value *port)
{
    static const char *const known[] = {"TCP", "UDP", "SCTP"};
    const char *text = value_find_text(port, "protocol", NULL);
    for (size_t i = 1; text != NULL && i < 3; i++)
        if (strcmp(text, known[i]) == 0)
            return known[i];
    return known[0];
}

static bool read_port(const struct value *port, struct vec *ports)
{
    int64_t number = value_find_int(port, 0, "hostPort", NULL);
    const char *ip = value_find_text(port, "hostIP", NULL);
    if (number <= 0)
        return true;
    struct host_port *made = mem_zero(1, sizeof *made);
    if (made == NULL)
        return false;
    made->protocol = protocol_of(port);
    made->port = (uint16_t)number;
    strncpy(made->ip, ip != NULL && ip[0] != '\0' ? ip : "0.0.0.0", sizeof made->ip - 1);
    return vec_push(ports, made);
}

bool wish_read_ports(const struct value *pod, struct vec *ports)
{
    static const char *const lists[] = {"containers", "initContainers"};
    for (size_t i = 0; i < 2; i++)
        for (const struct value *item = value_first(value_find(pod, "spec", lists[i], NULL)); item != NULL;
             item = value_next(item)) {
            const char *restart = value_find_text(item, "restartPolicy", NULL);
            if (i == 1 && (restart == NULL || strcmp(restart, "Always") != 0)) /* only sidecars keep their ports */
                continue;
            for (const struct value *port = value_first(value_get(item, "ports")); port != NULL; port = value_next(port))
                if (!read_port(port, ports))
                    return false;
        }
    return true;
}

/* ---- terms of pod affinity ---- */

void pod_term_free(void *data)
{
    struct pod_term *term = data;
    label_selector_free(term->selector);
    label_selector_free(term->namespaces);
    vec_free(&term->ns);
    mem_free(term->topology);
    mem_free(term);
}

static bool read_term(const struct value *item, int weight, const char *ns, struct vec *terms)
{
    struct pod_term *term = mem_zero(1, sizeof *term);
    const struct value *selector = value_get(item, "labelSelector"), *namespaces = value_get(item, "namespaceSelector");
    struct error err = ERROR_INIT;
    if (term == NULL)
        return false;
    term->ns = vec_make(SCHEDULER_PARTS, mem_free);
    term->weight = weight;
    term->topology = copy(item, "topologyKey");
    bool ok = term->topology != NULL;
    if (ok && selector != NULL) /* one that cannot be read matches nobody */
        ok = (term->selector = label_selector_new(selector, &err)) != NULL || err.kind == ERROR_INVALID;
    if (ok && namespaces != NULL)
        ok = (term->namespaces = label_selector_new(namespaces, &err)) != NULL || err.kind == ERROR_INVALID;
    for (const struct value *name = value_first(value_get(item, "namespaces")); ok && name != NULL; name = value_next(name))
        ok = value_text(name) == NULL || vec_push_string(&term->ns, value_text(name));
    if (ok && term->ns.length == 0 && namespaces == NULL)
        ok = vec_push_string(&term->ns, ns);
    if (ok)
        return vec_push(terms, term);
    pod_term_free(term);
    return false;
}

bool wish_read_terms(const struct value *list, bool weighted, const char *ns, struct vec *terms)
{
    bool ok = true;
    for (const struct value *item = value_first(list); ok && item != NULL; item = value_next(item))
        ok = read_term(weighted ? value_get(item, "podAffinityTerm") : item, (int)value_find_int(item, 0, "weight", NULL), ns,
                       terms);
    return ok;
}

static void spread_free(void *data)
{
    struct spread *spread = data;
    label_selector_free(spread->selector);
    mem_free(spread->topology);
    mem_free(spread);
}

static bool says(const struct value *item, const char *key, const char *wanted)
{
    const char *text = value_find_text(item, key, NULL);
    return text != NULL && strcmp(text, wanted) == 0;
}

/* matchLabelKeys: the Pod's own values of these keys are wanted as well (the API has put them into the selector of affinities,
 * not of these). */
static struct value *with_keys(const struct value *item, const struct value *labels)
{
    struct value *selector =
        value_get(item, "labelSelector") != NULL ? value_copy(value_get(item, "labelSelector")) : value_object();
    bool ok = selector != NULL;
    for (const struct value *key = value_first(value_get(item, "matchLabelKeys")); ok && key != NULL; key = value_next(key)) {
        const char *text = value_text(key), *value = text != NULL ? value_find_text(labels, text, NULL) : NULL;
        struct value *match = value != NULL ? value_child(selector, "matchLabels") : NULL;
        ok = value == NULL || (match != NULL && value_set(match, text, value_string(value)));
    }
    if (ok)
        return selector;
    value_free(selector);
    return NULL;
}

static bool read_spread(struct wish *wish, const struct value *item)
{
    struct spread *spread = mem_zero(1, sizeof *spread);
    if (spread == NULL)
        return false;
    struct value *selector = with_keys(item, value_find(wish->document, "metadata", "labels", NULL));
    struct error err = ERROR_INIT;
    spread->topology = copy(item, "topologyKey");
    spread->max_skew = value_find_int(item, 1, "maxSkew", NULL);
    spread->min_domains = value_find_int(item, 0, "minDomains", NULL);
    spread->hard = says(item, "whenUnsatisfiable", "DoNotSchedule");
    spread->honour_affinity = !says(item, "nodeAffinityPolicy", "Ignore");
    spread->honour_taints = says(item, "nodeTaintsPolicy", "Honor");
    bool ok = selector != NULL && spread->topology != NULL;
    if (ok && value_get(item, "labelSelector") != NULL)
        ok = (spread->selector = label_selector_new(selector, &err)) != NULL || err.kind == ERROR_INVALID;
    value_free(selector);
    if (ok)
        return vec_push(&wish->spread, spread);
    spread_free(spread);
    return false;
}

static bool read_all(struct wish *wish)
{
    static const char required[] = "requiredDuringSchedulingIgnoredDuringExecution",
                      preferred[] = "preferredDuringSchedulingIgnoredDuringExecution";
    const struct value *affinity = value_get(wish->spec, "affinity"), *near = value_get(affinity, "podAffinity"),
                       *apart = value_get(affinity, "podAntiAffinity");
    bool ok = need_of(wish->document, &wish->need) && wish_read_ports(wish->document, &wish->ports) &&
              wish_read_terms(value_get(near, required), false, wish->ns, &wish->near) &&
              wish_read_terms(value_get(apart, required), false, wish->ns, &wish->apart) &&
              wish_read_terms(value_get(near, preferred), true, wish->ns, &wish->near_wished) &&
              wish_read_terms(value_get(apart, preferred), true, wish->ns, &wish->apart_wished);
    for (const struct value *item = value_first(value_get(wish->spec, "topologySpreadConstraints")); ok && item != NULL;
         item = value_next(item))
        ok = read_spread(wish, item);
    return ok;
}

struct wish *wish_new(struct value *document)
{
    struct wish *wish = mem_zero(1, sizeof *wish);
    if (wish == NULL) {
        value_free(document);
        return NULL;
    }
    const struct value *metadata = value_get(document, "metadata");
    *wish = (struct wish){.document = document, .spec = value_get(document, "spec")};
    wish->ports = vec_make(SCHEDULER_PARTS, mem_free);
    wish->near = wish->apart = wish->near_wished = wish->apart_wished = vec_make(SCHEDULER_PARTS, pod_term_free);
    wish->spread = vec_make(SCHEDULER_PARTS, spread_free);
    wish->ns = copy(metadata, "namespace");
    wish->name = copy(metadata, "name");
    wish->uid = copy(metadata, "uid");
    wish->priority = (int32_t)value_find_int(wish->spec, 0, "priority", NULL);
    wish->never_preempts = says(wish->spec, "preemptionPolicy", "Never");
    if (wish->ns != NULL && wish->name != NULL && wish->uid != NULL && read_all(wish))
        return wish;
    wish_free(wish);
    return NULL;
}

void wish_free(struct wish *wish)
{
    if (wish == NULL)
        return;
    mem_free(wish->ns);
    mem_free(wish->name);
    mem_free(wish->uid);
    need_free(&wish->need);
    vec_free(&wish->ports);
    vec_free(&wish->near);
    vec_free(&wish->apart);
    vec_free(&wish->near_wished);
    vec_free(&wish->apart_wished);
    vec_free(&wish->spread);
    value_free(wish->document);
    mem_free(wish);
}
