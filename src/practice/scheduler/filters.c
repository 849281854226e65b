/* filters: where a Pod cannot go, each with the reason as kube-scheduler words it (pkg/scheduler/framework/plugins). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "practice/scheduler/internal.h"

void refuse(struct refusal *refusal, bool hopeless, const char *format, ...)
{
    va_list arguments;
    if (refusal == NULL || refusal->count == sizeof refusal->reasons / sizeof *refusal->reasons)
        return;
    va_start(arguments, format);
    vsnprintf(refusal->reasons[refusal->count++], REASON, format, arguments);
    va_end(arguments);
    refusal->hopeless = refusal->hopeless || hopeless;
}

static bool is(const char *text, const char *wanted)
{
    return text != NULL && strcmp(text, wanted) == 0;
}

/* ---- taints ---- */

static bool tolerates(const struct value *toleration, const struct value *taint)
{
    const char *effect = value_find_text(toleration, "effect", NULL), *key = value_find_text(toleration, "key", NULL),
               *op = value_find_text(toleration, "operator", NULL), *value = value_find_text(toleration, "value", NULL),
               *taint_value = value_find_text(taint, "value", NULL), *taint_effect = value_find_text(taint, "effect", NULL),
               *taint_key = value_find_text(taint, "key", NULL);
    if (effect != NULL && effect[0] != '\0' && !is(taint_effect, effect))
        return false;
    if (key != NULL && key[0] != '\0' && !is(taint_key, key))
        return false;
    if (is(op, "Exists"))
        return true;
    return strcmp(value != NULL ? value : "", taint_value != NULL ? taint_value : "") == 0 && key != NULL && key[0] != '\0';
}

static bool tolerated(const struct wish *wish, const struct value *taint)
{
    for (const struct value *item = value_first(value_get(wish->spec, "tolerations")); item != NULL; item = value_next(item))
        if (tolerates(item, taint))
            return true;
    return false;
}

static const struct value *taints_of(const struct node *node)
{
    return value_first(value_find(node->document, "spec", "taints", NULL));
}

const struct value *untolerated_taint(const struct wish *wish, const struct node *node, const char *effect)
{
    for (const struct value *taint = taints_of(node); taint != NULL; taint = value_next(taint)) {
        const char *has = value_find_text(taint, "effect", NULL);
        bool counts = effect != NULL ? is(has, effect) : is(has, "NoSchedule") || is(has, "NoExecute");
        if (counts && !tolerated(wish, taint))
            return taint;
    }
    return NULL;
}

int untolerated_preferences(const struct wish *wish, const struct node *node)
{
    int count = 0;
    for (const struct value *taint = taints_of(node); taint != NULL; taint = value_next(taint))
        count += is(value_find_text(taint, "effect", NULL), "PreferNoSchedule") && !tolerated(wish, taint);
    return count;
}

static bool node_is_open(const struct wish *wish, const struct node *node, struct refusal *refusal)
{
    static const char key[] = "node.kubernetes.io/unschedulable";
    if (!value_is_true(value_find(node->document, "spec", "unschedulable", NULL)))
        return true;
    for (const struct value *item = value_first(value_get(wish->spec, "tolerations")); item != NULL; item = value_next(item)) {
        const char *effect = value_find_text(item, "effect", NULL), *has = value_find_text(item, "key", NULL);
        bool fits_effect = effect == NULL || effect[0] == '\0' || is(effect, "NoSchedule");
        if (fits_effect && ((has == NULL && is(value_find_text(item, "operator", NULL), "Exists")) || is(has, key)))
            return true;
    }
    refuse(refusal, true, "node(s) were unschedulable");
    return false;
}

static bool taints_allow(const struct wish *wish, const struct node *node, struct refusal *refusal)
{
    const struct value *taint = untolerated_taint(wish, node, NULL);
    if (taint == NULL)
        return true;
    const char *key = value_find_text(taint, "key", NULL), *value = value_find_text(taint, "value", NULL);
    refuse(refusal, true, "node(s) had untolerated taint {%s: %s}", key != NULL ? key : "", value != NULL ? value : "");
    return false;
}

/* ---- node affinity ---- */

static bool one_of(const struct value *values, const char *text)
{
    for (const struct value *item = value_first(values); item != NULL; item = value_next(item))
        if (is(value_text(item), text))
            return true;
    return false;
}

