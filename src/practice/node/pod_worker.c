#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/node/pod_admission.h"
#include "practice/node/pod_images.h"
#include "practice/node/pod_kill.h"
#include "practice/node/pod_sandbox.h"
#include "practice/node/pod_start.h"
#include "practice/node/pod_status.h"
#include "practice/node/pod_volumes.h"
#include "practice/node/probe.h"

enum {
    RESYNC_MS = 60000, /* how often a kubelet looks at mounted ConfigMaps and Secrets */
    SOON_MS = 20,      /* a status that will be another one in that time is not written (the kubelet's status manager, too, writes the newest of several) */
    SAY = 4096,
};

static const struct client_resource pods_resource = {"", "v1", "pods"};
static const char deadline_reason[] = "DeadlineExceeded", deadline_message[] = "Pod was active on the node longer than the specified deadline";

/* ---- made and freed ---- */

static void read_deadline(struct pod_worker *worker, const struct value *document)
{
    int64_t seconds = value_find_int(document, 0, "spec", "activeDeadlineSeconds", NULL), since;
    const char *start = value_find_text(document, "status", "startTime", NULL);
    if (start == NULL || !time_parse(start, &since))
        since = pod_now(worker);
    worker->deadline_ms = seconds > 0 ? since + 1000 * seconds : 0;
}

static void read_deletion(struct pod_worker *worker, const struct value *document)
{
    worker->deleting = value_find_text(document, "metadata", "deletionTimestamp", NULL) != NULL;
    worker->grace_ms = worker->deleting ? 1000 * value_find_int(document, 30, "metadata", "deletionGracePeriodSeconds", NULL) : -1;
}

struct pod_worker *pod_new(struct node *node, const struct pod_view *view, const struct value *document, struct error *err)
{
    struct pod_worker *worker = mem_zero(1, sizeof *worker);
    const char *ip = value_find_text(document, "status", "podIP", NULL);
    if (worker == NULL) {
        error_memory(err);
        return NULL;
    }
    worker->node = node;
    worker->address = -1;
    worker->ns = mem_string(view->object->ns);
    worker->name = mem_string(view->object->name);
    worker->uid = mem_string(view->object->uid);
    worker->version = view->object->version;
    worker->adopted = value_find_text(document, "status", "startTime", NULL) != NULL;
    if (worker->ns == NULL || worker->name == NULL || worker->uid == NULL || !pod_containers_read(worker, document)) {
        pod_free(worker);
        error_memory(err);
        return NULL;
    }
    read_deletion(worker, document);
    read_deadline(worker, document);
    if (pod_has_ended(view))
        worker->stage = STAGE_DONE;
    if (ip != NULL && worker->stage == STAGE_NEW && node_take_this(node, ip, &worker->address))
        snprintf(worker->ip, sizeof worker->ip, "%s", ip);
    worker->next = node->workers;
    worker->link = &node->workers;
    if (worker->next != NULL)
        worker->next->link = &worker->next;
    node->workers = worker;
    return worker;
}

void pod_free(struct pod_worker *worker)
{
    if (worker == NULL)
        return;
    pod_image_cancel(worker);
    hook_cancel(worker->hook);
    pod_containers_free(worker);
    pod_sandbox_free(worker);
    pod_volumes_free(worker);
    pod_release(worker);
    if (worker->link != NULL) {
        *worker->link = worker->next;
        if (worker->next != NULL)
            worker->next->link = worker->link;
    }
    amounts_free(&worker->requests);
    value_free(worker->document);
    mem_free(worker->ports);
    mem_free(worker->hook_failure);
    mem_free(worker->ns);
    mem_free(worker->name);
    mem_free(worker->uid);
    mem_free(worker);
}

bool pod_drop_oldest(struct node *node)
{
    struct pod_worker *oldest = NULL;
    for (struct pod_worker *worker = node->workers; worker != NULL; worker = worker->next)
        if (worker->stage == STAGE_DONE && !worker->deleting && worker->address >= 0)
            oldest = worker; /* the list has the newest first */
    if (oldest == NULL)
        return false;
    map_remove(&node->nodes->workers, oldest->uid);
    pod_free(oldest);
    return true;
}

/* ---- small ---- */

int64_t pod_now(const struct pod_worker *worker)
{
    return cluster_clock_ms(worker->node->nodes->clock);
}

void pod_wake(struct pod_worker *worker)
{
    workqueue_add(worker->node->nodes->pods, worker->uid);
}

