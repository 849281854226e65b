/* statefulset_sync.c: what a StatefulSet does next: one Pod after the other, or all at once; and its status. */
#include <string.h>

#include "practice/controllers/statefulset.h"

bool member_is_going(const struct member *member)
{
    return member->pod != NULL && member->pod->deleting;
}

bool member_is_ready(const struct member *member)
{
    return member->pod != NULL && member->pod->phase == POD_RUNNING && member->pod->ready;
}

bool member_is_available(const struct ordering *ordering, const struct member *member)
{
    return member->pod != NULL && pod_is_available(member->pod, ordering->min_ready_ms, ordering->now_ms);
}

static bool is_unavailable(const struct ordering *ordering, const struct member *member)
{
    return !member_is_available(ordering, member) || member_is_going(member);
}

static bool is_old(const struct ordering *ordering, const struct member *member)
{
    return strcmp(member->revision != NULL ? member->revision : "", revision_name(ordering->update)) != 0;
}

static void find_unwell(struct ordering *ordering)
{
    for (int64_t i = 0; i < ordering->wanted && ordering->unwell == NULL; i++)
        if (is_unavailable(ordering, &ordering->replicas[i]))
            ordering->unwell = &ordering->replicas[i];
    for (size_t i = ordering->condemned_count; i-- > 0 && ordering->unwell == NULL;)
        if (is_unavailable(ordering, &ordering->condemned[i]))
            ordering->unwell = &ordering->condemned[i];
}

/* ---- one of them; stop: where Pods come one after the other, the next has to wait ---- */

static bool raise(struct ordering *ordering, const struct member *member, bool *stop)
{
    *stop = true;
    if (member->pod == NULL) {
        if (!claims_are_fresh(ordering, member))
            return true; /* what it waits for brings it back: the claim's end is the old Pod's end */
        return member_make(ordering, member);
    }
    if (pod_has_ended(member->pod))
        return member_is_going(member) || member_delete(ordering, member); /* a new one comes when it is gone */
    if (member->pod->phase == POD_PENDING) {
        struct error err = ERROR_INIT;
        if (!claims_make(ordering, member, &err))
            return false;
        if (!claims_keep(ordering, member, &err)) {
            member_say(ordering, "Update", member->pod->object->name, &err);
            return false;
        }
    }
    if (!ordering->parallel && (member_is_going(member) || !member_is_ready(member) || !member_is_available(ordering, member)))
        return true;
    *stop = false;
    return member_mend(ordering, member);
}

static bool lower(struct ordering *ordering, const struct member *member, bool *stop)
{
    *stop = true;
    if (member_is_going(member))
        return true;
    bool well = member_is_ready(member) && member_is_available(ordering, member);
    if (!ordering->parallel && !well && member != ordering->unwell)
        return true;
    return member_delete(ordering, member);
}

static bool keep_claims(struct ordering *ordering, const struct member *member, bool *stop)
{
    struct error err = ERROR_INIT;
    *stop = false;
    return claims_are_kept(ordering, member) || claims_keep(ordering, member, &err);
}

/* Calls fn for each; one after the other: until one has to be waited for; all at once: a few first, and more as long as none fails. stopped: it is not to go on to what comes after. */
static bool for_each(struct ordering *ordering, struct member *list, size_t count, bool (*fn)(struct ordering *ordering, const struct member *member, bool *stop), bool *stopped)
{
    bool ok = true;
    size_t batch = 1, done = 0;
    for (size_t i = 0; i < count; i++) {
        bool stop = false, fine = fn(ordering, &list[i], &stop);
        ok = ok && fine;
        *stopped = *stopped || !fine || (stop && !ordering->parallel);
        if (*stopped && !ordering->parallel)
            return ok;
        if (++done < batch)
            continue;
        if (!ok)
            return false;
        done = 0;
        batch *= 2;
    }
    return ok;
}

/* ---- new revisions ---- */

