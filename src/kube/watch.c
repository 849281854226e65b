#include "kube/watch.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/mem.h"
#include "data/json.h"
#include "kube/internal.h"
#include "kube/watch_cache.h"

enum {
    MAXIMUM_LINE = 8 * 1024 * 1024,
    KEPT_LINE = 64 * 1024, /* memory that is kept for the next line */
    MAXIMUM_TEXT = 16384,
    MAXIMUM_VERSION = 128,
    FIRST_WAIT_MS = 500,
    LONGEST_WAIT = 60,      /* times the first wait */
    SHORTEST_SECONDS = 300, /* a watch ends by itself after 5 to 10 minutes, so that no half-dead connection lives for ever */
    TOO_SHORT_MS = 1000,    /* a watch that ends sooner and told nothing is trouble */
    LONG_MS = 30 * 1000,    /* one that lived so long may even break: something on the way drops quiet connections */
};

struct kube_watch {
    struct kube_client *client;
    struct kube_resource const *resource;
    char *ns, *labels, *fields;
    char *path;
    struct kube_watch_listener listener;
    void *data;
    struct watch_cache cache;
    char version[MAXIMUM_VERSION]; /* of the last thing that was seen */
    struct buf line;               /* the start of a line whose end has not come yet */
    struct kube_list *list;        /* at most one of list, call and a waiting timer is set */
    unsigned list_restarts;
    struct kube_call *call;
    struct loop_event *timer;
    bool waiting;
    bool synced, relist; /* had a list; needs a new one */
    bool progress;       /* this connection told something new */
    int64_t began;
    int64_t first_wait_ms;
    unsigned failures;    /* in a row */
    struct error trouble; /* kind ERROR_NONE: none */
    uint64_t random;
    unsigned busy; /* callbacks under way: it is freed after the last */
};

/* --- ends --- */

static void watch_free(struct kube_watch *watch)
{
    watch_cache_free(&watch->cache);
    buf_free(&watch->line);
    loop_drop(watch->timer);
    mem_free(watch->ns);
    mem_free(watch->labels);
    mem_free(watch->fields);
    mem_free(watch->path);
    mem_free(watch);
}

static void leave(struct kube_watch *watch)
{
    if (--watch->busy == 0 && watch->cache.stopped)
        watch_free(watch);
}

static void drop_line(struct kube_watch *watch)
{
    if (watch->line.room > KEPT_LINE)
        buf_free(&watch->line);
    else
        buf_clear(&watch->line);
}

static void end_requests(struct kube_watch *watch)
{
    struct kube_call *call = watch->call;
    struct kube_list *list = watch->list;
    watch->call = NULL;
    watch->list = NULL;
    kube_call_cancel(call);
    kube_list_cancel(list);
    drop_line(watch);
}

void kube_watch_stop(struct kube_watch *watch)
{
    if (watch == NULL || watch->cache.stopped)
        return;
    watch->cache.stopped = true;
    end_requests(watch);
    loop_drop(watch->timer);
    watch->timer = NULL;
    if (watch->busy == 0)
        watch_free(watch);
}

/* --- trouble --- */

static uint64_t next_random(struct kube_watch *watch) /* xorshift64; only spreads load */
{
    watch->random ^= watch->random << 13;
    watch->random ^= watch->random >> 7;
    watch->random ^= watch->random << 17;
    return watch->random;
}

static void trouble_over(struct kube_watch *watch)
{
    if (watch->trouble.kind == ERROR_NONE)
        return;
    watch->trouble = ERROR_INIT;
    if (watch->listener.trouble != NULL && !watch->cache.stopped)
        watch->listener.trouble(watch->data, NULL, 0);
}

/* Waits before the next try: doubling, the upper half of it at random, at least what the server asked for. What needs a
 * person's help (no permission, no such kind) is asked for slowly. */
static void fail(struct kube_watch *watch, const struct error *error, int64_t at_least_ms)
{
    unsigned doublings = watch->failures < 6 ? watch->failures : 6;
    int64_t longest = watch->first_wait_ms * LONGEST_WAIT, wait = watch->first_wait_ms << doublings;
    if (wait > longest || error->kind == ERROR_DENIED || error->kind == ERROR_NOT_FOUND)
        wait = longest;
    wait = wait / 2 + (int64_t)(next_random(watch) % (uint64_t)(wait / 2 + 1));
    if (wait < at_least_ms)
        wait = at_least_ms;
    watch->failures++;
    watch->trouble = *error;
    watch->waiting = true;
    loop_set_timer(watch->timer, wait);
    if (watch->listener.trouble != NULL && !watch->cache.stopped)
        watch->listener.trouble(watch->data, &watch->trouble, wait);
}

