/* convert.c: Lua values to documents and shapes, and back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bind/objects.h"

#define VALUE_BOX "kubetutor.value"
#define SHAPE_BOX "kubetutor.shape"
#define MATCHER "kubetutor.matcher"

/* ---- documents to Lua ---- */

static void push_at(lua_State *lua, const struct value *v, int depth)
{
    int64_t i;
    double d;
    if (depth > BIND_DEPTH)
        luaL_error(lua, "the object is nested too deeply");
    luaL_checkstack(lua, 4, "the object is nested too deeply");
    switch (value_type(v)) {
    case VALUE_BOOL:
        lua_pushboolean(lua, value_is_true(v));
        break;
    case VALUE_NUMBER:
        if (value_as_int(v, &i))
            lua_pushinteger(lua, (lua_Integer)i);
        else if (value_as_double(v, &d))
            lua_pushnumber(lua, d);
        else
            lua_pushnil(lua);
        break;
    case VALUE_STRING:
        lua_pushstring(lua, value_text(v));
        break;
    case VALUE_ARRAY: {
        lua_Integer n = 0;
        lua_newtable(lua);
        for (const struct value *item = value_first(v); item != NULL; item = value_next(item)) {
            push_at(lua, item, depth + 1);
            lua_rawseti(lua, -2, ++n);
        }
        break;
    }
    case VALUE_OBJECT:
        lua_newtable(lua);
        for (const struct value *item = value_first(v); item != NULL; item = value_next(item)) {
            lua_pushstring(lua, value_key(item));
            push_at(lua, item, depth + 1);
            lua_rawset(lua, -3);
        }
        break;
    default:
        lua_pushnil(lua);
    }
}

void push_value(lua_State *lua, const struct value *v)
{
    push_at(lua, v, 0);
}

/* ---- boxes ---- */

static int drop_value(lua_State *lua)
{
    struct value **box = lua_touserdata(lua, 1);
    value_free(*box);
    *box = NULL;
    return 0;
}

static int drop_shape(lua_State *lua)
{
    struct shape **box = lua_touserdata(lua, 1);
    shape_free(*box);
    *box = NULL;
    return 0;
}

struct value **push_value_box(lua_State *lua)
{
    struct value **box = lua_newuserdatauv(lua, sizeof *box, 0);
    *box = NULL;
    luaL_setmetatable(lua, VALUE_BOX);
    return box;
}

struct shape **push_shape_box(lua_State *lua)
{
    struct shape **box = lua_newuserdatauv(lua, sizeof *box, 1); /* its user value keeps functions alive */
    *box = NULL;
    luaL_setmetatable(lua, SHAPE_BOX);
    lua_newtable(lua);
    lua_setiuservalue(lua, -2, 1);
    return box;
}

/* ---- Lua to documents ---- */

/* True if the table's keys are 1..n, n > 0. */
static bool is_list(lua_State *lua, int index)
{
    lua_Integer n = (lua_Integer)lua_rawlen(lua, index), seen = 0;
    if (n == 0)
        return false;
    for (lua_pushnil(lua); lua_next(lua, index) != 0; lua_pop(lua, 1)) {
        if (!lua_isinteger(lua, -2) || lua_tointeger(lua, -2) < 1 || lua_tointeger(lua, -2) > n) {
            lua_pop(lua, 2);
            return false;
        }
        seen++;
    }
    return seen == n;
}

