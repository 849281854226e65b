/* Connections that became byte streams. */
#include <stdio.h>
#include <unistd.h>

#include "failing.h"
#include "net/web.h"

#define UPGRADE "GET /stream HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, Upgrade\r\nUpgrade: Echo\r\n\r\n"

enum { FLOOD = 8 << 20 };

struct stream {
    struct http_request *request;
    bool echo, flood, refuse, leave;
    size_t flooded;
    struct buf got, back; /* back: what could not be sent yet */
    int ends, closes, rooms;
};

static void send_back(struct stream *stream)
{
    size_t sent = http_send(stream->request, stream->back.bytes != NULL ? stream->back.bytes : "", stream->back.length);
    memmove(stream->back.bytes, stream->back.bytes + sent, stream->back.length - sent);
    stream->back.length -= sent;
}

static void pour(struct stream *stream)
{
    static const char bytes[64 * 1024];
    while (stream->flooded < FLOOD) {
        size_t left = FLOOD - stream->flooded, most = left < sizeof bytes ? left : sizeof bytes, sent = http_send(stream->request, bytes, most);
        stream->flooded += sent;
        if (sent < most)
            return;
    }
    http_leave(stream->request);
    stream->request = NULL;
}

static size_t received(void *data, const void *bytes, size_t length)
{
    struct stream *stream = data;
    size_t most = stream->refuse ? 0 : length;
    buf_append(&stream->got, bytes, most);
    if (stream->echo && most > 0) {
        buf_append(&stream->back, bytes, most);
        send_back(stream);
    }
    if (stream->leave) {
        http_leave(stream->request);
        stream->request = NULL;
    }
    return most;
}

static void room(void *data)
{
    struct stream *stream = data;
    stream->rooms++;
    if (stream->flood)
        pour(stream);
    else
        send_back(stream);
}

static void ended(void *data)
{
    struct stream *stream = data;
    stream->ends++;
    if (stream->echo) {
        assert_int_equal(http_send(stream->request, "bye", 3), 3);
        http_send_end(stream->request);
    }
}

static void closed(void *data)
{
    struct stream *stream = data;
    stream->closes++;
    stream->request = NULL;
}

static void upgrade(struct web *web, struct http_request *request)
{
    static const struct http_upgraded upgraded = {received, room, ended, closed};
    struct stream *stream = web->data;
    if (!http_wants_upgrade(request, "echo")) {
        web_echo(web, request);
        return;
    }
    stream->request = request;
    http_upgrade(request, "echo", &upgraded, stream);
    if (stream->flood)
        pour(stream);
}

static struct web *start(struct stream *stream)
{
    struct web *web = web_new();
    *stream = (struct stream){.got = buf_make(1 << 24), .back = buf_make(1 << 24)};
    web->handler = upgrade;
    web->data = stream;
    web_start(web);
    return web;
}

static void stop(struct web *web, struct stream *stream)
{
    web_free(web);
    if (stream->request != NULL)
        http_leave(stream->request);
    buf_free(&stream->got);
    buf_free(&stream->back);
}

static void an_upgraded_connection_carries_bytes_both_ways_and_ends_in_halves(void **state)
{
    (void)state;
    struct stream stream;
    struct web *web = start(&stream);
    stream.echo = true;
    struct client *client = client_new(web, NULL);
    client_say(client, UPGRADE "first"); /* bytes may come with the request */
    assert_non_null(client_until(client, "\r\n\r\nfirst"));
    assert_int_equal(strncmp(client->got.bytes, "HTTP/1.1 101 Switching Protocols\r\n", 34), 0);
    assert_non_null(strstr(client->got.bytes, "Upgrade: echo\r\n"));
    assert_non_null(strstr(client->got.bytes, "Connection: Upgrade\r\n"));
    client_say(client, "second");
    assert_non_null(client_until(client, "second"));
    client_end(client);
    client_drain(client);
    assert_string_equal(client->got.bytes + client->got.length - 9, "secondbye");
    assert_true(client->orderly);
    assert_int_equal(stream.ends, 1);
    assert_int_equal(stream.closes, 0);
    http_leave(stream.request);
    stream.request = NULL;
    web_until(web, http_server_connections(web->server) == 0);
    assert_int_equal(stream.closes, 0);
    client_free(client);
    stop(web, &stream);
}

static void a_request_without_the_headers_wants_no_upgrade(void **state)
{
    (void)state;
    struct stream stream;
    struct web *web = start(&stream);
    struct client *client = client_new(web, NULL);
    client_ask(client, "GET /a HTTP/1.1\r\nHost: localhost\r\nUpgrade: echo\r\n\r\n", 200, NULL);
    client_ask(client, "GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: upgraded\r\nUpgrade: echo\r\n\r\n", 200, NULL);
    client_ask(client, "GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n", 200, NULL);
    client_free(client);
    stop(web, &stream);
}

static void what_waits_leaves_before_the_connection_is_closed(void **state)
{
    (void)state;
    struct stream stream;
    struct web *web = start(&stream);
    stream.flood = true;
    struct client *client = client_new(web, &(struct client_options){.receive_buffer = 512 * 1024});
    client_say(client, UPGRADE);
    web_until(web, stream.request != NULL && http_unsent(stream.request) > 0);
    size_t sent = stream.flooded;
    http_leave(stream.request);
    stream.request = NULL;
    client_drain(client);
    assert_true(client->orderly);
    assert_int_equal(client->got.length - (size_t)(strstr(client->got.bytes, "\r\n\r\n") + 4 - client->got.bytes), sent);
    assert_int_equal(stream.closes, 0);
    client_free(client);
    stop(web, &stream);
}

