/* The head is gathered whole, looked at line by line, and then cut by http-parser. The body's framing is read here: Debian builds http-parser without
 * HTTP_PARSER_STRICT, and then it takes any two bytes for the end of a chunk. */
#include "net/http_parse.h"

#include <http_parser.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"

enum state { IN_HEAD, IN_BODY, AT_CHUNK, IN_CHUNK, AFTER_CHUNK, IN_TRAILER, COMPLETE, REFUSED };
enum { FIELDS_FIRST = 16 };

struct http_parse {
    enum state state;
    size_t head_maximum, line_at; /* where in the head the line begins that is coming */
    struct buf head;
    struct buf line;   /* of chunks and trailers: the line that is coming */
    size_t extra;      /* bytes of those lines so far, but for plain sizes */
    size_t left;       /* of the body, or of the chunk */
    struct buf body;
    struct http_field *fields;
    size_t fields_room;
    char *target;      /* in head */
    bool value_came;   /* the last field has its value */
    bool head_told, chunked;
    struct http_parsed parsed;
    struct http_refusal refusal;
};

static bool refuse(struct http_parse *parse, int status, const char *message)
{
    parse->state = REFUSED;
    parse->refusal = (struct http_refusal){.status = status, .message = message};
    return false;
}

static bool refuse_memory(struct http_parse *parse)
{
    return refuse(parse, 500, "no memory for the request");
}

struct http_parse *http_parse_new(size_t head_maximum, size_t body_maximum)
{
    struct http_parse *parse = mem_zero(1, sizeof *parse);
    if (parse == NULL)
        return NULL;
    parse->head_maximum = head_maximum < HTTP_HEAD_MOST ? head_maximum : HTTP_HEAD_MOST;
    parse->head = buf_make(parse->head_maximum);
    parse->line = buf_make(parse->head_maximum);
    parse->body = buf_make(body_maximum < HTTP_BODY_MOST ? body_maximum : HTTP_BODY_MOST);
    parse->parsed = (struct http_parsed){.method = "", .path = "", .query = "", .body = ""};
    return parse;
}

void http_parse_free(struct http_parse *parse)
{
    if (parse == NULL)
        return;
    buf_free(&parse->head);
    buf_free(&parse->line);
    buf_free(&parse->body);
    mem_free(parse->fields);
    mem_free(parse);
}

const struct http_parsed *http_parse_request(const struct http_parse *parse)
{
    return &parse->parsed;
}

struct http_refusal http_parse_refusal(const struct http_parse *parse)
{
    return parse->refusal;
}

