/* volume: trees that containers share: empty ones, a node's own, and stored ones that outlive everything, with their files on disk. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "practice/sim/archive.h"
#include "practice/sim/fs_internal.h"
#include "practice/sim/sim_internal.h"

enum { ARCHIVE_MOST = FS_BYTES + (8 << 20) };

/* ---- stored ones ---- */

static char *stored_path(struct sim *sim, const char *name)
{
    char plain[256];
    size_t length = 0;
    for (const char *at = name; *at && length + 4 < sizeof plain; at++)
        length += (size_t)snprintf(plain + length, sizeof plain - length, strchr("/%.", *at) ? "%%%02X" : "%c", *at);
    return sim->options.volumes ? mem_printf("%s/%s.tar", sim->options.volumes, plain) : NULL;
}

static void stored_free(void *data)
{
    struct stored *stored = data;
    fs_tree_free(stored->tree);
    mem_free(stored->name);
    mem_free(stored);
}

static bool stored_load(struct stored *stored, struct error *err)
{
    char *path = stored_path(stored->sim, stored->name);
    bool ok = true;
    if (path && file_exists(path)) {
        size_t length;
        char *bytes = file_read(path, ARCHIVE_MOST, &length, err);
        ok = bytes && archive_unpack(stored->tree, bytes, length, err);
        mem_free(bytes);
    }
    mem_free(path);
    return ok;
}

static bool stored_save(struct stored *stored)
{
    char *path = stored_path(stored->sim, stored->name);
    struct error err = ERROR_INIT;
    bool ok = true;
    if (path) {
        struct buf bytes = buf_make(ARCHIVE_MOST);
        ok = archive_pack(stored->tree, &bytes, &err) && file_make_folder(stored->sim->options.volumes, 0700, &err) && file_write(path, bytes.bytes, bytes.length, 0600, &err);
        if (!ok)
            log_line(stored->sim->options.log, "volume %s cannot be kept: %s", stored->name, err.message);
        buf_free(&bytes);
    }
    mem_free(path);
    return ok;
}

static struct stored *stored_get(struct sim *sim, const char *name, struct error *err)
{
    struct stored *stored = map_get(&sim->stored, name);
    if (stored)
        return stored;
    stored = mem_zero(1, sizeof *stored);
    if (!stored) {
        error_memory(err);
        return NULL;
    }
    *stored = (struct stored){.sim = sim, .name = mem_string(name), .tree = fs_tree_new(NULL, 0, sim->options.clock)};
    if (!stored->name || !stored->tree) {
        stored_free(stored);
        error_memory(err);
        return NULL;
    }
    fs_tree_root(stored->tree)->mode = S_IFDIR | 0777;
    if (!stored_load(stored, err)) {
        stored_free(stored);
        return NULL;
    }
    if (!map_set(&sim->stored, name, stored)) {
        error_memory(err);
        return NULL;
    }
    return stored;
}

bool volume_erase(void *self, const char *name, struct error *err)
{
    struct sim *sim = self;
    struct stored *stored = map_get(&sim->stored, name);
    if (stored && stored->holders > 0)
        return error_set(err, ERROR_BUSY, "", "volume %s is in use", name);
    map_remove(&sim->stored, name);
    char *path = stored_path(sim, name);
    if (path)
        remove(path);
    mem_free(path);
    return true;
}

/* ---- a node's own ---- */

static void host_free(void *data)
{
    fs_tree_free(data);
}

static struct fs_tree *host_tree(struct sim *sim, const char *node)
{
    struct fs_tree *tree = map_get(&sim->hosts, node);
    if (tree)
        return tree;
    tree = fs_tree_new(NULL, 0, sim->options.clock);
    if (!tree)
        return NULL;
    int64_t now = cluster_clock_ms(sim->options.clock);
    static const char *const folders[] = {"dev", "etc/kubernetes", "home", "opt", "proc", "root", "run", "sys", "usr/bin", "var/lib/kubelet", "var/log/pods", "var/log/containers", "tmp"};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof folders / sizeof *folders; i++)
        ok = fs_put_folder(tree, folders[i], (struct fs_put){.mode = strcmp(folders[i], "tmp") == 0 ? 01777 : 0755, .time_ms = now});
    char name[256];
    int length = snprintf(name, sizeof name, "%.250s\n", node);
    ok = ok && fs_put_file(tree, "etc/hostname", name, (size_t)length, (struct fs_put){.mode = 0644, .time_ms = now}) &&
         fs_put_file(tree, "etc/os-release", "NAME=\"kubetutor practice node\"\nID=kubetutor\n", 44, (struct fs_put){.mode = 0644, .time_ms = now});
    if (!ok) {
        fs_tree_free(tree);
        return NULL;
    }
    return map_set(&sim->hosts, node, tree) ? tree : NULL;
}

char volume_host_path(void *self, const char *node, const char *path, char create)
{
    struct sim *sim = self;
    struct fs_tree *tree = host_tree(sim, node);
    struct fs_view *view = tree ? fs_view_new(tree) : NULL;
    char cwd[] = "/";
    struct fs_who who = {.view = view, .cwd = cwd};
    struct fs_stat stat;
    char got = 0;
    if (view && fs_stat(&who, path, true, &stat) == 0) {
        got = S_ISDIR(stat.mode) ? 'd' : S_ISREG(stat.mode) ? 'f' : S_ISCHR(stat.mode) ? 'c' : 'o';
    } else if (view && create) {
        struct fs_put put = {.mode = create == 'd' ? 0755 : 0644, .time_ms = cluster_clock_ms(sim->options.clock)};
        if (create == 'd' ? fs_put_folder(tree, path, put) : fs_put_file(tree, path, "", 0, put))
            got = create;
    }
    fs_view_free(view);
    return got;
}

