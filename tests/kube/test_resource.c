#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "kube/resource.h"
#include "kube/session.h"

/* The answers in discovery/ are those of a real 1.37 server; plain/ those that it gives to old clients. */

struct answer { /* of kube_resolve */
    bool done;
    const struct kube_resource *resource;
    struct error error;
};

static void resolved(void *data, const struct kube_resource *resource, const struct error *error)
{
    struct answer *answer = data;
    assert_false(answer->done);
    assert_true((resource == NULL) == (error != NULL));
    *answer = (struct answer){.done = true, .resource = resource};
    if (error != NULL)
        answer->error = *error;
}

static struct answer resolve(struct session *s, const char *name)
{
    struct answer answer = {.done = false};
    kube_resolve(s->client, name, resolved, &answer);
    session_until(s, &answer.done);
    return answer;
}

static struct answer resolve_kind(struct session *s, const char *api_version, const char *kind)
{
    struct answer answer = {.done = false};
    kube_resolve_kind(s->client, api_version, kind, resolved, &answer);
    session_until(s, &answer.done);
    return answer;
}

static const char *full_name(const struct kube_resource *resource)
{
    static char text[256];
    struct buf name = buf_make(sizeof text - 1);
    if (resource != NULL) {
        kube_resource_name(resource, &name);
        buf_append_string(&name, " ");
        kube_resource_api_version(resource, &name);
    }
    assert_true(buf_ok(&name));
    snprintf(text, sizeof text, "%s", resource != NULL ? name.bytes : "nothing");
    buf_free(&name);
    return text;
}

static void serve_file(struct exchange *x, const char *name)
{
    char *text = session_case(name);
    exchange_reply(x, 200, NULL, text);
    mem_free(text);
}

static void answer_aggregated(void *data, struct exchange *x)
{
    (void)data;
    const char *accept = exchange_header(x, "Accept");
    if (accept == NULL || strstr(accept, "v=v2;as=APIGroupDiscoveryList") == NULL)
        exchange_reply(x, 406, NULL, "the form was not asked for"); /* as when libcurl lost the header to an allocation */
    else
        serve_file(x, strcmp(exchange_path(x), "/api") == 0 ? "discovery/api.json" : "discovery/apis.json");
}

static void answer_plain(void *data, struct exchange *x)
{
    (void)data;
    char name[256];
    snprintf(name, sizeof name, "discovery/plain/%s.json", exchange_path(x) + 1);
    for (char *c = name + strlen("discovery/plain/"); *c != '\0'; c++)
        *c = *c == '/' ? '_' : *c;
    serve_file(x, name);
}

static void aggregated(struct server *server)
{
    server_on(server, "GET", "/api", answer_aggregated, NULL);
    server_on(server, "GET", "/apis", answer_aggregated, NULL);
}

static void plain(struct server *server)
{
    server_on(server, "GET", "/api*", answer_plain, NULL);
}

