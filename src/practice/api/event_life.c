/* event_life: marks say which version the state had at a time. Every Event of a version up to a mark's was last written before
 * it: an hour later they go, whichever they are. So nothing has to be kept for an Event, and one walk removes all that are due.
 */
#include "practice/api/event_life.h"

#include <string.h>

#include "base/mem.h"

enum { MARKS = EVENT_LIFE_MS / EVENT_LIFE_GRAIN_MS + 2, PART = 500 /* objects looked at in one round */, LATER_MS = 1000 };

struct mark {
    uint64_t version;
    int64_t due_ms;
};

struct event_life {
    struct api *api;
    state_resource resource;
    struct state_watch *watch; /* NULL: expired, to be placed again */
    struct loop_event *turn;
    struct cluster_timer *due;
    struct mark marks[MARKS]; /* a ring; the eldest at `first` */
    size_t first, count;
    uint64_t until;      /* of the walk that is under way: Events up to this version go; 0: none is */
    struct object *last; /* where it is, a reference; NULL: at the start */
};

/* A write that is not within ten seconds of the youngest mark gets one of its own. */
static void add_mark(struct event_life *life)
{
    int64_t due = api_now_ms(life->api) + EVENT_LIFE_MS;
    struct mark *youngest = life->count > 0 ? &life->marks[(life->first + life->count - 1) % MARKS] : NULL;
    if (youngest != NULL && (life->count == MARKS || due < youngest->due_ms)) { /* within its grain, or the clock went back */
        youngest->version = state_version(life->api->state);
        return;
    }
    life->marks[(life->first + life->count++) % MARKS] =
        (struct mark){.version = state_version(life->api->state), .due_ms = due + EVENT_LIFE_GRAIN_MS};
    if (!cluster_timer_is_set(life->due))
        cluster_timer_set(life->due, life->marks[life->first].due_ms);
}

static void changed(void *data)
{
    struct event_life *life = data;
    loop_set_timer(life->turn, 0); /* not from inside the state's own round */
}

/* Reads what happened; only that something was written counts. */
static void follow(struct event_life *life)
{
    struct state_event event;
    for (enum state_step step; life->watch != NULL && (step = state_watch_next(life->watch, &event)) != STATE_WAIT;)
        if (step == STATE_EXPIRED) {
            state_watch_free(life->watch);
            life->watch = NULL;
        } else if (event.change != STATE_DELETED) {
            add_mark(life);
        }
}

/* Begins (again): whatever is there counts as written now. */
static bool place(struct event_life *life)
{
    struct state *state = life->api->state;
    life->watch = state_watch_new(state, life->resource, NULL, state_committed(state), changed, life, NULL);
    if (life->watch == NULL)
        return false;
    if (state_count(state, life->resource, NULL) > 0)
        add_mark(life);
    follow(life);
    return true;
}

static void end_walk(struct event_life *life)
{
    object_unref(life->last);
    life->last = NULL;
    life->until = 0;
    cluster_clock_let_go(life->api->clock);
    if (life->count > 0)
        cluster_timer_set(life->due, life->marks[life->first].due_ms);
}

/* A part of the walk. False: something could not be removed; it is looked at once more, later. */
static bool walk(struct event_life *life)
{
    struct state *state = life->api->state;
    for (int i = 0; i < PART; i++) {
        const struct object *event = state_next(state, life->resource, NULL, life->last != NULL ? life->last->ns : NULL,
                                                life->last != NULL ? life->last->name : NULL);
        if (event == NULL) {
            end_walk(life);
            return true;
        }
        struct object *kept = object_ref(event);
        if (kept->version <= life->until && !state_delete(state, kept, NULL, NULL, NULL)) {
            object_unref(kept);
            return false;
        }
        object_unref(life->last);
        life->last = kept;
    }
    return true;
}

static void turn(void *data)
{
    struct event_life *life = data;
    bool fine = life->watch != NULL || place(life);
    follow(life);
    fine = (life->until == 0 || walk(life)) && fine;
    if (!fine || life->watch == NULL || life->until > 0)
        loop_set_timer(life->turn, fine ? 0 : LATER_MS);
}

/* Everything that is due by now, in one walk. */
static void begin_walk(void *data)
{
    struct event_life *life = data;
    int64_t now = api_now_ms(life->api);
    uint64_t until = 0;
    for (; life->count > 0 && life->marks[life->first].due_ms <= now; life->count--) {
        until = life->marks[life->first].version;
        life->first = (life->first + 1) % MARKS;
    }
    if (until == 0) { /* the clock was set back */
        if (life->count > 0)
            cluster_timer_set(life->due, life->marks[life->first].due_ms);
        return;
    }
    if (life->until == 0)
        cluster_clock_hold(life->api->clock);
    life->until = until;
    object_unref(life->last);
    life->last = NULL;
    loop_set_timer(life->turn, 0);
}

struct event_life *event_life_new(struct api *api, struct error *err)
{
    const struct schema_kind *kind = registry_find(api->registry, "", "v1", "events");
    struct event_life *life = mem_zero(1, sizeof *life);
    if (life != NULL) {
        life->api = api;
        life->resource = registry_resource(api->registry, kind);
        life->turn = loop_add_timer(api->loop, -1, turn, life);
        life->due = cluster_timer_new(api->clock, begin_walk, life);
        if (life->turn != NULL && life->due != NULL && place(life))
            return life;
    }
    event_life_free(life);
    error_memory(err);
    return NULL;
}

void event_life_free(struct event_life *life)
{
    if (life == NULL)
        return;
    if (life->until > 0)
        end_walk(life);
    state_watch_free(life->watch);
    loop_drop(life->turn);
    cluster_timer_free(life->due);
    mem_free(life);
}
