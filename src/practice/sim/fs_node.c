/* fs_node: nodes, folders' entries, files' bytes, and trees made from outside. */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "practice/sim/fs_internal.h"

/* ---- trees ---- */

int64_t tree_now(const struct fs_tree *tree)
{
    return tree && tree->clock ? cluster_clock_ms(tree->clock) : 0;
}

struct fs_tree *fs_tree_new(struct fs_tree *over, int64_t bytes, struct cluster_clock *clock)
{
    struct fs_tree *tree = mem_zero(1, sizeof *tree);
    if (!tree)
        return NULL;
    *tree = (struct fs_tree){.owners = 1, .limit = bytes > 0 ? bytes : FS_BYTES, .clock = clock, .over = fs_tree_ref(over), .next_number = over ? over->next_number : 1};
    tree->root = fs_node_new(tree, S_IFDIR | 0755, 0, 0);
    if (!tree->root) {
        fs_tree_free(tree);
        return NULL;
    }
    if (over) {
        tree->root->as.folder.lower = fs_node_ref(over->root);
        tree->root->mode = over->root->mode;
        tree->root->time_ms = over->root->time_ms;
    }
    return tree;
}

struct fs_tree *fs_tree_ref(struct fs_tree *tree)
{
    if (tree)
        tree->owners++;
    return tree;
}

static void tree_end(struct fs_tree *tree)
{
    if (tree->owners > 0 || tree->nodes > 0)
        return;
    struct fs_tree *over = tree->over;
    mem_free(tree);
    fs_tree_free(over);
}

void fs_tree_free(struct fs_tree *tree)
{
    if (!tree || --tree->owners > 0)
        return;
    if (tree->root) {
        tree->nodes++; /* so that the last node does not take the tree with it here */
        fs_node_free(tree->root);
        tree->nodes--;
    }
    tree_end(tree);
}

void fs_tree_freeze(struct fs_tree *tree)
{
    tree->frozen = true;
}

struct fs_node *fs_tree_root(struct fs_tree *tree)
{
    return tree->root;
}

int64_t fs_tree_bytes(const struct fs_tree *tree)
{
    return tree->bytes;
}

/* ---- nodes ---- */

struct fs_node *fs_node_new(struct fs_tree *tree, unsigned mode, uint32_t uid, uint32_t gid)
{
    struct fs_node *node = !tree || tree->nodes < FS_NODES ? mem_zero(1, sizeof *node) : NULL;
    if (!node)
        return NULL;
    *node = (struct fs_node){.references = 1, .mode = mode, .uid = uid, .gid = gid, .tree = tree, .time_ms = tree_now(tree)};
    if (tree) {
        node->number = tree->next_number++;
        tree->nodes++;
    }
    return node;
}

struct fs_node *fs_node_ref(struct fs_node *node)
{
    if (node)
        node->references++;
    return node;
}

void fs_node_free(struct fs_node *node)
{
    if (!node || --node->references > 0)
        return;
    struct fs_tree *tree = node->tree;
    if (S_ISDIR(node->mode)) {
        for (size_t i = 0; i < node->as.folder.count; i++) {
            mem_free(node->as.folder.entries[i].name);
            fs_node_free(node->as.folder.entries[i].node);
        }
        mem_free(node->as.folder.entries);
        fs_node_free(node->as.folder.lower);
    } else if (S_ISREG(node->mode)) {
        if (tree)
            tree->bytes -= (int64_t)node->as.file.stored;
        mem_free(node->as.file.bytes);
    } else if (S_ISLNK(node->mode)) {
        mem_free(node->as.link.target);
        handle_free(node->as.link.handle);
    }
    mem_free(node);
    if (tree) {
        tree->nodes--;
        tree_end(tree);
    }
}

/* ---- folders ---- */

static size_t place_of(const struct fs_node *folder, const char *name, bool *there)
{
    size_t low = 0, high = folder->as.folder.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(folder->as.folder.entries[middle].name, name);
        if (order == 0) {
            *there = true;
            return middle;
        }
        *(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
    }
    *there = false;
    return low;
}

