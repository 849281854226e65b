#include "practice/work/pod_maker.h"

#include <string.h>

#include "base/mem.h"

enum { POD_NAME = 253 };

static const struct client_resource pods_resource = {"", "v1", "pods"};

static const char *of_owner(const struct maker *maker, const char *key)
{
    const char *text = value_find_text(maker->owner, "metadata", key, NULL);
    return text != NULL ? text : "";
}

struct value *maker_reference(const struct maker *maker)
{
    struct value *reference = value_object();
    if (reference != NULL && value_set(reference, "apiVersion", value_string(maker->api_version)) &&
        value_set(reference, "kind", value_string(maker->kind)) &&
        value_set(reference, "name", value_string(of_owner(maker, "name"))) &&
        value_set(reference, "uid", value_string(of_owner(maker, "uid"))) &&
        value_set(reference, "controller", value_bool(true)) && value_set(reference, "blockOwnerDeletion", value_bool(true)))
        return reference;
    value_free(reference);
    return NULL;
}

static bool copy_part(struct value *to, const struct value *from, const char *key)
{
    const struct value *part = value_get(from, key);
    return value_first(part) == NULL || value_set(to, key, value_copy(part));
}

/* The name that it is to have, or what the server makes one from: the owner's and a dash, if that fits. */
static bool set_name(const struct maker *maker, struct value *metadata, const char *name)
{
    if (name != NULL)
        return value_set(metadata, "name", value_string(name));
    const char *owner = of_owner(maker, "name");
    char *prefix = mem_printf("%s%s", owner, strlen(owner) < POD_NAME ? "-" : "");
    bool set = prefix != NULL && value_set(metadata, "generateName", value_string(prefix));
    mem_free(prefix);
    return set;
}

struct value *maker_pod(const struct maker *maker, const struct value *template, const char *name)
{
    const struct value *from = value_get(template, "metadata"), *spec = value_get(template, "spec");
    struct value *pod = value_object(), *metadata = pod != NULL ? value_child(pod, "metadata") : NULL, *owners = value_array();
    bool whole = metadata != NULL && owners != NULL && value_append(owners, maker_reference(maker));
    if (!whole)
        value_free(owners);
    whole = whole && value_set(metadata, "ownerReferences", owners) && set_name(maker, metadata, name) &&
            copy_part(metadata, from, "labels") && copy_part(metadata, from, "annotations") &&
            copy_part(metadata, from, "finalizers") && value_set(pod, "spec", spec != NULL ? value_copy(spec) : value_object());
    if (whole)
        return pod;
    value_free(pod);
    return NULL;
}

bool maker_namespace_ends(const struct error *err)
{
    return err->kind == ERROR_DENIED && strstr(err->message, "because it is being terminated") != NULL;
}

static void say(const struct maker *maker, bool warning, const char *reason, const char *what, const char *about)
{
    struct recorder_about owner = recorder_about(maker->owner, maker->api_version, maker->kind);
    recorder_say(maker->recorder, &owner, warning, reason, NULL, "%s: %s", what, about);
}

bool maker_create(const struct maker *maker, struct value *pod, struct error *err)
{
    struct error why = ERROR_INIT;
    struct value *made = client_create(maker->place->client, &pods_resource, of_owner(maker, "namespace"), pod, &why);
    if (made != NULL) {
        say(maker, false, "SuccessfulCreate", "Created pod", value_find_text(made, "metadata", "name", NULL));
        value_free(made);
        return true;
    }
    if (!maker_namespace_ends(&why))
        say(maker, true, "FailedCreate", "Error creating", client_words(maker->place->client, &why));
    if (err != NULL)
        *err = why;
    return false;
}

bool maker_delete(const struct maker *maker, const struct pod_view *pod, struct error *err)
{
    struct error why = ERROR_INIT;
    if (client_delete(maker->place->client, &pods_resource, pod->object->ns, pod->object->name, pod->object->uid,
                      PROPAGATION_DEFAULT, &why)) {
        say(maker, false, "SuccessfulDelete", "Deleted pod", pod->object->name);
        return true;
    }
    if (why.kind == ERROR_NOT_FOUND || why.kind == ERROR_CONFLICT) /* gone, or another of that name */
        return true;
    say(maker, true, "FailedDelete", "Error deleting", client_words(maker->place->client, &why));
    if (err != NULL)
        *err = why;
    return false;
}

/* ---- taking and letting go ---- */

/* {"metadata": {"uid", "ownerReferences": [reference], "finalizers" ...}}: fits this very object only. Takes reference over;
 * NULL: no memory. */
