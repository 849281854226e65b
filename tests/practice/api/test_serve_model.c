/* The model of watches: writers do at random, and what each watcher makes of its events is what a list shows at the same version. Across slow
 * readers, new beginnings from a version, a restart of the server, and expiry. SERVE_SEED repeats a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "data/json.h"
#include "serve_world.h"

enum { WATCHERS = 12, STEPS = 1500, NAMES = 12 };

struct watcher {
    struct serve_world *world;
    const char *path;   /* of its list, with a question mark */
    struct line *line;  /* NULL: not connected */
    struct map objects; /* "ns/name" to struct value: the replay */
    uint64_t version;   /* of the newest event; 0: only what was there at first */
    bool whole;         /* version says what the replay is of */
    int slow;           /* bytes of its receive buffer; 0: as usual */
    unsigned events, expired, resumed;
};

static const char *const paths[] = {
    "/api/v1/configmaps?",
    "/api/v1/configmaps?labelSelector=a%3Dx&",
    "/api/v1/namespaces/default/configmaps?",
    "/api/v1/namespaces/default/configmaps?labelSelector=a%3Dx&",
};

static unsigned seed;
static unsigned chance(unsigned most)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 8) % most;
}

static void free_value(void *value)
{
    value_free(value);
}

static char *key_of(const struct value *object)
{
    return mem_printf("%s/%s", value_find_text(object, "metadata", "namespace", NULL), value_find_text(object, "metadata", "name", NULL));
}

/* Objects are compared as items of lists, without kind and apiVersion. */
static void learn(struct watcher *w, const struct value *object)
{
    struct value *copy = value_copy(object);
    value_remove(copy, "kind");
    value_remove(copy, "apiVersion");
    char *key = key_of(object);
    assert_true(map_set(&w->objects, key, copy));
    mem_free(key);
}

static void get(struct watcher *w, const char *query, struct got *got)
{
    char *path = mem_printf("%s%s", w->path, query);
    serve_ask(w->world, "GET", path, NULL, NULL, got);
    mem_free(path);
}

/* The replay is what the list has. */
static void expect_same(struct watcher *w, const struct got *got)
{
    size_t count = 0;
    assert_int_equal(got->code, 200);
    for (const struct value *item = value_first(value_get(got->json, "items")); item != NULL; item = value_next(item), count++) {
        char *key = key_of(item);
        if (!value_equal(map_get(&w->objects, key), item)) {
            char *ours = json_text(map_get(&w->objects, key), SIZE_MAX), *theirs = json_text(item, SIZE_MAX);
            fail_msg("seed %s: %s at %llu:\n watched %s\n listed  %s", getenv("SERVE_SEED"), key, (unsigned long long)w->version, ours, theirs);
        }
        mem_free(key);
    }
    assert_int_equal(count, w->objects.count);
}

static void check_at_version(struct watcher *w)
{
    struct got got;
    char query[96];
    if (!w->whole)
        return;
    snprintf(query, sizeof query, "resourceVersion=%llu&resourceVersionMatch=Exact", (unsigned long long)w->version);
    get(w, query, &got);
    if (got.code != 410)
        expect_same(w, &got);
    got_free(&got);
}

static void connect_watch(struct watcher *w, const char *query)
{
    char *path = mem_printf("%swatch=1&timeoutSeconds=600&%s", w->path, query);
    w->line = watch_open(w->world, path, w->slow);
    mem_free(path);
}

/* From nothing: by a list and its version, or by a watch alone. */
static void begin(struct watcher *w)
{
    map_free(&w->objects);
    w->objects = map_make(10000, free_value);
    w->whole = false;
    w->version = 0;
    if (chance(2) == 0) {
        connect_watch(w, chance(2) == 0 ? "resourceVersion=0&allowWatchBookmarks=true"
                                        : "resourceVersionMatch=NotOlderThan&sendInitialEvents=true&allowWatchBookmarks=true");
        return;
    }
    struct got got;
    char query[64];
    get(w, "", &got);
    for (const struct value *item = value_first(value_get(got.json, "items")); item != NULL; item = value_next(item))
        learn(w, item);
    w->version = version_of(got.json);
    w->whole = true;
    got_free(&got);
    snprintf(query, sizeof query, "resourceVersion=%llu", (unsigned long long)w->version);
    connect_watch(w, query);
}

static void hang_up(struct watcher *w)
{
    if (w->line != NULL)
        line_close(w->line);
    w->line = NULL;
}

/* Goes on where it was, or from nothing. */
static void resume(struct watcher *w)
{
    char query[64];
    hang_up(w);
    if (!w->whole) {
        begin(w);
        return;
    }
    w->resumed++;
    snprintf(query, sizeof query, "resourceVersion=%llu", (unsigned long long)w->version);
    connect_watch(w, query);
}

static void take_change(struct watcher *w, const char *type, const struct value *object)
{
    char *key = key_of(object);
    uint64_t version = version_of(object);
    bool there = map_has(&w->objects, key), added = strcmp(type, "ADDED") == 0, deleted = strcmp(type, "DELETED") == 0;
    assert_true(added ? !there : there); /* nothing twice, nothing missed */
    if (w->whole)
        assert_true(version > w->version);
    else
        assert_true(added); /* what is there at first */
    if (deleted)
        map_remove(&w->objects, key);
    else
        learn(w, object);
    if (version > w->version)
        w->version = version;
    mem_free(key);
}

