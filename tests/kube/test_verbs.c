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
#include "data/json.h"
#include "kube/internal.h"
#include "kube/session.h"
#include "kube/verbs.h"

static const struct kube_resource pods = {
    .group = "", .version = "v1", .plural = "pods", .kind = "Pod", .namespaced = true, .verbs = 255};
static const struct kube_resource deployments = {
    .group = "apps", .version = "v1", .plural = "deployments", .kind = "Deployment", .namespaced = true, .verbs = 255};
static const struct kube_resource nodes = {.group = "", .version = "v1", .plural = "nodes", .kind = "Node", .verbs = 255};

#define POD ((struct kube_target){.resource = &pods, .ns = "learn", .name = "web"})
#define DEPLOYMENT ((struct kube_target){.resource = &deployments, .ns = "learn", .name = "web"})

struct request { /* the last one that the server got */
    char line[1024], content_type[128];
    char body[2048];
};

static void echo(void *data, struct exchange *x)
{
    struct request *request = data;
    const char *type = exchange_header(x, "Content-Type"), *query = exchange_query(x);
    snprintf(request->line, sizeof request->line, "%s %s%s%s", exchange_method(x), exchange_path(x),
             query[0] != '\0' ? "?" : "", query);
    snprintf(request->content_type, sizeof request->content_type, "%s", type != NULL ? type : "");
    snprintf(request->body, sizeof request->body, "%s", exchange_body(x, NULL));
    exchange_reply(x, 200, NULL, "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"web\"}}");
}

struct bench {
    struct session s;
    struct request request;
    struct outcome outcome;
    struct value *object;
};

static void open_bench(struct bench *b)
{
    static const char text[] = "{\"metadata\":{\"name\":\"web\"},\"spec\":{\"a\":1}}";
    memset(b, 0, sizeof *b);
    session_start(&b->s);
    server_on(b->s.server, NULL, "*", echo, &b->request);
    b->object = json_parse(text, strlen(text), "object", NULL);
    assert_non_null(b->object);
}

static void close_bench(struct bench *b)
{
    outcome_free(&b->outcome);
    value_free(b->object);
    session_end(&b->s);
}

static void expect_request(struct bench *b, struct kube_call *call, const char *line, const char *type, const char *body)
{
    assert_non_null(call);
    session_until(&b->s, &b->outcome.done);
    assert_int_equal(b->outcome.error.kind, ERROR_NONE);
    assert_string_equal(value_find_text(b->outcome.object, "metadata", "name", NULL), "web");
    assert_string_equal(b->request.line, line);
    assert_string_equal(b->request.content_type, type);
    assert_string_equal(b->request.body, body);
    outcome_free(&b->outcome);
}

