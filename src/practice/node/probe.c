/* Probes, as the kubelet's prober makes them: one after the other at their period, counted until a threshold is reached. Startup comes before the others; a readiness probe is tried at once where the
 * kubelet would trigger it by hand (the container began, or its startup probe succeeded). */
#include "practice/node/probe.h"

#include <string.h>

#include "base/mem.h"
#include "practice/node/pod.h"

struct probe {
    struct pod_instance *instance;
    enum probe_kind kind;
    struct value *spec;          /* a copy of the probe's */
    struct value *container;     /* {"ports": ...}: what named ports are looked up in */
    struct cluster_timer *timer; /* the next time */
    struct handler_run *run;
    int64_t period_ms, next_ms;
    enum { RESULT_UNKNOWN, RESULT_SUCCESS, RESULT_FAILURE } result, last;
    int in_a_row;
    bool on_hold;                /* until the container runs anew */
};

static const char *const keys[] = {[PROBE_STARTUP] = "startupProbe", [PROBE_READINESS] = "readinessProbe", [PROBE_LIVENESS] = "livenessProbe"};
static const char *const names[] = {[PROBE_STARTUP] = "Startup", [PROBE_READINESS] = "Readiness", [PROBE_LIVENESS] = "Liveness"};

bool instance_started(const struct pod_instance *instance)
{
    const struct probe *startup = instance->probes[PROBE_STARTUP];
    return instance->state == INSTANCE_RUNS && (startup != NULL ? startup->result == RESULT_SUCCESS : !instance->container->probed[PROBE_STARTUP]);
}

bool instance_ready(const struct pod_instance *instance)
{
    const struct probe *readiness = instance->probes[PROBE_READINESS];
    return instance_started(instance) && (readiness != NULL ? readiness->result == RESULT_SUCCESS : !instance->container->probed[PROBE_READINESS]);
}

static void set_next(struct probe *probe, int64_t now)
{
    if (probe->next_ms <= now)
        probe->next_ms += (now - probe->next_ms) / probe->period_ms * probe->period_ms + probe->period_ms;
    cluster_timer_set(probe->timer, probe->next_ms);
}

static void try(void *data);

/* A readiness or liveness probe that waited for the start. */
static void begin_others(struct pod_instance *instance)
{
    for (enum probe_kind kind = PROBE_READINESS; kind <= PROBE_LIVENESS; kind++) {
        struct probe *other = instance->probes[kind];
        if (other == NULL || other->on_hold)
            continue;
        if (kind == PROBE_READINESS && other->next_ms < pod_now(instance->container->worker))
            cluster_timer_set_after(other->timer, 0);
        else
            set_next(other, pod_now(instance->container->worker));
    }
}

/* The threshold was reached. */
static void decide(struct probe *probe, bool success)
{
    struct pod_instance *instance = probe->instance;
    int before = (int)probe->result;
    probe->result = success ? RESULT_SUCCESS : RESULT_FAILURE;
    if ((probe->kind == PROBE_LIVENESS && !success) || probe->kind == PROBE_STARTUP) {
        probe->on_hold = true;
        probe->in_a_row = 0;
        cluster_timer_stop(probe->timer);
    }
    if (probe->kind == PROBE_LIVENESS && !success)
        instance->liveness_failed = true;
    if (probe->kind == PROBE_STARTUP && !success)
        instance->startup_failed = true;
    if (before == (int)probe->result)
        return;
    if (probe->kind == PROBE_STARTUP && success)
        begin_others(instance);
    instance->container->worker->probe_news = true;
    pod_wake(instance->container->worker);
}

