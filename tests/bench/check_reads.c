/* check_reads KUBECONFIG ROUNDS LESSON.LUA: runs a check again and again, as a change in the cluster would, once its watch is
 * there. The file returns the check. Prints "check_us" (by the clock) and "cpu_us" (on the processor) a line a round. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "bind/bind.h"
#include "kube/client.h"
#include "script/script.h"

enum { LONGEST_MS = 10000 };

struct bench {
    struct bind *bind;
    bool done;
};

static void die(const char *what, const struct error *err)
{
    fprintf(stderr, "check_reads: %s: %s %s\n", what, err->message, err->where);
    exit(1);
}

static void judged(void *data, const struct bind_result *result)
{
    struct bench *bench = data;
    bench->done = true;
    bind_follow(bench->bind, result->run, bench);
    if (result->verdict->outcome != OUTCOME_PASSED)
        die(outcome_name(result->verdict->outcome), &result->verdict->error);
    verdict_free(result->verdict);
}

static double microseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int check_of(struct script *script, const char *file)
{
    struct error err = ERROR_INIT;
    size_t length;
    char *text = file_read(file, 1 << 20, &length, &err);
    if (text == NULL || !script_run_text(script, text, length, "check.lua", &err))
        die(file, &err);
    mem_free(text);
    return script_keep(script);
}

int main(int argc, char **argv)
{
    struct error err = ERROR_INIT;
    struct kube_config *config = NULL;
    if (argc != 4)
        return 2;
    struct kube_config_options config_options = {.file = argv[1]};
    struct loop *loop = loop_new(&err);
    if (loop == NULL || !kube_config_load(&config_options, &config, &err) || config == NULL)
        die(argv[1], &err);
    struct kube_client *client = kube_client_new(loop, config, NULL, &err);
    struct script *script = client != NULL ? script_new(loop, NULL, NULL, &err) : NULL;
    struct bind_options options = {.client = client, .ns = "bench", .user = "bench", .lesson = "bench"};
    struct bench bench = {.bind = script != NULL ? bind_new(script, &options, &err) : NULL};
    if (bench.bind == NULL)
        die("no script", &err);
    int check = check_of(script, argv[3]), rounds = atoi(argv[2]);
    for (int round = -1; round < rounds; round++) { /* the first one waits for discovery and the watch's list */
        double began = microseconds(CLOCK_MONOTONIC), cpu = microseconds(CLOCK_PROCESS_CPUTIME_ID);
        bench.done = false;
        if (bind_start(bench.bind, check, BIND_CHECK, NULL, judged, &bench, &err) == NULL && !bench.done)
            die("the check does not start", &err);
        if (!bench.done && !loop_until(loop, &bench.done, LONGEST_MS))
            die("the check does not end", &err);
        if (round >= 0)
            printf("check_us %.2f\ncpu_us %.2f\n", microseconds(CLOCK_MONOTONIC) - began,
                   microseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    }
    bind_free(bench.bind);
    script_free(script);
    kube_client_free(client);
    loop_free(loop);
    return 0;
}
