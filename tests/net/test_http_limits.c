/* What hostile, slow and numerous clients can do, and what a lack of memory or descriptors does. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing.h"
#include "net/web.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: localhost\r\n\r\n"

/* A TCP connection without TLS. */
static int connect_raw(const struct web *web)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(http_server_port(web->server)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

static void a_head_that_comes_too_slowly_is_answered_408(void **state)
{
    (void)state;
    struct web *web = web_new();
    web->options.head_ms = 300;
    web_start(web);
    struct client *client = client_new(web, NULL);
    client_ask(client, GET("/"), 200, NULL);
    client_say(client, "G");
    int64_t began = web_now();
    while (!client->ended) { /* a byte now and then does not help */
        client_say(client, "E");
        loop_once(web->loop, 20);
        client_poll(client);
        assert_true(web_now() - began < LONG_MS);
    }
    assert_true(web_now() - began >= 290);
    assert_int_equal(strncmp(client->got.bytes, "HTTP/1.1 408 Request Timeout\r\n", 30), 0);
    assert_int_equal(web->requests, 1);
    client_free(client);
    web_free(web);
}

static void a_handshake_that_does_not_come_is_cut_off(void **state)
{
    (void)state;
    struct web *web = web_new();
    web->options.head_ms = 100;
    web_start(web);
    int fd = connect_raw(web);
    web_until(web, http_server_connections(web->server) == 1);
    web_until(web, http_server_connections(web->server) == 0);
    char byte;
    assert_int_equal(recv(fd, &byte, 1, 0), 0);
    close(fd);
    web_free(web);
}

static void an_idle_connection_is_closed_in_order(void **state)
{
    (void)state;
    struct web *web = web_new();
    web->options.idle_ms = 200;
    web_start(web);
    struct client *used = client_new(web, NULL), *unused = client_new(web, NULL);
    client_ask(used, GET("/"), 200, NULL);
    client_drain(used);
    client_drain(unused);
    assert_true(used->orderly && unused->orderly);
    assert_int_equal(used->got.length + unused->got.length, 0);
    client_free(used);
    client_free(unused);
    web_until(web, http_server_connections(web->server) == 0);
    web_free(web);
}

static void a_body_may_take_long_but_not_pause_for_long(void **state)
{
    (void)state;
    struct web *web = web_new();
    web->options.body_ms = 1500;
    web->options.head_ms = 500;
    web_start(web);
    struct client *client = client_new(web, NULL);
    client_say(client, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
    int64_t began = web_now();
    for (int i = 1; i <= 5; i++) {
        while (web_now() < began + 400 * i)
            loop_once(web->loop, 10);
        client_say(client, "x");
    }
    client_until(client, "POST /? xxxxx");
    client_say(client, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab");
    began = web_now();
    client_drain(client);
    assert_true(web_now() - began >= 1400);
    assert_non_null(strstr(client->got.bytes, "HTTP/1.1 408 "));
    client_free(client);
    web_free(web);
}

/* An answer takes as long as it takes. */
static void no_time_out_runs_while_the_handler_thinks(void **state)
{
    (void)state;
    struct web *web = web_new();
    web->options.body_ms = web->options.head_ms = web->options.idle_ms = web->options.write_ms = 50;
    web->handler = web_hold;
    web_start(web);
    struct client *client = client_new(web, NULL);
    client_say(client, GET("/"));
    web_until(web, web->held != NULL);
    int64_t began = web_now();
    web_until(web, web_now() - began > 300);
    web_echo(web, web->held);
    assert_non_null(client_until(client, "GET /? "));
    client_free(client);
    web_free(web);
}

static void thousands_of_connections_are_held_and_beyond_the_maximum_silent_ones_give_way(void **state)
{
    (void)state;
    enum { SILENT = 2000, HELD = 1000 };
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    limit = before;
    limit.rlim_cur = limit.rlim_max < 2 * SILENT ? limit.rlim_max : 2 * SILENT;
    setrlimit(RLIMIT_NOFILE, &limit);
    int silent = limit.rlim_cur >= 2 * SILENT ? SILENT : (int)limit.rlim_cur / 3, held = silent / 2, *fds = calloc(SILENT, sizeof *fds);
    struct web *web = web_new();
    web->options.connections_maximum = (size_t)held + 1;
    web_start(web);
    struct client *first = client_new(web, NULL);
    for (int i = 0; i < held; i++) {
        fds[i] = connect_raw(web);
        if (i % 64 == 0)
            loop_once(web->loop, 0);
    }
    web_until(web, http_server_connections(web->server) == (size_t)held + 1);
    for (int i = held; i < silent && i < held + 900; i++) /* as many as the kernel's queue takes */
        fds[i] = connect_raw(web);
    struct client *late = client_new(web, NULL); /* behind them all, and in time: the first of them were cut off */
    client_ask(late, GET("/late"), 200, "GET /late? ");
    client_ask(first, GET("/first"), 200, "GET /first? "); /* who asks for something is not in their way */
    assert_int_equal(http_server_connections(web->server), held + 1);
    for (int i = 0; i < silent; i++)
        if (fds[i] > 0)
            close(fds[i]);
    web_until(web, http_server_connections(web->server) == 2);
    client_free(first);
    client_free(late);
    web_free(web);
    free(fds);
    setrlimit(RLIMIT_NOFILE, &before);
}

static void where_all_are_busy_a_new_connection_waits_until_one_is_not(void **state)
{
    (void)state;
    struct web *web = web_new();
    web->options.connections_maximum = 1;
    web->handler = web_hold;
    web_start(web);
    struct client *busy = client_new(web, NULL);
    client_say(busy, GET("/busy"));
    web_until(web, web->held != NULL);
    int late = connect_raw(web);
    for (int i = 0; i < 20; i++)
        loop_once(web->loop, 5);
    assert_int_equal(http_server_connections(web->server), 1);
    web_echo(web, web->held); /* and is silent from now on */
    assert_non_null(client_until(busy, "GET /busy? "));
    while (!busy->ended && !busy->failed)
        (void)client_until(busy, "never");
    assert_int_equal(http_server_connections(web->server), 1);
    close(late);
    client_free(busy);
    web_free(web);
}

static void bodies_that_do_not_end_hold_no_more_than_a_bound_together(void **state)
{
    (void)state;
    enum { CLIENTS = 80, PART = 3000000 }; /* 240 MB */
    struct web *web = web_new();
    web_start(web);
    struct client *clients[CLIENTS];
    char *part = malloc(PART);
    memset(part, ' ', PART);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = client_new(web, NULL);
        client_say(clients[i], "POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 3000001\r\n\r\n");
        client_send(clients[i], part, PART);
        for (int round = 0; round < 100; round++) /* what the kernel still holds of it */
            loop_once(web->loop, 0);
    }
    struct client *other = client_new(web, NULL);
    client_ask(other, GET("/other"), 200, "GET /other? ");
    size_t left = http_server_connections(web->server);
    assert_in_range(left, 60, 70); /* those who came first paused longest */
    client_say(clients[CLIENTS - 1], "x");
    assert_non_null(client_until(clients[CLIENTS - 1], "HTTP/1.1 200"));
    client_say(clients[0], "x");
    assert_null(client_until(clients[0], "HTTP/1.1 200"));
    for (int i = 0; i < CLIENTS; i++)
        client_free(clients[i]);
    client_free(other);
    free(part);
    web_free(web);
}

/* Rounds that the loop makes in this time. */
static int rounds_in(struct web *web, int64_t ms)
{
    int rounds = 0;
    for (int64_t end = web_now() + ms, left; (left = end - web_now()) > 0; rounds++)
        loop_once(web->loop, left);
    return rounds;
}

static void a_lack_of_descriptors_burns_no_time_and_passes(void **state)
{
    (void)state;
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct web *web = web_new();
    web_start(web);
    struct client *first = client_new(web, NULL);
    int waiting[3];
    for (size_t i = 0; i < 3; i++)
        waiting[i] = connect_raw(web);
    limit = before;
    limit.rlim_cur = (rlim_t)waiting[2] + 1; /* the next number is one too many */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_true(rounds_in(web, 500) < 30);
    assert_int_equal(http_server_connections(web->server), 1);
    client_ask(first, GET("/"), 200, "GET /? ");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    web_until(web, http_server_connections(web->server) == 4);
    for (size_t i = 0; i < 3; i++)
        close(waiting[i]);
    client_free(first);
    web_free(web);
}

static enum http_more wait_for_ever(void *data, struct http_request *request)
{
    (void)data, (void)request;
    return HTTP_WAIT;
}

static void nothing(void *data)
{
    (void)data;
}

static void watch(struct web *web, struct http_request *request)
{
    static const struct http_source source = {.more = wait_for_ever, .closed = nothing};
    if (strcmp(http_path(request), "/plain") == 0)
        web_echo(web, request);
    else
        http_stream(request, 200, "application/json", false, &source, web);
}

static void idle_connections_and_silent_streams_burn_no_time(void **state)
{
    (void)state;
    struct web *web = web_new();
    web->handler = watch;
    web_start(web);
    struct client *idle = client_new(web, NULL), *watcher = client_new(web, NULL), *half = client_new(web, NULL);
    client_ask(idle, GET("/plain"), 200, NULL);
    client_say(watcher, GET("/"));
    client_until(watcher, "\r\n\r\n");
    client_say(half, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc");
    rounds_in(web, 50);
    assert_true(rounds_in(web, 500) < 10);
    client_free(idle);
    client_free(watcher);
    client_free(half);
    web_free(web);
}

/* Sends as much as the server takes without reading anything; says how much that was. */
static size_t send_blindly(struct client *client, const char *text, size_t most)
{
    struct buf many = buf_make(1 << 20);
    for (int i = 0; i < 1000; i++)
        buf_append_string(&many, text);
    size_t total = 0, written;
    for (int stuck = 0; total < most && stuck < 100;) {
        size_t at = total % many.length;
        if (SSL_write_ex(client->ssl, many.bytes + at, many.length - at, &written) == 1) {
            total += written;
            stuck = 0;
        } else
            stuck++;
        loop_once(client->web->loop, stuck > 0);
    }
    buf_free(&many);
    return total;
}

static void large(struct web *web, struct http_request *request)
{
    static char body[64 * 1024];
    (void)web;
    http_answer(request, 200, "image/png", body, sizeof body);
}

static void who_pipelines_and_reads_nothing_is_no_longer_read_from(void **state)
{
    (void)state;
    struct web *web = web_new();
    web->handler = large;
    web_start(web);
    struct client *client = client_new(web, &(struct client_options){.certificate = true, .receive_buffer = 4096});
    size_t taken = send_blindly(client, GET("/"), 64 << 20);
    assert_true(taken < 16 << 20); /* what the kernel's buffers hold */
    assert_true(web->requests < 200);
    int requests = web->requests;
    char bytes[16384];
    size_t length;
    int64_t end = web_now() + LONG_MS;
    while (web->requests < requests + 20) { /* it goes on when it is read from */
        SSL_read_ex(client->ssl, bytes, sizeof bytes, &length);
        loop_once(web->loop, 0);
        assert_true(web_now() < end);
    }
    client_free(client);
    web_until(web, http_server_connections(web->server) == 0);
    web_free(web);
}

static void requests_behind_an_unanswered_one_are_bounded(void **state)
{
    (void)state;
    struct web *web = web_new();
    web->handler = web_hold;
    web_start(web);
    struct client *client = client_new(web, NULL);
    assert_true(send_blindly(client, GET("/"), 64 << 20) < 16 << 20);
    assert_int_equal(web->requests, 1);
    web->handler = web_echo;
    struct http_request *request = web->held;
    web->held = NULL;
    web_echo(web, request);
    web_until(web, web->requests > 3000); /* all that had come */
    client_free(client);
    web_until(web, http_server_connections(web->server) == 0);
    web_free(web);
}

/* --- no memory --- */

static void answer_or_stream(struct web *web, struct http_request *request);

struct stream {
    size_t left;
};

static enum http_more more(void *data, struct http_request *request)
{
    static char bytes[32 * 1024];
    struct stream *stream = data;
    http_write(request, bytes, sizeof bytes);
    stream->left -= sizeof bytes;
    return stream->left > 0 ? HTTP_MORE : HTTP_DONE;
}

static int opened, closed;

static void close_stream(void *data)
{
    closed++;
    free(data);
}

static void answer_or_stream(struct web *web, struct http_request *request)
{
    static const struct http_source source = {.more = more, .closed = close_stream};
    if (strcmp(http_path(request), "/plain") == 0) {
        http_add_header(request, "X-Twice", http_header(request, "Twice"));
        http_answer(request, 200, "text/plain", http_method(request), 4);
        return;
    }
    (void)web;
    struct stream *stream = malloc(sizeof *stream);
    stream->left = 320 * 1024;
    opened++;
    http_stream(request, 200, "text/plain", true, &source, stream);
}

/* In a process of its own, so that what fails is the server's alone: for each byte from `go` connects, says `ready`, waits for another byte, asks twice, reads to
 * the end, says `done`. */
static void ask_for_ever(const struct web *web, int go, int done)
{
    static const char text[] = "POST /plain HTTP/1.1\r\nHost: a\r\nTwice: a\r\nTwice: b\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
                               "GET /stream HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n";
    struct timeval longest = {.tv_sec = 10};
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    char byte, bytes[4096];
    signal(SIGPIPE, SIG_IGN);
    while (read(go, &byte, 1) == 1) {
        int fd = connect_raw(web);
        fcntl(fd, F_SETFL, 0);
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
        SSL *ssl = SSL_new(context);
        SSL_set_fd(ssl, fd);
        bool open = SSL_connect(ssl) == 1;
        if (write(done, "r", 1) != 1 || read(go, &byte, 1) != 1)
            break;
        size_t heard = 0;
        if (open && SSL_write(ssl, text, sizeof text - 1) > 0)
            for (int length; (length = SSL_read(ssl, bytes, sizeof bytes)) > 0;)
                heard += (size_t)length;
        SSL_free(ssl);
        close(fd);
        byte = heard > 1000 ? 'y' : 'n';
        if (write(done, &byte, 1) != 1)
            break;
    }
    _exit(0);
}

static char wait_for_word(struct web *web, int fd)
{
    char word = '\0';
    web_until(web, read(fd, &word, 1) == 1);
    return word;
}

struct asker {
    pid_t pid;
    int go, done;
};

static struct asker start_asker(const struct web *web)
{
    int go[2], done[2];
    assert_true(pipe(go) == 0 && pipe(done) == 0);
    struct asker asker = {.pid = fork(), .go = go[1], .done = done[0]};
    if (asker.pid == 0) {
        close(go[1]);
        close(done[0]);
        ask_for_ever(web, go[0], done[1]);
    }
    close(go[0]);
    close(done[1]);
    fcntl(asker.done, F_SETFL, O_NONBLOCK);
    return asker;
}

static void end_asker(struct asker *asker)
{
    close(asker->go);
    waitpid(asker->pid, NULL, 0);
    close(asker->done);
}

static void every_allocation_of_a_request_may_fail(void **state)
{
    (void)state;
    struct web *web = web_new();
    web->handler = answer_or_stream;
    web->options.client_authority = NULL;
    web->options.head_ms = web->options.body_ms = web->options.write_ms = 500; /* what cannot even be noted ends by time */
    web_start(web);
    struct asker asker = start_asker(web);
    int nth = 1;
    for (bool reached = true; reached; nth++) {
        assert_int_equal(write(asker.go, "c", 1), 1);
        assert_int_equal(wait_for_word(web, asker.done), 'r');
        mem_fail_at(nth);
        assert_int_equal(write(asker.go, "a", 1), 1);
        char word = wait_for_word(web, asker.done);
        reached = failing_was_reached(nth);
        assert_true(reached || word == 'y');
    }
    assert_true(nth > 20);
    end_asker(&asker);
    web_until(web, http_server_connections(web->server) == 0);
    assert_int_equal(opened, closed);
    web_free(web);
}

static void allocations_of_a_handshake_may_fail(void **state)
{
    (void)state;
    struct web *web = web_new();
    web->handler = answer_or_stream;
    web->options.head_ms = 500;
    web_start(web);
    struct asker asker = start_asker(web);
    int nth = 1;
    for (bool reached = true; reached; nth += 1 + nth / 12) { /* most are OpenSSL's, and much alike */
        mem_fail_at(nth);
        assert_int_equal(write(asker.go, "c", 1), 1);
        assert_int_equal(wait_for_word(web, asker.done), 'r');
        reached = failing_was_reached(nth);
        assert_int_equal(write(asker.go, "a", 1), 1);
        char word = wait_for_word(web, asker.done);
        assert_true(reached || word == 'y');
    }
    assert_true(nth > 100);
    mem_fail_from(1); /* for a while there is none at all */
    assert_int_equal(write(asker.go, "c", 1), 1);
    assert_int_equal(wait_for_word(web, asker.done), 'r');
    mem_fail_at(0);
    assert_int_equal(write(asker.go, "aca", 3), 3);
    assert_int_equal(wait_for_word(web, asker.done), 'n');
    assert_int_equal(wait_for_word(web, asker.done), 'r');
    assert_int_equal(wait_for_word(web, asker.done), 'y');
    end_asker(&asker);
    web_until(web, http_server_connections(web->server) == 0);
    assert_int_equal(opened, closed);
    web_free(web);
}

static void allocations_of_a_start_may_fail(void **state)
{
    (void)state;
    struct web *web = web_new();
    web_start(web);
    http_server_free(web->server);
    web->server = NULL;
    int descriptors = open_descriptors(), nth = 1;
    for (bool reached = true; reached; nth += 1 + nth / 40) {
        struct error err = ERROR_INIT;
        mem_fail_at(nth);
        web->server = http_server_new(web->loop, &web->options, &err);
        reached = failing_was_reached(nth);
        assert_true(web->server != NULL || err.kind != ERROR_NONE);
        assert_true(web->server != NULL || reached);
        http_server_free(web->server);
        web->server = NULL;
        assert_int_equal(open_descriptors(), descriptors);
    }
    assert_true(nth > 20);
    web_free(web);
}

int test_http_limits(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_that_comes_too_slowly_is_answered_408),
        cmocka_unit_test(a_handshake_that_does_not_come_is_cut_off),
        cmocka_unit_test(an_idle_connection_is_closed_in_order),
        cmocka_unit_test(a_body_may_take_long_but_not_pause_for_long),
        cmocka_unit_test(no_time_out_runs_while_the_handler_thinks),
        cmocka_unit_test(thousands_of_connections_are_held_and_beyond_the_maximum_silent_ones_give_way),
        cmocka_unit_test(where_all_are_busy_a_new_connection_waits_until_one_is_not),
        cmocka_unit_test(bodies_that_do_not_end_hold_no_more_than_a_bound_together),
        cmocka_unit_test(a_lack_of_descriptors_burns_no_time_and_passes),
        cmocka_unit_test(idle_connections_and_silent_streams_burn_no_time),
        cmocka_unit_test(who_pipelines_and_reads_nothing_is_no_longer_read_from),
        cmocka_unit_test(requests_behind_an_unanswered_one_are_bounded),
        cmocka_unit_test(every_allocation_of_a_request_may_fail),
        cmocka_unit_test(allocations_of_a_handshake_may_fail),
        cmocka_unit_test(allocations_of_a_start_may_fail),
    };
    return cmocka_run_group_tests_name("http limits", tests, NULL, NULL);
}
