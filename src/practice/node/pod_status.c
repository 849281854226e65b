#include "practice/node/pod_status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/units.h"

enum { MESSAGE = 64 << 10, TRIES = 3 };

static const struct client_resource pods = {"", "v1", "pods"};

/* The phase that the document says. */
static enum pod_phase phase_before(const struct pod_worker *worker)
{
    const char *text = value_find_text(worker->document, "status", "phase", NULL);
    for (int phase = POD_PENDING; phase <= POD_UNKNOWN; phase++)
        if (text != NULL && strcmp(text, pod_phase_names[phase]) == 0)
            return (enum pod_phase)phase;
    return POD_PENDING;
}

static bool is_over(enum pod_phase phase)
{
    return phase == POD_SUCCEEDED || phase == POD_FAILED;
}

static bool set_text(struct value *object, const char *key, const char *text)
{
    return value_set(object, key, value_string(text));
}

/* ---- conditions ---- */

enum condition { READY_TO_START, INITIALIZED, READY, CONTAINERS_READY, SCHEDULED, CONDITIONS };
static const char *const condition_names[CONDITIONS] = {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"};

struct verdict {
    bool is_true;
    const char *reason;  /* NULL: none */
    const char *message; /* NULL: none */
};

static const struct value *condition_of(const struct value *status, const char *type)
{
    for (const struct value *item = value_first(value_get(status, "conditions")); item != NULL; item = value_next(item)) {
        const char *found = value_find_text(item, "type", NULL);
        if (found != NULL && strcmp(found, type) == 0)
            return item;
    }
    return NULL;
}

static bool append_condition(struct value *list, const struct value *old, enum condition which, const struct verdict *verdict, int64_t generation, const char *now)
{
    const struct value *before = condition_of(old, condition_names[which]);
    const char *status = verdict->is_true ? "True" : "False", *was = value_find_text(before, "status", NULL), *since = value_find_text(before, "lastTransitionTime", NULL);
    if (was == NULL || strcmp(was, status) != 0 || since == NULL)
        since = now;
    struct value *item = value_object();
    bool ok = item != NULL && set_text(item, "type", condition_names[which]) && value_set(item, "observedGeneration", value_int(generation)) && set_text(item, "status", status) &&
              value_set(item, "lastProbeTime", value_null()) && set_text(item, "lastTransitionTime", since) && (verdict->reason == NULL || set_text(item, "reason", verdict->reason)) &&
              (verdict->message == NULL || verdict->message[0] == '\0' || set_text(item, "message", verdict->message));
    return value_append(list, item) && ok;
}

/* "containers with WHAT status: [a b]", nothing where there are none. */
static void print_names(struct buf *out, const char *what, const struct shown *shown, size_t count, bool (*counts)(const struct shown *one))
{
    bool any = false;
    for (size_t i = 0; i < count; i++)
        if (counts(&shown[i])) {
            if (!any)
                buf_printf(out, "containers with %s status: [", what);
            buf_printf(out, "%s%s", any ? " " : "", shown[i].container->name);
            any = true;
        }
    if (any)
        buf_append_string(out, "]");
}

static bool is_unready(const struct shown *one)
{
    return (one->container->kind == POD_APP || one->container->sidecar) && !one->ready;
}

static bool is_incomplete(const struct shown *one)
{
    return one->container->kind == POD_INIT && (one->container->sidecar ? !one->started : !one->ready);
}

static bool has_begun(const struct shown *shown, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (shown[i].container->kind == POD_APP && (shown[i].state != POD_WAITING || shown[i].last != NULL))
            return true;
    return false;
}

static void judge_gates(struct buf *out, const struct value *document)
{
    for (const struct value *gate = value_first(value_find(document, "spec", "readinessGates", NULL)); gate != NULL; gate = value_next(gate)) {
        const char *type = value_find_text(gate, "conditionType", NULL);
        const struct value *condition = condition_of(value_get(document, "status"), type != NULL ? type : "");
        const char *status = value_find_text(condition, "status", NULL);
        const char *comma = out->length > 0 ? ", " : "";
        if (condition == NULL)
            buf_printf(out, "%scorresponding condition of pod readiness gate \"%s\" does not exist.", comma, type != NULL ? type : "");
        else if (status == NULL || strcmp(status, "True") != 0)
            buf_printf(out, "%sthe status of pod readiness gate \"%s\" is not \"True\", but %s", comma, type != NULL ? type : "", status != NULL ? status : "");
    }
}

struct texts {
    struct buf unready, incomplete, gates;
};

static void judge(const struct pod_worker *worker, const struct value *document, const struct shown *shown, size_t count, enum pod_phase phase, struct texts *texts, struct verdict verdicts[CONDITIONS])
{
    const char *over = phase == POD_SUCCEEDED ? "PodCompleted" : phase == POD_FAILED ? "PodFailed" : NULL;
    print_names(&texts->unready, "unready", shown, count, is_unready);
    print_names(&texts->incomplete, "incomplete", shown, count, is_incomplete);
    judge_gates(&texts->gates, document);
    verdicts[READY_TO_START] = worker->sandbox_ready ? (struct verdict){.is_true = true}
                                                     : (struct verdict){false, "PodSandboxNotReady", worker->sandbox != NULL || worker->sandbox_changed ? "pod sandbox is not ready" : "no pod sandbox exists"};
    if (phase == POD_SUCCEEDED)
        verdicts[INITIALIZED] = (struct verdict){true, "PodCompleted", NULL};
    else if (texts->incomplete.length > 0 && !has_begun(shown, count))
        verdicts[INITIALIZED] = (struct verdict){false, "ContainersNotInitialized", texts->incomplete.bytes};
    else
        verdicts[INITIALIZED] = (struct verdict){.is_true = true};
    if (over != NULL)
        verdicts[CONTAINERS_READY] = (struct verdict){false, over, NULL};
    else if (texts->unready.length > 0)
        verdicts[CONTAINERS_READY] = (struct verdict){false, "ContainersNotReady", texts->unready.bytes};
    else
        verdicts[CONTAINERS_READY] = (struct verdict){.is_true = true};
    verdicts[READY] = verdicts[CONTAINERS_READY];
    if (verdicts[READY].is_true && texts->gates.length > 0)
        verdicts[READY] = (struct verdict){false, "ReadinessGatesNotReady", texts->gates.bytes};
    verdicts[SCHEDULED] = (struct verdict){.is_true = true};
}

static bool is_ours(const char *type)
{
    for (size_t i = 0; i < CONDITIONS; i++)
        if (strcmp(type, condition_names[i]) == 0)
            return true;
    return false;
}

static struct value *conditions_make(const struct pod_worker *worker, const struct value *document, const struct shown *shown, size_t count, enum pod_phase phase, const char *now)
{
    const struct value *old = value_get(document, "status");
    int64_t generation = value_find_int(document, 1, "metadata", "generation", NULL);
    struct texts texts = {buf_make(MESSAGE), buf_make(MESSAGE), buf_make(MESSAGE)};
    struct verdict verdicts[CONDITIONS];
    struct value *list = value_array();
    bool ok = list != NULL;
    for (const struct value *item = value_first(value_get(old, "conditions")); item != NULL && ok; item = value_next(item)) {
        const char *type = value_find_text(item, "type", NULL);
        ok = type == NULL || is_ours(type) || value_append(list, value_copy(item));
    }
    judge(worker, document, shown, count, phase, &texts, verdicts);
    ok = ok && buf_ok(&texts.unready) && buf_ok(&texts.incomplete) && buf_ok(&texts.gates);
    for (enum condition i = 0; i < CONDITIONS && ok; i++)
        ok = append_condition(list, old, i, &verdicts[i], generation, now);
    buf_free(&texts.unready);
    buf_free(&texts.incomplete);
    buf_free(&texts.gates);
    if (ok)
        return list;
    value_free(list);
    return NULL;
}

/* ---- the rest ---- */

static bool set_ips(struct value *status, const char *key, const char *list_key, const char *ip)
{
    struct value *list = value_array(), *item = value_object();
    bool ok = item != NULL && set_text(item, "ip", ip);
    ok = list != NULL ? value_append(list, item) && ok : (value_free(item), false);
    return value_set(status, list_key, list) && ok && set_text(status, key, ip);
}

static bool set_amounts(struct value *object, const char *key, const struct amounts *amounts)
{
    return amounts->count == 0 || value_set(object, key, amounts_value(amounts));
}

static bool set_resources(struct value *status, const struct value *document)
{
    struct amounts requests = {0}, limits = {0};
    struct value *resources = value_child(status, "resources");
    amounts_of_pod(document, "requests", false, &requests);
    amounts_of_pod(document, "limits", false, &limits);
    bool ok = resources != NULL && !requests.failed && !limits.failed && set_amounts(resources, "limits", &limits) && set_amounts(resources, "requests", &requests) &&
              set_amounts(status, "allocatedResources", &requests);
    amounts_free(&requests);
    amounts_free(&limits);
    return ok;
}

static bool set_containers(struct value *status, const struct value *document, const struct shown *shown, size_t count)
{
    static const char *const keys[] = {[POD_INIT] = "initContainerStatuses", [POD_APP] = "containerStatuses", [POD_EPHEMERAL] = "ephemeralContainerStatuses"};
    for (enum pod_container_kind kind = POD_INIT; kind <= POD_EPHEMERAL; kind++) {
        struct value *list = NULL;
        for (size_t i = 0; i < count; i++) {
            if (shown[i].container->kind != kind)
                continue;
            if (list == NULL && (list = value_array()) == NULL)
                return false;
            if (!value_append(list, container_status(&shown[i], container_spec(shown[i].container, document)))) {
                value_free(list);
                return false;
            }
        }
        if (list != NULL && !value_set(status, keys[kind], list))
            return false;
    }
    return true;
}

/* At the very end: what began counts as ended, nobody knows how. */
static void show_unknown(struct shown *shown, size_t count)
{
    size_t init_end = 0;
    bool has_init = count > 0 && shown[0].container->kind == POD_INIT, initialized = !has_init || has_begun(shown, count);
    for (size_t i = 0; i < count && shown[i].container->kind == POD_INIT; i++) {
        if (shown[i].state != POD_WAITING || shown[i].last != NULL)
            init_end = i + 1;
        const struct shown *last = i + 1 < count && shown[i + 1].container->kind == POD_INIT ? NULL : &shown[i];
        initialized = initialized || (last != NULL && !last->container->sidecar && last->ended != NULL && last->ended->code == 0);
    }
    for (size_t i = 0; i < count; i++) {
        bool counts = shown[i].container->kind == POD_INIT ? i < init_end || i == 0 : shown[i].container->kind == POD_APP && initialized;
        if (counts && shown[i].state == POD_WAITING) {
            shown[i].state = POD_TERMINATED;
            shown[i].unknown = true;
            shown[i].ended = NULL;
        }
    }
}

static enum pod_phase phase_of(const struct pod_worker *worker, const struct value *document, const struct shown *shown, size_t count, enum status_moment moment)
{
    enum pod_phase before = phase_before(worker);
    if (is_over(before))
        return before;
    return worker->failed ? POD_FAILED : containers_phase(shown, count, document, moment == STATUS_LAST);
}

static bool set_start_time(const struct pod_worker *worker, struct value *status)
{
    const char *since = value_find_text(worker->document, "status", "startTime", NULL);
    char start[21];
    time_print(worker->start_ms > 0 ? worker->start_ms : pod_now(worker), start);
    return set_text(status, "startTime", since != NULL ? since : start);
}

/* reason and message belong to the phase. */
static bool set_reason(const struct pod_worker *worker, struct value *status, enum pod_phase phase)
{
    static const char *const keys[] = {"reason", "message"};
    const char *const texts[] = {worker->reason, worker->message};
    const struct value *old = value_get(worker->document, "status");
    for (size_t i = 0; i < 2; i++) {
        if (worker->failed && phase == POD_FAILED) {
            if (texts[i] != NULL && !set_text(status, keys[i], texts[i]))
                return false;
        } else if (phase != phase_before(worker) && value_get(old, keys[i]) != NULL && !value_set(status, keys[i], value_null())) {
            return false;
        }
    }
    return true;
}

static struct value *status_make(struct pod_worker *worker, enum status_moment moment)
{
    const struct value *document = worker->document;
    struct shown *shown = mem_zero(worker->count + 1, sizeof *shown);
    struct value *status = shown != NULL ? value_object() : NULL;
    char now[21];
    bool ok = status != NULL;
    time_print(pod_now(worker), now);
    for (size_t i = 0; i < worker->count && ok; i++)
        container_show(&worker->containers[i], document, &shown[i]);
    if (ok) {
        enum pod_phase phase = phase_of(worker, document, shown, worker->count, moment);
        ok = value_set(status, "observedGeneration", value_int(value_find_int(document, 1, "metadata", "generation", NULL))) &&
             value_set(status, "conditions", conditions_make(worker, document, shown, worker->count, phase, now));
        if (moment == STATUS_LAST) { /* the conditions stay what they were */
            show_unknown(shown, worker->count);
            phase = phase == POD_SUCCEEDED ? POD_SUCCEEDED : POD_FAILED;
        }
        worker->phase = phase;
        if (moment != STATUS_LAST && is_over(phase))
            phase = phase_before(worker);
        ok = ok && set_text(status, "phase", pod_phase_names[phase]) && set_ips(status, "hostIP", "hostIPs", worker->node->ip) &&
             set_start_time(worker, status) && set_resources(status, document) && set_containers(status, document, shown, worker->count) && set_reason(worker, status, phase);
    }
    bool host_network = value_is_true(value_find(document, "spec", "hostNetwork", NULL));
    if (ok && (host_network || (worker->sandbox_ready && moment == STATUS_NOW)))
        ok = set_ips(status, "podIP", "podIPs", host_network ? worker->node->ip : worker->ip);
    mem_free(shown);
    if (ok)
        return status;
    value_free(status);
    return NULL;
}

/* ---- writing ---- */

/* Leaves only what is not the same already. */
static void reduce(struct value *status, const struct value *old)
{
    for (struct value *entry = value_first(status), *next; entry != NULL; entry = next) {
        next = value_next(entry);
        if (value_equal(entry, value_get(old, value_key(entry))))
            value_free(value_take(status, entry));
    }
}

/* False: no memory. *patch NULL: nothing to write. Takes status over. */
static bool patch_make(const struct pod_worker *worker, struct value *status, struct value **patch)
{
    const char *version = value_find_text(worker->document, "metadata", "resourceVersion", NULL);
    *patch = NULL;
    if (status == NULL)
        return false;
    reduce(status, value_get(worker->document, "status"));
    if (value_first(status) == NULL) {
        value_free(status);
        return true;
    }
    struct value *made = value_object(), *metadata = made != NULL ? value_child(made, "metadata") : NULL;
    bool ok = metadata != NULL && set_text(metadata, "uid", worker->uid) && (version == NULL || set_text(metadata, "resourceVersion", version));
    if (made != NULL)
        ok = value_set(made, "status", status) && ok;
    else
        value_free(status);
    if (ok)
        *patch = made;
    else
        value_free(made);
    return ok;
}

static bool is_gone(const struct pod_worker *worker, const struct value *document)
{
    const char *uid = value_find_text(document, "metadata", "uid", NULL);
    return uid == NULL || strcmp(uid, worker->uid) != 0;
}

static void take_document(struct pod_worker *worker, struct value *document)
{
    const char *version = value_find_text(document, "metadata", "resourceVersion", NULL);
    value_free(worker->document);
    worker->document = document;
    worker->version = version != NULL ? strtoull(version, NULL, 10) : worker->version;
}

/* The document says what is being written: it need not be read again. False: no memory, it is gone. */
static bool lay_over(struct pod_worker *worker, const struct value *changed)
{
    struct value *status = value_child(worker->document, "status");
    bool ok = status != NULL;
    for (const struct value *entry = value_first(changed); entry != NULL && ok; entry = value_next(entry))
        if (value_type(entry) == VALUE_NULL)
            value_remove(status, value_key(entry));
        else
            ok = value_set(status, value_key(entry), value_copy(entry));
    if (!ok)
        pod_forget_document(worker);
    return ok;
}

static bool set_version(struct pod_worker *worker)
{
    char text[24];
    struct value *metadata = value_get(worker->document, "metadata");
    snprintf(text, sizeof text, "%llu", (unsigned long long)worker->version);
    if (metadata != NULL && value_set(metadata, "resourceVersion", value_string(text)))
        return true;
    pod_forget_document(worker);
    return false;
}

/* Somebody else wrote it meanwhile. */
static bool read_again(struct pod_worker *worker, struct error *err)
{
    struct value *document = client_get(worker->node->client, &pods, worker->ns, worker->name, err);
    if (document == NULL)
        return false;
    if (is_gone(worker, document)) {
        value_free(document);
        return error_set(err, ERROR_NOT_FOUND, NULL, "pods \"%s\" not found", worker->name);
    }
    take_document(worker, document);
    return true;
}

static bool write_status(struct pod_worker *worker, struct value *(*make)(struct pod_worker *worker, const void *data), const void *data, struct error *err)
{
    for (int i = 0; i < TRIES; i++) {
        struct value *patch;
        struct error why = ERROR_INIT;
        if (pod_document(worker) == NULL)
            return error_memory(err);
        if (!patch_make(worker, make(worker, data), &patch))
            return error_memory(err);
        if (patch == NULL)
            return true;
        if (!lay_over(worker, value_get(patch, "status"))) { /* before it is taken over; a stale document is read again */
            value_free(patch);
            return error_memory(err);
        }
        if (client_patch_quietly(worker->node->client, &pods, "status", worker->ns, worker->name, PATCH_MERGE, patch, &worker->version, &why))
            return set_version(worker) || error_memory(err);
        pod_forget_document(worker);
        if (why.kind == ERROR_CONFLICT && !read_again(worker, &why) && why.kind != ERROR_NOT_FOUND) {
            *err = why;
            return false;
        }
        if (why.kind == ERROR_NOT_FOUND)
            return true;
        if (why.kind != ERROR_CONFLICT) {
            *err = why;
            return false;
        }
    }
    return error_set(err, ERROR_CONFLICT, NULL, "the status of pod %s/%s changes too often", worker->ns, worker->name);
}

bool pod_status_look(struct pod_worker *worker)
{
    struct shown *shown = mem_zero(worker->count + 1, sizeof *shown);
    if (shown == NULL)
        return false;
    for (size_t i = 0; i < worker->count; i++)
        container_show(&worker->containers[i], worker->document, &shown[i]);
    worker->phase = phase_of(worker, worker->document, shown, worker->count, STATUS_NOW);
    mem_free(shown);
    return true;
}

static struct value *make_moment(struct pod_worker *worker, const void *data)
{
    return status_make(worker, *(const enum status_moment *)data);
}

bool pod_status_write(struct pod_worker *worker, enum status_moment moment, struct error *err)
{
    return write_status(worker, make_moment, &moment, err);
}

struct rejection {
    const char *reason, *message;
};

static struct value *make_rejection(struct pod_worker *worker, const void *data)
{
    const struct rejection *rejection = data;
    struct value *status = value_object();
    if (status != NULL && value_set(status, "observedGeneration", value_int(value_find_int(worker->document, 1, "metadata", "generation", NULL))) && set_text(status, "phase", "Failed") &&
        set_text(status, "reason", rejection->reason) && set_text(status, "message", rejection->message) && set_start_time(worker, status))
        return status;
    value_free(status);
    return NULL;
}

bool pod_status_reject(struct pod_worker *worker, const char *reason, const char *message, struct error *err)
{
    return write_status(worker, make_rejection, &(struct rejection){reason, message}, err);
}
