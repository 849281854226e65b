/* What is in volumes that the API fills: keys of ConfigMaps and Secrets, the Pod's own fields, tokens. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/units.h"
#include "practice/node/pod_fields.h"
#include "practice/node/pod_volumes.h"

enum { DEFAULT_MODE = 0644, TOKEN_SECONDS = 3600, TOKEN_PROJECTED_SECONDS = 3607 /* gets a year: no need to renew */ };

static const struct client_resource accounts = {"", "v1", "serviceaccounts"};

static const struct {
    const char *key, *name_key, *projected_name_key, *kind;
    bool secret;
} sources[] = {{"configMap", "name", "name", "configmap", false}, {"secret", "secretName", "name", "secret", true}};
enum { SOURCES = sizeof sources / sizeof *sources };

void volume_files_free(struct volume_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        mem_free((char *)(uintptr_t)files->files[i].path);
        mem_free((void *)(uintptr_t)files->files[i].bytes);
    }
    mem_free(files->files);
    *files = (struct volume_files){0};
}

static bool out_of_memory(char why[static VOLUME_WHY])
{
    snprintf(why, VOLUME_WHY, "out of memory");
    return false;
}

/* Takes bytes over; a later file of the same path replaces one before it. */
static bool add(struct volume_files *files, const char *path, char *bytes, size_t length, unsigned mode)
{
    if (bytes == NULL)
        return false;
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->files[i].path, path) == 0) {
            mem_free((void *)(uintptr_t)files->files[i].bytes);
            files->files[i].bytes = bytes;
            files->files[i].length = length;
            files->files[i].mode = mode;
            return true;
        }
    char *copy = mem_string(path);
    struct runtime_file *more = files->files;
    if (files->count == files->room) {
        size_t room = files->room == 0 ? 4 : files->room * 2;
        more = copy != NULL && room <= VOLUME_FILES ? mem_resize(files->files, room * sizeof *more) : NULL;
        if (more != NULL) {
            files->files = more;
            files->room = room;
        }
    }
    if (copy == NULL || more == NULL) {
        mem_free(copy);
        mem_free(bytes);
        return false;
    }
    files->files[files->count++] = (struct runtime_file){.path = copy, .bytes = bytes, .length = length, .mode = mode};
    return true;
}

static unsigned mode_of(const struct value *item, unsigned otherwise)
{
    return (unsigned)value_find_int(item, (int64_t)otherwise, "mode", NULL);
}

/* ---- ConfigMaps and Secrets ---- */

/* One key's bytes. NULL: there is no such key (*missing), or no memory. */
static char *key_bytes(const struct value *document, bool secret, const char *key, size_t *length, bool *missing)
{
    const char *plain = value_find_text(document, "data", key, NULL), *binary = secret ? NULL : value_find_text(document, "binaryData", key, NULL);
    const char *coded = secret ? plain : binary;
    *missing = plain == NULL && coded == NULL;
    if (coded != NULL)
        return base64_decode(coded, strlen(coded), length);
    if (plain == NULL)
        return NULL;
    *length = strlen(plain);
    return mem_string(plain);
}

static bool add_key(struct volume_files *files, const struct value *document, size_t i, const char *key, const char *path, unsigned mode, bool optional, char why[static VOLUME_WHY])
{
    size_t length;
    bool missing;
    char *bytes = key_bytes(document, sources[i].secret, key, &length, &missing);
    if (missing) {
        snprintf(why, VOLUME_WHY, sources[i].secret ? "references non-existent secret key: %s" : "configmap references non-existent config key: %s", key);
        return optional;
    }
    return add(files, path, bytes, length, mode) || out_of_memory(why);
}

static bool add_all_keys(struct volume_files *files, const struct value *document, size_t i, unsigned mode, char why[static VOLUME_WHY])
{
    static const char *const maps[] = {"data", "binaryData"};
    for (size_t map = 0; map < 2; map++)
        for (const struct value *entry = value_first(value_get(document, maps[map])); entry != NULL; entry = value_next(entry))
            if (!add_key(files, document, i, value_key(entry), value_key(entry), mode, false, why))
                return false;
    return true;
}

