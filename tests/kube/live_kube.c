/* The client against a real cluster: $KUBETUTOR_LIVE_KUBECONFIG, with rights to make namespaces. All happens in one namespace
 * of this run, which is deleted at the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "data/json.h"
#include "kube/session.h"
#include "kube/streams.h"
#include "kube/watch.h"
#include "kube/why.h"

enum { PATIENCE_MS = 120 * 1000 };

static struct loop *loop;
static struct kube_client *client;
static char ns[64];

/* --- one call after the other --- */

static void until(const bool *done)
{
    assert_true(loop_until(loop, done, PATIENCE_MS));
}

static struct value *parse(const char *format, ...) __attribute__((format(printf, 1, 2)));
static struct value *parse(const char *format, ...)
{
    va_list args;
    char text[8192];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct error err = ERROR_INIT;
    struct value *v = json_parse(text, strlen(text), "test", &err);
    if (v == NULL)
        fail_msg("%s: %s", text, err.message);
    return v;
}

struct resolution {
    bool done;
    const struct kube_resource *resource;
};

static void on_resolved(void *data, const struct kube_resource *resource, const struct error *error)
{
    struct resolution *resolution = data;
    if (error != NULL)
        fail_msg("%s", error->message);
    *resolution = (struct resolution){.done = true, .resource = resource};
}

static const struct kube_resource *resource_named(const char *name)
{
    struct resolution resolution = {.done = false};
    kube_resolve(client, name, on_resolved, &resolution);
    until(&resolution.done);
    return resolution.resource;
}

static struct kube_target target_of(const char *resource, const char *name)
{
    return (struct kube_target){.resource = resource_named(resource), .ns = ns, .name = name};
}

static struct outcome finished(struct kube_call *call, struct outcome *outcome)
{
    assert_non_null(call);
    until(&outcome->done);
    return *outcome;
}

static struct outcome get(const char *resource, const char *name)
{
    struct outcome o = {.done = false};
    struct kube_target target = target_of(resource, name);
    return finished(kube_get(client, &target, outcome_take, &o, NULL), &o);
}

static struct outcome create(const char *resource, struct value *object, const struct kube_write_options *options)
{
    struct outcome o = {.done = false};
    struct kube_target target = target_of(resource, NULL);
    struct kube_call *call = kube_create(client, &target, object, options, outcome_take, &o, NULL);
    value_free(object);
    return finished(call, &o);
}

static struct outcome patch(const char *resource, const char *name, const char *subresource, enum kube_patch type,
                            struct value *body, const struct kube_write_options *options)
{
    struct outcome o = {.done = false};
    struct kube_target target = target_of(resource, name);
    target.subresource = subresource;
    struct kube_call *call = kube_patch(client, &target, type, body, options, outcome_take, &o, NULL);
    value_free(body);
    return finished(call, &o);
}

static struct outcome delete (const char *resource, const char *name, const struct kube_write_options *options)
{
    struct outcome o = {.done = false};
    struct kube_target target = target_of(resource, name);
    return finished(kube_delete(client, &target, options, outcome_take, &o, NULL), &o);
}

static void worked(struct outcome o)
{
    if (o.error.kind != ERROR_NONE)
        fail_msg("%s (%s)", o.error.message, o.error.cause);
    outcome_free(&o);
}

static void failed(struct outcome o, enum error_kind kind)
{
    if (o.error.kind != kind)
        fail_msg("error %d, not %d: %s", (int)o.error.kind, (int)kind, o.error.message);
    outcome_free(&o);
}

/* --- verbs --- */

static struct value *config_map(const char *name, const char *labels, const char *data)
{
    return parse("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\",\"labels\":{%s}},\"data\":{%s}}",
                 name, labels, data);
}

static void discovery_knows_what_the_server_serves(void **state)
{
    (void)state;
    assert_string_equal(resource_named("deploy")->plural, "deployments");
    assert_true(resource_named("deploy")->has_scale);
    assert_string_equal(resource_named("ing")->group, "networking.k8s.io");
    assert_string_equal(resource_named("crd")->kind, "CustomResourceDefinition");
    assert_string_equal(resource_named("HorizontalPodAutoscaler")->version, "v2");
    assert_false(resource_named("nodes")->namespaced);
}

