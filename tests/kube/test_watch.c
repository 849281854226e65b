#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "kube/internal.h"
#include "kube/replay.h"

static long number_in(const char *query, const char *key)
{
    const char *at = strstr(query, key);
    return at != NULL ? atol(at + strlen(key)) : -1;
}

static const char EXPIRED[] = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"too old "
                              "resource version\",\"reason\":\"Expired\",\"code\":410}";

static const char OBJECT[] = "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\",\"namespace\":"
                             "\"learn\",\"uid\":\"%s\",\"resourceVersion\":\"%d\"}}";

struct script { /* answers: a list each time, and what the watches do one after the other */
    const char *lists[4];
    size_t list;
    struct exchange *watches[16];
    size_t watch_count;
    bool watched; /* a watch has just been asked for */
};

static void scripted(void *data, struct exchange *x)
{
    struct script *script = data;
    if (strstr(exchange_query(x), "watch=true") == NULL) {
        const char *list = script->lists[script->list];
        if (script->lists[script->list + 1] != NULL)
            script->list++;
        exchange_reply(x, 200, NULL, list);
        return;
    }
    assert_true(script->watch_count < 16);
    script->watches[script->watch_count++] = x;
    script->watched = true;
}

static struct exchange *next_watch(struct session *s, struct script *script)
{
    session_until(s, &script->watched);
    script->watched = false;
    return script->watches[script->watch_count - 1];
}

static void send_event(struct exchange *x, const char *type, const char *name, const char *uid, int version)
{
    char object[512], event[1024];
    snprintf(object, sizeof object, OBJECT, name, uid, version);
    snprintf(event, sizeof event, "{\"type\":\"%s\",\"object\":%s}\n", type, object);
    exchange_send_text(x, event);
}

static void wait_changes(struct session *s, struct replay *replay, unsigned changes)
{
    for (int i = 0; i < 2000 && replay->changes < changes; i++)
        session_pass(s, 5);
    assert_int_equal(replay->changes, changes);
}

#define LIST(version, items)                                                                                                   \
    "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" version "\"},\"items\":[" items   \
    "]}"
#define ITEM(name, uid, version)                                                                                               \
    "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"learn\",\"uid\":\"" uid "\",\"resourceVersion\":\"" version "\"}}"

static void a_list_after_410_tells_only_what_differs(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = replay_make();
    struct script script = {.lists = {LIST("10", ITEM("same", "u1", "3") "," ITEM("changed", "u2", "4") "," ITEM(
                                                     "gone", "u3", "5") "," ITEM("reborn", "u4", "6")),
                                      LIST("20", ITEM("same", "u1", "3") "," ITEM("changed", "u2", "14") "," ITEM(
                                                     "reborn", "u9", "16") "," ITEM("fresh", "u7", "17"))}};
    session_start(&s);
    server_on(s.server, "GET", WATCHED, scripted, &script);
    struct kube_watch *watch = replay_start(&s, &replay);
    exchange_reply(next_watch(&s, &script), 410, NULL, EXPIRED);
    next_watch(&s, &script);
    assert_string_equal(replay_story(&replay),
                        "+same@3 +changed@4 +gone@5 +reborn@6 ~changed@14 -reborn@6 +reborn@16 +fresh@17 -gone@5 ");
    assert_int_equal(replay.syncs, 2);
    assert_int_equal(replay.troubles, 0); /* nothing a person must hear of */
    size_t cursor = 0;
    static const char *const order[] = {"changed", "fresh", "reborn", "same"};
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(value_find_text(kube_watch_next(watch, &cursor), "metadata", "name", NULL), order[i]);
    assert_null(kube_watch_next(watch, &cursor));
    kube_watch_stop(watch);
    session_end(&s);
    replay_free(&replay);
}

