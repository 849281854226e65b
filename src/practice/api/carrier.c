#include "practice/api/carrier.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/units.h"
#include "net/ws.h"

enum {
    LOOK_MS = 5000,            /* while the client is not read, its end is looked for */
    SLICE = 4096,              /* bytes that are fed at a time: what is left of them when a message must wait stays in the connection */
    HIGH = 128 << 10,          /* bytes that wait to go out: above it messages are refused */
    WAITING = WS_MESSAGE_MAXIMUM + 16 * SLICE,
};

struct carrier {
    struct http_request *request;
    enum carrier_kind kind;
    struct carrier_events events;
    void *data;
    struct ws *ws;             /* NULL: bytes */
    struct loop_event *again;  /* does from the loop what must not be done inside a call */
    struct loop_event *look;
    struct buf waiting;        /* messages that were not taken yet, each behind its length; the first one's front may be gone */
    size_t waiting_at;
    bool begun;                /* so it is */
    bool refused, wants_room;
    bool finishing;            /* no events any more; it frees itself when all is sent */
    bool failed;               /* the connection is of no more use */
    bool over;                 /* the other side has closed */
    unsigned frames;           /* that work on it: it is freed when the last one leaves */
    bool dead;                 /* it has let go of the connection */
};

/* --- its end --- */

static void release(struct carrier *carrier)
{
    if (--carrier->frames > 0 || !carrier->dead)
        return;
    ws_free(carrier->ws);
    loop_drop(carrier->again);
    loop_drop(carrier->look);
    buf_free(&carrier->waiting);
    mem_free(carrier);
}

/* Lets go of the connection. */
static void leave(struct carrier *carrier)
{
    if (carrier->dead)
        return;
    carrier->dead = true;
    if (carrier->request != NULL)
        http_leave(carrier->request);
    carrier->request = NULL;
}

/* The other side has closed or is gone: tells it, once. */
static void tell_closed(struct carrier *carrier)
{
    if (carrier->dead)
        return;
    bool tell = !carrier->finishing;
    leave(carrier);
    if (tell)
        carrier->events.closed(carrier->data);
}

/* --- bytes out --- */

static void flush(struct carrier *carrier)
{
    size_t length;
    for (const char *bytes; carrier->ws != NULL && !carrier->dead && (bytes = ws_output(carrier->ws, &length)) != NULL;) {
        size_t sent = http_send(carrier->request, bytes, length);
        ws_output_sent(carrier->ws, sent);
        if (sent < length)
            return;
    }
    if (carrier->finishing)
        leave(carrier);
}

void carrier_fail(struct carrier *carrier)
{
    carrier->failed = true;
    loop_set_timer(carrier->again, 0);
}

size_t carrier_send(struct carrier *carrier, const void *bytes, size_t length)
{
    if (carrier->failed || carrier->dead)
        return length;
    if (carrier->ws == NULL) {
        size_t sent = http_send(carrier->request, bytes, length);
        carrier->wants_room |= sent < length;
        return sent;
    }
    if (length > 1 && ws_queued(carrier->ws) > HIGH) {
        carrier->wants_room = true;
        return 0;
    }
    char *text = NULL;
    bool sent;
    if (carrier->kind == CARRIER_BASE64) {
        char *packed = length > 0 ? base64_encode((const char *)bytes + 1, length - 1) : mem_string("");
        text = packed != NULL ? mem_printf("%c%s", '0' + *(const char *)bytes, packed) : NULL;
        mem_free(packed);
        sent = text != NULL && ws_send_text(carrier->ws, text, strlen(text), NULL);
        mem_free(text);
    } else
        sent = ws_send_binary(carrier->ws, bytes, length, NULL);
    if (!sent) {
        carrier_fail(carrier);
        return length;
    }
    carrier->frames++;
    flush(carrier);
    carrier->frames--;
    return length;
}

void carrier_finish(struct carrier *carrier)
{
    carrier->finishing = true;
    carrier->frames++;
    if (carrier->ws != NULL)
        ws_close(carrier->ws, WS_CODE_NORMAL, NULL);
    flush(carrier);
    release(carrier);
}

