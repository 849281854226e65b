/* read.c: how a lesson looks at the cluster. In a check a read is a watch, kept and followed; in setup and solve it is a fresh request. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "bind/objects.h"
#include "bind/op.h"
#include "data/json.h"
#include "data/yaml.h"

enum { UNKNOWN_KIND_AGAIN_MS = 1000 };

const char *option_text(lua_State *lua, int index, const char *name)
{
    const char *text = NULL;
    if (lua_istable(lua, index)) {
        lua_getfield(lua, index, name);
        if (lua_type(lua, -1) == LUA_TSTRING)
            text = lua_tostring(lua, -1); /* stays valid: the options table holds it */
        else if (!lua_isnil(lua, -1))
            luaL_error(lua, "option %s must be a text", name);
        lua_pop(lua, 1);
    }
    return text;
}

bool option_true(lua_State *lua, int index, const char *name)
{
    bool yes = false;
    if (lua_istable(lua, index)) {
        lua_getfield(lua, index, name);
        yes = lua_toboolean(lua, -1);
        lua_pop(lua, 1);
    }
    return yes;
}

lua_Number option_number(lua_State *lua, int index, const char *name, lua_Number otherwise)
{
    lua_Number number = otherwise;
    if (lua_istable(lua, index)) {
        lua_getfield(lua, index, name);
        if (!lua_isnil(lua, -1)) {
            if (!lua_isnumber(lua, -1))
                luaL_error(lua, "option %s must be a number", name);
            number = lua_tonumber(lua, -1);
        }
        lua_pop(lua, 1);
    }
    return number;
}

