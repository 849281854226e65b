#include <stdio.h>
#include <string.h>

#include "base/lang.h"
#include "base/mem.h"
#include "data/json.h"
#include "kube/internal.h"
#include "kube/verbs.h"

enum { MAXIMUM_TEXT = 16384, DEFAULT_LIMIT = 500, MAXIMUM_CONTINUE = 8192, PAGED_RESTARTS = 2 };

struct kube_list {
    struct kube_client *client;
    char *path, *query, *what; /* the query without limit and continue */
    char *api_version, *item_kind;
    int limit;
    char *token; /* the next page's, or NULL */
    unsigned restarts;
    struct value *items; /* of all pages so far, where no `page` takes them */
    void (*page)(void *data, struct value *items);
    kube_done *done;
    void *data;
    struct kube_call *call; /* under way, or NULL while an answer is being read */
    unsigned calls;         /* alive; the last one's end frees the list */
    bool cancelled;
};

static void list_free(struct kube_list *list)
{
    mem_free(list->path);
    mem_free(list->query);
    mem_free(list->what);
    mem_free(list->api_version);
    mem_free(list->item_kind);
    mem_free(list->token);
    value_free(list->items);
    mem_free(list);
}

static void list_drop(void *pointer)
{
    struct kube_list *list = pointer;
    if (--list->calls == 0)
        list_free(list);
}

static void answered(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status);

static bool ask(struct kube_list *list, struct error *err)
{
    struct buf query = buf_make(MAXIMUM_TEXT + MAXIMUM_CONTINUE * 3);
    if (list->query != NULL)
        buf_append_string(&query, list->query);
    char limit[24];
    snprintf(limit, sizeof limit, "%d", list->limit);
    if (list->limit > 0)
        kube_query(&query, "limit", limit);
    kube_query(&query, "continue", list->token);
    struct kube_request request = {.method = "GET", .path = list->path, .query = query.bytes};
    if (buf_ok(&query))
        list->call = kube_send(list->client, &request, NULL, answered, list, err);
    else
        error_memory(err);
    buf_free(&query);
    if (list->call == NULL)
        return false;
    list->calls++;
    kube_call_own(list->call, list, list_drop);
    return true;
}

/* Items of a list carry no kind and apiVersion, those of a watch do: they are given them, so that both look alike. */
static bool name_items(const struct kube_list *list, struct value *items)
{
    for (struct value *item = value_first(items); item != NULL; item = value_next(item))
        if (value_type(item) == VALUE_OBJECT && value_get(item, "kind") == NULL &&
            (!value_set(item, "kind", value_string(list->item_kind)) ||
             !value_set(item, "apiVersion", value_string(list->api_version))))
            return false;
    return true;
}

static bool collect(struct kube_list *list, struct value *items)
{
    for (struct value *item = value_first(items), *next; item != NULL; item = next) {
        next = value_next(item);
        if (!value_append(list->items, value_take(items, item)))
            return false;
    }
    return true;
}

/* Takes an answer's items out and hands them on. */
static bool take_items(struct kube_list *list, struct value *document, struct error *err)
{
    struct value *items = value_get(document, "items");
    if (items == NULL)
        return error_set(err, ERROR_INTERNAL, NULL, "the server's answer to \"list %s\" is no list", list->what);
    items = value_take(document, items);
    bool ok = name_items(list, items);
    if (ok && list->page != NULL && value_type(items) == VALUE_ARRAY)
        list->page(list->data, items);
    else if (ok && list->page == NULL)
        ok = collect(list, items);
    value_free(items);
    return ok || error_memory(err);
}

/* Remembers the next page's token; false where there is none. */
static bool next_token(struct kube_list *list, const struct value *document)
{
    const char *token = value_find_text(document, "metadata", "continue", NULL);
    mem_free(list->token);
    list->token = token != NULL && token[0] != '\0' && strlen(token) <= MAXIMUM_CONTINUE ? mem_string(token) : NULL;
    return list->token != NULL;
}

