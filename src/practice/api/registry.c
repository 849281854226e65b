#include "practice/api/registry.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

enum {
    REGISTRY_KINDS = 20000,
    REGISTRY_KEY = 640 /* bytes of "group/version/plural": a group has 253 at most, the others 63 */
};

/* A kind that is served, under the number of its storage. */
struct entry {
    const struct schema_kind *kind;
    state_resource resource;
};

/* The kinds of one CRD. One that went lives on while somebody holds it. */
struct definition {
    char *crd;
    const struct schema_kind *const *kinds;
    size_t count;
    void *owner;
    void (*free_kinds)(void *owner);
    size_t holds;
    bool served;
};

struct registry {
    struct state *state;
    struct map by_plural, by_kind; /* "group/version/NAME" to struct entry; by_plural owns */
    struct vec definitions;        /* of struct definition, owned: served ones, and gone ones that are held */
    const struct schema_kind **kinds;
    size_t count, built_in;
    uint64_t generation;
};

static bool make_key(char out[static REGISTRY_KEY], const char *group, const char *version, const char *name)
{
    const char *const parts[] = {group, version, name};
    size_t at = 0;
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(parts[i]);
        if (at + length + 1 >= REGISTRY_KEY)
            return false;
        memcpy(out + at, parts[i], length);
        at += length;
        out[at++] = '/';
    }
    out[at] = '\0';
    return true;
}

static const struct entry *find(const struct map *map, const char *group, const char *version, const char *name)
{
    char key[REGISTRY_KEY];
    return make_key(key, group, version, name) ? map_get(map, key) : NULL;
}

static void forget(struct registry *registry, const struct schema_kind *kind)
{
    char key[REGISTRY_KEY];
    if (make_key(key, kind->group, kind->version, kind->kind))
        map_remove(&registry->by_kind, key);
    if (make_key(key, kind->group, kind->version, kind->plural))
        map_remove(&registry->by_plural, key);
}

static state_resource number_of(struct state *state, const struct schema_kind *kind)
{
    const struct schema_kind *storage = kind->storage;
    if (storage->group[0] == '\0')
        return state_resource_of(state, storage->plural);
    char *name = mem_printf("%s.%s", storage->plural, storage->group);
    state_resource number = name != NULL ? state_resource_of(state, name) : 0;
    mem_free(name);
    return number;
}

static bool add(struct state *state, struct map *by_plural, struct map *by_kind, const struct schema_kind *kind, struct error *err)
{
    char key[REGISTRY_KEY];
    struct entry *entry = mem_alloc(sizeof *entry);
    if (entry == NULL)
        return error_memory(err);
    *entry = (struct entry){.kind = kind, .resource = number_of(state, kind)};
    if (entry->resource == 0) {
        mem_free(entry);
        return error_set(err, ERROR_LIMIT, NULL, "there are more kinds than the practice cluster can keep");
    }
    if (!make_key(key, kind->group, kind->version, kind->plural)) {
        mem_free(entry);
        return error_set(err, ERROR_INVALID, NULL, "the names of %s are too long", kind->kind);
    }
    if (!map_set(by_plural, key, entry))
        return error_memory(err);
    if (!make_key(key, kind->group, kind->version, kind->kind))
        return error_set(err, ERROR_INVALID, NULL, "the names of %s are too long", kind->kind);
    return map_set(by_kind, key, entry) || error_memory(err);
}

/* Finds what `kinds` says in new maps, which take the place of the old ones if all went well. */
static bool index_kinds(struct registry *registry, const struct schema_kind *const *kinds, size_t count, struct error *err)
{
    struct map by_plural = map_make(REGISTRY_KINDS, mem_free), by_kind = map_make(REGISTRY_KINDS, NULL);
    bool whole = true;
    for (size_t i = 0; whole && i < count; i++)
        whole = add(registry->state, &by_plural, &by_kind, kinds[i], err);
    if (whole) {
        struct map old[] = {registry->by_kind, registry->by_plural};
        registry->by_plural = by_plural;
        registry->by_kind = by_kind;
        by_kind = old[0];
        by_plural = old[1];
    }
    map_free(&by_kind);
    map_free(&by_plural);
    return whole;
}

static void free_definition(void *item)
{
    struct definition *definition = item;
    definition->free_kinds(definition->owner);
    mem_free(definition->crd);
    mem_free(definition);
}

