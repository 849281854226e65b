/* Streamed answers, and every order in which connection, source, request and server can end. */
#include <stdio.h>
#include <zlib.h>

#include "net/web.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: localhost\r\n\r\n"

/* A source whose every step a test decides. */
struct tap {
    struct web *web;
    struct http_request *request; /* NULL once closed */
    enum http_more next;          /* what more says */
    size_t left;                  /* bytes still to write, `piece` at a time; then HTTP_DONE, if next is HTTP_MORE */
    size_t piece, written, most_unsent;
    const char *text;             /* written instead */
    bool wake_inside, free_server_inside, gzip;
    int asked, closed;
};

static enum http_more tap_more(void *data, struct http_request *request)
{
    struct tap *tap = data;
    char bytes[64 * 1024];
    tap->asked++;
    assert_int_equal(tap->closed, 0);
    assert_ptr_equal(request, tap->request);
    if (http_unsent(request) > tap->most_unsent)
        tap->most_unsent = http_unsent(request);
    if (tap->free_server_inside) {
        http_server_free(tap->web->server);
        tap->web->server = NULL;
        assert_false(http_alive(request));
        assert_int_equal(tap->closed, 0);
    }
    if (tap->text != NULL)
        http_write(request, tap->text, strlen(tap->text));
    if (tap->wake_inside) {
        tap->wake_inside = false;
        http_wake(request);
    }
    if (tap->left == 0)
        return tap->next == HTTP_MORE ? HTTP_DONE : tap->next;
    size_t length = tap->left < tap->piece ? tap->left : tap->piece;
    for (size_t i = 0; i < length; i++)
        bytes[i] = (char)('a' + (tap->written + i) % 23);
    http_write(request, bytes, length);
    tap->written += length;
    tap->left -= length;
    return tap->left > 0 || tap->next != HTTP_MORE ? tap->next : HTTP_DONE;
}

static void tap_closed(void *data)
{
    struct tap *tap = data;
    tap->closed++;
    tap->request = NULL;
}

static const struct http_source SOURCE = {.more = tap_more, .closed = tap_closed};

static void open_tap(struct web *web, struct http_request *request)
{
    struct tap *tap = web->data;
    if (strcmp(http_path(request), "/plain") == 0) {
        web_echo(web, request);
        return;
    }
    tap->request = request;
    int asked = tap->asked;
    http_stream(request, 200, "application/json", tap->gzip, &SOURCE, tap);
    assert_int_equal(tap->asked, asked); /* never from inside */
    assert_int_equal(tap->closed, 0);
}

static struct web *start(struct tap *tap)
{
    struct web *web = web_new();
    web->data = tap;
    web->handler = open_tap;
    tap->web = web;
    tap->piece = tap->piece > 0 ? tap->piece : 64 * 1024;
    web_start(web);
    return web;
}

static void check_letters(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != (char)('a' + i % 23))
            fail_msg("byte %zu is wrong", i);
}

static void a_stream_comes_whole_and_the_connection_is_kept(void **state)
{
    (void)state;
    struct tap tap = {.next = HTTP_MORE, .left = 20000000};
    struct web *web = start(&tap);
    struct client *client = client_new(web, NULL);
    struct buf head = buf_make(1 << 16), body = buf_make(64 << 20);
    client_say(client, GET("/"));
    assert_int_equal(client_answer(client, &head, &body), 200);
    assert_int_equal(body.length, 20000000);
    check_letters(body.bytes, body.length);
    assert_non_null(strstr(head.bytes, "Transfer-Encoding: chunked"));
    assert_int_equal(tap.closed, 1);
    assert_true(tap.most_unsent <= HTTP_UNSENT);
    client_ask(client, GET("/plain"), 200, "GET /plain? ");
    tap = (struct tap){.web = web, .next = HTTP_DONE, .piece = 1}; /* an empty one */
    client_ask(client, GET("/"), 200, "");
    assert_int_equal(tap.closed, 1);
    tap = (struct tap){.web = web, .next = HTTP_MORE, .piece = 7, .left = 100};
    client_ask(client, GET("/"), 200, "abcdefghijklmnopqrstuvwabcdefghijklmnopqrstuvwabcdefghijklmnopqrstuvwabcdefghijklmnopqrstuvwabcdefgh");
    buf_free(&head);
    buf_free(&body);
    client_free(client);
    web_free(web);
}

