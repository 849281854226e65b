/* replicaset_tally.c: a set with ten thousand Pods is not counted anew at each of their changes. */
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/replicaset.h"

enum { TALLIES = 1000000 };

static void free_tally(void *data)
{
    struct tally *tally = data;
    label_selector_free(tally->selector);
    label_selector_free(tally->labels);
    mem_free(tally);
}

struct map tallies_make(void)
{
    return map_make(TALLIES, free_tally);
}

/* by 1: it counts; by -1: it does not any more. */
static void count(struct tally *tally, const struct pod_view *pod, int32_t by)
{
    bool goes = pod->deleting && !pod_has_ended(pod), active = pod_is_active(pod);
    if (!active && !goes)
        return;
    if (!label_selector_matches(tally->selector, pod->object)) {
        tally->strangers += active ? by : 0;
        return;
    }
    if (goes) {
        tally->terminating += by;
        return;
    }
    tally->active += by;
    tally->ready += pod->ready ? by : 0;
    tally->labeled += label_selector_matches(tally->labels, pod->object) ? by : 0;
}

/* Empty, with the selectors of a spec. NULL: no memory, or there are none. */
static struct tally *new_tally(const struct value *set, bool plain, int64_t generation)
{
    const struct value *selector = value_find(set, "spec", "selector", NULL);
    struct tally *tally = mem_zero(1, sizeof *tally);
    if (tally == NULL)
        return NULL;
    *tally = (struct tally){.generation = generation, .claim = true};
    tally->selector = plain ? label_selector_of_map(selector, NULL) : label_selector_new(selector, NULL);
    tally->labels = label_selector_of_map(value_find(set, "spec", "template", "metadata", "labels", NULL), NULL);
    if (tally->selector != NULL && tally->labels != NULL)
        return tally;
    free_tally(tally);
    return NULL;
}

struct tally *tally_of(struct map *tallies, const struct pods *pods, const struct value *set, bool plain)
{
    const char *uid = value_find_text(set, "metadata", "uid", NULL);
    int64_t generation = value_find_int(set, 0, "metadata", "generation", NULL);
    struct tally *tally = map_get(tallies, uid);
    if (tally != NULL && tally->generation == generation)
        return tally;
    tally = new_tally(set, plain, generation);
    for (const struct pod_view *pod = NULL; tally != NULL && (pod = pods_next_owned(pods, uid, pod)) != NULL;)
        count(tally, pod, 1);
    return tally != NULL && map_set(tallies, uid, tally) ? tally : NULL;
}

void tallies_follow(struct map *tallies, const struct pods_event *event)
{
    struct tally *was = event->previous != NULL && event->previous->owner_uid[0] != '\0' ? map_get(tallies, event->previous->owner_uid) : NULL;
    struct tally *now = event->pod != NULL && event->pod->owner_uid[0] != '\0' ? map_get(tallies, event->pod->owner_uid) : NULL;
    if (was != NULL)
        count(was, event->previous, -1);
    if (now != NULL)
        count(now, event->pod, 1);
}
