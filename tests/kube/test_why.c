#include <dirent.h>
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
#include "kube/session.h"
#include "kube/why.h"
#include "kube/why_facts.h"

/* why/CASE.json: a real object that is broken, and what its cluster held around it (why/record.py): "target", "lists", "log",
 * and in "expect" a text a link, "Kind name: sentence [evidence]". */

static const char *const LISTS[WHY_LISTS] = {"pods", "replicasets", "events", "configmaps", "persistentvolumeclaims", NULL};

static struct value *load(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "why/%s", name);
    char *text = session_case(path);
    struct error err = ERROR_INIT;
    struct value *v = json_parse(text, strlen(text), name, &err);
    if (v == NULL)
        fail_msg("%s: %s", err.where, err.message);
    mem_free(text);
    return v;
}

static const struct value *list_of(const struct value *c, size_t list)
{
    char plural[64];
    snprintf(plural, sizeof plural, "%s", LISTS[list] != NULL ? LISTS[list] : why_text(c, "resource"));
    plural[strcspn(plural, ".")] = '\0';
    return value_find(c, "lists", plural, NULL);
}

static void last_line(const char *log, char *out, size_t room)
{
    size_t end = log != NULL ? strlen(log) : 0;
    while (end > 0 && log[end - 1] == '\n')
        end--;
    size_t start = end;
    while (start > 0 && log[start - 1] != '\n')
        start--;
    snprintf(out, room, "%.*s", (int)(end - start), log != NULL ? log + start : "");
}

static const char *kind_of(const struct value *c)
{
    const char *kind = value_find_text(c, "target", "kind", NULL);
    return kind != NULL ? kind : "Service"; /* the one case whose target does not exist */
}

/* Gives the diagnosis what it asks for, and no more, as why.c does. */
static void diagnose(const struct value *c, struct kube_why *why)
{
    const struct value *target = value_get(c, "target");
    struct why_facts facts = {.kind = kind_of(c),
                              .name = why_text(c, "name"),
                              .ns = value_text(value_get(c, "namespace")),
                              .target = value_type(target) == VALUE_OBJECT ? target : NULL};
    char line[1024];
    for (bool more = true; more;) {
        more = false;
        why_diagnose(&facts, why);
        for (size_t i = 0; i < WHY_LISTS; i++)
            if (facts.wanted[i] && facts.lists[i] == NULL && list_of(c, i) != NULL) {
                facts.lists[i] = list_of(c, i);
                more = true;
            }
        if (facts.log_wanted && facts.log == NULL && value_text(value_get(c, "log")) != NULL) {
            last_line(value_text(value_get(c, "log")), line, sizeof line);
            facts.log = line;
            more = true;
        }
    }
}

static void print_link(const struct kube_why_link *link, char *out, size_t room)
{
    snprintf(out, room, "%s %s: %s [%s]", link->kind, link->name, link->text, link->evidence);
}

static bool is_expected(const char *name, const struct value *c, const struct kube_why *why)
{
    const struct value *expected = value_first(value_get(c, "expect"));
    bool same = true;
    for (size_t i = 0; i < why->count; i++) {
        char text[2048];
        print_link(&why->links[i], text, sizeof text);
        same = same && expected != NULL && strcmp(value_text(expected), text) == 0;
        expected = value_next(expected);
    }
    if (same && expected == NULL)
        return true;
    print_message("%s: what is found is not what the case expects, but\n", name);
    for (size_t i = 0; i < why->count; i++) {
        char text[2048];
        struct buf quoted = buf_make(8192);
        print_link(&why->links[i], text, sizeof text);
        json_quote(text, &quoted);
        print_message("  %s%s\n", quoted.bytes, i + 1 < why->count ? "," : "");
        buf_free(&quoted);
    }
    return false;
}

static void every_broken_thing_is_traced_to_its_cause(void **state)
{
    (void)state;
    DIR *folder = opendir(KT_TEST_CASES "/why");
    unsigned cases = 0, wrong = 0;
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".json") != 0)
            continue;
        struct value *c = load(entry->d_name);
        struct kube_why why;
        diagnose(c, &why);
        wrong += !is_expected(entry->d_name, c, &why);
        value_free(c);
        cases++;
    }
    closedir(folder);
    assert_int_equal(wrong, 0);
    assert_true(cases >= 25);
}

/* --- the way to the cluster --- */

