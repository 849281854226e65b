/* SPDY frames: against bytes that github.com/moby/spdystream v0.5.1 wrote (tests/net/spdy), and both ends of ours against each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "failing.h"
#include "net/spdy.h"

struct end {
    struct spdy *spdy;
    struct buf log;
    struct spdy_stream *last;
    size_t bytes, most; /* most: what `received` takes in all */
    int opens;
    bool refuse, finish, drop, quiet, free_on_bytes, drop_on_bytes;
};

static void opened(void *data, struct spdy_stream *stream)
{
    struct end *end = data;
    const char *type = spdy_header(stream, "StreamType");
    end->opens++;
    end->last = stream;
    if (!end->quiet)
        buf_printf(&end->log, "open %u %s\n", spdy_id(stream), type != NULL ? type : "-");
    if (end->refuse)
        spdy_drop(stream);
    else
        spdy_accept(stream);
    if (end->finish)
        spdy_finish(stream);
}

static void accepted(void *data, struct spdy_stream *stream)
{
    struct end *end = data;
    buf_printf(&end->log, "accepted %u\n", spdy_id(stream));
}

static size_t received(void *data, struct spdy_stream *stream, const void *bytes, size_t length)
{
    struct end *end = data;
    if (end->free_on_bytes) {
        spdy_free(end->spdy);
        end->spdy = NULL;
        return 0;
    }
    if (end->drop_on_bytes) {
        spdy_drop(stream);
        return 0;
    }
    size_t taken = end->most - end->bytes < length ? end->most - end->bytes : length;
    end->bytes += taken;
    if (!end->quiet)
        buf_printf(&end->log, "bytes %u %.*s\n", spdy_id(stream), (int)taken, (const char *)bytes);
    return taken;
}

static void finished(void *data, struct spdy_stream *stream)
{
    struct end *end = data;
    buf_printf(&end->log, "finished %u\n", spdy_id(stream));
    if (end->drop)
        spdy_drop(stream);
}

static void reset(void *data, struct spdy_stream *stream)
{
    struct end *end = data;
    buf_printf(&end->log, "reset %u\n", spdy_id(stream));
    spdy_drop(stream);
}

static void away(void *data)
{
    struct end *end = data;
    buf_append_string(&end->log, "away\n");
}

static bool open_end(struct end *end, enum spdy_end which)
{
    static const struct spdy_callbacks callbacks = {opened, accepted, received, finished, reset, away};
    *end = (struct end){.log = buf_make(1 << 20), .most = SIZE_MAX};
    end->spdy = spdy_new(which, &callbacks, end, NULL);
    return end->spdy != NULL;
}

static void close_end(struct end *end)
{
    spdy_free(end->spdy);
    buf_free(&end->log);
}

/* What one end has to say goes to the other, in pieces; the bytes that were not taken are kept by `rest`. */
static bool carry(struct end *from, struct end *to, size_t piece)
{
    size_t length, taken;
    const char *bytes;
    while ((bytes = spdy_output(from->spdy, &length)) != NULL) {
        length = length < piece ? length : piece;
        if (!spdy_feed(to->spdy, bytes, length, &taken, NULL))
            return false;
        spdy_output_sent(from->spdy, taken);
        if (taken < length)
            return true;
    }
    return true;
}

static void expect(struct end *end, const char *log)
{
    assert_string_equal(end->log.bytes != NULL ? end->log.bytes : "", log);
    buf_clear(&end->log);
}

static char *sample(const char *name, size_t *length)
{
    char path[512];
    snprintf(path, sizeof path, KT_TEST_CASES "/spdy/%s", name);
    char *bytes = file_read(path, 1 << 20, length, NULL);
    assert_non_null(bytes);
    return bytes;
}

static void what_spdystream_sends_is_understood_however_it_is_cut(void **state)
{
    (void)state;
    size_t length, taken;
    char *bytes = sample("client.bin", &length);
    for (size_t piece = 1; piece <= length; piece += piece < 9 ? 1 : length) {
        struct end end;
        assert_true(open_end(&end, SPDY_SERVER));
        for (size_t at = 0; at < length; at += piece)
            assert_true(spdy_feed(end.spdy, bytes + at, length - at < piece ? length - at : piece, &taken, NULL));
        if (piece == 1)
            assert_non_null(strstr(end.log.bytes, "bytes 3 h\nbytes 3 e\n"));
        else if (piece > 8)
            expect(&end, "open 1 error\nopen 3 stdin\nopen 5 stdout\nopen 7 resize\nbytes 3 hello\n\nfinished 3\nreset 7\naway\n");
        close_end(&end);
    }
    mem_free(bytes);
    struct end end;
    assert_true(open_end(&end, SPDY_CLIENT));
    bytes = sample("server.bin", &length);
    assert_non_null(spdy_open(end.spdy, NULL, 0, NULL));
    assert_true(spdy_feed(end.spdy, bytes, length, &taken, NULL));
    expect(&end, "accepted 1\nbytes 1 out\nfinished 1\n");
    mem_free(bytes);
    close_end(&end);
}

