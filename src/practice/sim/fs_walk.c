/* fs_walk: views, and how a path leads to a node in one: through links, mounts and layers. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "practice/sim/fs_internal.h"

/* ---- views ---- */

static int add_mount(struct fs_view *view, const char *path, struct fs_tree *tree, struct fs_node *node, const struct fs_synthetic *synthetic, bool read_only)
{
    struct fs_mount *mounts = mem_resize(view->mounts, (view->count + 1) * sizeof *mounts);
    if (!mounts)
        return -ENOMEM;
    view->mounts = mounts;
    char *copy = mem_string(path);
    if (!copy)
        return -ENOMEM;
    mounts[view->count] = (struct fs_mount){.path = copy, .tree = fs_tree_ref(tree), .root = fs_node_ref(node), .read_only = read_only, .number = (unsigned)view->count + 1};
    if (synthetic)
        mounts[view->count].synthetic = *synthetic;
    view->count++;
    return 0;
}

struct fs_view *fs_view_new(struct fs_tree *tree)
{
    struct fs_view *view = mem_zero(1, sizeof *view);
    if (view && add_mount(view, "", tree, tree->root, NULL, false) != 0) {
        mem_free(view->mounts);
        mem_free(view);
        return NULL;
    }
    return view;
}

void fs_view_free(struct fs_view *view)
{
    if (!view)
        return;
    for (size_t i = view->count; i-- > 0;) {
        mem_free(view->mounts[i].path);
        fs_node_free(view->mounts[i].root);
        fs_tree_free(view->mounts[i].tree);
    }
    mem_free(view->mounts);
    mem_free(view);
}

void fs_view_set_read_only(struct fs_view *view)
{
    view->mounts[0].read_only = true;
}

int64_t fs_view_bytes(const struct fs_view *view)
{
    return view->mounts[0].tree->bytes;
}

bool fs_mounted(const struct fs_view *view, size_t index, struct fs_mounted *out)
{
    if (index >= view->count)
        return false;
    const struct fs_mount *mount = &view->mounts[index];
    *out = (struct fs_mounted){.path = *mount->path ? mount->path : "/", .read_only = mount->read_only, .synthetic = !mount->tree};
    if (mount->tree) {
        out->used = mount->tree->bytes;
        out->limit = mount->tree->limit;
    }
    return true;
}

static const struct fs_mount *mount_at(const struct fs_view *view, const char *path)
{
    for (size_t i = view->count; i-- > 1;)
        if (strcmp(view->mounts[i].path, path) == 0)
            return &view->mounts[i];
    return NULL;
}

/* The path's links followed as far as there is something, as the folders of a mount point may be links (/var/run); what is missing is made. */
static int mount_point(struct fs_view *view, const char *path, bool folder, char out[static FS_PATH])
{
    char cwd[] = "/", part[FS_PATH];
    struct fs_who root = {.view = view, .cwd = cwd};
    size_t length = strlen(path);
    if (length >= FS_PATH)
        return -ENAMETOOLONG;
    bool closed = view->mounts[0].read_only;
    view->mounts[0].read_only = false; /* points are made before the root is closed */
    int got = 0;
    for (size_t end = 1; got == 0 && end <= length; end++) {
        if (path[end] != '/' && path[end] != '\0')
            continue;
        memcpy(part, path, end);
        part[end] = '\0';
        struct fs_stat stat;
        got = fs_stat(&root, part, true, &stat);
        if (got != -ENOENT)
            continue;
        if (end < length || folder) {
            got = fs_make_folder(&root, part, 0755);
        } else {
            struct handle *handle;
            got = fs_open(&root, part, O_WRONLY | O_CREAT, 0644, &handle);
            if (got == 0)
                handle_free(handle);
        }
    }
    view->mounts[0].read_only = closed;
    return got == 0 ? fs_real_path(&root, path, false, out) : got;
}

