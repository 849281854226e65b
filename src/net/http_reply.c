#include "net/http_reply.h"

#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"

enum state { IN_HEAD, IN_BODY, TO_END, AT_CHUNK, IN_CHUNK, AFTER_CHUNK, IN_TRAILER, DONE, BROKEN };
enum { LINE = 8192 /* of chunks and trailers */ };

struct http_reply {
    enum state state;
    bool head_only, sized;
    struct buf head, line;
    int status;
    struct http_field *fields;
    size_t count, line_at;
    uint64_t left, length;
};

struct http_reply *http_reply_new(bool head_only)
{
    struct http_reply *reply = mem_zero(1, sizeof *reply);
    if (reply == NULL)
        return NULL;
    reply->head_only = head_only;
    reply->head = buf_make(HTTP_HEAD_MOST);
    reply->line = buf_make(LINE);
    return reply;
}

void http_reply_free(struct http_reply *reply)
{
    if (reply == NULL)
        return;
    buf_free(&reply->head);
    buf_free(&reply->line);
    mem_free(reply->fields);
    mem_free(reply);
}

int http_reply_status(const struct http_reply *reply)
{
    return reply->status;
}

const struct http_field *http_reply_fields(const struct http_reply *reply, size_t *count)
{
    *count = reply->count;
    return reply->fields;
}

const char *http_reply_header(const struct http_reply *reply, const char *name)
{
    for (size_t i = 0; i < reply->count; i++)
        if (strcasecmp(reply->fields[i].name, name) == 0)
            return reply->fields[i].value;
    return NULL;
}

bool http_reply_length(const struct http_reply *reply, uint64_t *length)
{
    *length = reply->length;
    return reply->sized;
}

/* --- the head --- */

/* Ends the line at `at` with a NUL and gives where the next one begins; the head ends with an empty line. */
static char *cut_line(char *at)
{
    char *end = strchr(at, '\n'), *next = end + 1;
    if (end > at && end[-1] == '\r')
        end--;
    *end = '\0';
    return next;
}

static bool add_field(struct http_reply *reply, char *line)
{
    char *colon = strchr(line, ':');
    if (colon == NULL || colon == line || reply->count == HTTP_FIELDS_MOST)
        return false;
    struct http_field *fields = mem_resize(reply->fields, (reply->count + 1) * sizeof *fields);
    if (fields == NULL)
        return false;
    reply->fields = fields;
    *colon = '\0';
    char *value = colon + 1 + strspn(colon + 1, " \t"), *end = value + strlen(value);
    while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
        *--end = '\0';
    fields[reply->count++] = (struct http_field){.name = line, .value = value};
    return true;
}

static bool read_length(const char *text, uint64_t *length)
{
    size_t digits = strspn(text, "0123456789");
    *length = 0;
    for (size_t i = 0; i < digits; i++)
        *length = *length * 10 + (uint64_t)(text[i] - '0');
    return digits > 0 && digits < 19 && text[digits] == '\0';
}

/* How the body's end is found. */
static bool frame(struct http_reply *reply)
{
    const char *coding = http_reply_header(reply, "Transfer-Encoding"), *length = http_reply_header(reply, "Content-Length");
    bool chunked = coding != NULL && strcasecmp(coding, "chunked") == 0;
    if (length != NULL && coding == NULL && !(reply->sized = read_length(length, &reply->length)))
        return false;
    if (coding != NULL && !chunked && strcasecmp(coding, "identity") != 0)
        return false;
    reply->left = reply->length;
    if (reply->head_only || reply->status == 101 || reply->status == 204 || reply->status == 304 || (reply->sized && reply->left == 0))
        reply->state = DONE;
    else
        reply->state = chunked ? AT_CHUNK : reply->sized ? IN_BODY : TO_END;
    return true;
}

/* "HTTP/1.1 200 OK" */
static bool read_status(struct http_reply *reply, const char *line)
{
    if (strncmp(line, "HTTP/1.", 7) != 0 || strspn(line + 7, "01") != 1 || line[8] != ' ' || strspn(line + 9, "0123456789") != 3)
        return false;
    reply->status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
    return reply->status >= 100;
}