/* Sorted by key, so that the same selection always has the same text. */
void push_selector(lua_State *lua, int index)
{
    index = lua_absindex(lua, index);
    if (lua_type(lua, index) == LUA_TSTRING) {
        lua_pushvalue(lua, index);
        return;
    }
    luaL_checktype(lua, index, LUA_TTABLE);
    const char *keys[32];
    size_t count = 0;
    for (lua_pushnil(lua); lua_next(lua, index) != 0; lua_pop(lua, 1)) {
        if (lua_type(lua, -2) != LUA_TSTRING || count == sizeof keys / sizeof *keys)
            luaL_error(lua, "a selector is { name = value, … } with at most 32 names");
        const char *key = lua_tostring(lua, -2); /* the table keeps it alive */
        size_t at = count++;
        for (; at > 0 && strcmp(keys[at - 1], key) > 0; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
    luaL_Buffer out;
    luaL_buffinit(lua, &out);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            luaL_addchar(&out, ',');
        lua_getfield(lua, index, keys[i]);
        bool exists = lua_isboolean(lua, -1) && lua_toboolean(lua, -1), not = lua_isboolean(lua, -1) && !exists;
        const char *value = exists || not ? NULL : lua_tostring(lua, -1);
        if (!exists && !not && value == NULL)
            luaL_error(lua, "a selector's values are texts, true (the label exists) or false (it does not)");
        lua_pushfstring(lua, not ? "!%s%s%s" : "%s%s%s", keys[i], value != NULL ? "=" : "", value != NULL ? value : "");
        lua_remove(lua, -2);
        luaL_addvalue(&out);
    }
    luaL_pushresult(&out);
}

/* ---- one way for all reads: find the kind, then a watch's first list or a request ---- */

static void watched(struct op *op)
{
    struct bind_run *run = op->run;
    struct error err = ERROR_INIT;
    struct kube_target target = op_kube_target(op);
    struct selection *selection = selection_take(run->bind, op->resource, target.ns, op->labels, op->fields, &err);
    if (selection == NULL) {
        op_end(op, &err);
        return;
    }
    if (!run_reads(run, selection)) {
        error_set(&err, ERROR_LIMIT, NULL, "the check reads too many different things");
        op_end(op, &err);
        return;
    }
    const struct error *trouble = kube_watch_trouble(selection->watch);
    if (kube_watch_synced(selection->watch)) {
        op->index = 1; /* found */
        op_end(op, NULL);
    } else if (trouble != NULL)
        op_end(op, trouble);
    else if (vec_push(&selection->waiting, op))
        op->selection = selection;
    else {
        error_set(&err, ERROR_LIMIT, NULL, "too many functions wait for the same objects");
        op_end(op, &err);
    }
}

static void got_items(struct op *op)
{
    op_end(op, NULL);
}

static void requested(struct op *op)
{
    struct error err = ERROR_INIT;
    struct kube_client *client = op->run->bind->client;
    struct kube_target target = op_kube_target(op);
    op->next = got_items;
    if (op->name != NULL) {
        op->ignore_missing = true;
        op->call = kube_get(client, &target, op_object, op, &err);
    } else {
        struct kube_list_options options = {.labels = op->labels, .fields = op->fields};
        op->list = kube_list(client, &target, &options, NULL, op_object, op, &err);
    }
    if (op->call == NULL && op->list == NULL)
        op_end(op, &err);
}

/* A kind that the server does not have is a fact to be told, and it may come: its CRD is watched, too. */
static void watch_for_kind(struct bind_run *run, const char *asked)
{
    const struct kube_resource *definitions = kube_resource_known(run->bind->client, "customresourcedefinitions.apiextensions.k8s.io");
    int64_t again = clock_monotonic_ms() + UNKNOWN_KIND_AGAIN_MS;
    if (definitions != NULL && strchr(asked, '.') != NULL) {
        char fields[256];
        snprintf(fields, sizeof fields, "metadata.name=%s", asked);
        struct selection *selection = selection_take(run->bind, definitions, NULL, NULL, fields, NULL);
        if (selection != NULL && run_reads(run, selection) && kube_watch_trouble(selection->watch) == NULL && kube_watch_synced(selection->watch) &&
            kube_watch_count(selection->watch) == 0)
            return; /* the watch will tell */
    }
    if (run->verdict->again_ms < 0 || again < run->verdict->again_ms)
        run->verdict->again_ms = again;
    kube_discovery_forget(run->bind->client);
}

static int finish_read(lua_State *lua, struct op *op)
{
    struct bind_run *run = op->run;
    struct kube_target target = op->resource != NULL ? op_kube_target(op) : (struct kube_target){0};
    struct selection *selection = NULL;
    if (run->mode != BIND_DO && op->resource != NULL) {
        struct error err = ERROR_INIT; /* found again by its key, since the op let go of it */
        selection = selection_take(run->bind, op->resource, target.ns, op->labels, op->fields, &err);
        if (selection == NULL)
            return script_raise(lua, &err);
        selection_release(selection); /* the run holds one */
    }
    struct value **box = push_value_box(lua);
    if (op->name != NULL) {
        *box = op->result;
        op->result = NULL;
        push_handle(lua, run, op->resource, op->kind, target.ns, op->name, selection, box);
    } else {
        struct value *items = value_get(op->result, "items");
        *box = items != NULL ? value_take(op->result, items) : NULL;
        push_set(lua, run, op->resource, op->kind, target.ns, op->labels, op->fields, selection, box);
    }
    return 1;
}

static void kind_found(void *data, const struct kube_resource *resource, const struct error *error)
{
    struct op *op = data;
    op->resolve = 0;
    op->resource = resource;
    if (error == NULL)
        op->next(op);
    else if (error->kind == ERROR_NOT_FOUND) {
        if (op->run->mode != BIND_DO)
            watch_for_kind(op->run, op->kind);
        op_end(op, NULL);
    } else
        op_end(op, error);
}

static int read_objects(lua_State *lua, struct op *op, op_finish *finish)
{
    struct bind_run *run = op->run;
    op->finish = finish;
    op->next = run->mode == BIND_DO ? requested : watched;
    op_begin(lua, op);
    unsigned number = kube_resolve(run->bind->client, op->kind, kind_found, op);
    if (number != 0 && !op->ended && op->call == NULL && op->list == NULL && op->selection == NULL)
        op->resolve = number;
    return op_wait(lua, op);
}

int read_all(lua_State *lua, struct op *op, op_finish *finish)
{
    op->finish = finish;
    op_begin(lua, op);
    watched(op);
    return op_wait(lua, op);
}

static struct op *new_read(lua_State *lua, struct bind_run *run, const char *kind, int options_index)
{
    struct op *op = op_new(lua, run);
    op->kind = copy_string(lua, kind);
    op->ns = copy_string(lua, option_text(lua, options_index, "namespace"));
    return op;
}

/* The read is of one object. */
static void read_one(lua_State *lua, struct op *op, const char *name)
{
    op->name = copy_string(lua, name);
    op->fields = mem_printf("metadata.name=%s", name);
    if (op->fields == NULL)
        luaL_error(lua, "out of memory");
}

/* A selector out of an options table. */
static void read_selector(lua_State *lua, int options_index, const char *name, char **into)
{
    if (!lua_istable(lua, options_index))
        return;
    lua_getfield(lua, options_index, name);
    if (!lua_isnil(lua, -1)) {
        push_selector(lua, -1);
        *into = copy_string(lua, lua_tostring(lua, -1));
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

static int k_get(lua_State *lua)
{
    struct bind_run *run = run_at_least(lua, BIND_CHECK, "get");
    luaL_checkstring(lua, 2);
    lua_settop(lua, 4);
    struct op *op = new_read(lua, run, lua_tostring(lua, 2), 4);
    read_one(lua, op, luaL_checkstring(lua, 3));
    return read_objects(lua, op, finish_read);
}

static int k_list(lua_State *lua)
{
    struct bind_run *run = run_at_least(lua, BIND_CHECK, "list");
    const char *kind = luaL_checkstring(lua, 2);
    lua_settop(lua, 3);
    struct op *op = new_read(lua, run, kind, 3);
    const char *const names[] = {"labels", "fields"};
    char **const into[] = {&op->labels, &op->fields};
    for (size_t i = 0; i < 2; i++)
        read_selector(lua, 3, names[i], into[i]);
    return read_objects(lua, op, finish_read);
}

/* ---- what was, and what is not ---- */

static int finish_absent(lua_State *lua, struct op *op)
{
    struct bind_run *run = op->run;
    int64_t wanted_ms = op->deadline, now = clock_monotonic_ms();
    finish_read(lua, op);
    const struct handle *handle = to_handle(lua, -1);
    const struct value *object = handle_object(handle);
    int64_t since = handle->selection != NULL ? selection_absent_since(handle->selection, handle->name) : object == NULL ? now : -1;
    int64_t absent_ms = since < 0 ? -1 : now - since;
    bool holds = since >= 0 && (handle->selection == NULL || absent_ms >= wanted_ms);
    char expected[64], actual[64];
    if (since >= 0 && !holds && (run->verdict->again_ms < 0 || since + wanted_ms < run->verdict->again_ms))
        run->verdict->again_ms = since + wanted_ms;
    snprintf(expected, sizeof expected, wanted_ms > 0 ? _("gone for %lld s") : _("gone"), (long long)(wanted_ms / 1000));
    if (since < 0)
        snprintf(actual, sizeof actual, "%s", _("there"));
    else /* without the seconds, which would change the screen for nothing */
        snprintf(actual, sizeof actual, "%s", holds ? _("gone") : _("gone, but not for so long yet"));
    size_t first = run->verdict->expectations.length;
    struct expectation *e = add_expectation(run, lua, handle->resource, handle->asked, handle->name, object, holds);
    expectation_say(e, "", expected, actual);
    if (wanted_ms > 0 && object == NULL)
        expectation_history(e);
    push_expectation(lua, run, first);
    return 1;
}

static int k_expect_absent(lua_State *lua)
{
    struct bind_run *run = run_at_least(lua, BIND_CHECK, "expect_absent");
    luaL_checkstring(lua, 2);
    lua_settop(lua, 4);
    struct op *op = new_read(lua, run, lua_tostring(lua, 2), 4);
    read_one(lua, op, luaL_checkstring(lua, 3));
    op->deadline = (int64_t)(option_number(lua, 4, "for_seconds", 0) * 1000);
    return read_objects(lua, op, finish_absent);
}

/* Did any state that the watch saw in this step match the pattern? Stack: 5 the pattern. */
static int finish_seen(lua_State *lua, struct op *op)
{
    struct bind_run *run = op->run;
    struct error err = ERROR_INIT;
    bool holds = false;
    struct selection *selection = NULL;
    size_t first = run->verdict->expectations.length;
    if (op->resource != NULL) {
        selection = selection_take(run->bind, op->resource, op_kube_target(op).ns, op->labels, op->fields, &err);
        if (selection == NULL)
            return script_raise(lua, &err);
        selection_release(selection);
    }
    struct shape **box = push_shape_box(lua);
    shape_from_lua(lua, 4, box, lua_gettop(lua));
    for (size_t i = selection != NULL ? selection->history.length : 0; i > 0 && !holds && err.kind == ERROR_NONE; i--) {
        const struct seen *state = selection->history.items[i - 1];
        struct value *object = state->text != NULL ? json_parse(state->text, strlen(state->text), "history", &err) : NULL;
        holds = object != NULL && shape_match(*box, object, NULL, NULL, &err);
        value_free(object);
    }
    if (err.kind != ERROR_NONE)
        return script_raise(lua, &err);
    struct buf words = buf_make(300);
    shape_describe(*box, 200, &words);
    struct expectation *e = add_expectation(run, lua, op->resource, op->kind, op->name != NULL ? op->name : op->labels, NULL, holds);
    expectation_history(e);
    expectation_say(e, _("seen in this step"), buf_ok(&words) && words.bytes != NULL ? words.bytes : "", holds ? _("seen") : _("not seen"));
    buf_free(&words);
    push_expectation(lua, run, first);
    return 1;
}

static int k_expect_seen(lua_State *lua)
{
    struct bind_run *run = run_at_least(lua, BIND_CHECK, "expect_seen");
    const char *kind = luaL_checkstring(lua, 2);
    luaL_checkany(lua, 4);
    lua_settop(lua, 4);
    if (run->mode == BIND_DO)
        return luaL_error(lua, "k:expect_seen needs the history that only a check has");
    struct op *op = new_read(lua, run, kind, 5); /* it has no options: nil stands there */
    if (lua_istable(lua, 3))
        read_selector(lua, 3, "labels", &op->labels);
    else
        read_one(lua, op, luaL_checkstring(lua, 3));
    return read_objects(lua, op, finish_seen);
}

/* For the prelude: an expectation about a handle in words that Lua found. state(k, handle, holds, path, expected, actual) */
static int k_state(lua_State *lua)
{
    struct bind_run *run = run_at_least(lua, BIND_CHECK, "state");
    const struct handle *handle = to_handle(lua, 2);
    luaL_argcheck(lua, handle != NULL, 2, "an object is wanted");
    size_t first = run->verdict->expectations.length;
    struct expectation *e = add_expectation(run, lua, handle->resource, handle->asked, handle->name, handle_object(handle), lua_toboolean(lua, 3));
    if (handle_object(handle) != NULL)
        expectation_say(e, luaL_checkstring(lua, 4), luaL_checkstring(lua, 5), luaL_checkstring(lua, 6));
    else
        expectation_say(e, "", _("there"), _("missing"));
    push_expectation(lua, run, first);
    return 1;
}

/* ---- the learner's own file ---- */

static int k_workfile(lua_State *lua)
{
    struct bind_run *run = run_at_least(lua, BIND_CHECK, "workfile");
    const char *name = luaL_checkstring(lua, 2);
    struct error err = ERROR_INIT;
    size_t length = 0;
    struct value **box = push_value_box(lua);
    char *text = run->bind->work_folder != NULL ? file_read_below(run->bind->work_folder, name, BIND_FILE, &length, &err) : NULL;
    if (text != NULL)
        *box = yaml_parse(text, length, name, YAML_DUPLICATES_LAST, &err);
    mem_free(text);
    if (*box == NULL) {
        lua_pushnil(lua);
        lua_pushstring(lua, err.kind != ERROR_NONE ? err.message : "there is no work folder");
        return 2;
    }
    push_value(lua, *box);
    return 1;
}

const luaL_Reg methods_read[] = {
    {"get", k_get}, {"list", k_list}, {"expect_absent", k_expect_absent}, {"expect_seen", k_expect_seen}, {"workfile", k_workfile}, {NULL, NULL},
};
const luaL_Reg methods_prelude[] = {{"state", k_state}, {NULL, NULL}};
