#include "practice/node/pod_start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/node/pod_images.h"
#include "practice/node/pod_kill.h"
#include "practice/node/probe.h"

enum { LOG_TAIL = 2048, LOG_LINES = 80, START_ERROR_CODE = 128 };

static const struct runtime_ops *ops_of(const struct pod_worker *worker)
{
    return worker->node->nodes->runtime.ops;
}

/* ---- crash back-off (kubelet's doBackOff: counted from the last end) ---- */

int64_t container_backoff_end(const struct pod_container *container)
{
    const struct pod_instance *instance = container->current;
    if (instance == NULL || instance->state != INSTANCE_ENDED || container->backoff_ms == 0 || instance->finished_ms - container->backoff_since_ms > POD_BACKOFF_RESET_MS)
        return 0;
    int64_t end = instance->finished_ms + container->backoff_ms;
    return end > pod_now(container->worker) ? end : 0;
}

static bool backs_off(struct pod_container *container)
{
    struct pod_worker *worker = container->worker;
    const struct pod_instance *instance = container->current;
    char wait[40];
    if (instance == NULL || instance->state != INSTANCE_ENDED)
        return false;
    if (container_backoff_end(container) == 0) {
        bool fresh = container->backoff_ms == 0 || instance->finished_ms - container->backoff_since_ms > POD_BACKOFF_RESET_MS;
        container->backoff_ms = fresh ? POD_BACKOFF_FIRST_MS : container->backoff_ms * 2;
        if (container->backoff_ms > POD_BACKOFF_MOST_MS)
            container->backoff_ms = POD_BACKOFF_MOST_MS;
        container->backoff_since_ms = pod_now(worker);
        return false;
    }
    char *name = pod_full_name(worker);
    go_duration_print(container->backoff_ms, wait);
    pod_say(worker, container, true, "BackOff", "Back-off restarting failed container %s in pod %s", container->name, name != NULL ? name : "");
    container_wait(container, "CrashLoopBackOff", "back-off %s restarting failed container=%s pod=%s", wait, container->name, name != NULL ? name : "");
    mem_free(name);
    return true;
}

/* ---- what the runtime tells ---- */

/* The last lines of a log, as a message. */
static char *cut_lines(char *text)
{
    size_t lines = 0;
    if (text == NULL)
        return NULL;
    size_t at = strlen(text);
    while (at > 0 && lines <= LOG_LINES)
        lines += text[--at] == '\n';
    if (lines > LOG_LINES)
        memmove(text, text + at + 1, strlen(text + at + 1) + 1);
    return text;
}

static void ended(void *data, const struct runtime_end *end)
{
    struct pod_instance *instance = data;
    struct pod_container *container = instance->container;
    instance->state = INSTANCE_ENDED;
    instance->code = end->signal != 0 ? 128 + end->signal : end->code;
    instance->started_ms = end->started_ms;
    instance->finished_ms = end->finished_ms;
    instance->reason = end->out_of_memory ? "OOMKilled" : instance->code == 0 ? "Completed" : "Error";
    if (end->message != NULL && end->message[0] != '\0')
        instance->message = mem_string(end->message);
    else if (container->tail_as_message && instance->code != 0)
        instance->message = cut_lines(ops_of(container->worker)->container_log_tail(instance->handle, LOG_TAIL));
    probes_stop(instance, true);
    container->worker->again = true;
    pod_wake(container->worker);
}

static void start_failed(struct pod_instance *instance, const struct error *err)
{
    struct pod_container *container = instance->container;
    bool bare = strncmp(err->message, "exec: ", 6) == 0;
    instance->message = mem_printf("%s%s",
                                   bare ? "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: " : "",
                                   err->message);
    instance->state = INSTANCE_ENDED;
    instance->code = START_ERROR_CODE;
    instance->reason = "StartError";
    instance->finished_ms = pod_now(container->worker);
    pod_say(container->worker, container, true, "Failed", "Error: %s", instance->message != NULL ? instance->message : "");
    container_wait(container, "RunContainerError", "%s", instance->message != NULL ? instance->message : "");
}

static void started(void *data, const struct error *err)
{
    struct pod_instance *instance = data;
    struct pod_container *container = instance->container;
    struct pod_worker *worker = container->worker;
    if (err != NULL && err->kind != ERROR_NONE) {
        start_failed(instance, err);
    } else if (instance->state == INSTANCE_MADE) {
        const struct value *document = pod_document(worker);
        instance->state = INSTANCE_RUNS;
        instance->started_ms = pod_now(worker);
        pod_say(worker, container, false, "Started", "Container started");
        if (document == NULL || !probes_begin(instance, container_spec(container, document)))
            probes_stop(instance, true); /* no memory: they never succeed, the Pod never gets ready */
    }
    worker->again = true;
    pod_wake(worker);
}

/* ---- one container ---- */

static bool fail_config(struct pod_container *container, const char *reason, const char *why)
{
    container_wait(container, reason, "%s", why);
    pod_say(container->worker, container, true, "Failed", "Error: %s", why);
    return false;
}

/* The user that status.user shows. */
static void note_user(struct pod_instance *instance, const struct runtime_container_config *config)
{
    const char *user = config->image->user != NULL ? config->image->user : "", *group = strchr(user, ':');
    instance->user = config->user >= 0 ? config->user : atoi(user);
    instance->group = config->group >= 0 ? config->group : group != NULL ? atoi(group + 1) : 0;
}