static void others_are_served_while_a_stream_is_pumped(void **state)
{
    (void)state;
    struct tap tap = {.next = HTTP_MORE, .left = 50000000};
    struct web *web = start(&tap);
    struct client *list = client_new(web, NULL), *other = client_new(web, NULL);
    client_say(list, GET("/"));
    web_until(web, tap.asked > 0);
    for (int i = 0; i < 20; i++) {
        client_ask(other, GET("/plain"), 200, "GET /plain? ");
        client_poll(list);
    }
    assert_int_equal(tap.closed, 0);
    client_until(list, "\r\n0\r\n\r\n");
    assert_int_equal(tap.closed, 1);
    client_free(list);
    client_free(other);
    web_free(web);
}

static void http_1_0_gets_a_stream_up_to_the_connections_end(void **state)
{
    (void)state;
    struct tap tap = {.next = HTTP_MORE, .left = 200000};
    struct web *web = start(&tap);
    struct client *client = client_new(web, NULL);
    client_say(client, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    client_drain(client);
    assert_true(client->orderly); /* so it is whole */
    assert_null(strstr(client->got.bytes, "chunked"));
    assert_non_null(strstr(client->got.bytes, "Connection: close"));
    const char *body = strstr(client->got.bytes, "\r\n\r\n") + 4;
    assert_int_equal(client->got.length - (size_t)(body - client->got.bytes), 200000);
    check_letters(body, 200000);
    client_free(client);
    web_free(web);
}

static void head_of_a_stream_asks_the_source_nothing(void **state)
{
    (void)state;
    struct tap tap = {.next = HTTP_MORE, .left = 1000};
    struct web *web = start(&tap);
    struct client *client = client_new(web, NULL);
    client_say(client, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
    web_until(web, tap.closed == 1);
    assert_int_equal(tap.asked, 0);
    client_say(client, GET("/plain"));
    client_until(client, "GET /plain? ");
    assert_non_null(strstr(client->got.bytes, "Transfer-Encoding: chunked\r\n\r\nHTTP/1.1 200 OK"));
    client_free(client);
    web_free(web);
}

static void a_silent_stream_goes_on_when_it_is_woken(void **state)
{
    (void)state;
    struct tap tap = {.next = HTTP_WAIT, .text = "one"};
    struct web *web = start(&tap);
    struct client *client = client_new(web, NULL);
    client_say(client, GET("/"));
    assert_non_null(client_until(client, "00000003\r\none\r\n"));
    for (int i = 0; i < 20; i++)
        loop_once(web->loop, 0);
    assert_int_equal(tap.asked, 1);
    tap.text = "two";
    http_wake(tap.request);
    http_wake(tap.request);
    assert_int_equal(tap.asked, 1); /* never from inside */
    assert_non_null(client_until(client, "00000003\r\ntwo\r\n"));
    assert_int_equal(tap.asked, 2);
    tap.text = "three";
    tap.wake_inside = true; /* as something comes while the source says that there is nothing: it is asked again */
    http_wake(tap.request);
    assert_non_null(client_until(client, "three\r\n00000005\r\nthree\r\n"));
    assert_int_equal(tap.asked, 4);
    tap.text = NULL; /* nothing to say, and no empty chunk, which would be the end */
    http_wake(tap.request);
    web_until(web, tap.asked == 5);
    tap.next = HTTP_DONE;
    http_wake(tap.request);
    assert_non_null(client_until(client, "three\r\n0\r\n\r\n"));
    assert_int_equal(tap.closed, 1);
    client_ask(client, GET("/plain"), 200, NULL);
    client_free(client);
    web_free(web);
}

static void a_cut_stream_is_seen_to_be_cut(void **state)
{
    (void)state;
    for (int old = 0; old < 2; old++) {
        struct tap tap = {.next = HTTP_WAIT, .text = "part"};
        struct web *web = start(&tap);
        struct client *client = client_new(web, NULL);
        client_say(client, old ? "GET / HTTP/1.0\r\n\r\n" : GET("/"));
        client_until(client, "part");
        tap.next = HTTP_CUT;
        http_wake(tap.request);
        client_drain(client);
        assert_false(client->orderly);
        assert_null(strstr(client->got.bytes, "0\r\n\r\n"));
        assert_int_equal(tap.closed, 1);
        assert_int_equal(http_server_connections(web->server), 0);
        client_free(client);
        web_free(web);
    }
}

static void a_reader_that_reads_nothing_holds_no_more_than_the_bound(void **state)
{
    (void)state;
    struct tap tap = {.next = HTTP_MORE, .left = SIZE_MAX / 2};
    struct web *web = web_new();
    web->options.write_ms = 300;
    web->data = &tap;
    web->handler = open_tap;
    tap.web = web;
    tap.piece = 64 * 1024;
    web_start(web);
    struct client *client = client_new(web, &(struct client_options){.certificate = true, .receive_buffer = 4096});
    client_say(client, GET("/"));
    web_until(web, tap.closed == 1); /* cut off */
    assert_true(tap.most_unsent <= HTTP_UNSENT);
    assert_true(tap.written < 16 << 20); /* the rest is the kernel's */
    assert_int_equal(http_server_connections(web->server), 0);
    client_drain(client);
    assert_false(client->orderly);
    client_free(client);
    web_free(web);
}

static void a_slow_reader_is_not_cut_off(void **state)
{
    (void)state;
    struct tap tap = {.next = HTTP_MORE, .left = 12 << 20};
    struct web *web = web_new();
    web->options.write_ms = 500;
    web->data = &tap;
    web->handler = open_tap;
    tap.web = web;
    tap.piece = 64 * 1024;
    web_start(web);
    struct client *client = client_new(web, &(struct client_options){.certificate = true, .receive_buffer = 65536});
    client_say(client, GET("/"));
    /* The answer takes three spans of write_ms: a share of it at a time, paced by the clock and not by sleeping. */
    int64_t began = web_now();
    for (size_t total = 0; total < 12 << 20;) {
        char bytes[16384];
        size_t length;
        if ((int64_t)total * 1500 / (12 << 20) > web_now() - began)
            loop_once(web->loop, 5);
        else if (SSL_read_ex(client->ssl, bytes, sizeof bytes, &length) == 1)
            total += length;
        else
            loop_once(web->loop, 0);
        assert_true(web_now() - began < LONG_MS);
    }
    web_until(web, tap.closed == 1);
    assert_int_equal(tap.left, 0);
    client_free(client);
    web_free(web);
}

static void the_source_is_closed_once_when_the_client_goes(void **state)
{
    (void)state;
    static const enum http_more states[] = {HTTP_WAIT, HTTP_MORE};
    for (int i = 0; i < 4; i++) {
        struct tap tap = {.next = states[i / 2], .left = states[i / 2] == HTTP_MORE ? SIZE_MAX / 2 : 0, .text = "x"};
        struct web *web = start(&tap);
        struct client *client = client_new(web, NULL);
        client_say(client, GET("/"));
        web_until(web, tap.asked > 0);
        if (i % 2)
            client_end(client); /* a half-closed watch ends; a half-closed list goes on until it is read or not */
        else
            client_free(client);
        if (i == 3) {
            for (int rounds = 0; rounds < 50; rounds++)
                client_poll(client);
            assert_int_equal(tap.closed, 0);
            assert_true(client->got.length > 1000000);
            client_free(client);
        }
        web_until(web, tap.closed == 1);
        web_until(web, http_server_connections(web->server) == 0);
        if (i == 1)
            client_free(client);
        web_free(web);
        assert_int_equal(tap.closed, 1);
    }
}

static void the_source_is_closed_once_when_the_server_goes(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct tap tap = {.next = i == 0 ? HTTP_WAIT : HTTP_MORE, .left = i == 0 ? 0 : SIZE_MAX / 2, .free_server_inside = i == 2};
        struct web *web = start(&tap);
        struct client *client = client_new(web, &(struct client_options){.certificate = true, .receive_buffer = 4096});
        client_say(client, GET("/"));
        web_until(web, tap.asked > 0);
        for (int rounds = 0; rounds < 50; rounds++)
            loop_once(web->loop, 0);
        http_server_free(web->server);
        web->server = NULL;
        assert_int_equal(tap.closed, 1);
        client_drain(client);
        client_free(client);
        web_free(web);
        assert_int_equal(tap.closed, 1);
    }
}

/* One stream's end frees the server, under another stream. */
static void free_at_close(void *data)
{
    struct tap *tap = data;
    tap_closed(tap);
    http_server_free(tap->web->server);
    tap->web->server = NULL;
}

static void open_both(struct web *web, struct http_request *request)
{
    static const struct http_source freeing = {.more = tap_more, .closed = free_at_close};
    struct tap *taps = web->data, *tap = &taps[strcmp(http_path(request), "/a") != 0];
    tap->request = request;
    http_stream(request, 200, "text/plain", false, tap == taps ? &freeing : &SOURCE, tap);
}

static void the_server_may_be_freed_when_a_source_is_closed(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct tap taps[2] = {{.next = HTTP_WAIT, .text = "x"}, {.next = HTTP_WAIT, .text = "x"}};
        struct web *web = web_new();
        web->data = taps;
        web->handler = open_both;
        taps[0].web = taps[1].web = web;
        web_start(web);
        struct client *a = client_new(web, NULL), *b = client_new(web, NULL);
        client_say(a, GET("/a"));
        client_say(b, GET("/b"));
        client_until(a, "x\r\n");
        client_until(b, "x\r\n");
        if (i < 2) {
            taps[0].next = i == 0 ? HTTP_DONE : HTTP_CUT;
            http_wake(taps[0].request);
        } else
            client_free(a);
        web_until(web, web->server == NULL);
        assert_int_equal(taps[0].closed, 1);
        assert_int_equal(taps[1].closed, 1);
        if (i < 2)
            client_free(a);
        client_free(b);
        web_free(web);
    }
}

