/* watch: a stream of changes. A watch is a cursor into the state's history and costs no more, however slowly its client reads: events become bytes
 * when there is room for them. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "net/crypto.h"
#include "practice/api/selector.h"
#include "practice/api/serve.h"

enum {
    PART = 64 << 10,
    PART_MOST = PART + STATE_OBJECT * 8,
    BOOKMARK_MS = 60 * 1000, /* about once a minute, if the version moved */
    SPREAD_MS = 5 * 1000,    /* so that watches that began together do not wake together */
    SHORTEST_S = 30 * 60,    /* without timeoutSeconds: between half an hour and an hour */
};

struct watch {
    struct watch *next, **before; /* the server's list */
    struct exchange *exchange;
    struct state_watch *cursor;
    struct selector *selector;
    struct print print;
    struct vec initial; /* objects that are told as ADDED first */
    size_t next_initial;
    struct buf part;
    struct loop_event *bookmark, *end; /* timers; bookmark NULL: the client wants none */
    uint64_t skip;                     /* events up to this version are not told: the client named a version of the future */
    uint64_t told;                     /* the version that the client knows of */
    bool mark_initial;                 /* the end of the initial events is told by a bookmark */
    bool columns_told;                 /* a Table's first event has the columns */
    bool wants_bookmark, ending, ended;
};

static void wake(void *data)
{
    struct watch *watch = data;
    http_wake(watch->exchange->request);
}

static void due_bookmark(void *data)
{
    struct watch *watch = data;
    loop_set_timer(watch->bookmark, BOOKMARK_MS);
    if (watch->cursor == NULL || state_watch_version(watch->cursor) <= watch->told)
        return;
    watch->wants_bookmark = true;
    wake(watch);
}

static void due_end(void *data)
{
    struct watch *watch = data;
    watch->ending = true;
    wake(watch);
}

static void free_watch(struct watch *watch)
{
    if (watch->before != NULL) {
        *watch->before = watch->next;
        if (watch->next != NULL)
            watch->next->before = watch->before;
    }
    state_watch_free(watch->cursor);
    selector_free(watch->selector);
    print_end(&watch->print);
    vec_free(&watch->initial);
    buf_free(&watch->part);
    loop_drop(watch->bookmark);
    loop_drop(watch->end);
    mem_free(watch);
}

/* `{"type":"ADDED","object":` ... what follows it in a Table is the one row. */
static void begin_event(struct watch *watch, const char *type, uint64_t version)
{
    struct buf *part = &watch->part;
    buf_printf(part, "{\"type\":\"%s\",\"object\":", type);
    if (watch->print.format.as != AS_TABLE)
        return;
    buf_printf(part, "{\"kind\":\"Table\",\"apiVersion\":\"%s\",\"metadata\":{\"resourceVersion\":\"%llu\"},", print_meta_version(&watch->print),
               (unsigned long long)version);
    if (!watch->columns_told)
        table_columns(watch->print.kind, part);
    else
        buf_append_string(part, "\"columnDefinitions\":null");
    watch->columns_told = true;
    buf_append_string(part, ",\"rows\":[");
}

static bool end_event(struct watch *watch)
{
    buf_append_string(&watch->part, watch->print.format.as == AS_TABLE ? "]}}\n" : "}\n");
    return buf_ok(&watch->part);
}

static bool add_event(struct watch *watch, const char *type, const struct object *object, uint64_t version)
{
    struct error err = ERROR_INIT;
    begin_event(watch, type, version != 0 ? version : object->version);
    return print_object(&watch->print, object, version, &watch->part, &err) && end_event(watch);
}

/* An object that has only its kind and a version. */
static struct value *bookmark_document(const struct schema_kind *kind, uint64_t version, bool initial)
{
    char text[320];
    struct value *document = value_object(), *metadata = document != NULL ? value_child(document, "metadata") : NULL;
    snprintf(text, sizeof text, "%s%s%s", kind->group, kind->group[0] != '\0' ? "/" : "", kind->version);
    bool made = metadata != NULL && value_set(document, "kind", value_string(kind->kind)) && value_set(document, "apiVersion", value_string(text));
    snprintf(text, sizeof text, "%llu", (unsigned long long)version);
    made = made && value_set(metadata, "resourceVersion", value_string(text));
    if (made && initial) {
        struct value *annotations = value_child(metadata, "annotations");
        made = annotations != NULL && value_set(annotations, "k8s.io/initial-events-end", value_string("true"));
    }
    if (made)
        return document;
    value_free(document);
    return NULL;
}

static bool add_bookmark(struct watch *watch, uint64_t version, bool initial)
{
    struct error err = ERROR_INIT;
    struct value *document = bookmark_document(watch->print.kind, version, initial);
    bool columns = watch->columns_told;
    watch->columns_told = true; /* a bookmark has none */
    begin_event(watch, "BOOKMARK", version);
    watch->columns_told = columns;
    bool added = document != NULL && print_value(&watch->print, document, &watch->part, &err) && end_event(watch);
    value_free(document);
    watch->told = version;
    return added;
}