static bool add_source(const struct pod_worker *worker, struct volume_files *files, const struct value *source, size_t i, const char *name_key, unsigned mode, char why[static VOLUME_WHY])
{
    const struct informer *informer = sources[i].secret ? worker->node->nodes->secrets : worker->node->nodes->configmaps;
    const char *name = value_find_text(source, name_key, NULL);
    const struct object *object = informer_get(informer, worker->ns, name != NULL ? name : "");
    bool optional = value_is_true(value_get(source, "optional"));
    if (object == NULL) {
        snprintf(why, VOLUME_WHY, "%s \"%s\" not found", sources[i].kind, name != NULL ? name : "");
        return optional;
    }
    struct value *document = informer_value(informer, object);
    const struct value *items = value_get(source, "items");
    bool ok = document != NULL || out_of_memory(why);
    if (value_first(items) == NULL)
        ok = ok && add_all_keys(files, document, i, mode, why);
    for (const struct value *item = value_first(items); item != NULL && ok; item = value_next(item)) {
        const char *key = value_find_text(item, "key", NULL), *path = value_find_text(item, "path", NULL);
        ok = add_key(files, document, i, key != NULL ? key : "", path != NULL ? path : "", mode_of(item, mode), optional, why);
    }
    value_free(document);
    return ok;
}

/* ---- the Pod's own fields, and tokens ---- */

static const struct value *container_named(const struct value *document, const char *name)
{
    static const char *const lists[] = {"containers", "initContainers"};
    for (size_t i = 0; i < 2; i++)
        for (const struct value *item = value_first(value_find(document, "spec", lists[i], NULL)); item != NULL; item = value_next(item)) {
            const char *found = value_find_text(item, "name", NULL);
            if (found != NULL && name != NULL && strcmp(found, name) == 0)
                return item;
        }
    return NULL;
}

static bool add_fields(const struct pod_worker *worker, const struct value *document, struct volume_files *files, const struct value *source, unsigned mode, char why[static VOLUME_WHY])
{
    for (const struct value *item = value_first(value_get(source, "items")); item != NULL; item = value_next(item)) {
        const char *path = value_find_text(item, "path", NULL), *field = value_find_text(item, "fieldRef", "fieldPath", NULL);
        const struct value *resource = value_get(item, "resourceFieldRef");
        char *text = field != NULL ? pod_field(worker, document, field)
                                   : pod_resource(worker, container_named(document, value_find_text(resource, "containerName", NULL)), resource);
        if (!add(files, path != NULL ? path : "", text, text != NULL ? strlen(text) : 0, mode_of(item, mode)))
            return out_of_memory(why);
    }
    return true;
}

static struct value *token_request(const struct pod_worker *worker, const struct value *source)
{
    const char *audience = value_find_text(source, "audience", NULL);
    struct value *request = value_object(), *spec = request != NULL ? value_child(request, "spec") : NULL, *bound = spec != NULL ? value_child(spec, "boundObjectRef") : NULL;
    bool ok = bound != NULL && value_set(bound, "kind", value_string("Pod")) && value_set(bound, "apiVersion", value_string("v1")) && value_set(bound, "name", value_string(worker->name)) &&
              value_set(bound, "uid", value_string(worker->uid)) && value_set(spec, "expirationSeconds", value_int(value_find_int(source, TOKEN_SECONDS, "expirationSeconds", NULL)));
    if (ok && audience != NULL && audience[0] != '\0') {
        struct value *audiences = value_array();
        ok = audiences != NULL && value_append(audiences, value_string(audience));
        ok = value_set(spec, "audiences", audiences) && ok;
    }
    if (ok)
        return request;
    value_free(request);
    return NULL;
}

