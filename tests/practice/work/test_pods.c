/* The view of all Pods: what it shows, where it finds them, and that no event is lost. */
#include <stdio.h>
#include <string.h>

#include "../../failing.h"
#include "work_world.h"

static int open_world(void **state)
{
    static struct work_world world;
    work_open(&world);
    *state = &world;
    return 0;
}

static int close_world(void **state)
{
    work_close(*state);
    return 0;
}

static void a_pod_is_shown_as_it_is(void **state)
{
    struct work_world *world = *state;
    work_pod(world, "a",
             ",'labels':{'app':'web'},'ownerReferences':[{'apiVersion':'v1','kind':'Node','name':'n','uid':'u0'},{'apiVersion':"
             "'apps/v1','kind':'ReplicaSet','name':'web-1','uid':'u1','controller':true}]");
    assert_null(work_view(world, "a")); /* not committed yet */
    work_run(world);
    assert_true(pods_current(world->place.pods));
    const struct pod_view *pod = work_view(world, "a");
    assert_non_null(pod);
    assert_string_equal(object_label(pod->object, "app"), "web");
    assert_string_equal(pod->owner_uid, "u1");
    assert_string_equal(pod->owner_kind, "ReplicaSet");
    assert_string_equal(pod->owner_version, "apps/v1");
    assert_string_equal(pod->owner_name, "web-1");
    assert_string_equal(pod->node, "");
    assert_string_equal(pod->ip, "");
    assert_string_equal(pod->scheduler, "default-scheduler");
    assert_string_equal(pod->nominated, "");
    assert_int_equal(pod->phase, POD_PENDING);
    assert_false(pod->ready || pod->deleting || pod->gated || pod->host_network || pod->never);
    assert_true(pod->created_ms > 0);
    assert_int_equal(pod->requests.count, 2);
    assert_int_equal(amount_whole(amounts_find(&pod->requests, "memory")->amount), 64 << 20);
    assert_true(amounts_find(&pod->requests, "cpu")->amount.nano == 100000000);
    assert_true(pod_is_active(pod));
    work_patch(
        world, &work_pods, "status", "a",
        work_json("{'status':{'phase':'Running','podIP':'10.0.0.7','podIPs':[{'ip':'10.0.0.7'}],'startTime':'2026-01-01T00:00:"
                  "01Z','conditions':[{'type':'Ready','status':'True','lastTransitionTime':'2026-01-01T00:00:05Z'}],"
                  "'containerStatuses':[{'name':'c','image':'nginx','imageID':'','ready':true,'restartCount':3}]}}"));
    work_run(world);
    pod = work_view(world, "a");
    assert_int_equal(pod->phase, POD_RUNNING);
    assert_string_equal(pod->ip, "10.0.0.7");
    assert_int_equal(pod->restarts, 3);
    assert_true(pod->ready);
    assert_int_equal(pod->ready_ms - pod->started_ms, 4000);
    assert_true(pod_is_available(pod, 0, 0));
    assert_false(pod_is_available(pod, 10000, pod->ready_ms + 9999));
    assert_true(pod_is_available(pod, 10000, pod->ready_ms + 10000));
    struct value *document = pods_value(world->place.pods, pod);
    assert_string_equal(value_find_text(document, "status", "podIP", NULL), "10.0.0.7");
    value_free(document);
}

/* The names of a walk, each with a comma. */
static const char *names(const struct pods *pods,
                         const struct pod_view *(*next)(const struct pods *pods, const char *key, const struct pod_view *after),
                         const char *key)
{
    static char text[1024];
    text[0] = '\0';
    for (const struct pod_view *pod = NULL; (pod = next(pods, key, pod)) != NULL;) {
        strcat(text, pod->object->name);
        strcat(text, ",");
    }
    return text;
}

static void bind(struct work_world *world, const char *name, const char *node)
{
    static const struct client_resource bindings = {"", "v1", "bindings"};
    work_make(world, &bindings, work_json("{'metadata':{'name':'%s'},'target':{'kind':'Node','name':'%s'}}", name, node));
}

