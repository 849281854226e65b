/* expect.c: expectations as they are stated, and what `:points` and `:explain` add to them. */
#include <string.h>

#include "base/lang.h"
#include "base/mem.h"
#include "bind/objects.h"

#define EXPECTATION "kubetutor.expectation"

struct stated { /* what an expectation call returns: the ones it covers */
    uint64_t serial;
    size_t first, end;
};

static char *copy(const char *text)
{
    return mem_string(text != NULL ? text : "");
}

struct expectation *add_expectation(struct bind_run *run, lua_State *lua, const struct kube_resource *resource, const char *asked, const char *name,
                                    const struct value *object, bool holds)
{
    char where[128];
    struct buf full = buf_make(400);
    struct expectation *e = mem_zero(1, sizeof *e);
    script_where(lua, where, sizeof where);
    if (e == NULL)
        return NULL;
    if (resource != NULL)
        kube_resource_name(resource, &full);
    e->holds = holds;
    e->points = 1;
    e->kind = copy(resource != NULL ? resource->kind : asked);
    e->resource = copy(buf_ok(&full) && full.bytes != NULL ? full.bytes : asked);
    e->name = copy(name);
    e->uid = copy(value_find_text(object, "metadata", "uid", NULL));
    e->resource_version = copy(value_find_text(object, "metadata", "resourceVersion", NULL));
    e->path = copy("");
    e->expected = copy("");
    e->actual = copy("");
    e->where = copy(where);
    e->why = copy("");
    buf_free(&full);
    bool ok = e->kind != NULL && e->resource != NULL && e->name != NULL && e->uid != NULL && e->resource_version != NULL && e->path != NULL &&
              e->expected != NULL && e->actual != NULL && e->where != NULL && e->why != NULL;
    if (!ok) {
        expectation_free(e);
        return NULL;
    }
    return vec_push(&run->verdict->expectations, e) ? e : NULL;
}

static void say(char **where, const char *text)
{
    char *fresh = mem_string(text);
    if (fresh == NULL)
        return;
    mem_free(*where);
    *where = fresh;
}

void expectation_say(struct expectation *e, const char *path, const char *expected, const char *actual)
{
    if (e == NULL)
        return;
    say(&e->path, path);
    say(&e->expected, expected);
    say(&e->actual, actual);
}

void expectation_history(struct expectation *e)
{
    if (e != NULL)
        e->history = true;
}

/* The object or set that was asked is the first argument of the running function: the answer remembers it, so that one can go on with it. */
void push_expectation(lua_State *lua, const struct bind_run *run, size_t first)
{
    struct stated *stated = lua_newuserdatauv(lua, sizeof *stated, 1);
    *stated = (struct stated){.serial = run->serial, .first = first, .end = run->verdict->expectations.length};
    luaL_setmetatable(lua, EXPECTATION);
    lua_pushvalue(lua, 1);
    lua_setiuservalue(lua, -2, 1);
}

/* object:method(...) on behalf of expectation:method(...). Upvalue: the method's name. */
static int forward(lua_State *lua)
{
    luaL_checkudata(lua, 1, EXPECTATION);
    lua_getiuservalue(lua, 1, 1);
    lua_replace(lua, 1);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_gettable(lua, 1);
    if (lua_isnil(lua, -1))
        return luaL_error(lua, "there is no function \"%s\" here", lua_tostring(lua, lua_upvalueindex(1)));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, LUA_MULTRET);
    return lua_gettop(lua);
}

/* Upvalue: the expectation's own methods. Anything else is the object's: pods:expect_count(1):each():expect { ... }. */
static int index_expectation(lua_State *lua)
{
    lua_settop(lua, 2);
    lua_pushvalue(lua, 2);
    lua_rawget(lua, lua_upvalueindex(1));
    if (!lua_isnil(lua, -1))
        return 1;
    lua_getiuservalue(lua, 1, 1);
    if (!lua_isuserdata(lua, -1))
        return luaL_error(lua, "an expectation has no function \"%s\"", luaL_checkstring(lua, 2));
    lua_pushvalue(lua, 2);
    lua_pushcclosure(lua, forward, 1);
    return 1;
}

/* ---- patterns ---- */

struct reporting {
    struct bind_run *run;
    lua_State *lua;
    const struct kube_resource *resource;
    const char *asked, *name;
    const struct value *object;
    bool hidden;
    bool full;
};

