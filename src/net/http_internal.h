/* http_internal.h: what the files of the server know of each other.
 *
 *     http_server.c      listening, time-outs, turns
 *     http_connection.c  one connection: handshake, bytes to requests, the queue to the wire, its end
 *     http_request.c     what a handler reads of a request
 *     http_answer.c      answers, whole and streamed
 *     http_upgrade.c     connections that became byte streams
 *
 * A connection ends (connection_destroy) at any time, also inside a handler; its memory stays until the last frame that works on it has left
 * (connection_enter, connection_leave), the server's until its last connection's. A request outlives its connection until it is answered.
 *
 * Functions that handlers call (http_answer and the like) never end a connection and never call a handler: they note what has happened, and a turn of
 * the connection (server_ready) does the rest from the loop.
 */
#ifndef KT_NET_HTTP_INTERNAL_H
#define KT_NET_HTTP_INTERNAL_H

#include <sys/queue.h>

#include "net/http.h"
#include "net/http_parse.h"
#include "net/queue.h"
#include "net/tls.h"

enum {
    HTTP_PIECE = 64 * 1024,               /* about what a source writes at a time */
    HTTP_LOW = HTTP_UNSENT - HTTP_PIECE,  /* below it a source is asked for more */
    HTTP_UNPARSED = 64 * 1024,            /* of requests behind the one that is being answered; then nothing is read */
    HTTP_BODIES = 192 << 20,              /* of all bodies together that are still coming */
};

/* What is waited for; each kind has one span of time, so that its list is in order of the ends. */
enum wait { WAIT_NONE, WAIT_HEAD, WAIT_BODY, WAIT_IDLE, WAIT_LINGER, WAIT_WRITE, WAIT_QUIET, WAIT_KINDS };

struct waiting {
    struct connection *connection;
    enum wait kind;
    int64_t until; /* monotonic, ms */
    TAILQ_ENTRY(waiting) entry;
};

struct connection {
    struct http_server *server;
    TAILQ_ENTRY(connection) all, turn;
    int fd;
    struct loop_event *event;
    struct tls *tls;   /* NULL: lingering */
    struct peer *peer; /* NULL: no certificate */

    struct http_parse *parse;     /* the request that is coming; NULL: between two */
    size_t held;                  /* bytes of its body, as they came */
    struct http_request *request; /* with the handler, or streamed; NULL: the next one may be cut */
    struct buf unparsed;          /* what came behind it; its first unparsed_at bytes are done with */
    size_t unparsed_at;
    struct queue queue;
    uint64_t sent, sent_then;     /* bytes written; and when `writing` began to wait */
    struct waiting reading, writing;

    bool open;      /* the handshake is done */
    bool in_body;   /* the head of `parse` is complete */
    bool ended;     /* the other side has closed its half */
    bool closing;   /* no more requests: once the queue is empty, it ends */
    bool broken;    /* ends at once */
    bool lingering; /* our half is closed; what still comes is thrown away, so that the answer is not lost in a reset */
    bool ready;     /* in the list of turns */
    bool dead;      /* everything is freed but this struct */
    unsigned frames;
};

/* The values of a header that came several times. */
struct joined {
    const char *name;
    char *value; /* owned */
};

struct http_request {
    struct connection *connection; /* NULL: gone */
    struct http_parse *parse;
    const struct http_parsed *parsed;
    struct joined *joined;
    size_t joined_count;
    struct peer *peer;
    int64_t began_ms;

    struct buf head; /* headers of the answer to come */
    bool failed;     /* one of them could not be added */
    int status;
    size_t bytes;    /* of the answer's body, as sent */

    bool streaming, asleep, in_more, woken; /* in_more: a callback of its owner is running */
    bool upgraded, refused, wants_room, told_end, ending, end_sent; /* refused: `received` did not take all */
    struct http_upgraded upgrade;
    bool bodiless, chunked, sized;
    uint64_t size; /* if sized: of the body */
    struct http_source source;
    void *data;
    struct gzip *gzip;
    struct buf piece;  /* what the source writes now */
    struct buf packed; /* the same, compressed */
};