static void expiring_list(void *data, struct exchange *x)
{
    unsigned *lists = data;
    if (strstr(exchange_query(x), "watch=true") != NULL)
        exchange_begin(x, 200, NULL);
    else if (strstr(exchange_query(x), "continue=") != NULL)
        exchange_reply(x, 410, NULL, EXPIRED);
    else if ((*lists)++ == 0)
        exchange_reply(x, 200, NULL,
                       "{\"metadata\":{\"resourceVersion\":\"10\",\"continue\":\"c\"},\"items\":[" ITEM(
                           "a", "u1", "3") "," ITEM("b", "u2", "4") "]}");
    else
        exchange_reply(x, 200, NULL, LIST("20", ITEM("a", "u1", "3")));
}

static void what_went_while_a_list_expired_is_told_as_deleted(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = replay_make();
    unsigned lists = 0;
    session_start(&s);
    server_on(s.server, "GET", WATCHED, expiring_list, &lists);
    struct kube_watch *watch = replay_start(&s, &replay);
    session_until(&s, &replay.synced);
    assert_string_equal(replay_story(&replay), "+a@3 +b@4 -b@4 ");
    assert_int_equal(replay.syncs, 1);
    kube_watch_stop(watch);
    session_end(&s);
    replay_free(&replay);
}

static void bookmarks_move_the_version_on(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = replay_make();
    struct script script = {.lists = {LIST("10", "")}};
    session_start(&s);
    server_on(s.server, "GET", WATCHED, scripted, &script);
    struct kube_watch *watch = replay_start(&s, &replay);
    struct exchange *x = next_watch(&s, &script);
    exchange_begin(x, 200, NULL);
    exchange_send_text(
        x, "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"metadata\":{\"resourceVersion\":\"77\"}}}\n");
    exchange_end(x);
    x = next_watch(&s, &script);
    assert_int_equal(number_in(exchange_query(x), "resourceVersion="), 77);
    assert_int_equal(replay.troubles, 0);
    kube_watch_stop(watch);
    session_end(&s);
    replay_free(&replay);
}

static void trouble_is_told_waits_and_ends(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = replay_make();
    struct script script = {.lists = {LIST("10", "")}};
    session_start(&s);
    server_on(s.server, "GET", WATCHED, scripted, &script);
    struct kube_watch *watch = replay_start(&s, &replay);
    exchange_reply(next_watch(&s, &script), 401, NULL,
                   "{\"kind\":\"Status\",\"code\":401,\"reason\":\"Unauthorized\",\"message\":\"Unauthorized\"}");
    session_until(&s, &replay.troubled);
    assert_int_equal(replay.last.kind, ERROR_UNAUTHENTICATED);
    assert_ptr_not_equal(kube_watch_trouble(watch), NULL);
    replay.troubled = false;
    exchange_reply(next_watch(&s, &script), 500, NULL, "oh");
    session_until(&s, &replay.troubled);
    assert_int_equal(replay.recoveries, 0);
    struct exchange *x = next_watch(&s, &script);
    assert_int_equal(number_in(exchange_query(x), "resourceVersion="), 10); /* nothing was lost: no new list */
    exchange_begin(x, 200, NULL);
    session_until(&s, &replay.recovered); /* the head is enough: no event need come */
    assert_null(kube_watch_trouble(watch));
    send_event(x, "ADDED", "a", "u", 11);
    wait_changes(&s, &replay, 1);
    kube_watch_stop(watch);
    session_end(&s);
    replay_free(&replay);
}

static void a_busy_server_is_given_the_time_it_asks_for(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = replay_make();
    struct script script = {.lists = {LIST("10", "")}};
    session_start(&s);
    server_on(s.server, "GET", WATCHED, scripted, &script);
    struct kube_watch *watch = replay_start(&s, &replay);
    exchange_reply(next_watch(&s, &script), 429, "Retry-After: 60\r\n", "");
    session_until(&s, &replay.troubled);
    assert_int_equal(replay.last.kind, ERROR_BUSY);
    assert_true(replay.retry_ms >= 60000);
    session_pass(&s, 30);
    assert_int_equal(script.watch_count, 1);
    kube_watch_retry_now(watch);
    next_watch(&s, &script);
    kube_watch_stop(watch);
    session_end(&s);
    replay_free(&replay);
}

