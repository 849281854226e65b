#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "kube/session.h"
#include "kube/streams.h"
#include "net/ws.h"

#define EXEC "/api/v1/namespaces/learn/pods/web/exec"
#define LOG "/api/v1/namespaces/learn/pods/web/log"

/* --- logs --- */

struct reading {
    struct buf text;
    bool done, got;
    struct error error;
    struct kube_call *cancel;
};

static void on_text(void *data, const char *bytes, size_t length)
{
    struct reading *reading = data;
    assert_false(reading->done);
    buf_append(&reading->text, bytes, length);
    reading->got = true;
    if (reading->cancel != NULL)
        kube_call_cancel(reading->cancel);
    reading->cancel = NULL;
}

static void on_read(void *data, const struct error *error)
{
    struct reading *reading = data;
    assert_false(reading->done);
    reading->done = true;
    if (error != NULL)
        reading->error = *error;
}

static struct reading new_reading(void)
{
    return (struct reading){.text = buf_make(1 << 20)};
}

static const char *logged(struct session *s, const char *path) /* did the server get this request? */
{
    return vec_has_string(server_log(s->server), path) ? path : server_log(s->server)->items[server_log(s->server)->length - 1];
}

static void a_log_is_read(void **state)
{
    (void)state;
    struct session s;
    struct reading reading = new_reading();
    session_start(&s);
    server_answer(s.server, "GET", LOG, 200, "Content-Type: text/plain\r\n", "one\ntwo\n");
    struct kube_logs_options options = {
        .ns = "learn", .pod = "web", .container = "nginx", .previous = true, .timestamps = true, .tail_lines = 5};
    assert_non_null(kube_logs(s.client, &options, on_text, on_read, &reading, NULL));
    session_until(&s, &reading.done);
    assert_int_equal(reading.error.kind, ERROR_NONE);
    assert_string_equal(reading.text.bytes, "one\ntwo\n");
    assert_string_equal(logged(&s, "GET " LOG "?container=nginx&previous=true&timestamps=true&tailLines=5"),
                        "GET " LOG "?container=nginx&previous=true&timestamps=true&tailLines=5");
    buf_free(&reading.text);
    session_end(&s);
}