/* Deletes those of an old revision down to the partition, the highest first, as many as may be missing. */
static bool replace(struct ordering *ordering, int64_t partition, int64_t most)
{
    int64_t missing = 0, stuck = 0, done = 0;
    for (int64_t i = 0; i < ordering->wanted; i++) {
        const struct member *member = &ordering->replicas[i];
        missing += is_unavailable(ordering, member);
        stuck += ordering->parallel && is_unavailable(ordering, member) && is_old(ordering, member) && !member_is_going(member);
    }
    if (missing >= most && stuck == 0)
        return true;
    for (int64_t i = ordering->wanted - 1; i >= partition && ordering->parallel; i--) { /* what does not work is nobody's loss */
        const struct member *member = &ordering->replicas[i];
        if (member->pod == NULL || !is_old(ordering, member) || member_is_available(ordering, member) || member_is_going(member))
            continue;
        if (!member_delete(ordering, member))
            return false;
        ordering->replaced++;
    }
    for (int64_t i = ordering->wanted - 1; i >= partition && done < most - missing; i--) {
        const struct member *member = &ordering->replicas[i];
        bool candidate = member->pod != NULL && is_old(ordering, member) && !(ordering->parallel ? is_unavailable(ordering, member) : member_is_going(member));
        if (!candidate)
            continue;
        if (!member_delete(ordering, member))
            return false;
        done++;
        ordering->replaced++;
    }
    return true;
}

static bool update(struct ordering *ordering)
{
    const struct value *strategy = value_find(ordering->document, "spec", "updateStrategy", NULL), *rolling = value_get(strategy, "rollingUpdate");
    const char *type = value_find_text(strategy, "type", NULL);
    if (type != NULL && strcmp(type, "OnDelete") == 0)
        return true;
    int64_t most = workload_share(value_get(rolling, "maxUnavailable"), (int32_t)ordering->wanted, false);
    return replace(ordering, value_find_int(rolling, 0, "partition", NULL), most < 1 ? 1 : most);
}

bool ordering_act(struct ordering *ordering)
{
    bool stopped = false;
    find_unwell(ordering);
    if (workload_is_going(ordering->document))
        return true;
    if (!for_each(ordering, ordering->replicas, (size_t)ordering->wanted, raise, &stopped))
        return false;
    if (stopped)
        return true;
    if (!for_each(ordering, ordering->condemned, ordering->condemned_count, keep_claims, &stopped) ||
        !for_each(ordering, ordering->condemned, ordering->condemned_count, lower, &stopped))
        return false;
    return stopped || update(ordering);
}

/* ---- the status ---- */

struct numbers {
    int64_t replicas, ready, available, current, updated;
};

static void count(const struct ordering *ordering, const struct member *member, struct numbers *numbers)
{
    if (member->pod == NULL)
        return;
    numbers->replicas++;
    numbers->ready += member_is_ready(member);
    numbers->available += member_is_ready(member) && member_is_available(ordering, member);
    if (member_is_going(member))
        return;
    numbers->current += strcmp(member->revision, revision_name(ordering->current)) == 0;
    numbers->updated += strcmp(member->revision, revision_name(ordering->update)) == 0;
}

struct value *ordering_status(const struct ordering *ordering)
{
    struct numbers numbers = {0};
    for (int64_t i = 0; i < ordering->wanted; i++)
        count(ordering, &ordering->replicas[i], &numbers);
    for (size_t i = 0; i < ordering->condemned_count; i++)
        count(ordering, &ordering->condemned[i], &numbers);
    numbers.current -= ordering->replaced;
    bool complete = numbers.updated == ordering->wanted && numbers.ready == ordering->wanted && numbers.replicas == ordering->wanted;
    if (complete)
        numbers.current = numbers.updated;
    const struct value *before = value_get(ordering->document, "status");
    struct value *status = before != NULL ? value_copy(before) : value_object();
    bool ok = workload_number(status, "observedGeneration", value_find_int(ordering->document, 0, "metadata", "generation", NULL), false) &&
              workload_number(status, "replicas", numbers.replicas, true) && workload_number(status, "readyReplicas", numbers.ready, false) &&
              workload_number(status, "availableReplicas", numbers.available, true) && workload_number(status, "currentReplicas", numbers.current < 0 ? 0 : numbers.current, false) &&
              workload_number(status, "updatedReplicas", numbers.updated, false) && workload_number(status, "collisionCount", ordering->collisions, true) &&
              value_set(status, "currentRevision", value_string(revision_name(complete ? ordering->update : ordering->current))) &&
              value_set(status, "updateRevision", value_string(revision_name(ordering->update)));
    if (ok)
        return status;
    value_free(status);
    return NULL;
}
