/* fs_path: what one does with paths but for opening them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "practice/sim/fs_internal.h"

static void stat_node(const struct fs_node *node, unsigned file_system, struct fs_stat *out)
{
    *out = (struct fs_stat){.mode = node->mode, .uid = node->uid, .gid = node->gid, .links = node->links, .number = node->number, .time_ms = node->time_ms,
        .device = node->device, .file_system = file_system};
    if (S_ISREG(node->mode))
        out->size = node->as.file.size;
    else if (S_ISLNK(node->mode))
        out->size = node->as.link.target ? (int64_t)strlen(node->as.link.target) : 0;
    else if (S_ISDIR(node->mode)) {
        out->size = 4096;
        out->links = 2 + (unsigned)folder_folders(node);
    }
}

int fs_stat_handle(const struct handle *handle, struct fs_stat *out)
{
    if (handle->node)
        stat_node(handle->node, 0, out);
    else
        *out = (struct fs_stat){.mode = (handle->tty ? S_IFCHR | 0620u : S_IFIFO | 0600u), .links = 1, .device = handle->tty ? FS_TTY : FS_NO_DEVICE};
    return 0;
}

int fs_stat(const struct fs_who *who, const char *path, bool follow, struct fs_stat *out)
{
    struct fs_walk walk;
    int got = walk_to(who, path, follow ? WALK_FOLLOW : 0, &walk);
    if (got != 0)
        return got;
    if (walk.handle)
        fs_stat_handle(walk.handle, out);
    else
        stat_node(walk_node(&walk), walk.mounts[walk.depth]->number, out);
    walk_free(&walk);
    return 0;
}

int fs_access(const struct fs_who *who, const char *path, unsigned wanted)
{
    struct fs_walk walk;
    int got = walk_to(who, path, WALK_FOLLOW, &walk);
    if (got != 0)
        return got;
    if (!walk.handle && !node_allows(who, walk_node(&walk), wanted))
        got = -EACCES;
    else if ((wanted & W_OK) && !walk.handle && walk.mounts[walk.depth]->read_only)
        got = -EROFS;
    walk_free(&walk);
    return got;
}

/* Walks to a name that may be there or not, in a folder that can be written: on success that folder is this tree's own and nodes[depth] what is there (NULL: nothing). */
static int walk_to_change(const struct fs_who *who, const char *path, struct fs_walk *walk)
{
    int got = walk_to(who, path, WALK_MISSING, walk);
    if (got != 0)
        return got;
    if (walk->depth == 0)
        got = -EBUSY;
    else if (walk_node(walk) && walk->mounts[walk->depth] != walk->mounts[walk->depth - 1])
        got = -EBUSY; /* a mount point */
    else if (!node_allows(who, walk->nodes[walk->depth - 1], W_OK | X_OK))
        got = -EACCES;
    else
        got = walk_own(walk, walk->depth - 1);
    if (got != 0)
        walk_free(walk);
    return got;
}

/* Where a new node comes: -EEXIST if something is there. */
static int walk_to_new(const struct fs_who *who, const char *path, struct fs_walk *walk)
{
    struct fs_stat stat;
    if (fs_stat(who, path, false, &stat) == 0)
        return -EEXIST;
    int got = walk_to_change(who, path, walk);
    if (got == 0 && walk_node(walk)) {
        walk_free(walk);
        return -EEXIST;
    }
    return got;
}

static struct fs_node *add(const struct fs_who *who, struct fs_walk *walk, unsigned mode, int *error)
{
    struct fs_tree *tree = walk->mounts[walk->depth - 1]->tree;
    struct fs_node *node = fs_node_new(tree, mode, who->uid, who->gid);
    *error = node ? folder_set(walk->nodes[walk->depth - 1], walk_name(walk, walk->depth), node) : -ENOSPC;
    return *error == 0 ? node : NULL;
}

int fs_make_folder(const struct fs_who *who, const char *path, unsigned mode)
{
    struct fs_walk walk;
    int got = walk_to_new(who, path, &walk);
    if (got != 0)
        return got;
    add(who, &walk, S_IFDIR | (mode & 07777), &got);
    walk_free(&walk);
    return got;
}

