#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/gzip.h"
#include "net/http_internal.h"

enum {
    COMPRESS_FROM = 128 * 1024, /* bytes of a whole body, as the real API server */
    SMALL = TLS_RECORD / 2,     /* a body that goes behind its head in one write */
    PIECES_AT_ONCE = 4,         /* of one source in one turn */
    KEEP_ROOM = 4096,           /* of a buffer of a source that waits */
};
static const char CHUNK_HEAD[] = "00000000\r\n"; /* the digits are filled in when the piece is complete */
enum { CHUNK_DIGITS = 8, CHUNK_HEAD_LENGTH = sizeof CHUNK_HEAD - 1 };

static const struct {
    int status;
    const char *phrase, *reason; /* reason: of a Status; "" where Kubernetes has none */
} STATUSES[] = {
    {101, "Switching Protocols", ""}, {200, "OK", ""}, {201, "Created", ""}, {202, "Accepted", ""}, {204, "No Content", ""},
    {301, "Moved Permanently", ""}, {302, "Found", ""}, {304, "Not Modified", ""}, {307, "Temporary Redirect", ""},
    {400, "Bad Request", "BadRequest"}, {401, "Unauthorized", "Unauthorized"}, {403, "Forbidden", "Forbidden"},
    {404, "Not Found", "NotFound"}, {405, "Method Not Allowed", "MethodNotAllowed"}, {406, "Not Acceptable", "NotAcceptable"},
    {408, "Request Timeout", "Timeout"}, {409, "Conflict", "Conflict"}, {410, "Gone", "Expired"},
    {413, "Request Entity Too Large", "RequestEntityTooLarge"}, {415, "Unsupported Media Type", "UnsupportedMediaType"},
    {417, "Expectation Failed", ""}, {422, "Unprocessable Entity", "Invalid"}, {429, "Too Many Requests", "TooManyRequests"},
    {431, "Request Header Fields Too Large", ""}, {500, "Internal Server Error", "InternalError"}, {501, "Not Implemented", ""},
    {502, "Bad Gateway", ""}, {503, "Service Unavailable", "ServiceUnavailable"}, {504, "Gateway Timeout", "Timeout"},
    {505, "HTTP Version Not Supported", ""},
};

/* What a head says beside the status. */
struct head {
    int status;
    const char *type; /* NULL: none */
    bool sized, chunked, gzip, close, keep;
    uint64_t length;   /* if sized */
    const char *more;  /* headers, each with its end; NULL: none */
};

/* --- heads --- */

