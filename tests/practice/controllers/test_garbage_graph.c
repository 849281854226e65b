/* Who owns whom: nodes come, know each other, and are forgotten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/garbage.h"

static const int here = 0;

static void owners_know_their_dependents_and_lose_them(void **state)
{
    (void)state;
    struct graph graph = graph_make();
    struct node *a = graph_node(&graph, "a"), *b = graph_node(&graph, "b"), *child = graph_node(&graph, "child");
    struct node *both[] = {a, b, a};
    const bool blocks[] = {false, true, true};
    assert_ptr_equal(graph_node(&graph, "a"), a);
    assert_true(graph_set_owners(child, both, blocks, 3));
    assert_int_equal(child->owners.length, 2); /* named twice, owns once */
    assert_int_equal(a->dependents.length, 1);
    assert_true(graph_blocks(child, b));
    assert_false(graph_blocks(child, a)); /* the first reference counts */
    assert_true(graph_set_owners(child, &b, &blocks[0], 1));
    assert_int_equal(a->dependents.length, 0);
    assert_false(graph_blocks(child, b));
    graph_tidy(&graph, a);
    assert_null(graph_find(&graph, "a"));
    graph_tidy(&graph, b);
    assert_non_null(graph_find(&graph, "b")); /* somebody's owner */
    graph_free(&graph);
}

static void what_is_seen_has_a_place_and_what_is_gone_has_none(void **state)
{
    (void)state;
    struct graph graph = graph_make();
    struct node *node = graph_node(&graph, "a");
    assert_null(node->source);
    assert_true(graph_see(node, &here, "ns", "name"));
    assert_true(graph_see(node, &here, "ns", "name"));
    assert_string_equal(node->name, "name");
    node->waits = true;
    graph_tidy(&graph, node);
    assert_ptr_equal(graph_find(&graph, "a"), node); /* it waits */
    graph_unsee(node);
    assert_null(node->source);
    assert_null(node->name);
    graph_tidy(&graph, node);
    assert_null(graph_find(&graph, "a"));
    graph_free(&graph);
}

static void an_object_may_own_itself(void **state)
{
    (void)state;
    struct graph graph = graph_make();
    struct node *self = graph_node(&graph, "self");
    const bool blocks = true;
    assert_true(graph_set_owners(self, &self, &blocks, 1));
    assert_int_equal(self->dependents.length, 1);
    assert_true(graph_set_owners(self, NULL, NULL, 0));
    assert_int_equal(self->dependents.length, 0);
    graph_free(&graph);
}

static void without_memory_owners_and_dependents_still_agree(void **state)
{
    (void)state;
    for (int nth = 1;; nth++) {
        struct graph graph = graph_make();
        struct node *child = graph_node(&graph, "child"), *owners[20];
        bool blocks[20];
        char uid[] = "a";
        for (int i = 0; i < 20; i++, uid[0]++) {
            owners[i] = graph_node(&graph, uid);
            blocks[i] = true;
        }
        mem_fail_at(nth);
        bool done = graph_set_owners(child, owners, blocks, 20);
        mem_fail_at(0);
        size_t known = 0;
        for (int i = 0; i < 20; i++)
            known += owners[i]->dependents.length;
        assert_int_equal(known, child->owners.length);
        assert_true(graph_set_owners(child, NULL, NULL, 0));
        for (int i = 0; i < 20; i++)
            assert_int_equal(owners[i]->dependents.length, 0);
        graph_free(&graph);
        if (done)
            break;
    }
    for (int nth = 1;; nth++) {
        struct graph graph = graph_make();
        mem_fail_at(nth);
        struct node *node = graph_node(&graph, "a");
        bool seen = node != NULL && graph_see(node, &here, "ns", "name");
        mem_fail_at(0);
        assert_true(node == NULL || seen == (node->source != NULL));
        graph_free(&graph);
        if (seen)
            break;
    }
}

int test_garbage_graph(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owners_know_their_dependents_and_lose_them),
        cmocka_unit_test(what_is_seen_has_a_place_and_what_is_gone_has_none),
        cmocka_unit_test(an_object_may_own_itself),
        cmocka_unit_test(without_memory_owners_and_dependents_still_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
