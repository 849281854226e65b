/* Watches: what they begin with, what they tell, how they end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "serve_world.h"

#define MAPS "/api/v1/namespaces/default/configmaps"

static int open_world(void **state)
{
    struct serve_world *world = mem_zero(1, sizeof *world);
    serve_open(world, NULL);
    *state = world;
    return 0;
}

static int close_world(void **state)
{
    serve_close(*state);
    mem_free(*state);
    return 0;
}

static void make(struct serve_world *world, const char *name, const char *label)
{
    char *body = mem_printf("{\"metadata\":{\"name\":\"%s\",\"labels\":{\"a\":\"%s\"}}}", name, label);
    serve_do(world, "POST", MAPS, body, 201);
    mem_free(body);
}

static void change(struct serve_world *world, const char *name, const char *patch)
{
    char *path = mem_printf(MAPS "/%s", name);
    serve_do(world, "PATCH", path, patch, 200);
    mem_free(path);
}

static void drop(struct serve_world *world, const char *name)
{
    char *path = mem_printf(MAPS "/%s", name);
    serve_do(world, "DELETE", path, NULL, 200);
    mem_free(path);
}

static uint64_t version_now(struct serve_world *world)
{
    struct got got;
    serve_ask(world, "GET", MAPS "?limit=1", NULL, NULL, &got);
    uint64_t version = version_of(got.json);
    got_free(&got);
    return version;
}

static struct line *watch(struct serve_world *world, const char *query)
{
    char *path = mem_printf(MAPS "?watch=1&%s", query);
    struct line *line = watch_open(world, path, 0);
    mem_free(path);
    return line;
}

static void without_a_version_it_begins_with_what_is_there(void **state)
{
    static const char *const queries[] = {"timeoutSeconds=60", "resourceVersion=0", "resourceVersionMatch=NotOlderThan&sendInitialEvents=true"};
    make(*state, "b", "x");
    make(*state, "a", "x");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        struct line *line = watch(*state, queries[i]);
        watch_expect(line, "ADDED", "a");
        watch_expect(line, "ADDED", "b");
        assert_true(watch_is_quiet(line));
        char patch[64];
        snprintf(patch, sizeof patch, "{\"data\":{\"x\":\"%zu\"}}", i);
        change(*state, "a", patch);
        watch_expect(line, "MODIFIED", "a");
        line_close(line);
    }
    drop(*state, "a");
    drop(*state, "b");
}

static void the_end_of_what_was_there_is_marked_where_bookmarks_are_wanted(void **state)
{
    static const char *const queries[] = {"allowWatchBookmarks=true", "allowWatchBookmarks=true&resourceVersion=0",
                                          "allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true"};
    make(*state, "one", "x");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        struct line *line = watch(*state, queries[i]);
        uint64_t added = watch_expect(line, "ADDED", "one");
        struct value *event = watch_event(line);
        const struct value *object = value_get(event, "object");
        assert_string_equal(value_find_text(event, "type", NULL), "BOOKMARK");
        assert_string_equal(value_find_text(object, "kind", NULL), "ConfigMap");
        assert_string_equal(value_find_text(object, "metadata", "annotations", "k8s.io/initial-events-end", NULL), "true");
        assert_true(version_of(object) >= added);
        value_free(event);
        assert_true(watch_is_quiet(line));
        line_close(line);
    }
    struct line *line = watch(*state, "allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=false");
    assert_true(watch_is_quiet(line));
    drop(*state, "one");
    watch_expect(line, "DELETED", "one");
    line_close(line);
}

static void from_a_version_nothing_is_missed_or_told_twice(void **state)
{
    uint64_t from = version_now(*state);
    char query[160];
    make(*state, "m", "x");
    change(*state, "m", "{\"data\":{\"x\":\"y\"}}");
    snprintf(query, sizeof query, "resourceVersion=%llu", (unsigned long long)from);
    struct line *line = watch(*state, query);
    uint64_t added = watch_expect(line, "ADDED", "m"), modified = watch_expect(line, "MODIFIED", "m");
    drop(*state, "m");
    uint64_t deleted = watch_expect(line, "DELETED", "m");
    assert_true(from < added && added < modified && modified < deleted);
    assert_true(watch_is_quiet(line));
    line_close(line);
    snprintf(query, sizeof query, "resourceVersion=%llu", (unsigned long long)modified);
    line = watch(*state, query);
    watch_expect(line, "DELETED", "m");
    line_close(line);
}

static void a_selector_makes_entering_new_and_leaving_gone(void **state)
{
    char query[160];
    snprintf(query, sizeof query, "labelSelector=a%%3Dx&resourceVersion=%llu", (unsigned long long)version_now(*state));
    struct line *line = watch(*state, query);
    make(*state, "s", "x");
    watch_expect(line, "ADDED", "s");
    change(*state, "s", "{\"metadata\":{\"labels\":{\"a\":\"y\"}}}");
    struct value *event = watch_event(line);
    assert_string_equal(value_find_text(event, "type", NULL), "DELETED");
    assert_string_equal(value_find_text(event, "object", "metadata", "labels", "a", NULL), "x"); /* as it was last seen */
    uint64_t left = version_of(value_get(event, "object"));
    assert_int_equal(left, version_now(*state)); /* with the version of the change */
    value_free(event);
    change(*state, "s", "{\"data\":{\"unseen\":\"1\"}}");
    assert_true(watch_is_quiet(line));
    change(*state, "s", "{\"metadata\":{\"labels\":{\"a\":\"x\"}}}");
    watch_expect(line, "ADDED", "s");
    drop(*state, "s");
    watch_expect(line, "DELETED", "s");
    make(*state, "t", "y");
    drop(*state, "t");
    assert_true(watch_is_quiet(line));
    line_close(line);
}

