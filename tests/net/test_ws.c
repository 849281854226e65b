#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "net/ws.h"

/* One end under test, and what it told, a line each. */
struct end {
    struct ws *ws;
    struct buf log;
    int messages, wants;
    size_t bytes;
    bool quiet; /* messages are counted, not logged */
    bool echo;  /* each message is sent back */
    bool free_on_message, close_on_message;
};

static void log_hex(struct buf *log, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        buf_printf(log, "%s%02x", i == 0 ? " " : "", (unsigned char)bytes[i]);
    buf_append_string(log, "\n");
}

static void on_message(void *data, enum ws_kind kind, const char *bytes, size_t length)
{
    struct end *end = data;
    end->messages++;
    end->bytes += length;
    assert_int_equal(bytes[length], '\0');
    if (!end->quiet && kind == WS_TEXT)
        buf_printf(&end->log, "text %s\n", bytes);
    if (!end->quiet && kind == WS_BINARY) {
        buf_append_string(&end->log, "binary");
        log_hex(&end->log, bytes, length);
    }
    if (end->echo)
        assert_true(ws_send_binary(end->ws, bytes, length, NULL));
    if (end->close_on_message)
        ws_close(end->ws, WS_CODE_NORMAL, NULL);
    if (end->free_on_message) {
        ws_free(end->ws);
        end->ws = NULL;
    }
}

static void on_closed(void *data, unsigned code, const char *reason)
{
    struct end *end = data;
    buf_printf(&end->log, "closed %u %s\n", code, reason);
}

static void on_want_write(void *data)
{
    struct end *end = data;
    end->wants++;
}

static struct end *new_end(enum ws_end which)
{
    const struct ws_callbacks callbacks = {.message = on_message, .closed = on_closed, .want_write = on_want_write};
    struct error err = ERROR_INIT;
    struct end *end = calloc(1, sizeof *end);
    assert_non_null(end);
    end->log = buf_make(1 << 20);
    end->ws = ws_new(which, &callbacks, end, &err);
    assert_non_null(end->ws);
    return end;
}

static void free_end(struct end *end)
{
    ws_free(end->ws);
    buf_free(&end->log);
    free(end);
}

static const char *log_of(const struct end *end)
{
    return end->log.bytes != NULL ? end->log.bytes : "";
}

/* Takes all output, `most` bytes at a time. */
static struct buf drain(struct end *end, size_t most)
{
    struct buf all = buf_make(64 << 20);
    const char *bytes;
    size_t length;
    while ((bytes = ws_output(end->ws, &length)) != NULL) {
        length = length < most ? length : most;
        buf_append(&all, bytes, length);
        ws_output_sent(end->ws, length);
    }
    assert_int_equal(length, 0);
    assert_true(buf_ok(&all));
    assert_false(ws_wants_write(end->ws));
    return all;
}

/* Lets both speak until both are silent. */
static void pump(struct end *one, struct end *other)
{
    struct end *ends[] = {one, other};
    for (int i = 0, silent = 0; silent < 2; i = 1 - i) {
        struct buf bytes = drain(ends[i], SIZE_MAX);
        silent = bytes.length > 0 ? 0 : silent + 1;
        assert_true(ws_feed(ends[1 - i]->ws, bytes.bytes != NULL ? bytes.bytes : "", bytes.length, NULL));
        buf_free(&bytes);
    }
}

/* Frames of an end's output, as "out OPCODE PAYLOAD" lines; checks masks and lengths. */
static void log_frames(struct buf *log, const struct buf *output, enum ws_end from)
{
    for (size_t at = 0; at < output->length;) {
        const unsigned char *head = (const unsigned char *)output->bytes + at;
        size_t length = head[1] & 0x7f;
        assert_true(length < 126 && (head[0] & 0xf0) == 0x80);
        assert_int_equal(head[1] >> 7, from == WS_CLIENT);
        const unsigned char *mask = head + 2, *payload = head + (from == WS_CLIENT ? 6 : 2);
        char plain[126];
        for (size_t i = 0; i < length; i++)
            plain[i] = (char)(from == WS_CLIENT ? payload[i] ^ mask[i % 4] : payload[i]);
        buf_printf(log, "out %d", head[0] & 0xf);
        log_hex(log, plain, length);
        at += (size_t)(payload - head) + length;
        assert_true(at <= output->length);
    }
}

