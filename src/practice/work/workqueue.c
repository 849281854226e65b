#include "practice/work/workqueue.h"

#include "base/map.h"
#include "base/mem.h"
#include "practice/state/state.h"

enum { WORKQUEUE_ROUND = 20, WORKQUEUE_FIRST_MS = 5, WORKQUEUE_LONGEST_MS = 1000000, WORKQUEUE_LOST_MS = 100, WORKQUEUE_UNDONE_MS = 1000 };

struct item {
    char *key;
    struct item *next; /* in the row of those to be done */
    bool ready;        /* stands there */
    bool later;        /* stands in the heap */
    int64_t due_ms;    /* by the cluster's clock, of a later one */
    int failures;      /* one after the other */
    size_t place;      /* in the heap */
};

/* Only a new key takes memory: what it may need later is taken then. */
struct workqueue {
    struct state *state;
    struct cluster_clock *clock;
    struct loop_event *turn;     /* the next round */
    struct cluster_timer *timer; /* the first that is due later */
    bool holds;                  /* the clock */
    bool (*work)(void *data, const char *key);
    void *data;
    struct map items;             /* key -> struct item */
    struct item *first, *last;    /* the row */
    size_t ready;                 /* its length */
    struct item **later;          /* a heap by due_ms, with room for every item */
    size_t later_count, later_room;
    struct item *all;             /* WORKQUEUE_ALL, there from the start on */
    struct item *current;         /* whose work is being done */
    bool freed;                   /* from inside work, or while commits are waited for */
    unsigned commits;             /* calls that the state owes */
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
    queue->later[place] = item;
    item->place = place;
}

static void heap_up(struct workqueue *queue, struct item *item)
{
    size_t place = item->place;
    for (; place > 0; place = (place - 1) / 2) {
        struct item *parent = queue->later[(place - 1) / 2];
        if (parent->due_ms <= item->due_ms)
            break;
        heap_set(queue, place, parent);
    }
    heap_set(queue, place, item);
}

static void heap_down(struct workqueue *queue, struct item *item)
{
    size_t place = item->place, count = queue->later_count;
    for (size_t child; (child = 2 * place + 1) < count; place = child) {
        if (child + 1 < count && queue->later[child + 1]->due_ms < queue->later[child]->due_ms)
            child++;
        if (queue->later[child]->due_ms >= item->due_ms)
            break;
        heap_set(queue, place, queue->later[child]);
    }
    heap_set(queue, place, item);
}

static void heap_remove(struct workqueue *queue, struct item *item)
{
    struct item *last = queue->later[--queue->later_count];
    item->later = false;
    if (last == item)
        return;
    heap_set(queue, item->place, last);
    heap_up(queue, last);
    heap_down(queue, last);
}

static bool heap_reserve(struct workqueue *queue, size_t count)
{
    if (count <= queue->later_room)
        return true;
    size_t room = queue->later_room == 0 ? 16 : queue->later_room * 2;
    struct item **more = mem_resize(queue->later, room * sizeof *more);
    if (more == NULL)
        return false;
    queue->later = more;
    queue->later_room = room;
    return true;
}

/* ---- */

static void forget_if_idle(struct workqueue *queue, struct item *item)
{
    if (!item->ready && !item->later && item->failures == 0 && item != queue->current && item != queue->all)
        map_remove(&queue->items, item->key);
}

static void set_timer(struct workqueue *queue)
{
    bool holds = queue->ready > 0;
    if (holds != queue->holds)
        (holds ? cluster_clock_hold : cluster_clock_let_go)(queue->clock);
    queue->holds = holds;
    loop_set_timer(queue->turn, holds ? 0 : -1);
    if (queue->later_count > 0)
        cluster_timer_set(queue->timer, queue->later[0]->due_ms);
    else
        cluster_timer_stop(queue->timer);
}

static struct item *item_of(struct workqueue *queue, const char *key)
{
    struct item *item = map_get(&queue->items, key);
    if (item != NULL)
        return item;
    item = heap_reserve(queue, queue->items.count + 1) ? mem_zero(1, sizeof *item) : NULL;
    if (item == NULL || (item->key = mem_string(key)) == NULL) {
        mem_free(item);
        return NULL;
    }
    return map_set(&queue->items, key, item) ? item : NULL;
}

