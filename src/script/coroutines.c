/* pcall, xpcall and coroutine.*: as the real ones, but for two things. A stretch that is over cannot be caught. And the threads of the
 * scheduler are not handed out: what runs directly in a task sees itself as the main program, whose coroutine.yield is refused. */
#include "script/state.h"

enum { RESUME_UNITS = 20, CREATE_UNITS = 1000 /* prepays what runs until the new thread's first tick */ };

/* ---- pcall and xpcall: callbacks may wait ---- */

static RAISES int finish_pcall(lua_State *lua, int status, lua_KContext skip)
{
    if (budget_over(script_of(lua)))
        return budget_raise(lua);
    if (status != LUA_OK && status != LUA_YIELD) {
        lua_pushboolean(lua, false);
        lua_pushvalue(lua, -2);
        return 2;
    }
    return lua_gettop(lua) - (int)skip;
}

static RAISES int base_pcall(lua_State *lua)
{
    luaL_checkany(lua, 1);
    lua_pushboolean(lua, true);
    lua_insert(lua, 1);
    int status = lua_pcallk(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0, 0, finish_pcall);
    return finish_pcall(lua, status, 0);
}

/* Stands before the script's handler: that would run inside the hook, where no budget holds, when the stretch is over. */
static RAISES int guarded_handler(lua_State *lua)
{
    if (budget_over(script_of(lua)))
        return 1;
    lua_settop(lua, 1);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, 1, 1);
    return 1;
}

static RAISES int base_xpcall(lua_State *lua)
{
    int top = lua_gettop(lua);
    luaL_checktype(lua, 2, LUA_TFUNCTION);
    lua_pushvalue(lua, 2);
    lua_pushcclosure(lua, guarded_handler, 1);
    lua_replace(lua, 2);
    lua_pushboolean(lua, true);
    lua_pushvalue(lua, 1);
    lua_rotate(lua, 3, 2); /* f handler true f args */
    int status = lua_pcallk(lua, top - 2, LUA_MULTRET, 2, 2, finish_pcall);
    return finish_pcall(lua, status, 2);
}

const luaL_Reg protected_functions[] = {{"pcall", base_pcall}, {"xpcall", base_xpcall}, {NULL, NULL}};

/* ---- coroutines ---- */

static RAISES lua_State *check_thread(lua_State *lua)
{
    lua_State *thread = lua_tothread(lua, 1);
    luaL_argexpected(lua, thread != NULL, 1, "coroutine");
    return thread;
}

/* Resumes with the arguments on top of lua. The number of results (pushed on lua), or -1 and the error object there. */
static RAISES int resume(lua_State *lua, lua_State *thread, int argument_count)
{
    struct script *script = script_of(lua);
    int result_count = 0;
    budget_charge(lua, RESUME_UNITS);
    if (!lua_checkstack(thread, argument_count)) {
        lua_pushliteral(lua, "too many arguments to resume");
        return -1;
    }
    lua_xmove(lua, thread, argument_count);
    script->running = thread;
    budget_arm(script, thread);
    int status = lua_resume(thread, lua, argument_count, &result_count);
    script->running = lua;
    if (budget_over(script))
        return budget_raise(lua);
    if (status != LUA_OK && status != LUA_YIELD) {
        lua_xmove(thread, lua, 1);
        return -1;
    }
    if (!lua_checkstack(lua, result_count + 1)) {
        lua_pop(thread, result_count);
        lua_pushliteral(lua, "too many results to resume");
        return -1;
    }
    lua_xmove(thread, lua, result_count);
    return result_count;
}

static RAISES int co_create(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TFUNCTION);
    budget_charge(lua, CREATE_UNITS);
    lua_State *thread = lua_newthread(lua);
    lua_pushvalue(lua, 1);
    lua_xmove(lua, thread, 1);
    return 1;
}

