/* client_sweep.c: what collectors and the namespace controller need: all kinds, and an end to everything in a namespace. */
#include "practice/api/client_internal.h"

uint64_t client_kinds_generation(const struct client *client)
{
    return registry_generation(client->api->registry);
}

bool client_each_kind(const struct client *client, unsigned verbs, bool (*fn)(void *data, const struct schema_kind *kind), void *data)
{
    size_t count;
    bool seen[STATE_RESOURCES + 1] = {false};
    const struct schema_kind *const *kinds = registry_kinds(client->api->registry, &count);
    for (size_t i = 0; i < count; i++) {
        state_resource resource = registry_resource(client->api->registry, kinds[i]);
        if ((kinds[i]->verbs & verbs) != verbs || seen[resource])
            continue;
        seen[resource] = true;
        if (!fn(data, kinds[i]))
            return false;
    }
    return true;
}

/* True: it is gone or marked; what else happens to it is not this call's affair. */
static bool delete_one(struct client *client, const struct client_resource *resource, const struct object *object, struct error *err)
{
    struct error why = ERROR_INIT;
    if (client_delete(client, resource, object->ns, object->name, object->uid, PROPAGATION_BACKGROUND, &why) || why.kind == ERROR_NOT_FOUND)
        return true;
    if (err != NULL && err->kind == ERROR_NONE)
        *err = why;
    return false;
}

bool client_delete_some(struct client *client, const struct client_resource *resource, const char *ns, size_t *budget, bool (*stays)(void *data, const struct object *object), void *data,
                        struct error *err)
{
    const struct schema_kind *kind = client_kind(client, resource, err);
    if (kind == NULL)
        return false;
    state_resource number = registry_resource(client->api->registry, kind);
    const struct object *next = state_next(client->api->state, number, ns, ns, NULL);
    bool ok = true;
    while (next != NULL) {
        struct object *object = object_ref(next); /* held: it goes while we look for the next one */
        if ((object->flags & OBJECT_DELETING) == 0 && *budget > 0) {
            --*budget;
            ok = delete_one(client, resource, object, err) && ok;
        }
        const struct object *now = state_get(client->api->state, number, ns, object->name);
        if (now != NULL && !stays(data, now)) {
            object_unref(object);
            return error_memory(err);
        }
        next = state_next(client->api->state, number, ns, ns, object->name);
        object_unref(object);
    }
    return ok;
}
