#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <lauxlib.h>
#include <lua.h>

#include "base/mem.h"
#include "loop/loop.h"
#include "script/script.h"

/* What a test's C functions and `done` write down. */
struct record {
    int begun, answered, cancelled, done, failed;
    struct error error;
    char result[64];
    struct script *free_in_done;
    bool finished;
    struct loop *loop;
};

/* An operation that ends by a timer. */
struct sleep {
    struct record *record;
    struct loop_event *timer;
    struct script_wait *wait;
};

static struct record *record_of(lua_State *lua)
{
    return script_context(lua);
}

static void free_sleep(struct sleep *sleep)
{
    loop_drop(sleep->timer);
    mem_free(sleep);
}

static void cancel_sleep(void *operation)
{
    struct sleep *sleep = operation;
    sleep->record->cancelled++;
    free_sleep(sleep);
}

static int end_sleep(lua_State *lua, void *operation)
{
    struct sleep *sleep = operation;
    sleep->record->answered++;
    free_sleep(sleep);
    lua_pushvalue(lua, 2);
    return 1;
}

static void fire(void *data)
{
    script_wake(((struct sleep *)data)->wait);
}

/* sleep(ms, value): value, later. ms -1: woken before the yield; -2: the operation cannot start. */
static int l_sleep(lua_State *lua)
{
    lua_Integer ms = luaL_checkinteger(lua, 1);
    struct record *record = record_of(lua);
    lua_settop(lua, 2);
    struct sleep *sleep = mem_zero(1, sizeof *sleep);
    if (sleep == NULL)
        return luaL_error(lua, "out of memory");
    sleep->record = record;
    record->begun++;
    struct script_wait *wait = script_wait_new(lua, cancel_sleep, sleep);
    sleep->wait = wait;
    if (ms >= 0)
        sleep->timer = loop_add_timer(record->loop, ms, fire, sleep);
    if (ms == -1)
        script_wake(wait);
    if (ms == -2 || (ms >= 0 && sleep->timer == NULL)) {
        script_wait_drop(wait);
        free_sleep(sleep);
        record->answered++;
        return luaL_error(lua, "cannot sleep");
    }
    if (ms == -3)
        return luaL_error(lua, "between wait and yield"); /* the wait is cancelled later */
    return script_wait_yield(lua, wait, end_sleep);
}

static int l_can_wait(lua_State *lua)
{
    lua_pushboolean(lua, script_can_wait(lua));
    return 1;
}

static int l_cancel_me(lua_State *lua)
{
    (void)lua;
    script_cancel(*(struct script_task **)script_task_data(lua));
    return 0;
}

static void note(void *data, struct lua_State *lua, int count, const struct error *error)
{
    struct record *record = data;
    record->done++;
    record->finished = true;
    record->failed += error != NULL;
    if (error != NULL)
        record->error = *error;
    else if (count > 0 && lua_type(lua, -count) == LUA_TSTRING)
        strcpy(record->result, lua_tostring(lua, -count));
    if (record->free_in_done != NULL)
        script_free(record->free_in_done);
}

static void set(struct script *script, const char *name, lua_CFunction fn)
{
    lua_pushcfunction(script_lua(script), fn);
    assert_true(script_set_global(script, name, NULL));
}

static struct script *make(struct record *record)
{
    struct script_limits limits = {.instructions = 3000000};
    *record = (struct record){.error = ERROR_INIT};
    record->loop = loop_new(NULL);
    struct script *script = script_new(record->loop, NULL, &limits, NULL);
    script_set_context(script, record);
    set(script, "sleep", l_sleep);
    set(script, "can_wait", l_can_wait);
    set(script, "cancel_me", l_cancel_me);
    return script;
}

static void end(struct script *script, struct record *record)
{
    script_free(script);
    assert_int_equal(record->begun, record->answered + record->cancelled); /* exactly one of the two for each */
    loop_free(record->loop);
}

static struct script_task *start(struct script *script, struct record *record, const char *body)
{
    char text[2048];
    snprintf(text, sizeof text, "return function(...) %s end", body);
    assert_true(script_run_text(script, text, strlen(text), "task.lua", NULL));
    int id = script_keep(script);
    struct script_task *task = script_start(script, id, 0, note, record, NULL);
    script_unkeep(script, id);
    assert_int_equal(lua_gettop(script_lua(script)), 0);
    return task;
}

/* Runs a body in a task to its end. */
static void run_task(const char *body, struct record *record)
{
    struct script *script = make(record);
    assert_non_null(start(script, record, body));
    assert_true(loop_until(record->loop, &record->finished, 10000));
    assert_int_equal(record->done, 1);
    end(script, record);
}

static void a_task_waits_and_goes_on_with_the_answer(void **state)
{
    (void)state;
    struct record record;
    run_task("local a = sleep(1, 'x') local b = sleep(0, 'y') local c = sleep(-1, 'z') return a .. b .. c", &record);
    assert_string_equal(record.result, "xyz");
    assert_int_equal(record.answered, 3);
}

