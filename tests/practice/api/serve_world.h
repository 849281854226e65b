/* serve_world.h: the whole server on a loop, and a TLS client that lets the loop run while it waits. One thread: allocations can be made to fail, and
 * what is left is counted. A wait that would not end fails after LONG_MS instead.
 */
#ifndef KT_TESTS_SERVE_WORLD_H
#define KT_TESTS_SERVE_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <openssl/ssl.h>
#include <stdbool.h>

#include "base/buf.h"
#include "data/value.h"
#include "loop/loop.h"
#include "practice/api/server.h"

enum { LONG_MS = 60000 };

struct serve_world {
    struct loop *loop;
    struct server *server;
    struct server_options options;
    char *pems[6]; /* authority, server, its key, admin, its key, token key */
    SSL_CTX *admin, *nobody;
};

/* Ephemeral, unless path is given. */
void serve_open(struct serve_world *world, const char *path);
void serve_close(struct serve_world *world);
/* Stops and starts the server at the same path. */
void serve_again(struct serve_world *world);

struct line {
    struct serve_world *world;
    int fd;
    SSL *ssl;
    struct buf got;
    bool ended;
};

/* Connects; anonymous: without a certificate. receive_buffer 0: as usual. */
struct line *line_open(struct serve_world *world, bool anonymous, int receive_buffer);
void line_close(struct line *line);
/* Sends a request; headers: whole lines, each with \r\n; body NULL: none. */
void line_send(struct line *line, const char *method, const char *path, const char *headers, const char *body);

struct got {
    int code;
    char *type; /* Content-Type */
    char *head; /* all headers */
    char *text; /* the body */
    size_t length;
    struct value *json; /* parsed; NULL: it is none */
};
/* Reads one whole answer. */
void line_answer(struct line *line, struct got *got);
/* Reads an answer's head alone. */
void line_head(struct line *line, struct got *got);
/* Bytes as they are; and what is there of the other side's, in `got`, else a round of the loop. False: it has ended. */
void line_write(struct line *line, const void *bytes, size_t length);
bool line_more(struct line *line);
void got_free(struct got *got);
/* Sends and reads. */
void line_ask(struct line *line, const char *method, const char *path, const char *headers, const char *body, struct got *got);
/* The same on a connection of its own, as admin. */
void serve_ask(struct serve_world *world, const char *method, const char *path, const char *headers, const char *body, struct got *got);
/* Asks, expects the code and frees. */
void serve_do(struct serve_world *world, const char *method, const char *path, const char *body, int code);

/* A watch: its answer's head is read, then an event a line. */
struct line *watch_open(struct serve_world *world, const char *path, int receive_buffer);
/* The next event as a document (the caller frees); NULL: the watch ended in order. */
struct value *watch_event(struct line *watch);
/* Expects an event of this type and name ("" for none); returns its version. */
uint64_t watch_expect(struct line *watch, const char *type, const char *name);
/* True if nothing comes for some rounds of the loop. */
bool watch_is_quiet(struct line *watch);

uint64_t version_of(const struct value *document); /* metadata.resourceVersion */

#endif
