#include "cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/json.h"

const struct client_resource configmaps = {"", "v1", "configmaps"}, secrets = {"", "v1", "secrets"}, pods = {"", "v1", "pods"}, services = {"", "v1", "services"},
                             namespaces_ = {"", "v1", "namespaces"}, accounts = {"", "v1", "serviceaccounts"}, quotas = {"", "v1", "resourcequotas"},
                             clusterroles = {"rbac.authorization.k8s.io", "v1", "clusterroles"}, definitions = {"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
                             widgets = {"example.com", "v1", "widgets"};

void cluster_let_in(struct cluster *cluster)
{
    serve_do(&cluster->world, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
             "{\"metadata\":{\"name\":\"tests\"},\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\"name\":\"cluster-admin\"},"
             "\"subjects\":[{\"kind\":\"ServiceAccount\",\"namespace\":\"kube-system\",\"name\":\"tests\"}]}",
             201);
}

void cluster_start(struct cluster *cluster)
{
    struct error err = ERROR_INIT;
    if (!place_open(&cluster->place, server_api(cluster->world.server), &err))
        fail_msg("place_open: %s", err.message);
    cluster->controllers = controllers_new(&cluster->place, &err);
    if (cluster->controllers == NULL)
        fail_msg("controllers_new: %s", err.message);
}

void cluster_stop(struct cluster *cluster)
{
    controllers_free(cluster->controllers);
    cluster->controllers = NULL;
    place_close(&cluster->place);
}

void cluster_open(struct cluster *cluster)
{
    *cluster = (struct cluster){0};
    serve_open(&cluster->world, NULL);
    cluster->client = client_new(server_api(cluster->world.server), "system:serviceaccount:kube-system:tests", "tests", NULL);
    assert_non_null(cluster->client);
    cluster_let_in(cluster);
    cluster_start(cluster);
}

void cluster_close(struct cluster *cluster)
{
    cluster_stop(cluster);
    client_free(cluster->client);
    serve_close(&cluster->world);
}

/* Texts that live for a few calls. */
static char *room(void)
{
    static char texts[8][65536];
    static unsigned next;
    return texts[next++ % 8];
}

static struct value *parse(const char *format, va_list arguments)
{
    char text[8192];
    struct error err = ERROR_INIT;
    vsnprintf(text, sizeof text, format, arguments);
    for (char *at = text; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    struct value *object = json_parse(text, strlen(text), "test", &err);
    if (object == NULL)
        fail_msg("%s: %s", text, err.message);
    return object;
}

const char *cluster_make(struct cluster *cluster, const struct client_resource *resource, const char *ns, const char *format, ...)
{
    struct error err = ERROR_INIT;
    va_list arguments;
    va_start(arguments, format);
    struct value *made = client_create(cluster->client, resource, ns, parse(format, arguments), &err);
    va_end(arguments);
    if (made == NULL)
        fail_msg("%s: %s", format, err.message);
    char *uid = room();
    strcpy(uid, value_find_text(made, "metadata", "uid", NULL));
    value_free(made);
    return uid;
}

void cluster_patch(struct cluster *cluster, const struct client_resource *resource, const char *ns, const char *name, const char *format, ...)
{
    struct error err = ERROR_INIT;
    va_list arguments;
    va_start(arguments, format);
    struct value *made = client_patch(cluster->client, resource, "", ns, name, PATCH_MERGE, parse(format, arguments), &err);
    va_end(arguments);
    if (made == NULL)
        fail_msg("%s: %s", format, err.message);
    value_free(made);
}

void cluster_delete(struct cluster *cluster, const struct client_resource *resource, const char *ns, const char *name, enum propagation propagation)
{
    struct error err = ERROR_INIT;
    if (!client_delete(cluster->client, resource, ns, name, NULL, propagation, &err))
        fail_msg("delete %s: %s", name, err.message);
}

bool cluster_has(struct cluster *cluster, const struct client_resource *resource, const char *ns, const char *name)
{
    struct value *object = client_get(cluster->client, resource, ns, name, NULL);
    value_free(object);
    return object != NULL;
}

const char *cluster_text(struct cluster *cluster, const struct client_resource *resource, const char *ns, const char *name, const char *path)
{
    struct value *object = client_get(cluster->client, resource, ns, name, NULL);
    struct value *at = object;
    char key[256], *text = room();
    for (const char *rest = path; *rest != '\0' && at != NULL; rest += strcspn(rest, "."), rest += *rest == '.') {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(rest, "."), rest);
        at = value_get(at, key);
    }
    struct buf out = buf_make(65535);
    if (at != NULL)
        json_print(at, false, &out);
    assert_true(buf_ok(&out));
    strcpy(text, out.bytes != NULL ? out.bytes : "");
    buf_free(&out);
    value_free(object);
    return text;
}

static bool is_served(struct cluster *cluster)
{
    struct error err = ERROR_INIT;
    assert_null(client_get(cluster->client, &widgets, "default", "none", &err));
    return strstr(err.message, "could not find the requested resource") == NULL;
}

void cluster_define(struct cluster *cluster)
{
    cluster_make(cluster, &definitions, "",
                 "{'metadata':{'name':'widgets.example.com'},'spec':{'group':'example.com','scope':'Namespaced','names':{'plural':'widgets','singular':'widget','kind':'Widget'},"
                 "'versions':[{'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':{'type':'object','x-kubernetes-preserve-unknown-fields':true}}}]}}");
    UNTIL(cluster, is_served(cluster));
}

void cluster_settle(struct cluster *cluster)
{
    int64_t end = clock_monotonic_ms() + LONG_MS, from;
    do {
        from = clock_monotonic_ms();
        assert_true(from < end);
        loop_once(cluster->world.loop, 150);
    } while (clock_monotonic_ms() - from < 150);
}
