#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "support.h"

static bool save(struct place *place, const char *name)
{
    struct error err = ERROR_INIT;
    bool ok = place_save(place, place->state, name, &err);
    assert_string_equal(err.message, "");
    return ok;
}

static bool load(struct place *place, const char *name, const struct state_keep *keep)
{
    struct error err = ERROR_INIT;
    bool ok = state_load(place->state, place_file(place, name), keep, &err);
    assert_string_equal(err.message, "");
    return ok;
}

static void what_was_saved_is_there_again_with_new_versions(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods"), other = state_resource_of(place->state, "other");
    const char *const labels[] = {"app", "web", NULL};
    const char *const fields[] = {"node-1", ""};
    struct object_new wanted = {.resource = pods, .ns = "learn", .name = "a", .uid = "u", .text = "{\"v\":\"\"}", .length = 8, .gap = 6, .labels = labels,
                                .fields = fields, .field_count = 2, .flags = 0x80000001, .time_ms = -5};
    assert_non_null(state_put(place->state, &wanted, NULL, NULL)); /* 1 */
    put(place->state, other, "", "z", "1");                        /* 2 */
    put(place->state, pods, "learn", "b", "1");                    /* 3: open; saving commits it */
    assert_true(save(place, "saved"));
    assert_true(state_is_clean(place->state));
    put(place->state, pods, "learn", "b", "2");
    drop(place->state, pods, "learn", "a");
    put(place->state, pods, "learn", "c", "1");
    assert_true(load(place, "saved", NULL));
    for (int i = 0; i < 2; i++) {
        assert_string_equal(listed(place->state, pods, NULL, 0), "learn/a={\"v\":\"\"} learn/b=1");
        assert_string_equal(listed(place->state, other, NULL, 0), "/z=1");
        const struct object *object = state_get(place->state, pods, "learn", "a");
        assert_true(object->version > 6 && object->flags == 0x80000001 && object->time_ms == -5 && object->gap == 6 && object->field_count == 2);
        assert_string_equal(object->uid, "u");
        assert_string_equal(object_label(object, "app"), "web");
        assert_string_equal(object->fields, "node-1");
        assert_true(state_get(place->state, other, "", "z")->version > object->version); /* in the order of their making */
        assert_int_equal(state_oldest(place->state), state_version(place->state));
        assert_string_equal(listed(place->state, pods, NULL, state_version(place->state)), "learn/a={\"v\":\"\"} learn/b=1");
        assert_string_equal(listed(place->state, pods, NULL, 6), "expired");
        struct state_numbers numbers;
        state_numbers(place->state, &numbers);
        assert_true(numbers.objects == 3 && numbers.object_bytes == 10 && numbers.history_bytes == 0 && numbers.events == 0);
        place_close(place);
        place_open(place);
    }
    uint64_t before = state_version(place->state);
    assert_true(put(place->state, pods, "learn", "b", "3")->version == before + 1);
    place_round(place);
    assert_string_equal(listed(place->state, pods, NULL, before), "learn/a={\"v\":\"\"} learn/b=1");
}

static void a_state_goes_to_another_cluster_whose_resources_have_other_numbers(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource first = state_resource_of(place->state, "first"), pods = state_resource_of(place->state, "pods");
    for (int i = 0; i < 10; i++)
        put(place->state, pods, "n", "a", "1");
    put(place->state, first, "n", "x", "1");
    assert_true(save(place, "saved"));
    struct state *there = state_open(place_file(place, "there.db"), place->loop, NULL, NULL, NULL);
    state_resource pods_there = state_resource_of(there, "pods");
    put(there, pods_there, "n", "gone", "1");
    assert_true(state_load(there, place_file(place, "saved"), NULL, NULL));
    assert_string_equal(listed(there, pods_there, NULL, 0), "n/a=1");
    assert_true(state_get(there, pods_there, "n", "a")->version > 11); /* above those of both */
    state_resource first_there = state_resource_of(there, "first");
    assert_string_equal(listed(there, first_there, NULL, 0), "n/x=1");
    state_close(there);
    there = state_open(place_file(place, "there.db"), place->loop, NULL, NULL, NULL);
    assert_int_equal(state_resource_of(there, "first"), first_there);
    assert_string_equal(listed(there, first_there, NULL, 0), "n/x=1");
    state_close(there);
}