static void objects_are_made_changed_and_deleted(void **state)
{
    (void)state;
    struct kube_write_options options = KUBE_WRITE_DEFAULTS;
    options.dry_run = true;
    worked(create("configmaps", config_map("ghost", "", ""), &options));
    failed(get("configmaps", "ghost"), ERROR_NOT_FOUND);
    struct outcome made = create("configmaps", config_map("a", "\"x\":\"1\"", "\"k\":\"\xe6\x95\xb0\""), NULL);
    assert_int_equal(made.error.kind, ERROR_NONE);
    failed(create("configmaps", config_map("a", "", ""), NULL), ERROR_EXISTS);
    failed(create("configmaps", parse("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"Not_Valid\"}}"),
                  NULL),
           ERROR_INVALID);
    worked(patch("configmaps", "a", NULL, KUBE_PATCH_MERGE, parse("{\"data\":{\"m\":\"1\"}}"), NULL));
    worked(patch("configmaps", "a", NULL, KUBE_PATCH_STRATEGIC, parse("{\"data\":{\"s\":\"1\"}}"), NULL));
    worked(patch("configmaps", "a", NULL, KUBE_PATCH_JSON, parse("[{\"op\":\"add\",\"path\":\"/data/j\",\"value\":\"1\"}]"),
                 NULL));
    struct outcome o = {.done = false}; /* the version that was made is no longer the newest */
    struct kube_target target = target_of("configmaps", "a");
    failed(finished(kube_update(client, &target, made.object, NULL, outcome_take, &o, NULL), &o), ERROR_CONFLICT);
    struct outcome now = get("configmaps", "a");
    assert_string_equal(value_find_text(now.object, "data", "k", NULL), "\xe6\x95\xb0");
    assert_int_equal(value_length(value_get(now.object, "data")), 4);
    options = KUBE_WRITE_DEFAULTS;
    options.uid = "00000000-0000-0000-0000-000000000000";
    failed(delete ("configmaps", "a", &options), ERROR_CONFLICT);
    options.uid = value_find_text(now.object, "metadata", "uid", NULL);
    worked(delete ("configmaps", "a", &options));
    failed(get("configmaps", "a"), ERROR_NOT_FOUND);
    outcome_free(&now);
    outcome_free(&made);
}

static struct value *deployment(const char *name, const char *image, int replicas)
{
    return parse("{\"apiVersion\":\"apps/"
                 "v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"%s\"},\"spec\":{\"replicas\":%d,\"selector\":{"
                 "\"matchLabels\":{\"app\":\"%s\"}},"
                 "\"template\":{\"metadata\":{\"labels\":{\"app\":\"%s\"}},\"spec\":{\"containers\":[{\"name\":\"web\","
                 "\"image\":\"%s\",\"ports\":[{\"containerPort\":80}]}]}}}}",
                 name, replicas, name, name, image);
}

static void applies_conflict_by_field_and_can_be_forced(void **state)
{
    (void)state;
    struct kube_write_options options = KUBE_WRITE_DEFAULTS;
    worked(patch("deployments.apps", "applied", NULL, KUBE_PATCH_APPLY, deployment("applied", "nginx:1.27", 0), NULL));
    options.field_manager = "somebody";
    worked(patch("deployments.apps", "applied", "scale", KUBE_PATCH_MERGE, parse("{\"spec\":{\"replicas\":1}}"), &options));
    struct outcome o =
        patch("deployments.apps", "applied", NULL, KUBE_PATCH_APPLY, deployment("applied", "nginx:1.27", 0), NULL);
    assert_int_equal(o.error.kind, ERROR_CONFLICT);
    assert_non_null(strstr(o.error.message, ".spec.replicas is owned by \"somebody\""));
    outcome_free(&o);
    options = KUBE_WRITE_DEFAULTS;
    options.force = true;
    worked(patch("deployments.apps", "applied", NULL, KUBE_PATCH_APPLY, deployment("applied", "nginx:1.27", 0), &options));
    options = KUBE_WRITE_DEFAULTS;
    options.propagation = "Foreground";
    worked(delete ("deployments.apps", "applied", &options));
}

static void one_knows_who_one_is_and_what_one_may_do(void **state)
{
    (void)state;
    struct outcome o = {.done = false};
    struct kube_target target = target_of("pods", NULL);
    worked(finished(kube_get_path(client, "/version", outcome_take, &o, NULL), &o));
    o = (struct outcome){.done = false};
    finished(kube_can_i(client, "delete", &target, outcome_take, &o, NULL), &o);
    assert_true(value_is_true(value_find(o.object, "status", "allowed", NULL)));
    outcome_free(&o);
    assert_true(kube_who_am_i(client, outcome_take, &o, NULL));
    until(&o.done);
    assert_non_null(value_find_text(o.object, "status", "userInfo", "username", NULL));
    outcome_free(&o);
}

