#include "kube/discovery.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"

enum { MAXIMUM_ENTRIES = 20000, MAXIMUM_SHORT_NAMES = 32 };

struct found { /* one resource of a document; all borrowed */
    const char *group, *version, *plural, *singular, *kind;
    bool namespaced;
    const struct value *verbs, *short_names;
    unsigned group_rank, version_rank;
};

void kube_entry_free(void *pointer)
{
    struct kube_entry *entry = pointer;
    if (entry == NULL)
        return;
    vec_free(&entry->short_names);
    mem_free(entry->text);
    mem_free(entry);
}

static unsigned verbs_of(const struct value *list)
{
    static const struct {
        const char *name;
        unsigned bit;
    } known[] = {
        {"get", KUBE_VERB_GET},       {"list", KUBE_VERB_LIST},
        {"watch", KUBE_VERB_WATCH},   {"create", KUBE_VERB_CREATE},
        {"update", KUBE_VERB_UPDATE}, {"patch", KUBE_VERB_PATCH},
        {"delete", KUBE_VERB_DELETE}, {"deletecollection", KUBE_VERB_DELETECOLLECTION},
    };
    unsigned verbs = 0;
    for (const struct value *verb = value_first(list); verb != NULL; verb = value_next(verb))
        for (size_t i = 0; value_text(verb) != NULL && i < sizeof known / sizeof *known; i++)
            if (strcmp(value_text(verb), known[i].name) == 0)
                verbs |= known[i].bit;
    return verbs;
}

/* Copies the names into one block: group, version, plural, singular, kind. An old server leaves the singular out: the kind in
 * small letters. */
static bool copy_names(struct kube_entry *entry, const struct found *found)
{
    const char *singular = found->singular[0] != '\0' ? found->singular : found->kind;
    const char *names[] = {found->group, found->version, found->plural, singular, found->kind};
    const char **to[] = {&entry->resource.group, &entry->resource.version, &entry->resource.plural, &entry->resource.singular,
                         &entry->resource.kind};
    size_t length = 0;
    for (size_t i = 0; i < 5; i++)
        length += strlen(names[i]) + 1;
    char *at = entry->text = mem_alloc(length);
    if (at == NULL)
        return false;
    for (size_t i = 0; i < 5; i++) {
        size_t size = strlen(names[i]) + 1;
        memcpy(at, names[i], size);
        for (char *c = at; i == 3 && singular == found->kind && *c != '\0'; c++)
            *c = (char)tolower((unsigned char)*c);
        *to[i] = at;
        at += size;
    }
    return true;
}

static struct kube_entry *add_entry(struct kube_discovery *discovery, const char *key, const struct found *found)
{
    struct kube_entry *entry = mem_zero(1, sizeof *entry);
    if (entry == NULL)
        return NULL;
    entry->short_names = vec_make(MAXIMUM_SHORT_NAMES, mem_free);
    entry->resource.short_names = &entry->short_names;
    entry->resource.namespaced = found->namespaced;
    if (!copy_names(entry, found)) {
        kube_entry_free(entry);
        return NULL;
    }
    if (!vec_push(&discovery->entries, entry)) /* frees it on failure */
        return NULL;
    entry->gone = true; /* until the map has it */
    if (!map_set(&discovery->by_name, key, entry))
        return NULL;
    return entry;
}

/* Makes or refreshes an entry. Others hold pointers to entries: one whose meaning changed (a CRD deleted and made again with
 * another kind) is retired, not rewritten. */
static struct kube_entry *put_entry(struct kube_discovery *discovery, const struct found *found, struct error *err)
{
    char *key = mem_printf("%s/%s/%s", found->group, found->version, found->plural);
    if (key == NULL) {
        error_memory(err);
        return NULL;
    }
    struct kube_entry *entry = map_get(&discovery->by_name, key);
    if (entry != NULL && (strcmp(entry->resource.kind, found->kind) != 0 || entry->resource.namespaced != found->namespaced)) {
        entry->gone = true;
        entry = NULL;
    }
    if (entry == NULL)
        entry = add_entry(discovery, key, found);
    mem_free(key);
    if (entry == NULL) {
        if (discovery->entries.length >= MAXIMUM_ENTRIES)
            error_set(err, ERROR_LIMIT, NULL, "the server has more than %d kinds", (int)MAXIMUM_ENTRIES);
        else
            error_memory(err);
        return NULL;
    }
    entry->gone = false;
    entry->seen = discovery->started;
    entry->group_rank = found->group_rank;
    entry->version_rank = found->version_rank;
    entry->resource.verbs = verbs_of(found->verbs);
    entry->resource.has_status = entry->resource.has_scale = false;
    vec_clear(&entry->short_names);
    for (const struct value *name = value_first(found->short_names); name != NULL; name = value_next(name))
        if (value_text(name) != NULL && entry->short_names.length < MAXIMUM_SHORT_NAMES &&
            !vec_push_string(&entry->short_names, value_text(name))) {
            error_memory(err);
            return NULL;
        }
    return entry;
}

