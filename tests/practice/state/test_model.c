/* Random writers against a plain array: what is read, listed at any version still known, and seen by every watch must be what the array says, across full disks,
 * rings that overflow, history that is forgotten, files opened again, and snapshots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support.h"

enum { RESOURCES = 2, SPACES = 3, NAMES = 5, KEYS = RESOURCES * SPACES * NAMES, RECORDS = 300, WATCHES = 8, LARGE = 2 << 20 };

/* What stands under each key: the version (0: nothing) and the text's first letter and length. */
struct item {
    uint64_t version;
    char letter;
    size_t length;
};

struct record { /* a copy of everything at a version */
    uint64_t version;
    struct item items[KEYS];
};

struct follower {
    struct state_watch *watch;
    state_resource resource;
    const char *only_ns;
    struct item items[KEYS]; /* what its events say */
    uint64_t version;        /* of its last event, or where it began */
};

struct model {
    struct place *place;
    uint64_t seed;
    state_resource resources[RESOURCES];
    struct item now[KEYS], committed[KEYS];
    struct record records[RECORDS];
    unsigned record_count; /* ever made; the last RECORDS are there */
    struct follower followers[WATCHES];
    uint64_t highest;                /* version ever seen */
    bool is_told;                    /* the callback of the open writes came */
    unsigned writes, undone, listed, expired, events; /* to see that things happened */
};

static const char *const spaces[SPACES] = {"", "a", "a-b"};

static uint32_t dice(struct model *model)
{
    model->seed = model->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(model->seed >> 33);
}

static unsigned resource_index(unsigned key)
{
    return key / (SPACES * NAMES);
}

static const char *space_of(unsigned key)
{
    return spaces[key / NAMES % SPACES];
}

static const char *name_of(unsigned key)
{
    static const char *const names[NAMES] = {"p", "q", "q1", "r", "z"};
    return names[key % NAMES];
}

static unsigned key_of(const struct model *model, const struct object *object)
{
    for (unsigned key = 0; key < KEYS; key++)
        if (model->resources[resource_index(key)] == object->resource && strcmp(space_of(key), object->ns) == 0 && strcmp(name_of(key), object->name) == 0)
            return key;
    fail_msg("an object that was never made");
    return 0;
}

static bool concerns(const struct model *model, const struct follower *follower, unsigned key)
{
    return model->resources[resource_index(key)] == follower->resource &&
           (follower->only_ns == NULL || strcmp(follower->only_ns, space_of(key)) == 0);
}

static bool is_same(const struct item *item, const struct object *object)
{
    return item->version == object->version && item->length == object->length && object->text[0] == item->letter &&
           object->text[object->length - 1] == item->letter;
}

/* ---- writing */

static void write_one(struct model *model)
{
    unsigned key = dice(model) % KEYS;
    struct state *now = model->place->state;
    struct item *item = &model->now[key];
    if (item->version != 0 && dice(model) % 3 == 0) {
        item->version = 0;
        uint64_t version = drop(now, model->resources[resource_index(key)], space_of(key), name_of(key));
        assert_true(version > model->highest);
        model->highest = version;
    } else {
        item->letter = (char)('a' + dice(model) % 26);
        item->length = dice(model) % 60 == 0 ? LARGE : 1 + dice(model) % 300;
        item->version = put_large(now, model->resources[resource_index(key)], space_of(key), name_of(key), item->length, item->letter)->version;
        assert_true(item->version > model->highest);
        model->highest = item->version;
    }
    model->writes++;
}

static void on_end(void *data, const struct error *err)
{
    struct model *model = data;
    model->is_told = true;
    model->undone += err != NULL;
    memcpy(err == NULL ? model->committed : model->now, err == NULL ? model->now : model->committed, sizeof model->now);
}

enum trouble { NO_TROUBLE, FULL, FAILING };

static void end_round(struct model *model, enum trouble trouble)
{
    fill_disk(model->place->state, trouble == FULL);
    fail_commits(model->place->state, trouble == FAILING);
    model->is_told = false;
    assert_true(state_after_commit(model->place->state, on_end, model));
    assert_true(loop_until(model->place->loop, &model->is_told, 20000));
    fill_disk(model->place->state, false);
    fail_commits(model->place->state, false);
    assert_int_equal(state_version(model->place->state), state_committed(model->place->state));
    struct record *record = &model->records[model->record_count++ % RECORDS];
    record->version = state_version(model->place->state);
    memcpy(record->items, model->committed, sizeof record->items);
}

