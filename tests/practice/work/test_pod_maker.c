/* Pods from templates: what is made, what is said of it, who takes and lets go; expectations; hashes. */
#include <stdio.h>
#include <string.h>

#include "../../failing.h"
#include "practice/work/pod_maker.h"
#include "work_world.h"

static const struct client_resource sets = {"apps", "v1", "replicasets"}, quotas = {"", "v1", "resourcequotas"};

struct making {
    struct work_world world;
    struct value *set;
    struct maker maker;
};

static int open_making(void **state)
{
    static struct making making;
    memset(&making, 0, sizeof making);
    work_open(&making.world);
    work_make(&making.world, &sets,
              work_json("{'metadata':{'name':'web'},'spec':{'replicas':2,'selector':{'matchLabels':{'app':'web'}},'template':{'"
                        "metadata':{'labels':{'app':'web'},'annotations':{'a':'b'}},"
                        "'spec':{'containers':[{'name':'c','image':'nginx'}]}}}}"));
    making.set = work_get(&making.world, &sets, "web");
    const struct recorder_options options = {.component = "replicaset-controller"};
    making.maker = (struct maker){.place = &making.world.place,
                                  .recorder = recorder_new(making.world.place.client, &options, NULL),
                                  .api_version = "apps/v1",
                                  .kind = "ReplicaSet",
                                  .owner = making.set};
    assert_non_null(making.maker.recorder);
    *state = &making;
    return 0;
}

static int close_making(void **state)
{
    struct making *making = *state;
    recorder_free(making->maker.recorder);
    value_free(making->set);
    work_close(&making->world);
    return 0;
}

/* The only event's "reason: message", or how many there are. */
static const char *only_event(struct work_world *world)
{
    static char text[2048];
    struct api *api = world->place.api;
    const struct schema_kind *kind = registry_find(api->registry, "", "v1", "events");
    int count = 0;
    for (const struct object *object = NULL;
         (object = state_next(api->state, registry_resource(api->registry, kind), "default", object != NULL ? object->ns : NULL,
                              object != NULL ? object->name : NULL)) != NULL;
         count++) {
        struct value *event = api_value(api, object, kind);
        snprintf(text, sizeof text, "%s %s: %s", value_text(value_get(event, "type")), value_text(value_get(event, "reason")),
                 value_text(value_get(event, "message")));
        value_free(event);
    }
    if (count != 1)
        snprintf(text, sizeof text, "%d events", count);
    return text;
}

static void a_pod_of_a_template_is_owned_and_told_of(void **state)
{
    struct making *making = *state;
    struct value *pod = maker_pod(&making->maker, value_find(making->set, "spec", "template", NULL), NULL);
    assert_string_equal(value_find_text(pod, "metadata", "generateName", NULL), "web-");
    assert_true(maker_create(&making->maker, pod, NULL));
    work_run(&making->world);
    const char *uid = value_find_text(making->set, "metadata", "uid", NULL);
    const struct pod_view *view = pods_next_owned(making->world.place.pods, uid, NULL);
    assert_non_null(view);
    assert_int_equal(strlen(view->object->name), strlen("web-") + 5);
    assert_string_equal(view->owner_kind, "ReplicaSet");
    assert_string_equal(object_label(view->object, "app"), "web");
    struct value *document = pods_value(making->world.place.pods, view);
    assert_string_equal(value_find_text(document, "metadata", "annotations", "a", NULL), "b");
    assert_true(value_is_true(
        value_get(value_item(value_find(document, "metadata", "ownerReferences", NULL), 0), "blockOwnerDeletion")));
    value_free(document);
    char text[128];
    snprintf(text, sizeof text, "Normal SuccessfulCreate: Created pod: %s", view->object->name);
    assert_string_equal(only_event(&making->world), text);
    assert_true(maker_delete(&making->maker, view, NULL));
    assert_true(maker_delete(&making->maker, view, NULL)); /* gone already: that is not said */
    work_run(&making->world);
    assert_null(pods_next_owned(making->world.place.pods, uid, NULL));
    assert_string_equal(only_event(&making->world), "2 events");
    pod = maker_pod(&making->maker, value_find(making->set, "spec", "template", NULL), "web-0");
    assert_string_equal(value_find_text(pod, "metadata", "name", NULL), "web-0");
    assert_null(value_find(pod, "metadata", "generateName", NULL));
    value_free(pod);
}

