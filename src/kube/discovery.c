#include "kube/discovery.h"

#include <string.h>

#include "base/mem.h"
#include "data/json.h"

enum { MAXIMUM_UNDER_WAY = 8, MAXIMUM_PARTS = 2000, MAXIMUM_DOCUMENT = 32 * 1024 * 1024 };

static const char ACCEPT[] = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
                             "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

struct part { /* one document: /api, /apis (version NULL), or a group version */
    struct kube_discovery *discovery;
    char *group; /* NULL: /apis itself */
    char *version;
    unsigned group_rank, version_rank;
};

static void part_free(void *pointer)
{
    struct part *part = pointer;
    if (part == NULL)
        return;
    mem_free(part->group);
    mem_free(part->version);
    mem_free(part);
}

static bool push_part(struct kube_discovery *discovery, const char *group, const char *version, unsigned group_rank,
                      unsigned version_rank)
{
    struct part *part = mem_zero(1, sizeof *part);
    if (part == NULL)
        return false;
    *part = (struct part){.discovery = discovery,
                          .group_rank = group_rank,
                          .version_rank = version_rank,
                          .group = group != NULL ? mem_string(group) : NULL,
                          .version = version != NULL ? mem_string(version) : NULL};
    if ((group != NULL && part->group == NULL) || (version != NULL && part->version == NULL)) {
        part_free(part);
        return false;
    }
    return vec_push(&discovery->queue, part);
}

/* Notes that a document could not be read: what was known of it stays. */
static void part_failed(const struct part *part, const struct error *error)
{
    struct kube_discovery *discovery = part->discovery;
    kube_discovery_keep(discovery, part->group, part->version);
    struct error *place = part->version != NULL ? &discovery->part_error
                          : part->group == NULL ? &discovery->groups_error
                                                : &discovery->core_error;
    if (place->kind != ERROR_NONE)
        return;
    *place = *error;
    if (part->version != NULL)
        error_context(place, "the kinds of %s%s%s cannot be read", part->group, part->group[0] != '\0' ? "/" : "",
                      part->version);
}

/* The plain answer of /api: {versions: ["v1"]}. */
static bool queue_core(struct kube_discovery *discovery, const struct value *document, struct error *err)
{
    unsigned rank = 0;
    for (const struct value *v = value_first(value_get(document, "versions")); v != NULL; v = value_next(v))
        if (value_text(v) != NULL && !push_part(discovery, "", value_text(v), 0, rank++))
            return error_memory(err);
    return true;
}

/* The plain answer of /apis: {groups: [{name, versions: [{version}], preferredVersion: {version}}]}. */
static bool queue_groups(struct kube_discovery *discovery, const struct value *document, struct error *err)
{
    unsigned group_rank = 0;
    for (const struct value *g = value_first(value_get(document, "groups")); g != NULL; g = value_next(g)) {
        const char *name = value_find_text(g, "name", NULL),
                   *preferred = value_find_text(g, "preferredVersion", "version", NULL);
        unsigned version_rank = 0;
        group_rank++;
        for (const struct value *v = value_first(value_get(g, "versions")); name != NULL && v != NULL; v = value_next(v)) {
            const char *version = value_find_text(v, "version", NULL);
            if (version == NULL)
                continue;
            bool first = preferred != NULL && strcmp(version, preferred) == 0;
            if (!push_part(discovery, name, version, group_rank, first ? 0 : ++version_rank))
                return error_memory(err);
        }
    }
    return true;
}

static bool read_part(const struct part *part, const struct kube_answer *answer, struct error *err)
{
    struct kube_discovery *discovery = part->discovery;
    struct value *document = json_parse(answer->body, answer->length, "the server's list of kinds", err);
    if (document == NULL)
        return false;
    const char *kind = value_find_text(document, "kind", NULL);
    bool ok;
    if (part->version != NULL)
        ok = kube_discovery_read_list(discovery, part->group, part->version, part->group_rank, part->version_rank, document,
                                      err);
    else if (kind != NULL && strcmp(kind, "APIGroupDiscoveryList") == 0)
        ok = kube_discovery_read_groups(discovery, document, err);
    else
        ok = part->group != NULL ? queue_core(discovery, document, err) : queue_groups(discovery, document, err);
    value_free(document);
    return ok;
}

static void go_on(struct kube_discovery *discovery);

static void answered(void *data, const struct kube_answer *answer, const struct error *error, const struct kube_status *status)
{
    (void)status;
    struct part *part = data;
    struct kube_discovery *discovery = part->discovery;
    struct error err = ERROR_INIT;
    discovery->under_way--;
    if (error != NULL)
        part_failed(part, error);
    else if (!read_part(part, answer, &err))
        part_failed(part, &err);
    go_on(discovery);
}

static bool send_part(struct part *part, struct error *err)
{
    struct buf path = buf_make(1024);
    if (part->version == NULL)
        buf_append_string(&path, part->group != NULL ? "/api" : "/apis");
    else if (part->group[0] == '\0')
        kube_path(&path, "/api", part->version, NULL);
    else
        kube_path(&path, "/apis", part->group, part->version, NULL);
    struct kube_call *call = NULL;
    if (buf_ok(&path)) {
        struct kube_request request = {
            .method = "GET", .path = path.bytes, .accept = part->version == NULL ? ACCEPT : NULL, .maximum = MAXIMUM_DOCUMENT};
        call = kube_send(part->discovery->client, &request, NULL, answered, part, err);
        if (call != NULL)
            kube_call_own(call, part, part_free);
    } else
        error_memory(err);
    buf_free(&path);
    return call != NULL;
}

/* Sends what waits, a few at a time; after the last answer, what was not seen is gone. */
static void go_on(struct kube_discovery *discovery)
{
    while (discovery->queue.length > 0 && discovery->under_way < MAXIMUM_UNDER_WAY) {
        struct part *part = vec_take(&discovery->queue, 0);
        struct error err = ERROR_INIT;
        if (send_part(part, &err)) {
            discovery->under_way++;
            continue;
        }
        part_failed(part, &err);
        part_free(part);
    }
    if (discovery->under_way > 0)
        return;
    for (size_t i = 0; i < discovery->entries.length; i++) {
        struct kube_entry *entry = discovery->entries.items[i];
        entry->gone = entry->gone || entry->seen != discovery->started;
    }
    discovery->finished = discovery->started;
    kube_discovery_loaded(discovery);
}

void kube_discovery_load(struct kube_discovery *discovery)
{
    if (discovery->started != discovery->finished)
        return;
    discovery->started++;
    discovery->core_error = discovery->groups_error = discovery->part_error = ERROR_INIT;
    discovery->queue.maximum = MAXIMUM_PARTS;
    discovery->queue.free_item = part_free;
    if (!push_part(discovery, "", NULL, 0, 0)) {
        kube_discovery_keep(discovery, "", NULL);
        error_memory(&discovery->core_error);
    }
    if (!push_part(discovery, NULL, NULL, 0, 0)) {
        kube_discovery_keep(discovery, NULL, NULL);
        error_memory(&discovery->groups_error);
    }
    go_on(discovery);
}