/* --- bytes in --- */

/* Offers the messages that wait. */
static void offer(struct carrier *carrier)
{
    struct buf *waiting = &carrier->waiting;
    while (!carrier->refused && !carrier->dead && !carrier->finishing && carrier->waiting_at < waiting->length) {
        size_t length, taken;
        char *at = waiting->bytes + carrier->waiting_at;
        memcpy(&length, at, sizeof length);
        bool begins = !carrier->begun;
        taken = carrier->events.received(carrier->data, at + sizeof length, length, begins);
        carrier->refused = taken < length;
        carrier->begun = carrier->refused && (carrier->begun || taken > 0);
        carrier->waiting_at += carrier->refused ? taken : sizeof length + length;
        if (carrier->refused) { /* its length stands before what is left of it */
            length -= taken;
            memmove(at + taken, &length, sizeof length);
        }
    }
    if (carrier->waiting_at == waiting->length) {
        buf_free(waiting);
        carrier->waiting_at = 0;
    }
}

static void keep(struct carrier *carrier, const char *bytes, size_t length)
{
    if (carrier->waiting_at > 0) {
        memmove(carrier->waiting.bytes, carrier->waiting.bytes + carrier->waiting_at, carrier->waiting.length - carrier->waiting_at);
        carrier->waiting.length -= carrier->waiting_at;
        carrier->waiting_at = 0;
    }
    buf_append(&carrier->waiting, &length, sizeof length);
    buf_append(&carrier->waiting, bytes, length);
    carrier->failed |= !buf_ok(&carrier->waiting);
}

static void take_message(struct carrier *carrier, const char *bytes, size_t length)
{
    if (carrier->refused || carrier->waiting.length > 0) {
        keep(carrier, bytes, length);
        return;
    }
    size_t taken = carrier->events.received(carrier->data, bytes, length, true);
    if (taken >= length || carrier->dead || carrier->finishing)
        return;
    carrier->refused = true;
    carrier->begun = taken > 0;
    keep(carrier, bytes + taken, length - taken);
}

static void on_message(void *data, enum ws_kind kind, const char *bytes, size_t length)
{
    struct carrier *carrier = data;
    (void)kind;
    if (carrier->dead || carrier->finishing || length == 0)
        return;
    if (carrier->kind != CARRIER_BASE64) {
        take_message(carrier, bytes, length);
        return;
    }
    size_t plain_length;
    char *plain = base64_decode(bytes + 1, length - 1, &plain_length);
    char *message = plain != NULL ? mem_alloc(plain_length + 1) : NULL;
    if (message != NULL) {
        message[0] = (char)(bytes[0] - '0');
        memcpy(message + 1, plain, plain_length);
        take_message(carrier, message, plain_length + 1);
    } else if (base64_valid(bytes + 1, length - 1)) /* what is malformed is passed over, as the real one does */
        carrier->failed = true;
    mem_free(plain);
    mem_free(message);
}

static void on_close(void *data, unsigned code, const char *reason)
{
    struct carrier *carrier = data;
    (void)code, (void)reason;
    carrier->over = true;
}

/* Who is not read is gone unseen: his end stands behind what was not read. A word to him brings it out. */
static void on_look(void *data)
{
    struct carrier *carrier = data;
    if (!carrier->refused || carrier->dead)
        return;
    carrier->frames++;
    if (http_gone(carrier->request)) {
        tell_closed(carrier);
    } else {
        if (carrier->ws == NULL)
            carrier->events.look(carrier->data);
        else if (ws_ping(carrier->ws, NULL))
            flush(carrier);
        loop_set_timer(carrier->look, LOOK_MS);
    }
    release(carrier);
}

/* After bytes came, or when it must be looked at. */
static void settle(struct carrier *carrier)
{
    flush(carrier);
    if (carrier->failed || carrier->over)
        tell_closed(carrier);
}

