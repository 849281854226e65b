/* op.c: something under way that a task waits for. The op is a userdata on the task's stack: whether it ends, fails, or the task is dropped,
 * Lua frees it, and with it all that was under way. */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bind/objects.h"
#include "bind/op.h"
#include "loop/child.h"

#define OP "kubetutor.op"

enum { OP_DOCUMENTS = 200, OP_OUTPUT = 1 << 20, OP_ARGUMENTS = 6 };

static void free_value(void *value)
{
    value_free(value);
}

/* Ends what is under way; results stay. */
static void stop_all(struct op *op)
{
    kube_call_cancel(op->call);
    kube_list_cancel(op->list);
    if (op->resolve != 0)
        kube_resolve_cancel(op->run->bind->client, op->resolve);
    if (op->watch != NULL)
        kube_watch_stop(op->watch);
    if (op->exec != NULL)
        kube_exec_cancel(op->exec);
    if (op->child != NULL)
        child_cancel(op->child);
    loop_drop(op->timer);
    if (op->selection != NULL)
        for (size_t i = 0; i < op->selection->waiting.length; i++)
            if (op->selection->waiting.items[i] == op) {
                vec_remove(&op->selection->waiting, i);
                break;
            }
    op->call = NULL;
    op->list = NULL;
    op->resolve = 0;
    op->watch = NULL;
    op->exec = NULL;
    op->child = NULL;
    op->timer = NULL;
    op->selection = NULL;
}

static void cancel(void *data)
{
    struct op *op = data;
    stop_all(op);
    op->ended = true;
    op->wait = NULL;
}

static int drop(lua_State *lua)
{
    struct op *op = lua_touserdata(lua, 1);
    if (!op->ended) /* the run may be gone already, but then cancel() was called */
        stop_all(op);
    op->ended = true;
    char **const owned[] = {&op->kind, &op->ns, &op->name, &op->text, &op->labels, &op->fields, &op->uid};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        mem_free(*owned[i]);
        *owned[i] = NULL;
    }
    value_free(op->object);
    value_free(op->result);
    op->object = NULL;
    op->result = NULL;
    vec_free(&op->documents);
    buf_free(&op->out);
    return 0;
}

struct op *op_new(lua_State *lua, struct bind_run *run)
{
    if (lua_gettop(lua) < OP_ARGUMENTS)
        lua_settop(lua, OP_ARGUMENTS);
    struct op *op = lua_newuserdatauv(lua, sizeof *op, 0);
    *op = (struct op){.run = run, .write = KUBE_WRITE_DEFAULTS, .ended = true, .deadline = -1};
    op->documents = vec_make(OP_DOCUMENTS, free_value);
    op->out = buf_make(OP_OUTPUT);
    luaL_setmetatable(lua, OP);
    return op;
}

static int finished(lua_State *lua, void *data)
{
    struct op *op = data;
    if (op->error.kind != ERROR_NONE)
        return script_raise(lua, &op->error);
    return op->finish(lua, op);
}

int op_wait(lua_State *lua, struct op *op)
{
    if (op->ended) /* ended before it had to wait: an error at the start, or an answer that was at hand */
        return finished(lua, op);
    op->wait = script_wait_new(lua, cancel, op);
    return script_wait_yield(lua, op->wait, finished);
}

void op_end(struct op *op, const struct error *error)
{
    if (op->ended)
        return;
    stop_all(op);
    op->ended = true;
    if (error != NULL)
        op->error = *error;
    struct script_wait *wait = op->wait;
    op->wait = NULL;
    if (wait != NULL)
        script_wake(wait);
}

void op_object(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct op *op = data;
    op->call = NULL;
    op->list = NULL;
    op->code = status->code;
    value_free(op->result);
    op->result = object;
    if (error != NULL && !(op->ignore_missing && error->kind == ERROR_NOT_FOUND) && !(op->ignore_replaced && error->kind == ERROR_CONFLICT))
        op_end(op, error);
    else if (op->next != NULL)
        op->next(op);
    else
        op_end(op, NULL);
}

static void resolved(void *data, const struct kube_resource *resource, const struct error *error)
{
    struct op *op = data;
    op->resolve = 0;
    op->resource = resource;
    if (error != NULL)
        op_end(op, error);
    else
        op->next(op);
}

void op_resolve(struct op *op)
{
    struct kube_client *client = op->run->bind->client;
    const char *version = value_find_text(op->object, "apiVersion", NULL), *kind = value_find_text(op->object, "kind", NULL);
    bool ended_already = op->ended;
    unsigned number = 0;
    if (op->kind != NULL)
        number = kube_resolve(client, op->kind, resolved, op);
    else if (version != NULL && kind != NULL)
        number = kube_resolve_kind(client, version, kind, resolved, op);
    else {
        struct error err = ERROR_INIT;
        error_set(&err, ERROR_INPUT, NULL, "the object has no apiVersion or no kind");
        op_end(op, &err);
        return;
    }
    if (number != 0 && !ended_already && !op->ended)
        op->resolve = number;
}

struct kube_target op_kube_target(const struct op *op)
{
    return (struct kube_target){
        .resource = op->resource,
        .ns = op->resource->namespaced ? (op->ns != NULL ? op->ns : op->run->bind->ns) : NULL,
        .name = op->name,
        .subresource = op->subresource,
    };
}

int op_target(lua_State *lua, struct op *op, int index)
{
    const struct handle *handle = to_handle(lua, index);
    if (handle == NULL) {
        if (lua_type(lua, index) == LUA_TNIL)
            luaL_argerror(lua, index, "an object or a kind is wanted, this is nil (does the object exist?)");
        op->kind = copy_string(lua, luaL_checkstring(lua, index));
        op->name = copy_string(lua, luaL_checkstring(lua, index + 1));
        return index + 2;
    }
    if (handle->name == NULL)
        luaL_argerror(lua, index, "there is no such object");
    op->resource = handle->resource;
    op->kind = mem_string(handle->asked);
    op->name = mem_string(handle->name);
    op->ns = handle->ns != NULL ? mem_string(handle->ns) : NULL;
    const char *uid = value_find_text(handle_object(handle), "metadata", "uid", NULL);
    op->uid = uid != NULL ? mem_string(uid) : NULL;
    if (op->kind == NULL || op->name == NULL || (handle->ns != NULL && op->ns == NULL) || (uid != NULL && op->uid == NULL))
        luaL_error(lua, "out of memory");
    return index + 1;
}

/* From here on something may be under way. */
void op_begin(lua_State *lua, struct op *op)
{
    if (!script_can_wait(lua))
        luaL_error(lua, "this cannot wait here: call it from the step's function itself, not from inside a coroutine, a sort or a gsub");
    op->ended = false;
}

void register_op(lua_State *lua)
{
    luaL_newmetatable(lua, OP);
    lua_pushcfunction(lua, drop);
    lua_setfield(lua, -2, "__gc");
    lua_pushliteral(lua, "locked");
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 1);
}