/* One event, if there is one: it is only waited for where it must come. False: the watch ended. */
static bool take_event(struct watcher *w)
{
    struct value *event = watch_event(w->line);
    if (event == NULL)
        return false;
    const char *type = value_find_text(event, "type", NULL);
    const struct value *object = value_get(event, "object");
    w->events++;
    if (strcmp(type, "BOOKMARK") == 0) {
        w->version = version_of(object) > w->version ? version_of(object) : w->version;
        w->whole = true;
    } else if (strcmp(type, "ERROR") == 0) {
        assert_string_equal(value_find_text(object, "reason", NULL), "Expired");
        w->expired++;
        hang_up(w);
        begin(w);
    } else {
        take_change(w, type, object);
    }
    value_free(event);
    return true;
}

/* ---- writers */

static void write_something(struct line *line)
{
    char path[160], body[400];
    struct got got;
    const char *ns = chance(3) == 0 ? "kube-public" : "default", *label = chance(2) == 0 ? "x" : "y";
    unsigned name = chance(NAMES);
    snprintf(path, sizeof path, "/api/v1/namespaces/%s/configmaps/n%u", ns, name);
    switch (chance(4)) {
    case 0:
        line_ask(line, "DELETE", path, NULL, NULL, &got);
        break;
    case 1:
        snprintf(body, sizeof body, "{\"metadata\":{\"labels\":{\"a\":\"%s\"}},\"data\":{\"n\":\"%u\"}}", label, chance(1000000));
        line_ask(line, "PATCH", path, "Content-Type: application/merge-patch+json\r\n", body, &got);
        break;
    default:
        snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"n%u\",\"labels\":{\"a\":\"%s\"}},\"data\":{\"fill\":\"%0*u\"}}", name, label,
                 (int)chance(200) + 1, chance(1000));
        *strrchr(path, '/') = '\0';
        line_ask(line, "POST", path, "Content-Type: application/json\r\n", body, &got);
    }
    assert_true(got.code < 500);
    got_free(&got);
}

/* Everybody reads until the marker, which everybody sees, and has what the list has. */
static void compare_all(struct serve_world *world, struct watcher *watchers, unsigned number)
{
    char body[128];
    struct got got;
    snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"marker-%u\",\"labels\":{\"a\":\"x\"}}}", number);
    serve_do(world, "POST", "/api/v1/namespaces/default/configmaps", body, 201);
    for (size_t i = 0; i < WATCHERS; i++) {
        struct watcher *w = &watchers[i];
        char key[64];
        snprintf(key, sizeof key, "default/marker-%u", number);
        while (!map_has(&w->objects, key) || !w->whole)
            if (!take_event(w))
                resume(w);
        get(w, "", &got);
        expect_same(w, &got);
        got_free(&got);
    }
}

static void run_model(struct serve_world *world)
{
    struct watcher watchers[WATCHERS];
    struct line *writers[3];
    unsigned marker = 0, events = 0, expired = 0, resumed = 0;
    for (size_t i = 0; i < 3; i++)
        writers[i] = line_open(world, false, 0);
    for (size_t i = 0; i < WATCHERS; i++) {
        watchers[i] = (struct watcher){.world = world, .path = paths[i % 4], .objects = map_make(10000, free_value), .slow = i % 3 == 0 ? 4096 : 0};
        begin(&watchers[i]);
    }
    for (int step = 0; step < STEPS; step++) {
        struct watcher *w = &watchers[chance(WATCHERS)];
        write_something(writers[chance(3)]);
        while (chance(4) != 0 && w->line->got.length > 0 && take_event(w)) /* only what is there already */
            ;
        if (chance(12) == 0)
            check_at_version(w);
        if (chance(60) == 0)
            resume(w);
        if (chance(300) == 0)
            compare_all(world, watchers, marker++);
        if (step == STEPS / 3)
            assert_true(server_reset(world->server, NULL));
        if (step == STEPS * 2 / 3) {
            for (size_t i = 0; i < 3; i++)
                line_close(writers[i]);
            serve_again(world);
            for (size_t i = 0; i < 3; i++)
                writers[i] = line_open(world, false, 0);
            for (size_t i = 0; i < WATCHERS; i++)
                resume(&watchers[i]);
        }
        for (size_t i = 0; i < WATCHERS; i += 2) { /* half of them read as things happen */
            int result;
            char part[8192];
            result = SSL_read(watchers[i].line->ssl, part, sizeof part);
            if (result > 0)
                buf_append(&watchers[i].line->got, part, (size_t)result);
        }
    }
    compare_all(world, watchers, marker++);
    for (size_t i = 0; i < WATCHERS; i++) {
        events += watchers[i].events;
        expired += watchers[i].expired;
        resumed += watchers[i].resumed;
        hang_up(&watchers[i]);
        map_free(&watchers[i].objects);
    }
    for (size_t i = 0; i < 3; i++)
        line_close(writers[i]);
    assert_true(events > STEPS && expired > 0 && resumed > 0); /* otherwise the test is of nothing */
}

static void what_a_watcher_makes_of_its_events_is_what_a_list_shows(void **state)
{
    (void)state;
    char folder[] = "/tmp/kt-model-XXXXXX", number[16];
    assert_non_null(mkdtemp(folder));
    char *path = file_join(folder, "state"), *command = mem_printf("rm -rf %s", folder);
    const char *given = getenv("SERVE_SEED");
    seed = given != NULL ? (unsigned)atoi(given) : (unsigned)clock_wall_ms();
    snprintf(number, sizeof number, "%u", seed);
    setenv("SERVE_SEED", number, 1); /* for messages */
    struct serve_world world;
    serve_open(&world, path);
    run_model(&world);
    serve_close(&world);
    assert_int_equal(system(command), 0);
    mem_free(path);
    mem_free(command);
}

int test_serve_model(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_a_watcher_makes_of_its_events_is_what_a_list_shows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
