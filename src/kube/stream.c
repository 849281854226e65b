/* An upgraded connection: curl connects (proxy, TLS, client certificate), the request and all that follows are ours. */
#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/mem.h"
#include "kube/call.h"
#include "kube/upgrade.h"
#include "net/ws.h"

enum {
    WAITING_MAXIMUM = 4 << 20, /* bytes that were written and not yet sent */
    ANSWER_MAXIMUM = 128 << 10, /* an answer's head, and the body of a refusal */
    REQUEST_MAXIMUM = 1 << 20,
    READ_ROUNDS = 16,          /* of 16 KiB, then others have their turn */
    ANSWER_MS = 30000,
};

enum stream_state { STREAM_NEEDS_CREDENTIALS, STREAM_CONNECTS, STREAM_ASKS, STREAM_OPEN, STREAM_ENDED, STREAM_TOLD };

struct kube_stream {
    struct transfer transfer;
    struct kube_client *client;
    struct kube_stream *previous, *next;
    char *path, *query;
    struct vec protocols;
    struct kube_stream_callbacks callbacks;
    void *data, *owned;
    void (*drop_owned)(void *owned);
    enum stream_state state;
    struct easy easy;
    bool in_curl;
    struct loop_event *timer, *socket;
    unsigned generation;
    bool refreshed;
    int64_t began_at, quiet_since;
    struct buf out; /* out_at bytes of it are sent */
    size_t out_at;
    struct buf answer;
    char key[WS_KEY_ROOM];
    CURLcode result;
    struct error failure; /* kind ERROR_NONE: the peer closed */
    bool in_callback, closed; /* closed in there: the memory goes afterwards */
};

static void soon(struct kube_stream *stream)
{
    loop_set_timer(stream->timer, 0);
}

/* Lets go of the connection; what was written is forgotten. */
static void disconnect(struct kube_stream *stream)
{
    loop_drop(stream->socket);
    stream->socket = NULL;
    if (stream->in_curl)
        transport_remove(stream->client->transport, stream->easy.curl);
    stream->in_curl = false;
    easy_free(&stream->easy);
    if (stream->out.bytes != NULL)
        explicit_bzero(stream->out.bytes, stream->out.length);
    buf_free(&stream->out);
    stream->out_at = 0;
    buf_clear(&stream->answer);
}

static void end(struct kube_stream *stream, const struct error *error)
{
    if (stream->state >= STREAM_ENDED)
        return;
    if (error != NULL)
        stream->failure = *error;
    log_line(stream->client->log, "GET %s%s%s: upgraded connection %s, %lld ms", stream->path, stream->query[0] != '\0' ? "?" : "", stream->query,
             error != NULL ? error->message : "closed", stream->began_at != 0 ? (long long)(clock_monotonic_ms() - stream->began_at) : 0LL);
    disconnect(stream);
    stream->state = STREAM_ENDED;
    soon(stream);
}

static void end_memory(struct kube_stream *stream)
{
    struct error err = ERROR_INIT;
    error_memory(&err);
    end(stream, &err);
}

static void end_curl(struct kube_stream *stream, CURLcode result)
{
    struct error err = ERROR_INIT;
    easy_trouble(&stream->easy, result, &stream->client->endpoint, stream->client->config, &err);
    end(stream, &err);
}

/* The request waits in `out` until curl has connected. */
static bool write_request(struct kube_stream *stream, const struct credentials *credentials)
{
    const struct kube_client *client = stream->client;
    if (!ws_make_key(stream->key, NULL))
        return false;
    struct buf *out = &stream->out;
    buf_printf(out, "GET %s%s%s%s HTTP/1.1\r\nHost: %s\r\n", client->endpoint.prefix, stream->path, stream->query[0] != '\0' ? "?" : "", stream->query,
               client->endpoint.authority);
    buf_printf(out, "User-Agent: kubetutor/%s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n",
               KT_VERSION, stream->key);
    for (size_t i = 0; i < stream->protocols.length; i++)
        buf_printf(out, "%s%s%s", i == 0 ? "Sec-WebSocket-Protocol: " : ", ", (const char *)stream->protocols.items[i],
                   i + 1 == stream->protocols.length ? "\r\n" : "");
    bool ok = easy_credential_lines(client->config, credentials, out);
    buf_append_string(out, "\r\n");
    return ok && buf_ok(out);
}

