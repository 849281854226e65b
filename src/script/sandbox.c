/* What a script sees. The real libraries are opened once, allowed names are copied into fresh tables, ours are put beside them, and the real
 * tables are dropped. Scripts get frozen stand-ins of the tables. */
#include "script/state.h"

#include <lualib.h>
#include <string.h>

#include "base/clock.h"

static const char base_key; /* registry key of the table behind the environment, which scripts cannot reach */

/* ---- frozen tables and the environment ---- */

static RAISES int refuse_change(lua_State *lua)
{
    if (lua_type(lua, 2) == LUA_TSTRING)
        return luaL_error(lua, "'%s' cannot be set: this table belongs to the program", lua_tostring(lua, 2));
    return luaL_error(lua, "this table belongs to the program and cannot be changed");
}

/* pairs over a frozen table: hands out the entries, not the table behind. */
static RAISES int next_frozen(lua_State *lua)
{
    lua_settop(lua, 2);
    if (lua_next(lua, lua_upvalueindex(1)))
        return 2;
    lua_pushnil(lua);
    return 1;
}

static RAISES int pairs_frozen(lua_State *lua)
{
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_pushcclosure(lua, next_frozen, 1);
    return 1;
}

/* Puts an empty stand-in in the place of the table on top of the stack. */
static RAISES void freeze(lua_State *lua)
{
    lua_newtable(lua); /* the stand-in */
    lua_createtable(lua, 0, 4);
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, "__index");
    lua_pushvalue(lua, -3);
    lua_pushcclosure(lua, pairs_frozen, 1);
    lua_setfield(lua, -2, "__pairs");
    lua_pushcfunction(lua, refuse_change);
    lua_setfield(lua, -2, "__newindex");
    lua_pushboolean(lua, false);
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
    lua_remove(lua, -2);
}

/* A script's own globals are its own; what the program put there stays. */
static RAISES int set_in_environment(lua_State *lua)
{
    lua_settop(lua, 3);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &base_key);
    lua_pushvalue(lua, 2);
    if (lua_rawget(lua, -2) != LUA_TNIL)
        return refuse_change(lua);
    lua_settop(lua, 3);
    lua_rawset(lua, 1);
    return 0;
}

static RAISES bool is_frozen(lua_State *lua, int index)
{
    if (luaL_getmetafield(lua, index, "__newindex") == LUA_TNIL)
        return false;
    lua_CFunction fn = lua_tocfunction(lua, -1);
    lua_pop(lua, 1);
    return fn == refuse_change || fn == set_in_environment;
}

RAISES void sandbox_set_global(lua_State *lua, const char *name)
{
    if (lua_istable(lua, -1)) {
        if (lua_getmetatable(lua, -1))
            lua_pop(lua, 1);
        else
            freeze(lua);
    }
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &base_key);
    lua_insert(lua, -2);
    lua_setfield(lua, -2, name);
    lua_pop(lua, 1);
}

/* ---- functions of the base library that differ from the real ones ---- */

static RAISES int base_rawset(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    luaL_checkany(lua, 2);
    luaL_checkany(lua, 3);
    lua_settop(lua, 3);
    if (is_frozen(lua, 1))
        return refuse_change(lua);
    lua_rawset(lua, 1);
    return 1;
}

/* No finalizers: the budget could not stop an endless one. No __close: coroutines may be dropped without it. */
static RAISES int base_setmetatable(lua_State *lua)
{
    static const char *const refused[] = {"__gc", "__close"};
    luaL_checktype(lua, 1, LUA_TTABLE);
    luaL_argexpected(lua, lua_isnil(lua, 2) || lua_istable(lua, 2), 2, "nil or table");
    lua_settop(lua, 2);
    if (luaL_getmetafield(lua, 1, "__metatable") != LUA_TNIL)
        return luaL_error(lua, "cannot change a protected metatable");
    for (size_t i = 0; lua_istable(lua, 2) && i < sizeof refused / sizeof *refused; i++) {
        lua_pushstring(lua, refused[i]);
        if (lua_rawget(lua, 2) != LUA_TNIL)
            return luaL_error(lua, "setmetatable: %s is not available in scripts", refused[i]);
        lua_pop(lua, 1);
    }
    lua_setmetatable(lua, 1);
    return 1;
}

static RAISES int base_tostring(lua_State *lua)
{
    luaL_checkany(lua, 1);
    error_tostring(lua, 1, NULL);
    return 1;
}

/* Seconds since the script began: the only clock. */
static int base_clock(lua_State *lua)
{
    lua_pushnumber(lua, (double)(clock_monotonic_us() - script_of(lua)->started_us) / 1e6);
    return 1;
}

