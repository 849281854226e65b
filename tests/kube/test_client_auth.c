#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "kube/exec_plugin.h"
#include "kube/heard.h"
#include "kube/proxy_choice.h"
#include "kube/server.h"

static char folder[] = "/tmp/kubetutor-test-auth-XXXXXX";
static struct loop *loop;
static struct server *server;
static struct kube_client *client;
static struct heard heard;
static char authorization[4096], impersonation[4096]; /* of the last request */

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int drop_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* "good" in the Authorization header is right, all else 401. */
static void judge(void *data, struct exchange *x)
{
    static const char *const names[] = {"Impersonate-User", "Impersonate-Uid", "Impersonate-Group", "Impersonate-Extra-reason%2Fof"};
    (void)data;
    const char *value = exchange_header(x, "Authorization");
    snprintf(authorization, sizeof authorization, "%s", value != NULL ? value : "none");
    impersonation[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        value = exchange_header(x, names[i]);
        snprintf(impersonation + strlen(impersonation), sizeof impersonation - strlen(impersonation), "%s|", value != NULL ? value : "-");
    }
    bool good = strstr(authorization, "good") != NULL;
    exchange_reply(x, good ? 200 : 401, NULL, good ? "{}" : "{\"kind\":\"Status\",\"message\":\"Unauthorized\",\"code\":401}");
}

