/* stream: processes beside the first, and people at the first one's streams. All that goes out does so from the main stack. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/sim_internal.h"

enum { PUMP = 16 << 10 };

/* ---- out ---- */

/* True: all of it was taken. */
static bool give(struct runtime_process *process, enum runtime_stream stream, const char *bytes, size_t length, size_t *taken)
{
    *taken = length > 0 ? process->io.output(process->io.data, stream, bytes, length) : 0;
    process->blocked = *taken < length;
    return !process->blocked;
}

static void drop_front(struct buf *buf, size_t length)
{
    struct buf rest = buf_make(buf->maximum);
    buf_append(&rest, buf->bytes + length, buf->length - length);
    buf_free(buf);
    *buf = rest;
}

/* What was kept for it. */
static void pump_unread(struct runtime_process *process, enum runtime_stream stream)
{
    struct buf *unread = &process->unread[stream];
    size_t taken;
    if (process->blocked || unread->length == 0)
        return;
    give(process, stream, unread->bytes, unread->length, &taken);
    if (taken == unread->length)
        buf_free(unread);
    else if (taken > 0)
        drop_front(unread, taken);
    if (taken > 0 && process->attach && process->container)
        wait_wake(&process->container->room);
}

static void pump_pipe(struct runtime_process *process, enum runtime_stream stream)
{
    struct handle *handle = process->outputs[stream];
    char bytes[PUMP];
    while (handle && !process->blocked && process->unread[stream].length == 0) {
        ssize_t got = handle->ops->read(handle, bytes, sizeof bytes);
        if (got <= 0)
            return;
        size_t taken;
        if (!give(process, stream, bytes, (size_t)got, &taken))
            buf_append(&process->unread[stream], bytes + taken, (size_t)got - taken);
    }
}

static void pump_tty(struct runtime_process *process)
{
    size_t length, taken;
    const char *bytes = tty_output(process->tty, &length);
    if (process->blocked || length == 0)
        return;
    give(process, RUNTIME_STDOUT, bytes, length, &taken);
    if (taken > 0)
        tty_drop_output(process->tty, taken);
}

static bool drained(const struct runtime_process *process)
{
    size_t length = 0;
    if (process->tty && !process->attach)
        tty_output(process->tty, &length);
    for (int i = RUNTIME_STDOUT; i <= RUNTIME_STDERR; i++)
        length += process->unread[i].length + (process->outputs[i] && handle_ready(process->outputs[i]) & HANDLE_READ && !(handle_ready(process->outputs[i]) & HANDLE_HUNG));
    return length == 0;
}

static void pump(void *data)
{
    struct runtime_process *process = data;
    for (int i = RUNTIME_STDOUT; i <= RUNTIME_STDERR; i++) {
        pump_unread(process, (enum runtime_stream)i);
        pump_pipe(process, (enum runtime_stream)i);
    }
    if (process->tty && !process->attach)
        pump_tty(process);
    if (process->input_wanted && !process->ended && process->io.input_ready) {
        process->input_wanted = false;
        process->io.input_ready(process->io.data); /* writes again, and may want it again */
    }
    if (!process->ended || process->told || process->blocked || !drained(process))
        return;
    process->told = true;
    process->io.ended(process->io.data, process->code, process->start_error.kind != ERROR_NONE ? &process->start_error : NULL); /* may free it */
}

static void wake_pump(struct waiter *waiter)
{
    struct runtime_process *process = waiter->data;
    kernel_defer(process->kernel, &process->work);
}

static void watch(struct runtime_process *process, size_t slot, struct wait_queue *queue)
{
    process->waiters[slot] = (struct waiter){.fn = wake_pump, .data = process};
    wait_add(queue, &process->waiters[slot]);
}

bool process_attached_output(struct runtime_container *container, enum runtime_stream stream, const void *bytes, size_t length)
{
    for (struct runtime_process *process = container->processes; process; process = process->next)
        if (process->attach && process->unread[stream].length + length > RUNTIME_UNREAD)
            return false;
    for (struct runtime_process *process = container->processes; process; process = process->next)
        if (process->attach) {
            buf_append(&process->unread[stream], bytes, length);
            kernel_defer(process->kernel, &process->work);
        }
    return true;
}

