/* PersistentVolumes and their claims, StorageClasses, CSI drivers, nodes and capacities, VolumeAttachments, VolumeAttributesClasses. */
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/schema/rules_internal.h"

static const struct place spec_place = {.key = "spec"}, status_place = {.key = "status"}, metadata_place = {.key = "metadata"};

static const char *const access_modes[] = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod", NULL};
static const char *const volume_modes[] = {"Block", "Filesystem", NULL};

#define CLASS_ANNOTATION "volume.beta.kubernetes.io/storage-class"

bool claim_spec_defaults(struct value *spec)
{
    return default_text(spec, "volumeMode", "Filesystem");
}

static bool claim_defaults(struct value *object)
{
    struct value *spec = value_child(object, "spec"), *status = value_child(object, "status");
    return spec != NULL && status != NULL && claim_spec_defaults(spec) && default_text(status, "phase", "Pending");
}

static void check_access_modes(const struct value *spec, const struct place *place, struct problems *problems)
{
    const struct place at = place_key(place, "accessModes");
    bool pod = false, other = false;
    EACH (mode, value_get(spec, "accessModes")) {
        const char *text = value_text(mode);
        if (!one_of(text, access_modes))
            problem_unsupported(problems, &at, text, access_modes);
        if (strcmp(text, "ReadWriteOncePod") == 0)
            pod = true;
        else
            other = other || one_of(text, access_modes);
    }
    if (pod && other)
        problem_forbidden(problems, &at, NULL, "may not use ReadWriteOncePod with other access modes");
}