/* --- watches --- */

struct replay {
    struct map versions; /* name to version (a text) */
    unsigned changes;
    bool synced;
};

static void on_change(void *data, enum kube_change change, const struct value *object, const struct value *old)
{
    (void)old;
    struct replay *replay = data;
    const char *name = value_find_text(object, "metadata", "name", NULL),
               *version = value_find_text(object, "metadata", "resourceVersion", NULL);
    assert_int_equal(map_has(&replay->versions, name), change != KUBE_ADDED);
    replay->changes++;
    if (change == KUBE_DELETED)
        map_remove(&replay->versions, name);
    else
        assert_true(map_set(&replay->versions, name, mem_string(version)));
}

static void on_synced(void *data)
{
    ((struct replay *)data)->synced = true;
}

static const struct kube_watch_listener listener = {.changed = on_change, .synced = on_synced};

static size_t differences(const struct replay *replay, const struct value *list)
{
    size_t differing = 0, count = 0;
    for (const struct value *item = value_first(value_get(list, "items")); item != NULL; item = value_next(item), count++) {
        const char *version = map_get(&replay->versions, value_find_text(item, "metadata", "name", NULL));
        differing += version == NULL || strcmp(version, value_find_text(item, "metadata", "resourceVersion", NULL)) != 0;
    }
    return differing + (count > replay->versions.count ? count - replay->versions.count : replay->versions.count - count);
}

static void a_watch_replays_to_what_a_list_shows(void **state)
{
    (void)state;
    struct replay replay = {.versions = map_make(1000, mem_free)};
    struct kube_watch_options options = {.resource = resource_named("configmaps"), .ns = ns, .labels = "watched=yes"};
    struct kube_watch *watch = kube_watch_start(client, &options, &listener, &replay, NULL);
    assert_non_null(watch);
    until(&replay.synced);
    unsigned random = 1;
    for (int i = 0; i < 120; i++) {
        char name[16];
        random = random * 1103515245u + 12345u;
        snprintf(name, sizeof name, "w%u", random / 65536 % 7);
        struct outcome o;
        if (random / 65536 % 3 == 0)
            o = delete ("configmaps", name, NULL);
        else if (random / 65536 % 3 == 1)
            o = create("configmaps", config_map(name, "\"watched\":\"yes\"", ""), NULL);
        else /* in and out of the selection */
            o = patch(
                "configmaps", name, NULL, KUBE_PATCH_MERGE,
                parse("{\"metadata\":{\"labels\":{\"watched\":\"%s\"}},\"data\":{\"i\":\"%d\"}}", i % 4 != 0 ? "yes" : "no", i),
                NULL);
        outcome_free(&o);
    }
    struct outcome o = {.done = false};
    struct kube_target all = target_of("configmaps", NULL);
    assert_non_null(kube_list(client, &all, &(struct kube_list_options){.labels = "watched=yes", .limit = 2}, NULL,
                              outcome_take, &o, NULL));
    until(&o.done);
    assert_int_equal(o.error.kind, ERROR_NONE);
    for (int i = 0; i < 1000 && differences(&replay, o.object) > 0; i++)
        loop_once(loop, 10);
    assert_int_equal(differences(&replay, o.object), 0);
    assert_int_equal(kube_watch_count(watch), replay.versions.count);
    assert_true(replay.changes > 40);
    kube_watch_stop(watch);
    outcome_free(&o);
    map_free(&replay.versions);
}

/* --- Pods --- */

struct pod_wait {
    bool ready;
};

static void on_pod(void *data, enum kube_change change, const struct value *object, const struct value *old)
{
    (void)old;
    struct pod_wait *wait = data;
    const char *deleted = value_find_text(object, "metadata", "deletionTimestamp", NULL);
    for (const struct value *c = value_first(value_find(object, "status", "conditions", NULL)); c != NULL; c = value_next(c))
        wait->ready = wait->ready ||
                      (change != KUBE_DELETED && deleted == NULL && strcmp(value_text(value_get(c, "type")), "Ready") == 0 &&
                       strcmp(value_text(value_get(c, "status")), "True") == 0);
}

static void wait_ready(const char *label)
{
    static const struct kube_watch_listener pods = {.changed = on_pod};
    struct pod_wait wait = {.ready = false};
    struct kube_watch *watch =
        kube_watch_start(client, &(struct kube_watch_options){.resource = resource_named("pods"), .ns = ns, .labels = label},
                         &pods, &wait, NULL);
    until(&wait.ready);
    kube_watch_stop(watch);
}

