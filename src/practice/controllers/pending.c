#include "practice/controllers/pending.h"

#include <string.h>

#include "base/mem.h"
#include "practice/controllers/workload.h"

enum { PENDING = 1000000 };

bool pending_start(struct pending *pending, const char *kind, struct cluster_clock *clock, struct error *err)
{
    *pending = (struct pending){.kind = kind, .deletions = map_make(PENDING, NULL)};
    pending->expectations = expectations_new(clock, err);
    return pending->expectations != NULL;
}

void pending_stop(struct pending *pending)
{
    expectations_free(pending->expectations);
    map_free(&pending->deletions);
}

bool pod_goes(const struct pods_event *event)
{
    return event->pod == NULL || event->pod->deleting;
}

bool pod_has_other_labels(const struct pods_event *event)
{
    return !workload_same_labels(event->pod->object, event->previous->object);
}

static void saw(struct pending *pending, const struct pod_view *pod, void (*fn)(struct expectations *expectations, const char *key))
{
    char *key = mem_printf("%s/%s", pod->object->ns, pod->owner_name);
    if (key != NULL) /* else it is forgotten after a while */
        fn(pending->expectations, key);
    mem_free(key);
}

void pending_observe(struct pending *pending, const struct pods_event *event)
{
    const struct pod_view *pod = event->pod != NULL ? event->pod : event->previous;
    if (strcmp(pod->owner_kind, pending->kind) != 0)
        return;
    if (!pod_goes(event) && event->previous == NULL)
        saw(pending, pod, expectations_saw_creation);
    if (pod_goes(event) && map_has(&pending->deletions, pod->object->uid)) {
        map_remove(&pending->deletions, pod->object->uid);
        saw(pending, pod, expectations_saw_deletion);
    }
}

bool pending_will_delete(struct pending *pending, const struct pod_view *pod)
{
    return map_set(&pending->deletions, pod->object->uid, pending);
}

void pending_did_not_delete(struct pending *pending, const struct pod_view *pod)
{
    map_remove(&pending->deletions, pod->object->uid);
}
