/* task: how processes begin and end. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "practice/sim/applet.h"
#include "practice/sim/kernel_internal.h"

/* ---- lists of strings ---- */

void task_free_strings(char **strings)
{
    for (size_t i = 0; strings && strings[i]; i++)
        mem_free(strings[i]);
    mem_free(strings);
}

char **task_copy_strings(char *const *strings)
{
    size_t count = 0;
    while (strings && strings[count])
        count++;
    char **copy = mem_zero(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (!(copy[i] = mem_string(strings[i]))) {
            task_free_strings(copy);
            return NULL;
        }
    return copy;
}

static size_t bytes_of(char *const *strings)
{
    size_t bytes = 0;
    for (size_t i = 0; strings && strings[i]; i++)
        bytes += strlen(strings[i]) + 1 + sizeof *strings;
    return bytes;
}

const char *task_env(const struct task *task, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; task->env[i]; i++)
        if (strncmp(task->env[i], name, length) == 0 && task->env[i][length] == '=')
            return task->env[i] + length + 1;
    return NULL;
}

/* ---- executables ---- */

/* What an executable is whose program nobody wrote: it says so instead of doing nothing. */
static int missing_main(struct task *task, int argc, char **argv)
{
    (void)argc, (void)argv;
    applet_say(task, "this program is not simulated in the practice cluster");
    return 127;
}
static const struct program missing = {.name = "missing", .main = missing_main};

static int check_file(const struct fs_who *who, const char *path)
{
    struct fs_stat stat;
    int got = fs_stat(who, path, true, &stat);
    if (got != 0)
        return got;
    if (!S_ISREG(stat.mode))
        return -EACCES;
    return fs_access(who, path, X_OK);
}

int task_find(const struct task *task, const char *word, char *const *env, char out[static FS_PATH])
{
    if (strlen(word) >= FS_PATH)
        return -ENAMETOOLONG;
    if (strchr(word, '/')) {
        strcpy(out, word);
        return check_file(&task->who, word);
    }
    const char *path = NULL;
    if (!env)
        path = task_env(task, "PATH");
    for (size_t i = 0; env && env[i]; i++)
        if (strncmp(env[i], "PATH=", 5) == 0)
            path = env[i] + 5;
    int worst = -ENOENT;
    for (const char *at = path ? path : "/sbin:/usr/sbin:/bin:/usr/bin"; *word && at;) {
        const char *end = strchr(at, ':');
        size_t length = end ? (size_t)(end - at) : strlen(at);
        if (length + strlen(word) + 2 < FS_PATH) {
            memcpy(out, at, length);
            out[length] = '\0';
            if (length > 0 && out[length - 1] != '/')
                strcat(out, "/");
            strcat(out, word);
            int got = check_file(&task->who, out);
            if (got == 0)
                return 0;
            if (got == -EACCES)
                worst = got;
        }
        at = end ? end + 1 : NULL;
    }
    return worst;
}

void task_next_drop(struct spawn_next *next)
{
    if (next->drop)
        next->drop(next->data);
    task_free_strings(next->argv);
    task_free_strings(next->env);
    *next = (struct spawn_next){0};
}

/* Puts the interpreter's words before the arguments; the script's path takes the place of argv[0]. */
static bool put_interpreter(char ***argv, const char *interpreter, const char *argument, const char *path)
{
    size_t count = 0, first = argument ? 2 : 1;
    while ((*argv)[count])
        count++;
    char **longer = mem_zero(count + first + 2, sizeof *longer);
    if (!longer)
        return false;
    longer[0] = mem_string(interpreter);
    if (argument)
        longer[1] = mem_string(argument);
    longer[first] = mem_string(path);
    bool ok = longer[0] && longer[first] && (!argument || longer[1]);
    for (size_t i = 1; i < count; i++)
        longer[first + i] = (*argv)[i];
    if (!ok) {
        for (size_t i = 0; i <= first; i++)
            mem_free(longer[i]);
        mem_free(longer);
        return false;
    }
    if (count > 0)
        mem_free((*argv)[0]);
    mem_free(*argv);
    *argv = longer;
    return true;
}

