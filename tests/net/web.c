#include "net/web.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/pem.h>

#include "base/clock.h"

int64_t web_now(void)
{
    return clock_monotonic_ms();
}

int open_descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

/* --- the server --- */

static char *certify(enum crypto_use use, const struct crypto_key *key, const char *name, const char *issuer, const struct crypto_key *issuer_key)
{
    static const char *const names[] = {"localhost", "127.0.0.1", NULL};
    static const char *const organizations[] = {"learners", "kubetutor:admins", NULL};
    struct error err = ERROR_INIT;
    int64_t now = clock_wall_ms();
    struct crypto_certificate wanted = {.use = use,
                                        .key = key,
                                        .common_name = name,
                                        .organizations = use == CRYPTO_CLIENT ? organizations : NULL,
                                        .names = use == CRYPTO_SERVER ? names : NULL,
                                        .from_ms = now - 60000,
                                        .until_ms = now + 3600000,
                                        .issuer = issuer,
                                        .issuer_key = issuer_key};
    char *pem = crypto_certificate_new(&wanted, &err);
    assert_non_null(pem);
    return pem;
}

static struct crypto_key *new_key(void)
{
    struct error err = ERROR_INIT;
    struct crypto_key *key = crypto_key_new(&err);
    assert_non_null(key);
    return key;
}

static void on_request(void *data, struct http_request *request)
{
    struct web *web = data;
    web->requests++;
    web->handler(web, request);
}

struct web *web_new(void)
{
    struct error err = ERROR_INIT;
    struct web *web = calloc(1, sizeof *web);
    assert_non_null(web);
    web->loop = loop_new(&err);
    assert_non_null(web->loop);
    web->authority_key = new_key();
    web->server_key = new_key();
    web->client_key = new_key();
    web->authority = certify(CRYPTO_AUTHORITY, web->authority_key, "kubetutor", NULL, NULL);
    web->certificate = certify(CRYPTO_SERVER, web->server_key, "server", web->authority, web->authority_key);
    web->client = certify(CRYPTO_CLIENT, web->client_key, "learner", web->authority, web->authority_key);
    web->strange_client = certify(CRYPTO_CLIENT, web->client_key, "stranger", NULL, NULL);
    web->key_pem = crypto_key_pem(web->server_key, &err);
    web->client_key_pem = crypto_key_pem(web->client_key, &err);
    assert_true(web->key_pem != NULL && web->client_key_pem != NULL);
    web->handler = web_echo;
    web->options = (struct http_options){.address = "127.0.0.1",
                                         .certificate = web->certificate,
                                         .key = web->key_pem,
                                         .client_authority = web->authority,
                                         .request = on_request,
                                         .data = web};
    return web;
}

void web_start(struct web *web)
{
    struct error err = ERROR_INIT;
    web->server = http_server_new(web->loop, &web->options, &err);
    if (web->server == NULL)
        fail_msg("%s (%s)", err.message, err.cause);
}

void web_free(struct web *web)
{
    http_server_free(web->server);
    loop_free(web->loop);
    crypto_key_free(web->authority_key);
    crypto_key_free(web->server_key);
    crypto_key_free(web->client_key);
    mem_free(web->authority);
    mem_free(web->certificate);
    mem_free(web->key_pem);
    mem_free(web->client);
    mem_free(web->strange_client);
    mem_free(web->client_key_pem);
    free(web);
}

void web_echo(struct web *web, struct http_request *request)
{
    (void)web;
    size_t length;
    const char *body = http_body(request, &length);
    assert_int_equal(body[length], '\0');
    struct buf text = buf_make(64 << 20);
    buf_printf(&text, "%s %s?%s ", http_method(request), http_path(request), http_query(request));
    buf_append(&text, body, length);
    http_answer_buf(request, 200, "text/plain", &text);
}

void web_hold(struct web *web, struct http_request *request)
{
    assert_null(web->held);
    web->held = request;
}

/* --- the client --- */

/* OpenSSL's own writes raise SIGPIPE when the server is gone; it is ignored for those alone, so that one of the server's would show. */
static int shake_hands(SSL *ssl)
{
    signal(SIGPIPE, SIG_IGN);
    int result = SSL_connect(ssl);
    signal(SIGPIPE, SIG_DFL);
    return result;
}

