#include "practice/state/ring.h"

#include <string.h>

#include "base/mem.h"

enum { QUEUE_FIRST_ROOM = 16 };

static bool resize(struct deque *deque, size_t room)
{
    char *items = room <= (size_t)-1 / 2 / deque->size ? mem_alloc(room * deque->size) : NULL;
    if (items == NULL)
        return false;
    size_t straight = deque->room - deque->first < deque->length ? deque->room - deque->first : deque->length;
    if (deque->length > 0) {
        memcpy(items, deque->items + deque->first * deque->size, straight * deque->size);
        memcpy(items + straight * deque->size, deque->items, (deque->length - straight) * deque->size);
    }
    mem_free(deque->items);
    deque->items = items;
    deque->room = room;
    deque->first = 0;
    return true;
}

bool deque_reserve(struct deque *deque)
{
    return deque->length < deque->room || resize(deque, deque->room > 0 ? deque->room * 2 : QUEUE_FIRST_ROOM);
}

void *deque_at(const struct deque *deque, size_t index)
{
    return deque->items + ((deque->first + index) & (deque->room - 1)) * deque->size;
}

void *deque_push(struct deque *deque)
{
    return deque_at(deque, deque->length++);
}

void deque_drop_first(struct deque *deque)
{
    deque->first = (deque->first + 1) & (deque->room - 1);
    deque->length--;
    if (deque->room > QUEUE_FIRST_ROOM && deque->length < deque->room / 8)
        (void)resize(deque, deque->room / 2); /* without memory it stays as large as it is */
}

void deque_free(struct deque *deque)
{
    mem_free(deque->items);
    *deque = (struct deque){.size = deque->size};
}

uint64_t event_frees(const struct event *event)
{
    return (event->previous != NULL ? object_bytes(event->previous) : 0) + (event->deleted ? object_bytes(event->object) : 0);
}

enum state_change event_change(const struct event *event)
{
    return event->deleted ? STATE_DELETED : event->previous != NULL ? STATE_MODIFIED : STATE_ADDED;
}
