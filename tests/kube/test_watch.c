#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "data/json.h"
#include "kube/internal.h"
#include "kube/session.h"
#include "kube/watch.h"

#define PATH "/api/v1/namespaces/learn/configmaps"

static const struct kube_resource configmaps = {.group = "", .version = "v1", .plural = "configmaps", .singular = "configmap", .kind = "ConfigMap",
                                                .namespaced = true, .verbs = 255};

/* --- what a listener was told, and whether it makes sense --- */

struct seen { /* an object as the listener knows it */
    char uid[32];
    long version;
};

struct replay {
    struct map objects; /* name to struct seen */
    struct buf story;   /* "+a@3 ~a@4 -a@5 ", every change in order */
    unsigned syncs, troubles, recoveries;
    bool synced, troubled, recovered;
    struct error last;
    int64_t retry_ms;
    struct kube_watch *stop; /* is stopped at the next change */
    long last_version;
    unsigned changes;
};

static long version_of(const struct value *object)
{
    const char *text = value_find_text(object, "metadata", "resourceVersion", NULL);
    return text != NULL ? atol(text) : -1;
}

static void changed(void *data, enum kube_change change, const struct value *object, const struct value *old)
{
    struct replay *replay = data;
    const char *name = value_find_text(object, "metadata", "name", NULL), *uid = value_find_text(object, "metadata", "uid", NULL);
    struct seen *seen = map_get(&replay->objects, name);
    assert_true((old == NULL) == (change == KUBE_ADDED));
    assert_null(value_find(object, "metadata", "managedFields", NULL));
    assert_string_equal(value_find_text(object, "kind", NULL), "ConfigMap");
    replay->changes++;
    replay->last_version = version_of(object);
    buf_printf(&replay->story, "%c%s@%ld ", "+~-"[change], name, version_of(object));
    if (change == KUBE_ADDED) {
        assert_null(seen);
        seen = calloc(1, sizeof *seen);
        assert_true(map_set(&replay->objects, name, seen));
    } else {
        assert_non_null(seen);
        assert_string_equal(seen->uid, uid);
        assert_string_equal(value_find_text(old, "metadata", "uid", NULL), uid);
        assert_int_equal(version_of(old), seen->version);
        if (change == KUBE_MODIFIED)
            assert_true(version_of(object) > seen->version);
    }
    if (change == KUBE_DELETED) {
        map_remove(&replay->objects, name);
    } else {
        snprintf(seen->uid, sizeof seen->uid, "%s", uid);
        seen->version = version_of(object);
    }
    struct kube_watch *stop = replay->stop;
    replay->stop = NULL;
    kube_watch_stop(stop);
}

static void on_sync(void *data)
{
    struct replay *replay = data;
    replay->syncs++;
    replay->synced = true;
}

static void on_trouble(void *data, const struct error *error, int64_t retry_ms)
{
    struct replay *replay = data;
    if (error == NULL) {
        replay->recoveries++;
        replay->recovered = true;
        return;
    }
    replay->troubles++;
    replay->troubled = true;
    replay->last = *error;
    replay->retry_ms = retry_ms;
}

static const struct kube_watch_listener listener = {.changed = changed, .synced = on_sync, .trouble = on_trouble};

static struct replay new_replay(void)
{
    return (struct replay){.objects = map_make(1000, free), .story = buf_make(1 << 20)};
}

static void free_replay(struct replay *replay)
{
    map_free(&replay->objects);
    buf_free(&replay->story);
}

static const char *story(const struct replay *replay)
{
    return replay->story.bytes != NULL ? replay->story.bytes : "";
}

static struct kube_watch *start(struct session *s, struct replay *replay)
{
    struct kube_watch_options options = {.resource = &configmaps, .ns = "learn"};
    struct error err = ERROR_INIT;
    struct kube_watch *watch = kube_watch_start(s->client, &options, &listener, replay, &err);
    assert_non_null(watch);
    kube_watch_set_backoff(watch, 2);
    return watch;
}

