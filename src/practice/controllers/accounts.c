/* accounts.c: every namespace has the ServiceAccount `default` and the ConfigMap `kube-root-ca.crt`, and gets them back when somebody deletes or changes them
 * (kube-controller-manager's serviceaccount and root-ca-certificate-publisher controllers). */
#include <string.h>

#include "base/mem.h"
#include "practice/controllers/internal.h"

static const struct client_resource namespaces = {"", "v1", "namespaces"}, accounts = {"", "v1", "serviceaccounts"}, configs = {"", "v1", "configmaps"};
static const char account_name[] = "default", config_name[] = "kube-root-ca.crt", config_key[] = "ca.crt", note_key[] = "kubernetes.io/description";
static const char config_note[] = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or "
                                  "kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/* Both are the same but for the object. */
struct kept {
    struct api *api;
    struct client *client;
    const char *name;                                   /* of the object in each namespace */
    bool (*make)(struct kept *kept, const char *ns);    /* makes it, or makes it whole; false: try again */
    struct workqueue *queue;                            /* of namespaces' names */
    struct informer *namespaces, *objects;
};

/* No reason to try again: it is there (and will be told), or the namespace is gone or going. */
static bool is_settled(const struct error *err)
{
    return err->kind == ERROR_EXISTS || err->kind == ERROR_NOT_FOUND || (err->kind == ERROR_DENIED && strstr(err->message, "it is being terminated") != NULL);
}

static bool make_account(struct kept *kept, const char *ns)
{
    struct error err = ERROR_INIT;
    if (informer_get(kept->objects, ns, account_name) != NULL)
        return true;
    struct value *object = value_object(), *metadata = object != NULL ? value_child(object, "metadata") : NULL;
    if (metadata == NULL || !value_set(metadata, "name", value_string(account_name))) {
        value_free(object);
        return false;
    }
    struct value *made = client_create(kept->client, &accounts, ns, object, &err);
    value_free(made);
    return made != NULL || is_settled(&err);
}

static bool fill_config(const struct kept *kept, struct value *object)
{
    struct value *metadata = value_child(object, "metadata"), *data, *notes;
    value_remove(object, "data");
    return metadata != NULL && value_set(metadata, "name", value_string(config_name)) && (notes = value_child(metadata, "annotations")) != NULL &&
           value_set(notes, note_key, value_string(config_note)) && (data = value_child(object, "data")) != NULL &&
           value_set(data, config_key, value_string(kept->api->authority));
}

static bool is_whole(const struct kept *kept, const struct value *config)
{
    const char *text = value_find_text(config, "data", config_key, NULL), *note = value_find_text(config, "metadata", "annotations", note_key, NULL);
    return note != NULL && note[0] != '\0' && text != NULL && strcmp(text, kept->api->authority) == 0 && value_length(value_get(config, "data")) == 1;
}

static bool make_config(struct kept *kept, const char *ns)
{
    struct error err = ERROR_INIT;
    const struct object *there = informer_get(kept->objects, ns, config_name);
    struct value *object = there != NULL ? informer_value(kept->objects, there) : value_object(), *made;
    if (object != NULL && there != NULL && is_whole(kept, object)) {
        value_free(object);
        return true;
    }
    if (object == NULL || !fill_config(kept, object)) {
        value_free(object);
        return false;
    }
    made = there != NULL ? client_update(kept->client, &configs, "", object, &err) : client_create(kept->client, &configs, ns, object, &err);
    value_free(made);
    return made != NULL || is_settled(&err);
}

static bool work(void *data, const char *ns)
{
    struct kept *kept = data;
    if (ns[0] == '\0') {
        queue_all(kept->queue, kept->namespaces);
        return true;
    }
    const struct object *there = informer_get(kept->namespaces, "", ns);
    return there == NULL || (there->flags & OBJECT_DELETING) != 0 || kept->make(kept, ns);
}

static void namespace_changed(void *data, const struct informer_event *event)
{
    struct kept *kept = data;
    if (event->object != NULL && (event->object->flags & OBJECT_DELETING) == 0)
        workqueue_add(kept->queue, event->object->name);
}

static void object_changed(void *data, const struct informer_event *event)
{
    struct kept *kept = data;
    const struct object *object = event->object != NULL ? event->object : event->previous;
    if (strcmp(object->name, kept->name) == 0)
        workqueue_add(kept->queue, object->ns);
}

static void stop(void *data)
{
    struct kept *kept = data;
    informer_free(kept->namespaces);
    informer_free(kept->objects);
    workqueue_free(kept->queue);
    mem_free(kept);
}

static void *start(const struct place_of_work *place, const char *name, const struct client_resource *resource, bool (*make)(struct kept *kept, const char *ns), struct error *err)
{
    struct kept *kept = mem_zero(1, sizeof *kept);
    if (kept == NULL) {
        error_memory(err);
        return NULL;
    }
    *kept = (struct kept){.api = place->api, .client = place->client, .name = name, .make = make};
    if ((kept->queue = workqueue_new(place->api->clock, place->api->state, work, kept, err)) != NULL && (kept->objects = informer_new(place->reader, resource, object_changed, kept, err)) != NULL &&
        (kept->namespaces = informer_new(place->reader, &namespaces, namespace_changed, kept, err)) != NULL)
        return kept;
    stop(kept);
    return NULL;
}

static void *start_accounts(const struct place_of_work *place, struct error *err)
{
    return start(place, account_name, &accounts, make_account, err);
}

static void *start_configs(const struct place_of_work *place, struct error *err)
{
    return start(place, config_name, &configs, make_config, err);
}

const struct controller_type accounts_controller = {"service-account-controller", start_accounts, stop};
const struct controller_type root_ca_controller = {"root-ca-cert-publisher", start_configs, stop};
