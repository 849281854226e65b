#include "practice/state/ring.h"

#include <string.h>

#include "base/mem.h"

enum { QUEUE_FIRST_ROOM = 16 };

static bool resize(struct queue *queue, size_t room)
{
    char *items = room <= (size_t)-1 / 2 / queue->size ? mem_alloc(room * queue->size) : NULL;
    if (items == NULL)
        return false;
    size_t straight = queue->room - queue->first < queue->length ? queue->room - queue->first : queue->length;
    if (queue->length > 0) {
        memcpy(items, queue->items + queue->first * queue->size, straight * queue->size);
        memcpy(items + straight * queue->size, queue->items, (queue->length - straight) * queue->size);
    }
    mem_free(queue->items);
    queue->items = items;
    queue->room = room;
    queue->first = 0;
    return true;
}

bool queue_reserve(struct queue *queue)
{
    return queue->length < queue->room || resize(queue, queue->room > 0 ? queue->room * 2 : QUEUE_FIRST_ROOM);
}

void *queue_at(const struct queue *queue, size_t index)
{
    return queue->items + ((queue->first + index) & (queue->room - 1)) * queue->size;
}

void *queue_push(struct queue *queue)
{
    return queue_at(queue, queue->length++);
}

void queue_drop_first(struct queue *queue)
{
    queue->first = (queue->first + 1) & (queue->room - 1);
    queue->length--;
    if (queue->room > QUEUE_FIRST_ROOM && queue->length < queue->room / 8)
        (void)resize(queue, queue->room / 2); /* without memory it stays as large as it is */
}

void queue_free(struct queue *queue)
{
    mem_free(queue->items);
    *queue = (struct queue){.size = queue->size};
}

uint64_t event_frees(const struct event *event)
{
    return (event->previous != NULL ? object_bytes(event->previous) : 0) + (event->deleted ? object_bytes(event->object) : 0);
}

enum state_change event_change(const struct event *event)
{
    return event->deleted ? STATE_DELETED : event->previous != NULL ? STATE_MODIFIED : STATE_ADDED;
}
