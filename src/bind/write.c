/* write.c: how a lesson changes the cluster. What it makes carries our labels; what it deletes is held by uid where that is known. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "bind/objects.h"
#include "bind/op.h"
#include "data/json.h"
#include "data/units.h"
#include "data/yaml.h"

enum { NEW_KIND_MS = 10000, NEW_KIND_RETRY_MS = 250 };

static int finish_nothing(lua_State *lua, struct op *op)
{
    (void)lua;
    (void)op;
    return 0;
}

static bool end_if(struct op *op, const void *started, const struct error *err)
{
    if (started == NULL)
        op_end(op, err);
    return started == NULL;
}

static void tell_made(struct op *op)
{
    struct bind *bind = op->run->bind;
    struct buf name = buf_make(256);
    const char *uid = value_find_text(op->result, "metadata", "uid", NULL), *object = value_find_text(op->result, "metadata", "name", NULL);
    const char *ns = value_find_text(op->result, "metadata", "namespace", NULL);
    kube_resource_name(op->resource, &name);
    if (bind->made != NULL && !op->shared && uid != NULL && object != NULL && buf_ok(&name))
        bind->made(bind->made_data, name.bytes, ns != NULL ? ns : "", object, uid);
    buf_free(&name);
}

/* ---- apply and create: documents one after the other ---- */

static void next_document(struct op *op);
static void send_document(struct op *op);

static void sent_document(struct op *op)
{
    tell_made(op);
    op->index++;
    next_document(op);
}

/* A lesson works in the learner's namespace only. */
static bool is_elsewhere(const struct op *op, const char *ns, struct error *err)
{
    const char *own = op->run->bind->ns;
    if (ns == NULL || !op->resource->namespaced || strcmp(ns, own) == 0)
        return false;
    error_set(err, ERROR_INPUT, NULL, "a lesson may change things only in the learner's namespace %s, not in %s", own, ns);
    return true;
}

/* Sets namespace and labels on a copy's metadata. False: no memory. */
static bool mark(struct op *op, struct value *document)
{
    const struct bind *bind = op->run->bind;
    struct value *metadata = value_child(document, "metadata"), *labels = metadata != NULL ? value_child(metadata, "labels") : NULL;
    bool ok = labels != NULL && value_set(labels, BIND_LABEL_MANAGED, value_string(BIND_MANAGER)) &&
              value_set(labels, BIND_LABEL_LESSON, value_string(bind->lesson != NULL ? bind->lesson : ""));
    if (ok && op->resource->namespaced && value_get(metadata, "namespace") == NULL)
        ok = value_set(metadata, "namespace", value_string(bind->ns));
    return ok;
}

static void send_document(struct op *op)
{
    struct error err = ERROR_INIT;
    struct kube_client *client = op->run->bind->client;
    struct value *document = op->documents.items[op->index];
    mem_free(op->name);
    mem_free(op->ns);
    op->name = op->ns = NULL;
    if (!mark(op, document)) {
        error_memory(&err);
        op_end(op, &err);
        return;
    }
    const char *name = value_find_text(document, "metadata", "name", NULL), *ns = value_find_text(document, "metadata", "namespace", NULL);
    op->name = name != NULL ? mem_string(name) : NULL;
    op->ns = ns != NULL ? mem_string(ns) : NULL;
    if (is_elsewhere(op, ns, &err)) {
        op_end(op, &err);
        return;
    }
    op->next = sent_document;
    op->write.force = true;
    struct kube_target target = op_kube_target(op);
    if (op->create)
        op->call = kube_create(client, &target, document, &op->write, op_object, op, &err);
    else if (name == NULL)
        error_set(&err, ERROR_INPUT, NULL, "the object has no metadata.name");
    else
        op->call = kube_patch(client, &target, KUBE_PATCH_APPLY, document, &op->write, op_object, op, &err);
    end_if(op, op->call, &err);
}

