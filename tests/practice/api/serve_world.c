#include "serve_world.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "data/json.h"
#include "net/crypto.h"

#define HOUR_MS ((int64_t)3600 * 1000)

static char *certificate(enum crypto_use use, const char *name, const char *const *organizations, const struct crypto_key *key, const char *issuer,
                         const struct crypto_key *issuer_key)
{
    static const char *const hosts[] = {"127.0.0.1", NULL};
    struct crypto_certificate wanted = {
        .use = use,
        .key = key,
        .common_name = name,
        .organizations = organizations,
        .names = use == CRYPTO_SERVER ? hosts : NULL,
        .from_ms = clock_wall_ms() - HOUR_MS,
        .until_ms = clock_wall_ms() + HOUR_MS,
        .issuer = issuer,
        .issuer_key = issuer_key,
    };
    char *pem = crypto_certificate_new(&wanted, NULL);
    assert_non_null(pem);
    return pem;
}

static void make_pems(char *pems[6])
{
    static const char *const masters[] = {"system:masters", NULL};
    struct crypto_key *keys[4];
    for (size_t i = 0; i < 4; i++)
        assert_non_null(keys[i] = crypto_key_new(NULL));
    pems[0] = certificate(CRYPTO_AUTHORITY, "tests", NULL, keys[0], NULL, NULL);
    pems[1] = certificate(CRYPTO_SERVER, "server", NULL, keys[1], pems[0], keys[0]);
    pems[2] = crypto_key_pem(keys[1], NULL);
    pems[3] = certificate(CRYPTO_CLIENT, "admin", masters, keys[2], pems[0], keys[0]);
    pems[4] = crypto_key_pem(keys[2], NULL);
    pems[5] = crypto_key_pem(keys[3], NULL);
    for (size_t i = 0; i < 4; i++)
        crypto_key_free(keys[i]);
}

static SSL_CTX *context(const struct serve_world *world, bool anonymous)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    BIO *ca = BIO_new_mem_buf(world->pems[0], -1), *crt = BIO_new_mem_buf(world->pems[3], -1), *key = BIO_new_mem_buf(world->pems[4], -1);
    X509 *authority = PEM_read_bio_X509(ca, NULL, NULL, NULL), *own = PEM_read_bio_X509(crt, NULL, NULL, NULL);
    EVP_PKEY *own_key = PEM_read_bio_PrivateKey(key, NULL, NULL, NULL);
    assert_true(X509_STORE_add_cert(SSL_CTX_get_cert_store(ctx), authority) == 1);
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
    if (!anonymous)
        assert_true(SSL_CTX_use_certificate(ctx, own) == 1 && SSL_CTX_use_PrivateKey(ctx, own_key) == 1);
    X509_free(authority);
    X509_free(own);
    EVP_PKEY_free(own_key);
    BIO_free(ca);
    BIO_free(crt);
    BIO_free(key);
    return ctx;
}

static void start(struct serve_world *world)
{
    struct error err = ERROR_INIT;
    world->server = server_new(world->loop, &world->options, &err);
    if (world->server == NULL)
        fail_msg("server_new: %s %s %s", err.where, err.message, err.cause);
}

void serve_open(struct serve_world *world, const char *path)
{
    *world = (struct serve_world){.loop = loop_new(NULL)};
    assert_non_null(world->loop);
    make_pems(world->pems);
    world->admin = context(world, false);
    world->nobody = context(world, true);
    world->options = (struct server_options){.state_path = path,
                                             .address = "127.0.0.1",
                                             .certificate = world->pems[1],
                                             .key = world->pems[2],
                                             .authority = world->pems[0],
                                             .token_key = world->pems[5]};
    start(world);
}

void serve_again(struct serve_world *world)
{
    server_free(world->server);
    start(world);
}

void serve_close(struct serve_world *world)
{
    server_free(world->server);
    loop_free(world->loop);
    for (size_t i = 0; i < 6; i++)
        mem_free(world->pems[i]);
    SSL_CTX_free(world->admin);
    SSL_CTX_free(world->nobody);
}

/* Lets the loop run once after OpenSSL said that it must wait. False: the connection ended. */
static bool wait_a_round(struct line *line, int result, int64_t until)
{
    int why = SSL_get_error(line->ssl, result);
    ERR_clear_error();
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE)
        return false;
    assert_true(clock_monotonic_ms() < until);
    loop_once(line->world->loop, 2);
    return true;
}

