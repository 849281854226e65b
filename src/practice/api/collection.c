/* collection: deletecollection in parts (internal.h). */
#include "practice/api/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/api/selector.h"
#include "practice/api/verbs.h"

struct collection {
    struct api *api;
    struct call *call;
    struct vec objects; /* of struct object, references */
    size_t at;
    uint64_t version;
    struct status failure;
};

struct collection *collection_delete_start(struct api *api, struct call *call, struct answer *answer)
{
    struct error err = ERROR_INIT;
    bool more = false;
    struct selector *selector = selector_new(call->label_selector, call->field_selector, call->kind, &answer->failure);
    if (selector == NULL)
        return NULL;
    struct collection *collection = mem_zero(1, sizeof *collection);
    if (collection == NULL) {
        error_memory(&err);
        goto failed;
    }
    *collection = (struct collection){.api = api, .call = call, .version = state_version(api->state)};
    const char *only_ns = call->kind->namespaced && call->ns[0] != '\0' ? call->ns : NULL;
    const struct selector_range range = {.resource = registry_resource(api->registry, call->kind), .only_ns = only_ns};
    if (!selector_list(selector, api->state, &range, &collection->objects, &more, &err)) {
        mem_free(collection);
        goto failed;
    }
    selector_free(selector);
    registry_hold(api->registry, call->kind);
    return collection;
failed:
    selector_free(selector);
    status_error(&answer->failure, &err);
    return NULL;
}

/* The same object may have changed, or gone and come again (then it is another). */
static bool delete_one(struct collection *collection, const struct object *listed)
{
    struct api *api = collection->api;
    struct answer answer = {.as = collection->call->kind};
    const struct object *object = state_get(api->state, listed->resource, listed->ns, listed->name);
    if (object == NULL || strcmp(object->uid, listed->uid) != 0)
        return true;
    answer.warnings = vec_make(1, mem_free);
    bool done = api_delete(api, collection->call, object, &answer);
    if (!done) {
        collection->failure = answer.failure;
        answer.failure = (struct status){0};
    }
    answer_free(&answer);
    return done;
}

bool collection_delete_step(struct collection *collection, size_t maximum)
{
    for (size_t i = 0; i < maximum && collection->at < collection->objects.length && collection->failure.code == 0; i++)
        if (delete_one(collection, collection->objects.items[collection->at]))
            collection->at++;
    return collection->at < collection->objects.length && collection->failure.code == 0;
}

const struct status *collection_failure(const struct collection *collection)
{
    return &collection->failure;
}

const struct vec *collection_objects(const struct collection *collection)
{
    return &collection->objects;
}

uint64_t collection_version(const struct collection *collection)
{
    return collection->version;
}

void collection_free(struct collection *collection)
{
    if (collection == NULL)
        return;
    registry_release(collection->api->registry, collection->call->kind);
    vec_free(&collection->objects);
    status_free(&collection->failure);
    mem_free(collection);
}

/* The list that is the answer: items without kind and apiVersion. */
static struct value *list_of(const struct collection *collection)
{
    const struct schema_kind *kind = collection->call->kind;
    struct value *list = value_object(), *items = value_array();
    char version[24], name[512];
    snprintf(version, sizeof version, "%llu", (unsigned long long)collection->version);
    snprintf(name, sizeof name, "%s%s%s", kind->group, kind->group[0] != '\0' ? "/" : "", kind->version);
    bool whole = list != NULL && items != NULL && value_set(list, "kind", value_string(kind->list_kind)) &&
                 value_set(list, "apiVersion", value_string(name)) && metadata_set_text(list, "resourceVersion", version);
    for (size_t i = 0; whole && i < collection->objects.length; i++) {
        struct value *item = api_value(collection->api, collection->objects.items[i], kind);
        value_remove(item, "kind");
        value_remove(item, "apiVersion");
        whole = item != NULL && value_append(items, item);
    }
    if (whole) {
        whole = value_set(list, "items", items);
        items = NULL;
    }
    if (!whole) {
        value_free(items);
        value_free(list);
        return NULL;
    }
    return list;
}

/* All at once, for callers inside. */
void verb_delete_collection(struct api *api, struct call *call, struct answer *answer)
{
    struct collection *collection = collection_delete_start(api, call, answer);
    if (collection == NULL)
        return;
    while (collection_delete_step(collection, collection->objects.length)) {
    }
    answer->failure = collection->failure;
    collection->failure = (struct status){0};
    if (answer->failure.code == 0) {
        answer->code = 200;
        answer->value = list_of(collection);
        if (answer->value == NULL)
            status_error(&answer->failure, &(struct error){.kind = ERROR_MEMORY});
    }
    collection_free(collection);
}
