/* deployment_scale.c: how a Deployment moves replicas between its ReplicaSets: rolling, recreating, in proportion when it is scaled half-way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/deployment.h"

static const char desired_key[] = "deployment.kubernetes.io/desired-replicas", max_key[] = "deployment.kubernetes.io/max-replicas";

static int64_t count_wanted(struct replica_set *const *list, size_t count)
{
    int64_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += list[i]->replicas;
    return all;
}

/* ---- in proportion ---- */

static int compare_age(const struct replica_set *a, const struct replica_set *b)
{
    return a->created_ms != b->created_ms ? (a->created_ms < b->created_ms ? -1 : 1) : strcmp(a->name, b->name);
}

static int compare_older(const void *first, const void *second)
{
    const struct replica_set *a = *(struct replica_set *const *)first, *b = *(struct replica_set *const *)second;
    return a->replicas != b->replicas ? (a->replicas > b->replicas ? -1 : 1) : compare_age(a, b);
}

static int compare_newer(const void *first, const void *second)
{
    const struct replica_set *a = *(struct replica_set *const *)first, *b = *(struct replica_set *const *)second;
    return a->replicas != b->replicas ? (a->replicas > b->replicas ? -1 : 1) : compare_age(b, a);
}

/* A number that stands in an annotation, -1 for none. */
static int64_t noted(const struct replica_set *set, const char *key)
{
    const char *text = workload_annotation(set->document, key);
    char *end = NULL;
    long long number = text != NULL && text[0] >= '0' && text[0] <= '9' ? strtoll(text, &end, 10) : -1;
    return number >= 0 && number <= INT32_MAX && *end == '\0' ? number : -1;
}

/* By how much a set grows or shrinks if it keeps its part of the whole. */
static int64_t fraction(const struct rollout *rollout, const struct replica_set *set)
{
    if (rollout->wanted == 0)
        return -(int64_t)set->replicas;
    int64_t most_before = noted(set, max_key);
    if (most_before <= 0)
        most_before = value_find_int(rollout->document, 0, "status", "replicas", NULL);
    if (most_before == 0)
        return 0;
    double size = (double)set->replicas * (double)(rollout->wanted + rollout->surge) / (double)most_before;
    return (int64_t)round(size) - set->replicas;
}

static int64_t proportion(const struct rollout *rollout, const struct replica_set *set, int64_t to_add, int64_t added)
{
    int64_t part = fraction(rollout, set), allowed = to_add - added;
    if (set->replicas == 0 || allowed == 0)
        return 0;
    if (to_add > 0)
        return part < allowed ? part : allowed;
    return part > allowed ? part : allowed;
}

static bool share_out(struct rollout *rollout, struct replica_set **list, size_t count)
{
    int64_t allowed = rollout->wanted > 0 ? (int64_t)rollout->wanted + rollout->surge : 0, to_add = allowed - count_wanted(list, count), added = 0;
    int64_t *sizes = mem_zero(count + 1, sizeof *sizes);
    bool ok = sizes != NULL, scaled;
    if (to_add != 0)
        qsort(list, count, sizeof *list, to_add > 0 ? compare_newer : compare_older);
    for (size_t i = 0; i < count && ok; i++) {
        int64_t part = to_add != 0 ? proportion(rollout, list[i], to_add, added) : 0;
        sizes[i] = list[i]->replicas + part;
        added += part;
    }
    for (size_t i = 0; i < count && ok; i++) {
        if (i == 0 && to_add != 0) { /* what is left over is the largest one's */
            sizes[0] += to_add - added;
            sizes[0] = sizes[0] < 0 ? 0 : sizes[0];
        }
        ok = sets_scale(rollout, list[i], (int32_t)sizes[i], true, &scaled);
    }
    mem_free(sizes);
    return ok;
}

/* The only set with replicas, or if none has any the newest one; NULL: there are several. */
static struct replica_set *active_or_latest(const struct rollout *rollout, struct replica_set *const *active, size_t count)
{
    if (count > 0)
        return count == 1 ? active[0] : NULL;
    return rollout->fresh != NULL ? rollout->fresh : rollout->count > 0 ? &rollout->sets[rollout->count - 1] : NULL;
}

static bool is_saturated(const struct rollout *rollout)
{
    const struct replica_set *fresh = rollout->fresh;
    return fresh != NULL && fresh->replicas == rollout->wanted && noted(fresh, desired_key) == rollout->wanted && fresh->available == rollout->wanted;
}

bool deployment_scale(struct rollout *rollout)
{
    size_t count;
    bool scaled, ok = true;
    struct replica_set **active = sets_active(rollout, true, &count);
    if (active == NULL)
        return false;
    struct replica_set *only = active_or_latest(rollout, active, count);
    if (only != NULL)
        ok = sets_scale(rollout, only, rollout->wanted, false, &scaled);
    else if (is_saturated(rollout))
        for (size_t i = 0; i < count && ok; i++)
            ok = active[i] == rollout->fresh || sets_scale(rollout, active[i], 0, false, &scaled);
    else if (rollout->rolling && count > 0)
        ok = share_out(rollout, active, count);
    mem_free(active);
    return ok;
}

