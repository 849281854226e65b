/* The scheduler: tasks, and the waits between their stretches. */
#include "script/state.h"

#include "base/mem.h"
#include "loop/loop.h"

/* The wait is over without an answer. */
static void cancel_wait(struct script_task *task)
{
    struct script_wait *wait = &task->wait;
    bool was = wait->state != WAIT_NONE;
    wait->state = WAIT_NONE;
    wait->yielded = false;
    if (was && wait->cancel != NULL)
        wait->cancel(wait->operation);
}

static void unlink_task(struct script_task *task)
{
    struct script *script = task->script;
    if (task->previous != NULL)
        task->previous->next = task->next;
    else
        script->tasks = task->next;
    if (task->next != NULL)
        task->next->previous = task->previous;
    script->task_count--;
}

static void link_task(struct script *script, struct script_task *task)
{
    task->script = script;
    task->next = script->tasks;
    if (task->next != NULL)
        task->next->previous = task;
    script->tasks = task;
    script->task_count++;
}

/* Lets go of the coroutine; whatever it was doing is never resumed. */
static void forget_thread(struct script_task *task)
{
    lua_State *lua = task->script->main;
    lua_checkstack(lua, 1);
    lua_pushnil(lua);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, task); /* the key is there: nothing is allocated */
}

static void drop(struct script_task *task)
{
    unlink_task(task);
    cancel_wait(task);
    forget_thread(task);
    mem_free(task);
}

void task_free_all(struct script *script)
{
    while (script->tasks != NULL) {
        struct script_task *task = script->tasks;
        unlink_task(task);
        cancel_wait(task);
        mem_free(task); /* the state is about to be closed, and the thread with it */
    }
}

/* While something is called that may free the script, *gone tells. */
static bool *watch_gone(struct script *script, bool *gone)
{
    bool *outer = script->gone;
    *gone = false;
    script->gone = gone;
    return outer;
}

static bool unwatch_gone(struct script *script, const bool *gone, bool *outer)
{
    if (!*gone)
        script->gone = outer;
    else if (outer != NULL)
        *outer = true;
    return *gone;
}

static void finish(struct script_task *task, int result_count, const struct error *error)
{
    struct script *script = task->script;
    bool gone;
    unlink_task(task);
    cancel_wait(task);
    task->finished = true;
    bool *outer = watch_gone(script, &gone);
    if (task->done != NULL)
        task->done(task->data, task->thread, result_count, error);
    if (!unwatch_gone(script, &gone, outer))
        forget_thread(task);
    mem_free(task);
}

/* Why a task that is not waiting has not returned either. */
static void describe_end(struct script_task *task, int status, struct error *err)
{
    char where[SCRIPT_WHERE];
    script_where(task->thread, where, sizeof where);
    if (status == LUA_YIELD && task->script->end == SCRIPT_ALIVE)
        error_set(err, ERROR_INTERNAL, where, "a function of the program yielded without waiting for anything; please report this");
    else
        error_describe(task->script, task->thread, status, where, err);
    error_trail(task->thread, err);
}

/* Runs a task until its next wait or its end. It may be gone afterwards, and so may the script. */
static void run_task(struct script_task *task, int argument_count)
{
    struct script *script = task->script;
    struct error error = ERROR_INIT;
    struct stretch outer;
    int result_count = 0;
    budget_enter(script, task->thread, &outer);
    script->task = task;
    task->running = true;
    int status = lua_resume(task->thread, outer.running, argument_count, &result_count);
    task->running = false;
    bool over = budget_over(script);
    bool waits = status == LUA_YIELD && !over && task->wait.yielded;
    bool failed = over || (status != LUA_OK && !waits);
    if (failed && !task->cancelled)
        describe_end(task, status, &error);
    budget_leave(script, &outer);
    if (task->cancelled)
        drop(task);
    else if (!waits)
        finish(task, failed ? 0 : result_count, failed ? &error : NULL);
}

struct start {
    struct script_task *task;
    int function_id;
};

/* Arguments of the task, then a struct start. Makes the thread and anchors it. */
static RAISES int prepare(lua_State *lua)
{
    struct start *start = lua_touserdata(lua, -1);
    int argument_count = lua_gettop(lua) - 1;
    lua_pop(lua, 1);
    lua_State *thread = lua_newthread(lua);
    lua_insert(lua, 1);
    script_push_kept(script_of(lua), start->function_id);
    lua_insert(lua, 2);
    if (!lua_checkstack(thread, argument_count + 1))
        return luaL_error(lua, "too many arguments");
    lua_xmove(lua, thread, argument_count + 1);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, start->task);
    start->task->thread = thread;
    return 0;
}