struct ran {
    bool done;
    int exit_code;
    char output[4096], errors[4096];
    size_t output_length;
    struct error error;
};

static void on_ran(void *data, const struct kube_exec_result *result, const struct error *error)
{
    struct ran *ran = data;
    ran->done = true;
    ran->exit_code = result->exit_code;
    ran->output_length = result->output_length;
    snprintf(ran->output, sizeof ran->output, "%s", result->output);
    snprintf(ran->errors, sizeof ran->errors, "%s", result->errors);
    ran->error = error != NULL ? *error : ERROR_INIT;
}

static struct ran run(const char *const *argv, const char *input, size_t maximum)
{
    struct ran ran = {.done = false};
    struct kube_exec_options options = {.ns = ns,
                                        .pod = "tool",
                                        .argv = argv,
                                        .input = input,
                                        .input_length = input != NULL ? strlen(input) : 0,
                                        .maximum = maximum};
    assert_non_null(kube_exec_start(client, &options, on_ran, &ran, NULL));
    until(&ran.done);
    return ran;
}

static void commands_run_in_a_pod(void **state)
{
    (void)state;
    worked(create("pods",
                  parse("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"tool\",\"labels\":{\"app\":\"tool\"}}"
                        ",\"spec\":{\"terminationGracePeriodSeconds\":0,"
                        "\"containers\":[{\"name\":\"sh\",\"image\":\"busybox:1.36\",\"command\":[\"sh\",\"-c\",\"echo one; "
                        "echo two; exec sleep 100000\"]}]}}"),
                  NULL));
    wait_ready("app=tool");
    struct ran ran = run((const char *const[]){"sh", "-c", "echo out; echo err >&2; exit 3", NULL}, NULL, 0);
    assert_int_equal(ran.error.kind, ERROR_NONE);
    assert_int_equal(ran.exit_code, 3);
    assert_string_equal(ran.output, "out\n");
    assert_string_equal(ran.errors, "err\n");
    ran = run((const char *const[]){"cat", NULL}, "through stdin", 0);
    assert_int_equal(ran.error.kind, ERROR_NONE);
    assert_int_equal(ran.exit_code, 0);
    assert_string_equal(ran.output, "through stdin");
    ran = run((const char *const[]){"sh", "-c", "head -c 3000000 /dev/zero", NULL}, NULL, 4000000);
    assert_int_equal(ran.exit_code, 0);
    assert_int_equal(ran.output_length, 3000000);
    ran = run((const char *const[]){"sh", "-c", "yes", NULL}, NULL, 100000);
    assert_int_equal(ran.error.kind, ERROR_LIMIT);
    ran = run((const char *const[]){"no-such-command", NULL}, NULL, 0);
    assert_true(ran.error.kind == ERROR_INVALID || ran.exit_code > 0); /* old runtimes start a shell that says so */
}

struct text {
    char bytes[4096];
    size_t length;
    bool done, some;
    struct error error;
};

static void on_text(void *data, const char *bytes, size_t length)
{
    struct text *text = data;
    size_t room = sizeof text->bytes - 1 - text->length;
    length = length < room ? length : room;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->some = strstr(text->bytes, "two\n") != NULL;
}

static void on_text_end(void *data, const struct error *error)
{
    struct text *text = data;
    text->done = true;
    if (error != NULL)
        text->error = *error;
}

static void logs_are_read_and_followed(void **state)
{
    (void)state;
    struct text text = {.done = false}, following = {.done = false};
    struct kube_logs_options options = {.ns = ns, .pod = "tool", .tail_lines = -1};
    assert_non_null(kube_logs(client, &options, on_text, on_text_end, &text, NULL));
    until(&text.done);
    assert_string_equal(text.bytes, "one\ntwo\n");
    options.follow = true;
    struct kube_call *call = kube_logs(client, &options, on_text, on_text_end, &following, NULL);
    until(&following.some);
    assert_false(following.done);
    kube_call_cancel(call);
    options = (struct kube_logs_options){.ns = ns, .pod = "nobody", .tail_lines = -1};
    text = (struct text){.done = false};
    assert_non_null(kube_logs(client, &options, on_text, on_text_end, &text, NULL));
    until(&text.done);
    assert_int_equal(text.error.kind, ERROR_NOT_FOUND);
}