static void what_may_not_be_read_is_asked_for_slowly(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = replay_make();
    session_start(&s);
    server_answer(s.server, "GET", WATCHED, 403, NULL,
                  "{\"kind\":\"Status\",\"code\":403,\"reason\":\"Forbidden\",\"message\":\"configmaps is forbidden\"}");
    struct kube_watch *watch = replay_start(&s, &replay);
    kube_watch_set_backoff(watch, 500);
    session_until(&s, &replay.troubled);
    assert_int_equal(replay.last.kind, ERROR_DENIED);
    assert_true(replay.retry_ms >= 15000);
    assert_false(kube_watch_synced(watch));
    server_answer(s.server, "GET", WATCHED, 200, NULL, LIST("10", ITEM("a", "u", "1")));
    kube_watch_retry_now(watch);
    session_until(&s, &replay.synced);
    kube_watch_stop(watch);
    session_end(&s);
    replay_free(&replay);
}

static void bad_lines_lead_to_a_new_list(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{\"type\":\"ADDED\",\"object\":{\n",
        "[]\n",
        "{}\n",
        "null\n",
        "{\"type\":\"SURPRISE\",\"object\":{}}\n",
        "{\"type\":\"ADDED\",\"object\":null}\n",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":\"99\"}}}\n",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}\n",
        "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":500,\"message\":\"etcd is gone\"}}\n",
    };
    struct session s;
    struct replay replay = replay_make();
    struct script script = {.lists = {LIST("10", ITEM("a", "u", "1"))}};
    session_start(&s);
    server_on(s.server, "GET", WATCHED, scripted, &script);
    struct kube_watch *watch = replay_start(&s, &replay);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct exchange *x = next_watch(&s, &script);
        unsigned syncs = replay.syncs;
        if (replay.troubles != i)
            fail_msg("before line %zu: %u troubles, the last is %s (%s)", i, replay.troubles, replay.last.message,
                     replay.last.cause);
        exchange_begin(x, 200, NULL);
        exchange_send_text(x, bad[i]);
        replay.synced = false;
        session_until(&s, &replay.synced);
        assert_int_equal(replay.syncs, syncs + 1);
        assert_int_equal(replay.troubles, i + 1);
    }
    assert_string_equal(replay_story(&replay), "+a@1 ");
    kube_watch_stop(watch);
    session_end(&s);
    replay_free(&replay);
}

static void an_endless_line_is_cut_off(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = replay_make();
    struct script script = {.lists = {LIST("10", "")}};
    session_start(&s);
    server_on(s.server, "GET", WATCHED, scripted, &script);
    struct kube_watch *watch = replay_start(&s, &replay);
    struct exchange *x = next_watch(&s, &script);
    exchange_begin(x, 200, NULL);
    char *block = calloc(1, 1 << 20);
    memset(block, 'x', 1 << 20);
    for (int i = 0; i < 9; i++)
        exchange_send(x, block, 1 << 20);
    free(block);
    session_until(&s, &replay.troubled);
    assert_int_equal(replay.last.kind, ERROR_LIMIT);
    kube_watch_stop(watch);
    session_end(&s);
    replay_free(&replay);
}

static void it_may_be_stopped_from_inside_anything(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = replay_make();
    struct script script = {.lists = {LIST("10", ITEM("a", "u", "1") "," ITEM("b", "v", "2")), LIST("10", "")}};
    session_start(&s);
    server_on(s.server, "GET", WATCHED, scripted, &script);
    struct kube_watch *watch = replay_start(&s, &replay);
    replay.stop = watch; /* in the middle of a list */
    wait_changes(&s, &replay, 1);
    session_pass(&s, 20);
    assert_int_equal(replay.changes, 1);
    assert_int_equal(replay.syncs, 0);
    replay_free(&replay);
    replay = replay_make();
    watch = replay_start(&s, &replay);
    replay.stop = watch; /* in the middle of events that came together */
    struct exchange *x = next_watch(&s, &script);
    exchange_begin(x, 200, NULL);
    send_event(x, "ADDED", "a", "u", 11);
    send_event(x, "ADDED", "b", "v", 12);
    wait_changes(&s, &replay, 1);
    session_pass(&s, 20);
    assert_int_equal(replay.changes, 1);
    watch = replay_start(&s, &replay); /* before anything came */
    kube_watch_stop(watch);
    session_end(&s);
    replay_free(&replay);
}

