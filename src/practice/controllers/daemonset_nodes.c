/* daemonset_nodes.c: which nodes a DaemonSet's Pods belong on. */
#include <stdlib.h>
#include <string.h>

#include "practice/controllers/daemonset.h"

/* ---- node selectors ---- */

static bool same(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static bool has_value(const struct value *values, const char *text)
{
    for (const struct value *entry = value_first(values); entry != NULL; entry = value_next(entry))
        if (same(value_text(entry), text))
            return true;
    return false;
}

static bool read_number(const char *text, long long *number)
{
    char *end;
    if (text == NULL || text[0] == '\0')
        return false;
    *number = strtoll(text, &end, 10);
    return *end == '\0';
}

static bool compares(const struct value *values, const char *text, bool greater)
{
    long long wanted, number;
    if (!read_number(value_text(value_first(values)), &wanted) || !read_number(text, &number))
        return false;
    return greater ? number > wanted : number < wanted;
}

/* One requirement, of a text that is there or NULL. */
static bool meets(const struct value *requirement, const char *text)
{
    const char *how = value_find_text(requirement, "operator", NULL);
    const struct value *values = value_get(requirement, "values");
    if (same(how, "In"))
        return text != NULL && has_value(values, text);
    if (same(how, "NotIn"))
        return text == NULL || !has_value(values, text);
    if (same(how, "Exists"))
        return text != NULL;
    if (same(how, "DoesNotExist"))
        return text == NULL;
    return (same(how, "Gt") || same(how, "Lt")) && compares(values, text, same(how, "Gt"));
}

static bool meets_term(const struct value *term, const struct object *node)
{
    const struct value *labels = value_first(value_get(term, "matchExpressions")), *fields = value_first(value_get(term, "matchFields"));
    bool meets_all = labels != NULL || fields != NULL; /* an empty term is no node's */
    for (const struct value *entry = labels; entry != NULL && meets_all; entry = value_next(entry)) {
        const char *key = value_find_text(entry, "key", NULL);
        meets_all = key != NULL && meets(entry, object_label(node, key));
    }
    for (const struct value *entry = fields; entry != NULL && meets_all; entry = value_next(entry))
        meets_all = same(value_find_text(entry, "key", NULL), "metadata.name") && meets(entry, node->name);
    return meets_all;
}

static bool is_selected(const struct value *spec, const struct object *node)
{
    for (const struct value *entry = value_first(value_get(spec, "nodeSelector")); entry != NULL; entry = value_next(entry))
        if (!same(object_label(node, value_key(entry)), value_text(entry)))
            return false;
    const struct value *required = value_find(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", NULL);
    bool any = required == NULL;
    for (const struct value *term = value_first(value_get(required, "nodeSelectorTerms")); term != NULL && !any; term = value_next(term))
        any = meets_term(term, node);
    return any;
}

/* ---- taints ---- */

static bool tolerates(const struct value *toleration, const struct value *taint)
{
    const char *effect = value_find_text(toleration, "effect", NULL), *key = value_find_text(toleration, "key", NULL), *how = value_find_text(toleration, "operator", NULL);
    const char *value = value_find_text(toleration, "value", NULL), *its = value_find_text(taint, "value", NULL);
    bool exists = same(how, "Exists");
    if (effect != NULL && effect[0] != '\0' && !same(effect, value_find_text(taint, "effect", NULL)))
        return false;
    if (key == NULL || key[0] == '\0')
        return exists;
    if (!same(key, value_find_text(taint, "key", NULL)))
        return false;
    if (exists)
        return true;
    if (how != NULL && how[0] != '\0' && strcmp(how, "Equal") != 0)
        return false;
    return strcmp(value != NULL ? value : "", its != NULL ? its : "") == 0;
}

static bool is_tolerated(const struct value *tolerations, const struct value *taint)
{
    for (const struct value *entry = value_first(tolerations); entry != NULL; entry = value_next(entry))
        if (tolerates(entry, taint))
            return true;
    return false;
}

void ground_judge(const struct spread *spread, struct ground *ground)
{
    const struct value *spec = value_get(spread->template, "spec");
    const char *only = value_find_text(spec, "nodeName", NULL);
    ground->runs = ground->stays = false;
    if ((only != NULL && only[0] != '\0' && strcmp(only, ground->name) != 0) || !is_selected(spec, ground->node))
        return;
    ground->runs = ground->stays = true;
    for (const struct value *taint = value_first(map_get(&spread->controller->taints, ground->name)); taint != NULL; taint = value_next(taint)) {
        const char *effect = value_find_text(taint, "effect", NULL);
        if ((!same(effect, "NoSchedule") && !same(effect, "NoExecute")) || is_tolerated(spread->tolerations, taint))
            continue;
        ground->runs = false;
        ground->stays = ground->stays && !same(effect, "NoExecute");
    }
}

/* ---- the Pods' side ---- */

static bool is_other_value(const struct value *toleration, const char *key, const char *text)
{
    const char *its = value_find_text(toleration, key, NULL);
    return strcmp(its != NULL ? its : "", text) != 0;
}

static bool add_toleration(struct value *tolerations, const char *key, const char *effect)
{
    struct value *toleration = value_object();
    if (!value_set(toleration, "key", value_string(key)) || !value_set(toleration, "operator", value_string("Exists")) || !value_set(toleration, "effect", value_string(effect))) {
        value_free(toleration);
        return false;
    }
    for (struct value *entry = value_first(tolerations); entry != NULL; entry = value_next(entry)) {
        bool matches = !is_other_value(entry, "key", key) && !is_other_value(entry, "effect", effect) && !is_other_value(entry, "operator", "Exists") && !is_other_value(entry, "value", "");
        if (matches)
            return value_replace(tolerations, entry, toleration);
    }
    return value_append(tolerations, toleration);
}

bool daemon_tolerate(struct value *spec)
{
    static const struct {
        const char *key, *effect;
        bool of_host; /* only where the host's network is used */
    } all[] = {
        {"node.kubernetes.io/not-ready", "NoExecute", false},       {"node.kubernetes.io/unreachable", "NoExecute", false},
        {"node.kubernetes.io/disk-pressure", "NoSchedule", false},  {"node.kubernetes.io/memory-pressure", "NoSchedule", false},
        {"node.kubernetes.io/pid-pressure", "NoSchedule", false},   {"node.kubernetes.io/unschedulable", "NoSchedule", false},
        {"node.kubernetes.io/network-unavailable", "NoSchedule", true},
    };
    bool host = value_is_true(value_get(spec, "hostNetwork")), ok = true;
    if (value_get(spec, "tolerations") == NULL && !value_set(spec, "tolerations", value_array()))
        return false;
    for (size_t i = 0; i < sizeof all / sizeof *all && ok; i++)
        ok = (all[i].of_host && !host) || add_toleration(value_get(spec, "tolerations"), all[i].key, all[i].effect);
    return ok;
}

bool daemon_aim(struct value *spec, const char *node)
{
    struct value *affinity = value_child(value_child(spec, "affinity"), "nodeAffinity"), *terms = value_array(), *term = value_object(), *fields = value_array(), *field = value_object(),
                 *values = value_array();
    bool ok = value_append(values, value_string(node));
    ok = value_set(field, "values", values) && ok && value_set(field, "key", value_string("metadata.name")) && value_set(field, "operator", value_string("In"));
    ok = value_append(fields, field) && ok;
    ok = value_set(term, "matchFields", fields) && ok;
    ok = value_append(terms, term) && ok;
    return value_set(value_child(affinity, "requiredDuringSchedulingIgnoredDuringExecution"), "nodeSelectorTerms", terms) && ok;
}

const char *daemon_target(const struct value *pod)
{
    const struct value *required = value_find(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", NULL);
    for (const struct value *term = value_first(value_get(required, "nodeSelectorTerms")); term != NULL; term = value_next(term))
        for (const struct value *field = value_first(value_get(term, "matchFields")); field != NULL; field = value_next(field))
            if (same(value_find_text(field, "key", NULL), "metadata.name") && same(value_find_text(field, "operator", NULL), "In"))
                return value_length(value_get(field, "values")) == 1 ? value_text(value_first(value_get(field, "values"))) : NULL;
    return NULL;
}