/* ---- reading */

/* A list of one resource and, if only_ns is not NULL, one namespace, in two pieces; it must be what the record says. */
static void check_list(struct model *model, const struct record *record, unsigned resource, const char *only_ns)
{
    struct vec objects;
    bool more;
    struct error err = ERROR_INIT;
    const char *after_ns = NULL, *after_name = NULL;
    struct object *last = NULL;
    size_t piece = dice(model) % 4, wanted = 0, found = 0;
    for (unsigned key = resource * SPACES * NAMES; key < (resource + 1) * SPACES * NAMES; key++)
        wanted += record->items[key].version != 0 && (only_ns == NULL || strcmp(only_ns, space_of(key)) == 0);
    do {
        if (!state_list(model->place->state, model->resources[resource], only_ns, record->version, after_ns, after_name, piece, NULL, NULL, &objects, &more,
                        &err)) {
            assert_int_equal(err.kind, ERROR_EXPIRED);
            assert_true(record->version < state_oldest(model->place->state));
            model->expired++;
            break;
        }
        assert_true(piece == 0 ? !more : objects.length <= piece);
        for (size_t i = 0; i < objects.length; i++) {
            const struct object *object = objects.items[i];
            assert_true(is_same(&record->items[key_of(model, object)], object));
            assert_true(last == NULL || strcmp(last->ns, object->ns) != 0 || strcmp(last->name, object->name) < 0);
            object_unref(last);
            last = object_ref(object);
        }
        found += objects.length;
        after_ns = last != NULL ? last->ns : NULL;
        after_name = last != NULL ? last->name : NULL;
        vec_free(&objects);
        assert_true(more || found == wanted);
    } while (more);
    object_unref(last);
    model->listed++;
}

static void check_now(struct model *model)
{
    for (unsigned key = 0; key < KEYS; key++) {
        const struct object *object = state_get(model->place->state, model->resources[resource_index(key)], space_of(key), name_of(key));
        assert_int_equal(object != NULL, model->now[key].version != 0);
        assert_true(object == NULL || is_same(&model->now[key], object));
    }
}

static void check_old(struct model *model)
{
    unsigned count = model->record_count < RECORDS ? model->record_count : RECORDS;
    const struct record *record = &model->records[dice(model) % count];
    if (record->version != 0) /* to a list that is the newest */
        check_list(model, record, dice(model) % RESOURCES, dice(model) % 2 ? spaces[dice(model) % SPACES] : NULL);
}

/* ---- watches */

static void start_watch(struct model *model, struct follower *follower, const struct record *from)
{
    struct error err = ERROR_INIT;
    *follower = (struct follower){.resource = model->resources[dice(model) % RESOURCES], .only_ns = dice(model) % 2 ? spaces[dice(model) % SPACES] : NULL};
    follower->watch = state_watch_new(model->place->state, follower->resource, follower->only_ns, from->version, nothing, NULL, &err);
    assert_true(follower->watch != NULL || (err.kind == ERROR_EXPIRED && from->version < state_oldest(model->place->state)));
    follower->version = from->version;
    memcpy(follower->items, from->items, sizeof follower->items);
}

static void take_event(struct model *model, struct follower *follower, const struct state_event *event)
{
    unsigned key = key_of(model, event->object);
    struct item *item = &follower->items[key];
    assert_true(concerns(model, follower, key));
    assert_true(event->version > follower->version && event->version == event->object->version);
    assert_int_equal(state_watch_version(follower->watch), event->version);
    follower->version = event->version;
    assert_int_equal(event->previous != NULL, item->version != 0);
    assert_int_equal(event->change == STATE_ADDED, item->version == 0);
    assert_true(event->previous == NULL || is_same(item, event->previous));
    *item = (struct item){event->change == STATE_DELETED ? 0 : event->version, event->object->text[0], event->object->length};
    model->events++;
}

/* Takes some events; one that has seen everything must have what the array has. */
static void follow(struct model *model, struct follower *follower, unsigned some)
{
    struct state_event event;
    while (follower->watch != NULL && some-- > 0) {
        enum state_step step = state_watch_next(follower->watch, &event);
        if (step == STATE_EVENT) {
            take_event(model, follower, &event);
        } else if (step == STATE_EXPIRED) {
            assert_true(follower->version < state_oldest(model->place->state));
            state_watch_free(follower->watch);
            follower->watch = NULL;
            model->expired++;
        } else if (state_watch_version(follower->watch) == state_committed(model->place->state)) {
            for (unsigned key = 0; key < KEYS; key++)
                if (concerns(model, follower, key))
                    assert_int_equal(follower->items[key].version, model->committed[key].version);
            break;
        } else {
            loop_once(model->place->loop, 100); /* it still looks through the file */
        }
    }
}

