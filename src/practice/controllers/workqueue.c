#include "practice/controllers/workqueue.h"

#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

enum { WORKQUEUE_ROUND = 20, WORKQUEUE_FIRST_MS = 5, WORKQUEUE_LONGEST_MS = 1000000 };

struct item {
    char *key;
    bool ready;      /* stands in the row of those to be done */
    bool later;      /* stands in the heap */
    int64_t due_ms;  /* monotonic, of a later one */
    int failures;    /* one after the other */
    size_t place;    /* in the heap */
};

struct workqueue {
    struct loop *loop;
    struct loop_event *timer;
    bool (*work)(void *data, const char *key);
    void *data;
    struct map items;    /* key -> struct item */
    struct vec ready;    /* borrowed, `done` of them are over */
    size_t done;
    struct vec later;    /* borrowed: a heap by due_ms */
    struct item *current; /* whose work is being done */
    bool freed;          /* from inside work */
};

static void item_free(void *data)
{
    struct item *item = data;
    mem_free(item->key);
    mem_free(item);
}

/* ---- the heap of what is due later: the earliest first ---- */

static void heap_set(struct workqueue *queue, size_t place, struct item *item)
{
    queue->later.items[place] = item;
    item->place = place;
}

static void heap_up(struct workqueue *queue, struct item *item)
{
    size_t place = item->place;
    for (; place > 0; place = (place - 1) / 2) {
        struct item *parent = queue->later.items[(place - 1) / 2];
        if (parent->due_ms <= item->due_ms)
            break;
        heap_set(queue, place, parent);
    }
    heap_set(queue, place, item);
}

static void heap_down(struct workqueue *queue, struct item *item)
{
    size_t place = item->place, count = queue->later.length;
    for (size_t child; (child = 2 * place + 1) < count; place = child) {
        if (child + 1 < count && ((struct item *)queue->later.items[child + 1])->due_ms < ((struct item *)queue->later.items[child])->due_ms)
            child++;
        struct item *below = queue->later.items[child];
        if (below->due_ms >= item->due_ms)
            break;
        heap_set(queue, place, below);
    }
    heap_set(queue, place, item);
}

static void heap_remove(struct workqueue *queue, struct item *item)
{
    struct item *last = queue->later.items[queue->later.length - 1];
    item->later = false;
    (void)vec_take(&queue->later, queue->later.length - 1);
    if (last == item)
        return;
    heap_set(queue, item->place, last);
    heap_up(queue, last);
    heap_down(queue, last);
}

/* ---- */

static void forget_if_idle(struct workqueue *queue, struct item *item)
{
    if (!item->ready && !item->later && item->failures == 0 && item != queue->current)
        map_remove(&queue->items, item->key);
}

static void set_timer(struct workqueue *queue)
{
    if (queue->done < queue->ready.length)
        loop_set_timer(queue->timer, 0);
    else if (queue->later.length > 0) {
        int64_t left = ((struct item *)queue->later.items[0])->due_ms - clock_monotonic_ms();
        loop_set_timer(queue->timer, left > 0 ? left : 0);
    } else
        loop_set_timer(queue->timer, -1);
}

static struct item *item_of(struct workqueue *queue, const char *key)
{
    struct item *item = map_get(&queue->items, key);
    if (item != NULL)
        return item;
    item = mem_zero(1, sizeof *item);
    if (item == NULL || (item->key = mem_string(key)) == NULL) {
        mem_free(item);
        return NULL;
    }
    return map_set(&queue->items, key, item) ? item : NULL;
}

/* Puts it at the end of the row, unless it stands there. */
static bool make_ready(struct workqueue *queue, struct item *item)
{
    if (item->ready)
        return true;
    if (!vec_push(&queue->ready, item))
        return false;
    item->ready = true;
    if (item->later)
        heap_remove(queue, item);
    return true;
}

bool workqueue_add(struct workqueue *queue, const char *key)
{
    struct item *item = item_of(queue, key);
    bool ok = item != NULL && make_ready(queue, item);
    if (item != NULL)
        forget_if_idle(queue, item);
    if (queue->current == NULL)
        set_timer(queue);
    return ok;
}