static void pods_are_found_by_owner_node_namespace_and_address(void **state)
{
    struct work_world *world = *state;
    const struct pods *pods = world->place.pods;
    static const char owned[] =
        ",'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet','name':'web-1','uid':'u1','controller':true}]";
    work_pod(world, "c", owned);
    work_pod(world, "a", owned);
    work_pod(world, "b", "");
    work_run(world);
    assert_string_equal(names(pods, pods_next_in, "default"), "a,b,c,");
    assert_string_equal(names(pods, pods_next_in, "elsewhere"), "");
    assert_string_equal(names(pods, pods_next_owned, "u2"), "");
    assert_int_equal(pods_count_owned(pods, "u1"), 2);
    assert_int_equal(pods_count_on(pods, ""), 3);
    bind(world, "a", "n1");
    bind(world, "b", "n1");
    work_run(world);
    assert_string_equal(names(pods, pods_next_on, ""), "c,");
    assert_string_equal(names(pods, pods_next_on, "n1"), "a,b,");
    assert_int_equal(pods_count_on(pods, "n1"), 2);
    assert_int_equal(strlen(names(pods, pods_next_owned, "u1")), 4);
    work_patch(world, &work_pods, "status", "a",
               work_json("{'status':{'phase':'Running','podIP':'10.0.0.7','podIPs':[{'ip':'10.0.0.7'}]}}"));
    work_run(world);
    assert_ptr_equal(pods_by_ip(pods, "10.0.0.7"), work_view(world, "a"));
    assert_ptr_equal(pods_by_uid(pods, work_view(world, "b")->object->uid), work_view(world, "b"));
    work_patch(world, &work_pods, "status", "a", work_json("{'status':{'phase':'Succeeded'}}"));
    work_run(world);
    assert_string_equal(work_view(world, "a")->ip, "10.0.0.7");
    assert_null(pods_by_ip(pods, "10.0.0.7")); /* it ended: its address may be another's */
    work_delete(world, &work_pods, "c");
    work_run(world);
    assert_null(work_view(world, "c"));
    assert_string_equal(names(pods, pods_next_owned, "u1"), "a,");
    assert_string_equal(names(pods, pods_next_in, "default"), "a,b,");
    assert_int_equal(pods_count_on(pods, ""), 0);
}

/* ---- followers */

struct seen {
    struct pods *pods;
    struct pods_follower *follower;
    int added, changed, gone;
    char phase[32], before[32], name[64]; /* of the last event; the name as the document has it */
    bool ends;
};

static void note(void *data, const struct pods_event *event)
{
    struct seen *seen = data;
    seen->added += event->previous == NULL;
    seen->changed += event->previous != NULL && event->pod != NULL;
    seen->gone += event->pod == NULL;
    snprintf(seen->phase, sizeof seen->phase, "%s", event->pod != NULL ? pod_phase_names[event->pod->phase] : "");
    snprintf(seen->before, sizeof seen->before, "%s", event->previous != NULL ? pod_phase_names[event->previous->phase] : "");
    snprintf(seen->name, sizeof seen->name, "%s", value_find_text(event->document, "metadata", "name", NULL));
    const struct object *object = (event->pod != NULL ? event->pod : event->previous)->object;
    assert_ptr_equal(pods_by_uid(seen->pods, object->uid), event->pod); /* what is told is so already */
    if (seen->ends) {
        pods_unfollow(seen->follower);
        seen->follower = NULL;
        seen->ends = false;
    }
}

static void followers_are_told_of_what_is_there_and_of_each_change(void **state)
{
    struct work_world *world = *state;
    struct pods *pods = world->place.pods;
    struct seen seen = {.pods = pods}, late = {.pods = pods};
    work_pod(world, "a", "");
    work_run(world);
    seen.follower = pods_follow(pods, note, &seen, NULL);
    assert_int_equal(seen.added, 1);
    work_pod(world, "b", "");
    work_run(world);
    assert_int_equal(seen.added, 2);
    assert_string_equal(seen.name, "b");
    work_patch(world, &work_pods, "status", "b", work_json("{'status':{'phase':'Running'}}"));
    work_run(world);
    assert_int_equal(seen.changed, 1);
    assert_string_equal(seen.before, "Pending");
    assert_string_equal(seen.phase, "Running");
    late.follower = pods_follow(pods, note, &late, NULL);
    assert_int_equal(late.added, 2);
    late.ends = true;
    work_delete(world, &work_pods, "b");
    work_run(world);
    assert_int_equal(seen.gone, 1);
    assert_string_equal(seen.name, "b");
    assert_int_equal(late.gone, 1);
    work_delete(world, &work_pods, "a");
    work_run(world);
    assert_int_equal(seen.gone, 2);
    assert_int_equal(late.gone, 1);
    pods_unfollow(seen.follower);
}

/* What follows is told of the Pod whose name the document has, but for managedFields. */
static void compare_documents(void *data, const struct pods_event *event)
{
    struct value *whole = pods_value(data, event->pod);
    assert_non_null(value_find(whole, "metadata", "managedFields", NULL));
    value_remove(value_get(whole, "metadata"), "managedFields");
    assert_true(value_equal(whole, event->document));
    value_free(whole);
}