struct line *line_open(struct serve_world *world, bool anonymous, int receive_buffer)
{
    struct line *line = mem_zero(1, sizeof *line);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(server_port(world->server)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    line->world = world;
    line->got = buf_make(SIZE_MAX);
    line->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer > 0)
        setsockopt(line->fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    assert_int_equal(connect(line->fd, (struct sockaddr *)&to, sizeof to), 0);
    fcntl(line->fd, F_SETFL, O_NONBLOCK);
    line->ssl = SSL_new(anonymous ? world->nobody : world->admin);
    SSL_set_fd(line->ssl, line->fd);
    int result;
    int64_t until = clock_monotonic_ms() + LONG_MS;
    while ((result = SSL_connect(line->ssl)) != 1)
        assert_true(wait_a_round(line, result, until));
    return line;
}

void line_close(struct line *line)
{
    SSL_free(line->ssl);
    close(line->fd);
    buf_free(&line->got);
    mem_free(line);
}

void line_write(struct line *line, const void *bytes, size_t length)
{
    int64_t until = clock_monotonic_ms() + LONG_MS;
    for (size_t done = 0; done < length;) {
        int result = SSL_write(line->ssl, (const char *)bytes + done, (int)(length - done));
        if (result > 0)
            done += (size_t)result;
        else
            assert_true(wait_a_round(line, result, until));
    }
}

void line_send(struct line *line, const char *method, const char *path, const char *headers, const char *body)
{
    struct buf request = buf_make(SIZE_MAX);
    buf_printf(&request, "%s %s HTTP/1.1\r\nHost: localhost\r\n%s", method, path, headers != NULL ? headers : "");
    if (body != NULL)
        buf_printf(&request, "Content-Length: %zu\r\n", strlen(body));
    buf_printf(&request, "\r\n%s", body != NULL ? body : "");
    assert_true(buf_ok(&request));
    line_write(line, request.bytes, request.length);
    buf_free(&request);
}

/* Reads what is there. False: nothing was. */
static bool read_some(struct line *line, int *result)
{
    char part[16384];
    *result = SSL_read(line->ssl, part, sizeof part);
    if (*result > 0)
        buf_append(&line->got, part, (size_t)*result);
    return *result > 0;
}

/* Reads until so many bytes are there; false: the end came first. */
static bool need(struct line *line, size_t length)
{
    int64_t until = clock_monotonic_ms() + LONG_MS;
    int result;
    while (line->got.length < length && !line->ended)
        if (!read_some(line, &result) && !wait_a_round(line, result, until))
            line->ended = true;
    return line->got.length >= length;
}

static void read_head(struct line *line, struct got *got);

bool line_more(struct line *line)
{
    int result;
    if (!line->ended && !read_some(line, &result) && !wait_a_round(line, result, INT64_MAX))
        line->ended = true;
    return !line->ended;
}

void line_head(struct line *line, struct got *got)
{
    read_head(line, got);
}

static void drop(struct line *line, size_t length)
{
    struct buf rest = buf_make(SIZE_MAX);
    buf_append(&rest, line->got.bytes + length, line->got.length - length);
    buf_free(&line->got);
    line->got = rest;
}

/* Where the line's end is, behind it. */
static size_t find(struct line *line, size_t from, const char *text)
{
    for (;;) {
        const char *at = line->got.length > from ? memmem(line->got.bytes + from, line->got.length - from, text, strlen(text)) : NULL;
        if (at != NULL)
            return (size_t)(at - line->got.bytes) + strlen(text);
        if (!need(line, line->got.length + 1))
            return 0;
    }
}

static char *header(const char *head, const char *name)
{
    const char *at = strcasestr(head, name);
    if (at == NULL)
        return mem_string("");
    at += strlen(name);
    return mem_string_n(at, strcspn(at, "\r"));
}

static void read_head(struct line *line, struct got *got)
{
    size_t end = find(line, 0, "\r\n\r\n");
    assert_true(end > 0);
    *got = (struct got){.head = mem_string_n(line->got.bytes, end)};
    got->code = atoi(got->head + strlen("HTTP/1.1 "));
    got->type = header(got->head, "\r\nContent-Type: ");
    drop(line, end);
}

/* One chunk's bytes are appended; false: it was the last. */
static bool read_chunk(struct line *line, struct buf *out)
{
    size_t end = find(line, 0, "\r\n");
    assert_true(end > 0);
    size_t length = strtoul(line->got.bytes, NULL, 16);
    assert_true(need(line, end + length + 2));
    buf_append(out, line->got.bytes + end, length);
    drop(line, end + length + 2);
    return length > 0;
}

void line_answer(struct line *line, struct got *got)
{
    struct buf body = buf_make(SIZE_MAX);
    read_head(line, got);
    char *length = header(got->head, "\r\nContent-Length: "), *coding = header(got->head, "\r\nTransfer-Encoding: ");
    if (coding[0] != '\0') {
        while (read_chunk(line, &body))
            ;
    } else if (length[0] != '\0') {
        size_t bytes = strtoul(length, NULL, 10);
        assert_true(need(line, bytes));
        buf_append(&body, line->got.bytes, bytes);
        drop(line, bytes);
    }
    mem_free(length);
    mem_free(coding);
    got->text = buf_take(&body, &got->length);
    got->json = json_parse(got->text, got->length, "answer", NULL);
}

void got_free(struct got *got)
{
    mem_free(got->head);
    mem_free(got->type);
    mem_free(got->text);
    value_free(got->json);
}

void line_ask(struct line *line, const char *method, const char *path, const char *headers, const char *body, struct got *got)
{
    line_send(line, method, path, headers, body);
    line_answer(line, got);
}

void serve_ask(struct serve_world *world, const char *method, const char *path, const char *headers, const char *body, struct got *got)
{
    struct line *line = line_open(world, false, 0);
    line_ask(line, method, path, headers, body, got);
    line_close(line);
}

void serve_do(struct serve_world *world, const char *method, const char *path, const char *body, int code)
{
    struct got got;
    const char *type = strcmp(method, "PATCH") == 0 ? "Content-Type: application/merge-patch+json\r\n" : "Content-Type: application/json\r\n";
    serve_ask(world, method, path, type, body, &got);
    if (got.code != code)
        fail_msg("%s %s: %d instead of %d: %s", method, path, got.code, code, got.text);
    got_free(&got);
}

struct line *watch_open(struct serve_world *world, const char *path, int receive_buffer)
{
    struct line *line = line_open(world, false, receive_buffer);
    struct got got;
    line_send(line, "GET", path, NULL, NULL);
    read_head(line, &got);
    if (got.code != 200)
        fail_msg("%s: %s", path, got.head);
    got_free(&got);
    return line;
}

/* Events may stand several in a chunk, or one in several: bytes of chunks are kept in a buffer of the line's own, in front of those that are not cut
 * yet. */
struct value *watch_event(struct line *line)
{
    struct buf event = buf_make(SIZE_MAX);
    struct value *document = NULL;
    for (;;) {
        size_t end = find(line, 0, "\r\n");
        if (end == 0)
            break; /* the connection ended */
        size_t length = strtoul(line->got.bytes, NULL, 16);
        if (length == 0)
            break;
        assert_true(need(line, end + length + 2));
        const char *from = line->got.bytes + end, *stop = memchr(from, '\n', length);
        size_t taken = stop != NULL ? (size_t)(stop - from) + 1 : length;
        buf_append(&event, from, taken);
        if (taken == length) {
            drop(line, end + length + 2);
        } else { /* the rest of the chunk becomes a chunk again */
            struct buf rest = buf_make(SIZE_MAX);
            buf_printf(&rest, "%zx\r\n", length - taken);
            buf_append(&rest, from + taken, line->got.length - end - taken);
            buf_free(&line->got);
            line->got = rest;
        }
        if (stop != NULL) {
            document = json_parse(event.bytes, event.length, "event", NULL);
            assert_non_null(document);
            break;
        }
    }
    buf_free(&event);
    return document;
}

uint64_t version_of(const struct value *document)
{
    const char *text = value_find_text(document, "metadata", "resourceVersion", NULL);
    return text != NULL ? strtoull(text, NULL, 10) : 0;
}

uint64_t watch_expect(struct line *watch, const char *type, const char *name)
{
    struct value *event = watch_event(watch);
    assert_non_null(event);
    assert_string_equal(value_find_text(event, "type", NULL), type);
    const struct value *object = value_get(event, "object");
    const char *has = value_find_text(object, "metadata", "name", NULL);
    assert_string_equal(has != NULL ? has : "", name);
    uint64_t version = version_of(object);
    value_free(event);
    return version;
}

bool watch_is_quiet(struct line *watch)
{
    int result;
    for (int i = 0; i < 20; i++) {
        loop_once(watch->world->loop, 1);
        if (watch->got.length > 0 || read_some(watch, &result))
            return false;
    }
    return true;
}