TAILQ_HEAD(waitings, waiting);
TAILQ_HEAD(connections, connection);

struct http_server {
    struct loop *loop;
    struct http_options options; /* texts in it are not kept */
    int64_t span[WAIT_KINDS];
    struct tls_context *tls;
    int fd;
    uint16_t port;
    struct loop_event *listener;
    bool accepting;
    int64_t accept_again; /* when a lack of descriptors made it pause; INT64_MAX: no */

    struct connections all, turns;
    size_t count;
    size_t held; /* by bodies that are coming, at most about HTTP_BODIES */
    struct waitings waits[WAIT_KINDS];
    struct loop_event *timer, *turn;
    int64_t timer_at;     /* INT64_MAX: idle */
    int64_t turn_until;   /* monotonic, us: when the turn that runs gives way to others */

    struct buf head;      /* where heads of answers are composed */
    char date[96];
    int64_t date_second;
    char input[TLS_RECORD];

    bool over;            /* http_server_free was called */
    unsigned holders;     /* its owner, connections, frames */
};

/* http_server.c */
void server_hold(struct http_server *server);
void server_release(struct http_server *server);
void server_wait(struct waiting *waiting, enum wait kind); /* restarts it; WAIT_NONE: waits for nothing */
void server_ready(struct connection *connection);          /* it gets a turn, from the loop */
void server_forget(struct connection *connection);         /* takes it out of every list */
/* Bytes of a body came, or (0) it is complete or given up. Where all bodies together are too much, those that pause longest are given up. */
void server_hold_body(struct connection *connection, size_t length);

/* http_connection.c */
/* Takes the descriptor, also on failure. */
void connection_new(struct http_server *server, int fd);
void connection_enter(struct connection *connection);
void connection_leave(struct connection *connection);
void connection_destroy(struct connection *connection);
void connection_turn(struct connection *connection);
void connection_expired(struct connection *connection, enum wait kind);
/* Others need its place: it ends at once, without an answer. */
void connection_give_up(struct connection *connection);
/* Writes what can be written at once and queues a copy of the rest. */
void connection_send(struct connection *connection, const char *bytes, size_t length);
/* The same, but the rest is moved: the bytes are the buffer's, which is empty afterwards or, if all were written, cleared. */
void connection_send_buf(struct connection *connection, struct buf *buf);
/* To be called last by what handlers call: arranges for what follows. */
void connection_changed(struct connection *connection);
/* The request is answered: detaches it, so that the next one may come. last: the connection ends after it. */
void connection_answered(struct connection *connection, bool last);

/* What came of an upgraded connection and was not taken yet; NULL: nothing. */
const char *connection_unparsed(const struct connection *connection, size_t *length);
void connection_take_unparsed(struct connection *connection, size_t length);
/* Its handler has let go: what waits is sent, what came is dropped. */
void connection_left(struct connection *connection);

/* http_request.c */
/* Takes the parse, on failure too. */
struct http_request *request_new(struct connection *connection, struct http_parse *parse) __attribute__((warn_unused_result));
void request_free(struct http_request *request);
void request_log(const struct http_request *request, struct log *log);

/* http_answer.c */
/* A Status as the answer to what is no request; the connection ends after it. */
void answer_refusal(struct connection *connection, int status, const char *message);
/* Asks the source of connection->request, as long as there is room. */
void answer_pump(struct connection *connection);
/* The connection is gone under a request: ends its source, or leaves it to be answered in vain. */
void answer_lost(struct http_request *request);
/* Sends the head of a 101. */
void answer_switch(struct http_request *request);

/* http_upgrade.c */
/* Tells the owner of connection->request what came, the client's end, and that there is room. */
void upgrade_pump(struct connection *connection);
/* The connection is gone under it. */
void upgrade_lost(struct http_request *request, struct log *log);

#endif
