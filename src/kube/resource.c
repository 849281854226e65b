#include "kube/resource.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "kube/discovery.h"

enum { MAXIMUM_WAITERS = 10000, MAXIMUM_KINDS = 20000 };

typedef void resolved(void *data, const struct kube_resource *resource, const struct error *error);

struct waiter {
    unsigned number;
    unsigned needs;    /* the load after whose end a miss is final */
    char *name;        /* as people write it, or the kind where api_version is set */
    char *api_version; /* NULL: by name */
    resolved *done;
    void *data;
};

static void waiter_free(void *pointer)
{
    struct waiter *waiter = pointer;
    if (waiter == NULL)
        return;
    mem_free(waiter->name);
    mem_free(waiter->api_version);
    mem_free(waiter);
}

void kube_discovery_free(struct kube_discovery *discovery)
{
    if (discovery == NULL)
        return;
    if (discovery->freed != NULL)
        *discovery->freed = true;
    vec_free(&discovery->waiters);
    vec_free(&discovery->queue);
    map_free(&discovery->by_name);
    vec_free(&discovery->entries);
    mem_free(discovery);
}

/* The client's discovery, made on first use. NULL: no memory. */
static struct kube_discovery *discovery_of(struct kube_client *client)
{
    struct kube_discovery **place = kube_client_discovery(client);
    if (*place == NULL) {
        *place = mem_zero(1, sizeof **place);
        if (*place != NULL)
            **place = (struct kube_discovery){.client = client,
                                              .wanted = 1,
                                              .entries = vec_make(MAXIMUM_KINDS, kube_entry_free),
                                              .by_name = map_make(MAXIMUM_KINDS, NULL),
                                              .waiters = vec_make(MAXIMUM_WAITERS, waiter_free)};
    }
    return *place;
}

/* How well a word names a kind: 1 is best, 0 not at all. As kubectl, a plural or singular counts before a short name. */
static int match_word(const struct kube_entry *entry, const char *word)
{
    if (strcasecmp(entry->resource.plural, word) == 0)
        return 1;
    if (strcasecmp(entry->resource.singular, word) == 0)
        return 2;
    if (strcasecmp(entry->resource.kind, word) == 0)
        return 3;
    for (size_t i = 0; i < entry->short_names.length; i++)
        if (strcasecmp(entry->short_names.items[i], word) == 0)
            return 4;
    return 0;
}

static bool better(const struct kube_entry *a, int match_a, const struct kube_entry *b, int match_b)
{
    if (match_a != match_b)
        return match_a < match_b;
    if (a->group_rank != b->group_rank)
        return a->group_rank < b->group_rank;
    return a->version_rank < b->version_rank;
}

/* word[.version][.group]; what stands after the first dot is tried as a group, then as version and group. */
static const struct kube_entry *find_name(const struct kube_discovery *discovery, const char *name)
{
    char word[256];
    const char *dot = strchr(name, '.');
    size_t length = dot != NULL ? (size_t)(dot - name) : strlen(name);
    if (length == 0 || length >= sizeof word)
        return NULL;
    memcpy(word, name, length);
    word[length] = '\0';
    const char *group = dot != NULL ? dot + 1 : NULL, *rest = group != NULL ? strchr(group, '.') : NULL;
    size_t version_length = group == NULL ? 0 : rest != NULL ? (size_t)(rest - group) : strlen(group);
    const struct kube_entry *best = NULL;
    int best_match = 0;
    for (size_t i = 0; i < discovery->entries.length; i++) {
        const struct kube_entry *entry = discovery->entries.items[i];
        int match = entry->gone ? 0 : match_word(entry, word);
        if (match == 0)
            continue;
        if (group != NULL && strcmp(entry->resource.group, group) != 0) {
            bool same_version = strlen(entry->resource.version) == version_length &&
                                strncmp(entry->resource.version, group, version_length) == 0;
            if (!same_version || strcmp(entry->resource.group, rest != NULL ? rest + 1 : "") != 0)
                continue;
        }
        if (best == NULL || better(entry, match, best, best_match)) {
            best = entry;
            best_match = match;
        }
    }
    return best;
}

static const char *group_end(const char *api_version, const char **version) /* "apps/v1": to the slash; "v1": to the start */
{
    const char *slash = strchr(api_version, '/');
    *version = slash != NULL ? slash + 1 : api_version;
    return slash != NULL ? slash : api_version;
}

static bool in_group(const struct kube_entry *entry, const char *group, size_t length)
{
    return strlen(entry->resource.group) == length && strncmp(entry->resource.group, group, length) == 0;
}