/* A case of tests/net/ws. */
struct example {
    enum ws_end end;
    struct buf input, expected;
    size_t cuts[16]; /* the input's length after each of its lines */
    size_t cut_count;
};

static struct example read_example(const char *path)
{
    struct example example = {.input = buf_make(1 << 20), .expected = buf_make(1 << 20)};
    char *text = file_read(path, 1 << 20, NULL, NULL), *rest = text, *line;
    assert_non_null(text);
    while ((line = strsep(&rest, "\n")) != NULL) {
        if (strcmp(line, "end server") == 0)
            example.end = WS_SERVER;
        else if (strncmp(line, "in ", 3) == 0) {
            for (char *at = line + 3; *at != '\0';)
                buf_append(&example.input, &(char){(char)strtoul(at, &at, 16)}, 1);
            assert_true(example.cut_count < 16);
            example.cuts[example.cut_count++] = example.input.length;
        } else if (strncmp(line, "expect ", 7) == 0)
            buf_printf(&example.expected, "%s\n", line + 7);
        else
            assert_true(line[0] == '#' || line[0] == '\0' || strcmp(line, "end client") == 0);
    }
    mem_free(text);
    return example;
}

static void feed_logged(struct end *end, const char *bytes, size_t length)
{
    static const char *const names[] = {[ERROR_INPUT] = "input", [ERROR_LIMIT] = "limit", [ERROR_MEMORY] = "memory"};
    struct error err = ERROR_INIT, again = ERROR_INIT;
    if (ws_feed(end->ws, bytes, length, &err))
        return;
    assert_true(err.message[0] != '\0');
    assert_false(ws_feed(end->ws, "", 0, &again)); /* and it stays so */
    assert_string_equal(again.message, err.message);
    if (strstr(log_of(end), "error") == NULL)
        buf_printf(&end->log, "error %s\n", names[err.kind]);
}

enum manner { WHOLE, LINES, BYTES };

static void run_example(const char *name, const struct example *example, enum manner manner)
{
    struct end *end = new_end(example->end);
    size_t at = 0;
    for (size_t line = 0; at < example->input.length;) {
        size_t to = manner == WHOLE ? example->input.length : manner == LINES ? example->cuts[line++] : at + 1;
        char *copy = mem_string_n(example->input.bytes + at, to - at); /* so that reading past it is seen */
        feed_logged(end, copy, to - at);
        mem_free(copy);
        at = to;
    }
    struct buf output = drain(end, manner == BYTES ? 1 : SIZE_MAX);
    log_frames(&end->log, &output, example->end);
    if (ws_over(end->ws))
        buf_append_string(&end->log, "over\n");
    if (strcmp(log_of(end), example->expected.bytes != NULL ? example->expected.bytes : "") != 0)
        fail_msg("tests/net/ws/%s, manner %d: got\n%s", name, (int)manner, log_of(end));
    buf_free(&output);
    free_end(end);
}

static void every_example_gives_what_it_says(void **state)
{
    (void)state;
    int count = 0;
    DIR *folder = opendir(KT_TEST_CASES "/ws");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        char *path = file_join(KT_TEST_CASES "/ws", entry->d_name);
        struct example example = read_example(path);
        run_example(entry->d_name, &example, WHOLE);
        run_example(entry->d_name, &example, LINES);
        run_example(entry->d_name, &example, BYTES);
        buf_free(&example.input);
        buf_free(&example.expected);
        mem_free(path);
        count++;
    }
    closedir(folder);
    assert_true(count >= 35);
}

static void both_ends_understand_each_other(void **state)
{
    (void)state;
    struct end *client = new_end(WS_CLIENT), *server = new_end(WS_SERVER);
    assert_true(ws_send_text(client->ws, "你好", strlen("你好"), NULL));
    assert_true(ws_send_binary(client->ws, "\0x", 2, NULL));
    assert_true(ws_send_text(server->ws, "hello", 5, NULL));
    assert_true(ws_ping(client->ws, NULL));
    pump(client, server);
    assert_string_equal(log_of(server), "text 你好\nbinary 0078\n");
    assert_string_equal(log_of(client), "text hello\n");
    assert_int_equal(ws_queued(client->ws), 0);
    free_end(client);
    free_end(server);
}