/* ---- rolling ---- */

static int64_t count_all(const struct rollout *rollout)
{
    int64_t all = 0;
    for (size_t i = 0; i < rollout->count; i++)
        all += rollout->sets[i].replicas;
    return all;
}

/* The new one grows as far as the surge allows. */
static bool grow(struct rollout *rollout, bool *scaled)
{
    struct replica_set *fresh = rollout->fresh;
    int64_t room = (int64_t)rollout->wanted + rollout->surge - count_all(rollout), size = rollout->wanted;
    if (fresh->replicas < rollout->wanted) {
        room = room < 0 ? 0 : room;
        size = fresh->replicas + room < rollout->wanted ? fresh->replicas + room : rollout->wanted;
    }
    return sets_scale(rollout, fresh, (int32_t)size, false, scaled);
}

/* Old Pods that do not work go first: that takes nothing away. */
static bool drop_broken(struct rollout *rollout, struct replica_set **old, size_t count, int64_t most, int64_t *dropped)
{
    bool scaled;
    for (size_t i = 0; i < count && *dropped < most; i++) {
        int64_t broken = old[i]->replicas - old[i]->available, part = broken < most - *dropped ? broken : most - *dropped;
        if (old[i]->replicas == 0 || broken == 0)
            continue;
        if (part < 0 || !sets_scale(rollout, old[i], old[i]->replicas - (int32_t)part, false, &scaled))
            return false;
        *dropped += part;
    }
    return true;
}

static bool drop_working(struct rollout *rollout, struct replica_set **old, size_t count, int64_t *dropped)
{
    int64_t available = rollout->fresh->available, least = (int64_t)rollout->wanted - rollout->unavailable, done = 0;
    bool scaled, ok = true;
    for (size_t i = 0; i < count; i++)
        available += old[i]->available;
    for (size_t i = 0; i < count && ok && done < available - least; i++) {
        int64_t part = old[i]->replicas < available - least - done ? old[i]->replicas : available - least - done;
        if (old[i]->replicas == 0)
            continue;
        ok = sets_scale(rollout, old[i], old[i]->replicas - (int32_t)part, false, &scaled);
        done += ok ? part : 0;
    }
    *dropped += done;
    return ok;
}

/* The old ones shrink as far as there are enough Pods that work. */
static bool shrink(struct rollout *rollout, bool *scaled)
{
    size_t count;
    struct replica_set **old = sets_active(rollout, false, &count);
    if (old == NULL)
        return false;
    int64_t least = (int64_t)rollout->wanted - rollout->unavailable, not_yet = rollout->fresh->replicas - rollout->fresh->available;
    int64_t most = count_all(rollout) - least - not_yet, dropped = 0;
    bool ok = count == 0 || most <= 0 || (drop_broken(rollout, old, count, most, &dropped) && drop_working(rollout, old, count, &dropped));
    *scaled = dropped > 0;
    mem_free(old);
    return ok;
}

bool deployment_roll(struct rollout *rollout)
{
    bool scaled = false;
    if (rollout->fresh == NULL && !sets_renew(rollout, true))
        return false;
    if (!grow(rollout, &scaled))
        return false;
    if (!scaled && !shrink(rollout, &scaled))
        return false;
    if (!scaled && deployment_is_complete(rollout, value_get(rollout->document, "status")) && !sets_clean_up(rollout))
        return false;
    return deployment_sync_progress(rollout);
}

/* ---- recreating ---- */

/* An old set believes that it has Pods, or has one that has not ended. */
static bool has_old_pods(const struct rollout *rollout)
{
    const struct pods *pods = rollout->controller->place.pods;
    for (size_t i = 0; i < rollout->count; i++) {
        const struct replica_set *set = &rollout->sets[i];
        if (set == rollout->fresh)
            continue;
        if (set->active > 0)
            return true;
        for (const struct pod_view *pod = NULL; (pod = pods_next_owned(pods, set->uid, pod)) != NULL;)
            if (!pod_has_ended(pod))
                return true;
    }
    return false;
}

bool deployment_recreate(struct rollout *rollout)
{
    size_t count;
    bool scaled = false, ok = true;
    struct replica_set **old = sets_active(rollout, false, &count);
    if (old == NULL)
        return false;
    for (size_t i = 0; i < count && ok; i++)
        ok = sets_scale(rollout, old[i], 0, false, &scaled);
    mem_free(old);
    if (!ok)
        return false;
    if (scaled || has_old_pods(rollout))
        return deployment_sync_progress(rollout);
    if (rollout->fresh == NULL && !sets_renew(rollout, true))
        return false;
    if (!sets_scale(rollout, rollout->fresh, rollout->wanted, false, &scaled))
        return false;
    if (deployment_is_complete(rollout, value_get(rollout->document, "status")) && !sets_clean_up(rollout))
        return false;
    return deployment_sync_progress(rollout);
}
