/* handle.c: objects and sets of objects as Lua sees them. A handle belongs to the run that made it and is refused by any other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lang.h"
#include "base/mem.h"
#include "bind/objects.h"
#include "data/json.h"
#include "data/path.h"

#define HANDLE "kubetutor.handle"
#define SET "kubetutor.set"

/* ---- what an object's state means ---- */

static const struct value *condition_of(const struct value *object, const char *type)
{
    for (const struct value *c = value_first(value_find(object, "status", "conditions", NULL)); c != NULL; c = value_next(c)) {
        const char *name = value_find_text(c, "type", NULL);
        if (name != NULL && strcmp(name, type) == 0)
            return c;
    }
    return NULL;
}

bool object_condition(const struct value *object, const char *type)
{
    const struct value *condition = condition_of(object, type);
    const char *status = value_find_text(condition, "status", NULL);
    int64_t generation = value_find_int(object, 0, "metadata", "generation", NULL);
    int64_t seen = value_find_int(condition, value_find_int(object, generation, "status", "observedGeneration", NULL), "observedGeneration", NULL);
    return status != NULL && strcmp(status, "True") == 0 && seen >= generation;
}

static bool is_terminating(const struct value *object)
{
    return value_find(object, "metadata", "deletionTimestamp", NULL) != NULL;
}

bool object_is_ready(const struct value *object)
{
    return object != NULL && !is_terminating(object) && (object_condition(object, "Ready") || object_condition(object, "Available"));
}

/* Source of the rules: what `kubectl rollout status` waits for (k8s.io/kubectl, pkg/polymorphichelpers/rollout_status.go). */
bool object_rolled_out(const struct value *object, char *words, size_t room)
{
    const char *kind = value_find_text(object, "kind", NULL);
    int64_t generation = value_find_int(object, 0, "metadata", "generation", NULL);
    int64_t observed = value_find_int(object, -1, "status", "observedGeneration", NULL);
    bool daemons = kind != NULL && strcmp(kind, "DaemonSet") == 0;
    int64_t wanted = daemons ? value_find_int(object, 0, "status", "desiredNumberScheduled", NULL) : value_find_int(object, 1, "spec", "replicas", NULL);
    int64_t updated = value_find_int(object, 0, "status", daemons ? "updatedNumberScheduled" : "updatedReplicas", NULL);
    int64_t available = value_find_int(object, 0, "status", daemons ? "numberAvailable" : "availableReplicas", NULL);
    int64_t all = daemons ? wanted : value_find_int(object, 0, "status", "replicas", NULL);
    if (object == NULL)
        snprintf(words, room, "%s", _("missing"));
    else if (observed < generation)
        snprintf(words, room, "%s", _("not yet seen by its controller"));
    else if (updated < wanted)
        snprintf(words, room, _("%lld of %lld updated"), (long long)updated, (long long)wanted);
    else if (all > updated)
        snprintf(words, room, _("%lld old ones still there"), (long long)(all - updated));
    else if (available < updated)
        snprintf(words, room, _("%lld of %lld available"), (long long)available, (long long)updated);
    else {
        snprintf(words, room, "%s", _("rolled out"));
        return true;
    }
    return false;
}

/* ---- handles ---- */

static int drop_handle(lua_State *lua)
{
    struct handle *handle = lua_touserdata(lua, 1);
    mem_free(handle->asked);
    mem_free(handle->ns);
    mem_free(handle->name);
    value_free(handle->snapshot);
    *handle = (struct handle){0};
    return 0;
}

struct handle *push_handle(lua_State *lua, const struct bind_run *run, const struct kube_resource *resource, const char *asked, const char *ns,
                           const char *name, struct selection *selection, struct value **snapshot)
{
    struct handle *handle = lua_newuserdatauv(lua, sizeof *handle, 0);
    *handle = (struct handle){.serial = run->serial, .resource = resource, .selection = selection};
    luaL_setmetatable(lua, HANDLE);
    handle->asked = copy_string(lua, asked);
    handle->ns = copy_string(lua, ns);
    handle->name = copy_string(lua, name);
    if (snapshot != NULL) {
        handle->snapshot = *snapshot;
        *snapshot = NULL;
    }
    return handle;
}

struct handle *to_handle(lua_State *lua, int index)
{
    struct handle *handle = luaL_testudata(lua, index, HANDLE);
    if (handle != NULL && handle->serial != run_of(lua)->serial)
        luaL_error(lua, "this object belongs to a function that has ended: get it again with k:get");
    return handle;
}

