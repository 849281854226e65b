/* wait.c: waiting for the cluster, by a watch of its own, never by asking again and again. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bind/objects.h"
#include "bind/op.h"

enum { WAIT_SECONDS = 60, WAIT_MOST_SECONDS = 600 };

/* "Available" of something that has replicas means, too, that no old ones are left: a starting state must stand still. */
static bool is_there(const struct op *op, const struct value *object)
{
    char words[160];
    if (op->wait_gone)
        return object == NULL;
    if (object == NULL)
        return false;
    if (strcmp(op->text, "RolledOut") == 0)
        return object_rolled_out(object, words, sizeof words);
    if (strncmp(op->text, "phase=", 6) == 0) {
        const char *phase = value_find_text(object, "status", "phase", NULL);
        return phase != NULL && strcmp(phase, op->text + 6) == 0;
    }
    bool replicas = value_find(object, "spec", "replicas", NULL) != NULL && value_find(object, "spec", "template", NULL) != NULL;
    return object_condition(object, op->text) && (strcmp(op->text, "Available") != 0 || !replicas || object_rolled_out(object, words, sizeof words));
}

static void look(struct op *op)
{
    if (op->watch != NULL && kube_watch_synced(op->watch) && is_there(op, kube_watch_find(op->watch, op_kube_target(op).ns, op->name)))
        op_end(op, NULL);
}

static void changed(void *data, enum kube_change change, const struct value *object, const struct value *old)
{
    struct op *op = data;
    (void)old;
    if (op->watch == NULL || !kube_watch_synced(op->watch))
        return;
    if (is_there(op, change == KUBE_DELETED ? NULL : object))
        op_end(op, NULL);
}

static void synced(void *data)
{
    look(data);
}

static void trouble(void *data, const struct error *error, int64_t retry_ms)
{
    struct op *op = data;
    (void)retry_ms;
    if (error == NULL)
        op->error = ERROR_INIT;
    else if (error->kind == ERROR_DENIED || error->kind == ERROR_UNAUTHENTICATED)
        op_end(op, error);
    else
        op->error = *error; /* told if the time runs out */
}

static void too_late(void *data)
{
    struct op *op = data;
    struct error err = ERROR_INIT;
    if (op->error.kind == ERROR_UNREACHABLE)
        err = op->error;
    else
        error_set(&err, ERROR_TIMEOUT, NULL, "%s %s did not become %s in %g s", op->kind, op->name, op->wait_gone ? "absent" : op->text,
                  (double)op->deadline / 1000);
    op_end(op, &err);
}

static void start_watch(struct op *op)
{
    static const struct kube_watch_listener listener = {.changed = changed, .synced = synced, .trouble = trouble};
    struct error err = ERROR_INIT;
    struct kube_target target = op_kube_target(op);
    struct kube_watch_options options = {.resource = op->resource, .ns = target.ns, .fields = op->fields};
    op->watch = kube_watch_start(op->run->bind->client, &options, &listener, op, &err);
    op->timer = loop_add_timer(op->run->bind->loop, op->deadline, too_late, op);
    if (op->watch != NULL && op->timer == NULL)
        error_memory(&err);
    if (op->watch == NULL || op->timer == NULL)
        op_end(op, &err);
    else
        look(op);
}

static int finish(lua_State *lua, struct op *op)
{
    (void)lua;
    (void)op;
    return 0;
}

static int start_wait(lua_State *lua, struct op *op, int seconds_index)
{
    lua_Number seconds = luaL_optnumber(lua, seconds_index, WAIT_SECONDS);
    luaL_argcheck(lua, seconds > 0 && seconds <= WAIT_MOST_SECONDS, seconds_index, "0 to 600 seconds");
    op->deadline = (int64_t)(seconds * 1000);
    op->fields = mem_printf("metadata.name=%s", op->name);
    if (op->fields == NULL)
        return luaL_error(lua, "out of memory");
    op->finish = finish;
    op->next = start_watch;
    op_begin(lua, op);
    op_resolve(op);
    return op_wait(lua, op);
}

static int k_wait(lua_State *lua)
{
    struct op *op = op_new(lua, run_at_least(lua, BIND_VERIFY, "wait"));
    int index = op_target(lua, op, 2);
    op->text = mem_string(luaL_checkstring(lua, index));
    if (op->text == NULL)
        return luaL_error(lua, "out of memory");
    return start_wait(lua, op, index + 1);
}

static int k_wait_gone(lua_State *lua)
{
    struct op *op = op_new(lua, run_at_least(lua, BIND_VERIFY, "wait_gone"));
    int index = op_target(lua, op, 2);
    op->wait_gone = true;
    return start_wait(lua, op, index);
}

static void slept(void *data)
{
    op_end(data, NULL);
}

static int k_sleep(lua_State *lua)
{
    struct op *op = op_new(lua, run_at_least(lua, BIND_VERIFY, "sleep"));
    lua_Number seconds = luaL_checknumber(lua, 2);
    luaL_argcheck(lua, seconds >= 0 && seconds <= WAIT_SECONDS, 2, "0 to 60 seconds");
    op->finish = finish;
    op_begin(lua, op);
    op->timer = loop_add_timer(op->run->bind->loop, (int64_t)(seconds * 1000), slept, op);
    if (op->timer == NULL) {
        struct error err = ERROR_INIT;
        error_memory(&err);
        op_end(op, &err);
    }
    return op_wait(lua, op);
}

const luaL_Reg methods_wait[] = {{"wait", k_wait}, {"wait_gone", k_wait_gone}, {"sleep", k_sleep}, {NULL, NULL}};
