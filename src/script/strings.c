/* The functions of string that differ from the real ones: patterns go through luapattern.h, and results have limits. */
#include "script/state.h"

#include <string.h>

#include "data/pattern.h"
#include "script/luapattern.h"

enum { CACHED_BYTES = 512 * 1024, ATTEMPT_UNITS = 20, ITEM_SIZE = 64 /* what pcre2 needs for a byte of pattern, at most */ };

static const char pattern_key, cache_key; /* registry keys: metatable of patterns; table of them by their text */
#define NO_PLACE ((size_t)-1)

struct subject {
    lua_State *lua;
    const struct luapattern *pattern;
    const char *text;
    size_t length;
    struct pattern_spans spans; /* of the last match */
};

/* ---- compiled patterns ---- */

static int collect_pattern(lua_State *lua)
{
    luapattern_done(lua_touserdata(lua, 1));
    return 0;
}

RAISES void strings_install(lua_State *lua)
{
    lua_createtable(lua, 0, 1);
    lua_pushcfunction(lua, collect_pattern);
    lua_setfield(lua, -2, "__gc");
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &pattern_key);
    lua_newtable(lua);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &cache_key);
}

/* The userdata is about as large as what it holds outside of Lua, so that collector and cap see that. */
static RAISES struct luapattern *compile(lua_State *lua, int index, bool caret)
{
    size_t length;
    const char *text = lua_tolstring(lua, index, &length);
    size_t counted = length < LUAPATTERN_MAX ? length : LUAPATTERN_MAX;
    struct luapattern *pattern = lua_newuserdatauv(lua, sizeof *pattern + 1024 + counted * ITEM_SIZE, 0);
    pattern->compiled = NULL;
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &pattern_key);
    lua_setmetatable(lua, -2);
    budget_charge(lua, 100 + counted);
    struct error err = ERROR_INIT;
    if (!luapattern_make(pattern, text, length, caret, &err)) {
        if (err.kind == ERROR_MEMORY)
            script_raise(lua, &err);
        luaL_error(lua, "%s", err.message);
    }
    return pattern;
}

/* Pushes the pattern whose text is at index, from the cache if it is there. */
static RAISES struct luapattern *push_pattern(lua_State *lua, int index, bool caret)
{
    struct script *script = script_of(lua);
    const char *text = lua_tostring(lua, index);
    if (!caret && text[0] == '^')
        return compile(lua, index, false); /* another meaning than the cached one */
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &cache_key);
    lua_pushvalue(lua, index);
    if (lua_rawget(lua, -2) == LUA_TUSERDATA) {
        lua_remove(lua, -2);
        return lua_touserdata(lua, -1);
    }
    lua_pop(lua, 2);
    struct luapattern *pattern = compile(lua, index, true);
    if (script->cached_bytes >= CACHED_BYTES) { /* those in use are held by their users' stacks */
        lua_newtable(lua);
        lua_rawsetp(lua, LUA_REGISTRYINDEX, &cache_key);
        script->cached_bytes = 0;
    }
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &cache_key);
    lua_pushvalue(lua, index);
    lua_pushvalue(lua, -3);
    lua_rawset(lua, -3);
    lua_pop(lua, 1);
    script->cached_bytes += lua_rawlen(lua, -1);
    return pattern;
}

/* ---- matching ---- */

/* Finds the first match at or after `from`. The starts are tried one by one, so that the clock is looked at between them. */
static RAISES bool search(struct subject *s, size_t from)
{
    const struct luapattern *pattern = s->pattern;
    for (size_t at = from; at <= s->length; at++) {
        if (pattern->has_first && !pattern->anchored) {
            size_t start = at;
            while (at < s->length && !byte_set_has(&pattern->first, (unsigned char)s->text[at]))
                at++;
            budget_charge(s->lua, (at - start) / 8);
            if (at == s->length)
                return false;
        }
        budget_charge_look(s->lua, ATTEMPT_UNITS);
        enum pattern_answer answer = pattern_search(pattern->compiled, s->text, s->length, at, &s->spans, NULL);
        if (answer == PATTERN_YES)
            return true;
        if (answer == PATTERN_FAILED)
            luaL_error(s->lua, "pattern too complex for this text");
        if (pattern->anchored)
            return false;
    }
    return false;
}

/* Pushes a capture (from 0); the whole match for the first one of a pattern without captures. */
static RAISES void push_capture(struct subject *s, int index)
{
    const struct luapattern *pattern = s->pattern;
    if (index >= pattern->captures && index > 0)
        luaL_error(s->lua, "invalid capture index %%%d", index + 1);
    size_t group = pattern->captures == 0 ? 0 : (size_t)index + 1;
    size_t start = s->spans.at[group].start;
    if (pattern->captures > 0 && (pattern->positions >> index & 1) != 0)
        lua_pushinteger(s->lua, (lua_Integer)start + 1);
    else
        lua_pushlstring(s->lua, s->text + start, s->spans.at[group].end - start);
}

