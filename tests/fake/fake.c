#include "fake/fake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "data/json.h"
#include "data/patch.h"
#include "data/yaml.h"
#include "fake/internal.h"

enum { OBJECTS = 50000, HISTORY = 4000, ANSWER = 64 << 20, DOCUMENTS = 100 };

static void *must(void *memory)
{
    assert_non_null(memory);
    return memory;
}

static char *copy(const char *text)
{
    return must(mem_string(text));
}

const struct fake_kind fake_builtin[] = {
    {"", "v1", "pods", "pod", "Pod", true, true, false},
    {"", "v1", "services", "service", "Service", true, true, false},
    {"", "v1", "configmaps", "configmap", "ConfigMap", true, false, false},
    {"", "v1", "secrets", "secret", "Secret", true, false, false},
    {"", "v1", "events", "event", "Event", true, false, false},
    {"", "v1", "namespaces", "namespace", "Namespace", false, true, false},
    {"apps", "v1", "deployments", "deployment", "Deployment", true, true, true},
    {"apps", "v1", "replicasets", "replicaset", "ReplicaSet", true, true, true},
    {"discovery.k8s.io", "v1", "endpointslices", "endpointslice", "EndpointSlice", true, false, false},
    {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "customresourcedefinition", "CustomResourceDefinition", false, true, false},
};

/* ---- kinds ---- */

size_t fake_kinds(const struct fake *fake, const struct fake_kind **kinds)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof fake_builtin / sizeof *fake_builtin; i++)
        kinds[count++] = &fake_builtin[i];
    for (size_t i = 0; i < fake->defined_count; i++)
        if (fake->defined[i].group != NULL)
            kinds[count++] = &fake->defined[i];
    return count;
}

static const struct fake_kind *find_kind(const struct fake *fake, const char *group, const char *plural, const char *kind)
{
    const struct fake_kind *kinds[FAKE_KINDS];
    size_t count = fake_kinds(fake, kinds);
    for (size_t i = 0; i < count; i++)
        if ((group == NULL || strcmp(kinds[i]->group, group) == 0) && (plural == NULL || strcmp(kinds[i]->plural, plural) == 0) &&
            (kind == NULL || strcmp(kinds[i]->kind, kind) == 0))
            return kinds[i];
    return NULL;
}

/* "deployments.apps". */
static const struct fake_kind *kind_of_name(const struct fake *fake, const char *name)
{
    char plural[128];
    const char *dot = strchr(name, '.');
    snprintf(plural, sizeof plural, "%.*s", (int)strcspn(name, "."), name);
    return must((void *)(uintptr_t)find_kind(fake, dot != NULL ? dot + 1 : "", plural, NULL));
}

static void define(struct fake *fake, const struct value *definition, bool served)
{
    const char *group = value_find_text(definition, "spec", "group", NULL), *plural = value_find_text(definition, "spec", "names", "plural", NULL);
    struct fake_kind *kind = NULL;
    for (size_t i = 0; i < fake->defined_count && kind == NULL; i++)
        if (fake->defined[i].plural != NULL && strcmp(fake->defined[i].plural, plural) == 0)
            kind = &fake->defined[i];
    if (kind == NULL) {
        assert_true(fake->defined_count < FAKE_DEFINED);
        kind = &fake->defined[fake->defined_count++];
        const struct value *version = value_first(value_find(definition, "spec", "versions", NULL));
        *kind = (struct fake_kind){.plural = copy(plural),
                                   .version = copy(value_find_text(version, "name", NULL)),
                                   .singular = copy(value_find_text(definition, "spec", "names", "singular", NULL)),
                                   .kind = copy(value_find_text(definition, "spec", "names", "kind", NULL)),
                                   .namespaced = strcmp(value_find_text(definition, "spec", "scope", NULL), "Namespaced") == 0,
                                   .has_status = true};
        fake->groups[kind - fake->defined] = copy(group);
    }
    kind->group = served ? fake->groups[kind - fake->defined] : NULL;
}

/* ---- objects ---- */

static void free_object(void *object)
{
    value_free(object);
}

static void free_happening(void *item)
{
    struct fake_happening *happening = item;
    value_free(happening->object);
    value_free(happening->old);
    mem_free(happening);
}

static void object_key(const struct fake_kind *kind, const char *ns, const char *name, char *out, size_t room)
{
    snprintf(out, room, "%s/%s/%s/%s", kind->group, kind->plural, kind->namespaced && ns != NULL ? ns : "", name);
}

struct value *fake_object(const struct fake *fake, const struct fake_kind *kind, const char *ns, const char *name)
{
    char key[600];
    object_key(kind, ns, name, key, sizeof key);
    return map_get(&fake->objects, key);
}