static void a_log_that_cannot_be_read_says_why(void **state)
{
    (void)state;
    struct session s;
    struct reading reading = new_reading();
    struct error err = ERROR_INIT;
    session_start(&s);
    server_answer(s.server, "GET", LOG, 400, NULL,
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":400,\"reason\":\"BadRequest\",\"message\":\"container "
                  "\\\"nginx\\\" in pod \\\"web\\\" is waiting to start: trying and failing to pull image\"}");
    struct kube_logs_options options = {.ns = "learn", .pod = "web", .tail_lines = -1};
    assert_non_null(kube_logs(s.client, &options, on_text, on_read, &reading, NULL));
    session_until(&s, &reading.done);
    assert_string_equal(
        reading.error.message,
        "cannot read the log of pod web in namespace learn: container \"nginx\" in pod \"web\" is waiting to start: "
        "trying and failing to pull image");
    options.pod = "../secrets";
    assert_null(kube_logs(s.client, &options, on_text, on_read, &reading, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    session_end(&s);
    buf_free(&reading.text);
}

static void a_log_is_bounded(void **state)
{
    (void)state;
    struct session s;
    struct reading reading = new_reading();
    session_start(&s);
    server_answer(s.server, "GET", LOG, 200, NULL, "0123456789");
    struct kube_logs_options options = {.ns = "learn", .pod = "web", .tail_lines = -1, .maximum = 5};
    assert_non_null(kube_logs(s.client, &options, on_text, on_read, &reading, NULL));
    session_until(&s, &reading.done);
    assert_int_equal(reading.error.kind, ERROR_LIMIT);
    assert_true(reading.text.length <= 5);
    session_end(&s);
    buf_free(&reading.text);
}

static void keep_exchange(void *data, struct exchange *x)
{
    exchange_begin(x, 200, NULL);
    *(struct exchange **)data = x;
}

static void a_log_is_followed_until_it_is_cancelled(void **state)
{
    (void)state;
    struct session s;
    struct reading reading = new_reading();
    struct exchange *x = NULL;
    session_start(&s);
    server_on(s.server, "GET", LOG, keep_exchange, &x);
    struct kube_logs_options options = {.ns = "learn", .pod = "web", .follow = true, .tail_lines = -1};
    struct kube_call *call = kube_logs(s.client, &options, on_text, on_read, &reading, NULL);
    while (x == NULL)
        loop_once(s.loop, 100);
    exchange_send_text(x, "first\n");
    session_until(&s, &reading.got);
    assert_string_equal(reading.text.bytes, "first\n");
    reading.cancel = call; /* from inside */
    exchange_send_text(x, "second\n");
    for (int i = 0; i < 1000 && !exchange_gone(x); i++)
        session_pass(&s, 5);
    assert_true(exchange_gone(x));
    assert_string_equal(reading.text.bytes, "first\nsecond\n");
    assert_false(reading.done);
    session_end(&s);
    buf_free(&reading.text);
}

/* --- proxy --- */

struct visit {
    bool done;
    int code;
    char body[256];
    struct error error;
};

static void on_visit(void *data, const struct kube_answer *answer, const struct error *error)
{
    struct visit *visit = data;
    visit->done = true;
    visit->code = answer->code;
    snprintf(visit->body, sizeof visit->body, "%s", answer->body);
    visit->error = error != NULL ? *error : ERROR_INIT;
}

static struct visit visit(struct session *s, const char *port, const char *path)
{
    struct visit v = {.done = false};
    assert_non_null(kube_proxy(s->client, "learn", "services", "web", port, "GET", path, on_visit, &v, NULL));
    session_until(s, &v.done);
    return v;
}

static void the_backends_answer_is_handed_on_whatever_it_is(void **state)
{
    (void)state;
    struct session s;
    session_start(&s);
    server_answer(s.server, "GET", "/api/v1/namespaces/learn/services/web/proxy/*", 404, "Content-Type: text/html\r\n",
                  "<h1>404 Not Found</h1>");
    struct visit v = visit(&s, NULL, "/missing page?q=1&r=%20");
    assert_int_equal(v.error.kind, ERROR_NONE);
    assert_int_equal(v.code, 404);
    assert_string_equal(v.body, "<h1>404 Not Found</h1>");
    assert_string_equal(logged(&s, "GET /api/v1/namespaces/learn/services/web/proxy/missing%20page?q=1&r=%20"),
                        "GET /api/v1/namespaces/learn/services/web/proxy/missing%20page?q=1&r=%20");
    server_answer(s.server, "GET", "/api/v1/namespaces/learn/services/web*", 503, "Retry-After: 1\r\n",
                  "{\"error\":\"backend busy\"}");
    v = visit(&s, "8080", "");
    assert_int_equal(v.error.kind, ERROR_NONE);
    assert_int_equal(v.code, 503);
    session_end(&s);
}

static void a_backend_that_cannot_be_reached_is_told(void **state)
{
    (void)state;
    struct session s;
    session_start(&s);
    server_answer(s.server, "GET", "/api/v1/*", 503, NULL,
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":503,\"reason\":\"ServiceUnavailable\",\"message\":\"no "
                  "endpoints available for service \\\"web\\\"\"}");
    struct visit v = visit(&s, "http", "/");
    assert_int_equal(v.error.kind, ERROR_UNREACHABLE);
    assert_string_equal(v.error.message,
                        "cannot reach services web:http in namespace learn: no endpoints available for service \"web\"");
    server_answer(s.server, "GET", "/api/v1/*", 502, "Content-Type: text/plain\r\n",
                  "Error trying to reach service: 'dial tcp 10.0.0.1:80: connection refused'");
    assert_int_equal(visit(&s, NULL, "/").error.kind, ERROR_UNREACHABLE);
    server_answer(s.server, "GET", "/api/v1/*", 404, NULL,
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":404,\"reason\":\"NotFound\",\"message\":\"services "
                  "\\\"web\\\" not found\"}");
    assert_int_equal(visit(&s, NULL, "/").error.kind, ERROR_NOT_FOUND);
    session_end(&s);
}

static void a_path_cannot_leave_the_proxy(void **state)
{
    (void)state;
    static const char *const bad[] = {"/..", "/a/../../../secrets", "..", "/./x"};
    struct session s;
    struct visit v;
    session_start(&s);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err = ERROR_INIT;
        assert_null(kube_proxy(s.client, "learn", "services", "web", NULL, "GET", bad[i], on_visit, &v, &err));
        assert_int_equal(err.kind, ERROR_INPUT);
    }
    session_end(&s);
}

/* --- exec --- */

struct shell { /* the server's end */
    struct exchange *x;
    struct ws *ws;
    const char *protocol; /* what it speaks */
    struct buf input;
    bool input_ended, refuse_reading;
    size_t cut;                          /* bytes a write; 0: as they come */
    void (*script)(struct shell *shell); /* called on the start */
    void (*at_end)(struct shell *shell); /* called at the end of stdin */
};

static void flush(struct shell *shell)
{
    while (shell->ws != NULL && ws_wants_write(shell->ws)) {
        size_t length;
        const char *bytes = ws_output(shell->ws, &length);
        size_t part = shell->cut > 0 && shell->cut < length ? shell->cut : length;
        exchange_raw(shell->x, bytes, part);
        ws_output_sent(shell->ws, part);
    }
}

static void say(struct shell *shell, int channel, const char *text)
{
    char message[4096] = {(char)channel};
    size_t length = strlen(text);
    assert_true(length < sizeof message);
    memcpy(message + 1, text, length);
    assert_true(ws_send_binary(shell->ws, message, length + 1, NULL));
    flush(shell);
}

static void end_with(struct shell *shell, int code)
{
    char status[512] = "{\"metadata\":{},\"status\":\"Success\"}";
    if (code != 0)
        snprintf(status, sizeof status,
                 "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"command terminated with non-zero exit "
                 "code\",\"reason\":\"NonZeroExitCode\","
                 "\"details\":{\"causes\":[{\"reason\":\"ExitCode\",\"message\":\"%d\"}]}}",
                 code);
    say(shell, 3, status);
    ws_close(shell->ws, WS_CODE_NORMAL, NULL);
    flush(shell);
}

static void on_shell_message(void *data, enum ws_kind kind, const char *bytes, size_t length)
{
    struct shell *shell = data;
    assert_int_equal(kind, WS_BINARY);
    assert_true(length > 0);
    if ((unsigned char)bytes[0] == 255) {
        assert_int_equal(length, 2);
        assert_int_equal(bytes[1], 0);
        assert_string_equal(shell->protocol, "v5.channel.k8s.io");
        shell->input_ended = true;
        if (shell->at_end != NULL)
            shell->at_end(shell);
        return;
    }
    assert_int_equal(bytes[0], 0);
    assert_false(shell->input_ended);
    buf_append(&shell->input, bytes + 1, length - 1);
}

static void on_shell_bytes(void *data, struct exchange *x, const char *bytes, size_t length)
{
    (void)x;
    struct shell *shell = data;
    assert_true(ws_feed(shell->ws, bytes, length, NULL));
    flush(shell);
    if (ws_over(shell->ws))
        exchange_close(shell->x);
}

static void open_shell(void *data, struct exchange *x)
{
    static const struct ws_callbacks callbacks = {.message = on_shell_message};
    struct shell *shell = data;
    char accept[WS_ACCEPT_ROOM], head[512];
    assert_string_equal(exchange_header(x, "Sec-WebSocket-Protocol"), "v5.channel.k8s.io, v4.channel.k8s.io");
    assert_true(ws_make_accept(exchange_header(x, "Sec-WebSocket-Key"), accept, NULL));
    ws_free(shell->ws);
    buf_clear(&shell->input);
    shell->input_ended = false;
    shell->x = x;
    shell->ws = ws_new(WS_SERVER, &callbacks, shell, NULL);
    exchange_take_over(x, on_shell_bytes, shell);
    snprintf(head, sizeof head,
             "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n"
             "Sec-WebSocket-Protocol: %s\r\n\r\n",
             accept, shell->protocol);
    exchange_raw(x, head, strlen(head));
    if (shell->script != NULL)
        shell->script(shell);
}

struct ran {
    bool done;
    int exit_code;
    struct buf output, errors;
    struct error error;
};

static void on_ran(void *data, const struct kube_exec_result *result, const struct error *error)
{
    struct ran *ran = data;
    assert_false(ran->done);
    ran->done = true;
    ran->exit_code = result->exit_code;
    ran->output = buf_make(8 << 20);
    ran->errors = buf_make(8 << 20);
    buf_append(&ran->output, result->output, result->output_length);
    buf_append(&ran->errors, result->errors, result->errors_length);
    assert_true(result->output[result->output_length] == '\0');
    if (error != NULL)
        ran->error = *error;
}

static void start_shell(struct session *s, struct shell *shell)
{
    session_start(s);
    shell->input = buf_make(16 << 20);
    if (shell->protocol == NULL)
        shell->protocol = "v5.channel.k8s.io";
    server_on(s->server, "GET", EXEC, open_shell, shell);
}

static void end_shell(struct session *s, struct shell *shell, struct ran *ran)
{
    session_end(s);
    ws_free(shell->ws);
    buf_free(&shell->input);
    buf_free(&ran->output);
    buf_free(&ran->errors);
}

static const char *const ARGV[] = {"sh", "-c", "echo hello & true", NULL};
static const struct kube_exec_options PLAIN = {.ns = "learn", .pod = "web", .container = "c", .argv = ARGV};

static void run(struct session *s, const struct kube_exec_options *options, struct ran *ran)
{
    assert_non_null(kube_exec_start(s->client, options, on_ran, ran, NULL));
    session_until(s, &ran->done);
}

static void talk(struct shell *shell)
{
    for (int channel = 1; channel <= 3; channel++)
        say(shell, channel, ""); /* as real servers begin */
    say(shell, 1, "out");
    say(shell, 2, "err");
    say(shell, 1, "put\n");
    end_with(shell, 3);
}

static void a_command_gives_its_output_and_exit_code(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < 3; cut++) { /* whole, and by one and two bytes */
        struct session s;
        struct shell shell = {.script = talk, .cut = cut};
        struct ran ran = {.done = false};
        start_shell(&s, &shell);
        run(&s, &PLAIN, &ran);
        assert_int_equal(ran.error.kind, ERROR_NONE);
        assert_int_equal(ran.exit_code, 3);
        assert_string_equal(ran.output.bytes, "output\n");
        assert_string_equal(ran.errors.bytes, "err");
        assert_string_equal(
            logged(&s,
                   "GET " EXEC "?container=c&command=sh&command=-c&command=echo%20hello%20%26%20true&stdout=true&stderr=true"),
            "GET " EXEC "?container=c&command=sh&command=-c&command=echo%20hello%20%26%20true&stdout=true&stderr=true");
        end_shell(&s, &shell, &ran);
    }
}

