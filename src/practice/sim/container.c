/* container: a container's beginning and end. What it does in between is the kernel's business. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/applet.h"
#include "practice/sim/sim_internal.h"

enum { TERMINATION_MESSAGE = 4096 };

/* ---- its output ---- */

static ssize_t output_write(struct runtime_container *container, enum runtime_stream stream, const void *bytes, size_t length)
{
    length = length < LOG_PIECE ? length : LOG_PIECE;
    if (!process_attached_output(container, stream, bytes, length))
        return -EAGAIN;
    container_log_write(&container->log, container->box.kernel, stream, bytes, length);
    return (ssize_t)length;
}

static ssize_t stdout_write(struct handle *handle, const void *bytes, size_t length)
{
    return output_write(handle->self, RUNTIME_STDOUT, bytes, length);
}

static ssize_t stderr_write(struct handle *handle, const void *bytes, size_t length)
{
    return output_write(handle->self, RUNTIME_STDERR, bytes, length);
}

static const struct handle_ops stdout_ops = {.write = stdout_write}, stderr_ops = {.write = stderr_write};

struct handle *container_output(struct runtime_container *container, enum runtime_stream stream)
{
    struct handle *handle = handle_new(stream == RUNTIME_STDERR ? &stderr_ops : &stdout_ops, container, O_WRONLY, stream == RUNTIME_STDERR ? "pipe:[2]" : "pipe:[1]");
    if (handle)
        handle->waiters = &container->room;
    return handle;
}

void container_pump_tty(struct runtime_container *container)
{
    size_t length;
    const char *bytes = tty_output(container->tty, &length);
    length = length < LOG_PIECE ? length : LOG_PIECE;
    if (length == 0 || !process_attached_output(container, RUNTIME_STDOUT, bytes, length))
        return; /* goes on when the slow one has room */
    container_log_write(&container->log, container->box.kernel, RUNTIME_STDOUT, bytes, length);
    tty_drop_output(container->tty, length);
    tty_output(container->tty, &length);
    if (length > 0)
        kernel_defer(container->box.kernel, &container->tty_work);
}

static void pump_tty(void *data)
{
    container_pump_tty(data);
}

static void tty_has_output(struct waiter *waiter)
{
    struct runtime_container *container = waiter->data;
    kernel_defer(container->box.kernel, &container->tty_work);
}

/* ---- its files ---- */

static int mount_file(struct fs_view *view, const char *path, struct fs_tree *tree, const char *name)
{
    return fs_mount(view, path, tree, fs_node_at(fs_tree_root(tree), name), NULL, false);
}

static bool mount_error(struct error *err, const char *path, int error)
{
    return error_set(err, ERROR_INPUT, "", "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during "
        "container init: error mounting to rootfs at \"%s\": %s", path, applet_errno(error));
}

static bool mount_volume(struct fs_view *view, const struct runtime_mount *mount, struct error *err)
{
    struct fs_node *node = mount->volume->root;
    struct fs_view *inside = NULL;
    if (*mount->sub_path) { /* its links are followed within the volume */
        char cwd[] = "/", real[FS_PATH];
        inside = fs_view_new(mount->volume->tree);
        struct fs_who who = {.view = inside, .cwd = cwd};
        struct fs_stat stat;
        if (inside && fs_stat(&who, mount->sub_path, true, &stat) == -ENOENT)
            fs_put_folder(mount->volume->tree, mount->sub_path, (struct fs_put){.mode = 0777});
        node = inside && fs_real_path(&who, mount->sub_path, false, real) == 0 ? fs_node_at(mount->volume->root, real) : NULL;
    }
    int got = node ? fs_mount(view, mount->path, mount->volume->tree, node, NULL, mount->read_only) : -ENOENT;
    fs_view_free(inside);
    return got == 0 || mount_error(err, mount->path, got);
}

static bool by_depth(const struct runtime_mount *a, const struct runtime_mount *b)
{
    return strlen(a->path) < strlen(b->path);
}

/* Volumes in the order of their paths' lengths, so that one within another comes after it. */
static bool mount_volumes(struct fs_view *view, const struct runtime_container_config *config, struct error *err)
{
    size_t count = config->mount_count;
    const struct runtime_mount **order = mem_alloc((count + 1) * sizeof *order);
    if (!order)
        return error_memory(err);
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && by_depth(&config->mounts[i], order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = &config->mounts[i];
    }
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = mount_volume(view, order[i], err);
    mem_free(order);
    return ok;
}

/* ---- the terminal's and the sandbox's part of it, and /dev, /proc ---- */

