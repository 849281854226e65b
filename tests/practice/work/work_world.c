#include "work_world.h"

#include <string.h>

#include "base/mem.h"
#include "data/json.h"

const struct client_resource work_pods = {"", "v1", "pods"}, work_events = {"", "v1", "events"};
static const struct client_resource accounts = {"", "v1", "serviceaccounts"};

void work_settle_in(struct work_world *world)
{
    serve_do(&world->serve, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
             "{\"metadata\":{\"name\":\"tests\"},\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":"
             "\"ClusterRole\",\"name\":\"cluster-admin\"},"
             "\"subjects\":[{\"kind\":\"ServiceAccount\",\"namespace\":\"kube-system\",\"name\":\"tests\"}]}",
             201);
    work_make(world, &accounts, work_json("{'metadata':{'name':'default'},'automountServiceAccountToken':false}"));
}

void work_open(struct work_world *world)
{
    struct error err = ERROR_INIT;
    *world = (struct work_world){0};
    serve_open(&world->serve, NULL);
    if (!place_open(&world->place, server_api(world->serve.server), &err))
        fail_msg("place_open: %s", err.message);
    world->place.client = client_new(world->place.api, "system:serviceaccount:kube-system:tests", "tests", NULL);
    assert_non_null(world->place.client);
    work_settle_in(world);
    work_run(world);
}

void work_close(struct work_world *world)
{
    client_free(world->place.client);
    place_close(&world->place);
    serve_close(&world->serve);
}

void work_run(struct work_world *world)
{
    for (int i = 0; i < 12; i++)
        loop_once(world->serve.loop, 1);
}

static void stepped(void *done)
{
    *(bool *)done = true;
}

void work_step(struct work_world *world, int64_t ms)
{
    bool done = false;
    assert_true(cluster_clock_step(world->place.api->clock, ms, stepped, &done, NULL));
    assert_true(loop_until(world->serve.loop, &done, LONG_MS));
}

struct value *work_json(const char *format, ...)
{
    static char text[16384];
    struct error err = ERROR_INIT;
    va_list arguments;
    va_start(arguments, format);
    assert_in_range(vsnprintf(text, sizeof text, format, arguments), 0, sizeof text - 1);
    va_end(arguments);
    for (char *at = text; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    struct value *document = json_parse(text, strlen(text), "test", &err);
    if (document == NULL)
        fail_msg("%s: %s", text, err.message);
    return document;
}

void work_make(struct work_world *world, const struct client_resource *resource, struct value *object)
{
    struct error err = ERROR_INIT;
    struct value *made = client_create(world->place.client, resource, "default", object, &err);
    if (made == NULL)
        fail_msg("create: %s", err.message);
    value_free(made);
}

void work_patch(struct work_world *world, const struct client_resource *resource, const char *sub, const char *name,
                struct value *patch)
{
    struct error err = ERROR_INIT;
    struct value *made = client_patch(world->place.client, resource, sub, "default", name, PATCH_MERGE, patch, &err);
    if (made == NULL)
        fail_msg("patch %s: %s", name, err.message);
    value_free(made);
}

void work_delete(struct work_world *world, const struct client_resource *resource, const char *name)
{
    struct error err = ERROR_INIT;
    if (!client_delete(world->place.client, resource, "default", name, NULL, PROPAGATION_BACKGROUND, &err))
        fail_msg("delete %s: %s", name, err.message);
}

struct value *work_get(struct work_world *world, const struct client_resource *resource, const char *name)
{
    return client_get(world->place.client, resource, "default", name, NULL);
}

void work_pod(struct work_world *world, const char *name, const char *more)
{
    work_make(world, &work_pods,
              work_json("{'metadata':{'name':'%s'%s},'spec':{'containers':[{'name':'c','image':'nginx','resources':{'requests':"
                        "{'cpu':'100m','memory':'64Mi'}}}]}}",
                        name, more));
}

const struct pod_view *work_view(struct work_world *world, const char *name)
{
    return pods_get(world->place.pods, "default", name);
}
