#include <string.h>

#include "practice/schema/pod_internal.h"

const struct value *pod_volume(const struct pod_check *check, const char *name)
{
    for (size_t i = 0; i < check->volumes.length; i++)
        if (text_is(check->volumes.items[i], "name", name))
            return check->volumes.items[i];
    return NULL;
}

static void check_file_mode(struct problems *problems, const struct value *object, const struct place *up, const char *key, int64_t most,
                            const char *words)
{
    const struct place place = place_key(up, key);
    int64_t mode = int_of(object, key, 0);
    if (mode < 0 || mode > most)
        problem_number(problems, &place, mode, "%s", words);
}

void pod_check_mode(struct problems *problems, const struct value *object, const struct place *up, const char *key)
{
    check_file_mode(problems, object, up, key, 0777, "must be a number between 0 and 0777 (octal), both inclusive");
}

void check_path_backsteps(struct problems *problems, const char *path, const struct place *place)
{
    for (const char *part = path; part != NULL; part = strchr(part, '/') != NULL ? strchr(part, '/') + 1 : NULL) {
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) {
            problem_invalid(problems, place, path, "must not contain '..'");
            return;
        }
    }
}

void pod_check_local_path(struct problems *problems, const char *path, const struct place *place)
{
    if (path[0] == '/')
        problem_invalid(problems, place, path, "must be a relative path");
    check_path_backsteps(problems, path, place);
    if (starts_with(path, "..") && !starts_with(path, "../"))
        problem_invalid(problems, place, path, "must not start with '..'");
}

void pod_check_items(struct problems *problems, const struct value *source, const struct place *up)
{
    const struct place items = place_key(up, "items");
    size_t i = 0;
    EACH (item, value_get(source, "items")) {
        const struct place at = place_index(&items, i++), path = place_key(&at, "path");
        if (*text_of(item, "key") == '\0')
            problem_required(problems, &at, "key", NULL);
        if (*text_of(item, "path") == '\0')
            problem_required(problems, &at, "path", NULL);
        pod_check_local_path(problems, text_of(item, "path"), &path);
        pod_check_mode(problems, item, &at, "mode");
    }
}

