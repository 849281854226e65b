/* Source text into the state: files of the pack, text at hand, and require. */
#include "script/state.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

enum { MODULE_NAME_MAX = 100, REQUIRE_UNITS = 10000 };

static const char modules_key; /* registry key of the table of loaded modules; false stands for one that is being loaded */

/* Remembers how messages call this chunk: long names are shown by their end. Forgetting it for lack of memory only leaves a place inside a
 * message. */
static void note_chunk(struct script *script, const char *name)
{
    enum { SHOWN = LUA_IDSIZE - 4 };
    char shown[LUA_IDSIZE];
    size_t length = strlen(name);
    if (length < LUA_IDSIZE)
        snprintf(shown, sizeof shown, "%s", name);
    else
        snprintf(shown, sizeof shown, "...%s", name + length - SHOWN);
    if (!vec_has_string(&script->chunks, shown) && !vec_push_string(&script->chunks, shown))
        return;
}

static bool is_compiled(const char *text, size_t length)
{
    return length > 0 && text[0] == LUA_SIGNATURE[0];
}

/* Compiles text: pushes the function and returns LUA_OK, or returns a status and, unless that is LUA_ERRMEM, pushes the message. Does not raise. */
static int load(struct script *script, lua_State *lua, const char *text, size_t length, const char *name)
{
    char chunk[SCRIPT_WHERE];
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) { /* what some editors begin a file with */
        text += 3;
        length -= 3;
    }
    snprintf(chunk, sizeof chunk, "@%s", name);
    note_chunk(script, chunk + 1);
    if (!lua_checkstack(lua, 3))
        return LUA_ERRMEM;
    int status = luaL_loadbufferx(lua, text, length, chunk, "t");
    if (status == LUA_ERRMEM)
        lua_pop(lua, 1);
    return status;
}

char *script_read_file(struct script *script, const char *path, size_t maximum, size_t *length, struct error *err)
{
    if (script->pack == NULL) {
        error_set(err, ERROR_DENIED, path, "\"%s\": this script has no folder to read from", path);
        return NULL;
    }
    return file_read_below(script->pack, path, maximum, length, err);
}

/* ---- running a chunk ---- */

static RAISES int new_thread(lua_State *lua)
{
    lua_newthread(lua);
    return 1;
}

/* Runs text on the thread, on top of whose stack the result or the error object is left. */
static int run_on(struct script *script, lua_State *thread, lua_State *from, const char *text, size_t length, const char *name)
{
    int count = 0;
    int status = load(script, thread, text, length, name);
    if (status == LUA_OK)
        status = lua_resume(thread, from, 0, &count);
    if (status == LUA_OK && count == 0)
        lua_pushnil(thread);
    else if (status == LUA_OK)
        lua_pop(thread, count - 1);
    return status;
}

/* A thread of its own keeps its stack when it fails, also for want of memory: so the place is always known. */
bool script_run_text(struct script *script, const char *text, size_t length, const char *name, struct error *err)
{
    lua_State *lua = script_lua(script);
    char where[SCRIPT_WHERE];
    if (is_compiled(text, length))
        return error_set(err, ERROR_INPUT, name, "%s is compiled Lua: only text is accepted", name);
    if (!script_protect(script, lua, new_thread, NULL, 0, 1, err))
        return false;
    lua_State *thread = lua_tothread(lua, -1);
    struct stretch outer;
    budget_enter(script, thread, &outer);
    int status = run_on(script, thread, outer.running, text, length, name);
    if (status == LUA_OK) {
        lua_xmove(thread, lua, 1);
        lua_remove(lua, -2);
    } else {
        script_where(thread, where, sizeof where);
        error_describe(script, thread, status, where[0] != '\0' ? where : name, err);
        error_trail(thread, err);
        lua_pop(lua, 1);
    }
    budget_leave(script, &outer);
    return status == LUA_OK;
}

bool script_run_file(struct script *script, const char *path, struct error *err)
{
    size_t length;
    char *text = script_read_file(script, path, SCRIPT_FILE_MAX, &length, err);
    if (text == NULL)
        return false;
    bool ok = script_run_text(script, text, length, path, err);
    mem_free(text);
    return ok;
}

/* ---- require ---- */

/* "a.b" becomes "a/b.lua". A name has letters, digits, _ and - between its dots: nothing that could be a path. */
static bool path_of(const char *name, char path[MODULE_NAME_MAX + 8])
{
    size_t length = strlen(name);
    if (length == 0 || length > MODULE_NAME_MAX || name[0] == '.' || name[length - 1] == '.' || strstr(name, "..") != NULL)
        return false;
    if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") != length)
        return false;
    for (size_t i = 0; i < length; i++)
        path[i] = name[i] == '.' ? '/' : name[i];
    memcpy(path + length, ".lua", sizeof ".lua");
    return true;
}

/* Pushes the module's compiled chunk. The text is held by C only while the file is read and compiled, neither of which raises. */
static RAISES void push_module_chunk(lua_State *lua, const char *name)
{
    struct script *script = script_of(lua);
    char path[MODULE_NAME_MAX + 8];
    struct error err = ERROR_INIT;
    size_t length = 0;
    if (!path_of(name, path))
        luaL_error(lua, "require takes the name of a module of this pack, like \"helpers\" or \"lib.helpers\"");
    char *text = script_read_file(script, path, SCRIPT_FILE_MAX, &length, &err);
    if (text == NULL) {
        if (err.kind == ERROR_NOT_FOUND)
            luaL_error(lua, "module '%s' not found: the pack has no file %s", name, path);
        script_raise(lua, &err);
    }
    bool compiled = is_compiled(text, length);
    int status = compiled ? LUA_ERRSYNTAX : load(script, lua, text, length, path);
    mem_free(text);
    if (compiled)
        luaL_error(lua, "module '%s' is compiled Lua: only text is accepted", name);
    if (status == LUA_ERRMEM) {
        error_set(&err, script->over_cap ? ERROR_LIMIT : ERROR_MEMORY, path, "not enough memory for module '%s'", name);
        script_raise(lua, &err);
    }
    if (status != LUA_OK)
        lua_error(lua);
}

RAISES int module_require(lua_State *lua)
{
    const char *name = luaL_checkstring(lua, 1);
    lua_settop(lua, 1);
    if (lua_rawgetp(lua, LUA_REGISTRYINDEX, &modules_key) != LUA_TTABLE) {
        lua_settop(lua, 1);
        lua_newtable(lua);
        lua_pushvalue(lua, 2);
        lua_rawsetp(lua, LUA_REGISTRYINDEX, &modules_key);
    }
    lua_getfield(lua, 2, name);
    if (lua_isboolean(lua, 3) && !lua_toboolean(lua, 3))
        return luaL_error(lua, "module '%s' requires itself, or failed to load before", name);
    if (!lua_isnil(lua, 3))
        return 1;
    lua_settop(lua, 2);
    budget_charge(lua, REQUIRE_UNITS);
    push_module_chunk(lua, name);
    lua_pushboolean(lua, false);
    lua_setfield(lua, 2, name);
    lua_call(lua, 0, 1);
    if (!lua_toboolean(lua, -1)) {
        lua_pop(lua, 1);
        lua_pushboolean(lua, true);
    }
    lua_pushvalue(lua, -1);
    lua_setfield(lua, 2, name);
    return 1;
}
