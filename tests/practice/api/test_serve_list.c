/* Lists: parts at one version, old versions, selectors, streams. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
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

static void make(struct serve_world *world, struct line *line, const char *ns, const char *name, const char *label, size_t bytes)
{
    char *fill = mem_alloc(bytes + 1);
    memset(fill, 'x', bytes);
    fill[bytes] = '\0';
    char *path = mem_printf("/api/v1/namespaces/%s/configmaps", ns),
         *body = mem_printf("{\"metadata\":{\"name\":\"%s\",\"labels\":{\"a\":\"%s\"}},\"data\":{\"fill\":\"%s\"}}", name, label, fill);
    struct got got;
    (void)world;
    line_ask(line, "POST", path, "Content-Type: application/json\r\n", body, &got);
    assert_int_equal(got.code, 201);
    got_free(&got);
    mem_free(fill);
    mem_free(path);
    mem_free(body);
}

static void make_many(struct serve_world *world, const char *ns, const char *prefix, int count, size_t bytes)
{
    struct line *line = line_open(world, false, 0);
    for (int i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s-%03d", prefix, i);
        make(world, line, ns, name, i % 2 == 0 ? "even" : "odd", bytes);
    }
    line_close(line);
}

static void clear(struct serve_world *world)
{
    serve_do(world, "DELETE", MAPS, NULL, 200);
    serve_do(world, "DELETE", "/api/v1/namespaces/kube-public/configmaps", NULL, 200);
}

static const char *name_at(const struct got *got, size_t index)
{
    return value_find_text(value_item(value_get(got->json, "items"), index), "metadata", "name", NULL);
}

static size_t items(const struct got *got)
{
    return value_length(value_get(got->json, "items"));
}

/* The path with the token of an answer. */
static char *next_path(const char *path, const struct got *got)
{
    const char *token = value_find_text(got->json, "metadata", "continue", NULL);
    return token != NULL ? mem_printf("%s&continue=%s", path, token) : NULL;
}

static void parts_of_a_list_are_of_one_version(void **state)
{
    struct serve_world *world = *state;
    struct got got;
    make_many(world, "default", "part", 10, 10);
    serve_ask(world, "GET", MAPS "?limit=4", NULL, NULL, &got);
    uint64_t version = version_of(got.json);
    assert_int_equal(items(&got), 4);
    assert_int_equal(value_find_int(got.json, 0, "metadata", "remainingItemCount", NULL), 6);
    char *path = next_path(MAPS "?limit=4", &got);
    got_free(&got);
    /* what happens meanwhile is not seen: one goes, one comes, one changes */
    serve_do(world, "DELETE", MAPS "/part-005", NULL, 200);
    serve_do(world, "POST", MAPS, "{\"metadata\":{\"name\":\"part-0055\"}}", 201);
    serve_do(world, "PATCH", MAPS "/part-006", "{\"data\":{\"fill\":\"new\"}}", 200);
    serve_ask(world, "GET", path, NULL, NULL, &got);
    assert_int_equal(got.code, 200);
    assert_int_equal(version_of(got.json), version);
    assert_int_equal(items(&got), 4);
    assert_string_equal(name_at(&got, 1), "part-005");
    assert_string_equal(name_at(&got, 2), "part-006");
    assert_string_equal(value_find_text(value_item(value_get(got.json, "items"), 2), "data", "fill", NULL), "xxxxxxxxxx");
    assert_int_equal(value_find_int(got.json, 0, "metadata", "remainingItemCount", NULL), 2);
    mem_free(path);
    path = next_path(MAPS "?limit=4", &got);
    got_free(&got);
    serve_ask(world, "GET", path, NULL, NULL, &got);
    assert_int_equal(items(&got), 2);
    assert_null(value_find(got.json, "metadata", "continue", NULL));
    assert_null(value_find(got.json, "metadata", "remainingItemCount", NULL));
    got_free(&got);
    mem_free(path);
    clear(world);
}

