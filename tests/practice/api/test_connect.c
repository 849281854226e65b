/* Logs, exec, attach, port-forward and proxies over the wire, with somebody behind them who pretends (fake_backend.h). What is refused stands in connect/refusals.jsonl, recorded from a real server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"
#include "fake_backend.h"
#include "failing.h"
#include "net/spdy.h"
#include "net/ws.h"
#include "practice/api/backend.h"
#include "serve_world.h"

#define POD "/api/v1/namespaces/kt-streams/pods/web/"
#define WEBSOCKET "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define SPDY "Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"

struct world {
    struct serve_world serve;
    struct fake *fake;
};

static void make_objects(struct serve_world *serve)
{
    static const char ns[] = "/api/v1/namespaces/kt-streams/";
    static const struct {
        const char *where, *text;
    } objects[] = {
        {"serviceaccounts", "{\"metadata\":{\"name\":\"default\"}}"},
        {"pods", "{\"metadata\":{\"name\":\"web\"},\"spec\":{\"nodeName\":\"node1\",\"containers\":[{\"name\":\"web\",\"image\":\"nginx\",\"ports\":[{\"name\":\"http\",\"containerPort\":80}]},"
                 "{\"name\":\"side\",\"image\":\"busybox\"}]}}"},
        {"pods", "{\"metadata\":{\"name\":\"one\"},\"spec\":{\"nodeName\":\"node1\",\"containers\":[{\"name\":\"long\",\"image\":\"busybox\"}]}}"},
        {"pods", "{\"metadata\":{\"name\":\"nonode\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"busybox\"}]}}"},
        {"services", "{\"metadata\":{\"name\":\"web\"},\"spec\":{\"ports\":[{\"name\":\"http\",\"port\":8080,\"targetPort\":80},{\"name\":\"bad\",\"port\":8081,\"targetPort\":81}]}}"},
        {"services", "{\"metadata\":{\"name\":\"empty\"},\"spec\":{\"ports\":[{\"port\":80}]}}"},
    };
    serve_do(serve, "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"kt-streams\"}}", 201);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        char *path = mem_printf("%s%s", ns, objects[i].where);
        serve_do(serve, "POST", path, objects[i].text, 201);
        mem_free(path);
    }
    serve_do(serve, "PATCH", "/api/v1/namespaces/kt-streams/pods/web/status", "{\"status\":{\"podIP\":\"10.244.0.5\",\"podIPs\":[{\"ip\":\"10.244.0.5\"}]}}", 200);
    serve_do(serve, "POST", "/apis/discovery.k8s.io/v1/namespaces/kt-streams/endpointslices",
             "{\"metadata\":{\"name\":\"web-a\",\"labels\":{\"kubernetes.io/service-name\":\"web\"}},\"addressType\":\"IPv4\",\"ports\":[{\"name\":\"http\",\"port\":80},{\"name\":\"bad\",\"port\":81}],"
             "\"endpoints\":[{\"addresses\":[\"10.244.0.4\"],\"targetRef\":{\"kind\":\"Pod\",\"name\":\"web\",\"namespace\":\"kt-streams\"}},"
             "{\"addresses\":[\"10.244.0.5\"],\"conditions\":{\"ready\":false},\"targetRef\":{\"kind\":\"Pod\",\"name\":\"web\",\"namespace\":\"kt-streams\"}},"
             "{\"addresses\":[\"10.244.0.5\"],\"targetRef\":{\"kind\":\"Pod\",\"name\":\"web\",\"namespace\":\"kt-streams\"}}]}",
             201);
}

static int open_world(void **state)
{
    struct world *world = mem_zero(1, sizeof *world);
    serve_open(&world->serve, NULL);
    world->fake = fake_new(world->serve.loop);
    api_set_backend(server_api(world->serve.server), fake_backend(world->fake));
    make_objects(&world->serve);
    *state = world;
    return 0;
}

static int close_world(void **state)
{
    struct world *world = *state;
    serve_close(&world->serve);
    int open = fake_open(world->fake);
    fake_free(world->fake);
    mem_free(world);
    assert_int_equal(open, 0);
    return 0;
}

/* Lets the loop run until nothing of the backend's is open any more. */
static void until_closed(struct world *world)
{
    int64_t until = clock_monotonic_ms() + LONG_MS;
    while (fake_open(world->fake) > 0 || server_open_requests(world->serve.server) > 0) {
        assert_true(clock_monotonic_ms() < until);
        loop_once(world->serve.loop, 5);
    }
}

/* ---- refusals */

