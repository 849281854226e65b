/* tls.h: the server's end of TLS connections (OpenSSL): handshake, read, write on a descriptor that does not block. Internal to this folder.
 *
 * Not libevent's bufferevent_openssl: docs/measured.md, "HTTP server", says why.
 */
#ifndef KT_NET_TLS_H
#define KT_NET_TLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct tls_context; /* certificate and rules, shared by the connections */
struct tls;

enum { TLS_RECORD = 16 * 1024 }; /* the most that one read gives, if asked for so much, and that one write takes */

enum tls_result {
    TLS_DONE,
    TLS_AGAIN,  /* wait until the descriptor is readable, or writable where tls_wants_write */
    TLS_END,    /* the other side has closed its half */
    TLS_FAILED, /* the connection is of no more use; the other side was told why, where TLS can */
    TLS_PLAIN,  /* of a handshake: it speaks HTTP without TLS */
};

/* Who is at the other end, by its certificate. Counted: connections and their requests share it. */
struct peer {
    unsigned holders;
    char *name;
    char **organizations; /* NULL-terminated */
};

/* All PEM; authority NULL: clients are asked for no certificate. ERROR_INPUT: one of them cannot be read, or the key is another one's. */
struct tls_context *tls_context_new(const char *certificate, const char *key, const char *authority, struct error *err)
    __attribute__((warn_unused_result));
void tls_context_free(struct tls_context *context); /* its connections must be gone; NULL is fine */

/* The descriptor stays the caller's. NULL: no memory. */
struct tls *tls_new(struct tls_context *context, int fd) __attribute__((warn_unused_result));
void tls_free(struct tls *tls); /* says nothing to the other side; NULL is fine */

enum tls_result tls_handshake(struct tls *tls);
/* Reads at least one byte on TLS_DONE. With a room of TLS_RECORD nothing is left inside. */
enum tls_result tls_read(struct tls *tls, void *bytes, size_t room, size_t *length);
/* Writes at least one byte on TLS_DONE. After TLS_AGAIN the next write must begin with the same bytes. */
enum tls_result tls_write(struct tls *tls, const void *bytes, size_t length, size_t *written);
/* True if the last TLS_AGAIN of a handshake or a read waits for room to write. */
bool tls_wants_write(const struct tls *tls);
/* Tells the other side that no more comes, if that is possible at once. */
void tls_close_notify(struct tls *tls);

/* After the handshake. *peer is NULL where no certificate was shown. False: no memory. */
bool tls_peer(const struct tls *tls, struct peer **peer) __attribute__((warn_unused_result));
struct peer *peer_hold(struct peer *peer); /* NULL is fine */
void peer_release(struct peer *peer);      /* NULL is fine */

#endif
