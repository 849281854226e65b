/* internal.h: what the files of this folder know of each other; only for them and their tests.
 *
 * open.c opens and closes; state.c writes, commits, forgets; read.c looks and lists; watch.c wakes; save.c and replace.c save, load and reset.
 */
#ifndef KT_PRACTICE_STATE_INTERNAL_H
#define KT_PRACTICE_STATE_INTERNAL_H

#include "base/map.h"
#include "practice/state/disk.h"
#include "practice/state/ring.h"

/* A place in a list that goes round; one that is in no list points at itself. */
struct link {
    struct link *before, *after;
};

struct resource {
    char *name;
    state_resource number;
    bool saved, saving; /* its number is in the file; is in the open transaction */
    struct set set;
    struct ring_row row;
    struct link waiting; /* watches that were told STATE_WAIT */
};

struct callback;

enum forgetting { FORGET_NEVER, FORGET_LATER, FORGET_NOW }; /* what the timer is set to */

struct state {
    struct loop *loop;
    struct disk *disk;
    int lock; /* descriptor of the locked file; -1: none */
    int64_t (*now_ms)(void *data);
    void *now_data;

    struct resource *resources[STATE_RESOURCES]; /* [number - 1] */
    size_t unsaved;
    struct map names; /* of resources, their structs borrowed */

    uint64_t counter; /* the last version ever given, also to a write that was undone */
    uint64_t version; /* of the newest write */
    uint64_t committed;
    uint64_t oldest;
    struct ring ring;
    uint64_t open_bytes; /* of the writes that are open */

    struct callback *callbacks, **callbacks_end; /* in the order of the calls */
    struct error failure;                        /* why the last commit failed */
    struct link watches, ready, saves;
    struct loop_event *round, *forget; /* timers: the end of the round; something to forget */
    struct loop_event *calm;           /* the log came to its end; NULL: there is no log */
    bool is_round_set, is_closing;
    enum forgetting forgetting;
    int64_t eldest_ms; /* the time of the eldest change that is kept; 0: none */

    struct state_numbers numbers; /* objects, object_bytes, watches, commits, history_bytes */
};

/* open.c */
bool state_add_resource(struct state *state, state_resource number, const char *name) __attribute__((warn_unused_result));

/* state.c */
struct resource *state_row(const struct state *state, state_resource number); /* NULL: no such number */
int64_t state_now(const struct state *state);
void state_wake(struct state *state);                                         /* calls what is due in the next round */
void state_count_object(struct state *state, const struct object *object, bool there);
/* Numbers that are not in the file yet go into the open transaction. */
bool state_save_resources(struct state *state, struct error *err) __attribute__((warn_unused_result));
void state_resources_saved(struct state *state, bool committed);
/* The file failed while it is in use: no fault of who asked, so ERROR_LIMIT (and what to do), ERROR_MEMORY, ERROR_BUSY or ERROR_INTERNAL. False. */
bool state_blame_file(struct error *err);
void state_on_round(void *state);  /* the two timers */
void state_on_forget(void *state);
void state_on_calm(void *state, int what);
void state_look_for_history(struct state *state); /* sets the timer for what is to be forgotten next, unless it is set already */
void state_call_back(struct state *state);        /* what is due; calls that they add wait for the next round */
void state_trim(struct state *state, uint64_t most); /* committed events leave the ring until it holds that many bytes */
/* After all objects were replaced in one committed transaction: history begins with this version. */
void state_begin_anew(struct state *state, uint64_t version);

/* save.c: waits for those under way, and tells them. */
void save_finish_all(struct state *state);

/* read.c: the first event of a row with a version above `version`. */
size_t ring_row_above(const struct ring_row *row, uint64_t version);

/* watch.c */
void link_start(struct link *link);
void link_add(struct link *list, struct link *link); /* at the end */
void link_take(struct link *link);
void watch_committed(struct resource *resource, const struct event *event);
void watch_check_expired(struct state *state); /* `oldest` went up */
void watch_expire_all(struct state *state);
void watch_call_ready(struct state *state);

#endif