static void connect_now(struct kube_stream *stream, const struct credentials *credentials)
{
    struct kube_client *client = stream->client;
    struct error err = ERROR_INIT;
    static const struct {
        CURLoption option;
        long value;
    } settings[] = {{CURLOPT_CONNECT_ONLY, 1}, {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1}, {CURLOPT_PIPEWAIT, 0},
                    {CURLOPT_FRESH_CONNECT, 1}, {CURLOPT_HTTPPROXYTUNNEL, 1}, {CURLOPT_TCP_NODELAY, 1}};
    bool ok = easy_make(&stream->easy, &client->endpoint, client->config, credentials, transport_share(client->transport), "/", NULL, &err);
    for (size_t i = 0; ok && i < sizeof settings / sizeof *settings; i++)
        ok = curl_easy_setopt(stream->easy.curl, settings[i].option, settings[i].value) == CURLE_OK;
    ok = ok && curl_easy_setopt(stream->easy.curl, CURLOPT_PRIVATE, &stream->transfer) == CURLE_OK && write_request(stream, credentials);
    if (!ok || !transport_add(client->transport, stream->easy.curl, &err)) {
        end_memory(stream);
        return;
    }
    stream->in_curl = true;
    stream->state = STREAM_CONNECTS;
    stream->quiet_since = clock_monotonic_ms();
    if (stream->began_at == 0)
        stream->began_at = stream->quiet_since;
    loop_set_timer(stream->timer, stream->client->contact_ms);
}

static void begin(struct kube_stream *stream)
{
    struct credentials credentials;
    struct error err = ERROR_INIT;
    switch (auth_look(stream->client->auth, &credentials, &err)) {
    case AUTH_WAIT: stream->state = STREAM_NEEDS_CREDENTIALS; break;
    case AUTH_FAILED: end(stream, &err); break;
    case AUTH_READY:
        stream->generation = auth_generation(stream->client->auth);
        connect_now(stream, &credentials);
        break;
    }
}

/* False when the stream, or its connection, is gone. */
static bool send_waiting(struct kube_stream *stream)
{
    while (stream->out_at < stream->out.length) {
        size_t sent = 0;
        CURLcode result = curl_easy_send(stream->easy.curl, stream->out.bytes + stream->out_at, stream->out.length - stream->out_at, &sent);
        if (result == CURLE_AGAIN)
            break;
        if (result != CURLE_OK) {
            end_curl(stream, result);
            return false;
        }
        stream->out_at += sent;
    }
    if (stream->out_at == stream->out.length) {
        buf_clear(&stream->out);
        stream->out_at = 0;
    }
    loop_set_fd(stream->socket, stream->out_at < stream->out.length ? LOOP_READ | LOOP_WRITE : LOOP_READ);
    return true;
}

/* After a callback: false when the stream is closed by now, or has ended. */
static bool still_open(struct kube_stream *stream)
{
    stream->in_callback = false;
    if (!stream->closed)
        return stream->state == STREAM_OPEN;
    mem_free(stream);
    return false;
}

static bool tell_bytes(struct kube_stream *stream, const char *bytes, size_t length)
{
    stream->in_callback = true;
    if (length > 0)
        stream->callbacks.bytes(stream->data, bytes, length);
    return still_open(stream);
}

static bool tell_open(struct kube_stream *stream, const char *protocol)
{
    stream->in_callback = true;
    stream->callbacks.open(stream->data, protocol);
    return still_open(stream);
}

/* The server answered something else than 101. */
static void refused(struct kube_stream *stream, const struct upgrade_answer *answer)
{
    struct kube_status status;
    struct error err = ERROR_INIT;
    struct kube_client *client = stream->client;
    if (answer->code == 401 && !stream->refreshed && auth_refused(client->auth, stream->generation)) {
        stream->refreshed = true;
        disconnect(stream);
        begin(stream);
        return;
    }
    kube_status_read(&status, answer->code, answer->content_type, answer->body, answer->body_length);
    kube_status_error(&status, N_("open a connection to"), stream->path, &err);
    strncpy(err.where, client->config->server, sizeof err.where - 1);
    end(stream, &err);
}