static struct handle *check_handle(lua_State *lua)
{
    struct handle *handle = to_handle(lua, 1);
    if (handle == NULL)
        luaL_typeerror(lua, 1, "object");
    return handle;
}

const struct value *handle_object(const struct handle *handle)
{
    if (handle->selection == NULL || handle->name == NULL)
        return handle->snapshot;
    return kube_watch_find(handle->selection->watch, handle->ns, handle->name);
}

static const char *missing_words(const struct handle *handle)
{
    return handle->resource == NULL ? _("a kind that this cluster does not have") : _("missing");
}

static int handle_exists(lua_State *lua)
{
    lua_pushboolean(lua, handle_object(check_handle(lua)) != NULL);
    return 1;
}

static int handle_at(lua_State *lua)
{
    const struct handle *handle = check_handle(lua);
    struct value *found = NULL;
    struct error err = ERROR_INIT;
    if (!path_find(handle_object(handle), luaL_checkstring(lua, 2), &found, &err))
        return script_raise(lua, &err);
    push_value(lua, found);
    return 1;
}

static int handle_name(lua_State *lua)
{
    lua_pushstring(lua, check_handle(lua)->name);
    return 1;
}

static int handle_kind(lua_State *lua)
{
    const struct handle *handle = check_handle(lua);
    lua_pushstring(lua, handle->resource != NULL ? handle->resource->kind : handle->asked);
    return 1;
}

static int handle_namespace(lua_State *lua)
{
    lua_pushstring(lua, check_handle(lua)->ns);
    return 1;
}

static int handle_expect(lua_State *lua)
{
    const struct handle *handle = check_handle(lua);
    luaL_checkany(lua, 2);
    lua_settop(lua, 3);
    struct bind_run *run = run_of(lua);
    size_t first = run->verdict->expectations.length;
    expect_shape(lua, run, handle->resource, handle->asked, handle->name, handle_object(handle), 2, 3);
    push_expectation(lua, run, first);
    return 1;
}

/* :condition("Ready"): expects it to be True; the answer can also be looked at: h:has_condition("Ready"). */
static int handle_condition(lua_State *lua)
{
    const struct handle *handle = check_handle(lua);
    const char *type = luaL_checkstring(lua, 2);
    struct bind_run *run = run_of(lua);
    const struct value *object = handle_object(handle), *condition = condition_of(object, type);
    const char *status = value_find_text(condition, "status", NULL), *reason = value_find_text(condition, "reason", NULL);
    const char *message = value_find_text(condition, "message", NULL);
    size_t first = run->verdict->expectations.length;
    char path[192], actual[512];
    bool holds = object_condition(object, type);
    snprintf(path, sizeof path, "status.conditions[type=%.100s].status", type);
    if (object == NULL || condition == NULL) {
        path[0] = object == NULL ? '\0' : path[0]; /* the object itself */
        snprintf(actual, sizeof actual, "%s", missing_words(handle));
    }
    else if (!holds && strcmp(status != NULL ? status : "", "True") == 0)
        snprintf(actual, sizeof actual, "%s", _("True, but of an older generation"));
    else
        snprintf(actual, sizeof actual, "%s%s%.120s%s%.300s", status != NULL ? status : "?", reason != NULL && !holds ? ", " : "",
                 reason != NULL && !holds ? reason : "", message != NULL && !holds && message[0] != '\0' ? ": " : "",
                 message != NULL && !holds ? message : "");
    expectation_say(add_expectation(run, lua, handle->resource, handle->asked, handle->name, object, holds), path, object == NULL ? _("there") : "True", actual);
    push_expectation(lua, run, first);
    return 1;
}

static int handle_has_condition(lua_State *lua)
{
    lua_pushboolean(lua, object_condition(handle_object(check_handle(lua)), luaL_checkstring(lua, 2)));
    return 1;
}

static int handle_rolled_out(lua_State *lua)
{
    const struct handle *handle = check_handle(lua);
    struct bind_run *run = run_of(lua);
    size_t first = run->verdict->expectations.length;
    char words[160];
    const struct value *object = handle_object(handle);
    bool holds = object_rolled_out(object, words, sizeof words);
    struct expectation *e = add_expectation(run, lua, handle->resource, handle->asked, handle->name, object, holds);
    if (object == NULL)
        expectation_say(e, "", _("there"), missing_words(handle));
    else
        expectation_say(e, "status", _("rolled out"), words);
    push_expectation(lua, run, first);
    return 1;
}

