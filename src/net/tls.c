#include "net/tls.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "base/mem.h"
#include "net/internal.h"

struct tls_context {
    SSL_CTX *ssl;
    BIO_METHOD *socket;
};

struct tls {
    SSL *ssl;
    bool wants_write;
};

/* --- the descriptor, as OpenSSL sees it: its own would raise SIGPIPE when the other side is gone --- */

static int socket_write(BIO *bio, const char *bytes, size_t length, size_t *written)
{
    ssize_t sent = send((int)(intptr_t)BIO_get_data(bio), bytes, length, MSG_NOSIGNAL);
    BIO_clear_retry_flags(bio);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_retry_write(bio);
    *written = sent > 0 ? (size_t)sent : 0;
    return sent > 0;
}

static int socket_read(BIO *bio, char *bytes, size_t room, size_t *length)
{
    ssize_t got = recv((int)(intptr_t)BIO_get_data(bio), bytes, room, 0);
    BIO_clear_retry_flags(bio);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_retry_read(bio);
    if (got == 0)
        BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    *length = got > 0 ? (size_t)got : 0;
    return got > 0;
}

static long socket_control(BIO *bio, int command, long number, void *pointer)
{
    (void)number, (void)pointer;
    if (command == BIO_CTRL_EOF)
        return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
    return command == BIO_CTRL_FLUSH; /* nothing is held back */
}

static BIO_METHOD *socket_method(void)
{
    BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "socket");
    if (method != NULL && BIO_meth_set_write_ex(method, socket_write) == 1 && BIO_meth_set_read_ex(method, socket_read) == 1 &&
        BIO_meth_set_ctrl(method, socket_control) == 1)
        return method;
    BIO_meth_free(method);
    return NULL;
}

/* --- the context --- */

/* A client that offers protocols must offer this one. */
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *length, const unsigned char *offered, unsigned offered_length,
                           void *data)
{
    static const unsigned char ours[] = "\x08http/1.1";
    (void)ssl, (void)data;
    unsigned char *chosen;
    if (SSL_select_next_proto(&chosen, length, ours, sizeof ours - 1, offered, offered_length) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

static bool set_rules(SSL_CTX *ssl)
{
    static const unsigned char id[] = "kubetutor"; /* without one, sessions of clients with certificates cannot be resumed */
    SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    /* Moving: what could not be written is copied to the queue and tried again from there. Release: an idle connection keeps no buffers. */
    SSL_CTX_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF); /* sessions are in the tickets that clients keep */
    SSL_CTX_set_alpn_select_cb(ssl, choose_protocol, NULL);
    return SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION) == 1 && SSL_CTX_set_cipher_list(ssl, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 &&
           SSL_CTX_set_session_id_context(ssl, id, sizeof id - 1) == 1;
}

static bool set_identity(SSL_CTX *ssl, const char *certificate_pem, const char *key_pem, struct error *err)
{
    X509 *certificate = crypto_read_certificate(certificate_pem, err);
    struct crypto_key *key = certificate != NULL ? crypto_key_read(key_pem, err) : NULL;
    bool set = key != NULL;
    if (set && (SSL_CTX_use_certificate(ssl, certificate) != 1 || SSL_CTX_use_PrivateKey(ssl, key->pkey) != 1))
        set = crypto_fail(err, ERROR_INPUT, "the server's certificate and key do not belong together");
    crypto_key_free(key);
    X509_free(certificate);
    return set;
}

static bool ask_for_certificates(SSL_CTX *ssl, const char *authority_pem, struct error *err)
{
    X509 *authority = crypto_read_certificate(authority_pem, err);
    if (authority == NULL)
        return false;
    SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER, NULL);
    bool set = X509_STORE_add_cert(SSL_CTX_get_cert_store(ssl), authority) == 1 && SSL_CTX_add_client_CA(ssl, authority) == 1;
    X509_free(authority);
    return set || crypto_fail(err, ERROR_INTERNAL, "cannot set the authority of clients");
}

struct tls_context *tls_context_new(const char *certificate, const char *key, const char *authority, struct error *err)
{
    crypto_memory();
    struct tls_context *context = mem_zero(1, sizeof *context);
    if (context == NULL) {
        error_memory(err);
        return NULL;
    }
    context->ssl = SSL_CTX_new(TLS_server_method());
    context->socket = socket_method();
    if (context->ssl == NULL || context->socket == NULL || !set_rules(context->ssl)) {
        crypto_fail(err, ERROR_INTERNAL, "cannot prepare TLS");
        goto fail;
    }
    if (!set_identity(context->ssl, certificate, key, err) || (authority != NULL && !ask_for_certificates(context->ssl, authority, err)))
        goto fail;
    return context;
fail:
    tls_context_free(context);
    return NULL;
}