static void a_wait_is_possible_below_pcall_metamethods_and_iterators(void **state)
{
    (void)state;
    struct record record;
    run_task("local ok, a = pcall(sleep, 0, 'a')\n"
             "local ok2, b = xpcall(function() return pcall(sleep, 0, 'b') end, function(m) return m end)\n"
             "local t = setmetatable({}, { __index = function(_, k) return sleep(0, k) end })\n"
             "local c = t.c\n"
             "for d in function(_, d) return d == nil and sleep(0, 'd') or nil end do c = c .. d end\n"
             "local ok3, e = pcall(function() sleep(0, 1) error('late') end)\n"
             "assert(ok and ok2 and not ok3 and e:find('late'))\n"
             "return a .. tostring(b) .. c",
             &record);
    assert_string_equal(record.error.message, "");
    assert_string_equal(record.result, "atruecd");
}

static void a_wait_is_refused_where_it_is_not_possible(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "coroutine.wrap(function() assert(not can_wait()) sleep(0) end)()",
        "(('x'):gsub('x', function() assert(not can_wait()) sleep(0) end))",
        "table.sort({ 2, 1 }, function() assert(not can_wait()) sleep(0) end)",
        "tostring(setmetatable({}, { __tostring = function() assert(not can_wait()) sleep(0) end }))",
        "string.format('%s', setmetatable({}, { __tostring = function() sleep(0) end }))",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct record record;
        char body[512];
        snprintf(body, sizeof body, "assert(can_wait()) local _ = %s", bodies[i]);
        run_task(body, &record);
        assert_int_equal(record.failed, 1);
        assert_non_null(strstr(record.error.message, "would have to wait"));
    }
    struct record record;
    struct script *script = make(&record);
    struct error err = ERROR_INIT;
    assert_false(script_run_text(script, "assert(not can_wait()) sleep(0)", 31, "file.lua", &err));
    assert_non_null(strstr(err.message, "would have to wait"));
    end(script, &record);
}

static void every_stretch_between_two_waits_has_a_fresh_budget(void **state)
{
    (void)state;
    struct record record;
    run_task("for i = 1, 10 do for j = 1, 1000000 do end sleep(-1) end return 'done'", &record);
    assert_string_equal(record.result, "done");
    run_task("sleep(0) for i = 1, 10 do for j = 1, 1000000 do end end", &record);
    assert_int_equal(record.error.kind, ERROR_LIMIT);
    assert_string_equal(record.error.where, "task.lua:1");
}

static void a_budget_that_ran_out_after_a_wait_is_not_caught_either(void **state)
{
    (void)state;
    struct record record;
    run_task("pcall(function() pcall(sleep, 0) while true do pcall(function() while true do end end) end end) while true do end", &record);
    assert_int_equal(record.error.kind, ERROR_LIMIT);
}

static void one_endless_task_leaves_the_others_alone(void **state)
{
    (void)state;
    struct record bad, good;
    struct script *script = make(&good);
    bad = (struct record){.error = ERROR_INIT};
    assert_non_null(start(script, &good, "sleep(1) for i = 1, 100 do pcall(error) end sleep(1) return 'fine'"));
    assert_non_null(start(script, &bad, "while true do pcall(function() while true do end end) end"));
    assert_int_equal(bad.error.kind, ERROR_LIMIT);
    assert_true(loop_until(good.loop, &good.finished, 10000));
    assert_string_equal(good.result, "fine");
    end(script, &good);
}

static void an_operation_that_cannot_start_is_an_error_to_the_script(void **state)
{
    (void)state;
    struct record record;
    run_task("assert(not pcall(sleep, -2)) assert(not pcall(sleep, -3)) return sleep(0, 'later')", &record);
    assert_string_equal(record.result, "later");
    assert_int_equal(record.cancelled, 1); /* the one between wait and yield */
    run_task("assert(not pcall(sleep, -3)) return 'end'", &record);
    assert_int_equal(record.cancelled, 1);
}

static void a_cancelled_task_is_never_done(void **state)
{
    (void)state;
    struct record record;
    struct script *script = make(&record);
    struct script_task *waiting = start(script, &record, "sleep(100000)");
    script_cancel(waiting);
    assert_int_equal(record.cancelled, 1);
    struct script_task *woken = start(script, &record, "sleep(-1)");
    script_cancel(woken); /* woken already, not yet resumed */
    assert_int_equal(record.cancelled, 2);
    loop_once(record.loop, 0);
    assert_non_null(start(script, &record, "sleep(100000)"));
    end(script, &record); /* cancelled by script_free */
    assert_int_equal(record.cancelled, 3);
    assert_int_equal(record.done, 0);
    script_cancel(NULL);
}

static void a_task_that_cancels_itself_ends_at_once(void **state)
{
    (void)state;
    struct record record;
    struct script *script = make(&record);
    static const char text[] = "return function() sleep(0) pcall(function() cancel_me() sleep(100000) end) while true do pcall(sleep, 1) end end";
    assert_true(script_run_text(script, text, strlen(text), "task.lua", NULL));
    struct script_task *task = NULL;
    task = script_start(script, script_keep(script), 0, NULL, &task, NULL);
    for (int i = 0; i < 5; i++)
        loop_once(record.loop, 1);
    assert_int_equal(record.begun, 1); /* nothing ran after it, whatever was caught */
    end(script, &record);
}

