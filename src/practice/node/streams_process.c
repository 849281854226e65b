/* exec and attach. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/node/streams.h"

enum { KILLED = 137, WORDS = 4096 };

struct backend_process {
    struct streams *streams;
    struct runtime_process *process; /* NULL: it could not be started, or its container is gone */
    struct backend_process_events events;
    struct pod_listener listener;
    struct loop_event *late;         /* tells the end of one without a runtime's process */
    char *words;                     /* "sh -c x"; NULL: attached */
    struct error failure;            /* it could not be started */
    int code;
};

/* --- the end --- */

static bool set_cause(struct value *status, const char *reason, const char *message)
{
    struct value *details = value_child(status, "details"), *causes = value_array(), *cause = value_object();
    bool made = details != NULL && causes != NULL && cause != NULL && (reason == NULL || value_set(cause, "reason", value_string(reason))) && value_set(cause, "message", value_string(message));
    if (made && value_append(causes, cause))
        return value_set(details, "causes", causes);
    if (!made)
        value_free(cause);
    value_free(causes);
    return false;
}

/* The Status without kind and apiVersion, as a kubelet writes it. NULL: no memory. */
static struct value *status_of(const struct backend_process *process, int code, const struct error *err)
{
    char digits[16];
    bool fine = code == 0 && err == NULL;
    char *why = NULL, *message = NULL;
    struct value *status = value_object();
    bool made = status != NULL && value_set(status, "metadata", value_object()) && value_set(status, "status", value_string(fine ? "Success" : "Failure"));
    snprintf(digits, sizeof digits, "%d", code);
    if (made && err != NULL) {
        why = mem_printf("error executing command in container: %s", err->message);
        message = why != NULL ? mem_printf("Internal error occurred: %s", why) : NULL;
        made = message != NULL && value_set(status, "message", value_string(message)) && value_set(status, "reason", value_string("InternalError")) && set_cause(status, NULL, why) &&
               value_set(status, "code", value_int(500));
    } else if (made && !fine) {
        message = mem_printf("command terminated with non-zero exit code: error executing command [%s], exit code %d", process->words != NULL ? process->words : "", code);
        made = message != NULL && value_set(status, "message", value_string(message)) && value_set(status, "reason", value_string("NonZeroExitCode")) && set_cause(status, "ExitCode", digits);
    }
    mem_free(why);
    mem_free(message);
    if (made)
        return status;
    value_free(status);
    return NULL;
}

static void end(struct backend_process *process, int code, const struct error *err)
{
    if (process->words == NULL) { /* who is attached is not told how it ended */
        code = 0;
        err = NULL;
    }
    struct value *status = status_of(process, code, err);
    process->events.ended(process->events.data, status); /* frees it; without memory the status is missing */
    value_free(status);
}

static void on_late(void *data)
{
    struct backend_process *process = data;
    end(process, process->code, process->failure.kind != ERROR_NONE ? &process->failure : NULL);
}

/* The container is forgotten, and with it what runs in it. */
static void gone(void *data)
{
    struct backend_process *process = data;
    if (process->process == NULL)
        return;
    process->streams->runtime->ops->process_free(process->process);
    process->process = NULL;
    process->code = KILLED;
    loop_set_timer(process->late, 0);
}

/* --- in between --- */

static size_t on_output(void *data, enum runtime_stream stream, const void *bytes, size_t length)
{
    struct backend_process *process = data;
    return process->events.output(process->events.data, stream == RUNTIME_STDERR ? BACKEND_STDERR : BACKEND_STDOUT, bytes, length);
}

static void on_input_ready(void *data)
{
    struct backend_process *process = data;
    process->events.input_ready(process->events.data);
}

static void on_ended(void *data, int code, const struct error *err)
{
    end(data, code, err);
}

size_t streams_process_write(struct backend_process *process, const void *bytes, size_t length)
{
    return process->process != NULL ? process->streams->runtime->ops->process_write(process->process, bytes, length) : length;
}

void streams_process_close_input(struct backend_process *process)
{
    if (process->process != NULL)
        process->streams->runtime->ops->process_close_input(process->process);
}

void streams_process_resize(struct backend_process *process, unsigned columns, unsigned rows)
{
    if (process->process != NULL)
        process->streams->runtime->ops->process_resize(process->process, columns, rows);
}

void streams_process_resume(struct backend_process *process)
{
    if (process->process != NULL)
        process->streams->runtime->ops->process_resume(process->process);
}

void streams_process_free(struct backend_process *process)
{
    pod_unlisten(&process->listener);
    if (process->process != NULL)
        process->streams->runtime->ops->process_free(process->process);
    loop_drop(process->late);
    mem_free(process->words);
    mem_free(process);
}

/* --- the beginning --- */

static char *join(const struct vec *words)
{
    struct buf joined = buf_make(1 << 20);
    for (size_t i = 0; i < words->length; i++)
        buf_printf(&joined, "%s%s", i > 0 ? " " : "", (const char *)words->items[i]);
    return buf_take(&joined, NULL);
}

/* The run of the container that one can get into. NULL: a kubelet's words. */
static struct pod_instance *running(const struct streams *streams, const char *ns, const char *pod, const struct backend_exec_options *options, struct status *failure)
{
    struct pod_worker *worker = streams_worker(streams, ns, pod, failure);
    struct pod_container *container = worker != NULL ? pod_worker_container(worker, options->container) : NULL;
    struct pod_instance *instance = container != NULL ? pod_container_current(container) : NULL;
    if (instance != NULL && pod_instance_runs(instance) && pod_instance_handle(instance) != NULL)
        return instance;
    if (worker != NULL && options->command != NULL)
        status_set(failure, 500, "InternalError", "container not found (\"%s\")", options->container);
    else if (worker != NULL)
        status_set(failure, 500, "InternalError", "container %s not found in pod %s_%s", options->container, pod, ns);
    return NULL;
}

static bool start(struct backend_process *process, struct pod_instance *instance, const struct backend_exec_options *options)
{
    const struct runtime_ops *ops = process->streams->runtime->ops;
    const struct runtime_io io = {.output = on_output, .input_ready = on_input_ready, .ended = on_ended, .data = process};
    struct runtime_container *handle = pod_instance_handle(instance);
    process->late = loop_add_timer(process->streams->loop, -1, on_late, process);
    process->words = options->command != NULL ? join(options->command) : NULL;
    if (process->late == NULL || (options->command != NULL && process->words == NULL))
        return false;
    if (options->command != NULL)
        process->process = ops->exec(handle, options->command, options->tty, options->input, &io, &process->failure);
    else
        process->process = ops->attach(handle, options->input, &io, &process->failure);
    if (process->process != NULL)
        pod_instance_listen(instance, &process->listener);
    else if (process->failure.kind == ERROR_MEMORY)
        return false;
    else
        loop_set_timer(process->late, 0);
    return true;
}

struct backend_process *streams_process(void *self, const char *ns, const char *pod, const struct backend_exec_options *options, const struct backend_process_events *events, struct status *failure)
{
    struct streams *streams = self;
    struct pod_instance *instance = running(streams, ns, pod, options, failure);
    if (instance == NULL)
        return NULL;
    struct backend_process *process = mem_zero(1, sizeof *process);
    if (process != NULL) {
        *process = (struct backend_process){.streams = streams, .events = *events, .listener = {.gone = gone, .data = process}, .failure = ERROR_INIT};
        if (start(process, instance, options))
            return process;
        streams_process_free(process);
    }
    status_error(failure, &(struct error){.kind = ERROR_MEMORY});
    return NULL;
}