static void check_refusal(struct world *world, const struct value *refusal)
{
    struct buf headers = buf_make(10000);
    struct got got;
    char *ask = mem_string(value_find_text(refusal, "ask", NULL)), *path = strchr(ask, ' ');
    *path++ = '\0';
    for (const struct value *header = value_first(value_get(refusal, "headers")); header != NULL; header = value_next(header))
        buf_printf(&headers, "%s\r\n", value_text(header));
    serve_ask(&world->serve, ask, path, headers.bytes, NULL, &got);
    const char *text = value_find_text(refusal, "text", NULL), *location = value_find_text(refusal, "location", NULL);
    const struct value *answer = value_get(refusal, "answer");
    bool same = got.code == value_find_int(refusal, 0, "code", NULL) && (answer == NULL || value_equal(answer, got.json)) && (location == NULL || strstr(got.head, location) != NULL) &&
                (text == NULL || strncmp(got.text, text, strlen(text)) == 0);
    if (!same)
        fail_msg("%s %s: %d %s", ask, path, got.code, got.text);
    got_free(&got);
    buf_free(&headers);
    mem_free(ask);
}

static void what_cannot_be_is_refused_in_the_real_words(void **state)
{
    struct world *world = *state;
    char *text = file_read(KT_TEST_CASES "/connect/refusals.jsonl", 1 << 20, NULL, NULL);
    assert_non_null(text);
    int count = 0;
    for (char *line = text, *end; *line != '\0'; line = end + 1, count++) {
        end = strchr(line, '\n');
        struct value *refusal = json_parse(line, (size_t)(end - line), "refusal", NULL);
        check_refusal(world, refusal);
        value_free(refusal);
    }
    assert_true(count > 60);
    mem_free(text);
    until_closed(world);
}

static void without_a_backend_the_paths_are_answered_as_before(void **state)
{
    struct world *world = *state;
    struct got got;
    api_set_backend(server_api(world->serve.server), NULL);
    serve_ask(&world->serve, "POST", POD "exec?command=ls", NULL, NULL, &got);
    assert_int_equal(got.code, 405);
    got_free(&got);
    api_set_backend(server_api(world->serve.server), fake_backend(world->fake));
}

static void a_right_to_get_is_no_right_to_upgrade(void **state)
{
    struct world *world = *state;
    struct got got;
    static const char rbac[] = "/apis/rbac.authorization.k8s.io/v1/namespaces/kt-streams/";
    char *roles = mem_printf("%sroles", rbac), *bindings = mem_printf("%srolebindings", rbac);
    serve_do(&world->serve, "POST", roles, "{\"metadata\":{\"name\":\"peek\"},\"rules\":[{\"apiGroups\":[\"\"],\"resources\":[\"pods/exec\",\"pods/portforward\",\"pods/log\"],\"verbs\":[\"get\"]}]}", 201);
    serve_do(&world->serve, "POST", bindings, "{\"metadata\":{\"name\":\"peek\"},\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"Role\",\"name\":\"peek\"},\"subjects\":[{\"kind\":\"User\",\"name\":\"eve\"}]}", 201);
    mem_free(roles);
    mem_free(bindings);
    static const char *const paths[] = {POD "exec?container=side&command=ls&stdout=1", POD "portforward"};
    for (size_t i = 0; i < 2; i++) {
        serve_ask(&world->serve, "GET", paths[i], "Impersonate-User: eve\r\n" WEBSOCKET, NULL, &got);
        assert_int_equal(got.code, 403);
        assert_string_equal(value_find_text(got.json, "message", NULL), "pods \"web\" is forbidden: ");
        got_free(&got);
        serve_ask(&world->serve, "POST", paths[i], "Impersonate-User: eve\r\n" SPDY, NULL, &got);
        assert_int_equal(got.code, 403);
        got_free(&got);
    }
    serve_ask(&world->serve, "GET", POD "log?container=side", "Impersonate-User: eve\r\n", NULL, &got);
    assert_int_equal(got.code, 200);
    got_free(&got);
    serve_ask(&world->serve, "GET", POD "proxy/", "Impersonate-User: eve\r\n", NULL, &got);
    assert_int_equal(got.code, 403);
    got_free(&got);
}

static void usage_is_told_as_metrics(void **state)
{
    struct world *world = *state;
    struct got got;
    serve_ask(&world->serve, "GET", "/apis/metrics.k8s.io/v1beta1/namespaces/kt-streams/pods?fieldSelector=metadata.name%3Dweb", NULL, NULL, &got);
    assert_int_equal(value_length(value_get(got.json, "items")), 1);
    const struct value *containers = value_get(value_first(value_get(got.json, "items")), "containers");
    assert_int_equal(value_length(containers), 2);
    assert_string_equal(value_find_text(value_first(containers), "usage", "memory", NULL), "34Mi");
    assert_string_equal(value_find_text(value_first(containers), "usage", "cpu", NULL), "12m");
    got_free(&got);
    serve_ask(&world->serve, "GET", "/apis/metrics.k8s.io/v1beta1/nodes/node1", "Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n", NULL, &got);
    assert_non_null(strstr(got.text, "[\"node1\",\"250m\",\"512Mi\",\"15s\"]"));
    got_free(&got);
    serve_ask(&world->serve, "GET", "/apis/metrics.k8s.io/v1beta1/namespaces/kt-streams/pods/x", NULL, NULL, &got);
    assert_string_equal(value_find_text(got.json, "message", NULL), "pods.metrics.k8s.io \"kt-streams/x\" not found");
    got_free(&got);
}