static void kept_objects_stay_as_they_are(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    put(place->state, pods, "n", "a", "saved");
    put(place->state, pods, "n", "b", "saved");
    assert_true(save(place, "saved"));
    uint64_t version = put(place->state, pods, "n", "a", "now")->version;
    put(place->state, pods, "n", "b", "now");
    uint64_t only = put(place->state, pods, "n", "only", "now")->version;
    const struct state_keep keep[] = {{pods, "n", "a"}, {pods, "n", "only"}, {pods, "n", "a"}, {pods, "n", "none"}, {77, "n", "a"}, {0, NULL, NULL}};
    assert_true(load(place, "saved", keep));
    for (int i = 0; i < 2; i++) {
        assert_string_equal(listed(place->state, pods, NULL, 0), "n/a=now n/b=saved n/only=now");
        assert_int_equal(state_get(place->state, pods, "n", "a")->version, version);
        assert_int_equal(state_get(place->state, pods, "n", "only")->version, only);
        place_close(place);
        place_open(place);
    }
    put(place->state, pods, "n", "a", "later");
    assert_string_equal(listed(place->state, pods, NULL, 0), "n/a=later n/b=saved n/only=now");
}

static void loading_ends_every_watch(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    put(place->state, pods, "n", "a", "1");
    assert_true(save(place, "saved"));
    int calls = 0;
    struct state_watch *waiting = state_watch_new(place->state, pods, NULL, 1, count_call, &calls, NULL);
    struct state_watch *busy = state_watch_new(place->state, pods, NULL, 0, count_call, &calls, NULL);
    assert_string_equal(next(waiting), "wait");
    assert_string_equal(next(busy), "+n/a=1");
    assert_true(load(place, "saved", NULL));
    assert_int_equal(calls, 0);
    loop_once(place->loop, 1000);
    assert_int_equal(calls, 2);
    assert_string_equal(next(waiting), "expired");
    assert_string_equal(next(busy), "expired");
    state_watch_free(waiting);
    state_watch_free(busy);
    struct state_watch *now = state_watch_new(place->state, pods, NULL, state_version(place->state), nothing, NULL, NULL);
    put(place->state, pods, "n", "a", "2");
    place_round(place);
    assert_string_equal(next(now), "*n/a=2(1)");
    state_watch_free(now);
}

static void a_reset_forgets_objects_but_not_the_counter(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    struct stat large, small;
    put_large(place->state, pods, "n", "large", 4 << 20, 'x');
    put(place->state, pods, "n", "a", "1");
    place_close(place); /* so that the file is large */
    assert_int_equal(stat(place->path, &large), 0);
    place_open(place);
    assert_true(state_reset(place->state, NULL));
    for (int i = 0; i < 2; i++) {
        assert_string_equal(listed(place->state, pods, NULL, 0), "");
        assert_int_equal(state_version(place->state), 3);
        assert_int_equal(state_oldest(place->state), 3);
        assert_int_equal(state_resource_of(place->state, "pods"), pods);
        place_close(place);
        place_open(place);
    }
    assert_int_equal(stat(place->path, &small), 0);
    assert_true(large.st_size > 4 << 20 && small.st_size < 200000); /* room is given back */
    assert_int_equal(put(place->state, pods, "n", "a", "1")->version, 4);
}

struct saved {
    bool done;
    enum error_kind kind;
};

static void on_saved(void *data, const struct error *err)
{
    *(struct saved *)data = (struct saved){true, err != NULL ? err->kind : ERROR_NONE};
}

static void others_go_on_while_a_state_is_saved(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    struct saved saved = {false, ERROR_NONE};
    for (char name[] = "a"; name[0] <= 'z'; name[0]++)
        put_large(place->state, pods, "n", name, 1 << 20, 'x');
    assert_true(state_save(place->state, place_file(place, "saved"), on_saved, &saved, NULL));
    for (char name[] = "a"; name[0] <= 'z'; name[0]++) {
        drop(place->state, pods, "n", name);
        put(place->state, pods, "n", name, "new");
    }
    assert_false(saved.done); /* only from the loop */
    assert_true(loop_until(place->loop, &saved.done, 30000));
    assert_int_equal(saved.kind, ERROR_NONE);
    assert_true(load(place, "saved", NULL));
    assert_int_equal(state_count(place->state, pods, NULL), 26);
    assert_int_equal(state_get(place->state, pods, "n", "q")->length, 1 << 20);
    assert_true(state_save(place->state, "/nowhere/saved", on_saved, &saved, NULL));
    saved.done = false;
    assert_true(loop_until(place->loop, &saved.done, 30000));
    assert_int_equal(saved.kind, ERROR_NOT_FOUND);
    saved.done = false;
    assert_true(state_save(place->state, place_file(place, "last"), on_saved, &saved, NULL));
    place_close(place); /* waits for it */
    assert_true(saved.done);
    assert_true(file_exists(place_file(place, "last")));
}