void pod_wake_at(struct pod_worker *worker, int64_t at_ms)
{
    int64_t ms = at_ms - pod_now(worker);
    workqueue_add_after(worker->node->nodes->pods, worker->uid, ms > 0 ? ms : 0);
}

struct value *pod_document(struct pod_worker *worker)
{
    const struct pods *pods = worker->node->nodes->place.pods;
    if (worker->document == NULL) {
        const struct pod_view *view = pods_by_uid(pods, worker->uid);
        if (view != NULL && view->object->version >= worker->version)
            worker->document = pods_value(pods, view);
        else if (view != NULL) /* what was written last is not committed yet */
            worker->document = client_get(worker->node->client, &pods_resource, worker->ns, worker->name, NULL);
    }
    return worker->document;
}

void pod_forget_document(struct pod_worker *worker)
{
    value_free(worker->document);
    worker->document = NULL;
}

char *pod_full_name(const struct pod_worker *worker)
{
    return mem_printf("%s_%s(%s)", worker->name, worker->ns, worker->uid);
}

void pod_say(struct pod_worker *worker, const struct pod_container *container, bool warning, const char *reason, const char *format, ...)
{
    static const char *const paths[] = {[POD_INIT] = "spec.initContainers{%s}", [POD_APP] = "spec.containers{%s}", [POD_EPHEMERAL] = "spec.ephemeralContainers{%s}"};
    char text[SAY], path[320];
    const char *version = value_find_text(worker->document, "metadata", "resourceVersion", NULL);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (container != NULL)
        snprintf(path, sizeof path, paths[container->kind], container->name);
    const struct recorder_about about = {.kind = "Pod",
                                         .api_version = "v1",
                                         .ns = worker->ns,
                                         .name = worker->name,
                                         .uid = worker->uid,
                                         .version = version != NULL ? version : "",
                                         .field_path = container != NULL ? path : NULL};
    recorder_say(worker->node->recorder, &about, warning, reason, NULL, "%s", text);
}

static int64_t grace_of(const struct pod_worker *worker, const struct value *document)
{
    return worker->grace_ms >= 0 ? worker->grace_ms : 1000 * value_find_int(document, 30, "spec", "terminationGracePeriodSeconds", NULL);
}

/* ---- a pass ---- */

/* A probe's own grace period counts where it is the one that failed. */
static int64_t probe_grace(const struct pod_worker *worker, const struct value *document, const struct value *spec, const char *probe)
{
    int64_t own = value_find_int(spec, -1, probe, "terminationGracePeriodSeconds", NULL);
    return own >= 0 ? 1000 * own : grace_of(worker, document);
}

/* Ends one whose liveness or startup probe failed; it is to be started again. */
static void kill_failed(struct pod_container *container, const struct value *document)
{
    struct pod_instance *instance = container->current;
    const struct value *spec = container_spec(container, document);
    bool startup = instance->startup_failed, again = container->policy != RESTART_NEVER;
    if (instance->state != INSTANCE_RUNS || container->kill != NULL || (!startup && !instance->liveness_failed))
        return;
    char *message = mem_printf("%s %s failed %s probe%s", container->kind == POD_INIT ? "Init container" : "Container", container->name, startup ? "startup" : "liveness",
                               again && container->kind == POD_APP ? ", will be restarted" : "");
    container->wanted = message != NULL && pod_kill(container, document, message, probe_grace(container->worker, document, spec, startup ? "startupProbe" : "livenessProbe"), false) && again;
    mem_free(message);
}

/* Whether something of this container is to be started, as far as it alone is concerned. */
static bool is_due(const struct pod_container *container, const struct value *document)
{
    const struct pod_instance *instance = container->current;
    return instance == NULL || (instance->state == INSTANCE_ENDED && container_should_restart(container, document));
}

static bool in_this_sandbox(const struct pod_instance *instance)
{
    return instance != NULL && instance->handle != NULL;
}

/* Init containers in their order: the first that is not done is the one to look at; after that time only sidecars are. */
static void want_init(struct pod_worker *worker, const struct value *document, bool began)
{
    for (size_t i = 0; i < worker->count && worker->containers[i].kind == POD_INIT; i++) {
        struct pod_container *container = &worker->containers[i];
        const struct pod_instance *instance = container->current;
        if (container->sidecar && in_this_sandbox(instance))
            kill_failed(container, document);
        if (began) {
            if (container->sidecar && is_due(container, document))
                container->wanted = true;
            continue;
        }
        bool done = in_this_sandbox(instance) && (container->sidecar ? instance_started(instance) : instance->state == INSTANCE_ENDED && instance->code == 0);
        if (done)
            continue;
        if (!in_this_sandbox(instance) || is_due(container, document))
            container->wanted = true;
        return;
    }
}

