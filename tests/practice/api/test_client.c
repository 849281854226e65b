/* What controllers speak to: calls with an identity, errors by kind, informers that tell what happened. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/client.h"
#include "serve_world.h"

static const struct client_resource configmaps = {"", "v1", "configmaps"}, pods = {"", "v1", "pods"}, nothing = {"", "v1", "nothing"};

static int open_world(void **state)
{
    struct serve_world *world = mem_zero(1, sizeof *world);
    serve_open(world, NULL);
    *state = world;
    return 0;
}

static int close_world(void **state)
{
    serve_close(*state);
    mem_free(*state);
    return 0;
}

static struct client *open_client(struct serve_world *world, const char *user)
{
    struct client *client = client_new(server_api(world->server), user, "tests", NULL);
    assert_non_null(client);
    return client;
}

/* A cluster role binding of cluster-admin for one account of the tests' own. */
static void let_everything(struct serve_world *world)
{
    serve_do(world, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
             "{\"metadata\":{\"name\":\"tests\"},\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\"name\":\"cluster-"
             "admin\"},"
             "\"subjects\":[{\"kind\":\"ServiceAccount\",\"namespace\":\"kube-system\",\"name\":\"tests\"}]}",
             201);
}

static struct value *configmap(const char *name)
{
    struct value *object = value_object(), *metadata = value_child(object, "metadata");
    assert_true(value_set(metadata, "name", value_string(name)) && value_set(value_child(object, "data"), "a", value_string("b")));
    return object;
}