static void each_verb_is_the_request_it_should_be(void **state)
{
    (void)state;
    static const char object[] = "{\"metadata\":{\"name\":\"web\"},\"spec\":{\"a\":1}}";
    struct bench b;
    open_bench(&b);
    struct kube_client *c = b.s.client;
    struct kube_write_options options = KUBE_WRITE_DEFAULTS;
    expect_request(&b, kube_get(c, &POD, outcome_take, &b.outcome, NULL), "GET /api/v1/namespaces/learn/pods/web", "", "");
    struct kube_target status = DEPLOYMENT, node = {.resource = &nodes, .ns = "ignored", .name = "node 1"};
    status.subresource = "status";
    expect_request(&b, kube_get(c, &status, outcome_take, &b.outcome, NULL),
                   "GET /apis/apps/v1/namespaces/learn/deployments/web/status", "", "");
    expect_request(&b, kube_get(c, &node, outcome_take, &b.outcome, NULL), "GET /api/v1/nodes/node%201", "", "");
    expect_request(&b, kube_create(c, &POD, b.object, NULL, outcome_take, &b.outcome, NULL),
                   "POST /api/v1/namespaces/learn/pods?fieldManager=kubetutor", "application/json", object);
    options.dry_run = true;
    options.field_manager = "me & you";
    expect_request(&b, kube_update(c, &POD, b.object, &options, outcome_take, &b.outcome, NULL),
                   "PUT /api/v1/namespaces/learn/pods/web?dryRun=All&fieldManager=me%20%26%20you", "application/json", object);
    expect_request(&b, kube_patch(c, &POD, KUBE_PATCH_JSON, b.object, NULL, outcome_take, &b.outcome, NULL),
                   "PATCH /api/v1/namespaces/learn/pods/web?fieldManager=kubetutor", "application/json-patch+json", object);
    expect_request(&b, kube_patch(c, &POD, KUBE_PATCH_MERGE, b.object, NULL, outcome_take, &b.outcome, NULL),
                   "PATCH /api/v1/namespaces/learn/pods/web?fieldManager=kubetutor", "application/merge-patch+json", object);
    expect_request(&b, kube_patch(c, &POD, KUBE_PATCH_STRATEGIC, b.object, NULL, outcome_take, &b.outcome, NULL),
                   "PATCH /api/v1/namespaces/learn/pods/web?fieldManager=kubetutor", "application/strategic-merge-patch+json",
                   object);
    options = KUBE_WRITE_DEFAULTS;
    options.force = true;
    expect_request(&b, kube_patch(c, &POD, KUBE_PATCH_APPLY, b.object, &options, outcome_take, &b.outcome, NULL),
                   "PATCH /api/v1/namespaces/learn/pods/web?fieldManager=kubetutor&force=true", "application/apply-patch+yaml",
                   object);
    expect_request(&b, kube_delete(c, &POD, NULL, outcome_take, &b.outcome, NULL), "DELETE /api/v1/namespaces/learn/pods/web",
                   "application/json", "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\"}");
    options = (struct kube_write_options){
        .propagation = "Foreground", .uid = "u1", .resource_version = "7", .grace_seconds = 0, .dry_run = true};
    expect_request(
        &b, kube_delete(c, &POD, &options, outcome_take, &b.outcome, NULL),
        "DELETE /api/v1/namespaces/learn/pods/web?dryRun=All", "application/json",
        "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"propagationPolicy\":\"Foreground\",\"gracePeriodSeconds\":0,"
        "\"preconditions\":{\"uid\":\"u1\",\"resourceVersion\":\"7\"}}");
    expect_request(&b, kube_get_path(c, "/version?x=1", outcome_take, &b.outcome, NULL), "GET /version?x=1", "", "");
    expect_request(&b, kube_can_i(c, "delete", &DEPLOYMENT, outcome_take, &b.outcome, NULL),
                   "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "application/json",
                   "{\"spec\":{\"resourceAttributes\":{\"verb\":\"delete\",\"group\":\"apps\",\"version\":\"v1\",\"resource\":"
                   "\"deployments\","
                   "\"namespace\":\"learn\",\"name\":\"web\"}},\"kind\":\"SelfSubjectAccessReview\",\"apiVersion\":"
                   "\"authorization.k8s.io/v1\"}");
    close_bench(&b);
}

static void names_that_would_lead_elsewhere_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *ns, *name;
    } bad[] = {{"learn", ".."}, {"learn", "a/b"}, {"..", "web"}, {"learn", ""}, {"", "web"}, {"a%2f", "web"}, {NULL, "web"}};
    struct bench b;
    open_bench(&b);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err = ERROR_INIT;
        struct kube_target target = {.resource = &pods, .ns = bad[i].ns, .name = bad[i].name};
        assert_null(kube_get(b.s.client, &target, outcome_take, &b.outcome, &err));
        assert_int_equal(err.kind, ERROR_INPUT);
    }
    struct error err = ERROR_INIT;
    assert_null(
        kube_delete(b.s.client, &(struct kube_target){.resource = &pods, .ns = "learn"}, NULL, outcome_take, &b.outcome, &err));
    assert_int_equal(err.kind, ERROR_INPUT); /* without a name it would delete all of them */
    assert_int_equal(server_log(b.s.server)->length, 0);
    close_bench(&b);
}