static size_t on_received(void *data, const void *bytes, size_t length)
{
    struct carrier *carrier = data;
    size_t at = 0;
    carrier->frames++;
    if (carrier->finishing)
        at = length;
    else if (carrier->ws == NULL) {
        at = carrier->events.received(carrier->data, bytes, length, true);
        carrier->refused = at < length;
    }
    while (at < length && carrier->ws != NULL && !carrier->refused && !carrier->failed && !carrier->dead) {
        size_t slice = length - at < SLICE ? length - at : SLICE;
        carrier->failed = !ws_feed(carrier->ws, (const char *)bytes + at, slice, NULL) || carrier->failed;
        at += slice;
    }
    if (carrier->refused && !carrier->dead)
        loop_set_timer(carrier->look, LOOK_MS);
    settle(carrier);
    release(carrier);
    return at;
}

static void on_room(void *data)
{
    struct carrier *carrier = data;
    carrier->frames++;
    flush(carrier);
    if (!carrier->dead && !carrier->finishing && carrier->wants_room && (carrier->ws == NULL || ws_queued(carrier->ws) <= HIGH / 2)) {
        carrier->wants_room = false;
        carrier->events.room(carrier->data);
    }
    settle(carrier);
    release(carrier);
}

static void on_ended(void *data)
{
    struct carrier *carrier = data;
    carrier->frames++;
    if (!carrier->finishing) /* then it only reads on */
        tell_closed(carrier);
    release(carrier);
}

static void on_closed(void *data)
{
    struct carrier *carrier = data;
    carrier->frames++;
    carrier->request = NULL;
    tell_closed(carrier);
    release(carrier);
}

static void on_again(void *data)
{
    struct carrier *carrier = data;
    carrier->frames++;
    offer(carrier);
    if (!carrier->refused && !carrier->dead)
        http_resume(carrier->request);
    if (!carrier->dead)
        settle(carrier);
    release(carrier);
}

void carrier_resume(struct carrier *carrier)
{
    carrier->refused = false;
    loop_set_timer(carrier->again, 0);
}

/* --- its birth --- */

static bool accept_key(struct http_request *request, const char *protocol, const char **refusal)
{
    char accept[WS_ACCEPT_ROOM];
    const char *key = http_header(request, "Sec-WebSocket-Key"), *version = http_header(request, "Sec-WebSocket-Version");
    if (version == NULL || strcmp(version, "13") != 0)
        *refusal = "missing or bad WebSocket Version";
    else if (key == NULL || key[0] == '\0')
        *refusal = "mismatch challenge/response";
    if (*refusal != NULL || !ws_make_accept(key, accept, NULL))
        return false;
    http_add_header(request, "Sec-WebSocket-Accept", accept);
    if (protocol != NULL)
        http_add_header(request, "Sec-WebSocket-Protocol", protocol);
    return true;
}

struct carrier *carrier_new(struct loop *loop, struct http_request *request, enum carrier_kind kind, const char *protocol, const struct carrier_events *events, void *data, const char **refusal)
{
    static const struct http_upgraded upgraded = {on_received, on_room, on_ended, on_closed};
    static const struct ws_callbacks callbacks = {.message = on_message, .closed = on_close};
    *refusal = NULL;
    struct carrier *carrier = http_alive(request) ? mem_zero(1, sizeof *carrier) : NULL;
    if (carrier == NULL)
        return NULL;
    carrier->request = request;
    carrier->kind = kind;
    carrier->events = *events;
    carrier->data = data;
    carrier->waiting = buf_make(WAITING);
    carrier->again = loop_add_timer(loop, -1, on_again, carrier);
    carrier->look = loop_add_timer(loop, -1, on_look, carrier);
    carrier->ws = kind != CARRIER_BYTES ? ws_new(WS_SERVER, &callbacks, carrier, NULL) : NULL;
    if (carrier->again == NULL || carrier->look == NULL || (kind != CARRIER_BYTES && (carrier->ws == NULL || !accept_key(request, protocol, refusal)))) {
        carrier->dead = true;
        carrier->frames = 1;
        release(carrier);
        return NULL;
    }
    http_upgrade(request, kind == CARRIER_BYTES ? "SPDY/3.1" : "websocket", &upgraded, carrier);
    return carrier;
}