struct asked {
    bool done;
    struct kube_why why;
    struct error error;
};

static void on_why(void *data, const struct kube_why *why, const struct error *error)
{
    struct asked *asked = data;
    assert_false(asked->done);
    assert_true((why == NULL) == (error != NULL));
    asked->done = true;
    if (why != NULL)
        asked->why = *why;
    else
        asked->error = *error;
}

static const struct kube_resource deployments = {.group = "apps",
                                                 .version = "v1",
                                                 .plural = "deployments",
                                                 .singular = "deployment",
                                                 .kind = "Deployment",
                                                 .namespaced = true,
                                                 .verbs = 255};

static void answer_with(struct server *server, const char *path, const struct value *v, bool list)
{
    struct buf body = buf_make(1 << 22);
    if (list)
        buf_append_string(&body, "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":");
    json_print(v, false, &body);
    if (list)
        buf_append_string(&body, "}");
    assert_true(buf_ok(&body));
    server_answer(server, "GET", path, 200, NULL, body.bytes);
    buf_free(&body);
}

static void serve_case(struct server *server, const struct value *c)
{
    const char *ns = why_text(c, "namespace");
    char path[512];
    snprintf(path, sizeof path, "/apis/apps/v1/namespaces/%s/deployments/%s", ns, why_text(c, "name"));
    answer_with(server, path, value_get(c, "target"), false);
    for (size_t i = 0; i < WHY_SIBLINGS; i++) {
        snprintf(path, sizeof path, "%s/namespaces/%s/%s", i == WHY_REPLICASETS ? "/apis/apps/v1" : "/api/v1", ns, LISTS[i]);
        answer_with(server, path, list_of(c, i), true);
    }
    snprintf(path, sizeof path, "/api/v1/namespaces/%s/pods/%s/log", ns,
             value_find_text(value_first(value_find(c, "lists", "pods", NULL)), "metadata", "name", NULL));
    server_answer(server, "GET", path, 200, "Content-Type: text/plain\r\n", why_text(c, "log"));
}

static void ask(struct session *s, const struct value *c, struct asked *asked)
{
    *asked = (struct asked){.done = false};
    assert_non_null(
        kube_why_start(s->client, &deployments, why_text(c, "namespace"), why_text(c, "name"), on_why, asked, NULL));
    session_until(s, &asked->done);
}

static void it_asks_the_cluster_for_what_it_needs(void **state)
{
    (void)state;
    struct session s;
    struct asked asked;
    struct value *c = load("crash.json");
    session_start(&s);
    serve_case(s.server, c);
    ask(&s, c, &asked);
    assert_true(is_expected("crash.json", c, &asked.why));
    assert_int_equal(server_log(s.server)->length, 5); /* the object, replicasets, pods, events, a log */
    session_end(&s);
    value_free(c);
}

static void it_can_be_cancelled_at_any_time(void **state)
{
    (void)state;
    struct session s;
    struct value *c = load("crash.json");
    session_start(&s);
    serve_case(s.server, c);
    kube_why_cancel(NULL);
    for (int ms = 0; ms < 20; ms++) {
        struct asked asked = {.done = false};
        struct kube_why_call *call =
            kube_why_start(s.client, &deployments, why_text(c, "namespace"), why_text(c, "name"), on_why, &asked, NULL);
        loop_until(s.loop, &asked.done, ms);
        if (!asked.done)
            kube_why_cancel(call);
    }
    session_end(&s);
    value_free(c);
}

static void what_is_well_gives_no_link(void **state)
{
    (void)state;
    struct session s;
    struct asked asked;
    struct value *c = load("fine.json");
    session_start(&s);
    serve_case(s.server, c);
    ask(&s, c, &asked);
    assert_int_equal(asked.why.count, 0);
    assert_int_equal(server_log(s.server)->length, 1);
    session_end(&s);
    value_free(c);
}

#define FORBIDDEN "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":403,\"reason\":\"Forbidden\",\"message\":\"no\"}"

static void what_may_not_be_read_is_left_out_and_said(void **state)
{
    (void)state;
    struct session s;
    struct asked asked;
    struct value *c = load("crash.json");
    session_start(&s);
    serve_case(s.server, c);
    server_answer(s.server, "GET", "/api/v1/namespaces/kt-kube-crash/pods", 403, NULL, FORBIDDEN);
    ask(&s, c, &asked);
    assert_true(asked.why.count >= 2);
    assert_string_equal(asked.why.links[0].text, "Deployment worker has 0 of 1 replicas available");
    assert_string_equal(asked.why.links[asked.why.count - 1].text,
                        "more cannot be said: these credentials may not list pods in namespace kt-kube-crash");
    server_answer(s.server, "GET", "/apis/apps/v1/namespaces/kt-kube-crash/deployments/worker", 403, NULL, FORBIDDEN);
    ask(&s, c, &asked);
    assert_int_equal(asked.error.kind, ERROR_DENIED);
    server_answer(s.server, "GET", "/apis/apps/v1/namespaces/kt-kube-crash/deployments/worker", 500, NULL, "");
    ask(&s, c, &asked);
    assert_int_equal(asked.error.kind, ERROR_UNREACHABLE);
    session_end(&s);
    value_free(c);
}

static void odd_objects_do_no_harm(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}",
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":[],\"status\":{\"phase\":7,\"conditions\":{},"
        "\"containerStatuses\":[null,1,{\"state\":{\"waiting\":3}},{\"state\":{\"waiting\":{\"reason\":\"CrashLoopBackOff\"}}}]"
        "}}",
        "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\",\"spec\":{\"replicas\":\"x\"},\"status\":[]}",
        "{\"kind\":\"Service\",\"apiVersion\":\"v1\",\"spec\":{\"selector\":{\"a\":1},\"ports\":[1,{\"targetPort\":[]}]}}",
        "{\"kind\":\"Job\",\"apiVersion\":\"batch/v1\",\"status\":{\"conditions\":[{}]}}",
        "{\"kind\":\"Thing\",\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\"}]}}",
        "{\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\"}",
        "[]",
    };
    struct value *lists = json_parse(
        "[{\"metadata\":{\"labels\":{\"a\":{}}}},{},null,{\"involvedObject\":4,\"reason\":\"Unhealthy\"}]", 77, "lists", NULL);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct value *target = json_parse(odd[i], strlen(odd[i]), "odd", NULL);
        assert_non_null(target);
        struct why_facts facts = {.kind = "Pod", .name = "x", .ns = "learn", .target = target, .log = "a line"};
        struct kube_why why;
        why_diagnose(&facts, &why);
        for (size_t list = 0; list < WHY_LISTS; list++)
            facts.lists[list] = lists;
        why_diagnose(&facts, &why);
        for (size_t link = 0; link < why.count; link++)
            assert_true(strlen(why.links[link].text) > 0);
        value_free(target);
    }
    value_free(lists);
}

