#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/units.h"
#include "kube/heard.h"
#include "kube/server.h"
#include "kube/tls.h"

static char folder[] = "/tmp/kubetutor-test-tls-XXXXXX";
static struct loop *loop;
static struct server *server;
static struct kube_client *client;
static struct heard heard;

enum { DAY = 86400 };

static int make_certificates(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    struct tls_maker *ca = tls_maker_new(folder, "ca"), *other = tls_maker_new(folder, "other");
    tls_make(ca, "server", "IP:127.0.0.1,DNS:localhost", -DAY, DAY);
    tls_make(ca, "expired", "IP:127.0.0.1", -2 * DAY, -DAY);
    tls_make(ca, "early", "IP:127.0.0.1", DAY / 2, DAY);
    tls_make(ca, "elsewhere", "DNS:kubernetes.default.svc,IP:10.0.0.1", -DAY, DAY);
    tls_make(ca, "client", NULL, -DAY, DAY);
    tls_make(ca, "old-client", NULL, -2 * DAY, -DAY);
    tls_make(other, "stranger", NULL, -DAY, DAY);
    tls_maker_free(ca);
    tls_maker_free(other);
    return 0;
}

static int drop_certificates(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static int begin(void **state)
{
    (void)state;
    memset(&heard, 0, sizeof heard);
    loop = loop_new(NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    kube_client_free(client);
    client = NULL;
    server_free(server);
    server = NULL;
    loop_free(loop);
    return 0;
}

static const char *path_of(const char *name, const char *more)
{
    static char paths[4][1024];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s%s.pem", folder, name, more);
    return path;
}

static void serve(const char *certificate, bool ask_client)
{
    struct server_tls tls = {.certificate = path_of(certificate, ""), .key = path_of(certificate, "-key"), .client_ca = ask_client ? path_of("ca", "") : NULL};
    server = server_new(loop, &tls);
    server_answer(server, "GET", "/x", 200, NULL, "{}");
}

static void ask(const char *cluster, const char *user)
{
    client = client_for(loop, server_url(server), cluster, user);
    get(client, "/x", &heard);
}

static const char *with_ca(const char *name)
{
    static char text[1024];
    snprintf(text, sizeof text, "certificate-authority: '%s'", path_of(name, ""));
    return text;
}

static const char *with_certificate(const char *certificate, const char *key)
{
    static char text[2048];
    snprintf(text, sizeof text, "client-certificate: '%s', client-key: '%s'", path_of(certificate, ""), path_of(key, "-key"));
    return text;
}

static void fails(enum error_kind kind, const char *words)
{
    assert_false(heard.ok);
    if (heard.error.kind != kind || strstr(heard.error.message, words) == NULL)
        fail_msg("kind %d, \"%s\", cause \"%s\"", heard.error.kind, heard.error.message, heard.error.cause);
    assert_true(strlen(heard.error.cause) > 0);
    assert_int_equal(server_log(server)->length, 0); /* no request, no credentials went out */
}

static void a_server_with_the_right_certificate_is_believed(void **state)
{
    (void)state;
    serve("server", false);
    ask(with_ca("ca"), "token: t");
    assert_true(heard.ok);
    assert_int_equal(kube_client_warnings(client)->length, 0);
}

static void an_expired_certificate_is_told_as_that(void **state)
{
    (void)state;
    serve("expired", false);
    ask(with_ca("ca"), "token: t");
    fails(ERROR_UNREACHABLE, "has expired; it must be renewed (or this machine's clock is wrong)");
}

static void a_certificate_of_the_future_is_told_as_that(void **state)
{
    (void)state;
    serve("early", false);
    ask(with_ca("ca"), "token: t");
    fails(ERROR_UNREACHABLE, "is not valid yet");
}

static void a_certificate_for_another_name_is_told_as_that(void **state)
{
    (void)state;
    serve("elsewhere", false);
    ask(with_ca("ca"), "token: t");
    fails(ERROR_UNREACHABLE, "is made for another host name");
}

static void another_authority_is_told_as_that(void **state)
{
    (void)state;
    serve("server", false);
    ask(with_ca("other"), "token: t");
    fails(ERROR_UNREACHABLE, "signed by an authority that the kubeconfig does not name");
}

static void without_an_authority_the_systems_are_asked(void **state)
{
    (void)state;
    serve("server", false);
    ask("", "token: t");
    fails(ERROR_UNREACHABLE, "signed by an authority that the kubeconfig does not name");
}

static void look_at_host(void *data, struct exchange *x)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "127.0.0.1:%u", server_port(data));
    assert_string_equal(exchange_header(x, "Host"), wanted);
    exchange_reply(x, 200, NULL, "{}");
}

static void tls_server_name_says_which_name_counts(void **state)
{
    (void)state;
    char cluster[2048];
    serve("elsewhere", false);
    server_on(server, "GET", "/x", look_at_host, server);
    snprintf(cluster, sizeof cluster, "%s, tls-server-name: kubernetes.default.svc", with_ca("ca"));
    ask(cluster, "token: t");
    assert_true(heard.ok);
}

static void a_wrong_tls_server_name_is_refused(void **state)
{
    (void)state;
    char cluster[2048];
    serve("server", false);
    snprintf(cluster, sizeof cluster, "%s, tls-server-name: kubernetes.default.svc", with_ca("ca"));
    ask(cluster, "token: t");
    fails(ERROR_UNREACHABLE, "is made for another host name");
}

