#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/node/pod_status.h"
#include "practice/node/probe.h"

enum { UNKNOWN_CODE = 137 };

static bool has_init(const struct pod_worker *worker)
{
    return worker->count > 0 && worker->containers[0].kind == POD_INIT;
}

/* Whether it waits to be started, for which container->waiting may have a reason. */
static bool is_to_start(const struct pod_container *container, const struct value *document)
{
    const struct pod_instance *instance = container->current;
    if (container->worker->deleting)
        return false;
    return instance == NULL || (instance->state == INSTANCE_ENDED && container_should_restart(container, document));
}

void container_show(const struct pod_container *container, const struct value *document, struct shown *shown)
{
    const struct pod_instance *instance = container->current, *previous = container->previous;
    *shown = (struct shown){.container = container, .state = POD_WAITING, .reason = has_init(container->worker) ? "PodInitializing" : "ContainerCreating"};
    shown->last = previous != NULL && previous->state == INSTANCE_ENDED ? previous : NULL;
    if (instance != NULL && instance->state == INSTANCE_RUNS) {
        shown->state = POD_STARTED;
    } else if (instance != NULL && instance->state == INSTANCE_ENDED) {
        shown->state = POD_TERMINATED;
        shown->ended = instance;
    }
    if (container->waiting != NULL && is_to_start(container, document)) {
        if (shown->ended != NULL)
            shown->last = shown->ended;
        shown->ended = NULL;
        shown->state = POD_WAITING;
        shown->reason = container->waiting;
        shown->message = container->waiting_message;
    }
    if (container->kind == POD_EPHEMERAL || instance == NULL)
        return;
    shown->started = instance_started(instance);
    if (container->kind == POD_INIT && !container->sidecar)
        shown->ready = shown->ended != NULL && shown->ended->code == 0;
    else
        shown->ready = instance_ready(instance);
}

/* ---- the entry ---- */

static bool set_text(struct value *object, const char *key, const char *text)
{
    return value_set(object, key, value_string(text));
}

static bool set_time(struct value *object, const char *key, int64_t ms, bool zero)
{
    char text[21];
    if (ms == 0 && !zero)
        return value_set(object, key, value_null());
    time_print(ms, text);
    return set_text(object, key, text);
}

static bool set_id(struct value *object, const struct pod_instance *instance)
{
    if (instance == NULL || instance->id == NULL || instance->id[0] == '\0')
        return true;
    char *id = mem_printf("containerd://%s", instance->id);
    bool ok = id != NULL && set_text(object, "containerID", id);
    mem_free(id);
    return ok;
}

static bool fill_terminated(struct value *state, const struct pod_instance *ended)
{
    struct value *terminated = value_child(state, "terminated");
    if (terminated == NULL)
        return false;
    if (ended == NULL)
        return value_set(terminated, "exitCode", value_int(UNKNOWN_CODE)) && set_text(terminated, "reason", "ContainerStatusUnknown") &&
               set_text(terminated, "message", "The container could not be located when the pod was terminated") && value_set(terminated, "startedAt", value_null()) &&
               value_set(terminated, "finishedAt", value_null());
    return value_set(terminated, "exitCode", value_int(ended->code)) && (ended->signal == 0 || value_set(terminated, "signal", value_int(ended->signal))) && set_text(terminated, "reason", ended->reason) &&
           (ended->message == NULL || ended->message[0] == '\0' || set_text(terminated, "message", ended->message)) && set_time(terminated, "startedAt", ended->started_ms, true) &&
           set_time(terminated, "finishedAt", ended->finished_ms, true) && set_id(terminated, ended);
}

static bool fill_state(struct value *state, const struct shown *shown)
{
    if (shown->state == POD_TERMINATED)
        return fill_terminated(state, shown->ended);
    struct value *inner = value_child(state, shown->state == POD_STARTED ? "running" : "waiting");
    if (inner == NULL)
        return false;
    if (shown->state == POD_STARTED)
        return set_time(inner, "startedAt", shown->container->current->started_ms, true);
    return set_text(inner, "reason", shown->reason) && (shown->message == NULL || shown->message[0] == '\0' || set_text(inner, "message", shown->message));
}

static bool fill_mounts(struct value *entry, const struct value *spec)
{
    const struct value *mounts = value_get(spec, "volumeMounts");
    struct value *list = value_first(mounts) != NULL ? value_array() : NULL;
    bool ok = value_first(mounts) == NULL || list != NULL;
    for (const struct value *mount = value_first(mounts); mount != NULL && ok; mount = value_next(mount)) {
        const char *name = value_find_text(mount, "name", NULL), *path = value_find_text(mount, "mountPath", NULL), *recursive = value_find_text(mount, "recursiveReadOnly", NULL);
        bool read_only = value_is_true(value_get(mount, "readOnly"));
        bool wholly = recursive != NULL && strcmp(recursive, "Disabled") != 0;
        struct value *item = value_object();
        ok = item != NULL && set_text(item, "name", name != NULL ? name : "") && set_text(item, "mountPath", path != NULL ? path : "") && (!read_only || value_set(item, "readOnly", value_bool(true))) &&
             (!read_only || set_text(item, "recursiveReadOnly", wholly ? "Enabled" : "Disabled"));
        ok = value_append(list, item) && ok;
    }
    if (list != NULL)
        ok = value_set(entry, "volumeMounts", list) && ok;
    return ok;
}

