#include "practice/state/set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static struct object *make(const char *ns, const char *name)
{
    struct object_new wanted = {.resource = 1, .ns = ns, .name = name, .uid = "u", .text = "{}", .length = 2};
    struct object *object = object_new(&wanted, 1);
    assert_non_null(object);
    return object;
}

static void add(struct set *set, const char *ns, const char *name)
{
    struct set_node *node = set_node_new(set, make(ns, name));
    assert_non_null(node);
    set_put(set, node);
}

static const char *walk(const struct set *set)
{
    static char line[1024];
    line[0] = '\0';
    for (const struct set_node *node = set_start(set); node != NULL; node = node->next[0]) {
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "%s/%s ", node->object->ns, node->object->name);
    }
    return line;
}

static void the_order_is_that_of_the_bytes_of_namespace_slash_name(void **state)
{
    (void)state;
    struct set set = {.count = 0};
    add(&set, "a", "z");
    add(&set, "a-b", "a"); /* '-' is below '/' */
    add(&set, "a0", "a");  /* '0' is above it */
    add(&set, "", "cluster");
    add(&set, "a", "a");
    add(&set, "a", "\xc3\xa9");
    assert_string_equal(walk(&set), "/cluster a-b/a a/a a/z a/\xc3\xa9 a0/a ");
    assert_string_equal(set_after(&set, "a", "")->object->name, "a");
    assert_string_equal(set_after(&set, "a", "a")->object->name, "z");
    assert_string_equal(set_after(&set, "a", "b")->object->name, "z");
    assert_null(set_after(&set, "a0", "a"));
    set_free(&set);
    assert_null(set_start(&set));
}

static uint32_t dice(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static void what_was_put_in_and_taken_out_at_random_is_found_and_walked_as_in_a_plain_array(void **state)
{
    (void)state;
    enum { KEYS = 500, STEPS = 20000 };
    static bool there[KEYS];
    struct set set = {.count = 0};
    uint64_t seed = 7;
    size_t count = 0;
    for (unsigned step = 0; step < STEPS; step++) {
        char name[16];
        unsigned key = dice(&seed) % KEYS;
        snprintf(name, sizeof name, "n%04u", key);
        struct set_node *node = set_find(&set, "ns", name);
        assert_int_equal(node != NULL, there[key]);
        if (node == NULL) {
            add(&set, "ns", name);
        } else {
            set_take(&set, node);
            set_node_free(node);
        }
        there[key] = !there[key];
        count = there[key] ? count + 1 : count - 1;
        assert_int_equal(set.count, count);
    }
    const struct set_node *node = set_start(&set);
    for (unsigned key = 0; key < KEYS; key++) {
        char name[16];
        snprintf(name, sizeof name, "n%04u", key);
        if (!there[key])
            continue;
        assert_string_equal(node->object->name, name);
        node = node->next[0];
        assert_ptr_equal(set_after(&set, "ns", name), node);
    }
    assert_null(node);
    set_free(&set);
}

static void without_memory_for_a_table_it_is_slower_and_right(void **state)
{
    (void)state;
    struct set set = {.count = 0};
    struct set_node *nodes[40];
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%02d", i * 7 % 40);
        nodes[i] = set_node_new(&set, make("", name));
        assert_non_null(nodes[i]);
        mem_fail_from(1);
        set_put(&set, nodes[i]);
        mem_fail_at(0);
    }
    assert_int_equal(set.room, 0);
    assert_ptr_equal(set_find(&set, "", "n07"), nodes[1]);
    assert_null(set_find(&set, "", "n077"));
    set_take(&set, nodes[1]);
    assert_null(set_find(&set, "", "n07"));
    set_put(&set, nodes[1]); /* now with memory */
    assert_true(set.room > 0);
    for (int i = 0; i < 40; i++)
        assert_ptr_equal(set_find(&set, "", nodes[i]->object->name), nodes[i]);
    set_free(&set);
}

static void a_node_without_memory_gives_its_object_back(void **state)
{
    (void)state;
    struct set set = {.count = 0};
    struct object *object = make("", "a");
    mem_fail_at(1);
    assert_null(set_node_new(&set, object_ref(object)));
    assert_int_equal(object->references, 1);
    object_unref(object);
}

int test_set(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_is_that_of_the_bytes_of_namespace_slash_name),
        cmocka_unit_test(what_was_put_in_and_taken_out_at_random_is_found_and_walked_as_in_a_plain_array),
        cmocka_unit_test(without_memory_for_a_table_it_is_slower_and_right),
        cmocka_unit_test(a_node_without_memory_gives_its_object_back),
    };
    return cmocka_run_group_tests_name("set", tests, NULL, NULL);
}