static struct value *plain(lua_State *lua, int index)
{
    switch (lua_type(lua, index)) {
    case LUA_TNIL:
        return value_null();
    case LUA_TBOOLEAN:
        return value_bool(lua_toboolean(lua, index));
    case LUA_TNUMBER:
        if (lua_isinteger(lua, index))
            return value_int((int64_t)lua_tointeger(lua, index));
        if (isfinite(lua_tonumber(lua, index)))
            return value_double(lua_tonumber(lua, index));
        luaL_error(lua, "a number that is not finite cannot be sent to a cluster");
        return NULL;
    case LUA_TSTRING: {
        size_t length;
        const char *text = lua_tolstring(lua, index, &length);
        return value_string_n(text, length);
    }
    default:
        luaL_error(lua, "a %s cannot stand in an object (plain values and tables can)", luaL_typename(lua, index));
        return NULL;
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Pushes room with the table's keys, sorted: so that the same table always becomes the same text, and differences are told in the same order. The table
 * keeps the texts alive. */
static const char **push_sorted_keys(lua_State *lua, int index, size_t *count, const char *complaint)
{
    *count = 0;
    for (lua_pushnil(lua); lua_next(lua, index) != 0; lua_pop(lua, 1)) {
        if (lua_type(lua, -2) != LUA_TSTRING)
            luaL_error(lua, "%s", complaint);
        ++*count;
    }
    const char **keys = lua_newuserdatauv(lua, (*count + 1) * sizeof *keys, 0);
    size_t n = 0;
    for (lua_pushnil(lua); lua_next(lua, index) != 0; lua_pop(lua, 1))
        keys[n++] = lua_tostring(lua, -2);
    qsort(keys, n, sizeof *keys, by_name);
    return keys;
}

/* Fills a container that already stands in the document, so that whatever raises, nothing is lost. */
static void fill(lua_State *lua, int index, struct value *container, int depth)
{
    if (depth > BIND_DEPTH)
        luaL_error(lua, "the table is nested too deeply");
    luaL_checkstack(lua, 8, "the table is nested too deeply");
    bool list = value_type(container) == VALUE_ARRAY;
    size_t n = (size_t)lua_rawlen(lua, index);
    const char **keys = list ? NULL : push_sorted_keys(lua, index, &n, "a table's keys must be names, or 1, 2, 3 … for a list");
    for (size_t i = 0; i < n; i++) {
        if (list)
            lua_rawgeti(lua, index, (lua_Integer)i + 1);
        else {
            lua_pushstring(lua, keys[i]);
            lua_rawget(lua, index);
        }
        int child_index = lua_gettop(lua);
        bool table = lua_istable(lua, child_index), child_list = table && is_list(lua, child_index);
        struct value *child = table ? (child_list ? value_array() : value_object()) : plain(lua, child_index);
        bool ok = child != NULL && (list ? value_append(container, child) : value_set(container, keys[i], child));
        if (!ok)
            luaL_error(lua, "out of memory");
        if (table)
            fill(lua, child_index, child, depth + 1);
        lua_pop(lua, 1);
    }
    if (!list)
        lua_pop(lua, 1); /* the keys */
}

void value_from_lua(lua_State *lua, int index, struct value **box)
{
    index = lua_absindex(lua, index);
    bool table = lua_istable(lua, index);
    value_free(*box);
    *box = NULL;
    *box = table ? (is_list(lua, index) ? value_array() : value_object()) : plain(lua, index);
    if (*box == NULL)
        luaL_error(lua, "out of memory");
    if (table)
        fill(lua, index, *box, 0);
}

/* ---- matchers: what the special words of patterns make ---- */

enum matcher_kind { MATCH_ANY, MATCH_ABSENT, MATCH_AT_LEAST, MATCH_MATCHES, MATCH_ONE_OF, MATCH_CONTAINS, MATCH_EACH, MATCH_BASE64_JSON, MATCH_SECRET };
static const char *const matcher_names[] = {"any", "absent", "at_least", "matches", "one_of", "contains", "each", "base64_json", "secret"};

struct call { /* a Lua function in a pattern */
    lua_State *lua;
    int reference; /* in the box's user value */
    int box_index;
    const struct value *v;
    bool answer;
};

static int make_matcher(lua_State *lua)
{
    enum matcher_kind kind = (enum matcher_kind)lua_tointeger(lua, lua_upvalueindex(1));
    luaL_checkany(lua, 1);
    enum matcher_kind *matcher = lua_newuserdatauv(lua, sizeof *matcher, 1);
    *matcher = kind;
    luaL_setmetatable(lua, MATCHER);
    lua_pushvalue(lua, 1);
    lua_setiuservalue(lua, -2, 1);
    return 1;
}

static int matcher_text(lua_State *lua)
{
    enum matcher_kind *matcher = luaL_checkudata(lua, 1, MATCHER);
    lua_pushstring(lua, matcher_names[*matcher]);
    return 1;
}

/* Where a finished child goes: into an object under a key, into a list-like shape, or to the top. */
struct place {
    struct shape **top;
    struct shape *parent;
    const char *key;
};

static struct shape *put(lua_State *lua, const struct place *place, struct shape *child)
{
    bool ok = child != NULL;
    if (ok && place->parent == NULL)
        *place->top = child;
    else if (ok)
        ok = place->key != NULL ? shape_object_add(place->parent, place->key, child) : shape_list_add(place->parent, child);
    if (!ok)
        luaL_error(lua, "out of memory");
    return child;
}

static int call_inside(lua_State *lua) /* protected: everything here may raise */
{
    struct call *call = lua_touserdata(lua, 1);
    lua_rawgeti(lua, 2, call->reference);
    push_value(lua, call->v);
    lua_call(lua, 1, 1);
    call->answer = lua_toboolean(lua, -1);
    return 0;
}

struct call_data {
    lua_State *lua;
    int reference, box_index;
};

/* Runs inside shape_match, so it must not longjmp: all Lua work happens in a protected call. lua_checkstack does not raise. */
static bool ask_function(void *data, const struct value *v, struct error *err)
{
    const struct call_data *d = data;
    struct call call = {.lua = d->lua, .reference = d->reference, .v = v};
    if (!lua_checkstack(d->lua, 6))
        return error_memory(err);
    lua_getiuservalue(d->lua, d->box_index, 1);
    lua_pushcfunction(d->lua, call_inside);
    lua_pushlightuserdata(d->lua, &call);
    lua_pushvalue(d->lua, -3);
    if (lua_pcall(d->lua, 2, 0, 0) != LUA_OK) {
        const char *message = lua_type(d->lua, -1) == LUA_TSTRING ? lua_tostring(d->lua, -1) : "the pattern's function failed";
        error_set(err, ERROR_INPUT, NULL, "%s", message);
        lua_pop(d->lua, 2);
        return false;
    }
    lua_pop(d->lua, 1);
    return call.answer;
}

/* The table that keeps functions and their call data is the box's user value: [n] function, [n + 1] the call data (a userdata). */
static void function_shape(lua_State *lua, int index, int box_index, const struct place *place)
{
    lua_getiuservalue(lua, box_index, 1);
    lua_Integer n = (lua_Integer)lua_rawlen(lua, -1) + 1;
    lua_pushvalue(lua, index);
    lua_rawseti(lua, -2, n);
    struct call_data *data = lua_newuserdatauv(lua, sizeof *data, 0);
    *data = (struct call_data){.lua = lua, .reference = (int)n, .box_index = box_index};
    lua_rawseti(lua, -2, n + 1);
    lua_pop(lua, 1);
    put(lua, place, shape_call(ask_function, data, "what the lesson's function wants"));
}

static void build(lua_State *lua, int index, int box_index, const struct place *place, int depth);

static void build_items(lua_State *lua, int index, struct shape *parent, int box_index, int depth)
{
    lua_Integer n = (lua_Integer)lua_rawlen(lua, index);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(lua, index, i);
        build(lua, lua_gettop(lua), box_index, &(struct place){.parent = parent}, depth + 1);
        lua_pop(lua, 1);
    }
}

/* A shape whose single child is built first, in a box of its own, since its maker wants it whole. */
static void wrap(lua_State *lua, int index, int box_index, const struct place *place, int depth, struct shape *(*maker)(struct shape *))
{
    struct shape **inner = push_shape_box(lua);
    build(lua, index, box_index, &(struct place){.top = inner}, depth + 1);
    struct shape *child = *inner;
    *inner = NULL;
    put(lua, place, maker(child));
    lua_pop(lua, 1);
}

static void matcher_shape(lua_State *lua, int index, int box_index, const struct place *place, int depth)
{
    enum matcher_kind kind = *(enum matcher_kind *)lua_touserdata(lua, index);
    lua_getiuservalue(lua, index, 1);
    int argument = lua_gettop(lua);
    switch (kind) {
    case MATCH_ANY:
        put(lua, place, shape_any());
        break;
    case MATCH_ABSENT:
        put(lua, place, shape_absent());
        break;
    case MATCH_AT_LEAST: {
        if (lua_type(lua, argument) != LUA_TNUMBER && lua_type(lua, argument) != LUA_TSTRING)
            luaL_error(lua, "at_least wants a number or a quantity (\"250m\")");
        struct value *least = plain(lua, argument);
        put(lua, place, least != NULL ? shape_at_least(least) : NULL);
        break;
    }
    case MATCH_MATCHES: {
        struct error err = ERROR_INIT;
        const char *pattern = lua_type(lua, argument) == LUA_TSTRING ? lua_tostring(lua, argument) : NULL;
        if (pattern == NULL)
            luaL_error(lua, "matches wants a regular expression in quotes");
        struct shape *shape = shape_matches(pattern, &err);
        if (shape == NULL && err.kind == ERROR_INPUT)
            luaL_error(lua, "%s", err.message);
        put(lua, place, shape);
        break;
    }
    case MATCH_ONE_OF:
    case MATCH_CONTAINS: {
        if (!lua_istable(lua, argument))
            luaL_error(lua, "%s wants a list: %s { … }", matcher_names[kind], matcher_names[kind]);
        struct shape *parent = put(lua, place, kind == MATCH_ONE_OF ? shape_one_of() : shape_contains());
        if (kind == MATCH_CONTAINS && !is_list(lua, argument)) /* contains { name = "x" } is a list of one */
            build(lua, argument, box_index, &(struct place){.parent = parent}, depth + 1);
        else
            build_items(lua, argument, parent, box_index, depth);
        break;
    }
    case MATCH_EACH:
        wrap(lua, argument, box_index, place, depth, shape_each);
        break;
    case MATCH_BASE64_JSON:
        wrap(lua, argument, box_index, place, depth, shape_base64_json);
        break;
    case MATCH_SECRET:
        wrap(lua, argument, box_index, place, depth, shape_secret);
        break;
    }
    lua_pop(lua, 1);
}

static void build(lua_State *lua, int index, int box_index, const struct place *place, int depth)
{
    if (depth > BIND_DEPTH)
        luaL_error(lua, "the pattern is nested too deeply");
    luaL_checkstack(lua, 10, "the pattern is nested too deeply");
    if (lua_isfunction(lua, index))
        function_shape(lua, index, box_index, place);
    else if (luaL_testudata(lua, index, MATCHER) != NULL)
        matcher_shape(lua, index, box_index, place, depth);
    else if (!lua_istable(lua, index)) {
        struct value *v = plain(lua, index);
        put(lua, place, v != NULL ? shape_value(v) : NULL);
    } else if (is_list(lua, index))
        build_items(lua, index, put(lua, place, shape_list()), box_index, depth);
    else {
        struct shape *object = put(lua, place, shape_object());
        size_t count;
        const char **keys = push_sorted_keys(lua, index, &count, "a pattern's keys must be names, or 1, 2, 3 … for a list");
        for (size_t i = 0; i < count; i++) {
            lua_pushstring(lua, keys[i]);
            lua_rawget(lua, index);
            build(lua, lua_gettop(lua), box_index, &(struct place){.parent = object, .key = keys[i]}, depth + 1);
            lua_pop(lua, 1);
        }
        lua_pop(lua, 1);
    }
}

void shape_from_lua(lua_State *lua, int index, struct shape **box, int box_index)
{
    build(lua, lua_absindex(lua, index), lua_absindex(lua, box_index), &(struct place){.top = box}, 0);
}

char *copy_string(lua_State *lua, const char *text)
{
    char *copied = text != NULL ? mem_string(text) : NULL;
    if (text != NULL && copied == NULL)
        luaL_error(lua, "out of memory");
    return copied;
}

void both_from_lua(lua_State *lua, int index, struct both *both)
{
    both_free(both);
    index = lua_absindex(lua, index);
    if (lua_type(lua, index) == LUA_TSTRING) {
        both->en = mem_string(lua_tostring(lua, index));
        both->zh = mem_string(lua_tostring(lua, index));
    } else if (lua_istable(lua, index)) {
        lua_pushnil(lua); /* rawget by a walk: pushing a key string could raise */
        while (lua_next(lua, index) != 0) {
            if (lua_type(lua, -2) == LUA_TSTRING && lua_type(lua, -1) == LUA_TSTRING) {
                char **into = strcmp(lua_tostring(lua, -2), "en") == 0 ? &both->en : strcmp(lua_tostring(lua, -2), "zh") == 0 ? &both->zh : NULL;
                if (into != NULL && *into == NULL)
                    *into = mem_string(lua_tostring(lua, -1));
            }
            lua_pop(lua, 1);
        }
    }
}

static void metatable(lua_State *lua, const char *name, lua_CFunction drop)
{
    luaL_newmetatable(lua, name);
    lua_pushcfunction(lua, drop);
    lua_setfield(lua, -2, "__gc");
    lua_pushliteral(lua, "locked");
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 1);
}

void register_convert(lua_State *lua)
{
    metatable(lua, VALUE_BOX, drop_value);
    metatable(lua, SHAPE_BOX, drop_shape);
    luaL_newmetatable(lua, MATCHER);
    lua_pushcfunction(lua, matcher_text);
    lua_setfield(lua, -2, "__tostring");
    lua_pushliteral(lua, "locked");
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 1);
    for (int kind = MATCH_ANY; kind <= MATCH_SECRET; kind++) {
        if (kind <= MATCH_ABSENT) { /* constants */
            enum matcher_kind *matcher = lua_newuserdatauv(lua, sizeof *matcher, 1);
            *matcher = (enum matcher_kind)kind;
            luaL_setmetatable(lua, MATCHER);
        } else {
            lua_pushinteger(lua, kind);
            lua_pushcclosure(lua, make_matcher, 1);
        }
        lua_setfield(lua, -2, matcher_names[kind]);
    }
}
