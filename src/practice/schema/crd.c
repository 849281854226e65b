/* crd: a definition's kinds. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "practice/schema/crd_internal.h"

static void *zeroed(struct arena *arena, size_t count, size_t size)
{
    void *memory = arena_get(arena, count * size);
    if (memory != NULL)
        memset(memory, 0, count * size);
    return memory;
}

static const char *text_at(const struct value *v, const char *key)
{
    const char *text = value_text(value_get(v, key));
    return text != NULL ? text : "";
}

const struct crd_version *crd_version_of(const struct schema_kind *kind)
{
    return (const struct crd_version *)(const void *)kind; /* its first member */
}

static const char *const *texts_of(struct arena *arena, const struct value *list)
{
    const char **texts = value_first(list) != NULL ? zeroed(arena, value_length(list) + 1, sizeof *texts) : NULL;
    size_t count = 0;
    for (const struct value *entry = value_first(list); texts != NULL && entry != NULL; entry = value_next(entry))
        if (value_text(entry) != NULL)
            texts[count++] = value_text(entry);
    return texts;
}

static bool read_subresources(struct crd *crd, struct crd_version *version)
{
    enum { VERBS = VERB_GET | VERB_UPDATE | VERB_PATCH };
    const struct value *wanted = value_get(version->json, "subresources"), *scale = value_get(wanted, "scale");
    struct schema_subresource *subs = zeroed(&crd->tree.arena, 3, sizeof *subs);
    size_t count = 0;
    if (subs == NULL)
        return false;
    if (value_type(value_get(wanted, "status")) == VALUE_OBJECT)
        subs[count++] = (struct schema_subresource){.name = "status",
                                                    .group = version->kind.group,
                                                    .version = version->kind.version,
                                                    .kind = version->kind.kind,
                                                    .verbs = VERBS,
                                                    .schema = version->kind.schema};
    if (value_type(scale) == VALUE_OBJECT) {
        const char *selector = text_at(scale, "labelSelectorPath");
        version->has_scale = true;
        version->scale = (struct crd_scale){text_at(scale, "specReplicasPath"), text_at(scale, "statusReplicasPath"),
                                            selector[0] != '\0' ? selector : NULL};
        subs[count++] = (struct schema_subresource){.name = "scale",
                                                    .group = "autoscaling",
                                                    .version = "v1",
                                                    .kind = "Scale",
                                                    .verbs = VERBS,
                                                    .schema = schema_definition("io.k8s.api.autoscaling.v1.Scale")};
    }
    version->kind.subresources = count > 0 ? subs : NULL;
    return true;
}

static const char *describe_path(struct arena *arena, const char *path)
{
    static const char words[] = "Custom resource definition column (in JSONPath format): ";
    char *text = arena_get(arena, sizeof words + strlen(path));
    if (text != NULL)
        strcat(strcpy(text, words), path);
    return text;
}

static bool read_columns(struct crd *crd, struct crd_version *version)
{
    static const struct crd_column age = {
        .name = "Age", .type = "date", .format = "", .description = "How long ago it was made"};
    const struct value *list = value_get(version->json, "additionalPrinterColumns");
    size_t count = value_length(list), at = 0;
    version->columns = zeroed(&crd->tree.arena, count + 1, sizeof *version->columns);
    version->paths = zeroed(&crd->tree.arena, count + 1, sizeof *version->paths);
    if (version->columns == NULL || version->paths == NULL)
        return false;
    for (const struct value *entry = value_first(list); entry != NULL; entry = value_next(entry), at++) {
        version->columns[at] = (struct crd_column){.name = text_at(entry, "name"),
                                                   .type = text_at(entry, "type"),
                                                   .format = text_at(entry, "format"),
                                                   .description = text_at(entry, "description"),
                                                   .priority = (int)value_find_int(entry, 0, "priority", NULL)};
        version->paths[at] = text_at(entry, "jsonPath");
        if (version->columns[at].description[0] == '\0' &&
            (version->columns[at].description = describe_path(&crd->tree.arena, version->paths[at])) == NULL)
            return false;
    }
    if (at == 0) {
        version->columns[at] = age;
        version->paths[at++] = ".metadata.creationTimestamp";
    }
    version->column_count = at;
    return true;
}