int fs_mount(struct fs_view *view, const char *path, struct fs_tree *tree, struct fs_node *node, const struct fs_synthetic *synthetic, bool read_only)
{
    char at[FS_PATH];
    int got = mount_point(view, path, !node || S_ISDIR(node->mode), at);
    if (got != 0)
        return got;
    return add_mount(view, strcmp(at, "/") == 0 ? "" : at, tree, node, synthetic, read_only);
}

/* ---- walking ---- */

bool node_allows(const struct fs_who *who, const struct fs_node *node, unsigned wanted)
{
    if (who->uid == 0)
        return !(wanted & X_OK) || S_ISDIR(node->mode) || (node->mode & 0111);
    unsigned bits = node->uid == who->uid ? node->mode >> 6 : node->gid == who->gid ? node->mode >> 3 : node->mode;
    return (bits & wanted & 7) == (wanted & 7);
}

void walk_free(struct fs_walk *walk)
{
    for (size_t i = 0; i <= walk->depth; i++)
        fs_node_free(walk->nodes[i]);
    handle_free(walk->handle);
}

const char *walk_name(const struct fs_walk *walk, size_t depth)
{
    return depth == 0 ? "/" : walk->path + walk->ends[depth - 1] + 1;
}

static void pop(struct fs_walk *walk)
{
    if (walk->depth == 0)
        return;
    fs_node_free(walk->nodes[walk->depth]);
    walk->depth--;
    walk->path[walk->ends[walk->depth]] = '\0';
}

static int push(const struct fs_who *who, struct fs_walk *walk, const char *name, size_t length)
{
    const struct fs_node *folder = walk_node(walk);
    if (!S_ISDIR(folder->mode))
        return -ENOTDIR;
    if (!node_allows(who, folder, X_OK))
        return -EACCES;
    size_t end = walk->ends[walk->depth];
    if (length > FS_NAME || walk->depth == FS_DEPTH || end + length + 2 > FS_PATH)
        return -ENAMETOOLONG;
    walk->path[end] = '/';
    memcpy(walk->path + end + 1, name, length);
    walk->path[end + 1 + length] = '\0';
    const struct fs_mount *mount = mount_at(who->view, walk->path), *above = walk->mounts[walk->depth];
    struct fs_node *node = NULL;
    if (mount && mount->root)
        node = fs_node_ref(mount->root);
    else if (mount)
        node = mount->synthetic.look(mount->synthetic.data, who->task, "");
    else if (above->root)
        node = fs_node_ref(folder_child(folder, walk->path + end + 1));
    else
        node = above->synthetic.look(above->synthetic.data, who->task, walk->path + strlen(above->path) + 1);
    walk->depth++;
    walk->nodes[walk->depth] = node;
    walk->mounts[walk->depth] = mount ? mount : above;
    walk->ends[walk->depth] = end + 1 + length;
    return 0;
}

/* The link at the end of the walk is replaced by where it leads: its target comes before what is left. */
static int follow(struct fs_walk *walk, char rest[static FS_PATH], const char *left)
{
    const struct fs_node *link = walk_node(walk);
    size_t length = strlen(link->as.link.target), more = strlen(left);
    if (length == 0)
        return -ENOENT;
    if (length + more + 2 > FS_PATH)
        return -ENAMETOOLONG;
    memmove(rest + length + (more > 0), left, more + 1);
    memcpy(rest, link->as.link.target, length);
    if (more > 0)
        rest[length] = '/';
    pop(walk);
    while (rest[0] == '/' && walk->depth > 0)
        pop(walk);
    return 0;
}

