#include "practice/api/lookup.h"

#include "base/mem.h"
#include "data/json.h"
#include "data/units.h"

const struct schema_kind *lookup_kind(const struct api *api, const char *group, const char *plural)
{
    return registry_find(api->registry, group, "v1", plural);
}

static state_resource resource_of(const struct api *api, const char *group, const char *plural)
{
    const struct schema_kind *kind = lookup_kind(api, group, plural);
    return kind != NULL ? registry_resource(api->registry, kind) : 0;
}

const struct object *lookup(const struct api *api, const char *group, const char *plural, const char *ns, const char *name)
{
    state_resource resource = resource_of(api, group, plural);
    return resource != 0 ? state_get(api->state, resource, ns, name) : NULL;
}

const struct object *lookup_next(const struct api *api, const char *group, const char *plural, const char *only_ns,
                                 const struct object *after)
{
    state_resource resource = resource_of(api, group, plural);
    return resource != 0
               ? state_next(api->state, resource, only_ns, after != NULL ? after->ns : NULL, after != NULL ? after->name : NULL)
               : NULL;
}

struct value *lookup_value(const struct object *object)
{
    struct buf text = buf_make(object->length + 64);
    object_print(object, "{", &text);
    struct value *value = buf_ok(&text) ? json_parse(text.bytes, text.length, "a stored object", NULL) : NULL;
    buf_free(&text);
    return value;
}

bool lookup_is_gone(const struct api *api, const struct object *object, int64_t leeway_ms)
{
    if ((object->flags & OBJECT_DELETING) == 0)
        return false;
    struct value *value = lookup_value(object);
    const char *when = value_find_text(value, "metadata", "deletionTimestamp", NULL);
    int64_t ms;
    bool gone = value == NULL || (when != NULL && time_parse(when, &ms) && ms + leeway_ms < api_now_ms(api));
    value_free(value);
    return gone;
}