static void knows_every_way_to_name_a_kind(struct session *s)
{
    static const struct {
        const char *word, *found;
    } cases[] = {
        {"pods", "pods v1"},
        {"pod", "pods v1"},
        {"po", "pods v1"},
        {"Pod", "pods v1"},
        {"PODS", "pods v1"},
        {"pods.v1", "pods v1"},
        {"pods.v1.", "pods v1"},
        {"deploy", "deployments.apps apps/v1"},
        {"deployments.apps", "deployments.apps apps/v1"},
        {"Deployment.v1.apps", "deployments.apps apps/v1"},
        {"deployment", "deployments.apps apps/v1"},
        {"events", "events v1"},
        {"events.events.k8s.io", "events.events.k8s.io events.k8s.io/v1"},
        {"ev", "events v1"},
        {"hpa", "horizontalpodautoscalers.autoscaling autoscaling/v2"},
        {"hpa.v1.autoscaling", "horizontalpodautoscalers.autoscaling autoscaling/v1"},
        {"crd", "customresourcedefinitions.apiextensions.k8s.io apiextensions.k8s.io/v1"},
        {"ktdb", "databases.kt-kube.example.com kt-kube.example.com/v1"},
        {"databases.kt-kube.example.com", "databases.kt-kube.example.com kt-kube.example.com/v1"},
        {"ing", "ingresses.networking.k8s.io networking.k8s.io/v1"},
        {"pods.apps", "nothing"},
        {"", "nothing"},
        {".", "nothing"},
        {"pods.", "pods v1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = full_name(resolve(s, cases[i].word).resource);
        if (strcmp(found, cases[i].found) != 0)
            fail_msg("\"%s\" was taken for %s, not %s", cases[i].word, found, cases[i].found);
    }
    const struct kube_resource *deployments = resolve(s, "deploy").resource, *nodes = resolve(s, "no").resource;
    assert_true(deployments->namespaced && deployments->has_status && deployments->has_scale);
    assert_false(nodes->namespaced || nodes->has_scale);
    assert_int_equal(deployments->verbs, 255);
    assert_string_equal(deployments->kind, "Deployment");
    assert_string_equal(deployments->singular, "deployment");
    assert_true(vec_has_string(deployments->short_names, "deploy"));
    assert_string_equal(full_name(resolve_kind(s, "autoscaling/v1", "HorizontalPodAutoscaler").resource),
                        "horizontalpodautoscalers.autoscaling autoscaling/v1");
    assert_string_equal(full_name(resolve_kind(s, "v1", "ConfigMap").resource), "configmaps v1");
}

static void names_from_an_aggregated_discovery(void **state)
{
    (void)state;
    struct session s;
    session_start(&s);
    aggregated(s.server);
    knows_every_way_to_name_a_kind(&s);
    struct answer answer = {.done = false};
    size_t asked = server_log(s.server)->length;
    assert_int_equal(kube_resolve(s.client, "secrets", resolved, &answer), 0); /* known: at once, without a request */
    assert_true(answer.done);
    assert_int_equal(server_log(s.server)->length, asked);
    session_end(&s);
}

static void names_from_a_plain_discovery(void **state)
{
    (void)state;
    struct session s;
    session_start(&s);
    plain(s.server);
    knows_every_way_to_name_a_kind(&s);
    session_end(&s);
}

static void a_miss_asks_again_and_proposes_what_is_near(void **state)
{
    (void)state;
    static const struct {
        const char *word, *message;
    } cases[] = {
        {"deploymnets", "the server has no kind \"deploymnets\" (did you mean deployments.apps?)"},
        {"Servce", "the server has no kind \"Servce\" (did you mean services?)"},
        {"configmpas", "the server has no kind \"configmpas\" (did you mean configmaps?)"},
        {"ingres.networking.k8s.io",
         "the server has no kind \"ingres.networking.k8s.io\" (did you mean ingresses.networking.k8s.io?)"},
        {"zebras", "the server has no kind \"zebras\""},
    };
    struct session s;
    session_start(&s);
    aggregated(s.server);
    resolve(&s, "pods");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t asked = server_log(s.server)->length;
        struct answer answer = resolve(&s, cases[i].word);
        assert_int_equal(answer.error.kind, ERROR_NOT_FOUND);
        assert_string_equal(answer.error.message, cases[i].message);
        assert_int_equal(server_log(s.server)->length, asked + 2);
    }
    assert_string_equal(resolve_kind(&s, "apps/v1beta1", "Deployment").error.message,
                        "the server has no kind \"Deployment\" in apps/v1beta1 (did you mean Deployment in apps/v1?)");
    session_end(&s);
}

