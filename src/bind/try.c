/* try.c: what only trying shows: logs, commands in containers, HTTP through the API server. */
#include <string.h>

#include "base/mem.h"
#include "bind/objects.h"
#include "bind/op.h"
#include "loop/child.h"

enum { EXEC_ARGUMENTS = 64, EXEC_SECONDS = 30, EXEC_MOST_SECONDS = 300, SH_OUTPUT = 256 << 10 };

/* A Pod given as a handle or by name. */
static void take_pod(lua_State *lua, struct op *op, int index)
{
    const struct handle *handle = to_handle(lua, index);
    op->ns = copy_string(lua, handle != NULL && handle->ns != NULL ? handle->ns : op->run->bind->ns);
    op->name = copy_string(lua, handle != NULL ? handle->name : luaL_checkstring(lua, index));
    if (op->name == NULL)
        luaL_argerror(lua, index, "there is no such Pod");
}

/* ---- logs ---- */

static void log_bytes(void *data, const char *bytes, size_t length)
{
    buf_append(&((struct op *)data)->out, bytes, length);
}

static void log_done(void *data, const struct error *error)
{
    struct op *op = data;
    op->call = NULL;
    op_end(op, error);
}

static int finish_text(lua_State *lua, struct op *op)
{
    lua_pushlstring(lua, op->out.bytes != NULL ? op->out.bytes : "", op->out.length);
    return 1;
}

static int k_logs(lua_State *lua)
{
    struct bind_run *run = run_at_least(lua, BIND_VERIFY, "logs");
    lua_settop(lua, 3);
    struct op *op = op_new(lua, run);
    take_pod(lua, op, 2);
    struct kube_logs_options options = {.ns = op->ns, .pod = op->name, .container = option_text(lua, 3, "container"),
                                        .previous = option_true(lua, 3, "previous"), .tail_lines = (int64_t)option_number(lua, 3, "tail", -1)};
    struct error err = ERROR_INIT;
    op->finish = finish_text;
    op_begin(lua, op);
    op->call = kube_logs(run->bind->client, &options, log_bytes, log_done, op, &err);
    if (op->call == NULL)
        op_end(op, &err);
    return op_wait(lua, op);
}

/* ---- exec ---- */

static void exec_done(void *data, const struct kube_exec_result *result, const struct error *error)
{
    struct op *op = data;
    op->exec = NULL;
    if (error == NULL) {
        op->code = result->exit_code;
        buf_append(&op->out, result->output, result->output_length);
        mem_free(op->text);
        op->text = mem_string_n(result->errors, result->errors_length);
    }
    op_end(op, error);
}

static int finish_exec(lua_State *lua, struct op *op)
{
    lua_createtable(lua, 0, 3);
    lua_pushinteger(lua, op->code);
    lua_setfield(lua, -2, "code");
    finish_text(lua, op);
    lua_setfield(lua, -2, "out");
    lua_pushstring(lua, op->text != NULL ? op->text : "");
    lua_setfield(lua, -2, "err");
    return 1;
}

static int k_exec(lua_State *lua)
{
    const char *argv[EXEC_ARGUMENTS + 1];
    struct bind_run *run = run_at_least(lua, BIND_VERIFY, "exec");
    luaL_checktype(lua, 3, LUA_TTABLE);
    lua_settop(lua, 4);
    struct op *op = op_new(lua, run);
    take_pod(lua, op, 2);
    size_t count = (size_t)lua_rawlen(lua, 3);
    luaL_argcheck(lua, count > 0 && count <= EXEC_ARGUMENTS, 3, "a command of 1 to 64 words: { \"ls\", \"/\" }");
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(lua, 3, (lua_Integer)i + 1);
        if (lua_type(lua, -1) != LUA_TSTRING)
            return luaL_argerror(lua, 3, "every word of the command is a text");
        argv[i] = lua_tostring(lua, -1); /* the table keeps it alive */
        lua_pop(lua, 1);
    }
    argv[count] = NULL;
    lua_Number seconds = option_number(lua, 4, "timeout", EXEC_SECONDS);
    luaL_argcheck(lua, seconds > 0 && seconds <= EXEC_MOST_SECONDS, 4, "timeout is 0 to 300 seconds");
    const char *input = option_text(lua, 4, "input");
    struct kube_exec_options options = {.ns = op->ns, .pod = op->name, .container = option_text(lua, 4, "container"), .argv = argv, .input = input,
                                        .input_length = input != NULL ? strlen(input) : 0, .timeout_ms = (int64_t)(seconds * 1000)};
    struct error err = ERROR_INIT;
    op->finish = finish_exec;
    op_begin(lua, op);
    op->exec = kube_exec_start(run->bind->client, &options, exec_done, op, &err);
    if (op->exec == NULL)
        op_end(op, &err);
    return op_wait(lua, op);
}

