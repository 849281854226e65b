#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "kube/heard.h"
#include "kube/internal.h"
#include "kube/server.h"

static struct loop *loop;
static struct server *server;
static struct kube_client *client;
static struct heard a, b;

static int begin(void **state)
{
    (void)state;
    unsetenv("HTTP_PROXY"), unsetenv("http_proxy");
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    loop = loop_new(NULL);
    server = server_new(loop, NULL);
    client = client_for(loop, server_url(server), "", "token: secret");
    return 0;
}

static int end(void **state)
{
    (void)state;
    kube_client_free(client);
    client = NULL;
    server_free(server);
    loop_free(loop); /* asserts that no event is left */
    return 0;
}

static struct kube_call *send_request(const struct kube_request *request, struct heard *heard, bool streaming)
{
    struct error err = ERROR_INIT;
    heard->call = kube_send(client, request, streaming ? heard_data : NULL, heard_done, heard, &err);
    assert_non_null(heard->call);
    return heard->call;
}

static void run_request(const struct kube_request *request, struct heard *heard)
{
    send_request(request, heard, false);
    until(client, &heard->done);
}

static void pass(int64_t ms)
{
    bool never = false;
    loop_until(loop, &never, ms);
}

/* --- requests --- */

static void look_at_get(void *data, struct exchange *x)
{
    (void)data;
    assert_string_equal(exchange_header(x, "Authorization"), "Bearer secret");
    assert_string_equal(exchange_header(x, "Accept"), "application/json");
    assert_string_equal(exchange_header(x, "Accept-Encoding"), "gzip");
    assert_int_equal(strncmp(exchange_header(x, "User-Agent"), "kubetutor/", 10), 0);
    assert_null(exchange_header(x, "Content-Type"));
    assert_string_equal(exchange_query(x), "limit=5&a=b%20c");
    exchange_reply(x, 200, "Content-Type: application/json\r\n", "{\"a\":1}");
}

static void a_get_brings_code_type_and_body(void **state)
{
    (void)state;
    server_on(server, "GET", "/api/v1/pods", look_at_get, NULL);
    run_request(&(struct kube_request){.method = "GET", .path = "/api/v1/pods", .query = "limit=5&a=b%20c"}, &a);
    assert_true(a.ok);
    assert_int_equal(a.code, 200);
    assert_string_equal(a.content_type, "application/json");
    assert_string_equal(a.body, "{\"a\":1}");
}

static void look_at_patch(void *data, struct exchange *x)
{
    (void)data;
    size_t length;
    assert_string_equal(exchange_header(x, "Content-Type"), "application/merge-patch+json");
    assert_null(exchange_header(x, "Expect"));
    exchange_body(x, &length);
    assert_int_equal(length, 2 << 20);
    exchange_reply(x, 201, NULL, "");
}

static void a_body_of_any_size_is_sent_with_its_type(void **state)
{
    (void)state;
    server_on(server, "PATCH", "/x", look_at_patch, NULL);
    char *body = malloc(2 << 20);
    memset(body, ' ', 2 << 20);
    send_request(&(struct kube_request){.method = "PATCH", .path = "/x", .content_type = "application/merge-patch+json", .body = body, .body_length = 2 << 20}, &a, false);
    free(body); /* it was copied */
    until(client, &a.done);
    assert_true(a.ok);
    assert_int_equal(a.code, 201);
}

static void every_method_arrives_as_it_is(void **state)
{
    (void)state;
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int with_body = 0; with_body < 2; with_body++) {
            server_answer_once(server, methods[i], "/m", 200, NULL, "{}");
            memset(&a, 0, sizeof a);
            bool body = with_body && strcmp(methods[i], "GET") != 0 && strcmp(methods[i], "HEAD") != 0;
            run_request(&(struct kube_request){.method = methods[i], .path = "/m", .body = body ? "{}" : NULL, .body_length = body ? 2 : 0}, &a);
            assert_true(a.ok);
        }
}

static void a_refusal_is_told_as_a_sentence_with_its_status(void **state)
{
    (void)state;
    server_answer(server, "GET", "/x", 403, NULL, "{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"message\":\"pods is forbidden\",\"code\":403}");
    get(client, "/x", &a);
    assert_false(a.ok);
    assert_int_equal(a.code, 403);
    assert_int_equal(a.error.kind, ERROR_DENIED);
    assert_string_equal(a.error.message, "cannot GET /x: pods is forbidden");
    assert_string_equal(a.error.where, server_url(server));
    assert_string_equal(a.status.reason, "Forbidden");
}

