#include "practice/node/streams.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/clock/clock.h"

enum {
    NODE_CPU = 60,                  /* thousandths that kubelet and runtime take */
    NODE_MEMORY_MIB = 420,          /* and what they and the system hold */
};

void streams_sandbox_id(const struct pod_worker *worker, char out[static SANDBOX_ID])
{
    const char *uid = pod_worker_uid(worker);
    size_t length = 0, at = 0, count = strlen(uid);
    while (length + 1 < SANDBOX_ID && count > 0) {
        if (uid[at] != '-')
            out[length++] = uid[at];
        at = (at + 1) % count;
    }
    out[length] = '\0';
}

struct pod_worker *streams_worker(const struct streams *streams, const char *ns, const char *pod, struct status *failure)
{
    struct pod_worker *worker = pod_table_find(streams->nodes, ns, pod);
    if (worker == NULL)
        status_set(failure, 500, "InternalError", "error dialing backend: no kubelet answers for pod %s of namespace %s", pod, ns);
    return worker;
}

struct pod_container *streams_container(const struct streams *streams, const char *ns, const char *pod, const char *name, struct status *failure)
{
    struct pod_worker *worker = streams_worker(streams, ns, pod, failure);
    struct pod_container *container = worker != NULL ? pod_worker_container(worker, name) : NULL;
    if (worker != NULL && container == NULL)
        status_bad_request(failure, "container \"%s\" in pod \"%s\" is not available", name, pod);
    return container;
}

/* --- usage --- */

/* Adds what one container takes; false: it does not run. */
static bool add_usage(const struct streams *streams, const struct pod_container *container, struct backend_usage *sum)
{
    const struct pod_instance *instance = pod_container_current(container);
    struct runtime_container *handle = instance != NULL && pod_instance_runs(instance) ? pod_instance_handle(instance) : NULL;
    struct runtime_usage usage;
    if (handle == NULL)
        return false;
    streams->runtime->ops->container_usage(handle, &usage);
    sum->cpu += usage.cpu;
    sum->memory += usage.memory;
    return true;
}

static bool pod_usage(const struct streams *streams, const struct pod_worker *worker, struct backend_usage *sum)
{
    bool any = false;
    for (struct pod_container *container = NULL; (container = pod_worker_next(worker, container)) != NULL;)
        any = add_usage(streams, container, sum) || any;
    return any;
}

static bool usage(void *self, const char *ns, const char *pod, const char *name, struct backend_usage *out)
{
    const struct streams *streams = self;
    struct pod_worker *worker = pod_table_find(streams->nodes, ns, pod);
    struct pod_container *container = worker != NULL && name != NULL ? pod_worker_container(worker, name) : NULL;
    *out = (struct backend_usage){0};
    if (worker == NULL || name == NULL)
        return worker != NULL && pod_usage(streams, worker, out);
    return container != NULL && add_usage(streams, container, out);
}

static bool node_usage(void *self, const char *node, struct backend_usage *out)
{
    const struct streams *streams = self;
    const struct node *of = map_get(&streams->nodes->table, node);
    if (of == NULL || !of->on)
        return false;
    *out = (struct backend_usage){.cpu = NODE_CPU, .memory = (int64_t)NODE_MEMORY_MIB << 20};
    for (struct pod_worker *worker = NULL; (worker = pod_table_next_on(streams->nodes, node, worker)) != NULL;)
        pod_usage(streams, worker, out);
    return true;
}

/* --- all of it --- */

struct streams *streams_new(struct nodes *nodes, struct error *err)
{
    static const struct backend_ops ops = {
        .log = streams_log,
        .log_read = streams_log_read,
        .log_free = streams_log_free,
        .process = streams_process,
        .process_write = streams_process_write,
        .process_close_input = streams_process_close_input,
        .process_resize = streams_process_resize,
        .process_resume = streams_process_resume,
        .process_free = streams_process_free,
        .connect = streams_connect,
        .connection_write = streams_connection_write,
        .connection_shutdown = streams_connection_shutdown,
        .connection_resume = streams_connection_resume,
        .connection_free = streams_connection_free,
        .usage = usage,
        .node_usage = node_usage,
    };
    struct streams *streams = mem_zero(1, sizeof *streams);
    if (streams == NULL) {
        error_memory(err);
        return NULL;
    }
    streams->nodes = nodes;
    streams->runtime = nodes_runtime(nodes);
    streams->clock = nodes_place(nodes)->api->clock;
    streams->loop = nodes_place(nodes)->api->loop;
    streams->backend = (struct backend){.ops = &ops, .self = streams};
    return streams;
}

void streams_free(struct streams *streams)
{
    if (streams == NULL)
        return;
    api_set_backend(nodes_place(streams->nodes)->api, NULL); /* what is open ends here */
    mem_free(streams);
}

const struct backend *streams_backend(struct streams *streams)
{
    return &streams->backend;
}
