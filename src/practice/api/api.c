#include "practice/api/api.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "data/json.h"
#include "practice/api/access.h"
#include "practice/api/verbs.h"
#include "practice/schema/convert.h"
#include "practice/schema/crd.h"
#include "practice/schema/names.h"

enum { DOCUMENT = STATE_OBJECT + 4096, API_WARNINGS = 200 };

int64_t api_now_ms(const struct api *api)
{
    return api->clock != NULL ? cluster_clock_ms(api->clock) : clock_wall_ms();
}

void answer_free(struct answer *answer)
{
    if (answer->object != NULL)
        object_unref(answer->object);
    value_free(answer->value);
    status_free(&answer->failure);
    vec_free(&answer->warnings);
    *answer = (struct answer){0};
}

void api_head(const struct schema_kind *as, struct buf *head)
{
    buf_clear(head);
    buf_printf(head, "{\"kind\":\"%s\",\"apiVersion\":\"%s%s%s\",", as->kind, as->group, as->group[0] != '\0' ? "/" : "", as->version);
}

bool api_shows(const struct schema_kind *as, const struct object *object)
{
    return as->crd != NULL ? crd_shows(as, object->version) : as->storage == as;
}

struct value *document_convert(struct value *document, const struct schema_kind *from, const struct schema_kind *to, struct status *failure)
{
    struct value *converted = document;
    if (from == to)
        return document;
    if (from->crd == NULL) {
        converted = schema_convert(to, from, document);
        value_free(document);
    }
    if (converted != NULL && document_set_kind(converted, to))
        return converted;
    value_free(converted);
    status_error(failure, &(struct error){.kind = ERROR_MEMORY});
    return NULL;
}

/* The stored text as a document; `as` is what it says of itself. NULL: no memory. */
static struct value *parse_stored(const struct object *object, const struct schema_kind *as)
{
    struct buf head = buf_make(1024), text = buf_make(DOCUMENT);
    struct value *document = NULL;
    api_head(as, &head);
    if (buf_ok(&head)) {
        object_print(object, head.bytes, &text);
        document = buf_ok(&text) ? json_parse(text.bytes, text.length, "object", NULL) : NULL;
    }
    buf_free(&head);
    buf_free(&text);
    return document;
}

struct value *api_value(const struct api *api, const struct object *object, const struct schema_kind *as)
{
    (void)api;
    struct status failure = {0};
    struct value *document = parse_stored(object, as->crd != NULL ? as : as->storage);
    if (document == NULL || api_shows(as, object))
        return document;
    if (as->crd == NULL) {
        document = document_convert(document, as->storage, as, &failure);
        status_free(&failure);
    } else if (!crd_read(as, document)) {
        value_free(document);
        document = NULL;
    }
    return document;
}

bool api_is_same(const struct api *api, const struct object *object, const struct schema_kind *as)
{
    if (api_shows(as, object))
        return true;
    struct value *stored = parse_stored(object, as), *shown = api_value(api, object, as);
    bool same = stored != NULL && shown != NULL && value_equal(stored, shown);
    value_free(stored);
    value_free(shown);
    return same;
}

static void run_get(struct api *api, struct call *call, struct answer *answer)
{
    const struct object *found =
        state_get(api->state, registry_resource(api->registry, call->kind), call->kind->namespaced ? call->ns : "", call->name);
    if (found == NULL) {
        status_not_found(&answer->failure, call->kind, call->name);
        return;
    }
    answer->code = 200;
    answer->object = object_ref(found);
}

/* Subresources whose POST is a thing of its own. */
struct creator {
    const char *plural, *sub;
    void (*run)(struct api *api, struct call *call, struct answer *answer);
};
static const struct creator creators[] = {
    {"pods", "binding", binding_create},
    {"pods", "eviction", eviction_create},
    {"bindings", NULL, binding_create},
};

static bool run_creator(struct api *api, struct call *call, struct answer *answer)
{
    for (size_t i = 0; call->verb == VERB_CREATE && call->kind->group[0] == '\0' && i < sizeof creators / sizeof *creators; i++) {
        const char *sub = call->sub != NULL ? call->sub->name : NULL;
        bool same = sub == NULL || creators[i].sub == NULL ? sub == creators[i].sub : strcmp(sub, creators[i].sub) == 0;
        if (same && strcmp(call->kind->plural, creators[i].plural) == 0) {
            creators[i].run(api, call, answer);
            return true;
        }
    }
    return false;
}

/* A name that no object can have, since it would not fit into a path. */
static bool is_name_fine(const struct call *call, struct status *failure)
{
    struct complaints found = call->name != NULL && call->verb != VERB_CREATE ? name_path_segment(call->name) : (struct complaints){0};
    return found.count == 0 || status_bad_request(failure, "Name parameter invalid: \"%s\": %s%s%s", call->name, found.text[0], found.count > 1 ? ";" : "",
                                                  found.count > 1 ? found.text[1] : "");
}

void api_run(struct api *api, struct call *call, struct answer *answer)
{
    *answer = (struct answer){.as = call->kind};
    answer->warnings = vec_make(API_WARNINGS, mem_free);
    if (!is_name_fine(call, &answer->failure))
        return;
    if (access_is_review(call)) {
        access_review(api->access, call, answer);
        return;
    }
    if (run_creator(api, call, answer))
        return;
    if (call->sub != NULL && strcmp(call->sub->name, "scale") == 0) {
        scale_run(api, call, answer);
        return;
    }
    switch (call->verb) {
    case VERB_GET: run_get(api, call, answer); return;
    case VERB_CREATE:
        if (call->sub == NULL)
            verb_create(api, call, answer);
        else
            status_method_not_allowed(&answer->failure, NULL, "create");
        return;
    case VERB_UPDATE: verb_update(api, call, answer); return;
    case VERB_PATCH: verb_patch(api, call, answer); return;
    case VERB_DELETE: verb_delete(api, call, answer); return;
    case VERB_DELETE_COLLECTION: verb_delete_collection(api, call, answer); return;
    default: status_method_not_allowed(&answer->failure, NULL, "list"); return; /* lists and watches are streams: the server's */
    }
}

void write_after(struct write *write)
{
    const struct schema_kind *kind = write->kind;
    if (write->api->access != NULL && strcmp(kind->plural, "clusterroles") == 0 && strcmp(kind->group, "rbac.authorization.k8s.io") == 0)
        access_aggregate(write->api->access, NULL);
}