static void skipping_verification_works_and_warns(void **state)
{
    (void)state;
    serve("expired", false);
    ask("insecure-skip-tls-verify: true", "token: t");
    assert_true(heard.ok);
    assert_int_equal(kube_client_warnings(client)->length, 1);
    assert_non_null(strstr(kube_client_warnings(client)->items[0], "insecure-skip-tls-verify"));
}

static void a_client_certificate_opens_the_door(void **state)
{
    (void)state;
    serve("server", true);
    ask(with_ca("ca"), with_certificate("client", "client"));
    assert_true(heard.ok);
}

static void a_missing_client_certificate_is_told_as_that(void **state)
{
    (void)state;
    serve("server", true);
    ask(with_ca("ca"), "token: t");
    fails(ERROR_UNAUTHENTICATED, "asks for a client certificate");
}

static void an_expired_client_certificate_is_told_as_that(void **state)
{
    (void)state;
    serve("server", true);
    ask(with_ca("ca"), with_certificate("old-client", "old-client"));
    fails(ERROR_UNAUTHENTICATED, "refuses our client certificate: it has expired");
}

static void a_client_certificate_of_somebody_else_is_refused(void **state)
{
    (void)state;
    serve("server", true);
    ask(with_ca("ca"), with_certificate("stranger", "stranger"));
    fails(ERROR_UNAUTHENTICATED, "refuses our client certificate");
}

static void a_certificate_and_a_key_that_do_not_fit_are_found_out(void **state)
{
    (void)state;
    serve("server", true);
    ask(with_ca("ca"), with_certificate("client", "stranger"));
    fails(ERROR_INPUT, "do they belong together?");
}

static void a_plain_server_that_is_taken_for_a_secure_one_is_told_as_that(void **state)
{
    (void)state;
    char url[64];
    server = server_new(loop, NULL);
    snprintf(url, sizeof url, "https://127.0.0.1:%u", server_port(server));
    client = client_for(loop, url, "", "token: t");
    get(client, "/x", &heard);
    fails(ERROR_UNREACHABLE, "does not speak TLS: should the kubeconfig say http://");
}

static void a_secure_server_that_is_taken_for_a_plain_one_is_told_as_that(void **state)
{
    (void)state;
    char url[64];
    serve("server", false);
    snprintf(url, sizeof url, "http://127.0.0.1:%u", server_port(server));
    client = client_for(loop, url, "", "");
    get(client, "/x", &heard);
    fails(ERROR_UNREACHABLE, "should the kubeconfig say https:// instead of http://?");
}

static char *one_line(const char *name, const char *more)
{
    char *text = file_read(path_of(name, more), 10000, NULL, NULL), *json = malloc(20000), *to = json;
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\n')
            *to++ = '\\', *to++ = 'n';
        else
            *to++ = *c;
    }
    *to = '\0';
    mem_free(text);
    return json;
}

static void a_plugin_can_give_a_client_certificate(void **state)
{
    (void)state;
    char script[40000], user[2048];
    char *certificate = one_line("client", ""), *key = one_line("client", "-key");
    snprintf(script, sizeof script, "#!/bin/sh\ncat <<'END'\n{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":"
             "{\"clientCertificateData\":\"%s\",\"clientKeyData\":\"%s\"}}\nEND\n", certificate, key);
    free(certificate);
    free(key);
    assert_true(file_write(path_of("plugin", ""), script, strlen(script), 0700, NULL));
    snprintf(user, sizeof user, "exec: {apiVersion: client.authentication.k8s.io/v1, command: '%s', interactiveMode: Never}", path_of("plugin", ""));
    serve("server", true);
    ask(with_ca("ca"), user);
    assert_true(heard.ok);
}

static void certificates_can_stand_in_the_kubeconfig_itself(void **state)
{
    (void)state;
    char *text = file_read(path_of("ca", ""), 10000, NULL, NULL), cluster[8192];
    char *encoded = base64_encode(text, strlen(text));
    snprintf(cluster, sizeof cluster, "certificate-authority-data: %s", encoded);
    mem_free(text);
    mem_free(encoded);
    serve("server", false);
    ask(cluster, "token: t");
    assert_true(heard.ok);
}

int test_client_tls(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(a_server_with_the_right_certificate_is_believed),
        CASE(an_expired_certificate_is_told_as_that),
        CASE(a_certificate_of_the_future_is_told_as_that),
        CASE(a_certificate_for_another_name_is_told_as_that),
        CASE(another_authority_is_told_as_that),
        CASE(without_an_authority_the_systems_are_asked),
        CASE(tls_server_name_says_which_name_counts),
        CASE(a_wrong_tls_server_name_is_refused),
        CASE(skipping_verification_works_and_warns),
        CASE(a_client_certificate_opens_the_door),
        CASE(a_missing_client_certificate_is_told_as_that),
        CASE(an_expired_client_certificate_is_told_as_that),
        CASE(a_client_certificate_of_somebody_else_is_refused),
        CASE(a_certificate_and_a_key_that_do_not_fit_are_found_out),
        CASE(a_plain_server_that_is_taken_for_a_secure_one_is_told_as_that),
        CASE(a_secure_server_that_is_taken_for_a_plain_one_is_told_as_that),
        CASE(a_plugin_can_give_a_client_certificate),
        CASE(certificates_can_stand_in_the_kubeconfig_itself),
    };
    return cmocka_run_group_tests_name("kube/client: TLS", tests, make_certificates, drop_certificates);
}
