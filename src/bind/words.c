/* words.c: the words of a lesson file: t, expect, step, lesson, course; and a file's result as plain data. */
#include <stdlib.h>
#include <string.h>

#include "base/lang.h"
#include "base/mem.h"
#include "bind/objects.h"

/* t { en = "...", zh = "..." } */
static int word_t(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    const char *const names[] = {"en", "zh"};
    for (size_t i = 0; i < 2; i++) {
        lua_getfield(lua, 1, names[i]);
        if (lua_type(lua, -1) != LUA_TSTRING)
            return luaL_error(lua, "t{} wants a text in both languages: t { en = \"…\", zh = \"…\" }; \"%s\" is missing", names[i]);
        lua_pop(lua, 1);
    }
    lua_settop(lua, 1);
    return 1;
}

/* expect(holds, t{...}) */
static int word_expect(lua_State *lua)
{
    struct bind_run *run = run_of(lua);
    luaL_checkany(lua, 1);
    size_t first = run->verdict->expectations.length;
    struct expectation *e = add_expectation(run, lua, NULL, "", "", NULL, lua_toboolean(lua, 1));
    if (e == NULL)
        return luaL_error(lua, "the check states too many expectations");
    if (lua_gettop(lua) >= 2)
        both_from_lua(lua, 2, &e->text);
    push_expectation(lua, run, first);
    return 1;
}

/* The line of the lesson that runs now; 0: unknown. */
static void push_line(lua_State *lua)
{
    char where[128];
    script_where(lua, where, sizeof where);
    const char *colon = strrchr(where, ':');
    lua_pushinteger(lua, colon != NULL ? (lua_Integer)strtol(colon + 1, NULL, 10) : 0);
}

static int step_body(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_setfield(lua, 1, "id");
    lua_pushvalue(lua, lua_upvalueindex(2));
    lua_setfield(lua, 1, "$line");
    lua_settop(lua, 1);
    return 1;
}

/* step "id" { ... } */
static int word_step(lua_State *lua)
{
    luaL_checkstring(lua, 1);
    lua_settop(lua, 1);
    push_line(lua);
    lua_pushcclosure(lua, step_body, 2);
    return 1;
}

static int word_marked(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_setfield(lua, 1, "$type");
    push_line(lua);
    lua_setfield(lua, 1, "$line");
    lua_settop(lua, 1);
    return 1;
}

void register_words(struct bind *bind, lua_State *lua)
{
    (void)bind;
    static const luaL_Reg words[] = {{"t", word_t}, {"expect", word_expect}, {"step", word_step}, {NULL, NULL}};
    static const char *const marks[] = {"lesson", "course"};
    luaL_setfuncs(lua, words, 0);
    for (size_t i = 0; i < 2; i++) {
        lua_pushstring(lua, marks[i]);
        lua_pushcclosure(lua, word_marked, 1);
        lua_setfield(lua, -2, marks[i]);
    }
}

/* ---- a file's result as plain data ---- */

/* Replaces every function below the table at index by {"$function": id}; the id is script_keep's. `ours` is the index of a table whose keys are the stand-ins
 * made so far: a table may be met twice, but nobody else may name a function by its number. */
static void keep_functions(lua_State *lua, struct script *script, int index, int ours, int depth)
{
    if (depth > BIND_DEPTH)
        luaL_error(lua, "the table is nested too deeply");
    luaL_checkstack(lua, 8, "the table is nested too deeply");
    lua_pushvalue(lua, index);
    bool made = lua_rawget(lua, ours) != LUA_TNIL;
    lua_pushliteral(lua, "$function");
    if (lua_rawget(lua, index) != LUA_TNIL && !made)
        luaL_error(lua, "no field may be called $function");
    lua_pop(lua, 2);
    if (made)
        return;
    for (lua_pushnil(lua); lua_next(lua, index) != 0; lua_pop(lua, 1)) {
        if (lua_istable(lua, -1))
            keep_functions(lua, script, lua_gettop(lua), ours, depth + 1);
        else if (lua_isfunction(lua, -1)) {
            lua_pushvalue(lua, -1);
            lua_Debug about;
            lua_pushvalue(lua, -1);
            lua_getinfo(lua, ">u", &about);
            int id = script_keep(script);
            lua_pushvalue(lua, -2); /* the key */
            lua_createtable(lua, 0, 2);
            lua_pushinteger(lua, id);
            lua_setfield(lua, -2, "$function");
            lua_pushinteger(lua, about.isvararg ? 255 : about.nparams);
            lua_setfield(lua, -2, "$parameters");
            lua_pushvalue(lua, -1);
            lua_pushboolean(lua, true);
            lua_rawset(lua, ours);
            lua_rawset(lua, index); /* an existing key: allowed during a walk */
        }
    }
}

static int load_inside(lua_State *lua) /* stack: result, lightuserdata box */
{
    struct value **box = lua_touserdata(lua, 2);
    if (!lua_istable(lua, 1))
        return luaL_error(lua, "the file must end in: return lesson { … } (or course { … })");
    lua_newtable(lua);
    keep_functions(lua, script_of(lua), 1, 3, 0);
    value_from_lua(lua, 1, box);
    return 0;
}

struct value *bind_load(struct bind *bind, const char *path, struct error *err)
{
    lua_State *lua = script_lua(bind->script);
    struct value *v = NULL;
    if (!script_run_file(bind->script, path, err))
        return NULL;
    if (script_protect(bind->script, lua, load_inside, &v, 1, 0, err))
        return v;
    if (err != NULL && err->where[0] == '\0')
        error_set(err, err->kind, path, "%s", err->message);
    value_free(v);
    return NULL;
}