static void an_error_names_what_was_to_be_done(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    server_answer(b.s.server, "POST", "*", 409, NULL,
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":409,\"reason\":\"AlreadyExists\",\"message\":"
                  "\"deployments.apps \\\"web\\\" already exists\"}");
    assert_non_null(kube_create(b.s.client, &DEPLOYMENT, b.object, NULL, outcome_take, &b.outcome, NULL));
    session_until(&b.s, &b.outcome.done);
    assert_int_equal(b.outcome.error.kind, ERROR_EXISTS);
    assert_string_equal(b.outcome.error.message,
                        "cannot create deployments.apps web in namespace learn: deployments.apps \"web\" already exists");
    assert_string_equal(b.outcome.status.reason, "AlreadyExists");
    outcome_free(&b.outcome);
    server_answer(b.s.server, "GET", "*", 200, NULL, "{\"kind\":");
    assert_non_null(kube_get(b.s.client, &POD, outcome_take, &b.outcome, NULL));
    session_until(&b.s, &b.outcome.done);
    assert_int_equal(b.outcome.error.kind, ERROR_INPUT);
    close_bench(&b);
}

static void a_conflict_of_apply_names_fields_and_owners(void **state)
{
    (void)state;
    static const char conflict[] = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"Apply "
                                   "failed with 2 conflicts\",\"reason\":\"Conflict\",\"code\":409,\"details\":{\"causes\":["
                                   "{\"reason\":\"FieldManagerConflict\",\"message\":\"conflict with \\\"kubectl-scale\\\" "
                                   "with subresource \\\"scale\\\" using apps/v1\",\"field\":\".spec.replicas\"},"
                                   "{\"reason\":\"FieldManagerConflict\",\"message\":\"conflict with \\\"kubectl-edit\\\" "
                                   "using apps/v1\",\"field\":\".spec.template.spec.containers[name=\\\"nginx\\\"].image\"}]}}";
    struct bench b;
    open_bench(&b);
    server_answer(b.s.server, "PATCH", "*", 409, NULL, conflict);
    assert_non_null(kube_patch(b.s.client, &DEPLOYMENT, KUBE_PATCH_APPLY, b.object, NULL, outcome_take, &b.outcome, NULL));
    session_until(&b.s, &b.outcome.done);
    assert_int_equal(b.outcome.error.kind, ERROR_CONFLICT);
    assert_string_equal(b.outcome.error.message,
                        "cannot apply deployments.apps web in namespace learn: .spec.replicas is owned by \"kubectl-scale\", "
                        ".spec.template.spec.containers[name=\"nginx\"].image is owned by \"kubectl-edit\"");
    close_bench(&b);
}

static void who_am_i_tries_older_forms(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    server_answer(b.s.server, "POST", "/apis/authentication.k8s.io/*", 404, NULL, "{}");
    server_answer(b.s.server, "POST", "/apis/authentication.k8s.io/v1beta1/*", 200, NULL,
                  "{\"status\":{\"userInfo\":{\"username\":\"ann\"}}}");
    assert_true(kube_who_am_i(b.s.client, outcome_take, &b.outcome, NULL));
    session_until(&b.s, &b.outcome.done);
    assert_string_equal(value_find_text(b.outcome.object, "status", "userInfo", "username", NULL), "ann");
    outcome_free(&b.outcome);
    server_answer(b.s.server, "POST", "/apis/authentication.k8s.io/v1beta1/*", 404, NULL, "{}");
    assert_true(kube_who_am_i(b.s.client, outcome_take, &b.outcome, NULL));
    session_until(&b.s, &b.outcome.done);
    assert_int_equal(b.outcome.status.code, 404);
    assert_true(kube_who_am_i(b.s.client, outcome_take, &b.outcome, NULL)); /* ends with the client, unheard */
    close_bench(&b);
}

static void cancelled_calls_are_never_heard_of(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    for (int ms = 0; ms < 10; ms++) {
        struct kube_call *call = kube_get(b.s.client, &POD, outcome_take, &b.outcome, NULL);
        loop_until(b.s.loop, &b.outcome.done, ms);
        if (!b.outcome.done)
            kube_call_cancel(call);
        outcome_free(&b.outcome);
    }
    assert_non_null(kube_get(b.s.client, &POD, outcome_take, &b.outcome, NULL));
    close_bench(&b); /* the client goes with a call under way */
}

/* --- lists --- */

enum { ITEMS = 1237 };

struct many { /* a server with many Pods, whose continue token expires when told to */
    unsigned expire, requests;
    int limit;
};