static void a_redirect_is_not_followed(void **state)
{
    (void)state;
    server_answer(server, "GET", "/x", 302, "Location: /y\r\n", "");
    get(client, "/x", &a);
    assert_false(a.ok);
    assert_non_null(strstr(a.error.message, "redirect"));
    assert_int_equal(server_log(server)->length, 1);
}

static void the_path_of_the_servers_address_is_kept(void **state)
{
    (void)state;
    char url[128];
    snprintf(url, sizeof url, "%s/k8s/c-1/", server_url(server));
    struct kube_client *other = client_for(loop, url, "", "");
    server_answer(server, "GET", "/k8s/c-1/version", 200, NULL, "{}");
    get(other, "/version", &a);
    assert_true(a.ok);
    kube_client_free(other);
}

/* --- connections --- */

static void a_connection_is_used_again(void **state)
{
    (void)state;
    server_answer(server, NULL, "/x", 200, NULL, "{}");
    for (int i = 0; i < 5; i++)
        get(client, "/x", &a);
    assert_int_equal(server_connections(server), 1);
}

static void answer_and_close(void *data, struct exchange *x)
{
    (void)data;
    exchange_reply(x, 200, NULL, "{}");
    exchange_close(x);
}

static void a_kept_connection_that_died_is_replaced_even_for_writes(void **state)
{
    (void)state;
    server_on(server, "POST", "/x", answer_and_close, NULL);
    for (int i = 0; i < 3; i++) {
        memset(&a, 0, sizeof a);
        run_request(&(struct kube_request){.method = "POST", .path = "/x", .body = "{}", .body_length = 2}, &a);
        assert_true(a.ok);
        pass(20);
    }
    assert_int_equal(server_log(server)->length, 3);
}

static void a_hundred_requests_at_once_are_all_answered(void **state)
{
    (void)state;
    static struct heard many[100];
    memset(many, 0, sizeof many);
    server_answer(server, "GET", "/x", 200, NULL, "{}");
    for (int i = 0; i < 100; i++)
        send_request(&(struct kube_request){.method = "GET", .path = "/x"}, &many[i], false);
    for (int i = 0; i < 100; i++) {
        until(client, &many[i].done);
        assert_true(many[i].ok);
    }
}

static void hold(void *data, struct exchange *x)
{
    *(struct exchange **)data = x;
}

static void reset(void *data, struct exchange *x)
{
    (void)data;
    exchange_reset(x);
}

static void a_read_that_was_reset_is_tried_again_three_times_and_a_write_never(void **state)
{
    (void)state;
    server_on(server, NULL, "/x", reset, NULL);
    get(client, "/x", &a);
    assert_false(a.ok);
    assert_int_equal(a.error.kind, ERROR_UNREACHABLE);
    assert_int_equal(server_log(server)->length, 4);
    run_request(&(struct kube_request){.method = "POST", .path = "/x", .body = "{}", .body_length = 2}, &b);
    assert_int_equal(b.error.kind, ERROR_UNREACHABLE);
    assert_int_equal(server_log(server)->length, 5);
}

static void reset_once(void *data, struct exchange *x)
{
    int *times = data;
    if ((*times)++ == 0)
        exchange_reset(x);
    else
        exchange_reply(x, 200, NULL, "{}");
}

static void a_read_recovers_from_one_reset(void **state)
{
    (void)state;
    int times = 0;
    server_on(server, "GET", "/x", reset_once, &times);
    get(client, "/x", &a);
    assert_true(a.ok);
    assert_int_equal(times, 2);
}

static void no_retry_means_no_retry(void **state)
{
    (void)state;
    server_on(server, "GET", "/x", reset, NULL);
    run_request(&(struct kube_request){.method = "GET", .path = "/x", .no_retry = true}, &a);
    assert_false(a.ok);
    assert_int_equal(server_log(server)->length, 1);
}

static void a_server_that_is_gone_is_told_soon(void **state)
{
    (void)state;
    int64_t start = clock_monotonic_ms();
    server_stop_listening(server);
    get(client, "/x", &a);
    assert_int_equal(a.error.kind, ERROR_UNREACHABLE);
    assert_non_null(strstr(a.error.message, "refuses connections"));
    assert_non_null(strstr(a.error.cause, "onnect"));
    assert_in_range(clock_monotonic_ms() - start, 0, 9999);
}