struct registry *registry_new(struct state *state, struct error *err)
{
    struct registry *registry = mem_zero(1, sizeof *registry);
    if (registry == NULL) {
        error_memory(err);
        return NULL;
    }
    registry->state = state;
    registry->by_plural = map_make(REGISTRY_KINDS, mem_free);
    registry->by_kind = map_make(REGISTRY_KINDS, NULL);
    registry->definitions = vec_make(REGISTRY_KINDS, free_definition);
    registry->generation = 1;
    const struct schema_kind *const *kinds = schema_kinds(&registry->built_in);
    registry->kinds = mem_zero(registry->built_in, sizeof *registry->kinds);
    registry->count = registry->built_in;
    if (registry->kinds == NULL)
        error_memory(err);
    else {
        memcpy(registry->kinds, kinds, registry->built_in * sizeof *kinds);
        if (index_kinds(registry, kinds, registry->built_in, err))
            return registry;
    }
    registry_free(registry);
    return NULL;
}

void registry_free(struct registry *registry)
{
    if (registry == NULL)
        return;
    map_free(&registry->by_kind);
    map_free(&registry->by_plural);
    vec_free(&registry->definitions);
    mem_free(registry->kinds);
    mem_free(registry);
}

const struct schema_kind *registry_find(const struct registry *registry, const char *group, const char *version, const char *plural)
{
    const struct entry *entry = find(&registry->by_plural, group, version, plural);
    return entry != NULL ? entry->kind : NULL;
}

const struct schema_kind *registry_find_kind(const struct registry *registry, const char *group, const char *version, const char *kind)
{
    const struct entry *entry = find(&registry->by_kind, group, version, kind);
    return entry != NULL ? entry->kind : NULL;
}

state_resource registry_resource(const struct registry *registry, const struct schema_kind *kind)
{
    const struct entry *entry = find(&registry->by_plural, kind->group, kind->version, kind->plural);
    return entry != NULL ? entry->resource : 0;
}

const struct schema_kind *const *registry_kinds(const struct registry *registry, size_t *count)
{
    *count = registry->count;
    return registry->kinds;
}

uint64_t registry_generation(const struct registry *registry)
{
    return registry->generation;
}

/* "v1", "v2beta3": the number and how far along it is; other names are no versions of this form. */
struct grade {
    bool known;
    int stage; /* 2: stable, 1: beta, 0: alpha */
    long major, minor;
};

static struct grade grade_of(const char *version)
{
    struct grade grade = {.stage = 2};
    char *end = NULL;
    if (version[0] != 'v' || !isdigit((unsigned char)version[1]))
        return grade;
    grade.major = strtol(version + 1, &end, 10);
    if (*end == '\0') {
        grade.known = true;
        return grade;
    }
    grade.stage = strncmp(end, "beta", 4) == 0 ? 1 : 0;
    if (grade.stage == 0 && strncmp(end, "alpha", 5) != 0)
        return grade;
    end += grade.stage == 1 ? 4 : 5;
    if (!isdigit((unsigned char)*end))
        return grade;
    grade.minor = strtol(end, &end, 10);
    grade.known = *end == '\0';
    return grade;
}

/* Kubernetes' order of versions: stable before beta before alpha, larger numbers first, other names last in alphabetical order. */
static int compare_versions(const char *a, const char *b)
{
    struct grade x = grade_of(a), y = grade_of(b);
    if (x.known != y.known)
        return x.known ? -1 : 1;
    if (!x.known)
        return strcmp(a, b);
    if (x.stage != y.stage)
        return y.stage - x.stage;
    if (x.major != y.major)
        return x.major > y.major ? -1 : 1;
    return x.minor > y.minor ? -1 : x.minor < y.minor;
}

static int compare_kinds(const void *a, const void *b)
{
    const struct schema_kind *x = *(const struct schema_kind *const *)a, *y = *(const struct schema_kind *const *)b;
    int order = strcmp(x->group, y->group);
    if (order == 0)
        order = compare_versions(x->version, y->version);
    return order != 0 ? order : strcmp(x->plural, y->plural);
}

