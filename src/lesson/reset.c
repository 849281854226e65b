/* reset.c: removes what the lesson made and what the learner made in it, and nothing else: by our label and by the ledger, always with the uid
 * that was seen, so that an object of the same name made meanwhile by somebody else stays. */
#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/mem.h"
#include "lesson/internal.h"

enum { RESET_TARGETS = 1000 };

struct target {
    const struct kube_resource *resource;
    char *kind, *ns, *name, *uid; /* kind: full name; ns "" for cluster-scoped */
    bool deleted;
};

struct reset {
    struct lesson_run *run;
    struct vec kinds;   /* of strings: full names whose labelled objects are looked for */
    struct vec targets; /* of struct target */
    size_t index;
    unsigned resolving;
    struct kube_call *call;
    struct kube_list *list;
    struct kube_watch *watch;
    struct loop_event *timer; /* looks again in the next round */
    struct loop_event *limit; /* the time for all of it */
    struct bind_run *cleanup;
    struct error error; /* the first that was met; the rest is done all the same */
    int removed;
    void (*told)(void *data, const char *object);
    void (*done)(void *data, const struct error *error, int removed);
    void *data;
};

static void resolve_target(struct reset *reset);
static void list_kind(struct reset *reset);
static void wait_next(struct reset *reset);
static void release(struct reset *reset);

static void free_target(void *item)
{
    struct target *target = item;
    if (target == NULL)
        return;
    mem_free(target->kind);
    mem_free(target->ns);
    mem_free(target->name);
    mem_free(target->uid);
    mem_free(target);
}

void reset_free(struct reset *reset)
{
    if (reset == NULL)
        return;
    bind_cancel(reset->cleanup);
    if (reset->resolving != 0)
        kube_resolve_cancel(reset->run->client, reset->resolving);
    kube_call_cancel(reset->call);
    kube_list_cancel(reset->list);
    if (reset->watch != NULL)
        kube_watch_stop(reset->watch);
    loop_drop(reset->timer);
    loop_drop(reset->limit);
    vec_free(&reset->kinds);
    vec_free(&reset->targets);
    mem_free(reset);
}

static void note_error(struct reset *reset, const struct error *error)
{
    if (reset->error.kind == ERROR_NONE)
        reset->error = *error;
}

static void finish(struct reset *reset)
{
    struct lesson_run *run = reset->run;
    struct error error = reset->error;
    void (*done)(void *data, const struct error *error, int removed) = reset->done;
    void *data = reset->data;
    int removed = reset->removed;
    if (error.kind == ERROR_NONE)
        progress_forget(run->progress, run->cluster, run->ns, run->lesson->id, NULL);
    run->reset = NULL;
    reset_free(reset);
    done(data, error.kind != ERROR_NONE ? &error : NULL, removed);
}

static void add_target(struct reset *reset, const struct kube_resource *resource, const char *kind, const char *ns, const char *name, const char *uid)
{
    for (size_t i = 0; i < reset->targets.length; i++)
        if (strcmp(((const struct target *)reset->targets.items[i])->uid, uid) == 0)
            return;
    struct target *target = mem_zero(1, sizeof *target);
    if (target == NULL)
        return;
    *target = (struct target){.resource = resource, .kind = mem_string(kind), .ns = mem_string(ns), .name = mem_string(name), .uid = mem_string(uid)};
    bool whole = target->kind != NULL && target->ns != NULL && target->name != NULL && target->uid != NULL;
    if (!vec_push(&reset->targets, target) || !whole) {
        struct error err = ERROR_INIT;
        error_memory(&err);
        note_error(reset, &err);
    }
}

static void add_kind(struct reset *reset, const char *need)
{
    char name[256];
    size_t length = strcspn(need, ":");
    if (length >= sizeof name)
        return;
    memcpy(name, need, length);
    name[length] = '\0';
    if (!vec_has_string(&reset->kinds, name))
        (void)!vec_push_string(&reset->kinds, name);
}

/* ---- 4: until all are gone ---- */

static bool is_gone(const struct reset *reset)
{
    const struct target *target = reset->targets.items[reset->index];
    const struct value *object = kube_watch_find(reset->watch, target->ns[0] != '\0' ? target->ns : NULL, target->name);
    const char *uid = value_find_text(object, "metadata", "uid", NULL);
    return uid == NULL || strcmp(uid, target->uid) != 0;
}

