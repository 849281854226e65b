#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/gzip.h"
#include "net/http_internal.h"
#include "net/utf8.h"

enum { ANSWER_HEAD = 32 * 1024, PIECE_MAXIMUM = 64 * 1024 * 1024 };

/* --- its life --- */

static bool came_before(const struct http_parsed *parsed, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcasecmp(parsed->fields[i].name, parsed->fields[at].name) == 0)
            return true;
    return false;
}

static char *join(const struct http_parsed *parsed, const char *name)
{
    struct buf value = buf_make(2 * HTTP_HEAD_MOST);
    for (size_t i = 0; i < parsed->field_count; i++)
        if (strcasecmp(parsed->fields[i].name, name) == 0) {
            buf_append_string(&value, value.length > 0 ? ", " : "");
            buf_append_string(&value, parsed->fields[i].value);
        }
    return buf_take(&value, NULL);
}

static const char *joined(const struct http_request *request, const char *name)
{
    for (size_t i = 0; i < request->joined_count; i++)
        if (strcasecmp(request->joined[i].name, name) == 0)
            return request->joined[i].value;
    return NULL;
}

/* Puts together the headers that came several times. Done at once and not when they are asked for: a header that is not found for want of memory could
 * mean more rights. */
static bool join_fields(struct http_request *request)
{
    const struct http_parsed *parsed = request->parsed;
    for (size_t i = 1; i < parsed->field_count; i++) {
        const char *name = parsed->fields[i].name;
        if (!came_before(parsed, i) || joined(request, name) != NULL)
            continue;
        struct joined *more = mem_resize(request->joined, (request->joined_count + 1) * sizeof *more);
        if (more == NULL)
            return false;
        request->joined = more;
        char *value = join(parsed, name);
        if (value == NULL)
            return false;
        more[request->joined_count++] = (struct joined){.name = name, .value = value};
    }
    return true;
}

struct http_request *request_new(struct connection *connection, struct http_parse *parse)
{
    struct http_request *request = mem_zero(1, sizeof *request);
    if (request == NULL) {
        http_parse_free(parse);
        return NULL;
    }
    request->parse = parse;
    request->parsed = http_parse_request(parse);
    request->peer = peer_hold(connection->peer);
    request->head = buf_make(ANSWER_HEAD);
    request->piece = buf_make(PIECE_MAXIMUM);
    request->packed = buf_make(PIECE_MAXIMUM);
    request->began_ms = clock_monotonic_ms();
    if (!join_fields(request)) {
        request_free(request);
        return NULL;
    }
    request->connection = connection;
    return request;
}

void request_free(struct http_request *request)
{
    for (size_t i = 0; i < request->joined_count; i++)
        mem_free(request->joined[i].value);
    mem_free(request->joined);
    http_parse_free(request->parse);
    peer_release(request->peer);
    buf_free(&request->head);
    gzip_free(request->gzip);
    buf_free(&request->piece);
    buf_free(&request->packed);
    mem_free(request);
}

/* --- what a handler reads --- */

const char *http_method(const struct http_request *request)
{
    return request->parsed->method;
}

const char *http_path(const struct http_request *request)
{
    return request->parsed->path;
}

const char *http_query(const struct http_request *request)
{
    return request->parsed->query;
}

const char *http_header(const struct http_request *request, const char *name)
{
    const char *value = joined(request, name);
    for (size_t i = 0; value == NULL && i < request->parsed->field_count; i++)
        if (strcasecmp(request->parsed->fields[i].name, name) == 0)
            value = request->parsed->fields[i].value;
    return value;
}

bool http_next_header(const struct http_request *request, size_t *cursor, const char **name, const char **value)
{
    if (*cursor >= request->parsed->field_count)
        return false;
    *name = request->parsed->fields[*cursor].name;
    *value = request->parsed->fields[*cursor].value;
    ++*cursor;
    return true;
}

const char *http_body(const struct http_request *request, size_t *length)
{
    *length = request->parsed->body_length;
    return request->parsed->body;
}

const char *http_peer(const struct http_request *request, const char *const **organizations)
{
    if (request->peer == NULL)
        return NULL;
    if (organizations != NULL)
        *organizations = (const char *const *)request->peer->organizations;
    return request->peer->name;
}

bool http_alive(const struct http_request *request)
{
    return request->connection != NULL && !request->connection->broken;
}

size_t http_unsent(const struct http_request *request)
{
    return request->connection != NULL ? request->connection->queue.length : 0;
}

/* --- the log --- */

/* Parameters whose values hold nothing that must stay secret. */
static const char *const SHOWN[] = {"watch",         "limit",       "resourceVersion",     "resourceVersionMatch", "timeoutSeconds",
                                    "labelSelector", "fieldSelector", "allowWatchBookmarks", "sendInitialEvents",    "fieldManager",
                                    "fieldValidation", "dryRun",    "force",               "propagationPolicy",    "follow",
                                    "container",     "timeout",     "pretty",              "tailLines",            "previous"};

static bool is_shown(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof SHOWN / sizeof *SHOWN; i++)
        if (strlen(SHOWN[i]) == length && strncmp(SHOWN[i], name, length) == 0)
            return true;
    return false;
}

/* "?watch=true&token=..." */
static void write_query(struct buf *to, const char *query)
{
    for (char before = '?'; *query != '\0'; before = '&') {
        size_t length = strcspn(query, "&"), name = strcspn(query, "&=");
        buf_printf(to, "%c%.*s", before, (int)(is_shown(query, name) ? length : name), query);
        if (name < length && !is_shown(query, name))
            buf_append_string(to, "=...");
        query += length + (query[length] == '&');
    }
}

void request_log(const struct http_request *request, struct log *log)
{
    if (log == NULL || log->file == NULL)
        return;
    struct buf query = buf_make(HTTP_HEAD_MOST * 4);
    write_query(&query, request->parsed->query);
    log_line(log, "%s %s%s %d, %zu bytes, %lld ms", request->parsed->method, request->parsed->path, query.bytes != NULL ? query.bytes : "",
             request->status, request->bytes, (long long)(clock_monotonic_ms() - request->began_ms));
    buf_free(&query);
}

/* --- escapes --- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

char *http_unescape(const char *text, size_t length, bool query)
{
    char *plain = mem_alloc(length + 1);
    if (plain == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    size_t to = 0;
    for (size_t at = 0; at < length; at++) {
        char c = query && text[at] == '+' ? ' ' : text[at];
        if (c == '%') {
            int high = at + 2 < length ? hex_digit(text[at + 1]) : -1, low = high >= 0 ? hex_digit(text[at + 2]) : -1;
            if (low < 0)
                goto malformed;
            c = (char)(high << 4 | low);
            at += 2;
        }
        if (c == '\0')
            goto malformed;
        plain[to++] = c;
    }
    plain[to] = '\0';
    if (utf8_is(plain, to))
        return plain;
malformed:
    mem_free(plain);
    errno = EINVAL;
    return NULL;
}