static struct definition *find_served(const struct registry *registry, const char *crd, size_t *at)
{
    for (size_t i = 0; i < registry->definitions.length; i++) {
        struct definition *definition = registry->definitions.items[i];
        if (definition->served && strcmp(definition->crd, crd) == 0) {
            *at = i;
            return definition;
        }
    }
    return NULL;
}

static bool is_of(const struct definition *definition, const struct schema_kind *kind)
{
    for (size_t i = 0; i < definition->count; i++)
        if (definition->kinds[i] == kind)
            return true;
    return false;
}

/* Serves the kinds of one no more; needs no memory. */
static void withdraw(struct registry *registry, const char *crd_name)
{
    size_t at = 0, kept = 0;
    struct definition *definition = find_served(registry, crd_name, &at);
    if (definition == NULL)
        return;
    for (size_t i = 0; i < registry->count; i++)
        if (is_of(definition, registry->kinds[i]))
            forget(registry, registry->kinds[i]);
        else
            registry->kinds[kept++] = registry->kinds[i];
    registry->count = kept;
    definition->served = false;
    if (definition->holds == 0)
        vec_remove(&registry->definitions, at);
    registry->generation++;
}

/* All kinds with those of `definition` in the place of those that are served under its name now. NULL: no memory. */
static const struct schema_kind **list_with(const struct registry *registry, const struct definition *definition, size_t *count)
{
    const struct schema_kind **list = mem_zero(registry->count + definition->count, sizeof *list);
    size_t at = 0, length = 0;
    const struct definition *was = find_served(registry, definition->crd, &at);
    for (size_t i = 0; list != NULL && i < registry->count; i++)
        if (was == NULL || !is_of(was, registry->kinds[i]))
            list[length++] = registry->kinds[i];
    for (size_t i = 0; list != NULL && i < definition->count; i++)
        list[length++] = definition->kinds[i];
    if (list != NULL)
        qsort(list + registry->built_in, length - registry->built_in, sizeof *list, compare_kinds);
    *count = length;
    return list;
}

bool registry_set(struct registry *registry, const char *crd_name, const struct schema_kind *const *kinds, size_t count, void *owner,
                  void (*free_kinds)(void *owner), struct error *err)
{
    if (count == 0) {
        withdraw(registry, crd_name);
        if (owner != NULL)
            free_kinds(owner);
        return true;
    }
    struct definition *definition = mem_zero(1, sizeof *definition);
    if (definition == NULL) {
        free_kinds(owner);
        return error_memory(err);
    }
    *definition = (struct definition){.crd = mem_string(crd_name), .kinds = kinds, .count = count, .owner = owner, .free_kinds = free_kinds};
    size_t length = 0, at = 0;
    const struct schema_kind **list = definition->crd != NULL ? list_with(registry, definition, &length) : NULL;
    if (list == NULL) {
        free_definition(definition);
        return error_memory(err);
    }
    if (!vec_push(&registry->definitions, definition)) {
        mem_free(list);
        return error_memory(err);
    }
    if (!index_kinds(registry, list, length, err)) {
        mem_free(list);
        vec_remove(&registry->definitions, registry->definitions.length - 1);
        return false;
    }
    struct definition *was = find_served(registry, crd_name, &at);
    definition->served = true;
    if (was != NULL) {
        was->served = false;
        if (was->holds == 0)
            vec_remove(&registry->definitions, at);
    }
    mem_free(registry->kinds);
    registry->kinds = list;
    registry->count = length;
    registry->generation++;
    return true;
}

static struct definition *definition_of(const struct registry *registry, const struct schema_kind *kind, size_t *at)
{
    for (size_t i = 0; kind->crd != NULL && i < registry->definitions.length; i++)
        if (is_of(registry->definitions.items[i], kind)) {
            *at = i;
            return registry->definitions.items[i];
        }
    return NULL;
}

void registry_hold(struct registry *registry, const struct schema_kind *kind)
{
    size_t at = 0;
    struct definition *definition = definition_of(registry, kind, &at);
    if (definition != NULL)
        definition->holds++;
}

void registry_release(struct registry *registry, const struct schema_kind *kind)
{
    size_t at = 0;
    struct definition *definition = definition_of(registry, kind, &at);
    if (definition == NULL || definition->holds == 0)
        return;
    if (--definition->holds == 0 && !definition->served)
        vec_remove(&registry->definitions, at);
}