static void check_data_source(const struct value *source, const struct place *place, struct problems *problems)
{
    const char *group = text_of(source, "apiGroup"), *kind = text_of(source, "kind");
    if (source == NULL)
        return;
    if (*text_of(source, "name") == '\0')
        problem_required(problems, place, "name", NULL);
    if (*kind == '\0')
        problem_required(problems, place, "kind", NULL);
    if (*group == '\0' && strcmp(kind, "PersistentVolumeClaim") != 0)
        problem_invalid(problems, place, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
    check_name(problems, source, place, "apiGroup", name_subdomain, false);
    check_name(problems, source, place, "namespace", name_label, false);
}

void claim_validate_spec(const struct value *spec, const struct place *place, struct problems *problems)
{
    const struct value *storage = value_find(spec, "resources", "requests", "storage", NULL), *source = value_get(spec, "dataSource"),
                       *ref = value_get(spec, "dataSourceRef");
    const struct place resources = place_key(place, "resources"), storage_at = place_map(&resources, "storage"),
                       selector = place_key(place, "selector");
    const struct place source_at = place_key(place, "dataSource"), ref_at = place_key(place, "dataSourceRef");
    if (value_first(value_get(spec, "accessModes")) == NULL)
        problem_required(problems, place, "accessModes", "at least 1 access mode is required");
    check_selector(problems, value_get(spec, "selector"), &selector);
    check_access_modes(spec, place, problems);
    if (storage == NULL)
        problem_required(problems, &storage_at, NULL, NULL);
    else if (quantity_negative(value_text(storage)) || quantity_zero(value_text(storage)))
        problem_invalid(problems, &storage_at, value_text(storage), "must be greater than zero");
    else
        check_quantity(problems, "storage", storage, &storage_at);
    check_name(problems, spec, place, "storageClassName", name_subdomain, false);
    check_choice(problems, spec, place, "volumeMode", volume_modes, false);
    check_data_source(source, &source_at, problems);
    check_data_source(ref, &ref_at, problems);
    bool foreign = *text_of(ref, "namespace") != '\0';
    bool differ = source != NULL && ref != NULL && !(same_at(source, ref, "apiGroup") && same_at(source, ref, "kind") && same_at(source, ref, "name"));
    if (source != NULL && ref != NULL && (foreign || differ)) /* the value shown is a path, which JSON makes {} of */
        problem_text(problems, place, PROBLEM_INVALID, "{}",
                     foreign ? "may not be specified when dataSourceRef.namespace is specified" : "must match dataSourceRef");
    check_name(problems, spec, place, "volumeAttributesClassName", name_subdomain, false);
}

void claim_warn_spec(const struct value *spec, const struct place *place, struct vec *warnings)
{
    const struct place resources = place_key(place, "resources"), requests = place_key(&resources, "requests"),
                       limits = place_key(&resources, "limits");
    warn_fraction(warnings, value_find(spec, "resources", "requests", NULL), &requests, "storage");
    warn_fraction(warnings, value_find(spec, "resources", "limits", NULL), &limits, "storage");
}

/* dataSource and dataSourceRef say the same where one of them is missing. */
static bool claim_sources(struct value *object, bool known_before)
{
    struct value *spec = value_get(object, "spec");
    const struct value *source = value_get(spec, "dataSource"), *ref = value_get(spec, "dataSourceRef");
    static const char *const populators[] = {"PersistentVolumeClaim", "VolumeSnapshot", NULL};
    const char *group = text_of(source, "apiGroup");
    /* The older field knows two kinds; others are dropped without a word. */
    bool known = one_of(text_of(source, "kind"), populators) &&
                 (strcmp(text_of(source, "kind"), "VolumeSnapshot") == 0 ? strcmp(group, "snapshot.storage.k8s.io") == 0 : *group == '\0');
    if (source != NULL && ref == NULL && !known && !known_before) {
        value_remove(spec, "dataSource");
        return true;
    }
    if (source != NULL && ref == NULL)
        return put_copy(spec, "dataSourceRef", source);
    if (source != NULL || ref == NULL || *text_of(ref, "namespace") != '\0')
        return true;
    return put_copy(spec, "dataSource", ref);
}

static bool claim_create(struct value *object)
{
    struct value *status = value_child(object, "status");
    return status != NULL && put_text(status, "phase", "Pending") && claim_sources(object, false);
}

static bool claim_prepare_update(struct value *object, const struct value *old)
{
    const struct value *spec = value_get(old, "spec");
    bool known_before = has(spec, "dataSource") || has(spec, "dataSourceRef");
    return claim_sources(object, known_before);
}

static void validate_claim(const struct value *object, struct problems *problems)
{
    claim_validate_spec(value_get(object, "spec"), &spec_place, problems);
}

/* The new spec with what may change taken from the old one; false: no memory. */
static bool forgive_claim(struct value *spec, struct value *old, bool bound)
{
    struct value *requests = value_find(spec, "resources", "requests", NULL);
    bool ok = *text_of(old, "volumeName") != '\0' || put_copy(old, "volumeName", value_get(spec, "volumeName"));
    if (!has(old, "storageClassName") && has(spec, "storageClassName"))
        value_remove(spec, "storageClassName");
    if (bound && requests != NULL)
        ok = put_copy(requests, "storage", value_find(old, "resources", "requests", "storage", NULL));
    return ok && (!bound || put_copy(spec, "volumeAttributesClassName", value_get(old, "volumeAttributesClassName")));
}

static void check_claim_size(const struct value *object, const struct value *old, struct problems *problems)
{
    const char *now = value_find_text(object, "spec", "resources", "requests", "storage", NULL);
    const char *before = value_find_text(old, "spec", "resources", "requests", "storage", NULL);
    const char *real = value_find_text(old, "status", "capacity", "storage", NULL);
    const struct place resources = place_key(&spec_place, "resources"), requests = place_key(&resources, "requests"),
                       at = place_key(&requests, "storage");
    int order;
    if (quantity_compare(now != NULL ? now : "0", before != NULL ? before : "0", &order) && order < 0 &&
        quantity_compare(now != NULL ? now : "0", real != NULL ? real : "0", &order) && order <= 0)
        problem_forbidden(problems, &at, NULL, "field can not be less than status.capacity");
}

static void claim_update(const struct value *object, const struct value *old_object, struct problems *problems)
{
    const struct value *old = value_get(old_object, "spec"), *now = value_get(object, "spec");
    const struct place annotations = place_key(&metadata_place, "annotations"), class_at = place_key(&annotations, CLASS_ANNOTATION);
    const char *class_now = annotation_of(object, CLASS_ANNOTATION), *class_old = annotation_of(old_object, CLASS_ANNOTATION);
    bool bound = text_is(value_get(object, "status"), "phase", "Bound");
    struct value *spec = value_copy(now), *before = value_copy(old);
    if (strcmp(class_now != NULL ? class_now : "", class_old != NULL ? class_old : "") != 0)
        problem_invalid(problems, &class_at, class_now != NULL ? class_now : "", "field is immutable");
    if (spec == NULL || before == NULL || !forgive_claim(spec, before, bound))
        problems->failed = true;
    else if (!same(spec, before))
        problem_diff(problems, &spec_place, "PersistentVolumeClaimSpec", before, spec,
                     "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims");
    value_free(spec);
    value_free(before);
    check_claim_size(object, old_object, problems);
    check_immutable(problems, now, old, NULL, "volumeMode");
}

static void claim_status(const struct value *object, const struct value *old, struct problems *problems)
{
    const struct place capacity = place_key(&status_place, "capacity"), modes = place_key(NULL, "Spec");
    (void)old;
    if (value_first(value_find(object, "spec", "accessModes", NULL)) == NULL)
        problem_required(problems, &modes, "accessModes", NULL);
    EACH (amount, value_find(object, "status", "capacity", NULL)) {
        const struct place at = place_map(&capacity, value_key(amount));
        if (quantity_negative(value_text(amount)))
            problem_number(problems, &at, quantity_number(value_text(amount)), "must be a valid resource quantity");
    }
}

static void warn_claim(const struct value *object, const struct value *old, struct vec *warnings)
{
    const struct place annotations = place_key(&metadata_place, "annotations"), class_at = place_map(&annotations, CLASS_ANNOTATION);
    (void)old;
    if (annotation_of(object, CLASS_ANNOTATION) != NULL)
        warning_at(warnings, &class_at, "deprecated since v1.8; use \"storageClassName\" attribute instead");
    claim_warn_spec(value_get(object, "spec"), &spec_place, warnings);
}

/* PersistentVolume */
bool volume_spec_defaults(struct value *spec)
{
    struct value *path = value_get(spec, "hostPath");
    return default_text(spec, "persistentVolumeReclaimPolicy", "Retain") && default_text(spec, "volumeMode", "Filesystem") &&
           (path == NULL || has(path, "type") || put_text(path, "type", ""));
}

static bool volume_defaults(struct value *object)
{
    struct value *spec = value_child(object, "spec"), *status = value_child(object, "status");
    return spec != NULL && status != NULL && volume_spec_defaults(spec) && default_text(status, "phase", "Pending");
}

static bool volume_create(struct value *object)
{
    struct value *status = value_child(object, "status");
    return status != NULL && put_text(status, "phase", "Pending");
}

static void check_capacity(const struct value *spec, struct problems *problems)
{
    static const char *const storage[] = {"storage", NULL};
    const struct value *capacity = value_get(spec, "capacity");
    const struct place at = place_key(&spec_place, "capacity");
    if (value_first(capacity) == NULL)
        problem_required(problems, &at, NULL, NULL);
    if (!has(capacity, "storage") || value_length(capacity) > 1) {
        char *json = internal_json("ResourceList", capacity, false);
        if (json == NULL)
            problems->failed = true;
        else
            problem_unsupported_value(problems, &at, json, storage);
        mem_free(json);
    }
    EACH (amount, capacity) {
        const struct place amount_at = place_map(&at, value_key(amount));
        const char *text = value_text(amount);
        if (quantity_negative(text))
            problem_number(problems, &amount_at, quantity_number(text), "must be a valid resource quantity");
        if (quantity_negative(text) || quantity_zero(text))
            problem_invalid(problems, &amount_at, text, "must be greater than zero");
    }
}

static void check_secret_ref(const struct value *source, const struct place *place, const char *key, struct problems *problems)
{
    const struct place at = place_key(place, key);
    if (!has(source, key))
        return;
    check_name(problems, value_get(source, key), &at, "name", name_subdomain, true);
    check_name(problems, value_get(source, key), &at, "namespace", name_label, true);
}

static void check_csi_source(const struct value *source, const struct place *place, struct problems *problems)
{
    static const char *const secrets[] = {"controllerPublishSecretRef", "controllerExpandSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef",
                                          NULL};
    const struct place driver = place_key(place, "driver");
    const char *name = text_of(source, "driver");
    if (*name == '\0')
        problem_required(problems, &driver, NULL, NULL);
    else if (strlen(name) > NAME_LABEL)
        problem_too_long(problems, &driver, NAME_LABEL);
    if (*name != '\0')
        name_problems(problems, &driver, name, name_subdomain(name));
    if (*text_of(source, "volumeHandle") == '\0')
        problem_required(problems, place, "volumeHandle", NULL);
    for (size_t i = 0; secrets[i] != NULL; i++)
        check_secret_ref(source, place, secrets[i], problems);
}

static void check_nfs_source(const struct value *source, const struct place *place, struct problems *problems)
{
    const struct place path = place_key(place, "path");
    if (*text_of(source, "server") == '\0')
        problem_required(problems, place, "server", NULL);
    if (*text_of(source, "path") == '\0')
        problem_required(problems, &path, NULL, NULL);
    if (text_of(source, "path")[0] != '/')
        problem_invalid(problems, &path, text_of(source, "path"), "must be an absolute path");
}

static void check_local_source(const struct value *source, const struct place *place, struct problems *problems)
{
    const struct place path = place_key(place, "path");
    if (*text_of(source, "path") == '\0')
        problem_required(problems, &path, NULL, NULL);
    else
        check_path_backsteps(problems, text_of(source, "path"), &path);
}

static const char *const volume_sources[] = {
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
    NULL,
};

static void check_source(const struct value *spec, struct problems *problems)
{
    size_t count = 0;
    for (size_t i = 0; volume_sources[i] != NULL; i++) {
        const char *key = volume_sources[i];
        const struct value *source = value_get(spec, key);
        const struct place at = place_key(&spec_place, key);
        if (!has(spec, key))
            continue;
        if (count++ > 0)
            problem_forbidden(problems, &at, NULL, "may not specify more than 1 volume type");
        else if (strcmp(key, "hostPath") == 0)
            check_host_path(source, &at, problems);
        else if (strcmp(key, "nfs") == 0)
            check_nfs_source(source, &at, problems);
        else if (strcmp(key, "csi") == 0)
            check_csi_source(source, &at, problems);
        else if (strcmp(key, "local") == 0) {
            check_local_source(source, &at, problems);
            if (!has(spec, "nodeAffinity"))
                problem_required(problems, &spec_place, "nodeAffinity", "Local volume requires node affinity");
        }
    }
    if (count == 0)
        problem_required(problems, &spec_place, NULL, "must specify a volume type");
}

static void validate_volume(const struct value *object, struct problems *problems)
{
    static const char *const policies[] = {"Delete", "Recycle", "Retain", NULL};
    const struct value *spec = value_get(object, "spec"), *affinity = value_get(spec, "nodeAffinity");
    const struct place policy = place_key(&spec_place, "persistentVolumeReclaimPolicy"), affinity_at = place_key(&spec_place, "nodeAffinity");
    const struct place required = place_key(&affinity_at, "required"), class_at = place_key(&spec_place, "volumeAttributesClassName");
    if (value_first(value_get(spec, "accessModes")) == NULL)
        problem_required(problems, &spec_place, "accessModes", NULL);
    check_access_modes(spec, &spec_place, problems);
    check_capacity(spec, problems);
    check_choice(problems, spec, &spec_place, "persistentVolumeReclaimPolicy", policies, false);
    if (affinity != NULL && !has(affinity, "required"))
        problem_required(problems, &required, NULL, "must specify required node constraints");
    else if (affinity != NULL)
        check_node_selector(value_get(affinity, "required"), &required, problems);
    check_source(spec, problems);
    const char *path = value_find_text(spec, "hostPath", "path", NULL);
    if (path != NULL && path[0] == '/' && strspn(path, "/.") == strlen(path) && text_is(spec, "persistentVolumeReclaimPolicy", "Recycle"))
        problem_forbidden(problems, &policy, NULL, "may not be 'recycle' for a hostPath mount of '/'");
    check_name(problems, spec, &spec_place, "storageClassName", name_subdomain, false);
    check_choice(problems, spec, &spec_place, "volumeMode", volume_modes, false);
    if (!has(spec, "volumeAttributesClassName"))
        return;
    if (*text_of(spec, "volumeAttributesClassName") == '\0')
        problem_required(problems, &class_at, NULL, "an empty string is disallowed");
    else
        check_name(problems, spec, &spec_place, "volumeAttributesClassName", name_subdomain, false);
    if (!has(spec, "csi"))
        problem_required(problems, &spec_place, "csi", "has to be specified when using volumeAttributesClassName");
}

static void volume_update(const struct value *object, const struct value *old_object, struct problems *problems)
{
    const struct value *spec = value_get(object, "spec"), *old = value_get(old_object, "spec");
    const struct place source = place_key(&spec_place, "persistentvolumesource"), affinity = place_key(NULL, "nodeAffinity");
    bool changed = false;
    for (size_t i = 0; volume_sources[i] != NULL; i++)
        changed = changed || !same_at(spec, old, volume_sources[i]);
    if (changed)
        problem_diff(problems, &source, "PersistentVolumeSource", old, spec, "spec.persistentvolumesource is immutable after creation");
    check_immutable(problems, spec, old, NULL, "volumeMode");
    if (has(old, "nodeAffinity") && !same_at(spec, old, "nodeAffinity"))
        problem_internal(problems, &affinity, PROBLEM_INVALID, has(spec, "nodeAffinity") ? "VolumeNodeAffinity" : "[]nil",
                         value_get(spec, "nodeAffinity"), "field is immutable, except for updating from beta label to GA");
}

static void warn_volume(const struct value *object, const struct value *old, struct vec *warnings)
{
    static const char *const annotations[][2] = {
        {CLASS_ANNOTATION, "deprecated since v1.8; use \"storageClassName\" attribute instead"},
        {"volume.beta.kubernetes.io/mount-options", "deprecated since v1.31; use \"mountOptions\" attribute instead"}};
    static const char *const sources[][3] = {{"cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"},
                                             {"photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
                                             {"scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
                                             {"storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"},
                                             {"glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
                                             {"rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"}};
    const struct value *spec = value_get(object, "spec");
    const struct place all = place_key(&metadata_place, "annotations"), policy = place_key(&spec_place, "persistentVolumeReclaimPolicy");
    const struct place affinity = place_key(&spec_place, "nodeAffinity"), required = place_key(&affinity, "required"),
                       terms = place_key(&required, "nodeSelectorTerms");
    size_t t = 0;
    (void)old;
    for (size_t i = 0; i < 2; i++) {
        const struct place at = place_map(&all, annotations[i][0]);
        if (annotation_of(object, annotations[i][0]) != NULL)
            warning_at(warnings, &at, "%s", annotations[i][1]);
    }
    if (text_is(spec, "persistentVolumeReclaimPolicy", "Recycle"))
        warning_at(warnings, &policy, "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.");
    EACH (term, value_find(spec, "nodeAffinity", "required", "nodeSelectorTerms", NULL)) {
        const struct place at = place_index(&terms, t++);
        warn_node_selector_term(warnings, term, false, &at);
    }
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        const struct place at = place_key(&spec_place, sources[i][1]);
        if (has(spec, sources[i][0]))
            warning_at(warnings, &at, "%s", sources[i][2]);
    }
}

const struct rules storage_rules[] = {
    {.group = "",
     .kind = "PersistentVolumeClaim",
     .flags = RULES_STATUS,
     .defaults = claim_defaults,
     .prepare_create = claim_create,
     .prepare_update = claim_prepare_update,
     .validate = validate_claim,
     .validate_update = claim_update,
     .validate_status = claim_status,
     .warn = warn_claim},
    {.group = "",
     .kind = "PersistentVolume",
     .flags = RULES_STATUS,
     .defaults = volume_defaults,
     .prepare_create = volume_create,
     .validate = validate_volume,
     .validate_update = volume_update,
     .warn = warn_volume},
    {0},
};
