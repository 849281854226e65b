/* proc: what /proc and /sys show, made when it is looked at. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/fs_internal.h"
#include "practice/sim/sim_internal.h"

static struct fs_node *text_node(struct buf *text)
{
    struct fs_node *node = buf_ok(text) ? fs_node_new(NULL, S_IFREG | 0444, 0, 0) : NULL;
    if (node && file_put(node, 0, text->bytes ? text->bytes : "", text->length) != 0) {
        fs_node_free(node);
        node = NULL;
    }
    if (node)
        node->links = 1;
    buf_free(text);
    return node;
}

/* A name in a folder that is only listed: looking it up makes the real one. */
static bool add_name(struct fs_node *folder, const char *name, unsigned type)
{
    struct fs_node *node = fs_node_new(NULL, type | 0555, 0, 0);
    return node && folder_set(folder, name, node) == 0;
}

static struct fs_node *folder_node(void)
{
    return fs_node_new(NULL, S_IFDIR | 0555, 0, 0);
}

/* ---- files of a process ---- */

static void cmdline(struct buf *out, const struct task *task)
{
    for (char **word = task->argv; task->state != TASK_ZOMBIE && *word; word++)
        buf_append(out, *word, strlen(*word) + 1);
}

static void environment(struct buf *out, const struct task *task)
{
    for (char **word = task->env; *word; word++)
        buf_append(out, *word, strlen(*word) + 1);
}

static const char *short_name(const struct task *task)
{
    const char *name = task->argv[0] ? strrchr(task->argv[0], '/') : NULL;
    return name ? name + 1 : task->argv[0] ? task->argv[0] : task->program->name;
}

static void comm(struct buf *out, const struct task *task)
{
    buf_printf(out, "%.15s\n", short_name(task));
}

static char state_letter(const struct task *task)
{
    return task->state == TASK_ZOMBIE ? 'Z' : task->kernel && task->state == TASK_RUNNABLE ? 'R' : 'S';
}

static void status(struct buf *out, const struct task *task)
{
    char letter = state_letter(task);
    buf_printf(out, "Name:\t%.15s\nUmask:\t%04o\nState:\t%c (%s)\nTgid:\t%d\nNgid:\t0\nPid:\t%d\nPPid:\t%d\nTracerPid:\t0\n", short_name(task), task->umask, letter,
        letter == 'R' ? "running" : letter == 'Z' ? "zombie" : "sleeping", task->pid, task->pid, task->parent ? task->parent->pid : 0);
    buf_printf(out, "Uid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\nFDSize:\t64\nVmRSS:\t%8lld kB\nThreads:\t1\n", task->who.uid, task->who.uid, task->who.uid, task->who.uid, task->who.gid,
        task->who.gid, task->who.gid, task->who.gid, (long long)task->memory >> 10);
}

static void process_stat(struct buf *out, const struct task *task)
{
    buf_printf(out, "%d (%.15s) %c %d %d %d 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 0 %lld %lld\n", task->pid, short_name(task), state_letter(task), task->parent ? task->parent->pid : 0, task->group,
        task->group, (long long)task->memory, (long long)task->memory >> 12);
}

static void mounts(struct buf *out, const struct task *task)
{
    struct fs_mounted mounted;
    for (size_t i = 0; fs_mounted(task->who.view, i, &mounted); i++) {
        bool proc = strncmp(mounted.path, "/proc", 5) == 0;
        const char *type = i == 0 ? "overlay" : mounted.synthetic ? proc ? "proc" : "sysfs" : strncmp(mounted.path, "/dev", 4) == 0 || strstr(mounted.path, "/run/secrets/") ? "tmpfs" : "ext4";
        buf_printf(out, "%s %s %s %s,relatime 0 0\n", strcmp(type, "ext4") == 0 ? "/dev/vda" : type, mounted.path, type, mounted.read_only ? "ro" : "rw");
    }
}

static void cgroup(struct buf *out, const struct task *task)
{
    (void)task;
    buf_append_string(out, "0::/\n");
}

static const struct {
    const char *name;
    void (*write)(struct buf *out, const struct task *task);
} process_files[] = {{"cmdline", cmdline}, {"environ", environment}, {"comm", comm}, {"status", status}, {"stat", process_stat}, {"mounts", mounts}, {"cgroup", cgroup}};

static struct fs_node *link_node(const char *target, struct handle *handle)
{
    struct fs_node *node = fs_node_new(NULL, S_IFLNK | 0777, 0, 0);
    if (node && !(node->as.link.target = mem_string(target))) {
        fs_node_free(node);
        return NULL;
    }
    if (node) {
        node->links = 1;
        node->as.link.handle = handle_ref(handle);
    }
    return node;
}

/* asker: another container's handles (shareProcessNamespace) are not given away: they end with it. */
static struct fs_node *descriptors(const struct task *task, const struct task *asker, const char *rest)
{
    if (asker && asker->box != task->box)
        return NULL;
    if (*rest) {
        char *end;
        long fd = strtol(rest, &end, 10);
        struct handle *handle = *end ? NULL : task_handle(task, (int)fd);
        return handle ? link_node(handle->name, handle) : NULL;
    }
    struct fs_node *folder = folder_node();
    for (int fd = 0; folder && fd < TASK_FDS; fd++) {
        char name[12];
        snprintf(name, sizeof name, "%d", fd);
        if (task->fds[fd] && !add_name(folder, name, S_IFLNK))
            break;
    }
    return folder;
}

