#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "kube/heard.h"
#include "kube/internal.h"
#include "kube/server.h"
#include "kube/session.h"
#include "kube/tls.h"
#include "net/ws.h"

static char folder[] = "/tmp/kubetutor-test-stream-XXXXXX";
static struct loop *loop;
static struct server *server;
static struct kube_client *client;

static struct {
    unsigned opened, closed;
    bool over, is_open, free_in_bytes, close_in_open, free_client;
    char protocol[64];
    size_t length;
    unsigned checksum;
    struct error error;
    struct kube_stream *stream;
} heard;

static const char *const protocols[] = {"v5.channel.k8s.io", "v4.channel.k8s.io", NULL};

static int make_certificates(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    struct tls_maker *ca = tls_maker_new(folder, "ca");
    tls_make(ca, "server", "IP:127.0.0.1", -1000, 1000);
    tls_maker_free(ca);
    return 0;
}

static int drop_certificates(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static int begin(void **state)
{
    (void)state;
    memset(&heard, 0, sizeof heard);
    loop = loop_new(NULL);
    server = server_new(loop, NULL);
    client = client_for(loop, server_url(server), "", "token: good");
    return 0;
}

static int begin_tls(void **state)
{
    (void)state;
    char certificate[256], key[256], cluster[256];
    memset(&heard, 0, sizeof heard);
    loop = loop_new(NULL);
    snprintf(certificate, sizeof certificate, "%s/server.pem", folder);
    snprintf(key, sizeof key, "%s/server-key.pem", folder);
    snprintf(cluster, sizeof cluster, "certificate-authority: '%s/ca.pem'", folder);
    server = server_new(loop, &(struct server_tls){.certificate = certificate, .key = key});
    client = client_for(loop, server_url(server), cluster, "token: good");
    return 0;
}

static int end(void **state)
{
    (void)state;
    kube_client_free(client);
    client = NULL;
    server_free(server);
    loop_free(loop);
    return 0;
}

/* --- the receiver --- */

static void on_open(void *data, const char *protocol)
{
    (void)data;
    heard.opened++;
    heard.is_open = true;
    snprintf(heard.protocol, sizeof heard.protocol, "%s", protocol);
    if (heard.close_in_open)
        kube_stream_close(heard.stream);
}

static void on_bytes(void *data, const char *bytes, size_t length)
{
    (void)data;
    assert_int_equal(heard.opened, 1);
    assert_true(length > 0);
    heard.length += length;
    for (size_t i = 0; i < length; i++)
        heard.checksum = heard.checksum * 31 + (unsigned char)bytes[i];
    if (heard.free_in_bytes)
        kube_stream_close(heard.stream);
    if (heard.free_client) {
        kube_client_free(client);
        client = NULL;
    }
}

static void on_closed(void *data, const struct error *error)
{
    (void)data;
    heard.closed++;
    heard.over = true;
    heard.error = error != NULL ? *error : ERROR_INIT;
}

static struct kube_stream *open_stream(const char *path)
{
    static const struct kube_stream_callbacks callbacks = {on_open, on_bytes, on_closed};
    struct error err = ERROR_INIT;
    heard.stream = kube_stream_open(client, path, "command=ls&stdout=true", protocols, &callbacks, NULL, &err);
    assert_non_null(heard.stream);
    assert_int_equal(heard.opened + heard.closed, 0); /* nothing is called from inside */
    return heard.stream;
}

static void until_closed(void)
{
    until(client, &heard.over);
    assert_int_equal(heard.closed, 1);
}

static void pass(int64_t ms)
{
    bool never = false;
    loop_until(loop, &never, ms);
}

/* --- the server --- */

static void echo(void *data, struct exchange *x, const char *bytes, size_t length)
{
    (void)data;
    exchange_raw(x, bytes, length);
}

static void accept_upgrade(struct exchange *x, const char *protocol, const char *with_it)
{
    char accept[WS_ACCEPT_ROOM], head[1024];
    assert_true(ws_make_accept(exchange_header(x, "Sec-WebSocket-Key"), accept, NULL));
    snprintf(head, sizeof head, "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nconnection: keep-alive, Upgrade\r\nSec-WebSocket-Accept: %s\r\n"
             "Sec-WebSocket-Protocol: %s\r\n\r\n%s", accept, protocol, with_it);
    exchange_raw(x, head, strlen(head));
}

static void upgrade(void *data, struct exchange *x)
{
    struct exchange **kept = data;
    assert_non_null(strstr(exchange_header(x, "Authorization"), "Bearer "));
    assert_string_equal(exchange_header(x, "Upgrade"), "websocket");
    assert_string_equal(exchange_header(x, "Connection"), "Upgrade");
    assert_string_equal(exchange_header(x, "Sec-WebSocket-Version"), "13");
    assert_string_equal(exchange_header(x, "Sec-WebSocket-Protocol"), "v5.channel.k8s.io, v4.channel.k8s.io");
    assert_string_equal(exchange_query(x), "command=ls&stdout=true");
    if (kept != NULL)
        *kept = x;
    exchange_take_over(x, echo, NULL);
    accept_upgrade(x, "v5.channel.k8s.io", "");
}

static void bytes_go_both_ways_and_the_end_is_told(void **state)
{
    (void)state;
    struct exchange *x = NULL;
    server_on(server, "GET", "/exec", upgrade, &x);
    struct kube_stream *stream = open_stream("/exec");
    until(client, &heard.is_open);
    assert_string_equal(heard.protocol, "v5.channel.k8s.io");
    static char block[100000];
    unsigned checksum = 0;
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = (char)(i * 7);
    size_t sent = 0;
    for (int i = 0; i < 100; i++) { /* 10 MB, through a queue of 4 */
        while (!kube_stream_write(stream, block, sizeof block, NULL))
            loop_once(loop, 1000);
        sent += sizeof block;
        for (size_t j = 0; j < sizeof block; j++)
            checksum = checksum * 31 + (unsigned char)block[j];
    }
    while (heard.length < sent)
        loop_once(loop, 1000);
    assert_int_equal(heard.length, sent);
    assert_int_equal(heard.checksum, checksum);
    assert_int_equal(kube_stream_waiting(stream), 0);
    exchange_close(x);
    until_closed();
    assert_int_equal(heard.error.kind, ERROR_NONE);
    struct error err = ERROR_INIT;
    assert_false(kube_stream_write(stream, "x", 1, &err));
    assert_int_equal(err.kind, ERROR_CANCELLED);
    kube_stream_close(stream);
}

static void no_more_than_four_mebibytes_wait(void **state)
{
    (void)state;
    server_on(server, "GET", "/exec", upgrade, NULL);
    struct kube_stream *stream = open_stream("/exec");
    until(client, &heard.is_open);
    char *block = calloc(4 << 20, 1);
    struct error err = ERROR_INIT;
    assert_true(kube_stream_write(stream, block, 4 << 20, &err));
    assert_false(kube_stream_write(stream, "x", 1, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    free(block);
    kube_stream_close(stream);
}

static void frames_behind_the_head(void *data, struct exchange *x)
{
    (void)data;
    exchange_take_over(x, echo, NULL);
    accept_upgrade(x, "v4.channel.k8s.io", "early");
}

static void bytes_that_come_with_the_head_are_not_lost(void **state)
{
    (void)state;
    server_on(server, "GET", "/exec", frames_behind_the_head, NULL);
    struct kube_stream *stream = open_stream("/exec");
    while (heard.length < 5)
        loop_once(loop, 1000);
    assert_string_equal(heard.protocol, "v4.channel.k8s.io");
    kube_stream_close(stream);
}

static void refused_as(const char *path, enum error_kind kind, const char *words)
{
    memset(&heard, 0, sizeof heard);
    struct kube_stream *stream = open_stream(path);
    until_closed();
    if (heard.error.kind != kind || strstr(heard.error.message, words) == NULL || heard.opened > 0)
        fail_msg("%s: kind %d, %s", path, heard.error.kind, heard.error.message);
    kube_stream_close(stream);
}

static void refuse_in_chunks(void *data, struct exchange *x)
{
    (void)data;
    exchange_begin(x, 404, NULL);
    exchange_send_text(x, "{\"kind\":\"Status\",");
    exchange_send_text(x, "\"message\":\"no such pod\"}");
    exchange_end(x);
}

static void a_refusal_is_told_in_the_servers_words(void **state)
{
    (void)state;
    server_answer(server, "GET", "/denied", 403, NULL, "{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"message\":\"not you\"}");
    server_on(server, "GET", "/chunks", refuse_in_chunks, NULL);
    server_answer(server, "GET", "/fine", 200, NULL, "{}");
    refused_as("/denied", ERROR_DENIED, "not you");
    refused_as("/chunks", ERROR_NOT_FOUND, "no such pod");
    refused_as("/fine", ERROR_INTERNAL, "");
    server_stop_listening(server);
    refused_as("/gone", ERROR_UNREACHABLE, "refuses connections");
}

static void answer_raw(void *data, struct exchange *x)
{
    (void)data;
    char accept[WS_ACCEPT_ROOM], text[2048];
    assert_true(ws_make_accept(exchange_header(x, "Sec-WebSocket-Key"), accept, NULL));
    static const struct {
        const char *path, *format;
    } answers[] = {
        {"/accept", "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x%s\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n"},
        {"/no-upgrade", "HTTP/1.1 101 S\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n"},
        {"/no-connection", "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n"},
        {"/no-protocol", "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n"},
        {"/other-protocol", "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: v3\r\n\r\n"},
        {"/extension", "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\nSec-WebSocket-Extensions: d\r\n\r\n"},
        {"/spdy", "HTTP/1.1 101 S\r\nUpgrade: SPDY/3.1\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n"},
        {"/no-http", "SSH-2.0-OpenSSH\r\n%s"},
        {"/cut", "HTTP/1.1 101 S\r\nUpgrade: websocket\r\n%s"},
        {"/code", "HTTP/1.1 ABC S\r\n\r\n%s"},
        {"/interim", "HTTP/1.1 100 Continue\r\n\r\n%s"},
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (strcmp(exchange_path(x), answers[i].path) == 0) {
            int length = snprintf(text, sizeof text, answers[i].format, accept);
            exchange_raw(x, text, (size_t)length);
        }
    exchange_close(x);
}

static void an_answer_that_is_not_quite_right_is_wrong(void **state)
{
    (void)state;
    static const char *const paths[] = {"/accept", "/no-upgrade", "/no-connection", "/no-protocol", "/other-protocol", "/extension",
                                        "/spdy", "/no-http", "/cut", "/code", "/interim"};
    server_on(server, "GET", "/*", answer_raw, NULL);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        refused_as(paths[i], ERROR_UNREACHABLE, "the server's answer to the WebSocket upgrade is wrong: ");
    refused_as("/nothing", ERROR_UNREACHABLE, "");
}

static void endless_head(void *data, struct exchange *x)
{
    (void)data;
    static char bytes[65536];
    memset(bytes, 'x', sizeof bytes);
    exchange_raw(x, "HTTP/1.1 101 S\r\nX: ", 19);
    for (int i = 0; i < 4; i++)
        exchange_raw(x, bytes, sizeof bytes);
}

static void an_endless_head_is_cut_off(void **state)
{
    (void)state;
    server_on(server, "GET", "/x", endless_head, NULL);
    refused_as("/x", ERROR_LIMIT, "larger than");
}

static void refuse_once(void *data, struct exchange *x)
{
    unsigned *count = data;
    if ((*count)++ == 0)
        exchange_reply(x, 401, NULL, "{\"kind\":\"Status\",\"message\":\"Unauthorized\"}");
    else
        upgrade(NULL, x);
}

static void refused_credentials_are_fetched_again_once(void **state)
{
    (void)state;
    unsigned count = 0;
    char path[256], user[300];
    snprintf(path, sizeof path, "%s/token", folder);
    assert_true(file_write(path, "good", 4, 0600, NULL));
    snprintf(user, sizeof user, "tokenFile: '%s'", path);
    kube_client_free(client);
    client = client_for(loop, server_url(server), "", user);
    server_on(server, "GET", "/x", refuse_once, &count);
    struct kube_stream *stream = open_stream("/x");
    until(client, &heard.is_open);
    assert_int_equal(count, 2);
    kube_stream_close(stream);
}

static void a_stopped_server_is_told_when_patience_ends(void **state)
{
    (void)state;
    kube_client_set_patience(client, 300, 100, 200);
    server_freeze(server);
    struct kube_stream *stream = open_stream("/x");
    until_closed();
    assert_int_equal(heard.error.kind, ERROR_UNREACHABLE);
    kube_stream_close(stream);
}

static void a_broken_connection_is_told(void **state)
{
    (void)state;
    struct exchange *x = NULL;
    server_on(server, "GET", "/exec", upgrade, &x);
    struct kube_stream *stream = open_stream("/exec");
    until(client, &heard.is_open);
    exchange_reset(x);
    until_closed();
    assert_int_equal(heard.error.kind, ERROR_UNREACHABLE);
    kube_stream_close(stream);
}

static void count_drop(void *data)
{
    ++*(unsigned *)data;
}

static void it_can_be_closed_at_every_moment(void **state)
{
    (void)state;
    unsigned dropped = 0;
    server_on(server, "GET", "/exec", upgrade, NULL);
    kube_stream_close(NULL);
    for (int rounds = 0; rounds < 8; rounds++) {
        struct kube_stream *stream = open_stream("/exec");
        kube_stream_own(stream, &dropped, count_drop);
        for (int i = 0; i < rounds; i++)
            loop_once(loop, 5);
        kube_stream_close(stream);
        assert_int_equal(dropped, rounds + 1);
        heard.opened = 0;
    }
    pass(20);
    assert_int_equal(heard.closed, 0);
    heard.close_in_open = true;
    open_stream("/exec");
    until(client, &heard.is_open);
    memset(&heard, 0, sizeof heard);
    server_on(server, "GET", "/exec", frames_behind_the_head, NULL);
    heard.free_in_bytes = true;
    open_stream("/exec");
    while (heard.length == 0)
        loop_once(loop, 100);
    memset(&heard, 0, sizeof heard);
    heard.free_client = true;
    open_stream("/exec");
    while (client != NULL)
        loop_once(loop, 100);
    assert_int_equal(heard.closed, 0);
}

static void a_stream_keeps_no_request_waiting(void **state)
{
    (void)state;
    static struct heard answer;
    server_on(server, "GET", "/exec", upgrade, NULL);
    server_answer(server, "GET", "/x", 200, NULL, "{}");
    struct kube_stream *stream = open_stream("/exec");
    until(client, &heard.is_open);
    for (int i = 0; i < 20; i++)
        get(client, "/x", &answer);
    assert_true(answer.ok);
    assert_int_equal(server_connections(server), 2);
    assert_true(kube_stream_write(stream, "still", 5, NULL));
    while (heard.length < 5)
        loop_once(loop, 1000);
    kube_stream_close(stream);
}

static void alloc_rules(struct server *apart)
{
    server_on(apart, "GET", "/exec", upgrade, NULL);
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    struct session session;
    session_start_apart(&session, alloc_rules);
    loop = session.loop;
    unsigned failures = 0, in_a_row = 0;
    for (int nth = 1; in_a_row < 30; nth++) {
        memset(&heard, 0, sizeof heard);
        static const struct kube_stream_callbacks callbacks = {on_open, on_bytes, on_closed};
        bool fine = false;
        mem_fail_at(nth);
        struct kube_client *one = session_client(&session) ? session.client : NULL;
        struct kube_stream *stream = one != NULL ? kube_stream_open(one, "/exec", "command=ls&stdout=true", protocols, &callbacks, NULL, NULL) : NULL;
        while (stream != NULL && !heard.is_open && !heard.over)
            loop_once(loop, 1000);
        if (heard.is_open && !heard.over && kube_stream_write(stream, "hello", 5, NULL)) {
            while (heard.length < 5 && !heard.over)
                loop_once(loop, 1000);
            fine = heard.length == 5;
        }
        mem_fail_at(0);
        if (heard.over && heard.error.kind != ERROR_MEMORY && heard.error.kind != ERROR_UNREACHABLE)
            fail_msg("allocation %d: kind %d, %s", nth, heard.error.kind, heard.error.message);
        kube_stream_close(stream);
        session_drop_client(&session);
        in_a_row = fine ? in_a_row + 1 : 0;
        failures += !fine;
    }
    assert_true(failures > 20);
    session_end(&session);
}

int test_stream(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(bytes_go_both_ways_and_the_end_is_told),
        {"bytes_go_both_ways_and_the_end_is_told, TLS", bytes_go_both_ways_and_the_end_is_told, begin_tls, end, NULL},
        CASE(no_more_than_four_mebibytes_wait),
        CASE(bytes_that_come_with_the_head_are_not_lost),
        {"bytes_that_come_with_the_head_are_not_lost, TLS", bytes_that_come_with_the_head_are_not_lost, begin_tls, end, NULL},
        CASE(a_refusal_is_told_in_the_servers_words),
        CASE(an_answer_that_is_not_quite_right_is_wrong),
        CASE(an_endless_head_is_cut_off),
        CASE(refused_credentials_are_fetched_again_once),
        CASE(a_stopped_server_is_told_when_patience_ends),
        CASE(a_broken_connection_is_told),
        CASE(it_can_be_closed_at_every_moment),
        CASE(a_stream_keeps_no_request_waiting),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("kube/stream", tests, make_certificates, drop_certificates);
}