static void one_object_is_watched_by_its_name_or_its_old_path(void **state)
{
    make(*state, "mine", "x");
    struct line *by_field = watch(*state, "fieldSelector=metadata.name%3Dmine"),
                *by_path = watch_open(*state, "/api/v1/watch/namespaces/default/configmaps/mine", 0);
    watch_expect(by_field, "ADDED", "mine");
    watch_expect(by_path, "ADDED", "mine");
    make(*state, "other", "x");
    drop(*state, "other");
    drop(*state, "mine");
    watch_expect(by_field, "DELETED", "mine");
    watch_expect(by_path, "DELETED", "mine");
    line_close(by_field);
    line_close(by_path);
}

static void other_namespaces_and_kinds_are_not_seen(void **state)
{
    struct line *line = watch(*state, "timeoutSeconds=60");
    serve_do(*state, "POST", "/api/v1/namespaces/kube-public/configmaps", "{\"metadata\":{\"name\":\"a\"}}", 201);
    serve_do(*state, "DELETE", "/api/v1/namespaces/kube-public/configmaps/a", NULL, 200);
    serve_do(*state, "POST", "/api/v1/namespaces/default/secrets", "{\"metadata\":{\"name\":\"a\"}}", 201);
    serve_do(*state, "DELETE", "/api/v1/namespaces/default/secrets/a", NULL, 200);
    assert_true(watch_is_quiet(line));
    line_close(line);
}

static void an_expired_version_is_told_as_an_event(void **state)
{
    struct serve_world *world = *state;
    char query[160];
    struct line *open_before = watch(world, "timeoutSeconds=60");
    snprintf(query, sizeof query, "resourceVersion=%llu", (unsigned long long)version_now(world));
    assert_true(server_reset(world->server, NULL));
    struct line *later = watch(world, query);
    for (int i = 0; i < 2; i++) {
        struct line *line = i == 0 ? open_before : later;
        struct value *event = watch_event(line);
        assert_string_equal(value_find_text(event, "type", NULL), "ERROR");
        assert_string_equal(value_find_text(event, "object", "kind", NULL), "Status");
        assert_string_equal(value_find_text(event, "object", "reason", NULL), "Expired");
        assert_int_equal(value_find_int(event, 0, "object", "code", NULL), 410);
        assert_non_null(strstr(value_find_text(event, "object", "message", NULL), "too old resource version: "));
        value_free(event);
        assert_null(watch_event(line));
        line_close(line);
    }
}

static void a_version_of_the_future_waits_for_it(void **state)
{
    char query[160];
    uint64_t now = version_now(*state);
    snprintf(query, sizeof query, "resourceVersion=%llu", (unsigned long long)now + 2);
    struct line *line = watch(*state, query);
    make(*state, "f1", "x");
    make(*state, "f2", "x");
    assert_true(watch_is_quiet(line));
    make(*state, "f3", "x");
    watch_expect(line, "ADDED", "f3");
    line_close(line);
    snprintf(query, sizeof query, "resourceVersion=%llu&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", (unsigned long long)now + 1000);
    line = watch(*state, query);
    struct value *event = watch_event(line);
    assert_string_equal(value_find_text(event, "object", "reason", NULL), "Timeout");
    value_free(event);
    assert_null(watch_event(line));
    line_close(line);
    serve_do(*state, "DELETE", MAPS, NULL, 200);
}