static bool add_token(const struct pod_worker *worker, const struct value *document, struct volume_files *files, const struct value *source, unsigned mode, char why[static VOLUME_WHY])
{
    const char *account = value_find_text(document, "spec", "serviceAccountName", NULL), *path = value_find_text(source, "path", NULL);
    int64_t seconds = value_find_int(source, TOKEN_SECONDS, "expirationSeconds", NULL);
    struct error err = ERROR_INIT;
    struct value *request = token_request(worker, source);
    struct value *answer = request != NULL ? client_create_sub(worker->node->client, &accounts, "token", worker->ns, account != NULL && account[0] != '\0' ? account : "default", request, &err) : NULL;
    const char *token = value_find_text(answer, "status", "token", NULL);
    bool ok = token != NULL && add(files, path != NULL ? path : "", mem_string(token), strlen(token), mode);
    if (!ok)
        snprintf(why, VOLUME_WHY, "failed to fetch token: %.400s", err.kind != ERROR_NONE ? err.message : "out of memory");
    int64_t renew_ms = pod_now(worker) + seconds * 800;
    if (seconds != TOKEN_PROJECTED_SECONDS && (files->expires_ms == 0 || renew_ms < files->expires_ms))
        files->expires_ms = renew_ms;
    value_free(answer);
    return ok;
}

/* ---- */

static bool add_projected(const struct pod_worker *worker, const struct value *document, struct volume_files *files, const struct value *projected, unsigned mode, char why[static VOLUME_WHY])
{
    for (const struct value *part = value_first(value_get(projected, "sources")); part != NULL; part = value_next(part)) {
        const struct value *fields = value_get(part, "downwardAPI"), *token = value_get(part, "serviceAccountToken");
        bool ok = true;
        for (size_t i = 0; i < SOURCES && ok; i++)
            if (value_get(part, sources[i].key) != NULL)
                ok = add_source(worker, files, value_get(part, sources[i].key), i, sources[i].projected_name_key, mode, why);
        ok = ok && (fields == NULL || add_fields(worker, document, files, fields, mode, why)) && (token == NULL || add_token(worker, document, files, token, mode, why));
        if (!ok)
            return false;
    }
    return true;
}

bool volume_files_make(const struct pod_worker *worker, const struct value *document, const struct value *volume, struct volume_files *files, char why[static VOLUME_WHY])
{
    const struct value *source;
    *files = (struct volume_files){0};
    for (size_t i = 0; i < SOURCES; i++)
        if ((source = value_get(volume, sources[i].key)) != NULL)
            return add_source(worker, files, source, i, sources[i].name_key, (unsigned)value_find_int(source, DEFAULT_MODE, "defaultMode", NULL), why);
    if ((source = value_get(volume, "downwardAPI")) != NULL)
        return add_fields(worker, document, files, source, (unsigned)value_find_int(source, DEFAULT_MODE, "defaultMode", NULL), why);
    source = value_get(volume, "projected");
    return add_projected(worker, document, files, source, (unsigned)value_find_int(source, DEFAULT_MODE, "defaultMode", NULL), why);
}

bool volume_has_files(const struct value *volume)
{
    return value_get(volume, "configMap") != NULL || value_get(volume, "secret") != NULL || value_get(volume, "downwardAPI") != NULL || value_get(volume, "projected") != NULL;
}

static bool names(const struct value *source, const char *name_key, const char *name)
{
    const char *found = value_find_text(source, name_key, NULL);
    return found != NULL && strcmp(found, name) == 0;
}

bool volume_shows(const struct value *volume, bool secret, const char *name)
{
    const struct value *parts = value_find(volume, "projected", "sources", NULL);
    size_t i = secret ? 1 : 0;
    if (name == NULL ? value_get(volume, "downwardAPI") != NULL : names(value_get(volume, sources[i].key), sources[i].name_key, name))
        return true;
    for (const struct value *part = value_first(parts); part != NULL; part = value_next(part))
        if (name == NULL ? value_get(part, "downwardAPI") != NULL : names(value_get(part, sources[i].key), sources[i].projected_name_key, name))
            return true;
    return false;
}