/* ---- logs */

static void logs_are_read_and_followed(void **state)
{
    struct world *world = *state;
    struct got got;
    serve_ask(&world->serve, "GET", POD "log?container=side", NULL, NULL, &got);
    assert_int_equal(got.code, 200);
    assert_string_equal(got.type, "text/plain");
    assert_string_equal(got.text, "line 1\nline 2\nline 3\n");
    got_free(&got);
    serve_ask(&world->serve, "GET", POD "log?container=side&tailLines=1&follow=true&timestamps=true", "Accept: application/json, */*\r\n", NULL, &got);
    assert_string_equal(strstr(got.text, "Z line 7"), "Z line 7\n2026-01-01T00:00:00.000000000Z line 8\n");
    assert_int_equal(strncmp(got.text, "2026-01-01T00:00:00.000000000Z line 3\n", 37), 0);
    got_free(&got);
    serve_ask(&world->serve, "GET", "/api/v1/namespaces/kt-streams/pods/one/log", NULL, NULL, &got);
    assert_int_equal(got.length, (4 << 20) + 21);
    got_free(&got);
    until_closed(world);
}

static void a_log_that_nobody_reads_waits_in_its_place(void **state)
{
    struct world *world = *state;
    size_t before = fake_flooded(world->fake);
    struct line *line = line_open(&world->serve, false, 64 * 1024);
    line_send(line, "GET", "/api/v1/namespaces/kt-streams/pods/one/log", NULL, NULL);
    for (int i = 0; i < 100; i++)
        loop_once(world->serve.loop, 1);
    assert_true(fake_flooded(world->fake) - before < 4 << 20);
    line_close(line); /* and goes */
    until_closed(world);
}

/* ---- a WebSocket client */

enum { CHANNELS = 8 };

struct talk {
    struct world *world;
    struct line *line;
    struct ws *ws;     /* NULL: SPDY */
    struct spdy *spdy;
    struct spdy_stream *streams[CHANNELS];
    struct buf got[CHANNELS];
    bool finished[CHANNELS];
    bool closed, quiet; /* quiet: nothing is read */
    unsigned code;
    size_t messages;
};

static void on_message(void *data, enum ws_kind kind, const char *bytes, size_t length)
{
    struct talk *talk = data;
    talk->messages++;
    if (kind == WS_TEXT) {
        size_t plain;
        char *decoded = base64_decode(bytes + 1, length - 1, &plain);
        buf_append(&talk->got[bytes[0] - '0'], decoded, plain);
        mem_free(decoded);
        return;
    }
    assert_in_range(bytes[0], 0, CHANNELS - 1);
    buf_append(&talk->got[(unsigned char)bytes[0]], bytes + 1, length - 1);
}

static void on_close(void *data, unsigned code, const char *reason)
{
    struct talk *talk = data;
    (void)reason;
    talk->closed = true;
    talk->code = code;
}

static void talk_flush(struct talk *talk)
{
    size_t length;
    const char *bytes;
    while (talk->ws != NULL && (bytes = ws_output(talk->ws, &length)) != NULL) {
        line_write(talk->line, bytes, length);
        ws_output_sent(talk->ws, length);
    }
    while (talk->spdy != NULL && (bytes = spdy_output(talk->spdy, &length)) != NULL) {
        line_write(talk->line, bytes, length);
        spdy_output_sent(talk->spdy, length);
    }
}

/* Takes what is there, or runs a round. */
static void talk_round(struct talk *talk)
{
    size_t taken;
    if (talk->quiet || !line_more(talk->line)) {
        talk->closed |= talk->line->ended;
        loop_once(talk->world->serve.loop, 1);
        return;
    }
    if (talk->line->got.length == 0)
        return;
    if (talk->ws != NULL)
        assert_true(ws_feed(talk->ws, talk->line->got.bytes, talk->line->got.length, NULL));
    else
        assert_true(spdy_feed(talk->spdy, talk->line->got.bytes, talk->line->got.length, &taken, NULL));
    buf_clear(&talk->line->got);
    talk_flush(talk);
}

#define talk_until(talk, condition)                          \
    do {                                                     \
        int64_t end_ms = clock_monotonic_ms() + LONG_MS;     \
        while (!(condition)) {                               \
            assert_true(clock_monotonic_ms() < end_ms);      \
            talk_round(talk);                                \
        }                                                    \
    } while (0)

