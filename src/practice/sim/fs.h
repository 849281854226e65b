/* fs.h: files in memory. A tree of nodes belongs to an image (frozen: shared by all its containers), to a container (which lies over its image's and copies what is changed), or to a volume. A view
 * is what a container sees: its root and what is mounted in it.
 *
 * Numbers below zero are -errno. Nodes are counted by references; trees too.
 */
#ifndef KT_PRACTICE_SIM_FS_H
#define KT_PRACTICE_SIM_FS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "practice/clock/clock.h"

struct handle;
struct task;
struct vec;

enum {
    FS_PATH = 4096,
    FS_NAME = 255,
    FS_DEPTH = 64,           /* folders in each other; more is -ENAMETOOLONG */
    FS_LINKS = 20,           /* symbolic links on one way; more is -ELOOP */
    FS_BYTES = 64 << 20,     /* bytes in memory of one tree; more is -ENOSPC. Zeros at a file's end take none, up to FS_ZEROS */
    FS_NODES = 65536,        /* nodes of one tree */
};

#define FS_ZEROS (64LL << 30)

/* ---- nodes and trees ---- */

enum fs_device { FS_NO_DEVICE, FS_NULL, FS_ZERO, FS_FULL, FS_RANDOM, FS_TTY };
struct fs_node; /* fs_internal.h */
struct fs_tree;

/* over: the frozen tree under it, referenced; NULL: none. bytes: its limit (0: FS_BYTES). clock: what changes get their time from; NULL: 0. NULL: no memory. */
struct fs_tree *fs_tree_new(struct fs_tree *over, int64_t bytes, struct cluster_clock *clock) __attribute__((warn_unused_result));
struct fs_tree *fs_tree_ref(struct fs_tree *tree);
void fs_tree_free(struct fs_tree *tree); /* one reference less; NULL is fine */
void fs_tree_freeze(struct fs_tree *tree); /* nobody writes it any more: it may lie under others */
struct fs_node *fs_tree_root(struct fs_tree *tree);
int64_t fs_tree_bytes(const struct fs_tree *tree); /* in memory */

struct fs_node *fs_node_ref(struct fs_node *node);
void fs_node_free(struct fs_node *node);

/* Building trees, paths from their root; missing folders are made (0755, root's). What was there is replaced. False: no memory or a limit. Not for a tree that lies over another. */
struct fs_put {
    unsigned mode; /* permissions */
    uint32_t uid, gid;
    int64_t time_ms;
};
bool fs_put_folder(struct fs_tree *tree, const char *path, struct fs_put put);
bool fs_put_file(struct fs_tree *tree, const char *path, const void *bytes, size_t length, struct fs_put put);
bool fs_put_symlink(struct fs_tree *tree, const char *path, const char *target, struct fs_put put);
bool fs_put_same(struct fs_tree *tree, const char *path, const char *existing); /* a hard link */
bool fs_put_device(struct fs_tree *tree, const char *path, enum fs_device device, struct fs_put put);
/* An executable: a file whose content names a program of program_find. */
bool fs_put_program(struct fs_tree *tree, const char *path, const char *program, int64_t time_ms);
enum { FS_PROGRAM_NAME = 64 };
/* The name in an executable's bytes; false: it is none of ours. */
bool fs_program_name(const void *bytes, size_t length, char out[static FS_PROGRAM_NAME]);
/* A node by its path from a node, links not followed; borrowed, NULL if it is not there. */
struct fs_node *fs_node_at(struct fs_node *node, const char *path);
/* A file's bytes; valid until it is written. NULL: no file (or an empty one, *length 0). */
const void *fs_node_bytes(const struct fs_node *node, size_t *length);

/* ---- views ---- */

struct fs_view;
/* What makes a path's nodes when it is asked (/proc): a new reference, or NULL for -ENOENT. path "" is its root. */
struct fs_synthetic {
    struct fs_node *(*look)(void *data, const struct task *task, const char *path);
    void *data;
};
struct fs_view *fs_view_new(struct fs_tree *tree /* the root, referenced */) __attribute__((warn_unused_result));
void fs_view_free(struct fs_view *view);
/* Mounts a node of a tree (both referenced), or something synthetic (tree NULL), at a path whose links are followed; a missing mount point is made in what is there. */
int fs_mount(struct fs_view *view, const char *path, struct fs_tree *tree, struct fs_node *node, const struct fs_synthetic *synthetic, bool read_only);
void fs_view_set_read_only(struct fs_view *view); /* the root, not what is mounted */
int64_t fs_view_bytes(const struct fs_view *view); /* in memory: its own tree */

/* ---- what processes do with paths ---- */

struct fs_who {
    struct fs_view *view;
    uint32_t uid, gid;
    char *cwd;               /* absolute; owned by the task */
    const struct task *task; /* for /proc/self and /dev/tty; may be NULL */
};

struct fs_stat {
    unsigned mode; /* with the type */
    uint32_t uid, gid;
    unsigned links;
    uint64_t number;
    int64_t size, time_ms;
    enum fs_device device;
    unsigned file_system; /* equal for what can be renamed into each other */
};
int fs_stat(const struct fs_who *who, const char *path, bool follow, struct fs_stat *out);
int fs_access(const struct fs_who *who, const char *path, unsigned wanted /* R_OK, W_OK, X_OK */);
/* flags as open(2). *out: a new handle. */
int fs_open(const struct fs_who *who, const char *path, int flags, unsigned mode, struct handle **out);
int fs_make_folder(const struct fs_who *who, const char *path, unsigned mode);
int fs_remove_folder(const struct fs_who *who, const char *path);
int fs_unlink(const struct fs_who *who, const char *path);
int fs_rename(const struct fs_who *who, const char *from, const char *to);
int fs_link(const struct fs_who *who, const char *existing, const char *path);
int fs_symlink(const struct fs_who *who, const char *target, const char *path);
ssize_t fs_read_link(const struct fs_who *who, const char *path, char *out, size_t room);
int fs_chmod(const struct fs_who *who, const char *path, unsigned mode);
int fs_chown(const struct fs_who *who, const char *path, int64_t uid, int64_t gid, bool follow); /* -1 keeps */
int fs_set_time(const struct fs_who *who, const char *path, int64_t ms);
int fs_truncate(const struct fs_who *who, const char *path, int64_t size);
/* The names in a folder, sorted, without . and .. ; a vec made here with mem_free. */
int fs_list(const struct fs_who *who, const char *path, struct vec *names);
/* The path without links and dots; missing: the last part need not be there. */
int fs_real_path(const struct fs_who *who, const char *path, bool missing, char out[static FS_PATH]);
/* A whole file, at most `most` bytes (-EFBIG); the caller frees. */
int fs_read_file(const struct fs_who *who, const char *path, size_t most, char **out, size_t *length);
int fs_stat_handle(const struct handle *handle, struct fs_stat *out);
/* What is mounted, for df and mount: false at the end. */
struct fs_mounted {
    const char *path;
    bool read_only, synthetic;
    int64_t used, limit;
};
bool fs_mounted(const struct fs_view *view, size_t index, struct fs_mounted *out);

#endif
