/* The functions of table that walk ranges: written anew, because metamethods can make a range endless in C, where no hook ticks. */
#include "script/state.h"

enum { STEP_UNITS = 4 };

/* Charges for walking from first to last; refuses what no script needs. The number of elements. */
static RAISES lua_Integer charge_range(lua_State *lua, lua_Integer first, lua_Integer last)
{
    if (first > last)
        return 0;
    lua_Unsigned count = (lua_Unsigned)last - (lua_Unsigned)first; /* less one */
    if (count >= SCRIPT_RANGE_MAX)
        luaL_error(lua, "too many elements: at most %d", SCRIPT_RANGE_MAX);
    budget_charge(lua, ((size_t)count + 1) * STEP_UNITS);
    return (lua_Integer)count + 1;
}

/* Moves count elements from one place to another, from the far end if the places overlap so. */
static RAISES void move_range(lua_State *lua, int from_table, lua_Integer from, int to_table, lua_Integer to, lua_Integer count, bool backwards)
{
    for (lua_Integer i = 0; i < count; i++) {
        lua_Integer step = backwards ? count - 1 - i : i;
        lua_geti(lua, from_table, from + step);
        lua_seti(lua, to_table, to + step);
    }
}

static RAISES int table_insert(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_Integer end = (lua_Integer)((lua_Unsigned)luaL_len(lua, 1) + 1), place = end;
    int top = lua_gettop(lua);
    if (top == 3) {
        place = luaL_checkinteger(lua, 2);
        luaL_argcheck(lua, (lua_Unsigned)place - 1 < (lua_Unsigned)end, 2, "position out of bounds");
        move_range(lua, 1, place, 1, place + 1, charge_range(lua, place, end - 1), true);
    } else if (top != 2) {
        return luaL_error(lua, "wrong number of arguments to 'insert'");
    }
    lua_seti(lua, 1, place);
    return 0;
}

static RAISES int table_remove(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_Integer size = luaL_len(lua, 1);
    lua_Integer place = luaL_optinteger(lua, 2, size);
    if (place != size)
        luaL_argcheck(lua, (lua_Unsigned)place - 1 <= (lua_Unsigned)size, 2, "position out of bounds");
    lua_geti(lua, 1, place);
    if (place < size) {
        move_range(lua, 1, place + 1, 1, place, charge_range(lua, place + 1, size), false);
        place = size;
    }
    lua_pushnil(lua);
    lua_seti(lua, 1, place);
    return 1;
}

static RAISES int table_move(lua_State *lua)
{
    lua_Integer first = luaL_checkinteger(lua, 2), last = luaL_checkinteger(lua, 3), to = luaL_checkinteger(lua, 4);
    int target = lua_isnoneornil(lua, 5) ? 1 : 5;
    luaL_checktype(lua, 1, LUA_TTABLE);
    luaL_checktype(lua, target, LUA_TTABLE);
    lua_Integer count = charge_range(lua, first, last);
    if (count > 0) {
        luaL_argcheck(lua, to <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
        bool overlaps = to > first && to <= last && (target == 1 || lua_rawequal(lua, 1, target));
        move_range(lua, 1, first, target, to, count, overlaps);
    }
    lua_pushvalue(lua, target);
    return 1;
}

static RAISES int table_concat(lua_State *lua)
{
    luaL_Buffer out;
    size_t length;
    luaL_checktype(lua, 1, LUA_TTABLE);
    const char *separator = luaL_optlstring(lua, 2, "", &length);
    lua_Integer first = luaL_optinteger(lua, 3, 1);
    lua_Integer last = lua_isnoneornil(lua, 4) ? luaL_len(lua, 1) : luaL_checkinteger(lua, 4);
    lua_Integer count = charge_range(lua, first, last);
    luaL_buffinit(lua, &out);
    for (lua_Integer i = 0; i < count; i++) {
        if (i > 0)
            luaL_addlstring(&out, separator, length);
        lua_geti(lua, 1, first + i);
        if (!lua_isstring(lua, -1))
            return luaL_error(lua, "invalid value (at index %I) in table for 'concat'", (LUAI_UACINT)(first + i));
        luaL_addvalue(&out);
    }
    luaL_pushresult(&out);
    return 1;
}

static RAISES int table_unpack(lua_State *lua)
{
    lua_Integer first = luaL_optinteger(lua, 2, 1);
    lua_Integer last = lua_isnoneornil(lua, 3) ? luaL_len(lua, 1) : luaL_checkinteger(lua, 3);
    lua_Integer count = charge_range(lua, first, last);
    if (!lua_checkstack(lua, (int)count))
        return luaL_error(lua, "too many results to unpack");
    for (lua_Integer i = 0; i < count; i++)
        lua_geti(lua, 1, first + i);
    return (int)count;
}

/* The default order, as a function, so that long strings and long sorts are charged. */
static RAISES int is_less(lua_State *lua)
{
    size_t units = STEP_UNITS;
    if (lua_type(lua, 1) == LUA_TSTRING && lua_type(lua, 2) == LUA_TSTRING)
        units += (lua_rawlen(lua, 1) + lua_rawlen(lua, 2)) / 64;
    budget_charge(lua, units);
    lua_pushboolean(lua, lua_compare(lua, 1, 2, LUA_OPLT));
    return 1;
}

/* The real one, which calls the comparison at every step: with a Lua function the hook ticks, with is_less the charge does. A function of C as
 * the comparison (math.max) is wrapped for the same reason. */
static RAISES int call_compare(lua_State *lua)
{
    budget_charge(lua, STEP_UNITS);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, 1);
    return 1;
}

static RAISES int table_sort(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 2);
    if (lua_isnil(lua, 2)) {
        lua_pushcfunction(lua, is_less);
        lua_replace(lua, 2);
    } else {
        luaL_checktype(lua, 2, LUA_TFUNCTION);
        if (lua_iscfunction(lua, 2))
            lua_pushcclosure(lua, call_compare, 1);
    }
    return script_of(lua)->original.sort(lua);
}

const luaL_Reg table_functions[] = {
    {"concat", table_concat}, {"insert", table_insert}, {"move", table_move}, {"remove", table_remove},
    {"sort", table_sort},     {"unpack", table_unpack}, {NULL, NULL},
};