static struct talk *talk_new(struct world *world, const char *method, const char *path, const char *headers, int receive_buffer)
{
    struct talk *talk = mem_zero(1, sizeof *talk);
    struct got got;
    talk->world = world;
    for (int i = 0; i < CHANNELS; i++)
        talk->got[i] = buf_make(64 << 20);
    talk->line = line_open(&world->serve, false, receive_buffer);
    line_send(talk->line, method, path, headers, NULL);
    line_head(talk->line, &got);
    if (got.code != 101)
        fail_msg("%s: %s", path, got.head);
    got_free(&got);
    return talk;
}

static struct talk *talk_websocket(struct world *world, const char *path, const char *protocol)
{
    static const struct ws_callbacks callbacks = {.message = on_message, .closed = on_close};
    char headers[512];
    snprintf(headers, sizeof headers, WEBSOCKET "Sec-WebSocket-Protocol: %s\r\n", protocol);
    struct talk *talk = talk_new(world, "GET", path, headers, 0);
    talk->ws = ws_new(WS_CLIENT, &callbacks, talk, NULL);
    return talk;
}

static void talk_say(struct talk *talk, unsigned channel, const void *bytes, size_t length)
{
    if (talk->spdy != NULL)
        assert_int_equal(spdy_write(talk->streams[channel], bytes, length), length);
    else {
        char *message = mem_alloc(length + 1);
        message[0] = (char)channel;
        memcpy(message + 1, bytes, length);
        assert_true(ws_send_binary(talk->ws, message, length + 1, NULL));
        mem_free(message);
    }
    talk_flush(talk);
}

static bool heard(const struct talk *talk, unsigned channel, const char *text)
{
    return talk->got[channel].bytes != NULL && strstr(talk->got[channel].bytes, text) != NULL;
}

static void talk_free(struct talk *talk)
{
    line_close(talk->line);
    ws_free(talk->ws);
    spdy_free(talk->spdy);
    for (int i = 0; i < CHANNELS; i++)
        buf_free(&talk->got[i]);
    mem_free(talk);
}

/* ---- exec by WebSocket */

static void exec_tells_output_and_end_in_each_protocol_s_way(void **state)
{
    static const struct {
        const char *protocol, *success, *failure;
    } cases[] = {
        {"v5.channel.k8s.io", "{\"metadata\":{},\"status\":\"Success\"}",
         "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"command terminated with non-zero exit code: command terminated with exit code 3\",\"reason\":\"NonZeroExitCode\",\"details\":{\"causes\":[{\"reason\":\"ExitCode\","
         "\"message\":\"3\"}]}}"},
        {"v4.channel.k8s.io", "{\"metadata\":{},\"status\":\"Success\"}",
         "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"command terminated with non-zero exit code: error executing command [x], exit code 3\",\"reason\":\"NonZeroExitCode\",\"details\":{\"causes\":[{\"reason\":\"ExitCode\","
         "\"message\":\"3\"}]}}"},
        {"channel.k8s.io", "", "command terminated with non-zero exit code: error executing command [x], exit code 3"},
        {"v4.base64.channel.k8s.io", "{\"metadata\":{},\"status\":\"Success\"}", NULL},
        {"base64.channel.k8s.io", "", NULL},
    };
    struct world *world = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct talk *talk = talk_websocket(world, POD "exec?container=side&command=echo&command=a%20b&command=c&stdout=true&stderr=1", cases[i].protocol);
        talk_until(talk, talk->closed);
        assert_string_equal(talk->got[BACKEND_STDOUT].bytes, "a b c\n");
        assert_string_equal(talk->got[BACKEND_ERROR].bytes != NULL ? talk->got[BACKEND_ERROR].bytes : "", cases[i].success);
        assert_int_equal(talk->code, WS_CODE_NORMAL);
        assert_string_equal(fake_asked(world->fake), "stdin=0 stdout=1 stderr=1 tty=0 container=side");
        talk_free(talk);
        talk = talk_websocket(world, POD "exec?container=side&command=exit&command=3&stdout=true", cases[i].protocol);
        talk_until(talk, talk->closed);
        if (cases[i].failure != NULL)
            assert_string_equal(talk->got[BACKEND_ERROR].bytes, cases[i].failure);
        talk_free(talk);
    }
    until_closed(world);
}

static void input_goes_in_and_its_half_can_be_closed(void **state)
{
    struct world *world = *state;
    struct talk *talk = talk_websocket(world, POD "exec?container=side&command=cat&stdin=1&stdout=1", "v5.channel.k8s.io");
    talk_say(talk, BACKEND_STDIN, "hello ", 6);
    talk_say(talk, BACKEND_STDIN, "you\n", 4);
    talk_until(talk, heard(talk, BACKEND_STDOUT, "hello you\n"));
    talk_say(talk, 7, "nobody's", 8); /* passed over */
    talk_say(talk, 255, "\0", 1);
    talk_until(talk, talk->closed);
    assert_non_null(strstr(talk->got[BACKEND_ERROR].bytes, "Success"));
    talk_free(talk);
    until_closed(world);
}