static bool mount_system(struct runtime_container *container, struct error *err)
{
    struct fs_view *view = container->box.view;
    struct sim *sim = container->sandbox->sim;
    struct fs_tree *files = container->sandbox->sandbox.files;
    struct fs_synthetic proc = {proc_look, &container->box}, sys = {sys_look, &container->box};
    struct fs_tree *devices = fs_tree_new(sim->devices, 0, sim->options.clock), *termination = fs_tree_new(NULL, 0, sim->options.clock);
    int got = -ENOMEM;
    if (devices && termination && fs_put_file(termination, "log", "", 0, (struct fs_put){.mode = 0666, .time_ms = cluster_clock_ms(sim->options.clock)})) {
        got = fs_mount(view, "/proc", NULL, NULL, &proc, false);
        if (got == 0)
            got = fs_mount(view, "/dev", devices, fs_tree_root(devices), NULL, false);
        if (got == 0)
            got = fs_mount(view, "/sys", NULL, NULL, &sys, true);
        if (got == 0 && files)
            got = mount_file(view, "/etc/hosts", files, "hosts");
        if (got == 0 && files)
            got = mount_file(view, "/etc/hostname", files, "hostname");
        if (got == 0 && files)
            got = mount_file(view, "/etc/resolv.conf", files, "resolv.conf");
        if (got == 0 && container->termination_path)
            got = mount_file(view, container->termination_path, termination, "log");
    }
    fs_tree_free(devices);
    fs_tree_free(termination);
    return got == 0 || (got == -ENOMEM ? error_memory(err) : mount_error(err, "/dev", got));
}

static bool make_files(struct runtime_container *container, const struct image *image, const struct runtime_container_config *config, struct error *err)
{
    struct sim *sim = container->sandbox->sim;
    struct fs_tree *tree = fs_tree_new(image->tree, 0, sim->options.clock);
    container->box.view = tree ? fs_view_new(tree) : NULL;
    fs_tree_free(tree);
    if (!container->box.view)
        return error_memory(err);
    if (!mount_system(container, err) || !mount_volumes(container->box.view, config, err))
        return false;
    /* the working folder is made where it is missing */
    char cwd[] = "/";
    struct fs_who who = {.view = container->box.view, .cwd = cwd};
    struct fs_stat stat;
    char part[FS_PATH];
    size_t length = strlen(container->cwd);
    for (size_t end = 1; end <= length && length < FS_PATH; end++)
        if (container->cwd[end] == '/' || container->cwd[end] == '\0') {
            memcpy(part, container->cwd, end);
            part[end] = '\0';
            if (fs_stat(&who, part, true, &stat) == -ENOENT)
                fs_make_folder(&who, part, 0755);
        }
    if (config->read_only_root)
        fs_view_set_read_only(container->box.view);
    return true;
}

/* ---- who it runs as ---- */

/* A field of the line of /etc/passwd (or group) whose field `by` is `what`. */
static bool lookup(const struct fs_view *view, const char *file, int by, const char *what, int field, char *out, size_t room)
{
    char cwd[] = "/", *text;
    size_t length;
    struct fs_who who = {.view = NULL, .cwd = cwd};
    memcpy(&who.view, &view, sizeof view); /* reading changes nothing in it */
    if (fs_read_file(&who, file, 1 << 20, &text, &length) != 0)
        return false;
    bool found = false;
    for (const char *line = text; *line && !found; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *at = line;
        const char *fields[7] = {0};
        size_t lengths[7] = {0};
        for (int i = 0; i < 7; i++) {
            fields[i] = at;
            lengths[i] = strcspn(at, ":\n");
            at += lengths[i];
            at += *at == ':';
        }
        found = lengths[by] == strlen(what) && strncmp(fields[by], what, lengths[by]) == 0;
        if (found)
            snprintf(out, room, "%.*s", (int)lengths[field], fields[field]);
    }
    mem_free(text);
    return found;
}

static bool parse_id(const char *text, uint32_t *out)
{
    int64_t value;
    if (!applet_number(text, &value) || value < 0 || value > UINT32_MAX)
        return false;
    *out = (uint32_t)value;
    return true;
}

