/* support.h: a folder and a state in it, for tests of practice/state; its clock stands still unless a test moves it. */
#ifndef KT_TESTS_PRACTICE_STATE_SUPPORT_H
#define KT_TESTS_PRACTICE_STATE_SUPPORT_H

#include "practice/state/state.h"

struct place {
    char folder[64], path[128];
    struct loop *loop;
    struct state *state; /* closed at teardown if a test left it open */
    int64_t now_ms;
};

/* For cmocka: *state is a struct place, the state not opened yet. */
int place_setup(void **state);
int place_teardown(void **state);
const char *place_file(struct place *place, const char *name); /* a path in the folder; valid until the fourth call after it */

void place_open(struct place *place); /* must succeed */
void place_close(struct place *place);
struct state *place_try_open(struct place *place, struct error *err);
/* Runs the loop until all is committed and everybody told. */
void place_round(struct place *place);
/* Saves a state of the place's loop in the file of a name, and runs the loop until that is done. */
bool place_save(struct place *place, struct state *state, const char *name, struct error *err);

/* Writes an object with uid "uid-NAME" and one label, version=TEXT; replaces the one that is there. NULL: failed. */
const struct object *try_put(struct state *state, state_resource resource, const char *ns, const char *name, const char *text, struct error *err);
const struct object *put(struct state *state, state_resource resource, const char *ns, const char *name, const char *text); /* must succeed */
/* One of `length` bytes, made of one letter. */
const struct object *put_large(struct state *state, state_resource resource, const char *ns, const char *name, size_t length, char letter);
uint64_t drop(struct state *state, state_resource resource, const char *ns, const char *name); /* must succeed */

/* "ns/name=text ns/name=text" of a list at a version, in order; valid until the fourth call after it. */
const char *listed(struct state *state, state_resource resource, const char *only_ns, uint64_t version);
/* The next event as "+ns/name=text", "*ns/name=new(old)", "-ns/name=last(old)", or "wait", "expired"; long texts as their first letter and length. */
const char *next(struct state_watch *watch);
void nothing(void *data); /* a ready that does nothing */
void count_call(void *data); /* a ready that counts in *(int *)data */

/* Runs a statement on the state's own connection. */
void sql(struct state *state, const char *statement);
int64_t sql_number(struct state *state, const char *query);
/* No room for a new page in the file, or room again. */
void fill_disk(struct state *state, bool full);
/* Commits fail at their very end, or work again. */
void fail_commits(struct state *state, bool fail);

#endif