/* ---- all together */

static void open_again(struct model *model)
{
    for (unsigned i = 0; i < WATCHES; i++)
        state_watch_free(model->followers[i].watch);
    place_close(model->place);
    place_open(model->place);
    model->highest = state_version(model->place->state); /* what was undone is unknown to the next process, as to everybody */
    for (unsigned i = 0; i < WATCHES; i++) { /* they go on where they were */
        struct follower *follower = &model->followers[i];
        if (follower->watch == NULL)
            continue;
        follower->watch = state_watch_new(model->place->state, follower->resource, follower->only_ns, follower->version, nothing, NULL, NULL);
        assert_true(follower->watch != NULL || follower->version < state_oldest(model->place->state));
    }
}

/* The same objects with other versions; older ones are expired. */
static void through_a_snapshot(struct model *model)
{
    const char *path = place_file(model->place, "saved");
    assert_true(place_save(model->place, model->place->state, "saved", NULL));
    if (dice(model) % 2)
        assert_true(state_reset(model->place->state, NULL));
    assert_true(state_load(model->place->state, path, NULL, NULL));
    for (unsigned key = 0; key < KEYS; key++) {
        if (model->now[key].version == 0)
            continue;
        model->now[key].version = state_get(model->place->state, model->resources[resource_index(key)], space_of(key), name_of(key))->version;
        assert_true(model->now[key].version > model->highest);
    }
    model->highest = state_version(model->place->state);
    memcpy(model->committed, model->now, sizeof model->now);
    for (unsigned i = 0; i < WATCHES; i++)
        follow(model, &model->followers[i], 1);
}

static void step(struct model *model)
{
    unsigned choice = dice(model) % 1000;
    for (unsigned some = dice(model) % 6; some > 0; some--)
        write_one(model);
    check_now(model);
    end_round(model, choice % 40 == 0 ? FULL : choice % 40 == 1 ? FAILING : NO_TROUBLE);
    check_now(model);
    check_old(model);
    model->place->now_ms += dice(model) % 4000;
    struct follower *follower = &model->followers[dice(model) % WATCHES];
    follow(model, follower, dice(model) % 3 == 0 ? 100000 : dice(model) % 6);
    if (follower->watch == NULL || choice % 50 == 1) {
        unsigned count = model->record_count < RECORDS ? model->record_count : RECORDS;
        state_watch_free(follower->watch);
        start_watch(model, follower, &model->records[dice(model) % count]);
    }
    if (choice % 100 == 2)
        open_again(model);
    if (choice == 3)
        through_a_snapshot(model);
    for (int i = 0; i < 3; i++)
        loop_once(model->place->loop, 0);
}

/* KUBETUTOR_MODEL=SEED: another course; KUBETUTOR_STEPS: how long. */
static void everything_is_as_a_plain_array_has_it(void **state)
{
    const char *seed = getenv("KUBETUTOR_MODEL"), *steps = getenv("KUBETUTOR_STEPS");
    struct model *model = mem_zero(1, sizeof *model);
    model->place = *state;
    model->seed = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    place_open(model->place);
    model->resources[0] = state_resource_of(model->place->state, "pods");
    model->resources[1] = state_resource_of(model->place->state, "leases");
    unsigned count = steps != NULL ? (unsigned)atoi(steps) : 2500;
    for (unsigned i = 0; i < count; i++)
        step(model);
    for (unsigned i = 0; i < WATCHES; i++) {
        follow(model, &model->followers[i], 100000);
        state_watch_free(model->followers[i].watch);
    }
    print_message("%u writes, %u rounds undone, %u lists, %u events, %u expired\n", model->writes, model->undone, model->listed, model->events, model->expired);
    assert_true(model->undone > count / 100 && model->listed > count / 2 && model->events > count / 2 && model->expired > count / 250);
    mem_free(model);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, place_setup, place_teardown)

int test_model(void)
{
    const struct CMUnitTest tests[] = {
        TEST(everything_is_as_a_plain_array_has_it),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
