#include "script/script.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "loop/loop.h"
#include "script/state.h"

enum { CHUNKS = 1000, BIG = 4096 /* bytes: blocks from here on are charged for */ };

struct script *script_of(lua_State *lua)
{
    return *(struct script **)lua_getextraspace(lua);
}

static void *allocate(void *data, void *old, size_t old_size, size_t size)
{
    struct script *script = data;
    if (old == NULL)
        old_size = 0; /* Lua puts a type there */
    if (size == 0) {
        mem_free(old);
        script->memory -= old_size;
        return NULL;
    }
    if (size > old_size && size - old_size > script->limits.memory - script->memory) {
        /* Lua collects everything now and asks again; a script that lives on this must pay for it */
        script->over_cap = script->starved = true;
        budget_allocated(script, script->memory / 8, true);
        return NULL;
    }
    void *block = mem_resize(old, size);
    if (block == NULL && size > old_size) {
        script->over_cap = false;
        return NULL;
    }
    script->memory = script->memory - old_size + size;
    if (size >= BIG)
        budget_allocated(script, size / 64, false);
    return block != NULL ? block : old; /* Lua expects that shrinking succeeds: the old block is large enough */
}

static struct script *free_parts(struct script *script)
{
    if (script->main != NULL)
        lua_close(script->main);
    strings_free(script);
    loop_drop(script->wake_timer);
    vec_free(&script->chunks);
    mem_free(script->pack);
    mem_free(script);
    return NULL;
}

struct script *script_new(struct loop *loop, const char *pack, const struct script_limits *limits, struct error *err)
{
    struct script *script = mem_zero(1, sizeof *script);
    if (script == NULL) {
        error_memory(err);
        return NULL;
    }
    if (limits != NULL)
        script->limits = *limits;
    if (script->limits.memory == 0)
        script->limits.memory = (size_t)8 << 20;
    if (script->limits.instructions == 0)
        script->limits.instructions = 50000000;
    if (script->limits.wall_ms == 0)
        script->limits.wall_ms = 1000;
    script->loop = loop;
    script->chunks = vec_make(CHUNKS, mem_free);
    script->started_us = clock_monotonic_us();
    bool ok = pack == NULL || (script->pack = mem_string(pack)) != NULL;
    ok = ok && (loop == NULL || (script->wake_timer = loop_add_timer(loop, -1, task_wake_round, script)) != NULL);
    if (!ok || (script->main = lua_newstate(allocate, script)) == NULL) {
        error_memory(err);
        return free_parts(script);
    }
    *(struct script **)lua_getextraspace(script->main) = script;
    if (!script_protect(script, script->main, sandbox_install, NULL, 0, 0, err))
        return free_parts(script);
    return script;
}

void script_free(struct script *script)
{
    if (script == NULL)
        return;
    if (script->gone != NULL)
        *script->gone = true;
    task_free_all(script);
    free_parts(script);
}

lua_State *script_lua(struct script *script)
{
    return script->running != NULL ? script->running : script->main;
}

void script_set_context(struct script *script, void *context)
{
    script->context = context;
}

void *script_context(lua_State *lua)
{
    return script_of(lua)->context;
}

/* A message handler: notes the place while the stack still stands, changes nothing. */
static int note_where(lua_State *lua)
{
    struct script *script = script_of(lua);
    script_where(lua, script->noted, sizeof script->noted);
    return 1;
}

bool script_protect(struct script *script, lua_State *lua, int (*fn)(lua_State *lua), void *data, int argument_count, int result_count,
                    struct error *err)
{
    int base = lua_gettop(lua) - argument_count + 1;
    if (!lua_checkstack(lua, 4 + result_count)) {
        lua_settop(lua, base - 1);
        return error_memory(err);
    }
    struct stretch outer;
    budget_enter(script, lua, &outer);
    script->noted[0] = '\0';
    lua_pushcfunction(lua, note_where);
    lua_pushcfunction(lua, fn);
    lua_rotate(lua, base, 2);
    lua_pushlightuserdata(lua, data);
    int status = lua_pcall(lua, argument_count + 1, result_count, base);
    if (status == LUA_OK) {
        lua_remove(lua, base);
    } else {
        char where[SCRIPT_WHERE];
        memcpy(where, script->noted, sizeof where);
        error_describe(script, lua, status, where, err);
        lua_settop(lua, base - 1);
    }
    budget_leave(script, &outer);
    return status == LUA_OK;
}

static RAISES int set_global(lua_State *lua)
{
    const char *name = lua_touserdata(lua, 2);
    lua_settop(lua, 1);
    sandbox_set_global(lua, name);
    return 0;
}

bool script_set_global(struct script *script, const char *name, struct error *err)
{
    return script_protect(script, script_lua(script), set_global, (void *)(uintptr_t)name, 1, 0, err);
}

static RAISES int keep(lua_State *lua)
{
    struct script *script = lua_touserdata(lua, 2);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, script);
    lua_pushvalue(lua, 1);
    lua_rawseti(lua, -2, script->last_id + 1);
    script->last_id++;
    return 0;
}

int script_keep(struct script *script)
{
    lua_State *lua = script_lua(script);
    if (script->last_id == INT32_MAX) {
        lua_pop(lua, 1);
        return 0;
    }
    return script_protect(script, lua, keep, script, 1, 0, NULL) ? script->last_id : 0;
}

void script_push_kept(struct script *script, int id)
{
    lua_State *lua = script_lua(script);
    lua_checkstack(lua, 2);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, script);
    lua_rawgeti(lua, -1, id);
    lua_remove(lua, -2);
}

void script_unkeep(struct script *script, int id)
{
    lua_State *lua = script_lua(script);
    lua_checkstack(lua, 3);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, script);
    if (lua_rawgeti(lua, -1, id) != LUA_TNIL) {
        lua_pushnil(lua);
        lua_rawseti(lua, -3, id); /* the key is there: nothing is allocated */
    }
    lua_pop(lua, 2);
}