static void serve_crash(struct server *server)
{
    struct value *c = load("crash.json");
    serve_case(server, c);
    value_free(c);
}

static void a_search_survives_every_allocation_failing(void **state)
{
    (void)state;
    struct session s;
    unsigned failures = 0, successes = 0;
    struct value *c = load("crash.json");
    session_start_apart(&s, serve_crash);
    for (int nth = 1; nth < 6000; nth += nth < 300 ? 1 : 131) {
        struct asked asked = {.done = false};
        assert_true(session_client(&s));
        mem_fail_at(nth);
        if (kube_why_start(s.client, &deployments, why_text(c, "namespace"), why_text(c, "name"), on_why, &asked, NULL) !=
            NULL) {
            loop_until(s.loop, &asked.done, 20000);
            mem_fail_at(0);
            assert_true(asked.done);
        }
        mem_fail_at(0);
        failures += !asked.done || asked.error.kind != ERROR_NONE;
        successes += asked.done && asked.error.kind == ERROR_NONE;
        session_drop_client(&s);
    }
    assert_true(failures > 10 && successes > 10);
    session_end(&s);
    value_free(c);
}

int test_why(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_broken_thing_is_traced_to_its_cause),
        cmocka_unit_test(it_asks_the_cluster_for_what_it_needs),
        cmocka_unit_test(it_can_be_cancelled_at_any_time),
        cmocka_unit_test(what_is_well_gives_no_link),
        cmocka_unit_test(what_may_not_be_read_is_left_out_and_said),
        cmocka_unit_test(odd_objects_do_no_harm),
        cmocka_unit_test(a_search_survives_every_allocation_failing),
    };
    return cmocka_run_group_tests_name("why", tests, NULL, NULL);
}