/* ---- beginning ---- */

static struct runtime_process *process_new(struct runtime_container *container, const struct runtime_io *io)
{
    struct runtime_process *process = mem_zero(1, sizeof *process);
    if (!process)
        return NULL;
    *process = (struct runtime_process){.kernel = container->box.kernel, .container = container, .next = container->processes, .io = *io, .work = {.fn = pump, .data = process}, .start_error = ERROR_INIT};
    for (int i = 0; i < 3; i++)
        process->unread[i] = buf_make(RUNTIME_UNREAD + PUMP);
    container->processes = process;
    return process;
}

static void task_ended(struct task *task, void *data)
{
    struct runtime_process *process = data;
    process->code = task->killed_by ? 128 + task->killed_by : task->code & 0xFF;
    process->ended = true;
    process->task = NULL;
    kernel_defer(process->kernel, &process->work);
}

static bool make_pipes(struct runtime_process *process, struct handle *fds[static TASK_FDS], bool tty, bool input)
{
    if (tty) {
        process->tty = tty_new(process->kernel);
        for (int i = 0; process->tty && i < 3; i++)
            fds[i] = tty_open(process->tty, O_RDWR);
        if (process->tty)
            watch(process, 0, tty_output_queue(process->tty));
    } else {
        if (input ? !pipe_new(&fds[0], &process->input) : !(fds[0] = null_new(O_RDONLY)))
            return false;
        if (!pipe_new(&process->outputs[RUNTIME_STDOUT], &fds[1]) || !pipe_new(&process->outputs[RUNTIME_STDERR], &fds[2]))
            return false;
        watch(process, 1, process->outputs[RUNTIME_STDOUT]->waiters);
        watch(process, 2, process->outputs[RUNTIME_STDERR]->waiters);
        if (input)
            watch(process, 3, process->input->waiters);
    }
    return fds[0] && fds[1] && fds[2];
}

static int start(struct runtime_process *process, const struct vec *argv, bool tty, bool input)
{
    struct runtime_container *container = process->container;
    struct handle *fds[TASK_FDS] = {0};
    char path[FS_PATH];
    char **words = mem_zero(argv->length + 1, sizeof *words), **env = task_copy_strings(container->env);
    struct fs_who who = {.view = container->box.view, .uid = container->uid, .gid = container->gid, .cwd = container->cwd};
    struct task asker = {.who = who, .env = env};
    int error = words && env ? 0 : -ENOMEM;
    for (size_t i = 0; error == 0 && i < argv->length; i++)
        words[i] = argv->items[i];
    if (error == 0)
        error = argv->length > 0 ? task_find(&asker, words[0], env, path) : -ENOENT;
    if (error == 0 && !make_pipes(process, fds, tty, input))
        error = -ENOMEM;
    struct spawn spawn = {.path = path, .argv = words, .env = env, .fds = fds};
    if (error == 0)
        process->task = task_first(&container->box, &spawn, &who, process->tty, task_ended, process, &error);
    if (process->task && process->tty)
        tty_set_group(process->tty, process->task->group);
    for (int i = 0; i < 3; i++)
        handle_free(fds[i]);
    mem_free(words);
    task_free_strings(env);
    return process->task ? 0 : error;
}

struct runtime_process *process_exec(struct runtime_container *container, const struct vec *argv, bool tty, bool input, const struct runtime_io *io, struct error *err)
{
    if (!container->running) {
        error_set(err, ERROR_NOT_FOUND, "", "failed to exec in container: container is in CONTAINER_EXITED state");
        return NULL;
    }
    struct runtime_process *process = process_new(container, io);
    if (!process) {
        error_memory(err);
        return NULL;
    }
    int error = start(process, argv, tty, input);
    if (error != 0) {
        char words[400], id[65];
        sim_new_id(container->sandbox->sim, id);
        container_exec_error(argv->length > 0 ? argv->items[0] : "", error, words, sizeof words);
        error_set(&process->start_error, ERROR_INPUT, "",
            "failed to exec in container: failed to start exec \"%s\": OCI runtime exec failed: exec failed: unable to start container process: %.250s", id, words);
        process->ended = true;
        process->code = error == -ENOENT ? 127 : 126;
        kernel_defer(process->kernel, &process->work);
    }
    return process;
}