static int begin(void **state)
{
    (void)state;
    memset(&heard, 0, sizeof heard);
    loop = loop_new(NULL);
    server = server_new(loop, NULL);
    server_on(server, NULL, "/*", judge, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    kube_client_free(client);
    client = NULL;
    server_free(server);
    loop_free(loop);
    return 0;
}

static void ask(const char *user)
{
    kube_client_free(client);
    client = client_for(loop, server_url(server), "", user);
    get(client, "/x", &heard);
}

static char *path_of(const char *name)
{
    static char path[4][1024];
    static unsigned turn;
    char *one = path[turn++ % 4];
    snprintf(one, sizeof path[0], "%s/%s", folder, name);
    return one;
}

static char *write_file(const char *name, const char *text, unsigned mode)
{
    char *path = path_of(name);
    assert_true(file_write(path, text, strlen(text), mode, NULL));
    return path;
}

/* A plugin that is a shell script; each run adds a line to "runs". */
static char *user_with_plugin(const char *script, const char *more)
{
    static char user[8192];
    char text[4096];
    snprintf(text, sizeof text, "#!/bin/sh\necho run >> '%s'\n%s\n", path_of("runs"), script);
    char *path = write_file("plugin", text, 0700);
    unlink(path_of("runs"));
    snprintf(user, sizeof user, "exec: {apiVersion: client.authentication.k8s.io/v1, command: '%s', interactiveMode: Never%s%s}", path,
             more[0] != '\0' ? ", " : "", more);
    return user;
}

static unsigned runs(void)
{
    size_t length = 0;
    char *text = file_read(path_of("runs"), 100000, &length, NULL);
    mem_free(text);
    return (unsigned)(length / 4);
}

#define TOKEN(token, more) \
    "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"" token "\"" more "}}'"

static void what_the_kubeconfig_gives_is_sent(void **state)
{
    (void)state;
    ask("token: good");
    assert_true(heard.ok);
    assert_string_equal(authorization, "Bearer good");
    assert_string_equal(impersonation, "-|-|-|-|");
    ask("username: jane, password: 's:p'");
    assert_string_equal(authorization, "Basic amFuZTpzOnA=");
    assert_int_equal(heard.error.kind, ERROR_UNAUTHENTICATED);
    assert_int_equal(heard.code, 401);
    ask("token: good, as: jane, as-uid: '7', as-groups: [dev], as-user-extra: {Reason/Of: [x]}");
    assert_string_equal(impersonation, "jane|7|dev|x|");
}

static void a_token_file_that_changed_is_read_again(void **state)
{
    (void)state;
    char user[2048];
    snprintf(user, sizeof user, "tokenFile: '%s'", write_file("token", "good-1\n", 0600));
    ask(user);
    assert_string_equal(authorization, "Bearer good-1");
    write_file("token", "good-2", 0600);
    get(client, "/x", &heard);
    assert_string_equal(authorization, "Bearer good-2");
    write_file("token", "two\nlines", 0600); /* nonsense: the last good one stays in use */
    get(client, "/x", &heard);
    assert_string_equal(authorization, "Bearer good-2");
    unlink(path_of("token"));
    get(client, "/x", &heard);
    assert_true(heard.ok);
}

static void refused_credentials_are_fetched_again_once(void **state)
{
    (void)state;
    char user[2048];
    snprintf(user, sizeof user, "tokenFile: '%s'", write_file("token", "bad", 0600));
    ask(user);
    assert_int_equal(heard.error.kind, ERROR_UNAUTHENTICATED);
    assert_int_equal(server_log(server)->length, 2);
    ask("token: bad"); /* nothing to be fetched */
    assert_int_equal(server_log(server)->length, 3);
}

static void a_plugin_is_run_once_for_many_requests(void **state)
{
    (void)state;
    static struct heard many[5];
    memset(many, 0, sizeof many);
    client = client_for(loop, server_url(server), "", user_with_plugin("test \"$1\" = eks && test \"$PROFILE\" = dev && " TOKEN("good", ""), "args: [eks], env: [{name: PROFILE, value: dev}]"));
    for (int i = 0; i < 5; i++)
        assert_non_null(kube_send(client, &(struct kube_request){.method = "GET", .path = "/x"}, NULL, heard_done, &many[i], NULL));
    for (int i = 0; i < 5; i++) {
        until(client, &many[i].done);
        assert_true(many[i].ok);
    }
    get(client, "/x", &heard);
    assert_true(heard.ok);
    assert_string_equal(authorization, "Bearer good");
    assert_int_equal(runs(), 1);
}

static void a_plugin_is_told_what_it_may_know(void **state)
{
    (void)state;
    char script[1024];
    snprintf(script, sizeof script, "echo \"$KUBERNETES_EXEC_INFO\" > '%s'; " TOKEN("good", ""), path_of("info"));
    ask(user_with_plugin(script, "provideClusterInfo: true"));
    assert_true(heard.ok);
    char *info = file_read(path_of("info"), 10000, NULL, NULL);
    char wanted[512];
    snprintf(wanted, sizeof wanted, "\"spec\":{\"interactive\":false,\"cluster\":{\"server\":\"%s\"}}", server_url(server));
    assert_non_null(strstr(info, "\"kind\":\"ExecCredential\""));
    assert_non_null(strstr(info, wanted));
    mem_free(info);
}

static void credentials_that_expire_are_fetched_again(void **state)
{
    (void)state;
    ask(user_with_plugin(TOKEN("good", ",\"expirationTimestamp\":\"2001-01-01T00:00:00Z\""), "")); /* used all the same, for a second */
    assert_true(heard.ok);
    assert_int_equal(runs(), 1);
    struct timespec second = {.tv_sec = 1, .tv_nsec = 50000000};
    nanosleep(&second, NULL); /* what is waited for is the passing of time itself */
    get(client, "/x", &heard);
    assert_int_equal(runs(), 2);
    ask(user_with_plugin(TOKEN("good", ",\"expirationTimestamp\":\"2999-01-01T00:00:00Z\""), ""));
    get(client, "/x", &heard);
    assert_int_equal(runs(), 1);
}

static void a_plugins_token_that_is_refused_is_fetched_again_once(void **state)
{
    (void)state;
    ask(user_with_plugin("if [ $(wc -l < \"${0%plugin}runs\") = 1 ]; then " TOKEN("stale", "") "; else " TOKEN("good", "") "; fi", ""));
    assert_true(heard.ok);
    assert_int_equal(runs(), 2);
    ask(user_with_plugin(TOKEN("stale", ""), ""));
    assert_int_equal(heard.error.kind, ERROR_UNAUTHENTICATED);
    assert_int_equal(runs(), 2);
}

static void plugin_fails(const char *script, const char *words, const char *cause)
{
    ask(user_with_plugin(script, "installHint: get it from the shelf"));
    assert_int_equal(heard.error.kind, ERROR_UNAUTHENTICATED);
    if (strstr(heard.error.message, words) == NULL || strstr(heard.error.cause, cause) == NULL)
        fail_msg("\"%s\", cause \"%s\"", heard.error.message, heard.error.cause);
    assert_int_equal(server_log(server)->length, 0);
}

static void a_plugin_that_fails_is_named_with_its_hint(void **state)
{
    (void)state;
    plugin_fails("echo 'you must log in' >&2; echo more >&2; exit 3", "failed with exit code 3: get it from the shelf", "you must log in");
    plugin_fails("kill -9 $$", "was ended by signal 9", "");
    plugin_fails("echo '{'", "is not JSON", "");
    plugin_fails("echo '{\"kind\":\"Pod\"}'", "is no ExecCredential", "");
    plugin_fails("echo '{\"apiVersion\":\"client.authentication.k8s.io/v1beta1\",\"kind\":\"ExecCredential\"}'", "answered in version client.authentication.k8s.io/v1beta1", "");
    plugin_fails("echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{}}'", "neither a token nor a client certificate", "");
    plugin_fails(TOKEN("good", ",\"expirationTimestamp\":\"soon\""), "no time", "");
    plugin_fails("cat <<'END'\n{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"good\\r\\nX: y\"}}\nEND",
                 "malformed", "");
    plugin_fails(TOKEN("good", ",\"clientCertificateData\":\"x\""), "without its key", "");
    plugin_fails("head -c 3000000 /dev/zero", "did not finish", "");
}

static void a_plugin_that_is_not_there_is_named_with_its_hint(void **state)
{
    (void)state;
    ask("exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: kubetutor-no-such-plugin, installHint: buy it}");
    assert_int_equal(heard.error.kind, ERROR_UNAUTHENTICATED);
    assert_non_null(strstr(heard.error.message, "the credential plugin kubetutor-no-such-plugin of user u could not be run: buy it"));
    assert_true(strlen(heard.error.cause) > 0);
}

static void a_plugin_that_must_ask_needs_a_terminal(void **state)
{
    (void)state;
    int saved = dup(STDIN_FILENO), null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    ask("exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Always}");
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(null);
    assert_non_null(strstr(heard.error.message, "there is no terminal"));
}

static void what_waits_for_a_plugin_can_be_cancelled_and_the_client_freed(void **state)
{
    (void)state;
    client = client_for(loop, server_url(server), "", user_with_plugin("exec sleep 60", ""));
    struct kube_call *call = kube_send(client, &(struct kube_request){.method = "GET", .path = "/x"}, NULL, heard_done, &heard, NULL);
    assert_non_null(kube_send(client, &(struct kube_request){.method = "GET", .path = "/x"}, NULL, heard_done, &heard, NULL));
    kube_call_cancel(call);
    kube_client_free(client);
    client = NULL;
    assert_false(heard.done);
}

static struct {
    bool done, ok;
    enum error_kind kind;
} plugin;

static void plugin_done(void *data, struct exec_credentials *given, const struct error *error)
{
    (void)data;
    plugin.done = true;
    plugin.ok = error == NULL;
    plugin.kind = error != NULL ? error->kind : ERROR_NONE;
    if (plugin.ok)
        exec_credentials_free(given);
}

static void plugin_terminal(void *data, bool taken)
{
    (void)data, (void)taken;
}

static void a_plugin_survives_every_allocation_failing(void **state)
{
    (void)state;
    char text[9000];
    snprintf(text, sizeof text, "clusters: [{name: c, cluster: {server: 'https://a'}}]\nusers: [{name: u, user: {%s}}]\n"
             "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n",
             user_with_plugin(TOKEN("good", ",\"expirationTimestamp\":\"2999-01-01T00:00:00Z\""), "args: [a], provideClusterInfo: true"));
    struct kube_config *config = kube_config_parse(text, strlen(text), "/test", NULL);
    assert_non_null(config);
    int nth = 0;
    for (memset(&plugin, 0, sizeof plugin); !plugin.ok;) {
        struct error err = ERROR_INIT;
        memset(&plugin, 0, sizeof plugin);
        mem_fail_at(++nth);
        struct exec_plugin *run = exec_plugin_start(loop, config, plugin_done, plugin_terminal, NULL, NULL, &err);
        if (run != NULL)
            assert_true(loop_until(loop, &plugin.done, 10000));
        mem_fail_at(0);
        assert_true(plugin.ok || err.kind == ERROR_MEMORY || plugin.kind == ERROR_MEMORY || plugin.kind == ERROR_UNAUTHENTICATED);
    }
    assert_true(nth > 20);
    kube_config_free(config);
}

/* --- proxies --- */

static void no_proxy_is_read_as_go_reads_it(void **state)
{
    (void)state;
    static const struct {
        const char *list, *host;
        unsigned port;
        bool excluded;
    } cases[] = {
        {"", "a.example", 443, false},
        {"*", "a.example", 443, true},
        {"a.example", "a.example", 443, true},
        {"a.example", "A.EXAMPLE", 443, true},
        {"example", "a.example", 443, true},
        {"example", "aexample", 443, false},
        {".example", "a.example", 443, true},
        {".example", "example", 443, false},
        {"*.example", "a.example", 443, true},
        {" b.example , a.example ", "a.example", 443, true},
        {"a.example:8443", "a.example", 443, false},
        {"a.example:8443", "a.example", 8443, true},
        {"10.0.0.1", "10.0.0.1", 443, true},
        {"10.0.0.1", "10.0.0.10", 443, false},
        {"10.0.0.1:80", "10.0.0.1", 80, true},
        {"10.0.0.1:80", "10.0.0.1", 81, false},
        {"10.0.0.0/8", "10.200.0.1", 443, true},
        {"10.0.0.0/8", "11.0.0.1", 443, false},
        {"10.0.0.0/9", "10.128.0.1", 443, false},
        {"10.0.0.0/33", "10.0.0.1", 443, false},
        {"10.0.0.0/", "10.0.0.1", 443, false},
        {"10.0.0.0/8", "a.example", 443, false},
        {"0.0.0.0/0", "10.0.0.1", 443, true},
        {"fd00::/8", "fd00::1", 443, true},
        {"fd00::/8", "10.0.0.1", 443, false},
        {"::1", "::1", 443, true},
        {"[::1]:443", "::1", 443, true},
        {"[::1]:443", "::1", 444, false},
        {",,", "a.example", 443, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (proxy_excluded(cases[i].list, cases[i].host, cases[i].port) != cases[i].excluded)
            fail_msg("\"%s\" and %s:%u", cases[i].list, cases[i].host, cases[i].port);
}

static void chooses(const char *given, bool tls, const char *host, const char *wanted)
{
    char *proxy = proxy_choose(given, tls, host, 443);
    assert_string_equal(proxy, wanted);
    mem_free(proxy);
}

static void the_environment_names_a_proxy_where_the_kubeconfig_does_not(void **state)
{
    (void)state;
    setenv("HTTPS_PROXY", "upper:1", 1);
    setenv("https_proxy", "http://lower:1", 1);
    setenv("http_proxy", "socks5://plain:1", 1);
    setenv("no_proxy", "b.example", 1);
    chooses(NULL, true, "a.example", "http://upper:1");
    chooses(NULL, false, "a.example", "socks5h://plain:1");
    chooses(NULL, true, "b.example", "");
    chooses(NULL, true, "127.0.0.1", "");
    chooses(NULL, true, "localhost", "");
    chooses("http://mine:1", true, "b.example", "http://mine:1");
    chooses("http://mine:1", true, "127.0.0.1", "http://mine:1");
    unsetenv("HTTPS_PROXY");
    chooses(NULL, true, "a.example", "http://lower:1");
    unsetenv("https_proxy"), unsetenv("http_proxy"), unsetenv("no_proxy");
    chooses(NULL, true, "a.example", "");
}

static void requests_go_through_the_proxy_of_the_kubeconfig(void **state)
{
    (void)state;
    char cluster[128];
    server_answer(server, "GET", "http://api.example:8080/version", 200, NULL, "{}"); /* the server plays the proxy */
    snprintf(cluster, sizeof cluster, "proxy-url: '%s'", server_url(server));
    client = client_for(loop, "http://api.example:8080", cluster, "");
    get(client, "/version", &heard);
    assert_true(heard.ok);
    kube_client_free(client);
    server_stop_listening(server);
    client = client_for(loop, "http://api.example:8080", cluster, "");
    get(client, "/version", &heard);
    assert_non_null(strstr(heard.error.message, "the proxy in front of the API server api.example:8080 cannot be reached"));
}

static void a_proxy_that_refuses_is_blamed(void **state)
{
    (void)state;
    char cluster[128];
    server_answer(server, "CONNECT", "api.example:443", 403, NULL, "no");
    snprintf(cluster, sizeof cluster, "proxy-url: '%s'", server_url(server));
    client = client_for(loop, "https://api.example", cluster, "");
    get(client, "/version", &heard);
    assert_non_null(strstr(heard.error.message, "the proxy in front of api.example refuses"));
}

int test_client_auth(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(what_the_kubeconfig_gives_is_sent),
        CASE(a_token_file_that_changed_is_read_again),
        CASE(refused_credentials_are_fetched_again_once),
        CASE(a_plugin_is_run_once_for_many_requests),
        CASE(a_plugin_is_told_what_it_may_know),
        CASE(credentials_that_expire_are_fetched_again),
        CASE(a_plugins_token_that_is_refused_is_fetched_again_once),
        CASE(a_plugin_that_fails_is_named_with_its_hint),
        CASE(a_plugin_that_is_not_there_is_named_with_its_hint),
        CASE(a_plugin_that_must_ask_needs_a_terminal),
        CASE(what_waits_for_a_plugin_can_be_cancelled_and_the_client_freed),
        CASE(a_plugin_survives_every_allocation_failing),
        cmocka_unit_test(no_proxy_is_read_as_go_reads_it),
        cmocka_unit_test(the_environment_names_a_proxy_where_the_kubeconfig_does_not),
        CASE(requests_go_through_the_proxy_of_the_kubeconfig),
        CASE(a_proxy_that_refuses_is_blamed),
    };
    return cmocka_run_group_tests_name("kube/client: credentials and proxies", tests, make_folder, drop_folder);
}
