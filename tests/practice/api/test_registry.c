/* The kinds that are served: found by path and by kind, custom ones in order beside the built-in ones, and alive as long as somebody holds them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "practice/api/registry.h"
#include "verbs_world.h"

/* The registry only looks whether there is one. */
static char anything;
#define SOME_CRD ((const struct crd *)(const void *)&anything)

/* Two versions of one custom kind. */
struct custom {
    struct schema_kind kinds[2];
    const struct schema_kind *list[2];
    int freed;
};

static void count_free(void *owner)
{
    ((struct custom *)owner)->freed++;
}

static void make_custom(struct custom *custom, const char *group, const char *plural, const char *kind)
{
    static const char *const versions[2] = {"v1beta1", "v1"};
    *custom = (struct custom){0};
    for (int i = 0; i < 2; i++) {
        custom->kinds[i] = (struct schema_kind){
            .group = group, .version = versions[i], .kind = kind, .plural = plural, .singular = plural, .list_kind = kind, .crd = SOME_CRD};
        custom->kinds[i].storage = &custom->kinds[1];
        custom->list[i] = &custom->kinds[i];
    }
}

static void built_in_kinds_are_found(void **state)
{
    (void)state;
    struct world world;
    assert_true(world_open(&world));
    struct registry *registry = world.api.registry;
    const struct schema_kind *pods = registry_find(registry, "", "v1", "pods"),
                             *v1 = registry_find(registry, "autoscaling", "v1", "horizontalpodautoscalers");
    const struct schema_kind *v2 = registry_find_kind(registry, "autoscaling", "v2", "HorizontalPodAutoscaler");
    assert_string_equal(pods->kind, "Pod");
    assert_ptr_equal(pods, registry_find_kind(registry, "", "v1", "Pod"));
    assert_null(registry_find(registry, "", "v2", "pods"));
    assert_null(registry_find(registry, "apps", "v1", "pods"));
    assert_null(registry_find(registry, "", "", ""));
    assert_true(registry_resource(registry, pods) != 0);
    assert_int_equal(registry_resource(registry, v1), registry_resource(registry, v2));
    assert_int_not_equal(registry_resource(registry, v1), registry_resource(registry, pods));
    world_close(&world);
}

static void custom_kinds_come_in_order_and_go(void **state)
{
    (void)state;
    struct world world;
    struct custom zebras, apples;
    size_t before = 0, count = 0;
    assert_true(world_open(&world));
    struct registry *registry = world.api.registry;
    make_custom(&zebras, "z.example.org", "zebras", "Zebra");
    make_custom(&apples, "a.example.org", "apples", "Apple");
    registry_kinds(registry, &before);
    uint64_t generation = registry_generation(registry);
    assert_true(registry_set(registry, "zebras.z.example.org", zebras.list, 2, &zebras, count_free, NULL));
    assert_true(registry_set(registry, "apples.a.example.org", apples.list, 2, &apples, count_free, NULL));
    assert_true(registry_generation(registry) > generation);
    const struct schema_kind *const *kinds = registry_kinds(registry, &count);
    assert_int_equal(count, before + 4);
    assert_string_equal(kinds[before]->plural, "apples");
    assert_string_equal(kinds[before]->version, "v1"); /* stable versions come before others */
    assert_string_equal(kinds[before + 1]->version, "v1beta1");
    assert_string_equal(kinds[before + 2]->plural, "zebras");
    assert_ptr_equal(registry_find(registry, "z.example.org", "v1beta1", "zebras"), &zebras.kinds[0]);
    assert_true(registry_set(registry, "zebras.z.example.org", NULL, 0, NULL, NULL, NULL));
    assert_null(registry_find(registry, "z.example.org", "v1", "zebras"));
    registry_kinds(registry, &count);
    assert_int_equal(count, before + 2);
    assert_int_equal(zebras.freed, 1);
    assert_int_equal(apples.freed, 0);
    world_close(&world);
    assert_int_equal(apples.freed, 1);
}

static void a_held_kind_lives_on_after_it_was_replaced(void **state)
{
    (void)state;
    struct world world;
    struct custom first, second;
    assert_true(world_open(&world));
    struct registry *registry = world.api.registry;
    make_custom(&first, "z.example.org", "zebras", "Zebra");
    make_custom(&second, "z.example.org", "zebras", "Zebra");
    assert_true(registry_set(registry, "zebras.z.example.org", first.list, 2, &first, count_free, NULL));
    registry_hold(registry, &first.kinds[1]);
    assert_true(registry_set(registry, "zebras.z.example.org", second.list, 1, &second, count_free, NULL));
    assert_int_equal(first.freed, 0);
    assert_null(registry_find(registry, "z.example.org", "v1", "zebras")); /* the new one has the first version alone */
    assert_ptr_equal(registry_find(registry, "z.example.org", "v1beta1", "zebras"), &second.kinds[0]);
    registry_release(registry, &first.kinds[1]);
    assert_int_equal(first.freed, 1);
    world_close(&world);
    assert_int_equal(second.freed, 1);
}

static void without_memory_nothing_changes(void **state)
{
    (void)state;
    struct world world;
    struct custom first, second;
    assert_true(world_open(&world));
    struct registry *registry = world.api.registry;
    make_custom(&first, "z.example.org", "zebras", "Zebra");
    assert_true(registry_set(registry, "zebras.z.example.org", first.list, 2, &first, count_free, NULL));
    bool set = false;
    for (int nth = 1; !set; nth += nth < 20 ? 1 : 37) {
        make_custom(&second, "z.example.org", "zebras", "Zebra");
        mem_fail_at(nth);
        set = registry_set(registry, "zebras.z.example.org", second.list, 2, &second, count_free, NULL);
        mem_fail_at(0);
        if (!set) {
            assert_int_equal(second.freed, 1);
            assert_int_equal(first.freed, 0);
            assert_ptr_equal(registry_find(registry, "z.example.org", "v1", "zebras"), &first.kinds[1]);
        }
        assert_true(nth < 100000);
    }
    assert_int_equal(first.freed, 1);
    world_close(&world);
}

int test_registry(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_kinds_are_found),
        cmocka_unit_test(custom_kinds_come_in_order_and_go),
        cmocka_unit_test(a_held_kind_lives_on_after_it_was_replaced),
        cmocka_unit_test(without_memory_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