static int handle_revisions(lua_State *lua)
{
    const char *revision = NULL;
    const struct value *annotations = value_find(handle_object(check_handle(lua)), "metadata", "annotations", NULL);
    revision = value_text(value_get(annotations, "deployment.kubernetes.io/revision"));
    lua_pushinteger(lua, revision != NULL ? (lua_Integer)strtoll(revision, NULL, 10) : 0);
    return 1;
}

/* The values that a path had in this step, repeats left out, as the watch saw them. */
static int handle_saw(lua_State *lua)
{
    const struct handle *handle = check_handle(lua);
    const char *path = luaL_checkstring(lua, 2);
    luaL_checktype(lua, 3, LUA_TTABLE);
    struct bind_run *run = run_of(lua);
    if (handle->selection == NULL)
        return luaL_error(lua, ":saw needs the history that only a check has");
    struct value **wanted = push_value_box(lua), **seen = push_value_box(lua);
    value_from_lua(lua, 3, wanted);
    *seen = value_array();
    struct error err = ERROR_INIT;
    const struct vec *history = &handle->selection->history;
    size_t next = 0, wanted_count = value_length(*wanted);
    struct value *last = NULL;
    for (size_t i = 0; i < history->length; i++) {
        const struct seen *state = history->items[i];
        if (state->text == NULL || strcmp(state->name, handle->name) != 0)
            continue;
        struct value *object = json_parse(state->text, strlen(state->text), "history", &err), *found = NULL;
        bool ok = object != NULL && path_find(object, path, &found, &err);
        struct value *value = ok && found != NULL ? value_copy(found) : value_null();
        value_free(object);
        if (!ok || value == NULL) {
            value_free(value);
            return script_raise(lua, &err);
        }
        if (last != NULL && value_equal(last, value)) {
            value_free(value);
            continue;
        }
        if (next < wanted_count && value_equal(value, value_item(*wanted, next)))
            next++;
        last = value;
        if (!value_append(*seen, value))
            return luaL_error(lua, "out of memory");
    }
    size_t first = run->verdict->expectations.length;
    struct buf expected = buf_make(400), actual = buf_make(400);
    value_describe(*wanted, 300, &expected);
    value_describe(*seen, 300, &actual);
    struct expectation *e = add_expectation(run, lua, handle->resource, handle->asked, handle->name, handle_object(handle), next == wanted_count);
    expectation_history(e);
    expectation_say(e, path, buf_ok(&expected) ? expected.bytes : "", buf_ok(&actual) ? actual.bytes : "");
    buf_free(&expected);
    buf_free(&actual);
    push_expectation(lua, run, first);
    return 1;
}

/* ---- sets ---- */

static int drop_set(lua_State *lua)
{
    struct set *set = lua_touserdata(lua, 1);
    mem_free(set->asked);
    mem_free(set->ns);
    mem_free(set->labels);
    mem_free(set->words);
    value_free(set->items);
    *set = (struct set){0};
    return 0;
}

struct set *push_set(lua_State *lua, const struct bind_run *run, const struct kube_resource *resource, const char *asked, const char *ns, const char *labels,
                     const char *fields, struct selection *selection, struct value **items)
{
    struct set *set = lua_newuserdatauv(lua, sizeof *set, 0);
    *set = (struct set){.serial = run->serial, .resource = resource, .selection = selection};
    luaL_setmetatable(lua, SET);
    set->asked = copy_string(lua, asked);
    set->ns = copy_string(lua, ns);
    set->labels = copy_string(lua, labels);
    set->words = copy_string(lua, labels != NULL ? labels : fields != NULL ? fields : "");
    if (items != NULL) {
        set->items = *items;
        *items = NULL;
    }
    return set;
}

struct set *to_set(lua_State *lua, int index)
{
    struct set *set = luaL_checkudata(lua, index, SET);
    if (set->serial != run_of(lua)->serial)
        luaL_error(lua, "this set belongs to a function that has ended: get it again with k:list");
    return set;
}

const struct value *set_next(const struct set *set, size_t *cursor)
{
    const struct value *object;
    do {
        object = set->selection != NULL ? kube_watch_next(set->selection->watch, cursor)
                 : set->items != NULL   ? value_item(set->items, (*cursor)++)
                                        : NULL;
    } while (object != NULL && set->ready && !object_is_ready(object));
    return object;
}