struct visit {
    bool done;
    int code;
    struct error error;
};

static void on_visit(void *data, const struct kube_answer *answer, const struct error *error)
{
    struct visit *visit = data;
    *visit = (struct visit){.done = true, .code = answer->code};
    if (error != NULL)
        visit->error = *error;
}

static struct visit visit(const char *service, const char *path)
{
    struct visit v = {.done = false};
    assert_non_null(kube_proxy(client, ns, "services", service, "80", "GET", path, on_visit, &v, NULL));
    until(&v.done);
    return v;
}

static struct value *service(const char *name, const char *app)
{
    return parse("{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"%s\"},\"spec\":{\"selector\":{\"app\":"
                 "\"%s\"},\"ports\":[{\"port\":80}]}}",
                 name, app);
}

static void services_are_reached_through_the_server(void **state)
{
    (void)state;
    worked(create("deployments.apps", deployment("web", "nginx:1.27", 1), NULL));
    worked(create("services", service("web", "web"), NULL));
    worked(create("services", service("empty", "nobody"), NULL));
    wait_ready("app=web");
    struct visit v = visit("web", "/");
    for (int i = 0; i < 100 && v.code != 200; i++) { /* endpoints come a moment after the Pod is ready */
        loop_once(loop, 100);
        v = visit("web", "/");
    }
    assert_int_equal(v.code, 200);
    assert_int_equal(v.error.kind, ERROR_NONE);
    assert_int_equal(visit("web", "/missing").code, 404);
    assert_int_equal(visit("empty", "/").error.kind, ERROR_UNREACHABLE);
    assert_int_equal(visit("none", "/").error.kind, ERROR_NOT_FOUND);
}

/* --- why --- */

struct asked {
    bool done;
    struct kube_why why;
    struct error error;
};

static void on_why(void *data, const struct kube_why *why, const struct error *error)
{
    struct asked *asked = data;
    asked->done = true;
    if (why != NULL)
        asked->why = *why;
    else
        asked->error = *error;
}

static const char *cause(const char *resource, const char *name)
{
    static struct asked asked;
    asked = (struct asked){.done = false};
    assert_non_null(kube_why_start(client, resource_named(resource), ns, name, on_why, &asked, NULL));
    until(&asked.done);
    assert_int_equal(asked.error.kind, ERROR_NONE);
    return asked.why.count > 0 ? asked.why.links[asked.why.count - 1].text : "";
}

static void wait_cause(const char *resource, const char *name, const char *words)
{
    const char *text = "";
    for (int i = 0; i < 600 && strstr(text = cause(resource, name), words) == NULL; i++)
        loop_until(loop, &(bool){false}, 100);
    if (strstr(text, words) == NULL)
        fail_msg("%s %s: %s", resource, name, text);
}

static void causes_are_found(void **state)
{
    (void)state;
    assert_string_equal(cause("deployments.apps", "web"), "");
    assert_string_equal(cause("services", "web"), "");
    worked(create("deployments.apps", deployment("typo", "ngnix:1.27", 1), NULL));
    worked(create("pods",
                  parse("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"crash\"},\"spec\":{\"containers\":[{"
                        "\"name\":\"sh\",\"image\":\"busybox:1.36\","
                        "\"command\":[\"sh\",\"-c\",\"echo no database; exit 3\"]}]}}"),
                  NULL));
    wait_cause("deployments.apps", "typo", "image ngnix:1.27 cannot be pulled");
    wait_cause("pods", "crash", "no database");
    wait_cause("services", "wbe", "Service web exists");
    wait_cause("services", "empty", "has the labels"); /* the nearest Pod */
}

/* --- somebody who may do things in one namespace only --- */

static struct kube_client *client_with_token(const char *token)
{
    struct kube_config *own = NULL;
    struct kube_config_options options = {.file = getenv("KUBETUTOR_LIVE_KUBECONFIG")};
    assert_true(kube_config_load(&options, &own, NULL));
    mem_free(own->client_certificate);
    mem_free(own->client_key);
    mem_free(own->token);
    own->client_certificate = own->client_key = NULL;
    own->token = mem_string(token);
    return kube_client_new(loop, own, NULL, NULL);
}

