#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "net/web.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: localhost\r\n\r\n"

static void say_who(struct web *web, struct http_request *request)
{
    (void)web;
    const char *const *organizations;
    const char *peer = http_peer(request, &organizations);
    http_answer(request, 200, "text/plain", peer != NULL ? peer : "nobody", strlen(peer != NULL ? peer : "nobody"));
}

static struct web *start(void)
{
    struct web *web = web_new();
    web->handler = say_who;
    web_start(web);
    return web;
}

static void a_client_is_who_its_certificate_says(void **state)
{
    (void)state;
    struct web *web = start();
    struct client *known = client_new(web, NULL), *unknown = client_new(web, &(struct client_options){.certificate = false});
    client_ask(known, GET("/"), 200, "learner");
    client_ask(unknown, GET("/"), 200, "nobody");
    client_ask(known, GET("/"), 200, "learner");
    client_free(known);
    client_free(unknown);
    web_free(web);
}

static void a_certificate_of_another_authority_ends_the_handshake(void **state)
{
    (void)state;
    static const int versions[] = {0, TLS1_2_VERSION};
    for (size_t i = 0; i < 2; i++) {
        struct web *web = start();
        struct client *client = client_new(web, &(struct client_options){.strange = true, .version = versions[i]});
        client_say(client, GET("/"));
        client_drain(client);
        assert_true(client->failed);
        assert_non_null(strstr(client->reason, "alert unknown ca"));
        assert_int_equal(web->requests, 0);
        client_free(client);
        web_until(web, http_server_connections(web->server) == 0);
        web_free(web);
    }
}

static void without_an_authority_no_certificate_is_asked_for(void **state)
{
    (void)state;
    struct web *web = web_new();
    web->handler = say_who;
    web->options.client_authority = NULL;
    web_start(web);
    struct client *client = client_new(web, &(struct client_options){.strange = true});
    client_ask(client, GET("/"), 200, "nobody");
    client_free(client);
    web_free(web);
}

static void sessions_are_resumed_and_the_client_is_still_known(void **state)
{
    (void)state;
    static const int versions[] = {0, TLS1_2_VERSION};
    for (size_t i = 0; i < 2; i++) {
        struct web *web = start();
        struct client *client = client_new(web, &(struct client_options){.certificate = true, .version = versions[i]});
        client_ask(client, GET("/"), 200, "learner");
        assert_false(SSL_session_reused(client->ssl));
        SSL_SESSION *session = SSL_get1_session(client->ssl);
        client_end(client); /* OpenSSL resumes no session that ended without a word */
        client_free(client);
        client = client_new(web, &(struct client_options){.certificate = true, .version = versions[i], .session = session});
        client_ask(client, GET("/"), 200, "learner");
        assert_true(SSL_session_reused(client->ssl));
        SSL_SESSION_free(session);
        client_free(client);
        web_free(web);
    }
}

static void the_protocol_is_http_1_1_or_none(void **state)
{
    (void)state;
    struct web *web = start();
    struct client *client = client_new(web, &(struct client_options){.protocols = "\x02h2\x08http/1.1"});
    const unsigned char *chosen;
    unsigned length;
    SSL_get0_alpn_selected(client->ssl, &chosen, &length);
    assert_int_equal(length, 8);
    assert_memory_equal(chosen, "http/1.1", 8);
    client_ask(client, GET("/"), 200, "nobody");
    client_free(client);
    client = client_new(web, &(struct client_options){.protocols = "\x02h2"});
    assert_true(client->failed);
    assert_non_null(strstr(client->reason, "no application protocol"));
    client_free(client);
    web_free(web);
}

static void versions_before_tls_1_2_are_refused(void **state)
{
    (void)state;
    struct web *web = start();
    struct client *client = client_new(web, &(struct client_options){.version = TLS1_1_VERSION});
    assert_true(client->failed);
    client_free(client);
    web_until(web, http_server_connections(web->server) == 0);
    web_free(web);
}

