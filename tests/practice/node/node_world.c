#include "node_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"

const struct client_resource pods_ = {"", "v1", "pods"}, configmaps_ = {"", "v1", "configmaps"}, secrets_ = {"", "v1", "secrets"}, nodes_ = {"", "v1", "nodes"}, events_ = {"", "v1", "events"},
                             services_ = {"", "v1", "services"}, accounts_ = {"", "v1", "serviceaccounts"}, claims_ = {"", "v1", "persistentvolumeclaims"}, volumes_ = {"", "v1", "persistentvolumes"},
                             leases_ = {"coordination.k8s.io", "v1", "leases"};

enum { TRACE = 4 << 20 };

/* ---- the trace ---- */

static long seconds(const struct node_world *node)
{
    return (long)((cluster_clock_ms(server_api(node->world.server)->clock) - node->start_ms) / 1000);
}

static const struct value *state_of(const struct value *status, const char *key, const char **kind)
{
    const struct value *state = value_first(value_get(status, key));
    *kind = state != NULL ? value_key(state) : "";
    return state;
}

static void print_end(struct buf *out, const struct value *end)
{
    const char *message = value_find_text(end, "message", NULL);
    buf_printf(out, "%s %d%s%s%s", value_find_text(end, "reason", NULL), (int)value_find_int(end, -1, "exitCode", NULL), message != NULL ? " '" : "", message != NULL ? message : "", message != NULL ? "'" : "");
}

static void print_containers(struct buf *out, const struct value *list)
{
    for (const struct value *one = value_first(list); one != NULL; one = value_next(one)) {
        const char *kind, *last_kind, *reason, *message;
        const struct value *state = state_of(one, "state", &kind), *last = state_of(one, "lastState", &last_kind);
        buf_printf(out, "\n      %s %s", value_find_text(one, "name", NULL), kind);
        reason = value_find_text(state, "reason", NULL);
        message = value_find_text(state, "message", NULL);
        if (strcmp(kind, "terminated") == 0) {
            buf_append_string(out, " ");
            print_end(out, state);
        } else {
            buf_printf(out, "%s%s%s%s%s", reason != NULL ? " " : "", reason != NULL ? reason : "", message != NULL ? " '" : "", message != NULL ? message : "", message != NULL ? "'" : "");
        }
        buf_printf(out, "%s%s", value_is_true(value_get(one, "started")) ? " started" : "", value_is_true(value_get(one, "ready")) ? " ready" : "");
        if (value_find_int(one, 0, "restartCount", NULL) > 0)
            buf_printf(out, " restarts=%d", (int)value_find_int(one, 0, "restartCount", NULL));
        if (last != NULL) {
            buf_append_string(out, " last: ");
            print_end(out, last);
        }
    }
}

/* Ids and addresses differ each time. */
static void mask(struct node_world *node, const char *uid, size_t from)
{
    for (char *at = node->trace.bytes + from; (at = strstr(at, uid)) != NULL; at += strlen(uid))
        memset(at, 'U', strlen(uid));
}

static void pod_event(void *data, const struct pods_event *event)
{
    struct node_world *node = data;
    const struct value *status = value_get(event->document, "status");
    size_t from = node->trace.length;
    const char *reason = value_find_text(status, "reason", NULL), *message = value_find_text(status, "message", NULL);
    const struct pod_view *view = event->pod != NULL ? event->pod : event->previous;
    buf_printf(&node->trace, "%3ld %s %s", seconds(node), view->object->name, event->pod == NULL ? "gone" : value_find_text(status, "phase", NULL));
    if (event->pod != NULL) {
        if (view->deleting)
            buf_printf(&node->trace, " deleting(%d)", (int)value_find_int(event->document, -1, "metadata", "deletionGracePeriodSeconds", NULL));
        if (reason != NULL)
            buf_printf(&node->trace, " %s '%s'", reason, message != NULL ? message : "");
        for (const struct value *condition = value_first(value_get(status, "conditions")); condition != NULL; condition = value_next(condition)) {
            const char *why = value_find_text(condition, "reason", NULL), *text = value_find_text(condition, "message", NULL);
            buf_printf(&node->trace, "\n      %s=%s%s%s%s%s%s", value_find_text(condition, "type", NULL), value_find_text(condition, "status", NULL), why != NULL ? " " : "", why != NULL ? why : "",
                       text != NULL ? " '" : "", text != NULL ? text : "", text != NULL ? "'" : "");
        }
        print_containers(&node->trace, value_get(status, "initContainerStatuses"));
        print_containers(&node->trace, value_get(status, "containerStatuses"));
        print_containers(&node->trace, value_get(status, "ephemeralContainerStatuses"));
    }
    buf_append_string(&node->trace, "\n");
    mask(node, view->object->uid, from);
}

static void event_event(void *data, const struct informer_event *change)
{
    struct node_world *node = data;
    struct value *event = change->object != NULL ? informer_value(node->events, change->object) : NULL;
    const char *path = value_find_text(event, "involvedObject", "fieldPath", NULL), *uid = value_find_text(event, "involvedObject", "uid", NULL);
    const char *kind = value_find_text(event, "involvedObject", "kind", NULL);
    size_t from = node->trace.length;
    if (event != NULL && kind != NULL && strcmp(kind, "Pod") == 0) {
        buf_printf(&node->trace, "%3ld   event %s %s x%d %s%s'%s'\n", seconds(node), value_find_text(event, "type", NULL), value_find_text(event, "reason", NULL),
                   (int)value_find_int(event, 1, "count", NULL), path != NULL ? path : "", path != NULL ? " " : "", value_find_text(event, "message", NULL));
        mask(node, uid != NULL ? uid : "-", from);
    }
    value_free(event);
}