static void who_does_not_read_holds_no_more_than_the_bound_and_gets_all_in_the_end(void **state)
{
    (void)state;
    struct stream stream;
    struct web *web = start(&stream);
    stream.flood = true;
    struct client *client = client_new(web, &(struct client_options){.receive_buffer = 512 * 1024});
    client_say(client, UPGRADE);
    for (int i = 0; i < 50; i++) {
        loop_once(web->loop, 2);
        assert_true(stream.request == NULL || http_unsent(stream.request) <= HTTP_UNSENT);
    }
    assert_true(stream.flooded < FLOOD);
    client_drain(client);
    assert_true(client->orderly);
    assert_int_equal(client->got.length - (size_t)(strstr(client->got.bytes, "\r\n\r\n") + 4 - client->got.bytes), FLOOD);
    assert_true(stream.rooms > 1);
    client_free(client);
    stop(web, &stream);
}

static void a_client_that_vanishes_ends_and_the_server_s_end_closes(void **state)
{
    (void)state;
    struct stream stream;
    struct web *web = start(&stream);
    struct client *client = client_new(web, NULL);
    client_say(client, UPGRADE);
    assert_non_null(client_until(client, "\r\n\r\n"));
    client_free(client);
    web_until(web, stream.ends == 1 || stream.closes == 1);
    stop(web, &stream);
    assert_int_equal(stream.closes, 1);
}

static void bytes_that_are_refused_wait_and_the_client_is_not_read(void **state)
{
    (void)state;
    struct stream stream;
    struct web *web = start(&stream);
    stream.refuse = true;
    struct client *client = client_new(web, NULL);
    client_say(client, UPGRADE "abc");
    assert_non_null(client_until(client, "\r\n\r\n"));
    client_say(client, "def");
    for (int i = 0; i < 20; i++)
        loop_once(web->loop, 2);
    assert_int_equal(stream.got.length, 0);
    stream.refuse = false;
    http_resume(stream.request);
    web_until(web, stream.got.length == 6);
    assert_string_equal(stream.got.bytes, "abcdef");
    client_free(client);
    stop(web, &stream);
}

static void the_owner_may_leave_while_it_is_told(void **state)
{
    (void)state;
    struct stream stream;
    struct web *web = start(&stream);
    stream.leave = stream.echo = true;
    struct client *client = client_new(web, NULL);
    client_say(client, UPGRADE "last words");
    client_drain(client);
    assert_non_null(strstr(client->got.bytes, "last words"));
    assert_int_equal(stream.closes, 0);
    client_free(client);
    stop(web, &stream);
}

static void a_connection_on_which_nothing_moves_is_closed(void **state)
{
    (void)state;
    struct stream stream;
    struct web *web = web_new();
    stream = (struct stream){.got = buf_make(100), .back = buf_make(100)};
    web->handler = upgrade;
    web->data = &stream;
    web->options.quiet_ms = 300;
    web->options.idle_ms = web->options.head_ms = web->options.write_ms = 50; /* these do not count here */
    web_start(web);
    struct client *client = client_new(web, NULL);
    int64_t began = web_now();
    client_say(client, UPGRADE);
    client_drain(client);
    assert_true(web_now() - began >= 290);
    assert_int_equal(stream.closes, 1);
    client_free(client);
    stop(web, &stream);
}

static void a_lack_of_memory_closes_the_connection_and_loses_nothing(void **state)
{
    (void)state;
    struct stream stream;
    struct web *web = start(&stream);
    stream.echo = true;
    bool reached = true;
    int nth = 1;
    for (; reached; nth++) {
        struct client *client = client_new(web, NULL);
        stream.ends = stream.closes = 0;
        buf_clear(&stream.got);
        buf_clear(&stream.back);
        for (int i = 0; i < 8; i++)
            loop_once(web->loop, 1); /* the rest of the handshake, which is OpenSSL's and tested elsewhere */
        client_say(client, UPGRADE "abc");
        mem_fail_at(nth); /* the client allocates nothing now */
        for (int i = 0; i < 8; i++)
            loop_once(web->loop, 1);
        reached = failing_was_reached(nth);
        assert_true(reached || client_until(client, "\r\n\r\nabc") != NULL);
        client_free(client);
        web_until(web, http_server_connections(web->server) == 0 || stream.ends > 0);
        assert_true(stream.request != NULL || stream.closes <= 1);
        if (stream.request != NULL)
            http_leave(stream.request);
        stream.request = NULL;
        web_until(web, http_server_connections(web->server) == 0);
    }
    assert_true(nth > 8);
    stop(web, &stream);
}

int test_http_upgrade(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_upgraded_connection_carries_bytes_both_ways_and_ends_in_halves),
        cmocka_unit_test(a_request_without_the_headers_wants_no_upgrade),
        cmocka_unit_test(what_waits_leaves_before_the_connection_is_closed),
        cmocka_unit_test(who_does_not_read_holds_no_more_than_the_bound_and_gets_all_in_the_end),
        cmocka_unit_test(a_client_that_vanishes_ends_and_the_server_s_end_closes),
        cmocka_unit_test(bytes_that_are_refused_wait_and_the_client_is_not_read),
        cmocka_unit_test(the_owner_may_leave_while_it_is_told),
        cmocka_unit_test(a_connection_on_which_nothing_moves_is_closed),
        cmocka_unit_test(a_lack_of_memory_closes_the_connection_and_loses_nothing),
    };
    return cmocka_run_group_tests_name("http upgrade", tests, NULL, NULL);
}
