#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/api/definitions.h"
#include "practice/api/print.h"
#include "verbs_world.h"

#define DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define THINGS "/apis/example.com/v1/namespaces/place/things"

enum { ROUNDS = 400, ROUND_MS = 20 };

struct scene {
    struct world world;
    struct definitions *definitions;
};

static int open_scene(void **state)
{
    struct scene *scene = mem_zero(1, sizeof *scene);
    struct error err = ERROR_INIT;
    assert_non_null(scene);
    assert_true(world_open(&scene->world) && world_namespace(&scene->world, "place"));
    scene->definitions = definitions_new(&scene->world.api, &err);
    assert_non_null(scene->definitions);
    assert_true(definitions_settle(scene->definitions, &err));
    *state = scene;
    return 0;
}

static int close_scene(void **state)
{
    struct scene *scene = *state;
    definitions_free(scene->definitions);
    world_close(&scene->world);
    mem_free(scene);
    return 0;
}

/* The answer's document; the caller frees. */
static struct value *ask(struct scene *scene, const char *method, const char *path, const char *type, const char *body,
                         int code)
{
    struct reply reply;
    assert_true(world_ask(&scene->world, method, path, type, body, &reply));
    if (reply.code != code)
        fail_msg("%s %s: %d, %s", method, path, reply.code,
                 value_find_text(reply.document, "message", NULL) != NULL ? value_find_text(reply.document, "message", NULL)
                                                                          : "");
    struct value *document = value_copy(reply.document);
    reply_free(&reply);
    assert_non_null(document);
    return document;
}

static void do_ask(struct scene *scene, const char *method, const char *path, const char *type, const char *body, int code)
{
    value_free(ask(scene, method, path, type, body, code));
}

static char *definition(const char *plural, const char *kind, const char *extra, const char *properties)
{
    return mem_printf(
        "{\"apiVersion\":\"apiextensions.k8s.io/"
        "v1\",\"kind\":\"CustomResourceDefinition\",\"metadata\":{\"name\":\"%s.example.com\"},\"spec\":{\"group\":\"example."
        "com\","
        "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"%s\",\"kind\":\"%s\"%s},\"versions\":[{\"name\":\"v1\",\"served\":"
        "true,\"storage\":true,\"schema\":"
        "{\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{%s}}}}}}]}}",
        plural, plural, kind, extra, properties);
}

static void define(struct scene *scene, const char *plural, const char *kind, const char *extra)
{
    char *body = definition(plural, kind, extra, "\"size\":{\"type\":\"integer\"}");
    do_ask(scene, "POST", DEFINITIONS, NULL, body, 201);
    mem_free(body);
}

static const struct value *condition_of(const struct value *document, const char *type)
{
    const struct value *entry = value_first(value_find(document, "status", "conditions", NULL));
    while (entry != NULL && strcmp(value_find_text(entry, "type", NULL), type) != 0)
        entry = value_next(entry);
    return entry;
}

/* Runs the loop until a definition's condition has a reason. */
static void await(struct scene *scene, const char *name, const char *type, const char *reason)
{
    char path[256];
    snprintf(path, sizeof path, DEFINITIONS "/%s", name);
    for (int i = 0; i < ROUNDS; i++) {
        struct value *document = ask(scene, "GET", path, NULL, NULL, 200);
        const struct value *condition = condition_of(document, type);
        bool is = condition != NULL && strcmp(value_find_text(condition, "reason", NULL), reason) == 0;
        value_free(document);
        if (is)
            return;
        loop_once(scene->world.loop, ROUND_MS);
    }
    fail_msg("%s never became %s %s", name, type, reason);
}

static void await_gone(struct scene *scene, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, DEFINITIONS "/%s", name);
    for (int i = 0; i < ROUNDS; i++) {
        struct reply reply;
        assert_true(world_ask(&scene->world, "GET", path, NULL, NULL, &reply));
        int code = reply.code;
        reply_free(&reply);
        if (code == 404)
            return;
        loop_once(scene->world.loop, ROUND_MS);
    }
    fail_msg("%s never went", name);
}

