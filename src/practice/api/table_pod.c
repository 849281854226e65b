/* table_pod: what a pod is doing, in a word; its readiness and restarts. */
#include <stdio.h>
#include <string.h>

#include "practice/api/table_internal.h"

/* A word such as "Running", "Init:Error" or "ExitCode:2". */
struct reason {
    const char *prefix, *text;
    char digits[48]; /* after the text */
};

struct pod {
    const struct value *spec, *status;
    struct reason reason;
    int64_t ready, total, restarts;
    const char *restarted; /* RFC 3339, which sort as text; NULL: never */
};

static bool is(const char *text, const char *word)
{
    return text != NULL && strcmp(text, word) == 0;
}

static void say(struct reason *reason, const char *prefix, const char *text)
{
    *reason = (struct reason){.prefix = prefix, .text = text};
}

/* A container that has ended: its reason, else its signal or exit code. */
static void say_ended(struct reason *reason, const char *prefix, const struct value *ended)
{
    const char *why = value_find_text(ended, "reason", NULL);
    int64_t signal = value_find_int(ended, 0, "signal", NULL);
    if (why != NULL && why[0] != '\0') {
        say(reason, prefix, why);
        return;
    }
    say(reason, prefix, signal != 0 ? "Signal:" : "ExitCode:");
    snprintf(reason->digits, sizeof reason->digits, "%lld", (long long)(signal != 0 ? signal : value_find_int(ended, 0, "exitCode", NULL)));
}

/* An init container that goes on running beside the others. */
static bool is_sidecar(const struct value *container)
{
    return is(value_find_text(container, "restartPolicy", NULL), "Always");
}

static const struct value *container_named(const struct value *containers, const char *name)
{
    for (const struct value *container = value_first(containers); container != NULL; container = value_next(container))
        if (is(value_find_text(container, "name", NULL), name != NULL ? name : ""))
            return container;
    return NULL;
}

struct restarts {
    int64_t count;
    const char *last;
};

static void add_restarts(struct restarts *restarts, const struct value *status)
{
    const char *ended = value_find_text(status, "lastState", "terminated", "finishedAt", NULL);
    restarts->count += value_find_int(status, 0, "restartCount", NULL);
    if (ended != NULL && (restarts->last == NULL || strcmp(ended, restarts->last) > 0))
        restarts->last = ended;
}

/* Looks at one init container; false: the pod is still at this one. */
static bool init_is_past(struct pod *pod, const struct value *status, bool sidecar, size_t index)
{
    const struct value *ended = value_find(status, "state", "terminated", NULL);
    const char *waits = value_find_text(status, "state", "waiting", "reason", NULL);
    if (value_type(ended) == VALUE_OBJECT && value_find_int(ended, 0, "exitCode", NULL) == 0)
        return true;
    if (sidecar && value_is_true(value_get(status, "started"))) {
        pod->ready += value_is_true(value_get(status, "ready"));
        return true;
    }
    if (value_type(ended) == VALUE_OBJECT) {
        say_ended(&pod->reason, "Init:", ended);
    } else if (waits != NULL && waits[0] != '\0' && !is(waits, "PodInitializing")) {
        say(&pod->reason, "Init:", waits);
    } else {
        say(&pod->reason, "Init:", "");
        snprintf(pod->reason.digits, sizeof pod->reason.digits, "%zu/%zu", index, value_length(value_get(pod->spec, "initContainers")));
    }
    return false;
}

static bool look_at_init(struct pod *pod, struct restarts *all, struct restarts *sidecars)
{
    size_t index = 0;
    for (const struct value *status = value_first(value_get(pod->status, "initContainerStatuses")); status != NULL; status = value_next(status), index++) {
        bool sidecar = is_sidecar(container_named(value_get(pod->spec, "initContainers"), value_find_text(status, "name", NULL)));
        add_restarts(all, status);
        if (sidecar)
            add_restarts(sidecars, status);
        if (!init_is_past(pod, status, sidecar, index))
            return false;
    }
    return true;
}

/* The containers' own word: the first one's counts most, so the last to say something is the first. */
static void look_at_containers(struct pod *pod, struct restarts *restarts)
{
    const struct value *statuses = value_get(pod->status, "containerStatuses");
    bool running = false, failed = false;
    struct reason error = {0};
    struct reason first = {0};
    for (const struct value *status = value_first(statuses); status != NULL; status = value_next(status)) {
        const char *waits = value_find_text(status, "state", "waiting", "reason", NULL);
        const struct value *ended = value_find(status, "state", "terminated", NULL);
        struct reason own = {0};
        add_restarts(restarts, status);
        if (waits != NULL && waits[0] != '\0') {
            say(&own, "", waits);
        } else if (value_type(ended) == VALUE_OBJECT) {
            say_ended(&own, "", ended);
            if (value_find_int(ended, 0, "exitCode", NULL) != 0 && !failed) {
                failed = true;
                error = own;
            }
        } else if (value_is_true(value_get(status, "ready")) && value_type(value_find(status, "state", "running", NULL)) == VALUE_OBJECT) {
            running = true;
            pod->ready++;
        }
        if (first.text == NULL)
            first = own;
    }
    if (first.text != NULL)
        pod->reason = first;
    if (!is(pod->reason.text, "Completed") || pod->reason.prefix[0] != '\0')
        return;
    if (running && condition_holds(value_get(pod->status, "conditions"), "Ready"))
        say(&pod->reason, "", "Running");
    else if (failed)
        pod->reason = error;
    else if (running)
        say(&pod->reason, "", "NotReady");
}