/* "v1beta2" as a number that grows with what is newer in Kubernetes' order; other names are older than all of those. */
static long age_of(const char *version)
{
    long major = 0, minor = 0;
    char stage[8] = "";
    int length = 0;
    if (sscanf(version, "v%6ld%n", &major, &length) == 1 && version[length] == '\0')
        return 3000000000L + major * 1000;
    length = 0;
    if (sscanf(version, "v%6ld%5[a-z]%3ld%n", &major, stage, &minor, &length) != 3 || version[length] != '\0')
        return 0;
    return (strcmp(stage, "beta") == 0 ? 2000000000L : strcmp(stage, "alpha") == 0 ? 1000000000L : 0) + major * 1000 + minor;
}

/* Which version to use: the newest that is served, not deprecated and newer. */
static const char *better_version(const struct value *spec, const char *name)
{
    const char *best = NULL;
    for (const struct value *version = value_first(value_get(spec, "versions")); version != NULL;
         version = value_next(version)) {
        const char *other = text_at(version, "name");
        if (value_is_true(value_get(version, "served")) && !value_is_true(value_get(version, "deprecated")) &&
            age_of(other) > age_of(name) && (best == NULL || age_of(other) > age_of(best)))
            best = other;
    }
    return best;
}

static bool read_deprecation(struct crd *crd, struct crd_version *version)
{
    const struct value *own = value_get(version->json, "deprecationWarning"), *spec = value_get(crd->definition, "spec");
    if (!value_is_true(value_get(version->json, "deprecated")))
        return true;
    version->deprecation = value_text(own);
    if (version->deprecation != NULL)
        return true;
    const char *group = text_at(spec, "group"), *kind = text_at(value_get(spec, "names"), "kind"),
               *better = better_version(spec, version->kind.version);
    char *text = better != NULL ? mem_printf("%s/%s %s is deprecated; use %s/%s %s", group, version->kind.version, kind, group,
                                             better, kind)
                                : mem_printf("%s/%s %s is deprecated", group, version->kind.version, kind);
    char *kept = text != NULL ? arena_get(&crd->tree.arena, strlen(text) + 1) : NULL;
    if (kept != NULL)
        strcpy(kept, text);
    mem_free(text);
    version->deprecation = kept;
    return kept != NULL;
}

/* Field selectors are those of the stored version: its objects' index is made by them. */
static bool read_selectors(struct crd *crd, const struct crd_version *storage)
{
    const struct value *list = value_get(storage->json, "selectableFields");
    const char **selectors =
        value_first(list) != NULL ? zeroed(&crd->tree.arena, value_length(list) + 1, sizeof *selectors) : NULL;
    size_t count = 0;
    for (const struct value *entry = value_first(list); selectors != NULL && entry != NULL; entry = value_next(entry)) {
        const char *path = text_at(entry, "jsonPath");
        selectors[count++] = path + (path[0] == '.');
    }
    for (size_t i = 0; i < crd->count; i++)
        crd->versions[i].rules = crd_object_rules(selectors);
    return value_first(list) == NULL || selectors != NULL;
}

