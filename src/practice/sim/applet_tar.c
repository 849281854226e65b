/* applet_tar: tar -c, -x and -t, from and to descriptors: what kubectl cp runs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/applet_files.h"
#include "practice/sim/archive.h"
#include "practice/sim/programs.h"

struct tar {
    struct task *task;
    char mode; /* c, x, t */
    bool verbose, keep_time, keep_old, to_stdout;
    const char *file, *folder;
    int fd, status;
    struct vec excludes;
    struct archive_entry *entry;
};

static bool read_exactly(void *data, void *bytes, size_t length)
{
    struct tar *tar = data;
    for (size_t done = 0; done < length;) {
        ssize_t got = task_read(tar->task, tar->fd, (char *)bytes + done, length - done);
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* ---- making ---- */

static bool put(struct tar *tar, const struct buf *bytes)
{
    return task_write(tar->task, tar->fd, bytes->bytes ? bytes->bytes : "", bytes->length) >= 0;
}

static bool put_content(struct tar *tar, const char *path, int64_t size)
{
    char bytes[4096];
    struct task *task = tar->task;
    int fd = task_open(task, path, O_RDONLY, 0);
    int64_t done = 0;
    if (fd < 0)
        applet_say_errno(task, path, fd);
    while (done < size) {
        size_t wanted = size - done < (int64_t)sizeof bytes ? (size_t)(size - done) : sizeof bytes;
        ssize_t got = fd >= 0 ? task_read(task, fd, bytes, wanted) : 0;
        if (got <= 0) { /* became shorter: the archive says how long it was */
            memset(bytes, 0, wanted);
            got = (ssize_t)wanted;
        }
        if (task_write(task, tar->fd, bytes, (size_t)got) < 0)
            break;
        done += got;
    }
    if (fd >= 0)
        task_close(task, fd);
    memset(bytes, 0, ARCHIVE_BLOCK);
    return done == size && (archive_padding(size) == 0 || task_write(task, tar->fd, bytes, archive_padding(size)) >= 0);
}

static bool excluded(const struct tar *tar, const char *path)
{
    for (size_t i = 0; i < tar->excludes.length; i++)
        if (strstr(path, tar->excludes.items[i]))
            return true;
    return false;
}

static void add_path(struct tar *tar, const char *path)
{
    struct task *task = tar->task;
    struct fs_stat stat;
    struct archive_entry *entry = tar->entry;
    int got = fs_stat(&task->who, path, false, &stat);
    if (excluded(tar, path))
        return;
    if (got != 0) {
        tar->status = applet_say_errno(task, path, got);
        return;
    }
    if (!S_ISREG(stat.mode) && !S_ISDIR(stat.mode) && !S_ISLNK(stat.mode))
        return;
    const char *name = path + strspn(path, "/"); /* names in an archive are relative */
    memset(entry, 0, sizeof *entry);
    snprintf(entry->path, sizeof entry->path, "%s%s", *name ? name : ".", S_ISDIR(stat.mode) ? "/" : "");
    entry->type = S_ISDIR(stat.mode) ? '5' : S_ISLNK(stat.mode) ? '2' : '0';
    entry->mode = stat.mode & 07777;
    entry->uid = stat.uid;
    entry->gid = stat.gid;
    entry->time_s = stat.time_ms / 1000;
    entry->size = S_ISREG(stat.mode) ? stat.size : 0;
    if (S_ISLNK(stat.mode)) {
        ssize_t length = fs_read_link(&task->who, path, entry->link, sizeof entry->link - 1);
        entry->link[length > 0 ? length : 0] = '\0';
    }
    struct buf header = buf_make(4 * FS_PATH);
    archive_header(entry, &header);
    if (tar->verbose)
        applet_print(task, "%s\n", entry->path);
    bool ok = put(tar, &header) && (!S_ISREG(stat.mode) || put_content(tar, path, stat.size));
    buf_free(&header);
    struct vec names;
    if (!ok || !S_ISDIR(stat.mode) || files_deep(task) || fs_list(&task->who, path, &names) != 0) {
        tar->status = ok ? tar->status : 1;
        return;
    }
    char *below = mem_alloc(FS_PATH);
    for (size_t i = 0; below && i < names.length && task_step(task, 5); i++)
        if (files_join(below, path, names.items[i]) == 0)
            add_path(tar, below);
    mem_free(below);
    vec_free(&names);
}

static void create(struct tar *tar, int argc, char **argv, int first)
{
    static const char zeros[2 * ARCHIVE_BLOCK];
    for (int i = first; i < argc && !task_dying(tar->task); i++) {
        size_t length = strlen(argv[i]);
        while (length > 1 && argv[i][length - 1] == '/')
            argv[i][--length] = '\0';
        if (argv[i][0] == '/' && !tar->file)
            applet_say(tar->task, "removing leading '/' from member names");
        add_path(tar, argv[i]);
    }
    if (task_write(tar->task, tar->fd, zeros, sizeof zeros) < 0)
        tar->status = 1;
    if (tar->status != 0 && !task_dying(tar->task))
        applet_say(tar->task, "error exit delayed from previous errors");
}

/* ---- unpacking ---- */

static void make_parents(struct task *task, const char *path)
{
    char part[FS_PATH];
    for (size_t end = 1; path[end] && end < sizeof part; end++)
        if (path[end] == '/') {
            memcpy(part, path, end);
            part[end] = '\0';
            fs_make_folder(&task->who, part, 0755);
        }
}

static bool get_content(struct tar *tar, int fd, int64_t size)
{
    char bytes[4096];
    bool ok = true;
    int64_t left = size;
    for (; left > 0; left -= left < (int64_t)sizeof bytes ? left : (int64_t)sizeof bytes) {
        size_t piece = left < (int64_t)sizeof bytes ? (size_t)left : sizeof bytes;
        if (!read_exactly(tar, bytes, piece))
            return false;
        if (ok && fd >= 0) {
            ssize_t got = task_write(tar->task, fd, bytes, piece);
            ok = got >= 0;
            if (!ok)
                tar->status = applet_say(tar->task, "write error: %s", applet_errno((int)got));
        }
    }
    return archive_padding(size) == 0 || read_exactly(tar, bytes, archive_padding(size));
}

static bool is_wanted(const char *path, int argc, char **argv, int first)
{
    if (first >= argc)
        return true;
    for (int i = first; i < argc; i++) {
        size_t length = strlen(argv[i]);
        if (strncmp(path, argv[i], length) == 0 && (path[length] == '\0' || path[length] == '/'))
            return true;
    }
    return false;
}

/* Out of the folder it must not lead. */
static const char *safe_path(const char *path)
{
    path += strspn(path, "/");
    for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0'))
            return NULL;
    return *path ? path : ".";
}

static bool unpack_entry(struct tar *tar, const char *path)
{
    struct task *task = tar->task;
    struct archive_entry *entry = tar->entry;
    int got = 0;
    char plain[FS_PATH];
    snprintf(plain, sizeof plain, "%s", path);
    size_t length = strlen(plain);
    while (length > 1 && plain[length - 1] == '/')
        plain[--length] = '\0';
    make_parents(task, plain);
    if (entry->type == '5') {
        got = fs_make_folder(&task->who, plain, entry->mode);
        got = got == -EEXIST ? 0 : got;
    } else if (entry->type == '2') {
        fs_unlink(&task->who, plain);
        got = fs_symlink(&task->who, entry->link, plain);
    } else if (entry->type == '1') {
        fs_unlink(&task->who, plain);
        got = fs_link(&task->who, entry->link, plain);
    } else if (entry->type == '0') {
        int fd = tar->to_stdout ? 1 : task_open(task, plain, O_WRONLY | O_CREAT | O_TRUNC, entry->mode);
        if (fd < 0)
            tar->status = applet_say(task, "can't open '%s': %s", plain, applet_errno(fd));
        bool ok = get_content(tar, fd, entry->size);
        if (fd >= 0 && !tar->to_stdout)
            task_close(task, fd);
        if (!ok)
            return false;
        if (fd >= 0 && !tar->to_stdout) {
            fs_chmod(&task->who, plain, entry->mode);
            if (!tar->keep_time)
                fs_set_time(&task->who, plain, entry->time_s * 1000);
        }
        return true;
    } else {
        return archive_skip(&(struct archive_source){read_exactly, tar}, entry->size);
    }
    if (got != 0)
        tar->status = applet_say(task, "can't create '%s': %s", plain, applet_errno(got));
    return true;
}

static void unpack(struct tar *tar, int argc, char **argv, int first)
{
    struct archive_source source = {read_exactly, tar};
    int got;
    while ((got = archive_next(&source, tar->entry)) == 1) {
        struct archive_entry *entry = tar->entry;
        const char *path = safe_path(entry->path);
        bool wanted = path && is_wanted(entry->path, argc, argv, first) && !excluded(tar, entry->path);
        if (!path)
            tar->status = applet_say(tar->task, "name with '..' in path: '%s'", entry->path);
        if (wanted && (tar->verbose || tar->mode == 't'))
            applet_print(tar->task, "%s\n", entry->path);
        bool ok = wanted && tar->mode == 'x' ? unpack_entry(tar, path) : archive_skip(&source, entry->size);
        if (!ok) {
            got = -1;
            break;
        }
    }
    if (got < 0 && !task_dying(tar->task))
        tar->status = applet_say(tar->task, "short read");
    char rest[4096]; /* what fills the last record is read, so that who writes it is not cut off */
    while (got == 0 && task_read(tar->task, tar->fd, rest, sizeof rest) > 0)
        continue;
}

static bool read_options(struct tar *tar, int argc, char **argv, int *first)
{
    static const struct applet_long longs[] = {{"create", false, 'c'}, {"extract", false, 'x'}, {"list", false, 't'}, {"file", true, 'f'}, {"directory", true, 'C'}, {"verbose", false, 'v'},
        {"exclude", true, 'E'}, {"no-same-owner", false, 'o'}, {"no-same-permissions", false, 'o'}, {"overwrite", false, 'o'}, {"numeric-owner", false, 'o'}, {NULL, false, 0}};
    struct applet_options options = {.longs = longs};
    if (argc > 1 && argv[1][0] != '-' && argv[1][0]) { /* tar xf ... */
        char *dashed = mem_printf("-%s", argv[1]);
        if (!dashed)
            return false;
        mem_free(argv[1]);
        argv[1] = dashed;
    }
    for (int letter; (letter = applet_option(tar->task, argc, argv, "cxtf:C:vzjJaOopmkhE:", &options)) != -1;) {
        switch (letter) {
        case '?': return false;
        case 'c':
        case 'x':
        case 't': tar->mode = (char)letter; break;
        case 'f': tar->file = strcmp(options.value, "-") == 0 ? NULL : options.value; break;
        case 'C': tar->folder = options.value; break;
        case 'v': tar->verbose = true; break;
        case 'm': tar->keep_time = true; break;
        case 'O': tar->to_stdout = true; break;
        case 'E':
            if (!vec_push_string(&tar->excludes, options.value))
                return false;
            break;
        case 'z':
        case 'j':
        case 'J': applet_say(tar->task, "compressed archives are not simulated in the practice cluster"); return false;
        default: break;
        }
    }
    *first = options.index;
    if (!tar->mode)
        applet_usage(tar->task, "c|x|t [-hvokO] [-f TARFILE] [-C DIR] [FILE]...");
    return tar->mode != 0;
}

static int run(struct tar *tar, int argc, char **argv, int first)
{
    struct task *task = tar->task;
    tar->fd = tar->mode == 'c' ? 1 : 0;
    if (tar->file) {
        tar->fd = task_open(task, tar->file, tar->mode == 'c' ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY, 0666);
        if (tar->fd < 0)
            return applet_say(task, "can't open '%s': %s", tar->file, applet_errno(tar->fd));
    }
    if (tar->folder) {
        char real[FS_PATH];
        struct fs_stat stat;
        int got = fs_stat(&task->who, tar->folder, true, &stat);
        got = got == 0 && !S_ISDIR(stat.mode) ? -ENOTDIR : got;
        char *cwd = got == 0 && (got = fs_real_path(&task->who, tar->folder, false, real)) == 0 ? mem_string(real) : NULL;
        if (!cwd)
            return applet_say(task, "can't change directory to '%s': %s", tar->folder, applet_errno(got ? got : -ENOMEM));
        mem_free(task->who.cwd);
        task->who.cwd = cwd;
    }
    if (tar->mode == 'c')
        create(tar, argc, argv, first);
    else
        unpack(tar, argc, argv, first);
    return tar->status;
}

static int tar_main(struct task *task, int argc, char **argv)
{
    struct tar tar = {.task = task, .excludes = vec_make(64, mem_free), .entry = mem_alloc(sizeof *tar.entry)};
    int first, status = 1;
    if (tar.entry && read_options(&tar, argc, argv, &first))
        status = run(&tar, argc, argv, first);
    vec_free(&tar.excludes);
    mem_free(tar.entry);
    return status;
}

static const struct program programs[] = {{.name = "tar", .main = tar_main}};
const struct program_table programs_tar = {programs, sizeof programs / sizeof *programs};