static void answer_page(void *data, struct exchange *x)
{
    struct many *many = data;
    const char *query = exchange_query(x), *limit = strstr(query, "limit="), *token = strstr(query, "continue=");
    int from = token != NULL ? atoi(token + 9) : 0, to = limit != NULL ? from + atoi(limit + 6) : ITEMS;
    to = to < ITEMS ? to : ITEMS;
    many->requests++;
    many->limit = limit != NULL ? atoi(limit + 6) : 0;
    if (token != NULL && many->expire > 0) {
        many->expire--;
        exchange_reply(x, 410, NULL,
                       "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"metadata\":{\"continue\":\"900\"}}");
        return;
    }
    struct buf body = buf_make(1 << 20);
    buf_append_string(&body, "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[");
    for (int i = from; i < to; i++)
        buf_printf(&body, "%s{\"metadata\":{\"name\":\"p%d\"}}", i > from ? "," : "", i);
    buf_append_string(&body, "],\"metadata\":{\"resourceVersion\":\"42\"");
    if (to < ITEMS)
        buf_printf(&body, ",\"continue\":\"%d\"", to);
    buf_append_string(&body, "}}");
    exchange_reply(x, 200, NULL, body.bytes);
    buf_free(&body);
}

struct pages {
    unsigned pages;
    size_t items;
    struct kube_list *cancel; /* at the next page */
};

struct listing {
    struct outcome outcome; /* first: outcome_take is given the whole */
    struct pages pages;
};

static void on_page(void *data, struct value *items)
{
    struct pages *pages = &((struct listing *)data)->pages;
    pages->pages++;
    pages->items += value_length(items);
    assert_string_equal(value_find_text(value_first(items), "kind", NULL), "Pod");
    assert_string_equal(value_find_text(value_first(items), "apiVersion", NULL), "v1");
    kube_list_cancel(pages->cancel);
}

static const struct kube_target ALL = {.resource = &pods, .ns = "learn"};

static void a_list_comes_page_by_page(void **state)
{
    (void)state;
    struct session s;
    struct many many = {.expire = 0};
    struct listing listing = {.pages = {0}};
    session_start(&s);
    server_on(s.server, "GET", "/api/v1/namespaces/learn/pods", answer_page, &many);
    struct kube_list_options options = {.labels = "app in (a,b)", .fields = "status.phase=Running", .resource_version = "0"};
    assert_non_null(kube_list(s.client, &ALL, &options, on_page, outcome_take, &listing, NULL));
    session_until(&s, &listing.outcome.done);
    assert_int_equal(listing.pages.pages, 3);
    assert_int_equal(listing.pages.items, ITEMS);
    assert_string_equal(value_find_text(listing.outcome.object, "metadata", "resourceVersion", NULL), "42");
    assert_null(value_get(listing.outcome.object, "items"));
    assert_non_null(
        strstr(server_log(s.server)->items[0],
               "labelSelector=app%20in%20%28a%2Cb%29&fieldSelector=status.phase%3DRunning&resourceVersion=0&limit=500"));
    outcome_free(&listing.outcome);
    options = (struct kube_list_options){.limit = 100};
    assert_non_null(kube_list(s.client, &ALL, &options, NULL, outcome_take, &listing, NULL));
    session_until(&s, &listing.outcome.done);
    assert_int_equal(value_length(value_get(listing.outcome.object, "items")), ITEMS);
    assert_string_equal(
        value_find_text(value_item(value_get(listing.outcome.object, "items"), ITEMS - 1), "metadata", "name", NULL), "p1236");
    outcome_free(&listing.outcome);
    session_end(&s);
}

static void a_list_that_expires_in_the_middle_is_read_anew(void **state)
{
    (void)state;
    struct session s;
    struct many many = {.expire = 1};
    struct listing listing = {.pages = {0}};
    session_start(&s);
    server_on(s.server, "GET", "/api/v1/namespaces/learn/pods", answer_page, &many);
    assert_non_null(kube_list(s.client, &ALL, NULL, NULL, outcome_take, &listing, NULL));
    session_until(&s, &listing.outcome.done);
    assert_int_equal(value_length(value_get(listing.outcome.object, "items")), ITEMS); /* none twice */
    assert_int_equal(many.requests, 5);
    outcome_free(&listing.outcome);
    many = (struct many){.expire = 1000};
    assert_non_null(kube_list(s.client, &ALL, NULL, on_page, outcome_take, &listing, NULL));
    session_until(&s, &listing.outcome.done);
    assert_int_equal(listing.outcome.error.kind, ERROR_NONE);
    assert_int_equal(many.limit, 0); /* in the end in one piece, which cannot expire */
    outcome_free(&listing.outcome);
    session_end(&s);
}