void check_host_path(const struct value *source, const struct place *place, struct problems *problems)
{
    static const char *const kinds[] = {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket", NULL};
    const struct place path = place_key(place, "path");
    if (*text_of(source, "path") == '\0') {
        problem_required(problems, &path, NULL, NULL);
        return;
    }
    check_path_backsteps(problems, text_of(source, "path"), &path);
    check_choice(problems, source, place, "type", kinds, false);
}

static void check_host_path_of(struct pod_check *check, const struct value *source, const struct place *place)
{
    check_host_path(source, place, check->problems);
}

static void check_empty_dir(struct pod_check *check, const struct value *source, const struct place *place)
{
    const struct place limit = place_key(place, "sizeLimit");
    if (quantity_negative(text_of(source, "sizeLimit")))
        problem_forbidden(check->problems, &limit, NULL, "SizeLimit field must be a valid resource quantity");
    check_file_mode(check->problems, source, place, "mode", 01777, "must be a number between 0 and 01777 (octal), both inclusive");
}

static void check_secret(struct pod_check *check, const struct value *source, const struct place *place)
{
    if (*text_of(source, "secretName") == '\0')
        problem_required(check->problems, place, "secretName", NULL);
    pod_check_mode(check->problems, source, place, "defaultMode");
    pod_check_items(check->problems, source, place);
}

static void check_config_map(struct pod_check *check, const struct value *source, const struct place *place)
{
    if (*text_of(source, "name") == '\0')
        problem_required(check->problems, place, "name", NULL);
    pod_check_mode(check->problems, source, place, "defaultMode");
    pod_check_items(check->problems, source, place);
}

static void check_claim(struct pod_check *check, const struct value *source, const struct place *place)
{
    if (*text_of(source, "claimName") == '\0')
        problem_required(check->problems, place, "claimName", NULL);
}

static void check_nfs(struct pod_check *check, const struct value *source, const struct place *place)
{
    const struct place path = place_key(place, "path");
    if (*text_of(source, "server") == '\0')
        problem_required(check->problems, place, "server", NULL);
    if (*text_of(source, "path") == '\0')
        problem_required(check->problems, &path, NULL, NULL);
    if (text_of(source, "path")[0] != '/')
        problem_invalid(check->problems, &path, text_of(source, "path"), "must be an absolute path");
}

void pod_check_downward_file(struct problems *problems, const struct value *file, const struct place *place)
{
    const struct place path = place_key(place, "path"), field = place_key(place, "fieldRef"), resource = place_key(place, "resourceFieldRef");
    if (*text_of(file, "path") == '\0')
        problem_required(problems, &path, NULL, NULL);
    pod_check_local_path(problems, text_of(file, "path"), &path);
    if (has(file, "fieldRef")) {
        pod_check_field_ref(problems, value_get(file, "fieldRef"), &field, true);
        if (has(file, "resourceFieldRef"))
            problem_invalid(problems, place, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
    } else if (has(file, "resourceFieldRef")) {
        pod_check_resource_ref(problems, value_get(file, "resourceFieldRef"), &resource, true);
    } else {
        problem_required(problems, place, NULL, "one of fieldRef and resourceFieldRef is required");
    }
    pod_check_mode(problems, file, place, "mode");
}

static void check_downward(struct pod_check *check, const struct value *source, const struct place *place)
{
    pod_check_mode(check->problems, source, place, "defaultMode");
    EACH (file, value_get(source, "items"))
        pod_check_downward_file(check->problems, file, place);
}

static void check_driver(struct problems *problems, const struct value *source, const struct place *place)
{
    const char *driver = text_of(source, "driver");
    const struct place at = place_key(place, "driver");
    char lower[NAME_SUBDOMAIN + 2];
    size_t length = 0;
    if (*driver == '\0') {
        problem_required(problems, &at, NULL, NULL);
        return;
    }
    if (strlen(driver) > NAME_LABEL)
        problem_too_long(problems, &at, NAME_LABEL);
    for (; driver[length] != '\0' && length + 1 < sizeof lower; length++)
        lower[length] = driver[length] >= 'A' && driver[length] <= 'Z' ? (char)(driver[length] - 'A' + 'a') : driver[length];
    lower[length] = '\0';
    name_problems(problems, &at, driver, name_subdomain(lower));
}

static void check_csi(struct pod_check *check, const struct value *source, const struct place *place)
{
    check_driver(check->problems, source, place);
    const struct value *secret = value_get(source, "nodePublishSecretRef");
    const struct place at = place_key(place, "nodePublishSecretRef");
    if (secret != NULL && *text_of(secret, "name") == '\0')
        problem_required(check->problems, &at, "name", NULL);
    else if (secret != NULL)
        name_problems_of(check->problems, place, "name", text_of(secret, "name"), name_subdomain);
}

static void check_flex(struct pod_check *check, const struct value *source, const struct place *place)
{
    if (*text_of(source, "driver") == '\0')
        problem_required(check->problems, place, "driver", NULL);
}

static void check_ephemeral(struct pod_check *check, const struct value *source, const struct place *place)
{
    const struct value *template = value_get(source, "volumeClaimTemplate");
    const struct place at = place_key(place, "volumeClaimTemplate"), metadata = place_key(&at, "metadata"), spec = place_key(&at, "spec");
    static const char *const forbidden[] = {"name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp",
                                            "deletionTimestamp", "ownerReferences", "finalizers", "managedFields", NULL};
    if (template == NULL) {
        problem_required(check->problems, &at, NULL, NULL);
        return;
    }
    const struct value *meta = value_get(template, "metadata");
    const struct place annotations = place_key(&metadata, "annotations"), labels = place_key(&metadata, "labels");
    check_annotations(check->problems, value_get(meta, "annotations"), &annotations);
    check_labels(check->problems, value_get(meta, "labels"), &labels);
    for (size_t i = 0; forbidden[i] != NULL; i++)
        if (has(meta, forbidden[i]))
            problem_forbidden(check->problems, &metadata, forbidden[i], "cannot be set");
    claim_validate_spec(value_get(template, "spec"), &spec, check->problems);
}

static void check_image(struct pod_check *check, const struct value *source, const struct place *place)
{
    static const char *const policies[] = {"Always", "IfNotPresent", "Never", NULL};
    if (*text_of(source, "reference") == '\0')
        problem_required(check->problems, place, "reference", NULL);
    check_choice(check->problems, source, place, "pullPolicy", policies, true);
}

static void check_git_repo(struct pod_check *check, const struct value *source, const struct place *place)
{
    const struct place directory = place_key(place, "directory");
    if (*text_of(source, "repository") == '\0')
        problem_required(check->problems, place, "repository", NULL);
    if (text_of(source, "directory")[0] == '/')
        problem_invalid(check->problems, &directory, text_of(source, "directory"), "must be a relative path");
    check_path_backsteps(check->problems, text_of(source, "directory"), &directory);
}

/* In the order in which the server looks at them; those of clouds of the past only count. */
static const struct {
    const char *key;
    void (*check)(struct pod_check *check, const struct value *source, const struct place *place);
} sources[] = {
    {"emptyDir", check_empty_dir},
    {"hostPath", check_host_path_of},
    {"gitRepo", check_git_repo},
    {"gcePersistentDisk", NULL},
    {"awsElasticBlockStore", NULL},
    {"secret", check_secret},
    {"nfs", check_nfs},
    {"iscsi", NULL},
    {"glusterfs", NULL},
    {"flocker", NULL},
    {"persistentVolumeClaim", check_claim},
    {"rbd", NULL},
    {"cinder", NULL},
    {"cephfs", NULL},
    {"quobyte", NULL},
    {"downwardAPI", check_downward},
    {"fc", NULL},
    {"flexVolume", check_flex},
    {"configMap", check_config_map},
    {"azureFile", NULL},
    {"vsphereVolume", NULL},
    {"photonPersistentDisk", NULL},
    {"portworxVolume", NULL},
    {"azureDisk", NULL},
    {"storageos", NULL},
    {"projected", pod_check_projected},
    {"scaleIO", NULL},
    {"csi", check_csi},
    {"ephemeral", check_ephemeral},
    {"image", check_image},
};

static void check_source(struct pod_check *check, const struct value *volume, const struct place *place)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        const struct place at = place_key(place, sources[i].key);
        if (!has(volume, sources[i].key))
            continue;
        if (count++ > 0)
            problem_forbidden(check->problems, &at, NULL, "may not specify more than 1 volume type");
        else if (sources[i].check != NULL)
            sources[i].check(check, value_get(volume, sources[i].key), &at);
    }
    if (count == 0)
        problem_required(check->problems, place, NULL, "must specify a volume type");
}

