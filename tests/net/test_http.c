#include <stdio.h>

#include "net/web.h"

#define HOST "Host: localhost\r\n"

static struct web *start(void (*handler)(struct web *, struct http_request *))
{
    struct web *web = web_new();
    web->handler = handler;
    web_start(web);
    return web;
}

static void a_request_is_answered_and_the_connection_kept(void **state)
{
    (void)state;
    struct web *web = start(web_echo);
    struct client *client = client_new(web, NULL);
    assert_false(client->failed);
    for (int i = 0; i < 100; i++)
        client_ask(client, "GET /a/b?c=d HTTP/1.1\r\n" HOST "\r\n", 200, "GET /a/b?c=d ");
    client_ask(client, "POST /x HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello", 200, "POST /x? hello");
    client_ask(client, "PUT /x HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n, you!\r\n0\r\nX: y\r\n\r\n", 200,
               "PUT /x? hello, you!");
    assert_int_equal(web->requests, 102);
    assert_int_equal(http_server_connections(web->server), 1);
    client_free(client);
    web_until(web, http_server_connections(web->server) == 0);
    web_free(web);
}

static void pipelined_requests_are_answered_in_order_and_one_at_a_time(void **state)
{
    (void)state;
    struct web *web = start(web_hold);
    struct client *client = client_new(web, NULL);
    client_say(client, "GET /1 HTTP/1.1\r\n" HOST "\r\nGET /2 HTTP/1.1\r\n" HOST "\r\nGET /3 HTTP/1.1\r\n" HOST "Connection: close\r\n\r\nGET /4 HT");
    for (int i = 1; i <= 3; i++) {
        char path[8];
        snprintf(path, sizeof path, "/%d", i);
        web_until(web, web->held != NULL);
        assert_int_equal(web->requests, i);
        assert_string_equal(http_path(web->held), path);
        struct http_request *request = web->held;
        web->held = NULL;
        web_echo(web, request);
    }
    client_drain(client);
    assert_true(client->orderly);
    const char *first = strstr(client->got.bytes, "GET /1?"), *second = strstr(client->got.bytes, "GET /2?"), *third = strstr(client->got.bytes, "GET /3?");
    assert_true(first != NULL && second > first && third > second);
    assert_non_null(strstr(second, "Connection: close"));
    client_free(client);
    web_free(web);
}

static void a_thousand_pipelined_requests(void **state)
{
    (void)state;
    struct web *web = start(web_echo);
    struct client *client = client_new(web, NULL);
    struct buf all = buf_make(1 << 20), head = buf_make(1 << 16), body = buf_make(1 << 16);
    for (int i = 0; i < 1000; i++)
        buf_printf(&all, "POST /%d HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc", i);
    client_send(client, all.bytes, all.length);
    for (int i = 0; i < 1000; i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "POST /%d? abc", i);
        assert_int_equal(client_answer(client, &head, &body), 200);
        assert_string_equal(body.bytes, expected);
    }
    buf_free(&all);
    buf_free(&head);
    buf_free(&body);
    client_free(client);
    web_free(web);
}

static void answer_after_headers(struct web *web, struct http_request *request)
{
    struct buf text = buf_make(1 << 16);
    const char *host = http_header(request, "hOST"), *twice = http_header(request, "Twice"), *none = http_header(request, "None");
    const char *name, *value, *const *organizations = NULL;
    size_t cursor = 0;
    buf_printf(&text, "%s|%s|%s|", host, twice, none != NULL ? none : "none");
    while (http_next_header(request, &cursor, &name, &value))
        buf_printf(&text, "%s=%s;", name, value);
    const char *peer = http_peer(request, &organizations);
    buf_printf(&text, "|%s", peer != NULL ? peer : "nobody");
    for (size_t i = 0; peer != NULL && organizations[i] != NULL; i++)
        buf_printf(&text, ",%s", organizations[i]);
    http_add_header(request, "X-Good", "value");
    http_add_header(request, "X-Split", "a\r\nX-Evil: b\x7f");
    http_answer_buf(request, web->data != NULL ? 204 : 201, "application/json", &text);
}