static int write_some(SSL *ssl, const char *bytes, size_t length, size_t *written)
{
    signal(SIGPIPE, SIG_IGN);
    int result = SSL_write_ex(ssl, bytes, length, written);
    signal(SIGPIPE, SIG_DFL);
    return result;
}

static void ready(void *data, int what)
{
    (void)data, (void)what; /* that it is ready ends the round */
}

static void wait_for(struct client *client, int what)
{
    struct loop_event *event = loop_add_fd(client->web->loop, client->fd, what, ready, NULL);
    assert_non_null(event);
    loop_once(client->web->loop, 20);
    loop_drop(event);
}

/* Looks at what OpenSSL said. True: try again. */
static bool again(struct client *client, int result, bool wait)
{
    int error = SSL_get_error(client->ssl, result);
    unsigned long code = ERR_peek_error();
    const char *reason = ERR_reason_error_string(code);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
        if (wait)
            wait_for(client, error == SSL_ERROR_WANT_READ ? LOOP_READ : LOOP_WRITE);
        return wait;
    }
    snprintf(client->reason, sizeof client->reason, "%s", reason != NULL ? reason : strerror(errno));
    if (error == SSL_ERROR_ZERO_RETURN)
        client->ended = client->orderly = true;
    else if (error == SSL_ERROR_SSL && ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
        client->ended = true;
    else
        client->ended = client->failed = true;
    ERR_clear_error();
    return false;
}

static SSL_CTX *client_context(struct web *web, const struct client_options *options)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    assert_non_null(context);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    BIO *bio = BIO_new_mem_buf(web->authority, -1);
    X509 *authority = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    assert_int_equal(X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority), 1);
    X509_free(authority);
    BIO_free(bio);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    if (options->certificate || options->strange) {
        bio = BIO_new_mem_buf(options->strange ? web->strange_client : web->client, -1);
        X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);
        assert_int_equal(SSL_CTX_use_certificate(context, certificate), 1);
        X509_free(certificate);
        BIO_free(bio);
        bio = BIO_new_mem_buf(web->client_key_pem, -1);
        EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
        assert_int_equal(SSL_CTX_use_PrivateKey(context, key), 1);
        EVP_PKEY_free(key);
        BIO_free(bio);
    }
    if (options->protocols != NULL)
        SSL_CTX_set_alpn_protos(context, (const unsigned char *)options->protocols, (unsigned)strlen(options->protocols));
    if (options->version != 0)
        SSL_CTX_set_max_proto_version(context, options->version);
    return context;
}