static bool read_version(struct crd *crd, struct crd_version *version, const struct value *names, struct error *err)
{
    const struct value *spec = value_get(crd->definition, "spec"),
                       *schema = value_find(version->json, "schema", "openAPIV3Schema", NULL);
    version->served = value_is_true(value_get(version->json, "served"));
    const char *list = text_at(names, "listKind"), *singular = text_at(names, "singular");
    version->kind = (struct schema_kind){
        .group = text_at(spec, "group"),
        .version = text_at(version->json, "name"),
        .kind = text_at(names, "kind"),
        .plural = text_at(names, "plural"),
        .singular = singular,
        .list_kind = list,
        .short_names = texts_of(&crd->tree.arena, value_get(names, "shortNames")),
        .categories = texts_of(&crd->tree.arena, value_get(names, "categories")),
        .namespaced = strcmp(text_at(spec, "scope"), "Cluster") != 0,
        .verbs =
            VERB_GET | VERB_LIST | VERB_WATCH | VERB_CREATE | VERB_UPDATE | VERB_PATCH | VERB_DELETE | VERB_DELETE_COLLECTION,
        .crd = crd,
    };
    if (schema == NULL) {
        struct value *none = arena_own(&crd->tree.arena, value_object());
        if (none == NULL || !value_set(none, "type", value_string("object")) ||
            !value_set(none, "x-kubernetes-preserve-unknown-fields", value_bool(true)))
            return error_memory(err);
        schema = none;
    }
    version->root = crd_node_new(&crd->tree, schema, err);
    if (version->root == NULL)
        return false;
    version->kind.schema = crd_schema(&crd->tree.arena, version->root);
    return (version->kind.schema != NULL && read_subresources(crd, version) && read_columns(crd, version) &&
            read_deprecation(crd, version)) ||
           error_memory(err);
}

static bool read_versions(struct crd *crd, struct error *err)
{
    const struct value *spec = value_get(crd->definition, "spec"), *list = value_get(spec, "versions");
    const struct value *accepted = value_find(crd->definition, "status", "acceptedNames", NULL);
    const struct value *names = text_at(accepted, "kind")[0] != '\0' ? accepted : value_get(spec, "names");
    const struct crd_version *storage = NULL;
    crd->versions = zeroed(&crd->tree.arena, value_length(list) + 1, sizeof *crd->versions);
    crd->kinds = zeroed(&crd->tree.arena, value_length(list) + 1, sizeof *crd->kinds);
    if (crd->versions == NULL || crd->kinds == NULL)
        return error_memory(err);
    for (const struct value *entry = value_first(list); entry != NULL; entry = value_next(entry)) {
        struct crd_version *version = &crd->versions[crd->count++];
        version->json = entry;
        if (!read_version(crd, version, names, err))
            return false;
        if (storage == NULL || value_is_true(value_get(entry, "storage")))
            storage = version;
        if (version->served)
            crd->kinds[crd->kind_count++] = &version->kind;
    }
    for (size_t i = 0; i < crd->count; i++)
        crd->versions[i].kind.storage = &storage->kind;
    return storage == NULL || read_selectors(crd, storage) || error_memory(err);
}

struct crd *crd_new(const struct value *definition, struct error *err)
{
    struct crd *crd = mem_zero(1, sizeof *crd);
    if (crd == NULL) {
        error_memory(err);
        return NULL;
    }
    crd->tree.arena = arena_make();
    crd->definition = value_copy(definition);
    if (crd->definition == NULL)
        error_memory(err);
    else if (read_versions(crd, err))
        return crd;
    crd_free(crd);
    return NULL;
}

void crd_free(struct crd *crd)
{
    if (crd == NULL)
        return;
    crd_tree_free(&crd->tree);
    value_free(crd->definition);
    mem_free(crd);
}

const struct schema_kind *const *crd_kinds(const struct crd *crd, size_t *count)
{
    *count = crd->kind_count;
    return crd->kinds;
}

const struct crd_scale *crd_scale_of(const struct schema_kind *kind)
{
    const struct crd_version *version = crd_version_of(kind);
    return version->has_scale ? &version->scale : NULL;
}

size_t crd_columns(const struct schema_kind *kind, const struct crd_column **columns)
{
    const struct crd_version *version = crd_version_of(kind);
    *columns = version->columns;
    return version->column_count;
}

void crd_begin(struct crd *crd, uint64_t version)
{
    crd->since = version;
}

bool crd_shows(const struct schema_kind *as, uint64_t version)
{
    return as == as->storage && version > as->crd->since;
}

const char *crd_deprecation(const struct schema_kind *kind)
{
    return crd_version_of(kind)->deprecation;
}
