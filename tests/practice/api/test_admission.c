/* The cases of admission/: what a real server answered (recorded by record-verbs, which says their form), asked of ours. Of an
 * answer that is no refusal only what admission writes is compared: everything but what the server owns in metadata. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/mem.h"
#include "data/json.h"
#include "practice/api/admission.h"
#include "practice/api/lookup.h"
#include "practice/api/quota.h"
#include "steps.h"
#include "verbs_world.h"

/* "kube-api-access-" is followed by something new each time. */
static struct value *plain(const struct value *v)
{
    static const char volume[] = "kube-api-access-";
    if (value_type(v) == VALUE_STRING && strncmp(value_text(v), volume, sizeof volume - 1) == 0)
        return value_string(volume);
    if (value_type(v) != VALUE_OBJECT && value_type(v) != VALUE_ARRAY)
        return value_copy(v);
    bool object = value_type(v) == VALUE_OBJECT;
    struct value *made = object ? value_object() : value_array();
    for (const struct value *entry = value_first(v); entry != NULL; entry = value_next(entry))
        assert_true(object ? value_set(made, value_key(entry), plain(entry)) : value_append(made, plain(entry)));
    return made;
}

static struct value *shown(const struct value *document)
{
    static const char *const owned[] = {"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"};
    struct value *made = plain(document), *metadata = value_get(made, "metadata");
    const char *kind = value_find_text(made, "kind", NULL);
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        value_remove(metadata, owned[i]);
    if (kind != NULL && strcmp(kind, "Service") == 0)
        value_remove(made, "spec"); /* addresses and ports are the server's */
    value_remove(value_get(made, "details"), "uid");
    value_remove(value_get(made, "status"), "lastPhaseTransitionTime"); /* not admission's */
    return made;
}

static bool run_step(struct world *world, const struct step *step)
{
    struct reply reply;
    assert_true(world_ask(world, step->method, step->path, step->type, step->body, &reply));
    struct value *recorded = json_parse(step->answer, strlen(step->answer), step->file, NULL), *wanted = shown(recorded),
                 *got = shown(reply.document);
    bool fine = reply.code == step->code && value_equal(wanted, got);
    if (!fine) {
        char *a = json_text(wanted, CASE), *b = json_text(got, CASE);
        print_error("wanted %d, got %d\n", step->code, reply.code);
        steps_differ(step, "answer", a, b);
        mem_free(a);
        mem_free(b);
    }
    fine = steps_same_warnings(step, &reply.warnings) && fine;
    value_free(recorded);
    value_free(wanted);
    value_free(got);
    reply_free(&reply);
    return fine;
}

static bool run_case(const char *file, const struct vec *steps)
{
    struct world world;
    char ns[256];
    bool fine = true;
    snprintf(ns, sizeof ns, "kt-verbs-%.*s", (int)strcspn(file, "."), file);
    assert_true(world_open(&world));
    assert_true(world_namespace(&world, "default"));
    assert_true(world_namespace(&world, "kube-system"));
    assert_true(world_namespace(&world, ns));
    for (size_t i = 0; i < steps->length; i++)
        fine = run_step(&world, steps->items[i]) && fine;
    world_close(&world);
    return fine;
}

static void plug_ins_do_what_a_real_servers_do(void **state)
{
    (void)state;
    steps_run_folder("admission", run_case);
}

static bool post(struct world *world, const char *path, const char *body)
{
    struct reply reply;
    bool made = world_ask(world, "POST", path, NULL, body, &reply) && reply.code == 201;
    reply_free(&reply);
    return made;
}

#define NS "/api/v1/namespaces/n/"