/* The last event of a watch that cannot go on. */
static bool add_failure(struct watch *watch, const struct status *failure)
{
    struct value *document = status_value(failure);
    struct format as_it_is = watch->print.format;
    struct error err = ERROR_INIT;
    watch->print.format.as = AS_OBJECT;
    begin_event(watch, "ERROR", 0);
    bool added = document != NULL && print_value(&watch->print, document, &watch->part, &err) && end_event(watch);
    watch->print.format = as_it_is;
    value_free(document);
    watch->ended = true;
    return added;
}

static bool add_expired(struct watch *watch, uint64_t version)
{
    struct status failure = {0};
    uint64_t oldest = state_oldest(watch->exchange->server->api.state);
    status_expired(&failure, "too old resource version: %llu (%llu)", (unsigned long long)version, (unsigned long long)(oldest > 0 ? oldest - 1 : 0));
    bool added = add_failure(watch, &failure);
    status_free(&failure);
    return added;
}

/* What a change is for those who see only what the selector chooses: an object that enters is new, one that leaves is gone, in the last state in
 * which it was seen. */
static bool tell_change(struct watch *watch, const struct state_event *event)
{
    bool sees = event->change != STATE_DELETED && selector_matches(watch->selector, event->object);
    const struct object *last = event->previous != NULL ? event->previous : event->object;
    bool saw = event->change != STATE_ADDED && selector_matches(watch->selector, last);
    watch->told = event->version > watch->told ? event->version : watch->told;
    if (sees)
        return add_event(watch, saw ? "MODIFIED" : "ADDED", event->object, 0);
    return !saw || add_event(watch, "DELETED", event->change == STATE_DELETED ? event->object : last, event->version);
}

static bool tell_initial(struct watch *watch)
{
    while (watch->next_initial < watch->initial.length && watch->part.length < PART)
        if (!add_event(watch, "ADDED", watch->initial.items[watch->next_initial++], 0))
            return false;
    if (watch->next_initial < watch->initial.length)
        return true;
    vec_free(&watch->initial);
    watch->next_initial = 0;
    if (!watch->mark_initial)
        return true;
    watch->mark_initial = false;
    return add_bookmark(watch, watch->told, true);
}

/* Everything that waits, as far as there is room. *waits: nothing more for now. */
static bool tell_changes(struct watch *watch, bool *waits)
{
    struct state_event event;
    *waits = false;
    while (watch->part.length < PART) {
        switch (state_watch_next(watch->cursor, &event)) {
        case STATE_WAIT:
            *waits = true;
            return true;
        case STATE_EXPIRED:
            return add_expired(watch, watch->told);
        case STATE_EVENT:
            if (event.version > watch->skip && !tell_change(watch, &event))
                return false;
        }
    }
    return true;
}

/* Nothing waits: time for a bookmark, or for the end. */
static bool rest(struct watch *watch)
{
    uint64_t version = state_watch_version(watch->cursor);
    bool due = watch->wants_bookmark || (watch->ending && watch->bookmark != NULL);
    watch->wants_bookmark = false;
    watch->ended = watch->ending;
    return !due || version <= watch->told || version <= watch->skip || add_bookmark(watch, version, false);
}

static enum http_more more(void *data, struct http_request *request)
{
    struct watch *watch = data;
    bool waits = false, fine = true;
    if (watch->cursor == NULL && !watch->ended)
        fine = add_expired(watch, watch->told);
    if (fine && !watch->ended && (watch->initial.length > 0 || watch->mark_initial))
        fine = tell_initial(watch);
    if (fine && !watch->ended && watch->initial.length == 0)
        fine = tell_changes(watch, &waits);
    if (fine && !watch->ended && waits)
        fine = rest(watch);
    if (!fine)
        return HTTP_CUT;
    if (watch->part.length > 0)
        http_write(request, watch->part.bytes, watch->part.length);
    if (watch->part.room > 4 * (size_t)PART) /* one of the rare large objects: its room is not kept */
        buf_free(&watch->part);
    else
        buf_clear(&watch->part);
    return watch->ended ? HTTP_DONE : waits ? HTTP_WAIT : HTTP_MORE;
}

static void closed(void *data)
{
    struct watch *watch = data;
    struct exchange *exchange = watch->exchange;
    free_watch(watch);
    exchange_end(exchange, 200);
}

const struct watch *watch_next(const struct watch *watch)
{
    return watch->next;
}

void watch_check_kinds(struct server *server)
{
    for (struct watch *watch = server->watches; watch != NULL; watch = watch->next) {
        const struct schema_kind *kind = watch->print.kind;
        if (kind->crd != NULL && registry_find(server->api.registry, kind->group, kind->version, kind->plural) != kind)
            due_end(watch);
    }
}