size_t set_count(const struct set *set)
{
    size_t count = 0, cursor = 0;
    while (set_next(set, &cursor) != NULL)
        count++;
    return count;
}

/* Pushes a set like this one with other marks. A snapshot's items are copied. */
static int filtered(lua_State *lua, bool ready, bool each)
{
    const struct set *set = to_set(lua, 1);
    struct value **items = push_value_box(lua);
    if (set->items != NULL && (*items = value_copy(set->items)) == NULL)
        return luaL_error(lua, "out of memory");
    struct set *other = push_set(lua, run_of(lua), set->resource, set->asked, set->ns, set->labels, NULL, set->selection, items);
    mem_free(other->words);
    other->words = NULL;
    other->words = copy_string(lua, set->words);
    other->ready = ready || set->ready;
    other->each = each;
    return 1;
}

static int set_ready(lua_State *lua)
{
    return filtered(lua, true, false);
}

static int set_each(lua_State *lua)
{
    return filtered(lua, false, true);
}

static int set_uids(lua_State *lua)
{
    const struct set *set = to_set(lua, 1);
    size_t cursor = 0;
    lua_Integer n = 0;
    lua_newtable(lua);
    for (const struct value *object; (object = set_next(set, &cursor)) != NULL;) {
        lua_pushstring(lua, value_find_text(object, "metadata", "uid", NULL));
        lua_rawseti(lua, -2, ++n);
    }
    return 1;
}

static void push_item(lua_State *lua, const struct set *set, const struct value *object)
{
    struct value **snapshot = push_value_box(lua);
    if (set->selection == NULL && object != NULL && (*snapshot = value_copy(object)) == NULL)
        luaL_error(lua, "out of memory");
    push_handle(lua, run_of(lua), set->resource, set->asked, value_find_text(object, "metadata", "namespace", NULL),
                value_find_text(object, "metadata", "name", NULL), set->selection, snapshot);
    lua_remove(lua, -2);
}

/* The first by name that is not being deleted; else a handle of nothing. */
static int set_first(lua_State *lua)
{
    const struct set *set = to_set(lua, 1);
    const struct value *object;
    size_t cursor = 0;
    while ((object = set_next(set, &cursor)) != NULL && is_terminating(object))
        ;
    push_item(lua, set, object);
    return 1;
}

static int set_items(lua_State *lua)
{
    const struct set *set = to_set(lua, 1);
    size_t cursor = 0;
    lua_Integer n = 0;
    lua_newtable(lua);
    for (const struct value *object; (object = set_next(set, &cursor)) != NULL;) {
        push_item(lua, set, object);
        lua_rawseti(lua, -2, ++n);
    }
    return 1;
}

static int set_count_method(lua_State *lua)
{
    lua_pushinteger(lua, (lua_Integer)set_count(to_set(lua, 1)));
    return 1;
}

static int set_expect(lua_State *lua)
{
    const struct set *set = to_set(lua, 1);
    luaL_checkany(lua, 2);
    lua_settop(lua, 3);
    struct bind_run *run = run_of(lua);
    size_t first = run->verdict->expectations.length, cursor = 0, seen = 0;
    for (const struct value *object; (object = set_next(set, &cursor)) != NULL; seen++)
        expect_shape(lua, run, set->resource, set->asked, value_find_text(object, "metadata", "name", NULL), object, 2, 3);
    if (seen == 0)
        expectation_say(add_expectation(run, lua, set->resource, set->asked, set->words, NULL, false), "", _("at least one object"), _("none"));
    push_expectation(lua, run, first);
    return 1;
}

static int set_expect_count(lua_State *lua)
{
    const struct set *set = to_set(lua, 1);
    luaL_checkany(lua, 2);
    lua_settop(lua, 3);
    struct bind_run *run = run_of(lua);
    size_t first = run->verdict->expectations.length, count = set_count(set);
    struct value **number = push_value_box(lua);
    struct shape **box = push_shape_box(lua);
    shape_from_lua(lua, 2, box, lua_gettop(lua));
    *number = value_int((int64_t)count);
    struct error err = ERROR_INIT;
    bool holds = shape_match(*box, *number, NULL, NULL, &err);
    if (err.kind != ERROR_NONE)
        return script_raise(lua, &err);
    struct buf expected = buf_make(200);
    char actual[32];
    shape_describe(*box, 150, &expected);
    snprintf(actual, sizeof actual, "%zu", count);
    struct expectation *e = add_expectation(run, lua, set->resource, set->asked, set->words, NULL, holds);
    expectation_say(e, set->ready ? _("ready") : _("number"), buf_ok(&expected) ? expected.bytes : "", actual);
    buf_free(&expected);
    push_expectation(lua, run, first);
    return 1;
}