static void report(void *data, const struct shape_difference *difference) /* inside shape_match: no longjmp; script_where does not raise */
{
    struct reporting *r = data;
    struct expectation *e = add_expectation(r->run, r->lua, r->resource, r->asked, r->name, r->object, false);
    if (e == NULL) {
        r->full = true;
        return;
    }
    e->hidden = r->hidden;
    expectation_say(e, difference->path, r->hidden ? _("(hidden)") : difference->expected, r->hidden ? _("(hidden)") : difference->actual);
}

void expect_shape(lua_State *lua, struct bind_run *run, const struct kube_resource *resource, const char *asked, const char *name, const struct value *object,
                  int pattern_index, int options_index)
{
    struct error err = ERROR_INIT;
    struct reporting reporting = {.run = run, .lua = lua, .resource = resource, .asked = asked, .name = name, .object = object};
    size_t first = run->verdict->expectations.length;
    struct shape **box = push_shape_box(lua);
    shape_from_lua(lua, pattern_index, box, lua_gettop(lua));
    reporting.hidden = option_true(lua, options_index, "secret");
    bool holds = false;
    if (resource == NULL || object == NULL) { /* one sentence instead of one for each field */
        struct expectation *e = add_expectation(run, lua, resource, asked, name, NULL, false);
        expectation_say(e, "", _("there"), resource == NULL ? _("a kind that this cluster does not have") : _("missing"));
    } else {
        holds = shape_match(*box, object, report, &reporting, &err);
        if (err.kind != ERROR_NONE)
            script_raise(lua, &err);
        if (holds) {
            struct buf words = buf_make(300);
            struct expectation *e = add_expectation(run, lua, resource, asked, name, object, true);
            if (e != NULL)
                e->hidden = reporting.hidden;
            shape_describe(*box, 200, &words);
            expectation_say(e, "", reporting.hidden ? _("(hidden)") : buf_ok(&words) && words.bytes != NULL ? words.bytes : "", _("as wanted"));
            buf_free(&words);
        }
    }
    if (reporting.full || run->verdict->expectations.length == first)
        luaL_error(lua, "the check states too many expectations");
    lua_pop(lua, 1);
    if (lua_istable(lua, options_index)) { /* t{} itself, or { text = t{} } */
        lua_getfield(lua, options_index, "text");
        int words = lua_istable(lua, -1) || lua_isstring(lua, -1) ? lua_gettop(lua) : options_index;
        for (size_t i = first; i < run->verdict->expectations.length; i++)
            both_from_lua(lua, words, &((struct expectation *)run->verdict->expectations.items[i])->text);
        lua_pop(lua, 1);
    }
}

/* ---- what can be said of one afterwards ---- */

static struct stated *check_stated(lua_State *lua)
{
    struct stated *stated = luaL_checkudata(lua, 1, EXPECTATION);
    if (stated->serial != run_of(lua)->serial)
        luaL_error(lua, "this expectation belongs to a function that has ended");
    return stated;
}

static int points(lua_State *lua)
{
    const struct stated *stated = check_stated(lua);
    lua_Integer n = luaL_checkinteger(lua, 2);
    const struct vec *all = &run_of(lua)->verdict->expectations;
    luaL_argcheck(lua, n >= 0 && n <= 1000, 2, "points are 0 to 1000");
    for (size_t i = stated->first; i < stated->end && i < all->length; i++)
        ((struct expectation *)all->items[i])->points = (int)n;
    lua_settop(lua, 1);
    return 1;
}

static int explain(lua_State *lua)
{
    const struct stated *stated = check_stated(lua);
    const struct vec *all = &run_of(lua)->verdict->expectations;
    luaL_checkany(lua, 2);
    for (size_t i = stated->first; i < stated->end && i < all->length; i++)
        both_from_lua(lua, 2, &((struct expectation *)all->items[i])->text);
    lua_settop(lua, 1);
    return 1;
}

/* True if all that it covers hold: for checks that go on only then. */
static int holds(lua_State *lua)
{
    const struct stated *stated = check_stated(lua);
    const struct vec *all = &run_of(lua)->verdict->expectations;
    bool yes = true;
    for (size_t i = stated->first; i < stated->end && i < all->length; i++)
        yes = yes && ((const struct expectation *)all->items[i])->holds;
    lua_pushboolean(lua, yes);
    return 1;
}

void register_expect(lua_State *lua)
{
    static const luaL_Reg methods[] = {{"points", points}, {"explain", explain}, {"holds", holds}, {NULL, NULL}};
    luaL_newmetatable(lua, EXPECTATION);
    lua_newtable(lua);
    luaL_setfuncs(lua, methods, 0);
    lua_pushcclosure(lua, index_expectation, 1);
    lua_setfield(lua, -2, "__index");
    lua_pushliteral(lua, "locked");
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 1);
}