static void a_server_that_is_stopped_is_told_when_patience_ends(void **state)
{
    (void)state;
    kube_client_set_patience(client, 300, 100, 200);
    server_freeze(server);
    get(client, "/x", &a); /* it connects, and that is all */
    assert_int_equal(a.error.kind, ERROR_UNREACHABLE);
    assert_non_null(strstr(a.error.message, "does not answer any more"));
    get(client, "/x", &b);
    assert_int_equal(b.error.kind, ERROR_UNREACHABLE);
}

static void a_server_that_stops_ends_its_streams_too(void **state)
{
    (void)state;
    struct exchange *watch = NULL;
    server_on(server, "GET", "/watch", hold, &watch);
    send_request(&(struct kube_request){.method = "GET", .path = "/watch", .timeout_ms = -1}, &a, true);
    while (watch == NULL)
        loop_once(loop, 100);
    exchange_begin(watch, 200, NULL);
    exchange_send_text(watch, "x");
    while (a.data_count == 0)
        loop_once(loop, 100);
    kube_client_set_patience(client, 300, 100, 200);
    server_freeze(server);
    get(client, "/x", &b);
    assert_int_equal(b.error.kind, ERROR_UNREACHABLE);
    until(client, &a.done);
    assert_int_equal(a.error.kind, ERROR_UNREACHABLE);
}

static void a_server_that_is_slow_but_lives_is_waited_for(void **state)
{
    (void)state;
    struct exchange *slow = NULL;
    kube_client_set_patience(client, 300, 50, 200);
    server_on(server, "GET", "/slow", hold, &slow);
    server_answer(server, "GET", "/version", 200, NULL, "{}");
    send_request(&(struct kube_request){.method = "GET", .path = "/slow"}, &a, false);
    while (!a.done && server_log(server)->length < 4) /* it was asked three times whether it lives */
        loop_once(loop, 1000);
    assert_false(a.done);
    exchange_reply(slow, 200, NULL, "{}");
    until(client, &a.done);
    assert_true(a.ok);
}

/* --- time --- */

static void a_request_ends_in_its_time(void **state)
{
    (void)state;
    struct exchange *held = NULL;
    server_on(server, "GET", "/x", hold, &held);
    run_request(&(struct kube_request){.method = "GET", .path = "/x", .timeout_ms = 100}, &a);
    assert_int_equal(a.error.kind, ERROR_TIMEOUT);
    assert_non_null(strstr(a.error.message, "did not finish GET /x within 0.1 seconds"));
    assert_int_equal(server_log(server)->length, 1);
}

static void trickle(void *data)
{
    struct exchange **x = data;
    exchange_send_text(*x, "x");
}

static void a_silent_stream_ends_and_one_that_speaks_does_not(void **state)
{
    (void)state;
    struct exchange *quiet = NULL, *busy = NULL;
    server_on(server, "GET", "/quiet", hold, &quiet);
    server_on(server, "GET", "/busy", hold, &busy);
    send_request(&(struct kube_request){.method = "GET", .path = "/quiet", .timeout_ms = -1, .idle_ms = 300}, &a, true);
    send_request(&(struct kube_request){.method = "GET", .path = "/busy", .timeout_ms = -1, .idle_ms = 300}, &b, true);
    while (quiet == NULL || busy == NULL)
        loop_once(loop, 100);
    exchange_begin(quiet, 200, NULL);
    exchange_begin(busy, 200, NULL);
    struct loop_event *timer = loop_add_timer(loop, 0, trickle, &busy);
    while (!a.done) {
        loop_set_timer(timer, 50);
        loop_once(loop, 100);
    }
    loop_drop(timer);
    assert_int_equal(a.error.kind, ERROR_TIMEOUT);
    assert_non_null(strstr(a.error.message, "nothing came"));
    assert_false(b.done);
    assert_true(b.data_count > 2);
    kube_call_cancel(b.call);
}

static void a_busy_server_is_asked_again_when_it_said(void **state)
{
    (void)state;
    server_answer_once(server, "POST", "/x", 429, "Retry-After: 0\r\n", "");
    server_answer_once(server, "POST", "/x", 503, "Retry-After: 0\r\n", "");
    server_answer_once(server, "POST", "/x", 200, NULL, "{}");
    run_request(&(struct kube_request){.method = "POST", .path = "/x", .body = "{}", .body_length = 2}, &a);
    assert_true(a.ok);
    assert_int_equal(server_log(server)->length, 3);
    assert_string_equal(a.body, "{}"); /* nothing of the refusals */
}