/* --- a model of an API server: a history, lists and watches from any version of it --- */

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
    struct { bool alive; long version; char uid[32]; } now[NAMES];
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
             "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%c\",\"namespace\":\"learn\",\"uid\":\"%s\",\"resourceVersion\":\"%ld\","
             "\"managedFields\":[{\"manager\":\"m\"}]},\"data\":{\"k\":\"\xe6\x95\xb0\"}}",
             'a' + name, world->now[name].uid, change->version);
}

static long number_in(const char *query, const char *key)
{
    const char *at = strstr(query, key);
    return at != NULL ? atol(at + strlen(key)) : -1;
}

static const char EXPIRED[] = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"too old resource version\",\"reason\":\"Expired\",\"code\":410}";

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
            buf_printf(&body, "%s{%s", sent++ > 0 ? "," : "", strstr(state[name]->text, "\"metadata\"")); /* a list's items have no kind */
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
    static void (*const ways[])(struct exchange *x) = {exchange_end, exchange_close, exchange_reset};
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
            buf_printf(&text, "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"%ld\"}}}\n",
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
        if (seen != NULL && (seen->version != world->now[i].version || strcmp(seen->uid, world->now[i].uid) != 0 || version_of(held) != seen->version))
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
    const char *told = story(replay) + skip;
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
    struct replay replay = new_replay();
    session_start(&s);
    *world = (struct world){.session = &s, .random = seed * 0x9E3779B97F4A7C15u + 1, .version = 100, .may_expire = may_expire};
    server_on(s.server, "GET", PATH, on_request, world);
    for (unsigned i = roll(world, 20); i > 0; i--)
        happen(world);
    struct kube_watch *watch = start(&s, &replay);
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
    for (int i = 0; i < 2000 && (!agrees(world, &replay, watch) || (!may_expire && replay.last_version != world->version)); i++) {
        pump(world);
        session_pass(&s, 5);
    }
    if (!agrees(world, &replay, watch))
        fail_msg("seed %llu: the cache differs from the truth; told %s", (unsigned long long)seed, story(&replay));
    if (!may_expire && !told_everything(world, &replay, before, skip))
        fail_msg("seed %llu: what was told is not what happened", (unsigned long long)seed);
    kube_watch_stop(watch);
    session_end(&s);
    free_replay(&replay);
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

/* --- single cases --- */

static const char OBJECT[] = "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"learn\",\"uid\":\"%s\",\"resourceVersion\":\"%d\"}}";

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

#define LIST(version, items) "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" version "\"},\"items\":[" items "]}"
#define ITEM(name, uid, version) "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"learn\",\"uid\":\"" uid "\",\"resourceVersion\":\"" version "\"}}"

static void a_list_after_410_tells_only_what_differs(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = new_replay();
    struct script script = {.lists = {LIST("10", ITEM("same", "u1", "3") "," ITEM("changed", "u2", "4") "," ITEM("gone", "u3", "5") "," ITEM("reborn", "u4", "6")),
                                      LIST("20", ITEM("same", "u1", "3") "," ITEM("changed", "u2", "14") "," ITEM("reborn", "u9", "16") "," ITEM("fresh", "u7", "17"))}};
    session_start(&s);
    server_on(s.server, "GET", PATH, scripted, &script);
    struct kube_watch *watch = start(&s, &replay);
    exchange_reply(next_watch(&s, &script), 410, NULL, EXPIRED);
    next_watch(&s, &script);
    assert_string_equal(story(&replay), "+same@3 +changed@4 +gone@5 +reborn@6 ~changed@14 -reborn@6 +reborn@16 +fresh@17 -gone@5 ");
    assert_int_equal(replay.syncs, 2);
    assert_int_equal(replay.troubles, 0); /* nothing a person must hear of */
    size_t cursor = 0;
    static const char *const order[] = {"changed", "fresh", "reborn", "same"};
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(value_find_text(kube_watch_next(watch, &cursor), "metadata", "name", NULL), order[i]);
    assert_null(kube_watch_next(watch, &cursor));
    kube_watch_stop(watch);
    session_end(&s);
    free_replay(&replay);
}

static void bookmarks_move_the_version_on(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = new_replay();
    struct script script = {.lists = {LIST("10", "")}};
    session_start(&s);
    server_on(s.server, "GET", PATH, scripted, &script);
    struct kube_watch *watch = start(&s, &replay);
    struct exchange *x = next_watch(&s, &script);
    exchange_begin(x, 200, NULL);
    exchange_send_text(x, "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"metadata\":{\"resourceVersion\":\"77\"}}}\n");
    exchange_end(x);
    x = next_watch(&s, &script);
    assert_int_equal(number_in(exchange_query(x), "resourceVersion="), 77);
    assert_int_equal(replay.troubles, 0);
    kube_watch_stop(watch);
    session_end(&s);
    free_replay(&replay);
}

static void trouble_is_told_waits_and_ends(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = new_replay();
    struct script script = {.lists = {LIST("10", "")}};
    session_start(&s);
    server_on(s.server, "GET", PATH, scripted, &script);
    struct kube_watch *watch = start(&s, &replay);
    exchange_reply(next_watch(&s, &script), 401, NULL, "{\"kind\":\"Status\",\"code\":401,\"reason\":\"Unauthorized\",\"message\":\"Unauthorized\"}");
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
    free_replay(&replay);
}

static void a_busy_server_is_given_the_time_it_asks_for(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = new_replay();
    struct script script = {.lists = {LIST("10", "")}};
    session_start(&s);
    server_on(s.server, "GET", PATH, scripted, &script);
    struct kube_watch *watch = start(&s, &replay);
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
    free_replay(&replay);
}

static void what_may_not_be_read_is_asked_for_slowly(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = new_replay();
    session_start(&s);
    server_answer(s.server, "GET", PATH, 403, NULL, "{\"kind\":\"Status\",\"code\":403,\"reason\":\"Forbidden\",\"message\":\"configmaps is forbidden\"}");
    struct kube_watch *watch = start(&s, &replay);
    kube_watch_set_backoff(watch, 500);
    session_until(&s, &replay.troubled);
    assert_int_equal(replay.last.kind, ERROR_DENIED);
    assert_true(replay.retry_ms >= 15000);
    assert_false(kube_watch_synced(watch));
    server_answer(s.server, "GET", PATH, 200, NULL, LIST("10", ITEM("a", "u", "1")));
    kube_watch_retry_now(watch);
    session_until(&s, &replay.synced);
    kube_watch_stop(watch);
    session_end(&s);
    free_replay(&replay);
}

static void bad_lines_lead_to_a_new_list(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{\"type\":\"ADDED\",\"object\":{\n", "[]\n", "{}\n", "null\n", "{\"type\":\"SURPRISE\",\"object\":{}}\n", "{\"type\":\"ADDED\",\"object\":null}\n",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":\"99\"}}}\n", "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}\n",
        "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":500,\"message\":\"etcd is gone\"}}\n",
    };
    struct session s;
    struct replay replay = new_replay();
    struct script script = {.lists = {LIST("10", ITEM("a", "u", "1"))}};
    session_start(&s);
    server_on(s.server, "GET", PATH, scripted, &script);
    struct kube_watch *watch = start(&s, &replay);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct exchange *x = next_watch(&s, &script);
        unsigned syncs = replay.syncs;
        if (replay.troubles != i)
            fail_msg("before line %zu: %u troubles, the last is %s (%s)", i, replay.troubles, replay.last.message, replay.last.cause);
        exchange_begin(x, 200, NULL);
        exchange_send_text(x, bad[i]);
        replay.synced = false;
        session_until(&s, &replay.synced);
        assert_int_equal(replay.syncs, syncs + 1);
        assert_int_equal(replay.troubles, i + 1);
    }
    assert_string_equal(story(&replay), "+a@1 ");
    kube_watch_stop(watch);
    session_end(&s);
    free_replay(&replay);
}