static void a_terminal_has_sizes_and_no_stream_of_errors(void **state)
{
    struct world *world = *state;
    struct talk *talk = talk_websocket(world, POD "exec?container=side&command=size&stdin=1&stdout=1&stderr=1&tty=1", "v5.channel.k8s.io");
    talk_say(talk, BACKEND_RESIZE, "{\"Width\":80,\"Height\":24}", 24);
    talk_until(talk, heard(talk, BACKEND_STDOUT, "80x24"));
    talk_say(talk, BACKEND_RESIZE, "{\"Width\":132,", 13);
    talk_say(talk, BACKEND_RESIZE, "\"Height\":50}\n{\"Width\":0,\"Height\":7}nonsense", 42);
    talk_until(talk, heard(talk, BACKEND_STDOUT, "132x50"));
    assert_string_equal(fake_asked(world->fake), "stdin=1 stdout=1 stderr=0 tty=1 container=side");
    talk_free(talk); /* gone without a word: the process is, too */
    until_closed(world);
}

static void much_input_comes_back_whole(void **state)
{
    struct world *world = *state;
    enum { ALL = 3 << 20, PIECE = 100000 };
    char *bytes = mem_alloc(ALL);
    for (size_t i = 0; i < ALL; i++)
        bytes[i] = (char)(i * 2654435761u >> 13);
    struct talk *talk = talk_websocket(world, POD "exec?container=side&command=cat&stdin=1&stdout=1", "v5.channel.k8s.io");
    for (size_t at = 0; at < ALL; at += PIECE) {
        talk_say(talk, BACKEND_STDIN, bytes + at, ALL - at < PIECE ? ALL - at : PIECE);
        talk_round(talk);
    }
    talk_until(talk, talk->got[BACKEND_STDOUT].length == ALL);
    assert_memory_equal(talk->got[BACKEND_STDOUT].bytes, bytes, ALL);
    talk_free(talk);
    mem_free(bytes);
    until_closed(world);
}

static void output_that_nobody_reads_is_bounded(void **state)
{
    struct world *world = *state;
    size_t before = fake_flooded(world->fake);
    struct talk *talk = talk_websocket(world, POD "exec?container=side&command=yes&stdout=1", "v5.channel.k8s.io");
    talk->quiet = true;
    size_t last = 0;
    for (int i = 0; i < 3000 && (i < 300 || last != fake_flooded(world->fake)); i++) {
        last = fake_flooded(world->fake);
        loop_once(world->serve.loop, 1);
    }
    assert_int_equal(last, fake_flooded(world->fake)); /* it stands still */
    assert_true(last - before < 16 << 20);             /* the kernel's buffers, mostly */
    talk->quiet = false;
    talk_until(talk, fake_flooded(world->fake) > last); /* and goes on */
    talk_free(talk);
    until_closed(world);
}

static void input_that_nobody_takes_is_bounded_and_the_client_may_vanish(void **state)
{
    struct world *world = *state;
    static const char bytes[30000];
    struct talk *talk = talk_websocket(world, POD "exec?container=side&command=stuck&stdin=1&stdout=1", "v5.channel.k8s.io");
    size_t length;
    bool ended;
    for (int i = 0; i < 20; i++)
        talk_say(talk, BACKEND_STDIN, bytes, sizeof bytes);
    for (int i = 0; i < 50; i++)
        talk_round(talk);
    fake_input(world->fake, &length, &ended);
    assert_int_equal(length, 64 << 10);
    talk_free(talk); /* found out by looking, after some seconds */
    until_closed(world);
}

static void attach_is_to_the_first_process(void **state)
{
    struct world *world = *state;
    struct talk *talk = talk_websocket(world, POD "attach?container=side&stdin=1&stdout=1", "v4.channel.k8s.io");
    talk_until(talk, heard(talk, BACKEND_STDOUT, "attached\n"));
    talk_say(talk, BACKEND_STDIN, "x\n", 2);
    talk_until(talk, heard(talk, BACKEND_STDOUT, "x\n"));
    talk_free(talk);
    until_closed(world);
}

static void a_backend_that_goes_ends_what_is_open(void **state)
{
    struct world *world = *state;
    struct talk *exec = talk_websocket(world, POD "exec?container=side&command=cat&stdin=1&stdout=1", "v5.channel.k8s.io");
    struct talk *ports = talk_websocket(world, POD "portforward?ports=7", "v4.channel.k8s.io");
    struct line *log = line_open(&world->serve, false, 0), *proxy = line_open(&world->serve, false, 0);
    line_send(log, "GET", POD "log?container=side&follow=1", NULL, NULL);
    line_send(proxy, "GET", "/api/v1/namespaces/kt-streams/pods/web:9/proxy/", NULL, NULL);
    talk_until(ports, ports->got[1].length == 2);
    talk_until(exec, fake_open(world->fake) == 4);
    api_set_backend(server_api(world->serve.server), NULL);
    assert_int_equal(fake_open(world->fake), 0);
    talk_until(exec, exec->closed);
    talk_until(ports, ports->closed);
    while (line_more(log) || line_more(proxy)) {
        if (strstr(proxy->got.bytes != NULL ? proxy->got.bytes : "", " 503 ") != NULL)
            break;
    }
    talk_free(exec);
    talk_free(ports);
    line_close(log);
    line_close(proxy);
    until_closed(world);
    api_set_backend(server_api(world->serve.server), fake_backend(world->fake));
}