static void read_page(struct kube_list *list, const struct kube_answer *answer, const struct kube_status *status)
{
    struct error err = ERROR_INIT;
    struct value *document = json_parse(answer->body, answer->length, "the server's list", &err);
    const char *more = value_find_text(document, "metadata", "continue", NULL);
    bool last = more == NULL || more[0] == '\0';
    if (document == NULL || !take_items(list, document, &err))
        goto failed;
    if (list->cancelled)
        goto end;
    if (!last) {
        if (!next_token(list, document)) {
            error_memory(&err);
            goto failed;
        }
        if (!ask(list, &err))
            goto failed;
        goto end;
    }
    if (list->page == NULL) {
        struct value *items = list->items;
        list->items = NULL;
        if (!value_set(document, "items", items)) {
            error_memory(&err);
            goto failed;
        }
    }
    list->done(list->data, document, NULL, status);
    return;
failed:
    if (!list->cancelled)
        list->done(list->data, NULL, &err, status);
end:
    value_free(document);
}

/* The token expired (410): all is read anew, in the end without pages, which cannot expire. */
static bool restart(struct kube_list *list)
{
    mem_free(list->token);
    list->token = NULL;
    if (++list->restarts > PAGED_RESTARTS)
        list->limit = 0;
    if (list->items == NULL)
        return true;
    value_free(list->items);
    list->items = value_array();
    return list->items != NULL;
}

static void answered(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status)
{
    struct kube_list *list = data;
    struct error err = ERROR_INIT;
    list->call = NULL;
    if (error == NULL) {
        read_page(list, answer, status);
        return;
    }
    if (status->code == 410 && list->token != NULL) {
        if (!restart(list))
            error_memory(&err);
        else if (ask(list, &err))
            return;
    } else if (status->code >= 300) {
        kube_status_error(status, N_("list"), list->what, &err);
    } else {
        err = *error;
    }
    list->done(list->data, NULL, &err, status);
}

static bool prepare(struct kube_list *list, const struct kube_target *target, const struct kube_list_options *options,
                    struct error *err)
{
    struct buf path = buf_make(MAXIMUM_TEXT), query = buf_make(MAXIMUM_TEXT), words = buf_make(1024), version = buf_make(512);
    bool ok = kube_target_path(target, &path, err);
    if (!ok)
        goto end;
    kube_target_words(target, &words);
    kube_resource_api_version(target->resource, &version);
    kube_query(&query, "labelSelector", options->labels);
    kube_query(&query, "fieldSelector", options->fields);
    kube_query(&query, "resourceVersion", options->resource_version);
    ok = buf_ok(&query);
    if (ok && query.length > 0)
        ok = (list->query = buf_take(&query, NULL)) != NULL;
    list->path = buf_take(&path, NULL);
    list->what = buf_take(&words, NULL);
    list->api_version = buf_take(&version, NULL);
    list->item_kind = mem_string(target->resource->kind);
    if (list->page == NULL)
        list->items = value_array();
    ok = ok && list->path != NULL && list->what != NULL && list->api_version != NULL && list->item_kind != NULL &&
         (list->page != NULL || list->items != NULL);
    if (!ok)
        error_memory(err);
end:
    buf_free(&version);
    buf_free(&words);
    buf_free(&query);
    buf_free(&path);
    return ok;
}

struct kube_list *kube_list(struct kube_client *client, const struct kube_target *target,
                            const struct kube_list_options *options, void (*page)(void *data, struct value *items),
                            kube_done *done, void *data, struct error *err)
{
    static const struct kube_list_options defaults;
    if (options == NULL)
        options = &defaults;
    struct kube_list *list = mem_zero(1, sizeof *list);
    if (list == NULL) {
        error_memory(err);
        return NULL;
    }
    *list = (struct kube_list){.client = client,
                               .page = page,
                               .done = done,
                               .data = data,
                               .limit = options->limit > 0 ? options->limit : DEFAULT_LIMIT};
    if (prepare(list, target, options, err) && ask(list, err))
        return list;
    list_free(list);
    return NULL;
}

void kube_list_cancel(struct kube_list *list)
{
    if (list == NULL)
        return;
    list->cancelled = true;
    kube_call_cancel(
        list->call); /* the last call's end frees it; without one, an answer is just being read, and its end does */
}

unsigned kube_list_restarts(const struct kube_list *list)
{
    return list->restarts;
}
