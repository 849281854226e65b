#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kube/internal.h"
#include "kube/replay.h"

/* A model of an API server: a history, lists and watches from any version of it, and connections that break. */

enum { NAMES = 8, MAXIMUM_HISTORY = 400 };

struct change {
    long version;
    const char *type;
    int name;
    char text[256]; /* the object */
};

struct world {
    struct session *session;
    uint64_t random;
    long version, compacted;
    bool may_expire;
    struct change history[MAXIMUM_HISTORY];
    size_t changes;
    struct {
        bool alive;
        long version;
        char uid[32];
    } now[NAMES];
    struct exchange *watcher;
    size_t position; /* the next change that the watcher is told */
    unsigned breaks, expiries;
};

static unsigned roll(struct world *world, unsigned sides)
{
    world->random ^= world->random << 13;
    world->random ^= world->random >> 7;
    world->random ^= world->random << 17;
    return (unsigned)(world->random % sides);
}

static void happen(struct world *world)
{
    if (world->changes == MAXIMUM_HISTORY)
        return;
    int name = (int)roll(world, NAMES);
    struct change *change = &world->history[world->changes++];
    change->version = ++world->version;
    change->name = name;
    bool remove = world->now[name].alive && roll(world, 3) == 0;
    change->type = remove ? "DELETED" : world->now[name].alive ? "MODIFIED" : "ADDED";
    if (!world->now[name].alive)
        snprintf(world->now[name].uid, sizeof world->now[name].uid, "u%ld", change->version);
    world->now[name].alive = !remove;
    world->now[name].version = change->version;
    snprintf(change->text, sizeof change->text,
             "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%c\",\"namespace\":\"learn\",\"uid\":\"%"
             "s\",\"resourceVersion\":\"%ld\","
             "\"managedFields\":[{\"manager\":\"m\"}]},\"data\":{\"k\":\"\xe6\x95\xb0\"}}",
             'a' + name, world->now[name].uid, change->version);
}

static long number_in(const char *query, const char *key)
{
    const char *at = strstr(query, key);
    return at != NULL ? atol(at + strlen(key)) : -1;
}

static const char EXPIRED[] = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"too old "
                              "resource version\",\"reason\":\"Expired\",\"code\":410}";