static void look_gone(struct reset *reset)
{
    if (reset->watch == NULL || !kube_watch_synced(reset->watch) || !is_gone(reset))
        return;
    struct kube_watch *watch = reset->watch;
    reset->watch = NULL;
    kube_watch_stop(watch);
    (void)!progress_ledger_remove(reset->run->progress, reset->run->cluster, ((struct target *)reset->targets.items[reset->index])->uid, NULL);
    reset->index++;
    wait_next(reset);
}

static void watch_changed(void *data, enum kube_change change, const struct value *object, const struct value *old)
{
    (void)object;
    (void)old;
    struct reset *reset = data;
    if (change == KUBE_DELETED)
        loop_set_timer(reset->timer, 0); /* the cache is asked once it is up to date */
}

static void watch_synced(void *data)
{
    look_gone(data);
}

static void watch_trouble(void *data, const struct error *error, int64_t retry_ms)
{
    struct reset *reset = data;
    (void)retry_ms;
    if (error == NULL)
        return;
    if (error->kind != ERROR_NOT_FOUND) /* a kind that is gone has no objects */
        note_error(reset, error);
    struct kube_watch *watch = reset->watch;
    reset->watch = NULL;
    if (watch != NULL)
        kube_watch_stop(watch);
    reset->index++;
    wait_next(reset);
}

static void wait_next(struct reset *reset)
{
    static const struct kube_watch_listener listener = {.changed = watch_changed, .synced = watch_synced, .trouble = watch_trouble};
    while (reset->index < reset->targets.length && !((struct target *)reset->targets.items[reset->index])->deleted)
        reset->index++;
    if (reset->index >= reset->targets.length) {
        release(reset);
        return;
    }
    const struct target *target = reset->targets.items[reset->index];
    struct buf text = buf_make(300);
    buf_printf(&text, "metadata.name=%s", target->name);
    struct error err = ERROR_INIT;
    struct kube_watch_options options = {.resource = target->resource, .ns = target->ns[0] != '\0' ? target->ns : NULL, .fields = buf_ok(&text) ? text.bytes : NULL};
    reset->watch = kube_watch_start(reset->run->client, &options, &listener, reset, &err);
    buf_free(&text);
    if (reset->watch == NULL) {
        note_error(reset, &err);
        finish(reset);
    }
}

static void timer_due(void *data)
{
    look_gone(data);
}

/* ---- 3: delete ---- */

static void deleted(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct reset *reset = data;
    (void)status;
    reset->call = NULL;
    value_free(object);
    struct target *target = reset->targets.items[reset->index];
    if (error == NULL) {
        struct buf line = buf_make(600);
        target->deleted = true;
        reset->removed++;
        buf_printf(&line, "%s/%s", target->kind, target->name);
        if (reset->told != NULL && buf_ok(&line))
            reset->told(reset->data, line.bytes);
        buf_free(&line);
    } else if (error->kind == ERROR_NOT_FOUND || error->kind == ERROR_CONFLICT) /* gone already, or another object has the name now: not ours */
        (void)!progress_ledger_remove(reset->run->progress, reset->run->cluster, target->uid, NULL);
    else
        note_error(reset, error);
    reset->index++;
    resolve_target(reset);
}

static void delete_target(struct reset *reset)
{
    struct target *t = reset->targets.items[reset->index];
    struct kube_target target = {.resource = t->resource, .ns = t->ns[0] != '\0' ? t->ns : NULL, .name = t->name};
    struct kube_write_options options = KUBE_WRITE_DEFAULTS;
    struct error err = ERROR_INIT;
    options.uid = t->uid;
    options.propagation = "Foreground"; /* so that "gone" means what it owned, too */
    reset->call = kube_delete(reset->run->client, &target, &options, deleted, reset, &err);
    if (reset->call == NULL) {
        note_error(reset, &err);
        finish(reset);
    }
}

static void target_resolved(void *data, const struct kube_resource *resource, const struct error *error)
{
    struct reset *reset = data;
    struct target *target = reset->targets.items[reset->index];
    reset->resolving = 0;
    target->resource = resource;
    if (resource != NULL) {
        delete_target(reset);
        return;
    }
    if (error->kind != ERROR_NOT_FOUND)
        note_error(reset, error);
    reset->index++;
    resolve_target(reset);
}