static void headers_and_peer_are_told_and_answers_cannot_be_split(void **state)
{
    (void)state;
    struct web *web = start(answer_after_headers);
    struct client *client = client_new(web, NULL);
    struct buf head = buf_make(1 << 16), body = buf_make(1 << 16);
    client_say(client, "GET / HTTP/1.1\r\n" HOST "Twice:  one \r\nOther: \r\ntwice: two\r\n\r\n");
    assert_int_equal(client_answer(client, &head, &body), 201);
    assert_string_equal(body.bytes, "localhost|one, two|none|Host=localhost;Twice=one;Other=;twice=two;|learner,learners,kubetutor:admins");
    assert_non_null(strstr(head.bytes, "HTTP/1.1 201 Created\r\n"));
    assert_non_null(strstr(head.bytes, "\r\nX-Good: value\r\n"));
    assert_non_null(strstr(head.bytes, "\r\nX-Split: a??X-Evil: b?\r\n"));
    assert_non_null(strstr(head.bytes, "\r\nContent-Type: application/json\r\n"));
    assert_non_null(strstr(head.bytes, " GMT\r\n"));
    assert_null(strstr(head.bytes, "Connection:"));
    web->data = web;
    client_ask(client, "GET / HTTP/1.1\r\n" HOST "\r\n", 204, "");
    client_ask(client, "HEAD / HTTP/1.1\r\n" HOST "\r\n", 204, "");
    buf_free(&head);
    buf_free(&body);
    client_free(client);
    web_free(web);
}

static void bad_header(struct web *web, struct http_request *request)
{
    (void)web;
    http_add_header(request, "X Y", "value");
    http_answer(request, 200, "text/plain", "never", 5);
}

static void a_header_that_is_no_token_makes_the_answer_a_500(void **state)
{
    (void)state;
    struct web *web = start(bad_header);
    struct client *client = client_new(web, NULL);
    client_say(client, "GET / HTTP/1.1\r\n" HOST "\r\n");
    client_until(client, "\"code\":500}");
    assert_non_null(strstr(client->got.bytes, "HTTP/1.1 500 Internal Server Error"));
    assert_null(strstr(client->got.bytes, "never"));
    client_free(client);
    web_free(web);
}

static void head_sends_the_head_alone(void **state)
{
    (void)state;
    struct web *web = start(web_echo);
    struct client *client = client_new(web, NULL);
    client_say(client, "HEAD /x HTTP/1.1\r\n" HOST "\r\nGET /y HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n");
    client_drain(client);
    assert_non_null(strstr(client->got.bytes, "Content-Length: 9\r\n\r\nHTTP/1.1 200 OK"));
    assert_null(strstr(client->got.bytes, "HEAD /x"));
    client_free(client);
    web_free(web);
}

