/* pod_view: what controllers, scheduler and nodes look at most, out of a Pod's document. */
#include <string.h>

#include "data/units.h"
#include "practice/work/pods_internal.h"

const char *const pod_phase_names[] = {"Pending", "Running", "Succeeded", "Failed", "Unknown"};

static const char *text_at(const struct value *object, const char *key)
{
    const char *text = value_text(value_get(object, key));
    return text != NULL ? text : "";
}

static int64_t time_at(const struct value *object, const char *key)
{
    int64_t ms = 0;
    return time_parse(text_at(object, key), &ms) ? ms : 0;
}

static void read_owner(const struct value *metadata, struct pod_view *view)
{
    view->owner_uid = view->owner_kind = view->owner_name = view->owner_version = "";
    for (const struct value *owner = value_first(value_get(metadata, "ownerReferences")); owner != NULL;
         owner = value_next(owner)) {
        if (!value_is_true(value_get(owner, "controller")))
            continue;
        view->owner_uid = text_at(owner, "uid");
        view->owner_kind = text_at(owner, "kind");
        view->owner_name = text_at(owner, "name");
        view->owner_version = text_at(owner, "apiVersion");
        return;
    }
}

static void read_spec(const struct value *spec, struct pod_view *view)
{
    view->node = text_at(spec, "nodeName");
    view->scheduler = text_at(spec, "schedulerName");
    view->gated = value_first(value_get(spec, "schedulingGates")) != NULL;
    view->host_network = value_is_true(value_get(spec, "hostNetwork"));
    view->never = strcmp(text_at(spec, "restartPolicy"), "Never") == 0;
    view->priority = (int32_t)value_find_int(spec, 0, "priority", NULL);
}

static int32_t restarts_of(const struct value *statuses)
{
    int64_t restarts = 0;
    for (const struct value *status = value_first(statuses); status != NULL; status = value_next(status))
        restarts += value_find_int(status, 0, "restartCount", NULL);
    return (int32_t)restarts;
}

static void read_status(const struct value *status, struct pod_view *view)
{
    const char *phase = text_at(status, "phase");
    view->nominated = text_at(status, "nominatedNodeName");
    view->ip = text_at(status, "podIP");
    view->started_ms = time_at(status, "startTime");
    view->restarts =
        restarts_of(value_get(status, "containerStatuses")) + restarts_of(value_get(status, "initContainerStatuses"));
    for (int i = 0; i <= POD_UNKNOWN; i++)
        if (strcmp(phase, pod_phase_names[i]) == 0)
            view->phase = (enum pod_phase)i;
    for (const struct value *condition = value_first(value_get(status, "conditions")); condition != NULL;
         condition = value_next(condition)) {
        if (strcmp(text_at(condition, "type"), "Ready") != 0)
            continue;
        view->ready = strcmp(text_at(condition, "status"), "True") == 0;
        view->ready_ms = time_at(condition, "lastTransitionTime");
    }
}

void pod_view_read(const struct value *document, struct pod_view *view)
{
    const struct value *metadata = value_get(document, "metadata");
    *view = (struct pod_view){.phase = POD_PENDING};
    view->created_ms = time_at(metadata, "creationTimestamp");
    view->deleting = value_get(metadata, "deletionTimestamp") != NULL;
    view->deleted_ms = time_at(metadata, "deletionTimestamp");
    read_owner(metadata, view);
    read_spec(value_get(document, "spec"), view);
    read_status(value_get(document, "status"), view);
    amounts_of_pod(document, "requests", true, &view->requests);
}

bool pod_has_ended(const struct pod_view *pod)
{
    return pod->phase == POD_SUCCEEDED || pod->phase == POD_FAILED;
}

bool pod_is_active(const struct pod_view *pod)
{
    return !pod_has_ended(pod) && !pod->deleting;
}

bool pod_is_available(const struct pod_view *pod, int64_t min_ready_ms, int64_t now_ms)
{
    return pod->ready && (min_ready_ms == 0 || (pod->ready_ms != 0 && pod->ready_ms + min_ready_ms <= now_ms));
}