static void note(struct fake *fake, const struct fake_kind *kind, struct value *object, struct value *old, bool deleted)
{
    struct fake_happening *happening = must(mem_zero(1, sizeof *happening));
    *happening = (struct fake_happening){.version = fake->version, .kind = kind, .object = object, .old = old, .deleted = deleted};
    if (fake->history.length >= HISTORY) {
        fake->forgotten = ((struct fake_happening *)fake->history.items[0])->version;
        vec_remove(&fake->history, 0);
    }
    assert_true(vec_push(&fake->history, happening));
    fake_tell(fake, happening);
}

static void set_text(struct value *object, const char *key, const char *text)
{
    assert_true(value_set(object, key, value_string(text)));
}

static void stamp(struct fake *fake, struct value *object)
{
    char number[32];
    snprintf(number, sizeof number, "%llu", ++fake->version);
    set_text(must(value_child(object, "metadata")), "resourceVersion", number);
}

struct value *fake_store(struct fake *fake, const struct fake_kind *kind, const char *ns, const char *name, struct value *object)
{
    char key[600], text[64];
    object_key(kind, ns, name, key, sizeof key);
    struct value *old = map_take(&fake->objects, key), *metadata = must(value_child(object, "metadata"));
    snprintf(text, sizeof text, "%s%s%s", kind->group, kind->group[0] != '\0' ? "/" : "", kind->version);
    set_text(object, "apiVersion", text);
    set_text(object, "kind", kind->kind);
    set_text(metadata, "name", name);
    if (kind->namespaced)
        set_text(metadata, "namespace", ns);
    int64_t generation = value_find_int(old, 0, "metadata", "generation", NULL);
    if (old == NULL) {
        snprintf(text, sizeof text, "uid-%llu", ++fake->uids);
        if (value_get(metadata, "uid") == NULL)
            set_text(metadata, "uid", text);
        set_text(metadata, "creationTimestamp", "2026-01-01T00:00:00Z");
    } else
        set_text(metadata, "uid", value_find_text(old, "metadata", "uid", NULL));
    if (old == NULL || !value_equal(value_get(old, "spec"), value_get(object, "spec")))
        generation++;
    assert_true(value_set(metadata, "generation", value_int(generation)));
    stamp(fake, object);
    const struct value *finalizers = value_get(metadata, "finalizers");
    if (value_get(metadata, "deletionTimestamp") != NULL && value_length(finalizers) == 0) { /* its last finalizer is gone */
        value_free(object);
        assert_true(map_set(&fake->objects, key, old));
        fake_drop(fake, kind, ns, name);
        return NULL;
    }
    assert_true(map_set(&fake->objects, key, object));
    if (strcmp(kind->plural, "customresourcedefinitions") == 0)
        define(fake, object, true);
    note(fake, kind, must(value_copy(object)), old, false);
    return object;
}

void fake_drop(struct fake *fake, const struct fake_kind *kind, const char *ns, const char *name)
{
    char key[600];
    object_key(kind, ns, name, key, sizeof key);
    struct value *object = must(map_take(&fake->objects, key)), *old = must(value_copy(object));
    stamp(fake, object);
    if (strcmp(kind->plural, "customresourcedefinitions") == 0)
        define(fake, object, false);
    note(fake, kind, object, old, true);
}

/* ---- the test's hand ---- */

struct fake *fake_new(struct loop *loop)
{
    struct fake *fake = must(mem_zero(1, sizeof *fake));
    fake->loop = loop;
    fake->server = server_new(loop, NULL);
    fake->objects = map_make(OBJECTS, free_object);
    fake->history = vec_make(HISTORY, free_happening);
    fake->watches = vec_make(OBJECTS, mem_free);
    fake->faults = vec_make(DOCUMENTS, mem_free);
    fake->shells = vec_make(DOCUMENTS, fake_shell_free);
    fake->denied = vec_make(DOCUMENTS, mem_free);
    fake->writes = buf_make(ANSWER);
    fake->minor = "37";
    fake->version = 1000;
    server_on(fake->server, NULL, "*", fake_answer, fake);
    return fake;
}

void fake_free(struct fake *fake)
{
    if (fake == NULL)
        return;
    server_free(fake->server);
    map_free(&fake->objects);
    vec_free(&fake->history);
    vec_free(&fake->watches);
    vec_free(&fake->faults);
    vec_free(&fake->denied);
    vec_free(&fake->shells);
    buf_free(&fake->writes);
    for (size_t i = 0; i < fake->defined_count; i++) {
        mem_free((char *)(uintptr_t)fake->defined[i].plural);
        mem_free((char *)(uintptr_t)fake->defined[i].version);
        mem_free((char *)(uintptr_t)fake->defined[i].singular);
        mem_free((char *)(uintptr_t)fake->defined[i].kind);
        mem_free(fake->groups[i]);
    }
    mem_free(fake);
}

struct server *fake_server(struct fake *fake)
{
    return fake->server;
}

const char *fake_url(const struct fake *fake)
{
    return server_url(fake->server);
}

