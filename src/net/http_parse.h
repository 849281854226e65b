/* http_parse.h: cuts the bytes of a connection into HTTP/1.x requests. No I/O, no connections, no time: it can be fuzzed, and its library replaced.
 *
 * One struct http_parse is one request. Bytes are given in pieces of any size; nothing after the request's last byte is taken. It is strict where two
 * readers of one message could differ: lines end with CR LF, no folded headers, no control characters, no blanks around a header's name, exactly one Host
 * (HTTP/1.1), a length said once and never beside a transfer coding, chunks as RFC 9112 writes them.
 */
#ifndef KT_NET_HTTP_PARSE_H
#define KT_NET_HTTP_PARSE_H

#include <stdbool.h>
#include <stddef.h>

struct http_parse;

enum {
    HTTP_HEAD_MOST = 64 * 1024, /* bytes of a head; also of the lines between and after chunks */
    HTTP_BODY_MOST = 1 << 30,
    HTTP_FIELDS_MOST = 256,     /* headers of a request */
};

enum http_parse_result {
    HTTP_PARSE_MORE,    /* all bytes were taken, the request is not complete */
    HTTP_PARSE_HEAD,    /* the head is complete and a body follows: told once, before any byte of it is taken */
    HTTP_PARSE_WHOLE,   /* the request is complete */
    HTTP_PARSE_REFUSED, /* http_parse_refusal says why; the connection cannot be read on */
};

struct http_field {
    const char *name, *value; /* as sent, without the blanks around the value */
};

/* What is known of a request; all text is the parse's and ends with a NUL. Before HTTP_PARSE_HEAD or HTTP_PARSE_WHOLE everything is empty. */
struct http_parsed {
    const char *method, *path, *query; /* path begins with '/', also where the target was a whole URL; query "" for none */
    const struct http_field *fields;
    size_t field_count;
    bool keep_alive;     /* the client wants the connection to stay */
    bool old;            /* HTTP/1.0: knows neither chunks nor 100 Continue */
    bool wants_continue; /* it waits for 100 Continue before it sends the body */
    const char *body;
    size_t body_length;
};

struct http_refusal {
    int status;          /* 400, 413, 417, 431, 500 (no memory), 501 or 505 */
    const char *message; /* a sentence without full stop */
};

/* Maxima above HTTP_HEAD_MOST and HTTP_BODY_MOST are lowered to those. NULL: no memory. */
struct http_parse *http_parse_new(size_t head_maximum, size_t body_maximum) __attribute__((warn_unused_result));
void http_parse_free(struct http_parse *parse); /* NULL is fine */

/* Takes bytes; *taken says how many of them. */
enum http_parse_result http_parse_feed(struct http_parse *parse, const char *bytes, size_t length, size_t *taken);

const struct http_parsed *http_parse_request(const struct http_parse *parse);
/* After HTTP_PARSE_REFUSED. */
struct http_refusal http_parse_refusal(const struct http_parse *parse);

#endif
