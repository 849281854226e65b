/* client_sweep.c: what collectors and the namespace controller need: all kinds, and an end to everything in a namespace. */
#include "practice/api/client_internal.h"

uint64_t client_kinds_generation(const struct client *client)
{
    return registry_generation(client->api->registry);
}

bool client_each_kind(const struct client *client, unsigned verbs, bool (*fn)(void *data, const struct schema_kind *kind), void *data)
{
    size_t count;
    const struct registry *registry = client->api->registry;
    const struct schema_kind *const *kinds = registry_kinds(registry, &count);
    for (size_t i = 0; i < count; i++) {
        bool seen = (kinds[i]->verbs & verbs) != verbs;
        for (size_t j = 0; j < i && !seen; j++)
            seen = registry_resource(registry, kinds[j]) == registry_resource(registry, kinds[i]) && (kinds[j]->verbs & verbs) == verbs;
        if (!seen && !fn(data, kinds[i]))
            return false;
    }
    return true;
}

bool client_delete_some(struct client *client, const struct client_resource *resource, const char *ns, size_t maximum, size_t *left, struct error *err)
{
    const struct schema_kind *kind = client_kind(client, resource, err);
    *left = 0;
    if (kind == NULL)
        return false;
    state_resource number = registry_resource(client->api->registry, kind);
    struct object *object = NULL; /* held: it goes while we look for the next one */
    const struct object *next = state_next(client->api->state, number, ns, "", NULL);
    bool ok = true;
    while (next != NULL) {
        object = object_ref(next);
        struct error why = ERROR_INIT;
        if ((object->flags & OBJECT_DELETING) == 0 && maximum > 0) {
            maximum--;
            if (!client_delete(client, resource, ns, object->name, object->uid, PROPAGATION_BACKGROUND, &why) && why.kind != ERROR_NOT_FOUND && why.kind != ERROR_CONFLICT && ok) {
                ok = false;
                if (err != NULL)
                    *err = why;
            }
        }
        *left += state_get(client->api->state, number, ns, object->name) != NULL;
        next = state_next(client->api->state, number, ns, object->ns, object->name);
        object_unref(object);
    }
    return ok;
}