/* Looks at what came of the answer; at_end: no more will. False when the stream is gone or not open. */
static bool read_answer(struct kube_stream *stream, bool at_end)
{
    struct upgrade_answer answer;
    struct error err = ERROR_INIT;
    switch (upgrade_read(&answer, stream->answer.bytes, stream->answer.length, at_end, stream->key, &stream->protocols, &err)) {
    case UPGRADE_INCOMPLETE: return true;
    case UPGRADE_MALFORMED:
        strncpy(err.where, stream->client->config->server, sizeof err.where - 1);
        end(stream, &err);
        return false;
    case UPGRADE_REFUSED: refused(stream, &answer); return false;
    case UPGRADE_DONE: break;
    }
    stream->state = STREAM_OPEN;
    loop_set_timer(stream->timer, -1);
    struct buf came = stream->answer; /* frames may have come with the head */
    stream->answer = buf_make(ANSWER_MAXIMUM);
    bool open = tell_open(stream, answer.protocol) && tell_bytes(stream, came.bytes + answer.head_length, came.length - answer.head_length);
    buf_free(&came);
    return open;
}

static bool take(struct kube_stream *stream, const char *bytes, size_t length)
{
    stream->quiet_since = stream->client->heard_at = clock_monotonic_ms();
    if (stream->state == STREAM_OPEN)
        return tell_bytes(stream, bytes, length);
    buf_append(&stream->answer, bytes, length);
    if (!buf_ok(&stream->answer)) {
        struct error err = ERROR_INIT;
        if (stream->answer.length + length > ANSWER_MAXIMUM)
            error_set(&err, ERROR_LIMIT, stream->client->config->server, "the answer to the upgrade is larger than the %d bytes allowed", ANSWER_MAXIMUM);
        else
            error_memory(&err);
        end(stream, &err);
        return false;
    }
    return read_answer(stream, false);
}

static void at_end(struct kube_stream *stream)
{
    if (stream->state == STREAM_OPEN)
        end(stream, NULL);
    else if (read_answer(stream, true) && stream->state == STREAM_ASKS)
        end_curl(stream, CURLE_GOT_NOTHING);
}

/* TLS may hold bytes that the socket no longer shows: reads until there is nothing, or comes back in the next round. */
static void receive(struct kube_stream *stream)
{
    char bytes[16384];
    for (int round = 0; round < READ_ROUNDS; round++) {
        size_t got = 0;
        CURLcode result = curl_easy_recv(stream->easy.curl, bytes, sizeof bytes, &got);
        if (result == CURLE_AGAIN)
            return;
        if (result != CURLE_OK) {
            end_curl(stream, result);
            return;
        }
        if (got == 0) {
            at_end(stream);
            return;
        }
        if (!take(stream, bytes, got))
            return;
    }
    if (stream->state == STREAM_OPEN)
        soon(stream);
}

static void on_socket(void *data, int what)
{
    struct kube_stream *stream = data;
    (void)what;
    if (send_waiting(stream))
        receive(stream);
}

/* curl has connected. */
static void connected(struct kube_stream *stream)
{
    curl_socket_t fd = CURL_SOCKET_BAD;
    if (curl_easy_getinfo(stream->easy.curl, CURLINFO_ACTIVESOCKET, &fd) != CURLE_OK || fd == CURL_SOCKET_BAD) {
        end_curl(stream, CURLE_COULDNT_CONNECT);
        return;
    }
    stream->state = STREAM_ASKS;
    stream->quiet_since = clock_monotonic_ms();
    stream->socket = loop_add_fd(stream->client->loop, fd, LOOP_READ | LOOP_WRITE, on_socket, stream);
    if (stream->socket == NULL)
        end_memory(stream);
    else
        loop_set_timer(stream->timer, stream->client->silence_ms);
}

void stream_curl_done(struct kube_stream *stream, CURLcode result)
{
    if (stream->state != STREAM_CONNECTS)
        return;
    if (result == CURLE_OK)
        connected(stream);
    else
        end_curl(stream, result);
}

static void still_asking(struct kube_stream *stream)
{
    struct error err = ERROR_INIT;
    int64_t now = clock_monotonic_ms();
    if (now >= stream->began_at + ANSWER_MS) {
        error_set(&err, ERROR_TIMEOUT, stream->client->config->server, "the API server %s did not open the connection within %d seconds",
                  stream->client->endpoint.authority, ANSWER_MS / 1000);
        end(stream, &err);
        return;
    }
    client_probe(stream->client);
    loop_set_timer(stream->timer, stream->client->silence_ms);
}

static void on_timer(void *data)
{
    struct kube_stream *stream = data;
    struct error err = ERROR_INIT;
    switch (stream->state) {
    case STREAM_CONNECTS:
        error_set(&err, ERROR_UNREACHABLE, stream->client->config->server, "the API server %s does not answer: no connection came about within 10 seconds",
                  stream->client->endpoint.authority);
        end(stream, &err);
        break;
    case STREAM_ASKS: still_asking(stream); break;
    case STREAM_OPEN: receive(stream); break;
    case STREAM_ENDED:
        stream->state = STREAM_TOLD;
        stream->callbacks.closed(stream->data, stream->failure.kind != ERROR_NONE ? &stream->failure : NULL);
        break;
    case STREAM_NEEDS_CREDENTIALS:
    case STREAM_TOLD: break;
    }
}