/* ---- all ---- */

static bool host_volume(struct sim *sim, struct runtime_volume *volume, const char *node, const char *path, struct error *err)
{
    struct fs_tree *tree = host_tree(sim, node);
    if (!tree)
        return error_memory(err);
    struct fs_node *at = *path && strcmp(path, "/") != 0 ? fs_node_at(fs_tree_root(tree), path) : fs_tree_root(tree);
    if (!at) { /* the container runtime makes a missing source */
        if (!fs_put_folder(tree, path, (struct fs_put){.mode = 0755, .time_ms = cluster_clock_ms(sim->options.clock)}))
            return error_set(err, ERROR_INPUT, path, "mkdir %s: not a directory", path);
        at = fs_node_at(fs_tree_root(tree), path);
    }
    volume->tree = fs_tree_ref(tree);
    volume->root = fs_node_ref(at);
    return true;
}

struct runtime_volume *volume_get(void *self, const char *node, enum runtime_volume_kind kind, const char *name, struct error *err)
{
    struct sim *sim = self;
    struct runtime_volume *volume = mem_zero(1, sizeof *volume);
    if (!volume) {
        error_memory(err);
        return NULL;
    }
    *volume = (struct runtime_volume){.sim = sim, .holders = 1};
    bool ok = true;
    if (kind == RUNTIME_VOLUME_HOST) {
        ok = host_volume(sim, volume, node, name, err);
    } else if (kind == RUNTIME_VOLUME_STORED) {
        volume->stored = stored_get(sim, name, err);
        ok = volume->stored != NULL;
        if (ok) {
            volume->stored->holders++;
            volume->tree = fs_tree_ref(volume->stored->tree);
            volume->root = fs_node_ref(fs_tree_root(volume->tree));
        }
    } else {
        volume->tree = fs_tree_new(NULL, 0, sim->options.clock);
        ok = volume->tree != NULL || error_memory(err);
        if (ok) {
            volume->root = fs_node_ref(fs_tree_root(volume->tree));
            volume->root->mode = S_IFDIR | 0777;
        }
    }
    if (!ok) {
        mem_free(volume);
        return NULL;
    }
    return volume;
}

void volume_release(struct runtime_volume *volume)
{
    if (!volume || --volume->holders > 0)
        return;
    fs_node_free(volume->root);
    fs_tree_free(volume->tree);
    if (volume->stored) {
        stored_save(volume->stored);
        volume->stored->holders--;
    }
    mem_free(volume);
}

/* ---- filling, as the kubelet's atomic writer does it: ..data leads to a folder that holds the files, links at the top lead through it ---- */

static bool put_links(struct runtime_volume *volume, const struct runtime_file *files, size_t count, int64_t now)
{
    struct fs_node *root = volume->root;
    struct fs_put put = {.time_ms = now};
    for (size_t i = 0; i < count; i++) {
        char top[FS_NAME + 1], target[FS_NAME + 16];
        size_t length = strcspn(files[i].path, "/");
        if (length > FS_NAME)
            return false;
        snprintf(top, sizeof top, "%.*s", (int)length, files[i].path);
        snprintf(target, sizeof target, "..data/%s", top);
        if (!folder_entry(root, top) && !fs_put_symlink(volume->tree, top, target, put))
            return false;
    }
    for (size_t i = root->as.folder.count; i-- > 0;) { /* links whose file is gone go, too */
        const char *name = root->as.folder.entries[i].name;
        bool wanted = strncmp(name, "..", 2) == 0;
        for (size_t j = 0; j < count && !wanted; j++)
            wanted = strcspn(files[j].path, "/") == strlen(name) && strncmp(files[j].path, name, strlen(name)) == 0;
        if (!wanted)
            folder_drop(root, name);
    }
    return true;
}

bool volume_fill(struct runtime_volume *volume, const struct runtime_file *files, size_t count, struct error *err)
{
    int64_t now = cluster_clock_ms(volume->sim->options.clock);
    time_t seconds = (time_t)(now / 1000);
    struct tm parts;
    char stamp[48], folder[80], path[FS_PATH], old[80] = "";
    gmtime_r(&seconds, &parts);
    strftime(stamp, sizeof stamp, "..%Y_%m_%d_%H_%M_%S", &parts);
    snprintf(folder, sizeof folder, "%s.%09u", stamp, (unsigned)(now % 1000) * 1000000u + ++volume->fills);
    struct fs_node *data = folder_child(volume->root, "..data");
    if (data && S_ISLNK(data->mode))
        snprintf(old, sizeof old, "%.79s", data->as.link.target);
    struct fs_put put = {.mode = 0755, .time_ms = now};
    bool ok = fs_put_folder(volume->tree, folder, put);
    for (size_t i = 0; ok && i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i].path);
        put.mode = files[i].mode;
        ok = files[i].length <= RUNTIME_FILE && fs_put_file(volume->tree, path, files[i].bytes, files[i].length, put);
    }
    ok = ok && fs_put_symlink(volume->tree, "..data", folder, put) && put_links(volume, files, count, now);
    if (ok && *old)
        folder_drop(volume->root, old);
    return ok || error_set(err, ERROR_LIMIT, "", "the volume's files do not fit into memory");
}

void volumes_free(struct sim *sim)
{
    map_free(&sim->stored);
    map_free(&sim->hosts);
}

void volumes_init(struct sim *sim)
{
    sim->stored = map_make(65536, stored_free);
    sim->hosts = map_make(65536, host_free);
}