static void document_kind_found(void *data, const struct kube_resource *resource, const struct error *error);

static void find_document_kind(void *data)
{
    struct op *op = data;
    const struct value *document = op->documents.items[op->index];
    const char *version = value_find_text(document, "apiVersion", NULL), *kind = value_find_text(document, "kind", NULL);
    struct error err = ERROR_INIT;
    if (version == NULL || kind == NULL) {
        error_set(&err, ERROR_INPUT, NULL, "object %zu has no %s", op->index + 1, version == NULL ? "apiVersion" : "kind");
        op_end(op, &err);
        return;
    }
    op->resource = NULL;
    unsigned number = kube_resolve_kind(op->run->bind->client, version, kind, document_kind_found, op);
    if (number != 0 && !op->ended && op->resource == NULL)
        op->resolve = number;
}

/* A kind may be served a moment after its CRD was made (the server's discovery follows): wait for it a little. */
static void document_kind_found(void *data, const struct kube_resource *resource, const struct error *error)
{
    struct op *op = data;
    op->resolve = 0;
    if (error == NULL) {
        op->resource = resource;
        send_document(op);
        return;
    }
    int64_t now = clock_monotonic_ms();
    if (op->deadline < 0)
        op->deadline = now + NEW_KIND_MS;
    if (error->kind != ERROR_NOT_FOUND || op->index == 0 || now > op->deadline) {
        op_end(op, error);
        return;
    }
    kube_discovery_forget(op->run->bind->client);
    loop_drop(op->timer);
    struct error err = ERROR_INIT;
    op->timer = loop_add_timer(op->run->bind->loop, NEW_KIND_RETRY_MS, find_document_kind, op);
    if (op->timer == NULL) {
        error_memory(&err);
        op_end(op, &err);
    }
}

static void next_document(struct op *op)
{
    op->deadline = -1;
    if (op->index >= op->documents.length)
        op_end(op, NULL);
    else
        find_document_kind(op);
}

/* Fills {{name}} from the state at the start of the function. */
static char *fill_in(const struct bind_run *run, const char *text)
{
    struct value *state = run->state_json != NULL ? json_parse(run->state_json, strlen(run->state_json), "state", NULL) : NULL;
    struct buf out = buf_make(BIND_FILE * 2);
    while (*text != '\0') {
        const char *open = strstr(text, "{{"), *close = open != NULL ? strstr(open, "}}") : NULL;
        if (close == NULL)
            break;
        char name[64];
        size_t length = (size_t)(close - open) - 2;
        const char *value = NULL;
        if (length < sizeof name) {
            memcpy(name, open + 2, length);
            name[length] = '\0';
            value = strcmp(name, "namespace") == 0 ? run->bind->ns : strcmp(name, "user") == 0 ? run->bind->user : value_text(value_get(state, name));
        }
        buf_append(&out, text, (size_t)(open - text));
        if (value != NULL)
            buf_append_string(&out, value);
        else
            buf_append(&out, open, length + 4);
        text = close + 2;
    }
    buf_append_string(&out, text);
    value_free(state);
    return buf_take(&out, NULL);
}

static bool read_documents(struct op *op, const char *path, struct error *err)
{
    const struct bind_run *run = op->run;
    size_t length;
    if (run->bind->folder == NULL)
        return error_set(err, ERROR_INPUT, path, "this lesson has no folder");
    char *raw = file_read_below(run->bind->folder, path, BIND_FILE, &length, err);
    char *text = raw != NULL ? fill_in(run, raw) : NULL;
    if (raw != NULL && text == NULL)
        error_memory(err);
    vec_free(&op->documents);
    if (raw == NULL && err->kind == ERROR_DENIED) /* of a file: not the cluster's word */
        err->kind = ERROR_INPUT;
    bool ok = text != NULL && yaml_parse_all(text, strlen(text), path, YAML_DUPLICATES_REFUSE, &op->documents, err);
    mem_free(raw);
    mem_free(text);
    return ok;
}

