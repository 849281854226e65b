/* fs_internal.h: nodes and walks, for fs_*.c and proc.c.
 */
#ifndef KT_PRACTICE_SIM_FS_INTERNAL_H
#define KT_PRACTICE_SIM_FS_INTERNAL_H

#include "base/vec.h"
#include "practice/sim/fs.h"
#include "practice/sim/handle.h"

struct fs_entry {
    char *name;
    struct fs_node *node; /* NULL: what lies under it is gone */
};

struct fs_node {
    unsigned references;
    unsigned mode; /* with the type */
    uint32_t uid, gid;
    unsigned links;
    uint32_t number;
    enum fs_device device;
    int64_t time_ms;
    struct fs_tree *tree; /* whose bytes it counts among; NULL: none */
    union {
        struct {
            struct fs_entry *entries; /* by name */
            size_t count, room;
            struct fs_node *lower;    /* the frozen folder under it, or NULL */
        } folder;
        struct {
            char *bytes;
            size_t stored, room;
            int64_t size; /* what is not stored is zeros */
        } file;
        struct {
            char *target;
            struct handle *handle; /* /proc/PID/fd/N: what it leads to, or NULL */
        } link;
    } as;
};

struct fs_tree {
    unsigned owners;
    size_t nodes; /* that live; the tree goes with its last owner and its last node */
    int64_t bytes, limit;
    bool frozen;
    uint32_t next_number;
    struct fs_node *root;
    struct fs_tree *over;
    struct cluster_clock *clock;
};

/* One reference, in no folder yet. tree may be NULL. NULL: no memory, or the tree has too many. */
struct fs_node *fs_node_new(struct fs_tree *tree, unsigned mode, uint32_t uid, uint32_t gid);
int64_t tree_now(const struct fs_tree *tree);
/* The entry of this very folder (its whiteouts too), or NULL. */
struct fs_entry *folder_entry(const struct fs_node *folder, const char *name);
/* Takes the reference, whatever comes; node NULL: a whiteout. */
int folder_set(struct fs_node *folder, const char *name, struct fs_node *node);
void folder_drop(struct fs_node *folder, const char *name); /* the entry itself */
/* Looks through the layers; borrowed, NULL: not there. */
struct fs_node *folder_child(const struct fs_node *folder, const char *name);
bool folder_empty(const struct fs_node *folder);
int folder_names(const struct fs_node *folder, struct vec *names);
size_t folder_folders(const struct fs_node *folder);
/* -ENOSPC, -ENOMEM */
int file_put(struct fs_node *file, int64_t offset, const void *bytes, size_t length);
int file_resize(struct fs_node *file, int64_t size);
size_t file_get(const struct fs_node *file, int64_t offset, void *bytes, size_t length);

struct fs_mount {
    char *path;
    struct fs_tree *tree;
    struct fs_node *root;
    struct fs_synthetic synthetic;
    bool read_only;
    unsigned number;
};

struct fs_view {
    struct fs_mount *mounts; /* the first is the root, later ones hide earlier ones */
    size_t count;
};

enum { WALK_FOLLOW = 1 /* the last part too */, WALK_MISSING = 2 /* the last part need not be there */ };
struct fs_walk {
    struct fs_node *nodes[FS_DEPTH + 1]; /* references; [0] the root ... [depth] the last; that one NULL if it is missing */
    const struct fs_mount *mounts[FS_DEPTH + 1];
    size_t ends[FS_DEPTH + 1];           /* of their paths in `path` */
    size_t depth;
    struct handle *handle;               /* the last one is a descriptor of /proc; a reference */
    bool slash;                          /* the path ended in one: it means a folder */
    char path[FS_PATH];                  /* canonical; "" for the root */
};
int walk_to(const struct fs_who *who, const char *path, unsigned flags, struct fs_walk *walk); /* on failure there is nothing to free */
void walk_free(struct fs_walk *walk);
static inline struct fs_node *walk_node(const struct fs_walk *walk)
{
    return walk->nodes[walk->depth];
}
const char *walk_name(const struct fs_walk *walk, size_t depth); /* of the last part only: NUL follows */
/* Makes nodes[depth] this tree's own, with all above it: -EROFS, -ENOSPC. */
int walk_own(struct fs_walk *walk, size_t depth);
bool node_allows(const struct fs_who *who, const struct fs_node *node, unsigned wanted);

#endif