static void http_1_0_is_answered_and_closed_unless_it_asks_otherwise(void **state)
{
    (void)state;
    struct web *web = start(web_echo);
    struct client *client = client_new(web, NULL);
    client_ask(client, "GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, "GET /x? ");
    client_say(client, "GET /y HTTP/1.0\r\n\r\n");
    client_drain(client);
    assert_true(client->orderly);
    assert_non_null(strstr(client->got.bytes, "Connection: close\r\n\r\nGET /y? "));
    client_free(client);
    web_free(web);
}

static void a_body_is_awaited_with_100_continue_once_its_head_is_accepted(void **state)
{
    (void)state;
    struct web *web = start(web_echo);
    struct client *client = client_new(web, NULL);
    client_say(client, "POST / HTTP/1.1\r\n" HOST "Content-Length: 4\r\nExpect: 100-continue\r\n\r\n");
    assert_non_null(client_until(client, "HTTP/1.1 100 Continue\r\n\r\n"));
    assert_int_equal(web->requests, 0);
    client_say(client, "body");
    assert_non_null(client_until(client, "POST /? body"));
    client_free(client);
    client = client_new(web, NULL); /* a body that is too large is not asked for */
    client_say(client, "POST / HTTP/1.1\r\n" HOST "Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n");
    client_drain(client);
    assert_int_equal(strncmp(client->got.bytes, "HTTP/1.1 413 ", 13), 0);
    client_free(client);
    client = client_new(web, NULL); /* nor is one that comes along */
    client_say(client, "POST / HTTP/1.1\r\n" HOST "Content-Length: 4\r\nExpect: 100-continue\r\n\r\nbody");
    client_until(client, "POST /? body");
    assert_null(strstr(client->got.bytes, "100 Continue"));
    client_free(client);
    web_free(web);
}

static void a_client_that_closes_its_half_gets_its_answers(void **state)
{
    (void)state;
    struct web *web = start(web_hold);
    struct client *client = client_new(web, NULL);
    client_say(client, "GET /1 HTTP/1.1\r\n" HOST "\r\nGET /2 HTTP/1.1\r\n" HOST "\r\n");
    client_end(client);
    for (int i = 0; i < 2; i++) {
        web_until(web, web->held != NULL);
        for (int rounds = 0; rounds < 20; rounds++)
            loop_once(web->loop, 0);
        struct http_request *request = web->held;
        web->held = NULL;
        assert_true(http_alive(request));
        web_echo(web, request);
    }
    client_drain(client);
    assert_non_null(strstr(client->got.bytes, "GET /1? "));
    assert_non_null(strstr(client->got.bytes, "GET /2? "));
    assert_true(client->orderly);
    client_free(client);
    web_until(web, http_server_connections(web->server) == 0);
    web_free(web);
}

static void big_answer(struct web *web, struct http_request *request)
{
    size_t length = (size_t)atol(http_query(request));
    struct buf body = buf_make(64 << 20);
    for (size_t at = 0; at < length; at += 8)
        buf_printf(&body, "%07zu\n", at % 10000000);
    assert_int_equal(body.length, length);
    const char *type = strcmp(http_path(request), "/json") == 0 ? "application/json" : "image/png";
    if (web->data != NULL) {
        http_answer(request, 200, type, body.bytes, body.length);
        buf_free(&body);
    } else
        http_answer_buf(request, 200, type, &body);
}

static void check_numbers(const struct buf *body, size_t length)
{
    assert_int_equal(body->length, length);
    for (size_t at = 0; at < length; at += 8) {
        char expected[16];
        snprintf(expected, sizeof expected, "%07zu\n", at % 10000000);
        assert_memory_equal(body->bytes + at, expected, 8);
    }
}

static void bodies_of_all_sizes_arrive_whole(void **state)
{
    (void)state;
    struct web *web = start(big_answer);
    struct client *client = client_new(web, NULL);
    struct buf head = buf_make(1 << 16), body = buf_make(64 << 20);
    static const size_t sizes[] = {0, 8, 8184, 8192, 8200, 16384, 65536, 262144, 3 << 20, 20 << 20};
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        char request[128];
        web->data = i % 2 ? web : NULL;
        snprintf(request, sizeof request, "GET /json?%zu HTTP/1.1\r\n" HOST "\r\n", sizes[i / 2]);
        client_say(client, request);
        assert_int_equal(client_answer(client, &head, &body), 200);
        check_numbers(&body, sizes[i / 2]);
        assert_null(strstr(head.bytes, "gzip"));
    }
    buf_free(&head);
    buf_free(&body);
    client_free(client);
    web_free(web);
}

int test_http(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_answered_and_the_connection_kept),
        cmocka_unit_test(pipelined_requests_are_answered_in_order_and_one_at_a_time),
        cmocka_unit_test(a_thousand_pipelined_requests),
        cmocka_unit_test(headers_and_peer_are_told_and_answers_cannot_be_split),
        cmocka_unit_test(a_header_that_is_no_token_makes_the_answer_a_500),
        cmocka_unit_test(head_sends_the_head_alone),
        cmocka_unit_test(http_1_0_is_answered_and_closed_unless_it_asks_otherwise),
        cmocka_unit_test(a_body_is_awaited_with_100_continue_once_its_head_is_accepted),
        cmocka_unit_test(a_client_that_closes_its_half_gets_its_answers),
        cmocka_unit_test(bodies_of_all_sizes_arrive_whole),
    };
    return cmocka_run_group_tests_name("http", tests, NULL, NULL);
}