/* One part of the path. */
static int step(const struct fs_who *who, struct fs_walk *walk, unsigned flags, char rest[static FS_PATH], int *links)
{
    char *part = rest + strspn(rest, "/");
    size_t length = strcspn(part, "/");
    char *left = part + length + strspn(part + length, "/");
    bool last = *left == '\0';
    walk->slash = part[length] == '/';
    if (length == 0 || (length == 1 && part[0] == '.')) {
        memmove(rest, left, strlen(left) + 1);
        return S_ISDIR(walk_node(walk)->mode) ? 0 : -ENOTDIR;
    }
    if (length == 2 && part[0] == '.' && part[1] == '.') {
        pop(walk);
        memmove(rest, left, strlen(left) + 1);
        return 0;
    }
    int got = push(who, walk, part, length);
    if (got != 0)
        return got;
    struct fs_node *node = walk_node(walk);
    if (!node && !(last && (flags & WALK_MISSING)))
        return -ENOENT;
    if (node && S_ISLNK(node->mode) && (!last || walk->slash || (flags & WALK_FOLLOW))) {
        if (node->as.link.handle) {
            if (!last)
                return -ENOTDIR;
            walk->handle = handle_ref(node->as.link.handle);
            rest[0] = '\0';
            return 0;
        }
        if (++*links > FS_LINKS)
            return -ELOOP;
        return follow(walk, rest, left);
    }
    if (node && walk->slash && !S_ISDIR(node->mode))
        return -ENOTDIR;
    memmove(rest, left, strlen(left) + 1);
    return 0;
}

int walk_to(const struct fs_who *who, const char *path, unsigned flags, struct fs_walk *walk)
{
    char rest[FS_PATH];
    size_t length = strlen(path), before = path[0] == '/' ? 0 : strlen(who->cwd) + 1;
    if (length == 0)
        return -ENOENT;
    if (before + length + 1 > sizeof rest)
        return -ENAMETOOLONG;
    if (before > 0) {
        strcpy(rest, who->cwd);
        strcat(rest, "/");
    }
    strcpy(rest + before, path);
    walk->depth = 0;
    walk->handle = NULL;
    walk->path[0] = '\0';
    walk->ends[0] = 0;
    walk->slash = false;
    walk->mounts[0] = &who->view->mounts[0];
    walk->nodes[0] = fs_node_ref(who->view->mounts[0].root);
    int got = 0, links = 0;
    while (got == 0 && rest[0])
        got = step(who, walk, flags, rest, &links);
    if (got != 0)
        walk_free(walk);
    return got;
}

/* ---- copying up ---- */

static struct fs_node *copy_of(struct fs_tree *tree, struct fs_node *node)
{
    struct fs_node *copy = fs_node_new(tree, node->mode, node->uid, node->gid);
    if (!copy)
        return NULL;
    int64_t time_ms = node->time_ms;
    bool ok = true;
    copy->device = node->device;
    if (S_ISDIR(node->mode)) {
        copy->as.folder.lower = fs_node_ref(node);
    } else if (S_ISREG(node->mode)) {
        ok = file_put(copy, 0, node->as.file.bytes, node->as.file.stored) == 0;
        copy->as.file.size = node->as.file.size;
    } else if (S_ISLNK(node->mode)) {
        ok = (copy->as.link.target = mem_string(node->as.link.target)) != NULL;
    }
    copy->time_ms = time_ms;
    if (!ok) {
        fs_node_free(copy);
        return NULL;
    }
    return copy;
}

int walk_own(struct fs_walk *walk, size_t depth)
{
    const struct fs_mount *mount = walk->mounts[depth];
    if (mount->read_only || !mount->tree)
        return -EROFS;
    if (!walk->nodes[depth]->tree || !walk->nodes[depth]->tree->frozen)
        return 0;
    if (depth == 0 || walk->mounts[depth - 1] != mount)
        return -EROFS; /* a frozen tree that is mounted as it is */
    int got = walk_own(walk, depth - 1);
    struct fs_node *copy = got == 0 ? copy_of(mount->tree, walk->nodes[depth]) : NULL;
    if (!copy)
        return got != 0 ? got : -ENOSPC;
    char name[FS_NAME + 1];
    size_t start = walk->ends[depth - 1] + 1, length = walk->ends[depth] - start;
    memcpy(name, walk->path + start, length);
    name[length] = '\0';
    int64_t time_ms = walk->nodes[depth - 1]->time_ms;
    got = folder_set(walk->nodes[depth - 1], name, fs_node_ref(copy));
    walk->nodes[depth - 1]->time_ms = time_ms;
    fs_node_free(walk->nodes[depth]);
    walk->nodes[depth] = copy;
    return got;
}
