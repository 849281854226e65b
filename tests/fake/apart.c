/* A client for the fake, and the fake in a process of its own. */
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

#include "fake/fake.h"

struct kube_client *fake_client(struct loop *loop, const char *url)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"clusters\":[{\"name\":\"c\",\"cluster\":{\"server\":\"%s\"}}],\"users\":[{\"name\":\"u\",\"user\":{\"token\":\"t\"}}],"
             "\"contexts\":[{\"name\":\"x\",\"context\":{\"cluster\":\"c\",\"user\":\"u\",\"namespace\":\"learn\"}}],\"current-context\":\"x\"}",
             url);
    struct kube_config *config = kube_config_parse(text, strlen(text), "test", NULL);
    return config != NULL ? kube_client_new(loop, config, NULL, NULL) : NULL;
}

static _Noreturn void serve(int pipe_end, void (*set_up)(struct fake *fake))
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* an assertion that fails here must not go on with the parent's tests */
    struct loop *loop = loop_new(NULL);
    struct fake *fake = fake_new(loop);
    set_up(fake);
    const char *address = fake_url(fake);
    if (write(pipe_end, address, strlen(address) + 1) < 0)
        _exit(1);
    close(pipe_end);
    loop_run(loop);
    _exit(0);
}

int fake_apart(void (*set_up)(struct fake *fake), char *url)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        serve(ends[1], set_up);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t n; length < 64 && (n = read(ends[0], url + length, 64 - length)) > 0;)
        length += (size_t)n;
    assert_true(length > 0);
    close(ends[0]);
    return child;
}

void fake_end(int process)
{
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}