static void a_document_is_whole_but_for_managed_fields(void **state)
{
    struct work_world *world = *state;
    struct value *pod =
        work_json("{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'nginx','args':['a]','[']}]}}");
    struct value *annotations = value_child(value_get(pod, "metadata"), "annotations");
    assert_true(value_set(annotations, "a", value_string(",\"managedFields\":[\\\"]}")));
    assert_true(value_set(annotations, "z", value_string("managedFields")));
    work_make(world, &work_pods, pod);
    work_run(world);
    struct pods_follower *follower = pods_follow(world->place.pods, compare_documents, world->place.pods, NULL);
    assert_non_null(follower);
    work_patch(world, &work_pods, "", "a", work_json("{'metadata':{'labels':{'x':'y'}}}"));
    work_run(world);
    pods_unfollow(follower);
}

static void a_name_may_come_to_another_pod_and_a_reset_takes_all(void **state)
{
    struct work_world *world = *state;
    struct pods *pods = world->place.pods;
    struct seen seen = {.pods = pods};
    work_pod(world, "a", "");
    work_pod(world, "b", "");
    work_run(world);
    char uid[64];
    snprintf(uid, sizeof uid, "%s", work_view(world, "a")->object->uid);
    seen.follower = pods_follow(pods, note, &seen, NULL);
    assert_true(server_reset(world->serve.server, NULL));
    work_settle_in(world);
    work_pod(world, "a", ""); /* within the informer's next list */
    work_run(world);
    assert_int_equal(seen.gone, 2);
    assert_int_equal(seen.added, 3);
    assert_null(pods_by_uid(pods, uid));
    assert_null(work_view(world, "b"));
    assert_non_null(work_view(world, "a"));
    assert_int_equal(pods_count_on(pods, ""), 1);
    pods_unfollow(seen.follower);
}

/* Everything is made first; only the telling of it meets the failing allocation. */
static void without_memory_an_event_comes_late_but_comes(void **state)
{
    struct work_world *world = *state;
    struct pods *pods = world->place.pods;
    struct seen seen = {.pods = pods};
    seen.follower = pods_follow(pods, note, &seen, NULL);
    bool reached = true;
    for (int nth = 1; reached; nth++) {
        assert_true(nth < 5000);
        char name[32];
        snprintf(name, sizeof name, "p%d", nth);
        work_pod(
            world, name,
            ",'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet','name':'web-1','uid':'u1','controller':true}]");
        assert_true(state_commit(world->place.api->state, NULL));
        mem_fail_at(nth);
        work_run(world);
        reached = failing_was_reached(nth);
        for (int i = 0; i < 100 && (seen.added < nth || !pods_current(pods)); i++)
            loop_once(world->serve.loop, 20);
        assert_int_equal(seen.added, nth);
        work_delete(world, &work_pods, name);
        assert_true(state_commit(world->place.api->state, NULL));
        mem_fail_at(nth);
        work_run(world);
        reached = failing_was_reached(nth) || reached;
        for (int i = 0; i < 100 && (seen.gone < nth || !pods_current(pods)); i++)
            loop_once(world->serve.loop, 20);
        assert_int_equal(seen.gone, nth);
        assert_int_equal(pods_count_owned(pods, "u1"), 0);
    }
    pods_unfollow(seen.follower);
}

static void begin_without_memory(void *data)
{
    struct work_world *world = data;
    struct seen seen = {.pods = world->place.pods};
    pods_unfollow(pods_follow(world->place.pods, note, &seen, NULL));
    struct pods *pods = pods_new(world->place.reader, NULL);
    pods_free(pods);
}

static void without_memory_nothing_begins_and_nothing_is_left(void **state)
{
    struct work_world *world = *state;
    work_pod(world, "a", "");
    work_run(world);
    each_allocation_failing(begin_without_memory, world);
    work_delete(world, &work_pods, "a");
    work_run(world);
    assert_null(work_view(world, "a"));
}

int test_pods(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_pod_is_shown_as_it_is, open_world, close_world),
        cmocka_unit_test_setup_teardown(pods_are_found_by_owner_node_namespace_and_address, open_world, close_world),
        cmocka_unit_test_setup_teardown(followers_are_told_of_what_is_there_and_of_each_change, open_world, close_world),
        cmocka_unit_test_setup_teardown(a_document_is_whole_but_for_managed_fields, open_world, close_world),
        cmocka_unit_test_setup_teardown(a_name_may_come_to_another_pod_and_a_reset_takes_all, open_world, close_world),
        cmocka_unit_test_setup_teardown(without_memory_an_event_comes_late_but_comes, open_world, close_world),
        cmocka_unit_test_setup_teardown(without_memory_nothing_begins_and_nothing_is_left, open_world, close_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