static void a_list_of_all_namespaces_goes_on_behind_the_right_object(void **state)
{
    struct serve_world *world = *state;
    make_many(world, "default", "a", 3, 1);
    make_many(world, "kube-public", "b", 3, 1);
    char *path = mem_string("/api/v1/configmaps?limit=2&labelSelector=a");
    int seen = 0, rounds = 0;
    while (path != NULL) {
        struct got got;
        serve_ask(world, "GET", path, NULL, NULL, &got);
        assert_int_equal(got.code, 200);
        for (size_t i = 0; i < items(&got); i++, seen++) {
            char name[16];
            snprintf(name, sizeof name, "%c-%03d", seen < 3 ? 'a' : 'b', seen % 3);
            assert_string_equal(name_at(&got, i), name);
        }
        assert_null(value_find(got.json, "metadata", "remainingItemCount", NULL)); /* nobody counts behind a selector */
        mem_free(path);
        path = next_path("/api/v1/configmaps?limit=2&labelSelector=a", &got);
        got_free(&got);
        rounds++;
    }
    assert_int_equal(seen, 6);
    assert_int_equal(rounds, 3);
    clear(world);
}

static void an_old_version_is_listed_as_it_was(void **state)
{
    struct serve_world *world = *state;
    struct got before, got;
    make_many(world, "default", "old", 5, 10);
    serve_ask(world, "GET", MAPS, NULL, NULL, &before);
    serve_do(world, "DELETE", MAPS "/old-002", NULL, 200);
    serve_do(world, "PATCH", MAPS "/old-003", "{\"data\":{\"fill\":\"new\"}}", 200);
    char *path = mem_printf(MAPS "?resourceVersion=%llu&resourceVersionMatch=Exact", (unsigned long long)version_of(before.json));
    serve_ask(world, "GET", path, NULL, NULL, &got);
    assert_true(value_equal(before.json, got.json));
    got_free(&got);
    mem_free(path);
    path = mem_printf(MAPS "?resourceVersion=%llu", (unsigned long long)version_of(before.json)); /* not older than */
    serve_ask(world, "GET", path, NULL, NULL, &got);
    assert_int_equal(items(&got), 4);
    got_free(&got);
    mem_free(path);
    got_free(&before);
    clear(world);
}

static void an_expired_version_is_410_and_a_token_shows_how_to_go_on(void **state)
{
    struct serve_world *world = *state;
    struct got got;
    struct error err = ERROR_INIT;
    make_many(world, "default", "exp", 5, 10);
    serve_ask(world, "GET", MAPS "?limit=2", NULL, NULL, &got);
    char *path = next_path(MAPS "?limit=2", &got),
         *exact = mem_printf(MAPS "?resourceVersion=%llu&resourceVersionMatch=Exact", (unsigned long long)version_of(got.json));
    got_free(&got);
    assert_true(server_reset(world->server, &err));
    make_many(world, "default", "exp", 5, 10);
    serve_ask(world, "GET", exact, NULL, NULL, &got);
    assert_int_equal(got.code, 410);
    assert_string_equal(value_find_text(got.json, "reason", NULL), "Expired");
    got_free(&got);
    serve_ask(world, "GET", path, NULL, NULL, &got);
    assert_int_equal(got.code, 410);
    mem_free(path);
    path = next_path(MAPS "?limit=2", &got);
    assert_non_null(path);
    got_free(&got);
    serve_ask(world, "GET", path, NULL, NULL, &got); /* inconsistent, but on */
    assert_int_equal(got.code, 200);
    assert_string_equal(name_at(&got, 0), "exp-002");
    got_free(&got);
    mem_free(path);
    mem_free(exact);
    clear(world);
}