static bool has_uid(const struct set *set, const struct selection *all, const char *uid)
{
    size_t cursor = 0;
    for (const struct value *object; (object = all != NULL ? kube_watch_next(all->watch, &cursor) : value_item(set->items, cursor++)) != NULL;) {
        const char *other = value_find_text(object, "metadata", "uid", NULL);
        if (other != NULL && strcmp(other, uid) == 0)
            return true;
    }
    return false;
}

/* Arguments: the set, the uids, options. */
static int state_gone(lua_State *lua, const struct set *set, const struct selection *all)
{
    struct bind_run *run = run_of(lua);
    lua_Integer total = (lua_Integer)lua_rawlen(lua, 2), gone = 0;
    lua_Integer least = option_true(lua, 3, "all") ? total : (lua_Integer)option_number(lua, 3, "at_least", (lua_Number)total);
    for (lua_Integer i = 1; i <= total; i++) {
        lua_rawgeti(lua, 2, i);
        const char *uid = lua_tostring(lua, -1);
        gone += uid == NULL || !has_uid(set, all, uid);
        lua_pop(lua, 1);
    }
    char expected[64], actual[64];
    size_t first = run->verdict->expectations.length;
    if (least == total)
        snprintf(expected, sizeof expected, _("all %lld gone"), (long long)total);
    else
        snprintf(expected, sizeof expected, _("at least %lld of %lld gone"), (long long)least, (long long)total);
    snprintf(actual, sizeof actual, _("%lld gone"), (long long)gone);
    struct expectation *e = add_expectation(run, lua, set->resource, set->asked, set->words, NULL, total > 0 && gone >= least);
    expectation_say(e, _("from before"), expected, actual);
    push_expectation(lua, run, first);
    return 1;
}

static int finish_gone(lua_State *lua, struct op *op)
{
    struct error err = ERROR_INIT;
    struct selection *all = selection_take(op->run->bind, op->resource, op->ns, NULL, NULL, &err);
    if (all == NULL)
        return script_raise(lua, &err);
    selection_release(all); /* the run holds one */
    return state_gone(lua, to_set(lua, 1), all);
}

/* Gone means: no object with the uid exists in the namespace, whatever its labels; so all objects of the kind are read. */
static int set_expect_gone(lua_State *lua)
{
    const struct set *set = to_set(lua, 1);
    luaL_checktype(lua, 2, LUA_TTABLE);
    lua_settop(lua, 3);
    if (set->selection == NULL)
        return state_gone(lua, set, NULL);
    struct op *op = op_new(lua, run_of(lua));
    op->resource = set->resource;
    op->ns = copy_string(lua, set->ns);
    return read_all(lua, op, finish_gone);
}

static const luaL_Reg handle_methods[] = {
    {"exists", handle_exists},       {"at", handle_at},
    {"name", handle_name},           {"kind", handle_kind},
    {"namespace", handle_namespace}, {"expect", handle_expect},
    {"condition", handle_condition}, {"has_condition", handle_has_condition},
    {"rolled_out", handle_rolled_out}, {"revisions", handle_revisions},
    {"saw", handle_saw},             {NULL, NULL},
};
static const luaL_Reg set_methods[] = {
    {"uids", set_uids},     {"first", set_first},
    {"each", set_each},     {"ready", set_ready},
    {"items", set_items},   {"count", set_count_method},
    {"expect", set_expect}, {"expect_count", set_expect_count},
    {"expect_gone", set_expect_gone}, {NULL, NULL},
};

static void class(lua_State *lua, const char *name, lua_CFunction drop, const luaL_Reg *methods)
{
    luaL_newmetatable(lua, name);
    lua_pushcfunction(lua, drop);
    lua_setfield(lua, -2, "__gc");
    lua_pushliteral(lua, "locked");
    lua_setfield(lua, -2, "__metatable");
    lua_newtable(lua);
    luaL_setfuncs(lua, methods, 0);
    lua_setfield(lua, -2, "__index");
    lua_pop(lua, 1);
}

void register_handle(lua_State *lua)
{
    class(lua, HANDLE, drop_handle, handle_methods);
    class(lua, SET, drop_set, set_methods);
}
