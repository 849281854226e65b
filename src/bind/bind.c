/* bind.c: one lesson's connection to its cluster: runs of its functions, and who follows what they read. */
#include "bind/bind.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bind/objects.h"
#include "bind/op.h"
#include "data/json.h"

#define K "kubetutor.k"

enum { BIND_RUNS = 64, BIND_FOLLOWERS = 64, BIND_STATE = 256 << 10, BIND_PRELUDE = 64 << 10 };

/* ---- followers ---- */

static void release_reads(struct vec *reads)
{
    for (size_t i = 0; i < reads->length; i++)
        selection_release(reads->items[i]);
    vec_free(reads);
}

static void free_follower(void *item)
{
    struct follower *follower = item;
    release_reads(&follower->reads);
    mem_free(follower);
}

static struct follower *follower_of(struct bind *bind, const void *key)
{
    for (size_t i = 0; i < bind->followers.length; i++)
        if (((struct follower *)bind->followers.items[i])->key == key)
            return bind->followers.items[i];
    struct follower *follower = mem_zero(1, sizeof *follower);
    if (follower == NULL)
        return NULL;
    follower->key = key;
    follower->reads = vec_make(BIND_READS, NULL);
    return vec_push(&bind->followers, follower) ? follower : NULL;
}

void bind_changed(struct bind *bind, const struct selection *selection)
{
    for (size_t i = 0; i < bind->followers.length; i++) {
        struct follower *follower = bind->followers.items[i];
        for (size_t j = 0; j < follower->reads.length && !follower->dirty; j++)
            if (follower->reads.items[j] == selection) {
                follower->dirty = true;
                loop_set_timer(bind->tell, 0); /* several changes of one round are one call */
            }
    }
}

static void tell_followers(void *data)
{
    struct bind *bind = data;
    for (size_t i = 0; i < bind->followers.length; i++) {
        struct follower *follower = bind->followers.items[i];
        if (!follower->dirty || follower->fn == NULL)
            continue;
        follower->dirty = false;
        follower->fn(follower->data);
        i = (size_t)-1; /* it may have changed the list: look again from the start; dirty marks end the walk */
    }
}

void bind_follow(struct bind *bind, struct bind_run *run, const void *key)
{
    struct follower *follower = follower_of(bind, key);
    if (follower == NULL)
        return;
    struct vec old = follower->reads;
    follower->reads = run->reads;
    run->reads = vec_make(BIND_READS, NULL);
    follower->dirty = false;
    release_reads(&old); /* after the new ones were taken: what stays is not stopped in between */
}

void bind_on_change(struct bind *bind, const void *key, void (*fn)(void *data), void *data)
{
    struct follower *follower = follower_of(bind, key);
    if (follower == NULL)
        return;
    follower->fn = fn;
    follower->data = data;
}

void bind_unfollow(struct bind *bind, const void *key)
{
    for (size_t i = 0; i < bind->followers.length; i++)
        if (((struct follower *)bind->followers.items[i])->key == key) {
            vec_remove(&bind->followers, i);
            return;
        }
}

/* ---- runs ---- */

static void free_run(void *item)
{
    struct bind_run *run = item;
    release_reads(&run->reads);
    verdict_free(run->verdict);
    mem_free(run->state_json);
    mem_free(run);
}

static void forget_run(struct bind_run *run)
{
    struct vec *runs = &run->bind->runs;
    for (size_t i = 0; i < runs->length; i++)
        if (runs->items[i] == run) {
            vec_remove(runs, i);
            return;
        }
}

struct bind_run *run_of(lua_State *lua)
{
    struct bind_run *run = script_task_data(lua);
    if (run == NULL)
        luaL_error(lua, "the cluster can be used only inside a step's functions");
    return run;
}

struct bind_run *run_at_least(lua_State *lua, enum bind_mode mode, const char *what)
{
    const uint64_t *serial = luaL_checkudata(lua, 1, K);
    struct bind_run *run = run_of(lua);
    bool trusted = lua_toboolean(lua, lua_upvalueindex(1)); /* the prelude's own copy of the function */
    if (run->bind->client == NULL)
        luaL_error(lua, "there is no cluster here: the lesson is only described");
    if (run->serial != *serial)
        luaL_error(lua, "this k belongs to a function that has ended: use the one that the function was given");
    if (run->mode < mode && !trusted)
        luaL_error(lua, mode == BIND_DO ? "k:%s changes the cluster: it belongs into setup, solve or cleanup, a check only reads"
                                        : "k:%s has to try something out: it belongs into verify, a check only reads",
                   what);
    return run;
}

