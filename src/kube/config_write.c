/* The overlay kubeconfig of the learner's shell. */
#include <string.h>

#include "base/file.h"
#include "base/lang.h"
#include "base/mem.h"
#include "data/units.h"
#include "data/yaml.h"
#include "kube/config_read.h"

/* lists.NAME: [{name: ..., BODY: {...}}]; takes body over. */
static bool add_entry(struct value *root, const char *list, const char *name, const char *body_name, struct value *body)
{
    struct value *entry = value_object(), *array = value_array();
    bool ok = body != NULL && entry != NULL && array != NULL;
    ok = ok && value_set(entry, "name", value_string(name));
    if (ok) {
        ok = value_set(entry, body_name, body);
        body = NULL;
    }
    if (ok) {
        ok = value_append(array, entry);
        entry = NULL;
    }
    if (ok) {
        ok = value_set(root, list, array);
        array = NULL;
    }
    value_free(body);
    value_free(entry);
    value_free(array);
    return ok;
}

static struct value *context_body(const char *cluster, const char *user, const char *ns)
{
    struct value *body = value_object();
    if (body == NULL || (cluster != NULL && !value_set(body, "cluster", value_string(cluster))) ||
        (user != NULL && !value_set(body, "user", value_string(user))) || !value_set(body, "namespace", value_string(ns))) {
        value_free(body);
        return NULL;
    }
    return body;
}

/* In a Pod kubectl itself finds the ServiceAccount, but only while no kubeconfig is named. */
static bool add_service_account(struct value *root, const struct kube_config *config)
{
    struct value *cluster = value_object(), *user = value_object();
    char *ca = config->ca != NULL ? base64_encode(config->ca, strlen(config->ca)) : NULL;
    bool ok = cluster != NULL && user != NULL && ca != NULL && value_set(cluster, "server", value_string(config->server)) &&
              value_set(cluster, "certificate-authority-data", value_string(ca)) &&
              value_set(user, "tokenFile", value_string(config->token_file));
    mem_free(ca);
    if (!ok) {
        value_free(cluster);
        value_free(user);
        return false;
    }
    if (!add_entry(root, "clusters", "in-cluster", "cluster", cluster)) {
        value_free(user);
        return false;
    }
    return add_entry(root, "users", "in-cluster", "user", user);
}

static struct value *overlay(const struct kube_config *config, const char *ns)
{
    bool in_cluster = config->origin == KUBE_CONFIG_IN_CLUSTER;
    const char *name = in_cluster ? "in-cluster" : config->context_name; /* the same name: the overlay's context hides the original */
    const char *cluster = in_cluster ? "in-cluster" : config->cluster_name, *user = in_cluster ? "in-cluster" : config->user_name;
    struct value *root = value_object();
    if (root != NULL && value_set(root, "apiVersion", value_string("v1")) && value_set(root, "kind", value_string("Config")) &&
        (!in_cluster || add_service_account(root, config)) && add_entry(root, "contexts", name, "context", context_body(cluster, user, ns)) &&
        value_set(root, "current-context", value_string(name)))
        return root;
    value_free(root);
    return NULL;
}

char *kube_config_write_overlay(const struct kube_config *config, const char *ns, const char *path, struct error *err)
{
    struct buf text = buf_make(CONFIG_FILE_MAXIMUM), list = buf_make((CONFIG_FILES + 1) * 4200);
    char *result = NULL;
    struct value *root = overlay(config, ns);
    if (root != NULL)
        yaml_print(root, &text);
    if (root == NULL || !buf_ok(&text)) {
        error_memory(err);
        goto out;
    }
    buf_append_string(&list, path);
    for (size_t i = 0; i < config->files.length; i++) {
        const char *file = config->files.items[i];
        if (strchr(file, ':') != NULL) {
            error_set(err, ERROR_INPUT, file, _("the path of the kubeconfig %.200s holds a colon, so that KUBECONFIG cannot name it beside another file"), file);
            goto out;
        }
        buf_printf(&list, ":%s", file);
    }
    if (!file_write(path, text.bytes, text.length, 0600, err))
        goto out;
    result = buf_take(&list, NULL);
    if (result == NULL)
        error_memory(err);
out:
    value_free(root);
    buf_free(&text);
    buf_free(&list);
    return result;
}