struct fs_entry *folder_entry(const struct fs_node *folder, const char *name)
{
    bool there;
    size_t at = place_of(folder, name, &there);
    return there ? &folder->as.folder.entries[at] : NULL;
}

struct fs_node *folder_child(const struct fs_node *folder, const char *name)
{
    for (; folder; folder = folder->as.folder.lower) {
        const struct fs_entry *entry = folder_entry(folder, name);
        if (entry)
            return entry->node;
    }
    return NULL;
}

int folder_set(struct fs_node *folder, const char *name, struct fs_node *node)
{
    bool there;
    size_t at = place_of(folder, name, &there);
    struct fs_node *old = NULL;
    if (!there) {
        size_t count = folder->as.folder.count;
        if (count == folder->as.folder.room) {
            size_t room = count ? count * 2 : 2;
            struct fs_entry *entries = mem_resize(folder->as.folder.entries, room * sizeof *entries);
            if (!entries) {
                fs_node_free(node);
                return -ENOMEM;
            }
            folder->as.folder.entries = entries;
            folder->as.folder.room = room;
        }
        char *copy = mem_string(name);
        if (!copy) {
            fs_node_free(node);
            return -ENOMEM;
        }
        struct fs_entry *entry = &folder->as.folder.entries[at];
        memmove(entry + 1, entry, (count - at) * sizeof *entry);
        entry->name = copy;
        folder->as.folder.count++;
    } else {
        old = folder->as.folder.entries[at].node;
    }
    folder->as.folder.entries[at].node = node;
    if (node)
        node->links++;
    if (old) {
        old->links--;
        fs_node_free(old);
    }
    folder->time_ms = tree_now(folder->tree);
    return 0;
}

void folder_drop(struct fs_node *folder, const char *name)
{
    bool there;
    size_t at = place_of(folder, name, &there);
    if (!there)
        return;
    struct fs_entry *entry = &folder->as.folder.entries[at];
    if (entry->node)
        entry->node->links--;
    fs_node_free(entry->node);
    mem_free(entry->name);
    folder->as.folder.count--;
    memmove(entry, entry + 1, (folder->as.folder.count - at) * sizeof *entry);
    folder->time_ms = tree_now(folder->tree);
}

/* Calls fn for each name that is there, through the layers; not in order. */
static int each_child(const struct fs_node *folder, int (*fn)(void *data, const char *name, struct fs_node *node), void *data)
{
    for (const struct fs_node *layer = folder; layer; layer = layer->as.folder.lower)
        for (size_t i = 0; i < layer->as.folder.count; i++) {
            const struct fs_entry *entry = &layer->as.folder.entries[i];
            bool hidden = !entry->node;
            for (const struct fs_node *above = folder; above != layer && !hidden; above = above->as.folder.lower)
                hidden = folder_entry(above, entry->name) != NULL;
            int got = hidden ? 0 : fn(data, entry->name, entry->node);
            if (got != 0)
                return got;
        }
    return 0;
}

static int is_there(void *data, const char *name, struct fs_node *node)
{
    (void)data, (void)name, (void)node;
    return 1;
}

bool folder_empty(const struct fs_node *folder)
{
    return each_child(folder, is_there, NULL) == 0;
}