static void answer_list(struct world *world, struct exchange *x)
{
    long version = world->version, from = 0, limit = number_in(exchange_query(x), "limit=");
    const char *token = strstr(exchange_query(x), "continue=");
    if (token != NULL && sscanf(token, "continue=%ldx%ld", &version, &from) != 2)
        fail();
    if (version < world->compacted) {
        world->expiries++;
        exchange_reply(x, 410, NULL, EXPIRED);
        return;
    }
    const struct change *state[NAMES] = {NULL};
    for (size_t i = 0; i < world->changes && world->history[i].version <= version; i++)
        state[world->history[i].name] = strcmp(world->history[i].type, "DELETED") == 0 ? NULL : &world->history[i];
    struct buf body = buf_make(65536);
    buf_append_string(&body, "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"items\":[");
    long sent = 0, name = from;
    for (; name < NAMES && (limit < 0 || sent < 3); name++)
        if (state[name] != NULL)
            buf_printf(&body, "%s{%s", sent++ > 0 ? "," : "",
                       strstr(state[name]->text, "\"metadata\"")); /* a list's items have no kind */
    buf_printf(&body, "],\"metadata\":{\"resourceVersion\":\"%ld\"", version);
    if (name < NAMES)
        buf_printf(&body, ",\"continue\":\"%ldx%ld\"", version, name);
    buf_append_string(&body, "}}");
    assert_true(buf_ok(&body));
    if (roll(world, 12) == 0) { /* cut in the middle of a body */
        world->breaks++;
        exchange_raw(x, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n{\"kind\":", 80);
        exchange_close(x);
    } else
        exchange_reply(x, 200, NULL, body.bytes);
    buf_free(&body);
}

static void send_in_pieces(struct world *world, const char *text, size_t length)
{
    while (length > 0) {
        size_t part = 1 + roll(world, (unsigned)length);
        exchange_send(world->watcher, text, part);
        text += part;
        length -= part;
    }
}

static void end_watcher(struct world *world)
{
    static void (*const ways[])(struct exchange * x) = {exchange_end, exchange_close, exchange_reset};
    if (world->watcher == NULL)
        return;
    world->breaks++;
    ways[roll(world, 3)](world->watcher);
    world->watcher = NULL;
}

/* Tells the watcher what it does not know yet, and breaks off at any byte now and then. */
static void pump(struct world *world)
{
    while (world->watcher != NULL && world->position < world->changes) {
        struct buf text = buf_make(4096);
        const struct change *change = &world->history[world->position];
        if (world->position > 0 && roll(world, 5) == 0)
            buf_printf(&text,
                       "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{"
                       "\"resourceVersion\":\"%ld\"}}}\n",
                       world->history[world->position - 1].version);
        buf_printf(&text, "{\"type\":\"%s\",\"object\":%s}\n", change->type, change->text);
        assert_true(buf_ok(&text));
        bool cut = roll(world, 10) == 0;
        send_in_pieces(world, text.bytes, cut ? roll(world, (unsigned)text.length + 1) : text.length);
        if (cut)
            end_watcher(world);
        else
            world->position++;
        buf_free(&text);
    }
}

static void answer_watch(struct world *world, struct exchange *x)
{
    long from = number_in(exchange_query(x), "resourceVersion=");
    assert_true(from >= 0);
    if (from < world->compacted) {
        world->expiries++;
        if (roll(world, 2) == 0) {
            exchange_reply(x, 410, NULL, EXPIRED);
            return;
        }
        char event[512];
        snprintf(event, sizeof event, "{\"type\":\"ERROR\",\"object\":%s}\n", EXPIRED);
        exchange_begin(x, 200, NULL);
        exchange_send_text(x, event);
        exchange_end(x);
        return;
    }
    if (roll(world, 8) == 0) {
        exchange_reply(x, 429, "Retry-After: 0\r\n", "");
        return;
    }
    exchange_begin(x, 200, NULL);
    world->watcher = x;
    world->position = 0;
    while (world->position < world->changes && world->history[world->position].version <= from)
        world->position++;
    size_t echoes = roll(world, 3) == 0 ? roll(world, 4) : 0; /* a server may repeat what it told */
    world->position -= echoes < world->position ? echoes : world->position;
    pump(world);
}

static void on_request(void *data, struct exchange *x)
{
    struct world *world = data;
    if (strstr(exchange_query(x), "watch=true") == NULL) {
        answer_list(world, x);
        return;
    }
    assert_non_null(strstr(exchange_query(x), "allowWatchBookmarks=true"));
    long seconds = number_in(exchange_query(x), "timeoutSeconds=");
    assert_true(seconds >= 300 && seconds <= 600);
    answer_watch(world, x);
}

static bool agrees(const struct world *world, const struct replay *replay, const struct kube_watch *watch)
{
    size_t alive = 0;
    for (int i = 0; i < NAMES; i++) {
        char name[2] = {(char)('a' + i), '\0'};
        const struct seen *seen = map_get(&replay->objects, name);
        const struct value *held = kube_watch_find(watch, "learn", name);
        alive += world->now[i].alive;
        if (world->now[i].alive != (seen != NULL) || world->now[i].alive != (held != NULL))
            return false;
        if (seen != NULL && (seen->version != world->now[i].version || strcmp(seen->uid, world->now[i].uid) != 0 ||
                             version_of(held) != seen->version))
            return false;
    }
    return kube_watch_count(watch) == alive;
}

/* Does the listener's story hold every change of the history from `from` on, in order, and nothing else? */
static bool told_everything(const struct world *world, const struct replay *replay, size_t from, size_t skip)
{
    struct buf expected = buf_make(1 << 20);
    for (size_t i = from; i < world->changes; i++) {
        const struct change *change = &world->history[i];
        char sign = change->type[0] == 'A' ? '+' : change->type[0] == 'M' ? '~' : '-';
        buf_printf(&expected, "%c%c@%ld ", sign, 'a' + change->name, change->version);
    }
    const char *told = replay_story(replay) + skip;
    bool same = strcmp(told, expected.bytes != NULL ? expected.bytes : "") == 0;
    if (!same)
        print_message("told:    %s\nhappened: %s\n", told, expected.bytes);
    buf_free(&expected);
    return same;
}

static void run_world(uint64_t seed, bool may_expire)
{
    struct session s;
    struct world *world = calloc(1, sizeof *world);
    struct replay replay = replay_make();
    session_start(&s);
    *world = (struct world){.session = &s, .random = seed * 0x9E3779B97F4A7C15u + 1, .version = 100, .may_expire = may_expire};
    server_on(s.server, "GET", WATCHED, on_request, world);
    for (unsigned i = roll(world, 20); i > 0; i--)
        happen(world);
    struct kube_watch *watch = replay_start(&s, &replay);
    size_t before = 0, skip = 0;
    if (!may_expire) { /* from the first list on, not one change may be missing */
        session_until(&s, &replay.synced);
        before = world->changes;
        skip = replay.story.length;
    }
    for (unsigned step = 0; step < 60; step++) {
        for (unsigned i = roll(world, 4); i > 0; i--)
            happen(world);
        pump(world);
        if (roll(world, 10) == 0)
            end_watcher(world);
        if (may_expire && roll(world, 8) == 0) {
            world->compacted = world->version - (long)roll(world, 3);
            end_watcher(world);
            for (unsigned i = roll(world, 6); i > 0; i--)
                happen(world);
        }
        session_pass(&s, roll(world, 3));
    }
    happen(world);
    /* What comes and goes unseen changes nothing in the end; but where nothing expires, it must be told all the same. */
    for (int i = 0; i < 2000 && (!agrees(world, &replay, watch) || (!may_expire && replay.last_version != world->version));
         i++) {
        pump(world);
        session_pass(&s, 5);
    }
    if (!agrees(world, &replay, watch))
        fail_msg("seed %llu: the cache differs from the truth; told %s", (unsigned long long)seed, replay_story(&replay));
    if (!may_expire && !told_everything(world, &replay, before, skip))
        fail_msg("seed %llu: what was told is not what happened", (unsigned long long)seed);
    kube_watch_stop(watch);
    session_end(&s);
    replay_free(&replay);
    free(world);
}

static void every_change_is_told_once_and_in_order_whatever_breaks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 25; seed++)
        run_world(seed, false);
}

static void the_cache_equals_the_truth_also_when_versions_expire(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 25; seed++)
        run_world(seed, true);
}

int test_watch_model(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_is_told_once_and_in_order_whatever_breaks),
        cmocka_unit_test(the_cache_equals_the_truth_also_when_versions_expire),
    };
    return cmocka_run_group_tests_name("watch model", tests, NULL, NULL);
}