/* Argument: a path in the lesson, one object, or a list of objects. */
static void take_documents(lua_State *lua, struct op *op, int index)
{
    struct error err = ERROR_INIT;
    if (lua_type(lua, index) == LUA_TSTRING) {
        if (!read_documents(op, lua_tostring(lua, index), &err))
            script_raise(lua, &err);
        return;
    }
    luaL_checktype(lua, index, LUA_TTABLE);
    struct value **box = push_value_box(lua);
    value_from_lua(lua, index, box);
    if (value_type(*box) == VALUE_ARRAY) {
        for (struct value *item; (item = value_first(*box)) != NULL;)
            if (!vec_push(&op->documents, value_take(*box, item)))
                luaL_error(lua, "too many objects at once");
    } else {
        struct value *one = *box;
        *box = NULL;
        if (!vec_push(&op->documents, one))
            luaL_error(lua, "out of memory");
    }
    lua_pop(lua, 1);
}

static int send_documents(lua_State *lua, const char *what, bool create)
{
    struct bind_run *run = run_at_least(lua, BIND_DO, what);
    luaL_checkany(lua, 2);
    lua_settop(lua, 3);
    struct op *op = op_new(lua, run);
    take_documents(lua, op, 2);
    op->finish = finish_nothing;
    op->shared = option_true(lua, 3, "shared"); /* not the lesson's alone: not in the ledger */
    op->create = create;
    op_begin(lua, op);
    next_document(op);
    return op_wait(lua, op);
}

static int k_apply(lua_State *lua)
{
    return send_documents(lua, "apply", false);
}

static int k_create(lua_State *lua)
{
    return send_documents(lua, "create", true);
}

/* The first document of a file, as a table. */
static int k_read(lua_State *lua)
{
    struct bind_run *run = run_at_least(lua, BIND_CHECK, "read");
    struct op *op = op_new(lua, run);
    struct error err = ERROR_INIT;
    if (!read_documents(op, luaL_checkstring(lua, 2), &err))
        return script_raise(lua, &err);
    push_value(lua, op->documents.length > 0 ? op->documents.items[0] : NULL);
    return 1;
}

/* ---- one object ---- */

static void send_patch(struct op *op)
{
    struct error err = ERROR_INIT;
    if (is_elsewhere(op, op->ns, &err)) {
        op_end(op, &err);
        return;
    }
    struct kube_target target = op_kube_target(op);
    op->next = NULL;
    op->call = kube_patch(op->run->bind->client, &target, op->patch, op->object, &op->write, op_object, op, &err);
    end_if(op, op->call, &err);
}

/* Starts an operation on one object whose kind must be found first (known already for a handle). */
static int with_kind(lua_State *lua, struct op *op, void (*next)(struct op *op))
{
    op->next = next;
    op->finish = finish_nothing;
    op_begin(lua, op);
    op_resolve(op);
    return op_wait(lua, op);
}

static int k_patch(lua_State *lua)
{
    static const struct {
        const char *name;
        enum kube_patch type;
    } types[] = {{"merge", KUBE_PATCH_MERGE}, {"json", KUBE_PATCH_JSON}, {"strategic", KUBE_PATCH_STRATEGIC}};
    struct op *op = op_new(lua, run_at_least(lua, BIND_DO, "patch"));
    int index = op_target(lua, op, 2);
    luaL_checktype(lua, index, LUA_TTABLE);
    const char *type = option_text(lua, index + 1, "type"), *subresource = option_text(lua, index + 1, "subresource");
    op->patch = KUBE_PATCH_MERGE;
    for (size_t i = 0; type != NULL && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0) {
            op->patch = types[i].type;
            type = NULL;
        }
    luaL_argcheck(lua, type == NULL, index + 1, "type is merge, json or strategic");
    luaL_argcheck(lua, subresource == NULL || strcmp(subresource, "status") == 0 || strcmp(subresource, "scale") == 0, index + 1, "subresource is status or scale");
    op->subresource = subresource == NULL ? NULL : subresource[1] == 't' ? "status" : "scale";
    value_from_lua(lua, index, &op->object);
    return with_kind(lua, op, send_patch);
}