static bool read_head(struct http_reply *reply)
{
    if (memchr(reply->head.bytes, '\0', reply->head.length) != NULL)
        return false;
    char *at = reply->head.bytes, *next = cut_line(at);
    reply->count = 0;
    if (!read_status(reply, at))
        return false;
    for (at = next; *at != '\0' && *at != '\r' && *at != '\n'; at = next) {
        next = cut_line(at);
        if (!add_field(reply, at))
            return false;
    }
    return frame(reply);
}

static size_t take_head(struct http_reply *reply, const char *bytes, size_t length)
{
    const char *end = memchr(bytes, '\n', length);
    size_t most = end != NULL ? (size_t)(end - bytes) + 1 : length;
    buf_append(&reply->head, bytes, most);
    if (!buf_ok(&reply->head)) {
        reply->state = BROKEN;
        return most;
    }
    if (end == NULL)
        return most;
    size_t line = reply->head.length - reply->line_at;
    bool empty = line == 1 || (line == 2 && reply->head.bytes[reply->line_at] == '\r');
    reply->line_at = reply->head.length;
    if (empty && !read_head(reply))
        reply->state = BROKEN;
    else if (empty && reply->status < 200 && reply->status != 101) { /* the answer itself is still to come */
        buf_clear(&reply->head);
        reply->line_at = 0;
        reply->state = IN_HEAD;
    }
    return most;
}

/* --- the body --- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void read_chunk_size(struct http_reply *reply)
{
    const char *at = reply->line.bytes;
    uint64_t size = 0;
    for (; hex_digit(*at) >= 0 && size >> 56 == 0; at++)
        size = size * 16 + (uint64_t)hex_digit(*at);
    bool sized = at > reply->line.bytes && (*at == '\r' || *at == '\n' || *at == ';' || *at == ' ');
    reply->left = size;
    reply->state = !sized ? BROKEN : size > 0 ? IN_CHUNK : IN_TRAILER;
}

/* Lines between and after chunks. */
static size_t take_line(struct http_reply *reply, const char *bytes, size_t length)
{
    const char *end = memchr(bytes, '\n', length);
    size_t most = end != NULL ? (size_t)(end - bytes) + 1 : length;
    buf_append(&reply->line, bytes, most);
    if (!buf_ok(&reply->line))
        reply->state = BROKEN;
    if (end == NULL || reply->state == BROKEN)
        return most;
    bool empty = reply->line.length == 1 || (reply->line.length == 2 && reply->line.bytes[0] == '\r');
    if (reply->state == AT_CHUNK)
        read_chunk_size(reply);
    else if (reply->state == AFTER_CHUNK)
        reply->state = empty ? AT_CHUNK : BROKEN;
    else if (empty)
        reply->state = DONE;
    buf_clear(&reply->line);
    return most;
}

static size_t take_body(struct http_reply *reply, size_t length)
{
    if (reply->state == TO_END)
        return length;
    size_t most = length < reply->left ? length : (size_t)reply->left;
    reply->left -= most;
    if (reply->left == 0)
        reply->state = reply->state == IN_BODY ? DONE : AFTER_CHUNK;
    return most;
}

enum http_reply_result http_reply_feed(struct http_reply *reply, const char *bytes, size_t length, size_t *taken, const char **body, size_t *body_length)
{
    *taken = 0;
    while (*taken < length && reply->state != DONE && reply->state != BROKEN) {
        const char *at = bytes + *taken;
        size_t left = length - *taken;
        if (reply->state == IN_HEAD) {
            *taken += take_head(reply, at, left);
            if (reply->state != IN_HEAD && reply->state != BROKEN)
                return HTTP_REPLY_HEAD;
        } else if (reply->state == IN_BODY || reply->state == TO_END || reply->state == IN_CHUNK) {
            *body = at;
            *body_length = take_body(reply, left);
            *taken += *body_length;
            return HTTP_REPLY_BODY;
        } else
            *taken += take_line(reply, at, left);
    }
    return reply->state == DONE ? HTTP_REPLY_DONE : reply->state == BROKEN ? HTTP_REPLY_BROKEN : HTTP_REPLY_MORE;
}

bool http_reply_end(struct http_reply *reply)
{
    if (reply->state == TO_END)
        reply->state = DONE;
    return reply->state == DONE;
}