bool run_reads(struct bind_run *run, struct selection *selection)
{
    for (size_t i = 0; i < run->reads.length; i++)
        if (run->reads.items[i] == selection) {
            selection_release(selection);
            return true;
        }
    if (vec_push(&run->reads, selection))
        return true;
    selection_release(selection);
    return false;
}

static enum outcome outcome_of(const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->expectations.length; i++)
        if (!((const struct expectation *)verdict->expectations.items[i])->holds)
            return OUTCOME_FAILED;
    return OUTCOME_PASSED;
}

static bool is_outage(enum error_kind kind)
{
    return kind == ERROR_UNREACHABLE || kind == ERROR_BUSY || kind == ERROR_UNAUTHENTICATED || kind == ERROR_DENIED;
}

/* Makes a document of the first result. Protected. Stack: result, the box. */
static int take_json(lua_State *lua)
{
    struct value **box = lua_touserdata(lua, 2);
    value_from_lua(lua, 1, box);
    return 0;
}

static char *result_json(lua_State *lua, int index, struct error *err)
{
    if (!lua_istable(lua, index) || !lua_checkstack(lua, 6))
        return NULL;
    struct value *v = NULL;
    char *text = NULL;
    lua_pushvalue(lua, index);
    if (!script_protect(script_of(lua), lua, take_json, &v, 1, 0, err))
        error_context(err, "the step's state must be plain values");
    else if ((text = json_text(v, BIND_STATE)) == NULL)
        error_set(err, ERROR_LIMIT, NULL, "the step's state is larger than %d KiB", BIND_STATE >> 10);
    value_free(v);
    return text;
}

static void task_done(void *data, lua_State *lua, int result_count, const struct error *error)
{
    struct bind_run *run = data;
    struct bind_result result = {.verdict = run->verdict, .run = run};
    struct both text = {0};
    char *json = NULL;
    run->task = NULL;
    if (error == NULL && result_count > 0) {
        int index = lua_gettop(lua) - result_count + 1;
        struct error err = ERROR_INIT;
        result.truthy = lua_toboolean(lua, index);
        both_from_lua(lua, index, &text);
        json = run->mode == BIND_DO ? result_json(lua, index, &err) : NULL;
        if (err.kind != ERROR_NONE) {
            run->verdict->outcome = OUTCOME_ERROR;
            run->verdict->error = err;
        }
    }
    if (error != NULL) {
        run->verdict->outcome = is_outage(error->kind) ? OUTCOME_UNREACHABLE : OUTCOME_ERROR;
        run->verdict->error = *error;
    } else if (run->verdict->outcome != OUTCOME_ERROR) {
        verdict_drop_repeats(run->verdict);
        run->verdict->outcome = outcome_of(run->verdict);
    }
    result.json = json;
    result.text = text.en != NULL || text.zh != NULL ? &text : NULL;
    run->verdict = NULL; /* the receiver's */
    run->done(run->data, &result);
    mem_free(json);
    both_free(&text);
    forget_run(run);
}

/* Pushes k and the state: the arguments of a lesson's function. Protected. Stack: the run. */
static int read_only(lua_State *lua)
{
    return luaL_error(lua, "a step's state is read-only here: only setup returns it");
}

static int state_next(lua_State *lua)
{
    lua_settop(lua, 2);
    return lua_next(lua, 1) != 0 ? 2 : 0;
}

static int state_pairs(lua_State *lua)
{
    lua_pushcfunction(lua, state_next);
    luaL_getmetafield(lua, 1, "__index");
    lua_pushnil(lua);
    return 3;
}

static void push_state(lua_State *lua, const struct bind_run *run)
{
    struct value **box = push_value_box(lua);
    struct error err = ERROR_INIT;
    if (run->state_json != NULL)
        *box = json_parse(run->state_json, strlen(run->state_json), "the step's state", &err);
    if (value_type(*box) == VALUE_OBJECT)
        push_value(lua, *box);
    else
        lua_newtable(lua);
    lua_remove(lua, -2);
    if (run->mode == BIND_DO)
        return;
    lua_newtable(lua); /* an empty stand-in whose reads go to the real one */
    lua_newtable(lua);
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, read_only);
    lua_setfield(lua, -2, "__newindex");
    lua_pushcfunction(lua, state_pairs);
    lua_setfield(lua, -2, "__pairs");
    lua_pushliteral(lua, "locked");
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
    lua_remove(lua, -2);
}

