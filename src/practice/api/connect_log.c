/* GET pods/NAME/log. */
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/api/connect.h"
#include "practice/schema/problem.h"

enum { PART = 1 << 20 /* bytes of one read; a backend gives some 64 KiB */ };

struct log_stream {
    struct open_stream open;
    struct exchange *exchange;
    const struct backend_ops *ops;
    struct backend_log *log; /* NULL: it was cut off */
    struct value *pod;
    struct buf part;
};

static void free_stream(struct log_stream *stream)
{
    connect_close(&stream->open);
    if (stream->log != NULL)
        stream->ops->log_free(stream->log);
    value_free(stream->pod);
    buf_free(&stream->part);
    mem_free(stream);
}

static void wake(void *data)
{
    struct log_stream *stream = data;
    http_wake(stream->exchange->request);
}

static void cut(struct open_stream *open)
{
    struct log_stream *stream = (struct log_stream *)open; /* its first field */
    connect_close(open);
    stream->ops->log_free(stream->log);
    stream->log = NULL;
    wake(stream);
}

static enum http_more more(void *data, struct http_request *request)
{
    struct log_stream *stream = data;
    if (stream->log == NULL)
        return HTTP_CUT;
    buf_clear(&stream->part);
    bool goes_on = stream->ops->log_read(stream->log, &stream->part);
    if (!buf_ok(&stream->part))
        return HTTP_CUT;
    http_write(request, stream->part.bytes != NULL ? stream->part.bytes : "", stream->part.length);
    return !goes_on ? HTTP_DONE : stream->part.length > 0 ? HTTP_MORE : HTTP_WAIT;
}

static void closed(void *data)
{
    struct log_stream *stream = data;
    struct exchange *exchange = stream->exchange;
    free_stream(stream);
    exchange_end(exchange, 200);
}

/* --- the options --- */

struct numbers {
    int64_t tail, since_s, limit; /* INT64_MIN: not given */
};

static void check_number(struct problems *problems, const char *key, int64_t number, bool zero)
{
    const struct place root = PLACE_ROOT, place = place_key(&root, key);
    if (number != INT64_MIN && number < !zero)
        problem_number(problems, &place, number, zero ? "must be greater than or equal to 0" : "must be greater than 0");
}

static bool check(struct exchange *x, const struct numbers *numbers, bool since_time)
{
    const struct place root = PLACE_ROOT, both = place_key(&root, "[]");
    struct problems problems = problems_make();
    check_number(&problems, "tailLines", numbers->tail, true);
    check_number(&problems, "limitBytes", numbers->limit, false);
    if (numbers->since_s != INT64_MIN && since_time)
        problem_forbidden(&problems, &both, NULL, "at most one of `sinceTime` or `sinceSeconds` may be specified");
    else
        check_number(&problems, "sinceSeconds", numbers->since_s, false);
    if (query_get(&x->query, "stream") != NULL) /* a field of a gate that is off */
        problem_forbidden(&problems, &root, "stream", "may not be specified");
    bool fine = problems_none(&problems) || status_invalid_as(&x->failure, "", "PodLogOptions", x->route.name, &problems);
    problems_free(&problems);
    return fine;
}

static bool read_options(struct exchange *x, struct backend_log_options *options)
{
    const char *time = query_get(&x->query, "sinceTime");
    struct numbers numbers = {.tail = INT64_MIN, .since_s = INT64_MIN, .limit = INT64_MIN};
    *options = (struct backend_log_options){
        .follow = query_is_true(&x->query, "follow"),
        .previous = query_is_true(&x->query, "previous"),
        .timestamps = query_is_true(&x->query, "timestamps"),
        .tail = -1,
        .stream = "All",
    };
    if (!query_number(&x->query, "tailLines", &numbers.tail, &x->failure) || !query_number(&x->query, "sinceSeconds", &numbers.since_s, &x->failure) ||
        !query_number(&x->query, "limitBytes", &numbers.limit, &x->failure))
        return false;
    if (time != NULL && !time_parse(time, &options->since_ms))
        return status_bad_request(&x->failure, "parsing time \"%s\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"%s\" as \"2006\"", time, time);
    if (!check(x, &numbers, time != NULL))
        return false;
    if (numbers.tail != INT64_MIN)
        options->tail = numbers.tail;
    if (numbers.limit != INT64_MIN)
        options->limit = numbers.limit;
    int64_t now = api_now_ms(&x->server->api);
    if (numbers.since_s != INT64_MIN)
        options->since_ms = numbers.since_s < now / 1000 ? now - numbers.since_s * 1000 : 0;
    return true;
}

/* --- the request --- */

static struct log_stream *make(struct exchange *x)
{
    struct log_stream *stream = mem_zero(1, sizeof *stream);
    if (stream == NULL) {
        status_error(&x->failure, &(struct error){.kind = ERROR_MEMORY});
        return NULL;
    }
    stream->exchange = x;
    stream->ops = x->server->api.backend->ops;
    stream->part = buf_make(PART);
    return stream;
}

static bool has_node(const struct value *pod)
{
    const char *node = value_find_text(pod, "spec", "nodeName", NULL);
    return node != NULL && node[0] != '\0';
}

void log_serve(struct exchange *x)
{
    static const struct http_source source = {.more = more, .closed = closed, .patient = true};
    const struct backend *backend = x->server->api.backend;
    const char *container = query_get(&x->query, "container");
    struct backend_log_options options;
    struct log_stream *stream = make(x);
    bool fine = stream != NULL && read_options(x, &options) && connect_pod(x, &stream->pod) &&
                connect_container(stream->pod, container != NULL ? container : "", &options.container, &x->failure);
    if (fine && !has_node(stream->pod)) { /* there is nothing to tell yet, says the real one */
        free_stream(stream);
        http_answer(x->request, 204, NULL, "", 0);
        exchange_end(x, 204);
        return;
    }
    if (fine)
        stream->log = backend->ops->log(backend->self, x->route.ns, x->route.name, &options, wake, stream, &x->failure);
    if (!fine || stream->log == NULL) {
        if (stream != NULL)
            free_stream(stream);
        exchange_fail(x);
        return;
    }
    connect_open(&x->server->api, &stream->open, cut);
    http_stream(x->request, 200, "text/plain", false, &source, stream);
}