static void a_kind_that_appears_is_found_and_one_that_goes_stays_valid(void **state)
{
    (void)state;
    static const char list[] = "{\"kind\":\"APIResourceList\",\"resources\":[{\"name\":\"boats\",\"singularName\":\"boat\","
                               "\"namespaced\":true,\"kind\":\"Boat\",\"verbs\":[\"get\"]}]}";
    static const char groups[] =
        "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"sea.example.com\",\"versions\":[{\"version\":\"v1\"}]}]}";
    struct session s;
    session_start(&s);
    server_answer(s.server, "GET", "/api", 200, NULL, "{\"kind\":\"APIVersions\",\"versions\":[]}");
    server_answer(s.server, "GET", "/apis", 200, NULL, "{\"kind\":\"APIGroupList\",\"groups\":[]}");
    server_answer(s.server, "GET", "/apis/sea.example.com/v1", 200, NULL, list);
    assert_int_equal(resolve(&s, "boats").error.kind, ERROR_NOT_FOUND);
    server_answer(s.server, "GET", "/apis", 200, NULL, groups);
    const struct kube_resource *boats = resolve(&s, "boats").resource;
    assert_non_null(boats);
    assert_ptr_equal(kube_resource_known(s.client, "boat"), boats);
    server_answer(s.server, "GET", "/apis", 200, NULL, "{\"kind\":\"APIGroupList\",\"groups\":[]}");
    assert_ptr_equal(resolve(&s, "boats").resource, boats); /* from what is known */
    kube_discovery_forget(s.client);
    assert_int_equal(resolve(&s, "boats").error.kind, ERROR_NOT_FOUND);
    assert_null(kube_resource_known(s.client, "boats"));
    assert_string_equal(boats->kind, "Boat");
    server_answer(s.server, "GET", "/apis", 200, NULL, groups);
    assert_ptr_equal(resolve(&s, "boats").resource, boats);
    session_end(&s);
}

static void a_broken_group_does_not_hide_the_others(void **state)
{
    (void)state;
    struct session s;
    session_start(&s);
    plain(s.server);
    server_answer(s.server, "GET", "/apis/batch/v1", 503, NULL, "service unavailable");
    assert_string_equal(full_name(resolve(&s, "deploy").resource), "deployments.apps apps/v1");
    struct answer answer = resolve(&s, "jobs");
    assert_int_equal(answer.error.kind, ERROR_NOT_FOUND);
    assert_non_null(strstr(answer.error.cause, "the kinds of batch/v1 cannot be read"));
    server_on(s.server, "GET", "/apis/batch/v1", answer_plain, NULL);
    const struct kube_resource *jobs = resolve(&s, "jobs").resource;
    assert_non_null(jobs);
    server_answer(s.server, "GET", "/apis/batch/v1", 503, NULL, "service unavailable");
    kube_discovery_forget(s.client);
    assert_ptr_equal(resolve(&s, "jobs").resource, jobs); /* what was known of it stays */
    session_end(&s);
}

static void a_stale_group_of_an_aggregated_discovery_keeps_what_was_known(void **state)
{
    (void)state;
    static const char fresh[] = "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"metrics.k8s.io\"},"
                                "\"versions\":[{\"version\":\"v1beta1\",\"freshness\":\"Current\","
                                "\"resources\":[{\"resource\":\"nodes\",\"responseKind\":{\"kind\":\"NodeMetrics\"},\"scope\":"
                                "\"Cluster\",\"verbs\":[\"get\",\"list\"]}]}]}]}";
    static const char stale[] = "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"metrics.k8s.io\"},"
                                "\"versions\":[{\"version\":\"v1beta1\",\"freshness\":\"Stale\",\"resources\":[]}]}]}";
    struct session s;
    session_start(&s);
    aggregated(s.server);
    server_answer(s.server, "GET", "/apis", 200, NULL, fresh);
    const struct kube_resource *metrics = resolve(&s, "nodes.metrics.k8s.io").resource;
    assert_non_null(metrics);
    assert_string_equal(metrics->singular, "nodemetrics");
    assert_string_equal(full_name(resolve(&s, "nodes").resource), "nodes v1"); /* core comes first */
    server_answer(s.server, "GET", "/apis", 200, NULL, stale);
    kube_discovery_forget(s.client);
    assert_ptr_equal(resolve(&s, "nodes.metrics.k8s.io").resource, metrics);
    assert_non_null(strstr(resolve(&s, "zebras").error.cause, "metrics.k8s.io/v1beta1"));
    session_end(&s);
}

static void what_may_not_be_read_is_told_and_the_rest_works(void **state)
{
    (void)state;
    struct session s;
    session_start(&s);
    aggregated(s.server);
    server_answer(s.server, "GET", "/apis", 403, NULL,
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"reason\":\"Forbidden\",\"code\":403,\"message\":\"no\"}");
    assert_string_equal(full_name(resolve(&s, "pods").resource), "pods v1");
    assert_int_equal(resolve(&s, "deployments").error.kind, ERROR_DENIED);
    assert_int_equal(resolve_kind(&s, "v1", "Zebra").error.kind, ERROR_NOT_FOUND);
    session_end(&s);
}