static void a_refused_pod_is_told_of_in_the_servers_words(void **state)
{
    struct making *making = *state;
    struct error err = ERROR_INIT;
    work_make(
        &making->world, &quotas,
        work_json("{'metadata':{'name':'q'},'spec':{'hard':{'pods':'0'}},'status':{'hard':{'pods':'0'},'used':{'pods':'0'}}}"));
    work_patch(&making->world, &quotas, "status", "q", work_json("{'status':{'hard':{'pods':'0'},'used':{'pods':'0'}}}"));
    struct value *pod = maker_pod(&making->maker, value_find(making->set, "spec", "template", NULL), NULL);
    assert_false(maker_create(&making->maker, pod, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    work_run(&making->world);
    const char *text = only_event(&making->world);
    assert_non_null(strstr(text, "Warning FailedCreate: Error creating: pods \"web-"));
    assert_non_null(strstr(text, "is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0"));
}

static void a_long_refusal_is_told_whole(void **state)
{
    struct making *making = *state;
    static const struct client_resource namespaces = {"", "v1", "namespaces"};
    value_free(client_patch(making->world.place.client, &namespaces, "", "", "default", PATCH_MERGE,
                            work_json("{'metadata':{'labels':{'pod-security.kubernetes.io/enforce':'restricted'}}}"), NULL));
    assert_false(
        maker_create(&making->maker, maker_pod(&making->maker, value_find(making->set, "spec", "template", NULL), NULL), NULL));
    work_run(&making->world);
    const char *text = only_event(&making->world);
    assert_true(strlen(text) > 512);
    assert_string_equal(text + strlen(text) - strlen("to \"RuntimeDefault\" or \"Localhost\")"),
                        "to \"RuntimeDefault\" or \"Localhost\")");
}

static void orphans_that_match_are_taken_and_own_ones_that_do_not_are_let_go(void **state)
{
    struct making *making = *state;
    struct work_world *world = &making->world;
    struct label_selector *selector = label_selector_new(value_find(making->set, "spec", "selector", NULL), NULL);
    making->maker.finalizer = "example.com/kept";
    work_pod(world, "orphan", ",'labels':{'app':'web'}");
    work_pod(world, "stranger", ",'labels':{'app':'db'}");
    work_pod(world, "taken",
             ",'labels':{'app':'web'},'ownerReferences':[{'apiVersion':'apps/"
             "v1','kind':'ReplicaSet','name':'other','uid':'u9','controller':true}]");
    work_run(world);
    assert_true(maker_claim(&making->maker, selector, NULL));
    work_run(world);
    const char *uid = value_find_text(making->set, "metadata", "uid", NULL);
    assert_int_equal(pods_count_owned(world->place.pods, uid), 1);
    assert_string_equal(work_view(world, "orphan")->owner_uid, uid);
    assert_true((work_view(world, "orphan")->object->flags & OBJECT_HAS_FINALIZERS) != 0);
    assert_string_equal(work_view(world, "taken")->owner_uid, "u9");
    work_patch(world, &work_pods, "", "orphan", work_json("{'metadata':{'labels':{'app':'debug'}}}"));
    work_run(world);
    assert_true(maker_claim(&making->maker, selector, NULL));
    work_run(world);
    assert_int_equal(pods_count_owned(world->place.pods, uid), 0);
    assert_string_equal(work_view(world, "orphan")->owner_uid, "");
    assert_false((work_view(world, "orphan")->object->flags & OBJECT_HAS_FINALIZERS) != 0);
    work_patch(world, &work_pods, "", "orphan", work_json("{'metadata':{'labels':{'app':'web'}}}"));
    work_patch(world, &work_pods, "status", "orphan", work_json("{'status':{'phase':'Failed'}}"));
    work_run(world);
    making->maker.active_only = true;
    assert_true(maker_claim(&making->maker, selector, NULL));
    work_run(world);
    assert_string_equal(work_view(world, "orphan")->owner_uid, "");
    label_selector_free(selector);
}

static void one_that_is_gone_takes_nothing(void **state)
{
    struct making *making = *state;
    struct error err = ERROR_INIT;
    struct label_selector *selector = label_selector_new(value_find(making->set, "spec", "selector", NULL), NULL);
    work_pod(&making->world, "orphan", ",'labels':{'app':'web'}");
    work_delete(&making->world, &sets, "web");
    work_run(&making->world);
    assert_false(maker_claim(&making->maker, selector, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_string_equal(work_view(&making->world, "orphan")->owner_uid, "");
    label_selector_free(selector);
}

static void make_without_memory(void *data)
{
    struct making *making = data;
    struct value *pod = maker_pod(&making->maker, value_find(making->set, "spec", "template", NULL), NULL);
    if (pod != NULL)
        (void)maker_create(&making->maker, pod, NULL);
    struct label_selector *selector = label_selector_new(value_find(making->set, "spec", "selector", NULL), NULL);
    if (selector != NULL)
        (void)maker_claim(&making->maker, selector, NULL);
    label_selector_free(selector);
}

static void without_memory_nothing_is_left(void **state)
{
    struct making *making = *state;
    work_pod(&making->world, "orphan", ",'labels':{'app':'web'}");
    work_run(&making->world);
    each_allocation_failing(make_without_memory, making);
}

static void expectations_are_met_when_all_was_seen_or_after_five_minutes(void **state)
{
    struct making *making = *state;
    struct expectations *expectations = expectations_new(making->world.place.api->clock, NULL);
    assert_true(expectations_met(expectations, "default/web"));
    assert_true(expectations_set(expectations, "default/web", 2, 0));
    assert_false(expectations_met(expectations, "default/web"));
    expectations_saw_creation(expectations, "default/web");
    expectations_saw_deletion(expectations, "default/web"); /* one too many of another sort */
    assert_false(expectations_met(expectations, "default/web"));
    expectations_saw_creation(expectations, "default/web");
    assert_true(expectations_met(expectations, "default/web"));
    assert_true(expectations_set(expectations, "default/web", 0, 1));
    assert_false(expectations_met(expectations, "default/web"));
    expectations_forget(expectations, "default/web");
    assert_true(expectations_met(expectations, "default/web"));
    assert_true(expectations_set(expectations, "default/web", 0, 1));
    work_step(&making->world, 300 * 1000);
    assert_false(expectations_met(expectations, "default/web"));
    work_step(&making->world, 1000);
    assert_true(expectations_met(expectations, "default/web"));
    expectations_saw_deletion(expectations, "elsewhere/web"); /* nobody's */
    mem_fail_at(1);
    assert_false(expectations_set(expectations, "default/other", 1, 0));
    mem_fail_at(0);
    assert_true(expectations_met(expectations, "default/other"));
    expectations_free(expectations);
}

static void hash(const char *json, int64_t collisions, char out[static TEMPLATE_HASH])
{
    struct value *template = work_json("%s", json);
    assert_true(template_hash(template, collisions, out));
    assert_in_range(strlen(out), 1, 10);
    assert_int_equal(strspn(out, "456789bcdf"), strlen(out)); /* as the real ones look */
    value_free(template);
}

static void equal_templates_have_equal_hashes_and_others_do_not(void **state)
{
    (void)state;
    static const char *const others[] = {
        "{'spec':{'a':1,'b':['x','z']}}",          "{'spec':{'a':1,'b':['y','x']}}",   "{'spec':{'a':2,'b':['x','y']}}",
        "{'spec':{'b':1,'a':['x','y']}}",          "{'spec':{'a':'1','b':['x','y']}}", "{'spec':{'a':1,'b':['x','y'],'c':{}}}",
        "{'spec':{'a':1,'b':['x','y'],'c':true}}", "{'spec':{'a':1.5,'b':['x','y']}}", "{'spec':{'a':1,'b':['xy']}}",
    };
    enum { OTHERS = sizeof others / sizeof *others };
    char hashes[OTHERS + 2][TEMPLATE_HASH], again[TEMPLATE_HASH];
    hash("{'spec':{'a':1,'b':['x','y']}}", 0, hashes[OTHERS]);
    hash("{'spec':{'a':1,'b':['x','y']}}", 1, hashes[OTHERS + 1]);
    hash("{'spec':{'b':['x','y'],'c':null,'a':1.0}}", 0, again);
    assert_string_equal(hashes[OTHERS], again);
    for (size_t i = 0; i < OTHERS; i++)
        hash(others[i], 0, hashes[i]);
    for (size_t i = 0; i < OTHERS + 2; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(hashes[i], hashes[k]);
}

int test_pod_maker(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_pod_of_a_template_is_owned_and_told_of, open_making, close_making),
        cmocka_unit_test_setup_teardown(a_refused_pod_is_told_of_in_the_servers_words, open_making, close_making),
        cmocka_unit_test_setup_teardown(a_long_refusal_is_told_whole, open_making, close_making),
        cmocka_unit_test_setup_teardown(orphans_that_match_are_taken_and_own_ones_that_do_not_are_let_go, open_making,
                                        close_making),
        cmocka_unit_test_setup_teardown(one_that_is_gone_takes_nothing, open_making, close_making),
        cmocka_unit_test_setup_teardown(without_memory_nothing_is_left, open_making, close_making),
        cmocka_unit_test_setup_teardown(expectations_are_met_when_all_was_seen_or_after_five_minutes, open_making,
                                        close_making),
        cmocka_unit_test(equal_templates_have_equal_hashes_and_others_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