static void resolve_target(struct reset *reset)
{
    if (reset->index >= reset->targets.length) {
        reset->index = 0;
        wait_next(reset);
        return;
    }
    struct target *target = reset->targets.items[reset->index];
    if (target->resource != NULL) {
        delete_target(reset);
        return;
    }
    size_t before = reset->index;
    struct lesson_run *run = reset->run;
    unsigned number = kube_resolve(run->client, target->kind, target_resolved, reset);
    if (number != 0 && run->reset == reset && reset->index == before)
        reset->resolving = number;
}

/* ---- 2: find ---- */

/* Looked at again although the server was asked for it: a filter that is lost on the way must not cost what is not ours. */
static bool is_labelled(const struct reset *reset, const struct value *object)
{
    const struct value *labels = value_find(object, "metadata", "labels", NULL);
    const char *manager = value_text(value_get(labels, BIND_LABEL_MANAGED)), *lesson = value_text(value_get(labels, BIND_LABEL_LESSON));
    return manager != NULL && strcmp(manager, BIND_MANAGER) == 0 && lesson != NULL && strcmp(lesson, reset->run->lesson->id) == 0;
}

static void listed(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct reset *reset = data;
    (void)status;
    reset->list = NULL;
    const char *kind = reset->kinds.items[reset->index];
    const struct kube_resource *resource = kube_resource_known(reset->run->client, kind);
    if (error != NULL && error->kind != ERROR_NOT_FOUND && error->kind != ERROR_DENIED) /* what may not be listed was not made by us */
        note_error(reset, error);
    for (const struct value *item = value_first(value_get(object, "items")); item != NULL; item = value_next(item)) {
        const char *name = value_find_text(item, "metadata", "name", NULL), *uid = value_find_text(item, "metadata", "uid", NULL);
        const char *ns = value_find_text(item, "metadata", "namespace", NULL);
        if (name != NULL && uid != NULL && resource != NULL && gallery_is_somebodys(resource, item) && is_labelled(reset, item))
            add_target(reset, resource, kind, ns != NULL ? ns : "", name, uid);
    }
    value_free(object);
    reset->index++;
    list_kind(reset);
}

static void kind_resolved(void *data, const struct kube_resource *resource, const struct error *error)
{
    struct reset *reset = data;
    struct buf labels = buf_make(256);
    struct error err = ERROR_INIT;
    reset->resolving = 0;
    if (resource == NULL || !resource->namespaced) { /* cluster-scoped things go by the ledger and by the lesson's cleanup */
        if (error != NULL && error->kind != ERROR_NOT_FOUND)
            note_error(reset, error);
        reset->index++;
        list_kind(reset);
        return;
    }
    buf_printf(&labels, "%s=%s,%s=%s", BIND_LABEL_MANAGED, BIND_MANAGER, BIND_LABEL_LESSON, reset->run->lesson->id);
    struct kube_target target = {.resource = resource, .ns = reset->run->ns};
    struct kube_list_options options = {.labels = buf_ok(&labels) ? labels.bytes : NULL};
    if (options.labels != NULL)
        reset->list = kube_list(reset->run->client, &target, &options, NULL, listed, reset, &err);
    else
        error_memory(&err);
    buf_free(&labels);
    if (reset->list == NULL) {
        note_error(reset, &err);
        finish(reset);
    }
}

static void list_kind(struct reset *reset)
{
    if (reset->error.kind == ERROR_UNREACHABLE) {
        finish(reset);
        return;
    }
    if (reset->index >= reset->kinds.length) {
        reset->index = 0;
        resolve_target(reset);
        return;
    }
    size_t before = reset->index;
    struct lesson_run *run = reset->run;
    unsigned number = kube_resolve(run->client, reset->kinds.items[reset->index], kind_resolved, reset);
    if (number != 0 && run->reset == reset && reset->index == before && reset->list == NULL)
        reset->resolving = number;
}

static void find(struct reset *reset)
{
    struct vec entries;
    const struct lesson_run *run = reset->run;
    struct error err = ERROR_INIT;
    for (size_t i = 0; i < run->lesson->needs.length; i++)
        add_kind(reset, run->lesson->needs.items[i]);
    add_kind(reset, "pods"); /* the client Pod of k:dns and k:fetch */
    if (!progress_ledger_list(run->progress, run->cluster, run->lesson->id, &entries, &err))
        note_error(reset, &err);
    for (size_t i = 0; i < entries.length; i++) {
        const struct ledger_entry *entry = entries.items[i];
        if (entry->ns[0] == '\0' || strcmp(entry->ns, run->ns) == 0)
            add_target(reset, NULL, entry->resource, entry->ns, entry->name, entry->uid);
    }
    vec_free(&entries);
    reset->index = 0;
    list_kind(reset);
}

