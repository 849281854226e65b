/* daemonset_roll.c: a DaemonSet's old Pods are replaced, node by node: the old one goes first, or with a surge the new one comes first. */
#include "base/mem.h"
#include "practice/controllers/daemonset.h"

struct roll {
    struct spread *spread;
    int64_t desired, most_unavailable, most_surging;
    int64_t unavailable, surging, available;
    struct vec deletions, candidates, nodes, candidate_nodes, unwanted; /* Pods and names of nodes, borrowed */
};

static void *borrowed(const void *item)
{
    return (void *)(uintptr_t)item;
}

/* The Pods of a node that are not going, one new and one old at most. False: there are more, which others see to. */
static bool find_pair(const struct spread *spread, const struct ground *ground, const struct pod_view **fresh, const struct pod_view **old)
{
    *fresh = *old = NULL;
    for (size_t i = 0; i < ground->count; i++) {
        const struct pod_view *pod = ground->daemons[i].pod;
        const struct pod_view **place = daemon_is_updated(spread, pod) ? fresh : old;
        if (pod->deleting)
            continue;
        if (*place != NULL)
            return false;
        *place = pod;
    }
    return true;
}

/* ---- the old one goes first ---- */

static bool replace_on(struct roll *roll, const struct ground *ground)
{
    const struct pod_view *fresh, *old;
    if (!find_pair(roll->spread, ground, &fresh, &old) || (fresh == NULL) == (old == NULL)) {
        roll->unavailable++;
        return true;
    }
    if (fresh != NULL) {
        roll->unavailable += !daemon_is_available(roll->spread, fresh);
        return true;
    }
    if (!daemon_is_available(roll->spread, old)) {
        roll->unavailable++;
        return vec_push(&roll->deletions, borrowed(old));
    }
    return roll->unavailable >= roll->most_unavailable || vec_push(&roll->candidates, borrowed(old));
}

static bool replace(struct roll *roll)
{
    int64_t left = roll->most_unavailable - roll->unavailable;
    for (size_t i = 0; i < roll->candidates.length && (int64_t)i < left; i++)
        if (!vec_push(&roll->deletions, roll->candidates.items[i]))
            return false;
    return true;
}

/* ---- the new one comes first ---- */

static bool surge_candidate(struct roll *roll, const struct ground *ground, const struct pod_view *old)
{
    bool works = daemon_is_available(roll->spread, old);
    if (!ground->runs)
        return vec_push(works ? &roll->unwanted : &roll->deletions, borrowed(old));
    if (!works)
        return vec_push(&roll->nodes, borrowed(ground->name));
    return roll->surging >= roll->most_surging || vec_push(&roll->candidate_nodes, borrowed(ground->name));
}

static bool surge_on(struct roll *roll, const struct ground *ground)
{
    const struct pod_view *fresh, *old;
    if (!find_pair(roll->spread, ground, &fresh, &old)) {
        roll->surging++;
        return true;
    }
    const struct pod_view *counts = old != NULL ? old : fresh;
    roll->available += counts != NULL && daemon_is_available(roll->spread, counts);
    if (old == NULL)
        return true;
    if (fresh == NULL)
        return surge_candidate(roll, ground, old);
    if (daemon_is_available(roll->spread, fresh))
        return vec_push(&roll->deletions, borrowed(old));
    roll->surging++;
    return true;
}

static bool surge(struct roll *roll)
{
    int64_t left = roll->most_surging - roll->surging, surplus = roll->available - roll->desired;
    for (size_t i = 0; i < roll->unwanted.length && (int64_t)i < surplus; i++)
        if (!vec_push(&roll->deletions, roll->unwanted.items[i]))
            return false;
    for (size_t i = 0; i < roll->candidate_nodes.length && (int64_t)i < left; i++)
        if (!vec_push(&roll->nodes, roll->candidate_nodes.items[i]))
            return false;
    return true;
}

/* ---- */

static void read_limits(struct roll *roll)
{
    const struct spread *spread = roll->spread;
    const struct value *rolling = value_find(spread->document, "spec", "updateStrategy", "rollingUpdate", NULL);
    for (size_t i = 0; i < spread->ground_count; i++)
        roll->desired += spread->grounds[i].node != NULL && spread->grounds[i].runs;
    roll->most_unavailable = workload_share(value_get(rolling, "maxUnavailable"), (int32_t)roll->desired, true);
    roll->most_surging = workload_share(value_get(rolling, "maxSurge"), (int32_t)roll->desired, true);
    if (roll->desired > 0 && roll->most_unavailable == 0 && roll->most_surging == 0)
        roll->most_unavailable = 1;
}

bool spread_roll(struct spread *spread)
{
    size_t most = spread->daemon_count + spread->ground_count + 1;
    struct roll roll = {.spread = spread};
    struct vec *const lists[] = {&roll.deletions, &roll.candidates, &roll.nodes, &roll.candidate_nodes, &roll.unwanted};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        *lists[i] = vec_make(most, NULL);
    read_limits(&roll);
    bool surges = roll.most_surging > 0, ok = true;
    for (size_t i = 0; i < spread->ground_count && ok; i++) {
        const struct ground *ground = &spread->grounds[i];
        if (ground->count > 0 || (ground->node != NULL && ground->runs))
            ok = surges ? surge_on(&roll, ground) : replace_on(&roll, ground);
    }
    ok = ok && (surges ? surge(&roll) : replace(&roll)) && spread_change(spread, &roll.deletions, &roll.nodes);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        vec_free(lists[i]);
    return ok;
}