static RAISES int co_resume(lua_State *lua)
{
    lua_State *thread = check_thread(lua);
    int count = resume(lua, thread, lua_gettop(lua) - 1);
    lua_pushboolean(lua, count >= 0);
    if (count < 0)
        count = 1;
    lua_insert(lua, -(count + 1));
    return count + 1;
}

static RAISES int run_wrapped(lua_State *lua)
{
    lua_State *thread = lua_tothread(lua, lua_upvalueindex(1));
    int count = resume(lua, thread, lua_gettop(lua));
    if (count >= 0)
        return count;
    if (lua_type(lua, -1) == LUA_TSTRING) { /* as the real one: with the place of the call in front */
        luaL_where(lua, 1);
        lua_insert(lua, -2);
        lua_concat(lua, 2);
    }
    return lua_error(lua);
}

static RAISES int co_wrap(lua_State *lua)
{
    co_create(lua);
    lua_pushcclosure(lua, run_wrapped, 1);
    return 1;
}

static RAISES int co_yield(lua_State *lua)
{
    if (script_of(lua)->top == lua)
        return luaL_error(lua, "attempt to yield from outside a coroutine");
    return lua_yield(lua, lua_gettop(lua));
}

static const char *status_of(lua_State *lua, lua_State *thread)
{
    lua_Debug ar;
    if (lua == thread)
        return "running";
    switch (lua_status(thread)) {
    case LUA_YIELD:
        return "suspended";
    case LUA_OK:
        if (lua_getstack(thread, 0, &ar))
            return "normal";
        return lua_gettop(thread) == 0 ? "dead" : "suspended";
    default:
        return "dead";
    }
}

static RAISES int co_status(lua_State *lua)
{
    lua_pushstring(lua, status_of(lua, check_thread(lua)));
    return 1;
}

static RAISES int co_isyieldable(lua_State *lua)
{
    lua_State *thread = lua_isthread(lua, 1) ? lua_tothread(lua, 1) : lua;
    lua_pushboolean(lua, lua_isyieldable(thread) && thread != script_of(lua)->top);
    return 1;
}

/* In a task or a chunk: nil, true. A thread of the scheduler in the hands of a script could be resumed while it waits. */
static RAISES int co_running(lua_State *lua)
{
    bool top = script_of(lua)->top == lua;
    if (top)
        lua_pushnil(lua);
    else
        lua_pushthread(lua);
    lua_pushboolean(lua, top);
    return 2;
}

/* Pending variables of a suspended coroutine are closed under the budget, one close at a time (Lua 5.4.4 does not count the C stack across nested
 * ones). Of one that died by an error they are not: where the budget killed it, no hook would run. */
static RAISES int co_close(lua_State *lua)
{
    struct script *script = script_of(lua);
    lua_State *thread = check_thread(lua);
    const char *status = status_of(lua, thread);
    int state = lua_status(thread);
    if (status[0] != 's' && status[0] != 'd')
        return luaL_error(lua, "cannot close a %s coroutine", status);
    if (script->closing)
        return luaL_error(lua, "coroutine.close is not available while another one runs");
    if (state != LUA_OK && state != LUA_YIELD) {
        lua_pushboolean(lua, false);
        lua_pushliteral(lua, "the coroutine ended with an error");
        return 2;
    }
    script->closing = true;
    script->running = thread;
    budget_arm(script, thread);
    state = lua_resetthread(thread);
    script->running = lua;
    script->closing = false;
    if (budget_over(script))
        return budget_raise(lua);
    lua_pushboolean(lua, state == LUA_OK);
    if (state == LUA_OK)
        return 1;
    lua_xmove(thread, lua, 1);
    return 2;
}

const luaL_Reg coroutine_functions[] = {
    {"close", co_close},   {"create", co_create}, {"isyieldable", co_isyieldable}, {"resume", co_resume}, {"running", co_running},
    {"status", co_status}, {"wrap", co_wrap},     {"yield", co_yield},             {NULL, NULL},
};
