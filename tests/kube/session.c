#include "kube/session.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/json.h"

static char url[64]; /* of the one server of the running test */

bool session_client(struct session *session)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"clusters\":[{\"name\":\"c\",\"cluster\":{\"server\":\"%s\"}}],\"users\":[{\"name\":\"u\",\"user\":{\"token\":"
             "\"t\"}}],"
             "\"contexts\":[{\"name\":\"x\",\"context\":{\"cluster\":\"c\",\"user\":\"u\",\"namespace\":\"learn\"}}],\"current-"
             "context\":\"x\"}",
             url);
    struct kube_config *config = kube_config_parse(text, strlen(text), "test", NULL);
    if (config == NULL)
        return false;
    session->client = kube_client_new(session->loop, config, NULL, NULL);
    return session->client != NULL;
}

void session_drop_client(struct session *session)
{
    kube_client_free(session->client);
    session->client = NULL;
}

void session_start(struct session *session)
{
    memset(session, 0, sizeof *session);
    session->loop = loop_new(NULL);
    assert_non_null(session->loop);
    session->server = server_new(session->loop, NULL);
    snprintf(url, sizeof url, "%s", server_url(session->server));
    assert_true(session_client(session));
}

static _Noreturn void serve(int pipe_end, void (*set_up)(struct server *server))
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* an assertion that fails here must not go on with the parent's tests */
    struct loop *loop = loop_new(NULL);
    struct server *server = server_new(loop, NULL);
    set_up(server);
    const char *address = server_url(server);
    if (write(pipe_end, address, strlen(address) + 1) < 0)
        _exit(1);
    close(pipe_end);
    loop_run(loop);
    _exit(0);
}

void session_start_apart(struct session *session, void (*set_up)(struct server *server))
{
    memset(session, 0, sizeof *session);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    session->child = fork();
    assert_true(session->child >= 0);
    if (session->child == 0) {
        close(ends[0]);
        serve(ends[1], set_up);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t n; length < sizeof url && (n = read(ends[0], url + length, sizeof url - length)) > 0;)
        length += (size_t)n;
    assert_true(length > 0);
    close(ends[0]);
    session->loop = loop_new(NULL);
    assert_non_null(session->loop);
}

void session_end(struct session *session)
{
    session_drop_client(session);
    if (session->server != NULL)
        server_free(session->server);
    loop_free(session->loop);
    if (session->child > 0) {
        kill(session->child, SIGKILL);
        waitpid(session->child, NULL, 0);
    }
}

void session_until(struct session *session, const bool *done)
{
    assert_true(loop_until(session->loop, done, 10000));
}

void session_pass(struct session *session, int64_t ms)
{
    bool never = false;
    loop_until(session->loop, &never, ms);
}

char *session_case(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", KT_TEST_CASES, name);
    char *text = file_read(path, 64 * 1024 * 1024, NULL, NULL);
    if (text == NULL)
        fail_msg("cannot read %s", path);
    return text;
}

void outcome_take(void *data, struct value *object, const struct error *error, const struct kube_status *status)
{
    struct outcome *outcome = data;
    assert_false(outcome->done); /* once */
    assert_true((object == NULL) == (error != NULL));
    *outcome = (struct outcome){.done = true, .object = object, .status = *status};
    if (error != NULL)
        outcome->error = *error;
}

void outcome_free(struct outcome *outcome)
{
    value_free(outcome->object);
    *outcome = (struct outcome){.done = false};
}
