/* A Pod's containers in memory: made from its spec, and from its status what they were before this process began. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/node/pod.h"
#include "practice/node/pod_kill.h"
#include "practice/node/probe.h"

static const char *const spec_keys[] = {[POD_INIT] = "initContainers", [POD_APP] = "containers", [POD_EPHEMERAL] = "ephemeralContainers"};
static const char *const status_keys[] = {[POD_INIT] = "initContainerStatuses", [POD_APP] = "containerStatuses", [POD_EPHEMERAL] = "ephemeralContainerStatuses"};
static const char *const policies[] = {[RESTART_ALWAYS] = "Always", [RESTART_ON_FAILURE] = "OnFailure", [RESTART_NEVER] = "Never"};
enum { UNKNOWN_EXIT = 255 /* what containerd says of those whose machine went down */ };

static const struct value *named(const struct value *list, const char *name)
{
    const struct value *item = value_first(list);
    const char *found;
    while (item != NULL && ((found = value_find_text(item, "name", NULL)) == NULL || strcmp(found, name) != 0))
        item = value_next(item);
    return item;
}

const struct value *container_spec(const struct pod_container *container, const struct value *document)
{
    return named(value_find(document, "spec", spec_keys[container->kind], NULL), container->name);
}

static enum restart_policy policy_of(const char *text, enum restart_policy otherwise)
{
    for (size_t i = 0; text != NULL && i < sizeof policies / sizeof *policies; i++)
        if (strcmp(text, policies[i]) == 0)
            return (enum restart_policy)i;
    return otherwise;
}

/* ---- instances ---- */

static void tell_gone(struct pod_listener **list)
{
    while (*list != NULL) {
        struct pod_listener *listener = *list;
        pod_unlisten(listener);
        listener->gone(listener->data);
    }
}

void instance_free(struct pod_instance *instance)
{
    if (instance == NULL)
        return;
    tell_gone(&instance->listeners);
    for (size_t i = 0; i < sizeof instance->probes / sizeof *instance->probes; i++)
        probe_free(instance->probes[i]);
    if (instance->handle != NULL)
        instance->container->worker->node->nodes->runtime.ops->container_free(instance->handle);
    mem_free(instance->message);
    mem_free(instance->id);
    mem_free(instance);
}

struct pod_instance *instance_new(struct pod_container *container)
{
    struct pod_instance *instance = mem_zero(1, sizeof *instance);
    if (instance == NULL)
        return NULL;
    instance->container = container;
    instance->attempt = container->current != NULL ? container->current->attempt + 1 : 0;
    return instance;
}

void instance_attach(struct pod_instance *instance)
{
    struct pod_container *container = instance->container;
    instance_free(container->previous);
    container->previous = container->current;
    container->current = instance;
    container->restarts = instance->attempt;
}

void pod_instance_listen(struct pod_instance *instance, struct pod_listener *listener)
{
    listener->next = instance->listeners;
    listener->link = &instance->listeners;
    if (listener->next != NULL)
        listener->next->link = &listener->next;
    instance->listeners = listener;
}

void pod_worker_listen(struct pod_worker *worker, struct pod_listener *listener)
{
    listener->next = worker->listeners;
    listener->link = &worker->listeners;
    if (listener->next != NULL)
        listener->next->link = &listener->next;
    worker->listeners = listener;
}

void pod_unlisten(struct pod_listener *listener)
{
    if (listener->link == NULL)
        return;
    *listener->link = listener->next;
    if (listener->next != NULL)
        listener->next->link = listener->link;
    listener->link = NULL;
    listener->next = NULL;
}

/* ---- what was before ---- */

static int64_t time_of(const struct value *object, const char *key)
{
    int64_t ms = 0;
    const char *text = value_find_text(object, key, NULL);
    return text != NULL && time_parse(text, &ms) ? ms : 0;
}

static const char *reason_of(const char *text)
{
    static const char *const known[] = {"Completed", "Error", "OOMKilled", "StartError", "ContainerStatusUnknown", "Unknown"};
    for (size_t i = 0; text != NULL && i < sizeof known / sizeof *known; i++)
        if (strcmp(text, known[i]) == 0)
            return known[i];
    return "Error";
}