/* ---- 1: the lesson's own cleanup ---- */

/* Starts a function of the lesson; what cannot begin is noted and passed over. */
static void run_function(struct reset *reset, int function, void (*done)(void *data, const struct bind_result *result), void (*instead)(struct reset *reset))
{
    struct error err = ERROR_INIT;
    struct bind_run *started = function != 0 ? bind_start(reset->run->lesson->bind, function, BIND_DO, NULL, done, reset, &err) : NULL;
    if (started != NULL)
        reset->cleanup = started;
    else if (function == 0 || err.kind != ERROR_NONE) {
        if (function != 0)
            note_error(reset, &err);
        instead(reset);
    }
}

static void take_result(struct reset *reset, const struct bind_result *result)
{
    reset->cleanup = NULL;
    if (result->verdict->outcome == OUTCOME_ERROR || result->verdict->outcome == OUTCOME_UNREACHABLE)
        note_error(reset, &result->verdict->error);
    verdict_free(result->verdict);
}

/* True if a step of the lesson was ever begun here. */
static bool was_used(const struct lesson_run *run)
{
    bool used = false;
    for (size_t i = 0; i < run->lesson->steps.length && !used; i++) {
        struct progress_key key = run_key(run, (int)i);
        struct progress_step record = {0};
        used = !progress_get(run->progress, &key, &record, NULL) || record.state != PROGRESS_NONE;
        progress_step_free(&record);
    }
    return used;
}

static void cleaned(void *data, const struct bind_result *result)
{
    const struct reset *reset = data;
    if (result->verdict->error.kind == ERROR_DENIED && !was_used(reset->run)) /* reset --all, by someone who may not do this lesson at all */
        result->verdict->outcome = OUTCOME_PASSED;
    take_result(data, result);
    find(data);
}

/* Last, when nothing of a shared kind is left: our use of it. */
static void released(void *data, const struct bind_result *result)
{
    struct reset *reset = data;
    if (result->verdict->error.kind == ERROR_DENIED) /* then we never made one either */
        result->verdict->outcome = OUTCOME_PASSED;
    take_result(reset, result);
    finish(reset);
}

static void release(struct reset *reset)
{
    if (reset->error.kind == ERROR_UNREACHABLE)
        finish(reset);
    else
        run_function(reset, bind_release_function(reset->run->lesson->bind), released, finish);
}

static void too_late(void *data)
{
    struct reset *reset = data;
    struct error err = ERROR_INIT;
    const struct target *target = reset->index < reset->targets.length ? reset->targets.items[reset->index] : NULL;
    error_set(&err, ERROR_TIMEOUT, NULL, _("%s %s is still there; its finalizers may wait for something"), target != NULL ? target->kind : "",
              target != NULL ? target->name : "");
    note_error(reset, &err);
    finish(reset);
}

void lesson_run_reset(struct lesson_run *run, void (*told)(void *data, const char *object), void (*done)(void *data, const struct error *error, int removed), void *data)
{
    struct reset *reset = run->reset == NULL ? mem_zero(1, sizeof *reset) : NULL;
    struct error err = ERROR_INIT;
    if (reset == NULL) {
        error_set(&err, run->reset != NULL ? ERROR_BUSY : ERROR_MEMORY, NULL, "%s", run->reset != NULL ? _("it is being reset already") : "out of memory");
        done(data, &err, 0);
        return;
    }
    run_stop_step(run);
    run->step = -1;
    run->reset = reset;
    *reset = (struct reset){.run = run, .told = told, .done = done, .data = data};
    reset->kinds = vec_make(RESET_TARGETS, mem_free);
    reset->targets = vec_make(RESET_TARGETS, free_target);
    reset->timer = loop_add_timer(run->loop, 0, timer_due, reset);
    reset->limit = loop_add_timer(run->loop, run->reset_ms, too_late, reset);
    if (reset->timer == NULL || reset->limit == NULL) {
        error_memory(&reset->error);
        finish(reset);
        return;
    }
    loop_set_timer(reset->timer, -1);
    run_function(reset, run->lesson->cleanup, cleaned, find);
}
