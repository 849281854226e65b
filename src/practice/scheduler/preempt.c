/* preempt: who would have to go so that a more important Pod can come (DefaultPreemption of kube-scheduler): on each node where
 * that helps the least important ones, and of these nodes the one where it harms least. Budgets are kept where there is a
 * choice. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/units.h"
#include "practice/scheduler/internal.h"

struct candidate {
    struct node *node;
    struct vec victims; /* struct placed, borrowed */
    size_t violations;  /* victims whose budget has nothing left */
    int64_t sum;        /* of priorities */
    int32_t highest;
    int64_t earliest; /* start of the longest running one among those of the highest priority */
};

/* More important first, and of equals who runs longer. */
static int by_importance(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;
    if (left->priority != right->priority)
        return left->priority > right->priority ? -1 : 1;
    return left->started_ms < right->started_ms ? -1 : left->started_ms > right->started_ms;
}

static bool protected_by(const struct scheduler *scheduler, const struct object *object, const struct placed *placed)
{
    struct value *budget = informer_value(scheduler->budgets, object);
    struct label_selector *selector =
        budget != NULL ? label_selector_new(value_find(budget, "spec", "selector", NULL), NULL) : NULL;
    bool none_left = selector != NULL && label_selector_matches_labels(selector, placed->labels) &&
                     value_find_int(budget, 0, "status", "disruptionsAllowed", NULL) <= 0;
    label_selector_free(selector);
    value_free(budget);
    return none_left;
}

static bool violates(const struct scheduler *scheduler, const struct placed *placed)
{
    for (const struct object *object = NULL; (object = informer_next(scheduler->budgets, placed->ns, object)) != NULL;)
        if (protected_by(scheduler, object, placed))
            return true;
    return false;
}

static bool fits_now(struct scheduler *scheduler, const struct wish *wish, const struct node *node)
{
    struct neighbours *neighbours = neighbours_new(&scheduler->cluster, wish);
    bool ok = neighbours != NULL && allowed(scheduler, wish, neighbours, node, NULL);
    neighbours_free(neighbours);
    return ok;
}

/* Takes all that are less important away, then puts back who need not go: first those that a budget protects, then the others,
 * the most important ones first. */
static bool find_victims(struct scheduler *scheduler, const struct wish *wish, struct node *node, struct candidate *out)
{
    struct vec lower = vec_make(SCHEDULER_PODS, NULL);
    bool ok = true;
    *out = (struct candidate){.node = node, .victims = vec_make(SCHEDULER_PODS, NULL), .highest = INT32_MIN};
    for (size_t i = 0; ok && i < node->placed.length; i++) {
        struct placed *placed = node->placed.items[i];
        ok = placed->priority >= wish->priority || vec_push(&lower, placed);
    }
    vec_sort(&lower, by_importance);
    for (size_t i = 0; i < lower.length; i++)
        cluster_lift(&scheduler->cluster, lower.items[i]);
    bool helps = ok && lower.length > 0 && fits_now(scheduler, wish, node);
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < lower.length; i++) {
            struct placed *placed = lower.items[i];
            bool violating = violates(scheduler, placed);
            if (violating != (turn == 0))
                continue;
            cluster_put_back(&scheduler->cluster, placed, node);
            if (!helps || fits_now(scheduler, wish, node))
                continue;
            cluster_lift(&scheduler->cluster, placed);
            ok = vec_push(&out->victims, placed) && ok;
            out->violations += violating;
            out->sum += placed->priority;
            if (placed->priority > out->highest) {
                out->highest = placed->priority;
                out->earliest = placed->started_ms;
            } else if (placed->priority == out->highest && placed->started_ms < out->earliest) {
                out->earliest = placed->started_ms;
            }
        }
    for (size_t i = 0; i < out->victims.length; i++)
        cluster_put_back(&scheduler->cluster, out->victims.items[i], node);
    vec_free(&lower);
    return helps && ok && out->victims.length > 0;
}

/* Which harms less. */
static bool better(const struct candidate *a, const struct candidate *b)
{
    if (a->violations != b->violations)
        return a->violations < b->violations;
    if (a->highest != b->highest)
        return a->highest < b->highest;
    if (a->sum != b->sum)
        return a->sum < b->sum;
    if (a->victims.length != b->victims.length)
        return a->victims.length < b->victims.length;
    return a->earliest > b->earliest;
}