static void a_request_outlives_its_connection_harmlessly(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct tap tap = {.next = HTTP_WAIT};
        struct web *web = web_new();
        web->handler = web_hold;
        web->data = &tap;
        web_start(web);
        struct client *client = client_new(web, NULL);
        client_say(client, "POST /x?y HTTP/1.1\r\nHost: a\r\nA: b\r\nContent-Length: 3\r\n\r\nabc");
        web_until(web, web->held != NULL);
        struct http_request *request = web->held;
        assert_true(http_alive(request));
        if (i % 2) {
            http_server_free(web->server);
            web->server = NULL;
            client_free(client);
        } else {
            client_free(client);
            web_until(web, http_server_connections(web->server) == 0);
        }
        const char *const *organizations;
        size_t length;
        assert_false(http_alive(request));
        assert_string_equal(http_path(request), "/x");
        assert_string_equal(http_header(request, "a"), "b");
        assert_string_equal(http_body(request, &length), "abc");
        assert_string_equal(http_peer(request, &organizations), "learner");
        assert_string_equal(organizations[1], "kubetutor:admins");
        assert_int_equal(http_unsent(request), 0);
        http_add_header(request, "A", "b");
        tap.request = request;
        if (i / 2 == 0)
            http_answer(request, 200, "text/plain", "x", 1);
        else if (i / 2 == 1)
            web_echo(web, request);
        else
            http_stream(request, 200, "text/plain", true, &SOURCE, &tap);
        assert_int_equal(tap.closed, i / 2 == 2);
        assert_int_equal(tap.asked, 0);
        web_free(web);
    }
}

