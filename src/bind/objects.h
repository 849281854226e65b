/* objects.h: what Lua holds of the cluster: documents, patterns, handles, sets, expectations. Functions that take a lua_State may longjmp unless
 * they say otherwise.
 */
#ifndef KT_BIND_OBJECTS_H
#define KT_BIND_OBJECTS_H

#include "bind/internal.h"
#include "bind/op.h"
#include "data/shape.h"

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
/* read.c: waits until all objects of op->resource in op->ns are read (op->selection is not kept: take it again), then finish. Use: return read_all(...). */
int read_all(lua_State *lua, struct op *op, op_finish *finish);
void register_handle(lua_State *lua);
bool object_condition(const struct value *object, const char *type); /* status True, and not of an older generation */
bool object_is_ready(const struct value *object);  /* Ready or Available, and not being deleted */
bool object_rolled_out(const struct value *object, char *words, size_t room); /* as `kubectl rollout status`; words: what is missing */

/* ---- expect.c ---- */

/* Adds an expectation to the running verdict; strings are copied; NULL object: not there. Returns NULL (and the run fails) without memory. */
struct expectation *add_expectation(struct bind_run *run, lua_State *lua, const struct kube_resource *resource, const char *asked, const char *name,
                                    const struct value *object, bool holds);
/* NULL e: nothing. `history` as in verdict.h. */
void expectation_history(struct expectation *e);
void expectation_say(struct expectation *e, const char *path, const char *expected, const char *actual);
/* Pushes what an expectation call returns: an object with :points(n), :explain(t{}). `first` is the index of the first one it covers. */
void push_expectation(lua_State *lua, const struct bind_run *run, size_t first);
/* Holds the object (NULL: missing) against the pattern at index; adds one expectation for each difference, one that holds if there is none. */
void expect_shape(lua_State *lua, struct bind_run *run, const struct kube_resource *resource, const char *asked, const char *name, const struct value *object,
                  int pattern_index, int options_index);
void register_expect(lua_State *lua);

/* An optional string or boolean of the options table at index (which may be nil). */
const char *option_text(lua_State *lua, int index, const char *name);
bool option_true(lua_State *lua, int index, const char *name);
lua_Number option_number(lua_State *lua, int index, const char *name, lua_Number otherwise);
/* { a = "b", c = true } as "a=b,c"; pushed as a string. */
void push_selector(lua_State *lua, int index);
bool selector_fits(const char *selector, const struct value *object); /* selector.c; no longjmp. What only a server can read fits */

#endif