static void selectors_choose_by_the_index(void **state)
{
    struct serve_world *world = *state;
    static const struct {
        const char *query;
        size_t count;
    } asks[] = {
        {"labelSelector=a%3Deven", 3},
        {"labelSelector=a!%3Deven", 2},
        {"labelSelector=a+in+(odd,none)", 2},
        {"labelSelector=!a", 0},
        {"labelSelector=a,a%3Dodd", 2},
        {"labelSelector=a+notin+(odd,even)", 0},
        {"fieldSelector=metadata.name%3Dsel-001", 1},
        {"fieldSelector=metadata.name!%3Dsel-001", 4},
        {"fieldSelector=metadata.namespace%3Ddefault", 5},
        {"fieldSelector=metadata.namespace%3Dkube-public", 0},
        {"labelSelector=a%3Deven&fieldSelector=metadata.name%3Dsel-001", 0},
    };
    make_many(world, "default", "sel", 5, 10);
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        struct got got;
        char *path = mem_printf(MAPS "?%s", asks[i].query);
        serve_ask(world, "GET", path, NULL, NULL, &got);
        assert_int_equal(items(&got), asks[i].count);
        got_free(&got);
        mem_free(path);
    }
    clear(world);
}

static void a_long_list_comes_in_parts_and_whole(void **state)
{
    struct serve_world *world = *state;
    struct got plain, pretty, table;
    make_many(world, "default", "long", 200, 4000);
    serve_ask(world, "GET", MAPS, NULL, NULL, &plain);
    assert_non_null(strcasestr(plain.head, "\r\nTransfer-Encoding: chunked"));
    assert_int_equal(items(&plain), 200);
    assert_true(plain.length > 800000);
    serve_ask(world, "GET", MAPS "?pretty=1", NULL, NULL, &pretty);
    assert_true(value_equal(plain.json, pretty.json));
    assert_non_null(strstr(pretty.text, "\n    {\n      \"metadata\": {\n"));
    serve_ask(world, "GET", MAPS, "Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n", NULL, &table);
    assert_string_equal(value_find_text(table.json, "kind", NULL), "Table");
    assert_int_equal(value_length(value_get(table.json, "rows")), 200);
    got_free(&plain);
    got_free(&pretty);
    got_free(&table);
    clear(world);
}

static void who_reads_slowly_gets_the_list_as_it_was(void **state)
{
    struct serve_world *world = *state;
    make_many(world, "default", "slow", 300, 8000);
    struct line *slow = line_open(world, false, 4096);
    line_send(slow, "GET", MAPS, NULL, NULL);
    for (int i = 0; i < 50; i++)
        loop_once(world->loop, 1); /* what fits is on its way, nobody reads */
    serve_do(world, "DELETE", MAPS, NULL, 200);
    struct got got;
    line_answer(slow, &got);
    assert_int_equal(items(&got), 300);
    got_free(&got);
    line_close(slow);
}

static void who_goes_away_in_the_middle_leaves_nothing(void **state)
{
    struct serve_world *world = *state;
    make_many(world, "default", "gone", 300, 8000);
    struct line *line = line_open(world, false, 4096);
    line_send(line, "GET", MAPS, NULL, NULL);
    for (int i = 0; i < 20; i++)
        loop_once(world->loop, 1);
    assert_int_equal(server_open_requests(world->server), 1);
    line_close(line);
    for (int i = 0; i < 500 && server_open_requests(world->server) > 0; i++)
        loop_once(world->loop, 1);
    assert_int_equal(server_open_requests(world->server), 0);
    clear(world);
}

int test_serve_list(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_a_list_are_of_one_version),
        cmocka_unit_test(a_list_of_all_namespaces_goes_on_behind_the_right_object),
        cmocka_unit_test(an_old_version_is_listed_as_it_was),
        cmocka_unit_test(an_expired_version_is_410_and_a_token_shows_how_to_go_on),
        cmocka_unit_test(selectors_choose_by_the_index),
        cmocka_unit_test(a_long_list_comes_in_parts_and_whole),
        cmocka_unit_test(who_reads_slowly_gets_the_list_as_it_was),
        cmocka_unit_test(who_goes_away_in_the_middle_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