static void free_first(struct web *web, struct http_request *request)
{
    http_server_free(web->server);
    web->server = NULL;
    web_echo(web, request);
}

static void free_afterwards(struct web *web, struct http_request *request)
{
    web_echo(web, request);
    http_server_free(web->server);
    web->server = NULL;
}

static void the_server_may_be_freed_inside_a_handler(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct web *web = web_new();
        web->handler = i == 0 ? free_first : free_afterwards;
        web_start(web);
        struct client *client = client_new(web, NULL);
        client_say(client, GET("/") GET("/2"));
        web_until(web, web->server == NULL);
        assert_int_equal(web->requests, 1);
        client_drain(client);
        client_free(client);
        web_free(web);
    }
}

/* --- compression --- */

static size_t inflated(const struct buf *body, char *to, size_t room)
{
    z_stream stream = {.next_in = (unsigned char *)body->bytes, .avail_in = (unsigned)body->length, .next_out = (unsigned char *)to, .avail_out = (unsigned)room};
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.avail_in, 0);
    inflateEnd(&stream);
    return room - stream.avail_out;
}

static void check_gzip(struct client *client, const char *accepted, bool expected, size_t length)
{
    struct buf head = buf_make(1 << 16), body = buf_make(64 << 20);
    char request[256], *plain = malloc(length + 1);
    snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: %s\r\n\r\n", accepted);
    client_say(client, request);
    assert_int_equal(client_answer(client, &head, &body), 200);
    assert_int_equal(strstr(head.bytes, "\r\nContent-Encoding: gzip\r\n") != NULL, expected);
    if (expected) {
        assert_non_null(strstr(head.bytes, "\r\nVary: Accept-Encoding\r\n"));
        assert_int_equal(inflated(&body, plain, length + 1), length);
        check_letters(plain, length);
    } else {
        assert_int_equal(body.length, length);
        check_letters(body.bytes, length);
    }
    free(plain);
    buf_free(&head);
    buf_free(&body);
}

