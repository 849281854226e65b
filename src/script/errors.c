#include "script/state.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { DEEP = 10000 /* nested calls: memory that runs out at this depth is an endless recursion's fault */ };

/* The error object that script_raise raises: a userdata with .kind, .message, .where and .cause that reads as text. */
struct raised {
    struct error error;
    char position[SCRIPT_WHERE];
};

static const char raised_key; /* registry key of its metatable */

static const char *const kind_names[] = {
    [ERROR_NONE] = "none",
    [ERROR_MEMORY] = "memory",
    [ERROR_LIMIT] = "limit",
    [ERROR_INPUT] = "input",
    [ERROR_INVALID] = "invalid",
    [ERROR_NOT_FOUND] = "not_found",
    [ERROR_EXISTS] = "exists",
    [ERROR_CONFLICT] = "conflict",
    [ERROR_EXPIRED] = "expired",
    [ERROR_UNAUTHENTICATED] = "unauthenticated",
    [ERROR_DENIED] = "denied",
    [ERROR_BUSY] = "busy",
    [ERROR_UNREACHABLE] = "unreachable",
    [ERROR_TIMEOUT] = "timeout",
    [ERROR_CANCELLED] = "cancelled",
    [ERROR_INTERNAL] = "internal",
};

/* The nth Lua function from the top of the stack, 0 the innermost. */
static bool lua_frame(lua_State *lua, int nth, lua_Debug *ar)
{
    for (int level = 0; lua_getstack(lua, level, ar); level++)
        if (lua_getinfo(lua, "Sl", ar) && ar->currentline > 0 && nth-- == 0)
            return true;
    return false;
}

void script_where(lua_State *lua, char *out, size_t room)
{
    lua_Debug ar;
    if (lua_frame(lua, 0, &ar))
        snprintf(out, room, "%s:%d", ar.source[0] == '@' ? ar.source + 1 : ar.short_src, ar.currentline);
    else if (room > 0)
        out[0] = '\0';
}

void error_trail(lua_State *lua, struct error *err)
{
    lua_Debug ar;
    size_t used = 0;
    if (err == NULL || err->cause[0] != '\0')
        return;
    for (int nth = 1; nth < 16 && lua_frame(lua, nth, &ar); nth++) {
        int wrote = snprintf(err->cause + used, sizeof err->cause - used, "%s%s:%d", nth == 1 ? "called from " : ", ", ar.short_src,
                             ar.currentline);
        if (wrote < 0 || (size_t)wrote >= sizeof err->cause - used) {
            err->cause[used] = '\0'; /* whole places only */
            return;
        }
        used += (size_t)wrote;
    }
}

/* Looks for "CHUNK:LINE: " at the start, for a chunk that this script has loaded. Its length; 0: none. */
static size_t position_length(const struct script *script, const char *message)
{
    for (size_t i = 0; i < script->chunks.length; i++) {
        const char *name = script->chunks.items[i];
        size_t length = strlen(name);
        if (strncmp(message, name, length) != 0 || message[length] != ':')
            continue;
        size_t digits = strspn(message + length + 1, "0123456789");
        if (digits > 0 && message[length + 1 + digits] == ':')
            return length + 1 + digits;
    }
    return 0;
}

static void describe_text(const struct script *script, const char *message, const char *where, struct error *err)
{
    char place[SCRIPT_WHERE];
    size_t length = position_length(script, message);
    if (length > 0 && length < sizeof place) {
        memcpy(place, message, length);
        place[length] = '\0';
        where = place;
        message += length + 1;
        message += strspn(message, " ");
    }
    error_set(err, ERROR_INPUT, where, "%s", message);
}

static struct raised *to_raised(lua_State *lua, int index)
{
    struct raised *raised = lua_touserdata(lua, index);
    if (raised == NULL || !lua_checkstack(lua, 2) || !lua_getmetatable(lua, index))
        return NULL;
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &raised_key);
    bool same = lua_rawequal(lua, -1, -2);
    lua_pop(lua, 2);
    return same ? raised : NULL;
}

static void describe_raised(const struct raised *raised, const char *where, struct error *err)
{
    const struct error *error = &raised->error;
    const char *position = raised->position[0] != '\0' ? raised->position : where;
    error_set(err, error->kind, position, "%s", error->message);
    const char *cause = error->cause[0] != '\0' ? error->cause : error->where;
    snprintf(err->cause, sizeof err->cause, "%s", cause);
}

static RAISES int text_of_object(lua_State *lua)
{
    char *out = lua_touserdata(lua, 2);
    if (lua_istable(lua, 1) && lua_getfield(lua, 1, "message") == LUA_TSTRING)
        lua_replace(lua, 1);
    snprintf(out, sizeof ((struct error *)NULL)->message, "%s", error_tostring(lua, 1, NULL));
    return 0;
}