/* "#!/bin/sh -e" into its two words. False: it is none. */
static bool read_interpreter(char *head, char **interpreter, char **argument)
{
    if (strncmp(head, "#!", 2) != 0)
        return false;
    head[strcspn(head, "\n")] = '\0';
    *interpreter = head + 2 + strspn(head + 2, " \t");
    size_t end = strcspn(*interpreter, " \t");
    *argument = NULL;
    if ((*interpreter)[end] != '\0') {
        (*interpreter)[end] = '\0';
        *argument = *interpreter + end + 1 + strspn(*interpreter + end + 1, " \t");
        size_t length = strlen(*argument);
        while (length > 0 && strchr(" \t", (*argument)[length - 1]))
            (*argument)[--length] = '\0';
        if (length == 0)
            *argument = NULL;
    }
    return **interpreter != '\0';
}

/* busybox as ls, or `busybox ls`. */
static void choose_applet(struct spawn_next *next)
{
    const struct program *multi = next->program, *found = NULL;
    const char *name = next->argv[0] ? applet_base_name(next->argv[0]) : "";
    name += *name == '-';
    if (strcmp(name, multi->name) != 0) {
        found = program_find(name);
    } else if (next->argv[1] && (found = program_find(next->argv[1])) && !found->multi_call) {
        mem_free(next->argv[0]);
        for (size_t i = 0; next->argv[i]; i++)
            next->argv[i] = next->argv[i + 1];
    }
    next->program = found ? found : multi;
}

int task_load(const struct task *task, const char *path, char *const *argv, char *const *env, struct spawn_next *out)
{
    enum { HEAD = 256, SCRIPTS = 4 };
    *out = (struct spawn_next){0};
    if (bytes_of(argv) + bytes_of(env ? env : task->env) > TASK_ARGUMENTS)
        return -E2BIG;
    out->argv = task_copy_strings(argv);
    out->env = task_copy_strings(env ? env : task->env);
    int error = out->argv && out->env ? 0 : -ENOMEM;
    char at[FS_PATH];
    if (strlen(path) >= sizeof at)
        error = -ENAMETOOLONG;
    else
        strcpy(at, path);
    for (int scripts = 0; error == 0; scripts++) {
        char head[HEAD + 1], name[FS_PROGRAM_NAME], *interpreter, *argument;
        struct handle *handle = NULL;
        if ((error = check_file(&task->who, at)) != 0 || (error = fs_open(&task->who, at, O_RDONLY, 0, &handle)) != 0)
            break;
        ssize_t got = handle->ops->read ? handle->ops->read(handle, head, HEAD) : -EACCES;
        handle_free(handle);
        head[got > 0 ? got : 0] = '\0';
        if (got >= 0 && fs_program_name(head, (size_t)got, name)) {
            out->program = program_find(name);
            out->program = out->program ? out->program : &missing;
            if (out->program->multi_call)
                choose_applet(out);
            return 0;
        }
        if (got < 0 || !read_interpreter(head, &interpreter, &argument))
            error = -ENOEXEC;
        else if (scripts == SCRIPTS)
            error = -ELOOP;
        else if (!put_interpreter(&out->argv, interpreter, argument, at))
            error = -ENOMEM;
        else
            strcpy(at, interpreter);
    }
    task_next_drop(out);
    return error;
}

/* ---- beginning ---- */

static void body(void *data)
{
    struct task *task = data;
    struct spawn_next *next = task->next_program;
    if (next && next->main) { /* a subshell: runs within its parent's program */
        int (*run)(struct task *, void *) = next->main;
        void (*drop)(void *) = next->drop;
        void *of = next->data;
        task->next_program = NULL;
        mem_free(next);
        task->code = run(task, of);
        if (drop)
            drop(of);
    } else {
        int argc = 0;
        while (task->argv[argc])
            argc++;
        task->code = task->program->main(task, argc, task->argv);
    }
    applet_end(task);
}

/* Lets the loaded program begin: on a stack of its own, or as a daemon in the next turn. */
static bool begin(struct task *task)
{
    if (task->program->main || (task->next_program && task->next_program->main)) {
        task->coroutine = coroutine_new(task->kernel->coroutines, body, task);
        if (!task->coroutine)
            return false;
        task->state = TASK_RUNNABLE;
        kernel_enqueue(task);
    } else {
        task->state = TASK_WAITING;
        kernel_defer(task->kernel, &task->work);
    }
    return true;
}

static void start_daemon(void *data)
{
    struct task *task = data;
    int argc = 0;
    while (task->argv[argc])
        argc++;
    if (!task->dying)
        task->program->daemon->start(task, argc, task->argv);
}

static void link_task(struct task *task)
{
    struct pid_space *pids = task->box->pids;
    task->pid = pids->next++;
    task->previous = pids->last;
    *(pids->last ? &pids->last->next : &pids->first) = task;
    pids->last = task;
    task->box->tasks++;
}