static void a_server_that_is_away_is_told(void **state)
{
    (void)state;
    struct session s;
    session_start(&s);
    server_answer(s.server, "GET", "/api*", 401, NULL,
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"reason\":\"Unauthorized\",\"code\":401}");
    assert_int_equal(resolve(&s, "pods").error.kind, ERROR_UNAUTHENTICATED);
    server_answer(s.server, "GET", "/api*", 200, NULL, "<html>");
    assert_int_equal(resolve(&s, "pods").error.kind, ERROR_INPUT);
    session_end(&s);
}

static void many_wait_for_one_answer_and_may_stop_waiting(void **state)
{
    (void)state;
    struct session s;
    session_start(&s);
    aggregated(s.server);
    struct answer answers[20] = {{.done = false}};
    unsigned numbers[20];
    for (size_t i = 0; i < 20; i++)
        numbers[i] = kube_resolve(s.client, i % 2 == 0 ? "pods" : "deploy", resolved, &answers[i]);
    kube_resolve_cancel(s.client, numbers[3]);
    kube_resolve_cancel(s.client, 999);
    session_until(&s, &answers[19].done);
    session_pass(&s, 20);
    for (size_t i = 0; i < 20; i++)
        assert_int_equal(answers[i].done, i != 3);
    assert_int_equal(server_log(s.server)->length, 2);
    session_end(&s);
}

static void again(void *data, const struct kube_resource *resource, const struct error *error)
{
    struct session *s = ((void **)data)[0];
    kube_resolve(s->client, "services", resolved, ((void **)data)[1]);
    assert_non_null(resource);
    assert_null(error);
}

static void an_answer_may_ask_again_or_end_the_client(void **state)
{
    (void)state;
    struct session s;
    session_start(&s);
    aggregated(s.server);
    struct answer second = {.done = false};
    void *both[] = {&s, &second};
    kube_resolve(s.client, "pods", again, both);
    session_until(&s, &second.done);
    assert_non_null(second.resource);
    kube_discovery_forget(s.client);
    kube_resolve(s.client, "zebras", resolved, &second); /* never told: the client goes first */
    session_end(&s);
}

static void discovery_survives_every_allocation_failing(void **state)
{
    (void)state;
    struct session s;
    session_start_apart(&s, aggregated);
    int failures = 0;
    for (int nth = 1; nth < 8000; nth += nth < 400 ? 1 : 173) {
        mem_fail_at(nth);
        if (session_client(&s)) {
            struct answer answer = {.done = false};
            kube_resolve(s.client, "deploy", resolved, &answer);
            loop_until(s.loop, &answer.done, 10000);
            mem_fail_at(0);
            assert_true(answer.done);
            assert_int_not_equal(answer.error.kind, ERROR_NOT_FOUND); /* it is there, it could only not be read */
            failures += answer.resource == NULL;
            struct answer next = resolve(&s, "deploy"); /* what failed once works the next time */
            if (next.resource == NULL)
                fail_msg("after failure %d (%s): %s (%s)", nth, answer.error.message, next.error.message, next.error.cause);
        }
        mem_fail_at(0);
        session_drop_client(&s);
    }
    assert_true(failures > 5);
    session_end(&s);
}

int test_resource(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_from_an_aggregated_discovery),
        cmocka_unit_test(names_from_a_plain_discovery),
        cmocka_unit_test(a_miss_asks_again_and_proposes_what_is_near),
        cmocka_unit_test(a_kind_that_appears_is_found_and_one_that_goes_stays_valid),
        cmocka_unit_test(a_broken_group_does_not_hide_the_others),
        cmocka_unit_test(a_stale_group_of_an_aggregated_discovery_keeps_what_was_known),
        cmocka_unit_test(what_may_not_be_read_is_told_and_the_rest_works),
        cmocka_unit_test(a_server_that_is_away_is_told),
        cmocka_unit_test(many_wait_for_one_answer_and_may_stop_waiting),
        cmocka_unit_test(an_answer_may_ask_again_or_end_the_client),
        cmocka_unit_test(discovery_survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("resource", tests, NULL, NULL);
}