int fs_symlink(const struct fs_who *who, const char *target, const char *path)
{
    struct fs_walk walk;
    if (strlen(target) >= FS_PATH || !*target)
        return *target ? -ENAMETOOLONG : -ENOENT;
    int got = walk_to_new(who, path, &walk);
    if (got != 0)
        return got;
    char *copy = mem_string(target);
    struct fs_node *node = copy ? add(who, &walk, S_IFLNK | 0777, &got) : NULL;
    if (node)
        node->as.link.target = copy;
    else
        mem_free(copy);
    walk_free(&walk);
    return node ? 0 : copy ? got : -ENOMEM;
}

/* Takes the name out of its folder: where a layer below still has it, a whiteout stays. */
static int take_out(struct fs_walk *walk)
{
    struct fs_node *folder = walk->nodes[walk->depth - 1];
    const char *name = walk_name(walk, walk->depth);
    if (folder->as.folder.lower && folder_child(folder->as.folder.lower, name))
        return folder_set(folder, name, NULL);
    folder_drop(folder, name);
    return 0;
}

int fs_unlink(const struct fs_who *who, const char *path)
{
    struct fs_walk walk;
    int got = walk_to_change(who, path, &walk);
    if (got != 0)
        return got;
    if (!walk_node(&walk))
        got = -ENOENT;
    else
        got = S_ISDIR(walk_node(&walk)->mode) ? -EISDIR : take_out(&walk);
    walk_free(&walk);
    return got;
}

int fs_remove_folder(const struct fs_who *who, const char *path)
{
    struct fs_walk walk;
    int got = walk_to_change(who, path, &walk);
    if (got != 0)
        return got;
    const struct fs_node *node = walk_node(&walk);
    if (!node)
        got = -ENOENT;
    else if (!S_ISDIR(node->mode))
        got = -ENOTDIR;
    else
        got = folder_empty(node) ? take_out(&walk) : -ENOTEMPTY;
    walk_free(&walk);
    return got;
}

static int may_replace(const struct fs_node *node, const struct fs_node *old)
{
    if (!old)
        return 0;
    if (S_ISDIR(old->mode))
        return S_ISDIR(node->mode) ? folder_empty(old) ? 0 : -ENOTEMPTY : -EISDIR;
    return S_ISDIR(node->mode) ? -ENOTDIR : 0;
}

static int rename_walked(struct fs_walk *from, struct fs_walk *to)
{
    struct fs_node *node = walk_node(from);
    if (!node)
        return -ENOENT;
    if (from->mounts[from->depth] != to->mounts[to->depth - 1])
        return -EXDEV;
    if (S_ISDIR(node->mode) && (node->as.folder.lower || (node->tree && node->tree->frozen)))
        return -EXDEV; /* as overlayfs: who moves it copies */
    if (node == walk_node(to))
        return 0;
    size_t length = strlen(from->path);
    if (S_ISDIR(node->mode) && strncmp(to->path, from->path, length) == 0 && to->path[length] == '/')
        return -EINVAL;
    int got = may_replace(node, walk_node(to));
    if (got == 0)
        got = walk_own(from, from->depth);
    if (got == 0)
        got = folder_set(to->nodes[to->depth - 1], walk_name(to, to->depth), fs_node_ref(walk_node(from)));
    return got == 0 ? take_out(from) : got;
}

int fs_rename(const struct fs_who *who, const char *from_path, const char *to_path)
{
    struct fs_walk from, to;
    int got = walk_to_change(who, from_path, &from);
    if (got != 0)
        return got;
    got = walk_to_change(who, to_path, &to);
    if (got == 0) {
        walk_free(&from); /* the second walk may have copied folders up that the first one saw below */
        got = walk_to_change(who, from_path, &from);
        if (got == 0)
            got = rename_walked(&from, &to);
        else
            walk_free(&to);
        if (got != 0 && from.depth == 0)
            return got;
        walk_free(&to);
    }
    walk_free(&from);
    return got;
}

int fs_link(const struct fs_who *who, const char *existing, const char *path)
{
    struct fs_walk from, to;
    int got = walk_to(who, existing, 0, &from);
    if (got != 0)
        return got;
    if (S_ISDIR(walk_node(&from)->mode) || from.handle)
        got = -EPERM;
    else
        got = walk_own(&from, from.depth);
    if (got == 0 && (got = walk_to_new(who, path, &to)) == 0) {
        got = from.mounts[from.depth] == to.mounts[to.depth - 1] ? folder_set(to.nodes[to.depth - 1], walk_name(&to, to.depth), fs_node_ref(walk_node(&from))) : -EXDEV;
        walk_free(&to);
    }
    walk_free(&from);
    return got;
}