static void what_cannot_be_watched_is_refused(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = replay_make();
    struct kube_resource metrics = configmaps;
    metrics.verbs = KUBE_VERB_GET | KUBE_VERB_LIST;
    struct error err = ERROR_INIT;
    session_start(&s);
    assert_null(kube_watch_start(s.client, &(struct kube_watch_options){.resource = &metrics, .ns = "learn"}, &replay_listener,
                                 &replay, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_null(kube_watch_start(s.client, &(struct kube_watch_options){.resource = &configmaps, .ns = "../kube-system"},
                                 &replay_listener, &replay, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    session_end(&s);
}

static void answer_apart(void *data, struct exchange *x)
{
    (void)data;
    if (strstr(exchange_query(x), "watch=true") == NULL) {
        exchange_reply(x, 200, NULL, LIST("10", ITEM("a", "u", "1")));
        return;
    }
    exchange_begin(x, 200, NULL);
    for (int i = 11; i < 15; i++)
        send_event(x, i == 11 ? "ADDED" : "MODIFIED", "b", "v", i);
}

static void serve_watch(struct server *server)
{
    server_on(server, "GET", WATCHED, answer_apart, NULL);
}

static void a_watch_survives_every_allocation_failing(void **state)
{
    (void)state;
    static const struct kube_watch_listener nobody; /* the replay's own allocations must not fail */
    struct session s;
    unsigned started = 0;
    session_start_apart(&s, serve_watch);
    for (int nth = 1; nth < 400; nth++) {
        assert_true(session_client(&s));
        mem_fail_at(nth);
        struct kube_watch_options options = {.resource = &configmaps, .ns = "learn"};
        struct kube_watch *watch = kube_watch_start(s.client, &options, &nobody, NULL, NULL);
        if (watch != NULL) {
            started++;
            kube_watch_set_backoff(watch, 1);
            for (int i = 0;
                 i < 5000 && kube_watch_count(watch) + (size_t)version_of(kube_watch_find(watch, "learn", "b")) != 16; i++)
                loop_once(s.loop, 10);
            mem_fail_at(0);
            if (kube_watch_count(watch) != 2)
                fail_msg("failure %d: %zu objects, trouble %s", nth, kube_watch_count(watch),
                         kube_watch_trouble(watch) != NULL ? kube_watch_trouble(watch)->message : "none");
            assert_int_equal(version_of(kube_watch_find(watch, "learn", "b")), 14);
            kube_watch_stop(watch);
        }
        mem_fail_at(0);
        session_drop_client(&s);
    }
    assert_true(started > 300);
    session_end(&s);
}

int test_watch(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_after_410_tells_only_what_differs),
        cmocka_unit_test(what_went_while_a_list_expired_is_told_as_deleted),
        cmocka_unit_test(bookmarks_move_the_version_on),
        cmocka_unit_test(trouble_is_told_waits_and_ends),
        cmocka_unit_test(a_busy_server_is_given_the_time_it_asks_for),
        cmocka_unit_test(what_may_not_be_read_is_asked_for_slowly),
        cmocka_unit_test(bad_lines_lead_to_a_new_list),
        cmocka_unit_test(an_endless_line_is_cut_off),
        cmocka_unit_test(it_may_be_stopped_from_inside_anything),
        cmocka_unit_test(what_cannot_be_watched_is_refused),
        cmocka_unit_test(a_watch_survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