static void who_speaks_http_without_tls_is_told(void **state)
{
    (void)state;
    struct web *web = start();
    struct client *client = client_new(web, NULL); /* its TLS is not used again */
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_storage to;
    socklen_t length = sizeof to;
    assert_int_equal(getpeername(client->fd, (struct sockaddr *)&to, &length), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, length), 0);
    assert_int_equal(send(fd, "GET /version HTTP/1.1\r\n\r\n", 25, 0), 25);
    char text[256] = "";
    ssize_t got = 0;
    web_until(web, (got = recv(fd, text, sizeof text - 1, MSG_DONTWAIT)) > 0);
    assert_int_equal(strncmp(text, "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n", (size_t)got), 0);
    close(fd);
    client_free(client);
    web_free(web);
}

static void refuse(struct web *web, enum error_kind kind)
{
    struct error err = ERROR_INIT;
    int descriptors = open_descriptors();
    assert_null(http_server_new(web->loop, &web->options, &err));
    assert_int_equal(err.kind, kind);
    assert_true(err.message[0] != '\0');
    assert_int_equal(open_descriptors(), descriptors);
}

static void impossible_options_are_refused(void **state)
{
    (void)state;
    struct web *web = start();
    struct http_options good = web->options;
    static const char *const addresses[] = {"0.0.0.0", "10.0.0.1", "128.0.0.1", "::", "2001:db8::1", "::ffff:127.0.0.1", "localhost", ""};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        web->options.address = addresses[i];
        refuse(web, ERROR_INPUT);
    }
    web->options = good;
    web->options.key = web->client_key_pem; /* another one's */
    refuse(web, ERROR_INPUT);
    web->options.key = "none";
    refuse(web, ERROR_INPUT);
    web->options = good;
    web->options.certificate = "none";
    refuse(web, ERROR_INPUT);
    web->options = good;
    web->options.client_authority = "none";
    refuse(web, ERROR_INPUT);
    web->options = good;
    web->options.port = http_server_port(web->server);
    refuse(web, ERROR_EXISTS);
    web->options = good;
    web->options.address = "127.1.2.3";
    struct http_server *other = http_server_new(web->loop, &web->options, NULL);
    assert_non_null(other);
    http_server_free(other);
    web_free(web);
}

static void the_log_has_a_line_a_request_and_no_secrets(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    struct log log = log_to(file);
    struct web *web = web_new();
    web->options.log = &log;
    web_start(web);
    struct client *client = client_new(web, NULL);
    client_ask(client, GET("/api/v1/pods?watch=true&token=secret&command=rm&limit=5&flag"), 200, NULL);
    client_ask(client, "POST /x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\nContent-Length: 1\r\n\r\nx", 200, NULL);
    char text[1024] = "";
    rewind(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    assert_true(length > 0);
    assert_non_null(strstr(text, "GET /api/v1/pods?watch=true&token=...&command=...&limit=5&flag 200, 65 bytes, "));
    assert_non_null(strstr(text, "POST /x 200, 10 bytes, "));
    assert_null(strstr(text, "secret"));
    client_free(client);
    web_free(web);
    fclose(file);
}

int test_http_tls(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_is_who_its_certificate_says),
        cmocka_unit_test(a_certificate_of_another_authority_ends_the_handshake),
        cmocka_unit_test(without_an_authority_no_certificate_is_asked_for),
        cmocka_unit_test(sessions_are_resumed_and_the_client_is_still_known),
        cmocka_unit_test(the_protocol_is_http_1_1_or_none),
        cmocka_unit_test(versions_before_tls_1_2_are_refused),
        cmocka_unit_test(who_speaks_http_without_tls_is_told),
        cmocka_unit_test(impossible_options_are_refused),
        cmocka_unit_test(the_log_has_a_line_a_request_and_no_secrets),
    };
    return cmocka_run_group_tests_name("http tls", tests, NULL, NULL);
}
