#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

static const char web[] = "apiVersion: v1\nkind: Pod\nmetadata: { name: web-a, labels: { app: web } }\nstatus: { phase: Running }\n---\n"
                          "apiVersion: v1\nkind: Pod\nmetadata: { name: web-b, labels: { app: web } }\n---\n"
                          "apiVersion: v1\nkind: Pod\nmetadata: { name: web-c, labels: { app: web } }\n---\n"
                          "apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { ports: [ { port: 80 } ] }\n";

static void listen(void *data, enum run_event event)
{
    struct play *play = data;
    if (event == RUN_EVENT_PHASE && play->run != NULL && play->phases < 64)
        play->seen[play->phases] = lesson_run_phase(play->run);
    play->phases += event == RUN_EVENT_PHASE;
    play->verdicts += event == RUN_EVENT_VERDICT;
    play->troubles += event == RUN_EVENT_TROUBLE;
    play->objects += event == RUN_EVENT_OBJECTS;
}

static void open_run(struct play *play, const char *lesson)
{
    struct error err = ERROR_INIT;
    play->options.client = play->client;
    play->options.progress = play->progress;
    play->options.cluster = "cluster-uid";
    play->options.ns = "learn";
    play->options.user = "ann";
    play->options.listener = listen;
    play->options.data = play;
    play->run = lesson_run_new(play->loop, KT_TEST_CASES "/packs", lesson, &play->options, &err);
    if (play->run == NULL)
        fail_msg("%s: %s", err.where, err.message);
}

void play_start(struct play *play, const char *lesson, const struct lesson_run_options *options)
{
    static const struct lesson_run_options usual = {.no_why = true, .verify_again_ms = 20};
    *play = (struct play){.loop = loop_new(NULL), .options = options != NULL ? *options : usual, .file = "/tmp/kubetutor-lesson-XXXXXX"};
    assert_non_null(play->loop);
    int fd = mkstemp(play->file);
    assert_true(fd >= 0);
    close(fd);
    play->fake = fake_new(play->loop);
    fake_put(play->fake, web);
    play->client = fake_client(play->loop, fake_url(play->fake));
    struct error warning = ERROR_INIT;
    play->progress = progress_open(play->file, &warning);
    assert_true(progress_is_kept(play->progress));
    open_run(play, lesson);
}

void play_again(struct play *play, const char *lesson)
{
    struct error warning = ERROR_INIT;
    lesson_run_free(play->run);
    progress_close(play->progress);
    play->run = NULL;
    play->progress = progress_open(play->file, &warning);
    assert_true(progress_is_kept(play->progress));
    open_run(play, lesson);
}

void play_end(struct play *play)
{
    char path[96];
    lesson_run_free(play->run);
    progress_close(play->progress);
    kube_client_free(play->client);
    fake_free(play->fake);
    loop_free(play->loop);
    unlink(play->file);
    static const char *const ends[] = {"-wal", "-shm"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s%s", play->file, ends[i]);
        unlink(path);
    }
}

int play_step(const struct play *play, const char *step)
{
    const struct lesson *lesson = lesson_run_lesson(play->run);
    for (size_t i = 0; i < lesson->steps.length; i++)
        if (strcmp(((const struct lesson_step *)lesson->steps.items[i])->id, step) == 0)
            return (int)i;
    fail_msg("no step %s", step);
    return -1;
}

void play_begin(struct play *play, const char *step, bool resume)
{
    play->phases = 0;
    lesson_run_begin(play->run, play_step(play, step), resume);
}

void play_until(struct play *play, const bool *done)
{
    if (!loop_until(play->loop, done, 10000))
        fail_msg("this did not happen in ten seconds");
}

void play_until_phase(struct play *play, enum run_phase phase)
{
    int64_t end = clock_monotonic_ms() + 10000;
    while (lesson_run_phase(play->run) != phase && clock_monotonic_ms() < end)
        loop_once(play->loop, 100);
    const struct error *error = lesson_run_error(play->run);
    if (lesson_run_phase(play->run) != phase)
        fail_msg("phase %d instead of %d%s%s", (int)lesson_run_phase(play->run), (int)phase, error != NULL ? ": " : "", error != NULL ? error->message : "");
}

void play_until_outcome(struct play *play, enum outcome outcome)
{
    int64_t end = clock_monotonic_ms() + 10000;
    while ((lesson_run_verdict(play->run) == NULL || lesson_run_verdict(play->run)->outcome != outcome) && clock_monotonic_ms() < end)
        loop_once(play->loop, 100);
    assert_non_null(lesson_run_verdict(play->run));
    assert_int_equal(lesson_run_verdict(play->run)->outcome, outcome);
}

const struct expectation *play_expectation(const struct play *play, const char *path)
{
    const struct verdict *verdict = lesson_run_verdict(play->run);
    assert_non_null(verdict);
    for (size_t i = 0; i < verdict->expectations.length; i++)
        if (strcmp(((const struct expectation *)verdict->expectations.items[i])->path, path) == 0)
            return verdict->expectations.items[i];
    fail_msg("nothing is expected of \"%s\"", path);
    return NULL;
}

void ended_done(void *data, const struct error *error)
{
    struct ended *ended = data;
    assert_false(ended->done);
    ended->done = true;
    ended->error = error != NULL ? *error : ERROR_INIT;
}

void ended_told(void *data, const char *object)
{
    struct ended *ended = data;
    size_t used = strlen(ended->told);
    snprintf(ended->told + used, sizeof ended->told - used, "%s\n", object);
}

void ended_reset(void *data, const struct error *error, int removed)
{
    struct ended *ended = data;
    ended_done(ended, error);
    ended->removed = removed;
}

struct ended play_reset(struct play *play)
{
    struct ended ended = {0}, *kept = &ended;
    lesson_run_reset(play->run, ended_told, ended_reset, kept);
    play_until(play, &kept->done);
    return ended;
}

struct judged {
    bool done;
    struct verdict *verdict;
};

static void judged_done(void *data, struct verdict *verdict)
{
    struct judged *judged = data;
    judged->done = true;
    judged->verdict = verdict;
}

struct verdict *play_judge(struct play *play, const char *step, int64_t wait_ms)
{
    struct judged judged = {0}, *kept = &judged;
    lesson_run_judge(play->run, play_step(play, step), wait_ms, judged_done, kept);
    play_until(play, &kept->done);
    assert_non_null(judged.verdict);
    return judged.verdict;
}

void play_ledger(const struct play *play, const char *lesson, char *out, size_t room)
{
    struct vec entries;
    assert_true(progress_ledger_list(play->progress, "cluster-uid", lesson, &entries, NULL));
    out[0] = '\0';
    for (size_t i = 0; i < entries.length; i++) {
        const struct ledger_entry *entry = entries.items[i];
        size_t used = strlen(out);
        snprintf(out + used, room - used, "%s %s/%s\n", entry->resource, entry->ns, entry->name);
    }
    vec_free(&entries);
}
