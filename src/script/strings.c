/* The functions of string that differ from the real ones: patterns go through luapattern.h, and results have limits. */
#include "script/state.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "data/pattern.h"

enum {
    ATTEMPT_UNITS = 20,
    COMPILE_UNITS = 100,
    HEAVY_US = 200, /* an attempt that took longer may have made the room for backtracking large: it is given back */
};
#define NO_PLACE ((size_t)-1)

struct subject {
    lua_State *lua;
    const char *text;
    size_t length;
    const char *wanted; /* the pattern as the script wrote it */
    size_t wanted_length;
    bool caret; /* a leading ^ anchors */
    struct compiled_pattern *compiled; /* until the next call of Lua code, which may need its place */
    struct pattern_spans spans;        /* of the last match */
};

/* ---- compiled patterns ----
 * A few belong to the script. Not to userdata: under a memory cap Lua's emergency collection frees none that has a collector. */

static void forget_pattern(struct compiled_pattern *slot)
{
    luapattern_done(&slot->pattern);
    mem_free(slot->text);
    *slot = (struct compiled_pattern){.text = NULL};
}

void strings_free(struct script *script)
{
    for (size_t i = 0; i < SCRIPT_PATTERNS; i++)
        forget_pattern(&script->patterns[i]);
}

static bool is_pattern(const struct compiled_pattern *slot, const struct subject *s)
{
    return slot->text != NULL && slot->length == s->wanted_length && slot->caret == s->caret &&
           memcmp(slot->text, s->wanted, slot->length) == 0;
}

/* Compiles into a place. Nothing is raised while anything is owned here. */
static bool fill_pattern(struct compiled_pattern *slot, const struct subject *s, struct error *err)
{
    forget_pattern(slot);
    if (!luapattern_make(&slot->pattern, s->wanted, s->wanted_length, s->caret, err))
        return false;
    slot->text = mem_string_n(s->wanted, s->wanted_length);
    slot->length = s->wanted_length;
    slot->caret = s->caret;
    if (slot->text != NULL)
        return true;
    forget_pattern(slot);
    return error_memory(err);
}

static RAISES void raise_pattern_error(lua_State *lua, const struct error *err)
{
    if (err->kind == ERROR_MEMORY)
        script_raise(lua, err);
    luaL_error(lua, "%s", err->message);
}

/* Finds the pattern among the compiled ones, or compiles it in the place of the one that was not used for longest. */
static RAISES void need_pattern(struct subject *s)
{
    struct script *script = script_of(s->lua);
    struct compiled_pattern *oldest = &script->patterns[0];
    struct error err = ERROR_INIT;
    s->compiled = NULL;
    for (size_t i = 0; s->compiled == NULL && i < SCRIPT_PATTERNS; i++) {
        struct compiled_pattern *slot = &script->patterns[i];
        if (is_pattern(slot, s))
            s->compiled = slot;
        else if (slot->used < oldest->used)
            oldest = slot;
    }
    bool found = s->compiled != NULL && s->compiled->pattern.compiled != NULL;
    if (s->compiled == NULL)
        s->compiled = oldest;
    if (!found) {
        budget_charge(s->lua, COMPILE_UNITS + s->wanted_length);
        if (!fill_pattern(s->compiled, s, &err))
            raise_pattern_error(s->lua, &err);
    }
    s->compiled->used = ++script->pattern_uses;
}

/* ---- matching ---- */

/* Whether it matches at one place. */
static RAISES bool attempt(struct subject *s, size_t at)
{
    budget_charge_look(s->lua, ATTEMPT_UNITS);
    if (s->compiled->pattern.compiled == NULL)
        need_pattern(s);
    int64_t begin = clock_monotonic_us();
    enum pattern_answer answer = pattern_search(s->compiled->pattern.compiled, s->text, s->length, at, &s->spans, NULL);
    if (answer == PATTERN_FAILED || clock_monotonic_us() - begin > HEAVY_US)
        luapattern_done(&s->compiled->pattern);
    if (answer == PATTERN_FAILED)
        luaL_error(s->lua, "pattern too complex for this text");
    return answer == PATTERN_YES;
}

/* Finds the first match at or after `from`. The starts are tried one by one, so that the clock is looked at between them. */
static RAISES bool search(struct subject *s, size_t from)
{
    need_pattern(s);
    const struct luapattern *pattern = &s->compiled->pattern;
    for (size_t at = from; at <= s->length; at++) {
        if (pattern->has_first && !pattern->anchored) {
            size_t start = at;
            while (at < s->length && !byte_set_has(&pattern->first, (unsigned char)s->text[at]))
                at++;
            budget_charge(s->lua, (at - start) / 8);
            if (at == s->length)
                return false;
        }
        if (attempt(s, at))
            return true;
        if (pattern->anchored)
            return false;
    }
    return false;
}

/* Pushes a capture (from 0); the whole match for the first one of a pattern without captures. */
static RAISES void push_capture(struct subject *s, int index)
{
    const struct luapattern *pattern = &s->compiled->pattern;
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
    int captures = s->compiled->pattern.captures;
    int count = captures == 0 && whole ? 1 : captures;
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

static RAISES int find_plain(struct subject *s, size_t from)
{
    lua_State *lua = s->lua;
    size_t length = s->wanted_length;
    budget_charge(lua, (s->length - from) / 16 + length / 16);
    const char *found = length == 0 ? s->text + from : memmem(s->text + from, s->length - from, s->wanted, length);
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
    struct subject s = {.lua = lua, .caret = true};
    s.text = luaL_checklstring(lua, 1, &s.length);
    s.wanted = luaL_checklstring(lua, 2, &s.wanted_length);
    size_t from = get_offset(lua, 3, s.length);
    if (from > s.length) {
        luaL_pushfail(lua);
        return 1;
    }
    if (find && (lua_toboolean(lua, 4) || is_plain(s.wanted, s.wanted_length)))
        return find_plain(&s, from);
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
    struct subject s = {.lua = lua};
    s.text = lua_tolstring(lua, lua_upvalueindex(1), &s.length);
    s.wanted = lua_tolstring(lua, lua_upvalueindex(2), &s.wanted_length);
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
    struct subject s = {.lua = lua, .caret = true};
    luaL_Buffer out;
    s.text = luaL_checklstring(lua, 1, &s.length);
    s.wanted = luaL_checklstring(lua, 2, &s.wanted_length);
    int type = lua_type(lua, 3);
    luaL_argexpected(lua, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
                     "string/function/table");
    lua_Integer maximum = luaL_optinteger(lua, 4, (lua_Integer)s.length + 1), count = 0;
    lua_settop(lua, 3);
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
        if (s.wanted[0] == '^')
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
