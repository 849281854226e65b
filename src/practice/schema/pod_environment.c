/* Environment and mounts of containers. */
#include <string.h>

#include "practice/schema/pod_internal.h"

static const char *const env_fields[] = {"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
                                         "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs", NULL};
static const char *const volume_fields[] = {"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid", NULL};
static const char *const known_fields[] = {
    "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.restartPolicy",
    "spec.serviceAccountName", "spec.schedulerName", "status.phase", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs", NULL,
};

/* Splits "metadata.labels['KEY']"; false: no such form, or too long. */
static bool split_subscript(const char *text, char path[static 64], char subscript[static 512])
{
    const char *open = strstr(text, "['");
    if (!ends_with(text, "']") || open == NULL || open == text || strlen(open) < 4 || open - text >= 64 || strlen(open) >= 512)
        return false;
    memcpy(path, text, (size_t)(open - text));
    path[open - text] = '\0';
    size_t length = strlen(open + 2) - 2;
    memcpy(subscript, open + 2, length);
    subscript[length] = '\0';
    return true;
}

static void check_subscript(struct problems *problems, const char *path, char *subscript, const struct place *place)
{
    if (strcmp(path, "metadata.annotations") == 0)
        for (char *c = subscript; *c != '\0'; c++)
            *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    name_problems(problems, place, subscript, name_qualified(subscript));
}

void pod_check_field_ref(struct problems *problems, const struct value *ref, const struct place *place, bool of_volume)
{
    char path[64], subscript[512];
    const char *version = text_of(ref, "apiVersion"), *field = text_of(ref, "fieldPath");
    const struct place at = place_key(place, "fieldPath");
    if (*version == '\0' || *field == '\0') {
        problem_required(problems, place, *version == '\0' ? "apiVersion" : "fieldPath", NULL);
        return;
    }
    bool subscripted = split_subscript(field, path, subscript);
    bool takes_subscript = subscripted && (strcmp(path, "metadata.annotations") == 0 || strcmp(path, "metadata.labels") == 0);
    const char *internal = strcmp(field, "spec.host") == 0 ? "spec.nodeName" : field;
    if (strcmp(version, "v1") != 0)
        problem_invalid(problems, &at, field, "error converting fieldPath: unsupported pod version: %s", version);
    else if (subscripted && !takes_subscript)
        problem_invalid(problems, &at, field, "error converting fieldPath: field label does not support subscript: %s", field);
    else if (subscripted)
        check_subscript(problems, path, subscript, place);
    else if (!one_of(internal, known_fields))
        problem_invalid(problems, &at, field, "error converting fieldPath: field label not supported: %s", field);
    else if (!one_of(internal, of_volume ? volume_fields : env_fields))
        problem_unsupported(problems, &at, internal, of_volume ? volume_fields : env_fields);
}

static void check_divisor(struct problems *problems, const char *resource, const char *divisor, const struct place *place)
{
    static const char *const sizes[] = {"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei", NULL};
    static const char *const cpu_sizes[] = {"1m", "1", NULL};
    const struct place at = place_key(place, "divisor");
    const char *what = NULL;
    if (*divisor == '\0' || quantity_zero(divisor))
        return;
    if (ends_with(resource, ".cpu")) {
        if (!one_of(divisor, cpu_sizes))
            problem_invalid(problems, &at, resource, "only divisor's values 1m and 1 are supported with the cpu resource");
        return;
    }
    if (ends_with(resource, ".memory"))
        what = "memory";
    else if (ends_with(resource, ".ephemeral-storage"))
        what = "local ephemeral storage";
    else if (starts_with(resource, "limits.hugepages-") || starts_with(resource, "requests.hugepages-"))
        what = "hugepages";
    if (what != NULL && !one_of(divisor, sizes))
        problem_invalid(problems, &at, resource,
                        "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the %s resource", what);
}

void pod_check_resource_ref(struct problems *problems, const struct value *ref, const struct place *place, bool of_volume)
{
    static const char *const resources[] = {"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage",
                                            "requests.memory", NULL};
    const char *resource = text_of(ref, "resource");
    const struct place at = place_key(place, "resource");
    if (of_volume && *text_of(ref, "containerName") == '\0')
        problem_required(problems, place, "containerName", NULL);
    else if (*resource == '\0')
        problem_required(problems, &at, NULL, NULL);
    else if (!one_of(resource, resources) && !starts_with(resource, "limits.hugepages-") && !starts_with(resource, "requests.hugepages-"))
        problem_unsupported(problems, &at, resource, resources);
    check_divisor(problems, resource, text_of(ref, "divisor"), place);
}