/* One without a handle, from a status' {"terminated": ...} or, for one that ran when the power went, {"running": ...}. */
static bool instance_read(struct pod_container *container, const struct value *status, const struct value *state)
{
    const struct value *terminated = value_get(state, "terminated"), *running = value_get(state, "running");
    if (terminated == NULL && running == NULL)
        return true;
    struct pod_instance *instance = instance_new(container);
    if (instance == NULL)
        return false;
    instance_attach(instance);
    const char *id = value_find_text(terminated != NULL ? terminated : status, "containerID", NULL), *message = value_find_text(terminated, "message", NULL);
    static const char scheme[] = "containerd://";
    instance->state = INSTANCE_ENDED;
    instance->id = mem_string(id != NULL && strncmp(id, scheme, sizeof scheme - 1) == 0 ? id + sizeof scheme - 1 : "");
    instance->message = message != NULL ? mem_string(message) : NULL;
    instance->started_ms = time_of(terminated != NULL ? terminated : running, "startedAt");
    instance->finished_ms = terminated != NULL ? time_of(terminated, "finishedAt") : pod_now(container->worker);
    instance->code = terminated != NULL ? (int)value_find_int(terminated, 0, "exitCode", NULL) : UNKNOWN_EXIT;
    instance->reason = terminated != NULL ? reason_of(value_find_text(terminated, "reason", NULL)) : "Unknown";
    instance->user = value_find_int(status, -1, "user", "linux", "uid", NULL);
    instance->group = value_find_int(status, -1, "user", "linux", "gid", NULL);
    const struct runtime_image image = {.reference = (char *)(uintptr_t)value_find_text(status, "image", NULL), .id = (char *)(uintptr_t)value_find_text(status, "imageID", NULL)};
    instance->image = image.reference != NULL && image.id != NULL && image.id[0] != '\0' ? image_name_of(container->worker->node->nodes, &image) : NULL;
    if (terminated == NULL)
        container->worker->sandbox_changed = true;
    return instance->id != NULL && (message == NULL || instance->message != NULL);
}

static bool status_read(struct pod_container *container, const struct value *document)
{
    const struct value *status = named(value_find(document, "status", status_keys[container->kind], NULL), container->name);
    if (status == NULL)
        return true;
    if (!instance_read(container, status, value_get(status, "lastState")) || !instance_read(container, status, value_get(status, "state")))
        return false;
    container->restarts = (int)value_find_int(status, 0, "restartCount", NULL);
    if (container->current != NULL)
        container->current->attempt = container->restarts;
    if (container->previous != NULL)
        container->previous->attempt = container->restarts - 1;
    return true;
}

/* ---- */

static bool fill(struct pod_container *container, const struct value *spec, enum restart_policy pod_policy)
{
    static const char *const probes[] = {[PROBE_STARTUP] = "startupProbe", [PROBE_READINESS] = "readinessProbe", [PROBE_LIVENESS] = "livenessProbe"};
    const char *name = value_find_text(spec, "name", NULL), *policy = value_find_text(spec, "restartPolicy", NULL);
    container->name = mem_string(name != NULL ? name : "");
    container->own_policy = policy != NULL;
    if (container->kind == POD_EPHEMERAL)
        container->policy = RESTART_NEVER;
    else if (container->kind == POD_INIT && policy == NULL)
        container->policy = pod_policy == RESTART_NEVER ? RESTART_NEVER : RESTART_ON_FAILURE;
    else
        container->policy = policy_of(policy, pod_policy);
    container->sidecar = container->kind == POD_INIT && policy != NULL && container->policy == RESTART_ALWAYS;
    container->tty = value_is_true(value_get(spec, "tty"));
    container->stdin_open = value_is_true(value_get(spec, "stdin"));
    const char *message_policy = value_find_text(spec, "terminationMessagePolicy", NULL);
    container->tail_as_message = message_policy != NULL && strcmp(message_policy, "FallbackToLogsOnError") == 0;
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
        container->probed[i] = value_get(spec, probes[i]) != NULL;
    return container->name != NULL;
}

static void container_done(struct pod_container *container)
{
    instance_free(container->previous);
    instance_free(container->current);
    mem_free(container->name);
    mem_free(container->waiting_message);
    mem_free(container->pull_error);
    pod_kill_free(container);
}

/* The array moved: those that point into it follow. */
static void settle(struct pod_worker *worker)
{
    for (size_t i = 0; i < worker->count; i++) {
        struct pod_container *container = &worker->containers[i];
        if (container->current != NULL)
            container->current->container = container;
        if (container->previous != NULL)
            container->previous->container = container;
    }
}

static bool append(struct pod_worker *worker, const struct value *spec, enum pod_container_kind kind, const struct value *document)
{
    enum restart_policy policy = policy_of(value_find_text(document, "spec", "restartPolicy", NULL), RESTART_ALWAYS);
    size_t starting = worker->starting != NULL ? (size_t)(worker->starting - worker->containers) : 0;
    struct pod_container *more = mem_resize(worker->containers, (worker->count + 1) * sizeof *more);
    if (more == NULL)
        return false;
    worker->containers = more;
    worker->starting = worker->starting != NULL ? &more[starting] : NULL;
    struct pod_container *container = &more[worker->count];
    *container = (struct pod_container){.worker = worker, .kind = kind};
    settle(worker);
    if (!fill(container, spec, policy) || !status_read(container, document)) {
        container_done(container);
        return false;
    }
    worker->count++;
    return true;
}

