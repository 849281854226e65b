/* list: collections at one version, in parts: texts of objects one after the other, made while the client reads. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/continue_token.h"
#include "practice/api/selector.h"
#include "practice/api/serve.h"

enum { PART = 64 << 10, PART_MOST = PART + STATE_OBJECT * 8 /* one object may be much */ };

/* A list on its way out. */
struct list {
    struct exchange *exchange;
    struct print print;
    struct vec objects;
    size_t next;
    struct buf part, shaped;
    struct pretty pretty;
    bool ended;
};

/* What is asked for. */
struct range {
    struct selector *selector;
    const char *only_ns;
    uint64_t version; /* of the list, told to the client; */
    uint64_t at;      /* of the objects: the same, or 0 where that is the newest */
    struct continue_token from;
    size_t limit; /* 0: all */
};

bool list_head(struct print *print, uint64_t version, const char *continue_from, int64_t remaining, struct buf *out)
{
    const struct schema_kind *kind = print->kind;
    switch (print->format.as) {
    case AS_TABLE:
        buf_printf(out, "{\"kind\":\"Table\",\"apiVersion\":\"%s\"", print_meta_version(print));
        break;
    case AS_PARTIAL:
    case AS_PARTIAL_LIST:
        buf_printf(out, "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"%s\"", print_meta_version(print));
        break;
    default:
        buf_printf(out, "{\"kind\":\"%s\",\"apiVersion\":\"%s%s%s\"", kind->list_kind, kind->group, kind->group[0] != '\0' ? "/" : "", kind->version);
    }
    buf_printf(out, ",\"metadata\":{\"resourceVersion\":\"%llu\"", (unsigned long long)version);
    if (continue_from != NULL)
        buf_printf(out, ",\"continue\":\"%s\"", continue_from);
    if (remaining > 0)
        buf_printf(out, ",\"remainingItemCount\":%lld", (long long)remaining);
    buf_append_string(out, "},");
    if (print->format.as == AS_TABLE)
        table_columns(kind, out);
    buf_append_string(out, print->format.as == AS_TABLE ? ",\"rows\":[" : "\"items\":[");
    return buf_ok(out);
}

bool list_print(struct print *print, const struct vec *objects, uint64_t version, struct buf *out)
{
    struct error err = ERROR_INIT;
    bool printed = list_head(print, version, NULL, 0, out);
    for (size_t i = 0; printed && i < objects->length; i++) {
        buf_append(out, ",", i > 0);
        printed = print_object(print, objects->items[i], 0, out, &err);
    }
    buf_append_string(out, "]}");
    return printed && buf_ok(out);
}

static void free_list(struct list *list)
{
    print_end(&list->print);
    vec_free(&list->objects);
    buf_free(&list->part);
    buf_free(&list->shaped);
    mem_free(list);
}

/* Makes the next part: in list->part, about PART bytes. */
static bool make_part(struct list *list)
{
    struct error err = ERROR_INIT;
    while (list->next < list->objects.length && list->part.length < PART) {
        buf_append(&list->part, ",", list->next > 0);
        if (!print_object(&list->print, list->objects.items[list->next++], 0, &list->part, &err))
            return false;
    }
    if (list->next == list->objects.length && !list->ended) {
        buf_append_string(&list->part, "]}\n");
        list->ended = true;
    }
    return buf_ok(&list->part);
}

static enum http_more more(void *data, struct http_request *request)
{
    struct list *list = data;
    if (list->part.length == 0 && !make_part(list))
        return HTTP_CUT;
    const struct buf *part = &list->part;
    if (list->print.format.pretty) {
        buf_clear(&list->shaped);
        pretty_print(&list->pretty, list->part.bytes, list->part.length, &list->shaped);
        if (!buf_ok(&list->shaped))
            return HTTP_CUT;
        part = &list->shaped;
    }
    http_write(request, part->bytes, part->length);
    buf_clear(&list->part);
    return list->ended ? HTTP_DONE : HTTP_MORE;
}

