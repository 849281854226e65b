/* container_log.h: what a container wrote, in lines, bounded: the oldest go first.
 */
#ifndef KT_PRACTICE_SIM_CONTAINER_LOG_H
#define KT_PRACTICE_SIM_CONTAINER_LOG_H

#include "base/buf.h"
#include "practice/node/runtime.h"
#include "practice/sim/kernel.h"

enum { LOG_PIECE = 16 << 10 }; /* bytes of a line; longer ones come in pieces, as containerd cuts them */

struct log_entry {
    int64_t time_us;
    uint32_t length;
    uint8_t stream;
    bool partial;
    char text[];
};
struct container_log {
    struct log_entry **entries; /* a ring */
    size_t room, start, count, bytes;
    uint64_t first;             /* the number of entries[start] */
    struct buf pending[2];      /* unfinished lines of stdout and stderr */
    struct runtime_log_follow *follows;
};
struct runtime_log_follow {
    struct runtime_log_follow *next;
    struct container_log *log;
    struct kernel *kernel;
    void (*fn)(void *data);
    void *data;
    struct kernel_work work;
};

void container_log_init(struct container_log *log);
void container_log_free(struct container_log *log); /* followers are let go: their handles stay the caller's */
void container_log_write(struct container_log *log, struct kernel *kernel, enum runtime_stream stream, const char *bytes, size_t length);
void container_log_end(struct container_log *log, struct kernel *kernel); /* no more comes: unfinished lines count, followers are called */
bool container_log_next(const struct container_log *log, uint64_t *cursor, struct runtime_log_line *line);
char *container_log_tail(const struct container_log *log, size_t most);
struct runtime_log_follow *container_log_follow(struct container_log *log, struct kernel *kernel, void (*fn)(void *data), void *data);
void container_log_unfollow(struct runtime_log_follow *follow);

#endif