static void large_messages_pass_up_to_the_maximum(void **state)
{
    (void)state;
    struct end *client = new_end(WS_CLIENT);
    client->quiet = true;
    struct buf frame = buf_make(32 << 20);
    const unsigned char head[] = {0x82, 127, 0, 0, 0, 0, 1, 0, 0, 0}; /* 16 MiB */
    char *payload = calloc(1, WS_MESSAGE_MAXIMUM);
    assert_non_null(payload);
    buf_append(&frame, head, sizeof head);
    buf_append(&frame, payload, WS_MESSAGE_MAXIMUM);
    assert_true(ws_feed(client->ws, frame.bytes, frame.length, NULL));
    assert_int_equal(client->messages, 1);
    assert_int_equal(client->bytes, WS_MESSAGE_MAXIMUM);
    assert_true(ws_feed(client->ws, frame.bytes, frame.length, NULL)); /* the bound is for each message */
    assert_int_equal(client->messages, 2);
    buf_free(&frame);
    free(payload);
    free_end(client);
}

static void a_long_message_is_masked_anew_and_arrives_whole(void **state)
{
    (void)state;
    enum { LENGTH = 3000000 };
    struct end *client = new_end(WS_CLIENT), *server = new_end(WS_SERVER);
    server->quiet = client->quiet = true;
    server->echo = true;
    char *bytes = calloc(1, LENGTH);
    assert_non_null(bytes);
    assert_true(ws_send_binary(client->ws, bytes, LENGTH, NULL));
    struct buf first = drain(client, 1000), second;
    assert_true(ws_send_binary(client->ws, bytes, LENGTH, NULL));
    second = drain(client, SIZE_MAX);
    assert_int_equal(first.length, LENGTH + 14);
    assert_int_equal(second.length, first.length);
    assert_memory_not_equal(first.bytes + 10, second.bytes + 10, 4);
    assert_true(ws_feed(server->ws, first.bytes, first.length, NULL));
    assert_int_equal(server->bytes, LENGTH);
    pump(client, server);
    assert_int_equal(client->bytes, LENGTH);
    buf_free(&first);
    buf_free(&second);
    free(bytes);
    free_end(client);
    free_end(server);
}

static void our_close_goes_after_all_that_waits(void **state)
{
    (void)state;
    struct end *client = new_end(WS_CLIENT), *server = new_end(WS_SERVER);
    for (int i = 0; i < 100; i++)
        assert_true(ws_send_text(client->ws, "data", 4, NULL));
    ws_close(client->ws, WS_CODE_NORMAL, "done");
    ws_close(client->ws, WS_CODE_INTERNAL, "again"); /* changes nothing */
    struct error err = ERROR_INIT;
    assert_false(ws_send_text(client->ws, "late", 4, &err));
    assert_int_equal(err.kind, ERROR_CANCELLED);
    assert_false(ws_over(client->ws));
    server->quiet = true;
    pump(client, server);
    assert_int_equal(server->messages, 100);
    assert_string_equal(log_of(server), "closed 1000 done\n");
    assert_string_equal(log_of(client), "closed 1000 done\n"); /* the answer */
    assert_true(ws_over(client->ws));
    assert_true(ws_over(server->ws));
    free_end(client);
    free_end(server);
}

static void messages_still_come_after_our_close(void **state)
{
    (void)state;
    struct end *client = new_end(WS_CLIENT);
    ws_close(client->ws, WS_CODE_NORMAL, NULL);
    struct buf output = drain(client, SIZE_MAX);
    log_frames(&client->log, &output, WS_CLIENT);
    assert_true(ws_feed(client->ws, "\x81\x04last", 6, NULL));
    assert_false(ws_over(client->ws));
    assert_true(ws_feed(client->ws, "\x88\x02\x03\xe8", 4, NULL));
    assert_true(ws_over(client->ws));
    assert_string_equal(log_of(client), "out 8 03e8\ntext last\nclosed 1000 \n");
    buf_free(&output);
    free_end(client);
}

static void a_long_reason_is_cut_between_characters(void **state)
{
    (void)state;
    struct end *client = new_end(WS_CLIENT), *server = new_end(WS_SERVER);
    char reason[200] = "";
    for (int i = 0; i < 60; i++)
        strcat(reason, "好");
    ws_close(client->ws, WS_CODE_GOING_AWAY, reason);
    pump(client, server);
    reason[41 * 3] = '\0'; /* 123 bytes: exactly 41 of them */
    char expected[256];
    snprintf(expected, sizeof expected, "closed 1001 %s\n", reason);
    assert_string_equal(log_of(server), expected);
    free_end(client);
    free_end(server);

    client = new_end(WS_CLIENT);
    server = new_end(WS_SERVER);
    snprintf(reason, sizeof reason, "x%s", expected + strlen("closed 1001 "));
    ws_close(client->ws, WS_CODE_GOING_AWAY, reason);
    pump(client, server);
    assert_int_equal(strlen(log_of(server)), strlen("closed 1001 x\n") + 40 * 3);
    free_end(client);
    free_end(server);
}

