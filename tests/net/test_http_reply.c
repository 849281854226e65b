/* What a server answers, as a client reads it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "failing.h"
#include "net/http_reply.h"

/* "200 3 fields [5] body: hello; done, 4 left" */
static char *read_all(const char *text, size_t length, size_t cut, bool head_only, struct buf *out)
{
    struct http_reply *reply = http_reply_new(head_only);
    if (reply == NULL) {
        buf_append_string(out, "no memory");
        return out->bytes;
    }
    enum http_reply_result result = HTTP_REPLY_MORE;
    size_t at = 0, taken, count, body_length;
    const char *body;
    uint64_t said;
    bool first = true;
    while (at < length && result != HTTP_REPLY_DONE && result != HTTP_REPLY_BROKEN) {
        result = http_reply_feed(reply, text + at, length - at < cut ? length - at : cut, &taken, &body, &body_length);
        at += taken;
        if (result == HTTP_REPLY_HEAD) {
            http_reply_fields(reply, &count);
            buf_printf(out, "%d %zu fields", http_reply_status(reply), count);
            if (http_reply_length(reply, &said))
                buf_printf(out, " [%d]", (int)said);
        } else if (result == HTTP_REPLY_BODY) {
            buf_printf(out, "%s%.*s", first ? " body: " : "", (int)body_length, body);
            first = false;
        }
    }
    if (result != HTTP_REPLY_BROKEN)
        result = http_reply_end(reply) ? HTTP_REPLY_DONE : result;
    buf_printf(out, "; %s, %zu left", result == HTTP_REPLY_DONE ? "done" : result == HTTP_REPLY_BROKEN ? "broken" : "more", length - at);
    http_reply_free(reply);
    return out->bytes;
}

static const struct {
    const char *text, *result;
    bool head_only;
} cases[] = {
    {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nA:  b \r\n\r\nhellomore", "200 2 fields [5] body: hello; done, 4 left", false},
    {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "200 1 fields [5]; done, 0 left", true},
    {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", "200 1 fields [5] body: hell; more, 0 left", false},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n1\r\n!\r\n0\r\nX: y\r\n\r\nZ", "200 1 fields body: hello!; done, 1 left", false},
    {"HTTP/1.0 200\n\nuntil the end", "200 0 fields body: until the end; done, 0 left", false},
    {"HTTP/1.1 204 No Content\r\n\r\n", "204 0 fields; done, 0 left", false},
    {"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "304 1 fields [9]; done, 0 left", false},
    {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nraw", "101 1 fields; done, 3 left", false},
    {"HTTP/2 200 OK\r\n\r\n", "; broken, 0 left", false},
    {"SSH-2.0-x\r\n\r\n", "; broken, 0 left", false},
    {"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "; broken, 0 left", false},
    {"HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\n", "; broken, 0 left", false},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "; broken, 0 left", false},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "200 1 fields; broken, 0 left", false},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", "200 1 fields body: a; broken, 0 left", false},
};

static void answers_are_read_however_they_are_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t cut = 1; cut < 100; cut += cut < 7 ? 1 : 92) {
            struct buf out = buf_make(1000);
            assert_string_equal(read_all(cases[i].text, strlen(cases[i].text), cut, cases[i].head_only, &out), cases[i].result);
            buf_free(&out);
        }
}

static void a_head_is_bounded(void **state)
{
    (void)state;
    struct http_reply *reply = http_reply_new(false);
    size_t taken, length, all = 0;
    const char *body;
    enum http_reply_result result = http_reply_feed(reply, "HTTP/1.1 200 OK\r\n", 17, &taken, &body, &length);
    for (; result == HTTP_REPLY_MORE; all += 8)
        result = http_reply_feed(reply, "X-A: bc\n", 8, &taken, &body, &length);
    assert_int_equal(result, HTTP_REPLY_BROKEN);
    assert_true(all < HTTP_HEAD_MOST + 16);
    http_reply_free(reply);
}

static void read_one(void *argument)
{
    struct buf *out = argument;
    buf_clear(out);
    read_all(cases[3].text, strlen(cases[3].text), 100, false, out);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct buf out = buf_make(1000);
    each_allocation_failing(read_one, &out);
    assert_string_equal(out.bytes, cases[3].result);
    buf_free(&out);
}

int test_http_reply(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_read_however_they_are_cut),
        cmocka_unit_test(a_head_is_bounded),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("http reply", tests, NULL, NULL);
}