/* What the pass ends and starts. */
static void decide(struct pod_worker *worker, const struct value *document)
{
    bool began = false;
    for (size_t i = 0; i < worker->count; i++) {
        struct pod_container *container = &worker->containers[i];
        container->told = container->waiting;
        if (container->kind == POD_APP && in_this_sandbox(container->current))
            began = true;
        if (container->kind == POD_EPHEMERAL && container->current == NULL)
            container->wanted = true;
    }
    want_init(worker, document, began);
    if (!began && !pod_initialized(worker))
        return;
    for (size_t i = 0; i < worker->count; i++) {
        struct pod_container *container = &worker->containers[i];
        if (container->kind != POD_APP)
            continue;
        if (is_due(container, document))
            container->wanted = true;
        else if (in_this_sandbox(container->current))
            kill_failed(container, document);
    }
}

/* When this container's waiting has to be looked at again; 0: not for it. */
static int64_t look_again(const struct pod_container *container, int64_t now)
{
    bool fresh = container->waiting != container->told;
    if (container->waiting == NULL)
        return 0;
    if (strcmp(container->waiting, "CrashLoopBackOff") == 0) {
        int64_t end = container_backoff_end(container);
        return fresh ? now + POD_RELIST_MS : end > 0 ? end : now;
    }
    return container->told == NULL ? now : now + POD_RETRY_MS;
}

/* All that could be started is; what is left waits for its time. */
static void end_pass(struct pod_worker *worker)
{
    int64_t now = pod_now(worker), next = 0;
    worker->passing = false;
    for (size_t i = 0; i < worker->count; i++) {
        int64_t at = look_again(&worker->containers[i], now);
        if (at > 0 && (next == 0 || at < next))
            next = at;
    }
    if (worker->again)
        pod_wake(worker);
    else
        pod_forget_document(worker);
    if (next > 0)
        pod_wake_at(worker, next);
    if (worker->deadline_ms > 0)
        pod_wake_at(worker, worker->deadline_ms);
    if (worker->mount_due_ms > 0)
        pod_wake_at(worker, worker->mount_due_ms);
}

static bool go_on(struct pod_worker *worker, const struct value *document)
{
    for (size_t i = 0; i < worker->count; i++)
        if (&worker->containers[i] != worker->starting && !pod_kill_look(&worker->containers[i]))
            return true; /* the worker is woken when it has ended */
    if (pod_start_go(worker, document))
        end_pass(worker);
    return true;
}

static bool begin_ending(struct pod_worker *worker, struct error *err);

/* Nothing runs yet, and nothing is wrong: what there is to say may soon be something else. */
static bool only_begins(const struct pod_worker *worker)
{
    for (size_t i = 0; i < worker->count; i++)
        if (worker->containers[i].current != NULL || worker->containers[i].waiting != NULL)
            return false;
    return !worker->deleting && !worker->failed;
}

static void write_soon(struct pod_worker *worker)
{
    if (worker->write_due_ms == 0)
        worker->write_due_ms = pod_now(worker) + SOON_MS;
    pod_wake_at(worker, worker->write_due_ms);
}

static bool write_now(struct pod_worker *worker, struct error *err)
{
    worker->write_due_ms = 0;
    return pod_status_write(worker, worker->passing && only_begins(worker) ? STATUS_SANDBOX_READY : STATUS_NOW, err);
}

static bool write_if_due(struct pod_worker *worker, struct error *err)
{
    return worker->write_due_ms == 0 || pod_now(worker) < worker->write_due_ms || write_now(worker, err);
}

