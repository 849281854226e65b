/* Small ones about storage and networks: DefaultStorageClass, StorageObjectInUseProtection, PersistentVolumeClaimResize,
 * DefaultIngressClass. */
#include <string.h>

#include "practice/api/admission_internal.h"
#include "practice/api/amount.h"

/* The name of the default class: of several the youngest, then the first by name. NULL: there is none; borrowed until the next
 * write. */
static const char *default_class(struct admission *admission, const char *group, const char *plural,
                                 const char *const *annotations, bool *ok)
{
    const struct object *found = NULL;
    *ok = true;
    for (const struct object *object = NULL; (object = lookup_next(admission->api, group, plural, NULL, object)) != NULL;) {
        if (strstr(object->text, "is-default-class\":\"true\"") == NULL)
            continue;
        struct value *class = lookup_value(object);
        if (class == NULL) {
            *ok = admission_no_memory(admission);
            return NULL;
        }
        bool is_default = false;
        for (const char *const *key = annotations; *key != NULL; key++)
            is_default = is_default ||
                         (admission_annotation(class, *key) != NULL && strcmp(admission_annotation(class, *key), "true") == 0);
        value_free(class);
        if (is_default && (found == NULL || object->time_ms > found->time_ms))
            found = object;
    }
    return found != NULL ? found->name : NULL;
}

bool admit_storage_class(struct admission *admission)
{
    static const char *const annotations[] = {"storageclass.kubernetes.io/is-default-class",
                                              "storageclass.beta.kubernetes.io/is-default-class", NULL};
    struct value *spec = value_child(admission->object, "spec");
    bool ok;
    if (spec == NULL)
        return admission_no_memory(admission);
    if (value_get(spec, "storageClassName") != NULL ||
        admission_annotation(admission->object, "volume.beta.kubernetes.io/storage-class") != NULL)
        return true;
    const char *name = default_class(admission, "storage.k8s.io", "storageclasses", annotations, &ok);
    return ok && (name == NULL || value_set(spec, "storageClassName", value_string(name)) || admission_no_memory(admission));
}

bool admit_ingress_class(struct admission *admission)
{
    static const char *const annotations[] = {"ingressclass.kubernetes.io/is-default-class", NULL};
    struct value *spec = value_child(admission->object, "spec");
    bool ok;
    if (spec == NULL)
        return admission_no_memory(admission);
    if (value_get(spec, "ingressClassName") != NULL ||
        admission_annotation(admission->object, "kubernetes.io/ingress.class") != NULL)
        return true;
    const char *name = default_class(admission, "networking.k8s.io", "ingressclasses", annotations, &ok);
    return ok && (name == NULL || value_set(spec, "ingressClassName", value_string(name)) || admission_no_memory(admission));
}

bool admit_protection(struct admission *admission)
{
    const char *finalizer = strcmp(admission->call->kind->kind, "PersistentVolume") == 0 ? "kubernetes.io/pv-protection"
                                                                                         : "kubernetes.io/pvc-protection";
    struct value *metadata = value_child(admission->object, "metadata"),
                 *list = metadata != NULL ? admission_array(metadata, "finalizers") : NULL;
    for (const struct value *item = value_first(list); item != NULL; item = value_next(item))
        if (value_text(item) != NULL && strcmp(value_text(item), finalizer) == 0)
            return true;
    return (list != NULL && value_append(list, value_string(finalizer))) || admission_no_memory(admission);
}

static const char *class_of(const struct value *claim)
{
    const char *annotation = admission_annotation(claim, "volume.beta.kubernetes.io/storage-class");
    return annotation != NULL ? annotation : admission_text(value_get(claim, "spec"), "storageClassName");
}

static bool may_grow(struct admission *admission)
{
    const char *name = class_of(admission->object);
    if (*name == '\0' || strcmp(name, class_of(admission->old)) != 0)
        return false;
    const struct object *class = lookup(admission->api, "storage.k8s.io", "storageclasses", "", name);
    struct value *document = class != NULL ? lookup_value(class) : NULL;
    bool may = value_is_true(value_get(document, "allowVolumeExpansion"));
    value_free(document);
    return may;
}

bool check_resize(struct admission *admission)
{
    const char *now = value_find_text(admission->object, "spec", "resources", "requests", "storage", NULL);
    const char *before = value_find_text(admission->old, "spec", "resources", "requests", "storage", NULL);
    struct amount wanted = {0}, had = {0};
    if (now == NULL || !amount_read(now, &wanted) || (before != NULL && !amount_read(before, &had)) ||
        amount_compare(wanted, had) <= 0)
        return true;
    if (strcmp(admission_text(value_get(admission->old, "status"), "phase"), "Bound") != 0)
        return admission_forbid(admission, "Only bound persistent volume claims can be expanded");
    return may_grow(admission) || admission_forbid(admission, "only dynamically provisioned pvc can be resized and the "
                                                              "storageclass that provisions the pvc must support resize");
}