static void a_stream_is_compressed_for_who_takes_it(void **state)
{
    (void)state;
    static const struct {
        const char *accepted;
        bool expected;
    } all[] = {{"gzip", true},      {"deflate, GZIP ;q=0.5", true}, {"gzip;q=0", false}, {"gzip;q=0.000, br", false},
               {"", false},         {"gzipped", false},             {"x-gzip", false},   {"br,gzip;q=1.0", true}};
    struct tap tap = {.gzip = true};
    struct web *web = start(&tap);
    struct client *client = client_new(web, NULL);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tap = (struct tap){.web = web, .gzip = true, .next = HTTP_MORE, .left = 1000000 + i, .piece = i % 2 ? 65536 : 777};
        check_gzip(client, all[i].accepted, all[i].expected, 1000000 + i);
    }
    tap = (struct tap){.web = web, .gzip = false, .next = HTTP_MORE, .left = 1000, .piece = 1000};
    check_gzip(client, "gzip", false, 1000);
    client_free(client);
    web_free(web);
}

static void what_a_compressed_stream_wrote_is_seen_while_it_waits(void **state)
{
    (void)state;
    struct tap tap = {.gzip = true, .next = HTTP_WAIT, .text = "hello"};
    struct web *web = start(&tap);
    struct client *client = client_new(web, NULL);
    client_say(client, "GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n");
    const char *chunk = client_until(client, "\r\n\r\n");
    size_t at = (size_t)(chunk - client->got.bytes);
    while (client->got.length < at + 10 || client->got.length < at + 12 + strtoul(client->got.bytes + at, NULL, 16)) {
        web_until(web, tap.asked == 1);
        client_poll(client);
    }
    char plain[16] = "";
    z_stream stream = {.next_in = (unsigned char *)client->got.bytes + at + 10, .avail_in = (unsigned)(client->got.length - at - 12),
                       .next_out = (unsigned char *)plain, .avail_out = sizeof plain - 1};
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_SYNC_FLUSH), Z_OK);
    assert_string_equal(plain, "hello");
    inflateEnd(&stream);
    client_free(client);
    web_until(web, tap.closed == 1);
    web_free(web);
}

static void answer_letters(struct web *web, struct http_request *request)
{
    struct tap *tap = web->data;
    struct buf body = buf_make(64 << 20);
    for (size_t i = 0; i < tap->left; i++) {
        char c = (char)('a' + i % 23);
        buf_append(&body, &c, 1);
    }
    const char *type = tap->text != NULL ? tap->text : "application/json";
    if (tap->gzip) {
        http_answer(request, 200, type, body.bytes, body.length);
        buf_free(&body);
    } else
        http_answer_buf(request, 200, type, &body);
}

static void a_large_whole_answer_is_compressed_for_who_takes_it(void **state)
{
    (void)state;
    struct tap tap = {.left = 0};
    struct web *web = web_new();
    web->data = &tap;
    web->handler = answer_letters;
    web_start(web);
    struct client *client = client_new(web, NULL);
    for (int i = 0; i < 2; i++) {
        tap = (struct tap){.left = 128 * 1024, .gzip = i == 1};
        check_gzip(client, "gzip", false, tap.left);
        tap.left++;
        check_gzip(client, "gzip", true, tap.left);
        check_gzip(client, "identity", false, tap.left);
        tap.left = 3000000;
        check_gzip(client, "gzip", true, tap.left);
        tap.text = "application/vnd.kubernetes.protobuf";
        check_gzip(client, "gzip", true, tap.left);
        tap.text = "image/png";
        check_gzip(client, "gzip", false, tap.left);
    }
    client_free(client);
    web_free(web);
}

int test_http_ends(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_comes_whole_and_the_connection_is_kept),
        cmocka_unit_test(others_are_served_while_a_stream_is_pumped),
        cmocka_unit_test(http_1_0_gets_a_stream_up_to_the_connections_end),
        cmocka_unit_test(head_of_a_stream_asks_the_source_nothing),
        cmocka_unit_test(a_silent_stream_goes_on_when_it_is_woken),
        cmocka_unit_test(a_cut_stream_is_seen_to_be_cut),
        cmocka_unit_test(a_reader_that_reads_nothing_holds_no_more_than_the_bound),
        cmocka_unit_test(a_slow_reader_is_not_cut_off),
        cmocka_unit_test(the_source_is_closed_once_when_the_client_goes),
        cmocka_unit_test(the_source_is_closed_once_when_the_server_goes),
        cmocka_unit_test(the_server_may_be_freed_when_a_source_is_closed),
        cmocka_unit_test(a_request_outlives_its_connection_harmlessly),
        cmocka_unit_test(the_server_may_be_freed_inside_a_handler),
        cmocka_unit_test(a_stream_is_compressed_for_who_takes_it),
        cmocka_unit_test(what_a_compressed_stream_wrote_is_seen_while_it_waits),
        cmocka_unit_test(a_large_whole_answer_is_compressed_for_who_takes_it),
    };
    return cmocka_run_group_tests_name("http ends", tests, NULL, NULL);
}