static void start_reason(struct pod *pod)
{
    const char *phase = value_find_text(pod->status, "phase", NULL), *why = value_find_text(pod->status, "reason", NULL);
    say(&pod->reason, "", why != NULL && why[0] != '\0' ? why : phase != NULL ? phase : "");
    if (is(value_find_text(condition_of(value_get(pod->status, "conditions"), "PodScheduled"), "reason", NULL), "SchedulingGated"))
        say(&pod->reason, "", "SchedulingGated");
}

static struct pod look_at(const struct row *row)
{
    const struct value *document = row->document;
    struct pod pod = {.spec = value_get(document, "spec"), .status = value_get(document, "status")};
    struct restarts all = {0}, sidecars = {0};
    const char *phase = value_find_text(pod.status, "phase", NULL);
    start_reason(&pod);
    pod.total = (int64_t)value_length(value_get(pod.spec, "containers"));
    for (const struct value *init = value_first(value_get(pod.spec, "initContainers")); init != NULL; init = value_next(init))
        pod.total += is_sidecar(init);
    if (look_at_init(&pod, &all, &sidecars) || condition_holds(value_get(pod.status, "conditions"), "Initialized")) {
        all = sidecars;
        look_at_containers(&pod, &all);
    }
    if (value_find_text(document, "metadata", "deletionTimestamp", NULL) != NULL) {
        if (is(value_find_text(pod.status, "reason", NULL), "NodeLost"))
            say(&pod.reason, "", "Unknown");
        else if (!is(phase, "Succeeded") && !is(phase, "Failed"))
            say(&pod.reason, "", "Terminating");
    }
    pod.restarts = all.count;
    pod.restarted = all.last;
    return pod;
}

enum cell cell_pod_ready(struct row *row, const struct column *column)
{
    (void)column;
    struct pod pod = look_at(row);
    buf_printf(&row->text, "%lld/%lld", (long long)pod.ready, (long long)pod.total);
    return CELL_TEXT;
}

enum cell cell_pod_status(struct row *row, const struct column *column)
{
    (void)column;
    struct pod pod = look_at(row);
    row_put(row, pod.reason.prefix);
    row_put(row, pod.reason.text);
    row_put(row, pod.reason.digits);
    return CELL_TEXT;
}

enum cell cell_pod_restarts(struct row *row, const struct column *column)
{
    (void)column;
    struct pod pod = look_at(row);
    buf_printf(&row->text, "%lld", (long long)pod.restarts);
    if (pod.restarts != 0 && pod.restarted != NULL) {
        row_put(row, " (");
        row_put_age(row, pod.restarted);
        row_put(row, " ago)");
    }
    return CELL_TEXT;
}

enum cell cell_pod_ip(struct row *row, const struct column *column)
{
    const char *ip = value_find_text(value_first(row_look(row, "status.podIPs")), "ip", NULL);
    row_put(row, ip != NULL && ip[0] != '\0' ? ip : column->otherwise);
    return CELL_TEXT;
}

enum cell cell_pod_gates(struct row *row, const struct column *column)
{
    const struct value *gates = row_look(row, "spec.readinessGates"), *conditions = row_look(row, "status.conditions");
    size_t open = 0;
    for (const struct value *gate = value_first(gates); gate != NULL; gate = value_next(gate)) {
        const char *type = value_find_text(gate, "conditionType", NULL);
        open += type != NULL && condition_holds(conditions, type);
    }
    if (value_first(gates) == NULL)
        row_put(row, column->otherwise);
    else
        buf_printf(&row->text, "%zu/%zu", open, value_length(gates));
    return CELL_TEXT;
}

void pod_row_conditions(const struct value *pod, struct buf *out)
{
    const char *phase = value_find_text(pod, "status", "phase", NULL);
    bool succeeded = is(phase, "Succeeded");
    if (succeeded || is(phase, "Failed"))
        buf_printf(out, ",\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\",\"reason\":\"%s\",\"message\":\"%s\"}]", phase,
                   succeeded ? "The pod has completed successfully." : "The pod failed.");
}