static void go_on(struct kube_watch *watch);

/* A version that is no longer kept: a new list at once; but not for ever if nothing comes of it. */
static void expired(struct kube_watch *watch, const struct error *error)
{
    watch->relist = true;
    if (watch->progress || watch->failures == 0) {
        watch->failures += watch->progress ? 0 : 1;
        go_on(watch);
    } else
        fail(watch, error, 0);
}

/* --- list --- */

static void on_page(void *data, struct value *items)
{
    struct kube_watch *watch = data;
    struct error err = ERROR_INIT;
    watch->busy++;
    if (kube_list_restarts(watch->list) != watch->list_restarts) {
        watch->list_restarts = kube_list_restarts(watch->list);
        watch->cache.round++;
    }
    bool ok = true;
    for (struct value *item = value_first(items), *next; item != NULL && ok && !watch->cache.stopped; item = next) {
        next = value_next(item);
        ok = watch_cache_list_item(&watch->cache, value_take(items, item), &err);
    }
    if (!ok && !watch->cache.stopped) {
        end_requests(watch);
        fail(watch, &err, 0);
    }
    leave(watch);
}

static void on_list(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct kube_watch *watch = data;
    watch->busy++;
    watch->list = NULL;
    if (error != NULL) {
        fail(watch, error, status->retry_after_ms);
        goto end;
    }
    const char *version = value_find_text(object, "metadata", "resourceVersion", NULL);
    snprintf(watch->version, sizeof watch->version, "%s", version != NULL ? version : "");
    watch->relist = false;
    watch->synced = true;
    watch_cache_sweep(&watch->cache);
    if (watch->listener.synced != NULL && !watch->cache.stopped)
        watch->listener.synced(watch->data);
    if (!watch->cache.stopped)
        go_on(watch);
end:
    value_free(object);
    leave(watch);
}

static bool start_list(struct kube_watch *watch, struct error *err)
{
    struct kube_target target = {.resource = watch->resource, .ns = watch->ns};
    struct kube_list_options options = {.labels = watch->labels, .fields = watch->fields};
    watch->relist = true; /* until it is complete */
    watch->cache.round++;
    watch->list_restarts = 0;
    watch->list = kube_list(watch->client, &target, &options, on_page, on_list, watch, err);
    return watch->list != NULL;
}

/* --- events --- */

/* False: an echo of what the last connection told. */
static bool is_new(const struct kube_watch *watch, const char *version)
{
    return !version_at_most(version, watch->version);
}

static void note_version(struct kube_watch *watch, const char *version)
{
    memcpy(watch->version, version, strlen(version) + 1);
    watch->progress = true;
    watch->failures = 0;
}

enum outcome { OUTCOME_FINE, OUTCOME_BROKEN, OUTCOME_EXPIRED };

static enum outcome read_error(const struct value *object, struct error *err)
{
    struct kube_status status;
    kube_status_from(&status, object);
    kube_status_error(&status, N_("watch"), "objects", err);
    return status.code == 410 ? OUTCOME_EXPIRED : OUTCOME_BROKEN;
}

static enum outcome take_event(struct kube_watch *watch, struct value *event, struct error *err)
{
    const char *type = value_find_text(event, "type", NULL);
    struct value *object = value_get(event, "object");
    if (type == NULL || value_type(object) != VALUE_OBJECT) {
        error_set(err, ERROR_INTERNAL, NULL, "the server sent an event that cannot be understood");
        return OUTCOME_BROKEN;
    }
    if (strcmp(type, "ERROR") == 0)
        return read_error(object, err);
    bool change = strcmp(type, "ADDED") == 0 || strcmp(type, "MODIFIED") == 0, deletion = strcmp(type, "DELETED") == 0;
    if (!change && !deletion && strcmp(type, "BOOKMARK") != 0) {
        error_set(err, ERROR_INTERNAL, NULL, "the server sent an event of the unknown type \"%s\"", type);
        return OUTCOME_BROKEN;
    }
    const char *version = value_find_text(object, "metadata", "resourceVersion", NULL);
    if (version == NULL || version[0] == '\0' || strlen(version) >= sizeof watch->version) {
        error_set(err, ERROR_INTERNAL, NULL, "the server sent an event without a version");
        return OUTCOME_BROKEN;
    }
    if (!is_new(watch, version))
        return OUTCOME_FINE;
    note_version(watch, version);
    if (deletion)
        watch_cache_delete(&watch->cache, value_take(event, object));
    else if (change && !watch_cache_put(&watch->cache, value_take(event, object), err))
        return OUTCOME_BROKEN;
    return OUTCOME_FINE;
}