static int add_name(void *data, const char *name, struct fs_node *node)
{
    (void)node;
    return vec_push_string(data, name) ? 0 : -ENOMEM;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

int folder_names(const struct fs_node *folder, struct vec *names)
{
    int got = each_child(folder, add_name, names);
    if (got == 0)
        vec_sort(names, by_name);
    return got;
}

static int count_folder(void *data, const char *name, struct fs_node *node)
{
    (void)name;
    *(size_t *)data += S_ISDIR(node->mode);
    return 0;
}

size_t folder_folders(const struct fs_node *folder)
{
    size_t count = 0;
    each_child(folder, count_folder, &count);
    return count;
}

/* ---- files ---- */

static bool all_zero(const char *bytes, size_t length)
{
    return length > 0 && bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0;
}

static int store(struct fs_node *file, size_t length)
{
    if (length <= file->as.file.stored)
        return 0;
    struct fs_tree *tree = file->tree;
    int64_t more = (int64_t)(length - file->as.file.stored);
    if (tree && tree->bytes + more > tree->limit)
        return -ENOSPC;
    if (length > file->as.file.room) {
        size_t room = file->as.file.room < 64 ? length : file->as.file.room * 2;
        room = room < length ? length : room;
        char *bytes = mem_resize(file->as.file.bytes, room);
        if (!bytes)
            return -ENOMEM;
        file->as.file.bytes = bytes;
        file->as.file.room = room;
    }
    memset(file->as.file.bytes + file->as.file.stored, 0, (size_t)more);
    file->as.file.stored = length;
    if (tree)
        tree->bytes += more;
    return 0;
}

int file_put(struct fs_node *file, int64_t offset, const void *bytes, size_t length)
{
    int64_t end = offset + (int64_t)length;
    if (end > FS_ZEROS)
        return -ENOSPC;
    bool zeros = offset >= (int64_t)file->as.file.stored && all_zero(bytes, length);
    if (!zeros && length > 0) {
        if (end > FS_BYTES)
            return -ENOSPC;
        int got = store(file, (size_t)end);
        if (got != 0)
            return got;
        memcpy(file->as.file.bytes + offset, bytes, length);
    }
    file->as.file.size = end > file->as.file.size ? end : file->as.file.size;
    file->time_ms = tree_now(file->tree);
    return 0;
}

int file_resize(struct fs_node *file, int64_t size)
{
    if (size < 0 || size > FS_ZEROS)
        return -EFBIG;
    if (size < (int64_t)file->as.file.stored) {
        if (file->tree)
            file->tree->bytes -= (int64_t)file->as.file.stored - size;
        file->as.file.stored = (size_t)size;
        if (size == 0) {
            mem_free(file->as.file.bytes);
            file->as.file.bytes = NULL;
            file->as.file.room = 0;
        }
    }
    file->as.file.size = size;
    file->time_ms = tree_now(file->tree);
    return 0;
}

size_t file_get(const struct fs_node *file, int64_t offset, void *bytes, size_t length)
{
    if (offset >= file->as.file.size)
        return 0;
    int64_t left = file->as.file.size - offset;
    length = (int64_t)length < left ? length : (size_t)left;
    int64_t stored = (int64_t)file->as.file.stored - offset;
    size_t have = stored <= 0 ? 0 : stored < (int64_t)length ? (size_t)stored : length;
    if (have > 0)
        memcpy(bytes, file->as.file.bytes + offset, have);
    memset((char *)bytes + have, 0, length - have);
    return length;
}

const void *fs_node_bytes(const struct fs_node *node, size_t *length)
{
    *length = S_ISREG(node->mode) ? node->as.file.stored : 0;
    return *length > 0 ? node->as.file.bytes : NULL;
}

struct fs_node *fs_node_at(struct fs_node *node, const char *path)
{
    char name[FS_NAME + 1];
    while (node && *(path += strspn(path, "/"))) {
        size_t length = strcspn(path, "/");
        if (!S_ISDIR(node->mode) || length > FS_NAME)
            return NULL;
        memcpy(name, path, length);
        name[length] = '\0';
        node = folder_child(node, name);
        path += length;
    }
    return node;
}

/* ---- putting from outside ---- */

/* The folder of a path, made where it is missing, and the last part's name. */
static struct fs_node *folder_for(struct fs_tree *tree, const char *path, int64_t time_ms, char name[static FS_NAME + 1])
{
    struct fs_node *folder = tree->root;
    name[0] = '\0';
    for (int depth = 0; depth < FS_DEPTH; depth++) {
        path += strspn(path, "/");
        size_t length = strcspn(path, "/");
        if (length == 0 || length > FS_NAME)
            return NULL;
        memcpy(name, path, length);
        name[length] = '\0';
        path += length;
        if (path[strspn(path, "/")] == '\0')
            return folder;
        struct fs_entry *entry = folder_entry(folder, name);
        struct fs_node *next = entry ? entry->node : NULL;
        if (!next) {
            next = fs_node_new(tree, S_IFDIR | 0755, 0, 0);
            if (!next || folder_set(folder, name, next) != 0)
                return NULL;
            next->time_ms = folder->time_ms = time_ms;
        }
        if (!S_ISDIR(next->mode))
            return NULL;
        folder = next;
    }
    return NULL;
}

static struct fs_node *put(struct fs_tree *tree, const char *path, unsigned type, struct fs_put how)
{
    char name[FS_NAME + 1];
    struct fs_node *folder = folder_for(tree, path, how.time_ms, name);
    struct fs_node *node = folder ? fs_node_new(tree, type | (how.mode & 07777), how.uid, how.gid) : NULL;
    if (!node || folder_set(folder, name, node) != 0)
        return NULL;
    node->time_ms = folder->time_ms = how.time_ms;
    return node;
}

bool fs_put_folder(struct fs_tree *tree, const char *path, struct fs_put how)
{
    struct fs_node *there = fs_node_at(tree->root, path);
    if (!there || !S_ISDIR(there->mode))
        return put(tree, path, S_IFDIR, how) != NULL;
    there->mode = S_IFDIR | (how.mode & 07777);
    there->uid = how.uid;
    there->gid = how.gid;
    return true;
}

bool fs_put_file(struct fs_tree *tree, const char *path, const void *bytes, size_t length, struct fs_put how)
{
    struct fs_node *node = put(tree, path, S_IFREG, how);
    if (!node || file_put(node, 0, bytes, length) != 0)
        return false;
    node->time_ms = how.time_ms;
    return true;
}

bool fs_put_symlink(struct fs_tree *tree, const char *path, const char *target, struct fs_put how)
{
    how.mode = 0777;
    struct fs_node *node = put(tree, path, S_IFLNK, how);
    return node && (node->as.link.target = mem_string(target));
}

bool fs_put_same(struct fs_tree *tree, const char *path, const char *existing)
{
    char name[FS_NAME + 1];
    struct fs_node *node = fs_node_at(tree->root, existing), *folder = folder_for(tree, path, node ? node->time_ms : 0, name);
    return node && folder && folder_set(folder, name, fs_node_ref(node)) == 0;
}

bool fs_put_device(struct fs_tree *tree, const char *path, enum fs_device device, struct fs_put how)
{
    struct fs_node *node = put(tree, path, S_IFCHR, how);
    if (node)
        node->device = device;
    return node != NULL;
}

/* An ELF header's first bytes, so that tools which look see a binary. */
#define PROGRAM_MARK "\177ELF\2\1\1\0kubetutor\0"

bool fs_put_program(struct fs_tree *tree, const char *path, const char *program, int64_t time_ms)
{
    char bytes[sizeof PROGRAM_MARK + FS_PROGRAM_NAME] = PROGRAM_MARK;
    size_t mark = sizeof PROGRAM_MARK - 1, length = strlen(program);
    if (length >= FS_PROGRAM_NAME)
        return false;
    memcpy(bytes + mark, program, length + 1);
    return fs_put_file(tree, path, bytes, mark + length + 1, (struct fs_put){.mode = 0755, .time_ms = time_ms});
}

bool fs_program_name(const void *bytes, size_t length, char out[static FS_PROGRAM_NAME])
{
    size_t mark = sizeof PROGRAM_MARK - 1;
    if (length <= mark || memcmp(bytes, PROGRAM_MARK, mark) != 0)
        return false;
    const char *name = (const char *)bytes + mark;
    size_t most = length - mark;
    const char *end = memchr(name, '\0', most);
    if (!end || (size_t)(end - name) >= FS_PROGRAM_NAME)
        return false;
    memcpy(out, name, (size_t)(end - name) + 1);
    return true;
}
