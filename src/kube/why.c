#include "kube/why.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "kube/internal.h"
#include "kube/streams.h"
#include "kube/why_facts.h"

enum { MAXIMUM_ITEMS = 5000, MAXIMUM_LOG = 64 * 1024, LOG_LINES = 5 };

struct why_part { /* one list that is being read */
    struct kube_why_call *call;
    enum why_list which;
    struct kube_list *list; /* NULL: not under way */
    struct value *items;    /* what has come, an array */
    bool known;             /* read, or not to be had */
};

struct kube_why_call {
    struct kube_client *client;
    const struct kube_resource *resource;
    char *ns, *name;
    void (*done)(void *data, const struct kube_why *why, const struct error *error);
    void *data;
    struct why_facts facts;
    struct value *target;
    struct why_part parts[WHY_LISTS];
    struct kube_call *get, *log_call;
    struct buf log;
    char *log_line;
    bool log_known;
    struct error error; /* what ended it early */
};

static const struct kube_resource RESOURCES[WHY_SIBLINGS] = {
    [WHY_PODS] = {.group = "", .version = "v1", .plural = "pods", .kind = "Pod", .namespaced = true},
    [WHY_REPLICASETS] = {.group = "apps", .version = "v1", .plural = "replicasets", .kind = "ReplicaSet", .namespaced = true},
    [WHY_EVENTS] = {.group = "", .version = "v1", .plural = "events", .kind = "Event", .namespaced = true},
    [WHY_CONFIGMAPS] = {.group = "", .version = "v1", .plural = "configmaps", .kind = "ConfigMap", .namespaced = true},
    [WHY_CLAIMS] =
        {.group = "", .version = "v1", .plural = "persistentvolumeclaims", .kind = "PersistentVolumeClaim", .namespaced = true},
};

static void why_free(struct kube_why_call *call)
{
    kube_call_cancel(call->get);
    kube_call_cancel(call->log_call);
    for (size_t i = 0; i < WHY_LISTS; i++) {
        kube_list_cancel(call->parts[i].list);
        value_free(call->parts[i].items);
    }
    value_free(call->target);
    buf_free(&call->log);
    mem_free(call->log_line);
    mem_free(call->ns);
    mem_free(call->name);
    mem_free(call);
}

static void finish(struct kube_why_call *call, const struct kube_why *why)
{
    call->done(call->data, why, why == NULL ? &call->error : NULL);
    why_free(call);
}

static void think(struct kube_why_call *call);

static bool under_way(const struct kube_why_call *call)
{
    bool busy = call->get != NULL || call->log_call != NULL;
    for (size_t i = 0; i < WHY_LISTS; i++)
        busy = busy || call->parts[i].list != NULL;
    return busy;
}

/* Not permitted, or no such kind: it is left out. Everything else ends the search. */
static void note_error(struct kube_why_call *call, const struct error *error, bool *denied)
{
    if (error->kind == ERROR_DENIED)
        *denied = true;
    else if (error->kind != ERROR_NOT_FOUND && error->kind != ERROR_INVALID && call->error.kind == ERROR_NONE)
        call->error = *error;
}

/* --- lists --- */

static void on_page(void *data, struct value *items)
{
    struct why_part *part = data;
    for (struct value *item = value_first(items), *next; item != NULL; item = next) {
        next = value_next(item);
        if (value_length(part->items) < MAXIMUM_ITEMS && !value_append(part->items, value_take(items, item)))
            error_memory(&part->call->error);
    }
}

static void on_list(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    (void)status;
    struct why_part *part = data;
    value_free(object);
    part->list = NULL;
    part->known = true;
    if (error != NULL)
        note_error(part->call, error, &part->call->facts.denied[part->which]);
    else
        part->call->facts.lists[part->which] = part->items;
    think(part->call);
}