static void world_with_everything(struct world *world)
{
    struct reply reply;
    assert_true(world_open(world));
    assert_true(world_namespace(world, "n"));
    assert_true(world_ask(world, "PATCH", "/api/v1/namespaces/n", "application/merge-patch+json",
                          "{\"metadata\":{\"labels\":{\"pod-security.kubernetes.io/warn\":\"restricted\"}}}", &reply));
    reply_free(&reply);
    assert_true(
        post(world, NS "limitranges",
             "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"limits\":[{\"type\":\"Container\",\"default\":{\"cpu\":\"1\"}}]}}"));
    assert_true(post(world, NS "resourcequotas",
                     "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"hard\":{\"pods\":\"2\",\"limits.cpu\":\"5\"}}}"));
    assert_true(world_ask(
        world, "PATCH", NS "resourcequotas/q/status", "application/merge-patch+json",
        "{\"status\":{\"hard\":{\"pods\":\"2\",\"limits.cpu\":\"5\"},\"used\":{\"pods\":\"0\",\"limits.cpu\":\"0\"}}}",
        &reply));
    assert_int_equal(reply.code, 200);
    reply_free(&reply);
}

static const char plain_pod[] = "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}";

static char *quota_status(struct world *world)
{
    struct reply reply;
    assert_true(world_ask(world, "GET", NS "resourcequotas/q", NULL, NULL, &reply));
    char *text = json_text(value_find(reply.document, "status", "used", NULL), CASE);
    reply_free(&reply);
    return text;
}

static void a_creation_is_charged_and_a_dry_run_is_not(void **state)
{
    (void)state;
    struct world world;
    world_with_everything(&world);
    assert_true(post(&world, NS "pods?dryRun=All", plain_pod));
    char *text = quota_status(&world);
    assert_string_equal(text, "{\"limits.cpu\":\"0\",\"pods\":\"0\"}");
    mem_free(text);
    assert_true(post(&world, NS "pods", plain_pod));
    text = quota_status(&world);
    assert_string_equal(text, "{\"limits.cpu\":\"1\",\"pods\":\"1\"}");
    mem_free(text);
    /* counted anew it is the same */
    const struct object *object = lookup(&world.api, "", "resourcequotas", "n", "q");
    struct value *quota = lookup_value(object), *status = quota_count(&world.api, quota, "n", NULL);
    text = json_text(status, CASE);
    assert_string_equal(text,
                        "{\"hard\":{\"limits.cpu\":\"5\",\"pods\":\"2\"},\"used\":{\"limits.cpu\":\"1\",\"pods\":\"1\"}}");
    mem_free(text);
    value_free(quota);
    value_free(status);
    world_close(&world);
}

static void without_memory_a_pod_is_refused(void **state)
{
    (void)state;
    struct world world;
    world_with_everything(&world);
    bool admitted = false;
    int refused = 0;
    for (int nth = 1; nth < 4000; nth++) { /* some failures are got over: a larger room for a list that fits */
        struct status failure = {0};
        struct vec warnings = vec_make(10, mem_free);
        struct value *pod = json_parse(plain_pod, sizeof plain_pod - 1, "pod", NULL);
        const struct call call = {
            .user = &world.user, .verb = VERB_CREATE, .kind = lookup_kind(&world.api, "", "pods"), .ns = "n", .dry_run = true};
        mem_fail_at(nth);
        admitted = admission_mutate(&world.api, &call, pod, NULL, &warnings, &failure) &&
                   admission_validate(&world.api, &call, pod, NULL, &warnings, &failure);
        mem_fail_at(0);
        refused += admitted ? 0 : 1;
        assert_true(admitted ? failure.code == 0 : failure.code >= 400);
        if (admitted) {
            assert_non_null(value_find(pod, "metadata", "annotations", "kubernetes.io/limit-ranger", NULL));
            assert_non_null(value_find(pod, "spec", "volumes", NULL));
            assert_int_equal(value_length(value_find(pod, "spec", "tolerations", NULL)), 2);
            assert_int_equal(warnings.length, 1);
        }
        value_free(pod);
        vec_free(&warnings);
        status_free(&failure);
    }
    assert_true(admitted);
    assert_true(refused > 200);
    world_close(&world);
}

int test_admission(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plug_ins_do_what_a_real_servers_do),
        cmocka_unit_test(a_creation_is_charged_and_a_dry_run_is_not),
        cmocka_unit_test(without_memory_a_pod_is_refused),
    };
    return cmocka_run_group_tests_name("practice/api/admission", tests, NULL, NULL);
}
