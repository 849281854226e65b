/* op.h: something under way that a task waits for. Functions that take a lua_State may longjmp unless they say otherwise.
 */
#ifndef KT_BIND_OP_H
#define KT_BIND_OP_H

#include "bind/internal.h"
#include "kube/streams.h"
#include "kube/verbs.h"

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
    struct child *child;
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
    bool create, shared, wait_gone;
    bool ignore_missing, ignore_replaced; /* not found, or another object has the name now: that is fine */
    const char *subresource;
    char *uid;
};
/* Pushes a new one (a userdata that ends everything when it is dropped), above all arguments that a method may have: those that were not given read as
 * nil afterwards. */
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

#endif
