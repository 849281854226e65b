/* queue.h: bytes that wait to be written, in pieces, so that large ones are moved and not copied. Internal to this folder.
 */
#ifndef KT_NET_QUEUE_H
#define KT_NET_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

struct piece;

struct queue {
    struct piece *first, **last;
    size_t length; /* bytes that wait */
};

/* An empty queue. It may not be moved afterwards. */
void queue_init(struct queue *queue);
void queue_free(struct queue *queue); /* drops everything; usable again */

/* Adds a copy. False and nothing added: no memory. */
bool queue_copy(struct queue *queue, const void *bytes, size_t length) __attribute__((warn_unused_result));
/* Adds `length` bytes that begin at owned + at; the queue frees `owned` (mem_free), on failure too. */
bool queue_take(struct queue *queue, char *owned, size_t at, size_t length) __attribute__((warn_unused_result));

/* The next bytes, NULL and 0 for none; they stay where they are until they are dropped. */
const char *queue_first(const struct queue *queue, size_t *length);
/* Drops bytes of the first piece. */
void queue_drop(struct queue *queue, size_t length);

#endif
