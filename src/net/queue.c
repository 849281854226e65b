#include "net/queue.h"

#include <string.h>

#include "base/mem.h"

struct piece {
    struct piece *next;
    char *bytes; /* owned, or in this very block */
    bool owned;
    size_t at, length; /* bytes written already, and all of them */
    char block[];
};

void queue_init(struct queue *queue)
{
    *queue = (struct queue){.first = NULL, .last = &queue->first};
}

static void drop_first(struct queue *queue)
{
    struct piece *piece = queue->first;
    queue->first = piece->next;
    if (queue->first == NULL)
        queue->last = &queue->first;
    if (piece->owned)
        mem_free(piece->bytes);
    mem_free(piece);
}

void queue_free(struct queue *queue)
{
    while (queue->first != NULL)
        drop_first(queue);
    queue->length = 0;
}

static void append(struct queue *queue, struct piece *piece)
{
    *queue->last = piece;
    queue->last = &piece->next;
    queue->length += piece->length - piece->at;
}

bool queue_copy(struct queue *queue, const void *bytes, size_t length)
{
    if (length == 0)
        return true;
    struct piece *piece = mem_alloc(sizeof *piece + length);
    if (piece == NULL)
        return false;
    *piece = (struct piece){.bytes = piece->block, .length = length};
    memcpy(piece->block, bytes, length);
    append(queue, piece);
    return true;
}

bool queue_take(struct queue *queue, char *owned, size_t at, size_t length)
{
    struct piece *piece = length > 0 ? mem_alloc(sizeof *piece) : NULL;
    if (piece == NULL) {
        mem_free(owned);
        return length == 0;
    }
    *piece = (struct piece){.bytes = owned, .owned = true, .at = at, .length = at + length};
    append(queue, piece);
    return true;
}

const char *queue_first(const struct queue *queue, size_t *length)
{
    const struct piece *piece = queue->first;
    *length = piece != NULL ? piece->length - piece->at : 0;
    return piece != NULL ? piece->bytes + piece->at : NULL;
}

void queue_drop(struct queue *queue, size_t length)
{
    struct piece *piece = queue->first;
    if (piece == NULL)
        return;
    piece->at += length;
    queue->length -= length;
    if (piece->at == piece->length)
        drop_first(queue);
}