static int k_scale(lua_State *lua)
{
    struct op *op = op_new(lua, run_at_least(lua, BIND_DO, "scale"));
    int index = op_target(lua, op, 2);
    lua_Integer replicas = luaL_checkinteger(lua, index);
    luaL_argcheck(lua, replicas >= 0 && replicas <= 10000, index, "replicas are 0 to 10000");
    struct value *spec;
    bool ok = (op->object = value_object()) != NULL && (spec = value_child(op->object, "spec")) != NULL && value_set(spec, "replicas", value_int(replicas));
    if (!ok)
        return luaL_error(lua, "out of memory");
    op->patch = KUBE_PATCH_MERGE;
    op->subresource = "scale";
    return with_kind(lua, op, send_patch);
}

/* As `kubectl rollout restart` does: a new annotation in the Pod template. */
static int k_restart(lua_State *lua)
{
    struct op *op = op_new(lua, run_at_least(lua, BIND_DO, "restart"));
    op_target(lua, op, 2);
    char now[21], stamp[64];
    int64_t wall = clock_wall_ms();
    time_print(wall, now);
    snprintf(stamp, sizeof stamp, "%.19s.%03dZ", now, (int)(wall % 1000)); /* two within a second differ, too */
    struct value *at = op->object = value_object();
    const char *const path[] = {"spec", "template", "metadata", "annotations"};
    for (size_t i = 0; at != NULL && i < sizeof path / sizeof *path; i++)
        at = value_child(at, path[i]);
    if (at == NULL || !value_set(at, "kubectl.kubernetes.io/restartedAt", value_string(stamp)))
        return luaL_error(lua, "out of memory");
    op->patch = KUBE_PATCH_MERGE;
    return with_kind(lua, op, send_patch);
}

/* Labels or annotations: { name = "value", other = false } sets and removes. */
static int k_mark(lua_State *lua, const char *what, const char *field)
{
    struct op *op = op_new(lua, run_at_least(lua, BIND_DO, what));
    int index = op_target(lua, op, 2);
    luaL_checktype(lua, index, LUA_TTABLE);
    struct value *metadata = (op->object = value_object()) != NULL ? value_child(op->object, "metadata") : NULL;
    struct value *marks = metadata != NULL ? value_child(metadata, field) : NULL;
    if (marks == NULL)
        return luaL_error(lua, "out of memory");
    for (lua_pushnil(lua); lua_next(lua, index) != 0; lua_pop(lua, 1)) {
        bool gone = lua_isboolean(lua, -1) && !lua_toboolean(lua, -1);
        if (lua_type(lua, -2) != LUA_TSTRING || (!gone && lua_type(lua, -1) != LUA_TSTRING))
            return luaL_error(lua, "k:%s wants { name = \"value\", other = false }", what);
        if (!value_set(marks, lua_tostring(lua, -2), gone ? value_null() : value_string(lua_tostring(lua, -1))))
            return luaL_error(lua, "out of memory");
    }
    op->patch = KUBE_PATCH_MERGE;
    return with_kind(lua, op, send_patch);
}

static int k_label(lua_State *lua)
{
    return k_mark(lua, "label", "labels");
}

static int k_annotate(lua_State *lua)
{
    return k_mark(lua, "annotate", "annotations");
}

static void delete_options(lua_State *lua, struct op *op, int index)
{
    static const char *const policies[] = {"Background", "Foreground", "Orphan"};
    const char *propagation = option_text(lua, index, "propagation");
    for (size_t i = 0; i < 3; i++)
        if (propagation != NULL && strcmp(policies[i], propagation) == 0)
            op->write.propagation = policies[i];
    luaL_argcheck(lua, propagation == NULL || op->write.propagation != NULL, index, "propagation is Background, Foreground or Orphan");
    op->write.grace_seconds = (int64_t)option_number(lua, index, "grace", -1);
}