static void tried(void *data, const struct handler_result *result)
{
    struct probe *probe = data;
    struct pod_instance *instance = probe->instance;
    struct pod_worker *worker = instance->container->worker;
    probe->run = NULL;
    set_next(probe, pod_now(worker));
    if (result->outcome == HANDLER_BROKE) {
        pod_say(worker, instance->container, true, "Unhealthy", "%s probe errored and resulted in unknown state: %s", names[probe->kind], result->text);
        return;
    }
    bool success = result->outcome == HANDLER_DONE;
    if (!success)
        pod_say(worker, instance->container, true, "Unhealthy", "%s probe failed: %s", names[probe->kind], result->text);
    int now = success ? RESULT_SUCCESS : RESULT_FAILURE;
    probe->in_a_row = (int)probe->last == now ? probe->in_a_row + 1 : 1;
    probe->last = success ? RESULT_SUCCESS : RESULT_FAILURE;
    if (probe->in_a_row >= value_find_int(probe->spec, success ? 1 : 3, success ? "successThreshold" : "failureThreshold", NULL))
        decide(probe, success);
}

static void try(void *data)
{
    struct probe *probe = data;
    struct pod_instance *instance = probe->instance;
    if (probe->run != NULL || probe->on_hold || instance->state != INSTANCE_RUNS)
        return;
    if (probe->kind != PROBE_STARTUP && !instance_started(instance))
        return; /* begin_others sets it going */
    probe->run = handler_start(instance, probe->container, probe->spec, 1000 * value_find_int(probe->spec, 1, "timeoutSeconds", NULL), tried, probe);
    if (probe->run == NULL)
        set_next(probe, pod_now(instance->container->worker));
}

static bool begin(struct pod_instance *instance, enum probe_kind kind, const struct value *container, const struct value *spec)
{
    struct probe *probe = mem_zero(1, sizeof *probe);
    const struct value *ports = value_get(container, "ports");
    if (probe == NULL)
        return false;
    instance->probes[kind] = probe;
    probe->instance = instance;
    probe->kind = kind;
    probe->result = kind == PROBE_LIVENESS ? RESULT_SUCCESS : kind == PROBE_READINESS ? RESULT_FAILURE : RESULT_UNKNOWN;
    probe->spec = value_copy(spec);
    probe->container = value_object();
    probe->timer = cluster_timer_new(instance->container->worker->node->nodes->clock, try, probe);
    if (probe->spec == NULL || probe->container == NULL || probe->timer == NULL || (ports != NULL && !value_set(probe->container, "ports", value_copy(ports))))
        return false;
    probe->period_ms = 1000 * value_find_int(spec, 10, "periodSeconds", NULL);
    if (probe->period_ms <= 0)
        probe->period_ms = 10000;
    probe->next_ms = pod_now(instance->container->worker) + 1000 * value_find_int(spec, 0, "initialDelaySeconds", NULL);
    cluster_timer_set(probe->timer, probe->next_ms);
    return true;
}

bool probes_begin(struct pod_instance *instance, const struct value *spec)
{
    for (enum probe_kind kind = PROBE_STARTUP; kind <= PROBE_LIVENESS; kind++) {
        const struct value *probe = value_get(spec, keys[kind]);
        if (probe != NULL && instance->probes[kind] == NULL && !begin(instance, kind, spec, probe)) {
            probe_free(instance->probes[kind]);
            instance->probes[kind] = NULL;
            return false;
        }
    }
    return true;
}

static void hold(struct probe *probe)
{
    if (probe == NULL)
        return;
    probe->on_hold = true;
    handler_cancel(probe->run);
    probe->run = NULL;
    cluster_timer_stop(probe->timer);
}

void probes_stop(struct pod_instance *instance, bool all)
{
    hold(instance->probes[PROBE_STARTUP]);
    hold(instance->probes[PROBE_LIVENESS]);
    if (all)
        hold(instance->probes[PROBE_READINESS]);
}

void probe_free(struct probe *probe)
{
    if (probe == NULL)
        return;
    handler_cancel(probe->run);
    cluster_timer_free(probe->timer);
    value_free(probe->spec);
    value_free(probe->container);
    mem_free(probe);
}