static bool fill_user(struct value *entry, const struct pod_instance *instance)
{
    struct value *user = value_child(entry, "user"), *linux_user = user != NULL ? value_child(user, "linux") : NULL, *groups = value_array();
    bool ok = linux_user != NULL && groups != NULL && value_append(groups, value_int(instance->group)) && value_set(linux_user, "uid", value_int(instance->user)) &&
              value_set(linux_user, "gid", value_int(instance->group));
    if (linux_user != NULL)
        return value_set(linux_user, "supplementalGroups", groups) && ok;
    value_free(groups);
    return false;
}

/* What only a container has that was made once. */
static bool fill_instance(struct value *entry, const struct pod_instance *instance, const struct value *spec)
{
    const struct value *resources = value_get(spec, "resources"), *requests = value_get(resources, "requests");
    struct value *copy = resources != NULL ? value_copy(resources) : value_object();
    bool ok = copy != NULL;
    if (copy != NULL)
        value_remove(copy, "claims");
    ok = value_set(entry, "resources", copy) && ok && (value_first(requests) == NULL || value_set(entry, "allocatedResources", value_copy(requests)));
    return ok && set_id(entry, instance) && (instance->user < 0 || fill_user(entry, instance));
}

struct value *container_status(const struct shown *shown, const struct value *spec)
{
    const struct pod_container *container = shown->container;
    const struct pod_instance *instance = container->current;
    const char *image = value_find_text(spec, "image", NULL);
    const struct image_name *name = instance != NULL ? instance->image : NULL;
    struct value *entry = value_object(), *state = entry != NULL ? value_child(entry, "state") : NULL, *last = entry != NULL ? value_child(entry, "lastState") : NULL;
    bool ok = state != NULL && last != NULL && set_text(entry, "name", container->name) && fill_state(state, shown) && (shown->last == NULL || fill_terminated(last, shown->last)) &&
              value_set(entry, "ready", value_bool(shown->ready)) && value_set(entry, "restartCount", value_int(container->restarts)) &&
              set_text(entry, "image", name != NULL ? name->reference : image != NULL ? image : "") && set_text(entry, "imageID", name != NULL ? name->id : "") &&
              (container->kind == POD_EPHEMERAL || value_set(entry, "started", value_bool(shown->started))) && fill_mounts(entry, spec) &&
              (instance == NULL || instance->id == NULL || fill_instance(entry, instance, spec));
    if (ok)
        return entry;
    value_free(entry);
    return NULL;
}

/* ---- the phase (kubelet's getPhase) ---- */

struct counts {
    int pending_init, pending_sidecars, failed_init, running, waiting, unknown, stopped, stopped_for_good, succeeded;
    bool began; /* one of the main containers was started in this sandbox */
};

/* The instance whose exit code counts: of its end, or of its last one while it waits. */
static const struct pod_instance *end_of(const struct shown *shown)
{
    return shown->state == POD_TERMINATED ? shown->ended : shown->state == POD_WAITING ? shown->last : NULL;
}

static bool restarts(const struct shown *shown, const struct value *document)
{
    return !shown->unknown && container_should_restart(shown->container, document);
}

static void count_init(struct counts *counts, const struct shown *shown, const struct value *document)
{
    const struct pod_instance *end = end_of(shown);
    if (shown->container->sidecar) {
        if (shown->state == POD_STARTED) {
            counts->running++;
            counts->pending_sidecars += !shown->started;
        } else if (shown->state == POD_WAITING && end == NULL) {
            counts->pending_sidecars++;
            counts->waiting++;
        }
    } else if (end == NULL && !shown->unknown) {
        counts->pending_init++;
    } else if (shown->unknown || end->code != 0) {
        counts->failed_init += !restarts(shown, document);
    }
}

static void count_main(struct counts *counts, const struct shown *shown, const struct value *document)
{
    const struct pod_instance *end = end_of(shown);
    if (shown->state == POD_STARTED) {
        counts->running++;
    } else if (end != NULL || shown->unknown) {
        counts->stopped++;
        counts->stopped_for_good += !restarts(shown, document);
        counts->succeeded += shown->state == POD_TERMINATED && end != NULL && end->code == 0;
    } else {
        counts->waiting++;
    }
    counts->began = counts->began || (shown->container->current != NULL && shown->container->current->handle != NULL);
}

enum pod_phase containers_phase(const struct shown *shown, size_t count, const struct value *document, bool ended)
{
    struct counts counts = {0};
    for (size_t i = 0; i < count; i++) {
        if (shown[i].container->kind == POD_INIT)
            count_init(&counts, &shown[i], document);
        else if (shown[i].container->kind == POD_APP)
            count_main(&counts, &shown[i], document);
    }
    if (counts.failed_init > 0)
        return POD_FAILED;
    if (counts.pending_init > 0 || (counts.pending_sidecars > 0 && !counts.began) || counts.waiting > 0)
        return POD_PENDING;
    if (counts.running > 0)
        return POD_RUNNING;
    if (counts.stopped == 0)
        return POD_PENDING;
    if (!ended && counts.stopped != counts.stopped_for_good)
        return POD_RUNNING;
    return counts.stopped == counts.succeeded ? POD_SUCCEEDED : POD_FAILED;
}
