#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "kube/heard.h"
#include "kube/internal.h"
#include "kube/session.h"

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

static void pass(int64_t ms)
{
    bool never = false;
    loop_until(loop, &never, ms);
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

/* --- streams of data --- */

static void count_head(void *data)
{
    struct heard *heard = data;
    assert_int_equal(heard->data_count, 0);
    heard->head_count++;
}

static void data_comes_as_it_is_sent(void **state)
{
    (void)state;
    struct exchange *x = NULL;
    server_on(server, "GET", "/x", hold, &x);
    kube_call_on_head(send_request(&(struct kube_request){.method = "GET", .path = "/x", .timeout_ms = -1}, &a, true), count_head);
    while (x == NULL)
        loop_once(loop, 100);
    exchange_begin(x, 200, NULL);
    while (a.head_count == 0)
        loop_once(loop, 100);
    for (unsigned i = 1; i <= 3; i++) {
        exchange_send_text(x, "line\n");
        while (a.data_count < i)
            loop_once(loop, 100);
    }
    exchange_end(x);
    until(client, &a.done);
    assert_true(a.ok);
    assert_string_equal(a.body, "line\nline\nline\n");
    assert_int_equal(a.head_count, 1);
}

static void a_refused_stream_gets_no_data_and_no_head(void **state)
{
    (void)state;
    server_answer(server, "GET", "/x", 410, NULL, "{\"kind\":\"Status\",\"reason\":\"Expired\",\"message\":\"too old\"}");
    kube_call_on_head(send_request(&(struct kube_request){.method = "GET", .path = "/x", .timeout_ms = -1}, &a, true), count_head);
    until(client, &a.done);
    assert_int_equal(a.data_count, 0);
    assert_int_equal(a.head_count, 0);
    assert_int_equal(a.error.kind, ERROR_EXPIRED);
}

static void a_stream_that_breaks_tells_what_came_and_then_that(void **state)
{
    (void)state;
    struct exchange *x = NULL;
    server_on(server, "GET", "/x", hold, &x);
    send_request(&(struct kube_request){.method = "GET", .path = "/x", .timeout_ms = -1}, &a, true);
    while (x == NULL)
        loop_once(loop, 100);
    exchange_begin(x, 200, NULL);
    exchange_send_text(x, "line\n");
    while (a.data_count == 0)
        loop_once(loop, 100);
    exchange_reset(x);
    until(client, &a.done);
    assert_string_equal(a.body, "line\n");
    assert_int_equal(a.error.kind, ERROR_UNREACHABLE);
    assert_int_equal(server_log(server)->length, 1); /* after the first byte nothing is tried again */
}

/* --- ends --- */

static void a_cancelled_call_is_silent_at_every_moment(void **state)
{
    (void)state;
    struct exchange *x = NULL;
    server_on(server, "GET", "/x", hold, &x);
    kube_call_cancel(NULL);
    kube_call_cancel(send_request(&(struct kube_request){.method = "GET", .path = "/x"}, &a, false)); /* at once */
    for (int rounds = 0; rounds < 12; rounds++) { /* and after so many rounds of the loop */
        x = NULL;
        struct kube_call *call = send_request(&(struct kube_request){.method = "GET", .path = "/x"}, &a, false);
        for (int i = 0; i < rounds; i++)
            loop_once(loop, 5);
        if (x != NULL && rounds > 8)
            exchange_reply(x, 200, NULL, "{}");
        if (!a.done)
            kube_call_cancel(call);
    }
    assert_false(a.done);
    server_on(server, "GET", "/y", reset, NULL);
    struct kube_call *call = send_request(&(struct kube_request){.method = "GET", .path = "/y"}, &a, false);
    pass(100); /* it waits for its next try */
    kube_call_cancel(call);
    pass(300);
    assert_false(a.done);
}

static void cancel_in_data(void *data, const char *bytes, size_t length)
{
    struct heard *heard = data;
    heard_data(data, bytes, length);
    kube_call_cancel(heard->call);
}

static void a_call_can_cancel_itself_while_it_gets_data(void **state)
{
    (void)state;
    struct exchange *x = NULL;
    server_on(server, "GET", "/x", hold, &x);
    a.call = kube_send(client, &(struct kube_request){.method = "GET", .path = "/x", .timeout_ms = -1}, cancel_in_data, heard_done, &a, NULL);
    while (x == NULL)
        loop_once(loop, 100);
    exchange_begin(x, 200, NULL);
    exchange_send_text(x, "one");
    exchange_send_text(x, "two");
    while (!exchange_gone(x))
        loop_once(loop, 100);
    assert_int_equal(a.data_count, 1);
    assert_false(a.done);
}

static void cancel_in_head(void *data)
{
    struct heard *heard = data;
    heard->head_count++;
    kube_call_cancel(heard->call);
}

static void a_call_can_cancel_itself_at_the_head(void **state)
{
    (void)state;
    server_answer(server, "GET", "/x", 200, NULL, "{}");
    kube_call_on_head(send_request(&(struct kube_request){.method = "GET", .path = "/x"}, &a, true), cancel_in_head);
    while (a.head_count == 0)
        loop_once(loop, 100);
    pass(20);
    assert_int_equal(a.data_count, 0);
    assert_false(a.done);
}

static void done_cancels_the_other(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status)
{
    heard_done(data, answer, error, status);
    kube_call_cancel(a.call); /* the one that is done, or the other */
    kube_call_cancel(data == &a ? b.call : a.call);
    a.call = b.call = NULL;
}

static void calls_can_cancel_each_other_when_both_are_done(void **state)
{
    (void)state;
    struct exchange *x = NULL, *y = NULL;
    server_on(server, "GET", "/x", hold, &x);
    server_on(server, "GET", "/y", hold, &y);
    a.call = kube_send(client, &(struct kube_request){.method = "GET", .path = "/x"}, NULL, done_cancels_the_other, &a, NULL);
    b.call = kube_send(client, &(struct kube_request){.method = "GET", .path = "/y"}, NULL, done_cancels_the_other, &b, NULL);
    while (x == NULL || y == NULL)
        loop_once(loop, 100);
    exchange_reply(x, 200, NULL, "{}");
    exchange_reply(y, 200, NULL, "{}");
    pass(50);
    assert_int_equal(a.done_count + b.done_count, 1);
}

static void free_client_in_done(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status)
{
    heard_done(data, answer, error, status);
    kube_client_free(client);
    client = NULL;
}

static void free_client_in_data(void *data, const char *bytes, size_t length)
{
    heard_data(data, bytes, length);
    kube_client_free(client);
    client = NULL;
}

static void count_drop(void *data)
{
    ++*(unsigned *)data;
}

static void the_client_can_be_freed_in_any_callback(void **state)
{
    (void)state;
    unsigned dropped = 0;
    server_answer(server, "GET", "/x", 200, NULL, "{}");
    kube_call_own(kube_send(client, &(struct kube_request){.method = "GET", .path = "/x"}, NULL, free_client_in_done, &a, NULL), &dropped, count_drop);
    kube_call_own(send_request(&(struct kube_request){.method = "GET", .path = "/nowhere"}, &b, false), &dropped, count_drop);
    until(client, &a.done);
    assert_null(client);
    assert_int_equal(dropped, 2); /* and what they own is gone, too */
    client = client_for(loop, server_url(server), "", "");
    kube_call_own(kube_send(client, &(struct kube_request){.method = "GET", .path = "/x"}, free_client_in_data, heard_done, &b, NULL), &dropped, count_drop);
    while (client != NULL)
        loop_once(loop, 100);
    assert_false(b.done);
    assert_int_equal(dropped, 3);
}

static void send_another(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status)
{
    heard_done(data, answer, error, status);
    assert_non_null(kube_send(client, &(struct kube_request){.method = "GET", .path = "/x"}, NULL, heard_done, &b, NULL));
}

static void a_new_request_can_be_sent_from_done(void **state)
{
    (void)state;
    server_answer(server, "GET", "/x", 200, NULL, "{}");
    assert_non_null(kube_send(client, &(struct kube_request){.method = "GET", .path = "/x"}, NULL, send_another, &a, NULL));
    until(client, &b.done);
    assert_true(b.ok);
}

static void what_a_call_owns_is_dropped_once_after_done_or_cancel(void **state)
{
    (void)state;
    unsigned dropped = 0;
    server_answer(server, "GET", "/x", 200, NULL, "{}");
    kube_call_own(send_request(&(struct kube_request){.method = "GET", .path = "/x"}, &a, false), &dropped, count_drop);
    until(client, &a.done);
    assert_int_equal(dropped, 1);
    struct kube_call *call = send_request(&(struct kube_request){.method = "GET", .path = "/x"}, &b, false);
    kube_call_own(call, &dropped, count_drop);
    kube_call_cancel(call);
    assert_int_equal(dropped, 2);
}

/* --- warnings and words --- */

static void keep_warning(void *data, const char *text)
{
    char *all = data;
    strcat(strcat(all, text), "|");
}

static void warnings_are_told_once(void **state)
{
    (void)state;
    char all[1024] = "";
    kube_client_on_warning(client, keep_warning, all);
    server_answer(server, "GET", "/x", 200,
                  "Warning: 299 - \"v1 Endpoints is deprecated in v1.33+\"\r\nWarning: 299 agent \"say \\\"hi\\\"\", 299 - \"two\" \"Wed, 21 Oct 2015 07:28:00 GMT\"\r\n"
                  "Warning: 110 - \"stale\"\r\nWarning: 299 - \"no end\r\nWarning: rubbish\r\nWarning:\r\n",
                  "{}");
    get(client, "/x", &a);
    get(client, "/x", &a);
    assert_string_equal(all, "v1 Endpoints is deprecated in v1.33+|say \"hi\"|two|");
}

static void the_log_has_no_secret(void **state)
{
    (void)state;
    char text[4096] = "";
    FILE *file = fmemopen(text, sizeof text, "w");
    struct log log = log_to(file);
    char config_text[1000];
    snprintf(config_text, sizeof config_text, "clusters: [{name: c, cluster: {server: '%s'}}]\nusers: [{name: u, user: {token: sesame}}]\n"
             "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n", server_url(server));
    struct kube_client *other = kube_client_new(loop, kube_config_parse(config_text, strlen(config_text), "/test", NULL), &log, NULL);
    server_answer(server, "POST", "/x", 201, "X-Answer: sesame\r\n", "sesame");
    assert_non_null(kube_send(other, &(struct kube_request){.method = "POST", .path = "/x", .query = "dryRun=All", .body = "sesame", .body_length = 6}, NULL, heard_done, &a, NULL));
    until(other, &a.done);
    kube_client_free(other);
    fclose(file);
    assert_non_null(strstr(text, "POST /x?dryRun=All: 201"));
    assert_null(strstr(text, "sesame"));
}

static void paths_and_queries_are_escaped(void **state)
{
    (void)state;
    struct buf out = buf_make(1000);
    kube_path(&out, "/api/v1/namespaces", "learn", "pods", "a/b?c d%\xC3\xA9", NULL);
    assert_string_equal(out.bytes, "/api/v1/namespaces/learn/pods/a%2Fb%3Fc%20d%25%C3%A9");
    buf_clear(&out);
    kube_query(&out, "labelSelector", "a=b,c in (d)");
    kube_query(&out, "none", NULL);
    kube_query(&out, "x", "");
    assert_string_equal(out.bytes, "labelSelector=a%3Db%2Cc%20in%20%28d%29&x=");
    buf_free(&out);
}

/* --- no memory --- */

static void alloc_rules(struct server *apart)
{
    server_answer(apart, "GET", "/x", 200, "Warning: 299 - \"w\"\r\n", "{\"a\":1}");
    server_answer(apart, "GET", "/gone", 404, NULL, "{\"kind\":\"Status\",\"message\":\"m\"}");
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    static const char *const paths[] = {"/x", "/gone"};
    struct session session;
    session_start_apart(&session, alloc_rules);
    for (size_t i = 0; i < 2; i++) {
        unsigned failures = 0, in_a_row = 0;
        for (int nth = 1; in_a_row < 30; nth++) { /* curl asks in threads and caches: not every run is the same */
            memset(&a, 0, sizeof a);
            mem_fail_at(nth);
            bool sent = session_client(&session) &&
                        kube_send(session.client, &(struct kube_request){.method = "GET", .path = paths[i], .timeout_ms = 5000}, NULL, heard_done, &a, NULL) != NULL;
            if (sent)
                session_until(&session, &a.done);
            mem_fail_at(0);
            session_drop_client(&session);
            bool fine = sent && a.code == (i == 0 ? 200 : 404);
            if (sent && !fine && a.error.kind != ERROR_MEMORY && a.error.kind != ERROR_UNREACHABLE)
                fail_msg("allocation %d: code %d, %s", nth, a.code, a.error.message);
            in_a_row = fine ? in_a_row + 1 : 0;
            failures += !fine;
        }
        assert_true(failures > 20);
    }
    session_end(&session);
}

int test_client_ends(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(data_comes_as_it_is_sent),
        CASE(a_refused_stream_gets_no_data_and_no_head),
        CASE(a_stream_that_breaks_tells_what_came_and_then_that),
        CASE(a_cancelled_call_is_silent_at_every_moment),
        CASE(a_call_can_cancel_itself_while_it_gets_data),
        CASE(a_call_can_cancel_itself_at_the_head),
        CASE(calls_can_cancel_each_other_when_both_are_done),
        CASE(the_client_can_be_freed_in_any_callback),
        CASE(a_new_request_can_be_sent_from_done),
        CASE(what_a_call_owns_is_dropped_once_after_done_or_cancel),
        CASE(warnings_are_told_once),
        CASE(the_log_has_no_secret),
        CASE(paths_and_queries_are_escaped),
        cmocka_unit_test(survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("kube/client: streams and ends", tests, NULL, NULL);
}