/* ---- SPDY */

static size_t on_bytes(void *data, struct spdy_stream *stream, const void *bytes, size_t length)
{
    struct talk *talk = data;
    for (unsigned i = 0; i < CHANNELS; i++)
        if (talk->streams[i] == stream)
            buf_append(&talk->got[i], bytes, length);
    return length;
}

static void on_finished(void *data, struct spdy_stream *stream)
{
    struct talk *talk = data;
    for (unsigned i = 0; i < CHANNELS; i++)
        if (talk->streams[i] == stream)
            talk->finished[i] = true;
}

static void on_reset(void *data, struct spdy_stream *stream)
{
    struct talk *talk = data;
    on_finished(talk, stream);
    for (unsigned i = 0; i < CHANNELS; i++)
        if (talk->streams[i] == stream)
            talk->streams[i] = NULL;
    spdy_drop(stream);
}

static void talk_open(struct talk *talk, unsigned channel, const char *type, const char *port, const char *request)
{
    const struct spdy_field fields[] = {{"streamtype", type}, {"port", port}, {"requestid", request}};
    talk->streams[channel] = spdy_open(talk->spdy, fields, port == NULL ? 1 : request == NULL ? 2 : 3, NULL);
    talk->finished[channel] = false;
    assert_non_null(talk->streams[channel]);
}

static struct talk *talk_spdy(struct world *world, const char *path, const char *protocol)
{
    static const struct spdy_callbacks callbacks = {.received = on_bytes, .finished = on_finished, .reset = on_reset};
    char headers[512];
    snprintf(headers, sizeof headers, SPDY "X-Stream-Protocol-Version: %s\r\n", protocol);
    struct talk *talk = talk_new(world, "POST", path, headers, 0);
    talk->spdy = spdy_new(SPDY_CLIENT, &callbacks, talk, NULL);
    return talk;
}

static void exec_works_by_spdy_and_waits_for_its_streams(void **state)
{
    struct world *world = *state;
    struct talk *talk = talk_spdy(world, POD "exec?container=side&command=cat&stdin=1&stdout=1", "v4.channel.k8s.io");
    talk_open(talk, BACKEND_ERROR, "error", NULL, NULL);
    talk_open(talk, 6, "nonsense", NULL, NULL);
    talk_open(talk, BACKEND_STDIN, "stdin", NULL, NULL);
    talk_say(talk, BACKEND_STDIN, "hello\n", 6);
    for (int i = 0; i < 20; i++)
        talk_round(talk);
    assert_int_equal(talk->got[BACKEND_STDOUT].length, 0);
    talk_open(talk, BACKEND_STDOUT, "stdout", NULL, NULL);
    talk_flush(talk);
    talk_until(talk, heard(talk, BACKEND_STDOUT, "hello\n"));
    spdy_finish(talk->streams[BACKEND_STDIN]);
    spdy_ping(talk->spdy);
    talk_flush(talk);
    talk_until(talk, talk->finished[BACKEND_STDOUT] && talk->finished[BACKEND_ERROR]);
    assert_string_equal(talk->got[BACKEND_ERROR].bytes, "{\"metadata\":{},\"status\":\"Success\"}");
    assert_null(talk->streams[6]);
    talk_free(talk);
    until_closed(world);
}

static void ports_are_forwarded_by_spdy_many_at_a_time(void **state)
{
    struct world *world = *state;
    struct talk *talk = talk_spdy(world, POD "portforward", "portforward.k8s.io");
    static char bytes[100000];
    talk_open(talk, 1, "error", "7", "a");
    talk_open(talk, 0, "data", "7", "a");
    talk_open(talk, 3, "error", "9", "b"); /* takes nothing, and holds up nobody */
    talk_open(talk, 2, "data", "9", "b");
    talk_open(talk, 5, "error", "99", NULL); /* refused; an old client gives no number */
    talk_open(talk, 4, "data", "99", NULL);
    talk_say(talk, 2, bytes, sizeof bytes);
    memset(bytes, 'x', sizeof bytes);
    talk_say(talk, 0, bytes, sizeof bytes);
    talk_until(talk, talk->got[0].length == sizeof bytes && talk->finished[4] && talk->finished[5]);
    assert_string_equal(talk->got[5].bytes, "error forwarding port 99 to pod web, uid : connection refused");
    spdy_finish(talk->streams[0]);
    talk_flush(talk);
    talk_until(talk, talk->finished[0] && talk->finished[1]);
    spdy_finish(talk->streams[1]);
    talk_open(talk, 6, "data", "0", "c"); /* no port */
    talk_open(talk, 7, "data", "7", NULL);
    spdy_drop(talk->streams[2]); /* given up */
    talk->streams[2] = NULL;
    talk_flush(talk);
    talk_until(talk, talk->finished[3] && talk->finished[6] && fake_open(world->fake) == 0);
    talk_free(talk);
    until_closed(world);
}

