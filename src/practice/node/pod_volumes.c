#include "practice/node/pod_volumes.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum {
    FIRST_RETRY_MS = 500,       /* the kubelet's back-off of operations on volumes: doubling */
    LONGEST_RETRY_MS = 122000,
    CLAIM_RETRY_MS = 1000,
    CLAIM_SAY_MS = 123000,      /* how long the kubelet waits for volumes before it says so */
};

static const char account_volume[] = "kube-api-access-"; /* what admission gives to every Pod */

struct volume {
    char *name;
    struct runtime_volume *handle; /* NULL: not set up */
    bool ready, has_files;
    int64_t wait_ms, due_ms;       /* of the back-off */
    int64_t say_ms;                /* when a claim that cannot be had is said next */
};

struct pod_volumes {
    size_t count;
    bool may_change;
    struct volume items[];
};

struct runtime_volume *pod_volume_of(const struct pod_worker *worker, const char *name)
{
    for (size_t i = 0; worker->volumes != NULL && i < worker->volumes->count; i++)
        if (strcmp(worker->volumes->items[i].name, name) == 0)
            return worker->volumes->items[i].handle;
    return NULL;
}

void pod_volumes_free(struct pod_worker *worker)
{
    const struct runtime_ops *ops = worker->node->nodes->runtime.ops;
    for (size_t i = 0; worker->volumes != NULL && i < worker->volumes->count; i++) {
        mem_free(worker->volumes->items[i].name);
        if (worker->volumes->items[i].handle != NULL)
            ops->volume_release(worker->volumes->items[i].handle);
    }
    mem_free(worker->volumes);
    worker->volumes = NULL;
}

static const char *volume_name(const struct value *spec)
{
    const char *name = value_find_text(spec, "name", NULL);
    return name != NULL ? name : "";
}

bool pod_volumes_may_change(const struct pod_worker *worker)
{
    return worker->volumes != NULL && worker->volumes->may_change;
}

static bool make_list(struct pod_worker *worker, const struct value *specs)
{
    size_t count = value_length(specs), i = 0;
    struct pod_volumes *volumes = mem_zero(1, sizeof *volumes + count * sizeof volumes->items[0]);
    if (volumes == NULL)
        return false;
    worker->volumes = volumes;
    for (const struct value *spec = value_first(specs); spec != NULL; spec = value_next(spec)) {
        struct volume *volume = &volumes->items[i++];
        volume->name = mem_string(volume_name(spec));
        volumes->count = i;
        volume->has_files = volume_has_files(spec);
        if (volume->has_files && (value_get(spec, "projected") == NULL || strncmp(volume_name(spec), account_volume, sizeof account_volume - 1) != 0))
            volumes->may_change = true;
        volume->say_ms = pod_now(worker) + CLAIM_SAY_MS;
        if (volume->name == NULL) {
            pod_volumes_free(worker);
            return false;
        }
    }
    return true;
}

/* ---- kinds ---- */

static bool take(struct pod_worker *worker, struct volume *volume, enum runtime_volume_kind kind, const char *name, char why[static VOLUME_WHY])
{
    const struct runtime *runtime = &worker->node->nodes->runtime;
    struct error err = ERROR_INIT;
    if (volume->handle == NULL)
        volume->handle = runtime->ops->volume(runtime->self, worker->node->name, kind, name, &err);
    if (volume->handle == NULL)
        snprintf(why, VOLUME_WHY, "%s", err.message);
    return volume->handle != NULL;
}

static bool fill(struct pod_worker *worker, const struct value *document, struct volume *volume, const struct value *spec, char why[static VOLUME_WHY])
{
    const struct runtime_ops *ops = worker->node->nodes->runtime.ops;
    struct volume_files files;
    struct error err = ERROR_INIT;
    bool ok = volume_files_make(worker, document, spec, &files, why) && take(worker, volume, RUNTIME_VOLUME_EMPTY, "", why);
    if (ok && !ops->volume_fill(volume->handle, files.files, files.count, &err)) {
        snprintf(why, VOLUME_WHY, "%s", err.message);
        ok = false;
    }
    if (ok && files.expires_ms > 0) {
        if (worker->mount_due_ms == 0 || files.expires_ms < worker->mount_due_ms)
            worker->mount_due_ms = files.expires_ms;
        pod_wake_at(worker, files.expires_ms);
    }
    volume_files_free(&files);
    return ok;
}

