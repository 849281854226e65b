/* internal.h: how the files of bind/ share their work. Functions that take a lua_State may longjmp unless they say otherwise. */
#ifndef KT_BIND_INTERNAL_H
#define KT_BIND_INTERNAL_H

#include <lauxlib.h>
#include <lua.h>

#include "base/buf.h"
#include "base/map.h"
#include "bind/bind.h"
#include "data/shape.h"
#include "data/value.h"
#include "kube/streams.h"
#include "kube/verbs.h"
#include "kube/watch.h"

enum { BIND_SELECTIONS = 256, BIND_READS = 128, BIND_EXPECTATIONS = 200, BIND_FILE = 1 << 20, BIND_DEPTH = 40 };

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
    int prelude; /* kept table of methods written in Lua */
};
void bind_changed(struct bind *bind, const struct selection *selection); /* marks the followers dirty */
/* The run whose task is running; a Lua error if there is none. */
struct bind_run *run_of(lua_State *lua);
/* For methods of k: the first argument must be the run's own k, and the run's mode at least this one. `what` names the function for the message. */
struct bind_run *run_at_least(lua_State *lua, enum bind_mode mode, const char *what);
/* Remembers that the run read this selection (takes the reference over). False: too many. */
bool run_reads(struct bind_run *run, struct selection *selection);

/* ---- convert.c: Lua values and documents ---- */

void push_value(lua_State *lua, const struct value *v);  /* plain tables; null and missing are nil */
/* An own box on the stack that frees a value or a shape when Lua drops it: so that a longjmp loses nothing. */
struct value **push_value_box(lua_State *lua);
struct shape **push_shape_box(lua_State *lua);
/* Makes a document of the Lua value at index into *box (a box already on the stack). Tables whose keys are 1..n are lists, {} is an object. */
void value_from_lua(lua_State *lua, int index, struct value **box);
/* Makes a shape of the Lua value at index. Functions in it are kept alive by the box. */
void shape_from_lua(lua_State *lua, int index, struct shape **box, int box_index);
void both_from_lua(lua_State *lua, int index, struct both *both); /* a string (both languages) or a table with en and zh; does not raise; no memory: NULLs */
char *copy_string(lua_State *lua, const char *text); /* NULL stays NULL; raises without memory. Store it at once where it is freed */
void register_convert(lua_State *lua); /* metatables, matchers as globals of the table on top */

/* ---- handle.c: objects and sets of them ---- */

struct handle {
    uint64_t serial;
    const struct kube_resource *resource; /* NULL: the server has no such kind */
    char *asked;     /* the kind as the lesson wrote it */
    char *ns, *name;
    struct selection *selection; /* live; NULL: a snapshot */
    struct value *snapshot;      /* owned; NULL: not there */
};
/* Pushes a handle; fields are copied. snapshot is taken over from the box (set to NULL). */
struct handle *push_handle(lua_State *lua, const struct bind_run *run, const struct kube_resource *resource, const char *asked, const char *ns,
                           const char *name, struct selection *selection, struct value **snapshot);
struct set {
    uint64_t serial;
    const struct kube_resource *resource; /* NULL: the server has no such kind */
    char *asked, *ns, *labels, *words; /* words: the selection as people read it */
    struct selection *selection; /* live; NULL: a snapshot */
    struct value *items;         /* owned array, of a snapshot */
    bool ready, each;
};
struct set *push_set(lua_State *lua, const struct bind_run *run, const struct kube_resource *resource, const char *asked, const char *ns, const char *labels,
                     const char *fields, struct selection *selection, struct value **items);
struct set *to_set(lua_State *lua, int index);       /* raises if it is none */
/* Walks the set's objects that pass its filter: *cursor starts at 0. */
const struct value *set_next(const struct set *set, size_t *cursor);
size_t set_count(const struct set *set);
struct handle *to_handle(lua_State *lua, int index); /* NULL if it is none; a Lua error if it is of another run */
const struct value *handle_object(const struct handle *handle); /* NULL: not there */
void register_handle(lua_State *lua);
bool object_condition(const struct value *object, const char *type); /* status True, and not of an older generation */
bool object_is_ready(const struct value *object);  /* Ready or Available, and not being deleted */
bool object_rolled_out(const struct value *object, char *words, size_t room); /* as `kubectl rollout status`; words: what is missing */