/* The image's USER: "nginx", "101", "101:101". */
static bool image_user(struct runtime_container *container, const char *user, struct error *err)
{
    char name[128], found[128];
    const char *colon = strchr(user, ':');
    snprintf(name, sizeof name, "%.*s", colon ? (int)(colon - user) : 127, user);
    const struct fs_view *view = container->box.view;
    if (!parse_id(name, &container->uid) && !(lookup(view, "/etc/passwd", 0, name, 2, found, sizeof found) && parse_id(found, &container->uid)))
        return error_set(err, ERROR_INPUT, "", "failed to create containerd container: unable to find user %s: no matching entries in passwd file", name);
    if (colon && !parse_id(colon + 1, &container->gid) && !(lookup(view, "/etc/group", 0, colon + 1, 2, found, sizeof found) && parse_id(found, &container->gid)))
        return error_set(err, ERROR_INPUT, "", "failed to create containerd container: unable to find group %s: no matching entries in group file", colon + 1);
    snprintf(name, sizeof name, "%u", container->uid);
    if (!colon && lookup(view, "/etc/passwd", 2, name, 3, found, sizeof found))
        parse_id(found, &container->gid);
    return true;
}

static bool set_user(struct runtime_container *container, const struct image *image, const struct runtime_container_config *config, struct error *err)
{
    char name[16], group[16];
    if (config->user < 0) {
        if (*image->user && !image_user(container, image->user, err))
            return false;
    } else {
        container->uid = (uint32_t)config->user;
        snprintf(name, sizeof name, "%u", container->uid);
        if (lookup(container->box.view, "/etc/passwd", 2, name, 3, group, sizeof group))
            parse_id(group, &container->gid);
    }
    if (config->group >= 0)
        container->gid = (uint32_t)config->group;
    return true;
}

/* ---- its environment and words ---- */

static bool put_env(struct vec *env, const char *assignment)
{
    size_t length = strcspn(assignment, "=");
    for (size_t i = 0; i < env->length; i++)
        if (strncmp(env->items[i], assignment, length + 1) == 0) {
            char *copy = mem_string(assignment);
            mem_free(env->items[i]);
            env->items[i] = copy;
            return copy != NULL;
        }
    return vec_push_string(env, assignment);
}

static bool has_env(const struct vec *env, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < env->length; i++)
        if (strncmp(env->items[i], name, length) == 0 && ((const char *)env->items[i])[length] == '=')
            return true;
    return false;
}

/* Takes the strings out as a NULL-terminated list. */
static char **take_strings(struct vec *list)
{
    if (!vec_push(list, NULL))
        return NULL;
    char **strings = task_copy_strings((char *const *)list->items);
    vec_free(list);
    return strings;
}