static void an_endless_line_is_cut_off(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = new_replay();
    struct script script = {.lists = {LIST("10", "")}};
    session_start(&s);
    server_on(s.server, "GET", PATH, scripted, &script);
    struct kube_watch *watch = start(&s, &replay);
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
    free_replay(&replay);
}

static void it_may_be_stopped_from_inside_anything(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = new_replay();
    struct script script = {.lists = {LIST("10", ITEM("a", "u", "1") "," ITEM("b", "v", "2")), LIST("10", "")}};
    session_start(&s);
    server_on(s.server, "GET", PATH, scripted, &script);
    struct kube_watch *watch = start(&s, &replay);
    replay.stop = watch; /* in the middle of a list */
    wait_changes(&s, &replay, 1);
    session_pass(&s, 20);
    assert_int_equal(replay.changes, 1);
    assert_int_equal(replay.syncs, 0);
    free_replay(&replay);
    replay = new_replay();
    watch = start(&s, &replay);
    replay.stop = watch; /* in the middle of events that came together */
    struct exchange *x = next_watch(&s, &script);
    exchange_begin(x, 200, NULL);
    send_event(x, "ADDED", "a", "u", 11);
    send_event(x, "ADDED", "b", "v", 12);
    wait_changes(&s, &replay, 1);
    session_pass(&s, 20);
    assert_int_equal(replay.changes, 1);
    watch = start(&s, &replay); /* before anything came */
    kube_watch_stop(watch);
    session_end(&s);
    free_replay(&replay);
}