/* The real one (upvalue) would seed from an address and return it. */
static RAISES int math_randomseed(lua_State *lua)
{
    if (lua_gettop(lua) == 0)
        lua_pushinteger(lua, clock_monotonic_us());
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, 0);
    return 0;
}

/* ---- the allow lists ---- */

static const luaL_Reg base_functions[] = {
    {"rawset", base_rawset},     {"setmetatable", base_setmetatable}, {"tostring", base_tostring},
    {"clock", base_clock},       {"require", module_require},         {NULL, NULL},
};
static const luaL_Reg no_functions[] = {{NULL, NULL}};

enum { NAMES = 32 };
static const struct library {
    const char *name;
    lua_CFunction open;
    const luaL_Reg *ours;
    const char *allowed[NAMES];
} libraries[] = {
    {LUA_GNAME, luaopen_base, base_functions,
     {"assert", "error", "getmetatable", "ipairs", "next", "pairs", "rawequal", "rawget", "rawlen", "select", "tonumber", "type", "_VERSION"}},
    {LUA_STRLIBNAME, luaopen_string, string_functions, {"byte", "char", "len", "lower", "reverse", "sub", "upper"}},
    {LUA_TABLIBNAME, luaopen_table, table_functions, {"pack"}},
    {LUA_MATHLIBNAME, luaopen_math, no_functions,
     {"abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod", "huge", "log", "max", "maxinteger", "min", "mininteger",
      "modf", "pi", "rad", "random", "sin", "sqrt", "tan", "tointeger", "type", "ult"}},
    {LUA_UTF8LIBNAME, luaopen_utf8, no_functions, {"char", "charpattern", "codepoint", "codes", "len", "offset"}},
    {LUA_COLIBNAME, luaopen_coroutine, coroutine_functions, {NULL}},
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

static RAISES lua_CFunction take_original(lua_State *lua, const char *name)
{
    lua_getfield(lua, -1, name);
    lua_CFunction fn = lua_tocfunction(lua, -1);
    lua_pop(lua, 1);
    return fn;
}

/* Pushes the table of a library as scripts may have it. */
static RAISES void build_library(lua_State *lua, const struct library *library)
{
    struct script *script = script_of(lua);
    luaL_requiref(lua, library->name, library->open, 0);
    if (library->open == luaopen_string) {
        script->original.format = take_original(lua, "format");
        script->original.rep = take_original(lua, "rep");
    } else if (library->open == luaopen_table) {
        script->original.sort = take_original(lua, "sort");
    }
    lua_newtable(lua);
    for (size_t i = 0; i < NAMES && library->allowed[i] != NULL; i++) {
        lua_getfield(lua, -2, library->allowed[i]);
        lua_setfield(lua, -2, library->allowed[i]);
    }
    luaL_setfuncs(lua, library->ours, 0);
    if (library->open == luaopen_math) {
        lua_getfield(lua, -2, "randomseed");
        lua_pushcclosure(lua, math_randomseed, 1);
        lua_setfield(lua, -2, "randomseed");
    }
    lua_remove(lua, -2);
}

/* Strings get methods from our table; nobody gets at their metatable. */
static RAISES void set_string_metatable(lua_State *lua)
{
    lua_pushliteral(lua, "");
    lua_getmetatable(lua, -1);
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, "__index");
    lua_pushboolean(lua, false);
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 2);
}

/* The table of globals that every chunk gets: writes go through set_in_environment, reads fall back to base. */
static RAISES void make_environment(lua_State *lua)
{
    lua_newtable(lua);
    lua_createtable(lua, 0, 3);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &base_key);
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, set_in_environment);
    lua_setfield(lua, -2, "__newindex");
    lua_pushboolean(lua, false);
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
    lua_pushvalue(lua, -1);
    sandbox_set_global(lua, LUA_GNAME);
    lua_rawseti(lua, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

RAISES int sandbox_install(lua_State *lua)
{
    lua_newtable(lua);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, script_of(lua));
    error_install(lua);
    lua_newtable(lua); /* what error messages name functions by, in the place of package.loaded */
    for (size_t i = 0; i < LIBRARIES; i++) {
        build_library(lua, &libraries[i]);
        lua_pushvalue(lua, -1);
        lua_setfield(lua, -3, libraries[i].name);
        if (libraries[i].open == luaopen_base) {
            luaL_setfuncs(lua, protected_functions, 0);
            lua_rawsetp(lua, LUA_REGISTRYINDEX, &base_key);
            continue;
        }
        if (libraries[i].open == luaopen_string)
            set_string_metatable(lua);
        sandbox_set_global(lua, libraries[i].name);
    }
    lua_setfield(lua, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    make_environment(lua);
    lua_gc(lua, LUA_GCCOLLECT); /* the real tables */
    return 0;
}