static struct fs_node *process_look(const struct task *task, const struct task *asker, const char *rest)
{
    struct buf text = buf_make(256 << 10);
    if (strcmp(rest, "fd") == 0 || strncmp(rest, "fd/", 3) == 0)
        return descriptors(task, asker, rest + (rest[2] ? 3 : 2));
    if (strcmp(rest, "cwd") == 0)
        return link_node(task->who.cwd, NULL);
    if (strcmp(rest, "root") == 0)
        return link_node("/", NULL);
    if (strcmp(rest, "exe") == 0)
        return link_node(task->argv[0] ? task->argv[0] : "/", NULL);
    if (*rest) {
        for (size_t i = 0; i < sizeof process_files / sizeof *process_files; i++)
            if (strcmp(process_files[i].name, rest) == 0) {
                process_files[i].write(&text, task);
                return text_node(&text);
            }
        return NULL;
    }
    struct fs_node *folder = folder_node();
    bool ok = folder && add_name(folder, "fd", S_IFDIR) && add_name(folder, "cwd", S_IFLNK) && add_name(folder, "root", S_IFLNK) && add_name(folder, "exe", S_IFLNK);
    for (size_t i = 0; ok && i < sizeof process_files / sizeof *process_files; i++)
        ok = add_name(folder, process_files[i].name, S_IFREG);
    return folder;
}

/* ---- files of the machine ---- */

static void meminfo(struct buf *out, const struct box *box)
{
    long long total = 8LL << 20, used = (long long)(box->memory >> 10);
    buf_printf(out, "MemTotal:       %8lld kB\nMemFree:        %8lld kB\nMemAvailable:   %8lld kB\nBuffers:        %8d kB\nCached:         %8d kB\nSwapTotal:      %8d kB\nSwapFree:       %8d kB\n", total,
        total - used - 524288, total - used, 0, 0, 0, 0);
}

static void cpuinfo(struct buf *out, const struct box *box)
{
    (void)box;
    for (int i = 0; i < 4; i++)
        buf_printf(out, "processor\t: %d\nmodel name\t: kubetutor practice processor\n\n", i);
}

static void version(struct buf *out, const struct box *box)
{
    (void)box;
    buf_append_string(out, "Linux version 6.1.0-kubetutor (practice cluster) #1 SMP\n");
}

static void uptime(struct buf *out, const struct box *box)
{
    long long seconds = (long long)kernel_now(box->kernel) / 1000 % 1000000;
    buf_printf(out, "%lld.00 %lld.00\n", seconds, seconds * 4);
}

static void loadavg(struct buf *out, const struct box *box)
{
    buf_printf(out, "0.00 0.00 0.00 1/%u %d\n", box->tasks, box->pids->next - 1);
}

static const struct {
    const char *name;
    void (*write)(struct buf *out, const struct box *box);
} machine_files[] = {{"meminfo", meminfo}, {"cpuinfo", cpuinfo}, {"version", version}, {"uptime", uptime}, {"loadavg", loadavg}};

struct fs_node *proc_look(void *data, const struct task *task, const char *path)
{
    const struct box *box = data;
    char *end;
    if (!*path) {
        struct fs_node *folder = folder_node();
        bool ok = folder && add_name(folder, "self", S_IFLNK) && add_name(folder, "mounts", S_IFLNK);
        for (size_t i = 0; ok && i < sizeof machine_files / sizeof *machine_files; i++)
            ok = add_name(folder, machine_files[i].name, S_IFREG);
        for (const struct task *each = box->pids->first; ok && each; each = each->next) {
            char name[16];
            snprintf(name, sizeof name, "%d", each->pid);
            ok = add_name(folder, name, S_IFDIR);
        }
        return folder;
    }
    if (strcmp(path, "self") == 0 && task) {
        char target[16];
        snprintf(target, sizeof target, "%d", task->pid);
        return link_node(target, NULL);
    }
    if (strcmp(path, "mounts") == 0)
        return link_node("self/mounts", NULL);
    for (size_t i = 0; i < sizeof machine_files / sizeof *machine_files; i++)
        if (strcmp(machine_files[i].name, path) == 0) {
            struct buf text = buf_make(64 << 10);
            machine_files[i].write(&text, box);
            return text_node(&text);
        }
    long pid = strtol(path, &end, 10);
    if (end == path || (*end && *end != '/'))
        return NULL;
    for (const struct task *each = box->pids->first; each; each = each->next)
        if (each->pid == pid)
            return process_look(each, task, *end ? end + 1 : end);
    return NULL;
}

/* ---- /sys ---- */

struct fs_node *sys_look(void *data, const struct task *task, const char *path)
{
    const struct box *box = data;
    static const char *const folders[][5] = {{"", "fs", NULL}, {"fs", "cgroup", NULL}, {"fs/cgroup", "memory.max", "memory.current", "cpu.max", NULL}};
    (void)task;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (strcmp(folders[i][0], path) != 0)
            continue;
        struct fs_node *folder = folder_node();
        for (const char *const *name = folders[i] + 1; folder && *name; name++)
            if (!add_name(folder, *name, strchr(*name, '.') ? S_IFREG : S_IFDIR))
                break;
        return folder;
    }
    struct buf text = buf_make(256);
    if (strcmp(path, "fs/cgroup/memory.max") == 0 && box->memory_limit > 0)
        buf_printf(&text, "%lld\n", (long long)box->memory_limit);
    else if (strcmp(path, "fs/cgroup/memory.max") == 0)
        buf_append_string(&text, "max\n");
    else if (strcmp(path, "fs/cgroup/memory.current") == 0)
        buf_printf(&text, "%lld\n", (long long)box->memory);
    else if (strcmp(path, "fs/cgroup/cpu.max") == 0 && box->cpu_limit > 0)
        buf_printf(&text, "%lld 100000\n", (long long)box->cpu_limit * 100);
    else if (strcmp(path, "fs/cgroup/cpu.max") == 0)
        buf_append_string(&text, "max 100000\n");
    else
        return NULL;
    return text_node(&text);
}