void tls_context_free(struct tls_context *context)
{
    if (context == NULL)
        return;
    SSL_CTX_free(context->ssl);
    BIO_meth_free(context->socket);
    mem_free(context);
}

/* --- a connection --- */

struct tls *tls_new(struct tls_context *context, int fd)
{
    struct tls *tls = mem_zero(1, sizeof *tls);
    SSL *ssl = tls != NULL ? SSL_new(context->ssl) : NULL;
    BIO *bio = ssl != NULL ? BIO_new(context->socket) : NULL;
    if (bio == NULL) {
        SSL_free(ssl);
        mem_free(tls);
        ERR_clear_error();
        return NULL;
    }
    BIO_set_data(bio, (void *)(intptr_t)fd);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    SSL_set_accept_state(ssl);
    tls->ssl = ssl;
    return tls;
}

void tls_free(struct tls *tls)
{
    if (tls == NULL)
        return;
    SSL_free(tls->ssl);
    mem_free(tls);
}

static enum tls_result result_of(struct tls *tls, int result)
{
    int error = result == 1 ? SSL_ERROR_NONE : SSL_get_error(tls->ssl, result);
    bool plain = error == SSL_ERROR_SSL && ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST;
    ERR_clear_error();
    tls->wants_write = error == SSL_ERROR_WANT_WRITE;
    if (error == SSL_ERROR_NONE)
        return TLS_DONE;
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)
        return TLS_AGAIN;
    return plain ? TLS_PLAIN : error == SSL_ERROR_ZERO_RETURN ? TLS_END : TLS_FAILED;
}

enum tls_result tls_handshake(struct tls *tls)
{
    ERR_clear_error();
    return result_of(tls, SSL_do_handshake(tls->ssl));
}

enum tls_result tls_read(struct tls *tls, void *bytes, size_t room, size_t *length)
{
    ERR_clear_error();
    return result_of(tls, SSL_read_ex(tls->ssl, bytes, room, length));
}

enum tls_result tls_write(struct tls *tls, const void *bytes, size_t length, size_t *written)
{
    bool wants_write = tls->wants_write; /* of a read: stays so */
    ERR_clear_error();
    enum tls_result result = result_of(tls, SSL_write_ex(tls->ssl, bytes, length < TLS_RECORD ? length : TLS_RECORD, written));
    tls->wants_write = wants_write;
    return result;
}

bool tls_wants_write(const struct tls *tls)
{
    return tls->wants_write;
}

void tls_close_notify(struct tls *tls)
{
    ERR_clear_error();
    if (SSL_is_init_finished(tls->ssl))
        SSL_shutdown(tls->ssl);
    ERR_clear_error();
}

/* --- who it is --- */

static char *entry_text(const X509_NAME *name, int at)
{
    unsigned char *utf8 = NULL;
    int length = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    bool whole = length >= 0 && memchr(utf8, '\0', (size_t)length) == NULL; /* else it would be read as a shorter name */
    char *text = whole ? mem_string_n((const char *)utf8, (size_t)length) : NULL;
    OPENSSL_free(utf8);
    return text;
}

static bool read_names(struct peer *peer, X509_NAME *subject)
{
    int last = -1, count = 0;
    peer->organizations = mem_zero((size_t)X509_NAME_entry_count(subject) + 1, sizeof *peer->organizations);
    if (peer->organizations == NULL)
        return false;
    for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, NID_organizationName, at)) >= 0;)
        if ((peer->organizations[count++] = entry_text(subject, at)) == NULL)
            return false;
    for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, NID_commonName, at)) >= 0;)
        last = at;
    peer->name = last >= 0 ? entry_text(subject, last) : mem_string("");
    return peer->name != NULL;
}

bool tls_peer(const struct tls *tls, struct peer **peer)
{
    *peer = NULL;
    X509 *certificate = SSL_get0_peer_certificate(tls->ssl);
    if (certificate == NULL)
        return true;
    struct peer *made = mem_zero(1, sizeof *made);
    if (made == NULL)
        return false;
    made->holders = 1;
    if (!read_names(made, X509_get_subject_name(certificate))) {
        ERR_clear_error();
        peer_release(made);
        return false;
    }
    *peer = made;
    return true;
}

struct peer *peer_hold(struct peer *peer)
{
    if (peer != NULL)
        peer->holders++;
    return peer;
}

void peer_release(struct peer *peer)
{
    if (peer == NULL || --peer->holders > 0)
        return;
    for (size_t i = 0; peer->organizations != NULL && peer->organizations[i] != NULL; i++)
        mem_free(peer->organizations[i]);
    mem_free(peer->organizations);
    mem_free(peer->name);
    mem_free(peer);
}
