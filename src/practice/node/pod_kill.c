#include "practice/node/pod_kill.h"

#include <signal.h>

#include "base/mem.h"
#include "practice/node/probe.h"

struct pod_kill {
    struct pod_container *container;
    struct cluster_timer *timer;
    struct hook *hook;
    int64_t deadline_ms; /* of the grace period */
    enum { KILL_HOOK, KILL_TURN, KILL_TERM, KILL_KILL } step;
    bool ordered;
};

void pod_kill_free(struct pod_container *container)
{
    struct pod_kill *kill = container->kill;
    if (kill == NULL)
        return;
    container->kill = NULL;
    hook_cancel(kill->hook);
    cluster_timer_free(kill->timer);
    mem_free(kill);
}

static bool is_over(const struct pod_container *container)
{
    return container->current == NULL || container->current->state == INSTANCE_ENDED;
}

static const struct runtime_ops *ops_of(const struct pod_container *container)
{
    return container->worker->node->nodes->runtime.ops;
}

/* A sidecar waits for all main containers and for the sidecars after it. */
static bool is_its_turn(const struct pod_kill *kill)
{
    const struct pod_container *container = kill->container;
    const struct pod_worker *worker = container->worker;
    if (!kill->ordered || !container->sidecar)
        return true;
    for (size_t i = (size_t)(container - worker->containers) + 1; i < worker->count; i++) {
        const struct pod_container *other = &worker->containers[i];
        if ((other->kind == POD_APP || other->sidecar) && !is_over(other))
            return false;
    }
    return true;
}

static void send(struct pod_kill *kill, int64_t now)
{
    struct pod_container *container = kill->container;
    int64_t least = now + POD_LEAST_GRACE_MS;
    kill->step = KILL_TERM;
    if (kill->deadline_ms < least)
        kill->deadline_ms = least;
    cluster_timer_set(kill->timer, kill->deadline_ms);
    ops_of(container)->container_signal(container->current->handle, ops_of(container)->container_stop_signal(container->current->handle));
}

static void advance(struct pod_kill *kill)
{
    struct pod_container *container = kill->container;
    int64_t now = pod_now(container->worker);
    if (is_over(container))
        return;
    if (kill->step == KILL_HOOK && (kill->hook == NULL || now >= kill->deadline_ms)) {
        hook_cancel(kill->hook);
        kill->hook = NULL;
        kill->step = KILL_TURN;
    }
    if (kill->step == KILL_TURN && (is_its_turn(kill) || now >= kill->deadline_ms)) {
        send(kill, now);
        return;
    }
    if (kill->step == KILL_TERM && now >= kill->deadline_ms) {
        kill->step = KILL_KILL;
        ops_of(container)->container_signal(container->current->handle, SIGKILL);
    }
}

static void timer_fired(void *data)
{
    advance(data);
}

static void hook_ran(void *data, const char *message)
{
    struct pod_kill *kill = data;
    kill->hook = NULL;
    if (message != NULL)
        pod_say(kill->container->worker, kill->container, true, "FailedPreStopHook", "PreStopHook failed");
    advance(kill);
}

bool pod_kill(struct pod_container *container, const struct value *document, const char *message, int64_t grace_ms, bool ordered)
{
    struct pod_worker *worker = container->worker;
    struct pod_kill *kill = mem_zero(1, sizeof *kill);
    bool none = true;
    if (kill == NULL)
        return false;
    *kill = (struct pod_kill){.container = container, .deadline_ms = pod_now(worker) + grace_ms, .ordered = ordered, .step = KILL_HOOK};
    kill->timer = cluster_timer_new(worker->node->nodes->clock, timer_fired, kill);
    container->kill = kill;
    if (kill->timer == NULL) {
        pod_kill_free(container);
        return false;
    }
    if (message != NULL)
        pod_say(worker, container, false, "Killing", "%s", message);
    else
        pod_say(worker, container, false, "Killing", "Stopping container %s", container->name);
    if (grace_ms > 0)
        kill->hook = hook_start(container->current, container_spec(container, document), "preStop", hook_ran, kill, &none);
    cluster_timer_set(kill->timer, kill->deadline_ms);
    advance(kill);
    return true;
}

bool pod_kill_look(struct pod_container *container)
{
    if (container->kill == NULL)
        return true;
    if (is_over(container)) {
        pod_kill_free(container);
        return true;
    }
    advance(container->kill);
    return false;
}

void pod_kill_hurry(struct pod_container *container, int64_t grace_ms)
{
    struct pod_kill *kill = container->kill;
    int64_t deadline = pod_now(container->worker) + grace_ms;
    if (kill == NULL || kill->step == KILL_KILL || deadline >= kill->deadline_ms)
        return;
    kill->deadline_ms = deadline;
    cluster_timer_set(kill->timer, deadline);
}