struct script_task *script_start(struct script *script, int function_id, int argument_count,
                                 void (*done)(void *data, lua_State *lua, int result_count, const struct error *error), void *data,
                                 struct error *err)
{
    lua_State *lua = script_lua(script);
    struct start start = {.function_id = function_id};
    if (script->task_count >= SCRIPT_TASKS) {
        lua_pop(lua, argument_count);
        error_set(err, ERROR_LIMIT, NULL, "more than %d tasks at once", SCRIPT_TASKS);
        return NULL;
    }
    start.task = mem_zero(1, sizeof *start.task);
    if (start.task == NULL) {
        lua_pop(lua, argument_count);
        error_memory(err);
        return NULL;
    }
    if (!script_protect(script, lua, prepare, &start, argument_count, 0, err)) {
        mem_free(start.task);
        return NULL;
    }
    start.task->done = done;
    start.task->data = data;
    link_task(script, start.task);
    run_task(start.task, argument_count);
    return start.task;
}

void script_cancel(struct script_task *task)
{
    if (task == NULL || task->finished || task->cancelled)
        return;
    task->cancelled = true;
    if (!task->running) {
        drop(task);
        return;
    }
    budget_arm(task->script, task->thread); /* what runs now, or goes on when what it started has ended, is stopped by the hook */
    budget_arm(task->script, task->script->running);
}

void *script_task_data(lua_State *lua)
{
    struct script_task *task = script_of(lua)->task;
    return task != NULL ? task->data : NULL;
}

/* ---- waits ---- */

bool script_can_wait(lua_State *lua)
{
    struct script *script = script_of(lua);
    return script->loop != NULL && script->task != NULL && script->task->thread == lua && script->top == lua && lua_isyieldable(lua) &&
           !budget_over(script);
}

RAISES struct script_wait *script_wait_new(lua_State *lua, void (*cancel)(void *operation), void *operation)
{
    if (!script_can_wait(lua)) {
        if (cancel != NULL)
            cancel(operation);
        luaL_error(lua, "this would have to wait, which is possible only directly in a step's function: not in a coroutine, while a file "
                        "loads, or in a function called by sort, gsub or tostring");
    }
    struct script_task *task = script_of(lua)->task;
    cancel_wait(task); /* one that was never waited for, because of an error in between */
    task->wait = (struct script_wait){.task = task, .state = WAIT_NEW, .cancel = cancel, .operation = operation};
    return &task->wait;
}

void script_wait_drop(struct script_wait *wait)
{
    wait->state = WAIT_NONE;
}

static RAISES int go_on(lua_State *lua, int status, lua_KContext context)
{
    (void)status;
    struct script_wait *wait = (struct script_wait *)context;
    wait->state = WAIT_NONE;
    wait->yielded = false;
    return wait->continuation(lua, wait->operation);
}

RAISES int script_wait_yield(lua_State *lua, struct script_wait *wait, int (*continuation)(lua_State *lua, void *operation))
{
    wait->continuation = continuation;
    wait->yielded = true;
    return lua_yieldk(lua, 0, (lua_KContext)wait, go_on);
}

void script_wake(struct script_wait *wait)
{
    struct script *script = wait->task->script;
    if (wait->state != WAIT_NEW)
        return;
    wait->state = WAIT_WOKEN;
    wait->round = script->round;
    loop_set_timer(script->wake_timer, 0);
}

static struct script_task *next_woken(struct script *script, uint64_t round)
{
    for (struct script_task *task = script->tasks; task != NULL; task = task->next)
        if (task->wait.state == WAIT_WOKEN && task->wait.yielded && task->wait.round <= round)
            return task;
    return NULL;
}

/* Resumes what was woken before this round; what is woken meanwhile has its turn after the loop's other events. */
void task_wake_round(void *data)
{
    struct script *script = data;
    struct script_task *task;
    bool gone;
    bool *outer = watch_gone(script, &gone);
    uint64_t round = script->round++;
    while (!gone && (task = next_woken(script, round)) != NULL)
        run_task(task, 0);
    unwatch_gone(script, &gone, outer);
}