static bool host_path(struct pod_worker *worker, struct volume *volume, const char *path, const char *type, char why[static VOLUME_WHY])
{
    static const struct {
        const char *type;
        char create, is;
        const char *shown;
    } types[] = {{"", 0, 0, ""},
                 {"DirectoryOrCreate", 'd', 'd', "directory"},
                 {"Directory", 0, 'd', "directory"},
                 {"FileOrCreate", 'f', 'f', "file"},
                 {"File", 0, 'f', "file"},
                 {"Socket", 0, 's', "socket file"},
                 {"CharDevice", 0, 'c', "character device"},
                 {"BlockDevice", 0, 'b', "block device"}};
    const struct runtime *runtime = &worker->node->nodes->runtime;
    size_t i = 0;
    while (i < sizeof types / sizeof *types && strcmp(types[i].type, type) != 0)
        i++;
    if (i == sizeof types / sizeof *types) {
        snprintf(why, VOLUME_WHY, "%s is an invalid volume type", type);
        return false;
    }
    char is = types[i].is != 0 ? runtime->ops->host_path(runtime->self, worker->node->name, path, types[i].create) : 0;
    if (is != types[i].is) {
        if (is == 0)
            snprintf(why, VOLUME_WHY, "hostPath type check failed, %s is not a %s, unable to determine its type: path \"%s\" does not exist", path, types[i].shown, path);
        else
            snprintf(why, VOLUME_WHY, "hostPath type check failed: %s is not a %s, it's a %s", path, types[i].shown, is == 'd' ? "Directory" : "File");
        return false;
    }
    return take(worker, volume, RUNTIME_VOLUME_HOST, path, why);
}

/* The document of a claim or volume; NULL: it is not there. */
static struct value *look_up(const struct informer *informer, const char *ns, const char *name)
{
    const struct object *object = informer_get(informer, ns, name);
    return object != NULL ? informer_value(informer, object) : NULL;
}

static bool bound_volume(struct pod_worker *worker, struct volume *volume, const struct value *stored, char why[static VOLUME_WHY])
{
    const char *path = value_find_text(stored, "spec", "hostPath", "path", NULL), *local = value_find_text(stored, "spec", "local", "path", NULL);
    const char *type = value_find_text(stored, "spec", "hostPath", "type", NULL), *name = value_find_text(stored, "metadata", "name", NULL);
    if (path != NULL)
        return host_path(worker, volume, path, type != NULL ? type : "", why);
    if (local == NULL)
        return take(worker, volume, RUNTIME_VOLUME_STORED, name, why);
    const struct runtime *runtime = &worker->node->nodes->runtime;
    if (runtime->ops->host_path(runtime->self, worker->node->name, local, 0) == 0) {
        snprintf(why, VOLUME_WHY, "path \"%s\" does not exist", local);
        return false;
    }
    return take(worker, volume, RUNTIME_VOLUME_HOST, local, why);
}

/* *claim_fault: it is the claim that is not right, not the mounting. */
static bool claimed(struct pod_worker *worker, struct volume *volume, const char *claim_name, bool *claim_fault, char why[static VOLUME_WHY])
{
    struct nodes *nodes = worker->node->nodes;
    struct value *claim = look_up(nodes->claims, worker->ns, claim_name), *stored = NULL;
    const char *phase = value_find_text(claim, "status", "phase", NULL), *name = value_find_text(claim, "spec", "volumeName", NULL);
    char fault[256] = "";
    *claim_fault = false;
    if (claim == NULL)
        snprintf(fault, sizeof fault, "failed to fetch PVC from API server: persistentvolumeclaims \"%.128s\" not found", claim_name);
    else if (value_find_text(claim, "metadata", "deletionTimestamp", NULL) != NULL && value_first(value_find(claim, "metadata", "finalizers", NULL)) == NULL)
        snprintf(fault, sizeof fault, "PVC is being deleted");
    else if (phase == NULL || strcmp(phase, "Bound") != 0)
        snprintf(fault, sizeof fault, "PVC is not bound");
    else if (name == NULL || name[0] == '\0')
        snprintf(fault, sizeof fault, "PVC has empty pvc.Spec.VolumeName");
    else if ((stored = look_up(nodes->volumes, "", name)) == NULL)
        snprintf(fault, sizeof fault, "failed to fetch PV %.64s from API server: persistentvolumes \"%.64s\" not found", name, name);
    bool ok = false;
    if (fault[0] != '\0') {
        *claim_fault = true;
        snprintf(why, VOLUME_WHY, "error processing PVC %s/%s: %s", worker->ns, claim_name, fault);
    } else {
        ok = bound_volume(worker, volume, stored, why);
    }
    value_free(claim);
    value_free(stored);
    return ok;
}

