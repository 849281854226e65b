/* signal: what signals do, and descriptors of processes. */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/kernel_internal.h"

#define BIT(signal) (1ull << (signal))

static const uint64_t ignored_by_default =
    BIT(SIGCHLD) | BIT(SIGURG) | BIT(SIGWINCH) | BIT(SIGCONT) | BIT(SIGTSTP) | BIT(SIGTTIN) | BIT(SIGTTOU) | BIT(SIGSTOP);

static bool is_init(const struct task *task)
{
    return task->pid == 1 && task->box->pids->own_init;
}

static void kill_task(struct task *task, int signal)
{
    if (task->dying)
        return;
    task->dying = true;
    task->killed_by = signal;
    if (task->state == TASK_WAITING)
        task->state = TASK_RUNNABLE;
    if (task->kernel->current != task)
        kernel_enqueue(task);
}

void task_default_signal(struct task *task, int signal)
{
    if (!(ignored_by_default & BIT(signal)))
        kill_task(task, signal);
}

void task_signal(struct task *task, int signal, bool outside)
{
    if (signal <= 0 || signal > 63 || task->state == TASK_ZOMBIE || task->dying)
        return;
    if (signal == SIGKILL) {
        if (!is_init(task) || outside)
            kill_task(task, signal);
        return;
    }
    if (task->ignored & BIT(signal))
        return;
    if (!task->coroutine && task->program->daemon && task->program->daemon->signal && task->program->daemon->signal(task, signal))
        return;
    if (task->caught & BIT(signal)) {
        task->pending |= BIT(signal);
        task_wake(task);
    } else if (!is_init(task)) { /* process 1 has no default actions */
        task_default_signal(task, signal);
    }
}

void task_catch(struct task *task, int signal, bool caught)
{
    task->caught = caught ? task->caught | BIT(signal) : task->caught & ~BIT(signal);
    if (!caught)
        task->pending &= ~BIT(signal);
}

void task_ignore(struct task *task, int signal, bool ignored)
{
    task->ignored = ignored ? task->ignored | BIT(signal) : task->ignored & ~BIT(signal);
}

int task_caught(struct task *task)
{
    uint64_t now = task->pending & task->caught;
    if (now == 0)
        return 0;
    int signal = __builtin_ctzll(now);
    task->pending &= ~BIT(signal);
    return signal;
}

struct task *task_by_pid(const struct task *task, int pid)
{
    struct task *found = task->box->pids->first;
    while (found && found->pid != pid)
        found = found->next;
    return found;
}

int task_kill(struct task *task, int pid, int signal)
{
    if (signal < 0 || signal > 64)
        return -EINVAL;
    int group = pid == 0 ? task->group : -pid, seen = -ESRCH;
    for (struct task *other = task->box->pids->first, *next; other; other = next) {
        next = other->next;
        bool meant = pid > 0 ? other->pid == pid : pid == -1 ? other != task && !is_init(other) : other->group == group;
        if (!meant)
            continue;
        if (task->who.uid != 0 && task->who.uid != other->who.uid) {
            seen = seen == 0 ? 0 : -EPERM;
            continue;
        }
        seen = 0;
        if (signal != 0)
            task_signal(other, signal, false);
    }
    return seen;
}

void box_kill_all(struct box *box)
{
    for (struct task *task = box->pids->first; task; task = task->next)
        if (task->box == box)
            task_signal(task, SIGKILL, true);
}

/* ---- descriptors ---- */

struct handle *task_handle(const struct task *task, int fd)
{
    return fd >= 0 && fd < TASK_FDS ? task->fds[fd] : NULL;
}

int task_install(struct task *task, struct handle *handle, int lowest, bool close_on_exec)
{
    for (int fd = lowest; fd < TASK_FDS; fd++)
        if (!task->fds[fd]) {
            task->fds[fd] = handle;
            task->close_on_exec = close_on_exec ? task->close_on_exec | 1u << fd : task->close_on_exec & ~(1u << fd);
            return fd;
        }
    handle_free(handle);
    return -EMFILE;
}

int task_open(struct task *task, const char *path, int flags, unsigned mode)
{
    struct handle *handle;
    int got = fs_open(&task->who, path, flags, mode & ~task->umask, &handle);
    return got == 0 ? task_install(task, handle, 0, (flags & O_CLOEXEC) != 0) : got;
}

int task_dup2(struct task *task, int from, int to)
{
    struct handle *handle = task_handle(task, from);
    if (!handle || to < 0 || to >= TASK_FDS)
        return -EBADF;
    if (from == to)
        return to;
    handle_ref(handle);
    task_close(task, to);
    task->fds[to] = handle;
    return to;
}

int task_close(struct task *task, int fd)
{
    struct handle *handle = task_handle(task, fd);
    if (!handle)
        return -EBADF;
    task->fds[fd] = NULL;
    task->close_on_exec &= ~(1u << fd);
    handle_free(handle);
    return 0;
}

int task_pipe(struct task *task, int ends[static 2])
{
    struct handle *reader, *writer;
    if (!pipe_new(&reader, &writer))
        return -ENOMEM;
    ends[0] = task_install(task, reader, 0, false);
    ends[1] = ends[0] >= 0 ? task_install(task, writer, 0, false) : -EMFILE;
    if (ends[0] < 0)
        handle_free(writer);
    else if (ends[1] < 0)
        task_close(task, ends[0]);
    return ends[1] >= 0 ? 0 : -EMFILE;
}

ssize_t task_read(struct task *task, int fd, void *bytes, size_t length)
{
    struct handle *handle = task_handle(task, fd);
    if (!handle || !handle->ops->read || (handle->flags & O_ACCMODE) == O_WRONLY)
        return -EBADF;
    handle_ref(handle); /* it may be closed by another while this one waits */
    ssize_t got = -EINTR;
    while (!task->dying && (got = handle->ops->read(handle, bytes, length)) == -EAGAIN && !(handle->flags & O_NONBLOCK)) {
        int blocked = task_block(task, handle->waiters, -1);
        if (blocked != 0) {
            got = blocked;
            break;
        }
    }
    handle_free(handle);
    if (!task_step(task, 2 + (unsigned)(length >> 13)))
        return -EINTR;
    return got;
}

ssize_t task_write(struct task *task, int fd, const void *bytes, size_t length)
{
    struct handle *handle = task_handle(task, fd);
    if (!handle || !handle->ops->write || (handle->flags & O_ACCMODE) == O_RDONLY)
        return -EBADF;
    handle_ref(handle);
    size_t done = 0;
    ssize_t got = task->dying ? -EINTR : 0;
    while (got >= 0 && done < length) {
        got = handle->ops->write(handle, (const char *)bytes + done, length - done);
        if (got >= 0)
            done += (size_t)got;
        else if (got == -EAGAIN && !(handle->flags & O_NONBLOCK))
            got = task_block(task, handle->waiters, -1);
        if (task->dying)
            got = -EINTR;
    }
    handle_free(handle);
    if (got == -EPIPE)
        task_signal(task, SIGPIPE, false);
    if (!task_step(task, 2 + (unsigned)(length >> 13)))
        return -EINTR;
    return got < 0 ? got : (ssize_t)done;
}
