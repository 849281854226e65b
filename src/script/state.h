/* state.h: what the files of script/ share; nobody else includes it.
 *
 * Two rules for every function here that is reached from Lua:
 * - RAISES marks a function that may leave by longjmp. Between two calls of such functions (and of most of the Lua API) nothing may be owned that
 *   only C can free: what must outlive a call is a userdata with a collector of ours, or belongs to the script.
 * - Work that grows with its arguments is charged (budget.c's part below), because the count hook does not tick inside C.
 */
#ifndef KT_SCRIPT_STATE_H
#define KT_SCRIPT_STATE_H

#include <lauxlib.h>
#include <lua.h>

#include "base/vec.h"
#include "script/luapattern.h"
#include "script/script.h"

#define RAISES

enum {
    SCRIPT_TASKS = 64,
    SCRIPT_PATTERNS = 32, /* that are kept compiled */
    SCRIPT_FILE_MAX = 1 << 20, /* bytes of one source file */
    SCRIPT_WHERE = 192,        /* room for "FILE:LINE", as in struct error */
    SCRIPT_RANGE_MAX = 1000000, /* elements that one call of the table library may walk */
};

/* Why nothing of the script may run any more until it is entered anew. */
enum script_end { SCRIPT_ALIVE, SCRIPT_TOO_LONG, SCRIPT_TOO_SLOW };

struct compiled_pattern {
    char *text; /* as the script wrote it; NULL: an empty place */
    size_t length;
    bool caret;
    uint64_t used; /* when, by script.pattern_uses */
    struct luapattern pattern; /* .compiled NULL after a heavy search */
};

struct script {
    struct lua_State *main;
    struct loop *loop;             /* NULL: no task may wait */
    struct loop_event *wake_timer; /* fires when some task is woken */
    char *pack;
    void *context;
    struct script_limits limits;

    size_t memory;  /* bytes that Lua holds */
    bool starved;   /* an allocation was refused since the last stretch began */
    bool over_cap;  /* the last allocation that failed did so because of limits.memory */

    /* The stretch that runs now: from entering at depth 0 to the next wait or the end. */
    int depth;                    /* how many entries are on the C stack */
    struct lua_State *running;    /* the innermost thread */
    struct lua_State *top;        /* the thread that the innermost entry resumed or called; coroutine.yield is refused on it */
    struct script_task *task;     /* the innermost task */
    int64_t left;                 /* units of work; a unit is about one instruction */
    int64_t begin_us, deadline_us, look_us; /* monotonic; look: when the hook ticked last */
    int64_t begin_processor_us;             /* of the thread's time on the processor */
    int64_t unlooked;             /* units charged since the clock was last read */
    enum script_end end;
    char end_where[SCRIPT_WHERE];
    char noted[SCRIPT_WHERE]; /* where the last error caught by script_protect was raised */

    struct script_task *tasks;
    size_t task_count;
    uint64_t round;    /* of waking */
    bool *gone;        /* set true by script_free, for those who called out */
    int last_id;       /* of kept values */
    struct vec chunks; /* short names of what was loaded, to find "FILE:LINE:" in messages */
    struct compiled_pattern patterns[SCRIPT_PATTERNS];
    uint64_t pattern_uses;
    bool closing; /* a coroutine.close is under way */
    int64_t started_us;
    struct {
        lua_CFunction format, rep, sort;
    } original; /* the real library's, run in the frame of our wrapper */
};

enum wait_state { WAIT_NONE, WAIT_NEW, WAIT_WOKEN };

struct script_wait { /* a part of its task: a task waits for one thing at a time */
    struct script_task *task;
    enum wait_state state;
    bool yielded;   /* the coroutine stands at script_wait_yield */
    uint64_t round; /* in which it was woken */
    void (*cancel)(void *operation);
    void *operation;
    int (*continuation)(struct lua_State *lua, void *operation);
};

struct script_task {
    struct script *script;
    struct script_task *next, *previous;
    struct lua_State *thread; /* anchored in the registry under the task's address */
    void (*done)(void *data, struct lua_State *lua, int result_count, const struct error *error);
    void *data;
    struct script_wait wait;
    bool running, cancelled, finished;
};

/* ---- budget.c ---- */

struct stretch { /* what an entry puts back when it leaves */
    struct lua_State *running, *top;
    struct script_task *task;
};
/* Every way from C into Lua goes between these two. At depth 0 the budget is fresh; an inner entry shares the outer one's. */
void budget_enter(struct script *script, struct lua_State *lua, struct stretch *outer);
void budget_leave(struct script *script, const struct stretch *outer);
/* Sets the hook of a thread that is about to run. */
void budget_arm(struct script *script, struct lua_State *lua);
/* True once the stretch must end: catching functions raise again (budget_raise). */
bool budget_over(const struct script *script);
RAISES int budget_raise(struct lua_State *lua);
/* Takes units off the budget, and ends the stretch if it is used up. One unit: an instruction of Lua, 64 bytes copied. */
RAISES void budget_charge(struct lua_State *lua, size_t units);
/* The same, but always looks at the clock: for work whose length is not known before. */
RAISES void budget_charge_look(struct lua_State *lua, size_t units);
/* For the allocator, which may not raise: lets the hook find out at the next instruction. */
void budget_allocated(struct script *script, size_t units, bool look);

/* ---- errors.c ---- */

/* Fills err from the error object on top of the stack (not popped) of a thread that a call or resume left with `status`. where: where it was
 * raised, for objects that do not say. Does not raise. */
void error_describe(struct script *script, struct lua_State *lua, int status, const char *where, struct error *err);
/* "called from a.lua:3, b.lua:7": the callers of the innermost Lua function of a thread, into err->cause if that is empty. */
void error_trail(struct lua_State *lua, struct error *err);
RAISES void error_install(struct lua_State *lua);
/* Makes the value at index a string without addresses, pushes it. */
RAISES const char *error_tostring(struct lua_State *lua, int index, size_t *length);

/* ---- sandbox.c, coroutines.c, strings.c, tables.c, module.c ---- */

RAISES int sandbox_install(struct lua_State *lua); /* a lua_CFunction; the registry's [script] becomes the table of kept values */
RAISES void sandbox_set_global(struct lua_State *lua, const char *name); /* pops the value */
extern const luaL_Reg coroutine_functions[], protected_functions[], string_functions[], table_functions[];
void strings_free(struct script *script); /* the compiled patterns */
RAISES int module_require(struct lua_State *lua);

/* ---- task.c ---- */

void task_wake_round(void *script); /* for the timer */
void task_free_all(struct script *script);

#endif