static void a_server_that_stays_busy_is_given_up(void **state)
{
    (void)state;
    server_answer(server, "GET", "/x", 429, "Retry-After: 0\r\n", "slow down");
    get(client, "/x", &a);
    assert_int_equal(a.error.kind, ERROR_BUSY);
    assert_int_equal(a.status.retry_after_ms, 0);
    assert_int_equal(server_log(server)->length, 4);
}

static void a_long_wait_is_left_to_the_caller(void **state)
{
    (void)state;
    int64_t start = clock_monotonic_ms();
    server_answer(server, "GET", "/x", 429, "Retry-After: 60\r\n", "");
    server_answer(server, "GET", "/date", 503, "Retry-After: Wed, 21 Oct 2099 07:28:00 GMT\r\n", "");
    get(client, "/x", &a);
    assert_int_equal(a.status.retry_after_ms, 60000);
    get(client, "/date", &b);
    assert_int_equal(b.error.kind, ERROR_BUSY);
    assert_int_equal(server_log(server)->length, 2);
    assert_in_range(clock_monotonic_ms() - start, 0, 2000);
}

/* --- bounds --- */

static void flood(void *data)
{
    struct exchange **x = data;
    static char bytes[65536];
    memset(bytes, 'x', sizeof bytes);
    exchange_send(*x, bytes, sizeof bytes);
}

static void an_endless_answer_is_cut_off_at_its_maximum(void **state)
{
    (void)state;
    for (int streaming = 0; streaming < 2; streaming++) {
        struct exchange *x = NULL;
        memset(&a, 0, sizeof a);
        server_on(server, "GET", "/x", hold, &x);
        send_request(&(struct kube_request){.method = "GET", .path = "/x", .maximum = 1 << 20}, &a, streaming);
        while (x == NULL)
            loop_once(loop, 100);
        exchange_begin(x, 200, NULL);
        struct loop_event *timer = loop_add_timer(loop, 0, flood, &x);
        while (!a.done) {
            loop_set_timer(timer, 0);
            loop_once(loop, 100);
        }
        loop_drop(timer);
        assert_int_equal(a.error.kind, ERROR_LIMIT);
        assert_in_range(a.length, 0, 1 << 20);
    }
}

static char *zipped(const char *name, size_t *length)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/client/%s", KT_TEST_CASES, name);
    char *bytes = file_read(path, 1 << 20, length, NULL);
    assert_non_null(bytes);
    return bytes;
}

static void answer_zipped(void *data, struct exchange *x)
{
    size_t length;
    char *bytes = zipped(data, &length);
    exchange_begin(x, 200, "Content-Type: application/json\r\nContent-Encoding: gzip\r\n");
    exchange_send(x, bytes, length);
    exchange_end(x);
    mem_free(bytes);
}

static void a_zipped_answer_is_unpacked_and_a_bomb_is_not(void **state)
{
    (void)state;
    char list[] = "list.gz", bomb[] = "bomb.gz";
    server_on(server, "GET", "/list", answer_zipped, list);
    server_on(server, "GET", "/bomb", answer_zipped, bomb);
    get(client, "/list", &a);
    assert_true(a.ok);
    assert_string_equal(a.body, "{\"kind\":\"PodList\",\"items\":[]}");
    run_request(&(struct kube_request){.method = "GET", .path = "/bomb", .maximum = 1 << 20}, &b);
    assert_int_equal(b.error.kind, ERROR_LIMIT);
}

static void a_compression_that_was_switched_off_is_not_asked_for(void **state)
{
    (void)state;
    struct exchange *x = NULL;
    struct kube_client *other = client_for(loop, server_url(server), "disable-compression: true", "");
    server_on(server, "GET", "/x", hold, &x);
    assert_non_null(kube_send(other, &(struct kube_request){.method = "GET", .path = "/x"}, NULL, heard_done, &a, NULL));
    while (x == NULL)
        loop_once(loop, 100);
    assert_null(exchange_header(x, "Accept-Encoding"));
    kube_client_free(other);
}