static void run(struct scene *scene)
{
    for (int i = 0; i < 10; i++)
        loop_once(scene->world.loop, ROUND_MS);
}

static const struct schema_kind *kind_of(struct scene *scene, const char *plural)
{
    return registry_find(scene->world.api.registry, "example.com", "v1", plural);
}

#define THING(name, size)                                                                                                      \
    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"size\":" size "}}"

static void a_definition_is_named_then_established_and_its_kind_is_served(void **state)
{
    struct scene *scene = *state;
    define(scene, "things", "Thing", "");
    struct value *document = ask(scene, "GET", DEFINITIONS "/things.example.com", NULL, NULL, 200);
    assert_null(condition_of(document, "Established"));
    assert_string_equal(value_text(value_first(value_find(document, "status", "storedVersions", NULL))), "v1");
    value_free(document);
    await(scene, "things.example.com", "Established", "InitialNamesAccepted");
    run(scene);
    document = ask(scene, "GET", DEFINITIONS "/things.example.com", NULL, NULL, 200);
    assert_string_equal(value_find_text(condition_of(document, "NamesAccepted"), "reason", NULL), "NoConflicts");
    assert_string_equal(value_find_text(document, "status", "acceptedNames", "listKind", NULL), "ThingList");
    assert_int_equal(value_find_int(document, 0, "metadata", "generation", NULL), 1);
    value_free(document);
    assert_non_null(kind_of(scene, "things"));
    do_ask(scene, "POST", THINGS, NULL, THING("a", "1"), 201);
    do_ask(scene, "POST", THINGS, NULL, THING("b", "\"text\""), 422);
}

static void names_that_others_have_are_not_accepted_until_they_are_free(void **state)
{
    struct scene *scene = *state;
    define(scene, "things", "Thing", "");
    await(scene, "things.example.com", "Established", "InitialNamesAccepted");
    define(scene, "others", "Thing", ",\"shortNames\":[\"things\"]");
    await(scene, "others.example.com", "NamesAccepted", "ListKindConflict");
    struct value *document = ask(scene, "GET", DEFINITIONS "/others.example.com", NULL, NULL, 200);
    assert_string_equal(value_find_text(condition_of(document, "NamesAccepted"), "message", NULL),
                        "\"ThingList\" is already in use");
    assert_string_equal(value_find_text(condition_of(document, "Established"), "reason", NULL), "NotAccepted");
    assert_string_equal(value_find_text(document, "status", "acceptedNames", "plural", NULL), "others");
    value_free(document);
    assert_null(kind_of(scene, "others"));
    do_ask(scene, "DELETE", DEFINITIONS "/things.example.com", NULL, NULL, 200);
    await(scene, "others.example.com", "Established", "InitialNamesAccepted");
    await_gone(scene, "things.example.com");
    run(scene);
    assert_null(kind_of(scene, "things"));
    assert_non_null(kind_of(scene, "others"));
}

static void a_new_schema_holds_for_what_comes_and_keeps_what_is_there(void **state)
{
    struct scene *scene = *state;
    define(scene, "things", "Thing", "");
    await(scene, "things.example.com", "Established", "InitialNamesAccepted");
    run(scene);
    do_ask(scene, "POST", THINGS, NULL, THING("a", "70"), 201);
    const struct schema_kind *before = kind_of(scene, "things");
    do_ask(scene, "PATCH", DEFINITIONS "/things.example.com", "application/json-patch+json",
           "[{\"op\":\"add\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/"
           "maximum\",\"value\":10}]",
           200);
    for (int i = 0; i < ROUNDS && kind_of(scene, "things") == before; i++)
        loop_once(scene->world.loop, ROUND_MS);
    do_ask(scene, "POST", THINGS, NULL, THING("b", "70"), 422);
    struct value *document = ask(scene, "GET", THINGS "/a", NULL, NULL, 200);
    assert_int_equal(value_find_int(document, 0, "spec", "size", NULL), 70);
    value_free(document);
    /* what was there before may stay */
    do_ask(scene, "PATCH", THINGS "/a", "application/merge-patch+json", "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}", 200);
}