static enum outcome take_line(struct kube_watch *watch, const char *line, size_t length, struct error *err)
{
    if (length == 0 || (length == 1 && line[0] == '\r'))
        return OUTCOME_FINE;
    struct value *event = json_parse(line, length, "an event of a watch", err);
    if (event == NULL)
        return OUTCOME_BROKEN;
    enum outcome outcome = take_event(watch, event, err);
    value_free(event);
    return outcome;
}

/* Cuts the stream into lines; only an unfinished one is copied. */
static enum outcome take_bytes(struct kube_watch *watch, const char *bytes, size_t length, struct error *err)
{
    enum outcome outcome = OUTCOME_FINE;
    while (length > 0 && outcome == OUTCOME_FINE && !watch->cache.stopped) {
        const char *end = memchr(bytes, '\n', length);
        size_t part = end != NULL ? (size_t)(end - bytes) : length;
        if (end != NULL && watch->line.length == 0) {
            outcome = take_line(watch, bytes, part, err);
        } else {
            buf_append(&watch->line, bytes, part);
            if (!buf_ok(&watch->line)) {
                if (watch->line.length + part > MAXIMUM_LINE)
                    error_set(err, ERROR_LIMIT, NULL, "the server sent an event of more than %d MiB",
                              MAXIMUM_LINE / 1024 / 1024);
                else
                    error_memory(err);
                return OUTCOME_BROKEN;
            }
            if (end != NULL) {
                outcome = take_line(watch, watch->line.bytes, watch->line.length, err);
                drop_line(watch);
            }
        }
        part += end != NULL ? 1 : 0;
        bytes += part;
        length -= part;
    }
    return outcome;
}

/* --- watch --- */

static void on_bytes(void *data, const char *bytes, size_t length)
{
    struct kube_watch *watch = data;
    struct error err = ERROR_INIT;
    watch->busy++;
    enum outcome outcome = take_bytes(watch, bytes, length, &err);
    if (outcome != OUTCOME_FINE && !watch->cache.stopped) {
        end_requests(watch);
        if (outcome == OUTCOME_EXPIRED) {
            expired(watch, &err);
        } else {
            watch->relist = true; /* whatever was lost in it */
            fail(watch, &err, 0);
        }
    }
    leave(watch);
}

static void on_head(void *data)
{
    struct kube_watch *watch = data;
    watch->busy++;
    trouble_over(watch);
    leave(watch);
}

/* Is an answer to "watch from this version" one that a new list may cure? 504 is how a server says that the version is in its
 * future. */
static bool wants_list(const struct kube_status *status)
{
    return status->code == 504 ||
           (status->code >= 400 && status->code < 500 && status->code != 401 && status->code != 403 && status->code != 429);
}

static void on_end(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status)
{
    (void)answer;
    struct kube_watch *watch = data;
    struct error err = ERROR_INIT;
    bool worked = watch->progress || clock_monotonic_ms() - watch->began >= (error == NULL ? TOO_SHORT_MS : LONG_MS);
    watch->busy++;
    watch->call = NULL;
    drop_line(watch);
    if (worked)
        watch->failures = 0;
    if (error != NULL && status->code == 410)
        expired(watch, error);
    else if (worked)
        go_on(watch);
    else if (error == NULL) {
        error_set(&err, ERROR_UNREACHABLE, NULL, "the server ends every watch at once");
        fail(watch, &err, 0);
    } else {
        watch->relist = watch->relist || wants_list(status);
        fail(watch, error, status->retry_after_ms);
    }
    leave(watch);
}