static void it_ends_when_it_was_told_to_with_a_last_bookmark(void **state)
{
    char query[160];
    snprintf(query, sizeof query, "timeoutSeconds=1&allowWatchBookmarks=1&resourceVersion=%llu", (unsigned long long)version_now(*state));
    struct line *line = watch(*state, query);
    int64_t began = clock_monotonic_ms();
    serve_do(*state, "POST", "/api/v1/namespaces/default/secrets", "{\"metadata\":{\"name\":\"moves-the-version\"}}", 201);
    uint64_t version = watch_expect(line, "BOOKMARK", "");
    assert_int_equal(version, version_now(*state));
    assert_null(watch_event(line));
    assert_true(clock_monotonic_ms() - began >= 900);
    line_close(line);
    line = watch(*state, "timeoutSeconds=-1&resourceVersion=0");
    assert_null(watch_event(line));
    line_close(line);
    serve_do(*state, "DELETE", "/api/v1/namespaces/default/secrets/moves-the-version", NULL, 200);
}

static struct line *watch_as(struct serve_world *world, const char *accept)
{
    struct line *line = line_open(world, false, 0);
    char *header = mem_printf("Accept: %s\r\n", accept);
    line_send(line, "GET", MAPS "?watch=1&allowWatchBookmarks=1", header, NULL);
    mem_free(header);
    for (size_t seen = 0; strstr(line->got.length > 0 ? line->got.bytes : "", "\r\n\r\n") == NULL; seen++) {
        char part[4096];
        int result = SSL_read(line->ssl, part, sizeof part);
        if (result > 0)
            buf_append(&line->got, part, (size_t)result);
        else
            loop_once(world->loop, 2);
        assert_true(seen < 10000);
    }
    struct buf rest = buf_make(SIZE_MAX);
    const char *body = strstr(line->got.bytes, "\r\n\r\n") + 4;
    buf_append(&rest, body, line->got.length - (size_t)(body - line->got.bytes));
    buf_free(&line->got);
    line->got = rest;
    return line;
}

static void rows_and_metadata_can_be_watched(void **state)
{
    make(*state, "r1", "x");
    make(*state, "r2", "x");
    struct line *table = watch_as(*state, "application/json;as=Table;v=v1;g=meta.k8s.io"),
                *partial = watch_as(*state, "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
    for (int i = 0; i < 3; i++) {
        struct value *event = watch_event(table);
        const struct value *object = value_get(event, "object"), *row = value_item(value_get(object, "rows"), 0);
        assert_string_equal(value_find_text(event, "type", NULL), i < 2 ? "ADDED" : "BOOKMARK");
        assert_string_equal(value_find_text(object, "kind", NULL), "Table");
        assert_int_equal(value_type(value_get(object, "columnDefinitions")), i == 0 ? VALUE_ARRAY : VALUE_NULL); /* told once */
        assert_int_equal(value_length(value_get(object, "rows")), 1);
        assert_int_equal(version_of(object), version_of(value_get(row, "object")));
        value_free(event);
    }
    struct value *event = watch_event(partial);
    assert_string_equal(value_find_text(event, "object", "kind", NULL), "PartialObjectMetadata");
    assert_null(value_find(event, "object", "data", NULL));
    value_free(event);
    line_close(table);
    line_close(partial);
    serve_do(*state, "DELETE", MAPS, NULL, 200);
}

static void a_change_reaches_a_hundred_watchers(void **state)
{
    enum { WATCHERS = 100 };
    struct line *lines[WATCHERS];
    for (int i = 0; i < WATCHERS; i++)
        lines[i] = watch(*state, "timeoutSeconds=600");
    make(*state, "news", "x");
    for (int i = 0; i < WATCHERS; i++)
        watch_expect(lines[i], "ADDED", "news");
    assert_int_equal(server_open_requests(((struct serve_world *)*state)->server), WATCHERS);
    for (int i = 0; i < WATCHERS; i++)
        line_close(lines[i]);
    drop(*state, "news");
}

int test_serve_watch(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_version_it_begins_with_what_is_there),
        cmocka_unit_test(the_end_of_what_was_there_is_marked_where_bookmarks_are_wanted),
        cmocka_unit_test(from_a_version_nothing_is_missed_or_told_twice),
        cmocka_unit_test(a_selector_makes_entering_new_and_leaving_gone),
        cmocka_unit_test(one_object_is_watched_by_its_name_or_its_old_path),
        cmocka_unit_test(other_namespaces_and_kinds_are_not_seen),
        cmocka_unit_test(an_expired_version_is_told_as_an_event),
        cmocka_unit_test(a_version_of_the_future_waits_for_it),
        cmocka_unit_test(it_ends_when_it_was_told_to_with_a_last_bookmark),
        cmocka_unit_test(rows_and_metadata_can_be_watched),
        cmocka_unit_test(a_change_reaches_a_hundred_watchers),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