static void ports_are_forwarded_in_websocket_channels(void **state)
{
    struct world *world = *state;
    struct talk *talk = talk_websocket(world, POD "portforward?ports=7&ports=99", "v4.channel.k8s.io");
    talk_until(talk, talk->got[3].length > 2);
    assert_memory_equal(talk->got[0].bytes, "\7\0", 2);
    assert_memory_equal(talk->got[1].bytes, "\7\0", 2);
    assert_memory_equal(talk->got[2].bytes, "\143\0", 2);
    assert_string_equal(talk->got[3].bytes + 2, "error forwarding port 99 to pod web, uid : connection refused");
    talk_say(talk, 0, "echo", 4);
    talk_until(talk, talk->got[0].length == 6);
    assert_memory_equal(talk->got[0].bytes + 2, "echo", 4);
    talk_free(talk);
    until_closed(world);
}

/* ---- proxies */

static void requests_are_passed_on_and_answers_streamed_back(void **state)
{
    static const struct {
        const char *method, *path, *headers, *body;
        int code;
        const char *head, *text;
    } cases[] = {
        {"GET", "pods/web/proxy/a%20b//c/?x=1&y", "X-A: b\r\nAuthorization: Bearer x\r\nX-Forwarded-For: 1.2.3.4\r\nConnection: close, x-a\r\n", NULL, 200, "Server: fake\r\n",
         "GET /a%20b//c/?x=1&y HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\nX-Forwarded-For: 1.2.3.4, 127.0.0.1\r\n"
         "X-Forwarded-Uri: /api/v1/namespaces/kt-streams/pods/web/proxy/a%20b//c/\r\n\r\n"},
        {"PATCH", "pods/web:http/proxy/", "Content-Type: x/y\r\n", "body", 200, "Content-Length: ", NULL},
        {"GET", "services/web:8080/proxy/x", NULL, NULL, 200, "Content-Length: ", NULL},
        {"GET", "services/http:web:http/proxy/x", NULL, NULL, 200, "Content-Length: ", NULL},
        {"DELETE", "pods/web:8081/proxy/", NULL, NULL, 201, "X-A: 1\r\nX-A: 2\r\n", "hello world"},
        {"GET", "pods/web:8083/proxy/", NULL, NULL, 302, "Location: /api/v1/namespaces/kt-streams/pods/web:8083/proxy/there?x=1\r\n", "until the end"},
    };
    struct world *world = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct got got;
        char *path = mem_printf("/api/v1/namespaces/kt-streams/%s", cases[i].path);
        serve_ask(&world->serve, cases[i].method, path, cases[i].headers, cases[i].body, &got);
        assert_int_equal(got.code, cases[i].code);
        assert_non_null(strstr(got.head, cases[i].head));
        if (cases[i].text != NULL)
            assert_string_equal(got.text, cases[i].text);
        got_free(&got);
        mem_free(path);
    }
    struct got got;
    serve_ask(&world->serve, "GET", "/api/v1/namespaces/kt-streams/pods/web:8085/proxy/", NULL, NULL, &got);
    assert_int_equal(got.length, 6 << 20);
    got_free(&got);
    struct line *line = line_open(&world->serve, false, 0);
    line_send(line, "HEAD", "/api/v1/namespaces/kt-streams/pods/web/proxy/", NULL, NULL);
    line_head(line, &got);
    assert_non_null(strstr(got.head, "Content-Length: "));
    got_free(&got);
    line_ask(line, "GET", "/api/v1/namespaces/kt-streams/pods/web/proxy/", NULL, NULL, &got); /* the connection goes on */
    assert_int_equal(got.code, 200);
    got_free(&got);
    line_close(line);
    until_closed(world);
}

static void an_upgrade_is_passed_through(void **state)
{
    struct world *world = *state;
    struct got got;
    struct line *line = line_open(&world->serve, false, 0);
    line_send(line, "GET", "/api/v1/namespaces/kt-streams/pods/web:8082/proxy/", "Connection: Upgrade\r\nUpgrade: thing\r\n", NULL);
    line_head(line, &got);
    assert_int_equal(got.code, 101);
    assert_non_null(strstr(got.head, "Upgrade: thing\r\n"));
    assert_non_null(strstr(got.head, "X-B: 3\r\n"));
    got_free(&got);
    line_write(line, "late", 4);
    while (line->got.length < 10)
        assert_true(line_more(line));
    assert_memory_equal(line->got.bytes, "early late", 10);
    SSL_shutdown(line->ssl); /* our half */
    while (line_more(line))
        ;
    line_close(line);
    until_closed(world);
}

