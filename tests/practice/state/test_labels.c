/* Lists by label: the same as a walk over everything, whatever happened before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "practice/state/state.h"
#include "support.h"

enum { NAMES = 600, TURNS = 3000 };

static const char *const values[] = {"a", "b", "c", "rare"};

/* Labels of an object: app and tier, each one of the values or none. */
static bool write_one(struct place *place, state_resource pods, unsigned *seed, struct error *err)
{
    char name[16], ns[16], uid[24];
    unsigned number = (unsigned)rand_r(seed) % NAMES;
    snprintf(name, sizeof name, "p%u", number);
    snprintf(ns, sizeof ns, "n%u", number % 3);
    snprintf(uid, sizeof uid, "uid-%u", number);
    const struct object *old = state_get(place->state, pods, ns, name);
    const char *labels[5] = {NULL};
    size_t count = 0;
    unsigned app = (unsigned)rand_r(seed) % 40, tier = (unsigned)rand_r(seed) % 4;
    if (app != 1) {
        labels[count++] = "app";
        labels[count++] = values[app == 0 ? 3 : app % 3];
    }
    if (tier < 3) {
        labels[count++] = "tier";
        labels[count++] = values[tier];
    }
    if (old != NULL && rand_r(seed) % 4 == 0)
        return state_delete(place->state, old, NULL, NULL, err);
    struct object_new wanted = {.resource = pods, .ns = ns, .name = name, .uid = uid, .text = "{\"v\":\"\"}", .length = 8, .gap = 6, .labels = labels};
    return state_put(place->state, &wanted, old, err) != NULL;
}

/* A label's key and value, and another or NULL. */
static bool has_all(const struct object *object, const void *data)
{
    const char *const *labels = data;
    for (size_t i = 0; labels[i] != NULL; i += 2) {
        const char *value = object_label(object, labels[i]);
        if (value == NULL || strcmp(value, labels[i + 1]) != 0)
            return false;
    }
    return true;
}

/* Both ways with the same arguments; how many there are. */
static size_t same_both_ways(struct state *state, state_resource pods, const char *only_ns, uint64_t version, const char *after, size_t maximum,
                             const char *const *labels)
{
    struct vec walked, found;
    bool more_walked, more_found;
    const char *after_ns = after != NULL ? "n1" : NULL;
    struct error err = ERROR_INIT, other = ERROR_INIT;
    bool one = state_list(state, pods, only_ns, version, after_ns, after, maximum, has_all, labels, &walked, &more_walked, &err);
    bool two = state_list_labelled(state, pods, only_ns, version, after_ns, after, maximum, labels, has_all, labels, &found, &more_found, &other);
    assert_int_equal(one, two);
    assert_int_equal(err.kind, other.kind);
    if (!one)
        return 0;
    assert_int_equal(more_walked, more_found);
    assert_int_equal(walked.length, found.length);
    for (size_t i = 0; i < walked.length; i++) {
        const struct object *a = walked.items[i], *b = found.items[i];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->version, b->version);
    }
    size_t count = walked.length;
    vec_free(&walked);
    vec_free(&found);
    return count;
}

static size_t compare_all(struct place *place, state_resource pods)
{
    static const char *const queries[][5] = {
        {"app", "a", NULL}, {"app", "rare", NULL}, {"app", "b", "tier", "c", NULL}, {"tier", "a", "app", "rare", NULL}, {"app", "nobody", NULL},
        {"other", "a", NULL}};
    uint64_t newest = state_version(place->state), before = newest > 40 ? newest - 40 : 0, oldest = state_oldest(place->state);
    size_t count = 0;
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        count += same_both_ways(place->state, pods, NULL, 0, NULL, 0, queries[i]);
        count += same_both_ways(place->state, pods, "n1", 0, NULL, 0, queries[i]);
        same_both_ways(place->state, pods, NULL, 0, "p3", 5, queries[i]);
        same_both_ways(place->state, pods, NULL, 0, NULL, 1, queries[i]);
        same_both_ways(place->state, pods, NULL, state_committed(place->state), NULL, 0, queries[i]);
        same_both_ways(place->state, pods, "n2", before, NULL, 0, queries[i]);
        same_both_ways(place->state, pods, NULL, newest + 1, NULL, 0, queries[i]);
        same_both_ways(place->state, pods, NULL, oldest, NULL, 0, queries[i]);
    }
    return count;
}

static void a_list_by_labels_is_what_a_walk_finds(void **state)
{
    struct place *place = *state;
    unsigned seed = 1;
    size_t found = 0;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    for (int turn = 0; turn < TURNS; turn++) {
        assert_true(write_one(place, pods, &seed, NULL));
        if (turn % 100 == 99)
            found += compare_all(place, pods); /* with open writes */
        if (turn % 37 == 0)
            place_round(place);
        if (turn % 500 == 450) { /* all that is open is undone */
            place_round(place);
            for (int i = 0; i < 100; i++)
                assert_true(write_one(place, pods, &seed, NULL));
            fail_commits(place->state, true);
            assert_false(state_commit(place->state, NULL));
            fail_commits(place->state, false);
            found += compare_all(place, pods);
        }
        if (turn == 2000) {
            place_close(place);
            place_open(place);
        }
    }
    assert_true(found > TURNS);
    assert_true(state_reset(place->state, NULL));
    assert_int_equal(compare_all(place, pods), 0);
}

/* It has no index then. */
static void reopen(struct place *place)
{
    place_close(place);
    place_open(place);
}

static void without_memory_a_list_by_labels_fails_or_is_right(void **state)
{
    struct place *place = *state;
    static const char *const labels[] = {"app", "a", NULL};
    unsigned seed = 2;
    place_open(place);
    state_resource pods = state_resource_of(place->state, "pods");
    for (int i = 0; i < TURNS; i++)
        assert_true(write_one(place, pods, &seed, NULL));
    place_round(place);
    int nth, failed = 0;
    for (nth = 1; nth < 60; nth++) {
        struct vec found;
        bool more;
        if (nth % 2 == 0)
            mem_fail_at(nth / 2);
        else
            mem_fail_from(nth / 2 + 1);
        bool ok = state_list_labelled(place->state, pods, NULL, 0, NULL, NULL, 0, labels, has_all, labels, &found, &more, NULL);
        mem_fail_at(0);
        failed += !ok;
        if (ok)
            vec_free(&found);
        compare_all(place, pods);
        if (nth % 10 == 0)
            reopen(place);
    }
    assert_true(failed > 0);
    for (nth = 1; nth < 200; nth++) { /* an index that cannot be kept is forgotten, and made again */
        mem_fail_at(nth % 12 + 1);
        bool written = write_one(place, pods, &seed, NULL);
        (void)written; /* or not: the two ways must agree */
        mem_fail_at(0);
        if (nth % 10 == 0)
            compare_all(place, pods);
    }
    place_round(place);
    compare_all(place, pods);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, place_setup, place_teardown)

int test_labels(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_list_by_labels_is_what_a_walk_finds),
        TEST(without_memory_a_list_by_labels_fails_or_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