static void what_cannot_be_watched_is_refused(void **state)
{
    (void)state;
    struct session s;
    struct replay replay = new_replay();
    struct kube_resource metrics = configmaps;
    metrics.verbs = KUBE_VERB_GET | KUBE_VERB_LIST;
    struct error err = ERROR_INIT;
    session_start(&s);
    assert_null(kube_watch_start(s.client, &(struct kube_watch_options){.resource = &metrics, .ns = "learn"}, &listener, &replay, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_null(kube_watch_start(s.client, &(struct kube_watch_options){.resource = &configmaps, .ns = "../kube-system"}, &listener, &replay, &err));
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
    server_on(server, "GET", PATH, answer_apart, NULL);
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
            for (int i = 0; i < 5000 && kube_watch_count(watch) + (size_t)version_of(kube_watch_find(watch, "learn", "b")) != 16; i++)
                loop_once(s.loop, 10);
            mem_fail_at(0);
            if (kube_watch_count(watch) != 2)
                fail_msg("failure %d: %zu objects, trouble %s", nth, kube_watch_count(watch), kube_watch_trouble(watch) != NULL ? kube_watch_trouble(watch)->message : "none");
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
        cmocka_unit_test(bookmarks_move_the_version_on),
        cmocka_unit_test(trouble_is_told_waits_and_ends),
        cmocka_unit_test(a_busy_server_is_given_the_time_it_asks_for),
        cmocka_unit_test(what_may_not_be_read_is_asked_for_slowly),
        cmocka_unit_test(bad_lines_lead_to_a_new_list),
        cmocka_unit_test(an_endless_line_is_cut_off),
        cmocka_unit_test(it_may_be_stopped_from_inside_anything),
        cmocka_unit_test(what_cannot_be_watched_is_refused),
        cmocka_unit_test(every_change_is_told_once_and_in_order_whatever_breaks),
        cmocka_unit_test(the_cache_equals_the_truth_also_when_versions_expire),
        cmocka_unit_test(a_watch_survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