static const struct kube_entry *find_kind(const struct kube_discovery *discovery, const char *api_version, const char *kind)
{
    const char *version;
    size_t length = (size_t)(group_end(api_version, &version) - api_version);
    for (size_t i = 0; i < discovery->entries.length; i++) {
        const struct kube_entry *entry = discovery->entries.items[i];
        if (!entry->gone && strcmp(entry->resource.kind, kind) == 0 && strcmp(entry->resource.version, version) == 0 &&
            in_group(entry, api_version, length))
            return entry;
    }
    return NULL;
}

static const struct kube_entry *find(const struct kube_discovery *discovery, const struct waiter *waiter)
{
    return waiter->api_version != NULL ? find_kind(discovery, waiter->api_version, waiter->name)
                                       : find_name(discovery, waiter->name);
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned nearness(const struct kube_entry *entry, const char *word)
{
    unsigned d = least(kube_name_distance(entry->resource.plural, word), kube_name_distance(entry->resource.singular, word));
    return least(d, kube_name_distance(entry->resource.kind, word));
}

/* The kind whose name is nearest to a word that means none, or NULL when none is near. */
static const struct kube_entry *nearest(const struct kube_discovery *discovery, const char *word)
{
    const struct kube_entry *best = NULL;
    unsigned best_distance = 0, allowed = kube_name_allowance(word);
    for (size_t i = 0; i < discovery->entries.length; i++) {
        const struct kube_entry *entry = discovery->entries.items[i];
        unsigned d = entry->gone ? UINT_MAX : nearness(entry, word);
        if (d > allowed)
            continue;
        if (best == NULL || d < best_distance || (d == best_distance && better(entry, 0, best, 0))) {
            best = entry;
            best_distance = d;
        }
    }
    return best;
}

static void set_miss(const struct kube_discovery *discovery, const struct waiter *waiter, struct error *err)
{
    char word[128];
    size_t length = waiter->api_version != NULL ? strlen(waiter->name) : strcspn(waiter->name, ".");
    length = length < sizeof word ? length : sizeof word - 1;
    memcpy(word, waiter->name, length);
    word[length] = '\0';
    const struct kube_entry *near = nearest(discovery, word);
    struct buf hint = buf_make(512);
    if (near != NULL && waiter->api_version != NULL) {
        buf_append_string(&hint, " (did you mean ");
        buf_printf(&hint, "%s in ", near->resource.kind);
        kube_resource_api_version(&near->resource, &hint);
        buf_append_string(&hint, "?)");
    } else if (near != NULL) {
        buf_append_string(&hint, " (did you mean ");
        kube_resource_name(&near->resource, &hint);
        buf_append_string(&hint, "?)");
    }
    const char *more = hint.length > 0 && buf_ok(&hint) ? hint.bytes : "";
    if (waiter->api_version != NULL)
        error_set(err, ERROR_NOT_FOUND, NULL, "the server has no kind \"%s\" in %s%s", waiter->name, waiter->api_version, more);
    else
        error_set(err, ERROR_NOT_FOUND, NULL, "the server has no kind \"%s\"%s", waiter->name, more);
    buf_free(&hint);
    if (discovery->part_error.kind != ERROR_NONE) /* it may be there, but nobody can tell */
        memcpy(err->cause, discovery->part_error.message, sizeof err->cause - 1);
}

/* Why there is no such kind. Where whole lists could not be read, that is the reason, not the name. */
static void miss(const struct kube_discovery *discovery, const struct waiter *waiter, struct error *err)
{
    bool other_group =
        waiter->api_version != NULL ? strchr(waiter->api_version, '/') != NULL : strchr(waiter->name, '.') != NULL;
    bool core_only = waiter->api_version != NULL && !other_group;
    if (discovery->groups_error.kind != ERROR_NONE && !core_only)
        *err = discovery->groups_error;
    else if (discovery->core_error.kind != ERROR_NONE && !other_group)
        *err = discovery->core_error;
    else
        set_miss(discovery, waiter, err);
}

/* Answers everybody who can be answered now. Those who came during the load and miss want another one. */
void kube_discovery_loaded(struct kube_discovery *discovery)
{
    if (discovery->freed != NULL)
        return; /* a callback asked for a load that ended at once: the loop that called it goes on */
    bool freed = false;
    discovery->freed = &freed;
    for (size_t i = 0; i < discovery->waiters.length;) {
        struct waiter *waiter = discovery->waiters.items[i];
        bool fresh = discovery->finished >= discovery->wanted;
        const struct kube_entry *entry = fresh ? find(discovery, waiter) : NULL;
        if (entry == NULL && (!fresh || waiter->needs > discovery->finished)) {
            i++;
            continue;
        }
        struct error err = ERROR_INIT;
        if (entry == NULL)
            miss(discovery, waiter, &err);
        vec_take(&discovery->waiters, i);
        waiter->done(waiter->data, entry != NULL ? &entry->resource : NULL, entry != NULL ? NULL : &err);
        waiter_free(waiter);
        if (freed)
            return;
        i = 0; /* the callback may have added or cancelled others */
    }
    discovery->freed = NULL;
    if (discovery->waiters.length > 0)
        kube_discovery_load(discovery);
}

static unsigned wait_for(struct kube_discovery *discovery, const char *api_version, const char *name, resolved *done,
                         void *data)
{
    struct waiter *waiter = mem_zero(1, sizeof *waiter);
    if (waiter != NULL)
        *waiter = (struct waiter){.name = mem_string(name),
                                  .api_version = api_version != NULL ? mem_string(api_version) : NULL,
                                  .done = done,
                                  .data = data,
                                  .needs = discovery->started + 1,
                                  .number = ++discovery->next_number};
    if (waiter == NULL || waiter->name == NULL || (api_version != NULL && waiter->api_version == NULL)) {
        waiter_free(waiter);
        waiter = NULL;
    }
    unsigned number = waiter != NULL ? waiter->number : 0;
    if (waiter == NULL || !vec_push(&discovery->waiters, waiter)) {
        struct error err = ERROR_INIT;
        error_memory(&err);
        done(data, NULL, &err);
        return 0;
    }
    kube_discovery_load(discovery);
    return number;
}

static bool still_waits(struct kube_client *client, unsigned number)
{
    const struct kube_discovery *discovery = *kube_client_discovery(client);
    for (size_t i = 0; i < discovery->waiters.length; i++)
        if (((const struct waiter *)discovery->waiters.items[i])->number == number)
            return true;
    return false;
}

static unsigned resolve(struct kube_client *client, const char *api_version, const char *name, resolved *done, void *data)
{
    struct kube_discovery *discovery = discovery_of(client);
    if (discovery == NULL) {
        struct error err = ERROR_INIT;
        error_memory(&err);
        done(data, NULL, &err);
        return 0;
    }
    if (discovery->finished >= discovery->wanted) {
        const struct kube_entry *entry =
            api_version != NULL ? find_kind(discovery, api_version, name) : find_name(discovery, name);
        if (entry != NULL) {
            done(data, &entry->resource, NULL);
            return 0;
        }
    }
    unsigned number = wait_for(discovery, api_version, name, done, data);
    return number != 0 && still_waits(client, number) ? number : 0;
}

unsigned kube_resolve(struct kube_client *client, const char *name, resolved *done, void *data)
{
    return resolve(client, NULL, name, done, data);
}

unsigned kube_resolve_kind(struct kube_client *client, const char *api_version, const char *kind, resolved *done, void *data)
{
    return resolve(client, api_version, kind, done, data);
}

void kube_resolve_cancel(struct kube_client *client, unsigned number)
{
    struct kube_discovery *discovery = *kube_client_discovery(client);
    for (size_t i = 0; discovery != NULL && i < discovery->waiters.length; i++)
        if (((struct waiter *)discovery->waiters.items[i])->number == number) {
            vec_remove(&discovery->waiters, i);
            return;
        }
}

const struct kube_resource *kube_resource_known(struct kube_client *client, const char *name)
{
    const struct kube_discovery *discovery = *kube_client_discovery(client);
    const struct kube_entry *entry = discovery != NULL ? find_name(discovery, name) : NULL;
    return entry != NULL ? &entry->resource : NULL;
}

void kube_discovery_forget(struct kube_client *client)
{
    struct kube_discovery *discovery = *kube_client_discovery(client);
    if (discovery != NULL)
        discovery->wanted = discovery->started + 1;
}

void kube_resource_name(const struct kube_resource *resource, struct buf *out)
{
    buf_append_string(out, resource->plural);
    if (resource->group[0] != '\0')
        buf_printf(out, ".%s", resource->group);
}

void kube_resource_api_version(const struct kube_resource *resource, struct buf *out)
{
    if (resource->group[0] != '\0')
        buf_printf(out, "%s/", resource->group);
    buf_append_string(out, resource->version);
}