static void put_one(struct fake *fake, struct value *object)
{
    const char *version = value_find_text(object, "apiVersion", NULL), *slash = version != NULL ? strchr(version, '/') : NULL;
    char group[128] = "", namespace[128], name[300];
    if (slash != NULL)
        snprintf(group, sizeof group, "%.*s", (int)(slash - version), version);
    const struct fake_kind *kind = find_kind(fake, group, NULL, value_find_text(object, "kind", NULL));
    const char *ns = value_find_text(object, "metadata", "namespace", NULL);
    assert_non_null(kind);
    snprintf(namespace, sizeof namespace, "%s", kind->namespaced ? (ns != NULL ? ns : "learn") : "");
    snprintf(name, sizeof name, "%s", value_find_text(object, "metadata", "name", NULL));
    fake_store(fake, kind, namespace, name, object);
}

void fake_put(struct fake *fake, const char *text)
{
    struct vec documents = {0};
    struct error err = ERROR_INIT;
    struct value *json = text[0] == '{' ? json_parse(text, strlen(text), "the test's object", NULL) : NULL;
    if (json != NULL) {
        put_one(fake, json);
        return;
    }
    if (!yaml_parse_all(text, strlen(text), "the test's objects", YAML_DUPLICATES_REFUSE, &documents, &err))
        fail_msg("%s: %s", err.where, err.message);
    while (documents.length > 0)
        put_one(fake, vec_take(&documents, 0));
    vec_free(&documents);
}

void fake_merge(struct fake *fake, const char *kind_name, const char *ns, const char *name, const char *json)
{
    const struct fake_kind *kind = kind_of_name(fake, kind_name);
    struct value *patch = must(json_parse(json, strlen(json), "merge", NULL));
    struct value *object = must(patch_merge(must(fake_object(fake, kind, ns, name)), patch, NULL));
    value_free(patch);
    fake_store(fake, kind, ns, name, object);
}

void fake_remove(struct fake *fake, const char *kind, const char *ns, const char *name)
{
    fake_drop(fake, kind_of_name(fake, kind), ns, name);
}

const struct value *fake_find(const struct fake *fake, const char *kind, const char *ns, const char *name)
{
    return fake_object(fake, kind_of_name(fake, kind), ns, name);
}

size_t fake_count(const struct fake *fake, const char *kind_name)
{
    const struct fake_kind *kind = kind_of_name(fake, kind_name);
    char prefix[256];
    size_t count = 0, cursor = 0;
    snprintf(prefix, sizeof prefix, "%s/%s/", kind->group, kind->plural);
    for (const struct map_entry *entry; (entry = map_next(&fake->objects, &cursor)) != NULL;)
        count += strncmp(entry->key, prefix, strlen(prefix)) == 0;
    return count;
}

void fake_set_version(struct fake *fake, const char *minor)
{
    fake->minor = minor;
}

void fake_deny(struct fake *fake, const char *resource)
{
    assert_true(vec_push_string(&fake->denied, resource));
}

size_t fake_requests(const struct fake *fake, const char *part)
{
    const struct vec *log = server_log(fake->server);
    size_t count = 0;
    for (size_t i = 0; i < log->length; i++)
        count += strstr(log->items[i], part) != NULL;
    return count;
}

size_t fake_watches(const struct fake *fake, const char *kind_name)
{
    const struct fake_kind *kind = kind_of_name(fake, kind_name);
    size_t count = 0;
    for (size_t i = 0; i < fake->watches.length; i++) {
        const struct fake_watch *watch = fake->watches.items[i];
        count += watch->selection.kind == kind && !watch->over && !exchange_gone(watch->x);
    }
    return count;
}

const char *fake_writes(const struct fake *fake)
{
    return fake->writes.bytes != NULL ? fake->writes.bytes : "";
}

void fake_forget_writes(struct fake *fake)
{
    buf_free(&fake->writes);
}

/* ---- faults ---- */

void fake_break(struct fake *fake, const char *method, const char *path, int code)
{
    struct fake_fault *fault = must(mem_zero(1, sizeof *fault));
    *fault = (struct fake_fault){.method = method, .code = code};
    snprintf(fault->path, sizeof fault->path, "%s", path);
    assert_true(vec_push(&fake->faults, fault));
}

void fake_mend(struct fake *fake)
{
    vec_clear(&fake->faults);
}

static void end_watches(struct fake *fake, void (*end)(struct exchange *x))
{
    for (size_t i = 0; i < fake->watches.length; i++) {
        struct fake_watch *watch = fake->watches.items[i];
        if (!watch->over && !exchange_gone(watch->x))
            end(watch->x);
        watch->over = true;
    }
}

void fake_down(struct fake *fake)
{
    fake_break(fake, NULL, "/", FAKE_RESET);
    end_watches(fake, exchange_reset);
}

void fake_close_watches(struct fake *fake)
{
    end_watches(fake, exchange_end);
}

void fake_ignore_selectors(struct fake *fake)
{
    fake->unfiltered = true;
}

void fake_forget_history(struct fake *fake)
{
    vec_clear(&fake->history);
    fake->forgotten = fake->version;
}
