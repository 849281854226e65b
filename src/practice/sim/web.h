/* web.h: an HTTP/1.1 server inside a sandbox, without a stack of its own: connections, requests, keep-alive. What is answered is the program's.
 */
#ifndef KT_PRACTICE_SIM_WEB_H
#define KT_PRACTICE_SIM_WEB_H

#include "base/buf.h"
#include "practice/sim/net.h"

struct web_request { /* borrowed for the call */
    const char *method, *path, *query; /* path decoded no further than it came; query "" for none */
    const char *head;                  /* the whole head: header lines */
    const char *body;
    size_t body_length;
    const char *peer;                  /* its address */
};
struct web_answer {
    int code;
    const char *type;   /* a constant */
    const char *more;   /* header lines, each with its end; or NULL */
    struct buf body;    /* made by the caller of the handler, filled by it */
};
typedef void web_handler(void *data, const struct web_request *request, struct web_answer *answer);

struct web;
/* Listens in the task's sandbox. NULL: *error is -EADDRINUSE or -ENOMEM. */
struct web *web_new(struct task *task, uint16_t port, const char *server, web_handler *handler, void *data, int *error) __attribute__((warn_unused_result));
void web_free(struct web *web); /* closes all; NULL is fine */
/* A header's value in a head, copied; the caller frees. NULL: not there, or no memory. */
char *web_header(const char *head, const char *name) __attribute__((warn_unused_result));
const char *web_reason(int code);

#endif
