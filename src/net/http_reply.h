/* http_reply.h: reads what an HTTP/1.x server answers: head, then the body in pieces as they come. No I/O. It is as lenient as clients must be (lines may end with LF alone), and bounded: a head is
 * HTTP_HEAD_MOST bytes at most with HTTP_FIELDS_MOST headers; a body may be of any length, nothing of it is kept.
 */
#ifndef KT_NET_HTTP_REPLY_H
#define KT_NET_HTTP_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/http_parse.h"

struct http_reply;

/* head_only: it answers a HEAD, and has no body whatever its head says. NULL: no memory. */
struct http_reply *http_reply_new(bool head_only) __attribute__((warn_unused_result));
void http_reply_free(struct http_reply *reply); /* NULL is fine */

enum http_reply_result {
    HTTP_REPLY_MORE,   /* all bytes were taken */
    HTTP_REPLY_HEAD,   /* the head is there: told once. Answers of 1xx, but for 101, are passed over */
    HTTP_REPLY_BODY,   /* *body and *length are a piece of it, borrowed from the bytes */
    HTTP_REPLY_DONE,   /* it is complete, what follows is not taken; after a 101 that is the new protocol's */
    HTTP_REPLY_BROKEN, /* it is no HTTP, or too large, or memory ran out */
};
/* Takes bytes; *taken says how many. To be called until it says MORE, DONE or BROKEN. */
enum http_reply_result http_reply_feed(struct http_reply *reply, const char *bytes, size_t length, size_t *taken, const char **body, size_t *body_length);
/* The other side has closed: true if that completes it. */
bool http_reply_end(struct http_reply *reply);

/* After HTTP_REPLY_HEAD. */
int http_reply_status(const struct http_reply *reply);
const struct http_field *http_reply_fields(const struct http_reply *reply, size_t *count);
const char *http_reply_header(const struct http_reply *reply, const char *name); /* the first of that name; NULL: none */
bool http_reply_length(const struct http_reply *reply, uint64_t *length);        /* what Content-Length says; false: it says nothing, or the body is chunked */

#endif