static void damaged(void *data, struct exchange *x)
{
    (void)data;
    const char *path = exchange_path(x);
    static const struct {
        const char *path, *bytes;
    } answers[] = {
        {"/short", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"},
        {"/cut-chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc"},
        {"/bad-chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc"},
        {"/cut-head", "HTTP/1.1 200 OK\r\nContent-Le"},
        {"/no-http", "SSH-2.0-OpenSSH_9.2\r\n"},
        {"/nothing", ""},
        {"/bad-gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\n\r\nnot gzip"},
        {"/bad-code", "HTTP/1.1 XYZ OK\r\n\r\n"},
        {"/short-refusal", "HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nabc"},
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (strcmp(path, answers[i].path) == 0)
            exchange_raw(x, answers[i].bytes, strlen(answers[i].bytes));
    exchange_close(x);
}

static void a_damaged_answer_is_no_answer(void **state)
{
    (void)state;
    static const char *const paths[] = {"/short", "/cut-chunk", "/bad-chunk", "/cut-head", "/no-http", "/nothing", "/bad-gzip", "/bad-code"};
    server_on(server, "GET", "/*", damaged, NULL);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        get(client, paths[i], &a);
        if (a.ok || a.error.kind != ERROR_UNREACHABLE || a.error.message[0] == '\0')
            fail_msg("%s: ok %d, %s", paths[i], a.ok, a.error.message);
    }
}

static void a_refusal_that_did_not_come_whole_is_a_refusal(void **state)
{
    (void)state;
    server_on(server, "GET", "/*", damaged, NULL);
    get(client, "/short-refusal", &a);
    assert_false(a.ok);
    assert_int_equal(a.error.kind, ERROR_DENIED);
}

static void huge_head(void *data, struct exchange *x)
{
    (void)data;
    char line[1024];
    memset(line, 'h', sizeof line);
    memcpy(line, "X-Long: ", 8);
    memcpy(line + sizeof line - 2, "\r\n", 2);
    exchange_raw(x, "HTTP/1.1 200 OK\r\n", 17);
    for (int i = 0; i < 300; i++)
        exchange_raw(x, line, sizeof line);
}

static void an_endless_head_is_cut_off(void **state)
{
    (void)state;
    server_on(server, "GET", "/x", huge_head, NULL);
    get(client, "/x", &a);
    assert_int_equal(a.error.kind, ERROR_LIMIT);
}

static void huge_refusal(void *data, struct exchange *x)
{
    (void)data;
    static char bytes[65536];
    memset(bytes, 'n', sizeof bytes);
    exchange_begin(x, 500, "Content-Type: text/plain\r\n");
    exchange_send_text(x, "it broke\n");
    for (int i = 0; i < 40; i++)
        exchange_send(x, bytes, sizeof bytes);
}

static void of_an_endless_refusal_the_start_is_told(void **state)
{
    (void)state;
    server_on(server, "GET", "/x", huge_refusal, NULL);
    get(client, "/x", &a);
    assert_int_equal(a.code, 500);
    assert_string_equal(a.error.message, "cannot GET /x: it broke");
}

int test_client(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(a_get_brings_code_type_and_body),
        CASE(a_body_of_any_size_is_sent_with_its_type),
        CASE(every_method_arrives_as_it_is),
        CASE(a_refusal_is_told_as_a_sentence_with_its_status),
        CASE(a_redirect_is_not_followed),
        CASE(the_path_of_the_servers_address_is_kept),
        CASE(a_connection_is_used_again),
        CASE(a_kept_connection_that_died_is_replaced_even_for_writes),
        CASE(a_hundred_requests_at_once_are_all_answered),
        CASE(a_read_that_was_reset_is_tried_again_three_times_and_a_write_never),
        CASE(a_read_recovers_from_one_reset),
        CASE(no_retry_means_no_retry),
        CASE(a_server_that_is_gone_is_told_soon),
        CASE(a_server_that_is_stopped_is_told_when_patience_ends),
        CASE(a_server_that_stops_ends_its_streams_too),
        CASE(a_server_that_is_slow_but_lives_is_waited_for),
        CASE(a_request_ends_in_its_time),
        CASE(a_silent_stream_ends_and_one_that_speaks_does_not),
        CASE(a_busy_server_is_asked_again_when_it_said),
        CASE(a_server_that_stays_busy_is_given_up),
        CASE(a_long_wait_is_left_to_the_caller),
        CASE(an_endless_answer_is_cut_off_at_its_maximum),
        CASE(a_zipped_answer_is_unpacked_and_a_bomb_is_not),
        CASE(a_compression_that_was_switched_off_is_not_asked_for),
        CASE(a_damaged_answer_is_no_answer),
        CASE(a_refusal_that_did_not_come_whole_is_a_refusal),
        CASE(an_endless_head_is_cut_off),
        CASE(of_an_endless_refusal_the_start_is_told),
    };
    return cmocka_run_group_tests_name("kube/client: requests", tests, NULL, NULL);
}
