#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <lauxlib.h>
#include <lua.h>

#include "base/file.h"
#include "base/mem.h"
#include "loop/loop.h"
#include "script/script.h"

static bool run(struct script *script, const char *text, struct error *err)
{
    return script_run_text(script, text, strlen(text), "lesson.lua", err);
}

static void one_result_is_left_whatever_a_chunk_returns(void **state)
{
    (void)state;
    struct script *script = script_new(NULL, NULL, NULL, NULL);
    lua_State *lua = script_lua(script);
    assert_true(run(script, "", NULL));
    assert_true(lua_isnil(lua, -1));
    assert_true(run(script, "return 1, 2, 3", NULL));
    assert_int_equal(lua_tointeger(lua, -1), 1);
    assert_true(run(script, "\xEF\xBB\xBFreturn 'after a byte order mark'", NULL));
    assert_int_equal(lua_gettop(lua), 3);
    assert_false(run(script, "error('x')", NULL));
    assert_int_equal(lua_gettop(lua), 3);
    script_free(script);
}

static void an_error_has_its_place_apart_from_its_message(void **state)
{
    (void)state;
    struct script *script = script_new(NULL, NULL, NULL, NULL);
    struct error err = ERROR_INIT;
    assert_false(run(script, "local function f() error('bad thing') end\nf()", &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_string_equal(err.where, "lesson.lua:1");
    assert_string_equal(err.message, "bad thing");
    assert_string_equal(err.cause, "called from lesson.lua:2");
    assert_false(run(script, "error('http://x:80: refused', 0)", &err)); /* not a place in a chunk */
    assert_string_equal(err.message, "http://x:80: refused");
    assert_string_equal(err.where, "lesson.lua:1");
    const char *name = "a/name/that/is/far/too/long/for/lua/to/show/it/whole/in/its/own/messages.lua";
    assert_false(script_run_text(script, "x = = 1", 7, name, &err));
    assert_string_equal(err.message, "unexpected symbol near '='");
    assert_non_null(strstr(err.where, "messages.lua:1"));
    assert_false(script_run_text(script, "\033Lua", 4, "c.lua", &err));
    assert_non_null(strstr(err.message, "compiled"));
    script_free(script);
}

static int l_fail(lua_State *lua)
{
    struct error err = ERROR_INIT;
    error_set(&err, ERROR_NOT_FOUND, "https://server", "no pod web");
    return script_raise(lua, &err);
}

static void add_function(struct script *script, const char *name, lua_CFunction fn)
{
    lua_pushcfunction(script_lua(script), fn);
    assert_true(script_set_global(script, name, NULL));
}

static void a_raised_error_keeps_its_kind_through_lua(void **state)
{
    (void)state;
    struct script *script = script_new(NULL, NULL, NULL, NULL);
    struct error err = ERROR_INIT;
    add_function(script, "fail", l_fail);
    assert_false(run(script, "\nfail()", &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_string_equal(err.where, "lesson.lua:2");
    assert_string_equal(err.message, "no pod web");
    assert_string_equal(err.cause, "https://server");
    assert_false(run(script, "local ok, e = pcall(fail) error(e)", &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_true(run(script,
                    "local ok, e = pcall(function() fail() end)\n"
                    "assert(e.kind == 'not_found' and e.message == 'no pod web' and e.where == 'lesson.lua:1')\n"
                    "assert(e.nothing == nil and e[1] == nil)\n"
                    "assert(tostring(e) == 'lesson.lua:1: no pod web', tostring(e))\n"
                    "assert('it: ' .. e == 'it: lesson.lua:1: no pod web' and e .. '!' == 'lesson.lua:1: no pod web!')\n"
                    "assert(getmetatable(e) == false and not pcall(function() e.kind = 1 end))",
                    &err));
    script_free(script);
}

static void kept_values_are_found_until_they_are_dropped(void **state)
{
    (void)state;
    struct script *script = script_new(NULL, NULL, NULL, NULL);
    lua_State *lua = script_lua(script);
    lua_pushinteger(lua, 7);
    int first = script_keep(script);
    lua_pushinteger(lua, 8);
    int second = script_keep(script);
    assert_true(first > 0 && second > first);
    script_push_kept(script, first);
    assert_int_equal(lua_tointeger(lua, -1), 7);
    script_unkeep(script, first);
    script_unkeep(script, first);
    script_unkeep(script, 0);
    script_push_kept(script, first);
    assert_true(lua_isnil(lua, -1));
    lua_pushinteger(lua, 9);
    assert_true(script_keep(script) > second); /* never the id of a dropped one */
    assert_int_equal(lua_gettop(lua), 2);
    script_free(script);
}

static void globals_of_the_program_cannot_be_changed(void **state)
{
    (void)state;
    struct script *script = script_new(NULL, NULL, NULL, NULL);
    lua_State *lua = script_lua(script);
    struct error err = ERROR_INIT;
    lua_newtable(lua);
    lua_pushinteger(lua, 1);
    lua_setfield(lua, -2, "one");
    assert_true(script_set_global(script, "k", NULL));
    assert_int_equal(lua_gettop(lua), 0);
    assert_true(run(script, "assert(k.one == 1 and not pcall(function() k.one = 2 end) and not pcall(rawset, k, 'one', 2) and k.one == 1)", &err));
    assert_false(run(script, "k = 1", &err));
    assert_string_equal(err.message, "'k' cannot be set: this table belongs to the program");
    script_free(script);
}

static void files_outside_the_pack_are_not_read(void **state)
{
    (void)state;
    char folder[] = "/tmp/kt-script-XXXXXX", pack[64], path[96];
    struct error err = ERROR_INIT;
    assert_non_null(mkdtemp(folder));
    snprintf(pack, sizeof pack, "%s/pack", folder);
    assert_true(file_make_folder(pack, 0700, NULL));
    snprintf(path, sizeof path, "%s/secret.lua", folder);
    assert_true(file_write(path, "return 1", 8, 0600, NULL));
    char link[96];
    snprintf(link, sizeof link, "%s/link.lua", pack);
    assert_int_equal(symlink("../secret.lua", link), 0);
    struct script *script = script_new(NULL, pack, NULL, NULL);
    assert_false(script_run_file(script, "../secret.lua", &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_false(script_run_file(script, path, &err));
    assert_false(script_run_file(script, "link.lua", &err));
    assert_false(run(script, "require 'link'", &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_string_equal(err.where, "lesson.lua:1");
    script_free(script);
    script = script_new(NULL, NULL, NULL, NULL);
    assert_false(run(script, "require 'x'", &err));
    assert_false(script_run_file(script, "x.lua", &err));
    script_free(script);
    unlink(link);
    unlink(path);
    rmdir(pack);
    rmdir(folder);
}

static int l_nested(lua_State *lua)
{
    struct script *script = script_of(lua);
    struct error err = ERROR_INIT;
    if (!script_run_text(script, "while true do end", 17, "inner.lua", &err))
        lua_pushstring(lua, err.message);
    return 1;
}

static void a_chunk_run_inside_another_shares_its_budget(void **state)
{
    (void)state;
    struct script_limits limits = {.instructions = 1000000};
    struct script *script = script_new(NULL, NULL, &limits, NULL);
    struct error err = ERROR_INIT;
    add_function(script, "nested", l_nested);
    assert_false(run(script, "while true do pcall(nested) end", &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_string_equal(err.where, "inner.lua:1");
    assert_true(run(script, "return 1", &err)); /* the next stretch begins afresh */
    script_free(script);
}

static int l_reset(lua_State *lua)
{
    script_budget_reset(lua);
    return 0;
}

static void a_reset_budget_is_a_fresh_one(void **state)
{
    (void)state;
    struct script_limits limits = {.instructions = 1000000};
    struct script *script = script_new(NULL, NULL, &limits, NULL);
    add_function(script, "reset", l_reset);
    assert_true(run(script, "for i = 1, 10 do for j = 1, 300000 do end reset() end", NULL));
    assert_false(run(script, "for i = 1, 10 do for j = 1, 300000 do end end", NULL));
    script_free(script);
}

static void the_wall_clock_ends_what_instructions_do_not(void **state)
{
    (void)state;
    struct script_limits limits = {.instructions = INT64_MAX, .wall_ms = 20};
    struct script *script = script_new(NULL, NULL, &limits, NULL);
    struct error err = ERROR_INIT;
    assert_false(run(script, "while true do end", &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_non_null(strstr(err.message, "20 ms"));
    script_free(script);
}

static const char busy[] =
    "local t = { name = 'web', ready = 3 }\n"
    "local class = {} class.__index = class class.__tostring = function(s) return 'obj' end\n"
    "local o = setmetatable({}, class)\n"
    "local s = ('a,b,c'):gsub('%w', string.upper) .. tostring(o) .. string.format('%s %d', t.name, t.ready)\n"
    "for w in s:gmatch('%a+') do t[#t + 1] = w end\n"
    "table.sort(t)\n"
    "local co = coroutine.wrap(function() coroutine.yield(pcall(error, {})) end)\n"
    "co()\n"
    "local ok, e = pcall(fail)\n"
    "return table.concat(t, ',') .. tostring(e)\n";

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    int nth = 0, failed = 0;
    for (bool ok = false; !ok; ) {
        struct error err = ERROR_INIT;
        mem_fail_at(++nth);
        struct loop *loop = NULL;
        struct script *script = script_new(loop, "/tmp", NULL, &err);
        ok = script != NULL;
        if (ok) {
            lua_pushcfunction(script_lua(script), l_fail);
            ok = script_set_global(script, "fail", &err) && run(script, busy, &err);
        }
        mem_fail_at(0);
        failed += !ok;
        if (!ok)
            assert_true(err.kind != ERROR_NONE);
        script_free(script);
    }
    assert_true(failed > 50); /* Lua collects and asks again, so many single failures pass unnoticed */
    for (int from = 1; from < nth; from++) {
        struct error err = ERROR_INIT;
        mem_fail_from(from);
        struct script *script = script_new(NULL, "/tmp", NULL, &err);
        bool ran = script != NULL && run(script, busy, &err);
        mem_fail_from(0);
        assert_false(ran);
        assert_true(err.kind == ERROR_MEMORY || err.kind == ERROR_INPUT); /* pcall may have caught it */
        script_free(script);
    }
}

int test_script(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_result_is_left_whatever_a_chunk_returns),
        cmocka_unit_test(an_error_has_its_place_apart_from_its_message),
        cmocka_unit_test(a_raised_error_keeps_its_kind_through_lua),
        cmocka_unit_test(kept_values_are_found_until_they_are_dropped),
        cmocka_unit_test(globals_of_the_program_cannot_be_changed),
        cmocka_unit_test(files_outside_the_pack_are_not_read),
        cmocka_unit_test(a_chunk_run_inside_another_shares_its_budget),
        cmocka_unit_test(a_reset_budget_is_a_fresh_one),
        cmocka_unit_test(the_wall_clock_ends_what_instructions_do_not),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("script", tests, NULL, NULL);
}