/* Volumes, then the sandbox. *ready false: they are waited for. */
static void prepare(struct pod_worker *worker, const struct value *document, bool *ready)
{
    struct error why = ERROR_INIT;
    int64_t retry_ms;
    *ready = worker->sandbox != NULL;
    if (*ready)
        return;
    if (!pod_volumes_mount(worker, document, &retry_ms)) {
        pod_wake_at(worker, retry_ms > 0 ? retry_ms : pod_now(worker) + POD_RELIST_MS);
        return;
    }
    if (worker->sandbox_changed)
        pod_say(worker, NULL, false, "SandboxChanged", "Pod sandbox changed, it will be killed and re-created.");
    if (!pod_sandbox_make(worker, document, &why)) {
        pod_say(worker, NULL, true, "FailedCreatePodSandBox", "Failed to create pod sandbox: %s", why.message);
        pod_wake_at(worker, pod_now(worker) + POD_RETRY_MS);
        return;
    }
    worker->sandbox_ready = true;
    *ready = true;
    write_soon(worker);
}

static void fail_deadline(struct pod_worker *worker)
{
    if (worker->failed || worker->deadline_ms == 0 || pod_now(worker) < worker->deadline_ms)
        return;
    pod_say(worker, NULL, false, deadline_reason, "%s", deadline_message);
    worker->failed = true;
    worker->reason = deadline_reason;
    worker->message = deadline_message;
}

static bool pass(struct pod_worker *worker, struct error *err)
{
    bool ready;
    worker->again = false;
    worker->probe_news = false;
    if (worker->start_ms == 0)
        worker->start_ms = pod_now(worker);
    fail_deadline(worker);
    if (!pod_status_look(worker))
        return error_memory(err);
    if (only_begins(worker) && !write_if_due(worker, err))
        return false;
    if (only_begins(worker) && worker->write_due_ms == 0 && worker->sandbox == NULL)
        write_soon(worker);
    else if (!only_begins(worker) && !write_now(worker, err))
        return false;
    if (worker->document == NULL)
        return true; /* it was told that the Pod is gone */
    if (worker->phase == POD_SUCCEEDED || worker->phase == POD_FAILED)
        return begin_ending(worker, err);
    prepare(worker, worker->document, &ready);
    if (!ready) {
        pod_forget_document(worker);
        return true;
    }
    if (worker->mount_due_ms > 0 && pod_now(worker) >= worker->mount_due_ms) {
        worker->mount_due_ms = 0;
        pod_volumes_refresh(worker, worker->document);
    }
    worker->passing = true;
    decide(worker, worker->document);
    return go_on(worker, worker->document);
}

/* ---- the end ---- */

static bool all_over(struct pod_worker *worker)
{
    bool over = true;
    for (size_t i = 0; i < worker->count; i++) {
        const struct pod_instance *instance = worker->containers[i].current;
        over = pod_kill_look(&worker->containers[i]) && (instance == NULL || instance->state == INSTANCE_ENDED) && over;
    }
    return over;
}

static bool delete_it(struct pod_worker *worker, struct error *err)
{
    struct error why = ERROR_INIT;
    if (!worker->deleting || client_delete_now(worker->node->client, &pods_resource, worker->ns, worker->name, worker->uid, &why) || why.kind == ERROR_NOT_FOUND || why.kind == ERROR_CONFLICT)
        return true;
    *err = why;
    return false;
}

/* Its last status, and what it took of the node is free again. */
static bool finish(struct pod_worker *worker, struct error *err)
{
    if (!pod_status_write(worker, STATUS_LAST, err))
        return false;
    worker->stage = STAGE_DONE;
    pod_volumes_free(worker);
    pod_release(worker);
    pod_forget_document(worker);
    return delete_it(worker, err);
}

/* Begins to end whatever runs. False: no memory for one of them; again later. */
static bool end_containers(struct pod_worker *worker, struct error *err)
{
    for (size_t i = 0; i < worker->count; i++) {
        struct pod_container *container = &worker->containers[i];
        if (container->kill != NULL || container->current == NULL || container->current->state == INSTANCE_ENDED)
            continue;
        probes_stop(container->current, false);
        if (!pod_kill(container, worker->document, NULL, grace_of(worker, worker->document), true))
            return error_memory(err);
    }
    return true;
}

static bool look_at_end(struct pod_worker *worker, struct error *err)
{
    if (!end_containers(worker, err))
        return false;
    if (!all_over(worker))
        return write_if_due(worker, err);
    for (size_t i = 0; i < worker->count; i++)
        if (worker->containers[i].current != NULL)
            probes_stop(worker->containers[i].current, true);
    worker->sandbox_ready = false;
    worker->stage = STAGE_ENDED;
    return finish(worker, err);
}