static void does_what_the_wire_does_and_tells_refusals_by_kind(void **state)
{
    struct error err = ERROR_INIT;
    let_everything(*state);
    struct client *client = open_client(*state, "system:serviceaccount:kube-system:tests");
    assert_null(client_get(client, &configmaps, "default", "c", &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_string_equal(err.message, "configmaps \"c\" not found");
    struct value *made = client_create(client, &configmaps, "default", configmap("c"), &err);
    assert_string_equal(value_find_text(made, "metadata", "namespace", NULL), "default");
    assert_null(client_create(client, &configmaps, "default", configmap("c"), &err));
    assert_int_equal(err.kind, ERROR_EXISTS);
    struct value *data = value_child(made, "data");
    assert_true(value_set(data, "k", value_string("v")));
    struct value *old = value_copy(made), *updated = client_update(client, &configmaps, "", made, &err);
    assert_string_equal(value_find_text(updated, "data", "k", NULL), "v");
    assert_string_equal(value_find_text(value_item(value_find(updated, "metadata", "managedFields", NULL), 0), "manager", NULL), "tests");
    assert_null(client_update(client, &configmaps, "", old, &err));
    assert_int_equal(err.kind, ERROR_CONFLICT);
    struct value *patch = value_object();
    assert_true(value_set(value_child(patch, "data"), "k", value_string("w")));
    struct value *patched = client_patch(client, &configmaps, "", "default", "c", PATCH_MERGE, patch, &err);
    assert_string_equal(value_find_text(patched, "data", "k", NULL), "w");
    assert_false(client_delete(client, &configmaps, "default", "c", "another-uid", PROPAGATION_BACKGROUND, &err));
    assert_int_equal(err.kind, ERROR_CONFLICT);
    assert_true(client_delete(client, &configmaps, "default", "c", value_find_text(patched, "metadata", "uid", NULL), PROPAGATION_BACKGROUND, &err));
    assert_null(client_get(client, &nothing, "default", "c", &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    value_free(updated);
    value_free(patched);
    client_free(client);
}

static void access_counts_inside_too(void **state)
{
    struct error err = ERROR_INIT;
    struct client *client = open_client(*state, "system:serviceaccount:kube-system:nobody");
    assert_null(client_get(client, &configmaps, "default", "c", &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_non_null(
        strstr(err.message, "configmaps \"c\" is forbidden: User \"system:serviceaccount:kube-system:nobody\" cannot get resource \"configmaps\""));
    assert_null(informer_new(client, &pods, NULL, NULL, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    client_free(client);
}

/* ---- informers */

struct seen {
    struct informer *informer;
    int added, changed, gone;
    char last[64];
    bool free_at_next;
};

static void note(void *data, const struct informer_event *event)
{
    struct seen *seen = data;
    seen->added += event->previous == NULL;
    seen->changed += event->previous != NULL && event->object != NULL;
    seen->gone += event->object == NULL;
    snprintf(seen->last, sizeof seen->last, "%s", (event->object != NULL ? event->object : event->previous)->name);
    if (seen->free_at_next) {
        informer_free(seen->informer);
        seen->informer = NULL;
    }
}

static void run(struct serve_world *world)
{
    for (int i = 0; i < 20; i++)
        loop_once(world->loop, 1);
}

static void make(struct client *client, const char *name)
{
    value_free(client_create(client, &configmaps, "default", configmap(name), NULL));
}

static void an_informer_tells_what_is_there_and_what_comes(void **state)
{
    struct serve_world *world = *state;
    struct client *client = open_client(world, "system:serviceaccount:kube-system:tests");
    struct seen first = {0}, second = {0};
    make(client, "one");
    make(client, "two");
    first.informer = informer_new(client, &configmaps, note, &first, NULL);
    assert_false(informer_current(first.informer));
    assert_int_equal(first.added, 0); /* never from inside */
    run(world);
    assert_true(informer_current(first.informer));
    assert_int_equal(first.added, 2);
    make(client, "three");
    assert_null(informer_get(first.informer, "default", "three")); /* not committed, not told */
    run(world);
    assert_non_null(informer_get(first.informer, "default", "three"));
    assert_int_equal(first.added, 3);
    second.informer = informer_new(client, &configmaps, note, &second, NULL);
    run(world);
    assert_int_equal(second.added, 3);
    struct value *patch = value_object();
    assert_true(value_set(value_child(patch, "data"), "k", value_string("v")));
    value_free(client_patch(client, &configmaps, "", "default", "two", PATCH_MERGE, patch, NULL));
    assert_true(client_delete(client, &configmaps, "default", "one", NULL, PROPAGATION_BACKGROUND, NULL));
    run(world);
    for (struct seen *seen = &first; seen != NULL; seen = seen == &first ? &second : NULL) {
        assert_int_equal(seen->changed, 1);
        assert_int_equal(seen->gone, 1);
        assert_string_equal(seen->last, "one");
    }
    const struct object *object = informer_next(first.informer, "default", NULL);
    assert_string_equal(object->name, "three");
    object = informer_next(first.informer, "default", object);
    assert_string_equal(object->name, "two");
    assert_null(informer_next(first.informer, "default", object));
    assert_null(informer_next(first.informer, "kube-public", NULL));
    struct value *document = informer_value(first.informer, informer_get(first.informer, "default", "two"));
    assert_string_equal(value_find_text(document, "data", "k", NULL), "v");
    value_free(document);
    informer_free(first.informer);
    informer_free(second.informer);
    client_free(client);
}

/* What was written against what its text says. */
static void compare_written(void *data, const struct informer_event *event)
{
    struct seen *seen = data;
    struct value *written = event->object != NULL ? informer_written(seen->informer, event->object) : NULL;
    if (written == NULL)
        return;
    struct value *read = informer_value(seen->informer, event->object);
    value_remove(value_get(read, "metadata"), "managedFields");
    assert_true(value_equal(written, read));
    assert_null(informer_written(seen->informer, event->object)); /* it was taken */
    seen->changed++;
    value_free(written);
    value_free(read);
}

static void an_event_has_the_document_that_was_written_at_hand(void **state)
{
    struct serve_world *world = *state;
    struct client *client = open_client(world, "system:serviceaccount:kube-system:tests");
    struct seen seen = {0};
    make(client, "before");
    seen.informer = informer_new(client, &configmaps, compare_written, &seen, NULL);
    run(world);
    assert_int_equal(seen.changed, 0); /* nobody had asked when it was written */
    for (int i = 0; i < 40; i++) { /* more than are kept */
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        make(client, name);
    }
    run(world);
    assert_true(seen.changed > 10 && seen.changed < 40);
    int before = seen.changed;
    struct value *patch = value_object();
    assert_true(value_set(value_child(patch, "data"), "k", value_string("v")));
    value_free(client_patch(client, &configmaps, "", "default", "before", PATCH_MERGE, patch, NULL));
    run(world);
    assert_int_equal(seen.changed, before + 1);
    make(client, "last"); /* freed with the informer */
    informer_free(seen.informer);
    client_free(client);
}

static void after_everything_changed_at_once_it_tells_the_difference(void **state)
{
    struct serve_world *world = *state;
    struct client *client = open_client(world, "system:serviceaccount:kube-system:tests");
    struct seen seen = {0};
    seen.informer = informer_new(client, &configmaps, note, &seen, NULL);
    run(world);
    int before = seen.added;
    assert_true(before > 0);
    assert_true(server_reset(world->server, NULL));
    let_everything(world);
    make(client, "anew");
    run(world);
    assert_int_equal(seen.gone, before);
    assert_int_equal(seen.added, before + 1);
    informer_free(seen.informer);
    client_free(client);
}

static void an_informer_may_end_inside_its_own_event(void **state)
{
    struct serve_world *world = *state;
    struct client *client = open_client(world, "system:serviceaccount:kube-system:tests");
    struct seen ends = {.free_at_next = true}, stays = {0};
    make(client, "x");
    make(client, "y");
    stays.informer = informer_new(client, &configmaps, note, &stays, NULL);
    ends.informer = informer_new(client, &configmaps, note, &ends, NULL);
    run(world);
    assert_int_equal(ends.added, 1);
    assert_true(stays.added > 1);
    informer_free(stays.informer);
    client_free(client);
}

int test_client(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_what_the_wire_does_and_tells_refusals_by_kind),
        cmocka_unit_test(access_counts_inside_too),
        cmocka_unit_test(an_informer_tells_what_is_there_and_what_comes),
        cmocka_unit_test(an_event_has_the_document_that_was_written_at_hand),
        cmocka_unit_test(after_everything_changed_at_once_it_tells_the_difference),
        cmocka_unit_test(an_informer_may_end_inside_its_own_event),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
