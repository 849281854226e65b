/* internal.h: how the files of bind/ share their work. Functions that take a lua_State may longjmp unless they say otherwise. */
#ifndef KT_BIND_INTERNAL_H
#define KT_BIND_INTERNAL_H

#include <lauxlib.h>
#include <lua.h>

#include "base/buf.h"
#include "base/map.h"
#include "bind/bind.h"
#include "data/value.h"
#include "kube/watch.h"

enum { BIND_SELECTIONS = 256, BIND_READS = 128, BIND_EXPECTATIONS = 200, BIND_FILE = 1 << 20, BIND_DEPTH = 40 };

struct op; /* op.h */

/* ---- selection.c: shared watches and their history ---- */

struct selection {
    struct bind *bind;
    char *key; /* resource|ns|labels|fields */
    const struct kube_resource *resource;
    char *ns; /* NULL: cluster-scoped */
    struct kube_watch *watch;
    int references;        /* runs and followers that read it */
    struct vec waiting;    /* of struct op: waits for the first list */
    struct vec history;    /* of struct seen, oldest first, since the step began */
    size_t history_bytes;
    uint64_t history_first; /* number of history.items[0] */
    struct map gone;        /* "ns/name" -> struct gone: objects deleted in this step */
};
struct seen { /* one state that the watch showed */
    char *name;
    char *text; /* compact JSON; NULL: the object was deleted */
};
enum { SELECTION_HISTORY = 512, SELECTION_HISTORY_BYTES = 2 << 20 };

/* Finds or starts the watch. The reference is the caller's. NULL with err. */
struct selection *selection_take(struct bind *bind, const struct kube_resource *resource, const char *ns, const char *labels, const char *fields,
                                 struct error *err);
void selection_release(struct selection *selection);
void selection_begin_step(struct selection *selection);
void selection_free(void *selection);
/* Monotonic ms since when no object of this name is there; -1: it is there. */
int64_t selection_absent_since(const struct selection *selection, const char *name);

/* ---- bind.c ---- */

struct bind_run {
    struct bind *bind;
    uint64_t serial; /* never used twice: what a handle remembers of the run that made it */
    enum bind_mode mode;
    struct script_task *task;
    struct vec reads; /* of struct selection, each with a reference */
    struct verdict *verdict;
    char *state_json;
    void (*done)(void *data, const struct bind_result *result);
    void *data;
};
struct follower {
    const void *key;
    struct vec reads;
    void (*fn)(void *data);
    void *data;
    bool dirty;
};
struct bind {
    struct script *script;
    struct kube_client *client; /* borrowed; NULL: description only */
    struct loop *loop;
    char *ns, *user, *lesson, *folder, *work_folder;
    bool trusted;
    uint64_t next_serial;
    struct map selections; /* key -> struct selection */
    struct vec followers;  /* of struct follower */
    struct vec runs;       /* of struct bind_run, active */
    struct loop_event *tell; /* zero timer: calls dirty followers */
    int64_t step_began;      /* monotonic ms */
    void (*trouble)(void *data, const struct error *error, int64_t retry_ms);
    void *trouble_data;
    void (*made)(void *data, const char *resource, const char *ns, const char *name, const char *uid);
    void *made_data;
    int release; /* kept function: bind_release_function */
    int prelude; /* kept table of methods written in Lua */
};
void bind_changed(struct bind *bind, const struct selection *selection); /* marks the followers dirty */
/* The run whose task is running; a Lua error if there is none. */
struct bind_run *run_of(lua_State *lua);
/* For methods of k: the first argument must be the run's own k, and the run's mode at least this one. `what` names the function for the message. */
struct bind_run *run_at_least(lua_State *lua, enum bind_mode mode, const char *what);
/* Remembers that the run read this selection (takes the reference over). False: too many. */
bool run_reads(struct bind_run *run, struct selection *selection);

/* ---- methods of k, one file a topic ---- */

extern const luaL_Reg methods_read[];   /* read.c: get, list, service, events, expect_absent, expect_seen, workfile */
extern const luaL_Reg methods_write[];  /* write.c: apply, create, patch, delete, delete_all, scale, restart, label, annotate */
extern const luaL_Reg methods_wait[];   /* wait.c: wait, wait_gone, sleep */
extern const luaL_Reg methods_try[];    /* try.c: logs, exec, http */
extern const luaL_Reg methods_prelude[]; /* read.c: state; for the prelude only */
extern const char *const prelude_lua[]; /* prelude.c: methods written in Lua, in parts, NULL at the end: a chunk that returns a function from the trusted methods to a table */
void register_words(struct bind *bind, lua_State *lua); /* words.c: t, expect, step, lesson, course as globals of the table on top */

#endif
