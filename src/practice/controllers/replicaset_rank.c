/* replicaset_rank.c: the order in which Pods go (kube-controller-manager's ActivePodsWithRanks). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/replicaset.h"
#include "practice/controllers/workload.h"

static const char cost_key[] = "controller.kubernetes.io/pod-deletion-cost";

struct candidate {
    const struct pod_view *pod;
    int64_t cost, now_ms;
    size_t on_node;                /* of its family */
    int64_t restarts, of_sidecars; /* the most of any one container */
    size_t place;                  /* as it came: the order of equal ones */
};

static bool has_text(const struct object *object, const char *text)
{
    return memmem(object->text, object->length, text, strlen(text)) != NULL;
}

/* A cost in its canonical form: an int32 without a plus or zeros before it; else 0. */
static int64_t cost_of(const struct value *document)
{
    const char *text = workload_annotation(document, cost_key);
    if (text == NULL || text[0] == '\0' || text[0] == '+' || text[strspn(text, "-0123456789")] != '\0')
        return 0;
    if (text[0] == '0' && text[1] != '\0')
        return 0;
    char *end;
    long long cost = strtoll(text, &end, 10);
    return *end == '\0' && cost >= INT32_MIN && cost <= INT32_MAX ? cost : 0;
}

static bool is_sidecar(const struct value *document, const char *name)
{
    for (const struct value *entry = value_first(value_find(document, "spec", "initContainers", NULL)); entry != NULL; entry = value_next(entry)) {
        const char *its = value_find_text(entry, "name", NULL), *policy = value_find_text(entry, "restartPolicy", NULL);
        if (its != NULL && name != NULL && strcmp(its, name) == 0)
            return policy != NULL && strcmp(policy, "Always") == 0;
    }
    return false;
}

static void count_restarts(const struct value *document, struct candidate *candidate)
{
    for (const struct value *entry = value_first(value_find(document, "status", "containerStatuses", NULL)); entry != NULL; entry = value_next(entry)) {
        int64_t restarts = value_find_int(entry, 0, "restartCount", NULL);
        if (restarts > candidate->restarts)
            candidate->restarts = restarts;
    }
    for (const struct value *entry = value_first(value_find(document, "status", "initContainerStatuses", NULL)); entry != NULL; entry = value_next(entry)) {
        int64_t restarts = value_find_int(entry, 0, "restartCount", NULL);
        if (restarts > candidate->of_sidecars && is_sidecar(document, value_find_text(entry, "name", NULL)))
            candidate->of_sidecars = restarts;
    }
}

/* What the view does not tell. Most Pods have neither a cost nor restarts, and are not read. */
static bool look_closer(const struct pods *pods, struct candidate *candidate)
{
    bool has_cost = has_text(candidate->pod->object, cost_key);
    if (!has_cost && candidate->pod->restarts == 0)
        return true;
    struct value *document = pods_value(pods, candidate->pod);
    candidate->cost = cost_of(document);
    count_restarts(document, candidate);
    bool ok = document != NULL;
    value_free(document);
    return ok;
}

static int less(bool first, bool second)
{
    return first == second ? 0 : first ? -1 : 1;
}

static int compare_numbers(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/* The power of two that an age in nanoseconds has; -1 for none. */
static int age_rank(int64_t since_ms, int64_t now_ms)
{
    uint64_t age = now_ms > since_ms ? (uint64_t)(now_ms - since_ms) * 1000000 : 0;
    return age == 0 ? -1 : 63 - __builtin_clzll(age);
}

/* The younger one first; of those of like age the lower uid. */
static int compare_ages(const struct candidate *a, const struct candidate *b, int64_t a_ms, int64_t b_ms)
{
    if (a_ms == 0 || b_ms == 0)
        return less(a_ms == 0, b_ms == 0);
    int order = compare_numbers(age_rank(a_ms, a->now_ms), age_rank(b_ms, b->now_ms));
    return order != 0 ? order : strcmp(a->pod->object->uid, b->pod->object->uid);
}

static int phase_rank(enum pod_phase phase)
{
    return phase == POD_PENDING ? 0 : phase == POD_UNKNOWN ? 1 : 2;
}

static int compare(const void *first, const void *second)
{
    const struct candidate *a = first, *b = second;
    int order = less(a->pod->node[0] == '\0', b->pod->node[0] == '\0');
    if (order == 0)
        order = phase_rank(a->pod->phase) - phase_rank(b->pod->phase);
    if (order == 0)
        order = less(!a->pod->ready, !b->pod->ready);
    if (order == 0)
        order = compare_numbers(a->cost, b->cost);
    if (order == 0)
        order = compare_numbers((int64_t)b->on_node, (int64_t)a->on_node);
    if (order == 0 && a->pod->ready && a->pod->ready_ms != b->pod->ready_ms)
        order = compare_ages(a, b, a->pod->ready_ms, b->pod->ready_ms);
    if (order == 0)
        order = compare_numbers(b->restarts, a->restarts);
    if (order == 0)
        order = compare_numbers(b->of_sidecars, a->of_sidecars);
    if (order == 0 && a->pod->created_ms != b->pod->created_ms)
        order = compare_ages(a, b, a->pod->created_ms, b->pod->created_ms);
    return order != 0 ? order : compare_numbers((int64_t)a->place, (int64_t)b->place);
}

bool replicas_rank(const struct pods *pods, const struct pod_view **list, size_t count, pods_on_node *on_node, const void *data, int64_t now_ms)
{
    struct candidate *candidates = mem_zero(count, sizeof *candidates);
    bool ok = candidates != NULL;
    for (size_t i = 0; i < count && ok; i++) {
        candidates[i] = (struct candidate){.pod = list[i], .now_ms = now_ms, .place = i, .on_node = on_node(data, list[i]->node)};
        ok = look_closer(pods, &candidates[i]);
    }
    if (ok)
        qsort(candidates, count, sizeof *candidates, compare);
    for (size_t i = 0; i < count && ok; i++)
        list[i] = candidates[i].pod;
    mem_free(candidates);
    return ok;
}