static void a_namespace_is_enough(void **state)
{
    (void)state;
    worked(create("serviceaccounts",
                  parse("{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{\"name\":\"learner\"}}"), NULL));
    worked(create("rolebindings",
                  parse("{\"apiVersion\":\"rbac.authorization.k8s.io/"
                        "v1\",\"kind\":\"RoleBinding\",\"metadata\":{\"name\":\"learner\"},\"roleRef\":{\"apiGroup\":"
                        "\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\"name\":\"admin\"},\"subjects\":[{\"kind\":"
                        "\"ServiceAccount\",\"name\":\"learner\",\"namespace\":\"%s\"}]}",
                        ns),
                  NULL));
    struct outcome o = {.done = false};
    struct kube_target target = target_of("serviceaccounts", "learner");
    target.subresource = "token";
    struct value *request =
        parse("{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\",\"spec\":{\"expirationSeconds\":3600}}");
    finished(kube_create(client, &target, request, NULL, outcome_take, &o, NULL), &o);
    value_free(request);
    assert_int_equal(o.error.kind, ERROR_NONE);
    struct kube_client *admin = client;
    client = client_with_token(value_find_text(o.object, "status", "token", NULL));
    outcome_free(&o);
    assert_non_null(client);
    worked(get("deployments.apps", "web"));
    worked(create("configmaps", config_map("mine", "", ""), NULL));
    target = target_of("pods", NULL);
    target.ns = "kube-system";
    o = (struct outcome){.done = false};
    assert_non_null(kube_list(client, &target, NULL, NULL, outcome_take, &o, NULL));
    until(&o.done);
    failed(o, ERROR_DENIED);
    o = (struct outcome){.done = false};
    failed(finished(kube_can_i(client, "list", &target, outcome_take, &o, NULL), &o), ERROR_NONE);
    struct replay replay = {.versions = map_make(1000, mem_free)};
    struct kube_watch *watch = kube_watch_start(
        client, &(struct kube_watch_options){.resource = resource_named("configmaps"), .ns = ns}, &listener, &replay, NULL);
    until(&replay.synced);
    assert_non_null(kube_watch_find(watch, ns, "mine"));
    kube_watch_stop(watch);
    map_free(&replay.versions);
    wait_cause("pods", "crash", "no database");
    struct ran ran = run((const char *const[]){"true", NULL}, NULL, 0);
    assert_int_equal(ran.exit_code, 0);
    kube_client_free(client);
    client = admin;
}

/* --- frame --- */

static int begin(void **state)
{
    (void)state;
    struct kube_config *config = NULL;
    struct kube_config_options options = {.file = getenv("KUBETUTOR_LIVE_KUBECONFIG")};
    struct error err = ERROR_INIT;
    loop = loop_new(NULL);
    if (!kube_config_load(&options, &config, &err) || config == NULL) {
        print_error("%s\n", err.message);
        return 1;
    }
    client = kube_client_new(loop, config, NULL, &err);
    snprintf(ns, sizeof ns, "kt-kube-live-%d", (int)getpid());
    struct outcome o = {.done = false};
    struct kube_target target = {.resource = resource_named("namespaces")};
    struct value *object = parse("{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%s\"}}", ns);
    finished(kube_create(client, &target, object, NULL, outcome_take, &o, NULL), &o);
    value_free(object);
    worked(o);
    for (int i = 0; i < 100; i++) { /* Pods are refused until the namespace has its ServiceAccount */
        o = get("serviceaccounts", "default");
        bool there = o.error.kind == ERROR_NONE;
        outcome_free(&o);
        if (there)
            return 0;
        loop_once(loop, 100);
    }
    return 1;
}

static int end(void **state)
{
    (void)state;
    worked(delete ("namespaces", ns, NULL));
    kube_client_free(client);
    loop_free(loop);
    return 0;
}

int live_kube(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(discovery_knows_what_the_server_serves),
        cmocka_unit_test(objects_are_made_changed_and_deleted),
        cmocka_unit_test(applies_conflict_by_field_and_can_be_forced),
        cmocka_unit_test(one_knows_who_one_is_and_what_one_may_do),
        cmocka_unit_test(a_watch_replays_to_what_a_list_shows),
        cmocka_unit_test(commands_run_in_a_pod),
        cmocka_unit_test(logs_are_read_and_followed),
        cmocka_unit_test(services_are_reached_through_the_server),
        cmocka_unit_test(causes_are_found),
        cmocka_unit_test(a_namespace_is_enough),
    };
    if (getenv("KUBETUTOR_LIVE_KUBECONFIG") == NULL) {
        print_message("KUBETUTOR_LIVE_KUBECONFIG does not name a cluster: nothing is tested\n");
        return 0;
    }
    return cmocka_run_group_tests_name("live kube", tests, begin, end);
}