/* Letters, digits and the marks that RFC 9110 allows in names of headers and methods. */
static size_t token_length(const char *text)
{
    return strspn(text, "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
}

/* --- the head --- */

static int on_url(http_parser *parser, const char *at, size_t length)
{
    (void)length;
    struct http_parse *parse = parser->data;
    parse->target = parse->head.bytes + (at - parse->head.bytes);
    return 0;
}

static int on_field(http_parser *parser, const char *at, size_t length)
{
    struct http_parse *parse = parser->data;
    size_t count = parse->parsed.field_count;
    if (count == HTTP_FIELDS_MOST) {
        refuse(parse, 431, "the request has too many headers");
        return 1;
    }
    if (count == parse->fields_room) {
        size_t room = count > 0 ? count * 2 : FIELDS_FIRST;
        struct http_field *fields = mem_resize(parse->fields, room * sizeof *fields);
        if (fields == NULL) {
            refuse_memory(parse);
            return 1;
        }
        parse->fields = fields;
        parse->fields_room = room;
    }
    if (token_length(at) != length) {
        refuse(parse, 400, "the name of a header is malformed");
        return 1;
    }
    parse->fields[count] = (struct http_field){.name = at, .value = ""};
    parse->parsed.field_count++;
    parse->value_came = false;
    return 0;
}

static int on_value(http_parser *parser, const char *at, size_t length)
{
    struct http_parse *parse = parser->data;
    if (parse->value_came) { /* only a folded line has a second part, and those were refused */
        refuse(parse, 400, "a header goes over several lines");
        return 1;
    }
    parse->value_came = true;
    parse->fields[parse->parsed.field_count - 1].value = length > 0 ? at : "";
    return 0;
}

/* What follows the head is not for this library. */
static int on_head(http_parser *parser)
{
    (void)parser;
    return 1;
}

/* Ends the texts with a NUL each, where a colon or a line's end stands now. */
static void end_texts(struct http_parse *parse)
{
    char *head = parse->head.bytes;
    for (size_t i = 0; i < parse->parsed.field_count; i++) {
        struct http_field *field = &parse->fields[i];
        char *name = head + (field->name - head);
        name[token_length(name)] = '\0';
        if (field->value[0] == '\0')
            continue;
        char *value = head + (field->value - head), *end = strchr(value, '\r');
        while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
            end--;
        *end = '\0';
    }
    parse->parsed.fields = parse->fields;
}

/* Of the headers of that name: how many, and the last one's value (NULL: none). */
static size_t count_fields(const struct http_parse *parse, const char *name, const char **value)
{
    size_t count = 0;
    *value = NULL;
    for (size_t i = 0; i < parse->parsed.field_count; i++)
        if (strcasecmp(parse->fields[i].name, name) == 0) {
            *value = parse->fields[i].value;
            count++;
        }
    return count;
}

/* "METHOD TARGET HTTP/1.x" with one blank each: the library is more generous. */
static bool check_request_line(struct http_parse *parse, const http_parser *parser)
{
    const char *method = http_method_str((enum http_method)parser->method), *end = strchr(parse->head.bytes, '\r');
    char *target = parse->target, *blank = target != NULL ? memchr(target, ' ', (size_t)(end - target)) : NULL;
    if (target == NULL || target != parse->head.bytes + strlen(method) + 1)
        return refuse(parse, 400, "the request line is malformed");
    if (blank == NULL || strncmp(blank + 1, "HTTP/", 5) != 0 || parser->http_major != 1)
        return refuse(parse, 505, "the server speaks HTTP/1.1");
    if (end - blank != (ptrdiff_t)strlen(" HTTP/1.1"))
        return refuse(parse, 400, "the request line is malformed");
    *blank = '\0';
    parse->parsed.method = method;
    parse->parsed.old = parser->http_minor == 0;
    return true;
}

/* A path, or a URL whose path is taken (a proxy's form, which servers must understand). */
static bool check_target(struct http_parse *parse)
{
    char *path = parse->target;
    for (const char *c = path; *c != '\0'; c++)
        if ((unsigned char)*c <= ' ' || (unsigned char)*c > 0x7e || *c == '#')
            return refuse(parse, 400, "the request's target has characters that must be escaped");
    size_t scheme = strncasecmp(path, "https://", 8) == 0 ? 8 : strncasecmp(path, "http://", 7) == 0 ? 7 : 0;
    if (scheme > 0) {
        size_t authority = strcspn(path + scheme, "/?");
        path = authority > 0 ? path + scheme + authority : path;
    }
    char *question = strchr(path, '?');
    if (question != NULL) {
        *question = '\0';
        parse->parsed.query = question + 1;
    }
    parse->parsed.path = scheme > 0 && path[0] == '\0' ? "/" : path;
    return parse->parsed.path[0] == '/' || refuse(parse, 400, "the request's target is no path");
}

static bool check_length(struct http_parse *parse, const char *text)
{
    size_t digits = strspn(text, "0123456789"), length = 0;
    if (digits == 0 || text[digits] != '\0')
        return refuse(parse, 400, "the Content-Length is no number");
    for (; *text != '\0'; text++) {
        length = length * 10 + (size_t)(*text - '0');
        if (length > parse->body.maximum)
            return refuse(parse, 413, "the request's body is too large");
    }
    parse->left = length;
    return true;
}

/* How the body's end is found (RFC 9112, section 6). */
static bool check_framing(struct http_parse *parse)
{
    const char *coding, *length;
    size_t codings = count_fields(parse, "Transfer-Encoding", &coding), lengths = count_fields(parse, "Content-Length", &length);
    if (lengths > 1 || codings > 1 || (lengths > 0 && codings > 0))
        return refuse(parse, 400, "the length of the body is said more than once");
    if (codings > 0 && parse->parsed.old)
        return refuse(parse, 400, "HTTP/1.0 has no Transfer-Encoding");
    if (codings > 0 && strcasecmp(coding, "chunked") != 0)
        return refuse(parse, 501, "the only transfer coding is chunked");
    parse->chunked = codings > 0;
    return lengths == 0 || check_length(parse, length);
}

static bool check_fields(struct http_parse *parse)
{
    const char *host, *expected;
    size_t hosts = count_fields(parse, "Host", &host);
    if (hosts > 1 || (hosts == 0 && !parse->parsed.old))
        return refuse(parse, 400, "the request must have one Host header");
    if (!check_framing(parse))
        return false;
    bool expects = count_fields(parse, "Expect", &expected) > 0 && !parse->parsed.old;
    if (expects && strcasecmp(expected, "100-continue") != 0)
        return refuse(parse, 417, "the only expectation that is met is 100-continue");
    parse->parsed.wants_continue = expects && (parse->chunked || parse->left > 0);
    return true;
}

/* For the errors of the library that come from a well-formed request. */
static bool refuse_error(struct http_parse *parse, enum http_errno error)
{
    const char *line = parse->head.bytes;
    size_t method = token_length(line);
    if (error == HPE_INVALID_METHOD && method > 0 && line[method] == ' ')
        return refuse(parse, 501, "the method is unknown");
    if (error == HPE_INVALID_TRANSFER_ENCODING)
        return refuse(parse, 501, "the only transfer coding is chunked");
    if (error == HPE_HEADER_OVERFLOW)
        return refuse(parse, 431, "the request's head is too large");
    return refuse(parse, 400, http_errno_description(error));
}

static bool finish_head(struct http_parse *parse)
{
    http_parser parser;
    http_parser_settings settings;
    http_parser_settings_init(&settings);
    settings.on_url = on_url;
    settings.on_header_field = on_field;
    settings.on_header_value = on_value;
    settings.on_headers_complete = on_head;
    http_parser_init(&parser, HTTP_REQUEST);
    parser.data = parse;
    size_t read = http_parser_execute(&parser, &settings, parse->head.bytes, parse->head.length);
    if (parse->state == REFUSED)
        return false;
    if (HTTP_PARSER_ERRNO(&parser) != HPE_OK)
        return refuse_error(parse, HTTP_PARSER_ERRNO(&parser));
    if (read != parse->head.length)
        return refuse(parse, 400, "the request's head is malformed");
    parse->parsed.keep_alive = http_should_keep_alive(&parser) != 0;
    if (!check_request_line(parse, &parser))
        return false;
    end_texts(parse);
    if (!check_target(parse) || !check_fields(parse))
        return false;
    parse->state = parse->chunked ? AT_CHUNK : parse->left > 0 ? IN_BODY : COMPLETE;
    return true;
}

/* --- lines --- */

/* A line with its end: CR LF, and no other control character but the tab. */
static bool is_line(const char *line, size_t length)
{
    if (length < 2 || line[length - 2] != '\r')
        return false;
    for (size_t i = 0; i < length - 2; i++)
        if (((unsigned char)line[i] < 0x20 && line[i] != '\t') || line[i] == 0x7f)
            return false;
    return true;
}

static bool take_head_line(struct http_parse *parse)
{
    const char *line = parse->head.bytes + parse->line_at;
    size_t length = parse->head.length - parse->line_at;
    if (!is_line(line, length))
        return refuse(parse, 400, "a line of the request's head is malformed");
    if (length == 2 && parse->line_at == 0) { /* some clients send an empty line after a body */
        buf_clear(&parse->head);
        return true;
    }
    if (length == 2)
        return finish_head(parse);
    if (line[0] == ' ' || line[0] == '\t')
        return refuse(parse, 400, "a header goes over several lines");
    parse->line_at = parse->head.length;
    return true;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* "1a2b" or "1a2b;extension" */
static bool take_chunk_line(struct http_parse *parse)
{
    const char *at = parse->line.bytes;
    size_t size = 0;
    for (; hex_digit(*at) >= 0; at++) {
        if (size > parse->body.maximum)
            return refuse(parse, 413, "the request's body is too large");
        size = size * 16 + (size_t)hex_digit(*at);
    }
    bool sized = at > parse->line.bytes && (*at == '\r' || *at == ';');
    if (!sized || !is_line(parse->line.bytes, parse->line.length))
        return refuse(parse, 400, "the size of a chunk is malformed");
    if (size > parse->body.maximum - parse->body.length)
        return refuse(parse, 413, "the request's body is too large");
    if (*at != ';' && at - parse->line.bytes <= 16)
        parse->extra -= parse->line.length; /* a plain size costs nothing, however many chunks there are */
    parse->left = size;
    parse->state = size > 0 ? IN_CHUNK : IN_TRAILER;
    return true;
}

static bool take_chunk_end(struct http_parse *parse)
{
    if (parse->line.length != 2 || parse->line.bytes[0] != '\r')
        return refuse(parse, 400, "the end of a chunk is malformed");
    parse->extra -= 2;
    parse->state = AT_CHUNK;
    return true;
}

/* Headers after the body are passed over: nothing here has a use for them. */
static bool take_trailer(struct http_parse *parse)
{
    const char *line = parse->line.bytes;
    size_t length = parse->line.length, name = token_length(line);
    if (!is_line(line, length) || (length > 2 && (name == 0 || line[name] != ':')))
        return refuse(parse, 400, "a line after the body is malformed");
    if (length == 2)
        parse->state = COMPLETE;
    return true;
}

static size_t take_head(struct http_parse *parse, const char *bytes, size_t length)
{
    const char *end = memchr(bytes, '\n', length);
    size_t most = end != NULL ? (size_t)(end - bytes) + 1 : length;
    if (most > parse->head_maximum - parse->head.length) {
        refuse(parse, 431, "the request's head is too large");
        return most;
    }
    buf_append(&parse->head, bytes, most);
    if (!buf_ok(&parse->head))
        refuse_memory(parse);
    else if (end != NULL)
        take_head_line(parse);
    return most;
}

static size_t take_line(struct http_parse *parse, const char *bytes, size_t length)
{
    static bool (*const takers[])(struct http_parse *) = {
        [AT_CHUNK] = take_chunk_line, [AFTER_CHUNK] = take_chunk_end, [IN_TRAILER] = take_trailer};
    const char *end = memchr(bytes, '\n', length);
    size_t most = end != NULL ? (size_t)(end - bytes) + 1 : length;
    if (most > parse->head_maximum - parse->extra) {
        refuse(parse, 431, "there is too much between the chunks or after them");
        return most;
    }
    parse->extra += most;
    buf_append(&parse->line, bytes, most);
    if (!buf_ok(&parse->line))
        refuse_memory(parse);
    else if (end != NULL && takers[parse->state](parse))
        buf_clear(&parse->line);
    return most;
}

/* --- the body --- */

static size_t take_body(struct http_parse *parse, const char *bytes, size_t length)
{
    size_t most = length < parse->left ? length : parse->left;
    buf_append(&parse->body, bytes, most);
    parse->left -= most;
    if (!buf_ok(&parse->body))
        refuse_memory(parse);
    else if (parse->left == 0)
        parse->state = parse->state == IN_BODY ? COMPLETE : AFTER_CHUNK;
    return most;
}

enum http_parse_result http_parse_feed(struct http_parse *parse, const char *bytes, size_t length, size_t *taken)
{
    static size_t (*const takers[])(struct http_parse *, const char *, size_t) = {
        [IN_HEAD] = take_head,   [IN_BODY] = take_body,     [AT_CHUNK] = take_line,
        [IN_CHUNK] = take_body,  [AFTER_CHUNK] = take_line, [IN_TRAILER] = take_line};
    *taken = 0;
    while (*taken < length && parse->state < COMPLETE) {
        *taken += takers[parse->state](parse, bytes + *taken, length - *taken);
        if (parse->state > IN_HEAD && parse->state < COMPLETE && !parse->head_told) {
            parse->head_told = true;
            return HTTP_PARSE_HEAD;
        }
    }
    if (parse->state == COMPLETE && parse->body.length > 0) {
        parse->parsed.body = parse->body.bytes;
        parse->parsed.body_length = parse->body.length;
    }
    return parse->state == COMPLETE ? HTTP_PARSE_WHOLE : parse->state == REFUSED ? HTTP_PARSE_REFUSED : HTTP_PARSE_MORE;
}