/* A claim that an ephemeral volume of this pod will make. */
static bool is_made_here(const struct pod_check *check, const char *claim)
{
    const char *pod = text_of(check->metadata, "name");
    size_t length = strlen(pod);
    if (length == 0 || strncmp(claim, pod, length) != 0 || claim[length] != '-')
        return false;
    EACH (volume, value_get(check->spec, "volumes"))
        if (has(volume, "ephemeral") && text_is(volume, "name", claim + length + 1))
            return true;
    return false;
}

void pod_check_volumes(struct pod_check *check, const struct place *place)
{
    size_t i = 0;
    EACH (volume, value_get(check->spec, "volumes")) {
        const struct place at = place_index(place, i++), name = place_key(&at, "name"), claim_at = place_key(&at, "persistentVolumeClaim");
        const struct place claim_name = place_key(&claim_at, "claimName");
        size_t before = check->problems->list.length;
        check_source(check, volume, &at);
        check_name(check->problems, volume, &at, "name", name_label, true);
        if (pod_volume(check, text_of(volume, "name")) != NULL)
            problem_string(check->problems, &name, PROBLEM_DUPLICATE, text_of(volume, "name"));
        if (check->problems->list.length == before && !vec_push(&check->volumes, (void *)(uintptr_t)volume))
            check->problems->failed = true;
        const char *claim = value_find_text(volume, "persistentVolumeClaim", "claimName", NULL);
        if (claim != NULL && is_made_here(check, claim))
            problem_invalid(check->problems, &claim_name, claim, "must not reference a PVC that gets created for an ephemeral volume");
    }
}