static void closed(void *data)
{
    struct list *list = data;
    struct exchange *exchange = list->exchange;
    free_list(list);
    exchange_end(exchange, 200);
}

/* Short lists, and YAML, which is made of the whole document, are answered in one piece. Others are streamed without compression: on a loopback it
 * costs both sides more time than it saves. */
static void send_list(struct list *list)
{
    struct exchange *x = list->exchange;
    bool made = make_part(list);
    while (made && x->format.yaml && !list->ended) {
        buf_append(&x->body, list->part.bytes, list->part.length);
        buf_clear(&list->part);
        made = buf_ok(&x->body) && make_part(list);
    }
    if (!made) {
        free_list(list);
        status_error(&x->failure, &(struct error){.kind = ERROR_MEMORY});
        exchange_fail(x);
    } else if (list->ended) {
        buf_append(&x->body, list->part.bytes, list->part.length - 1); /* without the end of the line: shaping makes one */
        free_list(list);
        x->answer.code = 200;
        exchange_answer(x);
    } else {
        static const struct http_source source = {.more = more, .closed = closed};
        http_stream(x->request, 200, exchange_type(&x->format), false, &source, list);
    }
}

static bool read_version(struct exchange *x, const char *text, uint64_t *out)
{
    size_t digits = strspn(text, "0123456789");
    char *end;
    errno = 0;
    unsigned long long version = strtoull(text, &end, 10);
    if (digits == 0 || text[digits] != '\0')
        return status_bad_request(
            &x->failure, "invalid resource version: resourceVersion: Invalid value: \"%s\": strconv.ParseUint: parsing \"%s\": invalid syntax", text,
            text);
    if (errno == ERANGE)
        return status_bad_request(
            &x->failure, "invalid resource version: resourceVersion: Invalid value: \"%s\": strconv.ParseUint: parsing \"%s\": value out of range",
            text, text);
    *out = version;
    return true;
}

/* The version that is listed. Unset, 0 and "not older than" all mean the newest here: it is in memory. */
static bool choose_version(struct exchange *x, struct range *range)
{
    struct state *state = x->server->api.state;
    const struct list_options *options = &x->list;
    uint64_t wanted = 0, newest = state_committed(state);
    if (options->version[0] != '\0' && !read_version(x, options->version, &wanted))
        return false;
    range->limit = options->limit > 0 ? (size_t)options->limit : 0;
    range->version = newest;
    if (options->continue_from[0] != '\0') {
        if (!continue_token_read(options->continue_from, range->only_ns, &range->from, &x->failure))
            return false;
        if (wanted != 0)
            return status_bad_request(&x->failure, "specifying resource version is not allowed when using continue");
        wanted = range->from.version;
    } else if (wanted == 0 && options->version[0] != '\0') {
        range->limit = 0; /* "any version": the real one answers from its cache, in one piece */
    } else if (strcmp(options->match, "Exact") != 0 && (strcmp(options->match, "NotOlderThan") == 0 || range->limit == 0)) {
        if (wanted > newest)
            return options_too_large(wanted, newest, &x->failure);
        wanted = 0;
    }
    if (wanted > newest)
        return options_too_large(wanted, newest, &x->failure);
    if (wanted != 0)
        range->version = wanted;
    range->at = range->version == newest && state_is_clean(state) ? 0 : range->version;
    return true;
}

/* 410; a client in the middle of a list gets a token to go on with, at the newest version. */
static bool expired(struct exchange *x, const struct range *range)
{
    if (x->list.continue_from[0] == '\0')
        return status_expired(&x->failure, "The resourceVersion for the provided list is too old.");
    struct continue_token token = {.ns = range->from.ns, .name = range->from.name, .left = -1};
    status_expired(&x->failure,
                   "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue "
                   "parameter, or use the "
                   "continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an "
                   "inconsistent list - "
                   "objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.");
    x->failure.continue_from = continue_token_print(&token, range->only_ns);
    return false;
}