static void succeed(struct shell *shell)
{
    end_with(shell, 0);
}

static void stdin_goes_in_and_its_end_is_told(void **state)
{
    (void)state;
    struct session s;
    struct shell shell = {.at_end = succeed};
    struct ran ran = {.done = false};
    struct kube_exec_options options = PLAIN;
    size_t length = 9 << 20; /* more than all queues hold */
    char *input = malloc(length);
    for (size_t i = 0; i < length; i++)
        input[i] = (char)(i * 7 + i / 251);
    options.input = input;
    options.input_length = length;
    start_shell(&s, &shell);
    run(&s, &options, &ran);
    assert_int_equal(ran.exit_code, 0);
    assert_true(shell.input_ended);
    assert_int_equal(shell.input.length, length);
    assert_memory_equal(shell.input.bytes, input, length);
    end_shell(&s, &shell, &ran);
    ran = (struct ran){.done = false};
    shell = (struct shell){.at_end = succeed};
    options.input = "";
    options.input_length = 0;
    start_shell(&s, &shell);
    run(&s, &options, &ran);
    assert_int_equal(ran.exit_code, 0);
    free(input);
    end_shell(&s, &shell, &ran);
}

static void an_older_server_speaks_v4(void **state)
{
    (void)state;
    struct session s;
    struct shell shell = {.protocol = "v4.channel.k8s.io", .script = talk};
    struct ran ran = {.done = false};
    start_shell(&s, &shell);
    run(&s, &PLAIN, &ran);
    assert_int_equal(ran.exit_code, 3);
    end_shell(&s, &shell, &ran);
    shell = (struct shell){.protocol = "v4.channel.k8s.io"};
    ran = (struct ran){.done = false};
    struct kube_exec_options options = PLAIN;
    options.input = "hello";
    options.input_length = 5;
    options.timeout_ms = 100;
    start_shell(&s, &shell);
    run(&s, &options, &ran); /* nothing can tell the command that stdin has ended */
    assert_int_equal(ran.error.kind, ERROR_TIMEOUT);
    assert_non_null(strstr(ran.error.message, "cannot be told where stdin ends"));
    assert_string_equal(shell.input.bytes, "hello");
    end_shell(&s, &shell, &ran);
}