static int push_arguments(lua_State *lua)
{
    struct bind_run *run = lua_touserdata(lua, 1);
    uint64_t *serial = lua_newuserdatauv(lua, sizeof *serial, 0);
    *serial = run->serial;
    luaL_setmetatable(lua, K);
    push_state(lua, run);
    return 2;
}

struct bind_run *bind_start(struct bind *bind, int function_id, enum bind_mode mode, const char *state_json,
                            void (*done)(void *data, const struct bind_result *result), void *data, struct error *err)
{
    struct bind_run *run = mem_zero(1, sizeof *run);
    if (run == NULL) {
        error_memory(err);
        return NULL;
    }
    run->bind = bind;
    run->serial = ++bind->next_serial;
    run->mode = mode;
    run->reads = vec_make(BIND_READS, NULL);
    run->verdict = verdict_new();
    run->state_json = state_json != NULL ? mem_string(state_json) : NULL;
    run->done = done;
    run->data = data;
    if (run->verdict == NULL || (state_json != NULL && run->state_json == NULL)) {
        free_run(run);
        error_memory(err);
        return NULL;
    }
    if (!vec_push(&bind->runs, run)) {
        error_set(err, ERROR_LIMIT, NULL, "too many of the lesson's functions run at once");
        return NULL;
    }
    uint64_t serial = run->serial;
    struct script_task *task = NULL;
    if (script_protect(bind->script, script_lua(bind->script), push_arguments, run, 0, 2, err))
        task = script_start(bind->script, function_id, 2, task_done, run, err);
    /* done may have been called, and the run be gone, before script_start returned */
    for (size_t i = 0; i < bind->runs.length; i++) {
        struct bind_run *still = bind->runs.items[i];
        if (still->serial != serial)
            continue;
        if (task == NULL) {
            vec_remove(&bind->runs, i);
            return NULL;
        }
        still->task = task;
        return still;
    }
    return NULL;
}

void bind_cancel(struct bind_run *run)
{
    if (run == NULL)
        return;
    if (run->task != NULL)
        script_cancel(run->task);
    forget_run(run);
}

/* ---- k itself ---- */

static int k_index(lua_State *lua)
{
    const char *name = luaL_checkstring(lua, 2);
    const struct bind_run *run = run_at_least(lua, BIND_CHECK, name);
    const struct {
        const char *name, *value;
    } fields[] = {{"namespace", run->bind->ns}, {"user", run->bind->user}, {"lesson", run->bind->lesson}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(name, fields[i].name) == 0) {
            lua_pushstring(lua, fields[i].value);
            return 1;
        }
    lua_pushvalue(lua, 2);
    lua_rawget(lua, lua_upvalueindex(1));
    if (lua_isnil(lua, -1))
        return luaL_error(lua, "k has no function \"%s\" (docs/lua.md lists them)", name);
    return 1;
}

/* Pushes the table of the C methods; trusted ones may change the cluster from verify, too, and are seen by the prelude only. */
static void push_methods(lua_State *lua, bool trusted)
{
    const luaL_Reg *const tables[] = {methods_read, methods_write, methods_wait, methods_try};
    lua_newtable(lua);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        lua_pushboolean(lua, trusted);
        luaL_setfuncs(lua, tables[i], 1);
    }
    if (trusted)
        luaL_setfuncs(lua, methods_prelude, 0);
}

/* Protected; builds everything that Lua sees. Stack: the bind. Returns the table of globals. */
static int register_all(lua_State *lua)
{
    struct bind *bind = lua_touserdata(lua, 1);
    register_op(lua);
    register_handle(lua);
    register_expect(lua);
    luaL_newmetatable(lua, K);
    push_methods(lua, false);
    if (bind->prelude != 0) {
        script_push_kept(bind->script, bind->prelude);
        push_methods(lua, true);
        lua_call(lua, 1, 1);
        lua_getfield(lua, -1, "release_shared");
        bind->release = script_keep(bind->script);
        for (lua_pushnil(lua); lua_next(lua, -2) != 0; lua_pop(lua, 1)) {
            lua_pushvalue(lua, -2);
            lua_pushvalue(lua, -2);
            lua_rawset(lua, -6);
        }
        lua_pop(lua, 1);
    }
    lua_pushcclosure(lua, k_index, 1);
    lua_setfield(lua, -2, "__index");
    lua_pushliteral(lua, "locked");
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 1);
    lua_newtable(lua);
    register_convert(lua);
    register_words(bind, lua);
    return 1;
}