/* Makes the instance. False: it waits for a reason. */
static bool create(struct pod_container *container, const struct value *document, const struct runtime_image *image)
{
    struct pod_worker *worker = container->worker;
    struct container_config made;
    char why[512];
    struct error err = ERROR_INIT;
    bool ok = container_config_make(container, document, image, &made, why) || fail_config(container, "CreateContainerConfigError", why);
    struct pod_instance *instance = ok ? instance_new(container) : NULL;
    if (ok && instance == NULL)
        ok = fail_config(container, "CreateContainerError", "out of memory");
    if (ok) {
        note_user(instance, &made.config);
        instance->image = image_name_of(worker->node->nodes, image);
        instance->handle = ops_of(worker)->container(worker->sandbox, &made.config, started, ended, instance, &err);
        const char *id = instance->handle != NULL ? ops_of(worker)->container_id(instance->handle) : NULL;
        instance->id = id != NULL ? mem_string(id) : NULL;
        if (instance->handle == NULL) {
            instance_free(instance);
            ok = fail_config(container, "CreateContainerError", err.message);
        } else {
            instance_attach(instance);
            pod_say(worker, container, false, "Created", "Container created");
        }
    }
    container_config_free(&made);
    return ok;
}

static void hook_ran(void *data, const char *message)
{
    struct pod_worker *worker = data;
    worker->hook = NULL;
    mem_free(worker->hook_failure);
    worker->hook_failure = message != NULL ? mem_string(message) : NULL;
    pod_wake(worker);
}

static int64_t grace_of(const struct value *document)
{
    return 1000 * value_find_int(document, 30, "spec", "terminationGracePeriodSeconds", NULL);
}

enum went { WENT_ON, WENT_WAITS, WENT_DONE, WENT_FAILED };

static enum went step_pull(struct pod_container *container, const struct value *document)
{
    struct runtime_image image = {0};
    enum image_step step = pod_image_ensure(container, container_spec(container, document), document, &image);
    if (step == IMAGE_WAITS)
        return WENT_WAITS;
    bool made = step == IMAGE_READY && create(container, document, &image);
    runtime_image_free(&image);
    container->worker->step = START_CREATE;
    return made ? WENT_ON : WENT_FAILED;
}

static enum went step_create(struct pod_container *container, const struct value *document)
{
    struct pod_worker *worker = container->worker;
    struct pod_instance *instance = container->current;
    bool none;
    if (instance->state == INSTANCE_MADE)
        return WENT_WAITS;
    if (instance->state == INSTANCE_ENDED)
        return instance->code == START_ERROR_CODE && strcmp(instance->reason, "StartError") == 0 ? WENT_FAILED : WENT_DONE;
    worker->step = START_HOOK;
    worker->hook = hook_start(instance, container_spec(container, document), "postStart", hook_ran, worker, &none);
    return none ? WENT_DONE : WENT_ON;
}

static enum went step_hook(struct pod_container *container, const struct value *document)
{
    struct pod_worker *worker = container->worker;
    if (worker->hook != NULL)
        return WENT_WAITS;
    if (worker->hook_failure == NULL)
        return WENT_DONE;
    pod_say(worker, container, true, "FailedPostStartHook", "PostStartHook failed");
    worker->step = START_HOOK_KILL;
    if (container->current->state == INSTANCE_RUNS && !pod_kill(container, document, "FailedPostStartHook", grace_of(document), false))
        ops_of(worker)->container_signal(container->current->handle, 9);
    return WENT_ON;
}

static enum went step_hook_kill(struct pod_container *container, const struct value *document)
{
    struct pod_worker *worker = container->worker;
    (void)document;
    if (!pod_kill_look(container) || container->current->state != INSTANCE_ENDED)
        return WENT_WAITS;
    container_wait(container, "PostStartHookError", "%s", worker->hook_failure);
    mem_free(worker->hook_failure);
    worker->hook_failure = NULL;
    return WENT_FAILED;
}

static enum went step(struct pod_container *container, const struct value *document)
{
    static enum went (*const steps[])(struct pod_container *container, const struct value *document) = {
        [START_PULL] = step_pull, [START_CREATE] = step_create, [START_HOOK] = step_hook, [START_HOOK_KILL] = step_hook_kill};
    return steps[container->worker->step](container, document);
}

static struct pod_container *next_wanted(struct pod_worker *worker)
{
    static const enum pod_container_kind order[] = {POD_EPHEMERAL, POD_INIT, POD_APP};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < worker->count; i++)
            if (worker->containers[i].wanted && worker->containers[i].kind == order[k])
                return &worker->containers[i];
    return NULL;
}

/* After an init container that could not be started nothing else is, until the next pass. */
static void give_up(struct pod_worker *worker)
{
    for (size_t i = 0; i < worker->count; i++)
        worker->containers[i].wanted = false;
}

bool pod_start_go(struct pod_worker *worker, const struct value *document)
{
    for (;;) {
        struct pod_container *container = worker->starting;
        if (container == NULL) {
            if ((container = next_wanted(worker)) == NULL)
                return true;
            container->wanted = false;
            worker->starting = container;
            worker->step = START_PULL;
        }
        bool fresh = worker->step == START_PULL && worker->pull == NULL;
        enum went went = fresh && backs_off(container) ? WENT_FAILED : step(container, document);
        if (went == WENT_WAITS)
            return false;
        if (went == WENT_ON)
            continue;
        worker->starting = NULL;
        if (went == WENT_DONE)
            container_wait(container, NULL, "%s", "");
        else if (container->kind == POD_INIT && !container->sidecar)
            give_up(worker);
    }
}

bool pod_start_stop(struct pod_worker *worker)
{
    give_up(worker);
    if (worker->starting == NULL)
        return true;
    if (worker->step == START_PULL) {
        pod_image_cancel(worker);
        worker->starting = NULL;
    }
    return worker->starting == NULL;
}