static bool fetch(struct exchange *x, const struct range *range, struct vec *objects, bool *others)
{
    const struct api *api = &x->server->api;
    struct error err = ERROR_INIT;
    const struct selector_range wanted = {registry_resource(api->registry, x->route.kind), range->only_ns, range->at, range->from.ns, range->from.name,
                                          range->limit};
    if (selector_list(range->selector, api->state, &wanted, objects, others, &err))
        return true;
    return err.kind == ERROR_EXPIRED ? expired(x, range) : status_error(&x->failure, &err);
}

/* How many objects follow the last one shown; -1: nobody asks. The first part of a list counts, the others know it from their token. */
static bool count_left(struct exchange *x, const struct range *range, size_t shown, int64_t *left)
{
    const struct api *api = &x->server->api;
    state_resource resource = registry_resource(api->registry, x->route.kind);
    struct vec all = vec_make(0, NULL);
    struct error err = ERROR_INIT;
    bool others;
    *left = -1;
    if (!selector_is_empty(range->selector))
        return true;
    if (range->from.name != NULL && range->from.left >= (int64_t)shown) {
        *left = range->from.left - (int64_t)shown;
        return true;
    }
    if (range->from.name == NULL && range->at == 0) {
        *left = (int64_t)(state_count(api->state, resource, range->only_ns) - shown);
        return true;
    }
    if (!state_list(api->state, resource, range->only_ns, range->at, range->from.ns, range->from.name, 0, NULL, NULL, &all, &others, &err))
        return err.kind == ERROR_EXPIRED ? expired(x, range) : status_error(&x->failure, &err);
    *left = (int64_t)(all.length - shown);
    vec_free(&all);
    return true;
}

/* Starts the answer's text. */
static bool begin(struct list *list, const struct range *range, bool others)
{
    struct exchange *x = list->exchange;
    char *token = NULL;
    int64_t left = -1;
    bool begun = true;
    if (others) {
        const struct object *last = list->objects.items[list->objects.length - 1];
        if (!count_left(x, range, list->objects.length, &left))
            return false;
        struct continue_token next = {.version = range->version, .ns = mem_string(last->ns), .name = mem_string(last->name), .left = left};
        token = next.ns != NULL && next.name != NULL ? continue_token_print(&next, range->only_ns) : NULL;
        continue_token_free(&next);
        begun = token != NULL;
    }
    begun = begun && list_head(&list->print, range->version, token, left, &list->part);
    mem_free(token);
    return begun || status_error(&x->failure, &(struct error){.kind = ERROR_MEMORY});
}

static struct list *make(struct exchange *x, const struct range *range)
{
    bool others = false;
    struct list *list = mem_zero(1, sizeof *list);
    enum include_object include;
    if (list == NULL || !exchange_include(x, &include)) {
        mem_free(list);
        return NULL;
    }
    list->exchange = x;
    list->objects = vec_make(0, NULL);
    list->part = buf_make(PART_MOST);
    list->shaped = buf_make((size_t)PART_MOST * 4);
    bool made = print_start(&list->print, &x->server->api, x->route.kind, &x->format, true) && fetch(x, range, &list->objects, &others) &&
                begin(list, range, others);
    list->print.include = include;
    if (made)
        return list;
    free_list(list);
    return NULL;
}

void list_serve(struct exchange *x)
{
    struct range range = {.only_ns = x->route.ns[0] != '\0' ? x->route.ns : NULL};
    struct list *list = NULL;
    if (exchange_check_form(x, true) && options_check_list(&x->list, &x->failure)) {
        range.selector = selector_new(x->list.labels, x->list.fields, x->route.kind, &x->failure);
        if (range.selector != NULL && choose_version(x, &range))
            list = make(x, &range);
    }
    selector_free(range.selector);
    continue_token_free(&range.from);
    if (list != NULL)
        send_list(list);
    else
        exchange_fail(x);
}