static void unlink_task(struct task *task)
{
    struct pid_space *pids = task->box->pids;
    *(task->previous ? &task->previous->next : &pids->first) = task->next;
    *(task->next ? &task->next->previous : &pids->last) = task->previous;
    task->box->tasks--;
}

/* A task that does not run yet; takes over what `next` holds. */
static struct task *make(struct box *box, const struct fs_who *who, struct spawn_next *next, int *error)
{
    struct task *task = box->tasks < TASK_BOX_MOST && !box->ending ? mem_zero(1, sizeof *task) : NULL;
    char *cwd = task ? mem_string(who->cwd) : NULL;
    *error = box->tasks < TASK_BOX_MOST && !box->ending ? -ENOMEM : -EAGAIN;
    if (!cwd) {
        mem_free(task);
        return NULL;
    }
    *task = (struct task){.kernel = box->kernel, .box = box, .who = *who, .umask = 022, .out = buf_make(APPLET_GATHER), .argv = next->argv, .env = next->env, .program = next->program};
    task->who.cwd = cwd;
    task->who.task = task;
    task->work = (struct kernel_work){.fn = start_daemon, .data = task};
    task->started_ms = kernel_now(box->kernel);
    if (next->main) {
        task->next_program = mem_alloc(sizeof *task->next_program);
        if (!task->next_program) {
            mem_free(cwd);
            mem_free(task);
            return NULL;
        }
        *task->next_program = *next;
        task->next_program->argv = task->next_program->env = NULL;
    }
    *next = (struct spawn_next){0};
    return task;
}

static bool launch(struct task *task, struct handle *const *fds, uint32_t without, int *error)
{
    for (int i = 0; i < TASK_FDS; i++)
        if (!(without >> i & 1))
            task->fds[i] = handle_ref(fds[i]);
    link_task(task);
    if (task->group == 0)
        task->group = task->pid;
    if (!begin(task)) {
        *error = -EAGAIN;
        task->state = TASK_ZOMBIE;
        for (int i = 0; i < TASK_FDS; i++)
            task_close(task, i);
        if (task->next_program) {
            task_next_drop(task->next_program);
            mem_free(task->next_program);
        }
        task_reap(task);
        return false;
    }
    if (task->program->memory > 0)
        task_memory(task, 0);
    return true;
}

struct task *task_spawn(struct task *parent, const struct spawn *spawn, int *error)
{
    struct spawn_next next = {.main = spawn->main, .drop = spawn->drop, .data = spawn->data, .program = parent->program};
    char *const *argv = spawn->argv ? spawn->argv : parent->argv;
    if (spawn->path) {
        *error = task_load(parent, spawn->path, argv, spawn->env, &next);
    } else {
        next.argv = task_copy_strings(argv);
        next.env = task_copy_strings(spawn->env ? spawn->env : parent->env);
        *error = next.argv && next.env ? 0 : -ENOMEM;
    }
    struct task *task = *error == 0 ? make(parent->box, &parent->who, &next, error) : NULL;
    if (!task) {
        task_next_drop(&next);
        return NULL;
    }
    task->parent = parent;
    task->group = spawn->new_group ? 0 : parent->group;
    task->tty = parent->tty;
    task->umask = parent->umask;
    task->ignored = parent->ignored;
    return launch(task, spawn->fds ? spawn->fds : parent->fds, spawn->path && !spawn->fds ? parent->close_on_exec : 0, error) ? task : NULL;
}

struct task *task_first(struct box *box, const struct spawn *spawn, const struct fs_who *who, struct tty *tty, void (*ended)(struct task *task, void *data), void *data, int *error)
{
    char *none[] = {NULL};
    struct task asker = {.kernel = box->kernel, .box = box, .who = *who, .env = none, .argv = none};
    struct spawn_next next;
    asker.who.task = &asker;
    *error = task_load(&asker, spawn->path, spawn->argv, spawn->env, &next);
    struct task *task = *error == 0 ? make(box, who, &next, error) : NULL;
    if (!task) {
        if (*error != 0 && next.argv)
            task_next_drop(&next);
        return NULL;
    }
    task->tty = tty;
    task->ended = ended;
    task->ended_data = data;
    return launch(task, spawn->fds, 0, error) ? task : NULL;
}

int task_exec(struct task *task, const char *path, char *const *argv, char *const *env)
{
    struct spawn_next *next = mem_alloc(sizeof *next);
    if (!next)
        return -ENOMEM;
    int error = task_load(task, path, argv, env, next);
    if (error != 0) {
        mem_free(next);
        return error;
    }
    task->next_program = next;
    return 0;
}

