/* Requests in which one allocation fails: they are answered with a refusal or with what they would have been, nothing is half done, and nothing is
 * lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "practice/api/internal.h"
#include "verbs_world.h"

#define PATH "/api/v1/namespaces/case/"

struct request {
    const char *method, *path, *type, *body;
    int code;         /* with all the memory there is */
    const char *undo; /* path to delete before it is tried again; NULL: none */
    bool derived;     /* the answer is made of what was written: it may be missing although that is there */
};

static const struct request requests[] = {
    {"POST", PATH "configmaps", NULL, "{\"metadata\":{\"name\":\"new\",\"labels\":{\"a\":\"b\"}},\"data\":{\"x\":\"1\"},\"foo\":1}", 201,
     PATH "configmaps/new", false},
    {"POST", PATH "configmaps", NULL, "{\"metadata\":{\"name\":\"new\"},\"foo\":1,\"data\":{\"x\":1}}", 400, NULL, false},
    {"PUT", PATH "configmaps/a", NULL, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"x\":\"5\"}}", 200, NULL, false},
    {"PATCH", PATH "configmaps/a", "application/merge-patch+json", "{\"data\":{\"y\":\"1\"}}", 200, NULL, false},
    {"PATCH", PATH "configmaps/a", "application/strategic-merge-patch+json", "{\"data\":{\"z\":\"1\"}}", 200, NULL, false},
    {"PATCH", PATH "configmaps/a", "application/strategic-merge-patch+json", "{\"data\":{\"z\":1}}", 422, NULL, false},
    {"PATCH", PATH "configmaps/a", "application/json-patch+json", "[{\"op\":\"add\",\"path\":\"/data/w\",\"value\":\"1\"}]", 200, NULL, false},
    {"PATCH", PATH "configmaps/b?fieldManager=m", "application/apply-patch+yaml",
     "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"b\"},\"data\":{\"x\":\"1\"}}", 201, PATH "configmaps/b", false},
    {"PATCH", PATH "replicationcontrollers/r/scale", "application/merge-patch+json", "{\"spec\":{\"replicas\":2}}", 200, NULL, true},
    {"GET", PATH "replicationcontrollers/r/scale", NULL, NULL, 200, NULL, false},
    {"DELETE", PATH "configmaps/a", NULL, "{\"preconditions\":{\"uid\":\"x\"}}", 409, NULL, false},
};

static void open_world(struct world *world)
{
    struct reply reply;
    assert_true(world_open(world));
    assert_true(world_namespace(world, "case"));
    assert_true(world_ask(world, "POST", PATH "configmaps", NULL, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"x\":\"1\"}}", &reply));
    reply_free(&reply);
    assert_true(world_ask(world, "POST", PATH "replicationcontrollers", NULL,
                          "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"replicas\":1,\"selector\":{\"a\":\"b\"},\"template\":{\"metadata\":{\"labels\":"
                          "{\"a\":\"b\"}},\"spec\":{\"containers\":"
                          "[{\"name\":\"c\",\"image\":\"i\"}]}}}}",
                          &reply));
    assert_int_equal(reply.code, 201);
    reply_free(&reply);
}

static void every_failed_allocation_is_answered(void **state)
{
    (void)state;
    struct world world;
    open_world(&world);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        const struct request *request = &requests[i];
        for (int nth = 1, quiet = 0; quiet < 3; nth++) { /* beyond its last allocation nothing fails any more */
            struct reply reply;
            uint64_t version = state_version(world.api.state);
            mem_fail_at(nth);
            bool answered = world_ask(&world, request->method, request->path, request->type, request->body, &reply);
            mem_fail_at(0);
            if (reply.code != request->code && reply.code != 0) {
                bool written = state_version(world.api.state) != version && !request->derived;
                if (reply.code < 400 || written)
                    print_error("%s %s, allocation %d: %d\n", request->method, request->path, nth, reply.code);
                assert_true(reply.code >= 400);
                assert_false(written); /* what is refused is not there */
            }
            quiet = answered && reply.code == request->code ? quiet + 1 : 0;
            reply_free(&reply);
            if (request->undo != NULL && state_version(world.api.state) != version) {
                assert_true(world_ask(&world, "DELETE", request->undo, NULL, NULL, &reply));
                assert_int_equal(reply.code, 200);
                reply_free(&reply);
            }
            assert_true(nth < 20000);
        }
    }
    world_close(&world);
}

static void a_collection_goes_in_parts(void **state)
{
    (void)state;
    struct world world;
    struct answer answer = {0};
    struct reply reply;
    char body[128];
    open_world(&world);
    for (int i = 0; i < 25; i++) {
        snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"s%d\",\"labels\":{\"even\":\"%d\"}}}", i, i % 2 == 0);
        assert_true(world_ask(&world, "POST", PATH "secrets", NULL, body, &reply));
        reply_free(&reply);
    }
    struct call call = {.user = &world.user,
                        .user_agent = "case",
                        .verb = VERB_DELETE_COLLECTION,
                        .kind = registry_find(world.api.registry, "", "v1", "secrets"),
                        .ns = "case",
                        .label_selector = "even=1",
                        .grace = -1};
    struct collection *collection = collection_delete_start(&world.api, &call, &answer);
    assert_non_null(collection);
    assert_int_equal(collection_objects(collection)->length, 13);
    assert_true(collection_delete_step(collection, 5));
    assert_int_equal(state_count(world.api.state, registry_resource(world.api.registry, call.kind), "case"), 20);
    /* In between another one is deleted, and one comes again under its name: it is another. */
    assert_true(world_ask(&world, "DELETE", PATH "secrets/s8", NULL, NULL, &reply));
    reply_free(&reply);
    assert_true(world_ask(&world, "POST", PATH "secrets", NULL, "{\"metadata\":{\"name\":\"s8\",\"labels\":{\"even\":\"1\"}}}", &reply));
    reply_free(&reply);
    while (collection_delete_step(collection, 5)) {
    }
    assert_int_equal(collection_failure(collection)->code, 0);
    assert_int_equal(state_count(world.api.state, registry_resource(world.api.registry, call.kind), "case"), 13);
    collection_free(collection);
    call.label_selector = "not a selector!";
    assert_null(collection_delete_start(&world.api, &call, &answer));
    assert_int_equal(answer.failure.code, 400);
    answer_free(&answer);
    world_close(&world);
}

int test_verbs_memory(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_failed_allocation_is_answered), cmocka_unit_test(a_collection_goes_in_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