static void streams_are_opened_written_ended_and_reset(void **state)
{
    (void)state;
    struct end client, server;
    assert_true(open_end(&client, SPDY_CLIENT) && open_end(&server, SPDY_SERVER));
    const struct spdy_field fields[] = {{"streamtype", "data"}, {"port", "8080"}};
    struct spdy_stream *one = spdy_open(client.spdy, fields, 2, NULL), *two = spdy_open(client.spdy, fields, 1, NULL);
    assert_int_equal(spdy_write(one, "abc", 3), 3);
    assert_true(carry(&client, &server, 5) && carry(&server, &client, 5));
    expect(&client, "accepted 1\naccepted 3\n");
    assert_non_null(strstr(server.log.bytes, "open 1 data\nopen 3 data\n"));
    assert_null(spdy_header(server.last, "port"));
    buf_clear(&server.log);
    spdy_finish(one);
    spdy_drop(two);
    spdy_ping(client.spdy);
    assert_true(carry(&client, &server, 1000));
    expect(&server, "finished 1\nreset 3\n");
    size_t length;
    assert_non_null(spdy_output(server.spdy, &length));
    assert_int_equal(length, 12); /* the ping's answer */
    assert_true(carry(&server, &client, 1000));
    close_end(&client);
    close_end(&server);
}

static void a_stream_that_takes_not_all_stops_the_connection_until_it_is_fed_again(void **state)
{
    (void)state;
    struct end client, server;
    assert_true(open_end(&client, SPDY_CLIENT) && open_end(&server, SPDY_SERVER));
    struct spdy_stream *stream = spdy_open(client.spdy, NULL, 0, NULL);
    assert_int_equal(spdy_write(stream, "abcdef", 6), 6);
    server.most = 4;
    assert_true(carry(&client, &server, 1000));
    expect(&server, "open 1 -\nbytes 1 abcd\n");
    size_t length;
    assert_non_null(spdy_output(client.spdy, &length));
    assert_int_equal(length, 2);
    server.most = 6;
    assert_true(carry(&client, &server, 1000));
    expect(&server, "bytes 1 ef\n");
    close_end(&client);
    close_end(&server);
}

static void what_waits_to_go_out_is_bounded(void **state)
{
    (void)state;
    struct end client, server;
    static char many[2 * SPDY_QUEUE];
    assert_true(open_end(&client, SPDY_CLIENT) && open_end(&server, SPDY_SERVER));
    server.quiet = true;
    struct spdy_stream *stream = spdy_open(client.spdy, NULL, 0, NULL);
    size_t written = spdy_write(stream, many, sizeof many), length;
    assert_true(written > SPDY_QUEUE / 2 && written < SPDY_QUEUE);
    assert_int_equal(spdy_write(stream, many, 100), 0);
    assert_true(carry(&client, &server, 9999));
    assert_int_equal(server.bytes, written);
    assert_int_equal(spdy_write(stream, many, 100), 100);
    spdy_finish(stream);
    assert_int_equal(spdy_write(stream, many, 100), 100); /* to nowhere */
    for (int i = 0; i < SPDY_STREAMS + 10; i++)
        if (spdy_open(client.spdy, NULL, 0, NULL) == NULL)
            break;
    spdy_output(client.spdy, &length);
    assert_true(length <= 2 * SPDY_QUEUE);
    /* an other side that sends pings and reads no answers */
    static const char ping[] = "\x80\x03\x00\x06\x00\x00\x00\x04\x00\x00\x00\x01";
    bool fed = true;
    size_t taken, count = 0;
    for (; fed; count++)
        fed = spdy_feed(server.spdy, ping, 12, &taken, NULL);
    assert_true(count * 12 < 2 * SPDY_QUEUE + 100);
    close_end(&client);
    close_end(&server);
}

