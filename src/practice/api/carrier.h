/* carrier.h: an upgraded connection as the streams of Pods use it: SPDY/3.1's bytes, or WebSocket messages (binary, or texts with base64 in them), bounded both ways.
 *
 * Callbacks come from the loop, never from inside a function below; each may call any of them. After `closed`, and after carrier_finish, there is no carrier any more.
 */
#ifndef KT_PRACTICE_API_CARRIER_H
#define KT_PRACTICE_API_CARRIER_H

#include <stdbool.h>
#include <stddef.h>

#include "loop/loop.h"
#include "net/http.h"

struct carrier;

enum carrier_kind {
    CARRIER_BYTES,  /* Upgrade: SPDY/3.1 */
    CARRIER_BINARY, /* WebSocket: messages as they are */
    CARRIER_BASE64, /* WebSocket: a message is a digit and base64; here the digit's number and the bytes */
};

enum { CARRIER_PIECE = 32 << 10 /* bytes of a message that a sender should not go beyond */ };

struct carrier_events {
    /* Bytes, or a message; the number that was taken. What was left is offered again after carrier_resume, and nothing is read meanwhile. begins: the beginning of a message. */
    size_t (*received)(void *data, const void *bytes, size_t length, bool begins);
    void (*room)(void *data);   /* after a carrier_send that did not take all */
    void (*closed)(void *data); /* the other side has closed, or is gone */
    void (*look)(void *data);   /* of bytes: something should be sent that costs nothing: only so a client shows that it is gone while nothing of it is read. NULL for messages */
};

/* Upgrades the request: its answer's headers may have been added before. protocol: the Sec-WebSocket-Protocol that is answered; NULL: none. Takes the request over. NULL: no memory (or the client is gone), and the request is
 * as it was; or the WebSocket's key is missing or of another version: *refusal says so (NULL else). */
struct carrier *carrier_new(struct loop *loop, struct http_request *request, enum carrier_kind kind, const char *protocol, const struct carrier_events *events, void *data, const char **refusal)
    __attribute__((warn_unused_result));
/* Bytes: the number that was taken. Messages: all or nothing (0). A message of length 0 needs no room. */
size_t carrier_send(struct carrier *carrier, const void *bytes, size_t length) __attribute__((warn_unused_result));
void carrier_resume(struct carrier *carrier);
/* Something that should have been sent is lost (no memory): `closed` will come. */
void carrier_fail(struct carrier *carrier);
/* Closes in order, after all that was sent: a WebSocket with code 1000. */
void carrier_finish(struct carrier *carrier);

#endif