/* The text that lists, watches and single reads show of an object in a version. */
static void assert_shown(struct scene *scene, const char *version, const char *name, const char *wanted)
{
    const struct schema_kind *kind = registry_find(scene->world.api.registry, "example.com", version, "things");
    const struct object *object = state_get(scene->world.api.state, registry_resource(scene->world.api.registry, kind), "place", name);
    struct print print;
    struct error err = ERROR_INIT;
    struct buf text = buf_make(10000);
    assert_true(print_start(&print, &scene->world.api, kind, &(struct format){0}, true));
    assert_true(print_object(&print, object, 0, &text, &err));
    print_end(&print);
    const char *spec = strstr(text.bytes, "\"spec\":");
    assert_non_null(spec);
    assert_string_equal(spec, wanted);
    assert_non_null(strstr(text.bytes, version));
    buf_free(&text);
}

static void what_was_stored_is_shown_as_the_schema_is_now(void **state)
{
    struct scene *scene = *state;
    define(scene, "things", "Thing", ",\"singular\":\"thing\"");
    await(scene, "things.example.com", "Established", "InitialNamesAccepted");
    run(scene);
    do_ask(scene, "POST", THINGS, NULL, THING("a", "7"), 201);
    assert_shown(scene, "v1", "a", "\"spec\":{\"size\":7}}");
    const struct schema_kind *before = kind_of(scene, "things");
    do_ask(scene, "PATCH", DEFINITIONS "/things.example.com", "application/json-patch+json",
           "[{\"op\":\"add\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties\",\"value\":"
           "{\"color\":{\"type\":\"string\",\"default\":\"red\"},\"kept\":{\"type\":\"string\",\"default\":\"k\"}}},"
           "{\"op\":\"add\",\"path\":\"/spec/versions/1\",\"value\":{\"name\":\"v2\",\"served\":true,\"storage\":false,\"schema\":"
           "{\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":"
           "{\"kept\":{\"type\":\"string\",\"default\":\"other\"},\"own\":{\"type\":\"string\",\"default\":\"o\"}}}}}}}}]",
           200);
    for (int i = 0; i < ROUNDS && kind_of(scene, "things") == before; i++)
        loop_once(scene->world.loop, ROUND_MS);
    assert_shown(scene, "v1", "a", "\"spec\":{\"color\":\"red\",\"kept\":\"k\"}}");
    assert_shown(scene, "v2", "a", "\"spec\":{\"kept\":\"k\"}}");
    struct value *first = ask(scene, "GET", THINGS "/a", NULL, NULL, 200);
    assert_string_equal(value_find_text(first, "spec", "color", NULL), "red");
    /* an update that changes nothing writes what is shown, once */
    struct value *second = ask(scene, "PATCH", THINGS "/a", "application/merge-patch+json", "{}", 200);
    struct value *third = ask(scene, "PATCH", THINGS "/a", "application/merge-patch+json", "{}", 200);
    assert_string_not_equal(value_find_text(first, "metadata", "resourceVersion", NULL), value_find_text(second, "metadata", "resourceVersion", NULL));
    assert_string_equal(value_find_text(second, "metadata", "resourceVersion", NULL), value_find_text(third, "metadata", "resourceVersion", NULL));
    value_free(first);
    value_free(second);
    value_free(third);
    assert_shown(scene, "v1", "a", "\"spec\":{\"color\":\"red\",\"kept\":\"k\"}}");
}