static bool set_up(struct pod_worker *worker, const struct value *document, struct volume *volume, const struct value *spec, bool *claim_fault, char why[static VOLUME_WHY])
{
    const struct value *host = value_get(spec, "hostPath");
    const char *claim = value_find_text(spec, "persistentVolumeClaim", "claimName", NULL), *type = value_find_text(host, "type", NULL), *path = value_find_text(host, "path", NULL);
    *claim_fault = false;
    if (volume->has_files)
        return fill(worker, document, volume, spec, why);
    if (value_get(spec, "emptyDir") != NULL)
        return take(worker, volume, RUNTIME_VOLUME_EMPTY, "", why);
    if (host != NULL)
        return host_path(worker, volume, path != NULL ? path : "", type != NULL ? type : "", why);
    if (claim != NULL)
        return claimed(worker, volume, claim, claim_fault, why);
    if (value_get(spec, "ephemeral") != NULL) {
        char *name = mem_printf("%s-%s", worker->name, volume->name);
        bool ok = name != NULL && claimed(worker, volume, name, claim_fault, why);
        mem_free(name);
        return ok;
    }
    const struct value *source = value_next(value_first(spec)); /* its name and its source, in either order */
    if (source == NULL || value_text(source) != NULL)
        source = value_first(spec);
    snprintf(why, VOLUME_WHY, "mount failed: the practice cluster has no volumes of kind %s", source != NULL ? value_key(source) : "");
    return false;
}

/* ---- */

static void failed(struct pod_worker *worker, struct volume *volume, bool claim_fault, const char *why, int64_t now)
{
    if (claim_fault) {
        volume->due_ms = now + CLAIM_RETRY_MS;
        if (now >= volume->say_ms) {
            pod_say(worker, NULL, true, "FailedMount", "Unable to attach or mount volumes: unmounted volumes=[%s], unattached volumes=[], failed to process volumes=[%s]: %s", volume->name, volume->name, why);
            volume->say_ms = now + CLAIM_SAY_MS;
        }
        return;
    }
    volume->wait_ms = volume->wait_ms == 0 ? FIRST_RETRY_MS : volume->wait_ms * 2;
    if (volume->wait_ms > LONGEST_RETRY_MS)
        volume->wait_ms = LONGEST_RETRY_MS;
    volume->due_ms = now + volume->wait_ms;
    pod_say(worker, NULL, true, "FailedMount", "MountVolume.SetUp failed for volume \"%s\" : %s", volume->name, why);
}

bool pod_volumes_mount(struct pod_worker *worker, const struct value *document, int64_t *retry_ms)
{
    const struct value *specs = value_find(document, "spec", "volumes", NULL);
    int64_t now = pod_now(worker);
    bool all = true;
    *retry_ms = 0;
    if (worker->volumes == NULL && !make_list(worker, specs))
        return false;
    const struct value *spec = value_first(specs);
    for (size_t i = 0; i < worker->volumes->count; i++, spec = value_next(spec)) {
        struct volume *volume = &worker->volumes->items[i];
        char why[VOLUME_WHY];
        bool claim_fault = false;
        if (!volume->ready && volume->due_ms <= now) {
            volume->ready = set_up(worker, document, volume, spec, &claim_fault, why);
            if (!volume->ready)
                failed(worker, volume, claim_fault, why, now);
        }
        all = all && volume->ready;
        if (!volume->ready && (*retry_ms == 0 || volume->due_ms < *retry_ms))
            *retry_ms = volume->due_ms;
    }
    return all;
}

void pod_volumes_refresh(struct pod_worker *worker, const struct value *document)
{
    const struct value *spec = value_first(value_find(document, "spec", "volumes", NULL));
    for (size_t i = 0; worker->volumes != NULL && i < worker->volumes->count; i++, spec = value_next(spec)) {
        struct volume *volume = &worker->volumes->items[i];
        char why[VOLUME_WHY];
        if (volume->ready && volume->has_files && !fill(worker, document, volume, spec, why))
            pod_say(worker, NULL, true, "FailedMount", "MountVolume.SetUp failed for volume \"%s\" : %s", volume->name, why);
    }
}

bool pod_volumes_show(const struct value *document, bool secret, const char *name)
{
    for (const struct value *spec = value_first(value_find(document, "spec", "volumes", NULL)); spec != NULL; spec = value_next(spec))
        if (volume_shows(spec, secret, name))
            return true;
    return false;
}