/* Sets the globals one by one, outside of protection because script_set_global protects itself. */
static bool set_globals(struct bind *bind, struct error *err)
{
    lua_State *lua = script_lua(bind->script);
    if (!script_protect(bind->script, lua, register_all, bind, 0, 1, err))
        return false;
    bool ok = true;
    int table = lua_gettop(lua);
    for (lua_pushnil(lua); ok && lua_next(lua, table) != 0;) /* pops the value */
        ok = script_set_global(bind->script, lua_tostring(lua, -2), err);
    lua_settop(lua, table - 1);
    return ok;
}

static bool copy(char **to, const char *from)
{
    *to = from != NULL ? mem_string(from) : NULL;
    return from == NULL || *to != NULL;
}

static bool run_prelude(struct script *script, struct error *err)
{
    struct buf text = buf_make(BIND_PRELUDE);
    for (size_t i = 0; prelude_lua[i] != NULL; i++)
        buf_append_string(&text, prelude_lua[i]);
    bool ok = buf_ok(&text) ? script_run_text(script, text.bytes, text.length, "prelude", err) : error_memory(err);
    buf_free(&text);
    return ok;
}

struct bind *bind_new(struct script *script, const struct bind_options *options, struct error *err)
{
    struct bind *bind = mem_zero(1, sizeof *bind);
    if (bind == NULL) {
        error_memory(err);
        return NULL;
    }
    bind->script = script;
    bind->client = options->client;
    bind->trusted = options->trusted;
    bind->loop = options->client != NULL ? kube_client_loop(options->client) : NULL;
    bind->selections = map_make(BIND_SELECTIONS, selection_free);
    bind->followers = vec_make(BIND_FOLLOWERS, free_follower);
    bind->runs = vec_make(BIND_RUNS, free_run);
    bind->step_began = clock_monotonic_ms();
    bool ok = copy(&bind->ns, options->ns) && copy(&bind->user, options->user) && copy(&bind->lesson, options->lesson) &&
              copy(&bind->folder, options->folder) && copy(&bind->work_folder, options->work_folder);
    if (ok && bind->loop != NULL) {
        bind->tell = loop_add_timer(bind->loop, 0, tell_followers, bind);
        ok = bind->tell != NULL;
        if (ok)
            loop_set_timer(bind->tell, -1);
    }
    if (!ok)
        error_memory(err);
    script_set_context(script, bind);
    if (ok)
        ok = run_prelude(script, err);
    if (ok)
        bind->prelude = script_keep(script);
    if (ok && set_globals(bind, err))
        return bind;
    bind_free(bind);
    return NULL;
}

void bind_free(struct bind *bind)
{
    if (bind == NULL)
        return;
    while (bind->runs.length > 0)
        bind_cancel(bind->runs.items[bind->runs.length - 1]);
    vec_free(&bind->runs);
    vec_free(&bind->followers);
    map_free(&bind->selections);
    loop_drop(bind->tell);
    script_set_context(bind->script, NULL);
    mem_free(bind->ns);
    mem_free(bind->user);
    mem_free(bind->lesson);
    mem_free(bind->folder);
    mem_free(bind->work_folder);
    mem_free(bind);
}

int bind_release_function(const struct bind *bind)
{
    return bind->release;
}

void bind_begin_step(struct bind *bind)
{
    bind->step_began = clock_monotonic_ms();
    size_t cursor = 0;
    for (const struct map_entry *entry; (entry = map_next(&bind->selections, &cursor)) != NULL;)
        selection_begin_step(entry->value);
}

void bind_on_trouble(struct bind *bind, void (*fn)(void *data, const struct error *error, int64_t retry_ms), void *data)
{
    bind->trouble = fn;
    bind->trouble_data = data;
}

void bind_on_made(struct bind *bind, void (*fn)(void *data, const char *resource, const char *ns, const char *name, const char *uid), void *data)
{
    bind->made = fn;
    bind->made_data = data;
}