static struct value *owner_patch(const struct maker *maker, const struct object *object, struct value *reference,
                                 const char *finalizers)
{
    struct value *patch = value_object(), *metadata = patch != NULL ? value_child(patch, "metadata") : NULL,
                 *references = value_array(), *names = value_array();
    bool whole = references != NULL && value_append(references, reference);
    if (references == NULL)
        value_free(reference);
    whole = whole && names != NULL && (maker->finalizer == NULL || value_append(names, value_string(maker->finalizer)));
    if (!whole || metadata == NULL || !value_set(metadata, "uid", value_string(object->uid))) {
        value_free(references);
        value_free(names);
        value_free(patch);
        return NULL;
    }
    whole = value_set(metadata, "ownerReferences", references);
    if (maker->finalizer == NULL)
        value_free(names);
    else
        whole = value_set(metadata, finalizers, names) && whole;
    if (whole)
        return patch;
    value_free(patch);
    return NULL;
}

struct value *maker_adopt(const struct maker *maker, const struct client_resource *resource, const struct object *object,
                          struct error *err)
{
    struct value *patch = owner_patch(maker, object, maker_reference(maker), "finalizers");
    if (patch != NULL)
        return client_patch(maker->place->client, resource, "", object->ns, object->name, PATCH_STRATEGIC, patch, err);
    error_memory(err);
    return NULL;
}

bool maker_release(const struct maker *maker, const struct client_resource *resource, const struct object *object,
                   struct error *err)
{
    struct error why = ERROR_INIT;
    struct value *reference = value_object();
    if (reference == NULL || !value_set(reference, "$patch", value_string("delete")) ||
        !value_set(reference, "uid", value_string(of_owner(maker, "uid")))) {
        value_free(reference);
        return error_memory(err);
    }
    struct value *patch = owner_patch(maker, object, reference, "$deleteFromPrimitiveList/finalizers");
    if (patch == NULL)
        return error_memory(err);
    struct value *done =
        client_patch(maker->place->client, resource, "", object->ns, object->name, PATCH_STRATEGIC, patch, &why);
    value_free(done);
    if (done != NULL || why.kind == ERROR_NOT_FOUND || why.kind == ERROR_INVALID)
        return true;
    if (err != NULL)
        *err = why;
    return false;
}

static const struct schema_kind *kind_of_owner(const struct maker *maker)
{
    const char *slash = strchr(maker->api_version, '/');
    char *group = mem_string_n(maker->api_version, slash != NULL ? (size_t)(slash - maker->api_version) : 0);
    const struct schema_kind *kind = group != NULL
                                         ? registry_find_kind(maker->place->api->registry, group,
                                                              slash != NULL ? slash + 1 : maker->api_version, maker->kind)
                                         : NULL;
    mem_free(group);
    return kind;
}

bool maker_may_adopt(const struct maker *maker, struct error *err)
{
    const struct schema_kind *kind = kind_of_owner(maker);
    if (kind == NULL)
        return error_memory(err);
    const struct client_resource resource = {kind->group, kind->version, kind->plural};
    struct value *fresh =
        client_get(maker->place->client, &resource, of_owner(maker, "namespace"), of_owner(maker, "name"), err);
    if (fresh == NULL)
        return false;
    const char *uid = value_find_text(fresh, "metadata", "uid", NULL);
    bool stays = uid != NULL && strcmp(uid, of_owner(maker, "uid")) == 0 &&
                 value_find(fresh, "metadata", "deletionTimestamp", NULL) == NULL;
    value_free(fresh);
    return stays || error_set(err, ERROR_CONFLICT, NULL, "%s %s/%s is gone, or has just been deleted", maker->kind,
                              of_owner(maker, "namespace"), of_owner(maker, "name"));
}

static bool concerns(const struct maker *maker, const struct pod_view *pod)
{
    return !maker->active_only || pod_is_active(pod);
}

static bool release_others(const struct maker *maker, const struct label_selector *selector, struct error *err)
{
    bool ok = true;
    for (const struct pod_view *pod = NULL; (pod = pods_next_owned(maker->place->pods, of_owner(maker, "uid"), pod)) != NULL;)
        if (concerns(maker, pod) && !label_selector_matches(selector, pod->object))
            ok = maker_release(maker, &pods_resource, pod->object, err) && ok;
    return ok;
}

static bool adopt_orphans(const struct maker *maker, const struct label_selector *selector, struct error *err)
{
    bool ok = true, asked = false;
    for (const struct pod_view *pod = NULL; (pod = pods_next_owned(maker->place->pods, "", pod)) != NULL;) {
        struct error why = ERROR_INIT;
        if (pod->deleting || strcmp(pod->object->ns, of_owner(maker, "namespace")) != 0 || !concerns(maker, pod) ||
            !label_selector_matches(selector, pod->object))
            continue;
        if (!asked && !maker_may_adopt(maker, err))
            return false;
        asked = true;
        struct value *adopted = maker_adopt(maker, &pods_resource, pod->object, &why);
        value_free(adopted);
        if (adopted == NULL && why.kind != ERROR_NOT_FOUND) {
            ok = false;
            if (err != NULL)
                *err = why;
        }
    }
    return ok;
}

bool maker_claim(const struct maker *maker, const struct label_selector *selector, struct error *err)
{
    if (value_find(maker->owner, "metadata", "deletionTimestamp", NULL) != NULL)
        return true;
    bool released = release_others(maker, selector, err);
    return adopt_orphans(maker, selector, err) && released;
}