static void refused(struct place *place, const char *bytes, size_t length, enum error_kind kind)
{
    struct error err = ERROR_INIT;
    const char *path = place_file(place, "bad");
    state_resource pods = state_resource_of(place->state, "pods");
    assert_true(file_write(path, bytes, length, 0600, NULL));
    assert_false(state_load(place->state, path, NULL, &err));
    assert_int_equal(err.kind, kind);
    assert_string_equal(listed(place->state, pods, NULL, 0), "n/a=here");
}

static void a_file_that_is_damaged_or_newer_changes_nothing(void **state)
{
    struct place *place = *state;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    put(place->state, pods, "n", "a", "1");
    put(place->state, pods, "n", "b", "1");
    assert_true(save(place, "saved"));
    drop(place->state, pods, "n", "b");
    put(place->state, pods, "n", "a", "here");
    size_t length;
    char *bytes = file_read(place_file(place, "saved"), 1 << 20, &length, NULL);
    assert_non_null(bytes);
    for (size_t i = 0; i < length; i++) { /* any byte; the format's make it a newer one */
        bytes[i] ^= 1;
        refused(place, bytes, length, i > 16 && i < 24 ? ERROR_INVALID : ERROR_INPUT);
        bytes[i] ^= 1;
    }
    for (size_t cut = 0; cut < length; cut += 7)
        refused(place, bytes, cut, ERROR_INPUT);
    char *longer = mem_zero(1, length + 1);
    memcpy(longer, bytes, length);
    refused(place, longer, length + 1, ERROR_INPUT);
    mem_free(longer);
    mem_free(bytes);
    struct error err = ERROR_INIT;
    assert_false(state_load(place->state, place_file(place, "none"), NULL, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_false(state_load(place->state, place->folder, NULL, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    uint64_t version = state_version(place->state);
    place_close(place);
    place_open(place);
    assert_string_equal(listed(place->state, pods, NULL, 0), "n/a=here");
    assert_int_equal(state_version(place->state), version);
    assert_string_equal(listed(place->state, pods, NULL, 2), "n/a=1 n/b=1"); /* history, too */
}

static void without_room_nothing_is_loaded_or_reset(void **state)
{
    struct place *place = *state;
    struct error err = ERROR_INIT;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    put_large(place->state, pods, "n", "a", 1 << 20, 'x');
    assert_true(save(place, "saved"));
    drop(place->state, pods, "n", "a");
    place_round(place);
    place->now_ms += STATE_KEEP_MS;
    put(place->state, pods, "n", "b", "here");
    place_round(place);
    for (int i = 0; i < 100 && state_oldest(place->state) < 2; i++)
        loop_once(place->loop, 10);
    sql(place->state, "VACUUM");
    fill_disk(place->state, true);
    assert_false(state_load(place->state, place_file(place, "saved"), NULL, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_string_equal(listed(place->state, pods, NULL, 0), "n/b=here");
    fill_disk(place->state, false);
    assert_true(load(place, "saved", NULL));
    assert_string_equal(listed(place->state, pods, NULL, 0), "n/a=x1048576");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, place_setup, place_teardown)

int test_snapshot(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_saved_is_there_again_with_new_versions),
        TEST(a_state_goes_to_another_cluster_whose_resources_have_other_numbers),
        TEST(kept_objects_stay_as_they_are),
        TEST(loading_ends_every_watch),
        TEST(a_reset_forgets_objects_but_not_the_counter),
        TEST(others_go_on_while_a_state_is_saved),
        TEST(a_file_that_is_damaged_or_newer_changes_nothing),
        TEST(without_room_nothing_is_loaded_or_reset),
    };
    return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