/* Puts it at the end of the row, unless it stands there. */
static void make_ready(struct workqueue *queue, struct item *item)
{
    if (item->ready)
        return;
    if (item->later)
        heap_remove(queue, item);
    item->ready = true;
    item->next = NULL;
    if (queue->last != NULL)
        queue->last->next = item;
    else
        queue->first = item;
    queue->last = item;
    queue->ready++;
}

static void make_later(struct workqueue *queue, struct item *item, int64_t ms)
{
    int64_t due = cluster_clock_ms(queue->clock) + ms;
    if (item->ready || (item->later && item->due_ms <= due))
        return;
    item->due_ms = due;
    if (!item->later) {
        item->later = true;
        item->place = queue->later_count++;
    }
    heap_up(queue, item);
}

void workqueue_add_after(struct workqueue *queue, const char *key, int64_t ms)
{
    struct item *item = item_of(queue, key);
    if (item == NULL)
        make_later(queue, queue->all, WORKQUEUE_LOST_MS);
    else if (ms <= 0)
        make_ready(queue, item);
    else
        make_later(queue, item, ms);
    if (queue->current == NULL)
        set_timer(queue);
}

void workqueue_add(struct workqueue *queue, const char *key)
{
    workqueue_add_after(queue, key, 0);
}

/* The first of the row. False: the queue is gone. */
static bool do_one(struct workqueue *queue)
{
    struct item *item = queue->first;
    queue->first = item->next;
    if (queue->first == NULL)
        queue->last = NULL;
    queue->ready--;
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
        make_later(queue, item, wait < WORKQUEUE_LONGEST_MS ? wait : WORKQUEUE_LONGEST_MS);
    }
    forget_if_idle(queue, item);
    return true;
}

/* Once the state owes no call any more. */
static void free_at_last(struct workqueue *queue)
{
    loop_drop(queue->turn);
    cluster_timer_free(queue->timer);
    if (queue->holds)
        cluster_clock_let_go(queue->clock);
    queue->turn = NULL;
    queue->timer = NULL;
    queue->holds = false;
    queue->freed = true;
    if (queue->commits > 0)
        return;
    mem_free(queue->later);
    map_free(&queue->items);
    mem_free(queue);
}

static void committed(void *data, const struct error *err)
{
    struct workqueue *queue = data;
    queue->commits--;
    if (queue->freed) {
        free_at_last(queue);
    } else if (err != NULL) {
        make_later(queue, queue->all, WORKQUEUE_UNDONE_MS);
        set_timer(queue);
    }
}

/* What this round wrote is to last. */
static void follow_commit(struct workqueue *queue)
{
    if (queue->state == NULL || state_is_clean(queue->state))
        return;
    if (state_after_commit(queue->state, committed, queue))
        queue->commits++;
    else
        make_later(queue, queue->all, WORKQUEUE_LOST_MS); /* nobody would say */
}

/* Keys that are added by this round's work wait for the next one. */
static void round_of_work(void *data)
{
    struct workqueue *queue = data;
    int64_t now = cluster_clock_ms(queue->clock);
    while (queue->later_count > 0 && queue->later[0]->due_ms <= now)
        make_ready(queue, queue->later[0]);
    size_t count = queue->ready < WORKQUEUE_ROUND ? queue->ready : WORKQUEUE_ROUND;
    for (; count > 0; count--)
        if (!do_one(queue)) {
            free_at_last(queue);
            return;
        }
    follow_commit(queue);
    set_timer(queue);
}

struct workqueue *workqueue_new(struct cluster_clock *clock, struct state *state, bool (*work)(void *data, const char *key), void *data, struct error *err)
{
    struct workqueue *queue = mem_zero(1, sizeof *queue);
    if (queue == NULL) {
        error_memory(err);
        return NULL;
    }
    *queue = (struct workqueue){.clock = clock, .state = state, .work = work, .data = data, .items = map_make(WORKQUEUE_KEYS, item_free)};
    if ((queue->all = item_of(queue, WORKQUEUE_ALL)) != NULL && (queue->timer = cluster_timer_new(clock, round_of_work, queue)) != NULL &&
        (queue->turn = loop_add_timer(cluster_clock_loop(clock), -1, round_of_work, queue)) != NULL)
        return queue;
    free_at_last(queue);
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
        free_at_last(queue);
}

int workqueue_length(const struct workqueue *queue)
{
    return (int)(queue->ready + queue->later_count);
}