/* For the header Date; written anew each second. By hand: the C library's would speak the user's language. */
static const char *date(struct http_server *server)
{
    static const char days[] = "SunMonTueWedThuFriSat", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int64_t second = clock_wall_ms() / 1000;
    if (second != server->date_second) {
        time_t now = (time_t)second;
        struct tm utc;
        gmtime_r(&now, &utc);
        snprintf(server->date, sizeof server->date, "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT", days + 3 * utc.tm_wday, utc.tm_mday,
                 months + 3 * utc.tm_mon, utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
        server->date_second = second;
    }
    return server->date;
}

static size_t find_status(int status)
{
    size_t at = 0, count = sizeof STATUSES / sizeof *STATUSES;
    while (at < count && STATUSES[at].status != status)
        at++;
    return at < count ? at : SIZE_MAX;
}

/* Writes the head into server->head, where the body may follow. False: no memory. */
static bool write_head(struct http_server *server, const struct head *head)
{
    struct buf *to = &server->head;
    size_t at = find_status(head->status);
    buf_clear(to);
    buf_printf(to, "HTTP/1.1 %d %s\r\nDate: %s\r\n", head->status, at != SIZE_MAX ? STATUSES[at].phrase : "Status", date(server));
    if (head->type != NULL)
        buf_printf(to, "Content-Type: %s\r\n", head->type);
    if (head->sized)
        buf_printf(to, "Content-Length: %llu\r\n", (unsigned long long)head->length);
    if (head->chunked)
        buf_append_string(to, "Transfer-Encoding: chunked\r\n");
    if (head->gzip)
        buf_append_string(to, "Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n");
    if (head->more != NULL)
        buf_append_string(to, head->more);
    if (head->close || head->keep)
        buf_append_string(to, head->close ? "Connection: close\r\n" : "Connection: keep-alive\r\n");
    buf_append_string(to, "\r\n");
    return buf_ok(to);
}

void http_add_header(struct http_request *request, const char *name, const char *value)
{
    size_t token = strspn(name, "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    if (token == 0 || name[token] != '\0') {
        request->failed = true;
        return;
    }
    buf_printf(&request->head, "%s: ", name);
    size_t at = request->head.length;
    buf_printf(&request->head, "%s\r\n", value);
    if (!buf_ok(&request->head)) {
        request->failed = true;
        return;
    }
    for (char *c = request->head.bytes + at; c < request->head.bytes + request->head.length - 2; c++)
        if (((unsigned char)*c < 0x20 && *c != '\t') || *c == 0x7f)
            *c = '?';
}

/* A head for this request; what every answer has. */
static struct head head_for(const struct http_request *request, int status, const char *type)
{
    const struct http_parsed *parsed = request->parsed;
    return (struct head){.status = status,
                         .type = type,
                         .close = !parsed->keep_alive,
                         .keep = parsed->old && parsed->keep_alive,
                         .more = request->head.bytes};
}

void answer_switch(struct http_request *request)
{
    struct connection *connection = request->connection;
    struct head head = {.status = request->status, .more = request->head.bytes};
    if (!request->failed && write_head(connection->server, &head))
        connection_send(connection, connection->server->head.bytes, connection->server->head.length);
    else
        connection->broken = true;
}

/* --- errors of the protocol --- */

static void write_status(char *text, size_t room, int status, const char *message)
{
    size_t at = find_status(status);
    const char *reason = at != SIZE_MAX ? STATUSES[at].reason : "";
    snprintf(text, room, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"%s\"%s%s%s,\"code\":%d}\n",
             message, reason[0] != '\0' ? ",\"reason\":\"" : "", reason, reason[0] != '\0' ? "\"" : "", status);
}

void answer_refusal(struct connection *connection, int status, const char *message)
{
    char text[512];
    write_status(text, sizeof text, status, message);
    struct head head = {.status = status, .type = "application/json", .sized = true, .length = strlen(text), .close = true};
    bool written = write_head(connection->server, &head);
    buf_append_string(&connection->server->head, text);
    if (written && buf_ok(&connection->server->head))
        connection_send(connection, connection->server->head.bytes, connection->server->head.length);
    else
        connection->broken = true;
}

/* --- whole answers --- */

/* After the request's last byte was sent or queued. */
static void end(struct http_request *request, bool last)
{
    struct connection *connection = request->connection;
    request_log(request, connection->server->options.log);
    connection_answered(connection, last);
    request_free(request);
}

static bool has_no_body(int status)
{
    return status == 204 || status == 304 || status < 200;
}

static bool is_compressible(const char *type)
{
    return type != NULL && (strncmp(type, "text/", 5) == 0 || strstr(type, "json") != NULL || strstr(type, "protobuf") != NULL);
}

/* True if the header's list has gzip in it, and not with a weight of zero. */
static bool takes_gzip(const struct http_request *request)
{
    const char *text = http_header(request, "Accept-Encoding");
    while (text != NULL && *text != '\0') {
        text += strspn(text, " \t,");
        size_t length = strcspn(text, ","), name = strcspn(text, ",; \t");
        const char *weight = memmem(text, length, "q=", 2);
        bool zero = weight != NULL && strspn(weight + 2, "0.") == strcspn(weight + 2, ", \t") && weight[2] == '0';
        if (name == 4 && strncasecmp(text, "gzip", 4) == 0 && !zero)
            return true;
        text += length;
    }
    return false;
}

static void send_whole(struct http_request *request, const struct head *head, const char *bytes, struct buf *body)
{
    struct connection *connection = request->connection;
    struct buf *to = &connection->server->head;
    bool small = head->length <= SMALL, headed = write_head(connection->server, head);
    if (headed && !request->bodiless && small)
        buf_append(to, bytes, head->length);
    if (!headed || !buf_ok(to)) {
        connection->broken = true;
        return;
    }
    connection_send(connection, to->bytes, to->length);
    if (request->bodiless)
        return;
    if (!small && body != NULL)
        connection_send_buf(connection, body);
    else if (!small)
        connection_send(connection, bytes, head->length);
    request->bytes = head->length;
}

/* A large body that is compressed goes out as a stream, so that others are served between its pieces. */
struct slices {
    struct buf body;
    size_t at;
};

static enum http_more more_slices(void *data, struct http_request *request)
{
    struct slices *slices = data;
    size_t left = slices->body.length - slices->at, length = left < HTTP_PIECE ? left : HTTP_PIECE;
    http_write(request, slices->body.bytes + slices->at, length);
    slices->at += length;
    return length < left ? HTTP_MORE : HTTP_DONE;
}

static void free_slices(void *data)
{
    struct slices *slices = data;
    buf_free(&slices->body);
    mem_free(slices);
}

static bool stream_slices(struct http_request *request, int status, const char *type, const void *bytes, size_t length, struct buf *body)
{
    static const struct http_source source = {.more = more_slices, .closed = free_slices};
    struct slices *slices = mem_zero(1, sizeof *slices);
    if (slices == NULL)
        return false;
    slices->body = buf_make(length);
    if (body != NULL) {
        slices->body = *body;
        *body = buf_make(body->maximum);
    } else
        buf_append(&slices->body, bytes, length);
    if (!buf_ok(&slices->body)) {
        free_slices(slices);
        return false;
    }
    http_stream(request, status, type, true, &source, slices);
    return true;
}

/* body: the bytes' buffer, if they are to be moved; NULL: they are copied. */
static void answer(struct http_request *request, int status, const char *type, const void *bytes, size_t length, struct buf *body)
{
    struct connection *connection = request->connection;
    if (connection == NULL) {
        request_free(request);
        return;
    }
    char text[256];
    bool failed = request->failed || (body != NULL && !buf_ok(body)), bare = has_no_body(status), is_head = strcmp(request->parsed->method, "HEAD") == 0;
    if (!failed && !bare && !is_head && length > COMPRESS_FROM && is_compressible(type) && takes_gzip(request) &&
        stream_slices(request, status, type, bytes, length, body))
        return;
    if (failed) {
        write_status(text, sizeof text, 500, "the answer could not be made: no memory");
        buf_clear(&request->head);
        status = 500, type = "application/json", bytes = text, length = strlen(text), body = NULL, bare = false;
    }
    struct head head = head_for(request, status, bare ? NULL : type);
    head.sized = !bare;
    head.length = bare ? 0 : length;
    request->bodiless = bare || is_head;
    request->status = status;
    send_whole(request, &head, bytes, body);
    end(request, head.close);
    connection_changed(connection);
}

void http_answer(struct http_request *request, int status, const char *type, const void *body, size_t length)
{
    answer(request, status, type, body, length, NULL);
}

void http_answer_buf(struct http_request *request, int status, const char *type, struct buf *body)
{
    answer(request, status, type, body->bytes, body->length, body);
    buf_free(body);
}

/* --- streams --- */

/* Detaches it from its connection first: `closed` may do anything. */
static void end_stream(struct http_request *request)
{
    struct http_source source = request->source;
    void *data = request->data;
    request_free(request);
    source.closed(data);
}

void answer_lost(struct http_request *request)
{
    if (request->upgraded) {
        upgrade_lost(request, request->connection->server->options.log);
        return;
    }
    if (request->streaming)
        request_log(request, request->connection->server->options.log);
    request->connection = NULL;
    if (request->streaming && !request->in_more)
        end_stream(request);
}

void http_set_length(struct http_request *request, uint64_t length)
{
    request->sized = true;
    request->size = length;
}

void http_stream(struct http_request *request, int status, const char *type, bool gzip, const struct http_source *source, void *data)
{
    struct connection *connection = request->connection;
    request->source = *source;
    request->data = data;
    if (connection == NULL) {
        end_stream(request);
        return;
    }
    request->streaming = true;
    request->status = status;
    request->bodiless = has_no_body(status) || strcmp(request->parsed->method, "HEAD") == 0;
    request->sized &= !has_no_body(status);
    request->chunked = !request->parsed->old && !request->sized;
    if (gzip && !request->sized && !request->bodiless && takes_gzip(request))
        request->gzip = gzip_new();
    struct head head = head_for(request, status, type);
    head.chunked = request->chunked && !has_no_body(status);
    head.gzip = request->gzip != NULL;
    head.sized = request->sized;
    head.length = request->size;
    head.close |= request->parsed->old && !request->sized;
    head.keep &= !head.close;
    if (!request->failed && write_head(connection->server, &head))
        connection_send(connection, connection->server->head.bytes, connection->server->head.length);
    else
        connection->broken = true;
    server_ready(connection);
}

void http_write(struct http_request *request, const void *bytes, size_t length)
{
    if (request->in_more && request->connection != NULL)
        buf_append(&request->piece, bytes, length);
}

void http_wake(struct http_request *request)
{
    request->woken = true;
    if (!request->asleep || request->connection == NULL)
        return;
    request->asleep = false;
    server_ready(request->connection);
}

/* Compresses what the source wrote, or takes it as it is; and makes it a chunk, the last one too. False: no memory. */
static bool finish_piece(struct http_request *request, enum http_more more, struct buf **sent)
{
    struct buf *piece = &request->piece, *to = request->gzip != NULL ? &request->packed : piece;
    size_t head = request->chunked ? CHUNK_HEAD_LENGTH : 0;
    if (request->gzip != NULL) {
        buf_append(to, CHUNK_HEAD, head);
        gzip_add(request->gzip, piece->bytes != NULL ? piece->bytes + head : "", piece->length - head,
                 more == HTTP_DONE ? GZIP_END : more == HTTP_WAIT ? GZIP_FLUSH : GZIP_ON, to);
        buf_clear(piece);
    }
    *sent = to;
    if (!buf_ok(to))
        return false;
    size_t length = to->length - head;
    request->bytes += length;
    if (!request->chunked)
        return true;
    if (length == 0)
        buf_clear(to); /* an empty chunk would be the last one */
    else {
        char digits[CHUNK_DIGITS + 1];
        snprintf(digits, sizeof digits, "%08x", (unsigned)length);
        memcpy(to->bytes, digits, CHUNK_DIGITS);
        buf_append_string(to, "\r\n");
    }
    if (more == HTTP_DONE)
        buf_append_string(to, "0\r\n\r\n");
    return buf_ok(to);
}

/* Asks the source once. False: not again now; request may be gone then. */
static bool pump_once(struct connection *connection, struct http_request *request)
{
    struct buf *sent;
    request->woken = false;
    request->in_more = true;
    if (request->chunked)
        buf_append(&request->piece, CHUNK_HEAD, CHUNK_HEAD_LENGTH);
    enum http_more more = request->source.more(request->data, request);
    request->in_more = false;
    if (connection->dead) {
        end_stream(request);
        return false;
    }
    if (more == HTTP_CUT || !buf_ok(&request->piece) || !finish_piece(request, more, &sent)) {
        connection->broken = true;
        return false;
    }
    if (request->sized && (request->bytes > request->size || (more == HTTP_DONE && request->bytes < request->size))) {
        connection->broken = true;
        return false;
    }
    connection_send_buf(connection, sent);
    if (more == HTTP_DONE) {
        struct http_source source = request->source;
        void *data = request->data;
        end(request, !(request->chunked || request->sized) || !request->parsed->keep_alive);
        source.closed(data);
        return false;
    }
    request->asleep = more == HTTP_WAIT && !request->woken;
    if (request->asleep && request->piece.room > KEEP_ROOM)
        buf_free(&request->piece);
    if (request->asleep && request->packed.room > KEEP_ROOM)
        buf_free(&request->packed);
    return !request->asleep && !connection->broken;
}

void answer_pump(struct connection *connection)
{
    struct http_request *request = connection->request;
    if (request->bodiless) {
        struct http_source source = request->source;
        void *data = request->data;
        end(request, request->parsed->old || !request->parsed->keep_alive);
        source.closed(data);
        return;
    }
    for (int i = 0; i < PIECES_AT_ONCE && connection->queue.length <= HTTP_LOW; i++)
        if (!pump_once(connection, request) || clock_monotonic_us() >= connection->server->turn_until)
            return;
}