bool workqueue_add_after(struct workqueue *queue, const char *key, int64_t ms)
{
    if (ms <= 0)
        return workqueue_add(queue, key);
    struct item *item = item_of(queue, key);
    if (item == NULL)
        return false;
    int64_t due = clock_monotonic_ms() + ms;
    bool ok = true;
    if (item->later && due < item->due_ms) {
        item->due_ms = due;
        heap_up(queue, item);
    } else if (!item->ready && !item->later) {
        item->due_ms = due;
        ok = vec_push(&queue->later, item);
        if (ok) {
            item->later = true;
            item->place = queue->later.length - 1;
            heap_up(queue, item);
        }
    }
    forget_if_idle(queue, item);
    if (queue->current == NULL)
        set_timer(queue);
    return ok;
}

/* One key. False: the queue is gone. */
static bool do_one(struct workqueue *queue, struct item *item)
{
    item->ready = false; /* what adds it meanwhile wants it done once more */
    queue->current = item;
    bool ok = queue->work(queue->data, item->key);
    queue->current = NULL;
    if (queue->freed)
        return false;
    if (ok)
        item->failures = 0;
    else {
        int64_t wait = item->failures < 18 ? (int64_t)WORKQUEUE_FIRST_MS << item->failures : WORKQUEUE_LONGEST_MS;
        item->failures++;
        if (!workqueue_add_after(queue, item->key, wait < WORKQUEUE_LONGEST_MS ? wait : WORKQUEUE_LONGEST_MS))
            item->failures = 0; /* no memory even for that: the next change brings it back */
    }
    forget_if_idle(queue, item);
    return true;
}

static void take_due(struct workqueue *queue)
{
    int64_t now = clock_monotonic_ms();
    while (queue->later.length > 0) {
        struct item *item = queue->later.items[0];
        if (item->due_ms > now || !make_ready(queue, item))
            break;
    }
}

static void queue_free_now(struct workqueue *queue)
{
    loop_drop(queue->timer);
    vec_free(&queue->ready);
    vec_free(&queue->later);
    map_free(&queue->items);
    mem_free(queue);
}

static void round_of_work(void *data)
{
    struct workqueue *queue = data;
    take_due(queue);
    for (int n = 0; n < WORKQUEUE_ROUND && queue->done < queue->ready.length; n++) {
        struct item *item = queue->ready.items[queue->done++];
        if (!do_one(queue, item)) {
            queue_free_now(queue);
            return;
        }
    }
    if (queue->done == queue->ready.length) {
        vec_clear(&queue->ready);
        queue->done = 0;
    } else if (queue->done > 1000 && queue->done > queue->ready.length / 2) { /* the row moves up, at a cost that each key pays once */
        struct vec rest = vec_make(queue->ready.maximum, NULL);
        bool ok = true;
        for (size_t i = queue->done; i < queue->ready.length && ok; i++)
            ok = vec_push(&rest, queue->ready.items[i]);
        if (ok) {
            vec_free(&queue->ready);
            queue->ready = rest;
            queue->done = 0;
        } else
            vec_free(&rest);
    }
    set_timer(queue);
}

struct workqueue *workqueue_new(struct loop *loop, bool (*work)(void *data, const char *key), void *data, struct error *err)
{
    struct workqueue *queue = mem_zero(1, sizeof *queue);
    if (queue == NULL) {
        error_memory(err);
        return NULL;
    }
    *queue = (struct workqueue){.loop = loop, .work = work, .data = data, .items = map_make(WORKQUEUE_KEYS, item_free), .ready = vec_make(2 * WORKQUEUE_KEYS, NULL), .later = vec_make(WORKQUEUE_KEYS, NULL)};
    queue->timer = loop_add_timer(loop, -1, round_of_work, queue);
    if (queue->timer != NULL)
        return queue;
    queue_free_now(queue);
    error_memory(err);
    return NULL;
}

void workqueue_free(struct workqueue *queue)
{
    if (queue == NULL)
        return;
    if (queue->current != NULL)
        queue->freed = true;
    else
        queue_free_now(queue);
}

int workqueue_length(const struct workqueue *queue)
{
    return (int)(queue->ready.length - queue->done + queue->later.length);
}