static bool make_env(struct runtime_container *container, const struct image *image, const struct runtime_container_config *config)
{
    struct vec env = vec_make(65536, mem_free);
    char home[256], line[512], uid[16];
    bool ok = true;
    for (size_t i = 0; ok && i < image->env.length; i++)
        ok = put_env(&env, image->env.items[i]);
    if (ok && !has_env(&env, "PATH"))
        ok = put_env(&env, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    snprintf(line, sizeof line, "HOSTNAME=%.255s", container->sandbox->sandbox.hostname);
    ok = ok && put_env(&env, line);
    if (config->tty)
        ok = ok && put_env(&env, "TERM=xterm");
    for (size_t i = 0; ok && config->env && i < config->env->length; i++)
        ok = put_env(&env, config->env->items[i]);
    snprintf(uid, sizeof uid, "%u", container->uid);
    if (ok && !has_env(&env, "HOME")) {
        bool known = lookup(container->box.view, "/etc/passwd", 2, uid, 5, home, sizeof home) && *home;
        snprintf(line, sizeof line, "HOME=%s", known ? home : "/");
        ok = put_env(&env, line);
    }
    container->env = ok ? take_strings(&env) : NULL;
    vec_free(&env);
    return container->env != NULL;
}

/* Kubernetes' table: command replaces the entry point and, without args, the image's command too. */
static bool make_argv(struct runtime_container *container, const struct image *image, const struct runtime_container_config *config)
{
    const struct vec *first = config->command && config->command->length > 0 ? config->command : &image->entrypoint;
    bool own = config->command && config->command->length > 0, args = config->args && config->args->length > 0;
    const struct vec *second = args ? config->args : own ? NULL : &image->command;
    struct vec words = vec_make(65536, mem_free);
    bool ok = true;
    for (size_t i = 0; ok && i < first->length; i++)
        ok = vec_push_string(&words, first->items[i]);
    for (size_t i = 0; ok && second && i < second->length; i++)
        ok = vec_push_string(&words, second->items[i]);
    container->argv = ok ? take_strings(&words) : NULL;
    vec_free(&words);
    return container->argv != NULL;
}

/* ---- starting ---- */

void container_exec_error(const char *word, int error, char *out, size_t room)
{
    if (error == -ENOENT && !strchr(word, '/'))
        snprintf(out, room, "exec: \"%.300s\": executable file not found in $PATH", word);
    else if (error == -ENOENT)
        snprintf(out, room, "exec: \"%.150s\": stat %.150s: no such file or directory", word, word);
    else if (error == -EACCES)
        snprintf(out, room, "exec: \"%.300s\": permission denied", word);
    else if (error == -ENOEXEC)
        snprintf(out, room, "exec %.300s: exec format error", word);
    else
        snprintf(out, room, "exec: \"%.300s\": %s", word, applet_errno(error));
}

static void end_now(struct runtime_container *container)
{
    kernel_defer(container->box.kernel, &container->end_work);
}

static void first_ended(struct task *task, void *data)
{
    struct runtime_container *container = data;
    container->code = task->killed_by ? 128 + task->killed_by : task->code & 0xFF;
    container->signal = 0; /* containerd tells a signal as a code above 128 */
    container->finished_ms = kernel_now(container->box.kernel);
    container->running = false;
    end_now(container);
}

static void make_streams(struct runtime_container *container, struct handle *fds[static TASK_FDS], bool stdin_open)
{
    if (container->tty) {
        for (int i = 0; i < 3; i++)
            fds[i] = tty_open(container->tty, O_RDWR);
        return;
    }
    if (stdin_open && !pipe_new(&fds[0], &container->input))
        container->input = NULL;
    if (!fds[0])
        fds[0] = null_new(O_RDONLY);
    fds[1] = container_output(container, RUNTIME_STDOUT);
    fds[2] = container_output(container, RUNTIME_STDERR);
}

static int start_first(struct runtime_container *container, char path[static FS_PATH])
{
    struct handle *fds[TASK_FDS] = {0};
    struct fs_who who = {.view = container->box.view, .uid = container->uid, .gid = container->gid, .cwd = container->cwd};
    struct task asker = {.who = who, .env = container->env};
    int error = container->argv[0] ? task_find(&asker, container->argv[0], container->env, path) : -ENOENT;
    if (error != 0)
        return error;
    make_streams(container, fds, container->stdin_open);
    struct spawn spawn = {.path = path, .argv = container->argv, .env = container->env, .fds = fds};
    struct task *task = fds[0] && fds[1] && fds[2] ? task_first(&container->box, &spawn, &who, container->tty, first_ended, container, &error) : NULL;
    if (!fds[0] || !fds[1] || !fds[2])
        error = -ENOMEM;
    for (int i = 0; i < 3; i++)
        handle_free(fds[i]);
    container->box.init = task;
    if (task && container->tty)
        tty_set_group(container->tty, task->group);
    return task ? 0 : error;
}

static void start(void *data)
{
    struct runtime_container *container = data;
    char path[FS_PATH], words[512];
    struct error err = container->start_error;
    if (err.kind == ERROR_NONE) {
        int error = start_first(container, path);
        if (error != 0) {
            const char *word = container->argv[0] ? container->argv[0] : "";
            container_exec_error(word, error, words, sizeof words);
            error_set(&err, ERROR_INPUT, "",
                "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: %.300s", words);
        }
    }
    container->started_ms = kernel_now(container->box.kernel);
    container->running = err.kind == ERROR_NONE;
    if (container->running) {
        container->started(container->data, NULL);
        return;
    }
    container->ended_told = true;
    container->started(container->data, &err);
}

static void start_time(void *data)
{
    struct runtime_container *container = data;
    kernel_defer(container->box.kernel, &container->start_work);
}

/* ---- the end ---- */

static void tell_end(void *data)
{
    struct runtime_container *container = data;
    if (container->ended_told)
        return;
    container->ended_told = true;
    char *message = NULL, cwd[] = "/";
    size_t length = 0;
    struct fs_who who = {.view = container->box.view, .cwd = cwd};
    if (container->termination_path && fs_read_file(&who, container->termination_path, 1 << 20, &message, &length) == 0 && length > TERMINATION_MESSAGE)
        message[TERMINATION_MESSAGE] = '\0';
    if (container->tty)
        container_pump_tty(container);
    container_log_end(&container->log, container->box.kernel);
    process_container_ended(container);
    struct runtime_end end = {.code = container->code, .signal = container->signal, .out_of_memory = container->box.out_of_memory, .started_ms = container->started_ms,
        .finished_ms = container->finished_ms, .message = message ? message : ""};
    container->ended(container->data, &end); /* may free the container */
    mem_free(message);
}

/* ---- from outside ---- */

static bool fill(struct runtime_container *container, const struct image *image, const struct runtime_container_config *config, struct error *err)
{
    const char *folder = *config->working_directory ? config->working_directory : *image->working_directory ? image->working_directory : "/";
    container->cwd = mem_string(folder);
    container->termination_path = config->termination_path && *config->termination_path ? mem_string(config->termination_path) : NULL;
    container->box.name = mem_string(config->name);
    if (!container->cwd || !container->box.name || !make_argv(container, image, config))
        return error_memory(err);
    if (config->tty) {
        if (!(container->tty = tty_new(container->box.kernel)))
            return error_memory(err);
        container->tty_waiter = (struct waiter){.fn = tty_has_output, .data = container};
        wait_add(tty_output_queue(container->tty), &container->tty_waiter);
    }
    /* what cannot be mounted or who is nobody is told when it is started, as the real one does */
    if (!make_files(container, image, config, &container->start_error) || !set_user(container, image, config, &container->start_error)) {
        if (container->start_error.kind == ERROR_MEMORY) {
            if (err)
                *err = container->start_error;
            return false;
        }
        return true;
    }
    return make_env(container, image, config) || error_memory(err);
}

struct runtime_container *container_new(struct runtime_sandbox *sandbox, const struct runtime_container_config *config, runtime_started *started, runtime_ended *ended, void *data, struct error *err)
{
    struct sim *sim = sandbox->sim;
    const struct image *image = images_find(sim->images, config->image->reference, NULL, 0, err);
    struct runtime_container *container = image ? mem_zero(1, sizeof *container) : NULL;
    if (!container) {
        if (image)
            error_memory(err);
        return NULL;
    }
    *container = (struct runtime_container){.sandbox = sandbox, .next = sandbox->containers, .started = started, .ended = ended, .data = data, .stdin_once = config->stdin_once,
        .start_ms = image->start_ms, .start_error = ERROR_INIT};
    container->box = (struct box){.kernel = sim->kernel, .sandbox = &sandbox->sandbox, .next = sandbox->sandbox.boxes, .memory_limit = config->memory_limit, .cpu_limit = config->cpu_limit,
        .own_pids = {.next = 1, .own_init = true}};
    container->box.pids = sandbox->sandbox.shared ? sandbox->sandbox.shared : &container->box.own_pids;
    container->start_work = (struct kernel_work){.fn = start, .data = container};
    container->end_work = (struct kernel_work){.fn = tell_end, .data = container};
    container->tty_work = (struct kernel_work){.fn = pump_tty, .data = container};
    container_log_init(&container->log);
    sandbox->containers = container;
    sandbox->sandbox.boxes = &container->box;
    sim_new_id(sim, container->id);
    container->stdin_open = config->stdin_open;
    container->stop_signal = image->stop_signal ? image->stop_signal : SIGTERM;
    container->start_timer = cluster_timer_new(sim->options.clock, start_time, container);
    if (!container->start_timer || !fill(container, image, config, err)) {
        if (!container->start_timer)
            error_memory(err);
        container_free(container);
        return NULL;
    }
    if (sim->speed > 0 && container->start_ms > 0)
        cluster_timer_set_after(container->start_timer, (int64_t)((double)container->start_ms / sim->speed));
    else
        kernel_defer(sim->kernel, &container->start_work);
    return container;
}

void container_signal(struct runtime_container *container, int signal)
{
    if (signal == SIGKILL)
        box_kill_all(&container->box);
    else if (container->box.init)
        task_signal(container->box.init, signal, true);
}

void container_free(struct runtime_container *container)
{
    if (!container)
        return;
    struct runtime_sandbox *sandbox = container->sandbox;
    container->ended_told = true;
    kernel_forget(&container->start_work);
    kernel_end_box(&container->box);
    kernel_forget(&container->end_work);
    process_container_freed(container);
    kernel_forget(&container->tty_work);
    wait_remove(&container->tty_waiter);
    cluster_timer_free(container->start_timer);
    for (struct runtime_container **at = &sandbox->containers; *at; at = &(*at)->next)
        if (*at == container) {
            *at = container->next;
            break;
        }
    for (struct box **at = &sandbox->sandbox.boxes; *at; at = &(*at)->next)
        if (*at == &container->box) {
            *at = container->box.next;
            break;
        }
    handle_free(container->input);
    tty_free(container->tty);
    container_log_free(&container->log);
    fs_view_free(container->box.view);
    task_free_strings(container->argv);
    task_free_strings(container->env);
    mem_free(container->box.name);
    mem_free(container->cwd);
    mem_free(container->termination_path);
    mem_free(container);
}