ssize_t fs_read_link(const struct fs_who *who, const char *path, char *out, size_t room)
{
    struct fs_walk walk;
    int got = walk_to(who, path, 0, &walk);
    if (got != 0)
        return got;
    const struct fs_node *node = walk_node(&walk);
    ssize_t length = -EINVAL;
    if (S_ISLNK(node->mode) && node->as.link.target) {
        size_t bytes = strlen(node->as.link.target);
        bytes = bytes < room ? bytes : room;
        memcpy(out, node->as.link.target, bytes);
        length = (ssize_t)bytes;
    }
    walk_free(&walk);
    return length;
}

/* A node whose owner or root changes it. */
static int walk_to_own(const struct fs_who *who, const char *path, bool follow, bool owner, struct fs_walk *walk)
{
    int got = walk_to(who, path, follow ? WALK_FOLLOW : 0, walk);
    if (got != 0)
        return got;
    if (walk->handle)
        got = -EPERM;
    else if (owner && who->uid != 0 && who->uid != walk_node(walk)->uid)
        got = -EPERM;
    else if (!owner && !node_allows(who, walk_node(walk), W_OK))
        got = -EACCES;
    else
        got = walk_own(walk, walk->depth);
    if (got != 0)
        walk_free(walk);
    return got;
}

int fs_chmod(const struct fs_who *who, const char *path, unsigned mode)
{
    struct fs_walk walk;
    int got = walk_to_own(who, path, true, true, &walk);
    if (got != 0)
        return got;
    struct fs_node *node = walk_node(&walk);
    node->mode = (node->mode & S_IFMT) | (mode & 07777);
    walk_free(&walk);
    return 0;
}

int fs_chown(const struct fs_who *who, const char *path, int64_t uid, int64_t gid, bool follow)
{
    struct fs_walk walk;
    int got = walk_to_own(who, path, follow, true, &walk);
    if (got != 0)
        return got;
    struct fs_node *node = walk_node(&walk);
    if (who->uid != 0 && ((uid >= 0 && uid != node->uid) || (gid >= 0 && gid != node->gid && gid != who->gid))) {
        got = -EPERM;
    } else {
        node->uid = uid >= 0 ? (uint32_t)uid : node->uid;
        node->gid = gid >= 0 ? (uint32_t)gid : node->gid;
    }
    walk_free(&walk);
    return got;
}

int fs_set_time(const struct fs_who *who, const char *path, int64_t ms)
{
    struct fs_walk walk;
    int got = walk_to_own(who, path, true, false, &walk);
    if (got != 0)
        return got;
    walk_node(&walk)->time_ms = ms;
    walk_free(&walk);
    return 0;
}

int fs_truncate(const struct fs_who *who, const char *path, int64_t size)
{
    struct fs_walk walk;
    int got = walk_to_own(who, path, true, false, &walk);
    if (got != 0)
        return got;
    got = S_ISREG(walk_node(&walk)->mode) ? file_resize(walk_node(&walk), size) : S_ISDIR(walk_node(&walk)->mode) ? -EISDIR : 0;
    walk_free(&walk);
    return got;
}

int fs_list(const struct fs_who *who, const char *path, struct vec *names)
{
    struct fs_walk walk;
    *names = vec_make(FS_NODES, mem_free);
    int got = walk_to(who, path, WALK_FOLLOW, &walk);
    if (got != 0)
        return got;
    if (walk.handle || !S_ISDIR(walk_node(&walk)->mode))
        got = -ENOTDIR;
    else if (!node_allows(who, walk_node(&walk), R_OK))
        got = -EACCES;
    else
        got = folder_names(walk_node(&walk), names);
    walk_free(&walk);
    if (got != 0)
        vec_free(names);
    return got;
}

int fs_real_path(const struct fs_who *who, const char *path, bool missing, char out[static FS_PATH])
{
    struct fs_walk walk;
    int got = walk_to(who, path, WALK_FOLLOW | (missing ? WALK_MISSING : 0), &walk);
    if (got != 0)
        return got;
    snprintf(out, FS_PATH, "%s", walk.handle ? walk.handle->name : *walk.path ? walk.path : "/");
    walk_free(&walk);
    return 0;
}