static void the_queue_is_bounded_in_bytes_and_in_messages(void **state)
{
    (void)state;
    struct end *client = new_end(WS_CLIENT);
    struct error err = ERROR_INIT;
    char *bytes = calloc(1, WS_QUEUE_MAXIMUM + 1);
    assert_non_null(bytes);
    assert_false(ws_send_binary(client->ws, bytes, WS_QUEUE_MAXIMUM + 1, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_true(ws_send_binary(client->ws, bytes, WS_QUEUE_MAXIMUM, NULL));
    assert_int_equal(ws_queued(client->ws), WS_QUEUE_MAXIMUM + 14);
    assert_false(ws_send_binary(client->ws, bytes, 1, NULL));
    struct buf output = drain(client, SIZE_MAX);
    buf_free(&output);
    assert_true(ws_send_binary(client->ws, bytes, 1, NULL));
    int sent = 1;
    while (ws_send_binary(client->ws, bytes, 1, NULL))
        sent++;
    assert_int_equal(sent, WS_QUEUE_MESSAGES);
    assert_true(ws_feed(client->ws, "\x89\x00", 2, NULL)); /* a full queue of ours is no fault of the other side */
    free(bytes);
    free_end(client);
}

static void a_flood_of_pings_that_reads_no_answers_is_refused(void **state)
{
    (void)state;
    struct end *client = new_end(WS_CLIENT);
    struct error err = ERROR_INIT;
    int pings = 0;
    while (ws_feed(client->ws, "\x89\x00\x89\x00\x89\x00\x89\x00", 8, &err))
        assert_true((pings += 4) < 20000);
    assert_int_equal(err.kind, ERROR_LIMIT);
    free_end(client);

    client = new_end(WS_CLIENT);
    char *flood = calloc(1, 2000000); /* in one piece: bounded as well */
    assert_non_null(flood);
    for (int i = 0; i < 2000000; i += 2)
        flood[i] = (char)0x89;
    assert_false(ws_feed(client->ws, flood, 2000000, &err));
    struct buf output = drain(client, SIZE_MAX);
    assert_true(output.length < 200000);
    assert_true(ws_over(client->ws));
    buf_free(&output);
    free(flood);
    free_end(client);
}

static void want_write_is_called_once_for_each_time_it_is_needed(void **state)
{
    (void)state;
    struct end *client = new_end(WS_CLIENT);
    assert_int_equal(client->wants, 0);
    assert_true(ws_send_text(client->ws, "a", 1, NULL));
    assert_true(ws_send_text(client->ws, "b", 1, NULL));
    assert_int_equal(client->wants, 1);
    assert_int_equal(ws_queued(client->ws), 14);
    size_t length;
    const char *bytes = ws_output(client->ws, &length);
    assert_int_equal(length, 7);
    assert_ptr_equal(ws_output(client->ws, &length), bytes); /* asking takes nothing */
    ws_output_sent(client->ws, 3);
    assert_ptr_equal(ws_output(client->ws, &length), bytes + 3);
    assert_int_equal(length, 4);
    assert_int_equal(ws_queued(client->ws), 11);
    ws_output_sent(client->ws, 4);
    assert_true(ws_wants_write(client->ws));
    assert_true(ws_send_text(client->ws, "c", 1, NULL)); /* the queue was not empty: the owner is writing already */
    struct buf rest = drain(client, SIZE_MAX);
    assert_int_equal(rest.length, 14);
    buf_free(&rest);
    assert_false(ws_wants_write(client->ws));
    assert_int_equal(client->wants, 1);
    assert_true(ws_feed(client->ws, "\x89\x00", 2, NULL));
    assert_int_equal(client->wants, 2); /* the pong */
    struct buf output = drain(client, SIZE_MAX);
    buf_free(&output);
    ws_close(client->ws, WS_CODE_NORMAL, NULL);
    assert_int_equal(client->wants, 3);
    free_end(client);
}

static void callbacks_may_close_and_free(void **state)
{
    (void)state;
    struct end *client = new_end(WS_CLIENT);
    client->close_on_message = true;
    assert_true(ws_feed(client->ws, "\x81\x01x\x81\x01y", 6, NULL));
    assert_string_equal(log_of(client), "text x\ntext y\n");
    assert_true(ws_wants_write(client->ws));
    free_end(client);

    client = new_end(WS_CLIENT);
    client->free_on_message = true;
    assert_true(ws_feed(client->ws, "\x81\x01x\x81\x01y", 6, NULL));
    assert_string_equal(log_of(client), "text x\n"); /* nothing is told any more */
    free_end(client);
    ws_free(NULL);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const struct ws_callbacks callbacks = {.message = on_message};
    char message[2010] = "\x89\x00\x01\x7e\x03\xe8"; /* a ping, and half a message */
    memset(message + 6, 'a', 1000);
    memcpy(message + 1006, "\x80\x7e\x03\xe8", 4);
    memset(message + 1010, 'b', 1000);
    bool whole = false;
    int failures = 0;
    for (int nth = 1; !whole; nth++) {
        struct end end = {.quiet = true};
        struct error err = ERROR_INIT;
        mem_fail_at(nth);
        end.ws = ws_new(WS_CLIENT, &callbacks, &end, &err);
        bool fed = end.ws != NULL && ws_feed(end.ws, message, 1010, &err) && ws_feed(end.ws, message + 1010, 1000, &err);
        whole = fed && ws_send_text(end.ws, "x", 1, &err);
        mem_fail_at(0);
        failures += !whole;
        assert_int_equal(err.kind, whole ? ERROR_NONE : ERROR_MEMORY);
        assert_int_equal(end.messages, fed);
        if (end.ws != NULL) {
            struct buf output = drain(&end, SIZE_MAX), log = buf_make(1000);
            log_frames(&log, &output, WS_CLIENT);
            if (whole)
                assert_string_equal(log.bytes, "out 10\nout 1 78\n");
            else if (fed)
                assert_string_equal(log.bytes, "out 10\n"); /* the message that did not fit in memory is not there in part */
            else
                assert_non_null(strstr(log.bytes, "out 8 03f3\n")); /* 1011 */
            assert_int_equal(ws_over(end.ws), !fed);
            buf_free(&output);
            buf_free(&log);
        }
        ws_free(end.ws);
    }
    assert_true(failures >= 5);
}

static void the_handshake_is_the_one_of_the_rfc(void **state)
{
    (void)state;
    char accept[WS_ACCEPT_ROOM], key[WS_KEY_ROOM], other[WS_KEY_ROOM];
    struct error err = ERROR_INIT;
    assert_true(ws_make_accept("dGhlIHNhbXBsZSBub25jZQ==", accept, NULL));
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    assert_true(ws_check_accept("dGhlIHNhbXBsZSBub25jZQ==", accept, NULL));
    assert_false(ws_check_accept("dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xO0=", &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_false(ws_check_accept("dGhlIHNhbXBsZSBub25jZQ==", NULL, &err));
    assert_non_null(strstr(err.message, "missing"));
    assert_true(ws_make_key(key, NULL));
    assert_true(ws_make_key(other, NULL));
    assert_int_equal(strlen(key), 24);
    assert_string_equal(key + 22, "==");
    assert_string_not_equal(key, other);
    char long_key[300];
    memset(long_key, 'a', sizeof long_key - 1);
    long_key[sizeof long_key - 1] = '\0';
    assert_false(ws_make_accept(long_key, accept, &err));
}

int test_ws(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_gives_what_it_says),
        cmocka_unit_test(both_ends_understand_each_other),
        cmocka_unit_test(large_messages_pass_up_to_the_maximum),
        cmocka_unit_test(a_long_message_is_masked_anew_and_arrives_whole),
        cmocka_unit_test(our_close_goes_after_all_that_waits),
        cmocka_unit_test(messages_still_come_after_our_close),
        cmocka_unit_test(a_long_reason_is_cut_between_characters),
        cmocka_unit_test(the_queue_is_bounded_in_bytes_and_in_messages),
        cmocka_unit_test(a_flood_of_pings_that_reads_no_answers_is_refused),
        cmocka_unit_test(want_write_is_called_once_for_each_time_it_is_needed),
        cmocka_unit_test(callbacks_may_close_and_free),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(the_handshake_is_the_one_of_the_rfc),
    };
    return cmocka_run_group_tests_name("net/ws", tests, NULL, NULL);
}