static RAISES int push_captures(struct subject *s, bool whole)
{
    int count = s->pattern->captures == 0 && whole ? 1 : s->pattern->captures;
    luaL_checkstack(s->lua, count, "too many captures");
    for (int i = 0; i < count; i++)
        push_capture(s, i);
    return count;
}

/* A position argument (from 1, negative: from the end) as an offset, perhaps behind the end. */
static RAISES size_t get_offset(lua_State *lua, int index, size_t length)
{
    lua_Integer place = luaL_optinteger(lua, index, 1);
    if (place > 0)
        return (size_t)place - 1;
    if (place == 0 || place < -(lua_Integer)length)
        return 0;
    return length - (size_t)-place;
}

static bool is_plain(const char *pattern, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (pattern[i] != '\0' && strchr("^$*+?.([%-", pattern[i]) != NULL)
            return false;
    return true;
}

static RAISES int find_plain(lua_State *lua, struct subject *s, const char *wanted, size_t length, size_t from)
{
    budget_charge(lua, (s->length - from) / 16 + length / 16);
    const char *found = length == 0 ? s->text + from : memmem(s->text + from, s->length - from, wanted, length);
    if (found == NULL) {
        luaL_pushfail(lua);
        return 1;
    }
    lua_pushinteger(lua, found - s->text + 1);
    lua_pushinteger(lua, found - s->text + (lua_Integer)length);
    return 2;
}

static RAISES int find_or_match(lua_State *lua, bool find)
{
    size_t length;
    struct subject s = {.lua = lua};
    s.text = luaL_checklstring(lua, 1, &s.length);
    const char *wanted = luaL_checklstring(lua, 2, &length);
    size_t from = get_offset(lua, 3, s.length);
    if (from > s.length) {
        luaL_pushfail(lua);
        return 1;
    }
    if (find && (lua_toboolean(lua, 4) || is_plain(wanted, length)))
        return find_plain(lua, &s, wanted, length, from);
    s.pattern = push_pattern(lua, 2, true);
    if (!search(&s, from)) {
        luaL_pushfail(lua);
        return 1;
    }
    if (!find)
        return push_captures(&s, true);
    lua_pushinteger(lua, (lua_Integer)s.spans.at[0].start + 1);
    lua_pushinteger(lua, (lua_Integer)s.spans.at[0].end);
    return push_captures(&s, false) + 2;
}

static RAISES int string_find(lua_State *lua)
{
    return find_or_match(lua, true);
}

static RAISES int string_match(lua_State *lua)
{
    return find_or_match(lua, false);
}

/* Upvalues of gmatch's iterator: the subject, the pattern, where to go on, where the last match ended (-1: none yet). */
static RAISES int next_match(lua_State *lua)
{
    struct subject s = {.lua = lua, .pattern = lua_touserdata(lua, lua_upvalueindex(2))};
    s.text = lua_tolstring(lua, lua_upvalueindex(1), &s.length);
    size_t from = (size_t)lua_tointeger(lua, lua_upvalueindex(3));
    size_t last = (size_t)lua_tointeger(lua, lua_upvalueindex(4));
    while (from <= s.length && search(&s, from)) {
        size_t end = s.spans.at[0].end;
        if (end == last) { /* an empty match where the last one ended */
            from = end + 1;
            continue;
        }
        lua_pushinteger(lua, (lua_Integer)end);
        lua_pushvalue(lua, -1);
        lua_replace(lua, lua_upvalueindex(3));
        lua_replace(lua, lua_upvalueindex(4));
        return push_captures(&s, true);
    }
    lua_pushinteger(lua, (lua_Integer)s.length + 1);
    lua_replace(lua, lua_upvalueindex(3));
    return 0;
}

static RAISES int string_gmatch(lua_State *lua)
{
    size_t length;
    luaL_checklstring(lua, 1, &length);
    luaL_checkstring(lua, 2);
    size_t from = get_offset(lua, 3, length);
    lua_settop(lua, 2);
    push_pattern(lua, 2, false);
    lua_remove(lua, 2);
    lua_pushinteger(lua, (lua_Integer)(from > length ? length + 1 : from));
    lua_pushinteger(lua, -1);
    lua_pushcclosure(lua, next_match, 4);
    return 1;
}

/* ---- gsub ---- */