static bool requirement_met(const struct value *requirement, const char *has)
{
    const char *op = value_find_text(requirement, "operator", NULL);
    const struct value *values = value_get(requirement, "values");
    if (is(op, "Exists"))
        return has != NULL;
    if (is(op, "DoesNotExist"))
        return has == NULL;
    if (is(op, "NotIn"))
        return has == NULL || !one_of(values, has);
    if (has == NULL)
        return false;
    if (is(op, "In"))
        return one_of(values, has);
    char *end_a, *end_b;
    const char *bound = value_text(value_first(values));
    long long a = strtoll(has, &end_a, 10), b = bound != NULL ? strtoll(bound, &end_b, 10) : 0;
    if (bound == NULL || *end_a != '\0' || *end_b != '\0' || has[0] == '\0' || bound[0] == '\0')
        return false;
    return is(op, "Gt") ? a > b : is(op, "Lt") && a < b;
}

bool node_term_matches(const struct value *term, const struct node *node)
{
    const struct value *expressions = value_first(value_get(term, "matchExpressions")),
                       *fields = value_first(value_get(term, "matchFields"));
    if (expressions == NULL && fields == NULL) /* an empty one matches nothing */
        return false;
    for (const struct value *item = expressions; item != NULL; item = value_next(item)) {
        const char *key = value_find_text(item, "key", NULL);
        if (key == NULL || !requirement_met(item, node_label(node, key)))
            return false;
    }
    for (const struct value *item = fields; item != NULL; item = value_next(item))
        if (!is(value_find_text(item, "key", NULL), "metadata.name") || !requirement_met(item, node->name))
            return false;
    return true;
}

bool node_terms_match(const struct value *terms, const struct node *node)
{
    for (const struct value *term = value_first(terms); term != NULL; term = value_next(term))
        if (node_term_matches(term, node))
            return true;
    return false;
}

bool node_affinity_matches(const struct wish *wish, const struct node *node)
{
    for (const struct value *item = value_first(value_get(wish->spec, "nodeSelector")); item != NULL; item = value_next(item))
        if (!is(node_label(node, value_key(item)), value_text(item) != NULL ? value_text(item) : ""))
            return false;
    const struct value *required =
        value_find(wish->spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", NULL);
    return required == NULL || node_terms_match(value_get(required, "nodeSelectorTerms"), node);
}

/* ---- ports and resources ---- */

static bool same_port(const struct host_port *a, const struct host_port *b)
{
    return a->port == b->port && a->protocol == b->protocol &&
           (strcmp(a->ip, b->ip) == 0 || strcmp(a->ip, "0.0.0.0") == 0 || strcmp(b->ip, "0.0.0.0") == 0);
}

static bool ports_free(const struct wish *wish, const struct node *node, struct refusal *refusal)
{
    for (size_t w = 0; w < wish->ports.length; w++)
        for (size_t p = 0; p < node->placed.length; p++) {
            const struct placed *placed = node->placed.items[p];
            for (size_t i = 0; i < placed->ports.length; i++)
                if (same_port(wish->ports.items[w], placed->ports.items[i])) {
                    refuse(refusal, false, "node(s) didn't have free ports for the requested pod ports");
                    return false;
                }
        }
    return true;
}

bool fits(const struct wish *wish, const struct node *node, struct refusal *refusal)
{
    const struct need *need = &wish->need;
    bool ok = true;
    if ((int64_t)node->pod_count + 1 > node->pods_room) {
        refuse(refusal, node->pods_room < 1, "Too many pods");
        ok = false;
    }
    if (need->cpu > 0 && need->cpu > node->room.cpu - node->used.cpu) {
        refuse(refusal, need->cpu > node->room.cpu, "Insufficient cpu");
        ok = false;
    }
    if (need->memory > 0 && need->memory > node->room.memory - node->used.memory) {
        refuse(refusal, need->memory > node->room.memory, "Insufficient memory");
        ok = false;
    }
    for (size_t i = 0; i < need->others.count; i++) {
        const struct amount_item *item = &need->others.items[i], *room = amounts_find(&node->room.others, item->name),
                                 *used = amounts_find(&node->used.others, item->name);
        amount_nano whole = room != NULL ? room->amount.nano : 0, left = whole - (used != NULL ? used->amount.nano : 0);
        if (item->amount.nano <= left)
            continue;
        refuse(refusal, item->amount.nano > whole, "Insufficient %s", item->name);
        ok = false;
    }
    return ok;
}

static bool affinity_allows(const struct wish *wish, const struct node *node, struct refusal *refusal)
{
    if (node_affinity_matches(wish, node))
        return true;
    refuse(refusal, true, "node(s) didn't match Pod's node affinity/selector");
    return false;
}

bool filter_node(const struct wish *wish, const struct node *node, struct refusal *refusal)
{
    static bool (*const filters[])(const struct wish *, const struct node *,
                                   struct refusal *) = {node_is_open, taints_allow, affinity_allows, ports_free, fits};
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        if (!filters[i](wish, node, refusal))
            return false;
    return true;
}