bool pod_containers_read(struct pod_worker *worker, const struct value *document)
{
    for (enum pod_container_kind kind = POD_INIT; kind <= POD_EPHEMERAL; kind++)
        for (const struct value *spec = value_first(value_find(document, "spec", spec_keys[kind], NULL)); spec != NULL; spec = value_next(spec)) {
            const char *name = value_find_text(spec, "name", NULL);
            if ((name == NULL || pod_worker_container(worker, name) == NULL) && !append(worker, spec, kind, document))
                return false;
        }
    return true;
}

void pod_containers_free(struct pod_worker *worker)
{
    for (size_t i = worker->count; i-- > 0;)
        container_done(&worker->containers[i]);
    mem_free(worker->containers);
    worker->containers = NULL;
    worker->count = 0;
}

/* ---- questions ---- */

static bool list_has(const struct value *list, int code)
{
    int64_t number;
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item))
        if (value_as_int(item, &number) && number == code)
            return true;
    return false;
}

/* The first of restartPolicyRules that fits decides. */
static bool rule_restarts(const struct value *spec, int code)
{
    for (const struct value *rule = value_first(value_get(spec, "restartPolicyRules")); rule != NULL; rule = value_next(rule)) {
        const char *action = value_find_text(rule, "action", NULL), *operator_ = value_find_text(rule, "exitCodes", "operator", NULL);
        if (action == NULL || strcmp(action, "Restart") != 0 || operator_ == NULL)
            continue;
        if (list_has(value_find(rule, "exitCodes", "values", NULL), code) == (strcmp(operator_, "In") == 0))
            return true;
    }
    return false;
}

bool container_should_restart(const struct pod_container *container, const struct value *document)
{
    const struct pod_instance *instance = container->current;
    if (instance == NULL || instance->state != INSTANCE_ENDED)
        return false;
    if (container->kind == POD_EPHEMERAL)
        return false;
    if (container->own_policy && !container->sidecar && rule_restarts(container_spec(container, document), instance->code))
        return true;
    switch (container->policy) {
    case RESTART_ALWAYS: return true;
    case RESTART_ON_FAILURE: return instance->code != 0;
    default: return false;
    }
}

bool pod_initialized(const struct pod_worker *worker)
{
    for (size_t i = 0; i < worker->count; i++) {
        const struct pod_container *container = &worker->containers[i];
        const struct pod_instance *instance = container->current;
        if (container->kind == POD_APP && instance != NULL && instance->handle != NULL)
            return true; /* it ran in this sandbox */
        if (container->kind != POD_INIT)
            continue;
        if (instance == NULL || instance->handle == NULL)
            return false;
        if (container->sidecar ? instance->state != INSTANCE_RUNS || !instance_started(instance) : instance->state != INSTANCE_ENDED || instance->code != 0)
            return false;
    }
    return true;
}

void container_wait(struct pod_container *container, const char *reason, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    mem_free(container->waiting_message);
    container->waiting = reason;
    container->waiting_message = reason != NULL ? mem_string(text) : NULL;
}

/* ---- pod_table.h's ---- */

struct pod_container *pod_worker_container(const struct pod_worker *worker, const char *name)
{
    for (size_t i = 0; i < worker->count; i++)
        if (strcmp(worker->containers[i].name, name) == 0)
            return &worker->containers[i];
    return NULL;
}

struct pod_container *pod_worker_next(const struct pod_worker *worker, const struct pod_container *after)
{
    size_t next = after != NULL ? (size_t)(after - worker->containers) + 1 : 0;
    return next < worker->count ? &worker->containers[next] : NULL;
}

const char *pod_container_name(const struct pod_container *container)
{
    return container->name;
}

enum pod_container_kind pod_container_kind(const struct pod_container *container)
{
    return container->kind;
}

static bool has_init(const struct pod_worker *worker)
{
    return worker->count > 0 && worker->containers[0].kind == POD_INIT;
}

enum pod_container_state pod_container_state(const struct pod_container *container, const char **reason)
{
    const struct pod_instance *instance = container->current;
    *reason = "";
    if (instance != NULL && instance->state == INSTANCE_RUNS)
        return POD_STARTED;
    if (container->waiting != NULL && container->worker->stage == STAGE_RUN && !container->worker->deleting) {
        *reason = container->waiting;
        return POD_WAITING;
    }
    if (instance != NULL && instance->state == INSTANCE_ENDED)
        return POD_TERMINATED;
    *reason = has_init(container->worker) ? "PodInitializing" : "ContainerCreating";
    return POD_WAITING;
}

bool pod_container_wants_tty(const struct pod_container *container)
{
    return container->tty;
}

bool pod_container_wants_stdin(const struct pod_container *container)
{
    return container->stdin_open;
}

struct pod_instance *pod_container_current(const struct pod_container *container)
{
    return container->current;
}

struct pod_instance *pod_container_previous(const struct pod_container *container)
{
    return container->previous;
}

struct runtime_container *pod_instance_handle(const struct pod_instance *instance)
{
    return instance->handle;
}

bool pod_instance_runs(const struct pod_instance *instance)
{
    return instance->state == INSTANCE_RUNS;
}