static void too_many_streams_are_refused_one_by_one(void **state)
{
    (void)state;
    struct end client, server;
    assert_true(open_end(&client, SPDY_CLIENT) && open_end(&server, SPDY_SERVER));
    server.quiet = server.finish = client.drop = true; /* the client has none open, the server's owner keeps them all */
    for (int i = 0; i < SPDY_STREAMS + 2; i++) {
        struct spdy_stream *stream = spdy_open(client.spdy, NULL, 0, NULL);
        assert_non_null(stream);
        spdy_finish(stream);
        buf_clear(&client.log);
        assert_true(carry(&client, &server, 9999) && carry(&server, &client, 9999));
        assert_int_equal(strncmp(client.log.bytes, i < SPDY_STREAMS ? "accepted" : "reset", 5), 0);
    }
    assert_int_equal(server.opens, SPDY_STREAMS);
    close_end(&client);
    close_end(&server);
}

static void the_owner_may_free_or_drop_from_inside_a_callback(void **state)
{
    (void)state;
    size_t length, taken;
    char *bytes = sample("client.bin", &length);
    struct end end;
    assert_true(open_end(&end, SPDY_SERVER));
    end.free_on_bytes = true;
    assert_true(spdy_feed(end.spdy, bytes, length, &taken, NULL));
    assert_int_equal(taken, length);
    assert_null(end.spdy);
    close_end(&end);
    assert_true(open_end(&end, SPDY_SERVER));
    end.drop_on_bytes = true;
    assert_true(spdy_feed(end.spdy, bytes, length, &taken, NULL));
    assert_int_equal(taken, length);
    assert_non_null(strstr(end.log.bytes, "away"));
    close_end(&end);
    assert_true(open_end(&end, SPDY_SERVER));
    end.refuse = true;
    assert_true(spdy_feed(end.spdy, bytes, length, &taken, NULL));
    assert_null(strstr(end.log.bytes, "bytes"));
    close_end(&end);
    mem_free(bytes);
}

static void frames_that_break_the_protocol_end_it(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
    } broken[] = {
        {"\x80\x02\x00\x06\x00\x00\x00\x04", 8},                 /* another version */
        {"\x80\x03\x00\x05\x00\x00\x00\x00", 8},                 /* an unknown type */
        {"\x80\x03\x00\xff\x00\x00\x00\x00", 8},
        {"\x80\x03\x00\x01\x00\xff\xff\xff", 8},                 /* too large */
        {"\x00\x00\x00\x00\x00\x00\x00\x01x", 9},                /* data of stream 0 */
        {"\x80\x03\x00\x03\x00\x00\x00\x04\x00\x00\x00\x01", 12}, /* a reset without its reason */
        {"\x80\x03\x00\x01\x00\x00\x00\x0b\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00Z", 19}, /* no zlib */
        {"\x80\x03\x00\x01\x00\x00\x00\x04\x00\x00\x00\x01", 12},
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct end end;
        struct error err = ERROR_INIT;
        size_t taken;
        assert_true(open_end(&end, SPDY_SERVER));
        assert_false(spdy_feed(end.spdy, broken[i].bytes, broken[i].length, &taken, &err));
        assert_true(err.kind == ERROR_INPUT || err.kind == ERROR_LIMIT);
        assert_false(spdy_feed(end.spdy, "x", 1, &taken, NULL));
        close_end(&end);
    }
}

static void talk(void *argument)
{
    struct end client, server;
    const struct spdy_field fields[] = {{"streamtype", "data"}};
    bool opened_both = open_end(&client, SPDY_CLIENT);
    opened_both = open_end(&server, SPDY_SERVER) && opened_both;
    struct spdy_stream *stream = opened_both ? spdy_open(client.spdy, fields, 1, NULL) : NULL;
    bool fine = stream != NULL && spdy_write(stream, "abc", 3) == 3;
    if (stream != NULL)
        spdy_finish(stream);
    fine = fine && carry(&client, &server, 1000) && carry(&server, &client, 1000) && !spdy_failed(client.spdy) && !spdy_failed(server.spdy);
    *(bool *)argument = fine && buf_ok(&server.log);
    close_end(&client);
    close_end(&server);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    bool fine;
    each_allocation_failing(talk, &fine);
    assert_true(fine); /* of the last one, in which none failed */
}

int test_spdy(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_spdystream_sends_is_understood_however_it_is_cut),
        cmocka_unit_test(streams_are_opened_written_ended_and_reset),
        cmocka_unit_test(a_stream_that_takes_not_all_stops_the_connection_until_it_is_fed_again),
        cmocka_unit_test(what_waits_to_go_out_is_bounded),
        cmocka_unit_test(too_many_streams_are_refused_one_by_one),
        cmocka_unit_test(the_owner_may_free_or_drop_from_inside_a_callback),
        cmocka_unit_test(frames_that_break_the_protocol_end_it),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("spdy", tests, NULL, NULL);
}