/* The victim's status says why it goes. */
static void mark(struct scheduler *scheduler, const struct placed *victim)
{
    char now[21];
    struct value *patch = value_object(), *status = value_object(), *conditions = value_array(), *condition = value_object();
    time_print(client_now_ms(scheduler->place.client), now);
    bool ok =
        condition != NULL && value_set(condition, "type", value_string("DisruptionTarget")) &&
        value_set(condition, "status", value_string("True")) &&
        value_set(condition, "reason", value_string("PreemptionByScheduler")) &&
        value_set(condition, "message", value_string("default-scheduler: preempting to accommodate a higher priority pod")) &&
        value_set(condition, "lastTransitionTime", value_string(now));
    ok = value_append(conditions, condition) && ok;
    ok = value_set(status, "conditions", conditions) && ok;
    ok = value_set(patch, "status", status) && ok;
    if (ok)
        value_free(client_patch(scheduler->place.client, &scheduler_pods, "status", victim->ns, victim->object->name,
                                PATCH_STRATEGIC, patch, NULL));
    else
        value_free(patch);
}

static void send_away(struct scheduler *scheduler, const struct wish *wish, const struct candidate *chosen)
{
    for (size_t i = 0; i < chosen->victims.length; i++) {
        const struct placed *victim = chosen->victims.items[i];
        if (victim->object == NULL || victim->deleting)
            continue;
        mark(scheduler, victim);
        const struct recorder_about about = {.kind = "Pod",
                                             .api_version = "v1",
                                             .ns = victim->ns,
                                             .name = victim->object->name,
                                             .uid = victim->uid,
                                             .version = ""};
        if (client_delete(scheduler->place.client, &scheduler_pods, victim->ns, victim->object->name, victim->uid,
                          PROPAGATION_DEFAULT, NULL))
            recorder_say(scheduler->recorder, &about, false, "Preempted", "Preempting", "Preempted by pod %s on node %s",
                         wish->uid, chosen->node->name);
    }
}

/* "0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling." */
static char *explain(size_t nodes, size_t hopeless, size_t tried)
{
    struct buf out = buf_make(1024);
    buf_printf(&out, "0/%zu nodes are available: ", nodes);
    char counts[2][96] = {"", ""};
    if (tried > 0)
        snprintf(counts[0], sizeof counts[0], "%zu No preemption victims found for incoming pod", tried);
    if (hopeless > 0)
        snprintf(counts[1], sizeof counts[1], "%zu Preemption is not helpful for scheduling", hopeless);
    bool swapped = tried > 0 && hopeless > 0 && strcmp(counts[0], counts[1]) > 0; /* sorted as texts */
    buf_printf(&out, "%s%s%s.", counts[swapped], tried > 0 && hopeless > 0 ? ", " : "", counts[!swapped]);
    char *text = buf_ok(&out) ? mem_string(out.bytes) : NULL;
    buf_free(&out);
    return text;
}

/* Those that were sent away on the node it was promised are still ending: it waits for them. */
static bool room_is_coming(const struct scheduler *scheduler, const struct wish *wish)
{
    const char *name = value_find_text(wish->document, "status", "nominatedNodeName", NULL);
    const struct node *node = name != NULL ? map_get(&scheduler->cluster.nodes, name) : NULL;
    for (size_t i = 0; node != NULL && i < node->placed.length; i++) {
        const struct placed *placed = node->placed.items[i];
        if (placed->deleting && placed->priority < wish->priority)
            return true;
    }
    return false;
}

char *preempt(struct scheduler *scheduler, const struct wish *wish, const struct map *refusals, char **message)
{
    struct cluster *cluster = &scheduler->cluster;
    struct candidate best = {0}, candidate;
    size_t hopeless = 0, tried = 0;
    *message = NULL;
    if (wish->never_preempts) {
        *message = mem_string("not eligible due to preemptionPolicy=Never.");
        return NULL;
    }
    if (room_is_coming(scheduler, wish)) {
        *message = mem_string("not eligible due to a terminating pod on the nominated node.");
        return NULL;
    }
    for (size_t i = 0; i < cluster->order.length; i++) {
        struct node *node = cluster->order.items[i];
        const struct refusal *refusal = map_get(refusals, node->name);
        if (refusal == NULL || refusal->hopeless) {
            hopeless++;
            continue;
        }
        tried++;
        if (find_victims(scheduler, wish, node, &candidate) && (best.node == NULL || better(&candidate, &best))) {
            vec_free(&best.victims);
            best = candidate;
        } else {
            vec_free(&candidate.victims);
        }
    }
    if (best.node == NULL) {
        *message = explain(cluster->order.length, hopeless, tried);
        return NULL;
    }
    send_away(scheduler, wish, &best);
    char *name = mem_string(best.node->name);
    vec_free(&best.victims);
    return name;
}