static void start_list(struct kube_why_call *call, enum why_list which)
{
    struct why_part *part = &call->parts[which];
    struct kube_target target = {.resource = which == WHY_SIBLINGS ? call->resource : &RESOURCES[which], .ns = call->ns};
    part->items = value_array();
    if (part->items == NULL)
        error_memory(&call->error);
    else
        part->list = kube_list(call->client, &target, NULL, on_page, on_list, part, &call->error);
}

/* --- the log --- */

static void on_log_bytes(void *data, const char *bytes, size_t length)
{
    struct kube_why_call *call = data;
    buf_append(&call->log, bytes, length);
}

static void on_log(void *data, const struct error *error)
{
    struct kube_why_call *call = data;
    call->log_call = NULL;
    call->log_known = true;
    if (error != NULL) {
        note_error(call, error, &call->facts.log_denied);
    } else if (buf_ok(&call->log) && call->log.length > 0) { /* the last line that is not blank */
        const char *end = call->log.bytes + call->log.length;
        while (end > call->log.bytes && strchr(" \t\r\n", end[-1]) != NULL)
            end--;
        const char *start = end;
        while (start > call->log.bytes && start[-1] != '\n')
            start--;
        call->log_line = mem_string_n(start, (size_t)(end - start));
        call->facts.log = call->log_line;
    }
    think(call);
}

static void start_log(struct kube_why_call *call)
{
    struct kube_logs_options options = {.ns = call->ns,
                                        .pod = call->facts.log_pod,
                                        .container = call->facts.log_container,
                                        .previous = call->facts.log_previous,
                                        .tail_lines = LOG_LINES,
                                        .maximum = MAXIMUM_LOG};
    call->log_call = kube_logs(call->client, &options, on_log_bytes, on_log, call, &call->error);
}

/* --- the search --- */

/* Diagnoses with what is known, and asks for what that wanted. */
static void think(struct kube_why_call *call)
{
    struct kube_why why;
    if (under_way(call))
        return;
    if (call->error.kind != ERROR_NONE) {
        finish(call, NULL);
        return;
    }
    why_diagnose(&call->facts, &why);
    for (size_t i = 0; i < WHY_LISTS; i++)
        if (call->facts.wanted[i] && !call->parts[i].known)
            start_list(call, (enum why_list)i);
    if (call->facts.log_wanted && !call->log_known)
        start_log(call);
    if (call->error.kind != ERROR_NONE)
        finish(call, NULL);
    else if (!under_way(call))
        finish(call, &why);
}

static void on_target(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    (void)status;
    struct kube_why_call *call = data;
    call->get = NULL;
    call->target = object;
    call->facts.target = object;
    if (error != NULL && error->kind != ERROR_NOT_FOUND)
        call->error = *error;
    think(call);
}

struct kube_why_call *kube_why_start(struct kube_client *client, const struct kube_resource *resource, const char *ns,
                                     const char *name,
                                     void (*done)(void *data, const struct kube_why *why, const struct error *error),
                                     void *data, struct error *err)
{
    struct kube_why_call *call = mem_zero(1, sizeof *call);
    if (call == NULL) {
        error_memory(err);
        return NULL;
    }
    call->client = client;
    call->resource = resource;
    call->done = done;
    call->data = data;
    call->log = buf_make(MAXIMUM_LOG);
    call->name = mem_string(name);
    call->ns = ns != NULL && resource->namespaced ? mem_string(ns) : NULL;
    call->facts.kind = resource->kind;
    call->facts.name = call->name;
    call->facts.ns = call->ns;
    for (size_t i = 0; i < WHY_LISTS; i++)
        call->parts[i] = (struct why_part){.call = call, .which = (enum why_list)i};
    struct kube_target target = {.resource = resource, .ns = call->ns, .name = call->name};
    if (call->name == NULL || (ns != NULL && resource->namespaced && call->ns == NULL))
        error_memory(err);
    else
        call->get = kube_get(client, &target, on_target, call, err);
    if (call->get == NULL) {
        why_free(call);
        return NULL;
    }
    return call;
}

void kube_why_cancel(struct kube_why_call *call)
{
    if (call != NULL)
        why_free(call);
}