/* The Pod is deleted, or has come to its end: whatever runs is ended. */
static bool begin_ending(struct pod_worker *worker, struct error *err)
{
    if (!pod_start_stop(worker)) { /* what cannot be broken off comes first */
        worker->again = true;
        return go_on(worker, worker->document);
    }
    worker->passing = false;
    worker->stage = STAGE_ENDING;
    write_soon(worker);
    for (size_t i = 0; i < worker->count; i++)
        pod_kill_free(&worker->containers[i]); /* one that was being ended alone has to keep to the Pod's grace period, and order */
    return look_at_end(worker, err);
}

/* ---- */

static bool admit(struct pod_worker *worker, const struct value *document, struct error *err)
{
    const struct pod_view *view = pods_by_uid(worker->node->nodes->place.pods, worker->uid);
    char reason[64], message[ADMISSION_MESSAGE], whole[ADMISSION_MESSAGE + 32];
    if (view == NULL)
        return true; /* it is gone */
    if (worker->adopted ? pod_take_back(worker, document, view) : pod_admit(worker, document, view, reason, message)) {
        worker->stage = STAGE_RUN;
        return true;
    }
    if (worker->adopted)
        return error_memory(err);
    pod_say(worker, NULL, true, reason, "%s", message);
    snprintf(whole, sizeof whole, "Pod was rejected: %s", message);
    if (!pod_status_reject(worker, reason, whole, err))
        return false;
    worker->stage = STAGE_DONE;
    pod_forget_document(worker);
    return true;
}

static bool run(struct pod_worker *worker, struct error *err)
{
    if (worker->deleting)
        return begin_ending(worker, err);
    if (!worker->passing)
        return pass(worker, err);
    bool news = worker->probe_news;
    worker->probe_news = false;
    if (!(news ? write_now(worker, err) : write_if_due(worker, err)))
        return false;
    return worker->document == NULL || go_on(worker, worker->document);
}

bool pod_work(struct pod_worker *worker)
{
    struct error err = ERROR_INIT;
    if (!node_ready(worker->node, &err))
        return false;
    if (worker->stage == STAGE_DONE)
        return delete_it(worker, &err);
    if (pod_document(worker) == NULL)
        return pods_by_uid(worker->node->nodes->place.pods, worker->uid) == NULL;
    if (worker->stage == STAGE_NEW && worker->deleting)
        return begin_ending(worker, &err);
    if (worker->stage == STAGE_NEW && (!admit(worker, worker->document, &err) || worker->stage != STAGE_RUN))
        return worker->stage == STAGE_DONE;
    switch (worker->stage) {
    case STAGE_RUN: return run(worker, &err);
    case STAGE_ENDING: return look_at_end(worker, &err);
    case STAGE_ENDED: return finish(worker, &err);
    default: return true;
    }
}

static int64_t next_resync(const struct pod_worker *worker)
{
    int64_t now = pod_now(worker), phase = 0;
    for (const char *at = worker->uid; *at != '\0'; at++)
        phase = (phase * 31 + *at) % RESYNC_MS;
    return now - (now - phase) % RESYNC_MS + RESYNC_MS;
}

void pod_source_changed(struct pod_worker *worker)
{
    if (worker->mount_due_ms == 0 || worker->mount_due_ms > next_resync(worker))
        worker->mount_due_ms = next_resync(worker);
    pod_wake_at(worker, worker->mount_due_ms);
}

/* Versions that the worker wrote itself say nothing new. */
void pod_changed(struct pod_worker *worker, const struct pod_view *view, const struct value *document)
{
    bool was_deleting = worker->deleting;
    int64_t grace_ms = worker->grace_ms;
    if (view->object->version <= worker->version)
        return;
    worker->version = view->object->version;
    read_deletion(worker, document);
    if (worker->deleting && was_deleting && worker->grace_ms < grace_ms)
        for (size_t i = 0; i < worker->count; i++)
            pod_kill_hurry(&worker->containers[i], worker->grace_ms);
    if (!worker->passing)
        pod_forget_document(worker);
    if (worker->stage == STAGE_DONE) {
        if (worker->deleting && !was_deleting)
            pod_wake(worker);
        return;
    }
    read_deadline(worker, document);
    if (!pod_containers_read(worker, document)) /* ephemeral ones come later */
        pod_wake_at(worker, pod_now(worker) + POD_RELIST_MS);
    if (pod_volumes_may_change(worker))
        worker->mount_due_ms = pod_now(worker);
    worker->again = true;
    pod_wake(worker);
}
