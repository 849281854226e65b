/* script.h: a sandboxed Lua 5.4 state for other people's code (docs/lua-sandbox.md; all eleven points).
 *
 * One script is one lua_State for one lesson run: an allow-listed environment, a memory cap, a budget of instructions and wall time for
 * each stretch between two waits. C functions (bind/) are added as tables of lua_CFunction; those that wait end in
 * script_wait(). Coroutines that the scheduler runs are tasks.
 *
 * Everything that calls into Lua runs protected: no function of this header longjmps, unless its comment says so (those are for use
 * inside a lua_CFunction only).
 */
#ifndef KT_SCRIPT_SCRIPT_H
#define KT_SCRIPT_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct script;
struct script_task;
struct lua_State;
struct loop;

struct script_limits {
    size_t memory;        /* bytes, 0: 8 MiB (lists of the cluster's objects are held in C and do not count) */
    int64_t instructions; /* between two waits; 0: 50 million */
    int64_t wall_ms;      /* between two waits; 0: 1000. Where the machine is busy: of its own time on the processor, and five times that by the clock */
};

/* loop NULL: no task may wait. pack: the folder that require and script_read_file may read below; NULL: none. limits NULL: defaults. */
struct script *script_new(struct loop *loop, const char *pack, const struct script_limits *limits, struct error *err)
    __attribute__((warn_unused_result));
/* Ends every task without running Lua; their waits are cancelled, their `done` is not called. Not from inside a lua_CFunction; from `done`
 * only if the task was resumed by the loop or started from outside Lua. NULL is fine. */
void script_free(struct script *script);

/* The state that runs now (inside a lua_CFunction its own, else the main one), on whose stack the functions below push and pop; and the way back
 * from a state to its script and to one opaque pointer. */
struct lua_State *script_lua(struct script *script);
struct script *script_of(struct lua_State *lua);
void script_set_context(struct script *script, void *context);
void *script_context(struct lua_State *lua);

/* Calls fn in protected mode and with the budget, on a thread (script_lua() or the one that `done` was given): for everything in C that may raise
 * (make a string or a table, read a field that may have a metamethod) outside of a lua_CFunction. Its arguments are the
 * `argument_count` values on top of the stack (popped), then data as a light userdata; result_count results are left there. */
bool script_protect(struct script *script, struct lua_State *lua, int (*fn)(struct lua_State *lua), void *data, int argument_count,
                    int result_count, struct error *err) __attribute__((warn_unused_result));

/* Sets a global of the environment that chunks and modules see to the value on top of the stack, and pops it. Scripts can change neither
 * the global nor, if it is a table without a metatable, the table: they get a frozen stand-in. */
bool script_set_global(struct script *script, const char *name, struct error *err);

/* Compiles and runs a file of the pack (path relative to it) in protected mode and with the budget; exactly one result is left on the
 * stack (nil if it returned none). Errors: ERROR_INPUT with where FILE:LINE and the message of Lua made readable; ERROR_LIMIT for
 * memory or budget ("endless loop?"), with the line where it was. */
bool script_run_file(struct script *script, const char *path, struct error *err) __attribute__((warn_unused_result));
/* The same for text that is at hand; `name` as in "lesson.lua". */
bool script_run_text(struct script *script, const char *text, size_t length, const char *name, struct error *err)
    __attribute__((warn_unused_result));

/* Reads a file of the pack (file_read_below). The caller frees (mem_free). */
char *script_read_file(struct script *script, const char *path, size_t maximum, size_t *length, struct error *err)
    __attribute__((warn_unused_result));

/* Keeps the value on top of the stack and pops it; get pushes it back (nil if it is no longer kept). 0: no memory, or "none"; ids are never used
 * twice. */
int script_keep(struct script *script);
void script_push_kept(struct script *script, int id);
void script_unkeep(struct script *script, int id);

/* Starts a task: calls the kept function with the `argument_count` values on top of the stack (popped). It runs at once until its first
 * wait. `done` is called exactly once when it ends (perhaps before script_start returns), not when cancelled: error NULL: it returned, its results (result_count) are on top of the
 * stack of `lua` for the length of the call; else what went wrong. At most 64 tasks at once: ERROR_LIMIT.
 * The task is gone after `done`, so what script_start returns may only be used if `done` was not called yet; `done` may cancel other tasks and
 * start new ones, and runs unprotected (see script_protect). Returns NULL with err only when it could not start (done is then not called). */
struct script_task *script_start(struct script *script, int function_id, int argument_count,
                                 void (*done)(void *data, struct lua_State *lua, int result_count, const struct error *error),
                                 void *data, struct error *err);
/* Drops the coroutine; its wait is told by its cancel function. A task may cancel itself (from its C functions): it then ends at its next
 * instruction. `done` is not called. */
void script_cancel(struct script_task *task);
/* A pointer of the task's starter, found again from inside its C functions: script_task_data(lua) is the innermost task's `data`. */
void *script_task_data(struct lua_State *lua);

/* A wait: what a C function returns when its answer comes later.
 *     static int l_get(lua_State *lua) {            // a lua_CFunction
 *         struct script_wait *wait = script_wait_new(lua, cancel, my_call);   // may raise
 *         ... start the operation with `wait` as its data ...
 *         return script_wait_yield(lua, wait, continuation);                  // longjmps (lua_yieldk)
 *     }
 * Later the operation calls script_wake(wait) from the loop, once; that only notes it. In the loop's next round the coroutine is resumed with a
 * fresh budget and `continuation` runs on its stack (as after lua_yieldk), reads the outcome from my_call, frees it and returns results or
 * raises. If the task is cancelled before that, woken or not, cancel(my_call) is called instead. Either way the wait is gone. So one of the two
 * is called exactly once, also if script_wait_new raises (then cancel), or if an error comes between it and the yield (cancel, at the next wait or
 * the end of the task). script_wake may come before the yield; the task yields all the same.
 * If the operation cannot start, and my_call is freed by other means, script_wait_drop forgets the wait; nothing is called then. */
struct script_wait;
struct script_wait *script_wait_new(struct lua_State *lua, void (*cancel)(void *operation), void *operation);   /* may longjmp */
int script_wait_yield(struct lua_State *lua, struct script_wait *wait, int (*continuation)(struct lua_State *lua, void *operation)); /* longjmps */
void script_wait_drop(struct script_wait *wait);
void script_wake(struct script_wait *wait);
/* True if the C function may wait here: directly in a task, also below pcall, a metamethod or an iterator of Lua code; not in a coroutine that the
 * script made, while a file loads, or in a callback of sort, gsub and tostring. */
bool script_can_wait(struct lua_State *lua);

/* Raises a Lua error from an error value, with the lesson's file and line in front (longjmps). The kind is kept: `done` gets it back. A script that
 * catches it sees a value that reads as text (tostring, ..) and has .kind ("not_found"), .message, .where and .cause. */
int script_raise(struct lua_State *lua, const struct error *error);

/* Gives the running stretch a fresh budget, after C code has worked for the script inside one call (loading, big conversions); for nothing
 * else. */
void script_budget_reset(struct lua_State *lua);

/* "lessons/x/lesson.lua:12" of the innermost Lua function, for messages; out gets "" if unknown. */
void script_where(struct lua_State *lua, char *out, size_t room);

#endif