static void a_list_may_be_cancelled_from_a_page_or_outside(void **state)
{
    (void)state;
    struct session s;
    struct many many = {.expire = 0};
    struct listing listing = {.pages = {0}};
    session_start(&s);
    server_on(s.server, "GET", "/api/v1/namespaces/learn/pods", answer_page, &many);
    listing.pages.cancel = kube_list(s.client, &ALL, NULL, on_page, outcome_take, &listing, NULL);
    for (int i = 0; i < 1000 && listing.pages.pages == 0; i++)
        session_pass(&s, 5);
    session_pass(&s, 30);
    assert_int_equal(listing.pages.pages, 1);
    assert_false(listing.outcome.done);
    listing.pages.cancel = NULL;
    for (int ms = 0; ms < 12; ms += 3) {
        struct kube_list *list = kube_list(s.client, &ALL, NULL, NULL, outcome_take, &listing, NULL);
        loop_until(s.loop, &listing.outcome.done, ms);
        if (!listing.outcome.done)
            kube_list_cancel(list);
        outcome_free(&listing.outcome);
    }
    kube_list_cancel(NULL);
    assert_non_null(kube_list(s.client, &ALL, NULL, NULL, outcome_take, &listing, NULL));
    session_end(&s); /* the client goes with a list under way */
}

static void what_is_no_list_is_an_error(void **state)
{
    (void)state;
    static const char *const bad[] = {"[]", "{}", "nonsense", "{\"items\":7}", "{\"items\":null,\"metadata\":{}}"};
    struct session s;
    session_start(&s);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct listing listing = {.pages = {0}};
        server_answer(s.server, "GET", "*", 200, NULL, bad[i]);
        assert_non_null(kube_list(s.client, &ALL, NULL, NULL, outcome_take, &listing, NULL));
        session_until(&s, &listing.outcome.done);
        assert_int_equal(listing.outcome.object == NULL,
                         i < 3); /* null and odd items are an empty list: old servers sent null */
        outcome_free(&listing.outcome);
    }
    session_end(&s);
}

static void serve_pages(struct server *server)
{
    static struct many many;
    server_on(server, "GET", "/api/v1/namespaces/learn/pods", answer_page, &many);
}

static void lists_survive_every_allocation_failing(void **state)
{
    (void)state;
    struct session s;
    unsigned failures = 0, successes = 0;
    session_start_apart(&s, serve_pages);
    for (int nth = 1; nth < 20000; nth += nth < 250 ? 1 : 397) {
        struct listing listing = {.pages = {0}};
        assert_true(session_client(&s));
        mem_fail_at(nth);
        if (kube_list(s.client, &ALL, NULL, NULL, outcome_take, &listing, NULL) != NULL) {
            loop_until(s.loop, &listing.outcome.done, 20000);
            mem_fail_at(0);
            assert_true(listing.outcome.done);
        }
        mem_fail_at(0);
        if (listing.outcome.object != NULL)
            assert_int_equal(value_length(value_get(listing.outcome.object, "items")), ITEMS); /* never less without an error */
        failures += listing.outcome.object == NULL;
        successes += listing.outcome.object != NULL;
        outcome_free(&listing.outcome);
        session_drop_client(&s);
    }
    assert_true(failures > 10 && successes > 3);
    session_end(&s);
}

int test_verbs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_verb_is_the_request_it_should_be),
        cmocka_unit_test(names_that_would_lead_elsewhere_are_refused),
        cmocka_unit_test(an_error_names_what_was_to_be_done),
        cmocka_unit_test(a_conflict_of_apply_names_fields_and_owners),
        cmocka_unit_test(who_am_i_tries_older_forms),
        cmocka_unit_test(cancelled_calls_are_never_heard_of),
        cmocka_unit_test(a_list_comes_page_by_page),
        cmocka_unit_test(a_list_that_expires_in_the_middle_is_read_anew),
        cmocka_unit_test(a_list_may_be_cancelled_from_a_page_or_outside),
        cmocka_unit_test(what_is_no_list_is_an_error),
        cmocka_unit_test(lists_survive_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("verbs", tests, NULL, NULL);
}