/* ---- */

static struct value *parse(const char *format)
{
    struct error err = ERROR_INIT;
    char *text = mem_string(format);
    assert_non_null(text);
    for (char *at = text; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    struct value *object = json_parse(text, strlen(text), "test", &err);
    if (object == NULL)
        fail_msg("%s: %s", text, err.message);
    mem_free(text);
    return object;
}

void node_make(struct node_world *node, const struct client_resource *resource, const char *ns, const char *text)
{
    struct error err = ERROR_INIT;
    struct value *made = client_create(node->client, resource, ns, parse(text), &err);
    if (made == NULL)
        fail_msg("%s: %s", text, err.message);
    value_free(made);
}

void node_patch(struct node_world *node, const struct client_resource *resource, const char *sub, const char *ns, const char *name, const char *text)
{
    struct error err = ERROR_INIT;
    struct value *made = client_patch(node->client, resource, sub, ns, name, PATCH_STRATEGIC, parse(text), &err);
    if (made == NULL)
        fail_msg("%s: %s", text, err.message);
    value_free(made);
}

void node_delete(struct node_world *node, const struct client_resource *resource, const char *ns, const char *name)
{
    struct error err = ERROR_INIT;
    if (!client_delete(node->client, resource, ns, name, NULL, PROPAGATION_DEFAULT, &err))
        fail_msg("delete %s: %s", name, err.message);
}

bool node_has(struct node_world *node, const struct client_resource *resource, const char *ns, const char *name)
{
    struct value *object = client_get(node->client, resource, ns, name, NULL);
    value_free(object);
    return object != NULL;
}

const char *node_text(struct node_world *node, const struct client_resource *resource, const char *ns, const char *name, const char *path)
{
    static char texts[8][65536];
    static unsigned next;
    struct value *object = client_get(node->client, resource, ns, name, NULL), *at = object;
    char *text = texts[next++ % 8], key[256];
    struct buf out = buf_make(65535);
    for (const char *rest = path; *rest != '\0' && at != NULL; rest += strcspn(rest, "."), rest += *rest == '.') {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(rest, "."), rest);
        at = key[0] >= '0' && key[0] <= '9' ? value_item(at, (size_t)atoi(key)) : value_get(at, key);
    }
    if (at != NULL)
        json_print(at, false, &out);
    strcpy(text, out.bytes != NULL ? out.bytes : "");
    buf_free(&out);
    value_free(object);
    return text;
}

static void stepped(void *data)
{
    *(bool *)data = true;
}

void node_step(struct node_world *node, int64_t ms)
{
    struct error err = ERROR_INIT;
    bool done = false;
    if (!cluster_clock_step(server_api(node->world.server)->clock, ms, stepped, &done, &err))
        fail_msg("step: %s", err.message);
    if (!loop_until(node->world.loop, &done, LONG_MS))
        fail_msg("the clock does not come to the end of its step");
}

bool node_seen(const struct node_world *node, const char *line)
{
    return node->trace.bytes != NULL && strstr(node->trace.bytes, line) != NULL;
}

void node_start(struct node_world *node)
{
    struct error err = ERROR_INIT;
    const struct nodes_options options = {.place = &node->place, .runtime = fake_runtime(&node->fake), .count = node->count};
    node->nodes = nodes_new(&options, &err);
    if (node->nodes == NULL)
        fail_msg("nodes_new: %s", err.message);
}

void node_stop(struct node_world *node)
{
    nodes_free(node->nodes);
    node->nodes = NULL;
}

static void let_in(struct node_world *node)
{
    serve_do(&node->world, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
             "{\"metadata\":{\"name\":\"tests\"},\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\"name\":\"cluster-admin\"},"
             "\"subjects\":[{\"kind\":\"ServiceAccount\",\"namespace\":\"kube-system\",\"name\":\"tests\"}]}",
             201);
}

static void open_at(struct node_world *node, const char *path, bool fresh)
{
    struct error err = ERROR_INIT;
    *node = (struct node_world){.count = 1, .trace = buf_make(TRACE)};
    serve_open(&node->world, path);
    struct api *api = server_api(node->world.server);
    node->client = client_new(api, "system:serviceaccount:kube-system:tests", "tests", NULL);
    assert_non_null(node->client);
    if (fresh) {
        let_in(node);
        node_make(node, &accounts_, "default", "{'metadata':{'name':'default'}}");
        node_make(node, &configmaps_, "default", "{'metadata':{'name':'kube-root-ca.crt'},'data':{'ca.crt':'CA'}}");
    }
    node->start_ms = cluster_clock_ms(api->clock);
    assert_true(place_open(&node->place, api, &err));
    fake_open(&node->fake, api->clock);
    assert_non_null(node->events = informer_new(node->place.reader, &events_, event_event, node, &err));
    assert_non_null(node->follower = pods_follow(node->place.pods, pod_event, node, &err));
    node_start(node);
    node_step(node, 100);
}

void node_open(struct node_world *node, const char *path)
{
    open_at(node, path, true);
}

void node_reopen(struct node_world *node, const char *path)
{
    open_at(node, path, false);
}

void node_close(struct node_world *node)
{
    node_stop(node);
    pods_unfollow(node->follower);
    informer_free(node->events);
    place_close(&node->place);
    fake_close(&node->fake);
    client_free(node->client);
    serve_close(&node->world);
    buf_free(&node->trace);
}