/* An error object that is neither text nor ours: its message field, else what tostring makes of it. */
static void describe_object(struct script *script, lua_State *lua, const char *where, struct error *err)
{
    char text[sizeof err->message];
    const char *type = lua_typename(lua, lua_type(lua, -1));
    if (lua_checkstack(lua, 1) && lua_checkstack(script->main, 1)) {
        lua_pushvalue(lua, -1);
        lua_xmove(lua, script->main, 1);
        if (script_protect(script, script->main, text_of_object, text, 1, 0, NULL) && strcmp(text, type) != 0) {
            describe_text(script, text, where, err);
            return;
        }
    }
    error_set(err, ERROR_INPUT, where, "the error object is a %s value", type);
}

void error_describe(struct script *script, lua_State *lua, int status, const char *where, struct error *err)
{
    struct error ignored;
    if (err == NULL)
        err = &ignored;
    if (script->end == SCRIPT_TOO_LONG) {
        error_set(err, ERROR_LIMIT, script->end_where, "the script took more than %lld steps without waiting: an endless loop?",
                  (long long)script->limits.instructions);
    } else if (script->end == SCRIPT_TOO_SLOW) {
        error_set(err, ERROR_LIMIT, script->end_where, "the script worked for more than %lld ms without waiting: an endless loop?",
                  (long long)script->limits.wall_ms);
    } else if (status == LUA_ERRMEM && script->over_cap && lua_getstack(lua, DEEP, &(lua_Debug){0})) {
        error_set(err, ERROR_LIMIT, where, "function calls are nested more than %d deep: an endless recursion?", DEEP);
    } else if (status == LUA_ERRMEM && script->over_cap) {
        error_set(err, ERROR_LIMIT, where, "the script needs more than the %zu KiB of memory that it may use", script->limits.memory / 1024);
    } else if (status == LUA_ERRMEM) {
        error_set(err, ERROR_MEMORY, where, "out of memory");
    } else if (lua_type(lua, -1) == LUA_TSTRING) {
        describe_text(script, lua_tostring(lua, -1), where, err);
    } else {
        const struct raised *raised = to_raised(lua, -1);
        if (raised != NULL)
            describe_raised(raised, where, err);
        else
            describe_object(script, lua, where, err);
    }
}

RAISES int script_raise(lua_State *lua, const struct error *error)
{
    struct raised *raised = lua_newuserdatauv(lua, sizeof *raised, 0);
    raised->error = *error;
    script_where(lua, raised->position, sizeof raised->position);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &raised_key);
    lua_setmetatable(lua, -2);
    return lua_error(lua);
}

static RAISES void push_text(lua_State *lua, int index)
{
    const struct raised *raised = to_raised(lua, index);
    if (raised != NULL)
        lua_pushfstring(lua, "%s%s%s", raised->position, raised->position[0] != '\0' ? ": " : "", raised->error.message);
    else
        error_tostring(lua, index, NULL);
}

static RAISES int raised_tostring(lua_State *lua)
{
    push_text(lua, 1);
    return 1;
}

static RAISES int raised_concat(lua_State *lua)
{
    lua_settop(lua, 2);
    for (int index = 1; index <= 2; index++) {
        push_text(lua, index);
        lua_replace(lua, index);
        lua_settop(lua, 2);
    }
    lua_concat(lua, 2);
    return 1;
}

static RAISES int raised_index(lua_State *lua)
{
    const struct raised *raised = to_raised(lua, 1);
    const char *key = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "";
    const char *value = NULL;
    if (raised == NULL)
        return 0;
    if (strcmp(key, "message") == 0)
        value = raised->error.message;
    else if (strcmp(key, "kind") == 0)
        value = (size_t)raised->error.kind < sizeof kind_names / sizeof *kind_names ? kind_names[raised->error.kind] : "internal";
    else if (strcmp(key, "where") == 0)
        value = raised->position;
    else if (strcmp(key, "cause") == 0)
        value = raised->error.cause;
    lua_pushstring(lua, value); /* nil for NULL */
    return 1;
}

RAISES void error_install(lua_State *lua)
{
    static const luaL_Reg methods[] = {
        {"__tostring", raised_tostring}, {"__concat", raised_concat}, {"__index", raised_index}, {NULL, NULL}};
    luaL_newlib(lua, methods);
    lua_pushboolean(lua, false);
    lua_setfield(lua, -2, "__metatable");
    lua_pushliteral(lua, "error");
    lua_setfield(lua, -2, "__name");
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &raised_key);
}

RAISES const char *error_tostring(lua_State *lua, int index, size_t *length)
{
    index = lua_absindex(lua, index);
    if (luaL_callmeta(lua, index, "__tostring")) {
        if (!lua_isstring(lua, -1))
            luaL_error(lua, "'__tostring' must return a string");
        return lua_tolstring(lua, -1, length);
    }
    switch (lua_type(lua, index)) {
    case LUA_TNUMBER:
    case LUA_TSTRING:
    case LUA_TBOOLEAN:
    case LUA_TNIL:
        return luaL_tolstring(lua, index, length);
    default: /* the real one shows an address */
        if (luaL_getmetafield(lua, index, "__name") == LUA_TSTRING)
            return lua_tolstring(lua, -1, length);
        lua_pushstring(lua, luaL_typename(lua, index));
        return lua_tolstring(lua, -1, length);
    }
}