static void note_subresource(struct kube_entry *entry, const char *name)
{
    if (strcmp(name, "status") == 0)
        entry->resource.has_status = true;
    else if (strcmp(name, "scale") == 0)
        entry->resource.has_scale = true;
}

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static bool read_version(struct kube_discovery *discovery, struct found found, const struct value *version, struct error *err)
{
    for (const struct value *r = value_first(value_get(version, "resources")); r != NULL; r = value_next(r)) {
        found.plural = value_find_text(r, "resource", NULL);
        found.kind = value_find_text(r, "responseKind", "kind", NULL);
        if (found.plural == NULL || found.kind == NULL || found.kind[0] == '\0')
            continue; /* a parent that exists only for its subresources */
        found.singular = or_empty(value_find_text(r, "singularResource", NULL));
        found.namespaced = strcmp(or_empty(value_find_text(r, "scope", NULL)), "Namespaced") == 0;
        found.verbs = value_get(r, "verbs");
        found.short_names = value_get(r, "shortNames");
        struct kube_entry *entry = put_entry(discovery, &found, err);
        if (entry == NULL)
            return false;
        for (const struct value *s = value_first(value_get(r, "subresources")); s != NULL; s = value_next(s))
            note_subresource(entry, or_empty(value_find_text(s, "subresource", NULL)));
    }
    return true;
}

bool kube_discovery_read_groups(struct kube_discovery *discovery, const struct value *list, struct error *err)
{
    unsigned group_rank = 0;
    for (const struct value *item = value_first(value_get(list, "items")); item != NULL; item = value_next(item)) {
        struct found found = {.group = or_empty(value_find_text(item, "metadata", "name", NULL))};
        found.group_rank = found.group[0] == '\0' ? 0 : ++group_rank;
        for (const struct value *v = value_first(value_get(item, "versions")); v != NULL;
             v = value_next(v), found.version_rank++) {
            found.version = value_find_text(v, "version", NULL);
            if (found.version == NULL)
                continue;
            if (strcmp(or_empty(value_find_text(v, "freshness", NULL)), "Stale") ==
                0) { /* its own server did not answer the API server */
                kube_discovery_keep(discovery, found.group, found.version);
                if (discovery->part_error.kind == ERROR_NONE)
                    error_set(&discovery->part_error, ERROR_UNREACHABLE, NULL,
                              "the kinds of %s/%s cannot be read now: the server behind it does not answer", found.group,
                              found.version);
            }
            if (!read_version(discovery, found, v, err))
                return false;
        }
    }
    return true;
}

bool kube_discovery_read_list(struct kube_discovery *discovery, const char *group, const char *version, unsigned group_rank,
                              unsigned version_rank, const struct value *list, struct error *err)
{
    const struct value *resources = value_get(list, "resources");
    struct found found = {.group = group, .version = version, .group_rank = group_rank, .version_rank = version_rank};
    for (const struct value *r = value_first(resources); r != NULL; r = value_next(r)) {
        found.plural = value_find_text(r, "name", NULL);
        found.kind = value_find_text(r, "kind", NULL);
        if (found.plural == NULL || found.kind == NULL || strchr(found.plural, '/') != NULL)
            continue;
        found.singular = or_empty(value_find_text(r, "singularName", NULL));
        found.namespaced = value_is_true(value_get(r, "namespaced"));
        found.verbs = value_get(r, "verbs");
        found.short_names = value_get(r, "shortNames");
        if (put_entry(discovery, &found, err) == NULL)
            return false;
    }
    for (const struct value *r = value_first(resources); r != NULL;
         r = value_next(r)) { /* "deployments/status" may come before "deployments" */
        const char *name = or_empty(value_find_text(r, "name", NULL)), *slash = strchr(name, '/');
        if (slash == NULL)
            continue;
        char *key = mem_printf("%s/%s/%.*s", group, version, (int)(slash - name), name);
        if (key == NULL)
            return error_memory(err);
        struct kube_entry *entry = map_get(&discovery->by_name, key);
        mem_free(key);
        if (entry != NULL)
            note_subresource(entry, slash + 1);
    }
    return true;
}

void kube_discovery_keep(struct kube_discovery *discovery, const char *group, const char *version)
{
    for (size_t i = 0; i < discovery->entries.length; i++) {
        struct kube_entry *entry = discovery->entries.items[i];
        bool same = group == NULL ? entry->resource.group[0] != '\0' : strcmp(entry->resource.group, group) == 0;
        if (same && (version == NULL || strcmp(entry->resource.version, version) == 0))
            entry->seen = discovery->started;
    }
}
