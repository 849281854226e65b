/* ws.h: WebSocket (RFC 6455) after the upgrade, for either end: frames, not connections.
 *
 * It does no I/O: the owner of the connection feeds the bytes that came and writes the bytes that are ready. Messages come
 * whole, by callback, fragments put together and text known to be UTF-8. Pings are answered, a close is answered, what breaks
 * the protocol ends it with the right close code. What is sent goes out in the order in which it was queued, close frames too.
 * Bounds: a message that comes in is WS_MESSAGE_MAXIMUM at most; what waits to go out is WS_QUEUE_MAXIMUM bytes and
 * WS_QUEUE_MESSAGES messages at most. No extensions (no compression).
 *
 * The life of a connection:
 *     ws_new; then, until ws_over: bytes came -> ws_feed; connection writable and ws_wants_write -> ws_output, write,
 * ws_output_sent; the connection ended or ws_feed failed and the rest was written -> ws_free. Time-outs are the owner's: an
 * other side that never answers our close, or is silent for long (ws_ping makes it say something).
 */
#ifndef KT_NET_WS_H
#define KT_NET_WS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct ws;

enum {
    WS_MESSAGE_MAXIMUM = 16 << 20, /* bytes of a message that comes in */
    WS_QUEUE_MAXIMUM = 4 << 20,    /* bytes that wait to go out */
    WS_QUEUE_MESSAGES = 4096,      /* their number; twice that with the answers to pings */
};

enum ws_end {
    WS_CLIENT, /* masks what it sends, and refuses masked frames */
    WS_SERVER, /* the other way round */
};

enum ws_kind { WS_TEXT, WS_BINARY };

/* Close codes that we send, and those that callers look for. */
enum ws_code {
    WS_CODE_NORMAL = 1000,
    WS_CODE_GOING_AWAY = 1001,
    WS_CODE_PROTOCOL = 1002,
    WS_CODE_NONE = 1005,     /* never sent: a close frame without a code came */
    WS_CODE_NOT_TEXT = 1007, /* a text, or a reason, that is not UTF-8 */
    WS_CODE_TOO_BIG = 1009,
    WS_CODE_INTERNAL = 1011,
};

/* Called from inside ws_feed (want_write: from whatever queued something). Each may send, close and free; none may call
 * ws_feed. */
struct ws_callbacks {
    /* A whole message. The bytes are borrowed for the call, a NUL follows them. */
    void (*message)(void *data, enum ws_kind kind, const char *bytes, size_t length);
    /* The other side's close frame came, no message follows. Code WS_CODE_NONE if it gave none; the reason is borrowed,
     * NUL-terminated and
     * "" if it gave none. Our own close frame, if none was sent yet, is queued already; data that still waited is lost. NULL is
     * fine. */
    void (*closed)(void *data, unsigned code, const char *reason);
    /* There is output now, and there was none. NULL is fine for owners that ask ws_wants_write. */
    void (*want_write)(void *data);
};

/* The callbacks are copied. NULL: no memory. */
struct ws *ws_new(enum ws_end end, const struct ws_callbacks *callbacks, void *data, struct error *err)
    __attribute__((warn_unused_result));
/* Also from inside a callback: none is called any more then. NULL is fine. */
void ws_free(struct ws *ws);

/* Takes bytes that came, all of them, cut anywhere. False if the other side broke the protocol (ERROR_INPUT; a text that is not
 * UTF-8 too), sent too large a message or more pings than it reads answers (ERROR_LIMIT), or memory ran out (ERROR_MEMORY):
 * then a close frame is queued, and every later call fails the same way. Bytes after a close frame are dropped. If a callback
 * freed it, the result is true, and the caller must not touch it again. */
bool ws_feed(struct ws *ws, const void *bytes, size_t length, struct error *err) __attribute__((warn_unused_result));

/* Queues a message; the bytes are copied. False and nothing queued if the queue is full (ERROR_LIMIT: try again when some was
 * written), a close was sent or came (ERROR_CANCELLED), or memory ran out, or there were no random numbers for the mask
 * (ERROR_INTERNAL). A text must be UTF-8: the other side ends the connection over one that is not. */
bool ws_send_text(struct ws *ws, const char *bytes, size_t length, struct error *err) __attribute__((warn_unused_result));
bool ws_send_binary(struct ws *ws, const void *bytes, size_t length, struct error *err) __attribute__((warn_unused_result));
/* Queues an empty ping; the answer shows only in that bytes come. Fails as the two above. */
bool ws_ping(struct ws *ws, struct error *err) __attribute__((warn_unused_result));
/* Bytes that wait to be written, for flow control by those who send much. */
size_t ws_queued(const struct ws *ws);

/* Says that nothing more is sent: the close frame goes out after all that waits. Messages still come until the other side's
 * close. The reason may be NULL; of one over 123 bytes the beginning is sent. A second call changes nothing. */
void ws_close(struct ws *ws, enum ws_code code, const char *reason);

/* True if ws_output has something. */
bool ws_wants_write(const struct ws *ws);
/* The next bytes to be written (a frame, or what is left of one), borrowed until ws_output_sent or ws_free; NULL and 0 if there
 * are none. */
const char *ws_output(const struct ws *ws, size_t *length) __attribute__((warn_unused_result));
/* So many of them were written; no more than ws_output gave. */
void ws_output_sent(struct ws *ws, size_t length);

/* True once nothing more will be read or written: both close frames went, or ours went after a failure. The connection can be
 * closed. */
bool ws_over(const struct ws *ws);

/* The handshake's secret: a client sends a random Sec-WebSocket-Key, a server answers with the Sec-WebSocket-Accept for it (not
 * for safety: it shows that the server speaks WebSocket and the answer is none from a cache). */
enum { WS_KEY_ROOM = 25, WS_ACCEPT_ROOM = 29 }; /* base64 of 16 and of 20 bytes, and a NUL */
bool ws_make_key(char key[WS_KEY_ROOM], struct error *err) __attribute__((warn_unused_result));
bool ws_make_accept(const char *key, char accept[WS_ACCEPT_ROOM], struct error *err) __attribute__((warn_unused_result));
/* False (ERROR_INPUT) if the header's value, blanks around it removed, is not the one for the key; NULL: the header was
 * missing. */
bool ws_check_accept(const char *key, const char *accept, struct error *err) __attribute__((warn_unused_result));

#endif