/* Adds the replacement string (argument 3) with its %0 to %9 filled in. */
static RAISES void add_filled(struct subject *s, luaL_Buffer *out)
{
    size_t length;
    const char *text = lua_tolstring(s->lua, 3, &length), *end = text + length;
    const char *percent;
    while ((percent = memchr(text, '%', (size_t)(end - text))) != NULL) {
        char what = percent[1]; /* strings end with a NUL */
        luaL_addlstring(out, text, (size_t)(percent - text));
        if (what == '%') {
            luaL_addchar(out, '%');
        } else if (what == '0') {
            luaL_addlstring(out, s->text + s->spans.at[0].start, s->spans.at[0].end - s->spans.at[0].start);
        } else if (what >= '1' && what <= '9') {
            push_capture(s, what - '1');
            luaL_addvalue(out);
        } else {
            luaL_error(s->lua, "invalid use of '%%' in replacement string");
        }
        text = percent + 2;
    }
    luaL_addlstring(out, text, (size_t)(end - text));
}

/* Adds what stands for the match. */
static RAISES void add_replacement(struct subject *s, luaL_Buffer *out)
{
    lua_State *lua = s->lua;
    switch (lua_type(lua, 3)) {
    case LUA_TFUNCTION:
        lua_pushvalue(lua, 3);
        lua_call(lua, push_captures(s, true), 1);
        break;
    case LUA_TTABLE:
        push_capture(s, 0);
        lua_gettable(lua, 3);
        break;
    default:
        add_filled(s, out);
        return;
    }
    if (!lua_toboolean(lua, -1)) { /* nil, false: keep the match */
        lua_pop(lua, 1);
        luaL_addlstring(out, s->text + s->spans.at[0].start, s->spans.at[0].end - s->spans.at[0].start);
    } else if (!lua_isstring(lua, -1)) {
        luaL_error(lua, "invalid replacement value (a %s)", luaL_typename(lua, -1));
    } else {
        luaL_addvalue(out);
    }
}

static RAISES int string_gsub(lua_State *lua)
{
    struct subject s = {.lua = lua};
    luaL_Buffer out;
    s.text = luaL_checklstring(lua, 1, &s.length);
    luaL_checkstring(lua, 2);
    int type = lua_type(lua, 3);
    luaL_argexpected(lua, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
                     "string/function/table");
    lua_Integer maximum = luaL_optinteger(lua, 4, (lua_Integer)s.length + 1), count = 0;
    lua_settop(lua, 3);
    s.pattern = push_pattern(lua, 2, true);
    luaL_buffinit(lua, &out);
    size_t done = 0, from = 0, last = NO_PLACE; /* copied up to done; looked at up to from */
    while (count < maximum && from <= s.length && search(&s, from)) {
        size_t start = s.spans.at[0].start, end = s.spans.at[0].end;
        if (end == last) { /* an empty match where the last one ended */
            from = end + 1;
            continue;
        }
        luaL_addlstring(&out, s.text + done, start - done);
        count++;
        add_replacement(&s, &out);
        done = from = last = end;
        if (s.pattern->anchored)
            break;
    }
    luaL_addlstring(&out, s.text + done, s.length - done);
    luaL_pushresult(&out);
    lua_pushinteger(lua, count);
    return 2;
}

/* ---- limits on results ---- */

static RAISES int string_rep(lua_State *lua)
{
    struct script *script = script_of(lua);
    size_t length, separator = 0;
    luaL_checklstring(lua, 1, &length);
    lua_Integer count = luaL_checkinteger(lua, 2);
    luaL_optlstring(lua, 3, "", &separator);
    if (count <= 0 || length + separator == 0) {
        lua_pushliteral(lua, ""); /* the real one would count */
        return 1;
    }
    if ((size_t)count > script->limits.memory / (length + separator))
        return luaL_error(lua, "resulting string too large");
    budget_charge(lua, (size_t)count + (size_t)count * (length + separator) / 64);
    return script->original.rep(lua);
}

/* Arguments for %s are made text here, without addresses; %p is refused. The real one has limits for widths. */
static RAISES int string_format(lua_State *lua)
{
    size_t length;
    const char *format = luaL_checklstring(lua, 1, &length), *end = format + length;
    int argument = 1, top = lua_gettop(lua);
    budget_charge(lua, length / 8);
    for (const char *p = format; p < end; p++) {
        if (*p != '%')
            continue;
        p++;
        if (*p == '%')
            continue;
        p += strspn(p, "-+ #0123456789.");
        argument++;
        if (*p == 'p')
            return luaL_error(lua, "string.format: %%p is not available in scripts");
        if (*p == 's' && argument <= top && lua_type(lua, argument) != LUA_TSTRING) {
            error_tostring(lua, argument, NULL);
            lua_replace(lua, argument);
            lua_settop(lua, top);
        }
    }
    return script_of(lua)->original.format(lua);
}

const luaL_Reg string_functions[] = {
    {"find", string_find}, {"format", string_format}, {"gmatch", string_gmatch}, {"gsub", string_gsub},
    {"match", string_match}, {"rep", string_rep},     {NULL, NULL},
};
