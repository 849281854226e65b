/* web.h: what the tests of the HTTP server share: a server on a loop, and a TLS client (OpenSSL) that lets the loop run while it waits. One thread. A wait
 * that would not end fails after LONG_MS instead.
 */
#ifndef KT_TESTS_NET_WEB_H
#define KT_TESTS_NET_WEB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "loop/loop.h"
#include "net/crypto.h"
#include "net/http.h"

enum { LONG_MS = 20000 };

/* A server, and certificates of two authorities, ours and a strange one. */
struct web {
    struct loop *loop;
    struct http_server *server;
    struct http_options options;
    struct crypto_key *authority_key, *server_key, *client_key;
    char *authority, *certificate, *key_pem, *client, *strange_client, *client_key_pem;
    /* what the usual handler does with a request: web_echo, unless a test sets its own */
    void (*handler)(struct web *web, struct http_request *request);
    struct http_request *held; /* by web_hold */
    int requests;
    void *data; /* a test's own */
};

/* Makes loop and certificates; options may be set before web_start. */
struct web *web_new(void);
void web_start(struct web *web);
/* Frees the server too, if it is still there. */
void web_free(struct web *web);

/* Answers 200 with "METHOD PATH?QUERY BODY". */
void web_echo(struct web *web, struct http_request *request);
/* Keeps it in web->held. */
void web_hold(struct web *web, struct http_request *request);

struct client_options {
    bool certificate, strange; /* shows ours, or the strange one */
    int receive_buffer;        /* bytes of the socket's; 0: as usual */
    int version;               /* TLS1_2_VERSION; 0: any */
    const char *protocols;     /* ALPN's list, NULL: none offered */
    SSL_SESSION *session;      /* to be resumed; NULL: none */
};

struct client {
    struct web *web;
    int fd;
    SSL_CTX *context;
    SSL *ssl;
    struct buf got;
    bool ended;       /* the server closed its half */
    bool orderly;     /* and said so by TLS */
    bool failed;      /* the connection was refused or reset */
    char reason[128]; /* OpenSSL's word */
};

/* Connects and shakes hands; a refusal shows in `failed`. */
struct client *client_new(struct web *web, const struct client_options *options);
void client_free(struct client *client); /* closes without a word */
/* Writes all of it, or notes `failed`. */
void client_send(struct client *client, const void *bytes, size_t length);
void client_say(struct client *client, const char *text);
/* Says that nothing more is sent, and goes on reading. */
void client_end(struct client *client);
/* Reads until the text is in `got`, or the server ended. Returns where it ends, or NULL. */
const char *client_until(struct client *client, const char *text);
void client_drain(struct client *client); /* until the server ended */
/* Reads what is there now, after one round of the loop. */
void client_poll(struct client *client);
/* Reads one answer: head, and body by Content-Length or chunks (put together). Takes it out of `got`. -1: the server ended before. */
int client_answer(struct client *client, struct buf *head, struct buf *body);
/* Sends a request and expects this status and body. */
void client_ask(struct client *client, const char *request, int status, const char *body);

/* Runs the loop until the condition holds. */
#define web_until(web, condition)                                                                                                          \
    do {                                                                                                                                   \
        int64_t web_end = web_now() + LONG_MS;                                                                                             \
        while (!(condition)) {                                                                                                             \
            assert_true(web_now() < web_end);                                                                                              \
            loop_once((web)->loop, 20);                                                                                                    \
        }                                                                                                                                  \
    } while (0)
int64_t web_now(void);
int open_descriptors(void);

#endif