static void a_definition_goes_after_its_objects_which_go_after_their_finalizers(void **state)
{
    struct scene *scene = *state;
    define(scene, "things", "Thing", "");
    await(scene, "things.example.com", "Established", "InitialNamesAccepted");
    run(scene);
    for (int i = 0; i < 450; i++) {
        char body[256];
        snprintf(body, sizeof body, "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"t%d\"%s}}",
                 i, i == 7 ? ",\"finalizers\":[\"a.b/c\"]" : "");
        do_ask(scene, "POST", THINGS, NULL, body, 201);
    }
    struct value *answer = ask(scene, "DELETE", DEFINITIONS "/things.example.com", NULL, NULL, 200);
    assert_string_equal(value_find_text(answer, "kind", NULL), "CustomResourceDefinition");
    assert_string_equal(value_text(value_first(value_find(answer, "metadata", "finalizers", NULL))),
                        "customresourcecleanup.apiextensions.k8s.io");
    assert_string_equal(value_find_text(condition_of(answer, "Terminating"), "reason", NULL), "InstanceDeletionPending");
    value_free(answer);
    do_ask(scene, "POST", THINGS, NULL, THING("late", "1"), 403);
    await(scene, "things.example.com", "Terminating", "InstanceDeletionInProgress");
    state_resource things = registry_resource(scene->world.api.registry, kind_of(scene, "things"));
    for (int i = 0; i < ROUNDS && state_count(scene->world.api.state, things, NULL) > 1; i++)
        loop_once(scene->world.loop, ROUND_MS);
    run(scene);
    assert_int_equal(state_count(scene->world.api.state, things, NULL), 1);
    do_ask(scene, "GET", DEFINITIONS "/things.example.com", NULL, NULL, 200);
    do_ask(scene, "PATCH", THINGS "/t7", "application/merge-patch+json", "{\"metadata\":{\"finalizers\":null}}", 200);
    await_gone(scene, "things.example.com");
    run(scene);
    assert_null(kind_of(scene, "things"));
}

static void what_was_there_at_the_start_is_served_at_once(void **state)
{
    struct scene *scene = *state;
    struct error err = ERROR_INIT;
    define(scene, "things", "Thing", "");
    await(scene, "things.example.com", "Established", "InitialNamesAccepted");
    run(scene);
    do_ask(scene, "POST", THINGS, NULL, THING("a", "1"), 201);
    definitions_free(scene->definitions);
    assert_true(registry_set(scene->world.api.registry, "things.example.com", NULL, 0, NULL, NULL, &err));
    assert_null(kind_of(scene, "things"));
    define(scene, "more", "More", ""); /* nobody looks at it yet */
    assert_true(state_commit(scene->world.api.state, &err));
    scene->definitions = definitions_new(&scene->world.api, &err);
    assert_non_null(scene->definitions);
    assert_true(definitions_settle(scene->definitions, &err));
    assert_non_null(kind_of(scene, "things"));
    assert_non_null(kind_of(scene, "more"));
    do_ask(scene, "GET", THINGS "/a", NULL, NULL, 200);
}

static void communities_groups_say_whether_they_are_approved(void **state)
{
    struct scene *scene = *state;
    char *body = definition("things", "Thing", "", "\"size\":{\"type\":\"integer\"}"), *start = strstr(body, "\"metadata\":{");
    assert_non_null(start);
    char *text = mem_printf("%.*s\"metadata\":{\"annotations\":{\"api-approved.kubernetes.io\":\"unapproved, a "
                            "test\"},\"name\":\"things.x.k8s.io\"},\"spec\":{\"group\":\"x.k8s.io\",%s",
                            (int)(start - body), body, strstr(body, "\"scope\""));
    do_ask(scene, "POST", DEFINITIONS, NULL, text, 201);
    await(scene, "things.x.k8s.io", "KubernetesAPIApprovalPolicyConformant", "UnapprovedAnnotation");
    await(scene, "things.x.k8s.io", "Established", "InitialNamesAccepted");
    mem_free(text);
    mem_free(body);
}

int test_definitions(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_definition_is_named_then_established_and_its_kind_is_served, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(names_that_others_have_are_not_accepted_until_they_are_free, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(a_new_schema_holds_for_what_comes_and_keeps_what_is_there, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(what_was_stored_is_shown_as_the_schema_is_now, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(a_definition_goes_after_its_objects_which_go_after_their_finalizers, open_scene,
                                        close_scene),
        cmocka_unit_test_setup_teardown(what_was_there_at_the_start_is_served_at_once, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(communities_groups_say_whether_they_are_approved, open_scene, close_scene),
    };
    return cmocka_run_group_tests_name("definitions", tests, NULL, NULL);
}
