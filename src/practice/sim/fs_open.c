/* fs_open: open files. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/mem.h"
#include "practice/sim/fs_internal.h"
#include "practice/sim/kernel.h"
#include "practice/sim/tty.h"

/* ---- regular files ---- */

static ssize_t file_read_at(struct handle *handle, void *bytes, size_t length)
{
    size_t got = file_get(handle->node, handle->offset, bytes, length);
    handle->offset += (int64_t)got;
    return (ssize_t)got;
}

static ssize_t file_write_at(struct handle *handle, const void *bytes, size_t length)
{
    if (handle->flags & O_APPEND)
        handle->offset = handle->node->as.file.size;
    int got = file_put(handle->node, handle->offset, bytes, length);
    if (got != 0)
        return got;
    handle->offset += (int64_t)length;
    return (ssize_t)length;
}

static int64_t file_seek(struct handle *handle, int64_t offset, int whence)
{
    int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? handle->offset : handle->node->as.file.size;
    if (from + offset < 0)
        return -EINVAL;
    return handle->offset = from + offset;
}

static const struct handle_ops file_ops = {.read = file_read_at, .write = file_write_at, .seek = file_seek};

/* ---- folders and devices ---- */

static ssize_t folder_read(struct handle *handle, void *bytes, size_t length)
{
    (void)handle, (void)bytes, (void)length;
    return -EISDIR;
}
static const struct handle_ops folder_ops = {.read = folder_read};

static ssize_t zero_read(struct handle *handle, void *bytes, size_t length)
{
    (void)handle;
    memset(bytes, 0, length);
    return (ssize_t)length;
}

static ssize_t random_read(struct handle *handle, void *bytes, size_t length)
{
    (void)handle;
    ssize_t got = getrandom(bytes, length < 256 ? length : 256, 0);
    return got < 0 ? -EIO : got;
}

static ssize_t nothing_read(struct handle *handle, void *bytes, size_t length)
{
    (void)handle, (void)bytes, (void)length;
    return 0;
}

static ssize_t sink_write(struct handle *handle, const void *bytes, size_t length)
{
    (void)handle, (void)bytes;
    return (ssize_t)length;
}

static ssize_t full_write(struct handle *handle, const void *bytes, size_t length)
{
    (void)handle, (void)bytes, (void)length;
    return -ENOSPC;
}

static int64_t device_seek(struct handle *handle, int64_t offset, int whence)
{
    (void)handle, (void)offset, (void)whence;
    return 0;
}

static const struct handle_ops device_ops[] = {
    [FS_NULL] = {.read = nothing_read, .write = sink_write, .seek = device_seek},
    [FS_ZERO] = {.read = zero_read, .write = sink_write, .seek = device_seek},
    [FS_FULL] = {.read = zero_read, .write = full_write, .seek = device_seek},
    [FS_RANDOM] = {.read = random_read, .write = sink_write, .seek = device_seek},
};

/* ---- opening ---- */

static int open_node(const struct fs_who *who, struct fs_node *node, const char *path, int flags, struct handle **out)
{
    const struct handle_ops *ops = S_ISDIR(node->mode) ? &folder_ops : &file_ops;
    if (S_ISCHR(node->mode)) {
        if (node->device == FS_TTY) {
            *out = who->task && who->task->tty ? tty_open(who->task->tty, flags) : NULL;
            return *out ? 0 : -ENXIO;
        }
        ops = &device_ops[node->device];
    }
    *out = handle_new(ops, NULL, flags & (O_ACCMODE | O_APPEND | O_NONBLOCK), path);
    if (!*out)
        return -ENOMEM;
    (*out)->node = fs_node_ref(node);
    return 0;
}

/* What /proc/PID/fd/N leads to: a file is opened anew, all else is shared. */
static int open_again(const struct fs_who *who, struct handle *handle, int flags, struct handle **out)
{
    if (handle->node)
        return open_node(who, handle->node, handle->name, flags, out);
    *out = handle_ref(handle);
    return 0;
}

static int create(const struct fs_who *who, struct fs_walk *walk, unsigned mode)
{
    size_t above = walk->depth - 1;
    if (!node_allows(who, walk->nodes[above], W_OK | X_OK))
        return -EACCES;
    int got = walk_own(walk, above);
    if (got != 0)
        return got;
    struct fs_node *node = fs_node_new(walk->mounts[above]->tree, S_IFREG | (mode & 07777), who->uid, who->gid);
    if (!node)
        return -ENOSPC;
    got = folder_set(walk->nodes[above], walk_name(walk, walk->depth), node);
    if (got == 0)
        walk->nodes[walk->depth] = fs_node_ref(node);
    return got;
}

static int open_walked(const struct fs_who *who, struct fs_walk *walk, int flags, unsigned mode, struct handle **out)
{
    bool writes = (flags & O_ACCMODE) != O_RDONLY;
    if (walk->handle)
        return open_again(who, walk->handle, flags, out);
    if (!walk_node(walk)) {
        int got = walk->slash ? -EISDIR : create(who, walk, mode);
        return got == 0 ? open_node(who, walk_node(walk), walk->path, flags, out) : got;
    }
    if ((flags & O_CREAT) && (flags & O_EXCL))
        return -EEXIST;
    const struct fs_node *node = walk_node(walk);
    if (S_ISDIR(node->mode) && (writes || (flags & O_CREAT)))
        return -EISDIR;
    if (!S_ISDIR(node->mode) && (flags & O_DIRECTORY))
        return -ENOTDIR;
    unsigned wanted = (flags & O_ACCMODE) == O_WRONLY ? W_OK : writes ? R_OK | W_OK : R_OK;
    if (!node_allows(who, node, wanted))
        return -EACCES;
    if (S_ISREG(node->mode) && writes) {
        int got = walk_own(walk, walk->depth);
        if (got == 0 && (flags & O_TRUNC))
            got = file_resize(walk_node(walk), 0);
        if (got != 0)
            return got;
    }
    return open_node(who, walk_node(walk), *walk->path ? walk->path : "/", flags, out);
}

int fs_open(const struct fs_who *who, const char *path, int flags, unsigned mode, struct handle **out)
{
    struct fs_walk walk;
    int got = walk_to(who, path, WALK_FOLLOW | (flags & O_CREAT ? WALK_MISSING : 0), &walk);
    if (got != 0)
        return got;
    got = open_walked(who, &walk, flags, mode, out);
    walk_free(&walk);
    return got;
}

int fs_read_file(const struct fs_who *who, const char *path, size_t most, char **out, size_t *length)
{
    struct fs_walk walk;
    int got = walk_to(who, path, WALK_FOLLOW, &walk);
    if (got != 0)
        return got;
    const struct fs_node *node = walk_node(&walk);
    if (walk.handle || !S_ISREG(node->mode))
        got = S_ISDIR(node->mode) ? -EISDIR : -EINVAL;
    else if (!node_allows(who, node, R_OK))
        got = -EACCES;
    else if (node->as.file.size > (int64_t)most)
        got = -EFBIG;
    else if (!(*out = mem_alloc((size_t)node->as.file.size + 1)))
        got = -ENOMEM;
    if (got == 0) {
        *length = file_get(node, 0, *out, (size_t)node->as.file.size);
        (*out)[*length] = '\0';
    }
    walk_free(&walk);
    return got;
}
