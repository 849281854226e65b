/* Twenty megabytes of ConfigMaps in one page: an answer, in bounded memory. The server is a process of its own, so that only
 * the client counts. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "kube/session.h"
#include "kube/watch.h"

int test_large(void);

enum {
    OBJECTS = 20,
    MEGABYTE = 1 << 20,
    MOST = 100 * MEGABYTE /* the text, which grows by doubling, and what is made of it */,
    MOST_KEPT = 30 * MEGABYTE
};

static const struct kube_resource config_maps = {
    .group = "", .version = "v1", .plural = "configmaps", .kind = "ConfigMap", .namespaced = true, .verbs = 255};

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static size_t allocated(void)
{
    struct mallinfo2 info = mallinfo2();
    return __sanitizer_get_current_allocated_bytes != NULL ? __sanitizer_get_current_allocated_bytes()
                                                           : info.uordblks + info.hblkhd;
}

static void answer(void *data, struct exchange *x)
{
    (void)data;
    if (strstr(exchange_query(x), "watch=true") != NULL) {
        exchange_begin(x, 200, NULL);
        return;
    }
    struct buf body = buf_make(2 * OBJECTS * MEGABYTE);
    buf_append_string(&body,
                      "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[");
    for (int i = 0; i < OBJECTS; i++) {
        buf_printf(&body,
                   "%s{\"metadata\":{\"name\":\"large-%d\",\"namespace\":\"learn\",\"uid\":\"u%d\",\"resourceVersion\":\"7\"},"
                   "\"data\":{\"text\":\"",
                   i > 0 ? "," : "", i, i);
        for (size_t end = body.length + MEGABYTE; body.length < end;)
            buf_append_string(&body, "one line of a file that somebody has put into a ConfigMap\\n");
        buf_append_string(&body, "\"}}");
    }
    buf_append_string(&body, "]}");
    assert_true(buf_ok(&body) && body.length > (size_t)OBJECTS * MEGABYTE);
    exchange_reply(x, 200, NULL, body.bytes);
    buf_free(&body);
}

static void set_up(struct server *server)
{
    server_on(server, "GET", "/api/v1/namespaces/learn/configmaps", answer, NULL);
}

struct reading {
    struct outcome outcome; /* first: outcome_take is given the whole */
    size_t before, most, items;
    bool synced;
};

static void note_memory(struct reading *reading)
{
    size_t now = allocated();
    size_t more = now > reading->before ? now - reading->before : 0;
    reading->most = more > reading->most ? more : reading->most;
}

static void on_page(void *data, struct value *items)
{
    struct reading *reading = data;
    reading->items += value_length(items);
    note_memory(reading);
}

static void a_list_of_twenty_megabytes_is_read(void **state)
{
    (void)state;
    struct session s;
    struct reading reading = {.items = 0};
    session_start_apart(&s, set_up);
    assert_true(session_client(&s));
    reading.before = allocated();
    const struct kube_target all = {.resource = &config_maps, .ns = "learn"};
    assert_non_null(kube_list(s.client, &all, &(struct kube_list_options){.limit = 0}, on_page, outcome_take, &reading, NULL));
    session_until(&s, &reading.outcome.done);
    assert_int_equal(reading.outcome.error.kind, ERROR_NONE);
    assert_int_equal(reading.items, OBJECTS);
    assert_in_range(reading.most, 0, MOST);
    outcome_free(&reading.outcome);
    size_t after = allocated();
    assert_true(after < reading.before + MEGABYTE); /* and all of it is given back */
    session_end(&s);
}

static void on_change(void *data, enum kube_change change, const struct value *object, const struct value *old)
{
    struct reading *reading = data;
    (void)object;
    (void)old;
    reading->items += change == KUBE_ADDED;
    note_memory(reading);
}

static void on_synced(void *data)
{
    struct reading *reading = data;
    note_memory(reading);
    reading->synced = true;
}

static void a_watch_over_twenty_megabytes_keeps_them_once(void **state)
{
    (void)state;
    static const struct kube_watch_listener listener = {.changed = on_change, .synced = on_synced};
    struct session s;
    struct reading reading = {.items = 0};
    struct error err = ERROR_INIT;
    session_start_apart(&s, set_up);
    assert_true(session_client(&s));
    reading.before = allocated();
    struct kube_watch_options options = {.resource = &config_maps, .ns = "learn"};
    struct kube_watch *watch = kube_watch_start(s.client, &options, &listener, &reading, &err);
    assert_non_null(watch);
    session_until(&s, &reading.synced);
    assert_int_equal(reading.items, OBJECTS);
    assert_in_range(reading.most, 0, MOST);
    session_pass(&s, 50); /* what was read is let go */
    size_t kept = allocated() - reading.before;
    assert_in_range(kept, 0, MOST_KEPT);
    assert_non_null(kube_watch_find(watch, "learn", "large-19"));
    kube_watch_stop(watch);
    session_end(&s);
}

int test_large(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_twenty_megabytes_is_read),
        cmocka_unit_test(a_watch_over_twenty_megabytes_keeps_them_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