/* ---- sh ---- */

static void child_done(void *data, const struct child_result *result)
{
    struct op *op = data;
    op->child = NULL;
    op->code = result->exit_code;
    buf_append(&op->out, result->output, result->output_length);
    mem_free(op->text);
    op->text = mem_string_n(result->errors, result->errors_length);
    op_end(op, result->error);
}

/* A command on the learner's own machine, in the lesson's work folder: only for packs that were trusted with it. */
static int k_sh(lua_State *lua)
{
    struct bind_run *run = run_at_least(lua, BIND_VERIFY, "sh");
    const char *command = luaL_checkstring(lua, 2);
    lua_settop(lua, 3);
    if (!run->bind->trusted)
        return luaL_error(lua, "k:sh runs commands on this machine, and this pack was not trusted with that: write its folder into trusted-packs in "
                               "kubetutor's configuration folder if you trust it");
    lua_Number seconds = option_number(lua, 3, "timeout", EXEC_SECONDS);
    luaL_argcheck(lua, seconds > 0 && seconds <= EXEC_MOST_SECONDS, 3, "timeout is 0 to 300 seconds");
    struct op *op = op_new(lua, run);
    op->kind = mem_printf("KUBETUTOR_NAMESPACE=%s", run->bind->ns);
    if (op->kind == NULL)
        return luaL_error(lua, "out of memory");
    const char *const argv[] = {"sh", "-c", command, NULL}, *const environment[] = {op->kind, NULL};
    struct child_options options = {.argv = argv, .environment = environment, .folder = run->bind->work_folder, .maximum = SH_OUTPUT,
                                    .timeout_ms = (int64_t)(seconds * 1000)};
    struct error err = ERROR_INIT;
    op->finish = finish_exec;
    op_begin(lua, op);
    op->child = child_start(run->bind->loop, &options, child_done, op, &err);
    if (op->child == NULL)
        op_end(op, &err);
    return op_wait(lua, op);
}

/* ---- http ---- */

static void http_done(void *data, const struct kube_answer *answer, const struct error *error)
{
    struct op *op = data;
    op->call = NULL;
    if (answer != NULL) {
        op->code = answer->code;
        buf_append(&op->out, answer->body != NULL ? answer->body : "", answer->length);
    }
    if (error != NULL && error->kind == ERROR_UNREACHABLE && op->code != 0) { /* the backend, not the cluster: an answer to look at */
        mem_free(op->text);
        op->text = mem_string(error->message);
        error = NULL;
    }
    op_end(op, error);
}

static int finish_http(lua_State *lua, struct op *op)
{
    lua_createtable(lua, 0, 3);
    lua_pushinteger(lua, op->code);
    lua_setfield(lua, -2, "status");
    finish_text(lua, op);
    lua_setfield(lua, -2, "body");
    if (op->text != NULL) {
        lua_pushstring(lua, op->text);
        lua_setfield(lua, -2, "error");
    }
    return 1;
}

/* k:http("service/nginx:80", "/") or "pod/web-0:8080". */
static int k_http(lua_State *lua)
{
    struct bind_run *run = run_at_least(lua, BIND_VERIFY, "http");
    const char *target = luaL_checkstring(lua, 2), *path = luaL_optstring(lua, 3, "/");
    const char *slash = strchr(target, '/'), *colon = slash != NULL ? strchr(slash, ':') : NULL;
    bool service = strncmp(target, "service/", 8) == 0, pod = strncmp(target, "pod/", 4) == 0;
    lua_settop(lua, 4);
    luaL_argcheck(lua, service || pod, 2, "\"service/NAME:PORT\" or \"pod/NAME:PORT\" is wanted");
    struct op *op = op_new(lua, run);
    op->ns = copy_string(lua, run->bind->ns);
    op->name = mem_string_n(slash + 1, colon != NULL ? (size_t)(colon - slash) - 1 : strlen(slash + 1));
    op->kind = copy_string(lua, colon != NULL ? colon + 1 : NULL);
    if (op->name == NULL)
        return luaL_error(lua, "out of memory");
    const char *method = option_text(lua, 4, "method");
    struct error err = ERROR_INIT;
    op->finish = finish_http;
    op_begin(lua, op);
    op->call = kube_proxy(run->bind->client, op->ns, service ? "services" : "pods", op->name, op->kind, method != NULL ? method : "GET", path, http_done, op, &err);
    if (op->call == NULL)
        op_end(op, &err);
    return op_wait(lua, op);
}

const luaL_Reg methods_try[] = {{"logs", k_logs}, {"exec", k_exec}, {"http", k_http}, {"sh", k_sh}, {NULL, NULL}};