static void a_large_answer_that_nobody_reads_is_bounded(void **state)
{
    struct world *world = *state;
    size_t before = fake_flooded(world->fake);
    struct line *line = line_open(&world->serve, false, 64 * 1024);
    line_send(line, "GET", "/api/v1/namespaces/kt-streams/pods/web:8085/proxy/", NULL, NULL);
    for (int i = 0; i < 200; i++)
        loop_once(world->serve.loop, 1);
    assert_true(fake_flooded(world->fake) - before < 6 << 20);
    line_close(line);
    until_closed(world);
}

static void a_kubelet_s_own_paths_are_answered(void **state)
{
    struct world *world = *state;
    struct got got;
    serve_ask(&world->serve, "GET", "/api/v1/nodes/node1/proxy/pods", NULL, NULL, &got);
    assert_int_equal(got.code, 200);
    assert_int_equal(value_length(value_get(got.json, "items")), 2);
    got_free(&got);
    serve_ask(&world->serve, "GET", "/api/v1/nodes/node1/proxy/stats/summary", NULL, NULL, &got);
    assert_int_equal(value_find_int(got.json, 0, "node", "memory", "workingSetBytes", NULL), 512 << 20);
    assert_int_equal(value_length(value_get(got.json, "pods")), 2);
    got_free(&got);
}

/* ---- memory */

static void use_everything(void *argument)
{
    struct world *world = argument;
    static const char *const paths[] = {POD "log?container=side", "/api/v1/namespaces/kt-streams/pods/web:80/proxy/x", POD "exec?container=side&command=echo&command=a&stdout=1", POD "portforward?ports=7"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct line *line = line_open(&world->serve, false, 0);
        line_send(line, "GET", paths[i], i > 1 ? WEBSOCKET "Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n" : NULL, NULL);
        for (int n = 0; n < 6; n++)
            loop_once(world->serve.loop, 1);
        line_close(line);
        for (int n = 0; n < 4; n++)
            loop_once(world->serve.loop, 1);
    }
}

static void every_allocation_may_fail(void **state)
{
    struct world *world = *state;
    use_everything(world);
    for (int nth = 1; nth < 3000; nth += 1 + nth / 10) { /* most are OpenSSL's */
        struct line *line = line_open(&world->serve, false, 0);
        size_t which = (size_t)nth % 4;
        static const char *const paths[] = {POD "log?container=side", "/api/v1/namespaces/kt-streams/pods/web:80/proxy/x", POD "exec?container=side&command=cat&stdin=1&stdout=1", POD "portforward?ports=7"};
        for (int n = 0; n < 3; n++)
            loop_once(world->serve.loop, 1);
        line_send(line, "GET", paths[which], which > 1 ? WEBSOCKET "Sec-WebSocket-Protocol: v5.channel.k8s.io, v4.channel.k8s.io\r\n" : NULL, NULL);
        mem_fail_at(nth % 160 + 1);
        for (int n = 0; n < 8; n++)
            loop_once(world->serve.loop, 1);
        mem_fail_at(0);
        line_close(line);
        until_closed(world);
    }
}

int test_connect(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_is_refused_in_the_real_words),
        cmocka_unit_test(without_a_backend_the_paths_are_answered_as_before),
        cmocka_unit_test(a_right_to_get_is_no_right_to_upgrade),
        cmocka_unit_test(usage_is_told_as_metrics),
        cmocka_unit_test(logs_are_read_and_followed),
        cmocka_unit_test(a_log_that_nobody_reads_waits_in_its_place),
        cmocka_unit_test(exec_tells_output_and_end_in_each_protocol_s_way),
        cmocka_unit_test(input_goes_in_and_its_half_can_be_closed),
        cmocka_unit_test(a_terminal_has_sizes_and_no_stream_of_errors),
        cmocka_unit_test(much_input_comes_back_whole),
        cmocka_unit_test(output_that_nobody_reads_is_bounded),
        cmocka_unit_test(input_that_nobody_takes_is_bounded_and_the_client_may_vanish),
        cmocka_unit_test(attach_is_to_the_first_process),
        cmocka_unit_test(a_backend_that_goes_ends_what_is_open),
        cmocka_unit_test(exec_works_by_spdy_and_waits_for_its_streams),
        cmocka_unit_test(ports_are_forwarded_by_spdy_many_at_a_time),
        cmocka_unit_test(ports_are_forwarded_in_websocket_channels),
        cmocka_unit_test(requests_are_passed_on_and_answers_streamed_back),
        cmocka_unit_test(an_upgrade_is_passed_through),
        cmocka_unit_test(a_large_answer_that_nobody_reads_is_bounded),
        cmocka_unit_test(a_kubelet_s_own_paths_are_answered),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("connect", tests, open_world, close_world);
}