static void send_delete(struct op *op)
{
    struct error err = ERROR_INIT;
    if (is_elsewhere(op, op->ns, &err)) {
        op_end(op, &err);
        return;
    }
    struct kube_target target = op_kube_target(op);
    op->next = NULL;
    op->ignore_replaced = op->uid != NULL;
    op->ignore_missing = true; /* gone is what was wanted */
    op->write.uid = op->uid;
    op->call = kube_delete(op->run->bind->client, &target, &op->write, op_object, op, &err);
    end_if(op, op->call, &err);
}

static int k_delete(lua_State *lua)
{
    struct op *op = op_new(lua, run_at_least(lua, BIND_DO, "delete"));
    delete_options(lua, op, op_target(lua, op, 2));
    return with_kind(lua, op, send_delete);
}

static void delete_next(struct op *op)
{
    struct value *object = value_first(op->object);
    struct error err = ERROR_INIT;
    mem_free(op->name);
    mem_free(op->uid);
    op->name = op->uid = NULL;
    if (object == NULL) {
        op_end(op, NULL);
        return;
    }
    const char *name = value_find_text(object, "metadata", "name", NULL), *uid = value_find_text(object, "metadata", "uid", NULL);
    op->name = name != NULL ? mem_string(name) : NULL;
    op->uid = uid != NULL ? mem_string(uid) : NULL;
    bool meant = selector_fits(op->labels, object);
    value_free(value_take(op->object, object));
    if (!meant) {
        error_set(&err, ERROR_INTERNAL, NULL, "the server listed %s, which the selector %s does not name; nothing more is deleted", op->name != NULL ? op->name : "an object",
                  op->labels);
        op_end(op, &err);
        return;
    }
    struct kube_target target = op_kube_target(op);
    op->next = delete_next;
    op->ignore_missing = op->ignore_replaced = true;
    op->write.uid = op->uid;
    op->call = op->name != NULL ? kube_delete(op->run->bind->client, &target, &op->write, op_object, op, &err) : NULL;
    end_if(op, op->call, &err);
}

static void listed_for_delete(struct op *op)
{
    struct value *items = value_get(op->result, "items");
    op->object = items != NULL ? value_take(op->result, items) : NULL;
    delete_next(op);
}

static void list_for_delete(struct op *op)
{
    struct error err = ERROR_INIT;
    struct kube_target target = op_kube_target(op);
    struct kube_list_options options = {.labels = op->labels};
    op->next = listed_for_delete;
    op->list = kube_list(op->run->bind->client, &target, &options, NULL, op_object, op, &err);
    end_if(op, op->list, &err);
}

static int k_delete_all(lua_State *lua)
{
    struct op *op = op_new(lua, run_at_least(lua, BIND_DO, "delete_all"));
    op->kind = copy_string(lua, luaL_checkstring(lua, 2));
    luaL_checktype(lua, 3, LUA_TTABLE);
    lua_getfield(lua, 3, "labels");
    if (lua_isnil(lua, -1)) /* never "everything" by a slip of the pen */
        return luaL_argerror(lua, 3, "labels = { … } must say which ones");
    push_selector(lua, -1);
    op->labels = copy_string(lua, lua_tostring(lua, -1));
    delete_options(lua, op, 3);
    return with_kind(lua, op, list_for_delete);
}

const luaL_Reg methods_write[] = {
    {"apply", k_apply},     {"create", k_create}, {"read", k_read},         {"patch", k_patch},   {"scale", k_scale}, {"restart", k_restart},
    {"label", k_label},     {"annotate", k_annotate}, {"delete", k_delete}, {"delete_all", k_delete_all}, {NULL, NULL},
};