static void fail_to_start(struct shell *shell)
{
    say(shell, 3,
        "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"Internal error occurred: exec: \\\"slep\\\": executable file "
        "not found in $PATH\",\"reason\":\"InternalError\",\"code\":500}");
}

static void shout(struct shell *shell)
{
    for (int i = 0; i < 100; i++)
        say(shell, 1 + i % 2, "0123456789");
}

static void hang_up(struct shell *shell)
{
    say(shell, 1, "half");
    exchange_close(shell->x);
}

static void close_early(struct shell *shell)
{
    ws_close(shell->ws, WS_CODE_GOING_AWAY, "server is stopping");
    flush(shell);
}

static void babble(struct shell *shell)
{
    static const char noise[] = "\xff\xff\xff\xff this is no frame";
    exchange_raw(shell->x, noise, sizeof noise);
}

static void bad_status(struct shell *shell)
{
    say(shell, 3, "{\"status\":");
}

static void what_goes_wrong_is_told(void **state)
{
    (void)state;
    static const struct {
        void (*script)(struct shell *shell);
        enum error_kind kind;
        const char *words;
    } cases[] = {
        {fail_to_start, ERROR_INVALID,
         "cannot run sh in pod web: Internal error occurred: exec: \"slep\": executable file not found in $PATH"},
        {shout, ERROR_LIMIT, "sh in pod web wrote more than 200 bytes"},
        {hang_up, ERROR_UNREACHABLE, ""},
        {close_early, ERROR_UNREACHABLE, "the connection ended before sh in pod web did: server is stopping"},
        {babble, ERROR_INPUT, ""},
        {bad_status, ERROR_INPUT, ""},
        {NULL, ERROR_TIMEOUT, "sh in pod web did not end within 0 s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct session s;
        struct shell shell = {.script = cases[i].script};
        struct ran ran = {.done = false};
        struct kube_exec_options options = PLAIN;
        options.maximum = 200;
        options.timeout_ms = cases[i].script == NULL ? 100 : 5000;
        start_shell(&s, &shell);
        run(&s, &options, &ran);
        if (ran.error.kind != cases[i].kind || strstr(ran.error.message, cases[i].words) == NULL)
            fail_msg("case %zu: error %d, %s", i, (int)ran.error.kind, ran.error.message);
        assert_int_equal(ran.exit_code, -1);
        if (cases[i].script == shout)
            assert_int_equal(ran.output.length + ran.errors.length, 200);
        if (cases[i].script == hang_up)
            assert_string_equal(ran.output.bytes, "half");
        end_shell(&s, &shell, &ran);
    }
}

static void a_refusal_before_the_upgrade_is_told(void **state)
{
    (void)state;
    struct session s;
    struct shell shell = {.protocol = NULL};
    struct ran ran = {.done = false};
    start_shell(&s, &shell);
    server_answer(s.server, "GET", EXEC, 403, NULL,
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":403,\"reason\":\"Forbidden\",\"message\":\"pods "
                  "\\\"web\\\" is forbidden\"}");
    run(&s, &PLAIN, &ran);
    assert_int_equal(ran.error.kind, ERROR_DENIED);
    assert_non_null(strstr(ran.error.message, "pods \"web\" is forbidden"));
    end_shell(&s, &shell, &ran);
}

static void it_can_be_cancelled_at_any_time(void **state)
{
    (void)state;
    struct session s;
    struct shell shell = {.protocol = NULL};
    struct ran ran = {.done = false};
    start_shell(&s, &shell);
    kube_exec_cancel(kube_exec_start(s.client, &PLAIN, on_ran, &ran, NULL));
    kube_exec_cancel(NULL);
    for (int ms = 0; ms < 12; ms += 2) {
        struct kube_exec *exec = kube_exec_start(s.client, &PLAIN, on_ran, &ran, NULL);
        session_pass(&s, ms);
        kube_exec_cancel(exec);
        session_pass(&s, 10);
    }
    assert_non_null(kube_exec_start(s.client, &PLAIN, on_ran, &ran, NULL));
    session_pass(&s, 5);
    assert_false(ran.done);
    end_shell(&s, &shell, &ran); /* the client goes with a command under way */
}

static void serve_shell(struct server *server)
{
    static struct shell shell = {.protocol = "v5.channel.k8s.io", .at_end = talk};
    shell.input = buf_make(1 << 20);
    server_on(server, "GET", EXEC, open_shell, &shell);
}

static void exec_survives_every_allocation_failing(void **state)
{
    (void)state;
    struct session s;
    unsigned failures = 0, successes = 0;
    session_start_apart(&s, serve_shell);
    for (int nth = 1; nth < 300; nth++) {
        struct kube_exec_options options = PLAIN;
        options.input = "some input";
        options.input_length = 10;
        options.timeout_ms = 5000;
        struct ran ran = {.done = false};
        assert_true(session_client(&s));
        mem_fail_at(nth);
        if (kube_exec_start(s.client, &options, on_ran, &ran, NULL) != NULL) {
            loop_until(s.loop, &ran.done, 10000);
            mem_fail_at(0);
            assert_true(ran.done);
            assert_true(ran.error.kind != ERROR_TIMEOUT);
            assert_true(ran.error.kind != ERROR_NONE || ran.exit_code == 3);
        }
        mem_fail_at(0);
        failures += !ran.done || ran.error.kind != ERROR_NONE;
        successes += ran.done && ran.error.kind == ERROR_NONE;
        session_drop_client(&s);
        buf_free(&ran.output);
        buf_free(&ran.errors);
    }
    assert_true(failures > 10 && successes > 10);
    session_end(&s);
}

int test_streams(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_is_read),
        cmocka_unit_test(a_log_that_cannot_be_read_says_why),
        cmocka_unit_test(a_log_is_bounded),
        cmocka_unit_test(a_log_is_followed_until_it_is_cancelled),
        cmocka_unit_test(the_backends_answer_is_handed_on_whatever_it_is),
        cmocka_unit_test(a_backend_that_cannot_be_reached_is_told),
        cmocka_unit_test(a_path_cannot_leave_the_proxy),
        cmocka_unit_test(a_command_gives_its_output_and_exit_code),
        cmocka_unit_test(stdin_goes_in_and_its_end_is_told),
        cmocka_unit_test(an_older_server_speaks_v4),
        cmocka_unit_test(what_goes_wrong_is_told),
        cmocka_unit_test(a_refusal_before_the_upgrade_is_told),
        cmocka_unit_test(it_can_be_cancelled_at_any_time),
        cmocka_unit_test(exec_survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}
