#include "practice/controllers/controllers.h"

#include <string.h>

#include "base/mem.h"
#include "practice/controllers/internal.h"

static const struct controller_type *const types[] = {
    &accounts_controller, &root_ca_controller, &namespace_controller, &garbage_controller, &quota_controller, &aggregation_controller,
};
enum { CONTROLLERS = sizeof types / sizeof *types, KEY_LOST_MS = 100 };

struct controllers {
    struct client *reader;
    struct client *clients[CONTROLLERS];
    void *running[CONTROLLERS];
};

struct controllers *controllers_new(struct api *api, struct error *err)
{
    struct controllers *controllers = mem_zero(1, sizeof *controllers);
    bool ok = controllers != NULL || error_memory(err);
    ok = ok && (controllers->reader = client_new(api, "system:kube-controller-manager", "kube-controller-manager", err)) != NULL;
    for (size_t i = 0; i < CONTROLLERS && ok; i++) {
        char *user = mem_printf("system:serviceaccount:kube-system:%s", types[i]->name);
        controllers->clients[i] = user != NULL ? client_new(api, user, "kube-controller-manager", err) : NULL;
        ok = user != NULL || error_memory(err);
        ok = ok && controllers->clients[i] != NULL;
        const struct place_of_work place = {.api = api, .client = controllers->clients[i], .reader = controllers->reader};
        ok = ok && (controllers->running[i] = types[i]->start(&place, err)) != NULL;
        mem_free(user);
    }
    if (ok)
        return controllers;
    controllers_free(controllers);
    return NULL;
}

void controllers_free(struct controllers *controllers)
{
    if (controllers == NULL)
        return;
    for (size_t i = CONTROLLERS; i-- > 0;) {
        if (controllers->running[i] != NULL)
            types[i]->stop(controllers->running[i]);
        client_free(controllers->clients[i]);
    }
    client_free(controllers->reader);
    mem_free(controllers);
}

void key_add(struct workqueue *queue, const struct object *object)
{
    char *key = object->ns[0] != '\0' ? mem_printf("%s/%s", object->ns, object->name) : mem_string(object->name);
    if (key != NULL)
        workqueue_add(queue, key);
    else
        workqueue_add_after(queue, WORKQUEUE_ALL, KEY_LOST_MS);
    mem_free(key);
}

void queue_all(struct workqueue *queue, const struct informer *informer)
{
    for (const struct object *object = NULL; (object = informer_next(informer, NULL, object)) != NULL;)
        key_add(queue, object);
}

bool key_parse(const char *text, struct key *key)
{
    const char *slash = strchr(text, '/');
    key->ns = mem_string_n(text, slash != NULL ? (size_t)(slash - text) : 0);
    key->name = mem_string(slash != NULL ? slash + 1 : text);
    if (key->ns != NULL && key->name != NULL)
        return true;
    key_free(key);
    return false;
}

void key_free(struct key *key)
{
    mem_free(key->ns);
    mem_free(key->name);
    *key = (struct key){0};
}