struct client *client_new(struct web *web, const struct client_options *options)
{
    static const struct client_options usual = {.certificate = true};
    options = options != NULL ? options : &usual;
    struct client *client = calloc(1, sizeof *client);
    assert_non_null(client);
    client->web = web;
    client->got = buf_make(256 << 20);
    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(client->fd >= 0);
    int on = 1;
    setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (options->receive_buffer > 0)
        setsockopt(client->fd, SOL_SOCKET, SO_RCVBUF, &options->receive_buffer, sizeof options->receive_buffer);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(http_server_port(web->server)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(connect(client->fd, (struct sockaddr *)&to, sizeof to), 0);
    fcntl(client->fd, F_SETFL, O_NONBLOCK);
    client->context = client_context(web, options);
    client->ssl = SSL_new(client->context);
    assert_non_null(client->ssl);
    SSL_set1_host(client->ssl, "localhost");
    char name[] = "localhost";
    SSL_set_tlsext_host_name(client->ssl, name);
    if (options->session != NULL)
        SSL_set_session(client->ssl, options->session);
    SSL_set_fd(client->ssl, client->fd);
    int64_t end = web_now() + LONG_MS;
    for (int result; (result = shake_hands(client->ssl)) != 1 && again(client, result, true);)
        assert_true(web_now() < end);
    return client;
}

void client_free(struct client *client)
{
    SSL_free(client->ssl);
    SSL_CTX_free(client->context);
    close(client->fd);
    buf_free(&client->got);
    free(client);
}

void client_send(struct client *client, const void *bytes, size_t length)
{
    int64_t end = web_now() + LONG_MS;
    size_t at = 0, written;
    while (at < length && !client->failed) {
        assert_true(web_now() < end);
        int result = write_some(client->ssl, (const char *)bytes + at, length - at, &written);
        if (result == 1)
            at += written;
        else if (!again(client, result, true))
            return;
    }
}

void client_say(struct client *client, const char *text)
{
    client_send(client, text, strlen(text));
}

void client_end(struct client *client)
{
    signal(SIGPIPE, SIG_IGN);
    SSL_shutdown(client->ssl);
    signal(SIGPIPE, SIG_DFL);
    shutdown(client->fd, SHUT_WR);
}

static bool read_more(struct client *client, bool wait)
{
    char bytes[16384];
    size_t length;
    int result = client->ended ? 0 : SSL_read_ex(client->ssl, bytes, sizeof bytes, &length);
    if (result == 1)
        buf_append(&client->got, bytes, length);
    assert_true(buf_ok(&client->got));
    return result == 1 || (!client->ended && again(client, result, wait));
}

const char *client_until(struct client *client, const char *text)
{
    int64_t end = web_now() + LONG_MS;
    for (size_t from = 0, length = strlen(text);;) {
        char *found = client->got.length > from ? memmem(client->got.bytes + from, client->got.length - from, text, length) : NULL;
        if (found != NULL)
            return found + length;
        from = client->got.length < length ? 0 : client->got.length - length;
        assert_true(web_now() < end);
        if (!read_more(client, true))
            return NULL;
    }
}

void client_drain(struct client *client)
{
    int64_t end = web_now() + LONG_MS;
    while (read_more(client, true))
        assert_true(web_now() < end);
}

void client_poll(struct client *client)
{
    loop_once(client->web->loop, 0);
    while (read_more(client, false))
        ;
}

static void take(struct client *client, size_t length)
{
    memmove(client->got.bytes, client->got.bytes + length, client->got.length - length + 1);
    client->got.length -= length;
}

static bool read_until(struct client *client, size_t length)
{
    int64_t end = web_now() + LONG_MS;
    while (client->got.length < length) {
        assert_true(web_now() < end);
        if (!read_more(client, true))
            return client->got.length >= length;
    }
    return true;
}

static bool read_chunks(struct client *client, struct buf *body)
{
    for (size_t size = 1; size > 0;) {
        const char *end = client_until(client, "\r\n");
        if (end == NULL)
            return false;
        size = strtoul(client->got.bytes, NULL, 16);
        take(client, (size_t)(end - client->got.bytes));
        if (!read_until(client, size + 2))
            return false;
        buf_append(body, client->got.bytes, size);
        assert_memory_equal(client->got.bytes + size, "\r\n", 2);
        take(client, size + 2);
    }
    return true;
}

int client_answer(struct client *client, struct buf *head, struct buf *body)
{
    buf_clear(head);
    buf_clear(body);
    const char *end = client_until(client, "\r\n\r\n");
    if (end == NULL)
        return -1;
    buf_append(head, client->got.bytes, (size_t)(end - client->got.bytes));
    take(client, head->length);
    int status = 0;
    assert_int_equal(sscanf(head->bytes, "HTTP/1.1 %d", &status), 1);
    const char *length = strcasestr(head->bytes, "\r\nContent-Length: ");
    if (strcasestr(head->bytes, "\r\nTransfer-Encoding: chunked") != NULL)
        return read_chunks(client, body) ? status : -1;
    if (length != NULL) {
        size_t count = strtoul(length + strlen("\r\nContent-Length: "), NULL, 10);
        if (!read_until(client, count))
            return -1;
        buf_append(body, client->got.bytes, count);
        take(client, count);
    }
    return status;
}

void client_ask(struct client *client, const char *request, int status, const char *body)
{
    struct buf head = buf_make(1 << 20), got = buf_make(64 << 20);
    client_say(client, request);
    assert_int_equal(client_answer(client, &head, &got), status);
    if (body != NULL)
        assert_string_equal(got.bytes != NULL ? got.bytes : "", body);
    buf_free(&head);
    buf_free(&got);
}