static void check_key_ref(struct problems *problems, const struct value *ref, const struct place *place)
{
    name_problems_of(problems, place, "name", text_of(ref, "name"), name_subdomain);
    check_name(problems, ref, place, "key", name_config_key, true);
}

static void check_file_ref(struct problems *problems, const struct value *ref, const struct place *place)
{
    check_name(problems, ref, place, "key", name_environment, true);
    check_name(problems, ref, place, "volumeName", name_label, true);
    const struct place path = place_key(place, "path");
    if (*text_of(ref, "path") == '\0')
        problem_required(problems, &path, NULL, NULL);
    else
        check_path_backsteps(problems, text_of(ref, "path"), &path);
}

static void check_value_from(struct problems *problems, const struct value *variable, const struct place *place)
{
    static const char *const kinds[] = {"fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef", NULL};
    const struct value *from = value_get(variable, "valueFrom");
    const struct place at = place_key(place, "valueFrom");
    size_t count = 0;
    if (from == NULL)
        return;
    for (size_t i = 0; kinds[i] != NULL; i++) {
        const struct value *ref = value_get(from, kinds[i]);
        const struct place ref_at = place_key(&at, kinds[i]);
        if (!has(from, kinds[i]))
            continue;
        count++;
        if (i == 0)
            pod_check_field_ref(problems, ref, &ref_at, false);
        else if (i == 1)
            pod_check_resource_ref(problems, ref, &ref_at, false);
        else
            (i == 4 ? check_file_ref : check_key_ref)(problems, ref, &ref_at);
    }
    if (count == 0)
        problem_invalid(problems, &at, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`");
    else if (*text_of(variable, "value") != '\0')
        problem_invalid(problems, &at, "", "may not be specified when `value` is not empty");
    else if (count > 1)
        problem_invalid(problems, &at, "", "may not have more than one field specified at a time");
}

static void check_env_from(struct problems *problems, const struct value *container, const struct place *place)
{
    const struct place all = place_key(place, "envFrom");
    size_t i = 0;
    EACH (source, value_get(container, "envFrom")) {
        const struct place at = place_index(&all, i++), config_map = place_key(&at, "configMapRef"), secret = place_key(&at, "secretRef");
        check_name(problems, source, &at, "prefix", name_environment, false);
        if (has(source, "configMapRef"))
            check_name(problems, value_get(source, "configMapRef"), &config_map, "name", name_subdomain, true);
        if (has(source, "secretRef"))
            check_name(problems, value_get(source, "secretRef"), &secret, "name", name_subdomain, true);
        if (!has(source, "configMapRef") && !has(source, "secretRef"))
            problem_invalid(problems, &all, "", "must specify one of: `configMapRef` or `secretRef`");
        else if (has(source, "configMapRef") && has(source, "secretRef"))
            problem_invalid(problems, &all, "", "may not have more than one field specified at a time");
    }
}

void pod_check_environment(const struct pod_check *check, const struct value *container, const struct place *place)
{
    const struct place all = place_key(place, "env");
    size_t i = 0;
    EACH (variable, value_get(container, "env")) {
        const struct place at = place_index(&all, i++);
        check_name(check->problems, variable, &at, "name", name_environment, true);
        check_value_from(check->problems, variable, &at);
    }
    check_env_from(check->problems, container, place);
}

static void check_relative(struct problems *problems, const char *path, const struct place *place)
{
    if (path[0] == '/')
        problem_invalid(problems, place, path, "must be a relative path");
    check_path_backsteps(problems, path, place);
}

static void check_propagation(struct problems *problems, const struct value *mount, const struct value *container, const struct place *mounts)
{
    static const char *const modes[] = {"Bidirectional", "HostToContainer", "None", NULL};
    const struct place at = place_key(mounts, "mountPropagation");
    const char *mode = text_of(mount, "mountPropagation");
    if (!has(mount, "mountPropagation"))
        return;
    if (!one_of(mode, modes))
        problem_unsupported(problems, &at, mode, modes);
    if (strcmp(mode, "Bidirectional") == 0 && !is_true(value_get(container, "securityContext"), "privileged"))
        problem_forbidden(problems, &at, NULL, "Bidirectional mount propagation is available only to privileged containers");
}

static void check_recursive(struct problems *problems, const struct value *mount, const struct place *mounts)
{
    static const char *const modes[] = {"Disabled", "Enabled", "IfPossible", NULL};
    const struct place at = place_key(mounts, "recursiveReadOnly");
    const char *mode = text_of(mount, "recursiveReadOnly");
    if (!has(mount, "recursiveReadOnly") || strcmp(mode, "Disabled") == 0)
        return;
    if (!one_of(mode, modes)) {
        problem_unsupported(problems, &at, mode, modes);
        return;
    }
    if (!is_true(mount, "readOnly"))
        problem_forbidden(problems, &at, NULL, "may only be specified when readOnly is true");
    if (has(mount, "mountPropagation") && !text_is(mount, "mountPropagation", "None"))
        problem_forbidden(problems, &at, NULL, "may only be specified when mountPropagation is None or not specified");
}

static bool has_entry(const struct value *list, const char *key, const char *text)
{
    EACH (item, list)
        if (text_is(item, key, text))
            return true;
    return false;
}

static void check_mount(const struct pod_check *check, const struct value *container, const struct value *mount, const struct place *mounts,
                        const struct place *at)
{
    const struct value *devices = value_get(container, "volumeDevices");
    const struct place name = place_key(at, "name"), path = place_key(at, "mountPath"), expression = place_key(at, "subPathExpr");
    const struct place sub = place_key(mounts, "subPath"), sub_expression = place_key(mounts, "subPathExpr");
    const char *name_text = text_of(mount, "name"), *path_text = text_of(mount, "mountPath");
    if (*name_text == '\0')
        problem_required(check->problems, &name, NULL, NULL);
    if (pod_volume(check, name_text) == NULL)
        problem_string(check->problems, &name, PROBLEM_NOT_FOUND, name_text);
    if (*path_text == '\0')
        problem_required(check->problems, &path, NULL, NULL);
    if (seen_before(value_get(container, "volumeMounts"), mount, "mountPath"))
        problem_invalid(check->problems, &path, path_text, "must be unique");
    if (has_entry(devices, "name", name_text))
        problem_invalid(check->problems, &name, name_text, "must not already exist in volumeDevices");
    if (has_entry(devices, "devicePath", path_text))
        problem_invalid(check->problems, &path, path_text, "must not already exist as a path in volumeDevices");
    if (*text_of(mount, "subPath") != '\0')
        check_relative(check->problems, text_of(mount, "subPath"), &sub);
    if (*text_of(mount, "subPathExpr") != '\0') {
        if (*text_of(mount, "subPath") != '\0')
            problem_invalid(check->problems, &expression, text_of(mount, "subPathExpr"), "subPathExpr and subPath are mutually exclusive");
        check_relative(check->problems, text_of(mount, "subPathExpr"), &sub_expression);
    }
    check_propagation(check->problems, mount, container, mounts);
    check_recursive(check->problems, mount, mounts);
}

static void check_device(const struct pod_check *check, const struct value *container, const struct value *device, const struct place *at)
{
    const struct value *mounts = value_get(container, "volumeMounts"), *devices = value_get(container, "volumeDevices");
    const struct place name = place_key(at, "name"), path = place_key(at, "devicePath");
    const char *name_text = text_of(device, "name"), *path_text = text_of(device, "devicePath");
    const struct value *volume = pod_volume(check, name_text);
    if (*name_text == '\0')
        problem_required(check->problems, &name, NULL, NULL);
    else if (seen_before(devices, device, "name"))
        problem_invalid(check->problems, &name, name_text, "must be unique");
    if (volume == NULL)
        problem_string(check->problems, &name, PROBLEM_NOT_FOUND, name_text);
    else if (!has(volume, "persistentVolumeClaim") && !has(volume, "ephemeral"))
        problem_invalid(check->problems, &name, name_text, "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
    if (*path_text == '\0')
        problem_required(check->problems, &path, NULL, NULL);
    if (seen_before(devices, device, "devicePath"))
        problem_invalid(check->problems, &path, path_text, "must be unique");
    if (strstr(path_text, "..") != NULL) {
        struct problems found = problems_make();
        check_path_backsteps(&found, path_text, &path);
        if (!problems_none(&found))
            problem_invalid(check->problems, &path, path_text, "can not contain backsteps ('..')");
        problems_free(&found);
    }
    if (has_entry(mounts, "name", name_text))
        problem_invalid(check->problems, &name, name_text, "must not already exist in volumeMounts");
    if (has_entry(mounts, "mountPath", path_text))
        problem_invalid(check->problems, &path, path_text, "must not already exist as a path in volumeMounts");
}

void pod_check_mounts(const struct pod_check *check, const struct value *container, const struct place *place)
{
    const struct place mounts = place_key(place, "volumeMounts"), devices = place_key(place, "volumeDevices");
    size_t i = 0;
    EACH (mount, value_get(container, "volumeMounts")) {
        const struct place at = place_index(&mounts, i++);
        check_mount(check, container, mount, &mounts, &at);
    }
    i = 0;
    EACH (device, value_get(container, "volumeDevices")) {
        const struct place at = place_index(&devices, i++);
        check_device(check, container, device, &at);
    }
}