/* ---- expect.c ---- */

/* Adds an expectation to the running verdict; strings are copied; NULL object: not there. Returns NULL (and the run fails) without memory. */
struct expectation *add_expectation(struct bind_run *run, lua_State *lua, const struct kube_resource *resource, const char *asked, const char *name,
                                    const struct value *object, bool holds);
void expectation_say(struct expectation *e, const char *path, const char *expected, const char *actual);
/* Pushes what an expectation call returns: an object with :points(n), :explain(t{}). `first` is the index of the first one it covers. */
void push_expectation(lua_State *lua, const struct bind_run *run, size_t first);
/* Holds the object (NULL: missing) against the pattern at index; adds one expectation for each difference, one that holds if there is none. */
void expect_shape(lua_State *lua, struct bind_run *run, const struct kube_resource *resource, const char *asked, const char *name, const struct value *object,
                  int pattern_index, int options_index);
void register_expect(lua_State *lua);

/* ---- op.c: something under way that a task waits for ---- */

struct op;
typedef int op_finish(lua_State *lua, struct op *op); /* pushes results; may raise */
struct op {
    struct bind_run *run;
    struct script_wait *wait;
    bool ended;          /* finished or failed; nothing is under way any more */
    struct error error;
    op_finish *finish;
    void (*next)(struct op *op); /* the next stage, called when one ended well */
    /* what is under way, each NULL or 0 when not */
    struct kube_call *call;
    struct kube_list *list;
    unsigned resolve;
    struct kube_watch *watch;
    struct kube_exec *exec;
    struct loop_event *timer;
    struct selection *selection; /* whose first list it waits for */
    /* arguments and results, owned */
    char *kind, *ns, *name, *text;
    const struct kube_resource *resource;
    struct value *object, *result;
    struct vec documents;        /* of struct value, for apply */
    size_t index;
    struct kube_write_options write;
    enum kube_patch patch;
    struct buf out;
    char *labels, *fields;
    int code;
    int64_t deadline;
    bool create, ignore_missing, wait_gone;
    const char *subresource;
    char *uid;
};
/* Pushes a new one (a userdata that ends everything when it is dropped). */
struct op *op_new(lua_State *lua, struct bind_run *run);
void op_begin(lua_State *lua, struct op *op);            /* before anything is started */
int op_wait(lua_State *lua, struct op *op);              /* yields until op_end; then finish runs. Use: return op_wait(lua, op) */
void op_end(struct op *op, const struct error *error);   /* error NULL: it worked. No longjmp */
void op_object(void *op, struct value *object, const struct error *error, const struct kube_status *status); /* a kube_done: result, then next or end */
/* Finds op->kind (or the kind of op->object) and then calls next. No longjmp. */
void op_resolve(struct op *op);
void register_op(lua_State *lua);
/* Arguments "handle" or "kind, name" at index; fills kind, resource, name, ns, uid. Returns the index after them. */
int op_target(lua_State *lua, struct op *op, int index);
struct kube_target op_kube_target(const struct op *op);

/* ---- methods of k, one file a topic ---- */

extern const luaL_Reg methods_read[];   /* read.c: get, list, service, events, expect_absent, expect_seen, workfile */
extern const luaL_Reg methods_write[];  /* write.c: apply, create, patch, delete, delete_all, scale, restart, label, annotate */
extern const luaL_Reg methods_wait[];   /* wait.c: wait, wait_gone, sleep */
extern const luaL_Reg methods_try[];    /* try.c: logs, exec, http */
extern const char prelude_lua[];        /* prelude.c: methods written in Lua: a chunk that returns a function from the trusted methods to a table */
void register_words(struct bind *bind, lua_State *lua); /* words.c: t, expect, step, lesson, course as globals of the table on top */

/* An optional string or boolean of the options table at index (which may be nil). */
const char *option_text(lua_State *lua, int index, const char *name);
bool option_true(lua_State *lua, int index, const char *name);
lua_Number option_number(lua_State *lua, int index, const char *name, lua_Number otherwise);
/* { a = "b", c = true } as "a=b,c"; pushed as a string. */
void push_selector(lua_State *lua, int index);

#endif