struct runtime_process *process_attach(struct runtime_container *container, bool input, const struct runtime_io *io, struct error *err)
{
    if (!container->running) {
        error_set(err, ERROR_NOT_FOUND, "", "failed to attach to container: container is in CONTAINER_EXITED state");
        return NULL;
    }
    struct runtime_process *process = process_new(container, io);
    if (!process) {
        error_memory(err);
        return NULL;
    }
    process->attach = true;
    process->tty = container->tty;
    if (input && container->input) {
        process->input = handle_ref(container->input);
        watch(process, 3, process->input->waiters);
    }
    if (container->tty)
        container_pump_tty(container);
    return process;
}

/* ---- in ---- */

size_t process_write(struct runtime_process *process, const void *bytes, size_t length)
{
    size_t taken = 0;
    if (process->tty && process->container) {
        taken = tty_type(process->tty, &process->container->box, bytes, length);
    } else if (process->input) {
        ssize_t got = process->input->ops->write(process->input, bytes, length);
        taken = got > 0 ? (size_t)got : got == -EAGAIN ? 0 : length; /* nobody reads: it is lost */
    } else {
        taken = length;
    }
    process->input_wanted = taken < length;
    return taken;
}

void process_close_input(struct runtime_process *process)
{
    struct runtime_container *container = process->container;
    wait_remove(&process->waiters[3]);
    handle_free(process->input);
    process->input = NULL;
    if (process->attach && container && container->stdin_once && container->input) {
        handle_free(container->input);
        container->input = NULL;
    }
}

void process_resize(struct runtime_process *process, unsigned columns, unsigned rows)
{
    if (process->tty && process->container)
        tty_resize(process->tty, &process->container->box, columns, rows);
}

void process_resume(struct runtime_process *process)
{
    process->blocked = false;
    kernel_defer(process->kernel, &process->work);
}

/* ---- the end ---- */

void process_hang_up(struct tty *tty, struct box *box)
{
    for (struct task *task = box->pids->first, *next; task; task = next) {
        next = task->next;
        if (task->tty != tty)
            continue;
        task_signal(task, SIGHUP, false);
        task_signal(task, SIGCONT, false);
        task->tty = NULL;
    }
}

static void unlink_process(struct runtime_process *process)
{
    if (!process->container)
        return;
    for (struct runtime_process **at = &process->container->processes; *at; at = &(*at)->next)
        if (*at == process) {
            *at = process->next;
            break;
        }
    if (process->attach)
        wait_wake(&process->container->room); /* it was perhaps the slow one */
}

void process_free(struct runtime_process *process)
{
    if (!process)
        return;
    kernel_forget(&process->work);
    for (size_t i = 0; i < sizeof process->waiters / sizeof *process->waiters; i++)
        wait_remove(&process->waiters[i]);
    if (process->task)
        process->task->ended = NULL;
    if (process->tty && !process->attach) {
        if (process->container)
            process_hang_up(process->tty, &process->container->box);
        tty_free(process->tty);
    }
    if (process->attach && process->input)
        process_close_input(process);
    unlink_process(process);
    handle_free(process->input);
    for (int i = 0; i < 3; i++) {
        handle_free(process->outputs[i]);
        buf_free(&process->unread[i]);
    }
    mem_free(process);
}

void process_container_ended(struct runtime_container *container)
{
    for (struct runtime_process *process = container->processes; process; process = process->next) {
        if (!process->attach || process->ended)
            continue;
        process->ended = true;
        process->code = container->code;
        process->tty = NULL;
        kernel_defer(process->kernel, &process->work);
    }
}

void process_container_freed(struct runtime_container *container)
{
    process_container_ended(container);
    for (struct runtime_process *process = container->processes; process; process = process->next)
        process->container = NULL;
    container->processes = NULL;
}
