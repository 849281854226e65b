/* state FOLDER: measures the practice cluster's state from inside, in files of its own in FOLDER. Prints NAME VALUE lines; see state.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "practice/state/state.h"

enum { BATCH = 8, NAMESPACES = 20 };

static struct loop *loop;
static const char *folder;
static char body[8192]; /* filled once; a text of n bytes is its beginning */
static char label_values[64][16];

static void die(const char *what, const struct error *err)
{
    fprintf(stderr, "state: %s: %s %s\n", what, err->message, err->cause);
    exit(1);
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void say(const char *name, double value)
{
    printf("%s %.4g\n", name, value);
    fflush(stdout);
}

static double rss_mib(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    if (file != NULL)
        fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

static const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s.db", folder, name);
    return path;
}

static struct state *open_at(const char *name)
{
    struct error err = ERROR_INIT;
    struct state *state = state_open(name != NULL ? path_of(name) : NULL, loop, NULL, NULL, &err);
    if (state == NULL)
        die("open", &err);
    return state;
}

static void ready(void *data)
{
    (void)data;
}

struct key {
    char ns[16], name[32], uid[40];
};

static struct key key_of(unsigned number)
{
    struct key key;
    snprintf(key.ns, sizeof key.ns, "team-%u", number % NAMESPACES);
    snprintf(key.name, sizeof key.name, "web-7d9c5b8f6-%05u", number);
    snprintf(key.uid, sizeof key.uid, "00000000-0000-4000-8000-%012u", number);
    return key;
}

static const struct object *put(struct state *state, state_resource resource, unsigned number, size_t length, const struct object *old)
{
    struct key key = key_of(number);
    const char *const labels[] = {"app", "web", "pod-template-hash", "7d9c5b8f6", "tier", label_values[number % 64], NULL};
    const char *const fields[] = {"node-1", "Running", "default", "Always"};
    struct object_new wanted = {resource, key.ns, key.name, key.uid, body, length, length / 2, labels, fields, 4, 0, 1700000000000};
    struct error err = ERROR_INIT;
    const struct object *object = state_put(state, &wanted, old, &err);
    if (object == NULL)
        die("put", &err);
    return object;
}

static void commit(struct state *state)
{
    struct error err = ERROR_INIT;
    if (!state_commit(state, &err))
        die("commit", &err);
}

static const struct object *get(struct state *state, state_resource resource, unsigned number)
{
    struct key key = key_of(number);
    return state_get(state, resource, key.ns, key.name);
}

static void fill(struct state *state, state_resource resource, unsigned count, size_t length)
{
    for (unsigned i = 0; i < count; i++)
        put(state, resource, i, length, NULL);
    commit(state);
}

static void on_written(void *data, const struct error *err)
{
    if (err != NULL)
        die("commit", err);
    *(bool *)data = true;
}

/* The eldest version that is still known. */
static void old_list(struct state *state, state_resource resource, const char *name)
{
    char label[64];
    struct vec objects;
    bool more;
    double start = seconds(CLOCK_MONOTONIC);
    if (!state_list(state, resource, NULL, state_oldest(state), NULL, NULL, 500, NULL, NULL, &objects, &more, NULL))
        return;
    snprintf(label, sizeof label, "old_list_ms_%s", name);
    say(label, (seconds(CLOCK_MONOTONIC) - start) * 1e3);
    vec_free(&objects);
}

static int compare_numbers(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

/* Replacements of random objects among `count` as BATCH connections would make them: each round is a put of each, then the loop until all of them are
 * answered. History is forgotten meanwhile. */
static void replace_many(unsigned count, unsigned writes, const char *name)
{
    char label[64];
    struct state_numbers numbers;
    struct state *state = open_at(name);
    state_resource pods = state_resource_of(state, "pods");
    fill(state, pods, count, 2800);
    double *rounds = mem_alloc(writes / BATCH * sizeof *rounds);
    double start = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), before = start;
    unsigned long long most_log = 0;
    for (unsigned i = 0; i < writes && rounds != NULL; i++) {
        unsigned number = (unsigned)((uint64_t)i * 2654435761u % count);
        put(state, pods, number, 2800, get(state, pods, number));
        if (i % BATCH != BATCH - 1)
            continue;
        bool written = false;
        if (!state_after_commit(state, on_written, &written))
            exit(1);
        loop_until(loop, &written, -1);
        double now = seconds(CLOCK_MONOTONIC);
        rounds[i / BATCH] = now - before;
        before = now;
        state_numbers(state, &numbers);
        most_log = numbers.log_pages > most_log ? numbers.log_pages : most_log;
    }
    snprintf(label, sizeof label, "puts_%s", name);
    say(label, writes / (seconds(CLOCK_MONOTONIC) - start));
    snprintf(label, sizeof label, "cpu_us_%s", name);
    say(label, (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e6 / writes);
    qsort(rounds, writes / BATCH, sizeof *rounds, compare_numbers);
    snprintf(label, sizeof label, "p99_ms_%s", name);
    say(label, rounds[writes / BATCH * 99 / 100] * 1e3);
    snprintf(label, sizeof label, "p9999_ms_%s", name);
    say(label, rounds[writes / BATCH * 9999 / 10000] * 1e3);
    snprintf(label, sizeof label, "log_mib_%s", name);
    say(label, (double)most_log * 4096 / 1048576);
    mem_free(rounds);
    old_list(state, pods, name);
    state_close(state);
    start = seconds(CLOCK_MONOTONIC);
    state = open_at(name);
    snprintf(label, sizeof label, "restart_ms_%s", name);
    say(label, (seconds(CLOCK_MONOTONIC) - start) * 1e3);
    state_close(state);
}

/* Creates, gets, lists, deletes with this many objects there. */
static void flat(unsigned count)
{
    enum { SAMPLE = 2000 };
    char label[64], name[32];
    snprintf(name, sizeof name, "flat%u", count);
    struct state *state = open_at(name);
    state_resource pods = state_resource_of(state, "pods");
    fill(state, pods, count, 2800);
    double start = seconds(CLOCK_MONOTONIC);
    for (unsigned i = 0; i < SAMPLE; i++) {
        put(state, pods, count + i, 2800, NULL);
        if (i % BATCH == BATCH - 1)
            commit(state);
    }
    snprintf(label, sizeof label, "create_us_%u", count);
    say(label, (seconds(CLOCK_MONOTONIC) - start) * 1e6 / SAMPLE);
    struct key *keys = mem_alloc(100000 * sizeof *keys);
    for (unsigned i = 0; i < 100000 && keys != NULL; i++)
        keys[i] = key_of((unsigned)((uint64_t)i * 2654435761u % count));
    start = seconds(CLOCK_MONOTONIC);
    unsigned found = 0;
    for (unsigned i = 0; i < 100000 && keys != NULL; i++)
        found += state_get(state, pods, keys[i].ns, keys[i].name) != NULL;
    snprintf(label, sizeof label, "get_ns_%u", count);
    say(label, (seconds(CLOCK_MONOTONIC) - start) * 1e9 / found);
    mem_free(keys);
    start = seconds(CLOCK_MONOTONIC);
    for (unsigned i = 0; i < SAMPLE; i++) {
        struct error err = ERROR_INIT;
        if (!state_delete(state, get(state, pods, count + i), NULL, NULL, &err))
            die("delete", &err);
        if (i % BATCH == BATCH - 1)
            commit(state);
    }
    snprintf(label, sizeof label, "delete_us_%u", count);
    say(label, (seconds(CLOCK_MONOTONIC) - start) * 1e6 / SAMPLE);
    state_close(state);
}

static void start_with(unsigned count, size_t length, const char *name)
{
    char label[64];
    struct state *state = open_at(name);
    fill(state, state_resource_of(state, "pods"), count, length);
    state_close(state);
    double start = seconds(CLOCK_MONOTONIC);
    state = open_at(name);
    snprintf(label, sizeof label, "start_ms_%s", name);
    say(label, (seconds(CLOCK_MONOTONIC) - start) * 1e3);
    snprintf(label, sizeof label, "rss_%s", name);
    say(label, rss_mib());
    struct state_numbers numbers;
    state_numbers(state, &numbers);
    snprintf(label, sizeof label, "text_mib_%s", name);
    say(label, (double)numbers.object_bytes / 1048576);
    struct vec objects;
    bool more;
    start = seconds(CLOCK_MONOTONIC);
    if (!state_list(state, state_resource_of(state, "pods"), NULL, 0, NULL, NULL, 0, NULL, NULL, &objects, &more, NULL))
        exit(1);
    snprintf(label, sizeof label, "list_ms_%s", name);
    say(label, (seconds(CLOCK_MONOTONIC) - start) * 1e3);
    vec_free(&objects);
    state_close(state);
}

static bool is_saved;

static void on_saved(void *data, const struct error *err)
{
    (void)data;
    if (err != NULL)
        die("save", err);
    is_saved = true;
}

static void snapshots(unsigned count, size_t length, const char *name)
{
    char label[64], saved[512];
    struct error err = ERROR_INIT;
    snprintf(saved, sizeof saved, "%s/%s.saved", folder, name);
    struct state *state = open_at(name);
    fill(state, state_resource_of(state, "pods"), count, length);
    double start = seconds(CLOCK_MONOTONIC);
    if (!state_save(state, saved, on_saved, NULL, &err))
        die("save", &err);
    snprintf(label, sizeof label, "save_start_ms_%s", name);
    say(label, (seconds(CLOCK_MONOTONIC) - start) * 1e3);
    is_saved = false;
    loop_until(loop, &is_saved, -1);
    snprintf(label, sizeof label, "save_ms_%s", name);
    say(label, (seconds(CLOCK_MONOTONIC) - start) * 1e3);
    start = seconds(CLOCK_MONOTONIC);
    if (!state_load(state, saved, NULL, &err))
        die("load", &err);
    snprintf(label, sizeof label, "load_ms_%s", name);
    say(label, (seconds(CLOCK_MONOTONIC) - start) * 1e3);
    start = seconds(CLOCK_MONOTONIC);
    if (!state_reset(state, &err))
        die("reset", &err);
    snprintf(label, sizeof label, "reset_ms_%s", name);
    say(label, (seconds(CLOCK_MONOTONIC) - start) * 1e3);
    state_close(state);
}

struct seen {
    struct state_watch *watch;
    unsigned *left;
    double at;
};

static void on_ready(void *data)
{
    struct seen *seen = data;
    struct state_event event;
    while (state_watch_next(seen->watch, &event) == STATE_EVENT) {
        seen->at = seconds(CLOCK_MONOTONIC);
        --*seen->left;
    }
}

/* From a put until each of 100 watchers has the event, the commit included; 10,000 others wait for another resource. */
static void watchers(void)
{
    enum { WATCHERS = 100, OTHERS = 10000, ROUNDS = 50 };
    static struct seen seen[WATCHERS];
    static struct state_watch *others[OTHERS];
    struct state *state = open_at("watch");
    state_resource pods = state_resource_of(state, "pods"), leases = state_resource_of(state, "leases");
    struct state_event event;
    unsigned left = 0;
    double slowest = 0;
    for (unsigned i = 0; i < OTHERS; i++) {
        others[i] = state_watch_new(state, leases, NULL, 0, ready, NULL, NULL);
        state_watch_next(others[i], &event);
    }
    for (unsigned i = 0; i < WATCHERS; i++) {
        seen[i].left = &left;
        seen[i].watch = state_watch_new(state, pods, NULL, 0, on_ready, &seen[i], NULL);
        state_watch_next(seen[i].watch, &event);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        left = WATCHERS;
        double start = seconds(CLOCK_MONOTONIC);
        put(state, pods, round, 2800, NULL);
        while (left > 0)
            loop_once(loop, -1);
        double took = seconds(CLOCK_MONOTONIC) - start;
        slowest = took > slowest ? took : slowest;
    }
    say("watchers_ms", slowest * 1e3);
    for (unsigned i = 0; i < OTHERS; i++)
        state_watch_free(others[i]);
    for (unsigned i = 0; i < WATCHERS; i++)
        state_watch_free(seen[i].watch);
    state_close(state);
}

static void idle(void)
{
    struct state *state = open_at("idle");
    fill(state, state_resource_of(state, "pods"), 1000, 2800);
    loop_once(loop, 0);
    loop_once(loop, 500); /* the log of what was written before */
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), until = seconds(CLOCK_MONOTONIC) + 2;
    unsigned rounds = 0;
    while (seconds(CLOCK_MONOTONIC) < until) {
        loop_once(loop, 2000);
        rounds++;
    }
    say("idle_cpu_ms", (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e3);
    say("idle_rounds", rounds);
    state_close(state);
}

int main(int argc, char **argv)
{
    struct error err = ERROR_INIT;
    if (argc != 2 || (loop = loop_new(&err)) == NULL)
        return 2;
    folder = argv[1];
    for (size_t i = 0; i < sizeof body; i++)
        body[i] = (char)(' ' + i * 7919 % 95);
    for (unsigned i = 0; i < 64; i++)
        snprintf(label_values[i], sizeof label_values[i], "tier-%u", i);
    start_with(10000, 500, "small10000");
    start_with(10000, 4700, "pods10000");
    replace_many(1000, 40000, "replace");
    replace_many(1000, 200000, "history_full");
    flat(100);
    flat(10000);
    flat(100000);
    snapshots(1000, 2800, "objects1000");
    snapshots(10000, 4700, "snapshot10000");
    watchers();
    idle();
    loop_free(loop);
    return 0;
}