static bool start_call(struct kube_watch *watch, struct error *err)
{
    struct buf query = buf_make(MAXIMUM_TEXT);
    char seconds[24];
    unsigned s = SHORTEST_SECONDS + (unsigned)(next_random(watch) % SHORTEST_SECONDS);
    snprintf(seconds, sizeof seconds, "%u", s);
    kube_query(&query, "watch", "true");
    kube_query(&query, "allowWatchBookmarks", "true");
    kube_query(&query, "resourceVersion", watch->version);
    kube_query(&query, "timeoutSeconds", seconds);
    kube_query(&query, "labelSelector", watch->labels);
    kube_query(&query, "fieldSelector", watch->fields);
    struct kube_request request = {.method = "GET",
                                   .path = watch->path,
                                   .query = query.bytes,
                                   .maximum = SIZE_MAX,
                                   .timeout_ms = -1,
                                   .idle_ms = ((int64_t)s + 60) * 1000,
                                   .no_retry = true};
    watch->progress = false;
    watch->began = clock_monotonic_ms();
    if (buf_ok(&query))
        watch->call = kube_send(watch->client, &request, on_bytes, on_end, watch, err);
    else
        error_memory(err);
    buf_free(&query);
    if (watch->call == NULL)
        return false;
    kube_call_on_head(watch->call, on_head);
    return true;
}

static void go_on(struct kube_watch *watch)
{
    struct error err = ERROR_INIT;
    watch->waiting = false;
    if (!(watch->relist ? start_list(watch, &err) : start_call(watch, &err)))
        fail(watch, &err, 0);
}

static void on_timer(void *data)
{
    struct kube_watch *watch = data;
    watch->busy++;
    go_on(watch);
    leave(watch);
}

/* --- what others call --- */

static void tell(void *data, enum kube_change change, const struct value *object, const struct value *old)
{
    struct kube_watch *watch = data;
    if (watch->listener.changed != NULL)
        watch->listener.changed(watch->data, change, object, old);
}

static bool copy_text(char **to, const char *text)
{
    *to = text != NULL ? mem_string(text) : NULL;
    return text == NULL || *to != NULL;
}

static bool prepare(struct kube_watch *watch, const struct kube_watch_options *options, struct error *err)
{
    struct kube_target target = {.resource = options->resource, .ns = options->ns};
    struct buf path = buf_make(MAXIMUM_TEXT);
    if ((options->resource->verbs & KUBE_VERB_WATCH) == 0)
        return error_set(err, ERROR_INPUT, NULL, "%s cannot be watched: the server only answers single requests for them",
                         options->resource->plural);
    if (!kube_target_path(&target, &path, err)) {
        buf_free(&path);
        return false;
    }
    watch->path = buf_take(&path, NULL);
    watch->timer = loop_add_timer(kube_client_loop(watch->client), -1, on_timer, watch);
    bool ok = copy_text(&watch->ns, options->ns) && copy_text(&watch->labels, options->labels) &&
              copy_text(&watch->fields, options->fields);
    return (ok && watch->path != NULL && watch->timer != NULL) || error_memory(err);
}

struct kube_watch *kube_watch_start(struct kube_client *client, const struct kube_watch_options *options,
                                    const struct kube_watch_listener *listener, void *data, struct error *err)
{
    struct kube_watch *watch = mem_zero(1, sizeof *watch);
    if (watch == NULL) {
        error_memory(err);
        return NULL;
    }
    watch->client = client;
    watch->resource = options->resource;
    watch->listener = *listener;
    watch->data = data;
    watch->line = buf_make(MAXIMUM_LINE);
    watch->first_wait_ms = FIRST_WAIT_MS;
    watch->random = (uint64_t)clock_monotonic_us() * 2 + 1;
    watch->cache = (struct watch_cache){.managed_fields = options->managed_fields, .tell = tell, .data = watch};
    if (prepare(watch, options, err) && start_list(watch, err))
        return watch;
    watch_free(watch);
    return NULL;
}

bool kube_watch_synced(const struct kube_watch *watch)
{
    return watch->synced;
}

const struct error *kube_watch_trouble(const struct kube_watch *watch)
{
    return watch->trouble.kind != ERROR_NONE ? &watch->trouble : NULL;
}

size_t kube_watch_count(const struct kube_watch *watch)
{
    return watch->cache.count;
}

const struct value *kube_watch_find(const struct kube_watch *watch, const char *ns, const char *name)
{
    const struct cached *item = watch_cache_find(&watch->cache, ns, name);
    return item != NULL ? item->object : NULL;
}

const struct value *kube_watch_next(const struct kube_watch *watch, size_t *cursor)
{
    return *cursor < watch->cache.count ? watch->cache.items[(*cursor)++].object : NULL;
}

void kube_watch_retry_now(struct kube_watch *watch)
{
    watch->failures = 0;
    if (watch->waiting)
        loop_set_timer(watch->timer, 0);
}

void kube_watch_set_backoff(struct kube_watch *watch, int64_t first_ms)
{
    watch->first_wait_ms = first_ms;
}