void stream_credentials_all(struct kube_client *client, const struct error *error)
{
    for (struct kube_stream *stream = client->streams; stream != NULL; stream = stream->next)
        if (stream->state == STREAM_NEEDS_CREDENTIALS) {
            if (error != NULL)
                end(stream, error);
            else
                begin(stream);
        }
}

void stream_fail_all(struct kube_client *client, const struct error *error)
{
    for (struct kube_stream *stream = client->streams; stream != NULL; stream = stream->next)
        if (stream->in_curl)
            end(stream, error);
}

void stream_free_all(struct kube_client *client)
{
    while (client->streams != NULL)
        kube_stream_close(client->streams);
}

void kube_stream_close(struct kube_stream *stream)
{
    if (stream == NULL)
        return;
    void *owned = stream->owned;
    void (*drop_owned)(void *owned) = stream->drop_owned;
    disconnect(stream);
    if (stream->previous != NULL)
        stream->previous->next = stream->next;
    else if (stream->client->streams == stream)
        stream->client->streams = stream->next;
    if (stream->next != NULL)
        stream->next->previous = stream->previous;
    loop_drop(stream->timer);
    buf_free(&stream->answer);
    vec_free(&stream->protocols);
    mem_free(stream->path);
    mem_free(stream->query);
    stream->closed = true;
    if (!stream->in_callback)
        mem_free(stream);
    if (drop_owned != NULL)
        drop_owned(owned);
}

void kube_stream_own(struct kube_stream *stream, void *owned, void (*drop)(void *owned))
{
    stream->owned = owned;
    stream->drop_owned = drop;
}

struct kube_stream *kube_stream_open(struct kube_client *client, const char *path, const char *query, const char *const *protocols,
                                     const struct kube_stream_callbacks *callbacks, void *data, struct error *err)
{
    struct kube_stream *stream = mem_zero(1, sizeof *stream);
    if (stream == NULL) {
        error_memory(err);
        return NULL;
    }
    stream->transfer.is_stream = true;
    stream->client = client;
    stream->callbacks = *callbacks;
    stream->data = data;
    stream->out = buf_make(WAITING_MAXIMUM + REQUEST_MAXIMUM);
    stream->answer = buf_make(ANSWER_MAXIMUM);
    stream->protocols = vec_make(16, mem_free);
    stream->path = mem_string(path);
    stream->query = mem_string(query != NULL ? query : "");
    stream->timer = loop_add_timer(client->loop, -1, on_timer, stream);
    bool ok = stream->path != NULL && stream->query != NULL && stream->timer != NULL;
    for (size_t i = 0; ok && protocols[i] != NULL; i++)
        ok = vec_push_string(&stream->protocols, protocols[i]);
    if (!ok) {
        kube_stream_close(stream);
        error_memory(err);
        return NULL;
    }
    stream->next = client->streams;
    if (stream->next != NULL)
        stream->next->previous = stream;
    client->streams = stream;
    begin(stream);
    return stream;
}

size_t kube_stream_waiting(const struct kube_stream *stream)
{
    return stream->out.length - stream->out_at;
}

bool kube_stream_write(struct kube_stream *stream, const void *bytes, size_t length, struct error *err)
{
    const char *server = stream->client->config->server;
    if (stream->state != STREAM_OPEN)
        return error_set(err, ERROR_CANCELLED, server, "the connection is not open");
    if (length > WAITING_MAXIMUM - kube_stream_waiting(stream))
        return error_set(err, ERROR_LIMIT, server, "more than %d bytes wait to be sent", WAITING_MAXIMUM);
    if (stream->out_at > 0) { /* what is sent makes room */
        memmove(stream->out.bytes, stream->out.bytes + stream->out_at, stream->out.length - stream->out_at);
        stream->out.length -= stream->out_at;
        stream->out_at = 0;
    }
    buf_append(&stream->out, bytes, length);
    if (!buf_ok(&stream->out)) {
        stream->out.failed = false; /* nothing of it was taken */
        return error_memory(err);
    }
    loop_set_fd(stream->socket, LOOP_READ | LOOP_WRITE);
    return true;
}
