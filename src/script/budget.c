#include "script/state.h"

#include <time.h>

#include "base/clock.h"

enum {
    TICK = 1000,        /* instructions between two looks */
    TICK_SLOW = 20,     /* while single instructions take long (huge strings, tables, argument lists) */
    SLOW_US = 5000,     /* a tick that took longer is followed by short ones */
    PATIENCE = 5,       /* times wall_ms that a stretch may last while the machine is busy with something else */
};

static const char mark; /* its address is the error object of a stretch that is over; Lua code never gets to see it */

bool budget_over(const struct script *script)
{
    return script->end != SCRIPT_ALIVE || (script->task != NULL && script->task->cancelled);
}

RAISES int budget_raise(lua_State *lua)
{
    lua_pushlightuserdata(lua, (void *)(uintptr_t)&mark);
    return lua_error(lua);
}

static void hook(lua_State *lua, lua_Debug *ar);

static int64_t processor_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* True if the stretch has had its time. On a busy machine that is its own time on the processor: the deadline is put off by what it was denied,
 * up to PATIENCE. */
static bool is_late(struct script *script, int64_t now)
{
    if (now <= script->deadline_us)
        return false;
    int64_t wall = script->limits.wall_ms * 1000, used = processor_us() - script->begin_processor_us;
    if (used >= wall || now - script->begin_us > PATIENCE * wall)
        return true;
    script->deadline_us = now + (wall - used);
    return false;
}

/* Ends the stretch if it must: from now on the hook fires at every instruction, so that no pcall and no handler gets far. */
static RAISES void judge(struct script *script, lua_State *lua)
{
    script->unlooked = 0;
    int64_t now = clock_monotonic_us();
    enum script_end end = script->left < 0 ? SCRIPT_TOO_LONG : is_late(script, now) ? SCRIPT_TOO_SLOW : SCRIPT_ALIVE;
    if (script->end == SCRIPT_ALIVE && end != SCRIPT_ALIVE) {
        script->end = end;
        script_where(lua, script->end_where, sizeof script->end_where);
    }
    if (budget_over(script)) {
        lua_sethook(lua, hook, LUA_MASKCOUNT, 1);
        budget_raise(lua);
    }
}

static void hook(lua_State *lua, lua_Debug *ar)
{
    (void)ar;
    struct script *script = script_of(lua);
    int tick = lua_gethookcount(lua);
    script->left -= tick;
    judge(script, lua);
    int64_t now = clock_monotonic_us();
    int wanted = now - script->look_us > SLOW_US ? TICK_SLOW : TICK;
    script->look_us = now;
    if (wanted != tick)
        lua_sethook(lua, hook, LUA_MASKCOUNT, wanted);
}

void budget_arm(struct script *script, lua_State *lua)
{
    int count = lua_gethookcount(lua);
    if (budget_over(script))
        lua_sethook(lua, hook, LUA_MASKCOUNT, 1);
    else if (lua_gethook(lua) != hook || (count != TICK && count != TICK_SLOW))
        lua_sethook(lua, hook, LUA_MASKCOUNT, TICK); /* only then: it starts the count anew */
}

static void renew(struct script *script)
{
    script->left = script->limits.instructions;
    script->begin_us = script->look_us = clock_monotonic_us();
    script->begin_processor_us = processor_us();
    script->deadline_us = script->begin_us + script->limits.wall_ms * 1000;
    script->unlooked = 0;
}

void budget_enter(struct script *script, lua_State *lua, struct stretch *outer)
{
    *outer = (struct stretch){script->running, script->top, script->task};
    if (script->depth == 0) {
        if (script->starved) /* what has a collector is not freed by the collections that a shortage causes */
            lua_gc(lua, LUA_GCCOLLECT);
        script->starved = false;
        script->end = SCRIPT_ALIVE;
        renew(script);
    }
    script->depth++;
    script->running = script->top = lua;
    budget_arm(script, lua);
}

void budget_leave(struct script *script, const struct stretch *outer)
{
    script->depth--;
    script->running = outer->running;
    script->top = outer->top;
    script->task = outer->task;
    if (script->running != NULL)
        budget_arm(script, script->running);
}

RAISES void budget_charge(lua_State *lua, size_t units)
{
    struct script *script = script_of(lua);
    int64_t taken = units < INT32_MAX ? (int64_t)units : INT32_MAX;
    script->left -= taken;
    script->unlooked += taken;
    if (script->left < 0 || script->unlooked >= TICK)
        judge(script, lua);
}

RAISES void budget_charge_look(lua_State *lua, size_t units)
{
    struct script *script = script_of(lua);
    script->unlooked = TICK;
    budget_charge(lua, units);
}

void budget_allocated(struct script *script, size_t units, bool look)
{
    if (script->depth == 0)
        return;
    script->left -= (int64_t)units;
    if (script->left < 0 || (look && clock_monotonic_us() > script->deadline_us))
        lua_sethook(script->running, hook, LUA_MASKCOUNT, 1);
}

void script_budget_reset(lua_State *lua)
{
    renew(script_of(lua));
}