/* ---- ending ---- */

static void charge_program(struct task *task)
{
    box_charge(task->box, -task->memory);
    task->memory = 0;
}

/* True: it goes on as another program. */
static bool exec_next(struct task *task)
{
    struct spawn_next *next = task->next_program;
    if (!next)
        return false;
    task->next_program = NULL;
    if (task->dying) {
        task_next_drop(next);
        mem_free(next);
        return false;
    }
    task_free_strings(task->argv);
    task_free_strings(task->env);
    task->argv = next->argv;
    task->env = next->env;
    task->program = next->program;
    mem_free(next);
    for (int i = 0; i < TASK_FDS; i++)
        if (task->close_on_exec >> i & 1)
            task_close(task, i);
    task->close_on_exec = 0;
    task->caught = 0;
    charge_program(task);
    if (begin(task)) {
        task_memory(task, 0);
        return true;
    }
    task->killed_by = SIGKILL;
    return false;
}

static void adopt_children(struct task *task)
{
    struct pid_space *pids = task->box->pids;
    struct task *init = pids->own_init && pids->first && pids->first->pid == 1 && pids->first != task ? pids->first : NULL;
    for (struct task *child = pids->first, *next; child; child = next) {
        next = child->next;
        if (child->parent != task)
            continue;
        child->parent = init;
        if (child->state == TASK_ZOMBIE && (!init || init->state == TASK_ZOMBIE || !init->coroutine))
            task_reap(child);
        else if (child->state == TASK_ZOMBIE)
            task_signal(init, SIGCHLD, false);
    }
}

static void tell_parent(struct task *task)
{
    struct task *parent = task->parent;
    if (!parent || parent->state == TASK_ZOMBIE || !parent->coroutine || (parent->ignored & 1ull << SIGCHLD)) {
        task_reap(task); /* nobody waits: a daemon's children, or those of outside */
        return;
    }
    wait_wake(&parent->children);
    task_signal(parent, SIGCHLD, false);
}

void task_finish(struct task *task)
{
    coroutine_free(task->coroutine);
    task->coroutine = NULL;
    if (exec_next(task))
        return;
    kernel_dequeue(task);
    kernel_forget(&task->work);
    if (task->program->daemon && task->self && task->program->daemon->stop)
        task->program->daemon->stop(task);
    task->state = TASK_ZOMBIE;
    cluster_timer_free(task->timer);
    task->timer = NULL;
    for (int i = 0; i < TASK_FDS; i++)
        task_close(task, i);
    charge_program(task);
    adopt_children(task);
    struct box *box = task->box;
    if (task == box->init) {
        box->init = NULL;
        box_kill_all(box);
    }
    if (task->ended)
        task->ended(task, task->ended_data);
    tell_parent(task);
}

void task_reap(struct task *task)
{
    unlink_task(task);
    task_free_strings(task->argv);
    task_free_strings(task->env);
    mem_free(task->who.cwd);
    mem_free(task);
}

void task_end(struct task *task, int code)
{
    task->code = code;
    task->dying = true;
    kernel_enqueue(task);
}

int task_wait(struct task *task, int pid, bool hang, struct task_status *status)
{
    for (;;) {
        bool any = false;
        for (struct task *child = task->box->pids->first; child; child = child->next) {
            if (child->parent != task || (pid >= 0 && child->pid != pid))
                continue;
            any = true;
            if (child->state != TASK_ZOMBIE)
                continue;
            *status = (struct task_status){.pid = child->pid, .code = child->code & 0xFF, .signal = child->killed_by};
            task_reap(child);
            return status->pid;
        }
        if (!any)
            return -ECHILD;
        if (!hang)
            return 0;
        int got = task_block(task, &task->children, -1);
        if (got != 0)
            return got;
    }
}

/* ---- memory ---- */

bool box_charge(struct box *box, int64_t bytes)
{
    box->memory += bytes;
    int64_t most = box->memory_limit > 0 ? box->memory_limit : (int64_t)BOX_NODE_MEMORY << 20;
    if (bytes <= 0 || box->memory <= most)
        return true;
    box->out_of_memory = true;
    box_kill_all(box);
    return false;
}

bool task_memory(struct task *task, int64_t bytes)
{
    int64_t all = (bytes > 0 ? bytes : 0) + task->program->memory, more = all - task->memory;
    task->memory = all;
    return box_charge(task->box, more) && !task->dying;
}
