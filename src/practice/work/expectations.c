/* expectations: what a controller wrote and has not seen yet. */
#include "base/map.h"
#include "base/mem.h"
#include "practice/work/pod_maker.h"
#include "practice/work/workqueue.h"

enum { EXPECTATIONS_MS = 5 * 60 * 1000 };

struct expected {
    int creations, deletions;
    int64_t since_ms;
};

struct expectations {
    struct cluster_clock *clock;
    struct map owners; /* key -> struct expected */
};

struct expectations *expectations_new(struct cluster_clock *clock, struct error *err)
{
    struct expectations *expectations = mem_alloc(sizeof *expectations);
    if (expectations == NULL) {
        error_memory(err);
        return NULL;
    }
    *expectations = (struct expectations){.clock = clock, .owners = map_make(WORKQUEUE_KEYS, mem_free)};
    return expectations;
}

void expectations_free(struct expectations *expectations)
{
    if (expectations == NULL)
        return;
    map_free(&expectations->owners);
    mem_free(expectations);
}

bool expectations_met(struct expectations *expectations, const char *key)
{
    const struct expected *expected = map_get(&expectations->owners, key);
    return expected == NULL || (expected->creations <= 0 && expected->deletions <= 0) ||
           cluster_clock_ms(expectations->clock) - expected->since_ms > EXPECTATIONS_MS;
}

bool expectations_set(struct expectations *expectations, const char *key, int creations, int deletions)
{
    struct expected *expected = map_get(&expectations->owners, key), *fresh = NULL;
    if (expected == NULL) {
        expected = fresh = mem_alloc(sizeof *expected);
        if (fresh == NULL)
            return false;
    }
    *expected =
        (struct expected){.creations = creations, .deletions = deletions, .since_ms = cluster_clock_ms(expectations->clock)};
    return fresh == NULL || map_set(&expectations->owners, key, fresh);
}

void expectations_saw_creation(struct expectations *expectations, const char *key)
{
    struct expected *expected = map_get(&expectations->owners, key);
    if (expected != NULL)
        expected->creations--;
}

void expectations_saw_deletion(struct expectations *expectations, const char *key)
{
    struct expected *expected = map_get(&expectations->owners, key);
    if (expected != NULL)
        expected->deletions--;
}

void expectations_forget(struct expectations *expectations, const char *key)
{
    map_remove(&expectations->owners, key);
}
