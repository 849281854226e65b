#include "practice/sim/container_log.h"

#include <string.h>

#include "base/mem.h"

void container_log_init(struct container_log *log)
{
    *log = (struct container_log){.pending = {buf_make(LOG_PIECE), buf_make(LOG_PIECE)}};
}

void container_log_free(struct container_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        mem_free(log->entries[(log->start + i) % log->room]);
    mem_free(log->entries);
    for (struct runtime_log_follow *follow = log->follows; follow; follow = follow->next) {
        kernel_forget(&follow->work);
        follow->log = NULL;
    }
    buf_free(&log->pending[0]);
    buf_free(&log->pending[1]);
    container_log_init(log);
}

static void drop_first(struct container_log *log)
{
    struct log_entry *entry = log->entries[log->start];
    log->bytes -= entry->length + sizeof *entry;
    mem_free(entry);
    log->start = (log->start + 1) % log->room;
    log->count--;
    log->first++;
}

static bool grow(struct container_log *log)
{
    size_t room = log->room ? log->room * 2 : 4;
    struct log_entry **entries = mem_alloc(room * sizeof *entries);
    if (!entries)
        return false;
    for (size_t i = 0; i < log->count; i++)
        entries[i] = log->entries[(log->start + i) % log->room];
    mem_free(log->entries);
    log->entries = entries;
    log->room = room;
    log->start = 0;
    return true;
}

/* A line or a piece of one. Without memory it is lost, as a full disk would lose it. */
static void add(struct container_log *log, struct kernel *kernel, enum runtime_stream stream, const char *text, size_t length, bool partial)
{
    if (log->count == log->room && !grow(log))
        return;
    struct log_entry *entry = mem_alloc(sizeof *entry + length);
    if (!entry)
        return;
    *entry = (struct log_entry){.time_us = kernel_now(kernel) * 1000, .length = (uint32_t)length, .stream = (uint8_t)stream, .partial = partial};
    memcpy(entry->text, text, length);
    log->entries[(log->start + log->count++) % log->room] = entry;
    log->bytes += length + sizeof *entry;
    while (log->bytes > RUNTIME_LOG && log->count > 1)
        drop_first(log);
}

static void tell(struct container_log *log, struct kernel *kernel)
{
    for (struct runtime_log_follow *follow = log->follows; follow; follow = follow->next)
        kernel_defer(kernel, &follow->work);
}

void container_log_write(struct container_log *log, struct kernel *kernel, enum runtime_stream stream, const char *bytes, size_t length)
{
    struct buf *pending = &log->pending[stream == RUNTIME_STDERR];
    bool any = false;
    while (length > 0) {
        size_t room = LOG_PIECE - pending->length;
        const char *end = memchr(bytes, '\n', length < room ? length : room);
        size_t take = end ? (size_t)(end - bytes) : length < room ? length : room;
        bool full = !end && take == room;
        if (pending->length == 0 && (end || full)) {
            add(log, kernel, stream, bytes, take, full);
            any = true;
        } else {
            buf_append(pending, bytes, take);
            if (end || full) {
                add(log, kernel, stream, pending->bytes ? pending->bytes : "", pending->length, full);
                buf_free(pending);
                any = true;
            }
        }
        take += end != NULL;
        bytes += take;
        length -= take;
    }
    if (any)
        tell(log, kernel);
}

void container_log_end(struct container_log *log, struct kernel *kernel)
{
    for (int i = 0; i < 2; i++) {
        if (log->pending[i].length > 0)
            add(log, kernel, i ? RUNTIME_STDERR : RUNTIME_STDOUT, log->pending[i].bytes, log->pending[i].length, true);
        buf_free(&log->pending[i]);
    }
    tell(log, kernel);
}

bool container_log_next(const struct container_log *log, uint64_t *cursor, struct runtime_log_line *line)
{
    if (*cursor < log->first)
        *cursor = log->first;
    if (*cursor >= log->first + log->count)
        return false;
    const struct log_entry *entry = log->entries[(log->start + (size_t)(*cursor - log->first)) % log->room];
    *line = (struct runtime_log_line){.time_us = entry->time_us, .stream = (enum runtime_stream)entry->stream, .partial = entry->partial, .text = entry->text, .length = entry->length};
    ++*cursor;
    return true;
}

char *container_log_tail(const struct container_log *log, size_t most)
{
    size_t from = log->count, bytes = 0;
    while (from > 0) {
        size_t length = log->entries[(log->start + from - 1) % log->room]->length + 1u;
        if (bytes + length > most)
            break;
        bytes += length;
        from--;
    }
    struct buf out = buf_make(most);
    for (; from < log->count; from++) {
        const struct log_entry *entry = log->entries[(log->start + from) % log->room];
        buf_append(&out, entry->text, entry->length);
        if (!entry->partial)
            buf_append(&out, "\n", 1);
    }
    return buf_take(&out, NULL);
}

static void call(void *data)
{
    struct runtime_log_follow *follow = data;
    follow->fn(follow->data);
}

struct runtime_log_follow *container_log_follow(struct container_log *log, struct kernel *kernel, void (*fn)(void *data), void *data)
{
    struct runtime_log_follow *follow = mem_zero(1, sizeof *follow);
    if (!follow)
        return NULL;
    *follow = (struct runtime_log_follow){.next = log->follows, .log = log, .kernel = kernel, .fn = fn, .data = data, .work = {.fn = call, .data = follow}};
    log->follows = follow;
    return follow;
}

void container_log_unfollow(struct runtime_log_follow *follow)
{
    if (!follow)
        return;
    kernel_forget(&follow->work);
    for (struct runtime_log_follow **at = follow->log ? &follow->log->follows : NULL; at && *at; at = &(*at)->next)
        if (*at == follow) {
            *at = follow->next;
            break;
        }
    mem_free(follow);
}
