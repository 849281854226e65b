/* archive.h: tar archives, as POSIX.1-1988 (ustar) has them, with the long names of GNU and pax: what the tar program reads and writes, and how stored volumes are kept.
 */
#ifndef KT_PRACTICE_SIM_ARCHIVE_H
#define KT_PRACTICE_SIM_ARCHIVE_H

#include "base/buf.h"
#include "base/error.h"
#include "practice/sim/fs.h"

enum { ARCHIVE_BLOCK = 512 };
struct archive_entry {
    char path[FS_PATH], link[FS_PATH];
    char type; /* '0' a file, '1' a hard link, '2' a symbolic one, '5' a folder; others are to be passed over */
    unsigned mode;
    uint32_t uid, gid;
    int64_t size, time_s;
};
/* Where bytes come from: exactly that many, or false. */
struct archive_source {
    bool (*read)(void *data, void *bytes, size_t length);
    void *data;
};
/* 1: an entry, whose size bytes follow, filled up to a block; 0: the end; -1: no archive, or cut off. */
int archive_next(const struct archive_source *source, struct archive_entry *entry);
bool archive_skip(const struct archive_source *source, int64_t bytes); /* of content: with what fills the block */
void archive_header(const struct archive_entry *entry, struct buf *out);
static inline size_t archive_padding(int64_t size)
{
    return (size_t)(-size & (ARCHIVE_BLOCK - 1));
}

/* Whole trees, in memory. */
bool archive_pack(struct fs_tree *tree, struct buf *out, struct error *err);
bool archive_unpack(struct fs_tree *tree, const void *bytes, size_t length, struct error *err);

#endif