static void at_most_64_tasks_run_at_once(void **state)
{
    (void)state;
    struct record record;
    struct script *script = make(&record);
    struct error err = ERROR_INIT;
    for (int i = 0; i < 64; i++)
        assert_non_null(start(script, &record, "sleep(100000)"));
    assert_true(script_run_text(script, "return function() end", 21, "f.lua", NULL));
    lua_pushinteger(script_lua(script), 1);
    lua_insert(script_lua(script), -2);
    int id = script_keep(script);
    assert_null(script_start(script, id, 1, note, &record, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_int_equal(lua_gettop(script_lua(script)), 0);
    assert_null(script_start(script, 12345, 0, note, &record, &err));
    end(script, &record);
}

static void what_is_not_a_function_fails_as_a_task(void **state)
{
    (void)state;
    struct record record;
    struct script *script = make(&record);
    script_start(script, 12345, 0, note, &record, NULL);
    assert_int_equal(record.failed, 1);
    assert_non_null(strstr(record.error.message, "attempt to call"));
    end(script, &record);
}

static void a_script_may_be_freed_when_a_task_is_done(void **state)
{
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        struct record record;
        struct script *script = make(&record);
        record.free_in_done = script;
        assert_non_null(start(script, &record, "sleep(100000)")); /* another one, to be cancelled */
        assert_true(script_run_text(script, "return function(n) for _ = 1, n do sleep(0) end end", 51, "f.lua", NULL));
        int id = script_keep(script);
        lua_pushinteger(script_lua(script), waits);
        script_start(script, id, 1, note, &record, NULL);
        assert_true(loop_until(record.loop, &record.finished, 10000));
        assert_int_equal(record.cancelled, 1);
        loop_free(record.loop);
    }
}

static void ten_thousand_tasks_leave_nothing_behind(void **state)
{
    (void)state;
    struct record record;
    struct script *script = make(&record);
    assert_true(script_run_text(script, "return function(i) if i % 2 == 0 then sleep(-1, i) end return 'x' end", 69, "f.lua", NULL));
    int id = script_keep(script);
    lua_State *lua = script_lua(script);
    int used = 0;
    for (int i = 0; i < 10000; i++) {
        record.finished = false;
        lua_pushinteger(lua, i);
        script_start(script, id, 1, note, &record, NULL);
        assert_true(record.finished == (i % 2 == 1) || i % 2 == 0);
        assert_true(loop_until(record.loop, &record.finished, 10000));
        if (i == 1000) {
            lua_gc(lua, LUA_GCCOLLECT);
            used = lua_gc(lua, LUA_GCCOUNT);
        }
    }
    assert_int_equal(record.done, 10000);
    lua_gc(lua, LUA_GCCOLLECT);
    assert_true(lua_gc(lua, LUA_GCCOUNT) <= used + 4);
    end(script, &record);
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    int nth = 0, failures = 0;
    for (bool ok = false; !ok;) {
        struct record record;
        struct script *script = make(&record);
        assert_true(script_run_text(script, "return function(a) local b = sleep(-1, a .. 'y') return b .. 'z' end", 68, "f.lua", NULL));
        int id = script_keep(script);
        lua_pushliteral(script_lua(script), "x");
        mem_fail_at(++nth);
        bool started = script_start(script, id, 1, note, &record, NULL) != NULL;
        while (started && !record.finished)
            loop_once(record.loop, 1000);
        mem_fail_at(0);
        ok = started && record.failed == 0 && nth > 30;
        failures += !started || record.failed > 0;
        assert_int_equal(record.done, started ? 1 : 0);
        if (ok)
            assert_string_equal(record.result, "xyz");
        end(script, &record);
    }
    assert_true(failures > 0);
}

int test_task(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_waits_and_goes_on_with_the_answer),
        cmocka_unit_test(a_wait_is_possible_below_pcall_metamethods_and_iterators),
        cmocka_unit_test(a_wait_is_refused_where_it_is_not_possible),
        cmocka_unit_test(every_stretch_between_two_waits_has_a_fresh_budget),
        cmocka_unit_test(a_budget_that_ran_out_after_a_wait_is_not_caught_either),
        cmocka_unit_test(one_endless_task_leaves_the_others_alone),
        cmocka_unit_test(an_operation_that_cannot_start_is_an_error_to_the_script),
        cmocka_unit_test(a_cancelled_task_is_never_done),
        cmocka_unit_test(a_task_that_cancels_itself_ends_at_once),
        cmocka_unit_test(at_most_64_tasks_run_at_once),
        cmocka_unit_test(what_is_not_a_function_fails_as_a_task),
        cmocka_unit_test(a_script_may_be_freed_when_a_task_is_done),
        cmocka_unit_test(ten_thousand_tasks_leave_nothing_behind),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("script/task", tests, NULL, NULL);
}