/* Places the cursor, and takes the objects that are told first, both at one version. */
static bool place(struct watch *watch, uint64_t from)
{
    struct exchange *x = watch->exchange;
    const struct list_options *options = &x->list;
    struct state *state = x->server->api.state;
    state_resource resource = registry_resource(x->server->api.registry, x->route.kind);
    const char *only_ns = x->route.ns[0] != '\0' ? x->route.ns : NULL;
    uint64_t newest = state_committed(state);
    struct error err = ERROR_INIT;
    bool others, initial = options->send_given ? options->send_initial : from == 0;
    if (initial || from == 0 || from > newest) {
        watch->skip = initial ? 0 : from;
        from = newest;
    }
    watch->told = from;
    watch->mark_initial = initial && options->bookmarks;
    const struct selector_range range = {.resource = resource, .only_ns = only_ns, .version = state_is_clean(state) ? 0 : newest};
    if (initial && !selector_list(watch->selector, state, &range, &watch->initial, &others, &err))
        return status_error(&x->failure, &err);
    watch->cursor = state_watch_new(state, resource, only_ns, from, wake, watch, &err);
    return watch->cursor != NULL || err.kind == ERROR_EXPIRED || status_error(&x->failure, &err); /* expired: told as the first event */
}

static int64_t random_below(int64_t most)
{
    uint32_t number = 0;
    if (!crypto_random(&number, sizeof number, NULL))
        number = 0;
    return (int64_t)(number % (uint32_t)most);
}

static bool start_timers(struct watch *watch)
{
    struct loop *loop = watch->exchange->server->api.loop;
    const struct list_options *options = &watch->exchange->list;
    int64_t seconds = options->timeout_s;
    int64_t ms = seconds < 0   ? 0
                 : seconds > 0 ? (seconds < INT32_MAX ? seconds : INT32_MAX) * 1000
                               : SHORTEST_S * 1000 + random_below(SHORTEST_S * 1000);
    watch->end = loop_add_timer(loop, ms, due_end, watch);
    if (options->bookmarks)
        watch->bookmark = loop_add_timer(loop, BOOKMARK_MS - SPREAD_MS + random_below(SPREAD_MS), due_bookmark, watch);
    return watch->end != NULL && (!options->bookmarks || watch->bookmark != NULL);
}

/* A version of the future with sendInitialEvents is an error that is told as an event. */
static bool is_too_large(const struct exchange *x, uint64_t from)
{
    return x->list.send_given && x->list.send_initial && from > state_committed(x->server->api.state);
}

static struct watch *make(struct exchange *x, uint64_t from)
{
    enum include_object include;
    struct watch *watch = mem_zero(1, sizeof *watch);
    if (watch == NULL || !exchange_include(x, &include)) {
        mem_free(watch);
        return NULL;
    }
    watch->exchange = x;
    watch->part = buf_make(PART_MOST);
    watch->initial = vec_make(0, NULL);
    watch->selector = selector_new(x->list.labels, x->list.fields, x->route.kind, &x->failure);
    if (watch->selector != NULL && print_start(&watch->print, &x->server->api, x->route.kind, &x->format, false) &&
        (is_too_large(x, from) || place(watch, from)) && start_timers(watch)) {
        watch->print.include = include;
        return watch;
    }
    free_watch(watch);
    return NULL;
}

static bool tell_too_large(struct watch *watch, uint64_t from)
{
    struct status failure = {0};
    options_too_large(from, state_committed(watch->exchange->server->api.state), &failure);
    bool told = add_failure(watch, &failure);
    status_free(&failure);
    return told;
}

/* A watch of one object by its path is one by its name. */
static bool name_selector(struct exchange *x)
{
    if (x->route.name[0] == '\0')
        return true;
    buf_printf(&x->body, "metadata.name=%s", x->route.name);
    x->list.fields = buf_ok(&x->body) ? x->body.bytes : "";
    return buf_ok(&x->body);
}

void watch_serve(struct exchange *x)
{
    static const struct http_source source = {.more = more, .closed = closed};
    uint64_t from = 0;
    struct watch *watch = NULL;
    x->list.watch = true;
    if (options_check_list(&x->list, &x->failure) && options_version(x->list.version, &from, &x->failure) && name_selector(x))
        watch = make(x, from);
    if (watch == NULL) {
        exchange_fail(x);
        return;
    }
    if (is_too_large(x, from) && !tell_too_large(watch, from)) {
        free_watch(watch);
        exchange_fail(x);
        return;
    }
    watch->before = &x->server->watches;
    watch->next = x->server->watches;
    if (watch->next != NULL)
        watch->next->before = &watch->next;
    x->server->watches = watch;
    http_stream(x->request, 200, "application/json", false, &source, watch);
}
